// link_calls.c: rows from GPU to GPU of ranks, on stand-ins for CUDA and NCCL
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ranks are threads, on the devices of fake_cuda.h and with NCCL of fake_nccl.c. Rows that go by
// NCCL must come to their places, be counted as messages are, and whatever fails must be the same
// error on all ranks, in time, or the way by the host on all of them. With the argument "mpi" it is
// one rank of those that mpirun has started.

#include "crew.h"
#include "fake/fake_cuda.h"
#include "link_rows.h"
#include "rank_ring.h"

#include <time.h>

enum { CALLS = 2, SAMPLES = 12 };

typedef struct {
  gla_type type;
  int calls;   // of eigenvalues, one after the other
  int64_t cut; // nothing connects rows before this one with others; 0: nothing is cut
  int block;   // 0: 2
  double patience;
  int silent;                // this rank, from 1, does not ask for NCCL; 0: all do
  int stop_rank;             // -1: none
  gla_ranks_info info[MOST]; // of each rank, when its calls have ended
  gla_status second[MOST];   // of its last call, where an earlier one has failed
  char text[MOST][96], ways[MOST][8], then[MOST][200];
} one_case;

static crew all;
static int64_t first[MOST_RANKS + 1], fails;

static double seconds (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

//------------------------------------------------------------------------------
// eigenvalues
//------------------------------------------------------------------------------

// Drops the entries that connect rows before `at` with others, from rows from, from+1, ...; all
// values are the same.
static void cut_ring (gla_csr *csr, int64_t from, int64_t at)
{
  int64_t *start = (int64_t *)(uintptr_t)csr->start, *index = (int64_t *)(uintptr_t)csr->index,
          kept = 0, e = 0;
  for (int64_t i = 0; i < csr->rows; i++) {
    for (; e < start[i + 1]; e++)
      if ((index[e] < at) == (from + i < at))
        index[kept++] = index[e];
    start[i + 1] = kept;
  }
}

static gla_status eigenvalues (gla_context *ctx, gla_ranks *ranks, const one_case *c,
                               const int64_t *rows)
{
  gla_csr csr = ring (c->type, rows[0], rows[1]);
  gla_array x = matrix (c->type, csr.rows, 3), values = matrix (gla_type_real (c->type), 3, 1);
  gla_sparse_rows *S;
  double residuals[3];
  gla_eigs_options o = {
      .size = sizeof o, .block = c->block ? c->block : 2, .basis = 16, .maxit = 3};
  const gla_eigs_results results = {
      .size = sizeof results, .values = values, .vectors = x, .residuals = residuals};
  if (c->cut > 0)
    cut_ring (&csr, rows[0], c->cut);
  gla_status status = gla_sparse_rows_create (ctx, ranks, &csr, &S, NULL);
  if (status == GLA_OK)
    status = gla_eigs_rows (ctx, S, 3, GLA_EIGS_WHICH_LA, &results, &o, NULL);
  gla_sparse_rows_destroy (S);
  free (x.data);
  free (values.data);
  free_ring (&csr);
  return status;
}

static int stop_later (void *user)
{
  int *polls = user;
  return ++*polls > 40;
}

// Each opens its GPU, which would be tried again, before a call fails.
static void eigs_body (member *m)
{
  one_case *c = m->all->user;
  gla_ranks_parts parts = {.size = sizeof parts};
  int polls = 0;
  m->good = gla_wait (m->ctx, m->rank % FAKE_DEVICES) == GLA_OK;
  m->good &= gla_ranks_announce (m->ctx, m->ranks, &parts) == GLA_OK;
  if (m->rank == 0)
    fake_cuda_fail_at (fails);
  m->good &= gla_ranks_announce (m->ctx, m->ranks, &parts) == GLA_OK;
  if (m->rank + 1 == c->silent)
    m->ranks->link.asked = 0;
  if (c->patience > 0)
    m->ranks->link.patience = c->patience;
  if (m->rank == c->stop_rank)
    gla_set_stop (m->ctx, stop_later, &polls);
  for (int k = 0; k < c->calls && m->status == GLA_OK; k++)
    m->status = eigenvalues (m->ctx, m->ranks, c, first + m->rank);
  c->info[m->rank].size = sizeof c->info[m->rank];
  char message[sizeof m->message];
  snprintf (message, sizeof message, "%s", gla_message (m->ctx));
  (void)gla_ranks_query (m->ctx, m->ranks, &c->info[m->rank]);
  c->second[m->rank] = GLA_OK;
  if (m->status == GLA_ERROR_RANK_LOST && c->stop_rank < 0 && fails == 0)
    c->second[m->rank] = eigenvalues (m->ctx, m->ranks, c, first + m->rank);
  snprintf (c->then[m->rank], sizeof c->then[m->rank], "%s", gla_message (m->ctx));
  snprintf (c->text[m->rank], sizeof c->text[m->rank], "%s", m->ranks->link.text);
  snprintf (c->ways[m->rank], sizeof c->ways[m->rank], "%s",
            m->ranks->link.made != NULL ? "nccl" : "host");
  gla_fail (m->ctx, m->status, "%s", message); // for the crew
}

// The same status and message on all ranks, in time, and nothing left.
static gla_status run (one_case *c, int ranks, const char *what)
{
  const int64_t before = fake_cuda_live ();
  crew_place = GLA_PLACE_GPU;
  crew_split (N, ranks, 0, first);
  fake_cuda_answer = (fake_cuda_answers){.ones = 1};
  const double start = seconds ();
  crew_run (&all, ranks, eigs_body, c);
  const double took = seconds () - start;
  fake_cuda_answer = (fake_cuda_answers){0};
  CHECK (took < 10, "%s: %g seconds", what, took);
  CHECK (fake_cuda_live () == before, "%s: %lld left", what,
         (long long)(fake_cuda_live () - before));
  for (int r = 0; r < ranks; r++)
    CHECK (all.members[r].good, "%s: rank %d has no GPU", what, r);
  for (int r = 1; r < ranks && c->stop_rank < 0; r++)
    CHECK (all.members[r].status == all.members[0].status &&
               strcmp (all.members[r].message, all.members[0].message) == 0,
           "%s: rank %d: %d \"%s\", rank 0: %d \"%s\"", what, r, (int)all.members[r].status,
           all.members[r].message, (int)all.members[0].status, all.members[0].message);
  return all.members[0].status;
}

// All ranks went this way, and say this of NCCL.
static void expect_way (const one_case *c, int ranks, const char *way, const char *text,
                        const char *what)
{
  for (int r = 0; r < ranks; r++)
    CHECK (strcmp (c->ways[r], way) == 0 && strcmp (c->text[r], text) == 0,
           "%s: rank %d went by \"%s\": \"%s\"", what, r, c->ways[r], c->text[r]);
}

//------------------------------------------------------------------------------
// counters
//------------------------------------------------------------------------------

static void totals (const one_case *c, int ranks, int64_t *messages, int64_t *bytes)
{
  int64_t received[2] = {0};
  *messages = *bytes = 0;
  for (int r = 0; r < ranks; r++) {
    *messages += c->info[r].messages_sent;
    *bytes += c->info[r].bytes_sent;
    received[0] += c->info[r].messages_received;
    received[1] += c->info[r].bytes_received;
  }
  CHECK (received[0] == *messages && received[1] == *bytes, "%d ranks: sent is not received",
         ranks);
}

// A sum of c numbers takes 2 messages of 256 + 8 (c+1) bytes; a product one sum of one number
// more than by way of the host; the first call three, each later one the first of these.
static void check_counters (void)
{
  static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
  for (int ranks = 2; ranks <= MOST; ranks++)
    for (int t = 0; t < 4; t++) {
      one_case c = {.type = types[t], .calls = CALLS, .stop_rank = -1};
      int64_t messages[2], bytes[2];
      setenv ("GPULINALG_NCCL", "no", 1);
      CHECK (run (&c, ranks, "by the host") == GLA_OK, "%s", all.members[0].message);
      expect_way (&c, ranks, "host", "", "by the host");
      totals (&c, ranks, &messages[0], &bytes[0]);
      setenv ("GPULINALG_NCCL", "yes", 1);
      CHECK (run (&c, ranks, "by NCCL") == GLA_OK, "%s", all.members[0].message);
      expect_way (&c, ranks, "nccl", "2.28.3", "by NCCL");
      CHECK (strcmp (c.info[0].device_data, "nccl") == 0 && strcmp (c.info[0].nccl, "2.28.3") == 0,
             "info: \"%s\" \"%s\"", c.info[0].device_data, c.info[0].nccl);
      totals (&c, ranks, &messages[1], &bytes[1]);
      const int64_t edges = 2 * (ranks - 1), sums = (messages[1] - messages[0]) / edges,
                    products = sums - 2 - CALLS,
                    more = edges * (CALLS * (256 + 8 * (5 * ranks + 1)) + (256 + 8 * (129 + 1)) +
                                    (256 + 8 * (ranks + 1)) + products * (256 + 16));
      CHECK (products > 0 && messages[1] - messages[0] == sums * edges &&
                 bytes[1] - bytes[0] == more,
             "%d ranks, type %c: %lld messages and %lld bytes more, not %lld", ranks,
             (char)types[t], (long long)(messages[1] - messages[0]),
             (long long)(bytes[1] - bytes[0]), (long long)more);
    }
}

// A GPU has no blocks of three vectors.
static void check_block (void)
{
  one_case c = {.type = GLA_TYPE_D, .calls = 1, .block = 3, .stop_rank = -1};
  CHECK (run (&c, 2, "a block of 3") == GLA_ERROR_BAD_ARGUMENT &&
             strstr (all.members[0].message, "a block other than 1, 2, 4 or 8") != NULL,
         "a block of 3: %s", all.members[0].message);
}

// Ranks that need no rows of others, all of them or one.
static void check_alone (void)
{
  for (int ranks = 2; ranks <= MOST; ranks++) {
    crew_split (N, ranks, 0, first);
    one_case c = {.type = GLA_TYPE_D, .calls = CALLS, .stop_rank = -1, .cut = first[ranks - 1]};
    CHECK (run (&c, ranks, "a rank alone") == GLA_OK, "%s", all.members[0].message);
    expect_way (&c, ranks, "nccl", "2.28.3", "a rank alone");
  }
}

//------------------------------------------------------------------------------
// faults
//------------------------------------------------------------------------------

// Where NCCL does not start, or is not there, all ranks go by way of the host.
static void check_fallback (const char *fault, int ranks, const char *text)
{
  one_case c = {.type = GLA_TYPE_D, .calls = CALLS, .patience = 0.3, .stop_rank = -1};
  setenv ("FAKE_NCCL", fault, 1);
  const gla_status status = run (&c, ranks, fault);
  CHECK (status == GLA_OK, "%s: %d %s", fault, (int)status, all.members[0].message);
  expect_way (&c, ranks, "host", text, fault);
  unsetenv ("FAKE_NCCL");
}

// What fails later is an error; the next call goes by way of the host.
static void check_fault (const char *fault, int ranks, const char *text)
{
  one_case c = {.type = GLA_TYPE_Z, .calls = CALLS, .patience = 0.3, .stop_rank = -1};
  setenv ("FAKE_NCCL", fault, 1);
  const gla_status status = run (&c, ranks, fault);
  CHECK (status == GLA_ERROR_RANK_LOST && strcmp (all.members[0].message, text) == 0, "%s: %d %s",
         fault, (int)status, all.members[0].message);
  for (int r = 0; r < ranks; r++)
    CHECK (c.second[r] == GLA_OK && strcmp (c.ways[r], "host") == 0 &&
               strcmp (c.text[r], c.text[0]) == 0 && strncmp (c.text[r], text, 7) == 0,
           "%s: then rank %d: %d, \"%s\" \"%s\" %s", fault, r, (int)c.second[r], c.ways[r],
           c.text[r], c.then[r]);
  unsetenv ("FAKE_NCCL");
}

static void check_silent (void)
{
  one_case c = {.type = GLA_TYPE_C, .calls = CALLS, .silent = 2, .stop_rank = -1};
  CHECK (run (&c, 3, "a silent rank") == GLA_OK, "%s", all.members[0].message);
  expect_way (&c, 3, "host", "rank 1 does not ask for NCCL", "a silent rank");
}

static void check_faults (void)
{
  check_fallback ("id", 2, "rank 0: unhandled system error");
  check_fallback ("init:1", 2, "rank 1: unhandled system error");
  check_fallback ("init:2", 4, "rank 2: unhandled system error");
  check_fallback ("absent:1", 3, "rank 0: NCCL did not start in time");
  check_fault ("group:1:2", 2, "rank 1: device 1: NCCL: unhandled system error");
  check_fault ("group:0:5", 3, "rank 0: device 0: NCCL: unhandled system error");
  check_fault ("error:1:3", 2, "rank 1: device 1: NCCL: remote process exited");
  check_fault ("error:3:1", 4, "rank 3: device 1: NCCL: remote process exited");
  check_fault ("hang:1:2", 2,
               "rank 0: device 0: NCCL: the GPUs of other ranks did not answer for 0.3 seconds");
  check_fault ("stall:0:4", 2,
               "rank 0: device 0: NCCL: the GPUs of other ranks did not answer for 0.3 seconds");
  fake_cuda_apart = 0;
  check_fallback ("", 3, "ranks 0 and 2 share a GPU");
  fake_cuda_apart = 1;
}

// One call of the CUDA runtime after the other fails, on whichever rank makes it.
static void check_cuda_failures (int ranks)
{
  one_case c = {.type = GLA_TYPE_D, .calls = 1, .stop_rank = -1};
  CHECK (run (&c, ranks, "no failure") == GLA_OK, "%s", all.members[0].message);
  const int64_t calls = fake_cuda_calls (), step = 1 + calls / SAMPLES;
  for (fails = 2; fails <= calls; fails += step) {
    char what[60];
    snprintf (what, sizeof what, "%d ranks, failure %lld of %lld", ranks, (long long)fails,
              (long long)calls);
    const gla_status status = run (&c, ranks, what);
    if (fake_cuda_has_failed () == FAKE_DEVICE) // an event for the start of NCCL is no loss
      CHECK (status == GLA_ERROR_DEVICE_FAILURE || status == GLA_OK, "%s: %d %s", what, (int)status,
             all.members[0].message);
    else
      CHECK (status == GLA_OK || status == GLA_ERROR_OUT_OF_MEMORY, "%s: %d %s", what, (int)status,
             all.members[0].message);
  }
  fails = 0;
}

// A rank is stopped, also while NCCL does not answer.
static void check_stop (const char *fault)
{
  one_case c = {.type = GLA_TYPE_S, .calls = 50, .patience = 0.3, .stop_rank = 1};
  setenv ("FAKE_NCCL", fault, 1);
  (void)run (&c, 3, "a stop");
  for (int r = 0; r < 3; r++)
    CHECK (r == 1 ? all.members[r].status == GLA_ERROR_STOPPED
                  : all.members[r].status == GLA_ERROR_RANK_LOST &&
                        strcmp (all.members[r].message, "rank 1 was stopped") == 0,
           "a stop, %s: rank %d: %d %s", fault, r, (int)all.members[r].status,
           all.members[r].message);
  unsetenv ("FAKE_NCCL");
}

//------------------------------------------------------------------------------
// processes of their own
//------------------------------------------------------------------------------

// The library is opened once for a process.
static int check_library (const char *path, const char *text)
{
  setenv ("GPULINALG_NCCL", path, 1);
  check_fallback ("", 2, text);
  return n_failed > 0;
}

// A rank of mpirun.
static int one_of_mpi (void)
{
  const int64_t rows[] = {0, N / 2, N};
  const one_case c = {.type = GLA_TYPE_D};
  gla_context *ctx;
  gla_ranks *ranks;
  gla_ranks_info info = {.size = sizeof info};
  gla_status status = gla_context_create (&ctx);
  if (status == GLA_OK)
    status = gla_ranks_mpi (ctx, &ranks);
  if (status == GLA_OK)
    status = gla_ranks_query (ctx, ranks, &info);
  if (status == GLA_OK)
    status = gla_set_place (ctx, GLA_PLACE_GPU, NULL, 0);
  fake_cuda_answer = (fake_cuda_answers){.ones = 1};
  for (int k = 0; k < CALLS && status == GLA_OK && info.ranks == 2; k++)
    status = eigenvalues (ctx, ranks, &c, rows + info.rank);
  (void)gla_ranks_query (ctx, ranks, &info);
  printf ("rank %d: status %d \"%s\" by %s %s\n", info.rank, (int)status, gla_message (ctx),
          info.device_data, info.nccl);
  return status != GLA_OK;
}

// Whether this program with these arguments says that it is right.
static int itself (const char *program, const char *arguments)
{
  char command[6000];
  snprintf (command, sizeof command, "%s %s", program, arguments);
  return system (command) == 0;
}

int main (int argc, char **argv)
{
  fake_cuda_alike = fake_cuda_apart = 1;
  setenv ("OMP_NUM_THREADS", "1", 1);
  if (argc > 1 && strcmp (argv[1], "mpi") == 0)
    return one_of_mpi ();
  if (argc > 2)
    return check_library (argv[1], argv[2]);
  setenv ("GPULINALG_NCCL", "yes", 1);
  check_rows (&all);
  check_block ();
  check_counters ();
  check_alone ();
  check_silent ();
  check_faults ();
  check_cuda_failures (2);
  check_cuda_failures (3);
  check_stop ("");
  check_stop ("hang:0:9");
  CHECK (itself (argv[0], "/nowhere/libnccl.so.2 'rank 0: libnccl.so.2 cannot be opened'"),
         "no library");
  char other[4096];
  const char *slash = strrchr (argv[0], '/');
  snprintf (other, sizeof other, "%.*s/fake/libcuda.so.1 'rank 0: libnccl.so.2 lacks a function'",
            slash != NULL ? (int)(slash - argv[0]) : 1, slash != NULL ? argv[0] : ".");
  CHECK (itself (argv[0], other), "a function is missing");
  return check_report ("link_calls");
}
