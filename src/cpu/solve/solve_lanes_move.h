// solve_lanes_move.h: copies numbers between arrays and lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// lanes_move.h copies contiguous numbers; others are copied one by one.

#ifndef GPULINALG_CPU_SOLVE_LANES_MOVE_H
#define GPULINALG_CPU_SOLVE_LANES_MOVE_H

#include "cpu/common/lanes_move.h"

#include "solve_system.h"

#include <string.h>

//------------------------------------------------------------------------------
// columns
//------------------------------------------------------------------------------

static inline __attribute__ ((always_inline)) num lanes_gather_num (const lanes_sources *from,
                                                                    int64_t at, const lu_input *in)
{
  num x = num_from_real (lanes_gather_real (from, at));
#if GLA_COMPLEX
  if (in->parts > 1)
    x.im = lanes_gather_real (from, at + 1) * vec_broadcast (in->sign);
#endif
  (void)in;
  return x;
}

static inline __attribute__ ((always_inline)) void lanes_scatter_num (const lanes_targets *to,
                                                                      int64_t at, num x)
{
  lanes_scatter_real (to, at, x.re);
#if GLA_COMPLEX
  lanes_scatter_real (to, at + 1, x.im);
#endif
}

static inline void lanes_set_sign (num *x, int64_t count, const lu_input *in)
{
#if GLA_COMPLEX
  if (in->parts > 1 && in->sign < 0)
    for (int64_t i = 0; i < count; i++)
      x[i] = num_conj (x[i]);
#endif
  (void)x;
  (void)count;
  (void)in;
}

// Whether numbers are contiguous in memory and as matrix elements.
static inline int lanes_is_run (const lu_input *in, int64_t stride)
{
  return in->parts == GLA_PARTS && stride == GLA_PARTS;
}

// Loads rows 0 .. n-1 of a column.
static __attribute__ ((noinline)) void
lanes_load_rows (num *to, int64_t n, const lanes_sources *from, const lu_input *in)
{
  if (lanes_is_run (in, in->row)) {
    lanes_load_run ((vec *)to, from, n * GLA_PARTS);
    lanes_set_sign (to, n, in);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    to[i] = lanes_gather_num (from, i * in->row, in);
}

// Loads row perm[i] of each lane into register i.
static __attribute__ ((noinline)) void lanes_load_permuted (num *to, int64_t n,
                                                            const lanes_sources *from,
                                                            const lu_input *in, const mask *perm)
{
  for (int64_t i = 0; i < n; i++) {
    num x = num_zero ();
#pragma GCC unroll 16
    for (int l = 0; l < GLA_LANES; l++) {
      const real *e = from->at[l] + perm[i][l] * in->row;
      x.re[l] = e[0];
#if GLA_COMPLEX
      x.im[l] = in->parts > 1 ? e[1] * in->sign : 0;
#endif
    }
    to[i] = x;
  }
}

static __attribute__ ((noinline)) void lanes_store_rows (const lanes_targets *to, int64_t row,
                                                         int64_t n, const num *from)
{
  if (row == GLA_PARTS) {
    lanes_store_run (to, (const vec *)from, n * GLA_PARTS);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    lanes_scatter_num (to, i * row, from[i]);
}

//------------------------------------------------------------------------------
// square matrices
//------------------------------------------------------------------------------

static inline void lanes_transpose_matrix (num *a, int n)
{
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++) {
      const num x = a[i + j * n];
      a[i + j * n] = a[j + i * n];
      a[j + i * n] = x;
    }
}

// Loads element (i, j) into register i + j*n.
static void lanes_load_matrix (num *a, int n, const lanes_sources *from, const lu_input *in)
{
  const int turned = !lanes_is_run (in, in->row) && lanes_is_run (in, in->column);
  const int64_t inner = turned ? in->column : in->row, outer = turned ? in->row : in->column;
  if (lanes_is_run (in, inner) && outer == n * GLA_PARTS) {
    lanes_load_run ((vec *)a, from, (int64_t)n * n * GLA_PARTS);
    lanes_set_sign (a, (int64_t)n * n, in);
  } else {
    lu_input column = *in;
    column.row = inner;
    for (int j = 0; j < n; j++) {
      lanes_sources s;
      for (int l = 0; l < GLA_LANES; l++)
        s.at[l] = from->at[l] + j * outer;
      lanes_load_rows (a + j * n, n, &s, &column);
    }
  }
  if (turned)
    lanes_transpose_matrix (a, n);
}

// Copies so many real numbers, in pieces of `piece`; the last one begins earlier and ends with
// them.
static inline __attribute__ ((always_inline)) void lanes_copy (real *to, const real *from,
                                                               int64_t count, int piece)
{
  const size_t bytes = (size_t)piece * sizeof (real);
  for (int64_t i = 0; i + piece <= count; i += piece)
    memcpy (to + i, from + i, bytes);
  if (count % piece)
    memcpy (to + count - piece, from + count - piece, bytes);
}

static inline void lanes_copy_column (real *to, int64_t row, int64_t n, const real *from)
{
  if (row == GLA_PARTS && n * GLA_PARTS >= 4)
    lanes_copy (to, from, n * GLA_PARTS, 4);
  else if (row == GLA_PARTS && n * GLA_PARTS >= 2)
    lanes_copy (to, from, n * GLA_PARTS, 2);
  else
    for (int64_t i = 0; i < n; i++)
      memcpy (to + i * row, from + i * GLA_PARTS, sizeof (scalar));
}

// Stores column j of each lane in column perm[j] of its page; through `stage` if a column is
// shorter than a register.
static void lanes_store_permuted (const lanes_targets *to, const lu_output *out, int n,
                                  const num *a, const mask *perm, real *stage)
{
  const int64_t size = (int64_t)n * n * GLA_PARTS;
  lanes_targets s = {.live = to->live};
  for (int j = 0; j < n && n * GLA_PARTS >= GLA_LANES; j++) {
    for (int l = 0; l < GLA_LANES; l++)
      s.at[l] = to->at[l] + perm[j][l] * out->column;
    lanes_store_rows (&s, out->row, n, a + j * n);
  }
  if (n * GLA_PARTS >= GLA_LANES)
    return;
  for (int l = 0; l < GLA_LANES; l++)
    s.at[l] = stage + l * size;
  lanes_store_run (&s, (const vec *)a, size);
  for (int l = 0; l < GLA_LANES; l++)
    for (int j = 0; (to->live >> l & 1) && j < n; j++)
      lanes_copy_column (to->at[l] + perm[j][l] * out->column, out->row, n,
                         s.at[l] + (int64_t)j * n * GLA_PARTS);
}

static void lanes_store_matrix (const lanes_targets *to, const lu_output *out, int n, const num *a)
{
  if (out->row == GLA_PARTS && out->column == n * GLA_PARTS) {
    lanes_store_run (to, (const vec *)a, (int64_t)n * n * GLA_PARTS);
    return;
  }
  for (int j = 0; j < n; j++) {
    lanes_targets t = {.live = to->live};
    for (int l = 0; l < GLA_LANES; l++)
      t.at[l] = to->at[l] + j * out->column;
    lanes_store_rows (&t, out->row, n, a + j * n);
  }
}

#endif
