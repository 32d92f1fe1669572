// qr_factor.cuh: the QR factorisation of the pages of a chunk, for gla_qr and for gla_gsvd
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Implemented in kernels/qr (qr_plan.cu, qr_prepare.cu, qr_panel.cu), called by qr_chunk.cu and by
// the GSVD (gsvd_plan.cuh), which may not include kernels/qr. Pages have m >= n.

#ifndef GPULINALG_QR_FACTOR_CUH
#define GPULINALG_QR_FACTOR_CUH

#include "row.h"
#include "pages.cuh"
#include "qr/job.h"

struct gpu_blas;

// Called between pieces of work that may be long; anything but GLA_OK ends the work.
struct qr_pause {
  gla_status (*wait) (void *user);
  void *user;
};

// The chain of panels runs on the main stream; work that need not wait for it runs on the side
// stream, which has a lower priority.
struct qr_streams {
  cudaStream_t main, side;
  cudaEvent_t factored, updated;
  gpu_blas *blas, *side_blas; // products on two streams at once need two handles
};

// Each has n packed entries per page: norms of the columns below the finished rows, and as they
// were when last computed; tau of the reflectors; the number (from 0) of the column of A at each
// place.
template <class T> struct qr_pivots {
  double *norm, *reference;
  T *tau;
  int64_t *jpvt;
};

// What gla_qr_job.pivot means: pivoting column by column, so that the diagonal of R does not
// increase; or block by block where that is faster, and then it decreases up to a small factor.
enum { QR_PIVOT_COLUMNS = 1, QR_PIVOT_BLOCKS = 2 };
// True if pivoting block by block is faster.
inline bool qr_pivots_blocks (int64_t m, int64_t n)
{
  return m >= 512 && n >= 512;
}

// Bytes of shared memory that a block must be able to have for complex pages, and for all pages
// with gla_qr; no other kernel for reflectors needs more.
size_t qr_larfb_shared ();

// A column that a group of columns proposes as the next pivot, with the square of its norm.
struct qr_offer {
  double square;
  int column;
};

// For pivoting by blocks (qr_plan.cuh): random rows G, the sketch S = G Y of the remaining columns,
// and what blocks of threads need to agree on columns of S.
template <class T> struct qr_sketch {
  int rows; // 0 where there is no sketch
  page_matrix<T> G, S;
  T *column; // the proposed columns
  qr_offer *offer;
  int *flag, *chosen;

  qr_sketch () {}
  qr_sketch (const gla_qr_job &job, int64_t pages, carver &c);
};

// The factorisation is held in Y (m x n: unit lower trapezoidal by blocks of columns; rows above
// the block of a column are rows of R), `blocks` (block x k: R within the blocks) and F (block x k:
// the triangular factors of the blocks).
template <class T> struct qr_plan {
  int64_t m, n, k, pages, widest; // widest: columns of the widest matrix that Q is applied to
  int block;                      // columns of a block, a multiple of 32
  page_matrix<T> Y, blocks, F, G, W, FW, side_W, side_FW;
  T *tree;
  unsigned long long *largest;
  int *exponent;
  bool pivot;
  qr_pivots<T> pivots;
  qr_sketch<T> sketch;

  // Takes memory for everything but Y, whose ld is given; with a NULL carver base it only counts.
  qr_plan (const gla_qr_job &job, int64_t pages, int64_t ldy, carver &c);
};

// Scales and factors: A (may be Y) -> Y, blocks, F, exponent.
template <class T>
gla_status qr_factor (const qr_plan<T> &p, page_matrix<const T> A, const qr_streams &streams,
                      const qr_pause &pause);
// Q: m x columns.
template <class T>
gla_status qr_form_q (const qr_plan<T> &p, page_matrix<T> Q, int64_t columns,
                      const qr_streams &streams, const qr_pause &pause);
// R (rows x n) with zeros below the diagonal, scaled back: rows above the block of a column are
// those of Y, the others are in `blocks` (block x k; row i of R at i modulo block).
template <class T>
cudaError_t qr_store_r (const qr_plan<T> &p, page_matrix<T> R, int64_t rows, cudaStream_t stream);

#endif
