// solve_block.h: large pages: LU and Cholesky by blocks of columns, and pivots without a finite
// reciprocal
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SOLVE_BLOCK_H
#define GPULINALG_CPU_SOLVE_BLOCK_H

#include "solve_space.h"

//------------------------------------------------------------------------------
// large pages: LU with partial pivoting and Cholesky by blocks of columns
//------------------------------------------------------------------------------

// The method is right-looking, with the next block factored while the other strips are updated.
// Threads that share a page take strips of columns, with a BLAS of one thread. Polls between the
// pieces allow stopping within a page.

// Columns of a block; columns of a strip are between these, with UPDATE_STRIPS strips of a page in
// that range.
enum { UPDATE_LEAST = 64, UPDATE_MOST = 256, UPDATE_STRIPS = 8 };

static int64_t block_width (int64_t n)
{
  return n <= 640 ? 64 : 128;
}

// Returns columns of a strip: enough strips for many threads, each long enough for products at full
// speed and short enough, about 20 ms, for polling.
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

// Applies the exchanges of pivots first .. end-1 to some columns.
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

// Updates columns c .. c+count-1 by the block at k->j.
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

// Finds L of the block at j; sets info if it is not definite.
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

// Updates columns c .. from row c on; what is written above the diagonal is not used.
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

// Piece 0 is the next block and its factors, so that the others need not wait for it (look-ahead);
// each following piece is a strip of the rest.
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

// Applies the exchanges of later blocks to the columns of L: a piece is a block.
static void exchange_piece (void *user, int64_t piece, int member)
{
  const lu_work *k = user;
  const int64_t n = k->w->n, width = block_width (n), j = piece * width;
  if (!gla_cpu_lu_stopped (k->task, member))
    exchange_rows (k->w, j + width, n, j, width);
}

// Finds L and U, or L of a definite matrix, where it ends early if there is none. Sets info.
// Returns 0 when the work must end.
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

//------------------------------------------------------------------------------
// systems whose pivots have no finite reciprocal
//------------------------------------------------------------------------------

// The BLAS multiplies by reciprocals of pivots, and that of a subnormal number may overflow. Here
// rows and columns are scaled by powers of two, and the rest is divided by the pivots. The powers
// of a row and a column of the inverse are applied together, so that an element overflows only if
// the result does.

// Exponents of the rows and the columns; row i of the factors is row order[i] of the matrix.
typedef struct {
  gla_blas_int *row, *column, *order;
  scalar *x, *y; // two columns
} lu_divided;

static scalar shifted (scalar x, int e)
{
  return scalar_make ((real)scalbn ((double)__real__ x, e), (real)scalbn ((double)__imag__ x, e));
}

static real pivot_size (scalar x)
{
  return real_abs (__real__ x) + real_abs (__imag__ x);
}

// Returns the exponent of the larger part; for 0 one far below all others.
static int binary_exponent (scalar x)
{
  const double size = fmax (fabs ((double)__real__ x), fabs ((double)__imag__ x));
  return size > 0 && size <= GLA_MAX ? ilogb (size) : -4 * GLA_BIAS;
}

static scalar quotient (scalar x, scalar d)
{
#if GLA_COMPLEX
  const int e = binary_exponent (d);
  d = shifted (d, -e);
  return shifted (scalar_scale (1 / scalar_abs2 (d), x * scalar_conj (d)), -e);
#else
  return x / d;
#endif
}

// Whether a diagonal element of the factors is not 0 and has no reciprocal, or is not finite
// because one before it had none.
static int needs_division (const lu_space *w)
{
  for (int64_t j = 0; j < w->n; j++) {
    const real size = pivot_size (w->a[j + j * w->ld]);
    if (size != 0 && !(size >= 2 * GLA_TINY && size <= GLA_MAX))
      return 1;
  }
  return 0;
}

// Loads the matrix with its largest entries of rows and then of columns between 1 and 2.
static void divide_load (lu_work *k, lu_space *w, lu_divided *d)
{
  w->exponent = 0;
  load_matrix (k);
  for (int64_t i = 0; i < w->n; i++) {
    int most = -4 * GLA_BIAS;
    for (int64_t j = 0; j < w->n; j++)
      most = gla_max (most, binary_exponent (w->a[i + j * w->ld]));
    d->row[i] = most > -4 * GLA_BIAS ? -most : 0;
  }
  for (int64_t j = 0; j < w->n; j++) {
    scalar *a = w->a + j * w->ld;
    int most = -4 * GLA_BIAS;
    for (int64_t i = 0; i < w->n; i++)
      if (__real__ a[i] != 0 || __imag__ a[i] != 0)
        most = (int)gla_max (most, binary_exponent (a[i]) + d->row[i]);
    d->column[j] = most > -4 * GLA_BIAS ? -most : 0;
    for (int64_t i = 0; i < w->n; i++)
      a[i] = shifted (a[i], d->row[i] + d->column[j]);
  }
}

static void divide_exchange (const lu_space *w, lu_divided *d, int64_t i, int64_t p)
{
  const gla_blas_int row = d->order[i];
  d->order[i] = d->order[p];
  d->order[p] = row;
  for (int64_t j = 0; j < w->n; j++) {
    const scalar x = w->a[i + j * w->ld];
    w->a[i + j * w->ld] = w->a[p + j * w->ld];
    w->a[p + j * w->ld] = x;
  }
}

