## unique.m: the different elements of a gpuArray, in ascending order
## SPDX-License-Identifier: GPL-3.0-or-later

function [y, i, j] = unique (x, varargin)
  if (nargin < 1)
    print_usage ();
  elseif (nargout > 1 || ! isempty (varargin))
    __gpu_array__ ("unique", x); # the error that names gather
  endif
  if (isempty (x))
    y = gpuArray (unique (gather (x)));
    return;
  endif
  s = sort (x(:));
  y = s([true; gather(s(2:end) != s(1:end-1))]);
  if (rows (x) == 1 && ndims (x) == 2)
    y = reshape (y, 1, []);
  endif
endfunction
