// test_far_columns.c: results whose columns are further apart than the BLAS can count
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each is refused or has the bits of a packed result; and a single column may have any stride. The
// memory between the columns is mapped but never written.

#include "common/system.h"
#include "frame/calls.h"
#include "frame/check.h"

enum { M = 150, N = 130, FEW = 6 };

typedef struct {
  const char *name;
  int64_t rows, columns;
  gla_status (*call) (gla_context *ctx, const gla_array *result);
} operation;

// Matrices of numbers in (-1, 1), the same in each call; the largest have M x N.
static double complex numbers[2][M * M];

static gla_array matrix (int which, int64_t rows, int64_t columns)
{
  return gla_array_packed (numbers[which], GLA_TYPE_Z, rows, columns, 1, GLA_DEVICE_HOST);
}

static gla_status general (gla_context *ctx, const gla_array *V, const gla_array *W)
{
  const int64_t n = V != NULL ? V->rows : W->rows;
  double complex lambda[N];
  const gla_array A = matrix (0, n, n);
  gla_pageeig_results r = {
      .size = sizeof r, .lambda = gla_array_packed (lambda, GLA_TYPE_Z, n, 1, 1, GLA_DEVICE_HOST)};
  if (V != NULL)
    r.V = *V;
  if (W != NULL)
    r.W = *W;
  return gla_pageeig (ctx, &A, &r, NULL, NULL);
}

static gla_status eigenvectors (gla_context *ctx, const gla_array *V)
{
  return general (ctx, V, NULL);
}

static gla_status left_eigenvectors (gla_context *ctx, const gla_array *W)
{
  return general (ctx, NULL, W);
}

static gla_status hermitian_vectors (gla_context *ctx, const gla_array *V)
{
  const int64_t n = V->rows;
  double lambda[N];
  const gla_array A = matrix (0, n, n);
  const gla_array l = gla_array_packed (lambda, GLA_TYPE_D, V->columns, 1, 1, GLA_DEVICE_HOST);
  gla_eig_options o = eig_options (GLA_EIG_METHOD_AUTO, GLA_TRIANGLE_LOWER);
  o.range = GLA_EIG_INDICES;
  o.il = 1;
  o.iu = V->columns;
  return call_batcheig (ctx, &A, &l, V, NULL, &o, NULL);
}

static gla_status singular_vectors (gla_context *ctx, const gla_array *U)
{
  double values[N];
  const gla_array A = matrix (0, U->rows, N);
  const gla_svd_options o = {.size = sizeof o, .values = U->columns < N ? U->columns : 0};
  const gla_svd_results r = {
      .size = sizeof r,
      .S = gla_array_packed (values, GLA_TYPE_D, U->columns, 1, 1, GLA_DEVICE_HOST),
      .U = *U};
  return gla_batchsvd (ctx, &A, &r, &o, NULL);
}

static gla_status orthonormal_factor (gla_context *ctx, const gla_array *Q)
{
  const gla_array A = matrix (0, Q->rows, Q->columns);
  const gla_qr_results r = {.size = sizeof r, .Q = *Q};
  return gla_qr (ctx, &A, NULL, &r, NULL, NULL);
}

static gla_status reflectors (gla_context *ctx, const gla_array *W)
{
  static double complex y[M * N];
  const gla_array A = matrix (0, W->rows, W->columns);
  const gla_qr_results r = {
      .size = sizeof r,
      .W = *W,
      .Y = gla_array_packed (y, GLA_TYPE_Z, W->rows, W->columns, 1, GLA_DEVICE_HOST)};
  return gla_qr (ctx, &A, NULL, &r, NULL, NULL);
}

static gla_status least_squares (gla_context *ctx, const gla_array *X)
{
  const gla_array A = matrix (0, M, X->rows), B = matrix (1, M, X->columns);
  return call_least_squares (ctx, &A, &B, X, NULL, NULL, NULL);
}

static gla_status least_norm (gla_context *ctx, const gla_array *X)
{
  const gla_array A = matrix (0, 20, X->rows), B = matrix (1, 20, X->columns);
  return call_least_squares (ctx, &A, &B, X, NULL, NULL, NULL);
}

