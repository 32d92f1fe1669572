## norm.m: norm of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = norm (a, varargin)
  if (nargin > 0 && ndims (a) == 2 && ! isvector (a) && ! isempty (a) && (nargin == 1 || isequal (varargin, {2})))
    y = batchsvd (a, "vector", "largest", 1);
  else
    y = __gpu_array__ ("norm", a, varargin{:});
  endif
endfunction
