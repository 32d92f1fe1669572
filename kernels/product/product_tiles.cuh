// product_tiles.cuh: products of pages, tile by tile
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A block has a tile of TM by TN elements of C of one page, then the tile that lies as many tiles
// further, counted over all pages, as there are blocks. For each tile it runs through the terms of
// the sums, TK at a time: TM by TK elements of A and TK by TN of B are copied to shared memory,
// STAGES-1 such pairs ahead of the one that is multiplied, also across the end of a tile. A warp
// has WM by WN elements of the tile. Transposes need no work: a pair lies in shared memory as in
// the page, and the warps read it either way. What lies outside of the page is 0 in shared memory.

#ifndef GPULINALG_PRODUCT_TILES_CUH
#define GPULINALG_PRODUCT_TILES_CUH

#include "common/async_copy.cuh"
#include "product_warp.cuh"

template <int TM_, int TN_, int TK_, int WM_, int WN_, int STAGES_, int BLOCKS_, int TERMS_ = 8>
struct tile_shape {
  static constexpr int TM = TM_, TN = TN_, TK = TK_, WM = WM_, WN = WN_, STAGES = STAGES_;
  static constexpr int BLOCKS = BLOCKS_; // on a multiprocessor, at least
  static constexpr int TERMS = TERMS_;   // that a warp multiplies at a time
  static constexpr int WARPS_M = TM / WM, THREADS = 32 * WARPS_M * (TN / WN);
};

// Both operands: transposed or not, in shared memory.
template <class TA, class TB, bool TRA, bool TRB, class S> struct tile_stage {
  typedef tile_layout<TA, TRA, S::TM, S::TK> LA;
  typedef tile_layout<TB, !TRB, S::TN, S::TK> LB;
  typename LA::number a[LA::numbers];
  typename LB::number b[LB::numbers];
};

// Copies the first `rows` and `columns` of a tile; what is beyond is 0. WIDE: 16 bytes at a time,
// which the operand must be aligned to. A thread has rows of its own.
template <bool WIDE, class L, int THREADS, class T>
GLA_DEVICE void copy_tile (typename L::number *to, const T *tile, int64_t ld, int rows, int columns)
{
  typedef typename L::number number;
  constexpr int PARTS = sizeof (T) / sizeof (number); // of an element
  constexpr int UNIT = WIDE ? 16 / (int)sizeof (number) : 1, UNITS = L::contiguous * PARTS / UNIT;
  constexpr int COUNT = UNITS * L::columns, STEP = THREADS / UNITS;
  static_assert (THREADS % UNITS == 0 || COUNT <= THREADS, "rows of its own");
  const int row = threadIdx.x % UNITS * UNIT;
  int column = threadIdx.x / UNITS;
  const int valid = max (0, min (rows * PARTS - row, UNIT)) * (int)sizeof (number);
  const number *from = reinterpret_cast<const number *> (tile + column * ld) + row;
#pragma unroll
  for (int x = 0; x < (COUNT + THREADS - 1) / THREADS; x++) {
    if ((x + 1) * THREADS > COUNT && threadIdx.x + x * THREADS >= COUNT)
      break;
    number *place = to + L::place (row / PARTS, column) + row % PARTS * L::part;
    async_copy<UNIT *(int)sizeof (number)> (place, from, column < columns ? valid : 0);
    column += STEP;
    from += STEP * PARTS * ld;
  }
}

template <class L, int THREADS, class T>
GLA_DEVICE void load_tile (typename L::number *to, const T *from, int64_t ld, int rows, int columns,
                           bool wide)
{
  if (!L::split && wide)
    copy_tile<true, L, THREADS, T> (to, from, ld, rows, columns);
  else
    copy_tile<false, L, THREADS, T> (to, from, ld, rows, columns);
}

// The same for tiles of double precision that lie in the page as a whole, 16 bytes at a time, or,
// where the parts of complex numbers lie apart, 8: all that depends on the thread is computed once
// for each tile of C.
template <class T, class L, int THREADS> struct whole_copy {
  typedef std::conditional_t<L::split, uint2, uint4> unit;
  static constexpr int PARTS = L::split ? 2 : 1, UNIT = L::split ? 1 : 2;
  static constexpr int UNITS = L::contiguous * PARTS / UNIT, STEP = THREADS / UNITS;
  static constexpr bool possible = std::is_same_v<typename L::number, double> &&
                                   (L::split || L::swizzled) && THREADS % UNITS == 0 &&
                                   L::columns % (THREADS >= UNITS ? STEP : 1) == 0;
  const char *from;
  int64_t step; // bytes

  GLA_DEVICE void begin (const T *tile, int64_t ld)
  {
    from = reinterpret_cast<const char *> (tile + threadIdx.x / UNITS * ld) +
           threadIdx.x % UNITS * sizeof (unit);
    step = STEP * ld * (int)sizeof (T);
  }
  // Copies the tile; the next one lies `next` elements behind it.
  GLA_DEVICE void copy (double *to, int64_t next)
  {
    const int row = threadIdx.x % UNITS * UNIT, column = threadIdx.x / UNITS;
    const char *at = from;
    to += row % PARTS * L::part;
#pragma unroll
    for (int x = 0; x < L::columns / STEP; x++) {
      async_copy (reinterpret_cast<unit *> (to + L::place (row / PARTS, column + x * STEP)),
                  reinterpret_cast<const unit *> (at));
      at += step;
    }
    from += next * (int)sizeof (T);
  }
};

