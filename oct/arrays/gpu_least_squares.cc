// gpu_least_squares.cc: least squares solutions of pages on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether a page has full rank is judged with the columns of R scaled to one size, as on the CPU:
// by an estimate of the condition number. Other pages, and those with fewer rows than columns, are
// solved by the singular value decomposition.

#include "gpu_pages.h"
#include "gpu_steps.h"

#include <octave/int32NDArray.h>

#include <limits>

namespace gla
{

namespace
{

octave_value_list call_pages (const char *name, const octave_value_list &args, int outputs)
{
  return feval (the_interpreter (), name, args, outputs);
}

bool is_single_pair (const octave_value &A, const octave_value &B)
{
  return A.is_single_type () || B.is_single_type ();
}

// Returns zeros of the class of the solution; a gpuArray if A or B is one.
octave_value empty_solution (const octave_value &A, const octave_value &B, const dim_vector &dims)
{
  const char type = type_letter (is_single_pair (A, B), A.iscomplex () || B.iscomplex ());
  const octave_value zeros = NDArray (dims, 0.0);
  if (any_on_gpu (ovl (A, B)))
    return value_of (converted (to_gpu (zeros, 'd', device_of ("qr_block", ovl (A, B))), type));
  const octave_value real = type == 's' || type == 'c' ? zeros.as_single () : zeros;
  return is_complex (type) ? call_pages ("complex", ovl (real), 1) (0) : real;
}

// Solves X = R \ C for upper triangular pages, and estimates norm (R) times norm (inv (R)) for
// each: Inf if R has a 0 on the diagonal, NaN if R holds NaN or Inf.
octave_value_list solve_triangles (const octave_value &R, const octave_value &C)
{
  if (R.rows () > GLA_PAGESOLVE_GPU_ROWS)
    return gpu_pages_function ("triangle", ovl (R, C), 2);
  if (R.rows () > 1) {
    // three outputs: no warnings. The pivots of a triangle are on its diagonal, and nothing is
    // eliminated
    const octave_value_list solved = call_pages ("pagemldivide", ovl (R, C), 3);
    octave_value rcond = column (solved (1));
    if (rcond.is_single_type ())
      rcond = is_gpu_array (rcond) ? value_of (converted (gpu_value_of (rcond), 'd'))
                                   : rcond.as_double ();
    return ovl (solved (0), op (gpu_op::rdivide, octave_value (1.0), rcond));
  }
  const octave_value r = column (of_each (gpu_op::abs, R)),
                     condition = op (gpu_op::rdivide, octave_value (1.0),
                                     op (gpu_op::gt, r, octave_value (0.0)));
  return ovl (op (gpu_op::rdivide, C, R),
              replaced (condition, of_each (gpu_op::not_, of_each (gpu_op::isfinite, r)),
                        std::numeric_limits<double>::quiet_NaN ()));
}

// Whether all elements of each page are finite: a row, or a column on the host.
octave_value finite_pages (const octave_value &X, octave_idx_type pages)
{
  return along ("all",
                of_each (gpu_op::isfinite, X.reshape (dim_vector (X.numel () / pages, pages))), 1);
}
boolNDArray finite_on_host (const octave_value &X, octave_idx_type pages)
{
  return gathered (finite_pages (X, pages)).bool_array_value ();
}

octave_value pages_at (octave_value x, const octave_value_list &at)
{
  if (is_gpu_array (x))
    return value_of (index (gpu_value_of (x), at));
  return x.subsref ("(", std::list<octave_value_list> (1, at)); // index_op is not in Octave 6
}
void assign_pages (octave_value &x, const octave_value_list &at, const octave_value &y)
{
  if (is_gpu_array (x)) {
    gpu_value all = gpu_value_of (x);
    all.assign (at, y);
    x = value_of (all);
  } else
    x.assign (octave_value::op_asn_eq, "(", std::list<octave_value_list> (1, at), y);
}
octave_value_list all_rows_of (const boolNDArray &pages)
{
  const octave_value all (octave_value::magic_colon_t);
  return ovl (all, all, octave_value (pages));
}

octave_value as_single (const octave_value &x)
{
  return is_gpu_array (x) ? value_of (converted (gpu_value_of (x), x.iscomplex () ? 'c' : 's'))
                          : x.as_single ();
}

// Where `again` is true: finds solutions of least norm by the singular value decomposition, and how
// many ranks A lacks; NaN and n + 1 if A or B holds NaN or Inf. x has the solutions of other pages.
// All three have three dimensions.
octave_value_list of_least_norm (octave_value x, const boolNDArray &again, octave_value A,
                                 const octave_value &B)
{
  const octave_idx_type pages = again.numel (), n = A.columns ();
  if (is_single_pair (A, B))
    A = as_single (A);
  const boolNDArray a = finite_on_host (A, pages), b = finite_on_host (B, pages);
  int32NDArray info (dim_vector (pages, 1), 0);
  boolNDArray lost (dim_vector (pages, 1), false), todo (dim_vector (pages, 1), false);
  for (octave_idx_type p = 0; p < pages; p++) {
    lost.xelem (p) = !(a.xelem (p) && b.xelem (p));
    todo.xelem (p) = again.xelem (p) && !lost.xelem (p);
    if (lost.xelem (p))
      info.xelem (p) = static_cast<int> (n + 1);
  }
  assign_pages (x, all_rows_of (lost), octave_NaN);
  if (todo.nnz () == 0)
    return ovl (x, info);
  const octave_value_list at = all_rows_of (todo);
  const octave_value some = pages_at (A, at);
  assign_pages (x, at, call_pages ("pagelsqminnorm", ovl (some, pages_at (B, at)), 1) (0));
  const NDArray ranks = gathered (call_pages ("pagerank", ovl (some), 1) (0)).array_value ();
  const double full = static_cast<double> (std::min (A.rows (), n));
  for (octave_idx_type p = 0, k = 0; p < pages; p++)
    if (todo.xelem (p))
      info.xelem (p) = static_cast<int> (full - ranks.xelem (k++));
  return ovl (x, info);
}

// Solves wide pages.
octave_value_list solve_wide (const octave_value &A, const octave_value &B)
{
  dim_vector dims = B.dims ();
  dims (0) = A.columns ();
  const octave_idx_type pages = pages_of (dims);
  octave_value_list found =
      of_least_norm (empty_solution (A, B, dim_vector (dims (0), dims (1), pages)),
                     boolNDArray (dim_vector (pages, 1), true),
                     A.reshape (dim_vector (A.rows (), A.columns (), pages)),
                     B.reshape (dim_vector (B.rows (), B.columns (), pages)));
  found (0) = found (0).reshape (dims);
  return found;
}

template <typename T> T most_condition (octave_idx_type n)
{
  return 1 / (static_cast<T> (n) * std::numeric_limits<T>::epsilon ());
}

octave_value_list solve (const octave_value &A, const octave_value &B,
                         const octave_value_list &args)
{
  const octave_idx_type m = A.rows (), n = A.columns ();
  dim_vector dims = B.dims ();
  dims (0) = n;
  const octave_idx_type columns = dims (1), pages = pages_of (dims);
  octave_value_list all = ovl (A, B, octave_value (0.0));
  all.append (args);
  const octave_value_list factors = call_pages ("qr_block", all, 2);
  const octave_value C = factors (0).reshape (dim_vector (n, columns, pages)),
                     R = factors (1).reshape (dim_vector (n, n, pages));
  const octave_value longest = along ("max", of_each (gpu_op::abs, R), 1);
  const octave_value_list solved = solve_triangles (op (gpu_op::rdivide, R, longest), C);
  const octave_value x =
      op (gpu_op::rdivide, solved (0), longest.reshape (dim_vector (n, 1, pages)));

  const octave_value bound = is_single_pair (A, B)
                                 ? octave_value (most_condition<float> (std::max (m, n)))
                                 : octave_value (most_condition<double> (std::max (m, n)));
  const octave_value suspect =
      of_each (gpu_op::not_,
               op (gpu_op::and_, op (gpu_op::le, solved (1).reshape (dim_vector (1, pages)), bound),
                   finite_pages (x, pages)));
  // the only wait for the GPU, if all pages are regular
  if (!is_any (suspect))
    return ovl (x.reshape (dims), int32NDArray (dim_vector (pages, 1), 0));
  octave_value_list found = of_least_norm (x, gathered (suspect).bool_array_value (),
                                           A.reshape (dim_vector (m, n, pages)),
                                           B.reshape (dim_vector (m, columns, pages)));
  found (0) = found (0).reshape (dims);
  return found;
}

} // namespace

octave_value_list least_squares (const char *who, const octave_value &A, const octave_value &B,
                                 const octave_value_list &args)
{
  dim_vector dims = B.dims (), one = dims;
  dims (0) = A.columns ();
  one (1) = 1;
  if (A.isempty ())
    return ovl (empty_solution (A, B, dims), int32NDArray (dim_vector (pages_of (dims), 1), 0));
  if (B.isempty ()) { // the rank of A is still needed
    const octave_value zeros = NDArray (one, 0.0);
    return ovl (empty_solution (A, B, dims), least_squares (who, A, zeros, args) (1));
  }
  return in_name_of (
      who, [&] () { return A.rows () < A.columns () ? solve_wide (A, B) : solve (A, B, args); });
}

// Serves tests: without a GPU it does the same by the interpreter's operations.
octave_value_list least_squares_of (const char *name, const octave_value_list &args, int)
{
  if (args.length () != 2)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  return with_gpu_arrays (args, "ah", [] (const octave_value_list &all) {
    return least_squares ("qr_block", all (0), all (1), octave_value_list ());
  });
}

} // namespace gla
