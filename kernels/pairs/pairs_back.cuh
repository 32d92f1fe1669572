// pairs_back.cuh: eigenvectors of pairs of order up to 32 from those of C, in place
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAIRS_BACK_CUH
#define GPULINALG_PAIRS_BACK_CUH

#include "pairs_thread.cuh"

enum { BACK_THREADS = 128 };

// X in the place of Y, in a warp per page, 8 columns at a time, as rows.
template <class T, int B>
__global__ void __launch_bounds__ (BACK_THREADS)
    pencil_back_kernel (pencil_args<T> a, page_matrix<T> V)
{
  typedef pencil_tiles<T> ops;
  typedef typename ops::tile tile;
  typedef typename ops::W W;
  const int n = a.n;
  const int64_t page = (int64_t)blockIdx.x * (BACK_THREADS / 32) + threadIdx.x / 32;
  if (page >= a.pages)
    return;
  const T *from = a.M + a.b_step * page * n * n;
  const int g = ops::g (), t = ops::t ();
  tile m[B][B]; // M (i, j), turned
#pragma unroll
  for (int i = 0; i < B; i++)
#pragma unroll
    for (int j = 0; j <= i; j++)
#pragma unroll
      for (int x = 0; x < 2; x++) {
        const int r = 8 * i + 2 * t + x, c = 8 * j + g;
        m[i][j].x[x] = r < n && c < n ? ops::promote (from[r + c * n]) : from_real<W> (0);
      }
  for (int first = 0; first < n; first += 8) {
    tile y[B];
    T *column = V.data + page * V.page + min (first + g, n - 1) * V.ld;
#pragma unroll
    for (int j = 0; j < B; j++)
#pragma unroll
      for (int x = 0; x < 2; x++) {
        const int r = 8 * j + 2 * t + x;
        y[j].x[x] = r < n ? ops::promote (column[r]) : from_real<W> (0);
      }
#pragma unroll
    for (int i = 0; i < B; i++) {
      tile v = ops::zero ();
#pragma unroll
      for (int j = i; j < B; j++)
        ops::add (v, y[j], m[j][i]);
#pragma unroll
      for (int x = 0; x < 2; x++) {
        const int r = 8 * i + 2 * t + x;
        if (r < n && first + g < n)
          column[r] = narrow<T> (v.x[x]);
      }
    }
  }
}

template <class T, int B> cudaError_t launch_back (const pencil_args<T> &a, const page_matrix<T> &V)
{
  const int warps = BACK_THREADS / 32;
  const unsigned blocks = (unsigned)((a.pages + warps - 1) / warps);
  pencil_back_kernel<T, B><<<blocks, BACK_THREADS, 0, a.stream>>> (a, V);
  return cudaGetLastError ();
}

template <class T> cudaError_t pencil_small_back (const pencil_args<T> &a, const page_matrix<T> &V)
{
  if (a.n <= PENCIL_THREAD)
    return pencil_thread_back (a, V);
  switch ((a.n + 7) / 8) {
  case 1:
    return launch_back<T, 1> (a, V);
  case 2:
    return launch_back<T, 2> (a, V);
  case 3:
    return launch_back<T, 3> (a, V);
  default:
    return launch_back<T, 4> (a, V);
  }
}

#endif
