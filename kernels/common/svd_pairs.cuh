// svd_pairs.cuh: sweeps of one-sided Jacobi on a page in registers, pairs of columns in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Hestenes' method: rotations of pairs of columns make the columns of W = A*X orthogonal; then W =
// U*S and X = V. A page has up to P columns, and S warps, each of which has ROWS rows of W and of
// X. Up to P = 32 two lanes hold a pair of columns, half of these rows each, and for P = 64 one
// lane does. So a rotation exchanges nothing but partial sums of one dot product. Pairs meet by
// odd-even transposition (Luk, Park 1989): in every round each pair passes on one of its columns. A
// sweep reverses their order. The cosines are gathered in a factor of the column, so that a
// rotation takes one multiplication and one addition for each entry (Gentleman 1973). Used by
// svd_lanes.cuh.

#ifndef GPULINALG_SVD_PAIRS_CUH
#define GPULINALG_SVD_PAIRS_CUH

#include "svd_args.cuh"

// An observer is called after every rotation and at the end of every sweep; `on` and `resting` say
// whether columns of this lane were rotated, and whether the page had converged before.
struct svd_no_observer {
  GLA_DEVICE void rotated (bool) {}
  GLA_DEVICE void swept (bool) {}
};

// A few more than the digits of a number.
template <class R> constexpr int svd_digits = sizeof (R) == 8 ? 56 : 27;

// ------------------------------------------------------------------------------
// sums over the warps of a page, in shared memory
// ------------------------------------------------------------------------------

template <class T, int S> struct svd_shared {
  T number[2][S][32];
  real_t<T> size[2][S][32];
  int place[2][S][32];
};

// Combines what lanes of the same columns hold in the warps of a page. All threads of the block
// call.
template <class T, int S> struct svd_parts {
  typedef real_t<T> R;
  svd_shared<T, S> *shared;
  int part, turn;

  GLA_DEVICE svd_parts (svd_shared<T, S> *shared)
      : shared (shared), part (S == 1 ? 0 : threadIdx.x / 32), turn (0)
  {
  }
  // Every part gets the same bits.
  GLA_DEVICE T sum (T x)
  {
    if constexpr (S > 1) {
      const int lane = threadIdx.x % 32;
      shared->number[turn][part][lane] = x;
      __syncthreads ();
      x = shared->number[turn][0][lane];
      for (int s = 1; s < S; s++)
        x = x + shared->number[turn][s][lane];
      turn ^= 1;
    }
    return x;
  }
  GLA_DEVICE R sum_real (R x) { return re (sum (from_real<T> (x))); }

  // Finds the largest size and the number and place that belong to it; of equal ones those of the
  // first part.
  GLA_DEVICE void largest (R &size, T &number, int &place)
  {
    if constexpr (S > 1) {
      const int lane = threadIdx.x % 32;
      shared->size[turn][part][lane] = size;
      shared->number[turn][part][lane] = number;
      shared->place[turn][part][lane] = place;
      __syncthreads ();
      for (int s = 0; s < S; s++) {
        const R other = shared->size[turn][s][lane];
        if (s == 0 || other > size) {
          size = other;
          number = shared->number[turn][s][lane];
          place = shared->place[turn][s][lane];
        }
      }
      turn ^= 1;
    }
  }
  GLA_DEVICE R largest (R size)
  {
    T number = from_real<T> (0);
    int place = 0;
    largest (size, number, place);
    return size;
  }
};

//------------------------------------------------------------------------------
// a pair of columns
//------------------------------------------------------------------------------

