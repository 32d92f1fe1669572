// product_bulk.cuh: products of pages of doubles, tile by tile, copied by a unit of the GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// From compute capability 9.0 on. A block has a tile of TM by TN elements of C of one page, then
// the tile that lies as many tiles further, counted over all pages, as there are blocks; of
// Hermitian products only tiles on and below the diagonal are counted. It runs
// through the terms of the sums, TK at a time: the first warp asks the unit (tensor_map.cuh) for TM
// by TK elements of A and TK by TN of B, some pairs ahead, also across the end of a tile. A pair
// has two barriers, for its arrival and for the end of its use, so that no warp waits for another
// one unless that is a whole pair behind. A warp has WM by WN elements of the tile and multiplies
// four terms while it reads the next four from shared memory.
//
// What the tensor cores take as rows are columns of C: then neighbouring elements of a lane lie
// side by side in C. A term adds as in product_warp.cuh, four terms at a time, so that a page has
// the same bits here and there.

#ifndef GPULINALG_PRODUCT_BULK_CUH
#define GPULINALG_PRODUCT_BULK_CUH

#include "common/tensor_map.cuh"
#include "product_bulk_store.cuh"

#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12

// A tile of an operand in shared memory: ROWS rows (columns, for B) by TK terms, in boxes of 128
// bytes by rows or terms. BY_TERMS: terms lie side by side.
template <class T, bool BY_TERMS, int ROWS, int TK> struct bulk_boxes {
  static constexpr int LINE = 128 / (int)sizeof (T); // elements
  static constexpr int BOXES = (BY_TERMS ? TK : ROWS) / LINE, COLUMNS = BY_TERMS ? ROWS : TK;
};

GLA_DEVICE void bulk_read (double &to, unsigned from)
{
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(to) : "r"(from));
}
GLA_DEVICE void bulk_read (cx<double> &to, unsigned from)
{
  asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(to.x), "=d"(to.y) : "r"(from));
}

// c += a*b of 16 by 4 and 4 by 8
GLA_DEVICE void bulk_multiply (double (&c)[4], double a0, double a1, double b)
{
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
               "{%0, %1, %2, %3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a0), "d"(a1), "d"(b));
}

GLA_DEVICE double with_sign_flipped (double a, unsigned sign)
{
  return __hiloint2double (__double2hiint (a) ^ (int)sign, __double2loint (a));
}

// A warp's elements of C: tile (i, j) of 16 columns by 8 rows.
template <class T, int NB, int NA> struct bulk_sums;

template <int NB, int NA> struct bulk_sums<double, NB, NA> {
  double x[NB][NA][4];
  GLA_DEVICE void clear ()
  {
#pragma unroll
    for (int i = 0; i < NB; i++)
#pragma unroll
      for (int j = 0; j < NA; j++)
#pragma unroll
        for (int q = 0; q < 4; q++)
          x[i][j][q] = 0;
  }
  GLA_DEVICE void add (const double (&b)[NB][2], const double (&a)[NA], unsigned)
  {
#pragma unroll
    for (int i = 0; i < NB; i++)
#pragma unroll
      for (int j = 0; j < NA; j++)
        bulk_multiply (x[i][j], b[i][0], b[i][1], a[j]);
  }
  GLA_DEVICE double get (int i, int j, int q, unsigned) const
  {
    return x[i][j][q];
  }
};

template <int NB, int NA> struct bulk_sums<cx<double>, NB, NA> {
  double x[NB][NA][4], y[NB][NA][4];
  GLA_DEVICE void clear ()
  {
#pragma unroll
    for (int i = 0; i < NB; i++)
#pragma unroll
      for (int j = 0; j < NA; j++)
#pragma unroll
        for (int q = 0; q < 4; q++)
          x[i][j][q] = y[i][j][q] = 0;
  }
  GLA_DEVICE void add (const cx<double> (&b)[NB][2], const cx<double> (&a)[NA], unsigned flip)
  {
#pragma unroll
    for (int j = 0; j < NA; j++) {
      const double im = with_sign_flipped (a[j].y, flip), minus = with_sign_flipped (im, 1u << 31);
#pragma unroll
      for (int i = 0; i < NB; i++) {
        bulk_multiply (x[i][j], b[i][0].x, b[i][1].x, a[j].x);
        bulk_multiply (y[i][j], b[i][0].y, b[i][1].y, a[j].x);
      }
#pragma unroll
      for (int i = 0; i < NB; i++) {
        bulk_multiply (x[i][j], b[i][0].y, b[i][1].y, minus);
        bulk_multiply (y[i][j], b[i][0].x, b[i][1].x, im);
      }
    }
  }
  GLA_DEVICE cx<double> get (int i, int j, int q, unsigned conjugate) const
  {
    return {x[i][j][q], with_sign_flipped (y[i][j][q], conjugate)};
  }
};

// The barriers of each pair: it is full, and it is empty.
template <class S> GLA_DEVICE void bulk_barriers (unsigned full, unsigned empty)
{
  if (threadIdx.x == 0) {
    for (int s = 0; s < S::STAGES; s++) {
      phase_init (full + 8 * s, 1);
      phase_init (empty + 8 * s, S::WARPS);
    }
    phase_init_done ();
  }
  __syncthreads ();
}

