// qr_page.h: one QR call with its arrays, and the errors of its results
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef QR_PAGE_H
#define QR_PAGE_H

#include "frame/long_sums.h"
#include "frame/page_bits.h"

// The call. Arrays have `gap` extra rows, filled with a pattern that must not change.
typedef struct {
  gla_type type;
  int m, n, pages, rhs, gap;
  int q, r, c; // 0: not computed, 1: economy form, 2: full form
  int wy, pivot, block;
} qr_call;

enum { QR_A, QR_B, QR_Q, QR_R, QR_C, QR_W, QR_Y, QR_ARRAYS };

typedef struct {
  qr_call call;
  gla_array a[QR_ARRAYS];
  char *before; // a copy of A before the call
  int64_t *jpvt;
  gla_status status;
} qr_page;

static inline double complex qr_get (gla_type type, const void *x, int64_t at)
{
  return type == GLA_TYPE_S   ? ((const float *)x)[at]
         : type == GLA_TYPE_D ? ((const double *)x)[at]
         : type == GLA_TYPE_C ? ((const float complex *)x)[at]
                              : ((const double complex *)x)[at];
}

static inline void qr_set (gla_type type, void *x, int64_t at, double complex v)
{
  if (type == GLA_TYPE_S)
    ((float *)x)[at] = (float)creal (v);
  else if (type == GLA_TYPE_D)
    ((double *)x)[at] = creal (v);
  else if (type == GLA_TYPE_C)
    ((float complex *)x)[at] = (float complex)v;
  else
    ((double complex *)x)[at] = v;
}

static inline double complex qr_at (const gla_array *a, int64_t i, int64_t j, int64_t p)
{
  return qr_get (a->type, a->data, i + j * a->column_stride + p * a->page_stride);
}

static inline int qr_least (const qr_call *c)
{
  return c->m < c->n ? c->m : c->n;
}

static inline gla_array qr_array (const qr_call *c, int rows, int columns)
{
  gla_array a = gla_array_packed (NULL, c->type, rows, columns, c->pages, GLA_DEVICE_HOST);
  a.column_stride += c->gap;
  a.page_stride = a.column_stride * columns + 2 * c->gap;
  const size_t bytes = (size_t)(a.page_stride * c->pages + 1) * gla_type_size (c->type);
  a.data = malloc (bytes);
  memset (a.data, GAP_BYTE, bytes);
  return a;
}

static inline qr_page qr_page_new (const qr_call *c)
{
  const int k = qr_least (c), of[3] = {0, k, c->m};
  qr_page p = {.call = *c};
  p.a[QR_A] = qr_array (c, c->m, c->n);
  p.a[QR_B] = qr_array (c, c->m, c->rhs);
  if (c->q)
    p.a[QR_Q] = qr_array (c, c->m, of[c->q]);
  if (c->r)
    p.a[QR_R] = qr_array (c, of[c->r], c->n);
  if (c->c)
    p.a[QR_C] = qr_array (c, of[c->c], c->rhs);
  if (c->wy) {
    p.a[QR_W] = qr_array (c, c->m, k);
    p.a[QR_Y] = qr_array (c, c->m, k);
  }
  p.jpvt = malloc ((size_t)(c->n * c->pages) * sizeof *p.jpvt);
  return p;
}

static inline void qr_page_free (qr_page *p)
{
  for (int x = 0; x < QR_ARRAYS; x++)
    free (p->a[x].data);
  free (p->before);
  free (p->jpvt);
}

static inline size_t qr_bytes (const gla_array *a)
{
  return (size_t)(a->page_stride * a->pages) * gla_type_size (a->type);
}

