// svd_long_vectors.h: long vectors from the reflectors of a page whose rows are in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Q C = C - V W with W = (diag (1 ./ tau) + S) \ (V' C), S the part of V' V above its diagonal
// (Walker 1988; Joffrain and others 2006). Only k rows of C, or one row of a column, are not zero:
// so V' C and W cost little, and what is left is one product, of which a few rows at a time are
// formed in the nearest cache and written to the page of the result.

#ifndef GPULINALG_CPU_SVD_SVD_LONG_VECTORS_H
#define GPULINALG_CPU_SVD_SVD_LONG_VECTORS_H

#include "cpu/common/rows_reflector.h"

#include "svd_vectors.h"

// Columns at a time, registers of rows at a time, and columns of V'*V at a time.
enum { LONG_STRIP = 32, LONG_ROWS = 4, LONG_CROSS = 6 };

typedef struct {
  int64_t m, k, rv;
  const num *v;    // rv x k
  const scalar *T; // triangles of panels, with tau on their diagonals
  scalar *S;       // k x k
  num *rows;       // k rows of registers_for (LONG_STRIP): C, V'*C, W
  scalar *c, *W;   // k x LONG_STRIP
  num *block;      // LONG_ROWS x LONG_STRIP
} long_basis;

static void long_basis_layout (char *base, size_t *at, int64_t m, int64_t k, long_basis *b)
{
  const size_t strip = (size_t)(k * LONG_STRIP) * sizeof (scalar);
  b->m = m;
  b->k = k;
  b->rv = registers_for (m);
  b->S = gla_carve (base, at, (size_t)(k * k) * sizeof (scalar));
  b->rows = gla_carve (base, at, (size_t)(k * registers_for (LONG_STRIP)) * sizeof (num));
  b->c = gla_carve (base, at, strip);
  b->W = gla_carve (base, at, strip);
  b->block = gla_carve (base, at, LONG_ROWS * LONG_STRIP * sizeof (num));
}

// S of the reflectors of a page.
static void long_cross (const long_basis *b)
{
  const int64_t k = b->k, rv = b->rv;
  for (int64_t j = 0; j < k; j += LONG_CROSS) {
    const int64_t count = gla_min (LONG_CROSS, k - j), skip = j / GLA_LANES;
    cross_products (rv - skip, b->v + skip, rv, j + count, b->v + skip + j * rv, rv, count,
                    b->S + j * k, k);
  }
}

// rows = V'*C in place, where the columns of C are zero behind row k.
static void long_times_top (const long_basis *b)
{
  enum { R = (LONG_STRIP + GLA_LANES - 1) / GLA_LANES };
  for (int64_t i = 0; i < b->k; i++) {
    num *row = b->rows + i * R;
    for (int64_t r = i + 1; r < b->k; r++) {
      const num f = num_broadcast (row_get (b->v + i * b->rv, r));
      for (int q = 0; q < R; q++)
        row[q] = num_fmac (row[q], f, b->rows[r * R + q]);
    }
  }
}

// rows = (diag (1 ./ tau) + S) \ rows
static void long_solve (const long_basis *b)
{
  enum { R = (LONG_STRIP + GLA_LANES - 1) / GLA_LANES };
  for (int64_t i = b->k - 1; i >= 0; i--) {
    const num tau = num_broadcast (b->T[i % GLA_QR_PANEL + i * GLA_QR_PANEL]);
    num *row = b->rows + i * R;
    for (int64_t j = i + 1; j < b->k; j++) {
      const num f = num_broadcast (b->S[i + j * b->k]);
      for (int q = 0; q < R; q++)
        row[q] = num_fnma (row[q], f, b->rows[j * R + q]);
    }
    for (int q = 0; q < R; q++)
      row[q] = num_mul (tau, row[q]);
  }
}

// W of the columns j .. j+count-1 of [C 0; 0 I], of which the first `given` are in b->c.
static void long_weights (const long_basis *b, int64_t j, int64_t count, int64_t given)
{
  enum { R = (LONG_STRIP + GLA_LANES - 1) / GLA_LANES };
  const int64_t k = b->k;
  memset (b->rows, 0, (size_t)(k * R) * sizeof *b->rows);
  for (int64_t c = 0; c < given; c++)
    for (int64_t i = 0; i < k; i++)
      row_set (b->rows + i * R, c, b->c[i + c * k]);
  if (given > 0)
    long_times_top (b);
  for (int64_t c = given; c < count; c++)
    for (int64_t i = 0; i < k; i++)
      row_set (b->rows + i * R, c, scalar_conj (row_get (b->v + i * b->rv, j + c)));
  long_solve (b);
  for (int64_t c = 0; c < count; c++)
    for (int64_t i = 0; i < k; i++)
      b->W[i + c * k] = row_get (b->rows + i * R, c);
}

// Columns j .. j+count-1 of Q [C 0; 0 I] to the page of the result.
static void long_columns (const long_basis *b, const svd_basis *to, int64_t j, int64_t count,
                          int64_t given)
{
  const int64_t k = b->k;
  long_weights (b, j, count, given);
  for (int64_t i = 0; i < b->rv; i += LONG_ROWS) {
    const int64_t registers = gla_min (LONG_ROWS, b->rv - i), first = i * GLA_LANES;
    const int64_t rows = gla_min (registers * GLA_LANES, b->m - first);
    memset (b->block, 0, (size_t)(LONG_ROWS * count) * sizeof *b->block);
    for (int64_t c = 0; c < count; c++)
      if (c >= given && j + c >= first && j + c < first + rows)
        row_set (b->block + c * LONG_ROWS, j + c - first, scalar_make (1, 0));
      else if (c < given)
        for (int64_t r = first; r < gla_min (first + rows, k); r++)
          row_set (b->block + c * LONG_ROWS, r - first, b->c[r + c * k]);
    subtract (registers, b->v + i, b->rv, k, b->block, LONG_ROWS, count, b->W, k);
    for (int64_t c = 0; c < count; c++)
      store_rows ((real *)(basis_column (to, j + c) + first), rows, b->block + c * LONG_ROWS);
  }
}

#endif
