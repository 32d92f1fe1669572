// sparse_hermitian.c: whether a sparse matrix is Hermitian
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows are read once, in ascending order. So the entries of row j below the diagonal are needed in
// ascending order, too, as mirror images of (i, j): a cursor in each row replaces searches. Threads
// share the rows; each has its own cursors, set at the beginning of its rows.

#include "common/status.h"
#include "sparse.h"
#include "threads/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_PARTS = 8, // setting cursors costs every part a thirtieth of the work of all
  LOT = 64,       // entries whose images are fetched at once: memory is what this waits for
  ENTRIES_BETWEEN_STOPS = 1 << 18,
  ROWS_BETWEEN_STOPS = 1 << 16,
  ROWS_AT_A_TIME = 1 << 12
};

// One thread's rows, first to end-1.
typedef struct {
  int64_t first, next, end;
  void *cursor;   // of row first and those that follow: the entry that is asked for next
  int64_t excess; // entries above the diagonal more than below
  int64_t row;    // with an entry whose image is missing or different; rows of the matrix: none
  int waiting;    // entries above the diagonal that are compared together
  int64_t i[LOT], k[LOT];
} part;

static int64_t start_of (const gla_csr *c, int64_t i)
{
  return gla_csr_at (c->start, c->index_bytes, i);
}

static int64_t column_of (const gla_csr *c, int64_t k)
{
  return gla_csr_at (c->index, c->index_bytes, k);
}

static void set_cursor (part *p, int bytes, int64_t j, int64_t k)
{
  if (bytes == 4)
    ((int32_t *)p->cursor)[j - p->first] = (int32_t)k;
  else
    ((int64_t *)p->cursor)[j - p->first] = k;
}

