## -*- texinfo -*-
## @c __gpu_pages__.m: what functions on pages do with gpuArrays by several other functions
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn {gpulinalg} {[@dots{}] =} __gpu_pages__ (@var{name}, @dots{})
## Undocumented internal function: what @code{batcheig}, @code{qr_block}, @code{gevd_hz},
## @code{pageinv}, @code{pageeig} and others do with gpuArrays by several
## other functions, and what @code{inv}, @code{pinv} and others do by functions on pages.
## @end deftypefn

## The functions are in files of inst/private, one for each name. Elements of the arrays stay where they
## are; what is gathered are numbers that belong to a page or to one of its eigenvalues. Errors are in the
## name of the function that was called.
##
## __gpu_pages__ ("of_matrix", who, f) is for functions of one matrix, in inst/@gpuArray: the outputs of f (), and
## a warning where the first element of the first output is NaN. "of_matrix_quietly" gives no warning.

function varargout = __gpu_pages__ (name, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  varargout = cell (1, max (nargout, 1));
  switch (name)
    case "drop"
      [varargout{:}] = __gpu_in_name_of__ ("batcheig", @() __gpu_drop__ (varargin{:}));
    case "swap"
      [varargout{:}] = __gpu_in_name_of__ ("batcheig", @() __gpu_swap__ (varargin{:}));
    case "triangle"
      [varargout{:}] = __gpu_triangle__ (varargin{:});
    case "inverse"
      [varargout{:}] = __gpu_in_name_of__ ("pageinv", @() __gpu_inverse__ (varargin{:}));
    case "adjoint_inverse"
      [varargout{:}] = __gpu_in_name_of__ ("gevd_hz", @() __gpu_adjoint_inverse__ (varargin{:}));
    case "pageeig"
      [varargout{:}] = __gpu_in_name_of__ ("pageeig", @() __gpu_pageeig__ (varargin{:}));
    case "of_matrix"
      [varargout{:}] = __gpu_of_matrix__ (varargin{:});
      warn_of_failure (varargin{1}, varargout{1});
    case "of_matrix_quietly"
      [varargout{:}] = __gpu_of_matrix__ (varargin{:});
    otherwise
      error ("gpulinalg:internal", "__gpu_pages__: there is no \"%s\"", name);
  endswitch

endfunction

## The warning of a function of one matrix.
function warn_of_failure (who, x)

  if (! isempty (x) && isnan (gather (x(1))))
    warning ("gpulinalg:pages-failed",
             "%s: the matrix holds NaN or Inf, or there is no convergence; the result is NaN", who);
  endif

endfunction

%!error <Invalid call> __gpu_pages__ ()
%!error <there is no "x"> __gpu_pages__ ("x")
%!error <^pinv: no> __gpu_pages__ ("of_matrix", "pinv", @() error ("gpulinalg:bad-value", "pagepinv: no"))
%!error id=gpulinalg:bad-value __gpu_pages__ ("of_matrix", "pinv", @() error ("gpulinalg:bad-value", "pagepinv: no"))
%!error <^eig: the matrix is no> __gpu_pages__ ("of_matrix", "eig", @() error ("batcheig: page 1 of A is no"))
