// page_dc.h: divide and conquer on one real tridiagonal matrix, by all threads of a team
// SPDX-License-Identifier: GPL-3.0-or-later
//
// It follows LAPACK's ?stedc with ?laed0, with its ?laed2 for the deflation; page_secular.h solves
// the leaves and finds the roots of the secular equation. Long work is cut into pieces that threads
// share and between which the monitor is polled: the leaves, the merges of a level while there are
// many, and within a large merge the roots, the rows of the vector z that Gu and Eisenstat
// recompute from the roots, and strips of columns of the products with the vectors of both halves.
// ?laed3 does these one after the other. The cuts depend on n alone.

#ifndef GPULINALG_CPU_EIG_PAGE_DC_H
#define GPULINALG_CPU_EIG_PAGE_DC_H

#include "cpu/common/minmax.h"

#include "page_secular.h"
#include "page_reduce.h"

#include <stdatomic.h>

// DC_SHARED: from this order on threads share a merge. DC_ROOTS and DC_ROWS: roots, and rows of z,
// of a piece.
enum { DC_SHARED = 512, DC_ROOTS = 16, DC_ROWS = 256 };

typedef struct {
  gla_cpu_eig_task *task;
  int64_t n, ldz;
  real *d, *e, *z;            // z: n columns, ldz apart
  real *q2;                   // n x n; a merge uses its rows of the matrix
  real *last, *poles, *w, *s; // of a merge: z, the poles, and w before and after the roots
  gla_blas_int *sorted, *indx, *indxc, *indxp, *coltyp;
  real *strips; // of each thread: strip_size numbers
  size_t strip_size;
  int64_t first, count; // eigenvalues, ascending, whose vectors are wanted
  _Atomic int failed;
} dc;

// Returns the columns of a strip of the products: some 50 ms of work.
static int64_t dc_strip (int64_t n)
{
  return n <= 2048 ? 128 : n <= 4096 ? 64 : 32;
}

static size_t dc_strip_size (int64_t n)
{
  // two factors of at most n rows, and a column; or leaves
  leaf_space leaves;
  const size_t products = (size_t)(2 * n * 128 + n);
  const size_t of_leaves = leaf_layout (NULL, LEAF_MOST, &leaves) / sizeof (real);
  return products > of_leaves ? products : of_leaves;
}

static void dc_layout (char *base, size_t *at, int64_t n, dc *w)
{
  const size_t column = (size_t)n * sizeof (real), index = (size_t)n * sizeof (gla_blas_int);
  w->n = n;
  w->q2 = gla_carve (base, at, (size_t)n * column);
  w->last = gla_carve (base, at, column);
  w->poles = gla_carve (base, at, column);
  w->w = gla_carve (base, at, column);
  w->s = gla_carve (base, at, column);
  w->sorted = gla_carve (base, at, index);
  w->indx = gla_carve (base, at, index);
  w->indxc = gla_carve (base, at, index);
  w->indxp = gla_carve (base, at, index);
  w->coltyp = gla_carve (base, at, index);
}

//------------------------------------------------------------------------------
// one merge
//------------------------------------------------------------------------------

// Rows and columns lo .. lo+m-1 of T; the first n1 are one half. k: the order of the secular
// equation, after the deflation.
typedef struct {
  dc *w;
  int64_t lo, m, n1, k;
  real rho;
  real *q, *d;        // of the merge
  int own;            // number of the thread that does the merge; 0 if threads share it
  int64_t begin, end; // roots whose vectors are wanted
} merge;

// Multiplies the rows of one half by those of the eigenvectors of the secular equation that belong
// to it.
static void dc_product (const merge *g, gla_blas_int rows, gla_blas_int inner, gla_blas_int columns,
                        const real *vectors, const real *x, real *out)
{
  const gla_blas_int ldz = (gla_blas_int)g->w->ldz;
  const real one = 1, zero = 0;
  for (int64_t j = 0; inner == 0 && j < columns; j++)
    memset (out + j * g->w->ldz, 0, (size_t)rows * sizeof *out);
  if (inner == 0)
    return;
  gla_blas_in ();
  GLA_REAL_GEMM ("N", "N", &rows, &columns, &inner, &one, vectors, &rows, x, &inner, &zero, out,
                 &ldz, 1, 1);
  gla_blas_out ();
}

