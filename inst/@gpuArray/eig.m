## eig.m: eigenvalues of a Hermitian matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = eig (a, varargin)
  if (nargin < 1)
    print_usage ();
  elseif (ndims (a) > 2 || rows (a) != columns (a))
    error ("gpulinalg:bad-shape", "eig: argument must be a square matrix");
  elseif (! isgpuarray (a) || ! all (cellfun (@ischar, varargin)))
    __gpu_array__ ("eig", gpuArray (a)); # pairs: the error that names gather
  endif
  varargout = cell (1, max (nargout, 1));
  [varargout{:}] = __gpu_pages__ ("of_matrix", "eig", @() pageeig (a, varargin{:}));
  if (isempty (a))
    varargout(:) = {gpuArray(zeros (0, 0, underlyingType (a)))}; # as Octave's, also for "vector"
  endif
endfunction
