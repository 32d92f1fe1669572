// svd_chunk.cuh: a chunk of pages of gla_batchsvd on one GPU: its shape, its memory, its kernels
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_CHUNK_CUH
#define GPULINALG_SVD_CHUNK_CUH

#include "common/pages.cuh"
#include "engine/eig_part.cuh"
#include "engine/qr_pages_part.cuh"
#include "svd_band.cuh"
#include "svd_polar_chunk.cuh"
#include "svd.cuh"
#include "svd/job.h"

// The current job.
inline gla_svd_job &kept_svd_job (const cuda_engine *e)
{
  return kept_job<gla_svd_job> (e, GLA_BATCH_SVD);
}

// The shape of the pages, transposed so that rows >= columns: U belongs to the rows.
struct svd_shape {
  int64_t rows, columns, u_columns, v_columns;
  bool flip, by_qr, polar;
  bool again;    // polar: pages may fail, and are done again with A = Q*R before
  bool reduced;  // values alone, by a bidiagonal matrix
  bool warped;   // reduced: a page by two warps at most
  bool together; // reduced: each page by many blocks
  bool banded;   // reduced: by way of a band
  bool paged;    // Q*R, also of pages that are done again, is that of qr_pages_part
  bool direct;   // by_qr: well conditioned pages have inv (R) in place of Q, by way of A'A
  svd_tree tree; // by_qr, and not paged: the blocks of rows
};

inline bool svd_is_together (int64_t columns)
{
  return columns >= SVD_TOGETHER_LEAST && columns <= SVD_TOGETHER_MOST;
}

inline int64_t svd_values_least (gla_type type)
{
  return gla_type_real (type) == GLA_TYPE_S ? (int64_t)SVD_WARP_LEAST : (int64_t)SVD_WARP_DOUBLE;
}

inline bool svd_is_reduced (const gla_svd_job &job, int64_t columns)
{
  return job.u_columns + job.v_columns == 0 && job.method != GLA_SVD_METHOD_JACOBI &&
         columns >= svd_values_least (job.head.type) && columns <= SVD_TOGETHER_MOST;
}

// Pages of at least so many columns use the polar decomposition, except for "jacobi", and for small
// pages of which all columns of a square U are wanted.
enum { SVD_POLAR_LEAST = SVD_LANES_WARP + 1 };

inline bool svd_is_polar (const gla_svd_job &job, const svd_shape &s)
{
  return s.columns > SVD_LANES_MAX ||
         (s.columns >= SVD_POLAR_LEAST && job.method != GLA_SVD_METHOD_JACOBI &&
          s.u_columns <= s.columns);
}

// Whether Q*R comes before svd_lanes, which gives a page 4, 8, 16, 24 or 32 lanes by its number of
// rows, whatever the columns are; R takes fewer. The bounds are measured (notebook/svd-gpu.md): two
// passes more for the adjoint of a wide page pay off from 17 rows on.
inline bool svd_lanes_by_qr (const svd_shape &s, gla_type type)
{
  if (s.rows > SVD_LANES_WARP)
    return true;
  if (s.u_columns > s.columns) // a square U is not Q*W
    return false;
  if (s.rows > 16)
    return s.columns <= 16 && !(s.flip && s.columns == 1);
  if (s.rows > 8)
    return s.columns <= 8 && !s.flip;
  return s.rows > 4 && s.columns <= 4 && !s.flip && type == GLA_TYPE_Z;
}

// Whether Q*R comes before. A bidiagonal matrix is cheaper from the page itself where that is not
// much longer than wide.
inline bool svd_is_by_qr (const svd_shape &s, gla_type type)
{
  if (s.together)
    return s.rows > s.columns;
  if (s.reduced && s.columns > SVD_WARP_MOST)
    return s.rows > (s.banded ? (int)SVD_BAND_MOST : (int)SVD_VALUES_MOST) ||
           s.rows > 2 * s.columns;
  if (s.polar)
    return s.rows > s.columns;
  return s.columns <= SVD_LANES_WARP ? svd_lanes_by_qr (s, type) : s.rows > SVD_LANES_MAX;
}

// True if at most two warps reduce a page, or its R.
inline bool svd_is_warped (const gla_svd_job &job, const svd_shape &s)
{
  return s.columns <= SVD_WARP_MOST ||
         ((s.by_qr ? s.columns : s.rows) <= SVD_LANES_MAX && job.head.type != GLA_TYPE_Z);
}

// Q*R of pages that are paged or direct; values alone need no Q.
inline gla_qr_job svd_qr_job (const gla_svd_job &job, const svd_shape &s)
{
  gla_qr_job factor = qr_pages_part_job (job.head, s.rows, s.columns);
  factor.q_columns = s.reduced ? 0 : factor.q_columns;
  return factor;
}

// Columns of pages that go by A'A at least; the tree is faster for fewer.
enum { SVD_DIRECT_LEAST = 17 };

