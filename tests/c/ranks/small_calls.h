// small_calls.h: small calls of ranks that are threads
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SMALL_CALLS_H
#define SMALL_CALLS_H

#include "crew.h"
#include "ranks/group.h"

enum { M = 12, N = 3, RIGHT = 2 };
static crew all;

static double numbers (double *x, int count, int seed)
{
  unsigned long long state = (unsigned long long)seed + 1;
  for (int k = 0; k < count; k++)
    x[k] = check_random (&state);
  return x[0];
}

static gla_array matrix (double *data, int64_t rows, int64_t columns)
{
  return gla_array_packed (data, GLA_TYPE_D, rows, columns, 1, GLA_DEVICE_HOST);
}

static void qr_body (member *m)
{
  double a[M * N], b[M * RIGHT], q[M * N], r[N * N], c[N * RIGHT];
  numbers (a, M * N, m->rank);
  numbers (b, M * RIGHT, 1000 + m->rank);
  const gla_array A = matrix (a, M, N), B = matrix (b, M, RIGHT);
  const gla_qr_results results = {.size = sizeof results,
                                  .Q = matrix (q, M, N),
                                  .R = matrix (r, N, N),
                                  .C = matrix (c, N, RIGHT)};
  m->status = gla_qr_rows (m->ctx, m->ranks, &A, &B, &results, NULL, NULL);
}

static void ls_body (member *m)
{
  double a[M * N], b[M * RIGHT], x[N * RIGHT];
  numbers (a, M * N, m->rank);
  numbers (b, M * RIGHT, 1000 + m->rank);
  const gla_array A = matrix (a, M, N), B = matrix (b, M, RIGHT);
  const gla_least_squares_results results = {.size = sizeof results, .X = matrix (x, N, RIGHT)};
  m->status = gla_least_squares_rows (m->ctx, m->ranks, &A, &B, &results, NULL, NULL);
}

#endif
