// lanes_load_template.h: reads pages into lanes: scaled, and with (A + A')/2 taken
// SPDX-License-Identifier: GPL-3.0-or-later

// Pages that become the lanes of one register; a lane without a page of its own reads another's.
typedef struct {
  const GLA_REAL *page[GLA_LANES];
  int64_t ld;
  N (vec) down0, down1; // factors, one after the other; 0 where nothing is to be read
} N (sources);

// The numbers `at` real numbers into each page, scaled.
static inline __attribute__ ((always_inline)) N (num)
    N (gather) (const N (sources) * from, int64_t at)
{
  N (num) x = N (zero) ();
  for (int l = 0; l < GLA_LANES; l++) {
    x.re[l] = from->page[l][at];
#if GLA_COMPLEX
    x.im[l] = from->page[l][at + 1];
#endif
  }
  return N (scale) (from->down1, N (scale) (from->down0, x));
}

// Element (i, j), i >= j; adds to the largest |a_ij - conj (a_ji)|^2.
static inline __attribute__ ((always_inline)) N (num)
    N (load_element) (const N (sources) * from, gla_triangle triangle, int i, int j,
                      N (vec) * difference2)
{
  const N (vec) zero = N (all) (0);
  N (num) x = N (zero) ();
  if (triangle != GLA_UPPER)
    x = N (gather) (from, (i + j * from->ld) * GLA_PARTS);
  if (triangle != GLA_LOWER) {
    N (num) y = N (conj) (N (gather) (from, (j + i * from->ld) * GLA_PARTS));
    if (triangle == GLA_FULL) {
      N (vec) d2 = N (abs2) (N (sub) (x, y));
      *difference2 = N (select) (d2 > *difference2, d2, *difference2);
      x = N (scale) (N (all) ((GLA_REAL)0.5), N (add) (x, y));
    } else
      x = y;
  }
  // 0 * NaN is NaN, so a page that is left out must be selected away
  x = N (num_select) (from->down0 != zero, x, N (zero) ());
#if GLA_COMPLEX
  if (i == j)
    x.im = zero;
#endif
  return x;
}

// The lower triangle; returns the largest |a_ij - conj (a_ji)|^2. Some columns at a time, because
// elements (j, i) of a page that share a cache line belong to neighbouring columns j.
static inline __attribute__ ((always_inline)) N (vec)
    N (load_triangle) (int n, const N (sources) * from, gla_triangle triangle, N (num) * a)
{
  enum { columns = 64 / (GLA_PARTS * sizeof (GLA_REAL)) };
  N (vec) difference2 = N (all) (0);
  for (int first = 0; first < n; first += columns)
    for (int i = first; i < n; i++)
      for (int j = first; j < first + columns && j <= i; j++)
        a[i + j * n] = N (load_element) (from, triangle, i, j, &difference2);
  return difference2;
}

static void N (load_group) (gla_cpu_task *task, int64_t first, int count, N (num) * a,
                            N (scaling) * s)
{
  const gla_eig_job *job = task->job;
  const gla_array *A = &task->chunk->A;
  const int n = (int)job->n;
  N (sources) from = {.ld = A->column_stride};
  for (int l = 0; l < GLA_LANES; l++) {
    const int64_t page = first + (l < count ? l : 0);
    from.page[l] = (const GLA_REAL *)A->data + page * A->page_stride * GLA_PARTS;
    if (l < count)
      s[l] = N (scaling_of) (N (largest_of_page) (n, from.page[l], from.ld, job->triangle), n);
    from.down0[l] = l < count ? s[l].down[0] : 0;
    from.down1[l] = l < count ? s[l].down[1] : 0;
  }

  N (vec) difference2 = N (all) (0);
  if (job->triangle == GLA_FULL)
    difference2 = N (load_triangle) (n, &from, GLA_FULL, a);
  else if (job->triangle == GLA_LOWER)
    N (load_triangle) (n, &from, GLA_LOWER, a);
  else
    N (load_triangle) (n, &from, GLA_UPPER, a);

  double *skew = task->chunk->skew;
  for (int l = 0; l < count; l++) {
    if (skew)
      skew[first + l] = 0;
    if (job->triangle == GLA_FULL)
      N (check_skew) (&s[l], difference2[l], n, skew ? &skew[first + l] : NULL);
  }
}
