// batchsvd_solve.cc: the call of the library for batchsvd and pagesvd
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batchsvd.h"
#include "gpu_pages.h"

#include <octave/int32NDArray.h>

#include <algorithm>

static dim_vector page_dims (dim_vector dims, octave_idx_type rows, octave_idx_type columns)
{
  dims (0) = rows;
  dims (1) = columns;
  return dims;
}

template <typename Array, typename RealArray>
static octave_value_list solve (const char *who, gla::call &call, const octave_value &arg,
                                const svd_request &want)
{
  Array A;
  gla::read (arg, A);
  const dim_vector dims = A.dims ();
  const octave_idx_type m = dims (0), n = dims (1), pages = gla::pages_of (dims);
  const octave_idx_type least = std::min (m, n);
  const octave_idx_type k = want.svd.values > 0 ? want.svd.values : least;
  const bool full = !want.economy && k == least;
  const octave_idx_type s_rows = full && want.matrix ? m : k;
  const octave_idx_type s_columns = !want.matrix ? 1 : full ? n : k;

  const dim_vector s_dims = page_dims (dims, s_rows, s_columns);
  RealArray S =
      want.matrix ? gla::zero_pages<RealArray> (s_dims) : gla::unfilled_pages<RealArray> (s_dims);
  Array U, V;
  int32NDArray info (dim_vector (pages, 1));
  gla_array a = gla::input (A);
  auto results = gla::sized<gla_svd_results> ();
  results.S = gla_array_packed (S.fortran_vec (), gla::type_of (S), k, 1, pages, gla::place_of (S));
  if (want.matrix) {
    results.S.row_stride = s_rows + 1; // along the diagonal
    results.S.column_stride = results.S.page_stride = s_rows * s_columns;
  }
  if (want.vectors) {
    gla::allocate (U, results.U, dims, m, full ? m : k);
    gla::allocate (V, results.V, dims, n, full ? n : k);
  }
  results.info = reinterpret_cast<int32_t *> (info.fortran_vec ());
  auto report = gla::sized<gla_svd_report> ();
  call.finish (gla_batchsvd (call.context (), &a, &results, &want.svd, &report));
  if (report.base.pages_failed > 0 && !want.info)
    gla::warn_of_failed_pages (who, results.info, pages,
                               {gla::not_finite (least), gla::not_converged (least)});
  if (want.vectors)
    return ovl (U, S, V, info);
  return ovl (S);
}

octave_value_list decompose_pages (const char *who, gla::call &call, const octave_value &A,
                                   const svd_request &want)
{
  return gla::in_page_class_of (A, octave_value (), [&] (auto array, auto real) {
    return solve<decltype (array), decltype (real)> (who, call, A, want);
  });
}
