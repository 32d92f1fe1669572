// qr_block.h: large pages: block reflectors I - V T V', all T kept
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V is stored in A with its ones and zeros, and the diagonal blocks of R separately, so that every
// update is a plain product. R above the diagonal blocks stays in v. Threads that share a page take
// strips of columns, with a BLAS of one thread: the products of a panel need not wait for those of
// the rest, nor the other way round.

#ifndef GPULINALG_CPU_QR_QR_BLOCK_H
#define GPULINALG_CPU_QR_QR_BLOCK_H

#include <string.h>

#include "common/products.h"
#include "common/scalar.h"
#include "cpu/common/carve.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "cpu/common/pivot.h"
#include "cpu/common/rows.h"
#include "qr.h"
#include "qr_page.h"

//------------------------------------------------------------------------------
// a panel of a large matrix: recursive, after LAPACK's geqrt3
//------------------------------------------------------------------------------

// The method is that of Elmroth and Gustavson 2000. Halves are combined by products of the BLAS;
// the bottom of the recursion is done with rows in lanes.

enum { LEAF = 16 };

typedef struct {
  num *a;
  scalar *R, *T, *W, *cross;
} leaf_work;

static void leaf_layout (char *base, size_t *at, int64_t m, leaf_work *w)
{
  const size_t square = (size_t)(LEAF * LEAF) * sizeof (scalar);
  w->a = gla_carve (base, at, (size_t)(registers_for (m) * LEAF) * sizeof (num));
  w->R = gla_carve (base, at, square);
  w->T = gla_carve (base, at, square);
  w->W = gla_carve (base, at, square);
  w->cross = gla_carve (base, at, square);
}

// Makes T of all n <= leaf columns from the triangles of the panels.
static void leaf_triangle (int64_t rv, int64_t n, const leaf_work *w, scalar *T, int64_t ldt)
{
  cross_products (rv, w->a, rv, n, w->a, rv, n, w->cross, LEAF);
  for (int64_t j = 0; j < n; j++)
    T[j + j * ldt] = w->T[j % GLA_QR_PANEL + j * GLA_QR_PANEL];
  fill_triangle (n, T, ldt, w->cross, LEAF);
}

// Factors m x n, n <= leaf: R in the upper triangle of a, V below it, T in t.
static void panel_leaf (int64_t m, int64_t n, real *a, int64_t lda, real *t, int64_t ldt,
                        const leaf_work *w)
{
  const int64_t rv = registers_for (m);
  for (int64_t j = 0; j < n; j++)
    load_column (w->a + j * rv, m, a + j * lda * GLA_PARTS, 1);
  rows_factor_leaf (m, n, w->a, rv, w->R, LEAF, w->T, w->W);
  leaf_triangle (rv, n, w, (scalar *)t, ldt);
  for (int64_t j = 0; j < n; j++) {
    store_rows (a + j * lda * GLA_PARTS, m, w->a + j * rv);
    memcpy (a + j * lda * GLA_PARTS, w->R + j * LEAF, (size_t)(j + 1) * sizeof *w->R);
  }
}

// Applies the left n1 columns, adjoint, to the n2 right ones; x (n1 x n2) is scratch.
static void panel_update (int64_t m, int64_t n1, int64_t n2, real *a, int64_t lda, const real *t,
                          int64_t ldt, real *x)
{
  real *right = a + n1 * lda * GLA_PARTS, *low = a + n1 * GLA_PARTS;
  real *low_right = right + n1 * GLA_PARTS;
  for (int64_t j = 0; j < n2; j++)
    memcpy (x + j * ldt * GLA_PARTS, right + j * lda * GLA_PARTS, (size_t)n1 * sizeof (scalar));
  trmm ((triangle_form){"L", "L", "C", "U"}, n1, n2, 1, a, lda, x, ldt);
  gemm ("C", "N", n1, n2, m - n1, 1, low, lda, low_right, lda, 1, x, ldt);
  trmm ((triangle_form){"L", "U", "C", "N"}, n1, n2, 1, t, ldt, x, ldt);
  gemm ("N", "N", m - n1, n2, n1, -1, low, lda, x, ldt, 1, low_right, lda);
  trmm ((triangle_form){"L", "L", "N", "U"}, n1, n2, 1, a, lda, x, ldt);
  for (int64_t j = 0; j < n2; j++)
    for (int64_t i = 0; i < n1 * GLA_PARTS; i++)
      right[j * lda * GLA_PARTS + i] -= x[j * ldt * GLA_PARTS + i];
}

