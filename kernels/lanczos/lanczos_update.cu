// lanczos_update.cu: W*M - V*C and V*S for blocks of vectors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/runtime.cuh"
#include "lanczos.cuh"

namespace
{

// Adds v*C to sum for the E columns of V that this lane has.
template <class T, int B>
GLA_DEVICE void add_block (const krylov_row<T, krylov_lane<T, B>::E> (&v)[krylov_lane<T, B>::ROWS],
                           const T *C, krylov_row<T, B> (&sum)[krylov_lane<T, B>::ROWS])
{
  typedef krylov_lane<T, B> lane;
  C += threadIdx.x % lane::LANES * lane::E * B;
#pragma unroll
  for (int q = 0; q < lane::E; q++)
#pragma unroll
    for (int c = 0; c < B; c++) {
      T factor = C[q * B + c];
#pragma unroll
      for (int r = 0; r < lane::ROWS; r++)
        sum[r].at[c] = madd (v[r].at[q], factor, sum[r].at[c]);
    }
}

// Adds the sums of the lanes that share a row and subtracts them from w. Each lane stores the
// elements that it would read of the block, to W and to `more`.
template <class T, int B, bool MORE>
GLA_DEVICE void store_difference (const krylov_row<T, B> (&w)[krylov_lane<T, B>::ROWS],
                                  const krylov_row<T, B> (&sum)[krylov_lane<T, B>::ROWS], int64_t n,
                                  int64_t row, T *W, const krylov_more_rows<T> &more)
{
  typedef krylov_lane<T, B> lane;
  const int part = threadIdx.x % lane::LANES, apart = 32 / lane::LANES;
#pragma unroll
  for (int r = 0; r < lane::ROWS; r++) {
    krylov_row<T, lane::E> own = {};
#pragma unroll
    for (int c = 0; c < B; c++) {
      T element = w[r].at[c] - lane_sum<lane::LANES> (sum[r].at[c]);
      if (c / lane::E == part)
        own.at[c % lane::E] = element;
    }
    const int64_t i = row + r * apart, at = i * lane::LANES + part;
    if (i < n)
      reinterpret_cast<krylov_row<T, lane::E> *> (W)[at] = own;
    for (int k = 0; MORE && k < more.count; k++)
      if (i >= more.of[k].first && i < more.of[k].end)
        reinterpret_cast<krylov_row<T, lane::E> *> (more.of[k].to)[at] = own;
  }
}

// A warp has ROWS*32/LANES rows and loops over all blocks of V. C is in shared memory, in the type
// of the vectors. Stores to the memory of another GPU overlap with reads of V by other warps.
template <class T, int B, bool MORE>
__global__ void __launch_bounds__ (32 * KRYLOV_WARPS)
    update_kernel (const T *V, int64_t n, int64_t blocks, T *W, const double *M, const double *C,
                   const krylov_flags *flags, const krylov_more_rows<T> more)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  typedef krylov_lane<T, B> lane;
  constexpr int words = words_of<T>;
  if (flags->failed)
    return;
  T *matrix = reinterpret_cast<T *> (memory), *coefficients = matrix + B * B;
  if (M != nullptr && threadIdx.x < B * B)
    load_scalar (M + threadIdx.x * words, matrix + threadIdx.x);
  for (int64_t i = threadIdx.x; i < blocks * B * B; i += blockDim.x)
    load_scalar (C + i * words, coefficients + i);
  __syncthreads ();
  int64_t warp = blockIdx.x * (int64_t)KRYLOV_WARPS + threadIdx.x / 32;
  int64_t row = warp * (lane::ROWS * 32 / lane::LANES) + threadIdx.x % 32 / lane::LANES;
  krylov_row<T, B> w[lane::ROWS], sum[lane::ROWS] = {};
#pragma unroll 2
  for (int64_t j = 0; j < blocks; j++) {
    krylov_row<T, lane::E> v[lane::ROWS];
    load_row_parts<T, B> (V + j * n * B, n, row, v);
    add_block<T, B> (v, coefficients + j * B * B, sum);
  }
  load_whole_rows<T, B> (W, n, row, w);
  if (M != nullptr)
    times_matrix<T, B> (w, matrix);
  store_difference<T, B, MORE> (w, sum, n, row, W, more);
}

template <class T, int B>
cudaError_t launch_update (const krylov_place<T> &p, const T *V, int64_t blocks, T *W,
                           const double *M, const double *C, const krylov_more_rows<T> &more)
{
  const auto kernel = more.count > 0 ? update_kernel<T, B, true> : update_kernel<T, B, false>;
  size_t bytes = (size_t)(blocks + 1) * B * B * sizeof (T);
  const cudaError_t error = allow_shared (kernel, bytes);
  if (error != cudaSuccess)
    return error;
  typedef krylov_lane<T, B> lane;
  const int64_t rows = KRYLOV_WARPS * lane::ROWS * 32 / lane::LANES; // of a thread block
  kernel<<<(unsigned)((p.n + rows - 1) / rows), 32 * KRYLOV_WARPS, bytes, p.stream>>> (
      V, p.n, blocks, W, M, C, p.flags, more);
  return cudaGetLastError ();
}

// A thread block has `height` rows, a power of 2 up to 32. All their elements of the old basis go
// to shared memory, so that the new ones can overwrite them. Lanes have the rows, and warps have
// the new blocks cyclically; an element of S is the same for a warp.
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
  const cudaError_t error = allow_shared (rotate_kernel<T, B>, (size_t)bytes);
  if (error != cudaSuccess)
    return error;
  rotate_kernel<T, B><<<(unsigned)((p.n + height - 1) / height), 256, bytes, p.stream>>> (
      V, p.n, count, S, keep, height);
  return cudaGetLastError ();
}

} // namespace

template <class T>
cudaError_t krylov_update (const krylov_place<T> &p, const T *V, int64_t blocks, T *W,
                           const double *M, const double *C, const krylov_more_rows<T> &more)
{
  if (p.n == 0)
    return cudaSuccess;
  switch (p.b) {
  case 1:
    return launch_update<T, 1> (p, V, blocks, W, M, C, more);
  case 2:
    return launch_update<T, 2> (p, V, blocks, W, M, C, more);
  case 4:
    return launch_update<T, 4> (p, V, blocks, W, M, C, more);
  default:
    return launch_update<T, 8> (p, V, blocks, W, M, C, more);
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
  if (p.n == 0)
    return cudaSuccess;
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
  template cudaError_t krylov_update (const krylov_place<T> &, const T *, int64_t, T *,            \
                                      const double *, const double *,                              \
                                      const krylov_more_rows<T> &);                                \
  template int64_t krylov_most_columns<T> (int, int);                                              \
  template cudaError_t krylov_rotate (const krylov_place<T> &, T *, int64_t, const T *, int64_t,   \
                                      int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
