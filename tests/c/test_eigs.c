// test_eigs.c: eigenvalues of graphs with closed forms, multiplicities, breakdowns, scales, errors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "check.h"

#include <omp.h>

static gla_context *ctx;

//------------------------------------------------------------------------------
// matrices: densely described, kept by rows
//------------------------------------------------------------------------------

typedef struct {
  gla_type type;
  int64_t n;
  int64_t *start, *index; // of 8 bytes
  void *values;
  double norm;
  double *lambda; // all eigenvalues, ascending
} matrix;

typedef double complex (*element) (int64_t n, int64_t i, int64_t j);

static void set (gla_type type, void *x, int64_t at, double complex value)
{
  switch (type) {
  case GLA_S:
    ((float *)x)[at] = (float)creal (value);
    break;
  case GLA_D:
    ((double *)x)[at] = creal (value);
    break;
  case GLA_C:
    ((float complex *)x)[at] = (float complex)value;
    break;
  case GLA_Z:
    ((double complex *)x)[at] = value;
    break;
  }
}

static double complex get (gla_type type, const void *x, int64_t at)
{
  switch (type) {
  case GLA_S:
    return ((const float *)x)[at];
  case GLA_D:
    return ((const double *)x)[at];
  case GLA_C:
    return ((const float complex *)x)[at];
  case GLA_Z:
    return ((const double complex *)x)[at];
  }
  return NAN;
}

static double real_at (const gla_array *a, int64_t i)
{
  return a->type == GLA_S ? (double)((const float *)a->data)[i] : ((const double *)a->data)[i];
}

static int ascending (const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static matrix make (gla_type type, int64_t n, element f, double scale)
{
  matrix A = {.type = type, .n = n};
  int64_t entries = 0;
  A.start = calloc ((size_t)n + 1, 8);
  A.lambda = calloc ((size_t)n, 8);
  for (int pass = 0; pass < 2; pass++) {
    entries = 0;
    for (int64_t i = 0; i < n; i++) {
      for (int64_t j = 0; j < n; j++) {
        const double complex x = f (n, i, j);
        if (x == 0)
          continue;
        if (pass == 1) {
          A.index[entries] = j;
          set (type, A.values, entries, x * scale);
        }
        entries++;
      }
      A.start[i + 1] = entries;
    }
    if (pass == 0) {
      A.index = malloc ((size_t)entries * 8 + 8);
      A.values = malloc ((size_t)entries * 16 + 16);
    }
  }
  return A;
}

static void sort_lambda (matrix *A)
{
  qsort (A->lambda, (size_t)A->n, sizeof *A->lambda, ascending);
  A->norm = fmax (fabs (A->lambda[0]), fabs (A->lambda[A->n - 1]));
}

static void matrix_free (matrix *A)
{
  free (A->start);
  free (A->index);
  free (A->values);
  free (A->lambda);
}

static gla_sparse *to_sparse (const matrix *A)
{
  const gla_csr c = {A->type, A->n, A->n, 8, A->start, A->index, A->values};
  gla_sparse *S = NULL;
  CHECK (gla_sparse_create (ctx, &c, NULL, &S) == GLA_OK, "%s", gla_message (ctx));
  return S;
}

// y = A*x in complex double
static void multiply (const matrix *A, const double complex *x, double complex *y)
{
  for (int64_t i = 0; i < A->n; i++) {
    y[i] = 0;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++)
      y[i] += get (A->type, A->values, k) * x[A->index[k]];
  }
}

//------------------------------------------------------------------------------
// one call and what must hold of it
//------------------------------------------------------------------------------

typedef struct {
  gla_array values, vectors;
  double *residuals;
  gla_eigs_report report;
  gla_status status;
} answer;

static answer solve (gla_operator *A, gla_type type, int64_t n, int64_t k, gla_eigs_which which,
                     const gla_eigs_options *o, int vectors)
{
  answer a;
  memset (&a, 0, sizeof a);
  a.residuals = calloc ((size_t)k + 1, 8);
  a.values = gla_array_packed (calloc ((size_t)k + 1, 8), gla_type_real (type), k, 1, 1, GLA_HOST);
  a.vectors =
      gla_array_packed (vectors ? calloc ((size_t)(n * k) + 1, 16) : NULL, type, n, k, 1, GLA_HOST);
  const gla_eigs_results r = {a.values, a.vectors, vectors ? a.residuals : NULL};
  a.status = gla_eigs (ctx, A, k, which, &r, o, &a.report);
  return a;
}

