// product_thin_kernel.cuh: products with few columns or few rows
// SPDX-License-Identifier: GPL-3.0-or-later
//
// C = L*X, where L has many rows and X up to 8 columns. (Where C has few rows, C.' = B.'*A.' is
// computed, so that L is B.'.) Each element of L is read once; terms of X lie in shared memory,
// some at a time. A cluster of blocks has a group of rows of L, each block an equal share of the
// terms. Where a column of L is contiguous, all warps of a block have all rows of the group, PER
// rows a lane, and divide the terms between them. Where a row is contiguous (TURNED), a warp has
// PER rows of the group, and its lanes divide the terms. All partial sums are then added in a fixed
// order: over the warps or lanes, then over the blocks. All shares follow from the sizes and types.

#ifndef GPULINALG_PRODUCT_THIN_KERNEL_CUH
#define GPULINALG_PRODUCT_THIN_KERNEL_CUH

#include "common/cluster.cuh"
#include "product.cuh"

enum { THIN_WARPS = 8, THIN_THREADS = 32 * THIN_WARPS };

// N: columns of X with those of zeros that fill it up.
template <class TL, class TX, bool TURNED, int N> struct thin_shape {
  typedef product_t<TL, TX> T;
  static constexpr int SIZE = sizeof (T);
  static constexpr int PER = !TURNED ? 16 / SIZE : 4 * N * SIZE <= 256 ? 4 : 2; // rows
  static constexpr int SUMS = PER * N;                                          // of a thread
  static constexpr int ROWS = PER * (TURNED ? THIN_WARPS : 32);                 // of a group
  // Terms whose loads are under way together.
  static constexpr int AHEAD = 128 / (PER * SIZE);
  static constexpr int BUFFER = N <= 4 ? 17408 : 34816;
  // X in shared memory, padded against conflicts of banks: term after term, or turned column after
  // column.
  static constexpr int LINE = N * (int)sizeof (TX), PADDED = LINE + (LINE >= 32 ? 16 : 0);
  static constexpr int TERMS = TURNED
                                   ? (BUFFER / LINE - 8) / (32 * AHEAD) * (32 * AHEAD)
                                   : BUFFER / PADDED / (THIN_WARPS * AHEAD) * (THIN_WARPS * AHEAD);
  static constexpr int TERM = TURNED ? 1 : PADDED / (int)sizeof (TX); // distances
  static constexpr int COLUMN = TURNED ? TERMS + 8 : 1;
  // On a multiprocessor, at least.
  static constexpr int BLOCKS = SUMS * SIZE <= 32    ? 4
                                : SUMS * SIZE <= 64  ? 3
                                : SUMS * SIZE <= 256 ? 2
                                                     : 1;
  static_assert (TURNED || THIN_WARPS / 2 * ROWS * N * SIZE <= BUFFER, "see add_warps");
};

template <class TL, class TX> struct thin_args {
  page_operand<TL> L;
  page_operand<TX> X;
  product_t<TL, TX> *C;
  int64_t x_term, x_column, c_row, c_column, page; // distances
  int64_t first_page, end_page;
  int rows, columns, first_group;
  int first_term, terms;
  int blocks;           // of a cluster
  bool flip, conjugate; // X, C
  bool add;             // to what is in C
};

// The columns of the terms of X at `from`; those that fill up are 0.
template <class S, class TL, class TX>
GLA_DEVICE void load_thin (TX *to, const TX *from, int count, const thin_args<TL, TX> &a)
{
  constexpr int N = S::SUMS / S::PER;
  for (int e = threadIdx.x; e < S::TERMS * N; e += THIN_THREADS) {
    const int l = e / (8 * N) * 8 + e % 8, j = e / 8 % N; // whole sectors of either layout
    if (l < count)
      to[l * S::TERM + j * S::COLUMN] =
          j < a.columns ? conj_if (from[l * a.x_term + j * a.x_column], a.flip) : TX ();
  }
}

