// svd_lanes_products.h: products of small matrices, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All matrices are k x k. Blocks of results stay in registers.

#ifndef GPULINALG_CPU_SVD_SVD_LANES_PRODUCTS_H
#define GPULINALG_CPU_SVD_SVD_LANES_PRODUCTS_H

#include "cpu/common/lanes.h"

enum {
  PRODUCT_COLUMNS = GLA_COMPLEX ? 2 : 4,
  PRODUCT_ROWS = GLA_VECTOR_BYTES == 64 ? 4 : 2 // as many as there are registers for
};

// A product a*b or w'*w. Where a or w is lower triangular, only that part of it is used.
typedef struct {
  int k, lower;
  const num *a, *b;
  const num *plus; // is added; may be NULL
  vec scale;       // of w'*w
  num *to;
} lanes_product;

// rows x columns results from (i, c) on.
static inline __attribute__ ((always_inline)) void product_block (const lanes_product *p, int i,
                                                                  int c, int rows, int columns)
{
  const int k = p->k, inner = p->lower ? i + rows : k;
  num sum[PRODUCT_ROWS][PRODUCT_COLUMNS];
  for (int r = 0; r < rows; r++)
    for (int q = 0; q < columns; q++)
      sum[r][q] = p->plus ? p->plus[i + r + (c + q) * k] : num_zero ();
  for (int j = 0; j < inner; j++)
    for (int r = 0; r < rows; r++)
      for (int q = 0; q < columns; q++)
        sum[r][q] = num_fma (sum[r][q], p->a[i + r + j * k], p->b[j + (c + q) * k]);
  for (int r = 0; r < rows; r++)
    for (int q = 0; q < columns; q++)
      p->to[i + r + (c + q) * k] = sum[r][q];
}

static void product_of (const lanes_product *p)
{
  const int k = p->k;
  int c = 0;
  for (; c + PRODUCT_COLUMNS <= k; c += PRODUCT_COLUMNS) {
    int i = 0;
    for (; i + PRODUCT_ROWS <= k; i += PRODUCT_ROWS)
      product_block (p, i, c, PRODUCT_ROWS, PRODUCT_COLUMNS);
    for (; i < k; i++)
      product_block (p, i, c, 1, PRODUCT_COLUMNS);
  }
  for (; c < k; c++)
    for (int i = 0; i < k; i++)
      product_block (p, i, c, 1, 1);
}

// rows x columns elements of w'*w from (i, j) on; of them those above the diagonal mean nothing.
static inline __attribute__ ((always_inline)) void gram_block (const lanes_product *p, int i, int j,
                                                               int rows, int columns)
{
  const int k = p->k;
  const num *w = p->a;
  num sum[PRODUCT_ROWS][PRODUCT_COLUMNS];
  for (int r = 0; r < rows; r++)
    for (int q = 0; q < columns; q++)
      sum[r][q] = num_zero ();
  for (int l = p->lower ? i : 0; l < k; l++)
    for (int r = 0; r < rows; r++)
      for (int q = 0; q < columns; q++)
        sum[r][q] = num_fmac (sum[r][q], w[l + (i + r) * k], w[l + (j + q) * k]);
  for (int r = 0; r < rows; r++)
    for (int q = 0; q < columns; q++)
      p->to[i + r + (j + q) * k] = num_scale (p->scale, sum[r][q]);
}

// The lower triangle of w'*w times `scale`, w = p->a.
static void gram_of (const lanes_product *p)
{
  const int k = p->k;
  int j = 0;
  for (; j + PRODUCT_COLUMNS <= k; j += PRODUCT_COLUMNS) {
    int i = j;
    for (; i + PRODUCT_ROWS <= k; i += PRODUCT_ROWS)
      gram_block (p, i, j, PRODUCT_ROWS, PRODUCT_COLUMNS);
    for (; i < k; i++)
      gram_block (p, i, j, 1, PRODUCT_COLUMNS);
  }
  for (; j < k; j++)
    for (int i = j; i < k; i++)
      gram_block (p, i, j, 1, 1);
}

#endif
