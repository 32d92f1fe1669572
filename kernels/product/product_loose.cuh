// product_loose.cuh: products of pages at addresses that the unit for tiles cannot read
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernels of product_bulk.cuh and product_bulk_single.cuh for columns that begin at no multiple
// of 16 bytes: tiles and sums are the same, and the tiles lie in shared memory as the unit would
// put them, but each thread of the block copies some rows of them, an element at a time. The
// barrier of a full pair counts the threads, each of which arrives when its copies have.

#ifndef GPULINALG_PRODUCT_LOOSE_CUH
#define GPULINALG_PRODUCT_LOOSE_CUH

#include "common/async_copy.cuh"
#include "product_bulk_single.cuh"

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

// The barriers of each pair: it is full, and it is empty.
template <class S> GLA_DEVICE void loose_barriers (unsigned full, unsigned empty)
{
  if (threadIdx.x == 0)
    for (int s = 0; s < S::STAGES; s++) {
      phase_init (full + 8 * s, S::THREADS);
      phase_init (empty + 8 * s, S::WARPS);
    }
  __syncthreads ();
}

// The pairs of a block, one after the other; each thread copies its share.
template <class T, bool TRA, bool TRB, class S, bulk_kind KIND> struct loose_source {
  loose_tile<T, TRA, S::TM, S::TK, S::THREADS> a;
  loose_tile<T, !TRB, S::TN, S::TK, S::THREADS> b;
  int item, left; // terms of its sums
  int stage, parity;

  GLA_DEVICE void fill (unsigned char *pairs, unsigned full, unsigned empty,
                        const page_operand<T> &A, const page_operand<T> &B,
                        const bulk_args<T> &args)
  {
    item = args.first + blockIdx.x;
    stage = 0;
    parity = 1;
    find (A, B, args);
    for (int s = 0; s < S::STAGES - S::SLACK; s++)
      load (pairs, full, empty, A, B, args);
  }
  GLA_DEVICE void find (const page_operand<T> &A, const page_operand<T> &B,
                        const bulk_args<T> &args)
  {
    if (item >= args.items)
      return;
    const int64_t page = args.first_page + item / args.in_page;
    const bulk_corner corner = bulk_find<KIND, S> (item % args.in_page, args.down);
    a.begin (A.at (page), A.ld, corner.row, args.m);
    b.begin (B.at (page), B.ld, corner.column, args.n);
    left = args.k;
  }
  GLA_DEVICE void load (unsigned char *pairs, unsigned full, unsigned empty,
                        const page_operand<T> &A, const page_operand<T> &B,
                        const bulk_args<T> &args)
  {
    if (item >= args.items)
      return;
    phase_wait (empty + 8 * stage, parity);
    unsigned char *pair = pairs + stage * S::template bytes<T>;
    a.copy (pair, left);
    b.copy (pair + S::template a_bytes<T>, left);
    phase_arrive_behind_copies (full + 8 * stage);
    stage = stage == S::STAGES - 1 ? 0 : stage + 1;
    parity ^= stage == 0;
    left -= S::TK;
    if (left <= 0) {
      item += gridDim.x;
      find (A, B, args);
    }
  }
};

#endif

