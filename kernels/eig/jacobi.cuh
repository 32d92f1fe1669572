// jacobi.cuh: two-sided Jacobi on one Hermitian matrix in shared memory, by one block
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Round-robin pairs (Brent, Luk 1985), all pairs of a round at once (Huang, Liu, Zhao 2023). The
// matrix is kept whole; a rotated entry becomes an exact zero.

#ifndef GPULINALG_JACOBI_CUH
#define GPULINALG_JACOBI_CUH

#include "common/svd_lanes.cuh"
#include "eig/jacobi.h"
#include "eig_kernels.cuh"

// A rotation of columns p and q: (x_p, x_q) <- (c x_p - conj(s) x_q, s x_p + c x_q). It keeps
// h = 1 - c, not c: for a small angle c rounds to 1, and thousands of rotations that are too
// long by the same half ulp would cost orthogonality (Rutishauser 1966).
template <class T> struct rotation {
  real_t<T> h;
  T s;
  int p, q; // q == n: p has no partner in this round
  GLA_DEVICE bool idle () const { return re (s) == 0 && im (s) == 0; }
};

template <class T> struct jacobi_shared {
  T *A, *V; // n x n with leading dimension ld
  int n, ld;
  rotation<T> *pairs;   // (n+1)/2
  real_t<T> *diagonal;  // the new diagonal entries of the pairs
  real_t<T> tol, floor; // an entry counts as zero when <= floor or <= tol*sqrt|a_pp a_qq|
};

// Bytes for pairs and diagonal.
template <class T> __host__ __device__ size_t jacobi_extra (int n)
{
  return (size_t)(n + 1) / 2 * (sizeof (rotation<T>) + 2 * sizeof (real_t<T>));
}

template <class T> GLA_DEVICE bool jacobi_small (const jacobi_shared<T> &m, T apq, int p, int q)
{
  typedef real_t<T> R;
  R size = sqrt_of (abs2 (apq));
  R app = absmax (re (m.A[p * m.ld + p])), aqq = absmax (re (m.A[q * m.ld + q]));
  return size <= m.floor || size <= m.tol * sqrt_of (app) * sqrt_of (aqq);
}

// The rotation that makes a_pq zero, by the smaller angle.
template <class T> GLA_DEVICE bool jacobi_angle (const jacobi_shared<T> &m, int k)
{
  typedef real_t<T> R;
  rotation<T> &g = m.pairs[k];
  g.h = 0;
  g.s = from_real<T> (0);
  if (g.q >= m.n)
    return false;
  T apq = m.A[g.q * m.ld + g.p];
  if (jacobi_small (m, apq, g.p, g.q))
    return false;
  R size = sqrt_of (abs2 (apq));
  R app = re (m.A[g.p * m.ld + g.p]), aqq = re (m.A[g.q * m.ld + g.q]);
  R tau = (aqq - app) / (2 * size);
  R t = 1 / (absmax (tau) + sqrt_of (1 + tau * tau));
  t = tau < 0 ? -t : t;
  R c = rsqrt_of (1 + t * t);
  g.h = (t * c) * (t * c) / (1 + c);
  g.s = scale (t * c / size, apq);
  m.diagonal[2 * k] = app - t * size;
  m.diagonal[2 * k + 1] = aqq + t * size;
  return true;
}

// (x, y) <- (x, y) J
template <class T> GLA_DEVICE void rotate_columns (const rotation<T> &g, T &x, T &y)
{
  T old = x;
  x = old - madd (conj (g.s), y, scale (g.h, old));
  y = y + madd (g.s, old, scale (-g.h, y));
}

// (x; y) <- J' (x; y)
template <class T> GLA_DEVICE void rotate_rows (const rotation<T> &g, T &x, T &y)
{
  T old = x;
  x = old - madd (g.s, y, scale (g.h, old));
  y = y + madd (conj (g.s), old, scale (-g.h, y));
}

// The 2 x 2 block of rows of pair k and columns of pair l, and its mirror image.
template <class T> GLA_DEVICE void jacobi_block (const jacobi_shared<T> &m, int k, int l)
{
  rotation<T> r = m.pairs[k], c = m.pairs[l];
  bool row2 = r.q < m.n, column2 = c.q < m.n;
  if (r.idle () && c.idle ())
    return;
  if (k == l) {
    m.A[r.p * m.ld + r.p] = from_real<T> (m.diagonal[2 * k]);
    m.A[r.q * m.ld + r.q] = from_real<T> (m.diagonal[2 * k + 1]);
    m.A[r.q * m.ld + r.p] = m.A[r.p * m.ld + r.q] = from_real<T> (0);
    return;
  }
  T zero = from_real<T> (0);
  T pp = m.A[c.p * m.ld + r.p], qp = row2 ? m.A[c.p * m.ld + r.q] : zero;
  T pq = column2 ? m.A[c.q * m.ld + r.p] : zero;
  T qq = row2 && column2 ? m.A[c.q * m.ld + r.q] : zero;
  rotate_columns (c, pp, pq);
  rotate_columns (c, qp, qq);
  rotate_rows (r, pp, qp);
  rotate_rows (r, pq, qq);
  m.A[c.p * m.ld + r.p] = pp;
  m.A[r.p * m.ld + c.p] = conj (pp);
  if (row2) {
    m.A[c.p * m.ld + r.q] = qp;
    m.A[r.q * m.ld + c.p] = conj (qp);
  }
  if (column2) {
    m.A[c.q * m.ld + r.p] = pq;
    m.A[r.p * m.ld + c.q] = conj (pq);
  }
  if (row2 && column2) {
    m.A[c.q * m.ld + r.q] = qq;
    m.A[r.q * m.ld + c.q] = conj (qq);
  }
}

