// krylov_update.cu: W*M - V*C and V*S for blocks of vectors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "krylov.cuh"

namespace
{

// A thread takes ROWS rows, blockDim.x apart, and lets all blocks of V pass by them; C stands in
// shared memory, of which all threads read the same word at a time.
template <class T, int B> struct update_shape {
  static constexpr int ROWS = 16 / (B * words_of<T>) > 4   ? 4
                              : 16 / (B * words_of<T>) < 1 ? 1
                                                           : 16 / (B * words_of<T>);
};

template <class T, int B>
GLA_DEVICE void subtract_block (const T *block, int64_t n, int64_t row, const T *C,
                                krylov_row<T, B> (&w)[update_shape<T, B>::ROWS])
{
  constexpr int ROWS = update_shape<T, B>::ROWS;
  krylov_row<T, B> v[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    v[r] = {};
    if (row + r * 256 < n)
      v[r] = reinterpret_cast<const krylov_row<T, B> *> (block)[row + r * 256];
  }
#pragma unroll
  for (int q = 0; q < B; q++)
#pragma unroll
    for (int c = 0; c < B; c++) {
      T factor = C[q * B + c];
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        w[r].at[c] = madd (-v[r].at[q], factor, w[r].at[c]);
    }
}

template <class T, int B>
__global__ void __launch_bounds__ (256)
    update_kernel (const T *V, int64_t n, int64_t blocks, const T *W, const double *M,
                   const double *C, const krylov_flags *flags, T *to)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  constexpr int ROWS = update_shape<T, B>::ROWS, words = words_of<T>;
  if (flags->failed)
    return;
  T *matrix = reinterpret_cast<T *> (memory), *coefficients = matrix + B * B;
  if (threadIdx.x < B * B) {
    matrix[threadIdx.x] = from_real<T> (threadIdx.x / B == threadIdx.x % B ? 1 : 0);
    if (M != nullptr)
      load_scalar (M + threadIdx.x * words, matrix + threadIdx.x);
  }
  for (int64_t i = threadIdx.x; i < blocks * B * B; i += 256)
    load_scalar (C + i * words, coefficients + i);
  __syncthreads ();
  int64_t row = blockIdx.x * (int64_t)(256 * ROWS) + threadIdx.x;
  krylov_row<T, B> w[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    krylov_row<T, B> old = {};
    if (row + r * 256 < n)
      old = reinterpret_cast<const krylov_row<T, B> *> (W)[row + r * 256];
#pragma unroll
    for (int c = 0; c < B; c++) {
      T sum = from_real<T> (0);
#pragma unroll
      for (int q = 0; q < B; q++)
        sum = madd (old.at[q], matrix[q * B + c], sum);
      w[r].at[c] = sum;
    }
  }
#pragma unroll 2
  for (int64_t j = 0; j < blocks; j++)
    subtract_block<T, B> (V + j * n * B, n, row, coefficients + j * B * B, w);
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    if (row + r * 256 < n)
      reinterpret_cast<krylov_row<T, B> *> (to)[row + r * 256] = w[r];
}

template <class T, int B>
cudaError_t launch_update (const krylov_place<T> &p, const T *V, int64_t blocks, const T *W,
                           const double *M, const double *C, T *to)
{
  size_t bytes = (size_t)(blocks + 1) * B * B * sizeof (T);
  cudaError_t error = cudaSuccess;
  if (bytes > 48 << 10)
    error = cudaFuncSetAttribute (update_kernel<T, B>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)bytes);
  if (error != cudaSuccess)
    return error;
  const int64_t rows = 256 * update_shape<T, B>::ROWS;
  update_kernel<T, B><<<(unsigned)((p.n + rows - 1) / rows), 256, bytes, p.stream>>> (
      V, p.n, blocks, W, M, C, p.flags, to);
  return cudaGetLastError ();
}

