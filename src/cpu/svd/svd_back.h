// svd_back.h: columns times the reflectors of svd_reduce.h, in blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// H_0 H_1 ... in blocks I - V T V' of BACK_BLOCK reflectors (Schreiber and Van Loan 1989). V has
// its ones and zeros, so that all is done by products of matrices.

#ifndef GPULINALG_CPU_SVD_SVD_BACK_H
#define GPULINALG_CPU_SVD_SVD_BACK_H

#include "cpu/common/minmax.h"
#include "cpu/common/rows_reflector.h"

#include "svd_vectors.h"

enum { BACK_BLOCK = 32 };

// Reflector i is column i of v and begins with row i + shift.
typedef struct {
  const scalar *v;
  int64_t ld, rows, count, shift;
  const scalar *tau;
} reflectors;

// T of a block, with zeros below its diagonal. cross: BACK_BLOCK x BACK_BLOCK.
static void back_triangle (const reflectors *h, int64_t first, gla_blas_int count, scalar *t,
                           scalar *cross)
{
  const int64_t row = first + h->shift;
  const gla_blas_int rows = (gla_blas_int)(h->rows - row), ld = (gla_blas_int)h->ld;
  const gla_blas_int ldt = BACK_BLOCK;
  const real one[2] = {1, 0}, zero[2] = {0, 0};
  const real *v = (const real *)(h->v + row + first * h->ld);
  gla_blas_in ();
  GLA_BLAS (gemm)
  ("C", "N", &count, &count, &rows, one, v, &ld, v, &ld, zero, (real *)cross, &ldt, 1, 1);
  gla_blas_out ();
  memset (t, 0, BACK_BLOCK * BACK_BLOCK * sizeof *t);
  for (int64_t j = 0; j < count; j++)
    t[j + j * BACK_BLOCK] = h->tau[first + j];
  fill_triangle (count, t, BACK_BLOCK, cross, BACK_BLOCK);
}

// c = H_0 H_1 ... c for `columns` columns; w: BACK_BLOCK x (2 columns + 2 BACK_BLOCK).
static void back_multiply (const reflectors *h, scalar *c, int64_t ldc, int64_t columns, scalar *w)
{
  const gla_blas_int nc = (gla_blas_int)columns, lda = (gla_blas_int)h->ld;
  const gla_blas_int to = (gla_blas_int)ldc, ldw = BACK_BLOCK;
  const real one[2] = {1, 0}, zero[2] = {0, 0}, minus[2] = {-1, 0};
  scalar *t = w + 2 * BACK_BLOCK * columns, *w2 = w + BACK_BLOCK * columns;
  const int64_t blocks = (h->count + BACK_BLOCK - 1) / BACK_BLOCK;
  for (int64_t first = (blocks - 1) * BACK_BLOCK; first >= 0; first -= BACK_BLOCK) {
    const int64_t row = first + h->shift;
    const gla_blas_int count = (gla_blas_int)gla_min (BACK_BLOCK, h->count - first);
    const gla_blas_int rows = (gla_blas_int)(h->rows - row);
    const real *v = (const real *)(h->v + row + first * h->ld);
    real *at = (real *)(c + row);
    back_triangle (h, first, count, t, t + BACK_BLOCK * BACK_BLOCK);
    gla_blas_in ();
    GLA_BLAS (gemm)
    ("C", "N", &count, &nc, &rows, one, v, &lda, at, &to, zero, (real *)w, &ldw, 1, 1);
    GLA_BLAS (gemm)
    ("N", "N", &count, &nc, &count, one, (const real *)t, &ldw, (const real *)w, &ldw, zero,
     (real *)w2, &ldw, 1, 1);
    GLA_BLAS (gemm)
    ("N", "N", &rows, &nc, &count, minus, v, &lda, (const real *)w2, &ldw, one, at, &to, 1, 1);
    gla_blas_out ();
  }
}

#endif
