// pairs_lanes.h: the steps on small pencils, one page per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element (i, j) of all pages is in register i + j*ld. Sums are computed in one order, in tiles of
// a few rows and columns, so that a value that is read is used for several of them. Nothing here
// scales: pages whose numbers are not near the middle of the range are left to pairs_page.h, as are
// those without a result.

#ifndef GPULINALG_CPU_PAIRS_LANES_H
#define GPULINALG_CPU_PAIRS_LANES_H

#include "pairs_lanes_move.h"

//------------------------------------------------------------------------------
// C*inv (L)', and B = L*L'
//------------------------------------------------------------------------------

// Computes rows i .. i+N-1 of columns j .. j+T-1 of C*inv (L)', after the previous columns. C may
// be L.
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

// Computes all rows from i on of T columns.
static inline __attribute__ ((always_inline)) void
lanes_rows_of_tile (num *c, const num *l, const num *r, int n, int ld, int i, int j, int T)
{
  for (; i + LANES_ROWS <= n; i += LANES_ROWS)
    lanes_tile (c, l, r, ld, i, LANES_ROWS, j, T);
  for (; i < n; i++)
    lanes_tile (c, l, r, ld, i, 1, j, T);
}

// Returns element (i, j), after the previous columns; it is not divided by the diagonal.
static inline num lanes_element (const num *c, const num *l, int ld, int i, int j)
{
  num s = c[i + j * ld];
  for (int k = 0; k < j; k++)
    s = num_fnmac (s, l[j + k * ld], c[i + k * ld]);
  return s;
}

// Replaces the lower triangle of l by L. Returns the lanes where each pivot has digits left and all
// of the diagonal is of usual size.
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

// Computes the lower triangle of a*inv (L)'.
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

// Computes reciprocals of an L that was loaded. Returns the lanes where it is of usual size.
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

// Computes rows i .. i+N-1 of inv (L)*y for T columns, after the rows above.
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

// Computes rows i .. i+N-1 of inv (L)'*y for T columns, after the rows from i+N on.
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

// Sets a = a*L.
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

// Sets a = L'*a, of which only the lower triangle is used.
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

// Sets y = L*y for T columns.
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

// Sets a = inv (L)*a*inv (L)', of which only the lower triangle is used; or L'*a*L.
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

// Sets a = inv (L)'*a, or L*a.
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
