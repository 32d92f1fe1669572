// page_product.h: products with vectors while a page is reduced, by all threads of its team
// SPDX-License-Identifier: GPL-3.0-or-later
//
// It computes w = A v, where A is the lower triangle from a row and column on. It takes as many
// columns at a time as a register has numbers, from a multiple of that on, so that the triangle on
// the diagonal is one register of each and all registers are aligned. Every element is read once,
// for its own place and for that above the diagonal. Rows before the first count as zero because v
// is zero there, and rows after the last are zero. For a large page, strips of columns have their
// own sums, which threads compute.

#ifndef GPULINALG_CPU_EIG_PAGE_PRODUCT_H
#define GPULINALG_CPU_EIG_PAGE_PRODUCT_H

#include "cpu/common/lanes.h"
#include "cpu/common/carve.h"
#include "cpu/common/rows.h"
#include "common/scalar.h"

#include "eig.h"

#include <string.h>

// PANEL: columns between two updates of the whole matrix. STRIP: columns of a piece. WHOLE: up to
// this order threads would gain little for real matrices, which are in the cache.
enum { REDUCE_PANEL = 16, REDUCE_STRIP = 128, REDUCE_WHOLE = 512 };

// Scalars in a register; the product reads as many columns together.
enum { LANE_SCALARS = GLA_LANES / GLA_PARTS };

typedef struct {
  gla_cpu_eig_task *task;
  int64_t n, lda; // lda: of a
  int64_t ld;     // of p, s and sums
  scalar *a;      // its rows and columns behind n are zero
  real *d, *e;    // results
  scalar *tau;    // of n - 1 reflectors
  scalar *p, *s;  // ld x 2 REDUCE_PANEL, rows behind n of p are zero
  scalar *sums;   // a column of each strip
  scalar *vector; // 2 REDUCE_PANEL
} reduction;

// The piece of work of one product or update: of the matrix from row and column `from` on.
typedef struct {
  const reduction *r;
  int64_t from;
  const scalar *v;
  int64_t columns; // of p and s, or of a strip of the product
} reduction_step;

// Columns of n numbers of so many bytes are an odd number of cache lines apart: at a power of two a
// few would fill a cache.
static int64_t page_ld (int64_t n, size_t bytes)
{
  const int64_t line = 64 / (int64_t)bytes;
  return ((n + line - 1) / line | 1) * line;
}

static void reduction_layout (char *base, size_t *at, int64_t n, reduction *r)
{
  const size_t strips = (size_t)(n + REDUCE_STRIP - 1) / REDUCE_STRIP;
  r->n = n;
  r->lda = page_ld (n, sizeof (scalar));
  r->ld = r->lda;
  const size_t column = (size_t)r->ld * sizeof (scalar);
  r->p = gla_carve (base, at, column * 2 * REDUCE_PANEL);
  r->s = gla_carve (base, at, column * 2 * REDUCE_PANEL);
  r->sums = gla_carve (base, at, column * strips);
  r->vector = gla_carve (base, at, 2 * REDUCE_PANEL * sizeof (scalar));
}

// Returns the columns of a that the product reads.
static int64_t reduction_columns (int64_t n)
{
  return (n + LANE_SCALARS - 1) / LANE_SCALARS * LANE_SCALARS;
}

// Sets zeros after the page.
static void reduction_clear (const reduction *r)
{
  const size_t rest = (size_t)(r->lda - r->n) * sizeof (scalar);
  for (int64_t j = 0; j < r->n; j++)
    memset (r->a + r->n + j * r->lda, 0, rest);
  for (int64_t j = r->n; j < reduction_columns (r->n); j++)
    memset (r->a + j * r->lda, 0, (size_t)r->lda * sizeof (scalar));
  for (int64_t j = 0; j < REDUCE_PANEL; j++)
    memset (r->p + r->n + 2 * j * r->ld, 0, rest);
}

// Shares pieces among as many threads of the team as have 0.1 ms of work each.
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
// columns of a register
//------------------------------------------------------------------------------

// What a product reads besides A, and the sums of its columns: those along the columns with v, and
// for complex numbers with (im, -re) of v.
typedef struct {
  vec along[LANE_SCALARS];
#if GLA_COMPLEX
  vec across[LANE_SCALARS];
#endif
} product_sums;

static inline vec product_signs (void)
{
  vec sign = vec_broadcast (1);
  for (int l = 0; l < GLA_LANES; l += 2)
    sign[l] = -1;
  return sign;
}

