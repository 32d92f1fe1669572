// test_api.c: arguments, shapes, strides, failing pages, callbacks, large offsets
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: cuda

#include "common/system.h"
#include "frame/calls.h"
#include "frame/check.h"

#include <pthread.h>
#include <time.h>

enum { N = 7, P = 5 };

static double complex A[N * N * P], V[N * N * P];
static double lambda[N * P];
static int32_t info[P];

static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static gla_array of_A (void)
{
  return gla_array_packed (A, GLA_TYPE_Z, N, N, P, GLA_DEVICE_HOST);
}
static gla_array of_V (void)
{
  return gla_array_packed (V, GLA_TYPE_Z, N, N, P, GLA_DEVICE_HOST);
}
static gla_array of_lambda (void)
{
  return gla_array_packed (lambda, GLA_TYPE_D, N, 1, P, GLA_DEVICE_HOST);
}

// Checks that a call ends with GLA_ERROR_BAD_ARGUMENT and a message that has `word`.
static void refuse (gla_context *ctx, gla_array a, gla_array l, gla_array v, gla_eig_options o,
                    const char *word)
{
  gla_status status = call_batcheig (ctx, &a, &l, &v, info, &o, NULL);
  CHECK (status == GLA_ERROR_BAD_ARGUMENT, "%s: status %d", word, status);
  CHECK (strstr (gla_message (ctx), word) != NULL, "message \"%s\" lacks \"%s\"", gla_message (ctx),
         word);
}

static void test_bad_arguments (gla_context *ctx)
{
  const gla_eig_options o = eig_options (GLA_EIG_METHOD_AUTO, GLA_TRIANGLE_FULL);
  gla_array a = of_A (), l = of_lambda (), v = of_V ();
  CHECK (gla_context_create (NULL) == GLA_ERROR_BAD_ARGUMENT, "context NULL");
  CHECK (call_batcheig (NULL, &a, &l, &v, info, &o, NULL) == GLA_ERROR_BAD_ARGUMENT, "no context");
  CHECK (call_batcheig (ctx, NULL, &l, &v, info, &o, NULL) == GLA_ERROR_BAD_ARGUMENT, "no A");
  CHECK (gla_batcheig (ctx, &a, NULL, &o, NULL) == GLA_ERROR_BAD_ARGUMENT, "no results");
  gla_array x = a;
  x.type = (gla_type)'q';
  refuse (ctx, x, l, v, o, "type");
  x = a;
  x.rows = N + 1;
  refuse (ctx, x, l, v, o, "square");
  x = a;
  x.pages = -1;
  refuse (ctx, x, l, v, o, "square");
  x = a;
  x.data = NULL;
  refuse (ctx, x, l, v, o, "A has no data");
  x = a;
  x.column_stride = N - 1;
  refuse (ctx, x, l, v, o, "A has overlapping strides");
  x = a;
  x.row_stride = 2;
  x.column_stride = 2 * N;
  x.page_stride = 2 * N * N;
  refuse (ctx, x, l, v, o, "row stride");
  x = l;
  x.type = GLA_TYPE_Z;
  refuse (ctx, a, x, v, o, "lambda");
  x = l;
  x.rows = N - 1;
  refuse (ctx, a, x, v, o, "lambda");
  x = v;
  x.pages = P - 1;
  refuse (ctx, a, l, x, o, "V");
  x = v;
  x.data = A;
  refuse (ctx, a, l, x, o, "V must not overlap A");
  x = l;
  x.data = V;
  refuse (ctx, a, x, v, o, "lambda must not overlap V");
  x = l;
  x.device = 0;
  refuse (ctx, a, x, v, o, "same place");
  gla_eig_options bad = o;
  bad.method = (gla_eig_method)9;
  refuse (ctx, a, l, v, bad, "method = 9");
  bad = o;
  bad.triangle = (gla_triangle)9;
  refuse (ctx, a, l, v, bad, "triangle = 9");
  bad = o;
  bad.tol = NAN;
  refuse (ctx, a, l, v, bad, "tol");
  bad.tol = -1;
  refuse (ctx, a, l, v, bad, "tol = -1");
  bad = o;
  bad.maxit = -3;
  refuse (ctx, a, l, v, bad, "maxit = -3");
  const int far = 99;
  CHECK (gla_set_place (ctx, GLA_PLACE_LIST, &far, 1) == GLA_ERROR_NO_DEVICE, "device 99 is taken");
  CHECK (gla_set_place (ctx, (gla_place)9, NULL, 0) == GLA_ERROR_BAD_ARGUMENT, "place 9 is taken");
}

