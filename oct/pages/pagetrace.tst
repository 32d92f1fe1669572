## pagetrace.tst: tests of pagetrace
## SPDX-License-Identifier: GPL-3.0-or-later

%!function t = trace_loop (A)
%! dims = size (A);
%! t = zeros ([1, 1, dims(3:end)], class (A));
%! for p = 1:numel (t)
%!   t(p) = trace (A(:,:,p));
%! endfor
%!endfunction

%!test # the bits of trace, of pages of any shape
%! for class_ = {"single", "double"}
%!   for m = [1:5, 8, 33, 100]
%!     for n = [1, 2, 5, 33, 100]
%!       A = cast (rand (m, n, 3, 2) - 0.5, class_{1});
%!       B = cast (rand (m, n, 3, 2) - 0.5, class_{1});
%!       assert (pagetrace (A), trace_loop (A));
%!       assert (pagetrace (A + 1i * B), trace_loop (A + 1i * B));
%!       assert (class (pagetrace (A)), class_{1});
%!     endfor
%!   endfor
%! endfor
%!test # many pages, and one
%! A = rand (2, 2, 5000);
%! assert (pagetrace (A), A(1,1,:) + A(2,2,:));
%! assert (pagetrace (magic (4)), 34);
%! assert (size (pagetrace (rand (3, 3, 1, 5))), [1, 1, 1, 5]);
%!test # in this order: pairs or parts would give 1 or 2
%! assert (pagetrace (diag ([1e16, 1, -1e16, 1])), 1);
%! assert (pagetrace (diag ([1, 1e16, 1, -1e16])), 0);
%!test # NaN and Inf stay on their pages
%! A = ones (3, 3, 5);
%! A(2,2,2) = NaN;  A(3,3,3) = Inf;  A(1,1,4) = -Inf;  A(3,3,4) = Inf;  A(1,2,5) = NaN;
%! assert (squeeze (pagetrace (A)), [3; NaN; Inf; NaN; 3]);
%!test # without elements
%! assert (pagetrace (zeros (0, 0, 3)), zeros (1, 1, 3));
%! assert (pagetrace (zeros (0, 3)), 0);
%! assert (pagetrace (zeros (2, 0, 2, "single")), zeros (1, 1, 2, "single"));
%! assert (size (pagetrace (zeros (3, 3, 0))), [1, 1, 0]);
%!test # options and gpuArrays
%! A = rand (4, 4, 50) + 1i * rand (4, 4, 50);
%! assert (pagetrace (A, "device", "cpu"), pagetrace (A));
%! for x = {A, single(real (A)), zeros(0, 3, 2)}
%!   t = pagetrace (gpuArray (x{1}));
%!   assert (isgpuarray (t));
%!   assert (gather (t), pagetrace (x{1}));
%! endfor

%!error id=Octave:invalid-fun-call pagetrace ()
%!error id=Octave:invalid-fun-call [a, b] = pagetrace (1)
%!error id=gpulinalg:bad-class pagetrace (true)
%!error id=gpulinalg:bad-class pagetrace (sparse (1))
%!error id=gpulinalg:bad-value pagetrace (1, "device", "tpu")
%!error id=gpulinalg:bad-option pagetrace (1, 1)
%!error id=gpulinalg:bad-option pagetrace (1, "device")
%!error id=gpulinalg:no-device pagetrace (1, "device", 99)
