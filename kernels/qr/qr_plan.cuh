// qr_plan.cuh: a QR factorisation of one large page: its blocks, column pivoting, results
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_PLAN_CUH
#define GPULINALG_QR_PLAN_CUH

#include "common/cluster.cuh"
#include "common/qr_factor.cuh"
#include "common/runtime.cuh"
#include "engine/cublas.cuh"
#include "qr_kernels.cuh"

//------------------------------------------------------------------------------
// what gla_qr makes of a factorisation beside Q and R
//------------------------------------------------------------------------------

// Whether this job uses cuBLAS.
bool qr_needs_blas (const gla_qr_job &job);

// C := Q' C, C of m x columns.
template <class T>
gla_status qr_apply (const qr_plan<T> &p, page_matrix<T> C, int64_t columns,
                     const qr_streams &streams, const qr_pause &pause);
// W: m x k, Q = I + W Y'. The rows of R in Y have been zeroed.
template <class T>
gla_status qr_form_w (const qr_plan<T> &p, page_matrix<T> W, const qr_streams &streams,
                      const qr_pause &pause);

//------------------------------------------------------------------------------
// blocks of a QR factorisation: factored, applied, joined
//------------------------------------------------------------------------------

// LAPACK's ?geqrf with blocks of blocks: one kernel factors a panel of 32 columns, which is applied
// at once within its block of 128 or so; matrix products apply the whole block to the columns right
// of it. The triangular factors are kept.

enum { QR_BLOCK = 128 };

// Up to so many rows our own kernel applies panels one by one, without cuBLAS.
enum { QR_SMALL_ROWS = 2048 };

// Above so many rows a panel is applied by matrix products.
inline int64_t qr_larfb_rows ()
{
  return clusters_work () ? 16384 : QR_SMALL_ROWS;
}

// The triangular factor of the block of columns that begins at J.
template <class T> page_matrix<T> qr_block_factor (const qr_plan<T> &p, int64_t J)
{
  return p.F.at (0, J);
}

