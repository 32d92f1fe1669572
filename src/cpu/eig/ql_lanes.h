// ql_lanes_template.h: implicitly shifted QL on the tridiagonal matrices of several pages at a time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The method of ql_template.h with one page per lane. All lanes run through the same rows, and a
// lane is left as it is in the rows outside of its own block. The recurrence is a chain of
// dependent operations with a division and a square root, so two registers of lanes go side by
// side. Its rotations are recorded, and those of several sweeps are applied to the vectors at once,
// some columns at a time, which then stay in the first cache.

// A rotation in each lane, [1, 0] where there is none.
typedef struct {
  N (vec) c, s;
} N (turn);

enum { N (ql_sweeps) = 8, N (ql_strip) = 8 };

// One register of pages.
typedef struct {
  N (vec) * d, *e; // n each; e[k] stands between rows k and k+1, e[n-1] is not used
  N (vec) * z;     // n rows ldz apart, row k the eigenvector of d[k]; NULL: values only
  int ldz;
  N (turn) * turns;        // ql_sweeps times n
  N (vec) low, high;       // the block of rows that is swept; low = high: none
  N (vec) floor, tol2;     // what counts as zero
  N (vec) steps;           // sweeps that are left
  int first;               // below this row all is done, in all lanes
  int sweeps;              // recorded so far
  int from[N (ql_sweeps)]; // row where a recorded sweep begins
  int to[N (ql_sweeps)];   // and ends
} N (ql_group);

//------------------------------------------------------------------------------
// before the first sweep
//------------------------------------------------------------------------------

// Turns the blocks of lane l round that are graded upwards, which makes QR into QL. Where z is
// wanted it becomes the permutation that does this.
static void N (ql_direct) (int n, N (ql_group) * g, int l, GLA_REAL *d, GLA_REAL *e)
{
  const GLA_REAL floor = g->floor[l], tol2 = g->tol2[l];
  for (int i = 0; i < n; i++) {
    d[i] = g->d[i][l];
    e[i] = g->e[i][l];
  }
  for (int lo = 0, hi; lo < n; lo = hi + 1) {
    for (hi = lo; hi + 1 < n && !N (small) (d, e[hi], hi, tol2, floor);)
      hi++;
    const int turn = GLA_ABS (d[hi]) < GLA_ABS (d[lo]);
    for (int i = lo; i <= hi; i++) {
      int k = turn ? lo + hi - i : i;
      g->d[k][l] = d[i];
      if (turn && i < hi)
        g->e[k - 1][l] = e[i];
      if (g->z)
        g->z[k * g->ldz + i][l] = 1;
    }
  }
}

static void N (ql_begin) (int n, N (ql_group) * g, GLA_REAL tol, int maxit, GLA_REAL *scratch)
{
  N (vec) norm = N (all) (0);
  g->e[n - 1] = norm;
  for (int i = 0; i < n; i++) {
    N (vec) d = N (vabs) (g->d[i]), e = N (vabs) (g->e[i]);
    norm = N (select) (d > norm, d, norm);
    norm = N (select) (e > norm, e, norm);
  }
  g->floor = tol * norm;
  g->tol2 = N (all) (tol * tol);
  g->steps = N (all) ((GLA_REAL)maxit * n);
  g->first = g->sweeps = 0;
  if (g->z)
    memset (g->z, 0, (size_t)n * (size_t)g->ldz * sizeof *g->z);
  for (int l = 0; l < GLA_LANES; l++)
    N (ql_direct) (n, g, l, scratch, scratch + n);
}

//------------------------------------------------------------------------------
// a sweep
//------------------------------------------------------------------------------

// Finds the lowest block of each lane; what is negligible becomes zero.
static inline void N (ql_search) (int n, N (ql_group) * g)
{
  const N (vec) zero = N (all) (0), one = N (all) (1);
  N (vec) at = N (all) ((GLA_REAL)(n - 1)), end = at, low = zero, high = zero;
  for (int i = n - 2; i >= g->first; i--) {
    N (vec) e = g->e[i], limit = g->tol2 * N (vabs) (g->d[i]) * N (vabs) (g->d[i + 1]);
    N (mask) small = (N (vabs) (e) <= g->floor) | (e * e <= limit + GLA_TINY);
    at -= one;
    g->e[i] = N (select) (small, zero, e);
    end = N (select) (small, at, end);
    low = N (select) (small, low, at);
    high = N (select) (small, high, end);
  }
  N (mask) work = (low < high) & (g->steps > zero);
  g->steps -= N (select) (work, one, zero);
  g->low = N (select) (work, low, zero);
  g->high = N (select) (work, high, zero);
}

