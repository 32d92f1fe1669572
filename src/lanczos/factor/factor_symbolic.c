// factor_symbolic.c: the fronts of a sparse Hermitian matrix
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The elimination tree and its postorder follow Liu 1990. Fronts are merged with their last child
// if few zeros are stored for it, as in CHOLMOD (Chen, Davis, Hager, Rajamanickam 2008).

#include "factor.h"

#include <stdlib.h>
#include <string.h>

// A list of int64_t that grows.
typedef struct {
  int64_t *data;
  int64_t count, room;
} list;

static int push (list *l, int64_t x)
{
  if (l->count == l->room) {
    const int64_t room = 2 * l->room + 1024;
    int64_t *more = realloc (l->data, (size_t)room * sizeof *more);
    if (more == NULL)
      return 0;
    l->data = more;
    l->room = room;
  }
  l->data[l->count++] = x;
  return 1;
}

static int64_t *numbers (int64_t count, int64_t value)
{
  int64_t *a = malloc (((size_t)count + 1) * sizeof *a);
  for (int64_t i = 0; a != NULL && i <= count; i++)
    a[i] = value;
  return a;
}

//------------------------------------------------------------------------------
// the tree
//------------------------------------------------------------------------------

// Finds the parent of every column in the order of the factor; n if it has none.
static void find_tree (const gla_factor *F, const gla_csr *A, int64_t *parent, int64_t *ancestor)
{
  for (int64_t k = 0; k < F->n; k++) {
    const int64_t i = F->order[k];
    parent[k] = ancestor[k] = F->n;
    for (int64_t q = gla_csr_at (A->start, A->index_bytes, i);
         q < gla_csr_at (A->start, A->index_bytes, i + 1); q++)
      for (int64_t j = F->inverse[gla_csr_at (A->index, A->index_bytes, q)]; j < k;) {
        const int64_t next = ancestor[j];
        ancestor[j] = k;
        if (next == F->n)
          parent[j] = k;
        j = next;
      }
  }
}

// Puts order, inverse and parent into postorder; three arrays of n+1 for work.
static void postorder (gla_factor *F, int64_t *parent, int64_t *child, int64_t *next,
                       int64_t *place)
{
  const int64_t n = F->n;
  for (int64_t k = 0; k <= n; k++)
    child[k] = -1;
  for (int64_t k = n - 1; k >= 0; k--) { // the first child is the first in the order
    next[k] = child[parent[k]];
    child[parent[k]] = k;
  }
  int64_t count = 0, k = n;
  next[n] = -1;
  for (;;) { // down to the first leaf, then what is finished up to the next brother
    while (child[k] >= 0)
      k = child[k];
    while (k != n && next[k] < 0) {
      place[k] = count++;
      k = parent[k];
      child[k] = -1;
    }
    if (k == n)
      break;
    place[k] = count++;
    k = next[k];
  }
  place[n] = n;
  for (k = 0; k < n; k++)
    next[place[k]] = F->order[k];
  for (k = 0; k < n; k++)
    child[place[k]] = place[parent[k]];
  memcpy (F->order, next, (size_t)n * sizeof *next);
  memcpy (parent, child, (size_t)n * sizeof *child);
  for (k = 0; k < n; k++)
    F->inverse[F->order[k]] = k;
}

//------------------------------------------------------------------------------
// fronts
//------------------------------------------------------------------------------

typedef struct {
  const gla_csr *A;
  gla_factor *F;
  const int64_t *parent;
  int64_t *children; // number of each column
  int64_t *mark;
  int64_t *head, *next; // fronts that leave something to a column
  list rows;
} search;

// Whether all rows below column j are marked.
static int fits (const search *s, int64_t j, int64_t mark)
{
  const gla_csr *A = s->A;
  const int64_t i = s->F->order[j];
  for (int64_t q = gla_csr_at (A->start, A->index_bytes, i);
       q < gla_csr_at (A->start, A->index_bytes, i + 1); q++) {
    const int64_t row = s->F->inverse[gla_csr_at (A->index, A->index_bytes, q)];
    if (row > j && s->mark[row] != mark)
      return 0;
  }
  return 1;
}

