// gpu_runs.h: one job of each operation of the CUDA backend, from begin to end
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPU_RUNS_H
#define GPU_RUNS_H

#include "backend.h"
#include "frame/check.h"
#include "fake_cuda.h"
#include "lanczos/krylov_shares.h"
#include "diag/job.h"
#include "fun/job.h"
#include "gsvd/job.h"
#include "lanczos/job.h"
#include "norm/job.h"
#include "pairs/job.h"
#include "product/job.h"
#include "qr/job.h"
#include "solve/job.h"
#include "svd/job.h"

static const gla_backend *const gpu = &gla_backend_cuda;

//------------------------------------------------------------------------------
// arrays and the monitor
//------------------------------------------------------------------------------

// Arrays of one run, freed together.
typedef struct {
  int on_device, count;
  struct {
    void *data;
    int on_device;
  } taken[24];
} arrays;

static void *take (arrays *s, size_t bytes, int on_device)
{
  void *data = on_device ? fake_cuda_array (bytes) : calloc (1, bytes > 0 ? bytes : 1);
  s->taken[s->count].data = data;
  s->taken[s->count++].on_device = on_device;
  return data;
}

// Not wanted where it has no elements.
static gla_array array (arrays *s, gla_type type, int64_t rows, int64_t columns, int64_t pages)
{
  size_t bytes = gla_type_size (type) * (size_t)(rows * columns * pages);
  void *data = bytes > 0 ? take (s, bytes, s->on_device) : NULL;
  return gla_array_packed (data, type, rows, columns, pages, s->on_device ? 0 : GLA_DEVICE_HOST);
}

static void free_arrays (arrays *s)
{
  for (int k = 0; k < s->count; k++)
    if (s->taken[k].on_device)
      fake_cuda_array_free (s->taken[k].data);
    else
      free (s->taken[k].data);
}

static int poll_pages (void *user, int64_t pages)
{
  (void)user, (void)pages;
  return 0;
}
static const gla_monitor monitor = {poll_pages, NULL};

// Nonzero: runs ask what "auto" asks before a GPU is open, and no more.
static int predict_only;

// The status words of a chunk: a backend that calls them clean has not touched them.
enum { NO_INFO = 77 };
static int32_t *take_info (arrays *s, int64_t pages)
{
  int32_t *info = take (s, (size_t)pages * sizeof *info, 0);
  for (int64_t p = 0; p < pages; p++)
    info[p] = NO_INFO;
  return info;
}
// After a failure the chunk may be done again: they are 0, or not touched where it was not waited
// for.
static void check_info (const char *name, gla_status status, const int32_t *info, int64_t pages,
                        int clean)
{
  int untouched = 0, zero = 0;
  if (predict_only)
    return;
  for (int64_t p = 0; p < pages; p++) {
    untouched += info[p] == NO_INFO;
    zero += info[p] == 0;
  }
  if (status != GLA_OK) {
    CHECK (untouched == pages || zero == pages,
           "%s, status %d: of %d status words %d are 0 and %d untouched", name, (int)status,
           (int)pages, zero, untouched);
    return;
  }
  CHECK (untouched == (clean ? pages : 0), "%s: %d of %d status words untouched, clean is %d", name,
         untouched, (int)pages, clean);
}

static void swept (void *user, int sweeps)
{
  (void)user, (void)sweeps;
}

// What the backend predicts: seconds of a call, and pages of a chunk of so many pages at most.
static FILE *predictions;
static void note (double seconds, double less, int64_t few, int64_t many)
{
  if (predictions != NULL)
    fprintf (predictions, "predicted %a %a, %lld %lld\n", seconds, less, (long long)few,
             (long long)many);
}
enum { FEW = 40, MANY = 1000000 };

