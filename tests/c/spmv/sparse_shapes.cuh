// sparse_shapes.cuh: matrices for the sparse functions of the CUDA backend, and products with hubs
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SPARSE_SHAPES_CUH
#define SPARSE_SHAPES_CUH

#include "backend.h"
#include "spmv/job.h"
#include "common/cluster.cuh"
#include "spmv/job.h"
#include "spmv/spmv.cuh"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

typedef std::complex<double> z;

static int passed, failed;
static void check (bool ok, const std::string &what)
{
  ok ? passed++ : failed++;
  if (!ok)
    printf ("FAILED test_sparse: %s\n", what.c_str ());
}

// The larger of both; infinite if x is NaN, which std::max would ignore.
static double larger (double worst, double x)
{
  return x <= worst ? worst : std::isnan (x) ? INFINITY : x;
}

static int go_on (void *, int64_t)
{
  return 0;
}
static int give_up (void *, int64_t)
{
  return 1;
}
static const gla_monitor quiet = {go_on, nullptr};
static const gla_backend &gpu = gla_backend_cuda;
static gla_engine *engine;

static unsigned long long state = 88172645463325252ull;
static double uniform ()
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-52 - 1;
}

//------------------------------------------------------------------------------
// types and matrices
//------------------------------------------------------------------------------

template <class H> struct kind;
template <> struct kind<float> {
  static constexpr gla_type type = GLA_TYPE_S;
};
template <> struct kind<double> {
  static constexpr gla_type type = GLA_TYPE_D;
};
template <> struct kind<std::complex<float>> {
  static constexpr gla_type type = GLA_TYPE_C;
};
template <> struct kind<z> {
  static constexpr gla_type type = GLA_TYPE_Z;
};
template <class H> bool is_complex ()
{
  return gla_type_is_complex (kind<H>::type);
}
template <class H> H scalar (z a);
template <> float scalar<float> (z a)
{
  return (float)a.real ();
}
template <> double scalar<double> (z a)
{
  return a.real ();
}
template <> std::complex<float> scalar<std::complex<float>> (z a)
{
  return std::complex<float> (a);
}
template <> z scalar<z> (z a)
{
  return a;
}

struct shape {
  const char *name;
  int64_t rows, columns;
  std::vector<int64_t> start, index;
};

// Row i has length (i) random columns.
template <class F> shape random_shape (const char *name, int64_t rows, int64_t columns, F length)
{
  shape s = {name, rows, columns, {0}, {}};
  for (int64_t i = 0; i < rows; i++) {
    std::vector<int64_t> row;
    for (int64_t k = length (i); k > 0; k--)
      row.push_back ((int64_t)((uniform () + 1) / 2 * (double)columns));
    std::sort (row.begin (), row.end ());
    row.erase (std::unique (row.begin (), row.end ()), row.end ());
    s.index.insert (s.index.end (), row.begin (), row.end ());
    s.start.push_back ((int64_t)s.index.size ());
  }
  return s;
}

// The pattern with these columns in its rows; columns may be in any order and repeat.
static shape square_of (const char *name, std::vector<std::vector<int64_t>> &rows)
{
  const int64_t n = (int64_t)rows.size ();
  shape s = {name, n, n, {0}, {}};
  for (auto &row : rows) {
    std::sort (row.begin (), row.end ());
    row.erase (std::unique (row.begin (), row.end ()), row.end ());
    s.index.insert (s.index.end (), row.begin (), row.end ());
    s.start.push_back ((int64_t)s.index.size ());
  }
  return s;
}

// Symmetric: a ring whose nodes are linked to those up to 3 steps away; with `hub`, node 0 is
// linked to every seventh node.
static shape wheel (int64_t n, bool hub)
{
  std::vector<std::vector<int64_t>> rows (n);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t d = -3; d <= 3; d++)
      rows[i].push_back ((i + d + n) % n);
    if (hub && i % 7 == 0) {
      rows[i].push_back (0);
      rows[0].push_back (i);
    }
  }
  return square_of ("wheel", rows);
}

