## pagediag.tst: tests of pagediag
## SPDX-License-Identifier: GPL-3.0-or-later

%!function D = diag_loop (A, varargin)
%! dims = size (A);
%! D = cell (1, prod (dims(3:end)));
%! for p = 1:numel (D)
%!   D{p} = diag (A(:,:,p), varargin{:});
%! endfor
%! D = cat (3, D{:});
%! D = reshape (D, [size(D)(1:2), dims(3:end)]);
%!endfunction
%!function A = any_array (type, varargin)
%! A = rand (varargin{:}) - 0.5;
%! if (any (type == "cz"))
%!   A = A + 1i * (rand (varargin{:}) - 0.5);
%! endif
%! if (any (type == "sc"))
%!   A = single (A);
%! endif
%!endfunction

%!test # matrices and vectors of every type, diagonals within and outside
%! for type = "sdcz"
%!   for m = [1:5, 8, 33, 130]
%!     for n = [1:4, 9, 33]
%!       A = any_array (type, m, n, 3, 2);
%!       assert (pagediag (A), diag_loop (A));
%!       assert (class (pagediag (A)), class (A));
%!       for k = [-200, -m, 1-m, -2, -1, 0, 1, 2, n-1, n, 200]
%!         assert (pagediag (A, k), diag_loop (A, k));
%!       endfor
%!     endfor
%!   endfor
%! endfor
%!test # many small pages, and one matrix
%! A = rand (3, 3, 5000);
%! assert (squeeze (pagediag (A)), [A(1,1,:)(:), A(2,2,:)(:), A(3,3,:)(:)].');
%! assert (pagediag (pagediag (A)) .* ones (3), A .* eye (3));
%! assert (pagediag (magic (4), -1), diag (magic (4), -1));
%! assert (pagediag (1:3), full (diag (1:3)));
%! assert (pagediag (1:3, uint8 (2)), full (diag (1:3, 2)));
%! assert (size (pagediag (rand (3, 4, 1, 5))), [3, 1, 1, 5]);
%!test # there and back
%! for k = -3:3
%!   v = rand (4, 1, 6) + 1i;
%!   assert (pagediag (pagediag (v, k), k), v);
%! endfor
%!test # bits: -0, denormal numbers, and which NaN it is
%! bits = uint64 ([0x8000000000000000, 1, 0x7ff8000000000007, 0x7ff0000000000000]);
%! A = zeros (4, 4, 2);
%! A(1:5:16) = typecast (bits, "double");
%! assert (typecast (pagediag (A)(:,1,1), "uint64"), bits.');
%! D = pagediag (pagediag (A));
%! assert (typecast (D(1:5:16), "uint64"), bits);
%! assert (typecast (D(2,1,1), "uint64"), uint64 (0));
%!test # what stands beside the diagonal is not looked at
%! A = NaN (3, 3, 4);
%! A(1:4:9) = [1, 2, 3];
%! assert (pagediag (A)(:,1,1), [1; 2; 3]);

%!## arrays without elements, as diag has them
%!test
%! for dims = {[0, 0], [0, 3], [3, 0], [1, 0], [0, 1]}
%!   for k = [0, 2, -3]
%!     for type = {"single", "double"}
%!       D = pagediag (zeros ([dims{1}, 2], type{1}), k);
%!       assert (D, repmat (cast (full (diag (zeros (dims{1}), k)), type{1}), [1, 1, 2]));
%!       assert (class (D), type{1});
%!     endfor
%!   endfor
%! endfor
%! assert (size (pagediag (zeros (3, 4, 0))), [3, 1, 0]);
%! assert (size (pagediag (zeros (3, 1, 0), 1)), [4, 4, 0]);
%! assert (size (pagediag (zeros (3, 4, 2), 9)), [0, 1, 2]);

%!## options and gpuArrays
%!test
%! A = rand (4, 4, 50);
%! assert (pagediag (A, "device", "cpu"), pagediag (A));
%! assert (pagediag (A, 1, "DEVICE", "auto"), pagediag (A, 1));
%! assert (pagediag (A, "progress", @(done, all) assert (done <= all)), pagediag (A));
%!test
%! for x = {rand(3, 3, 4), single(rand (3, 1, 4)), rand(2, 3, 4) + 1i, zeros(0, 3, 2), zeros(1, 0, 2)}
%!   G = pagediag (gpuArray (x{1}), 1);
%!   assert (isgpuarray (G));
%!   assert (gather (G), pagediag (x{1}, 1));
%! endfor

%!error id=Octave:invalid-fun-call pagediag ()
%!error id=Octave:invalid-fun-call [a, b] = pagediag (1)
%!error id=gpulinalg:bad-class pagediag (int8 (1))
%!error id=gpulinalg:bad-class pagediag (sparse (1))
%!error id=gpulinalg:bad-class pagediag ({1})
%!error id=gpulinalg:bad-value pagediag (1, 0.5)
%!error id=gpulinalg:bad-value pagediag (1, NaN)
%!error id=gpulinalg:bad-value pagediag (1, [1, 2])
%!error id=gpulinalg:bad-value pagediag (1, {})
%!error id=gpulinalg:bad-value pagediag (1, 1e16)
%!error id=gpulinalg:bad-value pagediag (1, 0, "device", "tpu")
%!error id=gpulinalg:bad-value pagediag (1, "progress", "yes")
%!error id=gpulinalg:bad-option pagediag (1, "nuc")
%!error id=gpulinalg:bad-option pagediag (1, 0, "device")
%!error id=gpulinalg:bad-option pagediag (1, 0, 0)
%!error <k must be an integer, not 0.5> pagediag (1, 0.5)
%!error id=gpulinalg:no-device pagediag (1, "device", 99)
%!error id=Octave:bad-alloc pagediag (1, 1e12)
