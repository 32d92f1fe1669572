// device_gsvd_small.cuh: pairs of up to 64 columns, which have kernels of their own
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A call with a block goes the way of larger pairs, with which values are compared.

#ifndef DEVICE_GSVD_SMALL_CUH
#define DEVICE_GSVD_SMALL_CUH

#include "device_gsvd.cuh"

#include <algorithm>

template <class T> static void upload (device_pages<T> &x)
{
  cudaMemcpy (x.array.data, x.host.data (), x.bytes (), cudaMemcpyHostToDevice);
}

// All pages right, with as many sweeps as there are rows of rotations.
template <class T> static void check_small (gsvd_arrays<T> &g, const std::string &name)
{
  g.run (GLA_GSVD_METHOD_AUTO, name);
  for (int64_t page = 0; page < g.c.pages; page++) {
    check_gsvd_page (g, page, name);
    const gla_gsvd_stats &s = g.stats[page];
    bool right = s.method == GLA_GSVD_METHOD_TANGENT && s.sweeps > 0 && s.sweeps < 20 &&
                 s.rotations[s.sweeps] == 0;
    for (int k = 0; k < s.sweeps; k++)
      right &= s.rotations[k] >= 0 && // blocks rotate some pairs twice
               (g.c.p > 64 || s.rotations[k] <= g.c.p * (g.c.p - 1) / 2);
    check (right, name + ": stats of page " + std::to_string (page) + ", " +
                      std::to_string (s.sweeps) + " sweeps");
  }
}

// Values against those of the general way, column by column relative to themselves.
template <class T>
static void compare_values (gsvd_arrays<T> &g, const std::string &name, double units)
{
  g.run (GLA_GSVD_METHOD_TANGENT, name);
  const auto alpha = g.alpha.host, beta = g.beta.host;
  g.run (GLA_GSVD_METHOD_TANGENT, name + " by blocks", 16);
  double worst = 0;
  for (int64_t page = 0; page < g.c.pages; page++)
    for (int64_t j = 0; j < g.c.p; j++) {
      const int64_t a = j + page * g.alpha.page, b = j + page * g.beta.page;
      for (auto [here, there] :
           {std::pair (alpha[a], g.alpha.host[a]), std::pair (beta[b], g.beta.host[b])}) {
        const double off = here == there ? 0 : std::abs (here - there) / std::abs (there);
        worst = off <= worst ? worst : std::isnan (off) ? INFINITY : off;
      }
    }
  worst /= gla_type_eps (g.A.array.type);
  check (worst <= units, name + ": values differ by " + std::to_string (worst) + " eps");
}

// Columns of A and B over `decades`, in different orders.
template <class T> static void test_small_graded (int64_t p, double decades)
{
  typedef decltype (std::abs (T ())) R;
  const R heavy = (R)(4 * std::sqrt ((double)p)); // so that condition numbers stay below 10
  gsvd_arrays<T> g ({p, p, p, 3, false});
  for (int64_t page = 0; page < 3; page++)
    for (int64_t j = 0; j < p; j++)
      for (int64_t i = 0; i < p; i++) {
        const double share = (double)j / std::max<int64_t> (p - 1, 1);
        g.A.at (i, j, page) = (i == j ? T (heavy) : T (0)) + g.A.at (i, j, page);
        g.B.at (i, j, page) = (i == j ? T (heavy) : T (0)) + g.B.at (i, j, page);
        g.A.at (i, j, page) *= (decltype (std::abs (T ())))std::pow (10, -decades * share);
        g.B.at (i, j, page) *=
            (decltype (std::abs (T ())))std::pow (10, page == 1 ? decades * share / 2 : 0);
      }
  upload (g.A);
  upload (g.B);
  const std::string name = gsvd_name (g.c, g.A.array.type, 0) + ", graded";
  check_small (g, name);
  compare_values (g, name, 40.0 * p);
}

// A of rank 0, of columns that are 0 or equal, and A and B far apart.
template <class T> static void test_small_deficient (int64_t p)
{
  typedef decltype (std::abs (T ())) R;
  gsvd_arrays<T> g ({p, p, p, 5, false});
  const R far = sizeof (R) == 8 ? (R)1e150 : (R)1e15;
  for (int64_t j = 0; j < p; j++)
    for (int64_t i = 0; i < p; i++) {
      g.A.at (i, j, 0) = 0;
      g.A.at (i, j, 1) = j % 3 == 1 ? T (0) : g.A.at (i, j, 1);
      g.A.at (i, j, 2) = g.A.at (i, j / 2, 2);
      g.A.at (i, j, 3) *= far;
      g.B.at (i, j, 3) /= far;
      g.A.at (i, j, 4) /= far;
      g.B.at (i, j, 4) *= far;
    }
  upload (g.A);
  upload (g.B);
  const std::string name = gsvd_name (g.c, g.A.array.type, 0) + ", deficient";
  g.run (GLA_GSVD_METHOD_AUTO, name);
  for (int64_t page = 1; page < 5; page++)
    check_gsvd_page (g, page, name);
  const double eps = gla_type_eps (g.A.array.type);
  for (int64_t j = 0; j < p; j++)
    check (g.alpha.at (j, 0, 0) == 0 && g.beta.at (j, 0, 0) == 1, name + ": values of a zero A");
  check (gsvd_residual (g.B, g.V, g.beta, g.X, 0) <= 10 * p * eps &&
             gsvd_orthogonality (g.U, 0) <= 10 * p * eps &&
             gsvd_orthogonality (g.V, 0) <= 10 * p * eps,
         name + ": factors of a zero A");
  check (p < 2 || g.alpha.at (0, 0, 1) <= 10 * p * eps, name + ": the value of a zero column");
}

