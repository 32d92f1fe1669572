// fun_values.c: values of functions at eigenvalues
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All values are in double precision, also for pages in single precision.

#include "fun_values.h"
#include "arrays.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

static inline int is_single (const gla_pagefun_job *job)
{
  return gla_type_real (job->head.type) == GLA_TYPE_S;
}

static inline double number_at (int single, const void *data, int64_t at)
{
  return single ? (double)((const float *)data)[at] : ((const double *)data)[at];
}

static const void *eigenvalues_of (const gla_pagefun_chunk *c, int64_t page)
{
  return gla_array_pages (&c->lambda, page, 1).data;
}

// CMPLX is not defined for every compiler.
static inline double complex complex_of (double re, double im)
{
  const double parts[2] = {re, im};
  double complex x;
  memcpy (&x, parts, sizeof x);
  return x;
}

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

typedef enum { KEEP, NEGATIVE_TO_ZERO, SMALL_TO_ZERO } rounding;

// Returns the treatment of eigenvalues that are 0 to within rounding.
static rounding rounding_of (const gla_pagefun_job *job)
{
  const double p = job->power;
  switch (job->fun) {
  case GLA_FUN_SQRT:
    return NEGATIVE_TO_ZERO;
  case GLA_FUN_ISQRT:
  case GLA_FUN_LOG:
  case GLA_FUN_INV:
    return SMALL_TO_ZERO;
  case GLA_FUN_POWER:
    return p < 0 ? SMALL_TO_ZERO : p != floor (p) ? NEGATIVE_TO_ZERO : KEEP;
  default:
    return KEEP;
  }
}

// The parameters for the eigenvalues of a page.
typedef struct {
  const gla_pagefun_job *job;
  const void *lambda;
  int single;
  rounding how;
  double largest;   // magnitude
  double scale, im; // real and imaginary part
} page_arguments;

static inline page_arguments arguments_of (const gla_pagefun_job *job, const gla_pagefun_chunk *c,
                                           int64_t page)
{
  const int64_t at = job->scale_each ? page : 0;
  const void *lambda = eigenvalues_of (c, page);
  const int single = is_single (job);
  const double first = fabs (number_at (single, lambda, 0));
  const double last = fabs (number_at (single, lambda, job->n - 1));
  page_arguments a = {.job = job,
                      .lambda = lambda,
                      .single = single,
                      .how = rounding_of (job),
                      .largest = first > last ? first : last,
                      .scale = 1};
  if (c->scale != NULL) {
    a.scale = c->scale[job->scale_complex ? 2 * at : at];
    a.im = job->scale_complex ? c->scale[2 * at + 1] : 0;
  }
  return a;
}

// Returns eigenvalue j after tol and floor, not yet scaled.
static inline double eigenvalue (const page_arguments *a, int64_t j)
{
  const gla_pagefun_job *job = a->job;
  double x = number_at (a->single, a->lambda, j);
  if (a->how != KEEP && job->tol > 0 && fabs (x) <= job->tol * a->largest &&
      (x < 0 || a->how == SMALL_TO_ZERO))
    x = 0;
  return job->raise && x < job->floor * a->largest ? job->floor * a->largest : x;
}

void gla_fun_arguments (const gla_pagefun_job *job, const gla_pagefun_chunk *c, int64_t page,
                        const gla_array *x)
{
  const page_arguments a = arguments_of (job, c, page);
  const int64_t parts = 1 + gla_type_is_complex (x->type), first = page * x->page_stride;
  for (int64_t j = 0; j < job->n; j++) {
    const double l = eigenvalue (&a, j);
    gla_put_number (x, (first + j) * parts, a.scale * l);
    if (parts == 2)
      gla_put_number (x, (first + j) * parts + 1, a.im * l);
  }
}

//------------------------------------------------------------------------------
// values
//------------------------------------------------------------------------------

static gla_fun_value from_real (double f)
{
  return (gla_fun_value){sqrt (fabs (f)), f < 0 ? -1 : 1, 0};
}

static gla_fun_value from_complex (double complex f)
{
  const double size = cabs (f);
  if (cimag (f) == 0 || size == 0)
    return from_real (creal (f));
  if (!isfinite (size))
    return (gla_fun_value){size, NAN, NAN};
  return (gla_fun_value){sqrt (size), creal (f) / size, cimag (f) / size};
}

static inline gla_fun_value exponential (double re, double im)
{
  gla_fun_value f = {re == 0 ? 1 : exp (re / 2), 1, 0};
  if (im != 0) {
    f.re = cos (im);
    f.im = sin (im);
  }
  return f;
}

// Takes a real number; the value is complex where it must be.
static gla_fun_value of_real (gla_fun fun, double p, double x)
{
  switch (fun) {
  case GLA_FUN_EXP:
    return exponential (x, 0);
  case GLA_FUN_SQRT:
    return x < 0 ? (gla_fun_value){sqrt (sqrt (-x)), 0, 1} : from_real (sqrt (x));
  case GLA_FUN_ISQRT:
    return x < 0 ? (gla_fun_value){sqrt (1 / sqrt (-x)), 0, -1} : from_real (1 / sqrt (x));
  case GLA_FUN_LOG:
    return x < 0 ? from_complex (complex_of (log (-x), M_PI)) : from_real (log (x));
  case GLA_FUN_INV:
    return from_real (1 / x);
  default: // GLA_FUN_POWER
    if (x < 0 && p != floor (p))
      return (gla_fun_value){pow (-x, p / 2), cos (M_PI * fmod (p, 2)), sin (M_PI * fmod (p, 2))};
    return from_real (pow (x, p));
  }
}

