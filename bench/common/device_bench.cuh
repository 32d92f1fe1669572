// device_bench.cuh: allocation, timing and options of the benchmarks on device arrays
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DEVICE_BENCH_CUH
#define GPULINALG_DEVICE_BENCH_CUH

#include "random_batch.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

static void must (int failed, const char *what)
{
  if (failed == 0)
    return;
  fprintf (stderr, "%s failed with %d\n", what, failed);
  exit (1);
}

template <class T> __global__ void fill_kernel (T *a, int64_t count, uint64_t seed)
{
  typedef typename scalar<T>::real R;
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  R *to = reinterpret_cast<R *> (a + i);
  to[0] = (R)uniform (seed + 2 * i);
  if (scalar<T>::complex)
    to[1] = (R)uniform (seed + 2 * i + 1);
}

// Median milliseconds of a call, after a warm-up call that loads code and allocates buffers.
static double measure (const std::function<void ()> &prepare, const std::function<void ()> &work)
{
  cudaEvent_t start, stop;
  cudaEventCreate (&start);
  cudaEventCreate (&stop);
  std::vector<float> times;
  int calls = 3;
  for (int c = 0; c < calls; c++) {
    prepare ();
    cudaDeviceSynchronize ();
    cudaEventRecord (start);
    work ();
    cudaEventRecord (stop);
    must (cudaEventSynchronize (stop), "work");
    float ms = 0;
    cudaEventElapsedTime (&ms, start, stop);
    if (c > 0)
      times.push_back (ms);
    else
      calls = ms > 300 ? 3 : ms > 30 ? 5 : 9;
  }
  std::sort (times.begin (), times.end ());
  return times[times.size () / 2];
}

#endif
