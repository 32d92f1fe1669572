## svd.m: singular values of a matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function [u, s, v] = svd (a, econ = "")
  if (nargin < 1)
    print_usage ();
  elseif (ndims (a) > 2)
    error ("gpulinalg:bad-shape", "svd: A must be a 2-D matrix");
  elseif (! (isempty (econ) || strcmp (econ, "econ") || isequal (econ, 0)))
    __gpu_array__ ("svd", a); # the error that names gather
  endif
  if (islogical (a))
    a = double (a);
  endif
  form = {};
  if (! isempty (econ) && (ischar (econ) || rows (a) >= columns (a)))
    form = {"econ"};                    # 0 means it for tall matrices only
  endif
  if (nargout < 2)
    u = __gpu_pages__ ("of_matrix", "svd", @() batchsvd (a));
  else
    [u, s, v] = __gpu_pages__ ("of_matrix", "svd", @() batchsvd (a, form{:}));
  endif
endfunction
