// hetrd.cuh: what the kernels of the tridiagonalisation share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_HETRD_CUH
#define GPULINALG_HETRD_CUH

#include "common/reflector.cuh"
#include "eig_kernels.cuh"

// Columns of a panel, and rows and columns of a tile of the matrix-vector product.
enum { HETRD_PANEL = 16, HETRD_TILE = 32 };

// The same over a warp.
template <int N, class T> GLA_DEVICE T lane_sums (T (&a)[N])
{
  T sum = group_sums (a);
#pragma unroll
  for (int mask = N; mask < 32; mask *= 2)
    sum = sum + shuffle_xor (sum, mask);
  return sum;
}

// The largest page that hetrd_shared takes.
template <class T> int hetrd_shared_limit (int smem_limit);

// Columns origin..n-1, one block per page, the trailing matrix in shared memory.
template <class T> cudaError_t hetrd_shared (const eig_args<T> &a, int origin);

// Columns first..last-1 of a panel: reflectors in W, the other factor of the update in a.panel.
template <class T> cudaError_t hetrd_panel (const eig_args<T> &a, int first, int last);

// The update of rows and columns last..n-1 by that panel.
template <class T> cudaError_t hetrd_update (const eig_args<T> &a, int first, int last);

// Elements of T that a.panel has for a page of order n, and where things lie in them.
template <class T> struct hetrd_scratch {
  int blocks; // tiles in a row of tiles
  int64_t ld; // rows, rounded up to whole tiles
  __host__ __device__ hetrd_scratch (int n)
      : blocks ((n + HETRD_TILE - 1) / HETRD_TILE), ld ((int64_t)blocks * HETRD_TILE)
  {
  }
  __host__ __device__ int64_t w () const { return 0; }                   // ld * HETRD_PANEL
  __host__ __device__ int64_t part () const { return ld * HETRD_PANEL; } // ld * (blocks + 1)
  __host__ __device__ int64_t x () const { return part () + ld * (blocks + 1); } // ld
  __host__ __device__ int64_t dots () const { return x () + ld; }                // 2 * HETRD_PANEL
  __host__ __device__ int64_t squares () const { return dots () + 2 * HETRD_PANEL; } // blocks
  __host__ __device__ int64_t forms () const { return squares () + blocks; } // a real per tile
  __host__ __device__ int64_t counter () const { return forms () + blocks * (blocks + 1) / 2; }
  __host__ __device__ int64_t size () const { return counter () + 1; }
};

// Up to so many pages may have a team of blocks each (hetrd_panel.cu), which has a counter.
enum { HETRD_TEAM_PAGES = 32 };
template <class T> __host__ __device__ unsigned *hetrd_counter (const eig_args<T> &a, int64_t page)
{
  hetrd_scratch<T> s (a.n);
  return reinterpret_cast<unsigned *> (a.panel + page * s.size () + s.counter ());
}

#endif