static void answer_free (answer *a)
{
  free (a->residuals);
  free (a->values.data);
  free (a->vectors.data);
}

// The values that are wanted, in the order of the results.
static void expected (const matrix *A, gla_eigs_which which, int64_t k, double *lambda)
{
  int64_t low = 0, high = A->n - 1;
  for (int64_t i = 0; i < k; i++) {
    int take_high = which == GLA_EIGS_LA;
    if (which == GLA_EIGS_LM)
      take_high = fabs (A->lambda[high]) >= fabs (A->lambda[low]);
    if (which == GLA_EIGS_BE)
      take_high = i % 2 == 0;
    lambda[i] = take_high ? A->lambda[high--] : A->lambda[low++];
  }
  if (which == GLA_EIGS_BE)
    qsort (lambda, (size_t)k, sizeof *lambda, ascending);
}

// Largest |A*x - theta*x| and |X'*X - I|, over the norm of A.
static double worst_vector (const matrix *A, const answer *a, int64_t k)
{
  const int64_t n = A->n;
  double complex *x = malloc ((size_t)(n * k) * 16), *y = malloc ((size_t)n * 16);
  double worst = 0;
  for (int64_t q = 0; q < n * k; q++)
    x[q] = get (A->type, a->vectors.data, q);
  for (int64_t c = 0; c < k; c++) {
    double sum = 0;
    multiply (A, x + c * n, y);
    for (int64_t i = 0; i < n; i++) {
      const double r =
          cabs (y[i] - real_at (&a->values, c) * x[c * n + i]) / fmax (A->norm, 1e-300);
      sum += r * r;
    }
    worst = fmax (worst, isnan (sum) ? INFINITY : sqrt (sum));
    for (int64_t d = 0; d <= c; d++) {
      double complex dot = d == c ? -1 : 0;
      for (int64_t i = 0; i < n; i++)
        dot += conj (x[d * n + i]) * x[c * n + i];
      worst = fmax (worst, isnan (cabs (dot)) ? INFINITY : cabs (dot));
    }
  }
  free (x);
  free (y);
  return worst;
}

// Values and residuals to 1e-12 relative to the norm, in single to the same many eps.
static void check_answer (const matrix *A, const answer *a, int64_t k, gla_eigs_which which,
                          const char *what)
{
  const double bound = 4500 * gla_type_eps (A->type);
  double *lambda = malloc ((size_t)k * 8), worst = 0;
  expected (A, which, k, lambda);
  CHECK (a->status == GLA_OK, "%s: status %d, %s", what, a->status, gla_message (ctx));
  CHECK (a->report.converged == k && a->report.complete, "%s: %lld of %lld, complete %d", what,
         (long long)a->report.converged, (long long)k, a->report.complete);
  for (int64_t i = 0; i < k; i++) {
    // of equal magnitude, either sign may come first
    const double x = real_at (&a->values, i);
    const double d =
        which == GLA_EIGS_LM ? fabs (fabs (x) - fabs (lambda[i])) : fabs (x - lambda[i]);
    worst = fmax (worst, isnan (d) ? INFINITY : d);
  }
  worst /= fmax (A->norm, 1e-300);
  CHECK (worst <= bound, "%s, %c, k %lld, which %d: values %g", what, A->type, (long long)k,
         (int)which, worst);
  if (a->vectors.data != NULL) {
    const double error = worst_vector (A, a, k);
    CHECK (error <= bound, "%s, %c, k %lld, which %d: vectors %g", what, A->type, (long long)k,
           (int)which, error);
  }
  free (lambda);
}

static void check_matrix (const matrix *A, int64_t k, const gla_eigs_options *o, const char *what)
{
  gla_sparse *S = to_sparse (A);
  gla_operator op = {.sparse = S};
  for (int which = GLA_EIGS_LM; which <= GLA_EIGS_BE; which++) {
    answer a = solve (&op, A->type, A->n, k, (gla_eigs_which)which, o, which != GLA_EIGS_SA);
    check_answer (A, &a, k, (gla_eigs_which)which, what);
    answer_free (&a);
  }
  gla_sparse_destroy (S);
}

