// lanczos_rows_dense.c: all eigenvalues of a small matrix whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The elements of A are added up as double, which is exact, on all ranks; rank 0 calls gla_eigs,
// and its results are added to zeros on the others.

#include "common/status.h"
#include "lanczos_rows.h"
#include "arrays.h"

#include <stdlib.h>
#include <string.h>

// The numbers of an answer: values, residuals, vectors, and these of the report.
enum { REPORT_NUMBERS = 3 };

typedef struct {
  double *A;       // n x n
  double *numbers; // the answer
  int64_t count;
} dense_answer;

static double *vectors_of (const gla_eigs_run *run, const dense_answer *a)
{
  return a->numbers + 2 * run->k;
}

static void put_rows (const gla_eigs_rows_call *call, double *A)
{
  const gla_sparse_rows *S = call->S;
  const gla_spmv_matrix *M = &S->local->faces[0].M;
  const gla_csr *c = &M->csr;
  const int by_columns = S->local->options.by_columns, parts = call->run.parts;
  const int single = gla_type_real (S->type) == GLA_TYPE_S;
  for (int64_t line = 0; line < c->rows; line++)
    for (int64_t k = gla_csr_at (c->start, c->index_bytes, line);
         k < gla_csr_at (c->start, c->index_bytes, line + 1); k++) {
      const int64_t other = gla_csr_at (c->index, c->index_bytes, k);
      const int64_t i = call->common.krylov.ranks.before + (by_columns ? other : line);
      const int64_t j = gla_sparse_rows_column (S, by_columns ? line : other);
      for (int p = 0; p < parts; p++)
        A[(i + j * S->n) * parts + p] = M->pattern ? M->value[p]
                                        : single ? (double)((const float *)c->values)[k * parts + p]
                                                 : ((const double *)c->values)[k * parts + p];
    }
}

static void to_type (gla_type type, const double *from, int64_t count, void *to)
{
  for (int64_t i = 0; i < count; i++)
    if (gla_type_real (type) == GLA_TYPE_S)
      ((float *)to)[i] = (float)from[i];
    else
      ((double *)to)[i] = from[i];
}

static void from_type (gla_type type, const void *from, int64_t count, double *to)
{
  for (int64_t i = 0; i < count; i++)
    to[i] = gla_type_real (type) == GLA_TYPE_S ? (double)((const float *)from)[i]
                                               : ((const double *)from)[i];
}

// On rank 0: A with all n^2 elements as a sparse matrix, solved.
static gla_status solve (gla_eigs_rows_call *call, const dense_answer *a, void *values,
                         int64_t *start, int64_t *index, void *lambda, void *V)
{
  gla_eigs_run *run = &call->run;
  const int64_t n = run->n, k = run->k;
  const gla_csr csr = {run->type, n, n, 8, start, index, values};
  const gla_sparse_options options = {.size = sizeof options, .by_columns = 1};
  gla_eigs_report report = {.size = sizeof report};
  gla_eigs_options o = run->o;
  gla_sparse *S;
  to_type (run->type, a->A, n * n * run->parts, values);
  for (int64_t j = 0; j <= n; j++)
    start[j] = j * n;
  for (int64_t e = 0; e < n * n; e++)
    index[e] = e % n;
  GLA_TRY (gla_sparse_create (run->ctx, &csr, &S, &options));
  const gla_operator matrix = {.size = sizeof matrix, .sparse = S};
  gla_eigs_results results = {.size = sizeof results};
  results.values = gla_array_packed (lambda, gla_type_real (run->type), k, 1, 1, GLA_DEVICE_HOST);
  if (run->vectors)
    results.vectors = gla_array_packed (V, run->type, n, k, 1, GLA_DEVICE_HOST);
  if (run->check)
    results.residuals = a->numbers + k;
  o.size = sizeof o;
  o.v0 = NULL;
  gla_status status = gla_eigs (run->ctx, &matrix, k, run->which, &results, &o, &report);
  gla_sparse_destroy (S);
  from_type (run->type, lambda, k, a->numbers);
  if (run->vectors)
    from_type (run->type, V, n * k * run->parts, vectors_of (run, a));
  const double more[REPORT_NUMBERS] = {(double)report.products, report.norm, report.orthogonality};
  memcpy (a->numbers + a->count - REPORT_NUMBERS, more, sizeof more);
  return status;
}

