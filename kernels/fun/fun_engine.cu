// fun_engine.cu: gla_pagefun on one GPU: chunks of pages, their memory, their transfers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernels of batcheig find the eigenvectors of a chunk. Then one kernel of this folder makes
// the result up to order 32; above it several kernels and those of the page products do.

#include "common/pages.cuh"
#include "common/for_type.cuh"
#include "engine/download.cuh"
#include "engine/eig_part.cuh"
#include "engine/ordered.cuh"
#include "engine/product_pieces.cuh"
#include "engine/rows.h"
#include "fun.cuh"
#include "fun/job.h"
#include "product/job.h"

#include <cmath>

// The current job.
static inline gla_pagefun_job &kept_pagefun_job (const cuda_engine *e)
{
  return kept_job<gla_pagefun_job> (e, GLA_BATCH_PAGEFUN);
}

namespace
{

//------------------------------------------------------------------------------
// the job
//------------------------------------------------------------------------------

// Returns the eigenvalue problems of a job, with arrays on the device or where the call has them.
gla_eig_job eig_job_of (const gla_pagefun_job &job, int device_arrays)
{
  gla_eig_job eig = {};
  eig.head = job.head;
  eig.head.device_arrays = device_arrays;
  eig.n = eig.columns = job.n;
  eig.vectors = 1;
  eig.method = job.method;
  eig.triangle = job.triangle;
  eig.tol = gla_type_eps (job.head.type);
  eig.maxit = 30;
  return eig;
}

fun_rounding rounding_of (const gla_pagefun_job &job)
{
  const double p = job.power;
  switch (job.fun) {
  case GLA_FUN_SQRT:
    return FUN_NEGATIVE_TO_ZERO;
  case GLA_FUN_ISQRT:
  case GLA_FUN_LOG:
  case GLA_FUN_INV:
    return FUN_SMALL_TO_ZERO;
  case GLA_FUN_POWER:
    return p < 0 ? FUN_SMALL_TO_ZERO : p != std::floor (p) ? FUN_NEGATIVE_TO_ZERO : FUN_KEEP;
  default:
    return FUN_KEEP;
  }
}

// Whether some value may be neither positive nor 0 on a page that does not fail: then Y is not X.
bool turns (const gla_pagefun_job &job)
{
  if (job.wide || job.scale_complex)
    return true;
  switch (job.fun) {
  case GLA_FUN_EXP:
  case GLA_FUN_OCCUPIED:
    return false;
  case GLA_FUN_SQRT:
  case GLA_FUN_ISQRT:
    return !job.real_only;
  default:
    return true;
  }
}

// Calls f (zero, zero) for the types of A and F.
template <class F> auto for_types (const gla_pagefun_job &job, F f)
{
  return for_type (job.head.type, [&] (auto zero) {
    typedef decltype (zero) T;
    if constexpr (!is_complex_v<T>)
      if (job.wide)
        return f (zero, cx<T> ());
    return f (zero, zero);
  });
}

//------------------------------------------------------------------------------
// memory of a chunk
//------------------------------------------------------------------------------

size_t eig_bytes (const cuda_engine *e, const gla_pagefun_job &job, int64_t pages)
{
  const gla_eig_job eig = eig_job_of (job, 1);
  return (eig_part_bytes (e, &eig, pages) + 255) / 256 * 256;
}

template <class T, class E> struct chunk_memory {
  T *A; // of host arrays
  T *V;
  real_t<T> *lambda;
  E *F; // of host arrays; at A's place if it has the same type
  E *Y;
  fun_value *values;
  int *state;
  double *scale;
  int64_t *occupied;

  chunk_memory (const gla_pagefun_job &job, int64_t pages, carver &c)
  {
    const int64_t n = job.n, n2 = n * n;
    const bool on_host = !job.head.device_arrays, large = n > FUN_SMALL;
    A = on_host ? c.take<T> (pages * n2) : nullptr;
    V = c.take<T> (pages * n2);
    lambda = c.take<real_t<T>> (pages * n);
    F = !on_host ? nullptr : job.wide ? c.take<E> (pages * n2) : reinterpret_cast<E *> (A);
    Y = large && turns (job) ? c.take<E> (pages * n2) : nullptr;
    values = large ? c.take<fun_value> (pages * n) : nullptr;
    state = large ? c.take<int> (pages) : nullptr;
    scale = c.take<double> (2 * (job.scale_each ? pages : 1));
    occupied = c.take<int64_t> (job.occupied_each ? pages : 1);
  }
};

size_t arena_bytes (const cuda_engine *e, const gla_pagefun_job &job, int64_t pages)
{
  carver c = {nullptr, 0};
  for_types (job, [&] (auto a, auto f) {
    chunk_memory<decltype (a), decltype (f)> unused (job, pages, c);
    return 0;
  });
  return eig_bytes (e, job, pages) + c.used;
}

template <class T, class E>
chunk_memory<T, E> memory_of (cuda_engine *e, int slot, const gla_pagefun_chunk *chunk)
{
  carver c = {e->slots[slot].memory + eig_bytes (e, kept_pagefun_job (e), chunk->A.pages), 0};
  return chunk_memory<T, E> (kept_pagefun_job (e), chunk->A.pages, c);
}

//------------------------------------------------------------------------------
// the work on a chunk
//------------------------------------------------------------------------------

// Copies the caller's numbers, one for each page or one for all.
gla_status upload_numbers (cuda_engine *e, int slot, const gla_pagefun_chunk *chunk, double *scale,
                           int64_t *occupied)
{
  const gla_pagefun_job &job = kept_pagefun_job (e);
  const int64_t pages = chunk->A.pages;
  if (chunk->scale != nullptr) {
    const gla_array from =
        gla_array_packed (const_cast<double *> (chunk->scale), GLA_TYPE_D, 1 + job.scale_complex, 1,
                          job.scale_each ? pages : 1, GLA_DEVICE_HOST);
    GLA_TRY (engine_upload (e, slot, scale, &from));
  }
  if (chunk->occupied == nullptr)
    return GLA_OK;
  const gla_array from = // 8 bytes each, as type d has
      gla_array_packed (const_cast<int64_t *> (chunk->occupied), GLA_TYPE_D, 1, 1,
                        job.occupied_each ? pages : 1, GLA_DEVICE_HOST);
  return engine_upload (e, slot, occupied, &from);
}

fun_rule rule_of (const gla_pagefun_job &job, const gla_pagefun_chunk *chunk, const double *scale,
                  const int64_t *occupied)
{
  fun_rule r = {};
  r.fun = job.fun;
  r.rounding = rounding_of (job);
  r.n = (int)job.n;
  r.power = job.power;
  r.floor = job.floor;
  r.tol = job.tol;
  r.raise = job.raise;
  r.real_only = job.real_only;
  r.is_single = gla_type_real (job.head.type) == GLA_TYPE_S;
  r.scale_complex = job.scale_complex;
  r.scale_each = job.scale_each;
  r.occupied_each = job.occupied_each;
  r.scale = chunk->scale == nullptr ? nullptr : scale;
  r.occupied = occupied;
  return r;
}

template <class T, class E>
fun_args<T, E> args_of (cuda_engine *e, int slot, const gla_pagefun_chunk *chunk)
{
  const chunk_memory<T, E> s = memory_of<T, E> (e, slot, chunk);
  const gla_pagefun_job &job = kept_pagefun_job (e);
  fun_args<T, E> a = {};
  a.rule = rule_of (job, chunk, s.scale, s.occupied);
  a.V = s.V;
  a.lambda = s.lambda;
  a.info = eig_part_words_of (e, slot, chunk->A.pages).info;
  a.F = job.head.device_arrays ? static_cast<E *> (chunk->F.data) : s.F;
  a.ldf = job.head.device_arrays ? chunk->F.column_stride : job.n;
  a.page_f = job.head.device_arrays ? chunk->F.page_stride : job.n * job.n;
  a.pages = chunk->A.pages;
  a.values = s.values;
  a.state = s.state;
  a.Y = s.Y;
  a.stream = e->slots[slot].stream;
  return a;
}

// Forms X*Y' of all pages.
template <class T, class E> gla_status multiply (cuda_engine *e, int slot, const fun_args<T, E> &a)
{
  const int64_t n = a.rule.n;
  product_args<T, E> p = {};
  p.A = {a.V, n, n * n, nullptr};
  p.B = {a.Y != nullptr ? a.Y : reinterpret_cast<const E *> (a.V), n, n * n, nullptr};
  p.C = a.F;
  p.ldc = a.ldf;
  p.page = a.page_f;
  p.pages = a.pages;
  p.m = p.n = p.k = (int)n;
  p.transpose_b = p.conjugate_b = true;
  p.hermitian = a.Y == nullptr;
  return product_in_pieces (e, slot, p);
}

template <class T, class E>
gla_status find_function (cuda_engine *e, int slot, const fun_args<T, E> &a)
{
  if (a.rule.n <= FUN_SMALL)
    return engine_status (fun_small (a));
  GLA_TRY (fun_values (a));
  GLA_TRY (fun_factors (a));
  GLA_TRY (multiply (e, slot, a));
  return engine_status (fun_repair (a));
}

template <class T, class E>
gla_status submit (cuda_engine *e, int slot, const gla_pagefun_chunk *chunk)
{
  const gla_pagefun_job &job = kept_pagefun_job (e);
  const chunk_memory<T, E> s = memory_of<T, E> (e, slot, chunk);
  const int64_t n = job.n, pages = chunk->A.pages;
  const int place = chunk->F.device == GLA_DEVICE_HOST ? e->base.device : chunk->F.device;
  fun_args<T, E> a = args_of<T, E> (e, slot, chunk);
  gla_eig_chunk eig = {};
  eig.A = chunk->A;
  if (!job.head.device_arrays) {
    GLA_TRY (engine_upload (e, slot, s.A, &chunk->A));
    engine_announce_results (e, slot, &chunk->F);
    eig.A = gla_array_packed (s.A, job.head.type, n, n, pages, place);
  }
  GLA_TRY (upload_numbers (e, slot, chunk, s.scale, s.occupied));
  eig.V = gla_array_packed (s.V, job.head.type, n, n, pages, place);
  eig.lambda = gla_array_packed (s.lambda, gla_type_real (job.head.type), n, 1, pages, place);
  GLA_TRY (eig_part_submit (e, slot, &eig));
  GLA_TRY (find_function (e, slot, a));
  GLA_TRY (eig_look_for_info (e, slot, a.info, pages));
  return engine_status (cudaEventRecord (e->slots[slot].done, a.stream));
}

template <class T, class E>
gla_status finish (cuda_engine *e, int slot, const gla_pagefun_chunk *chunk)
{
  const int64_t pages = chunk->A.pages;
  GLA_TRY (engine_wait (e, e->slots[slot].done));
  if (!kept_pagefun_job (e).head.device_arrays)
    GLA_TRY (engine_download (e, slot, &chunk->F, memory_of<T, E> (e, slot, chunk).F));
  const eig_part_words words = eig_part_words_of (e, slot, pages);
  return download_info (e, slot, chunk, words.info, words.skew, pages);
}

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

// Pages above order FUN_SMALL need the kernels of products.
int supports (const gla_job *head)
{
  const gla_pagefun_job *job = (const gla_pagefun_job *)head;
  const gla_eig_job eig = eig_job_of (*job, head->device_arrays);
  gla_pagemul_job product = {};
  product.head = *head;
  product.m = product.n = product.k = job->n;
  return !job->solved && cuda_eig_ops.supports (&eig.head) &&
         (job->n <= FUN_SMALL || cuda_pagemul_ops.supports (&product.head));
}

// The time is that of batcheig, which transfers as much, and of products.
double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_pagefun_job &job = *(const gla_pagefun_job *)head;
  const gla_eig_job eig = eig_job_of (job, head->device_arrays);
  const double n = (double)job.n, flops = 8 * n * n * n;
  return cuda_eig_ops.seconds (engine, &eig.head, pages) + (double)pages * flops / 2e13;
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_pagefun_job &job = *(const gla_pagefun_job *)head;
  const gla_eig_job eig = eig_job_of (job, head->device_arrays);
  cuda_engine *e = engine_of (engine);
  return eig_part_chunk_pages (e, &eig, pages,
                               [&] (int64_t count) { return arena_bytes (e, job, count); });
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  kept_pagefun_job (e) = *(const gla_pagefun_job *)head;
  kept_eig_job (e) = eig_job_of (kept_pagefun_job (e), 1);
  engine_begin_job (e, head, pages);
  return engine_reserve (e, 0, arena_bytes (e, kept_pagefun_job (e), pages));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_pagefun_chunk *> (pages);
  GLA_TRY (engine_reserve (e, slot, arena_bytes (e, kept_pagefun_job (e), e->chunk_pages)));
  GLA_TRY (engine_take_slot (e, slot, chunk));
  return for_types (kept_pagefun_job (e), [&] (auto a, auto f) {
    return submit<decltype (a), decltype (f)> (e, slot, chunk);
  });
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_pagefun_chunk *> (e->slots[slot].chunk);
  const gla_status status = for_types (kept_pagefun_job (e), [&] (auto a, auto f) {
    return finish<decltype (a), decltype (f)> (e, slot, chunk);
  });
  return end_chunk (e, slot, status, chunk, chunk->A.pages);
}

} // namespace

extern "C" const gla_batch_ops cuda_pagefun_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = engine_end_job,
};
