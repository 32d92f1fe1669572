// tests/c/solve_kinds.h: pages of all kinds for gla_pagesolve, and what must come out of each
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
  HUGE,
  SINGULAR,
  WITH_NAN,
  WITH_INF,
  KINDS
} kind;

static inline double complex entry_of (kind which, int64_t i, int64_t j, int64_t n,
                                       double complex x, gla_type type)
{
  const double range = gla_type_real (type) == GLA_TYPE_S ? 28 : 280;
  const double step = n > 1 ? 2 * range / (double)(n - 1) : 0;
  const double least = gla_type_real (type) == GLA_TYPE_S ? 0x1p-130 : 0x1p-1027;
  const double most = gla_type_real (type) == GLA_TYPE_S ? 0x1p126 : 0x1p1022;
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
  case HUGE:
    return x * most;
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
  for (int64_t j = 0; (which == TINY || which == HUGE || which == GRADED_ROWS) && j < B->columns;
       j++)
    for (int64_t i = 0; i < B->rows; i++)
      set (B, i, j, p, entry_of (which, i, j, B->rows, get (B, i, j, p), B->type));
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

static inline void check_kind (const problem *q, int64_t p, kind which, int inverse)
{
  const int64_t n = q->A.rows;
  const int bad = which == WITH_NAN || which == WITH_INF;
  const double rcond = creal (get (&q->rcond, 0, 0, p));
  const solved_page s = {&q->A, &q->B, &q->X, 'N', GLA_SIDE_LEFT, p, p, p};
  const int by_element = which == UPPER || which == LOWER || which == DIAGONAL;
  double worst = 0;
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
    // the inverse of TINY overflows, and that of HUGE has no relative accuracy
    if (!inverse)
      worst = page_ratio (&s, by_element);
    else if (which != TINY && which != HUGE)
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
      if ((i > j && (which == UPPER || which == DIAGONAL)) ||
          (i < j && (which == LOWER || which == DIAGONAL)))
        exact &= x == 0;
      if (which == DEFINITE)
        exact &= x == conj (get (X, j, i, p));
    }
  CHECK (exact, "%c n %lld: the inverse of kind %d has another structure", (char)X->type,
         (long long)X->rows, which);
}

#endif
