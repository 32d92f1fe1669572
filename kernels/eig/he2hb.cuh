// he2hb.cuh: what the kernels of the reduction to band form share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Step k makes columns 8k..8k+7 a band. The part below their diagonal block has the QR
// factorisation with Q = I - V T V'; then A <- Q'AQ = A - V W' - W V' for rows and columns from
// 8k+8 on, with W = X T - V (T'V'X T)/2 and X = A V. The kernel that has the tiles of A computes X,
// the panel kernel of the next step computes W, and the kernel that needs X next does the update:
// so a step reads and writes A once.
//
// V, W and T are double for all types, as the tensor cores need them. V and W have rows of eight,
// since fragments of the tensor cores hold two adjacent entries of a row. Included by
// he2hb_panel.cuh, he2hb_tiles.cu and page_tiles.cuh.

#ifndef GPULINALG_HE2HB_CUH
#define GPULINALG_HE2HB_CUH

#include "common/panel_qr.cuh"
#include "common/scalar.cuh"
#include "eig_kernels.cuh"
#include "hetrd.cuh"

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
  // V'X of the previous step, in parts by blocks of 64 rows
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

// Makes W of the previous step, and applies that step to columns 8k..8k+7, which go to V's place.
// If he2hb_splits is false, he2hb_panel does this too; he2hb_page never does.
bool he2hb_splits (int n, int step);
template <class T> cudaError_t he2hb_update (const eig_args<T> &a, int step);
// The QR factorisation of these columns: their band, V and T.
template <class T> cudaError_t he2hb_panel (const eig_args<T> &a, int step);
// The update of the rest by the step before, and its product with V: the parts of X.
template <class T> cudaError_t he2hb_tiles (const eig_args<T> &a, int step);

//------------------------------------------------------------------------------
// the warps of a panel of the reduction to band form, its place in the band
//------------------------------------------------------------------------------

enum { EIG_BAND_SQUARE = PANEL_SQUARE };

// The warps that factor a panel, and what they share.
template <class E> struct band_team : panel_team<E> {
  E *squares; // shared: per warp, 8 by 8
  E *P, *H;   // shared: V'X, then T; T'V'X T / 2
};

// Where the entries of a panel's columns are stored in the band.
template <class T> struct band_columns {
  int n, top; // rows of the page, the panel's first column
  T *band;
};

// One warp stores the diagonal block in the band.
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

// Stores R in the band: of column j the entries from row 8 - j below the diagonal on.
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
