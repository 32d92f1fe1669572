// spmv_once.c: one product with a sparse matrix by columns, without preparing anything
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One thread does a column of A*x, in the order of A's columns. Threads share the columns of x and,
// if A is transposed, the columns of A. So the sums are the same with any number of threads.

#include "sparse.h"
#include "threads/pool.h"

#include <complex.h>
#include <stdatomic.h>
#include <string.h>

// With fewer entries times vectors, the waits of threads cost more than they gain.
enum { SHARED_PRODUCT = 1 << 21, COLUMNS_OF_PART = 1 << 14 };

typedef struct {
  const gla_csr *A;
  int conjugate;
} once;

static inline double complex times (double complex a, double complex b)
{
  return __builtin_complex (creal (a) * creal (b) - cimag (a) * cimag (b),
                            creal (a) * cimag (b) + cimag (a) * creal (b));
}

static inline double complex complex_value (const once *t, int64_t k)
{
  const double complex a = ((const double complex *)t->A->values)[k];
  return t->conjugate ? conj (a) : a;
}

#define ONCE(name) name##_ones_d
#define ONCE_A(t, k) 1
#define ONCE_X double
#define ONCE_TIMES(a, x) (x)
#include "spmv_once_template.h"

#define ONCE(name) name##_ones_z
#define ONCE_A(t, k) 1
#define ONCE_X double complex
#define ONCE_TIMES(a, x) (x)
#include "spmv_once_template.h"

#define ONCE(name) name##_d_d
#define ONCE_A(t, k) (((const double *)(t)->A->values)[k])
#define ONCE_X double
#define ONCE_TIMES(a, x) ((a) * (x))
#include "spmv_once_template.h"

#define ONCE(name) name##_d_z
#define ONCE_A(t, k) (((const double *)(t)->A->values)[k])
#define ONCE_X double complex
#define ONCE_TIMES(a, x) ((a) * (x))
#include "spmv_once_template.h"

#define ONCE(name) name##_z_z
#define ONCE_A(t, k) complex_value (t, k)
#define ONCE_X double complex
#define ONCE_TIMES(a, x) times (a, x)
#include "common/status.h"
#include "spmv_once_template.h"

typedef void once_function (const once *t, const void *x, void *y, int64_t low, int64_t high);

static once_function *function_of (const gla_csr *A, gla_type type, int transposed)
{
  if (A->values == NULL && type == GLA_TYPE_D)
    return transposed ? gather_ones_d : scatter_ones_d;
  if (A->values == NULL)
    return transposed ? gather_ones_z : scatter_ones_z;
  if (A->type == GLA_TYPE_Z)
    return transposed ? gather_z_z : scatter_z_z;
  if (type == GLA_TYPE_D)
    return transposed ? gather_d_d : scatter_d_d;
  return transposed ? gather_d_z : scatter_d_z;
}

static int fits (const gla_csr *A, gla_type type, char op)
{
  return (A->type == GLA_TYPE_D || A->type == GLA_TYPE_Z) &&
         (type == GLA_TYPE_D || type == GLA_TYPE_Z) &&
         (A->type == GLA_TYPE_D || type == GLA_TYPE_Z) && (op == 'N' || op == 'T' || op == 'C');
}

typedef struct {
  gla_context *ctx;
  const once *t;
  once_function *f;
  const char *x;
  char *y;
  size_t x_bytes, y_bytes; // of a vector
  int64_t parts;
  _Atomic int stop;
} once_product;

static void once_piece (void *user, int64_t u, int slot)
{
  once_product *a = user;
  const int64_t p = u % a->parts, v = u / a->parts, end = a->t->A->columns;
  const int64_t low = p * COLUMNS_OF_PART, next = low + COLUMNS_OF_PART;
  if (!atomic_load (&a->stop))
    a->f (a->t, a->x + (size_t)v * a->x_bytes, a->y + (size_t)v * a->y_bytes, low,
          next < end ? next : end);
  if (a->ctx != NULL && slot == 0 && gla_stop_wanted (a->ctx))
    atomic_store (&a->stop, 1);
}

// ctx may be NULL.
static gla_status check (gla_context *ctx, const gla_csr *A, char op, gla_type type, const void *x,
                         const void *y, int64_t columns)
{
  if (A == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A must not be NULL");
  if (!fits (A, type, op))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "A and x must be d or z, x not d where A is z, and op N, T or C");
  GLA_TRY (gla_check_csr (ctx, "A", A, 1));
  if (columns < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "columns = %lld must not be negative",
                     (long long)columns);
  const int64_t n = op == 'N' ? A->columns : A->rows, m = op == 'N' ? A->rows : A->columns;
  if (columns > 0 && ((n > 0 && x == NULL) || (m > 0 && y == NULL)))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL",
                     n > 0 && x == NULL ? "x" : "y");
  return GLA_OK;
}

gla_status gla_spmv_once (gla_context *ctx, const gla_csr *A, char op, gla_type type, const void *x,
                          void *y, int64_t columns)
{
  GLA_TRY (check (ctx, A, op, type, x, y, columns));
  const int transposed = op != 'N';
  const once t = {A, op == 'C'};
  const int64_t n = transposed ? A->rows : A->columns, m = transposed ? A->columns : A->rows;
  if (m == 0 || columns == 0)
    return GLA_OK;
  const size_t size = gla_type_size (type);
  const int64_t work = gla_csr_at (A->start, A->index_bytes, A->columns) + m;
  const int64_t parts = transposed ? (A->columns + COLUMNS_OF_PART - 1) / COLUMNS_OF_PART : 1;
  const int64_t units = parts * columns;
  once_product a = {
      ctx,   &t, function_of (A, type, transposed), x, y, (size_t)n * size, (size_t)m * size,
      parts, 0};
  gla_pool_for (units, work * columns >= SHARED_PRODUCT ? gla_pool_threads () : 1, once_piece, &a);
  return atomic_load (&a.stop) ? GLA_ERROR_STOPPED : GLA_OK;
}
