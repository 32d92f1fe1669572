// test_pairs.c: eigenvalues of pairs (A, B): sizes, types, strides, hard pairs, bits, errors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "threads/pool.h"
#include "frame/page_arrays.h"
#include "pair_problem.h"

#include <time.h>

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};

//------------------------------------------------------------------------------
// sizes
//------------------------------------------------------------------------------

static void check_size (gla_type type, int64_t n, int64_t gap, gla_triangle triangle, int itype)
{
  pair_problem q = random_pairs (type, n, n > 100 ? 2 : 11, gap, n + 1000 * itype);
  if (triangle != GLA_TRIANGLE_FULL)
    spoil_triangle (&q, triangle);
  q.o.triangle = triangle;
  q.o.itype = itype;
  CHECK (solve_all (&q) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < q.pages; p++) {
    const double ratio = pair_ratio (&q, p);
    CHECK (q.info[p] == 0 && ratio <= BOUND, "%c n %lld itype %d triangle %d: info %d, ratio %g",
           (char)type, (long long)n, itype, (int)triangle, q.info[p], ratio);
  }
  CHECK (gaps_are_untouched (&q.V) && gaps_are_untouched (&q.rcond), "a gap was written");
  release (&q);
}

static void test_sizes (void)
{
  static const int64_t larger[] = {63, 64, 65, 96, 129, 257, 300};
  for (int t = 0; t < 4; t++) {
    for (int64_t n = 0; n <= 40; n++)
      check_size (types[t], n, n % 2 ? GAP : 0, (gla_triangle)((n + t) % 3), 1 + (int)(n / 2) % 3);
    for (int k = 0; k < COUNT (larger); k++)
      check_size (types[t], larger[k], k % 2 ? 0 : GAP, (gla_triangle)(k % 3), 1 + (k + t) % 3);
  }
  for (int itype = 1; itype <= 3; itype++)
    for (int64_t n = 2; n <= 5; n++)
      check_size (GLA_TYPE_Z, n, 0, GLA_TRIANGLE_FULL, itype);
}

// Eigenvalues alone, with each method.
static void test_values (void)
{
  for (int t = 0; t < 4; t++)
    for (int64_t n = 1; n <= 70; n += 23) {
      pair_problem q = random_pairs (types[t], n, 5, 0, n);
      pair_problem r = random_pairs (types[t], n, 5, 0, n);
      free (r.V.data);
      r.V.data = NULL;
      r.o.method = n % 2 ? GLA_EIG_METHOD_JACOBI : GLA_EIG_METHOD_QR;
      CHECK (solve_all (&q) == GLA_OK && solve_all (&r) == GLA_OK, "%s", gla_message (ctx));
      for (int64_t p = 0; p < 5; p++)
        CHECK (values_differ (&q, p, &r, p, 1) <= BOUND, "%c n %lld: values alone", (char)types[t],
               (long long)n);
      release (&q);
      release (&r);
    }
}

//------------------------------------------------------------------------------
// bits
//------------------------------------------------------------------------------

// Each page has the bits that it has alone, also where one page serves for all.
static void check_bits (gla_type type, int64_t n, int share_a, int share_b)
{
  enum { BATCH = 19 };
  pair_problem q = random_pairs (type, n, BATCH, 0, 7 * n);
  if (share_a)
    q.A.pages = 1;
  if (share_b)
    q.B.pages = 1;
  set (&q.A, 0, 0, 0, share_a ? 0.5 : NAN);
  set (&q.B, 0, 0, 0, share_b ? 9.0 : NAN);
  gla_pool_share (3);
  CHECK (solve_all (&q) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < BATCH; p++) {
    pair_problem one = page_alone (&q, p);
    gla_pool_share (p % 2 ? 1 : 4);
    CHECK (solve_all (&one) == GLA_OK && one.info[0] == q.info[p], "info %d and %d", one.info[0],
           q.info[p]);
    CHECK (same_results (&q, p, &one, 0), "%c n %lld page %lld: bits depend on the batch",
           (char)type, (long long)n, (long long)p);
    release_results (&one);
  }
  gla_pool_share (0);
  release (&q);
}

static void test_bits (void)
{
  static const int64_t orders[] = {1, 2, 3, 4, 5, 9, 16, 31, 33, 70};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < COUNT (orders); k++)
      check_bits (types[t], orders[k], k % 3 == 1, k % 3 == 2);
}

