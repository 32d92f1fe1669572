// spmv.h: the request of a product, and the product without a plan
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPMV_H
#define GPULINALG_SPMV_H

#include "plan_value.h"

struct spmv_request {
  char op;             // 'N', 'T' or 'C'
  octave_idx_type out; // rows of the result
  gla_type type;       // of the prepared matrix
  bool single;         // the class of the result
};

// op(A)*x on the CPU, by the columns of Octave's sparse matrix A; nothing is prepared. Without a
// call (NULL) the product does not react to Ctrl-C.
octave_value spmv_direct (gla::call *call, const octave_value &A, const octave_value &x,
                          const spmv_request &want);

// With "mpi", "rows": A*x for the rows of this rank of A and x, on all ranks together.
octave_value spmv_rows_of_matrix (gla::collective &t, const octave_value &A, const octave_value &x,
                                  const octave_value &device,
                                  const gla::sparse_matrix::settings &how);
// `read` checks the other arguments, returns x, and sets the option "device" where it was given.
typedef std::function<octave_value (octave_value &device)> rows_reader;
octave_value spmv_rows_of_plan (octave::interpreter &interp, const gla::plan_view &view,
                                const rows_reader &read);

#endif
