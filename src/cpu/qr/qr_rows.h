// qr_rows_template.h: Householder's reflectors on columns whose rows stand side by side in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A column is an array of registers: row i is lane i % GLA_LANES of register i / GLA_LANES, and the
// lanes behind the last row are zero. Products of few columns with few columns are done by tiles
// that stay in registers. V is kept with its ones and zeros.

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// Tiles: columns of V by columns of C for V'*C, registers by columns of C for C - V*W.
enum { N (tile_v) = GLA_COMPLEX ? 2 : 4, N (tile_c) = GLA_COMPLEX ? 2 : 3 };
enum { N (tile_r) = GLA_COMPLEX ? 2 : 4 };

static inline __attribute__ ((always_inline)) void
N (cross_tile) (int64_t rv, const N (num) * V, int64_t ldv, int nv, const N (num) * C, int64_t ldc,
                int nc, N (el) * out, int64_t ldo)
{
  N (num) sum[N (tile_v) * N (tile_c)];
  for (int q = 0; q < nv * nc; q++)
    sum[q] = N (zero) ();
  for (int64_t i = 0; i < rv; i++)
    for (int v = 0; v < nv; v++)
      for (int c = 0; c < nc; c++)
        sum[v + c * nv] = N (fmac) (sum[v + c * nv], V[i + v * ldv], C[i + c * ldc]);
  for (int v = 0; v < nv; v++)
    for (int c = 0; c < nc; c++)
      out[v + c * ldo] = N (sum_num) (sum[v + c * nv]);
}

// out = V'*C
static void N (cross) (int64_t rv, const N (num) * V, int64_t ldv, int64_t nv, const N (num) * C,
                       int64_t ldc, int64_t nc, N (el) * out, int64_t ldo)
{
  int64_t v = 0;
  for (; v + N (tile_v) <= nv; v += N (tile_v)) {
    int64_t c = 0;
    for (; c + N (tile_c) <= nc; c += N (tile_c))
      N (cross_tile)
    (rv, V + v * ldv, ldv, N (tile_v), C + c * ldc, ldc, N (tile_c), out + v + c * ldo, ldo);
    for (; c < nc; c++)
      N (cross_tile)
    (rv, V + v * ldv, ldv, N (tile_v), C + c * ldc, ldc, 1, out + v + c * ldo, ldo);
  }
  for (; v < nv; v++)
    for (int64_t c = 0; c < nc; c++)
      N (cross_tile) (rv, V + v * ldv, ldv, 1, C + c * ldc, ldc, 1, out + v + c * ldo, ldo);
}

static inline __attribute__ ((always_inline)) void
N (subtract_tile) (const N (num) * V, int64_t ldv, int64_t nv, N (num) * C, int64_t ldc, int nr,
                   int nc, const N (el) * W, int64_t ldw)
{
  N (num) x[N (tile_r) * N (tile_c)];
  for (int r = 0; r < nr; r++)
    for (int c = 0; c < nc; c++)
      x[r + c * nr] = C[r + c * ldc];
  for (int64_t v = 0; v < nv; v++)
    for (int c = 0; c < nc; c++) {
      const N (num) w = N (spread) (W[v + c * ldw]);
      for (int r = 0; r < nr; r++)
        x[r + c * nr] = N (fnma) (x[r + c * nr], V[r + v * ldv], w);
    }
  for (int r = 0; r < nr; r++)
    for (int c = 0; c < nc; c++)
      C[r + c * ldc] = x[r + c * nr];
}

// C = C - V*W, the columns of C one tile after the other, for a narrow V.
static void N (subtract) (int64_t rv, const N (num) * V, int64_t ldv, int64_t nv, N (num) * C,
                          int64_t ldc, int64_t nc, const N (el) * W, int64_t ldw)
{
  for (int64_t c = 0; c < nc;) {
    const int wide = c + N (tile_c) <= nc;
    N (num) *to = C + c * ldc;
    const N (el) *w = W + c * ldw;
    int64_t i = 0;
    if (wide)
      for (; i + N (tile_r) <= rv; i += N (tile_r))
        N (subtract_tile) (V + i, ldv, nv, to + i, ldc, N (tile_r), N (tile_c), w, ldw);
    else
      for (; i + N (tile_r) <= rv; i += N (tile_r))
        N (subtract_tile) (V + i, ldv, nv, to + i, ldc, N (tile_r), 1, w, ldw);
    for (; i < rv; i++)
      for (int k = 0; k < (wide ? N (tile_c) : 1); k++)
        N (subtract_tile) (V + i, ldv, nv, to + i + k * ldc, ldc, 1, 1, w + k * ldw, ldw);
    c += wide ? N (tile_c) : 1;
  }
}

