// device_qr.cuh: QR of arrays on the device
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef DEVICE_QR_CUH
#define DEVICE_QR_CUH

#include "device/device_pages.cuh"

struct qr_case {
  int64_t m, n, pages, rhs;
  bool full, pivot, wy; // full: Q m x m, R m x n
};

// Checks all results of a call with device arrays: Q R = A, Q'Q = I, C, I + W Y', and the zeros of
// R.
template <class T> static void test_qr_case (const qr_case &c)
{
  const int64_t m = c.m, n = c.n, k = std::min (m, n), q = c.full ? m : k;
  std::string name = "qr on the device, " + std::to_string (m) + " x " + std::to_string (n) +
                     (c.pivot ? ", pivoting" : "") + (sizeof (T) == 16 ? ", z" : ", d");
  device_pages<T> A (m, n, c.pages, 3), B (m, c.rhs, c.pages, 2), Q (m, q, c.pages, 5),
      R (q, n, c.pages, 1), C (q, c.rhs, c.pages, 4), W (m, c.wy ? k : 0, c.pages, 1),
      Y (m, c.wy ? k : 0, c.pages, 2);
  A.fill ();
  B.fill ();
  std::vector<int64_t> jpvt (n * c.pages, -1);
  gla_context *ctx = context (GLA_PLACE_GPU);
  gla_qr_options o = {sizeof o, c.pivot, 0};
  gla_qr_results r = {sizeof r, Q.array, R.array, C.array, W.array, Y.array, jpvt.data ()};
  gla_qr_report report = {};
  report.base.size = sizeof report;
  check (gla_qr (ctx, &A.array, c.rhs > 0 ? &B.array : nullptr, &r, &o, &report) == GLA_OK,
         name + ": " + gla_message (ctx));
  check (report.base.device == 0 && warnings == 0, name + ": not on the GPU, " + last_warning);
  check (A.unchanged () && (c.rhs == 0 || B.unchanged ()), name + ": A or B changed");
  for (device_pages<T> *x : {&Q, &R, &C, &W, &Y})
    if (x->columns > 0)
      check (x->fetch () && x->spoiled () == 0, name + ": gaps were written");
  double off = 0, identity = 0, applied = 0, below = 0, wy = 0;
  const double unit = 2.2e-16 * std::max<int64_t> (4, n);
  for (int64_t p = 0; p < c.pages; p++) {
    for (int64_t j = 0; j < n; j++) {
      const int64_t from = c.pivot ? jpvt[p * n + j] : j;
      check (from >= 0 && from < n, name + ": jpvt");
      double norm = 0, left = 0;
      for (int64_t i = 0; i < m; i++) {
        T sum = -A.at (i, from, p);
        for (int64_t l = 0; l <= j && l < q; l++)
          sum += Q.at (i, l, p) * R.at (l, j, p);
        norm += std::norm (A.at (i, from, p));
        left += std::norm (sum);
      }
      double here = std::sqrt (left / norm) / unit;
      off = here <= off ? off : std::isnan (here) ? INFINITY : here;
      for (int64_t i = j + 1; i < q; i++)
        below = std::max (below, std::abs (R.at (i, j, p)));
      if (c.pivot && j > 0 && j < k)
        check (std::abs (R.at (j, j, p)) <= std::abs (R.at (j - 1, j - 1, p)) * (1 + 1e-12),
               name + ": |diag (R)| grows");
    }
    auto unity = [] (int64_t i, int64_t j) { return T (i == j ? 1.0 : 0.0); };
    identity = std::max (identity, largest_off (Q, Q, p, unit, unity));
    if (c.rhs > 0)
      applied =
          std::max (applied, largest_off (Q, B, p, unit * std::sqrt ((double)m),
                                          [&] (int64_t i, int64_t j) { return C.at (i, j, p); }));
    for (int64_t j = 0; c.wy && j < q; j++)
      for (int64_t i = 0; i < m; i++) {
        T sum = unity (i, j) - Q.at (i, j, p);
        for (int64_t l = 0; l < k; l++)
          sum += W.at (i, l, p) * conjugate (Y.at (j, l, p));
        wy = std::max (wy, std::abs (sum) / unit);
      }
  }
  check (off <= 10 && identity <= 10 && applied <= 10 && wy <= 10 && below == 0,
         name + ": " + std::to_string (off) + " " + std::to_string (identity) + " " +
             std::to_string (applied) + " " + std::to_string (wy) + " " + std::to_string (below));
  gla_context_destroy (ctx);
}

static void test_qr ()
{
  // sizes for every method: one kernel, panels of one block or of clusters, cuBLAS, trees; wide
  // matrices
  for (const qr_case &c :
       {qr_case{1, 1, 3, 1, false, false, true}, qr_case{5, 3, 7, 2, true, false, true},
        qr_case{3, 5, 7, 2, false, true, false}, qr_case{32, 32, 9, 3, false, false, false},
        qr_case{70, 33, 5, 1, true, true, true}, qr_case{97, 90, 3, 40, false, false, true},
        qr_case{90, 130, 3, 2, false, false, false}, qr_case{300, 40, 2, 5, true, false, false},
        qr_case{600, 300, 1, 5, false, false, true}, qr_case{500, 260, 1, 2, false, true, true},
        qr_case{2100, 150, 2, 2, false, false, true}, qr_case{5000, 40, 1, 2, false, false, true},
        qr_case{9000, 70, 2, 1, false, false, false}}) {
    test_qr_case<double> (c);
    test_qr_case<z> (c);
  }
}

#endif
