// qr_block.cc: qr_block for Octave; its tests are in qr_block.tst, qr_block-*.tst
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/gpu_pages.h"
#include "qr_block.h"

#include <algorithm>

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

static bool has_flag (const octave_value_list &args, const char *flag)
{
  for (int k = 1; k < args.length (); k++)
    if (gla::is_text (args (k)) && gla::lower_case (args (k).string_value ()) == flag)
      return true;
  return false;
}

// Reads the arguments between A and the options: B, or 0 for the economy form, or B and 0. With
// "solve" a single 0 is B. Returns the index of the first option.
static int read_positional (const octave_value_list &args, octave_value &B, qr_request &want)
{
  int count = 1;
  while (count < args.length () && count < 3 && !args (count).is_string ())
    count++;
  want.economy = count > (has_flag (args, "solve") ? 2 : 1) && gla::is_zero (args (count - 1));
  if (count == 3 && !want.economy)
    error_with_id (
        "gpulinalg:bad-value", "qr_block: argument 3 must be 0 or the name of an option, not %s",
        gla::is_real_scalar (args (2)) ? gla::text_of (args (2).double_value ()).c_str ()
                                       : ("of class " + args (2).class_name ()).c_str ());
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
  if (a == b)
    return;
  const bool one_A = a.ndims () == 2 && b.ndims () > 2 && a (0) == b (0);
  const bool one_B = a.ndims () > 2 && b.ndims () == 2 && a (0) == b (0);
  error_with_id ("gpulinalg:bad-shape",
                 "qr_block: B must have the rows and the pages of A, but A is %s and B is %s%s",
                 a.str ().c_str (), B.dims ().str ().c_str (),
                 one_A   ? "; pagemldivide (A, B) solves with one A for all pages"
                 : one_B ? "; pagemldivide (A, B) solves with one B for all pages"
                         : "");
}

static void read_options (const gla::options &opts, bool have_B, qr_request &want)
{
  want.economy = want.economy || !opts.last_flag ({"econ", "0"}).empty ();
  want.wy = !opts.last_flag ({"wy"}).empty ();
  std::string form = opts.last_flag ({"vector", "matrix"});
  want.vector = form.empty () ? want.economy : form == "vector";
  want.solve = !opts.last_flag ({"solve"}).empty ();
  if (want.wy && have_B)
    error_with_id ("gpulinalg:bad-option", "qr_block: \"wy\" cannot be combined with B");
  if (want.solve && !have_B)
    error_with_id ("gpulinalg:bad-option",
                   "qr_block: \"solve\" needs right-hand sides, qr_block (A, B, \"solve\")");
  if (want.solve && !form.empty ())
    error_with_id ("gpulinalg:bad-option",
                   "qr_block: \"solve\" cannot be combined with \"%s\", because there is no P",
                   form.c_str ());
  if (want.solve && want.outputs > 2)
    error_with_id ("Octave:invalid-fun-call",
                   "qr_block: function called with too many outputs; with \"solve\" they are x "
                   "and info");
  if (want.wy && !form.empty ())
    error_with_id ("gpulinalg:bad-option",
                   "qr_block: \"wy\" cannot be combined with \"%s\", because there is no pivoting",
                   form.c_str ());
  want.qr.pivot = want.outputs == 3 && !want.wy;
  want.qr.block = opts.count ("block", 0);
}

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

NDArray qr_permutations (const std::vector<int64_t> &order, const dim_vector &dims, bool vector)
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
static octave_value_list factorize (gla::call &call, const octave_value &arg_A,
                                    const octave_value &arg_B, const qr_request &want)
{
  Array A, B, Q, R, C, W, Y;
  bool have_B = arg_B.is_defined ();
  gla::read (arg_A, A);
  if (have_B)
    gla::read (arg_B, B);
  dim_vector dims = A.dims ();
  octave_idx_type m = dims (0), n = dims (1), k = std::min (m, n);
  octave_idx_type rows = want.economy ? k : m; // of R and C; also the columns of Q

  auto results = gla::sized<gla_qr_results> ();
  if (want.wy) {
    gla::allocate (W, results.W, dims, m, k);
    gla::allocate (Y, results.Y, dims, m, k);
  } else if (have_B) {
    gla::allocate (C, results.C, dims, rows, B.dims () (1));
  } else if (want.outputs > 1) {
    gla::allocate (Q, results.Q, dims, m, rows);
  }
  if (want.wy ? want.outputs > 2 : want.outputs > 1 || !have_B)
    gla::allocate (R, results.R, dims, rows, n);
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
  return ovl (have_B ? C : Q, R, qr_permutations (order, dims, want.vector));
}

// Says what becomes of the outputs if gpuArrays are on the host, for gla::with_gathered: P and info
// stay there, as they do if there is a GPU.
static const char *places_of (const octave_value_list &args)
{
  return has_flag (args, "solve") ? "ah" : has_flag (args, "wy") ? "aaa" : "aah";
}

