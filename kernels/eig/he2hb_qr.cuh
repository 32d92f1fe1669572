// he2hb_qr.cuh: the warps of a panel of the reduction to band form, its place in the band
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_HE2HB_QR_CUH
#define GPULINALG_HE2HB_QR_CUH

#include "he2hb.cuh"
#include "hetrd.cuh"
#include "common/panel_qr.cuh"

enum { EIG_BAND_SQUARE = PANEL_SQUARE };

// The warps that have a panel, and what they share.
template <class E> struct band_team : panel_team<E> {
  E *squares; // shared: per warp, 8 by 8
  E *P, *H;   // shared: V'X, then T; T'V'X T / 2
};

// Where the entries of a panel's columns are stored in the band.
template <class T> struct band_columns {
  int n, top; // rows of the page, the panel's first column
  T *band;
};

// The diagonal block to the band, by one warp.
template <class T, int N>
GLA_DEVICE void store_diagonal (const band_columns<T> &p, const numbers<wide<T>, N> &x)
{
  typedef wide<T> E;
  int i = threadIdx.x % 32 / 4;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    int j = threadIdx.x % 4 * 2 + q;
    E value = i == j ? from_real<E> (re (x.get (q))) : x.get (q);
    if (i >= j && p.top + j < p.n)
      p.band[j * (EIG_BANDWIDTH + 1) + i - j] = narrow<T> (value);
  }
}

// R to the band: of column j the entries from the eighth less j on below the diagonal.
template <class T>
GLA_DEVICE void store_triangle (const band_columns<T> &p, const numbers<wide<T>, 4> &x)
{
  int i = threadIdx.x % 32 / 4;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    int j = threadIdx.x % 4 * 2 + q;
    if (i <= j && p.top + j < p.n)
      p.band[j * (EIG_BANDWIDTH + 1) + EIG_BANDWIDTH + i - j] = narrow<T> (x.get (q));
  }
}

#endif
