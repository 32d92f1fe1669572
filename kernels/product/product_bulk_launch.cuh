// product_bulk_launch.cuh: which pages the kernel of product_bulk.cuh multiplies, and its launch
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_BULK_LAUNCH_CUH
#define GPULINALG_PRODUCT_BULK_LAUNCH_CUH

#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>

#include "common/cluster.cuh"
#include "common/runtime.cuh"
#include "product_bulk.cuh"
#include "product_plan.cuh"

//------------------------------------------------------------------------------
// how many blocks of a kernel are launched
//------------------------------------------------------------------------------

// Returns how many blocks of a kernel the device holds at a time, and permits so much shared
// memory.
template <class K>
cudaError_t blocks_at_once (K kernel, int threads, size_t bytes, int multiprocessors,
                            int64_t &blocks)
{
  int on_each = 0;
  cudaError_t error = allow_shared (kernel, bytes);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor (&on_each, kernel, threads, bytes);
  blocks = (int64_t)multiprocessors * (on_each > 0 ? on_each : 1);
  return error;
}

//------------------------------------------------------------------------------
// which pages the kernel of product_bulk.cuh multiplies, and its launch
//------------------------------------------------------------------------------

// The tile for each order of pages. Each shape was the fastest of several, measured on one H100
// (doc/notebook/product.md); `speed` compares full tiles. A type without a tile for an order has
// speed 0.
enum bulk_method { BULK_NONE, BULK_32, BULK_48, BULK_64, BULK_96, BULK_128, BULK_192, BULK_256 };
template <class T, bulk_method M> struct bulk_for {
  typedef void type;
  static constexpr double speed = 0;
};
template <> struct bulk_for<double, BULK_32> {
  typedef bulk_shape<32, 32, 32, 16, 16, 3, 4> type;
  static constexpr double speed = 0.65;
};
template <> struct bulk_for<double, BULK_48> {
  typedef bulk_shape<48, 48, 48, 48, 16, 2, 3> type;
  static constexpr double speed = 0.66;
};
template <> struct bulk_for<double, BULK_64> {
  typedef bulk_shape<64, 64, 32, 32, 32, 2, 3> type;
  static constexpr double speed = 0.87;
};
template <> struct bulk_for<double, BULK_96> {
  typedef bulk_shape<96, 96, 16, 48, 32, 4, 2> type;
  static constexpr double speed = 0.95;
};
template <> struct bulk_for<double, BULK_128> {
  typedef bulk_shape<64, 128, 32, 32, 64, 2, 2> type;
  static constexpr double speed = 0.97;
};
template <> struct bulk_for<double, BULK_256> {
  typedef bulk_shape<128, 128, 32, 64, 32, 3, 1> type;
  static constexpr double speed = 1;
};
template <> struct bulk_for<cx<double>, BULK_32> {
  typedef bulk_shape<32, 32, 16, 16, 16, 2, 4> type;
  static constexpr double speed = 0.82;
};
template <> struct bulk_for<cx<double>, BULK_64> {
  typedef bulk_shape<64, 64, 16, 32, 32, 3, 2> type;
  static constexpr double speed = 0.95;
};
template <> struct bulk_for<cx<double>, BULK_96> {
  typedef bulk_shape<96, 32, 16, 24, 32, 3, 2> type;
  static constexpr double speed = 0.9;
};
template <> struct bulk_for<cx<double>, BULK_128> {
  typedef bulk_shape<128, 64, 16, 32, 32, 4, 1> type;
  static constexpr double speed = 1;
};
template <> struct bulk_for<cx<double>, BULK_192> {
  typedef bulk_shape<96, 64, 16, 24, 32, 5, 1> type;
  static constexpr double speed = 0.97;
};
template <> struct bulk_for<float, BULK_32> {
  typedef bulk_shape<32, 32, 32, 32, 32, 4, 6> type;
  static constexpr double speed = 0.6;
};
template <> struct bulk_for<float, BULK_64> {
  typedef bulk_shape<64, 64, 32, 32, 32, 3, 4> type;
  static constexpr double speed = 0.9;
};
template <> struct bulk_for<float, BULK_48> { // of single pages, which have few tiles
  typedef bulk_shape<32, 32, 64, 32, 32, 3, 4> type;
  static constexpr double speed = 0.7;
};
template <> struct bulk_for<float, BULK_96> {
  typedef bulk_shape<96, 96, 32, 32, 32, 4, 2> type;
  static constexpr double speed = 0.9;
};
template <> struct bulk_for<float, BULK_128> {
  typedef bulk_shape<128, 64, 32, 64, 32, 3, 3> type;
  static constexpr double speed = 1;
};
template <> struct bulk_for<cx<float>, BULK_32> {
  typedef bulk_shape<32, 32, 16, 32, 16, 4, 6> type;
  static constexpr double speed = 0.82;
};
template <> struct bulk_for<cx<float>, BULK_48> {
  typedef bulk_shape<48, 48, 16, 48, 16, 3, 4> type;
  static constexpr double speed = 0.85;
};
template <> struct bulk_for<cx<float>, BULK_64> {
  typedef bulk_shape<64, 64, 16, 64, 16, 3, 3> type;
  static constexpr double speed = 1;
};
template <> struct bulk_for<cx<float>, BULK_96> {
  typedef bulk_shape<96, 96, 16, 48, 16, 4, 1> type;
  static constexpr double speed = 0.9;
};
template <> struct bulk_for<cx<float>, BULK_128> {
  typedef bulk_shape<32, 32, 32, 32, 16, 3, 6> type;
  static constexpr double speed = 0.87;
};
template <> struct bulk_for<cx<float>, BULK_256> {
  typedef bulk_shape<64, 64, 32, 64, 16, 3, 2> type;
  static constexpr double speed = 1.1;
};

