// page_reduce.h: one page to tridiagonal form, by all threads of its team
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A = Q T Q^H with the reflectors of LAPACK's ?sytrd for the lower triangle, in panels as its
// ?latrd does them: within a panel A - P S^H stands for the matrix, and behind the panel the
// product is subtracted. The columns of P are v0 w0 v1 w1 and so on, those of S w0 v0 w1 v1. Half
// of the arithmetic are the products A v, which read the lower triangle once per column. They are
// cut into strips of columns, each with a sum of its own, and the subtraction into strips of
// columns, too: so the threads share all of it, and the sums do not depend on how many threads
// there are. The monitor is asked once per column.

#ifndef GPULINALG_CPU_EIG_PAGE_REDUCE_H
#define GPULINALG_CPU_EIG_PAGE_REDUCE_H

#include "cpu/common/carve.h"
#include "cpu/common/lanes.h"
#include "cpu/common/rows.h"
#include "common/scalar.h"

#include "eig.h"

#include <string.h>

// PANEL: columns between two updates of the whole matrix. STRIP: columns of a piece. WHOLE: up to
// this order threads would gain little, and the products of real matrices, which are in the cache,
// are left to the BLAS, whose ?symv is faster than ours there (and whose ?hemv is slower).
enum { REDUCE_PANEL = 32, REDUCE_STRIP = 128, REDUCE_WHOLE = 512 };

// A register that may begin at any number.
typedef real loose
    __attribute__ ((vector_size (GLA_VECTOR_BYTES), may_alias, aligned (sizeof (real))));

// Columns of A that the product reads together, and scalars in a register.
enum { PRODUCT_COLUMNS = GLA_COMPLEX ? 2 : 4, LANE_SCALARS = GLA_LANES / GLA_PARTS };

typedef struct {
  gla_cpu_eig_task *task;
  int64_t n, ld;  // ld: of p, s and sums
  scalar *a;      // n x n
  real *d, *e;    // results
  scalar *tau;    // of n - 1 reflectors
  scalar *p, *s;  // ld x 2 REDUCE_PANEL
  scalar *sums;   // a column of each strip
  scalar *vector; // 2 REDUCE_PANEL
} reduction;

// The piece of work of one product or update: of the matrix from row and column `from` on.
typedef struct {
  const reduction *r;
  int64_t from;
  const scalar *v;
  int64_t columns; // of p and s
} reduction_step;

static void reduction_layout (char *base, size_t *at, int64_t n, reduction *r)
{
  const size_t strips = (size_t)(n + REDUCE_STRIP - 1) / REDUCE_STRIP;
  r->n = n;
  r->ld = (n + 15) / 16 * 16 + 8; // not a power of two
  const size_t column = (size_t)r->ld * sizeof (scalar);
  r->p = gla_carve (base, at, column * 2 * REDUCE_PANEL);
  r->s = gla_carve (base, at, column * 2 * REDUCE_PANEL);
  r->sums = gla_carve (base, at, column * strips);
  r->vector = gla_carve (base, at, 2 * REDUCE_PANEL * sizeof (scalar));
}

// Pieces by as many threads of the team as have 0.1 ms of work each.
static void team_for (gla_cpu_eig_task *task, int64_t pieces, double seconds, gla_pool_work work,
                      void *user)
{
  const double worth = 1 + seconds / 1e-4;
  const int most = worth < task->team ? (int)worth : task->team;
  gla_cpu_parallel_for (task->region, pieces, most, work, user);
}

// Whether the work must end, asked by a piece.
static int piece_stopped (const gla_cpu_eig_task *task, int slot)
{
  return gla_cpu_parallel_stopped (task->region, task->thread + slot);
}

//------------------------------------------------------------------------------
// product with a vector
//------------------------------------------------------------------------------

