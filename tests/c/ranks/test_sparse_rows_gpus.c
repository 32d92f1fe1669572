// test_sparse_rows_gpus.c: sparse matrices whose rows are spread over ranks, each with a GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The GPUs here are the CPU backend under another name: results have the bits of ranks on CPUs,
// with blocks of one size. What the CUDA backend does is in gpu_calls.c and, on GPUs, in
// ranks_gpus.c.

#include "frame/cpu_as_gpu.h"
#include "rank_rows.h"
#include "backend.h"
#include "lanczos/job.h"

#include <stdatomic.h>

enum { GPUS = 2, NONE = -1, K = 4 };

typedef enum { PREPARE, PRODUCT, BEGIN, GET, NOTHING } operation;

static gla_spmv_ops spmv_ops;
static gla_krylov_ops krylov_ops;
static operation failing; // on the device `failing_device`, with the status `failure`
static int failing_device;
static gla_status failure;
static double on_gpu;      // predicted seconds
static int64_t basis = 24; // of eigs
static _Atomic int used, prepared, warnings;

//------------------------------------------------------------------------------
// the backend
//------------------------------------------------------------------------------

static gla_status status_of (const gla_engine *engine, operation what)
{
  return failing == what && engine->device == failing_device ? failure : GLA_OK;
}

static gla_status prepare (gla_engine *engine, const gla_spmv_matrix *M, const gla_monitor *monitor,
                           void **matrix)
{
  const gla_status status = status_of (engine, PREPARE);
  prepared += status == GLA_OK;
  return status == GLA_OK ? gla_backend_cpu.spmv->prepare (engine, M, monitor, matrix) : status;
}

static gla_status form_product (gla_engine *engine, void *matrix, const gla_spmv_job *job)
{
  const gla_status status = status_of (engine, PRODUCT);
  atomic_fetch_or (&used, 1 << engine->device);
  return status == GLA_OK ? gla_backend_cpu.spmv->product (engine, matrix, job) : status;
}

static double predict_product (gla_engine *engine, const gla_spmv_matrix *M, const void *there,
                               int64_t columns)
{
  (void)engine, (void)M, (void)there, (void)columns;
  return on_gpu;
}

static double predict (gla_engine *engine, const gla_krylov_job *job, int64_t products)
{
  (void)engine, (void)job, (void)products;
  return on_gpu;
}

static gla_status begin (gla_engine *engine, const gla_krylov_job *job)
{
  const gla_status status = status_of (engine, BEGIN);
  atomic_fetch_or (&used, 1 << engine->device);
  return status == GLA_OK ? gla_backend_cpu.krylov->begin (engine, job) : status;
}

static gla_status get_vectors (gla_engine *engine, int64_t first, int64_t count, void *to)
{
  const gla_status status = status_of (engine, GET);
  return status == GLA_OK ? gla_backend_cpu.krylov->get (engine, first, count, to) : status;
}

static void make_backend (void)
{
  make_gpu (GLA_BATCH_QR, gla_backend_cpu.batch[GLA_BATCH_QR]->submit,
            gla_backend_cpu.batch[GLA_BATCH_QR]->finish);
  make_gpus (GPUS);
  open_fails = NONE;
  failing = NOTHING;
  spmv_ops = *gla_backend_cpu.spmv;
  spmv_ops.transposes = 0;
  spmv_ops.seconds = predict_product;
  spmv_ops.prepare = prepare;
  spmv_ops.product = form_product;
  krylov_ops = *gla_backend_cpu.krylov;
  krylov_ops.seconds = predict;
  krylov_ops.begin = begin;
  krylov_ops.get = get_vectors;
  gpu_backend.spmv = &spmv_ops;
  gpu_backend.krylov = &krylov_ops;
}

//------------------------------------------------------------------------------
// one problem
//------------------------------------------------------------------------------

typedef struct {
  const matrix *A;
  gla_eigs_options o;
  int64_t first[MOST_RANKS + 1];
  gla_array vectors, y; // of all ranks
  double values[MOST_RANKS][K];
  int device[MOST_RANKS];
} problem;

static void count_warning (void *user, const char *id, const char *text)
{
  (void)user, (void)id, (void)text;
  warnings++;
}

// Eigenvectors, and their products in two calls with one matrix.
static void body (member *m)
{
  problem *p = m->all->user;
  rank_rows r = take_rows (p->A, p->first[m->rank], p->first[m->rank + 1], 1, 8);
  const gla_sparse_options o = {.size = sizeof o, .by_columns = 1};
  gla_sparse_rows *S;
  gla_eigs_results results = {.size = sizeof results};
  gla_eigs_report report = {.size = sizeof report};
  gla_spmv_report spmv_report = {.size = sizeof spmv_report};
  const gla_array y = crew_rows (&p->y, p->first, m->rank);
  results.values =
      gla_array_packed (p->values[m->rank], gla_type_real (p->A->type), K, 1, 1, GLA_DEVICE_HOST);
  results.vectors = crew_rows (&p->vectors, p->first, m->rank);
  gla_set_warning (m->ctx, count_warning, NULL);
  m->good = gla_device_count (m->ctx) == GPUS;
  m->status = gla_sparse_rows_create (m->ctx, m->ranks, &r.csr, &S, &o);
  if (m->status == GLA_OK)
    m->status = gla_eigs_rows (m->ctx, S, K, GLA_EIGS_WHICH_LA, &results, &p->o, &report);
  for (int k = 0; k < 2 && m->status == GLA_OK; k++)
    m->status = gla_spmv_rows (m->ctx, S, &results.vectors, &y, &spmv_report);
  p->device[m->rank] = report.device;
  m->good &= spmv_report.device == report.device || r.csr.rows == 0 || m->status != GLA_OK;
  gla_sparse_rows_destroy (S);
  rows_free (&r);
}