// Page k of many alone: the same bits.
template <class T> static void test_small_bits (int64_t m, int64_t n, int64_t p)
{
  gsvd_arrays<T> all ({m, n, p, 9, false}), one ({m, n, p, 1, false});
  const std::string name = gsvd_name (all.c, all.A.array.type, 0);
  all.run (GLA_GSVD_METHOD_AUTO, name);
  const int64_t page = 5;
  std::copy_n (&all.A.at (0, 0, page), one.A.page, one.A.host.begin ());
  std::copy_n (&all.B.at (0, 0, page), one.B.page, one.B.host.begin ());
  upload (one.A);
  upload (one.B);
  one.run (GLA_GSVD_METHOD_AUTO, name + " alone");
  bool same = true;
  for (int64_t j = 0; j < p; j++) {
    same &= all.alpha.at (j, 0, page) == one.alpha.at (j, 0, 0) &&
            all.beta.at (j, 0, page) == one.beta.at (j, 0, 0);
    for (int64_t i = 0; i < m; i++)
      same &= all.U.at (i, j, page) == one.U.at (i, j, 0);
    for (int64_t i = 0; i < n; i++)
      same &= all.V.at (i, j, page) == one.V.at (i, j, 0);
    for (int64_t i = 0; i < p; i++)
      same &= all.X.at (i, j, page) == one.X.at (i, j, 0);
  }
  check (same, name + ": other bits alone");
}

// Without vectors, or with some of them: the same values, and what is wanted has the same bits.
template <class T> static void test_small_parts (int64_t p)
{
  gsvd_arrays<T> g ({p, p, p, 4, false});
  const std::string name = gsvd_name (g.c, g.A.array.type, 0) + ", in parts";
  g.run (GLA_GSVD_METHOD_AUTO, name);
  const auto alpha = g.alpha.host;
  const auto U = g.U.host, V = g.V.host, X = g.X.host;
  for (int part = 0; part < 4; part++) {
    gla_array arrays[3] = {g.U.array, g.V.array, g.X.array};
    for (device_pages<T> *x : {&g.U, &g.V, &g.X})
      cudaMemset (x->array.data, 0xff, x->bytes ());
    for (int k = 0; k < 3; k++)
      if (k + 1 != part)
        arrays[k].data = nullptr;
    gla_context *ctx = context (GLA_PLACE_GPU);
    gla_gsvd_results r = {sizeof r,  g.alpha.array, g.beta.array,   arrays[0],
                          arrays[1], arrays[2],     g.info.data (), nullptr};
    check (gla_gsvd (ctx, &g.A.array, &g.B.array, &r, nullptr, nullptr) == GLA_OK, name);
    gla_context_destroy (ctx);
    for (device_pages<T> *x : {&g.U, &g.V, &g.X})
      x->fetch ();
    g.alpha.fetch ();
    double worst = 0;
    for (int64_t k = 0; k < (int64_t)alpha.size (); k++)
      if (!std::isnan (alpha[k]))
        worst = std::max (worst, (double)std::abs (alpha[k] - g.alpha.host[k]));
    check (worst <= 20.0 * p * gla_type_eps (g.A.array.type), name + ": other values");
    const auto &is = part == 1 ? g.U : part == 2 ? g.V : g.X;
    const auto &was = part == 1 ? U : part == 2 ? V : X;
    check (part == 0 || memcmp (is.host.data (), was.data (), is.bytes ()) == 0,
           name + ": other bits of part " + std::to_string (part));
  }
}

template <class T> static void test_gsvd_small_type ()
{
  for (int64_t p : {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 24, 25, 32, 33, 47, 64, 65}) {
    gsvd_arrays<T> g ({p, p, p, 3, false});
    check_small (g, gsvd_name (g.c, g.A.array.type, 0) + ", small");
  }
  for (const gsvd_case &c : {gsvd_case{9, 8, 8, 5, true}, gsvd_case{8, 11, 8, 5, true},
                             gsvd_case{17, 16, 16, 3, false}, gsvd_case{50, 32, 32, 3, true},
                             gsvd_case{64, 300, 64, 2, false}, gsvd_case{33, 3, 3, 40, false}}) {
    gsvd_arrays<T> g (c);
    const std::string name = gsvd_name (c, g.A.array.type, 0) + ", small";
    check_small (g, name);
    compare_values (g, name, 1000.0 * c.p);
  }
  for (int64_t p : {2, 7, 16, 31, 64})
    test_small_graded<T> (p, sizeof (decltype (std::abs (T ()))) == 8 ? 25 : 12);
  for (int64_t p : {1, 4, 13, 16, 32, 47}) {
    test_small_deficient<T> (p);
    test_small_parts<T> (p);
    test_small_bits<T> (p, p, p);
  }
  test_small_bits<T> (20, 16, 16);
  test_small_bits<T> (40, 70, 40);
}

// For tools that make programs slow.
static void test_gsvd_small_short ()
{
  for (int64_t p : {3, 16, 31}) {
    test_small_deficient<double> (p);
    test_small_parts<z> (p);
  }
  test_small_bits<z> (40, 40, 40);
  test_small_bits<float> (40, 33, 24);
}

static void test_gsvd_small ()
{
  test_gsvd_small_type<float> ();
  test_gsvd_small_type<double> ();
  test_gsvd_small_type<std::complex<float>> ();
  test_gsvd_small_type<z> ();
}

#endif