// A job of one or two chunks, each in a slot of its own.
static gla_status run_chunks (gla_engine *engine, gla_batch_op op, const gla_job *job,
                              int64_t pages, const void *const *chunks, int count)
{
  const gla_batch_ops *ops = gpu->batch[op];
  if (predict_only) {
    note (ops->seconds (gpu->model (), job, FEW), 0, ops->supports (job), 0);
    return GLA_OK;
  }
  note (ops->seconds (engine, job, FEW), ops->seconds (gpu->model (), job, MANY),
        ops->chunk_pages (engine, job, FEW), ops->chunk_pages (engine, job, MANY));
  gla_status status = ops->begin (engine, job, pages);
  for (int k = 0; k < count && status == GLA_OK; k++)
    status = ops->submit (engine, k, chunks[k]);
  for (int k = 0; k < count && status == GLA_OK; k++)
    status = ops->finish (engine, k);
  ops->end (engine);
  return status;
}

//------------------------------------------------------------------------------
// one run of each operation
//------------------------------------------------------------------------------

typedef struct {
  const char *name;
  gla_status (*run) (gla_engine *engine, const int *v);
  int v[11]; // sizes and options
  int device;
  fake_cuda_answers answer;
} run_case;

// n, pages, type, vectors, method, triangle, on device, range
static gla_status run_eig (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[2];
  const int64_t n = v[0], pages = v[1];
  arrays s = {.on_device = v[6]};
  gla_eig_job job = {.n = n, .vectors = v[3], .method = (gla_eig_method)v[4]};
  job.triangle = (gla_triangle)v[5];
  job.tol = gla_type_eps (type);
  job.maxit = 30;
  job.head = (gla_job){.type = type, .device_arrays = v[6], .monitor = monitor};
  job.range = (gla_eig_range)v[7];
  job.il = job.columns = job.range == GLA_EIG_ALL ? n : (n + 1) / 2;
  if (job.range == GLA_EIG_INDICES && n >= 150)
    job.columns = n / 8; // of so few the GPU goes by a band
  job.vl = -1;
  job.vu = 1;
  gla_eig_chunk chunk[2];
  for (int k = 0; k < 2; k++) {
    chunk[k].A = array (&s, type, n, n, pages);
    chunk[k].lambda = array (&s, gla_type_real (type), job.columns, 1, pages);
    chunk[k].V = array (&s, type, n, v[3] ? job.columns : 0, pages);
    chunk[k].count = take (&s, (size_t)pages * sizeof (int64_t), 0);
    chunk[k].info = take_info (&s, pages);
    chunk[k].skew = take (&s, (size_t)pages * sizeof (double), 0);
    chunk[k].clean = &chunk[k].clean_word;
  }
  const void *chunks[] = {&chunk[0], &chunk[1]};
  gla_status status = run_chunks (engine, GLA_BATCH_EIG, &job.head, pages, chunks, 2);
  for (int k = status == GLA_OK ? 0 : 1; k < 2; k++) // the first may have ended well
    check_info ("eig", status, chunk[k].info, pages, chunk[k].clean_word);
  free_arrays (&s);
  return status;
}

// m, n, pages, type, columns of Q (-1: m), columns of B, pivot, block, W and Y, on device
static gla_status run_qr (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[3];
  const int64_t m = v[0], n = v[1], pages = v[2], k = m < n ? m : n, q = v[4] < 0 ? m : v[4];
  arrays s = {.on_device = v[9]};
  gla_qr_job job = {.m = m, .n = n, .q_columns = q, .rhs = v[5]};
  job.r_rows = q == m ? m : k;
  job.c_rows = k;
  job.pivot = v[6];
  job.block = v[7];
  job.wy = v[8];
  job.head = (gla_job){.type = type, .device_arrays = v[9], .monitor = monitor};
  gla_qr_chunk c = {.A = array (&s, type, m, n, pages), .B = array (&s, type, m, v[5], pages)};
  c.Q = array (&s, type, m, q, pages);
  c.R = array (&s, type, job.r_rows, n, pages);
  c.C = array (&s, type, k, v[5], pages);
  c.W = array (&s, type, m, v[8] ? k : 0, pages);
  c.Y = array (&s, type, m, v[8] ? k : 0, pages);
  c.jpvt = take (&s, (size_t)(n * pages) * sizeof (int64_t), 0);
  const void *chunk = &c;
  gla_status status = run_chunks (engine, GLA_BATCH_QR, &job.head, pages, &chunk, 1);
  free_arrays (&s);
  return status;
}