// Adds a_c x_c to y and a_c^H v to the sums for the register `at` rows into all columns a_c. On the
// diagonal both leave out what is above it, and the sums also the diagonal.
static inline __attribute__ ((always_inline)) void product_rows (const scalar *a, int64_t lda,
                                                                 const scalar *x, const scalar *v,
                                                                 scalar *y, product_sums *sum,
                                                                 int diagonal)
{
  const vec vi = *(const vec *)v;
  vec yi = *(vec *)y;
#if GLA_COMPLEX
  const vec sign = product_signs (), turned = -sign * exchange_lanes (vi, vi, 1);
  vec im = vec_broadcast (0);
#endif
#pragma GCC unroll 16
  for (int c = 0; c < LANE_SCALARS; c++) {
    vec ai = *(const vec *)(a + c * lda), below = ai;
    if (diagonal) {
      mask from, behind;
      for (int l = 0; l < GLA_LANES; l++) {
        behind[l] = -(bits)(l / GLA_PARTS > c);
        from[l] = -(bits)(l / GLA_PARTS > c || l == c * GLA_PARTS);
      }
      below = (vec)((mask)ai & behind);
      ai = (vec)((mask)ai & from);
    }
    yi += ai * __real__ x[c];
    sum->along[c] += below * vi;
#if GLA_COMPLEX
    im += ai * __imag__ x[c];
    sum->across[c] += below * turned;
#endif
  }
#if GLA_COMPLEX
  yi += sign * exchange_lanes (im, im, 1);
#endif
  *(vec *)y = yi;
}

// The sum of all lanes.
static inline real lanes_total (vec x)
{
  x += exchange_lanes (x, x, 1);
  if (GLA_LANES > 2)
    x += exchange_lanes (x, x, 2);
  if (GLA_LANES > 4)
    x += exchange_lanes (x, x, 4);
  if (GLA_LANES > 8)
    x += exchange_lanes (x, x, 8);
  return x[0];
}

// Adds the contribution of columns first .. first+LANE_SCALARS-1 of the lower triangle to A v;
// `first` is a multiple of that number.
static inline void product_columns (const reduction_step *step, int64_t first, scalar *y)
{
  const reduction *r = step->r;
  const scalar *a = r->a + first * r->lda, *v = step->v;
  product_sums sum = {0};
  scalar x[LANE_SCALARS];
  memcpy (x, v + first, sizeof x);
  product_rows (a + first, r->lda, x, v + first, y + first, &sum, 1);
  for (int64_t i = first + LANE_SCALARS; i < r->n; i += LANE_SCALARS)
    product_rows (a + i, r->lda, x, v + i, y + i, &sum, 0);
  for (int c = 0; c < LANE_SCALARS; c++)
#if GLA_COMPLEX
    y[first + c] += scalar_make (lanes_total (sum.along[c]), lanes_total (sum.across[c]));
#else
    y[first + c] += lanes_total (sum.along[c]);
#endif
}

//------------------------------------------------------------------------------
// the product
//------------------------------------------------------------------------------

static void product_strip (void *user, int64_t piece, int slot)
{
  (void)slot;
  const reduction_step *step = user;
  const reduction *r = step->r;
  const int64_t first = step->from + piece * step->columns;
  const int64_t end = first + step->columns < r->n ? first + step->columns : r->n;
  scalar *y = r->sums + piece * r->ld;
  memset (y + first, 0, (size_t)(r->ld - first) * sizeof *y);
  for (int64_t j = first; j < end; j += LANE_SCALARS)
    product_columns (step, j, y);
}

// w = A v for the matrix from row and column `from` on; v and w are addressed by rows of the page,
// and v is zero in those that share a register with its first and last one.
static void reduction_product (const reduction *r, int64_t from, const scalar *v, scalar *w)
{
  const int64_t first = from / LANE_SCALARS * LANE_SCALARS, order = r->n - first;
  const int64_t width = !GLA_COMPLEX && order <= REDUCE_WHOLE ? REDUCE_WHOLE : REDUCE_STRIP;
  const int64_t strips = (order + width - 1) / width;
  reduction_step step = {.r = r, .from = first, .v = v, .columns = width};
  team_for (r->task, strips, (double)(order * order * GLA_PARTS) * 2e-10, product_strip, &step);
  memcpy (w + from, r->sums + from, (size_t)(r->n - from) * sizeof *w);
  for (int64_t s = 1; s < strips; s++) {
    const scalar *y = r->sums + s * r->ld;
    for (int64_t i = first + s * width; i < r->n; i++)
      w[i] += y[i];
  }
}

#endif
