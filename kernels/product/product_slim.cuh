// product_slim.cuh: products with 3 to 16 columns or rows in double precision, on tensor cores
// SPDX-License-Identifier: GPL-3.0-or-later
//
// C = L*X as in product_thin_kernel.cuh. A warp has 16 to 64 rows of L, in tiles of 16, and all
// columns of X, in one tile of 8 or two. It brings its part of L straight from the device's memory
// into the registers that the tensor cores take it from, each element once. The terms are cut into
// `parts` for each of a block's warps. Where pages are few, a cluster of blocks has these rows,
// each block a part of each warp; where they are many, one block has, and its warps go on from part
// to part. The sums of a warp's parts are added in their order, then those of the warps, so that
// both give the same bits. `parts` follows from the sizes alone.

#ifndef GPULINALG_PRODUCT_SLIM_CUH
#define GPULINALG_PRODUCT_SLIM_CUH

#include "common/mma_tiles.cuh"
#include "product_thin_kernel.cuh"

enum { SLIM_WARPS = 4, SLIM_THREADS = 32 * SLIM_WARPS };

// ROWS: tiles of 16 rows of a warp; TILES: those of 8 columns of X; EIGHTS: eights of terms that
// are under way together.
template <int R, int C, int E> struct slim_shape {
  static constexpr int ROWS = R, TILES = C, EIGHTS = E, GROUP = 16 * R, LINE = GROUP + 4;
};

// How a lane reads L. TURNED: rows are contiguous, else columns. WIDE: two neighbours at a time,
// which are two terms, or two rows.
template <class S, bool TURNED, bool WIDE> struct slim_lines {
  static constexpr bool PAIRS = !TURNED && WIDE; // of rows
  static constexpr int COUNT = (PAIRS ? 1 : 2) * S::ROWS;
  const double *p[COUNT]; // the lane's first terms of its rows
  int64_t ld;

  GLA_DEVICE static int g () { return threadIdx.x % 32 / 4; }
  GLA_DEVICE static int t () { return threadIdx.x % 4; }
  // Row half*8 + g of tile q, of the group.
  GLA_DEVICE static int row (int q, int half)
  {
    return 16 * q + (PAIRS ? 2 * g () + half : 8 * half + g ());
  }

  // The rows from `row` on, at most the last one; the terms from l on.
  GLA_DEVICE slim_lines (const double *L, int64_t ld, int first_row, int rows, int l) : ld (ld)
  {
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
      const int r = first_row + (PAIRS ? row (k, 0) : row (k / 2, k % 2));
      const int there = min (r, rows - (PAIRS ? 2 : 1));
      p[k] = L + (TURNED ? there * ld + l + 2 * t () : (l + 2 * t ()) * ld + there);
    }
  }

  // Eight terms to the operands of the products. CHECKED: of which `left` are there.
  template <bool CHECKED> GLA_DEVICE void read (double (&a)[S::ROWS][4], int left) const
  {
#pragma unroll
    for (int k = 0; k < COUNT; k++)
      if constexpr (WIDE && TURNED && !CHECKED) {
        const double2 v = *reinterpret_cast<const double2 *> (p[k]);
        a[k / 2][k % 2] = v.x;
        a[k / 2][2 + k % 2] = v.y;
      } else {
#pragma unroll
        for (int s = 0; s < 2; s++)
          read_term (a, k, s, !CHECKED || 2 * t () + s < left);
      }
  }
  GLA_DEVICE void read_term (double (&a)[S::ROWS][4], int k, int s, bool there) const
  {
    const double *from = p[k] + (TURNED ? s : s * ld);
    if constexpr (PAIRS) {
      const double2 v = there ? *reinterpret_cast<const double2 *> (from) : make_double2 (0, 0);
      a[k][2 * s] = v.x;
      a[k][2 * s + 1] = v.y;
    } else
      a[k / 2][2 * s + k % 2] = there ? *from : 0;
  }
  GLA_DEVICE void advance ()
  {
#pragma unroll
    for (int k = 0; k < COUNT; k++)
      p[k] += TURNED ? 8 : 8 * ld;
  }
};

