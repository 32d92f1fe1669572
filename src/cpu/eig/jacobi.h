// jacobi_template.h: two-sided Jacobi on several Hermitian matrices at a time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The small method of Huang, Liu, Zhao (2023) with one page per lane. Only the lower triangle is
// stored and worked on: element (i, j), i >= j, stands at a[i + j*n].

// The rotation [c, sigma; -conj (sigma), c] that makes element (p, q) zero, t of smallest angle:
// t = sgn (delta) 2|a_pq| / (|delta| + sqrt (delta^2 + 4|a_pq|^2)), delta = a_qq - a_pp.
// h = 1 - c is kept, not c: for a small angle c rounds to 1, and thousands of rotations that are
// too long by the same half ulp would cost orthogonality (Rutishauser 1966).
typedef struct {
  N (vec) h;
  N (num) sigma;
} N (rotation);

// x - h x
static inline N (num) N (shrink) (N (vec) h, N (num) x)
{
  x.re -= h * x.re;
#if GLA_COMPLEX
  x.im -= h * x.im;
#endif
  return x;
}

// columns (u, w) -> (c u - conj (sigma) w, sigma u + c w)
static inline void N (rotate) (N (rotation) r, N (num) * u, N (num) * w)
{
  N (num) x = *u, y = *w;
  *u = N (fnmac) (N (shrink) (r.h, x), r.sigma, y);
  *w = N (fma) (N (shrink) (r.h, y), r.sigma, x);
}

// Rotates rows and columns p < q of a, except for the four elements where they meet.
static inline void N (jacobi_update) (int n, N (num) * a, int p, int q, N (rotation) r)
{
  N (rotation) rc = {r.h, N (conj) (r.sigma)};
  for (int k = 0; k < p; k++)
    N (rotate) (rc, &a[p + k * n], &a[q + k * n]);
  for (int k = p + 1; k < q; k++) {
    N (num) w = N (conj) (a[q + k * n]);
    N (rotate) (r, &a[k + p * n], &w);
    a[q + k * n] = N (conj) (w);
  }
  for (int k = q + 1; k < n; k++)
    N (rotate) (r, &a[k + p * n], &a[k + q * n]);
}

// |a_pq| is too small to matter: against the norm of the matrix or against its diagonal.
static inline N (mask)
    N (negligible) (N (vec) a2, N (vec) app, N (vec) aqq, N (vec) floor2, N (vec) tol2)
{
  return (a2 <= floor2) | (a2 <= tol2 * N (vabs) (app * aqq));
}

// Makes (p, q) zero in the lanes where it is not negligible; returns these lanes.
static inline N (mask)
    N (jacobi_pair) (int n, N (num) * a, N (num) * v, int p, int q, N (vec) floor2, N (vec) tol2)
{
  N (num) apq = N (conj) (a[q + p * n]);
  N (vec) app = a[p + p * n].re, aqq = a[q + q * n].re, a2 = N (abs2) (apq);
  N (mask) turn = ~N (negligible) (a2, app, aqq, floor2, tol2);
  if (!N (any) (turn))
    return turn;

  const N (vec) one = N (all) (1), zero = N (all) (0);
  N (vec) delta = aqq - app;
  N (vec) den = N (vabs) (delta) + N (vsqrt) (delta * delta + 4 * a2);
  N (vec) g = N (select) (delta >= zero, 2 * one, -2 * one) / N (select) (turn, den, one);
  g = N (select) (turn, g, zero);
  N (rotation) r;
  N (vec) t2 = a2 * g * g, c = one / N (vsqrt) (one + t2);
  r.h = t2 * c * c / (one + c);
  r.sigma = N (scale) (c * g, apq);

  N (jacobi_update) (n, a, p, q, r);
  a[p + p * n].re = app - a2 * g;
  a[q + q * n].re = aqq + a2 * g;
  a[q + p * n] = N (num_select) (turn, N (zero) (), a[q + p * n]);
  if (v)
    for (int k = 0; k < n; k++)
      N (rotate) (r, &v[k + p * n], &v[k + q * n]);
  return turn;
}

// Sweeps until no lane turns anything, at most `sweeps` times. A lane that has converged stays as
// it is: nothing in it is turned any more. Returns the lanes that still turned in the last sweep.
static N (mask)
    N (jacobi_sweeps) (int n, N (num) * a, N (num) * v, N (vec) floor2, N (vec) tol2, int sweeps)
{
  int m = n + n % 2;
  N (mask) turned = {0};
  for (int sweep = 0; sweep < sweeps; sweep++) {
    turned ^= turned;
    for (int r = 0; r < m - 1; r++)
      for (int k = 0; k < m / 2; k++) {
        int p, q;
        gla_round_robin (m, r, k, &p, &q);
        if (q < n)
          turned |= N (jacobi_pair) (n, a, v, p, q, floor2, tol2);
      }
    if (!N (any) (turned))
      break;
  }
  return turned;
}

static void N (set_identity) (int n, N (num) * v)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      v[i + j * n] = N (from_real) (N (all) (i == j));
}

// Square of tol*normF/n of each lane.
static N (vec) N (jacobi_floor2) (int n, const N (num) * a, GLA_REAL tol)
{
  N (vec) sum = N (all) (0);
  for (int j = 0; j < n; j++) {
    N (vec) below = N (all) (0);
    for (int i = j + 1; i < n; i++)
      below += N (abs2) (a[i + j * n]);
    sum += a[j + j * n].re * a[j + j * n].re + 2 * below;
  }
  GLA_REAL f = tol / n;
  return sum * (f * f);
}

// Diagonalises a; v (or NULL) receives the eigenvectors. unconverged[l] counts the columns of
// lane l that still have an element off the diagonal which is too large.
static void N (jacobi) (int n, N (num) * a, N (num) * v, GLA_REAL tol, int sweeps, int *unconverged)
{
  N (vec) floor2 = N (jacobi_floor2) (n, a, tol), tol2 = N (all) (tol * tol);
  for (int l = 0; l < GLA_LANES; l++)
    unconverged[l] = 0;
  if (v)
    N (set_identity) (n, v);
  N (mask) turned = N (jacobi_sweeps) (n, a, v, floor2, tol2, sweeps);
  if (!N (any) (turned))
    return;
  for (int j = 0; j < n; j++) {
    N (mask) large = {0};
    for (int i = 0; i < n; i++)
      if (i != j) {
        N (num) aij = i > j ? a[i + j * n] : a[j + i * n];
        large |= ~N (negligible) (N (abs2) (aij), a[i + i * n].re, a[j + j * n].re, floor2, tol2);
      }
    for (int l = 0; l < GLA_LANES; l++)
      unconverged[l] += large[l] != 0;
  }
}
