// solve_kinds.h: pages of all kinds for gla_pagesolve, and what must come out of each
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SOLVE_KINDS_H
#define SOLVE_KINDS_H

#include "solve_problem.h"

typedef enum {
  ANY,
  UPPER,
  LOWER,
  DIAGONAL,
  PERMUTATION,
  DEFINITE,
  INDEFINITE,
  GRADED_ROWS,
  GRADED_COLUMNS,
  TINY,
  LARGE,
  // a pivot without a finite reciprocal beside elements of normal size
  SUBNORMAL_DIAGONAL,
  SUBNORMAL_UPPER,
  SUBNORMAL_LOWER,
  SUBNORMAL_COLUMN,
  SINGULAR,
  // rank 1 and 2; pivots of the last two, of which one is Hermitian, are rounding errors
  ONES,
  TWO_ROWS,
  ROUNDED,
  ROUNDED_GRAM,
  WITH_NAN,
  WITH_INF,
  KINDS
} kind;

static inline int is_subnormal (kind which)
{
  return which >= SUBNORMAL_DIAGONAL && which <= SUBNORMAL_COLUMN;
}

static inline int is_rounded (kind which)
{
  return which == ROUNDED || which == ROUNDED_GRAM;
}

// Singular from order 2 or 3 on, with a solution of least norm that is known.
static inline int is_low_rank (kind which)
{
  return which == ONES || which == TWO_ROWS || is_rounded (which);
}

// Such a page is left (i) * row (i % 2, j).
static inline double low_rank_left (kind which, int64_t i)
{
  return is_rounded (which) ? (double)(i % 5 + 1) / 3 : 1;
}

static inline double low_rank_row (kind which, int64_t i, int64_t j)
{
  if (which == TWO_ROWS)
    return i % 2 ? j == 0 || j % 2 : j % 3 == 0;
  if (which == ROUNDED_GRAM)
    return low_rank_left (which, j);
  return which == ROUNDED ? (double)(j % 7 + 1) / 7 : 1;
}

static inline double complex entry_of (kind which, int64_t i, int64_t j, int64_t n,
                                       double complex x, gla_type type)
{
  const double range = gla_type_real (type) == GLA_TYPE_S ? 28 : 280;
  const double step = n > 1 ? 2 * range / (double)(n - 1) : 0;
  const double least = gla_type_real (type) == GLA_TYPE_S ? 0x1p-130 : 0x1p-1027;
  const double most = gla_type_real (type) == GLA_TYPE_S ? 0x1p126 : 0x1p1022;
  const double pivot = gla_type_real (type) == GLA_TYPE_S ? 1e-40 : 1e-310;
  switch (which) {
  case UPPER:
    return i > j ? 0 : i == j ? x + 2 : x;
  case LOWER:
    return i < j ? 0 : i == j ? x - 2 : x;
  case DIAGONAL:
    return i == j ? x * pow (10, (double)i * step - range) : 0;
  case PERMUTATION:
    return j == (i + 1) % n;
  case GRADED_ROWS:
    return x * pow (10, (double)i * step - range);
  case GRADED_COLUMNS:
    return x * pow (10, range - (double)j * step);
  case TINY:
    return x * least;
  case LARGE:
    return x * most;
  case SUBNORMAL_DIAGONAL:
    return i != j ? 0 : i == 0 ? pivot : x + 2;
  case SUBNORMAL_UPPER:
    return i > j ? 0 : i < j ? x / (double)n : i == 0 ? pivot : x + 2;
  case SUBNORMAL_LOWER:
    return i < j ? 0 : i > j ? x / (double)n : i == n - 1 ? pivot : x - 2;
  case SUBNORMAL_COLUMN:
    return j == 0 ? x * pivot : x;
  case ONES:
  case TWO_ROWS:
  case ROUNDED:
  case ROUNDED_GRAM:
    return low_rank_left (which, i) * low_rank_row (which, i, j);
  case SINGULAR:
    return i == n / 2 || j == n - 1 ? 0 : x;
  case WITH_NAN:
    return i == n - 1 && j == 0 ? NAN : x;
  case WITH_INF:
    return i == 0 && j == n - 1 ? -INFINITY : x;
  default:
    return x;
  }
}

// Hermitian: with eigenvalues above 0, or with a positive diagonal only.
static inline void make_hermitian (gla_array *A, int64_t p, int definite)
{
  const int64_t n = A->rows;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      const double complex x = get (A, i, j, p);
      set (A, i, j, p, i == j ? (definite ? (double)(2 * n) : 1) + creal (x) / 2 : x);
      set (A, j, i, p, i == j ? get (A, i, j, p) : conj (get (A, i, j, p)));
    }
}

