// test_spmv_team.c: products whose rows several GPUs share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The GPUs here are the CPU backend under another name, with memory of the host. They predict what
// the test wants, note what they are asked for, and fail where the test wants that.

#include "frame/check.h"
#include "arrays/job.h"
#include "backend.h"
#include "lanczos/job.h"
#include "frame/cpu_as_gpu.h"

#include <complex.h>
#include <pthread.h>
#include <stdatomic.h>

enum { GPUS = 10, ROWS = 211, COLUMNS = 150, VECTORS = 11, MATRICES = 1000, NONE = -1 };

static gla_context *ctx;
static gla_spmv_ops spmv_ops;
static gla_nd_ops nd_ops;
static double predicted[2];    // seconds of one GPU, and of a row of a part
static gla_status take_status; // of memory on the device `failing_device`
static gla_status product_status, eig_status;
static int failing_device, warnings;
static int freed_late; // matrices whose engine had been closed
static _Atomic int live, prepares, devices_used, misplaced, fetched, put_there;
static void *_Atomic kept[MATRICES]; // by `prepare`, not freed yet
static int polls_seen;

//------------------------------------------------------------------------------
// the backend
//------------------------------------------------------------------------------

static void watch (gla_engine *engine, const gla_monitor *monitor)
{
  (void)engine, (void)monitor;
}

static gla_status take (gla_engine *engine, size_t bytes, void **memory)
{
  if (take_status != GLA_OK && engine->device == failing_device)
    return take_status;
  *memory = malloc (bytes + 1);
  memset (*memory, 0x5a, bytes + 1);
  live++;
  return GLA_OK;
}

static void give (gla_engine *engine, void *memory)
{
  (void)engine;
  free (memory);
  live--;
}

static gla_status put_bytes (gla_engine *engine, void *to, const void *from, size_t bytes)
{
  (void)engine;
  put_there += (int)bytes;
  memcpy (to, from, bytes);
  return GLA_OK;
}

static gla_status get_bytes (gla_engine *engine, void *to, const void *from, size_t bytes)
{
  (void)engine;
  memcpy (to, from, bytes);
  return GLA_OK;
}

static gla_status fetch (gla_engine *engine, void *to, gla_engine *other, const void *from,
                         size_t bytes)
{
  misplaced |= engine == other;
  fetched += (int)bytes;
  memcpy (to, from, bytes);
  return GLA_OK;
}

static gla_status wait (gla_engine *engine)
{
  (void)engine;
  return GLA_OK;
}

static gla_status prepare (gla_engine *engine, const gla_spmv_matrix *M, const gla_monitor *monitor,
                           void **matrix)
{
  const gla_status status = gla_backend_cpu.spmv->prepare (engine, M, monitor, matrix);
  kept[prepares++ % MATRICES] = *matrix;
  return status;
}

static void free_matrix (gla_engine *engine, void *matrix)
{
  for (int k = 0; k < MATRICES; k++)
    if (kept[k] == matrix)
      kept[k] = NULL;
  freed_late += engine == NULL;
  misplaced |= engine != NULL && engine->device >= GPUS;
  gla_backend_cpu.spmv->free (engine, matrix);
}

// How many matrices are prepared and not freed.
static int left (void)
{
  int count = 0;
  for (int k = 0; k < MATRICES; k++)
    count += kept[k] != NULL;
  return count;
}

static gla_status product (gla_engine *engine, void *matrix, const gla_spmv_job *job)
{
  atomic_fetch_or (&devices_used, 1 << engine->device);
  misplaced |= job->device_arrays != 0 && job->y.device != engine->device;
  if (product_status != GLA_OK && engine->device == failing_device)
    return product_status;
  while (product_status == GLA_ERROR_STOPPED)
    if (job->monitor.poll (job->monitor.user, 0))
      return GLA_ERROR_STOPPED;
  return gla_backend_cpu.spmv->product (engine, matrix, job);
}

static gla_status submit_eig (gla_engine *engine, int slot, const void *chunk)
{
  if (eig_status != GLA_OK && engine->device == failing_device)
    return eig_status;
  return gla_backend_cpu.batch[GLA_BATCH_EIG]->submit (engine, slot, chunk);
}

static double predict (gla_engine *engine, const gla_spmv_matrix *M, const void *there,
                       int64_t columns)
{
  (void)engine, (void)there, (void)columns;
  return M->csr.rows == ROWS ? predicted[0] : predicted[1] * (double)M->csr.rows;
}

//------------------------------------------------------------------------------
// matrices
//------------------------------------------------------------------------------

