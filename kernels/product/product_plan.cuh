// product_plan.cuh: which kernel multiplies pages of which sizes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The choice depends on the sizes and types alone, so that a page has the same bits in every batch.

#ifndef GPULINALG_PRODUCT_PLAN_CUH
#define GPULINALG_PRODUCT_PLAN_CUH

#include "product_flat.cuh"
#include "product_tiles.cuh"

enum product_method {
  PRODUCT_FLAT,
  PRODUCT_TILES_16, // a page is one tile
  PRODUCT_TILES_32,
  PRODUCT_TILES_48,
  PRODUCT_TILES_64,
  PRODUCT_TILES_96,
  PRODUCT_TILES // of larger pages
};

// The flat kernel serves where reading the factors from shared memory takes no longer than bringing
// the page's bytes from the device's memory, and where a run has several pages. Else the smallest
// tile that holds the page.
inline product_method product_choose (int64_t m, int64_t n, int64_t k, size_t bytes)
{
  const double elements = (double)m * k + (double)k * n + (double)m * n;
  if (k > 0 && 8 * elements >= 3.0 * m * n * k && elements * bytes <= 16384)
    return PRODUCT_FLAT;
  const int64_t side = m > n ? m : n, other = m > n ? n : m;
  if (side <= 64)
    return side <= 16   ? PRODUCT_TILES_16
           : side <= 32 ? PRODUCT_TILES_32
           : side <= 48 ? PRODUCT_TILES_48
                        : PRODUCT_TILES_64;
  return side <= 96 && other > 64 ? PRODUCT_TILES_96 : PRODUCT_TILES;
}

// Tiles for products of elements of R, CC: complex ones. Each was the fastest of several, measured
// on one H200 (doc/notebook/product.md). All complex ones take four terms at a time, as in
// product_bulk.cuh, so that an element has the same bits in all tiles.
template <class R, bool CC, product_method M> struct tiles_for;
template <> struct tiles_for<double, false, PRODUCT_TILES_16> {
  typedef tile_shape<16, 16, 8, 16, 16, 4, 16, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES_16> {
  typedef tile_shape<16, 16, 8, 16, 16, 3, 12, 4> type;
};
template <> struct tiles_for<double, false, PRODUCT_TILES_32> {
  typedef tile_shape<32, 32, 32, 32, 16, 3, 4, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES_32> {
  typedef tile_shape<32, 32, 8, 16, 32, 3, 4, 4> type;
};
template <> struct tiles_for<double, false, PRODUCT_TILES_48> {
  typedef tile_shape<64, 64, 16, 32, 16, 3, 2, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES_48> {
  typedef tile_shape<48, 48, 8, 16, 24, 3, 2, 4> type;
};
template <> struct tiles_for<double, false, PRODUCT_TILES_64> {
  typedef tile_shape<64, 64, 32, 32, 32, 2, 3, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES_64> {
  typedef tile_shape<64, 64, 8, 32, 32, 3, 2, 4> type;
};
template <> struct tiles_for<double, false, PRODUCT_TILES_96> {
  typedef tile_shape<96, 96, 16, 48, 32, 3, 1, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES_96> {
  typedef tile_shape<48, 48, 8, 16, 24, 3, 2, 4> type; // four of them
};
template <> struct tiles_for<double, false, PRODUCT_TILES> {
  typedef tile_shape<64, 64, 16, 32, 32, 3, 3, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES> {
  typedef tile_shape<64, 64, 8, 32, 32, 3, 2, 4> type;
};
template <bool CC, product_method M> struct tiles_for<float, CC, M> {
  typedef tile_shape<64, 64, 8, 32, 16, 3, 2, CC ? 1 : 2> type;
};
template <bool CC> struct tiles_for<float, CC, PRODUCT_TILES_16> {
  typedef tile_shape<16, 16, 16, 16, 16, 3, 8, 2> type;
};
template <bool CC> struct tiles_for<float, CC, PRODUCT_TILES_32> {
  typedef tile_shape<32, 32, 16, 16, 16, 3, 4, 2> type;
};

// f (shape) for the tiles of a method.
template <class R, bool CC, class F> auto with_tiles (product_method method, F f)
{
  switch (method) {
  case PRODUCT_TILES_16:
    return f (typename tiles_for<R, CC, PRODUCT_TILES_16>::type ());
  case PRODUCT_TILES_32:
    return f (typename tiles_for<R, CC, PRODUCT_TILES_32>::type ());
  case PRODUCT_TILES_48:
    return f (typename tiles_for<R, CC, PRODUCT_TILES_48>::type ());
  case PRODUCT_TILES_64:
    return f (typename tiles_for<R, CC, PRODUCT_TILES_64>::type ());
  case PRODUCT_TILES_96:
    return f (typename tiles_for<R, CC, PRODUCT_TILES_96>::type ());
  default:
    return f (typename tiles_for<R, CC, PRODUCT_TILES>::type ());
  }
}

#endif
