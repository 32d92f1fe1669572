// warp_page.cuh: a page as a warp reads it: what its entries say, and its columns in registers
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_WARP_PAGE_CUH
#define GPULINALG_WARP_PAGE_CUH

#include "row.h"
#include "eig_kernels.cuh"

//------------------------------------------------------------------------------
// largest entry, norm, asymmetry and NaN of a page, before it is solved
//------------------------------------------------------------------------------

// Sums and maxima that one thread gathers; joined over the block in a fixed order.
template <class R> struct summary {
  R largest;   // largest |re| or |im|
  double skew; // half the largest |A - A'|
  R square;    // sum of squares of the scaled entries
  int bad;     // a NaN or an Inf was seen
};

template <class R> GLA_DEVICE void join (summary<R> &a, R largest, double skew, R square, int bad)
{
  a.largest = a.largest > largest ? a.largest : largest;
  a.skew = a.skew > skew ? a.skew : skew;
  a.square += square;
  a.bad |= bad;
}

template <class R> GLA_DEVICE summary<R> block_join (summary<R> a, summary<R> *shared)
{
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2)
    join (a, shuffle_xor (a.largest, mask), shuffle_xor (a.skew, mask),
          shuffle_xor (a.square, mask), shuffle_xor (a.bad, mask));
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    shared[threadIdx.x / 32] = a;
  __syncthreads ();
  a = shared[0];
  for (unsigned w = 1; w < blockDim.x / 32; w++)
    join (a, shared[w].largest, shared[w].skew, shared[w].square, shared[w].bad);
  return a;
}

// Looks at one entry (lower) or one pair of mirror images.
template <class T> GLA_DEVICE void look (summary<real_t<T>> &s, T lower, bool diagonal)
{
  real_t<T> here = diagonal ? absmax (re (lower)) : absmax (lower);
  join (s, here, 0, real_t<T> (0), !(here <= limits<real_t<T>>::big));
}

template <class T> GLA_DEVICE void look_at_pair (summary<real_t<T>> &s, T lower, T upper)
{
  typedef real_t<T> R;
  R here = absmax (lower), there = absmax (upper);
  int bad = !(here <= limits<R>::big) || !(there <= limits<R>::big);
  T half = scale (R (0.5), lower) - scale (R (0.5), conj (upper));
  join (s, here > there ? here : there, hypot ((double)re (half), (double)im (half)), R (0), bad);
}

// The exponent of the power of two that the page is multiplied by: the largest entry becomes 1..2.
template <class R> GLA_DEVICE int scaling_of (const summary<R> &s)
{
  return s.bad || s.largest == 0 ? 0 : -ilogb (s.largest);
}

// The first value of info of the page.
template <class R> GLA_DEVICE int32_t info_of (const summary<R> &s, int n)
{
  bool skewed = 2 * s.skew > 10.0 * n * limits<R>::eps * s.largest;
  return s.bad ? n + 1 : skewed ? GLA_INFO_NOT_HERMITIAN : 0;
}

//------------------------------------------------------------------------------
// pages of a few rows, read into shared memory by some lanes of a warp
//------------------------------------------------------------------------------

// Checks and scales as prepare.cu does.

// Columns of a page that are read together.
enum { WARP_PAGE_TOGETHER = 4 };

// What lanes exchange of row i in the reduction: v of this column and of the one before, w.
template <class T> struct alignas (16) row_values {
  T v, old_v, w;
};

template <int P, class R> GLA_DEVICE R group_max (R x)
{
#pragma unroll
  for (int mask = P / 2; mask > 0; mask /= 2) {
    R y = shuffle_xor (x, mask);
    x = x > y ? x : y;
  }
  return x;
}

// What reading a page found.
template <class R> struct page_found {
  int exponent; // the page was divided by 2^exponent
  int32_t info;
  double skew;
  R largest; // of the page as given
  int bad;   // it has a NaN or an Inf
};

// Lane l of P has rows P*c + l - pad of a page, c < C.
template <int P> GLA_DEVICE int lane_row (int c, int pad)
{
  return P * c + (int)(threadIdx.x % P) - pad;
}

// Pages in shared memory: at (i, j) is an entry of the lower triangle, i >= j, and set (i, j, x)
// writes it and, where it is kept, the one that is its conjugate.

// Both triangles, column j at j*ld.
template <class T> struct square_page {
  static constexpr bool both = true;
  T *S;
  int ld;
  static size_t entries (int n) { return (size_t)n * (n | 1); }
  static GLA_DEVICE square_page in (T *memory, int n) { return {memory, n | 1}; }
  GLA_DEVICE T &at (int i, int j) const { return S[j * ld + i]; }
  GLA_DEVICE void set (int i, int j, T x) const
  {
    S[j * ld + i] = x;
    S[i * ld + j] = i == j ? x : conj (x);
  }
};

// The lower triangle by rows, row i at i(i+1)/2. These offsets differ in their lowest bits, so
// lanes that own rows find their entries of a column in different banks.
template <class T> struct packed_page {
  static constexpr bool both = false;
  T *S;
  static size_t entries (int n) { return (size_t)n * (n + 1) / 2; }
  static GLA_DEVICE packed_page in (T *memory, int) { return {memory}; }
  GLA_DEVICE T *row (int i) const { return S + i * (i + 1) / 2; }
  GLA_DEVICE T &at (int i, int j) const { return row (i)[j]; }
  GLA_DEVICE void set (int i, int j, T x) const { at (i, j) = x; }
};

