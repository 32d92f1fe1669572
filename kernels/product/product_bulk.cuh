// product_bulk.cuh: products of pages, tile by tile, copied by TMA
// SPDX-License-Identifier: GPL-3.0-or-later
//
// From compute capability 9.0 on. A block has a tile of TM by TN elements of C of one page, then
// the tile that lies as many tiles further, counted over all pages, as there are blocks; of
// Hermitian products only tiles on and below the diagonal are counted. It runs through the terms of
// the sums, TK at a time: the first warp asks TMA (product_bulk_source.cuh) for TM by TK
// elements of A and TK by TN of B, some pairs ahead, also across the end of a tile. A pair has two
// barriers, for its arrival and for the end of its use, so that no warp waits for another one
// unless that is a whole pair behind. A warp has WM by WN elements of the tile.
//
// In double precision it multiplies four terms while it reads the next four from shared memory
// (single precision: above). What the tensor cores take as rows are columns of C:
// then neighbouring elements of a lane lie side by side in C. A term adds as in product_warp.cuh,
// four terms at a time, so that a page has the same bits here and there.

#ifndef GPULINALG_PRODUCT_BULK_CUH
#define GPULINALG_PRODUCT_BULK_CUH

#include "product_bulk_source.cuh"

//------------------------------------------------------------------------------
// the arithmetic of product_bulk.cuh in single precision
//------------------------------------------------------------------------------

// The tensor cores do not have single precision in full. The lanes of a warp are 8 by 4 groups: a
// lane has WM/8 rows and WN/4 columns of the warp's elements of C. It reads 16 bytes at a time from
// shared memory, the terms of one row or the rows of one term, as they lie there.

#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12

// What the lanes of one of LANES groups read of a tile of an operand: COUNT rows (columns, for B).
template <class T, bool BY_TERMS, int ROWS, int TK, int LANES, int COUNT> struct single_layout {
  static constexpr int LINE = 128 / (int)sizeof (T), UNIT = 16 / (int)sizeof (T);
  static_assert (COUNT % UNIT == 0 && (LANES == 8 || LANES == 4), "units of 16 bytes");

  // The row with number x of the lane.
  static GLA_DEVICE int row (int lane, int x)
  {
    return BY_TERMS ? lane + LANES * x : (lane + LANES * (x / UNIT)) * UNIT + x % UNIT;
  }
  // The byte of the lane's first unit, for the warp's row `first`.
  static GLA_DEVICE unsigned lane (int first, int lane)
  {
    return 128 * (BY_TERMS ? first + lane : first / LINE * TK) + 16 * lane;
  }
  static GLA_DEVICE uint4 unit (unsigned from)
  {
    uint4 u;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(u.x), "=r"(u.y), "=r"(u.z), "=r"(u.w)
                 : "r"(from));
    return u;
  }
  static GLA_DEVICE void split (const uint4 &u, float (&to)[4])
  {
    to[0] = __uint_as_float (u.x);
    to[1] = __uint_as_float (u.y);
    to[2] = __uint_as_float (u.z);
    to[3] = __uint_as_float (u.w);
  }
  static GLA_DEVICE void split (const uint4 &u, cx<float> (&to)[2])
  {
    to[0] = {__uint_as_float (u.x), __uint_as_float (u.y)};
    to[1] = {__uint_as_float (u.z), __uint_as_float (u.w)};
  }
  // Reads UNIT terms from `term` on: v[x][l] is of row x and term l.
  static GLA_DEVICE void read (T (&v)[COUNT][UNIT], unsigned at, int term)
  {
    if constexpr (BY_TERMS) {
#pragma unroll
      for (int x = 0; x < COUNT; x++) {
        const unsigned flip = 16 * (term / UNIT % 8 ^ (LANES == 4 ? 4 * (x % 2) : 0));
        split (unit ((at ^ flip) + 128 * (term / LINE * ROWS + LANES * x)), v[x]);
      }
    } else {
#pragma unroll
      for (int l = 0; l < UNIT; l++)
#pragma unroll
        for (int q = 0; q < COUNT / UNIT; q++) {
          const unsigned flip = 16 * ((term + l) % 8 ^ (LANES == 4 ? 4 * (q % 2) : 0));
          const int line = LANES == 4 ? q / 2 : q;
          T u[UNIT];
          split (unit ((at ^ flip) + 128 * (line * TK + term + l)), u);
#pragma unroll
          for (int i = 0; i < UNIT; i++)
            v[q * UNIT + i][l] = u[i];
        }
    }
  }
};

