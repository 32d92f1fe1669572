// tests/c/test_device.cu: what only a GPU can show: device arrays, full and failing devices, sizes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: test_device [--small]      --small leaves out what takes much memory

#include "gpulinalg.h"

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

typedef std::complex<double> z;

static int passed, failed;
static void check (bool ok, const std::string &what)
{
  ok ? passed++ : failed++;
  if (!ok)
    printf ("FAILED test_device: %s\n", what.c_str ());
}

static std::string last_warning;
static int warnings;
static void on_warning (void *, const char *id, const char *)
{
  warnings++;
  last_warning = id;
}

static double now ()
{
  timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static unsigned long long seed = 88172645463325252ull;
static double uniform ()
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11) * 0x1p-52 - 1;
}

static std::vector<z> pages_of (int64_t n, int64_t pages)
{
  std::vector<z> A (n * n * pages);
  for (int64_t p = 0; p < pages; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = j; i < n; i++) {
        z x (uniform (), i == j ? 0 : uniform ());
        A[p * n * n + j * n + i] = x;
        A[p * n * n + i * n + j] = std::conj (x);
      }
  return A;
}

// The larger of the residual and orthogonality ratios of one page; infinite for NaN.
static double ratio (const z *A, const z *V, const double *lambda, int64_t n, int64_t ldv)
{
  double worst = 0, norm = 1e-300;
  for (int64_t q = 0; q < n * n; q++)
    norm = std::max (norm, std::abs (A[q]));
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      z r = -V[j * ldv + i] * lambda[j], o = i == j ? -1 : 0;
      for (int64_t k = 0; k < n; k++) {
        r += A[k * n + i] * V[j * ldv + k];
        o += std::conj (V[i * ldv + k]) * V[j * ldv + k];
      }
      double here = std::max (std::abs (r) / norm, std::abs (o)) / (n * 2.2e-16);
      if (!(here <= worst))
        worst = std::isnan (here) ? INFINITY : here;
    }
  return worst;
}

static gla_context *context (gla_place place)
{
  gla_context *ctx = nullptr;
  check (gla_context_create (&ctx) == GLA_OK, "context");
  gla_set_warning (ctx, on_warning, nullptr);
  check (gla_set_place (ctx, place, nullptr, 0) == GLA_OK,
         "place: " + std::string (gla_message (ctx)));
  warnings = 0;
  return ctx;
}

//------------------------------------------------------------------------------
// arrays on the device, with strides and poison
//------------------------------------------------------------------------------

static void test_device_arrays ()
{
  for (int64_t n : {1, 2, 5, 16, 33, 90, 130})
    for (int method = GLA_METHOD_QR; method <= GLA_METHOD_JACOBI; method++) {
      const int64_t pages = 7, ld = n + 3, page = ld * n + 5;
      std::vector<z> A = pages_of (n, pages), V (page * pages);
      std::vector<double> lambda (n * pages);
      std::vector<int32_t> info (pages, -7);
      z *dA, *dV;
      double *dl;
      cudaMalloc (&dA, A.size () * sizeof (z));
      cudaMalloc (&dV, V.size () * sizeof (z));
      cudaMalloc (&dl, lambda.size () * sizeof (double));
      cudaMemcpy (dA, A.data (), A.size () * sizeof (z), cudaMemcpyHostToDevice);
      cudaMemset (dV, 0xff, V.size () * sizeof (z));
      cudaMemset (dl, 0xff, lambda.size () * sizeof (double));
      gla_context *ctx = context (GLA_GPU);
      gla_array a = gla_array_packed (dA, GLA_Z, n, n, pages, 0);
      gla_array v = gla_array_packed (dV, GLA_Z, n, n, pages, 0);
      gla_array l = gla_array_packed (dl, GLA_D, n, 1, pages, 0);
      v.column_stride = ld;
      v.page_stride = page;
      gla_eig_options o = {(gla_eig_method)method, GLA_FULL, 0, 0};
      std::string name =
          "device arrays, n = " + std::to_string (n) + " method " + std::to_string (method);
      check (gla_batcheig (ctx, &a, &l, &v, info.data (), &o, nullptr) == GLA_OK,
             name + ": " + gla_message (ctx));
      cudaMemcpy (V.data (), dV, V.size () * sizeof (z), cudaMemcpyDeviceToHost);
      cudaMemcpy (lambda.data (), dl, lambda.size () * sizeof (double), cudaMemcpyDeviceToHost);
      std::vector<z> after (A.size ());
      cudaMemcpy (after.data (), dA, A.size () * sizeof (z), cudaMemcpyDeviceToHost);
      check (memcmp (after.data (), A.data (), A.size () * sizeof (z)) == 0, name + ": A changed");
      double worst = 0;
      int64_t gaps = 0;
      for (int64_t p = 0; p < pages; p++) {
        worst = std::max (worst, ratio (&A[p * n * n], &V[p * page], &lambda[p * n], n, ld));
        for (int64_t q = 0; q < page; q++)
          gaps += (q >= ld * n || q % ld >= n) && !std::isnan (V[p * page + q].real ());
        check (info[p] == 0, name + ": info");
      }
      check (worst <= 30, name + ": ratio " + std::to_string (worst));
      check (gaps == 0, name + ": gaps were written");
      gla_context_destroy (ctx);
      cudaFree (dA);
      cudaFree (dV);
      cudaFree (dl);
    }
}