inline bool svd_is_direct (const gla_svd_job &job, const svd_shape &s)
{
  const gla_qr_job factor = svd_qr_job (job, s);
  return s.by_qr && s.columns >= SVD_DIRECT_LEAST && job.method != GLA_SVD_METHOD_JACOBI &&
         qr_pages_part_inverts (&factor) && gpu_blas_expected ();
}

inline svd_shape svd_shape_of (const gla_svd_job &job)
{
  svd_shape s = {};
  s.flip = job.m < job.n;
  s.rows = s.flip ? job.n : job.m;
  s.columns = s.flip ? job.m : job.n;
  s.u_columns = s.flip ? job.v_columns : job.u_columns;
  s.v_columns = s.flip ? job.u_columns : job.v_columns;
  s.reduced = svd_is_reduced (job, s.columns);
  s.together = s.reduced && svd_is_together (s.columns);
  s.banded = s.reduced && !s.together && s.columns >= svd_band_least (job.head.type);
  s.polar = !s.reduced && svd_is_polar (job, s);
  s.again = s.polar && !polar_by_steps (s.columns, gla_type_is_complex (job.head.type));
  s.by_qr = svd_is_by_qr (s, job.head.type);
  s.warped = s.reduced && svd_is_warped (job, s);
  s.paged = s.columns > SVD_LANES_MAX || (s.polar && !s.by_qr);
  if (s.by_qr && !s.paged)
    s.tree = svd_tree_of (job.head.type, s.rows, s.columns);
  s.direct = svd_is_direct (job, s);
  return s;
}

// Pages that are done again together: so many, and so many numbers, but one at least.
enum { SVD_AGAIN_MOST = 64, SVD_AGAIN_NUMBERS = 1 << 20 };

template <class T> page_matrix<T> pages_from (page_matrix<T> a, int64_t page)
{
  return {a.data == nullptr ? nullptr : a.data + page * a.page, a.ld, a.page};
}

