// product_thin_launch.cuh: which pages the kernel of product_thin_kernel.cuh multiplies, its launch
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_THIN_LAUNCH_CUH
#define GPULINALG_PRODUCT_THIN_LAUNCH_CUH

#include "common/runtime.cuh"
#include "product_slim_kernel.cuh"

//------------------------------------------------------------------------------
// launches of the kernel of product_slim_kernel.cuh
//------------------------------------------------------------------------------

// Columns of X at most, terms at least; parts of the sums of a page at most, terms of a part at
// least, and blocks of a page that are wanted.
enum { SLIM_COLUMNS = 16, SLIM_TERMS = 256, SLIM_PARTS = 32, SLIM_SHARE = 96, SLIM_BLOCKS = 132 };
// Blocks of 16 rows of a page; each has SLIM_WARPS parts or more.
inline int64_t slim_groups (int64_t rows)
{
  return (rows + 15) / 16;
}
// So many that a page alone keeps all multiprocessors of an H100 busy.
inline int slim_parts (int64_t rows, int64_t k)
{
  int parts = SLIM_WARPS;
  while (parts < SLIM_PARTS && slim_groups (rows) * parts < SLIM_BLOCKS * SLIM_WARPS &&
         k >= 2 * parts * SLIM_SHARE)
    parts *= 2;
  return parts;
}
// Blocks of a cluster: a power of two up to `most`, as many as few pages need.
inline int slim_blocks (int64_t groups, int64_t pages, int most, int multiprocessors)
{
  int blocks = 1;
  while (blocks < most && groups * pages * blocks < multiprocessors)
    blocks *= 2;
  return blocks;
}

// True if two numbers can be read at a time: the first one is aligned to 16 bytes.
inline bool slim_is_wide (const page_operand<double> &a)
{
  return (uintptr_t)a.data % 16 == 0 && a.ld % 2 == 0 && a.page % 2 == 0;
}
inline bool slim_is_wide (const page_operand<cx<double>> &)
{
  return false; // a number is as much as can be read
}

template <class S, bool TURNED, bool WIDE>
cudaError_t launch_slim_kernel (thin_args<typename S::T, typename S::T> a, int parts,
                                const product_piece &piece, int64_t tiles, cudaStream_t stream)
{
  const auto kernel = product_slim_kernel<S, TURNED, WIDE>;
  const int64_t groups = ((int64_t)a.rows + S::GROUP - 1) / S::GROUP;
  const int64_t first = groups * piece.first_tile / tiles;
  const int64_t end = groups * (piece.first_tile + piece.tiles) / tiles;
  if (first == end)
    return cudaSuccess;
  const bool wide_x = a.x_term == 1 && a.first_term % 2 == 0 && slim_is_wide (a.X);
  a.blocks = slim_blocks (groups, piece.pages, parts / S::SPLIT, piece.multiprocessors);
  a.first_group = (int)first;
  int levels = 0; // of sums that wait in a block
  while (parts / (a.blocks * S::SPLIT) >> levels > 1)
    levels++;
  const size_t bytes = SLIM_WARPS * S::RING + levels * S::LEVEL;
  const cudaError_t error = allow_shared (kernel, bytes);
  if (error != cudaSuccess)
    return error;
  cluster_launch way (end - first, a.blocks, SLIM_THREADS, bytes, stream);
  way.config.gridDim.y = (unsigned)(piece.pages < 65535 ? piece.pages : 65535);
  return cudaLaunchKernelEx (&way.config, kernel, a, parts, wide_x);
}

// Warps of a block have other terms; or other rows if lines of the array are not lines of the
// memory and pages are many, because then adjacent rows are in the cache. The shapes are the
// fastest ones, as measured; all give the same bits.
template <bool TURNED, int TILES, class T>
cudaError_t launch_slim_tiles (const thin_args<T, T> &a, const product_piece &piece, int64_t tiles,
                               int64_t k, cudaStream_t stream)
{
  const int parts = slim_parts (a.rows, k);
  typedef slim_shape<T, 1, TILES, 1, 4> by_terms;
  if constexpr (!is_complex_v<T>) {
    typedef slim_shape<T, 1, TILES, 4, 4> by_rows;
    if ((TURNED ? a.first_term % 2 == 0 : a.rows % 2 == 0) && slim_is_wide (a.L))
      return launch_slim_kernel<by_terms, TURNED, true> (a, parts, piece, tiles, stream);
    if ((a.rows + 63) / 64 * piece.pages >= piece.multiprocessors)
      return launch_slim_kernel<by_rows, TURNED, false> (a, parts, piece, tiles, stream);
  }
  return launch_slim_kernel<by_terms, TURNED, false> (a, parts, piece, tiles, stream);
}

template <bool TURNED, class T>
cudaError_t launch_slim (const thin_args<T, T> &a, const product_piece &piece, int64_t tiles,
                         int64_t k, cudaStream_t stream)
{
  return a.columns <= 8 ? launch_slim_tiles<TURNED, 1> (a, piece, tiles, k, stream)
                        : launch_slim_tiles<TURNED, 2> (a, piece, tiles, k, stream);
}

//------------------------------------------------------------------------------
// which pages the kernel of product_thin_kernel.cuh multiplies, its launch
//------------------------------------------------------------------------------

// Rows of L, terms and elements of L at least: below, the tiles of a page take a few microseconds,
// or there are not enough sums of one thread to be worth their addition.
const int64_t THIN_ROWS = 256, THIN_TERMS = 128, THIN_ELEMENTS = 1 << 17;
// Blocks of a page that are wanted, of a cluster at most, and terms of a block at least.
enum { THIN_BLOCKS = 264, THIN_CLUSTER = 8, THIN_SHARE = 128 };