// A thread block takes `height` rows, a power of 2 up to 32: all their elements of the old basis go
// to shared memory, so that the new ones can be stored in their place. Lanes have the rows, warps
// the new blocks in turn; an element of S is the same for a warp.
template <class T, int B>
__global__ void __launch_bounds__ (256)
    rotate_kernel (T *V, int64_t n, int64_t count, const T *S, int64_t keep, int height)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  krylov_row<T, B> *old = reinterpret_cast<krylov_row<T, B> *> (memory);
  krylov_row<T, B> *rows = reinterpret_cast<krylov_row<T, B> *> (V);
  int64_t row0 = blockIdx.x * (int64_t)height;
  int there = (int)(n - row0 < height ? n - row0 : height);
  for (int64_t i = threadIdx.x; i < count * height; i += 256) {
    int64_t j = i / height, r = i % height;
    if (r < there)
      old[i] = rows[j * n + row0 + r];
  }
  __syncthreads ();
  int lane = threadIdx.x % 32;
  if (lane >= there)
    return;
  for (int64_t k = threadIdx.x / 32; k < keep; k += 8) {
    krylov_row<T, B> sum = {};
    for (int64_t j = 0; j < count; j++) {
      krylov_row<T, B> v = old[j * height + lane];
#pragma unroll
      for (int q = 0; q < B; q++) {
        krylov_row<T, B> factor =
            reinterpret_cast<const krylov_row<T, B> *> (S)[(j * B + q) * keep + k];
#pragma unroll
        for (int c = 0; c < B; c++)
          sum.at[c] = madd (v.at[q], factor.at[c], sum.at[c]);
      }
    }
    rows[k * n + row0 + lane] = sum;
  }
}

template <class T, int B>
cudaError_t launch_rotate (const krylov_place<T> &p, T *V, int64_t count, const T *S, int64_t keep,
                           int smem_limit)
{
  int height = 32;
  while (height > 1 && (int64_t)height * count * B * (int64_t)sizeof (T) > smem_limit)
    height /= 2;
  int bytes = (int)(height * count * B * (int64_t)sizeof (T));
  cudaError_t error = cudaFuncSetAttribute (rotate_kernel<T, B>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess)
    return error;
  rotate_kernel<T, B><<<(unsigned)((p.n + height - 1) / height), 256, bytes, p.stream>>> (
      V, p.n, count, S, keep, height);
  return cudaGetLastError ();
}

} // namespace

template <class T>
cudaError_t krylov_update (const krylov_place<T> &p, const T *V, int64_t blocks, const T *W,
                           const double *M, const double *C, T *to)
{
  switch (p.b) {
  case 1:
    return launch_update<T, 1> (p, V, blocks, W, M, C, to);
  case 2:
    return launch_update<T, 2> (p, V, blocks, W, M, C, to);
  case 4:
    return launch_update<T, 4> (p, V, blocks, W, M, C, to);
  default:
    return launch_update<T, 8> (p, V, blocks, W, M, C, to);
  }
}

template <class T> int64_t krylov_most_columns (int b, int smem_limit)
{
  int64_t by_update = smem_limit / (b * (int64_t)sizeof (T)) - b;
  int64_t by_rotate = smem_limit / (int64_t)sizeof (T) / 4;
  return by_update < by_rotate ? by_update : by_rotate;
}

template <class T>
cudaError_t krylov_rotate (const krylov_place<T> &p, T *V, int64_t count, const T *S, int64_t keep,
                           int smem_limit)
{
  switch (p.b) {
  case 1:
    return launch_rotate<T, 1> (p, V, count, S, keep, smem_limit);
  case 2:
    return launch_rotate<T, 2> (p, V, count, S, keep, smem_limit);
  case 4:
    return launch_rotate<T, 4> (p, V, count, S, keep, smem_limit);
  default:
    return launch_rotate<T, 8> (p, V, count, S, keep, smem_limit);
  }
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t krylov_update (const krylov_place<T> &, const T *, int64_t, const T *,      \
                                      const double *, const double *, T *);                        \
  template int64_t krylov_most_columns<T> (int, int);                                              \
  template cudaError_t krylov_rotate (const krylov_place<T> &, T *, int64_t, const T *, int64_t,   \
                                      int);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
