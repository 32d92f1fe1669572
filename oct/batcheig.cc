// batcheig.cc: batcheig for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <octave/int32NDArray.h>

#include <algorithm>

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

struct request {
  gla_eig_options eig;
  bool vectors; // V is wanted
  bool matrix;  // D has diagonal pages
  bool info;    // the caller looks at info, so no warning about failed pages
};

static void warn_of_failed_pages (const gla_eig_report &report, octave_idx_type pages)
{
  warning_with_id ("gpulinalg:pages-failed",
                   "batcheig: %lld of %lld pages hold NaN or Inf or did not converge, and are NaN "
                   "in the result; the first is page %lld",
                   static_cast<long long> (report.pages_failed), static_cast<long long> (pages),
                   static_cast<long long> (report.first_failed + 1));
}

template <typename Array, typename RealArray>
static octave_value_list solve (gla::call &call, const octave_value &arg, const request &want)
{
  Array A;
  gla::read (arg, A);
  dim_vector dims = A.dims ();
  octave_idx_type n = dims (0), pages = gla::pages_of (dims);

  // As with eig, an empty matrix has an empty matrix of eigenvalues.
  bool empty_matrix = dims.ndims () == 2 && n == 0;
  dim_vector lambda_dims = dims;
  if (!want.matrix && !empty_matrix)
    lambda_dims (1) = 1;
  RealArray D =
      want.matrix ? gla::zeros<RealArray> (lambda_dims) : gla::unfilled<RealArray> (lambda_dims);
  Array V = gla::unfilled<Array> (want.vectors ? dims : dim_vector (0, 0));
  int32NDArray info (dim_vector (pages, 1));

  gla_array a = gla::input (A), v = gla::output (V);
  gla_array lambda = gla_array_packed (D.fortran_vec (), gla::type_of (D), n, 1, pages, GLA_HOST);
  if (want.matrix) {
    lambda.row_stride = n + 1; // along the diagonal
    lambda.page_stride = n * n;
  }

  gla_eig_report report;
  gla_status status =
      gla_batcheig (call.context (), &a, &lambda, want.vectors ? &v : nullptr,
                    reinterpret_cast<int32_t *> (info.fortran_vec ()), &want.eig, &report);
  call.finish (status == GLA_NOT_HERMITIAN ? GLA_OK : status);
  if (status == GLA_NOT_HERMITIAN)
    error_with_id (
        "gpulinalg:not-hermitian",
        "batcheig: page %lld of A is not Hermitian: the largest |A - A'| is %g; \"lower\" "
        "or \"upper\" reads one triangle only",
        static_cast<long long> (report.bad_page + 1), report.bad_difference);
  if (report.pages_failed > 0 && !want.info)
    warn_of_failed_pages (report, pages);

  if (want.vectors)
    return ovl (V, D, info);
  return ovl (D);
}

static octave_value_list batcheig_body (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  if (args.length () < 1 || nargout > 3)
    print_usage ();
  gla::options opts ("batcheig", args, 1, {"vector", "matrix", "lower", "upper"},
                     {"method", "device", "tol", "maxit", "progress"});

  // check the matrix
  gla::check_float_array ("batcheig", "A", args (0));
  dim_vector dims = args (0).dims ();
  if (dims (0) != dims (1))
    error_with_id ("gpulinalg:bad-shape", "batcheig: the pages of A must be square, but A is %s",
                   dims.str ().c_str ());

  // read the options
  request want;
  want.vectors = nargout >= 2;
  want.info = nargout >= 3;
  std::string form = opts.last_flag ({"vector", "matrix"});
  want.matrix = form.empty () ? want.vectors : form == "matrix";
  std::string triangle = opts.last_flag ({"lower", "upper"});
  want.eig.triangle = triangle.empty () ? GLA_FULL : triangle == "lower" ? GLA_LOWER : GLA_UPPER;
  std::string method = opts.word ("method", {"auto", "qr", "jacobi"});
  want.eig.method = method == "qr"       ? GLA_METHOD_QR
                    : method == "jacobi" ? GLA_METHOD_JACOBI
                                         : GLA_METHOD_AUTO;
  want.eig.tol = opts.number ("tol", 0, 1, 0);
  want.eig.maxit = opts.count ("maxit", 0);

  // work
  gla::call call ("batcheig", interp);
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  const octave_value &A = args (0);
  if (A.is_single_type ())
    return A.iscomplex () ? solve<FloatComplexNDArray, FloatNDArray> (call, A, want)
                          : solve<FloatNDArray, FloatNDArray> (call, A, want);
  return A.iscomplex () ? solve<ComplexNDArray, NDArray> (call, A, want)
                        : solve<NDArray, NDArray> (call, A, want);
}

