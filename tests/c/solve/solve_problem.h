// solve_problem.h: arrays of one call of gla_pagesolve, and the errors of its results
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SOLVE_PROBLEM_H
#define SOLVE_PROBLEM_H

#include "frame/long_sums.h"
#include "frame/page_arrays.h"

//------------------------------------------------------------------------------
// backward errors of systems, and condition numbers, in long double
//------------------------------------------------------------------------------

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
      sum += wide_abs (element (a, op, i, j, p));
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

//------------------------------------------------------------------------------
// backward errors
//------------------------------------------------------------------------------

// The matrix that is solved with: its rows, their magnitudes, and its Inf-norm.
typedef struct {
  vectors rows, sizes;
  long double norm;
} solved_matrix;

static inline solved_matrix solved_matrix_of (const solved_page *s)
{
  const int64_t n = s->A->rows;
  solved_matrix a = {vectors_new (n, n), vectors_new (n, n), 0};
  for (int64_t i = 0; i < n; i++) {
    long double sum = 0;
    for (int64_t j = 0; j < n; j++) {
      const wide x = matrix_element (s, i, j);
      vectors_set (a.rows, i, j, (double complex)x);
      vectors_set (a.sizes, i, j, (double)wide_abs (x));
      sum += wide_abs (x);
    }
    a.norm = fmaxl (a.norm, sum);
  }
  return a;
}

// Largest |B - A*x| of column c over n*eps*|A|*|x|, in the Inf-norm or, with `by_element`, for each
// element by itself.
static inline double column_ratio (const solved_page *s, const solved_matrix *a, int64_t c,
                                   int by_element)
{
  const int64_t n = s->A->rows;
  const int is_complex = gla_type_is_complex (s->X->type);
  const long double unit = (long double)n * gla_type_eps (s->X->type);
  // what is below the range has no relative accuracy
  const long double least =
      gla_type_real (s->X->type) == GLA_TYPE_S ? (long double)FLT_MIN : (long double)DBL_MIN;
  long double largest = 0, worst = 0, off = 0;
  const vectors x = vectors_new (n, 1), sizes = vectors_new (n, 1);
  for (int64_t j = 0; j < n; j++) {
    const wide element = column_element (s->X, s->side, j, c, s->p);
    vectors_set (x, 0, j, (double complex)element);
    vectors_set (sizes, 0, j, (double)wide_abs (element));
    largest = fmaxl (largest, wide_abs (element));
  }
  for (int64_t i = 0; i < n && !isnan (off); i++) {
    const wide b = column_element (s->B, s->side, i, c, s->b);
    const long double r = wide_abs (b - sum_of_products (a->rows, i, x, 0, is_complex));
    off = isnan (r) ? NAN : fmaxl (off, r);
    if (by_element) {
      const long double size = creall (sum_of_products (a->sizes, i, sizes, 0, 0));
      worst = fmaxl (worst, r / (unit * size + least));
    }
  }
  vectors_free (x);
  vectors_free (sizes);
  if (isnan (off))
    return INFINITY;
  if (by_element)
    return (double)worst;
  return off == 0 ? 0 : (double)(off / (unit * a->norm * largest));
}

static inline double page_ratio (const solved_page *s, int by_element)
{
  const int64_t columns = s->side == GLA_SIDE_LEFT ? s->X->columns : s->X->rows;
  const solved_matrix a = solved_matrix_of (s);
  double worst = 0;
  for (int64_t c = 0; c < columns; c++)
    worst = check_worst (worst, column_ratio (s, &a, c, by_element));
  vectors_free (a.rows);
  vectors_free (a.sizes);
  return worst;
}

// Largest sum of a column of |I - X*Y|, X by rows and Y by columns.
static inline long double unity_error (vectors x, vectors y, int is_complex)
{
  long double worst = 0;
  for (int64_t j = 0; j < x.n; j++) {
    long double sum = 0;
    for (int64_t i = 0; i < x.n; i++)
      sum += wide_abs ((i == j) - sum_of_products (x, i, y, j, is_complex));
    if (isnan (sum))
      return INFINITY;
    worst = fmaxl (worst, sum);
  }
  return worst;
}

// The smaller of |I - A*X| and |I - X*A| over n*eps*|A|*|X|, 1-norms.
static inline double inverse_ratio (const gla_array *A, char op, const gla_array *X, int64_t p)
{
  const int64_t n = A->rows;
  const int is_complex = gla_type_is_complex (X->type);
  const vectors rows_a = vectors_new (n, n), rows_x = vectors_new (n, n);
  const vectors columns_a = vectors_new (n, n), columns_x = vectors_new (n, n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      const double complex a = (double complex)element (A, op, i, j, p), x = get (X, i, j, p);
      vectors_set (rows_a, i, j, a);
      vectors_set (columns_a, j, i, a);
      vectors_set (rows_x, i, j, x);
      vectors_set (columns_x, j, i, x);
    }
  const long double left = unity_error (rows_a, columns_x, is_complex);
  const long double right = unity_error (rows_x, columns_a, is_complex);
  vectors_free (rows_a);
  vectors_free (rows_x);
  vectors_free (columns_a);
  vectors_free (columns_x);
  if (isinf (left) || isinf (right))
    return INFINITY;
  const long double size = (long double)norm_1 (A, op, p) * norm_1 (X, 'N', p);
  return (double)(fminl (left, right) / ((long double)n * gla_type_eps (X->type) * size));
}

