// svd_lanes_correct.h: the last step of the SVD of small matrices by products, one per lane
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The columns w_i of W = R'*Y are almost orthogonal. With g = W'*W, d its diagonal, and the
// skew-Hermitian E, e_ij = g_ij/(d_j - d_i), those of W*(I + E) are orthogonal up to second order
// (Ogita and Aishima 2018 do so for eigenvectors). Let t be the largest |e_ij| times the longer
// length over the shorter one. Cosines of columns of W*(I + E) and of Y*(I + E) are at most 2*k*t^2
// and k*t^2, whatever the lengths are, and the lengths are right to within k*t^2. So where k*t^2 is
// below the rounding errors this is as good as a sweep of rotations, and it takes products only.
// Lanes where t is larger, for instance where values are so close that the quotient is large, go on
// with sweeps. Pairs that a sweep would leave as they are have e_ij = 0.

#ifndef GPULINALG_CPU_SVD_SVD_LANES_CORRECT_H
#define GPULINALG_CPU_SVD_SVD_LANES_CORRECT_H

#include "svd_lanes_products.h"
#include "svd_lanes_qr.h"

// What is known of the columns of W.
typedef struct {
  vec *norm2, *inverse; // k each: d and 1 ./ d
  mask done;            // lanes that need no sweeps
} lanes_norms;

// d and its reciprocals from the diagonal of g.
static void norms_of (int k, const num *g, lanes_norms *n)
{
  const vec one = vec_broadcast (1), nothing = vec_broadcast (GLA_SVD_NOTHING);
  for (int j = 0; j < k; j++) {
    const vec d = g[j + j * k].re;
    const mask some = d > nothing;
    n->done &= some;
    n->norm2[j] = d;
    n->inverse[j] = vec_reciprocal (vec_select (some, d, one));
  }
}

// E in place of g = W'*W, of which the lower triangle is given. Lanes of n->done where t is too
// large are taken out of it.
static void small_angles (int k, num *g, real tol, lanes_norms *n)
{
  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  const vec tol2 = vec_broadcast (tol * tol), most = vec_broadcast (GLA_EPS / (real)k);
  norms_of (k, g, n);
  for (int j = 0; j < k; j++) {
    g[j + j * k] = num_zero ();
    for (int i = j + 1; i < k; i++) {
      const num x = g[i + j * k];
      // the square of the product of the lengths may be out of range
      vec cosine2 = (x.re * n->inverse[i]) * (x.re * n->inverse[j]);
#if GLA_COMPLEX
      cosine2 += (x.im * n->inverse[i]) * (x.im * n->inverse[j]);
#endif
      const vec di = n->norm2[i], dj = n->norm2[j];
      const mask right = cosine2 <= tol2, longer = di > dj;
      const vec gap = vec_select (right, one, dj - di);
      const num e = num_scale (vec_select (right, zero, vec_reciprocal (gap)), x);
      const vec ratio = vec_select (longer, di * n->inverse[j], dj * n->inverse[i]);
      n->done &= num_abs2 (e) * ratio <= most; // false for NaN
      g[i + j * k] = e;
      g[j + i * k] = num_sub (num_zero (), num_conj (e));
    }
  }
}

// E is zero in the lanes that are not in `done`, where it may be NaN.
static void keep_angles (int k, mask done, num *e)
{
  if (!mask_any (~done))
    return;
  for (int i = 0; i < k * k; i++)
    e[i] = num_select (done, e[i], num_zero ());
}

#endif
