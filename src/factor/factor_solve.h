// factor_solve_template.h: solutions with a sparse Hermitian factor, for one type
// SPDX-License-Identifier: GPL-3.0-or-later

// a*b without the special cases of infinite complex numbers, which cost ten times the product
static inline GLA_E N (product) (GLA_E a, GLA_E b)
{
#if GLA_COMPLEX
  return __builtin_complex (creal (a) * creal (b) - cimag (a) * cimag (b),
                            creal (a) * cimag (b) + cimag (a) * creal (b));
#else
  return a * b;
#endif
}

// Below this a call of the BLAS takes longer than its work.
enum { N (SMALL_PRODUCT) = 256 };

// Y (m x c) -= G (m x k) * X
static void N (subtract_product) (int64_t m, int64_t k, int64_t c, const GLA_E *G, int64_t ldg,
                                  const GLA_E *X, int64_t ldx, GLA_E *Y, int64_t ldy)
{
  if (m * k > N (SMALL_PRODUCT)) {
    N (gemm)
    ("N", "N", m, c, k, -1, (const GLA_REAL *)G, ldg, (const GLA_REAL *)X, ldx, 1, (GLA_REAL *)Y,
     ldy);
    return;
  }
  for (int64_t q = 0; q < c; q++)
    for (int64_t j = 0; j < k; j++) {
      const GLA_E x = X[j + q * ldx];
      for (int64_t i = 0; i < m; i++)
        Y[i + q * ldy] -= N (product) (G[i + j * ldg], x);
    }
}

// X (k x c) -= G' * Y
static void N (subtract_adjoint) (int64_t m, int64_t k, int64_t c, const GLA_E *G, int64_t ldg,
                                  const GLA_E *Y, int64_t ldy, GLA_E *X, int64_t ldx)
{
  if (m * k > N (SMALL_PRODUCT)) {
    N (gemm)
    ("C", "N", k, c, m, -1, (const GLA_REAL *)G, ldg, (const GLA_REAL *)Y, ldy, 1, (GLA_REAL *)X,
     ldx);
    return;
  }
  for (int64_t q = 0; q < c; q++)
    for (int64_t j = 0; j < k; j++) {
      GLA_E sum = 0;
      for (int64_t i = 0; i < m; i++)
        sum += N (product) (GLA_CONJ (G[i + j * ldg]), Y[i + q * ldy]);
      X[j + q * ldx] -= sum;
    }
}

// One vector at a time: the triangles are small.
static void N (solve_block) (const gla_factor *F, const GLA_E *L, int64_t ld, int64_t first,
                             int64_t n, GLA_E *x)
{
  GLA_E t[64];
  for (int64_t i = 0; i < n; i++)
    t[i] = x[F->swaps[first + i]];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < n; i++)
      t[i] -= N (product) (L[i + j * ld], t[j]);
  memcpy (x, t, (size_t)n * sizeof *x);
}

static void N (solve_block_adjoint) (const gla_factor *F, const GLA_E *L, int64_t ld, int64_t first,
                                     int64_t n, GLA_E *x)
{
  GLA_E t[64];
  for (int64_t j = n - 1; j >= 0; j--) {
    GLA_E sum = x[j];
    for (int64_t i = j + 1; i < n; i++)
      sum -= N (product) (GLA_CONJ (L[i + j * ld]), t[i]);
    t[j] = sum;
  }
  for (int64_t i = 0; i < n; i++)
    x[F->swaps[first + i]] = t[i];
}

static void N (solve_pivots) (const gla_factor *F, int64_t c, GLA_E *X)
{
  const GLA_E *e = F->e;
  for (int64_t q = 0; q < c; q++)
    for (int64_t k = 0; k < F->n; k++) {
      GLA_E *x = X + k + q * F->n;
      if (e[k] == 0) {
        x[0] /= F->d[k];
        continue;
      }
      // the transposed of what divides rows of L*D
      N (divide_pair) (x[0], x[1], F->d[k], F->d[k + 1], GLA_CONJ (e[k]), x, x + 1);
      k++;
    }
}

static void N (solve_forward) (const gla_factor *F, const gla_front *f, GLA_E *X, int64_t c,
                               GLA_E *rows)
{
  const int64_t w = f->width, r = f->below, m = w + r, *index = F->rows + f->rows;
  const GLA_E *L = (const GLA_E *)F->values + f->entries;
  GLA_E *x = X + f->first;
  for (int64_t at = 0, n; at < w; at += n) {
    n = gla_front_panel (f, at);
    for (int64_t q = 0; q < c; q++)
      N (solve_block) (F, L + at + at * m, m, f->first + at, n, x + at + q * F->n);
    N (subtract_product) (w - at - n, n, c, L + at + n + at * m, m, x + at, F->n, x + at + n, F->n);
  }
  memset (rows, 0, (size_t)(r * c) * sizeof *rows);
  N (subtract_product) (r, w, c, L + w, m, x, F->n, rows, r);
  for (int64_t q = 0; q < c; q++)
    for (int64_t i = 0; i < r; i++)
      X[index[i] + q * F->n] += rows[i + q * r];
}

static void N (solve_backward) (const gla_factor *F, const gla_front *f, GLA_E *X, int64_t c,
                                GLA_E *rows)
{
  const int64_t w = f->width, r = f->below, m = w + r, *index = F->rows + f->rows;
  const GLA_E *L = (const GLA_E *)F->values + f->entries;
  GLA_E *x = X + f->first;
  for (int64_t q = 0; q < c; q++)
    for (int64_t i = 0; i < r; i++)
      rows[i + q * r] = X[index[i] + q * F->n];
  N (subtract_adjoint) (r, w, c, L + w, m, rows, r, x, F->n);
  int64_t panels = 0;
  for (int64_t at = 0; at < w; at += gla_front_panel (f, at))
    panels++;
  for (int64_t p = panels - 1; p >= 0; p--) { // all but the last are alike
    const int64_t at = p * gla_front_panel (f, 0), n = gla_front_panel (f, at);
    N (subtract_adjoint) (w - at - n, n, c, L + at + n + at * m, m, x + at + n, F->n, x + at, F->n);
    for (int64_t q = 0; q < c; q++)
      N (solve_block_adjoint) (F, L + at + at * m, m, f->first + at, n, x + at + q * F->n);
  }
}

void N (gla_factor_apply) (const gla_factor *F, GLA_REAL *values, int64_t columns, GLA_REAL *rows)
{
  GLA_E *X = (GLA_E *)values;
  for (int64_t f = 0; f < F->n_fronts; f++)
    N (solve_forward) (F, &F->fronts[f], X, columns, (GLA_E *)rows);
  N (solve_pivots) (F, columns, X);
  for (int64_t f = F->n_fronts - 1; f >= 0; f--)
    N (solve_backward) (F, &F->fronts[f], X, columns, (GLA_E *)rows);
}
