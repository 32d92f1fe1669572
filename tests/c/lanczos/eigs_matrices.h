// eigs_matrices.h: Hermitian matrices whose eigenvalues are known
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef EIGS_MATRICES_H
#define EIGS_MATRICES_H

#include "frame/elements.h"

static gla_context *ctx;

//------------------------------------------------------------------------------
// matrices: defined by a function of (i, j), stored by rows
//------------------------------------------------------------------------------

typedef struct {
  gla_type type;
  int64_t n;
  int64_t *start, *index; // 8-byte indices
  void *values;
  double norm;
  double *lambda; // all eigenvalues, ascending
} matrix;

typedef double complex (*element) (int64_t n, int64_t i, int64_t j);

static inline double real_at (const gla_array *a, int64_t i)
{
  return a->type == GLA_TYPE_S ? (double)((const float *)a->data)[i] : ((const double *)a->data)[i];
}

static inline int ascending (const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static inline matrix make (gla_type type, int64_t n, element f, double scale)
{
  matrix A = {.type = type, .n = n};
  int64_t entries = 0;
  A.start = calloc ((size_t)n + 1, 8);
  A.lambda = calloc ((size_t)n, 8);
  for (int pass = 0; pass < 2; pass++) {
    entries = 0;
    for (int64_t i = 0; i < n; i++) {
      for (int64_t j = 0; j < n; j++) {
        const double complex x = f (n, i, j);
        if (x == 0)
          continue;
        if (pass == 1) {
          A.index[entries] = j;
          set (type, A.values, entries, x * scale);
        }
        entries++;
      }
      A.start[i + 1] = entries;
    }
    if (pass == 0) {
      A.index = malloc ((size_t)entries * 8 + 8);
      A.values = malloc ((size_t)entries * 16 + 16);
    }
  }
  return A;
}

static inline void sort_lambda (matrix *A)
{
  qsort (A->lambda, (size_t)A->n, sizeof *A->lambda, ascending);
  A->norm = fmax (fabs (A->lambda[0]), fabs (A->lambda[A->n - 1]));
}

static inline void matrix_free (matrix *A)
{
  free (A->start);
  free (A->index);
  free (A->values);
  free (A->lambda);
}

static inline gla_sparse *to_sparse (const matrix *A)
{
  const gla_csr c = {A->type, A->n, A->n, 8, A->start, A->index, A->values};
  gla_sparse *S = NULL;
  CHECK (gla_sparse_create (ctx, &c, &S, NULL) == GLA_OK, "%s", gla_message (ctx));
  return S;
}

// y = A*x in complex double
static inline void multiply (const matrix *A, const double complex *x, double complex *y)
{
  for (int64_t i = 0; i < A->n; i++) {
    y[i] = 0;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++)
      y[i] += get (A->type, A->values, k) * x[A->index[k]];
  }
}

//------------------------------------------------------------------------------
// closed forms
//------------------------------------------------------------------------------

static const double pi = 3.14159265358979323846;

static inline double complex path (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return i - j == 1 || j - i == 1;
}

static inline double complex star (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return (i == 0) != (j == 0);
}

static inline double complex complete (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return i != j;
}

static inline double complex bipartite (int64_t n, int64_t i, int64_t j)
{
  return (i < n / 3) != (j < n / 3);
}

static inline double complex identity (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return i == j;
}

static inline double complex zero (int64_t n, int64_t i, int64_t j)
{
  (void)n, (void)i, (void)j;
  return 0;
}

static inline double complex diagonal (int64_t n, int64_t i, int64_t j)
{
  return i == j ? (double)i - (double)n / 3 : 0;
}

static inline double complex rank_one (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return cexp (I * (double)i) * cexp (-I * (double)j);
}

static inline double complex real_rank_one (int64_t n, int64_t i, int64_t j)
{
  return ((double)i + 1) * ((double)j + 1) / (double)(n * n);
}

// Separate equal paths of 25 nodes: every eigenvalue has multiplicity n/25.
static inline double complex paths (int64_t n, int64_t i, int64_t j)
{
  return i / 25 == j / 25 ? path (n, i, j) : 0;
}

// A path with complex weights of modulus 1: it has the eigenvalues of the path.
static inline double complex phases (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return i - j == 1 ? cexp (I * (double)i) : j - i == 1 ? cexp (-I * (double)j) : 0;
}

enum { SIDE = 12 };

// Laplacian of a SIDE x SIDE grid
static inline double complex grid (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  const int64_t x = i % SIDE, y = i / SIDE, u = j % SIDE, v = j / SIDE;
  if (i == j)
    return (x > 0) + (x < SIDE - 1) + (y > 0) + (y < SIDE - 1);
  return llabs (x - u) + llabs (y - v) == 1 ? -1 : 0;
}

static inline void lambda_of (matrix *A, element f)
{
  const int64_t n = A->n;
  for (int64_t i = 0; i < n; i++) {
    const double at = (double)i, m = (double)n;
    double x = 0;
    if (f == path || f == phases)
      x = n == 1 ? 0 : 2 * cos ((at + 1) * pi / (m + 1));
    else if (f == paths)
      x = 2 * cos ((double)(i % 25 + 1) * pi / 26);
    else if (f == star)
      x = i == 0 ? sqrt (m - 1) : i == 1 ? -sqrt (m - 1) : 0;
    else if (f == complete)
      x = i == 0 ? m - 1 : -1;
    else if (f == bipartite)
      x = i < 2 ? sqrt ((double)(n / 3) * (double)(n - n / 3)) * (i == 0 ? 1 : -1) : 0;
    else if (f == identity)
      x = 1;
    else if (f == diagonal)
      x = at - m / 3;
    else if (f == rank_one)
      x = i == 0 ? m : 0;
    else if (f == real_rank_one)
      x = i == 0 ? (m + 1) * (2 * m + 1) / (6 * m) : 0;
    else if (f == grid)
      x = 4 - 2 * cos (pi * (double)(i % SIDE) / SIDE) - 2 * cos (pi * (double)(i / SIDE) / SIDE);
    A->lambda[i] = x;
  }
  sort_lambda (A);
}

#endif
