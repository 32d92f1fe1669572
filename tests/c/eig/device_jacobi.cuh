// device_jacobi.cuh: batcheig by "jacobi" on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef DEVICE_JACOBI_CUH
#define DEVICE_JACOBI_CUH

#include "device/device_pages.cuh"

#include <algorithm>

template <class T> struct jacobi_arrays {
  typedef decltype (std::abs (T ())) R;
  device_pages<T> A, V;
  device_pages<R> lambda;
  std::vector<int32_t> info;
  const int64_t n, pages;

  jacobi_arrays (int64_t n, int64_t pages)
      : A (n, n, pages, 3), V (n, n, pages, 2), lambda (n, 1, pages, 1), info (pages, -7), n (n),
        pages (pages)
  {
    A.fill ();
    for (int64_t p = 0; p < pages; p++)
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j; i++) {
          const T x = A.at (i, j, p);
          A.at (i, j, p) = i == j ? T (std::real (x)) : x;
          A.at (j, i, p) = T (conjugate_of (A.at (i, j, p)));
        }
  }
  static T conjugate_of (T x) { return number_like (T (), std::real (x), -std::imag (x)); }
  std::string name (const char *kind) const
  {
    return "jacobi, " + std::string (kind) + ", " + std::to_string (n) + " " +
           std::string (1, (char)A.array.type);
  }

  void run (const std::string &name, bool vectors = true)
  {
    cudaMemcpy (A.array.data, A.host.data (), A.bytes (), cudaMemcpyHostToDevice);
    gla_context *ctx = context (GLA_PLACE_GPU);
    gla_eig_options o = {sizeof o, GLA_EIG_METHOD_JACOBI};
    gla_eig_results r = {sizeof r};
    r.lambda = lambda.array;
    if (vectors)
      r.V = V.array;
    r.info = info.data ();
    check (gla_batcheig (ctx, &A.array, &r, &o, nullptr) == GLA_OK && warnings == 0,
           name + ": " + gla_message (ctx) + " " + last_warning);
    gla_context_destroy (ctx);
    check (lambda.fetch () && V.fetch () && V.spoiled () == 0 && lambda.spoiled () == 0,
           name + ": gaps were written");
  }

  // A page: residual and orthogonality over n eps, and the order of the values.
  void check_page (int64_t p, const std::string &name)
  {
    const double eps = gla_type_eps (A.array.type);
    double norm = 0, residual = 0;
    bool ascends = true;
    for (int64_t j = 0; j < n; j++) {
      ascends &= j == 0 || lambda.at (j - 1, 0, p) <= lambda.at (j, 0, p);
      for (int64_t i = 0; i < n; i++)
        norm = std::max (norm, (double)std::abs (A.at (i, j, p)));
    }
    norm = norm > 0 ? norm : 1;
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        z sum = -z (V.at (i, j, p)) * ((double)lambda.at (j, 0, p) / norm);
        for (int64_t k = 0; k < n; k++)
          sum += z (A.at (i, k, p)) / norm * z (V.at (k, j, p));
        residual = std::abs (sum) <= residual ? residual
                   : std::isnan (sum.real ()) ? INFINITY
                                              : std::abs (sum);
      }
    residual /= n * eps;
    const double off =
        largest_off (V, V, p, n * eps, [] (int64_t i, int64_t j) { return T (i == j); });
    check (info[p] == 0 && ascends && residual <= 10 && off <= 10,
           name + " page " + std::to_string (p) + ": info " + std::to_string (info[p]) +
               ", residual " + std::to_string (residual) + ", orthogonality " +
               std::to_string (off) + (ascends ? "" : ", order"));
  }
};

template <class T> static void test_jacobi_random (int64_t n)
{
  jacobi_arrays<T> g (n, 5);
  const std::string name = g.name ("random");
  g.run (name);
  for (int64_t p = 0; p < g.pages; p++)
    g.check_page (p, name);
  const auto lambda = g.lambda.host;
  g.run (name + ", values", false);
  check (memcmp (lambda.data (), g.lambda.host.data (), g.lambda.bytes ()) == 0,
         name + ": other values without vectors");
}