// Makes the block of T that couples both halves: x = -T1 (V1'*V2) T2.
static void panel_couple (int64_t m, int64_t n1, int64_t n2, const real *a, int64_t lda,
                          const real *t, int64_t ldt, real *x)
{
  const int64_t n = n1 + n2;
  const real *v2 = a + (n1 + n1 * lda) * GLA_PARTS;
  const real *t2 = t + (n1 + n1 * ldt) * GLA_PARTS;
  for (int64_t j = 0; j < n2; j++)
    for (int64_t i = 0; i < n1; i++)
      ((scalar *)x)[i + j * ldt] = scalar_conj (((const scalar *)a)[n1 + j + i * lda]);
  trmm ((triangle_form){"R", "L", "N", "U"}, n1, n2, 1, v2, lda, x, ldt);
  gemm ("C", "N", n1, n2, m - n, 1, a + n * GLA_PARTS, lda, v2 + n2 * GLA_PARTS, lda, 1, x, ldt);
  trmm ((triangle_form){"L", "U", "N", "N"}, n1, n2, -1, t, ldt, x, ldt);
  trmm ((triangle_form){"R", "U", "N", "N"}, n1, n2, 1, t2, ldt, x, ldt);
}

// Factors m >= n: R in the upper triangle of a, V below it, T in the upper triangle of t.
static void panel_factor (int64_t m, int64_t n, real *a, int64_t lda, real *t, int64_t ldt,
                          const leaf_work *w)
{
  if (n <= LEAF) {
    panel_leaf (m, n, a, lda, t, ldt, w);
    return;
  }
  const int64_t n1 = (n / 2 + LEAF - 1) / LEAF * LEAF, n2 = n - n1;
  real *x = t + n1 * ldt * GLA_PARTS;
  panel_factor (m, n1, a, lda, t, ldt, w);
  panel_update (m, n1, n2, a, lda, t, ldt, x);
  panel_factor (m - n1, n2, a + (n1 + n1 * lda) * GLA_PARTS, lda, x + n1 * GLA_PARTS, ldt, w);
  panel_couple (m, n1, n2, a, lda, t, ldt, x);
}

//------------------------------------------------------------------------------
// large pages: block reflectors I - V T V', all T kept
//------------------------------------------------------------------------------

// Columns of a strip, strips of a page if that is between these; strips of rows of a solve.
enum { STRIP_LEAST = 64, STRIP_MOST = 128, STRIPS = 8, SOLVE_STRIPS = 8 };
// For Q = A R^-1: columns from which it pays; random vectors; norm of D R^-1, per column, up to
// which Q is as orthogonal as that of the reflectors (qr_block_results.h). With 8 vectors of
// independent uniform elements the estimate is below a tenth of the norm less than once in 10^6.
enum { SOLVE_COLUMNS = 64, SOLVE_VECTORS = 8, SOLVE_NORM = 8 };

typedef struct {
  int64_t m, n, k, nb;
  real *v, *t, *r; // m x n; nb x k twice: T and R of every block
  real *x, *y;     // of each member of the team: x_size for nb * strip, y_size for m * strip
  real *z;         // random vectors for the condition of R
  int64_t x_size, y_size;
  int64_t strip; // columns that are updated at a time
  int *e;
  leaf_work leaf;
  pivots pivots;
} block_space;

static int64_t block_size (const gla_qr_job *job)
{
  const int64_t k = gla_min (job->m, job->n);
  return gla_min (k, job->block > 0             ? job->block
                     : k <= 512                 ? 48
                     : GLA_COMPLEX || k <= 1024 ? 64
                                                : 96);
}

// Returns columns of a strip: enough strips for many threads, each long enough for products at full
// speed and short enough, about 30 ms, for polling. This depends on the job alone, because the bits
// of a product may depend on its size.
static int64_t strip_columns (const gla_qr_job *job, int64_t nb)
{
  const double column = 4.0 * (double)job->m * (double)nb * GLA_PARTS * GLA_PARTS;
  const int64_t most = gla_max (32, (int64_t)(1e9 / column));
  const int64_t share = gla_max (STRIP_LEAST, job->n / STRIPS / 16 * 16);
  return gla_min (most, gla_min (share, STRIP_MOST));
}

// Returns the elements of the random vectors that decide whether Q may come from a solve with R.
static int64_t solve_size (const gla_qr_job *job)
{
  const int wanted = job->m >= job->n && job->q_columns == job->n && job->n >= SOLVE_COLUMNS;
  return wanted ? job->n * SOLVE_VECTORS : 0;
}

