// test_bits.c: results have the same bits for any number of threads
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A process reads the numbers of threads once, so the program starts itself again with other
// numbers and compares the output: a line for each case, with a hash of its results.

#include "frame/calls.h"
#include "frame/check.h"

static uint64_t hash_of (const void *memory, size_t bytes, uint64_t h)
{
  const unsigned char *p = memory;
  for (size_t k = 0; k < bytes; k++)
    h = (h ^ p[k]) * 1099511628211u;
  return h;
}

static double *random_numbers (int64_t count, unsigned long long seed)
{
  double *a = malloc ((size_t)count * sizeof *a);
  for (int64_t k = 0; k < count; k++)
    a[k] = check_random (&seed);
  return a;
}

static gla_array result (gla_type type, int64_t m, int64_t n, int64_t p)
{
  void *memory = calloc ((size_t)(m * n * p) + 1, gla_type_size (type));
  return gla_array_packed (memory, type, m, n, p, GLA_DEVICE_HOST);
}

// Adds the array to the hash and frees it.
static uint64_t hash_and_free (gla_array *a, uint64_t h)
{
  h = hash_of (a->data, (size_t)(a->rows * a->columns * a->pages) * gla_type_size (a->type), h);
  free (a->data);
  return h;
}

static void print_case (const char *what, int64_t m, int64_t n, gla_status status, uint64_t h)
{
  printf ("%s %lld %lld: %s %016llx\n", what, (long long)m, (long long)n, gla_status_text (status),
          (unsigned long long)h);
}

//------------------------------------------------------------------------------
// cases
//------------------------------------------------------------------------------

static void qr_case (gla_context *ctx, const char *what, gla_type type, int64_t m, int64_t n,
                     int64_t pages, int pivot, int wy)
{
  const int64_t k = m < n ? m : n, rhs = 5;
  const int parts = 1 + gla_type_is_complex (type);
  double *a = random_numbers (m * n * pages * parts, 5),
         *b = random_numbers (m * rhs * pages * parts, 6);
  const gla_array A = gla_array_packed (a, type, m, n, pages, GLA_DEVICE_HOST);
  const gla_array B = gla_array_packed (b, type, m, rhs, pages, GLA_DEVICE_HOST);
  const gla_qr_options options = {.size = sizeof options, .pivot = pivot};
  gla_qr_results r = {.size = sizeof r};
  uint64_t h = 1469598103934665603u;
  r.Q = result (type, m, k, pages);
  r.R = result (type, k, n, pages);
  r.C = result (type, k, rhs, pages);
  if (wy) {
    r.W = result (type, m, k, pages);
    r.Y = result (type, m, k, pages);
  }
  if (pivot)
    r.jpvt = malloc ((size_t)(n * pages) * sizeof *r.jpvt);
  const gla_status status = gla_qr (ctx, &A, &B, &r, &options, NULL);
  h = hash_and_free (&r.Q, hash_and_free (&r.R, hash_and_free (&r.C, h)));
  if (wy)
    h = hash_and_free (&r.W, hash_and_free (&r.Y, h));
  if (pivot)
    h = hash_of (r.jpvt, (size_t)(n * pages) * sizeof *r.jpvt, h);
  free (r.jpvt);
  free (a);
  free (b);
  print_case (what, m, n, status, h);
}

static void gsvd_case (gla_context *ctx, gla_gsvd_method method, int64_t m, int64_t n, int64_t p,
                       int64_t pages)
{
  const int64_t q = m + n < p ? m + n : p;
  double *a = random_numbers (m * p * pages, 7), *b = random_numbers (n * p * pages, 8);
  const gla_array A = gla_array_packed (a, GLA_TYPE_D, m, p, pages, GLA_DEVICE_HOST);
  const gla_array B = gla_array_packed (b, GLA_TYPE_D, n, p, pages, GLA_DEVICE_HOST);
  const gla_gsvd_options options = {.size = sizeof options, .method = method};
  gla_gsvd_results r = {.size = sizeof r};
  r.alpha = result (GLA_TYPE_D, q, 1, pages);
  r.beta = result (GLA_TYPE_D, q, 1, pages);
  r.U = result (GLA_TYPE_D, m, m < q ? m : q, pages);
  r.V = result (GLA_TYPE_D, n, n < q ? n : q, pages);
  r.X = result (GLA_TYPE_D, p, q, pages);
  const gla_status status = gla_gsvd (ctx, &A, &B, &r, &options, NULL);
  const uint64_t h = hash_and_free (
      &r.X, hash_and_free (
                &r.U, hash_and_free (&r.V, hash_and_free (&r.alpha, hash_and_free (&r.beta, 7)))));
  free (a);
  free (b);
  print_case (method == GLA_GSVD_METHOD_HZ ? "gsvd by hz" : "gsvd", p, pages, status, h);
}

