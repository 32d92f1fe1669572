// pencil_lanes.h: the steps on small pencils, one page per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element (i, j) of all pages stands in register i + j*n. Sums are computed in one order, in tiles
// of a few rows and columns, so that what is read feeds several of them. Nothing here scales: pages
// whose numbers are not near the middle of the range are left to pencil_page.h, as are those that
// have no result.

#ifndef GPULINALG_CPU_PENCIL_LANES_H
#define GPULINALG_CPU_PENCIL_LANES_H

#include "cpu/common/lanes_move.h"

#include "pencil_page.h"

// The largest order: the BLAS has wide registers wherever the processor has them. Rows and columns
// of tiles. LANES_PACKED_MAX: up to this order columns stand without gaps.
#if GLA_VECTOR_BYTES == 64
enum { PENCIL_LANES_MAX = 128, LANES_ROWS = GLA_COMPLEX ? 2 : 4 };
#elif GLA_VECTOR_BYTES == 32
enum { PENCIL_LANES_MAX = 128, LANES_ROWS = 2 };
#else
enum { PENCIL_LANES_MAX = 32, LANES_ROWS = 2 };
#endif
enum { LANES_COLUMNS = GLA_COMPLEX ? 2 : 4, LANES_PACKED_MAX = 16 };

typedef struct {
  int ld;     // from a column to the next
  num *l, *a; // B and its factor; A, C and X
  num *r;     // reciprocals of the diagonal of L
} lanes_work;

// Columns of larger pages do not compete for the same lines of the cache where it is odd.
static inline __attribute__ ((always_inline)) int lanes_ld (int n)
{
  return n <= LANES_PACKED_MAX ? n : n | 1;
}

static size_t lanes_layout (char *base, int64_t n, lanes_work *w)
{
  size_t at = 0;
  w->ld = lanes_ld ((int)n);
  w->l = gla_carve (base, &at, (size_t)(n * w->ld) * sizeof *w->l);
  w->a = gla_carve (base, &at, (size_t)(n * w->ld) * sizeof *w->a);
  w->r = gla_carve (base, &at, (size_t)n * sizeof *w->r);
  return at;
}

//------------------------------------------------------------------------------
// between arrays and lanes
//------------------------------------------------------------------------------

// Pages first .. of an array; lanes from `count` on read the first one.
static __attribute__ ((noinline)) void lanes_load_pages (num *to, const gla_array *a, int n,
                                                         int64_t first, int count)
{
  lanes_sources from;
  for (int l = 0; l < GLA_LANES; l++)
    from.at[l] = page_at (a, first + (l < count ? l : 0));
  const int ld = lanes_ld (n);
  if (a->column_stride == n && ld == n) {
    lanes_load_run ((vec *)to, &from, (int64_t)n * n * GLA_PARTS);
    return;
  }
  for (int j = 0; j < n; j++) {
    lanes_load_run ((vec *)(to + j * ld), &from, (int64_t)n * GLA_PARTS);
    for (int l = 0; l < GLA_LANES; l++)
      from.at[l] += a->column_stride * GLA_PARTS;
  }
}

static __attribute__ ((noinline)) void lanes_store_pages (const num *from, const gla_array *a,
                                                          int n, int64_t first, unsigned live)
{
  lanes_targets to = {.live = live};
  for (int l = 0; l < GLA_LANES; l++)
    to.at[l] = page_at (a, first + (live >> l & 1 ? l : 0));
  const int ld = lanes_ld (n);
  if (a->column_stride == n && ld == n) {
    lanes_store_run (&to, (const vec *)from, (int64_t)n * n * GLA_PARTS);
    return;
  }
  for (int j = 0; j < n; j++) {
    lanes_store_run (&to, (const vec *)(from + j * ld), (int64_t)n * GLA_PARTS);
    for (int l = 0; l < GLA_LANES; l++)
      to.at[l] += a->column_stride * GLA_PARTS;
  }
}

static inline vec lanes_larger (vec a, vec b)
{
  return vec_select (a > b, a, b);
}

// What is known of a page after it was read: its largest real or imaginary part, but for NaN, the
// sum of all, which is not finite where one of them is not, and the largest |a_ij - conj (a_ji)|^2.
typedef struct {
  vec largest, sum, difference2;
} lanes_facts;

static inline __attribute__ ((always_inline)) void lanes_note (lanes_facts *f, num x)
{
  const vec re = vec_abs (x.re);
  f->largest = lanes_larger (re, f->largest);
  f->sum += re;
#if GLA_COMPLEX
  const vec im = vec_abs (x.im);
  f->largest = lanes_larger (im, f->largest);
  f->sum += im;
#endif
}

