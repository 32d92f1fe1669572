// svd_page.h: one SVD call with its arrays, the errors of its results, and kinds of pages
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SVD_PAGE_H
#define SVD_PAGE_H

#include "common/phase.h"
#include "frame/elements.h"
#include "frame/long_sums.h"
#include "frame/page_bits.h"

// The call. Arrays have `gap` extra rows, filled with a pattern that must not change.
typedef struct {
  gla_type type;
  int m, n, pages, gap;
  int u, v;     // 0: not wanted, 1: as many columns as values, 2: full
  int values;   // 0: all
  int diagonal; // S is the diagonal of square pages
  gla_svd_method method;
} svd_call;

enum { SVD_A, SVD_S, SVD_U, SVD_V, SVD_ARRAYS };

typedef struct {
  svd_call call;
  gla_array a[SVD_ARRAYS];
  char *before; // a copy of A before the call
  int32_t *info;
  gla_svd_report report;
  gla_status status;
} svd_page;

static inline int svd_least (const svd_call *c)
{
  return c->m < c->n ? c->m : c->n;
}

static inline int svd_values (const svd_call *c)
{
  return c->values > 0 ? c->values : svd_least (c);
}

static inline gla_array svd_array (const svd_call *c, gla_type type, int rows, int columns)
{
  gla_array a = gla_array_packed (NULL, type, rows, columns, c->pages, GLA_DEVICE_HOST);
  a.column_stride += c->gap;
  a.page_stride = a.column_stride * columns + 2 * c->gap;
  const size_t bytes = (size_t)(a.page_stride * c->pages + 1) * gla_type_size (type);
  a.data = malloc (bytes);
  memset (a.data, GAP_BYTE, bytes);
  return a;
}

static inline svd_page svd_page_new (const svd_call *c)
{
  const int r = svd_values (c);
  svd_page p = {.call = *c};
  p.a[SVD_A] = svd_array (c, c->type, c->m, c->n);
  p.a[SVD_S] = svd_array (c, gla_type_real (c->type), r, c->diagonal ? r : 1);
  if (c->diagonal) {
    p.a[SVD_S].columns = 1;
    p.a[SVD_S].row_stride = p.a[SVD_S].column_stride + 1;
    p.a[SVD_S].column_stride = p.a[SVD_S].page_stride;
  }
  if (c->u)
    p.a[SVD_U] = svd_array (c, c->type, c->m, c->u == 2 ? c->m : r);
  if (c->v)
    p.a[SVD_V] = svd_array (c, c->type, c->n, c->v == 2 ? c->n : r);
  p.info = malloc ((size_t)(c->pages + 1) * sizeof *p.info);
  return p;
}

static inline void svd_page_free (svd_page *p)
{
  for (int x = 0; x < SVD_ARRAYS; x++)
    free (p->a[x].data);
  free (p->before);
  free (p->info);
}

static inline double complex svd_at (const gla_array *a, int64_t i, int64_t j, int64_t p)
{
  return get (a->type, a->data, i * a->row_stride + j * a->column_stride + p * a->page_stride);
}

static inline double svd_value (const svd_page *p, int64_t i, int64_t page)
{
  return creal (svd_at (&p->a[SVD_S], i, 0, page));
}

static inline void svd_set (const svd_page *p, int64_t i, int64_t j, int64_t page, double complex x)
{
  const gla_array *A = &p->a[SVD_A];
  set (A->type, A->data, i + j * A->column_stride + page * A->page_stride, x);
}

static inline void svd_run (gla_context *ctx, svd_page *p)
{
  const gla_array *A = &p->a[SVD_A];
  const size_t bytes = (size_t)(A->page_stride * A->pages) * gla_type_size (A->type);
  const gla_svd_options o = {.size = sizeof o, .method = p->call.method, .values = p->call.values};
  const gla_svd_results r = {sizeof r, p->a[SVD_S], p->a[SVD_U], p->a[SVD_V], p->info};
  free (p->before);
  p->before = malloc (bytes + 1);
  memcpy (p->before, A->data, bytes);
  p->report.base.size = sizeof p->report;
  p->status = gla_batchsvd (ctx, A, &r, &o, &p->report);
}

