// svd_complete.h: orthonormal columns for values that are 0
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SVD_SVD_COMPLETE_H
#define GPULINALG_CPU_SVD_SVD_COMPLETE_H

#include "common/scalar.h"

// The row where columns 0..r-1 of x have least, the first of equal ones.
static int64_t emptiest_row (int64_t rows, const scalar *x, int64_t ld, int64_t r)
{
  real least = 0;
  int64_t at = 0;
  for (int64_t i = 0; i < rows; i++) {
    real sum = 0;
    for (int64_t j = 0; j < r; j++)
      sum += scalar_abs2 (x[i + j * ld]);
    if (i == 0 || sum < least)
      least = sum, at = i;
  }
  return at;
}

// Columns r.. of x so that all are orthonormal: unit vectors, made orthogonal twice.
static void complete_basis (int64_t rows, int64_t columns, scalar *x, int64_t ld, int64_t r)
{
  for (; r < columns; r++) {
    scalar *to = x + r * ld;
    const int64_t at = emptiest_row (rows, x, ld, r);
    for (int64_t i = 0; i < rows; i++)
      to[i] = scalar_make (i == at, 0);
    for (int64_t pass = 0; pass < 2 * r; pass++) {
      const scalar *q = x + pass % r * ld;
      scalar dot = scalar_make (0, 0);
      for (int64_t i = 0; i < rows; i++)
        dot += scalar_mul (scalar_conj (q[i]), to[i]);
      for (int64_t i = 0; i < rows; i++)
        to[i] -= scalar_mul (dot, q[i]);
    }
    real sum = 0;
    for (int64_t i = 0; i < rows; i++)
      sum += scalar_abs2 (to[i]);
    for (int64_t i = 0; i < rows; i++)
      to[i] = scalar_scale (1 / real_sqrt (sum), to[i]);
  }
}

#endif
