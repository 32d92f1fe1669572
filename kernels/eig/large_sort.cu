// large_sort.cu: the eigenvalues of a large page in ascending order, and the phase of its vectors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "large.cuh"
#include "common/phase.cuh"

namespace
{

enum { THREADS = 256, WARPS = THREADS / 32 };

// A thread takes an eigenvalue: its rank is the number of those before it in ascending order (equal
// ones in their order). The others are read together, THREADS at a time.
template <class T> __global__ void __launch_bounds__ (THREADS) large_sort_kernel (eig_args<T> a)
{
  typedef real_t<T> R;
  __shared__ R others[THREADS];
  int i = blockIdx.x * THREADS + threadIdx.x, rank = 0, n = a.n;
  bool failed = *a.info != 0;
  R mine = i < n ? a.d[i] : R (0);
  for (int first = 0; first < n; first += THREADS) {
    int count = n - first < THREADS ? n - first : THREADS;
    __syncthreads ();
    if ((int)threadIdx.x < count)
      others[threadIdx.x] = a.d[first + threadIdx.x];
    __syncthreads ();
    for (int j = 0; j < count; j++)
      rank += others[j] < mine || (others[j] == mine && first + j < i);
  }
  if (i >= n)
    return;
  rank = failed ? i : rank;
  a.lambda[rank * a.inc_lambda] = failed ? R (nan ("")) : times_power (mine, *a.exponent);
  int place = rank - a.first; // where an interval begins is not known yet: all have one
  if (!eig_in_part (a))
    a.rank[i] = rank;
  else if (place >= 0 && (place < a.wanted || a.spans != nullptr))
    a.rank[place] = i;
}

// The part of a page whose eigenvalues are in an interval, which are in order: one block counts
// them, a thread to every THREADS-th one. The host gets both numbers in one.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    large_span_kernel (eig_args<T> a, eig_interval interval, int *packed)
{
  int below = 0, inside = 0;
  for (int first = 0; first < a.n; first += THREADS) {
    int i = first + threadIdx.x;
    double value = i < a.n ? (double)a.lambda[i * a.inc_lambda] : nan ("");
    below += __syncthreads_count (value <= interval.vl);
    inside += __syncthreads_count (value > interval.vl && value <= interval.vu);
  }
  if (threadIdx.x > 0)
    return;
  a.spans[0] = {below, inside < a.wanted ? inside : a.wanted, inside};
  *packed = below * (a.n + 1) + a.spans[0].stored;
}

// A warp takes a column of V; NaN where the page has failed.
template <class T> __global__ void __launch_bounds__ (THREADS) large_phase_kernel (eig_args<T> a)
{
  int j = blockIdx.x * WARPS + threadIdx.x / 32;
  if (j >= a.wanted)
    return;
  T *column = a.V + (a.first + j) * a.ldv;
  if (*a.info != 0)
    for (int i = threadIdx.x % 32; i < a.n; i += 32)
      column[i] = from_real<T> (real_t<T> (nan ("")));
  else if (a.phase)
    warp_phase (column, column, a.n);
}

} // namespace

template <class T> cudaError_t large_sort (const large_page<T> &a)
{
  large_sort_kernel<T><<<(unsigned)((a.n + THREADS - 1) / THREADS), THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T>
cudaError_t large_span (const large_page<T> &a, const eig_interval &interval, int *packed)
{
  large_span_kernel<T><<<1, THREADS, 0, a.stream>>> (a, interval, packed);
  return cudaGetLastError ();
}

template <class T> cudaError_t large_phase (const large_page<T> &a)
{
  large_phase_kernel<T><<<(unsigned)((a.wanted + WARPS - 1) / WARPS), THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t large_sort (const large_page<T> &);                                         \
  template cudaError_t large_span (const large_page<T> &, const eig_interval &, int *);            \
  template cudaError_t large_phase (const large_page<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
