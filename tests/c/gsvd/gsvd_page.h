// gsvd_page.h: one GSVD call with its arrays, and the errors of its results
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GSVD_PAGE_H
#define GSVD_PAGE_H

#include "frame/page_bits.h"

// The call. Columns and pages have `gap` extra elements, filled with a pattern that must not
// change.
typedef struct {
  gla_type type;
  int m, n, p, pages, gap;
  int u, v; // 0: not computed, 1: economy form, 2: full form
  int x;
  gla_gsvd_options options;
} gsvd_call;

enum { GSVD_A, GSVD_B, GSVD_ALPHA, GSVD_BETA, GSVD_U, GSVD_V, GSVD_X, GSVD_ARRAYS };

typedef struct {
  gsvd_call call;
  int q;
  gla_array a[GSVD_ARRAYS];
  int32_t *info;
  gla_gsvd_stats *stats;
  gla_gsvd_report report;
  gla_status status;
} gsvd_page;

static inline double complex gsvd_get (const gla_array *a, int64_t i, int64_t j, int64_t p)
{
  const int64_t at = i + j * a->column_stride + p * a->page_stride;
  return a->type == GLA_TYPE_S   ? ((const float *)a->data)[at]
         : a->type == GLA_TYPE_D ? ((const double *)a->data)[at]
         : a->type == GLA_TYPE_C ? ((const float complex *)a->data)[at]
                                 : ((const double complex *)a->data)[at];
}

static inline void gsvd_set (const gla_array *a, int64_t i, int64_t j, int64_t p, double complex x)
{
  const int64_t at = i + j * a->column_stride + p * a->page_stride;
  if (a->type == GLA_TYPE_S)
    ((float *)a->data)[at] = (float)creal (x);
  else if (a->type == GLA_TYPE_D)
    ((double *)a->data)[at] = creal (x);
  else if (a->type == GLA_TYPE_C)
    ((float complex *)a->data)[at] = (float complex)x;
  else
    ((double complex *)a->data)[at] = x;
}

static inline int least (int a, int b)
{
  return a < b ? a : b;
}

static inline int most (int a, int b)
{
  return a > b ? a : b;
}

static inline gla_array gsvd_array (const gsvd_call *c, gla_type type, int rows, int columns)
{
  gla_array a = gla_array_packed (NULL, type, rows, columns, c->pages, GLA_DEVICE_HOST);
  a.column_stride += c->gap;
  a.page_stride = a.column_stride * columns + 2 * c->gap;
  const size_t bytes = (size_t)(a.page_stride * c->pages) * gla_type_size (type);
  a.data = malloc (bytes + 1);
  memset (a.data, GAP_BYTE, bytes + 1);
  return a;
}

static inline gsvd_page gsvd_page_new (const gsvd_call *c)
{
  const int q = least (c->m + c->n, c->p);
  const int u[3] = {0, least (c->m, q), c->m}, v[3] = {0, least (c->n, q), c->n};
  const gla_type real = gla_type_real (c->type);
  gsvd_page g = {.call = *c, .q = q};
  g.a[GSVD_A] = gsvd_array (c, c->type, c->m, c->p);
  g.a[GSVD_B] = gsvd_array (c, c->type, c->n, c->p);
  g.a[GSVD_ALPHA] = gsvd_array (c, real, q, 1);
  g.a[GSVD_BETA] = gsvd_array (c, real, q, 1);
  if (c->u)
    g.a[GSVD_U] = gsvd_array (c, c->type, c->m, u[c->u]);
  if (c->v)
    g.a[GSVD_V] = gsvd_array (c, c->type, c->n, v[c->v]);
  if (c->x)
    g.a[GSVD_X] = gsvd_array (c, c->type, c->p, q);
  g.info = malloc ((size_t)c->pages * sizeof *g.info + 1);
  g.stats = malloc ((size_t)c->pages * sizeof *g.stats + 1);
  return g;
}

static inline void gsvd_page_free (gsvd_page *g)
{
  for (int x = 0; x < GSVD_ARRAYS; x++)
    free (g->a[x].data);
  free (g->info);
  free (g->stats);
}

static inline void gsvd_run (gla_context *ctx, gsvd_page *g)
{
  gla_gsvd_results r = {sizeof r,     g->a[GSVD_ALPHA], g->a[GSVD_BETA], g->a[GSVD_U],
                        g->a[GSVD_V], g->a[GSVD_X],     g->info,         g->stats};
  g->call.options.size = sizeof g->call.options;
  g->report.base.size = sizeof g->report;
  g->status = gla_gsvd (ctx, &g->a[GSVD_A], &g->a[GSVD_B], &r, &g->call.options, &g->report);
}

static inline double gsvd_sigma (const gsvd_page *g, int j, int page)
{
  return creal (gsvd_get (&g->a[GSVD_ALPHA], j, 0, page)) /
         creal (gsvd_get (&g->a[GSVD_BETA], j, 0, page));
}

// Whether the gaps of all arrays are unchanged.
static inline int gsvd_untouched (const gsvd_page *g)
{
  for (int x = 0; x < GSVD_ARRAYS; x++)
    if (!gaps_untouched (&g->a[x]))
      return 0;
  return 1;
}

