// factor_matrices.h: sparse Hermitian matrices with a known inertia, and residuals of solutions
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef FACTOR_MATRICES_H
#define FACTOR_MATRICES_H

#include "eigs_matrices.h"
#include "frame/long_sums.h"

//------------------------------------------------------------------------------
// matrices, beside those of eigs_matrices.h
//------------------------------------------------------------------------------

// In (0, 1), the same for (i, j) and (j, i).
static inline double pair_random (int64_t i, int64_t j, unsigned long long salt)
{
  unsigned long long seed = (unsigned long long)(i < j ? i * 1000003 + j : j * 1000003 + i) + salt;
  (void)check_random (&seed);
  (void)check_random (&seed);
  return 0.5 + 0.5 * check_random (&seed);
}

// Of modulus 1, Hermitian; real parts alone are kept by real types, so these get signs.
static inline double complex pair_phase (int64_t i, int64_t j)
{
  const double complex x = cexp (I * 6.28 * pair_random (i, j, 77));
  return i < j ? x : conj (x);
}

// Every seventh diagonal element is negative, and larger than the others of its row together: the
// discs of Gershgorin tell the inertia.
static inline double complex dominated (int64_t n, int64_t i, int64_t j)
{
  if (i == j)
    return (i % 7 == 3 ? -1 : 1) * (double)n;
  return pair_random (i, j, 5) < 0.03 ? pair_phase (i, j) : 0;
}

// D*T*D for a tridiagonal T with eigenvalues in (2, 6) and (-6, -2), and D from 1 down to 1e-6.
static inline double complex graded (int64_t n, int64_t i, int64_t j)
{
  const double d = pow (10, -6 * (double)(i + j) / (double)n);
  if (i == j)
    return (i % 3 == 1 ? -4 : 4) * d;
  return llabs (i - j) == 1 ? pair_phase (i, j) * d : 0;
}

// The same, from small to large.
static inline double complex ascending_grades (int64_t n, int64_t i, int64_t j)
{
  return graded (n, n - 1 - i, n - 1 - j);
}

// Different diagonal elements of both signs and full last rows and columns.
static inline double complex arrow (int64_t n, int64_t i, int64_t j)
{
  if (i == j)
    return i == n - 1 ? 0.3 : (double)i - (double)(n / 3) + 0.5;
  return i == n - 1 || j == n - 1 ? pair_phase (i, j) : 0;
}

// The dense row and column come first: all of the factor is filled.
static inline double complex arrow_first (int64_t n, int64_t i, int64_t j)
{
  return arrow (n, n - 1 - i, n - 1 - j);
}

// [H, B'; B, 0], H positive definite and B of full rank: as many negative eigenvalues as B has rows
static inline double complex saddle (int64_t n, int64_t i, int64_t j)
{
  const int64_t m = n - n / 3, row = i > j ? i : j, column = i > j ? j : i;
  if (row < m)
    return i == j ? 3 : row - column == 1 ? 1 : 0;
  if (column >= m)
    return 0;
  if (column == row - m)
    return 2 * pair_phase (i, j);
  return column == row - m + 1 ? 0.5 : 0;
}

// No diagonal, and dense: 2x2 pivots all along.
static inline double complex without_diagonal (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return i != j ? pair_phase (i, j) * pair_random (i, j, 9) : 0;
}

// Eigenvalues below 0 of these matrices, and of paths of even length.
static inline int64_t known_negative (element f, int64_t n)
{
  double rest = 0.3;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    if (f == dominated)
      count += i % 7 == 3;
    else if (f == graded || f == ascending_grades)
      count += i % 3 == 1;
    else if ((f == arrow || f == arrow_first) && i < n - 1) {
      const double d = (double)i - (double)(n / 3) + 0.5;
      count += d < 0;
      rest -= 1 / d; // the Schur complement, for elements of modulus 1
    }
  if (f == arrow || f == arrow_first)
    return count + (rest < 0);
  return f == saddle ? n / 3 : f == path || f == phases ? n / 2 : count;
}

// Off-diagonal elements of real types are to have the modulus of those of complex ones.
static inline matrix make_known (gla_type type, int64_t n, element f)
{
  matrix A = make (GLA_TYPE_Z, n, f, 1);
  if (type == GLA_TYPE_Z)
    return A;
  double complex *z = A.values;
  double *d = A.values; // element k is read before it is written
  for (int64_t k = 0; k < A.start[n]; k++) {
    const double complex x = z[k];
    d[k] = cimag (x) == 0 ? creal (x) : copysign (cabs (x), creal (x));
  }
  A.type = GLA_TYPE_D;
  return A;
}

//------------------------------------------------------------------------------
// residuals
//------------------------------------------------------------------------------

// The columns that gla_factor_create takes; 4 or 8 bytes for an index.
typedef struct {
  gla_csr csr;
  int32_t *start, *index;
} columns_of;

static inline columns_of to_columns (const matrix *A, int bytes)
{
  columns_of c = {{A->type, A->n, A->n, bytes, A->start, A->index, A->values}, NULL, NULL};
  if (bytes == 8)
    return c;
  const int64_t entries = A->start[A->n];
  c.start = malloc ((size_t)A->n * 4 + 4);
  c.index = malloc ((size_t)entries * 4 + 4);
  for (int64_t j = 0; j <= A->n; j++)
    c.start[j] = (int32_t)A->start[j];
  for (int64_t k = 0; k < entries; k++)
    c.index[k] = (int32_t)A->index[k];
  c.csr.start = c.start;
  c.csr.index = c.index;
  return c;
}

static inline void columns_free (columns_of *c)
{
  free (c->start);
  free (c->index);
}

// |(A - shift*I)*x - b| / (n eps |A - shift*I| |x|), in the largest element and the largest sum of
// a row, for one vector.
static inline double residual (const matrix *A, double shift, const void *x, const void *b)
{
  const int64_t n = A->n;
  wide *r = calloc ((size_t)n + 1, sizeof *r);
  double *sums = calloc ((size_t)n + 1, sizeof *sums), worst = 0, size = 0, norm = 0;
  for (int64_t j = 0; j < n; j++) {
    const wide xj = get (A->type, x, j);
    double complex at = -shift;
    for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) {
      const double complex a = get (A->type, A->values, k);
      r[A->index[k]] += a * xj;
      if (A->index[k] == j)
        at += a;
      else
        sums[A->index[k]] += cabs (a);
    }
    r[j] -= shift * xj;
    sums[j] += cabs (at);
    size = fmax (size, cabs ((double complex)xj));
  }
  for (int64_t i = 0; i < n; i++) {
    const wide difference = r[i] - get (A->type, b, i);
    worst = check_worst (worst, (double)wide_abs (difference));
    norm = fmax (norm, sums[i]);
  }
  free (r);
  free (sums);
  return worst == 0 ? 0 : worst / ((double)n * DBL_EPSILON * norm * size);
}

static inline void *right_sides (gla_type type, int64_t n, int64_t columns)
{
  unsigned long long seed = 11;
  void *b = malloc ((size_t)(n * columns) * gla_type_size (type) + 1);
  for (int64_t k = 0; k < n * columns; k++) {
    const double re = check_random (&seed), im = check_random (&seed);
    set (type, b, k, re + im * I);
  }
  return b;
}

#endif