//------------------------------------------------------------------------------
// closed forms
//------------------------------------------------------------------------------

static const double pi = 3.14159265358979323846;

static double complex path (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return i - j == 1 || j - i == 1;
}

static double complex star (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return (i == 0) != (j == 0);
}

static double complex complete (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return i != j;
}

static double complex bipartite (int64_t n, int64_t i, int64_t j)
{
  return (i < n / 3) != (j < n / 3);
}

static double complex identity (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return i == j;
}

static double complex zero (int64_t n, int64_t i, int64_t j)
{
  (void)n, (void)i, (void)j;
  return 0;
}

static double complex diagonal (int64_t n, int64_t i, int64_t j)
{
  return i == j ? (double)i - (double)n / 3 : 0;
}

static double complex rank_one (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return cexp (I * (double)i) * cexp (-I * (double)j);
}

static double complex real_rank_one (int64_t n, int64_t i, int64_t j)
{
  return ((double)i + 1) * ((double)j + 1) / (double)(n * n);
}

// Equal paths of 25 nodes, not joined: every eigenvalue n/25 times.
static double complex paths (int64_t n, int64_t i, int64_t j)
{
  return i / 25 == j / 25 ? path (n, i, j) : 0;
}

// A path whose edges turn the phase: the eigenvalues of the path.
static double complex phases (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return i - j == 1 ? cexp (I * (double)i) : j - i == 1 ? cexp (-I * (double)j) : 0;
}

enum { SIDE = 12 };

// Laplacian of a SIDE x SIDE grid
static double complex grid (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  const int64_t x = i % SIDE, y = i / SIDE, u = j % SIDE, v = j / SIDE;
  if (i == j)
    return (x > 0) + (x < SIDE - 1) + (y > 0) + (y < SIDE - 1);
  return llabs (x - u) + llabs (y - v) == 1 ? -1 : 0;
}

static void lambda_of (matrix *A, element f)
{
  const int64_t n = A->n;
  for (int64_t i = 0; i < n; i++) {
    const double at = (double)i, m = (double)n;
    double x = 0;
    if (f == path || f == phases)
      x = n == 1 ? 0 : 2 * cos ((at + 1) * pi / (m + 1));
    else if (f == paths)
      x = 2 * cos ((double)(i % 25 + 1) * pi / 26);
    else if (f == star)
      x = i == 0 ? sqrt (m - 1) : i == 1 ? -sqrt (m - 1) : 0;
    else if (f == complete)
      x = i == 0 ? m - 1 : -1;
    else if (f == bipartite)
      x = i < 2 ? sqrt ((double)(n / 3) * (double)(n - n / 3)) * (i == 0 ? 1 : -1) : 0;
    else if (f == identity)
      x = 1;
    else if (f == diagonal)
      x = at - m / 3;
    else if (f == rank_one)
      x = i == 0 ? m : 0;
    else if (f == real_rank_one)
      x = i == 0 ? (m + 1) * (2 * m + 1) / (6 * m) : 0;
    else if (f == grid)
      x = 4 - 2 * cos (pi * (double)(i % SIDE) / SIDE) - 2 * cos (pi * (double)(i / SIDE) / SIDE);
    A->lambda[i] = x;
  }
  sort_lambda (A);
}

static void test_closed (gla_type type, element f, int64_t n, int64_t k, double scale,
                         const char *what)
{
  static const int blocks[] = {0, 1, 2, 3, 4, 8};
  matrix A = make (type, n, f, scale);
  lambda_of (&A, f);
  for (int64_t i = 0; i < n; i++)
    A.lambda[i] *= scale;
  A.norm *= scale;
  for (int b = 0; b < 6; b++) {
    const gla_eigs_options o = {.block = blocks[b],
                                .basis = b == 0 ? 0 : 2 * k + 4 * blocks[b] + 8};
    check_matrix (&A, k, &o, what);
  }
  matrix_free (&A);
}

