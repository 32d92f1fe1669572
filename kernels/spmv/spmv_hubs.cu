// spmv_hubs.cu: sparse products with x at the dense columns (hubs) in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later

#include "spmv.cuh"

#include "common/async_copy.cuh"
#include "common/cluster.cuh"
#include "common/runtime.cuh"
#include "common/for_type.cuh"
#include "spmv_tiles.cuh"

namespace
{

enum { K = 4, TILE = 32 * K, LANDING = 16 * TILE };

// A multiprocessor has one block, with as many warps as there are registers for. Each warp has one
// buffer for its fetches. With two, so that the next tile is fetched while one is summed, products
// took 2 to 4 percent more time.
template <class T> struct block_of {
  static constexpr int WARPS = sizeof (T) == 16 ? 16 : 24;
  static constexpr int BYTES = WARPS * LANDING;
};

// Gathers x at the hubs; a thread has a slot.
template <class T>
__global__ void gather_kernel (const uint32_t *column, int hubs, const T *x, T *hub_x)
{
  let_next_start ();
  int slot = blockIdx.x * blockDim.x + threadIdx.x;
  if (slot < hubs)
    hub_x[slot] = x[column[slot]];
}

// A lane's part of a tile: V neighbouring entries at a time, K in all.
template <class T, bool PATTERN> struct tile_part {
  static constexpr int V = PATTERN ? 4 : (int)(16 / sizeof (T));
  spmv_tile tile;
  columns_of<V> code[K / V];
  values_of<T, V> value[PATTERN ? 1 : K / V];
  uint32_t from[K]; // where the elements of x are in shared memory
  int end;          // of row `lane`

  GLA_DEVICE int shift () const { return (int)(tile.start & 3); }
  // Entries before and after the tile count as hubs, and are not used.
  GLA_DEVICE void read (const tile_arrays &a)
  {
    const int lane = threadIdx.x % 32, top = tile.count + shift ();
    const int64_t first = tile.start - shift ();
    const columns_of<V> *codes = reinterpret_cast<const columns_of<V> *> (a.column + first);
    const values_of<T, V> *values =
        reinterpret_cast<const values_of<T, V> *> (static_cast<const T *> (a.values) + first);
#pragma unroll
    for (int k = 0; k < K / V; k++) {
      int piece = lane + 32 * k;
      if (V * piece < top) {
        code[k] = stream_load (codes + piece);
        if (!PATTERN)
          value[PATTERN ? 0 : k] = stream_load (values + piece);
      }
    }
    end = lane < tile.rows ? a.ends[tile.row + lane] : 0;
  }
  // Copies the aligned 16 bytes around each element to shared memory past the first-level cache, in
  // which every fetch would need a free line, and the hubs have left few.
  GLA_DEVICE void fetch (uint32_t hubs, uint32_t landing, const T *x)
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
      const int lane = threadIdx.x % 32, place = (lane + 32 * (k / V)) * V + k % V;
      const bool inside = place >= shift () && place < tile.count + shift ();
      uint32_t c = inside ? code[k / V].at[k % V] : SPMV_HUB, to = landing + (32 * k + lane) * 16;
      uint64_t address = reinterpret_cast<uint64_t> (x + c);
      async_copy_by_sign ((int)c, to, reinterpret_cast<const void *> (address & ~(uint64_t)15));
      // the flag of a hub is lost in its slot times the size of T
      from[k] = c & SPMV_HUB ? hubs + c * (uint32_t)sizeof (T) : to + ((uint32_t)address & 15);
    }
  }
  // Replaces what the fetches brought by the products, in the order of the entries.
  GLA_DEVICE void multiply (const unsigned char *memory, bool conjugate, T *products) const
  {
    T element[K];
#pragma unroll
    for (int k = 0; k < K; k++)
      element[k] = *reinterpret_cast<const T *> (memory + from[k]);
    __syncwarp ();
#pragma unroll
    for (int k = 0; k < K / V; k++) {
      values_of<T, V> product;
#pragma unroll
      for (int j = 0; j < V; j++)
        product.at[j] =
            PATTERN ? element[k * V + j]
                    : conj_if (value[PATTERN ? 0 : k].at[j], conjugate) * element[k * V + j];
      reinterpret_cast<values_of<T, V> *> (products)[threadIdx.x % 32 + 32 * k] = product;
    }
    __syncwarp ();
  }
};

