// pairs_engine.cu: gla_batcheig_pairs on one GPU: chunks of pages, their memory, their transfers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernels here factor B and reduce A to C, those of batcheig find the eigenvectors of C, and
// these are transformed back, all in the memory of a slot.

#include "common/pages.cuh"
#include "common/eig_range.cuh"
#include "common/for_type.cuh"
#include "engine/download.cuh"
#include "engine/eig_part.cuh"
#include "engine/ordered.cuh"
#include "engine/rows.h"
#include "pairs_chunk.cuh"
#include "product/job.h"

namespace
{

//------------------------------------------------------------------------------
// the job
//------------------------------------------------------------------------------

// Returns the standard problem, with arrays on the device or where the call has them. The wanted
// part is taken after the back-transformation, which needs no other columns, and the phase is that
// of the pairs' eigenvectors. An interval is for the pairs, whose eigenvalues are powers of two
// times those of C. Unwanted columns of Y and X have arbitrary values.
gla_eig_job standard_job (const gla_eigpairs_job &job, int device_arrays)
{
  gla_eig_job eig = job.eig;
  eig.head.device_arrays = device_arrays;
  eig.triangle = GLA_TRIANGLE_LOWER;
  eig.phase = 0;
  if (eig.range == GLA_EIG_INTERVAL && eig_part_has_spans (&eig)) {
    eig.il = EIG_PART_STAYS;
    return eig;
  }
  eig.range = GLA_EIG_ALL;
  eig.columns = pencil_wanted (job).count;
  return eig;
}

// Returns the pages of B in a chunk of so many pages.
int64_t pages_of_b (const gla_eigpairs_job &job, int64_t pages)
{
  return job.b_shared ? 1 : pages;
}

//------------------------------------------------------------------------------
// memory of a chunk
//------------------------------------------------------------------------------

size_t eig_bytes (const cuda_engine *e, const gla_eigpairs_job &job, int64_t pages)
{
  const gla_eig_job eig = standard_job (job, 1);
  return (eig_part_bytes (e, &eig, pages) + 255) / 256 * 256;
}

template <class T> struct chunk_memory {
  T *A, *C, *M, *L, *W; // A: of host arrays with one page for all
  real_t<T> *lambda;    // all eigenvalues, of host arrays or if a part is wanted
  real_t<T> *part;      // of host arrays, if a part is wanted
  real_t<T> *rcond;     // of host arrays
  double *before, *skew, *skew_b;
  int *exponent, *row, *scaled;
  int32_t *info, *info_b;
  int64_t *count;
  pencil_page_facts *facts_a, *facts_b;
  double *norm;

  chunk_memory (const gla_eigpairs_job &job, int64_t pages, carver &c)
  {
    const int64_t n = job.eig.n, n2 = n * n, b_pages = pages_of_b (job, pages);
    const bool on_host = !job.eig.head.device_arrays, all = job.eig.range == GLA_EIG_ALL;
    A = on_host && job.a_shared ? c.take<T> (n2) : nullptr;
    C = c.take<T> (pages * n2);
    M = c.take<T> (b_pages * n2);
    L = c.take<T> (b_pages * n2);
    W = c.take<T> (pages * n2);
    lambda = on_host || !all ? c.take<real_t<T>> (pages * n) : nullptr;
    part = on_host && !all ? c.take<real_t<T>> (pages * job.eig.columns) : nullptr;
    rcond = on_host ? c.take<real_t<T>> (pages) : nullptr;
    before = c.take<double> (b_pages * n);
    skew = c.take<double> (pages);
    skew_b = c.take<double> (b_pages);
    exponent = c.take<int> (pages);
    row = c.take<int> (b_pages * n);
    scaled = c.take<int> (b_pages);
    info = c.take<int32_t> (pages);
    info_b = c.take<int32_t> (b_pages);
    count = all ? nullptr : c.take<int64_t> (pages);
    facts_a = c.take<pencil_page_facts> (pages);
    facts_b = c.take<pencil_page_facts> (b_pages);
    norm = c.take<double> (b_pages);
  }
};

size_t arena_bytes (const cuda_engine *e, const gla_eigpairs_job &job, int64_t pages)
{
  carver c = {nullptr, 0};
  for_type (job.eig.head.type, [&] (auto zero) {
    chunk_memory<decltype (zero)> unused (job, pages, c);
    return 0;
  });
  return eig_bytes (e, job, pages) + c.used;
}

template <class T>
chunk_memory<T> memory_of (cuda_engine *e, int slot, const gla_eigpairs_chunk *chunk)
{
  const int64_t pages = chunk->lambda.pages;
  carver c = {e->slots[slot].memory + eig_bytes (e, kept_eigpairs_job (e), pages), 0};
  return chunk_memory<T> (kept_eigpairs_job (e), pages, c);
}

//------------------------------------------------------------------------------
// the work on a chunk
//------------------------------------------------------------------------------

template <class T>
pencil_work<T> work_of (cuda_engine *e, int slot, const gla_eigpairs_chunk *chunk,
                        const chunk_memory<T> &s)
{
  const gla_eigpairs_job &job = kept_eigpairs_job (e);
  const int64_t n = job.eig.n;
  pencil_args<T> a = {};
  a.n = (int)n;
  a.pages = chunk->lambda.pages;
  a.b_pages = pages_of_b (job, a.pages);
  a.b_step = job.b_shared ? 0 : 1;
  a.triangle = job.eig.triangle;
  a.product = job.product;
  a.times = job.times;
  if (job.eig.head.device_arrays) {
    a.A = as_const (pages_of<T> (chunk->A));
    a.B = as_const (pages_of<T> (chunk->B));
  } else { // where one kernel reads A and writes C these are apart
    const bool apart = pencil_way_of<T> (n, job.product, e->smem_limit) != PENCIL_BY_PRODUCTS;
    a.A = {job.a_shared ? s.A : apart ? s.W : s.C, n, n * n};
    a.B = {s.L, n, n * n};
  }
  if (job.a_shared)
    a.A.page = 0;
  a.C = s.C;
  a.M = s.M;
  a.L = s.L;
  a.W = s.W;
  a.exponent = s.exponent;
  a.info = s.info;
  a.skew = s.skew;
  a.skew_b = s.skew_b;
  a.info_b = s.info_b;
  a.row = s.row;
  a.before = s.before;
  a.scaled = s.scaled;
  a.facts_a = s.facts_a;
  a.facts_b = s.facts_b;
  a.norm = s.norm;
  a.smem_limit = e->smem_limit;
  a.stream = e->slots[slot].stream;
  return {e, slot, a};
}

template <class T> gla_status upload (const pencil_work<T> &w, const gla_eigpairs_chunk *chunk)
{
  if (kept_eigpairs_job (w.e).eig.head.device_arrays)
    return GLA_OK;
  GLA_TRY (engine_upload (w.e, w.slot, const_cast<T *> (w.a.B.data), &chunk->B));
  return engine_upload (w.e, w.slot, const_cast<T *> (w.a.A.data), &chunk->A);
}

// Finds C from A and B.
template <class T> gla_status reduce (const pencil_work<T> &w)
{
  switch (pencil_way_of<T> (kept_eigpairs_job (w.e).eig.n, kept_eigpairs_job (w.e).product,
                            w.a.smem_limit)) {
  case PENCIL_BY_WARPS:
    return engine_status (pencil_small (w.a));
  case PENCIL_BY_BLOCKS:
    return engine_status (pencil_page_reduce (w.a));
  default:
    break;
  }
  GLA_TRY (pencil_read_b (w.a));
  GLA_TRY (pencil_factor_pages (w));
  GLA_TRY (pencil_read_a (w.a));
  return pencil_reduce (w);
}

// Returns the place of all eigenvectors at the end.
template <class T>
page_matrix<T> vectors_of (const pencil_work<T> &w, const gla_eigpairs_chunk *chunk)
{
  const gla_eig_job &job = kept_eigpairs_job (w.e).eig;
  if (job.head.device_arrays && job.range == GLA_EIG_ALL)
    return pages_of<T> (chunk->V);
  return {pencil_is_small (kept_eigpairs_job (w.e)) ? w.a.W : w.a.C, job.n, job.n * job.n};
}

gla_array array_of (void *data, gla_type type, int64_t rows, int64_t columns, int64_t ld,
                    int64_t page, int64_t pages, int place)
{
  gla_array a = gla_array_packed (data, type, rows, columns, pages, place);
  a.column_stride = ld;
  a.page_stride = page;
  return a;
}

// Returns the arrays of the standard problem: eigenvectors of the small kernel become those of the
// pair in place.
template <class T>
gla_eig_chunk standard_chunk (const pencil_work<T> &w, const gla_eigpairs_chunk *chunk,
                              const chunk_memory<T> &s)
{
  const gla_eig_job &job = kept_eigpairs_job (w.e).eig;
  const int64_t n = job.n, pages = w.a.pages;
  const int place =
      chunk->lambda.device == GLA_DEVICE_HOST ? w.e->base.device : chunk->lambda.device;
  page_matrix<T> Y = {w.a.W, n, n * n};
  gla_eig_chunk eig = {};
  if (pencil_is_small (kept_eigpairs_job (w.e)) && job.vectors)
    Y = vectors_of (w, chunk);
  eig.A = gla_array_packed (w.a.C, job.head.type, n, n, pages, place);
  eig.lambda = s.lambda == nullptr
                   ? chunk->lambda
                   : gla_array_packed (s.lambda, gla_type_real (job.head.type), n, 1, pages, place);
  eig.V =
      array_of (job.vectors ? Y.data : nullptr, job.head.type, n, n, Y.ld, Y.page, pages, place);
  return eig;
}

// Copies the wanted part of all eigenvalues and eigenvectors out of V.
template <class T>
gla_status take_part (const pencil_work<T> &w, const gla_eigpairs_chunk *chunk,
                      const chunk_memory<T> &s, const eig_span *spans)
{
  const gla_eig_job &job = kept_eigpairs_job (w.e).eig;
  const bool on_host = !job.head.device_arrays;
  eig_range_args<T> r = {};
  r.n = (int)job.n;
  r.columns = (int)job.columns;
  r.pages = w.a.pages;
  r.interval = job.range == GLA_EIG_INTERVAL;
  r.first = (int)job.il - 1;
  r.vl = job.vl;
  r.vu = job.vu;
  r.spans = spans;
  r.stream = w.a.stream;
  r.lambda = s.lambda;
  r.V = job.vectors ? vectors_of (w, chunk).data : nullptr;
  r.count = s.count;
  r.to_lambda = on_host ? s.part : static_cast<real_t<T> *> (chunk->lambda.data);
  r.inc_lambda = on_host ? 1 : chunk->lambda.row_stride;
  r.page_lambda = on_host ? job.columns : chunk->lambda.page_stride;
  r.to_V = on_host ? (r.V == w.a.W ? w.a.C : w.a.W) : static_cast<T *> (chunk->V.data);
  r.ldv = on_host ? job.n : chunk->V.column_stride;
  r.page_v = on_host ? job.n * job.columns : chunk->V.page_stride;
  return engine_status (eig_take_range (r));
}

template <class T>
gla_status condition (const pencil_work<T> &w, const gla_eigpairs_chunk *chunk,
                      const chunk_memory<T> &s)
{
  gla_array rcond = chunk->rcond;
  if (rcond.data == nullptr)
    return GLA_OK;
  if (s.rcond != nullptr) {
    rcond.data = s.rcond;
    rcond.page_stride = 1;
  }
  GLA_TRY (pencil_inverse (w));
  return engine_status (pencil_rcond (w.a, rcond));
}

template <class T> gla_status submit (cuda_engine *e, int slot, const gla_eigpairs_chunk *chunk)
{
  const chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  const pencil_work<T> w = work_of<T> (e, slot, chunk, s);
  const gla_eig_job &job = kept_eigpairs_job (e).eig;
  GLA_TRY (upload (w, chunk));
  if (!job.head.device_arrays && job.vectors)
    engine_announce_results (e, slot, &chunk->V);
  if (chunk->rcond.data != nullptr)
    GLA_TRY (pencil_norm (w.a));
  GLA_TRY (reduce (w));
  GLA_TRY (condition (w, chunk, s));
  const gla_eig_chunk eig = standard_chunk (w, chunk, s);
  const bool spans = kept_eig_job (e).range == GLA_EIG_INTERVAL;
  GLA_TRY (eig_part_submit (e, slot, &eig, spans ? w.a.exponent : nullptr));
  const eig_part_words words = eig_part_words_of (e, slot, w.a.pages);
  GLA_TRY (pencil_values (w.a, eig.lambda, words.info, spans));
  if (job.vectors && pencil_is_small (kept_eigpairs_job (e)))
    GLA_TRY (pencil_small_back (w.a, vectors_of (w, chunk)));
  else if (job.vectors)
    GLA_TRY (pencil_back (w, vectors_of (w, chunk)));
  if (job.vectors && job.phase)
    GLA_TRY (pencil_phase (w.a, vectors_of (w, chunk), pencil_wanted (kept_eigpairs_job (e)),
                           words.spans));
  if (job.range != GLA_EIG_ALL)
    GLA_TRY (take_part (w, chunk, s, words.spans));
  GLA_TRY (eig_look_for_info (e, slot, s.info, w.a.pages));
  return engine_status (cudaEventRecord (e->slots[slot].done, w.a.stream));
}

// Downloads the results of host arrays.
template <class T>
gla_status download (const pencil_work<T> &w, const gla_eigpairs_chunk *chunk,
                     const chunk_memory<T> &s)
{
  const gla_eig_job &job = kept_eigpairs_job (w.e).eig;
  const bool all = job.range == GLA_EIG_ALL;
  const T *V = vectors_of (w, chunk).data;
  if (chunk->rcond.data != nullptr)
    GLA_TRY (engine_download (w.e, w.slot, &chunk->rcond, s.rcond));
  if (job.columns == 0)
    return GLA_OK;
  GLA_TRY (engine_download (w.e, w.slot, &chunk->lambda, all ? s.lambda : s.part));
  if (!job.vectors)
    return GLA_OK;
  return engine_download (w.e, w.slot, &chunk->V, all ? V : V == w.a.W ? w.a.C : w.a.W);
}

template <class T> gla_status finish (cuda_engine *e, int slot, const gla_eigpairs_chunk *chunk)
{
  const chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  const gla_eig_job &job = kept_eigpairs_job (e).eig;
  const int64_t pages = chunk->lambda.pages;
  GLA_TRY (engine_wait (e, e->slots[slot].done));
  if (!job.head.device_arrays)
    GLA_TRY (download (work_of<T> (e, slot, chunk, s), chunk, s));
  if (job.range != GLA_EIG_ALL)
    GLA_TRY (download_words (e, slot, chunk->count, s.count, pages));
  return download_info (e, slot, chunk, s.info, s.skew, pages);
}

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

int supports (const gla_job *head)
{
  const gla_eigpairs_job *job = (const gla_eigpairs_job *)head;
  const gla_eig_job eig = standard_job (*job, head->device_arrays);
  gla_pagemul_job product = {};
  product.head = *head;
  product.m = product.n = product.k = job->eig.n;
  return cuda_eig_ops.supports (&eig.head) &&
         (pencil_is_small (*job) || cuda_pagemul_ops.supports (&product.head));
}

// The time is that of batcheig, which transfers A and V, of B, and of the products.
double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_eigpairs_job &job = *(const gla_eigpairs_job *)head;
  const gla_eig_job eig = standard_job (job, head->device_arrays);
  const double n = (double)job.eig.n, parts = 1 + gla_type_is_complex (head->type);
  const double bytes = n * n * (double)gla_type_size (head->type);
  const double link = head->device_arrays || job.b_shared ? 0 : bytes / 22e9;
  const double work = 4e-9 + 6.2 * n * n * n * parts * parts / 2e13 + 8 * bytes / 3e12;
  return cuda_eig_ops.seconds (engine, &eig.head, pages) + (double)pages * (link + work);
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_eigpairs_job &job = *(const gla_eigpairs_job *)head;
  const gla_eig_job eig = standard_job (job, head->device_arrays);
  cuda_engine *e = engine_of (engine);
  return eig_part_chunk_pages (e, &eig, pages,
                               [&] (int64_t count) { return arena_bytes (e, job, count); });
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  kept_eigpairs_job (e) = *(const gla_eigpairs_job *)head;
  kept_eig_job (e) = standard_job (kept_eigpairs_job (e), 1);
  engine_begin_job (e, head, pages);
  return engine_reserve (e, 0, arena_bytes (e, kept_eigpairs_job (e), pages));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_eigpairs_chunk *> (pages);
  GLA_TRY (engine_reserve (e, slot, arena_bytes (e, kept_eigpairs_job (e), e->chunk_pages)));
  GLA_TRY (engine_take_slot (e, slot, chunk));
  return for_type (kept_eigpairs_job (e).eig.head.type,
                   [&] (auto zero) { return submit<decltype (zero)> (e, slot, chunk); });
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_eigpairs_chunk *> (e->slots[slot].chunk);
  const gla_status status = for_type (kept_eigpairs_job (e).eig.head.type, [&] (auto zero) {
    return finish<decltype (zero)> (e, slot, chunk);
  });
  return end_chunk (e, slot, status, chunk, chunk->lambda.pages);
}

} // namespace

extern "C" const gla_batch_ops cuda_eigpairs_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = engine_end_job,
};
