## kron.m: Kronecker products of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = kron (a, b, varargin)
  if (nargin < 2)
    print_usage ();
  elseif (ndims (a) > 2 || ndims (b) > 2)
    error ("gpulinalg:bad-shape", "kron: A and B must be matrices");
  endif
  [m, n] = size (a);
  [p, q] = size (b);
  y = reshape (reshape (b, [p, 1, q, 1]) .* reshape (a, [1, m, 1, n]), [p * m, q * n]);
  if (! isempty (varargin))
    y = kron (y, varargin{:});
  endif
endfunction
