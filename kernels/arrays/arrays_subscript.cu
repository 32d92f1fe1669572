// arrays_subscript.cu: elements of arrays by their subscripts, and the positions of nonzero ones
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays.cuh"
#include "common/reduce.cuh"

#include <cstring>

namespace
{

enum { THREADS = 256, EACH = 4 };

struct alignas (16) sixteen {
  uint64_t a, b;
};

// Elements are moved as words of their size. A thread has EACH of them, a block's width apart.
template <class W, bool store>
__global__ void __launch_bounds__ (THREADS) subscript_kernel (nd_subscripts a)
{
  W value;
  memcpy (&value, a.value, sizeof value);
  for (int k = 0; k < EACH; k++) {
    const uint32_t i = (blockIdx.x * EACH + k) * THREADS + threadIdx.x;
    if (i >= a.n)
      return;
    int64_t x = 0, y = 0;
    uint32_t rest = i;
    for (int d = 0; d < a.dims; d++) {
      const uint32_t q = d + 1 < a.dims ? nd_divide (rest, a.count[d]) : 0;
      const uint32_t at = rest - q * a.count[d].d;
      const int64_t s = a.list[d] != nullptr ? a.list[d][at] : a.first[d] + at * a.step[d];
      x += s * a.x_step[d];
      y += at * a.y_step[d];
      rest = q;
    }
    if (store)
      reinterpret_cast<W *> (a.x)[x] =
          a.y != nullptr ? reinterpret_cast<const W *> (a.y)[y] : value;
    else
      reinterpret_cast<W *> (a.y)[y] = reinterpret_cast<const W *> (a.x)[x];
  }
}

template <class W> cudaError_t launch (const nd_subscripts &a, bool store, cudaStream_t stream)
{
  const unsigned blocks = (a.n + THREADS * EACH - 1) / (THREADS * EACH);
  if (store)
    subscript_kernel<W, true><<<blocks, THREADS, 0, stream>>> (a);
  else
    subscript_kernel<W, false><<<blocks, THREADS, 0, stream>>> (a);
  return cudaGetLastError ();
}

//------------------------------------------------------------------------------
// positions of nonzero bytes
//------------------------------------------------------------------------------

// A block counts FIND_LENGTH bytes.
__global__ void __launch_bounds__ (FIND_THREADS)
    find_count_kernel (const unsigned char *mask, int64_t n, int64_t *counts)
{
  __shared__ int total;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads ();
  int count = 0;
  for (int k = 0; k < FIND_LENGTH / FIND_THREADS; k++) {
    const int64_t i = (int64_t)blockIdx.x * FIND_LENGTH + k * FIND_THREADS + threadIdx.x;
    count += i < n && mask[i] != 0;
  }
  count = (int)warp_sum (count);
  if (threadIdx.x % 32 == 0)
    atomicAdd (&total, count);
  __syncthreads ();
  if (threadIdx.x == 0)
    counts[blockIdx.x] = total;
}

// One block replaces counts by the numbers of positions before each block; counts[blocks] is the
// total.
__global__ void __launch_bounds__ (1024) find_offsets_kernel (int64_t *counts, int64_t blocks)
{
  __shared__ int64_t part[1024];
  const int64_t each = (blocks + 1023) / 1024, first = threadIdx.x * each;
  const int64_t last = first + each < blocks ? first + each : blocks;
  int64_t sum = 0;
  for (int64_t b = first; b < last; b++)
    sum += counts[b];
  part[threadIdx.x] = sum;
  __syncthreads ();
  if (threadIdx.x == 0) {
    int64_t before = 0;
    for (int t = 0; t < 1024; t++) {
      const int64_t own = part[t];
      part[t] = before;
      before += own;
    }
    counts[blocks] = before;
  }
  __syncthreads ();
  int64_t before = part[threadIdx.x];
  for (int64_t b = first; b < last; b++) {
    const int64_t own = counts[b];
    counts[b] = before;
    before += own;
  }
}

// A block writes the positions among its bytes, a warp at a time, in order.
__global__ void __launch_bounds__ (FIND_THREADS)
    find_write_kernel (const unsigned char *mask, int64_t n, const int64_t *before, int64_t *list)
{
  __shared__ int warps[FIND_THREADS / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int64_t at = before[blockIdx.x];
  for (int k = 0; k < FIND_LENGTH / FIND_THREADS; k++) {
    const int64_t i = (int64_t)blockIdx.x * FIND_LENGTH + k * FIND_THREADS + threadIdx.x;
    const bool found = i < n && mask[i] != 0;
    const unsigned votes = __ballot_sync (0xffffffffu, found);
    if (lane == 0)
      warps[warp] = __popc (votes);
    __syncthreads ();
    int64_t mine = at;
    int total = 0;
    for (int w = 0; w < FIND_THREADS / 32; w++) {
      mine += w < warp ? warps[w] : 0;
      total += warps[w];
    }
    if (found)
      list[mine + __popc (votes & ((1u << lane) - 1))] = i;
    at += total;
    __syncthreads ();
  }
}

} // namespace

cudaError_t nd_subscript (const nd_subscripts &a, size_t size, bool store, cudaStream_t stream)
{
  switch (size) {
  case 1:
    return launch<unsigned char> (a, store, stream);
  case 4:
    return launch<uint32_t> (a, store, stream);
  case 8:
    return launch<uint64_t> (a, store, stream);
  default:
    return launch<sixteen> (a, store, stream);
  }
}

void nd_put_value (int type, const double *from, void *to)
{
  const float single[2] = {(float)from[0], (float)from[1]};
  const unsigned char logical = from[0] != 0;
  memset (to, 0, 16);
  if (type == GLA_LOGICAL)
    memcpy (to, &logical, 1);
  else if (type == GLA_TYPE_S || type == GLA_TYPE_C)
    memcpy (to, single, type == GLA_TYPE_S ? 4 : 8);
  else
    memcpy (to, from, type == GLA_TYPE_D ? 8 : 16);
}

cudaError_t nd_find_count (const void *mask, int64_t n, int64_t *counts, cudaStream_t stream)
{
  const int64_t blocks = nd_find_blocks (n);
  find_count_kernel<<<(unsigned)blocks, FIND_THREADS, 0, stream>>> (
      static_cast<const unsigned char *> (mask), n, counts);
  find_offsets_kernel<<<1, 1024, 0, stream>>> (counts, blocks);
  return cudaGetLastError ();
}

cudaError_t nd_find_write (const void *mask, int64_t n, const int64_t *counts, int64_t *list,
                           cudaStream_t stream)
{
  find_write_kernel<<<(unsigned)nd_find_blocks (n), FIND_THREADS, 0, stream>>> (
      static_cast<const unsigned char *> (mask), n, counts, list);
  return cudaGetLastError ();
}
