// svd_engine.cu: gla_batchsvd on one GPU: memory of a chunk, its kernels, its transfers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A page is seen with its longer side down, as its adjoint where it has more columns than rows. To
// 64 rows one kernel does it. With more rows, and from 33 on with at most 32 columns, A = Q*R,
// R = W*S*V', U = Q*W, by blocks of rows as svd_tree.cuh says.

#include "common/carver.cuh"
#include "common/for_type.cuh"
#include "common/work_limits.cuh"
#include "engine/download.cuh"
#include "engine/engine.cuh"
#include "engine/product_part.cuh"
#include "engine/qr_part.cuh"
#include "svd.cuh"
#include "svd_tree.cuh"

#include <cstring>

namespace
{

//------------------------------------------------------------------------------
// the job
//------------------------------------------------------------------------------

// The pages with the longer side down: U belongs to the rows.
struct tall_shape {
  int64_t rows, columns, u_columns, v_columns;
  bool flip, by_qr;
  svd_tree tree; // by_qr: the blocks of rows
};

tall_shape shape_of (const gla_svd_job &job)
{
  const bool flip = job.m < job.n;
  tall_shape s = {job.m, job.n, job.u_columns, job.v_columns, flip, false, {}};
  if (flip)
    s = {job.n, job.m, job.v_columns, job.u_columns, flip, false, {}};
  s.by_qr = s.rows > (s.columns <= SVD_LANES_WARP ? SVD_LANES_WARP : SVD_LANES_MAX);
  if (s.by_qr && s.columns <= SVD_LANES_MAX)
    s.tree = svd_tree_of (job.head.type, s.rows, s.columns);
  return s;
}

bool has_vectors (const gla_svd_job &job)
{
  return job.u_columns + job.v_columns > 0;
}

// Bytes of all arrays of a page.
double page_bytes (const gla_svd_job &job)
{
  const double m = (double)job.m, n = (double)job.n;
  return (double)gla_type_size (job.head.type) *
             (m * n + m * (double)job.u_columns + n * (double)job.v_columns) +
         8 * (double)job.values + 4;
}

// Of the kernel for small pages, by a measurement of 60 000 pages (doc/notebook/svd-gpu.md), and
// for tall ones of what comes before and after it, by bytes.
double work_seconds (const gla_svd_job &job)
{
  const tall_shape s = shape_of (job);
  const double by_type = job.head.type == GLA_TYPE_S   ? 0.55
                         : job.head.type == GLA_TYPE_D ? 1
                         : job.head.type == GLA_TYPE_C ? 1.2
                                                       : 2.4;
  double lanes = 2;
  while (lanes < (double)(s.by_qr ? s.columns : s.rows))
    lanes *= 2;
  const double jacobi = 7.6e-12 * lanes * lanes * (double)s.columns * by_type;
  const double bytes = page_bytes (job) * (s.by_qr ? 6 : 1);
  return jacobi * (has_vectors (job) ? 1 : 0.65) + bytes / 2e12 + 1e-10;
}

//------------------------------------------------------------------------------
// a chunk
//------------------------------------------------------------------------------

// What a chunk has on the GPU, in the slot's arena; arrays on the device stay where they are.
template <class T> struct chunk_memory {
  page_matrix<T> A, U, V;
  real_t<T> *S;
  int64_t row_s, page_s;
  int32_t *info;
  page_matrix<T> adjoint, R; // of tall pages
  // of each level of the tree: Q of its blocks, the triangles of the level before, and what Q*W is
  // made of
  page_matrix<T> Q[SVD_TREE_LEVELS], stack[SVD_TREE_LEVELS], W[SVD_TREE_LEVELS + 1];

  chunk_memory (const gla_svd_job &job, int64_t pages, carver &c)
  {
    const tall_shape s = shape_of (job);
    const bool on_host = !job.head.device_arrays;
    A = packed (c, pages, job.m, job.n, on_host);
    U = packed (c, pages, job.m, job.u_columns, on_host);
    V = packed (c, pages, job.n, job.v_columns, on_host);
    S = on_host ? c.take<real_t<T>> (pages * job.values) : nullptr;
    row_s = 1;
    page_s = job.values;
    info = c.take<int32_t> (pages);
    adjoint = packed (c, pages, s.rows, s.columns, s.by_qr && s.flip);
    R = packed (c, pages, s.columns, s.columns, s.by_qr);
    for (int l = 0; l < s.tree.count; l++) {
      const int64_t rows = s.tree.level[l].rows;
      Q[l] = packed (c, pages, rows, s.columns, true);
      stack[l] = packed (c, pages, rows, s.columns, l > 0);
      W[l] = packed (c, pages, rows, s.u_columns, l > 0);
    }
    W[s.tree.count] = packed (c, pages, s.columns, s.u_columns, s.by_qr);
  }
  static page_matrix<T> packed (carver &c, int64_t pages, int64_t rows, int64_t columns,
                                bool wanted)
  {
    if (!wanted || columns == 0)
      return {nullptr, 0, 0};
    return {c.take<T> (pages * rows * columns), rows, rows * columns};
  }
};

size_t arena_bytes (const gla_svd_job &job, int64_t pages)
{
  carver c = {nullptr, 0};
  for_type (job.head.type, [&] (auto zero) {
    chunk_memory<decltype (zero)> unused (job, pages, c);
    return 0;
  });
  return c.used;
}

template <class T> chunk_memory<T> memory_of (cuda_engine *e, int slot, const gla_svd_chunk *chunk)
{
  carver c = {e->slots[slot].memory, 0};
  chunk_memory<T> s (e->svd_job, chunk->A.pages, c);
  if (!e->svd_job.head.device_arrays)
    return s;
  s.A = pages_of<T> (chunk->A);
  s.U = pages_of<T> (chunk->U);
  s.V = pages_of<T> (chunk->V);
  s.S = static_cast<real_t<T> *> (chunk->S.data);
  s.row_s = chunk->S.row_stride;
  s.page_s = chunk->S.page_stride;
  return s;
}

template <class T>
svd_args<T> args_of (cuda_engine *e, int slot, const chunk_memory<T> &s, int64_t pages)
{
  const gla_svd_job &job = e->svd_job;
  const tall_shape shape = shape_of (job);
  const double eps = gla_type_eps (job.head.type);
  svd_args<T> a = {};
  a.A = as_const (shape.by_qr ? s.R : s.A);
  a.U = shape.by_qr ? s.W[shape.tree.count] : shape.flip ? s.V : s.U;
  a.V = shape.flip ? s.U : s.V;
  a.S = s.S;
  a.row_s = s.row_s;
  a.page_s = s.page_s;
  a.rows = (int)(shape.by_qr ? shape.columns : shape.rows);
  a.columns = (int)shape.columns;
  a.flip = shape.flip && !shape.by_qr;
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

// C = A*B of m x k and k x n
template <class T>
cudaError_t multiply (cuda_engine *e, int slot, page_matrix<T> C, page_matrix<T> A,
                      page_matrix<T> B, const int64_t (&mkn)[3], int64_t pages)
{
  product_args<T, T> p = {};
  p.A = {A.data, A.ld, A.page, nullptr};
  p.B = {B.data, B.ld, B.page, nullptr};
  p.C = C.data;
  p.ldc = C.ld;
  p.page = C.page;
  p.pages = pages;
  p.m = (int)mkn[0];
  p.k = (int)mkn[1];
  p.n = (int)mkn[2];
  const int64_t tiles = product_tiles<T, T> (p.m, p.n, p.k);
  const product_piece piece = {0, pages, 0, tiles > 0 ? tiles : 1, 0, p.k, e->multiprocessors};
  return product_pages (p, piece, e->slots[slot].stream);
}

// A = Q*R: the triangles of each level are the rows of the next one, the last one is R.
template <class T>
gla_status factor (cuda_engine *e, int slot, const chunk_memory<T> &s, page_matrix<T> A,
                   int64_t pages)
{
  const tall_shape shape = shape_of (e->svd_job);
  const int k = (int)shape.columns, count = shape.tree.count;
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
gla_status form_u (cuda_engine *e, int slot, const chunk_memory<T> &s, page_matrix<T> U,
                   int64_t pages)
{
  const tall_shape shape = shape_of (e->svd_job);
  const int64_t k = shape.columns, n = shape.u_columns;
  for (int l = shape.tree.count - 1; l >= 0; l--) {
    const svd_tree_level &level = shape.tree.level[l];
    const page_matrix<T> result = l == 0 ? U : s.W[l];
    for (int64_t b = 0; b < level.blocks; b++) {
      const int64_t row = level.first_row (b);
      GLA_TRY (multiply (e, slot, result.at (row, 0), s.Q[l].at (row, 0), s.W[l + 1].at (b * k, 0),
                         {level.rows_of (b), k, n}, pages));
    }
  }
  return GLA_OK;
}

template <class T>
gla_status decompose (cuda_engine *e, int slot, const chunk_memory<T> &s, int64_t pages)
{
  const tall_shape shape = shape_of (e->svd_job);
  const cudaStream_t stream = e->slots[slot].stream;
  const svd_args<T> a = args_of<T> (e, slot, s, pages);
  const int rows = (int)shape.rows, columns = (int)shape.columns;
  if (!shape.by_qr)
    return engine_status (svd_lanes (a, stream));
  if (shape.flip)
    GLA_TRY (svd_adjoint (s.adjoint, as_const (s.A), rows, columns, pages, stream));
  GLA_TRY (factor (e, slot, s, shape.flip ? s.adjoint : s.A, pages));
  GLA_TRY (svd_lanes (a, stream));
  if (shape.u_columns == 0)
    return GLA_OK;
  const page_matrix<T> U = shape.flip ? s.V : s.U;
  GLA_TRY (form_u (e, slot, s, U, pages));
  if (!shape.flip)
    return GLA_OK;
  return engine_status (svd_fix_phase (U, rows, s.U, columns, e->svd_job.values, pages, stream));
}

template <class T> gla_status submit (cuda_engine *e, int slot, const gla_svd_chunk *chunk)
{
  const chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  if (!e->svd_job.head.device_arrays) {
    GLA_TRY (engine_upload (e, slot, s.A.data, &chunk->A));
    engine_announce_results (e, slot, chunk->U.data != nullptr ? &chunk->U : &chunk->S);
  }
  e->counter[slot] = 0;
  GLA_TRY (decompose (e, slot, s, chunk->A.pages));
  return engine_status (cudaEventRecord (e->slots[slot].done, e->slots[slot].stream));
}

template <class T> gla_status finish (cuda_engine *e, int slot, const gla_svd_chunk *chunk)
{
  const chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  GLA_TRY (engine_wait (e, e->slots[slot].done));
  if (!e->svd_job.head.device_arrays) {
    GLA_TRY (engine_download (e, slot, &chunk->S, s.S));
    GLA_TRY (download_matrix (e, slot, chunk->U, s.U));
    GLA_TRY (download_matrix (e, slot, chunk->V, s.V));
  }
  *chunk->clean = e->counter[slot] == 0;
  if (*chunk->clean)
    return GLA_OK;
  const gla_array info =
      gla_array_packed (chunk->info, GLA_TYPE_S, 1, 1, chunk->A.pages, GLA_DEVICE_HOST);
  return engine_download (e, slot, &info, s.info); // 4 bytes each, as type s has
}

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

// Pages of up to 64 columns, by Jacobi whatever the method. Where QR comes first, not all columns
// of a square U.
int supports (const gla_job *head)
{
  const gla_svd_job *job = (const gla_svd_job *)head;
  const tall_shape s = shape_of (*job);
  if (s.columns > SVD_LANES_MAX)
    return 0;
  if (!s.by_qr)
    return 1;
  gla_pagemul_job product = {};
  product.head = *head;
  product.m = s.rows;
  product.k = product.n = s.columns;
  return s.u_columns <= s.columns && s.tree.count > 0 && cuda_pagemul_ops.supports (&product.head);
}

double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_svd_job &job = *(const gla_svd_job *)head;
  const double chip = FITTED_MULTIPROCESSORS / engine_facts (engine)->multiprocessors;
  const double transfer = head->device_arrays ? 0 : page_bytes (job) / LINK_RATE;
  const double work = work_seconds (job) * chip;
  return CALL_SECONDS + (double)pages * (transfer > work ? transfer : work);
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  const gla_svd_job &job = *(const gla_svd_job *)head;
  double chunk = PIECE_SECONDS / work_seconds (job) * e->multiprocessors / FITTED_MULTIPROCESSORS;
  const double by_bytes = CHUNK_BYTES / page_bytes (job),
               of_page = (double)arena_bytes (job, 64) / 64;
  if (!head->device_arrays)
    chunk = chunk > by_bytes ? by_bytes : chunk;
  chunk = chunk > (double)pages ? (double)pages : chunk;
  if (chunk * of_page > (double)e->slots[0].size) { // the query takes longer than a small batch
    const double by_memory = engine_pages_in_memory (e, of_page);
    chunk = chunk > by_memory ? by_memory : chunk;
  }
  return chunk < 1 ? 1 : (int64_t)chunk;
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  e->svd_job = *(const gla_svd_job *)head;
  engine_begin_job (e, head, pages);
  return engine_reserve (e, 0, arena_bytes (e->svd_job, pages));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_svd_chunk *> (pages);
  GLA_TRY (engine_reserve (e, slot, arena_bytes (e->svd_job, e->chunk_pages)));
  e->slots[slot].chunk = chunk;
  return for_type (e->svd_job.head.type,
                   [&] (auto zero) { return submit<decltype (zero)> (e, slot, chunk); });
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_svd_chunk *> (e->slots[slot].chunk);
  const gla_status status = for_type (
      e->svd_job.head.type, [&] (auto zero) { return finish<decltype (zero)> (e, slot, chunk); });
  if (status != GLA_OK) // the chunk may be done again
    memset (chunk->info, 0, (size_t)chunk->A.pages * sizeof *chunk->info);
  return engine_end_chunk (e, slot, status, chunk->A.pages);
}

} // namespace

extern "C" const gla_batch_ops cuda_svd_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = engine_end_job,
};