// A tile of C.
struct tile_place {
  int64_t page;
  int row, column;
};

// Tile number `item` of the launch; one behind it where that lies above the diagonal of a Hermitian
// product. Tiles are counted down the columns of a page, then page by page.
template <class S, class ARGS>
GLA_DEVICE tile_place find_tile (unsigned &item, unsigned items, const ARGS &a,
                                 const product_piece &piece)
{
  const unsigned down = (a.m + S::TM - 1) / S::TM;
  tile_place w = {piece.first_page, 0, 0};
  for (; item < items; item += gridDim.x) {
    unsigned tile = piece.first_tile;
    if (piece.pages == 1)
      tile += item;
    else if (piece.tiles == 1)
      w.page = piece.first_page + item;
    else {
      w.page = piece.first_page + item / piece.tiles;
      tile = item % piece.tiles;
    }
    w.row = (int)(tile % down) * S::TM;
    w.column = (int)(tile / down) * S::TN;
    if (!a.hermitian || w.row + S::TM > w.column)
      break;
  }
  return w;
}

// Terms at the start of a tile's sums that are 0, in whole pairs, because the first factor is upper
// triangular.
template <class S, class ARGS> GLA_DEVICE int zero_terms (const ARGS &a, int row)
{
  return a.upper ? row / S::TK * S::TK : 0;
}

// The pairs of a block, one after the other, for copies.
template <class TA, class TB, bool TRA, bool TRB, class S> struct pair_source {
  typedef tile_stage<TA, TB, TRA, TRB, S> stage;
  unsigned item;
  int terms; // left of this tile
  int rows, columns;
  const TA *A;
  const TB *B;
  typedef whole_copy<TA, typename stage::LA, S::THREADS> whole_a;
  typedef whole_copy<TB, typename stage::LB, S::THREADS> whole_b;
  static constexpr bool WHOLE = whole_a::possible && whole_b::possible;
  bool wide_a, wide_b, whole;
  std::conditional_t<WHOLE, whole_a, char> next_a;
  std::conditional_t<WHOLE, whole_b, char> next_b;

  GLA_DEVICE void place (unsigned items, const product_args<TA, TB> &a, const product_piece &piece)
  {
    const tile_place w = find_tile<S> (item, items, a, piece);
    if (item >= items)
      return;
    const int row = w.row, column = w.column, zeros = zero_terms<S> (a, row);
    const int term = piece.first_term + zeros;
    A = a.A.at (w.page) + (TRA ? row * a.A.ld + term : term * a.A.ld + row);
    B = a.B.at (w.page) + (TRB ? term * a.B.ld + column : column * a.B.ld + term);
    rows = a.m - row;
    columns = a.n - column;
    terms = piece.terms - zeros;
    if constexpr (WHOLE) {
      whole = (stage::LA::split || wide_a) && (stage::LB::split || wide_b) && rows >= S::TM &&
              columns >= S::TN && terms % S::TK == 0;
      next_a.begin (A, a.A.ld);
      next_b.begin (B, a.B.ld);
    }
  }
  GLA_DEVICE void load (stage &to, unsigned items, const product_args<TA, TB> &a,
                        const product_piece &piece)
  {
    if (item >= items)
      return;
    const int64_t step_a = TRA ? S::TK : S::TK * a.A.ld, step_b = TRB ? S::TK * a.B.ld : S::TK;
    if (WHOLE && whole) {
      if constexpr (WHOLE) {
        next_a.copy (to.a, step_a);
        next_b.copy (to.b, step_b);
      }
    } else {
      load_tile<typename stage::LA, S::THREADS> (to.a, A, a.A.ld, TRA ? terms : rows,
                                                 TRA ? rows : terms, wide_a);
      load_tile<typename stage::LB, S::THREADS> (to.b, B, a.B.ld, TRB ? columns : terms,
                                                 TRB ? terms : columns, wide_b);
      A += step_a;
      B += step_b;
    }
    terms -= S::TK;
    if (terms <= 0) {
      item += gridDim.x;
      place (items, a, piece);
    }
  }
};

// Writes the warp's elements of C, which begin at (row, column).
template <class SUMS, class ARGS>
GLA_DEVICE void store_sums (const SUMS &sums, const ARGS &a, int64_t page, int row, int column)
{
  typedef typename SUMS::T T;
  T *C = a.C + page * a.page + column * a.ldc + row;
  const int rows = a.m - row, columns = a.n - column;
  sums.each ([&] (int r, int c, T value) {
    if (r < rows && c < columns)
      C[c * a.ldc + r] = conj_if (value, a.conjugate_b);
  });
}

