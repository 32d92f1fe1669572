// fun_values.c: values of functions at eigenvalues
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All in double precision, also for pages in single precision.

#include "fun_values.h"
#include "arrays.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

static inline double number_at (int is_single, const void *data, int64_t at)
{
  return is_single ? (double)((const float *)data)[at] : ((const double *)data)[at];
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

// What is done with eigenvalues that are 0 to within rounding.
static rounding rounding_of (const gla_fun_rule *rule)
{
  const double p = rule->o->power;
  switch (rule->fun) {
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

// What the eigenvalues of a page are treated with.
typedef struct {
  const gla_fun_rule *rule;
  const void *lambda;
  rounding how;
  double largest;   // magnitude
  double scale, im; // real and imaginary part
} page_arguments;

static inline page_arguments arguments_of (const gla_fun_rule *rule, const void *lambda,
                                           int64_t page)
{
  const gla_pagefun_options *o = rule->o;
  const int64_t at = o->scale_count > 1 ? page : 0;
  const double first = fabs (number_at (rule->is_single, lambda, 0));
  const double last = fabs (number_at (rule->is_single, lambda, rule->n - 1));
  page_arguments a = {.rule = rule,
                      .lambda = lambda,
                      .how = rounding_of (rule),
                      .largest = first > last ? first : last,
                      .scale = 1};
  if (o->scale != NULL) {
    a.scale = o->scale[o->scale_complex ? 2 * at : at];
    a.im = o->scale_complex ? o->scale[2 * at + 1] : 0;
  }
  return a;
}

// Eigenvalue j after tol and floor, not yet scaled.
static inline double eigenvalue (const page_arguments *a, int64_t j)
{
  const gla_pagefun_options *o = a->rule->o;
  double x = number_at (a->rule->is_single, a->lambda, j);
  if (a->how != KEEP && o->tol > 0 && fabs (x) <= o->tol * a->largest &&
      (x < 0 || a->how == SMALL_TO_ZERO))
    x = 0;
  return o->raise && x < o->floor * a->largest ? o->floor * a->largest : x;
}

void gla_fun_arguments (const gla_fun_rule *rule, const void *lambda, int64_t page,
                        const gla_array *x)
{
  const page_arguments a = arguments_of (rule, lambda, page);
  const int64_t parts = 1 + gla_type_is_complex (x->type), first = page * x->page_stride;
  for (int64_t j = 0; j < rule->n; j++) {
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

// Of a real number; the value is complex where it must be.
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

// Value j of a page that the caller has computed.
static gla_fun_value given_value (const gla_fun_rule *rule, int64_t page, int64_t j)
{
  const gla_array *f = &rule->given;
  const int64_t at = page * f->page_stride + j * f->row_stride;
  if (!gla_type_is_complex (f->type))
    return from_real (number_at (rule->is_single, f->data, at));
  return from_complex (complex_of (number_at (rule->is_single, f->data, 2 * at),
                                   number_at (rule->is_single, f->data, 2 * at + 1)));
}

// Values 0 to n-1 of a page.
static void fill_values (const gla_fun_rule *rule, const void *lambda, int64_t page,
                         gla_fun_value *values)
{
  const gla_pagefun_options *o = rule->o;
  const int64_t n = rule->n;
  if (rule->fun == GLA_FUN_OCCUPIED) {
    const int64_t k = o->occupied[o->occupied_count > 1 ? page : 0];
    for (int64_t j = 0; j < n; j++)
      values[j] = (gla_fun_value){j < k, 1, 0};
    return;
  }
  if (rule->fun == GLA_FUN_VALUES) {
    for (int64_t j = 0; j < n; j++)
      values[j] = given_value (rule, page, j);
    return;
  }
  const page_arguments a = arguments_of (rule, lambda, page);
  if (rule->fun == GLA_FUN_EXP && !o->raise) {
    for (int64_t j = 0; j < n; j++) {
      const double x = number_at (rule->is_single, lambda, j);
      values[j] = exponential (a.scale * x, a.im * x);
    }
    return;
  }
  for (int64_t j = 0; j < n; j++) {
    const double x = eigenvalue (&a, j);
    values[j] = a.im == 0 ? of_real (rule->fun, o->power, a.scale * x)
                          : of_complex (rule->fun, o->power, a.scale * x, a.im * x);
  }
}

// Whether the value is a finite number of the precision.
static inline int is_finite (int is_single, const gla_fun_value *f)
{
  const double most = is_single ? (double)FLT_MAX : DBL_MAX;
  return f->root * f->root <= most && !isnan (f->re + f->im);
}

// Values of a page that fails.
static void clear (int64_t n, gla_fun_value *values, gla_fun_value first)
{
  for (int64_t j = 0; j < n; j++)
    values[j] = (gla_fun_value){0, 1, 0};
  values[0] = first;
}

int gla_fun_page (const gla_fun_rule *rule, const void *lambda, int64_t page, gla_fun_value *values,
                  int32_t *info)
{
  static const gla_fun_value nan = {NAN, 1, 0};
  const int64_t n = rule->n;
  int phases = 0, complex_values = 0;
  if (*info != 0) {
    clear (n, values, nan);
    return GLA_FUN_FAILED;
  }
  fill_values (rule, lambda, page, values);
  for (int64_t j = 0; j < n; j++) {
    if (!is_finite (rule->is_single, &values[j])) {
      *info = (int32_t)(n + 2);
      clear (n, values, values[j]);
      return GLA_FUN_FAILED;
    }
    phases |= values[j].re != 1;
    complex_values |= values[j].im != 0;
  }
  if (complex_values && rule->real_only) {
    *info = (int32_t)(n + 3);
    clear (n, values, nan);
    return GLA_FUN_FAILED;
  }
  return (phases ? GLA_FUN_PHASES : 0) | (complex_values ? GLA_FUN_COMPLEX : 0);
}
