// svd_lanes.h: the decomposition of small matrices, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// T (m x k, m >= k) is a page, or its adjoint if the page has more columns than rows. With column
// pivoting T P = Q R, then R' Y = X S by one-sided Jacobi, so T = (Q Y) S (P X)' (Drmac, Veselic
// 2008). Y begins as eigenvectors of R R', so that few sweeps are needed.

#ifndef GPULINALG_CPU_SVD_SVD_LANES_H
#define GPULINALG_CPU_SVD_SVD_LANES_H

#include "common/phase.h"
#include "cpu/common/carve.h"
#include "cpu/common/minmax.h"

#include "svd_lanes_qr.h"
#include "svd_lanes_jacobi.h"
#include "svd_lanes_start.h"

#include <string.h>

typedef struct {
  lanes_qr qr;         // of T
  lanes_start start;   // of the sweeps
  lanes_jacobi jacobi; // of R'
  vec *sigma;          // k: lengths of columns of X; zeros are exact
  int *order;          // k times GLA_LANES: of the values, descending
  num *left;           // k x k: Y in order
  num *right;          // k x k: P X in order, normalised
  signed char *groups; // of pairs in a sweep
  real *lane;          // k x (k + 1) scalars: one lane's columns
} lanes_svd;

// vectors: whether any are wanted; y: whether those of the long side are.
typedef struct {
  int vectors, y, sweeps;
  real tol;
} svd_sweeps;

static void lanes_svd_layout (char *base, size_t *at, int64_t m, int64_t k, lanes_svd *s)
{
  const size_t square = (size_t)(k * k) * sizeof (num);
  memset (s, 0, sizeof *s);
  s->qr = (lanes_qr){.m = m, .k = k};
  s->qr.a = gla_carve (base, at, (size_t)(m * k) * sizeof (num));
  s->qr.tau = gla_carve (base, at, (size_t)k * sizeof (num));
  s->qr.norm2 = gla_carve (base, at, (size_t)k * sizeof (vec));
  s->qr.dead = gla_carve (base, at, (size_t)k * sizeof (mask));
  s->qr.perm = gla_carve (base, at, (size_t)(k * GLA_LANES) * sizeof (int));
  s->jacobi.k = (int)k;
  s->jacobi.w = gla_carve (base, at, square);
  s->jacobi.y = gla_carve (base, at, square);
  lanes_start_layout (base, at, k, &s->start);
  s->sigma = gla_carve (base, at, (size_t)k * sizeof (vec));
  s->order = gla_carve (base, at, (size_t)(k * GLA_LANES) * sizeof (int));
  s->left = gla_carve (base, at, square);
  s->right = gla_carve (base, at, square);
  s->groups = gla_carve (base, at, groups_bytes (k));
  if (base)
    fill_groups ((int)k, s->groups);
  s->lane = gla_carve (base, at, (size_t)(k * (k + 1) * GLA_PARTS) * sizeof (real));
}

//------------------------------------------------------------------------------
// values
//------------------------------------------------------------------------------

// Finds lengths of the columns of X, and their order in each lane; the sort is stable. In the lanes
// `done` their squares are known.
static void sort_values (const lanes_svd *s, mask done, const vec *norm2)
{
  const int64_t k = s->qr.k;
  const vec nothing = vec_broadcast (GLA_SVD_NOTHING);
  for (int64_t j = 0; j < k; j++) {
    const vec known = norm2 ? norm2[j] : nothing;
    const vec square =
        mask_any (~done) ? vec_select (done, known, lanes_norm2 (k, s->jacobi.w + j * k)) : known;
    s->sigma[j] = vec_select (square > nothing, vec_sqrt (square), vec_broadcast (0));
  }
  for (int64_t j = 0; j < k; j++) {
    mask rank = {0}; // how many are before it
    for (int64_t i = 0; i < k; i++)
      rank -= i < j ? s->sigma[i] >= s->sigma[j] : s->sigma[i] > s->sigma[j];
    for (int l = 0; l < GLA_LANES; l++)
      s->order[rank[l] * GLA_LANES + l] = (int)j;
  }
}

static void exchange (num **x, num **y)
{
  num *t = *x;
  *x = *y;
  *y = t;
}

static void set_identity (int k, num *y)
{
  memset (y, 0, (size_t)(k * k) * sizeof *y);
  for (int j = 0; j < k; j++)
    y[j + j * k] = num_from_real (vec_broadcast (1));
}

// Does QR of the pages and, if k is large enough, makes the tridiagonal matrix of R*R'.
static void decompose_begin (lanes_svd *s)
{
  lanes_qr_pivot (&s->qr);
  lanes_adjoint_of_R (&s->qr, s->jacobi.w);
  if (s->qr.k >= LANES_START_FROM)
    s->start.norms.done = start_begin (s->jacobi.k, s->jacobi.w, &s->start);
}

// Whether sweeps begin with eigenvectors in some lane, after decompose_begin.
static int has_start (const lanes_svd *s)
{
  return s->jacobi.k >= LANES_START_FROM && mask_any (s->start.norms.done);
}

static void decompose_end (lanes_svd *s, const svd_sweeps *wanted, int *unconverged)
{
  const int k = s->jacobi.k, start = has_start (s);
  mask done = {0};
  if (start) {
    start_end (k, s->jacobi.w, &s->start, s->jacobi.y);
    const svd_turn turn = {wanted->vectors, wanted->tol, s->qr.level};
    start_correct (k, s->jacobi.w, &turn, &s->start, &s->jacobi.y);
    exchange (&s->jacobi.w, &s->start.product);
    done = s->start.norms.done;
  } else
    set_identity (k, s->jacobi.y);
  lanes_jacobi jacobi = s->jacobi;
  jacobi.y = wanted->y ? jacobi.y : NULL;
  jacobi.tol = wanted->tol;
  jacobi.sweeps = wanted->sweeps;
  jacobi.norm2 = s->qr.norm2;
  jacobi.groups = s->groups;
  jacobi_in_lanes (&jacobi, ~done, unconverged);
  sort_values (s, done, start ? s->start.norms.norm2 : NULL);
}

