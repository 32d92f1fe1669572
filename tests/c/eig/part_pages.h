// part_pages.h: Hermitian pages of many kinds, and errors of their eigenvectors
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PART_PAGES_H
#define PART_PAGES_H

#include "device/gpu_pages.h"

//------------------------------------------------------------------------------
// pages with eigenvalues 1 to n, and eigenvectors compared
//------------------------------------------------------------------------------

// A = H*diag (1:n)*H with a reflector H = I - 2*u*u', another one on each page.
static inline void make_known (gla_array *A)
{
  const int64_t n = A->rows;
  double complex *u = malloc ((size_t)n * sizeof *u);
  for (int64_t p = 0; p < A->pages; p++) {
    unsigned long long seed = (unsigned long long)(1000 * n + p);
    double sum = 0, middle = 0;
    for (int64_t i = 0; i < n; i++) {
      const double re = check_random (&seed), im = check_random (&seed);
      u[i] = gla_type_is_complex (A->type) ? re + im * I : re;
      sum += creal (u[i] * conj (u[i]));
    }
    for (int64_t i = 0; i < n; i++) {
      u[i] /= sqrt (sum);
      middle += (double)(i + 1) * creal (u[i] * conj (u[i]));
    }
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = j; i < n; i++) {
        const double factor = 4 * middle - 2 * (double)(i + j + 2);
        const double complex x = factor * u[i] * conj (u[j]) + (i == j ? (double)(i + 1) : 0);
        set (A, i, j, p, i == j ? creal (x) : x);
        set (A, j, i, p, i == j ? creal (x) : conj (x));
      }
  }
  free (u);
}

// Whether the first of the largest components is real and positive.
static inline int has_phase (const gla_array *V, int64_t j, int64_t p)
{
  double most = 0;
  int64_t first = 0;
  for (int64_t i = 0; i < V->rows; i++)
    most = fmax (most, cabs (get (V, i, j, p)));
  while (cabs (get (V, first, j, p)) < 0.999 * most)
    first++;
  const double complex x = get (V, first, j, p);
  return cimag (x) == 0 && creal (x) > 0;
}

// The largest difference of two columns, or 0 where the choice of the component is close.
static inline double difference (const gla_array *V, const gla_array *W, int64_t j, int64_t p)
{
  double most = 0, worst = 0;
  for (int64_t i = 0; i < V->rows; i++)
    most = fmax (most, cabs (get (V, i, j, p)));
  for (int64_t i = 0; i < V->rows; i++) {
    if (fabs (cabs (get (V, i, j, p)) / most - 0.999) < 1e-4)
      return 0;
    worst = check_worst (worst, cabs (get (V, i, j, p) - get (W, i, j, p)));
  }
  return worst;
}

//------------------------------------------------------------------------------
// pages of all kinds, and the ratios of some of their eigenvectors
//------------------------------------------------------------------------------

enum { PAGES = 5 };
typedef enum {
  KNOWN,
  RANDOM,
  IDENTITY,
  ZERO,
  ONES,
  CLUSTERS,
  COUPLED,
  FAILING,
  KINDS
} kind_of_pages;

typedef struct {
  gla_type type;
  int64_t n, il, iu;
  kind_of_pages kind;
} part_case;

static inline const char *name_of (const part_case *c)
{
  static char text[80];
  snprintf (text, sizeof text, "%c n %lld kind %d, %lld to %lld", (char)c->type, (long long)c->n,
            (int)c->kind, (long long)c->il, (long long)c->iu);
  return text;
}

static inline double complex entry (const part_case *c, int64_t i, int64_t j, double complex x)
{
  switch (c->kind) {
  case IDENTITY:
    return i == j;
  case ZERO:
    return 0;
  case ONES:
    return 1;
  case CLUSTERS: // a few eigenvalues, each many times, but for rounding
    return (i == j ? (double)(i % 3) : 0) + gla_type_eps (c->type) * x;
  case COUPLED: // pairs of rows, coupled so little that inverse iteration fails for many a column
    return i - j != 1 ? 0 : j % 2 == 0 ? 1 : 0.75 * gla_type_eps (c->type);
  default:
    return x;
  }
}

static inline void fill_pages (const part_case *c, gla_array *A)
{
  if (c->kind == KNOWN) {
    make_known (A);
    return;
  }
  for (int64_t p = 0; p < A->pages; p++) {
    unsigned long long seed = (unsigned long long)(77 * c->n + p);
    for (int64_t j = 0; j < c->n; j++)
      for (int64_t i = j; i < c->n; i++) {
        const double re = check_random (&seed), im = check_random (&seed);
        double complex x = gla_type_is_complex (c->type) && i > j ? re + im * I : re;
        x = entry (c, i, j, x);
        set (A, i, j, p, x);
        set (A, j, i, p, conj (x));
      }
  }
  if (c->kind == FAILING)
    set (A, c->n - 1, 0, 1, NAN);
}

// Whether a page is NaN from column j on.
static inline int is_nan_behind (const gla_array *l, const gla_array *V, int64_t j, int64_t p)
{
  for (; j < V->columns; j++) {
    if (!isnan (creal (get (l, j, 0, p))))
      return 0;
    for (int64_t i = 0; i < V->rows; i++)
      if (!isnan (creal (get (V, i, j, p))))
        return 0;
  }
  return 1;
}

// |A v - lambda v| and |V'V - I| of column j of a page.
static inline double ratio_of (const part_case *c, const gla_array *A, const gla_array *l,
                               const gla_array *V, int64_t j, int64_t p)
{
  double norm = 0, residual = 0, worst = 0;
  for (int64_t i = 0; i < c->n; i++) {
    double complex r = -get (l, j, 0, p) * get (V, i, j, p);
    for (int64_t k = 0; k < c->n; k++) {
      const double complex a = get (A, k, i, p); // of the column, whose adjoint is the row
      r += conj (a) * get (V, k, j, p);
      norm += creal (a * conj (a));
    }
    residual += creal (r * conj (r));
    if (isnan (creal (r)))
      residual = INFINITY;
  }
  for (int64_t m = 0; m <= j; m++) {
    double complex dot = j == m ? -1 : 0;
    for (int64_t i = 0; i < c->n; i++)
      dot += conj (get (V, i, m, p)) * get (V, i, j, p);
    worst = check_worst (worst, cabs (dot));
  }
  if (norm > 0)
    worst = check_worst (worst, sqrt (residual / norm));
  return worst / ((double)c->n * gla_type_eps (c->type));
}

#endif
