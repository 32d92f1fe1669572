// test_eig_page.c: batcheig of single pages above the SIMD lanes: accuracy, threads, stops
// SPDX-License-Identifier: GPL-3.0-or-later

#include "frame/calls.h"
#include "common/blas.h"
#include "threads/pool.h"
#include "frame/elements.h"

#include <pthread.h>
#include <time.h>

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};

// A call on pages of one type, and its results.
typedef struct {
  gla_type type;
  int n, pages, columns; // columns of V
  void *a, *v, *lambda;
  int32_t *info;
  gla_status status;
} page_call;

static page_call call_new (gla_type type, int n, int pages, int columns)
{
  page_call c = {.type = type, .n = n, .pages = pages, .columns = columns};
  const size_t square = (size_t)(n * n * pages) * gla_type_size (type);
  c.a = calloc (1, square);
  c.v = calloc (1, square);
  c.lambda = calloc ((size_t)(n * pages), sizeof (double));
  c.info = calloc ((size_t)pages, sizeof *c.info);
  return c;
}

static void call_free (page_call *c)
{
  free (c->a);
  free (c->v);
  free (c->lambda);
  free (c->info);
}

static void run (gla_context *ctx, page_call *c, int vectors, const gla_eig_options *o)
{
  const int64_t n = c->n, p = c->pages;
  const gla_array A = gla_array_packed (c->a, c->type, n, n, p, GLA_DEVICE_HOST);
  const gla_array L =
      gla_array_packed (c->lambda, gla_type_real (c->type), c->columns, 1, p, GLA_DEVICE_HOST);
  const gla_array V = gla_array_packed (c->v, c->type, n, c->columns, p, GLA_DEVICE_HOST);
  c->status = call_batcheig (ctx, &A, &L, vectors ? &V : NULL, c->info, o, NULL);
}

static gla_context *context_with (int threads)
{
  gla_context *ctx = NULL;
  gla_pool_share (threads);
  if (gla_context_create (&ctx) != GLA_OK)
    exit (1);
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  return ctx;
}

//------------------------------------------------------------------------------
// pages
//------------------------------------------------------------------------------

typedef enum {
  RANDOM,
  ZERO,
  IDENTITY,
  ONES,
  GLUED_WILKINSON,
  SECOND_DIFFERENCE,
  EQUAL_PAIRS,
  NEAR_IDENTITY,
  GRADED,
  HUGE_NORM,
  TINY_NORM,
  BLOCKS_APART,
  KINDS
} kind_of_page;

static double complex element (kind_of_page kind, gla_type type, int n, int i, int j,
                               double complex x)
{
  const int single = gla_type_real (type) == GLA_TYPE_S;
  switch (kind) {
  case ZERO:
    return 0;
  case IDENTITY:
    return i == j;
  case ONES:
    return 1;
  case GLUED_WILKINSON: // W21+, glued by numbers of the order of the rounding
    return i == j ? abs (j % 21 - 10) : i != j + 1 ? 0 : i % 21 ? 1 : 2 * gla_type_eps (type);
  case SECOND_DIFFERENCE:
    return i == j ? 2 : i == j + 1 ? -1 : 0;
  case EQUAL_PAIRS: // i and n-1-i coupled: eigenvalues 1 and 3, each n/2 times
    return i == j ? 2 : i + j == n - 1 ? 1 : 0;
  case NEAR_IDENTITY:
    return (i == j) + 4 * gla_type_eps (type) * x;
  case GRADED:
    return x * pow (10, -20. * (i + j) / (2 * n));
  case HUGE_NORM:
    return x * (single ? 1e36 : 1e305);
  case TINY_NORM:
    return x * (single ? 1e-40 : 1e-310);
  case BLOCKS_APART: // three blocks, each much smaller than the one before
    return 3 * i / n == 3 * j / n ? x * pow (10, -9 * (3 * i / n)) : 0;
  default:
    return x;
  }
}

static void fill (page_call *c, kind_of_page kind, unsigned long long seed)
{
  const int n = c->n;
  for (int p = 0; p < c->pages; p++)
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++) {
        const double re = check_random (&seed), im = check_random (&seed);
        const int complex_one = gla_type_is_complex (c->type) && i != j;
        const double complex x = element (kind, c->type, n, i, j, complex_one ? re + im * I : re);
        set (c->type, c->a, i + n * (j + (int64_t)n * p), x);
        set (c->type, c->a, j + n * (i + (int64_t)n * p), conj (x));
      }
}