// Columns of X at most that the kernel of product_thin_kernel.cuh has. With more, tiles on tensor
// cores are faster for many pages, and the choice must not depend on their number.
template <class TL, class TX> constexpr int thin_most ()
{
  typedef decltype (real_t<TL> () + real_t<TX> ()) R;
  return sizeof (R) == 4 ? 8 : is_complex_v<TL> || is_complex_v<TX> ? 4 : 2;
}

// Double pages with more go by product_slim_kernel.cuh, real ones and complex ones.
template <class TL, class TX>
constexpr bool has_slim = std::is_same_v<TL, TX> && sizeof (real_t<TL>) == 8;

template <class TL, class TX> bool thin_serves (int64_t m, int64_t n, int64_t k)
{
  const int64_t rows = m > n ? m : n, columns = m > n ? n : m;
  const bool slim = has_slim<TL, TX> && k >= SLIM_TERMS;
  const int most = slim ? SLIM_COLUMNS : thin_most<TL, TX> ();
  return columns <= most && rows >= THIN_ROWS && k >= THIN_TERMS && rows * k >= THIN_ELEMENTS;
}

template <bool TURNED, int N, class TL, class TX>
cudaError_t launch_thin_shape (thin_args<TL, TX> a, const product_piece &piece, int64_t tiles,
                               int64_t k, cudaStream_t stream)
{
  typedef thin_shape<TL, TX, TURNED, N> S;
  const int64_t groups = ((int64_t)a.rows + S::ROWS - 1) / S::ROWS;
  const int64_t first = groups * piece.first_tile / tiles;
  const int64_t end = groups * (piece.first_tile + piece.tiles) / tiles;
  if (first == end)
    return cudaSuccess;
  a.blocks = 1;
  while (a.blocks < THIN_CLUSTER && groups * a.blocks < THIN_BLOCKS &&
         k >= 2 * a.blocks * THIN_SHARE)
    a.blocks *= 2;
  a.first_group = (int)first;
  cluster_launch way (end - first, a.blocks, THIN_THREADS, 0, stream);
  way.config.gridDim.y = (unsigned)(piece.pages < 65535 ? piece.pages : 65535);
  return cudaLaunchKernelEx (&way.config, product_thin_kernel<TL, TX, TURNED, N>, a);
}

template <bool TURNED, class TL, class TX>
cudaError_t launch_thin_columns (const thin_args<TL, TX> &a, const product_piece &piece,
                                 int64_t tiles, int64_t k, cudaStream_t stream)
{
  constexpr int most = thin_most<TL, TX> ();
  if constexpr (has_slim<TL, TX>)
    if (a.columns > most)
      return launch_slim<TURNED> (a, piece, tiles, k, stream);
  if constexpr (most > 4)
    if (a.columns > 4)
      return launch_thin_shape<TURNED, 8> (a, piece, tiles, k, stream);
  if constexpr (most > 2)
    if (a.columns > 2)
      return launch_thin_shape<TURNED, 4> (a, piece, tiles, k, stream);
  if (a.columns > 1)
    return launch_thin_shape<TURNED, 2> (a, piece, tiles, k, stream);
  return launch_thin_shape<TURNED, 1> (a, piece, tiles, k, stream);
}

// Of op (L)*op (X) the flips say whether X and C are conjugated: L never is.
template <class TL, class TX>
thin_args<TL, TX> thin_args_of (const page_operand<TL> &L, const page_operand<TX> &X, bool turned_x,
                                const product_piece &piece)
{
  thin_args<TL, TX> t = {};
  t.L = L;
  t.X = X;
  t.x_term = turned_x ? X.ld : 1;
  t.x_column = turned_x ? 1 : X.ld;
  t.first_page = piece.first_page;
  t.end_page = piece.first_page + piece.pages;
  t.first_term = piece.first_term;
  t.terms = piece.terms;
  t.add = piece.first_term > 0;
  return t;
}

template <class TA, class TB>
cudaError_t launch_thin (const product_args<TA, TB> &a, const product_piece &piece, int64_t tiles,
                         cudaStream_t stream, bool *done)
{
  *done = !a.hermitian && thin_serves<TA, TB> (a.m, a.n, a.k) && clusters_work ();
  if (!*done)
    return cudaSuccess;
  const auto launch = [&] (auto t, bool turned, bool conjugate) {
    t.C = a.C;
    t.page = a.page;
    t.flip = a.conjugate_a != a.conjugate_b;
    t.conjugate = conjugate;
    return turned ? launch_thin_columns<true> (t, piece, tiles, a.k, stream)
                  : launch_thin_columns<false> (t, piece, tiles, a.k, stream);
  };
  if (a.m > a.n) {
    thin_args<TA, TB> t = thin_args_of (a.A, a.B, a.transpose_b, piece);
    t.rows = a.m;
    t.columns = a.n;
    t.c_row = 1;
    t.c_column = a.ldc;
    return launch (t, a.transpose_a, a.conjugate_a);
  }
  thin_args<TB, TA> t = thin_args_of (a.B, a.A, !a.transpose_a, piece); // C.' = B.'*A.'
  t.rows = a.n;
  t.columns = a.m;
  t.c_row = a.ldc;
  t.c_column = 1;
  return launch (t, !a.transpose_b, a.conjugate_b);
}

#endif
