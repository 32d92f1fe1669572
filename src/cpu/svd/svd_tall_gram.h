// svd_tall_gram.h: products with pages that have many more rows than columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// T (m x k) is a page, or its adjoint if the page has more columns than rows. Some of its rows at a
// time are copied to a block that stays in the nearest cache, with rows in lanes: then it computes
// T'*T, or T*Z, whose rows go to the page of the result. A page is read in place, so it needs no
// workspace of its size.

#ifndef GPULINALG_CPU_SVD_SVD_TALL_GRAM_H
#define GPULINALG_CPU_SVD_SVD_TALL_GRAM_H

#include "cpu/common/carve.h"
#include "cpu/common/columns.h"
#include "cpu/common/lanes_move.h"
#include "cpu/common/minmax.h"
#include "cpu/common/rows.h"

#include "svd_vectors.h"

#include <string.h>

// Tiles: rows by columns of T'*T, registers by columns of T*Z.
enum { GRAM_ROWS = GLA_COMPLEX ? 2 : 4, GRAM_COLUMNS = GLA_VECTOR_BYTES == 64 ? GRAM_ROWS : 2 };
enum { LONG_TILE_ROWS = GLA_COMPLEX && GLA_VECTOR_BYTES < 64 ? 2 : 4 };
enum { LONG_TILE_COLUMNS = GLA_COMPLEX || GLA_VECTOR_BYTES < 64 ? 2 : 4 };

typedef struct {
  int64_t m, k;      // of T
  int64_t padded;    // k, rounded up to whole tiles
  int64_t registers; // of rows in a block
  int64_t tiles;     // of T'*T
  num *block;        // registers x padded
  num *sums;         // of each lane: tiles of sums of which the lanes must be added
  num *row;          // k
} tall_space;

// Returns tiles of T*Z for so many registers of rows.
static inline int64_t whole_tiles (int64_t registers)
{
  return (registers + LONG_TILE_ROWS - 1) / LONG_TILE_ROWS;
}

// blocks: their number; each has at most so many bytes, but at least one tile.
static void tall_layout (char *base, size_t *at, int64_t m, int64_t k, int blocks, int64_t bytes,
                         tall_space *s)
{
  const int64_t padded = (k + GRAM_ROWS - 1) / GRAM_ROWS * GRAM_ROWS;
  const int64_t fit = bytes / (padded * (int64_t)sizeof (num)) / LONG_TILE_ROWS;
  memset (s, 0, sizeof *s);
  s->m = m;
  s->k = k;
  s->padded = padded;
  s->registers = gla_min (gla_max (fit, 1), whole_tiles (registers_for (m))) * LONG_TILE_ROWS;
  for (int64_t c = 0; c < padded; c += GRAM_COLUMNS)
    s->tiles += (padded - c / GRAM_ROWS * GRAM_ROWS) / GRAM_ROWS;
  const int64_t sums = s->tiles * GRAM_ROWS * GRAM_COLUMNS * GLA_LANES;
  s->block = gla_carve (base, at, (size_t)(blocks * s->registers * padded) * sizeof (num));
  s->sums = gla_carve (base, at, (size_t)sums * sizeof (num));
  s->row = gla_carve (base, at, (size_t)k * sizeof (num));
}

//------------------------------------------------------------------------------
// blocks of rows
//------------------------------------------------------------------------------

static inline int64_t rows_at_once (const tall_space *s)
{
  return s->registers * GLA_LANES;
}

// Returns the first row of a register at row i: the last register of a page ends with the page, so
// that nothing after it is read or written, and shares some rows with the previous one.
static inline int64_t row_of (const tall_space *s, int64_t i)
{
  return gla_min (i, s->m - GLA_LANES);
}

// Loads registers of the adjoint of a page, from row `first` on.
static void load_adjoint_rows (const gla_array *A, int64_t page, int64_t first, int64_t registers,
                               const tall_space *s)
{
  for (int64_t r = 0; r < registers; r++) {
    const int64_t row = row_of (s, first + r * GLA_LANES);
    lanes_sources from;
    for (int l = 0; l < GLA_LANES; l++)
      from.at[l] = column_of (A, page, row + l);
    lanes_load_run ((vec *)s->row, &from, s->k * GLA_PARTS);
    for (int64_t j = 0; j < s->k; j++)
      s->block[r + j * s->registers] = num_conj (s->row[j]);
  }
}

