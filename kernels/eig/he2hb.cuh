// he2hb.cuh: what the kernels of the reduction to band form share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Step k makes a band of columns 8k..8k+7: the QR factorisation of what is below their diagonal
// block by Q = I - V T V', then A <- Q'AQ = A - V W' - W V' for rows and columns from 8k+8 on, with
// W = X T - V (T'V'X T)/2 and X = A V. X comes from the kernel that has the tiles of A, W from the
// next step's panel, and the update is done by the kernel that next needs X: so a step reads and
// writes A once.
//
// V, W and T are kept in double precision for all types, as the tensor cores need them; V and W by
// rows of eight, as fragments of the tensor cores hold two neighbours of a row.

#ifndef GPULINALG_HE2HB_CUH
#define GPULINALG_HE2HB_CUH

#include "hetrd_band.cuh"
#include "common/panel_qr.cuh"
#include "common/scalar.cuh"

static_assert ((int)EIG_BANDWIDTH == (int)PANEL_COLUMNS, "a panel is as wide as the band");

// Rows and columns of a tile of A.
enum { EIG_BAND_TILE = 64 };

// The layout of a page's part of a.panel, in elements of wide<T>, and of T from `part` on. Rows
// n..n+63 of V and W are zero, so that tiles need no test for the end of the page.
template <class T> struct band_scratch {
  int64_t n, tiles;
  __host__ __device__ band_scratch (int order)
      : n (order),
        tiles (order > EIG_BANDWIDTH ? (order - EIG_BANDWIDTH + EIG_BAND_TILE - 1) / EIG_BAND_TILE
                                     : 0)
  {
  }
  // V or W
  __host__ __device__ int64_t rows () const { return (n + EIG_BAND_TILE) * EIG_BANDWIDTH; }
  __host__ __device__ int64_t v (int step) const { return step % 2 * rows (); }
  __host__ __device__ int64_t w () const { return 2 * rows (); }
  __host__ __device__ int64_t t () const { return 3 * rows (); }
  // V'X of the step before, in parts by blocks of 64 rows
  __host__ __device__ int64_t squares () const { return t () + EIG_BANDWIDTH * EIG_BANDWIDTH; }
  __host__ __device__ int64_t part () const
  {
    return squares () + (tiles + 1) * EIG_BANDWIDTH * EIG_BANDWIDTH;
  }
  // elements of a slot of parts: X by rows of eight, from the first row of the tiles on
  __host__ __device__ int64_t slot () const { return tiles * EIG_BAND_TILE * EIG_BANDWIDTH; }
  __host__ __device__ int64_t size () const
  {
    return part () * (int64_t)(sizeof (wide<T>) / sizeof (T)) + tiles * slot ();
  }
};

// Steps that have reflectors; after them at most EIG_BANDWIDTH + 1 rows are left, which are a band.
__host__ __device__ inline int band_reflecting_steps (int n)
{
  return (n - 2) / EIG_BANDWIDTH;
}

// W of the step before, and what that step does to columns 8k..8k+7, which go to V's place. Where
// he2hb_splits does not hold, he2hb_panel does this too; he2hb_page never does.
bool he2hb_splits (int n, int step);
template <class T> cudaError_t he2hb_update (const eig_args<T> &a, int step);
// The QR factorisation of these columns: their band, V and T.
template <class T> cudaError_t he2hb_panel (const eig_args<T> &a, int step);
// The update of the rest by the step before, and its product with V: the parts of X.
template <class T> cudaError_t he2hb_tiles (const eig_args<T> &a, int step);

#endif
