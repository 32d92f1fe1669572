// sparse_check.c: whether the arrays of a gla_csr can be a sparse matrix
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse.h"
#include "threads/pool.h"

#include <stdatomic.h>

gla_status gla_check_csr (gla_context *ctx, const char *name, const gla_csr *c, int by_columns)
{
  if (c->rows < 0 || c->columns < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is %lldx%lld", name, (long long)c->rows,
                     (long long)c->columns);
  if (c->index_bytes != 4 && c->index_bytes != 8)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "index_bytes = %d must be 4 or 8",
                     c->index_bytes);
  if (c->index_bytes == 4 && (c->rows > INT32_MAX || c->columns > INT32_MAX))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is %lldx%lld, too large for 4-byte indices",
                     name, (long long)c->rows, (long long)c->columns);
  if (c->start == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "start must not be NULL");
  const int64_t lines = by_columns ? c->columns : c->rows;
  if (gla_csr_at (c->start, c->index_bytes, lines) > 0 && c->index == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "index must not be NULL");
  return GLA_OK;
}

//------------------------------------------------------------------------------
// rows in order
//------------------------------------------------------------------------------

enum { ROWS_AT_A_TIME = 1 << 14 }; // of a thread

typedef struct {
  const gla_csr *c;
  int64_t entries;
  _Atomic int64_t bad, longest;
} row_look;

static void make_less (_Atomic int64_t *at, int64_t x)
{
  int64_t now = atomic_load (at);
  while (x < now && !atomic_compare_exchange_weak (at, &now, x))
    ;
}

static void make_more (_Atomic int64_t *at, int64_t x)
{
  int64_t now = atomic_load (at);
  while (x > now && !atomic_compare_exchange_weak (at, &now, x))
    ;
}

static void look_at_rows (void *user, int64_t from, int64_t to)
{
  row_look *l = user;
  const gla_csr *c = l->c;
  const int bytes = c->index_bytes;
  int64_t bad = c->rows, most = 0;
  for (int64_t i = from; i < to; i++) {
    int64_t first = gla_csr_at (c->start, bytes, i), end = gla_csr_at (c->start, bytes, i + 1);
    int ok = first >= 0 && first <= end && end <= l->entries && (i > 0 || first == 0);
    int64_t before = -1;
    for (int64_t k = first; ok && k < end; k++) {
      int64_t j = gla_csr_at (c->index, bytes, k);
      ok = j > before && j < c->columns;
      before = j;
    }
    if (!ok && i < bad)
      bad = i;
    if (ok && end - first > most)
      most = end - first;
  }
  make_less (&l->bad, bad);
  make_more (&l->longest, most);
}

int64_t gla_csr_bad_row (const gla_csr *c, int64_t *longest)
{
  const int64_t rows = c->rows, entries = gla_csr_at (c->start, c->index_bytes, rows);
  if (rows == 0 && entries != 0)
    return 0;
  row_look l = {.c = c, .entries = entries, .bad = rows};
  gla_pool_ranges (rows, entries >= GLA_SPARSE_SHARED ? ROWS_AT_A_TIME : rows + 1, look_at_rows,
                   &l);
  *longest = l.longest;
  return l.bad < rows ? l.bad : -1;
}
