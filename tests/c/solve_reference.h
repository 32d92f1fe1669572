// tests/c/solve_reference.h: backward errors of systems, and condition numbers, in long double
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SOLVE_REFERENCE_H
#define SOLVE_REFERENCE_H

#include "page_arrays.h"

typedef long double complex wide;

// Element of op (a).
static inline wide element (const gla_array *a, char op, int64_t i, int64_t j, int64_t p)
{
  const double complex x = op == 'N' ? get (a, i, j, p) : get (a, j, i, p);
  return op == 'C' ? conj (x) : x;
}

static inline double norm_1 (const gla_array *a, char op, int64_t p)
{
  const int64_t m = op == 'N' ? a->rows : a->columns, n = op == 'N' ? a->columns : a->rows;
  long double norm = 0;
  for (int64_t j = 0; j < n; j++) {
    long double sum = 0;
    for (int64_t i = 0; i < m; i++)
      sum += cabsl (element (a, op, i, j, p));
    norm = fmaxl (norm, sum);
  }
  return (double)norm;
}

// How a system is meant: X is page p, made of page a of A and b of B.
typedef struct {
  const gla_array *A, *B, *X;
  char op;
  gla_side side;
  int64_t a, b, p;
} solved_page;

// Element (i, c) of X or B as columns, on both sides.
static inline wide column_element (const gla_array *x, gla_side side, int64_t i, int64_t c,
                                   int64_t p)
{
  return side == GLA_SIDE_LEFT ? get (x, i, c, p) : get (x, c, i, p);
}

// Element of the matrix that is solved with, op (A) or its transpose.
static inline wide matrix_element (const solved_page *s, int64_t i, int64_t j)
{
  return s->side == GLA_SIDE_LEFT ? element (s->A, s->op, i, j, s->a)
                                  : element (s->A, s->op, j, i, s->a);
}

// Largest |B - A*x| of column c over n*eps*|A|*|x|, in the Inf-norm or, with `by_element`, for each
// element by itself.
static inline double column_ratio (const solved_page *s, int64_t c, int by_element)
{
  const int64_t n = s->A->rows;
  const long double unit = (long double)n * gla_type_eps (s->X->type);
  long double norm = 0, largest = 0, worst = 0, off = 0;
  for (int64_t i = 0; i < n; i++) {
    wide r = column_element (s->B, s->side, i, c, s->b);
    long double size = 0, sum = 0;
    for (int64_t j = 0; j < n; j++) {
      const wide a = matrix_element (s, i, j), x = column_element (s->X, s->side, j, c, s->p);
      r -= a * x;
      size += cabsl (a) * cabsl (x);
      sum += cabsl (a);
    }
    if (isnan (cabsl (r)))
      return INFINITY;
    norm = fmaxl (norm, sum);
    off = fmaxl (off, cabsl (r));
    largest = fmaxl (largest, cabsl (column_element (s->X, s->side, i, c, s->p)));
    // what is below the range has no relative accuracy
    const long double least =
        gla_type_real (s->X->type) == GLA_TYPE_S ? (long double)FLT_MIN : (long double)DBL_MIN;
    worst = fmaxl (worst, cabsl (r) / (unit * size + least));
  }
  if (by_element)
    return (double)worst;
  return off == 0 ? 0 : (double)(off / (unit * norm * largest));
}

static inline double page_ratio (const solved_page *s, int by_element)
{
  const int64_t columns = s->side == GLA_SIDE_LEFT ? s->X->columns : s->X->rows;
  double worst = 0;
  for (int64_t c = 0; c < columns; c++)
    worst = check_worst (worst, column_ratio (s, c, by_element));
  return worst;
}

// The smaller of |I - A*X| and |I - X*A| over n*eps*|A|*|X|, 1-norms.
static inline double inverse_ratio (const gla_array *A, char op, const gla_array *X, int64_t p)
{
  const int64_t n = A->rows;
  long double worst[2] = {0, 0};
  for (int64_t j = 0; j < n; j++) {
    long double sum[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
      wide left = i == j, right = i == j;
      for (int64_t k = 0; k < n; k++) {
        left -= element (A, op, i, k, p) * get (X, k, j, p);
        right -= get (X, i, k, p) * element (A, op, k, j, p);
      }
      sum[0] += cabsl (left);
      sum[1] += cabsl (right);
    }
    if (isnan (sum[0]) || isnan (sum[1]))
      return INFINITY;
    worst[0] = fmaxl (worst[0], sum[0]);
    worst[1] = fmaxl (worst[1], sum[1]);
  }
  const long double size = (long double)norm_1 (A, op, p) * norm_1 (X, 'N', p);
  return (double)(fminl (worst[0], worst[1]) / ((long double)n * gla_type_eps (X->type) * size));
}

// 1 / (|A| |A^-1|) in the 1-norm of the matrix that is solved with, by Gauss and Jordan.
static inline double true_rcond (const solved_page *s)
{
  const int64_t n = s->A->rows;
  wide *a = malloc ((size_t)(2 * n * n) * sizeof *a);
  long double norm = 0, inverse = 0;
  for (int64_t j = 0; j < n; j++) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) {
      a[i + j * n] = matrix_element (s, i, j);
      a[i + (n + j) * n] = i == j;
      sum += cabsl (a[i + j * n]);
    }
    norm = fmaxl (norm, sum);
  }
  for (int64_t k = 0; k < n; k++) {
    int64_t best = k;
    for (int64_t i = k; i < n; i++)
      best = cabsl (a[i + k * n]) > cabsl (a[best + k * n]) ? i : best;
    for (int64_t j = 0; j < 2 * n; j++) {
      const wide x = a[best + j * n];
      a[best + j * n] = a[k + j * n];
      a[k + j * n] = x;
    }
    for (int64_t j = 2 * n - 1; j >= k; j--)
      a[k + j * n] /= a[k + k * n];
    for (int64_t j = 2 * n - 1; j > k; j--)
      for (int64_t i = 0; i < n; i++)
        if (i != k)
          a[i + j * n] -= a[i + k * n] * a[k + j * n];
  }
  for (int64_t j = n; j < 2 * n; j++) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
      sum += cabsl (a[i + j * n]);
    inverse = fmaxl (inverse, sum);
  }
  free (a);
  return (double)(1 / (norm * inverse));
}

#endif
