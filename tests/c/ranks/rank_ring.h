// rank_ring.h: arrays, and rows of a ring as a sparse matrix, for ranks with GPUs
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef RANK_RING_H
#define RANK_RING_H

#include <gpulinalg.h>
#include <stdlib.h>
#include <string.h>

enum { N = 160, WIDTH = 3 };

static inline gla_array matrix (gla_type type, int64_t rows, int64_t columns)
{
  const size_t bytes = (size_t)(rows * columns + 1) * gla_type_size (type);
  void *data = malloc (bytes);
  memset (data, 0, bytes);
  return gla_array_packed (data, type, rows, columns, 1, GLA_DEVICE_HOST);
}

// Rows from .. to-1 of a ring with WIDTH neighbours on either side and in the middle.
static inline gla_csr ring (gla_type type, int64_t from, int64_t to)
{
  const int64_t rows = to - from, entries = rows * (2 * WIDTH + 1);
  int64_t *start = malloc ((size_t)(rows + 1) * 8), *index = malloc ((size_t)entries * 8 + 8),
          e = 0;
  void *values = malloc ((size_t)entries * gla_type_size (type) + 8);
  start[0] = 0;
  for (int64_t i = from; i < to; i++) {
    for (int64_t j = 0; j < N; j++) {
      const int64_t apart = (j - i + N) % N;
      if (apart <= WIDTH || apart >= N - WIDTH)
        index[e++] = j;
    }
    start[i - from + 1] = e;
  }
  for (int64_t k = 0; k < e * (1 + gla_type_is_complex (type)); k++)
    if (gla_type_real (type) == GLA_TYPE_S)
      ((float *)values)[k] = gla_type_is_complex (type) && k % 2 ? 0 : 1;
    else
      ((double *)values)[k] = gla_type_is_complex (type) && k % 2 ? 0 : 1;
  return (gla_csr){type, rows, N, 8, start, index, values};
}

static inline void free_ring (const gla_csr *csr)
{
  free ((void *)(uintptr_t)csr->start);
  free ((void *)(uintptr_t)csr->index);
  free ((void *)(uintptr_t)csr->values);
}

#endif
