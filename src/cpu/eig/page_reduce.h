// page_reduce.h: reduces one page to tridiagonal form, and transforms vectors back, by a team
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_EIG_PAGE_REDUCE_H
#define GPULINALG_CPU_EIG_PAGE_REDUCE_H

#include "page_product.h"
#include "scale.h"

//------------------------------------------------------------------------------
// one page to tridiagonal form, by all threads of its team
//------------------------------------------------------------------------------

// A = Q T Q^H with the reflectors of LAPACK's ?sytrd for the lower triangle, in panels as in its
// ?latrd: within a panel A - P S^H represents the matrix, and after the panel the product is
// subtracted. The columns of P are v0 w0 v1 w1 and so on, those of S w0 v0 w1 v1. Half of the
// arithmetic are the products A v, which read the lower triangle once per column. They are cut into
// strips of columns, each with its own sum, and so is the subtraction: the threads share all of it,
// and the sums do not depend on the number of threads. The monitor is polled once per column.

//------------------------------------------------------------------------------
// panels
//------------------------------------------------------------------------------

// Computes y -= M x, and y = M^H x, for rows of p or s.
static void subtract_panel (const reduction *r, int64_t rows, int64_t columns, const scalar *m,
                            const scalar *x, scalar *y)
{
  const gla_blas_int k = (gla_blas_int)rows, c = (gla_blas_int)columns;
  const gla_blas_int ld = (gla_blas_int)r->ld, one = 1;
  const real minus[2] = {-1, 0}, plus[2] = {1, 0};
  gla_blas_in ();
  GLA_BLAS (gemv)
  ("N", &k, &c, minus, (const real *)m, &ld, (const real *)x, &one, plus, (real *)y, &one, 1);
  gla_blas_out ();
}

static void panel_products (const reduction *r, int64_t rows, int64_t columns, const scalar *m,
                            const scalar *x, scalar *y)
{
  const gla_blas_int k = (gla_blas_int)rows, c = (gla_blas_int)columns;
  const gla_blas_int ld = (gla_blas_int)r->ld, one = 1;
  const real plus[2] = {1, 0}, zero[2] = {0, 0};
  gla_blas_in ();
  GLA_BLAS (gemv)
  ("C", &k, &c, plus, (const real *)m, &ld, (const real *)x, &one, zero, (real *)y, &one, 1);
  gla_blas_out ();
}

// Computes column k of A - P S^H, with `columns` columns of P and S, in the page.
static void update_column (const reduction *r, int64_t k, int64_t columns)
{
  if (columns == 0)
    return;
  for (int64_t j = 0; j < columns; j++)
    r->vector[j] = scalar_conj (r->s[k + j * r->ld]);
  subtract_panel (r, r->n - k, columns, r->p + k, r->vector, r->a + k + k * r->lda);
}

// Makes reflector k from column k of the page; its vector stays there, with the 1 in row k+1.
static void make_reflector (const reduction *r, int64_t k)
{
  scalar *column = r->a + k * r->lda;
  const int64_t next = k + 2 < r->n ? k + 2 : r->n - 1;
  const gla_blas_int length = (gla_blas_int)(r->n - k - 1), one = 1;
  r->d[k] = __real__ column[k];
  GLA_BLAS (larfg)
  (&length, (real *)(column + k + 1), (real *)(column + next), &one, (real *)(r->tau + k));
  r->e[k] = __real__ column[k + 1];
  column[k + 1] = 1;
}

// Computes w = tau (A - P S^H) v, then w - 1/2 tau (w^H v) v: number j of the panel, in p and s.
// Rows up to k are never read.
static void second_column (const reduction *r, int64_t k, int64_t j)
{
  const int64_t from = k + 1, rows = r->n - from;
  scalar *v = r->p + 2 * j * r->ld, *w = v + r->ld;
  const int64_t begin = from / LANE_SCALARS * LANE_SCALARS;
  memset (v + begin, 0, (size_t)(from - begin) * sizeof *v);
  memcpy (v + from, r->a + from + k * r->lda, (size_t)rows * sizeof *v);
  reduction_product (r, from, v, w);
  if (j > 0) {
    panel_products (r, rows, 2 * j, r->s + from, v + from, r->vector);
    subtract_panel (r, rows, 2 * j, r->p + from, r->vector, w + from);
  }
  panel_products (r, rows, 1, w + from, v + from, r->vector);
  const scalar tau = r->tau[k];
  const scalar f = scalar_scale (-scalar_abs2 (tau) / 2, r->vector[0]);
  for (int64_t i = from; i < r->n; i++)
    w[i] = scalar_mul (tau, w[i]) + scalar_mul (f, v[i]);
  scalar *s = r->s + 2 * j * r->ld + from;
  memcpy (s, w + from, (size_t)rows * sizeof *s);
  memcpy (s + r->ld, v + from, (size_t)rows * sizeof *s);
}