static inline void qr_run (gla_context *ctx, qr_page *p)
{
  const gla_qr_options o = {sizeof o, p->call.pivot, p->call.block};
  gla_qr_results r = {sizeof r,   p->a[QR_Q], p->a[QR_R], p->a[QR_C],
                      p->a[QR_W], p->a[QR_Y], p->jpvt};
  free (p->before);
  p->before = malloc (qr_bytes (&p->a[QR_A]) + 1);
  memcpy (p->before, p->a[QR_A].data, qr_bytes (&p->a[QR_A]));
  p->status = gla_qr (ctx, &p->a[QR_A], p->call.c ? &p->a[QR_B] : NULL, &r, &o, NULL);
}

// Whether A and the gaps of all results are unchanged.
static inline int qr_untouched (const qr_page *p)
{
  if (memcmp (p->before, p->a[QR_A].data, qr_bytes (&p->a[QR_A])) != 0)
    return 0;
  for (int x = QR_Q; x < QR_ARRAYS; x++)
    if (!gaps_untouched (&p->a[x]))
      return 0;
  return 1;
}

//------------------------------------------------------------------------------
// errors
//------------------------------------------------------------------------------

// The columns of a page, or with `rows` its rows; conjugated or not.
static inline vectors qr_vectors (const gla_array *a, int64_t page, int rows, int conjugated)
{
  return vectors_of (a, page, rows, conjugated, qr_at);
}

typedef struct {
  double columns;  // max |a_j - Q r_j| / |a_j|, in eps
  double product;  // |A - QR|_1 / (m |A|_1 eps)
  double identity; // max |I - Q'Q|, in eps
  double c;        // |C - Q'B|_1 / (m |B|_1 eps)
  double wy;       // max |I + W Y' - Q|, in eps
} qr_quality;

// The rounding error of denormal numbers in a column of m elements.
static inline long double qr_grain (const qr_call *c)
{
  return (gla_type_real (c->type) == GLA_TYPE_S ? 0x1p-149L : 0x1p-1074L) * (long double)c->m * 4;
}

static inline void qr_measure_product (const qr_page *p, int64_t page, double eps, qr_quality *q)
{
  const qr_call *c = &p->call;
  const gla_array *Q = &p->a[QR_Q], *R = &p->a[QR_R];
  const int is_complex = gla_type_is_complex (c->type);
  const vectors rows = qr_vectors (Q, page, 1, 0), columns = qr_vectors (R, page, 0, 0);
  long double worst = 0, size = 0;
  for (int j = 0; j < c->n; j++) {
    const int64_t from = c->pivot ? p->jpvt[page * c->n + j] : j;
    long double off1 = 0, off2 = 0, norm1 = 0, norm2 = 0;
    for (int i = 0; i < c->m; i++) {
      const wide a = qr_at (&p->a[QR_A], i, from, page);
      const int64_t count = j < R->rows ? j + 1 : R->rows;
      const wide s = sum_of_first (count, rows, i, columns, j, is_complex);
      const long double off = wide_abs (s - a), norm = wide_abs (a);
      off1 += off, off2 += off * off, norm1 += norm, norm2 += norm * norm;
    }
    worst = off1 > worst ? off1 : worst;
    size = norm1 > size ? norm1 : size;
    const long double off = sqrtl (off2) - qr_grain (c);
    if (isnan (off1))
      q->columns = INFINITY;
    else if (off > 0)
      q->columns = fmax (q->columns, norm2 > 0 ? (double)(off / sqrtl (norm2) / eps) : INFINITY);
  }
  vectors_free (rows);
  vectors_free (columns);
  worst -= qr_grain (c) * c->m;
  q->product = worst > 0 ? (double)(worst / (c->m * size * eps)) : isnan (worst) ? INFINITY : 0;
}

static inline double qr_orthogonality (const gla_array *Q, int64_t page, double eps)
{
  const int is_complex = gla_type_is_complex (Q->type);
  const vectors left = qr_vectors (Q, page, 0, 1), right = qr_vectors (Q, page, 0, 0);
  long double worst = 0;
  for (int64_t j = 0; j < Q->columns; j++)
    for (int64_t i = 0; i <= j; i++) {
      const long double off = wide_abs (sum_of_products (left, i, right, j, is_complex) - (i == j));
      worst = isnan (off) ? INFINITY : fmaxl (worst, off);
    }
  vectors_free (left);
  vectors_free (right);
  return (double)(worst / eps);
}

