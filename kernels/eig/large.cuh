// large.cuh: one page of more rows than the other kernels take, by the whole GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two stages, and both are undone for the eigenvectors (LAPACK's ?hetrd_2stage; Haidar, Ltaief,
// Dongarra 2011):
//   1. A is reduced to a band of LARGE_BAND diagonals below the main one. A panel of as many
//      columns is factored by blocks that wait for each other (large_panel.cu); all the rest are
//      products of matrices by cuBLAS (large_band.cu).
//   2. The band is chased to two diagonals, a block to a sweep (large_chase.cu). The reflectors of
//      LARGE_BAND sweeps at one place along the band make a diamond, whose columns are shifted by
//      a row each.
//   3. Divide and conquer, with the workspace of large nodes in global memory (large_merge.cu).
//   4. V = Q1 Q2 Z: diamonds applied to strips of columns in registers (large_diamonds.cu,
//      large_chased.cu), then blocks of LARGE_WIDE reflectors of the first stage by cuBLAS
//      (large_back.cu).
// Pages are done one after the other, so a page has the same bits in every batch.

#ifndef GPULINALG_LARGE_CUH
#define GPULINALG_LARGE_CUH

#include "common/cluster.cuh"
#include "common/pages.cuh"
#include "common/scalar.cuh"
#include "eig_kernels.cuh"
#include "engine/cublas.cuh"
#include "engine/engine.cuh"

enum {
  LARGE_BAND = 32,                // diagonals of the band below the main one; columns of a panel
  LARGE_LD = 2 * LARGE_BAND,      // entries of a column of the band with its fill
  LARGE_MESSAGE = LARGE_BAND + 2, // room of a message of large_chase.cu
  LARGE_WIDE = 128,               // reflectors that one product applies
  LARGE_PANEL_ROWS = 128,         // rows of a block of large_panel.cu, or twice as many
  LARGE_SECOND_ROWS = 64,         // rows of a block of large_second.cu
  LARGE_MAX = 32768,
  LARGE_SHARED = 208 * 1024 // bytes of shared memory that a block must be allowed to have
};

// Panels of the first stage.
__host__ __device__ inline int large_panels (int n)
{
  return (n - 1) / LARGE_BAND;
}

// Panels whose updates of the rest are done together: where the rest is large, an update by one
// panel is limited by memory.
__host__ __device__ inline int large_delay (int n)
{
  return n < 6144 ? 1 : 8;
}

//------------------------------------------------------------------------------
// diamonds
//------------------------------------------------------------------------------

// Reflector t of sweep s has rows s+1+LARGE_BAND*t and the next LARGE_BAND - 1. Diamond (g, t) has
// reflectors t of sweeps LARGE_BAND*g and the next ones, as columns of 2*LARGE_BAND rows. Of its
// tiles of 8 by 8 numbers those that are not zero are kept, five of each column of tiles, by
// columns; then the tiles of its triangular factor from the diagonal on, by rows. Everything is in
// double, as the tensor cores take it.
enum {
  DIAMOND_SIDE = LARGE_BAND / 8, // tiles
  DIAMOND_TILES = DIAMOND_SIDE * (DIAMOND_SIDE + 1),
  DIAMOND_FACTOR_TILES = DIAMOND_SIDE * (DIAMOND_SIDE + 1) / 2,
  DIAMOND_NUMBERS = 64 * (DIAMOND_TILES + DIAMOND_FACTOR_TILES)
};

// The diamonds of a page: group g has rows_of_groups - g of them.
struct diamond_list {
  int groups;
  __host__ __device__ diamond_list (int n) : groups ((n - 1 + LARGE_BAND - 1) / LARGE_BAND) {}
  __host__ __device__ int64_t index (int g, int t) const
  {
    return (int64_t)g * groups - (int64_t)g * (g - 1) / 2 + t;
  }
  __host__ __device__ int64_t count () const { return (int64_t)groups * (groups + 1) / 2; }
};

// Row r of column c of a diamond, which is 0 but for 0 <= r - c < LARGE_BAND.
GLA_DEVICE int diamond_place (int r, int c)
{
  return ((c / 8) * (DIAMOND_SIDE + 1) + r / 8 - c / 8) * 64 + c % 8 * 8 + r % 8;
}
// Tile (I, J) of the triangular factor, I <= J.
GLA_DEVICE constexpr int diamond_factor_tile (int I, int J)
{
  return DIAMOND_TILES + I * DIAMOND_SIDE - I * (I - 1) / 2 + J - I;
}

//------------------------------------------------------------------------------
// memory and kernels
//------------------------------------------------------------------------------

