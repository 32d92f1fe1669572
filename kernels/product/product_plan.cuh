// product_plan.cuh: which kernel multiplies pages of which sizes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The choice depends on the sizes and types alone, so that a page has the same bits in every batch.

#ifndef GPULINALG_PRODUCT_PLAN_CUH
#define GPULINALG_PRODUCT_PLAN_CUH

#include "common/async_copy.cuh"
#include "product.cuh"
#include "product_tiles.cuh"

//------------------------------------------------------------------------------
// products of small pages: many pages of A and B in shared memory at a time
//------------------------------------------------------------------------------

// A block has a run of consecutive pages, then the run that lies as many runs further as there are
// blocks. The pages of A and of B of a run are copied to shared memory as they lie, several runs
// ahead of the one that is computed. A thread has every THREADS-th element of the run's pages of C:
// neighbouring threads have neighbouring elements, so that C is written without gaps. An element is
// one sum in ascending order.
//
// Neighbouring elements of C are products of neighbouring elements of A (or, transposed, of B's),
// and of elements that several threads read at once, so few reads of shared memory meet in a bank.

// x / d for 0 <= x < 2^32 / d, by a multiplication.
struct divisor {
  unsigned d, factor; // factor 0: d is 1
  __host__ __device__ static divisor of (unsigned d)
  {
    return {d, d == 1 ? 0 : 0xffffffffu / d + 1};
  }
  GLA_DEVICE unsigned operator() (unsigned x) const
  {
    return factor == 0 ? x : __umulhi (x, factor);
  }
};

// How an operand is copied.
struct flat_source {
  int page;    // elements of a page
  int stride;  // of pages in shared memory: page, or 0 where all share one
  bool packed; // the pages lie side by side without gaps, and every run begins at 16 bytes
  divisor by_page, by_rows;
};

struct flat_plan {
  int run;      // pages of a run
  int b_offset; // bytes from a stage's pages of A to those of B, and of a stage
  int stage;
  flat_source a, b;
  divisor by_c, by_m; // elements of a page of C, of a column of it
};

// Copies the pages from `first` on, `pages` of them (1 where all share one).
template <class T, int THREADS>
GLA_DEVICE void flat_load (T *to, const page_operand<T> &from, const flat_source &s, int64_t first,
                           int pages)
{
  const int count = (s.stride == 0 ? 1 : pages) * s.page;
  if (s.packed) {
    const T *data = from.data + (s.stride == 0 ? 0 : first * from.page);
    constexpr int UNIT = 16 / sizeof (T);
    for (int e = threadIdx.x * UNIT; e < count; e += THREADS * UNIT)
      async_copy<16> (to + e, data + e, min (count - e, UNIT) * (int)sizeof (T));
    return;
  }
  for (int e = threadIdx.x; e < count; e += THREADS) {
    const int p = s.by_page (e), in_page = e - p * s.page;
    const int column = s.by_rows (in_page), row = in_page - column * (int)s.by_rows.d;
    async_copy<sizeof (T)> (to + e, from.at (first + p) + column * from.ld + row, sizeof (T));
  }
}

// Adds conj (x)*y or x*y to COLUMNS sums, whose y are `apart`; `count` terms, or COUNT where it is
// not 0.
template <int COUNT, int COLUMNS, class TA, class TB>
GLA_DEVICE void flat_sums (product_t<TA, TB> (&sums)[COLUMNS], const TA *x, int x_step, const TB *y,
                           int y_step, int apart, int count, bool conjugate)
{
#pragma unroll
  for (int q = 0; q < COLUMNS; q++)
    sums[q] = from_real<product_t<TA, TB>> (0);
#pragma unroll(COUNT > 0 ? COUNT : 4)
  for (int l = 0; l < (COUNT > 0 ? COUNT : count); l++) {
    const TA left = conj_if (x[l * x_step], conjugate);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++)
      sums[q] = product_madd (left, y[l * y_step + q * apart], sums[q]);
  }
}

