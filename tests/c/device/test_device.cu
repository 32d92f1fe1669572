// test_device.cu: device arrays, full and failing devices, large sizes on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: test_device [--small]      --small: what needs little memory, with gsvd and jacobi
//        test_device products, product-bits, product-repeats, solves TYPES, solve-bits TYPES,
//        norms, diags, phases, parts TYPES, intervals TYPES, funs, svds TYPES, large-svds TYPES,
//        pairs TYPES, qr or stops:
//            page functions and small QR; TYPES as dz
//        test_device gsvd, gsvd-small, gsvd-short, jacobi or jacobi-short: these alone

#include "frame/calls.h"
#include "gsvd/device_gsvd.cuh"
#include "gsvd/device_gsvd_small.cuh"
#include "eig/device_jacobi.cuh"
#include "device_pages.cuh"
#include "qr/device_qr.cuh"
#include "common/runtime.cuh"
#include "gpu_page_tests.h"

int gpu_is_limited (void)
{
  return !device_has_code_of (0, 800);
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

//------------------------------------------------------------------------------
// arrays on the device, with strides and gaps of NaN
//------------------------------------------------------------------------------

static void test_device_arrays ()
{
  for (int64_t n : {1, 2, 5, 16, 17, 33, 41, 64, 90, 130})
    for (int method = GLA_EIG_METHOD_QR; method <= GLA_EIG_METHOD_JACOBI; method++) {
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
      gla_context *ctx = context (GLA_PLACE_GPU);
      gla_array a = gla_array_packed (dA, GLA_TYPE_Z, n, n, pages, 0);
      gla_array v = gla_array_packed (dV, GLA_TYPE_Z, n, n, pages, 0);
      gla_array l = gla_array_packed (dl, GLA_TYPE_D, n, 1, pages, 0);
      v.column_stride = ld;
      v.page_stride = page;
      gla_eig_options o = eig_options ((gla_eig_method)method, GLA_TRIANGLE_FULL);
      std::string name =
          "device arrays, n = " + std::to_string (n) + " method " + std::to_string (method);
      check (call_batcheig (ctx, &a, &l, &v, info.data (), &o, nullptr) == GLA_OK,
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
// host arrays: a full device, a stop, large batches
//------------------------------------------------------------------------------

static void run_host (const char *name, int64_t n, int64_t pages, int expected_warnings)
{
  std::vector<z> A = pages_of (n, pages), V (A.size (), z (NAN, NAN));
  std::vector<double> lambda (n * pages);
  gla_context *ctx = context (GLA_PLACE_GPU);
  gla_array a = gla_array_packed (A.data (), GLA_TYPE_Z, n, n, pages, GLA_DEVICE_HOST);
  gla_array v = gla_array_packed (V.data (), GLA_TYPE_Z, n, n, pages, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (lambda.data (), GLA_TYPE_D, n, 1, pages, GLA_DEVICE_HOST);
  gla_eig_report report = {};
  report.base.size = sizeof report;
  check (call_batcheig (ctx, &a, &l, &v, nullptr, nullptr, &report) == GLA_OK,
         std::string (name) + ": " + gla_message (ctx));
  double worst = 0;
  for (int64_t p = 0; p < pages; p += 1 + pages / 97)
    worst = std::max (worst, ratio (&A[p * n * n], &V[p * n * n], &lambda[p * n], n, n));
  check (worst <= 30, std::string (name) + ": ratio " + std::to_string (worst));
  check (warnings == expected_warnings,
         std::string (name) + ": " + std::to_string (warnings) + " warnings, last " + last_warning);
  printf ("%s: chunks of %lld pages, device %d\n", name, (long long)report.base.chunk_pages,
          report.base.device);
  gla_context_destroy (ctx);
}

// Allocates all device memory but about `left` bytes.
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
  const struct {
    int64_t n, pages;
  } sizes[] = {{8, 1000000}, {100, 20000}, {512, 600}, {2200, 8}, {8000, 1}};
  for (auto size : sizes) {
    const int64_t n = size.n, pages = size.pages;
    std::vector<z> A (n * n * pages);
    std::vector<double> lambda (n * pages);
    for (int64_t p = 0; p < pages; p++)
      for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
          A[p * n * n + j * n + i] = (double)((i * j + i + j + p) % 7);
    gla_context *ctx = context (GLA_PLACE_GPU);
    gla_array a = gla_array_packed (A.data (), GLA_TYPE_Z, n, n, pages, GLA_DEVICE_HOST);
    gla_array l = gla_array_packed (lambda.data (), GLA_TYPE_D, n, 1, pages, GLA_DEVICE_HOST);
    gla_set_stop (ctx, late_stop, nullptr);
    gla_array first = a, first_l = l;
    first.pages = first_l.pages = 1; // opens the device
    stop_at = now () + 100;
    call_batcheig (ctx, &first, &first_l, nullptr, nullptr, nullptr, nullptr);
    double start = now ();
    stop_at = start + 0.05;
    gla_status status = call_batcheig (ctx, &a, &l, nullptr, nullptr, nullptr, nullptr);
    double took = now () - stop_at;
    check (status == GLA_ERROR_STOPPED || took < 0, "not stopped at n = " + std::to_string (n));
    check (took < 0.2,
           "stopping took " + std::to_string (took) + " s at n = " + std::to_string (n));
    printf ("stop at n = %lld: %.3f s after the wish\n", (long long)n, took);
    gla_context_destroy (ctx);
  }
}

// More than 2^31 elements in one call; the first, the last and some other pages are checked.
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
  gla_context *ctx = context (GLA_PLACE_GPU);
  gla_array a = gla_array_packed (A.data (), GLA_TYPE_S, n, n, pages, GLA_DEVICE_HOST);
  gla_array v = gla_array_packed (V.data (), GLA_TYPE_S, n, n, pages, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (lambda.data (), GLA_TYPE_S, n, 1, pages, GLA_DEVICE_HOST);
  double start = now ();
  check (call_batcheig (ctx, &a, &l, &v, nullptr, nullptr, nullptr) == GLA_OK, "2^31 elements");
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
  gla_context *ctx = context (GLA_PLACE_GPU);
  std::vector<z> A = pages_of (20, 300), V (A.size (), z (NAN, NAN));
  std::vector<double> lambda (20 * 300);
  gla_array a = gla_array_packed (A.data (), GLA_TYPE_Z, 20, 20, 300, GLA_DEVICE_HOST);
  gla_array v = gla_array_packed (V.data (), GLA_TYPE_Z, 20, 20, 300, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (lambda.data (), GLA_TYPE_D, 20, 1, 300, GLA_DEVICE_HOST);
  check (call_batcheig (ctx, &a, &l, &v, nullptr, nullptr, nullptr) == GLA_OK && warnings == 0,
         "before the fault");
  fault<<<1, 1>>> (nullptr);
  check (cudaDeviceSynchronize () != cudaSuccess, "the fault did not show");
  std::fill (V.begin (), V.end (), z (NAN, NAN));
  check (call_batcheig (ctx, &a, &l, &v, nullptr, nullptr, nullptr) == GLA_OK, gla_message (ctx));
  check (warnings == 1 && last_warning == "device-failed", "warnings after the fault");
  double worst = 0;
  for (int64_t p = 0; p < 300; p++)
    worst = std::max (worst, ratio (&A[p * 400], &V[p * 400], &lambda[p * 20], 20, 20));
  check (worst <= 30, "after the fault: ratio " + std::to_string (worst));
  check (gla_set_place (ctx, GLA_PLACE_AUTO, nullptr, 0) == GLA_OK, "auto");
  check (call_batcheig (ctx, &a, &l, &v, nullptr, nullptr, nullptr) == GLA_OK && warnings == 1,
         "auto after the fault is quiet");
  gla_context_destroy (ctx);
}

// Of one topic alone; or false.
static bool run_topic (const std::string &name)
{
  if (name == "gsvd") {
    test_gsvd ();
    test_gsvd_small ();
  } else if (name == "gsvd-small")
    test_gsvd_small ();
  else if (name == "gsvd-short")
    test_gsvd_small_short ();
  else if (name == "jacobi")
    test_jacobi ();
  else if (name == "jacobi-short")
    test_jacobi_short ();
  else
    return false;
  printf ("test_device %s: %d passed, %d failed, 0 skipped\n", name.c_str (), passed, failed);
  return true;
}

// These tests have counts of their own.
static int run_page_tests (const std::string &name, const char *types)
{
  if (name == "products")
    return gpu_products ();
  if (name == "product-bits")
    return gpu_product_bits ();
  if (name == "product-repeats")
    return gpu_product_repeats ();
  if (name == "solves")
    return gpu_solves (types);
  if (name == "solve-bits")
    return gpu_solve_bits (types);
  if (name == "funs")
    return gpu_funs ();
  if (name == "svds")
    return gpu_svds (types);
  if (name == "large-svds")
    return gpu_large_svds (types);
  if (name == "pairs")
    return gpu_pairs (types);
  if (name == "pair-intervals")
    return gpu_pair_intervals (types);
  if (name == "norms")
    return gpu_norms ();
  if (name == "diags")
    return gpu_diags ();
  if (name == "phases")
    return gpu_phases ();
  if (name == "parts")
    return gpu_parts (types);
  if (name == "intervals")
    return gpu_intervals (types);
  if (name == "qr" && gpu_is_limited ()) {
    printf ("gpu_qr: 0 passed, 0 failed, 1 skipped\n");
    return 0;
  }
  if (name == "qr")
    return gpu_qr ();
  if (name == "teams")
    return gpu_teams (types);
  if (name == "stops")
    return gpu_stops ();
  fprintf (stderr, "test_device: unknown test %s\n", name.c_str ());
  return 2;
}

int main (int argc, char **argv)
{
  if (argc > 1 && run_topic (argv[1]))
    return failed > 0;
  if (argc > 1 && argv[1][0] != '-')
    return run_page_tests (argv[1], argc > 2 ? argv[2] : "sdcz");
  bool small = argc > 1 && strcmp (argv[1], "--small") == 0;
  test_device_arrays ();
  if (!gpu_is_limited ())
    test_qr ();
  if (small) {
    test_gsvd ();
    test_gsvd_small ();
    test_jacobi ();
  } else {
    test_full_device ();
    run_host ("a million pages of 8 x 8", 8, 1000000, 0);
    test_stop ();
    test_many_elements ();
    test_poisoned_device (); // last, because this process cannot use the device afterwards
  }
  printf ("test_device: %d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}
