// test_eigs_team.c: which GPUs share the rows of a call of gla_eigs, and what happens when
// one has no memory or fails
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The GPUs here are the CPU backend under another name. They predict what the test wants, note
// which of them were to work together, and the first of these does all of the work.

#include "frame/cpu_as_gpu.h"
#include "eigs_answer.h"
#include "backend.h"
#include "lanczos/job.h"

#include <stdatomic.h>

enum { GPUS = 10, N = 300, K = 3, NONE = -1 };

static double predicted[GLA_TEAM_MOST + 1]; // seconds of so many GPUs
static gla_status begin_status[2];          // of one GPU, and of a team
static int64_t enough[2];                   // columns of a basis for which there is memory
static int failing;                         // a member
static int led_by, begins, ends, warnings;
static int devices_seen[GLA_TEAM_MOST], members_seen; // of the last job; 1: no team
static gla_krylov_ops krylov_ops;
static gla_spmv_ops spmv_ops;
static _Atomic int prepares;      // of matrices, whole or some rows
static void *_Atomic live[100];   // what these made and nobody has freed
static gla_status prepare_status; // of rows on the device `failing_device`
static int failing_device;
static void *prepared; // the whole matrix, by the leader of a team

static gla_status prepare (gla_engine *engine, const gla_spmv_matrix *M, const gla_monitor *monitor,
                           void **matrix)
{
  if (prepare_status != GLA_OK && engine->device == failing_device && M->csr.rows < N)
    return prepare_status;
  const gla_status status = gla_backend_cpu.spmv->prepare (engine, M, monitor, matrix);
  live[prepares++] = *matrix;
  return status;
}

static void free_matrix (gla_engine *engine, void *matrix)
{
  for (int k = 0; k < prepares; k++)
    if (live[k] == matrix)
      live[k] = NULL;
  gla_backend_cpu.spmv->free (engine, matrix);
}

// Nothing is left of a call, also of what a GPU held that has failed.
static void check_left (const char *what)
{
  int left = 0;
  for (int k = 0; k < prepares; k++)
    left += live[k] != NULL;
  prepares = 0;
  CHECK (left == 0, "%s: %d matrices are left", what, left);
}

static int poll_never (void *user, int64_t pages)
{
  (void)user, (void)pages;
  return 0;
}

// The shares of the path are all of it, in order, with the columns beside their rows.
static void check_shares (const gla_krylov_team *team)
{
  double x[N], y[N];
  for (int i = 0; i < N; i++)
    x[i] = 1 + i % 17;
  CHECK (team->start[0] == 0 && team->start[GLA_TEAM_SHARES] == N, "all rows");
  for (int k = 0; k < team->count; k++)
    for (int s = gla_team_share (team, k); s < gla_team_share (team, k + 1); s++) {
      const int64_t first = team->start[s], end = team->start[s + 1], rows = end - first;
      const gla_spmv_job job = {.x = gla_array_packed (x, GLA_TYPE_D, N, 1, 1, GLA_DEVICE_HOST),
                                .y = gla_array_packed (y, GLA_TYPE_D, rows, 1, 1, GLA_DEVICE_HOST),
                                .monitor = {poll_never, NULL}};
      CHECK (rows >= N / GLA_TEAM_SHARES - 1 && rows <= N / GLA_TEAM_SHARES + 2, "%d rows",
             (int)rows);
      CHECK (team->from[s] == (first > 0 ? first - 1 : 0) && team->to[s] == (end < N ? end + 1 : N),
             "share %d: columns %d to %d", s, (int)team->from[s], (int)team->to[s]);
      CHECK (gla_backend_cpu.spmv->product (team->engines[k], team->sparse[s], &job) == GLA_OK,
             "product");
      for (int64_t i = first; i < end; i++)
        CHECK (y[i - first] == (i > 0 ? x[i - 1] : 0) + (i < N - 1 ? x[i + 1] : 0), "row %d",
               (int)i);
    }
}

static double predict (gla_engine *engine, const gla_krylov_job *job, int64_t products)
{
  (void)engine, (void)products;
  return predicted[job->team == NULL ? 1 : job->team->count];
}

static gla_status begin (gla_engine *engine, const gla_krylov_job *job)
{
  const int together = job->team != NULL;
  gla_krylov_job own = *job;
  begins++;
  led_by = engine->device;
  members_seen = together ? job->team->count : 1;
  for (int k = 0; k < members_seen; k++)
    devices_seen[k] = together ? job->team->engines[k]->device : engine->device;
  if (begin_status[together] != GLA_OK) {
    if (together)
      job->team->failed = failing;
    return begin_status[together];
  }
  if (job->basis > enough[together])
    return GLA_ERROR_OUT_OF_MEMORY;
  if (together) {
    CHECK (job->sparse == NULL && job->matrix != NULL && !job->plain &&
               engine == job->team->engines[0],
           "the job of a team");
    check_shares (job->team);
    CHECK (gla_backend_cpu.spmv->prepare (engine, job->matrix, &job->monitor, &prepared) == GLA_OK,
           "prepare");
    own.sparse = prepared;
  }
  return gla_backend_cpu.krylov->begin (engine, &own);
}

