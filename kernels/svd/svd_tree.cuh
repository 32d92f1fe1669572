// svd_tree.cuh: the blocks of rows of a tall page, whose triangles are factored in their turn
// SPDX-License-Identifier: GPL-3.0-or-later
//
// QR of small pages serves a bounded number of rows. A page with more is divided into blocks of
// rows; each has a Q and a triangle R. The triangles, one above the other, are the rows of the next
// level, until one block is left (Golub, Plemmons, Sameh 1988; Demmel et al. 2012).

#ifndef GPULINALG_SVD_TREE_CUH
#define GPULINALG_SVD_TREE_CUH

#include "backend.h"
#include "engine/qr_part.cuh"

// A level has at most half the rows of the one before, or its triangles are square.
enum { SVD_TREE_LEVELS = 40, SVD_TREE_ROWS = 512 };

// Blocks of rows/blocks rows, the first ones with one more where that leaves a rest.
struct svd_tree_level {
  int64_t rows, blocks;

  int64_t first_row (int64_t block) const
  {
    const int64_t rest = rows % blocks;
    return rows / blocks * block + (block < rest ? block : rest);
  }
  int rows_of (int64_t block) const { return (int)(first_row (block + 1) - first_row (block)); }
};

struct svd_tree {
  int count; // of levels; 0 where QR of small pages does not serve the blocks
  svd_tree_level level[SVD_TREE_LEVELS];
};

// For pages of rows x columns, rows > columns.
inline svd_tree svd_tree_of (gla_type type, int64_t rows, int64_t columns)
{
  svd_tree tree = {};
  int64_t most = SVD_TREE_ROWS;
  while (most >= 2 * columns && !qr_part_serves (type, most, columns))
    most /= 2;
  if (most < 2 * columns)
    return tree;
  do {
    const int64_t blocks = (rows + most - 1) / most;
    tree.level[tree.count++] = {rows, blocks};
    rows = blocks * columns;
  } while (tree.level[tree.count - 1].blocks > 1);
  return tree;
}

#endif