// With B = I, the bits of gla_batcheig. The phase is left out: for vectors of any length it is
// other arithmetic.
static void test_identity (void)
{
  for (int t = 0; t < 4; t++)
    for (int64_t n = 1; n <= 90; n += 11) {
      pair_problem q = random_pairs (types[t], n, 9, 0, n);
      gla_array lambda = make (gla_type_real (types[t]), n, 1, 9, 0);
      gla_array V = make (types[t], n, n, 9, 0);
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
          set (&q.B, i, j, 0, i == j);
      q.B.pages = 1;
      q.o.phase = GLA_EIG_PHASE_NONE;
      const gla_eig_results r = {.size = sizeof r, .lambda = lambda, .V = V};
      const gla_eig_options o = {.size = sizeof o, .phase = GLA_EIG_PHASE_NONE};
      CHECK (solve_all (&q) == GLA_OK && gla_batcheig (ctx, &q.A, &r, &o, NULL) == GLA_OK, "%s",
             gla_message (ctx));
      CHECK (memcmp (lambda.data, q.lambda.data, (size_t)(9 * n) * gla_type_size (lambda.type)) ==
                     0 &&
                 memcmp (V.data, q.V.data, (size_t)(9 * n * n) * gla_type_size (V.type)) == 0,
             "%c n %lld: B = I differs from gla_batcheig", (char)types[t], (long long)n);
      free (lambda.data);
      free (V.data);
      release (&q);
    }
}

//------------------------------------------------------------------------------
// pages that fail
//------------------------------------------------------------------------------

static void check_failures (gla_type type, int64_t n)
{
  enum { PAGES = 9 };
  pair_problem q = random_pairs (type, n, PAGES, 0, n), r = random_pairs (type, n, PAGES, 0, n);
  const int64_t k = n / 2;
  set (&q.A, 0, n - 1, 1, NAN);
  set (&q.B, n - 1, 0, 3, INFINITY);
  set (&q.B, k, k, 5, -1);
  for (int64_t i = 0; i < n; i++) { // row 0 is 0
    set (&q.B, i, 0, 6, 0);
    set (&q.B, 0, i, 6, 0);
  }
  q.o.triangle = r.o.triangle = GLA_TRIANGLE_FULL;
  CHECK (solve_all (&q) == GLA_OK && solve_all (&r) == GLA_OK, "%s", gla_message (ctx));
  const int64_t expected[PAGES] = {0, n + 1, 0, n + 1, 0, n + 2 + k, n + 2, 0, 0};
  for (int64_t p = 0; p < PAGES; p++) {
    CHECK (q.info[p] == expected[p], "%c n %lld page %lld: info %d", (char)type, (long long)n,
           (long long)p, q.info[p]);
    if (expected[p] == 0)
      CHECK (same_results (&q, p, &r, p), "%c n %lld: a neighbour changed", (char)type,
             (long long)n);
    else
      CHECK (is_all_nan (&q, p), "%c n %lld: page %lld is not NaN", (char)type, (long long)n,
             (long long)p);
  }
  CHECK (q.report.base.pages_failed == 4 && q.report.base.first_failed == 1, "report");
  release (&q);
  release (&r);
}

// B just not definite, and just definite.
static void test_margin (void)
{
  for (int t = 0; t < 4; t++)
    for (int64_t n = 2; n <= 40; n += 19) {
      pair_problem q = random_pairs (types[t], n, 3, 0, n);
      const double eps = gla_type_eps (types[t]);
      for (int64_t p = 0; p < 3; p++)
        for (int64_t j = 0; j < n; j++)
          for (int64_t i = 0; i < n; i++)
            set (&q.B, i, j, p, i == j);
      const double below[3] = {1 - (double)n * eps / 4, 1 - 4 * (double)n * eps, 1 + eps};
      for (int64_t p = 0; p < 3; p++) {
        set (&q.B, 0, n - 1, p, below[p]);
        set (&q.B, n - 1, 0, p, below[p]);
      }
      CHECK (solve_all (&q) == GLA_OK, "%s", gla_message (ctx));
      CHECK (q.info[0] == 2 * n + 1 && q.info[1] == 0 && q.info[2] == 2 * n + 1,
             "%c n %lld: info %d %d %d", (char)types[t], (long long)n, q.info[0], q.info[1],
             q.info[2]);
      release (&q);
    }
}

