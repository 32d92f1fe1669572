// pairs_lanes_move.h: copies small pencils between arrays and lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element (i, j) of all pages is in register i + j*ld.

#ifndef GPULINALG_CPU_PAIRS_LANES_MOVE_H
#define GPULINALG_CPU_PAIRS_LANES_MOVE_H

#include "cpu/common/lanes_square.h"

#include "pairs_page.h"

// The largest order, because the BLAS also uses the widest registers; and rows and columns of
// tiles.
#if GLA_VECTOR_BYTES == 64
enum { PENCIL_LANES_MAX = 128, LANES_ROWS = GLA_COMPLEX ? 2 : 4 };
#elif GLA_VECTOR_BYTES == 32
enum { PENCIL_LANES_MAX = 128, LANES_ROWS = 2 };
#else
enum { PENCIL_LANES_MAX = 32, LANES_ROWS = 2 };
#endif
enum { LANES_COLUMNS = GLA_COMPLEX ? 2 : 4 };

typedef struct {
  int ld;     // from a column to the next
  num *l, *a; // B and its factor; A, C and X
  num *r;     // reciprocals of the diagonal of L
} lanes_work;

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

// Loads pages first .. of an array; lanes from `count` on read the first one.
static void lanes_load_pages (num *to, const gla_array *a, int n, int64_t first, int count)
{
  lanes_sources from;
  for (int l = 0; l < GLA_LANES; l++)
    from.at[l] = page_at (a, first + (l < count ? l : 0));
  lanes_load_square (to, from, a->column_stride, n);
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
// sum of all, which is not finite if one of them is not, and the largest |a_ij - conj (a_ji)|^2.
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

// Replaces what was loaded by (A + A')/2, or by one triangle and its mirror image.
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

// Returns the lanes that are finite, Hermitian, and of usual size, or 0 if `zero` allows it.
static inline mask lanes_are_usual (const lanes_facts *f, int n, int zero)
{
  const vec bound = vec_broadcast (10 * (real)n * GLA_EPS) * f->largest;
  mask size = lanes_between (f->sum, PENCIL_USUAL);
  if (zero)
    size |= f->sum == vec_broadcast (0);
  return size & (f->difference2 <= bound * bound);
}

#endif