// The same, one tile of rows after the other, for a wide V.
static void N (subtract_wide) (int64_t rv, const N (num) * V, int64_t ldv, int64_t nv, N (num) * C,
                               int64_t ldc, int64_t nc, const N (el) * W, int64_t ldw)
{
  int64_t i = 0;
  for (; i + N (tile_r) <= rv; i += N (tile_r)) {
    int64_t c = 0;
    for (; c + N (tile_c) <= nc; c += N (tile_c))
      N (subtract_tile)
    (V + i, ldv, nv, C + i + c * ldc, ldc, N (tile_r), N (tile_c), W + c * ldw, ldw);
    for (; c < nc; c++)
      N (subtract_tile) (V + i, ldv, nv, C + i + c * ldc, ldc, N (tile_r), 1, W + c * ldw, ldw);
  }
  for (; i < rv; i++)
    for (int64_t c = 0; c < nc; c++)
      N (subtract_tile) (V + i, ldv, nv, C + i + c * ldc, ldc, 1, 1, W + c * ldw, ldw);
}

// W = T*W or T'*W for an upper triangle T of w <= GLA_QR_PANEL columns.
static void N (times_triangle) (int w, const N (el) * T, int adjoint, int64_t nc, N (el) * W)
{
  for (int64_t c = 0; c < nc; c++) {
    N (el) *x = W + c * GLA_QR_PANEL, y[GLA_QR_PANEL];
    for (int i = 0; i < w; i++) {
      y[i] = N (make) (0, 0);
      for (int k = adjoint ? 0 : i; k < (adjoint ? i + 1 : w); k++) {
        const N (el) t = adjoint ? N (el_conj) (T[k + i * GLA_QR_PANEL]) : T[i + k * GLA_QR_PANEL];
        y[i] += N (el_mul) (t, x[k]);
      }
    }
    memcpy (x, y, (size_t)w * sizeof *x);
  }
}

// C = (I - V T V') C, or with T' if adjoint. W: GLA_QR_PANEL * nc.
static void N (rows_apply) (int64_t rv, const N (num) * V, int64_t ldv, int w, const N (el) * T,
                            int adjoint, N (num) * C, int64_t ldc, int64_t nc, N (el) * W)
{
  N (cross) (rv, V, ldv, w, C, ldc, nc, W, GLA_QR_PANEL);
  N (times_triangle) (w, T, adjoint, nc, W);
  N (subtract) (rv, V, ldv, w, C, ldc, nc, W, GLA_QR_PANEL);
}

//------------------------------------------------------------------------------
// a panel of up to GLA_QR_PANEL columns
//------------------------------------------------------------------------------

// sum = |x|^2, dots[c] = x'*C(:, c)
static inline __attribute__ ((always_inline)) GLA_REAL
N (dots_of) (int64_t rv, const N (num) * x, const N (num) * C, int64_t ldc, int nc, N (el) * dots)
{
  N (vec) sum = N (all) (0);
  N (num) d[GLA_QR_PANEL];
  for (int c = 0; c < nc; c++)
    d[c] = N (zero) ();
  for (int64_t i = 0; i < rv; i++) {
    sum += N (abs2) (x[i]);
    for (int c = 0; c < nc; c++)
      d[c] = N (fmac) (d[c], x[i], C[i + c * ldc]);
  }
  for (int c = 0; c < nc; c++)
    dots[c] = N (sum_num) (d[c]);
  return N (sum_lanes) (sum);
}

static GLA_REAL N (dots) (int64_t rv, const N (num) * x, const N (num) * C, int64_t ldc, int nc,
                          N (el) * dots)
{
  switch (nc) {
  case 0:
    return N (dots_of) (rv, x, C, ldc, 0, dots);
  case 1:
    return N (dots_of) (rv, x, C, ldc, 1, dots);
  case 2:
    return N (dots_of) (rv, x, C, ldc, 2, dots);
  }
  return N (dots_of) (rv, x, C, ldc, 3, dots);
}

