// solve_lanes.h: systems and inverses of small pages, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A page is upper or lower triangular, definite (L*D*L' without pivoting), or general (LU with
// partial pivoting). Lanes of each kind are done separately, so a page gets the same bits whatever
// its neighbours are. Every element is computed in one order, whatever the number of columns.
//
// If many pages of B share one A, all lanes have that A, and each lane has another column.

#ifndef GPULINALG_CPU_SOLVE_LANES_H
#define GPULINALG_CPU_SOLVE_LANES_H

#include "cpu/common/carve.h"

#include "solve_lanes_inverse.h"

#include <string.h>

// The largest n; columns of B that are solved at a time.
enum { LU_LANES_MAX = 16, LANES_COLUMNS = GLA_COMPLEX ? 2 : 4 };

typedef struct {
  const lu_shape *shape;
  lu_system *systems;
  int count, shared; // shared: the lanes are columns of one system
  vec norm;          // of A, where rcond is wanted
  num *a, *inverse, *y;
  num *r, *l;
  mask *perm, *at;
  real *stage;
} lanes_call;

// What a kind of pages needs besides its factors.
typedef struct {
  int triangular, reversed, definite;
  int permuted; // perm is not the identity in all lanes
} lanes_kind;

static size_t lanes_layout (char *base, const lu_shape *shape, lanes_call *w)
{
  const size_t n = (size_t)shape->n;
  size_t at = 0;
  w->a = gla_carve (base, &at, n * n * sizeof *w->a);
  w->y = gla_carve (base, &at, n * LANES_COLUMNS * sizeof *w->y);
  w->r = gla_carve (base, &at, n * sizeof *w->r);
  w->l = gla_carve (base, &at, n * sizeof *w->l);
  w->perm = gla_carve (base, &at, n * sizeof *w->perm);
  w->at = gla_carve (base, &at, n * sizeof *w->at);
  if (shape->inverse)
    w->stage = gla_carve (base, &at, n * n * sizeof *w->a);
  if (shape->rcond && !shape->inverse)
    w->inverse = gla_carve (base, &at, n * n * sizeof *w->a);
  return at;
}

// Returns bytes of workspace, aligned to 64.
static size_t lu_lanes_bytes (const lu_shape *shape)
{
  lanes_call w;
  return lanes_layout (NULL, shape, &w);
}

//------------------------------------------------------------------------------
// columns
//------------------------------------------------------------------------------

// Computes rows i and, for N = 2, i+1 of inv (L)*y for T columns, after the rows above.
static inline __attribute__ ((always_inline)) void lanes_forward_rows (const num *a, int n, int i,
                                                                       int N, int T, num *y)
{
  num s[2][LANES_COLUMNS];
  for (int x = 0; x < N; x++)
    for (int t = 0; t < T; t++)
      s[x][t] = y[i + x + t * n];
  for (int k = 0; k < i; k++)
    for (int x = 0; x < N; x++)
      for (int t = 0; t < T; t++)
        s[x][t] = num_fnma (s[x][t], a[i + x + k * n], y[k + t * n]);
  for (int t = 0; t < T; t++) {
    if (N > 1)
      s[N - 1][t] = num_fnma (s[N - 1][t], a[i + 1 + i * n], s[0][t]);
    for (int x = 0; x < N; x++)
      y[i + x + t * n] = s[x][t];
  }
}

// Computes rows i and, for N = 2, i-1 of inv (U)*y, after the rows below.
static inline __attribute__ ((always_inline)) void
lanes_backward_rows (const num *a, int n, const num *r, int i, int N, int T, num *y)
{
  num s[2][LANES_COLUMNS];
  for (int x = 0; x < N; x++)
    for (int t = 0; t < T; t++)
      s[x][t] = y[i - x + t * n];
  for (int k = n - 1; k > i; k--)
    for (int x = 0; x < N; x++)
      for (int t = 0; t < T; t++)
        s[x][t] = num_fnma (s[x][t], a[i - x + k * n], y[k + t * n]);
  for (int t = 0; t < T; t++) {
    s[0][t] = num_mul (r[i], s[0][t]);
    y[i + t * n] = s[0][t];
    if (N > 1) {
      s[N - 1][t] = num_fnma (s[N - 1][t], a[i - 1 + i * n], s[0][t]);
      y[i - 1 + t * n] = num_mul (r[i - 1], s[N - 1][t]);
    }
  }
}

