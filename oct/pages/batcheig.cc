// batcheig.cc: batcheig for Octave; tests of its results are in batcheig.tst
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batcheig.h"
#include "arrays/gpu_pages.h"

#include <octave/int32NDArray.h>
#include <octave/oct-map.h>

#include <algorithm>

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

dim_vector dims_of_eigenvalues (const dim_vector &dims, const eig_request &want)
{
  dim_vector result = dims;
  result (0) = want.columns;
  if (want.diagonal)
    result (1) = want.columns;
  else if (!(dims.ndims () == 2 && dims (0) == 0))
    result (1) = 1;
  return result;
}

dim_vector dims_of_vectors (const dim_vector &dims, const eig_request &want)
{
  dim_vector result = dims;
  result (1) = want.columns;
  return want.vectors ? result : dim_vector (0, 0);
}

template <typename Array, typename RealArray>
static octave_value_list solve (const char *who, gla::call &call, const octave_value &arg,
                                const eig_request &want)
{
  Array A;
  gla::read (arg, A);
  dim_vector dims = A.dims ();
  octave_idx_type n = dims (0), pages = gla::pages_of (dims);

  const dim_vector lambda_dims = dims_of_eigenvalues (dims, want);
  RealArray D = want.diagonal ? gla::zero_pages<RealArray> (lambda_dims)
                              : gla::unfilled_pages<RealArray> (lambda_dims);
  Array V = gla::unfilled_pages<Array> (dims_of_vectors (dims, want));
  auto info = gla::unfilled<int32NDArray> (dim_vector (pages, 1));
  std::vector<int64_t> count (want.more && want.eig.range != GLA_EIG_ALL ? pages : 0);

  gla_array a = gla::input (A);
  auto results = gla::sized<gla_eig_results> ();
  results.lambda = eigenvalues_in (D, pages, want);
  if (want.vectors)
    results.V = gla::output (V);
  results.info = reinterpret_cast<int32_t *> (info.fortran_vec ());
  results.count = count.empty () ? nullptr : count.data ();

  auto report = gla::sized<gla_eig_report> ();
  gla_status status = gla_batcheig (call.context (), &a, &results, &want.eig, &report);
  call.finish (status == GLA_ERROR_NOT_HERMITIAN ? GLA_OK : status);
  if (status == GLA_ERROR_NOT_HERMITIAN && want.any_kind)
    return octave_value_list ();
  if (status == GLA_ERROR_NOT_HERMITIAN)
    error_with_id ("gpulinalg:not-hermitian",
                   "%s: page %lld of A is not Hermitian: the largest |A - A'| is %g; \"lower\" "
                   "or \"upper\" reads one triangle only",
                   who, static_cast<long long> (report.bad_page + 1), report.bad_difference);
  if (report.base.pages_failed > 0 && !want.info)
    gla::warn_of_failed_pages (who, results.info, pages,
                               {gla::not_finite (n), gla::not_converged (n)});

  take_wanted (D, V, report.most, want);
  octave_scalar_map more;
  if (want.more)
    more.assign ("count", column_of_counts (count));
  const octave_value vectors = V; // octave_value (V) is ambiguous in Octave 6
  return ovl (want.vectors ? vectors : octave_value (), D, info, more);
}

octave_value_list solve_hermitian (const char *who, gla::call &call, const octave_value &A,
                                   const eig_request &want)
{
  return gla::in_page_class_of (A, octave_value (), [&] (auto array, auto real) {
    return solve<decltype (array), decltype (real)> (who, call, A, want);
  });
}

// Whether the second argument is a matrix, as with eig.
static bool is_pair (const octave_value_list &args)
{
  return args.length () > 1 && !args (1).is_string () &&
         (args (1).isnumeric () || args (1).islogical ());
}