static void test_graphs (gla_type type)
{
  test_closed (type, path, 150, 3, 1, "path");
  test_closed (type, star, 100, 4, 1, "star");
  test_closed (type, complete, 90, 5, 1, "complete graph");
  test_closed (type, bipartite, 120, 4, 1, "bipartite graph");
  test_closed (type, identity, 110, 5, 1, "identity");
  test_closed (type, zero, 100, 3, 1, "zero");
  test_closed (type, diagonal, 130, 6, 1, "diagonal");
  test_closed (type, real_rank_one, 100, 3, 1, "rank 1");
  test_closed (type, paths, 200, 10, 1, "equal paths");
  test_closed (type, grid, SIDE * SIDE, 7, 1, "grid");
  if (gla_type_is_complex (type)) {
    test_closed (type, phases, 140, 4, 1, "path with phases");
    test_closed (type, rank_one, 100, 2, 1, "complex rank 1");
  }
  const int single = gla_type_real (type) == GLA_S;
  test_closed (type, paths, 150, 7, single ? 1e30 : 1e200, "huge entries");
  test_closed (type, paths, 150, 7, single ? 1e-30 : 1e-200, "tiny entries");
}

// All sizes of k, and matrices so small that they are solved densely.
static void test_sizes (gla_type type)
{
  static const int64_t sizes[] = {1, 2, 5, 12, 64, 65, 70, 0};
  for (int s = 0; sizes[s] > 0; s++) {
    const int64_t n = sizes[s], ks[] = {1, 2, n / 2, n - 1, n};
    matrix A = make (type, n, path, 1);
    lambda_of (&A, path);
    for (int q = 0; q < 5; q++)
      if (ks[q] >= 1 && ks[q] <= n)
        check_matrix (&A, ks[q], NULL, "small path");
    matrix_free (&A);
  }
}

//------------------------------------------------------------------------------
// functions, inverses, start vectors, the plain recurrence
//------------------------------------------------------------------------------

typedef struct {
  const matrix *A;
  int64_t calls, fail_at;
  int nan;
  int inverse; // of the diagonal matrix, minus sigma
  double sigma;
} function;

static int apply (void *user, const void *x, void *y, int64_t columns)
{
  function *f = user;
  const matrix *A = f->A;
  if (++f->calls == f->fail_at)
    return 1;
  for (int64_t c = 0; c < columns; c++)
    for (int64_t i = 0; i < A->n; i++) {
      double complex sum = 0;
      for (int64_t k = A->start[i]; k < A->start[i + 1]; k++)
        sum += get (A->type, A->values, k) * get (A->type, x, A->index[k] + c * A->n);
      if (f->inverse)
        sum = get (A->type, x, i + c * A->n) / (A->lambda[i] - f->sigma);
      set (A->type, y, i + c * A->n, f->nan && f->calls > 2 ? NAN : sum);
    }
  return 0;
}

static void test_functions (gla_type type)
{
  const double scales[] = {1, gla_type_real (type) == GLA_S ? 1e28 : 1e200,
                           gla_type_real (type) == GLA_S ? 1e-28 : 1e-200};
  for (int s = 0; s < 3; s++)
    for (int64_t n = 50; n <= 150; n += 100) {
      matrix A = make (type, n, paths, scales[s]);
      lambda_of (&A, paths);
      for (int64_t i = 0; i < n; i++)
        A.lambda[i] *= scales[s];
      A.norm *= scales[s];
      function f = {.A = &A};
      gla_operator op = {.apply = apply, .user = &f, .type = type, .n = n};
      answer a = solve (&op, type, n, 5, GLA_EIGS_LA, NULL, 1);
      check_answer (&A, &a, 5, GLA_EIGS_LA, "function");
      answer_free (&a);
      f.calls = 0;
      f.fail_at = n > 64 ? 9 : 1;
      a = solve (&op, type, n, 5, GLA_EIGS_LA, NULL, 1);
      CHECK (a.status == GLA_STOPPED && f.calls == f.fail_at, "a function that fails");
      answer_free (&a);
      f = (function){.A = &A, .nan = 1};
      a = solve (&op, type, n, 5, GLA_EIGS_LA, NULL, 1);
      CHECK (n < 64 || (a.status == GLA_BAD_ARGUMENT && strstr (gla_message (ctx), "NaN") != NULL),
             "a function that returns NaN: %d", a.status);
      answer_free (&a);
      matrix_free (&A);
    }
}

