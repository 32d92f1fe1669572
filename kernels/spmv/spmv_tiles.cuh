// spmv_tiles.cuh: what the products by tiles share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPMV_TILES_CUH
#define GPULINALG_SPMV_TILES_CUH

#include "spmv.cuh"

static const unsigned SPMV_WARP = 0xffffffffu;

template <int V> struct alignas (4 * V) columns_of {
  uint32_t at[V];
};
template <class T, int V> struct alignas (sizeof (T) * V) values_of {
  T at[V];
};

// Reads 4, 8 or 16 bytes that are not needed again.
template <class P> GLA_DEVICE P stream_load (const P *from)
{
  union {
    P value;
    uint32_t word[sizeof (P) / 4];
  } u;
  if (sizeof (P) == 16)
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(u.word[0]), "=r"(u.word[1 % (sizeof (P) / 4)]),
                   "=r"(u.word[2 % (sizeof (P) / 4)]), "=r"(u.word[3 % (sizeof (P) / 4)])
                 : "l"(from));
  else if (sizeof (P) == 8)
    asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0,%1}, [%2];"
                 : "=r"(u.word[0]), "=r"(u.word[1 % (sizeof (P) / 4)])
                 : "l"(from));
  else
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(u.word[0]) : "l"(from));
  return u.value;
}

struct tile_arrays {
  const spmv_tile *tiles;
  const uint16_t *ends;
  const uint32_t *column;
  const void *values;
  const spmv_long_row *longs;
  const uint32_t *part_long;
  unsigned *arrived;
  void *part_sums;
  int64_t tile_count;
};

inline tile_arrays tile_arrays_of (const gpu_sparse &M)
{
  return {M.tiles,     M.ends,    M.column,    M.values,    M.longs,
          M.part_long, M.arrived, M.part_sums, M.tile_count};
}

GLA_DEVICE spmv_tile load_tile (const spmv_tile *from)
{
  int4 raw = __ldg (reinterpret_cast<const int4 *> (from));
  return {(int64_t)(((uint64_t)(uint32_t)raw.y << 32) | (uint32_t)raw.x), (uint32_t)raw.z,
          (uint16_t)(raw.w & 0xffff), (uint16_t)((uint32_t)raw.w >> 16)};
}

// The warp that adds the last part of a long row sums all of them, in their order; the parts of
// this warp have just been stored. Vector k of the part is at part_sums[part*b + k].
template <class T>
GLA_DEVICE void finish_long_row (const tile_arrays &a, uint32_t part, int b, T scalar, T *y)
{
  int lane = threadIdx.x % 32;
  __syncwarp ();
  unsigned last = 0;
  uint32_t which = a.part_long[part];
  spmv_long_row row = a.longs[which];
  if (lane == 0) {
    __threadfence ();
    last = atomicAdd (a.arrived + which, 1u) == row.parts - 1;
    __threadfence ();
  }
  if (!__shfl_sync (SPMV_WARP, last, 0))
    return;
  const volatile real_t<T> *sums = static_cast<const volatile real_t<T> *> (a.part_sums);
  const int words = sizeof (T) / sizeof (real_t<T>);
  for (int k = 0; k < b; k++) {
    T sum = from_real<T> (0);
    for (uint32_t p = lane; p < row.parts; p += 32) {
      union {
        T value;
        real_t<T> word[sizeof (T) / sizeof (real_t<T>)];
      } u;
      for (int w = 0; w < words; w++)
        u.word[w] = sums[((int64_t)(row.first + p) * b + k) * words + w];
      sum = sum + u.value;
    }
    sum = lane_sum<32> (sum);
    if (lane == 0)
      y[(int64_t)row.row * b + k] = scalar * sum;
  }
  if (lane == 0)
    a.arrived[which] = 0;
}

// Sums rows first .. first+31 of a tile, one for each lane; the whole warp sums rows of more than
// 32 entries.
template <class T> GLA_DEVICE T sum_rows (const T *products, int begin, int end)
{
  const int lane = threadIdx.x % 32;
  unsigned wide = __ballot_sync (SPMV_WARP, end - begin > 32);
  T even = from_real<T> (0), odd = even;
  if (end - begin <= 32) {
    int k = begin;
    for (; k + 1 < end; k += 2) {
      even = even + products[k];
      odd = odd + products[k + 1];
    }
    if (k < end)
      even = even + products[k];
  }
  T sum = even + odd;
  while (wide != 0) {
    int owner = __ffs (wide) - 1;
    wide &= wide - 1;
    int from = __shfl_sync (SPMV_WARP, begin, owner), to = __shfl_sync (SPMV_WARP, end, owner);
    T part = from_real<T> (0);
    for (int k = from + lane; k < to; k += 32)
      part = part + products[k];
    part = lane_sum<32> (part);
    sum = lane == owner ? part : sum;
  }
  return sum;
}

// Sums a tile whose products are in shared memory, a row for each lane; `end` is that of row
// `lane`, if there is one. SCALE multiplies all sums by `factor`.
template <class T, bool SCALE>
GLA_DEVICE void sum_tile (const tile_arrays &a, const spmv_tile &tile, const T *products, int end,
                          T factor, T *y)
{
  const int lane = threadIdx.x % 32;
  if (tile.rows == 0) {
    T sum = from_real<T> (0);
    for (int k = lane; k < tile.count; k += 32)
      sum = sum + products[k];
    sum = lane_sum<32> (sum);
    if (lane == 0)
      static_cast<T *> (a.part_sums)[tile.row] = sum;
    finish_long_row<T> (a, tile.row, 1, factor, y);
    return;
  }
  int before = 0;
  for (int row = lane; row - lane < tile.rows; row += 32) {
    if (row != lane)
      end = row < tile.rows ? a.ends[tile.row + row] : 0;
    int begin = __shfl_up_sync (SPMV_WARP, end, 1);
    begin = lane == 0 ? before : begin;
    before = __shfl_sync (SPMV_WARP, end, 31);
    T sum = sum_rows (products, row < tile.rows ? begin : 0, end);
    if (row < tile.rows)
      y[tile.row + row] = SCALE ? factor * sum : sum;
  }
}

#endif
