// measure.cuh: the state of a benchmark run, and the time and correctness of one call
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef MEASURE_CUH
#define MEASURE_CUH

#include "gpulinalg.h"
#include "check_batch.cuh"

#include <cusolverDn.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

struct settings {
  bool quick = false;
  std::string types = "zdcs", sets = "grid,small,values";
  std::vector<int64_t> sizes; // empty: all
  double limit = 1, deadline = 285;
};

struct bench {
  settings set;
  gla_context *ctx = NULL;
  cusolverDnHandle_t cusolver = NULL;
  cudaEvent_t start, stop;
  std::chrono::steady_clock::time_point born, call_start;
  double call_limit = 0; // seconds, for the call that started at call_start
  uint64_t seed = 0;
  bool wrong = false, cut_short = false;
  int64_t jacobi_too_slow[128] = {0}; // smallest n that went over the limit, by type letter
};

// The result of one method for one cell of the table. Seconds are NaN without a time; note says
// why.
struct outcome {
  double seconds = NAN;
  ratios error = {NAN, NAN};
  std::string note;
};

inline double since (std::chrono::steady_clock::time_point t)
{
  return std::chrono::duration<double> (std::chrono::steady_clock::now () - t).count ();
}

//------------------------------------------------------------------------------
// timing
//------------------------------------------------------------------------------

// Calls prepare and work alternately; the median time of work. work returns "" or what went wrong.
inline outcome measure (bench &b, const std::function<void ()> &prepare,
                        const std::function<std::string ()> &work)
{
  outcome out;
  std::vector<double> seconds;
  int calls = 2;
  for (int k = 0; k < calls; k++) {
    b.seed++;
    prepare ();
    cudaDeviceSynchronize ();
    cudaGetLastError (); // what a library left behind is not this call's error
    b.call_limit = k == 0 ? 2 * b.set.limit : b.set.limit; // the first one loads code and buffers
    b.call_start = std::chrono::steady_clock::now ();
    cudaEventRecord (b.start);
    out.note = work ();
    cudaEventRecord (b.stop);
    cudaError_t failed = cudaEventSynchronize (b.stop);
    float ms = NAN;
    if (failed == cudaSuccess)
      failed = cudaEventElapsedTime (&ms, b.start, b.stop);
    if (failed != cudaSuccess && out.note.empty ())
      out.note = cudaGetErrorString (failed);
    if (!out.note.empty ())
      return out;
    if (k > 0)
      seconds.push_back (ms * 1e-3);
    else
      calls = ms > 300 ? 2 : ms > 20 ? 4 : ms > 3 ? 6 : 22; // short ones vary with the host
  }
  std::sort (seconds.begin (), seconds.end ());
  out.seconds = seconds[seconds.size () / 2];
  return out;
}

// Checks the results of the last call; sets the time to NaN if a ratio is above `most` or NaN.
template <class T> void judge (batch<T> &m, outcome &out, double most)
{
  out.error = check (m.A, m.vectors ? m.V : NULL, m.lambda, m.n, m.pages);
  if (!(out.error.residual <= most) || !(out.error.orthogonality <= most)) {
    out.seconds = NAN;
    out.note = "wrong result";
  }
}

#endif
