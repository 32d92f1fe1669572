// lanczos_vector.h: single vectors of the basis, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_LANCZOS_VECTOR_H
#define GPULINALG_CPU_LANCZOS_VECTOR_H

#include "common/random.h"
#include "common/types.h"

#include "lanczos.h"
#include "lanczos_sweep.h"

#include <math.h>

// A pass over the chunks of a few vectors: w, and a*v + b*u.
typedef struct {
  const gla_cpu_krylov *k;
  real *w;
  real a;
  const real *v;
  real b;
  const real *u;
} terms;

// Chunks in one piece of such a pass.
enum { CHUNKS_OF_SUM = 16 };

static int64_t chunks_from (const terms *t, int64_t piece)
{
  const int64_t end = (piece + 1) * CHUNKS_OF_SUM;
  return end < t->k->chunks ? end : t->k->chunks;
}

static void run_terms (const terms *t, int64_t columns, gla_pool_work work)
{
  const int64_t pieces = (t->k->chunks + CHUNKS_OF_SUM - 1) / CHUNKS_OF_SUM;
  gla_cpu_krylov_for ((gla_cpu_krylov *)t->k, columns, pieces, work, (void *)t);
}

// The same, and the sum of what the chunks give, in their order
static double sum_terms (const terms *t, int64_t columns, gla_pool_work work)
{
  const real *parts = t->k->chunked;
  double sum = 0;
  run_terms (t, columns, work);
  for (int64_t c = 0; c < t->k->chunks; c++)
    sum += (double)parts[c];
  gla_cpu_krylov_add ((gla_cpu_krylov *)t->k, &sum, 1);
  return sum;
}

typedef struct {
  const gla_cpu_krylov *k;
  int64_t j;
  uint64_t seed;
} filling;

static void fill_piece (void *user, int64_t piece, int slot)
{
  (void)slot;
  const filling *f = user;
  const gla_krylov_ranks *ranks = f->k->job.ranks;
  const int64_t n = f->k->job.n, rows = CHUNKS_OF_SUM * GLA_KRYLOV_ROWS;
  const int64_t end = (piece + 1) * rows < n ? (piece + 1) * rows : n;
  const int64_t at = ranks != NULL ? f->j * ranks->order + ranks->before : f->j * n;
  real *v = basis_column (f->k, f->j);
  for (int64_t i = piece * rows; i < end; i++) {
    v[i * GLA_PARTS] = (real)gla_krylov_random (f->seed, (uint64_t)(at + i));
#if GLA_COMPLEX
    v[2 * i + 1] = (real)gla_krylov_random (f->seed ^ GLA_IMAGINARY_SEED, (uint64_t)(at + i));
#endif
  }
}

static void fill_random (gla_cpu_krylov *k, int64_t j, uint64_t seed)
{
  const int64_t rows = CHUNKS_OF_SUM * GLA_KRYLOV_ROWS;
  filling f = {k, j, seed};
  gla_cpu_krylov_for (k, 1, (k->job.n + rows - 1) / rows, fill_piece, &f);
}

typedef struct {
  gla_cpu_krylov *k;
  real *v;
  double factor;
} scaling;

static void scale_piece (void *user, int64_t piece, int slot)
{
  (void)slot;
  const scaling *s = user;
  const int64_t length = CHUNKS_OF_SUM * GLA_KRYLOV_ROWS * GLA_PARTS;
  const int64_t all = s->k->job.n * GLA_PARTS, first = piece * length;
  const int64_t end = first + length < all ? first + length : all;
  real *v = s->v;
  const double factor = s->factor;
  for (int64_t i = first; i < end; i++)
    v[i] = (real)(v[i] * factor);
}

static void scale_column (gla_cpu_krylov *k, real *v, double factor)
{
  const int64_t rows = CHUNKS_OF_SUM * GLA_KRYLOV_ROWS;
  scaling s = {k, v, factor};
  gla_cpu_krylov_for (k, 1, (k->job.n + rows - 1) / rows, scale_piece, &s);
}

static void dot_piece (void *user, int64_t piece, int slot)
{
  (void)slot;
  const terms *t = user;
  const int64_t end = chunks_from (t, piece);
  const real *v = t->v, *w = t->w;
  for (int64_t c = piece * CHUNKS_OF_SUM; c < end; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    const int64_t last = first + rows_of_chunk (t->k, c) * GLA_PARTS;
    real here[4] = {0};
    int64_t i = first;
    for (; i + 4 <= last; i += 4)
      for (int u = 0; u < 4; u++)
        here[u] += v[i + u] * w[i + u];
    for (; i < last; i++)
      here[0] += v[i] * w[i];
    ((real *)t->k->chunked)[c] = (here[0] + here[1]) + (here[2] + here[3]);
  }
}

// The real part of v'*w, by chunks in their order
static double dot (gla_cpu_krylov *k, const real *v, const real *w)
{
  const terms t = {k, (real *)w, 0, v, 0, NULL};
  return sum_terms (&t, 2, dot_piece);
}

static void three_terms_piece (void *user, int64_t piece, int slot)
{
  (void)slot;
  const terms *t = user;
  const int64_t end = chunks_from (t, piece);
  const real a = t->a, b = t->b, *v = t->v, *u = t->u;
  real *w = t->w;
  for (int64_t c = piece * CHUNKS_OF_SUM; c < end; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    const int64_t last = first + rows_of_chunk (t->k, c) * GLA_PARTS;
    real here[4] = {0};
    for (int64_t i = first; i < last; i++) {
      w[i] -= a * v[i] + b * u[i];
      here[i % 4] += w[i] * w[i];
    }
    ((real *)t->k->chunked)[c] = (here[0] + here[1]) + (here[2] + here[3]);
  }
}

// w -= alpha*v + beta*u; returns the norm of w, by chunks in their order
static double three_terms (const gla_cpu_krylov *k, real *w, double alpha, const real *v,
                           double beta, const real *u)
{
  const terms t = {k, w, (real)alpha, v, (real)beta, u};
  return sqrt (sum_terms (&t, 3, three_terms_piece));
}

#endif