static inline double qr_measure_c (const qr_page *p, int64_t page, double eps)
{
  const gla_array *Q = &p->a[QR_Q], *C = &p->a[QR_C], *B = &p->a[QR_B];
  const int is_complex = gla_type_is_complex (C->type);
  const vectors left = qr_vectors (Q, page, 0, 1), right = qr_vectors (B, page, 0, 0);
  long double worst = 0, size = 0;
  for (int64_t j = 0; j < C->columns; j++) {
    long double off = 0, norm = 0;
    for (int64_t i = 0; i < C->rows && i < Q->columns; i++)
      off += wide_abs (sum_of_products (left, i, right, j, is_complex) - qr_at (C, i, j, page));
    for (int64_t k = 0; k < B->rows; k++)
      norm += wide_abs (qr_at (B, k, j, page));
    worst = isnan (off) ? INFINITY : fmaxl (worst, off);
    size = norm > size ? norm : size;
  }
  vectors_free (left);
  vectors_free (right);
  return isinf (worst) ? INFINITY : (double)(worst / (B->rows * size * eps));
}

// Also checks that Y is unit lower trapezoidal.
static inline double qr_measure_wy (const qr_page *p, int64_t page, double eps)
{
  const gla_array *Q = &p->a[QR_Q], *W = &p->a[QR_W], *Y = &p->a[QR_Y];
  const int is_complex = gla_type_is_complex (Q->type);
  const vectors left = qr_vectors (W, page, 1, 0), right = qr_vectors (Y, page, 1, 1);
  long double worst = 0;
  for (int64_t j = 0; j < Q->columns; j++)
    for (int64_t i = 0; i < Q->rows; i++) {
      const int64_t count = j < Y->columns ? j + 1 : Y->columns;
      const wide s = sum_of_first (count, left, i, right, j, is_complex);
      const long double off = wide_abs (s + (i == j) - qr_at (Q, i, j, page));
      const int wrong = j < Y->columns && i <= j && qr_at (Y, i, j, page) != (i == j);
      worst = isnan (off) || wrong ? INFINITY : fmaxl (worst, off);
    }
  vectors_free (left);
  vectors_free (right);
  return (double)(worst / eps);
}

static inline qr_quality qr_measure (const qr_page *p, int64_t page)
{
  qr_quality q = {0, 0, 0, 0, 0};
  const double eps = gla_type_eps (p->call.type) / 2;
  if (p->call.q && p->call.r)
    qr_measure_product (p, page, eps, &q);
  if (p->call.q)
    q.identity = qr_orthogonality (&p->a[QR_Q], page, eps);
  if (p->call.q && p->call.c)
    q.c = qr_measure_c (p, page, eps);
  if (p->call.q && p->call.wy)
    q.wy = qr_measure_wy (p, page, eps);
  return q;
}

// Whether R is upper triangular with a real diagonal, which with pivoting does not grow.
static inline int qr_triangular (const qr_page *p, int64_t page)
{
  const gla_array *R = &p->a[QR_R];
  const double eps = gla_type_eps (p->call.type);
  for (int64_t j = 0; j < R->columns; j++)
    for (int64_t i = j + 1; i < R->rows; i++)
      if (qr_at (R, i, j, page) != 0)
        return 0;
  for (int64_t j = 0; j < qr_least (&p->call); j++) {
    const double complex d = qr_at (R, j, j, page);
    if (cimag (d) != 0)
      return 0;
    if (p->call.pivot && j > 0 &&
        fabs (creal (d)) >
            cabs (qr_at (R, j - 1, j - 1, page)) + 10 * eps * cabs (qr_at (R, 0, 0, page)))
      return 0;
  }
  return 1;
}

#endif