// Finds root j: its value, and its distances to the poles in column j of q.
static void dc_root_alone (const merge *g, int64_t j)
{
  const dc *w = g->w;
  const gla_blas_int k = (gla_blas_int)g->k, number = (gla_blas_int)j + 1;
  gla_blas_int info;
  GLA_LAED4 (&k, &number, w->poles + g->lo, w->w + g->lo, g->q + j * w->ldz, &g->rho, g->d + j,
             &info);
  if (info != 0)
    atomic_store (&g->w->failed, 1);
}

static void dc_root_group (const merge *g, int64_t first)
{
  const dc *w = g->w;
  const real *poles = w->poles + g->lo;
  const secular s = {g->k, poles, w->w + g->lo, g->rho};
  secular_roots r = secular_group (&s, first);
  const mask found = secular_solve (&s, &r);
  for (int l = 0; l < GLA_LANES && first + l < g->k - 1; l++) {
    const int64_t j = first + l;
    real *x = g->q + j * w->ldz;
    const real origin = r.origin[l], tau = r.tau[l];
    if (!found[l]) {
      dc_root_alone (g, j);
      continue;
    }
    for (int64_t i = 0; i < g->k; i++)
      x[i] = (poles[i] - origin) - tau;
    g->d[j] = origin + tau;
  }
}

static void dc_roots (void *user, int64_t piece, int slot)
{
  const merge *g = user;
  const int64_t from = piece * DC_ROOTS, end = gla_min (from + DC_ROOTS, g->k);
  if (piece_stopped (g->w->task, g->own + slot))
    return;
  for (int64_t j = from; j < end && g->k <= 2; j++) // laed4 stores the vectors themselves
    dc_root_alone (g, j);
  for (int64_t j = from; j < end && g->k > 2; j += GLA_LANES)
    dc_root_group (g, j);
  if (g->k > 2 && end == g->k)
    dc_root_alone (g, g->k - 1);
}

// Recomputes rows of the vector z whose secular equation has exactly the roots that were found.
static void dc_recompute (void *user, int64_t piece, int slot)
{
  const merge *g = user;
  const dc *w = g->w;
  const int64_t first = piece * DC_ROWS, end = gla_min (first + DC_ROWS, g->k);
  const real *poles = w->poles + g->lo, *old = w->w + g->lo;
  real *s = w->s + g->lo;
  if (piece_stopped (w->task, g->own + slot))
    return;
  for (int64_t i = first; i < end; i++)
    s[i] = g->q[i + i * w->ldz];
  for (int64_t j = 0; j < g->k; j++) {
    const real *q = g->q + j * w->ldz, pole = poles[j];
    for (int64_t i = first; i < gla_min (end, j); i++)
      s[i] *= q[i] / (poles[i] - pole);
    for (int64_t i = j + 1 > first ? j + 1 : first; i < end; i++)
      s[i] *= q[i] / (poles[i] - pole);
  }
  for (int64_t i = first; i < end; i++)
    s[i] = old[i] < 0 ? -real_sqrt (-s[i]) : real_sqrt (-s[i]);
}

// Computes eigenvector j of the secular equation, in the order of the columns that laed2 has
// packed: rows 0 .. n12-1 of it belong to the first half, those from k-n23 on to the second.
static void dc_vector (const merge *g, int64_t j, int64_t n12, real *first, int64_t n23,
                       real *second)
{
  const dc *w = g->w;
  const gla_blas_int *order = w->indxc + g->lo;
  real *x = g->q + j * w->ldz;
  // laed4 returns the vectors themselves where there are at most two
  const real scale = g->k > 2 ? secular_quotients (g->k, w->s + g->lo, x) : 1;
  for (int64_t i = 0; i < n12; i++)
    first[i] = x[order[i] - 1] * scale;
  for (int64_t i = 0; i < n23; i++)
    second[i] = x[order[g->k - n23 + i] - 1] * scale;
}

static void dc_columns (void *user, int64_t piece, int slot)
{
  const merge *g = user;
  const dc *w = g->w;
  const gla_blas_int *types = w->coltyp + g->lo;
  const int64_t width = dc_strip (w->n), from = g->begin + piece * width;
  const int64_t count = gla_min (width, g->end - from), n2 = g->m - g->n1;
  const int64_t n12 = types[0] + types[1], n23 = types[1] + types[2];
  real *first = w->strips + (size_t)(g->own + slot) * w->strip_size, *second = first + n12 * count;
  const real *vectors = w->q2 + g->lo * w->n;
  real *out = g->q + from * w->ldz;
  if (piece_stopped (w->task, g->own + slot))
    return;
  for (int64_t j = 0; j < count; j++)
    dc_vector (g, from + j, n12, first + j * n12, n23, second + j * n23);
  dc_product (g, (gla_blas_int)n2, (gla_blas_int)n23, (gla_blas_int)count, vectors + g->n1 * n12,
              second, out + g->n1);
  if (piece_stopped (w->task, g->own + slot))
    return;
  dc_product (g, (gla_blas_int)g->n1, (gla_blas_int)n12, (gla_blas_int)count, vectors, first, out);
}

