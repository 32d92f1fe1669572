% tests/octave/random_cast.m: pages as a function of single and double arguments computes with them, for random_call
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [A, bad] = random_cast (A, cls): pages of class double, rounded to cls; bad is true where one then is not finite.

function [A, bad] = random_cast (A, cls)
  A = double (cast (A(:,:,:), cls));
  bad = ! reshape (all (all (isfinite (A), 1), 2), [], 1);
endfunction
