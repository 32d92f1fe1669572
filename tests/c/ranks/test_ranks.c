// test_ranks.c: messages between ranks that are threads, how many and how long; arguments
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: cuda tsan

#include "small_calls.h"

//------------------------------------------------------------------------------
// messages and bytes
//------------------------------------------------------------------------------

static void gsvd_body (member *m)
{
  double a[M * N], b[M * N], u[M * N], v[M * N], x[N * N], alpha[N], beta[N];
  numbers (a, M * N, m->rank);
  numbers (b, M * N, 1000 + m->rank);
  const gla_array A = matrix (a, M, N), B = matrix (b, M, N);
  const gla_gsvd_results results = {.size = sizeof results,
                                    .alpha = matrix (alpha, N, 1),
                                    .beta = matrix (beta, N, 1),
                                    .U = matrix (u, M, N),
                                    .V = matrix (v, M, N),
                                    .X = matrix (x, N, N)};
  m->status = gla_gsvd_rows (m->ctx, m->ranks, &A, &B, &results, NULL, NULL);
}

// What all ranks send together: doc/scaling.md has these formulas. Each rank has more than 2*N
// rows. `up` and `down`: passes of the tree with so many numbers in each message; `spread`: bytes.
static void expect_traffic (int ranks, int up_passes, int64_t up, int64_t spread, int down_passes,
                            const char *what)
{
  const int64_t edges = ranks - 1, head = 256, card = 512;
  int64_t below = 0, sent = 0, received = 0, bytes = 0, bytes_in = 0;
  for (int r = 1; r < ranks; r++) {
    int64_t size = r & -r;
    below += size < ranks - r ? size : ranks - r;
  }
  for (int r = 0; r < ranks; r++) {
    sent += all.members[r].info.messages_sent;
    received += all.members[r].info.messages_received;
    bytes += all.members[r].info.bytes_sent;
    bytes_in += all.members[r].info.bytes_received;
  }
  const int64_t messages = edges * (2 + up_passes + 1 + down_passes + 2);
  const int64_t all_bytes = card * (below + ranks * edges) + edges * up_passes * (head + 8 * up) +
                            edges * (head + spread) + edges * down_passes * (head + 8 * N * N) +
                            2 * edges * head;
  CHECK (sent == messages && received == messages, "%s, %d ranks: %lld messages, expected %lld",
         what, ranks, (long long)sent, (long long)messages);
  CHECK (bytes == all_bytes && bytes_in == all_bytes, "%s, %d ranks: %lld bytes, expected %lld",
         what, ranks, (long long)bytes, (long long)all_bytes);
}

static void test_traffic (void)
{
  static const int counts[] = {1, 2, 3, 4, 7, 8, 13, 64, 100, 256, 512};
  const int64_t triangle = N * (N + 1) / 2;
  for (int k = 0; k < (SLOW ? 6 : 11); k++) {
    crew_run (&all, counts[k], qr_body, NULL);
    crew_expect (&all, GLA_OK, "", "qr");
    expect_traffic (counts[k], 1, triangle + N * RIGHT, 8 * (triangle + N * RIGHT), 1, "qr");
    if (counts[k] > 256) // they take seconds on two processors
      break;
    crew_run (&all, counts[k], ls_body, NULL);
    crew_expect (&all, GLA_OK, "", "least squares");
    expect_traffic (counts[k], 1, triangle + N * RIGHT,
                    8 * N * RIGHT + 4 + (int64_t)sizeof (gla_least_squares_report), 0,
                    "least squares");
    crew_run (&all, counts[k], gsvd_body, NULL);
    crew_expect (&all, GLA_OK, "", "gsvd");
    expect_traffic (counts[k], 2, triangle,
                    8 * (N * N + 2 * N) + 4 + (int64_t)sizeof (gla_gevd_report), 2, "gsvd");
  }
}

