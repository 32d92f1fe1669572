// stop.c: the C library with a stop callback: a call that ends when its time is over
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   cc stop.c $(pkg-config --cflags --libs gpulinalg)

#include "gpulinalg.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now (void)
{
  struct timespec t;
  timespec_get (&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// `user` is the time at which the work shall end.
static int time_is_over (void *user)
{
  return now () >= *(const double *)user;
}

static void show (void *user, int64_t done, int64_t total)
{
  int64_t *last = user;
  if (done > *last)
    fprintf (stderr, "%lld of %lld pages\n", (long long)done, (long long)total);
  *last = done;
}

int main (void)
{
  enum { N = 200, PAGES = 400 };
  double *A = calloc ((size_t)N * N * PAGES, sizeof *A), *lambda = malloc (sizeof *A * N * PAGES);
  gla_context *ctx = NULL;
  if (A == NULL || lambda == NULL || gla_context_create (&ctx) != GLA_OK)
    return 1;
  for (int64_t p = 0; p < PAGES; p++)
    for (int64_t i = 0; i < N; i++)
      for (int64_t j = 0; j < N; j++)
        A[(p * N + j) * N + i] = (double)((i * j + i + j + p) % 7); // symmetric
  const gla_array a = gla_array_packed (A, GLA_TYPE_D, N, N, PAGES, GLA_DEVICE_HOST);
  gla_eig_results results = {.size = sizeof results};
  results.lambda = gla_array_packed (lambda, GLA_TYPE_D, N, 1, PAGES, GLA_DEVICE_HOST);

  double end = now () + 0.05;
  int64_t last = 0;
  gla_set_stop (ctx, time_is_over, &end);
  gla_set_progress (ctx, show, &last);
  const gla_status status = gla_batcheig (ctx, &a, &results, NULL, NULL);
  if (status == GLA_ERROR_STOPPED)
    printf ("stopped: lambda is undefined\n");
  else
    printf ("%s\n", gla_status_text (status));
  gla_context_destroy (ctx); // or another call: a context may be used after any status
  free (A);
  free (lambda);
  return status != GLA_OK && status != GLA_ERROR_STOPPED;
}
