// lanes_solve_template.h: reads pages into lanes, solves them, writes them back
// SPDX-License-Identifier: GPL-3.0-or-later

// Workspace of a thread.
typedef struct {
  N (num) * a, *v, *tau, *work;
  N (vec) * d, *e;
  GLA_REAL *z, *page_d, *page_e, *cs;
  int64_t ldz;
  int *order;
} N (lanes_work);

// Lays the workspace out from `base` (NULL: only counts) and returns its bytes.
static size_t N (lanes_layout) (char *base, const gla_eig_job *job, int jacobi, N (lanes_work) * w)
{
  const size_t n = (size_t)job->n, square = n * n * sizeof (N (num));
  size_t at = 0;
  memset (w, 0, sizeof *w);
  w->ldz = (int64_t)((n + GLA_LANES - 1) / GLA_LANES * GLA_LANES);
  w->a = gla_carve (base, &at, square);
  w->v = job->vectors ? gla_carve (base, &at, square) : NULL;
  w->d = gla_carve (base, &at, n * sizeof (N (vec)));
  w->order = gla_carve (base, &at, n * sizeof (int));
  if (!jacobi) {
    w->e = gla_carve (base, &at, n * sizeof (N (vec)));
    w->tau = gla_carve (base, &at, n * sizeof (N (num)));
    w->work = gla_carve (base, &at, 2 * n * sizeof (N (num)));
    w->z = job->vectors ? gla_carve (base, &at, n * (size_t)w->ldz * sizeof (GLA_REAL)) : NULL;
    w->page_d = gla_carve (base, &at, n * sizeof (GLA_REAL));
    w->page_e = gla_carve (base, &at, n * sizeof (GLA_REAL));
    w->cs = gla_carve (base, &at, 2 * n * sizeof (GLA_REAL));
  }
  return at;
}

//------------------------------------------------------------------------------
// read
//------------------------------------------------------------------------------

// Copies what is to be read of a page into lane l: all of it, or the lower triangle.
static void N (load_lane) (int n, const GLA_REAL *A, int64_t ld, gla_triangle triangle, int l,
                           N (num) * a)
{
  for (int j = 0; j < n; j++) {
    const GLA_REAL *from = A + j * ld * GLA_PARTS;
    int first = triangle == GLA_LOWER ? j : 0, last = triangle == GLA_UPPER ? j : n - 1;
    GLA_REAL *to = (GLA_REAL *)(triangle == GLA_UPPER ? a + j : a + j * n) + l;
    int64_t step = (triangle == GLA_UPPER ? n : 1) * GLA_PARTS * GLA_LANES;
    for (int i = first; i <= last; i++) {
      to[i * step] = from[i * GLA_PARTS];
#if GLA_COMPLEX
      GLA_REAL im = from[2 * i + 1];
      if (triangle != GLA_FULL && i == j)
        im = 0;
      to[i * step + GLA_LANES] = triangle == GLA_UPPER ? -im : im;
#endif
    }
  }
}

static inline N (mask) N (larger_bits) (N (mask) m, N (vec) x)
{
  N (mask) b = (N (mask))N (vabs) (x), more = b > m;
  return (b & more) | (m & ~more);
}

// Bits of the largest entry of each lane.
static N (mask) N (largest_bits) (int n, const N (num) * a, gla_triangle triangle)
{
  N (mask) m = {0};
  for (int j = 0; j < n; j++)
    for (int i = triangle == GLA_FULL ? 0 : j; i < n; i++) {
      m = N (larger_bits) (m, a[i + j * n].re);
#if GLA_COMPLEX
      m = N (larger_bits) (m, a[i + j * n].im);
#endif
    }
  return m;
}

// Scales, and takes (A + A')/2 into the lower triangle; returns the largest |A - A'|^2.
static N (vec)
    N (symmetrise) (int n, N (num) * a, gla_triangle triangle, N (vec) down0, N (vec) down1)
{
  N (vec) difference2 = N (all) (0);
  const N (vec) half = N (all) ((GLA_REAL)0.5), zero = N (all) (0);
  // 0 * NaN is NaN, so a page that is left out must be selected away
  const N (mask) live = down0 != zero;
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      N (num) x = N (scale) (down1, N (scale) (down0, a[i + j * n]));
      if (triangle == GLA_FULL) {
        N (num) y = N (conj) (N (scale) (down1, N (scale) (down0, a[j + i * n])));
        N (vec) d2 = N (abs2) (N (sub) (x, y));
        difference2 = N (select) (d2 > difference2, d2, difference2);
        x = N (scale) (half, N (add) (x, y));
      }
      a[i + j * n] = N (num_select) (live, x, N (zero) ());
    }
  return difference2;
}

