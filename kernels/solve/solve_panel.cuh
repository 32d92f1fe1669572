// solve_panel.cuh: pages too large for solve_page.cuh, up to order 256: reads and classifies them
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A block of threads has a page. Each thread has one row of it, or two, and rows are not exchanged:
// a thread knows the pivots of its rows. The page is done from left to right in panels of 16 or 32
// columns, which are in registers (solve_panel_factor.cuh); right-hand sides are panels, too
// (solve_panel_types.cu). So all work is to subtract multiples of rows, which their owners send
// through shared memory. The factors are in global memory, that is, mostly in the second-level
// cache: each thread writes and reads its own rows of column k, so no barrier is needed. Little
// shared memory is used, so several blocks fit on a multiprocessor, and some work while others wait
// for a pivot. All is in double precision, whatever the type.

#ifndef GPULINALG_SOLVE_PANEL_CUH
#define GPULINALG_SOLVE_PANEL_CUH

#include "common/reduce.cuh"
#include "common/scalar.cuh"
#include "solve.cuh"
#include "solve_pivot.cuh"

// Pivots whose rows are subtracted between two barriers.
enum { LU_TOGETHER = 4 };

// Rows of a thread, and threads of a block, if panels have so many columns.
template <class T, int COLUMNS> constexpr int lu_panel_rows ()
{
  return is_complex_v<T> || COLUMNS == 16 ? 1 : 2;
}
template <class T, int COLUMNS> constexpr int lu_panel_threads (int n)
{
  const int rows = 32 * lu_panel_rows<T, COLUMNS> ();
  return (n + rows - 1) / rows * 32;
}

// What the threads of a block share.
template <class W, int COLUMNS> struct lu_panel_shared {
  static constexpr int WARPS = lu_panel_threads<W, COLUMNS> (LU_PANEL_MAX) / 32;
  // the best row of each warp, of even and odd pivots
  struct alignas (16) candidate {
    W row[COLUMNS];
    int key;
  } best[2][WARPS];
  alignas (16) W rows[2][LU_TOGETHER][COLUMNS];
  W inner[LU_TOGETHER][LU_TOGETHER];
  int order[LU_PANEL_MAX]; // the row of A that has pivot k
  double sums[WARPS][COLUMNS];
};

// Columns in registers: x[r][c] is column c of row r of this thread.
template <class W, int ROWS, int WIDTH> struct lu_panel {
  W x[ROWS][WIDTH];
};

