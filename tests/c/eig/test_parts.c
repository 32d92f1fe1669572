// test_parts.c: parts of the spectrum: indices, intervals, counts, room, errors, with and without B
// SPDX-License-Identifier: GPL-3.0-or-later

#include "frame/check.h"

#include <time.h>

enum { MOST = 150, PAGES = 9 };

static gla_context *ctx;
static double complex *A, *B, *V;
static double *lambda, *all;
static int32_t info[PAGES];
static int64_t count[PAGES];

static gla_array array (void *data, gla_type type, int64_t rows, int64_t columns, int64_t pages)
{
  return gla_array_packed (data, type, rows, columns, pages, GLA_DEVICE_HOST);
}

// k columns of results; vectors where wanted.
static gla_eig_results results (int64_t n, int64_t k, int64_t pages, int vectors)
{
  return (gla_eig_results){.size = sizeof (gla_eig_results),
                           .lambda = array (lambda, GLA_TYPE_D, k, 1, pages),
                           .V = array (vectors ? V : NULL, GLA_TYPE_Z, n, k, pages),
                           .info = info,
                           .count = count};
}

static gla_eig_options interval (double vl, double vu)
{
  return (gla_eig_options){
      .size = sizeof (gla_eig_options), .range = GLA_EIG_INTERVAL, .vl = vl, .vu = vu};
}

static gla_eig_options indices (int64_t il, int64_t iu)
{
  return (gla_eig_options){
      .size = sizeof (gla_eig_options), .range = GLA_EIG_INDICES, .il = il, .iu = iu};
}

// |A v - lambda v| and |V'V - I| of the first k columns of a page, as multiples of n*eps*|A|.
static double worst_of (int64_t n, int64_t k, int64_t columns, int64_t p)
{
  const double complex *a = A + p * n * n, *v = V + p * n * columns;
  double norm = 0, worst = 0;
  for (int64_t i = 0; i < n * n; i++)
    norm += creal (a[i] * conj (a[i]));
  norm = sqrt (norm) + DBL_MIN;
  for (int64_t j = 0; j < k; j++) {
    for (int64_t i = 0; i < n; i++) {
      double complex r = -lambda[p * columns + j] * v[i + j * n];
      for (int64_t l = 0; l < n; l++)
        r += a[i + l * n] * v[l + j * n];
      worst = check_worst (worst, cabs (r) / norm);
    }
    for (int64_t m = 0; m <= j; m++) {
      double complex dot = j == m ? -1 : 0;
      for (int64_t i = 0; i < n; i++)
        dot += conj (v[i + m * n]) * v[i + j * n];
      worst = check_worst (worst, cabs (dot));
    }
  }
  return worst / ((double)n * DBL_EPSILON);
}

//------------------------------------------------------------------------------
// right answers
//------------------------------------------------------------------------------

static void test_indices (int64_t n, gla_eig_method method)
{
  const gla_array a = array (A, GLA_TYPE_Z, n, n, PAGES);
  check_fill (A, n, PAGES, (unsigned long long)n);
  for (int64_t il = 1; il <= n; il += 1 + n / 3)
    for (int64_t iu = il - 1; iu <= n; iu += 1 + n / 4) {
      const int64_t k = iu - il + 1;
      gla_eig_options o = indices (il, iu);
      o.method = method;
      const gla_eig_results r = results (n, k, PAGES, 1);
      gla_eig_report report = {.base.size = sizeof report};
      CHECK (gla_batcheig (ctx, &a, &r, &o, &report) == GLA_OK, "%s", gla_message (ctx));
      CHECK (report.most == k, "n %lld: most %lld", (long long)n, (long long)report.most);
      for (int64_t p = 0; p < PAGES; p++) {
        const double worst = worst_of (n, k, k, p);
        CHECK (info[p] == 0 && count[p] == k && worst < 10, "n %lld, %lld to %lld: ratio %g",
               (long long)n, (long long)il, (long long)iu, worst);
      }
    }
}

