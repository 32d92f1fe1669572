// qr_plan.cu: the order of blocks and panels of a QR factorisation, and what is made from it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LAPACK's ?geqrf, ?orgqr and ?ormqr with blocks of blocks: panels of 32 columns are factored in
// one kernel each, and applied at once within their block of 128 or so; the whole block is applied
// to what is right of it by matrix products. The triangular factors are kept.

#include "common/cluster.cuh"
#include "common/status.cuh"
#include "qr_plan.cuh"

namespace
{

enum { BLOCK = 128, WIDE_BLOCK = 256, WIDE_FROM = 3072, BLOCK_MAX = 512 };

// To this size panels are applied one by one by our own kernel, without cuBLAS.
enum { SMALL_ROWS = 2048, SMALL_COLUMNS = 256 };

// Above so many rows a panel is applied by matrix products.
int64_t larfb_rows ()
{
  return clusters_work () ? 16384 : SMALL_ROWS;
}

int64_t round_up (int64_t a, int64_t to)
{
  return (a + to - 1) / to * to;
}

template <class T> page_matrix<T> block_factor (const qr_plan<T> &p, int64_t J)
{
  return p.F.at (0, J);
}

// Work that all functions of a plan share.
template <class T> struct worker {
  const qr_plan<T> &p;
  gpu_blas *blas;
  cudaStream_t stream;
  page_matrix<T> W, FW;

  worker (const qr_plan<T> &p, const qr_streams &s, bool side = false)
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
    if (count <= QR_PANEL && rows <= larfb_rows ())
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
    if (count <= BLOCK)
      return factor_panels (J, I, count);
    int left = (int)round_up (count / 2, BLOCK), right = count - left;
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

} // namespace

bool qr_needs_blas (const gla_qr_job &job)
{
  return job.m > SMALL_ROWS || job.n > SMALL_COLUMNS || job.block > QR_PANEL || job.wy;
}

static int block_of (const gla_qr_job &job)
{
  int64_t k = job.m < job.n ? job.m : job.n;
  if (job.m <= SMALL_ROWS && job.n <= SMALL_COLUMNS && job.block == 0)
    return QR_PANEL;
  int64_t block = job.block > 0                  ? round_up (job.block, QR_PANEL)
                  : k >= WIDE_FROM && !job.pivot ? (int64_t)WIDE_BLOCK
                                                 : (int64_t)BLOCK;
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
  bool side = block > QR_PANEL && n > 2 * block;
  side_W = {c.take<T> (side ? pages * block * n : 0), block, block * n};
  side_FW = {c.take<T> (side ? pages * block * n : 0), block, block * n};
  tree = m > qr_panel_rows_max<T> () ? c.take<T> (pages * qr_tree_work<T> (m)) : nullptr;
  largest = c.take<unsigned long long> (pages * n);
  exponent = c.take<int> (pages * n);
  pivot = job.pivot;
  int64_t numbers = pivot ? pages * n : 0;
  pivots = {c.take<double> (numbers), c.take<double> (numbers), c.take<T> (numbers),
            c.take<int64_t> (numbers)};
}

// Column by column, waiting every `BLOCK` of them.
template <class T> static gla_status factor_pivoted (const worker<T> &w, const qr_pause &pause)
{
  const qr_plan<T> &p = w.p;
  GLA_TRY (qr_pivot_start (p.Y, p.m, p.n, p.pivots, p.pages, w.stream));
  for (int64_t j = 0; j < p.k; j++) {
    GLA_TRY (qr_pivot_column (p.Y, p.m, p.n, j, p.pivots, p.pages, w.stream));
    if (j % BLOCK == BLOCK - 1)
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
  worker<T> w (p, streams), side (p, streams, true);
  GLA_TRY (qr_load (p, A, streams.main));
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
    page_matrix<T> F = block_factor (p, J);
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

// From the last block to the first, each applied to the columns that are not identity's any more
// and to its own, which still are.
template <class T>
gla_status qr_form_q (const qr_plan<T> &p, page_matrix<T> Q, int64_t columns,
                      const qr_streams &streams, const qr_pause &pause)
{
  worker<T> w (p, streams);
  cudaStream_t stream = streams.main;
  // the last block's columns need no identity first where nothing follows them
  int64_t last = (p.k - 1) / p.block * p.block;
  bool alone = columns == p.k && (p.block > QR_PANEL || p.m > larfb_rows ());
  int64_t known = alone ? last : columns;
  GLA_TRY (qr_identity (Q, p.m, known, 0, p.pages, stream));
  for (int64_t J = last; J >= 0; J -= p.block) {
    int count = p.k - J < p.block ? (int)(p.k - J) : p.block;
    int64_t rows = p.m - J, rest = columns - J - count;
    page_matrix<T> Y = p.Y.at (J, J), F = block_factor (p, J), W = p.W, FW = p.FW;
    if (p.block <= QR_PANEL && rows <= larfb_rows ()) {
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
  worker<T> w (p, streams);
  for (int64_t J = 0; J < p.k; J += p.block) {
    int count = p.k - J < p.block ? (int)(p.k - J) : p.block;
    GLA_TRY (w.apply_adjoint (J, count, block_factor (p, J), C.at (J, 0), columns));
    GLA_TRY (pause.wait (pause.user));
  }
  return GLA_OK;
}

// Block by block (Bischof, Van Loan): the new columns are Q so far times -Y F of the block.
template <class T>
gla_status qr_form_w (const qr_plan<T> &p, page_matrix<T> W, const qr_streams &streams,
                      const qr_pause &pause)
{
  worker<T> w (p, streams);
  for (int64_t J = 0; J < p.k; J += p.block) {
    int count = p.k - J < p.block ? (int)(p.k - J) : p.block;
    // rows of W above J come from the product with the rows before; Y(:, J) is zero there
    GLA_TRY (w.gemm ('N', 'N', p.m, count, count, -1, p.Y.at (0, J), block_factor (p, J), 0,
                     W.at (0, J)));
    for (int64_t I = 0; I < J; I += p.block) {
      page_matrix<T> Y = p.Y.at (J, I), product = p.W;
      GLA_TRY (w.gemm ('C', 'N', p.block, count, p.m - J, 1, Y, p.Y.at (J, J), 0, product));
      GLA_TRY (w.gemm ('N', 'N', p.block, count, count, 1, product, block_factor (p, J), 0, p.FW));
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
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