//------------------------------------------------------------------------------
// accuracy
//------------------------------------------------------------------------------

// A page or a part of it in double, divided by `scale`.
static double complex *copy_of (gla_type type, const void *x, int64_t count, double scale)
{
  double complex *to = malloc ((size_t)count * sizeof *to);
  for (int64_t k = 0; k < count; k++)
    to[k] = get (type, x, k) / scale;
  return to;
}

// out = op (A) B; A is n x n or n x k, B n x k.
static void product (const char *op, int rows, int n, int k, const double complex *a,
                     const double complex *b, double complex *out)
{
  const gla_blas_int m = rows, columns = k, inner = n, ld = n;
  const double one[2] = {1, 0}, zero[2] = {0, 0};
  zgemm_ (op, "N", &m, &columns, &inner, one, (const double *)a, &ld, (const double *)b, &ld, zero,
          (double *)out, &m, 1, 1);
}

// The largest sum of moduli of a column.
static double one_norm (int rows, int columns, const double complex *x)
{
  double norm = 0;
  for (int j = 0; j < columns; j++) {
    double sum = 0;
    for (int i = 0; i < rows; i++)
      sum += cabs (x[i + (int64_t)j * rows]);
    norm = check_worst (norm, sum);
  }
  return norm;
}

// LAPACK's ratios of the first page, the larger one: |A V - V D| / (|A| n eps) and |V'V - I| / (n
// eps) in the 1-norm; infinite where something is NaN or the eigenvalues do not ascend.
static double ratio_of (const page_call *c)
{
  const int n = c->n, k = c->columns;
  double most = 0;
  for (int64_t q = 0; q < (int64_t)n * n; q++)
    most = fmax (most, cabs (get (c->type, c->a, q)));
  most = most > 0 ? most : 1;
  double complex *a = copy_of (c->type, c->a, (int64_t)n * n, most);
  double complex *v = copy_of (c->type, c->v, (int64_t)n * k, 1);
  double complex *d = copy_of (gla_type_real (c->type), c->lambda, k, most);
  double complex *out = malloc ((size_t)(n * n) * sizeof *out);
  double norm = one_norm (n, n, a);
  norm = norm > 0 ? norm : 1;
  product ("N", n, n, k, a, v, out);
  int ascends = 1;
  for (int j = 0; j < k; j++) {
    ascends &= j == 0 || creal (d[j - 1]) <= creal (d[j]);
    for (int i = 0; i < n; i++)
      out[i + j * n] -= v[i + j * n] * d[j];
  }
  double worst = one_norm (n, k, out) / norm;
  product ("C", k, n, k, v, v, out);
  for (int j = 0; j < k; j++)
    out[j + j * k] -= 1;
  worst = check_worst (worst, one_norm (k, k, out));
  free (a);
  free (v);
  free (d);
  free (out);
  return ascends ? worst / (n * gla_type_eps (c->type)) : INFINITY;
}

// The eigenvalues alone, against those with vectors.
static void check_values (gla_context *ctx, page_call *c, kind_of_page kind)
{
  page_call alone = call_new (c->type, c->n, 1, c->n);
  const gla_type real = gla_type_real (c->type);
  double worst = 0, norm = 0;
  fill (&alone, kind, 7);
  run (ctx, &alone, 0, NULL);
  for (int j = 0; j < c->n; j++)
    norm = fmax (norm, fabs (creal (get (real, c->lambda, j))));
  for (int j = 0; j < c->n; j++)
    worst = check_worst (worst, cabs (get (real, c->lambda, j) - get (real, alone.lambda, j)) /
                                    (norm > 0 ? norm : 1));
  worst /= c->n * gla_type_eps (c->type);
  CHECK (alone.status == GLA_OK && worst < 10, "%c n %d kind %d: values alone differ by %g n eps",
         c->type, c->n, kind, worst);
  call_free (&alone);
}