static int add_row (search *s, int64_t row, int64_t j)
{
  if (row <= j || s->mark[row] == j)
    return 1;
  s->mark[row] = j;
  return push (&s->rows, row);
}

// Finds the rows of a front that begins with column j.
static int gather_rows (search *s, int64_t j)
{
  const gla_csr *A = s->A;
  const int64_t i = s->F->order[j];
  int ok = 1;
  for (int64_t q = gla_csr_at (A->start, A->index_bytes, i);
       ok && q < gla_csr_at (A->start, A->index_bytes, i + 1); q++)
    ok = add_row (s, s->F->inverse[gla_csr_at (A->index, A->index_bytes, q)], j);
  for (int64_t c = s->head[j]; c >= 0; c = s->next[c])
    for (int64_t k = 0; ok && k < s->F->fronts[c].below; k++)
      ok = add_row (s, s->rows.data[s->F->fronts[c].rows + k], j);
  return ok;
}

// Finds fronts of columns whose rows below are the same. A parent comes from entries above the
// diagonal, rows from those below it. If both triangles are there, the first row below a column is
// its parent; the following functions rely on that.
static gla_status find_fronts (search *s)
{
  gla_factor *F = s->F;
  for (int64_t j = 0; j < F->n;) {
    gla_front *f = &F->fronts[F->n_fronts];
    *f = (gla_front){.first = j, .width = 1, .rows = s->rows.count};
    if (!gather_rows (s, j))
      return GLA_ERROR_OUT_OF_MEMORY;
    for (int64_t k = j + 1;
         k < F->n && s->parent[k - 1] == k && s->children[k] == 1 && fits (s, k, j); k++) {
      if (s->mark[k] != j)
        return GLA_ERROR_NOT_HERMITIAN;
      f->width++;
    }
    const int64_t end = j + f->width;
    int64_t to = f->rows, least = F->n;
    for (int64_t k = f->rows; k < s->rows.count; k++) {
      const int64_t row = s->rows.data[k];
      if (row < end)
        continue;
      s->rows.data[to++] = row;
      least = row < least ? row : least;
    }
    s->rows.count = to;
    f->below = to - f->rows;
    const int64_t up = s->parent[end - 1];
    if (up != least)
      return GLA_ERROR_NOT_HERMITIAN;
    if (up < F->n) {
      s->next[F->n_fronts] = s->head[up];
      s->head[up] = F->n_fronts;
    }
    F->n_fronts++;
    j = end;
  }
  return GLA_OK;
}

static int worth_it (int64_t width, int64_t below, int64_t zeros)
{
  const double all = 0.5 * (double)width * (double)(width + 1) + (double)width * (double)below;
  const double share = (double)zeros / all;
  return zeros == 0 || width <= 4 || (width <= 16 && share < 0.8) || (width <= 48 && share < 0.1) ||
         share < 0.05;
}

// Merges fronts with their last child; zeros[f] are those that front f stores.
static void merge_fronts (gla_factor *F, const int64_t *parent, int64_t *zeros)
{
  int64_t kept = 0;
  for (int64_t p = 0; p < F->n_fronts; p++) {
    gla_front f = F->fronts[p];
    int64_t z = 0;
    for (; kept > 0; kept--) {
      const gla_front *c = &F->fronts[kept - 1];
      const int64_t up = parent[c->first + c->width - 1];
      const int64_t more = zeros[kept - 1] + c->width * (f.width + f.below - c->below);
      if (up < f.first || up >= f.first + f.width ||
          !worth_it (f.width + c->width, f.below, z + more))
        break;
      z += more;
      f.first = c->first;
      f.width += c->width;
    }
    F->fronts[kept] = f;
    zeros[kept++] = z;
  }
  F->n_fronts = kept;
}