// How a lane reads X: columns beyond the last one are that one again.
template <class S> struct slim_columns {
  const double *p[S::TILES];
  int64_t term;
  bool wide; // two terms at a time

  GLA_DEVICE slim_columns (const double *X, const thin_args<double, double> &a, int l, bool wide)
      : term (a.x_term), wide (wide)
  {
#pragma unroll
    for (int c = 0; c < S::TILES; c++) {
      const int column = min (8 * c + (int)(threadIdx.x % 32) / 4, a.columns - 1);
      p[c] = X + (l + 2 * (threadIdx.x % 4)) * term + column * a.x_column;
    }
  }
  template <bool CHECKED> GLA_DEVICE void read (double (&b)[S::TILES][2], int left) const
  {
#pragma unroll
    for (int c = 0; c < S::TILES; c++)
      if (!CHECKED && wide) {
        const double2 v = *reinterpret_cast<const double2 *> (p[c]);
        b[c][0] = v.x;
        b[c][1] = v.y;
      } else {
#pragma unroll
        for (int s = 0; s < 2; s++)
          b[c][s] = !CHECKED || 2 * (int)(threadIdx.x % 4) + s < left ? p[c][s * term] : 0;
      }
  }
  GLA_DEVICE void advance ()
  {
#pragma unroll
    for (int c = 0; c < S::TILES; c++)
      p[c] += 8 * term;
  }
};

// Operands that are under way.
template <class S> struct slim_step {
  double a[S::EIGHTS][S::ROWS][4], b[S::EIGHTS][S::TILES][2];
};

// The sums of `count` terms; the next operands are under way while the tensor cores have those
// before them.
template <class S, bool TURNED, bool WIDE>
GLA_DEVICE void slim_multiply (double (&sums)[S::ROWS][S::TILES][4],
                               slim_lines<S, TURNED, WIDE> lines, slim_columns<S> columns,
                               int count)
{
  slim_step<S> now, next;
  const auto read = [&] (slim_step<S> &to, int left) {
#pragma unroll
    for (int e = 0; e < S::EIGHTS; e++) {
      if (left >= 8 * S::EIGHTS) {
        lines.template read<false> (to.a[e], left);
        columns.template read<false> (to.b[e], left);
      } else {
        lines.template read<true> (to.a[e], left - 8 * e);
        columns.template read<true> (to.b[e], left - 8 * e);
      }
      lines.advance ();
      columns.advance ();
    }
  };
  if (count > 0)
    read (now, count);
  while (count > 0) {
    count -= 8 * S::EIGHTS;
    if (count > 0)
      read (next, count);
#pragma unroll
    for (int e = 0; e < S::EIGHTS; e++)
#pragma unroll
      for (int q = 0; q < S::ROWS; q++)
#pragma unroll
        for (int c = 0; c < S::TILES; c++)
          mma16 (sums[q][c], now.a[e][q], now.b[e][c]);
    now = next;
  }
}

// A block or a cluster of blocks has a group of rows of a page (see above).
template <class S, bool TURNED, bool WIDE>
__global__ void __launch_bounds__ (SLIM_THREADS, 3)
    product_slim_kernel (thin_args<double, double> a, int parts, bool wide_x)
{
  typedef slim_lines<S, TURNED, WIDE> lines_of;
  __shared__ double total[SLIM_WARPS][8 * S::TILES * S::LINE];
  const int warp = threadIdx.x / 32, t = threadIdx.x % 4, rank = (int)(blockIdx.x % a.blocks);
  const int row = (a.first_group + (int)(blockIdx.x / a.blocks)) * S::GROUP;
  const int all = parts * SLIM_WARPS, share = ((a.terms + all - 1) / all + 7) / 8 * 8;
  for (int64_t page = a.first_page + blockIdx.y; page < a.end_page; page += gridDim.y) {
    const double *L = a.L.at (page), *X = a.X.at (page);
    for (int part = rank; part < parts; part += a.blocks) {
      const int first = min (a.terms, (warp * parts + part) * share);
      const int count = min (share, a.terms - first), l = a.first_term + first;
      double sums[S::ROWS][S::TILES][4] = {};
      slim_multiply<S> (sums, lines_of (L, a.L.ld, row, a.rows, l),
                        slim_columns<S> (X, a, l, wide_x), count);
#pragma unroll
      for (int q = 0; q < S::ROWS; q++)
#pragma unroll
        for (int c = 0; c < S::TILES; c++)
#pragma unroll
          for (int i = 0; i < 4; i++) {
            double *to = &total[warp][(8 * c + 2 * t + i % 2) * S::LINE + lines_of::row (q, i / 2)];
            *to = part == rank ? sums[q][c][i] : *to + sums[q][c][i];
          }
    }
    cluster_barrier (a.blocks);
    for (int e = rank * SLIM_THREADS + threadIdx.x; e < S::GROUP * a.columns;
         e += a.blocks * SLIM_THREADS) {
      const int i = e % S::GROUP, j = e / S::GROUP;
      if (row + i >= a.rows)
        continue;
      double sum = 0;
      for (int w = 0; w < SLIM_WARPS; w++) {
        double *here = &total[w][j * S::LINE + i], of_warp = *in_block (here, 0, a.blocks);
        for (int b = 1; b < a.blocks; b++)
          of_warp += *in_block (here, b, a.blocks);
        sum = w == 0 ? of_warp : sum + of_warp;
      }
      double *to = a.C + page * a.page + (row + i) * a.c_row + j * a.c_column;
      *to = a.add ? sum + *to : sum;
    }
    cluster_barrier (a.blocks); // all have read the sums
  }
}

