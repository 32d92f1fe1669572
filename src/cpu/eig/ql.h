// ql_template.h: implicitly shifted QL and QR on one real symmetric tridiagonal matrix
// SPDX-License-Identifier: GPL-3.0-or-later
//
// After LAPACK's steqr: Wilkinson shifts, and in each block QL or QR, so that the chase runs from
// the large to the small end. Differences: e is also dropped where it is below tol*norm, which
// graded and rank-deficient matrices need to settle, and the rotations act on rows of Z (row k is
// eigenvector k), which lie in one piece.

// The rotation with c g + s f = r and c f - s g = 0.
static inline GLA_REAL N (lartg) (GLA_REAL g, GLA_REAL f, GLA_REAL *c, GLA_REAL *s)
{
  const GLA_REAL up = GLA_EPS / GLA_TINY, down = GLA_TINY / GLA_EPS;
  GLA_REAL scale = 1, sum = g * g + f * f;
  if (sum < GLA_TINY / (GLA_EPS * GLA_EPS)) {
    if (g == 0 && f == 0) {
      *c = 1;
      *s = 0;
      return 0;
    }
    // the squares underflow; scaled up by a power of two even those of denormals do not
    g *= up;
    f *= up;
    scale = down;
    sum = g * g + f * f;
  }
  GLA_REAL r = GLA_SQRT (sum), inverse = 1 / r;
  *c = g * inverse;
  *s = f * inverse;
  return r * scale;
}

// Rows k+1 and k of z for k = length-1, ..., 0, where row k is z + k*step; `count` registers of
// each from `z` on. The lower row stays in registers for the next rotation.
static inline __attribute__ ((always_inline)) void N (turn_strip) (int length, const GLA_REAL *c,
                                                                   const GLA_REAL *s, GLA_REAL *z,
                                                                   ptrdiff_t step, int count)
{
  N (vec) low[4];
  GLA_REAL *row = z + length * step;
  for (int i = 0; i < count; i++)
    low[i] = ((N (vec) *)row)[i];
  for (int k = length - 1; k >= 0; k--) {
    GLA_REAL *next = row - step;
    for (int i = 0; i < count; i++) {
      N (vec) x = ((N (vec) *)next)[i];
      ((N (vec) *)row)[i] = s[k] * x + c[k] * low[i];
      low[i] = c[k] * x - s[k] * low[i];
    }
    row = next;
  }
  for (int i = 0; i < count; i++)
    ((N (vec) *)row)[i] = low[i];
}

static void N (turn_rows) (int64_t width, int length, const GLA_REAL *c, const GLA_REAL *s,
                           GLA_REAL *z, ptrdiff_t step)
{
  int64_t j = 0;
  for (; j + 4 * GLA_LANES <= width; j += 4 * GLA_LANES)
    N (turn_strip) (length, c, s, z + j, step, 4);
  for (; j + 2 * GLA_LANES <= width; j += 2 * GLA_LANES)
    N (turn_strip) (length, c, s, z + j, step, 2);
  for (; j < width; j += GLA_LANES)
    N (turn_strip) (length, c, s, z + j, step, 1);
}

// A tridiagonal matrix as QL sees it from l on: element k is d[k*step]; for QR step is -1.
typedef struct {
  GLA_REAL *d, *e;
  int step;
} N (view);

// One QL step on elements 0..length of the view; leaves the rotations in c, s.
static void N (ql_step) (N (view) t, int length, GLA_REAL *c, GLA_REAL *s)
{
  GLA_REAL *d = t.d, *e = t.e;
  const int h = t.step;
  GLA_REAL p = d[0], g = (d[h] - p) / (2 * e[0]);
  GLA_REAL root = GLA_ABS (g) < 1 / GLA_EPS ? GLA_SQRT (g * g + 1) : GLA_ABS (g);
  g = d[length * h] - p + e[0] / (g + (g >= 0 ? root : -root));
  GLA_REAL cs = 1, sn = 1;
  p = 0;
  for (int i = length - 1; i >= 0; i--) {
    GLA_REAL f = sn * e[i * h], b = cs * e[i * h];
    GLA_REAL r = N (lartg) (g, f, &cs, &sn);
    if (i != length - 1)
      e[(i + 1) * h] = r;
    g = d[(i + 1) * h] - p;
    r = (d[i * h] - g) * sn + 2 * cs * b;
    p = sn * r;
    d[(i + 1) * h] = g + p;
    g = cs * r - b;
    c[i] = cs;
    s[i] = sn;
  }
  d[0] -= p;
  e[0] = g;
}

