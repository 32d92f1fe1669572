// lanczos.c: a few eigenvalues of a large Hermitian matrix: checks and results
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "lanczos.h"
#include "arrays.h"
#include "batch/host_page.h"
#include "structs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check_operator (gla_context *ctx, const gla_operator *A)
{
  const gla_sparse *S = A->sparse;
  if (S == NULL && A->apply == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A has neither a sparse matrix nor a function");
  if (S != NULL && S->ctx != ctx)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A belongs to another context");
  if (S != NULL && S->rows != S->columns)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A is %lldx%lld, it must be square",
                     (long long)S->rows, (long long)S->columns);
  if (S == NULL && gla_type_size (A->type) == 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A has type %d, it must be one of s d c z",
                     (int)A->type);
  if (A->inverse && !isfinite (A->sigma))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "sigma = %g must be finite", A->sigma);
  return GLA_OK;
}

static gla_status check_options (gla_context *ctx, const gla_eigs_options *o)
{
  if (o->method != GLA_EIGS_METHOD_RESTARTED && o->method != GLA_EIGS_METHOD_PLAIN)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "method = %d is not a gla_eigs_method",
                     (int)o->method);
  if (o->block < 0 || o->block > 8)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "block = %d must be 1 to 8", o->block);
  if (o->basis < 0 || o->maxit < 0 || o->steps < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "basis = %lld, maxit = %lld and steps = %lld must not be negative",
                     (long long)o->basis, (long long)o->maxit, (long long)o->steps);
  if (!(o->tol >= 0 && o->tol < 1))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "tol = %g must be from 0 to 1", o->tol);
  if (o->steps > 0 && o->method != GLA_EIGS_METHOD_PLAIN)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "steps are for the plain method only");
  return GLA_OK;
}

gla_status gla_eigs_check (gla_eigs_run *run, const gla_eigs_results *r)
{
  gla_context *ctx = run->ctx;
  GLA_TRY (check_options (ctx, &run->o));
  if (run->k < 1 || run->k > run->n)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "k = %lld must be 1 to n = %lld",
                     (long long)run->k, (long long)run->n);
  if (run->which < GLA_EIGS_WHICH_LM || run->which > GLA_EIGS_WHICH_BE)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "which = %d is not a gla_eigs_which",
                     (int)run->which);
  if (run->A->inverse && run->which != GLA_EIGS_WHICH_LM)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "of an inverse only GLA_EIGS_WHICH_LM is wanted");
  gla_status status =
      gla_check_array (ctx, "values", &r->values, gla_type_real (run->type), run->k, 1, 1);
  if (status == GLA_OK && r->vectors.data != NULL)
    status = gla_check_array (ctx, "vectors", &r->vectors, run->type, run->rows, run->k, 1);
  if (status != GLA_OK)
    return status;
  if (r->values.device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "values must be on the host");
  if (r->vectors.data != NULL && r->vectors.device != GLA_DEVICE_HOST && run->ranks != NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "vectors of several ranks must be on the host");
  if (r->vectors.data != NULL && r->vectors.row_stride != 1)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "vectors has row stride %lld, it must be 1",
                     (long long)r->vectors.row_stride);
  if (run->o.v0 != NULL && isnan (gla_eigs_largest (run->type, run->o.v0, run->rows)))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "v0 has NaN or Inf");
  return GLA_OK;
}

static gla_status check_matrix (gla_eigs_run *run)
{
  int hermitian;
  int64_t row, column;
  if (run->S == NULL)
    return GLA_OK;
  gla_sparse_scan (run->S);
  if (isnan (run->S->largest))
    return gla_fail (run->ctx, GLA_ERROR_BAD_ARGUMENT, "A has NaN or Inf");
  gla_status status = gla_sparse_hermitian (run->S, &hermitian, &row, &column);
  if (status == GLA_OK && !hermitian)
    return gla_fail (run->ctx, GLA_ERROR_NOT_HERMITIAN,
                     "A is not Hermitian: element (%lld, %lld), from 1, differs from its mirror "
                     "image",
                     (long long)row + 1, (long long)column + 1);
  return status;
}

//------------------------------------------------------------------------------
// gla_eigs
//------------------------------------------------------------------------------

void gla_eigs_resolve (gla_eigs_run *run)
{
  // rounding errors of products and of the projected matrix prevent smaller residuals
  const double least = 64 * gla_type_eps (run->type);
  if (!(run->o.tol < 0) && run->o.tol < least)
    run->o.tol = least;
  run->rather_dense = run->o.maxit == 0 && run->ranks == NULL && gla_eigs_can_be_dense (run);
  run->patience = run->rather_dense ? 40 : 0;
  if (run->o.maxit == 0)
    run->o.maxit = 300;
}