// x = x*inv, C(:, c) = C(:, c) - x*w[c]
static inline __attribute__ ((always_inline)) void N (reflect_of) (int64_t rv, N (num) * x,
                                                                   N (el) inv, N (num) * C,
                                                                   int64_t ldc, int nc,
                                                                   const N (el) * w)
{
  const N (num) s = N (spread) (inv);
  N (num) f[GLA_QR_PANEL];
  for (int c = 0; c < nc; c++)
    f[c] = N (spread) (w[c]);
  for (int64_t i = 0; i < rv; i++) {
    const N (num) v = N (mul) (x[i], s);
    x[i] = v;
    for (int c = 0; c < nc; c++)
      C[i + c * ldc] = N (fnma) (C[i + c * ldc], v, f[c]);
  }
}

static void N (reflect_columns) (int64_t rv, N (num) * x, N (el) inv, N (num) * C, int64_t ldc,
                                 int nc, const N (el) * w)
{
  switch (nc) {
  case 0:
    N (reflect_of) (rv, x, inv, C, ldc, 0, w);
    break;
  case 1:
    N (reflect_of) (rv, x, inv, C, ldc, 1, w);
    break;
  case 2:
    N (reflect_of) (rv, x, inv, C, ldc, 2, w);
    break;
  default:
    N (reflect_of) (rv, x, inv, C, ldc, 3, w);
  }
}

// The reflector of a column whose squares underflow, or of which nothing is left; x and dots are
// scaled on the way.
static N (reflector) N (careful_reflector) (int64_t rv, N (num) * x, N (el) alpha,
                                            const N (num) * C, int64_t ldc, int nc, N (el) * dots)
{
  const int64_t parts = rv * GLA_LANES * GLA_PARTS;
  const GLA_BITS rest = N (largest_of) ((const GLA_REAL *)x, parts, 0);
  if (rest == 0 && __imag__ alpha == 0)
    return N (no_reflector) (alpha);
  const int e = N (exponent_of) (N (largest_of) ((const GLA_REAL *)&alpha, GLA_PARTS, rest));
  const N (vec) down = N (all) (N (power_of_two) (-e));
  for (int64_t i = 0; i < rv; i++)
    x[i] = N (scale) (down, x[i]);
  GLA_REAL sum = N (dots) (rv, x, C, ldc, nc, dots);
  N (reflector) h = N (reflect) (N (el_scale) (down[0], alpha), sum);
  h.beta *= N (power_of_two) (e);
  return h;
}

// Column j of the panel that starts at row j0; rows above row j0+j go to R and become zero.
static void N (panel_column) (int64_t rv, int64_t j0, int j, int w, N (num) * a, int64_t ld,
                              N (el) * R, int64_t ldr, N (el) * T)
{
  const int64_t r = j0 + j, skip = j0 / GLA_LANES;
  const int after = w - j - 1;
  N (num) *column = a + j * ld, *next = column + ld;
  for (int64_t i = j0; i < r; i++) {
    R[i + j * ldr] = N (get) (column, i);
    N (set) (column, i, N (make) (0, 0));
  }
  const N (el) alpha = N (get) (column, r);
  N (set) (column, r, N (make) (0, 0));

  N (el) d[GLA_QR_PANEL];
  const GLA_REAL sum = N (dots) (rv - skip, column + skip, next + skip, ld, after, d);
  N (reflector) h;
  if (sum == 0 || sum + N (el_abs2) (alpha) < GLA_QR_SMALL)
    h = N (careful_reflector) (rv - skip, column + skip, alpha, next + skip, ld, after, d);
  else
    h = N (reflect) (alpha, sum);
  for (int c = 0; c < after; c++) {
    const N (el) top = N (get) (next + c * ld, r);
    d[c] = N (el_mul) (N (el_conj) (h.tau), top + N (el_mul) (N (el_conj) (h.inv), d[c]));
    N (set) (next + c * ld, r, top - d[c]);
  }
  N (reflect_columns) (rv - skip, column + skip, h.inv, next + skip, ld, after, d);
  N (set) (column, r, N (make) (1, 0));
  R[r + j * ldr] = N (make) (h.beta, 0);
  T[j + j * GLA_QR_PANEL] = h.tau;
}