typedef struct {
  gla_type type;
  gla_sparse *S;
  double complex A[ROWS][COLUMNS];
  int32_t start[ROWS + 1], index[ROWS * COLUMNS];
  double values[2 * ROWS * COLUMNS];
} matrix;

static void put (gla_type type, void *to, int64_t k, double complex x)
{
  switch (type) {
  case GLA_TYPE_S:
    ((float *)to)[k] = (float)creal (x);
    break;
  case GLA_TYPE_D:
    ((double *)to)[k] = creal (x);
    break;
  case GLA_TYPE_C:
    ((float complex *)to)[k] = (float complex)x;
    break;
  case GLA_TYPE_Z:
    ((double complex *)to)[k] = x;
  }
}

static double complex get (gla_type type, const void *from, int64_t k)
{
  return type == GLA_TYPE_S   ? ((const float *)from)[k]
         : type == GLA_TYPE_D ? ((const double *)from)[k]
         : type == GLA_TYPE_C ? (double complex) ((const float complex *)from)[k]
                              : ((const double complex *)from)[k];
}

// Small integers, so that products are exact. The first rows have most entries, some have none.
static void make (matrix *m, gla_type type)
{
  int count = 0;
  memset (m, 0, sizeof *m);
  m->type = type;
  for (int i = 0; i < ROWS; i++) {
    for (int j = i % 3; j < COLUMNS && i % 7 != 3; j += 1 + i / 2) {
      m->A[i][j] = 1 + (i + 2 * j) % 5 + (gla_type_is_complex (type) ? I * ((i + j) % 3) : 0);
      put (type, m->values, count, m->A[i][j]);
      m->index[count++] = j;
    }
    m->start[i + 1] = count;
  }
  const gla_csr csr = {.type = type,
                       .rows = ROWS,
                       .columns = COLUMNS,
                       .index_bytes = 4,
                       .start = m->start,
                       .index = m->index,
                       .values = m->values};
  CHECK (gla_sparse_create (ctx, &csr, &m->S, NULL) == GLA_OK, "%s", gla_message (ctx));
}

static double complex element_of (const matrix *m, char op, int i, int j)
{
  return op == 'N' ? m->A[i][j] : op == 'T' ? m->A[j][i] : conj (m->A[j][i]);
}

// Y = op(A)*X for so many vectors, with gaps between them; returns the status.
static gla_status multiply (const matrix *m, char op, int vectors, int *device, const char *what)
{
  static double x[2 * (ROWS + COLUMNS) * VECTORS], y[2 * (ROWS + COLUMNS) * VECTORS];
  const int rows = op == 'N' ? ROWS : COLUMNS, columns = op == 'N' ? COLUMNS : ROWS;
  gla_array X = gla_array_packed (x, m->type, columns, vectors, 1, GLA_DEVICE_HOST),
            Y = gla_array_packed (y, m->type, rows, vectors, 1, GLA_DEVICE_HOST);
  X.column_stride += 2;
  Y.column_stride += 3;
  for (int k = 0; k < (ROWS + COLUMNS) * VECTORS; k++) {
    put (m->type, x, k, k % 9 - 4);
    put (m->type, y, k, 777);
  }
  gla_spmv_report report = {.size = sizeof report};
  devices_used = fetched = put_there = 0;
  warnings = 0;
  const gla_status status = gla_spmv (ctx, m->S, op, &X, &Y, &report);
  *device = report.device;
  int bad = 0;
  for (int c = 0; c < vectors && status == GLA_OK; c++)
    for (int i = 0; i < rows + 3; i++) {
      double complex sum = i < rows ? 0 : 777;
      for (int j = 0; j < columns && i < rows; j++)
        sum += element_of (m, op, i, j) * get (m->type, x, c * X.column_stride + j);
      bad += get (m->type, y, c * Y.column_stride + i) != sum;
    }
  CHECK (bad == 0, "%s: %c, op %c, %d vectors: %d numbers are wrong", what, (char)m->type, op,
         vectors, bad);
  CHECK (live == 0, "%s: %d arrays are left on GPUs", what, (int)live);
  CHECK (!misplaced, "%s: arrays of another GPU", what);
  return status;
}

static void count_warning (void *user, const char *id, const char *text)
{
  (void)user, (void)id, (void)text;
  warnings++;
}

static void new_context (gla_place place, const int *devices, int count)
{
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_set_place (ctx, place, devices, count) == GLA_OK, "%s", gla_message (ctx));
  gla_set_warning (ctx, count_warning, NULL);
  take_status = product_status = eig_status = GLA_OK;
  freed_late = 0;
  open_fails = NONE;
  predicted[0] = predicted[1] = 1;
}

//------------------------------------------------------------------------------
// tests
//------------------------------------------------------------------------------

