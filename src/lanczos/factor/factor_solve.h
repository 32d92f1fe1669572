// factor_solve.h: solutions with a sparse Hermitian factor, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FACTOR_FACTOR_SOLVE_H
#define GPULINALG_FACTOR_FACTOR_SOLVE_H

#include "common/products.h"
#include "common/scalar.h"

#include "factor.h"
#include "factor_pivot.h"

#include <string.h>

// Below this a call of the BLAS takes longer than its work.
enum { SMALL_PRODUCT = 256 };

// Sets y -= op(G)*x. For one vector the BLAS reads G twice as fast if it is called for a product
// with a vector. (For complex x OpenBLAS 0.3.21 reads the next element: here there is always one.)
static void subtract_vector (const char *op, int64_t m, int64_t k, const scalar *G, int64_t ldg,
                             const scalar *x, scalar *y)
{
  const gla_blas_int im = (gla_blas_int)m, ik = (gla_blas_int)k, ig = (gla_blas_int)ldg, one = 1;
  const real a[2] = {-1, 0}, b[2] = {1, 0};
  gla_blas_in ();
  GLA_BLAS (gemv)
  (op, &im, &ik, a, (const real *)G, &ig, (const real *)x, &one, b, (real *)y, &one, 1);
  gla_blas_out ();
}

// Sets Y (m x c) -= G (m x k) * X.
static void subtract_product (int64_t m, int64_t k, int64_t c, const scalar *G, int64_t ldg,
                              const scalar *X, int64_t ldx, scalar *Y, int64_t ldy)
{
  if (m * k > SMALL_PRODUCT && c == 1) {
    subtract_vector ("N", m, k, G, ldg, X, Y);
    return;
  }
  if (m * k > SMALL_PRODUCT) {
    gemm ("N", "N", m, c, k, -1, (const real *)G, ldg, (const real *)X, ldx, 1, (real *)Y, ldy);
    return;
  }
  for (int64_t q = 0; q < c; q++)
    for (int64_t j = 0; j < k; j++) {
      const scalar x = X[j + q * ldx];
      for (int64_t i = 0; i < m; i++)
        Y[i + q * ldy] -= scalar_mul (G[i + j * ldg], x);
    }
}

// Sets X (k x c) -= G' * Y.
static void subtract_adjoint (int64_t m, int64_t k, int64_t c, const scalar *G, int64_t ldg,
                              const scalar *Y, int64_t ldy, scalar *X, int64_t ldx)
{
  if (m * k > SMALL_PRODUCT && c == 1) {
    subtract_vector ("C", m, k, G, ldg, Y, X);
    return;
  }
  if (m * k > SMALL_PRODUCT) {
    gemm ("C", "N", k, c, m, -1, (const real *)G, ldg, (const real *)Y, ldy, 1, (real *)X, ldx);
    return;
  }
  for (int64_t q = 0; q < c; q++)
    for (int64_t j = 0; j < k; j++) {
      scalar sum = 0;
      for (int64_t i = 0; i < m; i++)
        sum += scalar_mul (scalar_conj (G[i + j * ldg]), Y[i + q * ldy]);
      X[j + q * ldx] -= sum;
    }
}

// Solves one vector at a time, because the triangles are small.
static void solve_block (const gla_factor *F, const scalar *L, int64_t ld, int64_t first, int64_t n,
                         scalar *x)
{
  scalar t[64];
  for (int64_t i = 0; i < n; i++)
    t[i] = x[F->swaps[first + i]];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < n; i++)
      t[i] -= scalar_mul (L[i + j * ld], t[j]);
  memcpy (x, t, (size_t)n * sizeof *x);
}

static void solve_block_adjoint (const gla_factor *F, const scalar *L, int64_t ld, int64_t first,
                                 int64_t n, scalar *x)
{
  scalar t[64];
  for (int64_t j = n - 1; j >= 0; j--) {
    scalar sum = x[j];
    for (int64_t i = j + 1; i < n; i++)
      sum -= scalar_mul (scalar_conj (L[i + j * ld]), t[i]);
    t[j] = sum;
  }
  for (int64_t i = 0; i < n; i++)
    x[F->swaps[first + i]] = t[i];
}

static void solve_pivots (const gla_factor *F, int64_t c, scalar *X)
{
  const scalar *e = F->e;
  for (int64_t q = 0; q < c; q++)
    for (int64_t k = 0; k < F->n; k++) {
      scalar *x = X + k + q * F->n;
      if (e[k] == 0) {
        x[0] /= F->d[k];
        continue;
      }
      // the transposed of what divides rows of L*D
      divide_pair (x[0], x[1], F->d[k], F->d[k + 1], scalar_conj (e[k]), x, x + 1);
      k++;
    }
}

static void solve_forward (const gla_factor *F, const gla_front *f, scalar *X, int64_t c,
                           scalar *rows)
{
  const int64_t w = f->width, r = f->below, m = w + r, *index = F->rows + f->rows;
  const scalar *L = (const scalar *)F->values + f->entries;
  scalar *x = X + f->first;
  for (int64_t at = 0, n; at < w; at += n) {
    n = gla_front_panel (f, at);
    for (int64_t q = 0; q < c; q++)
      solve_block (F, L + at + at * m, m, f->first + at, n, x + at + q * F->n);
    subtract_product (w - at - n, n, c, L + at + n + at * m, m, x + at, F->n, x + at + n, F->n);
  }
  memset (rows, 0, (size_t)(r * c) * sizeof *rows);
  subtract_product (r, w, c, L + w, m, x, F->n, rows, r);
  for (int64_t q = 0; q < c; q++)
    for (int64_t i = 0; i < r; i++)
      X[index[i] + q * F->n] += rows[i + q * r];
}

static void solve_backward (const gla_factor *F, const gla_front *f, scalar *X, int64_t c,
                            scalar *rows)
{
  const int64_t w = f->width, r = f->below, m = w + r, *index = F->rows + f->rows;
  const scalar *L = (const scalar *)F->values + f->entries;
  scalar *x = X + f->first;
  for (int64_t q = 0; q < c; q++)
    for (int64_t i = 0; i < r; i++)
      rows[i + q * r] = X[index[i] + q * F->n];
  subtract_adjoint (r, w, c, L + w, m, rows, r, x, F->n);
  int64_t panels = 0;
  for (int64_t at = 0; at < w; at += gla_front_panel (f, at))
    panels++;
  for (int64_t p = panels - 1; p >= 0; p--) { // all but the last are alike
    const int64_t at = p * gla_front_panel (f, 0), n = gla_front_panel (f, at);
    subtract_adjoint (w - at - n, n, c, L + at + n + at * m, m, x + at + n, F->n, x + at, F->n);
    for (int64_t q = 0; q < c; q++)
      solve_block_adjoint (F, L + at + at * m, m, f->first + at, n, x + at + q * F->n);
  }
}

#endif