// The work space of a page beside that of eig_args.
template <class T> struct large_work {
  T *band;            // (n + LARGE_LD) * LARGE_LD: entry (i, j) at j*LARGE_LD + i-j
  T *factors;         // n rows, 2*LARGE_BAND columns: V and X of the panel
  T *pending[2];      // n rows: [V W] and [W V] of the panels whose update is not done
  T *inner;           // Q'V of these and a panel
  T *partial;         // what blocks exchange in large_panel.cu and large_second.cu
  T *panel_factors;   // LARGE_BAND^2 for each panel: its triangular factor
  unsigned *counters; // for each panel: blocks at the barriers of these two, first all of one
  int *progress;      // 2 for each sweep, of large_chase.cu
  T *messages;        // 2*LARGE_MESSAGE for each group of diamonds, of large_chase.cu
  wide<T> *diamonds;  // DIAMOND_NUMBERS each
  T *diamond_taus;    // LARGE_BAND each
  T *wide_factors;    // LARGE_WIDE^2 for each block of the first stage
  T *product[2];      // LARGE_WIDE rows, n columns
  char *prepare;      // eig_large_prepare_bytes ()
};

// One page: eig_args of it alone, with its work space.
template <class T> struct large_page : eig_args<T> {
  large_work<T> work;
  gpu_blas *blas;
};

// Stage 1, a panel: W -> work.band, and V, with its ones and zeros, to the panel's columns of W.
// large_panel also copies V into work.pending from column `pending` on. large_split is called last:
// it copies what is left of W to the band, and clears W above the V.
template <class T> gla_status large_band (const large_page<T> &a, int panel);
template <class T> cudaError_t large_panel (const large_page<T> &a, int panel, int64_t pending);
template <class T> cudaError_t large_split (const large_page<T> &a);

// Stage 2, sweeps first..last-1 of n-1: the band -> e and, with vectors, diamonds without their
// triangular factors; large_diagonal writes d in the end.
template <class T> cudaError_t large_chase (const large_page<T> &a, int first, int last);
template <class T> cudaError_t large_diagonal (const large_page<T> &a);

// The triangular factors of all diamonds, the columns of Z in ascending order to V, and V = Q2 V by
// groups of diamonds, large_groups_together a pass, from the last one to the first: `top` is the
// last of a pass.
template <class T> cudaError_t large_diamond_factors (const large_page<T> &a);
template <class T> cudaError_t large_order (const large_page<T> &a);
template <class T> int large_groups_together (const large_page<T> &a);
template <class T> cudaError_t large_chased (const large_page<T> &a, int top);

// V = Q1 V: triangular factors of all blocks of LARGE_WIDE reflectors, then block by block from the
// last one.
inline int large_wide_blocks (int n)
{
  return (large_panels (n) * LARGE_BAND + LARGE_WIDE - 1) / LARGE_WIDE;
}
template <class T> gla_status large_wide_factors (const large_page<T> &a);
template <class T> gla_status large_back (const large_page<T> &a, int block);

// Eigenvalues in ascending order, and the phase of V; NaN where info is not 0.
template <class T> cudaError_t large_sort (const large_page<T> &a);
template <class T> cudaError_t large_phase (const large_page<T> &a);

// The second factor W of the update by a panel, to its places in work.pending.
template <class T> cudaError_t large_second (const large_page<T> &a, int panel, int64_t pending);

//------------------------------------------------------------------------------
// large pages in the view of the engine
//------------------------------------------------------------------------------

// Pages of more rows are waited for piece by piece. Smaller ones take less than 0.1 s, and those of
// all slots are at work at the same time, since none fills the GPU.
enum { LARGE_WAIT_FROM = 3072 };

// The work space of one page, which all pages of a chunk use one after the other; of eig_args these
// are Z, stedc, d, e and rank, too.
template <class T> void eig_large_lay_out (int n, int vectors, carver &c, large_work<T> *w);

// Behind large_sort, of an interval: spans, and its first and number as first * (n + 1) + number.
template <class T>
cudaError_t large_span (const large_page<T> &a, const eig_interval &interval, int *packed);

// A -> lambda, V, info, skew for all pages of a chunk. It waits for the work on the way and polls
// the monitor. Of an interval up to LARGE_WAIT_FROM rows it ends with the eigenvalues, for a chunk
// of one page: once e->counter[slot] has what large_span packs, eig_large_rest finds the vectors.
template <class T>
gla_status eig_large (cuda_engine *e, int slot, const eig_args<T> &chunk,
                      const large_work<T> &work);
template <class T>
gla_status eig_large_rest (cuda_engine *e, int slot, const eig_args<T> &chunk,
                           const large_work<T> &work);

#endif
