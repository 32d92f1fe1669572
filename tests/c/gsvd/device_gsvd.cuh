// device_gsvd.cuh: generalized SVD of arrays on the device
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef DEVICE_GSVD_CUH
#define DEVICE_GSVD_CUH

#include "device/device_pages.cuh"

struct gsvd_case {
  int64_t m, n, p, pages;
  bool full; // U m x m and V n x n
};

static double real_of (double x)
{
  return x;
}
static double real_of (float x)
{
  return x;
}

// All arrays of a call, each with a gap between columns.
template <class T> struct gsvd_arrays {
  typedef decltype (std::abs (T ())) R;
  const gsvd_case c;
  device_pages<T> A, B, U, V, X;
  device_pages<R> alpha, beta;
  std::vector<int32_t> info;
  std::vector<gla_gsvd_stats> stats;

  gsvd_arrays (const gsvd_case &c)
      : c (c), A (c.m, c.p, c.pages, 3), B (c.n, c.p, c.pages, 2),
        U (c.m, c.full ? c.m : c.p, c.pages, 5), V (c.n, c.full ? c.n : c.p, c.pages, 1),
        X (c.p, c.p, c.pages, 4), alpha (c.p, 1, c.pages, 2), beta (c.p, 1, c.pages, 3),
        info (c.pages, -7), stats (c.pages)
  {
    A.fill ();
    B.fill ();
  }

  void run (int method, const std::string &name, int block = 0)
  {
    gla_context *ctx = context (GLA_PLACE_GPU);
    gla_gsvd_options o = {sizeof o, (gla_gsvd_method)method, GLA_GSVD_BLOCKING_ORIENTED,
                          GLA_GSVD_ORDERING_ME, block};
    gla_gsvd_results r = {sizeof r, alpha.array, beta.array,   U.array,
                          V.array,  X.array,     info.data (), stats.data ()};
    gla_gsvd_report report = {};
    report.base.size = sizeof report;
    check (gla_gsvd (ctx, &A.array, &B.array, &r, &o, &report) == GLA_OK,
           name + ": " + gla_message (ctx));
    check (report.base.device == 0 && warnings == 0, name + ": not on the GPU, " + last_warning);
    check (A.unchanged () && B.unchanged (), name + ": A or B changed");
    bool kept = true;
    for (device_pages<T> *x : {&U, &V, &X})
      kept &= x->fetch () && x->spoiled () == 0;
    for (device_pages<R> *x : {&alpha, &beta})
      kept &= x->fetch () && x->spoiled () == 0;
    check (kept, name + ": gaps were written");
    gla_context_destroy (ctx);
  }
};

// |A - U C X'|_F / |A|_F
template <class T, class R>
static double gsvd_residual (device_pages<T> &A, device_pages<T> &U, device_pages<R> &values,
                             device_pages<T> &X, int64_t page)
{
  double off = 0, norm = 0;
  for (int64_t j = 0; j < A.columns; j++)
    for (int64_t i = 0; i < A.rows; i++) {
      z left = A.at (i, j, page);
      norm += std::norm (left);
      for (int64_t k = 0; k < A.columns; k++)
        left -= z (U.at (i, k, page)) * real_of (values.at (k, 0, page)) *
                std::conj (z (X.at (j, k, page)));
      off += std::norm (left);
    }
  return std::sqrt (off / norm);
}

// Largest |U' U - I|; infinite for NaN.
template <class T> static double gsvd_orthogonality (device_pages<T> &U, int64_t page)
{
  double worst = 0;
  for (int64_t j = 0; j < U.columns; j++)
    for (int64_t i = 0; i <= j; i++) {
      z sum = i == j ? -1 : 0;
      for (int64_t k = 0; k < U.rows; k++)
        sum += std::conj (z (U.at (k, i, page))) * z (U.at (k, j, page));
      worst = std::abs (sum) <= worst    ? worst
              : std::isnan (sum.real ()) ? INFINITY
                                         : std::abs (sum);
    }
  return worst;
}

// alpha^2 + beta^2 = 1, and quotients that do not decrease.
template <class R>
static bool gsvd_values_right (device_pages<R> &alpha, device_pages<R> &beta, int64_t page,
                               double eps)
{
  double before = 0;
  for (int64_t j = 0; j < alpha.rows; j++) {
    double a = real_of (alpha.at (j, 0, page)), b = real_of (beta.at (j, 0, page));
    if (!(a >= 0 && b > 0 && std::abs (a * a + b * b - 1) <= 4 * eps &&
          a / b >= before * (1 - 8 * eps)))
      return false;
    before = a / b;
  }
  return true;
}

template <class T> static void check_gsvd_page (gsvd_arrays<T> &g, int64_t page, std::string name)
{
  const double eps = gla_type_eps (g.A.array.type);
  const double limit = 10.0 * std::max (std::max (g.c.m, g.c.n), std::max<int64_t> (g.c.p, 2));
  double a = gsvd_residual (g.A, g.U, g.alpha, g.X, page) / eps,
         b = gsvd_residual (g.B, g.V, g.beta, g.X, page) / eps,
         u = gsvd_orthogonality (g.U, page) / eps, v = gsvd_orthogonality (g.V, page) / eps;
  check (g.info[page] == 0 && gsvd_values_right (g.alpha, g.beta, page, eps) && a <= limit &&
             b <= limit && u <= limit && v <= limit,
         name + " page " + std::to_string (page) + ": info " + std::to_string (g.info[page]) +
             ", A " + std::to_string (a) + " B " + std::to_string (b) + " U " + std::to_string (u) +
             " V " + std::to_string (v) + " eps");
}

