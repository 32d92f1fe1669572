// random.h: the random vectors that Lanczos starts from, the same on every backend
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_RANDOM_H
#define GPULINALG_RANDOM_H

#include <stdint.h>

#ifdef __CUDACC__
#define GLA_BOTH_SIDES __host__ __device__
#else
#define GLA_BOTH_SIDES
#endif

// Number `at` of the sequence of this seed, uniform in (-1, 1); the finaliser of splitmix64
// (Steele, Lea, Flood 2014). Imaginary parts are those of seed ^ GLA_IMAGINARY_SEED.
enum { GLA_IMAGINARY_SEED = 0x5bf03635 };

GLA_BOTH_SIDES static inline double gla_krylov_random (uint64_t seed, uint64_t at)
{
  uint64_t z = (seed + 1) * 0xd1342543de82ef95u + at * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(int64_t)(z >> 11) * 0x1p-52 - 1;
}

#endif
