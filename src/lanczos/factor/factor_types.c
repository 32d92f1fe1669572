// factor_types.c: computes the values of a sparse Hermitian factor, front by front, of one type
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once for each of d and z, with -DGLA_T=<type>.

#include "common/products.h"

#include "factor.h"
#include "factor_pivot.h"
#include "factor_solve.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  gla_factor *F;
  const gla_csr *A;
  double shift;
  gla_context *ctx;
  int64_t *place; // of each row in the front
  scalar *stack;  // what fronts leave to their parents, in their order
  int64_t top;
  scalar *rest;   // of the current front: below x below
  scalar *scaled; // L*D below a panel, and of all panels at the rows below the front
  double since;   // flops since the last poll
} filling;

// Returns element (i, j) of the front, of its columns or of the rest.
static inline scalar *element (const filling *s, const gla_front *f, scalar *L, int64_t i,
                               int64_t j)
{
  const int64_t w = f->width;
  return j < w ? L + i + j * (w + f->below) : s->rest + (i - w) + (j - w) * f->below;
}

static void take_entries (filling *s, const gla_front *f, scalar *L)
{
  const gla_factor *F = s->F;
  const gla_csr *A = s->A;
  const int64_t m = f->width + f->below;
  for (int64_t j = 0; j < f->width; j++) {
    const int64_t column = F->order[f->first + j];
    for (int64_t q = gla_csr_at (A->start, A->index_bytes, column);
         q < gla_csr_at (A->start, A->index_bytes, column + 1); q++) {
      const int64_t row = F->inverse[gla_csr_at (A->index, A->index_bytes, q)];
      if (row >= f->first + j)
        L[s->place[row] + j * m] += A->values ? ((const scalar *)A->values)[q] : 1;
    }
    L[j + j * m] -= s->shift;
  }
}

// Adds the matrix of child c, which is the last on the stack.
static void take_child (filling *s, const gla_front *f, const gla_front *c, scalar *L)
{
  const int64_t r = c->below, *rows = s->F->rows + c->rows;
  const scalar *from = s->stack + s->top - r * r;
  for (int64_t j = 0; j < r; j++) {
    const int64_t to = s->place[rows[j]];
    const int64_t back = to < f->width ? 0 : f->width;
    scalar *column = element (s, f, L, back, to);
    for (int64_t i = j; i < r; i++)
      column[s->place[rows[i]] - back] += from[i + j * r];
  }
  s->top -= r * r;
}

static int go_on (filling *s, double flops)
{
  s->since += flops;
  if (s->since < 2e8)
    return 1;
  s->since = 0;
  return !gla_stop_wanted (s->ctx);
}

// Sets C -= G*W', the lower triangle of n columns and m rows; a few columns at a time.
static int subtract (filling *s, int64_t m, int64_t n, int64_t k, const scalar *G, int64_t ldg,
                     const scalar *W, int64_t ldw, scalar *C, int64_t ldc)
{
  enum { STRIPE = 96 };
  for (int64_t j = 0; j < n; j += STRIPE) {
    const int64_t columns = n - j < STRIPE ? n - j : STRIPE;
    gemm ("N", "C", m - j, columns, k, -1, (const real *)(G + j), ldg, (const real *)(W + j), ldw,
          1, (real *)(C + j + j * ldc), ldc);
    if (!go_on (s, 2 * GLA_PARTS * GLA_PARTS * (double)(m - j) * (double)columns * (double)k))
      return 0;
  }
  return 1;
}

// Factors columns `at` to at+n-1 of the front.
static gla_status factor_panel (filling *s, const gla_front *f, scalar *L, int64_t at, int64_t n,
                                int *singular)
{
  gla_factor *F = s->F;
  const int64_t m = f->width + f->below, under = m - at - n, k = f->first + at;
  scalar *block = L + at + at * m, *G = block + n, *W = s->scaled, *e = (scalar *)F->e + k;
  if (!pivot_block ((int)n, block, m, F->smallest, F->swaps + k, F->d + k, e, &F->negative)) {
    *singular = 1;
    return GLA_OK;
  }
  for (int64_t j = 0; j < n; j++)
    memcpy (W + j * under, G + F->swaps[k + j] * m, (size_t)under * sizeof *W);
  const triangle_form how = {"R", "L", "C", "U"};
  trsm (how, under, n, 1, (const real *)block, m, (real *)W, under);
  for (int64_t j = 0; j < n; j++) {
    scalar *w = W + j * under, *g = G + j * m;
    if (e[j] == 0) {
      for (int64_t i = 0; i < under; i++)
        g[i] = w[i] / F->d[k + j];
      continue;
    }
    for (int64_t i = 0; i < under; i++)
      divide_pair (w[i], w[i + under], F->d[k + j], F->d[k + j + 1], e[j], g + i, g + i + m);
    j++;
  }
  // the columns of the front that follow, and what the rest of it needs
  const int64_t follow = f->width - at - n;
  if (!subtract (s, under, follow, n, G, m, W, under, G + n * m, m))
    return GLA_ERROR_STOPPED;
  scalar *keep = s->scaled + (f->width + f->below) * 64 + at * f->below;
  for (int64_t j = 0; j < n; j++)
    memcpy (keep + j * f->below, W + follow + j * under, (size_t)f->below * sizeof *W);
  return GLA_OK;
}

