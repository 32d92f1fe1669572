// gpu_pair_intervals.c: eigenvectors of pairs on a GPU whose eigenvalues are in an interval
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Intervals side by side: every eigenvalue of a pair is in one of them, whatever way finds the
// vectors of each, which depends on their number. From 17 rows on they are not those of a call for
// all eigenvectors, but for rounding.

#include "device/gpu_page_tests.h"
#include "device/gpu_pages.h"
#include "pair_problem.h"

enum { PAGES = 4, BAD = 2 };

// Pages, of which A is 2^power times a random matrix, and BAD has no number; and the results of all
// eigenvalues.
typedef struct {
  pair_problem all;
  int there; // whether arrays are on the GPU
} interval_problem;

static interval_problem problem_of (gla_type type, int64_t n, int itype, int power, int there)
{
  interval_problem q = {.all = random_pairs (type, n, PAGES, 0, n), .there = there};
  for (int64_t p = 0; p < PAGES; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++)
        set (&q.all.A, i, j, p, scaled (get (&q.all.A, i, j, p), power));
  set (&q.all.A, n - 1, 0, BAD, NAN);
  q.all.o.itype = itype;
  CHECK (solve_all (&q.all) == GLA_OK, "%c n %lld: %s", (char)type, (long long)n,
         gla_message (ctx));
  return q;
}

static double value_of (const pair_problem *q, int64_t j, int64_t p)
{
  return creal (get (&q->lambda, j, 0, p));
}

// |A x - lambda B x| of column j of a page with itype 1, |A B x - lambda x| or |B A x - lambda x|,
// with |x|*|A|*|B| as what it is measured by, as a multiple of n*eps.
static double residual_of (const pair_problem *q, int64_t j, int64_t p)
{
  const int64_t n = q->n;
  const double lambda = value_of (q, j, p);
  const gla_array *inner = q->o.itype == 2 ? &q->B : &q->A,
                  *outer = q->o.itype == 2 ? &q->A : &q->B;
  double complex *y = calloc ((size_t)n, sizeof *y);
  double residual = 0, size = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < n; k++) {
      y[i] += get (inner, i, k, p) * get (&q->V, k, j, p);
      size += cabs (get (&q->A, i, k, p)) * cabs (get (&q->V, k, j, p));
    }
  for (int64_t i = 0; i < n; i++) {
    double complex r = q->o.itype == 1 ? y[i] : -lambda * get (&q->V, i, j, p);
    for (int64_t k = 0; k < n; k++)
      r += q->o.itype == 1 ? -lambda * get (&q->B, i, k, p) * get (&q->V, k, j, p)
                           : get (outer, i, k, p) * y[k];
    residual = check_worst (residual, cabs (r));
  }
  free (y);
  return residual / size / gla_type_eps (q->A.type);
}

// |X'BX - I| of columns 0 .. j of a page, or |X' inv (B) X - I| by B X = Y for itype 3, where it is
// not looked at, as a multiple of n*eps.
static double orthogonality_of (const pair_problem *q, int64_t j, int64_t p)
{
  const int64_t n = q->n;
  double complex *y = calloc ((size_t)n, sizeof *y); // B x
  double worst = 0;
  for (int64_t i = 0; i < n && q->o.itype < 3; i++)
    for (int64_t k = 0; k < n; k++)
      y[i] += get (&q->B, i, k, p) * get (&q->V, k, j, p);
  for (int64_t k = 0; k <= j && q->o.itype < 3; k++) {
    double complex dot = j == k ? -1 : 0;
    for (int64_t i = 0; i < n; i++)
      dot += conj (get (&q->V, i, k, p)) * y[i];
    worst = check_worst (worst, cabs (dot));
  }
  free (y);
  return worst / ((double)n * gla_type_eps (q->A.type));
}

// Eigenvalues `first` on of a page are those of the part.
static void check_page (const pair_problem *all, const pair_problem *part, int64_t p, int64_t first,
                        int64_t count)
{
  const int64_t n = all->n, stored = count < part->V.columns ? count : part->V.columns;
  const double size = fmax (fabs (value_of (all, 0, p)), fabs (value_of (all, n - 1, p)));
  double off = 0, worst = 0, before = -INFINITY;
  int outside = 0, nan = 1;
  for (int64_t j = 0; j < stored; j++) {
    const double x = value_of (part, j, p);
    outside += !(x > part->o.vl && x <= part->o.vu && x >= before);
    before = x;
    off = check_worst (off, fabs (x - value_of (all, first + j, p)) / size);
    if (n > 40 && j % (n / 8) != 0 && j < stored - 1)
      continue;
    worst = check_worst (worst, residual_of (part, j, p));
    worst = check_worst (worst, orthogonality_of (part, j, p));
  }
  for (int64_t j = stored; j < part->V.columns; j++) {
    nan &= isnan (value_of (part, j, p));
    for (int64_t i = 0; i < n; i++)
      nan &= isnan (creal (get (&part->V, i, j, p)));
  }
  off /= (double)n * gla_type_eps (all->A.type);
  CHECK (outside == 0 && off <= BOUND && worst <= BOUND && nan,
         "%c n %lld itype %d, (%g, %g], page %d: %d of %d outside, off %g, ratio %g, NaN %d",
         (char)all->A.type, (long long)n, all->o.itype, part->o.vl, part->o.vu, (int)p, outside,
         (int)stored, off, worst, nan);
}

