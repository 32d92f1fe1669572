// product_slim.cuh: launches of the kernel of product_slim_kernel.cuh
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_SLIM_CUH
#define GPULINALG_PRODUCT_SLIM_CUH

#include "common/runtime.cuh"
#include "product_slim_kernel.cuh"

// Columns of X at most, terms at least; parts of the sums of a page at most, terms of a part at
// least, and blocks of a page that are wanted.
enum { SLIM_COLUMNS = 16, SLIM_TERMS = 256, SLIM_PARTS = 32, SLIM_SHARE = 96, SLIM_BLOCKS = 132 };
// Blocks of 16 rows of a page; each has SLIM_WARPS parts or more.
inline int64_t slim_groups (int64_t rows)
{
  return (rows + 15) / 16;
}
// So many that a page alone keeps all multiprocessors of an H100 busy.
inline int slim_parts (int64_t rows, int64_t k)
{
  int parts = SLIM_WARPS;
  while (parts < SLIM_PARTS && slim_groups (rows) * parts < SLIM_BLOCKS * SLIM_WARPS &&
         k >= 2 * parts * SLIM_SHARE)
    parts *= 2;
  return parts;
}
// Blocks of a cluster: a power of two up to `most`, as many as few pages need.
inline int slim_blocks (int64_t groups, int64_t pages, int most, int multiprocessors)
{
  int blocks = 1;
  while (blocks < most && groups * pages * blocks < multiprocessors)
    blocks *= 2;
  return blocks;
}

// Whether two numbers at a time can be read, the first of them an even number behind the beginning.
inline bool slim_is_wide (const page_operand<double> &a)
{
  return (uintptr_t)a.data % 16 == 0 && a.ld % 2 == 0 && a.page % 2 == 0;
}
inline bool slim_is_wide (const page_operand<cx<double>> &)
{
  return false; // a number is as much as can be read
}

template <class S, bool TURNED, bool WIDE>
cudaError_t launch_slim_kernel (thin_args<typename S::T, typename S::T> a, int parts,
                                const product_piece &piece, int64_t tiles, cudaStream_t stream)
{
  const auto kernel = product_slim_kernel<S, TURNED, WIDE>;
  const int64_t groups = ((int64_t)a.rows + S::GROUP - 1) / S::GROUP;
  const int64_t first = groups * piece.first_tile / tiles;
  const int64_t end = groups * (piece.first_tile + piece.tiles) / tiles;
  if (first == end)
    return cudaSuccess;
  const bool wide_x = a.x_term == 1 && a.first_term % 2 == 0 && slim_is_wide (a.X);
  a.blocks = slim_blocks (groups, piece.pages, parts / S::SPLIT, piece.multiprocessors);
  a.first_group = (int)first;
  int levels = 0; // of sums that wait in a block
  while (parts / (a.blocks * S::SPLIT) >> levels > 1)
    levels++;
  const size_t bytes = SLIM_WARPS * S::RING + levels * S::LEVEL;
  const cudaError_t error = allow_shared (kernel, bytes);
  if (error != cudaSuccess)
    return error;
  cluster_launch way (end - first, a.blocks, SLIM_THREADS, bytes, stream);
  way.config.gridDim.y = (unsigned)(piece.pages < 65535 ? piece.pages : 65535);
  return cudaLaunchKernelEx (&way.config, kernel, a, parts, wide_x);
}

// Warps of a block have other terms, or other rows where lines of the array lie across those of the
// memory and pages are many: then neighbours find them in the cache. The shapes are the fastest
// ones, as measured; all give the same bits.
template <bool TURNED, int TILES, class T>
cudaError_t launch_slim_tiles (const thin_args<T, T> &a, const product_piece &piece, int64_t tiles,
                               int64_t k, cudaStream_t stream)
{
  const int parts = slim_parts (a.rows, k);
  typedef slim_shape<T, 1, TILES, 1, 4> by_terms;
  if constexpr (!is_complex_v<T>) {
    typedef slim_shape<T, 1, TILES, 4, 4> by_rows;
    if ((TURNED ? a.first_term % 2 == 0 : a.rows % 2 == 0) && slim_is_wide (a.L))
      return launch_slim_kernel<by_terms, TURNED, true> (a, parts, piece, tiles, stream);
    if ((a.rows + 63) / 64 * piece.pages >= piece.multiprocessors)
      return launch_slim_kernel<by_rows, TURNED, false> (a, parts, piece, tiles, stream);
  }
  return launch_slim_kernel<by_terms, TURNED, false> (a, parts, piece, tiles, stream);
}

template <bool TURNED, class T>
cudaError_t launch_slim (const thin_args<T, T> &a, const product_piece &piece, int64_t tiles,
                         int64_t k, cudaStream_t stream)
{
  return a.columns <= 8 ? launch_slim_tiles<TURNED, 1> (a, piece, tiles, k, stream)
                        : launch_slim_tiles<TURNED, 2> (a, piece, tiles, k, stream);
}

#endif