template <class T, bool TRA, bool TRB, class S> struct single_warp {
  static constexpr int M = S::WM / 8, N = S::WN / 4, UNIT = 16 / (int)sizeof (T);
  typedef single_layout<T, TRA, S::TM, S::TK, 8, M> LA;
  typedef single_layout<T, !TRB, S::TN, S::TK, 4, N> LB;
  static_assert (S::WM % LA::LINE == 0 && S::WN % LB::LINE == 0, "a warp begins with a line");
  T c[M][N];

  GLA_DEVICE void clear ()
  {
#pragma unroll
    for (int x = 0; x < M; x++)
#pragma unroll
      for (int y = 0; y < N; y++)
        c[x][y] = from_real<T> (0);
  }
  // Adds all terms of a pair; at_a and at_b are the addresses of its first units.
  GLA_DEVICE void add (unsigned at_a, unsigned at_b, bool flip)
  {
#pragma unroll 2
    for (int term = 0; term < S::TK; term += UNIT) {
      T a[M][UNIT], b[N][UNIT];
      LA::read (a, at_a, term);
      LB::read (b, at_b, term);
#pragma unroll
      for (int l = 0; l < UNIT; l++)
#pragma unroll
        for (int x = 0; x < M; x++) {
          const T factor = conj_if (a[x][l], flip);
#pragma unroll
          for (int y = 0; y < N; y++)
            c[x][y] = product_madd (factor, b[y][l], c[x][y]);
        }
    }
  }
  // Stores the elements. Of real numbers an element and its mirror image are the same sum, so those
  // of tiles on the diagonal need no mirroring.
  template <bulk_kind KIND>
  GLA_DEVICE void store (const bulk_args<T> &args, int64_t page, int row, int column) const
  {
    const int lane = threadIdx.x % 32 / 4, other = threadIdx.x % 4;
    const bool mirror =
        KIND == BULK_HERMITIAN && (is_complex_v<T> || row / S::TM != column / S::TN);
#pragma unroll
    for (int y = 0; y < N; y++) {
      const int j = column + LB::row (other, y);
      T *to = args.C + page * args.page;
#pragma unroll
      for (int x = 0; x < M; x++) {
        const int i = row + LA::row (lane, x);
        const T value = conj_if (c[x][y], args.conjugate != 0);
        if (mirror)
          bulk_mirror (args, to, i, j, value);
        else if (i < args.m && j < args.n)
          to[j * args.ldc + i] = value;
      }
    }
  }
};

// Multiplies the tiles of a block.
template <class T, bool TRA, bool TRB, class S, bulk_kind KIND, class SOURCE>
GLA_DEVICE void single_tiles (SOURCE &source, const bulk_args<T> &args)
{
  constexpr unsigned PAIR = S::template bytes<T>;
  const bulk_ring &ring = source.ring;
  const int warp = source.warp, lane = source.lane;
  typedef single_warp<T, TRA, TRB, S> warp_type;
  const int warp_row = warp % S::WARPS_M * S::WM, warp_column = warp / S::WARPS_M * S::WN;
  const unsigned at_a = ring.memory + warp_type::LA::lane (warp_row, lane / 4);
  const unsigned at_b =
      ring.memory + S::template a_bytes<T> + warp_type::LB::lane (warp_column, lane % 4);
  warp_type sums;
  bulk_turn<S> turn = {0, 0};
  for (int item = args.first + blockIdx.x; item < args.items; item += gridDim.x) {
    sums.clear ();
    for (int left = args.k; left > 0; left -= S::TK) {
      source.load ();
      phase_wait (ring.full + 8 * turn.stage, turn.parity);
      sums.add (at_a + turn.stage * PAIR, at_b + turn.stage * PAIR, args.flip != 0);
      ring.release (turn.stage);
      turn.next ();
    }
    const bulk_corner corner = bulk_find<KIND, S> (item % args.in_page, args.down);
    sums.template store<KIND> (args, args.first_page + item / args.in_page, corner.row + warp_row,
                               corner.column + warp_column);
  }
}

