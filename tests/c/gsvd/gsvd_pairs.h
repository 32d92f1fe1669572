// gsvd_pairs.h: random pairs of given ranks, and hard pairs, for the tests of the GSVD
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GSVD_PAIRS_H
#define GSVD_PAIRS_H

#include "gsvd_page.h"

// The sanitizers make everything slow, so they get fewer cases.
#ifdef __SANITIZE_ADDRESS__
enum { STEP = 4 };
#else
enum { STEP = 1 };
#endif
static inline double complex random_entry (unsigned long long *seed)
{
  const double re = check_random (seed), im = check_random (seed);
  return re + im * I;
}

// a = L * M * R with L rows x rank, M rank x common, and the same R common x p for both.
static inline void fill_rank (const gsvd_page *g, int of_b, int rank, int common)
{
  const gla_array *a = &g->a[of_b ? GSVD_B : GSVD_A];
  const int rows = (int)a->rows, p = (int)a->columns;
  unsigned long long seed = 5 + (unsigned)of_b, seed_r = 3;
  double complex *L = calloc ((size_t)(rows * rank + 1), sizeof *L),
                 *M = calloc ((size_t)(rank * common + 1), sizeof *M),
                 *R = calloc ((size_t)(common * p + 1), sizeof *R);
  for (int k = 0; k < rows * rank; k++)
    L[k] = random_entry (&seed);
  for (int k = 0; k < rank * common; k++)
    M[k] = random_entry (&seed);
  for (int k = 0; k < common * p; k++)
    R[k] = random_entry (&seed_r);
  if (!gla_type_is_complex (
          g->call.type)) { // multiply real parts; do not drop imaginary parts later
    for (int k = 0; k < rows * rank; k++)
      L[k] = creal (L[k]);
    for (int k = 0; k < rank * common; k++)
      M[k] = creal (M[k]);
    for (int k = 0; k < common * p; k++)
      R[k] = creal (R[k]);
  }
  for (int page = 0; page < g->call.pages; page++)
    for (int j = 0; j < p; j++) {
      double complex *mr = calloc ((size_t)rank + 1, sizeof *mr);
      for (int k = 0; k < rank; k++)
        for (int l = 0; l < common; l++)
          mr[k] += M[k + l * rank] * R[l + j * common];
      for (int i = 0; i < rows; i++) {
        double complex x = 0;
        for (int k = 0; k < rank; k++)
          x += L[i + k * rows] * mr[k];
        gsvd_set (a, i, j, page, x);
      }
      free (mr);
    }
  free (L);
  free (M);
  free (R);
}

static inline void fill_random (const gsvd_page *g, unsigned long long seed)
{
  for (int x = GSVD_A; x <= GSVD_B; x++)
    for (int page = 0; page < g->call.pages; page++)
      for (int j = 0; j < g->a[x].columns; j++)
        for (int i = 0; i < g->a[x].rows; i++)
          gsvd_set (&g->a[x], i, j, page, random_entry (&seed));
}

static inline gsvd_call call_of (gla_type type, int m, int n, int p, gla_gsvd_method method)
{
  return (gsvd_call){.type = type,
                     .m = m,
                     .n = n,
                     .p = p,
                     .pages = 1,
                     .gap = 3,
                     .u = 2,
                     .v = 2,
                     .x = 1,
                     .options = {.method = method}};
}
//------------------------------------------------------------------------------
// hard pairs
//------------------------------------------------------------------------------

typedef enum {
  RANDOM,
  GRADED_A,
  GRADED_B,
  GRADED_BOTH,
  GRADED_APART, // sigma over 25 decades
  GRADED_WIDELY,
  GRADED_FAR, // values whose squares begin to underflow
  ILL_X,
  PARALLEL,
  SAME,
  HUGE_A,
  TINY_A,
  HUGE_BOTH,
  TINY_BOTH,
  ZERO_COLUMN,
  KINDS
} kind_of_pair;

// Factor of column j of A, and of B.
static inline double column_factor (kind_of_pair kind, int of_b, int j, const gsvd_call *c)
{
  const int single = gla_type_real (c->type) == GLA_TYPE_S;
  const double t = c->p > 1 ? (double)j / (c->p - 1) : 0;
  switch (kind) {
  case GRADED_A:
    return of_b ? 1 : pow (10, (single ? 6 : 12) * t);
  case GRADED_B:
    return of_b ? pow (10, (single ? -6 : -12) * t) : 1;
  case GRADED_BOTH:
    return pow (10, (single ? 12 : 24) * (t - 0.5));
  case GRADED_APART:
    return pow (10, (of_b ? -1 : 1) * (single ? 5 : 12.5) * (t - 0.5));
  case GRADED_WIDELY:
    return pow (10, (single ? 50 : 580) * (t - 0.5));
  case GRADED_FAR:
    return of_b ? 1 : pow (10, (single ? -8.8 : -119) * t);
  case HUGE_A:
    return of_b ? 1 : single ? 1e18 : 1e150;
  case TINY_A:
    return of_b ? 1 : single ? 1e-18 : 1e-150;
  case HUGE_BOTH:
    return single ? 1e18 : 1e150;
  case TINY_BOTH:
    return single ? 1e-18 : 1e-150;
  default:
    return 1;
  }
}

// All columns are nearly parallel to the first.
static inline void bend (const gla_array *a, double apart)
{
  for (int j = 1; j < a->columns; j++)
    for (int i = 0; i < a->rows; i++)
      gsvd_set (a, i, j, 0, gsvd_get (a, i, 0, 0) + apart * gsvd_get (a, i, j, 0));
}

static inline void fill_hard (const gsvd_page *g, kind_of_pair kind)
{
  const gsvd_call *c = &g->call;
  const int single = gla_type_real (c->type) == GLA_TYPE_S;
  fill_random (g, 11 + (unsigned)c->p);
  if (kind == ILL_X || kind == PARALLEL)
    bend (&g->a[GSVD_B], kind == ILL_X ? (single ? 1e-3 : 1e-8) : (single ? 1e-2 : 1e-4));
  if (kind == ILL_X)
    bend (&g->a[GSVD_A], single ? 1e-3 : 1e-8);
  for (int x = GSVD_A; x <= GSVD_B; x++)
    for (int j = 0; j < c->p; j++)
      for (int i = 0; i < g->a[x].rows; i++) {
        const double complex e = kind == SAME && i < g->a[0].rows ? gsvd_get (&g->a[0], i, j, 0)
                                                                  : gsvd_get (&g->a[x], i, j, 0);
        const int zero = kind == ZERO_COLUMN && x == GSVD_A && j == c->p / 2;
        gsvd_set (&g->a[x], i, j, 0, zero ? 0 : e * column_factor (kind, x == GSVD_B, j, c));
      }
}

#endif