//------------------------------------------------------------------------------
// QR of arrays on the device
//------------------------------------------------------------------------------

static double number_like (double, double re, double)
{
  return re;
}
static z number_like (z, double re, double im)
{
  return z (re, im);
}
static double conjugate (double a)
{
  return a;
}
static z conjugate (z a)
{
  return std::conj (a);
}

// Pages of a type on the device, poisoned with NaN, with gaps between columns and between pages.
template <class T> struct device_pages {
  gla_array array; // data is NULL where there is nothing
  int64_t rows, columns, pages, ld, page;
  std::vector<T> host;

  device_pages (int64_t rows, int64_t columns, int64_t pages, int gap)
      : rows (rows), columns (columns), pages (pages), ld (rows + gap),
        page (ld * columns + 2 * gap), host (page * pages)
  {
    T *data = nullptr;
    if (columns > 0) {
      check (cudaMalloc (&data, bytes ()) == cudaSuccess, "cudaMalloc");
      cudaMemset (data, 0xff, bytes ());
    }
    array = gla_array_packed (data, sizeof (T) == 16 ? GLA_Z : GLA_D, rows, columns, pages, 0);
    array.column_stride = ld;
    array.page_stride = page;
  }
  ~device_pages () { cudaFree (array.data); }
  device_pages (const device_pages &) = delete;
  size_t bytes () const { return host.size () * sizeof (T); }
  T &at (int64_t i, int64_t j, int64_t p) { return host[i + j * ld + p * page]; }

  void fill ()
  {
    for (T &x : host)
      x = number_like (T (), uniform (), uniform ());
    cudaMemcpy (array.data, host.data (), bytes (), cudaMemcpyHostToDevice);
  }
  bool fetch ()
  {
    return cudaMemcpy (host.data (), array.data, bytes (), cudaMemcpyDeviceToHost) == 0;
  }
  bool unchanged () const
  {
    std::vector<T> now (host.size ());
    cudaMemcpy (now.data (), array.data, bytes (), cudaMemcpyDeviceToHost);
    return memcmp (now.data (), host.data (), bytes ()) == 0;
  }
  // Elements outside of the matrices that are not poison any more.
  int64_t spoiled () const
  {
    int64_t count = 0;
    for (int64_t q = 0; q < page * pages; q++)
      count +=
          (q % page >= ld * columns || q % page % ld >= rows) && !std::isnan (std::real (host[q]));
    return count;
  }
};

// Largest |X' Y - Z| over a page, in `scale`; infinite for NaN. What `z` says is subtracted.
template <class T, class F>
static double largest_off (device_pages<T> &x, device_pages<T> &y, int64_t p, double scale, F z)
{
  double worst = 0;
  for (int64_t j = 0; j < y.columns; j++)
    for (int64_t i = 0; i < x.columns; i++) {
      T sum = -z (i, j);
      for (int64_t k = 0; k < x.rows; k++)
        sum += conjugate (x.at (k, i, p)) * y.at (k, j, p);
      double off = std::abs (sum) / scale;
      worst = off <= worst ? worst : std::isnan (off) ? INFINITY : off;
    }
  return worst;
}

struct qr_case {
  int64_t m, n, pages, rhs;
  bool full, pivot, wy; // full: Q m x m, R m x n
};