// Decomposes the pages of s[]->qr.a, for one or two registers; unconverged as in jacobi_in_lanes.
// QL, a sequence of dependent operations, is faster on two.
static void decompose_lanes (int registers, lanes_svd *const *s, const svd_sweeps *wanted,
                             int (*unconverged)[GLA_LANES])
{
  ql_group q[2];
  int groups = 0;
  for (int g = 0; g < registers; g++) {
    decompose_begin (s[g]);
    if (has_start (s[g]))
      q[groups++] = s[g]->start.q;
  }
  while (groups > 0 && ql_next_sweep (s[0]->jacobi.k, groups, q))
    continue;
  for (int g = 0; g < registers; g++)
    decompose_end (s[g], wanted, unconverged[g]);
}

//------------------------------------------------------------------------------
// vectors
//------------------------------------------------------------------------------

// Gathers column o[l] of `from` (k x k) in lane l, row i in row to_row[i*GLA_LANES + l] (NULL: row
// i).
static void gather_in_order (int64_t k, const num *from, const int *o, const int *to_row, num *to)
{
  int alike = to_row == NULL;
  for (int l = 1; l < GLA_LANES && alike; l++)
    alike = o[l] == o[0];
  if (alike) {
    memcpy (to, from + o[0] * k, (size_t)k * sizeof *to);
    return;
  }
  for (int l = 0; l < GLA_LANES; l++)
    for (int64_t i = 0; i < k; i++) {
      const int64_t row = to_row ? to_row[i * GLA_LANES + l] : i;
      const real *x = (const real *)(from + i + o[l] * k) + l;
      real *y = (real *)(to + row) + l;
      y[0] = x[0];
#if GLA_COMPLEX
      y[GLA_LANES] = x[GLA_LANES];
#endif
    }
}

static void form_left (const lanes_svd *s)
{
  const int64_t k = s->qr.k;
  for (int64_t j = 0; j < k; j++)
    gather_in_order (k, s->jacobi.y, s->order + j * GLA_LANES, NULL, s->left + j * k);
}

// Completes columns of zero values in lane l to an orthonormal basis.
static void complete_lane (const lanes_svd *s, int64_t rank, int l)
{
  const int64_t k = s->qr.k;
  scalar *x = (scalar *)s->lane;
  for (int64_t i = 0; i < k * rank; i++) {
    const real *from = (const real *)(s->right + i) + l;
    x[i] = scalar_make (from[0], GLA_COMPLEX ? from[GLA_COMPLEX * GLA_LANES] : 0);
  }
  complete_basis (k, k, x, k, rank);
  for (int64_t i = k * rank; i < k * k; i++) {
    real *to = (real *)(s->right + i) + l;
    to[0] = __real__ x[i];
#if GLA_COMPLEX
    to[GLA_LANES] = __imag__ x[i];
#endif
  }
}

static void form_right (const lanes_svd *s)
{
  const int64_t k = s->qr.k;
  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  for (int64_t j = 0; j < k; j++) {
    const vec inverse = one / vec_select (s->sigma[j] > zero, s->sigma[j], one);
    for (int64_t i = 0; i < k; i++)
      s->jacobi.w[i + j * k] = num_scale (inverse, s->jacobi.w[i + j * k]);
  }
  for (int64_t j = 0; j < k; j++)
    gather_in_order (k, s->jacobi.w, s->order + j * GLA_LANES, s->qr.perm, s->right + j * k);
  for (int l = 0; l < GLA_LANES; l++) {
    int64_t rank = k;
    while (rank > 0 && s->sigma[s->order[(rank - 1) * GLA_LANES + l]][l] == 0)
      rank--;
    if (rank < k)
      complete_lane (s, rank, l);
  }
}

//------------------------------------------------------------------------------
// phases
//------------------------------------------------------------------------------

// Gives x, of length 1, the phase of common/phase.h. Returns the factor of x.
static num fix_phase (int64_t rows, num *x)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  vec most = zero;
  for (int64_t i = 0; i < rows; i++) {
    const vec square = num_abs2 (x[i]);
    most = vec_select (square > most, square, most);
  }
  const vec least = (real)(GLA_PHASE_NEAR * GLA_PHASE_NEAR) * most;
  num element = x[rows - 1];
  for (int64_t i = rows - 2; i >= 0; i--)
    element = num_select (num_abs2 (x[i]) >= least, x[i], element);
#if GLA_COMPLEX
  const mask some = most > zero;
  const vec modulus = vec_sqrt (num_abs2 (element));
  const vec inverse = one / vec_select (some, modulus, one);
  num f = num_scale (inverse, num_conj (element));
  f.re = vec_select (some, f.re, one);
  mask waits = some;
  for (int64_t i = 0; i < rows; i++) {
    const mask here = waits & (num_abs2 (x[i]) >= least);
    waits &= ~here;
    x[i] = num_select (here, num_from_real (modulus), num_mul (f, x[i]));
  }
#else
  const num f = {vec_select (element.re < zero, -one, one)};
  for (int64_t i = 0; i < rows; i++)
    x[i] = num_mul (f, x[i]);
#endif
  return f;
}

static void times_phase (int64_t rows, num f, num *x)
{
  for (int64_t i = 0; i < rows; i++)
    x[i] = num_mul (f, x[i]);
}

#endif
