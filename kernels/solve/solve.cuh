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

// Element (i, c) of page p of X is at X[p*x_page + i*x_row + c*x_column]; of B on its page at
// i*b_row + c*b_column. A and B with a_real or b_real hold numbers of the real type instead.
//
// info[p]: 0; n+1 where A holds NaN or Inf, then X and rcond are NaN; -k where pivot k is 0, or so
// large or small that the page has to be done otherwise, then X is NaN, or Inf with `inverse`, and
// rcond is 0.
struct lu_norms; // solve_norms.cuh
template <class T> struct lu_args {
  page_operand<T> A, B;
  int n, inverse, transposed, conjugate, a_real, b_real;
  int64_t rhs, pages, slice;
  int64_t b_row, b_column;
  T *X;
  int64_t x_page, x_row, x_column;
  real_t<T> *rcond; // NULL: not wanted
  int64_t rcond_stride;
  lu_norms *norms; // NULL, or memory for what lu_find_rcond makes rcond of
  int32_t *info;
  int *any;     // memory of the host: becomes 1 where a page has info
  bool pending; // only pages that have an info are done
};

// Orders up to LU_LANES_MAX.
enum { LU_LANES_MAX = 32 };
template <class T> cudaError_t lu_lanes (const lu_args<T> &a, cudaStream_t stream);

// `few` below: systems with at most LU_FEW right-hand sides. X has the same bits with rcond and
// without.
enum { LU_FEW = 4 };

// Orders above LU_LANES_MAX: solves for definite pages; the info of others becomes LU_PENDING.
struct lu_space;
template <class T>
cudaError_t lu_definite (const lu_args<T> &a, const lu_space &space, cudaStream_t stream);

// rcond of systems, after the kernels above LU_LANES_MAX.
template <class T> cudaError_t lu_find_rcond (const lu_args<T> &a, cudaStream_t stream);

// Orders above LU_LANES_MAX that fit into shared memory. With a.pending only pages are done that
// are pending.
enum { LU_PAGE_MAX = 112 };
template <class T> bool lu_page_serves (int n, bool few);
template <class T>
cudaError_t lu_page (const lu_args<T> &a, const lu_space &space, cudaStream_t stream);

// The same for orders up to LU_PANEL_MAX. Some blocks of threads do one page after the other; each
// has space for the factors of a page, in a square of columns that begin lu_panel_stride (n)
// numbers apart.
enum { LU_PANEL_MAX = 256 };
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
// How many of its blocks fit on a multiprocessor of the current device.
template <class T> int lu_panel_crowd (int n, bool few);

// Where there are many right-hand sides, blocks (x, y) factor the same pages and solve for other
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

// By one thread.
template <class T> GLA_DEVICE void store_info (const lu_args<T> &a, int64_t page, int32_t info)
{
  a.info[page] = info;
  if (info != 0)
    *a.any = 1;
}

#endif
