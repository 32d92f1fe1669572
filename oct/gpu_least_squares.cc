// gpu_least_squares.cc: least squares solutions of pages on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rank is judged with the columns of R brought to one size, as the CPU does it: by an estimate
// of the condition number.

#include "gpu_pages.h"
#include "gpu_steps.h"

#include <octave/int32NDArray.h>

#include <limits>

namespace gla
{

namespace
{

const octave_idx_type most_rows = 256; // of what gla_pagesolve solves on a GPU

octave_value_list call_pages (const char *name, const octave_value_list &args, int outputs)
{
  return feval (the_interpreter (), name, args, outputs);
}

bool is_single_pair (const octave_value &A, const octave_value &B)
{
  return A.is_single_type () || B.is_single_type ();
}

// Zeros of the class of the solution, most often none; a gpuArray where A or B is one.
octave_value empty_solution (const octave_value &A, const octave_value &B, const dim_vector &dims)
{
  const char type = type_letter (is_single_pair (A, B), A.iscomplex () || B.iscomplex ());
  const octave_value zeros = NDArray (dims, 0.0);
  if (any_on_gpu (ovl (A, B)))
    return value_of (converted (to_gpu (zeros, 'd', device_of ("qr_block", ovl (A, B))), type));
  const octave_value real = type == 's' || type == 'c' ? zeros.as_single () : zeros;
  return is_complex (type) ? call_pages ("complex", ovl (real), 1) (0) : real;
}

// X = R \ C for upper triangular pages, and an estimate of norm (R) times norm (inv (R)) for each:
// Inf where R has a 0 on the diagonal, NaN where R holds NaN or Inf.
octave_value_list solve_triangles (const octave_value &R, const octave_value &C)
{
  if (R.rows () > most_rows)
    return gpu_pages_function ("triangle", ovl (R, C), 2);
  if (R.rows () > 1) {
    // three outputs: no warnings. The pivots of a triangle are on its diagonal, and nothing is
    // eliminated
    const octave_value_list solved = call_pages ("pagemldivide", ovl (R, C), 3);
    octave_value rcond = column (solved (1));
    if (rcond.is_single_type ())
      rcond = is_gpu_array (rcond) ? value_of (converted (gpu_value_of (rcond), 'd'))
                                   : rcond.as_double ();
    return ovl (solved (0), op ("rdivide", octave_value (1.0), rcond));
  }
  const octave_value r = column (of_each ("abs", R)),
                     condition =
                         op ("rdivide", octave_value (1.0), op ("gt", r, octave_value (0.0)));
  return ovl (op ("rdivide", C, R), replaced (condition, of_each ("not", of_each ("isfinite", r)),
                                              std::numeric_limits<double>::quiet_NaN ()));
}

// Whether all elements of each page are finite: a row, or a column on the host.
octave_value finite_pages (const octave_value &X, octave_idx_type pages)
{
  return along ("all", of_each ("isfinite", X.reshape (dim_vector (X.numel () / pages, pages))), 1);
}
boolNDArray finite_on_host (const octave_value &X, octave_idx_type pages)
{
  return gathered (finite_pages (X, pages)).bool_array_value ();
}

// x with NaN in pages that are not finite, and info of these; ends with an error where a page whose
// solution is suspect is finite.
octave_value_list without_pages (const char *who, octave_value x, const boolNDArray &suspect,
                                 const octave_value &A, const octave_value &B)
{
  const octave_idx_type pages = suspect.numel ();
  const boolNDArray a = finite_on_host (A, pages), b = finite_on_host (B, pages);
  int32NDArray info (dim_vector (pages, 1), 0);
  boolNDArray lost (dim_vector (pages, 1), false);
  for (octave_idx_type p = 0; p < pages; p++) {
    const bool finite = a.xelem (p) && b.xelem (p);
    if (finite && suspect.xelem (p))
      error_with_id ("gpulinalg:gather-needed",
                     "%s: A has less than full rank to rounding on page %lld; gather (A) and "
                     "gather (B) copy them to the host, where solutions of least norm are computed",
                     who, static_cast<long long> (p + 1));
    lost.xelem (p) = !finite;
    if (!finite)
      info.xelem (p) = static_cast<int> (A.columns () + 1);
  }
  const octave_value all (octave_value::magic_colon_t), nan (octave_NaN);
  const octave_value_list at = ovl (all, all, octave_value (lost));
  if (is_gpu_array (x)) {
    gpu_value y = gpu_value_of (x);
    y.assign (at, nan);
    x = value_of (y);
  } else
    x.assign (octave_value::op_asn_eq, "(", std::list<octave_value_list> (1, at), nan);
  return ovl (x, info);
}

template <typename T> T most_condition (octave_idx_type n)
{
  return 1 / (static_cast<T> (n) * std::numeric_limits<T>::epsilon ());
}

octave_value_list solve (const char *who, const octave_value &A, const octave_value &B,
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
  const octave_value longest = along ("max", of_each ("abs", R), 1);
  const octave_value_list solved = solve_triangles (op ("rdivide", R, longest), C);
  const octave_value x = op ("rdivide", solved (0), longest.reshape (dim_vector (n, 1, pages)));

  const octave_value bound = is_single_pair (A, B)
                                 ? octave_value (most_condition<float> (std::max (m, n)))
                                 : octave_value (most_condition<double> (std::max (m, n)));
  const octave_value suspect =
      of_each ("not", op ("and", op ("le", solved (1).reshape (dim_vector (1, pages)), bound),
                          finite_pages (x, pages)));
  // the only number that is waited for, where all is well
  if (!is_any (suspect))
    return ovl (x.reshape (dims), int32NDArray (dim_vector (pages, 1), 0));
  octave_value_list found = without_pages (who, x, gathered (suspect).bool_array_value (), A, B);
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
  if (B.isempty ()) { // the rank of A is of interest all the same
    const octave_value zeros = NDArray (one, 0.0);
    return ovl (empty_solution (A, B, dims), least_squares (who, A, zeros, args) (1));
  }
  if (A.rows () < A.columns ())
    error_with_id ("gpulinalg:gather-needed",
                   "%s: a gpuArray A must have at least as many rows as columns, but it is %s; "
                   "gather (A) and gather (B) copy them to the host, where solutions of least norm "
                   "are computed",
                   who, A.dims ().str ().c_str ());
  return in_name_of (who, [&] () { return solve (who, A, B, args); });
}

// For tests: without a GPU the same by the interpreter's operations.
octave_value_list least_squares_of (const char *name, const octave_value_list &args, int)
{
  if (args.length () != 2)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  return with_gpu_arrays (args, "ah", [] (const octave_value_list &all) {
    return least_squares ("qr_block", all (0), all (1), octave_value_list ());
  });
}

} // namespace gla
