// spmv_pack.cuh: the tiles of a sparse matrix
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPMV_PACK_CUH
#define GPULINALG_SPMV_PACK_CUH

#include "gpulinalg.h"
#include "spmv.cuh"

// What the balanced product needs beside the matrix, on the host; spmv.cuh says what the members
// are. Freed by spmv_unpack.
struct spmv_packing {
  spmv_tile *tiles;
  uint16_t *ends;
  spmv_long_row *longs;
  uint32_t *part_long;
  int64_t tile_count, long_rows, parts;
};

// Rows are taken in order, as many as fit into a tile of `capacity` entries; those that alone are
// too long are cut, and their parts come first, so that the longest work starts first.
gla_status spmv_pack (const gla_csr *csr, int capacity, spmv_packing *p);
void spmv_unpack (spmv_packing *p);

#endif