static void test_failures (void)
{
  for (int t = 0; t < 4; t++)
    for (int64_t n = 2; n <= 50; n += 12)
      check_failures (types[t], n);
  // one bad B for all
  pair_problem q = random_pairs (GLA_TYPE_D, 6, 4, 0, 1);
  q.B.pages = 1;
  set (&q.B, 2, 2, 0, 0);
  CHECK (solve_all (&q) == GLA_OK && q.info[0] == 10 && q.info[3] == 10 && is_all_nan (&q, 3),
         "shared: info %d %d", q.info[0], q.info[3]);
  release (&q);
}

//------------------------------------------------------------------------------
// scale
//------------------------------------------------------------------------------

// The pair (2^a*D*A*D, 2^b*D*B*D) with D = diag (2^(step*i)) has 2^(a-b) times the eigenvalues.
static void check_scaled (gla_type type, int64_t n, int a, int b, int step)
{
  pair_problem q = random_pairs (type, n, 3, 0, n), r = random_pairs (type, n, 3, 0, n);
  q.o.triangle = r.o.triangle = GLA_TRIANGLE_LOWER;
  CHECK (solve_all (&r) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < 3; p += 2)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = j; i < n; i++) {
        const int d = step * (int)(i + j - n);
        set (&q.A, i, j, p, scaled (get (&q.A, i, j, p), a + d));
        set (&q.B, i, j, p, scaled (get (&q.B, i, j, p), b + d));
      }
  CHECK (solve_all (&q) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < 3; p++) {
    const double differ = values_differ (&q, p, &r, p, p == 1 ? 1 : ldexp (1, a - b));
    CHECK (q.info[p] == 0 && differ <= 3 * BOUND, "%c n %lld 2^%d 2^%d 2^%d: info %d, differ %g",
           (char)type, (long long)n, a, b, step, q.info[p], differ);
  }
  CHECK (same_results (&q, 1, &r, 1), "%c n %lld: a neighbour changed", (char)type, (long long)n);
  release (&q);
  release (&r);
}

static void test_scale (void)
{
  for (int64_t n = 1; n <= 40; n += 13) {
    for (int t = 1; t < 4; t += 2) {
      check_scaled (types[t], n, 900, 0, 0);
      check_scaled (types[t], n, -900, 0, 0);
      check_scaled (types[t], n, 0, 900, 0);
      check_scaled (types[t], n, 0, -900, 0);
      check_scaled (types[t], n, 990, 990, 0);
      check_scaled (types[t], n, -990, -990, 0);
      check_scaled (types[t], n, 0, 0, 11);
      check_scaled (types[t], n, -20, 30, -11);
    }
    for (int t = 0; t < 4; t += 2) {
      check_scaled (types[t], n, 90, 0, 0);
      check_scaled (types[t], n, 0, -90, 0);
      check_scaled (types[t], n, -100, -100, 0);
      check_scaled (types[t], n, 100, 100, 0);
    }
  }
}

//------------------------------------------------------------------------------
// known eigenvalues
//------------------------------------------------------------------------------

// Linear finite elements on a line: (6/h^2) (1 - c)/(2 + c) with c = cos (j*pi/(n+1)).
static void test_elements (void)
{
  for (int t = 0; t < 4; t++)
    for (int64_t n = 1; n <= 150; n = 2 * n + 1) {
      pair_problem q = random_pairs (types[t], n, 2, 0, n);
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
          for (int64_t p = 0; p < 2; p++) {
            set (&q.A, i, j, p, i == j ? 2 : llabs (i - j) == 1 ? -1 : 0);
            set (&q.B, i, j, p, i == j ? 4 : llabs (i - j) == 1 ? 1 : 0);
          }
      CHECK (solve_all (&q) == GLA_OK, "%s", gla_message (ctx));
      for (int64_t k = 0; k < n; k++) {
        const double c = cos ((double)(k + 1) * acos (-1) / (double)(n + 1));
        const double expected = (1 - c) / (2 + c), found = creal (get (&q.lambda, k, 0, 1));
        CHECK (fabs (found - expected) <= 10 * (double)n * gla_type_eps (types[t]),
               "%c n %lld: %g, not %g", (char)types[t], (long long)n, found, expected);
      }
      release (&q);
    }
}

