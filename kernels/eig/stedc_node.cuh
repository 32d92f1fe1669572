// stedc_node.cuh: a node of divide and conquer: its secular equation, and what it leaves
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_STEDC_NODE_CUH
#define GPULINALG_STEDC_NODE_CUH

#include "stedc.cuh"

//------------------------------------------------------------------------------
// roots of the secular equation 1/rho + sum z(i)^2/(d(i)-x) = 0
//------------------------------------------------------------------------------

// One thread finds one root. The iteration is that of LAPACK's ?laed4 (Li, LAPACK Working Note 89):
// the function is interpolated by c + s/(d(l)-x) + t/(d(r)-x) at the poles l, r next to the root,
// with the weight of the nearer pole fixed, or, when that is slow, with both weights from the
// derivatives of the two sides (the middle way); steps that leave the bracket are replaced.
// A root is kept as the nearest pole and the distance from it, so that its distances from all poles
// have high relative accuracy.

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

//------------------------------------------------------------------------------
// merge of two halves: code shared by the block and the warp version
//------------------------------------------------------------------------------

// Which halves of a node a column of its Z has entries in.
enum { STEDC_UPPER = 1, STEDC_LOWER = 2 };

// Shared memory of one block: arrays over the m rows of the node.
template <class R> struct stedc_workspace {
  R *d, *z;           // ascending; later the vector z that belongs to the roots
  R *pole, *pole_z;   // all poles in order; later those that do not deflate
  R *origin, *tau;    // c and s of the rotations; later the roots
  R *top, *bottom;    // first and last row of Z (without vectors)
  int *column;        // of Z, in the order of d
  int *order;         // k places in d that do not deflate, then those that do, from the end
  int *upper, *lower; // poles by half
  unsigned *pair;     // places of the columns that a rotation joins
  int *partner;
  unsigned char *halves;
  GLA_DEVICE stedc_workspace (unsigned char *base, int m, bool vectors)
  {
    R *real = reinterpret_cast<R *> (base);
    d = real;
    z = d + m;
    pole = z + m;
    pole_z = pole + m;
    origin = pole_z + m;
    tau = origin + m;
    top = tau + m;
    bottom = top + (vectors ? 0 : m);
    column = reinterpret_cast<int *> (bottom + (vectors ? 0 : m));
    order = column + m;
    upper = order + m;
    lower = upper + m;
    pair = reinterpret_cast<unsigned *> (lower + m);
    partner = lower + 2 * m;
    halves = reinterpret_cast<unsigned char *> (partner + m);
  }
};

template <class R> __host__ __device__ constexpr size_t stedc_workspace_bytes (int m, bool vectors)
{
  return (size_t)m * ((vectors ? 6 : 8) * sizeof (R) + 6 * sizeof (int) + 1);
}

// The state of the scan for deflation, and what it finds.
struct stedc_scan {
  int roots, upper, lower, deflated, rotations;
};

template <class R> GLA_DEVICE void accept (const stedc_workspace<R> &w, stedc_scan &s, int place)
{
  w.order[s.roots] = place;
  if (w.halves[place] & STEDC_UPPER)
    w.upper[s.upper++] = s.roots;
  if (w.halves[place] & STEDC_LOWER)
    w.lower[s.lower++] = s.roots;
  s.roots++;
}

// LAPACK's ?laed2 by one thread: entries of z that are negligible deflate; of two poles that are
// too near, a rotation makes one deflate. The rotation is kept as (pair, partner, origin, tau),
// with the halves of the two columns before it in bits 28 to 31 of pair.
template <class R> GLA_DEVICE stedc_scan deflate (const stedc_workspace<R> &w, int m, R rho, R tol)
{
  stedc_scan s = {0, 0, 0, 0, 0};
  int previous = -1;
  for (int j = 0; j < m; j++) {
    if (rho * absmax (w.z[j]) <= tol) {
      w.order[m - 1 - s.deflated++] = j;
      continue;
    }
    if (previous >= 0) {
      R sn = w.z[previous], cs = w.z[j], gap = w.d[j] - w.d[previous];
      R square = madd (sn, sn, cs * cs);
      if (absmax (gap * cs * sn) <= tol * square) {
        R root = sqrt_of (square);
        cs /= root;
        sn = -sn / root;
        w.z[j] = root;
        R low = w.d[previous], high = w.d[j];
        w.d[j] = low * (sn * sn) + high * (cs * cs);
        w.d[previous] = low * (cs * cs) + high * (sn * sn);
        unsigned halves = w.halves[previous] | w.halves[j] << 2;
        w.pair[s.rotations] = (unsigned)previous | halves << 28;
        w.partner[s.rotations] = j;
        w.origin[s.rotations] = cs;
        w.tau[s.rotations++] = sn;
        w.halves[previous] = w.halves[j] = w.halves[previous] | w.halves[j];
        w.order[m - 1 - s.deflated++] = previous;
      } else {
        accept (w, s, previous);
      }
    }
    previous = j;
  }
  if (previous >= 0)
    accept (w, s, previous);
  return s;
}