template <class T, int P, int ROWS, int S, bool VECTORS> struct svd_pairs {
  typedef real_t<T> R;
  static constexpr int H = P > 32 ? 1 : 2;      // lanes of a pair
  static constexpr int LANES = P > 32 ? 32 : P; // of a page
  static constexpr int HALF = ROWS / H;
  static constexpr int COLUMN_BYTES = (VECTORS ? 4 : 2) * HALF * (int)sizeof (T);
  static constexpr unsigned ALL = 0xffffffffu;

  const svd_args<T> &a;
  svd_parts<T, S> &parts;
  int pairs, pair, half, base; // pairs of the page, this pair, rows of this lane, its first lane
  int left, right;             // lanes of the adjacent pairs, in a ring
  bool last;
  bool bad; // the page holds NaN or Inf
  T w[2][HALF], x[2][VECTORS ? HALF : 1];
  R factor[2];     // the column of X is x times factor
  int exponent[2]; // the column of W is w times factor times this power of two
  int floor[2];    // a product with a smaller exponent is rounding error only
  R square[2];     // of the length of w times factor

  GLA_DEVICE svd_pairs (const svd_args<T> &a, svd_parts<T, S> &parts) : a (a), parts (parts)
  {
    const int lane = threadIdx.x % 32;
    pairs = (a.columns + 1) / 2;
    pair = lane % LANES / H;
    half = lane % H;
    base = lane - lane % LANES;
    last = pair == pairs - 1;
    left = pair >= pairs ? lane : base + half + H * (pair > 0 ? pair - 1 : pairs - 1);
    right = pair >= pairs ? lane : base + half + H * (last ? 0 : pair + 1);
  }
  GLA_DEVICE int row (int i) const { return parts.part * ROWS + half * HALF + i; }

  // Sums over all rows.
  GLA_DEVICE T sum (T y) { return parts.sum (H == 2 ? y + shuffle_xor (y, 1) : y); }
  template <int N> GLA_DEVICE R length_of (const T (&column)[N])
  {
    R y = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
      y += abs2 (column[i]);
    return parts.sum_real (H == 2 ? y + shuffle_xor (y, 1) : y);
  }
  // Finds the largest size and the number and place that belong to it; of equal ones those of the
  // first row.
  GLA_DEVICE void largest (R &size, T &number, int &place)
  {
    if constexpr (H == 2) {
      const R other = shuffle_xor (size, 1);
      const T there = shuffle_xor (number, 1);
      const int where = shuffle_xor (place, 1);
      if (half == 0 ? other > size : other >= size) {
        size = other;
        number = there;
        place = where;
      }
    }
    parts.largest (size, number, place);
  }

  // Loads the page, or zeros where it holds NaN or Inf.
  GLA_DEVICE void load (int64_t page)
  {
    const T *A = a.A.data + page * a.A.page;
    const int64_t down = a.flip ? a.A.ld : 1, across = a.flip ? 1 : a.A.ld;
    bool finite = true;
#pragma unroll
    for (int q = 0; q < 2 * HALF; q++) {
      const int c = q / HALF, i = q % HALF, column = 2 * pair + c;
      T y = from_real<T> (0);
      if (row (i) < a.rows && column < a.columns)
        y = conj_if (A[row (i) * down + column * across], a.flip);
      finite &= absmax (y) <= limits<R>::big;
      w[c][i] = y;
      if constexpr (VECTORS)
        x[c][i] = from_real<T> (row (i) == column ? 1 : 0);
    }
    const unsigned page_lanes = LANES == 32 ? ALL : ((1u << LANES) - 1) << base;
    bad = parts.largest (R ((__ballot_sync (ALL, !finite) & page_lanes) != 0)) > 0;
#pragma unroll
    for (int c = 0; c < 2; c++) {
#pragma unroll
      for (int i = 0; i < HALF; i++)
        w[c][i] = bad ? from_real<T> (0) : w[c][i];
      factor[c] = 1;
      exponent[c] = 0;
      floor[c] = INT_MIN;
      bring_to_one (c);
      floor[c] = exponent[c] - 2 * svd_digits<R>;
    }
  }

  // Multiplies by the factor, and divides w by a power of two so that its largest entry is in [1,
  // 2).
  GLA_DEVICE void bring_to_one (int c)
  {
    R largest = 0;
#pragma unroll
    for (int i = 0; i < HALF; i++) {
      w[c][i] = scale (factor[c], w[c][i]);
      if constexpr (VECTORS)
        x[c][i] = scale (factor[c], x[c][i]);
      const R size = absmax (w[c][i]);
      largest = size > largest ? size : largest;
    }
    T number = w[c][0];
    int place = 0;
    this->largest (largest, number, place);
    int power = largest == 0 ? 0 : ilogb (largest);
    const bool gone = exponent[c] + power < floor[c];
    power = gone ? 0 : power;
    const R first = times_power (R (1), -power / 2),
            second = times_power (R (1), -power - -power / 2);
#pragma unroll
    for (int i = 0; i < HALF; i++)
      w[c][i] = gone ? from_real<T> (0) : scale (second, scale (first, w[c][i]));
    exponent[c] += power;
    factor[c] = 1;
    square[c] = length_of (w[c]);
  }

  //----------------------------------------------------------------------------
  // sweeps
  //----------------------------------------------------------------------------

  // Rotates this pair of columns; returns whether it did.
  GLA_DEVICE bool rotate (bool idle)
  {
    T product = from_real<T> (0);
#pragma unroll
    for (int i = 0; i < HALF; i++)
      product = cmadd (w[0][i], w[1][i], product);
    const double f0 = factor[0], f1 = factor[1];
    const svd_rotation<T> g (square[0], square[1], scale (f0 * f1, widen (sum (product))),
                             exponent[1] - exponent[0], a.tol * a.tol);
    const bool on = g.on && !idle;
    if (!__any_sync (ALL, on))
      return false;
    bool shrunk = false;
    if (on) {
      const wide<T> t0 = scale (-f1 * fast_reciprocal (f0), conj (g.t)),
                    t1 = scale (f0 * fast_reciprocal (f1), g.t);
      if constexpr (VECTORS)
        turn (x[0], x[1], narrow<T> (t0), narrow<T> (t1));
      turn (w[0], w[1], narrow<T> (scale (g.up, t0)), narrow<T> (scale (g.down, t1)));
      const R before0 = square[0], before1 = square[1];
      square[0] -= (R)(g.change * g.up);
      square[1] += (R)(g.change * g.down);
      factor[0] *= g.c;
      factor[1] *= g.c;
      // then the square has lost digits
      shrunk = !(square[0] > R (0.125) * before0) || !(square[1] > R (0.125) * before1);
    }
    if (__any_sync (ALL, shrunk)) {
      const R exact0 = factor[0] * factor[0] * length_of (w[0]),
              exact1 = factor[1] * factor[1] * length_of (w[1]);
      square[0] = shrunk ? exact0 : square[0];
      square[1] = shrunk ? exact1 : square[1];
    }
    return on;
  }
  template <int N> GLA_DEVICE static void turn (T (&p)[N], T (&q)[N], T t0, T t1)
  {
#pragma unroll
    for (int i = 0; i < N; i++) {
      const T y = p[i];
      p[i] = madd (t0, q[i], y);
      q[i] = madd (t1, y, q[i]);
    }
  }

  // Passes the second column to the pair on the left.
  GLA_DEVICE void pass_left ()
  {
#pragma unroll
    for (int i = 0; i < HALF; i++)
      w[1][i] = from_lane (w[1][i], right);
    if constexpr (VECTORS) {
#pragma unroll
      for (int i = 0; i < HALF; i++)
        x[1][i] = from_lane (x[1][i], right);
    }
    factor[1] = from_lane (factor[1], right);
    square[1] = from_lane (square[1], right);
    exponent[1] = from_lane (exponent[1], right);
    floor[1] = from_lane (floor[1], right);
  }

  // Passes the first column to the pair on the right; the last pair keeps it as its second one, and
  // returns the column that the first pair has passed to it.
  template <class N> GLA_DEVICE void pass (N &first, N &second) const
  {
    const N on = last ? second : first;
    second = last ? first : second;
    first = from_lane (on, left);
  }
  GLA_DEVICE void pass_right ()
  {
#pragma unroll
    for (int i = 0; i < HALF; i++)
      pass (w[0][i], w[1][i]);
    if constexpr (VECTORS) {
#pragma unroll
      for (int i = 0; i < HALF; i++)
        pass (x[0][i], x[1][i]);
    }
    pass (factor[0], factor[1]);
    pass (square[0], square[1]);
    pass (exponent[0], exponent[1]);
    pass (floor[0], floor[1]);
  }

  // Sweeps. Returns the number of columns of the page that the last sweep has rotated, 0 where it
  // converged.
  GLA_DEVICE int iterate ()
  {
    svd_no_observer nobody;
    return iterate (nobody);
  }
  template <class O> GLA_DEVICE int iterate (O &observer)
  {
    const unsigned page_lanes = LANES == 32 ? ALL : ((1u << LANES) - 1) << base;
    bool rotated = false, reversed = false;
    bool done = false; // the page waits for others of the warp, so its bits depend on it alone
    for (int sweep = 0; sweep < a.maxit; sweep++) {
      rotated = false;
      for (int k = 0; k < pairs; k++) {
        const bool first = rotate (done);
        observer.rotated (first);
        pass_left ();
        const bool second = rotate (last || done);
        observer.rotated (second);
        rotated |= first || second;
        pass_right ();
      }
      observer.swept (done);
      reversed = !reversed;
      const unsigned rotating = __ballot_sync (ALL, rotated);
      done = (rotating & page_lanes) == 0;
      if (rotating == 0)
        break;
      bring_to_one (0);
      bring_to_one (1);
    }
    if (reversed)
      reverse ();
    return 2 / H * __popc (__ballot_sync (ALL, rotated) & page_lanes);
  }

  // Returns columns to the lanes they came from.
  template <class N> GLA_DEVICE void exchange (N &first, N &second, int lane) const
  {
    const N there = from_lane (first, lane);
    first = from_lane (second, lane);
    second = there;
  }
  GLA_DEVICE void reverse ()
  {
    const int lane = base + half + H * (pair < pairs ? pairs - 1 - pair : pair);
#pragma unroll
    for (int i = 0; i < HALF; i++)
      exchange (w[0][i], w[1][i], lane);
    if constexpr (VECTORS) {
#pragma unroll
      for (int i = 0; i < HALF; i++)
        exchange (x[0][i], x[1][i], lane);
    }
    exchange (square[0], square[1], lane);
    exchange (exponent[0], exponent[1], lane);
  }
};

#endif
