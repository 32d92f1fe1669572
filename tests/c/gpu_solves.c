// tests/c/gpu_solves.c: systems with pages and inverses on a GPU: backward errors in LAPACK's
// ratios SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_page_tests.h"
#include "gpu_pages.h"
#include "solve_kinds.h"

// Around the widths of blocks and of tiles.
static const int64_t orders[] = {1,  2,  3,   4,   5,   6,   7,   8,   9,   10,  11,  12, 13, 14,
                                 15, 16, 17,  18,  19,  20,  21,  22,  23,  24,  25,  26, 27, 28,
                                 29, 30, 31,  32,  33,  40,  47,  48,  49,  63,  64,  65, 80, 95,
                                 96, 97, 111, 112, 113, 127, 128, 129, 160, 200, 255, 256};
static const char ops[] = "NTC";

//------------------------------------------------------------------------------
// a call with arrays on the GPU
//------------------------------------------------------------------------------

// Calls with copies of the arrays on the GPU; X, rcond and info come back. Whether the GPU can do
// it.
static int solved_on_gpu (problem *q, int inverse, int shift, gla_pagesolve_report *report,
                          const char *what)
{
  gpu_used = 0;
  const gpu_copy A = gpu_put (&q->A, shift), B = gpu_put (&q->B, 3 * shift);
  const gpu_copy X = gpu_put (&q->X, shift), rcond = gpu_put (&q->rcond, shift);
  const gla_pagesolve_options options = {.size = sizeof options, .op_a = q->op, .side = q->side};
  const gla_pagesolve_results results = {sizeof results, X.array, rcond.array, q->info};
  gla_pagesolve_report own = {.base.size = sizeof own};
  const gla_status status =
      gla_pagesolve (ctx, &A.array, inverse ? NULL : &B.array, &results, &options, &own);
  if (gpu_refuses (ctx, status))
    return 0;
  CHECK (status == GLA_OK && own.base.device == 0, "%s: device %d, %s", what, own.base.device,
         gla_message (ctx));
  CHECK (gpu_get (&X) && gpu_get (&rcond), "%s: written outside of X or rcond", what);
  CHECK (gpu_unchanged (&A) && gpu_unchanged (&B), "%s: A or B changed", what);
  if (report)
    *report = own;
  return 1;
}

static int same_bytes (const gla_array *a, const gla_array *b)
{
  return memcmp (a->data, b->data, bytes_of (a)) == 0;
}

// Arrays on the host give the bits of arrays on the GPU.
static void compare_host (problem *q, int inverse, const char *what)
{
  problem other = *q;
  other.X = make (q->X.type, q->X.rows, q->X.columns, q->X.pages, GAP);
  other.rcond = make (q->rcond.type, 1, 1, q->X.pages, GAP);
  CHECK (solve (&other, inverse) == GLA_OK, "%s from the host: %s", what, gla_message (ctx));
  CHECK (same_bytes (&q->X, &other.X) && same_bytes (&q->rcond, &other.rcond) &&
             memcmp (q->info, other.info, (size_t)q->X.pages * sizeof *q->info) == 0,
         "%s: other bits from the host", what);
  free (other.X.data);
  free (other.rcond.data);
}

//------------------------------------------------------------------------------
// general pages: sizes, sides, ops, right-hand sides
//------------------------------------------------------------------------------

// Both places have small backward errors, so their results differ by the condition number.
static void compare_cpu (problem *q, int inverse, gla_context *cpu, const char *what)
{
  problem other = *q;
  gla_context *gpu = ctx;
  other.X = make (q->X.type, q->X.rows, q->X.columns, q->X.pages, GAP);
  other.rcond = make (q->rcond.type, 1, 1, q->X.pages, GAP);
  ctx = cpu;
  CHECK (solve (&other, inverse) == GLA_OK, "%s on the CPU: %s", what, gla_message (ctx));
  ctx = gpu;
  for (int64_t p = 0; p < q->X.pages; p++) {
    double off = 0, largest = 0;
    for (int64_t j = 0; j < q->X.columns; j++)
      for (int64_t i = 0; i < q->X.rows; i++) {
        off = check_worst (off, cabs (get (&q->X, i, j, p) - get (&other.X, i, j, p)));
        largest = fmax (largest, cabs (get (&other.X, i, j, p)));
      }
    const double n = (double)q->A.rows, rcond = creal (get (&other.rcond, 0, 0, p));
    const double bound = 2 * BOUND * n * gla_type_eps (q->X.type) / rcond;
    CHECK (off <= bound * largest || bound > 1, "%s: differs by %g from the CPU, rcond %g", what,
           off / largest, rcond);
  }
  free (other.X.data);
  free (other.rcond.data);
}