template <class H> struct matrix {
  const shape &s;
  std::vector<H> values;
  std::vector<int32_t> start, index; // for 32-bit indices
  gla_spmv_matrix M;
  matrix (const shape &of, bool pattern, bool narrow, gla_spmv_method method)
      : s (of), values (of.index.size ()), M ()
  {
    for (int64_t i = 0; i < s.rows; i++)
      for (int64_t k = s.start[i]; k < s.start[i + 1]; k++)
        values[k] = entry (i, s.index[k], pattern);
    start.assign (s.start.begin (), s.start.end ());
    index.assign (s.index.begin (), s.index.end ());
    M.csr = {kind<H>::type, s.rows, s.columns, narrow ? 4 : 8, nullptr, nullptr, values.data ()};
    M.csr.start = narrow ? (const void *)start.data () : (const void *)s.start.data ();
    M.csr.index = narrow ? (const void *)index.data () : (const void *)s.index.data ();
    M.entries = (int64_t)s.index.size ();
    M.pattern = pattern;
    z value = entry (0, 1, pattern);
    M.value[0] = value.real ();
    M.value[1] = value.imag ();
    M.method = method;
  }
  // Hermitian where the shape is symmetric
  static H entry (int64_t i, int64_t j, bool pattern)
  {
    if (pattern)
      return scalar<H> (z (0.75, is_complex<H> () ? -2 : 0));
    double size = 1 + (double)((i + j) % 13) / 10;
    return scalar<H> (is_complex<H> () ? std::polar (size, 0.37 * (double)(i - j)) : z (size));
  }
  // column of y = M*x, or conj (M)*x
  std::vector<z> times (const H *x, bool conjugate) const
  {
    std::vector<z> y (s.rows);
    for (int64_t i = 0; i < s.rows; i++)
      for (int64_t k = s.start[i]; k < s.start[i + 1]; k++)
        y[i] += (conjugate ? std::conj (z (values[k])) : z (values[k])) * z (x[s.index[k]]);
    return y;
  }
};

template <class H> double eps ()
{
  return gla_type_eps (kind<H>::type);
}

//------------------------------------------------------------------------------
// the most frequent columns (hubs), which a GPU caches
//------------------------------------------------------------------------------

// A few columns have many of the entries; rows are empty or short, and one has some 30000 entries.
// The size is large enough that the GPU caches x of these columns.
static shape hub_shape ()
{
  const int64_t columns = 700001;
  shape s = {"hubs", 300001, columns, {0}, {}};
  for (int64_t i = 0; i < s.rows; i++) {
    std::vector<int64_t> row;
    for (int64_t k = i == 77 ? 35000 : i % 31; k > 0; k--) {
      double u = (uniform () + 1) / 2;
      row.push_back ((int64_t)(u * u * u * (double)columns) * 7 % columns);
    }
    std::sort (row.begin (), row.end ());
    row.erase (std::unique (row.begin (), row.end ()), row.end ());
    s.index.insert (s.index.end (), row.begin (), row.end ());
    s.start.push_back ((int64_t)s.index.size ());
  }
  return s;
}

// Three entries in every row and column, far from each other: there is no hub, though fetches past
// the cache would pay.
static shape shape_without_hubs ()
{
  const int64_t n = 10000019; // a prime number, so that each of the three is a permutation
  shape s = {"no hubs", n, n, {0}, {}};
  s.index.reserve (3 * n);
  s.start.reserve (n + 1);
  for (int64_t i = 0; i < n; i++) {
    int64_t row[] = {i * 7368787 % n, i * 5915587 % n, i * 3267000 % n};
    std::sort (row, row + 3);
    int64_t *end = std::unique (row, row + 3);
    s.index.insert (s.index.end (), row, end);
    s.start.push_back ((int64_t)s.index.size ());
  }
  return s;
}