// A zero page, the identity, a diagonal with signs, ones (rank 1), a negative definite page, large
// and small numbers, NaN, and a definite page.
template <class T> static void test_jacobi_kinds (int64_t n)
{
  typedef typename jacobi_arrays<T>::R R;
  jacobi_arrays<T> g (n, 9);
  const R far = sizeof (R) == 8 ? (R)1e300 : (R)1e35;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      g.A.at (i, j, 0) = 0;
      g.A.at (i, j, 1) = T (i == j);
      g.A.at (i, j, 2) = T (i == j ? (R)(i % 3) - (R)i / 7 : 0);
      g.A.at (i, j, 3) = 1;
      g.A.at (i, j, 4) -= T (i == j ? 2 * n : 0);
      g.A.at (i, j, 5) *= far;
      g.A.at (i, j, 6) /= far;
      g.A.at (i, j, 8) += T (i == j ? 2 * n : 0);
    }
  g.A.at (n / 2, n / 2, 7) = NAN;
  const std::string name = g.name ("kinds");
  g.run (name);
  for (int64_t p = 0; p < g.pages; p++)
    if (p != 7)
      g.check_page (p, name);
  check (g.info[7] != 0 && std::isnan (g.lambda.at (0, 0, 7)) &&
             std::isnan (std::real (g.V.at (n - 1, n - 1, 7))),
         name + ": the page with NaN");
  std::vector<R> diagonal (n);
  bool exact = true;
  for (int64_t i = 0; i < n; i++)
    diagonal[i] = std::real (g.A.at (i, i, 2));
  std::sort (diagonal.begin (), diagonal.end ());
  for (int64_t i = 0; i < n; i++)
    exact &= diagonal[i] == g.lambda.at (i, 0, 2) && g.lambda.at (i, 0, 1) == 1 &&
             g.lambda.at (i, 0, 0) == 0 && g.V.at (i, i, 1) == T (1);
  check (exact || n > 64, name + ": diagonal pages are not exact");
}

// Eigenvalues of a definite page by one-sided Jacobi on its Cholesky factor, with more digits.
static std::vector<double> definite_values (const std::vector<std::complex<long double>> &page,
                                            int64_t n)
{
  typedef std::complex<long double> w;
  std::vector<w> L (n * n), A = page;
  for (int64_t k = 0; k < n; k++) {
    const long double pivot = std::sqrt (A[k * n + k].real ());
    for (int64_t i = k; i < n; i++)
      L[k * n + i] = A[k * n + i] / pivot;
    for (int64_t j = k; j < n; j++)
      for (int64_t i = k; i < n; i++)
        A[j * n + i] -= L[k * n + i] * std::conj (L[k * n + j]);
  }
  bool rotated = true;
  for (int sweep = 0; sweep < 40 && rotated; sweep++) {
    rotated = false;
    for (int64_t p = 0; p < n; p++)
      for (int64_t q = p + 1; q < n; q++) {
        long double a = 0, b = 0;
        w dot = 0;
        for (int64_t i = 0; i < n; i++) {
          a += std::norm (L[p * n + i]);
          b += std::norm (L[q * n + i]);
          dot += std::conj (L[p * n + i]) * L[q * n + i];
        }
        const long double size = std::abs (dot);
        if (size <= 1e-18L * std::sqrt (a * b))
          continue;
        rotated = true;
        const long double tau = (b - a) / (2 * size);
        const long double t = (tau < 0 ? -1 : 1) / (std::abs (tau) + std::sqrt (1 + tau * tau));
        const long double c = 1 / std::sqrt (1 + t * t);
        const w s = t * c * dot / size;
        for (int64_t i = 0; i < n; i++) {
          const w x = L[p * n + i], y = L[q * n + i];
          L[p * n + i] = c * x - std::conj (s) * y;
          L[q * n + i] = s * x + c * y;
        }
      }
  }
  std::vector<double> values (n);
  for (int64_t j = 0; j < n; j++) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
      sum += std::norm (L[j * n + i]);
    values[j] = (double)sum;
  }
  std::sort (values.begin (), values.end ());
  return values;
}