// m, n, pages, type, norm, on device
static gla_status run_norm (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[3];
  arrays s = {.on_device = v[5]};
  gla_pagenorm_job job = {.m = v[0], .n = v[1], .norm = (gla_norm)v[4]};
  job.head = (gla_job){.type = type, .device_arrays = v[5], .monitor = monitor};
  gla_pagenorm_chunk c = {.A = array (&s, type, v[0], v[1], v[2])};
  c.norms = array (&s, gla_type_real (type), 1, 1, v[2]);
  const void *chunk = &c;
  gla_status status = run_chunks (engine, GLA_BATCH_PAGENORM, &job.head, v[2], &chunk, 1);
  free_arrays (&s);
  return status;
}

// n, rows and columns of D, pages, type, what, on device
static gla_status run_diag (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[4];
  arrays s = {.on_device = v[6]};
  gla_pagediag_job job = {.what = (gla_diag)v[5], .n = v[0], .rows = v[1], .columns = v[2]};
  job.head = (gla_job){.type = type, .device_arrays = v[6], .monitor = monitor};
  gla_pagediag_chunk c = {.A = array (&s, type, 1, v[0], v[3])};
  c.D = array (&s, type, v[1], v[2], v[3]);
  const void *chunk = &c;
  gla_status status = run_chunks (engine, GLA_BATCH_PAGEDIAG, &job.head, v[3], &chunk, 1);
  free_arrays (&s);
  return status;
}

// m, n, k, pages, type, complex factors (1: A, 2: B), op of A and of B, pages (0: one of B for all,
// 1: each its own, 2: expanded in two dimensions, 3: B is A), on device
static gla_status run_pagemul (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[4], real = gla_type_real (type);
  const int64_t m = v[0], n = v[1], k = v[2], pages = v[3], half = pages / 2;
  const int64_t size[] = {2, half}, own[] = {1, 2}, first[] = {1, 0}, last[] = {0, 1};
  const int expand = v[8] == 2, shared = v[8] == 0;
  arrays s = {.on_device = v[9]};
  gla_pagemul_job job = {.m = m, .n = n, .k = k, .a_complex = v[5] & 1, .b_complex = v[5] / 2};
  job.op_a = (char)v[6];
  job.op_b = (char)v[7];
  job.hermitian = v[8] == 3;
  job.dims = 2;
  job.dim_size = size;
  job.a_step = expand ? first : own;
  const int64_t none[] = {0, 0};
  job.b_step = expand ? last : shared ? none : own;
  job.head = (gla_job){.type = type, .device_arrays = v[9], .monitor = monitor};
  gla_pagemul_chunk c = {.C = array (&s, type, m, n, 2 * half)};
  c.A = array (&s, v[5] & 1 ? type : real, v[6] == 'N' ? m : k, v[6] == 'N' ? k : m,
               expand ? 2 : 2 * half);
  c.B = array (&s, v[5] / 2 ? type : real, v[7] == 'N' ? k : n, v[7] == 'N' ? n : k,
               shared   ? 1
               : expand ? half
                        : 2 * half);
  const void *chunk = &c;
  gla_status status = run_chunks (engine, GLA_BATCH_PAGEMUL, &job.head, 2 * half, &chunk, 1);
  free_arrays (&s);
  return status;
}