static gla_array vectors (const matrix *A)
{
  return gla_array_packed (calloc ((size_t)(A->n * K), 16), A->type, A->n, K, 1, GLA_DEVICE_HOST);
}

static problem *solved (const matrix *A, gla_place place, int ranks, int split)
{
  problem *p = calloc (1, sizeof *p);
  p->A = A;
  p->o = (gla_eigs_options){.size = sizeof p->o, .block = 2, .basis = basis};
  p->vectors = vectors (A);
  p->y = vectors (A);
  used = prepared = warnings = 0;
  crew_place = place;
  crew_split (A->n, ranks, split, p->first);
  crew_run (&all, ranks, body, p);
  crew_place = GLA_PLACE_CPU;
  return p;
}

static void problem_free (problem *p)
{
  free (p->vectors.data);
  free (p->y.data);
  free (p);
}

//------------------------------------------------------------------------------
// tests
//------------------------------------------------------------------------------

static void test_bits (gla_type type)
{
  matrix A = make (type, SIDE * SIDE, grid, 1);
  const size_t bytes = (size_t)(A.n * K) * gla_type_size (type);
  for (int c = 0; c < 5; c += 1 + SLOW)
    for (int split = 0; split < SPLITS; split += 1 + SLOW) {
      const int ranks = counts[c];
      problem *p = solved (&A, GLA_PLACE_CPU, ranks, split);
      crew_expect (&all, GLA_OK, "", "on CPUs");
      CHECK (used == 0, "a GPU was used for \"cpu\"");
      problem *q = solved (&A, GLA_PLACE_GPU, ranks, split);
      crew_expect (&all, GLA_OK, "", "on GPUs");
      CHECK (memcmp (p->vectors.data, q->vectors.data, bytes) == 0 &&
                 memcmp (p->y.data, q->y.data, bytes) == 0,
             "%c on %d ranks, split %d: other bits", (char)type, ranks, split);
      CHECK (used == (ranks == 1 ? 1 : 3), "%d ranks: GPUs %x", ranks, used);
      for (int r = 0; r < ranks; r++) {
        CHECK (memcmp (q->values[r], p->values[0], sizeof p->values[0]) == 0, "rank %d", r);
        CHECK (q->device[r] == r % GPUS && all.members[r].good, "rank %d of %d is on GPU %d", r,
               ranks, q->device[r]);
      }
      problem_free (p);
      problem_free (q);
    }
  matrix_free (&A);
}

// The matrix goes to the GPU once.
static void test_kept (void)
{
  matrix A = make (GLA_TYPE_D, SIDE * SIDE, grid, 1);
  problem *p = solved (&A, GLA_PLACE_GPU, 3, 0);
  crew_expect (&all, GLA_OK, "", "three ranks");
  CHECK (prepared == 3, "%d matrices for three ranks and three calls", prepared);
  problem_free (p);
  matrix_free (&A);
}

// "auto": GPUs where all ranks are predicted to gain, and have the memory.
static void test_auto (void)
{
  matrix A = make (GLA_TYPE_D, 900, paths, 1);
  basis = 600; // so that the first call on a GPU, which loads code, may be worth it
  for (int k = 0; k < 3; k++) {
    on_gpu = k == 0 ? 1e9 : 1e-9;
    failing = k == 2 ? BEGIN : NOTHING;
    failing_device = 1;
    failure = GLA_ERROR_OUT_OF_MEMORY;
    problem *p = solved (&A, GLA_PLACE_AUTO, 3, 0);
    crew_expect (&all, GLA_OK, "", "auto");
    for (int r = 1; r < 3; r++)
      CHECK ((p->device[r] == GLA_DEVICE_HOST) == (p->device[0] == GLA_DEVICE_HOST),
             "auto %d: rank %d on %d, rank 0 on %d", k, r, p->device[r], p->device[0]);
    CHECK ((p->device[0] == GLA_DEVICE_HOST) == (k != 1), "auto %d: on %d", k, p->device[0]);
    CHECK (warnings == (k == 2 ? 3 : 0), "auto %d: %d warnings", k, warnings);
    problem_free (p);
  }
  on_gpu = 0;
  basis = 24;
  failing = NOTHING;
  matrix_free (&A);
}

static void test_faults (void)
{
  matrix A = make (GLA_TYPE_Z, SIDE * SIDE, grid, 1);
  static const operation faults[] = {PREPARE, PRODUCT, BEGIN, GET};
  for (int k = 0; k < 4; k++)
    for (int ranks = 2; ranks < (SLOW ? 4 : 6); ranks++)
      for (int memory = 0; memory < 2; memory++) {
        failing = faults[k];
        failing_device = 1;
        failure = memory ? GLA_ERROR_OUT_OF_MEMORY : GLA_ERROR_DEVICE_FAILURE;
        problem *p = solved (&A, GLA_PLACE_GPU, ranks, 0);
        crew_expect (&all, failure, "rank 1: ", "a fault");
        if (!memory)
          crew_expect (&all, failure, "device 1: ", "a fault");
        for (int r = 1; r < ranks; r++)
          CHECK (strcmp (all.members[r].message, all.members[0].message) == 0,
                 "fault %d: rank %d has another message", k, r);
        problem_free (p);
      }
  failing = NOTHING;
  matrix_free (&A);
}

int main (void)
{
  make_backend ();
  for (int t = 0; t < 4; t += 1 + 2 * SLOW)
    test_bits (types[t]);
  test_kept ();
  if (!SLOW) // its basis is large
    test_auto ();
  test_faults ();
  return check_report ("test_sparse_rows_gpus");
}