static void check_solution (gla_type type_a, gla_type type_b, int64_t n, int64_t r, char op,
                            gla_side side, gla_context *cpu)
{
  char what[80];
  const int64_t pages = n <= 33 ? 7 : n <= 129 ? PAGES : 1;
  problem q = random_problem (type_a, type_b, n, r, pages, GAP, op, side);
  snprintf (what, sizeof what, "%c\\%c op %c side %d n %lld r %lld", (char)type_a, (char)type_b, op,
            (int)side, (long long)n, (long long)r);
  if (solved_on_gpu (&q, 0, (int)(n % 2), NULL, what)) {
    for (int64_t p = 0; p < pages; p++) {
      const solved_page s = {&q.A, &q.B, &q.X, op, side, p, p, p};
      const double worst = page_ratio (&s, 0);
      CHECK (q.info[p] == 0 && worst <= BOUND, "%s: info %d, ratio %g", what, q.info[p], worst);
      if (n <= 65 && p == 0)
        expect_rcond (&q, p, what);
    }
    compare_cpu (&q, 0, cpu, what);
    if (n % 3 == 0)
      compare_host (&q, 0, what);
  }
  release (&q);
}

static void test_sizes (gla_type type_a, gla_type type_b, gla_context *cpu)
{
  for (int k = 0; k < COUNT (orders); k++)
    for (int o = 0; o < 6; o++) {
      const int64_t n = orders[k], counts[] = {1, n, 2, 3, 33, n + 1};
      const int turn = k + (int)type_a + (int)type_b;
      if (n > 33 && (o + k) % 6 > 2) // half of the combinations, by turns
        continue;
      check_solution (type_a, type_b, n, n > 129 ? 3 : counts[(turn + 5 * o) % 6], ops[o % 3],
                      o / 3 ? GLA_SIDE_RIGHT : GLA_SIDE_LEFT, cpu);
    }
}

static void test_inverses (gla_type type, gla_context *cpu)
{
  for (int k = 0; k < COUNT (orders); k++) {
    char what[80];
    const int64_t n = orders[k];
    const char op = ops[k % 3];
    problem q = random_problem (type, type, n, n, n <= 65 ? PAGES : 1, GAP, op, GLA_SIDE_LEFT);
    snprintf (what, sizeof what, "inverse %c op %c n %lld", (char)type, op, (long long)n);
    if (solved_on_gpu (&q, 1, k % 2, NULL, what)) {
      for (int64_t p = 0; p < q.X.pages; p++) {
        const double worst = inverse_ratio (&q.A, op, &q.X, p);
        CHECK (q.info[p] == 0 && worst <= BOUND, "%s: info %d, ratio %g", what, q.info[p], worst);
        if (n <= 65 && p == 0)
          expect_rcond (&q, p, what);
      }
      compare_cpu (&q, 1, cpu, what);
      if (k % 3 == 0)
        compare_host (&q, 1, what);
    }
    release (&q);
  }
}

//------------------------------------------------------------------------------
// pages of all kinds in one batch
//------------------------------------------------------------------------------

static void test_kinds (gla_type type, int64_t n, int inverse)
{
  char what[80];
  problem q = random_problem (type, type, n, inverse ? n : 3, KINDS, GAP, 'N', GLA_SIDE_LEFT);
  gla_pagesolve_report report = {.base.size = sizeof report};
  snprintf (what, sizeof what, "kinds %c n %lld inverse %d", (char)type, (long long)n, inverse);
  for (int k = 0; k < KINDS; k++)
    fill_kind (&q.A, &q.B, k, (kind)k);
  if (solved_on_gpu (&q, inverse, 1, &report, what)) {
    for (int k = 0; k < KINDS; k++) {
      // a product of 256 x 256 in long double takes a second
      if (inverse && n > 65 && k != DEFINITE && k != INDEFINITE && k != UPPER && k < SINGULAR)
        continue;
      check_kind (&q, k, (kind)k, inverse);
      if (inverse)
        check_structure (&q.X, k, (kind)k);
    }
    CHECK (report.pages_singular == 1 && report.first_singular == SINGULAR &&
               report.base.pages_failed == 2 && report.base.first_failed == WITH_NAN,
           "%s: %lld singular, %lld failed", what, (long long)report.pages_singular,
           (long long)report.base.pages_failed);
    if (n % 3 == 1)
      compare_host (&q, inverse, what);
  }
  release (&q);
}