// n, pages, type, function, wide, scale (0: none, 1: one number, 2: a complex one for each page),
// real_only, on device
static gla_status run_pagefun (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[2], wide = type == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
  const int64_t n = v[0], pages = v[1];
  arrays s = {.on_device = v[7]};
  gla_pagefun_job job = {.n = n, .fun = (gla_fun)v[3], .wide = v[4], .real_only = v[6]};
  job.power = 0.5;
  job.tol = 1e-12;
  job.scale_complex = job.scale_each = v[5] == 2;
  job.occupied_each = 1;
  job.head = (gla_job){.type = type, .device_arrays = v[7], .monitor = monitor};
  gla_pagefun_chunk c = {.A = array (&s, type, n, n, pages)};
  c.F = array (&s, v[4] ? wide : type, n, n, pages);
  c.info = take_info (&s, pages);
  c.skew = take (&s, (size_t)pages * sizeof (double), 0);
  c.clean = &c.clean_word;
  if (v[5] > 0)
    c.scale = take (&s, 2 * (size_t)pages * sizeof (double), 0);
  if (job.fun == GLA_FUN_OCCUPIED)
    c.occupied = take (&s, (size_t)pages * sizeof (int64_t), 0);
  const void *chunk = &c;
  gla_status status = run_chunks (engine, GLA_BATCH_PAGEFUN, &job.head, pages, &chunk, 1);
  check_info ("pagefun", status, c.info, pages, c.clean_word);
  free_arrays (&s);
  return status;
}

// n, pages, type, itype, vectors, shared (1: A, 2: B), rcond, triangle, range, on device
static gla_status run_eigpairs (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[2], real = gla_type_real (type);
  const int64_t n = v[0], pages = v[1];
  arrays s = {.on_device = v[9]};
  gla_eigpairs_job job = {.eig = {.n = n, .vectors = v[4], .maxit = 30}};
  gla_eig_job *eig = &job.eig;
  eig->triangle = (gla_triangle)v[7];
  eig->tol = gla_type_eps (type);
  eig->range = (gla_eig_range)v[8];
  eig->il = eig->columns = eig->range == GLA_EIG_ALL ? n : (n + 1) / 2;
  eig->vl = -1;
  eig->vu = 1;
  eig->head = (gla_job){.type = type, .device_arrays = v[9], .monitor = monitor};
  job.product = v[3] > 1;
  job.times = v[3] == 3;
  job.a_shared = v[5] & 1;
  job.b_shared = v[5] / 2;
  gla_eigpairs_chunk c = {.lambda = array (&s, real, eig->columns, 1, pages)};
  c.A = array (&s, type, n, n, job.a_shared ? 1 : pages);
  c.B = array (&s, type, n, n, job.b_shared ? 1 : pages);
  c.V = array (&s, type, n, v[4] ? eig->columns : 0, pages);
  c.rcond = array (&s, real, v[6], 1, pages);
  c.count = take (&s, (size_t)pages * sizeof (int64_t), 0);
  c.info = take_info (&s, pages);
  c.skew = take (&s, (size_t)pages * sizeof (double), 0);
  c.clean = &c.clean_word;
  const void *chunk = &c;
  gla_status status = run_chunks (engine, GLA_BATCH_EIGPAIRS, &eig->head, pages, &chunk, 1);
  check_info ("eigpairs", status, c.info, pages, c.clean_word);
  free_arrays (&s);
  return status;
}