static void solve_interval (const interval_problem *q, pair_problem *part, int64_t *count)
{
  gla_eig_pairs_results r = {.size = sizeof r,
                             .lambda = part->lambda,
                             .V = part->V,
                             .rcond = part->rcond,
                             .info = part->info,
                             .count = count};
  const gla_array *arrays[] = {&part->A, &part->B, &part->lambda, &part->V, &part->rcond};
  gpu_copy copies[5];
  gpu_used = 0;
  for (int k = 0; k < 5 && q->there; k++)
    copies[k] = gpu_put (arrays[k], 0);
  const gla_array *A = q->there ? &copies[0].array : &part->A,
                  *B = q->there ? &copies[1].array : &part->B;
  if (q->there) {
    r.lambda = copies[2].array;
    r.V = copies[3].array;
    r.rcond = copies[4].array;
  }
  part->report.base.size = sizeof part->report;
  CHECK (gla_batcheig_pairs (ctx, A, B, &r, &part->o, &part->report) == GLA_OK, "%c n %lld: %s",
         (char)part->A.type, (long long)part->n, gla_message (ctx));
  for (int k = 0; k < 5 && q->there; k++)
    CHECK (gpu_fetch (&copies[k]), "%c n %lld: array %d has written guards", (char)part->A.type,
           (long long)part->n, k);
}

// Adds the counts of an interval, with room for so many columns.
static void check_interval (const interval_problem *q, double vl, double vu, int64_t room,
                            int64_t *sum)
{
  pair_problem part = q->all;
  int64_t count[PAGES] = {-1, -1, -1, -1};
  make_results (&part, 0);
  part.lambda.rows = part.V.columns = part.lambda.page_stride = room;
  part.V.page_stride = part.n * room;
  part.o.range = GLA_EIG_INTERVAL;
  part.o.vl = vl;
  part.o.vu = vu;
  solve_interval (q, &part, count);
  for (int64_t p = 0; p < PAGES; p++) {
    CHECK ((part.info[p] != 0) == (p == BAD) && count[p] >= 0 && (p != BAD || count[p] == 0),
           "%c n %lld page %d: info %d, count %d", (char)part.A.type, (long long)part.n, (int)p,
           part.info[p], (int)count[p]);
    if (p != BAD && count[p] >= 0 && sum[p] + count[p] <= part.n)
      check_page (&q->all, &part, p, sum[p], count[p]);
    sum[p] += count[p];
  }
  release_results (&part);
}

// From -Inf to Inf with ends at eigenvalues, where rounding decides, and between them: few columns,
// many, none, and more than there is room for.
static void check_size (gla_type type, int64_t n, int itype, int power, int there)
{
  interval_problem q = problem_of (type, n, itype, power, there);
  const int64_t tenth = (n + 9) / 10;
  const double high = value_of (&q.all, n - 1, 0),
               size = fabs (high) + fabs (value_of (&q.all, 0, 1));
  const double ends[] = {-INFINITY, value_of (&q.all, n / 8, 0),
                         (value_of (&q.all, n - tenth, 1) + value_of (&q.all, n - tenth - 1, 1)) /
                             2,
                         high + 3 * size, INFINITY};
  int64_t sum[PAGES] = {0}, more[PAGES] = {0};
  for (int k = 0; k < COUNT (ends) - 1; k++)
    check_interval (&q, ends[k], ends[k + 1], n, sum);
  check_interval (&q, -INFINITY, INFINITY, tenth, more);
  for (int p = 0; p < PAGES; p++)
    CHECK (sum[p] == (p == BAD ? 0 : n) && more[p] == sum[p],
           "%c n %lld itype %d: page %d has %d in all intervals, %d in one", (char)type,
           (long long)n, itype, p, (int)sum[p], (int)more[p]);
  release (&q.all);
}

int gpu_pair_intervals (const char *types)
{
  static const int64_t sizes[] = {5, 16, 17, 24, 32, 33, 70, 96, 128, 129, 163, 250};
  if (gpu_is_limited ()) {
    printf ("gpu_pair_intervals: 0 passed, 0 failed, 1 skipped\n");
    return 0;
  }
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 26))
    return 1;
  for (const char *type = types; *type != '\0'; type++) {
    const int large = gla_type_real ((gla_type)*type) == GLA_TYPE_S ? 50 : 498;
    for (int k = 0; k < COUNT (sizes); k++)
      for (int there = 0; there < 2; there++)
        check_size ((gla_type)*type, sizes[k], 1 + (k + there) % 3,
                    k % 3 == 0 ? 0
                    : there    ? large
                               : -large,
                    there);
  }
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_pair_intervals");
}
