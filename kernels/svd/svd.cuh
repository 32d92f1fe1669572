// svd.cuh: arguments and calls of the kernels of batchsvd
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_CUH
#define GPULINALG_SVD_CUH

#include <cuda_runtime.h>
#include "svd/job.h"

#include "common/svd_args.cuh"
#include "engine/qr_part.cuh"

// ------------------------------------------------------------------------------
// pages of up to 64 rows, and the kernels before and after them for tall pages
// ------------------------------------------------------------------------------

template <class T> cudaError_t svd_lanes (const svd_args<T> &a, cudaStream_t stream);

// For pages with more rows, before and after: to = A', of rows x columns.
template <class T>
cudaError_t svd_adjoint (page_matrix<T> to, page_matrix<const T> A, int64_t rows, int64_t columns,
                         int64_t pages, cudaStream_t stream);
// Makes the largest element of each column of U (rows x columns) real and positive, and multiplies
// the column of V (v_rows x columns, or NULL) by the same factor.
template <class T>
cudaError_t svd_fix_phase (page_matrix<T> U, int64_t rows, page_matrix<T> V, int64_t v_rows,
                           int64_t columns, int64_t pages, cudaStream_t stream);

//------------------------------------------------------------------------------
// tall pages of denormal or huge numbers, which are divided by a power of two
//------------------------------------------------------------------------------

// R of such a page is rounded to multiples of the smallest number, or overflows. Its result shows
// this: a largest singular value near the smallest numbers, or none. These pages are computed
// again; for all others only that value is read.

enum { SVD_EXTREME = -1 }; // info of a page whose values are too small

// a.info: SVD_EXTREME where it was 0 and the largest value is too small; *a.any: 1 if one is.
template <class T> cudaError_t svd_find_extreme (const svd_args<T> &a, cudaStream_t stream);
// For the pages of a.A that have info: the exponents by which their numbers are to be divided, or 0
// for pages that are not finite or need no scaling.
template <class T>
cudaError_t svd_extreme_exponents (const svd_args<T> &a, int32_t *exponent, cudaStream_t stream);
// to = from / 2^exponent
template <class T>
cudaError_t svd_divide (page_matrix<T> to, page_matrix<const T> from, int64_t rows, int64_t columns,
                        int64_t pages, const int32_t *exponent, cudaStream_t stream);
// a.S times 2^exponent
template <class T>
cudaError_t svd_multiply_values (const svd_args<T> &a, const int32_t *exponent,
                                 cudaStream_t stream);

//------------------------------------------------------------------------------
// arguments of the kernels that find singular values alone, by a bidiagonal matrix
//------------------------------------------------------------------------------

// Pages use this method from so many columns on, in single and in double precision. Up to
// SVD_WARP_MOST a page has at most one warp; svd_lanes does those that svd_warp_values marks, and
// pages with fewer columns.
enum { SVD_WARP_LEAST = 5, SVD_WARP_DOUBLE = 9, SVD_WARP_MOST = SVD_LANES_WARP };
enum { SVD_VALUES_MOST = 512 };

// a.U and a.V are not used, nor are a.tol and a.maxit. rows is at most SVD_VALUES_MOST in
// svd_bidiagonal, and SVD_TOGETHER_MOST in svd_together.
template <class T> struct svd_values_args {
  svd_args<T> a;
  T *rest;        // rows x columns of each page: what does not fit in shared memory
  real_t<T> *d;   // columns of each page: the diagonal
  real_t<T> *e;   // columns of each page: what is right of it
  int32_t *scale; // of each page: it was divided by 2^scale
  cudaStream_t stream;
};

// Whether pages of this size need `rest`.
template <class T> bool svd_bidiagonal_rest (int rows, int columns, int smem_limit);
// Whether a block has the shared memory for what the kernel keeps there always: pages of complex
// double precision take more than the 64 KB of compute capability 7.5 from 332 columns on.
bool svd_bidiagonal_fits (int64_t type_size, int rows, int columns, int smem_limit);
// d, e and scale from A; info as svd_args says.
template <class T> cudaError_t svd_bidiagonal (const svd_values_args<T> &v, int smem_limit);
// S and info of pages of at most SVD_WARP_MOST rows, except those whose scale becomes 1: their
// small values may need a more accurate method. All others have scale 0. Does the same for all
// pages of at most SVD_LANES_MAX rows, except complex ones of double precision. d, e and rest are
// not used.
template <class T> cudaError_t svd_warp_values (const svd_values_args<T> &v);
// S from d, e and scale.
template <class T> cudaError_t svd_bisect (const svd_values_args<T> &v);

//------------------------------------------------------------------------------
// large pages become bidiagonal, each by many blocks that wait for each other
//------------------------------------------------------------------------------

// Columns of square pages at least and at most, and classes of columns (svd_together.cu). For
// batches of smaller pages a block for each page, or the polar decomposition, is faster.
enum { SVD_TOGETHER_LEAST = 1025, SVD_TOGETHER_MOST = 2048, SVD_TOGETHER_CLASSES = 128 };

// Work of one launch: pages first .. first + pages - 1 of args, each with so many blocks, a power
// of two.
struct svd_together_work {
  char *memory;      // svd_together_bytes of each page
  unsigned *counter; // of each page
  int64_t first;
  int pages, blocks;
};

// Pages that go at a time, of `pages`, and the blocks of each. `size` is that of a number.
struct svd_together_share {
  int blocks, pages;
};
svd_together_share svd_together_shares (int64_t n, int64_t size, int64_t pages,
                                        int multiprocessors);

__host__ __device__ constexpr int64_t svd_together_padded (int64_t bytes)
{
  return (bytes + 255) / 256 * 256;
}
// Bytes of a page; see announced in svd_together.cu.
template <class T>
__host__ __device__ constexpr int64_t svd_together_bytes (int64_t n, int64_t blocks)
{
  const int64_t size = sizeof (T), classes = SVD_TOGETHER_CLASSES;
  return svd_together_padded (n * blocks * size) + svd_together_padded (n * size) +
         svd_together_padded (2 * n * size) + svd_together_padded (4 * size) +
         svd_together_padded (classes * size) +
         svd_together_padded (classes * (int64_t)sizeof (real_t<T>)) +
         svd_together_padded (blocks * (int64_t)sizeof (double)) +
         svd_together_padded (n * n * size);
}

// d, e and scale from A; info as svd_args says. work.pages times work.blocks are at most as many as
// multiprocessors.
template <class T>
cudaError_t svd_together (const svd_values_args<T> &v, const svd_together_work &work,
                          int smem_limit);

//------------------------------------------------------------------------------
// the blocks of rows of a tall page, whose triangles are factored in their turn
//------------------------------------------------------------------------------

// QR of small pages serves a bounded number of rows. A page with more is divided into blocks of
// rows; each has a Q and a triangle R. The triangles, one above the other, are the rows of the next
// level, until one block is left (Golub, Plemmons, Sameh 1988; Demmel et al. 2012).

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
