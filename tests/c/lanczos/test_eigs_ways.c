// test_eigs_ways.c: eigenvalues of functions and inverses, start vectors, the plain recurrence
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: guarded

#include "eigs_answer.h"
#include "threads/pool.h"

typedef struct {
  const matrix *A;
  int64_t calls, fail_at;
  int nan;
  int inverse; // multiply by the inverse of the diagonal matrix minus sigma
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
  const double scales[] = {1, gla_type_real (type) == GLA_TYPE_S ? 1e28 : 1e200,
                           gla_type_real (type) == GLA_TYPE_S ? 1e-28 : 1e-200};
  for (int s = 0; s < 3; s++)
    for (int64_t n = 50; n <= 150; n += 100) {
      matrix A = make (type, n, paths, scales[s]);
      lambda_of (&A, paths);
      for (int64_t i = 0; i < n; i++)
        A.lambda[i] *= scales[s];
      A.norm *= scales[s];
      function f = {.A = &A};
      gla_operator op = {.size = sizeof op, .apply = apply, .user = &f, .type = type, .n = n};
      answer a = solve (&op, type, n, 5, GLA_EIGS_WHICH_LA, NULL, 1);
      check_answer (&A, &a, 5, GLA_EIGS_WHICH_LA, "function");
      answer_free (&a);
      f.calls = 0;
      f.fail_at = n > 64 ? 9 : 1;
      a = solve (&op, type, n, 5, GLA_EIGS_WHICH_LA, NULL, 1);
      CHECK (a.status == GLA_ERROR_STOPPED && f.calls == f.fail_at, "a function that fails");
      answer_free (&a);
      f = (function){.A = &A, .nan = 1};
      a = solve (&op, type, n, 5, GLA_EIGS_WHICH_LA, NULL, 1);
      CHECK (n < 64 ||
                 (a.status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), "NaN") != NULL),
             "a function that returns NaN: %d", a.status);
      answer_free (&a);
      matrix_free (&A);
    }
}

// Six times 1, then 1/7, 1/8, ..; so large that the CPU looks at the Ritz values before the basis
// is full, and each look of the search finds another of the six.
static matrix six_equal (gla_type type)
{
  enum { N = 20001, EQUAL = 6 };
  matrix A = {.type = type, .n = N, .norm = 1};
  A.start = malloc ((N + 1) * sizeof *A.start);
  A.index = malloc (N * sizeof *A.index);
  A.values = malloc (N * gla_type_size (type));
  A.lambda = malloc (N * sizeof *A.lambda);
  for (int64_t i = 0; i < N; i++) {
    A.start[i] = A.index[i] = i;
    A.lambda[i] = i >= N - EQUAL ? 1 : 1 / (double)(N - i);
    set (type, A.values, i, A.lambda[i]);
  }
  A.start[N] = N;
  return A;
}

static void test_multiple (gla_type type)
{
  static const int blocks[] = {1, 2, 4};
  matrix A = six_equal (type);
  gla_sparse *S = to_sparse (&A);
  for (int b = 0; b < 3; b++)
    for (uint64_t seed = 0; seed < 3; seed++) {
      const gla_eigs_options o = {.block = blocks[b], .seed = seed};
      function f = {.A = &A};
      gla_operator op = {.size = sizeof op, .apply = apply, .user = &f, .type = type, .n = A.n};
      if (seed == 1)
        op = (gla_operator){.size = sizeof op, .sparse = S};
      answer a = solve (&op, type, A.n, 9, GLA_EIGS_WHICH_LA, &o, 1);
      check_answer (&A, &a, 9, GLA_EIGS_WHICH_LA, "six equal eigenvalues");
      CHECK (a.report.restarts <= 8, "six equal, %c, block %d: %lld restarts", type, blocks[b],
             (long long)a.report.restarts);
      answer_free (&a);
    }
  gla_sparse_destroy (S);
  matrix_free (&A);
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
    gla_operator op = {.size = sizeof op,
                       .apply = apply,
                       .user = &f,
                       .type = type,
                       .n = n,
                       .inverse = 1,
                       .sigma = sigma};
    answer a = solve (&op, type, n, 3, GLA_EIGS_WHICH_LM, NULL, 1);
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
    a = solve (&op, type, n, 3, GLA_EIGS_WHICH_LM, NULL, 0);
    CHECK (a.status == GLA_ERROR_BAD_ARGUMENT, "sigma NaN");
    answer_free (&a);
    op.sigma = 0;
    a = solve (&op, type, n, 3, GLA_EIGS_WHICH_LA, NULL, 0);
    CHECK (a.status == GLA_ERROR_BAD_ARGUMENT, "inverse with the largest");
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
  gla_operator op = {.size = sizeof op, .sparse = S};
  void *v0 = calloc ((size_t)n, 16);
  for (int kind = 0; kind < 4; kind++) {
    for (int64_t i = 0; i < n; i++) {
      const double eigenvector = sin (2 * pi * (double)(i + 1) / (double)(n + 1));
      const double big = gla_type_real (type) == GLA_TYPE_S ? 1e30 : 1e300;
      set (type, v0, i, kind == 0 ? 0 : kind == 1 ? eigenvector : kind == 2 ? big : NAN);
    }
    const gla_eigs_options o = {.v0 = v0, .basis = 30};
    answer a = solve (&op, type, n, 3, GLA_EIGS_WHICH_LA, &o, 1);
    if (kind < 3)
      check_answer (&A, &a, 3, GLA_EIGS_WHICH_LA,
                    kind == 0   ? "v0 = 0"
                    : kind == 1 ? "v0 an eigenvector"
                                : "v0 huge");
    else
      CHECK (a.status == GLA_ERROR_BAD_ARGUMENT, "v0 NaN");
    answer_free (&a);
  }
  free (v0);
  gla_sparse_destroy (S);
  matrix_free (&A);
}

