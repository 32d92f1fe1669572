// lanczos_dense.c: small matrices, where all eigenvalues are computed
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lanczos.h"
#include "arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Stores the operator as a dense matrix.
static gla_status fill_from_sparse (const gla_eigs_run *run, char *A)
{
  const gla_spmv_matrix *M = &run->S->faces[0].M;
  const gla_csr *c = &M->csr;
  const size_t size = gla_type_size (run->type);
  const float value_f[2] = {(float)M->value[0], (float)M->value[1]};
  const char *value =
      gla_type_real (run->type) == GLA_TYPE_S ? (const char *)value_f : (const char *)M->value;
  for (int64_t i = 0; i < run->n; i++)
    for (int64_t k = gla_csr_at (c->start, c->index_bytes, i);
         k < gla_csr_at (c->start, c->index_bytes, i + 1); k++) {
      const int64_t j = gla_csr_at (c->index, c->index_bytes, k);
      // column i of the array where the columns were given, else row i
      const int64_t at = run->S->options.by_columns ? j + i * run->n : i + j * run->n;
      memcpy (A + (size_t)at * size,
              M->pattern ? value : (const char *)c->values + (size_t)k * size, size);
    }
  return GLA_OK;
}

static gla_status fill_from_function (gla_eigs_run *run, char *A)
{
  const size_t bytes = (size_t)(run->n * run->n) * gla_type_size (run->type);
  char *identity = malloc (bytes);
  if (identity == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  const gla_array I = gla_array_packed (identity, run->type, run->n, run->n, 1, GLA_DEVICE_HOST);
  gla_put_identity (&I);
  gla_status status = gla_eigs_apply (run, identity, A, run->n);
  free (identity);
  return status;
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

static double value_at (const gla_eigs_run *run, const void *values, int64_t i)
{
  return gla_type_real (run->type) == GLA_TYPE_S ? (double)((const float *)values)[i]
                                                 : ((const double *)values)[i];
}

// Returns |A*x - theta*x| of a vector x, with y for the product.
static gla_status residual_of (gla_eigs_run *run, const char *x, char *y, double theta,
                               double *residual)
{
  const double scale = fmax (run->report.norm, 0x1p-1022);
  double sum = 0;
  gla_status status = gla_eigs_apply (run, x, y, 1);
  for (int64_t j = 0; j < run->n * run->parts && status == GLA_OK; j++) {
    const double r = value_at (run, y, j) / scale - theta / scale * value_at (run, x, j);
    sum += r * r;
  }
  *residual = sqrt (sum) * scale;
  return status;
}

// Stores eigenvalue i of the results, with its vector in V unless that is NULL.
static gla_status take_result (gla_eigs_run *run, int64_t i, double theta, const char *V, char *y,
                               const gla_array *vectors)
{
  const size_t size = gla_type_size (run->type);
  run->theta[i] = theta;
  run->converged[i] = 1;
  if (vectors->data != NULL)
    memcpy ((char *)vectors->data + (size_t)(i * vectors->column_stride) * size, V,
            (size_t)run->n * size);
  return V != NULL ? residual_of (run, V, y, theta, &run->residuals[i]) : GLA_OK;
}

static gla_status take_results (gla_eigs_run *run, const void *lambda, const char *V,
                                const gla_eigs_results *results)
{
  const size_t bytes = (size_t)run->n * gla_type_size (run->type);
  double *theta = malloc ((size_t)run->n * sizeof *theta);
  int64_t *order = malloc ((size_t)run->n * sizeof *order);
  char *y = malloc (bytes);
  gla_status status = theta && order && y ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY;
  if (status == GLA_OK) {
    for (int64_t i = 0; i < run->n; i++)
      theta[i] = value_at (run, lambda, i);
    run->report.norm = fmax (fabs (theta[0]), fabs (theta[run->n - 1]));
    gla_eigs_rank (run->which, theta, run->n, order);
    gla_eigs_arrange (run->which, run->A->inverse, theta, run->k, order);
  }
  for (int64_t i = 0; i < run->k && status == GLA_OK; i++)
    status = take_result (run, i, theta[order[i]], V == NULL ? NULL : V + (size_t)order[i] * bytes,
                          y, &results->vectors);
  run->report.converged = run->k;
  run->report.complete = run->report.dense = 1;
  free (theta);
  free (order);
  free (y);
  return status;
}

gla_status gla_eigs_dense (gla_eigs_run *run, const gla_eigs_results *results)
{
  const size_t size = gla_type_size (run->type), n = (size_t)run->n;
  char *A = NULL, *V = NULL, *lambda = malloc (n * sizeof (double));
  const int vectors = run->vectors || run->check;
  int32_t info = 0;
  gla_status status = GLA_OK;
  if (n <= SIZE_MAX / size / n) {
    A = calloc (1, n * n * size);
    V = vectors ? malloc (n * n * size) : NULL;
  }
  if (A == NULL || lambda == NULL || (vectors && V == NULL))
    status = GLA_ERROR_OUT_OF_MEMORY;
  if (status == GLA_OK)
    status = run->S != NULL ? fill_from_sparse (run, A) : fill_from_function (run, A);
  if (status == GLA_OK) {
    gla_eig_results r = {.size = sizeof r, .info = &info};
    const gla_array a = gla_array_packed (A, run->type, run->n, run->n, 1, GLA_DEVICE_HOST);
    r.lambda = gla_array_packed (lambda, gla_type_real (run->type), run->n, 1, 1, GLA_DEVICE_HOST);
    r.V = gla_array_packed (V, run->type, run->n, run->n, 1, GLA_DEVICE_HOST); // V may be NULL
    // a function's matrix is Hermitian but for its rounding errors
    const gla_eig_options lower = {.size = sizeof lower, .triangle = GLA_TRIANGLE_LOWER};
    gla_eig_report report = {.base = {.size = sizeof report, .device = GLA_DEVICE_HOST}};
    status = gla_batcheig (run->ctx, &a, &r, &lower, &report);
    run->report.device = report.base.device;
  }
  if (status == GLA_OK && info != 0)
    status = gla_fail (run->ctx, GLA_ERROR_BAD_ARGUMENT,
                       "the eigenvalues of the dense matrix do not "
                       "converge");
  if (status == GLA_OK)
    status = take_results (run, lambda, V, results);
  free (A);
  free (V);
  free (lambda);
  return status;
}
