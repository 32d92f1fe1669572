// gpu_stops.c: how soon calls on a GPU stop, and what comes behind one that was stopped
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_page_tests.h"
#include "solve/gpu_solve.h"

#include <time.h>

static double stop_at;

static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int late_stop (void *user)
{
  (void)user;
  return now () > stop_at;
}

static void last_progress (void *user, int64_t done, int64_t total)
{
  *(int64_t *)user = done == total ? total : -1;
}

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// One A and one B for all pages of C, which keeps the memory small and the work large.
static void stop_products (const char *what, gla_type type, int64_t n, int64_t k, int64_t pages,
                           int host)
{
  const size_t size = gla_type_size (type);
  const gla_array A = gla_array_packed (gpu_block, type, n, k, 1, 0);
  const gla_array B = gla_array_packed (gpu_block, type, k, n, 1, 0);
  gla_array a = A, b = B, c;
  char *memory = NULL;
  CHECK (cudaMemset (gpu_block, 0, (size_t)(n * k) * size) == cudaSuccess, "cudaMemset");
  if (host) {
    memory = calloc ((size_t)(n * n * pages + n * k), size);
    c = gla_array_packed (memory, type, n, n, pages, GLA_DEVICE_HOST);
    a.data = b.data = memory + (size_t)(n * n * pages) * size;
    a.device = b.device = GLA_DEVICE_HOST;
  } else {
    CHECK (cudaMalloc ((void **)&memory, (size_t)(n * n * pages) * size) == cudaSuccess, "memory");
    c = gla_array_packed (memory, type, n, n, pages, 0);
  }
  gla_array one = c;
  one.pages = 1;
  const gla_pagemul_results first = {sizeof first, one}, all = {sizeof all, c};
  int64_t last = 0;
  gla_set_progress (ctx, last_progress, &last);
  const gla_status status = gla_pagemul (ctx, &a, &b, &first, NULL, NULL);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && last == 1, "%s: %s", what, gla_message (ctx));
    const double start = now ();
    stop_at = start + 0.05;
    gla_set_stop (ctx, late_stop, NULL);
    const gla_status stopped = gla_pagemul (ctx, &a, &b, &all, NULL, NULL);
    const double took = now () - stop_at;
    gla_set_stop (ctx, NULL, NULL);
    CHECK (stopped == GLA_ERROR_STOPPED || (stopped == GLA_OK && took < 0.1), "%s: status %d", what,
           (int)stopped);
    CHECK (took < 0.2, "%s: stopping took %g s", what, took);
    printf ("%s: %s, %.3f s after the wish\n", what, gla_status_text (stopped), took);
  }
  gla_set_progress (ctx, NULL, NULL);
  if (host)
    free (memory);
  else
    cudaFree (memory);
}

//------------------------------------------------------------------------------
// systems
//------------------------------------------------------------------------------

// Every page of X from the same two pages: definite ones and general ones.
static void stop_systems (const char *what, gla_type type, int64_t n, int64_t pages, int definite)
{
  const size_t size = gla_type_size (type);
  const int64_t none = 0;
  problem q = random_problem (type, type, n, n, 1, 0, 'N', GLA_SIDE_LEFT);
  if (definite)
    make_hermitian (&q.A, 0, 1);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&q.A, 0), B = gpu_put (&q.B, 0);
  char *memory = NULL;
  CHECK (cudaMalloc ((void **)&memory, (size_t)(n * n * pages) * size) == cudaSuccess, "memory");
  gla_pagesolve_options options = {.size = sizeof options, .dims = 1, .dim_size = &pages};
  options.a_step = options.b_step = &none;
  gla_pagesolve_results results = {.size = sizeof results};
  results.X = gla_array_packed (memory, type, n, n, 1, 0);
  gla_status status = gla_pagesolve (ctx, &A.array, &B.array, &results, NULL, NULL);
  results.X.pages = pages;
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK, "%s: %s", what, gla_message (ctx));
    stop_at = now () + 0.05;
    gla_set_stop (ctx, late_stop, NULL);
    status = gla_pagesolve (ctx, &A.array, &B.array, &results, &options, NULL);
    const double took = now () - stop_at;
    gla_set_stop (ctx, NULL, NULL);
    CHECK (status == GLA_ERROR_STOPPED || (status == GLA_OK && took < 0.1), "%s: status %d", what,
           (int)status);
    CHECK (took < 0.2, "%s: stopping took %g s", what, took);
    printf ("%s: %s, %.3f s after the wish\n", what, gla_status_text (status), took);
  }
  cudaFree (memory);
  release (&q);
}

