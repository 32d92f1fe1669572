// rank_calls.c: ranks with a GPU each, without a GPU: what they call, and its failures
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ranks are threads, each with a context of its own, on the two devices of fake_cuda.h, in which
// kernels do nothing. Then one call of the CUDA runtime after the other fails, on whichever rank
// makes it (of long runs a sample): all ranks must end with one error, and nothing may be left.

#include "crew.h"
#include "fake/fake_cuda.h"
#include "rank_ring.h"

enum { SAMPLES = 25, MOST = 4 };

typedef enum { QR, PAIR, PRODUCT, EIGS, CALLS } call;

typedef struct {
  call what;
  gla_type type;
  int block, split;
} one_case;

static crew all;
static int64_t first[MOST_RANKS + 1];
static int64_t fails; // the call that does; 0: none

//------------------------------------------------------------------------------
// calls of one rank
//------------------------------------------------------------------------------

static void call_qr (member *m, const one_case *c, int64_t rows)
{
  gla_array A = matrix (c->type, rows, 7), B = matrix (c->type, rows, 2),
            Q = matrix (c->type, rows, 7), R = matrix (c->type, 7, 7), C = matrix (c->type, 7, 2);
  const gla_qr_results results = {.size = sizeof results, .Q = Q, .R = R, .C = C};
  m->status = gla_qr_rows (m->ctx, m->ranks, &A, &B, &results, NULL, NULL);
  for (gla_array *a = (gla_array[]){A, B, Q, R, C, {.data = NULL}}; a->data != NULL; a++)
    free (a->data);
}

static void call_pair (member *m, const one_case *c, int64_t rows)
{
  const gla_type real = gla_type_real (c->type);
  gla_array A = matrix (c->type, rows, 7), B = matrix (c->type, rows, 7),
            U = matrix (c->type, rows, 7), V = matrix (c->type, rows, 7),
            X = matrix (c->type, 7, 7), alpha = matrix (real, 7, 1), beta = matrix (real, 7, 1);
  const gla_gsvd_results results = {
      .size = sizeof results, .U = U, .V = V, .X = X, .alpha = alpha, .beta = beta};
  m->status = gla_gsvd_rows (m->ctx, m->ranks, &A, &B, &results, NULL, NULL);
  for (gla_array *a = (gla_array[]){A, B, U, V, X, alpha, beta, {.data = NULL}}; a->data != NULL;
       a++)
    free (a->data);
}

static void call_sparse (member *m, const one_case *c)
{
  const gla_csr csr = ring (c->type, first[m->rank], first[m->rank + 1]);
  gla_array x = matrix (c->type, csr.rows, 3), y = matrix (c->type, csr.rows, 3),
            values = matrix (gla_type_real (c->type), 3, 1);
  gla_sparse_rows *S;
  double residuals[3];
  gla_eigs_options o = {.size = sizeof o, .block = c->block, .basis = 16, .maxit = 3};
  const gla_eigs_results results = {
      .size = sizeof results, .values = values, .vectors = x, .residuals = residuals};
  m->status = gla_sparse_rows_create (m->ctx, m->ranks, &csr, &S, NULL);
  for (int k = 0; k < 2 && m->status == GLA_OK && c->what == PRODUCT; k++)
    m->status = gla_spmv_rows (m->ctx, S, &x, &y, NULL);
  if (m->status == GLA_OK && c->what == EIGS)
    m->status = gla_eigs_rows (m->ctx, S, 3, GLA_EIGS_WHICH_LA, &results, &o, NULL);
  gla_sparse_rows_destroy (S);
  free (x.data);
  free (y.data);
  free (values.data);
  free_ring (&csr);
}

// All open their GPUs, which would be tried again, before a call fails.
static void open_all (member *m)
{
  gla_ranks_parts parts = {.size = sizeof parts};
  m->good = gla_wait (m->ctx, m->rank % FAKE_DEVICES) == GLA_OK;
  m->good &= gla_ranks_announce (m->ctx, m->ranks, &parts) == GLA_OK;
  if (m->rank == 0)
    fake_cuda_fail_at (fails);
  m->good &= gla_ranks_announce (m->ctx, m->ranks, &parts) == GLA_OK;
}

static void body (member *m)
{
  const one_case *c = m->all->user;
  const int64_t rows = first[m->rank + 1] - first[m->rank];
  open_all (m);
  if (c->what == QR)
    call_qr (m, c, rows);
  else if (c->what == PAIR)
    call_pair (m, c, rows);
  else
    call_sparse (m, c);
}