static size_t block_layout (char *base, const gla_qr_job *job, int64_t nb, int with_y, int team,
                            block_space *b)
{
  const int64_t m = job->m, n = job->n, k = gla_min (m, n), el = sizeof (scalar);
  size_t at = 0;
  memset (b, 0, sizeof *b);
  b->m = m, b->n = n, b->k = k, b->nb = nb;
  b->strip = strip_columns (job, nb);
  b->x_size = gla_max (nb, job->wy ? k : 0) * gla_max (nb, b->strip) * GLA_PARTS;
  b->y_size = with_y ? m * gla_min (b->strip, job->rhs) * GLA_PARTS : 0;
  b->v = gla_carve (base, &at, (size_t)(m * n * el));
  b->t = gla_carve (base, &at, (size_t)(nb * k * el));
  b->r = gla_carve (base, &at, (size_t)(nb * k * el));
  b->x = gla_carve (base, &at, (size_t)(team * b->x_size) * sizeof (real));
  b->y = gla_carve (base, &at, (size_t)(team * b->y_size) * sizeof (real));
  b->z = gla_carve (base, &at, (size_t)(solve_size (job) * el));
  b->e = gla_carve (base, &at, (size_t)n * sizeof (int));
  if (job->pivot)
    pivot_layout (base, &at, m, n, &b->pivots);
  else
    leaf_layout (base, &at, m, &b->leaf);
  return at;
}

static inline real *v_at (const block_space *b, int64_t i, int64_t j)
{
  return b->v + (i + j * b->m) * GLA_PARTS;
}

static inline real *t_of (const block_space *b, int64_t j)
{
  return b->t + j * b->nb * GLA_PARTS;
}

//------------------------------------------------------------------------------
// products with a block
//------------------------------------------------------------------------------

// Sets C = (I - V T V') C, or with T', for the block of columns at j and at most a strip of
// columns; C starts at row j. `known` rows at its top are zero before.
static void block_apply (const block_space *b, int member, int64_t j, int adjoint, real *C,
                         int64_t ldc, int64_t nc, int64_t known)
{
  const int64_t rows = b->m - j, w = gla_min (b->nb, b->k - j);
  const triangle_form how = {"L", "U", adjoint ? "C" : "N", "N"};
  const real *v = v_at (b, j, j), *low = v + known * GLA_PARTS;
  real *x = b->x + member * b->x_size;
  gemm ("C", "N", w, nc, rows - known, 1, low, b->m, C + known * GLA_PARTS, ldc, 0, x, b->nb);
  trmm (how, w, nc, 1, t_of (b, j), b->nb, x, b->nb);
  gemm ("N", "N", rows, nc, w, -1, v, b->m, x, b->nb, 1, C, ldc);
}

// Moves the triangle of R out of the block of w columns at j and puts V's ones and zeros there.
static void block_explicit (const block_space *b, int64_t j, int64_t w)
{
  scalar *r = (scalar *)b->r + j * b->nb;
  for (int64_t q = 0; q < w; q++) {
    scalar *v = (scalar *)v_at (b, j, j + q);
    memcpy (r + q * b->nb, v, (size_t)(q + 1) * sizeof *v);
    memset (v, 0, (size_t)q * sizeof *v);
    v[q] = scalar_make (1, 0);
  }
}

//------------------------------------------------------------------------------
// factor
//------------------------------------------------------------------------------

// A page that the team does.
typedef struct {
  const gla_cpu_qr_task *task;
  int64_t page;
  const block_space *b;
  int64_t j; // of the block that is applied
} block_work;

static void block_load_column (void *user, int64_t j, int member)
{
  const block_work *k = user;
  const block_space *b = k->b;
  if (gla_cpu_qr_stopped (k->task, member))
    return;
  const real *from = column_of (&k->task->chunk->A, k->page, j);
  real *to = v_at (b, 0, j);
  if (!k->task->job->pivot)
    b->e[j] = column_exponent (from, b->m);
  const real down = power_of_two (-b->e[j]);
  for (int64_t i = 0; i < b->m * GLA_PARTS; i++)
    to[i] = from[i] * down;
}

// Pivoting compares the columns, so they have one common factor, and near overflow only the least
// possible one, so that small columns do not vanish beside large ones. The memory written here and
// in block_store_r may be new to the process, and therefore slow: the loops poll at every column,
// and a piece is one column.
static int block_load (const gla_cpu_qr_task *task, int64_t page, const block_space *b)
{
  block_work k = {task, page, b, 0};
  if (task->job->pivot) {
    bits all = 0;
    for (int64_t j = 0; j < b->n && !gla_cpu_qr_stopped (task, 0); j++)
      all = largest_of (column_of (&task->chunk->A, page, j), b->m * GLA_PARTS, all);
    const int above = exponent_above (all, b->m);
    for (int64_t j = 0; j < b->n; j++)
      b->e[j] = above > 0 ? above : (int)gla_min (0, exponent_of (all));
  }
  gla_cpu_qr_for (task, b->n, block_load_column, &k);
  return !gla_cpu_qr_stopped (task, 0);
}

