// svd_lanes.cuh: one-sided Jacobi on pages of up to 32 rows, a lane for each column
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Hestenes' method: the columns of W = A*X are made orthogonal by rotations of pairs; then W = U*S
// and X = V. A page has P lanes of a warp, and S warps, each of which has ROWS rows of W and of X; a
// lane holds them of its column in registers. Pairs meet by round robin: a lane reads its partner's
// column by shuffles, both find the same angle, and each rotates its own column, so columns never
// travel. Products of columns are summed over the warps in shared memory. Cosines are gathered in a
// factor of the column, so that a rotation takes one multiplication and one addition for each entry
// (Gentleman 1973).

#ifndef GPULINALG_SVD_LANES_CUH
#define GPULINALG_SVD_LANES_CUH

#include "svd.cuh"
#include "svd_rotation.cuh"

// Digits of a number, and some.
template <class R> constexpr int svd_digits = sizeof (R) == 8 ? 56 : 27;

template <class T, int S> struct svd_shared {
  T dot[2][S][32];
  real_t<T> square[2][S][32];
};

template <class T, int P, int ROWS, int S, bool VECTORS> struct svd_page {
  typedef real_t<T> R;
  static constexpr unsigned ALL = 0xffffffffu;

  const svd_args<T> &a;
  svd_shared<T, S> *shared;
  int column, base, part, turn;
  T w[ROWS], x[VECTORS ? ROWS : 1];
  R factor;     // the column of X is x times this,
  int exponent; // and that of W is w times this and this power of two
  R square;     // of the length of w times factor, all parts
  int floor;    // below this exponent it is nothing but rounding errors of rounding errors
  bool bad;     // the page holds NaN or Inf
  bool dead;    // the column is 0 or not there, and has no left vector yet
  int rank;
  R sigma;

  GLA_DEVICE svd_page (const svd_args<T> &a, svd_shared<T, S> *shared) : a (a), shared (shared)
  {
    const int lane = threadIdx.x % 32;
    column = lane % P;
    base = lane - column;
    part = S == 1 ? 0 : threadIdx.x / 32;
    turn = 0;
  }
  GLA_DEVICE int row (int i) const { return part * ROWS + i; }

  //----------------------------------------------------------------------------
  // over the parts of a column, and over the lanes of a page
  //----------------------------------------------------------------------------

  // Sums; every part gets the same bits.
  GLA_DEVICE T join (T sum)
  {
    if constexpr (S > 1) {
      const int lane = threadIdx.x % 32;
      shared->dot[turn][part][lane] = sum;
      __syncthreads ();
      sum = shared->dot[turn][0][lane];
      for (int s = 1; s < S; s++)
        sum = sum + shared->dot[turn][s][lane];
      turn ^= 1;
    }
    return sum;
  }
  GLA_DEVICE R join_real (R sum) { return re (join (from_real<T> (sum))); }
  // The largest, and the number that belongs to it; of equal ones that of the first part.
  GLA_DEVICE void join_largest (R &largest, T &at, int &which)
  {
    if constexpr (S > 1) {
      const int lane = threadIdx.x % 32;
      __shared__ int place[2][S][32];
      shared->square[turn][part][lane] = largest;
      shared->dot[turn][part][lane] = at;
      place[turn][part][lane] = which;
      __syncthreads ();
      for (int s = 0; s < S; s++) {
        const R other = shared->square[turn][s][lane];
        if (s == 0 || other > largest) {
          largest = other;
          at = shared->dot[turn][s][lane];
          which = place[turn][s][lane];
        }
      }
      turn ^= 1;
    }
  }
  GLA_DEVICE void join_largest (R &largest)
  {
    T none = from_real<T> (0);
    int nowhere = 0;
    join_largest (largest, none, nowhere);
  }
  template <class N> GLA_DEVICE N largest_of_lanes (N y) const
  {
#pragma unroll
    for (int mask = P / 2; mask > 0; mask /= 2) {
      const N other = shuffle_xor (y, mask);
      y = y > other ? y : other;
    }
    return y;
  }

  //----------------------------------------------------------------------------
  // begin
  //----------------------------------------------------------------------------

  // The page; 0 where it holds NaN or Inf.
  GLA_DEVICE void load (int64_t page)
  {
    const T *A = a.A.data + page * a.A.page;
    const int64_t down = a.flip ? a.A.ld : 1, across = a.flip ? 1 : a.A.ld;
    int finite = 1;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      w[i] = from_real<T> (0);
      if (row (i) < a.rows && column < a.columns)
        w[i] = conj_if (A[row (i) * down + column * across], a.flip);
      finite &= absmax (w[i]) <= limits<R>::big;
      if (VECTORS)
        x[i] = from_real<T> (row (i) == column ? 1 : 0);
    }
    bad = join_real (R (largest_of_lanes (!finite))) > 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      w[i] = bad ? from_real<T> (0) : w[i];
    factor = 1;
    exponent = 0;
    floor = INT_MIN;
    bring_to_one ();
    floor = exponent - 2 * svd_digits<R>;
  }

  // Multiplies by the factor, and divides w by a power of two so that its largest number is 1 to 2.
  GLA_DEVICE void bring_to_one ()
  {
    R largest = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      w[i] = scale (factor, w[i]);
      if (VECTORS)
        x[i] = scale (factor, x[i]);
      const R size = absmax (w[i]);
      largest = size > largest ? size : largest;
    }
    join_largest (largest);
    int power = largest == 0 ? 0 : ilogb (largest);
    const bool gone = exponent + power < floor;
    power = gone ? 0 : power;
    const R first = times_power (R (1), -power / 2),
            second = times_power (R (1), -power - -power / 2);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      w[i] = gone ? from_real<T> (0) : scale (second, scale (first, w[i]));
    exponent += power;
    factor = 1;
    square = join_real (length_of (w));
  }
  GLA_DEVICE static R length_of (const T (&y)[ROWS])
  {
    R sum = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      sum += abs2 (y[i]);
    return sum;
  }

  //----------------------------------------------------------------------------
  // sweeps
  //----------------------------------------------------------------------------

  // The column that this one meets in a round of `players` columns; itself where it has none.
  GLA_DEVICE int partner_of (int round, int players) const
  {
    if (column >= players)
      return column;
    if (column == players - 1)
      return round;
    int other = 2 * round - column;
    other += other < 0 ? players - 1 : 0;
    other -= other >= players - 1 ? players - 1 : 0;
    return other == column ? players - 1 : other;
  }

  // Whether this column has been rotated.
  GLA_DEVICE bool meet (int partner)
  {
    const int there = base + partner;
    T other[ROWS], sum = from_real<T> (0);
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      other[i] = from_lane (w[i], there);
      sum = cmadd (w[i], other[i], sum);
    }
    const bool low = column < partner;
    const int more = from_lane (exponent, there) - exponent;
    const R theirs = from_lane (square, there), their_factor = from_lane (factor, there);
    sum = from_lane (join (sum), low ? base + column : there);
    const wide<T> dot = scale ((double)factor * (double)their_factor, widen (sum));
    const svd_rotation<T> g (low ? square : theirs, low ? theirs : square, dot, low ? more : -more,
                             a.tol * a.tol);
    const bool on = g.on && partner != column;
    if (!__any_sync (ALL, on))
      return false;

    const wide<T> t =
        scale ((double)their_factor * fast_reciprocal ((double)factor), low ? -conj (g.t) : g.t);
    if constexpr (VECTORS) {
      const T tangent = narrow<T> (t);
#pragma unroll
      for (int i = 0; i < ROWS; i++) {
        const T y = from_lane (x[i], there);
        if (on)
          x[i] = madd (tangent, y, x[i]);
      }
    }
    bool shrunk = false;
    if (on) {
      const T tangent = narrow<T> (scale (low ? g.up : g.down, t));
#pragma unroll
      for (int i = 0; i < ROWS; i++)
        w[i] = madd (tangent, other[i], w[i]);
      factor *= g.c;
      const R before = square;
      square += (R)(low ? -g.change * g.up : g.change * g.down);
      shrunk = !(square > R (0.125) * before); // and has lost digits
    }
    if (__any_sync (ALL, shrunk)) {
      const R exact = factor * factor * join_real (length_of (w));
      square = shrunk ? exact : square;
    }
    return on;
  }

  // Columns of the page that the last sweep has rotated: 0 where it converged.
  GLA_DEVICE int iterate ()
  {
    const int players = a.columns + a.columns % 2;
    bool rotated = false;
    for (int sweep = 0; sweep < a.maxit; sweep++) {
      rotated = false;
      for (int round = 0; round < players - 1; round++)
        rotated |= meet (partner_of (round, players));
      if (!__any_sync (ALL, rotated))
        break;
      bring_to_one ();
    }
    const unsigned group = P == 32 ? ALL : ((1u << P) - 1) << base;
    return __popc (__ballot_sync (ALL, rotated) & group);
  }

  //----------------------------------------------------------------------------
  // end
  //----------------------------------------------------------------------------

  // Lengths and order of the columns. w becomes the left vector, unless the column is dead.
  GLA_DEVICE void settle ()
  {
    const R length = sqrt_of (square);
    dead = length == 0;
    const R inverse = 1 / length;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      w[i] = dead ? from_real<T> (0) : scale (inverse, w[i]);
    sigma = times_power (length, exponent);
    if constexpr (VECTORS) {
      // rounding errors of the rotations have stretched both columns by the same factor
      const R stretch = rsqrt_of (join_real (length_of (x)));
      sigma = column < a.columns ? times_power (length * stretch, exponent) : sigma;
#pragma unroll
      for (int i = 0; i < ROWS; i++)
        x[i] = scale (stretch, x[i]);
    }
    rank = column < a.columns ? 0 : column;
    for (int j = 0; j < a.columns; j++) {
      const R other = from_lane (sigma, base + j);
      if (column < a.columns)
        rank += other > sigma || (other == sigma && j < column);
    }
  }

  // Dead columns become unit vectors that are orthogonal to the others: what is left of the unit
  // vector that the others hold least of.
  GLA_DEVICE void complete ()
  {
    for (int r = 0; r < a.u_columns; r++) {
      const bool mine = dead && rank == r;
      if (!__any_sync (ALL, mine))
        continue;
      T y[ROWS];
      unit_vector (y);
      for (int pass = 0; pass < 2; pass++)
        project (y);
        R length = join_real (length_of (y));
      length = 1 / sqrt_of (length);
#pragma unroll
      for (int i = 0; i < ROWS; i++)
        w[i] = mine ? scale (length, y[i]) : w[i];
      dead = dead && !mine;
    }
  }
  GLA_DEVICE void unit_vector (T (&y)[ROWS])
  {
    R best = -1;
    int place = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      const R left = 1 - lane_sum<P> (dead ? R (0) : abs2 (w[i]));
      if (row (i) < a.rows && left > best) {
        best = left;
        place = row (i);
      }
    }
    T none = w[0];
    join_largest (best, none, place);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      y[i] = from_real<T> (row (i) == place ? 1 : 0);
  }
  GLA_DEVICE void project (T (&y)[ROWS])
  {
    T dot = from_real<T> (0);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      dot = cmadd (w[i], y[i], dot);
    dot = join (dot);
    dot = dead ? from_real<T> (0) : dot;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      y[i] = y[i] - lane_sum<P> (dead ? from_real<T> (0) : w[i] * dot);
  }

  // The largest element of the column of V becomes real and positive.
  GLA_DEVICE void fix_phase ()
  {
    R largest = -1;
    T at = from_real<T> (1);
    int place = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      const T y = a.flip ? w[i] : x[i];
      if (abs2 (y) > largest) {
        largest = abs2 (y);
        at = y;
        place = row (i);
      }
    }
    join_largest (largest, at, place);
    if (column >= a.columns)
      return;
    const T phase = scale (rsqrt_of (largest), conj (at));
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      w[i] = a.flip && row (i) == place ? from_real<T> (sqrt_of (largest)) : w[i] * phase;
      x[i] = !a.flip && row (i) == place ? from_real<T> (sqrt_of (largest)) : x[i] * phase;
    }
  }

  GLA_DEVICE void store (int64_t page, int info) const
  {
    const bool failed = info != 0;
    const R nothing = R (NAN);
    if (part == 0 && column < a.columns && rank < a.values)
      a.S[page * a.page_s + rank * a.row_s] = failed ? nothing : sigma;
    if (part == 0 && column == 0) {
      a.info[page] = info;
      if (failed)
        *a.any = 1;
    }
    if (!VECTORS)
      return;
    T *U = a.U.data + page * a.U.page + rank * a.U.ld, *V = a.V.data + page * a.V.page + rank * a.V.ld;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      if (rank < a.u_columns && row (i) < a.rows)
        U[row (i)] = failed ? from_real<T> (nothing) : w[i];
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      if (rank < a.v_columns && row (i) < a.columns)
        V[row (i)] = failed ? from_real<T> (nothing) : x[i];
  }
};

// Warps of a block where each has pages of its own.
enum { SVD_LANES_WARPS = 4 };

template <class T, int P, int ROWS, int S, bool VECTORS>
__global__ void __launch_bounds__ (32 * (S == 1 ? SVD_LANES_WARPS : S))
    svd_lanes_kernel (svd_args<T> a)
{
  constexpr int WARPS = S == 1 ? SVD_LANES_WARPS : 1; // that have different pages
  __shared__ svd_shared<T, S == 1 ? 1 : S> shared;
  const int64_t own = (int64_t)blockIdx.x * WARPS + (S == 1 ? threadIdx.x / 32 : 0);
  int64_t page = own * (32 / P) + threadIdx.x % 32 / P;
  const bool inside = page < a.pages;
  page = inside ? page : a.pages - 1; // beyond the end the last page is done again

  svd_page<T, P, ROWS, S, VECTORS> p (a, reinterpret_cast<svd_shared<T, S> *> (&shared));
  p.load (page);
  int info = p.iterate ();
  info = p.bad ? a.columns + 1 : info > a.columns ? a.columns : info;
  p.settle ();
  if constexpr (VECTORS) {
    p.complete ();
    p.fix_phase ();
  }
  if (inside)
    p.store (page, info);
}

#endif
