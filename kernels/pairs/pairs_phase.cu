// pairs_phase.cu: gives eigenvectors of pairs the phase of common/phase.h
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LANES lanes of a warp have one column of one page: 4 up to n = 8, 16 up to 32, else all.

#include "common/phase.cuh"
#include "pairs.cuh"

namespace
{

enum { THREADS = 128 };

GLA_DEVICE float largest_part (float x)
{
  return fabsf (x);
}
GLA_DEVICE double largest_part (double x)
{
  return fabs (x);
}
template <class R> GLA_DEVICE R largest_part (cx<R> x)
{
  const R re = fabs (x.x), im = fabs (x.y);
  return re > im ? re : im;
}

template <int LANES, class N> GLA_DEVICE N largest_of (N x)
{
#pragma unroll
  for (int mask = 1; mask < LANES; mask *= 2) {
    const N other = shuffle_xor (x, mask);
    x = other > x ? other : x;
  }
  return x;
}

// A column of a pair may have any length, so its components are compared by their squares after a
// division by a power of two. All lanes of the warp call this; those that are not `inside` write
// nothing.
template <int LANES, class T> GLA_DEVICE void group_phase (T *column, int n, bool inside)
{
  typedef real_t<T> R;
  const int lane = threadIdx.x % LANES;
  R part = 0, most = 0;
  for (int i = lane; inside && i < n; i += LANES) {
    const R size = largest_part (column[i]);
    part = size > part ? size : part;
  }
  part = largest_of<LANES> (part);
  const int exponent = part > 0 && part <= limits<R>::big ? ilogb (part) : 0;
  const R half = times_power (R (1), -exponent / 2),
          rest = times_power (R (1), -exponent - -exponent / 2);
  for (int i = lane; inside && i < n; i += LANES) {
    const R size = phase_size (scale (rest, scale (half, column[i])));
    most = size > most ? size : most;
  }
  const R least = (R)phase_near<T> * largest_of<LANES> (most);
  int first = n - 1;
  for (int i = lane; inside && i < n; i += LANES)
    if (phase_size (scale (rest, scale (half, column[i]))) >= least)
      first = min (first, i);
#pragma unroll
  for (int mask = 1; mask < LANES; mask *= 2)
    first = min (first, shuffle_xor (first, mask));
  const T factor =
      inside ? phase_factor (scale (rest, scale (half, column[first]))) : from_real<T> (1);
  __syncwarp ();
  for (int i = lane; inside && i < n; i += LANES)
    column[i] = phase_turned (factor, column[i], i == first);
}

// LANES lanes of a warp have a column of a page; their number is counted along the columns of a
// page first.
template <int LANES, class T>
__global__ void __launch_bounds__ (THREADS)
    phase_kernel (page_matrix<T> V, int n, int columns, int64_t pages, const eig_span *spans)
{
  const int64_t item = (int64_t)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
  const int64_t page = item / columns;
  bool inside = page < pages;
  if (spans != nullptr && inside) {
    const int behind = (int)(item % columns) - spans[page].first;
    inside = behind >= 0 && behind < spans[page].stored;
  }
  T *column = V.data + (inside ? page * V.page + item % columns * V.ld : 0);
  group_phase<LANES> (column, n, inside);
}

template <int LANES, class T>
cudaError_t launch (const pencil_args<T> &a, page_matrix<T> V, const pencil_columns &columns,
                    const eig_span *spans)
{
  const int groups = THREADS / LANES;
  const int64_t blocks = (a.pages * columns.count + groups - 1) / groups;
  V.data += columns.first * V.ld;
  phase_kernel<LANES, T>
      <<<(unsigned)blocks, THREADS, 0, a.stream>>> (V, a.n, columns.count, a.pages, spans);
  return cudaGetLastError ();
}

} // namespace

// Columns of spans are counted from the first column of V.
template <class T>
cudaError_t pencil_phase (const pencil_args<T> &a, const page_matrix<T> &V,
                          const pencil_columns &columns, const eig_span *spans)
{
  return a.n <= 8    ? launch<4> (a, V, columns, spans)
         : a.n <= 32 ? launch<16> (a, V, columns, spans)
                     : launch<32> (a, V, columns, spans);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t pencil_phase (const pencil_args<T> &, const page_matrix<T> &,               \
                                     const pencil_columns &, const eig_span *);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