static inline void fill_kind (gla_array *A, gla_array *B, int64_t p, kind which)
{
  for (int64_t j = 0; j < A->columns; j++)
    for (int64_t i = 0; i < A->rows; i++)
      set (A, i, j, p, entry_of (which, i, j, A->rows, get (A, i, j, p), A->type));
  for (int64_t j = 0; (which == TINY || which == LARGE || which == GRADED_ROWS) && j < B->columns;
       j++)
    for (int64_t i = 0; i < B->rows; i++)
      set (B, i, j, p, entry_of (which, i, j, B->rows, get (B, i, j, p), B->type));
  for (int64_t j = 0; is_subnormal (which) && j < B->columns; j++)
    for (int64_t i = 0; i < B->rows; i++)
      set (B, i, j, p, 1e-10 * get (B, i, j, p));
  if (which == DEFINITE || which == INDEFINITE)
    make_hermitian (A, p, which == DEFINITE);
}

static inline int all_are (const gla_array *X, int64_t p, int (*is) (double))
{
  int all = 1;
  for (int64_t j = 0; j < X->columns; j++)
    for (int64_t i = 0; i < X->rows; i++)
      all &= is (creal (get (X, i, j, p)));
  return all;
}

static inline int none_is_nan (const gla_array *X, int64_t p)
{
  int none = 1;
  for (int64_t j = 0; j < X->columns; j++)
    for (int64_t i = 0; i < X->rows; i++)
      none &= !isnan (creal (get (X, i, j, p))) && !isnan (cimag (get (X, i, j, p)));
  return none;
}

static inline int is_nan (double x)
{
  return isnan (x);
}

static inline int is_inf (double x)
{
  return isinf (x) && x > 0;
}

// Row n/2 and column n-1 of A are 0: so is row n-1 of X, and the other rows of A*X are those of B.
static inline double least_norm_ratio (const problem *q, int64_t p)
{
  const int64_t n = q->A.rows, i0 = n / 2;
  double worst = 0;
  for (int64_t c = 0; c < q->X.columns; c++) {
    double largest = 0, norm = 0, off = 0;
    for (int64_t i = 0; i < n; i++) {
      long double complex r = i == i0 ? 0 : get (&q->B, i, c, p);
      double sum = 0;
      for (int64_t j = 0; j < n; j++) {
        r -= i == i0 ? 0 : element (&q->A, 'N', i, j, p) * get (&q->X, j, c, p);
        sum += cabs (get (&q->A, i, j, p));
      }
      norm = fmax (norm, sum);
      off = check_worst (off, (double)cabsl (r));
      largest = check_worst (largest, cabs (get (&q->X, i, c, p)));
    }
    const double unit = (double)n * gla_type_eps (q->X.type);
    // the SVD is accurate to a larger multiple of eps than LU is
    worst = check_worst (worst, off == 0 ? 0 : off / (3 * unit * norm * largest));
    worst = check_worst (worst, n > 1 ? cabs (get (&q->X, n - 1, c, p)) / (3 * unit * largest)
                                      : cabs (get (&q->X, 0, c, p)));
  }
  return worst;
}

// How far X is from the combination of the two rows, or multiple of the one, that is the solution
// of least norm. Singular values other than 0 are not small beside 1.
static inline double low_rank_ratio (const problem *q, int64_t p, kind which)
{
  const int64_t n = q->A.rows;
  const int rows = which == TWO_ROWS && n > 1 ? 2 : 1;
  double worst = 0;
  for (int64_t c = 0; c < q->X.columns; c++) {
    double weight[2] = {0}, gram[3] = {0}, size = 0;
    wide b[2] = {0};
    for (int64_t i = 0; i < n; i++) {
      const double left = low_rank_left (which, i), r0 = low_rank_row (which, 0, i),
                   r1 = low_rank_row (which, 1, i);
      b[i % rows] += left * get (&q->B, i, c, p);
      weight[i % rows] += left * left;
      gram[0] += r0 * r0, gram[1] += r0 * r1, gram[2] += r1 * r1;
      size = fmax (size, cabs (get (&q->B, i, c, p)));
    }
    b[0] /= weight[0];
    wide x0 = b[0] / gram[0], x1 = 0;
    if (rows == 2) {
      const double det = gram[0] * gram[2] - gram[1] * gram[1];
      b[1] /= weight[1];
      x0 = (gram[2] * b[0] - gram[1] * b[1]) / det;
      x1 = (gram[0] * b[1] - gram[1] * b[0]) / det;
    }
    for (int64_t j = 0; j < n; j++) {
      const wide x = x0 * low_rank_row (which, 0, j) + x1 * low_rank_row (which, 1, j);
      const double off = (double)wide_abs (x - get (&q->X, j, c, p));
      const double bound = (double)n * gla_type_eps (q->X.type) * (size + (double)wide_abs (x));
      worst = check_worst (worst, off / bound);
    }
  }
  return worst;
}