static octave_value_list batcheig_body (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  const bool pair = is_pair (args);
  gla::check_counts ("batcheig", args, 1, gla::any_number, nargout,
                     pair || asks_for_part (args) ? 4 : 3);
  gla::options opts ("batcheig", args, pair ? 2 : 1,
                     {"vector", "matrix", "lower", "upper", "chol", "swap", "qz"},
                     {"method", "device", "tol", "maxit", "phase", "itype", "drop", "progress",
                      "range", "largest", "smallest", "interval"});

  gla::check_float_array ("batcheig", "A", args (0));
  dim_vector dims = args (0).dims ();
  if (dims (0) != dims (1))
    error_with_id ("gpulinalg:bad-shape", "batcheig: the pages of A must be square, but A is %s",
                   dims.str ().c_str ());
  if (pair)
    check_pair (args (0), args (1));

  eig_request want = eig_request ();
  want.eig = gla::sized<gla_eig_options> ();
  want.vectors = nargout >= 2;
  want.info = nargout >= 3;
  want.more = nargout >= 4;
  std::string form = opts.last_flag ({"vector", "matrix"});
  want.matrix = form.empty () ? want.vectors : form == "matrix";
  std::string triangle = opts.last_flag ({"lower", "upper"});
  want.eig.triangle = triangle.empty ()     ? GLA_TRIANGLE_FULL
                      : triangle == "lower" ? GLA_TRIANGLE_LOWER
                                            : GLA_TRIANGLE_UPPER;
  std::string method = opts.word ("method", {"auto", "qr", "jacobi"});
  want.eig.method = method == "qr"       ? GLA_EIG_METHOD_QR
                    : method == "jacobi" ? GLA_EIG_METHOD_JACOBI
                                         : GLA_EIG_METHOD_AUTO;
  want.eig.tol = opts.number ("tol", 0, 1, 0);
  want.eig.maxit = opts.count ("maxit", 0);
  want.eig.phase =
      opts.word ("phase", {"max", "none"}) == "none" ? GLA_EIG_PHASE_NONE : GLA_EIG_PHASE_MAX;
  read_part (opts, dims (0), want);
  read_way (opts, pair, want);
  want.diagonal = want.diagonal && !gla::any_on_gpu (args);

  if (pair && want.way != GLA_PAIRS_CHOL && gla::any_on_gpu (args))
    return solve_pairs_on_gpu (args (0), args (1), want, opts);
  gla::call call ("batcheig", interp, gla::context_of_pages (args, opts.value ("progress")));
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  const octave_value &A = args (0);
  if (pair)
    return want.qz ? solve_qz (call, A, args (1), want) : solve_pairs (call, A, args (1), want);
  const octave_value_list all = solve_hermitian ("batcheig", call, A, want);
  return want.vectors ? all : ovl (all (1));
}

DEFMETHOD_DLD (batcheig, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{lambda} =} batcheig (@var{A})
 @deftypefnx {gpulinalg} {[@var{V}, @var{D}] =} batcheig (@var{A})
 @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{info}] =} batcheig (@var{A})
 @deftypefnx {gpulinalg} {[@dots{}] =} batcheig (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{info}, @var{more}] =} batcheig (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{info}, @var{more}] =} batcheig (@dots{}, "interval", [@var{vl}, @var{vu}])
 @deftypefnx {gpulinalg} {[@dots{}] =} batcheig (@dots{}, @var{flag}, @dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} batcheig (@dots{}, @var{name}, @var{value}, @dots{})
Compute the eigenvalues and eigenvectors of many Hermitian matrices at once, or of
many pairs of a Hermitian @var{A} and a Hermitian positive definite @var{B}.

@var{A} is a full array of @var{n}-by-@var{n} pages, single or double, real or
complex.  It may have any number of dimensions, and the results keep those from
the third on.  The results have the class of @var{A}; eigenvalues are real.  The
work is done on an NVIDIA GPU where there is one and where it is faster, otherwise
on all cores of the CPU.

With one output, @code{@var{lambda}(:,1,@var{p})} holds the eigenvalues of page
@var{p} in ascending order.  With two or more outputs the columns of
@code{@var{V}(:,:,@var{p})} are orthonormal eigenvectors and
@code{@var{D}(:,:,@var{p})} is the diagonal matrix of the eigenvalues, so that on
each page @code{@var{A} * @var{V} = @var{V} * @var{D}}.

@var{info} is an int32 column with one number for each page: 0 if all is well;
@var{n}+1 if the page holds NaN or Inf; @var{k} from 1 to @var{n} if @var{k}
eigenvalues did not converge.  A page with a nonzero @var{info} is NaN in the
other outputs, and every other page is right.  Without the output @var{info} the
warning @code{gpulinalg:pages-failed} reports such pages.