static gla_status gsvd_with (gla_context *ctx, const gla_array *U, const gla_array *X, int64_t rows,
                             int64_t columns)
{
  double c[N], s[N];
  const int64_t q = rows == 1 ? 1 : columns; // of one row A alone has it
  const gla_array A = matrix (0, rows, columns), B = matrix (1, rows == 1 ? 0 : rows, columns);
  gla_gsvd_results r = {.size = sizeof r,
                        .alpha = gla_array_packed (c, GLA_TYPE_D, q, 1, 1, GLA_DEVICE_HOST),
                        .beta = gla_array_packed (s, GLA_TYPE_D, q, 1, 1, GLA_DEVICE_HOST)};
  if (U != NULL)
    r.U = *U;
  if (X != NULL)
    r.X = *X;
  return gla_gsvd (ctx, &A, &B, &r, NULL, NULL);
}

static gla_status pair_vectors (gla_context *ctx, const gla_array *U)
{
  return gsvd_with (ctx, U, NULL, U->rows, U->columns);
}

static gla_status pair_factor (gla_context *ctx, const gla_array *X)
{
  return gsvd_with (ctx, NULL, X, X->columns > 1 ? M : 1, X->rows);
}

static gla_status pair_eigenvectors (gla_context *ctx, const gla_array *Z)
{
  double c[N], s[N];
  const int64_t n = Z->rows, q = Z->columns;
  const gla_array A = matrix (0, q > 1 ? M : 1, n), B = matrix (1, q > 1 ? M : 0, n);
  const gla_gevd_results r = {.size = sizeof r,
                              .alpha = gla_array_packed (c, GLA_TYPE_D, q, 1, 1, GLA_DEVICE_HOST),
                              .beta = gla_array_packed (s, GLA_TYPE_D, q, 1, 1, GLA_DEVICE_HOST),
                              .Z = *Z};
  return gla_gevd (ctx, &A, &B, &r, NULL, NULL);
}

static gla_status definite_vectors (gla_context *ctx, const gla_array *V)
{
  const int64_t n = V->rows;
  double lambda[N];
  double complex *b = calloc ((size_t)(n * n), sizeof *b);
  if (b == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t i = 0; i < n; i++)
    b[i + i * n] = 2 + (double)i / (double)n;
  for (int64_t i = 0; i + 1 < n; i++)
    b[i + 1 + i * n] = 0.5;
  const gla_array A = matrix (0, n, n);
  const gla_array B = gla_array_packed (b, GLA_TYPE_Z, n, n, 1, GLA_DEVICE_HOST);
  const gla_eig_pairs_options o = {.size = sizeof o,
                                   .triangle = GLA_TRIANGLE_LOWER,
                                   .range = GLA_EIG_INDICES,
                                   .il = 1,
                                   .iu = V->columns};
  const gla_eig_pairs_results r = {
      .size = sizeof r,
      .lambda = gla_array_packed (lambda, GLA_TYPE_D, V->columns, 1, 1, GLA_DEVICE_HOST),
      .V = *V};
  const gla_status status = gla_batcheig_pairs (ctx, &A, &B, &r, &o, NULL);
  free (b);
  return status;
}

static gla_status solution (gla_context *ctx, const gla_array *X)
{
  const gla_array A = matrix (0, X->rows, X->rows), B = matrix (1, X->rows, X->columns);
  const gla_pagesolve_results r = {.size = sizeof r, .X = *X};
  return gla_pagesolve (ctx, &A, &B, &r, NULL, NULL);
}

static gla_status exponential (gla_context *ctx, const gla_array *F)
{
  const gla_array A = matrix (0, F->rows, F->rows);
  const gla_pagefun_results r = {.size = sizeof r, .F = *F};
  const gla_pagefun_options o = {.size = sizeof o, .triangle = GLA_TRIANGLE_LOWER};
  return gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, &o, NULL);
}

static gla_status product (gla_context *ctx, const gla_array *C)
{
  const gla_array A = matrix (0, C->rows, N), B = matrix (1, N, C->columns);
  const gla_pagemul_results r = {.size = sizeof r, .C = *C};
  return gla_pagemul (ctx, &A, &B, &r, NULL, NULL);
}

