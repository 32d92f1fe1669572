// qr_small_registers.cuh: a page in the registers of a few threads
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each thread holds a tile of ROWS x COLUMNS numbers of a page: rows spread cyclically (by pairs,
// so that shared memory is read 16 bytes at a time) over row_lanes neighbouring lanes, columns
// cyclically over column_lanes groups of these. Sums over a column are butterflies over its lanes.

#ifndef GPULINALG_QR_SMALL_REGISTERS_CUH
#define GPULINALG_QR_SMALL_REGISTERS_CUH

#include "qr_small_page.cuh"

// The shared memory of a page: V (ld x n: R and reflectors), what else the reflectors need, R's
// diagonal, the exponents of columns.
template <class T> struct small_layout {
  static constexpr int PAIR = sizeof (T) <= 8 ? 2 : 1, UNIT = 16 / (int)sizeof (T);
  int ld, pivots, factors, diagonal, exponents, bytes; // offsets in bytes from V
  __host__ __device__ small_layout (int rows, int n, int k)
  {
    ld = (rows / UNIT | 1) * UNIT; // odd, against bank conflicts
    pivots = (int)sizeof (T) * ld * n;
    factors = pivots + (int)sizeof (T) * k;
    diagonal = factors + (int)sizeof (T) * k;
    exponents = diagonal + (int)sizeof (real_t<T>) * k;
    bytes = ((exponents + 4 * (n + 1) + 15) / 16 | 1) * 16;
  }
};

// A page in registers. LANES: row_lanes where they are known when compiling, else 0.
template <class T, int ROWS, int COLUMNS, int LANES> struct small_tile {
  typedef real_t<T> R;
  static constexpr int PAIR = small_layout<T>::PAIR;
  typedef pack<T, PAIR> pair;

  T a[COLUMNS][ROWS];
  int lanes_, lane; // of a column
  int groups, group;

  GLA_DEVICE int lanes () const { return LANES > 0 ? LANES : lanes_; }
  GLA_DEVICE int row (int r) const { return (r / PAIR * lanes () + lane) * PAIR + r % PAIR; }
  GLA_DEVICE int column (int c) const { return c * groups + group; }
  // Rows of the page for each PAIR of rows of a tile.
  GLA_DEVICE int stripe () const { return PAIR * lanes (); }

  template <class S> GLA_DEVICE S sum (S x) const
  {
    if constexpr (LANES != 1)
#pragma unroll
      for (int mask = 1; mask < (LANES > 0 ? LANES : 32); mask *= 2) {
        if (LANES == 0 && mask >= lanes_)
          break;
        x = x + shuffle_xor (x, mask);
      }
    return x;
  }
  GLA_DEVICE int largest (int x) const
  {
#pragma unroll
    for (int mask = 1; mask < (LANES > 0 ? LANES : 32); mask *= 2) {
      if (LANES == 0 && mask >= lanes_)
        break;
      x = max (x, __shfl_xor_sync (0xffffffffu, x, mask));
    }
    return x;
  }

  // Column k of a matrix in shared memory, from the pair Q of rows on.
  template <int Q> GLA_DEVICE void read (T (&x)[ROWS], const T *of) const
  {
#pragma unroll
    for (int r = Q * PAIR; r < ROWS; r += PAIR) {
      pair p = *reinterpret_cast<const pair *> (of + row (r));
#pragma unroll
      for (int s = 0; s < PAIR; s++)
        x[r + s] = p.x[s];
    }
  }
  GLA_DEVICE void write (T *to, const T (&x)[ROWS]) const
  {
#pragma unroll
    for (int r = 0; r < ROWS; r += PAIR) {
      pair p;
#pragma unroll
      for (int s = 0; s < PAIR; s++)
        p.x[s] = x[r + s];
      *reinterpret_cast<pair *> (to + row (r)) = p;
    }
  }

  // Makes the reflector u of what was read: zeros above row k, the pivot there.
  template <int Q> GLA_DEVICE void clear_above (T (&u)[ROWS], int k) const
  {
#pragma unroll
    for (int r = Q * PAIR; r < (Q + 1) * PAIR; r++)
      if (row (r) <= k)
        u[r] = from_real<T> (0);
  }
  template <int Q> GLA_DEVICE void put_pivot (T (&u)[ROWS], int k, T pivot) const
  {
#pragma unroll
    for (int r = Q * PAIR; r < (Q + 1) * PAIR; r++)
      if (row (r) == k)
        u[r] = pivot;
  }

  // The columns from `first` on become (I - factor u u') times themselves. Without EXACT so do some
  // before it, whose numbers do not matter or are zero in the rows of u.
  template <int Q, bool EXACT>
  GLA_DEVICE void apply (const T (&u)[ROWS], T factor, int first, int columns)
  {
    T w[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (c * groups + groups > first && c * groups < columns) {
        w[c] = from_real<T> (0);
#pragma unroll
        for (int r = ROWS - 1; r >= Q * PAIR; r--)
          w[c] = cmadd (u[r], a[c][r], w[c]);
      }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (c * groups + groups > first && c * groups < columns) {
        T z = -(factor * sum (w[c]));
        if (EXACT && column (c) < first)
          z = from_real<T> (0);
#pragma unroll
        for (int r = Q * PAIR; r < ROWS; r++)
          a[c][r] = madd (u[r], z, a[c][r]);
      }
  }

  // Scales columns that need it; returns whether any of the warp did. exponent[c]: of a column.
  GLA_DEVICE bool scale_columns (int (&exponent)[COLUMNS])
  {
    bool needed = false;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      magnitude m;
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        m.add (a[c][r]);
      m.most = largest (m.most);
      exponent[c] = 0;
      needed = needed || m.template outside<R> ();
    }
    if (!__any_sync (0xffffffffu, needed))
      return false;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      scale_column (a[c], exponent[c]);
    return true;
  }
  GLA_DEVICE void scale_column (T (&x)[ROWS], int &exponent) const
  {
    R most = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      R size = absmax (x[r]);
      most = size > most || size != size ? size : most; // NaN stays
      most = most != most ? limits<R>::big * 2 : most;
    }
    for (int mask = 1; mask < lanes (); mask *= 2) {
      R other = shuffle_xor (most, mask);
      most = other > most ? other : most;
    }
    int e = exponent_of (most);
    exponent = e >= small_range<R>::low && e <= small_range<R>::high ? 0 : e;
    power_of_two<R> down (-exponent);
    if (exponent != 0)
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        x[r] = down.times (x[r]);
  }
};

#endif
