// chased.cu: eigenvectors of the band matrix: the reflectors of the second stage applied to Z
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V = Q2 Z, sweep by sweep from the last one. The reflectors of a sweep have rows that follow each
// other, and from one sweep to the one before all of these move up by one row. So every thread has
// the rows of one reflector of each sweep in registers, applies it without any exchange, and then
// gives its last row to the next thread.

#include "eig_kernels.cuh"

namespace
{

enum { B = EIG_BANDWIDTH, THREADS = 256 };

// Columns that a thread has rows of: 64 registers of them.
template <class T> constexpr int COLUMNS = 32 / (int)sizeof (T);

// The reflector of a sweep: tau at the place of the one, then the other entries.
template <class T> struct alignas (16) chased_reflector {
  T v[B];
};

// A thread's part of the work: columns of a page, a reflector of each sweep.
template <class T> struct chased_part {
  int n, t, lane, columns;               // columns that are there
  const chased_reflector<T> *reflectors; // of reflector t of sweep 0
  int step;                              // from a sweep to the next
  const real_t<T> *z[COLUMNS<T>];
  GLA_DEVICE bool there (int s) const { return s >= 0 && s + 1 + B * t < n; }
  GLA_DEVICE chased_reflector<T> reflector (int s) const
  {
    chased_reflector<T> none = {};
    return there (s) ? reflectors[(int64_t)s * step] : none;
  }
  // Row s of column c, for the first thread of a column.
  GLA_DEVICE T entry (int c, int s) const
  {
    return from_real<T> (t == 0 && s >= 0 && s < n && c < columns ? z[c][s] : real_t<T> (0));
  }
};

// Replaces x of a column by H x; row i of it is at x[(i + TURN) % B].
template <int TURN, class T> GLA_DEVICE void apply (const chased_reflector<T> &h, T (&x)[B])
{
  T dot[2] = {x[TURN % B], from_real<T> (0)};
#pragma unroll
  for (int i = 1; i < B; i++)
    dot[i % 2] = cmadd (h.v[i], x[(i + TURN) % B], dot[i % 2]);
  T factor = -(h.v[0] * (dot[0] + dot[1]));
  x[TURN % B] = x[TURN % B] + factor;
#pragma unroll
  for (int i = 1; i < B; i++)
    x[(i + TURN) % B] = madd (factor, h.v[i], x[(i + TURN) % B]);
}

// The last rows of all but the last warp of each column, in two buffers.
template <class T> struct chased_exchange {
  T last[2][THREADS / 32][COLUMNS<T>];
};

// Applies sweep s; then the last row is replaced by the row above the first one, which the previous
// thread has. SHARED: a column has more than one warp.
template <int TURN, bool SHARED, class T>
GLA_DEVICE void sweep (const chased_part<T> &p, int s, chased_reflector<T> &next,
                       T (&above)[COLUMNS<T>], T (&x)[COLUMNS<T>][B], chased_exchange<T> &exchange)
{
  constexpr int LAST = (B - 1 + TURN) % B;
  chased_reflector<T> h = next;
  T first[COLUMNS<T>];
  next = p.reflector (s - 1);
#pragma unroll
  for (int c = 0; c < COLUMNS<T>; c++) {
    first[c] = above[c];
    above[c] = p.entry (c, s - 1);
  }
  int warp = threadIdx.x / 32;
#pragma unroll
  for (int c = 0; c < COLUMNS<T>; c++) {
    apply<TURN> (h, x[c]);
    if (SHARED && p.lane == 31)
      exchange.last[s % 2][warp][c] = x[c][LAST];
  }
  if (SHARED)
    __syncthreads ();
#pragma unroll
  for (int c = 0; c < COLUMNS<T>; c++) {
    T before = from_lane (x[c][LAST], p.lane > 0 ? p.lane - 1 : 0);
    if (SHARED && p.lane == 0 && p.t > 0)
      before = exchange.last[s % 2][warp - 1][c];
    x[c][LAST] = p.t == 0 ? first[c] : before;
  }
}

// Applies eight sweeps, from s down to s-7: after them the rows are in the same registers as
// before.
template <bool SHARED, class T>
GLA_DEVICE void sweeps (const chased_part<T> &p, int s, chased_reflector<T> &next,
                        T (&above)[COLUMNS<T>], T (&x)[COLUMNS<T>][B], chased_exchange<T> &exchange)
{
  sweep<0, SHARED> (p, s, next, above, x, exchange);
  sweep<7, SHARED> (p, s - 1, next, above, x, exchange);
  sweep<6, SHARED> (p, s - 2, next, above, x, exchange);
  sweep<5, SHARED> (p, s - 3, next, above, x, exchange);
  sweep<4, SHARED> (p, s - 4, next, above, x, exchange);
  sweep<3, SHARED> (p, s - 5, next, above, x, exchange);
  sweep<2, SHARED> (p, s - 6, next, above, x, exchange);
  sweep<1, SHARED> (p, s - 7, next, above, x, exchange);
}

// `warps` warps have COLUMNS columns of a page, eight rows to a thread. A block has as many such
// groups as fit into THREADS threads, because they read the same reflectors. The results go to
// their places in V.
template <class T, bool SHARED>
__global__ void __launch_bounds__ (THREADS) chased_kernel (eig_args<T> a, int warps, int blocks)
{
  __shared__ chased_exchange<T> exchange;
  int n = a.n, tasks = eig_chased_tasks (n), size = 32 * warps;
  int64_t page = blockIdx.x / blocks;
  int group = (int)(blockIdx.x % blocks) * (int)(blockDim.x / size) + threadIdx.x / size;
  int first = group * COLUMNS<T>;
  const int wanted = eig_columns_of (a, page), before = first - threadIdx.x / size * COLUMNS<T>;
  if (a.info[page] != 0 || (SHARED ? before : first) >= wanted)
    return;
  chased_part<T> p;
  p.n = n;
  p.t = threadIdx.x % size;
  p.lane = threadIdx.x % 32;
  p.columns = first >= wanted ? 0 : wanted - first < COLUMNS<T> ? wanted - first : COLUMNS<T>;
  p.reflectors = reinterpret_cast<const chased_reflector<T> *> (a.chased) + page * n * tasks + p.t;
  p.step = tasks;
#pragma unroll
  for (int c = 0; c < COLUMNS<T>; c++) {
    int64_t column = c < p.columns ? eig_source_of (a, page, first + c) : 0;
    p.z[c] = static_cast<const real_t<T> *> (a.Z) + (page * n + column) * n;
  }
  T x[COLUMNS<T>][B] = {}, above[COLUMNS<T>]; // rows s+1+8t and on, of which none is there yet
  int s = (n + B - 1) / B * B - 1;
  chased_reflector<T> next = p.reflector (s);
#pragma unroll
  for (int c = 0; c < COLUMNS<T>; c++)
    above[c] = p.entry (c, s);
  for (; s >= 0; s -= B)
    sweeps<SHARED> (p, s, next, above, x, exchange);
#pragma unroll
  for (int c = 0; c < COLUMNS<T>; c++) {
    int64_t place = c < p.columns ? eig_place_of (a, page, first + c) : 0;
    T *V = a.V + page * a.page_v + place * a.ldv + B * p.t;
#pragma unroll
    for (int i = 0; i < B; i++)
      if (c < p.columns && B * p.t + i < n)
        V[i] = x[c][i];
  }
}

} // namespace