// A = B has all eigenvalues 1, A = 0 all 0, and A = -B all -1.
static void test_multiples (void)
{
  for (int t = 0; t < 4; t++)
    for (int64_t n = 1; n <= 60; n += 29) {
      pair_problem q = random_pairs (types[t], n, 3, 0, n);
      for (int64_t p = 0; p < 3; p++)
        for (int64_t j = 0; j < n; j++)
          for (int64_t i = 0; i < n; i++)
            set (&q.A, i, j, p, (double)(p - 1) * get (&q.B, i, j, p));
      CHECK (solve_all (&q) == GLA_OK, "%s", gla_message (ctx));
      for (int64_t p = 0; p < 3; p++) {
        for (int64_t k = 0; k < n; k++)
          CHECK (fabs (creal (get (&q.lambda, k, 0, p)) - (double)(p - 1)) <=
                     50 * (double)n * gla_type_eps (types[t]),
                 "%c n %lld: A = %lld*B", (char)types[t], (long long)n, (long long)p - 1);
        CHECK (pair_ratio (&q, p) <= BOUND, "%c n %lld: A = %lld*B, ratio", (char)types[t],
               (long long)n, (long long)p - 1);
      }
      release (&q);
    }
}

// B with condition number 10^power: graded by rows, and Gaussians that nearly coincide.
static void test_ill_conditioned (void)
{
  for (int t = 1; t < 4; t += 2)
    for (int power = 4; power <= 12; power += 4)
      for (int64_t n = 4; n <= 48; n += 22)
        for (int itype = 1; itype <= 3; itype++) {
          pair_problem q = random_pairs (types[t], n, 2, 0, n);
          const double distance = pow (10, -power / 2.0);
          for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
              const double grade = pow (10, -power * (double)(i + j) / (double)(2 * n - 2));
              set (&q.B, i, j, 0, get (&q.B, i, j, 0) * grade);
              // two and two of them are close
              const double x = (double)(i / 2) * 3 + (double)(i % 2) * distance;
              const double y = (double)(j / 2) * 3 + (double)(j % 2) * distance;
              set (&q.B, i, j, 1, exp (-(x - y) * (x - y)));
            }
          q.o.itype = itype;
          q.o.triangle = GLA_TRIANGLE_UPPER;
          CHECK (solve_all (&q) == GLA_OK, "%s", gla_message (ctx));
          for (int64_t p = 0; p < 2; p++) {
            const double ratio = pair_ratio (&q, p);
            CHECK (q.info[p] == 0 && ratio <= BOUND, "%c n %lld 1e%d page %lld: info %d, ratio %g",
                   (char)types[t], (long long)n, power, (long long)p, q.info[p], ratio);
          }
          const double rcond = creal (get (&q.rcond, 0, 0, 1));
          CHECK (rcond > 0 && rcond < 10 * pow (10, -power), "1e%d: rcond %g", power, rcond);
          release (&q);
        }
}

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

static void test_not_hermitian (void)
{
  for (int64_t n = 2; n <= 40; n += 38) {
    pair_problem q = random_pairs (GLA_TYPE_D, n, 5, 0, n);
    set (&q.B, 1, 0, 3, 0.5 + creal (get (&q.B, 1, 0, 3)));
    CHECK (solve_all (&q) == GLA_ERROR_NOT_HERMITIAN && q.report.bad_matrix == 'B' &&
               q.report.bad_page == 3 && fabs (q.report.bad_difference - 0.5) < 1e-12,
           "B: %s", gla_message (ctx));
    set (&q.A, 1, 0, 2, 4 + creal (get (&q.A, 1, 0, 2)));
    CHECK (solve_all (&q) == GLA_ERROR_NOT_HERMITIAN && q.report.bad_matrix == 'A' &&
               q.report.bad_page == 2 && fabs (q.report.bad_difference - 4) < 1e-12 &&
               strstr (gla_message (ctx), "page 2 of A") != NULL,
           "A: %s", gla_message (ctx));
    q.o.triangle = GLA_TRIANGLE_LOWER;
    CHECK (solve_all (&q) == GLA_OK && q.report.bad_page == -1, "%s", gla_message (ctx));
    release (&q);
  }
}