static const int listed[] = {4, 2, 5, 0, 1, 3, 6, 7, 8};

// All types, transposes, one to many vectors, on 2 to 8 GPUs of a list of 9.
static void test_results (void)
{
  static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
  static const int vectors[] = {1, 3, 8, VECTORS};
  static matrix m;
  for (int t = 0; t < 4; t++)
    for (int gpus = 2; gpus <= 9; gpus += gpus < 4 ? 1 : 5) {
      const int members = gpus < 8 ? gpus : 8;
      new_context (GLA_PLACE_LIST, listed, gpus);
      make (&m, types[t]);
      for (int k = 0; k < 4; k++)
        for (const char *op = "NTC"; *op != '\0'; op++) {
          int device, used = 0;
          CHECK (multiply (&m, *op, vectors[k], &device, "shared") == GLA_OK, "%s",
                 gla_message (ctx));
          for (int d = 0; d < GPUS; d++)
            used += devices_used >> d & 1;
          CHECK (device == 4 && used == members, "%d GPUs of %d, the first is %d", used, gpus,
                 device);
          const int x = vectors[k] * (*op == 'N' ? COLUMNS : ROWS) * (int)gla_type_size (types[t]);
          CHECK (put_there == x && fetched == (members - 1) * x, "%d bytes come, %d are fetched",
                 (int)put_there, (int)fetched);
        }
      gla_sparse_info info = {.size = sizeof info};
      CHECK (gla_sparse_query (m.S, &info) == GLA_OK && info.gpus == members, "%d GPUs", info.gpus);
      gla_sparse_destroy (m.S);
      gla_context_destroy (ctx);
    }
}

// used: the GPUs that multiply, or NONE where that is left open.
static void expect (const matrix *m, const char *what, int device, int used, int warned)
{
  int seen;
  CHECK (multiply (m, 'N', 2, &seen, what) == GLA_OK, "%s: %s", what, gla_message (ctx));
  int count = 0;
  for (int d = 0; d < GPUS; d++)
    count += devices_used >> d & 1;
  CHECK (seen == device && (used == NONE || count == used) && warnings == warned,
         "%s: device %d, %d GPUs, %d warnings", what, seen, count, warnings);
}

static void test_choice (void)
{
  static matrix m;
  static const int one[] = {3};
  new_context (GLA_PLACE_GPU, NULL, 0);
  make (&m, GLA_TYPE_D);
  expect (&m, "all are as fast as one", 0, 1, 0);
  predicted[1] = 1e-3;
  expect (&m, "several are faster", 0, 8, 0);
  const int before = prepares;
  expect (&m, "again", 0, 8, 0);
  CHECK (prepares == before, "rows are kept");
  gla_sparse_destroy (m.S);
  gla_context_destroy (ctx);
  new_context (GLA_PLACE_LIST, one, 1);
  make (&m, GLA_TYPE_D);
  expect (&m, "a list of one", 3, 1, 0);
  gla_sparse_destroy (m.S);
  gla_context_destroy (ctx);
}

// Vectors on a GPU: that one alone, whatever the list.
static void test_on_gpu (void)
{
  static matrix m;
  double x[COLUMNS], y[ROWS];
  new_context (GLA_PLACE_LIST, listed, 3);
  make (&m, GLA_TYPE_D);
  for (int j = 0; j < COLUMNS; j++)
    x[j] = j % 4;
  const gla_array X = gla_array_packed (x, GLA_TYPE_D, COLUMNS, 1, 1, 2),
                  Y = gla_array_packed (y, GLA_TYPE_D, ROWS, 1, 1, 2);
  devices_used = 0;
  CHECK (gla_spmv (ctx, m.S, 'N', &X, &Y, NULL) == GLA_OK && devices_used == 1 << 2,
         "vectors on GPU 2: %x", devices_used);
  gla_sparse_destroy (m.S);
  gla_context_destroy (ctx);
}

static void test_failures (void)
{
  static matrix m;
  new_context (GLA_PLACE_LIST, listed, 3);
  make (&m, GLA_TYPE_D);
  take_status = GLA_ERROR_OUT_OF_MEMORY;
  failing_device = 5;
  expect (&m, "no memory on one", 4, NONE, 0);
  take_status = GLA_OK;
  expect (&m, "memory again", 4, 3, 0);
  product_status = GLA_ERROR_DEVICE_FAILURE;
  failing_device = 2;
  int seen;
  CHECK (multiply (&m, 'N', 1, &seen, "a failure") == GLA_OK && seen == GLA_DEVICE_HOST &&
             warnings == 1,
         "a failure: device %d, %d warnings", seen, warnings);
  product_status = GLA_OK;
  expect (&m, "without it", 4, 2, 0);
  CHECK (freed_late == 3, "%d shares of the GPU that has failed are freed", freed_late);
  gla_sparse_destroy (m.S);
  CHECK (left () == 0, "%d matrices are left after a failure", left ());
  gla_context_destroy (ctx);
  new_context (GLA_PLACE_LIST, listed, 2);
  open_fails = 4;
  make (&m, GLA_TYPE_D);
  expect (&m, "one does not open", 2, 1, 1);
  gla_sparse_destroy (m.S);
  gla_context_destroy (ctx);
}

