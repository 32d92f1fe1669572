// test_eigs.c: eigenvalues of graphs with closed forms, multiplicities, scales, bits, errors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: guarded

#include "eigs_answer.h"
#include "threads/pool.h"

//------------------------------------------------------------------------------
// closed forms
//------------------------------------------------------------------------------

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
    // a path takes about 300 restarts with 22 vectors, depending on rounding
    const gla_eigs_options o = {.block = blocks[b],
                                .maxit = f == path && blocks[b] == 2 ? 1000 : 0,
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
  const int single = gla_type_real (type) == GLA_TYPE_S;
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
// no convergence, bits, stop, bad arguments
//------------------------------------------------------------------------------

static void test_no_convergence (void)
{
  matrix A = make (GLA_TYPE_D, 300, path, 1);
  lambda_of (&A, path);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.size = sizeof op, .sparse = S};
  const gla_eigs_options o = {.maxit = 1, .basis = 12, .block = 1};
  answer a = solve (&op, GLA_TYPE_D, 300, 5, GLA_EIGS_WHICH_SA, &o, 1);
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

static double complex graded (int64_t n, int64_t i, int64_t j)
{
  return i == j ? pow (10, -20 * (double)(n - 1 - i) / (double)(n - 1)) : 0;
}

// Eigenvalues from 1e-20 to 1: products do not tell the smallest from each other.
static void test_graded (gla_type type)
{
  const double most = gla_type_real (type) == GLA_TYPE_S ? 0x1p30 : 0x1p600;
  const double scales[] = {1, most, 1 / most};
  for (int s = 0; s < 3; s++) {
    matrix A = make (type, 300, graded, scales[s]);
    for (int64_t i = 0; i < A.n; i++)
      A.lambda[i] = creal (graded (A.n, i, i)) * scales[s];
    A.norm = scales[s];
    gla_sparse *S = to_sparse (&A);
    gla_operator op = {.size = sizeof op, .sparse = S};
    answer a = solve (&op, type, A.n, 6, GLA_EIGS_WHICH_SA, NULL, 1);
    check_answer (&A, &a, 6, GLA_EIGS_WHICH_SA, "graded");
    if (gla_type_real (type) == GLA_TYPE_D)
      CHECK (a.report.dense && a.report.restarts == 40, "%lld restarts, dense %d",
             (long long)a.report.restarts, a.report.dense);
    answer_free (&a);
    // in single, a search that takes small changes for none leaves smaller ones out
    const gla_eigs_options o = {.maxit = 60, .basis = 133};
    a = solve (&op, type, A.n, 115, GLA_EIGS_WHICH_SA, &o, 0);
    CHECK (!a.report.dense && a.report.restarts <= 60, "maxit was given");
    if (a.report.converged == 115 && a.report.complete)
      check_answer (&A, &a, 115, GLA_EIGS_WHICH_SA, "graded, many");
    answer_free (&a);
    gla_sparse_destroy (S);
    matrix_free (&A);
  }
}

static void test_bits (gla_type type)
{
  matrix A = make (type, 600, paths, 1);
  lambda_of (&A, paths);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.size = sizeof op, .sparse = S};
  const gla_eigs_options seeds[] = {{.seed = 0}, {.seed = 0}, {.seed = 5}};
  answer a[3];
  for (int s = 0; s < 3; s++) {
    gla_pool_share (s == 1 ? 1 : 2);
    a[s] = solve (&op, type, 600, 6, GLA_EIGS_WHICH_LA, &seeds[s], 1);
    check_answer (&A, &a[s], 6, GLA_EIGS_WHICH_LA, "seed");
  }
  gla_pool_share (2);
  const size_t bytes = 600 * 6 * gla_type_size (type);
  CHECK (memcmp (a[0].vectors.data, a[1].vectors.data, bytes) == 0, "%c: other bits", type);
  CHECK (memcmp (a[0].vectors.data, a[2].vectors.data, bytes) != 0, "%c: seed has no effect", type);
  for (int s = 0; s < 3; s++)
    answer_free (&a[s]);
  gla_sparse_destroy (S);
  matrix_free (&A);
}

