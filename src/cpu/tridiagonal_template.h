// tridiagonal_template.h: Householder reduction of several Hermitian matrices at a time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A = Q T Q^H as LAPACK's hetd2 does it with the lower triangle: reflector k is
// H_k = I - tau_k v v^H with v(k+1) = 1 and v(k+2:n-1) left in column k of a; Q = H_0 H_1 ...

// Makes reflector k from column k; returns e_k. A column of which nothing is left but rounding
// (its squares would underflow) counts as zero: then tau = 0.
static inline N (vec) N (reflector) (int n, N (num) * column, int k, N (num) * tau)
{
  const N (vec) one = N (all) (1), zero = N (all) (0);
  N (num) alpha = column[k + 1];
  N (vec) total = N (abs2) (alpha);
  for (int i = k + 2; i < n; i++)
    total += N (abs2) (column[i]);
  N (mask) some = total > N (all) (GLA_TINY / (GLA_EPS * GLA_EPS));
  N (vec) norm = N (vsqrt) (total);
  N (vec) beta = N (select) (some, N (select) (alpha.re >= zero, -norm, norm), one);

  N (num) z = alpha, t;
  z.re = alpha.re - beta;
  N (vec) inverse = one / N (select) (some, N (abs2) (z), one);
  N (num) f = N (scale) (N (select) (some, inverse, zero), N (conj) (z));
  for (int i = k + 2; i < n; i++)
    column[i] = N (mul) (f, column[i]);
  t = N (scale) (-one / beta, z);
  *tau = N (num_select) (some, t, N (zero) ());
  return N (select) (some, beta, zero);
}

// p = A(k+1:n-1, k+1:n-1) v, from the lower triangle.
static inline void N (hermitian_times) (int n, const N (num) * a, int k, const N (num) * v,
                                        N (num) * p)
{
  for (int i = k + 1; i < n; i++)
    p[i] = N (zero) ();
  for (int j = k + 1; j < n; j++) {
    N (num) vj = v[j], sum = N (scale) (a[j + j * n].re, vj);
    for (int i = j + 1; i < n; i++) {
      N (num) aij = a[i + j * n];
      p[i] = N (fma) (p[i], aij, vj);
      sum = N (fmac) (sum, aij, v[i]);
    }
    p[j] = N (add) (p[j], sum);
  }
}

// A -= v w^H + w v^H on the lower triangle.
static inline void N (rank_two) (int n, N (num) * a, int k, const N (num) * v, const N (num) * w)
{
  for (int j = k + 1; j < n; j++) {
    N (num) vj = N (conj) (v[j]), wj = N (conj) (w[j]);
    for (int i = j; i < n; i++)
      a[i + j * n] = N (fnma) (N (fnma) (a[i + j * n], v[i], wj), w[i], vj);
  }
}

// d: n, e: n-1, tau: n-1 registers; work: 2n elements.
static void N (tridiagonalise) (int n, N (num) * a, N (vec) * d, N (vec) * e, N (num) * tau,
                                N (num) * work)
{
  N (num) *v = work, *w = work + n;
  for (int k = 0; k + 1 < n; k++) {
    e[k] = N (reflector) (n, a + k * n, k, &tau[k]);
    d[k] = a[k + k * n].re;
    v[k + 1] = N (from_real) (N (all) (1));
    for (int i = k + 2; i < n; i++)
      v[i] = a[i + k * n];

    // w = tau A v - 1/2 tau (tau A v)^H v v
    N (hermitian_times) (n, a, k, v, w);
    N (num) dot = N (zero) ();
    for (int i = k + 1; i < n; i++) {
      w[i] = N (mul) (tau[k], w[i]);
      dot = N (fmac) (dot, w[i], v[i]);
    }
    N (num) f = N (scale) (N (all) ((GLA_REAL)-0.5), N (mul) (tau[k], dot));
    for (int i = k + 1; i < n; i++)
      w[i] = N (fma) (w[i], f, v[i]);
    N (rank_two) (n, a, k, v, w);
  }
  d[n - 1] = a[n - 1 + (n - 1) * n].re;
}

// Applies reflector k to `count` columns of z.
static inline __attribute__ ((always_inline)) void N (reflect) (int n, const N (num) * v, int k,
                                                                N (num) tau, N (num) * z, int count)
{
  N (num) sum[4];
  for (int c = 0; c < count; c++)
    sum[c] = z[k + 1 + c * n];
  for (int i = k + 2; i < n; i++)
    for (int c = 0; c < count; c++)
      sum[c] = N (fmac) (sum[c], v[i], z[i + c * n]);
  for (int c = 0; c < count; c++) {
    sum[c] = N (mul) (tau, sum[c]);
    z[k + 1 + c * n] = N (sub) (z[k + 1 + c * n], sum[c]);
  }
  for (int i = k + 2; i < n; i++)
    for (int c = 0; c < count; c++)
      z[i + c * n] = N (fnma) (z[i + c * n], v[i], sum[c]);
}

// z <- Q z, a few columns at a time so that they stay in the first cache.
static void N (back_transform) (int n, const N (num) * a, const N (num) * tau, N (num) * z)
{
  int c = 0;
  for (; c + 2 <= n; c += 2)
    for (int k = n - 2; k >= 0; k--)
      N (reflect) (n, a + k * n, k, tau[k], z + c * n, 2);
  for (; c < n; c++)
    for (int k = n - 2; k >= 0; k--)
      N (reflect) (n, a + k * n, k, tau[k], z + c * n, 1);
}