//------------------------------------------------------------------------------
// launch
//------------------------------------------------------------------------------

// Columns of X at most, terms at least, blocks of a page that are wanted, of a cluster at most, and
// terms of a block at least.
enum { SLIM_COLUMNS = 16, SLIM_TERMS = 256, SLIM_BLOCKS = 256, SLIM_CLUSTER = 8, SLIM_SHARE = 128 };

inline int slim_parts (int64_t rows, int64_t k)
{
  int parts = 1;
  while (parts < SLIM_CLUSTER && (rows + 63) / 64 * parts < SLIM_BLOCKS &&
         k >= 2 * parts * SLIM_SHARE)
    parts *= 2;
  return parts;
}

// Whether two numbers at a time can be read, the first of them an even number behind the beginning.
inline bool slim_is_wide (const page_operand<double> &a)
{
  return (uintptr_t)a.data % 16 == 0 && a.ld % 2 == 0 && a.page % 2 == 0;
}

// With so many pages that there are three blocks of 32 rows for two multiprocessors, a block has
// all parts of its rows.
inline bool slim_is_full (int64_t rows, const product_piece &piece)
{
  return (rows + 31) / 32 * piece.pages * 2 >= 3 * piece.multiprocessors;
}

template <class S, bool TURNED, bool WIDE>
cudaError_t launch_slim_kernel (thin_args<double, double> a, const product_piece &piece,
                                int64_t tiles, int64_t k, cudaStream_t stream)
{
  const int64_t groups = ((int64_t)a.rows + S::GROUP - 1) / S::GROUP;
  const int64_t first = groups * piece.first_tile / tiles;
  const int64_t end = groups * (piece.first_tile + piece.tiles) / tiles;
  if (first == end)
    return cudaSuccess;
  const int parts = slim_parts (a.rows, k);
  const bool wide_x = a.x_term == 1 && a.first_term % 2 == 0 && slim_is_wide (a.X);
  a.blocks = slim_is_full (a.rows, piece) ? 1 : parts;
  a.first_group = (int)first;
  cluster_launch way (end - first, a.blocks, SLIM_THREADS, 0, stream);
  way.config.gridDim.y = (unsigned)(piece.pages < 65535 ? piece.pages : 65535);
  return cudaLaunchKernelEx (&way.config, product_slim_kernel<S, TURNED, WIDE>, a, parts, wide_x);
}

template <class S, bool TURNED>
cudaError_t launch_slim_shape (const thin_args<double, double> &a, const product_piece &piece,
                               int64_t tiles, int64_t k, cudaStream_t stream)
{
  const bool even = TURNED ? a.first_term % 2 == 0 : a.rows % 2 == 0;
  return even && slim_is_wide (a.L)
             ? launch_slim_kernel<S, TURNED, true> (a, piece, tiles, k, stream)
             : launch_slim_kernel<S, TURNED, false> (a, piece, tiles, k, stream);
}

// The shapes are the fastest ones, as measured; all give the same bits.
template <bool TURNED, int TILES>
cudaError_t launch_slim_tiles (const thin_args<double, double> &a, const product_piece &piece,
                               int64_t tiles, int64_t k, cudaStream_t stream)
{
  typedef slim_shape<TURNED ? 1 : 2, TILES, 2> many;
  typedef std::conditional_t<TURNED, slim_shape<TILES == 1 ? 2 : 1, TILES, 2>,
                             slim_shape<4, TILES, 1>>
      few;
  return slim_is_full (a.rows, piece) ? launch_slim_shape<many, TURNED> (a, piece, tiles, k, stream)
                                      : launch_slim_shape<few, TURNED> (a, piece, tiles, k, stream);
}

template <bool TURNED>
cudaError_t launch_slim (const thin_args<double, double> &a, const product_piece &piece,
                         int64_t tiles, int64_t k, cudaStream_t stream)
{
  return a.columns <= 8 ? launch_slim_tiles<TURNED, 1> (a, piece, tiles, k, stream)
                        : launch_slim_tiles<TURNED, 2> (a, piece, tiles, k, stream);
}

#endif