static std::string gsvd_name (const gsvd_case &c, gla_type type, int method)
{
  return "gsvd on the device, " + std::to_string (c.m) + "," + std::to_string (c.n) + " x " +
         std::to_string (c.p) + " " + (char)type + " method " + std::to_string (method);
}

template <class T> static void test_gsvd_case (const gsvd_case &c, int method)
{
  gsvd_arrays<T> g (c);
  const std::string name = gsvd_name (c, g.A.array.type, method);
  g.run (method, name);
  for (int64_t page = 0; page < c.pages; page++)
    check_gsvd_page (g, page, name);
}

template <class T> static bool is_poison (device_pages<T> &x, int64_t page, bool bits)
{
  for (int64_t j = 0; j < x.columns; j++)
    for (int64_t i = 0; i < x.rows; i++) {
      const unsigned char *byte = (const unsigned char *)&x.at (i, j, page);
      for (size_t k = 0; k < sizeof (T) && bits; k++)
        if (byte[k] != 0xff)
          return false;
      if (!std::isnan (std::real (x.at (i, j, page))))
        return false;
    }
  return true;
}

// A page with Inf is NaN; one whose B has equal columns gets info -1 and is not written.
template <class T> static void test_gsvd_pages ()
{
  const gsvd_case c = {20, 18, 16, 4, true};
  for (int method = GLA_GSVD_METHOD_HZ; method <= GLA_GSVD_METHOD_TANGENT; method++) {
    gsvd_arrays<T> g (c);
    const std::string name = gsvd_name (c, g.A.array.type, method);
    g.A.at (3, 4, 1) = number_like (T (), INFINITY, 0);
    for (int64_t i = 0; i < c.n; i++)
      g.B.at (i, 7, 2) = g.B.at (i, 5, 2);
    cudaMemcpy (g.A.array.data, g.A.host.data (), g.A.bytes (), cudaMemcpyHostToDevice);
    cudaMemcpy (g.B.array.data, g.B.host.data (), g.B.bytes (), cudaMemcpyHostToDevice);
    g.run (method, name);
    check_gsvd_page (g, 0, name);
    check_gsvd_page (g, 3, name);
    check (g.info[1] == c.p + 1 && g.info[2] == -1,
           name + ": info " + std::to_string (g.info[1]) + " " + std::to_string (g.info[2]));
    for (int64_t page = 1; page <= 2; page++)
      check (is_poison (g.U, page, page == 2) && is_poison (g.V, page, page == 2) &&
                 is_poison (g.X, page, page == 2) && is_poison (g.alpha, page, page == 2) &&
                 is_poison (g.beta, page, page == 2),
             name + ": page " + std::to_string (page) + " has numbers");
  }
}

// Fewer rows than columns: info -1 everywhere, and nothing is written.
template <class T> static void test_gsvd_wide (int64_t m, int64_t n, int64_t p)
{
  gsvd_arrays<T> g ({m, n, p, 2, true});
  const std::string name = gsvd_name (g.c, g.A.array.type, GLA_GSVD_METHOD_AUTO);
  g.run (GLA_GSVD_METHOD_AUTO, name);
  for (int64_t page = 0; page < 2; page++)
    check (g.info[page] == -1 && is_poison (g.U, page, true) && is_poison (g.V, page, true) &&
               is_poison (g.X, page, true) && is_poison (g.alpha, page, true) &&
               is_poison (g.beta, page, true),
           name + ": info " + std::to_string (g.info[page]) + " page " + std::to_string (page));
}

template <class T> static void test_gsvd_type ()
{
  for (const gsvd_case &c :
       {gsvd_case{1, 1, 1, 3, true}, gsvd_case{5, 7, 4, 7, true}, gsvd_case{16, 16, 16, 5, false},
        gsvd_case{33, 40, 33, 3, true}, gsvd_case{40, 33, 31, 3, false},
        gsvd_case{100, 65, 64, 2, false}, gsvd_case{70, 150, 65, 2, true},
        gsvd_case{140, 135, 130, 1, false}, gsvd_case{260, 290, 257, 1, false}})
    for (int method = GLA_GSVD_METHOD_HZ; method <= GLA_GSVD_METHOD_TANGENT; method++)
      test_gsvd_case<T> (c, method);
  test_gsvd_pages<T> ();
  test_gsvd_wide<T> (3, 9, 5);
  test_gsvd_wide<T> (9, 3, 5);
}

static void test_gsvd ()
{
  test_gsvd_type<float> ();
  test_gsvd_type<double> ();
  test_gsvd_type<std::complex<float>> ();
  test_gsvd_type<z> ();
}

#endif