// A multiprocessor has one block, with x at the hubs in its shared memory. Warps loop over the
// tiles with the stride of the grid, as in spmv_tiles.cu; while x is fetched for one tile, columns
// and values of the next are read.
template <class T, bool PATTERN>
__global__ void __launch_bounds__ (32 * block_of<T>::WARPS, 1)
    hubs_kernel (tile_arrays a, const T *hub_x, int hub_bytes, spmv_scalar<T> scalar,
                 bool conjugate, const T *x, T *y)
{
  constexpr int WARPS = block_of<T>::WARPS;
  extern __shared__ __align__ (16) unsigned char memory[];
  const uint32_t base = (uint32_t)__cvta_generic_to_shared (memory);
  const int warp = threadIdx.x / 32;
  const int64_t step = (int64_t)gridDim.x * WARPS;
  int64_t at = blockIdx.x * (int64_t)WARPS + warp;
  const uint32_t landing = base + warp * LANDING;
  T *products = reinterpret_cast<T *> (memory + warp * LANDING);
  auto tile_at = [&] (int64_t i) {
    return i < a.tile_count ? load_tile (a.tiles + i) : spmv_tile ();
  };
  tile_part<T, PATTERN> now = {}, next = {};
  now.tile = tile_at (at);
  next.tile = tile_at (at + step);
  now.read (a);
  wait_for_previous ();
#pragma unroll 4
  for (int k = threadIdx.x * 16; k < hub_bytes; k += WARPS * 512)
    *reinterpret_cast<uint4 *> (memory + block_of<T>::BYTES + k) =
        *reinterpret_cast<const uint4 *> (reinterpret_cast<const unsigned char *> (hub_x) + k);
  __syncthreads ();
  const uint32_t hubs = base + block_of<T>::BYTES;
  const T factor = PATTERN ? scalar.of () : from_real<T> (1);
  for (; at < a.tile_count; at += step) {
    now.fetch (hubs, landing, x);
    next.read (a);
    spmv_tile after = tile_at (at + 2 * step);
    async_wait_all ();
    now.multiply (memory - base, conjugate, products);
    sum_tile<T, PATTERN> (a, now.tile, products + now.shift (), now.end, factor, y);
    __syncwarp ();
    now = next;
    next.tile = after;
  }
}

template <class T> int hub_bytes_of (const gpu_sparse &M)
{
  return (M.hubs * (int)sizeof (T) + 15) / 16 * 16;
}

template <class T, bool PATTERN>
cudaError_t launch (const gpu_sparse &M, bool conjugate, const T *x, T *y, cudaStream_t stream)
{
  T *hub_x = static_cast<T *> (M.hub_x);
  gather_kernel<<<(M.hubs + 255) / 256, 256, 0, stream>>> (M.hub_column, M.hubs, x, hub_x);
  const cudaError_t error = cudaGetLastError ();
  if (error != cudaSuccess)
    return error;
  int bytes = hub_bytes_of<T> (M);
  cluster_launch way (M.hub_blocks, 1, 32 * block_of<T>::WARPS, block_of<T>::BYTES + bytes, stream,
                      true);
  tile_arrays a = tile_arrays_of (M);
  a.column = M.coded;
  return cudaLaunchKernelEx (&way.config, hubs_kernel<T, PATTERN>, a, (const T *)hub_x, bytes,
                             spmv_scalar_of<T> (M, conjugate), conjugate, x, y);
}

template <class T> cudaError_t allow (bool pattern, int bytes)
{
  return allow_shared (pattern ? hubs_kernel<T, true> : hubs_kernel<T, false>, (size_t)bytes);
}

} // namespace

int spmv_hub_slots (const gpu_sparse &M, int bytes)
{
  int used = M.type == GLA_TYPE_Z ? block_of<cx<double>>::BYTES : block_of<double>::BYTES;
  return bytes > used ? (bytes - used) / (int)gla_type_size (M.type) : 0;
}

cudaError_t spmv_allow_hubs (const gpu_sparse &M, int bytes)
{
  return for_type (M.type, [&] (auto zero) { return allow<decltype (zero)> (M.pattern, bytes); });
}

template <class T>
cudaError_t spmv_by_hubs (const gpu_sparse &M, bool conjugate, const T *x, T *y,
                          cudaStream_t stream)
{
  return M.pattern ? launch<T, true> (M, conjugate, x, y, stream)
                   : launch<T, false> (M, conjugate, x, y, stream);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t spmv_by_hubs (const gpu_sparse &, bool, const T *, T *, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
