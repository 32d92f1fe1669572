// sparse_basis.cuh: a Krylov basis of the CUDA backend, and checks of it
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SPARSE_BASIS_CUH
#define SPARSE_BASIS_CUH

#include "spmv/sparse_shapes.cuh"
#include "lanczos/job.h"

template <class H> struct basis_test {
  const matrix<H> &A;
  int64_t n, m, b;
  gla_krylov_job job;
  std::vector<H> V; // columns 0 .. m+b-1
  std::vector<double> T;
  std::string what;
  int words;

  z product (int64_t i, int64_t j) const
  {
    z sum = 0;
    for (int64_t k = 0; k < n; k++)
      sum += std::conj (z (V[i * n + k])) * z (V[j * n + k]);
    return sum;
  }
  double loss (int64_t columns) const
  {
    double worst = 0;
    for (int64_t j = 0; j < columns; j++)
      for (int64_t i = 0; i <= j; i++)
        worst = larger (worst, std::abs (product (i, j) - (i == j ? 1. : 0.)));
    return worst;
  }
  // |A*V - V*T| by columns, from `first` on
  double residual (int64_t first) const
  {
    double worst = 0;
    for (int64_t j = first; j < m; j++) {
      std::vector<z> r = A.times (V.data () + j * n, job.conjugate);
      double norm = 0;
      for (int64_t i = 0; i < m + b; i++) {
        const double *t = T.data () + (j * (m + b) + i) * words;
        for (int64_t k = 0; k < n; k++)
          r[k] -= z (t[0], words == 2 ? t[1] : 0) * z (V[i * n + k]);
      }
      for (z e : r)
        norm += std::norm (e);
      worst = larger (worst, std::sqrt (norm));
    }
    return worst;
  }
  void expand (int64_t vanishing)
  {
    int64_t replaced = -1;
    T.assign ((m + b) * m * words, 7);
    check (gpu.krylov->begin (engine, &job) == GLA_OK, what + ": begin");
    check (gpu.krylov->start (engine, 0, 0, 5) == GLA_OK, what + ": start");
    check (gpu.krylov->expand (engine, 0, m, T.data (), m + b, &replaced) == GLA_OK,
           what + ": expand");
    check (gpu.krylov->get (engine, 0, m + b, V.data ()) == GLA_OK, what + ": get");
    check (replaced == vanishing, what + ": replaced " + std::to_string (replaced));
    check (loss (m + b) < 200 * eps<H> (), what + ": orthonormal");
    check (residual (0) < 500 * eps<H> (), what + ": A*V = V*T");
  }
  // From the `kept` columns of `rotate` on.
  void expand_again (int64_t kept)
  {
    int64_t replaced;
    check (gpu.krylov->expand (engine, kept, m, T.data (), m + b, &replaced) == GLA_OK,
           what + ": expand again");
    check (gpu.krylov->get (engine, 0, m + b, V.data ()) == GLA_OK, what + ": get");
    check (loss (m + b) < 200 * eps<H> (), what + ": orthonormal again");
    check (residual (kept) < 500 * eps<H> (), what + ": A*V = V*T again");
  }
  // A reflection as S: real, dense and orthogonal.
  void rotate (int64_t keep)
  {
    std::vector<double> S (m * keep * words), h (m);
    double size = 0;
    for (double &e : h) {
      e = uniform ();
      size += e * e;
    }
    for (int64_t j = 0; j < keep; j++)
      for (int64_t i = 0; i < m; i++)
        S[(j * m + i) * words] = (i == j) - 2 * h[i] * h[j] / size;
    std::vector<H> old = V;
    check (gpu.krylov->rotate (engine, m, S.data (), keep) == GLA_OK, what + ": rotate");
    check (gpu.krylov->get (engine, 0, keep + b, V.data ()) == GLA_OK, what + ": get");
    double worst = 0;
    for (int64_t j = 0; j < keep + b; j++)
      for (int64_t k = 0; k < n; k++) {
        z right = j < keep ? 0 : z (old[(m + j - keep) * n + k]);
        for (int64_t i = 0; i < m && j < keep; i++)
          right += z (old[i * n + k]) * S[(j * m + i) * words];
        worst = larger (worst, std::abs (right - z (V[j * n + k])));
      }
    check (worst < 20 * eps<H> (), what + ": rotated basis");
  }
  void residuals (int64_t count)
  {
    std::vector<double> theta (count, 0.5), found (count);
    double orthogonality = 1, worst = 0;
    check (gpu.krylov->check (engine, count, theta.data (), found.data (), &orthogonality) ==
               GLA_OK,
           what + ": check");
    for (int64_t j = 0; j < count; j++) {
      std::vector<z> r = A.times (V.data () + j * n, job.conjugate);
      double norm = 0;
      for (int64_t k = 0; k < n; k++)
        norm += std::norm (r[k] - 0.5 * z (V[j * n + k]));
      worst = larger (worst, std::fabs (std::sqrt (norm) - found[j]));
    }
    check (worst < 500 * eps<H> () && orthogonality < 100 * eps<H> (), what + ": residuals");
  }
};

#endif
