// qr_rows.h: what large pages need of reflectors on rows in lanes
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_QR_QR_ROWS_H
#define GPULINALG_CPU_QR_QR_ROWS_H

#include "cpu/common/rows_reflector.h"

// C = C - V*W, one tile of rows after the other, for a wide V.
static void subtract_wide (int64_t rv, const num *V, int64_t ldv, int64_t nv, num *C, int64_t ldc,
                           int64_t nc, const scalar *W, int64_t ldw)
{
  int64_t i = 0;
  for (; i + TILE_R <= rv; i += TILE_R) {
    int64_t c = 0;
    for (; c + TILE_C <= nc; c += TILE_C)
      subtract_tile (V + i, ldv, nv, C + i + c * ldc, ldc, TILE_R, TILE_C, W + c * ldw, ldw);
    for (; c < nc; c++)
      subtract_tile (V + i, ldv, nv, C + i + c * ldc, ldc, TILE_R, 1, W + c * ldw, ldw);
  }
  for (; i < rv; i++)
    for (int64_t c = 0; c < nc; c++)
      subtract_tile (V + i, ldv, nv, C + i + c * ldc, ldc, 1, 1, W + c * ldw, ldw);
}

// rows_factor for the leaf of a panel.
static void rows_factor_leaf (int64_t m, int64_t n, num *a, int64_t ld, scalar *R, int64_t ldr,
                              scalar *T, scalar *W)
{
  if (ONCE_LEAF)
    rows_factor_of (m, n, a, ld, R, ldr, T, W, 1);
  else
    rows_factor (m, n, a, ld, R, ldr, T, W);
}

#endif
