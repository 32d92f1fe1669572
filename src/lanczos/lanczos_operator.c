// lanczos_operator.c: applies the operator of gla_eigs, and scales it to a safe size
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "lanczos.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

double gla_eigs_largest (gla_type type, const void *x, int64_t count)
{
  const int64_t numbers = count * (1 + gla_type_is_complex (type));
  const int single = gla_type_real (type) == GLA_TYPE_S;
  const float *f = x;
  const double *d = x;
  double largest = 0;
  int bad = 0;
  for (int64_t i = 0; i < numbers; i++) {
    const double a = fabs (single ? (double)f[i] : d[i]);
    bad |= !(a <= DBL_MAX);
    largest = a > largest ? a : largest;
  }
  return bad ? NAN : largest;
}

gla_status gla_eigs_apply (gla_eigs_run *run, const void *X, void *Y, int64_t columns)
{
  if (run->S != NULL) {
    const gla_array x =
        gla_array_packed ((void *)(uintptr_t)X, run->type, run->n, columns, 1, GLA_DEVICE_HOST);
    const gla_array y = gla_array_packed (Y, run->type, run->n, columns, 1, GLA_DEVICE_HOST);
    return gla_spmv (run->ctx, run->S, 'N', &x, &y, NULL);
  }
  run->report.products += columns;
  if (run->A->apply (run->A->user, X, Y, columns) != 0)
    return gla_fail (run->ctx, GLA_ERROR_STOPPED, "the function ended the call");
  if (isnan (gla_eigs_largest (run->type, Y, run->n * columns)))
    return gla_fail (run->ctx, GLA_ERROR_BAD_ARGUMENT, "the function returned NaN or Inf");
  return GLA_OK;
}

void gla_eigs_scale (gla_type type, void *x, int64_t count, int exponent)
{
  const int64_t numbers = count * (1 + gla_type_is_complex (type));
  float *f = x;
  double *d = x;
  for (int64_t i = 0; i < numbers; i++)
    if (gla_type_real (type) == GLA_TYPE_S)
      f[i] = ldexpf (f[i], exponent);
    else
      d[i] = ldexp (d[i], exponent);
}

gla_status gla_eigs_apply_scaled (void *user, const void *X, void *Y, int64_t columns)
{
  gla_eigs_run *run = user;
  const int64_t products = run->report.products; // the methods count them
  gla_status status = gla_eigs_apply (run, X, Y, columns);
  run->report.products = products;
  if (status == GLA_OK && run->exponent != 0)
    gla_eigs_scale (run->type, Y, run->n * columns, run->exponent);
  return status;
}

// Returns the exponent that brings numbers of this size to about 1, if their squares could overflow
// or underflow.
int gla_eigs_exponent (gla_type type, double largest)
{
  const int safe = gla_type_real (type) == GLA_TYPE_S ? 20 : 250;
  int e = 0;
  if (largest > 0)
    (void)frexp (largest, &e);
  return e > safe || e < -safe ? -e : 0;
}

// Sets the exponent by one product y of a vector x.
static gla_status measure_product (gla_eigs_run *run, void *x, void *y)
{
  for (int64_t i = 0; i < run->n * run->parts; i++)
    if (gla_type_real (run->type) == GLA_TYPE_S)
      ((float *)x)[i] = i % 3 == 0 ? -1 : 1;
    else
      ((double *)x)[i] = i % 3 == 0 ? -1 : 1;
  GLA_TRY (gla_eigs_apply (run, x, y, 1));
  run->exponent = gla_eigs_exponent (run->type, gla_eigs_largest (run->type, y, run->n));
  return GLA_OK;
}

// Finds how large the function's products are.
static gla_status measure_function (gla_eigs_run *run)
{
  const size_t bytes = (size_t)run->n * gla_type_size (run->type);
  void *x = malloc (bytes), *y = malloc (bytes);
  const gla_status status =
      x != NULL && y != NULL ? measure_product (run, x, y) : GLA_ERROR_OUT_OF_MEMORY;
  free (x);
  free (y);
  return status;
}

gla_status gla_eigs_scale_operator (gla_eigs_run *run)
{
  if (run->S == NULL)
    return measure_function (run);
  run->exponent = gla_eigs_exponent (run->type, gla_eigs_most (run, run->S->largest));
  return run->exponent != 0 ? gla_sparse_scaled (run->S, run->exponent, &run->scaled) : GLA_OK;
}