// Large enough for several threads and for groups of steps; the eigenvalues are 1, 1/2, 1/3, ...
static void test_large (gla_type type)
{
  enum { N = 150000, K = 4 };
  matrix A = {.type = type, .n = N, .norm = 1};
  A.start = malloc ((N + 1) * sizeof *A.start);
  A.index = malloc (N * sizeof *A.index);
  A.values = malloc (N * gla_type_size (type));
  for (int64_t i = 0; i < N; i++) {
    A.start[i] = A.index[i] = i;
    set (type, A.values, i, 1.0 / (double)(i + 1));
  }
  A.start[N] = N;
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.size = sizeof op, .sparse = S};
  answer a[2];
  for (int threads = 1; threads <= 2; threads++) {
    gla_pool_share (threads);
    a[threads - 1] = solve (&op, type, N, K, GLA_EIGS_WHICH_LA, NULL, 1);
  }
  for (int64_t i = 0; i < K; i++)
    CHECK (fabs (real_at (&a[0].values, i) * (double)(i + 1) - 1) <= 4500 * gla_type_eps (type),
           "large, %c: value %lld", type, (long long)i);
  CHECK (worst_vector (&A, &a[0], K) <= 4500 * gla_type_eps (type), "large, %c: vectors", type);
  CHECK (a[0].report.complete, "large, %c: not complete", type);
  CHECK (memcmp (a[0].vectors.data, a[1].vectors.data, N * K * gla_type_size (type)) == 0,
         "large, %c: other bits with other numbers of threads", type);
  answer_free (&a[0]);
  answer_free (&a[1]);
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
  matrix A = make (GLA_TYPE_D, 500, path, 1);
  lambda_of (&A, path);
  gla_sparse *S = to_sparse (&A);
  gla_operator op = {.size = sizeof op, .sparse = S};
  gla_set_stop (ctx, stop, NULL);
  for (int method = 0; method < 2; method++)
    for (calls_before = 0; calls_before < 4; calls_before++) {
      const gla_eigs_options o = {.method = (gla_eigs_method)method};
      asked = 0;
      answer a = solve (&op, GLA_TYPE_D, 500, 4, GLA_EIGS_WHICH_SA, &o, 1);
      CHECK (a.status == GLA_ERROR_STOPPED && asked == calls_before + 1,
             "stop after %d: %d, %d asked", calls_before, a.status, asked);
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
  matrix A = make (GLA_TYPE_D, 100, path, 1), B = make (GLA_TYPE_D, 100, skew, 1),
         C = make (GLA_TYPE_D, 100, with_nan, 1);
  gla_sparse *S = to_sparse (&A), *T = to_sparse (&B), *U = to_sparse (&C);
  gla_operator good = {.size = sizeof good, .sparse = S}, bad = {.size = sizeof bad, .sparse = T},
               nan = {.size = sizeof nan, .sparse = U}, none = {.size = sizeof none, .n = 5};
  const gla_eigs_options options[] = {
      {.block = 9}, {.block = -1}, {.basis = -1}, {.maxit = -1},
      {.tol = -1},  {.tol = NAN},  {.steps = 5},  {.method = (gla_eigs_method)7}};
  answer a = solve (&bad, GLA_TYPE_D, 100, 3, GLA_EIGS_WHICH_LA, NULL, 0);
  CHECK (a.status == GLA_ERROR_NOT_HERMITIAN && strstr (gla_message (ctx), "(8, 9)") != NULL,
         "not symmetric: %s", gla_message (ctx));
  answer_free (&a);
  a = solve (&nan, GLA_TYPE_D, 100, 3, GLA_EIGS_WHICH_LA, NULL, 0);
  CHECK (a.status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), "NaN") != NULL, "NaN");
  answer_free (&a);
  a = solve (&none, GLA_TYPE_D, 100, 3, GLA_EIGS_WHICH_LA, NULL, 0);
  CHECK (a.status == GLA_ERROR_BAD_ARGUMENT, "no operator");
  answer_free (&a);
  a = solve (&good, GLA_TYPE_D, 100, 101, GLA_EIGS_WHICH_LA, NULL, 0);
  CHECK (a.status == GLA_ERROR_BAD_ARGUMENT, "k = n+1");
  answer_free (&a);
  a = solve (&good, GLA_TYPE_D, 100, 0, GLA_EIGS_WHICH_LA, NULL, 0);
  CHECK (a.status == GLA_ERROR_BAD_ARGUMENT, "k = 0");
  answer_free (&a);
  a = solve (&good, GLA_TYPE_D, 100, 3, (gla_eigs_which)9, NULL, 0);
  CHECK (a.status == GLA_ERROR_BAD_ARGUMENT, "which");
  answer_free (&a);
  for (int o = 0; o < 8; o++) {
    a = solve (&good, GLA_TYPE_D, 100, 3, GLA_EIGS_WHICH_LA, &options[o], 0);
    CHECK (a.status == GLA_ERROR_BAD_ARGUMENT && gla_message (ctx)[0], "bad option %d", o);
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
  gla_pool_share (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  for (const char *t = "dzsc"; *t; t++) {
    const gla_type type = (gla_type)*t;
    test_graphs (type);
    test_sizes (type);
    test_graded (type);
    test_bits (type);
    test_large (type);
  }
  test_no_convergence ();
  test_stop ();
  test_bad ();
  gla_context_destroy (ctx);
  return check_report ("test_eigs");
}