static inline int N (small) (const GLA_REAL *d, GLA_REAL e, int i, GLA_REAL tol2, GLA_REAL floor)
{
  return GLA_ABS (e) <= floor || e * e <= tol2 * GLA_ABS (d[i]) * GLA_ABS (d[i + 1]) + GLA_TINY;
}

// Diagonalises the block lo..hi (hi > lo) in one direction; returns the steps that are left,
// or -1 when they ran out.
static int64_t N (ql_block) (int lo, int hi, GLA_REAL *d, GLA_REAL *e, GLA_REAL *z, int64_t ldz,
                             GLA_REAL tol2, GLA_REAL floor, GLA_REAL *cs, int64_t steps,
                             gla_cpu_task *task)
{
  const int h = GLA_ABS (d[hi]) < GLA_ABS (d[lo]) ? -1 : 1, size = hi - lo;
  int from = h > 0 ? lo : hi;
  const int to = h > 0 ? hi : lo;
  while (from != to + h) {
    int m = 0, left = h > 0 ? hi - from : from - lo;
    // e between elements k and k+1 of the view, and its place in e
    while (m < left) {
      int i = h > 0 ? from + m : from - m - 1;
      if (N (small) (d, e[i], i, tol2, floor)) {
        e[i] = 0;
        break;
      }
      m++;
    }
    if (m == 0) {
      from += h;
      continue;
    }
    if (steps-- == 0 || (size > GLA_UNASKED && gla_cpu_task_stopped (task)))
      return -1;
    N (view) t = {d + from, h > 0 ? e + from : e + from - 1, h};
    GLA_REAL *c = cs, *s = cs + size;
    N (ql_step) (t, m, c, s);
    if (z)
      N (turn_rows) (ldz, m, c, s, z + from * ldz, h * ldz);
  }
  return steps;
}

// Eigenvalues (not sorted) into d. z, or NULL: n rows of ldz numbers, the identity on entry, row k
// the eigenvector of d[k] on return; ldz is a multiple of GLA_LANES and z aligned to a register.
// e is destroyed; cs holds 2n. Returns 0, or how many eigenvalues did not converge.
static int N (ql) (int n, GLA_REAL *d, GLA_REAL *e, GLA_REAL *z, int64_t ldz, GLA_REAL tol,
                   int maxit, GLA_REAL *cs, gla_cpu_task *task)
{
  GLA_REAL norm = 0;
  for (int i = 0; i < n; i++) {
    norm = GLA_ABS (d[i]) > norm ? GLA_ABS (d[i]) : norm;
    if (i + 1 < n)
      norm = GLA_ABS (e[i]) > norm ? GLA_ABS (e[i]) : norm;
  }
  GLA_REAL tol2 = tol * tol, floor = tol * norm;
  int64_t steps = (int64_t)maxit * n;
  for (int lo = 0; lo < n && steps >= 0;) {
    int hi = lo;
    while (hi + 1 < n && !N (small) (d, e[hi], hi, tol2, floor))
      hi++;
    if (hi > lo)
      steps = N (ql_block) (lo, hi, d, e, z, ldz, tol2, floor, cs, steps, task);
    lo = hi + 1;
  }
  if (steps >= 0)
    return 0;
  int count = 0;
  for (int i = 0; i + 1 < n; i++)
    count += !N (small) (d, e[i], i, tol2, floor);
  return count > 0 ? count : 1;
}
