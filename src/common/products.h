// products.h: the products of the BLAS on plain arrays, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_COMMON_PRODUCTS_H
#define GPULINALG_COMMON_PRODUCTS_H

#include "common/blas.h"

#include "types.h"

// Sets C = alpha*op(A)*op(B) + beta*C; op is "N" or "C".
static inline void gemm (const char *opa, const char *opb, int64_t m, int64_t n, int64_t k,
                         real alpha, const real *A, int64_t lda, const real *B, int64_t ldb,
                         real beta, real *C, int64_t ldc)
{
  const gla_blas_int im = (gla_blas_int)m, in = (gla_blas_int)n, ik = (gla_blas_int)k;
  const gla_blas_int ia = (gla_blas_int)(lda > 1 ? lda : 1), ib = (gla_blas_int)(ldb > 1 ? ldb : 1);
  const gla_blas_int ic = (gla_blas_int)ldc;
  const real a[2] = {alpha, 0}, b[2] = {beta, 0};
  if (m < 1 || n < 1)
    return;
  gla_blas_in ();
  GLA_BLAS (gemm) (opa, opb, &im, &in, &ik, a, A, &ia, B, &ib, b, C, &ic, 1, 1);
  gla_blas_out ();
}

// How a triangle is used: left or right, upper or lower, "N" or "C", unit or not.
typedef struct {
  const char *side, *uplo, *op, *diag;
} triangle_form;

// Sets B = alpha*op(T)*B, or multiplies from the right.
static inline void trmm (triangle_form how, int64_t m, int64_t n, real alpha, const real *T,
                         int64_t ldt, real *B, int64_t ldb)
{
  const gla_blas_int im = (gla_blas_int)m, in = (gla_blas_int)n;
  const gla_blas_int it = (gla_blas_int)ldt, ib = (gla_blas_int)ldb;
  const real a[2] = {alpha, 0};
  if (m < 1 || n < 1)
    return;
  gla_blas_in ();
  GLA_BLAS (trmm) (how.side, how.uplo, how.op, how.diag, &im, &in, a, T, &it, B, &ib, 1, 1, 1, 1);
  gla_blas_out ();
}

// Sets B = alpha*op(T)^-1*B, or multiplies from the right.
static inline void trsm (triangle_form how, int64_t m, int64_t n, real alpha, const real *T,
                         int64_t ldt, real *B, int64_t ldb)
{
  const gla_blas_int im = (gla_blas_int)m, in = (gla_blas_int)n;
  const gla_blas_int it = (gla_blas_int)ldt, ib = (gla_blas_int)ldb;
  const real a[2] = {alpha, 0};
  if (m < 1 || n < 1)
    return;
  gla_blas_in ();
  GLA_BLAS (trsm) (how.side, how.uplo, how.op, how.diag, &im, &in, a, T, &it, B, &ib, 1, 1, 1, 1);
  gla_blas_out ();
}

#endif