// Orders of pages from which on a tile is used: one with many terms at a time needs many.
template <class T, bulk_method M> constexpr int bulk_tile_least = M == BULK_256 ? 129 : 0;
template <> inline constexpr int bulk_tile_least<float, BULK_48> = 65;
template <> inline constexpr int bulk_tile_least<cx<float>, BULK_128> = 128;
template <> inline constexpr int bulk_tile_least<cx<float>, BULK_256> = 1025;

// The numbers of terms and orders of pages from which on the kernel is used.
enum { BULK_TERMS = 24 };
template <class T> constexpr int bulk_least = sizeof (real_t<T>) == 4 ? 20 : 25;

// What is multiplied, and by how many multiprocessors.
struct bulk_work {
  int m, n, k;
  double pages;
  bool hermitian;
  int multiprocessors;
};

// The fastest method so far, and its time in elements of C.
struct bulk_choice {
  bulk_method method;
  double cost;
};

// The time of tiles of shape S: that of the multiprocessor with the most tiles. Each warp of a tile
// has a quarter of a multiprocessor for itself.
template <class S> double bulk_cost (const bulk_work &w, double speed)
{
  const double down = (w.m + S::TM - 1) / S::TM, across = (w.n + S::TN - 1) / S::TN;
  const double tiles = w.pages * (w.hermitian ? down * (down + 1) / 2 : down * across);
  const double busy = std::ceil (tiles / w.multiprocessors) * S::TM * S::TN;
  const double alone = 4 * S::WM * S::WN;
  return busy / speed > alone ? busy / speed : alone;
}

// Takes M where its tiles need less time. Hermitian products have square tiles.
template <class T, bulk_method M> void bulk_try (bulk_choice &best, const bulk_work &w)
{
  typedef bulk_for<T, M> F;
  if constexpr (F::speed > 0) {
    typedef typename F::type S;
    const double cost = bulk_cost<S> (w, F::speed);
    const int most = w.m > w.n ? w.m : w.n;
    if (cost < best.cost && most >= bulk_tile_least<T, M> && (!w.hermitian || S::TM == S::TN))
      best = {M, cost};
  }
}

// An element has the same bits in all tiles, so the choice may depend on the number of pages.
template <class T> bulk_method bulk_choose (const bulk_work &w)
{
  const int most = w.m > w.n ? w.m : w.n, least = w.m > w.n ? w.n : w.m;
  if (least < bulk_least<T> || w.k < BULK_TERMS)
    return BULK_NONE;
  if (std::is_same_v<T, cx<double>> && most > 32 && most <= 48)
    return BULK_NONE; // the other kernel is as fast
  bulk_choice best = {BULK_NONE, 1e300};
  if (std::is_same_v<T, float>)
    bulk_try<T, BULK_48> (best, w); // where this one and the next are equal
  bulk_try<T, BULK_32> (best, w);
  bulk_try<T, BULK_48> (best, w);
  bulk_try<T, BULK_64> (best, w);
  bulk_try<T, BULK_96> (best, w);
  bulk_try<T, BULK_128> (best, w);
  bulk_try<T, BULK_192> (best, w);
  bulk_try<T, BULK_256> (best, w);
  return best.method;
}