Each page must be Hermitian to within rounding: the largest
@code{|@var{A} - @var{A}'|} is at most @code{10 * @var{n} * eps} times the largest
@code{|@var{A}|}.  Then @code{(@var{A} + @var{A}') / 2} is solved.

@strong{Pairs.} With @var{B}, @code{@var{A} * @var{V} = @var{B} * @var{V} * @var{D}}
and @code{@var{V}' * @var{B} * @var{V} = I} on each page.  @var{B} has as many pages
as @var{A}; or one of them has a single page, which stands for all.  @var{B} must be Hermitian as @var{A}, and positive definite to
working precision: its Cholesky factorisation leaves more than @code{@var{n} * eps} of
each diagonal element.  @var{info} is @code{@var{n}+1+@var{k}} where the leading
@var{k}-by-@var{k} block of @var{B} is the first that is not; the page is NaN then.
The options @qcode{"drop"}, @qcode{"swap"} and @qcode{"qz"} are for other @var{B}.
The error of an eigenvalue is at most about @code{eps * norm (inv (@var{B})) *
(norm (@var{A}) + norm (@var{B}) * abs (lambda))}.

@var{more} is a struct of columns with a number for each page.  @code{rcond} is the
reciprocal condition number of @var{B} in the 1-norm, @code{rank} the rank of @var{B}
that was found, @var{n} by default, and @code{count} the number of eigenvalues that
are returned; the last two are 0 for a page that failed.  Without @var{B} there is
@code{count} alone, with a part of the spectrum.

Flags, in any order and in upper or lower case; of two that exclude each other
the last one counts:

@table @asis
@item @qcode{"vector"}, @qcode{"matrix"}
Return the eigenvalues as columns, or as diagonal pages.  The default is
@qcode{"vector"} with one output and @qcode{"matrix"} with more.

@item @qcode{"lower"}, @qcode{"upper"}
Read only this triangle of each page; the other one may hold anything.
Imaginary parts on the diagonal are ignored.

@item @qcode{"chol"}, @qcode{"swap"}, @qcode{"qz"}
With @var{B} only, how pairs are solved.

@qcode{"chol"} (default): @var{B} is positive definite.

@qcode{"swap"}: @var{A} is positive definite, and @var{B} is any Hermitian matrix,
singular ones included.  @code{@var{B} * x = mu * @var{A} * x} is solved, and lambda =
1/mu; it is Inf where @code{abs (mu)} is at most @code{@var{n} * eps} times the largest one of
the page.  Eigenvalues ascend, Inf comes last, and
@code{@var{V}' * @var{A} * @var{V} = I}.  @var{info} and @code{rcond} are about
@var{A}, and @code{rank} is the number of finite eigenvalues.

@qcode{"qz"}: each page by @code{eig (@var{A}, @var{B}, "qz")}, on the CPU, one after
the other, for pairs that are not definite.  @var{A} and @var{B} are any square
pages.  The results are complex where one of them is.  Eigenvalues ascend by their
real parts, then by their imaginary parts; Inf and then NaN come last.  Eigenvectors
have length 1.  @code{rank} is the number of finite eigenvalues.  Parts of the
spectrum, one triangle, @qcode{"method"}, @qcode{"tol"} and @qcode{"maxit"} do not go
with it.
@end table

Options, each followed by its value:

@table @asis
@item @qcode{"method"}
@qcode{"qr"}: Householder reduction to tridiagonal form, then implicitly shifted
QL and QR (on a GPU: divide and conquer).  @qcode{"jacobi"}: Jacobi rotations.
@qcode{"auto"} (default): the faster one for this size.

@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"tol"}
Entries below @qcode{"tol"} times the norm of the page count as zero (not with
@qcode{"jacobi"} on a GPU up to order 64, which goes on to @code{eps}).  A number
between 0 and 1; the default is @code{eps} of the class of @var{A}.

@item @qcode{"maxit"}
The largest number of Jacobi sweeps, or of QR or QL iterations for each
eigenvalue (default 30).  Divide and conquer has no such limit.

@item @qcode{"phase"}
@qcode{"max"} (default): the largest component of an eigenvector is real and
positive; of components whose moduli differ by less than one in a thousand the first
one is meant.  So the eigenvector of a simple eigenvalue is the same, but for
rounding, on every device and with every method.  @qcode{"none"}: whatever the method
gives; complex pages below n = 32 then take some 5 to 10 % less time on the CPU, others up to 3 %.

@item @qcode{"itype"}
With @var{B} only.  1 (default): @code{@var{A} * x = lambda * @var{B} * x}.  2:
@code{@var{A} * @var{B} * x = lambda * x}.  3: @code{@var{B} * @var{A} * x = lambda * x};
then @code{@var{V}' * inv (@var{B}) * @var{V} = I}.  2 and 3 need @qcode{"chol"}.

@item @qcode{"drop"}
With @var{B} only.  @var{t}, a number between 0 and 1: @var{B} is positive semidefinite, and its
eigenvectors with eigenvalues of at most @var{t} times the largest one are dropped
(canonical orthogonalisation).  The pair is solved in the space of the others, whose
number is @code{rank}: @code{@var{V}' * @var{B} * @var{V} = I}, and the residual
@code{@var{A} * @var{V} - @var{B} * @var{V} * @var{D}} is orthogonal to this space.
That is the method of Rayleigh and Ritz: where @var{B} is singular, the results are
not the finite eigenvalues of the pair.  The results have as many columns as the page
with the largest rank, and other pages are NaN behind theirs.  @var{info} is
@code{@var{n}+1+@var{k}} where @var{k} eigenvalues of @var{B} are below
@code{-max (@var{t}, @var{n} * eps)} times the largest magnitude.  Below
@code{@var{n} * eps}, @var{t} keeps what is rounding error.

@item @qcode{"range"}
@code{[@var{il}, @var{iu}]}: return eigenvalues @var{il} to @var{iu} of each page,
counted from 1 in ascending order.

@item @qcode{"smallest"}, @qcode{"largest"}
@var{k}: return the first, or the last, @var{k} eigenvalues, from 0 to @var{n}.
With @qcode{"drop"} these are the last of those that are kept, and a page with
fewer is NaN behind them.

@item @qcode{"interval"}
@code{[@var{vl}, @var{vu}]}: return the eigenvalues with @code{@var{vl} < lambda <=
@var{vu}}.  The ends may be infinite.  The results have as many columns as the page
with the most, and other pages are NaN behind theirs.  @var{more} has a field
@code{count}, a column with the number of each page, 0 for a page that failed.
@end table

Only one of these four may be given.  The results stay ascending: @var{V} is
@var{n}-by-@var{k} and @var{D} is @var{k}-by-@var{k} on each page.  All eigenvalues are
computed, and so the counts of adjoining intervals add up to @var{n}.  With and
without @var{V} an eigenvalue may differ by rounding; where that is an end of an
interval, counts may differ, too.  So the eigenvectors that are left out are what a
part saves: nearly all of what they take.  With @var{B} they are computed nevertheless on
the CPU, and for @qcode{"interval"} on a GPU.  Results of up to @var{n}/4 vectors on a GPU
may differ from those of all by rounding.

@table @asis
@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
The default is @code{false}.
@end table

@example
@group
A = rand (4, 4, 1000);
A = A + permute (A, [2, 1, 3]);
[V, D] = batcheig (A);
norm (A(:,:,7) * V(:,:,7) - V(:,:,7) * D(:,:,7)) < 1e-13
   @result{} ans = 1
@end group
@end example

The two pages of this array have the eigenvalues 1, 3 and -1, 1:

@example
@group
A = cat (3, [2, 1; 1, 2], [0, 1i; -1i, 0]);
lambda = squeeze (batcheig (A))
   @result{} lambda =

        1  -1
        3   1
@end group
@end example

The largest eigenvalue of each of these pages, and those that are positive:

@example
@group
lambda = squeeze (batcheig (A, "largest", 1)).'
   @result{} lambda =

        3   1
[V, D, info, more] = batcheig (A, "interval", [0, Inf]);
more.count.'
   @result{} ans =

        2   1
@end group
@end example

Two masses between three springs, the second one heavier on each page.  The squares of
the frequencies are the eigenvalues of the stiffness and the mass matrix:

@example
@group
K = [2, -1; -1, 2];
M = cat (3, [1, 0; 0, 1], [1, 0; 0, 2]);
lambda = squeeze (batcheig (K, M))
   @result{} lambda =

        1.0000   0.6340
        3.0000   2.3660
@end group
@end example

A mass that is 0 leaves one finite eigenvalue.  @qcode{"swap"} finds it.  @qcode{"drop"}
holds that mass where it is, a different problem:

@example
@group
M = diag ([1, 0]);
lambda = batcheig (K, M, "swap").'
   @result{} lambda =

        1.5000      Inf
lambda = batcheig (K, M, "drop", 1e-10)
   @result{} lambda = 2
@end group
@end example

@subheading Limits
@var{n} is at most 32768 on a GPU, and 2048 with @qcode{"jacobi"}; above 2048 it
takes cuBLAS, and memory for up to four matrices beside @var{A} and @var{V}.
Pages that do not fit go to the CPU with a warning.  On the CPU @var{n} is at most
46000 where LAPACK has 32-bit integers.  The number of pages is limited by the memory of the computer alone.

@subheading gpuArrays
Where @var{A} or @var{B} is a gpuArray the work is done where it is, and all but
@var{info} and @var{more} are gpuArrays; the other one of a pair is copied there.
@qcode{"qz"} takes no gpuArray, because the CPU does it.  With @qcode{"drop"} the
eigenvalues of @var{B} are copied to the host, to be counted.  The field
@code{rcond} is NaN on pages whose @var{B} is not positive definite, and a page of a
pair whose eigenvalues do not converge is not tried again on the CPU.

@subheading Errors
@table @code
@item gpulinalg:not-hermitian
A page is not Hermitian; the message names the matrix, the page and the largest
difference.
@item gpulinalg:bad-class
@var{A} or @var{B} is sparse, or neither single nor double.
@item gpulinalg:bad-shape
The pages of @var{A} or @var{B} are not square, or @var{B} does not fit @var{A}.
@item gpulinalg:gather-needed
A gpuArray in a form that does not take one.
@item gpulinalg:bad-option
The option is unknown or has no value, needs @var{B}, or does not go with another one.
@item gpulinalg:bad-value
The option does not take this value, or @var{n} is too large for the GPU that was
asked for.
@item gpulinalg:no-device
The GPU that was asked for does not exist, or has failed in an earlier call.
@item gpulinalg:forked
A GPU was asked for in a child of @code{fork}.
@item Octave:bad-alloc
There is not enough memory for the results or the work.
@end table

Warnings: @code{gpulinalg:pages-failed}, see @var{info};
@code{gpulinalg:device-memory} and @code{gpulinalg:device-failed}, a GPU had too
little memory or failed, and the CPU did the rest of the work.

@subheading References
A. Cosnuau, Computation on GPU of eigenvalues and eigenvectors of a large number of
small Hermitian matrices, Procedia Comput.@: Sci.@: 29 (2014), 800--810;
R. Huang, S. Liu and Y. Zhao, Batched eigenvalue decomposition algorithms for
Hermitian matrices on GPU, Comput.@: Sci.@: (Jisuanji kexue) 50 (2023), 397--403;
J. J. M. Cuppen, A divide and conquer method for the symmetric tridiagonal
eigenproblem, Numer.@: Math.@: 36 (1981), 177--195;
R. S. Martin and J. H. Wilkinson, Reduction of the symmetric eigenproblem
Ax = lambda*Bx and related problems to standard form, Numer.@: Math.@: 11
(1968), 99--110;
P.-O. L@"owdin, On the nonorthogonality problem, Adv.@: Quantum Chem.@: 5 (1970),
185--199;
C. B. Moler and G. W. Stewart, An algorithm for generalized matrix eigenvalue
problems, SIAM J. Numer.@: Anal.@: 10 (1973), 241--256.

@seealso{pageeig, gevd_hz, gpulinalg_info, eig}
@end deftypefn)doc")
{
  return gla::guarded ("batcheig", [&] () {
    if (is_pair (args))
      refuse_gpu_arrays (args);
    return gla::with_gpu_arrays (
        args, nargout < 2 ? "r" : "arhh",
        [&] (const octave_value_list &all) { return batcheig_body (interp, all, nargout); });
  });
}

/*
%!## errors
%!error <Invalid call> batcheig ()
%!error id=Octave:invalid-fun-call [a, b, c, d] = batcheig (1);
%!error <batcheig: function called with too many outputs> [a, b, c, d] = batcheig (1);
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
%!error <unknown option "Colour"; valid options are "vector", "matrix", "lower", "upper", "chol", "swap", "qz", "method", "device", "tol", "maxit", "phase", "itype", "drop", "progress", "range", "largest", "smallest" or "interval"> ...
%! batcheig (1, "Colour", 3)
%!error <option "itype" needs a second matrix> batcheig (1, "itype", 1)
%!error <argument 2 must be the name of an option, not of class cell> batcheig (1, {"lower"})
%!error <unknown option ""; valid options are "vector"> batcheig (1, "")
%!error <argument 3 must be the name of an option, not of class cell> batcheig (1, "lower", {})
%!error <option "tol" needs a value> batcheig (1, "tol")
%!error id=gpulinalg:bad-value batcheig (1, "method", "magic")
%!error <option "method" must be "auto", "qr" or "jacobi", not "magic"> batcheig (1, "method", "magic")
%!error <option "method" must be "auto", "qr" or "jacobi", not of class double> batcheig (1, "method", 1)
%!error <option "tol" must be a real scalar, not "small"$> batcheig (1, "tol", "small")
%!error <option "tol" must be a real scalar, not of class double and size 1x2$> batcheig (1, "tol", [1e-3, 1e-3])
%!error <option "tol" must be a real scalar, not a complex number$> batcheig (1, "tol", 1i)
%!error <option "tol" must be a real scalar, not of class logical and size 1x1$> batcheig (1, "tol", true)
%!error <option "tol" must be greater than 0 and less than 1, not 1> batcheig (1, "tol", 1)
%!error <option "tol" must be greater than 0 and less than 1, not 0> batcheig (1, "tol", 0)
%!error <option "tol" must be greater than 0 and less than 1, not NaN> batcheig (1, "tol", NaN)
%!error id=gpulinalg:bad-value batcheig (1, "tol", -1)
%!error <option "maxit" must be a positive integer, not 0> batcheig (1, "maxit", 0)
%!error <option "maxit" must be a positive integer, not 2\.5> batcheig (1, "maxit", 2.5)
%!error <option "maxit" must be a positive integer, not NaN> batcheig (1, "maxit", NaN)
%!error <option "maxit" must be a positive integer, not of class cell and size 0x0$> batcheig (1, "maxit", {})
%!error id=gpulinalg:bad-value batcheig (1, "maxit", 1e10)
%!error id=gpulinalg:bad-value batcheig (1, "device", "tpu")
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> batcheig (1, "device", "tpu")
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not of class cell> batcheig (1, "device", {"cpu"})
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not an empty array> batcheig (1, "device", [])
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not of class logical> batcheig (1, "device", true)
%!error <option "device" must be numbers of GPUs, counted from 0, not -1> batcheig (1, "device", -1)
%!error <option "device" must be numbers of GPUs, counted from 0, not 0.5> batcheig (1, "device", 0.5)
%!error <option "device" must be numbers of GPUs, counted from 0, not NaN> batcheig (1, "device", NaN)
%!error <option "progress" must be true, false or a function handle, not of class char> ...
%! batcheig (1, "progress", "yes")
%!error id=gpulinalg:bad-value batcheig (1, "progress", {})
%!error id=gpulinalg:bad-value batcheig (1, "progress", NaN)
%!error <option "progress" must be true, false or a function handle, not NaN> batcheig (1, "progress", NaN)

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
%! printf ("lowest energy of the filled half: %.4f\n", min (sum (squeeze (energies)(1:n/2,:))));
%! plot (flux, squeeze (energies).');
%! xlabel ("flux through the ring, in flux quanta");
%! ylabel ("energy");
%! title ("400 Hermitian matrices in one call of batcheig");
*/