static void test_page (gla_context *ctx, gla_type type, int n, kind_of_page kind)
{
  page_call c = call_new (type, n, 1, n);
  fill (&c, kind, 7);
  run (ctx, &c, 1, NULL);
  const double ratio = ratio_of (&c);
  CHECK (c.status == GLA_OK && c.info[0] == 0 && ratio < 10, "%c n %d kind %d: info %d, ratio %g",
         type, n, kind, c.info[0], ratio);
  check_values (ctx, &c, kind);
  call_free (&c);
}

// The part il .. iu and method "qr", whose own QL finds the vectors.
static void test_part (gla_context *ctx, gla_type type, int n, int il, int iu)
{
  page_call c = call_new (type, n, 1, iu - il + 1);
  gla_eig_options o = {.size = sizeof o, .range = GLA_EIG_INDICES, .il = il, .iu = iu};
  fill (&c, RANDOM, 7);
  for (int qr = 0; qr < 2; qr++) {
    o.method = qr ? GLA_EIG_METHOD_QR : GLA_EIG_METHOD_AUTO;
    run (ctx, &c, 1, &o);
    const double ratio = ratio_of (&c);
    CHECK (c.status == GLA_OK && c.info[0] == 0 && ratio < 10, "%c n %d, %d to %d: ratio %g", type,
           n, il, iu, ratio);
  }
  call_free (&c);
}

static void test_accuracy (gla_context *ctx)
{
  // edges of leaves, panels, blocks of reflectors, strips, and of the merges that threads share
  static const int orders[] = {129, 160, 193, 256, 257, 258, 321, 512, 520};
  for (int t = 0; t < 4; t++)
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
      test_page (ctx, types[t], orders[k], RANDOM);
  for (int t = 0; t < 4; t++)
    for (int kind = ZERO; kind < KINDS; kind++)
      test_page (ctx, types[t], t == 1 ? 520 : 257, (kind_of_page)kind);
  for (int t = 0; t < 4; t++) {
    test_part (ctx, types[t], 257, 1, 257);
    test_part (ctx, types[t], 257, 100, 239);
    test_part (ctx, types[t], 257, 257, 257);
  }
}

//------------------------------------------------------------------------------
// pages that fail
//------------------------------------------------------------------------------

static void test_nan (gla_context *ctx)
{
  enum { N = 200 };
  page_call c = call_new (GLA_TYPE_D, N, 3, N);
  fill (&c, RANDOM, 7);
  ((double *)c.a)[N * N + 5 * N + 7] = NAN;
  run (ctx, &c, 1, NULL);
  int nans = 0;
  for (int k = 0; k < N * N; k++)
    nans += isnan (((double *)c.v)[N * N + k]) != 0;
  CHECK (c.status == GLA_OK && c.info[0] == 0 && c.info[1] == N + 1 && c.info[2] == 0 &&
             nans == N * N && isnan (((double *)c.lambda)[N]),
         "NaN: info %d %d %d, %d numbers of V", c.info[0], c.info[1], c.info[2], nans);
  CHECK (ratio_of (&c) < 10, "the page before: ratio %g", ratio_of (&c));
  call_free (&c);
}

//------------------------------------------------------------------------------
// threads
//------------------------------------------------------------------------------

static int same_results (const page_call *x, const page_call *y, int page)
{
  const size_t n = (size_t)x->n, from = (size_t)page * n;
  const size_t el = gla_type_size (x->type), real = gla_type_size (gla_type_real (x->type));
  return memcmp (x->v, (char *)y->v + from * n * el, n * n * el) == 0 &&
         memcmp (x->lambda, (char *)y->lambda + from * real, n * real) == 0;
}

// One page by one thread and by three, and as a page of a batch whose threads each have pages. Its
// top merge is one that threads share.
static void test_threads (gla_type type)
{
  enum { N = 620 };
  page_call one = call_new (type, N, 1, N), three = one, batch = call_new (type, N, 4, N);
  three = call_new (type, N, 1, N);
  fill (&one, RANDOM, 7);
  fill (&three, RANDOM, 7);
  fill (&batch, RANDOM, 7);
  gla_context *ctx = context_with (1);
  run (ctx, &one, 1, NULL);
  gla_context_destroy (ctx);
  ctx = context_with (3);
  run (ctx, &three, 1, NULL);
  run (ctx, &batch, 1, NULL);
  CHECK (one.status == GLA_OK && three.status == GLA_OK && batch.status == GLA_OK, "%s",
         gla_message (ctx));
  CHECK (same_results (&one, &three, 0), "%c: three threads give other bits than one", type);
  CHECK (same_results (&one, &batch, 0), "%c: a batch gives other bits than its page", type);
  gla_context_destroy (ctx);
  call_free (&one);
  call_free (&three);
  call_free (&batch);
}

