// qr_block.cc: qr_block for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <algorithm>

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

struct qr_request {
  gla_qr_options qr;
  bool economy;
  bool vector; // P is a row
  bool wy;
  int outputs; // at least 1: Octave keeps the first one in ans
};

static bool is_zero (const octave_value &v)
{
  return (v.isnumeric () || v.islogical ()) && v.isreal () && !v.issparse () && v.numel () == 1 &&
         v.double_value () == 0;
}

// What may stand between A and the options is B, or 0 for the economy form, or both in this order;
// a 0 that comes last is never B. Returns where the options begin.
static int read_positional (const octave_value_list &args, octave_value &B, qr_request &want)
{
  int count = 1;
  while (count < args.length () && count < 3 && !args (count).is_string ())
    count++;
  want.economy = count > 1 && is_zero (args (count - 1));
  if (count == 3 && !want.economy)
    error_with_id ("gpulinalg:bad-value",
                   "qr_block: argument 3 must be 0 or the name of an option, not of class %s",
                   args (2).class_name ().c_str ());
  if (count - want.economy > 1)
    B = args (1);
  return count;
}

static void check_arrays (const octave_value &A, const octave_value &B)
{
  gla::check_float_array ("qr_block", "A", A);
  if (B.is_undefined ())
    return;
  gla::check_float_array ("qr_block", "B", B);
  dim_vector a = A.dims (), b = B.dims ();
  b (1) = a (1);
  if (a != b)
    error_with_id ("gpulinalg:bad-shape",
                   "qr_block: B must have the rows and the pages of A, but A is %s and B is %s",
                   a.str ().c_str (), B.dims ().str ().c_str ());
}

static void read_options (const gla::options &opts, bool have_B, qr_request &want)
{
  want.economy = want.economy || !opts.last_flag ({"econ", "0"}).empty ();
  want.wy = !opts.last_flag ({"wy"}).empty ();
  std::string form = opts.last_flag ({"vector", "matrix"});
  want.vector = form.empty () ? want.economy : form == "vector";
  if (want.wy && have_B)
    error_with_id ("gpulinalg:bad-option", "qr_block: \"wy\" does not go together with B");
  if (want.wy && !form.empty ())
    error_with_id ("gpulinalg:bad-option",
                   "qr_block: \"wy\" does not go together with \"%s\", there is no pivoting",
                   form.c_str ());
  want.qr.pivot = want.outputs == 3 && !want.wy;
  want.qr.block = opts.count ("block", 0);
}

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

// The columns of A in the order of Q*R, as rows of numbers from 1 or as matrices.
static NDArray permutations (const std::vector<int64_t> &order, const dim_vector &dims, bool vector)
{
  octave_idx_type n = dims (1), pages = gla::pages_of (dims);
  dim_vector shape = dims;
  shape (0) = vector ? 1 : n;
  NDArray P = vector ? gla::unfilled<NDArray> (shape) : gla::zeros<NDArray> (shape);
  double *p = P.fortran_vec ();
  for (octave_idx_type k = 0; k < n * pages; k++)
    if (vector)
      p[k] = order[k] + 1;
    else
      p[k * n + order[k]] = 1;
  return P;
}