// Makes (A + A')/2, or one triangle and its mirror image, of what was loaded.
static inline __attribute__ ((always_inline)) lanes_facts lanes_symmetrise (num *a, int n,
                                                                            gla_triangle triangle)
{
  const vec zero = vec_broadcast (0), half = vec_broadcast ((real)0.5);
  const int ld = lanes_ld (n);
  lanes_facts f = {zero, zero, zero};
  for (int j = 0; j < n; j++) {
    num *d = a + j + j * ld;
#if GLA_COMPLEX
    if (triangle == GLA_TRIANGLE_FULL) {
      const vec twice = d->im + d->im, d2 = twice * twice;
      f.difference2 = lanes_larger (d2, f.difference2);
      f.sum += vec_abs (d->im);
    }
#endif
    *d = num_from_real (d->re);
    lanes_note (&f, *d);
    for (int i = j + 1; i < n; i++) {
      num x = a[i + j * ld], y = num_conj (a[j + i * ld]);
      if (triangle == GLA_TRIANGLE_FULL) {
        const vec d2 = num_abs2 (num_sub (x, y));
        f.difference2 = lanes_larger (d2, f.difference2);
        lanes_note (&f, x);
        lanes_note (&f, y);
        x = num_scale (half, num_add (x, y));
      } else {
        x = triangle == GLA_TRIANGLE_LOWER ? x : y;
        lanes_note (&f, x);
      }
      a[i + j * ld] = x;
      a[j + i * ld] = num_conj (x);
    }
  }
  return f;
}

static inline mask lanes_between (vec x, int e)
{
  return (x >= vec_broadcast (power_of_two (-e))) & (x <= vec_broadcast (power_of_two (e)));
}

// Lanes that are finite, Hermitian, and of usual size, or 0 where `zero` allows it.
static inline mask lanes_are_usual (const lanes_facts *f, int n, int zero)
{
  const vec bound = vec_broadcast (10 * (real)n * GLA_EPS) * f->largest;
  mask size = lanes_between (f->sum, PENCIL_USUAL);
  if (zero)
    size |= f->sum == vec_broadcast (0);
  return size & (f->difference2 <= bound * bound);
}

//------------------------------------------------------------------------------
// C*inv (L)', and B = L*L'
//------------------------------------------------------------------------------

// Rows i .. i+N-1 of columns j .. j+T-1 of C*inv (L)', when the columns before are done. C may be
// L.
static inline __attribute__ ((always_inline)) void lanes_tile (num *c, const num *l, const num *r,
                                                               int ld, int i, int N, int j, int T)
{
  num s[LANES_ROWS][LANES_COLUMNS];
#pragma GCC unroll 4
  for (int x = 0; x < N; x++)
#pragma GCC unroll 4
    for (int t = 0; t < T; t++)
      s[x][t] = c[i + x + (j + t) * ld];
  for (int k = 0; k < j; k++) {
    const num *left = c + i + k * ld, *top = l + j + k * ld;
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) {
      const num e = top[t];
#pragma GCC unroll 4
      for (int x = 0; x < N; x++)
        s[x][t] = num_fnmac (s[x][t], e, left[x]);
    }
  }
#pragma GCC unroll 4
  for (int t = 0; t < T; t++)
#pragma GCC unroll 4
    for (int x = 0; x < N; x++) {
      s[x][t] = num_scale (r[j + t].re, s[x][t]);
#pragma GCC unroll 4
      for (int u = t + 1; u < T; u++)
        s[x][u] = num_fnmac (s[x][u], l[j + u + (j + t) * ld], s[x][t]);
      c[i + x + (j + t) * ld] = s[x][t];
    }
}

// All rows from i on of T columns.
static inline __attribute__ ((always_inline)) void
lanes_rows_of_tile (num *c, const num *l, const num *r, int n, int ld, int i, int j, int T)
{
  for (; i + LANES_ROWS <= n; i += LANES_ROWS)
    lanes_tile (c, l, r, ld, i, LANES_ROWS, j, T);
  for (; i < n; i++)
    lanes_tile (c, l, r, ld, i, 1, j, T);
}

// Element (i, j), when the columns before are done; it is not divided by the diagonal.
static inline num lanes_element (const num *c, const num *l, int ld, int i, int j)
{
  num s = c[i + j * ld];
  for (int k = 0; k < j; k++)
    s = num_fnmac (s, l[j + k * ld], c[i + k * ld]);
  return s;
}

