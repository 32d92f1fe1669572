// product_launch.cuh: launches of the kernels of page products, for one pair of types
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_LAUNCH_CUH
#define GPULINALG_PRODUCT_LAUNCH_CUH

#include <cuda_runtime.h>
#include "product_loose.cuh"
#include "product.cuh"

// Threads of the flat kernel, its stages, and bytes of a stage.
enum { FLAT_THREADS = 128, FLAT_STAGES = 4, FLAT_BYTES = 8192 };

//------------------------------------------------------------------------------
// small pages
//------------------------------------------------------------------------------

inline int rounded_up (int64_t a, int to)
{
  return (int)((a + to - 1) / to * to);
}

// A shared operand is in every stage once.
template <class T>
flat_source flat_source_of (const page_operand<T> &a, int rows, int columns, int64_t first, int run)
{
  flat_source s;
  s.page = rows * columns;
  s.stride = a.index == nullptr && a.page == 0 ? 0 : s.page;
  const bool dense = (a.ld == rows || columns == 1) && (s.stride == 0 || a.page == s.page);
  s.packed = dense && a.index == nullptr && (uintptr_t)(a.data + first * a.page) % 16 == 0 &&
             run * a.page * sizeof (T) % 16 == 0;
  s.by_page = divisor::of ((unsigned)s.page);
  s.by_rows = divisor::of ((unsigned)rows);
  return s;
}

template <class TA, class TB, int N, bool TRA, bool TRB>
cudaError_t launch_flat (const product_args<TA, TB> &a, const product_piece &piece,
                         cudaStream_t stream)
{
  constexpr int COLUMNS = N == 8 ? 2 : N == 6 ? (is_complex_v<TA> ? 2 : 3) : 1;
  const auto kernel = product_flat_kernel<TA, TB, N, TRA, TRB, COLUMNS, FLAT_THREADS, FLAT_STAGES>;
  const int64_t page_bytes = (int64_t)a.m * a.k * sizeof (TA) + (int64_t)a.k * a.n * sizeof (TB);
  flat_plan p;
  p.run = (int)(FLAT_BYTES / page_bytes) / 4 * 4; // of four pages of any type all bytes are 16s
  p.run = p.run == 0 ? 1 : p.run;
  p.a = flat_source_of (a.A, a.transpose_a ? a.k : a.m, a.transpose_a ? a.m : a.k, piece.first_page,
                        p.run);
  p.b = flat_source_of (a.B, a.transpose_b ? a.n : a.k, a.transpose_b ? a.k : a.n, piece.first_page,
                        p.run);
  p.b_offset = rounded_up ((int64_t)p.run * p.a.page * sizeof (TA), 16);
  p.stage = p.b_offset + rounded_up ((int64_t)p.run * p.b.page * sizeof (TB), 16);
  p.by_c = divisor::of ((unsigned)(a.m * a.n));
  p.by_m = divisor::of ((unsigned)a.m);
  const size_t bytes = (size_t)p.stage * FLAT_STAGES;
  const int64_t runs = (piece.pages + p.run - 1) / p.run;
  int64_t blocks;
  const cudaError_t error =
      blocks_at_once (kernel, FLAT_THREADS, bytes, piece.multiprocessors, blocks);
  if (error != cudaSuccess)
    return error;
  kernel<<<(unsigned)(runs < blocks ? runs : blocks), FLAT_THREADS, bytes, stream>>> (
      a, p, piece.first_page, piece.pages);
  return cudaGetLastError ();
}

// Square pages of the common sizes have a kernel each.
template <class TA, class TB, int N>
cudaError_t launch_square (const product_args<TA, TB> &a, const product_piece &piece,
                           cudaStream_t stream)
{
  if (a.transpose_a)
    return a.transpose_b ? launch_flat<TA, TB, N, true, true> (a, piece, stream)
                         : launch_flat<TA, TB, N, true, false> (a, piece, stream);
  return a.transpose_b ? launch_flat<TA, TB, N, false, true> (a, piece, stream)
                       : launch_flat<TA, TB, N, false, false> (a, piece, stream);
}

