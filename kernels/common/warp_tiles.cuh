// warp_tiles.cuh: tiles of 8 by 8 in the registers of a warp, and their products
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A tile stands as the tensor cores leave their sums: lane 4*g+t has (g, 2*t) and (g, 2*t+1). In
// this layout a tile X is the left factor of X*Y' and Y the right one, when the inner index is
// taken in the order of the registers. In double precision for all types.

#ifndef GPULINALG_WARP_TILES_CUH
#define GPULINALG_WARP_TILES_CUH

#include "mma.cuh"
#include "wide.cuh"

template <class T> struct warp_tiles {
  typedef wide<T> W;
  static constexpr bool C = is_complex_v<W>;
  static constexpr unsigned ALL = 0xffffffffu;
  struct tile {
    W x[2];
  };

  GLA_DEVICE static int g () { return threadIdx.x % 32 / 4; }
  GLA_DEVICE static int t () { return threadIdx.x % 4; }

  GLA_DEVICE static W from (W x, int lane)
  {
    if constexpr (C)
      return {__shfl_sync (ALL, x.x, lane), __shfl_sync (ALL, x.y, lane)};
    else
      return __shfl_sync (ALL, x, lane);
  }

  GLA_DEVICE static W promote (real_t<T> a) { return from_real<W> ((double)a); }
  template <class E> GLA_DEVICE static W promote (cx<E> a) { return {(double)a.x, (double)a.y}; }

  // c -= u*v', or u*v.' with `plain`
  GLA_DEVICE static void subtract (tile &c, const tile &u, const tile &v, bool plain = false)
  {
    mma_tile<C> sum;
    for (int x = 0; x < 2; x++) {
      sum.re[x] = re (c.x[x]);
      if constexpr (C)
        sum.im[x] = im (c.x[x]);
    }
#pragma unroll
    for (int x = 0; x < 2; x++)
      mma_subtract (sum, mma_entry_of (u.x[x]), mma_entry_of (conj_if (v.x[x], !plain)));
    for (int x = 0; x < 2; x++)
      if constexpr (C)
        c.x[x] = {sum.re[x], sum.im[x]};
      else
        c.x[x] = sum.re[x];
  }
  // u*v', or u*v.' with `plain`
  GLA_DEVICE static tile multiply (const tile &u, const tile &v, bool plain = false)
  {
    tile c = {{from_real<W> (0), from_real<W> (0)}};
    subtract (c, u, v, plain);
    for (int x = 0; x < 2; x++)
      c.x[x] = -c.x[x];
    return c;
  }
  // v.'
  GLA_DEVICE static tile turn (const tile &v)
  {
    tile c;
#pragma unroll
    for (int x = 0; x < 2; x++) {
      const int lane = (2 * t () + x) * 4 + g () / 2;
      const W even = from (v.x[0], lane), odd = from (v.x[1], lane);
      c.x[x] = g () % 2 ? odd : even;
    }
    return c;
  }
};

#endif
