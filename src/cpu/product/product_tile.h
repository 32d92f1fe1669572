// product_tile.h: a tile of a product in registers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A tile of C = A*B has a few registers of rows and a few columns; a(:,l) * b(l,j) is added to each
// of its elements for l = 0, 1, .. So an element is one sum in the order of l, whichever tile it is
// in and whatever else is computed.
//
// A complex number is a pair of real rows. Complex A, real B: a real product with twice the rows.
// Real A, complex B: the same with each row of A twice, and alternately the real and imaginary part
// of b. Both complex: one sum with the real part of b and one with the imaginary part, whose pairs
// are swapped, with a sign, and added at the end.

#ifndef GPULINALG_CPU_PRODUCT_TILE_H
#define GPULINALG_CPU_PRODUCT_TILE_H

#include "cpu/common/lanes.h"

typedef enum { REAL_B, REAL_A, BOTH_COMPLEX } operands_kind;

// Registers of rows, and columns, of the largest tile: their sums fill the 16 or 32 registers.
#if GLA_VECTOR_BYTES == 64
enum { TILE_ROWS = 3, TILE_COLUMNS = 8, COMPLEX_ROWS = 3, COMPLEX_COLUMNS = 4 };
#else
enum { TILE_ROWS = 3, TILE_COLUMNS = 4, COMPLEX_ROWS = 2, COMPLEX_COLUMNS = 3 };
#endif

// Places in A, B and C of the next page, which is prefetched while this page is computed: a line of
// each for every term of a tile whose number l has no bit of `skip`, `step` bytes further each
// time.
typedef struct {
  const char *at[3];
  int64_t step[3];
  int64_t skip;
} lookahead;

// Registers of rows of A: register v of column l is at a + l*column + at[v]. Its rows are those of
// C from to[v] on.
typedef struct {
  const real *a;
  int64_t column;
  int64_t at[TILE_ROWS], to[TILE_ROWS];
  lookahead *ahead; // NULL: nothing is prefetched
} row_panel;

// Columns of op (B): element (l, j) is at b + l*row + j*column, followed by its imaginary part,
// which is multiplied by `sign`. `depth` is the number of rows.
typedef struct {
  const real *b;
  int64_t row, column, depth;
  real sign;
} column_panel;

// (a, b, a, b, ..)
static inline vec in_turn (real a, real b)
{
  mask odd;
  for (int l = 0; l < GLA_LANES; l++)
    odd[l] = -(l & 1);
  return vec_select (odd, vec_broadcast (b), vec_broadcast (a));
}

// A compiler that saw how the addresses in a loop change would keep a pointer to each of them,
// which are more than the processor has registers for.
static inline const void *moved (const void *at, int64_t bytes)
{
  at = (const char *)at + bytes;
  __asm__("" : "+r"(at));
  return at;
}

static inline __attribute__ ((always_inline)) void fetch_ahead (lookahead *f)
{
  __builtin_prefetch (f->at[0], 0, 1);
  __builtin_prefetch (f->at[1], 0, 1);
  __builtin_prefetch (f->at[2], 1);
  for (int k = 0; k < 3; k++)
    f->at[k] = moved (f->at[k], f->step[k]);
}

// Computes the tile of V registers of rows and the columns first .. first+N-1, and adds it to C if
// `more` is set, else stores it. V, N and kind are constants where this is inlined.
static inline __attribute__ ((always_inline)) void
product_tile (const row_panel *p, int V, const column_panel *q, int64_t first, int N,
              operands_kind kind, int ahead, int more, real *c, int64_t ldc)
{
  // eight columns, so that the cases that are never compiled stay inside, too
  vec sum[TILE_ROWS][8], turned[TILE_ROWS][8];
  const vec parts = in_turn (1, q->sign), signs = in_turn (-q->sign, q->sign);
  const real *b = q->b + first * q->column;
  c += first * ldc;
  for (int v = 0; v < V; v++)
    for (int j = 0; j < N; j++) {
      sum[v][j] = more ? (vec) * (const vec_anywhere *)(c + j * ldc + p->to[v]) : (vec){0};
      if (kind == REAL_A)
        sum[v][j] *= parts;
      if (kind == BOTH_COMPLEX)
        turned[v][j] = (vec){0};
    }
  lookahead f = {.skip = 0};
  if (ahead)
    f = *p->ahead;
  const int64_t a_step = p->column * (int64_t)sizeof (real), column = q->column,
                b_step = q->row * (int64_t)sizeof (real);
  int64_t at[TILE_ROWS];
  for (int v = 0; v < V; v++)
    at[v] = p->at[v] - p->at[0];
  const real *a = p->a + p->at[0], *fourth[2] = {b, b + 4 * column};
  for (int64_t l = q->depth - 1; l >= 0; l--) {
    vec x[TILE_ROWS];
    if (ahead && (l & f.skip) == 0)
      fetch_ahead (&f);
    for (int v = 0; v < V; v++)
      x[v] = (vec) * (const vec_anywhere *)(a + at[v]);
    a = moved (a, a_step);
    for (int j = 0; j < N; j++) {
      const real *e = fourth[j / 4] + j % 4 * column;
      const vec y = kind == REAL_A ? in_turn (e[0], e[1]) : vec_broadcast (e[0]);
      for (int v = 0; v < V; v++)
        sum[v][j] += x[v] * y;
      if (kind == BOTH_COMPLEX) {
        const vec z = vec_broadcast (e[1]);
        for (int v = 0; v < V; v++)
          turned[v][j] += x[v] * z;
      }
    }
    for (int t = 0; t < (N + 3) / 4; t++)
      fourth[t] = moved (fourth[t], b_step);
  }
  if (ahead)
    *p->ahead = f;
  for (int j = 0; j < N; j++)
    for (int v = 0; v < V; v++) {
      vec s = sum[v][j];
      if (kind == REAL_A)
        s *= parts;
      if (kind == BOTH_COMPLEX)
        s += exchange_lanes (turned[v][j], turned[v][j], 1) * signs;
      *(vec_anywhere *)(c + j * ldc + p->to[v]) = (vec_anywhere)s;
    }
}