template <class TA, class TB>
cudaError_t launch_small (const product_args<TA, TB> &a, const product_piece &piece,
                          cudaStream_t stream)
{
  if constexpr (sizeof (real_t<TA>) == 8 && std::is_same_v<TA, TB>)
    switch (a.m == a.n && a.n == a.k ? a.m : 0) {
    case 2:
      return launch_square<TA, TB, 2> (a, piece, stream);
    case 3:
      return launch_square<TA, TB, 3> (a, piece, stream);
    case 4:
      return launch_square<TA, TB, 4> (a, piece, stream);
    case 6:
      return launch_square<TA, TB, 6> (a, piece, stream);
    case 8:
      return launch_square<TA, TB, 8> (a, piece, stream);
    }
  return launch_flat<TA, TB, 0, false, false> (a, piece, stream);
}

//------------------------------------------------------------------------------
// tiles
//------------------------------------------------------------------------------

template <class T> bool is_wide (const page_operand<T> &a)
{
  return ((uintptr_t)a.data | a.ld * sizeof (T) | a.page * sizeof (T)) % 16 == 0;
}

template <class TA, class TB, bool TRA, bool TRB, class S>
cudaError_t launch_shape (const product_args<TA, TB> &a, const product_piece &piece,
                          cudaStream_t stream)
{
  const auto kernel = product_tiles_kernel<TA, TB, TRA, TRB, S>;
  constexpr size_t bytes = S::STAGES * sizeof (tile_stage<TA, TB, TRA, TRB, S>);
  static_assert (bytes <= PRODUCT_SHARED, "every device that is used has it");
  const int64_t items = piece.pages * piece.tiles;
  int64_t blocks;
  const cudaError_t error =
      blocks_at_once (kernel, S::THREADS, bytes, piece.multiprocessors, blocks);
  if (error != cudaSuccess)
    return error;
  kernel<<<(unsigned)(items < blocks ? items : blocks), S::THREADS, bytes, stream>>> (
      a, piece, is_wide (a.A), is_wide (a.B));
  return cudaGetLastError ();
}

template <class TA, class TB, class S>
cudaError_t launch_tiles (const product_args<TA, TB> &a, const product_piece &piece,
                          cudaStream_t stream)
{
  if (a.transpose_a)
    return a.transpose_b ? launch_shape<TA, TB, true, true, S> (a, piece, stream)
                         : launch_shape<TA, TB, true, false, S> (a, piece, stream);
  return a.transpose_b ? launch_shape<TA, TB, false, true, S> (a, piece, stream)
                       : launch_shape<TA, TB, false, false, S> (a, piece, stream);
}

//------------------------------------------------------------------------------
// the choice
//------------------------------------------------------------------------------

template <class TA, class TB>
cudaError_t product_pages (const product_args<TA, TB> &a, const product_piece &piece,
                           cudaStream_t stream)
{
  typedef product_t<TA, TB> T;
  const product_method method = product_choose (a.m, a.n, a.k, sizeof (T));
  if (method == PRODUCT_FLAT)
    return launch_small (a, piece, stream);
  bool done;
  const int64_t tiles = product_tiles<TA, TB> (a.m, a.n, a.k);
  cudaError_t error = launch_thin (a, piece, tiles, stream, &done);
  if (done || error != cudaSuccess)
    return error;
  if constexpr (std::is_same_v<TA, TB>) {
    error = launch_bulk (a, piece, tiles, stream, &done);
    if (!done && error == cudaSuccess)
      error = launch_loose (a, piece, tiles, stream, &done);
    if (done || error != cudaSuccess)
      return error;
  }
  return with_tiles<real_t<T>, is_complex_v<T>> (method, [&] (auto shape) {
    return launch_tiles<TA, TB, decltype (shape)> (a, piece, stream);
  });
}

template <class TA, class TB> int64_t product_tiles (int m, int n, int k)
{
  typedef product_t<TA, TB> T;
  const product_method method = product_choose (m, n, k, sizeof (T));
  if (method == PRODUCT_FLAT)
    return 0;
  return with_tiles<real_t<T>, is_complex_v<T>> (method, [&] (auto shape) {
    typedef decltype (shape) S;
    return (int64_t)((m + S::TM - 1) / S::TM) * ((n + S::TN - 1) / S::TN);
  });
}

#endif
