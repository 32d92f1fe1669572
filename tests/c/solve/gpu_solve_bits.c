// gpu_solve_bits.c: known inverses, grids of pages, and bits of systems on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "device/gpu_page_tests.h"
#include "gpu_solve.h"

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
    check_grid_pages (&q, size, a_step, b_step, side);
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

typedef enum { SOLVE, SOLVE_WITH_RCOND, INVERT } way;

// A batch with pages of several kinds, and each of some pages again, alone and among seven, from
// other addresses. Of few pages several blocks find the condition.
static void check_bits (gla_type type, int64_t n, int64_t r, int64_t batch, way w)
{
  static const int64_t first[] = {0, 1, 2, 3, 500, 993};
  const gla_array none = {0};
  problem q = random_problem (type, type, n, w == INVERT ? n : r, batch, GAP, 'N', GLA_SIDE_LEFT);
  int32_t *info = malloc ((size_t)batch * sizeof *info);
  for (int64_t p = 0; p < batch; p += 4)
    make_hermitian (&q.A, p, p % 8 == 0);
  set (&q.A, 0, 0, batch - 1, NAN);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&q.A, 0), B = gpu_put (&q.B, 0), X = gpu_put (&q.X, 0);
  const gpu_copy A1 = gpu_put (&q.A, 1), X1 = gpu_put (&q.X, 1), R = gpu_put (&q.rcond, 0);
  gla_array part = make (type, n, q.X.columns, batch, GAP), part_rcond = q.rcond;
  part_rcond.data = malloc (bytes_of (&q.rcond));
  memcpy (part_rcond.data, q.rcond.data, bytes_of (&q.rcond));
  const gpu_copy Y = {.array = X1.array, .host = &part, .bytes = X1.bytes};
  const gpu_copy S = gpu_put (&part_rcond, 0);
  gla_pagesolve_results results = {.size = sizeof results, .X = X.array, .info = info};
  results.rcond = w == SOLVE_WITH_RCOND ? R.array : none;
  const gla_array *no_b = NULL;
  const gla_status status =
      gla_pagesolve (ctx, &A.array, w == INVERT ? no_b : &B.array, &results, NULL, NULL);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&X) && gpu_get (&R), "%s", gla_message (ctx));
    for (int f = 0; f < COUNT (first); f++)
      for (int k = 0; k < 4; k++) {
        const int64_t many = k % 2 ? 7 : 1, p = first[f] % (batch - 6);
        int32_t own[7];
        const gla_array a = page_of (k / 2 ? A1.array : A.array, p, many);
        const gla_array b = page_of (B.array, p, many);
        gla_pagesolve_results some = {.size = sizeof some, .info = own};
        some.X = page_of (Y.array, 0, many);
        some.rcond = w == SOLVE_WITH_RCOND ? page_of (S.array, 0, many) : none;
        CHECK (gla_pagesolve (ctx, &a, w == INVERT ? no_b : &b, &some, NULL, NULL) == GLA_OK &&
                   gpu_get (&Y) && gpu_get (&S),
               "%s", gla_message (ctx));
        int same = 1;
        for (int64_t s = 0; s < many; s++) {
          same &= own[s] == info[p + s] && same_page (&q.X, p + s, &part, s);
          same &= w != SOLVE_WITH_RCOND || same_page (&q.rcond, p + s, &part_rcond, s);
        }
        CHECK (same,
               "%c n %lld r %lld way %d: %lld pages from page %lld have other bits than all "
               "together",
               (char)type, (long long)n, (long long)r, (int)w, (long long)many, (long long)p);
      }
  }
  free (part.data);
  free (part_rcond.data);
  free (info);
  release (&q);
}

static void test_bits (gla_type type)
{
  static const int64_t some[] = {1,  2,  3,  4,  7,  8,   15,  16,  17,  24,
                                 32, 33, 48, 64, 65, 100, 130, 150, 225, 256};
  for (int k = 0; k < COUNT (some); k++)
    for (int w = 0; w < 3; w++)
      check_bits (type, some[k], 1 + 2 * (k % 3), some[k] <= 33 ? 1000 : 30, (way)w);
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

int gpu_solve_bits (const char *types)
{
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 29))
    return 1;
  for (; *types != '\0'; types++) {
    const gla_type type = (gla_type)*types;
    test_known (type);
    test_grids (type, other_type (type));
    test_bits (type);
    for (int64_t n = 2; n <= 130; n *= 2) {
      test_columns (type, n);
      test_columns (type, n + 1);
    }
  }
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_solve_bits");
}