//------------------------------------------------------------------------------
// elements that leave the domain
//------------------------------------------------------------------------------

static gla_nd vector (void *data, int64_t n)
{
  return (gla_nd){.data = data, .type = GLA_TYPE_D, .dims = 1, .size = {n}, .step = {1}};
}

// sqrt of -1 behind long work is stopped; its kernel comes to its end later, and what it tells then
// must not be taken for the answer of the next call.
static void stop_question (void)
{
  const int64_t n = (int64_t)1 << 25;
  const double numbers[3] = {-1, 4, 0};
  double root = 0;
  void *memory = NULL, *long_work = NULL;
  int outside = 0;
  CHECK (gla_memory_take (ctx, 0, sizeof numbers, &memory) == GLA_OK &&
             gla_memory_take (ctx, 0, (size_t)n * sizeof (double), &long_work) == GLA_OK &&
             gla_memory_put (ctx, 0, memory, numbers, sizeof numbers) == GLA_OK,
         "questions: %s", gla_message (ctx));
  double *of = memory;
  const gla_nd minus = vector (of, 1), four = vector (of + 1, 1), to = vector (of + 2, 1);
  const gla_nd all = vector (long_work, n), number = {.type = GLA_TYPE_D, .dims = 1, .size = {n}};
  gla_status status = gla_elementwise (ctx, 0, GLA_ND_COPY, &all, &number, NULL, NULL);
  for (int k = 0; k < 600 && status == GLA_OK; k++)
    status = gla_elementwise (ctx, 0, GLA_ND_ERFC, &all, &all, NULL, NULL);
  CHECK (status == GLA_OK, "questions: %s", gla_message (ctx));
  stop_at = now ();
  gla_set_stop (ctx, late_stop, NULL);
  status = gla_elementwise (ctx, 0, GLA_ND_SQRT, &to, &minus, NULL, &outside);
  const double took = now () - stop_at;
  gla_set_stop (ctx, NULL, NULL);
  CHECK (status == GLA_ERROR_STOPPED && took < 0.2, "sqrt (-1) behind work: status %d, %g s",
         (int)status, took);
  status = gla_elementwise (ctx, 0, GLA_ND_SQRT, &to, &four, NULL, &outside);
  CHECK (status == GLA_OK && outside == 0, "sqrt (4) behind a call that was stopped: %d, %d",
         (int)status, outside);
  status = gla_memory_get (ctx, 0, &root, of + 2, sizeof root);
  CHECK (status == GLA_OK && root == 2, "sqrt (4) is %g", root);
  status = gla_elementwise (ctx, 0, GLA_ND_SQRT, &to, &minus, NULL, &outside);
  CHECK (status == GLA_OK && outside == 1, "sqrt (-1): %d, %d", (int)status, outside);
  printf ("stop of sqrt behind long work: %.3f s after the wish\n", took);
  gla_memory_give (ctx, 0, memory);
  gla_memory_give (ctx, 0, long_work);
}

int gpu_stops (void)
{
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 30))
    return 1;
  stop_products ("stop of products of 256 x 65536", GLA_TYPE_D, 256, 65536, 8000, 0);
  stop_products ("stop of products of order 64", GLA_TYPE_Z, 64, 64, 200000, 0);
  stop_products ("stop of one product of order 8192", GLA_TYPE_D, 8192, 8192, 1, 0);
  stop_products ("stop of products from the host", GLA_TYPE_Z, 256, 256, 8000, 1);
  stop_systems ("stop of systems of order 200", GLA_TYPE_Z, 200, 40000, 0);
  stop_systems ("stop of definite systems of order 128", GLA_TYPE_D, 128, 200000, 1);
  stop_systems ("stop of systems of order 16", GLA_TYPE_D, 16, 8000000, 0);
  stop_question ();
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_stops");
}