//------------------------------------------------------------------------------
// errors, in eps
//------------------------------------------------------------------------------

// |A - U C X'|_F / |A|_F, or that of B; the places of values in C and S are those of the library
static inline double gsvd_residual (const gsvd_page *g, int of_b, int page)
{
  const gla_array *a = &g->a[of_b ? GSVD_B : GSVD_A], *u = &g->a[of_b ? GSVD_V : GSVD_U];
  const gla_array *c = &g->a[of_b ? GSVD_BETA : GSVD_ALPHA], *X = &g->a[GSVD_X];
  const int shift = of_b ? 0 : most (0, g->q - g->call.m);
  const int last = of_b ? least (g->q, g->call.n) : g->q;
  long double off = 0, norm = 0;
  for (int64_t i = 0; i < a->rows; i++)
    for (int64_t j = 0; j < a->columns; j++) {
      const double complex x = gsvd_get (a, i, j, page);
      long double re = creal (x), im = cimag (x);
      norm += re * re + im * im;
      for (int k = shift; k < last; k++) {
        const double complex y = gsvd_get (u, i, k - shift, page);
        const double complex z = gsvd_get (X, j, k, page);
        const long double s = creal (gsvd_get (c, k, 0, page));
        const long double yr = creal (y) * s, yi = cimag (y) * s, zr = creal (z), zi = cimag (z);
        re -= yr * zr + yi * zi;
        im -= yi * zr - yr * zi;
      }
      off += re * re + im * im;
    }
  return off == 0 ? 0 : (double)sqrtl (off / norm) / gla_type_eps (g->call.type);
}

static inline double gsvd_orthogonality (const gsvd_page *g, int which, int page)
{
  const gla_array *u = &g->a[which];
  double worst = 0;
  for (int64_t j = 0; j < u->columns; j++)
    for (int64_t i = 0; i <= j; i++) {
      long double re = i == j ? -1 : 0, im = 0;
      for (int64_t k = 0; k < u->rows; k++) {
        const double complex x = gsvd_get (u, k, i, page), y = gsvd_get (u, k, j, page);
        re += (long double)creal (x) * creal (y) + (long double)cimag (x) * cimag (y);
        im += (long double)creal (x) * cimag (y) - (long double)cimag (x) * creal (y);
      }
      const double off = (double)hypotl (re, im);
      worst = check_worst (worst, off);
    }
  return worst / gla_type_eps (g->call.type);
}

// Checks C^2 + S^2 = 1, ascending values, and zeros outside the diagonals of C and S.
static inline int gsvd_values_right (const gsvd_page *g, int page)
{
  double before = -1;
  for (int j = 0; j < g->q; j++) {
    const double c = creal (gsvd_get (&g->a[GSVD_ALPHA], j, 0, page));
    const double s = creal (gsvd_get (&g->a[GSVD_BETA], j, 0, page)), sigma = c / s;
    if (!(fabs (c * c + s * s - 1) <= 4 * gla_type_eps (g->call.type)) || c < 0 || s < 0)
      return 0;
    if (!(sigma >= before * (1 - 8 * gla_type_eps (g->call.type))))
      return 0;
    if ((j < g->q - g->call.m && c != 0) || (j >= g->call.n && s != 0))
      return 0;
    before = sigma;
  }
  return 1;
}

// The relative difference of sigma of two pages.
static inline double gsvd_difference (const gsvd_page *a, const gsvd_page *b)
{
  double worst = 0;
  for (int j = 0; j < a->q; j++) {
    const double off = fabs (gsvd_sigma (a, j, 0) / gsvd_sigma (b, j, 0) - 1);
    worst = check_worst (worst, off);
  }
  return worst;
}

static inline void gsvd_check (const gsvd_page *g, const char *what)
{
  const gsvd_call *c = &g->call;
  const double limit = 10.0 * most (most (c->m, c->n), most (c->p, 2));
  CHECK (g->status == GLA_OK, "%c %dx%d %dx%d %s: status %d", c->type, c->m, c->p, c->n, c->p, what,
         g->status);
  for (int page = 0; page < c->pages; page++) {
    const double a = c->u && c->x ? gsvd_residual (g, 0, page) : 0;
    const double b = c->v && c->x ? gsvd_residual (g, 1, page) : 0;
    const double u = c->u ? gsvd_orthogonality (g, GSVD_U, page) : 0;
    const double v = c->v ? gsvd_orthogonality (g, GSVD_V, page) : 0;
    CHECK (
        g->info[page] == 0 && gsvd_values_right (g, page) && a <= limit && b <= limit &&
            u <= limit && v <= limit,
        "%c %dx%d %dx%d method %d block %d blocking %d ordering %d %s page %d: info %d values %d "
        "A %.1f B %.1f U %.1f V %.1f eps",
        c->type, c->m, c->p, c->n, c->p, c->options.method, c->options.block, c->options.blocking,
        c->options.ordering, what, page, g->info[page], gsvd_values_right (g, page), a, b, u, v);
  }
  CHECK (gsvd_untouched (g), "%c %dx%d %dx%d %s: gaps", c->type, c->m, c->p, c->n, c->p, what);
}

#endif