// The map of an operand for tiles of so many columns and rows. Where its rows fill lines of 128
// bytes, a tile is one box, else there is one for each line. Pages are those of the operand, whose
// number is not known where there is an index.
template <class T>
bool bulk_map (tensor_map *map, const page_operand<T> &a, int rows, int columns, int64_t pages,
               int tile_rows, int tile_columns)
{
  const int parts = bulk_parts<T>, line = 128 / (int)sizeof (T);
  const int64_t count = a.page == 0 ? 1 : a.index != nullptr ? INT_MAX : pages;
  const int64_t page = count == 1 ? 0 : a.page * parts; // of a single page it may be anything
  const tensor_pages array = {
      a.data, (int)sizeof (T) / parts, (int64_t)rows * parts, columns, count, a.ld * parts, page};
  return tensor_map_fill (map, array, tile_columns, rows % line == 0 ? tile_rows / line : 0);
}

// Sets the arguments of a launch with tiles of shape S from those of a piece with pages of so many
// `tiles`: the same part of the work in tiles of its own. False if they are too many.
template <class T, class S, bulk_kind KIND>
bool bulk_args_fill (bulk_args<T> &args, const product_args<T, T> &a, const product_piece &piece,
                     int64_t tiles)
{
  args.down = (a.m + S::TM - 1) / S::TM;
  const int64_t in_page = (int64_t)args.down *
                          (KIND == BULK_HERMITIAN ? args.down + 1 : (a.n + S::TN - 1) / S::TN) /
                          (KIND == BULK_HERMITIAN ? 2 : 1);
  const int64_t first = in_page * piece.first_tile / tiles;
  const int64_t end =
      (piece.pages - 1) * in_page + in_page * (piece.first_tile + piece.tiles) / tiles;
  args.in_page = (int)in_page;
  args.first = (int)first;
  args.items = (int)end;
  args.C = a.C;
  args.ldc = a.ldc;
  args.page = a.page;
  args.first_page = (int)piece.first_page;
  args.m = a.m;
  args.n = a.n;
  args.k = a.k;
  args.wide = (uintptr_t)a.C % 16 == 0 && a.ldc % 2 == 0 && a.page % 2 == 0;
  args.flip = a.conjugate_a != a.conjugate_b ? 1u << 31 : 0;
  args.conjugate = a.conjugate_b ? 1u << 31 : 0;
  return piece.pages * in_page < INT_MAX / 2;
}

// Launches a kernel with tiles of shape S, whose first arguments are the operands. Where a page has
// one tile or two and multiprocessors have several blocks, a block for each tile is some per cent
// faster than blocks that go on from tile to tile.
template <class T, class S, class K, class... OPERANDS>
cudaError_t bulk_launch (K kernel, const bulk_args<T> &args, int multiprocessors,
                         cudaStream_t stream, const OPERANDS &...operands)
{
  constexpr size_t bytes = S::STAGES * S::template bytes<T>;
  int64_t at_once;
  const cudaError_t error = blocks_at_once (kernel, S::THREADS, bytes, multiprocessors, at_once);
  if (error != cudaSuccess)
    return error;
  const int64_t all = args.items - args.first;
  const bool each = all < at_once || (args.in_page <= 2 && S::BLOCKS > 1);
  kernel<<<(unsigned)(each ? all : at_once), S::THREADS, bytes, stream>>> (operands..., args);
  return cudaGetLastError ();
}

// Whether a multiprocessor can hold the pairs of tiles of shape S; barriers and the alignment of
// the pairs take less than 2 KB.
template <class T, class S> bool bulk_fits ()
{
  return S::STAGES * S::template bytes<T> + 2048 <= block_shared_most ();
}