static inline void check_low_rank (const problem *q, int64_t p, kind which, int inverse)
{
  const int64_t n = q->A.rows;
  const int regular = n == 1 || (n == 2 && which == TWO_ROWS);
  const double rcond = creal (get (&q->rcond, 0, 0, p));
  if (inverse && is_rounded (which)) // has no digits
    return;
  CHECK (regular ? q->info[p] == 0 && rcond > 0
                 : q->info[p] > 0 && q->info[p] <= n &&
                       rcond <= is_rounded (which) * 16 * gla_type_eps (q->X.type),
         "%c n %lld kind %d inverse %d: info %d, rcond %g", (char)q->A.type, (long long)n, which,
         inverse, q->info[p], rcond);
  if (inverse)
    CHECK (regular || all_are (&q->X, p, is_inf), "%c n %lld: inverse of kind %d", (char)q->A.type,
           (long long)n, which);
  else {
    const double worst = low_rank_ratio (q, p, which);
    CHECK (worst <= BOUND, "%c n %lld kind %d: %g from the solution of least norm", (char)q->A.type,
           (long long)n, which, worst);
  }
}

static inline void check_kind (const problem *q, int64_t p, kind which, int inverse)
{
  const int64_t n = q->A.rows;
  const int bad = which == WITH_NAN || which == WITH_INF;
  const double rcond = creal (get (&q->rcond, 0, 0, p));
  const solved_page s = {&q->A, &q->B, &q->X, 'N', GLA_SIDE_LEFT, p, p, p};
  const int by_element =
      which == UPPER || which == LOWER || which == DIAGONAL || is_subnormal (which);
  double worst = 0;
  if (is_low_rank (which)) {
    check_low_rank (q, p, which, inverse);
    return;
  }
  if (bad) {
    CHECK (q->info[p] == n + 1 && isnan (rcond) && all_are (&q->X, p, is_nan),
           "%c n %lld kind %d: info %d, rcond %g", (char)q->A.type, (long long)n, which, q->info[p],
           rcond);
    return;
  }
  if (which == SINGULAR) {
    CHECK (q->info[p] >= 1 && q->info[p] <= n && rcond == 0,
           "%c n %lld singular: info %d, rcond %g", (char)q->A.type, (long long)n, q->info[p],
           rcond);
    if (inverse)
      CHECK (all_are (&q->X, p, is_inf), "%c n %lld: inverse of a singular page", (char)q->A.type,
             (long long)n);
    worst = inverse ? 0 : least_norm_ratio (q, p);
  } else {
    CHECK (q->info[p] == 0 && rcond >= 0 && rcond <= 1 + 1e-5,
           "%c n %lld kind %d: info %d, rcond %g", (char)q->A.type, (long long)n, which, q->info[p],
           rcond);
    if (n <= 65 && which != GRADED_ROWS && which != GRADED_COLUMNS && which != DIAGONAL)
      expect_rcond (q, p, "kind");
    // the inverses of TINY and SUBNORMAL_* overflow, and that of LARGE has no relative accuracy
    if (!inverse)
      worst = page_ratio (&s, by_element);
    else if (is_subnormal (which))
      CHECK (none_is_nan (&q->X, p), "%c n %lld kind %d: NaN in the inverse", (char)q->A.type,
             (long long)n, which);
    else if (which != TINY && which != LARGE)
      worst = inverse_ratio (&q->A, 'N', &q->X, p);
  }
  CHECK (worst <= BOUND, "%c n %lld kind %d inverse %d: ratio %g", (char)q->A.type, (long long)n,
         which, inverse, worst);
}

// An inverse has the structure of its matrix, exactly.
static inline void check_structure (const gla_array *X, int64_t p, kind which)
{
  int exact = 1;
  for (int64_t j = 0; j < X->columns; j++)
    for (int64_t i = 0; i < X->rows; i++) {
      const double complex x = get (X, i, j, p);
      const int diagonal = which == DIAGONAL || which == SUBNORMAL_DIAGONAL;
      if ((i > j && (which == UPPER || which == SUBNORMAL_UPPER || diagonal)) ||
          (i < j && (which == LOWER || which == SUBNORMAL_LOWER || diagonal)))
        exact &= x == 0;
      if (which == DEFINITE)
        exact &= x == conj (get (X, j, i, p));
    }
  CHECK (exact, "%c n %lld: the inverse of kind %d has another structure", (char)X->type,
         (long long)X->rows, which);
}

#endif
