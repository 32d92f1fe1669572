// gpu_pairs.c: eigenvalues of pairs (A, B) on a GPU: sizes, strides, failures, parts, bits
// SPDX-License-Identifier: GPL-3.0-or-later

#include "device/gpu_page_tests.h"
#include "device/gpu_pages.h"
#include "pair_problem.h"

static const gla_type all_types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static gla_context *on_gpu, *on_cpu;

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

static gla_eig_pairs_results results_of (const pair_problem *q)
{
  return (gla_eig_pairs_results){.size = sizeof (gla_eig_pairs_results),
                                 .lambda = q->lambda,
                                 .V = q->V,
                                 .rcond = q->rcond,
                                 .info = q->info};
}

static gla_status call (gla_context *where, pair_problem *q, const gla_array *A, const gla_array *B,
                        const gla_eig_pairs_results *r)
{
  q->report.base.size = sizeof q->report;
  const gla_status status = gla_batcheig_pairs (where, A, B, r, &q->o, &q->report);
  CHECK (status == GLA_OK, "%c n %lld: %s", (char)q->A.type, (long long)q->n, gla_message (where));
  return status;
}

static void solve_on_cpu (pair_problem *q)
{
  const gla_eig_pairs_results r = results_of (q);
  call (on_cpu, q, &q->A, &q->B, &r);
}

// From arrays of the host.
static void solve_on_gpu (pair_problem *q)
{
  const gla_eig_pairs_results r = results_of (q);
  call (on_gpu, q, &q->A, &q->B, &r);
  CHECK (q->report.base.device == 0, "%c n %lld ran in place %d", (char)q->A.type, (long long)q->n,
         q->report.base.device);
}

// With arrays on the GPU, `shift` elements behind aligned addresses. count may be NULL.
static void solve_there (pair_problem *q, int shift, int64_t *count)
{
  const gla_array *arrays[] = {&q->A, &q->B, &q->lambda, &q->V, &q->rcond};
  gpu_copy copies[5];
  size_t bytes = 0;
  for (int k = 0; k < 5; k++)
    bytes += arrays[k]->data == NULL ? 0 : (bytes_of (arrays[k]) / GUARD + 4) * GUARD;
  CHECK (gpu_open (bytes), "memory of the GPU");
  gla_eig_pairs_results r = results_of (q);
  gla_array *of_results[] = {NULL, NULL, &r.lambda, &r.V, &r.rcond};
  for (int k = 0; k < 5; k++)
    if (arrays[k]->data != NULL) {
      copies[k] = gpu_put (arrays[k], shift);
      if (k >= 2)
        *of_results[k] = copies[k].array;
    }
  r.count = count;
  call (on_gpu, q, &copies[0].array, &copies[1].array, &r);
  for (int k = 0; k < 5; k++)
    if (arrays[k]->data != NULL)
      CHECK (gpu_fetch (&copies[k]), "%c n %lld: array %d has written guards", (char)q->A.type,
             (long long)q->n, k);
  gpu_close ();
}

// Whether a GPU does these pairs. A limited one has no products of pages, and refuses those that
// need them.
static int is_served (gla_type type, int64_t n, int itype)
{
  if (!gpu_is_limited () || (n <= 32 && itype == 1))
    return 1;
  pair_problem q = random_pairs (type, n, 1, 0, n);
  const gla_eig_pairs_results r = results_of (&q);
  q.report.base.size = sizeof q.report;
  q.o.itype = itype;
  CHECK (gpu_refuses (on_gpu, gla_batcheig_pairs (on_gpu, &q.A, &q.B, &r, &q.o, &q.report)),
         "%c n %lld itype %d is not refused", (char)type, (long long)n, itype);
  release (&q);
  return 0;
}

//------------------------------------------------------------------------------
// sizes
//------------------------------------------------------------------------------

