## linspace.m: linspace between gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = linspace (from, to, n = 100)
  n = max (floor (double (gather (n))), 1);
  if (nargin < 2)
    print_usage ();
  elseif (! isvector (from) || ! isvector (to))
    error ("gpulinalg:bad-shape", "linspace: START, END must be scalars or vectors");
  endif
  from = reshape (from, [], 1);
  to = reshape (to, [], 1);
  step = (to - from) / max (n - 1, 1);
  y = [from + step .* (0:n-2), to .* ones(rows (from), 1)];
endfunction
