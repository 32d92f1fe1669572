// qr_block.h: the function that qr_block.cc calls for "solve"
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_BLOCK_H
#define GPULINALG_QR_BLOCK_H

#include "common/shared_call.h"

struct qr_request {
  gla_qr_options qr;
  bool economy;
  bool vector; // return P as a row
  bool wy;
  bool solve;
  int outputs; // at least 1: without outputs Octave stores the first one in ans
};

// Returns the output P: per page the order of the columns of A in Q*R, as a row of numbers from 1
// or as a permutation matrix; dims are those of A.
NDArray qr_permutations (const std::vector<int64_t> &order, const dim_vector &dims, bool vector);

// Reads and checks all arguments.
gla::options qr_block_arguments (const octave_value_list &args, int nargout, octave_value &B,
                                 qr_request &want);

// Returns the outputs of qr_block (A, B, "solve") for checked arrays; `shared` is NULL without
// "mpi".
octave_value_list qr_block_least_squares (gla::call &call, gla::shared_call *shared,
                                          const octave_value &A, const octave_value &B,
                                          const qr_request &want);

// Does the same if A or B is on a GPU.
octave_value_list qr_block_solve_on_gpu (const octave_value &A, const octave_value &B,
                                         const qr_request &want, const gla::options &opts);

#endif