template <typename Array>
static octave_value_list factorise (gla::call &call, const octave_value &arg_A,
                                    const octave_value &arg_B, const qr_request &want)
{
  Array A, B, Q, R, C, W, Y;
  bool have_B = arg_B.is_defined ();
  gla::read (arg_A, A);
  if (have_B)
    gla::read (arg_B, B);
  dim_vector dims = A.dims ();
  octave_idx_type m = dims (0), n = dims (1), k = std::min (m, n);
  octave_idx_type rows = want.economy ? k : m; // of R and of C; columns of Q

  gla_qr_results results = {};
  auto allocate = [&dims] (Array &a, gla_array &result, octave_idx_type r, octave_idx_type c) {
    dim_vector shape = dims;
    shape (0) = r;
    shape (1) = c;
    a = gla::unfilled<Array> (shape);
    result = gla::output (a);
  };
  if (want.wy) {
    allocate (W, results.W, m, k);
    allocate (Y, results.Y, m, k);
  } else if (have_B) {
    allocate (C, results.C, rows, B.dims () (1));
  } else if (want.outputs > 1) {
    allocate (Q, results.Q, m, rows);
  }
  if (want.wy ? want.outputs > 2 : want.outputs > 1 || !have_B)
    allocate (R, results.R, rows, n);
  std::vector<int64_t> order;
  if (want.qr.pivot)
    order.resize (std::max<octave_idx_type> (1, n * gla::pages_of (dims)));
  results.jpvt = order.data ();

  gla_array a = gla::input (A), b = gla::input (B);
  call.finish (gla_qr (call.context (), &a, have_B ? &b : nullptr, &results, &want.qr, nullptr));

  if (want.wy)
    return ovl (W, Y, R);
  if (want.outputs == 1)
    return ovl (have_B ? C : R);
  if (want.outputs == 2)
    return ovl (have_B ? C : Q, R);
  return ovl (have_B ? C : Q, R, permutations (order, dims, want.vector));
}

static octave_value_list qr_block_body (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  if (args.length () < 1 || nargout > 3)
    print_usage ();
  qr_request want = {};
  want.outputs = std::max (1, nargout);
  octave_value A = args (0), B;
  int first_option = read_positional (args, B, want);
  gla::options opts ("qr_block", args, first_option, {"econ", "0", "vector", "matrix", "wy"},
                     {"block", "device", "progress"});
  check_arrays (A, B);
  read_options (opts, B.is_defined (), want);

  // work
  gla::call call ("qr_block", interp);
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  bool is_complex = A.iscomplex () || B.iscomplex ();
  if (A.is_single_type () || B.is_single_type ())
    return is_complex ? factorise<FloatComplexNDArray> (call, A, B, want)
                      : factorise<FloatNDArray> (call, A, B, want);
  return is_complex ? factorise<ComplexNDArray> (call, A, B, want)
                    : factorise<NDArray> (call, A, B, want);
}

DEFMETHOD_DLD (qr_block, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{R} =} qr_block (@var{A})
 @deftypefnx {gpulinalg} {[@var{Q}, @var{R}] =} qr_block (@var{A})
 @deftypefnx {gpulinalg} {[@var{Q}, @var{R}, @var{P}] =} qr_block (@var{A})
 @deftypefnx {gpulinalg} {[@var{C}, @var{R}] =} qr_block (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{C}, @var{R}, @var{P}] =} qr_block (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{W}, @var{Y}, @var{R}] =} qr_block (@var{A}, "wy")
 @deftypefnx {gpulinalg} {[@dots{}] =} qr_block (@dots{}, 0)
 @deftypefnx {gpulinalg} {[@dots{}] =} qr_block (@dots{}, @var{flag}, @dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} qr_block (@dots{}, @var{name}, @var{value}, @dots{})
QR factorization of a large matrix, a tall one, or many at once.

@code{@var{Q} * @var{R} = @var{A}} with a unitary @var{Q} and an upper triangular
@var{R}.  @var{A} is an array of @var{m}-by-@var{n} pages of any shape, single or
double, real or complex; it may have any number of dimensions, and all from the
third on are kept in the results.  The work is done on an NVIDIA GPU where there
is one and where it is faster, otherwise on all cores of the CPU.

