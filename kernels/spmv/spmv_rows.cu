// spmv_rows.cu: sparse products with a fixed number of threads for every row
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The published ways to distribute the rows (Bell, Garland 2008) are a thread for each row, a warp
// for each row, and groups of 2 to 32 threads by the mean length.

#include "spmv.cuh"

namespace
{

template <class T, class I> struct rows_matrix {
  const I *start;
  const uint32_t *column;
  const T *values;
  int64_t rows;
  int lanes; // threads of a row, a power of 2
};

// Neighbouring threads of a warp share a row; they have its entries cyclically and add their sums
// pairwise. A block of 256 threads has 256/lanes rows; blockIdx.y counts the vectors.
template <class T, class I, bool PATTERN>
__global__ void __launch_bounds__ (256) rows_kernel (rows_matrix<T, I> M, spmv_scalar<T> scalar,
                                                     bool conjugate, int b, const T *x, T *y)
{
  const int lanes = M.lanes;
  int64_t thread = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  int64_t row = thread / lanes;
  int lane = (int)(thread % lanes), vector = blockIdx.y;
  T sum = from_real<T> (0);
  if (row < M.rows) {
    I end = M.start[row + 1];
    for (I k = M.start[row] + lane; k < end; k += lanes) {
      T element = x[(int64_t)M.column[k] * b + vector];
      sum = PATTERN ? sum + element : madd (conj_if (M.values[k], conjugate), element, sum);
    }
  }
  for (int mask = lanes / 2; mask > 0; mask /= 2)
    sum = sum + shuffle_xor (sum, mask);
  if (row < M.rows && lane == 0)
    y[row * b + vector] = PATTERN ? scalar.of () * sum : sum;
}

template <class T, class I>
cudaError_t launch (const gpu_sparse &M, bool conjugate, const T *x, T *y, int b,
                    cudaStream_t stream)
{
  const rows_matrix<T, I> of = {static_cast<const I *> (M.start), M.column,
                                static_cast<const T *> (M.values), M.rows, M.lanes};
  spmv_scalar<T> scalar = spmv_scalar_of<T> (M, conjugate);
  dim3 grid ((unsigned)((M.rows * M.lanes + 255) / 256), (unsigned)b);
  if (M.pattern)
    rows_kernel<T, I, true><<<grid, 256, 0, stream>>> (of, scalar, conjugate, b, x, y);
  else
    rows_kernel<T, I, false><<<grid, 256, 0, stream>>> (of, scalar, conjugate, b, x, y);
  return cudaGetLastError ();
}

// A thread has a row: accesses to the columns are coalesced, those to the rows of b elements are
// strided, which the cache hides as b is at most 8. So in the next kernel.
template <class T>
__global__ void __launch_bounds__ (256)
    interleave_kernel (const T *from, int64_t stride, T *to, int64_t rows, int b)
{
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < rows)
    for (int k = 0; k < b; k++)
      to[i * b + k] = from[i + k * stride];
}

// A thread has a row.
template <class T>
__global__ void __launch_bounds__ (256)
    separate_kernel (const T *from, T *to, int64_t stride, int64_t rows, int b)
{
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < rows)
    for (int k = 0; k < b; k++)
      to[i + k * stride] = from[i * b + k];
}

} // namespace

template <class T>
cudaError_t spmv_by_rows (const gpu_sparse &M, bool conjugate, const T *x, T *y, int b,
                          cudaStream_t stream)
{
  return M.start_bytes == 4 ? launch<T, uint32_t> (M, conjugate, x, y, b, stream)
                            : launch<T, int64_t> (M, conjugate, x, y, b, stream);
}

template <class T>
cudaError_t spmv_interleave (const T *from, int64_t stride, T *to, int64_t rows, int b,
                             cudaStream_t stream)
{
  interleave_kernel<T>
      <<<(unsigned)((rows + 255) / 256), 256, 0, stream>>> (from, stride, to, rows, b);
  return cudaGetLastError ();
}

template <class T>
cudaError_t spmv_separate (const T *from, T *to, int64_t stride, int64_t rows, int b,
                           cudaStream_t stream)
{
  separate_kernel<T>
      <<<(unsigned)((rows + 255) / 256), 256, 0, stream>>> (from, to, stride, rows, b);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t spmv_by_rows (const gpu_sparse &, bool, const T *, T *, int, cudaStream_t); \
  template cudaError_t spmv_interleave (const T *, int64_t, T *, int64_t, int, cudaStream_t);      \
  template cudaError_t spmv_separate (const T *, T *, int64_t, int64_t, int, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
