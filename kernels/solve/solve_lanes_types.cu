// solve_lanes_types.cu: pages of order up to 32 in lanes, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_cyclic.cuh"
#include "solve_lanes_columns.cuh"
#include "solve_thread.cuh"
#include "common/type.cuh"

//------------------------------------------------------------------------------
// which shape of solve_lanes.cuh serves which order
//------------------------------------------------------------------------------

// Enough blocks for all multiprocessors if every page is pending.
enum { LU_PENDING_BLOCKS = 4096 };

template <class T, int N, int G, int R, int S>
cudaError_t lu_launch_lanes (const lu_args<T> &a, cudaStream_t stream)
{
  typedef lanes_shape<T, N, G, R, S> L;
  constexpr int each = L::WARPS * L::PAGES;
  const unsigned blocks = (unsigned)((a.pages + each - 1) / each);
  if constexpr (N <= LU_THREAD_MAX)
    if (a.pending) {
      const unsigned rounds = (blocks + LU_PENDING_BLOCKS - 1) / LU_PENDING_BLOCKS;
      lu_pending_kernel<T, L>
          <<<(blocks + rounds - 1) / rounds, 32 * L::WARPS, 0, stream>>> (a, (int)rounds);
      return cudaGetLastError ();
    }
  if (a.inverse || a.rcond != nullptr)
    lu_inverse_kernel<T, L><<<blocks, 32 * L::WARPS, 0, stream>>> (a);
  if (a.inverse)
    return cudaGetLastError ();
  const unsigned slices = lu_slices (a.n, a.rhs, false);
  constexpr int warps = LU_TILES_THREADS / 32;
  if constexpr (L::TILES)
    if (slices == 1) // else blocks that share a page would not know whether it has been solved
      lu_tiles_kernel<T, (N + 7) / 8>
          <<<(unsigned)((a.pages + warps - 1) / warps), 32 * warps, 0, stream>>> (a);
  lu_args<T> rest = a;
  if constexpr (N == 12 && sizeof (T) == 16)
    if (lu_cyclic_serves (a)) {
      const cudaError_t error = lu_launch_cyclic<T, N, 4> (a, stream);
      if (error != cudaSuccess)
        return error;
      rest.pending = true;
    }
  lu_lanes_kernel<T, L><<<dim3 (blocks, slices), 32 * L::WARPS, 0, stream>>> (rest);
  return cudaGetLastError ();
}

template <class T> cudaError_t lu_lanes (const lu_args<T> &all, cudaStream_t stream)
{
  lu_args<T> a = all;
  cudaError_t error = cudaSuccess;
  a.pending = lu_by_thread (a, stream, &error);
  if (error != cudaSuccess)
    return error;
  if (a.n <= 2)
    return lu_launch_lanes<T, 2, 2, 1, 1> (a, stream);
  if (a.n <= 4)
    return lu_launch_lanes<T, 4, 4, 1, 1> (a, stream);
  if (a.n <= 6)
    return lu_launch_lanes<T, 6, 4, 2, 2> (a, stream);
  if constexpr (sizeof (T) == 16) { // fewer registers: more warps
    if (a.n <= 8 && a.inverse)
      return lu_launch_lanes<T, 8, 8, 1, 2> (a, stream);
    if (a.n > 8 && a.n <= 12 && a.inverse)
      return lu_launch_lanes<T, 12, 16, 1, 4> (a, stream);
    if (a.n > 12 && a.n <= 16)
      return lu_launch_lanes<T, 16, 16, 1, 4> (a, stream);
  }
  if (a.n <= 8)
    return lu_launch_lanes<T, 8, 4, 2, 2> (a, stream);
  if (a.n > 12 && a.n <= 16)
    return lu_launch_lanes<T, 16, 8, 2, 4> (a, stream);
  if constexpr (is_complex_v<T>) {
    if (a.n <= 12)
      return lu_launch_lanes<T, 12, 8, 2, 4> (a, stream);
    if (a.n <= 24)
      return lu_launch_lanes<T, 24, 32, 1, 8> (a, stream);
    return lu_launch_lanes<T, 32, 32, 1, 8> (a, stream);
  } else {
    if (a.n <= 12)
      return lu_launch_lanes<T, 12, 4, 3, 4> (a, stream);
    if (a.n <= 24)
      return lu_launch_lanes<T, 24, 8, 3, 8> (a, stream);
    return lu_launch_lanes<T, 32, 16, 2, 8> (a, stream);
  }
}

template cudaError_t lu_lanes<T> (const lu_args<T> &, cudaStream_t);