template <bool TRA, bool TRB, class S, bulk_kind KIND>
__global__ void __launch_bounds__ (S::THREADS, S::BLOCKS)
    product_loose_kernel (page_operand<double> A, page_operand<double> B, bulk_args<double> args)
{
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
  typedef bulk_layout<double, TRA, S::TM, S::TK> LA;
  typedef bulk_layout<double, !TRB, S::TN, S::TK> LB;
  constexpr int NA = S::WM / 8, NB = S::WN / 16, GROUPS = S::TK / 4;
  constexpr unsigned PAIR = S::template bytes<double>;
  extern __shared__ __align__ (1024) unsigned char pairs[];
  __shared__ __align__ (8) uint64_t barriers[2 * S::STAGES];
  const unsigned memory = shared_address (pairs), full = shared_address (barriers);
  const unsigned empty = full + 8 * S::STAGES;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  loose_barriers<S> (full, empty);
  loose_source<double, TRA, TRB, S, KIND> source;
  source.fill (pairs, full, empty, A, B, args);
  const int warp_row = warp % S::WARPS_M * S::WM, warp_column = warp / S::WARPS_M * S::WN;
  const unsigned at_a = memory + LA::lane (warp_row, lane / 4, lane % 4);
  const unsigned at_b =
      memory + S::template a_bytes<double> + LB::lane (warp_column, lane / 4, lane % 4);
  double a[2][NA], b[2][NB][2]; // of the terms that are multiplied, and of the next ones
  const auto read = [&] (int half, unsigned pair, int term) {
#pragma unroll
    for (int u = 0; u < 2; u++) {
      const unsigned from_a = at_a + pair ^ LA::flip (u, term);
      const unsigned from_b = at_b + pair ^ LB::flip (u, term);
#pragma unroll
      for (int i = 0; i < NB; i++)
        bulk_read (b[half][i][u], from_b + LB::plus (i, u, term));
#pragma unroll
      for (int j = u; j < NA; j += 2)
        bulk_read (a[half][j], from_a + LA::plus (j / 2, u, term));
    }
  };
  int stage = 0, parity = 0;
  phase_wait (full, 0);
  read (0, 0, 0);
  bulk_sums<double, NB, NA> sums;
  for (int item = args.first + blockIdx.x; item < args.items; item += gridDim.x) {
    sums.clear ();
    for (int left = args.k; left > 0; left -= S::TK) {
      source.load (pairs, full, empty, A, B, args);
#pragma unroll
      for (int q = 0; q < GROUPS; q++) {
        if (q < GROUPS - 1)
          read ((q + 1) % 2, stage * PAIR, 4 * q + 4);
        else {
          __syncwarp ();
          if (lane == 0)
            phase_arrive (empty + 8 * stage);
          stage = stage == S::STAGES - 1 ? 0 : stage + 1;
          parity ^= stage == 0;
          if (left > S::TK || item + (int)gridDim.x < args.items) {
            phase_wait (full + 8 * stage, parity);
            read (0, stage * PAIR, 0);
          }
        }
        sums.add (b[q % 2], a[q % 2], 0);
      }
    }
    const bulk_corner corner = bulk_find<KIND, S> (item % args.in_page, args.down);
    bulk_store<TRA, TRB, S, KIND> (sums, args, args.first_page + item / args.in_page,
                                   corner.row + warp_row, corner.column + warp_column);
  }
#endif
}

template <class T, bool TRA, bool TRB, class S, bulk_kind KIND>
__global__ void __launch_bounds__ (S::THREADS, S::BLOCKS)
    product_loose_single_kernel (page_operand<T> A, page_operand<T> B, bulk_args<T> args)
{
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
  constexpr unsigned PAIR = S::template bytes<T>;
  extern __shared__ __align__ (1024) unsigned char pairs[];
  __shared__ __align__ (8) uint64_t barriers[2 * S::STAGES];
  const unsigned memory = shared_address (pairs), full = shared_address (barriers);
  const unsigned empty = full + 8 * S::STAGES;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  loose_barriers<S> (full, empty);
  loose_source<T, TRA, TRB, S, KIND> source;
  source.fill (pairs, full, empty, A, B, args);
  typedef single_warp<T, TRA, TRB, S> warp_type;
  const int warp_row = warp % S::WARPS_M * S::WM, warp_column = warp / S::WARPS_M * S::WN;
  const unsigned at_a = memory + warp_type::LA::lane (warp_row, lane / 4);
  const unsigned at_b =
      memory + S::template a_bytes<T> + warp_type::LB::lane (warp_column, lane % 4);
  warp_type sums;
  int stage = 0, parity = 0;
  for (int item = args.first + blockIdx.x; item < args.items; item += gridDim.x) {
    sums.clear ();
    for (int left = args.k; left > 0; left -= S::TK) {
      source.load (pairs, full, empty, A, B, args);
      phase_wait (full + 8 * stage, parity);
      sums.add (at_a + stage * PAIR, at_b + stage * PAIR, args.flip != 0);
      __syncwarp ();
      if (lane == 0)
        phase_arrive (empty + 8 * stage);
      stage = stage == S::STAGES - 1 ? 0 : stage + 1;
      parity ^= stage == 0;
    }
    const bulk_corner corner = bulk_find<KIND, S> (item % args.in_page, args.down);
    sums.template store<KIND> (args, args.first_page + item / args.in_page, corner.row + warp_row,
                               corner.column + warp_column);
  }
#endif
}

#endif
