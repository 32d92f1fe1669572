// stedc_merge.cu: one level of divide and conquer: deflation and secular equations of every node
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/cluster.cuh"
#include "stedc_node.cuh"

//------------------------------------------------------------------------------
// the product of a merge of two leaves, by the block that merges them
//------------------------------------------------------------------------------

// Rows of a leaf are processed so many at a time, so that rows beyond its end cost little.
enum { JOIN_ROWS = 8 };

// Between the columns of a half in shared memory; whole 16-byte words, in different banks where
// neighbouring lanes have neighbouring columns.
template <class R> constexpr int join_ld = STEDC_LEAF + 16 / sizeof (R);

template <class R> __host__ __device__ constexpr size_t join_bytes (int m)
{
  return (size_t)m * join_ld<R> * sizeof (R);
}

// One half of a node: its rows of Z and of the merged Z, in the columns of the node, and the poles
// with entries in it.
template <class R> struct join_half {
  const R *Z;
  R *merged;
  int64_t ldz, ld_merged;
  int rows, bit, count;
  const int *list;
};

// Column j of U times the columns of the half, which are in `columns`.
template <class R>
GLA_DEVICE void join_column (const stedc_workspace<R> &w, const join_half<R> &h, const R *columns,
                             int j, R norm, R (&sum)[STEDC_LEAF])
{
  R origin = w.origin[j], tau = w.tau[j];
  for (int p = 0; p < h.count; p++) {
    int pole = h.list[p];
    R u = w.z[pole] * quick_reciprocal ((w.pole[pole] - origin) - tau) * norm;
    const R *column = columns + p * join_ld<R>;
#pragma unroll
    for (int r0 = 0; r0 < STEDC_LEAF; r0 += JOIN_ROWS)
      if (r0 < h.rows)
#pragma unroll
        for (int r = r0; r < r0 + JOIN_ROWS; r++)
          sum[r] = madd (column[r], u, sum[r]);
  }
}

// Thread j finds column j of this half of the m columns, of which k did not deflate. The columns of
// Z that it takes are brought to shared memory, and the product goes back through it.
template <class R>
GLA_DEVICE void join_rows (const stedc_workspace<R> &w, const join_half<R> &h, R *columns, int k,
                           int m, R norm)
{
  int j = threadIdx.x, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  bool inside = lane < h.rows;
#pragma unroll 4
  for (int p = threadIdx.x / 32; p < h.count; p += warps) {
    int source = w.column[w.order[h.list[p]]];
    columns[p * join_ld<R> + lane] = inside ? h.Z[source * h.ldz + lane] : R (0);
  }
  __syncthreads ();
  R sum[STEDC_LEAF] = {};
  if (j < k)
    join_column (w, h, columns, j, norm, sum);
  __syncthreads ();
  if (j < k)
#pragma unroll
    for (int r0 = 0; r0 < STEDC_LEAF; r0 += JOIN_ROWS)
      if (r0 < h.rows)
#pragma unroll
        for (int r = r0; r < r0 + JOIN_ROWS; r++)
          columns[j * join_ld<R> + r] = sum[r];
  __syncthreads ();
#pragma unroll 4
  for (int c = threadIdx.x / 32; c < m; c += warps) {
    R value = columns[c * join_ld<R> + lane];
    if (c >= k) { // deflated
      int place = w.order[m - 1 - (c - k)];
      bool present = inside && w.halves[place] & h.bit;
      value = present ? h.Z[w.column[place] * h.ldz + lane] : R (0);
    }
    if (inside)
      h.merged[c * h.ld_merged + lane] = value;
  }
  __syncthreads ();
}

//------------------------------------------------------------------------------
// one level of divide and conquer: deflation and secular equations of every node
//------------------------------------------------------------------------------

namespace
{

// Roots of a block that shares a node with others.
enum { ROOTS_LEAST = 128 };

// Block-wide sum or maximum in a fixed order; every thread gets it.
template <class R, bool SUM> GLA_DEVICE R block_reduce (R x, R *shared)
{
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    R y = shuffle_xor (x, mask);
    x = SUM ? x + y : x > y ? x : y;
  }
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    shared[threadIdx.x / 32] = x;
  __syncthreads ();
  x = shared[0];
  for (unsigned k = 1; k < blockDim.x / 32; k++)
    x = SUM ? x + shared[k] : x > shared[k] ? x : shared[k];
  return x;
}

// z = [last row of the upper Z, first row of the lower one] / sqrt 2, d, and for the case without
// vectors both edge rows; all as they come.
template <class R>
GLA_DEVICE void gather (const stedc_level<R> &s, const stedc_node &node, int64_t page,
                        const stedc_workspace<R> &w, R sign)
{
  int n = s.tree.n, m = node.end - node.first, m1 = node.middle - node.first;
  const R *Z = s.Z + page * s.page_z, *edge = s.edge + page * 2 * n;
  for (int i = threadIdx.x; i < m; i += blockDim.x) {
    int column = node.first + i;
    R entry;
    if (s.vectors) {
      entry = Z[column * s.ldz + (i < m1 ? node.middle - 1 : node.middle)];
    } else {
      R first = edge[column], last = edge[n + column];
      entry = i < m1 ? last : first;
      w.top[i] = i < m1 ? first : R (0);
      w.bottom[i] = i < m1 ? R (0) : last;
    }
    w.pole[i] = s.d[page * n + column];
    w.pole_z[i] = R (0.70710678118654752440) * (i < m1 ? entry : sign * entry);
  }
}