//------------------------------------------------------------------------------
// known inverses
//------------------------------------------------------------------------------

static double binomial (int64_t n, int64_t k)
{
  double b = 1;
  for (int64_t i = 1; i <= k; i++)
    b = b * (double)(n - k + i) / (double)i;
  return round (b);
}

// The inverse of the Hilbert matrix has integers: this is its element (i, j), from 0.
static double hilbert_inverse (int64_t n, int64_t i, int64_t j)
{
  const double sign = (i + j) % 2 ? -1 : 1;
  return sign * (double)(i + j + 1) * binomial (n + i, n - j - 1) * binomial (n + j, n - i - 1) *
         pow (binomial (i + j, i), 2);
}

// The inverse of Lehmer's matrix min (i, j) / max (i, j) is tridiagonal.
static double lehmer_inverse (int64_t n, int64_t i, int64_t j)
{
  const double k = (double)(i < j ? i : j) + 1;
  if (i == j)
    return i == n - 1 ? k * k / (2 * k - 1) : 4 * k * k * k / (4 * k * k - 1);
  return llabs (i - j) == 1 ? -k * (k + 1) / (2 * k + 1) : 0;
}

// Pascal's matrix: L*L' with binomial coefficients in L, whose inverse has them with signs.
static double pascal_inverse (int64_t n, int64_t i, int64_t j)
{
  double sum = 0;
  for (int64_t k = i > j ? i : j; k < n; k++)
    sum += binomial (k, i) * binomial (k, j);
  return (i + j) % 2 ? -sum : sum;
}

static double known (int which, int64_t n, int64_t i, int64_t j, int inverted)
{
  const double a = (double)i + 1, b = (double)j + 1;
  if (which == 0) // the inverse of Hilbert's matrix: integers
    return inverted ? 1 / (a + b - 1) : hilbert_inverse (n, i, j);
  if (which == 1)
    return inverted ? lehmer_inverse (n, i, j) : fmin (a, b) / fmax (a, b);
  return inverted ? pascal_inverse (n, i, j) : binomial (i + j, i);
}

static void test_known (gla_type type)
{
  static const char *const names[] = {"Hilbert", "Lehmer", "Pascal"};
  const int single = gla_type_real (type) == GLA_TYPE_S;
  for (int which = 0; which < 3; which++)
    for (int64_t n = 1; n <= (which == 1 ? 33 : single ? 4 : 8); n++) {
      problem q = random_problem (type, type, n, n, 2, GAP, 'N', GLA_SIDE_LEFT);
      for (int64_t p = 0; p < 2; p++)
        for (int64_t j = 0; j < n; j++)
          for (int64_t i = 0; i < n; i++) // page 1 is not Hermitian: a factor for each row
            set (&q.A, i, j, p, known (which, n, i, j, 0) * (p ? ldexp (1, (int)i % 3) : 1));
      if (solved_on_gpu (&q, 1, 0, NULL, names[which]))
        for (int64_t p = 0; p < 2; p++) {
          const solved_page s = {&q.A, &q.B, &q.X, 'N', GLA_SIDE_LEFT, p, p, p};
          const double unit = (double)n * gla_type_eps (type) / true_rcond (&s);
          double off = 0, norm = 0;
          for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
              const double x = known (which, n, i, j, 1) / (p ? ldexp (1, (int)j % 3) : 1);
              off = check_worst (off, cabs (get (&q.X, i, j, p) - x));
              norm = fmax (norm, fabs (x));
            }
          CHECK (off <= unit * norm, "%c inverse of %s n %lld page %lld: %g of %g", (char)type,
                 names[which], (long long)n, (long long)p, off / norm, unit);
        }
      release (&q);
    }
}

//------------------------------------------------------------------------------
// grids, bits
//------------------------------------------------------------------------------