static inline __attribute__ ((always_inline)) void
columns_product (const row_panel *p, int V, const column_panel *q, int64_t n, operands_kind kind,
                 int ahead, int more, real *c, int64_t ldc)
{
  const int most = kind == BOTH_COMPLEX ? COMPLEX_COLUMNS : TILE_COLUMNS;
  int64_t j = 0;
  for (; j + most <= n; j += most) {
    product_tile (p, V, q, j, most, kind, ahead, more, c, ldc);
  }
  // fewer than `most` are left: the other cases are never compiled
  switch (n - j) {
  case 1:
    product_tile (p, V, q, j, 1, kind, ahead, more, c, ldc);
    break;
  case 2:
    product_tile (p, V, q, j, 2, kind, ahead, more, c, ldc);
    break;
  case 3:
    if (most > 3)
      product_tile (p, V, q, j, 3, kind, ahead, more, c, ldc);
    break;
  case 4:
    if (most > 4)
      product_tile (p, V, q, j, 4, kind, ahead, more, c, ldc);
    break;
  case 5:
    if (most > 5)
      product_tile (p, V, q, j, 5, kind, ahead, more, c, ldc);
    break;
  case 6:
    if (most > 6)
      product_tile (p, V, q, j, 6, kind, ahead, more, c, ldc);
    break;
  case 7:
    if (most > 7)
      product_tile (p, V, q, j, 7, kind, ahead, more, c, ldc);
    break;
  }
}

// There are separate loops with and without prefetching, which takes a third of the reads of a
// small register.
static inline __attribute__ ((always_inline)) void kind_product (const row_panel *p, int V,
                                                                 const column_panel *q, int64_t n,
                                                                 operands_kind kind, int more,
                                                                 real *c, int64_t ldc)
{
  if (p->ahead)
    columns_product (p, V, q, n, kind, 1, more, c, ldc);
  else
    columns_product (p, V, q, n, kind, 0, more, c, ldc);
}

static inline __attribute__ ((always_inline)) void kinds_product (const row_panel *p, int V,
                                                                  const column_panel *q, int64_t n,
                                                                  operands_kind kind, int more,
                                                                  real *c, int64_t ldc)
{
#if GLA_COMPLEX
  if (kind == REAL_A) {
    kind_product (p, V, q, n, REAL_A, more, c, ldc);
    return;
  }
  if (kind == BOTH_COMPLEX) {
    kind_product (p, V <= COMPLEX_ROWS ? V : COMPLEX_ROWS, q, n, BOTH_COMPLEX, more, c, ldc);
    return;
  }
#endif
  (void)kind;
  kind_product (p, V, q, n, REAL_B, more, c, ldc);
}

static __attribute__ ((noinline)) void rows_of_1 (const row_panel *p, const column_panel *q,
                                                  int64_t n, operands_kind kind, int more, real *c,
                                                  int64_t ldc)
{
  kinds_product (p, 1, q, n, kind, more, c, ldc);
}

static __attribute__ ((noinline)) void rows_of_2 (const row_panel *p, const column_panel *q,
                                                  int64_t n, operands_kind kind, int more, real *c,
                                                  int64_t ldc)
{
  kinds_product (p, 2, q, n, kind, more, c, ldc);
}

static __attribute__ ((noinline)) void rows_of_3 (const row_panel *p, const column_panel *q,
                                                  int64_t n, operands_kind kind, int more, real *c,
                                                  int64_t ldc)
{
  kinds_product (p, 3, q, n, kind, more, c, ldc);
}

// Computes the panel's rows of the columns 0 .. n-1, V registers of them. The loops are in separate
// functions, in which the compiler finds registers for all that they need.
static inline void product_rows (const row_panel *p, int V, const column_panel *q, int64_t n,
                                 operands_kind kind, int more, real *c, int64_t ldc)
{
  if (V == 1)
    rows_of_1 (p, q, n, kind, more, c, ldc);
  else if (V == 2)
    rows_of_2 (p, q, n, kind, more, c, ldc);
  else
    rows_of_3 (p, q, n, kind, more, c, ldc);
}

#endif
