// sparse_mirror.c: whether a sparse matrix is Hermitian, and its other orientation
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_BETWEEN_STOPS = 1 << 16 };

//------------------------------------------------------------------------------
// Hermitian?
//------------------------------------------------------------------------------

// Where row i has column j, or -1.
static int64_t find_entry (const gla_csr *c, int64_t i, int64_t j)
{
  int64_t low = gla_csr_at (c->start, c->index_bytes, i);
  int64_t high = gla_csr_at (c->start, c->index_bytes, i + 1);
  const int64_t end = high;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (gla_csr_at (c->index, c->index_bytes, middle) < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && gla_csr_at (c->index, c->index_bytes, low) == j ? low : -1;
}

static int conjugates (const gla_spmv_matrix *M, int64_t k, int64_t l)
{
  if (M->pattern)
    return M->value[1] == 0;
  const float *f = M->csr.values;
  const double *d = M->csr.values;
  switch (M->csr.type) {
  case GLA_S:
    return f[k] == f[l];
  case GLA_D:
    return d[k] == d[l];
  case GLA_C:
    return f[2 * k] == f[2 * l] && f[2 * k + 1] == -f[2 * l + 1];
  case GLA_Z:
    return d[2 * k] == d[2 * l] && d[2 * k + 1] == -d[2 * l + 1];
  }
  return 0;
}

// What rows say about the matrix: how many entries stand above the diagonal more than below, and
// the first row with an entry whose mirror image is missing or different (rows: none).
typedef struct {
  int64_t excess, row;
} findings;

// Looks for the mirror images of entries above the diagonal (or, with `below`, of those below).
static findings look_at_rows (const gla_spmv_matrix *M, int64_t first, int64_t end, int below)
{
  const gla_csr *c = &M->csr;
  int64_t excess = 0, row = c->rows;
#pragma omp parallel for schedule(static) reduction(+ : excess) reduction(min : row) if (M->entries >= GLA_SPARSE_SHARED)
  for (int64_t i = first; i < end; i++) {
    int64_t last = gla_csr_at (c->start, c->index_bytes, i + 1);
    for (int64_t k = gla_csr_at (c->start, c->index_bytes, i); k < last; k++) {
      int64_t j = gla_csr_at (c->index, c->index_bytes, k);
      excess += (j > i) - (j < i);
      if (below ? j >= i : j < i)
        continue;
      int64_t l = j == i ? k : find_entry (c, j, i);
      if ((l < 0 || !conjugates (M, k, l)) && i < row)
        row = i;
    }
  }
  return (findings){excess, row};
}

static findings look (gla_sparse *S, int below, int *stopped)
{
  const gla_spmv_matrix *M = &S->faces[0].M;
  const int64_t n = M->csr.rows;
  findings all = {0, n};
  for (int64_t first = 0; first < n && all.row == n && !*stopped; first += ROWS_BETWEEN_STOPS) {
    int64_t end = first + ROWS_BETWEEN_STOPS < n ? first + ROWS_BETWEEN_STOPS : n;
    findings part = look_at_rows (M, first, end, below);
    all.excess += part.excess;
    all.row = part.row < all.row ? part.row : all.row;
    *stopped = gla_stop_asked (S->ctx);
  }
  return all;
}

// The column of the entry that look_at_rows found in its row.
static int64_t differing_column (const gla_spmv_matrix *M, int64_t i, int below)
{
  const gla_csr *c = &M->csr;
  int64_t last = gla_csr_at (c->start, c->index_bytes, i + 1);
  for (int64_t k = gla_csr_at (c->start, c->index_bytes, i); k < last; k++) {
    int64_t j = gla_csr_at (c->index, c->index_bytes, k);
    int64_t l = j == i ? k : find_entry (c, j, i);
    if ((below ? j < i : j >= i) && (l < 0 || !conjugates (M, k, l)))
      return j;
  }
  return i;
}

gla_status gla_sparse_hermitian (gla_sparse *S, int *hermitian, int64_t *row, int64_t *column)
{
  int stopped = 0, below = 0;
  if (S->hermitian < 0) {
    findings f = look (S, 0, &stopped);
    // all entries above have their images, so what is more below has none
    if (f.row == S->rows && f.excess != 0 && !stopped) {
      below = 1;
      f = look (S, 1, &stopped);
    }
    if (stopped)
      return gla_fail (S->ctx, GLA_STOPPED, "stopped");
    S->hermitian = f.row == S->rows;
    if (!S->hermitian) {
      int64_t j = differing_column (&S->faces[0].M, f.row, below);
      S->differs[0] = S->options.by_columns ? j : f.row;
      S->differs[1] = S->options.by_columns ? f.row : j;
    }
  }
  *hermitian = S->hermitian;
  if (row != NULL)
    *row = S->differs[0];
  if (column != NULL)
    *column = S->differs[1];
  return GLA_OK;
}

//------------------------------------------------------------------------------
// the other orientation
//------------------------------------------------------------------------------

static void put (void *array, int bytes, int64_t k, int64_t value)
{
  if (bytes == 4)
    ((int32_t *)array)[k] = (int32_t)value;
  else
    ((int64_t *)array)[k] = value;
}

// Counts the entries of every column into start, as offsets of where they begin.
static void count_columns (const gla_spmv_matrix *M, void *start)
{
  const gla_csr *c = &M->csr;
  const int bytes = c->index_bytes;
  int64_t sum = 0;
  memset (start, 0, (size_t)(c->columns + 1) * (size_t)bytes);
  for (int64_t k = 0; k < M->entries; k++) {
    int64_t j = gla_csr_at (c->index, bytes, k);
    put (start, bytes, j, gla_csr_at (start, bytes, j) + 1);
  }
  for (int64_t j = 0; j <= c->columns; j++) {
    int64_t count = gla_csr_at (start, bytes, j);
    put (start, bytes, j, sum);
    sum += count;
  }
}

// Deals the entries out; start[j] moves to the end of column j meanwhile. Rows come in ascending
// order, so every column ascends, too.
static int deal_out (gla_sparse *S, const gla_face *to)
{
  const gla_spmv_matrix *M = &S->faces[0].M;
  const gla_csr *c = &M->csr;
  const int bytes = c->index_bytes;
  const size_t size = gla_type_size (c->type);
  const char *values = c->values;
  char *new_values = to->memory[2];
  for (int64_t i = 0; i < c->rows; i++) {
    int64_t last = gla_csr_at (c->start, bytes, i + 1);
    for (int64_t k = gla_csr_at (c->start, bytes, i); k < last; k++) {
      int64_t j = gla_csr_at (c->index, bytes, k), at = gla_csr_at (to->memory[0], bytes, j);
      put (to->memory[0], bytes, j, at + 1);
      put (to->memory[1], bytes, at, i);
      if (new_values != NULL)
        memcpy (new_values + (size_t)at * size, values + (size_t)k * size, size);
    }
    if (i % ROWS_BETWEEN_STOPS == 0 && gla_stop_asked (S->ctx))
      return 0;
  }
  memmove ((char *)to->memory[0] + bytes, to->memory[0], (size_t)c->columns * (size_t)bytes);
  put (to->memory[0], bytes, 0, 0);
  return 1;
}

// Counting sort of the entries by columns.
static gla_status make_other (gla_sparse *S)
{
  const gla_spmv_matrix *M = &S->faces[0].M;
  gla_face *to = &S->faces[1];
  const size_t bytes = (size_t)M->csr.index_bytes, entries = (size_t)M->entries;
  const int values = !M->pattern;
  gla_status status = GLA_OK;
  to->memory[0] = malloc (((size_t)M->csr.columns + 1) * bytes);
  to->memory[1] = malloc (entries * bytes + 1);
  to->memory[2] = values ? malloc (entries * gla_type_size (M->csr.type) + 1) : NULL;
  if (to->memory[0] == NULL || to->memory[1] == NULL || (values && to->memory[2] == NULL))
    status = gla_fail (S->ctx, GLA_OUT_OF_MEMORY, "out of memory");
  if (status == GLA_OK) {
    count_columns (M, to->memory[0]);
    if (!deal_out (S, to))
      status = gla_fail (S->ctx, GLA_STOPPED, "stopped");
  }
  if (status != GLA_OK) {
    for (int k = 0; k < 3; k++) {
      free (to->memory[k]);
      to->memory[k] = NULL;
    }
    return status;
  }
  to->M = *M;
  to->M.csr.rows = M->csr.columns;
  to->M.csr.columns = M->csr.rows;
  to->M.csr.start = to->memory[0];
  to->M.csr.index = to->memory[1];
  to->M.csr.values = to->memory[2];
  to->M.longest = 0;
  for (int64_t j = 0; j < to->M.csr.rows; j++) {
    int64_t length =
        gla_csr_at (to->memory[0], (int)bytes, j + 1) - gla_csr_at (to->memory[0], (int)bytes, j);
    to->M.longest = length > to->M.longest ? length : to->M.longest;
  }
  return GLA_OK;
}

gla_status gla_sparse_find_use (gla_sparse *S, char op, int transposes, gla_sparse_use *use)
{
  gla_status status = GLA_OK;
  int hermitian = S->hermitian;
  *use = (gla_sparse_use){&S->faces[0], op == 'C', 0};
  if ((op != 'N') == (S->options.by_columns != 0))
    return GLA_OK;
  // wanted is the transpose of the given face
  if (hermitian < 0 && !(S->options.once && transposes))
    status = gla_sparse_hermitian (S, &hermitian, NULL, NULL);
  if (status != GLA_OK)
    return status;
  if (hermitian > 0) {
    use->conjugate = !use->conjugate;
  } else if (S->options.once && transposes) {
    use->transposed = 1;
  } else {
    use->face = &S->faces[1];
    if (S->faces[1].M.csr.start == NULL)
      status = make_other (S);
  }
  return status;
}