DEFMETHOD_DLD (batcheig, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{lambda} =} batcheig (@var{A})
 @deftypefnx {gpulinalg} {[@var{V}, @var{D}] =} batcheig (@var{A})
 @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{info}] =} batcheig (@var{A})
 @deftypefnx {gpulinalg} {[@dots{}] =} batcheig (@var{A}, @var{flag}, @dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} batcheig (@var{A}, @var{name}, @var{value}, @dots{})
Eigenvalues and eigenvectors of many Hermitian matrices at once.

@var{A} is an array of @var{n}-by-@var{n} pages, single or double, real or
complex; it may have any number of dimensions, and all from the third on are
kept in the results.  The work is done on an NVIDIA GPU where there is one and
where it is faster, otherwise on all cores of the CPU.

@var{lambda} holds the eigenvalues of page @var{p} in
@code{@var{lambda}(:,1,@var{p})}, real and in ascending order.  With two or more
outputs the columns of @code{@var{V}(:,:,@var{p})} are orthonormal eigenvectors
and @code{@var{D}(:,:,@var{p})} is the diagonal matrix of the eigenvalues, so
that on each page @code{@var{A} * @var{V} = @var{V} * @var{D}}.

@var{info} is an int32 column with one number for each page: 0 if all is well;
@var{n}+1 if the page holds NaN or Inf; @var{k} from 1 to @var{n} if @var{k}
eigenvalues did not converge.  A page with a nonzero @var{info} is NaN in the
other outputs, and every other page is right.  If @var{info} is not asked for,
such pages are reported by the warning @code{gpulinalg:pages-failed}.

