// product_bulk_source.cuh: tiles of product_bulk.cuh: from global to shared memory, and back
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_BULK_SOURCE_CUH
#define GPULINALG_PRODUCT_BULK_SOURCE_CUH

#include "common/tensor_map.cuh"
#include "product.cuh"

//------------------------------------------------------------------------------
// shapes and stores of the kernel of product_bulk.cuh
//------------------------------------------------------------------------------

template <int TM_, int TN_, int TK_, int WM_, int WN_, int STAGES_, int BLOCKS_> struct bulk_shape {
  static constexpr int TM = TM_, TN = TN_, TK = TK_, WM = WM_, WN = WN_, STAGES = STAGES_;
  static constexpr int BLOCKS = BLOCKS_;           // on a multiprocessor
  static constexpr int SLACK = STAGES > 2 ? 2 : 1; // pairs by which the slowest warp may be behind
  static constexpr int WARPS_M = TM / WM, WARPS = WARPS_M * (TN / WN), THREADS = 32 * WARPS;
  template <class T> static constexpr unsigned a_bytes = sizeof (T) * TM *TK;
  template <class T> static constexpr unsigned bytes = sizeof (T) * (TM + TN) * TK; // of a pair
};

// What a launch does with the tiles of a page: it stores all, adds all to C, or, of Hermitian
// products, stores those on and below the diagonal and their mirror images above.
enum bulk_kind { BULK_STORED, BULK_ADDED, BULK_HERMITIAN };

// Of C, and how pages are counted: `index` and `step` (0 or 1) say which page of an operand belongs
// to a page of C.
template <class T> struct bulk_args {
  T *C;
  int64_t ldc, page;
  const int64_t *a_index, *b_index;
  int a_step, b_step, first_page;
  int m, n, k;
  int first, items;  // tiles from the first of these up to the other one, counted over all pages
  int in_page, down; // tiles of a page, of a whole column of tiles
  bool a_lines, b_lines;    // a whole tile of A or B is one box
  bool wide;                // two elements of C can be stored at once
  unsigned flip, conjugate; // of the imaginary part of A, of C: the sign bit or 0
};

// Numbers of an element as TMA sees it.
template <class T> constexpr int bulk_parts = std::is_same_v<T, cx<double>> ? 2 : 1;

#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12

// Rows of a tile of an operand are assigned to the lanes g of the tensor cores, two tiles u of 8 at
// a time, so that lanes read from different banks, and so that adjacent elements of C are in one
// lane.
template <class T, bool BY_TERMS, int ROWS, int TK> struct bulk_layout {
  static constexpr bool CC = is_complex_v<T>;
  static constexpr unsigned SIZE = sizeof (T);
  static constexpr int LINE = 128 / (int)SIZE; // elements

  static GLA_DEVICE int row (int g, int u)
  {
    if constexpr (CC)
      return g / 2 + 4 * (g % 2) + 8 * u;
    else
      return BY_TERMS ? (g % 2 == 0 ? g : 8 + (g + 3) % 8) + u
                      : g % 2 + 8 * (g / 2 % 2) + 2 * (g / 4) + 4 * u;
  }
  // Byte of row `first` + row (g, 0) and term t.
  static GLA_DEVICE unsigned lane (int first, int g, int t)
  {
    const int r = row (g, 0), line = BY_TERMS ? first + r : first / LINE * TK + t;
    if constexpr (CC)
      return 128 * line + 16 * (r ^ t);
    else
      return 128 * line +
             (BY_TERMS ? 16 * (t / 2 ^ r % 8) + 8 * (t % 2) : 16 * (r / 2 ^ t) + 8 * (r % 2));
  }
  // The byte for tile u and a term 4*x later differs in these bits, which are flipped, ..
  static GLA_DEVICE constexpr unsigned flip (int u, int term)
  {
    return CC         ? SIZE * (term & 4)
           : BY_TERMS ? SIZE * (term % 16 ^ 2 * u)
                      : SIZE * (4 * u ^ 2 * (term & 4));
  }
  // .. and by this amount, which is added; also for the row 16*j further.
  static GLA_DEVICE constexpr unsigned plus (int j, int u, int term)
  {
    const int lines_of_16 = 16 / LINE;
    if (BY_TERMS)
      return 128 * (term / LINE * ROWS + 16 * j + (CC ? 8 : 1) * u);
    return 128 * (lines_of_16 * j * TK + (CC ? u * TK : 0) + term);
  }
};

// Where a tile of a page begins. Those of Hermitian products are counted row by row, square tiles.
struct bulk_corner {
  int row, column;
};
template <bulk_kind KIND, class S> GLA_DEVICE bulk_corner bulk_find (int tile, int down)
{
  if constexpr (KIND == BULK_HERMITIAN) {
    int row = (int)((sqrtf (8.0f * (float)tile + 1.0f) - 1.0f) / 2.0f); // right but for rounding
    row -= tile < row * (row + 1) / 2;
    row += tile >= (row + 1) * (row + 2) / 2;
    return {row * S::TM, (tile - row * (row + 1) / 2) * S::TN};
  } else
    return {tile % down * S::TM, tile / down * S::TN};
}

// Stores element (r, c) of a Hermitian page and its mirror image, where it is in the page and not
// above the diagonal.
template <class T>
GLA_DEVICE void bulk_mirror (const bulk_args<T> &args, T *page, int r, int c, T value)
{
  if (r >= args.m || c > r)
    return;
  page[r + c * args.ldc] = r == c ? from_real<T> (re (value)) : value;
  if (c < r)
    page[c + r * args.ldc] = conj (value);
}

