// pencil_phase.cu: gives eigenvectors of pairs the phase of common/phase.h
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/phase.cuh"
#include "pencil.cuh"

namespace
{

enum { WARPS = 4 };

template <class R> GLA_DEVICE R largest_part (R x)
{
  return x < 0 ? -x : x;
}
template <class R> GLA_DEVICE R largest_part (cx<R> x)
{
  const R re = largest_part (x.x), im = largest_part (x.y);
  return re > im ? re : im;
}

// The exponent of a column's largest component where its square is out of range, else 0. A column
// of a pair may have any length.
template <class T> GLA_DEVICE int far_exponent (const T *column, int n)
{
  typedef real_t<T> R;
  const int far = sizeof (R) == 8 ? 400 : 40;
  R most = 0;
  for (int i = threadIdx.x % 32; i < n; i += 32) {
    const R size = largest_part (column[i]);
    most = size > most ? size : most;
  }
#pragma unroll
  for (int mask = 1; mask < 32; mask *= 2) {
    const R other = shuffle_xor (most, mask);
    most = other > most ? other : most;
  }
  const int exponent = most > 0 && !isinf (most) ? ilogb (most) : 0;
  return exponent > far || exponent < -far ? exponent : 0;
}

// The column times 2^exponent, in halves, which are numbers of the type.
template <class T> GLA_DEVICE void scale_column (T *column, int n, int exponent)
{
  typedef real_t<T> R;
  const R half = (R)ldexp (1.0, exponent / 2), rest = (R)ldexp (1.0, exponent - exponent / 2);
  for (int i = threadIdx.x % 32; i < n; i += 32)
    column[i] = scale (rest, scale (half, column[i]));
  __syncwarp ();
}

// A warp has one column of one page.
template <class T>
__global__ void __launch_bounds__ (32 * WARPS) phase_kernel (page_matrix<T> V, int n, int64_t pages)
{
  const int64_t item = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32, page = item / n;
  if (page >= pages)
    return;
  T *column = V.data + page * V.page + item % n * V.ld;
  const int exponent = is_complex_v<T> ? far_exponent (column, n) : 0;
  if (exponent != 0)
    scale_column (column, n, -exponent);
  warp_phase (column, column, n);
  __syncwarp ();
  if (exponent != 0)
    scale_column (column, n, exponent);
}

} // namespace

template <class T> cudaError_t pencil_phase (const pencil_args<T> &a, const page_matrix<T> &V)
{
  const int64_t blocks = (a.pages * a.n + WARPS - 1) / WARPS;
  phase_kernel<T><<<(unsigned)blocks, 32 * WARPS, 0, a.stream>>> (V, a.n, a.pages);
  return cudaGetLastError ();
}

template cudaError_t pencil_phase (const pencil_args<float> &, const page_matrix<float> &);
template cudaError_t pencil_phase (const pencil_args<double> &, const page_matrix<double> &);
template cudaError_t pencil_phase (const pencil_args<cx<float>> &, const page_matrix<cx<float>> &);
template cudaError_t pencil_phase (const pencil_args<cx<double>> &,
                                   const page_matrix<cx<double>> &);
