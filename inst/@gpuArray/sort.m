## sort.m: sort of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function [y, at] = sort (x, varargin)
  if (nargin < 1 || nargin > 3)
    print_usage ();
  endif
  varargin = cellfun (@gather, varargin, "UniformOutput", false);
  are_words = cellfun ("ischar", varargin);
  mode = lower ([varargin(are_words), {"ascend"}]{1});
  dim = [varargin(! are_words), {[find(size (x) != 1, 1), 1](1)}]{1};
  if (sum (are_words) > 1 || ! any (strcmp (mode, {"ascend", "descend"})))
    error ("gpulinalg:bad-value", 'sort: MODE must be either "ascend" or "descend"');
  elseif (! (isnumeric (dim) && isscalar (dim) && (any (dim == 1:ndims (x)) || isscalar (x))))
    error ("gpulinalg:bad-value", "sort: DIM must be a valid dimension");
  endif
  if (! existsOnGPU (x) || isempty (x))
    [y, at] = sort (gather (x), varargin{:});
    y = gpuArray (y);
    at = gpuArray (at);
    return;
  endif
  order = [dim, 1:dim-1, dim+1:ndims(x)];
  turned = permute (x, order);
  flat = reshape (turned, size (turned, 1), []);
  if (nargout < 2)
    y = __gpu_array__ ("sort", flat, strcmp (mode, "descend"));
  else
    [y, at] = __gpu_array__ ("sort", flat, strcmp (mode, "descend"));
    at = ipermute (reshape (at, size (turned)), order);
  endif
  y = ipermute (reshape (y, size (turned)), order);
endfunction
