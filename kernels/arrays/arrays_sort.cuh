// arrays_sort.cuh: keys by which elements are sorted, and columns of up to 4096 elements, sorted in
// registers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Called by arrays_sort.cu.

#ifndef GPULINALG_ARRAYS_SORT_CUH
#define GPULINALG_ARRAYS_SORT_CUH

#include "arrays_math.cuh"

//------------------------------------------------------------------------------
// keys by which elements are sorted
//------------------------------------------------------------------------------

// Unsigned integers in the order of Octave: zeros of both signs are equal, NaN comes after all
// others. Complex numbers are ordered by their moduli, and equal ones by their arguments, in which
// -pi counts as pi. For the descending order all bits of a key are inverted.

GLA_DEVICE uint32_t nd_key (float x)
{
  const uint32_t bits = __float_as_uint (x), sign = 0x80000000u;
  return x != x ? 0xffffffffu : x == 0 ? sign : bits & sign ? ~bits : bits | sign;
}
GLA_DEVICE uint64_t nd_key (double x)
{
  const uint64_t bits = (uint64_t)__double_as_longlong (x), sign = (uint64_t)1 << 63;
  return x != x ? ~(uint64_t)0 : x == 0 ? sign : bits & sign ? ~bits : bits | sign;
}
GLA_DEVICE uint32_t nd_key (unsigned char x)
{
  return x != 0;
}
template <class R> GLA_DEVICE auto nd_key (cx<R> z)
{
  return nd_key (is_nan (z) ? (R)NAN : modulus (z));
}

// Returns the second key of complex numbers. Those of NaN are equal.
template <class R> GLA_DEVICE auto nd_second_key (cx<R> z)
{
  const R pi = (R)3.14159265358979323846, a = argument (z);
  return nd_key (is_nan (z) ? (R)0 : a == -pi ? pi : a);
}

template <class T> struct nd_key_of {
  typedef uint32_t type;
};
template <> struct nd_key_of<double> {
  typedef uint64_t type;
};
template <> struct nd_key_of<cx<double>> {
  typedef uint64_t type;
};

//------------------------------------------------------------------------------
// columns of up to 4096 elements, sorted in registers
//------------------------------------------------------------------------------

// Uses Batcher's bitonic network (1968) of pairs of a key and a position: no two pairs are equal,
// so equal elements keep their order. A column has `width` places, a power of two; places after the
// last element have the largest key. A thread has SHORT_EACH consecutive places in registers: steps
// over fewer than these stay in the thread, those over fewer than 32 threads in the warp, and all
// others exchange the pairs through shared memory.

enum { SHORT_EACH = 8 };

// Contiguous columns of n elements.
template <class T> struct nd_columns {
  const T *x;
  T *to;
  double *index; // NULL: not wanted
  int64_t n, count;
  bool descending;
};

namespace
{

template <class K> struct sort_pairs {
  K key[SHORT_EACH];
  uint32_t at[SHORT_EACH];
};

template <class K> GLA_DEVICE bool is_behind (K p, uint32_t r, K q, uint32_t s)
{
  return p != q ? p > q : r > s;
}

// Orders places i and i + half of the thread, for each i without this bit; up (i): the smaller one
// first.
template <int half, class K, class U> GLA_DEVICE void order_own (sort_pairs<K> &e, U up)
{
#pragma unroll
  for (int i = 0; i < SHORT_EACH; i++) {
    const int b = i + half;
    if (i & half)
      continue;
    const K p = e.key[i], q = e.key[b];
    const uint32_t r = e.at[i], s = e.at[b];
    if (is_behind (p, r, q, s) == up (i)) {
      e.key[i] = q;
      e.key[b] = p;
      e.at[i] = s;
      e.at[b] = r;
    }
  }
}

template <class K> GLA_DEVICE void merge_own (sort_pairs<K> &e, bool up)
{
  const auto all = [up] (int) { return up; };
  order_own<4> (e, all);
  order_own<2> (e, all);
  order_own<1> (e, all);
}

// Keeps the smaller or the larger one of the thread's pairs and of those of another thread.
template <class K> GLA_DEVICE void keep (sort_pairs<K> &e, int i, K key, uint32_t at, bool smaller)
{
  if (is_behind (e.key[i], e.at[i], key, at) == smaller) {
    e.key[i] = key;
    e.at[i] = at;
  }
}

template <class K> GLA_DEVICE void exchange_in_warp (sort_pairs<K> &e, int mask, bool smaller)
{
#pragma unroll
  for (int i = 0; i < SHORT_EACH; i++) {
    const K key = __shfl_xor_sync (0xffffffffu, e.key[i], mask);
    const uint32_t at = __shfl_xor_sync (0xffffffffu, e.at[i], mask);
    keep (e, i, key, at, smaller);
  }
}

template <class K>
GLA_DEVICE void exchange_in_block (sort_pairs<K> &e, int mask, bool smaller, K *keys,
                                   uint32_t *positions)
{
  const int threads = blockDim.x, other = threadIdx.x ^ mask;
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < SHORT_EACH; i++) {
    keys[i * threads + threadIdx.x] = e.key[i];
    positions[i * threads + threadIdx.x] = e.at[i];
  }
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < SHORT_EACH; i++)
    keep (e, i, keys[i * threads + other], positions[i * threads + other], smaller);
}