gla::options qr_block_arguments (const octave_value_list &args, int nargout, octave_value &B,
                                 qr_request &want)
{
  gla::check_counts ("qr_block", args, 1, gla::any_number, nargout, 3);
  want.qr = gla::sized<gla_qr_options> ();
  want.outputs = std::max (1, nargout);
  const int first_option = read_positional (args, B, want);
  const bool have_B = B.is_defined ();
  gla::options opts ("qr_block", args, first_option,
                     {"econ", "0", "vector", "matrix", have_B ? "solve" : "wy"},
                     {"block", "device", "progress", "mpi"}, {have_B ? "wy" : "solve"});
  check_arrays (args (0), B);
  read_options (opts, have_B, want);
  return opts;
}

static octave_value_list qr_block_body (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  qr_request want = {};
  octave_value B;
  const gla::options opts = qr_block_arguments (args, nargout, B, want);
  const octave_value A = args (0);

  if (want.solve && gla::any_on_gpu (args))
    return qr_block_solve_on_gpu (A, B, want, opts);
  gla::call call ("qr_block", interp, gla::context_of_pages (args, opts.value ("progress")));
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  if (want.solve)
    return qr_block_least_squares (call, nullptr, A, B, want);
  return gla::in_page_class_of (
      A, B, [&] (auto array, auto) { return factorize<decltype (array)> (call, A, B, want); });
}

