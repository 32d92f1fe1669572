// stedc_far.cu: one level of divide and conquer where nodes have more rows than shared memory holds
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The merge of stedc_merge.cu, step by step: each step is a kernel in which many blocks share a
// node, and the arrays of the node are in global memory.

#include "stedc_node.cuh"

namespace
{

enum { THREADS = 128, SCAN_THREADS = 1024, CHUNK = 256 };

size_t node_bytes (const stedc_tree &tree, int level, size_t real, bool vectors)
{
  int m = tree.rows_at (level);
  size_t bytes = real == 8 ? stedc_workspace_bytes<double> (m, vectors)
                           : stedc_workspace_bytes<float> (m, vectors);
  return (bytes + 15) / 16 * 16;
}

template <class R> struct far_args {
  stedc_level<R> s;
  size_t stride; // bytes of a node in s.far
};

// A node in the view of a block: `blocks` of them share it.
template <class R> struct far_node {
  stedc_node node;
  int64_t page;
  int q, m, m1, first, step; // this thread takes entries first, first+step, ...
  stedc_workspace<R> w;
  GLA_DEVICE far_node (const far_args<R> &a, int blocks)
      : node (), page (blockIdx.x / blocks / nodes_of (a)), q (blockIdx.x / blocks % nodes_of (a)),
        first ((int)(blockIdx.x % blocks * blockDim.x + threadIdx.x)),
        step ((int)(blocks * blockDim.x)),
        w (a.s.far + (page * nodes_of (a) + q) * a.stride, rows_of (a, q), a.s.vectors != 0)
  {
    node = node_at (a.s.tree, a.s.level, q);
    m = node.end - node.first;
    m1 = node.middle - node.first;
  }
  GLA_DEVICE static int nodes_of (const far_args<R> &a) { return a.s.tree.leaves >> a.s.level; }
  GLA_DEVICE static int rows_of (const far_args<R> &a, int q)
  {
    stedc_node node = node_at (a.s.tree, a.s.level, q);
    return node.end - node.first;
  }
  GLA_DEVICE R tear (const far_args<R> &a) const
  {
    return a.s.e[page * a.s.tree.n + node.middle - 1];
  }
  GLA_DEVICE int64_t at (const far_args<R> &a) const { return page * a.s.tree.n + node.first; }
  GLA_DEVICE const stedc_counts &counts (const far_args<R> &a) const
  {
    return a.s.counts[page * a.s.tree.leaves + q];
  }
};

// Gathers z = [last row of the upper Z, first row of the lower one] / sqrt 2 and d, and, without
// vectors, both edge rows. A thread has an entry; several blocks share a node.
template <class R> __global__ void gather_kernel (far_args<R> a, int blocks)
{
  far_node<R> f (a, blocks);
  const stedc_level<R> &s = a.s;
  int n = s.tree.n;
  const R *Z = s.Z + f.page * s.page_z, *edge = s.edge + f.page * 2 * n;
  R sign = f.tear (a) < 0 ? R (-1) : R (1);
  for (int i = f.first; i < f.m; i += f.step) {
    int column = f.node.first + i;
    bool upper = i < f.m1;
    R entry;
    if (s.vectors) {
      entry = Z[column * s.ldz + (upper ? f.node.middle - 1 : f.node.middle)];
    } else {
      R top = edge[column], bottom = edge[n + column];
      entry = upper ? bottom : top;
      f.w.top[i] = upper ? top : R (0);
      f.w.bottom[i] = upper ? R (0) : bottom;
    }
    f.w.pole[i] = s.d[f.page * n + column];
    f.w.pole_z[i] = R (0.70710678118654752440) * (upper ? entry : sign * entry);
  }
}

// Sorts (pole, pole_z) in ascending order into (d, z). A thread finds the place of one entry and
// reads the others through shared memory.
template <class R>
__global__ void __launch_bounds__ (THREADS) place_kernel (far_args<R> a, int blocks)
{
  __shared__ R others[CHUNK];
  far_node<R> f (a, blocks);
  int i = f.first, rank = 0;
  R mine = i < f.m ? f.w.pole[i] : R (0);
  for (int first = 0; first < f.m; first += CHUNK) {
    int count = f.m - first < CHUNK ? f.m - first : CHUNK;
    __syncthreads ();
    for (int j = threadIdx.x; j < count; j += THREADS)
      others[j] = f.w.pole[first + j];
    __syncthreads ();
    for (int j = 0; j < count; j++)
      rank += others[j] < mine || (others[j] == mine && first + j < i);
  }
  if (i >= f.m)
    return;
  f.w.d[rank] = mine;
  f.w.z[rank] = f.w.pole_z[i];
  f.w.column[rank] = i;
  f.w.halves[rank] = i < f.m1 ? STEDC_UPPER : STEDC_LOWER;
}

// One block has a node: all threads find the largest entry, then one thread scans for deflation.
template <class R> __global__ void __launch_bounds__ (SCAN_THREADS) scan_kernel (far_args<R> a)
{
  __shared__ R shared[32];
  far_node<R> f (a, 1);
  R largest = 0;
  for (int i = f.first; i < f.m; i += f.step) {
    R d = absmax (f.w.d[i]), z = absmax (f.w.z[i]), both = d > z ? d : z;
    largest = largest > both ? largest : both;
  }
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    R other = shuffle_xor (largest, mask);
    largest = largest > other ? largest : other;
  }
  if (threadIdx.x % 32 == 0)
    shared[threadIdx.x / 32] = largest;
  __syncthreads ();
  if (threadIdx.x != 0)
    return;
  for (int k = 1; k < SCAN_THREADS / 32; k++)
    largest = largest > shared[k] ? largest : shared[k];
  stedc_scan found = deflate (f.w, f.m, 2 * absmax (f.tear (a)), 4 * a.s.tol * largest);
  a.s.counts[f.page * a.s.tree.leaves + f.q] = {found.roots, found.upper, found.lower,
                                                found.rotations};
}