template <class T, int COLUMNS> struct panel_page {
  typedef wide<T> W;
  typedef real_t<T> real;
  static constexpr bool C = is_complex_v<W>;
  static constexpr int R = lu_panel_rows<W, COLUMNS> ();
  typedef lu_panel<W, R, COLUMNS> panel;
  enum : int { OPEN = INT_MAX, NO_ROW = -1 };

  // the page
  const T *A;
  int64_t lda, row_stride, column_stride; // those of M, one of which is lda
  bool a_real, conjugate;
  int n;
  // its factors, with the reciprocals of the pivots: row i of column k is F[i + k*ld]
  W *F;
  int ld;
  lu_panel_shared<W, COLUMNS> *s;
  int pivot[R]; // those of the rows of this thread
  // the same in all threads
  bool finite, fixed, definite;
  int failed, exponent;
  double norm;

  GLA_DEVICE static int me () { return threadIdx.x; }
  GLA_DEVICE static int lane () { return threadIdx.x % 32; }
  GLA_DEVICE static int warp () { return threadIdx.x / 32; }
  GLA_DEVICE static int warps () { return blockDim.x / 32; }
  GLA_DEVICE static int row (int r) { return threadIdx.x + r * blockDim.x; }
  GLA_DEVICE bool good () const { return finite && failed == 0; }

  //----------------------------------------------------------------------------
  // reading the page
  //----------------------------------------------------------------------------

  GLA_DEVICE void open (const lu_args<T> &a, int64_t p)
  {
    a_real = C && a.a_real;
    if (a_real) {
      const page_operand<real> B = {reinterpret_cast<const real *> (a.A.data), a.A.ld, a.A.page,
                                    a.A.index};
      A = reinterpret_cast<const T *> (B.at (p));
    } else
      A = a.A.at (p);
    lda = a.A.ld;
    row_stride = a.transposed ? lda : 1;
    column_stride = a.transposed ? 1 : lda;
    conjugate = a.conjugate;
  }

  // Returns entry (i, j) of M, not scaled.
  GLA_DEVICE W entry (int i, int j) const
  {
    const int64_t k = i * row_stride + j * column_stride;
    if constexpr (C) {
      if (a_real)
        return from_real<W> ((double)reinterpret_cast<const real *> (A)[k]);
      return conj_if (widen (A[k]), conjugate);
    } else
      return widen (A[k]);
  }

  // Loads columns `first` .. of M, scaled; zeros beyond n.
  GLA_DEVICE void load (panel &x, int first) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) { // beyond n the last entry, then 0
        const W e = entry (min (row (r), n - 1), min (first + c, n - 1));
        x.x[r][c] = row (r) < n && first + c < n ? e : from_real<W> (0);
      }
    if (exponent == 0)
      return;
    const double down = times_power (1.0, -exponent);
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        x.x[r][c] = scale (down, x.x[r][c]);
  }

  // Returns the largest size of an entry in the rows of this thread.
  template <class E> GLA_DEVICE int largest_size (const E *a) const
  {
    enum { LOADS = 8 }; // issued at once
    int size = 0;
    for (int r = 0; r < R; r++)
      for (int j = 0; j < n && row (r) < n; j += LOADS) {
        E e[LOADS];
#pragma unroll
        for (int u = 0; u < LOADS; u++)
          e[u] = a[row (r) + min (j + u, n - 1) * lda];
#pragma unroll
        for (int u = 0; u < LOADS; u++)
          size = max (size, size_bits (e[u]));
      }
    return size;
  }

  // Chooses the power of two by which the page is divided: 1 unless all entries are very small, or
  // one very large.
  GLA_DEVICE void find_scale ()
  {
    typedef lu_size<real> Z;
    int size = a_real ? largest_size (reinterpret_cast<const real *> (A)) : largest_size (A);
    finite = !__syncthreads_or (size >= Z::not_finite);
    const bool large = __syncthreads_or (size > Z::large);
    const bool usual = __syncthreads_or (size >= Z::small);
    exponent = 0;
    if (!finite || (usual && !large))
      return;
    size = warp_max (size);
    if (lane () == 0)
      s->best[0][warp ()].key = size;
    __syncthreads ();
    for (int w = 0; w < warps (); w++)
      size = max (size, s->best[0][w].key);
    exponent = max (-Z::most_power, min ((size >> Z::fraction) - Z::bias, Z::most_power));
    __syncthreads ();
  }

  // Whether M is triangular, or Hermitian with a positive diagonal. Most pages show in their first
  // row and column that they are not.
  GLA_DEVICE void find_kind ()
  {
    bool below = false, above = false, skew = false;
    for (int i = me (); i < n; i += blockDim.x)
      look (i, 0, below, above, skew);
    below = __syncthreads_or (below);
    above = __syncthreads_or (above);
    skew = __syncthreads_or (skew);
    if (!below || !above || !skew) {
      for (int j = 1; j < n; j++)
        for (int i = j + me (); i < n; i += blockDim.x)
          look (i, j, below, above, skew);
      below = __syncthreads_or (below);
      above = __syncthreads_or (above);
      skew = __syncthreads_or (skew);
    }
    definite = finite && below && above && !skew;
    fixed = finite && (!below || !above || definite);
  }
  GLA_DEVICE void look (int i, int j, bool &below, bool &above, bool &skew) const
  {
    const W lower = entry (i, j), upper = entry (j, i);
    below |= i > j && !is_zero (lower);
    above |= i > j && !is_zero (upper);
    skew |= !is_same (lower, conj (upper)) || (i == j && !(re (lower) > 0));
  }

  //----------------------------------------------------------------------------
  // norms
  //----------------------------------------------------------------------------

  GLA_DEVICE double largest (double a)
  {
    return lu_largest (a, s->sums[0], warps (), COLUMNS);
  }

  // Returns the larger of `norm` and, in thread c of the first warp, the sum of the magnitudes of
  // column c.
  GLA_DEVICE double column_sums (const panel &x, double norm)
  {
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      double sum = 0;
#pragma unroll
      for (int r = 0; r < R; r++)
        sum += pivot[r] == NO_ROW ? 0 : magnitude_of (x.x[r][c]);
      sum = lane_sum<32> (sum);
      if (lane () == 0)
        s->sums[warp ()][c] = sum;
    }
    __syncthreads ();
    if (me () < COLUMNS) {
      double sum = 0;
      for (int w = 0; w < warps (); w++)
        sum += s->sums[w][me ()];
      norm = sum > norm || sum != sum ? sum : norm;
    }
    __syncthreads ();
    return norm;
  }

  // Returns what fills a page without a solution.
  GLA_DEVICE T filling (bool inverse) const
  {
    return lu_filling<T> (inverse && failed && finite);
  }
};

#endif
