// bench_gsvd_gpus.c: one pair of gla_gsvd on one GPU and shared by several, from arrays of the host
// SPDX-License-Identifier: GPL-3.0-or-later
//
// bench_gsvd_gpus [GPUS [MOST [TYPES [LEAST [METHOD]]]]]: square random pairs of order LEAST
// (1024), twice that .. MOST (8192), types dz, methods "tangent" and "hz" or one of them, all five
// outputs, on the first GPU and on the first 2, 4, .. GPUS (2) of them. Memory for the results is
// new in each call, and huge pages are asked for, as Octave's functions do. The columns of the
// table: GPUs, type, order, method, milliseconds of the call (the least of up to three), of what
// comes before the sweeps (with the copies of A and B), of all sweeps, of what comes behind them,
// number of sweeps, the time of one GPU over this one, and whether all bits are those of one GPU.
// The sweeps are timed as they are reported: what comes before them is the time to the end of the
// first one less the mean of the others. Build it with make -C bench gpus.

#include "gpulinalg.h"
#include "common/huge_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { A, B, ALPHA, BETA, U, V, X, ARRAYS };

typedef struct {
  double begun, first, last, ended;
  int sweeps;
} times;

static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void swept (void *user, int64_t done, int64_t total, int sweeps)
{
  times *t = user;
  (void)done, (void)total;
  t->last = now ();
  if (sweeps == 1)
    t->first = t->last;
  t->sweeps = sweeps;
}

static void fail (const char *what)
{
  fprintf (stderr, "bench_gsvd_gpus: %s\n", what);
  exit (1);
}

static gla_array matrix (gla_type type, int64_t rows, int64_t columns)
{
  void *data = huge_memory ((size_t)(rows * columns) * gla_type_size (type));
  if (data == NULL)
    fail ("out of memory");
  return gla_array_packed (data, type, rows, columns, 1, GLA_DEVICE_HOST);
}

static void fill (gla_array *a, unsigned long long seed)
{
  const int64_t count = a->rows * a->columns * (gla_type_is_complex (a->type) ? 2 : 1);
  double *x = a->data;
  for (int64_t k = 0; k < count; k++) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    x[k] = (double)(seed >> 11) * 0x1p-52 - 1;
  }
}

static void new_results (gla_array *a, gla_type type, int64_t n)
{
  for (int k = ALPHA; k < ARRAYS; k++)
    a[k] = matrix (k < U ? gla_type_real (type) : type, n, k < U ? 1 : n);
}

static void free_results (gla_array *a)
{
  for (int k = ALPHA; k < ARRAYS; k++)
    free (a[k].data);
}

static times call (gla_context *ctx, gla_array *a, gla_gsvd_method method)
{
  times t = {0};
  const gla_gsvd_results results = {
      .size = sizeof results, .alpha = a[ALPHA], .beta = a[BETA], .U = a[U], .V = a[V], .X = a[X]};
  const gla_gsvd_options options = {.size = sizeof options, .method = method};
  gla_gsvd_report report = {.base.size = sizeof report};
  gla_set_sweeps (ctx, swept, &t);
  t.begun = now ();
  const gla_status status = gla_gsvd (ctx, &a[A], &a[B], &results, &options, &report);
  t.ended = now ();
  if (status != GLA_OK || report.base.pages_failed > 0 || report.base.device != 0)
    fail (status != GLA_OK ? gla_message (ctx) : "the pair was not solved on a GPU");
  return t;
}

// The best of some calls; the results of the last one stay in `a`.
static times best_of (gla_context *ctx, gla_array *a, gla_gsvd_method method)
{
  const int64_t n = a[A].rows;
  const int calls = n <= 4096 ? 3 : n <= 6144 ? 2 : 1;
  times best = {.ended = 1e9};
  for (int k = 0; k < calls; k++) {
    new_results (a, a[A].type, n);
    const times t = call (ctx, a, method);
    if (t.ended - t.begun < best.ended - best.begun)
      best = t;
    if (k < calls - 1)
      free_results (a);
  }
  return best;
}

static const char *name_of (int method)
{
  return method == GLA_GSVD_METHOD_HZ ? "hz" : "tangent";
}

static void print (const gla_array *a, int gpus, gla_gsvd_method method, const times *t, double one,
                   int same)
{
  const double sweep = t->sweeps > 1 ? (t->last - t->first) / (t->sweeps - 1) : 0;
  printf ("%d\t%c\t%lld\t%s\t%.4g\t%.4g\t%.4g\t%.4g\t%d\t%.2f\t%d\n", gpus, (char)a[A].type,
          (long long)a[A].rows, name_of (method), 1e3 * (t->ended - t->begun),
          1e3 * (t->first - sweep - t->begun), 1e3 * (t->last - t->first + sweep),
          1e3 * (t->ended - t->last), t->sweeps, one / (t->ended - t->begun), same);
  fflush (stdout);
}

static void compare (gla_context *ctx, gla_type type, int64_t n, int gpus, gla_gsvd_method method)
{
  static const int devices[] = {0, 1, 2, 3, 4, 5, 6, 7};
  gla_array one[ARRAYS], all[ARRAYS];
  one[A] = matrix (type, n, n);
  one[B] = matrix (type, n, n);
  fill (&one[A], 1);
  fill (&one[B], 2);
  double seconds = 0;
  for (int g = 1; g <= gpus; g *= 2) {
    gla_array *a = g == 1 ? one : all;
    int same = 1;
    all[A] = one[A];
    all[B] = one[B];
    if (gla_set_place (ctx, GLA_PLACE_LIST, devices, g) != GLA_OK)
      fail (gla_message (ctx));
    const times t = best_of (ctx, a, method);
    if (g == 1)
      seconds = t.ended - t.begun;
    for (int k = ALPHA; k < ARRAYS; k++)
      same &= memcmp (a[k].data, one[k].data,
                      (size_t)(a[k].rows * a[k].columns) * gla_type_size (a[k].type)) == 0;
    print (a, g, method, &t, seconds, same);
    if (g > 1)
      free_results (all);
  }
  free_results (one);
  free (one[A].data);
  free (one[B].data);
}

int main (int argc, char **argv)
{
  const int gpus = argc > 1 ? atoi (argv[1]) : 2;
  const int64_t most = argc > 2 ? atoi (argv[2]) : 8192;
  const int64_t least = argc > 4 ? atoi (argv[4]) : 1024;
  gla_context *ctx;
  if (gpus < 1 || gpus > 8 || least < 1 || gla_context_create (&ctx) != GLA_OK)
    fail ("GPUS is a number from 1 to 8, LEAST at least 1");
  printf ("gpus\ttype\tn\tmethod\tms\tbefore\tsweeps_ms\tbehind\tsweeps\tratio\tsame_bits\n");
  for (int64_t n = least; n <= most; n *= 2)
    for (const char *type = argc > 3 ? argv[3] : "dz"; *type != '\0'; type++)
      for (int method = GLA_GSVD_METHOD_TANGENT; method >= GLA_GSVD_METHOD_HZ; method--)
        if (argc < 6 || strcmp (argv[5], name_of (method)) == 0)
          compare (ctx, (gla_type)*type, n, gpus, (gla_gsvd_method)method);
  gla_context_destroy (ctx);
  return 0;
}
