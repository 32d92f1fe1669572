## inv.m: inverse of a matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function [y, rcond] = inv (a)
  if (nargin != 1)
    print_usage ();
  elseif (nargout < 2)
    y = __gpu_array__ ("inv", a);
  else
    [y, rcond] = __gpu_array__ ("inv", a);
  endif
endfunction
