// tests/c/long_sums.h: sums of products in long double
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef LONG_SUMS_H
#define LONG_SUMS_H

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

// The sum of the products of the first `count` elements of vector i of a and vector j of b.
static inline wide sum_of_first (int64_t count, vectors a, int64_t i, vectors b, int64_t j,
                                 int is_complex)
{
  const double *ar = a.re + i * a.n, *ai = a.im + i * a.n;
  const double *br = b.re + j * b.n, *bi = b.im + j * b.n;
  long double re = 0, im = 0;
  for (int64_t k = 0; k < count; k++)
    re += (long double)ar[k] * br[k];
  for (int64_t k = 0; is_complex && k < count; k++) {
    re -= (long double)ai[k] * bi[k];
    im += (long double)ar[k] * bi[k] + (long double)ai[k] * br[k];
  }
  return re + im * I;
}

static inline wide sum_of_products (vectors a, int64_t i, vectors b, int64_t j, int is_complex)
{
  return sum_of_first (a.n, a, i, b, j, is_complex);
}

#endif
