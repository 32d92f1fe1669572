// reflector.cuh: Householder reflectors, their products, the triangular factor of a block of them
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Called by the kernels of eig, qr, svd and gsvd that reduce or factor pages.

#ifndef GPULINALG_REFLECTOR_CUH
#define GPULINALG_REFLECTOR_CUH

#include "mma.cuh"
#include "scalar.cuh"

//------------------------------------------------------------------------------
// one Householder reflector (LAPACK's ?larfg)
//------------------------------------------------------------------------------

// 1/a and 1/sqrt(a) within about one unit in the last place, for a far from overflow and underflow:
// one step of third order improves the hardware's 20 bits.
GLA_DEVICE double fast_reciprocal (double a)
{
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  double e = fma (-a, y, 1.0);
  return fma (y * e, 1.0 + e, y);
}
GLA_DEVICE float fast_reciprocal (float a)
{
  return __frcp_rn (a);
}
GLA_DEVICE double fast_rsqrt (double a)
{
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  double e = fma (-a * y, y, 1.0);
  return fma (y * e, fma (0.375, e, 0.5), y);
}
GLA_DEVICE float fast_rsqrt (float a)
{
  return __frsqrt_rn (a);
}

// The reflector of [alpha; x], from alpha and x'x.
template <class T> struct reflector {
  typedef real_t<T> R;
  T tau, inverse, factor, pivot; // v = x*inverse; factor = conj(tau)*inverse; pivot = 1/inverse
  R beta;
  GLA_DEVICE reflector (T alpha, R xx)
  {
    R total = xx + abs2 (alpha), r = fast_rsqrt (total);
    beta = -copy_sign (total * r, re (alpha));
    pivot = alpha - from_real<T> (beta);
    R down = -copy_sign (r, re (alpha)); // 1/beta
    if constexpr (is_complex_v<T>) {
      inverse = scale (fast_reciprocal (abs2 (pivot)), conj (pivot));
      tau = {(beta - alpha.x) * down, -alpha.y * down};
      factor = conj (tau) * inverse;
    } else {
      inverse = fast_reciprocal (pivot);
      tau = (beta - alpha) * down;
      factor = -down;
    }
    if (xx == 0 && im (alpha) == 0) {
      tau = inverse = factor = pivot = from_real<T> (0);
      beta = re (alpha);
    }
  }
};

//------------------------------------------------------------------------------
// a reflector from the norm of a column, and sums over lanes for its products
//------------------------------------------------------------------------------

// The reflector of a column [alpha; x]: H = I - tau v v', v = [1; factor x], H' [alpha; x] = beta.
template <class T> struct householder {
  real_t<T> beta;
  T tau, factor;
};

// Makes it from alpha and |x|^2, both of the column times `up`; factor is for the unscaled column.
// Squares of tiny entries lose digits, so a caller that finds small_column () scales up and calls
// again. The page has norm 1 or more, so a column that is still tiny then counts as zero.
template <class T>
GLA_DEVICE householder<T> make_householder (T alpha, real_t<T> square, real_t<T> up)
{
  typedef real_t<T> R;
  householder<T> h;
  if (square + abs2 (alpha) < limits<R>::small_square) {
    square = 0;
    alpha = from_real<T> (0);
  }
  h.beta = re (alpha);
  h.tau = h.factor = from_real<T> (0);
  if (square > 0 || im (alpha) != 0) {
    R norm2 = square + abs2 (alpha), inverse = copy_sign (rsqrt_of (norm2), re (alpha));
    h.beta = -norm2 * inverse;
    T difference = alpha - from_real<T> (h.beta);
    h.tau = scale (inverse, difference);
    // up / (alpha - beta); `up` is applied last, so that nothing overflows
    h.factor = scale (up, scale (1 / abs2 (difference), conj (difference)));
  }
  if (up != 1)
    h.beta *= limits<R>::down;
  return h;
}

template <class T> GLA_DEVICE bool small_column (T alpha, real_t<T> square)
{
  return square + abs2 (alpha) < limits<real_t<T>>::small_square;
}

