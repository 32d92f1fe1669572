// spmv_pack.cu: divides a sparse matrix into tiles
// SPDX-License-Identifier: GPL-3.0-or-later

#include "spmv.cuh"

#include <cstdlib>

namespace
{

enum { MOST_ROWS = 256 }; // of a tile

template <class I> struct counts {
  int64_t tiles, longs, parts;
};

// Goes through the rows, and fills the arrays of p if it is not NULL.
template <class I>
counts<I> walk (const I *start, int64_t rows, int64_t room, int64_t first_tile, spmv_packing *p)
{
  counts<I> n = {0, 0, 0};
  for (int64_t row = 0; row < rows;) {
    int64_t length = start[row + 1] - start[row];
    if (length > room) {
      int64_t parts = (length + room - 1) / room;
      for (int64_t k = 0; p != nullptr && k < parts; k++) {
        int64_t at = k * room, count = length - at < room ? length - at : room;
        p->tiles[n.parts + k] = {start[row] + at, (uint32_t)(n.parts + k), (uint16_t)count, 0};
        p->part_long[n.parts + k] = (uint32_t)n.longs;
      }
      if (p != nullptr)
        p->longs[n.longs] = {(uint32_t)row, (uint32_t)n.parts, (uint32_t)parts};
      n.longs++;
      n.parts += parts;
      row++;
      continue;
    }
    int64_t first = row, from = start[row];
    while (row < rows && row - first < MOST_ROWS && start[row + 1] - from <= room) {
      if (p != nullptr)
        p->ends[row] = (uint16_t)(start[row + 1] - from);
      row++;
    }
    if (p != nullptr)
      p->tiles[first_tile + n.tiles] = {from, (uint32_t)first, (uint16_t)(start[row] - from),
                                        (uint16_t)(row - first)};
    n.tiles++;
  }
  return n;
}

template <class I> gla_status pack (const I *start, int64_t rows, int capacity, spmv_packing *p)
{
  int64_t room = capacity - 3; // a tile starts at any of 4 neighbouring entries
  counts<I> n = walk<I> (start, rows, room, 0, nullptr);
  p->tile_count = n.tiles + n.parts;
  p->long_rows = n.longs;
  p->parts = n.parts;
  p->tiles = static_cast<spmv_tile *> (malloc ((p->tile_count + 1) * sizeof (spmv_tile)));
  p->ends = static_cast<uint16_t *> (calloc (rows + 1, sizeof (uint16_t)));
  p->longs = static_cast<spmv_long_row *> (malloc ((n.longs + 1) * sizeof (spmv_long_row)));
  p->part_long = static_cast<uint32_t *> (malloc ((n.parts + 1) * sizeof (uint32_t)));
  if (p->tiles == nullptr || p->ends == nullptr || p->longs == nullptr || p->part_long == nullptr) {
    spmv_unpack (p);
    return GLA_ERROR_OUT_OF_MEMORY;
  }
  walk<I> (start, rows, room, n.parts, p);
  return GLA_OK;
}

} // namespace

gla_status spmv_pack (const gla_csr *csr, int capacity, spmv_packing *p)
{
  *p = {};
  return csr->index_bytes == 4
             ? pack (static_cast<const int32_t *> (csr->start), csr->rows, capacity, p)
             : pack (static_cast<const int64_t *> (csr->start), csr->rows, capacity, p);
}

void spmv_unpack (spmv_packing *p)
{
  free (p->tiles);
  free (p->ends);
  free (p->longs);
  free (p->part_long);
  *p = {};
}