Each page must be Hermitian to within rounding (the largest
@code{|@var{A} - @var{A}'|} at most @code{10 * @var{n} * eps} times the largest
@code{|@var{A}|}), and @code{(@var{A} + @var{A}') / 2} is solved; otherwise the
error @code{gpulinalg:not-hermitian} names the page.

Flags, in any order and in upper or lower case; of two that exclude each other
the last one counts:

@table @asis
@item @qcode{"vector"}, @qcode{"matrix"}
Return the eigenvalues as columns, or as diagonal pages.  The default is
@qcode{"vector"} with one output and @qcode{"matrix"} with more.

@item @qcode{"lower"}, @qcode{"upper"}
Read only this triangle of each page; the other one may hold anything.
Imaginary parts on the diagonal are ignored.
@end table

Options, each followed by its value:

@table @asis
@item @qcode{"method"}
@qcode{"qr"}: reduction to tridiagonal form by reflections of Householder, then
implicitly shifted QR (on a GPU: divide and conquer).  @qcode{"jacobi"}:
rotations of Jacobi.
@qcode{"auto"} (default): the faster one for this size.

@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"tol"}
Entries below @qcode{"tol"} times the size of the page count as zero.  The
default is @code{eps} of the class of @var{A}.

@item @qcode{"maxit"}
The largest number of sweeps of Jacobi, or of QR iterations for each eigenvalue
(default 30).  Divide and conquer has neither.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
@end table

If a GPU fails or has too little memory, the CPU does the rest of the work and
the warning @code{gpulinalg:device-failed} or @code{gpulinalg:device-memory}
says so.

@example
@group
A = rand (4, 4, 1000);
A = A + permute (A, [2, 1, 3]);
[V, D] = batcheig (A);
norm (A(:,:,7) * V(:,:,7) - V(:,:,7) * D(:,:,7)) < 1e-13
   @result{} ans = 1
@end group
@end example

@seealso{pageeig, gpulinalg_info, eig}
@end deftypefn)doc")
{
  return gla::guarded ("batcheig", [&] () { return batcheig_body (interp, args, nargout); });
}

/*
%!function [A, scale] = hermitian (n, pages, type, seed)
%!  ## Random Hermitian pages of type "s", "d", "c" or "z".
%!  rand ("state", seed);
%!  A = rand (n, n, pages) - 0.5;
%!  if (any (type == "cz"))
%!    A = A + 1i * (rand (n, n, pages) - 0.5);
%!  endif
%!  A = (A + conj (permute (A, [2, 1, 3]))) / 2;
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

%!function check_pages (A, V, D)
%!  ## Ratios of LAPACK's xDRVST on each page; A is scaled by a power of two first.
%!  n = rows (A);
%!  pages = prod (size (A)(3:end));
%!  u = eps (class (A));
%!  for p = 1:pages
%!    a = A(:,:,p);
%!    s = 2 ^ -floor (log2 (max (abs (a(:)))));
%!    if (! isfinite (s))
%!      s = 1;
%!    endif
%!    a *= s;
%!    v = V(:,:,p);
%!    d = diag (D(:,:,p)) * s;
%!    assert (issorted (d));
%!    assert (isreal (d));
%!    assert (norm (v' * v - eye (n), 1) / (n * u) <= 30);
%!    assert (norm (a * v - v * diag (d), 1) / max (norm (a, 1) * n * u, realmin) <= 30);
%!  endfor
%!endfunction

%!function check_like_eig (A, lambda)
%!  for p = 1:prod (size (A)(3:end))
%!    a = A(:,:,p);
%!    assert (lambda(:,1,p), eig ((a + a') / 2), 30 * rows (a) * eps (class (a)) * norm (a, 1));
%!  endfor
%!endfunction

%!## results: four types, both methods, odd and even sizes
%!test
%! for type = "sdcz"
%!   for method = {"auto", "qr", "jacobi"}
%!     for n = [1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33, 40]
%!       A = hermitian (n, 3, type, n);
%!       [V, D, info] = batcheig (A, "method", method{1});
%!       assert (info, zeros (3, 1, "int32"));
%!       assert (size (V), size (A));
%!       assert (size (D), size (A));
%!       assert (class (V), class (A));
%!       assert (class (D), class (A));
%!       check_pages (A, V, D);
%!       lambda = batcheig (A, "method", method{1});
%!       assert (size (lambda), [n, 1, 3]);
%!       assert (isreal (lambda));
%!       check_like_eig (A, lambda);
%!     endfor
%!   endfor
%! endfor

%!## larger pages
%!test
%! for type = "sdcz"
%!   for n = [64, 100, 128]
%!     A = hermitian (n, 2, type, n);
%!     for method = {"auto", "qr", "jacobi"}
%!       [V, D] = batcheig (A, "method", method{1});
%!       check_pages (A, V, D);
%!     endfor
%!   endfor
%! endfor

%!## known eigenvalues: second differences
%!test
%! n = 20;
%! A = 2 * eye (n) - diag (ones (n - 1, 1), 1) - diag (ones (n - 1, 1), -1);
%! lambda = batcheig (cat (3, A, -A));
%! exact = 2 - 2 * cos ((1:n).' * pi / (n + 1));
%! assert (lambda(:,1,1), exact, 100 * eps);
%! assert (lambda(:,1,2), -flipud (exact), 100 * eps);

%!## one matrix
%!test
%! A = [2, 1; 1, 2];
%! assert (batcheig (A), [1; 3], 10 * eps);
%! [V, D] = batcheig (A);
%! check_pages (A, V, D);
%! assert (batcheig (5), 5);
%! assert (batcheig (single (5)), single (5));

%!## pages with special structure
%!test
%! n = 6;
%! A = zeros (n, n, 6);
%! A(:,:,2) = eye (n);
%! A(:,:,3) = ones (n);
%! A(:,:,4) = diag ([3, -1, 2, 2, -1, 0]);
%! A(:,:,5) = hilb (n);
%! A(:,:,6) = kron (eye (3), [0, 1; 1, 0]);
%! for method = {"qr", "jacobi"}
%!   [V, D, info] = batcheig (A, "method", method{1});
%!   assert (info, zeros (6, 1, "int32"));
%!   check_pages (A, V, D);
%!   assert (diag (D(:,:,1)), zeros (n, 1));
%!   assert (diag (D(:,:,2)), ones (n, 1), 10 * eps);
%!   assert (diag (D(:,:,4)), [-1; -1; 0; 2; 2; 3], 30 * eps);
%! endfor

%!## from denormal to huge entries in one batch
%!test
%! A = repmat (hermitian (9, 1, "z", 3), [1, 1, 5]);
%! scales = 2 .^ [-1000, -300, 0, 300, 990];
%! for p = 1:5
%!   A(:,:,p) *= scales(p);
%! endfor
%! for method = {"qr", "jacobi"}
%!   [V, D, info] = batcheig (A, "method", method{1});
%!   assert (info, zeros (5, 1, "int32"));
%!   check_pages (A, V, D);
%!   assert (squeeze (D(9,9,:) ./ D(9,9,3)).', scales, 30 * 9 * eps * scales);
%! endfor

%!## same bits whatever the batch and the page
%!test
%! A = hermitian (11, 1, "d", 5);
%! B = hermitian (11, 40, "d", 6);
%! [V1, D1] = batcheig (A);
%! for p = [1, 7, 40]
%!   B(:,:,p) = A;
%! endfor
%! [V, D] = batcheig (B);
%! for p = [1, 7, 40]
%!   assert (V(:,:,p), V1);
%!   assert (D(:,:,p), D1);
%! endfor

%!## classes and shapes
%!## trailing dimensions are kept
%!test
%! A = reshape (hermitian (4, 30, "d", 1), [4, 4, 5, 1, 6]);
%! [V, D, info] = batcheig (A);
%! assert (size (V), [4, 4, 5, 1, 6]);
%! assert (size (D), [4, 4, 5, 1, 6]);
%! assert (size (info), [30, 1]);
%! assert (size (batcheig (A)), [4, 1, 5, 1, 6]);
%! check_pages (A, V, D);

%!## "vector" and "matrix"
%!test
%! A = hermitian (5, 3, "z", 2);
%! lambda = batcheig (A);
%! D = batcheig (A, "matrix");
%! [V, d] = batcheig (A, "vector");
%! assert (size (D), [5, 5, 3]);
%! assert (size (d), [5, 1, 3]);
%! assert (size (V), [5, 5, 3]);
%! for p = 1:3
%!   assert (D(:,:,p), diag (lambda(:,1,p)));
%!   assert (d(:,1,p), lambda(:,1,p), 100 * eps);
%! endfor
%! assert (batcheig (A, "matrix", "vector"), lambda);

%!## empty inputs
%!test
%! assert (size (batcheig ([])), size (eig ([])));
%! [V, D, info] = batcheig ([]);
%! assert ({size(V), size(D), size(info)}, {[0, 0], [0, 0], [1, 1]});
%! assert (size (batcheig (zeros (3, 3, 0))), [3, 1, 0]);
%! [V, D, info] = batcheig (zeros (3, 3, 0, 2, "single"));
%! assert ({size(V), size(D), size(info)}, {[3, 3, 0, 2], [3, 3, 0, 2], [0, 1]});
%! assert (class (V), "single");
%! assert (size (batcheig (zeros (0, 0, 4))), [0, 1, 4]);
%! [V, D, info] = batcheig (zeros (0, 0, 4));
%! assert ({size(V), size(D)}, {[0, 0, 4], [0, 0, 4]});
%! assert (info, zeros (4, 1, "int32"));

%!## special kinds of double arrays
%!test
%! assert (batcheig (eye (3)), ones (3, 1), 10 * eps);
%! assert (batcheig (eye (3)(:,[2, 1, 3])), [-1; 1; 1], 10 * eps);
%! assert (batcheig (complex ([2, 0; 0, 1], 0)), [1; 2], 10 * eps);
%! assert (batcheig (1:1), 1);

%!## A is not changed
%!test
%! A = hermitian (6, 4, "z", 9);
%! B = A;
%! B(1) = B(1);
%! [V, D] = batcheig (A);
%! assert (A, B);

%!## triangles
%!test
%! n = 7;
%! A = hermitian (n, 3, "z", 4);
%! above = repmat (triu (true (n), 1), [1, 1, 3]);
%! below = repmat (tril (true (n), -1), [1, 1, 3]);
%! L = A;
%! L(above) = NaN;
%! U = A;
%! U(below) = Inf;
%! for method = {"qr", "jacobi"}
%!   lambda = batcheig (A, "method", method{1});
%!   assert (batcheig (L, "lower", "method", method{1}), lambda, 300 * eps);
%!   assert (batcheig (U, "UPPER", "method", method{1}), lambda, 300 * eps);
%!   [V, D] = batcheig (L, "upper", "lower", "method", method{1});
%!   check_pages (A, V, D);
%!   [V, D] = batcheig (U, "upper", "method", method{1});
%!   check_pages (A, V, D);
%! endfor

%!## imaginary parts on the diagonal are ignored with "lower"
%!test
%! A = [1+5i, 7; 2i, 3-1i];
%! assert (batcheig (A, "lower"), eig ([1, -2i; 2i, 3]), 30 * eps);

%!## rounding is not an error
%!test
%! A = hermitian (8, 2, "d", 8);
%! B = A;
%! B(3,1,2) += 4 * eps;
%! assert (batcheig (B), batcheig (A), 100 * eps);

%!## pages that fail
%!test
%! for value = [NaN, Inf, -Inf]
%!   A = hermitian (6, 5, "d", 7);
%!   clean = batcheig (A);
%!   [cleanV, cleanD] = batcheig (A);
%!   A(2,2,4) = value;
%!   [V, D, info] = batcheig (A);
%!   assert (info, int32 ([0; 0; 0; 7; 0]));
%!   assert (all (isnan (V(:,:,4)(:))));
%!   assert (all (isnan (diag (D(:,:,4)))));
%!   rest = [1, 2, 3, 5];
%!   assert (V(:,:,rest), cleanV(:,:,rest));
%!   assert (D(:,:,rest), cleanD(:,:,rest));
%! endfor

%!function A = two_bad_pages ()
%!  A = hermitian (3, 9, "z", 7);
%!  A(1,1,[4, 6]) = NaN;
%!endfunction

%!warning id=gpulinalg:pages-failed batcheig (two_bad_pages ());
%!warning <2 of 9 pages hold NaN or Inf or did not converge.*the first is page 4> ...
%! lambda = batcheig (two_bad_pages ());
%! assert (squeeze (any (isnan (lambda), 1)).', logical ([0, 0, 0, 1, 0, 1, 0, 0, 0]));
%!warning <the first is page 4> [V, D] = batcheig (two_bad_pages ());

%!## no warning where info is taken
%!test
%! lastwarn ("", "");
%! [V, D, info] = batcheig (two_bad_pages ());
%! assert (find (info), [4; 6]);
%! assert (isempty (lastwarn ()));

%!## options
%!## upper and lower case, any order
%!test
%! A = hermitian (5, 2, "d", 1);
%! lambda = batcheig (A);
%! assert (batcheig (A, "Method", "QR", "DEVICE", "CPU", "Vector"), batcheig (A, "method", "qr", "device", "cpu"));
%! assert (batcheig (A, "device", "auto", "method", "auto"), lambda);
%! assert (batcheig (A, "tol", 1e-14, "maxit", 50), lambda, 1e-12);
%! assert (batcheig (A, "maxit", int8 (50), "tol", single (1e-15)), lambda, 1e-12);

%!function calls = note_progress (done, total)
%!  ## Remembers what it was called with; without arguments gives that back and forgets it.
%!  persistent seen = zeros (0, 2);
%!  calls = seen;
%!  if (nargin == 2)
%!    seen(end+1,:) = [done, total];
%!  else
%!    seen = zeros (0, 2);
%!  endif
%!endfunction

%!## progress function
%!test
%! A = hermitian (4, 500, "d", 1);
%! note_progress ();
%! lambda = batcheig (A, "progress", @note_progress);
%! calls = note_progress ();
%! assert (rows (calls) >= 1);
%! assert (calls(end,:), [500, 500]);
%! assert (issorted (calls(:,1)));
%! assert (all (calls(:,2) == 500));
%! assert (lambda, batcheig (A));

%!## a progress function may fail, and may call batcheig
%!test
%! A = hermitian (4, 500, "d", 1);
%! try
%!   batcheig (A, "progress", @(varargin) error ("my:id", "enough"));
%!   error ("no error was raised");
%! catch err
%!   assert (err.identifier, "my:id");
%! end_try_catch
%! assert (batcheig (A, "progress", @(varargin) batcheig (A(:,:,1))), batcheig (A));

%!## progress meter
%!test
%! A = hermitian (4, 50, "d", 1);
%! text = evalc ('batcheig (A, "progress", true);');
%! assert (! isempty (strfind (text, "50 of 50 pages, 100 %")));
%! assert (evalc ('batcheig (A, "progress", false);'), "");

%!## GPUs by number
%!test
%! count = numel (gpulinalg_info ().devices);
%! A = hermitian (6, 20, "d", 2);
%! for k = 0:count - 1
%!   [V, D] = batcheig (A, "device", k);
%!   check_pages (A, V, D);
%! endfor
%! if (count > 0)
%!   [V, D] = batcheig (A, "device", 0:count - 1);
%!   check_pages (A, V, D);
%!   [V, D] = batcheig (A, "device", "gpu");
%!   check_pages (A, V, D);
%! endif
%! for device = {"cpu", "auto"}
%!   [V, D] = batcheig (A, "device", device{1});
%!   check_pages (A, V, D);
%! endfor

%!testif ; isempty (gpulinalg_info ().devices)
%! fail ('batcheig (1, "device", "gpu")', "no GPU");
%! fail ('batcheig (1, "device", 0)', "no GPU");
%! try, batcheig (1, "device", "gpu"); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");

%!testif ; ! isempty (gpulinalg_info ().devices)
%! fail ('batcheig (1, "device", 1000)', "device 1000 does not exist");
%! fail ('batcheig (1, "device", [0, 0])', "device 0 is listed twice");

%!## errors
%!error <Invalid call> batcheig ()
%!error <Invalid call> [a, b, c, d] = batcheig (1);
%!error id=gpulinalg:bad-class batcheig (true)
%!error id=gpulinalg:bad-class batcheig (int32 (1))
%!error id=gpulinalg:bad-class batcheig (uint8 (ones (2, 2, 2)))
%!error id=gpulinalg:bad-class batcheig ("a")
%!error id=gpulinalg:bad-class batcheig ({1})
%!error id=gpulinalg:bad-class batcheig (struct ("a", 1))
%!error id=gpulinalg:bad-class batcheig (@sin)
%!error id=gpulinalg:bad-class batcheig (sparse (1))
%!error id=gpulinalg:bad-class batcheig (sparse (1i))
%!error <A must be a single or double array, not logical> batcheig (true)
%!error <A must be a full array, not sparse; use full \(A\)> batcheig (sparse (1))
%!error id=gpulinalg:bad-shape batcheig (ones (2, 3))
%!error id=gpulinalg:bad-shape batcheig (zeros (0, 3))
%!error <the pages of A must be square, but A is 2x3x4> batcheig (ones (2, 3, 4))
%!error id=gpulinalg:not-hermitian batcheig ([1, 2; 3, 4])
%!error <page 3 of A is not Hermitian: the largest \|A - A'\| is 0\.5> ...
%! batcheig (cat (3, eye (2), eye (2), [1, 0.5; 0, 1], [1, 9; 0, 1]))
%!error <page 1 of A is not Hermitian> batcheig ([1, 1i; 1i, 1])
%!error <page 2 of A is not Hermitian> batcheig (cat (3, 1, 1 + 1i))
%!error id=gpulinalg:bad-option batcheig (1, "colour")
%!error <unknown option "Colour"; known are "vector", "matrix", "lower", "upper", "method", "device", "tol", "maxit" or "progress"> ...
%! batcheig (1, "Colour", 3)
%!error <argument 2 must be the name of an option, not of class double> batcheig (1, 2)
%!error <argument 3 must be the name of an option, not of class cell> batcheig (1, "lower", {})
%!error <option "tol" needs a value> batcheig (1, "tol")
%!error id=gpulinalg:bad-value batcheig (1, "method", "magic")
%!error <option "method" must be "auto", "qr" or "jacobi", not "magic"> batcheig (1, "method", "magic")
%!error <option "method" must be "auto", "qr" or "jacobi", not of class double> batcheig (1, "method", 1)
%!error <option "tol" must be a real scalar> batcheig (1, "tol", "small")
%!error <option "tol" must be a real scalar> batcheig (1, "tol", [1e-3, 1e-3])
%!error <option "tol" must be a real scalar> batcheig (1, "tol", 1i)
%!error <option "tol" must be greater than 0 and less than 1, not 1> batcheig (1, "tol", 1)
%!error <option "tol" must be greater than 0 and less than 1, not 0> batcheig (1, "tol", 0)
%!error <option "tol" must be greater than 0 and less than 1, not NaN> batcheig (1, "tol", NaN)
%!error id=gpulinalg:bad-value batcheig (1, "tol", -1)
%!error <option "maxit" must be a positive integer, not 0> batcheig (1, "maxit", 0)
%!error <option "maxit" must be a positive integer, not 2\.5> batcheig (1, "maxit", 2.5)
%!error <option "maxit" must be a positive integer, not NaN> batcheig (1, "maxit", NaN)
%!error <option "maxit" must be a positive integer> batcheig (1, "maxit", {})
%!error id=gpulinalg:bad-value batcheig (1, "maxit", 1e10)
%!error id=gpulinalg:bad-value batcheig (1, "device", "tpu")
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> batcheig (1, "device", "tpu")
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs> batcheig (1, "device", {})
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs> batcheig (1, "device", [])
%!error <option "device" must hold numbers of GPUs, from 0, not -1> batcheig (1, "device", -1)
%!error <option "device" must hold numbers of GPUs, from 0, not 0.5> batcheig (1, "device", 0.5)
%!error <option "device" must hold numbers of GPUs, from 0, not NaN> batcheig (1, "device", NaN)
%!error <option "progress" must be true, false or a function handle, not of class char> ...
%! batcheig (1, "progress", "yes")
%!error id=gpulinalg:bad-value batcheig (1, "progress", {})

%!demo
%! ## Energies of an electron on a ring of 12 sites as a magnetic flux through the ring grows.
%! n = 12;
%! flux = linspace (0, 2, 400);
%! hop = reshape (exp (2i * pi * flux / n), [1, 1, numel(flux)]);
%! A = complex (zeros (n, n, numel (flux)));
%! for k = 1:n
%!   A(k,mod (k, n) + 1,:) = -hop;
%!   A(mod (k, n) + 1,k,:) = -conj (hop);
%! endfor
%! energies = batcheig (A);
%! plot (flux, squeeze (energies).');
%! xlabel ("flux through the ring, in flux quanta");
%! ylabel ("energy");
%! title ("400 Hermitian matrices in one call of batcheig");
*/