// The AHEAD terms from l on, in steps of 1 (TURNED: 32). p: the thread's rows at l. CHECKED: those
// from `end` on do not count, and L is not read there.
template <class S, bool TURNED, bool CHECKED, class TL, class TX, class T>
GLA_DEVICE void add_terms (T (&sums)[S::SUMS], const TL *(&p)[S::PER], int64_t ld, const TX *x,
                           int l, int end)
{
  constexpr int N = S::SUMS / S::PER, STEP = TURNED ? 32 : 1;
  TL value[S::AHEAD][S::PER];
#pragma unroll
  for (int u = 0; u < S::AHEAD; u++)
#pragma unroll
    for (int q = 0; q < S::PER; q++) {
      value[u][q] = !CHECKED || l + u * STEP < end ? *p[q] : TL ();
      p[q] += TURNED ? 32 : ld;
    }
#pragma unroll
  for (int u = 0; u < S::AHEAD; u++) {
    if (CHECKED && l + u * STEP >= end)
      break;
    TX line[N];
#pragma unroll
    for (int j = 0; j < N; j++)
      line[j] = x[(l + u * STEP) * S::TERM + j * S::COLUMN];
#pragma unroll
    for (int q = 0; q < S::PER; q++)
#pragma unroll
      for (int j = 0; j < N; j++)
        sums[q * N + j] = product_madd (value[u][q], line[j], sums[q * N + j]);
  }
}

// `count` terms, of which the first one of L is at `L`, row 0.
template <class S, bool TURNED, class TL, class TX, class T>
GLA_DEVICE void add_chunk (T (&sums)[S::SUMS], const TL *L, int64_t ld, int row, int rows,
                           const TX *x, int count)
{
  constexpr int STEP = TURNED ? 32 : 1;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int share = (count + THIN_WARPS - 1) / THIN_WARPS, mine = TURNED ? lane : 0;
  const int end = TURNED ? count : min (count, (warp + 1) * share);
  int l = TURNED ? 0 : warp * share;
  const TL *p[S::PER];
#pragma unroll
  for (int q = 0; q < S::PER; q++) {
    const int r = min (row + (TURNED ? warp * S::PER + q : q * 32 + lane), rows - 1);
    p[q] = L + (TURNED ? r * ld + lane : l * ld + r);
  }
  for (; l + S::AHEAD * STEP <= end; l += S::AHEAD * STEP)
    add_terms<S, TURNED, false> (sums, p, ld, x, l + mine, end);
  if (l < end)
    add_terms<S, TURNED, true> (sums, p, ld, x, l + mine, end);
}

// Sums over the warps: the upper half gives its sums to the lower one, until one warp has all.
template <class S, class T> GLA_DEVICE void add_warps (T (&sums)[S::SUMS], T *spare, T *total)
{
  constexpr int N = S::SUMS / S::PER;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int half = THIN_WARPS / 2; half >= 1; half /= 2) {
    __syncthreads ();
    if (warp >= half && warp < 2 * half)
#pragma unroll
      for (int i = 0; i < S::SUMS; i++)
        spare[((warp - half) * S::SUMS + i) * 32 + lane] = sums[i];
    __syncthreads ();
    if (warp < half)
#pragma unroll
      for (int i = 0; i < S::SUMS; i++)
        sums[i] = sums[i] + spare[(warp * S::SUMS + i) * 32 + lane];
  }
  if (warp == 0)
#pragma unroll
    for (int i = 0; i < S::SUMS; i++)
      total[i % N * S::ROWS + i / N * 32 + lane] = sums[i];
}

