// few_spans.cu: which eigenvalues of small tridiagonal matrices are in an interval, by bisection
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counts the eigenvalues that few_value finds, from its own counts, so that each eigenvalue is in
// exactly one of adjacent intervals, whatever finds the vectors. Called by few.cu.

#include "few.cuh"

namespace
{

// Pages of a warp, two lanes each.
enum { PAGES = 16 };

// The number of eigenvalues found by few_value that are at most x, scaled by 2^exponent. Bisection
// starts with all of them; each step separates those on one side of a point from x.
template <class R>
GLA_DEVICE int values_at_most (const few_matrix<R> &t, double x, R bound, int exponent)
{
  R low = -bound, high = bound, least = limits<R>::eps * limits<R>::eps * bound;
  int from = 0, to = t.n; // eigenvalues that are not yet separated from x
  for (int step = 0; step < few_steps<R> && __any_sync (0xffffffffu, from < to); step++) {
    R middle = R (0.5) * (low + high);
    int below = few_below (t, middle, least);
    below = below < from ? from : below > to ? to : below;
    bool left = (double)times_power (middle, exponent) <= x;
    from = left ? below : from;
    to = left ? to : below;
    low = left ? middle : low;
    high = left ? high : middle;
  }
  return (double)times_power (high, exponent) <= x ? to : from;
}

// Puts a page into the list of those of which a warp takes `together`; every lane of the warp comes
// here, with 0 if it has none. A list is in no order: a page's bits do not depend on its place.
GLA_DEVICE void put_in_list (int *lists, int64_t pages, int most, int together, int64_t page)
{
  const int lane = threadIdx.x;
  for (int c = 1; c <= most; c++) {
    const unsigned those = __ballot_sync (0xffffffffu, together == c);
    if (those == 0)
      continue;
    const int leader = __ffs (those) - 1;
    int at = lane == leader ? atomicAdd (&lists[c - 1], __popc (those)) : 0;
    at = __shfl_sync (0xffffffffu, at, leader) + __popc (those & ((1u << lane) - 1));
    if (together == c)
      few_list (lists, pages, c)[at] = (int)page;
  }
}

// Puts the columns of the lane's page, perhaps none, in sequence into the list.
GLA_DEVICE void put_columns (int *lists, int64_t pages, int columns, int64_t page)
{
  const int lane = threadIdx.x;
  int behind = columns; // those of the lanes up to this one
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync (0xffffffffu, behind, step);
    behind += lane >= step ? before : 0;
  }
  int at = lane == 31 ? atomicAdd (&lists[FEW_COUNTS - 1], behind) : 0;
  at = __shfl_sync (0xffffffffu, at, 31) + behind - columns;
  for (int j = 0; j < columns; j++)
    few_columns (lists, pages)[at + j] = {(int)page, j};
}

// A block is a warp and has PAGES pages. Two lanes of a page each count the eigenvalues up to one
// end of the interval. The first of them then knows the page's part, and how many such pages a warp
// takes. A page without any is marked as found.
template <class T>
__global__ void __launch_bounds__ (32) spans_kernel (eig_args<T> a, eig_interval interval)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  const few_layout s (a.n, 2, PAGES);
  R *d = reinterpret_cast<R *> (memory), *e = d + s.matrix ();
  const few_task task = {PAGES, 2, nullptr, (int64_t)blockIdx.x * PAGES, a.pages};
  few_load (a, s, task, d, e);
  const int g = threadIdx.x / 2, end = threadIdx.x % 2;
  const int64_t page = task.page (g);
  const few_matrix<R> t = {d + g, e + g, s.n, s.apart};
  const R bound = few_bound (t);
  __syncwarp ();
  if (end == 0)
    few_square (s, d + g, e + g, bound);
  __syncwarp ();
  const bool solved = a.info[page] == 0;
  const int exponent = solved ? a.exponent[page] : 0;
  const int below = values_at_most (t, end == 0 ? interval.vl : interval.vu, bound, exponent);
  const int count = __shfl_xor_sync (0xffffffffu, below, 1) - below;
  const bool mine = end == 0 && task.first + g < a.pages;
  int together = 0;
  if (mine) {
    const eig_span span = {below, count < a.wanted ? count : a.wanted, count};
    a.spans[page] = solved ? span : eig_span{};
    if (solved && span.stored == 0)
      a.info[page] = EIG_FOUND;
    else if (solved && span.stored <= a.n / EIG_FEW_SHARE)
      together = 32 / span.stored < few_most (a.n) ? 32 / span.stored : few_most (a.n);
  }
  put_in_list (a.lists, a.pages, few_most (a.n), together, page);
  put_columns (a.lists, a.pages, together > 0 ? a.spans[page].stored : 0, page);
}

} // namespace

int64_t eig_few_list_numbers (int n, int64_t pages)
{
  return FEW_COUNTS + pages * (FEW_TOGETHER + 2 * (n / EIG_FEW_SHARE));
}

template <class T> cudaError_t few_spans (const eig_args<T> &a, const eig_interval &interval)
{
  const size_t bytes = 2 * few_layout (a.n, 2, PAGES).matrix () * sizeof (real_t<T>);
  cudaError_t status = allow_shared (spans_kernel<T>, bytes);
  if (status == cudaSuccess)
    status = cudaMemsetAsync (a.lists, 0, FEW_COUNTS * sizeof (int), a.stream);
  if (status != cudaSuccess)
    return status;
  spans_kernel<T><<<(unsigned)((a.pages + PAGES - 1) / PAGES), 32, bytes, a.stream>>> (a, interval);
  return cudaGetLastError ();
}

template cudaError_t few_spans (const eig_args<float> &, const eig_interval &);
template cudaError_t few_spans (const eig_args<double> &, const eig_interval &);
template cudaError_t few_spans (const eig_args<cx<float>> &, const eig_interval &);
template cudaError_t few_spans (const eig_args<cx<double>> &, const eig_interval &);