static void test_inverse (gla_type type)
{
  for (int64_t n = 20; n <= 220; n += 200) {
    matrix A = make (type, n, diagonal, 1);
    for (int64_t i = 0; i < n; i++)
      A.lambda[i] = (double)i - (double)n / 3;
    A.norm = (double)n;
    const double sigma = 3.3;
    function f = {.A = &A, .inverse = 1, .sigma = sigma};
    gla_operator op = {
        .apply = apply, .user = &f, .type = type, .n = n, .inverse = 1, .sigma = sigma};
    answer a = solve (&op, type, n, 3, GLA_EIGS_LM, NULL, 1);
    // the nearest eigenvalues, descending
    const double base = (double)n / 3, near = floor (sigma + base + 0.5) - base;
    CHECK (a.status == GLA_OK && a.report.converged == 3, "inverse: %s", gla_message (ctx));
    for (int64_t i = 0; i < 3; i++) {
      const double want = near + 1 - (double)i, got = real_at (&a.values, i);
      CHECK (fabs (got - want) <= 4500 * gla_type_eps (type) * 4,
             "inverse, %c, %lld: %.15g, not %.15g", type, (long long)i, got, want);
    }
    answer_free (&a);
    op.sigma = NAN;
    a = solve (&op, type, n, 3, GLA_EIGS_LM, NULL, 0);
    CHECK (a.status == GLA_BAD_ARGUMENT, "sigma NaN");
    answer_free (&a);
    op.sigma = 0;
    a = solve (&op, type, n, 3, GLA_EIGS_LA, NULL, 0);
    CHECK (a.status == GLA_BAD_ARGUMENT, "inverse with the largest");
    answer_free (&a);
    matrix_free (&A);
  }
}

static void test_start (gla_type type)
{
  const int64_t n = 150;
  matrix A = make (type, n, path, 1);
  lambda_of (&A, path);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.sparse = S};
  void *v0 = calloc ((size_t)n, 16);
  for (int kind = 0; kind < 4; kind++) {
    for (int64_t i = 0; i < n; i++) {
      const double eigenvector = sin (2 * pi * (double)(i + 1) / (double)(n + 1));
      const double big = gla_type_real (type) == GLA_S ? 1e30 : 1e300;
      set (type, v0, i, kind == 0 ? 0 : kind == 1 ? eigenvector : kind == 2 ? big : NAN);
    }
    const gla_eigs_options o = {.v0 = v0, .basis = 30};
    answer a = solve (&op, type, n, 3, GLA_EIGS_LA, &o, 1);
    if (kind < 3)
      check_answer (&A, &a, 3, GLA_EIGS_LA,
                    kind == 0   ? "v0 = 0"
                    : kind == 1 ? "v0 an eigenvector"
                                : "v0 huge");
    else
      CHECK (a.status == GLA_BAD_ARGUMENT, "v0 NaN");
    answer_free (&a);
  }
  free (v0);
  gla_sparse_destroy (S);
  matrix_free (&A);
}

static void test_plain (gla_type type)
{
  // eigenvalues have to be further apart than the test's tolerance, about 650*eps*norm
  const int64_t n = gla_type_real (type) == GLA_S ? 120 : 400, k = 4;
  matrix A = make (type, n, path, 1);
  lambda_of (&A, path);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.sparse = S};
  for (int which = GLA_EIGS_LM; which <= GLA_EIGS_BE; which++)
    for (int vectors = 0; vectors < 2; vectors++) {
      const gla_eigs_options o = {.method = GLA_EIGS_PLAIN};
      double lambda[4], worst = 0;
      answer a = solve (&op, type, n, k, (gla_eigs_which)which, &o, vectors);
      CHECK (a.status == GLA_OK && a.report.converged == k && a.report.steps > k,
             "plain: status %d, %lld converged", a.status, (long long)a.report.converged);
      expected (&A, (gla_eigs_which)which, k, lambda);
      for (int64_t i = 0; i < k; i++) {
        const double x = real_at (&a.values, i);
        worst = fmax (worst, which == GLA_EIGS_LM ? fabs (fabs (x) - fabs (lambda[i]))
                                                  : fabs (x - lambda[i]));
      }
      CHECK (worst <= 4500 * gla_type_eps (type) * 2, "plain, %c, which %d: values %g", type, which,
             worst);
      // without orthogonality the vectors are good to about the root of eps
      if (vectors)
        for (int64_t i = 0; i < k; i++)
          CHECK (a.residuals[i] <= sqrt (gla_type_eps (type)), "plain, %c: residual %g", type,
                 a.residuals[i]);
      answer_free (&a);
    }
  const gla_eigs_options fixed = {.method = GLA_EIGS_PLAIN, .steps = 63};
  answer a = solve (&op, type, n, k, GLA_EIGS_LA, &fixed, 0);
  CHECK (a.status == GLA_OK && a.report.steps == 63 && a.report.converged == k, "63 steps");
  answer_free (&a);
  gla_sparse_destroy (S);
  matrix_free (&A);
}

