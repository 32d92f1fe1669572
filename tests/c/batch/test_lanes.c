// test_lanes.c: pages in SIMD lanes have the bits of a single page
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: avx2

#include "frame/calls.h"
#include "frame/check.h"
#include "threads/pool.h"

// An odd number, larger than two threads compute at once with two registers of 16 lanes each.
enum { P = 67, KINDS = 9 };

static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  12, 15, 16, 17, 24,
                            31, 32, 33, 40, 47, 48, 63, 64, 65, 80, 96, 97, 0};

// One type, one n.
typedef struct {
  gla_context *ctx;
  gla_type type;
  int n;
  size_t page, values; // bytes of A and of lambda of one page
  double complex *exact;
  char *A, *V, *lambda;
  int32_t info[P];
} batch;

//------------------------------------------------------------------------------
// pages
//------------------------------------------------------------------------------

static double complex element (int kind, int n, int i, int j, double complex x)
{
  switch (kind) {
  case 1: // diagonal, descending
    return i == j ? n - i : 0;
  case 2: // graded upwards, which QL reverses
    return x * pow (10, (i + j) * 3.0 / n - 3);
  case 3: // graded downwards
    return x * pow (10, -(i + j) * 3.0 / n);
  case 4: // two blocks, one of which QL reverses
    return i / ((n + 1) / 2) == j / ((n + 1) / 2)
               ? x * pow (10, abs (n / 2 - i) * -2.0 / n) * pow (10, abs (n / 2 - j) * -2.0 / n)
               : 0;
  case 5:
    return 0;
  case 6: // rank 1
    return (i + 1) * (j + 1) / (double)(n * n);
  case 7: // zero diagonal
    return i == j ? 0 : x;
  }
  return x;
}

static void set (batch *b, int64_t at, double complex x)
{
  if (b->type == GLA_TYPE_S)
    ((float *)b->A)[at] = (float)creal (x);
  else if (b->type == GLA_TYPE_D)
    ((double *)b->A)[at] = creal (x);
  else if (b->type == GLA_TYPE_C)
    ((float complex *)b->A)[at] = (float complex)x;
  else
    ((double complex *)b->A)[at] = x;
}

static double complex get (gla_type type, const void *x, int64_t at)
{
  return type == GLA_TYPE_S   ? ((const float *)x)[at]
         : type == GLA_TYPE_D ? ((const double *)x)[at]
         : type == GLA_TYPE_C ? ((const float complex *)x)[at]
                              : ((const double complex *)x)[at];
}

static void fill (batch *b)
{
  const int n = b->n;
  unsigned long long seed = 7 + (unsigned long long)n;
  for (int p = 0; p < P; p++)
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++) {
        double re = check_random (&seed), im = check_random (&seed);
        double complex x = element (p % KINDS, n, i, j, re + (i == j ? 0 : im * I));
        set (b, ((int64_t)p * n + j) * n + i, x);
        set (b, ((int64_t)p * n + i) * n + j, conj (x));
      }
  for (int64_t q = 0; q < (int64_t)P * n * n; q++)
    b->exact[q] = get (b->type, b->A, q);
}

//------------------------------------------------------------------------------
// checks
//------------------------------------------------------------------------------

