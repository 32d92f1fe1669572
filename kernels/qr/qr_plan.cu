// qr_plan.cu: the order of blocks and panels of a QR factorisation, and what is made from it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LAPACK's ?geqrf, ?orgqr and ?ormqr with blocks of blocks (qr_plan.cuh).

#include "qr_plan.cuh"

namespace
{

enum { WIDE_BLOCK = 256, WIDE_FROM = 3072, BLOCK_MAX = 512, SMALL_COLUMNS = 256 };

int64_t round_up (int64_t a, int64_t to)
{
  return (a + to - 1) / to * to;
}

} // namespace

bool qr_needs_blas (const gla_qr_job &job)
{
  return job.m > QR_SMALL_ROWS || job.n > SMALL_COLUMNS || job.block > QR_PANEL || job.wy;
}

static int block_of (const gla_qr_job &job)
{
  int64_t k = job.m < job.n ? job.m : job.n;
  if (job.m <= QR_SMALL_ROWS && job.n <= SMALL_COLUMNS && job.block == 0)
    return QR_PANEL;
  int64_t block = job.block > 0                  ? round_up (job.block, QR_PANEL)
                  : k >= WIDE_FROM && !job.pivot ? (int64_t)WIDE_BLOCK
                                                 : (int64_t)QR_BLOCK;
  block = block > BLOCK_MAX ? (int64_t)BLOCK_MAX : block;
  return (int)(block > k ? round_up (k, QR_PANEL) : block);
}

template <class T>
qr_plan<T>::qr_plan (const gla_qr_job &job, int64_t pages, int64_t ldy, carver &c)
    : m (job.m), n (job.n), k (job.m < job.n ? job.m : job.n), pages (pages)
{
  block = block_of (job);
  widest = job.n > job.q_columns ? job.n : job.q_columns;
  widest = widest > job.rhs ? widest : job.rhs;
  int64_t k_full = round_up (k, block), square = (int64_t)block * block;
  Y = {nullptr, ldy, ldy * n};
  blocks = {c.take<T> (pages * block * k), block, block * k};
  F = {c.take<T> (pages * block * k_full), block, block * k_full};
  G = {c.take<T> (pages * square), block, square};
  W = {c.take<T> (pages * block * widest), block, block * widest};
  FW = {c.take<T> (pages * block * widest), block, block * widest};
  bool side = block > QR_PANEL && n > 2 * block && job.pivot == 0;
  side_W = {c.take<T> (side ? pages * block * n : 0), block, block * n};
  side_FW = {c.take<T> (side ? pages * block * n : 0), block, block * n};
  tree = m > qr_panel_rows_max<T> () ? c.take<T> (pages * qr_tree_work<T> (m)) : nullptr;
  const int64_t scaled = n > job.rhs ? n : job.rhs; // columns of A, then those of B
  largest = c.take<unsigned long long> (pages * scaled);
  exponent = c.take<int> (pages * scaled);
  pivot = job.pivot != 0;
  sketch = qr_sketch<T> (job, pages, c);
  int64_t numbers = pivot ? pages * n : 0;
  pivots = {c.take<double> (numbers), c.take<double> (numbers), c.take<T> (numbers),
            c.take<int64_t> (numbers)};
}

// Column by column, waiting every `QR_BLOCK` of them.
template <class T> static gla_status factor_pivoted (const qr_worker<T> &w, const qr_pause &pause)
{
  const qr_plan<T> &p = w.p;
  GLA_TRY (qr_pivot_start (p.Y, p.m, p.n, p.pivots, p.pages, w.stream));
  for (int64_t j = 0; j < p.k; j++) {
    GLA_TRY (qr_pivot_column (p.Y, p.m, p.n, j, p.pivots, p.pages, w.stream));
    if (j % QR_BLOCK == QR_BLOCK - 1)
      GLA_TRY (pause.wait (pause.user));
  }
  GLA_TRY (qr_pivot_finish (p, w.stream));
  for (int64_t J = 0; J < p.k && p.block > QR_PANEL; J += p.block)
    GLA_TRY (w.join_panels (J, p.k - J < p.block ? (int)(p.k - J) : p.block));
  return GLA_OK;
}

// With a look-ahead of one block: the columns of the next block are updated first, and while its
// panels are factored on the main stream the others follow on the side stream.
template <class T>
gla_status qr_factor (const qr_plan<T> &p, page_matrix<const T> A, const qr_streams &streams,
                      const qr_pause &pause)
{
  qr_worker<T> w (p, streams), side (p, streams, true);
  GLA_TRY (qr_load (p, A, streams.main));
  if constexpr (sizeof (real_t<T>) == sizeof (double))
    if (p.sketch.rows > 0)
      return qr_factor_sketched (w, pause);
  if (p.pivot)
    return factor_pivoted (w, pause);
  bool ahead = false; // the side stream has work that was not waited for
  for (int64_t J = 0; J < p.k; J += p.block) {
    int count = p.k - J < p.block ? (int)(p.k - J) : p.block;
    int64_t first = J + count, next = p.k - first < p.block ? p.k - first : p.block;
    int64_t rest = p.n - first - next;
    if (next == 0 || p.block <= QR_PANEL || rest == 0) {
      next += rest;
      rest = 0;
    }
    page_matrix<T> F = qr_block_factor (p, J);
    GLA_TRY (w.factor_block (J, J, count));
    if (ahead)
      GLA_TRY (cudaStreamWaitEvent (streams.main, streams.updated, 0));
    ahead = rest > 0;
    if (ahead)
      GLA_TRY (cudaEventRecord (streams.factored, streams.main));
    GLA_TRY (w.apply_adjoint (J, count, F, p.Y.at (J, first), next));
    if (ahead) {
      GLA_TRY (cudaStreamWaitEvent (streams.side, streams.factored, 0));
      GLA_TRY (side.apply_adjoint (J, count, F, p.Y.at (J, first + next), rest));
      GLA_TRY (cudaEventRecord (streams.updated, streams.side));
    }
    GLA_TRY (pause.wait (pause.user));
  }
  if (ahead)
    GLA_TRY (cudaStreamWaitEvent (streams.main, streams.updated, 0));
  return GLA_OK;
}