// Sorts the rows of all fronts, ascending and without gaps: by columns of the transposed structure.
static int sort_rows (gla_factor *F, list *rows, int64_t *start)
{
  int64_t total = 0;
  memset (start, 0, ((size_t)F->n + 1) * sizeof *start);
  for (int64_t f = 0; f < F->n_fronts; f++)
    for (int64_t k = 0; k < F->fronts[f].below; k++, total++)
      start[rows->data[F->fronts[f].rows + k] + 1]++;
  for (int64_t i = 0; i < F->n; i++)
    start[i + 1] += start[i];
  int64_t *owner = numbers (total, 0);
  F->rows = numbers (total, 0);
  if (owner == NULL || F->rows == NULL) {
    free (owner);
    return 0;
  }
  int64_t at = 0;
  for (int64_t f = 0; f < F->n_fronts; f++) {
    gla_front *front = &F->fronts[f];
    for (int64_t k = 0; k < front->below; k++)
      owner[start[rows->data[front->rows + k]]++] = f;
    front->rows = at;
    at += front->below;
    front->below = 0;
  }
  for (int64_t i = 0, k = 0; i < F->n; i++) // start[i] is now the end of row i
    for (; k < start[i]; k++) {
      gla_front *front = &F->fronts[owner[k]];
      F->rows[front->rows + front->below++] = i;
    }
  free (owner);
  return 1;
}

// Finds parents, sizes, and the cost of the factorization.
static int measure (gla_factor *F, int64_t *front_of, double *flops)
{
  int64_t stacked = 0;
  int64_t *left = numbers (F->n_fronts, 0); // by the children of each front
  if (left == NULL)
    return 0;
  *flops = 0;
  for (int64_t f = 0; f < F->n_fronts; f++)
    for (int64_t j = 0; j < F->fronts[f].width; j++)
      front_of[F->fronts[f].first + j] = f;
  for (int64_t f = 0; f < F->n_fronts; f++) {
    gla_front *front = &F->fronts[f];
    const int64_t w = front->width, r = front->below;
    front->parent = r > 0 ? front_of[F->rows[front->rows]] : -1;
    front->entries = F->n_entries;
    F->n_entries += (w + r) * w;
    F->most_width = w > F->most_width ? w : F->most_width;
    F->most_below = r > F->most_below ? r : F->most_below;
    stacked += r * r - left[f];
    if (front->parent >= 0)
      left[front->parent] += r * r;
    F->most_stacked = stacked > F->most_stacked ? stacked : F->most_stacked;
    for (int64_t j = 0; j < w; j++)
      *flops += (double)(w + r - j) * (double)(w + r - j);
  }
  free (left);
  return 1;
}

gla_status gla_factor_analyse (gla_factor *F, const gla_csr *A, double *flops)
{
  const int64_t n = F->n;
  int64_t *parent = numbers (n, 0), *w1 = numbers (n, 0), *w2 = numbers (n, -1),
          *w3 = numbers (n, -1);
  search s = {.A = A,
              .F = F,
              .parent = parent,
              .children = numbers (n, 0),
              .mark = w1,
              .head = w2,
              .next = w3};
  F->fronts = malloc (((size_t)n + 1) * sizeof *F->fronts);
  gla_status status = GLA_ERROR_OUT_OF_MEMORY;
  if (parent && w1 && w2 && w3 && s.children && F->fronts) {
    find_tree (F, A, parent, w1);
    postorder (F, parent, w1, w2, w3);
    for (int64_t k = 0; k <= n; k++)
      w1[k] = w2[k] = w3[k] = -1;
    for (int64_t k = 0; k < n; k++)
      s.children[parent[k]]++;
    status = find_fronts (&s);
  }
  if (status == GLA_OK) {
    merge_fronts (F, parent, w2);
    if (!sort_rows (F, &s.rows, w1) || !measure (F, w3, flops))
      status = GLA_ERROR_OUT_OF_MEMORY;
  }
  free (parent);
  free (w1);
  free (w2);
  free (w3);
  free (s.children);
  free (s.rows.data);
  return status;
}
