// product_loose.cuh: page products for operands that TMA cannot read (not 16-byte aligned)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernel of product_bulk.cuh for columns that begin at no multiple of 16 bytes: tiles and sums
// are the same, and the tiles lie in shared memory as TMA would put them, but each thread of
// the block copies some rows of them, an element at a time. The barrier of a full pair counts the
// threads, each of which arrives when its copies have.

#ifndef GPULINALG_PRODUCT_LOOSE_CUH
#define GPULINALG_PRODUCT_LOOSE_CUH

#include "common/async_copy.cuh"
#include "product_bulk.cuh"

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

// Copies by all threads of a block, each of its share.
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

template <class T, bool TRA, bool TRB, class S, bulk_kind KIND>
__global__ void __launch_bounds__ (S::THREADS, S::BLOCKS)
    product_loose_kernel (page_operand<T> A, page_operand<T> B, bulk_args<T> args)
{
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
  bulk_pages<T, TRA, TRB, S, KIND> (loose_copies<T, TRA, TRB, S> (A, B), args);
#endif
}

#endif