// N: m, n and k are N, and A and B are transposed as TRA and TRB say. N is 0: as the arguments say.
// COLUMNS: elements of a row of C that a thread computes together.
template <class TA, class TB, int N, bool TRA, bool TRB, int COLUMNS, int THREADS, int STAGES>
__global__ void __launch_bounds__ (THREADS)
    product_flat_kernel (product_args<TA, TB> a, flat_plan plan, int64_t first_page, int64_t pages)
{
  typedef product_t<TA, TB> T;
  extern __shared__ __align__ (128) unsigned char memory[];
  const int m = N > 0 ? N : a.m, n = N > 0 ? N : a.n, k = N > 0 ? N : a.k;
  const bool tra = N > 0 ? TRA : a.transpose_a, trb = N > 0 ? TRB : a.transpose_b;
  const int a_row = tra ? k : 1, a_term = tra ? 1 : m;
  const int b_column = trb ? 1 : k, b_term = trb ? n : 1;
  const bool flip = a.conjugate_a != a.conjugate_b;
  const int64_t runs = (pages + plan.run - 1) / plan.run;
  auto run_pages = [&] (int64_t run) {
    const int64_t left = pages - run * plan.run;
    return left < plan.run ? (int)left : plan.run;
  };
  auto load = [&] (int64_t run, int stage) {
    if (run < runs) {
      unsigned char *to = memory + stage * plan.stage;
      const int64_t first = first_page + run * plan.run;
      flat_load<TA, THREADS> (reinterpret_cast<TA *> (to), a.A, plan.a, first, run_pages (run));
      flat_load<TB, THREADS> (reinterpret_cast<TB *> (to + plan.b_offset), a.B, plan.b, first,
                              run_pages (run));
    }
    async_commit ();
  };
#pragma unroll
  for (int s = 0; s < STAGES - 1; s++)
    load (blockIdx.x + (int64_t)s * gridDim.x, s);
  int stage = 0;
  for (int64_t run = blockIdx.x; run < runs; run += gridDim.x) {
    async_wait<STAGES - 2> ();
    __syncthreads ();
    load (run + (int64_t)(STAGES - 1) * gridDim.x, stage == 0 ? STAGES - 1 : stage - 1);
    const unsigned char *at = memory + stage * plan.stage;
    const TA *A = reinterpret_cast<const TA *> (at);
    const TB *B = reinterpret_cast<const TB *> (at + plan.b_offset);
    const int apart = n / COLUMNS, in_c = m * apart, count = run_pages (run) * in_c;
    T *C = a.C + (first_page + run * plan.run) * a.page;
    for (int e = threadIdx.x; e < count; e += THREADS) {
      const int p = N > 0 ? e / in_c : plan.by_c (e), in_page = e - p * in_c;
      const int j = N > 0 ? in_page / m : plan.by_m (in_page), i = in_page - j * m;
      const TA *x = A + p * plan.a.stride;
      const TB *y = B + p * plan.b.stride;
      T *to = C + p * a.page + j * a.ldc + i;
      if (a.hermitian) { // above the diagonal are the conjugates of those below
#pragma unroll 1
        for (int h = j; h < n; h += apart, to += apart * a.ldc) {
          const bool mirror = i < h;
          T c[1];
          flat_sums<N> (c, x + (mirror ? h : i) * a_row, a_term, y + (mirror ? i : h) * b_column,
                        b_term, 0, k, flip);
          c[0] = conj_if (c[0], a.conjugate_b != mirror);
          *to = i == h ? from_real<T> (re (c[0])) : c[0];
        }
        continue;
      }
      T c[COLUMNS];
      flat_sums<N> (c, x + i * a_row, a_term, y + j * b_column, b_term, apart * b_column, k, flip);
#pragma unroll
      for (int q = 0; q < COLUMNS; q++)
        to[q * apart * a.ldc] = conj_if (c[q], a.conjugate_b);
    }
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }
}

//------------------------------------------------------------------------------
// which kernel multiplies pages of which sizes
//------------------------------------------------------------------------------

enum product_method {
  PRODUCT_FLAT,
  PRODUCT_TILES_16, // a page is one tile
  PRODUCT_TILES_32,
  PRODUCT_TILES_48,
  PRODUCT_TILES_64,
  PRODUCT_TILES_96,
  PRODUCT_TILES // of larger pages
};