static gla_status solve (batch *b, int first, int pages, const gla_eig_options *o, char *lambda,
                         char *V, int32_t *info)
{
  const gla_type real = gla_type_real (b->type);
  gla_array a =
      gla_array_packed (b->A + first * b->page, b->type, b->n, b->n, pages, GLA_DEVICE_HOST);
  gla_array v = gla_array_packed (V, b->type, b->n, b->n, pages, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (lambda, real, b->n, 1, pages, GLA_DEVICE_HOST);
  return call_batcheig (b->ctx, &a, &l, V ? &v : NULL, info, o, NULL);
}

static double ratio_of_page (const batch *b, const char *V, const char *lambda, int p)
{
  const int64_t n = b->n;
  double complex *v = malloc (sizeof *v * (size_t)(n * n));
  double *l = malloc (sizeof *l * (size_t)n);
  for (int64_t q = 0; q < n * n; q++)
    v[q] = get (b->type, V, p * n * n + q);
  for (int64_t q = 0; q < n; q++)
    l[q] = creal (get (gla_type_real (b->type), lambda, p * n + q));
  double ratio = check_ratio (b->exact + p * n * n, v, l, n, n, 1);
  free (v);
  free (l);
  return ratio * DBL_EPSILON / gla_type_eps (b->type);
}

// Pages first..first+pages-1 have the same bits in a batch of their own as in the whole batch.
static void check_alone (batch *b, const gla_eig_options *o, int first, int pages)
{
  char *V = malloc (b->page * (size_t)pages), *lambda = malloc (b->values * (size_t)pages);
  int32_t info[P];
  CHECK (solve (b, first, pages, o, lambda, V, info) == GLA_OK, "n=%d", b->n);
  for (int p = 0; p < pages; p++) {
    CHECK (info[p] == b->info[first + p], "%c n=%d page %d of %d: info", b->type, b->n, p, pages);
    if (info[p] == 0)
      CHECK (memcmp (V + p * b->page, b->V + (first + p) * b->page, b->page) == 0 &&
                 memcmp (lambda + p * b->values, b->lambda + (first + p) * b->values, b->values) ==
                     0,
             "%c n=%d: page %d has other bits at %d of %d", b->type, b->n, first + p, p, pages);
  }
  free (V);
  free (lambda);
}

// Eigenvalues alone agree with those that come with vectors.
static void check_values (batch *b, const gla_eig_options *o)
{
  const gla_type real = gla_type_real (b->type);
  const int64_t n = b->n;
  char *lambda = malloc (b->values * P);
  CHECK (solve (b, 0, P, o, lambda, NULL, NULL) == GLA_OK, "n=%d, values only", b->n);
  double worst = 0;
  for (int64_t p = 0; p < P; p++) {
    double size =
        fmax (cabs (get (real, b->lambda, p * n)), cabs (get (real, b->lambda, p * n + n - 1)));
    for (int64_t k = p * n; k < p * n + n; k++) {
      double off = cabs (get (real, lambda, k) - get (real, b->lambda, k));
      worst = check_worst (worst, off / (size * (double)n * gla_type_eps (b->type) + DBL_MIN));
    }
  }
  CHECK (worst <= 20, "%c n=%d: values alone differ by %g", b->type, b->n, worst);
  free (lambda);
}

// With too few sweeps single pages fail or are computed again by the other method; pages that need
// no sweep do not change.
static void check_short (batch *b)
{
  const gla_eig_options o = {.size = sizeof o, .method = GLA_EIG_METHOD_QR, .maxit = 1};
  char *V = malloc (b->page * P), *lambda = malloc (b->values * P);
  int32_t info[P];
  CHECK (solve (b, 0, P, &o, lambda, V, info) == GLA_OK, "n=%d, one sweep", b->n);
  for (int p = 0; p < P; p++) {
    if (info[p] == 0 && p % 7 == 0) {
      double ratio = ratio_of_page (b, V, lambda, p);
      CHECK (ratio <= 30, "%c n=%d page %d: ratio %g after one sweep", b->type, b->n, p, ratio);
    }
    double complex x = get (b->type, V, (int64_t)p * b->n * b->n);
    CHECK (info[p] >= 0 && info[p] <= b->n && (info[p] != 0) == isnan (creal (x)),
           "%c n=%d page %d: info %d", b->type, b->n, p, info[p]);
    if (p % KINDS == 1 || p % KINDS == 5)
      CHECK (info[p] == 0 && memcmp (V + p * b->page, b->V + p * b->page, b->page) == 0,
             "%c n=%d: page %d needs no sweeps", b->type, b->n, p);
  }
  free (V);
  free (lambda);
}

static void test_size (gla_context *ctx, gla_type type, int n)
{
  const gla_eig_options o = eig_options (GLA_EIG_METHOD_QR, GLA_TRIANGLE_FULL);
  const size_t square = (size_t)n * (size_t)n;
  batch b = {.ctx = ctx, .type = type, .n = n, .page = square * gla_type_size (type)};
  b.values = (size_t)n * gla_type_size (gla_type_real (type));
  b.exact = malloc (sizeof *b.exact * square * P);
  b.A = malloc (b.page * P);
  b.V = malloc (b.page * P);
  b.lambda = malloc (b.values * P);
  fill (&b);
  CHECK (solve (&b, 0, P, &o, b.lambda, b.V, b.info) == GLA_OK, "%c n=%d", type, n);
  double worst = 0;
  for (int p = 0; p<P; p += n> 33 ? 5 : 1) {
    CHECK (b.info[p] == 0, "%c n=%d: info of page %d is %d", type, n, p, b.info[p]);
    worst = check_worst (worst, ratio_of_page (&b, b.V, b.lambda, p));
  }
  CHECK (worst <= 30, "%c n=%d: ratio %g", type, n, worst);
  check_alone (&b, &o, 0, 1);
  check_alone (&b, &o, 2, 1);
  check_alone (&b, &o, 3, 33);
  check_alone (&b, &o, P - 6, 6);
  check_values (&b, &o);
  check_short (&b);
  free (b.exact);
  free (b.A);
  free (b.V);
  free (b.lambda);
}

int main (void)
{
  gla_context *ctx = NULL;
  gla_pool_share (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  for (const int *n = sizes; *n; n++)
    for (const char *type = "sdcz"; *type; type++)
      test_size (ctx, (gla_type)*type, *n);
  gla_context_destroy (ctx);
  return check_report ("test_lanes");
}
