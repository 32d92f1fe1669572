// svd_check.cuh: whether the singular value decompositions of a batch on a GPU are right
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_CHECK_CUH
#define GPULINALG_SVD_CHECK_CUH

#include "svd_peers.cuh"

#include <cmath>
#include <complex>
#include <limits>

template <class T> struct on_host {
  typedef typename scalar<T>::real R;
  static constexpr int C = scalar<T>::complex ? 2 : 1;
  std::vector<R> x;
  int rows;
  on_host (const T *from, int rows, int columns, int64_t page)
      : x ((size_t)C * rows * columns), rows (rows)
  {
    must (cudaMemcpy (x.data (), from + (int64_t)rows * columns * page, x.size () * sizeof (R),
                      cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  }
  double re (int i, int j) const { return x[(size_t)C * (i + (size_t)j * rows)]; }
  double im (int i, int j) const { return C == 2 ? x[(size_t)C * (i + (size_t)j * rows) + 1] : 0; }
};

// |Q'*Q - I|, the largest element.
template <class T> static double not_orthonormal (const on_host<T> &q, int columns)
{
  double worst = 0;
  for (int j = 0; j < columns; j++)
    for (int k = 0; k <= j; k++) {
      double re = j == k ? -1 : 0, im = 0;
      for (int i = 0; i < q.rows; i++) {
        re += q.re (i, k) * q.re (i, j) + q.im (i, k) * q.im (i, j);
        im += q.re (i, k) * q.im (i, j) - q.im (i, k) * q.re (i, j);
      }
      const double here = std::hypot (re, im);
      worst = here <= worst ? worst : here;
    }
  return worst;
}

// The same of large pages, by random vectors: |Q'*Q*x - x| over |x|.
typedef std::vector<std::complex<double>> vector;
static double norm_of (const vector &x)
{
  double sum = 0;
  for (const auto &e : x)
    sum += std::norm (e);
  return std::sqrt (sum);
}
static vector random_vector (int rows)
{
  vector x (rows);
  for (auto &e : x)
    e = rand () / (double)RAND_MAX - 0.5;
  return x;
}
template <class T>
static vector product (const on_host<T> &a, int columns, bool adjoint, const vector &x)
{
  vector y (adjoint ? columns : a.rows);
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < a.rows; i++) {
      const std::complex<double> e (a.re (i, j), a.im (i, j));
      if (adjoint)
        y[j] += std::conj (e) * x[i];
      else
        y[i] += e * x[j];
    }
  return y;
}
template <class T> static double off_one (const on_host<T> &q, int columns)
{
  const vector x = random_vector (columns);
  vector y = product (q, columns, true, product (q, columns, false, x));
  for (int j = 0; j < columns; j++)
    y[j] -= x[j];
  return norm_of (y) / norm_of (x);
}
template <class T> static double error_of_large (const svd_batch<T> &b)
{
  typedef typename scalar<T>::real R;
  const on_host<T> A (b.A, b.m, b.n, 0), U (b.U, b.m, b.k, 0), V (b.V, b.n, b.k, 0);
  std::vector<R> s (b.k);
  must (cudaMemcpy (s.data (), b.S, b.k * sizeof (R), cudaMemcpyDeviceToHost), "cudaMemcpy");
  double worst = std::fmax (off_one (U, b.k), off_one (V, b.k));
  const vector x = random_vector (b.n);
  vector y = product (V, b.k, true, x), z = product (A, b.n, false, x);
  for (int j = 0; j < b.k; j++)
    y[j] *= s[j];
  const vector w = product (U, b.k, false, y);
  for (int i = 0; i < b.m; i++)
    z[i] -= w[i];
  const double off = norm_of (z) / norm_of (x) / s[0];
  worst = off <= worst ? worst : off;
  return worst / (std::max (b.m, b.n) * (double)std::numeric_limits<R>::epsilon ());
}

// Of some pages, over the longer side times eps; NaN if a number is.
template <class T> static double error_of (const svd_batch<T> &b)
{
  typedef typename scalar<T>::real R;
  if (b.k > 256)
    return error_of_large (b);
  double worst = 0;
  for (int64_t p = 0; p < b.pages; p += (b.pages + 4) / 5) {
    const on_host<T> A (b.A, b.m, b.n, p), U (b.U, b.m, b.k, p), V (b.V, b.n, b.k, p);
    std::vector<R> s (b.k);
    must (cudaMemcpy (s.data (), b.S + b.k * p, b.k * sizeof (R), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    double here = std::fmax (not_orthonormal (U, b.k), not_orthonormal (V, b.k));
    for (int i = 0; i < b.m; i++)
      for (int j = 0; j < b.n; j++) {
        double re = A.re (i, j), im = A.im (i, j);
        for (int l = 0; l < b.k; l++) {
          re -= s[l] * (U.re (i, l) * V.re (j, l) + U.im (i, l) * V.im (j, l));
          im -= s[l] * (U.im (i, l) * V.re (j, l) - U.re (i, l) * V.im (j, l));
        }
        const double off = std::hypot (re, im) / s[0];
        here = off <= here ? here : off;
      }
    worst = here <= worst ? worst : here;
  }
  return worst / (std::max (b.m, b.n) * (double)std::numeric_limits<R>::epsilon ());
}

#endif