// The flat kernel is used if reading the factors from shared memory takes no longer than loading
// the page from the device's memory, and if a run has several pages. Else the smallest tile that
// holds the page is used.
inline product_method product_choose (int64_t m, int64_t n, int64_t k, size_t bytes)
{
  const double elements = (double)m * k + (double)k * n + (double)m * n;
  if (k > 0 && 8 * elements >= 3.0 * m * n * k && elements * bytes <= 16384)
    return PRODUCT_FLAT;
  const int64_t side = m > n ? m : n, other = m > n ? n : m;
  if (side <= 64)
    return side <= 16   ? PRODUCT_TILES_16
           : side <= 32 ? PRODUCT_TILES_32
           : side <= 48 ? PRODUCT_TILES_48
                        : PRODUCT_TILES_64;
  return side <= 96 && other > 64 ? PRODUCT_TILES_96 : PRODUCT_TILES;
}

// Tiles for products of elements of R, CC: complex ones. Each was the fastest of several, measured
// on one H200 (doc/notebook/product.md). All complex ones take four terms at a time, as in
// product_bulk.cuh, so that an element has the same bits in all tiles.
template <class R, bool CC, product_method M> struct tiles_for;
template <> struct tiles_for<double, false, PRODUCT_TILES_16> {
  typedef tile_shape<16, 16, 8, 16, 16, 4, 16, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES_16> {
  typedef tile_shape<16, 16, 8, 16, 16, 3, 12, 4> type;
};
template <> struct tiles_for<double, false, PRODUCT_TILES_32> {
  typedef tile_shape<32, 32, 32, 32, 16, 3, 4, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES_32> {
  typedef tile_shape<32, 32, 8, 16, 32, 3, 4, 4> type;
};
template <> struct tiles_for<double, false, PRODUCT_TILES_48> {
  typedef tile_shape<64, 64, 16, 32, 16, 3, 2, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES_48> {
  typedef tile_shape<48, 48, 8, 16, 24, 3, 2, 4> type;
};
template <> struct tiles_for<double, false, PRODUCT_TILES_64> {
  typedef tile_shape<64, 64, 32, 32, 32, 2, 3, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES_64> {
  typedef tile_shape<64, 64, 8, 32, 32, 3, 2, 4> type;
};
template <> struct tiles_for<double, false, PRODUCT_TILES_96> {
  typedef tile_shape<96, 96, 16, 48, 32, 3, 1, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES_96> {
  typedef tile_shape<48, 48, 8, 16, 24, 3, 2, 4> type; // four of them
};
template <> struct tiles_for<double, false, PRODUCT_TILES> {
  typedef tile_shape<64, 64, 16, 32, 32, 3, 3, 8> type;
};
template <> struct tiles_for<double, true, PRODUCT_TILES> {
  typedef tile_shape<64, 64, 8, 32, 32, 3, 2, 4> type;
};
template <bool CC, product_method M> struct tiles_for<float, CC, M> {
  typedef tile_shape<64, 64, 8, 32, 16, 3, 2, CC ? 1 : 2> type;
};
template <bool CC> struct tiles_for<float, CC, PRODUCT_TILES_16> {
  typedef tile_shape<16, 16, 16, 16, 16, 3, 8, 2> type;
};
template <bool CC> struct tiles_for<float, CC, PRODUCT_TILES_32> {
  typedef tile_shape<32, 32, 16, 16, 16, 3, 4, 2> type;
};

// f (shape) for the tiles of a method.
template <class R, bool CC, class F> auto with_tiles (product_method method, F f)
{
  switch (method) {
  case PRODUCT_TILES_16:
    return f (typename tiles_for<R, CC, PRODUCT_TILES_16>::type ());
  case PRODUCT_TILES_32:
    return f (typename tiles_for<R, CC, PRODUCT_TILES_32>::type ());
  case PRODUCT_TILES_48:
    return f (typename tiles_for<R, CC, PRODUCT_TILES_48>::type ());
  case PRODUCT_TILES_64:
    return f (typename tiles_for<R, CC, PRODUCT_TILES_64>::type ());
  case PRODUCT_TILES_96:
    return f (typename tiles_for<R, CC, PRODUCT_TILES_96>::type ());
  default:
    return f (typename tiles_for<R, CC, PRODUCT_TILES>::type ());
  }
}

#endif