// Where the recurrence ends: every eigenvalue is found once, and no more.
static void test_plain_ends (gla_type type)
{
  static const element matrices[] = {identity, star, real_rank_one, zero};
  static const int64_t distinct[] = {1, 3, 2, 1};
  for (int m = 0; m < 4; m++) {
    matrix A = make (type, 100, matrices[m], 1);
    lambda_of (&A, matrices[m]);
    gla_sparse *S = to_sparse (&A);
    gla_operator op = {.sparse = S};
    const gla_eigs_options o = {.method = GLA_EIGS_PLAIN};
    answer a = solve (&op, type, 100, 5, GLA_EIGS_LA, &o, 1);
    CHECK (a.status == GLA_OK && a.report.converged == distinct[m], "plain, %c, matrix %d: %lld",
           type, m, (long long)a.report.converged);
    for (int64_t i = 0; i < 5; i++)
      CHECK (isnan (real_at (&a.values, i)) == (i >= distinct[m]), "plain, matrix %d: value %lld",
             m, (long long)i);
    CHECK (fabs (real_at (&a.values, 0) - A.lambda[99]) <=
               4500 * gla_type_eps (type) * fmax (A.norm, 1),
           "plain, matrix %d", m);
    answer_free (&a);
    gla_sparse_destroy (S);
    matrix_free (&A);
  }
}

//------------------------------------------------------------------------------
// no convergence, bits, stop, bad arguments
//------------------------------------------------------------------------------

static void test_no_convergence (void)
{
  matrix A = make (GLA_D, 300, path, 1);
  lambda_of (&A, path);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.sparse = S};
  const gla_eigs_options o = {.maxit = 1, .basis = 12, .block = 1};
  answer a = solve (&op, GLA_D, 300, 5, GLA_EIGS_SA, &o, 1);
  CHECK (a.status == GLA_OK && a.report.converged < 5 && !a.report.complete, "one restart: %lld",
         (long long)a.report.converged);
  int64_t numbers = 0;
  for (int64_t i = 0; i < 5; i++)
    numbers += !isnan (real_at (&a.values, i));
  CHECK (numbers == a.report.converged, "NaN where nothing converged");
  answer_free (&a);
  gla_sparse_destroy (S);
  matrix_free (&A);
}

static void test_bits (gla_type type)
{
  matrix A = make (type, 600, paths, 1);
  lambda_of (&A, paths);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.sparse = S};
  const gla_eigs_options seeds[] = {{.seed = 0}, {.seed = 0}, {.seed = 5}};
  answer a[3];
  for (int s = 0; s < 3; s++) {
    omp_set_num_threads (s == 1 ? 1 : 2);
    a[s] = solve (&op, type, 600, 6, GLA_EIGS_LA, &seeds[s], 1);
    check_answer (&A, &a[s], 6, GLA_EIGS_LA, "seed");
  }
  omp_set_num_threads (2);
  const size_t bytes = 600 * 6 * gla_type_size (type);
  CHECK (memcmp (a[0].vectors.data, a[1].vectors.data, bytes) == 0, "%c: other bits", type);
  CHECK (memcmp (a[0].vectors.data, a[2].vectors.data, bytes) != 0, "%c: seed has no effect", type);
  for (int s = 0; s < 3; s++)
    answer_free (&a[s]);
  gla_sparse_destroy (S);
  matrix_free (&A);
}

static int asked, calls_before;

static int stop (void *user)
{
  (void)user;
  return ++asked > calls_before;
}