static void end (gla_engine *engine)
{
  ends++;
  gla_backend_cpu.krylov->end (engine);
  gla_backend_cpu.spmv->free (engine, prepared);
  prepared = NULL;
}

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

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
  for (int k = 0; k < 2; k++) {
    begin_status[k] = GLA_OK;
    enough[k] = INT64_MAX;
  }
  for (int k = 0; k <= GLA_TEAM_MOST; k++)
    predicted[k] = 1;
  failing = 0;
  open_fails = NONE;
  prepare_status = GLA_OK;
}

// The largest eigenvalues of a path, by the GPU led_by (GLA_DEVICE_HOST: by the CPU) with so many
// members.
static void expect (const char *what, const gla_eigs_options *o, int leader, int members)
{
  matrix A = make (GLA_TYPE_D, N, path, 1);
  lambda_of (&A, path);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.size = sizeof op, .sparse = S};
  begins = ends = warnings = members_seen = 0;
  led_by = NONE;
  answer a = solve (&op, GLA_TYPE_D, N, K, GLA_EIGS_WHICH_LA, o, 1);
  if (o == NULL)
    check_answer (&A, &a, K, GLA_EIGS_WHICH_LA, what);
  CHECK (a.status == GLA_OK && a.report.device == leader, "%s: device %d", what, a.report.device);
  CHECK (leader == GLA_DEVICE_HOST || (led_by == leader && members_seen == members),
         "%s: %d members led by %d", what, members_seen, led_by);
  answer_free (&a);
  gla_sparse_destroy (S);
  check_left (what);
  matrix_free (&A);
}

static void expect_stop (const char *what)
{
  matrix A = make (GLA_TYPE_D, N, path, 1);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.size = sizeof op, .sparse = S};
  answer a = solve (&op, GLA_TYPE_D, N, K, GLA_EIGS_WHICH_LA, NULL, 1);
  CHECK (a.status == GLA_ERROR_STOPPED, "%s: status %d", what, (int)a.status);
  answer_free (&a);
  gla_sparse_destroy (S);
  check_left (what);
  matrix_free (&A);
}

