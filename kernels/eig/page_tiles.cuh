// page_tiles.cuh: a page in shared memory as tiles of 8 by 8
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAGE_TILES_CUH
#define GPULINALG_PAGE_TILES_CUH

#include "he2hb_qr.cuh"
#include "hetrd_tiles.cuh"
#include "page_summary.cuh"

//------------------------------------------------------------------------------
// tiles of 8 by 8 in shared memory
//------------------------------------------------------------------------------

// Where entry (i, j) of a tile lies: so that lanes which read two neighbours of a row, or of a
// column, find them in different banks.
template <class T> GLA_DEVICE int tile_place (int i, int j)
{
  if (sizeof (T) == 16)
    return i * 8 + ((i / 2 + i % 2 * 4) ^ (j / 2 + j % 2 * 4));
  if (sizeof (T) == 8)
    return (i ^ i / 2 % 2) * 8 + (j ^ i / 4 * 4);
  return (i ^ i / 4) * 8 + j;
}

// Two neighbours in a row: side by side but for 16 bytes.
template <class T> struct alignas (16) neighbours {
  T first, second;
};
template <> struct alignas (8) neighbours<float> {
  float first, second;
};

// Lane 4a + b gets (a, 2b) and (a, 2b+1) of a tile, as half of numbers<., 4>,
template <class T, int N> GLA_DEVICE void load_half (const T *tile, numbers<wide<T>, N> &x, int h)
{
  int a = threadIdx.x % 32 / 4, b = threadIdx.x % 4 * 2;
  if constexpr (sizeof (T) == 16) {
    x.set (2 * h, tile[tile_place<T> (a, b)]);
    x.set (2 * h + 1, tile[tile_place<T> (a, b + 1)]);
  } else {
    auto pair = *reinterpret_cast<const neighbours<T> *> (tile + tile_place<T> (a, b));
    x.set (2 * h, widen (pair.first));
    x.set (2 * h + 1, widen (pair.second));
  }
}
// or (2b, a) and (2b+1, a),
template <class T> GLA_DEVICE numbers<wide<T>, 2> load_down (const T *tile)
{
  int a = threadIdx.x % 32 / 4, b = threadIdx.x % 4 * 2;
  numbers<wide<T>, 2> x;
  x.set (0, widen (tile[tile_place<T> (b, a)]));
  x.set (1, widen (tile[tile_place<T> (b + 1, a)]));
  return x;
}
// or these, conjugated: the rows of the tile's transpose.
template <class T, int N>
GLA_DEVICE void load_transpose (const T *tile, numbers<wide<T>, N> &x, int h)
{
  int a = threadIdx.x % 32 / 4, b = threadIdx.x % 4 * 2;
  x.set (2 * h, conj (widen (tile[tile_place<T> (b, a)])));
  x.set (2 * h + 1, conj (widen (tile[tile_place<T> (b + 1, a)])));
}
template <class T, int N> GLA_DEVICE void store_half (T *tile, const numbers<wide<T>, N> &x, int h)
{
  int a = threadIdx.x % 32 / 4, b = threadIdx.x % 4 * 2;
  T first = narrow<T> (x.get (2 * h)), second = narrow<T> (x.get (2 * h + 1));
  if constexpr (sizeof (T) == 16) {
    tile[tile_place<T> (a, b)] = first;
    tile[tile_place<T> (a, b + 1)] = second;
  } else {
    *reinterpret_cast<neighbours<T> *> (tile + tile_place<T> (a, b)) = {first, second};
  }
}

// A page in shared memory: tiles of the lower triangle, row by row, those on the diagonal whole,
// and tiles of V and W, one for every row of tiles but the first.
template <class T> struct page_tiles {
  typedef wide<T> E;
  int count; // rows of tiles
  T *A;
  E *V, *W;
  GLA_DEVICE T *tile (int I, int J) const { return A + (I * (I + 1) / 2 + J) * EIG_BAND_SQUARE; }
  GLA_DEVICE E *v (int I) const { return V + (I - 1) * EIG_BAND_SQUARE; }
  GLA_DEVICE E *w (int I) const { return W + (I - 1) * EIG_BAND_SQUARE; }
  GLA_DEVICE int entries () const { return count * (count + 1) / 2 * EIG_BAND_SQUARE; }
};

//------------------------------------------------------------------------------
// reading a page
//------------------------------------------------------------------------------

// Where a warp is among the tiles, and the lane in each of them: one of eight rows of every fourth
// column.
template <int WARPS> struct tile_walk {
  int I, J, i, j;
  GLA_DEVICE tile_walk ()
      : I (0), J (threadIdx.x / 32), i (threadIdx.x % EIG_BANDWIDTH),
        j (threadIdx.x % 32 / EIG_BANDWIDTH)
  {
    wrap ();
  }
  GLA_DEVICE void next ()
  {
    J += WARPS;
    wrap ();
  }
  GLA_DEVICE void wrap ()
  {
    while (J > I)
      J -= ++I;
  }
};

