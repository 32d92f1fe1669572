% tests/octave/one_norm.m: the 1-norm of a matrix, infinite where an entry is NaN
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Octave's norm (A, 1) leaves out a NaN that is not in the first column.

function x = one_norm (A)
  x = worst (sum (abs (A), 1));
endfunction