static void check_size (gla_type type, int64_t n, gla_triangle triangle, int itype, int there)
{
  if (!is_served (type, n, itype))
    return;
  const int64_t pages = n > 200 ? 2 : n > 64 ? 3 : 9, gap = n % 2 ? GAP : 0;
  pair_problem q = random_pairs (type, n, pages, gap, n + 1000 * itype);
  double worst = 0;
  if (triangle != GLA_TRIANGLE_FULL)
    spoil_triangle (&q, triangle);
  q.o.triangle = triangle;
  q.o.itype = itype;
  if (there)
    solve_there (&q, (int)(n % 3), NULL);
  else
    solve_on_gpu (&q);
  for (int64_t p = n > 200 ? 1 : 0; p < pages; p++) {
    worst = check_worst (worst, pair_ratio (&q, p));
    CHECK (q.info[p] == 0, "%c n %lld itype %d: info %d", (char)type, (long long)n, itype,
           q.info[p]);
  }
  CHECK (worst <= BOUND, "%c n %lld itype %d triangle %d %s: ratio %g", (char)type, (long long)n,
         itype, (int)triangle, there ? "on the GPU" : "from the host", worst);
  CHECK (gaps_are_untouched (&q.V) && gaps_are_untouched (&q.rcond), "%c n %lld: gaps", (char)type,
         (long long)n);
  pair_problem cpu = q;
  make_results (&cpu, 0);
  solve_on_cpu (&cpu);
  // above n = 32 the CPU estimates the norm of the inverse, from below
  const double unit = 1e3 * (double)n * gla_type_eps (type), least = n > 32 ? 1.0 / 3 : 1 - unit;
  for (int64_t p = 0; p < pages; p++) {
    const double here = creal (get (&q.rcond, 0, 0, p)), other = creal (get (&cpu.rcond, 0, 0, p));
    CHECK (here >= least * other && here <= (1 + unit) * other,
           "%c n %lld itype %d: rcond %g, %g on the CPU", (char)type, (long long)n, itype, here,
           other);
  }
  release_results (&cpu);
  release (&q);
}

static void test_sizes (const gla_type *types, int count)
{
  static const int64_t orders[] = {1,  2,  3,   4,   5,   7,   8,   9,   12,  15,  16,  17,  23,
                                   24, 25, 31,  32,  33,  39,  40,  41,  48,  63,  64,  65,  80,
                                   96, 97, 112, 127, 128, 129, 160, 161, 192, 225, 233, 257, 300};
  for (int t = 0; t < count; t++)
    for (int k = 0; k < COUNT (orders); k++)
      for (int there = 0; there < 2; there++) {
        const int turn = k + t + there;
        check_size (types[t], orders[k], (gla_triangle)(turn % 3), 1 + turn / 3 % 3, there);
      }
  for (int t = 0; t < count; t++)
    for (int itype = 1; itype <= 3; itype++)
      check_size (types[t], 30 + 100 * t, GLA_TRIANGLE_FULL, itype, itype % 2);
}

//------------------------------------------------------------------------------
// bits, pages that fail
//------------------------------------------------------------------------------

// Each page has the bits that it has alone. Some pages fail.
static void check_bits (gla_type type, int64_t n, int itype, int share_a, int share_b)
{
  if (!is_served (type, n, itype))
    return;
  const int64_t pages = n > 100 ? 5 : 70;
  pair_problem q = random_pairs (type, n, pages, 0, 7 * n);
  q.A.pages = share_a ? 1 : pages;
  q.B.pages = share_b ? 1 : pages;
  q.o.itype = itype;
  if (!share_a)
    set (&q.A, n - 1, 0, 0, NAN);
  if (!share_a)
    set (&q.A, n / 2, n / 2, 1, INFINITY);
  if (!share_b)
    set (&q.B, 0, n - 1, 2, NAN);
  if (!share_b)
    set (&q.B, n / 2, n / 2, 3, -1);
  solve_on_gpu (&q);
  for (int64_t p = 0; p < pages; p++) {
    const int32_t expected = p == 0 && !share_a   ? (int32_t)n + 1
                             : p == 1 && !share_a ? (int32_t)n + 1
                             : p == 2 && !share_b ? (int32_t)n + 1
                             : p == 3 && !share_b ? (int32_t)(n + 2 + n / 2)
                                                  : 0;
    CHECK (q.info[p] == expected, "%c n %lld page %lld: info %d, not %d", (char)type, (long long)n,
           (long long)p, q.info[p], expected);
    CHECK (expected == 0 || is_all_nan (&q, p), "%c n %lld page %lld is not NaN", (char)type,
           (long long)n, (long long)p);
    pair_problem one = page_alone (&q, p);
    solve_on_gpu (&one);
    CHECK (same_results (&q, p, &one, 0), "%c n %lld itype %d page %lld: bits depend on the batch",
           (char)type, (long long)n, itype, (long long)p);
    release_results (&one);
  }
  release (&q);
}