// Applies the rotations of the scan: a thread has a row of Z or, without vectors, an edge row.
template <class R> __global__ void turn_kernel (far_args<R> a, int blocks)
{
  far_node<R> f (a, blocks);
  const stedc_level<R> &s = a.s;
  int rotations = f.counts (a).rotations;
  if (!s.vectors) {
    if (f.first < 2)
      rotate_row (f.w, rotations, f.first == 0 ? f.w.top : f.w.bottom, 1,
                  STEDC_UPPER | STEDC_LOWER);
    return;
  }
  R *Z = s.Z + f.page * s.page_z + f.node.first * s.ldz + f.node.first;
  if (f.first < f.m && rotations > 0)
    rotate_row (f.w, rotations, Z + f.first, s.ldz, f.first < f.m1 ? STEDC_UPPER : STEDC_LOWER);
}

// Stores d and z of the poles that stay, in the order of the roots; d of the deflated ones goes to
// the result. Records which columns of Z they are and in which half these have entries. A thread
// has a pole.
template <class R> __global__ void roots_order_kernel (far_args<R> a, int blocks)
{
  far_node<R> f (a, blocks);
  const stedc_level<R> &s = a.s;
  const stedc_counts &counts = f.counts (a);
  int k = counts.roots;
  int64_t at = f.at (a);
  for (int j = f.first; j < f.m; j += f.step) {
    int place = f.w.order[j < k ? j : f.m - 1 - (j - k)];
    if (j < k) {
      f.w.pole[j] = f.w.d[place];
      f.w.pole_z[j] = f.w.z[place];
    } else {
      s.d[at + j] = f.w.d[place];
    }
    s.column[at + j] = f.w.column[place] | f.w.halves[place] << 28;
    if (j < counts.upper)
      s.upper[at + j] = f.w.upper[j];
    if (j < counts.lower)
      s.lower[at + j] = f.w.lower[j];
  }
}