template <class R> GLA_DEVICE void rotate (R &x, R &y, R c, R s)
{
  R t = madd (c, x, s * y);
  y = madd (c, y, -s * x);
  x = t;
}

// The rotations of the scan on row i of Z (a pointer to the row, columns `stride` apart).
template <class R>
GLA_DEVICE void rotate_row (const stedc_workspace<R> &w, int rotations, R *row, int64_t stride,
                            int half)
{
  for (int t = 0; t < rotations; t++) {
    unsigned pair = w.pair[t];
    R *x = row + w.column[pair & 0xfffffff] * stride, *y = row + w.column[w.partner[t]] * stride;
    R xv = pair >> 28 & half ? *x : R (0), yv = pair >> 30 & half ? *y : R (0);
    rotate (xv, yv, w.origin[t], w.tau[t]);
    *x = xv;
    *y = yv;
  }
}

// Entry i of the z that makes the computed roots exact: the square root of
// prod_j (lambda(j)-d(i)) / prod_{j != i} (d(j)-d(i)), with the sign of the old one.
template <class R> GLA_DEVICE R loewner (const stedc_workspace<R> &w, int k, int i)
{
  R here = w.pole[i], product = (w.origin[i] - here) + w.tau[i];
#pragma unroll 4
  for (int j = 0; j < k; j++)
    if (j != i)
      product *= ((w.origin[j] - here) + w.tau[j]) * quick_reciprocal (w.pole[j] - here);
  return copy_sign (sqrt_of (absmax (product)), w.pole_z[i]);
}

// Norms of the columns of U; with edge rows, these rows times U.
template <class R, bool EDGES>
GLA_DEVICE void columns (const stedc_workspace<R> &w, int k, int j, R *norm, R *top, R *bottom)
{
  R square = 0, first = 0, last = 0, origin = w.origin[j], tau = w.tau[j];
#pragma unroll 4
  for (int i = 0; i < k; i++) {
    R u = w.z[i] * quick_reciprocal ((w.pole[i] - origin) - tau);
    square = madd (u, u, square);
    if (EDGES) {
      int place = w.column[w.order[i]];
      first = madd (w.top[place], u, first);
      last = madd (w.bottom[place], u, last);
    }
  }
  R inverse = 1 / sqrt_of (square);
  *norm = inverse;
  *top = first * inverse;
  *bottom = last * inverse;
}

// Column j of the m of U, of which the first k belong to roots: what the update makes it from, or
// without vectors the edge rows times it.
template <bool VECTORS, class R>
GLA_DEVICE void store_column (const stedc_level<R> &s, const stedc_workspace<R> &w, int k, int m,
                              int j, int64_t at, R *edge)
{
  R norm = 0, top = 0, bottom = 0;
  if (j < k) {
    columns<R, !VECTORS> (w, k, j, &norm, &top, &bottom);
  } else if (!VECTORS) {
    int place = w.column[w.order[m - 1 - (j - k)]];
    top = w.top[place];
    bottom = w.bottom[place];
  }
  if (!VECTORS) {
    edge[j] = top;
    edge[s.tree.n + j] = bottom;
  } else if (j < k) {
    s.pole[at + j] = w.pole[j];
    s.z[at + j] = w.z[j];
    s.origin[at + j] = w.origin[j];
    s.tau[at + j] = w.tau[j];
    s.scale[at + j] = norm;
  }
}

#endif