static inline __attribute__ ((always_inline)) void lanes_solve_tile (const lanes_call *w, int n,
                                                                     int T, int triangular)
{
  int i = n & 1;
  for (; i + 2 <= n && !triangular; i += 2)
    lanes_forward_rows (w->a, n, i, 2, T, w->y);
  for (i = n - 1; i >= 1; i -= 2)
    lanes_backward_rows (w->a, n, w->r, i, 2, T, w->y);
  if (i == 0)
    lanes_backward_rows (w->a, n, w->r, 0, 1, T, w->y);
}

// A column of X, counted over all pages.
typedef struct {
  int64_t column, page;
  int part;
} lanes_place;

static inline void lanes_next_column (const lu_shape *shape, lanes_place *c)
{
  if (shape->pairs && !c->part) {
    c->part = 1;
    return;
  }
  c->part = 0;
  if (++c->column == shape->inner) {
    c->column = 0;
    c->page++;
  }
}

// Finds addresses of the next column of each lane.
static inline __attribute__ ((always_inline)) void lanes_next_places (const lanes_call *w,
                                                                      lanes_place *c, int64_t left,
                                                                      lanes_sources *from,
                                                                      lanes_targets *to)
{
  for (int l = 0; l < GLA_LANES; l++) {
    const lu_system *s = w->systems + (!w->shared && l < w->count ? l : 0);
    if (w->shared && l < left && l > 0)
      lanes_next_column (w->shape, c);
    from->at[l] = s->B.at + c->part + c->column * s->B.column + c->page * s->B.page;
    to->at[l] = s->X.at + c->part + c->column * s->X.column + c->page * s->X.page;
  }
  lanes_next_column (w->shape, c);
}

static inline __attribute__ ((always_inline)) void lanes_load_column (const lanes_call *w, int n,
                                                                      const lanes_sources *from,
                                                                      const lanes_kind *kind,
                                                                      num *y)
{
  const lu_input *in = &w->systems->B;
  if (kind->permuted)
    lanes_load_permuted (y, n, from, in, w->perm);
  else
    lanes_load_rows (y, n, from, in);
  if (kind->reversed)
    lanes_reverse_order (y, n);
}

// Does all columns of the lanes of `live`.
static inline __attribute__ ((always_inline)) void
lanes_solve_columns (const lanes_call *w, int n, const lanes_kind *kind, unsigned live)
{
  const int64_t step = w->shared ? GLA_LANES : 1, columns = w->shape->columns;
  lanes_targets to[LANES_COLUMNS];
  lanes_place place = {0, 0, 0};
  for (int64_t c = 0; c < columns;) {
    int T = 0;
    for (; T < LANES_COLUMNS && c < columns; T++, c += step) {
      lanes_sources from;
      lanes_next_places (w, &place, columns - c, &from, &to[T]);
      to[T].live = live;
      if (w->shared)
        to[T].live =
            columns - c < GLA_LANES ? (1u << (columns - c)) - 1 : (2u << (GLA_LANES - 1)) - 1;
      lanes_load_column (w, n, &from, kind, w->y + T * n);
    }
    if (T == LANES_COLUMNS)
      lanes_solve_tile (w, n, LANES_COLUMNS, kind->triangular);
    for (int t = 0; t < T; t++) {
      lanes_call one = *w;
      one.y = w->y + t * n;
      if (T < LANES_COLUMNS)
        lanes_solve_tile (&one, n, 1, kind->triangular);
      if (kind->reversed)
        lanes_reverse_order (one.y, n);
      lanes_store_rows (&to[t], w->systems->X.row, n, one.y);
    }
  }
}

//------------------------------------------------------------------------------
// kinds
//------------------------------------------------------------------------------

static inline __attribute__ ((always_inline)) void lanes_load_pages (lanes_call *w, int n)
{
  lanes_sources from;
  for (int l = 0; l < GLA_LANES; l++)
    from.at[l] = w->systems[l < w->count ? l : 0].A.at;
  lanes_load_matrix (w->a, n, &from, &w->systems->A);
}

// Replaces factors by the inverse. Columns still have to be permuted.
static inline __attribute__ ((always_inline)) void lanes_invert (const lanes_call *w, num *a, int n,
                                                                 const lanes_kind *kind)
{
  if (kind->definite) {
    lanes_invert_definite (a, n, w->r);
    return;
  }
  if (!kind->triangular) {
    lanes_invert_general (a, n, w->r, w->l);
    return;
  }
  lanes_invert_upper (a, n, w->r);
  lanes_clear_below (a, n);
  if (kind->reversed)
    lanes_reverse_order (a, n * n);
}

static inline __attribute__ ((always_inline)) void
lanes_store_inverse (const lanes_call *w, int n, const lanes_kind *kind, unsigned live)
{
  lanes_targets to = {.live = live};
  for (int l = 0; l < GLA_LANES; l++)
    to.at[l] = w->systems[l < w->count ? l : 0].X.at;
  if (kind->permuted)
    lanes_store_permuted (&to, &w->systems->X, n, w->a, w->perm, w->stage);
  else
    lanes_store_matrix (&to, &w->systems->X, n, w->a);
}