// The lower triangle of l becomes L. Returns the lanes where each pivot has digits left and all of
// the diagonal is of usual size.
static inline __attribute__ ((always_inline)) mask lanes_factor (num *l, num *r, int n)
{
  const int ld = lanes_ld (n);
  const vec least = vec_broadcast ((real)n * GLA_EPS);
  mask good = ~(mask){0};
  for (int first = 0; first < n; first += LANES_COLUMNS) {
    const int end = first + LANES_COLUMNS < n ? first + LANES_COLUMNS : n;
    for (int j = first; j < end; j++) {
      const vec before = l[j + j * ld].re, d = lanes_element (l, l, ld, j, j).re;
      good &= lanes_between (before, PENCIL_USUAL) & (d > least * before);
      const vec root = vec_sqrt (d), inverse = vec_broadcast (1) / root;
      l[j + j * ld] = num_from_real (root);
      r[j] = num_from_real (inverse);
      for (int i = j + 1; i < end; i++)
        l[i + j * ld] = num_scale (inverse, lanes_element (l, l, ld, i, j));
    }
    if (end < n)
      lanes_rows_of_tile (l, l, r, n, ld, end, first, LANES_COLUMNS);
  }
  return good;
}

// The lower triangle of a*inv (L)'.
static inline __attribute__ ((always_inline)) void lanes_divide_right (const lanes_work *w, int n)
{
  const int ld = lanes_ld (n);
  for (int first = 0; first < n; first += LANES_COLUMNS) {
    const int end = first + LANES_COLUMNS < n ? first + LANES_COLUMNS : n;
    for (int j = first; j < end; j++)
      for (int i = j; i < end; i++)
        w->a[i + j * ld] = num_scale (w->r[j].re, lanes_element (w->a, w->l, ld, i, j));
    if (end < n)
      lanes_rows_of_tile (w->a, w->l, w->r, n, ld, end, first, LANES_COLUMNS);
  }
}

// Reciprocals of an L that was loaded. Returns the lanes where it is of usual size.
static inline __attribute__ ((always_inline)) mask lanes_reciprocals (const num *l, num *r, int n)
{
  const int ld = lanes_ld (n);
  mask good = ~(mask){0};
  for (int j = 0; j < n; j++) {
    const vec d = l[j + j * ld].re;
    good &= lanes_between (d, PENCIL_USUAL_ROOT);
    r[j] = num_from_real (vec_broadcast (1) / d);
  }
  return good;
}

//------------------------------------------------------------------------------
// inv (L)*Y and inv (L)'*Y
//------------------------------------------------------------------------------

// Rows i .. i+N-1 of inv (L)*y for T columns, when the rows above are done.
static inline __attribute__ ((always_inline)) void
lanes_forward (const num *l, const num *r, int ld, int i, int N, int T, num *y)
{
  num s[LANES_ROWS][LANES_COLUMNS];
#pragma GCC unroll 4
  for (int x = 0; x < N; x++)
#pragma GCC unroll 4
    for (int t = 0; t < T; t++)
      s[x][t] = y[i + x + t * ld];
  for (int k = 0; k < i; k++) {
    const num *left = l + i + k * ld;
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) {
      const num e = y[k + t * ld];
#pragma GCC unroll 4
      for (int x = 0; x < N; x++)
        s[x][t] = num_fnma (s[x][t], left[x], e);
    }
  }
#pragma GCC unroll 4
  for (int x = 0; x < N; x++)
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) {
      s[x][t] = num_scale (r[i + x].re, s[x][t]);
#pragma GCC unroll 4
      for (int u = x + 1; u < N; u++)
        s[u][t] = num_fnma (s[u][t], l[i + u + (i + x) * ld], s[x][t]);
      y[i + x + t * ld] = s[x][t];
    }
}

static inline __attribute__ ((always_inline)) void lanes_divide_left (const lanes_work *w, int n,
                                                                      int T, num *y)
{
  int i = 0;
  for (; i + LANES_ROWS <= n; i += LANES_ROWS)
    lanes_forward (w->l, w->r, lanes_ld (n), i, LANES_ROWS, T, y);
  for (; i < n; i++)
    lanes_forward (w->l, w->r, lanes_ld (n), i, 1, T, y);
}

// Rows i .. i+N-1 of inv (L)'*y for T columns, when the rows from i+N on are done.
static inline __attribute__ ((always_inline)) void
lanes_backward (const num *l, const num *r, int n, int ld, int i, int N, int T, num *y)
{
  num s[LANES_ROWS][LANES_COLUMNS];
#pragma GCC unroll 4
  for (int x = 0; x < N; x++)
#pragma GCC unroll 4
    for (int t = 0; t < T; t++)
      s[x][t] = y[i + x + t * ld];
  for (int k = i + N; k < n; k++) {
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) {
      const num e = y[k + t * ld];
#pragma GCC unroll 4
      for (int x = 0; x < N; x++)
        s[x][t] = num_fnmac (s[x][t], l[k + (i + x) * ld], e);
    }
  }
