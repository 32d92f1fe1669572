// pair_problem.h: random pairs (A, B), the call of gla_batcheig_pairs, and LAPACK's ratios
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PAIR_PROBLEM_H
#define PAIR_PROBLEM_H

#include "frame/page_arrays.h"

enum { GAP = 3, BOUND = 30 };

#ifndef COUNT
#define COUNT(array) ((int)(sizeof (array) / sizeof *(array)))
#endif

static gla_context *ctx;

typedef struct {
  int64_t n, pages;
  gla_array A, B, lambda, V, rcond;
  int32_t *info;
  gla_eig_pairs_options o;
  gla_eig_pairs_report report;
  double complex *work; // 5 pages
} pair_problem;

static inline void make_results (pair_problem *q, int64_t gap)
{
  const gla_type type = q->A.type;
  q->lambda = make (gla_type_real (type), q->n, 1, q->pages, gap);
  q->V = make (type, q->n, q->n, q->pages, gap);
  q->rcond = make (gla_type_real (type), 1, 1, q->pages, gap);
  q->info = malloc ((size_t)q->pages * sizeof *q->info);
  q->work = malloc ((size_t)(5 * q->n * q->n + 1) * sizeof *q->work);
}

// Hermitian A with entries in (-1, 1), and B = I/2 + G*G'/n with such a G.
static inline pair_problem random_pairs (gla_type type, int64_t n, int64_t pages, int64_t gap,
                                         int64_t seed)
{
  pair_problem q = {.n = n, .pages = pages, .o = {.size = sizeof q.o}};
  q.A = make (type, n, n, pages, gap);
  q.B = make (type, n, n, pages, gap);
  make_results (&q, gap);
  fill (&q.A, (unsigned long long)seed);
  fill (&q.B, (unsigned long long)seed + 99);
  double complex *g = q.work;
  for (int64_t p = 0; p < pages; p++) {
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++)
        g[i + j * n] = get (&q.B, i, j, p);
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = j; i < n; i++) {
        double complex sum = i == j ? 0.5 : 0;
        const double complex a = i == j ? creal (get (&q.A, i, j, p)) : get (&q.A, i, j, p);
        for (int64_t k = 0; k < n; k++)
          sum += g[i + k * n] * conj (g[j + k * n]) / (double)n;
        if (i == j)
          sum = creal (sum);
        set (&q.A, i, j, p, a);
        set (&q.A, j, i, p, conj (a));
        set (&q.B, i, j, p, sum);
        set (&q.B, j, i, p, conj (sum));
      }
  }
  return q;
}

static inline void release_results (pair_problem *q)
{
  free (q->lambda.data);
  free (q->V.data);
  free (q->rcond.data);
  free (q->info);
  free (q->work);
}

static inline void release (pair_problem *q)
{
  free (q->A.data);
  free (q->B.data);
  release_results (q);
}

// NaN in the triangle that is not to be read, and imaginary parts on the diagonal.
static inline void spoil_triangle (pair_problem *q, gla_triangle triangle)
{
  for (int64_t p = 0; p < q->pages; p++)
    for (int64_t j = 0; j < q->n; j++)
      for (int64_t i = 0; i <= j; i++) {
        const int64_t row = triangle == GLA_TRIANGLE_LOWER ? i : j;
        const int64_t column = triangle == GLA_TRIANGLE_LOWER ? j : i;
        gla_array *both[] = {&q->A, &q->B};
        for (int k = 0; k < 2; k++)
          set (both[k], row, column, p, i == j ? get (both[k], i, i, p) + 7 * I : NAN);
      }
}

static inline gla_status solve_all (pair_problem *q)
{
  const gla_eig_pairs_results r = {
      .size = sizeof r, .lambda = q->lambda, .V = q->V, .rcond = q->rcond, .info = q->info};
  q->report.base.size = sizeof q->report;
  return gla_batcheig_pairs (ctx, &q->A, &q->B, &r, &q->o, &q->report);
}

// 2^e times a number, in two steps, because 2^e may be no number.
static inline double complex scaled (double complex x, int e)
{
  return ldexp (creal (x), e) + ldexp (cimag (x), e) * I;
}

//------------------------------------------------------------------------------
// ratios
//------------------------------------------------------------------------------

// The page as it is read.
static inline void read_hermitian (const gla_array *a, int64_t p, gla_triangle triangle,
                                   double complex *to)
{
  const int64_t n = a->rows, page = a->pages == 1 ? 0 : p;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      const int mirrored = triangle == GLA_TRIANGLE_LOWER   ? i < j
                           : triangle == GLA_TRIANGLE_UPPER ? i > j
                                                            : 0;
      const double complex x = mirrored ? conj (get (a, j, i, page)) : get (a, i, j, page);
      to[i + j * n] = i == j ? creal (x) : x;
    }
}

// C = A*B, with A' for `turned`.
static inline void product (int64_t n, const double complex *A, int turned, const double complex *B,
                            double complex *C)
{
  memset (C, 0, (size_t)(n * n) * sizeof *C);
  for (int64_t j = 0; j < n; j++)
    for (int64_t k = 0; k < n; k++)
      for (int64_t i = 0; i < n; i++)
        C[i + j * n] += (turned ? conj (A[k + i * n]) : A[i + k * n]) * B[k + j * n];
}

