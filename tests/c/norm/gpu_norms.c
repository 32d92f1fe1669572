// gpu_norms.c: norms of pages on a GPU against long double: range, NaN, bits
// SPDX-License-Identifier: GPL-3.0-or-later

#include "device/gpu_page_tests.h"
#include "device/gpu_pages.h"

enum { PAGES = 300, GAP = 3 };
static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const gla_norm norms[] = {GLA_NORM_FRO, GLA_NORM_ONE, GLA_NORM_INF};
static gla_context *ctx;

// The norm of a page as the definition has it.
static long double expected (const gla_array *A, gla_norm norm, int64_t p)
{
  const int by_rows = norm == GLA_NORM_INF;
  const int64_t outer = by_rows ? A->rows : A->columns, inner = by_rows ? A->columns : A->rows;
  long double most = 0, squares = 0;
  for (int64_t o = 0; o < outer; o++) {
    long double sum = 0;
    for (int64_t k = 0; k < inner; k++) {
      const long double x = cabsl (by_rows ? get (A, o, k, p) : get (A, k, o, p));
      sum += x;
      squares += x * x;
    }
    most = sum > most || isnan (sum) ? sum : most;
  }
  return norm == GLA_NORM_FRO ? sqrtl (squares) : most;
}

// Page 2 has tiny elements, page 3 large ones, page 4 NaN, page 5 Inf, and page 6 only zeros.
static void make_special (gla_array *A)
{
  const int single = gla_type_real (A->type) == GLA_TYPE_S;
  for (int64_t j = 0; j < A->columns; j++)
    for (int64_t i = 0; i < A->rows; i++) {
      set (A, i, j, 2, get (A, i, j, 2) * (single ? 0x1p-130 : 0x1p-1040));
      set (A, i, j, 3, get (A, i, j, 3) * (single ? 0x1p110 : 0x1p1000));
      set (A, i, j, 6, 0);
    }
  set (A, A->rows / 2, A->columns - 1, 4, NAN);
  set (A, 0, A->columns / 2, 5, -INFINITY);
}

static double norm_of (const gla_array *to, int64_t p)
{
  return creal (get (to, 0, 0, p));
}

static void check_norms (const gla_array *A, const gla_array *to, gla_norm norm, const char *what)
{
  const int single = gla_type_real (A->type) == GLA_TYPE_S;
  // sums are formed in double precision
  const double unit = (single ? FLT_EPSILON : 0) + (double)(A->rows + A->columns + 4) * DBL_EPSILON;
  // each magnitude and each sum may be rounded to a denormal number
  const long double grain = (single ? 0x1p-149L : 0x1p-1074L) * (long double)(A->rows + A->columns);
  double worst = 0;
  for (int64_t p = 0; p < A->pages; p++) {
    const long double right = expected (A, norm, p);
    const double got = norm_of (to, p);
    if (p == 4 || p == 5) {
      CHECK (p == 4 ? isnan (got) : isinf (got), "%s: page %d has norm %g", what, (int)p, got);
      continue;
    }
    worst = check_worst (worst, (double)(fabsl (got - right) / (unit * right + grain)));
  }
  CHECK (worst <= 1, "%s: off by %g of the bound", what, worst);
}

static void check_shape (gla_type type, int64_t m, int64_t n, int gap)
{
  gla_array A = make (type, m, n, PAGES, gap), to = make (gla_type_real (type), 1, 1, PAGES, gap);
  gla_array part = make (to.type, 1, 1, PAGES, gap);
  fill (&A, (unsigned long long)(m * 100 + n));
  make_special (&A);
  for (int k = 0; k < COUNT (norms); k++) {
    char what[80];
    snprintf (what, sizeof what, "%c %lldx%lld norm %d gap %d", (char)type, (long long)m,
              (long long)n, (int)norms[k], gap);
    gpu_used = 0;
    const gpu_copy a = gpu_put (&A, k % 2), t = gpu_put (&to, 0), u = gpu_put (&part, 1);
    gla_pagenorm_report report = {.base.size = sizeof report};
    CHECK (gla_pagenorm (ctx, &a.array, norms[k], &t.array, &report) == GLA_OK &&
               report.base.device == 0 && gpu_get (&t) && gpu_unchanged (&a),
           "%s: %s", what, gla_message (ctx));
    check_norms (&A, &to, norms[k], what);
    // one page and seven pages have the bits that they have in the batch
    for (int f = 0; f < 8; f++) {
      const int64_t first = f < 4 ? f : 60 * f - 200, many = f % 2 ? 7 : 1;
      gla_array some = a.array, results = u.array;
      some.data = (char *)a.array.data + (size_t)(first * A.page_stride) * gla_type_size (type);
      some.pages = results.pages = many;
      CHECK (gla_pagenorm (ctx, &some, norms[k], &results, NULL) == GLA_OK && gpu_get (&u), "%s",
             gla_message (ctx));
      int same = 1;
      for (int64_t p = 0; p < many; p++) {
        const double x = norm_of (&to, first + p), y = norm_of (&part, p);
        same &= x == y || (isnan (x) && isnan (y));
      }
      CHECK (same, "%s: other bits in a batch of %d", what, (int)many);
    }
  }
  free (A.data);
  free (to.data);
  free (part.data);
}

int gpu_norms (void)
{
  static const int64_t sizes[] = {1,  2,  3,  4,  5,  7,  8,  9,  15, 16,
                                  17, 24, 31, 32, 33, 48, 64, 65, 129};
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 29))
    return 1;
  for (int t = 0; t < COUNT (types); t++)
    for (int k = 0; k < COUNT (sizes); k++) {
      check_shape (types[t], sizes[k], sizes[k], k % 2 ? GAP : 0);
      check_shape (types[t], sizes[k], sizes[(5 * k + 3) % COUNT (sizes)], k % 2 ? 0 : GAP);
      check_shape (types[t], sizes[(7 * k + 2) % COUNT (sizes)], sizes[k], GAP);
    }
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_norms");
}
