// product_loose.cuh: page products for operands that TMA cannot read (not 16-byte aligned)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernel of product_bulk.cuh for columns that begin at no multiple of 16 bytes. Tiles and sums
// are the same, and the tiles have the layout of TMA in shared memory, but each thread of the block
// copies some of their rows, an element at a time. The barrier of a full pair counts the threads,
// each of which arrives when its copies have. Included by product_launch.cuh.

#ifndef GPULINALG_PRODUCT_LOOSE_CUH
#define GPULINALG_PRODUCT_LOOSE_CUH

#include "common/async_copy.cuh"
#include "product_bulk.cuh"
#include "product_bulk_launch.cuh"
#include "product_plan.cuh"

#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12

// Arrives at a barrier when all copies that the thread has begun are there.
GLA_DEVICE void phase_arrive_behind_copies (unsigned barrier)
{
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

// How a thread copies tiles of an operand of ROWS rows (columns, for B) by TK terms. It has one
// place of each column of the array, and every STEP-th column.
template <class T, bool BY_TERMS, int ROWS, int TK, int THREADS> struct loose_tile {
  static constexpr int SIZE = sizeof (T), LINE = 128 / SIZE, UNIT = 16 / SIZE;
  static constexpr int DOWN = BY_TERMS ? TK : ROWS, ACROSS = BY_TERMS ? ROWS : TK;
  static constexpr int STEP = THREADS / DOWN, COUNT = ACROSS / STEP;
  static_assert (STEP * DOWN == THREADS && COUNT * STEP == ACROSS, "equal shares");
  static_assert (STEP % 8 == 0 || 8 % STEP == 0, "see copy");
  const T *from; // the thread's first element of the next tile
  int64_t ld;
  int side; // rows that are left of its place, or of its first column

  GLA_DEVICE static int place () { return threadIdx.x % DOWN; }
  GLA_DEVICE static int column () { return threadIdx.x / DOWN; }
  // Tiles of rows from `row` on, of which there are `rows` in all.
  GLA_DEVICE void begin (const T *page, int64_t distance, int row, int rows)
  {
    ld = distance;
    from = page + (BY_TERMS ? (row + column ()) * ld + place () : column () * ld + row + place ());
    side = rows - row - (BY_TERMS ? column () : place ());
  }
  // The next tile, of whose terms `terms` are there.
  GLA_DEVICE void copy (unsigned char *tile, int terms)
  {
    const int down = BY_TERMS ? terms - place () : side;
    const int across = BY_TERMS ? side : terms - column ();
    const int box = place () / LINE * ACROSS * 128;
    const int unit = place () % LINE / UNIT ^ column () % 8;
    const int at = box + 128 * column () + SIZE * (place () % UNIT);
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      async_copy<SIZE> (tile + at + 128 * STEP * i + 16 * (unit ^ STEP * i % 8),
                        from + STEP * i * ld, down > 0 && STEP * i < across ? SIZE : 0);
    from += BY_TERMS ? TK : TK * ld;
  }
};

// All threads of a block copy, each its share.
template <class T, bool TRA, bool TRB, class S> struct loose_copies {
  static constexpr bool BY_WARP = false;
  static constexpr int ARRIVALS = S::THREADS; // of a full pair
  const page_operand<T> &A, &B;
  loose_tile<T, TRA, S::TM, S::TK, S::THREADS> a;
  loose_tile<T, !TRB, S::TN, S::TK, S::THREADS> b;
  int left; // terms that are not yet copied

  GLA_DEVICE loose_copies (const page_operand<T> &of_a, const page_operand<T> &of_b)
      : A (of_a), B (of_b)
  {
  }
  GLA_DEVICE static void barriers_done () {}
  GLA_DEVICE void begin (const bulk_args<T> &) {}
  GLA_DEVICE void find (int64_t page, const bulk_corner &corner, const bulk_args<T> &args)
  {
    a.begin (A.at (page), A.ld, corner.row, args.m);
    b.begin (B.at (page), B.ld, corner.column, args.n);
    left = args.k;
  }
  GLA_DEVICE void copy (const bulk_ring &ring, int stage)
  {
    unsigned char *pair = ring.pairs + stage * S::template bytes<T>;
    a.copy (pair, left);
    b.copy (pair + S::template a_bytes<T>, left);
    phase_arrive_behind_copies (ring.full + 8 * stage);
  }
  GLA_DEVICE bool last (const bulk_args<T> &)
  {
    left -= S::TK;
    return left <= 0;
  }
};

#endif

// Divides C as product_bulk_kernel does; threads load the terms.
template <class T, bool TRA, bool TRB, class S, bulk_kind KIND>
__global__ void __launch_bounds__ (S::THREADS, S::BLOCKS)
    product_loose_kernel (page_operand<T> A, page_operand<T> B, bulk_args<T> args)
{
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
  bulk_pages<T, TRA, TRB, S, KIND> (loose_copies<T, TRA, TRB, S> (A, B), args);
#endif
}

//------------------------------------------------------------------------------
// which pages the kernel of product_loose.cuh multiplies, and its launch
//------------------------------------------------------------------------------

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

// As launch_bulk, for pages whose addresses launch_bulk cannot use.
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