// Whether A and the gaps of U and V are unchanged.
static inline int svd_untouched (const svd_page *p)
{
  const gla_array *A = &p->a[SVD_A];
  const size_t bytes = (size_t)(A->page_stride * A->pages) * gla_type_size (A->type);
  return memcmp (p->before, A->data, bytes) == 0 && gaps_untouched (&p->a[SVD_U]) &&
         gaps_untouched (&p->a[SVD_V]);
}

//------------------------------------------------------------------------------
// errors
//------------------------------------------------------------------------------

// The columns of a page, or with `rows` its rows; conjugated or not.
static inline vectors svd_vectors (const gla_array *a, int64_t page, int rows, int conjugated)
{
  return vectors_of (a, page, rows, conjugated, svd_at);
}

// The largest |Q'*Q - I|, in eps.
static inline double svd_orthogonality (const gla_array *Q, int64_t page)
{
  const int is_complex = gla_type_is_complex (Q->type);
  const vectors left = svd_vectors (Q, page, 0, 1), right = svd_vectors (Q, page, 0, 0);
  double worst = 0;
  for (int64_t j = 0; j < Q->columns; j++)
    for (int64_t i = 0; i <= j; i++) {
      const wide off = sum_of_products (left, i, right, j, is_complex) - (i == j);
      worst = check_worst (worst, (double)wide_abs (off));
    }
  vectors_free (left);
  vectors_free (right);
  return worst / gla_type_eps (Q->type);
}

// The largest |M*x - s*y| over the largest value, in eps: M, given by its rows, is A or A', and x
// and y are columns of V and U or of U and V. Numbers are scaled, so that squares stay in range.
static inline double svd_residual_of (const svd_page *p, int64_t page, vectors M, vectors x,
                                      vectors y)
{
  const int is_complex = gla_type_is_complex (p->call.type);
  const long double top = svd_value (p, 0, page) > 0 ? (long double)svd_value (p, 0, page) : 1;
  // the rounding errors of denormal numbers
  const long double grain = gla_type_real (p->call.type) == GLA_TYPE_S ? 0x1p-148L : 0x1p-1073L;
  double worst = 0;
  for (int64_t j = 0; j < svd_values (&p->call); j++) {
    const long double s = svd_value (p, j, page);
    long double sum = 0;
    for (int64_t i = 0; i < y.n; i++) {
      const wide product = sum_of_products (M, i, x, j, is_complex);
      const long double re = creall (product) - s * y.re[j * y.n + i];
      const long double im = cimagl (product) - s * y.im[j * y.n + i];
      const long double off = fmaxl (0, wide_abs (re + im * I) - grain * (long double)x.n) / top;
      sum += isnan (re + im) ? INFINITY : off * off;
    }
    worst = check_worst (worst, (double)sqrtl (sum));
  }
  return worst / gla_type_eps (p->call.type);
}

// The larger of that for A*v = s*u and for A'*u = s*v, for nothing of A may be left out.
static inline double svd_residual (const svd_page *p, int64_t page)
{
  const vectors rows = svd_vectors (&p->a[SVD_A], page, 1, 0);
  const vectors columns = svd_vectors (&p->a[SVD_A], page, 0, 1);
  const vectors u = svd_vectors (&p->a[SVD_U], page, 0, 0);
  const vectors v = svd_vectors (&p->a[SVD_V], page, 0, 0);
  const double there = svd_residual_of (p, page, rows, v, u);
  const double back = svd_residual_of (p, page, columns, u, v);
  vectors_free (rows);
  vectors_free (columns);
  vectors_free (u);
  vectors_free (v);
  return check_worst (there, back);
}

// Whether values are descending and not negative, -0 excluded.
static inline int svd_descending (const svd_page *p, int64_t page)
{
  for (int64_t j = 0; j < svd_values (&p->call); j++) {
    const double s = svd_value (p, j, page);
    if (!(s >= 0) || signbit (s) || (j > 0 && !(s <= svd_value (p, j - 1, page))))
      return 0;
  }
  return 1;
}

