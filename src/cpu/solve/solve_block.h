// solve_block.h: large pages: LU with partial pivoting and Cholesky by blocks of columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Right-looking, with the next block factored while the other strips are updated. Threads that
// work on one page take strips of columns, with a BLAS of one thread. The polls between the pieces
// make the work of one page stoppable.

#ifndef GPULINALG_CPU_SOLVE_BLOCK_H
#define GPULINALG_CPU_SOLVE_BLOCK_H

#include "solve_space.h"

// Columns of a block; columns of a strip are between these, and strips of a page are so many in
// that range.
enum { UPDATE_LEAST = 64, UPDATE_MOST = 256, UPDATE_STRIPS = 8 };

static int64_t block_width (int64_t n)
{
  return n <= 640 ? 64 : 128;
}

// Columns of a strip: enough strips for many threads, each long enough for products at full speed
// and short enough, about 20 ms, for polling.
static int64_t update_columns (int64_t n)
{
  const double column = 2.0 * (double)n * (double)block_width (n) * GLA_PARTS * GLA_PARTS;
  const int64_t most = gla_max (32, (int64_t)(4e8 / column));
  const int64_t share = gla_max (UPDATE_LEAST, n / UPDATE_STRIPS / 16 * 16);
  return gla_min (most, gla_min (share, UPDATE_MOST));
}

//------------------------------------------------------------------------------
// LU
//------------------------------------------------------------------------------

// The exchanges of pivots first .. end-1 in some columns.
static void exchange_rows (const lu_space *w, int64_t first, int64_t end, int64_t j, int64_t count)
{
  const gla_blas_int columns = (gla_blas_int)count, ld = (gla_blas_int)w->ld, one = 1;
  const gla_blas_int k1 = (gla_blas_int)first + 1, k2 = (gla_blas_int)end;
  if (columns < 1 || end <= first)
    return;
  gla_blas_in ();
  GLA_BLAS (laswp) (&columns, a_at (w, 0, j), &ld, &k1, &k2, w->pivots, &one);
  gla_blas_out ();
}

static void lu_panel (lu_work *k, int64_t j)
{
  const lu_space *w = k->w;
  const int64_t width = gla_min (block_width (w->n), w->n - j);
  const gla_blas_int m = (gla_blas_int)(w->n - j), n = (gla_blas_int)width;
  const gla_blas_int ld = (gla_blas_int)w->ld;
  gla_blas_int info = 0;
  gla_blas_in ();
  GLA_BLAS (getrf) (&m, &n, a_at (w, j, j), &ld, w->pivots + j, &info);
  gla_blas_out ();
  for (int64_t i = j; i < j + width; i++)
    w->pivots[i] += (gla_blas_int)j;
  if (info > 0 && k->info == 0)
    k->info = info + (gla_blas_int)j;
}

// Columns c .. c+count-1 by the block at k->j.
static void lu_update (const lu_work *k, int64_t c, int64_t count)
{
  const lu_space *w = k->w;
  const int64_t j = k->j, n = w->n, width = gla_min (block_width (n), n - j), next = j + width;
  exchange_rows (w, j, next, c, count);
  trsm ((triangle_form){"L", "L", "N", "U"}, width, count, 1, a_at (w, j, j), w->ld, a_at (w, j, c),
        w->ld);
  gemm ("N", "N", n - next, count, width, -1, a_at (w, next, j), w->ld, a_at (w, j, c), w->ld, 1,
        a_at (w, next, c), w->ld);
}

//------------------------------------------------------------------------------
// Cholesky
//------------------------------------------------------------------------------

// L of the block at j; info where it is not definite.
static void definite_panel (lu_work *k, int64_t j)
{
  const lu_space *w = k->w;
  const int64_t width = gla_min (block_width (w->n), w->n - j), next = j + width;
  const gla_blas_int n = (gla_blas_int)width, ld = (gla_blas_int)w->ld;
  gla_blas_int info = 0;
  if (k->info != 0)
    return;
  gla_blas_in ();
  GLA_BLAS (potrf) ("L", &n, a_at (w, j, j), &ld, &info, 1);
  gla_blas_out ();
  if (info != 0)
    k->info = info + (gla_blas_int)j;
  else
    trsm ((triangle_form){"R", "L", "C", "N"}, w->n - next, width, 1, a_at (w, j, j), w->ld,
          a_at (w, next, j), w->ld);
}

// Columns c .. from row c on; what is written above the diagonal means nothing.
static void definite_update (const lu_work *k, int64_t c, int64_t count)
{
  const lu_space *w = k->w;
  const int64_t j = k->j, width = gla_min (block_width (w->n), w->n - j);
  gemm ("N", "C", w->n - c, count, width, -1, a_at (w, c, j), w->ld, a_at (w, c, j), w->ld, 1,
        a_at (w, c, c), w->ld);
}

//------------------------------------------------------------------------------
// both
//------------------------------------------------------------------------------

static void factor_panel (lu_work *k, int64_t j)
{
  if (k->w->kind == LU_DEFINITE)
    definite_panel (k, j);
  else
    lu_panel (k, j);
}

static void factor_update (const lu_work *k, int64_t c, int64_t count)
{
  if (k->w->kind == LU_DEFINITE)
    definite_update (k, c, count);
  else
    lu_update (k, c, count);
}

// Piece 0 is the columns of the next block and its factors, which the others need not wait for
// (look-ahead); a strip of the rest each are those that follow.
static void factor_piece (void *user, int64_t piece, int member)
{
  lu_work *k = user;
  const int64_t n = k->w->n, width = block_width (n), strip = update_columns (n);
  const int64_t next = gla_min (n, k->j + width), after = gla_min (n, next + width);
  const int64_t c = after + (piece - 1) * strip;
  if (gla_cpu_lu_stopped (k->task, member))
    return;
  if (piece > 0) {
    factor_update (k, c, gla_min (strip, n - c));
    return;
  }
  factor_update (k, next, after - next);
  if (!gla_cpu_lu_stopped (k->task, member))
    factor_panel (k, next);
}

// The exchanges of later blocks in the columns of L: a block each.
static void exchange_piece (void *user, int64_t piece, int member)
{
  const lu_work *k = user;
  const int64_t n = k->w->n, width = block_width (n), j = piece * width;
  if (!gla_cpu_lu_stopped (k->task, member))
    exchange_rows (k->w, j + width, n, j, width);
}

// L and U, or L of a definite matrix, which ends early where it has none. Sets info. Returns 0
// when the work must end.
static int block_factor (lu_work *k)
{
  const int64_t n = k->w->n, width = block_width (n), strip = update_columns (n);
  const int definite = k->w->kind == LU_DEFINITE;
  k->info = 0;
  factor_panel (k, 0);
  for (int64_t j = 0; j + width < n && !(definite && k->info != 0); j += width) {
    k->j = j;
    const int64_t after = gla_min (n, j + 2 * width);
    gla_cpu_lu_for (k->task, 1 + pieces_of (n - after, strip), factor_piece, k);
    if (gla_cpu_lu_stopped (k->task, 0))
      return 0;
  }
  if (!definite && n > width)
    gla_cpu_lu_for (k->task, pieces_of (n, width) - 1, exchange_piece, k);
  return !gla_cpu_lu_stopped (k->task, 0);
}

#endif
