// solve.cuh: arguments of the kernels that solve systems with pages, and form inverses of pages
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transposes and the side are resolved into `transposed` and strides, so every kernel solves
// M*X = B, with M = A or A.' of n x n, or their conjugates.

#ifndef GPULINALG_SOLVE_CUH
#define GPULINALG_SOLVE_CUH

#include <cuda_runtime.h>

#include "common/pages.cuh"
#include "common/scalar.cuh"
#include "gpulinalg.h"

// Element (i, c) of page p of X is at X[p*x_page + i*x_row + c*x_column]; of B on its page at
// i*b_row + c*b_column. A and B with a_real or b_real hold numbers of the real type instead.
//
// info[p]: 0; n+1 if A holds NaN or Inf, then X and rcond are NaN; -k if pivot k is 0, or so large
// or small that the page needs another method, then X is NaN, or Inf with `inverse`, and rcond is
// 0.
struct lu_norms; // below
template <class T> struct lu_args {
  page_operand<T> A, B;
  int n, inverse, transposed, conjugate, a_real, b_real;
  int64_t rhs, pages, slice;
  int64_t b_row, b_column;
  T *X;
  int64_t x_page, x_row, x_column;
  real_t<T> *rcond; // NULL: not wanted
  int64_t rcond_stride;
  lu_norms *norms; // NULL, or memory from which lu_find_rcond finds rcond
  int32_t *info;
  int *any;     // memory of the host: becomes 1 if a page has info
  bool pending; // only pages that have an info are done
};

// These kernels serve orders up to LU_LANES_MAX.
enum { LU_LANES_MAX = 32 };
template <class T> cudaError_t lu_lanes (const lu_args<T> &a, cudaStream_t stream);

// `few` below: systems with at most LU_FEW right-hand sides. X has the same bits with rcond and
// without.
enum { LU_FEW = 4 };

// Solves for definite pages of orders above LU_LANES_MAX; the info of others becomes LU_PENDING.
struct lu_space;
template <class T>
cudaError_t lu_definite (const lu_args<T> &a, const lu_space &space, cudaStream_t stream);

// Finds rcond of systems, after the kernels above LU_LANES_MAX.
template <class T> cudaError_t lu_find_rcond (const lu_args<T> &a, cudaStream_t stream);

// Serves orders above LU_LANES_MAX that fit into shared memory. With a.pending only pending pages
// are done.
enum { LU_PAGE_MAX = 112 };
template <class T> bool lu_page_serves (int n, bool few);
template <class T>
cudaError_t lu_page (const lu_args<T> &a, const lu_space &space, cudaStream_t stream);

// Does the same for orders up to LU_PANEL_MAX. Some blocks of threads do one page after the other;
// each has space for the factors of a page, in a square of columns that begin lu_panel_stride (n)
// numbers apart.
enum { LU_PANEL_MAX = GLA_PAGESOLVE_GPU_ROWS };
struct lu_space {
  double *data;
  int64_t each; // doubles of a block
  int blocks, multiprocessors;
};
__host__ __device__ constexpr int lu_panel_stride (int n)
{
  return (n + 7) / 8 * 8;
}
template <class T>
cudaError_t lu_panels (const lu_args<T> &a, bool few, const lu_space &space, cudaStream_t stream);
// Returns how many of its blocks fit on a multiprocessor of the current device.
template <class T> int lu_panel_crowd (int n, bool few);

// If there are many right-hand sides, blocks (x, y) factor the same pages and solve for different
// columns: y for those from y*slice on.
inline int64_t lu_slice (int64_t n, int64_t rhs)
{
  enum { GRID_MOST = 65535, LEAST = 64 };
  const int64_t wanted = 8 * n > LEAST ? 8 * n : LEAST, needed = rhs / GRID_MOST + 1;
  return wanted > needed ? wanted : needed;
}
inline unsigned lu_slices (int64_t n, int64_t rhs, bool inverse)
{
  const int64_t slice = lu_slice (n, rhs);
  return inverse || rhs <= slice ? 1 : (unsigned)((rhs + slice - 1) / slice);
}

// One thread does this.
template <class T> GLA_DEVICE void store_info (const lu_args<T> &a, int64_t page, int32_t info)
{
  a.info[page] = info;
  if (info != 0)
    *a.any = 1;
}

//------------------------------------------------------------------------------
// condition numbers of single pages, whose inverses several blocks divide
//------------------------------------------------------------------------------

// The condition of a page needs the norm of its inverse, which takes a block longer than the page
// itself. If pages are few, blocks (x, y) factor the same page, y = 0 solves for the right-hand
// sides, and each of the others has a share of the columns of the inverse. Then a thread for each
// page takes the largest of their norms, so that rcond has the same bits for any number of shares.

// The inverse of a page is divided between at most so many blocks.
enum { LU_SHARES = 16 };

// What blocks store of a page.
struct lu_norms {
  double norm;               // of the page; NaN if it holds NaN or Inf
  double pending;            // 1: lu_definite has left the page to the next kernel
  double shares;             // how many of the next there are; 0: rcond is known
  double inverse[LU_SHARES]; // the largest column sum of a share; NaN if there is no inverse
};

// Whether a page is left for the kernel after lu_definite.
template <class T> GLA_DEVICE bool lu_is_pending (const lu_args<T> &a, int64_t page)
{
  return a.norms != nullptr ? a.norms[page].pending != 0 : a.info[page] != 0;
}

// The groups of columns of the inverse that are this block's: number, number + of, ..; none if `of`
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

// Returns the largest of the block's numbers, in all threads, or NaN if one is. of_warps: shared
// memory for a number of each of the `warps`, `distance` apart.
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

// One thread of block y = 0 does this.
template <class T> GLA_DEVICE void lu_store_norm (const lu_args<T> &a, int64_t page, double norm)
{
  if (a.norms == nullptr)
    return;
  a.norms[page].norm = norm;
  a.norms[page].shares = gridDim.y == 1 ? 1 : gridDim.y - 1;
}

// Returns the first column after those of B that this block solves for.
template <class T> GLA_DEVICE int64_t lu_last_column (const lu_args<T> &a)
{
  if (a.norms != nullptr)
    return blockIdx.y == 0 ? a.rhs : 0;
  return blockIdx.y + 1 < gridDim.y ? (blockIdx.y + 1) * a.slice : a.rhs;
}

// Returns the blocks for a page: one for the right-hand sides, and those that do its groups of
// columns of the inverse in `rounds`; one does both if the device is full of pages.
inline unsigned lu_blocks_of_page (int64_t pages, int rounds, const lu_space &space)
{
  const int64_t all = space.blocks < space.multiprocessors ? space.blocks : space.multiprocessors;
  const int64_t most = all / pages - 1, wanted = rounds < LU_SHARES ? rounds : LU_SHARES;
  return most < 1 ? 1 : 1 + (unsigned)(most < wanted ? most : wanted);
}

#endif