static const operation operations[] = {{"V of pageeig", FEW, FEW, eigenvectors},
                                       {"V of large pageeig", 60, 60, eigenvectors},
                                       {"W of large pageeig", 60, 60, left_eigenvectors},
                                       {"V of batcheig", FEW, FEW, hermitian_vectors},
                                       {"V of large batcheig", N, N, hermitian_vectors},
                                       {"v of batcheig", N, 1, hermitian_vectors},
                                       {"U of batchsvd", M, N, singular_vectors},
                                       {"U of one value", M, 1, singular_vectors},
                                       {"Q", M, N, orthonormal_factor},
                                       {"Q of small pages", FEW, FEW, orthonormal_factor},
                                       {"Q of one column", M, 1, orthonormal_factor},
                                       {"W", M, N, reflectors},
                                       {"W of one column", M, 1, reflectors},
                                       {"X of least squares", N, FEW, least_squares},
                                       {"x of least squares", N, 1, least_squares},
                                       {"X of least norm", N, FEW, least_norm},
                                       {"x of least norm", N, 1, least_norm},
                                       {"U of gsvd", M, 60, pair_vectors},
                                       {"U of gsvd of columns", M, 1, pair_vectors},
                                       {"X of gsvd", 60, 60, pair_factor},
                                       {"x of gsvd", 60, 1, pair_factor},
                                       {"Z of gevd", 60, 60, pair_eigenvectors},
                                       {"z of gevd", 60, 1, pair_eigenvectors},
                                       {"V of batcheig of pairs", FEW, FEW, definite_vectors},
                                       {"V of large pairs", N, N, definite_vectors},
                                       {"v of pairs", N, 1, definite_vectors},
                                       {"X of pagesolve", N, FEW, solution},
                                       {"x of pagesolve", N, 1, solution},
                                       {"F", 60, 60, exponential},
                                       {"C", M, 60, product}};

static int has_bits_of (const gla_array *a, const gla_array *b)
{
  for (int64_t j = 0; j < a->columns; j++)
    if (memcmp ((double complex *)a->data + j * a->column_stride,
                (double complex *)b->data + j * b->column_stride,
                (size_t)a->rows * sizeof (double complex)) != 0)
      return 0;
  return 1;
}

// Columns of `far` are `stride` apart.
static void check_stride (gla_context *ctx, const operation *o, const gla_array *packed,
                          int64_t stride)
{
  const size_t bytes = (size_t)((o->columns - 1) * stride + o->rows) * sizeof (double complex);
  void *memory = gla_map_zeros (bytes);
  CHECK (memory != NULL, "%s: no address space", o->name);
  if (memory == NULL)
    return;
  gla_array far = *packed;
  far.data = memory;
  far.column_stride = stride;
  const gla_status status = o->call (ctx, &far);
  if (status == GLA_ERROR_BAD_ARGUMENT)
    CHECK (o->columns > 1 && strstr (gla_message (ctx), "has column stride") != NULL, "%s: %s",
           o->name, gla_message (ctx));
  else
    CHECK (status == GLA_OK && has_bits_of (&far, packed), "%s: column stride %lld, status %d",
           o->name, (long long)stride, (int)status);
  gla_unmap (memory, bytes);
}

static void check_operation (gla_context *ctx, const operation *o)
{
  static double complex expected[M * N];
  const gla_array packed =
      gla_array_packed (expected, GLA_TYPE_Z, o->rows, o->columns, 1, GLA_DEVICE_HOST);
  CHECK (o->call (ctx, &packed) == GLA_OK, "%s: %s", o->name, gla_message (ctx));
  // as int 8 less than 0, and the number of rows
  check_stride (ctx, o, &packed, ((int64_t)1 << 32) - 8);
  check_stride (ctx, o, &packed, ((int64_t)1 << 32) + o->rows);
  if (o->columns == 1)
    check_stride (ctx, o, &packed, 0);
}

int main (void)
{
  unsigned long long seed = 5;
  for (int64_t k = 0; k < M * M; k++)
    for (int w = 0; w < 2; w++)
      numbers[w][k] = check_random (&seed) + check_random (&seed) * I;
  gla_context *ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
    check_operation (ctx, &operations[k]);
  gla_context_destroy (ctx);
  return check_report ("far columns");
}
