// pairs_tiles.cuh: Cholesky of a tile of 8 by 8 in the registers of a warp; exponents
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAIRS_TILES_CUH
#define GPULINALG_PAIRS_TILES_CUH

#include "common/mma_tiles.cuh"
#include "pairs.cuh"

template <class T> struct pencil_tiles : warp_tiles<T> {
  typedef warp_tiles<T> base;
  typedef typename base::W W;
  typedef typename base::tile tile;
  using base::ALL;
  using base::from;
  using base::g;
  using base::subtract;
  using base::t;
  using base::turn;

  GLA_DEVICE static tile zero () { return {{from_real<W> (0), from_real<W> (0)}}; }
  GLA_DEVICE static tile adjoint (const tile &v)
  {
    const tile c = turn (v);
    return {{conj (c.x[0]), conj (c.x[1])}};
  }
  // Adds u*v' to c, or u*v.' with `plain`.
  GLA_DEVICE static void add (tile &c, const tile &u, const tile &v, bool plain = false)
  {
    subtract (c, {{-u.x[0], -u.x[1]}}, v, plain);
  }

  // Replaces the tile v = l*l' by inv (l). bound: what each of the 8 pivots must exceed. Returns
  // the first that does not, or 8.
  GLA_DEVICE static int factor (tile &v, tile &l, const double *bound)
  {
    int failed = 8;
    double own = 0; // reciprocal root of this row's pivot
    l = zero ();
#pragma unroll
    for (int k = 0; k < 8; k++) {
      double pivot = __shfl_sync (ALL, re (v.x[k % 2]), 4 * k + k / 2);
      const W left = from (v.x[k % 2], g () * 4 + k / 2);
      if (!(pivot > bound[k])) {
        failed = failed < k ? failed : k;
        pivot = 1;
      }
      const double root = rsqrt (pivot);
      const W f = g () > k ? scale (root, left) : from_real<W> (0);
      own = g () == k ? root : own;
      if (t () == k / 2) {
        l.x[k % 2] = g () == k ? from_real<W> (pivot * root) : f;
        if (g () >= k)
          v.x[k % 2] = from_real<W> (g () == k ? 1 : 0);
      }
      // row k of the inverse so far, divided by the pivot's root
#pragma unroll
      for (int x = 0; x < 2; x++)
        v.x[x] = v.x[x] - f * scale (root, from (v.x[x], 4 * k + t ()));
    }
#pragma unroll
    for (int x = 0; x < 2; x++)
      v.x[x] = 2 * t () + x > g () ? from_real<W> (0) : scale (own, v.x[x]);
    return failed;
  }
};

// Entries of A and of the diagonal of B with exponents up to this, of either sign, need no scaling.
template <class T> constexpr int pencil_usual = sizeof (real_t<T>) == 4 ? 24 : 200;

template <class T> GLA_DEVICE bool pencil_is_usual (double x)
{
  return x >= ldexp (1.0, -pencil_usual<T>) && x <= ldexp (1.0, pencil_usual<T>);
}

// Returns the power of two that a row of B is divided by, from its diagonal entry.
GLA_DEVICE int pencil_row_exponent (double d)
{
  return d > 0 ? (ilogb (d) - (ilogb (d) & 1)) / 2 : 0; // rounded down
}

// What the entries that are read show.
struct pencil_facts {
  double largest; // largest |re| or |im|
  double apart;   // largest |A - A'|
  int bad;        // a NaN or an Inf was seen
  int exponent;   // the largest of a scaled entry, where it was looked for
};

// Records x at (i, j) and y, the conjugate of the entry at (j, i), as they were read.
template <class T> GLA_DEVICE void pencil_note (pencil_facts &f, wide<T> x, wide<T> y)
{
  const double here = absmax (x), there = absmax (y), most = (double)limits<real_t<T>>::big;
  const wide<T> apart = x - y;
  f.bad |= !(here <= most) || !(there <= most);
  f.largest = fmax (f.largest, fmax (here, there));
  if (absmax (apart) != 0)
    f.apart = fmax (f.apart, hypot (re (apart), im (apart)));
}

// Whether a page with this difference is not Hermitian.
template <class T> GLA_DEVICE bool pencil_is_skew (double difference, double largest, int n)
{
  return difference > 10.0 * n * limits<real_t<T>>::eps * largest;
}

// Returns entry (r, c) of a page; beyond n that of the last row or column. Both triangles are read,
// or one of them twice.
template <class T>
GLA_DEVICE wide<T> pencil_entry (const pencil_args<T> &a, const T *from, int64_t ld, int r, int c,
                                 pencil_facts &f)
{
  typedef wide<T> W;
  r = min (r, a.n - 1);
  c = min (c, a.n - 1);
  const int high = max (r, c), low = min (r, c);
  const int64_t below = high + low * ld, above = low + high * ld;
  const bool upper = a.triangle == GLA_TRIANGLE_UPPER, lower = a.triangle == GLA_TRIANGLE_LOWER;
  W x = conj_if (widen (from[upper ? above : below]), upper);
  W y = conj_if (widen (from[lower ? below : above]), !lower);
  if (high == low && (upper || lower))
    x = y = from_real<W> (re (x));
  pencil_note<T> (f, x, y);
  return conj_if (scale (0.5, x) + scale (0.5, y), r < c);
}

// Fills a page with NaN.
template <class T> GLA_DEVICE void pencil_fill_page (T *to, int n)
{
  const T nothing = narrow<T> (from_real<wide<T>> (nan ("")));
  for (int64_t k = threadIdx.x; k < (int64_t)n * n; k += blockDim.x)
    to[k] = nothing;
}

#endif