// A GPU that fails in another function is closed there. What it had prepared is freed with the
// matrix, and no engine that is closed is asked for it.
static void test_failure_elsewhere (int gpus, int prepared)
{
  enum { N = 3, PAGES = 20 };
  static matrix m;
  double A[N * N * PAGES] = {0}, lambda[N * PAGES];
  new_context (GLA_PLACE_LIST, listed, gpus);
  make (&m, GLA_TYPE_D);
  expect (&m, "before a failure", 4, gpus, 0);
  CHECK (left () == prepared, "%d matrices on %d GPUs", left (), gpus);
  const gla_array pages = gla_array_packed (A, GLA_TYPE_D, N, N, PAGES, GLA_DEVICE_HOST);
  const gla_eig_results results = {
      .size = sizeof results,
      .lambda = gla_array_packed (lambda, GLA_TYPE_D, N, 1, PAGES, GLA_DEVICE_HOST)};
  eig_status = GLA_ERROR_DEVICE_FAILURE;
  failing_device = 4;
  // where the machine is busy the other GPUs may have taken all pages
  int calls = 0;
  gla_status status = GLA_OK;
  while (status == GLA_OK && warnings == 0 && calls++ < 1000)
    status = gla_batcheig (ctx, &pages, &results, NULL, NULL);
  CHECK (status == GLA_OK && warnings == 1, "batcheig fails on a GPU: %s, %d warnings",
         gla_message (ctx), warnings);
  gla_sparse_info info = {.size = sizeof info};
  CHECK (gla_sparse_query (m.S, &info) == GLA_OK && info.gpus == gpus - 1, "%d GPUs", info.gpus);
  gla_sparse_destroy (m.S);
  CHECK (left () == 0 && freed_late == prepared / gpus, "%d are left, %d freed late", left (),
         freed_late);
  gla_context_destroy (ctx);
}

static int stop_later (void *user)
{
  polls_seen++;
  CHECK (pthread_equal (pthread_self (), *(pthread_t *)user), "another thread asks the user");
  return 1;
}

static void test_stop (void)
{
  static matrix m;
  pthread_t me = pthread_self ();
  int device;
  new_context (GLA_PLACE_LIST, listed, 3);
  make (&m, GLA_TYPE_D);
  expect (&m, "before a stop", 4, 3, 0);
  gla_set_stop (ctx, stop_later, &me);
  product_status = GLA_ERROR_STOPPED; // products wait for the stop
  failing_device = NONE;
  CHECK (multiply (&m, 'N', 1, &device, "a stop") == GLA_ERROR_STOPPED && polls_seen > 0,
         "a stop: %d polls", (int)polls_seen);
  product_status = GLA_OK;
  gla_set_stop (ctx, NULL, NULL);
  expect (&m, "after a stop", 4, 3, 0);
  gla_sparse_destroy (m.S);
  gla_context_destroy (ctx);
}

int main (void)
{
  make_gpu (GLA_BATCH_EIG, submit_eig, gla_backend_cpu.batch[GLA_BATCH_EIG]->finish);
  spmv_ops = *gla_backend_cpu.spmv;
  spmv_ops.prepare = prepare;
  spmv_ops.free = free_matrix;
  spmv_ops.product = product;
  spmv_ops.seconds = predict;
  spmv_ops.transposes = 0;
  nd_ops.watch = watch;
  nd_ops.take = take;
  nd_ops.give = give;
  nd_ops.put = put_bytes;
  nd_ops.get = get_bytes;
  nd_ops.fetch = fetch;
  nd_ops.wait = wait;
  gpu_backend.spmv = &spmv_ops;
  gpu_backend.nd = &nd_ops;
  make_gpus (GPUS);
  test_results ();
  test_choice ();
  test_on_gpu ();
  test_failures ();
  test_failure_elsewhere (1, 1);
  test_failure_elsewhere (2, GLA_TEAM_SHARES);
  test_stop ();
  CHECK (left () == 0, "%d matrices are left", left ());
  return check_report ("test_spmv_team");
}