static void test_stop (void)
{
  matrix A = make (GLA_D, 500, path, 1);
  lambda_of (&A, path);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.sparse = S};
  gla_set_stop (ctx, stop, NULL);
  for (int method = 0; method < 2; method++)
    for (calls_before = 0; calls_before < 4; calls_before++) {
      const gla_eigs_options o = {.method = (gla_eigs_method)method};
      asked = 0;
      answer a = solve (&op, GLA_D, 500, 4, GLA_EIGS_SA, &o, 1);
      CHECK (a.status == GLA_STOPPED && asked == calls_before + 1, "stop after %d: %d, %d asked",
             calls_before, a.status, asked);
      answer_free (&a);
    }
  gla_set_stop (ctx, NULL, NULL);
  gla_sparse_destroy (S);
  matrix_free (&A);
}

static double complex skew (int64_t n, int64_t i, int64_t j)
{
  return i == 7 && j == 8 ? 2 : path (n, i, j);
}

static double complex with_nan (int64_t n, int64_t i, int64_t j)
{
  return i == 7 && j == 7 ? NAN : path (n, i, j);
}

static void test_bad (void)
{
  matrix A = make (GLA_D, 100, path, 1), B = make (GLA_D, 100, skew, 1),
         C = make (GLA_D, 100, with_nan, 1);
  gla_sparse *S = to_sparse (&A), *T = to_sparse (&B), *U = to_sparse (&C);
  gla_operator good = {.sparse = S}, bad = {.sparse = T}, nan = {.sparse = U}, none = {.n = 5};
  const gla_eigs_options options[] = {
      {.block = 9}, {.block = -1}, {.basis = -1}, {.maxit = -1},
      {.tol = -1},  {.tol = NAN},  {.steps = 5},  {.method = (gla_eigs_method)7}};
  answer a = solve (&bad, GLA_D, 100, 3, GLA_EIGS_LA, NULL, 0);
  CHECK (a.status == GLA_NOT_HERMITIAN && strstr (gla_message (ctx), "(8, 9)") != NULL,
         "not symmetric: %s", gla_message (ctx));
  answer_free (&a);
  a = solve (&nan, GLA_D, 100, 3, GLA_EIGS_LA, NULL, 0);
  CHECK (a.status == GLA_BAD_ARGUMENT && strstr (gla_message (ctx), "NaN") != NULL, "NaN");
  answer_free (&a);
  a = solve (&none, GLA_D, 100, 3, GLA_EIGS_LA, NULL, 0);
  CHECK (a.status == GLA_BAD_ARGUMENT, "no operator");
  answer_free (&a);
  a = solve (&good, GLA_D, 100, 101, GLA_EIGS_LA, NULL, 0);
  CHECK (a.status == GLA_BAD_ARGUMENT, "k = n+1");
  answer_free (&a);
  a = solve (&good, GLA_D, 100, 0, GLA_EIGS_LA, NULL, 0);
  CHECK (a.status == GLA_BAD_ARGUMENT, "k = 0");
  answer_free (&a);
  a = solve (&good, GLA_D, 100, 3, (gla_eigs_which)9, NULL, 0);
  CHECK (a.status == GLA_BAD_ARGUMENT, "which");
  answer_free (&a);
  for (int o = 0; o < 8; o++) {
    a = solve (&good, GLA_D, 100, 3, GLA_EIGS_LA, &options[o], 0);
    CHECK (a.status == GLA_BAD_ARGUMENT && gla_message (ctx)[0], "bad option %d", o);
    answer_free (&a);
  }
  gla_sparse_destroy (S);
  gla_sparse_destroy (T);
  gla_sparse_destroy (U);
  matrix_free (&A);
  matrix_free (&B);
  matrix_free (&C);
}

int main (void)
{
  omp_set_num_threads (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_CPU, NULL, 0) == GLA_OK, "CPU");
  for (const char *t = "dzsc"; *t; t++) {
    const gla_type type = (gla_type)*t;
    test_graphs (type);
    test_sizes (type);
    test_functions (type);
    test_inverse (type);
    test_start (type);
    test_plain (type);
    test_plain_ends (type);
    test_bits (type);
  }
  test_no_convergence ();
  test_stop ();
  test_bad ();
  gla_context_destroy (ctx);
  return check_report ("test_eigs");
}
