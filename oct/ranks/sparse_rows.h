// sparse_rows.h: sparse matrices whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPARSE_ROWS_H
#define GPULINALG_SPARSE_ROWS_H

#include "ranks.h"
#include "sparse/sparse_matrix.h"

namespace gla
{

// Collective: returns the rows of this rank, of a square matrix; after t.announce (A, ...), which
// tells whether it is complex.
inline std::unique_ptr<sparse_matrix> rows_of_rank (collective &t, const octave_value &A,
                                                    const sparse_matrix::settings &how)
{
  auto make = [&] (const gla_csr &csr, const gla_sparse_options &options) {
    gla_sparse_rows *rows = nullptr;
    t.finish (gla_sparse_rows_create (t.call ().context (), t.ranks (), &csr, &rows, &options));
    return std::shared_ptr<gla_sparse_rows> (rows, gla_sparse_rows_destroy);
  };
  return std::unique_ptr<sparse_matrix> (
      new sparse_matrix (t.who (), A, how, t.is_complex (), make));
}

// Returns what rows_of_rank has made of the rows.
inline gla_sparse_rows *rows_of (const sparse_matrix &A)
{
  return static_cast<gla_sparse_rows *> (A.rows ());
}

} // namespace gla

#endif