static void test_bits (const gla_type *types, int count)
{
  static const int64_t orders[] = {1, 2, 5, 8, 16, 29, 32, 33, 64, 130, 260};
  for (int t = 0; t < count; t++)
    for (int k = 0; k < COUNT (orders); k++)
      check_bits (types[t], orders[k], 1 + (k + t) % 3, k % 4 == 1, k % 4 == 2);
}

//------------------------------------------------------------------------------
// range, parts
//------------------------------------------------------------------------------

// Pages whose B, or A, is 2^e times what it was: the eigenvalues change by that, exactly but for
// rounding in another place.
static void check_scale (gla_type type, int64_t n, int e_a, int e_b, int itype)
{
  if (!is_served (type, n, itype))
    return;
  pair_problem q = random_pairs (type, n, 4, 0, n), r = random_pairs (type, n, 4, 0, n);
  q.o.itype = r.o.itype = itype;
  for (int64_t p = 0; p < 4; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        set (&r.A, i, j, p, scaled (get (&r.A, i, j, p), e_a));
        set (&r.B, i, j, p, scaled (get (&r.B, i, j, p), e_b));
      }
  solve_on_gpu (&q);
  solve_on_gpu (&r);
  const int e = itype == 1 ? e_a - e_b : e_a + e_b;
  for (int64_t p = 0; p < 4; p++) {
    double worst = 0, largest = 0;
    for (int64_t k = 0; k < n; k++) {
      const double x = creal (get (&q.lambda, k, 0, p)), y = creal (get (&r.lambda, k, 0, p));
      worst = check_worst (worst, fabs (ldexp (y, -e) - x));
      largest = fmax (largest, fabs (x));
    }
    worst /= (double)n * gla_type_eps (type) * largest;
    CHECK (r.info[p] == 0 && worst <= BOUND, "%c n %lld scaled by 2^%d, 2^%d: info %d, ratio %g",
           (char)type, (long long)n, e_a, e_b, r.info[p], worst);
  }
  release (&q);
  release (&r);
}

static void test_scales (const gla_type *types, int count)
{
  static const int64_t orders[] = {3, 16, 30, 33, 64, 150, 260};
  for (int t = 0; t < count; t++) {
    const int large = gla_type_real (types[t]) == GLA_TYPE_S ? 50 : 498; // 1e15, 1e150
    for (int k = 0; k < COUNT (orders); k++)
      for (int itype = 1; itype <= 3; itype++) {
        check_scale (types[t], orders[k], large, itype == 1 ? large : -large, itype);
        check_scale (types[t], orders[k], -large, itype == 1 ? -large : large, itype);
        check_scale (types[t], orders[k], 0, k % 2 ? large : -large, itype);
        check_scale (types[t], orders[k], k % 2 ? -large : large, 0, itype);
      }
  }
}