static void test_plain (gla_type type)
{
  // eigenvalues must be farther apart than the tolerance of the test, about 650*eps*norm
  const int64_t n = gla_type_real (type) == GLA_TYPE_S ? 120 : 400, k = 4;
  matrix A = make (type, n, path, 1);
  lambda_of (&A, path);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.size = sizeof op, .sparse = S};
  for (int which = GLA_EIGS_WHICH_LM; which <= GLA_EIGS_WHICH_BE; which++)
    for (int vectors = 0; vectors < 2; vectors++) {
      const gla_eigs_options o = {.method = GLA_EIGS_METHOD_PLAIN};
      double lambda[4], worst = 0;
      answer a = solve (&op, type, n, k, (gla_eigs_which)which, &o, vectors);
      CHECK (a.status == GLA_OK && a.report.converged == k && a.report.steps > k,
             "plain: status %d, %lld converged", a.status, (long long)a.report.converged);
      expected (&A, (gla_eigs_which)which, k, lambda);
      for (int64_t i = 0; i < k; i++) {
        const double x = real_at (&a.values, i);
        worst = check_worst (worst, which == GLA_EIGS_WHICH_LM ? fabs (fabs (x) - fabs (lambda[i]))
                                                               : fabs (x - lambda[i]));
      }
      CHECK (worst <= 4500 * gla_type_eps (type) * 2, "plain, %c, which %d: values %g", type, which,
             worst);
      // without reorthogonalization the error of vectors is about sqrt (eps)
      if (vectors)
        for (int64_t i = 0; i < k; i++)
          CHECK (a.residuals[i] <= sqrt (gla_type_eps (type)), "plain, %c: residual %g", type,
                 a.residuals[i]);
      answer_free (&a);
    }
  const gla_eigs_options fixed = {.method = GLA_EIGS_METHOD_PLAIN, .steps = 63};
  answer a = solve (&op, type, n, k, GLA_EIGS_WHICH_LA, &fixed, 0);
  CHECK (a.status == GLA_OK && a.report.steps == 63 && a.report.converged == k, "63 steps");
  answer_free (&a);
  gla_sparse_destroy (S);
  matrix_free (&A);
}

// On its way to an eigenvalue that has converged, a copy is not a value of its own. Values of this
// matrix are 0.005 apart.
static double complex spread_out (int64_t n, int64_t i, int64_t j)
{
  const double ends[] = {2, 1.8};
  return i != j ? 0 : i < n - 2 ? (double)i / (double)(n - 1) : ends[n - 1 - i];
}

static void test_plain_copies (void)
{
  matrix A = make (GLA_TYPE_D, 200, spread_out, 1);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.size = sizeof op, .sparse = S};
  for (int64_t steps = 20; steps <= 200; steps++)
    for (int which = GLA_EIGS_WHICH_LM; which <= GLA_EIGS_WHICH_BE; which++) {
      const gla_eigs_options o = {.method = GLA_EIGS_METHOD_PLAIN, .steps = steps};
      answer a = solve (&op, GLA_TYPE_D, 200, 6, (gla_eigs_which)which, &o, 0);
      CHECK (a.status == GLA_OK && a.report.converged == 6, "%lld steps: status %d, %lld found",
             (long long)steps, a.status, (long long)a.report.converged);
      for (int64_t i = 1; i < 6; i++)
        for (int64_t j = 0; j < i; j++)
          CHECK (!(fabs (real_at (&a.values, i) - real_at (&a.values, j)) < 1e-4),
                 "%lld steps, which %d: %.17g twice", (long long)steps, which,
                 real_at (&a.values, i));
      answer_free (&a);
    }
  gla_sparse_destroy (S);
  matrix_free (&A);
}

// If the recurrence ends early, every eigenvalue is found exactly once.
static void test_plain_ends (gla_type type)
{
  static const element matrices[] = {identity, star, real_rank_one, zero};
  static const int64_t distinct[] = {1, 3, 2, 1};
  for (int m = 0; m < 4; m++) {
    matrix A = make (type, 100, matrices[m], 1);
    lambda_of (&A, matrices[m]);
    gla_sparse *S = to_sparse (&A);
    gla_operator op = {.size = sizeof op, .sparse = S};
    const gla_eigs_options o = {.method = GLA_EIGS_METHOD_PLAIN};
    answer a = solve (&op, type, 100, 5, GLA_EIGS_WHICH_LA, &o, 1);
    CHECK (a.status == GLA_OK && a.report.converged == distinct[m], "plain, %c, matrix %d: %lld",
           type, m, (long long)a.report.converged);
    for (int64_t i = 0; i < 5; i++)
      CHECK (!isnan (real_at (&a.values, i)) == (i < distinct[m]), "plain, matrix %d: value %lld",
             m, (long long)i);
    CHECK (fabs (real_at (&a.values, 0) - A.lambda[99]) <=
               4500 * gla_type_eps (type) * fmax (A.norm, 1),
           "plain, matrix %d", m);
    answer_free (&a);
    gla_sparse_destroy (S);
    matrix_free (&A);
  }
}

int main (void)
{
  gla_pool_share (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  for (const char *t = "dzsc"; *t; t++) {
    const gla_type type = (gla_type)*t;
    test_functions (type);
    test_multiple (type);
    test_inverse (type);
    test_start (type);
    test_plain (type);
    test_plain_ends (type);
  }
  test_plain_copies ();
  gla_context_destroy (ctx);
  return check_report ("test_eigs_ways");
}
