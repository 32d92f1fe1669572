// svd_band.cuh: singular values alone by a reduction to a band: pages, work space, kernels
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two stages (Lang 1996; Haidar, Ltaief, Luszczek, Dongarra 2012), as in the reduction of Hermitian
// pages (eig/eig_kernels.cuh). Step k of the first one makes rows 8k..8k+7 of an upper band matrix
// with eight diagonals above the main one: the QR factorisation of columns 8k..8k+7 by Q = I -
// V T V', then that of the adjoint of rows 8k..8k+7 right of these columns by P = I - U S U':
//
//   A <- Q'A P = A - V W' - Z U', W = A'V T, Z = (A U - V W'U) S.
//
// A is read twice in a step and written once: the kernel that multiplies by V applies what the step
// before left. The second stage chases the band to two diagonals.
//
// V, W, Z and U are kept in double precision for all types, as the tensor cores need them, by rows
// of eight.

#ifndef GPULINALG_SVD_BAND_CUH
#define GPULINALG_SVD_BAND_CUH

#include "common/panel_qr.cuh"
#include "common/scalar.cuh"
#include "svd.cuh"

// Columns of a panel, and rows and columns of a tile of A or its adjoint.
enum { SVD_BAND = PANEL_COLUMNS, SVD_BAND_TILE = 64, SVD_BAND_WIDE = 2 * SVD_BAND_TILE };

// The largest number of columns for which this is faster than a block for each page, as measured,
// and of rows.
enum { SVD_BAND_MOST = 1024 };
inline int64_t svd_band_least (gla_type type)
{
  return type == GLA_TYPE_Z ? 193 : type == GLA_TYPE_S ? 257 : 225;
}

// Of the band in the second stage: numbers of a row, its diagonal at SVD_BAND - 1.
enum { SVD_CHASE_LD = 3 * SVD_BAND };

// The layout of a page's work space, in elements of T; m >= n. Behind the last rows of V, W, Z and
// U there are 64 of zeros, and rows m..ld-1 of A are zero, so that tiles need no care there.
template <class T> struct svd_band_layout {
  static constexpr int64_t WIDE = sizeof (wide<T>) / sizeof (T);
  int64_t m, n;
  __host__ __device__ svd_band_layout (int64_t rows, int64_t columns) : m (rows), n (columns) {}
  __host__ __device__ int64_t ld () const { return (m + 7) / 8 * 8; }
  __host__ __device__ int64_t factor () const { return (m + SVD_BAND_TILE) * SVD_BAND; }
  // in elements of wide<T>; two of V, for this step and the one before
  __host__ __device__ int64_t v (int step) const { return step % 2 * factor (); }
  __host__ __device__ int64_t w () const { return 2 * factor (); }
  __host__ __device__ int64_t z () const { return 3 * factor (); }
  __host__ __device__ int64_t u () const { return 4 * factor (); }
  __host__ __device__ int64_t t () const { return 5 * factor (); }
  __host__ __device__ int64_t s () const { return t () + PANEL_SQUARE; }
  __host__ __device__ int64_t wu () const { return s () + PANEL_SQUARE; }
  // in elements of T
  __host__ __device__ int64_t page () const { return (wu () + PANEL_SQUARE) * WIDE; }
  // parts of products by tiles, by rows of eight
  __host__ __device__ int64_t part () const { return page () + ld () * n; }
  __host__ __device__ int64_t tiles () const { return (m + SVD_BAND_WIDE - 1) / SVD_BAND_WIDE; }
  __host__ __device__ int64_t slot () const { return factor (); }
  // entry (i, i+r) at i*(SVD_BAND + 1) + r
  __host__ __device__ int64_t band () const { return part () + tiles () * slot (); }
  __host__ __device__ int64_t size () const { return band () + (n * (SVD_BAND + 1) + 7) / 8 * 8; }
};

// What the kernels of the first stage know of the pages.
template <class T> struct svd_band_args {
  typedef wide<T> E;
  T *work; // svd_band_layout of each page
  const int32_t *info;
  int64_t pages;
  int m, n;
  cudaStream_t stream;
  __host__ __device__ svd_band_layout<T> layout () const { return {m, n}; }
  GLA_DEVICE T *page (int64_t p) const { return work + p * layout ().size (); }
};

// The panel of columns of a step: makes Z of the previous step, V and T of this one.
template <class T> cudaError_t svd_band_columns (const svd_band_args<T> &a, int step);
// The panel of rows: W, U, S and W'U.
template <class T> cudaError_t svd_band_rows (const svd_band_args<T> &a, int step);
// Updates A by the previous step, and makes the parts of A'V.
template <class T> cudaError_t svd_band_left (const svd_band_args<T> &a, int step);
// The parts of A U.
template <class T> cudaError_t svd_band_right (const svd_band_args<T> &a, int step);
// The second stage: d and e from the band.
template <class T>
cudaError_t svd_band_chase (const svd_band_args<T> &a, real_t<T> *d, real_t<T> *e, int smem_limit);

// Seconds of a page in a batch, but for the bisection, and of one that waits for its own steps.
struct svd_band_cost {
  double page, latency;
};
svd_band_cost svd_band_costs (gla_type type, double rows, double columns);

// A caller calls these one after the other; v.rest has svd_band_layout of each page. The first one
// copies pages to the work space, with scale and info; then come steps first..last-1 of the first
// stage, of svd_band_step_count; the last one makes d and e.
constexpr int svd_band_step_count (int n)
{
  return (n + SVD_BAND - 1) / SVD_BAND;
}
template <class T> cudaError_t svd_band_begin (const svd_values_args<T> &v);
template <class T> cudaError_t svd_band_steps (const svd_values_args<T> &v, int first, int last);
template <class T> cudaError_t svd_band_end (const svd_values_args<T> &v, int smem_limit);

#endif