// All results of a call with arrays on the device, Q R against A, Q'Q, C, I + W Y', R's zeros.
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
  gla_context *ctx = context (GLA_GPU);
  gla_qr_options o = {c.pivot, 0};
  gla_qr_results r = {Q.array, R.array, C.array, W.array, Y.array, jpvt.data ()};
  gla_qr_report report;
  check (gla_qr (ctx, &A.array, c.rhs > 0 ? &B.array : nullptr, &r, &o, &report) == GLA_OK,
         name + ": " + gla_message (ctx));
  check (report.device == 0 && warnings == 0, name + ": not on the GPU, " + last_warning);
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
  // one kernel for all, panels of one block, of clusters, blocks by cuBLAS, trees; wide matrices
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

//------------------------------------------------------------------------------
// host arrays: a full device, a stop, large batches
//------------------------------------------------------------------------------

static void run_host (const char *name, int64_t n, int64_t pages, int expected_warnings)
{
  std::vector<z> A = pages_of (n, pages), V (A.size (), z (NAN, NAN));
  std::vector<double> lambda (n * pages);
  gla_context *ctx = context (GLA_GPU);
  gla_array a = gla_array_packed (A.data (), GLA_Z, n, n, pages, GLA_HOST);
  gla_array v = gla_array_packed (V.data (), GLA_Z, n, n, pages, GLA_HOST);
  gla_array l = gla_array_packed (lambda.data (), GLA_D, n, 1, pages, GLA_HOST);
  gla_eig_report report;
  check (gla_batcheig (ctx, &a, &l, &v, nullptr, nullptr, &report) == GLA_OK,
         std::string (name) + ": " + gla_message (ctx));
  double worst = 0;
  for (int64_t p = 0; p < pages; p += 1 + pages / 97)
    worst = std::max (worst, ratio (&A[p * n * n], &V[p * n * n], &lambda[p * n], n, n));
  check (worst <= 30, std::string (name) + ": ratio " + std::to_string (worst));
  check (warnings == expected_warnings,
         std::string (name) + ": " + std::to_string (warnings) + " warnings, last " + last_warning);
  printf ("%s: chunks of %lld pages, device %d\n", name, (long long)report.chunk_pages,
          report.device);
  gla_context_destroy (ctx);
}

// Takes all device memory but about `left` bytes.
static void *fill_device (size_t left)
{
  size_t free_bytes, total;
  void *block = nullptr;
  cudaMemGetInfo (&free_bytes, &total);
  while (free_bytes > left && cudaMalloc (&block, free_bytes - left) != cudaSuccess) {
    cudaGetLastError ();
    left += 16 << 20;
  }
  return block;
}

static void test_full_device ()
{
  run_host ("empty device", 64, 600, 0);
  void *block = fill_device ((size_t)160 << 20);
  run_host ("160 MB left for 157 MB of pages", 64, 2400, 0);
  cudaFree (block);
}

static double stop_at;
static int late_stop (void *)
{
  return now () > stop_at;
}

static void test_stop ()
{
  for (int64_t n : {8, 100, 512}) {
    int64_t pages = n == 8 ? 1000000 : n == 100 ? 20000 : 600;
    std::vector<z> A (n * n * pages);
    std::vector<double> lambda (n * pages);
    for (int64_t p = 0; p < pages; p++)
      for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
          A[p * n * n + j * n + i] = (double)((i * j + i + j + p) % 7);
    gla_context *ctx = context (GLA_GPU);
    gla_array a = gla_array_packed (A.data (), GLA_Z, n, n, pages, GLA_HOST);
    gla_array l = gla_array_packed (lambda.data (), GLA_D, n, 1, pages, GLA_HOST);
    gla_set_stop (ctx, late_stop, nullptr);
    gla_array first = a, first_l = l;
    first.pages = first_l.pages = 1; // opens the device
    stop_at = now () + 100;
    gla_batcheig (ctx, &first, &first_l, nullptr, nullptr, nullptr, nullptr);
    double start = now ();
    stop_at = start + 0.05;
    gla_status status = gla_batcheig (ctx, &a, &l, nullptr, nullptr, nullptr, nullptr);
    double took = now () - stop_at;
    check (status == GLA_STOPPED || took < 0, "not stopped at n = " + std::to_string (n));
    check (took < 0.2,
           "stopping took " + std::to_string (took) + " s at n = " + std::to_string (n));
    printf ("stop at n = %lld: %.3f s after the wish\n", (long long)n, took);
    gla_context_destroy (ctx);
  }
}

