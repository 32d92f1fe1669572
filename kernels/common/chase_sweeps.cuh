// chase_sweeps.cuh: how many sweeps of a bulge chase are active at the same time
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CHASE_SWEEPS_CUH
#define GPULINALG_CHASE_SWEEPS_CUH

// Of a matrix of order n and tasks of B rows: at most, as each sweep is two tasks behind the one
// before it.
template <int B> __host__ __device__ constexpr int sweeps_at_once (int n)
{
  return n / (2 * B) + 2;
}

// A power of two that is not less.
template <int B> __host__ __device__ constexpr int slots_for (int n)
{
  int slots = 1;
  while (slots < sweeps_at_once<B> (n))
    slots *= 2;
  return slots;
}

#endif