static void test_shapes_and_strides (gla_context *ctx)
{
  gla_array a = of_A (), l = of_lambda ();
  a.rows = a.columns = l.rows = 0;
  CHECK (call_batcheig (ctx, &a, &l, NULL, info, NULL, NULL) == GLA_OK && info[P - 1] == 0,
         "0 x 0 x P");
  a = of_A ();
  l = of_lambda ();
  a.pages = l.pages = 0;
  a.data = l.data = NULL;
  CHECK (call_batcheig (ctx, &a, &l, NULL, NULL, NULL, NULL) == GLA_OK, "n x n x 0");

  // lambda on the diagonals of matrices, V in an array with gaps that must not be written
  enum { LD = N + 3, PAGE = LD * (N + 2) };
  static double complex wide[PAGE * P];
  static double D[N * N * P];
  for (int q = 0; q < PAGE * P; q++)
    wide[q] = 77;
  check_fill (A, N, P, 1);
  gla_array v = of_V (), d = gla_array_packed (D, GLA_TYPE_D, N, 1, P, GLA_DEVICE_HOST);
  v.data = wide;
  v.column_stride = LD;
  v.page_stride = PAGE;
  d.row_stride = N + 1;
  d.column_stride = d.page_stride = N * N;
  a = of_A ();
  for (int method = GLA_EIG_METHOD_QR; method <= GLA_EIG_METHOD_JACOBI; method++) {
    gla_eig_options o = eig_options ((gla_eig_method)method, GLA_TRIANGLE_FULL);
    CHECK (call_batcheig (ctx, &a, &d, &v, info, &o, NULL) == GLA_OK, "strided call");
    for (int p = 0; p < P; p++) {
      double ratio = check_ratio (A + p * N * N, wide + p * PAGE, D + p * N * N, N, LD, N + 1);
      CHECK (ratio <= 30, "page %d: ratio %g", p, ratio);
    }
    int touched = 0;
    for (int q = 0; q < PAGE * P; q++)
      touched += (q % PAGE >= LD * N || q % PAGE % LD >= N) && wide[q] != 77;
    for (int q = 0; q < N * N * P; q++)
      touched += q % (N * N) % (N + 1) != 0 && D[q] != 0;
    CHECK (touched == 0, "%d entries outside the pages were written", touched);
  }
}

static void test_failing_pages (gla_context *ctx)
{
  gla_array a = of_A (), l = of_lambda (), v = of_V ();
  static double complex good_V[N * N * P];
  static double good[N * P];
  check_fill (A, N, P, 2);
  CHECK (call_batcheig (ctx, &a, &l, &v, info, NULL, NULL) == GLA_OK, "all pages good");
  memcpy (good_V, V, sizeof V);
  memcpy (good, lambda, sizeof lambda);
  A[2 * N * N + 3] = NAN;
  A[4 * N * N + 2 * N + 2] = INFINITY;
  gla_eig_report report = {.base.size = sizeof report};
  CHECK (call_batcheig (ctx, &a, &l, &v, info, NULL, &report) == GLA_OK, "NaN page");
  CHECK (report.base.pages_failed == 2 && report.base.first_failed == 2, "%lld failed, first %lld",
         (long long)report.base.pages_failed, (long long)report.base.first_failed);
  for (int p = 0; p < P; p++) {
    int bad = p == 2 || p == 4;
    CHECK (info[p] == (bad ? N + 1 : 0), "info[%d] = %d", p, info[p]);
    for (int i = 0; i < N; i++)
      CHECK (bad ? isnan (lambda[p * N + i]) : lambda[p * N + i] == good[p * N + i],
             "lambda(%d,%d) = %g", i, p, lambda[p * N + i]);
    CHECK (bad ? isnan (creal (V[p * N * N + 5]))
               : memcmp (V + p * N * N, good_V + p * N * N, sizeof *V * N * N) == 0,
           "V of page %d", p);
  }

  check_fill (A, N, P, 2);
  A[3 * N * N + 1] += 0.5;
  CHECK (call_batcheig (ctx, &a, &l, &v, info, NULL, &report) == GLA_ERROR_NOT_HERMITIAN,
         "not Hermitian");
  CHECK (report.bad_page == 3 && fabs (report.bad_difference - 0.5) < 1e-12, "page %lld, %g",
         (long long)report.bad_page, report.bad_difference);
  // the wrong entry is in the lower triangle; the upper one still gives the right eigenvalues
  gla_eig_options upper = eig_options (GLA_EIG_METHOD_AUTO, GLA_TRIANGLE_UPPER);
  CHECK (call_batcheig (ctx, &a, &l, &v, info, &upper, NULL) == GLA_OK, "upper triangle only");
  for (int i = 0; i < N; i++)
    CHECK (fabs (lambda[3 * N + i] - good[3 * N + i]) < 1e-13, "upper: lambda(%d)", i);
}

static int stop_at_once (void *user)
{
  (*(int *)user)++;
  return 1;
}

static void on_progress (void *user, int64_t done, int64_t total)
{
  int64_t *seen = user;
  if (done < seen[0] || done > total)
    seen[1]++;
  seen[0] = done;
}

