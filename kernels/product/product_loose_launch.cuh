// product_loose_launch.cuh: which pages the kernel of product_loose.cuh multiplies, and its launch
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_LOOSE_LAUNCH_CUH
#define GPULINALG_PRODUCT_LOOSE_LAUNCH_CUH

#include "product_bulk_launch.cuh"
#include "product_loose.cuh"
#include "product_plan.cuh"

// Tiles for few, for more and for many multiplications, with their speeds as in bulk_for, and that
// of the kernel of product_tiles.cuh, which serves otherwise; measured on one H100
// (doc/notebook/product.md). Complex double precision is always read by TMA.
template <class T> struct loose_for {
  static constexpr bool any = false;
};
template <> struct loose_for<double> {
  static constexpr bool any = true;
  typedef bulk_shape<32, 32, 32, 16, 16, 3, 4> few;
  typedef bulk_shape<64, 64, 16, 32, 32, 4, 3> more;
  typedef bulk_shape<128, 128, 16, 64, 32, 5, 1> many;
  static constexpr double few_speed = 0.43, more_speed = 0.8, many_speed = 1, tiles_speed = 0.745;
  static constexpr int terms = 512, hermitian_terms = 200; // in batches, at least
};

template <> struct loose_for<float> {
  static constexpr bool any = true;
  typedef bulk_shape<32, 32, 32, 32, 32, 4, 6> few;
  typedef bulk_shape<64, 64, 32, 32, 32, 3, 4> more;
  typedef bulk_shape<128, 64, 32, 64, 32, 3, 3> many;
  static constexpr double few_speed = 0.5, more_speed = 0.75, many_speed = 0.85, tiles_speed = 0.4;
  static constexpr int terms = 64, hermitian_terms = 64;
};
template <> struct loose_for<cx<float>> {
  static constexpr bool any = true;
  typedef bulk_shape<32, 32, 32, 32, 16, 3, 6> few;
  typedef bulk_shape<64, 64, 16, 64, 16, 3, 3> more;
  typedef bulk_shape<64, 64, 32, 64, 16, 3, 2> many;
  static constexpr double few_speed = 0.75, more_speed = 0.8, many_speed = 0.9, tiles_speed = 0.6;
  static constexpr int terms = 64, hermitian_terms = 64;
};

template <class T, bool TRA, bool TRB, class S, bulk_kind KIND>
cudaError_t launch_loose_shape (const product_args<T, T> &a, const product_piece &piece,
                                int64_t tiles, cudaStream_t stream, bool *done)
{
  bulk_args<T> args = {};
  *done = bulk_fits<T, S> () && bulk_args_fill<T, S, KIND> (args, a, piece, tiles);
  if (!*done || args.first == args.items)
    return cudaSuccess;
  return bulk_launch<T, S> (product_loose_kernel<T, TRA, TRB, S, KIND>, args, piece.multiprocessors,
                            stream, a.A, a.B);
}

template <class S, class T>
cudaError_t launch_loose_tiles (const product_args<T, T> &a, const product_piece &piece,
                                int64_t tiles, cudaStream_t stream, bool *done)
{
  return with_bulk_variant<S> (a, [&] (auto variant) {
    typedef decltype (variant) V;
    return launch_loose_shape<T, V::TRA, V::TRB, S, V::KIND> (a, piece, tiles, stream, done);
  });
}

// The time of tiles of shape S where it can be used: tiles of Hermitian products are square.
template <class S> double loose_cost (const bulk_work &w, double speed)
{
  return w.hermitian && S::TM != S::TN ? 1e300 : bulk_cost<S> (w, speed);
}

// As launch_bulk, for pages at addresses for which that is not `done`.
template <class T>
cudaError_t launch_loose (const product_args<T, T> &a, const product_piece &piece, int64_t tiles,
                          cudaStream_t stream, bool *done)
{
  *done = false;
  if constexpr (loose_for<T>::any) {
    typedef loose_for<T> F;
    typedef bulk_shape<64, 64, 16, 32, 32, 3, 3> tiles_shape; // of product_tiles.cuh
    const int least = a.m > a.n ? a.n : a.m;
    if (least < bulk_least<T> || a.k < BULK_TERMS || !bulk_can (a, piece))
      return cudaSuccess;
    const bulk_work work = bulk_work_of (a, piece);
    const double many = loose_cost<typename F::many> (work, F::many_speed);
    const double more = loose_cost<typename F::more> (work, F::more_speed);
    const double few = loose_cost<typename F::few> (work, F::few_speed);
    const double best = few < more ? (few < many ? few : many) : more < many ? more : many;
    const double other = bulk_cost<tiles_shape> (work, F::tiles_speed);
    // where all multiprocessors have tiles, short sums are slower than there
    const bool busy =
        (a.m + 63) / 64 * (int64_t)((a.n + 63) / 64) * piece.pages > piece.multiprocessors;
    if (busy && a.k < (a.hermitian ? F::hermitian_terms : F::terms))
      return cudaSuccess;
    if (!a.hermitian && best >= other)
      return cudaSuccess;
    if (best == few)
      return launch_loose_tiles<typename F::few> (a, piece, tiles, stream, done);
    if (best == more)
      return launch_loose_tiles<typename F::more> (a, piece, tiles, stream, done);
    return launch_loose_tiles<typename F::many> (a, piece, tiles, stream, done);
  }
  return cudaSuccess;
}

#endif