#pragma GCC unroll 4
  for (int x = N - 1; x >= 0; x--)
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) {
      s[x][t] = num_scale (r[i + x].re, s[x][t]);
#pragma GCC unroll 4
      for (int u = 0; u < x; u++)
        s[u][t] = num_fnmac (s[u][t], l[i + x + (i + u) * ld], s[x][t]);
      y[i + x + t * ld] = s[x][t];
    }
}

static inline __attribute__ ((always_inline)) void lanes_divide_back (const lanes_work *w, int n,
                                                                      int T, num *y)
{
  int i = n;
  for (; i >= LANES_ROWS; i -= LANES_ROWS)
    lanes_backward (w->l, w->r, n, lanes_ld (n), i - LANES_ROWS, LANES_ROWS, T, y);
  for (; i > 0; i--)
    lanes_backward (w->l, w->r, n, lanes_ld (n), i - 1, 1, T, y);
}

//------------------------------------------------------------------------------
// products with L
//------------------------------------------------------------------------------

// a = a*L.
static inline __attribute__ ((always_inline)) void lanes_times (num *a, const num *l, int n)
{
  const int ld = lanes_ld (n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i += LANES_ROWS) {
      const int N = i + LANES_ROWS <= n ? LANES_ROWS : n - i;
      num s[LANES_ROWS];
      for (int x = 0; x < N; x++)
        s[x] = num_zero ();
      for (int k = j; k < n; k++)
        for (int x = 0; x < N; x++)
          s[x] = num_fma (s[x], l[k + j * ld], a[i + x + k * ld]);
      for (int x = 0; x < N; x++)
        a[i + x + j * ld] = s[x];
    }
}

// a = L'*a, of which the lower triangle counts.
static inline __attribute__ ((always_inline)) void lanes_times_left (num *a, const num *l, int n)
{
  const int ld = lanes_ld (n);
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      num s = num_zero ();
      for (int k = i; k < n; k++)
        s = num_fmac (s, l[k + i * ld], a[k + j * ld]);
      a[i + j * ld] = s;
    }
}

// y = L*y for T columns.
static inline __attribute__ ((always_inline)) void lanes_multiply (const lanes_work *w, int n,
                                                                   int T, num *y)
{
  const int ld = lanes_ld (n);
  for (int i = n - 1; i >= 0; i--) {
    num s[LANES_COLUMNS];
    for (int t = 0; t < T; t++)
      s[t] = num_zero ();
    for (int k = 0; k <= i; k++)
      for (int t = 0; t < T; t++)
        s[t] = num_fma (s[t], w->l[i + k * ld], y[k + t * ld]);
    for (int t = 0; t < T; t++)
      y[i + t * ld] = s[t];
  }
}

//------------------------------------------------------------------------------
// steps
//------------------------------------------------------------------------------

// a = inv (L)*a*inv (L)', of which the lower triangle counts; or L'*a*L.
static inline __attribute__ ((always_inline)) void lanes_reduce (const lanes_work *w, int n,
                                                                 int product)
{
  const int ld = lanes_ld (n);
  if (product) {
    lanes_times (w->a, w->l, n);
    lanes_times_left (w->a, w->l, n);
    return;
  }
  int j = 0;
  for (; j + LANES_COLUMNS <= n; j += LANES_COLUMNS)
    lanes_divide_left (w, n, LANES_COLUMNS, w->a + j * ld);
  for (; j < n; j++)
    lanes_divide_left (w, n, 1, w->a + j * ld);
  lanes_divide_right (w, n);
}

// a = inv (L)'*a, or L*a.
static inline __attribute__ ((always_inline)) void lanes_back (const lanes_work *w, int n,
                                                               int times)
{
  for (int j = 0; j < n;) {
    const int T = j + LANES_COLUMNS <= n ? LANES_COLUMNS : 1;
    num *y = w->a + j * lanes_ld (n);
    if (times && T > 1)
      lanes_multiply (w, n, LANES_COLUMNS, y);
    else if (times)
      lanes_multiply (w, n, 1, y);
    else if (T > 1)
      lanes_divide_back (w, n, LANES_COLUMNS, y);
    else
      lanes_divide_back (w, n, 1, y);
    j += T;
  }
}

#endif