// More than 2^31 elements in one call; the first, the last and some other pages are looked at.
static void test_many_elements ()
{
  const int64_t n = 64, pages = ((int64_t)1 << 31) / (n * n) + 1000;
  std::vector<float> A (n * n * pages), V (n * n * pages), lambda (n * pages);
  for (int64_t p = 0; p < pages; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++)
        A[p * n * n + j * n + i] = i == j                     ? (float)(i + p % 13)
                                   : i == j + 1 || j == i + 1 ? 1.0f
                                                              : 0.0f;
  gla_context *ctx = context (GLA_GPU);
  gla_array a = gla_array_packed (A.data (), GLA_S, n, n, pages, GLA_HOST);
  gla_array v = gla_array_packed (V.data (), GLA_S, n, n, pages, GLA_HOST);
  gla_array l = gla_array_packed (lambda.data (), GLA_S, n, 1, pages, GLA_HOST);
  double start = now ();
  check (gla_batcheig (ctx, &a, &l, &v, nullptr, nullptr, nullptr) == GLA_OK, "2^31 elements");
  printf ("2^31 elements: %.2f s\n", now () - start);
  int wrong = 0;
  for (int64_t p = 0; p < pages; p += p < pages - 5003 ? 5003 : 1)
    for (int64_t j = 0; j < n; j++) {
      double r = 0;
      for (int64_t i = 0; i < n; i++) {
        double sum = -(double)V[p * n * n + j * n + i] * lambda[p * n + j];
        for (int64_t k = 0; k < n; k++)
          sum += (double)A[p * n * n + k * n + i] * V[p * n * n + j * n + k];
        r = std::max (r, std::abs (sum));
      }
      wrong += !(r <= 30 * 64 * 1.2e-7 * 78);
    }
  check (wrong == 0, "2^31 elements: " + std::to_string (wrong) + " columns are wrong");
  gla_context_destroy (ctx);
}

//------------------------------------------------------------------------------
// a device that fails
//------------------------------------------------------------------------------

__global__ void fault (int *nowhere)
{
  *nowhere = 1;
}

static void test_poisoned_device ()
{
  gla_context *ctx = context (GLA_GPU);
  std::vector<z> A = pages_of (20, 300), V (A.size (), z (NAN, NAN));
  std::vector<double> lambda (20 * 300);
  gla_array a = gla_array_packed (A.data (), GLA_Z, 20, 20, 300, GLA_HOST);
  gla_array v = gla_array_packed (V.data (), GLA_Z, 20, 20, 300, GLA_HOST);
  gla_array l = gla_array_packed (lambda.data (), GLA_D, 20, 1, 300, GLA_HOST);
  check (gla_batcheig (ctx, &a, &l, &v, nullptr, nullptr, nullptr) == GLA_OK && warnings == 0,
         "before the fault");
  fault<<<1, 1>>> (nullptr);
  check (cudaDeviceSynchronize () != cudaSuccess, "the fault did not show");
  std::fill (V.begin (), V.end (), z (NAN, NAN));
  check (gla_batcheig (ctx, &a, &l, &v, nullptr, nullptr, nullptr) == GLA_OK, gla_message (ctx));
  check (warnings == 1 && last_warning == "device-failed", "warnings after the fault");
  double worst = 0;
  for (int64_t p = 0; p < 300; p++)
    worst = std::max (worst, ratio (&A[p * 400], &V[p * 400], &lambda[p * 20], 20, 20));
  check (worst <= 30, "after the fault: ratio " + std::to_string (worst));
  check (gla_set_place (ctx, GLA_AUTO, nullptr, 0) == GLA_OK, "auto");
  check (gla_batcheig (ctx, &a, &l, &v, nullptr, nullptr, nullptr) == GLA_OK && warnings == 1,
         "auto after the fault is quiet");
  gla_context_destroy (ctx);
}

int main (int argc, char **argv)
{
  bool small = argc > 1 && strcmp (argv[1], "--small") == 0;
  test_device_arrays ();
  test_qr ();
  if (!small) {
    test_full_device ();
    run_host ("a million pages of 8 x 8", 8, 1000000, 0);
    test_stop ();
    test_many_elements ();
    test_poisoned_device (); // last: the device is lost to this process
  }
  printf ("test_device: %d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}
