// fun_kernels.c: eigenvectors times values of functions, of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type of V and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "common/types.h"

#include "fun.h"

#include <string.h>

//------------------------------------------------------------------------------
// factors of a product
//------------------------------------------------------------------------------

// Sets y = x*(re - im*i) for a column of x.
static inline __attribute__ ((always_inline)) void
turn_column (const real *restrict x, real *restrict y, int wide, int64_t n, real re, real im)
{
  if (!GLA_COMPLEX && !wide) {
    for (int64_t i = 0; i < n; i++)
      y[i] = x[i] * re;
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    const real a = x[GLA_PARTS * i], b = GLA_COMPLEX ? x[GLA_PARTS * i + GLA_COMPLEX] : 0;
    y[2 * i] = GLA_COMPLEX ? a * re + b * im : a * re;
    y[2 * i + 1] = GLA_COMPLEX ? b * re - a * im : -a * im;
  }
}

static void factors (const void *V, int64_t ldv, void *X, void *Y, int wide, int64_t n,
                     const gla_fun_value *values)
{
  const int64_t step = n * GLA_PARTS, step_y = GLA_COMPLEX || wide ? 2 * n : n;
  real *x = X, *y = Y;
  for (int64_t j = 0; j < n; j++) {
    const real root = (real)values[j].root, *v = (const real *)V + j * ldv * GLA_PARTS;
    for (int64_t i = 0; i < step; i++)
      x[j * step + i] = v[i] * root;
    if (y != NULL)
      turn_column (x + j * step, y + j * step_y, wide, n, (real)values[j].re,
                   (real)(wide ? -values[j].im : values[j].im)); // conj (Y) of real V
  }
}

//------------------------------------------------------------------------------
// small pages
//------------------------------------------------------------------------------

enum { MOST = GLA_CPU_FUN_SMALL, ROWS = MOST * GLA_PARTS };

// A column of a small page, and 0 below its last row.
typedef real column __attribute__ ((vector_size (ROWS * sizeof (real)), may_alias));

// X, X times -i, and Y with real and imaginary parts.
typedef struct {
  real x[MOST][ROWS], turned[MOST][ROWS], y[MOST][2 * MOST];
} __attribute__ ((aligned (64))) small_factors;

static inline __attribute__ ((always_inline)) void
small_factor (int n, const real *v, const gla_fun_value *values, small_factors *s)
{
  if (n < MOST)
    memset (s, 0, sizeof *s);
  for (int j = 0; j < n; j++) {
    const real root = (real)values[j].root;
    for (int i = 0; i < n * GLA_PARTS; i++)
      s->x[j][i] = v[i + j * n * GLA_PARTS] * root;
    for (int i = 0; GLA_COMPLEX && i < n; i++) {
      s->turned[j][2 * i] = s->x[j][2 * i + 1];
      s->turned[j][2 * i + 1] = -s->x[j][2 * i];
    }
    turn_column (s->x[j], s->y[j], 1, n, (real)values[j].re, (real)values[j].im);
  }
}

// Computes column k of X*Y'. Sums that an element and its mirror image have in common have the same
// bits, and so do those that cancel.
static inline __attribute__ ((always_inline)) void small_column (int n, const small_factors *s,
                                                                 int k, int wide, real *f)
{
  column sum = {0}, turned = {0};
  for (int j = 0; j < n; j++) {
    const column x = *(const column *)s->x[j];
    sum += x * s->y[j][2 * k];
    if (GLA_COMPLEX)
      turned += *(const column *)s->turned[j] * s->y[j][2 * k + 1];
    else if (wide)
      turned -= x * s->y[j][2 * k + 1];
  }
  if (GLA_COMPLEX)
    sum += turned;
  if (GLA_COMPLEX || !wide)
    memcpy (f, &sum, (size_t)n * GLA_PARTS * sizeof (real));
  else
    for (int i = 0; i < n; i++) {
      f[2 * i] = sum[i];
      f[2 * i + 1] = turned[i];
    }
}

static inline __attribute__ ((always_inline)) void
small_page (int n, const real *v, real *f, int64_t ldf, int wide, const gla_fun_value *values)
{
  small_factors s;
  small_factor (n, v, values, &s);
  for (int k = 0; k < n; k++)
    small_column (n, &s, k, wide, f + k * ldf * (wide ? 2 : 1));
}

static void page (const void *V, void *F, int64_t ldf, int wide, int64_t n,
                  const gla_fun_value *values)
{
  const real *v = V;
  real *f = F;
  wide |= GLA_COMPLEX;
  // sizes and types that are constants where they are inlined
  if (n == 4 && wide)
    small_page (4, v, f, ldf, 1, values);
  else if (n == 4)
    small_page (4, v, f, ldf, 0, values);
  else if (n == 3 && wide)
    small_page (3, v, f, ldf, 1, values);
  else if (n == 3)
    small_page (3, v, f, ldf, 0, values);
  else if (n == 2 && wide)
    small_page (2, v, f, ldf, 1, values);
  else if (n == 2)
    small_page (2, v, f, ldf, 0, values);
  else
    small_page (1, v, f, ldf, wide, values);
}

const gla_cpu_fun_kernel GLA_KERNEL_TABLE (fun) = {factors, page};