// Stores elements (r, c) and (r+1, c), where `whole` at once: then both are in the page, and in a
// Hermitian one below the diagonal.
template <bulk_kind KIND>
GLA_DEVICE void bulk_store_two (const bulk_args<double> &args, double *page, int r, int c,
                                double one, double two, bool whole)
{
  double *to = page + c * args.ldc + r;
  if (whole) {
    *reinterpret_cast<double2 *> (to) = make_double2 (one, two);
    if constexpr (KIND == BULK_HERMITIAN) {
      page[c + r * args.ldc] = one;
      page[c + (r + 1) * args.ldc] = two;
    }
  } else if constexpr (KIND == BULK_HERMITIAN) {
    bulk_mirror (args, page, r, c, one);
    bulk_mirror (args, page, r + 1, c, two);
  } else {
    if (r < args.m && c < args.n)
      to[0] = one;
    if (r + 1 < args.m && c < args.n)
      to[1] = two;
  }
}

// Writes the warp's elements of C, which begin at (row, column). Where A lies by terms, two
// elements side by side are in the tiles u = 0 and 1 of 16 rows; of complex numbers one is stored
// at a time.
template <bool TRA, bool TRB, class S, bulk_kind KIND, class SUMS, class T>
GLA_DEVICE void bulk_store (const SUMS &sums, const bulk_args<T> &args, int64_t page, int row,
                            int column)
{
  typedef bulk_layout<T, TRA, S::TM, S::TK> LA;
  typedef bulk_layout<T, !TRB, S::TN, S::TK> LB;
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const bool whole = row + S::WM <= args.m && column + S::WN <= args.n && args.wide &&
                     (KIND != BULK_HERMITIAN || row >= column + S::WN);
  T *to = args.C + page * args.page;
#pragma unroll
  for (int i = 0; i < S::WN / 16; i++)
#pragma unroll
    for (int v = 0; v < 2; v++) {
      const int c = column + 16 * i + LB::row (g, v);
#pragma unroll
      for (int j = 0; j < S::WM / 8; j++)
#pragma unroll
        for (int w = 0; w < 2; w++) {
          const bool cross = TRA && !is_complex_v<T>;
          const int tile = cross ? j / 2 * 2 : j, q = 2 * v + (cross ? j % 2 : 0);
          const int slot = 2 * t + (cross ? j % 2 : is_complex_v<T> ? w : 0);
          const int r = row + j / 2 * 16 + LA::row (slot, cross ? 0 : j % 2);
          if constexpr (is_complex_v<T>) {
            const T value = sums.get (i, j, 2 * v + w, args.conjugate);
            if constexpr (KIND == BULK_HERMITIAN)
              bulk_mirror (args, to, r, c, value);
            else if (r < args.m && c < args.n)
              to[c * args.ldc + r] = value;
          } else if (w == 0) {
            const double one = sums.get (i, tile, q, 0);
            const double two = cross ? sums.get (i, tile + 1, q, 0) : sums.get (i, tile, q + 1, 0);
            bulk_store_two<KIND> (args, to, r, c, one, two, whole);
          }
        }
    }
}

// Begins the sums of complex elements with those of C.
template <bool TRA, bool TRB, class S, class SUMS, class R>
GLA_DEVICE void bulk_begin (SUMS &sums, const bulk_args<cx<R>> &args, int64_t page, int row,
                            int column)
{
  typedef bulk_layout<cx<R>, TRA, S::TM, S::TK> LA;
  typedef bulk_layout<cx<R>, !TRB, S::TN, S::TK> LB;
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < S::WN / 16; i++)
#pragma unroll
    for (int v = 0; v < 2; v++) {
      const int c = column + 16 * i + LB::row (g, v);
      const cx<R> *from = args.C + page * args.page + c * args.ldc;
#pragma unroll
      for (int j = 0; j < S::WM / 8; j++)
#pragma unroll
        for (int w = 0; w < 2; w++) {
          const int r = row + j / 2 * 16 + LA::row (2 * t + w, j % 2);
          cx<R> x = {0, 0};
          if (r < args.m && c < args.n)
            x = from[r];
          sums.x[i][j][2 * v + w] = x.x;
          sums.y[i][j][2 * v + w] = x.y;
        }
    }
}
#endif

//------------------------------------------------------------------------------
// the pairs of tiles of product_bulk.cuh on their way to shared memory
//------------------------------------------------------------------------------

// A pair is TM by TK elements of A and TK by TN of B. Pairs come one after the other, some of them
// ahead of the warps that multiply, to places that follow each other in a ring. Who copies them is
// a parameter: TMA (bulk_copies) or the threads (loose_copies in product_loose.cuh).

#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12

// The places of pairs, and two barriers of each: it is full, and it is empty.
struct bulk_ring {
  unsigned char *pairs;
  unsigned memory, full, empty; // addresses in shared memory

  // The warp has read the pair in this place; other pairs may be copied to it from here on.
  GLA_DEVICE void release (int stage) const
  {
    phase_reads_done ();
    __syncwarp ();
    if (threadIdx.x % 32 == 0)
      phase_arrive (empty + 8 * stage);
  }
};

// The next place in the ring.
template <class S> struct bulk_turn {
  int stage, parity; // of the phase of its barrier
  GLA_DEVICE void next ()
  {
    stage = stage == S::STAGES - 1 ? 0 : stage + 1;
    parity ^= stage == 0;
  }
};

// The pairs of a block, one after the other. COPIES finds the operands of a tile of C, copies their
// next pair, and says if it was the last one.
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
  // Starts the copy of the next pair.
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
  // Starts the copy of its next pair.
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
