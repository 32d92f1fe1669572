// her2k.cu: the update that ends a panel of the tridiagonalisation, A - V W' - W V'
// SPDX-License-Identifier: GPL-3.0-or-later

#include "hetrd.cuh"

namespace
{

enum { TILE = 64, SIDE = 16, EACH = TILE / SIDE, DEPTH = 8 };

// DEPTH columns of V and W at TILE rows from `row`, zero beyond n and beyond `width` columns.
template <class T>
GLA_DEVICE void stage (T (*v)[TILE], T (*w)[TILE], const T *V, int64_t ldv, const T *W, int64_t ldw,
                       int row, int n, int width)
{
  for (int t = threadIdx.x; t < DEPTH * TILE; t += SIDE * SIDE) {
    int c = t / TILE, i = row + t % TILE;
    bool inside = c < width && i < n;
    v[c][t % TILE] = inside ? V[c * ldv + i] : from_real<T> (0);
    w[c][t % TILE] = inside ? W[c * ldw + i] : from_real<T> (0);
  }
}

// One block per tile of 64 by 64 of the lower triangle, 16 by 16 threads; a thread keeps 4 by 4
// entries in registers, 16 apart, so that lanes read and write neighbouring rows. V is in the
// panel's columns of A, W in a.panel; both come through shared memory, 8 columns at a time.
template <class T>
__global__ void __launch_bounds__ (SIDE *SIDE, 2) her2k_kernel (eig_args<T> a, int first, int last)
{
  __shared__ T v[2][DEPTH][TILE], w[2][DEPTH][TILE]; // of the tile's rows, and of its columns
  int n = a.n, tiles = (n - last + TILE - 1) / TILE, count = tiles * (tiles + 1) / 2;
  int64_t page = blockIdx.x / count;
  if (a.info[page] != 0)
    return;
  int t = blockIdx.x % count, r = (int)((sqrtf (8.0f * t + 1) - 1) / 2);
  r -= r * (r + 1) / 2 > t;
  r += (r + 1) * (r + 2) / 2 <= t;
  int row = last + r * TILE, column = last + (t - r * (r + 1) / 2) * TILE;
  hetrd_scratch<T> s (n);
  T *A = a.W + page * n * n;
  const T *V = A + (int64_t)first * n, *W = a.panel + page * s.size () + s.w ();
  int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;

  T entry[EACH][EACH];
#pragma unroll
  for (int q = 0; q < EACH; q++)
#pragma unroll
    for (int p = 0; p < EACH; p++) {
      int i = row + x + p * SIDE, j = column + y + q * SIDE;
      entry[p][q] = i < n && i >= j ? A[(int64_t)j * n + i] : from_real<T> (0);
    }
  for (int c0 = 0; c0 < last - first; c0 += DEPTH) {
    int width = last - first - c0;
    stage (v[0], w[0], V + (int64_t)c0 * n, n, W + c0 * s.ld, s.ld, row, n, width);
    stage (v[1], w[1], V + (int64_t)c0 * n, n, W + c0 * s.ld, s.ld, column, n, width);
    __syncthreads ();
#pragma unroll 1
    for (int c = 0; c < DEPTH; c++) {
      T vi[EACH], wi[EACH];
#pragma unroll
      for (int p = 0; p < EACH; p++) {
        vi[p] = -v[0][c][x + p * SIDE];
        wi[p] = -w[0][c][x + p * SIDE];
      }
#pragma unroll
      for (int q = 0; q < EACH; q++) {
        T vj = conj (v[1][c][y + q * SIDE]), wj = conj (w[1][c][y + q * SIDE]);
#pragma unroll
        for (int p = 0; p < EACH; p++)
          entry[p][q] = madd (vi[p], wj, madd (wi[p], vj, entry[p][q]));
      }
    }
    __syncthreads ();
  }
#pragma unroll
  for (int q = 0; q < EACH; q++)
#pragma unroll
    for (int p = 0; p < EACH; p++) {
      int i = row + x + p * SIDE, j = column + y + q * SIDE;
      if (i < n && i >= j)
        A[(int64_t)j * n + i] = i == j ? from_real<T> (re (entry[p][q])) : entry[p][q];
    }
}

} // namespace

template <class T> cudaError_t hetrd_update (const eig_args<T> &a, int first, int last)
{
  int64_t tiles = (a.n - last + TILE - 1) / TILE;
  int64_t blocks = a.pages * tiles * (tiles + 1) / 2;
  her2k_kernel<T><<<(unsigned)blocks, SIDE * SIDE, 0, a.stream>>> (a, first, last);
  return cudaGetLastError ();
}

template cudaError_t hetrd_update (const eig_args<float> &, int, int);
template cudaError_t hetrd_update (const eig_args<double> &, int, int);
template cudaError_t hetrd_update (const eig_args<cx<float>> &, int, int);
template cudaError_t hetrd_update (const eig_args<cx<double>> &, int, int);