// D C D with a C that is well-conditioned and a D over many decades, in some order: every
// eigenvalue has its digits.
template <class T> static void test_jacobi_graded (int64_t n)
{
  typedef typename jacobi_arrays<T>::R R;
  jacobi_arrays<T> g (n, 3);
  const double decades = sizeof (R) == 8 ? 25 : 10, eps = gla_type_eps (g.A.array.type);
  for (int64_t p = 0; p < 3; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i <= j; i++) {
        auto d = [&] (int64_t k) {
          const int64_t at = p == 0 ? k : p == 1 ? n - 1 - k : k * 7 % n;
          return std::exp2 (std::round (-decades / 0.30103 * (double)at / (double)n / 2));
        };
        T x = i == j ? T (1) : g.A.at (i, j, p) * (R)(0.4 / n);
        g.A.at (i, j, p) = x * (R)(d (i) * d (j));
        g.A.at (j, i, p) = jacobi_arrays<T>::conjugate_of (g.A.at (i, j, p));
      }
  const std::string name = g.name ("graded");
  g.run (name);
  for (int64_t p = 0; p < 3; p++) {
    g.check_page (p, name);
    std::vector<std::complex<long double>> page (n * n);
    for (int64_t k = 0; k < n * n; k++)
      page[k] = z (g.A.at (k % n, k / n, p));
    const std::vector<double> right = definite_values (page, n);
    double worst = 0;
    for (int64_t j = 0; j < n; j++) {
      const double off = std::abs (g.lambda.at (j, 0, p) - right[j]) / right[j];
      worst = off <= worst ? worst : std::isnan (off) ? INFINITY : off;
    }
    check (worst <= 20 * n * eps, name + " page " + std::to_string (p) +
                                      ": relative errors of values up to " +
                                      std::to_string (worst / eps) + " eps");
  }
}

// Page k of many alone: the same bits.
template <class T> static void test_jacobi_bits (int64_t n)
{
  jacobi_arrays<T> all (n, 11), one (n, 1);
  const int64_t page = 6;
  const std::string name = all.name ("bits");
  std::copy_n (&all.A.at (0, 0, page), one.A.page, one.A.host.begin ());
  all.run (name);
  one.run (name);
  bool same = true;
  for (int64_t j = 0; j < n; j++) {
    same &= all.lambda.at (j, 0, page) == one.lambda.at (j, 0, 0);
    for (int64_t i = 0; i < n; i++)
      same &= all.V.at (i, j, page) == one.V.at (i, j, 0);
  }
  check (same, name + ": other bits alone");
}

template <class T> static void test_jacobi_type ()
{
  for (int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 47, 63, 64, 65, 130})
    test_jacobi_random<T> (n);
  for (int64_t n : {1, 2, 5, 8, 13, 32, 33, 64, 65}) {
    test_jacobi_kinds<T> (n);
    test_jacobi_bits<T> (n);
  }
  for (int64_t n : {2, 4, 7, 16, 21, 40})
    test_jacobi_graded<T> (n);
}

static void test_jacobi_short ()
{
  for (int64_t n : {3, 16, 29, 64}) {
    test_jacobi_random<double> (n);
    test_jacobi_kinds<z> (n);
  }
}

static void test_jacobi ()
{
  test_jacobi_type<float> ();
  test_jacobi_type<double> ();
  test_jacobi_type<std::complex<float>> ();
  test_jacobi_type<z> ();
}

#endif