// Work that all functions of a plan share.
template <class T> struct qr_worker {
  const qr_plan<T> &p;
  gpu_blas *blas;
  cudaStream_t stream;
  page_matrix<T> W, FW;

  qr_worker (const qr_plan<T> &p, const qr_streams &s, bool side = false)
      : p (p), blas (side ? s.side_blas : s.blas), stream (side ? s.side : s.main),
        W (side ? p.side_W : p.W), FW (side ? p.side_FW : p.FW)
  {
  }

  gla_status gemm (char op_a, char op_b, int64_t m, int64_t n, int64_t k, real_t<T> alpha,
                   page_matrix<T> A, page_matrix<T> B, real_t<T> beta, page_matrix<T> C) const
  {
    return gpu_gemm<T> (blas, stream, op_a, op_b, m, n, k, alpha, as_const (A), as_const (B), beta,
                        C, p.pages);
  }

  // C := (I - Y F Y')' C for `count` reflectors from column J on; C starts at row J.
  gla_status apply_adjoint (int64_t J, int count, page_matrix<T> F, page_matrix<T> C,
                            int64_t columns) const
  {
    int64_t rows = p.m - J;
    page_matrix<T> Y = p.Y.at (J, J);
    if (columns <= 0)
      return GLA_OK;
    if (count <= QR_PANEL && rows <= qr_larfb_rows ())
      return engine_status (qr_larfb<T> ({Y, F, C, rows, columns, count, true, p.pages}, stream));
    GLA_TRY (gemm ('C', 'N', count, columns, rows, 1, Y, C, 0, W));
    GLA_TRY (gemm ('C', 'N', count, columns, count, 1, F, W, 0, FW));
    GLA_TRY (gemm ('N', 'N', rows, columns, count, -1, Y, FW, 1, C));
    return GLA_OK;
  }

  gla_status factor_panel (int64_t J, int64_t j, int columns) const
  {
    qr_panel_args<T> a = {p.Y.at (j, j), p.blocks.at (j - J, j), p.F.at (j - J, j)};
    a.rows = a.leaf_rows = p.m - j;
    a.columns = columns;
    a.leaves = 1;
    a.above = (int)(j - J);
    a.pages = p.pages;
    return engine_status (a.rows > qr_panel_rows_max<T> () ? qr_tree (a, p.tree, stream)
                                                           : qr_panel (a, stream));
  }

  // Columns I .. I+count-1, at most 128, of the block that begins at J.
  gla_status factor_panels (int64_t J, int64_t I, int count) const
  {
    for (int64_t j = I; j < I + count; j += QR_PANEL) {
      int columns = I + count - j < QR_PANEL ? (int)(I + count - j) : (int)QR_PANEL;
      GLA_TRY (factor_panel (J, j, columns));
      GLA_TRY (apply_adjoint (j, columns, p.F.at (j - J, j), p.Y.at (j, j + columns),
                              I + count - j - columns));
    }
    if (count <= QR_PANEL)
      return GLA_OK;
    return join_panels (I, count, I - J);
  }

  // The factor of `count` reflectors from column I on, in row `row` of F, from those of its panels.
  gla_status join_panels (int64_t I, int count, int64_t row = 0) const
  {
    page_matrix<T> Y = p.Y.at (I, I);
    GLA_TRY (gemm ('C', 'N', count, count, p.m - I, 1, Y, Y, 0, p.G));
    return engine_status (qr_join (p.F.at (row, I), p.G, count, p.pages, stream));
  }

  // The same for any number of columns, by halves: most of the work is products of large matrices.
  gla_status factor_block (int64_t J, int64_t I, int count) const
  {
    if (count <= QR_BLOCK)
      return factor_panels (J, I, count);
    int left = (count / 2 + QR_BLOCK - 1) / QR_BLOCK * QR_BLOCK, right = count - left;
    int64_t middle = I + left;
    page_matrix<T> F1 = p.F.at (I - J, I), F2 = p.F.at (middle - J, middle);
    GLA_TRY (factor_block (J, I, left));
    GLA_TRY (apply_adjoint (I, left, F1, p.Y.at (I, middle), right));
    GLA_TRY (factor_block (J, middle, right));
    // F = [F1 -F1 Y1'Y2 F2; 0 F2]
    GLA_TRY (gemm ('C', 'N', left, right, p.m - middle, 1, p.Y.at (middle, I),
                   p.Y.at (middle, middle), 0, p.G));
    GLA_TRY (gemm ('N', 'N', left, right, right, 1, p.G, F2, 0, W));
    GLA_TRY (gemm ('N', 'N', left, right, left, -1, F1, W, 0, p.F.at (I - J, middle)));
    return engine_status (
        qr_identity (p.F.at (middle - J, I), right, left, right, p.pages, stream));
  }
};

//------------------------------------------------------------------------------
// QR with column pivoting by blocks, whose columns a random sketch chooses
//------------------------------------------------------------------------------

// HQRRP (Martinsson, Quintana-Orti, Heavner, van de Geijn 2017) with a new sketch for each block,
// as BQRRP (Melnichenko, Murray, Killian, Demmel, Mahoney, Luszczek 2025) compares it: the rest of
// A is multiplied from the left by few random rows, column pivoting of that small matrix chooses
// the columns of the next block, and these are factored and applied without pivoting. A new sketch
// has all digits of small columns, however small they have become.

enum { QR_SKETCH_ROWS = QR_BLOCK + 8 };
// Blocks of threads, at most, that have a group of columns each at the same time.
enum { QR_SKETCH_GROUPS = 256 };

// Makes G and the numbers of the columns; no column is proposed yet.
template <class T> cudaError_t qr_sketch_start (const qr_plan<T> &p, cudaStream_t stream);

// From the sketch S of the columns from J on: the numbers, from J, of `count` of them.
template <class T>
cudaError_t qr_sketch_choose (const qr_plan<T> &p, int64_t J, int count, cudaStream_t stream);

// Moves them to places J .. J+count-1, in the order in which they were chosen.
template <class T>
cudaError_t qr_sketch_permute (const qr_plan<T> &p, int64_t J, int count, cudaStream_t stream);

// Y has been loaded.
template <class T> gla_status qr_factor_sketched (const qr_worker<T> &w, const qr_pause &pause);

#endif