// The mean of x, read at (i, j), and of y', read from the other triangle. Notes in `found` how far
// they are apart.
template <class T> GLA_DEVICE T mean_of (int i, int j, T x, T y, page_found<real_t<T>> &found)
{
  typedef real_t<T> R;
  T lower = scale (R (0.5), x), upper = scale (R (0.5), conj (y));
  double difference = hypot ((double)re (lower - upper), (double)im (lower - upper));
  found.skew = difference > found.skew ? difference : found.skew;
  return i == j ? from_real<T> (re (lower + upper)) : lower + upper;
}

// Reads the triangle that counts, or (A + A')/2 of the whole page, into the lower triangle of S. A
// lane reads its rows of every column, which is coalesced.
template <class T, int P, int C, class PAGE>
GLA_DEVICE page_found<real_t<T>> read_entries (const eig_args<T> &a, const T *A, const PAGE &S,
                                               int pad)
{
  typedef real_t<T> R;
  int n = a.n;
  page_found<R> found = {0, 0, 0, 0, 0};
  for (int j0 = 0; j0 < n; j0 += WARP_PAGE_TOGETHER) {
    T entry[WARP_PAGE_TOGETHER][C];
#pragma unroll
    for (int q = 0; q < WARP_PAGE_TOGETHER * C; q++) {
      int j = j0 + q / C, i = lane_row<P> (q % C, pad);
      bool wanted =
          a.triangle == GLA_TRIANGLE_LOWER ? i >= j : a.triangle != GLA_TRIANGLE_UPPER || i <= j;
      entry[q / C][q % C] = from_real<T> (0);
      if (wanted && i >= 0 && i < n && j < n)
        entry[q / C][q % C] = A[j * a.lda + i];
    }
#pragma unroll
    for (int q = 0; q < WARP_PAGE_TOGETHER * C; q++) {
      int j = j0 + q / C, i = lane_row<P> (q % C, pad);
      T x = entry[q / C][q % C];
      if (i == j && a.triangle != GLA_TRIANGLE_FULL)
        x = from_real<T> (re (x));
      R size = absmax (x);
      found.bad |= !(size <= limits<R>::big);
      found.largest = size > found.largest ? size : found.largest;
      if (i < 0 || i >= n || j >= n) { // not there
      } else if (a.triangle == GLA_TRIANGLE_UPPER && i <= j) {
        S.at (j, i) = conj (x);
      } else if ((PAGE::both && a.triangle == GLA_TRIANGLE_FULL) ||
                 (a.triangle != GLA_TRIANGLE_UPPER && i >= j)) {
        S.at (i, j) = x;
      }
    }
    if (PAGE::both || a.triangle != GLA_TRIANGLE_FULL)
      continue;
    __syncwarp (); // entry (j, i) has been written, with column i
#pragma unroll
    for (int q = 0; q < WARP_PAGE_TOGETHER * C; q++) {
      int j = j0 + q / C, i = lane_row<P> (q % C, pad);
      if (i >= 0 && i <= j && j < n)
        S.at (j, i) = mean_of (i, j, S.at (j, i), entry[q / C][q % C], found);
    }
  }
  __syncwarp ();
  if (PAGE::both && a.triangle == GLA_TRIANGLE_FULL)
    for (int c = 0; c < C; c++) {
      int i = lane_row<P> (c, pad);
      for (int j = 0; i < n && j <= i; j++)
        S.at (i, j) = mean_of (i, j, S.at (i, j), S.at (j, i), found);
    }
  return found;
}

// Reads the page and makes it Hermitian in S, divided by a power of two; zero if it cannot be
// solved.
template <class T, int P, int C, class PAGE>
GLA_DEVICE page_found<real_t<T>> read_page (const eig_args<T> &a, const T *A, const PAGE &S,
                                            int pad)
{
  typedef real_t<T> R;
  page_found<R> found = read_entries<T, P, C> (a, A, S, pad);
  found.largest = group_max<P> (found.largest);
  found.skew = 2 * group_max<P> (found.skew);
  found.bad = group_max<P> (found.bad);

  int n = a.n, k = found.bad || found.largest == 0 ? 0 : -ilogb (found.largest);
  R first = times_power (R (1), k / 2), second = times_power (R (1), k - k / 2);
#pragma unroll
  for (int c = 0; c < C; c++) {
    int i = lane_row<P> (c, pad);
    for (int j = 0; i < n && j <= i; j++) {
      T x = found.bad ? from_real<T> (0) : scale (second, scale (first, S.at (i, j)));
      S.set (i, j, x);
    }
  }
  __syncwarp ();
  found.exponent = -k;
  bool skewed = found.skew > 10.0 * n * limits<R>::eps * found.largest;
  found.info = found.bad ? n + 1 : skewed ? GLA_INFO_NOT_HERMITIAN : 0;
  return found;
}

#endif