// m, n, p, pages, type, U and V (1: economy, 2: full), X, method, block, on device, devices that
// work together
static gla_status run_gsvd (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[4], real = gla_type_real (type);
  const int64_t m = v[0], n = v[1], p = v[2], pages = v[3];
  arrays s = {.on_device = v[9]};
  gla_gsvd_job job = {.m = m, .n = n, .p = p, .x = v[6]};
  job.u_columns = v[5] == 0 ? 0 : v[5] == 1 ? p : m;
  job.v_columns = v[5] == 0 ? 0 : v[5] == 1 ? p : n;
  job.options.method = (gla_gsvd_method)v[7];
  job.options.block = v[8];
  job.head = (gla_job){.type = type, .device_arrays = v[9], .monitor = monitor};
  job.swept = swept;
  gla_gsvd_team team = {.count = v[10]};
  for (int k = 0; k < v[10]; k++) // the first is the engine's
    team.devices[k] = (engine->device + k) % FAKE_DEVICES;
  job.team = v[10] > 0 ? &team : NULL;
  gla_gsvd_chunk c = {.A = array (&s, type, m, p, pages), .B = array (&s, type, n, p, pages)};
  c.alpha = array (&s, real, p, 1, pages);
  c.beta = array (&s, real, p, 1, pages);
  c.U = array (&s, type, m, job.u_columns, pages);
  c.V = array (&s, type, n, job.v_columns, pages);
  c.X = array (&s, type, p, v[6] ? p : 0, pages);
  c.info = take (&s, (size_t)pages * sizeof (int32_t), 0);
  c.stats = take (&s, (size_t)pages * sizeof (gla_gsvd_stats), 0);
  const void *chunk = &c;
  gla_status status = run_chunks (engine, GLA_BATCH_GSVD, &job.head, pages, &chunk, 1);
  free_arrays (&s);
  return status;
}

// m, n, pages, type, U and V (1: as many columns as values, 2: full), values (0: all), on device
static gla_status run_svd (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[3];
  const int64_t m = v[0], n = v[1], pages = v[2], k = m < n ? m : n;
  arrays s = {.on_device = v[6]};
  gla_svd_job job = {.m = m, .n = n, .values = v[5] > 0 ? v[5] : k};
  job.u_columns = v[4] == 0 ? 0 : v[4] == 1 ? job.values : m;
  job.v_columns = v[4] == 0 ? 0 : v[4] == 1 ? job.values : n;
  job.tol = gla_type_eps (type);
  job.maxit = 30;
  job.head = (gla_job){.type = type, .device_arrays = v[6], .monitor = monitor};
  gla_svd_chunk c = {.A = array (&s, type, m, n, pages)};
  c.S = array (&s, gla_type_real (type), job.values, 1, pages);
  c.U = array (&s, type, m, job.u_columns, pages);
  c.V = array (&s, type, n, job.v_columns, pages);
  c.info = take_info (&s, pages);
  c.clean = &c.clean_word;
  const void *chunk = &c;
  gla_status status = run_chunks (engine, GLA_BATCH_SVD, &job.head, pages, &chunk, 1);
  check_info ("svd", status, c.info, pages, c.clean_word);
  free_arrays (&s);
  return status;
}

// n, right-hand sides (-1: the inverse), pages, type, complex factors (1: A, 2: B), op of A, side,
// pages (0: one of A for all, 1: each its own, 2: expanded in two dimensions), rcond, on device
static gla_status run_pagesolve (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[3], real = gla_type_real (type);
  const int64_t n = v[0], half = v[2] / 2, pages = 2 * half, r = v[1] < 0 ? n : v[1];
  const int64_t size[] = {2, half}, own[] = {1, 2}, none[] = {0, 0}, first[] = {1, 0};
  const int left = v[6] == GLA_SIDE_LEFT;
  arrays s = {.on_device = v[9]};
  gla_pagesolve_job job = {.n = n, .rhs = r, .inverse = v[1] < 0, .rcond = v[8]};
  job.a_complex = v[4] & 1;
  job.b_complex = v[4] / 2;
  job.op_a = (char)v[5];
  job.side = (gla_side)v[6];
  job.dims = 2;
  job.dim_size = size;
  job.a_step = v[7] == 0 ? none : v[7] == 1 ? own : first;
  job.b_step = own;
  job.head = (gla_job){.type = type, .device_arrays = v[9], .monitor = monitor};
  gla_pagesolve_chunk c = {.X = array (&s, type, left ? n : r, left ? r : n, pages)};
  c.A = array (&s, job.a_complex ? type : real, n, n, v[7] == 1 ? pages : 2);
  if (v[1] >= 0)
    c.B = array (&s, job.b_complex ? type : real, left ? n : r, left ? r : n, pages);
  if (v[8])
    c.rcond = array (&s, real, 1, 1, pages);
  c.info = take_info (&s, pages);
  c.clean = &c.clean_word;
  const void *chunk = &c;
  gla_status status = run_chunks (engine, GLA_BATCH_PAGESOLVE, &job.head, pages, &chunk, 1);
  check_info ("pagesolve", status, c.info, pages, c.clean_word);
  free_arrays (&s);
  return status;
}