static void eig_case (gla_context *ctx, int64_t n, int64_t pages, gla_eig_method method)
{
  double complex *a = malloc ((size_t)(n * n * pages) * sizeof *a);
  const gla_array A = gla_array_packed (a, GLA_TYPE_Z, n, n, pages, GLA_DEVICE_HOST);
  const gla_eig_options options = eig_options (method, GLA_TRIANGLE_FULL);
  gla_array L = result (GLA_TYPE_D, n, 1, pages), V = result (GLA_TYPE_Z, n, n, pages);
  check_fill (a, n, pages, 9);
  const gla_status status = call_batcheig (ctx, &A, &L, &V, NULL, &options, NULL);
  print_case ("batcheig", n, pages, status, hash_and_free (&L, hash_and_free (&V, 9)));
  free (a);
}

// A tridiagonal matrix with a row and a column of ones: one long row and many short ones.
static void sparse_case (gla_context *ctx, int64_t n, gla_eigs_method method, int block)
{
  int64_t *start = malloc ((size_t)(n + 1) * sizeof *start),
          *index = malloc ((size_t)(6 * n) * sizeof *index);
  double *values = malloc ((size_t)(6 * n) * sizeof *values), *x = random_numbers (n, 10);
  int64_t at = 0;
  for (int64_t i = 0; i < n; i++) {
    start[i] = at;
    for (int64_t j = i == 0 ? 0 : i > 1 ? i - 2 : i - 1; j < n && (i == 0 || j <= i + 1); j++)
      if (i == 0 || j == 0 || (j >= i - 1)) {
        index[at] = j;
        values[at++] = i == j ? 2 + (double)(i % 11) : -1;
      } else if (j == i - 2) {
        index[at] = 0;
        values[at++] = -1;
      }
  }
  start[n] = at;
  const gla_csr csr = {GLA_TYPE_D, n, n, 8, start, index, values};
  gla_operator A = {.size = sizeof A, .sparse = NULL};
  gla_status status = gla_sparse_create (ctx, &csr, &A.sparse, NULL);
  const gla_array in = gla_array_packed (x, GLA_TYPE_D, n, 1, 1, GLA_DEVICE_HOST);
  gla_array y = result (GLA_TYPE_D, n, 1, 1), z = result (GLA_TYPE_D, n, 1, 1);
  if (status == GLA_OK)
    status = gla_spmv (ctx, A.sparse, 'N', &in, &y, NULL);
  if (status == GLA_OK)
    status = gla_spmv (ctx, A.sparse, 'T', &in, &z, NULL);
  print_case ("spmv", n, at, status, hash_and_free (&y, hash_and_free (&z, 11)));
  const gla_eigs_options few = {.size = sizeof few,
                                .method = method,
                                .block = block,
                                .maxit = 2,
                                .trust = 1,
                                .steps = method == GLA_EIGS_METHOD_PLAIN ? 60 : 0};
  double residuals[4] = {0};
  gla_eigs_results r = {.size = sizeof r, .residuals = residuals};
  r.values = result (GLA_TYPE_D, 4, 1, 1);
  r.vectors = result (GLA_TYPE_D, n, 4, 1);
  status = gla_eigs (ctx, &A, 4, GLA_EIGS_WHICH_LA, &r, &few, NULL);
  print_case ("eigs", n, method * 10 + block, status,
              hash_of (residuals, sizeof residuals,
                       hash_and_free (&r.values, hash_and_free (&r.vectors, 12))));
  gla_sparse_destroy (A.sparse);
  free (start);
  free (index);
  free (values);
  free (x);
}

// The sanitizers find memory errors in the small cases as well, so they skip the large ones.
#ifdef __SANITIZE_ADDRESS__
enum { LARGE = 0, SPARSE = 20000 };
#else
enum { LARGE = 1, SPARSE = 150000 };
#endif

static void print_large_cases (gla_context *ctx)
{
  qr_case (ctx, "qr", GLA_TYPE_D, 2048, 1024, 1, 0, 0);
  qr_case (ctx, "qr", GLA_TYPE_D, 10000, 100, 1, 0, 0);
  qr_case (ctx, "qr", GLA_TYPE_D, 100, 5000, 1, 0, 0);
  qr_case (ctx, "tall qr", GLA_TYPE_D, 200000, 32, 1, 0, 0);
  qr_case (ctx, "pivoted qr", GLA_TYPE_D, 3000, 200, 1, 1, 0);
  gsvd_case (ctx, GLA_GSVD_METHOD_AUTO, 600, 500, 450, 1);
  gsvd_case (ctx, GLA_GSVD_METHOD_HZ, 260, 280, 250, 1);
  eig_case (ctx, 260, 5, GLA_EIG_METHOD_AUTO);
  eig_case (ctx, 700, 1, GLA_EIG_METHOD_AUTO);
}