// T of V, whose diagonal is there: T(0:j, j) = -tau_j T(0:j, 0:j) V(:, 0:j)'*v_j.
static void N (fill_triangle) (int64_t w, N (el) * T, int64_t ldt, const N (el) * cross,
                               int64_t ldx)
{
  for (int64_t j = 1; j < w; j++)
    for (int64_t i = 0; i < j; i++) {
      N (el) sum = N (make) (0, 0);
      for (int64_t k = i; k < j; k++)
        sum += N (el_mul) (T[i + k * ldt], cross[k + j * ldx]);
      T[i + j * ldt] = -N (el_mul) (T[j + j * ldt], sum);
    }
}

// Columns a(:, 0..w-1), reflected from row j0 on; R and T start at the same column.
static void N (panel) (int64_t rv, int64_t j0, int w, N (num) * a, int64_t ld, N (el) * R,
                       int64_t ldr, N (el) * T)
{
  const int64_t skip = j0 / GLA_LANES;
  N (el) cross[GLA_QR_PANEL * GLA_QR_PANEL];
  for (int j = 0; j < w; j++)
    for (int64_t i = 0; i < j0; i++) {
      R[i + j * ldr] = N (get) (a + j * ld, i);
      N (set) (a + j * ld, i, N (make) (0, 0));
    }
  for (int j = 0; j < w; j++)
    N (panel_column) (rv, j0, j, w, a, ld, R, ldr, T);
  if (w < 2)
    return;
  N (cross) (rv - skip, a + skip, ld, w, a + skip, ld, w, cross, GLA_QR_PANEL);
  N (fill_triangle) (w, T, GLA_QR_PANEL, cross, GLA_QR_PANEL);
}

//------------------------------------------------------------------------------
// a matrix
//------------------------------------------------------------------------------

// a becomes V in its first k = min (m, n) columns; R is k x n, zeros below the diagonal are not
// written; T holds the triangle of every panel, GLA_QR_PANEL x k. W: GLA_QR_PANEL * n.
static void N (rows_factor) (int64_t m, int64_t n, N (num) * a, int64_t ld, N (el) * R, int64_t ldr,
                             N (el) * T, N (el) * W)
{
  const int64_t rv = N (registers) (m), k = gla_less (m, n);
  for (int64_t j = 0; j < k; j += GLA_QR_PANEL) {
    const int w = (int)gla_less (GLA_QR_PANEL, k - j);
    const int64_t skip = j / GLA_LANES, next = j + w;
    N (panel) (rv, j, w, a + j * ld, ld, R + j * ldr, ldr, T + j * GLA_QR_PANEL);
    if (next < n)
      N (rows_apply)
    (rv - skip, a + skip + j * ld, ld, w, T + j * GLA_QR_PANEL, 1, a + skip + next * ld, ld,
     n - next, W);
  }
  for (int64_t j = k; j < n; j++)
    for (int64_t i = 0; i < k; i++)
      R[i + j * ldr] = N (get) (a + j * ld, i);
}

// C = Q'*C (adjoint) or Q*C. Where C starts as zero in rows and columns that Q leaves alone,
// `triangular` says so: block j touches columns from j on only.
static void N (rows_multiply) (int64_t m, int64_t k, const N (num) * V, int64_t ld,
                               const N (el) * T, int adjoint, N (num) * C, int64_t ldc, int64_t nc,
                               int triangular, N (el) * W)
{
  const int64_t rv = N (registers) (m), panels = (k + GLA_QR_PANEL - 1) / GLA_QR_PANEL;
  for (int64_t p = 0; p < panels; p++) {
    const int64_t j = (adjoint ? p : panels - 1 - p) * GLA_QR_PANEL, skip = j / GLA_LANES;
    const int64_t first = triangular ? j : 0;
    if (first < nc)
      N (rows_apply)
    (rv - skip, V + skip + j * ld, ld, (int)gla_less (GLA_QR_PANEL, k - j), T + j * GLA_QR_PANEL,
     adjoint, C + skip + first * ldc, ldc, nc - first, W);
  }
}
