## -*- texinfo -*-
## @c __gpu_pages__.m: what functions on pages do with gpuArrays by several other functions
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn {gpulinalg} {[@dots{}] =} __gpu_pages__ (@var{name}, @dots{})
## Undocumented internal function: what @code{batcheig}, @code{qr_block}, @code{gevd_hz},
## @code{pageinv}, @code{pagemldivide}, @code{pageeig} and others do with gpuArrays by several
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
      [varargout{:}] = in_name_of ("batcheig", @() __gpu_drop__ (varargin{:}));
    case "swap"
      [varargout{:}] = in_name_of ("batcheig", @() __gpu_swap__ (varargin{:}));
    case "triangle"
      [varargout{:}] = __gpu_triangle__ (varargin{:});
    case "divide"
      [varargout{:}] = __gpu_divide__ (varargin{:});
    case "inverse"
      [varargout{:}] = in_name_of ("pageinv", @() __gpu_inverse__ (varargin{:}));
    case "adjoint_inverse"
      [varargout{:}] = in_name_of ("gevd_hz", @() __gpu_adjoint_inverse__ (varargin{:}));
    case "pageeig"
      [varargout{:}] = in_name_of ("pageeig", @() __gpu_pageeig__ (varargin{:}));
    case "of_matrix"
      [varargout{:}] = of_matrix (varargin{:});
      warn_of_failure (varargin{1}, varargout{1});
    case "of_matrix_quietly"
      [varargout{:}] = of_matrix (varargin{:});
    otherwise
      error ("gpulinalg:internal", "__gpu_pages__: there is no \"%s\"", name);
  endswitch

endfunction

## The outputs of f (). The name at the beginning of an error becomes `who`.
function varargout = in_name_of (who, f)

  try
    [varargout{1:nargout}] = f ();
  catch err
    text = regexprep (err.message, '^\w+: ', [who ": "]);
    error (struct ("message", text, "identifier", err.identifier, "stack", err.stack));
  end_try_catch

endfunction

## The outputs of f (), which calls a function on pages with a single page. Errors are in the name of `who` and speak of a
## matrix. Where the page fails, there is no warning: the caller gives its own.
function varargout = of_matrix (who, f)

  warning ("off", "gpulinalg:pages-failed", "local");
  try
    [varargout{1:nargout}] = in_name_of (who, f);
  catch err
    err.message = regexprep (err.message, '^(\w+): page 1( of \w)? is', "$1: the matrix is");
    rethrow (err);
  end_try_catch

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
%!test # "divide": condition numbers in the 1-norm, on the right in the Inf-norm
%! A = eye (5) + [zeros(1, 5); 100 * ones(4, 1), zeros(4)];
%! for op = "NTC"
%!   for right = [false, true]
%!     [~, R] = __gpu_pages__ ("divide", A, ones (5), op, right, true);
%!     large = (op == "N") != right;
%!     assert (R, merge (large, 401, 101) ^ -2, -1e-12);
%!   endfor
%! endfor
%!test # "divide", with arrays of the host: as pagemldivide and pagemrdivide
%! names = {"none", "transpose", "ctranspose"};
%! for mn = [5, 7, 3, 1, 4; 5, 3, 6, 4, 1]
%!   for class_ = {"double", "single"}
%!     A = cast (rand ([mn.', 1, 2]) - 0.5 + 1i * rand ([mn.', 1, 2]), class_{1});
%!     if (mn(1) == mn(2))
%!       A(2:3,:) *= 2^-90;              # rows of any size
%!     endif
%!     tol = 1e5 * eps (class_{1});
%!     for k = 1:3
%!       m = size (A, 1 + (k > 1));
%!       B = rand (m, 2, 3);
%!       [X, R, info] = pagemldivide (A, names{k}, B);
%!       [Y, S, codes] = __gpu_pages__ ("divide", A, B, "NTC"(k), false, true);
%!       assert (Y, X, -tol);
%!       assert (S, R, - 0.9 * (mn(1) == mn(2)));
%!       assert (codes, info);
%!       m = size (A, 2 - (k > 1));
%!       B = rand (2, m, 3, 1);
%!       [X, R, info] = pagemrdivide (B, A, names{k});
%!       [Y, S, codes] = __gpu_pages__ ("divide", A, B, "NTC"(k), true, true);
%!       assert (Y, X, -tol);
%!       assert (size (S), size (R));
%!       assert (codes, info);
%!     endfor
%!   endfor
%! endfor
%!test # singular pages, and pages that are not finite
%! A = cat (3, ones (10), eye (10), NaN (10), zeros (10));
%! [X, R, info] = __gpu_pages__ ("divide", A, ones (10, 1), "N", false, true);
%! assert (X(:,:,[1, 2, 4]), cat (3, 0.1 * ones (10, 1), ones (10, 1), zeros (10, 1)), 1e-14);
%! assert (X(:,:,3), NaN (10, 1));
%! assert (info, int32 ([9; 0; 11; 10]));
%! assert (R(:).' < eps, [true, false, false, true]);
%!test # a row so small that B is out of range beside it
%! [X, ~, info] = __gpu_pages__ ("divide", diag ([1e-305, 1]), [1e-5; 1e10]);
%! assert (X, [1e300; 1e10], -1e-14);
%! assert (info, int32 (0));
%!error <^pinv: no> __gpu_pages__ ("of_matrix", "pinv", @() error ("gpulinalg:bad-value", "pagepinv: no"))
%!error id=gpulinalg:bad-value __gpu_pages__ ("of_matrix", "pinv", @() error ("gpulinalg:bad-value", "pagepinv: no"))
%!error <^eig: the matrix is no> __gpu_pages__ ("of_matrix", "eig", @() error ("batcheig: page 1 of A is no"))