static gla_fun_value of_complex (gla_fun fun, double p, double re, double im)
{
  const double complex x = complex_of (re, im);
  if (fun == GLA_FUN_EXP)
    return exponential (re, im);
  if (im == 0)
    return of_real (fun, p, re);
  switch (fun) {
  case GLA_FUN_SQRT:
    return from_complex (csqrt (x));
  case GLA_FUN_ISQRT:
    return from_complex (1 / csqrt (x));
  case GLA_FUN_LOG:
    return from_complex (clog (x));
  case GLA_FUN_INV:
    return from_complex (1 / x);
  default:
    return from_complex (cpow (x, p));
  }
}

// Returns value j of a page that the caller has computed.
static gla_fun_value given_value (const gla_array *f, int64_t page, int64_t j)
{
  const int single = gla_array_is_single (f);
  const int64_t at = page * f->page_stride + j * f->row_stride;
  if (!gla_type_is_complex (f->type))
    return from_real (number_at (single, f->data, at));
  return from_complex (
      complex_of (number_at (single, f->data, 2 * at), number_at (single, f->data, 2 * at + 1)));
}

// Fills values 0 to n-1 of a page.
static void fill_values (const gla_pagefun_job *job, const gla_pagefun_chunk *c, int64_t page,
                         gla_fun_value *values)
{
  const int64_t n = job->n;
  if (job->fun == GLA_FUN_OCCUPIED) {
    const int64_t k = c->occupied[job->occupied_each ? page : 0];
    for (int64_t j = 0; j < n; j++)
      values[j] = (gla_fun_value){j < k, 1, 0};
    return;
  }
  if (job->fun == GLA_FUN_VALUES) {
    for (int64_t j = 0; j < n; j++)
      values[j] = given_value (&c->values, page, j);
    return;
  }
  const page_arguments a = arguments_of (job, c, page);
  if (job->fun == GLA_FUN_EXP && !job->raise) {
    for (int64_t j = 0; j < n; j++) {
      const double x = number_at (a.single, a.lambda, j);
      values[j] = exponential (a.scale * x, a.im * x);
    }
    return;
  }
  for (int64_t j = 0; j < n; j++) {
    const double x = eigenvalue (&a, j);
    values[j] = a.im == 0 ? of_real (job->fun, job->power, a.scale * x)
                          : of_complex (job->fun, job->power, a.scale * x, a.im * x);
  }
}

// Whether the value is a finite number of the precision.
static inline int is_finite (int single, const gla_fun_value *f)
{
  const double most = single ? (double)FLT_MAX : DBL_MAX;
  return f->root * f->root <= most && !isnan (f->re + f->im);
}

// Sets the values of a page that fails.
static void clear (int64_t n, gla_fun_value *values, gla_fun_value first)
{
  for (int64_t j = 0; j < n; j++)
    values[j] = (gla_fun_value){0, 1, 0};
  values[0] = first;
}

int gla_fun_page (const gla_pagefun_job *job, const gla_pagefun_chunk *c, int64_t page,
                  gla_fun_value *values)
{
  static const gla_fun_value nan = {NAN, 1, 0};
  const int64_t n = job->n;
  const int single = is_single (job);
  int32_t *info = &c->info[page];
  int phases = 0, complex_values = 0;
  if (*info != 0) {
    clear (n, values, nan);
    return GLA_FUN_FAILED;
  }
  fill_values (job, c, page, values);
  for (int64_t j = 0; j < n; j++) {
    if (!is_finite (single, &values[j])) {
      *info = (int32_t)(n + 2);
      clear (n, values, values[j]);
      return GLA_FUN_FAILED;
    }
    phases |= values[j].re != 1;
    complex_values |= values[j].im != 0;
  }
  if (complex_values && job->real_only) {
    *info = (int32_t)(n + 3);
    clear (n, values, nan);
    return GLA_FUN_FAILED;
  }
  return (phases ? GLA_FUN_PHASES : 0) | (complex_values ? GLA_FUN_COMPLEX : 0);
}

void gla_fun_fill_page (const gla_array *F, int64_t page, const gla_fun_value *value)
{
  const int64_t parts = 1 + gla_type_is_complex (F->type);
  const double re = isnan (value->root) ? (double)NAN : value->re * (double)INFINITY;
  const double im = value->im == 0 ? 0 : value->im * (double)INFINITY;
  for (int64_t j = 0; j < F->columns; j++)
    for (int64_t i = 0; i < F->rows * parts; i++) {
      const int64_t at = (page * F->page_stride + j * F->column_stride) * parts + i;
      gla_put_number (F, at, parts == 2 && i % 2 == 1 ? im : re);
    }
}