static void test_callbacks (gla_context *ctx)
{
  enum { n = 96, pages = 400 };
  double complex *big = malloc (sizeof *big * n * n * pages);
  double *values = malloc (sizeof *values * n * pages);
  check_fill (big, n, pages, 3);
  gla_array a = gla_array_packed (big, GLA_TYPE_Z, n, n, pages, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (values, GLA_TYPE_D, n, 1, pages, GLA_DEVICE_HOST);
  int asked = 0;
  gla_set_stop (ctx, stop_at_once, &asked);
  double start = now ();
  CHECK (call_batcheig (ctx, &a, &l, NULL, NULL, NULL, NULL) == GLA_ERROR_STOPPED, "not stopped");
  CHECK (now () - start < 0.2, "stopping took %g s", now () - start);
  CHECK (asked > 0, "the stop callback was not asked");
  gla_set_stop (ctx, NULL, NULL);
  int64_t seen[2] = {0, 0};
  gla_set_progress (ctx, on_progress, seen);
  a.pages = l.pages = 60;
  CHECK (call_batcheig (ctx, &a, &l, NULL, NULL, NULL, NULL) == GLA_OK, "with progress");
  CHECK (seen[0] == 60 && seen[1] == 0, "progress ended at %lld, %lld wrong steps",
         (long long)seen[0], (long long)seen[1]);
  gla_set_progress (ctx, NULL, NULL);
  free (big);
  free (values);
}

// Pages 3*2^30 elements apart, so that offsets exceed 2^31 and 2^32 elements. The memory in between
// is mapped but never written. On Windows it would count nevertheless.
#if !defined(_WIN32)
static void test_large_offsets (gla_context *ctx)
{
  const int64_t stride = (int64_t)3 << 30, pages = 3;
  size_t bytes = (size_t)stride * 2 * sizeof (double) + 4096;
  double *base = gla_map_zeros (bytes);
  CHECK (base != NULL, "no address space");
  if (base == NULL)
    return;
  for (int64_t p = 0; p < pages; p++) {
    double *m = base + p * stride;
    m[0] = m[3] = 2 + (double)p;
    m[1] = m[2] = 1;
  }
  double values[6];
  gla_array a = gla_array_packed (base, GLA_TYPE_D, 2, 2, pages, GLA_DEVICE_HOST);
  a.page_stride = stride;
  gla_array l = gla_array_packed (values, GLA_TYPE_D, 2, 1, pages, GLA_DEVICE_HOST);
  CHECK (call_batcheig (ctx, &a, &l, NULL, NULL, NULL, NULL) == GLA_OK, "large offsets");
  for (int p = 0; p < 3; p++)
    CHECK (fabs (values[2 * p] - 1 - p) < 1e-14 && fabs (values[2 * p + 1] - 3 - p) < 1e-14,
           "page %d: %g %g", p, values[2 * p], values[2 * p + 1]);
  gla_unmap (base, bytes);
}
#endif

static void *one_thread (void *seed)
{
  enum { n = 9, pages = 50 };
  double complex *a = malloc (sizeof *a * n * n * pages), *v = malloc (sizeof *v * n * n * pages);
  double *l = malloc (sizeof *l * n * pages), worst = 0;
  gla_context *ctx = NULL;
  gla_status status = gla_context_create (&ctx);
  check_fill (a, n, pages, (unsigned long long)(size_t)seed);
  gla_array ga = gla_array_packed (a, GLA_TYPE_Z, n, n, pages, GLA_DEVICE_HOST);
  gla_array gv = gla_array_packed (v, GLA_TYPE_Z, n, n, pages, GLA_DEVICE_HOST);
  gla_array gl = gla_array_packed (l, GLA_TYPE_D, n, 1, pages, GLA_DEVICE_HOST);
  if (status == GLA_OK)
    status = call_batcheig (ctx, &ga, &gl, &gv, NULL, NULL, NULL);
  for (int p = 0; p < pages; p++)
    worst = check_worst (worst, check_ratio (a + p * n * n, v + p * n * n, l + p * n, n, n, 1));
  gla_context_destroy (ctx);
  free (a);
  free (v);
  free (l);
  return status == GLA_OK && worst <= 30 ? NULL : seed;
}

static void test_threads (void)
{
  pthread_t threads[4];
  for (size_t k = 0; k < 4; k++)
    pthread_create (&threads[k], NULL, one_thread, (void *)(k + 1));
  for (size_t k = 0; k < 4; k++) {
    void *wrong = NULL;
    pthread_join (threads[k], &wrong);
    CHECK (wrong == NULL, "context of thread %zu", k);
  }
}

int main (void)
{
  gla_context *ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  check_fill (A, N, P, 1);
  test_bad_arguments (ctx);
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  test_shapes_and_strides (ctx);
  test_failing_pages (ctx);
  test_callbacks (ctx);
#if !defined(_WIN32)
  test_large_offsets (ctx);
#endif
  gla_context_destroy (ctx);
  gla_context_destroy (NULL);
  test_threads ();
  return check_report ("test_api");
}
