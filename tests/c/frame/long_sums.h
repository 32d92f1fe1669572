// long_sums.h: sums of products in long double
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef LONG_SUMS_H
#define LONG_SUMS_H

#include "gpulinalg.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef long double complex wide;

// Squares of doubles are in the range of long double, so this needs no scaling as cabsl does.
static inline long double wide_abs (wide x)
{
  return sqrtl (creall (x) * creall (x) + cimagl (x) * cimagl (x));
}

// Vectors of n numbers each, real and imaginary parts apart, because sums of products of complex
// numbers are slow in C.
typedef struct {
  int64_t n;
  double *re, *im;
} vectors;

static inline vectors vectors_new (int64_t n, int64_t count)
{
  const size_t bytes = (size_t)(n * count + 1) * sizeof (double);
  return (vectors){n, malloc (bytes), malloc (bytes)};
}

static inline void vectors_free (vectors v)
{
  free (v.re);
  free (v.im);
}

static inline void vectors_set (vectors v, int64_t k, int64_t i, double complex x)
{
  v.re[k * v.n + i] = creal (x);
  v.im[k * v.n + i] = cimag (x);
}

// The columns of a page, or with `rows` its rows; conjugated or not. Elements are read by `at`.
static inline vectors vectors_of (const gla_array *a, int64_t page, int rows, int conjugated,
                                  double complex (*at) (const gla_array *, int64_t, int64_t,
                                                        int64_t))
{
  const vectors v = rows ? vectors_new (a->columns, a->rows) : vectors_new (a->rows, a->columns);
  for (int64_t j = 0; j < a->columns; j++)
    for (int64_t i = 0; i < a->rows; i++) {
      const double complex x = at (a, i, j, page);
      vectors_set (v, rows ? i : j, rows ? j : i, conjugated ? conj (x) : x);
    }
  return v;
}

// A sum of products in four parts, which the processor adds at the same time. Sanitizers leave it
// out: under them it took more than 40 % of the time of a suite, and it reads numbers of the tests
// alone.
__attribute__ ((no_sanitize ("address"), no_sanitize ("undefined"))) static long double
real_sum (int64_t count, const double *a, const double *b)
{
  long double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int64_t k = 0;
  for (; k + 4 <= count; k += 4) {
    s0 += (long double)a[k] * b[k];
    s1 += (long double)a[k + 1] * b[k + 1];
    s2 += (long double)a[k + 2] * b[k + 2];
    s3 += (long double)a[k + 3] * b[k + 3];
  }
  for (; k < count; k++)
    s0 += (long double)a[k] * b[k];
  return (s0 + s1) + (s2 + s3);
}

// The sum of the products of the first `count` elements of vector i of a and vector j of b.
static inline wide sum_of_first (int64_t count, vectors a, int64_t i, vectors b, int64_t j,
                                 int is_complex)
{
  const double *ar = a.re + i * a.n, *ai = a.im + i * a.n;
  const double *br = b.re + j * b.n, *bi = b.im + j * b.n;
  if (!is_complex)
    return real_sum (count, ar, br);
  const long double re = real_sum (count, ar, br) - real_sum (count, ai, bi);
  const long double im = real_sum (count, ar, bi) + real_sum (count, ai, br);
  return re + im * I;
}

static inline wide sum_of_products (vectors a, int64_t i, vectors b, int64_t j, int is_complex)
{
  return sum_of_first (a.n, a, i, b, j, is_complex);
}

#endif
