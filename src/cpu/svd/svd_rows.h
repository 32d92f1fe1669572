// svd_rows.h: sorts the rows of graded pages by their length
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reflectors with column pivoting leave an error in each row of T that is small relative to this
// row if no row is followed by a much longer one (Powell, Reid 1969; Cox, Higham 1998). Then R is
// graded as the rows are, and small values keep their digits. If a row is more than 16 times as
// long as one before it, rows are exchanged, and those of the long vectors back. Rows of ordinary
// pages keep their places.

#ifndef GPULINALG_CPU_SVD_SVD_ROWS_H
#define GPULINALG_CPU_SVD_SVD_ROWS_H

#include "cpu/common/lanes.h"
#include "cpu/common/rows.h"

#include "svd_vectors.h"

// Squares of lengths that differ by more than this are those of graded rows.
#define ROWS_RISE ((real)256)

// Sorts places of rows by length, descending; equal ones keep their order (Shell 1959).
static void order_rows (int64_t m, const real *lengths2, int64_t apart, int *order)
{
  int64_t gap = 1;
  while (gap < m / 3)
    gap = 3 * gap + 1;
  for (int64_t i = 0; i < m; i++)
    order[i] = (int)i;
  for (; gap > 0; gap /= 3)
    for (int64_t i = gap; i < m; i++) {
      const int x = order[i];
      const real length = lengths2[x * apart];
      int64_t j = i;
      for (; j >= gap; j -= gap) {
        const int y = order[j - gap];
        const real other = lengths2[y * apart];
        if (other > length || (other == length && y < x))
          break;
        order[j] = y;
      }
      order[j] = x;
    }
}

// Returns lanes where a row is much longer than one before it.
static mask rows_rise (int64_t m, const vec *lengths2)
{
  vec least = lengths2[0];
  mask rise = {0};
  for (int64_t i = 1; i < m; i++) {
    const vec x = lengths2[i];
    rise |= x > vec_broadcast (ROWS_RISE) * least;
    least = vec_select (x < least, x, least);
  }
  return rise;
}

// Whether the nonzero rows of a packed page t (m x k) differ much; stores the squares of their
// lengths in lengths2 (m).
static int rows_differ (int64_t m, int64_t k, const scalar *t, real *lengths2)
{
  real most = 0, least = GLA_MAX;
  memset (lengths2, 0, (size_t)m * sizeof *lengths2);
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < m; i++)
      lengths2[i] += scalar_abs2 (t[i + j * m]);
  for (int64_t i = 0; i < m; i++) {
    most = lengths2[i] > most ? lengths2[i] : most;
    least = lengths2[i] > 0 && lengths2[i] < least ? lengths2[i] : least;
  }
  return most > ROWS_RISE * least;
}

// Sorts the rows of a packed page t (m x k) if one is much longer than one before it. Returns
// whether it did. lengths2, column: m.
static int sort_rows (int64_t m, int64_t k, scalar *t, real *lengths2, scalar *column, int *order)
{
  real least = GLA_MAX;
  int rise = 0;
  (void)rows_differ (m, k, t, lengths2);
  for (int64_t i = 0; i < m; i++) {
    rise |= lengths2[i] > ROWS_RISE * least;
    least = lengths2[i] < least ? lengths2[i] : least;
  }
  if (!rise)
    return 0;
  order_rows (m, lengths2, 1, order);
  for (int64_t j = 0; j < k; j++) {
    memcpy (column, t + j * m, (size_t)m * sizeof *column);
    for (int64_t i = 0; i < m; i++)
      t[i + j * m] = column[order[i]];
  }
  return 1;
}

// Moves the rows of long vectors to their places in the page.
static void unsort_rows (const svd_basis *to, const int *order, scalar *column)
{
  for (int64_t j = 0; j < to->columns; j++) {
    scalar *x = basis_column (to, j);
    memcpy (column, x, (size_t)to->rows * sizeof *column);
    for (int64_t i = 0; i < to->rows; i++)
      x[order[i]] = column[i];
  }
}

//------------------------------------------------------------------------------
// one page per lane
//------------------------------------------------------------------------------

typedef struct {
  vec *lengths2; // m
  int *order;    // m of each lane
  real *column;  // m scalars
  mask sorted;   // lanes whose rows are in order of length
} lanes_rows;

static void lanes_rows_layout (char *base, size_t *at, int64_t m, lanes_rows *r)
{
  r->sorted = (mask){0};
  r->lengths2 = gla_carve (base, at, (size_t)m * sizeof (vec));
  r->order = gla_carve (base, at, (size_t)(m * GLA_LANES) * sizeof (int));
  r->column = gla_carve (base, at, (size_t)(m * GLA_PARTS) * sizeof (real));
}

// Computes |row i|^2 of a (m x k) for `count` rows i...
static inline __attribute__ ((always_inline)) void measure_rows (int64_t m, int64_t k, const num *a,
                                                                 int count, vec *lengths2)
{
  vec sum[4];
  for (int r = 0; r < count; r++)
    sum[r] = vec_broadcast (0);
  for (int64_t j = 0; j < k; j++)
    for (int r = 0; r < count; r++)
      sum[r] += num_abs2 (a[r + j * m]);
  for (int r = 0; r < count; r++)
    lengths2[r] = sum[r];
}

// Sets x[to[i]] = x[from[i]] in lane l of columns x (m numbers); the one that is NULL is 0, 1, 2,
// ...
static void move_rows (int64_t m, int64_t columns, num *x, const int *from, const int *to,
                       real *column, int l)
{
  for (int64_t j = 0; j < columns; j++) {
    real *y = (real *)(x + j * m) + l;
    for (int64_t i = 0; i < m; i++)
      for (int p = 0; p < GLA_PARTS; p++)
        column[i * GLA_PARTS + p] = y[(i * GLA_PARTS + p) * GLA_LANES];
    for (int64_t i = 0; i < m; i++)
      for (int p = 0; p < GLA_PARTS; p++)
        y[((to ? to[i] : i) * GLA_PARTS + p) * GLA_LANES] =
            column[(from ? from[i] : i) * GLA_PARTS + p];
  }
}

// Sorts the rows of a (m x k) if one is much longer than one before it.
static void sort_lanes_rows (int64_t m, int64_t k, num *a, lanes_rows *r)
{
  int64_t i = 0;
  for (; i + 4 <= m; i += 4)
    measure_rows (m, k, a + i, 4, r->lengths2 + i);
  for (; i < m; i++)
    measure_rows (m, k, a + i, 1, r->lengths2 + i);
  r->sorted = rows_rise (m, r->lengths2);
  for (int l = 0; l < GLA_LANES && mask_any (r->sorted); l++)
    if (r->sorted[l]) {
      order_rows (m, (const real *)r->lengths2 + l, GLA_LANES, r->order + l * m);
      move_rows (m, k, a, r->order + l * m, NULL, r->column, l);
    }
}

// Moves sorted rows of columns of m rows back.
static void unsort_lanes_rows (int64_t m, int64_t columns, num *x, const lanes_rows *r)
{
  for (int l = 0; l < GLA_LANES && mask_any (r->sorted); l++)
    if (r->sorted[l])
      move_rows (m, columns, x, NULL, r->order + l * m, r->column, l);
}

#endif