// Rows first..last-1 that hold all blocks of the lanes; none: n and 0.
static inline void N (ql_bounds) (int n, const N (ql_group) * g, int *first, int *last)
{
  N (vec) low = N (select) (g->low < g->high, g->low, N (all) ((GLA_REAL)n));
  GLA_REAL least = low[0], most = g->high[0];
  for (int l = 1; l < GLA_LANES; l++) {
    least = low[l] < least ? low[l] : least;
    most = g->high[l] > most ? g->high[l] : most;
  }
  *first = (int)least;
  *last = (int)most;
}

// Where the recurrence stands.
typedef struct {
  N (vec) g, c, s, p;
} N (chase);

static inline N (chase) N (ql_start) (const N (ql_group) * q)
{
  const N (vec) zero = N (all) (0), one = N (all) (1);
  // a lane without a block gets some number, or none, and does not use it
  N (vec) d0 = zero, d1 = zero, e0 = zero, dm = zero;
  for (int l = 0; l < GLA_LANES; l++) {
    int low = (int)q->low[l], high = (int)q->high[l];
    d0[l] = q->d[low][l];
    d1[l] = q->d[low + 1][l];
    dm[l] = q->d[high][l];
    e0[l] = q->e[low][l];
  }
  N (vec) g = (d1 - d0) / (2 * e0), size = N (vabs) (g);
  N (vec) root = N (select) (size < N (all) (1 / GLA_EPS), N (vsqrt) (g * g + one), size);
  g = dm - d0 + e0 / (g + N (select) (g >= zero, root, -root));
  return (N (chase)){g, one, one, zero};
}

// Rotation of rows i and i+1; `at` is i in all lanes. Squares that underflow belong to entries far
// below the rounding of the matrix: they are left out, as if f were zero.
static inline __attribute__ ((always_inline)) N (chase)
    N (ql_turn) (N (ql_group) * q, N (chase) x, int i, N (vec) at, N (turn) * out)
{
  const N (vec) zero = N (all) (0), one = N (all) (1);
  const N (vec) least = N (all) (GLA_TINY / (GLA_EPS * GLA_EPS));
  N (vec) e = q->e[i], d = q->d[i], above = q->d[i + 1];
  N (mask) live = (at >= q->low) & (at < q->high), inner = live & (at + one < q->high);
  N (vec) f = x.s * e, b = x.c * e, sum = x.g * x.g + f * f;
  N (mask) keep = live & (sum >= least);
  N (vec) inverse = one / sum, r = N (vsqrt) (sum);
  N (vec) c = N (select) (keep, x.g * inverse * r, one);
  N (vec) s = N (select) (keep, f * inverse * r, zero);
  q->e[i + 1] = N (select) (inner, N (select) (keep, r, x.g), q->e[i + 1]);

  N (vec) g = above - x.p, w = (d - g) * s + (2 * b) * c, p = s * w;
  q->d[i + 1] = N (select) (live, g + p, above);
  *out = (N (turn)){c, s};
  x.g = N (select) (live, c * w - b, x.g);
  x.c = c;
  x.s = N (select) (live, s, x.s);
  x.p = N (select) (live, p, x.p);
  return x;
}

static inline void N (ql_stop) (N (ql_group) * q, N (chase) x)
{
  for (int l = 0; l < GLA_LANES; l++)
    if (q->low[l] < q->high[l]) {
      int low = (int)q->low[l];
      q->d[low][l] -= x.p[l];
      q->e[low][l] = x.g[l];
    }
}