// Loads rows first..first+rows-1 of T into the block, with zeros after the last column and the last
// register. `once` sets rows that the last register shares with another to zero in it. Returns the
// number of registers.
static int64_t load_tall_rows (const gla_array *A, int64_t page, int64_t first, int once,
                               const tall_space *s)
{
  const int64_t ld = s->registers, used = gla_min (ld, registers_for (s->m - first));
  const int64_t last = first + (used - 1) * GLA_LANES, row = row_of (s, last);
  if (A->rows < A->columns)
    load_adjoint_rows (A, page, first, used, s);
  else
    for (int64_t j = 0; j < s->k; j++) {
      const real *from = column_of (A, page, j);
      num *to = s->block + j * ld;
      for (int64_t r = 0; r + 1 < used; r++)
        to[r] = load_register (from + (first + r * GLA_LANES) * GLA_PARTS);
      to[used - 1] = load_register (from + row * GLA_PARTS);
    }
  if (once && row < last) {
    mask own;
    for (int l = 0; l < GLA_LANES; l++)
      own[l] = row + l >= last ? -1 : 0;
    for (int64_t j = 0; j < s->k; j++)
      s->block[used - 1 + j * ld] = num_select (own, s->block[used - 1 + j * ld], num_zero ());
  }
  for (int64_t j = 0; j < s->padded; j++)
    for (int64_t i = j < s->k ? used : 0; i < whole_tiles (used) * LONG_TILE_ROWS; i++)
      s->block[i + j * ld] = num_zero ();
  return used;
}

//------------------------------------------------------------------------------
// T'*T
//------------------------------------------------------------------------------

// Stores a tile of T'*T from one block in `sums`, with lanes not added, or adds it to them. If v
// and c are the same columns, only the lower triangle is computed.
static inline __attribute__ ((always_inline)) void
gram_tile (int64_t registers, const num *v, const num *c, int64_t ld, int same, int add, num *sums)
{
  num x[GRAM_ROWS * GRAM_COLUMNS];
  for (int q = 0; q < GRAM_ROWS * GRAM_COLUMNS; q++)
    x[q] = num_zero ();
  for (int64_t i = 0; i < registers; i++)
    for (int q = 0; q < GRAM_COLUMNS; q++)
      for (int r = same ? q : 0; r < GRAM_ROWS; r++)
        x[r + q * GRAM_ROWS] = num_fmac (x[r + q * GRAM_ROWS], v[i + r * ld], c[i + q * ld]);
  for (int q = 0; q < GRAM_ROWS * GRAM_COLUMNS; q++)
    sums[q] = add ? num_add (sums[q], x[q]) : x[q];
}

// Stores the tiles of the lower triangle of B'*B in the sums of lane l, or adds them, where B is
// the first `used` registers of the block.
static void block_gram (int64_t used, int add, int l, const tall_space *s)
{
  enum { SIZE = GRAM_ROWS * GRAM_COLUMNS };
  const int64_t ld = s->registers;
  num *sums = s->sums + l * s->tiles * SIZE;
  for (int64_t c = 0; c < s->padded; c += GRAM_COLUMNS)
    for (int64_t v = c / GRAM_ROWS * GRAM_ROWS; v < s->padded; v += GRAM_ROWS, sums += SIZE)
      if (v == c)
        gram_tile (used, s->block + v * ld, s->block + c * ld, ld, 1, add, sums);
      else
        gram_tile (used, s->block + v * ld, s->block + c * ld, ld, 0, add, sums);
}

// Does the same for T'*T of rows from..to-1 of a page; if `from` is not 0 it is added to the sums.
// Both are multiples of rows_at_once, or to = m.
static void tall_gram (const gla_array *A, int64_t page, int l, int64_t from, int64_t to,
                       const tall_space *s)
{
  for (int64_t first = from; first < to; first += rows_at_once (s))
    block_gram (load_tall_rows (A, page, first, 1, s), first > 0, l, s);
}