static void check_grid (gla_type type_a, gla_type type_b, int64_t n, const int64_t size[3],
                        const int64_t a_step[3], const int64_t b_step[3], gla_side side)
{
  const int64_t pages = size[0] * size[1] * size[2];
  problem q = random_problem (type_a, type_b, n, 2, pages, GAP, 'T', side);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&q.A, 0), B = gpu_put (&q.B, 1), X = gpu_put (&q.X, 0);
  const gla_pagesolve_options options = {.size = sizeof options,
                                         .op_a = 'T',
                                         .side = side,
                                         .dims = 3,
                                         .dim_size = size,
                                         .a_step = a_step,
                                         .b_step = b_step};
  const gla_pagesolve_results results = {.size = sizeof results, .X = X.array};
  const gla_status status = gla_pagesolve (ctx, &A.array, &B.array, &results, &options, NULL);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&X), "grid n %lld: %s", (long long)n, gla_message (ctx));
    for (int64_t p = 0; p < pages; p++) {
      const int64_t at[3] = {p % size[0], p / size[0] % size[1], p / size[0] / size[1]};
      int64_t a = 0, b = 0;
      for (int d = 0; d < 3; d++) {
        a += at[d] * a_step[d];
        b += at[d] * b_step[d];
      }
      const solved_page s = {&q.A, &q.B, &q.X, 'T', side, a, b, p};
      const double worst = page_ratio (&s, 0);
      CHECK (worst <= BOUND, "grid n %lld page %lld: ratio %g", (long long)n, (long long)p, worst);
    }
  }
  release (&q);
}

static void test_grids (gla_type type_a, gla_type type_b)
{
  static const int64_t size[3] = {4, 3, 5};
  static const int64_t plain[3] = {1, 4, 12}, first[3] = {1, 0, 0}, last[3] = {0, 0, 1};
  static const int64_t none[3] = {0, 0, 0}, turned[3] = {3, 1, 12}, middle[3] = {0, 1, 0};
  static const int64_t *const steps[][2] = {{plain, plain},  {none, plain}, {none, turned},
                                            {first, last},   {last, plain}, {plain, none},
                                            {middle, first}, {last, first}, {none, none}};
  for (int64_t n = 1; n <= 150; n += n < 8 ? 1 : 47)
    for (int k = 0; k < COUNT (steps); k++)
      check_grid (type_a, type_b, n, size, steps[k][0], steps[k][1],
                  k % 2 ? GLA_SIDE_LEFT : GLA_SIDE_RIGHT);
}

static gla_array page_of (gla_array a, int64_t p, int64_t count)
{
  a.data = (char *)a.data + (size_t)(p * a.page_stride) * gla_type_size (a.type);
  a.pages = count;
  return a;
}

static int same_page (const gla_array *a, int64_t p, const gla_array *b, int64_t q)
{
  const size_t size = gla_type_size (a->type);
  for (int64_t j = 0; j < a->columns; j++)
    if (memcmp ((char *)a->data + (size_t)(p * a->page_stride + j * a->column_stride) * size,
                (char *)b->data + (size_t)(q * b->page_stride + j * b->column_stride) * size,
                (size_t)a->rows * size) != 0)
      return 0;
  return 1;
}

// A batch with pages of several kinds, and each of some pages again, alone and among seven, from
// other addresses.
static void check_bits (gla_type type, int64_t n, int64_t r, int64_t batch, int inverse)
{
  static const int64_t first[] = {0, 1, 2, 3, 500, 993};
  problem q = random_problem (type, type, n, inverse ? n : r, batch, GAP, 'N', GLA_SIDE_LEFT);
  int32_t *info = malloc ((size_t)batch * sizeof *info);
  for (int64_t p = 0; p < batch; p += 4)
    make_hermitian (&q.A, p, p % 8 == 0);
  set (&q.A, 0, 0, batch - 1, NAN);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&q.A, 0), B = gpu_put (&q.B, 0), X = gpu_put (&q.X, 0);
  const gpu_copy A1 = gpu_put (&q.A, 1), X1 = gpu_put (&q.X, 1);
  gla_array part = make (type, n, q.X.columns, batch, GAP);
  const gpu_copy Y = {.array = X1.array, .host = &part, .bytes = X1.bytes};
  gla_pagesolve_results results = {.size = sizeof results, .X = X.array, .info = info};
  const gla_status status =
      gla_pagesolve (ctx, &A.array, inverse ? NULL : &B.array, &results, NULL, NULL);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&X), "%s", gla_message (ctx));
    for (int f = 0; f < COUNT (first); f++)
      for (int k = 0; k < 4; k++) {
        const int64_t many = k % 2 ? 7 : 1, p = first[f] % (batch - 6);
        int32_t own[7];
        const gla_array a = page_of (k / 2 ? A1.array : A.array, p, many);
        const gla_array b = page_of (B.array, p, many);
        gla_pagesolve_results some = {.size = sizeof some, .info = own};
        some.X = page_of (Y.array, 0, many);
        CHECK (gla_pagesolve (ctx, &a, inverse ? NULL : &b, &some, NULL, NULL) == GLA_OK &&
                   gpu_get (&Y),
               "%s", gla_message (ctx));
        int same = 1;
        for (int64_t s = 0; s < many; s++)
          same &= own[s] == info[p + s] && same_page (&q.X, p + s, &part, s);
        CHECK (
            same, "%c n %lld r %lld: %lld pages from page %lld have other bits than all together",
            (char)type, (long long)n, (long long)(inverse ? 0 : r), (long long)many, (long long)p);
      }
  }
  free (part.data);
  free (info);
  release (&q);
}

