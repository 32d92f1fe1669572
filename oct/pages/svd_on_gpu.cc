// svd_on_gpu.cc: pagepinv, pagelsqminnorm, pagerank and pagecond of gpuArrays
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/gpu_steps.h"
#include "pages.h"
#include "svd_functions.h"

namespace gla
{

namespace
{

// Decompositions of scale .* A. scale is undefined, or has a power of 2 for each page: below 1 if a
// singular value of A overflows.
struct gpu_svd {
  const char *who;
  octave_value S, U, V, scale;
  int32NDArray info;
  int64_t failed;

  gpu_value values () const { return gpu_value_of (S); }
};

gpu_svd decompose_once (const char *who, const octave_value &A, const octave_value &device,
                        bool vectors)
{
  svd_request want = svd_request ();
  want.svd = sized<gla_svd_options> ();
  want.economy = true;
  want.vectors = vectors;
  call c (who, the_interpreter (), context_of_pages (ovl (A), octave_value ()));
  c.set_place (device);
  gpu_svd svd;
  svd.who = who;
  in_page_class_of (A, octave_value (), [&] (auto array, auto real) {
    read (A, array);
    const auto found = decompose<decltype (real)> (c, array, want);
    svd.S = found.S;
    if (vectors) {
      const octave_value U = found.U, V = found.V; // Octave 6 takes no octave_value (found.U)
      svd.U = U;
      svd.V = V;
    }
    svd.info = found.info;
    svd.failed = found.failed;
    return octave_value_list ();
  });
  return svd;
}

// Returns a number for each page: this one if a singular value is Inf, else 1.
octave_value scales_of (const gpu_svd &svd, double small)
{
  const octave_value over = gathered (along ("any", of_each (gpu_op::isinf, svd.S), 1));
  NDArray scale (over.dims (), 1.0);
  const boolNDArray at = over.bool_array_value ();
  for (octave_idx_type p = 0; p < at.numel (); p++)
    if (at.xelem (p))
      scale.xelem (p) = small;
  const octave_value scales = scale;
  return svd.S.is_single_type () ? octave_value (scales.float_array_value ()) : scales;
}

// Pages that fail are NaN, with a warning in the name of `who`.
gpu_svd decompose_scaled_on_gpu (const char *who, const octave_value &A, const octave_value &device,
                                 bool vectors)
{
  gpu_svd svd = decompose_once (who, A, device, vectors);
  if (std::isinf (largest (svd.S))) {
    const octave_value scale = scales_of (svd, std::ldexp (1.0, -64));
    svd = decompose_once (who, op (gpu_op::times, scale, A), device, vectors);
    svd.scale = scale;
  }
  const octave_idx_type least = std::min (A.rows (), A.columns ());
  if (svd.failed > 0)
    warn_of_failed_pages (who, reinterpret_cast<const int32_t *> (svd.info.data ()),
                          svd.info.numel (), {not_finite (least), not_converged (least)});
  return svd;
}

// Returns the first singular value of each page, or the last one, in the place of all.
gla_nd one_of_each (const gpu_value &s, bool last)
{
  const dim_vector dims = s.dims ();
  dim_vector at = dims, one = dims;
  for (int k = 0; k < at.ndims (); k++)
    at (k) = k == 0 && last ? dims (0) - 1 : 0;
  one (0) = 1;
  return on_gpu::part_of (nd_of (s, dims), at, one);
}

// Compares singular values with the bound up to which they count as 0: tol, or n * eps times the
// largest one of the page.
octave_value beside_bound (gla_nd_op compare, const gpu_svd &svd, const octave_value &tol,
                           octave_idx_type n)
{
  if (tol.is_defined ())
    (void)element_type (svd.who, tol);
  if (tol.is_defined ())
    return op (compare == GLA_ND_GT ? gpu_op::gt : gpu_op::le, svd.S,
               svd.scale.is_defined () ? op (gpu_op::times, tol, svd.scale) : tol);
  const gpu_value s = svd.values ();
  const dim_vector dims = s.dims ();
  const double eps = is_single (s.type ()) ? std::numeric_limits<float>::epsilon ()
                                           : std::numeric_limits<double>::epsilon ();
  gla_nd first = nd_of (s, dims);
  first.step[0] = 0;
  return value_of (computed (s.device (), 'b', dims,
                             {nd_of (s, dims), first, number_of (static_cast<double> (n) * eps)},
                             {{GLA_ND_MUL, s.type (), 1, 2, 0}, {compare, 'b', 0, 3, 0}}));
}

octave_value ranks_on_gpu (const gpu_svd &svd, const octave_value &tol, octave_idx_type n)
{
  const octave_value rank = along ("sum", beside_bound (GLA_ND_GT, svd, tol, n), 1);
  if (svd.failed == 0)
    return rank;
  return replaced (rank, along ("any", of_each (gpu_op::isnan, svd.S), 1),
                   std::numeric_limits<double>::quiet_NaN ());
}

octave_value conditions_on_gpu (const gpu_svd &svd)
{
  const gpu_value s = svd.values ();
  dim_vector dims = s.dims ();
  dims (0) = 1;
  return value_of (computed (s.device (), s.type (), dims,
                             {one_of_each (s, false), one_of_each (s, true), number_of (0),
                              number_of (std::numeric_limits<double>::infinity ())},
                             {{GLA_ND_DIV, s.type (), 0, 1, 0},
                              {GLA_ND_EQ, 'b', 1, 2, 0},
                              {GLA_ND_SELECT, s.type (), 3, 4, 5}}));
}

octave_value inverse_on_gpu (const gpu_svd &svd, const octave_value &tol, const octave_value &A)
{
  const octave_idx_type longer = std::max (A.rows (), A.columns ());
  octave_value inverse = op (gpu_op::rdivide, octave_value (1.0), svd.S);
  if (svd.scale.is_defined ())
    inverse = op (gpu_op::times, inverse, svd.scale);
  inverse = replaced (inverse, beside_bound (GLA_ND_LE, svd, tol, longer), 0);
  dim_vector row = inverse.dims ();
  std::swap (row (0), row (1));
  return page_product ("pagepinv", the_interpreter (),
                       {op (gpu_op::times, svd.V, inverse.reshape (row)), svd.U, 'N', 'C'});
}

void warn_of_rank (const octave_value &small)
{
  const boolNDArray deficient = gathered (along ("any", small, 1)).bool_array_value ();
  const bool *at = deficient.data (), *end = at + deficient.numel ();
  if (const auto count = static_cast<long long> (std::count (at, end, true)))
    warning_with_id ("gpulinalg:rank-deficient",
                     "pagelsqminnorm: %lld of %lld pages of A have not full rank; the first is "
                     "page %lld",
                     count, static_cast<long long> (deficient.numel ()),
                     static_cast<long long> (std::find (at, end, true) - at + 1));
}

} // namespace

octave_value_list by_svd_on_gpu (const char *who, const svd_arguments &given)
{
  const std::string name = who;
  const gpu_svd svd = decompose_scaled_on_gpu (who, given.A, given.device, name == "pagepinv");
  if (name == "pagepinv")
    return ovl (inverse_on_gpu (svd, given.tol, given.A));
  if (name == "pagecond")
    return ovl (conditions_on_gpu (svd));
  return ovl (ranks_on_gpu (svd, given.tol, std::max (given.A.rows (), given.A.columns ())));
}

octave_value least_norm_on_gpu (const svd_arguments &given, const octave_value &B,
                                const NDArray &regularization, bool warns)
{
  const char *who = "pagelsqminnorm";
  const gpu_svd svd = decompose_scaled_on_gpu (who, given.A, given.device, true);
  const octave_value small =
      beside_bound (GLA_ND_LE, svd, given.tol, std::max (given.A.rows (), given.A.columns ()));
  if (warns)
    warn_of_rank (small);
  const octave_value zero = op (gpu_op::eq, svd.S, octave_value (0.0)),
                     s = replaced (svd.S, op (gpu_op::or_, small, zero),
                                   std::numeric_limits<double>::infinity ());
  octave_value divisor = s;
  if (regularization.numel () != 1 || regularization.xelem (0) != 0) {
    // no square or reciprocal, which might underflow or overflow
    octave_value alpha = regularization;
    if (s.is_single_type ())
      alpha = octave_value (alpha.float_array_value ());
    if (svd.scale.is_defined ())
      alpha = op (gpu_op::times, alpha, svd.scale);
    divisor = op (gpu_op::plus, s, op (gpu_op::times, op (gpu_op::rdivide, alpha, s), alpha));
  }
  octave::interpreter &interp = the_interpreter ();
  const octave_value scaled = svd.scale.is_defined () ? op (gpu_op::times, B, svd.scale) : B,
                     Y = page_product (who, interp, {svd.U, scaled, 'C', 'N'});
  return page_product (who, interp, {svd.V, op (gpu_op::rdivide, Y, divisor), 'N', 'N'});
}

} // namespace gla
