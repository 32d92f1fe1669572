// secular.cuh: roots of the secular equation 1/rho + sum z(i)^2/(d(i)-x) = 0
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One thread finds one root. The iteration is that of LAPACK's ?laed4 (Li, LAPACK Working Note 89):
// the function is interpolated by c + s/(d(l)-x) + t/(d(r)-x) at the poles l, r next to the root,
// with the weight of the nearer pole fixed, or, when that is slow, with both weights from the
// derivatives of the two sides (the middle way); steps that leave the bracket are replaced.
// A root is kept as the nearest pole and the distance from it, so that its distances from all poles
// have high relative accuracy.

#ifndef GPULINALG_SECULAR_CUH
#define GPULINALG_SECULAR_CUH

#include "stedc.cuh"

// The array of the block's dynamic shared memory that p points to, as an offset and back. A
// function that is called, not inlined, knows by it that the memory is shared.
template <class R> GLA_DEVICE int shared_offset (const R *p)
{
  extern __shared__ __align__ (16) unsigned char dynamic_shared[];
  return (int)(reinterpret_cast<const unsigned char *> (p) - dynamic_shared);
}
template <class R> GLA_DEVICE const R *shared_array (int offset)
{
  extern __shared__ __align__ (16) unsigned char dynamic_shared[];
  return reinterpret_cast<const R *> (dynamic_shared + offset);
}

template <class R> struct secular {
  typedef R real;
  int k;     // poles
  int at_d;  // where they are in shared memory, ascending
  int at_z;  // nonzero
  R inverse; // 1/rho > 0
  R reach;   // rho * sum z^2: the last root is not farther from the last pole
  GLA_DEVICE R d (int i) const { return shared_array<R> (at_d)[i]; }
  GLA_DEVICE R z (int i) const { return shared_array<R> (at_z)[i]; }
};

template <class R> GLA_DEVICE secular<R> secular_of (int k, const R *d, const R *z, R rho, R square)
{
  return {k, shared_offset (d), shared_offset (z), 1 / rho, rho * square};
}

// The same with the poles in global memory.
template <class R> struct secular_far {
  typedef R real;
  int k;
  const R *at_d, *at_z;
  R inverse, reach;
  GLA_DEVICE R d (int i) const { return at_d[i]; }
  GLA_DEVICE R z (int i) const { return at_z[i]; }
};

// The function, F is secular or secular_far, at origin+tau: value, sum of the terms' sizes,
// derivative, and the derivative of the poles on the right minus that of the poles on the left.
template <class R> struct secular_value {
  R w, size, slope, skew;
};

template <class F, class R> GLA_DEVICE secular_value<R> evaluate (const F &f, R origin, R tau)
{
  secular_value<R> v = {0, 0, 0, 0};
#pragma unroll 4
  for (int i = 0; i < f.k; i++) {
    R z = absmax (f.z (i));
    R r = z * quick_reciprocal ((f.d (i) - origin) - tau);
    v.w = madd (z, r, v.w);
    v.size = madd (z, absmax (r), v.size);
    v.slope = madd (r, r, v.slope);
    v.skew = madd (r, absmax (r), v.skew);
  }
  v.w += f.inverse;
  return v;
}

// a/b and the square root of a for a step of the search, which need not be exact: 0 may give NaN.
template <class R> GLA_DEVICE R quotient (R a, R b)
{
  return a * quick_reciprocal (b);
}
GLA_DEVICE double near_root (double a)
{
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
  double root = a * r;
  return fma (0.5 * r, fma (-root, root, a), root);
}
GLA_DEVICE float near_root (float a)
{
  float r;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
}

// The root of c*x^2 - a*x + b = 0 that is nearer to zero when `plus` and a have the same sign.
template <class R> GLA_DEVICE R quadratic (R a, R b, R c, bool plus)
{
  R root = near_root (absmax (madd (a, a, -4 * b * c)));
  if (plus)
    return a > 0 ? quotient (2 * b, a + root) : quotient (a - root, 2 * c);
  return a < 0 ? quotient (2 * b, a - root) : quotient (a + root, 2 * c);
}

// The state of the search for a root: the poles next to it, its origin and bracket.
template <class R> struct secular_search {
  int left, right;
  bool last, from_left;
  R origin, low, high, tau;
};

