// sparse_mirror.c: the transpose of a sparse matrix
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_BETWEEN_STOPS = 1 << 16 };

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

// Counts the entries of every column into start, as offsets of the columns.
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

// Distributes the entries; meanwhile start[j] moves to the end of column j. Rows come in ascending
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
    if (i % ROWS_BETWEEN_STOPS == 0 && gla_stop_wanted (S->ctx))
      return 0;
  }
  memmove ((char *)to->memory[0] + bytes, to->memory[0], (size_t)c->columns * (size_t)bytes);
  put (to->memory[0], bytes, 0, 0);
  return 1;
}

// Sorts the entries by columns (counting sort).
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
    status = gla_fail (S->ctx, GLA_ERROR_OUT_OF_MEMORY, "out of memory");
  if (status == GLA_OK) {
    count_columns (M, to->memory[0]);
    if (!deal_out (S, to))
      status = gla_fail (S->ctx, GLA_ERROR_STOPPED, "stopped");
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
  // wanted is the transpose of the given one
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
