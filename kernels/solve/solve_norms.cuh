// solve_norms.cuh: condition numbers of single pages, whose inverses several blocks divide
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The condition of a page needs the norm of its inverse, which takes a block longer than the page
// itself. Where pages are few, blocks (x, y) factor the same page, y = 0 solves for the right-hand
// sides, and the others have a share of the columns of the inverse each. Then a thread for each
// page takes the largest of their norms, so that rcond has the same bits for any number of shares.

#ifndef GPULINALG_SOLVE_NORMS_CUH
#define GPULINALG_SOLVE_NORMS_CUH

#include "solve.cuh"

// The inverse of a page is divided between at most so many blocks.
enum { LU_SHARES = 16 };

// What blocks write down of a page.
struct lu_norms {
  double norm;               // of the page; NaN where it holds NaN or Inf
  double pending;            // 1: lu_definite has left the page to the next kernel
  double shares;             // how many of the next there are; 0: rcond is known
  double inverse[LU_SHARES]; // the largest column sum of a share; NaN where there is no inverse
};

// Whether a page is left for the kernel after lu_definite.
template <class T> GLA_DEVICE bool lu_is_pending (const lu_args<T> &a, int64_t page)
{
  return a.norms != nullptr ? a.norms[page].pending != 0 : a.info[page] != 0;
}

// Which groups of columns of the inverse are this block's: number, number + of, ..; none where `of`
// is 0.
struct lu_share {
  int number, of;
};
template <class T> GLA_DEVICE lu_share lu_my_share (const lu_args<T> &a)
{
  if (a.norms == nullptr || gridDim.y == 1)
    return {0, blockIdx.y == 0 ? 1 : 0};
  return {(int)blockIdx.y - 1, blockIdx.y == 0 ? 0 : (int)gridDim.y - 1};
}

// The largest of the block's numbers, in all threads; NaN wins. of_warps: shared memory for a
// number of each of the `warps`, `distance` apart.
GLA_DEVICE double lu_largest (double a, double *of_warps, int warps, int distance = 1)
{
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    const double b = shuffle_xor (a, mask);
    a = b > a || b != b ? b : a;
  }
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    of_warps[threadIdx.x / 32 * distance] = a;
  __syncthreads ();
  for (int w = 0; w < warps; w++) {
    const double b = of_warps[w * distance];
    a = b > a || b != b ? b : a;
  }
  __syncthreads ();
  return a;
}

// By one thread of block y = 0.
template <class T> GLA_DEVICE void lu_store_norm (const lu_args<T> &a, int64_t page, double norm)
{
  if (a.norms == nullptr)
    return;
  a.norms[page].norm = norm;
  a.norms[page].shares = gridDim.y == 1 ? 1 : gridDim.y - 1;
}

// The first column behind those of B that this block solves for.
template <class T> GLA_DEVICE int64_t lu_last_column (const lu_args<T> &a)
{
  if (a.norms != nullptr)
    return blockIdx.y == 0 ? a.rhs : 0;
  return blockIdx.y + 1 < gridDim.y ? (blockIdx.y + 1) * a.slice : a.rhs;
}

// Blocks for a page: one for the right-hand sides, and those that do its groups of columns of the
// inverse in `rounds`; one does both where the device is full of pages.
inline unsigned lu_blocks_of_page (int64_t pages, int rounds, const lu_space &space)
{
  const int64_t all = space.blocks < space.multiprocessors ? space.blocks : space.multiprocessors;
  const int64_t most = all / pages - 1, wanted = rounds < LU_SHARES ? rounds : LU_SHARES;
  return most < 1 ? 1 : 1 + (unsigned)(most < wanted ? most : wanted);
}

#endif