// The value that is stored for an entry of a Hermitian product.
template <class T>
GLA_DEVICE T weighted (T value, const product_args<T, T> &a, int64_t page, bool diagonal)
{
  typedef real_t<T> R;
  if (a.weights == nullptr)
    return value;
  const double2 w = a.weights[page];
  const T off = diagonal ? value - from_real<T> (R (1)) : value;
  if (a.far != nullptr && !((double)absmax (off) <= PRODUCT_NEAR))
    a.far[page] = 1;
  value = scale ((R)w.y, value);
  return diagonal ? value + from_real<T> ((R)w.x) : value;
}

// Adds them to what is there where `add` is set. Of a Hermitian product writes those on and below
// the diagonal, and their conjugates above.
template <class SUMS, class ARGS>
GLA_DEVICE void store_special (const SUMS &sums, const ARGS &a, int64_t page, int row, int column,
                               bool add)
{
  typedef typename SUMS::T T;
  T *C = a.C + page * a.page + column * a.ldc + row;
  const int rows = a.m - row, columns = a.n - column, below = row - column;
  const int64_t mirror = below * (a.ldc - 1); // from (column, row) to (row, column)
  sums.each ([&] (int r, int c, T value) {
    if (r >= rows || c >= columns || (a.hermitian && r + below < c))
      return;
    T *to = C + c * a.ldc + r;
    value = conj_if (value, a.conjugate_b);
    if (add)
      value = value + *to;
    if (a.hermitian && r + below == c)
      value = from_real<T> (re (value));
    if constexpr (std::is_same_v<ARGS, product_args<T, T>>)
      value = weighted (value, a, page, r + below == c);
    *to = value;
    if (a.hermitian && r + below > c)
      C[mirror + r * a.ldc + c] = conj (value);
  });
}

// A block has a tile of C, in a loop over the tiles of all pages of the piece; a warp has S::WM x
// S::WN entries of it.
template <class TA, class TB, bool TRA, bool TRB, class S>
__global__ void __launch_bounds__ (S::THREADS, S::BLOCKS)
    product_tiles_kernel (product_args<TA, TB> a, product_piece piece, bool wide_a, bool wide_b)
{
  typedef tile_stage<TA, TB, TRA, TRB, S> stage_type;
  typedef warp_sums<real_t<product_t<TA, TB>>, TA, TB, S::WM, S::WN, S::TERMS> sums_type;
  extern __shared__ __align__ (128) unsigned char memory[];
  stage_type *stages = reinterpret_cast<stage_type *> (memory);
  const int warp = threadIdx.x / 32;
  const int warp_row = warp % S::WARPS_M * S::WM, warp_column = warp / S::WARPS_M * S::WN;
  const bool flip = a.conjugate_a != a.conjugate_b;

  const unsigned items = (unsigned)(piece.pages * piece.tiles);
  const auto in_a = sums_type::template places_a<typename stage_type::LA> (warp_row);
  const auto in_b = sums_type::template places_b<typename stage_type::LB> (warp_column);
  pair_source<TA, TB, TRA, TRB, S> source;
  source.wide_a = wide_a;
  source.wide_b = wide_b;
  source.item = blockIdx.x;
  source.place (items, a, piece);
#pragma unroll
  for (int s = 0; s < S::STAGES - 1; s++) {
    source.load (stages[s], items, a, piece);
    async_commit ();
  }
  int stage = 0;
  sums_type sums;
  for (unsigned item = blockIdx.x; item < items; item += gridDim.x) {
    const tile_place w = find_tile<S> (item, items, a, piece);
    if (item >= items)
      break;
    const int row = w.row + warp_row, column = w.column + warp_column;
    const int rows = a.m - row, columns = a.n - column;
    sums.clear ();
    for (int left = piece.terms - zero_terms<S> (a, w.row); left > 0; left -= S::TK) {
      async_wait<S::STAGES - 2> ();
      __syncthreads (); // this pair is there, and no warp reads the one before
      source.load (stages[stage == 0 ? S::STAGES - 1 : stage - 1], items, a, piece);
      async_commit ();
      const stage_type &here = stages[stage];
      stage = stage == S::STAGES - 1 ? 0 : stage + 1;
      if (rows <= 0 || columns <= 0)
        continue;
#pragma unroll
      for (int l = 0; l < S::TK; l += S::TERMS) {
        if (l > 0 && l >= left)
          break;
        typename sums_type::part part;
        sums_type::load (part, here.a, in_a, here.b, in_b, l, flip);
        if (rows >= S::WM && columns >= S::WN)
          sums.template add<true> (part, rows, columns);
        else
          sums.template add<false> (part, rows, columns);
      }
    }
    if (a.hermitian || piece.first_term > 0)
      store_special (sums, a, w.page, row, column, piece.first_term > 0);
    else
      store_sums (sums, a, w.page, row, column);
  }
}

#endif