// A thread finds a root. Every block adds up |z|^2 for itself, in the same order.
template <class R>
__global__ void __launch_bounds__ (THREADS) roots_kernel (far_args<R> a, int blocks)
{
  __shared__ R shared[THREADS];
  far_node<R> f (a, blocks);
  int k = f.counts (a).roots;
  R square = 0;
  for (int i = threadIdx.x; i < k; i += THREADS)
    square = madd (f.w.pole_z[i], f.w.pole_z[i], square);
  shared[threadIdx.x] = square;
  __syncthreads ();
  square = 0;
  for (int i = 0; i < THREADS; i++)
    square += shared[i];
  R rho = 2 * absmax (f.tear (a));
  secular_far<R> function = {k, f.w.pole, f.w.pole_z, 1 / rho, rho * square};
  for (int j = f.first; j < k; j += f.step) {
    secular_result<R> root = secular_root (function, j);
    // A page with a negative info was skipped by the kernels before, and keeps it.
    if (!root.settled && a.s.info[f.page] >= 0)
      atomicMax (a.s.info + f.page, f.node.first + j + 1);
    f.w.origin[j] = root.origin;
    f.w.tau[j] = root.tau;
    a.s.d[f.at (a) + j] = root.origin + root.tau;
  }
}

// A thread computes an entry of the z that makes the roots exact.
template <class R> __global__ void exact_kernel (far_args<R> a, int blocks)
{
  far_node<R> f (a, blocks);
  int k = f.counts (a).roots;
  for (int i = f.first; i < k; i += f.step)
    f.w.z[i] = loewner (f.w, k, i);
}

// Columns of U, one to a thread; several blocks share a node.
template <class R, bool VECTORS> __global__ void columns_kernel (far_args<R> a, int blocks)
{
  far_node<R> f (a, blocks);
  int k = f.counts (a).roots;
  R *edge = a.s.edge + f.page * 2 * a.s.tree.n + f.node.first;
  for (int j = f.first; j < f.m; j += f.step)
    store_column<VECTORS> (a.s, f.w, k, f.m, j, f.at (a), edge);
}

} // namespace

template <class R> size_t stedc_far_bytes (const stedc_tree &tree)
{
  size_t most = 0;
  for (int level = 1; 1 << level <= tree.leaves; level++) {
    size_t bytes = (tree.leaves >> level) * node_bytes (tree, level, sizeof (R), false);
    if (stedc_far (tree, level))
      most = most > bytes ? most : bytes;
  }
  return most;
}

template <class R> cudaError_t stedc_merge_far (const stedc_level<R> &s, cudaStream_t stream)
{
  far_args<R> a = {s, node_bytes (s.tree, s.level, sizeof (R), s.vectors != 0)};
  int blocks = (s.tree.rows_at (s.level) + THREADS - 1) / THREADS;
  int64_t nodes = s.pages * (s.tree.leaves >> s.level);
  unsigned all = (unsigned)(nodes * blocks);
  gather_kernel<R><<<all, THREADS, 0, stream>>> (a, blocks);
  place_kernel<R><<<all, THREADS, 0, stream>>> (a, blocks);
  scan_kernel<R><<<(unsigned)nodes, SCAN_THREADS, 0, stream>>> (a);
  turn_kernel<R><<<all, THREADS, 0, stream>>> (a, blocks);
  roots_order_kernel<R><<<all, THREADS, 0, stream>>> (a, blocks);
  roots_kernel<R><<<all, THREADS, 0, stream>>> (a, blocks);
  exact_kernel<R><<<all, THREADS, 0, stream>>> (a, blocks);
  auto last = s.vectors ? columns_kernel<R, true> : columns_kernel<R, false>;
  last<<<all, THREADS, 0, stream>>> (a, blocks);
  return cudaGetLastError ();
}

template size_t stedc_far_bytes<float> (const stedc_tree &);
template size_t stedc_far_bytes<double> (const stedc_tree &);
template cudaError_t stedc_merge_far (const stedc_level<float> &, cudaStream_t);
template cudaError_t stedc_merge_far (const stedc_level<double> &, cudaStream_t);
