// gsvd_hz.cc: gsvd_hz for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <octave/int32NDArray.h>
#include <octave/oct-map.h>

#include <algorithm>

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

struct gsvd_request {
  gla_gsvd_options gsvd;
  bool economy;
  int outputs; // at least 1: Octave keeps the first one in ans
};

static bool is_zero (const octave_value &v)
{
  return (v.isnumeric () || v.islogical ()) && v.isreal () && !v.issparse () && v.numel () == 1 &&
         v.double_value () == 0;
}

// A 0 may stand between B and the options. Returns where the options begin.
static int read_positional (const octave_value_list &args, gsvd_request &want)
{
  if (args.length () < 3 || args (2).is_string ())
    return 2;
  if (!is_zero (args (2)))
    error_with_id ("gpulinalg:bad-value",
                   "gsvd_hz: argument 3 must be 0 or the name of an option, not of class %s",
                   args (2).class_name ().c_str ());
  want.economy = true;
  return 3;
}

static void check_arrays (const octave_value &A, const octave_value &B)
{
  gla::check_float_array ("gsvd_hz", "A", A);
  gla::check_float_array ("gsvd_hz", "B", B);
  dim_vector a = A.dims (), b = B.dims ();
  b (0) = a (0);
  if (a != b)
    error_with_id ("gpulinalg:bad-shape",
                   "gsvd_hz: A and B must have the same columns and the same pages, but A is %s "
                   "and B is %s",
                   A.dims ().str ().c_str (), B.dims ().str ().c_str ());
}

static void read_options (const gla::options &opts, gsvd_request &want)
{
  want.economy = want.economy || !opts.last_flag ({"econ", "0"}).empty ();
  std::string method = opts.word ("method", {"auto", "hz", "tangent"});
  want.gsvd.method = method == "hz"        ? GLA_GSVD_HZ
                     : method == "tangent" ? GLA_GSVD_TANGENT
                                           : GLA_GSVD_AUTO;
  want.gsvd.blocking =
      opts.word ("blocking", {"bo", "fb"}) == "fb" ? GLA_FULL_BLOCK : GLA_BLOCK_ORIENTED;
  want.gsvd.ordering = opts.word ("ordering", {"me", "mm"}) == "mm" ? GLA_ORDER_MM : GLA_ORDER_ME;
  want.gsvd.block = opts.count ("block", 0);
}

//------------------------------------------------------------------------------
// outputs
//------------------------------------------------------------------------------

// Pages of `rows` rows with the columns of `values` on diagonal number `above`.
template <typename RealArray>
static RealArray diagonal_pages (const RealArray &values, octave_idx_type rows,
                                 octave_idx_type above)
{
  dim_vector dims = values.dims ();
  octave_idx_type q = dims (0), pages = gla::pages_of (dims);
  dims (0) = rows;
  dims (1) = q;
  RealArray D = gla::zeros<RealArray> (dims);
  auto *d = D.fortran_vec ();
  const auto *v = values.data ();
  for (octave_idx_type k = 0; k < pages; k++)
    for (octave_idx_type j = above; j < q && j - above < rows; j++)
      d[(k * q + j) * rows + j - above] = v[k * q + j];
  return D;
}

// Of one pair the name, of pages a row of cells.
static octave_value method_names (const std::vector<gla_gsvd_stats> &stats, octave_idx_type pages,
                                  bool one_pair)
{
  Cell names (1, pages);
  for (octave_idx_type k = 0; k < pages; k++)
    names (k) = stats[k].method == GLA_GSVD_HZ        ? "hz"
                : stats[k].method == GLA_GSVD_TANGENT ? "tangent"
                                                      : "none";
  if (one_pair)
    return names (0);
  return names;
}

static octave_scalar_map stats_of (const std::vector<gla_gsvd_stats> &stats,
                                   const int32NDArray &info, const gla_gsvd_report &report,
                                   double seconds, bool one_pair)
{
  octave_idx_type pages = info.numel (), most = 0;
  RowVector sweeps (pages);
  for (octave_idx_type k = 0; k < pages; k++) {
    sweeps (k) = stats[k].sweeps;
    most = std::max<octave_idx_type> (most, stats[k].sweeps);
  }
  Matrix rotations (most, pages, 0.0);
  for (octave_idx_type k = 0; k < pages; k++)
    for (octave_idx_type s = 0; s < stats[k].sweeps; s++)
      rotations (s, k) = static_cast<double> (stats[k].rotations[s]);

  octave_scalar_map map;
  map.assign ("method", method_names (stats, pages, one_pair));
  map.assign ("sweeps", sweeps);
  map.assign ("rotations", rotations);
  map.assign ("info", info);
  map.assign ("seconds", seconds);
  if (report.device == GLA_HOST)
    map.assign ("device", "cpu");
  else
    map.assign ("device", static_cast<double> (report.device));
  return map;
}

//------------------------------------------------------------------------------
// pages that fail
//------------------------------------------------------------------------------

static void refuse_not_finite (bool in_A)
{
  error_with_id ("gpulinalg:not-finite", "gsvd_hz: %s must not hold NaN or Inf", in_A ? "A" : "B");
}

static void warn_of_failed_pages (const gla_gsvd_report &report, octave_idx_type pages)
{
  warning_with_id ("gpulinalg:pages-failed",
                   "gsvd_hz: %lld of %lld pages hold NaN or Inf or did not converge, and are NaN "
                   "in the result; the first is page %lld",
                   static_cast<long long> (report.pages_failed), static_cast<long long> (pages),
                   static_cast<long long> (report.first_failed + 1));
}

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

