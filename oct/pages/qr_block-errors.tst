## qr_block-errors.tst: tests of the errors of qr_block
## SPDX-License-Identifier: GPL-3.0-or-later

%!error <Invalid call> qr_block ()
%!error <qr_block: function called with too many outputs> [a, b, c, d] = qr_block (1);
%!error <qr_block: function called with too many outputs; with "solve" they are x and info> ...
%! [a, b, c] = qr_block (1, 1, "solve");
%!error <"solve" needs right-hand sides, qr_block \(A, B, "solve"\)> qr_block (1, "solve")
%!error <"solve" cannot be combined with "vector", because there is no P> qr_block (1, 1, "vector", "solve")
%!error <valid options are "econ", "0", "vector", "matrix", "solve", "block", "device", "progress" or "mpi"> qr_block (1, 1, "colour")
%!error <B must be a single or double array, not cell> qr_block (1, {"econ"})
%!error id=gpulinalg:bad-class qr_block (true)
%!error id=gpulinalg:bad-class qr_block (int32 (1))
%!error id=gpulinalg:bad-class qr_block ("a")
%!error id=gpulinalg:bad-class qr_block ({1})
%!error id=gpulinalg:bad-class qr_block (struct ("a", 1))
%!error id=gpulinalg:bad-class qr_block (@sin)
%!error id=gpulinalg:bad-class qr_block (sparse (1))
%!error id=gpulinalg:bad-class qr_block (sparse (1i))
%!error <A must be a single or double array, not logical> qr_block (true)
%!error <A must be a full array, not sparse; use full \(A\)> qr_block (sparse (1))
%!error id=gpulinalg:bad-class qr_block (1, int8 (1))
%!error id=gpulinalg:bad-class qr_block (1, true)
%!error <B must be a single or double array, not cell> qr_block (1, {})
%!error <B must be a full array, not sparse; use full \(B\)> qr_block (1, sparse (1))
%!error id=gpulinalg:bad-shape qr_block (ones (3, 2), [])
%!error id=gpulinalg:bad-shape qr_block (ones (3, 2, 4), ones (3, 1))
%!error id=gpulinalg:bad-shape qr_block (ones (3, 2), ones (3, 1, 4), 0)
%!error <B must have the rows and the pages of A, but A is 3x2 and B is 2x5> ...
%! qr_block (ones (3, 2), ones (2, 5))
%!error <A is 3x2x4 and B is 3x1; pagemldivide \(A, B\) solves with one B for all pages> ...
%! qr_block (ones (3, 2, 4), ones (3, 1), "solve")
%!error <A is 3x2 and B is 3x1x4; pagemldivide \(A, B\) solves with one A for all pages> ...
%! qr_block (ones (3, 2), ones (3, 1, 4), "solve")
%!error <B must have the rows and the pages of A, but A is 3x2x4 and B is 3x1x5> ...
%! qr_block (ones (3, 2, 4), ones (3, 1, 5))
%!error id=gpulinalg:bad-value qr_block (1, 2, 3)
%!error <argument 3 must be 0 or the name of an option, not of class double> qr_block (1, 2, [])
%!error <argument 3 must be 0 or the name of an option, not 1$> qr_block (1, 2, 1)
%!error <argument 4 must be the name of an option, not of class double> qr_block (1, 2, 0, 0)
%!error <argument 3 must be the name of an option, not of class cell> qr_block (1, "econ", {})
%!error id=gpulinalg:bad-option qr_block (1, "colour")
%!error <unknown option "Colour"; valid options are "econ", "0", "vector", "matrix", "wy", "block", "device", "progress" or "mpi"> ...
%! qr_block (1, "Colour", 3)
%!error <qr_block: argument 2: unknown option "Colour"> qr_block (1, "Colour", 3)
%!error id=gpulinalg:bad-option qr_block (ones (2), repmat ("auto", [1, 1, 2]))
%!error <argument 2 must be the name of an option, not of class char of size 1x4x2> ...
%! qr_block (ones (2), repmat ("auto", [1, 1, 2]))
%!error <argument 3 must be the name of an option, not of class char of size 1x5x2> ...
%! qr_block (ones (2), ones (2), repmat ("solve", [1, 1, 2]))
%!error <argument 3 must be the name of an option, not of class char of size 2x5> ...
%! qr_block (ones (2), ones (2), ["solve"; "solve"])
%!error <option "block" needs a value> qr_block (1, "block")
%!error <"wy" cannot be combined with B> qr_block (1, 2, "wy")
%!error <"wy" cannot be combined with B> qr_block (1, 2, "wy", "solve")
%!error <"wy" cannot be combined with "vector", because there is no pivoting> qr_block (1, "vector", "wy")
%!error id=gpulinalg:bad-option qr_block (1, 2, "wy")
%!error id=gpulinalg:bad-value qr_block (1, "block", 0)
%!error <option "block" must be a positive integer, not 0> qr_block (1, "block", 0)
%!error <option "block" must be a positive integer, not 2\.5> qr_block (1, "block", 2.5)
%!error <option "block" must be a positive integer, not NaN> qr_block (1, "block", NaN)
%!error <option "block" must be a positive integer, not "large"$> qr_block (1, "block", "large")
%!error <option "block" must be a positive integer, not of class double and size 1x2$> qr_block (1, "block", [8, 8])
%!error id=gpulinalg:bad-value qr_block (1, "device", "tpu")
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> qr_block (1, "device", "tpu")
%!error <option "progress" must be true, false or a function handle, not of class char> ...
%! qr_block (1, "progress", "yes")
%!error id=Octave:bad-alloc [Q, R] = qr_block (ones (2e7, 1));