static void test_bits (gla_type type)
{
  static const int64_t some[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 24, 32, 33, 48, 64, 65, 100, 130};
  for (int k = 0; k < COUNT (some); k++)
    for (int inverse = 0; inverse < 2; inverse++)
      check_bits (type, some[k], 1 + 2 * (k % 3), some[k] <= 33 ? 1000 : 30, inverse);
}

// NaN and Inf in B change nothing in other columns of X.
static void test_columns (gla_type type, int64_t n)
{
  enum { R = 9 };
  problem q = random_problem (type, type, n, R, 1, 0, 'N', GLA_SIDE_LEFT);
  problem clean = random_problem (type, type, n, R, 1, 0, 'N', GLA_SIDE_LEFT);
  set (&q.B, n / 2, 2, 0, NAN);
  set (&q.B, 0, 7, 0, -INFINITY);
  if (solved_on_gpu (&q, 0, 0, NULL, "columns") && solved_on_gpu (&clean, 0, 0, NULL, "columns"))
    for (int64_t j = 0; j < R; j++) {
      int same = 1, finite = 1;
      for (int64_t i = 0; i < n; i++) {
        same &= get (&q.X, i, j, 0) == get (&clean.X, i, j, 0);
        finite &= isfinite (cabs (get (&q.X, i, j, 0)));
      }
      CHECK (j == 2 || j == 7 ? !finite : same, "%c n %lld: column %lld", (char)type, (long long)n,
             (long long)j);
    }
  release (&q);
  release (&clean);
}

//------------------------------------------------------------------------------
// stop
//------------------------------------------------------------------------------

// Every page of X from the same two pages: definite ones and general ones.
static void check_stop (const char *what, gla_type type, int64_t n, int64_t pages, int definite)
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
    gpu_stop_at = gpu_now () + 0.05;
    gla_set_stop (ctx, gpu_late_stop, NULL);
    status = gla_pagesolve (ctx, &A.array, &B.array, &results, &options, NULL);
    const double took = gpu_now () - gpu_stop_at;
    gla_set_stop (ctx, NULL, NULL);
    CHECK (status == GLA_ERROR_STOPPED || (status == GLA_OK && took < 0.1), "%s: status %d", what,
           (int)status);
    CHECK (took < 0.2, "%s: stopping took %g s", what, took);
    printf ("%s: %s, %.3f s after the wish\n", what, gla_status_text (status), took);
  }
  cudaFree (memory);
  release (&q);
}

int gpu_solves (const char *types)
{
  gla_context *cpu = NULL;
  CHECK (gla_context_create (&cpu) == GLA_OK && gla_set_place (cpu, GLA_PLACE_CPU, NULL, 0) == 0,
         "no context");
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 29))
    return 1;
  for (; *types != '\0'; types++) {
    const gla_type type = (gla_type)*types;
    const gla_type other = type == GLA_TYPE_S   ? GLA_TYPE_C
                           : type == GLA_TYPE_D ? GLA_TYPE_Z
                                                : gla_type_real (type);
    test_sizes (type, type, cpu);
    test_sizes (type, other, cpu);
    test_inverses (type, cpu);
    for (int k = 0; k < COUNT (orders); k++)
      for (int inverse = 0; inverse < 2; inverse++)
        test_kinds (type, orders[k], inverse);
    test_known (type);
    test_grids (type, other);
    test_bits (type);
    for (int64_t n = 2; n <= 130; n *= 2) {
      test_columns (type, n);
      test_columns (type, n + 1);
    }
  }
  gpu_close ();
  gla_context_destroy (ctx);
  gla_context_destroy (cpu);
  return gpu_report ("gpu_solves");
}

int gpu_solves_stop (void)
{
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 26))
    return 1;
  check_stop ("stop of systems of order 200", GLA_TYPE_Z, 200, 40000, 0);
  check_stop ("stop of definite systems of order 128", GLA_TYPE_D, 128, 200000, 1);
  check_stop ("stop of systems of order 16", GLA_TYPE_D, 16, 8000000, 0);
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_solves_stop");
}
