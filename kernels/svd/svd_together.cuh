// svd_together.cuh: large pages become bidiagonal, each by many blocks that wait for each other
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_TOGETHER_CUH
#define GPULINALG_SVD_TOGETHER_CUH

#include "svd_values.cuh"

// Columns of square pages at least and at most, and classes of columns (svd_together.cu). Batches
// of smaller pages are faster by a block for each page, or by the polar way.
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

#endif