// Rows of the top that are not on rank 0 go up as they are: N rows of N numbers from rank 1 here.
static void top_body (member *m)
{
  double a[M * N], r[N * N];
  numbers (a, M * N, m->rank);
  const gla_array A = matrix (a, m->rank == 0 ? 0 : M, N);
  const gla_qr_results results = {.size = sizeof results, .R = matrix (r, N, N)};
  m->status = gla_qr_rows (m->ctx, m->ranks, &A, NULL, &results, NULL, NULL);
}

static void test_top (void)
{
  crew_run (&all, 2, top_body, NULL);
  crew_expect (&all, GLA_OK, "", "no rows on rank 0");
  const int64_t triangle = 8 * N * (N + 1) / 2;
  CHECK (all.members[1].info.bytes_sent == 512 + (256 + 8 * N * N + triangle) + 256,
         "rank 1 has sent %lld bytes", (long long)all.members[1].info.bytes_sent);
  CHECK (all.members[0].info.bytes_sent == 1024 + (256 + triangle) + 256,
         "rank 0 has sent %lld bytes", (long long)all.members[0].info.bytes_sent);
}

//------------------------------------------------------------------------------
// bytes from all to all
//------------------------------------------------------------------------------

// Rank r gives rank s (r * r + 3 * s) % 7 * unit bytes, whose values tell both ranks.
static int64_t given (int from, int to, int64_t unit)
{
  return (from * from + 3 * to) % 7 * unit;
}

static void all_to_all_body (member *m)
{
  const int64_t unit = *(const int64_t *)m->all->user;
  const int count = m->all->count;
  int64_t bytes[MOST_RANKS] = {0}, bytes_in[MOST_RANKS], all_bytes = 0, at = 0;
  for (int r = 0; r < count; r++)
    all_bytes += bytes[r] = given (m->rank, r, unit);
  unsigned char *data = calloc ((size_t)all_bytes + 1, 1), *received = NULL;
  for (int r = 0; r < count; r++)
    for (int64_t k = 0; k < bytes[r]; k++)
      data[at++] = (unsigned char)(5 * m->rank + 11 * r + k);
  m->status = gla_ranks_all_to_all (m->ctx, m->ranks, data, bytes, (void **)&received, bytes_in);
  m->good = m->status == GLA_OK;
  at = 0;
  for (int r = 0; r < count && m->good; r++) {
    m->good = bytes_in[r] == given (r, m->rank, unit);
    for (int64_t k = 0; k < bytes_in[r] && m->good; k++)
      m->good = received[at++] == (unsigned char)(5 * r + 11 * m->rank + k);
  }
  free (data);
  free (received);
}

// doc/scaling.md has this formula: messages of at most 1 MiB between each two ranks, and 8 bytes
// before.
static void test_all_to_all (void)
{
  static const int counts[] = {1, 2, 3, 4, 7, 16};
  static const int64_t units[] = {0, 1, 1000, 1 << 18};
  for (int k = 0; k < 6; k++)
    for (int u = 0; u < 4 - SLOW; u++) {
      // the meeting, the sum that tells of memory, and the end
      int64_t unit = units[u], sent = 0, expected = 6 * (counts[k] - 1);
      crew_run (&all, counts[k], all_to_all_body, &unit);
      crew_expect (&all, GLA_OK, "", "all to all");
      for (int r = 0; r < counts[k]; r++) {
        CHECK (all.members[r].good, "all to all: rank %d of %d, unit %lld", r, counts[k],
               (long long)unit);
        sent += all.members[r].info.messages_sent;
        for (int s = 0; s < counts[k]; s++)
          expected += r == s ? 0 : 1 + (given (r, s, unit) + (1 << 20) - 1) / (1 << 20);
      }
      CHECK (sent == expected, "%d ranks: %lld messages, expected %lld", counts[k], (long long)sent,
             (long long)expected);
    }
}