static void test_choice (void)
{
  static const int three[] = {4, 2, 5}, nine[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, one[] = {3};
  const gla_eigs_options plain = {
      .size = sizeof plain, .method = GLA_EIGS_METHOD_PLAIN, .steps = 100};
  new_context (GLA_PLACE_GPU, NULL, 0);
  expect ("all are as fast as one", NULL, 0, 1);
  predicted[3] = 0.92;
  expect ("three save less than a tenth", NULL, 0, 1);
  predicted[3] = 0.6;
  predicted[8] = 0.7;
  expect ("three are the fastest", NULL, 0, 3);
  CHECK (devices_seen[1] == 1 && devices_seen[2] == 2, "devices %d %d", devices_seen[1],
         devices_seen[2]);
  predicted[8] = 0.5;
  expect ("eight are the fastest", NULL, 0, 8);
  expect ("the recurrence", &plain, 0, 1);
  gla_context_destroy (ctx);
  new_context (GLA_PLACE_LIST, three, 3);
  predicted[3] = 5;
  expect ("a list", NULL, 4, 3);
  CHECK (devices_seen[1] == 2 && devices_seen[2] == 5 && warnings == 0, "devices %d %d",
         devices_seen[1], devices_seen[2]);
  expect ("the recurrence, on listed GPUs", &plain, 4, 1);
  gla_context_destroy (ctx);
  new_context (GLA_PLACE_LIST, nine, 9);
  expect ("more than a team may have", NULL, 1, 8);
  gla_context_destroy (ctx);
  new_context (GLA_PLACE_LIST, one, 1);
  expect ("a list of one", NULL, 3, 1);
  gla_context_destroy (ctx);
}

static void test_memory (void)
{
  static const int three[] = {4, 2, 5};
  new_context (GLA_PLACE_LIST, three, 3);
  enough[1] = 40;
  expect ("a smaller basis", NULL, 4, 3);
  CHECK (warnings == 0 && begins == 2, "%d warnings, %d tries", warnings, begins);
  enough[1] = 0;
  expect ("no memory for a team", NULL, 4, 1);
  CHECK (warnings == 0, "%d warnings", warnings);
  enough[0] = 0;
  expect ("no memory at all", NULL, GLA_DEVICE_HOST, 0);
  CHECK (warnings == 1, "%d warnings", warnings);
  gla_context_destroy (ctx);
  new_context (GLA_PLACE_GPU, NULL, 0);
  enough[0] = 0;
  expect ("one has no room, and all together have", NULL, 0, 8);
  CHECK (warnings == 0, "%d warnings", warnings);
  gla_context_destroy (ctx);
}

// The CPU does what a GPU fails to do, with one warning; that GPU is not used again, the others
// are.
static void test_failures (void)
{
  static const int three[] = {4, 2, 5};
  new_context (GLA_PLACE_LIST, three, 3);
  begin_status[1] = GLA_ERROR_DEVICE_FAILURE;
  failing = 1;
  expect ("device 2 fails", NULL, GLA_DEVICE_HOST, 0);
  CHECK (warnings == 1, "%d warnings", warnings);
  begin_status[1] = GLA_OK;
  expect ("device 2 has failed", NULL, 4, 2);
  CHECK (devices_seen[1] == 5 && warnings == 0, "device %d", devices_seen[1]);
  gla_context_destroy (ctx);
  new_context (GLA_PLACE_LIST, three, 3);
  open_fails = 4;
  expect ("device 4 does not open", NULL, 2, 2);
  CHECK (devices_seen[1] == 5 && warnings == 1, "device %d, %d warnings", devices_seen[1],
         warnings);
  gla_context_destroy (ctx);
  new_context (GLA_PLACE_LIST, three, 1);
  open_fails = 4;
  expect ("the only one does not open", NULL, GLA_DEVICE_HOST, 0);
  CHECK (warnings == 1, "%d warnings", warnings);
  gla_context_destroy (ctx);
  new_context (GLA_PLACE_LIST, three, 3);
  begin_status[1] = GLA_ERROR_STOPPED;
  expect_stop ("a stop");
  begin_status[1] = GLA_OK;
  prepare_status = GLA_ERROR_STOPPED;
  failing_device = 5;
  expect_stop ("a stop while rows are prepared");
  gla_context_destroy (ctx);
}

// What happens where a GPU cannot prepare its rows.
static void test_preparation (void)
{
  static const int three[] = {4, 2, 5};
  failing_device = 2;
  new_context (GLA_PLACE_LIST, three, 3);
  prepare_status = GLA_ERROR_OUT_OF_MEMORY;
  expect ("no memory for the rows", NULL, 4, 1);
  CHECK (warnings == 0, "%d warnings", warnings);
  prepare_status = GLA_ERROR_DEVICE_FAILURE;
  expect ("a failure beside the rows", NULL, GLA_DEVICE_HOST, 0);
  CHECK (warnings == 1, "%d warnings", warnings);
  prepare_status = GLA_OK;
  expect ("without it", NULL, 4, 2);
  CHECK (devices_seen[1] == 5 && warnings == 0, "device %d", devices_seen[1]);
  gla_context_destroy (ctx);
}

// Rows are kept for the next call on the same GPUs.
static void test_kept (void)
{
  static const int three[] = {4, 2, 5};
  new_context (GLA_PLACE_LIST, three, 3);
  matrix A = make (GLA_TYPE_D, N, path, 1);
  lambda_of (&A, path);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.size = sizeof op, .sparse = S};
  gla_sparse_info info = {.size = sizeof info};
  const int expected[] = {GLA_TEAM_SHARES, GLA_TEAM_SHARES, 2 * GLA_TEAM_SHARES};
  for (int k = 0; k < 3; k++) {
    CHECK (gla_set_place (ctx, GLA_PLACE_LIST, three, k < 2 ? 3 : 2) == GLA_OK, "place");
    answer a = solve (&op, GLA_TYPE_D, N, K, GLA_EIGS_WHICH_LA, NULL, 1);
    check_answer (&A, &a, K, GLA_EIGS_WHICH_LA, "kept");
    CHECK (prepares == expected[k], "call %d: %d preparations", k, prepares);
    CHECK (gla_sparse_query (S, &info) == GLA_OK && info.gpus == (k < 2 ? 3 : 2), "%d GPUs",
           info.gpus);
    answer_free (&a);
  }
  gla_sparse_destroy (S);
  check_left ("kept");
  matrix_free (&A);
  gla_context_destroy (ctx);
}

int main (void)
{
  make_gpu (GLA_BATCH_EIG, gla_backend_cpu.batch[GLA_BATCH_EIG]->submit,
            gla_backend_cpu.batch[GLA_BATCH_EIG]->finish);
  krylov_ops = *gla_backend_cpu.krylov;
  krylov_ops.begin = begin;
  krylov_ops.end = end;
  krylov_ops.seconds = predict;
  spmv_ops = *gla_backend_cpu.spmv;
  spmv_ops.prepare = prepare;
  spmv_ops.free = free_matrix;
  gpu_backend.krylov = &krylov_ops;
  gpu_backend.spmv = &spmv_ops;
  make_gpus (GPUS);
  test_choice ();
  test_memory ();
  test_failures ();
  test_preparation ();
  test_kept ();
  return check_report ("test_eigs_team");
}