// Parts of the spectrum have the bits of the whole, and NaN behind them. Those of an interval have
// them up to 16 rows; gpu_pair_intervals.c has larger pages.
static void check_part (gla_type type, int64_t n, int itype, int interval, int there)
{
  if (!is_served (type, n, itype))
    return;
  pair_problem q = random_pairs (type, n, 5, 0, n), part = q;
  const int64_t il = 1 + n / 4, columns = n / 2 + 1;
  int64_t count[5] = {-1, -1, -1, -1, -1};
  set (&q.A, 0, 0, 2, NAN);
  q.o.itype = itype;
  solve_on_gpu (&q);
  part.o = q.o;
  make_results (&part, 0);
  part.lambda.rows = part.V.columns = columns;
  part.lambda.page_stride = columns;
  part.V.page_stride = n * columns;
  part.o.range = interval ? GLA_EIG_INTERVAL : GLA_EIG_INDICES;
  part.o.il = il;
  part.o.iu = il + columns - 1;
  part.o.vl = -0.2;
  part.o.vu = 0.2;
  if (there)
    solve_there (&part, 0, count);
  else {
    gla_eig_pairs_results r = results_of (&part);
    r.count = count;
    call (on_gpu, &part, &part.A, &part.B, &r);
  }
  for (int64_t p = 0; p < 5; p++) {
    int64_t first = il - 1, inside = columns;
    if (interval) {
      first = inside = 0;
      for (int64_t k = 0; k < n; k++) {
        const double x = creal (get (&q.lambda, k, 0, p));
        first += x <= -0.2;
        inside += x > -0.2 && x <= 0.2;
      }
    }
    inside = p == 2 ? 0 : inside;
    CHECK (count[p] == inside, "%c n %lld page %lld: %lld eigenvalues, not %lld", (char)type,
           (long long)n, (long long)p, (long long)count[p], (long long)inside);
    int same = 1;
    for (int64_t j = 0; j < columns; j++)
      for (int64_t i = 0; i < n; i++) {
        const double complex x = get (&part.V, i, j, p);
        same &= j < inside ? x == get (&q.V, i, first + j, p) : isnan (creal (x));
      }
    CHECK (same, "%c n %lld itype %d page %lld: a part differs from the whole", (char)type,
           (long long)n, itype, (long long)p);
  }
  release_results (&part);
  release (&q);
}

// |A x - lambda B x| of column j of a page, and |X'BX - I| of columns up to j, as multiples of
// n*eps.
static double few_ratio (const pair_problem *q, int64_t j, int64_t p)
{
  const int64_t n = q->n;
  const double lambda = creal (get (&q->lambda, j, 0, p));
  double residual = 0, size = 0, worst = 0;
  double complex *y = calloc ((size_t)n, sizeof *y); // B x
  for (int64_t i = 0; i < n; i++) {
    double complex r = 0;
    for (int64_t k = 0; k < n; k++) {
      const double complex x = get (&q->V, k, j, p);
      r += get (&q->A, i, k, p) * x;
      y[i] += get (&q->B, i, k, p) * x;
      size += cabs (get (&q->A, i, k, p)) * cabs (x);
    }
    residual = check_worst (residual, cabs (r - lambda * y[i]));
  }
  for (int64_t k = 0; k <= j; k++) {
    double complex dot = j == k ? -1 : 0;
    for (int64_t i = 0; i < n; i++)
      dot += conj (get (&q->V, i, k, p)) * y[i];
    worst = check_worst (worst, cabs (dot));
  }
  free (y);
  return check_worst (worst, residual / size * (double)n) / ((double)n * gla_type_eps (q->A.type));
}

