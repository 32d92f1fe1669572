// tree.h: the binomial tree of ranks along which all messages go
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rank 0 is the root. The parent of a rank is its number without the lowest bit that is set: 5
// (101) has the parent 4 (100), and that 0. So the ranks below a rank are those that follow it, and
// the parts of a matrix by rows stay in their order on the way up. The depth is log2 of the ranks.

#ifndef GPULINALG_RANKS_TREE_H
#define GPULINALG_RANKS_TREE_H

// The child of a rank at a level, 0 for the one next to it; -1: there is none, there or above.
static inline int gla_tree_child (int rank, int ranks, int level)
{
  const long child = (long)rank + (1L << level);
  return (rank >> level & 1) == 0 && child < ranks ? (int)child : -1;
}

// A rank has children at the levels below this number, and they exist up to the first that is -1.
static inline int gla_tree_levels (int rank, int ranks)
{
  int level = 0;
  while (gla_tree_child (rank, ranks, level) >= 0)
    level++;
  return level;
}

static inline int gla_tree_parent (int rank)
{
  return rank & (rank - 1);
}

// The ranks of the tree below a rank, itself included: rank .. rank+size-1.
static inline int gla_tree_size (int rank, int ranks)
{
  const int most = rank == 0 ? ranks : rank & -rank;
  return most < ranks - rank ? most : ranks - rank;
}

#endif
