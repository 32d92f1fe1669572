// geev_kinds.h: general pages that are hard for QR, for balancing or for substitution
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GEEV_KINDS_H
#define GEEV_KINDS_H

#include "frame/page_arrays.h"

typedef enum {
  RANDOM,
  COMPANION,   // of (x - 1/n)(x - 2/n) .. (x - 1)
  JORDAN,      // one block
  JORDAN_DOWN, // its transpose
  NILPOTENT,   // strictly upper triangular
  GRCAR,
  FRANK,
  CIRCULANT,
  CYCLE, // a cyclic permutation: all eigenvalues have one modulus
  TRIANGLE,
  BAD_SCALE, // inv (D)*R*D with a D that grows
  GRADED, // rows of several sizes; with more of them balancing makes residuals larger, as LAPACK's
          // does
  REPEATED, // few different eigenvalues, full
  RANK_ONE,
  SKEW,     // antisymmetric
  TURNS,    // blocks [0, 1; -1, 0] along the diagonal
  COUPLED,  // two blocks with a coupling of rounding size
  ZERO,     // this and the next three decompose
  IDENTITY, // or are Hermitian
  DIAGONAL,
  ROW,    // one row
  HUGE_1, // random, at the upper end of the range
  TINY_1, // at the lower end
  WITH_NAN,
  WITH_INF,
  KINDS
} geev_kind;

static inline int kind_fails (geev_kind kind)
{
  return kind == WITH_NAN || kind == WITH_INF;
}

static double complex draw (gla_type type, unsigned long long *seed)
{
  const double re = check_random (seed), im = check_random (seed);
  return gla_type_is_complex (type) ? re + im * I : re;
}

// The coefficients of the polynomial whose leading one is 1, c[i] that of x^i.
static void coefficients (int64_t n, double *c)
{
  c[0] = 1;
  for (int64_t k = 1; k <= n; k++) {
    const double root = (double)k / (double)n;
    c[k] = 0;
    for (int64_t i = k; i > 0; i--)
      c[i] = c[i - 1] - root * c[i];
    c[0] *= -root;
  }
}

// A diagonal matrix with few different eigenvalues between two reflectors.
static double complex repeated_element (int64_t n, int64_t i, int64_t j)
{
  double complex sum = 0;
  for (int64_t k = 0; k < n; k++) {
    const double left = (i == k) - 2 / (double)n, right = (k == j) - 2 / (double)n;
    sum += left * (double)(1 + k % 3) * right;
  }
  return sum;
}

static double complex element_of (geev_kind kind, gla_type type, int64_t n, int64_t i, int64_t j,
                                  unsigned long long *seed)
{
  const double complex x = draw (type, seed);
  const double single = gla_type_real (type) == GLA_TYPE_S, eps = gla_type_eps (type);
  const double spread = single ? 20. : 200.;
  const double at = n > 1 ? (double)i / (double)(n - 1) : 0;
  const double behind = n > 1 ? (double)(j - i) / (double)(n - 1) : 0;
  switch (kind) {
  case JORDAN:
    return i == j ? 0.5 : j == i + 1;
  case JORDAN_DOWN:
    return i == j ? 0.5 : i == j + 1;
  case NILPOTENT:
    return j > i ? x : 0;
  case GRCAR:
    return i == j + 1 ? -1 : j >= i && j <= i + 3;
  case FRANK:
    return i <= j ? (double)(n - j) : i == j + 1 ? (double)(n - 1 - j) : 0;
  case CIRCULANT:
    return cos ((double)(1 + (j - i + n) % n));
  case CYCLE:
    return i == (j + 1) % n;
  case TRIANGLE:
    return j >= i ? x : 0;
  case BAD_SCALE:
    return x * exp2 (spread * behind);
  case GRADED:
    return x * exp2 (-12 * at);
  case REPEATED:
    return repeated_element (n, i, j);
  case RANK_ONE:
    return (double)(i + 1) / (double)(j + 1);
  case SKEW:
    return i == j ? 0 : i > j ? (double)(1 + (i * 7 + j) % 5) : -(double)(1 + (j * 7 + i) % 5);
  case TURNS:
    return i / 2 != j / 2 ? 0 : i < j ? 1 : i > j ? -1 : 0;
  case COUPLED:
    return i >= n / 2 && j < n / 2 ? x * eps / 4 : x;
  case ZERO:
    return 0;
  case IDENTITY:
    return i == j;
  case DIAGONAL:
    return i == j ? x : 0;
  case ROW:
    return i == n / 2 ? x : 0;
  case HUGE_1:
    return x * (single ? 0x1p120 : 0x1p1015);
  case TINY_1:
    return x * (single ? 0x1p-135 : 0x1p-1060);
  case WITH_NAN:
    return i == n - 1 && j == n / 2 ? NAN : x;
  case WITH_INF:
    return i == 0 && j == n / 2 ? -INFINITY : x;
  default:
    return x;
  }
}

// Pages D*B*inv (D) with powers of two in D, so that they have the eigenvalues of B exactly. Their
// residual does not show whether small eigenvalues are right: that of B does.
typedef enum {
  STRETCHED_EVENLY, // D grows
  STRETCHED_ANYHOW, // in no order
  STRETCHED_CHAIN,  // ones above the diagonal, small numbers below it, much smaller than 1 when
                    // balanced
  STRETCHED_CYCLE,  // a cycle of ones and one small number
  STRETCHED_KINDS
} stretched_kind;

static inline int chain_step (int64_t n, int spread)
{
  return spread / (int)n;
}

// The exponent of element i of D; `spread` is the most by which two of them differ.
static inline int stretch_of (stretched_kind kind, int64_t n, int64_t i, int spread)
{
  const int64_t steps = n > 1 ? n - 1 : 1;
  if (kind >= STRETCHED_CHAIN)
    return (int)-i * chain_step (n, spread);
  if (kind == STRETCHED_ANYHOW)
    return i == 0 ? spread : i == 1 ? 0 : (int)(i * 7919 % (spread + 1));
  return (int)(i * spread / steps);
}

static double complex stretched_element (stretched_kind kind, gla_type type, int64_t n, int64_t i,
                                         int64_t j, int spread, unsigned long long *seed)
{
  const double complex x = draw (type, seed);
  const double small = exp2 (-chain_step (n, spread));
  if (kind == STRETCHED_CHAIN)
    return i == j + 1 || j == i + 1 ? small : 0;
  if (kind == STRETCHED_CYCLE)
    return j == (i + 1) % n ? small : 0;
  return x;
}

// B, or D*B*inv (D) where `stretched`, times `size`.
static inline void fill_stretched (gla_array *A, int64_t page, stretched_kind kind, int spread,
                                   int stretched, double size)
{
  const int64_t n = A->rows;
  unsigned long long seed = (unsigned long long)(page + 100 * spread);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      const double complex x = stretched_element (kind, A->type, n, i, j, spread, &seed);
      const int e = stretch_of (kind, n, i, spread) - stretch_of (kind, n, j, spread);
      set (A, i, j, page, size * (stretched ? exp2 (e) : 1) * x);
    }
}

static inline void fill_kind (gla_array *A, int64_t page, geev_kind kind, unsigned long long seed)
{
  const int64_t n = A->rows;
  double c[128];
  if (kind == COMPANION)
    coefficients (n, c);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      set (A, i, j, page,
           kind == COMPANION ? (i == 0 ? -c[n - 1 - j] : i == j + 1)
                             : element_of (kind, A->type, n, i, j, &seed));
}

#endif