// What the library writes, for A of m x p and B of n x p; dims are those of A.
template <typename Array, typename RealArray> struct gsvd_factors {
  Array U, V, X;
  RealArray alpha, beta;
  gla_gsvd_results results = {};

  gsvd_factors (const dim_vector &dims, octave_idx_type n, const gsvd_request &want)
  {
    octave_idx_type m = dims (0), p = dims (1), q = std::min (m + n, p);
    allocate (alpha, results.alpha, dims, q, 1);
    allocate (beta, results.beta, dims, q, 1);
    if (want.outputs > 1) {
      allocate (U, results.U, dims, m, want.economy ? std::min (m, q) : m);
      allocate (V, results.V, dims, n, want.economy ? std::min (n, q) : n);
    }
    if (want.outputs > 2)
      allocate (X, results.X, dims, p, q);
  }

  template <typename Any>
  static void allocate (Any &a, gla_array &result, dim_vector dims, octave_idx_type rows,
                        octave_idx_type columns)
  {
    dims (0) = rows;
    dims (1) = columns;
    a = gla::unfilled<Any> (dims);
    result = gla::output (a);
  }
};

template <typename Array, typename RealArray>
static octave_value_list solve (gla::call &call, const octave_value &arg_A,
                                const octave_value &arg_B, const gsvd_request &want)
{
  Array A, B;
  gla::read (arg_A, A);
  gla::read (arg_B, B);
  dim_vector dims = A.dims ();
  octave_idx_type m = dims (0), n = B.dims () (0), p = dims (1), q = std::min (m + n, p);
  octave_idx_type pages = gla::pages_of (dims);
  bool one_pair = dims.ndims () == 2;

  gsvd_factors<Array, RealArray> f (dims, n, want);
  int32NDArray info (dim_vector (1, pages));
  f.results.info = reinterpret_cast<int32_t *> (info.fortran_vec ());
  std::vector<gla_gsvd_stats> stats (want.outputs > 5 ? std::max<octave_idx_type> (1, pages) : 0);
  f.results.stats = want.outputs > 5 ? stats.data () : nullptr;

  gla_array a = gla::input (A), b = gla::input (B);
  gla_gsvd_report report;
  auto start = std::chrono::steady_clock::now ();
  call.finish (gla_gsvd (call.context (), &a, &b, &f.results, &want.gsvd, &report));
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now () - start;
  if (one_pair && report.pages_failed > 0 && f.results.info[0] == p + 1)
    refuse_not_finite (A.any_element_is_inf_or_nan ());
  if (report.pages_failed > 0 && want.outputs < 6)
    warn_of_failed_pages (report, pages);

  if (want.outputs == 1)
    return ovl (RealArray (quotient (f.alpha, f.beta)));
  octave_value_list out = ovl (f.U, f.V, f.X);
  if (want.outputs > 3) {
    octave_idx_type above = std::max<octave_idx_type> (0, q - m);
    out (3) = diagonal_pages (f.alpha, want.economy ? std::min (m, q) : m, above);
    out (4) = diagonal_pages (f.beta, want.economy ? std::min (n, q) : n, 0);
  }
  if (want.outputs > 5)
    out (5) = stats_of (stats, info, report, seconds.count (), one_pair);
  return out;
}

static octave_value_list gsvd_hz_body (octave::interpreter &interp, const octave_value_list &args,
                                       int nargout)
{
  if (args.length () < 2 || nargout > 6)
    print_usage ();
  gsvd_request want = {};
  want.outputs = std::max (1, nargout);
  int first_option = read_positional (args, want);
  gla::options opts ("gsvd_hz", args, first_option, {"econ", "0"},
                     {"method", "blocking", "ordering", "block", "device", "progress"});
  const octave_value &A = args (0), &B = args (1);
  check_arrays (A, B);
  read_options (opts, want);

  // work
  gla::call call ("gsvd_hz", interp);
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  bool is_complex = A.iscomplex () || B.iscomplex ();
  if (A.is_single_type () || B.is_single_type ())
    return is_complex ? solve<FloatComplexNDArray, FloatNDArray> (call, A, B, want)
                      : solve<FloatNDArray, FloatNDArray> (call, A, B, want);
  return is_complex ? solve<ComplexNDArray, NDArray> (call, A, B, want)
                    : solve<NDArray, NDArray> (call, A, B, want);
}

DEFMETHOD_DLD (gsvd_hz, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{sigma} =} gsvd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{U}, @var{V}, @var{X}, @var{C}, @var{S}] =} gsvd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{U}, @var{V}, @var{X}, @var{C}, @var{S}, @var{stats}] =} gsvd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@dots{}] =} gsvd_hz (@var{A}, @var{B}, 0)
 @deftypefnx {gpulinalg} {[@dots{}] =} gsvd_hz (@dots{}, "econ", @dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} gsvd_hz (@dots{}, @var{name}, @var{value}, @dots{})
Generalized singular value decomposition of a pair of matrices, or of many pairs
at once.

@var{A} is @var{m}-by-@var{p} and @var{B} is @var{n}-by-@var{p}; any sizes and
any ranks will do.  With @code{@var{q} = min (@var{m} + @var{n}, @var{p})}

@example
@group
@var{A} = @var{U} * @var{C} * @var{X}'
@var{B} = @var{V} * @var{S} * @var{X}'
@var{C}' * @var{C} + @var{S}' * @var{S} = eye (@var{q})
@end group
@end example