// Sets rcond of the lanes of `live`; returns those of them that have one.
static inline unsigned lanes_set_rcond (const lanes_call *w, int n, const num *inverse,
                                        unsigned live)
{
  const vec norm = lanes_norm1 (inverse, n), rcond = vec_broadcast (1) / norm / w->norm;
  mask good = norm == norm;
#if GLA_COMPLEX
  // squares must not leave the range
  const vec least = vec_broadcast (real_sqrt (GLA_TINY) / GLA_EPS);
  const vec most = vec_broadcast (real_sqrt (GLA_MAX) * GLA_EPS);
  good &= (norm >= least) & (norm <= most) & (w->norm >= least) & (w->norm <= most);
#endif
  live &= lanes_bits (good);
  for (int l = 0; l < w->count; l++)
    if (live >> l & 1)
      w->systems[l].rcond = rcond[l];
  return live;
}

// Solves the lanes of `live` with the factors; returns those of them that are solved.
static inline __attribute__ ((always_inline)) unsigned
lanes_solve_kind (const lanes_call *w, int n, const lanes_kind *kind, unsigned live)
{
  if (!live)
    return 0;
  if (w->shape->rcond && !w->shape->inverse) {
    memcpy (w->inverse, w->a, (size_t)(n * n) * sizeof *w->a);
    lanes_invert (w, w->inverse, n, kind);
    live = lanes_set_rcond (w, n, w->inverse, live);
  }
  if (!w->shape->inverse) {
    if (live)
      lanes_solve_columns (w, n, kind, live);
    return live;
  }
  lanes_invert (w, w->a, n, kind);
  if (w->shape->rcond)
    live = lanes_set_rcond (w, n, w->a, live);
  lanes_store_inverse (w, n, kind, live);
  return live;
}

// Factors the pages, and returns the lanes whose pivots are good.
static inline __attribute__ ((always_inline)) unsigned lanes_factor (const lanes_call *w, int n,
                                                                     lanes_kind *kind)
{
  if (kind->reversed)
    lanes_reverse_order (w->a, n * n);
  if (kind->triangular)
    return lanes_bits (lanes_factor_upper (w->a, n, w->r));
  if (kind->definite)
    return lanes_bits (lanes_factor_definite (w->a, n, w->r));
  return lanes_bits (lanes_factor_general (w->a, n, w->r, w->perm, w->at, &kind->permuted));
}

// Returns the lanes that are solved.
static inline __attribute__ ((always_inline)) unsigned lanes_solve_pages (lanes_call *w, int n)
{
  lanes_load_pages (w, n);
  const lanes_by_kind kinds = lanes_kinds (w->a, n);
  if (w->shape->rcond)
    w->norm = lanes_norm1 (w->a, n);
  const unsigned all = w->shared ? 1 : (2u << (w->count - 1)) - 1;
  const unsigned lanes[] = {kinds.upper, kinds.lower, kinds.definite, all};
  unsigned left = kinds.usual & all, solved = 0, changed = 0;
  for (int k = 0; left && k < 4; k++) {
    lanes_kind kind = {.triangular = k < 2, .reversed = k == 1, .definite = k == 2};
    unsigned live = left & lanes[k];
    if (!live)
      continue;
    if (changed)
      lanes_load_pages (w, n);
    changed = 1;
    left &= ~live;
    const unsigned good = live & lanes_factor (w, n, &kind);
    // pages that turn out not to be definite are general
    if (kind.definite)
      left |= live & ~good;
    solved |= lanes_solve_kind (w, n, &kind, good);
  }
  return solved;
}

// Solves up to GLA_LANES systems with the same strides, or one with any number of columns.
static void lu_lanes_solve (const lu_shape *shape, lu_system *systems, int count, void *work)
{
  lanes_call w = {.shape = shape, .systems = systems, .count = count};
  lanes_layout (work, shape, &w);
  w.shared = count == 1 && !shape->inverse && shape->columns > 1;
  unsigned solved;
  switch (shape->n) {
  case 2:
    solved = lanes_solve_pages (&w, 2);
    break;
  case 3:
    solved = lanes_solve_pages (&w, 3);
    break;
  case 4:
    solved = lanes_solve_pages (&w, 4);
    break;
  default:
    solved = lanes_solve_pages (&w, (int)shape->n);
    break;
  }
  for (int l = 0; l < count; l++) {
    systems[l].info = 0;
    systems[l].left = !(solved >> l & 1);
  }
}

#endif