//------------------------------------------------------------------------------
// stops
//------------------------------------------------------------------------------

// Processor time of the calling thread, which does all the work: other programs do not count.
static double thread_seconds (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
  int polls, stop_at; // 0: never
  int strangers;      // polls by another thread than the caller's, which may not be
  pthread_t caller;
  double last, longest;
} stop_record;

static int poll (void *user)
{
  stop_record *r = user;
  const double t = thread_seconds ();
  r->longest = fmax (r->longest, t - r->last);
  r->last = t;
  r->strangers += !pthread_equal (r->caller, pthread_self ());
  return ++r->polls == r->stop_at;
}

// Longest time without a poll, and from the stop to the end of the call.
static stop_record run_with_stop (gla_context *ctx, page_call *c, int vectors, int stop_at)
{
  stop_record r = {.stop_at = stop_at, .caller = pthread_self (), .last = thread_seconds ()};
  gla_set_stop (ctx, poll, &r);
  run (ctx, c, vectors, NULL);
  gla_set_stop (ctx, NULL, NULL);
  const double t = thread_seconds ();
  r.longest = fmax (r.longest, t - r.last);
  CHECK (r.strangers == 0, "%c: %d polls were not in the thread of the caller", c->type,
         r.strangers);
  return r;
}

// Polls are 20 ms apart, and pieces of the work at most about as long. LAPACK's reduction of a
// complex page of this order by one call takes 0.13 s or more. Instrumented code is slower, so
// there only the stops themselves are tested.
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { STOP_ORDER = 300, TIMED = 0 };
#else
enum { STOP_ORDER = 800, TIMED = 1 };
#endif

static void test_stops (gla_type type, int vectors)
{
  page_call c = call_new (type, STOP_ORDER, 1, STOP_ORDER);
  gla_context *ctx = context_with (1);
  fill (&c, RANDOM, 7);
  run (ctx, &c, vectors, NULL); // memory and caches are there
  const stop_record all = run_with_stop (ctx, &c, vectors, 0);
  CHECK (c.status == GLA_OK && (!TIMED || all.longest < 0.08), "%c: %g s without a poll", type,
         all.longest);
  for (int k = 1; k < all.polls; k += 1 + all.polls / 4) {
    const stop_record r = run_with_stop (ctx, &c, vectors, k);
    CHECK (c.status == GLA_ERROR_STOPPED || r.polls < k, "%c: status %d after stop %d", type,
           c.status, k);
    CHECK (!TIMED || r.longest < 0.08, "%c: %g s without a poll, or from stop %d to the end", type,
           r.longest, k);
  }
  run (ctx, &c, vectors, NULL);
  CHECK (c.status == GLA_OK && (!vectors || ratio_of (&c) < 10), "%c: after stops", type);
  gla_context_destroy (ctx);
  call_free (&c);
}

// The threads of a team end, too, and ask nobody but the caller's.
static void test_stop_of_team (void)
{
  page_call c = call_new (GLA_TYPE_D, STOP_ORDER, 1, STOP_ORDER);
  gla_context *ctx = context_with (3);
  fill (&c, RANDOM, 7);
  for (int k = 0; k < 5; k++)
    run_with_stop (ctx, &c, 1, 0);
  run_with_stop (ctx, &c, 1, 2);
  CHECK (c.status == GLA_ERROR_STOPPED, "team: status %d", c.status);
  run (ctx, &c, 1, NULL);
  CHECK (c.status == GLA_OK && ratio_of (&c) < 10, "team: after a stop");
  gla_context_destroy (ctx);
  call_free (&c);
}

int main (void)
{
  gla_context *ctx = context_with (2);
  test_accuracy (ctx);
  test_nan (ctx);
  gla_context_destroy (ctx);
  for (int t = 0; t < 4; t++)
    test_threads (types[t]);
  test_stops (GLA_TYPE_D, 1);
  test_stops (GLA_TYPE_Z, 1);
  test_stops (GLA_TYPE_Z, 0);
  test_stop_of_team ();
  return check_report ("test_eig_page");
}
