% tests/octave/check_gpu_transforms.m: Fourier transforms of gpuArrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_gpu_transforms (). Results must be those of the host's arrays within 5*eps*log2 (n)
% relative to the norm, for n elements of the result.

function [passed, failed] = check_gpu_transforms ()
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays = [0, 0];
  rand ("twister", 44);
  randn ("twister", 44);
  for type = "dszcb"
    along_one (type);
    along_several (type);
  endfor
  refused ();
  passed = counts_of_gpu_arrays(1);
  failed = counts_of_gpu_arrays(2);
endfunction

function along_one (type)
  for n = [1, 2, 3, 5, 16, 17, 101, 128, 1000, 4096]
    for shape = {[n 1], [1 n], [n 3], [3 n], [n 2 3], [4 n 2], [3 2 n], [2 n 7], [5 n 6]}
      x = gpu_test_array (type, shape{1});
      agrees (@fft, x);
      agrees (@ifft, x);
      comes_back (@fft, @ifft, x);
      for dim = 1:ndims (x)
        agrees (@fft, x, [], dim);
        agrees (@ifft, x, [], dim);
        agrees (@fft, x, size (x, dim) + 3, dim);
        agrees (@ifft, x, max (1, size (x, dim) - 2), dim);
      endfor
      agrees (@fft, x, 8);
      agrees (@fft, x, 1);
      agrees (@ifft, x, 0);
    endfor
  endfor
  % short slices, side by side and not, few and many
  for n = [2, 4, 8, 16, 32]
    for shape = {[n 1], [n 7], [n, 2 ^ 17 / n + 1], [3 n 5], [2 n 130], [300 n]}
      x = gpu_test_array (type, shape{1});
      dim = 1 + (shape{1}(1) != n);
      agrees (@fft, x, [], dim);
      agrees (@ifft, x, [], dim);
      comes_back (@fft2, @ifft2, x);
    endfor
  endfor
  % many small pages, and pages that are large enough for a call each
  agrees (@fft, gpu_test_array (type, [16 16 300]), [], 2);
  agrees (@fft, gpu_test_array (type, [30 40 25]), [], 2);
  agrees (@ifft, gpu_test_array (type, [600 500 5]), [], 2);
  for shape = {[0 3], [3 0], [0 0], [1 0], [2 0 3]}
    x = gpu_test_array (type, shape{1});
    for dim = 1:2
      agrees (@fft, x, [], dim);
      agrees (@fft, x, 4, dim);
      agrees (@ifft, x, 0, dim);
    endfor
  endfor
endfunction

function along_several (type)
  for shape = {[1 1], [1 7], [7 1], [16 16], [17 12], [101 30], [8 6 5], [16 16 40], [5 4 3 2]}
    x = gpu_test_array (type, shape{1});
    comes_back (@fft2, @ifft2, x);
    comes_back (@fftn, @ifftn, x);
    for f = {@fft2, @ifft2}
      agrees (f{1}, x);
      agrees (f{1}, x, 4);
      agrees (f{1}, x, 20, 5);
    endfor
    for f = {@fftn, @ifftn}
      agrees (f{1}, x);
      agrees (f{1}, x, size (x) + 1);
      agrees (f{1}, x, max (1, size (x) - 2));
    endfor
    for f = {@fftshift, @ifftshift}
      agrees (f{1}, x);
      agrees (f{1}, x, 2);
    endfor
  endfor
  agrees (@fft2, gpu_test_array (type, [3 2]), 0, 2);
  agrees (@fft2, gpu_test_array (type, [3 0 2]));
endfunction

% The same sizes, class and values as Octave's; what is transformed is a complex gpuArray.
function agrees (f, x, varargin)
  want = f (x, varargin{:});
  G = f (gpuArray (x), varargin{:});
  is_shift = ! isempty (strfind (func2str (f), "shift"));
  if (islogical (want) && ! is_shift)
    want = double (want);
  endif
  count (func2str (f), x, varargin, want, gather (G), isgpuarray (G) && (iscomplex (G) || is_shift));
endfunction

function comes_back (f, inverse, x)
  G = inverse (f (gpuArray (x)));
  if (islogical (x))
    x = double (x);
  endif
  count ([func2str(f) " and back"], x, {}, x, gather (G), isgpuarray (G) && iscomplex (G));
endfunction

function count (name, x, more, want, have, good)
  global counts_of_gpu_arrays;
  good = good && strcmp (class (have), class (want)) && isequal (size (have), size (want));
  error_norm = 0;
  if (good && islogical (want))
    good = isequal (want, have);
  elseif (good && ! isempty (want))
    error_norm = norm (double (have(:) - want(:)));
    n = max (2, numel (want));
    good = error_norm <= 5 * log2 (n) * double (eps (class (want))) * norm (double (want(:)));
  endif
  counts_of_gpu_arrays += [good, ! good];
  if (! good && counts_of_gpu_arrays(2) <= 40)
    printf ("FAILED %s of %s %s (%s): %s %s, error %.3g\n", name, class (x), mat2str (size (x)), disp (more)(1:end-1), ...
            class (have), mat2str (size (have)), error_norm);
  endif
endfunction

function refused ()
  global counts_of_gpu_arrays;
  G = gpuArray (magic (4));
  calls = {@() fft(G, -1), @() fft(G, NaN), @() fft(G, [], 0), @() fft(G, [], 3), @() fft(G, 2i), @() ifft(G, "a"), ...
           @() fft2(G, -1, 2), @() ifft2(G, 2, NaN), @() fftn(G, 3), @() ifftn(G, [2 NaN]), @() fftn(G, [2 -1])};
  for f = calls
    id = "";
    try
      f{1} ();
    catch err
      id = err.identifier;
    end_try_catch
    good = strcmp (id, "gpulinalg:bad-value");
    counts_of_gpu_arrays += [good, ! good];
    if (! good)
      printf ("FAILED %s: \"%s\"\n", func2str (f{1}), id);
    endif
  endfor
endfunction