static void N (load_group) (gla_cpu_task *task, int64_t first, int count, N (num) * a,
                            N (scaling) * s)
{
  const gla_eig_job *job = task->job;
  const gla_array *A = &task->chunk->A;
  const int n = (int)job->n;
  if (count < GLA_LANES)
    memset (a, 0, (size_t)n * (size_t)n * sizeof *a);
  for (int l = 0; l < count; l++) {
    const GLA_REAL *page = (const GLA_REAL *)A->data + (first + l) * A->page_stride * GLA_PARTS;
    N (load_lane) (n, page, A->column_stride, job->triangle, l, a);
  }
  N (mask) largest = N (largest_bits) (n, a, job->triangle);
  N (vec) down0, down1;
  for (int l = 0; l < GLA_LANES; l++) {
    s[l] = N (scaling_of) (largest[l], n);
    down0[l] = s[l].down[0];
    down1[l] = s[l].down[1];
  }
  N (vec) difference2 = N (symmetrise) (n, a, job->triangle, down0, down1);
  double *skew = task->chunk->skew;
  for (int l = 0; l < count; l++) {
    if (skew)
      skew[first + l] = 0;
    if (job->triangle == GLA_FULL)
      N (check_skew) (&s[l], difference2[l], n, skew ? &skew[first + l] : NULL);
  }
}

//------------------------------------------------------------------------------
// solve
//------------------------------------------------------------------------------

// The tridiagonal matrix of one lane; leaves eigenvalues in d and vectors in v.
static int N (lane_ql) (gla_cpu_task *task, const N (lanes_work) * w, int l)
{
  const int n = (int)task->job->n;
  for (int i = 0; i < n; i++) {
    w->page_d[i] = w->d[i][l];
    w->page_e[i] = i + 1 < n ? w->e[i][l] : 0;
  }
  if (w->z) {
    memset (w->z, 0, (size_t)n * (size_t)w->ldz * sizeof *w->z);
    for (int i = 0; i < n; i++)
      w->z[i * w->ldz + i] = 1;
  }
  int bad = N (ql) (n, w->page_d, w->page_e, w->z, w->ldz, (GLA_REAL)task->job->tol,
                    task->job->maxit, w->cs, task);
  for (int i = 0; i < n; i++)
    w->d[i][l] = w->page_d[i];
  for (int j = 0; w->z && j < n; j++)
    for (int i = 0; i < n; i++)
      ((GLA_REAL *)&w->v[i + j * n])[l] = w->z[j * w->ldz + i];
  return bad;
}

static void N (lanes_qr) (gla_cpu_task *task, const N (lanes_work) * w, int count, int *unconverged)
{
  const int n = (int)task->job->n;
  N (tridiagonalise) (n, w->a, w->d, w->e, w->tau, w->work);
  if (w->v)
    memset (w->v, 0, (size_t)n * (size_t)n * sizeof *w->v);
  for (int l = 0; l < count; l++)
    unconverged[l] = N (lane_ql) (task, w, l);
  if (w->v)
    N (back_transform) (n, w->a, w->tau, w->v);
}

static void N (solve_lanes) (gla_cpu_task *task, int jacobi, int64_t first, int count)
{
  const int n = (int)task->job->n;
  N (lanes_work) w;
  N (lanes_layout) (task->work, task->job, jacobi, &w);
  N (scaling) s[GLA_LANES];
  int unconverged[GLA_LANES] = {0};

  N (load_group) (task, first, count, w.a, s);
  if (jacobi) {
    N (jacobi) (n, w.a, w.v, (GLA_REAL)task->job->tol, task->job->maxit, unconverged);
    for (int i = 0; i < n; i++)
      w.d[i] = w.a[i + i * n].re;
  } else
    N (lanes_qr) (task, &w, count, unconverged);

  for (int l = 0; l < count; l++) {
    N (result)
    r = {(const GLA_REAL *)w.d + l, NULL, GLA_LANES, n, GLA_PARTS * GLA_LANES, GLA_LANES};
    if (w.v)
      r.v = (const GLA_REAL *)w.v + l;
    if (s[l].info == 0)
      s[l].info = unconverged[l];
    N (store) (task, first + l, &s[l], r, w.order);
  }
}