//------------------------------------------------------------------------------
// condition numbers
//------------------------------------------------------------------------------

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
      sum += wide_abs (a[i + j * n]);
    }
    norm = fmaxl (norm, sum);
  }
  for (int64_t k = 0; k < n; k++) {
    int64_t best = k;
    for (int64_t i = k; i < n; i++)
      best = wide_abs (a[i + k * n]) > wide_abs (a[best + k * n]) ? i : best;
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
      sum += wide_abs (a[i + j * n]);
    inverse = fmaxl (inverse, sum);
  }
  free (a);
  return (double)(1 / (norm * inverse));
}

//------------------------------------------------------------------------------
// a call, and the check of its rcond
//------------------------------------------------------------------------------

// GAP: elements between columns and between pages. BOUND: of LAPACK's ratios.
enum { PAGES = 3, GAP = 3, BOUND = 10 };
#define COUNT(a) ((int)(sizeof (a) / sizeof *(a)))

static gla_context *ctx;

typedef struct {
  gla_array A, B, X, rcond;
  int32_t info[64];
  char op;
  gla_side side;
  int no_rcond; // calls want none; rcond keeps what it holds
} problem;

static inline problem random_problem (gla_type type_a, gla_type type_b, int64_t n, int64_t r,
                                      int64_t pages, int64_t gap, char op, gla_side side)
{
  const gla_type type = gla_type_is_complex (type_a) ? type_a : type_b;
  const int64_t m = side == GLA_SIDE_LEFT ? n : r, k = side == GLA_SIDE_LEFT ? r : n;
  problem q = {.A = make (type_a, n, n, pages, gap),
               .B = make (type_b, m, k, pages, gap),
               .X = make (type, m, k, pages, gap),
               .rcond = make (gla_type_real (type), 1, 1, pages, gap),
               .op = op,
               .side = side};
  fill (&q.A, (unsigned long long)(n * 100 + r));
  fill (&q.B, (unsigned long long)(n * 100 + r + 7));
  memset (q.info, 0x55, sizeof q.info);
  return q;
}

static inline void release (problem *q)
{
  free (q->A.data);
  free (q->B.data);
  free (q->X.data);
  free (q->rcond.data);
}

static inline gla_status solve (problem *q, int inverse)
{
  const gla_pagesolve_options options = {.size = sizeof options, .op_a = q->op, .side = q->side};
  const gla_array none = {0};
  const gla_pagesolve_results results = {sizeof results, q->X, q->no_rcond ? none : q->rcond,
                                         q->info};
  return gla_pagesolve (ctx, &q->A, inverse ? NULL : &q->B, &results, &options, NULL);
}

static inline void expect_rcond (const problem *q, int64_t p, const char *what)
{
  const solved_page s = {&q->A, &q->B, &q->X, q->op, q->side, p, p, p};
  const double expected = true_rcond (&s), rcond = creal (get (&q->rcond, 0, 0, p));
  const double eps = gla_type_eps (q->X.type);
  // condition numbers beyond 1/eps are not determined by the matrix as it is stored
  const double least = expected / 3 - eps, most = expected * (q->A.rows <= 3 ? 3 : 10) + eps;
  CHECK (rcond >= least && rcond <= most, "%s n %lld page %lld: rcond %g instead of %g", what,
         (long long)q->A.rows, (long long)p, rcond, expected);
}

// The systems op (A)*X = B of a problem with op 'T', page (i, j, k) of X made of page `a_step` of A
// and `b_step` of B.
static inline void check_grid_pages (const problem *q, const int64_t size[3],
                                     const int64_t a_step[3], const int64_t b_step[3],
                                     gla_side side)
{
  for (int64_t p = 0; p < size[0] * size[1] * size[2]; p++) {
    const int64_t at[3] = {p % size[0], p / size[0] % size[1], p / size[0] / size[1]};
    int64_t a = 0, b = 0;
    for (int d = 0; d < 3; d++) {
      a += at[d] * a_step[d];
      b += at[d] * b_step[d];
    }
    const solved_page s = {&q->A, &q->B, &q->X, 'T', side, a, b, p};
    const double worst = page_ratio (&s, 0);
    CHECK (worst <= BOUND, "grid n %lld page %lld: ratio %g", (long long)q->A.rows, (long long)p,
           worst);
  }
}

#endif
