// tridiagonal_template.h: Householder reduction of several Hermitian matrices at a time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A = Q T Q^H as LAPACK's hetd2 does it with the lower triangle: reflector k is
// H_k = I - tau_k v v^H with v(k+1) = 1 and v(k+2:n-1) left in column k of a; Q = H_0 H_1 ...
// The rank-2 update of one step and the matrix-vector product of the next are one pass over the
// triangle, so every element is read and written once per step.

// Columns of one pass: two where the registers hold what two need.
enum { N (pass_columns) = GLA_COMPLEX && GLA_VECTOR_BYTES < 64 ? 1 : 2 };

// conj (a) v, summed up in pieces of which none waits for another.
typedef struct {
  N (num) re;
#if GLA_COMPLEX
  N (num) im;
#endif
} N (dot);

static inline N (dot) N (dot_add) (N (dot) s, N (num) a, N (num) v)
{
  s.re.re += a.re * v.re;
#if GLA_COMPLEX
  s.re.im += a.re * v.im;
  s.im.re += a.im * v.re;
  s.im.im += a.im * v.im;
#endif
  return s;
}

static inline N (num) N (dot_value) (N (dot) s)
{
#if GLA_COMPLEX
  s.re.re += s.im.im;
  s.re.im -= s.im.re;
#endif
  return s.re;
}

//------------------------------------------------------------------------------
// reduction
//------------------------------------------------------------------------------

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

// What a pass over the triangle reads and writes: A -= x y^H + y x^H, then p += A v.
typedef struct {
  const N (num) * x, *y, *v;
  N (num) * p;
} N (pass);

// `count` columns from j on.
static inline __attribute__ ((always_inline)) void N (pass_over) (int n, N (num) * a, int j,
                                                                  N (pass) w, int count)
{
  N (num) xj[2], yj[2], vj[2];
  N (dot) sum[2] = {0};
  for (int c = 0; c < count; c++) {
    xj[c] = N (conj) (w.x[j + c]);
    yj[c] = N (conj) (w.y[j + c]);
    vj[c] = w.v[j + c];
  }
  // the corner on the diagonal
  for (int c = 0; c < count; c++)
    for (int i = j + c; i < j + count; i++) {
      N (num) *at = a + i + (j + c) * n;
      *at = N (fnma) (N (fnma) (*at, w.x[i], yj[c]), w.y[i], xj[c]);
      if (i > j + c) {
        w.p[i] = N (fma) (w.p[i], *at, vj[c]);
        sum[c] = N (dot_add) (sum[c], *at, w.v[i]);
      } else
        w.p[i] = N (add) (w.p[i], N (scale) (at->re, vj[c]));
    }
  for (int i = j + count; i < n; i++) {
    N (num) p = w.p[i];
    for (int c = 0; c < count; c++) {
      N (num) *at = a + i + (j + c) * n;
      N (num) aij = N (fnma) (N (fnma) (*at, w.x[i], yj[c]), w.y[i], xj[c]);
      *at = aij;
      p = N (fma) (p, aij, vj[c]);
      sum[c] = N (dot_add) (sum[c], aij, w.v[i]);
    }
    w.p[i] = p;
  }
  for (int c = 0; c < count; c++)
    w.p[j + c] = N (add) (w.p[j + c], N (dot_value) (sum[c]));
}

// From p = A v: y = tau p - 1/2 tau (tau p)^H v v, in place.
static inline void N (second_vector) (int n, int k, N (num) tau, const N (num) * v, N (num) * p)
{
  N (dot) sum = {0};
  for (int i = k + 1; i < n; i++) {
    p[i] = N (mul) (tau, p[i]);
    sum = N (dot_add) (sum, p[i], v[i]);
  }
  N (num) f = N (scale) (N (all) ((GLA_REAL)-0.5), N (mul) (tau, N (dot_value) (sum)));
  for (int i = k + 1; i < n; i++)
    p[i] = N (fma) (p[i], f, v[i]);
}

