// gsvd_lapack_template.h: the factorisations of LAPACK on plain arrays
// SPDX-License-Identifier: GPL-3.0-or-later

// What LAPACK wants beside its matrices.
typedef struct {
  GLA_REAL *work, *rwork;
  gla_blas_int lwork;
  gla_blas_int *jpvt;
  N (num) * lanes; // for small matrices
} N (lapack);

// For matrices of so many columns. Blocks have up to 64, as LAPACK's own ilaenv has them at most.
static void N (lapack_layout) (char *base, size_t *at, int64_t columns, N (lapack) * w)
{
  w->lwork = (gla_blas_int)(columns * 64 + 64 * 80);
  w->work = gla_carve (base, at, (size_t)w->lwork * sizeof (N (el)));
  w->rwork = gla_carve (base, at, (size_t)(2 * columns) * sizeof (GLA_REAL));
  w->jpvt = gla_carve (base, at, (size_t)columns * sizeof (gla_blas_int));
  w->lanes = gla_carve (base, at,
                        (size_t)(N (registers) (N (small)) * (N (small) + 1)) * sizeof (N (num)));
}

// A P = Q R in place; column j of A P is column perm[j] of A.
static void N (qr_pivot) (int64_t m, int64_t n, GLA_REAL *a, int64_t lda, GLA_REAL *tau, int *perm,
                          const N (lapack) * w)
{
  const gla_blas_int im = (gla_blas_int)m, in = (gla_blas_int)n, il = (gla_blas_int)lda;
  gla_blas_int info;
  if (m > 0 && N (is_small) (m, n)) {
    N (small_qr_pivot) (m, n, a, lda, tau, perm, w->lanes);
    return;
  }
  for (int64_t j = 0; j < n; j++)
    perm[j] = (int)j;
  if (m == 0)
    return;
  memset (w->jpvt, 0, (size_t)n * sizeof *w->jpvt);
#if GLA_COMPLEX
  GLA_QP3 (&im, &in, a, &il, w->jpvt, tau, w->work, &w->lwork, w->rwork, &info);
#else
  GLA_QP3 (&im, &in, a, &il, w->jpvt, tau, w->work, &w->lwork, &info);
#endif
  for (int64_t j = 0; j < n; j++)
    perm[j] = (int)w->jpvt[j] - 1;
}

static void N (qr_plain) (int64_t m, int64_t n, GLA_REAL *a, int64_t lda, GLA_REAL *tau,
                          const N (lapack) * w)
{
  const gla_blas_int im = (gla_blas_int)m, in = (gla_blas_int)n, il = (gla_blas_int)lda;
  gla_blas_int info;
  if (m == 0 || n == 0)
    return;
  GLA_QRF (&im, &in, a, &il, tau, w->work, &w->lwork, &info);
}

// C = Q C, or Q' C where adjoint, with the k reflectors in a; C is m x n.
static void N (apply_q) (int adjoint, int64_t m, int64_t n, int64_t k, const GLA_REAL *a,
                         int64_t lda, const GLA_REAL *tau, GLA_REAL *c, int64_t ldc,
                         const N (lapack) * w)
{
  const gla_blas_int im = (gla_blas_int)m, in = (gla_blas_int)n, ik = (gla_blas_int)k;
  const gla_blas_int ia = (gla_blas_int)lda, ic = (gla_blas_int)ldc;
  gla_blas_int info;
  if (m == 0 || n == 0 || k == 0)
    return;
  if (N (is_small) (m, n)) {
    N (small_apply_q) (adjoint, m, n, k, a, lda, tau, c, ldc, w->lanes);
    return;
  }
  GLA_MQR ("L",
           !adjoint      ? "N"
           : GLA_COMPLEX ? "C"
                         : "T",
           &im, &in, &ik, a, &ia, tau, c, &ic, w->work, &w->lwork, &info, 1, 1);
}

// The upper Cholesky factor in place; nonzero where there is none.
static int N (cholesky) (int64_t n, GLA_REAL *a, int64_t lda)
{
  const gla_blas_int in = (gla_blas_int)n, il = (gla_blas_int)lda;
  gla_blas_int info;
  GLA_POTRF ("U", &in, a, &il, &info, 1);
  return info != 0;
}
