// rank_rows.h: the rows of a sparse matrix that belong to one rank
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef RANK_ROWS_H
#define RANK_ROWS_H

#include "crew.h"
#include "lanczos/eigs_answer.h"

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const int counts[] = {1, 2, 3, 5, 8};
static crew all;

// The rows of one rank, by rows or by columns, with indices of 4 or 8 bytes.
typedef struct {
  gla_csr csr;
  void *start, *index, *values;
} rank_rows;

static inline void put (int bytes, void *array, int64_t k, int64_t x)
{
  if (bytes == 4)
    ((int32_t *)array)[k] = (int32_t)x;
  else
    ((int64_t *)array)[k] = x;
}

static inline rank_rows take_rows (const matrix *A, int64_t from, int64_t to, int by_columns,
                                   int bytes)
{
  const int64_t first = A->start[from], entries = A->start[to] - first, n = A->n;
  const int64_t lines = by_columns ? n : to - from;
  const size_t size = gla_type_size (A->type);
  rank_rows r = {.start = calloc ((size_t)lines + 1, 8),
                 .index = malloc ((size_t)entries * 8 + 8),
                 .values = malloc ((size_t)entries * size + 16)};
  int64_t *place = calloc ((size_t)lines + 2, 8);
  for (int64_t i = from; i < to; i++)
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++)
      place[(by_columns ? A->index[k] : i - from) + 1]++;
  for (int64_t l = 0; l < lines; l++)
    place[l + 1] += place[l];
  for (int64_t l = 0; l <= lines; l++)
    put (bytes, r.start, l, place[l]);
  for (int64_t i = from; i < to; i++)
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      const int64_t at = place[by_columns ? A->index[k] : i - from]++;
      put (bytes, r.index, at, by_columns ? i - from : A->index[k]);
      memcpy ((char *)r.values + (size_t)at * size, (const char *)A->values + (size_t)k * size,
              size);
    }
  free (place);
  r.csr = (gla_csr){A->type, to - from, n, bytes, r.start, r.index, r.values};
  return r;
}

static inline void rows_free (rank_rows *r)
{
  free (r->start);
  free (r->index);
  free (r->values);
}

#endif
