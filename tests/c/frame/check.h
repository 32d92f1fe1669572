// check.h: counts checks; the residual of a page
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef CHECK_H
#define CHECK_H

#include "gpulinalg.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_passed, n_failed;

// One check; `what` (printf style) identifies it in the output.
#define CHECK(ok, ...)                                                                             \
  do {                                                                                             \
    if (ok) {                                                                                      \
      n_passed++;                                                                                  \
    } else {                                                                                       \
      n_failed++;                                                                                  \
      printf ("FAILED %s:%d: ", __FILE__, __LINE__);                                               \
      printf (__VA_ARGS__);                                                                        \
      printf ("\n");                                                                               \
    }                                                                                              \
  } while (0)

// For this process; "" removes the variable.
static inline void check_setenv (const char *name, const char *value)
{
#if defined(_WIN32)
  _putenv_s (name, value);
#else
  if (*value == '\0')
    unsetenv (name);
  else
    setenv (name, value, 1);
#endif
}

// A call with an argument that it must not take; `says` is a part of the message.
static inline void check_refused (const gla_context *ctx, gla_status status, const char *says)
{
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), says) != NULL,
         "%s: status %d, \"%s\"", says, (int)status, gla_message (ctx));
}

static inline int check_report (const char *name)
{
  printf ("%s: %d passed, %d failed, 0 skipped\n", name, n_passed, n_failed);
  return n_failed > 0;
}

// The larger of both; infinite if x is NaN, which fmax would ignore.
static inline double check_worst (double worst, double x)
{
  return isnan (x) ? INFINITY : fmax (worst, x);
}

// Uniform in (-1, 1), the same on every machine.
static inline double check_random (unsigned long long *state)
{
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

// Fills packed Hermitian n x n pages of type z.
static inline void check_fill (double complex *A, int64_t n, int64_t pages, unsigned long long seed)
{
  for (int64_t p = 0; p < pages; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = j; i < n; i++) {
        double re = check_random (&seed), im = check_random (&seed);
        A[p * n * n + j * n + i] = re + (i == j ? 0 : im * I);
        A[p * n * n + i * n + j] = re - (i == j ? 0 : im * I);
      }
}

// The larger of |A V - V D|/(|A| n eps) and |V'V - I|/(n eps), in the largest entry; infinite when
// something is NaN or the eigenvalues do not ascend. Leading dimension ld for V.
static inline double check_ratio (const double complex *A, const double complex *V,
                                  const double *lambda, int64_t n, int64_t ld, int64_t inc)
{
  double norm = DBL_MIN, worst = 0;
  for (int64_t q = 0; q < n * n; q++)
    norm = fmax (norm, cabs (A[q]));
  for (int64_t j = 0; j < n; j++) {
    if (j > 0 && !(lambda[(j - 1) * inc] <= lambda[j * inc]))
      return INFINITY;
    for (int64_t i = 0; i < n; i++) {
      double complex r = -V[j * ld + i] * lambda[j * inc], o = i == j ? -1 : 0;
      for (int64_t k = 0; k < n; k++) {
        r += A[k * n + i] * V[j * ld + k];
        o += conj (V[i * ld + k]) * V[j * ld + k];
      }
      worst = check_worst (check_worst (worst, cabs (r) / norm), cabs (o));
    }
  }
  return worst / ((double)n * DBL_EPSILON);
}

#endif