// y += sum a_c x_c and sum[c] += a_c^H v, over `rows` rows of `count` neighbouring columns a.
static inline __attribute__ ((always_inline)) void product_rows (int64_t rows, const scalar *a,
                                                                 int64_t lda, const scalar *x,
                                                                 const scalar *v, scalar *y,
                                                                 scalar *sum, int count)
{
  vec along[PRODUCT_COLUMNS];
  for (int c = 0; c < count; c++)
    along[c] = vec_broadcast (0);
#if GLA_COMPLEX
  vec across[PRODUCT_COLUMNS], sign = vec_broadcast (1);
  for (int c = 0; c < count; c++)
    across[c] = vec_broadcast (0);
  for (int l = 0; l < GLA_LANES; l += 2)
    sign[l] = -1;
#endif
  int64_t i = 0;
  for (; i + LANE_SCALARS <= rows; i += LANE_SCALARS) {
    const vec vi = *(const loose *)(v + i);
    vec yi = *(const loose *)(y + i);
#if GLA_COMPLEX
    // (im, -re) of v, and a times the imaginary parts of x, whose parts change places at the end
    const vec turned = -sign * exchange_lanes (vi, vi, 1);
    vec im = vec_broadcast (0);
#endif
    for (int c = 0; c < count; c++) {
      const vec ai = *(const loose *)(a + i + c * lda);
      yi += ai * __real__ x[c];
      along[c] += ai * vi;
#if GLA_COMPLEX
      im += ai * __imag__ x[c];
      across[c] += ai * turned;
#endif
    }
#if GLA_COMPLEX
    yi += sign * exchange_lanes (im, im, 1);
#endif
    *(loose *)(y + i) = yi;
  }
  for (int c = 0; c < count; c++) {
    const scalar *column = a + c * lda;
    scalar more = 0;
    for (int64_t k = i; k < rows; k++) {
      y[k] += scalar_mul (column[k], x[c]);
      more += scalar_mul (scalar_conj (column[k]), v[k]);
    }
#if GLA_COMPLEX
    sum[c] += more + scalar_make (sum_lanes (along[c]), sum_lanes (across[c]));
#else
    sum[c] += more + sum_lanes (along[c]);
#endif
  }
}

// What columns first .. first+count-1 of the lower triangle contribute to A v.
static inline __attribute__ ((always_inline)) void
product_columns (const reduction_step *step, int64_t first, scalar *y, int count)
{
  const reduction *r = step->r;
  const scalar *a = r->a + first * r->n, *v = step->v;
  scalar x[PRODUCT_COLUMNS], sum[PRODUCT_COLUMNS] = {0};
  for (int c = 0; c < count; c++) {
    x[c] = v[first + c];
    // the corner on the diagonal
    const scalar *column = a + c * r->n;
    sum[c] = scalar_scale (__real__ column[first + c], x[c]);
    for (int i = c + 1; i < count; i++) {
      y[first + i] += scalar_mul (column[first + i], x[c]);
      sum[c] += scalar_mul (scalar_conj (column[first + i]), v[first + i]);
    }
  }
  // rows up to the next one that begins a register, and the others
  const int64_t below = first + count, next = (below + LANE_SCALARS - 1) / LANE_SCALARS;
  const int64_t even = next * LANE_SCALARS < r->n ? next * LANE_SCALARS : r->n;
  product_rows (even - below, a + below, r->n, x, v + below, y + below, sum, count);
  product_rows (r->n - even, a + even, r->n, x, v + even, y + even, sum, count);
  for (int c = 0; c < count; c++)
    y[first + c] += sum[c];
}

static void product_strip (void *user, int64_t piece, int slot)
{
  (void)slot;
  const reduction_step *step = user;
  const reduction *r = step->r;
  const int64_t first = step->from + piece * REDUCE_STRIP;
  const int64_t end = first + REDUCE_STRIP < r->n ? first + REDUCE_STRIP : r->n;
  scalar *y = r->sums + piece * r->ld;
  memset (y + first, 0, (size_t)(r->n - first) * sizeof *y);
  int64_t j = first;
  for (; j + PRODUCT_COLUMNS <= end; j += PRODUCT_COLUMNS)
    product_columns (step, j, y, PRODUCT_COLUMNS);
  for (; j < end; j++)
    product_columns (step, j, y, 1);
}

// w = A v for the matrix from row and column `from` on; v and w are addressed by rows of the page.
static void reduction_product (const reduction *r, int64_t from, const scalar *v, scalar *w)
{
  const int64_t order = r->n - from, strips = (order + REDUCE_STRIP - 1) / REDUCE_STRIP;
#if !GLA_COMPLEX
  if (order <= REDUCE_WHOLE) {
    const gla_blas_int n = (gla_blas_int)order, ld = (gla_blas_int)r->n, inc = 1;
    const real one = 1, zero = 0;
    GLA_BLAS (symv)
    ("L", &n, &one, r->a + from + from * r->n, &ld, v + from, &inc, &zero, w + from, &inc, 1);
    return;
  }
#endif
  reduction_step step = {.r = r, .from = from, .v = v};
  team_for (r->task, strips, (double)(order * order * GLA_PARTS) * 2e-10, product_strip, &step);
  memcpy (w + from, r->sums + from, (size_t)order * sizeof *w);
  for (int64_t s = 1; s < strips; s++) {
    const scalar *y = r->sums + s * r->ld;
    for (int64_t i = from + s * REDUCE_STRIP; i < r->n; i++)
      w[i] += y[i];
  }
}

//------------------------------------------------------------------------------
// panels
//------------------------------------------------------------------------------

