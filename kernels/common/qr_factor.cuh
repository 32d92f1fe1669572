// qr_plan.cuh: the factorisation of the pages of a chunk, and what is made from it
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_PLAN_CUH
#define GPULINALG_QR_PLAN_CUH

#include "../src/backend.h"
#include "carver.cuh"
#include "cublas.cuh"
#include "qr_kernels.cuh"

// Called between pieces of work that may be long; anything but GLA_OK ends the work.
struct qr_pause {
  gla_status (*wait) (void *user);
  void *user;
};

// Where the work is done: the chain of panels on the main stream, and what need not wait for it on
// the side stream, of lower priority.
struct qr_streams {
  cudaStream_t main, side;
  cudaEvent_t factored, updated;
  gpu_blas *blas, *side_blas; // products on two streams at once need two handles
};

// The factorisation lives in Y (m x n: unit lower trapezoidal by blocks of columns; rows above the
// block of a column are rows of R), `blocks` (block x k: R within the blocks) and F (block x k:
// the triangular factors of the blocks).
template <class T> struct qr_plan {
  int64_t m, n, k, pages, widest; // widest: columns of the widest matrix that Q is applied to
  int block;                      // columns of a block, a multiple of 32
  qr_matrix<T> Y, blocks, F, G, W, FW, side_W, side_FW;
  T *tree;
  unsigned long long *largest;
  int *exponent;
  bool pivot;
  qr_pivots<T> pivots;

  // Takes memory for everything but Y, whose ld is given; with a NULL carver base it only counts.
  qr_plan (const gla_qr_job &job, int64_t pages, int64_t ldy, carver &c);
};

// Whether this job is done with cuBLAS.
bool qr_needs_blas (const gla_qr_job &job);

// Scales and factors: A (may be Y) -> Y, blocks, F, exponent.
template <class T>
gla_status qr_factor (const qr_plan<T> &p, qr_matrix<const T> A, const qr_streams &streams,
                      const qr_pause &pause);
// Q: m x columns.
template <class T>
gla_status qr_form_q (const qr_plan<T> &p, qr_matrix<T> Q, int64_t columns,
                      const qr_streams &streams, const qr_pause &pause);
// C := Q' C, C of m x columns.
template <class T>
gla_status qr_apply (const qr_plan<T> &p, qr_matrix<T> C, int64_t columns,
                     const qr_streams &streams, const qr_pause &pause);
// W: m x k, Q = I + W Y'. The rows of R in Y have been zeroed.
template <class T>
gla_status qr_form_w (const qr_plan<T> &p, qr_matrix<T> W, const qr_streams &streams,
                      const qr_pause &pause);

#endif
