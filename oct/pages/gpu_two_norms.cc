// gpu_two_norms.cc: 2-norms of the pages of a gpuArray
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The largest eigenvalue of X * X' or X' * X, whichever is smaller, is the square of the norm; its
// relative error is a few k * eps, because no eigenvalue is larger. The Frobenius norm says which
// pages have to be scaled first.

#include "batcheig.h"
#include "arrays/gpu_steps.h"
#include "pages.h"

#include <cmath>

namespace gla
{

namespace
{

// Finds the least and the largest of these numbers; NaN if all are.
void ends_of (const octave_value &F, double &least, double &most)
{
  const octave_idx_type few = 1024; // come to the host in the time of one operation
  if (F.numel () <= few) {
    const NDArray f = gathered (F).array_value ();
    least = most = octave_NaN;
    for (octave_idx_type p = 0; p < f.numel (); p++) {
      least = std::fmin (least, f.xelem (p));
      most = std::fmax (most, f.xelem (p));
    }
    return;
  }
  const octave_value f = column (F);
  least = gathered (along ("min", f, 1)).double_value ();
  most = gathered (along ("max", f, 1)).double_value ();
}

// Returns the exponent of a power of 2 for each page, so that squares of the page times 2^-exponent
// neither overflow nor underflow; none if they do not anyway. A Frobenius norm may overflow
// although the 2-norm does not.
NDArray exponents_for (const octave_value &F)
{
  const bool single = F.is_single_type ();
  const double low = std::ldexp (1.0, single ? -40 : -400),
               high = std::ldexp (1.0, single ? 50 : 500);
  double least, largest;
  ends_of (F, least, largest);
  if (!(least < low || largest > high))
    return NDArray ();
  const NDArray f = gathered (F).array_value ();
  NDArray exponents (f.dims (), 0.0);
  for (octave_idx_type p = 0; p < f.numel (); p++) {
    const double x = f.xelem (p);
    int e = 0;
    if (std::isinf (x))
      e = single ? 128 : 1024;
    else if ((x < low || x > high) && x != 0)
      std::frexp (x, &e);
    exponents.xelem (p) = e;
  }
  return exponents;
}

// Returns X times sign * 2^exponents, in two steps, because the power itself may be out of range.
octave_value times_power (const octave_value &X, const NDArray &exponents, int sign)
{
  bool any = false;
  NDArray first (exponents.dims ()), second (exponents.dims ());
  for (octave_idx_type p = 0; p < exponents.numel (); p++) {
    const int e = sign * static_cast<int> (exponents.xelem (p)), half = e / 2;
    first.xelem (p) = std::ldexp (1.0, half);
    second.xelem (p) = std::ldexp (1.0, e - half);
    any = any || e != 0;
  }
  if (!any)
    return X;
  octave_value a = first, b = second;
  if (X.is_single_type ()) {
    a = octave_value (a.float_array_value ());
    b = octave_value (b.float_array_value ());
  }
  return op (gpu_op::times, op (gpu_op::times, X, a), b);
}

octave_value frobenius_norms (const octave_value &X, const octave_value &device)
{
  call c ("pagenorm", the_interpreter (), context_of_pages (ovl (X), octave_value ()));
  c.set_place (device);
  return in_page_class_of (X, octave_value (), [&] (auto array, auto real) {
    read (X, array);
    auto N = unfilled_pages<decltype (real)> (dims_of_page_numbers (X.dims ()));
    const gla_array a = input (array), n = output (N);
    c.finish (gla_pagenorm (c.context (), &a, GLA_NORM_FRO, &n, nullptr));
    const octave_value norms = N;
    return ovl (norms);
  }) (0);
}

// Returns the largest eigenvalues of Hermitian pages, of which a triangle is read.
octave_value largest_eigenvalues (const octave_value &P, const octave_value &device,
                                  const octave_value &progress)
{
  eig_request want = eig_request ();
  want.eig = sized<gla_eig_options> ();
  want.eig.triangle = GLA_TRIANGLE_LOWER;
  want.eig.range = GLA_EIG_INDICES;
  want.eig.il = want.eig.iu = P.rows ();
  want.columns = 1;
  want.info = true;
  call c ("pagenorm", the_interpreter (), context_of_pages (ovl (P), progress));
  c.set_place (device);
  c.set_progress (progress);
  return solve_hermitian ("pagenorm", c, P, want) (1);
}

// Returns roots; numbers that are negative by rounding count as 0.
octave_value roots_of (const octave_value &x)
{
  if (!is_on_gpu (x))
    return of_each (gpu_op::sqrt, op (gpu_op::times, x, op (gpu_op::gt, x, octave_value (0.0))));
  const gpu_value &v = gpu_value_of (x);
  const char type = v.type ();
  const dim_vector dims = v.dims ();
  return value_of (computed (
      v.device (), type, dims, {nd_of (v, dims), number_of (0)},
      {{GLA_ND_GT, 'b', 0, 1, 0}, {GLA_ND_MUL, type, 0, 2, 0}, {GLA_ND_SQRT, type, 3, 0, 0}}));
}

} // namespace

octave_value two_norms (const octave_value &array, const octave_value &device,
                        const octave_value &progress)
{
  const NDArray exponents = exponents_for (frobenius_norms (array, device));
  const octave_value X = times_power (array, exponents, -1);
  const bool wide = X.rows () <= X.columns ();
  const octave_value P =
      page_product ("pagenorm", the_interpreter (), {X, X, wide ? 'N' : 'C', wide ? 'C' : 'N'});
  const octave_value largest = largest_eigenvalues (P, device, progress);
  return times_power (roots_of (largest), exponents, 1);
}

// Serves tests: without a GPU it does the same by the interpreter's operations.
octave_value_list two_norms_of (const char *name, const octave_value_list &args, int)
{
  if (args.length () != 1)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  return with_gpu_arrays (args, "r", [] (const octave_value_list &all) {
    return ovl (two_norms (all (0), octave_value (), octave_value ()));
  });
}

} // namespace gla
