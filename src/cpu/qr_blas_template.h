// qr_blas_template.h: products with triangles by the BLAS, which only QR needs
// SPDX-License-Identifier: GPL-3.0-or-later

// B = alpha*op(T)*B, or from the right
static void N (trmm) (N (triangle) how, int64_t m, int64_t n, GLA_REAL alpha, const GLA_REAL *T,
                      int64_t ldt, GLA_REAL *B, int64_t ldb)
{
  const gla_blas_int im = (gla_blas_int)m, in = (gla_blas_int)n;
  const gla_blas_int it = (gla_blas_int)ldt, ib = (gla_blas_int)ldb;
  const GLA_REAL a[2] = {alpha, 0};
  if (m > 0 && n > 0)
    GLA_TRMM (how.side, how.uplo, how.op, how.diag, &im, &in, a, T, &it, B, &ib, 1, 1, 1, 1);
}