static void test_without_hubs ()
{
  const shape s = shape_without_hubs ();
  matrix<double> A (s, false, false, GLA_SPMV_METHOD_AUTO);
  void *prepared = nullptr;
  check (gpu.spmv->prepare (engine, &A.M, &quiet, &prepared) == GLA_OK, "no hubs: prepare");
  check (spmv_matrix_of (prepared)->coded == nullptr, "no hubs: nothing is kept close");
  std::vector<double> x (s.columns, 1), y (s.rows, 7);
  gla_spmv_job job = {};
  job.x = gla_array_packed (x.data (), GLA_TYPE_D, s.columns, 1, 1, GLA_DEVICE_HOST);
  job.y = gla_array_packed (y.data (), GLA_TYPE_D, s.rows, 1, 1, GLA_DEVICE_HOST);
  job.monitor = quiet;
  check (gpu.spmv->product (engine, prepared, &job) == GLA_OK, "no hubs: product");
  check (cudaGetLastError () == cudaSuccess, "no hubs: an error is left");
  const std::vector<z> right = A.times (x.data (), false);
  double worst = 0;
  for (int64_t i = 0; i < s.rows; i++)
    worst = larger (worst, std::abs (z (y[i]) - right[i]));
  check (worst < 60 * eps<double> (), "no hubs: error " + std::to_string (worst));
  gpu.spmv->free (engine, prepared);
}

// y = M*x where x (bad) is not finite: exactly the rows with an entry in that column must not be
// finite.
template <class H>
void check_spread (const matrix<H> &A, const std::vector<H> &y, const std::vector<H> &before,
                   int64_t bad, const std::string &what)
{
  int64_t wrong = 0;
  for (int64_t i = 0; i < A.s.rows; i++) {
    bool reached = std::binary_search (A.s.index.begin () + A.s.start[i],
                                       A.s.index.begin () + A.s.start[i + 1], bad);
    wrong += reached ? std::isfinite (std::abs (z (y[i]))) : !(y[i] == before[i]);
  }
  check (wrong == 0, what + std::to_string (wrong) + " rows");
}

template <class H> void test_hubs (const shape &s, bool pattern)
{
  matrix<H> A (s, pattern, pattern, GLA_SPMV_METHOD_AUTO);
  std::string what = std::string ("hubs type ") + (char)kind<H>::type + (pattern ? " pattern" : "");
  void *prepared = nullptr;
  check (gpu.spmv->prepare (engine, &A.M, &quiet, &prepared) == GLA_OK, what + ": prepare");
  int shared = 0;
  cudaDeviceGetAttribute (&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  const bool close = shared >= 200 << 10 && clusters_work (); // code from 9.0 on, as clusters are
  check (!close || spmv_matrix_of (prepared)->coded != nullptr, what + ": kept close");
  std::vector<H> x (s.columns), y (s.rows, H (7)), before;
  gla_spmv_job job = {};
  job.x = gla_array_packed (x.data (), kind<H>::type, s.columns, 1, 1, GLA_DEVICE_HOST);
  job.y = gla_array_packed (y.data (), kind<H>::type, s.rows, 1, 1, GLA_DEVICE_HOST);
  job.monitor = quiet;
  for (int round = 0; round < 2; round++) { // the same plan, another x
    job.conjugate = round;
    for (H &e : x)
      e = scalar<H> (z (uniform (), uniform ()));
    check (gpu.spmv->product (engine, prepared, &job) == GLA_OK, what + ": product");
    std::vector<z> right = A.times (x.data (), round);
    double worst = 0;
    for (int64_t i = 0; i < s.rows; i++)
      worst = larger (worst,
                      std::abs (z (y[i]) - right[i]) / (1 + (double)(s.start[i + 1] - s.start[i])));
    check (worst < 20 * eps<H> (), what + ": error " + std::to_string (worst / eps<H> ()) + " eps");
  }
  before = y;
  for (int64_t bad :
       {(int64_t)0, s.index.back ()}) { // a hub, and a column that most likely is none
    H kept = x[bad];
    x[bad] = H (bad == 0 ? INFINITY : NAN);
    check (gpu.spmv->product (engine, prepared, &job) == GLA_OK, what + ": product");
    check_spread (A, y, before, bad, what + ": NaN and Inf: ");
    x[bad] = kept;
  }
  check (gpu.spmv->product (engine, prepared, &job) == GLA_OK &&
             memcmp (y.data (), before.data (), y.size () * sizeof (H)) == 0,
         what + ": the same bits again");
  gpu.spmv->free (engine, prepared);
}

#endif