// Returns the first entry of row i whose column is j or more.
static int64_t first_from (const gla_csr *c, int64_t i, int64_t j)
{
  int64_t low = start_of (c, i), high = start_of (c, i + 1);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (column_of (c, middle) < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Returns the place of column j in row i, or -1.
static int64_t find_entry (const gla_csr *c, int64_t i, int64_t j)
{
  const int64_t k = first_from (c, i, j);
  return k < start_of (c, i + 1) && column_of (c, k) == j ? k : -1;
}

static int conjugates (const gla_spmv_matrix *M, int64_t k, int64_t l)
{
  if (M->pattern)
    return M->value[1] == 0;
  const float *f = M->csr.values;
  const double *d = M->csr.values;
  switch (M->csr.type) {
  case GLA_TYPE_S:
    return f[k] == f[l];
  case GLA_TYPE_D:
    return d[k] == d[l];
  case GLA_TYPE_C:
    return f[2 * k] == f[2 * l] && f[2 * k + 1] == -f[2 * l + 1];
  case GLA_TYPE_Z:
    return d[2 * k] == d[2 * l] && d[2 * k + 1] == -d[2 * l + 1];
  }
  return 0;
}

//------------------------------------------------------------------------------
// entries above the diagonal
//------------------------------------------------------------------------------

static void fetch (const gla_spmv_matrix *M, int64_t k)
{
  __builtin_prefetch ((const char *)M->csr.index + k * M->csr.index_bytes);
  if (!M->pattern)
    __builtin_prefetch ((const char *)M->csr.values + (size_t)k * gla_type_size (M->csr.type));
}

// Compares the waiting entries with their images.
static void compare (const gla_spmv_matrix *M, part *p)
{
  const gla_csr *c = &M->csr;
  const int bytes = c->index_bytes;
  for (int q = 0; q < p->waiting; q++)
    fetch (M, gla_csr_at (p->cursor, bytes, column_of (c, p->k[q]) - p->first));
  for (int q = 0; q < p->waiting; q++) {
    const int64_t i = p->i[q], j = column_of (c, p->k[q]), end = start_of (c, j + 1);
    int64_t l = gla_csr_at (p->cursor, bytes, j - p->first);
    while (l < end && column_of (c, l) < i)
      l++;
    const int there = l < end && column_of (c, l) == i;
    if (!(there && conjugates (M, p->k[q], l)) && i < p->row)
      p->row = i;
    set_cursor (p, bytes, j, l + there);
  }
  p->waiting = 0;
}

static void look_at_row (const gla_spmv_matrix *M, part *p, int64_t i)
{
  const gla_csr *c = &M->csr;
  const int bytes = c->index_bytes;
  const int64_t begin = start_of (c, i), end = start_of (c, i + 1);
  int64_t k = gla_csr_at (p->cursor, bytes, i - p->first);
  while (k < end && column_of (c, k) < i)
    k++;
  p->excess -= k - begin;
  if (k < end && column_of (c, k) == i) {
    if (!conjugates (M, k, k) && i < p->row)
      p->row = i;
    k++;
  }
  p->excess += end - k;
  for (; k < end; k++) {
    const int64_t j = column_of (c, k);
    __builtin_prefetch ((const char *)p->cursor + (j - p->first) * bytes);
    p->i[p->waiting] = i;
    p->k[p->waiting++] = k;
    if (p->waiting == LOT)
      compare (M, p);
  }
}

static void set_cursors (const gla_spmv_matrix *M, part *p)
{
  const gla_csr *c = &M->csr;
  const size_t bytes = (size_t)c->index_bytes;
  if (p->first == 0)
    memcpy (p->cursor, c->start, (size_t)c->rows * bytes);
  else
    for (int64_t j = p->first; j < c->rows; j++)
      set_cursor (p, c->index_bytes, j, first_from (c, j, p->first));
}

// Checks some more rows of the part, or all up to the first that differs.
static void go_on (const gla_spmv_matrix *M, part *p)
{
  const int64_t rows = M->csr.rows;
  int64_t most = p->next < p->end ? start_of (&M->csr, p->next) + ENTRIES_BETWEEN_STOPS : 0;
  if (p->next == p->first && p->first < p->end)
    set_cursors (M, p);
  for (; p->next < p->end && p->row == rows && start_of (&M->csr, p->next) <= most; p->next++)
    look_at_row (M, p, p->next);
  compare (M, p);
  if (p->row < rows)
    p->next = p->end;
}

//------------------------------------------------------------------------------
// all parts
//------------------------------------------------------------------------------

// Makes parts of equally many entries, with memory for their cursors.
static int make_parts (const gla_spmv_matrix *M, part *parts, int count)
{
  const gla_csr *c = &M->csr;
  int64_t row = 0;
  int ok = 1;
  for (int t = 0; t < count; t++) {
    part *p = &parts[t];
    p->first = p->next = row;
    while (row < c->rows && (t == count - 1 || start_of (c, row) < M->entries / count * (t + 1)))
      row++;
    p->end = row;
    p->row = c->rows;
    p->cursor = malloc ((size_t)(c->rows - p->first) * (size_t)c->index_bytes + 1);
    ok = ok && p->cursor != NULL;
  }
  return ok;
}

typedef struct {
  const gla_spmv_matrix *M;
  part *parts;
} upper;

static void go_on_piece (void *user, int64_t t, int slot)
{
  (void)slot;
  const upper *u = user;
  go_on (u->M, &u->parts[t]);
}

// Finds the first row with an entry on or above the diagonal whose image is missing or different.
static gla_status look_above (gla_sparse *S, int64_t *row, int64_t *excess)
{
  const gla_spmv_matrix *M = &S->faces[0].M;
  const int threads = gla_pool_threads () < MOST_PARTS ? gla_pool_threads () : MOST_PARTS;
  const int count = M->entries >= GLA_SPARSE_SHARED ? threads : 1;
  part *parts = calloc ((size_t)count, sizeof *parts);
  gla_status status =
      parts != NULL && make_parts (M, parts, count) ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY;
  int needed = count; // those after a row that differs are not
  int running = status == GLA_OK;
  while (running) {
    upper u = {M, parts};
    gla_pool_for (needed, count, go_on_piece, &u);
    running = 0;
    for (int t = 0; t < needed; t++) {
      running |= parts[t].next < parts[t].end;
      if (parts[t].row < M->csr.rows)
        needed = t + 1;
    }
    if (gla_stop_wanted (S->ctx)) {
      status = GLA_ERROR_STOPPED;
      running = 0;
    }
  }
  *row = M->csr.rows;
  *excess = 0;
  for (int t = 0; parts != NULL && t < count; t++) {
    *excess += parts[t].excess;
    if (t < needed && parts[t].row < *row)
      *row = parts[t].row;
    free (parts[t].cursor);
  }
  free (parts);
  return status;
}

typedef struct {
  const gla_csr *c;
  int64_t first;
  _Atomic int64_t row;
} lower;

static void look_at_some (void *user, int64_t from, int64_t to)
{
  lower *l = user;
  const gla_csr *c = l->c;
  for (int64_t i = l->first + from; i < l->first + to; i++)
    for (int64_t k = start_of (c, i); k < start_of (c, i + 1) && column_of (c, k) < i; k++)
      if (find_entry (c, column_of (c, k), i) < 0) {
        int64_t now = atomic_load (&l->row);
        while (i < now && !atomic_compare_exchange_weak (&l->row, &now, i))
          ;
        return;
      }
}

// Finds the first row with an entry below the diagonal that has no image.
static gla_status look_below (gla_sparse *S, int64_t *found)
{
  const gla_csr *c = &S->faces[0].M.csr;
  const int shared = S->faces[0].M.entries >= GLA_SPARSE_SHARED;
  lower l = {c, 0, c->rows};
  for (; l.first < c->rows && l.row == c->rows; l.first += ROWS_BETWEEN_STOPS) {
    const int64_t left = c->rows - l.first;
    const int64_t count = left < ROWS_BETWEEN_STOPS ? left : ROWS_BETWEEN_STOPS;
    gla_pool_ranges (count, shared ? ROWS_AT_A_TIME : count, look_at_some, &l);
    if (gla_stop_wanted (S->ctx))
      return GLA_ERROR_STOPPED;
  }
  *found = l.row;
  return GLA_OK;
}

// Returns the column of the entry that was found in its row.
static int64_t differing_column (const gla_spmv_matrix *M, int64_t i, int below)
{
  const gla_csr *c = &M->csr;
  for (int64_t k = start_of (c, i); k < start_of (c, i + 1); k++) {
    const int64_t j = column_of (c, k), l = find_entry (c, j, i);
    if ((below ? j < i : j >= i) && (l < 0 || !conjugates (M, k, l)))
      return j;
  }
  return i;
}

static gla_status look (gla_sparse *S)
{
  int64_t row, excess;
  gla_status status = look_above (S, &row, &excess);
  // if all entries above have their images, additional ones below have none
  const int below = status == GLA_OK && row == S->rows && excess != 0;
  if (below)
    status = look_below (S, &row);
  if (status != GLA_OK)
    return gla_fail (S->ctx, status, status == GLA_ERROR_STOPPED ? "stopped" : "out of memory");
  S->hermitian = row == S->rows;
  if (!S->hermitian) {
    const int64_t j = differing_column (&S->faces[0].M, row, below);
    S->differs[0] = S->options.by_columns ? j : row;
    S->differs[1] = S->options.by_columns ? row : j;
  }
  return GLA_OK;
}

gla_status gla_sparse_hermitian (gla_sparse *S, int *hermitian, int64_t *row, int64_t *column)
{
  if (S == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  S->ctx->message[0] = '\0';
  if (hermitian == NULL)
    return gla_fail (S->ctx, GLA_ERROR_BAD_ARGUMENT, "hermitian must not be NULL");
  if (S->hermitian < 0)
    GLA_TRY (look (S));
  *hermitian = S->hermitian;
  if (row != NULL)
    *row = S->differs[0];
  if (column != NULL)
    *column = S->differs[1];
  return GLA_OK;
}