// Chooses the origin by the sign in the middle and interpolates there.
template <class F> GLA_DEVICE secular_search<typename F::real> secular_start (const F &f, int j)
{
  typedef typename F::real R;
  secular_search<R> s;
  s.last = j == f.k - 1;
  s.left = s.last ? j - 1 : j;
  s.right = s.left + 1;
  R gap = f.d (s.right) - f.d (s.left), near = s.last ? f.d (s.right) : f.d (s.left);
  R half = (s.last ? f.reach : gap) / 2;
  R w = evaluate (f, near, half).w;
  R zl = f.z (s.left) * f.z (s.left), zr = f.z (s.right) * f.z (s.right);
  R to_left = s.last ? -gap - half : -half, to_right = s.last ? -half : half;
  R c = w - quotient (zl, to_left) - quotient (zr, to_right);
  R t;
  if (s.last) {
    s.from_left = false;
    s.origin = near;
    s.low = w <= 0 ? half : 0;
    s.high = w <= 0 ? 2 * half : half;
    t = quadratic (-c * gap + zl + zr, -zr * gap, c, false);
  } else {
    s.from_left = w > 0;
    s.origin = s.from_left ? near : f.d (s.right);
    s.low = s.from_left ? 0 : -half;
    s.high = s.from_left ? half : 0;
    R a = s.from_left ? c * gap : -c * gap;
    t = quadratic (a + (zl + zr), s.from_left ? zl * gap : -zr * gap, c, true);
  }
  s.tau = t > s.low && t < s.high ? t : (s.low + s.high) / 2;
  return s;
}

// The step from s.tau, where the function is v.
template <class F, class R>
GLA_DEVICE R secular_step (const F &f, const secular_search<R> &s, const secular_value<R> &v,
                           bool middle_way)
{
  R dl = (f.d (s.left) - s.origin) - s.tau, dr = (f.d (s.right) - s.origin) - s.tau;
  R rl = quotient (f.z (s.left), dl), rr = quotient (f.z (s.right), dr);
  R gap = f.d (s.right) - f.d (s.left), c;
  if (s.last) {
    c = v.w - dl * (v.slope - rr * rr) - dr * (rr * rr);
    c = absmax (c);
  } else if (middle_way) {
    c = v.w - dl * (R (0.5) * (v.slope - v.skew)) - dr * (R (0.5) * (v.slope + v.skew));
  } else if (s.from_left) {
    c = v.w - dr * v.slope + gap * (rl * rl);
  } else {
    c = v.w - dl * v.slope - gap * (rr * rr);
  }
  R a = (dl + dr) * v.w - dl * dr * v.slope, b = dl * dr * v.w;
  R step = c == 0 ? quotient (b, a) : quadratic (a, b, c, !s.last);
  bool towards = v.w * step < 0; // the root; not so where NaN came out
  return towards ? step : quotient (-v.w, v.slope);
}

template <class R> struct secular_result {
  R origin, tau; // the root is their sum
  int settled;
};

// Halving the bracket from the distance of two poles down to rho z^2 can take a hundred steps.
enum { SECULAR_STEPS = 200 };

// Root j; not settled when the iteration does not come to an end. One copy serves all sizes:
// the instruction cache is what small pages are short of.
template <class F>
__device__ __noinline__ secular_result<typename F::real> secular_root (F f, int j)
{
  typedef typename F::real R;
  if (f.k == 1)
    return {f.d (0), f.reach, 1};
  secular_search<R> s = secular_start (f, j);
  R before = 0;
  bool middle_way = false, done = false;
  for (int iteration = 0; iteration < SECULAR_STEPS && !done; iteration++) {
    secular_value<R> v = evaluate (f, s.origin, s.tau);
    done = absmax (v.w) <= limits<R>::eps * (8 * v.size + f.inverse + absmax (s.tau) * v.slope);
    if (done)
      break;
    if (v.w < 0)
      s.low = s.low > s.tau ? s.low : s.tau;
    else
      s.high = s.high < s.tau ? s.high : s.tau;
    if (iteration > 0 && absmax (v.w) > absmax (before) / 10)
      middle_way = !middle_way;
    before = v.w;
    R next = s.tau + secular_step (f, s, v, middle_way);
    if (!(next > s.low && next < s.high))
      next = (s.low + s.high) / 2;
    done = next == s.tau || next == s.low || next == s.high; // nothing between the two ends
    s.tau = next;
  }
  return {s.origin, s.tau, done};
}

#endif