@noindent
where @var{U} (@var{m}-by-@var{m}) and @var{V} (@var{n}-by-@var{n}) are unitary,
@var{X} is @var{p}-by-@var{q}, and @var{C} (@var{m}-by-@var{q}) and @var{S}
(@var{n}-by-@var{q}) are real, not negative and zero but for one diagonal: the main
one of @var{S}, and number @code{max (0, @var{q} - @var{m})} of @var{C}.

@var{sigma} holds the @var{q} generalized singular values
@code{sqrt (diag (@var{C}' * @var{C}) ./ diag (@var{S}' * @var{S}))}.  They do not
decrease, with all outputs too, and are @code{Inf} where @var{B} does not see what
@var{A} sees.  Their squares are the eigenvalues of the pencil
@code{(@var{A}' * @var{A}, @var{B}' * @var{B})}, which is never formed; see
@code{gevd_hz}.  Where @code{[@var{A}; @var{B}]} has a rank @var{r} below @var{q},
@code{@var{q} - @var{r}} columns of @var{X} are zero, and their values
in @var{sigma} mean nothing.

Dimensions from the third on are pages: each page of @var{A} goes with the same
page of @var{B}, and all outputs keep these dimensions.  The results are single
where @var{A} or @var{B} is single, and complex where one of them is.  The work is
done on an NVIDIA GPU where there is one and where it is faster, otherwise on all
cores of the CPU.

With 0 in the third place, @qcode{"econ"} or @qcode{"0"} the form is economical:
@var{U} has at most @var{q} columns and @var{C} as many rows, and so have @var{V}
and @var{S}.

@var{stats} tells how it went, in these fields:

@table @code
@item method
@qcode{"hz"} or @qcode{"tangent"}, or @qcode{"none"} where there was nothing to
iterate; a row of cells for pages.
@item sweeps
Sweeps over all pairs of columns, one number for each page.
@item rotations
Row @var{k} holds the number of rotations in sweep @var{k}, a column for each page.
@item info
0 where all is well, @var{p}+1 where the page holds NaN or Inf, 1 where it did not
converge.
@item seconds
The time that the call took.
@item device
@qcode{"cpu"}, or the number of the first GPU that worked.
@end table

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"method"}
@qcode{"hz"}: the implicit method of Hari and Zimmermann, which makes the columns
of @var{A} and those of @var{B} orthogonal at the same time, two columns at a time.
@qcode{"tangent"}: @var{A} is divided by the triangular factor of
@var{B}, and the columns of the quotient are made orthogonal.  Both find small
values as precisely as large ones.  @qcode{"auto"} (default): the one that suits
the pair.

@item @qcode{"blocking"}
@qcode{"bo"} (default): within a pair of blocks one sweep.  @qcode{"fb"}: until
nothing rotates; fewer sweeps, but less precise in @qcode{"hz"} where @var{X} is
ill-conditioned.

@item @qcode{"ordering"}
The order in which pairs take their turns: @qcode{"me"} (default), generalized
Mantharam and Eberlein; @qcode{"mm"}, modified modulus.

@item @qcode{"block"}
Columns of a block, a positive integer.  By default it is chosen by the sizes and
the machine.

@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
@end table

NaN or Inf in a single pair is the error @code{gpulinalg:not-finite}.  Among pages,
those that hold NaN or Inf or do not converge are NaN in the results, and the
warning @code{gpulinalg:pages-failed} says so unless @var{stats} is asked for;
every other page is right.  If a GPU fails or has too little memory, the CPU does
the rest of the work and the warning @code{gpulinalg:device-failed} or
@code{gpulinalg:device-memory} says so.

Beside Octave's @code{gsvd}: the values are in order with all outputs; @var{X} is
@var{p}-by-@var{q}; ranks may be deficient; there is an economy form.

@example
@group
A = [1, 2, 3; 4, 5, 6; 7, 8, 10; 1, 1, 0];
B = [2, 0, 1; 0, 3, 1];
sigma = gsvd_hz (A, B)
   @result{} sigma =

      0.1644
      1.8776
         Inf
@end group

