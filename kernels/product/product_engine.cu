// product_engine.cu: gla_pagemul on one GPU: chunks of pages, their memory, their transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/for_type.cuh"
#include "common/runtime.cuh"
#include "common/pages.cuh"
#include "common/work_limits.cuh"
#include "engine/operand.cuh"
#include "engine/ordered.cuh"
#include "product.cuh"
#include "product/job.h"

// The current job.
static inline gla_pagemul_job &kept_pagemul_job (const cuda_engine *e)
{
  return kept_job<gla_pagemul_job> (e, GLA_BATCH_PAGEMUL);
}

namespace
{

// Terms of a sum that one launch adds: a single page of few rows and columns has one block,
// whatever the terms are.
const int64_t PIECE_TERMS = 1 << 16;
// Work space for the parts of long sums, but at least that of one page.
const double PARTS_BYTES = 1 << 26;

//------------------------------------------------------------------------------
// the job
//------------------------------------------------------------------------------

operand_steps steps_a (const gla_pagemul_job &job)
{
  return {job.dims, job.dim_size, job.a_step};
}
operand_steps steps_b (const gla_pagemul_job &job)
{
  return {job.dims, job.dim_size, job.b_step};
}

// An operand of the size that the job says, for estimates; of all its pages one is the last that
// is needed.
gla_array operand_like (const gla_pagemul_job &job, const operand_steps &steps, bool is_complex,
                        int64_t rows, int64_t columns)
{
  int64_t pages = 1;
  for (int d = 0; d < steps.dims; d++)
    pages += (steps.size[d] - 1) * steps.step[d];
  const gla_type type = is_complex ? job.head.type : gla_type_real (job.head.type);
  return gla_array_packed (nullptr, type, rows, columns, pages,
                           job.head.device_arrays ? 0 : GLA_DEVICE_HOST);
}

// Bytes of A and B for each page of C that are copied to the device.
double upload_bytes (const gla_pagemul_job &job, int64_t pages)
{
  const gla_array A = operand_like (job, steps_a (job), job.a_complex, job.m, job.k);
  const gla_array B = operand_like (job, steps_b (job), job.b_complex, job.k, job.n);
  return operand_page_bytes (A, steps_a (job), pages) +
         operand_page_bytes (B, steps_b (job), pages);
}

double result_bytes (const gla_pagemul_job &job)
{
  return (double)job.m * (double)job.n * (double)gla_type_size (job.head.type);
}

int64_t clamped (double x, int64_t least, int64_t most)
{
  return x < (double)least ? least : x > (double)most ? most : (int64_t)x;
}

// Bytes of all parts of the sums of a page, 0 where they are whole.
double part_bytes (const gla_pagemul_job &job)
{
  return product_parts_of (job.m, job.n, job.k).count () * result_bytes (job);
}

// Pages whose parts are in the work space at a time, of so many of a chunk.
int64_t part_pages (const gla_pagemul_job &job, int64_t pages)
{
  const double bytes = part_bytes (job);
  return bytes > 0 ? clamped (PARTS_BYTES / bytes, 1, pages) : 0;
}

// Seconds of the kernels for a page: bytes through the device's memory, or arithmetic.
double kernel_seconds (const cuda_engine *e, const gla_pagemul_job &job)
{
  const double real = (double)gla_type_size (gla_type_real (job.head.type));
  const double m = (double)job.m, n = (double)job.n, k = (double)job.k;
  const double bytes =
      real * (m * k * (1 + job.a_complex) + k * n * (1 + job.b_complex)) + result_bytes (job);
  const double flops = 2 * m * n * k * (1 + job.a_complex) * (1 + job.b_complex);
  const double move = bytes / 3e12, multiply = flops / (real == 8 ? 3.5e13 : 2e13);
  return (move > multiply ? move : multiply) * FITTED_MULTIPROCESSORS / e->multiprocessors;
}

//------------------------------------------------------------------------------
// a chunk
//------------------------------------------------------------------------------

// Where the chunk's matrices are on the device.
struct chunk_memory {
  operand_memory A, B;
  gla_array C;
  void *parts; // of part_pages pages
};

chunk_memory memory_of (const cuda_engine *e, const gla_pagemul_chunk *chunk, carver &c)
{
  chunk_memory s;
  const gla_pagemul_job &job = kept_pagemul_job (e);
  const int64_t pages = chunk->C.pages;
  s.A = operand_take (operand_source (e, 0, chunk->A), steps_a (job), chunk->first, pages, c);
  s.B = operand_take (operand_source (e, 1, chunk->B), steps_b (job), chunk->first, pages, c);
  s.parts = c.take<char> (part_pages (job, pages) * (int64_t)part_bytes (job));
  s.C = chunk->C;
  if (job.head.device_arrays)
    return s;
  s.C = gla_array_packed (nullptr, job.head.type, job.m, job.n, pages, 0);
  s.C.data = c.take<char> (pages * job.m * job.n * (int64_t)gla_type_size (job.head.type));
  return s;
}

template <class TA, class TB>
product_args<TA, TB> args_of (const gla_pagemul_job &job, const chunk_memory &s)
{
  const page_matrix<product_t<TA, TB>> C = pages_of<product_t<TA, TB>> (s.C);
  product_args<TA, TB> a = {};
  a.A = s.A.of<TA> ();
  a.B = s.B.of<TB> ();
  a.C = C.data;
  a.ldc = C.ld;
  a.page = C.page;
  a.pages = s.C.pages;
  a.m = (int)job.m;
  a.n = (int)job.n;
  a.k = (int)job.k;
  a.transpose_a = job.op_a != 'N';
  a.transpose_b = job.op_b != 'N';
  a.conjugate_a = job.op_a == 'C';
  a.conjugate_b = job.op_b == 'C';
  a.hermitian = job.hermitian;
  return a;
}

// Seconds that a launch may take for `terms` terms of a page, whatever its shape: tiles that are
// not filled take as long as full ones, and pages that do not lie side by side are read slowly.
double slowest_seconds (const cuda_engine *e, int64_t tiles, int64_t terms)
{
  const gla_pagemul_job &job = kept_pagemul_job (e);
  const double part = job.k > 0 ? (double)terms / (double)job.k : 1.0;
  const double full = 5e-9 * (double)tiles * (1 + (double)terms / 16) *
                      (1 + job.a_complex * job.b_complex) * FITTED_MULTIPROCESSORS /
                      e->multiprocessors;
  const double page = kernel_seconds (e, job) * part * (tiles > 0 ? 1 : 3);
  return page > full ? page : full;
}

// The pages in pieces of PIECE_SECONDS; a page that takes longer in pieces of tiles and of terms.
template <class TA, class TB>
gla_status launch_pages (cuda_engine *e, int slot, const product_args<TA, TB> &a)
{
  const int64_t tiles = product_tiles<TA, TB> (a.m, a.n, a.k), in_page = tiles > 0 ? tiles : 1;
  const int64_t terms = tiles > 0 && a.k > PIECE_TERMS ? PIECE_TERMS : a.k > 0 ? a.k : 1;
  const double page = slowest_seconds (e, tiles, terms);
  const int64_t most = (1 << 30) / in_page; // tiles are counted in 32 bits
  int64_t pages = clamped (PIECE_SECONDS / page, 1, most > 1 ? most : 1);
  pages = pages > 64 ? pages / 64 * 64 : pages;
  const int64_t part = pages > 1 || tiles == 0
                           ? in_page
                           : clamped (PIECE_SECONDS / page * (double)tiles, 1, in_page);
  bool first = true;
  for (int64_t p = 0; p < a.pages; p += pages)
    for (int64_t l = 0; l == 0 || l < a.k; l += terms) // one launch where k is 0
      for (int64_t t = 0; t < in_page; t += part) {
        const product_piece piece = {p,
                                     a.pages - p < pages ? a.pages - p : pages,
                                     t,
                                     in_page - t < part ? in_page - t : part,
                                     (int)l,
                                     (int)(a.k - l < terms ? a.k - l : terms),
                                     e->multiprocessors};
        GLA_TRY (first ? GLA_OK : engine_throttle (e, slot));
        GLA_TRY (product_pages (a, piece, e->slots[slot].stream));
        first = false;
      }
  return GLA_OK;
}

//------------------------------------------------------------------------------
// long sums
//------------------------------------------------------------------------------

template <class T>
page_operand<T> operand_from (page_operand<T> a, int64_t first_page, int64_t elements)
{
  a.data += elements + (a.index == nullptr ? first_page * a.page : 0);
  a.index = a.index == nullptr ? nullptr : a.index + first_page;
  return a;
}

// Terms first .. first+terms-1 of pages from `page` on, as products of their own.
template <class TA, class TB>
product_args<TA, TB> part_of (const product_args<TA, TB> &a, int64_t page, int64_t pages,
                              int64_t first, int terms)
{
  product_args<TA, TB> b = a;
  b.A = operand_from (a.A, page, a.transpose_a ? first : first * a.A.ld);
  b.B = operand_from (a.B, page, a.transpose_b ? first * a.B.ld : first);
  b.ldc = a.m;
  b.page = (int64_t)a.m * a.n;
  b.pages = pages;
  b.k = terms;
  return b;
}

// Pages first .. first+pages-1. The parts of one page are the pages of a launch where there are
// more of them than pages, else one part of all pages is; the bits are the same.
template <class TA, class TB>
gla_status launch_parts (cuda_engine *e, int slot, const product_args<TA, TB> &a, int64_t first,
                         int64_t pages, product_t<TA, TB> *work)
{
  const product_parts s = product_parts_of (a.m, a.n, a.k);
  const int64_t in_page = (int64_t)a.m * a.n, in_part = pages * in_page;
  const bool by_page = pages < s.full && a.A.index == nullptr && a.B.index == nullptr;
  for (int64_t p = 0; by_page && p < pages; p++) {
    product_args<TA, TB> b = part_of (a, first + p, s.full, 0, s.terms);
    b.A.page = a.transpose_a ? s.terms : s.terms * a.A.ld;
    b.B.page = a.transpose_b ? s.terms * a.B.ld : s.terms;
    b.C = work + p * in_page;
    b.page = in_part;
    GLA_TRY (launch_pages (e, slot, b));
  }
  for (int l = by_page ? s.full : 0; l < s.count (); l++) {
    const int64_t from = (int64_t)l * s.terms;
    product_args<TA, TB> b = part_of (a, first, pages, from, l < s.full ? s.terms : s.rest);
    b.C = work + l * in_part;
    GLA_TRY (launch_pages (e, slot, b));
  }
  const part_sums<product_t<TA, TB>> sums = {work,       s.count (),           a.m,   a.n,
                                             (int)pages, a.C + first * a.page, a.ldc, a.page};
  return engine_status (product_add_parts (sums, e->slots[slot].stream));
}

template <class TA, class TB> gla_status launch (cuda_engine *e, int slot, const chunk_memory &s)
{
  typedef product_t<TA, TB> T;
  const product_args<TA, TB> a = args_of<TA, TB> (kept_pagemul_job (e), s);
  const int64_t group = part_pages (kept_pagemul_job (e), a.pages);
  if (group == 0)
    return launch_pages (e, slot, a);
  for (int64_t p = 0; p < a.pages; p += group) {
    const int64_t pages = a.pages - p < group ? a.pages - p : group;
    GLA_TRY (launch_parts (e, slot, a, p, pages, static_cast<T *> (s.parts)));
  }
  return GLA_OK;
}

template <class T> gla_status launch (cuda_engine *e, int slot, const chunk_memory &s)
{
  if constexpr (is_complex_v<T>) {
    typedef real_t<T> R;
    return !kept_pagemul_job (e).a_complex   ? launch<R, T> (e, slot, s)
           : !kept_pagemul_job (e).b_complex ? launch<T, R> (e, slot, s)
                                             : launch<T, T> (e, slot, s);
  } else
    return launch<T, T> (e, slot, s);
}

gla_status upload (cuda_engine *e, int slot, const gla_pagemul_chunk *chunk, const chunk_memory &s)
{
  const gla_pagemul_job &job = kept_pagemul_job (e);
  const int64_t first = chunk->first, pages = chunk->C.pages;
  if (job.k == 0)
    return GLA_OK;
  const gla_array A = operand_source (e, 0, chunk->A), B = operand_source (e, 1, chunk->B);
  GLA_TRY (operand_upload (e, slot, A, steps_a (job), first, pages, s.A));
  return operand_upload (e, slot, B, steps_b (job), first, pages, s.B);
}

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

int supports (const gla_job *head)
{
  const gla_pagemul_job *job = (const gla_pagemul_job *)head;
  const int64_t most = (int64_t)1 << 30;
  return job->m < most && job->n < most && job->k < most && devices_serve (PRODUCT_SHARED);
}

double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_pagemul_job &job = *(const gla_pagemul_job *)head;
  const double link =
      head->device_arrays ? 0 : (upload_bytes (job, pages) + result_bytes (job)) / LINK_RATE;
  return CALL_SECONDS + (double)pages * (link + kernel_seconds (engine_facts (engine), job));
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  const gla_pagemul_job &job = *(const gla_pagemul_job *)head;
  const double copied = upload_bytes (job, pages) + (head->device_arrays ? 0 : result_bytes (job));
  double chunk = 2 * PIECE_SECONDS / kernel_seconds (e, job);
  if (!head->device_arrays && chunk > CHUNK_BYTES / copied)
    chunk = CHUNK_BYTES / copied;
  chunk = chunk > 1 ? chunk : 1;
  const double held = copied + (copied > 0 ? part_bytes (job) : 0);
  return clamped (engine_fit_in_memory (e, chunk, held), 1, pages);
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  kept_pagemul_job (e) = *(const gla_pagemul_job *)head;
  const gla_pagemul_job &job = kept_pagemul_job (e);
  engine_begin_job (e, head, pages);
  operand_begin_job (e);
  if (head->device_arrays)
    return GLA_OK;
  const double parts = (double)part_pages (job, pages) * part_bytes (job);
  const double copied = (double)pages * (upload_bytes (job, pages) + result_bytes (job));
  return engine_reserve (e, 0, (size_t)(parts + copied));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_pagemul_chunk *> (pages);
  if (kept_pagemul_job (e).k > 0) {
    GLA_TRY (operand_share (e, slot, 0, chunk->A, steps_a (kept_pagemul_job (e))));
    GLA_TRY (operand_share (e, slot, 1, chunk->B, steps_b (kept_pagemul_job (e))));
  }
  GLA_TRY (operand_reserve (e, slot, [&] (carver &c) { memory_of (e, chunk, c); }));
  GLA_TRY (engine_take_slot (e, slot, chunk));
  carver c = {e->slots[slot].memory, 0};
  const chunk_memory s = memory_of (e, chunk, c);
  GLA_TRY (upload (e, slot, chunk, s));
  if (!kept_pagemul_job (e).head.device_arrays)
    engine_announce_results (e, slot, &chunk->C);
  GLA_TRY (for_type (kept_pagemul_job (e).head.type,
                     [&] (auto zero) { return launch<decltype (zero)> (e, slot, s); }));
  return engine_status (cudaEventRecord (e->slots[slot].done, e->slots[slot].stream));
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_pagemul_chunk *> (e->slots[slot].chunk);
  gla_status status = engine_wait_unordered (e, slot);
  if (status == GLA_OK && !kept_pagemul_job (e).head.device_arrays) {
    carver c = {e->slots[slot].memory, 0};
    const chunk_memory s = memory_of (e, chunk, c);
    status = engine_download (e, slot, &chunk->C, s.C.data);
  }
  return engine_end_chunk (e, slot, status, chunk->C.pages);
}

} // namespace

extern "C" const gla_batch_ops cuda_pagemul_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = operand_end_job,
};