// A matrix whose row i has entries in `row` columns that follow each other, row 0 in all of them.
static gla_spmv_matrix matrix_of (arrays *s, int64_t n, int64_t row, gla_type type, int bytes,
                                  int pattern)
{
  const int64_t entries = n + (n - 1) * row;
  gla_spmv_matrix M = {.csr = {type, n, n, bytes, NULL, NULL, NULL}, .entries = entries};
  void *start = take (s, (size_t)((n + 1) * bytes), 0);
  void *index = take (s, (size_t)(entries * bytes), 0);
  for (int64_t i = 0, at = 0; i <= n; i++) {
    if (bytes == 4)
      ((int32_t *)start)[i] = (int32_t)at;
    else
      ((int64_t *)start)[i] = at;
    for (int64_t k = 0; i < n && k < (i == 0 ? n : row); k++, at++)
      if (bytes == 4)
        ((int32_t *)index)[at] = (int32_t)(i == 0 ? k : (i + k) % n);
      else
        ((int64_t *)index)[at] = i == 0 ? k : (i + k) % n;
  }
  M.csr.start = start;
  M.csr.index = index;
  M.csr.values = pattern ? NULL : take (s, (size_t)entries * gla_type_size (type), 0);
  M.longest = n;
  M.pattern = pattern;
  M.value[0] = 1;
  return M;
}

// n, entries of a row, vectors, type, bytes of an index, pattern, method, conjugate, on device
static gla_status run_spmv (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[3];
  arrays s = {.on_device = v[8]};
  gla_spmv_matrix M = matrix_of (&s, v[0], v[1], type, v[4], v[5]);
  M.method = (gla_spmv_method)v[6];
  gla_spmv_job job = {.conjugate = v[7], .device_arrays = v[8], .monitor = monitor};
  job.x = array (&s, type, v[0], v[2], 1);
  job.y = array (&s, type, v[0], v[2], 1);
  void *prepared = NULL;
  if (predict_only) {
    note (gpu->spmv->seconds (gpu->model (), &M, NULL, 1), 0, gpu->spmv->supports (&M), 0);
    free_arrays (&s);
    return GLA_OK;
  }
  note (gpu->spmv->seconds (engine, &M, NULL, 1), gpu->spmv->seconds (engine, &M, &M, 8),
        gpu->spmv->supports (&M), 0);
  gla_status status = gpu->spmv->prepare (engine, &M, &monitor, &prepared);
  if (status == GLA_OK)
    status = gpu->spmv->product (engine, prepared, &job);
  gpu->spmv->free (engine, prepared);
  free_arrays (&s);
  return status;
}

static gla_status apply (void *user, const void *x, void *y, int64_t columns)
{
  memcpy (y, x, (size_t)columns * *(size_t *)user);
  return GLA_OK;
}