// Copies v0 with a largest entry of about 1, so that its norm is in range.
static gla_status copy_start (gla_eigs_run *run, void **copy)
{
  if (run->o.v0 == NULL)
    return GLA_OK;
  const size_t bytes = (size_t)run->rows * gla_type_size (run->type);
  const double largest = gla_eigs_most (run, gla_eigs_largest (run->type, run->o.v0, run->rows));
  *copy = malloc (bytes + 1);
  if (*copy == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  memcpy (*copy, run->o.v0, bytes);
  gla_eigs_scale (run->type, *copy, run->rows, gla_eigs_exponent (run->type, largest));
  run->o.v0 = *copy;
  return GLA_OK;
}

static void take_values (const gla_eigs_run *run, const gla_eigs_results *results)
{
  const gla_array *to = &results->values;
  for (int64_t i = 0; i < run->k; i++) {
    const double theta = ldexp (run->theta[i], -run->exponent);
    const double value = !run->converged[i] ? NAN
                         : run->A->inverse  ? run->A->sigma + 1 / theta
                                            : theta;
    gla_put_number (to, i * to->row_stride, value);
    if (results->residuals != NULL)
      results->residuals[i] = ldexp (run->residuals[i], -run->exponent);
  }
}

// Computes the vectors on the host, and copies them to their place.
static gla_status solve_densely (gla_eigs_run *run, const gla_eigs_results *results)
{
  const gla_array *to = &results->vectors;
  if (to->data == NULL || to->device == GLA_DEVICE_HOST)
    return gla_eigs_dense (run, results);
  const size_t size = gla_type_size (run->type);
  gla_eigs_results here = *results;
  here.vectors = gla_take_pages (run->type, run->n, run->k, 1);
  if (here.vectors.data == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_status status = gla_eigs_dense (run, &here);
  for (int64_t i = 0; i < run->k && status == GLA_OK; i++)
    status = gla_memory_put (
        run->ctx, to->device, (char *)to->data + (size_t)(i * to->column_stride) * size,
        (char *)here.vectors.data + (size_t)(i * run->n) * size, (size_t)run->n * size);
  free (here.vectors.data);
  return status;
}

static int is_unfinished (const gla_eigs_run *run)
{
  return run->report.converged < run->k || !(run->report.complete || run->o.trust);
}

// Solves by products, and if that does not converge, densely.
static gla_status solve_by_products (gla_eigs_run *run, const gla_eigs_results *results)
{
  void *start = NULL;
  gla_status status = gla_eigs_agree (run, copy_start (run, &start));
  if (status == GLA_OK)
    status = gla_eigs_agree (run, gla_eigs_scale_operator (run));
  if (status == GLA_OK)
    status = gla_eigs_run_somewhere (run, results);
  free (start);
  if (status != GLA_OK || !run->rather_dense || !is_unfinished (run))
    return status;
  run->exponent = 0; // of the matrix as it was given
  return solve_densely (run, results);
}

gla_status gla_eigs_solve (gla_eigs_run *run, const gla_eigs_results *results)
{
  gla_status status = GLA_OK;
  run->theta = calloc ((size_t)run->k, sizeof *run->theta);
  run->residuals = calloc ((size_t)run->k, sizeof *run->residuals);
  run->converged = calloc ((size_t)run->k, 1);
  if (run->theta == NULL || run->residuals == NULL || run->converged == NULL)
    status = GLA_ERROR_OUT_OF_MEMORY;
  status = gla_eigs_agree (run, status);
  if (status == GLA_OK && run->ranks == NULL && gla_eigs_is_dense (run))
    status = solve_densely (run, results);
  else if (status == GLA_OK)
    status = solve_by_products (run, results);
  if (status == GLA_OK) {
    run->report.norm = ldexp (run->report.norm, -run->exponent);
    take_values (run, results);
  }
  gla_sparse_destroy (run->scaled);
  free (run->theta);
  free (run->residuals);
  free (run->converged);
  return status;
}

gla_status gla_eigs (gla_context *ctx, const gla_operator *A, int64_t k, gla_eigs_which which,
                     const gla_eigs_results *results, const gla_eigs_options *options,
                     gla_eigs_report *report)
{
  gla_operator own;
  gla_eigs_results r;
  gla_eigs_options o;
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (!gla_take_struct (ctx, "A", A, &own, sizeof own))
    return GLA_ERROR_BAD_ARGUMENT;
  GLA_TRY (gla_take_structs (ctx, results, &r, sizeof r, options, &o, sizeof o, report));
  GLA_TRY (check_operator (ctx, &own));
  gla_eigs_run run = {.ctx = ctx,
                      .A = &own,
                      .S = own.sparse,
                      .type = own.sparse ? own.sparse->faces[0].M.csr.type : own.type,
                      .n = own.sparse ? own.sparse->rows : own.n,
                      .k = k,
                      .which = which,
                      .o = o,
                      .vectors = r.vectors.data != NULL,
                      .check = r.residuals != NULL,
                      .report.device = GLA_DEVICE_HOST};
  run.parts = 1 + gla_type_is_complex (run.type);
  gla_eigs_resolve (&run);
  run.rows = run.n;
  gla_status status = gla_eigs_check (&run, &r);
  if (status == GLA_OK)
    status = check_matrix (&run);
  if (status == GLA_OK)
    status = gla_eigs_solve (&run, &r);
  gla_give_struct (report, &run.report, sizeof run.report);
  return gla_end_call (ctx, status);
}
