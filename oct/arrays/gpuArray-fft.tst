## gpuArray-fft.tst: tests of Fourier transforms of gpuArrays; tests/octave/check_gpu_transforms.m has more
## SPDX-License-Identifier: GPL-3.0-or-later

%!## the values of the host, and always complex
%!test
%! x = magic (4) + 1i * hilb (4);
%! G = gpuArray (x);
%! for f = {@fft, @ifft, @fft2, @ifft2, @fftn, @ifftn}
%!   y = f{1} (G);
%!   assert (isgpuarray (y) && iscomplex (y));
%!   assert (gather (y), f{1} (x), 1e-13);
%! endfor
%! assert (iscomplex (fft (gpuArray (5))) && iscomplex (fft (gpuArray (true (1, 3)), 1)));
%! assert (gather (ifft (fft (gpuArray (1:5)))), 1:5, 1e-14);

%!## lengths and dimensions, also as gpuArrays
%!test
%! x = reshape (1:24, 2, 3, 4);
%! G = gpuArray (x);
%! assert (gather (fft (G, 5)), fft (x, 5), 1e-13);
%! assert (gather (fft (G, 2, 3)), fft (x, 2, 3), 1e-13);
%! assert (gather (ifft (G, [], 2)), ifft (x, [], 2), 1e-13);
%! assert (gather (fft (G, gpuArray (4), gpuArray (2))), fft (x, 4, 2), 1e-13);
%! assert (fft (1:3, gpuArray (2)), fft (1:3, 2));
%! assert (gather (fft2 (G, 4, 2)), fft2 (x, 4, 2), 1e-13);
%! assert (gather (fftn (G, [3, 2, 1])), fftn (x, [3, 2, 1]), 1e-13);
%! assert (gather (fft (gpuArray (1:4))), fft (1:4), 1e-14);

%!## classes and arrays without elements
%!test
%! assert (underlyingType (fft (gpuArray (single ([1, 2])))), "single");
%! assert (underlyingType (fft (gpuArray ([true, false]))), "double");
%! assert (underlyingType (ifft (gpuArray (zeros (0, 3, "single")))), "single");
%! assert (size (fft (gpuArray (zeros (0, 3)))), [0, 3]);
%! assert (gather (fft (gpuArray (zeros (0, 3)), 2)), zeros (2, 3));
%! assert (size (fft (gpuArray ([1, 2]), 0)), [1, 0]);
%! assert (size (fft2 (gpuArray (ones (3, 2)), 0, 2)), size (fft2 (ones (3, 2), 0, 2)));
%! assert (size (fftn (gpuArray (zeros (0, 3)))), [0, 3]);
%! assert (gather (fftn (gpuArray (zeros (0, 3)), [2, 2])), zeros (2));

%!## the halves change places by Octave's own functions
%!test
%! assert (gather (fftshift (gpuArray (1:5))), fftshift (1:5));
%! assert (gather (ifftshift (gpuArray (magic (4)), 2)), ifftshift (magic (4), 2));
%! assert (class (fftshift (gpuArray (1:5))), "gpuArray");

%!error <Invalid call> fft (gpuArray (1), 2, 1, 1)
%!error <Invalid call> fftn (gpuArray (1), [1, 1], 1)
%!error id=gpulinalg:bad-value fft (gpuArray ([1, 2]), -1)
%!error id=gpulinalg:bad-value fft (gpuArray ([1, 2]), NaN)
%!error id=gpulinalg:bad-value fft (gpuArray ([1, 2]), 1.5)
%!error id=gpulinalg:bad-value ifft (gpuArray ([1, 2]), [2, 3])
%!error id=gpulinalg:bad-value fft (gpuArray ([1, 2]), "a")
%!error <number of points> fft (gpuArray ([1, 2]), 2i)
%!error <DIM must be> fft (gpuArray ([1, 2]), [], 0)
%!error <DIM must be a valid> fft (gpuArray ([1, 2]), [], 3)
%!error <rows> fft2 (gpuArray ([1, 2]), -1, 2)
%!error <columns> ifft2 (gpuArray ([1, 2]), 1, NaN)
%!error <SIZE must be a vector of 2> fftn (gpuArray ([1, 2]), 3)
%!error <each element of SIZE> ifftn (gpuArray ([1, 2]), [2, -1])
