// pairs_read.h: reads pages of A and B: whether they are finite and Hermitian, scaled
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows and columns of a pencil may be scaled by powers of two, D*A*D and D*B*D, which changes no
// bit of the factors. It is done if numbers might leave the range of the type, so that pages of any
// size are solved.

#ifndef GPULINALG_CPU_PAIRS_READ_H
#define GPULINALG_CPU_PAIRS_READ_H

#include "common/scalar.h"
#include "cpu/common/exponent.h"
#include "cpu/common/minmax.h"

#include "pairs.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Exponents up to these, either sign, need no scaling: of entries of A and of the diagonal of B,
// and of the diagonal of L, which may have lost all digits but one.
enum {
  PENCIL_USUAL = GLA_SINGLE ? 24 : 200,
  PENCIL_USUAL_ROOT = PENCIL_USUAL / 2 + GLA_FRACTION / 2 + 1
};

// Squares of pages that are read with their mirror images at a time.
enum { READ_TILE = 16 };

static inline scalar element_at (const real *a, int64_t ld, int64_t i, int64_t j)
{
  const real *x = a + (i + j * ld) * GLA_PARTS;
  return scalar_make (x[0], GLA_COMPLEX ? x[GLA_PARTS - 1] : 0);
}

// Returns the address of a page of an array.
static inline real *page_at (const gla_array *a, int64_t page)
{
  return (real *)a->data + page * a->page_stride * GLA_PARTS;
}

//------------------------------------------------------------------------------
// what a page holds
//------------------------------------------------------------------------------

// Returns the bits of the largest entry that is read.
static bits largest_read (const real *a, int64_t ld, int64_t n, gla_triangle triangle)
{
  bits m = 0;
  for (int64_t j = 0; j < n; j++) {
    const int64_t first = triangle == GLA_TRIANGLE_LOWER ? j : 0;
    const int64_t end = triangle == GLA_TRIANGLE_UPPER ? j + 1 : n;
    const real *column = a + j * ld * GLA_PARTS;
    if (triangle == GLA_TRIANGLE_FULL) {
      m = largest_of (column, n * GLA_PARTS, m);
      continue;
    }
    // imaginary parts on the diagonal are not read
    m = largest_of (column + j * GLA_PARTS, 1, m);
    if (triangle == GLA_TRIANGLE_LOWER)
      m = largest_of (column + (first + 1) * GLA_PARTS, (n - first - 1) * GLA_PARTS, m);
    else
      m = largest_of (column, (end - 1) * GLA_PARTS, m);
  }
  return m;
}

// Returns the exponent of |x| > 0, whatever its size.
static inline int exponent_in (real x)
{
  return ilogb ((double)x);
}

static inline int is_usual (real x)
{
  return x >= power_of_two (-(int)PENCIL_USUAL) && x <= power_of_two (PENCIL_USUAL);
}

// Returns 2^e * x, by two factors, because 2^e may be no number; the intermediate result is between
// x and it.
static inline scalar scalar_shift (scalar x, int e)
{
  const int most = 2 * (GLA_BIAS - 1), c = e > most ? most : e < -most ? -most : e;
  return scalar_scale (power_of_two (c - c / 2), scalar_scale (power_of_two (c / 2), x));
}

// Returns the largest |A - A'| if it is too large for a Hermitian page, else 0. All entries are
// finite.
static double skew_of (const real *a, int64_t ld, int64_t n, bits largest)
{
  real size, most = 0;
  memcpy (&size, &largest, sizeof size);
  if (size == 0)
    return 0;
  const int e = exponent_in (size);
  for (int64_t j0 = 0; j0 < n; j0 += READ_TILE)
    for (int64_t i0 = j0; i0 < n; i0 += READ_TILE)
      for (int64_t j = j0; j < gla_min (n, j0 + READ_TILE); j++)
        for (int64_t i = gla_max (i0, j); i < gla_min (n, i0 + READ_TILE); i++) {
          const scalar x = scalar_shift (element_at (a, ld, i, j), -e);
          const scalar y = scalar_shift (element_at (a, ld, j, i), -e);
          const real d2 = scalar_abs2 (x - scalar_conj (y));
          most = d2 > most ? d2 : most;
        }
  const real difference = real_sqrt (most), bound = 10 * (real)n * GLA_EPS;
  if (difference <= bound * (real)ldexp ((double)size, -e))
    return 0;
  const double d = ldexp ((double)difference, e);
  return d <= DBL_MAX ? d : DBL_MAX;
}

//------------------------------------------------------------------------------
// copies
//------------------------------------------------------------------------------

// Returns element (i, j), i >= j, of (A + A')/2 or of the triangle that is read, times 2^e.
static inline scalar read_element (const real *a, int64_t ld, int64_t i, int64_t j,
                                   gla_triangle triangle, int e)
{
  scalar x = scalar_make (0, 0), y = x;
  if (triangle != GLA_TRIANGLE_UPPER)
    x = element_at (a, ld, i, j);
  if (triangle != GLA_TRIANGLE_LOWER)
    y = scalar_conj (element_at (a, ld, j, i));
  if (e != 0) {
    x = scalar_shift (x, e);
    y = scalar_shift (y, e);
  }
  if (triangle == GLA_TRIANGLE_FULL)
    x = scalar_scale ((real)0.5, x + y);
  else if (triangle == GLA_TRIANGLE_UPPER)
    x = y;
  return i == j ? scalar_make (__real__ x, 0) : x;
}

// How a page is scaled: element (i, j) times 2^(sign*(e[i] + e[j]) - all); NULL: not.
typedef struct {
  const int *e;
  int sign, all;
} page_scaling;

static inline int shift_of (const page_scaling *s, int64_t i, int64_t j)
{
  return (s->e ? s->sign * (s->e[i] + s->e[j]) : 0) - s->all;
}

// Reads the lower triangle, and stores zeros above it, or with `mirror` its mirror image.
static void read_page (const real *a, int64_t ld, int64_t n, gla_triangle triangle,
                       const page_scaling *s, int mirror, scalar *to, int64_t ldt)
{
  for (int64_t j0 = 0; j0 < n; j0 += READ_TILE)
    for (int64_t i0 = j0; i0 < n; i0 += READ_TILE)
      for (int64_t j = j0; j < gla_min (n, j0 + READ_TILE); j++)
        for (int64_t i = gla_max (i0, j); i < gla_min (n, i0 + READ_TILE); i++) {
          const scalar x = read_element (a, ld, i, j, triangle, shift_of (s, i, j));
          to[i + j * ldt] = x;
          if (i > j)
            to[j + i * ldt] = mirror ? scalar_conj (x) : scalar_make (0, 0);
        }
}

static void fill_page (scalar *to, int64_t ld, int64_t n, real x)
{
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      to[i + j * ld] = scalar_make (x, 0);
}

#endif