// Puts (pole, pole_z) into ascending order in (d, z): every thread finds the places of its own.
template <class R> GLA_DEVICE void sort (const stedc_workspace<R> &w, int m, int m1)
{
  for (int i = threadIdx.x; i < m; i += blockDim.x) {
    R mine = w.pole[i];
    int rank = 0;
    for (int j = 0; j < m; j++)
      rank += w.pole[j] < mine || (w.pole[j] == mine && j < i);
    w.d[rank] = mine;
    w.z[rank] = w.pole_z[i];
    w.column[rank] = i;
    w.halves[rank] = i < m1 ? STEDC_UPPER : STEDC_LOWER;
  }
}

// Every block of the cluster gets entry i of an array of its workspace.
template <class R> GLA_DEVICE void broadcast (R *array, int i, R value, int blocks)
{
  for (int b = 0; b < blocks; b++)
    in_block (array, b, blocks)[i] = value;
}

// The largest of |d| and |z| of the node; every thread gets it.
template <class R> GLA_DEVICE R largest_of (const stedc_workspace<R> &w, int m, R *shared)
{
  R largest = 0;
  for (int i = threadIdx.x; i < m; i += blockDim.x) {
    R d = absmax (w.pole[i]), z = absmax (w.pole_z[i]);
    R both = d > z ? d : z;
    largest = largest > both ? largest : both;
  }
  return block_reduce<R, false> (largest, shared);
}

// d and z of those that stay, in the order of the roots, to the workspace, and d of the deflated to
// the result, which is final. With COLUMNS, what column of Z each is, too.
template <bool COLUMNS, class R>
GLA_DEVICE void order_roots (const stedc_level<R> &s, const stedc_workspace<R> &w, int k, int m,
                             int64_t at)
{
  for (int j = threadIdx.x; j < m; j += blockDim.x) {
    int place = w.order[j < k ? j : m - 1 - (j - k)];
    if (j < k) {
      w.pole[j] = w.d[place];
      w.pole_z[j] = w.z[place];
    } else {
      s.d[at + j] = w.d[place];
    }
    if (COLUMNS)
      s.column[at + j] = w.column[place] | w.halves[place] << 28;
  }
}

// Stores what the update needs besides the places of the columns.
template <class R>
GLA_DEVICE void tell_update (const stedc_level<R> &s, const stedc_workspace<R> &w,
                             const stedc_scan &found, int64_t at, int64_t node)
{
  for (int j = threadIdx.x; j < found.upper; j += blockDim.x)
    s.upper[at + j] = w.upper[j];
  for (int j = threadIdx.x; j < found.lower; j += blockDim.x)
    s.lower[at + j] = w.lower[j];
  if (threadIdx.x == 0)
    s.counts[node] = {found.roots, found.upper, found.lower, found.rotations};
}

// The merged Z of a node of two leaves; `memory` is for one half at a time.
template <class R>
GLA_DEVICE void join (const stedc_level<R> &s, const stedc_workspace<R> &w, const stedc_node &node,
                      int64_t page, const stedc_scan &found, R *memory)
{
  int m = node.end - node.first, j = threadIdx.x;
  R norm = 0, top, bottom;
  if (j < found.roots)
    columns<R, false> (w, found.roots, j, &norm, &top, &bottom);
  const R *Z = s.Z + page * s.page_z + node.first * s.ldz;
  R *merged = s.merged + page * s.page_merged + node.first * s.ld_merged;
  join_half<R> upper = {Z + node.first,           merged + node.first, s.ldz,       s.ld_merged,
                        node.middle - node.first, STEDC_UPPER,         found.upper, w.upper};
  join_half<R> lower = {Z + node.middle,        merged + node.middle, s.ldz,       s.ld_merged,
                        node.end - node.middle, STEDC_LOWER,          found.lower, w.lower};
  join_rows (w, upper, memory, found.roots, m, norm);
  join_rows (w, lower, memory, found.roots, m, norm);
}