// The pairs of a block, one after the other, for copies; used by the first warp.
template <class T, bool TRA, bool TRB, class S, bulk_kind KIND> struct bulk_source {
  typedef bulk_boxes<T, TRA, S::TM, S::TK> LA;
  typedef bulk_boxes<T, !TRB, S::TN, S::TK> LB;
  static_assert (LA::BOXES + LB::BOXES <= 32, "a lane asks for one box");
  static constexpr int PARTS = bulk_parts<T>;
  const tensor_map *map; // of this lane's box, which begins at (row, column) of the page
  unsigned place;        // in the pair
  bool mine, of_a, by_terms, lines;
  int box; // element at which it begins in a tile
  int item, term, row, column, page;
  int stage, parity;

  GLA_DEVICE void begin (const tensor_map *a, const tensor_map *b, const bulk_args<T> &args)
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
    item = args.first + blockIdx.x;
    term = 0;
    stage = 0;
    parity = 1;
    find (args);
  }
  GLA_DEVICE void find (const bulk_args<T> &args)
  {
    if (item >= args.items)
      return;
    const int64_t p = args.first_page + item / args.in_page;
    const bulk_corner corner = bulk_find<KIND, S> (item % args.in_page, args.down);
    const int64_t *index = of_a ? args.a_index : args.b_index;
    page = index != nullptr ? (int)index[p] : (int)p * (of_a ? args.a_step : args.b_step);
    const int at = of_a ? corner.row : corner.column;
    row = by_terms ? box : at + box;
    column = by_terms ? at : 0;
  }
  GLA_DEVICE void fill (const tensor_map *a, const tensor_map *b, unsigned memory, unsigned full,
                        unsigned empty, const bulk_args<T> &args)
  {
    begin (a, b, args);
    for (int s = 0; s < S::STAGES - S::SLACK; s++)
      load (memory, full, empty, args);
  }
  GLA_DEVICE void load (unsigned memory, unsigned full, unsigned empty, const bulk_args<T> &args)
  {
    if (item >= args.items)
      return;
    phase_wait (empty + 8 * stage, parity);
    if (threadIdx.x % 32 == 0)
      phase_expect (full + 8 * stage, S::template bytes<T>);
    __syncwarp ();
    const unsigned to = memory + stage * S::template bytes<T> + place;
    const int first = by_terms ? row + term : row, other = by_terms ? column : term;
    if (mine && lines)
      tensor_copy_lines (to, map, full + 8 * stage, other, first / LA::LINE, page);
    else if (mine)
      tensor_copy (to, map, full + 8 * stage, first * PARTS, other, page);
    stage = stage == S::STAGES - 1 ? 0 : stage + 1;
    parity ^= stage == 0;
    term += S::TK;
    if (term >= args.k) {
      term = 0;
      item += gridDim.x;
      find (args);
    }
  }
};

#endif

template <class T, bool TRA, bool TRB, class S, bulk_kind KIND>
__global__ void __launch_bounds__ (S::THREADS, S::BLOCKS)
    product_bulk_kernel (const __grid_constant__ tensor_map map_a,
                         const __grid_constant__ tensor_map map_b, bulk_args<T> args)
{
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
  typedef bulk_layout<T, TRA, S::TM, S::TK> LA;
  typedef bulk_layout<T, !TRB, S::TN, S::TK> LB;
  constexpr int NA = S::WM / 8, NB = S::WN / 16, GROUPS = S::TK / 4;
  constexpr unsigned PAIR = S::template bytes<T>;
  extern __shared__ __align__ (1024) unsigned char pairs[];
  __shared__ __align__ (8) uint64_t barriers[2 * S::STAGES];
  const unsigned memory = shared_address (pairs), full = shared_address (barriers);
  const unsigned empty = full + 8 * S::STAGES;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  bulk_barriers<S> (full, empty);
  bulk_source<T, TRA, TRB, S, KIND> source;
  if (warp == 0)
    source.fill (&map_a, &map_b, memory, full, empty, args);
  const int warp_row = warp % S::WARPS_M * S::WM, warp_column = warp / S::WARPS_M * S::WN;
  const unsigned at_a = memory + LA::lane (warp_row, lane / 4, lane % 4);
  const unsigned at_b =
      memory + S::template a_bytes<T> + LB::lane (warp_column, lane / 4, lane % 4);
  T a[2][NA], b[2][NB][2]; // of the terms that are multiplied, and of the next ones
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
  bulk_sums<T, NB, NA> sums;
  for (int item = args.first + blockIdx.x; item < args.items; item += gridDim.x) {
    if constexpr (KIND == BULK_ADDED) {
      const bulk_corner corner = bulk_find<KIND, S> (item % args.in_page, args.down);
      bulk_begin<TRA, TRB, S> (sums, args, args.first_page + item / args.in_page,
                               corner.row + warp_row, corner.column + warp_column);
    } else
      sums.clear ();
    for (int left = args.k; left > 0; left -= S::TK) {
      if (warp == 0)
        source.load (memory, full, empty, args);
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
        sums.add (b[q % 2], a[q % 2], args.flip);
      }
    }
    const bulk_corner corner = bulk_find<KIND, S> (item % args.in_page, args.down);
    bulk_store<TRA, TRB, S, KIND> (sums, args, args.first_page + item / args.in_page,
                                   corner.row + warp_row, corner.column + warp_column);
  }
#endif
}

#endif