// Sets the sums of lane l to zero.
static void no_gram (int l, const tall_space *s)
{
  const int64_t count = s->tiles * GRAM_ROWS * GRAM_COLUMNS;
  memset (s->sums + l * count, 0, (size_t)count * sizeof *s->sums);
}

// Sums over the lanes of x[0..GLA_LANES-1], with that of x[l] in lane l.
static inline vec add_lanes_of (const num *x, int64_t apart, int imaginary)
{
  vec parts[GLA_LANES];
  for (int l = 0; l < GLA_LANES; l++)
    parts[l] = ((const vec *)(x + l * apart))[imaginary];
  return sum_each (parts);
}

// Stores the lower triangles of T'*T of all lanes in g (k x k).
static void tall_gram_lanes (const tall_space *s, num *g)
{
  enum { SIZE = GRAM_ROWS * GRAM_COLUMNS };
  const num *sums = s->sums;
  for (int64_t c = 0; c < s->padded; c += GRAM_COLUMNS)
    for (int64_t v = c / GRAM_ROWS * GRAM_ROWS; v < s->padded; v += GRAM_ROWS, sums += SIZE)
      for (int q = 0; q < SIZE; q++) {
        const int64_t i = v + q % GRAM_ROWS, j = c + q / GRAM_ROWS;
        if (i < j || i >= s->k)
          continue;
        num *to = g + i + j * s->k;
        to->re = add_lanes_of (sums + q, s->tiles * SIZE, 0);
#if GLA_COMPLEX
        to->im = add_lanes_of (sums + q, s->tiles * SIZE, 1);
#endif
      }
}

//------------------------------------------------------------------------------
// T*Z
//------------------------------------------------------------------------------

// Computes registers r.. of `columns` columns j.. of T*Z.
static inline __attribute__ ((always_inline)) void
tile_times (const tall_space *s, int64_t r, const scalar *z, int64_t j, int columns, num *sum)
{
  const num *t = s->block + r;
  for (int q = 0; q < LONG_TILE_ROWS * columns; q++)
    sum[q] = num_zero ();
  for (int64_t i = 0; i < s->k; i++)
    for (int c = 0; c < columns; c++) {
      const num f = num_broadcast (z[i + (j + c) * s->k]);
      for (int q = 0; q < LONG_TILE_ROWS; q++)
        sum[q + c * LONG_TILE_ROWS] =
            num_fma (sum[q + c * LONG_TILE_ROWS], t[q + i * s->registers], f);
    }
}

// Computes registers r.. of columns of T*Z from the block that begins at row `first`.
static inline __attribute__ ((always_inline)) void long_tile (const tall_space *s, int64_t first,
                                                              int64_t r, int64_t used,
                                                              const scalar *z, const svd_basis *to,
                                                              int64_t j, int columns)
{
  num sum[LONG_TILE_ROWS * LONG_TILE_COLUMNS];
  tile_times (s, r, z, j, columns, sum);
  for (int q = 0; q < LONG_TILE_ROWS; q++) {
    if (r + q >= used)
      return;
    const int64_t row = row_of (s, first + (r + q) * GLA_LANES);
    for (int c = 0; c < columns; c++)
      store_register ((real *)(basis_column (to, j + c) + row), sum[q + c * LONG_TILE_ROWS]);
  }
}

// Stores columns of T*Z in the page of the result; z: k x to->columns.
static void tall_times (const gla_array *A, int64_t page, const tall_space *s, const scalar *z,
                        const svd_basis *to)
{
  for (int64_t first = 0; first < s->m; first += rows_at_once (s)) {
    const int64_t used = load_tall_rows (A, page, first, 0, s);
    int64_t j = 0;
    for (; j + LONG_TILE_COLUMNS <= to->columns; j += LONG_TILE_COLUMNS)
      for (int64_t r = 0; r < used; r += LONG_TILE_ROWS)
        long_tile (s, first, r, used, z, to, j, LONG_TILE_COLUMNS);
    for (; j < to->columns; j++)
      for (int64_t r = 0; r < used; r += LONG_TILE_ROWS)
        long_tile (s, first, r, used, z, to, j, 1);
  }
}

#endif