@group
[U, V, X, C, S] = gsvd_hz (A, B, 0);
norm (A - U * C * X') < 1e-13
   @result{} ans = 1
@end group
@end example

Many pairs in one call:

@example
@group
A = rand (8, 6, 1000);
B = rand (7, 6, 1000);
[U, V, X, C, S] = gsvd_hz (A, B);
norm (B(:,:,7) - V(:,:,7) * S(:,:,7) * X(:,:,7)') < 1e-13
   @result{} ans = 1
@end group
@end example

References: V. Novakovi@'c and S. Singer, Implicit Hari--Zimmermann algorithm for
the generalized SVD on the GPUs, Int.@: J. High Perform.@: Comput.@: Appl.@: 35
(2021); Z. Drma@v{c}, A tangent algorithm for computing the generalized
singular value decomposition, SIAM J. Numer.@: Anal.@: 35 (1998).

@seealso{gevd_hz, batcheig, gsvd}
@end deftypefn)doc")
{
  return gla::guarded ("gsvd_hz", [&] () { return gsvd_hz_body (interp, args, nargout); });
}

/*
%!function A = numbers (m, n, pages, type, seed)
%!  ## Random pages of type "s", "d", "c" or "z"; pages may be a vector of sizes.
%!  rand ("twister", seed);
%!  A = rand ([m, n, pages]) - 0.5;
%!  if (any (type == "cz"))
%!    A = complex (A, rand ([m, n, pages]) - 0.5);
%!  endif
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

%!function d = on_diagonal (D, above, q)
%!  ## q entries of one page, zeros where its diagonal number `above` has none.
%!  d = zeros (q, 1);
%!  for j = above+1:min (q, above + rows (D))
%!    d(j) = D(j-above,j);
%!    D(j-above,j) = 0;
%!  endfor
%!  assert (! any (D(:)));
%!endfunction

%!function check_pair (A, B, U, V, X, C, S)
%!  ## The definition, in each page; everything in double.
%!  [m, p, ~] = size (A);
%!  n = rows (B);
%!  q = min (m + n, p);
%!  tol = 10 * max ([m, n, p, 1]) * max (eps (class (U)), eps (class (X)));
%!  for k = 1:prod (size (A)(3:end))
%!    a = double (A(:,:,k));
%!    b = double (B(:,:,k));
%!    u = double (U(:,:,k));
%!    v = double (V(:,:,k));
%!    x = double (X(:,:,k));
%!    c = double (C(:,:,k));
%!    s = double (S(:,:,k));
%!    assert (all (isfinite ([u(:); v(:); x(:); c(:); s(:)])));
%!    assert (norm (u' * u - eye (columns (u))) <= tol);
%!    assert (norm (v' * v - eye (columns (v))) <= tol);
%!    assert (norm (a - u * c * x') <= tol * norm (a));
%!    assert (norm (b - v * s * x') <= tol * norm (b));
%!    alpha = on_diagonal (c, max (0, q - m), q);
%!    beta = on_diagonal (s, 0, q);
%!    assert (isreal (C) && isreal (S) && all ([alpha; beta] >= 0));
%!    assert (alpha .^ 2 + beta .^ 2, ones (q, 1), tol);
%!    assert (issorted (alpha ./ beta));
%!  endfor
%!endfunction

%!function check_forms (A, B, varargin)
%!  ## All forms of one call; their values are the same to the bit.
%!  m = rows (A);
%!  n = rows (B);
%!  q = min (m + n, columns (A));
%!  pages = size (A)(3:end);
%!  [U, V, X, C, S, stats] = gsvd_hz (A, B, varargin{:});
%!  shapes = {[m, m, pages], [n, n, pages], [columns(A), q, pages], [m, q, pages], [n, q, pages]};
%!  assert ({size(U), size(V), size(X), size(C), size(S)}, shapes);
%!  check_pair (A, B, U, V, X, C, S);
%!  sigma = gsvd_hz (A, B, varargin{:});
%!  assert (size (sigma), [q, 1, pages]);
%!  for k = 1:prod (pages)
%!    alpha = on_diagonal (C(:,:,k), max (0, q - m), q);
%!    beta = on_diagonal (S(:,:,k), 0, q);
%!    assert (sigma(:,:,k), cast (alpha, class (C)) ./ cast (beta, class (S)));
%!  endfor
%!  [Ue, Ve, Xe, Ce, Se] = gsvd_hz (A, B, 0, varargin{:});
%!  shapes = {[m, min(m, q), pages], [n, min(n, q), pages], [columns(A), q, pages], ...
%!            [min(m, q), q, pages], [min(n, q), q, pages]};
%!  assert ({size(Ue), size(Ve), size(Xe), size(Ce), size(Se)}, shapes);
%!  check_pair (A, B, Ue, Ve, Xe, Ce, Se);
%!  assert ({Ce, Se}, {C(1:min (m, q),:,:), S(1:min (n, q),:,:)});
%!endfunction

%!## all forms, four types, shapes of every kind
%!test
%! shapes = [1, 1, 1; 3, 3, 3; 5, 4, 3; 4, 5, 3; 1, 1, 4; 2, 1, 4; 1, 4, 4; 3, 3, 4; 4, 1, 3; 2, 6, 4; 1, 3, 3; ...
%!           17, 16, 15; 9, 20, 16; 40, 33, 17; 33, 5, 33; 5, 33, 33];
%! for shape = shapes.'
%!   [m, n, p] = num2cell (shape){:};
%!   for type = "sdcz"
%!     A = numbers (m, p, 2, type, 100 * m + n);
%!     B = numbers (n, p, 2, type, 100 * n + p);
%!     check_forms (A, B);
%!   endfor
%! endfor

%!## both methods, blockings and orderings, around the widths of blocks
%!test
%! for p = [2, 7, 16, 31, 33, 50, 65]
%!   for type = "dz"
%!     A = numbers (p + 3, p, [], type, p);
%!     B = numbers (p + 1, p, [], type, p + 1);
%!     exact = sort (gsvd (A, B));
%!     for method = {"hz", "tangent"}
%!       for blocking = {"bo", "fb"}
%!         for ordering = {"me", "mm"}
%!           [U, V, X, C, S] = gsvd_hz (A, B, "method", method{1}, "blocking", blocking{1}, ...
%!                                      "Ordering", upper (ordering{1}));
%!           check_pair (A, B, U, V, X, C, S);
%!           sigma = diag (C) ./ diag (S);
%!           assert (max (abs (sigma - exact) ./ exact) < 1e3 * p * eps);
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor

%!## values that are known
%!test
%! c = [1; 2; 3; 4] / 5;
%! s = sqrt (1 - c .^ 2);
%! X = numbers (4, 4, [], "d", 8) + 2 * eye (4);
%! [U, ~] = qr (numbers (6, 4, [], "d", 9), 0);
%! [V, ~] = qr (numbers (5, 4, [], "d", 10), 0);
%! sigma = gsvd_hz (U * diag (c) * X', V * diag (s) * X');
%! assert (sigma, c ./ s, -100 * eps);

%!## values over 25 decades keep their digits
%!test
%! sigma = 10 .^ linspace (-15, 10, 26).';
%! [U, ~] = qr (numbers (30, 26, [], "d", 1), 0);
%! [V, ~] = qr (numbers (28, 26, [], "d", 2), 0);
%! for method = {"auto", "hz", "tangent"}
%!   assert (gsvd_hz (U .* sigma.', V, "method", method{1}), sigma, -1e-13);
%! endfor

%!## values 0, Inf and those of parts that only A or only B sees
%!test
%! sigma = gsvd_hz ([3, 0, 0; 0, 4, 0], [0, 1, 0; 0, 0, 2]);
%! assert (sigma, [0; 4; Inf], 10 * eps);
%! [U, V, X, C, S] = gsvd_hz ([3, 0, 0; 0, 4, 0], [0, 1, 0; 0, 0, 2]);
%! assert (C, [0, 4/sqrt(17), 0; 0, 0, 1], 10 * eps);
%! assert (S, [1, 0, 0; 0, 1/sqrt(17), 0], 10 * eps);

%!## ranks
%!test
%! for type = "dz"
%!   A = numbers (6, 5, 9, type, 3);
%!   B = numbers (7, 5, 9, type, 4);
%!   A(:,2,2) = 0;
%!   B(:,3,3) = 0;
%!   A(:,4,4) = B(:,4,4) = 0;
%!   A(:,:,5) = 0;
%!   B(:,:,6) = 0;
%!   A(:,:,7) = B(:,:,7) = 0;
%!   low = numbers (3, 5, [], type, 5);
%!   A(:,:,8) = numbers (6, 3, [], type, 6) * low;
%!   B(:,:,8) = numbers (7, 3, [], type, 7) * low;
%!   B(1:6,:,9) = A(:,:,9);
%!   B(7,:,9) = 0;
%!   for method = {"auto", "hz", "tangent"}
%!     check_forms (A, B, "method", method{1});
%!   endfor
%!   sigma = squeeze (gsvd_hz (A, B));
%!   assert (sum (sigma < 10 * eps)([1, 2, 3, 5, 6, 9]), [0, 1, 0, 5, 0, 0]);
%!   assert (isinf (sigma(5,3)) && ! isinf (sigma(4,3)));
%!   assert (all (isinf (sigma(:,6))));
%!   assert (sigma(:,9), ones (5, 1), 100 * eps);
%! endfor

%!## a zero column, not tall: all of A is to be reduced
%!test
%! for p = [6, 9, 17, 32]
%!   A = numbers (p + 3, p, [], "z", p);
%!   B = numbers (p + 1, p, [], "z", p + 1);
%!   A(:,ceil (p / 2)) = 0;
%!   for method = {"auto", "hz", "tangent"}
%!     check_forms (A, B, "method", method{1});
%!     check_forms (B, A, "method", method{1});
%!   endfor
%! endfor

%!## huge and tiny
%!test
%! A = numbers (6, 5, [], "z", 3);
%! B = numbers (7, 5, [], "z", 4);
%! sigma = gsvd_hz (A, B);
%! for method = {"hz", "tangent"}
%!   for scale = 2 .^ [500, 0; -500, 0; 0, 500; 0, -500; 500, 500; -500, -500; 400, -400; -400, 400].'
%!     check_forms (A * scale(1), B * scale(2), "method", method{1});
%!     assert (gsvd_hz (A * scale(1), B * scale(2), "method", method{1}), sigma * scale(1) / scale(2), -1e-12);
%!   endfor
%! endfor

%!## two to four outputs
%!test
%! A = numbers (4, 3, [], "d", 1);
%! B = numbers (5, 3, [], "d", 2);
%! [U, V, X, C, S] = gsvd_hz (A, B);
%! for outputs = 2:4
%!   got = cell (1, outputs);
%!   [got{:}] = gsvd_hz (A, B);
%!   assert (got, {U, V, X, C}(1:outputs));
%! endfor
%! [Ue, Ve] = gsvd_hz (A, B, "econ");
%! assert ({size(Ue), size(Ve)}, {[4, 3], [5, 3]});

%!## 0, "0" and "econ"
%!test
%! A = numbers (6, 3, [], "d", 1);
%! B = numbers (5, 3, [], "d", 2);
%! economy = nthargout (1:5, @gsvd_hz, A, B, 0);
%! for given = {{single(0)}, {false}, {"econ"}, {"ECON"}, {"0"}, {0, "0"}, {"device", "cpu", "econ"}}
%!   assert (nthargout (1:5, @gsvd_hz, A, B, given{1}{:}), economy);
%! endfor

%!## class and complexity of the results
%!test
%! A = numbers (5, 3, 2, "d", 1);
%! B = numbers (4, 3, 2, "z", 2);
%! [U, V, X, C, S] = gsvd_hz (A, B);
%! assert ([iscomplex(U), iscomplex(V), iscomplex(X), iscomplex(C), iscomplex(S)], [true, true, true, false, false]);
%! check_pair (A, B, U, V, X, C, S);
%! [U, V, X, C, S] = gsvd_hz (single (A), B);
%! assert ({class(U), class(V), class(X), class(C), class(S)}, repmat ({"single"}, 1, 5));
%! assert (iscomplex (U));
%! [U, V, X] = gsvd_hz (A, single (real (B)));
%! assert ({class(U), class(X), iscomplex(X)}, {"single", "single", false});
%! assert (class (gsvd_hz (A, single (B))), "single");
%! assert (class (gsvd_hz (A, B)), "double");

%!## complex with no imaginary part is as real
%!test
%! A = numbers (9, 7, [], "d", 1);
%! B = numbers (8, 7, [], "d", 2);
%! assert (gsvd_hz (complex (A), complex (B)), gsvd_hz (A, B), -1e-13);

%!## trailing dimensions are kept, and a page has the same bits alone
%!test
%! A = numbers (7, 5, [2, 1, 3], "z", 3);
%! B = numbers (6, 5, [2, 1, 3], "z", 4);
%! [U, V, X, C, S, stats] = gsvd_hz (A, B);
%! assert (size (gsvd_hz (A, B)), [5, 1, 2, 1, 3]);
%! assert ({size(U), size(V), size(X)}, {[7, 7, 2, 1, 3], [6, 6, 2, 1, 3], [5, 5, 2, 1, 3]});
%! assert ({size(C), size(S)}, {[7, 5, 2, 1, 3], [6, 5, 2, 1, 3]});
%! for k = 1:6
%!   [u, v, x, c, s, one] = gsvd_hz (A(:,:,k), B(:,:,k));
%!   assert ({u, v, x, c, s}, {U(:,:,k), V(:,:,k), X(:,:,k), C(:,:,k), S(:,:,k)});
%!   assert (one.sweeps, stats.sweeps(k));
%!   assert (one.rotations, stats.rotations(1:one.sweeps,k));
%! endfor

%!## stats
%!test
%! A = numbers (20, 18, [], "d", 1);
%! B = numbers (19, 18, [], "d", 2);
%! for method = {"hz", "tangent"}
%!   [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B, "method", method{1}, "device", "cpu");
%!   assert (fieldnames (stats), {"method"; "sweeps"; "rotations"; "info"; "seconds"; "device"});
%!   assert (stats.method, method{1});
%!   assert ({size(stats.sweeps), size(stats.rotations)}, {[1, 1], [stats.sweeps, 1]});
%!   assert (stats.sweeps > 1 && stats.rotations(1) > 0);
%!   assert ({stats.info, stats.device}, {int32(0), "cpu"});
%!   assert (stats.seconds > 0 && stats.seconds < 60);
%! endfor
%! [~, ~, ~, ~, ~, stats] = gsvd_hz (repmat (A, [1, 1, 3]), repmat (B, [1, 1, 3]), "method", "hz");
%! assert (stats.method, {"hz", "hz", "hz"});
%! assert ({size(stats.sweeps), columns(stats.rotations), stats.info}, {[1, 3], 3, int32([0, 0, 0])});
%! [~, ~, ~, ~, ~, stats] = gsvd_hz ([], []);
%! assert ({stats.method, stats.sweeps, size(stats.rotations)}, {"none", 0, [0, 1]});

%!## empty results
%!test
%! function check_sizes (wanted, varargin)
%!   results = cell (1, 5);
%!   [results{:}] = gsvd_hz (varargin{:});
%!   assert (cellfun (@size, results, "uniformoutput", false), wanted);
%!   check_pair (varargin{1:2}, results{:});
%! endfunction
%! check_sizes ({[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]}, [], []);
%! check_sizes ({[0, 0], [2, 2], [3, 2], [0, 2], [2, 2]}, zeros (0, 3), [1, 2, 3; 4, 5, 6]);
%! check_sizes ({[2, 2], [0, 0], [3, 2], [2, 2], [0, 2]}, [1, 2, 3; 4, 5, 6], zeros (0, 3));
%! check_sizes ({[4, 4], [0, 0], [2, 2], [4, 2], [0, 2]}, magic (4)(:,1:2), zeros (0, 2));
%! check_sizes ({[4, 2], [0, 0], [2, 2], [2, 2], [0, 2]}, magic (4)(:,1:2), zeros (0, 2), 0);
%! check_sizes ({[0, 0], [4, 2], [2, 2], [0, 2], [2, 2]}, zeros (0, 2), magic (4)(:,1:2), 0);
%! check_sizes ({[0, 0], [0, 0], [3, 0], [0, 0], [0, 0]}, zeros (0, 3), zeros (0, 3));
%! check_sizes ({[3, 3], [2, 2], [0, 0], [3, 0], [2, 0]}, zeros (3, 0), zeros (2, 0));
%! check_sizes ({[3, 0], [2, 0], [0, 0], [0, 0], [0, 0]}, zeros (3, 0), zeros (2, 0), 0);
%! check_sizes ({[3, 3, 0], [2, 2, 0], [4, 4, 0], [3, 4, 0], [2, 4, 0]}, zeros (3, 4, 0), zeros (2, 4, 0));
%! check_sizes ({[3, 3, 2], [2, 2, 2], [0, 0, 2], [3, 0, 2], [2, 0, 2]}, zeros (3, 0, 2), zeros (2, 0, 2));
%! assert (gsvd_hz ([], []), zeros (0, 1));
%! assert (gsvd_hz (zeros (0, 3), [1, 2, 3; 4, 5, 6]), [0; 0]);
%! assert (gsvd_hz ([1, 2, 3; 4, 5, 6], zeros (0, 3)), [Inf; Inf]);
%! assert (gsvd_hz (zeros (3, 4, 0, 2, "single"), zeros (2, 4, 0, 2)), zeros (4, 1, 0, 2, "single"));

%!## NaN and Inf
%!test
%! A = numbers (6, 4, 5, "d", 7);
%! B = numbers (5, 4, 5, "d", 8);
%! [U, V, X, C, S] = gsvd_hz (A, B);
%! rest = [1, 2, 4, 5];
%! warning ("off", "gpulinalg:pages-failed", "local");
%! for bad = [NaN, Inf, -Inf]
%!   Y = A;
%!   Y(4,2,3) = bad;
%!   [u, v, x, c, s] = gsvd_hz (Y, B);
%!   assert ({u(:,:,rest), v(:,:,rest), x(:,:,rest)}, {U(:,:,rest), V(:,:,rest), X(:,:,rest)});
%!   assert ({c(:,:,rest), s(:,:,rest)}, {C(:,:,rest), S(:,:,rest)});
%!   assert (all (isnan ([u(:,:,3)(:); v(:,:,3)(:); x(:,:,3)(:); diag(c(:,:,3)); diag(s(:,:,3))])));
%!   Y = B;
%!   Y(1,1,2) = bad;
%!   [~, ~, ~, ~, ~, stats] = gsvd_hz (A, Y);
%!   assert (stats.info, int32 ([0, 5, 0, 0, 0]));
%!   assert (isnan (gsvd_hz (A, Y)(:,1,2)), true (4, 1));
%! endfor

%!## the warning, and none where stats tell it
%!warning id=gpulinalg:pages-failed gsvd_hz (ones (2, 2, 3), NaN (2, 2, 3));
%!warning <gsvd_hz: 1 of 4 pages hold NaN or Inf .* are NaN in the result; the first is page 3> ...
%! [U, V] = gsvd_hz (reshape ([1, 2, NaN, 4], [1, 1, 4]), ones (1, 1, 4));
%!test
%! lastwarn ("", "");
%! [U, V, X, C, S, stats] = gsvd_hz (ones (2, 2, 3), NaN (2, 2, 3));
%! assert (nthargout (2, @lastwarn), "");

%!## A and B are not changed
%!test
%! A = numbers (6, 4, 3, "d", 9);
%! B = numbers (6, 4, 3, "d", 9);
%! [U, V] = gsvd_hz (A, A, "method", "hz");
%! [U, V] = gsvd_hz (A, B, "method", "tangent");
%! assert ({A, B}, {numbers(6, 4, 3, "d", 9), numbers(6, 4, 3, "d", 9)});

%!## special kinds of double arrays
%!test
%! assert (gsvd_hz (eye (3), 2 * eye (3)), [0.5; 0.5; 0.5], 10 * eps);
%! assert (gsvd_hz (1:3, 4:6), [0; Inf]);
%! assert (gsvd_hz (3:3, 4:4), 0.75, 10 * eps);
%! assert (gsvd_hz (eye (3)(:,[2, 1, 3]), eye (3)), [1; 1; 1], 10 * eps);

%!## sizes of blocks
%!test
%! A = numbers (70, 50, [], "d", 1);
%! B = numbers (60, 50, [], "d", 2);
%! sigma = gsvd_hz (A, B);
%! for method = {"hz", "tangent"}
%!   for block = {1, 7, int8(16), single(64), 1000}
%!     [U, V, X, C, S] = gsvd_hz (A, B, "Block", block{1}, "DEVICE", "cpu", "method", method{1});
%!     check_pair (A, B, U, V, X, C, S);
%!     assert (diag (C) ./ diag (S), sigma, -1e-11);
%!   endfor
%! endfor

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

%!## progress
%!test
%! A = numbers (6, 4, 500, "d", 1);
%! B = numbers (5, 4, 500, "d", 2);
%! note_progress ();
%! sigma = gsvd_hz (A, B, "progress", @note_progress);
%! calls = note_progress ();
%! assert (rows (calls) >= 1);
%! assert (calls(end,:), [500, 500]);
%! assert (issorted (calls(:,1)));
%! assert (sigma, gsvd_hz (A, B));
%! text = evalc ('gsvd_hz (A, B, "progress", true);');
%! assert (! isempty (strfind (text, "gsvd_hz: 500 of 500 pages, 100 %")));
%! assert (evalc ('sigma = gsvd_hz (A, B, "progress", false);'), "");
%! fail ('gsvd_hz (A, B, "progress", @(varargin) error ("my:id", "enough"))', "enough");
%! assert (gsvd_hz (A, B, "progress", @(varargin) gsvd_hz (1, 2)), sigma);

%!## GPUs by number
%!test
%! A = numbers (20, 6, 8, "d", 2);
%! B = numbers (16, 6, 8, "d", 3);
%! count = numel (gpulinalg_info ().devices);
%! places = [{"cpu", "auto"}, num2cell(0:count - 1)];
%! if (count > 0)
%!   places = [places, {0:count - 1, "gpu"}];
%! endif
%! for place = places
%!   [U, V, X, C, S] = gsvd_hz (A, B, "device", place{1});
%!   check_pair (A, B, U, V, X, C, S);
%! endfor

%!testif ; isempty (gpulinalg_info ().devices)
%! fail ('gsvd_hz (1, 1, "device", "gpu")', "no GPU");
%! try, gsvd_hz (1, 1, "device", 0); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");

%!## errors
%!error <Invalid call> gsvd_hz ()
%!error <Invalid call> gsvd_hz (1)
%!error <Invalid call> [a, b, c, d, e, f, g] = gsvd_hz (1, 1);
%!error id=gpulinalg:bad-class gsvd_hz (true, 1)
%!error id=gpulinalg:bad-class gsvd_hz (1, true)
%!error id=gpulinalg:bad-class gsvd_hz (int32 (1), 1)
%!error id=gpulinalg:bad-class gsvd_hz (1, "a")
%!error id=gpulinalg:bad-class gsvd_hz ({1}, 1)
%!error id=gpulinalg:bad-class gsvd_hz (1, struct ("a", 1))
%!error id=gpulinalg:bad-class gsvd_hz (@sin, 1)
%!error id=gpulinalg:bad-class gsvd_hz (sparse (1), 1)
%!error id=gpulinalg:bad-class gsvd_hz (1, sparse (1i))
%!error <A must be a single or double array, not logical> gsvd_hz (true, 1)
%!error <B must be a single or double array, not cell> gsvd_hz (1, {})
%!error <A must be a full array, not sparse; use full \(A\)> gsvd_hz (sparse (1), 1)
%!error <B must be a full array, not sparse; use full \(B\)> gsvd_hz (1, sparse (1))
%!error id=gpulinalg:bad-shape gsvd_hz (ones (3, 2), [])
%!error id=gpulinalg:bad-shape gsvd_hz (ones (3, 2, 4), ones (3, 2))
%!error id=gpulinalg:bad-shape gsvd_hz (ones (3, 2, 2, 3), ones (3, 2, 3, 2))
%!error <A and B must have the same columns and the same pages, but A is 3x2 and B is 2x5> ...
%! gsvd_hz (ones (3, 2), ones (2, 5))
%!error <A and B must have the same columns and the same pages, but A is 3x2x4 and B is 3x2x5> ...
%! gsvd_hz (ones (3, 2, 4), ones (3, 2, 5))
%!error id=gpulinalg:not-finite gsvd_hz (NaN, 1)
%!error <A must not hold NaN or Inf> gsvd_hz (-Inf, 1)
%!error <B must not hold NaN or Inf> [U, V] = gsvd_hz (1, single (NaN));
%!error <B must not hold NaN or Inf> [U, V] = gsvd_hz ([1, 2], [3, complex(1, Inf)]);
%!error <B must not hold NaN or Inf> [U, V, X, C, S, stats] = gsvd_hz ([1, 2], [3, Inf]);
%!error id=gpulinalg:bad-value gsvd_hz (1, 1, 1)
%!error <argument 3 must be 0 or the name of an option, not of class double> gsvd_hz (1, 2, [])
%!error <argument 4 must be the name of an option, not of class double> gsvd_hz (1, 2, 0, 0)
%!error <argument 4 must be the name of an option, not of class cell> gsvd_hz (1, 2, "econ", {})
%!error id=gpulinalg:bad-option gsvd_hz (1, 1, "colour")
%!error <unknown option "Colour"; known are "econ", "0", "method", "blocking", "ordering", "block", "device" or "progress"> ...
%! gsvd_hz (1, 1, "Colour", 3)
%!error <option "block" needs a value> gsvd_hz (1, 1, "block")
%!error id=gpulinalg:bad-value gsvd_hz (1, 1, "method", "qr")
%!error <option "method" must be "auto", "hz" or "tangent", not "qr"> gsvd_hz (1, 1, "method", "qr")
%!error <option "blocking" must be "bo" or "fb", not of class double> gsvd_hz (1, 1, "blocking", 1)
%!error <option "ordering" must be "me" or "mm", not "xx"> gsvd_hz (1, 1, "ordering", "xx")
%!error <option "block" must be a positive integer, not 0> gsvd_hz (1, 1, "block", 0)
%!error <option "block" must be a positive integer, not 2\.5> gsvd_hz (1, 1, "block", 2.5)
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> gsvd_hz (1, 1, "device", "tpu")
%!error <option "progress" must be true, false or a function handle, not of class char> ...
%! gsvd_hz (1, 1, "progress", "yes")
%!error id=Octave:bad-alloc [U, V] = gsvd_hz (ones (2e7, 1), 1);

%!demo
%! ## A blurred signal restored by generalized Tikhonov regularization, three weights of the roughness.
%! n = 120;
%! t = linspace (0, 1, n).';
%! blur = exp (-((t - t.') / 0.04) .^ 2);
%! blur ./= sum (blur, 2);
%! x = (t > 0.2 & t < 0.45) + exp (-((t - 0.7) / 0.05) .^ 2);
%! b = blur * x + 0.01 * randn (n, 1);
%! bend = diff (eye (n), 2);
%! [U, V, X, C, S] = gsvd_hz (blur, bend);
%! c = diag (C);
%! s = [diag(S); 0; 0];
%! for lambda = [1e-3, 1, 1e3]
%!   y = X' \ (c ./ (c .^ 2 + (lambda * s) .^ 2) .* (U' * b));
%!   plot (t, y, "linewidth", 2);
%!   hold on;
%! endfor
%! plot (t, x, "k--");
%! hold off;
%! axis ([0, 1, -0.5, 1.5]);
%! legend ("lambda = 0.001", "lambda = 1", "lambda = 1000", "true");
%! title ("a blurred signal restored");
*/
