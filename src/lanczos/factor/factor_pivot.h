// factor_pivot.h: the diagonal block of a panel as P'*L*D*L'*P, of one type
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Diagonal pivoting after Bunch and Kaufman 1977, without blocks; only the lower triangle is read.

#ifndef GPULINALG_FACTOR_FACTOR_PIVOT_H
#define GPULINALG_FACTOR_FACTOR_PIVOT_H

#include "common/scalar.h"

#include <complex.h>
#include <math.h>

// Returns |re| + |im|, which is |a| to within sqrt (2), and |a|.
static inline double scalar_size (scalar a)
{
  return GLA_COMPLEX ? fabs (__real__ a) + fabs (__imag__ a) : fabs (__real__ a);
}

static inline double scalar_modulus (scalar a)
{
#if GLA_COMPLEX
  return cabs (a);
#else
  return fabs (a);
#endif
}

// Exchanges rows and columns p < q of the remaining matrix from column `from` on, and rows of L.
static void exchange (int n, scalar *a, int64_t ld, int p, int q)
{
  for (int j = 0; j < p; j++) {
    const scalar x = a[p + j * ld];
    a[p + j * ld] = a[q + j * ld];
    a[q + j * ld] = x;
  }
  const scalar diagonal = a[p + p * ld];
  a[p + p * ld] = a[q + q * ld];
  a[q + q * ld] = diagonal;
  for (int i = p + 1; i < q; i++) {
    const scalar x = a[i + p * ld];
    a[i + p * ld] = scalar_conj (a[q + i * ld]);
    a[q + i * ld] = scalar_conj (x);
  }
  a[q + p * ld] = scalar_conj (a[q + p * ld]);
  for (int i = q + 1; i < n; i++) {
    const scalar x = a[i + p * ld];
    a[i + p * ld] = a[i + q * ld];
    a[i + q * ld] = x;
  }
}

// Returns the largest of |a(i,k)| for i > k, and its row.
static double largest_below (int n, const scalar *a, int64_t ld, int k, int *row)
{
  double largest = 0;
  *row = k;
  for (int i = k + 1; i < n; i++) {
    const double x = scalar_size (a[i + k * ld]);
    if (x > largest) {
      largest = x;
      *row = i;
    }
  }
  return largest;
}

// Returns the order of the next pivot, 1 or 2, and the row that moves to its last place; 0 if there
// is none.
static int choose_pivot (int n, const scalar *a, int64_t ld, int k, double smallest, int *take)
{
  const double alpha = 0.6403882032022076; // (1 + sqrt (17)) / 8
  const double here = fabs (__real__ a[k + k * ld]);
  int row, other;
  const double below = largest_below (n, a, ld, k, &row);
  *take = k;
  if (!(here > smallest || below > smallest))
    return 0;
  if (here >= alpha * below)
    return 1;
  double across = largest_below (n, a, ld, row, &other);
  for (int j = k; j < row; j++)
    across = fmax (across, scalar_size (a[row + j * ld]));
  if (here * across >= alpha * below * below)
    return 1;
  *take = row;
  return fabs (__real__ a[row + row * ld]) >= alpha * across ? 1 : 2;
}

static void eliminate_one (int n, scalar *a, int64_t ld, int k, double d)
{
  for (int j = k + 1; j < n; j++) {
    const scalar l = scalar_conj (a[j + k * ld]) / d;
    for (int i = j; i < n; i++)
      a[i + j * ld] -= a[i + k * ld] * l;
  }
  for (int i = k + 1; i < n; i++)
    a[i + k * ld] /= d;
}

// Sets [g1, g2] = [w1, w2] * [d1, conj (e); e, d2]^-1, scaled by e as in LAPACK.
static inline void divide_pair (scalar w1, scalar w2, double d1, double d2, scalar e, scalar *g1,
                                scalar *g2)
{
  const double size = scalar_modulus (e), s1 = d1 / size, s2 = d2 / size;
  const scalar u = e / size;
  const double factor = 1 / (s1 * s2 - 1) / size;
  *g1 = (w1 * s2 - w2 * u) * factor;
  *g2 = (w2 * s1 - w1 * scalar_conj (u)) * factor;
}

static void eliminate_two (int n, scalar *a, int64_t ld, int k, double d1, double d2, scalar e)
{
  scalar *w1 = a + k * ld, *w2 = a + (k + 1) * ld;
  for (int j = k + 2; j < n; j++) {
    scalar l1, l2;
    divide_pair (w1[j], w2[j], d1, d2, e, &l1, &l2);
    for (int i = j; i < n; i++)
      a[i + j * ld] -= w1[i] * scalar_conj (l1) + w2[i] * scalar_conj (l2);
    w1[j] = l1; // rows above j are not read again
    w2[j] = l2;
  }
}

// Replaces the block by L; column k of it comes from column swaps[k]. Returns 0 if there is no
// pivot.
static int pivot_block (int n, scalar *a, int64_t ld, double smallest, int32_t *swaps, double *d,
                        scalar *e, int64_t *negative)
{
  for (int i = 0; i < n; i++) {
    swaps[i] = i;
    e[i] = 0;
  }
  for (int k = 0; k < n;) {
    int take;
    const int size = choose_pivot (n, a, ld, k, smallest, &take);
    const int to = k + size - 1;
    if (size == 0)
      return 0;
    if (take != to) {
      exchange (n, a, ld, to, take);
      const int32_t swap = swaps[to];
      swaps[to] = swaps[take];
      swaps[take] = swap;
    }
    d[k] = __real__ a[k + k * ld];
    if (size == 1) {
      *negative += d[k] < 0;
      eliminate_one (n, a, ld, k, d[k]);
    } else {
      d[k + 1] = __real__ a[k + 1 + (k + 1) * ld];
      e[k] = a[k + 1 + k * ld];
      a[k + 1 + k * ld] = 0;
      *negative += 1; // of a pair that was taken because its diagonal is small
      eliminate_two (n, a, ld, k, d[k], d[k + 1], e[k]);
    }
    k += size;
  }
  return 1;
}

#endif