//------------------------------------------------------------------------------
// cases
//------------------------------------------------------------------------------

// On so many ranks, with the n-th call failing; 0: none.
static gla_status run (one_case *c, int ranks, int64_t n, const char *what)
{
  const int64_t before = fake_cuda_live ();
  crew_place = GLA_PLACE_GPU;
  crew_split (N, ranks, c->split, first);
  fake_cuda_fail_at (0);
  fails = n;
  fake_cuda_answer = (fake_cuda_answers){.ones = c->what == EIGS};
  crew_run (&all, ranks, body, c);
  fake_cuda_answer = (fake_cuda_answers){0};
  // copies of a sparse matrix are gone with the GPU that has failed
  CHECK (
      fake_cuda_live () == before || (c->what == PRODUCT && fake_cuda_has_failed () == FAKE_DEVICE),
      "%s, failure %lld: %lld left", what, (long long)n, (long long)(fake_cuda_live () - before));
  for (int r = 0; r < ranks; r++)
    CHECK (all.members[r].good, "%s: rank %d has no GPU", what, r);
  for (int r = 1; r < ranks; r++)
    CHECK (all.members[r].status == all.members[0].status &&
               strcmp (all.members[r].message, all.members[0].message) == 0,
           "%s, failure %lld: rank %d: %d \"%s\", rank 0: %d \"%s\"", what, (long long)n, r,
           (int)all.members[r].status, all.members[r].message, (int)all.members[0].status,
           all.members[0].message);
  return all.members[0].status;
}

static void check_case (one_case *c, int ranks)
{
  static const char *const names[CALLS] = {"qr", "gsvd", "spmv", "eigs"};
  char what[80];
  snprintf (what, sizeof what, "%s %c, block %d, split %d, %d ranks", names[c->what], (char)c->type,
            c->block, c->split, ranks);
  const int64_t launched = fake_cuda_launches ();
  const gla_status status = run (c, ranks, 0, what);
  CHECK (status == GLA_OK, "%s: %d %s", what, (int)status, all.members[0].message);
  CHECK (fake_cuda_launches () > launched + 1, "%s: no kernel", what);
  const int64_t calls = fake_cuda_calls (), step = 1 + calls / SAMPLES;
  for (int64_t n = 1 + c->block % step; n <= calls; n += step) {
    const gla_status failed = run (c, ranks, n, what);
    const fake_cuda_failure kind = fake_cuda_has_failed ();
    // an event that orders memory of arrays may fail unseen, where a GPU that fails goes on to do
    // so
    const int unseen = failed == GLA_OK && (c->what == QR || c->what == PAIR);
    if (kind == FAKE_DEVICE)
      CHECK (unseen || (failed == GLA_ERROR_DEVICE_FAILURE &&
                        strstr (all.members[0].message, "rank ") == all.members[0].message),
             "%s, failure %lld: %d %s", what, (long long)n, (int)failed, all.members[0].message);
    else // where memory is short an engine may find other ways
      CHECK (failed == GLA_OK || failed == GLA_ERROR_OUT_OF_MEMORY, "%s, failure %lld: %d %s", what,
             (long long)n, (int)failed, all.members[0].message);
  }
}

// GPUs of different kinds may compute other bits, by which ranks would part.
static void check_kinds (void)
{
  one_case c = {.what = EIGS, .type = GLA_TYPE_D, .block = 2};
  fake_cuda_alike = 0;
  const gla_status status = run (&c, 2, 0, "two kinds of GPUs");
  CHECK (status == GLA_ERROR_RANKS_DIFFER &&
             strstr (all.members[0].message, "GPUs of different kinds") != NULL,
         "two kinds of GPUs: %d %s", (int)status, all.members[0].message);
  fake_cuda_alike = 1;
}

int main (void)
{
  static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
  fake_cuda_alike = 1;
  setenv ("OMP_NUM_THREADS", "1", 1);
  for (int what = 0; what < CALLS; what++)
    for (int t = 0; t < 4; t++)
      for (int ranks = 1; ranks <= MOST; ranks++) {
        one_case c = {.what = (call)what,
                      .type = types[t],
                      .block = 1 << (t + ranks) % 4,
                      .split = (t + ranks) % SPLITS};
        check_case (&c, ranks);
      }
  check_kinds ();
  return check_report ("rank_calls");
}