// The triangle that counts, as it is, tile by tile; zeros where rows and columns are missing and
// above the diagonal.
template <int WARPS, class T>
GLA_DEVICE void copy_page (const page_tiles<T> &s, const eig_args<T> &a, const T *A)
{
  int64_t row = a.triangle == GLA_TRIANGLE_UPPER ? a.lda : 1,
          column = a.triangle == GLA_TRIANGLE_UPPER ? 1 : a.lda;
  for (tile_walk<WARPS> at; at.I < s.count; at.next ()) {
    T *tile = s.tile (at.I, at.J);
#pragma unroll
    for (int h = 0; h < EIG_BANDWIDTH; h += 4) {
      int i = at.I * EIG_BANDWIDTH + at.i, j = at.J * EIG_BANDWIDTH + at.j + h;
      bool inside = i < a.n && i >= j;
      async_copy (tile + tile_place<T> (at.i, at.j + h), inside ? A + i * row + j * column : A,
                  inside);
    }
  }
  async_commit ();
}

// The mean of the lower triangle and what mirrors it.
template <int WARPS, class T>
GLA_DEVICE void join_halves (const page_tiles<T> &s, const eig_args<T> &a, const T *A,
                             summary<real_t<T>> &found)
{
  typedef real_t<T> R;
  for (tile_walk<WARPS> at; at.I < s.count; at.next ()) {
    T *tile = s.tile (at.I, at.J), upper[2];
#pragma unroll
    for (int h = 0; h < 2; h++) { // rows of the upper triangle are columns here
      int j = at.J * EIG_BANDWIDTH + at.i, i = at.I * EIG_BANDWIDTH + at.j + 4 * h;
      if (i < a.n && i >= j)
        upper[h] = A[i * a.lda + j];
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
      int j = at.J * EIG_BANDWIDTH + at.i, i = at.I * EIG_BANDWIDTH + at.j + 4 * h;
      T *entry = tile + tile_place<T> (at.j + 4 * h, at.i);
      if (i < a.n && i >= j) {
        look_at_pair (found, *entry, upper[h]);
        *entry = scale (R (0.5), *entry) + scale (R (0.5), conj (upper[h]));
      }
    }
  }
}

// Calls f for all entries of the tiles, wherever they are.
template <int WARPS, class T, class F> GLA_DEVICE void for_entries (const page_tiles<T> &s, F f)
{
#pragma unroll 4
  for (int q = threadIdx.x; q < s.entries (); q += 32 * WARPS)
    f (s.A[q]);
}

// What is above the diagonal in the tiles on it comes from below, and the diagonal is real.
template <int WARPS, class T> GLA_DEVICE void mirror_diagonal (const page_tiles<T> &s)
{
  for (int q = threadIdx.x; q < s.count * EIG_BAND_SQUARE; q += 32 * WARPS) {
    int i = q / EIG_BANDWIDTH % EIG_BANDWIDTH, j = q % EIG_BANDWIDTH;
    T *tile = s.tile (q / EIG_BAND_SQUARE, q / EIG_BAND_SQUARE), value = tile[tile_place<T> (i, j)];
    if (i >= j)
      tile[tile_place<T> (j, i)] = i == j ? from_real<T> (re (value)) : conj (value);
  }
}

// Checks and scales the page as prepare.cu does, on the way into shared memory. False if it cannot
// be solved.
template <int WARPS, class T>
GLA_DEVICE bool read_page (const page_tiles<T> &s, const eig_args<T> &a, int64_t page,
                           summary<real_t<T>> *shared)
{
  typedef real_t<T> R;
  const T *A = a.A + page * a.page_a;
  copy_page<WARPS> (s, a, A);
  async_wait<0> ();
  __syncthreads ();
  summary<R> found = {0, 0, 0, 0};
  if (a.triangle == GLA_TRIANGLE_FULL) {
    join_halves<WARPS> (s, a, A, found);
    __syncthreads ();
  }
  mirror_diagonal<WARPS> (s);
  __syncthreads ();
  if (a.triangle != GLA_TRIANGLE_FULL)
    for_entries<WARPS> (s, [&] (T &entry) { look (found, entry, false); });
  found = block_join (found, shared);
  int k = scaling_of (found);
  int32_t info = info_of (found, a.n);
  if (threadIdx.x == 0) {
    a.exponent[page] = -k;
    a.info[page] = info;
    a.skew[page] = 2 * found.skew;
  }
  R first = times_power (R (1), k / 2), second = times_power (R (1), k - k / 2);
  bool upper = a.triangle == GLA_TRIANGLE_UPPER;
  for_entries<WARPS> (s, [&] (T &entry) {
    T value = scale (second, scale (first, entry));
    entry = upper ? conj (value) : value;
  });
  return info == 0;
}

#endif