// What a chunk has on the GPU, in the slot's arena; arrays on the device stay where they are.
template <class T> struct svd_chunk_memory {
  page_matrix<T> A, U, V;
  real_t<T> *S;
  int64_t row_s, page_s;
  int32_t *info;
  page_matrix<T> adjoint, R; // of tall pages
  // of each level of the tree: Q of its blocks, the triangles of the level before, and what Q*W is
  // made of
  page_matrix<T> Q[SVD_TREE_LEVELS], stack[SVD_TREE_LEVELS], W[SVD_TREE_LEVELS + 1];
  bool by_qr;         // of the shape, or of a page that is done again
  char *qr = nullptr; // of pages that are paged or direct
  polar_memory<T> polar;
  svd_values_args<T> values = {};  // of pages that are reduced: their work space
  svd_together_work together = {}; // of pages that many blocks reduce: as many as go at a time
  page_matrix<T> scaled;           // of pages that are done again, as many as SVD_AGAIN_MOST allows
  int64_t scaled_pages;
  int32_t *exponent; // of pages that may be done again: they are divided by 2^exponent

  svd_chunk_memory (const cuda_engine *e, const gla_svd_job &job, int64_t pages, carver &c)
  {
    const svd_shape s = svd_shape_of (job);
    const int64_t factored = s.by_qr ? pages : 1; // a square page is done again alone
    const gla_qr_job factor = svd_qr_job (job, s);
    const bool with_qr = s.by_qr ? s.paged || s.direct : s.again;
    const bool before = with_qr && s.polar && !s.again; // of eig_part
    const int64_t qr_bytes = with_qr ? (int64_t)qr_pages_part_bytes (&factor, factored) : 0;
    if (s.polar)
      take_beginning (e, job, pages, before ? qr_bytes : 0, c);
    const bool on_host = !job.head.device_arrays;
    by_qr = s.by_qr;
    A = packed (c, pages, job.m, job.n, on_host);
    U = packed (c, pages, job.m, job.u_columns, on_host);
    V = packed (c, pages, job.n, job.v_columns, on_host);
    S = on_host ? c.take<real_t<T>> (pages * job.values) : nullptr;
    row_s = 1;
    page_s = job.values;
    info = c.take<int32_t> (pages);
    adjoint = packed (c, pages, s.rows, s.columns, s.by_qr && s.flip);
    R = packed (c, factored, s.columns, s.columns, s.by_qr || s.again);
    for (int l = 0; l < s.tree.count; l++) {
      const int64_t rows = s.tree.level[l].rows;
      Q[l] = l == 0 ? padded (c, pages, rows, s.columns, true)
                    : packed (c, pages, rows, s.columns, true);
      stack[l] = packed (c, pages, rows, s.columns, l > 0);
      W[l] = packed (c, pages, rows, s.u_columns, l > 0);
    }
    W[s.tree.count] = packed (c, factored, s.columns, s.u_columns, s.by_qr || s.again);
    if (s.paged)
      Q[0] = padded (c, factored, s.rows, s.columns, (s.by_qr && !s.reduced) || s.again);
    if (with_qr && !before)
      qr = c.take<char> (qr_bytes);
    if (s.polar)
      polar.take (s.columns, pages, e->multiprocessors, c);
    if (s.reduced)
      take_values (s, pages, e->smem_limit, c);
    if (s.together)
      take_together (s, pages, e->multiprocessors, c);
    take_scaled (s, factored, pages, c);
  }
  void take_together (const svd_shape &s, int64_t pages, int multiprocessors, carver &c)
  {
    const svd_together_share share =
        svd_together_shares (s.columns, (int64_t)sizeof (T), pages, multiprocessors);
    together.blocks = share.blocks;
    together.pages = share.pages;
    together.counter = c.take<unsigned> (share.pages);
    together.memory = c.take<char> (share.pages * svd_together_bytes<T> (s.columns, share.blocks));
  }
  void take_scaled (const svd_shape &s, int64_t factored, int64_t pages, carver &c)
  {
    const int64_t fit = SVD_AGAIN_NUMBERS / (padded_rows (s.rows) * s.columns);
    const bool wanted = s.by_qr || s.again;
    const int64_t most = fit < 1 ? 1 : fit > SVD_AGAIN_MOST ? (int64_t)SVD_AGAIN_MOST : fit;
    scaled_pages = factored < most ? factored : most;
    scaled = padded (c, scaled_pages, s.rows, s.columns, wanted);
    exponent = wanted ? c.take<int32_t> (pages) : nullptr;
  }
  void take_values (const svd_shape &s, int64_t pages, int smem_limit, carver &c)
  {
    const int64_t rows = s.by_qr ? s.columns : s.rows, columns = s.columns;
    values.scale = c.take<int32_t> (pages);
    if (s.warped)
      return;
    if (s.banded)
      values.rest = c.take<T> (pages * svd_band_layout<T> (rows, columns).size ());
    else if (!s.together && svd_bidiagonal_rest<T> ((int)rows, (int)columns, smem_limit))
      values.rest = c.take<T> (pages * rows * columns);
    values.d = c.take<real_t<T>> (pages * columns);
    values.e = c.take<real_t<T>> (pages * columns);
  }
  // The bytes of eig_part belong to other parts before it, one after the other.
  void take_beginning (const cuda_engine *e, const gla_svd_job &job, int64_t pages,
                       int64_t qr_bytes, carver &c)
  {
    const int64_t columns = svd_shape_of (job).columns;
    carver of_qr = c, of_steps = c;
    const gla_eig_job eig = polar_eig_job (job, columns);
    c.take<char> ((int64_t)eig_part_bytes (e, &eig, pages));
    qr = of_qr.take<char> (qr_bytes);
    if (polar_by_steps (columns, is_complex_v<T>))
      polar.take_early (columns, pages, of_steps);
    for (const carver &other : {of_qr, of_steps})
      c.used = other.used > c.used ? other.used : c.used;
  }
  // What tall pages have of themselves, from a page on.
  svd_chunk_memory from (int64_t page) const
  {
    svd_chunk_memory some = *this;
    some.R = pages_from (R, page);
    for (int l = 0; l < SVD_TREE_LEVELS; l++) {
      some.Q[l] = pages_from (Q[l], page);
      some.stack[l] = pages_from (stack[l], page);
    }
    for (int l = 0; l <= SVD_TREE_LEVELS; l++)
      some.W[l] = pages_from (W[l], page);
    return some;
  }
  // Columns lie at the same places whatever the page: so it has the same bits everywhere.
  static int64_t padded_rows (int64_t rows) { return (rows + 15) / 16 * 16; }
  static page_matrix<T> padded (carver &c, int64_t pages, int64_t rows, int64_t columns,
                                bool wanted)
  {
    return packed (c, pages, padded_rows (rows), columns, wanted);
  }
  static page_matrix<T> packed (carver &c, int64_t pages, int64_t rows, int64_t columns,
                                bool wanted)
  {
    if (!wanted || columns == 0)
      return {nullptr, 0, 0};
    return {c.take<T> (pages * rows * columns), rows, rows * columns};
  }
};

// Launches the kernels, from s.A to s.S, s.U, s.V and s.info.
template <class T>
gla_status svd_decompose (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, int64_t pages);

// Finds what is wrong with the pages that have info, as svd_extreme_exponents says, for s.exponent.
template <class T>
gla_status svd_look_again (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, int64_t pages);

// Does pages again with A = Q*R before, divided as s.exponent says; at most s.scaled_pages.
template <class T>
gla_status svd_decompose_again (cuda_engine *e, int slot, const svd_chunk_memory<T> &s,
                                int64_t first, int64_t count);

#endif