static gla_status solve_on_root (gla_eigs_rows_call *call, const dense_answer *a)
{
  const gla_eigs_run *run = &call->run;
  const size_t n = (size_t)run->n, size = gla_type_size (run->type);
  void *values = malloc (n * n * size), *lambda = malloc ((size_t)run->k * sizeof (double)),
       *V = malloc (n * (size_t)run->k * size);
  int64_t *start = malloc ((n + 1) * sizeof *start), *index = malloc (n * n * sizeof *index);
  gla_status status = GLA_ERROR_OUT_OF_MEMORY;
  if (values && lambda && V && start && index)
    status = solve (call, a, values, start, index, lambda, V);
  free (values);
  free (lambda);
  free (V);
  free (start);
  free (index);
  return status;
}

static void take_answer (gla_eigs_rows_call *call, const dense_answer *a,
                         const gla_eigs_results *results)
{
  gla_eigs_run *run = &call->run;
  const double *more = a->numbers + a->count - REPORT_NUMBERS;
  const size_t size = gla_type_size (run->type);
  for (int64_t i = 0; i < run->k; i++) {
    gla_put_number (&results->values, i * results->values.row_stride, a->numbers[i]);
    if (run->check)
      results->residuals[i] = a->numbers[run->k + i];
    if (run->vectors)
      to_type (run->type,
               vectors_of (run, a) + (i * run->n + call->common.krylov.ranks.before) * run->parts,
               run->rows * run->parts,
               (char *)results->vectors.data + (size_t)(i * results->vectors.column_stride) * size);
  }
  run->report = (gla_eigs_report){.converged = run->k,
                                  .products = (int64_t)more[0],
                                  .complete = 1,
                                  .norm = more[1],
                                  .orthogonality = more[2],
                                  .dense = 1,
                                  .device = GLA_DEVICE_HOST};
}

static gla_status compute (gla_eigs_rows_call *call, const dense_answer *a)
{
  gla_eigs_run *run = &call->run;
  const gla_krylov_ranks *ranks = &call->common.krylov.ranks;
  gla_status status = GLA_OK;
  put_rows (call, a->A);
  ranks->add (ranks->user, a->A, run->n * run->n * run->parts);
  if (call->common.rank == 0)
    status = solve_on_root (call, a);
  status = gla_eigs_agree (run, status);
  if (status != GLA_OK)
    return status;
  return ranks->add (ranks->user, a->numbers, a->count) ? GLA_ERROR_STOPPED : GLA_OK;
}

gla_status gla_eigs_rows_dense (gla_eigs_rows_call *call, const gla_eigs_results *results)
{
  gla_eigs_run *run = &call->run;
  const size_t n = (size_t)run->n;
  dense_answer a = {.count = run->k * 2 + REPORT_NUMBERS};
  if (run->vectors)
    a.count += run->k * run->n * run->parts;
  if (n <= SIZE_MAX / 64 / n)
    a.A = calloc (n * n * (size_t)run->parts, sizeof *a.A);
  a.numbers = calloc ((size_t)a.count, sizeof *a.numbers);
  const int taken = a.A != NULL && a.numbers != NULL;
  gla_status status = gla_eigs_agree (run, taken ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY);
  if (status == GLA_OK)
    status = compute (call, &a);
  if (status == GLA_OK)
    take_answer (call, &a, results);
  free (a.A);
  free (a.numbers);
  return status;
}