template <class T> cudaError_t eig_chased (const eig_args<T> &a)
{
  const bool many = a.wanted > a.n / EIG_MANY_SHARE && chased_wide_fits<T> (a.n, a.smem_limit);
  if (many) {
    const cudaError_t status = chased_wide (a);
    if (status != cudaSuccess || a.spans == nullptr)
      return status;
  }
  if (a.wanted > EIG_ALONE_COLUMNS && eig_chased_strip_fits<T> (a.n, a.smem_limit))
    return eig_chased_strip (a);
  int threads = (a.n + B - 1) / B; // of a column: in the end they have all of its rows
  int warps = (threads + 31) / 32, groups = THREADS / 32 / warps;
  int needed = (a.wanted + COLUMNS<T> - 1) / COLUMNS<T>;
  groups = groups < needed ? groups : needed;
  int blocks = (needed + groups - 1) / groups;
  auto kernel = warps > 1 ? chased_kernel<T, true> : chased_kernel<T, false>;
  kernel<<<(unsigned)(a.pages * blocks), groups * warps * 32, 0, a.stream>>> (a, warps, blocks);
  return cudaGetLastError ();
}

template cudaError_t eig_chased (const eig_args<float> &);
template cudaError_t eig_chased (const eig_args<double> &);
template cudaError_t eig_chased (const eig_args<cx<float>> &);
template cudaError_t eig_chased (const eig_args<cx<double>> &);
