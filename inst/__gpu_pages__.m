## -*- texinfo -*-
## @c __gpu_pages__.m: what functions on pages do with gpuArrays by several other functions
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn {gpulinalg} {[@dots{}] =} __gpu_pages__ (@var{name}, @dots{})
## Undocumented internal function: what @code{batcheig}, @code{qr_block}, @code{gevd_hz},
## @code{pageinv} and @code{pagenorm} do with gpuArrays by several other functions.
## @end deftypefn

## The functions are in files of inst/private, one for each name. Elements of the arrays stay where they
## are; what is gathered are numbers that belong to a page or to one of its eigenvalues.

function varargout = __gpu_pages__ (name, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  varargout = cell (1, max (nargout, 1));
  switch (name)
    case "drop"
      [varargout{:}] = __gpu_drop__ (varargin{:});
    case "swap"
      [varargout{:}] = __gpu_swap__ (varargin{:});
    case "least_squares"
      [varargout{:}] = __gpu_least_squares__ (varargin{:});
    case "inverse"
      [varargout{:}] = __gpu_inverse__ (varargin{:});
    case "adjoint_inverse"
      [varargout{:}] = __gpu_adjoint_inverse__ (varargin{:});
    case "two_norms"
      [varargout{:}] = __gpu_two_norms__ (varargin{:});
    otherwise
      error ("gpulinalg:internal", "__gpu_pages__: there is no \"%s\"", name);
  endswitch

endfunction

%!error <Invalid call> __gpu_pages__ ()
%!error <there is no "x"> __gpu_pages__ ("x")
