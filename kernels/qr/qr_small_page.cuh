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

#endif
