// batchsvd.h: what batchsvd, pagesvd and the functions that are made of them share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_OCT_BATCHSVD_H
#define GPULINALG_OCT_BATCHSVD_H

#include "arrays/gpu_pages.h"

#include <octave/int32NDArray.h>

#include <algorithm>

struct svd_request {
  gla_svd_options svd;
  bool economy;
  bool vectors; // return U and V
  bool matrix;  // return S as diagonal pages
  bool info;    // return info; then failed pages give no warning
};

template <typename Array, typename RealArray> struct svd_arrays {
  Array U, V;
  RealArray S;
  int32NDArray info;
  int64_t failed = 0; // pages with a nonzero info

  const int32_t *infos () const { return reinterpret_cast<const int32_t *> (info.data ()); }
};

inline dim_vector svd_dims (dim_vector dims, octave_idx_type rows, octave_idx_type columns)
{
  dims (0) = rows;
  dims (1) = columns;
  return dims;
}

// Calls the library.
template <typename RealArray, typename Array>
svd_arrays<Array, RealArray> decompose (gla::call &call, const Array &A, const svd_request &want)
{
  const dim_vector dims = A.dims ();
  const octave_idx_type m = dims (0), n = dims (1), pages = gla::pages_of (dims);
  const octave_idx_type least = std::min (m, n);
  const octave_idx_type k = want.svd.values > 0 ? want.svd.values : least;
  const bool full = !want.economy && k == least;
  const octave_idx_type s_rows = full && want.matrix ? m : k;
  const octave_idx_type s_columns = !want.matrix ? 1 : full ? n : k;

  svd_arrays<Array, RealArray> found;
  const dim_vector s_dims = svd_dims (dims, s_rows, s_columns);
  found.S =
      want.matrix ? gla::zero_pages<RealArray> (s_dims) : gla::unfilled_pages<RealArray> (s_dims);
  found.info = int32NDArray (dim_vector (pages, 1));
  gla_array a = gla::input (A);
  auto results = gla::sized<gla_svd_results> ();
  results.S = gla_array_packed (found.S.fortran_vec (), gla::type_of (found.S), k, 1, pages,
                                gla::place_of (found.S));
  if (want.matrix) {
    results.S.row_stride = s_rows + 1; // along the diagonal
    results.S.column_stride = results.S.page_stride = s_rows * s_columns;
  }
  if (want.vectors) {
    gla::allocate (found.U, results.U, dims, m, full ? m : k);
    gla::allocate (found.V, results.V, dims, n, full ? n : k);
  }
  results.info = reinterpret_cast<int32_t *> (found.info.fortran_vec ());
  auto report = gla::sized<gla_svd_report> ();
  call.finish (gla_batchsvd (call.context (), &a, &results, &want.svd, &report));
  found.failed = report.base.pages_failed;
  return found;
}

// Gives the warning about failed pages, if there are some; A has these dimensions.
template <typename Array, typename RealArray>
void warn_of_failures (const char *who, const svd_arrays<Array, RealArray> &found,
                       const dim_vector &dims)
{
  const octave_idx_type least = std::min (dims (0), dims (1));
  if (found.failed > 0)
    gla::warn_of_failed_pages (who, found.infos (), found.info.numel (),
                               {gla::not_finite (least), gla::not_converged (least)});
}

// Returns [U, S, V, info], or S alone, of a full array of floating point numbers.
octave_value_list decompose_pages (const char *who, gla::call &call, const octave_value &A,
                                   const svd_request &want);

#endif
