// test_factor.c: sparse Hermitian factors: residuals and inertia of matrices with known answers
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: guarded

#include "factor_matrices.h"

enum { WORST = 10 }; // of residuals, in units of n eps |A| |x|

//------------------------------------------------------------------------------
// one matrix, one shift, one order
//------------------------------------------------------------------------------

typedef enum { AS_IT_IS, BACKWARDS, ODD_FIRST, SHUFFLED, ORDERS } kind_of_order;

static int64_t *order_of (kind_of_order kind, int64_t n)
{
  unsigned long long seed = 5;
  int64_t *order = malloc ((size_t)n * 8 + 8);
  for (int64_t k = 0; k < n; k++)
    order[k] = kind == BACKWARDS   ? n - 1 - k
               : kind == ODD_FIRST ? (2 * k + 1 < n ? 2 * k + 1 : 2 * (k - n / 2))
                                   : k;
  for (int64_t k = n - 1; k > 0 && kind == SHUFFLED; k--) {
    const int64_t l = (int64_t)((0.5 + 0.5 * check_random (&seed)) * (double)(k + 1)) % (k + 1);
    const int64_t x = order[k];
    order[k] = order[l];
    order[l] = x;
  }
  return order;
}

static double worst_of (gla_factor *F, const matrix *A, double shift, int64_t columns)
{
  const size_t bytes = (size_t)A->n * gla_type_size (A->type);
  char *b = right_sides (A->type, A->n, columns), *x = malloc (bytes * (size_t)columns + 1);
  double worst = 0;
  memset (x, 255, bytes * (size_t)columns + 1);
  CHECK (gla_factor_solve (F, b, x, columns) == GLA_OK, "solve");
  for (int64_t c = 0; c < columns; c++)
    worst = check_worst (worst, residual (A, shift, x + bytes * (size_t)c, b + bytes * (size_t)c));
  free (b);
  free (x);
  return worst;
}

// may_lack: whether there may be no pivots near the diagonal, and then no factor
static void test_shift (const matrix *A, double shift, kind_of_order kind, int64_t negative,
                        int may_lack, const char *name)
{
  static const int64_t columns[] = {1, 3, 8, 9, 20, 0};
  int64_t *order = order_of (kind, A->n);
  columns_of c = to_columns (A, kind % 2 ? 4 : 8);
  const gla_factor_options o = {.size = sizeof o, .order = kind == AS_IT_IS ? NULL : order};
  gla_factor_report report = {.size = sizeof report};
  gla_factor *F = NULL;
  const gla_status status = gla_factor_create (ctx, &c.csr, shift, &F, &o, &report);
  CHECK (status == GLA_OK && (F != NULL) == !report.singular && (F != NULL || may_lack),
         "%s, %c, n = %lld, order %d: %d, %s", name, A->type, (long long)A->n, (int)kind,
         (int)status, gla_message (ctx));
  CHECK (report.negative == (F != NULL ? negative : 0),
         "%s, %c, n = %lld, order %d, shift %g: %lld negative, not %lld", name, A->type,
         (long long)A->n, (int)kind, shift, (long long)report.negative, (long long)negative);
  for (int k = 0; k < 6 && F != NULL; k++) {
    const double worst = worst_of (F, A, shift, columns[k]);
    CHECK (worst <= WORST, "%s, %c, n = %lld, order %d, shift %g, %lld columns: residual %g", name,
           A->type, (long long)A->n, (int)kind, shift, (long long)columns[k], worst);
  }
  gla_factor_destroy (F);
  columns_free (&c);
  free (order);
}

//------------------------------------------------------------------------------
// matrices
//------------------------------------------------------------------------------

typedef struct {
  const char *name;
  element f;
  int64_t n;
  int may_lack; // pivots, but not in the order as it is
} known_matrix;

// Shifts outside of the spectrum, and in the middle of gaps between known eigenvalues.
static void test_spectrum (gla_type type, const known_matrix *m)
{
  matrix A = make_known (type, m->n, m->f);
  lambda_of (&A, m->f);
  double shifts[6] = {A.lambda[0] - 1, A.lambda[m->n - 1] + 0.5};
  int64_t below[6] = {0, m->n};
  int count = 2;
  for (int64_t i = m->n / 4; i + 1 < m->n && count < 6; i++)
    if (A.lambda[i + 1] - A.lambda[i] > 1e-3 * (A.norm + 1)) {
      shifts[count] = (A.lambda[i] + A.lambda[i + 1]) / 2;
      below[count++] = i + 1;
      i += m->n / 6;
    }
  for (int s = 0; s < count; s++)
    for (int kind = 0; kind < ORDERS; kind++)
      test_shift (&A, shifts[s], (kind_of_order)kind, below[s], kind > 0 && m->may_lack, m->name);
  matrix_free (&A);
}

