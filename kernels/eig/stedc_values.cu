// stedc_values.cu: eigenvalues alone of tridiagonal matrices of up to 64 rows, one page per lane
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The QL iteration without square roots of Pal, Walker and Kahan, as LAPACK's ?sterf has it. It
// takes a tenth of the operations of divide and conquer, which is for eigenvectors. The operations
// of a page depend on each other, so a warp works on 32 pages, one per lane.

#include "stedc.cuh"

namespace
{

enum { LANES = 32 };

// A lane's matrix: row i of d and of the squares of e at i * LANES. The bits of `split` are the
// rows below which the matrix falls apart, as the last one does.
template <class R> struct lane_matrix {
  R *d, *e2;
  R tol2; // what e2 may be neglected
  uint64_t split;

  GLA_DEVICE void look (int i, R square)
  {
    e2[i * LANES] = square;
    split |= (uint64_t)(square <= tol2) << i;
  }
};

// Wilkinson's shift for rows l and l+1.
template <class R> GLA_DEVICE R shift_of (const lane_matrix<R> &t, int l)
{
  R root = sqrt_of (t.e2[l * LANES]), p = t.d[l * LANES];
  R sigma = (t.d[(l + 1) * LANES] - p) / (2 * root);
  return p - root / (sigma + copy_sign (sqrt_of (sigma * sigma + 1), sigma));
}

// One sweep over rows l..m, which are not split. The chain from one p to the next takes the time:
// both reciprocals are computed at the same time, and gamma is one product after them. If p is
// nearly zero, another formula gives the next one.
template <class R> GLA_DEVICE void sweep (lane_matrix<R> &t, int l, int m)
{
  R sigma = shift_of (t, l), c = 1, s = 0, gamma = t.d[m * LANES] - sigma, p = gamma * gamma;
  R square = t.e2[(m - 1) * LANES], alpha = t.d[(m - 1) * LANES];
  for (int i = m - 1; i >= l; i--) {
    int next = i > 0 ? i - 1 : 0; // fetched ahead
    R next_square = t.e2[next * LANES], next_alpha = t.d[next * LANES];
    R r = p + square, inverse = quick_reciprocal (r), over_p = quick_reciprocal (p), before = c,
      old = gamma;
    if (i < m - 1)
      t.look (i + 1, s * r);
    R numerator = madd (p, alpha - sigma, -square * old);
    c = p * inverse;
    s = square * inverse;
    gamma = numerator * inverse;
    t.d[(i + 1) * LANES] = old + (alpha - gamma);
    p = p > 64 * limits<R>::tiny ? (numerator * over_p) * gamma : before * square;
    square = next_square;
    alpha = next_alpha;
  }
  t.look (l, s * p);
  t.d[l * LANES] = sigma + gamma;
}

// A warp has 32 pages, a page to a lane. All lanes sweep at the same time, each over the first rows
// of its page that are not settled.
template <class R> __global__ void __launch_bounds__ (LANES) values_kernel (stedc_level<R> s)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  int n = s.tree.n;
  int64_t page = (int64_t)blockIdx.x * LANES + threadIdx.x;
  bool inside = page < s.pages;
  page = inside ? page : s.pages - 1; // lanes beyond the end repeat the last page
  R *d = s.d + page * n;
  const R *e = s.e + page * n;
  lane_matrix<R> t;
  t.d = reinterpret_cast<R *> (memory) + threadIdx.x;
  t.e2 = t.d + n * LANES;
  R largest = 0;
#pragma unroll 4
  for (int i = 0; i < n; i++) {
    R diagonal = d[i], beside = i < n - 1 ? e[i] : R (0);
    R size = absmax (diagonal) > absmax (beside) ? absmax (diagonal) : absmax (beside);
    largest = largest > size ? largest : size;
    t.d[i * LANES] = diagonal;
    t.e2[i * LANES] = beside;
  }
  R tol = s.tol * largest / 2;
  t.tol2 = tol * tol;
  t.split = ~(uint64_t)0 << (n - 1);
  for (int i = 0; i < n - 1; i++)
    t.look (i, t.e2[i * LANES] * t.e2[i * LANES]);

  int l = 0;
  for (int64_t k = 0; k < (int64_t)s.maxit * n; k++) {
    uint64_t rest = l < n ? ~t.split >> l : 0; // bits of rows that are not settled
    l = rest == 0 ? n : l + __ffsll (rest) - 1;
    if (!__any_sync (0xffffffffu, l < n))
      break;
    if (l < n)
      sweep (t, l, l + __ffsll (t.split >> l) - 1);
    __syncwarp ();
  }
  if (l < n && inside && s.info[page] == 0)
    s.info[page] = l + 1;
  for (int i = 0; i < n && inside; i++)
    d[i] = t.d[i * LANES];
}

} // namespace

template <class R> cudaError_t stedc_values (const stedc_level<R> &s, cudaStream_t stream)
{
  size_t bytes = 2 * LANES * s.tree.n * sizeof (R);
  cudaError_t status = allow_shared (values_kernel<R>, bytes);
  if (status != cudaSuccess)
    return status;
  int64_t blocks = (s.pages + LANES - 1) / LANES;
  values_kernel<<<(unsigned)blocks, LANES, bytes, stream>>> (s);
  return cudaGetLastError ();
}

template cudaError_t stedc_values (const stedc_level<float> &, cudaStream_t);
template cudaError_t stedc_values (const stedc_level<double> &, cudaStream_t);