// Computes A -= P S^H in a strip of columns, from its first row on.
static void update_strip (void *user, int64_t piece, int slot)
{
  const reduction_step *step = user;
  const reduction *r = step->r;
  const int64_t first = step->from + piece * REDUCE_STRIP;
  const int64_t left = r->n - first;
  const gla_blas_int rows = (gla_blas_int)left, k = (gla_blas_int)step->columns;
  const gla_blas_int columns = left < REDUCE_STRIP ? rows : REDUCE_STRIP;
  const gla_blas_int ld = (gla_blas_int)r->ld, lda = (gla_blas_int)r->lda;
  const gla_blas_int pairs = k / 2, ld2 = 2 * ld, below = rows - columns;
  const real minus[2] = {-1, 0}, plus[2] = {1, 0};
  const scalar *p = r->p + first, *s = r->s + first;
  scalar *a = r->a + first + first * r->lda;
  if (piece_stopped (r->task, slot))
    return;
  // the square on the diagonal: V W^H + W V^H, where V and W are every other column
  gla_blas_in ();
  GLA_HER2K ("L", "N", &columns, &pairs, minus, (const real *)p, &ld2, (const real *)(p + r->ld),
             &ld2, plus, (real *)a, &lda, 1, 1);
  if (below > 0)
    GLA_BLAS (gemm)
  ("N", "C", &below, &columns, &k, minus, (const real *)(p + columns), &ld, (const real *)s, &ld,
   plus, (real *)(a + columns), &lda, 1, 1);
  gla_blas_out ();
}

static void update_rest (const reduction *r, int64_t from, int64_t columns)
{
  const int64_t order = r->n - from, strips = (order + REDUCE_STRIP - 1) / REDUCE_STRIP;
  reduction_step step = {.r = r, .from = from, .columns = columns};
  const double seconds = (double)(order * order * columns * GLA_PARTS * GLA_PARTS) * 5e-11;
  team_for (r->task, strips, seconds, update_strip, &step);
}

// Replaces the lower triangle of a by the vectors of the reflectors, with their ones; the upper one
// is not read and is overwritten. Returns early if the work must end.
static void reduce_page (const reduction *r)
{
  const int64_t n = r->n;
  reduction_clear (r);
  for (int64_t first = 0; first + 1 < n; first += REDUCE_PANEL) {
    const int64_t count = n - 1 - first < REDUCE_PANEL ? n - 1 - first : REDUCE_PANEL;
    for (int64_t j = 0; j < count; j++) {
      if (gla_cpu_eig_stopped (r->task))
        return;
      update_column (r, first + j, 2 * j);
      make_reflector (r, first + j);
      second_column (r, first + j, j);
    }
    update_rest (r, first + count, 2 * count);
  }
  r->d[n - 1] = __real__ r->a[(n - 1) * (r->lda + 1)];
}

//------------------------------------------------------------------------------
// eigenvectors of T to those of one page, by all threads of its team
//------------------------------------------------------------------------------

// Q = H_0 H_1 ... in blocks I - V T V^H of BACK_BLOCK reflectors (Schreiber and Van Loan's form,
// with T as in LAPACK's ?larft). Strips of columns of the result are the pieces of the work: a
// thread gathers the wanted vectors of T, applies all blocks to them in its own buffer, and stores
// them. A strip depends on n and the wanted part alone, and so do the sums. The monitor is polled
// before each block.

// BACK_BLOCK: the most reflectors of a block. Fewer are better while a page is in the cache,
// because T takes n BACK_BLOCK^2 operations.
enum { BACK_BLOCK = 64, BACK_STRIP = 128, BACK_SMALL_MAX = 1024 };

static int64_t back_width (int64_t n)
{
  return n <= BACK_SMALL_MAX ? BACK_BLOCK / 2 : BACK_BLOCK;
}

// Element i of vector j of T is at z[i*row + (order ? order[j] : j)*column].
typedef struct {
  const real *z;
  int64_t row, column;
  const int *order;
} vectors_of_t;

typedef struct {
  gla_cpu_eig_task *task;
  int64_t n, page;
  int64_t ld; // of a, and of vectors in a buffer
  scalar *a;  // as reduce_page leaves it
  const scalar *tau;
  scalar *t;     // BACK_BLOCK x BACK_BLOCK for each block
  char *buffers; // of each thread
  size_t buffer_bytes;
  vectors_of_t from;
  int64_t columns; // that are wanted
} back;

static size_t back_buffer_bytes (int64_t n)
{
  return (size_t)((page_ld (n, sizeof (scalar)) + BACK_BLOCK) * BACK_STRIP) * sizeof (scalar);
}

static int64_t back_blocks (int64_t n)
{
  return (n - 1 + back_width (n) - 1) / back_width (n);
}

// V of a block: its first reflector, their number, and the first row and column of V.
typedef struct {
  gla_blas_int rows, count;
  const scalar *v;
} back_block;

static back_block block_of (const back *b, int64_t number)
{
  const int64_t width = back_width (b->n), first = number * width, left = b->n - 1 - first;
  return (back_block){(gla_blas_int)left, (gla_blas_int)(left < width ? left : width),
                      b->a + first + 1 + first * b->ld};
}

