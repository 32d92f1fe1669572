// page_division.cc: systems of equations with the pages of two arrays
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Square pages go to gla_pagesolve, rectangular ones to gla_least_squares. Pages of A with a single
// element divide the elements of B.

#include "page_division.h"
#include "arrays/gpu_steps.h"

#include <cmath>
#include <limits>

namespace gla
{

octave_value placed_on_gpu (const char *who, const octave_value &x, const octave_value &device)
{
  const octave_value numbers = gathered (device);
  const int place =
      numbers.isnumeric () ? static_cast<int> (numbers.array_value ().xelem (0)) : gpu_device ();
  return value_of (moved_to (place, who, x));
}

void check_place (const char *who, octave::interpreter &interp, const options &opts)
{
  gla::call check (who, interp);
  check.set_place (opts.value ("device"));
  check.set_progress (opts.value ("progress"));
}

// Returns a number for each page of A from one for each page of X. If pages of A belong to several
// pages of X, a number replaces NaN, which may come from B. NaN if X has no pages.
template <typename R>
static octave_value of_pages_of_A (const R &x, const page_grid &grid, const octave_value &A)
{
  dim_vector dims = A.dims ();
  dims (0) = dims (1) = 1;
  if (in_order (grid.x_step))
    return x.reshape (dims);
  R a (dims, std::numeric_limits<typename R::element_type>::quiet_NaN ());
  for (octave_idx_type p = 0; p < x.numel (); p++)
    if (!std::isnan (x.xelem (p)))
      a.xelem (grid.page (p, grid.x_step)) = x.xelem (p);
  return a;
}

// Does the same on a GPU, where each page of A belongs to one of X.
template <typename R>
static octave_value of_pages_of_A (const gpu_pages<R> &x, const page_grid &, const octave_value &A)
{
  dim_vector dims = A.dims ();
  dims (0) = dims (1) = 1;
  return value_of (reshaped (x.value (), dims));
}

//------------------------------------------------------------------------------
// square pages
//------------------------------------------------------------------------------

template <typename Array, typename Real>
static octave_value_list solve_square (gla::call &call, const page_division &want,
                                       const page_grid &grid, const dim_vector &dims)
{
  const bool single = want.A.is_single_type () || want.B.is_single_type ();
  const bool gpu = any_on_gpu (ovl (want.A, want.B));
  const operand A (want.A, single, gpu), B (want.B, single, gpu);
  auto options = sized<gla_pagesolve_options> ();
  options.op_a = want.op;
  options.side = want.side;
  options.dims = static_cast<int> (grid.size.size ());
  options.dim_size = grid.size.data ();
  options.a_step = grid.x_step.data ();
  options.b_step = grid.y_step.data ();
  const auto found = solve_pages<Array, Real> (call, want, A.array (), &B.array (), &options, dims);
  if (want.outputs < 2)
    return ovl (found.X);
  return ovl (found.X, of_pages_of_A (found.rcond, grid, want.A), found.info);
}

//------------------------------------------------------------------------------
// rectangular pages
//------------------------------------------------------------------------------

// op (A)*X = B needs no change; X*op (A) = B is transposed.
static octave_value left_matrix (const page_division &want)
{
  if (want.side == GLA_SIDE_LEFT)
    return want.op == 'N' ? want.A : transposed (want.A, want.op);
  if (want.op == 'N')
    return transposed (want.A, 'T');
  return want.op == 'C' && want.A.iscomplex () ? want.A.conj () : want.A;
}

template <typename Array, typename Real>
static octave_value_list solve_least_squares (gla::call &call, const page_division &want,
                                              const octave_value &arg_A, const octave_value &arg_B,
                                              octave_value &ranks)
{
  Array A, B;
  read (arg_A, A);
  read (arg_B, B);
  const octave_idx_type m = A.dims () (0), n = A.dims () (1), pages = pages_of (B.dims ());
  Array X = unfilled<Array> (dim_vector (n, B.dims () (1), pages));
  int32NDArray info (dim_vector (pages, 1));
  const gla_array a = input (A), b = input (B);
  auto results = sized<gla_least_squares_results> ();
  results.X = output (X);
  results.info = reinterpret_cast<int32_t *> (info.fortran_vec ());
  auto report = sized<gla_least_squares_report> ();
  call.finish (gla_least_squares (call.context (), &a, &b, &results, nullptr, &report));
  if (want.outputs < 3 && report.base.pages_failed > 0)
    warn_of_failed_pages (want.who, results.info, pages, {not_finite (n)});
  Real rank (dim_vector (1, 1, pages));
  for (octave_idx_type p = 0; p < pages; p++)
    rank.xelem (p) = results.info[p] > n
                         ? std::numeric_limits<typename Real::element_type>::quiet_NaN ()
                         : std::min (m, n) - results.info[p];
  ranks = rank;
  return ovl (X, info);
}

static octave_value_list divide_rectangular (gla::call &call, const page_division &want,
                                             const page_grid &grid, const dim_vector &dims)
{
  const bool left = want.side == GLA_SIDE_LEFT;
  const octave_value A = gather (left_matrix (want), grid, grid.x_step);
  const octave_value B = gather (left ? want.B : transposed (want.B, 'T'), grid, grid.y_step);
  return in_class_of (A, B, [&] (auto array, auto real) {
    typedef decltype (array) Array;
    typedef decltype (real) Real;
    octave_value ranks;
    const octave_value_list solved = solve_least_squares<Array, Real> (call, want, A, B, ranks);
    const octave_value X = left ? solved (0) : transposed (solved (0), 'T');
    if (want.outputs < 2)
      return ovl (X.reshape (dims));
    Real rank;
    read (ranks, rank);
    return ovl (X.reshape (dims), of_pages_of_A (rank, grid, want.A), solved (1));
  });
}

//------------------------------------------------------------------------------
// pages of one element
//------------------------------------------------------------------------------

// Returns 1; 0 if the element is 0 or infinite; NaN if it is NaN.
static double rcond_of_element (double x)
{
  return std::isnan (x) ? x : x != 0 && std::isfinite (x);
}

template <typename Real>
static octave_value_list describe_elements (const page_division &want, const page_grid &grid,
                                            octave_idx_type pages)
{
  Real size;
  read (want.A.abs (), size);
  int32NDArray info (dim_vector (pages, 1));
  Real rcond (size.dims ());
  for (octave_idx_type p = 0; p < rcond.numel (); p++)
    rcond.xelem (p) = static_cast<typename Real::element_type> (rcond_of_element (size.xelem (p)));
  for (octave_idx_type p = 0; p < pages; p++) {
    const double x = size.xelem (grid.page (p, grid.x_step));
    info.xelem (p) = x == 0 ? 1 : std::isfinite (x) ? 0 : 2;
  }
  return ovl (rcond, info);
}

static octave_value_list divide_by_elements (octave::interpreter &interp, gla::call &call,
                                             const page_division &want, const page_grid &grid,
                                             octave_idx_type pages)
{
  const octave_value A = want.op == 'C' && want.A.iscomplex () ? want.A.conj () : want.A;
  const octave_value X = gla::feval (interp, "rdivide", ovl (want.B, A)) (0);
  call.report (pages, pages);
  call.finish (GLA_OK);
  if (want.outputs < 2)
    return ovl (X);
  const octave_value_list more = X.is_single_type ()
                                     ? describe_elements<FloatNDArray> (want, grid, pages)
                                     : describe_elements<NDArray> (want, grid, pages);
  return ovl (X, more (0), more (1));
}

//------------------------------------------------------------------------------
// by QR on a GPU
//------------------------------------------------------------------------------

// __gpu_divide__ does with gpuArrays what gla_pagesolve does not do on a GPU.
static octave_value_list divide_on_gpu (octave::interpreter &interp, const page_division &want,
                                        const options &opts)
{
  const gpu_arrays_inside inside (interp);
  const bool moves = !any_on_gpu (ovl (want.A, want.B));
  const octave_value device = device_or_session (opts.value ("device"));
  auto place = [&] (const octave_value &x) {
    return moves ? placed_on_gpu (want.who, x, device) : x;
  };
  const char op[] = {want.op, '\0'};
  octave_value_list found = in_name_of (want.who, [&] () {
    return gpu_pages_function ("divide",
                               ovl (place (want.A), place (want.B), octave_value (op),
                                    octave_value (want.side == GLA_SIDE_RIGHT),
                                    octave_value (want.outputs > 1),
                                    opts.given ({"device", "progress"})),
                               3);
  });
  const int32NDArray info = found (2).int32_array_value ();
  const bool left = want.side == GLA_SIDE_LEFT;
  const octave_idx_type n = left ? columns_of (want.A, want.op) : rows_of (want.A, want.op);
  if (want.outputs < 3)
    warn_of_failed_pages (want.who, reinterpret_cast<const int32_t *> (info.data ()), info.numel (),
                          {not_finite (n)});
  if (want.outputs < 2)
    return ovl (moves ? gathered (found (0)) : found (0));
  return ovl (moves ? gathered (found (0)) : found (0), moves ? gathered (found (1)) : found (1),
              info);
}

//------------------------------------------------------------------------------
// all of them
//------------------------------------------------------------------------------

static bool needs_qr_on_gpu (const page_division &want, const page_grid &grid,
                             const dim_vector &dims, const octave_value &device)
{
  const bool square = want.A.rows () == want.A.columns (),
             large = want.A.rows () > GLA_PAGESOLVE_GPU_ROWS;
  if (any_on_gpu (ovl (want.A, want.B)))
    return !square || large || (want.outputs > 1 && !in_order (grid.x_step));
  return square && large && pages_of (dims) > 0 && asks_for_gpu (device);
}

static void check_sizes (const page_division &want)
{
  const bool left = want.side == GLA_SIDE_LEFT;
  const octave_idx_type a = left ? rows_of (want.A, want.op) : columns_of (want.A, want.op);
  const octave_idx_type b = left ? want.B.rows () : want.B.columns ();
  if (a != b)
    error_with_id ("gpulinalg:bad-shape",
                   "%s: the pages of A have %lld %s%s and those of B have %lld", want.who,
                   static_cast<long long> (a), left ? "rows" : "columns",
                   want.op == 'N' ? "" : ", transposed as requested,", static_cast<long long> (b));
}

static octave_value_list divide (octave::interpreter &interp, const page_division &want,
                                 const options &opts)
{
  const bool left = want.side == GLA_SIDE_LEFT, by_elements = is_scalar (want.A);
  if (!by_elements)
    check_sizes (want);
  dim_vector dims;
  const page_grid grid = expand_pages (want.who, "A", want.A.dims (), "B", want.B.dims (), dims);
  if (by_elements && asks_for_gpu (opts.value ("device")))
    error_with_id ("gpulinalg:bad-value", "%s: pages of A with one element are not done on a GPU",
                   want.who);
  if (!by_elements &&
      needs_qr_on_gpu (want, grid, dims, device_or_session (opts.value ("device")))) {
    check_place (want.who, interp, opts);
    return divide_on_gpu (interp, want, opts);
  }

  gla::call call (want.who, interp,
                  gla::context_of_pages (ovl (want.A, want.B), opts.value ("progress")));
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  if (by_elements)
    return divide_by_elements (interp, call, want, grid, pages_of (dims));
  dims (0) = left ? columns_of (want.A, want.op) : want.B.rows ();
  dims (1) = left ? want.B.columns () : rows_of (want.A, want.op);
  if (want.A.rows () != want.A.columns ())
    return divide_rectangular (call, want, grid, dims);
  return in_page_class_of (want.A, want.B, [&] (auto array, auto real) {
    return solve_square<decltype (array), decltype (real)> (call, want, grid, dims);
  });
}

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

// Reads (A, B) or (A, transpA, B); returns where the options begin.
static int read_left (const octave_value_list &args, page_division &want)
{
  const bool has_op = args (1).is_string ();
  if (has_op && args.length () < 3)
    print_usage ();
  if (has_op)
    want.op = read_op (want.who, "transpA", args (1));
  want.A = args (0);
  want.B = args (has_op ? 2 : 1);
  check_float_array (want.who, "A", want.A);
  check_float_array (want.who, "B", want.B);
  return has_op ? 3 : 2;
}

// Whether the third argument is transpA. Options come in pairs, so an odd number of arguments has
// it, unless an option has no value.
static bool has_last_op (const octave_value_list &args)
{
  if (args.length () < 3)
    return false;
  const std::string word = is_text (args (2)) ? lower_case (args (2).string_value ()) : "";
  return is_op (args (2)) || (args.length () % 2 == 1 && word != "device" && word != "progress");
}

// Reads (B, A) or (B, A, transpA).
static int read_right (const octave_value_list &args, page_division &want)
{
  want.B = args (0);
  want.A = args (1);
  check_float_array (want.who, "B", want.B);
  check_float_array (want.who, "A", want.A);
  const bool has_op = has_last_op (args);
  if (has_op)
    want.op = read_op (want.who, "transpA", args (2));
  return has_op ? 3 : 2;
}

octave_value_list divide_pages (octave::interpreter &interp, const char *who, gla_side side,
                                const octave_value_list &args, int outputs)
{
  return guarded (who, [&] () {
    return with_gpu_matrices (args, "arh", [&] (const octave_value_list &all) {
      check_counts (who, all, 2, any_number, outputs, 3);
      page_division want;
      want.who = who;
      want.side = side;
      want.outputs = outputs;
      const int read = side == GLA_SIDE_LEFT ? read_left (all, want) : read_right (all, want);
      return divide (interp, want, options (who, all, read, {}, {"device", "progress"}));
    });
  });
}

} // namespace gla