DEFMETHOD_DLD (qr_block, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{R} =} qr_block (@var{A})
 @deftypefnx {gpulinalg} {[@var{Q}, @var{R}] =} qr_block (@var{A})
 @deftypefnx {gpulinalg} {[@var{Q}, @var{R}, @var{P}] =} qr_block (@var{A})
 @deftypefnx {gpulinalg} {[@var{C}, @var{R}] =} qr_block (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{C}, @var{R}, @var{P}] =} qr_block (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {@var{x} =} qr_block (@var{A}, @var{B}, "solve")
 @deftypefnx {gpulinalg} {[@var{x}, @var{info}] =} qr_block (@var{A}, @var{B}, "solve")
 @deftypefnx {gpulinalg} {[@var{W}, @var{Y}, @var{R}] =} qr_block (@var{A}, "wy")
 @deftypefnx {gpulinalg} {[@dots{}] =} qr_block (@dots{}, 0)
 @deftypefnx {gpulinalg} {[@dots{}] =} qr_block (@dots{}, @var{flag}, @dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} qr_block (@dots{}, @var{name}, @var{value}, @dots{})
Compute the QR factorization of a large matrix, a tall one, or many at once.

@code{@var{Q} * @var{R} = @var{A}} with a unitary @var{Q} and an upper triangular
@var{R}.  @var{A} is a full array of @var{m}-by-@var{n} pages of any shape, single
or double, real or complex.  It may have any number of dimensions, and the results
keep those from the third on.  The work is done on an NVIDIA GPU where there is one
and where it is faster, otherwise on all cores of the CPU.

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
An array with the rows and the pages of @var{A}.  The first output is
@code{@var{C} = @var{Q}' * @var{B}}, and @var{Q} is not formed.
@code{@var{R} \ @var{C}} is the solution of the least squares problem, which
@qcode{"solve"} gives for all pages.  All results are single where @var{A} or
@var{B} is single, and complex where one of them is complex.

@item @qcode{"solve"}
The least squares solutions @code{@var{x} = @var{A} \ @var{B}} of all pages, for
any number of right-hand sides, by reflectors and column pivoting.  Small columns count
in full; rows do not that are below the rounding of larger ones, also in square pages, of
which @code{pagemldivide} gives what @code{\} gives.  Where the columns of a page of @var{A} depend on
each other, to rounding, and where @code{@var{m} < @var{n}}, @var{x} is the
solution of least norm.  In the first case the warning
@code{gpulinalg:rank-deficient} names the first such page.  The rank is determined
with the columns of @var{A} scaled to one length.  Where it depends on
columns that are more than 65536 times (single: 1024 times) shorter than the longest
one, they count in the norm of the solution as if they were that long.  The int32 column @var{info} has a number for
each page: 0 if all is well; @var{k} from 1 to @code{min (@var{m}, @var{n})} if
the rank of @var{A} is @var{k} less than that; @var{n}+1 if @var{A} or @var{B}
holds NaN or Inf, where @var{x} is NaN.  With the output @var{info} there are no
warnings about pages.

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
the size of @var{A} and the machine.  On a GPU the economy factors of a large
@var{A} with columns far from dependent are by default computed from
@code{@var{A}' * @var{A}}, without reflectors.

@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
The default is @code{false}.
@end table

@subheading Rows on several processes
With the option @qcode{"mpi"} and the value @qcode{"rows"}, the rows of @var{A} on
rank 0, those on rank 1 and so on are one matrix; see @code{gpulinalg_mpi}.  All
ranks make the same call, each with its own rows of @var{A} and @var{B}; a rank may
have none.  @var{Q} has these rows, too; @var{R}, @var{C}, @var{P}, @var{x} and
@var{info} are the same on all ranks, to the bit.  With @var{m}, the rows of all
ranks together, everything above holds, but for this: the form is economical and 0 or
@qcode{"econ"} must say so; there is no @qcode{"wy"} and no @qcode{"progress"}; and
warnings are given on rank 0 alone.  From each rank @code{@var{n} * (@var{n} + 1) / 2}
numbers of a page go to another one, and as many come back, for @var{Q}
@code{@var{n}^2} in addition.  Each rank factors its rows on its CPU or on one GPU, as
@qcode{"device"} says; see @code{gpulinalg_mpi}.

NaN and Inf in a page spread through the factors of that page and leave the other
pages as they are.

A parabola through 1000 points:

@example
@group
t = linspace (0, 1, 1000).';
A = [ones(1000, 1), t, t.^2];
x = qr_block (A, 3 + 2 * t - t.^2, "solve");
norm (x - [3; 2; -1]) < 1e-12
   @result{} ans = 1
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

@subheading Limits
On the CPU @var{m} and @var{n} are below @code{2^28} where LAPACK has 32-bit
integers.  GPUs before compute capability 8.0 do not serve @code{qr_block}; without
cuBLAS a GPU serves small matrices only.  With @qcode{"solve"}, pages of
less than full rank, and pages with @code{@var{m} < @var{n}}, are done by the CPU.

@subheading gpuArrays
Where @var{A} or @var{B} is a gpuArray the work is done where it is, the other one is
copied there, and the results but @var{P} and @var{info} are gpuArrays.  With
@qcode{"solve"}, pages with fewer rows than columns, and those whose condition number is
more than @code{1 / (@var{m} * eps)} where their columns have one length, are solved by
the singular value decomposition as in @code{pagelsqminnorm}.  There is no @qcode{"mpi"}.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} or @var{B} is sparse, or neither single nor double.
@item gpulinalg:bad-shape
@var{B} does not have the rows and pages of @var{A}.
@item gpulinalg:gather-needed
A gpuArray in a form that does not take one.
@item gpulinalg:bad-option
The option is unknown or has no value, or two options exclude each other:
@qcode{"wy"} with @var{B}, @qcode{"solve"} without @var{B}, @qcode{"vector"} or
@qcode{"matrix"} where there is no @var{P}.
@item gpulinalg:bad-value
The option does not take this value, the third argument is neither 0 nor a name, or
the GPU that was asked for does not serve matrices of this size.
@item gpulinalg:no-device
The GPU that was asked for does not exist, or has failed in an earlier call.
@item gpulinalg:no-mpi
@itemx gpulinalg:mpi-mismatch
@itemx gpulinalg:mpi-failed
With @qcode{"mpi"}: see @code{gpulinalg_mpi}.
@item gpulinalg:forked
A GPU was asked for in a child of @code{fork}.
@item Octave:bad-alloc
There is not enough memory for the results or the work.
@end table

Warnings, with @qcode{"solve"} and without the output @var{info}:
@code{gpulinalg:rank-deficient}; @code{gpulinalg:pages-failed}, pages hold NaN or
Inf.  Always: @code{gpulinalg:device-memory} and @code{gpulinalg:device-failed}, a
GPU had too little memory or failed, and the CPU did the rest of the work.

@subheading References
C. Bischof and C. Van Loan, The WY representation for products of Householder
matrices, SIAM J. Sci.@: Stat.@: Comput.@: 8 (1987), s2--s13;
A. Kerr, D. Campbell and M. Richards, QR decomposition on GPUs, Proc.@: GPGPU-2
(2009), 71--78;
J. Demmel, L. Grigori, M. Hoemmen and J. Langou, Communication-optimal parallel and
sequential QR and LU factorizations, SIAM J. Sci.@: Comput.@: 34 (2012), A206--A239;
G. Ballard, J. Demmel, L. Grigori, M. Jacquelin, H. D. Nguyen and E. Solomonik,
Reconstructing Householder vectors from tall-skinny QR, Proc.@: IPDPS (2014).

@seealso{batcheig, gsvd_hz, gpulinalg_mpi, gpulinalg_info, qr, mldivide}
@end deftypefn)doc")
{
  return gla::guarded ("qr_block", [&] () {
    if (gla::wants_mpi (args))
      return gla::call_of_ranks ("qr_block", interp, args, nargout);
    return gla::with_gpu_matrices (args, places_of (args), [&] (const octave_value_list &all) {
      return qr_block_body (interp, all, nargout);
    });
  });
}

/*
%!demo
%! ## A trend and the seasons of a year in 40 years of daily values: least squares, 14610 x 14.
%! t = (0:14609).' / 365.25;
%! y = 10 + 0.03 * t - 8 * cos (2 * pi * t) + 2 * sin (4 * pi * t) + 3 * randn (size (t));
%! A = [ones(size (t)), t, cos(2 * pi * t * (1:6)), sin(2 * pi * t * (1:6))];
%! x = qr_block (A, y, "solve");
%! printf ("trend: %.4f degrees per year\n", x(2));
%! plot (t, y, ".", "color", [0.7, 0.7, 0.7], t, A * x, "linewidth", 2);
%! xlim ([0, 4]);
%! xlabel ("years");
%! ylabel ("temperature");
%! title (sprintf ("trend %.3f degrees per year", x(2)));
*/
