// known_pages.h: Hermitian pages with eigenvalues 1 to n, and eigenvectors compared
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef KNOWN_PAGES_H
#define KNOWN_PAGES_H

#include "device/gpu_pages.h"

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

#endif
