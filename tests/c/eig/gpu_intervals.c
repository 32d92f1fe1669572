// gpu_intervals.c: eigenvectors of pages on a GPU whose eigenvalues are in an interval
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Intervals side by side: every eigenvalue of a page is in one of them, whatever way finds the
// vectors of each, which depends on their number. The ratios are those of LAPACK's xDRVST, as
// multiples of n*eps.

#include "part_pages.h"

static gla_context *ctx;

// An interval, and room for so many columns.
typedef struct {
  part_case pages;
  double vl, vu;
  int64_t room;
} interval_case;

static const char *interval_name (const interval_case *c)
{
  static char text[160];
  snprintf (text, sizeof text, "%c n %lld kind %d, (%.17g, %.17g], room for %lld",
            (char)c->pages.type, (long long)c->pages.n, (int)c->pages.kind, c->vl, c->vu,
            (long long)c->room);
  return text;
}

static gla_status solve (const interval_case *c, const gla_array *A, const gla_array *l,
                         const gla_array *V, int32_t *info, int64_t *count)
{
  const gla_eig_options o = {.size = sizeof o,
                             .method = GLA_EIG_METHOD_QR,
                             .range = GLA_EIG_INTERVAL,
                             .vl = c->vl,
                             .vu = c->vu};
  gla_eig_results r = {.size = sizeof r, .lambda = *l, .V = *V, .info = info, .count = count};
  return gla_batcheig (ctx, A, &r, &o, NULL);
}

//------------------------------------------------------------------------------
// one interval
//------------------------------------------------------------------------------

// Of large pages some vectors are looked at.
static void check_page (const interval_case *c, const gla_array *A, const gla_array *l,
                        const gla_array *V, int64_t count, int64_t p)
{
  const int64_t stored = count < c->room ? count : c->room, n = c->pages.n;
  const int64_t step = n <= 64 ? 1 : n <= 130 ? 5 : n <= 512 ? 37 : 100;
  double worst = 0, before = -INFINITY;
  int outside = 0, phases = 1;
  for (int64_t j = 0; j < stored; j++) {
    const double value = creal (get (l, j, 0, p));
    outside += !(value > c->vl && value <= c->vu && value >= before);
    before = value;
    if (j % step != 0 && j < stored - 1)
      continue;
    worst = check_worst (worst, ratio_of (&c->pages, A, l, V, j, p));
    phases &= has_phase (V, j, p);
  }
  CHECK (outside == 0, "%s: page %d, %d eigenvalues are not", interval_name (c), (int)p, outside);
  CHECK (worst <= 30, "%s: page %d, ratio %g", interval_name (c), (int)p, worst);
  CHECK (phases, "%s: page %d, phase", interval_name (c), (int)p);
  CHECK (is_nan_behind (l, V, stored, p), "%s: page %d is not NaN behind", interval_name (c),
         (int)p);
}

// The last page alone, from arrays of the host, gets the same bits.
static void check_alone (const interval_case *c, const gla_array *A, const gla_array *l,
                         const gla_array *V, int64_t all)
{
  gla_array last = *A, W = make (c->pages.type, c->pages.n, c->room, 1, 0);
  gla_array m = make (l->type, c->room, 1, 1, 0);
  last.pages = 1;
  last.data = (char *)A->data + (size_t)(A->page_stride * (PAGES - 1)) * gla_type_size (A->type);
  int32_t info;
  int64_t count;
  CHECK (solve (c, &last, &m, &W, &info, &count) == GLA_OK, "%s: %s", interval_name (c),
         gla_message (ctx));
  int same = count == all;
  for (int64_t j = 0; j < (count < c->room ? count : c->room); j++) {
    same &= get (&m, j, 0, 0) == get (l, j, 0, PAGES - 1);
    for (int64_t i = 0; i < c->pages.n; i++)
      same &= get (&W, i, j, 0) == get (V, i, j, PAGES - 1);
  }
  CHECK (same, "%s: other bits alone", interval_name (c));
  free (W.data);
  free (m.data);
}

// Adds the counts of the interval.
static void check_interval (const interval_case *c, const gla_array *A, int64_t *sum)
{
  const part_case *of = &c->pages;
  gla_array V = make (of->type, of->n, c->room, PAGES, 3);
  gla_array l = make (gla_type_real (of->type), c->room, 1, PAGES, 0);
  int32_t info[PAGES] = {-7, -7, -7, -7, -7};
  int64_t count[PAGES] = {-1, -1, -1, -1, -1};
  gpu_used = 0;
  const gpu_copy a = gpu_put (A, 0), v = gpu_put (&V, 0), lambda = gpu_put (&l, 0);
  CHECK (solve (c, &a.array, &lambda.array, &v.array, info, count) == GLA_OK, "%s: %s",
         interval_name (c), gla_message (ctx));
  CHECK (gpu_get (&v) && gpu_get (&lambda) && gpu_unchanged (&a), "%s: guards", interval_name (c));
  for (int64_t p = 0; p < PAGES; p++) {
    const int fails = of->kind == FAILING && p == 1;
    CHECK ((info[p] != 0) == fails && count[p] >= 0 && (!fails || count[p] == 0),
           "%s: page %d, info %d, %d", interval_name (c), (int)p, (int)info[p], (int)count[p]);
    check_page (c, A, &l, &V, count[p], p);
    sum[p] += count[p];
  }
  check_alone (c, A, &l, &V, count[PAGES - 1]);
  free (V.data);
  free (l.data);
}