// From the last block to the first: each is applied to the columns that are not those of the
// identity any more and to its own, which still are.
template <class T>
gla_status qr_form_q (const qr_plan<T> &p, page_matrix<T> Q, int64_t columns,
                      const qr_streams &streams, const qr_pause &pause)
{
  qr_worker<T> w (p, streams);
  cudaStream_t stream = streams.main;
  // the last block's columns need no identity first where nothing follows them
  int64_t last = (p.k - 1) / p.block * p.block;
  bool alone = columns == p.k && (p.block > QR_PANEL || p.m > qr_larfb_rows ());
  int64_t known = alone ? last : columns;
  GLA_TRY (qr_identity (Q, p.m, known, 0, p.pages, stream));
  for (int64_t J = last; J >= 0; J -= p.block) {
    int count = p.k - J < p.block ? (int)(p.k - J) : p.block;
    int64_t rows = p.m - J, rest = columns - J - count;
    page_matrix<T> Y = p.Y.at (J, J), F = qr_block_factor (p, J), W = p.W, FW = p.FW;
    if (p.block <= QR_PANEL && rows <= qr_larfb_rows ()) {
      GLA_TRY (qr_larfb<T> ({Y, F, Q.at (J, J), rows, columns - J, count, false, p.pages}, stream));
      continue;
    }
    GLA_TRY (w.gemm ('N', 'C', count, count, count, 1, F, Y, 0, FW)); // Y' of its own columns
    if (rest > 0)
      GLA_TRY (w.gemm ('C', 'N', count, rest, rows - count, 1, Y.at (count, 0),
                       Q.at (J + count, J + count), 0, W));
    if (rest > 0)
      GLA_TRY (w.gemm ('N', 'N', count, rest, count, 1, F, W, 0, FW.at (0, count)));
    if (J == known)
      GLA_TRY (qr_identity (Q.at (0, J), J, count, J, p.pages, stream));
    GLA_TRY (
        w.gemm ('N', 'N', rows, columns - J, count, -1, Y, FW, J == known ? 0 : 1, Q.at (J, J)));
    if (J == known)
      GLA_TRY (qr_add_identity (Q.at (J, J), count, p.pages, stream));
    GLA_TRY (pause.wait (pause.user));
  }
  return GLA_OK;
}

template <class T>
gla_status qr_apply (const qr_plan<T> &p, page_matrix<T> C, int64_t columns,
                     const qr_streams &streams, const qr_pause &pause)
{
  qr_worker<T> w (p, streams);
  for (int64_t J = 0; J < p.k; J += p.block) {
    int count = p.k - J < p.block ? (int)(p.k - J) : p.block;
    GLA_TRY (w.apply_adjoint (J, count, qr_block_factor (p, J), C.at (J, 0), columns));
    GLA_TRY (pause.wait (pause.user));
  }
  return GLA_OK;
}

// Block by block (Bischof, Van Loan): the new columns are Q so far times -Y F of the block.
template <class T>
gla_status qr_form_w (const qr_plan<T> &p, page_matrix<T> W, const qr_streams &streams,
                      const qr_pause &pause)
{
  qr_worker<T> w (p, streams);
  for (int64_t J = 0; J < p.k; J += p.block) {
    int count = p.k - J < p.block ? (int)(p.k - J) : p.block;
    // rows of W above J come from the product with the rows before; Y(:, J) is zero there
    GLA_TRY (w.gemm ('N', 'N', p.m, count, count, -1, p.Y.at (0, J), qr_block_factor (p, J), 0,
                     W.at (0, J)));
    for (int64_t I = 0; I < J; I += p.block) {
      page_matrix<T> Y = p.Y.at (J, I), product = p.W;
      GLA_TRY (w.gemm ('C', 'N', p.block, count, p.m - J, 1, Y, p.Y.at (J, J), 0, product));
      GLA_TRY (
          w.gemm ('N', 'N', p.block, count, count, 1, product, qr_block_factor (p, J), 0, p.FW));
      GLA_TRY (w.gemm ('N', 'N', p.m, count, p.block, -1, W.at (0, I), p.FW, 1, W.at (0, J)));
    }
    GLA_TRY (pause.wait (pause.user));
  }
  return GLA_OK;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template qr_plan<T>::qr_plan (const gla_qr_job &, int64_t, int64_t, carver &);                   \
  template gla_status qr_factor (const qr_plan<T> &, page_matrix<const T>, const qr_streams &,     \
                                 const qr_pause &);                                                \
  template gla_status qr_form_q (const qr_plan<T> &, page_matrix<T>, int64_t, const qr_streams &,  \
                                 const qr_pause &);                                                \
  template gla_status qr_apply (const qr_plan<T> &, page_matrix<T>, int64_t, const qr_streams &,   \
                                const qr_pause &);                                                 \
  template gla_status qr_form_w (const qr_plan<T> &, page_matrix<T>, const qr_streams &,           \
                                 const qr_pause &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