static void refused (const pair_problem *q, const char *name)
{
  pair_problem wrong = *q;
  CHECK (solve_all (&wrong) == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), name) != NULL,
         "%s: %s", name, gla_message (ctx));
}

static void test_errors (void)
{
  pair_problem q = random_pairs (GLA_TYPE_D, 3, 4, 0, 1), w = q;
  w.B.type = GLA_TYPE_Z;
  refused (&w, "B has type 'z'");
  w = q, w.B.rows = 2;
  refused (&w, "pages must be square");
  w = q, w.B.rows = w.B.columns = 2;
  refused (&w, "B has 2 rows");
  w = q, w.B.pages = 3;
  refused (&w, "B has 3 pages");
  w = q, w.A.row_stride = 2;
  refused (&w, "A has row stride");
  w = q, w.V = w.A;
  refused (&w, "V must not overlap A");
  w = q, w.V.row_stride = 2;
  refused (&w, "V");
  w = q, w.B.device = 0;
  refused (&w, "B is in place 0");
  w = q, w.o.itype = 4;
  refused (&w, "itype = 4");
  w = q, w.o.tol = 2;
  refused (&w, "tol");
  w = q, w.o.maxit = -1;
  refused (&w, "maxit");
  w = q, w.o.method = (gla_eig_method)9;
  refused (&w, "method");
  w = q, w.o.triangle = (gla_triangle)9;
  refused (&w, "triangle");
  w = q, w.rcond.type = GLA_TYPE_S;
  refused (&w, "rcond");
  const gla_eig_pairs_results r = {.size = sizeof r, .lambda = q.lambda};
  CHECK (gla_batcheig_pairs (NULL, &q.A, &q.B, &r, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "NULL");
  CHECK (gla_batcheig_pairs (ctx, NULL, &q.B, &r, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "A NULL");
  CHECK (gla_batcheig_pairs (ctx, &q.A, NULL, &r, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "B NULL");
  CHECK (gla_batcheig_pairs (ctx, &q.A, &q.B, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "NULL");
  CHECK (gla_batcheig_pairs (ctx, &q.A, &q.B, &r, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  release (&q);
}

static void count_progress (void *user, int64_t done, int64_t total)
{
  int64_t *last = user;
  CHECK (done >= last[0] && total == last[1], "progress %lld of %lld", (long long)done,
         (long long)total);
  last[0] = done;
}

static int stop_after (void *user)
{
  int *left = user;
  return (*left)-- <= 0;
}

static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int stop_late (void *user)
{
  return now () > *(const double *)user;
}

static void test_callbacks (void)
{
  pair_problem q = random_pairs (GLA_TYPE_D, 12, 400, 0, 5);
  int64_t last[2] = {0, 400};
  gla_set_progress (ctx, count_progress, last);
  CHECK (solve_all (&q) == GLA_OK && last[0] == 400, "progress ended at %lld", (long long)last[0]);
  gla_set_progress (ctx, NULL, NULL);
  int left = 0;
  gla_set_stop (ctx, stop_after, &left);
  release (&q);
  q = random_pairs (GLA_TYPE_D, 200, 4, 0, 5);
  CHECK (solve_all (&q) == GLA_ERROR_STOPPED, "not stopped");
  release (&q);
  // in the reduction, and in the eigenvalues of large pages
  q = random_pairs (GLA_TYPE_D, 900, 1, 0, 5);
  for (int k = 0; k < 4; k++) {
    double end = now () + 0.03 * k * k;
    gla_set_stop (ctx, stop_late, &end);
    const gla_status status = solve_all (&q);
    CHECK (status == GLA_ERROR_STOPPED || now () < end + 1, "not stopped");
  }
  gla_set_stop (ctx, NULL, NULL);
  release (&q);
}

int main (void)
{
  if (gla_context_create (&ctx) != GLA_OK)
    return 1;
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  test_sizes ();
  test_values ();
  test_bits ();
  test_identity ();
  test_margin ();
  test_failures ();
  test_scale ();
  test_elements ();
  test_multiples ();
  test_ill_conditioned ();
  test_not_hermitian ();
  test_errors ();
  test_callbacks ();
  gla_context_destroy (ctx);
  return check_report ("test_pairs");
}