// BULK_ADDED of complex double pages only; BULK_HERMITIAN with square tiles, of square pages.
template <class T, bool TRA, bool TRB, class S, bulk_kind KIND>
cudaError_t launch_bulk_shape (const product_args<T, T> &a, const product_piece &piece,
                               int64_t tiles, cudaStream_t stream, bool *done)
{
  static_assert (KIND != BULK_HERMITIAN || S::TM == S::TN, "tiles have mirror images");
  *done = bulk_fits<T, S> ();
  if (!*done)
    return cudaSuccess;
  tensor_map map_a, map_b;
  const int64_t pages = piece.first_page + piece.pages;
  const int a_rows = TRA ? a.k : a.m, b_rows = TRB ? a.n : a.k;
  bulk_args<T> args = {};
  args.a_step = a.A.page != 0;
  args.b_step = a.B.page != 0;
  *done = bulk_map (&map_a, a.A, a_rows, TRA ? a.m : a.k, pages, TRA ? S::TK : S::TM,
                    TRA ? S::TM : S::TK) &&
          bulk_map (&map_b, a.B, b_rows, TRB ? a.k : a.n, pages, TRB ? S::TN : S::TK,
                    TRB ? S::TK : S::TN);
  *done = *done && bulk_args_fill<T, S, KIND> (args, a, piece, tiles);
  if (!*done || args.first == args.items)
    return cudaSuccess;
  args.a_index = args.a_step != 0 ? a.A.index : nullptr;
  args.b_index = args.b_step != 0 ? a.B.index : nullptr;
  args.a_lines = a_rows % (128 / (int)sizeof (T)) == 0;
  args.b_lines = b_rows % (128 / (int)sizeof (T)) == 0;
  return bulk_launch<T, S> (product_bulk_kernel<T, TRA, TRB, S, KIND>, args, piece.multiprocessors,
                            stream, map_a, map_b);
}

// How the operands of a kernel lie, and its kind of tiles.
template <bool TRA_, bool TRB_, bulk_kind KIND_> struct bulk_variant {
  static constexpr bool TRA = TRA_, TRB = TRB_;
  static constexpr bulk_kind KIND = KIND_;
};

// launch (variant) for that of the products; BULK_HERMITIAN with square tiles.
template <class S, class T, class F>
cudaError_t with_bulk_variant (const product_args<T, T> &a, F launch)
{
  if constexpr (S::TM == S::TN)
    if (a.hermitian)
      return a.transpose_a ? launch (bulk_variant<true, false, BULK_HERMITIAN> ())
                           : launch (bulk_variant<false, true, BULK_HERMITIAN> ());
  if (a.transpose_a)
    return a.transpose_b ? launch (bulk_variant<true, true, BULK_STORED> ())
                         : launch (bulk_variant<true, false, BULK_STORED> ());
  return a.transpose_b ? launch (bulk_variant<false, true, BULK_STORED> ())
                       : launch (bulk_variant<false, false, BULK_STORED> ());
}

template <bulk_method M, class T>
cudaError_t launch_bulk_method (const product_args<T, T> &a, const product_piece &piece,
                                int64_t tiles, cudaStream_t stream, bool *done)
{
  if constexpr (bulk_for<T, M>::speed > 0) {
    typedef typename bulk_for<T, M>::type S;
    return with_bulk_variant<S> (a, [&] (auto variant) {
      typedef decltype (variant) V;
      return launch_bulk_shape<T, V::TRA, V::TRB, S, V::KIND> (a, piece, tiles, stream, done);
    });
  }
  return cudaSuccess;
}

// True if sums are whole, pages can be counted, and Hermitian products are those of a matrix and
// its transpose, without weights.
template <class T> bool bulk_can (const product_args<T, T> &a, const product_piece &piece)
{
  const bool special = a.hermitian && (a.transpose_a == a.transpose_b || a.weights != nullptr);
  return !special && piece.terms == a.k && piece.first_page + piece.pages <= INT_MAX &&
         clusters_work ();
}

template <class T> bulk_work bulk_work_of (const product_args<T, T> &a, const product_piece &piece)
{
  return {a.m, a.n, a.k, (double)piece.pages, a.hermitian, piece.multiprocessors};
}

// `done` is set if this kernel can multiply the pages, and has.
template <class T>
cudaError_t launch_bulk (const product_args<T, T> &a, const product_piece &piece, int64_t tiles,
                         cudaStream_t stream, bool *done)
{
  *done = false;
  const bulk_method method = bulk_choose<T> (bulk_work_of (a, piece));
  if (method == BULK_NONE || !bulk_can (a, piece))
    return cudaSuccess;
  switch (method) {
  case BULK_32:
    return launch_bulk_method<BULK_32> (a, piece, tiles, stream, done);
  case BULK_48:
    return launch_bulk_method<BULK_48> (a, piece, tiles, stream, done);
  case BULK_64:
    return launch_bulk_method<BULK_64> (a, piece, tiles, stream, done);
  case BULK_96:
    return launch_bulk_method<BULK_96> (a, piece, tiles, stream, done);
  case BULK_128:
    return launch_bulk_method<BULK_128> (a, piece, tiles, stream, done);
  case BULK_192:
    return launch_bulk_method<BULK_192> (a, piece, tiles, stream, done);
  default:
    return launch_bulk_method<BULK_256> (a, piece, tiles, stream, done);
  }
}

#endif
