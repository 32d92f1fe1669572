// qr_panel_template.h: a panel of a large matrix: recursive, after LAPACK's geqrt3
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Elmroth and Gustavson 2000. The halves meet in products of the BLAS; what is left at the bottom
// of the recursion is done with rows in lanes.

enum { N (leaf) = 16 };

typedef struct {
  N (num) * a;
  N (el) * R, *T, *W, *cross;
} N (leaf_work);

static void N (leaf_layout) (char *base, size_t *at, int64_t m, N (leaf_work) * w)
{
  const size_t square = (size_t)(N (leaf) * N (leaf)) * sizeof (N (el));
  w->a = gla_carve (base, at, (size_t)(N (registers) (m) * N (leaf)) * sizeof (N (num)));
  w->R = gla_carve (base, at, square);
  w->T = gla_carve (base, at, square);
  w->W = gla_carve (base, at, square);
  w->cross = gla_carve (base, at, square);
}

// T of all n <= leaf columns from the triangles of the panels.
static void N (leaf_triangle) (int64_t rv, int64_t n, const N (leaf_work) * w, N (el) * T,
                               int64_t ldt)
{
  N (cross) (rv, w->a, rv, n, w->a, rv, n, w->cross, N (leaf));
  for (int64_t j = 0; j < n; j++)
    T[j + j * ldt] = w->T[j % GLA_QR_PANEL + j * GLA_QR_PANEL];
  N (fill_triangle) (n, T, ldt, w->cross, N (leaf));
}

// m x n, n <= leaf: R into the upper triangle of a, V below it, T into t.
static void N (panel_leaf) (int64_t m, int64_t n, GLA_REAL *a, int64_t lda, GLA_REAL *t,
                            int64_t ldt, const N (leaf_work) * w)
{
  const int64_t rv = N (registers) (m);
  for (int64_t j = 0; j < n; j++)
    N (load_column) (w->a + j * rv, m, a + j * lda * GLA_PARTS, 1);
  N (rows_factor) (m, n, w->a, rv, w->R, N (leaf), w->T, w->W);
  N (leaf_triangle) (rv, n, w, (N (el) *)t, ldt);
  for (int64_t j = 0; j < n; j++) {
    N (store_rows) (a + j * lda * GLA_PARTS, m, w->a + j * rv);
    memcpy (a + j * lda * GLA_PARTS, w->R + j * N (leaf), (size_t)(j + 1) * sizeof *w->R);
  }
}

// Applies the left n1 columns, adjoint, to the n2 right ones; x (n1 x n2) is scratch.
static void N (panel_update) (int64_t m, int64_t n1, int64_t n2, GLA_REAL *a, int64_t lda,
                              const GLA_REAL *t, int64_t ldt, GLA_REAL *x)
{
  GLA_REAL *right = a + n1 * lda * GLA_PARTS, *low = a + n1 * GLA_PARTS;
  GLA_REAL *low_right = right + n1 * GLA_PARTS;
  for (int64_t j = 0; j < n2; j++)
    memcpy (x + j * ldt * GLA_PARTS, right + j * lda * GLA_PARTS, (size_t)n1 * sizeof (N (el)));
  N (trmm) ((N (triangle)){"L", "L", "C", "U"}, n1, n2, 1, a, lda, x, ldt);
  N (gemm) ("C", "N", n1, n2, m - n1, 1, low, lda, low_right, lda, 1, x, ldt);
  N (trmm) ((N (triangle)){"L", "U", "C", "N"}, n1, n2, 1, t, ldt, x, ldt);
  N (gemm) ("N", "N", m - n1, n2, n1, -1, low, lda, x, ldt, 1, low_right, lda);
  N (trmm) ((N (triangle)){"L", "L", "N", "U"}, n1, n2, 1, a, lda, x, ldt);
  for (int64_t j = 0; j < n2; j++)
    for (int64_t i = 0; i < n1 * GLA_PARTS; i++)
      right[j * lda * GLA_PARTS + i] -= x[j * ldt * GLA_PARTS + i];
}

// The block of T that couples both halves: x = -T1 (V1'*V2) T2.
static void N (panel_couple) (int64_t m, int64_t n1, int64_t n2, const GLA_REAL *a, int64_t lda,
                              const GLA_REAL *t, int64_t ldt, GLA_REAL *x)
{
  const int64_t n = n1 + n2;
  const GLA_REAL *v2 = a + (n1 + n1 * lda) * GLA_PARTS;
  const GLA_REAL *t2 = t + (n1 + n1 * ldt) * GLA_PARTS;
  for (int64_t j = 0; j < n2; j++)
    for (int64_t i = 0; i < n1; i++)
      ((N (el) *)x)[i + j * ldt] = N (el_conj) (((const N (el) *)a)[n1 + j + i * lda]);
  N (trmm) ((N (triangle)){"R", "L", "N", "U"}, n1, n2, 1, v2, lda, x, ldt);
  N (gemm)
  ("C", "N", n1, n2, m - n, 1, a + n * GLA_PARTS, lda, v2 + n2 * GLA_PARTS, lda, 1, x, ldt);
  N (trmm) ((N (triangle)){"L", "U", "N", "N"}, n1, n2, -1, t, ldt, x, ldt);
  N (trmm) ((N (triangle)){"R", "U", "N", "N"}, n1, n2, 1, t2, ldt, x, ldt);
}

// m >= n: R into the upper triangle of a, V below it, T into the upper triangle of t.
static void N (panel_factor) (int64_t m, int64_t n, GLA_REAL *a, int64_t lda, GLA_REAL *t,
                              int64_t ldt, const N (leaf_work) * w)
{
  if (n <= N (leaf)) {
    N (panel_leaf) (m, n, a, lda, t, ldt, w);
    return;
  }
  const int64_t n1 = (n / 2 + N (leaf) - 1) / N (leaf) * N (leaf), n2 = n - n1;
  GLA_REAL *x = t + n1 * ldt * GLA_PARTS;
  N (panel_factor) (m, n1, a, lda, t, ldt, w);
  N (panel_update) (m, n1, n2, a, lda, t, ldt, x);
  N (panel_factor)
  (m - n1, n2, a + (n1 + n1 * lda) * GLA_PARTS, lda, x + n1 * GLA_PARTS, ldt, w);
  N (panel_couple) (m, n1, n2, a, lda, t, ldt, x);
}