// What is wrong on one rank is an error on all.
static void wrong_body (member *m)
{
  const int kind = *(const int *)m->all->user, odd = m->rank == 1;
  int64_t bytes[3] = {0, 8, 8}, bytes_in[3];
  double data[2] = {1, 2};
  void *received = data;
  if (odd && kind == 1)
    bytes[2] = -1;
  m->status = gla_ranks_all_to_all (
      m->ctx, m->ranks, odd && kind == 0 ? NULL : data, odd && kind == 2 ? NULL : bytes,
      odd && kind == 3 ? NULL : &received, odd && kind == 4 ? NULL : bytes_in);
  m->good = (odd && kind == 3) || received == NULL;
}

static void test_wrong_bytes (void)
{
  static const char *const says[] = {
      "rank 1: data must not be NULL", "rank 1: bytes[2] must not be negative",
      "rank 1: bytes must not be NULL", "rank 1: received must not be NULL",
      "rank 1: bytes_in must not be NULL"};
  for (int kind = 0; kind < 5; kind++) {
    crew_run (&all, 3, wrong_body, &kind);
    crew_expect (&all, GLA_ERROR_BAD_ARGUMENT, says[kind], "all to all");
    for (int r = 0; r < 3; r++)
      CHECK (all.members[r].good, "all to all: rank %d has memory", r);
  }
}

//------------------------------------------------------------------------------
// a matrix of rank 0
//------------------------------------------------------------------------------

enum { WHOLE = 29 };

// Deals a matrix out, adds 1 to the parts, and collects them.
static void deal_body (member *m)
{
  double whole[WHOLE * N * 2], part[WHOLE * N * 2];
  const int64_t ranks = m->all->count, first = WHOLE * m->rank / ranks,
                rows = WHOLE * (m->rank + 1) / ranks - first;
  for (int k = 0; k < WHOLE * N * 2; k++)
    whole[k] = k;
  const gla_array W = gla_array_packed (whole, GLA_TYPE_D, WHOLE, N, 2, GLA_DEVICE_HOST),
                  P = gla_array_packed (part, GLA_TYPE_D, rows, N, 2, GLA_DEVICE_HOST);
  const gla_array *on_root = m->rank == 0 ? &W : NULL;
  m->status = gla_ranks_deal (m->ctx, m->ranks, on_root, &P);
  m->good = 1;
  for (int64_t k = 0; k < rows * N * 2; k++) {
    m->good &= part[k] == (double)(first + k % rows + k / rows * WHOLE);
    part[k] += 1;
  }
  if (m->status == GLA_OK)
    m->status = gla_ranks_collect (m->ctx, m->ranks, &P, on_root);
  for (int k = 0; k < WHOLE * N * 2 && m->rank == 0; k++)
    m->good &= whole[k] == k + 1;
}

// A rank has room for one row too few.
static void deal_wrong_body (member *m)
{
  double whole[8 * N], part[8 * N];
  const gla_array W = matrix (whole, 8, N), P = matrix (part, 2 - (m->rank == 2), N);
  numbers (whole, 8 * N, 1);
  m->status = gla_ranks_deal (m->ctx, m->ranks, m->rank == 0 ? &W : NULL, &P);
}

static void test_deal (void)
{
  for (int ranks = 1; ranks <= 40; ranks += 1 + ranks / 5) {
    crew_run (&all, ranks, deal_body, NULL);
    crew_expect (&all, GLA_OK, "", "deal");
    int64_t below = 0, bytes = 0;
    for (int r = 0; r < ranks; r++) {
      below += r == 0 ? 0 : (r & -r) < ranks - r ? r & -r : ranks - r;
      bytes += all.members[r].info.bytes_sent;
      CHECK (all.members[r].good, "deal: rank %d of %d has other numbers", r, ranks);
    }
    const int64_t edges = ranks - 1, away = WHOLE - WHOLE / ranks;
    const int64_t once =
        512 * (below + ranks * edges) + 256 * edges + 8 * N * 2 * away + 2 * 256 * edges;
    CHECK (bytes == 2 * once, "deal, %d ranks: %lld bytes, expected %lld", ranks, (long long)bytes,
           2 * (long long)once);
  }
  crew_run (&all, 4, deal_wrong_body, NULL);
  crew_expect (&all, GLA_ERROR_BAD_ARGUMENT, "rank 2: part has 1 rows, it must have 2 of 8",
               "deal");
}

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

