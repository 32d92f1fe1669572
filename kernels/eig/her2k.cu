// her2k.cu: the update that ends a panel of the tridiagonalisation, A - V W' - W V'
// SPDX-License-Identifier: GPL-3.0-or-later

#include "hetrd.cuh"
#include "common/mma.cuh"

namespace
{

// A block updates a tile of SIDE by SIDE with 4 by 2 warps; a warp has 16 rows and NARROW tiles of
// 8 columns. LD is the distance of columns in shared memory: what the lanes of half a warp read
// lies in different banks.
enum { SIDE = 64, WARPS = 8, NARROW = 4, LD = SIDE + 4 };

// Real and imaginary parts of V, then of W, separately and in double precision: the tensor cores
// have no other real arithmetic of enough digits.
template <class T> constexpr int parts_of = is_complex_v<T> ? 4 : 2;

template <class T> constexpr size_t her2k_bytes = 2 * parts_of<T> *HETRD_PANEL *LD * 8;

// V and W at SIDE rows from `row`, times `sign`, zero beyond n.
template <class T>
GLA_DEVICE void stage (double *to, double sign, const T *V, int64_t ldv, const T *W, int64_t ldw,
                       int row, int n)
{
  constexpr int HALF = parts_of<T> / 2, PART = HETRD_PANEL * LD;
#pragma unroll
  for (int t = threadIdx.x; t < HETRD_PANEL * SIDE; t += 32 * WARPS) {
    int c = t / SIDE, i = row + t % SIDE;
    T v = i < n ? V[c * ldv + i] : from_real<T> (0), w = i < n ? W[c * ldw + i] : v;
    double *at = to + c * LD + t % SIDE;
    at[0] = sign * re (v);
    at[HALF * PART] = sign * re (w);
    if constexpr (is_complex_v<T>) {
      at[PART] = sign * im (v);
      at[3 * PART] = sign * im (w);
    }
  }
}

// Adds to C of 16 rows and 8 columns what part p of -V and -W in a does with 8 columns of the
// panel; `with` is at this lane's place in the first part of V and W of the tile's columns.
template <bool COMPLEX>
GLA_DEVICE void multiply_part (double (&real)[4], double (&imag)[4], int p, const double (&a)[4],
                               const double *with)
{
  constexpr int PARTS = COMPLEX ? 4 : 2, PART = HETRD_PANEL * LD;
  const double *b = with + (p + PARTS / 2) % PARTS * PART;
  mma_tall (real, a, b[0], b[4 * LD]);
  if constexpr (COMPLEX) {
    const double *b = with + (p % 2 ? p + 1 : p + 3) % 4 * PART;
    mma_tall (imag, a, p % 2 ? b[0] : -b[0], p % 2 ? b[4 * LD] : -b[4 * LD]);
  }
}

// One block per tile of the lower triangle. V is in the panel's columns of A, W in a.panel; both
// are copied to shared memory whole.
template <class T>
__global__ void __launch_bounds__ (32 * WARPS, 2) her2k_kernel (eig_args<T> a, int first, int last)
{
  typedef real_t<T> R;
  constexpr int PARTS = parts_of<T>, PART = HETRD_PANEL * LD;
  extern __shared__ __align__ (16) unsigned char memory[];
  double *rows = reinterpret_cast<double *> (memory), *columns = rows + PARTS * PART;
  int n = a.n, tiles = (n - last + SIDE - 1) / SIDE, count = tiles * (tiles + 1) / 2;
  int64_t page = blockIdx.x / count;
  if (a.info[page] != 0)
    return;
  int t = blockIdx.x % count, r = (int)((sqrtf (8.0f * t + 1) - 1) / 2);
  r -= r * (r + 1) / 2 > t;
  r += (r + 1) * (r + 2) / 2 <= t;
  int row = last + r * SIDE, column = last + (t - r * (r + 1) / 2) * SIDE;
  hetrd_scratch<T> s (n);
  T *A = a.W + page * n * n;
  const T *V = A + (int64_t)first * n, *W = a.panel + page * s.size () + s.w ();
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int x = warp % 4 * 16 + lane / 4, y = warp / 4 * 8 * NARROW; // in the tile

  double real[NARROW][4], imag[is_complex_v<T> ? NARROW : 1][4];
#pragma unroll
  for (int q = 0; q < NARROW; q++)
#pragma unroll
    for (int p = 0; p < 4; p++) {
      int i = row + x + p / 2 * 8, j = column + y + q * 8 + lane % 4 * 2 + p % 2;
      T entry = i < n && i >= j ? A[(int64_t)j * n + i] : from_real<T> (0);
      real[q][p] = re (entry);
      if constexpr (is_complex_v<T>)
        imag[q][p] = im (entry);
    }
  stage (rows, -1, V, n, W, s.ld, row, n);
  stage (columns, 1, V, n, W, s.ld, column, n);
  __syncthreads ();

#pragma unroll 1
  for (int c = 0; c < HETRD_PANEL; c += 8) {
    const double *from = rows + (c + lane % 4) * LD + x;
    const double *with = columns + (c + lane % 4) * LD + y + lane / 4;
#pragma unroll
    for (int p = 0; p < PARTS; p++) {
      double vw[4];
#pragma unroll
      for (int g = 0; g < 4; g++)
        vw[g] = from[p * PART + g / 2 * 4 * LD + g % 2 * 8];
#pragma unroll
      for (int q = 0; q < NARROW; q++)
        multiply_part<is_complex_v<T>> (real[q], imag[is_complex_v<T> ? q : 0], p, vw,
                                        with + q * 8);
    }
  }
#pragma unroll
  for (int q = 0; q < NARROW; q++)
#pragma unroll
    for (int p = 0; p < 4; p++) {
      int i = row + x + p / 2 * 8, j = column + y + q * 8 + lane % 4 * 2 + p % 2;
      T entry = from_real<T> ((R)real[q][p]);
      if constexpr (is_complex_v<T>)
        entry.y = i == j ? R (0) : (R)imag[q][p];
      if (i < n && i >= j)
        A[(int64_t)j * n + i] = entry;
    }
}

} // namespace

template <class T> cudaError_t hetrd_update (const eig_args<T> &a, int first, int last)
{
  int64_t tiles = (a.n - last + SIDE - 1) / SIDE;
  int64_t blocks = a.pages * tiles * (tiles + 1) / 2;
  cudaError_t status = allow_shared (her2k_kernel<T>, her2k_bytes<T>);
  if (status != cudaSuccess)
    return status;
  her2k_kernel<T><<<(unsigned)blocks, 32 * WARPS, her2k_bytes<T>, a.stream>>> (a, first, last);
  return cudaGetLastError ();
}

template cudaError_t hetrd_update (const eig_args<float> &, int, int);
template cudaError_t hetrd_update (const eig_args<double> &, int, int);
template cudaError_t hetrd_update (const eig_args<cx<float>> &, int, int);
template cudaError_t hetrd_update (const eig_args<cx<double>> &, int, int);
