// sparse_hubs.cuh: products of a matrix whose most frequent columns (hubs) a GPU caches
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SPARSE_HUBS_CUH
#define SPARSE_HUBS_CUH

#include "common/cluster.cuh"
#include "spmv/spmv.cuh"
#include "sparse_shapes.cuh"
#include "spmv/job.h"

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
