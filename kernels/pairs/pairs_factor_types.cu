// pairs_factor_types.cu: Cholesky of pages and the inverse of L, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_cholesky.cuh"
#include "common/type.cuh"

// The square of a page that is factored.
struct factor_square {
  int at, size;
  bool whole; // all of the page
  int slabs;  // warps that invert, each with a row of tiles in shared memory
};

// Scales L of a page back: row r times 2^exponent[r]. All threads take part.
template <class T> GLA_DEVICE void pencil_scale_factor (T *L, int n, const int *exponent)
{
  for (int64_t k = threadIdx.x; k < (int64_t)n * n; k += blockDim.x)
    L[k] = times_power (L[k], exponent[k % n]);
}

// A block has a page of B, in a grid-stride loop.
template <class T, int WARPS>
__global__ void __launch_bounds__ (32 * WARPS)
    pencil_factor_kernel (pencil_args<T> a, factor_square q)
{
  typedef wide<T> W;
  extern __shared__ __align__ (16) unsigned char pencil_space[];
  pencil_cholesky<T, WARPS> w;
  w.n = q.size;
  w.across = (q.size + 7) / 8;
  w.L = reinterpret_cast<W *> (pencil_space);
  w.Y = w.L + w.place (w.across, 0) * w.TILE;
  w.bound = reinterpret_cast<double *> (w.Y + q.slabs * w.across * w.TILE);
  w.failed = reinterpret_cast<int *> (w.bound + 8 * w.across);
  const int n = a.n;
  for (int64_t page = blockIdx.x; page < a.b_pages; page += gridDim.x) {
    T *M = a.M + page * n * n, *S = a.L + page * n * n;
    const int64_t corner = q.at + (int64_t)q.at * n;
    const double *before = a.before + page * n + q.at;
    const int *exponent = a.row + page * n;
    bool good = a.info_b[page] == 0;
    if (good) {
      if (threadIdx.x == 0)
        *w.failed = INT_MAX;
      for (int k = threadIdx.x; k < 8 * w.across; k += blockDim.x)
        w.bound[k] = k < q.size ? n * (double)limits<real_t<T>>::eps * before[k] : 0;
      w.load (S + corner, n);
      __syncthreads ();
      w.factor (a.product ? S + corner : nullptr, n);
      good = *w.failed == INT_MAX;
      if (!good && threadIdx.x == 0)
        a.info_b[page] = n + 2 + q.at + *w.failed;
    }
    if (good) {
      const bool scaled = q.whole && a.scaled[page];
      w.invert (M + corner, n, scaled ? exponent : nullptr, q.slabs);
      if (a.product)
        w.store_factor (S + corner, n);
      __syncthreads ();
      if (a.product && scaled)
        pencil_scale_factor (S, n, exponent);
    } else if (q.whole) {
      __syncthreads ();
      pencil_fill_page (M, n);
      pencil_fill_page (S, n);
    }
    __syncthreads ();
  }
}

// Returns bytes of shared memory.
template <class T> size_t pencil_factor_bytes (int n, int slabs)
{
  const size_t across = (size_t)(n + 7) / 8;
  return (across * (across + 1) / 2 + (size_t)slabs * across) * 64 * sizeof (wide<T>) +
         8 * across * sizeof (double) + 16;
}

template <class T> bool pencil_factor_fits (int n, int smem_limit)
{
  return pencil_factor_bytes<T> (n, 1) <= (size_t)smem_limit;
}

template <class T, int WARPS> cudaError_t launch_factor (const pencil_args<T> &a, factor_square q)
{
  static std::atomic<uint64_t> configured;
  const auto kernel = pencil_factor_kernel<T, WARPS>;
  const cudaError_t error = allow_cluster (kernel, a.smem_limit, &configured);
  if (error != cudaSuccess)
    return error;
  q.slabs = WARPS;
  while (q.slabs > 1 && pencil_factor_bytes<T> (q.size, q.slabs) > (size_t)a.smem_limit)
    q.slabs--;
  kernel<<<(unsigned)a.b_pages, 32 * WARPS, pencil_factor_bytes<T> (q.size, q.slabs), a.stream>>> (
      a, q);
  return cudaGetLastError ();
}

template <class T> cudaError_t pencil_factor (const pencil_args<T> &a, int at, int size, bool whole)
{
  const factor_square q = {at, size, whole, 1};
  return size <= 64 ? launch_factor<T, 4> (a, q) : launch_factor<T, 8> (a, q);
}

template bool pencil_factor_fits<T> (int, int);
template cudaError_t pencil_factor<T> (const pencil_args<T> &, int, int, bool);