static inline double norm_of (int64_t n, const double complex *A)
{
  double worst = DBL_MIN;
  for (int64_t j = 0; j < n; j++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
      sum += cabs (A[i + j * n]);
    worst = check_worst (worst, sum);
  }
  return worst;
}

// The larger of the residual over n*eps*(|A| + |lambda| |B|)*|x| (itype 1), or of A*B*X - X*D or
// B*A*X - X*D over n*eps*|A| |B| |X|, and of V'*B*V - I (with itype 3 of V'*A*V - D, which is the
// same) over n*eps*|V|^2 |B| (|A|). Infinite where the eigenvalues do not ascend.
static inline double pair_ratio (const pair_problem *q, int64_t p)
{
  const int64_t n = q->n, size = n * n;
  const int itype = q->o.itype == 0 ? 1 : q->o.itype;
  double complex *A = q->work, *B = A + size, *V = B + size, *R = V + size, *S = R + size;
  double worst = 0, largest = 0;
  read_hermitian (&q->A, p, q->o.triangle, A);
  read_hermitian (&q->B, p, q->o.triangle, B);
  for (int64_t j = 0; j < n; j++) {
    const double x = creal (get (&q->lambda, j, 0, p));
    largest = check_worst (largest, fabs (x));
    if (j > 0 && !(creal (get (&q->lambda, j - 1, 0, p)) <= x))
      return INFINITY;
    for (int64_t i = 0; i < n; i++)
      V[i + j * n] = get (&q->V, i, j, p);
  }
  const double a = norm_of (n, A), b = norm_of (n, B), v = norm_of (n, V);
  const double unit = (double)n * gla_type_eps (q->A.type);
  // residual
  product (n, itype == 3 ? A : B, 0, V, R);
  product (n, A, 0, itype == 1 ? V : R, S);
  if (itype == 3)
    product (n, B, 0, R, S);
  const double bound = itype == 1 ? (a + largest * b) * v : a * b * v + largest * v;
  for (int64_t k = 0; k < size; k++) {
    const double lambda = creal (get (&q->lambda, k / n, 0, p));
    worst = check_worst (worst, cabs (S[k] - lambda * (itype == 1 ? R[k] : V[k])) / (unit * bound));
  }
  // orthogonality
  product (n, V, 1, R, S);
  for (int64_t k = 0; k < size; k++) {
    const double lambda = creal (get (&q->lambda, k / n, 0, p));
    const double expected = k % (n + 1) != 0 ? 0 : itype == 3 ? lambda : 1;
    worst = check_worst (worst, cabs (S[k] - expected) / (unit * v * v * (itype == 3 ? a : b)));
  }
  return worst;
}

// The largest |lambda - factor*mu| over n*eps*|factor*mu|.
static inline double values_differ (const pair_problem *q, int64_t p, const pair_problem *r,
                                    int64_t s, double factor)
{
  double worst = 0, largest = DBL_MIN;
  for (int64_t k = 0; k < q->n; k++) {
    const double x = creal (get (&q->lambda, k, 0, p)), y = creal (get (&r->lambda, k, 0, s));
    worst = check_worst (worst, fabs (x / factor - y));
    largest = fmax (largest, fabs (y));
  }
  return worst / ((double)q->n * gla_type_eps (q->A.type) * largest);
}

//------------------------------------------------------------------------------
// comparisons
//------------------------------------------------------------------------------

// Page p as a problem of its own; its results are new.
static inline pair_problem page_alone (const pair_problem *q, int64_t p)
{
  pair_problem one = *q;
  gla_array *inputs[] = {&one.A, &one.B};
  for (int k = 0; k < 2; k++) {
    gla_array *a = inputs[k];
    const int64_t page = a->pages == 1 ? 0 : p;
    a->data = (char *)a->data + (size_t)(page * a->page_stride) * gla_type_size (a->type);
    a->pages = 1;
  }
  one.pages = 1;
  make_results (&one, 0);
  return one;
}

static inline int same_page (const gla_array *a, int64_t p, const gla_array *b, int64_t q)
{
  const size_t size = gla_type_size (a->type);
  for (int64_t j = 0; j < a->columns; j++)
    if (memcmp ((char *)a->data + (size_t)(p * a->page_stride + j * a->column_stride) * size,
                (char *)b->data + (size_t)(q * b->page_stride + j * b->column_stride) * size,
                (size_t)a->rows * size) != 0)
      return 0;
  return 1;
}

// NaN may have other bits.
static inline int same_results (const pair_problem *q, int64_t p, const pair_problem *r, int64_t s)
{
  if (q->info[p] != 0)
    return r->info[s] == q->info[p];
  return same_page (&q->lambda, p, &r->lambda, s) && same_page (&q->V, p, &r->V, s) &&
         same_page (&q->rcond, p, &r->rcond, s);
}

static inline int is_all_nan (const pair_problem *q, int64_t p)
{
  for (int64_t j = 0; j < q->n; j++) {
    if (!isnan (creal (get (&q->lambda, j, 0, p))))
      return 0;
    for (int64_t i = 0; i < q->n; i++)
      if (!isnan (creal (get (&q->V, i, j, p))))
        return 0;
  }
  return 1;
}

#endif