// Whether an element of each of these columns of V that counts as the largest one is real and
// positive.
static inline int svd_phases (const svd_page *p, int64_t page)
{
  const gla_array *V = &p->a[SVD_V];
  for (int64_t j = 0; j < svd_values (&p->call) && V->data != NULL; j++) {
    double most = 0;
    int found = 0;
    for (int64_t i = 0; i < V->rows; i++)
      most = fmax (most, cabs (svd_at (V, i, j, page)));
    const double least = most * (GLA_PHASE_NEAR - 8 * gla_type_eps (V->type));
    for (int64_t i = 0; i < V->rows; i++) {
      const double complex x = svd_at (V, i, j, page);
      found |= creal (x) >= least && cimag (x) == 0;
    }
    if (!found)
      return 0;
  }
  return 1;
}

// All of this; `what` says which page it is. The bounds are those of LAPACK's tests, 30.
static inline void svd_check_page (const svd_page *p, int64_t page, const char *what)
{
  const svd_call *c = &p->call;
  const int most = c->m > c->n ? c->m : c->n, both = c->u && c->v;
  const double residual = both ? svd_residual (p, page) : 0;
  const double u = c->u ? svd_orthogonality (&p->a[SVD_U], page) / c->m : 0;
  const double v = c->v ? svd_orthogonality (&p->a[SVD_V], page) / c->n : 0;
  CHECK (p->info[page] == 0, "%c %dx%d %s: info %d", c->type, c->m, c->n, what, p->info[page]);
  CHECK (svd_descending (p, page), "%c %dx%d %s: not descending", c->type, c->m, c->n, what);
  CHECK (residual <= 30 * most && u <= 15 && v <= 15,
         "%c %dx%d %s method %d: residual %g, U %g, V %g", c->type, c->m, c->n, what, c->method,
         residual / most, u, v);
  CHECK (svd_phases (p, page), "%c %dx%d %s: phases", c->type, c->m, c->n, what);
}

//------------------------------------------------------------------------------
// kinds of pages
//------------------------------------------------------------------------------

typedef enum {
  RANDOM,
  ZERO,
  IDENTITY,
  ONES,
  ZERO_COLUMN,
  ZERO_ROW,
  RANK_2,
  REPEATED,
  NEAR,
  TINY,
  LARGE,
  DENORMAL,
  ROWS_UP,
  COLUMNS_UP,
  COLUMNS_DOWN,
  MINUS_ZERO,
  POWERS, // R of its QR factorisation has a level diagonal and a large condition number
  KINDS
} kind_of_page;

static inline double complex random_of (gla_type type, unsigned long long *seed)
{
  const double re = check_random (seed), im = check_random (seed);
  return gla_type_is_complex (type) ? re + im * I : re;
}

// Element (i, j) of a page of this kind, x a random number.
static inline double complex element (kind_of_page kind, const svd_call *c, int i, int j,
                                      double complex x)
{
  const int single = gla_type_real (c->type) == GLA_TYPE_S;
  const double least = single ? 0x1p-149 : 0x1p-1074, size = single ? 1e30 : 1e300;
  switch (kind) {
  case RANDOM:
    return x;
  case ZERO:
    return 0;
  case IDENTITY:
    return i == j;
  case ONES:
    return 1;
  case ZERO_COLUMN:
    return j == c->n / 2 ? 0 : x;
  case ZERO_ROW:
    return i == c->m / 2 ? 0 : x;
  case RANK_2:
    return cos (i) * sin (j + 1) + sin (2 * i) * cos (3 * j);
  case REPEATED:
    return (i % 3 == j % 3) + (double)(i == j);
  case NEAR:
    return (i == j) + gla_type_eps (c->type) * 4 * x;
  case TINY:
    return x / size;
  case LARGE:
    return x * size;
  case DENORMAL:
    return round (4 * creal (x)) * least;
  case ROWS_UP:
    return x * pow (10, 20. * i / c->m);
  case COLUMNS_UP:
    return x * pow (10, 20. * j / c->n);
  case COLUMNS_DOWN:
    return x * pow (10, (single ? -24. : -250.) * j / c->n);
  case POWERS:
    return c->m < c->n ? pow ((j + 1.) / c->n, i) : pow ((i + 1.) / c->m, c->n - 1 - j);
  default:
    return -0.0 * (i + j);
  }
}

#endif