static gla_status factor_front (filling *s, int64_t number, const int64_t *last_child,
                                const int64_t *brother, int *singular)
{
  gla_factor *F = s->F;
  const gla_front *f = &F->fronts[number];
  const int64_t w = f->width, r = f->below, m = w + r;
  scalar *L = (scalar *)F->values + f->entries;
  memset (L, 0, (size_t)(m * w) * sizeof *L);
  memset (s->rest, 0, (size_t)(r * r) * sizeof *L);
  for (int64_t j = 0; j < w; j++)
    s->place[f->first + j] = j;
  for (int64_t i = 0; i < r; i++)
    s->place[F->rows[f->rows + i]] = w + i;
  take_entries (s, f, L);
  for (int64_t c = last_child[number]; c >= 0; c = brother[c])
    take_child (s, f, &F->fronts[c], L);
  for (int64_t at = 0, n; at < w; at += n) {
    n = gla_front_panel (f, at);
    const gla_status status = factor_panel (s, f, L, at, n, singular);
    if (status != GLA_OK || *singular)
      return status;
  }
  if (!subtract (s, r, r, w, L + w, m, s->scaled + m * 64, r, s->rest, r))
    return GLA_ERROR_STOPPED;
  memcpy (s->stack + s->top, s->rest, (size_t)(r * r) * sizeof *L);
  s->top += r * r;
  return GLA_OK;
}

gla_status GLA_NAME (gla_factor_fill) (gla_factor *F, const gla_csr *A, double shift,
                                       gla_context *ctx, int *singular)
{
  const size_t most = (size_t)(F->most_width + F->most_below), numbers = (size_t)F->n_fronts + 1;
  const size_t below = (size_t)F->most_below, size = sizeof (scalar);
  filling s = {.F = F, .A = A, .shift = shift, .ctx = ctx};
  gla_status status = GLA_OK;
  int64_t *last_child = malloc (2 * numbers * sizeof *last_child);
  s.place = malloc (((size_t)F->n + 1) * sizeof *s.place);
  s.stack = malloc ((size_t)F->most_stacked * size + 1);
  s.rest = malloc (below * below * size + 1);
  s.scaled = malloc ((most * 64 + below * (size_t)F->most_width) * size + 1);
  if (!last_child || !s.place || !s.stack || !s.rest || !s.scaled)
    status = GLA_ERROR_OUT_OF_MEMORY;
  *singular = 0;
  if (status == GLA_OK) {
    int64_t *brother = last_child + numbers;
    for (int64_t f = 0; f < F->n_fronts; f++)
      last_child[f] = -1;
    for (int64_t f = 0; f < F->n_fronts; f++) {
      const int64_t up = F->fronts[f].parent;
      brother[f] = up >= 0 ? last_child[up] : -1;
      if (up >= 0)
        last_child[up] = f;
    }
    for (int64_t f = 0; f < F->n_fronts && status == GLA_OK && !*singular; f++)
      status = factor_front (&s, f, last_child, brother, singular);
  }
  free (last_child);
  free (s.place);
  free (s.stack);
  free (s.rest);
  free (s.scaled);
  return status;
}

void GLA_NAME (gla_factor_apply) (const gla_factor *F, real *values, int64_t columns, real *rows)
{
  scalar *X = (scalar *)values;
  for (int64_t f = 0; f < F->n_fronts; f++)
    solve_forward (F, &F->fronts[f], X, columns, (scalar *)rows);
  solve_pivots (F, columns, X);
  for (int64_t f = F->n_fronts - 1; f >= 0; f--)
    solve_backward (F, &F->fronts[f], X, columns, (scalar *)rows);
}