// Deflates: the rest is a secular equation of order k.
static void dc_deflate (merge *g)
{
  const dc *w = g->w;
  const gla_blas_int m = (gla_blas_int)g->m, n1 = (gla_blas_int)g->n1, ldz = (gla_blas_int)w->ldz;
  real *last = w->last + g->lo;
  for (int64_t j = 0; j < g->n1; j++)
    last[j] = g->q[g->n1 - 1 + j * w->ldz];
  for (int64_t j = g->n1; j < g->m; j++)
    last[j] = g->q[g->n1 + j * w->ldz];
  g->rho = w->e[g->lo + g->n1 - 1];
  gla_blas_int k = 0, info;
  GLA_LAED2 (&k, &m, &n1, g->d, g->q, &ldz, w->sorted + g->lo, &g->rho, last, w->poles + g->lo,
             w->w + g->lo, w->q2 + g->lo * w->n, w->indx + g->lo, w->indxc + g->lo,
             w->indxp + g->lo, w->coltyp + g->lo, &info);
  g->k = k;
  if (info != 0)
    atomic_store (&g->w->failed, 1);
}

// Sorts the eigenvalues of the merge, and finds which roots have wanted vectors: in the last merge
// only those, and what rounding may put among them.
static void dc_sort (merge *g)
{
  const dc *w = g->w;
  const gla_blas_int up = 1, down = -1, found = (gla_blas_int)g->k;
  const gla_blas_int deflated = (gla_blas_int)(g->m - g->k), *sorted = w->sorted + g->lo;
  GLA_LAMRG (&found, &deflated, g->d, &up, &down, w->sorted + g->lo);
  g->begin = 0;
  g->end = g->k;
  if (g->m < w->n || w->count == w->n)
    return;
  const real least = w->count > 0 ? g->d[sorted[w->first] - 1] - 8 * GLA_EPS : 1;
  const real most = w->count > 0 ? g->d[sorted[w->first + w->count - 1] - 1] + 8 * GLA_EPS : 0;
  while (g->begin < g->end && !(g->d[g->begin] >= least))
    g->begin++;
  while (g->end > g->begin && !(g->d[g->end - 1] <= most))
    g->end--;
}

// own: the workspace of the calling thread.
static void dc_merge (dc *w, int64_t lo, int64_t middle, int64_t hi, int own)
{
  merge g = {.w = w, .lo = lo, .m = hi - lo, .n1 = middle - lo, .own = own};
  g.q = w->z + lo + lo * w->ldz;
  g.d = w->d + lo;
  dc_deflate (&g);
  const double k = (double)g.k;
  if (g.k == 0) {
    for (int64_t i = 0; i < g.m; i++)
      w->sorted[lo + i] = (gla_blas_int)i + 1;
    return;
  }
  team_for (w->task, (g.k + DC_ROOTS - 1) / DC_ROOTS, k * k * 8e-9, dc_roots, &g);
  if (g.k > 2)
    team_for (w->task, (g.k + DC_ROWS - 1) / DC_ROWS, k * k * 2e-9, dc_recompute, &g);
  dc_sort (&g);
  const int64_t width = dc_strip (w->n), columns = g.end - g.begin;
  const double products = (double)columns * (double)(g.m * g.m) * 5e-11;
  team_for (w->task, (columns + width - 1) / width, products, dc_columns, &g);
}

//------------------------------------------------------------------------------
// tree
//------------------------------------------------------------------------------

// The tree: rows lo .. lo+m-1 are halved until there are `parts` leaves, a power of two; the first
// half is the smaller one, as laed2 requires. A level has merges of 2*step leaves.
typedef struct {
  dc *w;
  int64_t lo, m, parts, step;
} tree;

static int64_t leaf_begin (const tree *t, int64_t leaf)
{
  int64_t at = t->lo, m = t->m;
  if (leaf == t->parts)
    return at + m;
  for (int64_t bit = t->parts / 2; bit > 0; bit /= 2) {
    const int64_t first = m / 2;
    at += leaf & bit ? first : 0;
    m = leaf & bit ? m - first : first;
  }
  return at;
}

