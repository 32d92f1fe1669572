// jacobi_page.cuh: what follows the sweeps of one-sided Jacobi on a Cholesky factor in registers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sweeps are those of batchsvd without its right vectors.

#ifndef GPULINALG_JACOBI_PAGE_CUH
#define GPULINALG_JACOBI_PAGE_CUH

#include "common/svd_lanes.cuh"
#include "jacobi_lanes.cuh"

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

// What of the sweeps follows from the sizes. V are columns that are as orthogonal as rounding
// errors allow, whatever was asked.
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
