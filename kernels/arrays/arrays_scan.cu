// arrays_scan.cu: cumulative sums and products of slices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sums of segments of 256 elements come from arrays_reduce.cuh; they are scanned in the same
// way, and then each segment is summed from its start, added to the sum of the previous ones. So
// the bits depend on the slice alone.

#include "arrays_reduce.cuh"

namespace
{

enum { THREADS = 128 };

struct scan_step {
  const void *x, *before; // before: the scanned sums of the segments; NULL: there is one segment
  void *to;
  int64_t inner, n, outer, segments;
  bool product;
};

template <class T, bool product> GLA_DEVICE T join (T a, T b)
{
  if constexpr (product)
    return multiply (a, b, false, false);
  else
    return add (a, b, false);
}

// A thread has a segment of a slice.
template <class S, class A, class O, bool is_product>
__global__ void __launch_bounds__ (THREADS) scan_kernel (scan_step s)
{
  const int64_t slot = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  const int64_t i = slot % s.inner, rest = slot / s.inner;
  const int64_t segment = rest % s.segments, o = rest / s.segments;
  if (o >= s.outer)
    return;
  const int64_t first = segment * SEGMENT_LENGTH;
  const int64_t last = first + SEGMENT_LENGTH < s.n ? first + SEGMENT_LENGTH : s.n;
  A sum = from_real<A> (is_product ? 1 : 0);
  if (segment > 0)
    sum = static_cast<const A *> (s.before)[(o * s.segments + segment - 1) * s.inner + i];
  for (int64_t j = first; j < last; j++) {
    const int64_t at = (o * s.n + j) * s.inner + i;
    const A x = nd_convert<A> (static_cast<const S *> (s.x)[at]);
    sum = j == 0 ? x : join<A, is_product> (sum, x);
    static_cast<O *> (s.to)[at] = nd_convert<O> (sum);
  }
}

// Slices are contiguous: a warp has 32 segments, and reads and writes TILE elements of one after
// the other through shared memory, in which each thread scans those of its segment.
enum { TILE = 32, TILE_THREADS = 64 };

template <class S, class A, class O, bool is_product>
__global__ void __launch_bounds__ (TILE_THREADS) scan_contiguous_kernel (scan_step s)
{
  __shared__ A tile[TILE_THREADS][TILE + 1];
  const int lane = threadIdx.x % 32, row = threadIdx.x - lane; // the warp's first row
  const int64_t slot = (int64_t)blockIdx.x * TILE_THREADS + threadIdx.x;
  const int64_t segment = slot % s.segments, o = slot / s.segments;
  const int64_t before = segment * SEGMENT_LENGTH; // in the slice
  // where the segment begins, and how many elements it has
  const int64_t start = o * s.n + before;
  const int length =
      o >= s.outer ? 0 : (int)(s.n - before < SEGMENT_LENGTH ? s.n - before : SEGMENT_LENGTH);
  A sum = from_real<A> (is_product ? 1 : 0);
  if (length > 0 && segment > 0)
    sum = static_cast<const A *> (s.before)[slot - 1];
  for (int from = 0; from < SEGMENT_LENGTH; from += TILE) {
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
      const int64_t at = __shfl_sync (0xffffffffu, start, k) + from + lane;
      if (from + lane < __shfl_sync (0xffffffffu, length, k))
        tile[row + k][lane] = nd_convert<A> (static_cast<const S *> (s.x)[at]);
    }
    __syncwarp ();
    for (int k = 0; k < TILE && from + k < length; k++) {
      const A x = tile[threadIdx.x][k];
      sum = before + from + k == 0 ? x : join<A, is_product> (sum, x);
      tile[threadIdx.x][k] = sum;
    }
    __syncwarp ();
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
      const int64_t at = __shfl_sync (0xffffffffu, start, k) + from + lane;
      if (from + lane < __shfl_sync (0xffffffffu, length, k))
        static_cast<O *> (s.to)[at] = nd_convert<O> (tile[row + k][lane]);
    }
    __syncwarp ();
  }
}

template <class S, class A, class O>
cudaError_t launch_contiguous (const scan_step &s, cudaStream_t stream)
{
  const unsigned blocks = (unsigned)((s.segments * s.outer + TILE_THREADS - 1) / TILE_THREADS);
  if (s.product)
    scan_contiguous_kernel<S, A, O, true><<<blocks, TILE_THREADS, 0, stream>>> (s);
  else
    scan_contiguous_kernel<S, A, O, false><<<blocks, TILE_THREADS, 0, stream>>> (s);
  return cudaGetLastError ();
}

template <class S, class A, class O> cudaError_t launch (const scan_step &s, cudaStream_t stream)
{
  if (s.inner == 1)
    return launch_contiguous<S, A, O> (s, stream);
  const unsigned blocks = (unsigned)((s.inner * s.segments * s.outer + THREADS - 1) / THREADS);
  if (s.product)
    scan_kernel<S, A, O, true><<<blocks, THREADS, 0, stream>>> (s);
  else
    scan_kernel<S, A, O, false><<<blocks, THREADS, 0, stream>>> (s);
  return cudaGetLastError ();
}

cudaError_t launch_type (int type, const scan_step &s, cudaStream_t stream)
{
  switch (type) {
  case GLA_TYPE_S:
    return launch<float, double, float> (s, stream);
  case GLA_TYPE_D:
    return launch<double, double, double> (s, stream);
  case GLA_TYPE_C:
    return launch<cx<float>, cx<double>, cx<float>> (s, stream);
  case GLA_TYPE_Z:
    return launch<cx<double>, cx<double>, cx<double>> (s, stream);
  default:
    return launch<unsigned char, double, double> (s, stream);
  }
}

int type_of_sums (int type)
{
  return type == GLA_TYPE_C || type == GLA_TYPE_Z ? GLA_TYPE_Z : GLA_TYPE_D;
}

// Finds the sums of the segments, in memory of the heap.
gla_status segment_sums (cuda_engine *e, gla_reduction op, const gla_slices *x, int64_t segments,
                         void **sums)
{
  const int type = type_of_sums (x->type);
  const size_t bytes = (size_t)(x->inner * segments * x->outer) * gla_type_size ((gla_type)type);
  GLA_TRY (heap_take (e, bytes, sums));
  nd_reduction r = {};
  r.x = x->x;
  r.to = *sums;
  r.inner = x->inner;
  r.n = x->n;
  r.outer = x->outer;
  r.segments = segments;
  return engine_status (nd_reduce_step (op, x->type, r, true, e->slots[0].stream));
}

} // namespace

gla_status nd_scan (cuda_engine *e, gla_reduction op, const gla_slices *x, void *to)
{
  const int64_t segments = (x->n + SEGMENT_LENGTH - 1) / SEGMENT_LENGTH;
  void *sums = nullptr;
  gla_status status = GLA_OK;
  if (segments > 1) {
    status = segment_sums (e, op, x, segments, &sums);
    const gla_slices of_sums = {sums, type_of_sums (x->type), x->inner, segments, x->outer};
    if (status == GLA_OK)
      status = nd_scan (e, op, &of_sums, sums);
  }
  const scan_step s = {x->x, sums, to, x->inner, x->n, x->outer, segments, op == GLA_REDUCE_PROD};
  if (status == GLA_OK)
    status = engine_status (launch_type (x->type, s, e->slots[0].stream));
  heap_give (e, sums);
  return status;
}