static void block_panel (const gla_cpu_qr_task *task, const block_space *b, int member, int64_t j)
{
  const int64_t w = gla_min (b->nb, b->k - j);
  if (gla_cpu_qr_stopped (task, member))
    return;
  panel_factor (b->m - j, w, v_at (b, j, j), b->m, t_of (b, j), b->nb, &b->leaf);
  block_explicit (b, j, w);
}

// Updates columns c .. c+count-1, strip by strip.
static void block_update (const block_work *k, int member, int64_t c, int64_t count)
{
  const block_space *b = k->b;
  for (int64_t at = c; at < c + count; at += b->strip)
    if (!gla_cpu_qr_stopped (k->task, member))
      block_apply (b, member, k->j, 1, v_at (b, k->j, at), b->m, gla_min (b->strip, c + count - at),
                   0);
}

// Piece 0 is the next block and its factorisation, so that the others need not wait for it
// (look-ahead); each following piece is a strip of the rest.
static void block_step_piece (void *user, int64_t piece, int member)
{
  const block_work *k = user;
  const block_space *b = k->b;
  const int64_t next = k->j + gla_min (b->nb, b->k - k->j), ahead = gla_min (b->nb, b->k - next);
  const int64_t c = next + ahead + (piece - 1) * b->strip;
  if (piece > 0) {
    block_update (k, member, c, gla_min (b->strip, b->n - c));
  } else if (ahead > 0) {
    block_update (k, member, next, ahead);
    block_panel (k->task, b, member, next);
  }
}

// Applies the block at j to the columns right of it. Returns 0 when the work must end.
static int block_step (const gla_cpu_qr_task *task, const block_space *b, int64_t j)
{
  block_work k = {task, 0, b, j};
  const int64_t next = j + gla_min (b->nb, b->k - j), ahead = gla_min (b->nb, b->k - next);
  const int64_t strips = (b->n - next - ahead + b->strip - 1) / b->strip;
  gla_cpu_qr_for (task, 1 + strips, block_step_piece, &k);
  return !gla_cpu_qr_stopped (task, 0);
}

static int block_factor (const gla_cpu_qr_task *task, const block_space *b)
{
  int going = 1;
  block_panel (task, b, 0, 0);
  for (int64_t j = 0; going && j < b->k; j += b->nb)
    going = block_step (task, b, j);
  return going;
}

// Makes T of the block at j, from V and tau.
static void pivot_triangle (const block_space *b, int64_t j)
{
  const int64_t w = gla_min (b->nb, b->k - j);
  const real *v = v_at (b, j, j);
  scalar *t = (scalar *)t_of (b, j);
  block_explicit (b, j, w);
  gemm ("C", "N", w, w, b->m - j, 1, v, b->m, v, b->m, 0, b->x, b->nb);
  for (int64_t q = 0; q < w; q++)
    t[q + q * b->nb] = ((const scalar *)b->pivots.tau)[j + q];
  fill_triangle (w, t, b->nb, (const scalar *)b->x, b->nb);
}

static int block_factor_pivot (const gla_cpu_qr_task *task, int64_t page, const block_space *b)
{
  if (!pivot_factor (task->region, task->thread, b->m, b->n, b->v, b->m, &b->pivots))
    return 0;
  for (int64_t j = 0; j < b->n; j++)
    task->chunk->jpvt[page * b->n + j] = b->pivots.jpvt[j] - 1;
  for (int64_t j = 0; j < b->k; j += b->nb) {
    if (gla_cpu_qr_stopped (task, 0))
      return 0;
    pivot_triangle (b, j);
  }
  return 1;
}

static void block_store_r_column (void *user, int64_t j, int member)
{
  const block_work *k = user;
  const block_space *b = k->b;
  if (gla_cpu_qr_stopped (k->task, member))
    return;
  const int64_t above = j < b->k ? j / b->nb * b->nb : b->k;
  const scalar *v = (const scalar *)v_at (b, 0, j);
  scalar *to = (scalar *)column_of (&k->task->chunk->R, k->page, j);
  store_r_column (k->task->chunk, k->page, j, above, v, b->e[j]);
  const real up = power_of_two (b->e[j]);
  for (int64_t i = above; j < b->k && i <= j; i++)
    to[i] = scalar_scale (up, ((const scalar *)b->r)[i - above + j * b->nb]);
}

static int block_store_r (const gla_cpu_qr_task *task, int64_t page, const block_space *b)
{
  block_work k = {task, page, b, 0};
  gla_cpu_qr_for (task, b->n, block_store_r_column, &k);
  return !gla_cpu_qr_stopped (task, 0);
}

#endif
