// lanes_load.h: reads pages into lanes: scaled, and with (A + A')/2 taken
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_EIG_LANES_LOAD_H
#define GPULINALG_CPU_EIG_LANES_LOAD_H

#include "cpu/common/lanes.h"

#include "eig.h"
#include "scale.h"

// Pages that become the lanes of one register; a lane without a page of its own reads another's.
typedef struct {
  const real *page[GLA_LANES];
  int64_t ld;
  vec down0, down1; // factors, one after the other; 0 where nothing is to be read
} sources;

// The numbers `at` real numbers into each page, scaled.
static inline __attribute__ ((always_inline)) num gather (const sources *from, int64_t at)
{
  num x = num_zero ();
  for (int l = 0; l < GLA_LANES; l++) {
    x.re[l] = from->page[l][at];
#if GLA_COMPLEX
    x.im[l] = from->page[l][at + 1];
#endif
  }
  return num_scale (from->down1, num_scale (from->down0, x));
}

// Element (i, j), i >= j; adds to the largest |a_ij - conj (a_ji)|^2.
static inline __attribute__ ((always_inline)) num
load_element (const sources *from, gla_triangle triangle, int i, int j, vec *difference2)
{
  const vec zero = vec_broadcast (0);
  num x = num_zero ();
  if (triangle != GLA_TRIANGLE_UPPER)
    x = gather (from, (i + j * from->ld) * GLA_PARTS);
  if (triangle != GLA_TRIANGLE_LOWER) {
    num y = num_conj (gather (from, (j + i * from->ld) * GLA_PARTS));
    if (triangle == GLA_TRIANGLE_FULL) {
      vec d2 = num_abs2 (num_sub (x, y));
      *difference2 = vec_select (d2 > *difference2, d2, *difference2);
      x = num_scale (vec_broadcast ((real)0.5), num_add (x, y));
    } else
      x = y;
  }
  // 0 * NaN is NaN, so a page that is left out must be selected away
  x = num_select (from->down0 != zero, x, num_zero ());
#if GLA_COMPLEX
  if (i == j)
    x.im = zero;
#endif
  return x;
}

// The lower triangle; returns the largest |a_ij - conj (a_ji)|^2. Some columns at a time, because
// elements (j, i) of a page that share a cache line belong to neighbouring columns j.
static inline __attribute__ ((always_inline)) vec load_triangle (int n, const sources *from,
                                                                 gla_triangle triangle, num *a)
{
  enum { columns = 64 / (GLA_PARTS * sizeof (real)) };
  vec difference2 = vec_broadcast (0);
  for (int first = 0; first < n; first += columns)
    for (int i = first; i < n; i++)
      for (int j = first; j < first + columns && j <= i; j++)
        a[i + j * n] = load_element (from, triangle, i, j, &difference2);
  return difference2;
}

static void load_group (gla_cpu_eig_task *task, int64_t first, int count, num *a, scaling *s)
{
  const gla_eig_job *job = task->job;
  const gla_array *A = &task->chunk->A;
  const int n = (int)job->n;
  sources from = {.ld = A->column_stride};
  for (int l = 0; l < GLA_LANES; l++) {
    const int64_t page = first + (l < count ? l : 0);
    from.page[l] = (const real *)A->data + page * A->page_stride * GLA_PARTS;
    if (l < count)
      s[l] = scaling_of (largest_of_page (n, from.page[l], from.ld, job->triangle), n);
    from.down0[l] = l < count ? s[l].down[0] : 0;
    from.down1[l] = l < count ? s[l].down[1] : 0;
  }

  vec difference2 = vec_broadcast (0);
  if (job->triangle == GLA_TRIANGLE_FULL)
    difference2 = load_triangle (n, &from, GLA_TRIANGLE_FULL, a);
  else if (job->triangle == GLA_TRIANGLE_LOWER)
    load_triangle (n, &from, GLA_TRIANGLE_LOWER, a);
  else
    load_triangle (n, &from, GLA_TRIANGLE_UPPER, a);

  double *skew = task->chunk->skew;
  for (int l = 0; l < count; l++) {
    if (skew)
      skew[first + l] = 0;
    if (job->triangle == GLA_TRIANGLE_FULL)
      check_hermitian (&s[l], difference2[l], n, skew ? &skew[first + l] : NULL);
  }
}

#endif
