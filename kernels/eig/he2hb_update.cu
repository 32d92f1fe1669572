// he2hb_update.cu: a step of the reduction to band form applied to the next panel, by many blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For pages with many rows, where one block would take longer to read the parts of X than all other
// work takes.

#include "he2hb_panel.cuh"

namespace
{

// Rows and warps of a block: 16 rows to a warp.
enum { UPDATE_ROWS = 64, UPDATE_WARPS = 4 };

// Rows that one block takes from X to V, as measured.
enum { WHOLE_ROWS = 256 };

// Blocks of a page.
__host__ __device__ inline int update_blocks (int n, int step)
{
  return (n - (step + 1) * EIG_BANDWIDTH + UPDATE_ROWS - 1) / UPDATE_ROWS;
}

// X from its parts, into W's place, and this block's share of V'X. One block per page and 64 rows;
// the first block has the rows of the diagonal block as well.
template <class T>
__global__ void __launch_bounds__ (32 * UPDATE_WARPS) he2hb_product_kernel (eig_args<T> a, int step)
{
  typedef wide<T> E;
  extern __shared__ __align__ (16) unsigned char memory[];
  int blocks = update_blocks (a.n, step), block = blockIdx.x % blocks;
  int64_t page = blockIdx.x / blocks;
  if (a.info[page] != 0)
    return;
  band_page<T> p (a, page, step, reinterpret_cast<E *> (memory), block * UPDATE_ROWS);
  bool with_top = p.warp == 0 && block == 0;
  numbers<E, 2> x_top;
  numbers<E, 4> x[1];
  load_product (p, with_top, x, x_top);
  if (with_top)
    store_sum (p.W + p.top * EIG_BANDWIDTH, x_top);
  store_rows (p, p.W, p.row (0), x[0]);
  add_squares (p, project (p, x, x_top), p.T_factor + (1 + block) * EIG_BAND_SQUARE);
}

// W and the panel's columns from X. One block per page and 64 rows; each adds up V'X for itself.
template <class T>
__global__ void __launch_bounds__ (32 * UPDATE_WARPS) he2hb_columns_kernel (eig_args<T> a, int step)
{
  typedef wide<T> E;
  extern __shared__ __align__ (16) unsigned char memory[];
  int blocks = update_blocks (a.n, step), block = blockIdx.x % blocks;
  int64_t page = blockIdx.x / blocks;
  if (a.info[page] != 0)
    return;
  band_page<T> p (a, page, step, reinterpret_cast<E *> (memory), block * UPDATE_ROWS);
  numbers<E, 2> x_top = load_rows<E, 2> (p.W + p.top * EIG_BANDWIDTH);
  numbers<E, 4> x[1] = {
      load_rows<E, 4> (p.W + (p.top + EIG_BANDWIDTH + p.row (0)) * EIG_BANDWIDTH)};
  for (int t = threadIdx.x; t < EIG_BAND_SQUARE; t += blockDim.x)
    p.P[t] = sum_of_squares (p.T_factor + EIG_BAND_SQUARE, blocks, t);
  __syncthreads ();
  make_factors (p);
  update_columns (p, x, x_top);
  store_rows (p, p.V, p.row (0), x[0]);
}

} // namespace

bool he2hb_splits (int n, int step)
{
  return n - (step + 1) * EIG_BANDWIDTH > WHOLE_ROWS;
}

template <class T> cudaError_t he2hb_update (const eig_args<T> &a, int step)
{
  unsigned blocks = (unsigned)(a.pages * update_blocks (a.n, step));
  size_t bytes = panel_bytes<T> (UPDATE_WARPS);
  he2hb_product_kernel<T><<<blocks, 32 * UPDATE_WARPS, bytes, a.stream>>> (a, step);
  he2hb_columns_kernel<T><<<blocks, 32 * UPDATE_WARPS, bytes, a.stream>>> (a, step);
  return cudaGetLastError ();
}

template cudaError_t he2hb_update (const eig_args<float> &, int);
template cudaError_t he2hb_update (const eig_args<double> &, int);
template cudaError_t he2hb_update (const eig_args<cx<float>> &, int);
template cudaError_t he2hb_update (const eig_args<cx<double>> &, int);
