// staging.c: copies between the caller's strided host arrays and packed pinned buffers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "staging.h"
#include "common/host_memory.h"
#include "threads/pool.h"

#include <string.h>

gla_packing gla_packing_of (const gla_array *a)
{
  size_t size = gla_type_size (a->type);
  gla_packing p = {.base = a->data};
  p.page_stride = (size_t)a->page_stride * size;
  p.total = (size_t)(a->rows * a->columns * a->pages) * size;
  if (a->row_stride != 1) { // element by element; such an array has one column
    p.unit = size;
    p.unit_stride = (size_t)a->row_stride * size;
    p.per_page = a->rows;
  } else if (a->columns > 1 && a->column_stride != a->rows) {
    p.unit = (size_t)a->rows * size;
    p.unit_stride = (size_t)a->column_stride * size;
    p.per_page = a->columns;
  } else if (a->pages > 1 && a->page_stride != a->rows * a->columns) {
    p.unit = p.unit_stride = (size_t)(a->rows * a->columns) * size;
    p.per_page = 1;
  } else {
    p.unit = p.unit_stride = p.total;
    p.per_page = 1;
  }
  return p;
}

// Copies one thread's share: [first, first+bytes), unit by unit.
static void copy_range (const gla_packing *p, size_t first, size_t bytes, char *buffer, int packing)
{
  while (bytes > 0) {
    size_t unit = first / p->unit, inside = first % p->unit;
    size_t page = unit / (size_t)p->per_page, within = unit % (size_t)p->per_page;
    char *host = p->base + page * p->page_stride + within * p->unit_stride + inside;
    size_t length = p->unit - inside < bytes ? p->unit - inside : bytes;
    if (packing)
      memcpy (buffer, host, length);
    else
      memcpy (host, buffer, length);
    buffer += length;
    first += length;
    bytes -= length;
  }
}

enum { SHARE = 256 * 1024 }; // smaller shares cost more than they save

// So many threads copy as fast as a link of 55 GB/s. More would be no faster, and each buffer would
// wait for more threads if other processes use the cores (doc/notebook/auto.md).
enum { COPY_THREADS = 8 };

typedef struct {
  const gla_packing *p;
  size_t first, bytes;
  char *buffer;
  int packing;
} copying;

static void copy_share (void *user, int64_t k, int slot)
{
  (void)slot;
  const copying *c = user;
  const size_t at = (size_t)k * SHARE, left = c->bytes - at;
  copy_range (c->p, c->first + at, left < SHARE ? left : SHARE, c->buffer + at, c->packing);
}

static void copy (const gla_packing *p, size_t first, size_t bytes, char *buffer, int packing)
{
  copying c = {p, first, bytes, buffer, packing};
  const int threads = gla_host_threads ();
  gla_pool_for ((int64_t)((bytes + SHARE - 1) / SHARE),
                threads < COPY_THREADS ? threads : COPY_THREADS, copy_share, &c);
}

void gla_pack (const gla_packing *p, size_t first, size_t bytes, char *buffer)
{
  copy (p, first, bytes, buffer, 1);
}

void gla_unpack (const gla_packing *p, size_t first, size_t bytes, const char *buffer)
{
  copy (p, first, bytes, (char *)buffer, 0);
}