// y -= M x, and y = M^H x, for rows of p or s.
static void subtract_panel (const reduction *r, int64_t rows, int64_t columns, const scalar *m,
                            const scalar *x, scalar *y)
{
  const gla_blas_int k = (gla_blas_int)rows, c = (gla_blas_int)columns;
  const gla_blas_int ld = (gla_blas_int)r->ld, one = 1;
  const real minus[2] = {-1, 0}, plus[2] = {1, 0};
  GLA_BLAS (gemv)
  ("N", &k, &c, minus, (const real *)m, &ld, (const real *)x, &one, plus, (real *)y, &one, 1);
}

static void panel_products (const reduction *r, int64_t rows, int64_t columns, const scalar *m,
                            const scalar *x, scalar *y)
{
  const gla_blas_int k = (gla_blas_int)rows, c = (gla_blas_int)columns;
  const gla_blas_int ld = (gla_blas_int)r->ld, one = 1;
  const real plus[2] = {1, 0}, zero[2] = {0, 0};
  GLA_BLAS (gemv)
  ("C", &k, &c, plus, (const real *)m, &ld, (const real *)x, &one, zero, (real *)y, &one, 1);
}

// Column k of A - P S^H, with `columns` columns of P and S, into the page.
static void update_column (const reduction *r, int64_t k, int64_t columns)
{
  if (columns == 0)
    return;
  for (int64_t j = 0; j < columns; j++)
    r->vector[j] = scalar_conj (r->s[k + j * r->ld]);
  subtract_panel (r, r->n - k, columns, r->p + k, r->vector, r->a + k + k * r->n);
}

// Reflector k from column k of the page; its vector stays there, with the 1 in row k+1.
static void make_reflector (const reduction *r, int64_t k)
{
  scalar *column = r->a + k * r->n;
  const int64_t next = k + 2 < r->n ? k + 2 : r->n - 1;
  const gla_blas_int length = (gla_blas_int)(r->n - k - 1), one = 1;
  r->d[k] = __real__ column[k];
  GLA_BLAS (larfg)
  (&length, (real *)(column + k + 1), (real *)(column + next), &one, (real *)(r->tau + k));
  r->e[k] = __real__ column[k + 1];
  column[k + 1] = 1;
}

// w = tau (A - P S^H) v, then w - 1/2 tau (w^H v) v: number j of the panel, in p and s. Rows up to
// k are never read.
static void second_column (const reduction *r, int64_t k, int64_t j)
{
  const int64_t from = k + 1, rows = r->n - from;
  scalar *v = r->p + 2 * j * r->ld, *w = v + r->ld;
  memcpy (v + from, r->a + from + k * r->n, (size_t)rows * sizeof *v);
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

// A -= P S^H in a strip of columns, from its first row on.
static void update_strip (void *user, int64_t piece, int slot)
{
  const reduction_step *step = user;
  const reduction *r = step->r;
  const int64_t first = step->from + piece * REDUCE_STRIP;
  const int64_t left = r->n - first;
  const gla_blas_int rows = (gla_blas_int)left, k = (gla_blas_int)step->columns;
  const gla_blas_int columns = left < REDUCE_STRIP ? rows : REDUCE_STRIP;
  const gla_blas_int ld = (gla_blas_int)r->ld, lda = (gla_blas_int)r->n;
  const gla_blas_int pairs = k / 2, ld2 = 2 * ld, below = rows - columns;
  const real minus[2] = {-1, 0}, plus[2] = {1, 0};
  const scalar *p = r->p + first, *s = r->s + first;
  scalar *a = r->a + first + first * r->n;
  if (piece_stopped (r->task, slot))
    return;
  // the square on the diagonal: V W^H + W V^H, where V and W are every other column
  GLA_HER2K ("L", "N", &columns, &pairs, minus, (const real *)p, &ld2, (const real *)(p + r->ld),
             &ld2, plus, (real *)a, &lda, 1, 1);
  if (below > 0)
    GLA_BLAS (gemm)
  ("N", "C", &below, &columns, &k, minus, (const real *)(p + columns), &ld, (const real *)s, &ld,
   plus, (real *)(a + columns), &lda, 1, 1);
}

static void update_rest (const reduction *r, int64_t from, int64_t columns)
{
  const int64_t order = r->n - from, strips = (order + REDUCE_STRIP - 1) / REDUCE_STRIP;
  reduction_step step = {.r = r, .from = from, .columns = columns};
  const double seconds = (double)(order * order * columns * GLA_PARTS * GLA_PARTS) * 5e-11;
  team_for (r->task, strips, seconds, update_strip, &step);
}

// The lower triangle of a becomes the vectors of the reflectors, with their ones; what is above is
// not read and is destroyed. Returns early where the work must end.
static void reduce_page (const reduction *r)
{
  const int64_t n = r->n;
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
  r->d[n - 1] = __real__ r->a[n * n - 1];
}

#endif