// All eigenvalues but two are 1, and the part ends among them: it has as many of their vectors as
// belong to it. So many columns are found by divide and conquer.
static void test_equal (int64_t n)
{
  const gla_array a = array (A, GLA_TYPE_Z, n, n, 1);
  unsigned long long seed = 3;
  for (int64_t i = 0; i < 2 * n; i++)
    B[i] = check_random (&seed) + I * check_random (&seed);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      A[i + j * n] = (i == j) + B[i] * conj (B[j]) - B[n + i] * conj (B[n + j]);
  for (int64_t k = n / 3; k <= n; k += n / 5) {
    const gla_eig_options low = indices (1, k), high = indices (n - k + 1, n);
    const gla_eig_results r = results (n, k, 1, 1);
    for (int upper = 0; upper < 2; upper++) {
      CHECK (gla_batcheig (ctx, &a, &r, upper ? &high : &low, NULL) == GLA_OK, "%s",
             gla_message (ctx));
      const double worst = worst_of (n, k, k, 0);
      CHECK (info[0] == 0 && worst < 10, "%lld of %lld: ratio %g", (long long)k, (long long)n,
             worst);
    }
  }
}

// Adjoining intervals whose ends are eigenvalues; the last page has NaN.
static void test_partition (int64_t n, int vectors)
{
  const gla_array a = array (A, GLA_TYPE_Z, n, n, PAGES);
  int64_t total[PAGES] = {0};
  check_fill (A, n, PAGES, 7 + (unsigned long long)n);
  A[(PAGES - 1) * n * n] = NAN;
  gla_eig_results r = results (n, n, PAGES, vectors);
  r.lambda.data = all;
  gla_eig_options o = interval (-INFINITY, INFINITY);
  CHECK (gla_batcheig (ctx, &a, &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t k = 0; k <= n; k++) {
    r = results (n, n, PAGES, vectors);
    o = interval (k == 0 ? -INFINITY : all[n + k - 1], k == n ? INFINITY : all[n + k]);
    CHECK (gla_batcheig (ctx, &a, &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
    CHECK (count[1] == (k < n), "n %lld: interval %lld has %lld", (long long)n, (long long)k,
           (long long)count[1]);
    CHECK (isnan (lambda[n + count[1]]) || count[1] == n, "no NaN behind");
    for (int64_t p = 0; p < PAGES; p++)
      total[p] += count[p];
  }
  for (int64_t p = 0; p < PAGES; p++)
    CHECK (total[p] == (p + 1 < PAGES ? n : 0) && (info[p] == 0) == (p + 1 < PAGES),
           "n %lld page %lld: total %lld", (long long)n, (long long)p, (long long)total[p]);
}

// Fewer columns than a page has eigenvalues in the interval: the first of them, and the true count.
static void test_room (void)
{
  enum { N = 5 };
  const gla_array a = array (A, GLA_TYPE_Z, N, N, 2);
  memset (A, 0, 2 * N * N * sizeof *A);
  for (int i = 0; i < N; i++) {
    A[i * (N + 1)] = i; // 0 1 2 3 4
    A[N * N + i * (N + 1)] = 10 + i;
  }
  for (int k = 0; k <= 3; k++) {
    const gla_eig_results r = results (N, k, 2, 1);
    const gla_eig_options o = interval (0, 3);
    gla_eig_report report = {.base.size = sizeof report};
    CHECK (gla_batcheig (ctx, &a, &r, &o, &report) == GLA_OK, "%s", gla_message (ctx));
    CHECK (count[0] == 3 && count[1] == 0 && report.most == 3, "counts with room for %d", k);
    for (int j = 0; j < k; j++)
      CHECK (lambda[j] == j + 1 && isnan (lambda[k + j]) && cabs (V[j * N + j + 1]) == 1,
             "room for %d", k);
  }
}

// Clusters, also cut by iu, and a large scale: two Wilkinson matrices glued by 1e-14; all equal.
static void test_clusters (int64_t copies, double scale)
{
  enum { M = 21 };
  const int64_t n = M * copies;
  const gla_array a = array (A, GLA_TYPE_Z, n, n, 2);
  memset (A, 0, (size_t)(2 * n * n) * sizeof *A);
  for (int64_t i = 0; i < n; i++) {
    A[i * (n + 1)] = scale * fabs ((double)(i % M - M / 2));
    A[n * n + i * (n + 1)] = scale;
    if (i + 1 < n)
      A[i * (n + 1) + 1] = A[i * (n + 1) + n] = scale * ((i + 1) % M == 0 ? 1e-14 : 1);
  }
  for (int64_t k = 1; k <= n; k += n / 3) {
    const gla_eig_results r = results (n, k, 2, 1);
    const gla_eig_options o = indices (n - k + 1, n);
    CHECK (gla_batcheig (ctx, &a, &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
    for (int64_t p = 0; p < 2; p++)
      CHECK (worst_of (n, k, k, p) < 10, "n %lld, largest %lld of page %lld: ratio %g",
             (long long)n, (long long)k, (long long)p, worst_of (n, k, k, p));
  }
}

// Each page has the bits that it has alone.
static void test_bits (int64_t n)
{
  const gla_array a = array (A, GLA_TYPE_Z, n, n, PAGES);
  const gla_eig_options o = interval (-1, (double)n / 8);
  double complex *alone = calloc ((size_t)(n * n), sizeof *alone);
  check_fill (A, n, PAGES, 3);
  for (int64_t p = 0; p < PAGES; p += 4) {
    const gla_array one = array (A + p * n * n, GLA_TYPE_Z, n, n, 1);
    gla_eig_results r = results (n, n, 1, 1);
    CHECK (gla_batcheig (ctx, &one, &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
    const int64_t k = count[0];
    memcpy (alone, V, (size_t)(n * k) * sizeof *alone);
    r = results (n, n, PAGES, 1);
    CHECK (gla_batcheig (ctx, &a, &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
    CHECK (k == count[p] && memcmp (alone, V + p * n * n, (size_t)(n * k) * sizeof *alone) == 0,
           "n %lld: bits of page %lld", (long long)n, (long long)p);
  }
  free (alone);
}

//------------------------------------------------------------------------------
// pairs
//------------------------------------------------------------------------------

static void test_pairs (int64_t n)
{
  const gla_array a = array (A, GLA_TYPE_Z, n, n, PAGES), b = array (B, GLA_TYPE_Z, n, n, 1);
  gla_eig_pairs_results r = {.size = sizeof r,
                             .lambda = array (all, GLA_TYPE_D, n, 1, PAGES),
                             .V = array (NULL, GLA_TYPE_Z, n, n, PAGES),
                             .info = info,
                             .count = count};
  gla_eig_pairs_options o = {.size = sizeof o};
  check_fill (A, n, PAGES, 5);
  memset (B, 0, (size_t)(n * n) * sizeof *B);
  for (int64_t i = 0; i < n; i++)
    B[i * (n + 1)] = 1 + (double)i / (double)n;
  CHECK (gla_batcheig_pairs (ctx, &a, &b, &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (count[0] == n, "count of all");
  o.range = GLA_EIG_INTERVAL;
  o.vl = all[n / 2];
  o.vu = all[n - 1];
  r.lambda = array (lambda, GLA_TYPE_D, n, 1, PAGES);
  gla_eig_pairs_report report = {.base.size = sizeof report};
  CHECK (gla_batcheig_pairs (ctx, &a, &b, &r, &o, &report) == GLA_OK, "%s", gla_message (ctx));
  CHECK (count[0] == n - 1 - n / 2 && report.most >= count[0], "n %lld: %lld in the interval",
         (long long)n, (long long)count[0]);
  for (int64_t i = 0; i < n; i++)
    CHECK (i < count[0] ? lambda[i] == all[n / 2 + 1 + i] : isnan (lambda[i]), "n %lld: value %lld",
           (long long)n, (long long)i);
}

//------------------------------------------------------------------------------
// errors
//------------------------------------------------------------------------------

static void refused (int64_t k, gla_eig_options o, const char *what)
{
  const gla_array a = array (A, GLA_TYPE_Z, 4, 4, 1);
  const gla_eig_results r = results (4, k, 1, 0);
  CHECK (gla_batcheig (ctx, &a, &r, &o, NULL) == GLA_ERROR_BAD_ARGUMENT, "%s", what);
}

static void test_errors (void)
{
  refused (2, indices (0, 1), "il 0");
  refused (2, indices (4, 5), "iu 5");
  refused (0, indices (3, 1), "iu < il-1");
  refused (3, indices (1, 2), "3 columns for 2 eigenvalues");
  refused (4, interval (1, 1), "vl = vu");
  refused (4, interval (NAN, 1), "vl NaN");
  refused (5, interval (0, 1), "5 columns");
  gla_eig_options o = indices (1, 4);
  o.range = (gla_eig_range)3;
  refused (4, o, "range 3");
}

//------------------------------------------------------------------------------
// stops
//------------------------------------------------------------------------------

// Rotations are undone after the eigenvalues were stored, so the questions are told apart by them:
// no clock decides.
typedef struct {
  const double *lambda; // NaN until it is stored
  int late, until;      // questions since then; a stop is wanted from question `until` on
} stopper;

static int ask (void *user)
{
  stopper *s = user;
  s->late += !isnan (*s->lambda);
  return s->late >= s->until;
}

static gla_status part_of (const gla_array *A, const gla_eig_results *r, stopper *s)
{
  const int64_t n = A->rows, k = r->lambda.rows;
  gla_eig_options o = indices (n - k + 1, n);
  double *v = r->V.data, *w = r->lambda.data;
  for (int64_t q = 0; q < n * k; q++)
    v[q] = NAN;
  for (int64_t q = 0; q < k; q++)
    w[q] = NAN;
  o.method = GLA_EIG_METHOD_QR;
  s->lambda = w;
  gla_set_stop (ctx, ask, s);
  const gla_status status = gla_batcheig (ctx, A, r, &o, NULL);
  gla_set_stop (ctx, NULL, NULL);
  return status;
}

// One large page by "qr": the third question after its eigenvalues ends the call before V is
// written. Without questions between the rotations, at most two come before V is complete.
static void test_stop (int64_t n, int64_t k)
{
  double *a = malloc ((size_t)(n * n) * sizeof *a), *v = malloc ((size_t)(n * k) * sizeof *v);
  double *w = malloc ((size_t)k * sizeof *w);
  unsigned long long seed = 5;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++)
      a[i + j * n] = a[j + i * n] = check_random (&seed);
  const gla_array A = array (a, GLA_TYPE_D, n, n, 1);
  const gla_eig_results r = {.size = sizeof r,
                             .lambda = array (w, GLA_TYPE_D, k, 1, 1),
                             .V = array (v, GLA_TYPE_D, n, k, 1)};
  stopper s = {.until = 1 << 30};
  CHECK (part_of (&A, &r, &s) == GLA_OK && !isnan (v[n * k - 1]), "%s", gla_message (ctx));
  s = (stopper){.until = 3};
  CHECK (part_of (&A, &r, &s) == GLA_ERROR_STOPPED, "n %lld: not stopped", (long long)n);
  CHECK (s.late == 3 && isnan (v[0]), "n %lld: %d questions, V %g", (long long)n, s.late, v[0]);
  free (a);
  free (v);
  free (w);
}

int main (void)
{
  static const int64_t sizes[] = {1, 2, 3, 5, 17, 40, 66, 130, MOST};
  const size_t most = (size_t)MOST * MOST * PAGES;
  A = malloc (most * sizeof *A);
  B = malloc (most * sizeof *B);
  V = malloc (most * sizeof *V);
  lambda = malloc ((MOST + 1) * PAGES * sizeof *lambda);
  all = malloc ((MOST + 1) * PAGES * sizeof *all);
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  for (int k = 0; k < 9; k++) {
    test_indices (sizes[k], GLA_EIG_METHOD_AUTO);
    test_bits (sizes[k]);
    if (sizes[k] > 2)
      test_pairs (sizes[k]);
  }
  test_indices (40, GLA_EIG_METHOD_JACOBI);
  test_indices (100, GLA_EIG_METHOD_JACOBI);
  test_indices (MOST, GLA_EIG_METHOD_QR);
  for (int vectors = 0; vectors < 2; vectors++) {
    test_partition (4, vectors);
    test_partition (20, vectors);
    test_partition (70, vectors);
  }
  test_equal (MOST);
  test_room ();
  test_clusters (2, 1);
  test_clusters (5, 1e12);
  test_clusters (7, 1);
  test_errors ();
  test_stop (1500, 370);
  gla_context_destroy (ctx);
  free (A);
  free (B);
  free (V);
  free (lambda);
  free (all);
  return check_report ("test_parts");
}
