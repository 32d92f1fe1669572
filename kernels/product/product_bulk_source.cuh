// product_bulk_source.cuh: the pairs of tiles of product_bulk.cuh on their way to shared memory
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A pair is TM by TK elements of A and TK by TN of B. Pairs come one after the other, some of them
// ahead of the warps that multiply, to places that follow each other in a ring. Who copies them is
// a parameter: TMA (bulk_copies) or the threads (loose_copies in product_loose.cuh).

#ifndef GPULINALG_PRODUCT_BULK_SOURCE_CUH
#define GPULINALG_PRODUCT_BULK_SOURCE_CUH

#include "common/tensor_map.cuh"
#include "product_bulk_store.cuh"

#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12

// The places of pairs, and two barriers of each: it is full, and it is empty.
struct bulk_ring {
  unsigned char *pairs;
  unsigned memory, full, empty; // addresses in shared memory

  // The warp has read the pair in this place, where others may be copied to from here on.
  GLA_DEVICE void release (int stage) const
  {
    phase_reads_done ();
    __syncwarp ();
    if (threadIdx.x % 32 == 0)
      phase_arrive (empty + 8 * stage);
  }
};

// The place whose turn it is.
template <class S> struct bulk_turn {
  int stage, parity; // of the phase of its barrier
  GLA_DEVICE void next ()
  {
    stage = stage == S::STAGES - 1 ? 0 : stage + 1;
    parity ^= stage == 0;
  }
};

// The pairs of a block, one after the other. COPIES finds where a tile of C has its operands,
// copies the next pair of it, and tells whether that was the last one.
template <class T, class S, bulk_kind KIND, class COPIES> struct bulk_source {
  const bulk_args<T> &args;
  int warp, lane;
  bulk_ring ring;
  COPIES copies;
  int item;
  bulk_turn<S> turn;

  GLA_DEVICE bulk_source (const COPIES &c, const bulk_args<T> &a)
      : args (a), warp (threadIdx.x / 32), lane (threadIdx.x % 32), copies (c)
  {
    extern __shared__ __align__ (1024) unsigned char pairs[];
    __shared__ __align__ (8) uint64_t barriers[2 * S::STAGES];
    ring.pairs = pairs;
    ring.memory = shared_address (pairs);
    ring.full = shared_address (barriers);
    ring.empty = ring.full + 8 * S::STAGES;
    if (threadIdx.x == 0) {
      for (int s = 0; s < S::STAGES; s++) {
        phase_init (ring.full + 8 * s, COPIES::ARRIVALS);
        phase_init (ring.empty + 8 * s, S::WARPS);
      }
      COPIES::barriers_done ();
    }
    __syncthreads ();
  }
  // Begins the first tile and fills the ring.
  GLA_DEVICE void fill ()
  {
    if constexpr (COPIES::BY_WARP)
      if (warp != 0)
        return;
    copies.begin (args);
    item = args.first + blockIdx.x;
    turn = {0, 1};
    find ();
    for (int s = 0; s < S::STAGES - S::SLACK; s++)
      next ();
  }
  // Asks for the next pair.
  GLA_DEVICE void load ()
  {
    if constexpr (!COPIES::BY_WARP)
      next ();
    else if (warp == 0)
      next ();
  }

private:
  GLA_DEVICE void find ()
  {
    if (item < args.items)
      copies.find (args.first_page + item / args.in_page,
                   bulk_find<KIND, S> (item % args.in_page, args.down), args);
  }
  GLA_DEVICE void next ()
  {
    if (item >= args.items)
      return;
    phase_wait (ring.empty + 8 * turn.stage, turn.parity);
    copies.copy (ring, turn.stage);
    turn.next ();
    if (copies.last (args)) {
      item += gridDim.x;
      find ();
    }
  }
};

// A tile of an operand in shared memory: ROWS rows (columns, for B) by TK terms, in boxes of 128
// bytes by rows or terms. BY_TERMS: terms lie side by side.
template <class T, bool BY_TERMS, int ROWS, int TK> struct bulk_boxes {
  static constexpr int LINE = 128 / (int)sizeof (T); // elements
  static constexpr int BOXES = (BY_TERMS ? TK : ROWS) / LINE, COLUMNS = BY_TERMS ? ROWS : TK;
};

// Copies by TMA, for which the lanes of the first warp ask, each for one box of a pair.
template <class T, bool TRA, bool TRB, class S> struct bulk_copies {
  typedef bulk_boxes<T, TRA, S::TM, S::TK> LA;
  typedef bulk_boxes<T, !TRB, S::TN, S::TK> LB;
  static_assert (LA::BOXES + LB::BOXES <= 32, "a lane asks for one box");
  static constexpr bool BY_WARP = true;                     // by the first one alone
  static constexpr int PARTS = bulk_parts<T>, ARRIVALS = 1; // of a full pair
  const tensor_map *a, *b;
  const tensor_map *map; // of this lane's box, which begins at (row, column) of the page
  unsigned place;        // in the pair
  bool lines, mine, of_a, by_terms;
  int box; // element at which it begins in a tile
  int term, row, column, page;

  GLA_DEVICE bulk_copies (const tensor_map *map_a, const tensor_map *map_b) : a (map_a), b (map_b)
  {
  }
  GLA_DEVICE static void barriers_done () { phase_init_done (); }
  GLA_DEVICE void begin (const bulk_args<T> &args)
  {
    const int lane = threadIdx.x % 32, in_a = args.a_lines ? 1 : LA::BOXES;
    of_a = lane < in_a;
    mine = lane < in_a + (args.b_lines ? 1 : LB::BOXES);
    map = of_a ? a : b;
    lines = of_a ? args.a_lines : args.b_lines;
    by_terms = of_a ? TRA : !TRB;
    const int number = of_a ? lane : lane - in_a;
    box = number * LA::LINE;
    place = of_a ? number * LA::COLUMNS * 128 : S::template a_bytes<T> + number * LB::COLUMNS * 128;
    term = 0;
  }
  // A tile of page p of C.
  GLA_DEVICE void find (int64_t p, const bulk_corner &corner, const bulk_args<T> &args)
  {
    const int64_t *index = of_a ? args.a_index : args.b_index;
    page = index != nullptr ? (int)index[p] : (int)p * (of_a ? args.a_step : args.b_step);
    const int at = of_a ? corner.row : corner.column;
    row = by_terms ? box : at + box;
    column = by_terms ? at : 0;
  }
  // Asks for its next pair.
  GLA_DEVICE void copy (const bulk_ring &ring, int stage)
  {
    if (threadIdx.x % 32 == 0)
      phase_expect (ring.full + 8 * stage, S::template bytes<T>);
    __syncwarp ();
    const unsigned to = ring.memory + stage * S::template bytes<T> + place;
    const int first = by_terms ? row + term : row, other = by_terms ? column : term;
    if (mine && lines)
      tensor_copy_lines (to, map, ring.full + 8 * stage, other, first / LA::LINE, page);
    else if (mine)
      tensor_copy (to, map, ring.full + 8 * stage, first * PARTS, other, page);
  }
  // Whether that was the last one.
  GLA_DEVICE bool last (const bulk_args<T> &args)
  {
    term += S::TK;
    if (term < args.k)
      return false;
    term = 0;
    return true;
  }
};

#endif

#endif