static void geev_case (gla_context *ctx, gla_type type, int64_t n, int64_t pages)
{
  const gla_type complex_type = gla_type_real (type) == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
  double *a = random_numbers (2 * n * n * pages, 8);
  const gla_array A = gla_array_packed (a, type, n, n, pages, GLA_DEVICE_HOST);
  gla_pageeig_results r = {.size = sizeof r,
                           .lambda = result (complex_type, n, 1, pages),
                           .V = result (complex_type, n, n, pages),
                           .W = result (complex_type, n, n, pages)};
  const gla_status status = gla_pageeig (ctx, &A, &r, NULL, NULL);
  print_case ("general", n, pages, status,
              hash_and_free (&r.lambda, hash_and_free (&r.V, hash_and_free (&r.W, 3))));
  free (a);
}

static void print_cases (gla_context *ctx)
{
  if (LARGE)
    print_large_cases (ctx);
  qr_case (ctx, "qr", GLA_TYPE_D, 600, 500, 1, 0, 1);
  qr_case (ctx, "qr", GLA_TYPE_Z, 300, 310, 2, 0, 0);
  qr_case (ctx, "tall qr", GLA_TYPE_D, 60000, 8, 3, 0, 1);
  qr_case (ctx, "qr of pages", GLA_TYPE_D, 16, 16, 500, 0, 0);
  qr_case (ctx, "qr of pages", GLA_TYPE_D, 120, 110, 9, 0, 0);
  qr_case (ctx, "pivoted qr", GLA_TYPE_D, 600, 500, 1, 1, 0);
  qr_case (ctx, "pivoted qr", GLA_TYPE_D, 30, 20, 9, 1, 0);
  gsvd_case (ctx, GLA_GSVD_METHOD_AUTO, 300, 280, 250, 1);
  gsvd_case (ctx, GLA_GSVD_METHOD_AUTO, 12, 10, 9, 50);
  eig_case (ctx, 20, 70, GLA_EIG_METHOD_AUTO);
  eig_case (ctx, 120, 3, GLA_EIG_METHOD_JACOBI);
  geev_case (ctx, GLA_TYPE_D, 12, 300);
  geev_case (ctx, GLA_TYPE_Z, 30, 50);
  geev_case (ctx, GLA_TYPE_D, 120, 5);
  sparse_case (ctx, SPARSE, GLA_EIGS_METHOD_RESTARTED, 1);
  sparse_case (ctx, SPARSE, GLA_EIGS_METHOD_RESTARTED, 4);
  sparse_case (ctx, SPARSE, GLA_EIGS_METHOD_PLAIN, 1);
}

//------------------------------------------------------------------------------
// processes
//------------------------------------------------------------------------------

enum { LINES = 64, LENGTH = 200 };

typedef char lines[LINES][LENGTH];

// The lines that this program prints with so many threads of the library and of the BLAS.
static int lines_of (const char *program, int threads, int blas, lines to)
{
  char command[1200], number[2][12];
  snprintf (command, sizeof command, "\"%s\" say", program);
  snprintf (number[0], sizeof number[0], "%d", threads);
  snprintf (number[1], sizeof number[1], "%d", blas);
  check_setenv ("OMP_NUM_THREADS", number[0]);
  check_setenv ("OPENBLAS_NUM_THREADS", number[1]);
  FILE *f = popen (command, "r");
  int count = 0;
  while (f != NULL && count < LINES && fgets (to[count], LENGTH, f) != NULL)
    count++;
  return f != NULL && pclose (f) == 0 ? count : -1;
}

static lines one, other;

int main (int argc, char **argv)
{
  static const int numbers[][2] = {{2, 2}, {3, 1}, {4, 2}};
  if (argc > 1) {
    gla_context *ctx = NULL;
    if (gla_context_create (&ctx) != GLA_OK ||
        gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) != GLA_OK)
      return 1;
    print_cases (ctx);
    gla_context_destroy (ctx);
    return 0;
  }
  const int count = lines_of (argv[0], 1, 1, one);
  CHECK (count > 15, "%d lines", count);
  for (int k = 0; k < count; k++)
    CHECK (strstr (one[k], ": ok ") != NULL, "%s", one[k]);
  for (size_t t = 0; t < sizeof numbers / sizeof *numbers; t++) {
    CHECK (lines_of (argv[0], numbers[t][0], numbers[t][1], other) == count,
           "%d threads, %d of the BLAS", numbers[t][0], numbers[t][1]);
    for (int k = 0; k < count; k++)
      CHECK (strcmp (one[k], other[k]) == 0, "%d threads, %d of the BLAS: %.*s", numbers[t][0],
             numbers[t][1], (int)strcspn (one[k], ":"), one[k]);
  }
  return check_report ("bits");
}