// At most `sweeps` sweeps; returns (to all threads) whether the last one rotated nothing. In a
// round, thread k finds the angle of pair k; then threads share out the 2 x 2 blocks of the upper
// block triangle, and the pairs of columns of V, row by row.
template <class T> GLA_DEVICE bool jacobi_sweeps (const jacobi_shared<T> &m, int sweeps)
{
  int players = m.n + m.n % 2, half = players / 2;
  if (m.n < 2)
    return true;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    bool any = false;
    for (int round = 0; round < players - 1; round++) {
      bool here = false;
      for (int k = threadIdx.x; k < half; k += blockDim.x) {
        gla_round_robin (players, round, k, &m.pairs[k].p, &m.pairs[k].q);
        here |= jacobi_angle (m, k);
      }
      if (!__syncthreads_or (here))
        continue;
      any = true;
      for (int w = threadIdx.x; w < half * half; w += blockDim.x)
        if (w % half <= w / half)
          jacobi_block (m, w % half, w / half);
      for (int w = threadIdx.x; w < half * m.n; w += blockDim.x) {
        const rotation<T> &g = m.pairs[w / m.n];
        int i = w % m.n;
        if (!g.idle ())
          rotate_columns (g, m.V[g.p * m.ld + i], m.V[g.q * m.ld + i]);
      }
      __syncthreads ();
    }
    if (!any)
      return true;
  }
  return false;
}

//------------------------------------------------------------------------------
// what follows the sweeps of one-sided Jacobi on a Cholesky factor in registers
//------------------------------------------------------------------------------

// The sweeps are those of batchsvd without its right vectors.

template <class T, int P, int ROWS, int S> struct jacobi_page : svd_page<T, P, ROWS, S, false> {
  typedef svd_page<T, P, ROWS, S, false> page_of;
  typedef real_t<T> R;
  using page_of::a, page_of::parts, page_of::w, page_of::row, page_of::rank, page_of::sigma;
  using page_of::HALF, page_of::H, page_of::base, page_of::half, page_of::column;
  R lambda[2];
  int exponent; // the page was divided by 2^exponent

  GLA_DEVICE jacobi_page (const svd_args<T> &a, svd_parts<T, S> &parts) : page_of (a, parts) {}

  // Eigenvalues and their order from lengths; of a page W that is diagonal (the shift is NaN), its
  // diagonal. The columns of W begin ld numbers apart.
  GLA_DEVICE void order (const T *W, int64_t ld, R shift)
  {
    const bool diagonal = !(shift >= 0);
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const bool is_there = column (c) < a.columns;
      lambda[c] = sigma[c] * sigma[c] - shift;
      if (diagonal) {
        lambda[c] = is_there ? re (W[column (c) * (ld + 1)]) : R (0);
#pragma unroll
        for (int i = 0; i < HALF; i++)
          w[c][i] = from_real<T> (row (i) == column (c));
      }
      rank[c] = is_there ? 0 : column (c);
    }
    for (int j = 0; j < a.columns; j++) {
      const R other = from_lane (j % 2 ? lambda[1] : lambda[0], base + j / 2 * H);
#pragma unroll
      for (int c = 0; c < 2; c++)
        if (column (c) < a.columns)
          rank[c] += other < lambda[c] || (other == lambda[c] && j < column (c));
    }
  }

  GLA_DEVICE void store (const eig_args<T> &e, int64_t page, bool failed, int c) const
  {
    if (column (c) >= a.columns)
      return;
    const R nothing = R (NAN);
    const int place = failed ? column (c) : rank[c];
    if (parts.part == 0 && half == 0)
      e.lambda[page * e.page_lambda + place * e.inc_lambda] =
          failed ? nothing : times_power (lambda[c], exponent);
    if (!e.vectors)
      return;
    T *V = e.V + page * e.page_v + place * e.ldv;
#pragma unroll
    for (int i = 0; i < HALF; i++)
      if (row (i) < a.rows)
        V[row (i)] = failed ? from_real<T> (nothing) : w[c][i];
  }
};

// Sets the arguments of the sweeps that depend on the sizes. The columns V are always as orthogonal
// as rounding errors allow.
template <class T> svd_args<T> jacobi_sweeps_of (const eig_args<T> &e)
{
  svd_args<T> a = {};
  a.rows = a.columns = a.values = a.u_columns = e.n;
  a.pages = e.pages;
  a.tol = limits<real_t<T>>::eps;
  a.maxit = e.maxit;
  return a;
}

#endif