// A column has `lanes` = width / SHORT_EACH consecutive threads, and a block has as many columns as
// fit into its threads. Neighbouring threads access neighbouring places of global memory.
template <class T, int THREADS>
__global__ void __launch_bounds__ (THREADS, 1024 / THREADS)
    sort_short_kernel (nd_columns<T> c, int lanes)
{
  typedef typename nd_key_of<T>::type K;
  extern __shared__ __align__ (16) unsigned char sort_memory[];
  const int width = lanes * SHORT_EACH, t = threadIdx.x % lanes, own = threadIdx.x / lanes;
  uint32_t *positions = reinterpret_cast<uint32_t *> (sort_memory);
  K *keys = reinterpret_cast<K *> (positions + THREADS * SHORT_EACH);
  const int64_t column = (int64_t)blockIdx.x * (THREADS / lanes) + own, base = column * c.n;
  sort_pairs<K> e;
#pragma unroll
  for (int i = 0; i < SHORT_EACH; i++) {
    const int row = i * lanes + t;
    const bool exists = row < c.n && column < c.count;
    const K k = exists ? nd_key (c.x[base + row]) : (K)0;
    e.key[i] = !exists ? (K) ~(K)0 : c.descending ? (K)~k : k;
    e.at[i] = (uint32_t)row;
  }

  const auto rises = [t, width] (int block) { // whether the block of this thread does
    return ((t * SHORT_EACH) & (width - 1) & block) == 0;
  };
  order_own<1> (e, [] (int i) { return (i & 2) == 0; });
  order_own<2> (e, [] (int i) { return (i & 4) == 0; });
  order_own<1> (e, [] (int i) { return (i & 4) == 0; });
  merge_own (e, rises (SHORT_EACH));
  for (int block = 2 * SHORT_EACH; block <= width; block *= 2) {
    const bool up = rises (block);
    for (int mask = block / (2 * SHORT_EACH); mask > 0; mask /= 2) {
      const bool smaller = ((t & mask) == 0) == up;
      if (mask < 32)
        exchange_in_warp (e, mask, smaller);
      else
        exchange_in_block (e, mask, smaller, keys, positions);
    }
    merge_own (e, up);
  }

  __syncthreads ();
#pragma unroll
  for (int i = 0; i < SHORT_EACH; i++)
    positions[own * width + t * SHORT_EACH + i] = e.at[i];
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < SHORT_EACH; i++) {
    const int row = i * lanes + t;
    if (row >= c.n || column >= c.count)
      continue;
    const uint32_t from = positions[own * width + row];
    c.to[base + row] = c.x[base + from];
    if (c.index != nullptr)
      c.index[base + row] = from + 1.0;
  }
}

template <class T, int THREADS>
cudaError_t sort_short (const nd_columns<T> &c, int lanes, cudaStream_t stream)
{
  typedef typename nd_key_of<T>::type K;
  const int of_block = THREADS / lanes;
  const size_t pair = sizeof (uint32_t) + (lanes > 32 ? sizeof (K) : 0);
  const unsigned blocks = (unsigned)((c.count + of_block - 1) / of_block);
  sort_short_kernel<T, THREADS>
      <<<blocks, THREADS, THREADS * SHORT_EACH * pair, stream>>> (c, lanes);
  return cudaGetLastError ();
}

} // namespace

// Sorts columns of n up to 4096.
template <class T> cudaError_t nd_sort_short (const nd_columns<T> &c, cudaStream_t stream)
{
  int lanes = 1;
  while (lanes * SHORT_EACH < c.n)
    lanes *= 2;
  return lanes > 256   ? sort_short<T, 512> (c, lanes, stream)
         : lanes > 128 ? sort_short<T, 256> (c, lanes, stream)
                       : sort_short<T, 128> (c, lanes, stream);
}

#endif