#endif

//------------------------------------------------------------------------------
// products of pages, tile by tile, copied by TMA
//------------------------------------------------------------------------------

#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12

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

// Multiplies the tiles of a block, in double precision.
template <class T, bool TRA, bool TRB, class S, bulk_kind KIND, class SOURCE>
GLA_DEVICE void bulk_tiles (SOURCE &source, const bulk_args<T> &args)
{
  typedef bulk_layout<T, TRA, S::TM, S::TK> LA;
  typedef bulk_layout<T, !TRB, S::TN, S::TK> LB;
  constexpr int NA = S::WM / 8, NB = S::WN / 16, GROUPS = S::TK / 4;
  constexpr unsigned PAIR = S::template bytes<T>;
  const bulk_ring &ring = source.ring;
  const int warp = source.warp, lane = source.lane;
  const int warp_row = warp % S::WARPS_M * S::WM, warp_column = warp / S::WARPS_M * S::WN;
  const unsigned at_a = ring.memory + LA::lane (warp_row, lane / 4, lane % 4);
  const unsigned at_b =
      ring.memory + S::template a_bytes<T> + LB::lane (warp_column, lane / 4, lane % 4);
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
  bulk_turn<S> turn = {0, 0};
  phase_wait (ring.full, 0);
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
      source.load ();
#pragma unroll
      for (int q = 0; q < GROUPS; q++) {
        if (q < GROUPS - 1)
          read ((q + 1) % 2, turn.stage * PAIR, 4 * q + 4);
        else {
          ring.release (turn.stage);
          turn.next ();
          if (item + (int)gridDim.x < args.items || left > S::TK) {
            phase_wait (ring.full + 8 * turn.stage, turn.parity);
            read (0, turn.stage * PAIR, 0);
          }
        }
        sums.add (b[q % 2], a[q % 2], args.flip);
      }
    }
    const bulk_corner corner = bulk_find<KIND, S> (item % args.in_page, args.down);
    bulk_store<TRA, TRB, S, KIND> (sums, args, args.first_page + item / args.in_page,
                                   corner.row + warp_row, corner.column + warp_column);
  }
}

// The body of both kernels; COPIES loads the pairs.
template <class T, bool TRA, bool TRB, class S, bulk_kind KIND, class COPIES>
GLA_DEVICE void bulk_pages (const COPIES &copies, const bulk_args<T> &args)
{
  bulk_source<T, S, KIND, COPIES> source (copies, args);
  source.fill ();
  if constexpr (sizeof (real_t<T>) == 4)
    single_tiles<T, TRA, TRB, S, KIND> (source, args);
  else
    bulk_tiles<T, TRA, TRB, S, KIND> (source, args);
}

#endif

// A block computes tiles of C, one after the other; its warps divide a tile (bulk_tiles,
// single_tiles). TMA loads the terms.
template <class T, bool TRA, bool TRB, class S, bulk_kind KIND>
__global__ void __launch_bounds__ (S::THREADS, S::BLOCKS)
    product_bulk_kernel (const __grid_constant__ tensor_map map_a,
                         const __grid_constant__ tensor_map map_b, bulk_args<T> args)
{
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
  bulk_pages<T, TRA, TRB, S, KIND> (bulk_copies<T, TRA, TRB, S> (&map_a, &map_b), args);
#endif
}

#endif