With one output the result is @var{R}, and @var{Q} is not formed.  (One output of
Octave's @code{qr} is not triangular before Octave 11.)  Signs are those of
@code{qr}: @var{R} is the same to rounding.

With three outputs the columns are pivoted, @code{@var{Q} * @var{R} = @var{A} *
@var{P}}, and the diagonal of @var{R} does not grow in modulus from one entry to
the next.

@table @asis
@item 0 as the last argument before the options, @qcode{"econ"} or @qcode{"0"}
The economy form: with @code{@var{k} = min (@var{m}, @var{n})}, @var{Q} is
@var{m}-by-@var{k} and @var{R} is @var{k}-by-@var{n}.  Otherwise @var{Q} is
@var{m}-by-@var{m} and @var{R} is @var{m}-by-@var{n}.

@item @var{B}
With the same rows and pages as @var{A}: the first output is
@code{@var{C} = @var{Q}' * @var{B}}, and @var{Q} is not formed.
@code{@var{R} \ @var{C}} is the solution of the least squares problem; take the
economy form for it.  Where @var{A} or @var{B} is single all results are single,
and where one is complex the other is taken as complex.

@item @qcode{"vector"}, @qcode{"matrix"}
@var{P} as a row, @code{@var{Q} * @var{R} = @var{A}(:,@var{P})}, or as a matrix.
The default is a matrix in the full form and a row in the economy form.  Of two
flags the last one counts.

@item @qcode{"wy"}
The representation of the @var{m}-by-@var{m} @var{Q} that the factorization
works with, @code{@var{Q} = eye (@var{m}) + @var{W} * @var{Y}'}.  @var{W} and
@var{Y} are @var{m}-by-@var{k}, @var{Y} is unit lower trapezoidal, and
@var{R} is as without this flag, on a GPU to rounding.
@end table

A scalar 0 in the second place is the economy form and never @var{B}, as in
@code{qr}; for @code{@var{B} = 0} of one row write @code{qr_block (@var{A}, 0, 0)}.

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"block"}
Columns of a block of reflectors, a positive integer.  By default it is chosen by
the size of @var{A} and the machine; on a GPU the economy factors of a large
@var{A} with columns far from dependent are then made by way of
@code{@var{A}' * @var{A}}, without reflectors.

@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
@end table

NaN and Inf in a page spread through the results of that page and leave the
others as they are.  If a GPU fails or has too little memory, the CPU does the
rest of the work and the warning @code{gpulinalg:device-failed} or
@code{gpulinalg:device-memory} says so.

A parabola through 1000 points:

@example
@group
t = linspace (0, 1, 1000).';
A = [ones(1000, 1), t, t.^2];
[C, R] = qr_block (A, 3 + 2 * t - t.^2, 0);
x = R \ C
   @result{} x =

         3.0000
         2.0000
        -1.0000
@end group
@end example

Many matrices in one call:

@example
@group
A = rand (16, 4, 5000);
[Q, R] = qr_block (A, 0);
size (Q)
   @result{} ans =

        16      4   5000

norm (Q(:,:,7) * R(:,:,7) - A(:,:,7)) < 1e-14
   @result{} ans = 1
@end group
@end example

@seealso{batcheig, gpulinalg_info, qr}
@end deftypefn)doc")
{
  return gla::guarded ("qr_block", [&] () { return qr_block_body (interp, args, nargout); });
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

%!function d = diagonal (r)
%!  ## diag makes a matrix of a row.
%!  k = min (size (r));
%!  d = diag (r(1:k,1:k));
%!endfunction

%!function check_qr (A, Q, R)
%!  ## LAPACK's ratios on each page, A with its columns in order; R has zeros below the diagonal.
%!  [m, n, pages] = size (A);
%!  u = double (eps (class (A))) / 2;
%!  for p = 1:pages
%!    a = double (A(:,:,p));
%!    q = double (Q(:,:,p));
%!    r = double (R(:,:,p));
%!    assert (r, triu (r));
%!    assert (isreal (diagonal (r)));
%!    assert (norm (a - q * r, 1) <= 30 * max (m, n) * norm (a, 1) * u);
%!    assert (norm (q' * q - eye (columns (q)), 1) <= 30 * m * u);
%!  endfor
%!endfunction

%!function check_like_qr (A, R)
%!  for p = 1:prod (size (A)(3:end))
%!    [~, r] = qr (A(:,:,p));
%!    assert (R(:,:,p), r(1:rows (R),:), 100 * max (size (A(:,:,p))) * eps (class (A)) * norm (A(:,:,p), "fro"));
%!  endfor
%!endfunction

%!## all forms, four types
%!test
%! for type = "sdcz"
%!   for shape = [1, 1, 5, 1, 2, 3, 7, 16, 17, 33, 40, 64, 9; 1, 5, 1, 2, 1, 3, 4, 16, 9, 33, 80, 10, 8]
%!     m = shape(1);
%!     n = shape(2);
%!     k = min (m, n);
%!     A = numbers (m, n, 3, type, 100 * m + n);
%!     B = numbers (m, 2, 3, type, 7);
%!     [Q, R] = qr_block (A);
%!     assert ({size(Q), size(R), class(Q), class(R)}, {[m, m, 3], [m, n, 3], class(A), class(A)});
%!     check_qr (A, Q, R);
%!     check_like_qr (A, R);
%!     assert (qr_block (A), R);
%!     [Qe, Re] = qr_block (A, 0);
%!     assert (size (Qe), [m, k, 3]);
%!     check_qr (A, Qe, Re);
%!     assert (Re, R(1:k,:,:));
%!     assert (qr_block (A, "econ"), Re);
%!     [C, Rc] = qr_block (A, B);
%!     assert (Rc, R);
%!     [Ce, Rc] = qr_block (A, B, 0);
%!     assert (Rc, Re);
%!     assert (size (Ce), [k, 2, 3]);
%!     [W, Y, Rw] = qr_block (A, "wy");
%!     assert ({size(W), size(Y)}, {[m, k, 3], [m, k, 3]});
%!     assert (Rw, R);
%!     tol = 30 * m * eps (class (A));
%!     for p = 1:3
%!       assert (C(:,:,p), Q(:,:,p)' * B(:,:,p), tol);
%!       assert (Ce(:,:,p), C(1:k,:,p), tol);
%!       assert (Qe(:,:,p), Q(:,1:k,p), tol);
%!       assert (eye (m) + W(:,:,p) * Y(:,:,p)', Q(:,:,p), tol);
%!       assert (Y(:,:,p), tril (Y(:,:,p)));
%!       assert (diagonal (Y(:,:,p)), ones (k, 1, class (A)));
%!     endfor
%!   endfor
%! endfor

%!## pivoting
%!test
%! for type = "sdcz"
%!   for shape = [1, 1, 5, 7, 16, 17, 40, 33; 1, 5, 1, 4, 16, 9, 12, 50]
%!     m = shape(1);
%!     n = shape(2);
%!     A = numbers (m, n, 2, type, 100 * m + n);
%!     B = numbers (m, 3, 2, type, 8);
%!     [Q, R, P] = qr_block (A);
%!     assert ({size(P), class(P)}, {[n, n, 2], "double"});
%!     [Qe, Re, Pe] = qr_block (A, 0);
%!     assert (size (Pe), [1, n, 2]);
%!     [C, Rc, Pc] = qr_block (A, B, "vector");
%!     assert (Pc, Pe);
%!     assert (Rc, R);
%!     for p = 1:2
%!       a = A(:,:,p);
%!       assert (a(:,Pe(:,:,p)), a * P(:,:,p));
%!       check_qr (a * P(:,:,p), Q(:,:,p), R(:,:,p));
%!       check_qr (a * P(:,:,p), Qe(:,:,p), Re(:,:,p));
%!       d = abs (diagonal (R(:,:,p)));
%!       assert (all (diff (d) <= 10 * n * eps (class (A)) * d(1)));
%!       assert (C(:,:,p), Q(:,:,p)' * B(:,:,p), 30 * m * eps (class (A)));
%!     endfor
%!   endfor
%! endfor

%!## P is a row or a matrix
%!test
%! A = numbers (6, 3, [2, 2], "d", 1);
%! assert (size (nthargout (3, @qr_block, A)), [3, 3, 2, 2]);
%! assert (size (nthargout (3, @qr_block, A, "vector")), [1, 3, 2, 2]);
%! assert (size (nthargout (3, @qr_block, A, "econ")), [1, 3, 2, 2]);
%! assert (size (nthargout (3, @qr_block, A, 0, "matrix")), [3, 3, 2, 2]);
%! assert (size (nthargout (3, @qr_block, A, "VECTOR", "Matrix", "0")), [3, 3, 2, 2]);
%! [q, r, p] = qr (A(:,:,2), "vector");
%! assert (nthargout (3, @qr_block, A(:,:,2), "vector"), p);

%!## the second argument: 0, B, and 0 as B
%!test
%! A = [3, 1; 4, 2; 0, 5];
%! R = qr_block (A, 0);
%! assert (size (R), [2, 2]);
%! for zero = {single(0), int8(0), false}
%!   assert (qr_block (A, zero{1}), R);
%! endfor
%! assert (size (qr_block (A, zeros (3, 0))), [3, 0]);
%! assert (size (qr_block (A, zeros (3, 0), 0)), [2, 0]);
%! [C, R] = qr_block ([3, 4], 5);
%! assert ({abs(C), abs(R)}, {5, [3, 4]}, 10 * eps);
%! [Q, R] = qr_block ([3, 4], 0);
%! assert ({abs(Q), abs(R)}, {1, [3, 4]}, 10 * eps);
%! [C, R] = qr_block ([3, 4], 0, 0);
%! assert ({C, abs(R)}, {0, [3, 4]}, 10 * eps);

%!## one output with B is C, two with "wy" are W and Y, "wy" with the economy form cuts R
%!test
%! A = numbers (9, 4, 2, "z", 3);
%! B = numbers (9, 1, 2, "z", 4);
%! C = qr_block (A, B);
%! assert (C, nthargout (1, 1:2, @qr_block, A, B));
%! [W, Y, R] = qr_block (A, "wy");
%! [W2, Y2] = qr_block (A, "wy");
%! [W3, Y3, R3] = qr_block (A, 0, "WY");
%! assert ({W2, Y2, W3, Y3, R3}, {W, Y, W, Y, R(1:4,:,:)});

%!## signs as LAPACK's
%!test
%! assert (qr_block ([3; 4]), [-5; 0], 10 * eps);
%! assert (qr_block ([-3; -4]), [5; 0], 10 * eps);
%! assert (qr_block ([3; 4i]), [-5; 0], 10 * eps);
%! assert (qr_block ([2; 0]), nthargout (2, @qr, [2; 0]));
%! assert (qr_block (7), nthargout (2, @qr, 7));
%! assert (qr_block (3 + 4i), nthargout (2, @qr, 3 + 4i), 10 * eps);

%!## least squares, a column for each page
%!test
%! A = numbers (30, 4, 5, "d", 5);
%! x = numbers (4, 2, 5, "d", 6);
%! B = zeros (30, 2, 5);
%! for p = 1:5
%!   B(:,:,p) = A(:,:,p) * x(:,:,p);
%! endfor
%! [C, R] = qr_block (A, B, 0);
%! [Cp, Rp, P] = qr_block (A, B, 0);
%! for p = 1:5
%!   assert (R(:,:,p) \ C(:,:,p), x(:,:,p), 1e-13);
%!   y = zeros (4, 2);
%!   y(P(:,:,p),:) = Rp(:,:,p) \ Cp(:,:,p);
%!   assert (y, x(:,:,p), 1e-13);
%! endfor

%!## class and complexity of the results
%!test
%! A = numbers (5, 3, 2, "d", 1);
%! B = numbers (5, 2, 2, "z", 2);
%! [C, R] = qr_block (A, B);
%! assert ({class(C), iscomplex(C), class(R)}, {"double", true, "double"});
%! assert (R, qr_block (A), 30 * eps);
%! [C, R] = qr_block (single (A), B);
%! assert ({class(C), iscomplex(C), class(R)}, {"single", true, "single"});
%! [C, R] = qr_block (A, single (real (B)));
%! assert ({class(C), iscomplex(C), class(R)}, {"single", false, "single"});
%! [C, R] = qr_block (complex (A, A), real (B));
%! assert ({class(C), iscomplex(C)}, {"double", true});

%!## empty results, the shapes of qr
%!test
%! function check_sizes (wanted, count, varargin)
%!   results = cell (1, count);
%!   [results{:}] = qr_block (varargin{:});
%!   assert (cellfun (@size, results, "uniformoutput", false), wanted);
%! endfunction
%! check_sizes ({[0, 3]}, 1, zeros (0, 3));
%! check_sizes ({[0, 0], [0, 3]}, 2, zeros (0, 3));
%! check_sizes ({[0, 0], [0, 3], [3, 3]}, 3, zeros (0, 3));
%! check_sizes ({[0, 0], [0, 3], [1, 3]}, 3, zeros (0, 3), 0);
%! check_sizes ({[3, 3], [3, 0], [0, 0]}, 3, zeros (3, 0));
%! check_sizes ({[3, 0], [0, 0], [1, 0]}, 3, zeros (3, 0), 0);
%! check_sizes ({[0, 0], [0, 0]}, 2, []);
%! check_sizes ({[3, 2], [3, 0]}, 2, zeros (3, 0), ones (3, 2));
%! check_sizes ({[0, 2], [0, 0]}, 2, zeros (3, 0), ones (3, 2), 0);
%! check_sizes ({[0, 2], [0, 3]}, 2, zeros (0, 3), ones (0, 2));
%! check_sizes ({[3, 0], [3, 0], [3, 0]}, 3, zeros (3, 0), "wy");
%! check_sizes ({[0, 0], [0, 0], [0, 3]}, 3, zeros (0, 3), "wy");
%! check_sizes ({[4, 4, 0], [4, 3, 0], [3, 3, 0]}, 3, zeros (4, 3, 0));
%! check_sizes ({[4, 3, 0, 2], [3, 3, 0, 2], [1, 3, 0, 2]}, 3, zeros (4, 3, 0, 2), 0);
%! check_sizes ({[4, 1, 0], [4, 3, 0]}, 2, zeros (4, 3, 0), zeros (4, 1, 0));
%! check_sizes ({[3, 3, 2], [3, 0, 2], [0, 0, 2]}, 3, zeros (3, 0, 2));
%! for type = {"double", "single"}
%!   [Q, R, P] = qr_block (zeros (3, 0, 2, type{1}), "vector");
%!   assert (Q, repmat (eye (3, type{1}), [1, 1, 2]));
%!   assert ({class(R), size(P)}, {type{1}, [1, 0, 2]});
%! endfor
%! assert (nthargout (3, @qr_block, zeros (0, 3, 2), 0), repmat (1:3, [1, 1, 2]));
%! assert (nthargout (3, @qr_block, zeros (0, 3)), eye (3));
%! assert (qr_block (zeros (3, 0), ones (3, 2)), ones (3, 2));

%!## trailing dimensions are kept, and a page has the same bits alone
%!test
%! A = numbers (7, 5, [2, 1, 3], "z", 3);
%! [Q, R, P] = qr_block (A, 0);
%! assert ({size(Q), size(R), size(P)}, {[7, 5, 2, 1, 3], [5, 5, 2, 1, 3], [1, 5, 2, 1, 3]});
%! [Q, R] = qr_block (A);
%! for p = 1:6
%!   [q, r] = qr_block (A(:,:,p));
%!   assert ({q, r}, {Q(:,:,p), R(:,:,p)});
%! endfor

%!## special kinds of double arrays, and A is not changed
%!test
%! assert (abs (qr_block (eye (3))), eye (3));
%! assert (abs (qr_block (eye (3)(:,[2, 1, 3]))), eye (3)(:,[2, 1, 3])(:,[2, 1, 3]), 0);
%! assert (abs (qr_block (3:3)), 3);
%! assert (abs (qr_block ((1:4).')(1)), sqrt (30), 30 * eps);
%! A = numbers (6, 4, 3, "d", 9);
%! B = A;
%! B(1) = B(1);
%! C = qr_block (A, A);
%! assert (A, B);

%!## NaN and Inf stay in their page
%!test
%! A = numbers (8, 3, 5, "d", 7);
%! [Q, R] = qr_block (A);
%! for bad = [NaN, Inf, -Inf]
%!   X = A;
%!   X(4,2,3) = bad;
%!   [Qx, Rx] = qr_block (X);
%!   rest = [1, 2, 4, 5];
%!   assert (Qx(:,:,rest), Q(:,:,rest));
%!   assert (Rx(:,:,rest), R(:,:,rest));
%!   assert (any (isnan (Qx(:,:,3)(:))));
%!   assert (any (! isfinite (Rx(:,:,3)(:))));
%! endfor

%!## rank deficient, huge and tiny
%!test
%! A = numbers (10, 6, 6, "d", 2);
%! A(:,3,1) = 0;
%! A(:,4,2) = A(:,1,2);
%! A(:,:,3) = 0;
%! A(:,:,4) *= 1e300;
%! A(:,:,5) *= 1e-300;
%! [Q, R] = qr_block (A);
%! scale = 2 .^ reshape ([0, 0, 0, -990, 990, 0], [1, 1, 6]);
%! check_qr (A .* scale, Q, R .* scale);
%! assert (R(:,:,3), zeros (10, 6));

%!## options
%!test
%! A = numbers (70, 50, 2, "d", 1);
%! [Q, R] = qr_block (A, 0);
%! for block = {1, 7, int8(16), single(64), 1000}
%!   [Qb, Rb] = qr_block (A, 0, "Block", block{1}, "DEVICE", "cpu");
%!   check_qr (A, Qb, Rb);
%!   assert (Rb, R, 1e-12);
%! endfor
%! assert (qr_block (A, "device", "auto"), qr_block (A));

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
%! note_progress ();
%! R = qr_block (A, "progress", @note_progress);
%! calls = note_progress ();
%! assert (rows (calls) >= 1);
%! assert (calls(end,:), [500, 500]);
%! assert (issorted (calls(:,1)));
%! assert (R, qr_block (A));
%! text = evalc ('qr_block (A, "progress", true);');
%! assert (! isempty (strfind (text, "qr_block: 500 of 500 pages, 100 %")));
%! assert (evalc ('R = qr_block (A, "progress", false);'), "");
%! fail ('qr_block (A, "progress", @(varargin) error ("my:id", "enough"))', "enough");
%! assert (qr_block (A, "progress", @(varargin) batcheig (eye (2))), R);

%!## GPUs by number
%!test
%! A = numbers (20, 6, 8, "d", 2);
%! count = numel (gpulinalg_info ().devices);
%! places = [{"cpu", "auto"}, num2cell(0:count - 1)];
%! if (count > 0)
%!   places = [places, {0:count - 1, "gpu"}];
%! endif
%! for place = places
%!   [Q, R] = qr_block (A, "device", place{1});
%!   check_qr (A, Q, R);
%! endfor

%!testif ; isempty (gpulinalg_info ().devices)
%! fail ('qr_block (1, "device", "gpu")', "no GPU");
%! try, qr_block (1, "device", 0); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");

%!## errors
%!error <Invalid call> qr_block ()
%!error <Invalid call> [a, b, c, d] = qr_block (1);
%!error id=gpulinalg:bad-class qr_block (true)
%!error id=gpulinalg:bad-class qr_block (int32 (1))
%!error id=gpulinalg:bad-class qr_block ("a")
%!error id=gpulinalg:bad-class qr_block ({1})
%!error id=gpulinalg:bad-class qr_block (struct ("a", 1))
%!error id=gpulinalg:bad-class qr_block (@sin)
%!error id=gpulinalg:bad-class qr_block (sparse (1))
%!error id=gpulinalg:bad-class qr_block (sparse (1i))
%!error <A must be a single or double array, not logical> qr_block (true)
%!error <A must be a full array, not sparse; use full \(A\)> qr_block (sparse (1))
%!error id=gpulinalg:bad-class qr_block (1, int8 (1))
%!error id=gpulinalg:bad-class qr_block (1, true)
%!error <B must be a single or double array, not cell> qr_block (1, {})
%!error <B must be a full array, not sparse; use full \(B\)> qr_block (1, sparse (1))
%!error id=gpulinalg:bad-shape qr_block (ones (3, 2), [])
%!error id=gpulinalg:bad-shape qr_block (ones (3, 2, 4), ones (3, 1))
%!error id=gpulinalg:bad-shape qr_block (ones (3, 2), ones (3, 1, 4), 0)
%!error <B must have the rows and the pages of A, but A is 3x2 and B is 2x5> ...
%! qr_block (ones (3, 2), ones (2, 5))
%!error <B must have the rows and the pages of A, but A is 3x2x4 and B is 3x1x5> ...
%! qr_block (ones (3, 2, 4), ones (3, 1, 5))
%!error id=gpulinalg:bad-value qr_block (1, 2, 3)
%!error <argument 3 must be 0 or the name of an option, not of class double> qr_block (1, 2, [])
%!error <argument 4 must be the name of an option, not of class double> qr_block (1, 2, 0, 0)
%!error <argument 3 must be the name of an option, not of class cell> qr_block (1, "econ", {})
%!error id=gpulinalg:bad-option qr_block (1, "colour")
%!error <unknown option "Colour"; known are "econ", "0", "vector", "matrix", "wy", "block", "device" or "progress"> ...
%! qr_block (1, "Colour", 3)
%!error <option "block" needs a value> qr_block (1, "block")
%!error <"wy" does not go together with B> qr_block (1, 2, "wy")
%!error <"wy" does not go together with "vector", there is no pivoting> qr_block (1, "vector", "wy")
%!error id=gpulinalg:bad-option qr_block (1, 2, "wy")
%!error id=gpulinalg:bad-value qr_block (1, "block", 0)
%!error <option "block" must be a positive integer, not 0> qr_block (1, "block", 0)
%!error <option "block" must be a positive integer, not 2\.5> qr_block (1, "block", 2.5)
%!error <option "block" must be a positive integer, not NaN> qr_block (1, "block", NaN)
%!error <option "block" must be a positive integer> qr_block (1, "block", "large")
%!error <option "block" must be a positive integer> qr_block (1, "block", [8, 8])
%!error id=gpulinalg:bad-value qr_block (1, "device", "tpu")
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> qr_block (1, "device", "tpu")
%!error <option "progress" must be true, false or a function handle, not of class char> ...
%! qr_block (1, "progress", "yes")
%!error id=Octave:bad-alloc [Q, R] = qr_block (ones (2e7, 1));

%!demo
%! ## A trend and the seasons of a year in 40 years of daily values: least squares, 14610 x 14.
%! t = (0:14609).' / 365.25;
%! y = 10 + 0.03 * t - 8 * cos (2 * pi * t) + 2 * sin (4 * pi * t) + 3 * randn (size (t));
%! A = [ones(size (t)), t, cos(2 * pi * t * (1:6)), sin(2 * pi * t * (1:6))];
%! [C, R] = qr_block (A, y, 0);
%! x = R \ C;
%! plot (t, y, ".", "color", [0.7, 0.7, 0.7], t, A * x, "linewidth", 2);
%! xlim ([0, 4]);
%! xlabel ("years");
%! ylabel ("temperature");
%! title (sprintf ("trend %.3f degrees per year, from one call of qr\\_block", x(2)));
*/
