// device_pages.cuh: counts checks; pages on the device with gaps filled with NaN
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef DEVICE_PAGES_CUH
#define DEVICE_PAGES_CUH

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

template <class R> static R number_like (R, double re, double)
{
  return (R)re;
}
template <class R> static std::complex<R> number_like (std::complex<R>, double re, double im)
{
  return std::complex<R> ((R)re, (R)im);
}
static double conjugate (double a)
{
  return a;
}
static z conjugate (z a)
{
  return std::conj (a);
}
static std::complex<float> conjugate (std::complex<float> a)
{
  return std::conj (a);
}
static gla_type type_of (float)
{
  return GLA_TYPE_S;
}
static gla_type type_of (double)
{
  return GLA_TYPE_D;
}
static gla_type type_of (std::complex<float>)
{
  return GLA_TYPE_C;
}
static gla_type type_of (z)
{
  return GLA_TYPE_Z;
}

// Pages of a type on the device, filled with NaN, with gaps between columns and between pages.
template <class T> struct device_pages {
  gla_array array; // data is NULL without elements
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
    array = gla_array_packed (data, type_of (T ()), rows, columns, pages, 0);
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
  // The number of elements in the gaps that are no longer NaN.
  int64_t spoiled () const
  {
    int64_t count = 0;
    for (int64_t q = 0; q < page * pages; q++)
      count +=
          (q % page >= ld * columns || q % page % ld >= rows) && !std::isnan (std::real (host[q]));
    return count;
  }
};

// Largest |X' Y - Z| over a page, in units of `scale`; infinite for NaN.
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

#endif