// Finds L and U. Sets k->info. Returns 0 when the work must end.
static int divide_factor (lu_work *k, lu_divided *d)
{
  const lu_space *w = k->w;
  const int triangle = w->kind == LU_UPPER || w->kind == LU_LOWER;
  k->info = 0;
  for (int64_t j = 0; j < w->n; j++)
    d->order[j] = (gla_blas_int)j;
  for (int64_t j = 0; j < w->n && !gla_cpu_lu_stopped (k->task, 0); j++) {
    scalar *l = w->a + j * w->ld;
    int64_t p = j;
    for (int64_t i = j + 1; i < w->n && !triangle; i++)
      p = pivot_size (l[i]) > pivot_size (l[p]) ? i : p;
    if (p != j)
      divide_exchange (w, d, j, p);
    if (pivot_size (l[j]) == 0 && k->info == 0)
      k->info = (gla_blas_int)(j + 1);
    if (triangle || pivot_size (l[j]) == 0)
      continue;
    for (int64_t i = j + 1; i < w->n; i++)
      l[i] = quotient (l[i], l[j]);
    for (int64_t c = j + 1; c < w->n; c++) {
      scalar *a = w->a + c * w->ld;
      for (int64_t i = j + 1; i < w->n && pivot_size (a[j]) != 0; i++)
        a[i] -= l[i] * a[j];
    }
  }
  return !gla_cpu_lu_stopped (k->task, 0);
}

static void divide_column (const lu_space *w, scalar *y)
{
  const int lower = w->kind == LU_LOWER;
  for (int64_t j = 0; j < w->n && w->kind != LU_UPPER; j++) {
    const scalar *l = w->a + j * w->ld;
    if (lower)
      y[j] = quotient (y[j], l[j]);
    for (int64_t i = j + 1; i < w->n && pivot_size (y[j]) != 0; i++)
      y[i] -= l[i] * y[j];
  }
  for (int64_t j = w->n - 1; j >= 0 && !lower; j--) {
    const scalar *u = w->a + j * w->ld;
    y[j] = quotient (y[j], u[j]);
    for (int64_t i = 0; i < j && pivot_size (y[j]) != 0; i++)
      y[i] -= u[i] * y[j];
  }
}

// Divides a column of B by another power of two if scaled rows would overflow.
static void divide_right_side (const lu_work *k, const lu_divided *d, int64_t c)
{
  enum { ROOM = 40 };
  const lu_space *w = k->w;
  int shift = 0;
  copy_right_sides (k->shape, k->s, c, 1, 0, d->x, w->ld);
  for (int64_t i = 0; i < w->n; i++)
    shift = (int)gla_max (shift, binary_exponent (d->x[i]) + d->row[i] - (GLA_BIAS - ROOM));
  for (int64_t i = 0; i < w->n; i++)
    d->y[i] = shifted (d->x[d->order[i]], d->row[d->order[i]] - shift);
  divide_column (w, d->y);
  for (int64_t i = 0; i < w->n; i++)
    d->y[i] = shifted (d->y[i], d->column[i] + shift);
  store_columns (k->shape, k->s, c, 1, d->y, w->ld);
}

// Computes column c of the inverse times 2^e.
static void divide_unit (const lu_work *k, const lu_divided *d, int64_t c, int e)
{
  for (int64_t i = 0; i < k->w->n; i++)
    d->y[i] = scalar_make (d->order[i] == c, 0);
  divide_column (k->w, d->y);
  for (int64_t i = 0; i < k->w->n; i++)
    d->y[i] = shifted (d->y[i], d->column[i] + d->row[c] + e);
}

static real divide_rcond (const lu_work *k, const lu_divided *d, real norm)
{
  enum { DOWN = 64 }; // the inverse may overflow
  real inverse = 0;
  for (int64_t c = 0; c < k->w->n && !gla_cpu_lu_stopped (k->task, 0); c++) {
    divide_unit (k, d, c, -DOWN);
    const real sum = column_sum (d->y, k->w->n);
    inverse = sum <= inverse ? inverse : sum;
  }
  const real rcond = (real)scalbn ((double)(1 / inverse / norm), -DOWN);
  return rcond >= 0 && rcond <= 1 ? rcond : 0;
}

// Factors the matrix anew, and solves if it is not singular: then k->info is 0. norm: that of the
// matrix as it was loaded last. Returns 0 when the work must end.
static int divide_solve (lu_work *k, lu_space *w, real norm, real *rcond)
{
  lu_divided d = {w->integers, w->integers + w->n, w->integers + 2 * w->n, (scalar *)w->work,
                  (scalar *)w->work + w->ld};
  norm = (real)scalbn ((double)norm, w->exponent);
  w->kind = w->kind == LU_DEFINITE ? LU_FULL : w->kind;
  divide_load (k, w, &d);
  if (!divide_factor (k, &d) || k->info != 0)
    return k->info != 0;
  if (k->shape->rcond)
    *rcond = divide_rcond (k, &d, norm);
  for (int64_t c = 0; c < k->shape->columns && !k->shape->inverse; c++)
    if (!gla_cpu_lu_stopped (k->task, 0))
      divide_right_side (k, &d, c);
  for (int64_t c = 0; c < w->n && k->shape->inverse; c++) {
    if (gla_cpu_lu_stopped (k->task, 0))
      return 0;
    divide_unit (k, &d, c, 0);
    for (int64_t i = 0; i < w->n; i++)
      memcpy (k->s->X.at + i * k->s->X.row + c * k->s->X.column, d.y + i, sizeof *d.y);
  }
  return !gla_cpu_lu_stopped (k->task, 0);
}

#endif
