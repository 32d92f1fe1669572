// carver.cuh: pieces of an arena
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CARVER_CUH
#define GPULINALG_CARVER_CUH

#include <cstddef>
#include <cstdint>

// Carves pieces out of an arena; with a NULL base it only counts.
struct carver {
  char *base;
  size_t used;
  template <class P> P *take (int64_t count)
  {
    P *piece = base == nullptr ? nullptr : reinterpret_cast<P *> (base + used);
    used += ((size_t)count * sizeof (P) + 255) / 256 * 256;
    return piece;
  }
};

#endif