// One block, or where the GPU would not be full a cluster of them, per node and page. The threads
// of a block sort together, and one of them scans for deflation; every block does so for itself,
// with the same bits. Then every thread of the cluster solves the secular equation of its roots,
// finds its entries of z and the norms of its columns, distributed 32 at a time. All loops run over
// arrays in shared memory that every thread reads in step. JOIN: the node is two leaves, and one
// block finds the product with their vectors, too, a column to a thread.
template <class R, bool VECTORS, bool JOIN>
__global__ void merge_kernel (stedc_level<R> s, int blocks)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ R partial[32];
  __shared__ stedc_scan found;
  __shared__ bool failed;
  int n = s.tree.n, nodes = s.tree.leaves >> s.level;
  int rank = blockIdx.x % blocks, q = blockIdx.x / blocks % nodes;
  int64_t page = blockIdx.x / blocks / nodes;
  int mine = (threadIdx.x / 32 * blocks + rank) * 32 + threadIdx.x % 32, step = blocks * blockDim.x;
  stedc_node node = node_at (s.tree, s.level, q);
  int m = node.end - node.first, m1 = node.middle - node.first;
  stedc_workspace<R> w (memory, m, VECTORS);
  R tear = s.e[page * n + node.middle - 1], rho = 2 * absmax (tear);
  gather (s, node, page, w, tear < 0 ? R (-1) : R (1));
  if (threadIdx.x == 0)
    failed = s.info[page] != 0;
  cluster_barrier (blocks);                   // before any rotation of the gathered rows
  bool none = *in_block (&failed, 0, blocks); // other nodes may fail meanwhile: one block decides
  if (none) {
    cluster_barrier (blocks);
    return;
  }
  sort (w, m, m1);
  R tol = 4 * s.tol * largest_of (w, m, partial);
  if (threadIdx.x == 0)
    found = deflate (w, m, rho, tol);
  __syncthreads ();

  int k = found.roots;
  int64_t at = page * n + node.first;
  if (VECTORS) {
    R *Z = s.Z + page * s.page_z + node.first * s.ldz;
    if (found.rotations > 0)
      for (int i = mine; i < m; i += step)
        rotate_row (w, found.rotations, Z + node.first + i, s.ldz,
                    i < m1 ? STEDC_UPPER : STEDC_LOWER);
  } else if (threadIdx.x < 2) {
    rotate_row (w, found.rotations, threadIdx.x == 0 ? w.top : w.bottom, 1,
                STEDC_UPPER | STEDC_LOWER);
  }
  order_roots<!JOIN> (s, w, k, m, at);
  if (!JOIN)
    tell_update (s, w, found, at, page * s.tree.leaves + q);
  cluster_barrier (blocks); // the rotations have been used

  R norm2 = 0;
  for (int i = threadIdx.x; i < k; i += blockDim.x)
    norm2 = madd (w.pole_z[i], w.pole_z[i], norm2);
  norm2 = block_reduce<R, true> (norm2, partial);
  secular<R> f = secular_of (k, w.pole, w.pole_z, rho, norm2);
  for (int j = mine; j < k; j += step) {
    secular_result<R> root = secular_root (f, j);
    if (!root.settled)
      atomicMax (s.info + page, node.first + j + 1);
    broadcast (w.origin, j, root.origin, blocks);
    broadcast (w.tau, j, root.tau, blocks);
    s.d[at + j] = root.origin + root.tau;
  }
  cluster_barrier (blocks);
  for (int i = mine; i < k; i += step)
    broadcast (w.z, i, loewner (w, k, i), blocks);
  cluster_barrier (blocks);
  if (JOIN) {
    size_t used = (stedc_workspace_bytes<R> (m, true) + 15) / 16 * 16;
    join (s, w, node, page, found, reinterpret_cast<R *> (memory + used));
    return;
  }
  R *edge = s.edge + page * 2 * n + node.first;
  for (int j = mine; j < m; j += step)
    store_column<VECTORS> (s, w, k, m, j, at, edge);
}

// Blocks of a cluster: more than one where the nodes alone would leave multiprocessors idle, each
// with enough roots to be worth it. Clusters of two fit everywhere on the GPU; larger ones only on
// half of it.
template <class R> int blocks_for (const stedc_level<R> &s, int m)
{
  int64_t blocks = 1, nodes = s.pages * (s.tree.leaves >> s.level);
  while (clusters_work () && blocks < 8 &&
         (blocks == 1 ? 2 : 4 * blocks) * nodes <= s.multiprocessors &&
         2 * blocks * ROOTS_LEAST <= m)
    blocks *= 2;
  return (int)blocks;
}

} // namespace

template <class R> cudaError_t stedc_merge (const stedc_level<R> &s, cudaStream_t stream)
{
  int m = (s.tree.leaf_rows () << s.level) < s.tree.n ? s.tree.leaf_rows () << s.level : s.tree.n;
  int threads = m <= 64 ? 64 : m <= 128 ? 128 : m <= 256 ? 256 : 512;
  int blocks = blocks_for (s, m);
  bool join = stedc_joins (s);
  size_t bytes = stedc_workspace_bytes<R> (m, s.vectors != 0);
  if (join)
    bytes = (bytes + 15) / 16 * 16 + join_bytes<R> (m);
  auto kernel = join        ? merge_kernel<R, true, stedc_joins_leaves<R>>
                : s.vectors ? merge_kernel<R, true, false>
                            : merge_kernel<R, false, false>;
  cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  cluster_launch launch (s.pages * (s.tree.leaves >> s.level), blocks, threads, bytes, stream);
  return cudaLaunchKernelEx (&launch.config, kernel, s, blocks);
}

template cudaError_t stedc_merge (const stedc_level<float> &, cudaStream_t);
template cudaError_t stedc_merge (const stedc_level<double> &, cudaStream_t);
