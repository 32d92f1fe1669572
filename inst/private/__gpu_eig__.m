## __gpu_eig__.m: eigenvalues of gpuArrays and what happened to each page
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [lambda, V, info, more] = __gpu_eig__ (vectors, ...): the last three arguments of batcheig (...) with "vector". Without vectors
## V is [], and eigenvectors are computed only where a page fails, because batcheig tells why with them alone. more is that
## of a pair; without vectors it is an empty struct.

function [lambda, V, info, more] = __gpu_eig__ (vectors, varargin)

  warning ("off", "gpulinalg:pages-failed", "local");
  V = [];
  more = struct ();
  if (! vectors)
    lambda = batcheig (varargin{:});
    info = zeros (size (lambda, 3), 1, "int32");
    if (! any (gather (isnan (lambda(1,:)))))
      return;
    endif
  endif
  if (vectors && nargout > 3)
    [V, lambda, info, more] = batcheig (varargin{:});
  elseif (vectors)
    [V, lambda, info] = batcheig (varargin{:});
  else
    [~, lambda, info] = batcheig (varargin{:});
  endif

endfunction
