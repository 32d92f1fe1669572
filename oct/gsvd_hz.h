// gsvd_hz.h: arguments and results that gsvd_hz and gevd_hz share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_HZ_H
#define GPULINALG_GSVD_HZ_H

#include "ranks.h"

namespace gla
{

// Pages of `rows` rows with the columns of `values` on the diagonal that is `above` the main one.
template <typename RealArray>
RealArray diagonal_pages (const RealArray &values, octave_idx_type rows, octave_idx_type above)
{
  dim_vector dims = values.dims ();
  octave_idx_type q = dims (0), pages = pages_of (dims);
  dims (0) = rows;
  dims (1) = q;
  RealArray D = zeros<RealArray> (dims);
  auto *d = D.fortran_vec ();
  const auto *v = values.data ();
  for (octave_idx_type k = 0; k < pages; k++)
    for (octave_idx_type j = above; j < q && j - above < rows; j++)
      d[(k * q + j) * rows + j - above] = v[k * q + j];
  return D;
}

} // namespace gla

struct gsvd_request {
  gla_gsvd_options gsvd;
  bool economy;
  int outputs; // at least 1: without outputs Octave stores the first one in ans
};

// For gsvd_hz and gevd_hz: checks that the shapes of A and B match; reads the options of the
// method.
void gsvd_check_arrays (const char *who, const octave_value &A, const octave_value &B);
gla_gsvd_options gsvd_read_options (const gla::options &opts);

// The outputs of gsvd_hz for checked arrays; `collective` is NULL without "mpi".
octave_value_list gsvd_hz_solve (gla::call &call, gla::collective *collective,
                                 const octave_value &A, const octave_value &B,
                                 const gsvd_request &want);

#endif