static void dc_leaves (void *user, int64_t piece, int slot)
{
  const tree *t = user;
  dc *w = t->w;
  const int64_t first = piece * GLA_LANES;
  leaf_group g = {.count = (int)gla_min (GLA_LANES, t->parts - first)};
  if (piece_stopped (w->task, slot))
    return;
  g.at[0] = leaf_begin (t, first);
  for (int l = 0; l < g.count; l++) {
    g.at[l + 1] = leaf_begin (t, first + l + 1);
    const int order = (int)(g.at[l + 1] - g.at[l]);
    g.order = order > g.order ? order : g.order;
    for (int i = 0; i < order; i++)
      w->sorted[g.at[l] + i] = (gla_blas_int)i + 1;
  }
  if (!leaves_solve (&g, w->d, w->e, w->z, w->ldz, w->strips + (size_t)slot * w->strip_size))
    atomic_store (&w->failed, 1);
}

static void dc_node (void *user, int64_t node, int slot)
{
  const tree *t = user;
  const int64_t first = node * 2 * t->step;
  if (!piece_stopped (t->w->task, slot) && !atomic_load (&t->w->failed))
    dc_merge (t->w, leaf_begin (t, first), leaf_begin (t, first + t->step),
              leaf_begin (t, first + 2 * t->step), slot);
}

// The norm of the block, in the largest entry, is 1.
static void dc_tree (dc *w, int64_t lo, int64_t m)
{
  tree t = {w, lo, m, 1, 1};
  while ((m + t.parts - 1) / t.parts > LEAF_MOST)
    t.parts *= 2;
  // each cut subtracts |e| from the diagonal on both sides: the rest has rank 1
  for (int64_t leaf = 1; leaf < t.parts; leaf++) {
    const int64_t at = leaf_begin (&t, leaf);
    w->d[at - 1] -= real_abs (w->e[at - 1]);
    w->d[at] -= real_abs (w->e[at - 1]);
  }
  team_for (w->task, (t.parts + GLA_LANES - 1) / GLA_LANES, (double)m * 4e-7, dc_leaves, &t);
  for (; t.step < t.parts; t.step *= 2) {
    const int64_t nodes = t.parts / (2 * t.step), order = m / nodes;
    if (order < DC_SHARED)
      team_for (w->task, nodes, (double)(m * order) * 2e-7, dc_node, &t);
    else
      for (int64_t k = 0; k < nodes; k++)
        dc_node (&t, k, 0);
  }
}

// Solves a block without negligible off-diagonal entries, with norm 1, as LAPACK does.
static void dc_block (dc *w, int64_t lo, int64_t m)
{
  real norm = 0;
  for (int64_t i = lo; i < lo + m; i++) {
    norm = real_abs (w->d[i]) > norm ? real_abs (w->d[i]) : norm;
    if (i + 1 < lo + m)
      norm = real_abs (w->e[i]) > norm ? real_abs (w->e[i]) : norm;
  }
  if (m == 1 || norm == 0) {
    for (int64_t i = lo; i < lo + m; i++)
      w->z[i + i * w->ldz] = 1;
    return;
  }
  for (int64_t i = lo; i < lo + m; i++) {
    w->d[i] /= norm;
    w->e[i] = i + 1 < lo + m ? w->e[i] / norm : 0;
  }
  dc_tree (w, lo, m);
  for (int64_t i = lo; i < lo + m; i++)
    w->d[i] *= norm;
}

// Finds T = Z D Z'; d becomes the eigenvalues, in no order, column k of z the eigenvector of d[k]
// if it is wanted. e is overwritten and has n numbers. Returns 0, or n if it did not converge;
// returns early if the work must end.
static int dc_solve (dc *w)
{
  const int64_t n = w->n;
  memset (w->z, 0, (size_t)(n * w->ldz) * sizeof *w->z);
  atomic_store (&w->failed, 0);
  for (int64_t lo = 0; lo < n && !gla_cpu_eig_stopped (w->task);) {
    int64_t hi = lo;
    while (hi + 1 < n && real_abs (w->e[hi]) > GLA_EPS / 2 * real_sqrt (real_abs (w->d[hi])) *
                                                   real_sqrt (real_abs (w->d[hi + 1])))
      hi++;
    dc_block (w, lo, hi - lo + 1);
    lo = hi + 1;
  }
  return atomic_load (&w->failed) ? (int)n : 0;
}

#endif