// Sums N values over groups of N lanes, N a power of two: lane l gets its group's sum of a[l % N].
// Overwrites a.
template <int N, class T> GLA_DEVICE T group_sums (T (&a)[N])
{
#pragma unroll
  for (int mask = 1; mask < N; mask *= 2) {
    bool upper = threadIdx.x & mask;
#pragma unroll
    for (int q = 0; q < N; q += 2 * mask) {
      T keep = upper ? a[q + mask] : a[q], give = upper ? a[q] : a[q + mask];
      a[q] = keep + shuffle_xor (give, mask);
    }
  }
  return a[0];
}

//------------------------------------------------------------------------------
// the triangular factor of a block of reflectors (LAPACK's ?larft), in shared memory
//------------------------------------------------------------------------------

// Makes T of I - Y T Y' (Schreiber, Van Loan 1989) from G = Y'Y and tau: blocks of eight column by
// column, then adjacent blocks are joined. The numbers are double for all types.

// One warp makes T of the eight reflectors from b on: T(0:j-1, j) = -tau(j) T(0:j-1, 0:j-1)
// G(0:j-1, j).
template <class T>
GLA_DEVICE void small_factor (const mma_matrix<is_complex_v<T>> &G,
                              const mma_matrix<is_complex_v<T>> &F, int b, const T *tau, int count)
{
  constexpr bool C = is_complex_v<T>;
  int lane = threadIdx.x % 32;
  for (int j = 0; j < 8; j++) {
    mma_entry<C> t = {}, dot = {};
    if (b + j < count)
      t = mma_entry_of (tau[b + j]);
    for (int l = lane; l < j; l++)
      multiply_add (dot, F.get (b + lane, b + l), G.get (b + l, b + j));
    mma_entry<C> value = {};
    multiply_add (value, t, dot);
    if (lane <= j)
      F.put (b + lane, b + j, lane == j ? t : minus (value));
    __syncwarp ();
  }
}

// Joins adjacent factors of h out of `count` reflectors, all pairs at once: [T1 -T1 G12 T2; 0 T2],
// where the product replaces G12. A thread computes EACH entries, which must be enough for
// count*h/2.
template <bool C, int EACH, int h>
GLA_DEVICE void join_factors (const mma_matrix<C> &G, const mma_matrix<C> &F, int count)
{
  for (int pass = 0; pass < 2; pass++) {
    mma_entry<C> value[EACH] = {};
    int i[EACH], j[EACH];
#pragma unroll
    for (int x = 0; x < EACH; x++) {
      int q = threadIdx.x + x * blockDim.x, b = q / (h * h) * 2 * h;
      bool mine = q < count * h / 2;
      i[x] = mine ? b + q / h % h : count;
      j[x] = b + h + q % h;
      int row = mine ? i[x] : 0, column = mine ? j[x] : 0, start = mine ? b : 0;
#pragma unroll
      for (int l = 0; l < h; l++)
        if (pass == 0)
          multiply_add (value[x], G.get (row, start + h + l), F.get (start + h + l, column));
        else
          multiply_add (value[x], F.get (row, start + l), G.get (start + l, column));
    }
    __syncthreads ();
#pragma unroll
    for (int x = 0; x < EACH; x++)
      if (i[x] < count && pass == 0)
        G.put (i[x], j[x], value[x]);
      else if (i[x] < count)
        F.put (i[x], j[x], minus (value[x]));
    __syncthreads ();
  }
}

// Makes the factor of a panel of `count` = 32 reflectors from its blocks on the diagonal; at least
// 128 threads call.
template <bool C>
GLA_DEVICE void join_panel (const mma_matrix<C> &G, const mma_matrix<C> &F, int count)
{
  join_factors<C, 1, 1> (G, F, count);
  join_factors<C, 1, 2> (G, F, count);
  join_factors<C, 1, 4> (G, F, count);
  join_factors<C, 1, 8> (G, F, count);
  join_factors<C, 2, 16> (G, F, count);
}

#endif
