// pages_check.cuh: errors of products, systems and inverses, for some pages on the host
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PAGES_CHECK_CUH
#define PAGES_CHECK_CUH

#include "common/device_bench.cuh"

#include <cmath>
#include <complex>
#include <vector>

typedef std::complex<double> number;

// A page of a packed array on the GPU, as double complex.
template <class T> std::vector<number> fetch (const T *a, int64_t count, int64_t page)
{
  std::vector<T> raw (count);
  must (cudaMemcpy (raw.data (), a + page * count, count * sizeof (T), cudaMemcpyDeviceToHost),
        "copy");
  std::vector<number> out (count);
  for (int64_t e = 0; e < count; e++) {
    const typename scalar<T>::real *x = reinterpret_cast<typename scalar<T>::real *> (&raw[e]);
    out[e] = number (x[0], scalar<T>::complex ? x[1] : 0);
  }
  return out;
}

inline std::vector<number> turned (const std::vector<number> &a, char op, int64_t rows,
                                   int64_t columns)
{
  if (op == 'N')
    return a;
  std::vector<number> out (a.size ()); // a: columns x rows
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = 0; i < rows; i++)
      out[i + j * rows] = op == 'C' ? std::conj (a[j + i * columns]) : a[j + i * columns];
  return out;
}

inline double larger (double worst, double x)
{
  return x <= worst ? worst : std::isnan (x) ? INFINITY : x;
}

// Largest |C - A*B| of an element over k*eps*|A|*|B|.
inline double product_error (const std::vector<number> &A, const std::vector<number> &B,
                             const std::vector<number> &C, int64_t m, int64_t k, int64_t n,
                             double eps)
{
  double worst = 0;
  std::vector<number> column (m);
  std::vector<double> size (m);
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < m; i++) {
      column[i] = -C[i + j * m];
      size[i] = 0;
    }
    for (int64_t l = 0; l < k; l++)
      for (int64_t i = 0; i < m; i++) {
        const number a = A[i + l * m], b = B[l + j * k];
        column[i] += number (a.real () * b.real () - a.imag () * b.imag (),
                             a.real () * b.imag () + a.imag () * b.real ());
        size[i] += std::sqrt (std::norm (a) * std::norm (b));
      }
    for (int64_t i = 0; i < m; i++)
      worst = larger (worst, std::abs (column[i]) / ((k + 2) * eps * size[i]));
  }
  return worst;
}

// Largest |B - A*x| of a column over n*eps*|A|*|x|, in the Inf-norm.
inline double system_error (const std::vector<number> &A, const std::vector<number> &B,
                            const std::vector<number> &X, int64_t n, int64_t rhs, double eps)
{
  double norm = 0, worst = 0;
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
      sum += std::abs (A[i + j * n]);
    norm = std::fmax (norm, sum);
  }
  std::vector<number> r (n);
  for (int64_t c = 0; c < rhs; c++) {
    double off = 0, size = 0;
    for (int64_t i = 0; i < n; i++)
      r[i] = B[i + c * n];
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        const number a = A[i + j * n], x = X[j + c * n];
        r[i] -= number (a.real () * x.real () - a.imag () * x.imag (),
                        a.real () * x.imag () + a.imag () * x.real ());
      }
    for (int64_t i = 0; i < n; i++) {
      off = larger (off, std::abs (r[i]));
      size = larger (size, std::abs (X[i + c * n]));
    }
    worst = larger (worst, off / (n * eps * norm * size));
  }
  return worst;
}

// The smaller of |I - A*X| and |I - X*A|, columns as above.
inline double inverse_error (const std::vector<number> &A, const std::vector<number> &X, int64_t n,
                             double eps)
{
  std::vector<number> unit (n * n);
  for (int64_t i = 0; i < n; i++)
    unit[i + i * n] = 1;
  return std::fmin (system_error (A, unit, X, n, n, eps),
                    system_error (turned (A, 'T', n, n), unit, turned (X, 'T', n, n), n, n, eps));
}

#endif
