// qr_small_page.cuh: what the kernels for small pages share: copies, scaling, one reflector
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_SMALL_PAGE_CUH
#define GPULINALG_QR_SMALL_PAGE_CUH

#include <type_traits>

#include "common/async_copy.cuh"
#include "common/reflector.cuh"
#include "qr_small.cuh"

//------------------------------------------------------------------------------
// copies between global and shared memory
//------------------------------------------------------------------------------

// N numbers that one instruction moves.
template <class T, int N> struct alignas (N * sizeof (T)) pack {
  T x[N];
};

// The (row, column) of a number when `count` threads go through the columns together; thread g
// begins with the g-th.
struct walk {
  int row, column, rows, step_row, step_column;
  GLA_DEVICE walk (int rows, int g, int count)
      : row (g % rows), column (g / rows), rows (rows), step_row (count % rows),
        step_column (count / rows)
  {
  }
  GLA_DEVICE void next ()
  {
    row += step_row;
    column += step_column;
    if (row >= rows) {
      row -= rows;
      column++;
    }
  }
};

template <class T> GLA_DEVICE bool aligned_16 (const T *p, int64_t ld, int64_t page)
{
  return (reinterpret_cast<uintptr_t> (p) | (uintptr_t)(ld * (int64_t)sizeof (T)) |
          (uintptr_t)(page * (int64_t)sizeof (T))) %
             16 ==
         0;
}

// Threads g of `count` copy a matrix from global to shared memory, N numbers at a time.
template <int N, class T>
GLA_DEVICE void fetch (T *to, int ldt, const T *from, int64_t ldf, int rows, int columns, int g,
                       int count)
{
  typedef pack<T, N> unit;
  for (walk w (rows / N, g, count); w.column < columns; w.next ())
    async_copy (reinterpret_cast<unit *> (to + w.row * N + w.column * ldt),
                reinterpret_cast<const unit *> (from + w.row * N + w.column * ldf));
}

// Threads g of `count` store a matrix whose entries f (i, j) gives, N numbers at a time.
template <int N, class T, class F>
GLA_DEVICE void store (T *to, int64_t ld, int rows, int columns, int g, int count, F f)
{
  typedef pack<T, N> unit;
  walk w (rows / N, g, count);
#pragma unroll 4
  for (int u = g; u < rows / N * columns; u += count) {
    *reinterpret_cast<unit *> (to + w.row * N + w.column * ld) = f (w.row * N, w.column);
    w.next ();
  }
}

//------------------------------------------------------------------------------
// scaling by powers of two
//------------------------------------------------------------------------------

// Where the largest entry of a column is between 2^low and 2^high, sums of squares are safe; where
// a sum of squares is below `smallest` it is that of zeros, next to the column it comes from.
template <class R> struct small_range;
template <> struct small_range<float> {
  static constexpr int low = -20, high = 40;
  static constexpr float smallest = 0x1p-118f;
};
template <> struct small_range<double> {
  static constexpr int low = -300, high = 300;
  static constexpr double smallest = 0x1p-1000;
};

// The largest of |a| of some numbers, by their bits; NaN and Inf are above all others. `low` tells
// numbers so small that the upper half of a double is zero.
struct magnitude {
  int most = 0, low = 0;
  GLA_DEVICE void add (float a) { most = max (most, __float_as_int (a) & INT_MAX); }
  GLA_DEVICE void add (double a)
  {
    most = max (most, __double2hiint (a) & INT_MAX);
    low |= __double2loint (a);
  }
  template <class R> GLA_DEVICE void add (cx<R> a)
  {
    add (a.x);
    add (a.y);
  }
  // Whether a column of these is to be scaled.
  template <class R> GLA_DEVICE bool outside () const
  {
    constexpr int shift = sizeof (R) == 8 ? 20 : 23, bias = sizeof (R) == 8 ? 1023 : 127;
    int e = (most >> shift) - bias;
    return (most | low) != 0 && e <= bias && (e < small_range<R>::low || e > small_range<R>::high);
  }
};

// 2^e as two factors, so that each is a normal number.
template <class R> struct power_of_two {
  R first, second;
  GLA_DEVICE explicit power_of_two (int e)
      : first (times_power (R (1), e / 2)), second (times_power (R (1), e - e / 2))
  {
  }
  template <class T> GLA_DEVICE T times (T a) const { return scale (second, scale (first, a)); }
};

// The exponent of the largest |x|, or 0 of one that is not finite; both parts of complex numbers.
template <class R> GLA_DEVICE int exponent_of (R most)
{
  return most > 0 && most <= limits<R>::big ? ilogb (most) : 0;
}

//------------------------------------------------------------------------------
// one reflector
//------------------------------------------------------------------------------

// H' = I - factor u u' with u = [pivot; x] maps [alpha; x] to [beta; 0]; H has conj (factor). With
// u not scaled to a first entry of 1 there is one multiplication less for each number. xx = x'x.
template <class T> struct small_reflector {
  typedef real_t<T> R;
  T pivot, factor;
  R beta;
  GLA_DEVICE small_reflector (T alpha, R xx)
  {
    R total = xx + abs2 (alpha), r = fast_rsqrt (total), s = copy_sign (r, re (alpha));
    bool none = (xx == 0 && im (alpha) == 0) || total < small_range<R>::smallest;
    beta = -(total * s);
    pivot = alpha - from_real<T> (beta);
    if constexpr (is_complex_v<T>)
      factor = scale (fast_reciprocal (abs2 (pivot)), scale (s, conj (pivot)));
    else
      factor = s * fast_reciprocal (pivot);
    if (none) {
      beta = re (alpha);
      pivot = factor = from_real<T> (0);
    }
  }
};

// Q = I + W Y', column for column: Y's is u / pivot, with a first entry of 1, and W's starts as
// w_factor u. A reflector that does nothing has e_j and 0.
template <class T> GLA_DEVICE T y_factor (T pivot)
{
  if constexpr (is_complex_v<T>)
    return abs2 (pivot) == 0 ? pivot : scale (fast_reciprocal (abs2 (pivot)), conj (pivot));
  else
    return pivot == 0 ? pivot : fast_reciprocal (pivot);
}
template <class T> GLA_DEVICE T w_factor (T pivot, T factor)
{
  return -(conj (factor) * conj (pivot));
}

//------------------------------------------------------------------------------
// loops whose counter is a constant, so that arrays stay in registers
//------------------------------------------------------------------------------

template <int N, class F> GLA_DEVICE void static_up (F f)
{
  if constexpr (N > 0) {
    static_up<N - 1> (f);
    f (std::integral_constant<int, N - 1> ());
  }
}
template <int N, class F> GLA_DEVICE void static_down (F f)
{
  if constexpr (N > 0) {
    f (std::integral_constant<int, N - 1> ());
    static_down<N - 1> (f);
  }
}

//------------------------------------------------------------------------------
// a page in the registers of a few threads
//------------------------------------------------------------------------------

// Each thread holds a tile of ROWS x COLUMNS numbers of a page: rows spread cyclically (by pairs,
// so that shared memory is read 16 bytes at a time) over row_lanes neighbouring lanes, columns
// cyclically over column_lanes groups of these. Sums over a column are butterflies over its lanes.

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