//------------------------------------------------------------------------------
// intervals side by side
//------------------------------------------------------------------------------

// All eigenvalues of the pages.
static void find_all (const part_case *c, const gla_array *A, const gla_array *l)
{
  const gla_eig_options o = {.size = sizeof o, .method = GLA_EIG_METHOD_QR};
  gla_eig_results r = {.size = sizeof r, .lambda = *l};
  CHECK (gla_batcheig (ctx, A, &r, &o, NULL) == GLA_OK, "%s: %s", name_of (c), gla_message (ctx));
}

static int ascending (const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Ends of intervals, from -Inf to Inf: at eigenvalues, where rounding decides, and between them;
// a tenth of the spectrum, an empty interval, one that holds all but few.
enum { ENDS = 9 };
static int ends_of (const gla_array *l, int64_t n, double *ends)
{
  const int64_t tenth = (n + 9) / 10;
  const double low = creal (get (l, 0, 0, 0)), high = creal (get (l, n - 1, 0, 0));
  const double size = 1 + fmax (fabs (low), fabs (high));
  const double at[ENDS] = {
      -INFINITY,
      low - size,
      creal (get (l, n / 20, 0, 0)),
      creal (get (l, n - 1 - (n / 2), 0, 2)),
      (creal (get (l, n - tenth, 0, 0)) + creal (get (l, n > tenth ? n - tenth - 1 : 0, 0, 0))) / 2,
      high,
      high + size,
      high + 2 * size,
      INFINITY};
  memcpy (ends, at, sizeof at);
  qsort (ends, ENDS, sizeof *ends, ascending);
  int count = 1;
  for (int k = 1; k < ENDS; k++)
    if (ends[k] > ends[count - 1])
      ends[count++] = ends[k];
  return count;
}

static void check_neighbours (const part_case *of, const gla_array *A, const double *ends,
                              int count)
{
  const int64_t n = of->n;
  int64_t sum[PAGES] = {0};
  for (int k = 0; k + 1 < count; k++) {
    const interval_case c = {*of, ends[k], ends[k + 1], n};
    check_interval (&c, A, sum);
  }
  for (int p = 0; p < PAGES; p++) {
    const int fails = of->kind == FAILING && p == 1;
    CHECK (sum[p] == (fails ? 0 : n), "%s: page %d has %d in all intervals", name_of (of), p,
           (int)sum[p]);
  }
}

static void check_size (gla_type type, int64_t n, kind_of_pages kind)
{
  const part_case of = {type, n, 0, 0, kind};
  gla_array A = make (type, n, n, PAGES, 0), l = make (gla_type_real (type), n, 1, PAGES, 0);
  double ends[ENDS];
  int64_t sum[PAGES] = {0}, more[PAGES] = {0};
  fill_pages (&of, &A);
  find_all (&of, &A, &l);
  check_neighbours (&of, &A, ends, ends_of (&l, n, ends));
  // more eigenvalues than there is room for
  const interval_case all = {of, -INFINITY, INFINITY, n},
                      some = {of, -INFINITY, INFINITY, n / 10 + 1};
  if (n <= 130)
    check_interval (&all, &A, sum);
  check_interval (&some, &A, more);
  CHECK (n > 130 || memcmp (sum, more, sizeof sum) == 0, "%s: counts", name_of (&of));
  free (A.data);
  free (l.data);
}

// Large pages: one after the other, or real ones of up to 2048 rows by a band.
static void check_large (gla_type type, int64_t n, kind_of_pages kind)
{
  const part_case of = {type, n, 0, 0, kind};
  gla_array A = make (type, n, n, PAGES, 0), l = make (gla_type_real (type), n, 1, PAGES, 0);
  int64_t sum[PAGES] = {0};
  fill_pages (&of, &A);
  find_all (&of, &A, &l);
  const double at = creal (get (&l, n / 20, 0, 0)), high = creal (get (&l, n - n / 10, 0, 2));
  const double ends[] = {-INFINITY, at, high, 2 * fabs (high) + 2 * fabs (at), INFINITY};
  for (int k = 0; k + 1 < COUNT (ends); k++) {
    const interval_case c = {of, ends[k], ends[k + 1], n / 8};
    check_interval (&c, &A, sum);
  }
  for (int p = 0; p < PAGES; p++)
    CHECK (sum[p] == (kind == FAILING && p == 1 ? 0 : n), "%s: page %d has %d in all intervals",
           name_of (&of), p, (int)sum[p]);
  free (A.data);
  free (l.data);
}

int gpu_intervals (const char *types)
{
  static const int64_t sizes[] = {1,  2,  16,  17,  31,  32,  33,  48,  49,  64,
                                  65, 96, 105, 120, 121, 128, 129, 161, 256, 512};
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 29))
    return 1;
  for (const char *type = types; *type != '\0'; type++) {
    for (int k = 0; k < COUNT (sizes); k++)
      for (int kind = KNOWN; kind < KINDS; kind++)
        if (sizes[k] <= 33 || kind == RANDOM || (sizes[k] <= 129 && kind >= CLUSTERS))
          check_size ((gla_type)*type, sizes[k], (kind_of_pages)kind);
    check_size ((gla_type)*type, 256, FAILING);
    check_size ((gla_type)*type, 300, CLUSTERS);
    if (gpu_is_limited ())
      continue;
    check_large ((gla_type)*type, 1850, RANDOM);
    check_large ((gla_type)*type, 2100, FAILING);
  }
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_intervals");
}