static void test_arguments (void)
{
  gla_context *ctx;
  gla_ranks *one = NULL, *two[2] = {NULL, NULL};
  gla_ranks_info info = {.size = sizeof info};
  gla_ranks_parts parts = {.size = sizeof parts};
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_ranks_threads (ctx, 0, two) == GLA_ERROR_BAD_ARGUMENT, "no rank");
  CHECK (gla_ranks_threads (ctx, -1, two) == GLA_ERROR_BAD_ARGUMENT, "-1 ranks");
  CHECK (gla_ranks_threads (ctx, 2, NULL) == GLA_ERROR_BAD_ARGUMENT, "NULL");
  CHECK (gla_ranks_threads (NULL, 2, two) == GLA_ERROR_BAD_ARGUMENT, "no context");
  CHECK (gla_ranks_mpi (NULL, &one) == GLA_ERROR_BAD_ARGUMENT, "no context");
  CHECK (gla_ranks_mpi (ctx, NULL) == GLA_ERROR_BAD_ARGUMENT, "NULL");
  check_setenv ("GPULINALG_MPI_PLUGIN", "/nowhere/plugin.oct");
  CHECK (gla_ranks_mpi (ctx, &one) == GLA_ERROR_NO_MPI && one == NULL &&
             strstr (gla_message (ctx), "/nowhere/plugin.oct") != NULL,
         "no plugin: %s", gla_message (ctx));
  CHECK (gla_ranks_threads (ctx, 1, &one) == GLA_OK, "one rank");
  CHECK (gla_ranks_query (NULL, one, &info) == GLA_ERROR_BAD_ARGUMENT &&
             gla_ranks_query (ctx, NULL, &info) == GLA_ERROR_BAD_ARGUMENT &&
             gla_ranks_query (ctx, one, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "query");
  CHECK (gla_ranks_query (ctx, one, &info) == GLA_OK && info.ranks == 1 && info.local_ranks == 1 &&
             strcmp (info.transport, "threads") == 0,
         "query");
  CHECK (gla_ranks_announce (NULL, one, &parts) == GLA_ERROR_BAD_ARGUMENT &&
             gla_ranks_announce (ctx, NULL, &parts) == GLA_ERROR_BAD_ARGUMENT &&
             gla_ranks_announce (ctx, one, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "announce");
  CHECK (gla_ranks_refuse (NULL, one, GLA_ERROR_STOPPED, "") == GLA_ERROR_BAD_ARGUMENT &&
             gla_ranks_refuse (ctx, NULL, GLA_ERROR_STOPPED, "") == GLA_ERROR_BAD_ARGUMENT &&
             gla_ranks_refuse (ctx, one, GLA_OK, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "refuse");
  CHECK (gla_qr_rows (ctx, NULL, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "qr");
  CHECK (gla_qr_rows (ctx, one, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "qr");
  CHECK (gla_ranks_deal (ctx, one, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             gla_ranks_collect (ctx, one, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             gla_ranks_deal (NULL, one, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "deal");
  CHECK (gla_least_squares_rows (ctx, one, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "least squares");
  CHECK (gla_gsvd_rows (ctx, one, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "gsvd");
  CHECK (gla_gevd_rows (ctx, one, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "gevd");
  gla_ranks_destroy (one);
  gla_ranks_destroy (NULL);
  gla_context_destroy (ctx);
}

int main (void)
{
  test_traffic ();
  test_top ();
  test_all_to_all ();
  test_wrong_bytes ();
  test_deal ();
  test_arguments ();
  return check_report ("test_ranks");
}
