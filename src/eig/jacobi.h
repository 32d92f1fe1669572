// jacobi.h: what the Jacobi methods of both backends share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_JACOBI_H
#define GPULINALG_JACOBI_H

#ifdef __CUDACC__
#define GLA_INLINE __host__ __device__ static inline
#else
#define GLA_INLINE static inline
#endif

// Round-robin ordering of Brent and Luk: in round r of m-1 (m even) the m players form m/2 disjoint
// pairs, and in m-1 rounds each pair meets once. Pair k of round r is (*p, *q) with *p < *q. Player
// m-1 stays, the others rotate. For odd n use m = n+1 and leave out pairs with *q == n.
GLA_INLINE void gla_round_robin (int m, int r, int k, int *p, int *q)
{
  int a = k == 0 ? m - 1 : (r + k) % (m - 1);
  int b = k == 0 ? r : (r - k + m - 1) % (m - 1);
  *p = a < b ? a : b;
  *q = a < b ? b : a;
}

#endif
