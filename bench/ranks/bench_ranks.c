// bench_ranks.c: times of QR, least squares and GSVD by rows on ranks that are threads
// SPDX-License-Identifier: GPL-3.0-or-later
//
// bench_ranks MOST [quick]: for 1, 2, 4, .. MOST ranks, each with one thread. "strong": so many
// rows in all; "weak": so many rows on each rank. The columns of the table: what, scaling, rows in
// all, columns, ranks, seconds of the slowest rank (the least of five), longest time that a rank
// waited for messages in that call. quick: fewer sizes, "strong" alone. Build it with make -C bench
// ranks.

#include "gpulinalg.h"
#include "threads/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, TURNS = 5 };
enum { QR, R_ALONE, SOLVE, GSVD, KINDS };
static const char *const names[KINDS] = {"qr", "r", "solve", "gsvd"};

typedef struct {
  gla_ranks *ranks;
  int64_t rows, columns;
  double seconds[KINDS][TURNS], waited[KINDS][TURNS];
} worker;

static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *numbers (int64_t count, unsigned long long seed)
{
  double *x = malloc ((size_t)count * sizeof *x + 1);
  for (int64_t k = 0; k < count && x != NULL; k++) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    x[k] = (double)(seed >> 11) * 0x1p-52 - 1;
  }
  return x;
}

static gla_array matrix (double *data, int64_t rows, int64_t columns)
{
  return gla_array_packed (data, GLA_TYPE_D, rows, columns, 1, GLA_DEVICE_HOST);
}

static gla_status call (gla_context *ctx, worker *w, int kind, double **x)
{
  const int64_t m = w->rows, n = w->columns;
  const gla_array A = matrix (x[0], m, n), B = matrix (x[1], m, n), b = matrix (x[1], m, 1);
  const gla_array Q = matrix (x[2], m, n), V = matrix (x[3], m, n), R = matrix (x[4], n, n);
  const gla_qr_results qr = {.size = sizeof qr, .Q = Q, .R = R};
  const gla_qr_results r = {.size = sizeof r, .R = R};
  const gla_least_squares_results ls = {.size = sizeof ls, .X = matrix (x[5], n, 1)};
  const gla_gsvd_results gsvd = {.size = sizeof gsvd,
                                 .alpha = matrix (x[5], n, 1),
                                 .beta = matrix (x[5] + n, n, 1),
                                 .U = Q,
                                 .V = V,
                                 .X = R};
  if (kind == QR)
    return gla_qr_rows (ctx, w->ranks, &A, NULL, &qr, NULL, NULL);
  if (kind == R_ALONE)
    return gla_qr_rows (ctx, w->ranks, &A, NULL, &r, NULL, NULL);
  if (kind == SOLVE)
    return gla_least_squares_rows (ctx, w->ranks, &A, &b, &ls, NULL, NULL);
  return gla_gsvd_rows (ctx, w->ranks, &A, &B, &gsvd, NULL, NULL);
}

static void *work (void *user)
{
  worker *w = user;
  gla_context *ctx;
  gla_pool_share (1);
  if (gla_context_create (&ctx) != GLA_OK || gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) != GLA_OK)
    abort ();
  const int64_t whole = w->rows * w->columns, square = w->columns * w->columns;
  double *x[6] = {numbers (whole, 1), numbers (whole, 2),  numbers (whole, 3),
                  numbers (whole, 4), numbers (square, 5), numbers (2 * w->columns, 6)};
  for (int kind = 0; kind < KINDS; kind++)
    for (int k = 0; k < TURNS; k++) {
      gla_ranks_parts parts = {.size = sizeof parts};
      gla_ranks_info before = {.size = sizeof before}, after = {.size = sizeof after};
      gla_ranks_announce (ctx, w->ranks, &parts); // all begin together
      gla_ranks_query (ctx, w->ranks, &before);
      const double start = now ();
      if (call (ctx, w, kind, x) != GLA_OK) {
        fprintf (stderr, "bench_ranks: %s: %s\n", names[kind], gla_message (ctx));
        abort ();
      }
      w->seconds[kind][k] = now () - start;
      gla_ranks_query (ctx, w->ranks, &after);
      w->waited[kind][k] = after.seconds_waited - before.seconds_waited;
    }
  for (int k = 0; k < 6; k++)
    free (x[k]);
  gla_ranks_destroy (w->ranks);
  gla_context_destroy (ctx);
  return NULL;
}

static void measure (const char *scaling, int64_t rows, int64_t columns, int count)
{
  static worker workers[MOST];
  gla_ranks *ranks[MOST];
  pthread_t threads[MOST];
  gla_context *ctx;
  if (gla_context_create (&ctx) != GLA_OK || gla_ranks_threads (ctx, count, ranks) != GLA_OK)
    abort ();
  for (int r = 0; r < count; r++) {
    workers[r].ranks = ranks[r];
    workers[r].columns = columns;
    workers[r].rows = rows * (r + 1) / count - rows * r / count;
    pthread_create (&threads[r], NULL, work, &workers[r]);
  }
  for (int r = 0; r < count; r++)
    pthread_join (threads[r], NULL);
  gla_context_destroy (ctx);
  for (int kind = 0; kind < KINDS; kind++) {
    double best = 1e300, waited = 0;
    for (int k = 0; k < TURNS; k++) {
      double slowest = 0, longest = 0;
      for (int r = 0; r < count; r++) {
        slowest = workers[r].seconds[kind][k] > slowest ? workers[r].seconds[kind][k] : slowest;
        longest = workers[r].waited[kind][k] > longest ? workers[r].waited[kind][k] : longest;
      }
      if (slowest < best) {
        best = slowest;
        waited = longest;
      }
    }
    printf ("%s\t%s\t%lld\t%lld\t%d\t%.6f\t%.6f\n", names[kind], scaling, (long long)rows,
            (long long)columns, count, best, waited);
    fflush (stdout);
  }
}

int main (int count, char **args)
{
  static const int64_t sizes[][2] = {{1600, 4},    {100000, 16},  {1000000, 16},
                                     {400000, 64}, {200000, 128}, {100000, 256}};
  const int most = count > 1 ? atoi (args[1]) : 1;
  if (most < 1 || most > MOST) {
    fprintf (stderr, "bench_ranks: the number of ranks must be 1 to %d\n", (int)MOST);
    return 1;
  }
  const int quick = count > 2;
  for (int s = 0; s < (quick ? 4 : 6); s++)
    for (int ranks = 1; ranks <= most; ranks *= 2) {
      measure ("strong", sizes[s][0], sizes[s][1], ranks);
      if (ranks > 1 && !quick)
        measure ("weak", sizes[s][0] / most * ranks, sizes[s][1], ranks);
    }
  return 0;
}
