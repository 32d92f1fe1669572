// work_limits.cuh: how much work is launched, how much memory is taken, how often is polled
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Used by the host code of all topics.

#ifndef GPULINALG_WORK_LIMITS_CUH
#define GPULINALG_WORK_LIMITS_CUH

// Predicted seconds of work that is launched before the host waits for it and polls the monitor: a
// request to stop is served after about this time.
const double PIECE_SECONDS = 0.03;

// Seconds between two polls of the monitor while the host waits.
const double POLL_SECONDS = 0.02;

// Bytes of host arrays in a chunk, so that the copies of one overlap the kernels of another.
const double CHUNK_BYTES = 64e6;

// The share of the free device memory that chunks may take, all slots together.
const double MEMORY_SHARE = 0.6;

// Predicted seconds of overhead of any call, and bytes per second between the host and a GPU.
const double CALL_SECONDS = 5e-4, LINK_RATE = 18e9;

// Multiprocessors of the GPU whose measured times the predictions were fitted to (an H200). Times
// scale with the number that the device in use has.
const double FITTED_MULTIPROCESSORS = 132;

//------------------------------------------------------------------------------
// how many sweeps of a bulge chase are active at the same time
//------------------------------------------------------------------------------

// The most sweeps of a matrix of order n with tasks of B rows that are active at once: each sweep
// is two tasks behind the one before it.
template <int B> __host__ __device__ constexpr int sweeps_at_once (int n)
{
  return n / (2 * B) + 2;
}

// The smallest power of two that is at least as large.
template <int B> __host__ __device__ constexpr int slots_for (int n)
{
  int slots = 1;
  while (slots < sweeps_at_once<B> (n))
    slots *= 2;
  return slots;
}

#endif
