// team_pair.h: the arrays of a pair of matrices, and how well it was solved
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef TEAM_PAIR_H
#define TEAM_PAIR_H

#include "backend.h"
#include "frame/check.h"
#include "gsvd/job.h"

#include <complex.h>

typedef struct {
  int64_t m, n, p;
  int block, members;
  gla_gsvd_method method;
  gla_gsvd_ordering ordering;
  gla_gsvd_blocking blocking;
} team_case;

// All arrays of a call, and what came of it.
enum { PAGES = 2 }; // at most
typedef struct {
  gla_gsvd_chunk chunk;
  gla_gsvd_stats stats[PAGES];
  int32_t info;
  int32_t infos[PAGES];
} pair;

static gla_array new_array (gla_type type, int64_t rows, int64_t columns, int64_t pages)
{
  void *data = calloc ((size_t)(rows * columns * pages), gla_type_size (type));
  return gla_array_packed (data, type, rows, columns, pages, GLA_DEVICE_HOST);
}

static size_t bytes_of (const gla_array *a)
{
  return (size_t)(a->rows * a->columns * a->pages) * gla_type_size (a->type);
}

static void fill (gla_array *a, unsigned long long seed)
{
  const int64_t count = a->rows * a->columns * a->pages * (gla_type_is_complex (a->type) ? 2 : 1);
  for (int64_t k = 0; k < count; k++)
    if (gla_type_real (a->type) == GLA_TYPE_D)
      ((double *)a->data)[k] = check_random (&seed);
    else
      ((float *)a->data)[k] = (float)check_random (&seed);
}

static double complex get (const gla_array *a, int64_t i, int64_t j)
{
  const int64_t k = j * a->rows + i;
  switch (a->type) {
  case GLA_TYPE_S:
    return ((float *)a->data)[k];
  case GLA_TYPE_D:
    return ((double *)a->data)[k];
  case GLA_TYPE_C:
    return ((float complex *)a->data)[k];
  default:
    return ((double complex *)a->data)[k];
  }
}

static pair new_pairs (const team_case *c, gla_type type, int64_t pages)
{
  const gla_type real = gla_type_real (type);
  pair q = {.info = -7};
  q.chunk.A = new_array (type, c->m, c->p, pages);
  q.chunk.B = new_array (type, c->n, c->p, pages);
  q.chunk.alpha = new_array (real, c->p, 1, pages);
  q.chunk.beta = new_array (real, c->p, 1, pages);
  q.chunk.U = new_array (type, c->m, c->p, pages);
  q.chunk.V = new_array (type, c->n, c->p, pages);
  q.chunk.X = new_array (type, c->p, c->p, pages);
  fill (&q.chunk.A, 1);
  fill (&q.chunk.B, 2);
  return q;
}

static pair new_pair (const team_case *c, gla_type type)
{
  return new_pairs (c, type, 1);
}

static void release (pair *q)
{
  for (int k = 0; k < 7; k++)
    free (q->chunk.arrays[k].data);
}

// |A x - U diag (c) X' x| / |A x|, for one x.
static double residual (const gla_array *A, const gla_array *U, const gla_array *c,
                        const gla_array *X)
{
  double complex *y = calloc ((size_t)X->columns, sizeof *y);
  double off = 0, norm = 0;
  for (int64_t j = 0; j < X->columns; j++)
    for (int64_t i = 0; i < X->rows; i++)
      y[j] += conj (get (X, i, j)) * (1 - (double)(i % 7) / 3) * get (c, j, 0);
  double complex *left = calloc ((size_t)A->rows, sizeof *left), *right;
  right = calloc ((size_t)A->rows, sizeof *right);
  for (int64_t j = 0; j < A->columns; j++)
    for (int64_t i = 0; i < A->rows; i++) {
      left[i] += get (A, i, j) * (1 - (double)(j % 7) / 3);
      right[i] += get (U, i, j) * y[j];
    }
  for (int64_t i = 0; i < A->rows; i++) {
    norm += creal (left[i] * conj (left[i]));
    off += creal ((left[i] - right[i]) * conj (left[i] - right[i]));
  }
  free (y);
  free (left);
  free (right);
  return sqrt (off / norm);
}

// |x - U'U x| / |x| for one x.
static double loss (const gla_array *U)
{
  double complex *y = calloc ((size_t)U->rows, sizeof *y);
  double off = 0, norm = 0;
  for (int64_t j = 0; j < U->columns; j++)
    for (int64_t i = 0; i < U->rows; i++)
      y[i] += get (U, i, j) * (1 - (double)(j % 7) / 3);
  for (int64_t j = 0; j < U->columns; j++) {
    double complex left = 1 - (double)(j % 7) / 3;
    norm += creal (left * conj (left));
    for (int64_t i = 0; i < U->rows; i++)
      left -= conj (get (U, i, j)) * y[i];
    off += creal (left * conj (left));
  }
  free (y);
  return sqrt (off / norm);
}

#endif
