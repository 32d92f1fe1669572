// svd_chunk.cu: the kernels of a chunk of pages of gla_batchsvd, in order
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/pages.cuh"
#include "common/work_limits.cuh"
#include "svd_chunk.cuh"
#include "svd.cuh"
#include "svd_multiply.cuh"

namespace
{

template <class T>
svd_args<T> args_of (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, int64_t pages)
{
  const gla_svd_job &job = kept_svd_job (e);
  const svd_shape shape = svd_shape_of (job);
  const double eps = gla_type_eps (job.head.type);
  svd_args<T> a = {};
  a.A = as_const (s.by_qr ? s.R : s.A);
  a.U = s.by_qr ? s.W[shape.tree.count] : shape.flip ? s.V : s.U;
  a.V = shape.flip ? s.U : s.V;
  a.S = s.S;
  a.row_s = s.row_s;
  a.page_s = s.page_s;
  a.rows = (int)(s.by_qr ? shape.columns : shape.rows);
  a.columns = (int)shape.columns;
  a.flip = shape.flip && !s.by_qr;
  a.values = (int)job.values;
  a.u_columns = (int)shape.u_columns;
  a.v_columns = (int)shape.v_columns;
  a.pages = pages;
  a.tol = job.tol > eps ? job.tol : eps;
  a.maxit = job.maxit;
  a.info = s.info;
  a.any = &e->counter[slot];
  return a;
}

bool any_of (const int *failed, int64_t pages)
{
  for (int64_t page = 0; page < pages; page++)
    if (failed[page])
      return true;
  return false;
}

// f (first, count) for failed pages that follow each other.
template <class F> gla_status for_runs (const int *failed, int64_t pages, F f)
{
  for (int64_t page = 0, count = 1; page < pages; page += count, count = 1)
    if (failed[page]) {
      while (page + count < pages && failed[page + count])
        count++;
      GLA_TRY (f (page, count));
    }
  return GLA_OK;
}

// 0 to the rows from `rows` on that share 16 bytes with others: products read them, unused, and
// compute-sanitizer would complain. M.page is that of so many columns.
template <class T>
cudaError_t clear_behind (page_matrix<T> M, int64_t rows, int64_t columns, int64_t pages,
                          cudaStream_t stream)
{
  const int64_t unit = 16 / (int64_t)sizeof (T), end = (rows + unit - 1) / unit * unit;
  const int64_t more = (end < M.ld ? end : M.ld) - rows;
  if (M.data == nullptr || more <= 0)
    return cudaSuccess;
  return cudaMemset2DAsync (M.data + rows, (size_t)M.ld * sizeof (T), 0, (size_t)more * sizeof (T),
                            (size_t)(columns * pages), stream);
}

// A = Q*R: the triangles of each level are the rows of the next one, the last one is R.
template <class T>
gla_status factor (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, page_matrix<T> A,
                   int64_t pages)
{
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  const int k = (int)shape.columns, count = shape.tree.count;
  GLA_TRY (clear_behind (s.Q[0], shape.rows, k, pages, e->slots[slot].stream));
  for (int l = 0; l < count; l++) {
    const svd_tree_level &level = shape.tree.level[l];
    const page_matrix<T> rows = l == 0 ? A : s.stack[l], R = l + 1 < count ? s.stack[l + 1] : s.R;
    for (int64_t b = 0; b < level.blocks; b++) {
      const int64_t row = level.first_row (b);
      GLA_TRY (qr_part<T> (as_const (rows.at (row, 0)), s.Q[l].at (row, 0), R.at (b * k, 0),
                           level.rows_of (b), k, pages, e->slots[slot].stream));
    }
  }
  return GLA_OK;
}

// U = Q*W, from the last level to the first.
template <class T>
gla_status form_u (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, page_matrix<T> U,
                   int64_t pages)
{
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  const int64_t k = shape.columns, n = shape.u_columns;
  const svd_product product = {e, slot, pages};
  for (int l = shape.tree.count - 1; l >= 0; l--) {
    const svd_tree_level &level = shape.tree.level[l];
    const page_matrix<T> result = l == 0 ? U : s.W[l];
    for (int64_t b = 0; b < level.blocks; b++) {
      const int64_t row = level.first_row (b);
      GLA_TRY (svd_multiply (product, result.at (row, 0), s.Q[l].at (row, 0),
                             s.W[l + 1].at (b * k, 0), {level.rows_of (b), k, n}));
    }
  }
  return GLA_OK;
}

// Of tall pages with R alone: A = Q*R before, and U = Q*W behind.
template <class T>
gla_status factor_tall (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, page_matrix<T> A,
                        int64_t pages, int *failed)
{
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  const bool direct = shape.direct, paged = shape.paged;
  if (!direct && !paged)
    return factor (e, slot, s, A, pages);
  const qr_pages<T> p = {A, shape.reduced ? page_matrix<T>{} : s.Q[0], s.R, pages};
  const cudaStream_t stream = e->slots[slot].stream;
  GLA_TRY (clear_behind (p.Q, shape.rows, shape.columns, pages, stream));
  GLA_TRY (qr_pages_part (e, slot, s.qr, p, failed));
  if (direct) // Q of pages that fail comes later
    GLA_TRY (clear_behind (p.Q, shape.columns, shape.columns, pages, stream));
  if (!any_of (failed, direct ? pages : 0))
    return GLA_OK;
  if (paged)
    return qr_pages_part_redo (e, slot, s.qr, p);
  return for_runs (failed, pages, [&] (int64_t first, int64_t count) {
    return factor (e, slot, s.from (first), pages_from (A, first), count);
  });
}
template <class T>
gla_status form_tall (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, page_matrix<T> U,
                      int64_t pages)
{
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  if (shape.paged)
    return svd_multiply (svd_product{e, slot, pages}, U, s.Q[0], s.W[0],
                         {shape.rows, shape.columns, shape.u_columns});
  return form_u (e, slot, s, U, pages);
}
// U = A*(inv (R)*W), the product of n x n in place of R; Q*W of pages that have failed.
template <class T>
gla_status form_direct (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, page_matrix<T> U,
                        page_matrix<T> A, int64_t pages, const int *failed)
{
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  const int64_t m = shape.rows, n = shape.columns, k = shape.u_columns;
  const svd_product product = {e, slot, pages};
  GLA_TRY (svd_multiply (product, s.R, s.Q[0], s.W[shape.tree.count], {n, n, k}));
  GLA_TRY (svd_multiply (product, U, A, s.R, {m, n, k}));
  return for_runs (failed, pages, [&] (int64_t first, int64_t count) {
    return form_tall (e, slot, s.from (first), pages_from (U, first), count);
  });
}

// Bidiagonal matrices of large pages, a few of them at a time.
template <class T>
gla_status reduce_together (cuda_engine *e, int slot, const svd_values_args<T> &v,
                            svd_together_work work)
{
  const int most = work.pages;
  for (; work.first < v.a.pages; work.first += most) {
    const int64_t left = v.a.pages - work.first;
    work.pages = left < most ? (int)left : most;
    GLA_TRY (svd_together (v, work, e->smem_limit));
    GLA_TRY (left > most ? engine_throttle (e, slot) : GLA_OK);
  }
  return GLA_OK;
}

// Bidiagonal matrices by way of a band, in pieces of about PIECE_SECONDS, each waited for, so that
// a request to stop is served soon.
template <class T> gla_status reduce_by_band (cuda_engine *e, int slot, const svd_values_args<T> &v)
{
  const int steps = svd_band_step_count (v.a.columns);
  const svd_band_cost cost = svd_band_costs (kept_svd_job (e).head.type, v.a.rows, v.a.columns);
  const double expected = cost.latency + (double)v.a.pages * cost.page;
  const bool pieces = expected > 2 * PIECE_SECONDS;
  const int step = pieces ? 1 + (int)(steps * PIECE_SECONDS / expected) : steps;
  GLA_TRY (engine_status (svd_band_begin (v)));
  for (int first = 0; first < steps; first += step) {
    const int last = first + step < steps ? first + step : steps;
    GLA_TRY (engine_status (svd_band_steps (v, first, last)));
    GLA_TRY (pieces ? engine_throttle (e, slot) : GLA_OK);
  }
  return engine_status (svd_band_end (v, e->smem_limit));
}

template <class T>
gla_status reduce (cuda_engine *e, int slot, const svd_values_args<T> &v,
                   const svd_chunk_memory<T> &s)
{
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  if (shape.together)
    return reduce_together (e, slot, v, s.together);
  return shape.banded ? reduce_by_band (e, slot, v)
                      : engine_status (svd_bidiagonal (v, e->smem_limit));
}

// Values alone, of the pages or their R.
template <class T>
gla_status values (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, const svd_args<T> &a)
{
  svd_values_args<T> v = s.values;
  v.a = a;
  v.stream = e->slots[slot].stream;
  if (svd_shape_of (kept_svd_job (e)).warped) {
    GLA_TRY (engine_status (svd_warp_values (v)));
    if (a.columns > SVD_WARP_MOST)
      return GLA_OK;
    svd_args<T> left = a;
    left.only = v.scale;
    return engine_status (svd_lanes (left, v.stream));
  }
  GLA_TRY (reduce (e, slot, v, s));
  return engine_status (svd_bisect (v));
}

// The pages, or their R.
template <class T>
gla_status square (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, const svd_args<T> &a)
{
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  if (shape.reduced)
    return values (e, slot, s, a);
  if (shape.polar)
    return polar_chunk (e, slot, a, s.polar);
  return engine_status (svd_lanes (a, e->slots[slot].stream));
}

// From A, whose longer side is down where it is tall, to the results.
template <class T>
gla_status decompose (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, page_matrix<T> A,
                      int64_t pages)
{
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  const cudaStream_t stream = e->slots[slot].stream;
  const int64_t rows = shape.rows, columns = shape.columns, values = kept_svd_job (e).values;
  const page_matrix<T> U = shape.flip ? s.V : s.U, V = shape.flip ? s.U : s.V;
  const bool tall_u = s.by_qr && shape.u_columns > 0;
  host_array<int> failed (shape.direct ? pages : 0);
  if (failed.data == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  if (s.by_qr)
    GLA_TRY (factor_tall (e, slot, s, A, pages, failed.data));
  GLA_TRY (square (e, slot, s, args_of<T> (e, slot, s, pages)));
  if (tall_u)
    GLA_TRY (shape.direct ? form_direct (e, slot, s, U, A, pages, failed.data)
                          : form_tall (e, slot, s, U, pages));
  // the phase is that of V, here of the columns of the longer side of flipped pages
  return shape.flip && tall_u
             ? engine_status (svd_fix_phase (U, rows, V, columns, values, pages, stream))
             : GLA_OK;
}

} // namespace

template <class T>
gla_status svd_decompose (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, int64_t pages)
{
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  const cudaStream_t stream = e->slots[slot].stream;
  const bool turned = shape.flip && s.by_qr;
  if (turned)
    GLA_TRY (svd_adjoint (s.adjoint, as_const (s.A), shape.rows, shape.columns, pages, stream));
  GLA_TRY (decompose (e, slot, s, turned ? s.adjoint : s.A, pages));
  return s.by_qr ? engine_status (svd_find_extreme (args_of<T> (e, slot, s, pages), stream))
                 : GLA_OK;
}

template <class T>
gla_status svd_look_again (cuda_engine *e, int slot, const svd_chunk_memory<T> &s, int64_t pages)
{
  svd_args<T> a = args_of<T> (e, slot, s, pages);
  a.A = as_const (s.A);
  a.rows = (int)kept_svd_job (e).m;
  a.columns = (int)kept_svd_job (e).n;
  a.flip = 0;
  return engine_status (svd_extreme_exponents (a, s.exponent, e->slots[slot].stream));
}

template <class T>
gla_status svd_decompose_again (cuda_engine *e, int slot, const svd_chunk_memory<T> &s,
                                int64_t first, int64_t count)
{
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  const cudaStream_t stream = e->slots[slot].stream;
  page_matrix<T> A = shape.flip ? s.adjoint : s.A;
  A.data += first * A.page;
  const int32_t *exponent = s.exponent + first;
  GLA_TRY (clear_behind (s.scaled, shape.rows, shape.columns, count, stream));
  GLA_TRY (svd_divide (s.scaled, as_const (A), shape.rows, shape.columns, count, exponent, stream));
  svd_chunk_memory<T> some = s;
  some.by_qr = true;
  some.U = pages_from (s.U, first);
  some.V = pages_from (s.V, first);
  some.S += first * s.page_s;
  some.info += first;
  GLA_TRY (decompose (e, slot, some, s.scaled, count));
  return engine_status (svd_multiply_values (args_of<T> (e, slot, some, count), exponent, stream));
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status svd_decompose (cuda_engine *, int, const svd_chunk_memory<T> &, int64_t);    \
  template gla_status svd_look_again (cuda_engine *, int, const svd_chunk_memory<T> &, int64_t);   \
  template gla_status svd_decompose_again (cuda_engine *, int, const svd_chunk_memory<T> &,        \
                                           int64_t, int64_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