// Few eigenvectors of larger pages are formed by another way than all of them.
static void check_few (gla_type type, int64_t n, int64_t columns, int there)
{
  if (!is_served (type, n, 1))
    return;
  pair_problem q = random_pairs (type, n, 3, 0, n), part = q;
  int64_t count[3] = {-1, -1, -1};
  double worst = 0, off = 0, largest = 0;
  solve_on_gpu (&q);
  make_results (&part, 0);
  part.lambda.rows = part.V.columns = part.lambda.page_stride = columns;
  part.V.page_stride = n * columns;
  part.o.range = GLA_EIG_INDICES;
  part.o.il = n / 3;
  part.o.iu = n / 3 + columns - 1;
  gla_eig_pairs_results r = results_of (&part);
  r.count = count;
  if (there)
    solve_there (&part, 1, count);
  else
    call (on_gpu, &part, &part.A, &part.B, &r);
  for (int64_t p = 0; p < 3; p++)
    for (int64_t j = 0; j < columns; j++) {
      const double whole = creal (get (&q.lambda, part.o.il - 1 + j, 0, p));
      off = check_worst (off, fabs (creal (get (&part.lambda, j, 0, p)) - whole));
      largest = fmax (largest, fabs (creal (get (&q.lambda, n - 1, 0, p))));
      worst = check_worst (worst, few_ratio (&part, j, p));
    }
  CHECK (off <= BOUND * (double)n * gla_type_eps (type) * largest && worst <= BOUND,
         "%c n %lld, %lld columns: eigenvalues off by %g, ratio %g", (char)type, (long long)n,
         (long long)columns, off, worst);
  release_results (&part);
  release (&q);
}

static void test_parts (const gla_type *types, int count)
{
  static const int64_t orders[] = {1, 4, 17, 32, 33, 70, 250};
  for (int t = 0; t < count; t++) {
    for (int k = 0; k < COUNT (orders); k++)
      for (int mode = 0; mode < 4; mode++)
        if (mode % 2 == 0 || orders[k] <= 16)
          check_part (types[t], orders[k], 1 + (k + t) % 3, mode % 2, mode / 2);
    // of 32 columns the products of the back-transform have other tiles than of 17
    for (int itype = 2; itype <= 3; itype++)
      check_part (types[t], 32, itype, 0, itype == 3);
    for (int64_t n = 96; n < 300; n += 67)
      check_few (types[t], n, n == 163 ? 1 : n / 8, n % 2 == 0);
  }
}

//------------------------------------------------------------------------------
// pages that are not Hermitian
//------------------------------------------------------------------------------

static void check_skew (gla_type type, int64_t n, int in_b)
{
  if (!is_served (type, n, 1))
    return;
  pair_problem q = random_pairs (type, n, 6, 0, n);
  gla_array *a = in_b ? &q.B : &q.A;
  set (a, n - 1, 0, 3, get (a, n - 1, 0, 3) + 0.25);
  const gla_eig_pairs_results r = results_of (&q);
  q.report.base.size = sizeof q.report;
  const gla_status status = gla_batcheig_pairs (on_gpu, &q.A, &q.B, &r, &q.o, &q.report);
  CHECK (status == GLA_ERROR_NOT_HERMITIAN && q.report.bad_page == 3 &&
             q.report.bad_matrix == (in_b ? 'B' : 'A') &&
             fabs (q.report.bad_difference - 0.25) < 1e-3,
         "%c n %lld: status %d, page %lld of %c, %g", (char)type, (long long)n, (int)status,
         (long long)q.report.bad_page, q.report.bad_matrix, q.report.bad_difference);
  release (&q);
}

int gpu_pairs (const char *letters)
{
  gla_type types[4];
  int count = 0;
  for (int t = 0; t < 4; t++)
    if (strchr (letters, (char)all_types[t]) != NULL)
      types[count++] = all_types[t];
  CHECK (gla_context_create (&on_gpu) == GLA_OK && gla_context_create (&on_cpu) == GLA_OK &&
             use_first_gpu (on_gpu) == GLA_OK &&
             gla_set_place (on_cpu, GLA_PLACE_CPU, NULL, 0) == GLA_OK,
         "contexts");
  test_sizes (types, count);
  test_bits (types, count);
  test_scales (types, count);
  test_parts (types, count);
  for (int t = 0; t < count; t++)
    for (int64_t n = 5; n < 300; n *= 4)
      for (int in_b = 0; in_b < 2; in_b++)
        check_skew (types[t], n, in_b);
  gla_context_destroy (on_gpu);
  gla_context_destroy (on_cpu);
  return gpu_report ("gpu_pairs");
}