static void test_inertia (gla_type type, const known_matrix *m)
{
  matrix A = make_known (type, m->n, m->f);
  for (int kind = 0; kind < ORDERS; kind++)
    test_shift (&A, 0, (kind_of_order)kind, known_negative (m->f, m->n), kind > 0 && m->may_lack,
                m->name);
  matrix_free (&A);
}

// Against the eigenvalues of the dense matrix.
static void test_dense (gla_type type, int64_t n, element f, const char *name)
{
  matrix A = make_known (type, n, f);
  double complex *dense = calloc ((size_t)(n * n), sizeof *dense);
  double *lambda = malloc ((size_t)n * sizeof *lambda);
  for (int64_t j = 0; j < n; j++)
    for (int64_t k = A.start[j]; k < A.start[j + 1]; k++)
      dense[A.index[k] + j * n] = get (type, A.values, k);
  const gla_array D = gla_array_packed (dense, GLA_TYPE_Z, n, n, 1, GLA_DEVICE_HOST);
  const gla_eig_results results = {
      .size = sizeof results,
      .lambda = gla_array_packed (lambda, GLA_TYPE_D, n, 1, 1, GLA_DEVICE_HOST)};
  CHECK (gla_batcheig (ctx, &D, &results, NULL, NULL) == GLA_OK, "%s: %s", name, gla_message (ctx));
  for (int64_t below = 0; below <= n; below += n < 4 ? 1 : n / 4) {
    const double shift = below == 0   ? lambda[0] - 1
                         : below == n ? lambda[n - 1] + 1
                                      : (lambda[below - 1] + lambda[below]) / 2;
    test_shift (&A, shift, AS_IT_IS, below, 0, name);
    test_shift (&A, shift, SHUFFLED, below, 0, name);
  }
  free (dense);
  free (lambda);
  matrix_free (&A);
}

// Blocks [0, 1, 0; 1, 1, L; 0, L, 1]: the second diagonal element is large beside the first column,
// and small beside the rest of its own row, so as a pivot alone it would let others grow to L^2.
static double complex large_rows (int64_t n, int64_t i, int64_t j)
{
  const int64_t at = i % 3 + j % 3;
  (void)n;
  if (i / 3 != j / 3)
    return 0;
  return at == 3 ? 1e6 * pair_phase (i, j) : at == 1 ? pair_phase (i, j) : i == j && at > 0;
}

static void test_growth (gla_type type)
{
  enum { N = 60 };
  matrix A = make_known (type, N, large_rows);
  const gla_csr c = {type, N, N, 8, A.start, A.index, A.values};
  double complex x[N], b[N] = {0};
  for (int64_t i = 0; i < N; i++)
    set (type, x, i, 1 + 0.5 * I);
  for (int64_t j = 0; j < N; j++)
    for (int64_t k = A.start[j]; k < A.start[j + 1]; k++)
      set (type, b, A.index[k],
           get (type, b, A.index[k]) + get (type, A.values, k) * get (type, x, j));
  gla_factor *F = NULL;
  CHECK (gla_factor_create (ctx, &c, 0, &F, NULL, NULL) == GLA_OK && F != NULL, "%s",
         gla_message (ctx));
  CHECK (gla_factor_solve (F, b, x, 1) == GLA_OK, "solve");
  const double worst = residual (&A, 0, x, b);
  CHECK (worst <= WORST, "large rows, %c: residual %g", type, worst);
  gla_factor_destroy (F);
  matrix_free (&A);
}

int main (void)
{
  static const known_matrix spectra[] = {
      {"grid", grid, SIDE * SIDE, 0},
      {"path", path, 1, 0},
      {"path", path, 2, 0},
      {"path", path, 301, 0},
      {"phases", phases, 200, 0},
      {"separate paths", paths, 250, 0},
      {"star", star, 70, 0},
      {"complete", complete, 150, 0},
      {"bipartite", bipartite, 99, 0},
      {"identity", identity, 40, 0},
      {"diagonal", diagonal, 100, 0},
      {"rank one", real_rank_one, 90, 0},
  };
  static const known_matrix inertias[] = {
      {"dominated", dominated, 300, 0},
      {"graded", graded, 200, 0},
      {"ascending", ascending_grades, 200, 0},
      {"arrow", arrow, 200, 0},
      {"arrow first", arrow_first, 200, 0},
      {"saddle", saddle, 120, 1},
      {"path of even length", path, 2, 1},
      {"path of even length", path, 200, 1},
      {"phases", phases, 60, 1},
  };
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  for (const char *type = "dz"; *type; type++) {
    test_growth ((gla_type)*type);
    for (size_t k = 0; k < sizeof spectra / sizeof *spectra; k++)
      test_spectrum ((gla_type)*type, &spectra[k]);
    for (size_t k = 0; k < sizeof inertias / sizeof *inertias; k++)
      test_inertia ((gla_type)*type, &inertias[k]);
    for (int64_t n = 1; n < 200; n = n * 2 + 1)
      test_dense ((gla_type)*type, n, without_diagonal, "without diagonal");
  }
  gla_context_destroy (ctx);
  return check_report ("test_factor");
}
