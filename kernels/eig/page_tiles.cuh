// page_tiles.cuh: the last steps of he2hb for a page in shared memory: its tiles, and the panels by
// their Gram matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Called by he2hb_page.cu alone.

#ifndef GPULINALG_PAGE_TILES_CUH
#define GPULINALG_PAGE_TILES_CUH

#include "he2hb.cuh"
#include "hetrd_tiles.cuh"
#include "warp_page.cuh"

//------------------------------------------------------------------------------
// the QR factorisation of a panel from its products of columns, by one warp
//------------------------------------------------------------------------------

// The reflectors of a panel P of 8 columns need from its rows below the first 8 only V2 = P2 M with
// an 8 by 8 matrix M, and a reflector depends on the columns only through their products, F = P'P.
// A unitary transformation does not change F, and removing a row r of P subtracts r'r from F. So
// one sum over all rows is enough for 8 columns. The norm of the rest of a column is then a
// difference. If it is so small beside the whole column that digits are lost, the caller must use
// the method of he2hb.cuh.

// The part of the square of a column's norm that must be left when its reflector is made.
constexpr float GRAM_LEFT = 0.25f;

// 1/sqrt(a) and 1/a within about one unit in the last place, without a branch.
GLA_DEVICE double quick_rsqrt (double a)
{
  return fast_rsqrt (a);
}
GLA_DEVICE float quick_rsqrt (float a)
{
  float y = rsqrtf (a);
  return fmaf (y * fmaf (-a * y, y, 1.0f), 0.5f, y);
}
GLA_DEVICE double quick_reciprocal (double a)
{
  return fast_reciprocal (a);
}
GLA_DEVICE float quick_reciprocal (float a)
{
  float y = __fdividef (1.0f, a);
  return fmaf (y, fmaf (-a, y, 1.0f), y);
}

// The panel as one warp has it, lane 4a + b rows a and columns 2b and 2b+1.
template <class T> struct gram_panel {
  typedef real_t<T> R;
  T top[2];      // the first 8 rows: R above V's first rows
  T products[2]; // F
  T factor[2];   // M; while a column waits, what of P2 has become of it
  R before[2];   // the squares of the columns' norms, in the lanes that have the diagonal
  bool sound;
};

template <class T> GLA_DEVICE gram_panel<T> gram_start (const T (&top)[2], const T (&products)[2])
{
  gram_panel<T> g;
  int a = threadIdx.x % 32 / 4, b = threadIdx.x % 4 * 2;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    g.top[q] = top[q];
    g.products[q] = products[q];
    g.factor[q] = from_real<T> (a == b + q ? 1 : 0);
    g.before[q] = re (products[q]);
  }
  g.sound = true;
  return g;
}

// Row c of F: as it is kept, or where the panel ends with its first 8 rows, anew.
template <bool SHORT, class T>
GLA_DEVICE void gram_row (const gram_panel<T> &g, int c, T x, T (&products)[2])
{
  int lane = threadIdx.x % 32, row = 4 * c + lane % 4;
#pragma unroll
  for (int q = 0; q < 2; q++)
    if (SHORT) {
      T sum = lane / 4 >= c ? cmadd (x, g.top[q], from_real<T> (0)) : from_real<T> (0);
      for (int mask = 4; mask < 32; mask *= 2)
        sum = sum + shuffle_xor (sum, mask);
      products[q] = sum;
    } else {
      products[q] = from_lane (g.products[q], row);
    }
}

// Column c. The result for a column that has too little left is not used. R's row c is a_c'a over
// beta, so that F is updated for the next column while the reflector is made; F does not depend on
// the sign of beta.
template <bool SHORT, class T> GLA_DEVICE void gram_column (gram_panel<T> &g, int c, wide<T> *tau)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, a = lane / 4, b = lane % 4 * 2, odd = c % 2;
  int diagonal = 4 * c + c / 2, row = 4 * c + lane % 4, column = 4 * a + c / 2;
  T v = from_lane (g.top[odd], column), r[2];
  gram_row<SHORT> (g, c, v, r);
  R total = from_lane (re (r[odd]), c / 2), before = from_lane (g.before[odd], diagonal);
  bool none = SHORT && total == 0; // H = I
  g.sound &= (SHORT || total > (R)GRAM_LEFT * before) && (none || total > limits<R>::small_square);
  R over_norm = none ? R (0) : quick_rsqrt (total);
#pragma unroll
  for (int q = 0; q < 2; q++)
    r[q] = scale (over_norm, r[q]);
  T even = from_lane (r[0], a / 2), uneven = from_lane (r[1], a / 2);
#pragma unroll
  for (int q = 0; q < 2; q++)
    g.products[q] = cmadd (a % 2 ? -uneven : -even, r[q], g.products[q]);

  T alpha = from_lane (g.top[odd], diagonal);
  R over_beta = -copy_sign (over_norm, re (alpha)), beta = total * over_beta;
  T pivot = alpha - from_real<T> (beta);
  T inverse = scale (none ? R (0) : quick_reciprocal (abs2 (pivot)), conj (pivot));
  T m = from_lane (g.factor[odd], column);
  v = a > c ? v * inverse : from_real<T> (a == c ? 1 : 0);
  m = m * inverse;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    T taken = from_lane (g.top[q], row) + scale (copy_sign (R (1), re (alpha)), r[q]);
    taken = b + q > c && !none ? taken : from_real<T> (0);
    g.top[q] = madd (-v, taken, g.top[q]);
    g.factor[q] = madd (-m, taken, g.factor[q]);
  }
  if (b + odd == c) {
    g.top[odd] = a > c ? v : a == c ? from_real<T> (beta) : g.top[odd];
    g.factor[odd] = m;
  }
  if (lane == 0)
    tau[c] = widen (scale (-over_beta, pivot));
}

// All of them, without a branch, so that the columns' work is done while the next ones' norms are
// waited for. False where too little was left of one. SHORT: there are no rows below the first 8.
template <bool SHORT, class T> GLA_DEVICE bool gram_columns (gram_panel<T> &g, wide<T> *tau)
{
#pragma unroll(SHORT ? 2 : 8)
  for (int c = 0; c < EIG_BANDWIDTH; c++)
    gram_column<SHORT> (g, c, tau);
  return g.sound;
}

//------------------------------------------------------------------------------
// a page in shared memory as tiles of 8 by 8
//------------------------------------------------------------------------------

//------------------------------------------------------------------------------
// tiles of 8 by 8 in shared memory
//------------------------------------------------------------------------------

// The place of entry (i, j) of a tile, such that lanes that read two adjacent entries of a row, or
// of a column, use different banks.
template <class T> GLA_DEVICE int tile_place (int i, int j)
{
  if (sizeof (T) == 16)
    return i * 8 + ((i / 2 + i % 2 * 4) ^ (j / 2 + j % 2 * 4));
  if (sizeof (T) == 8)
    return (i ^ i / 2 % 2) * 8 + (j ^ i / 4 * 4);
  return (i ^ i / 4) * 8 + j;
}

// Two adjacent entries of a row; they are contiguous unless an entry has 16 bytes.
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

// The position of a warp among the tiles, and of the lane in each tile: one of eight rows of every
// fourth column.
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

// Copies the triangle that counts, unchanged, tile by tile; zeros where rows and columns are
// missing and above the diagonal.
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

// Replaces the lower triangle by the mean of it and of its mirror image.
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
