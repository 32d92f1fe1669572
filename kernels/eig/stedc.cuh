// stedc.cuh: divide and conquer for real tridiagonal matrices: the tree and what its kernels share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cuppen's method as LAPACK's ?stedc does it. The matrix is torn into leaves of at most STEDC_LEAF
// rows, which a warp each solves; neighbouring nodes are then merged, level by level. A merge
// deflates, solves the secular equation, finds the vector z that belongs exactly to the computed
// roots (Gu, Eisenstat 1994), and multiplies the eigenvectors of the two halves with those of the
// rank-one update. The tree depends on n alone, so a page gets the same bits in every batch.

#ifndef GPULINALG_STEDC_CUH
#define GPULINALG_STEDC_CUH

#include "common/quick_reciprocal.cuh"
#include "eig_kernels.cuh"

// Rows of a leaf at most.
enum { STEDC_LEAF = 32 };

// The binary tree over the rows of an n*n matrix: level 0 has `leaves` nodes (a power of two) of
// about the same size; where there are two, the first one is full, because a leaf of 17 rows takes
// a warp as long as one of 32, and one of up to 16 does not.
struct stedc_tree {
  int n, leaves;
  __host__ __device__ int first_row (int leaf) const
  {
    return leaves == 2 && leaf == 1 ? (int)STEDC_LEAF : (int)((int64_t)leaf * n / leaves);
  }
  __host__ __device__ int leaf_rows () const
  {
    return leaves == 2 ? (int)STEDC_LEAF : (n + leaves - 1) / leaves;
  }
  // rows of a node of the level at most
  __host__ __device__ int rows_at (int level) const
  {
    int64_t rows = (int64_t)leaf_rows () << level;
    return rows < n ? (int)rows : n;
  }
};

inline stedc_tree stedc_tree_of (int n)
{
  stedc_tree tree = {n, 1};
  while (tree.leaves * STEDC_LEAF < n)
    tree.leaves *= 2;
  return tree;
}

// A merged node: rows first..end-1, halves first..middle-1 and middle..end-1.
struct stedc_node {
  int first, middle, end;
};

GLA_DEVICE stedc_node node_at (stedc_tree tree, int level, int node)
{
  int width = 1 << level, leaf = node * width;
  return {tree.first_row (leaf), tree.first_row (leaf + width / 2), tree.first_row (leaf + width)};
}

// What the merge of a node leaves for the update of its eigenvectors; at the node's counts.
struct stedc_counts {
  int roots; // k: columns that did not deflate
  int upper; // of these, the columns with entries in the upper half, and in the lower half
  int lower;
  int rotations; // that made columns deflate
};

// One level of all pages of a chunk. Arrays have n entries per page; a node uses those of its rows.
template <class R> struct stedc_level {
  stedc_tree tree;
  int level; // of the merged nodes, from 1
  int64_t pages;
  int vectors;
  int multiprocessors;
  int maxit;  // sweeps of QL for each row at most
  R tol;      // what is below tol times the largest entry of a node deflates, but for a factor of 4
  R *d;       // eigenvalues of the nodes below, then of the merged ones
  const R *e; // the tridiagonal matrix's; between two leaves not yet touched
  int32_t *info;
  R *Z, *merged; // eigenvectors of the nodes below, and where those of the merged ones go
  int64_t ldz, page_z, ld_merged, page_merged;
  const int *picked; // of the last level: columns that are formed, n a page, or NULL for all
  int columns;       // and how many they are; -1 where a page has fewer
  R *edge;           // without vectors: first row of every node's Z, then last row (2*n per page)
  // from the merge to the update
  R *pole, *z, *origin, *tau,
      *scale;           // column j of U: z(i) / ((pole(i)-origin(j))-tau(j)) * scale(j)
  int *column;          // where merged column j comes from if it deflated; else pole j
  int *upper, *lower;   // the poles with entries in the upper and in the lower half
  stedc_counts *counts; // of node q of the level, at [page * leaves + q]
  unsigned char *far;   // what stedc_merge_far needs, NULL where it is not called
};

// Where everything is in the memory of a, before the leaves; then level by level what is read and
// what is written, from level 1 to stedc_levels.
template <class T> stedc_level<real_t<T>> stedc_begin (const eig_args<T> &a);
template <class T> void stedc_rise (const eig_args<T> &a, int level, stedc_level<real_t<T>> *s);
inline int stedc_levels (const stedc_tree &tree)
{
  int levels = 0;
  while (1 << levels < tree.leaves)
    levels++;
  return levels;
}

// Eigenvalues, counts and lists; rotates columns of Z that deflate as pairs; where it joins, merged
// = Z * U as well. That is so for two leaves in single precision: in double the tensor cores, which
// the update has, are faster.
template <class R> cudaError_t stedc_merge (const stedc_level<R> &s, cudaStream_t stream);
template <class R> constexpr bool stedc_joins_leaves = sizeof (R) == sizeof (float);
template <class R> bool stedc_joins (const stedc_level<R> &s)
{
  return stedc_joins_leaves<R> && s.vectors && s.level == 1;
}
// The same where the nodes of the level have more than STEDC_NEAR_MAX rows.
enum { STEDC_NEAR_MAX = 2048 };
inline bool stedc_far (const stedc_tree &tree, int level)
{
  return tree.rows_at (level) > STEDC_NEAR_MAX;
}
template <class R> size_t stedc_far_bytes (const stedc_tree &tree);
template <class R> cudaError_t stedc_merge_far (const stedc_level<R> &s, cudaStream_t stream);
// merged = Z * U; blocks first..last-1 of the stedc_update_blocks of it
template <class R> int64_t stedc_update_blocks (const stedc_level<R> &s);
template <class R>
cudaError_t stedc_update (const stedc_level<R> &s, int64_t first, int64_t last,
                          cudaStream_t stream);

// The leaves: Z gets their eigenvectors, or edge the first and last rows of these.
template <class R> cudaError_t stedc_leaves (const stedc_level<R> &s, cudaStream_t stream);

// Without vectors, n up to STEDC_VALUES_MAX: d becomes the eigenvalues, in no order.
enum { STEDC_VALUES_MAX = 64 };
template <class R> cudaError_t stedc_values (const stedc_level<R> &s, cudaStream_t stream);

#endif
