## gpuArray-arrayfun.tst: tests of arrayfun with gpuArrays; tests/octave/check_arrayfun.m has more
## SPDX-License-Identifier: GPL-3.0-or-later

%!## the function of each element
%!test
%! A = magic (4);
%! f = @(x) x .^ 2 + 3 * x - 1;
%! G = arrayfun (f, gpuArray (A));
%! assert (class (G), "gpuArray");
%! assert (gather (G), arrayfun (f, A));
%! assert (gather (arrayfun ("sqrt", gpuArray (A))), sqrt (A));
%! assert (gather (arrayfun (f, gpuArray (A), "UniformOutput", true)), f (A));

%!## arrays with dimensions of size 1 are expanded, and those of the host are moved
%!test
%! f = @(x, y) merge (x > y, x - y, x .* y);
%! x = (1:3).';
%! y = 0:1;
%! assert (gather (arrayfun (f, gpuArray (x), y)), [1, 1; 2, 1; 3, 2]);
%! assert (size (arrayfun (f, gpuArray (zeros (0, 1)), y)), [0, 2]);

%!## what an element seems to be
%!assert (gather (arrayfun (@(x) x * isgpuarray (x) * strcmp (underlyingType (x), "single"), gpuArray (single (1:3)))), single (1:3))

%!## conversions and conjugates of what has become complex; numbers of another precision
%!assert (gather (arrayfun (@(x) single (sqrt (x)), gpuArray ([-1, 4]))), single ([1i, 2]))
%!assert (gather (arrayfun (@(x) sqrt (x)', gpuArray ([-1, 4]))), [-1i, 2])
%!assert (gather (arrayfun (@(x) x == single (0.1), gpuArray ([0.1, 0.2]))), [true, false])
%!test
%! [a, b] = arrayfun (@(x) deal (x + 1, 0.1), gpuArray (single ([1, 2])));
%! assert (gather (b), [0.1, 0.1]);

%!## several results; one that is a number
%!test
%! [a, b, c] = arrayfun (@(x) deal (x + 1, x > 1, 7), gpuArray (single ([1, 2])));
%! assert (gather (a), single ([2, 3]));
%! assert (gather (b), [false, true]);
%! assert (gather (c), [7, 7]);

%!## elements that leave the domain make the result complex
%!assert (gather (arrayfun (@(x) sqrt (x) + 1, gpuArray ([-1, 4]))), [1 + 1i, 3])

%!## increments, and operators that assign
%!test
%! function y = stepped (x)
%!   y = x++;
%!   x--;
%!   ++x;
%!   x += 2;
%!   y = 10 * y + x;
%! endfunction
%! assert (gather (arrayfun (@stepped, gpuArray (1:3))), 10 * (1:3) + (1:3) + 3);

%!## what f does once, it does for all elements
%!test
%! function y = counted (x)
%!   y = x + 1;
%!   evalin ("base", "gpu_arrayfun_calls += 1;");
%! endfunction
%! evalin ("base", "gpu_arrayfun_calls = 0;");
%! arrayfun (@counted, gpuArray (1:5));
%! assert (evalin ("base", "gpu_arrayfun_calls"), 1);
%! evalin ("base", "clear gpu_arrayfun_calls");

%!## what is refused
%!error id=gpulinalg:gather-needed arrayfun (@(x) sum (x), gpuArray (1:3))
%!error <"if", and & and |> arrayfun (@(x) x && true, gpuArray (1:3))
%!error id=gpulinalg:gather-needed arrayfun (@(x) x(1), gpuArray (1:3))
%!error id=gpulinalg:gather-needed arrayfun (@(x) [x, 1], gpuArray (1:3))
%!error id=gpulinalg:gather-needed arrayfun (@(x) gamma (x), gpuArray (1:3))
%!error id=gpulinalg:gather-needed arrayfun (@(x) gather (x), gpuArray (1:3))
%!error id=gpulinalg:gather-needed arrayfun (@(x) sort (x), gpuArray (1:3))
%!error id=gpulinalg:gather-needed arrayfun (@(x) arrayfun (@sin, x), gpuArray (1:3))
%!error id=gpulinalg:gather-needed arrayfun (@(x) x, gpuArray (1:3), "ErrorHandler", @sin)
%!error <array that is 1x2; give the array to arrayfun> arrayfun (@(x) x + [1, 2], gpuArray (1:3))
%!error <value 1 of the function is 1x2> arrayfun (@(x) [1, 2], gpuArray (1:3))
%!error id=gpulinalg:bad-class arrayfun (@(x) x + int8 (1), gpuArray (1:3))
%!error id=gpulinalg:bad-class arrayfun (@(x) hypot (x, 1i), gpuArray (1:3))
%!error id=gpulinalg:bad-class arrayfun (@(x) merge (x > 1, x, true), gpuArray (1:3))
%!error <the first argument, MASK, must be logical> arrayfun (@(x) merge (x, 1, 2), gpuArray (1:3))
%!error id=gpulinalg:bad-class arrayfun (3, gpuArray (1:3))
%!error id=Octave:nonconformant-args arrayfun (@(x, y) x + y, gpuArray (1:3), [1, 2])
%!error <returned fewer than 2 values> [a, b] = arrayfun (@(x) x, gpuArray (1:3));
%!error id=Octave:invalid-fun-call arrayfun (@sin)