static void back_product (const char *op, gla_blas_int m, gla_blas_int n, gla_blas_int k,
                          const scalar *a, const scalar *x, const back *b, scalar *c)
{
  const gla_blas_int lda = (gla_blas_int)b->ld, ldc = BACK_BLOCK;
  const real one[2] = {1, 0}, zero[2] = {0, 0};
  gla_blas_in ();
  GLA_BLAS (gemm)
  (op, "N", &m, &n, &k, one, (const real *)a, &lda, (const real *)x, &lda, zero, (real *)c, &ldc, 1,
   1);
  gla_blas_out ();
}

// Makes T of a block; sets the zeros of V.
static void back_triangle (void *user, int64_t number, int slot)
{
  const back *b = user;
  const back_block k = block_of (b, number);
  const int64_t first = number * back_width (b->n), ld = BACK_BLOCK;
  scalar *t = b->t + number * BACK_BLOCK * BACK_BLOCK, column[BACK_BLOCK];
  if (piece_stopped (b->task, slot))
    return;
  for (int64_t j = 1; j < k.count; j++)
    memset (b->a + first + 1 + (first + j) * b->ld, 0, (size_t)j * sizeof *t);
  back_product ("C", k.count, k.count, k.rows, k.v, k.v, b, t);
  for (int64_t j = 0; j < k.count; j++) {
    const scalar tau = b->tau[first + j];
    memset (column, 0, (size_t)j * sizeof *column);
    for (int64_t l = 0; l < j; l++) {
      const scalar f = scalar_mul (-tau, t[l + j * ld]);
      for (int64_t i = 0; i <= l; i++)
        column[i] += scalar_mul (t[i + l * ld], f);
    }
    memcpy (t + j * ld, column, (size_t)j * sizeof *t);
    t[j + j * ld] = tau;
  }
}

// Gathers the vectors of T of a strip in the buffer.
static void gather_strip (const back *b, int64_t first, int64_t count, scalar *x)
{
  const vectors_of_t *f = &b->from;
  for (int64_t j = 0; j < count; j++) {
    const real *z = f->z + (f->order ? f->order[first + j] : first + j) * f->column;
    for (int64_t i = 0; i < b->n; i++)
      x[i + j * b->ld] = scalar_make (z[i * f->row], 0);
  }
}

// Sets x = (I - V T V^H) x; w: BACK_BLOCK x count.
static void apply_block (const back *b, int64_t number, gla_blas_int count, scalar *x, scalar *w)
{
  const back_block k = block_of (b, number);
  const gla_blas_int ldx = (gla_blas_int)b->ld, ldw = BACK_BLOCK;
  const real one[2] = {1, 0}, minus[2] = {-1, 0};
  scalar *at = x + number * back_width (b->n) + 1;
  back_product ("C", k.count, count, k.rows, k.v, at, b, w);
  gla_blas_in ();
  GLA_BLAS (trmm)
  ("L", "U", "N", "N", &k.count, &count, one,
   (const real *)(b->t + number * BACK_BLOCK * BACK_BLOCK), &ldw, (real *)w, &ldw, 1, 1, 1, 1);
  GLA_BLAS (gemm)
  ("N", "N", &k.rows, &count, &k.count, minus, (const real *)k.v, &ldx, (const real *)w, &ldw, one,
   (real *)at, &ldx, 1, 1);
  gla_blas_out ();
}

static void back_strip (void *user, int64_t piece, int slot)
{
  const back *b = user;
  const gla_array *V = &b->task->chunk->V;
  const int64_t first = piece * BACK_STRIP, left = b->columns - first;
  const gla_blas_int count = (gla_blas_int)(left < BACK_STRIP ? left : BACK_STRIP);
  scalar *x = (scalar *)(b->buffers + (size_t)slot * b->buffer_bytes), *w = x + b->ld * BACK_STRIP;
  gather_strip (b, first, count, x);
  for (int64_t k = back_blocks (b->n); k-- > 0;) {
    if (piece_stopped (b->task, slot))
      return;
    apply_block (b, k, count, x, w);
  }
  for (int64_t j = first; j < first + count; j++) {
    real *to = (real *)V->data + (b->page * V->page_stride + j * V->column_stride) * GLA_PARTS;
    real *from = (real *)(x + (j - first) * b->ld);
    if (b->task->job->phase)
      page_phase (b->n, from, 1);
    store_column (to, from, b->n, GLA_PARTS, 1);
  }
}

// Writes the wanted columns of V. Returns early if the work must end.
static void back_page (back *b)
{
  const double block = (double)(b->n * BACK_BLOCK * GLA_PARTS * GLA_PARTS);
  const double seconds = block * (double)b->n * 5e-11;
  if (b->columns == 0)
    return;
  team_for (b->task, back_blocks (b->n), seconds, back_triangle, b);
  if (gla_cpu_eig_stopped (b->task))
    return;
  team_for (b->task, (b->columns + BACK_STRIP - 1) / BACK_STRIP,
            seconds * (double)b->columns / BACK_BLOCK, back_strip, b);
}

#endif
