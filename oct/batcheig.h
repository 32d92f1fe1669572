// batcheig.h: what the files of batcheig share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_OCT_BATCHEIG_H
#define GPULINALG_OCT_BATCHEIG_H

#include "gla_octave.h"

struct eig_request {
  gla_eig_options eig;
  bool vectors; // return V
  bool matrix;  // return D as diagonal pages
  bool info;    // return info; then failed pages give no warning
  bool more;    // with pairs: return the struct with rcond
  int itype;    // with pairs: 1, 2 or 3
};

// The dimensions of the eigenvalues of pages with these dimensions. Those of an empty matrix are an
// empty matrix, as with eig.
dim_vector dims_of_eigenvalues (const dim_vector &dims, const eig_request &want);

// Describes D, of n eigenvalues a page, to the library.
template <typename RealArray>
gla_array eigenvalues_in (RealArray &D, octave_idx_type n, octave_idx_type pages,
                          const eig_request &want)
{
  gla_array lambda =
      gla_array_packed (D.fortran_vec (), gla::type_of (D), n, 1, pages, GLA_DEVICE_HOST);
  if (want.matrix) {
    lambda.row_stride = n + 1; // along the diagonal
    lambda.page_stride = n * n;
  }
  return lambda;
}

// batcheig (A, B). `check_pair` ends with an error where they do not fit together.
void check_pair (const octave_value &A, const octave_value &B);
octave_value_list solve_pairs (gla::call &call, const octave_value &A, const octave_value &B,
                               const eig_request &want);

#endif