// Sums over the lanes: of two lanes each keeps half of the COUNT sums and gets them from the other
// one, as long as there are halves. The lane's sums are then those from the returned one on.
template <int COUNT, int MASK, class T> GLA_DEVICE int add_halves (T *sums)
{
  constexpr int HALF = COUNT / 2;
  const bool upper = HALF > 0 && (threadIdx.x & MASK) != 0;
  if constexpr (HALF == 0)
    sums[0] = sums[0] + shuffle_xor (sums[0], MASK);
#pragma unroll
  for (int i = 0; i < HALF; i++) {
    const T given = upper ? sums[i] : sums[i + HALF], kept = upper ? sums[i + HALF] : sums[i];
    sums[i] = kept + shuffle_xor (given, MASK);
  }
  int first = upper ? HALF : 0;
  if constexpr (MASK > 1)
    first += add_halves<(HALF > 0 ? HALF : 1), MASK / 2> (sums);
  return first;
}

template <class S, class T> GLA_DEVICE void add_lanes (T (&sums)[S::SUMS], T *total)
{
  constexpr int N = S::SUMS / S::PER, LEFT = S::SUMS > 32 ? S::SUMS / 32 : 1; // of a lane
  const int warp = threadIdx.x / 32, first = add_halves<S::SUMS, 16> (sums);
#pragma unroll
  for (int i = 0; i < LEFT; i++)
    total[(first + i) % N * S::ROWS + warp * S::PER + (first + i) / N] = sums[i];
}

// S::ROWS rows of a page's result belong to a.blocks blocks, which divide the terms; blockIdx.x
// counts groups of rows and blocks of them, blockIdx.y pages. In a block each warp has S::PER rows
// of the result.
template <class TL, class TX, bool TURNED, int N>
__global__ void __launch_bounds__ (THIN_THREADS, thin_shape<TL, TX, TURNED, N>::BLOCKS)
    product_thin_kernel (thin_args<TL, TX> a)
{
  typedef thin_shape<TL, TX, TURNED, N> S;
  typedef product_t<TL, TX> T;
  __shared__ __align__ (16) unsigned char buffer[S::BUFFER];
  __shared__ __align__ (16) T total[S::ROWS * N];
  TX *x = reinterpret_cast<TX *> (buffer);
  const int rank = (int)(blockIdx.x % a.blocks);
  const int row = (a.first_group + (int)(blockIdx.x / a.blocks)) * S::ROWS;
  const int share = (a.terms + a.blocks - 1) / a.blocks;
  const int first = a.first_term + min (a.terms, rank * share);
  const int end = a.first_term + min (a.terms, (rank + 1) * share);
  for (int64_t page = a.first_page + blockIdx.y; page < a.end_page; page += gridDim.y) {
    const TL *L = a.L.at (page);
    const TX *X = a.X.at (page);
    T sums[S::SUMS] = {};
    for (int l = first; l < end; l += S::TERMS) {
      const int count = min (S::TERMS, end - l);
      __syncthreads ();
      load_thin<S> (x, X + l * a.x_term, count, a);
      __syncthreads ();
      add_chunk<S, TURNED> (sums, L + (TURNED ? l : l * a.L.ld), a.L.ld, row, a.rows, x, count);
    }
    if constexpr (TURNED)
      add_lanes<S> (sums, total);
    else
      add_warps<S> (sums, reinterpret_cast<T *> (buffer), total);
    cluster_barrier (a.blocks);
    for (int e = rank * THIN_THREADS + threadIdx.x; e < S::ROWS * a.columns;
         e += a.blocks * THIN_THREADS) {
      const int i = row + e % S::ROWS, j = e / S::ROWS;
      if (i >= a.rows)
        continue;
      T sum = *in_block (&total[e], 0, a.blocks);
      for (int b = 1; b < a.blocks; b++)
        sum = sum + *in_block (&total[e], b, a.blocks);
      T *to = a.C + page * a.page + i * a.c_row + j * a.c_column;
      sum = conj_if (sum, a.conjugate);
      *to = a.add ? sum + *to : sum;
    }
    cluster_barrier (a.blocks); // all have read the sums
  }
}

#endif
