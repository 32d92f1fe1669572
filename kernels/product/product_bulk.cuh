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
// (single precision: product_bulk_single.cuh). What the tensor cores take as rows are columns of C:
// then neighbouring elements of a lane lie side by side in C. A term adds as in product_warp.cuh,
// four terms at a time, so that a page has the same bits here and there.

#ifndef GPULINALG_PRODUCT_BULK_CUH
#define GPULINALG_PRODUCT_BULK_CUH

#include "product_bulk_single.cuh"

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

// The tiles of a block, in double precision.
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

// The kernel for pairs that COPIES bring.
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