// d: n, e: n-1, tau: n-1 registers; work: 4 (n + 3) elements.
static void N (tridiagonalise) (int n, N (num) * a, N (vec) * d, N (vec) * e, N (num) * tau,
                                N (num) * work)
{
  const int apart = n + 3; // not a power of two
  N (num) *x = work, *y = x + apart, *v = y + apart, *p = v + apart;
  memset (work, 0, (size_t)apart * 4 * sizeof *work);
  for (int k = 0; k + 1 < n; k++) {
    // column k goes ahead of the others: the next reflector comes from it
    N (num) *column = a + k * n, xk = N (conj) (x[k]), yk = N (conj) (y[k]);
    for (int i = k; i < n; i++)
      column[i] = N (fnma) (N (fnma) (column[i], x[i], yk), y[i], xk);
    d[k] = column[k].re;
    e[k] = N (reflector) (n, column, k, &tau[k]);
    v[k + 1] = N (from_real) (N (all) (1));
    for (int i = k + 2; i < n; i++)
      v[i] = column[i];
    for (int i = k + 1; i < n; i++)
      p[i] = N (zero) ();

    N (pass) w = {x, y, v, p};
    int j = k + 1;
    for (; j + N (pass_columns) <= n; j += N (pass_columns))
      N (pass_over) (n, a, j, w, N (pass_columns));
    for (; j < n; j++)
      N (pass_over) (n, a, j, w, 1);
    N (second_vector) (n, k, tau[k], v, p);
    N (num) *swap = x;
    x = v;
    v = swap;
    swap = y;
    y = p;
    p = swap;
  }
  N (num) *last = a + n * n - 1;
  d[n - 1] =
      N (fnma) (N (fnma) (*last, x[n - 1], N (conj) (y[n - 1])), y[n - 1], N (conj) (x[n - 1])).re;
}

//------------------------------------------------------------------------------
// transformation back
//------------------------------------------------------------------------------

// Columns that are transformed at a time: as many as the registers hold sums for.
enum { N (back_columns) = GLA_COMPLEX ? 2 : 4 };

// The products v_(k-1)^H v_k of pairs of reflectors into cross[k], for k = n-2, n-4, ...
static void N (back_prepare) (int n, const N (num) * a, N (num) * cross)
{
  for (int k = n - 2; k > 0; k -= 2) {
    const N (num) *v = a + k * n, *u = v - n;
    N (num) sum = N (conj) (u[k + 1]);
    for (int i = k + 2; i < n; i++)
      sum = N (fmac) (sum, u[i], v[i]);
    cross[k] = sum;
  }
}

// z <- H_(k-1) H_k z on `count` columns. Two reflectors at a time halve the traffic of z.
static inline __attribute__ ((always_inline)) void N (reflect_pair) (int n, const N (num) * a,
                                                                     const N (num) * tau,
                                                                     N (num) cross, int k,
                                                                     N (num) * z, int count)
{
  const N (num) *v = a + k * n, *u = v - n;
  N (num) f[4], g[4];
  for (int c = 0; c < count; c++) {
    N (num) *zc = z + c * n;
    f[c] = zc[k + 1];
    g[c] = N (fmac) (zc[k], u[k + 1], zc[k + 1]);
  }
  for (int i = k + 2; i < n; i++)
    for (int c = 0; c < count; c++) {
      f[c] = N (fmac) (f[c], v[i], z[i + c * n]);
      g[c] = N (fmac) (g[c], u[i], z[i + c * n]);
    }
  for (int c = 0; c < count; c++) {
    N (num) *zc = z + c * n;
    f[c] = N (mul) (tau[k], f[c]);
    g[c] = N (mul) (tau[k - 1], N (fnma) (g[c], cross, f[c]));
    zc[k] = N (sub) (zc[k], g[c]);
    zc[k + 1] = N (fnma) (N (sub) (zc[k + 1], f[c]), u[k + 1], g[c]);
  }
  for (int i = k + 2; i < n; i++)
    for (int c = 0; c < count; c++) {
      N (num) *zi = z + i + c * n;
      *zi = N (fnma) (N (fnma) (*zi, v[i], f[c]), u[i], g[c]);
    }
}

// z <- H_0 z, which is left over where n is even.
static inline void N (reflect_first) (int n, const N (num) * v, N (num) tau, N (num) * z)
{
  N (num) sum = z[1];
  for (int i = 2; i < n; i++)
    sum = N (fmac) (sum, v[i], z[i]);
  sum = N (mul) (tau, sum);
  z[1] = N (sub) (z[1], sum);
  for (int i = 2; i < n; i++)
    z[i] = N (fnma) (z[i], v[i], sum);
}

// z <- Q z on at most back_columns columns, so few that they stay in the first cache.
static void N (back_transform) (int n, const N (num) * a, const N (num) * tau,
                                const N (num) * cross, N (num) * z, int count)
{
  if (count == N (back_columns))
    for (int k = n - 2; k > 0; k -= 2)
      N (reflect_pair) (n, a, tau, cross[k], k, z, N (back_columns));
  else
    for (int c = 0; c < count; c++)
      for (int k = n - 2; k > 0; k -= 2)
        N (reflect_pair) (n, a, tau, cross[k], k, z + c * n, 1);
  for (int c = 0; n > 1 && n % 2 == 0 && c < count; c++)
    N (reflect_first) (n, a, tau[0], z + c * n);
}
