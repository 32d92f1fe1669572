// solve_part.cuh: inverses of pages as a part of another operation on a chunk (solve/solve_part.cu)
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SOLVE_PART_CUH
#define GPULINALG_SOLVE_PART_CUH

#include "common/pages.cuh"

// Pages have n x n entries, LU_PART_LEAST <= n <= LU_PART_MOST, and are on the device.
enum { LU_PART_LEAST = 33, LU_PART_MOST = 256 };

// Memory for the factors of the pages that are processed at the same time.
struct lu_part_space {
  double *data;
  int64_t each; // doubles of a block of threads
  int blocks, multiprocessors;
};
template <class T>
lu_part_space lu_part_take (int n, int64_t pages, int multiprocessors, carver &c);

// Finds Y = inv (X) of the pages whose info is not 0. It becomes 0; n+1 if X holds NaN or Inf; -k
// if pivot k is 0. `any`, in memory of the host, becomes 1 if a page has an info.
template <class T>
cudaError_t lu_part_invert (page_matrix<const T> X, page_matrix<T> Y, int n, int64_t pages,
                            int32_t *info, int *any, const lu_part_space &space,
                            cudaStream_t stream);

#endif