// Rows last-1 down to first of all groups, step by step.
static inline __attribute__ ((always_inline)) void
N (ql_sweep) (int n, int groups, N (ql_group) * q, int first, int last)
{
  N (chase) x[2];
  N (turn) * out[2];
  N (vec) at = N (all) ((GLA_REAL)last);
  for (int g = 0; g < groups; g++) {
    x[g] = N (ql_start) (&q[g]);
    out[g] = q[g].turns + q[g].sweeps * n;
  }
  for (int i = last - 1; i >= first; i--) {
    at -= N (all) (1);
    for (int g = 0; g < groups; g++)
      x[g] = N (ql_turn) (&q[g], x[g], i, at, &out[g][i]);
  }
  for (int g = 0; g < groups; g++)
    N (ql_stop) (&q[g], x[g]);
}

//------------------------------------------------------------------------------
// the vectors
//------------------------------------------------------------------------------

// Rows lie an odd number of cache lines apart: at a power of two a few would fill a cache.
static inline int N (ql_row_length) (int n)
{
  const int line = GLA_VECTOR_BYTES < 64 ? 64 / GLA_VECTOR_BYTES : 1;
  return ((n + line - 1) / line | 1) * line;
}

// One sweep on `count` columns; the lower row stays in registers for the next rotation.
static inline __attribute__ ((always_inline)) void
N (ql_strip_sweep) (const N (ql_group) * g, int sweep, const N (turn) * t, N (vec) * z, int count)
{
  const int ldz = g->ldz, from = g->from[sweep], to = g->to[sweep];
  N (vec) low[N (ql_strip)];
  for (int i = 0; i < count; i++)
    low[i] = z[from * ldz + i];
  for (int k = from - 1; k >= to; k--) {
    N (vec) *row = z + k * ldz;
    const N (vec) c = t[k].c, s = t[k].s;
    for (int i = 0; i < count; i++) {
      N (vec) x = row[i];
      row[ldz + i] = s * x + c * low[i];
      low[i] = c * x - s * low[i];
    }
  }
  for (int i = 0; i < count; i++)
    z[to * ldz + i] = low[i];
}

// Applies what was recorded.
static void N (ql_replay) (int n, N (ql_group) * g)
{
  int j = 0;
  for (; j + N (ql_strip) <= n; j += N (ql_strip))
    for (int k = 0; k < g->sweeps; k++)
      N (ql_strip_sweep) (g, k, g->turns + k * n, g->z + j, N (ql_strip));
  for (; j + 2 <= n; j += 2)
    for (int k = 0; k < g->sweeps; k++)
      N (ql_strip_sweep) (g, k, g->turns + k * n, g->z + j, 2);
  for (; j < n; j++)
    for (int k = 0; k < g->sweeps; k++)
      N (ql_strip_sweep) (g, k, g->turns + k * n, g->z + j, 1);
  g->sweeps = 0;
}

//------------------------------------------------------------------------------
// all of it
//------------------------------------------------------------------------------

// Eigenvalues (not sorted) into d, one or two groups. maxit*n sweeps are allowed; where they did
// not do, entries of e are left that are not zero.
static void N (ql_lanes) (gla_cpu_task *task, int groups, N (ql_group) * q)
{
  const int n = (int)task->job->n;
  while (n <= GLA_UNASKED || !gla_cpu_task_stopped (task)) {
    int first = n, last = 0;
    for (int g = 0; g < groups; g++) {
      int from, to;
      N (ql_search) (n, &q[g]);
      N (ql_bounds) (n, &q[g], &from, &to);
      q[g].first = from < to ? from : n - 1;
      first = from < first ? from : first;
      last = to > last ? to : last;
      q[g].from[q[g].sweeps] = to;
      q[g].to[q[g].sweeps] = from;
    }
    if (last == 0)
      break;
    if (groups == 2)
      N (ql_sweep) (n, 2, q, first, last);
    else
      N (ql_sweep) (n, 1, q, first, last);
    for (int g = 0; g < groups; g++)
      if (q[g].z && q[g].from[q[g].sweeps] > 0 && ++q[g].sweeps == N (ql_sweeps))
        N (ql_replay) (n, &q[g]);
  }
  for (int g = 0; g < groups; g++)
    if (q[g].z)
      N (ql_replay) (n, &q[g]);
}