static gla_status restarted (gla_engine *engine, const gla_krylov_job *job, double *work, void *x)
{
  const int64_t b = job->block, basis = job->basis, ld = basis + b;
  int64_t replaced = 0;
  gla_status status = gpu->krylov->put (engine, 0, b, x);
  if (status == GLA_OK)
    status = gpu->krylov->start (engine, 0, 1, 42);
  if (status == GLA_OK)
    status = gpu->krylov->expand (engine, 0, basis, work, ld, &replaced);
  if (status == GLA_OK)
    status = gpu->krylov->rotate (engine, basis, work, basis / 2 / b * b);
  if (status == GLA_OK)
    status = gpu->krylov->check (engine, b, work, work + ld, work + 2 * ld);
  if (status == GLA_OK)
    status = gpu->krylov->get (engine, 0, basis, x);
  if (status != GLA_OK || job->team != NULL)
    return status;
  // and for a caller with arrays on the device
  void *resident = fake_cuda_array ((size_t)(job->n * basis) * gla_type_size (job->type));
  status = gpu->krylov->get (engine, 0, basis, resident);
  fake_cuda_array_free (resident);
  return status;
}

static gla_status plain (gla_engine *engine, const gla_krylov_job *job, double *work, void *x)
{
  enum { STEPS = 300 };
  int64_t done = 0;
  gla_status status = gpu->krylov->start (engine, 0, 0, 42);
  if (status == GLA_OK)
    status = gpu->krylov->plain (engine, STEPS, work, work + STEPS, &done);
  if (status == GLA_OK)
    status = gpu->krylov->combine (engine, done, work, work + STEPS, work + 2 * STEPS, job->basis);
  return status == GLA_OK ? gpu->krylov->get (engine, 0, job->basis, x) : status;
}

// Engines for so many members in all; every second one is on the other GPU.
static gla_status open_members (gla_krylov_team *team, gla_engine *leader, int members)
{
  gla_status status = GLA_OK;
  team->engines[0] = leader;
  for (team->count = 1; team->count < members && status == GLA_OK; team->count += status == GLA_OK)
    status = gpu->open (leader->device ^ team->count % 2, &team->engines[team->count]);
  return status;
}

static void close_members (gla_krylov_team *team)
{
  if (team->count > 0)
    free_rows (team);
  for (int k = 1; k < team->count; k++)
    gpu->close (team->engines[k]);
}

// n, columns of the basis, block, type, plain, with a matrix, members of a team or 0
static gla_status run_krylov (gla_engine *engine, const int *v)
{
  const gla_type type = (gla_type)v[3];
  const int64_t n = v[0], basis = v[1];
  arrays s = {.on_device = 0};
  size_t column = (size_t)n * gla_type_size (type);
  double *work = take (&s, sizeof (double) * 16384, 0);
  void *x = take (&s, column * (size_t)(basis + v[2]), 0), *prepared = NULL;
  gla_krylov_job job = {.type = type, .n = n, .basis = basis, .block = v[2], .plain = v[4]};
  job.monitor = monitor;
  job.apply = apply;
  job.user = &column;
  gla_spmv_matrix M = matrix_of (&s, n, 3, type, 4, 0);
  gla_krylov_team team = {.failed = -1};
  gla_status status = GLA_OK;
  if (v[6] > 0) {
    status = open_members (&team, engine, v[6]);
    cut_rows (&team, n);
    if (status == GLA_OK)
      status = share_rows (&team, &M, &monitor);
    job.matrix = &M;
    job.team = &team;
  } else if (v[5]) {
    status = gpu->spmv->prepare (engine, &M, &monitor, &prepared);
    job.matrix = &M;
    job.sparse = prepared;
  }
  note (gpu->krylov->seconds (engine, &job, FEW), gpu->krylov->seconds (engine, &job, MANY),
        gpu->krylov->supports (&job), 0);
  if (status == GLA_OK)
    status = gpu->krylov->begin (engine, &job);
  if (status == GLA_OK)
    status = v[4] ? plain (engine, &job, work, x) : restarted (engine, &job, work, x);
  gpu->krylov->end (engine);
  close_members (&team);
  gpu->spmv->free (engine, prepared);
  free_arrays (&s);
  return status;
}

#endif
