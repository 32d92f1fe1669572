// solve_lanes_inverse.cuh: inverses of pages of order up to 32, in the lanes of solve_lanes.cuh
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Gauss-Jordan elimination in place. In a step the column of the pivot leaves the registers at one
// end and the new column of the inverse enters at the other; rows are divided by their pivots at
// the end. The inverse of a definite page is the mean of what comes out and its adjoint: to mirror
// one triangle would not do, since they differ by the condition number times rounding errors.

#ifndef GPULINALG_SOLVE_LANES_INVERSE_CUH
#define GPULINALG_SOLVE_LANES_INVERSE_CUH

#include "solve_lanes_columns.cuh"

template <class T, class L> struct lanes_inverse {
  typedef real_t<T> real;
  static constexpr int N = L::N, G = L::G, R = L::R, LD = L::LD, OPEN = INT_MAX;
  lanes_page<T, L> &w;
  T reciprocal[R]; // of the pivots of this lane's rows

  GLA_DEVICE void eliminate (int k)
  {
    const int p = w.search (k), lane = p % G, slot = p / G;
    T column[R], f[R];
#pragma unroll
    for (int r = 0; r < R; r++)
      column[r] = w.x[r][0];
    T pivot = w.template of_pivot<false> (column, lane, slot);
    if (w.definite)
      pivot = from_real<T> (re (pivot));
    bool good;
    const T inverse = pivot_reciprocal (pivot, good);
    good = good && (!w.definite || re (pivot) > 0);
    w.failed = w.failed == 0 && !good ? k + 1 : w.failed;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool mine = w.row (r) == p;
      f[r] = mine ? from_real<T> (0) : column[r] * inverse;
      reciprocal[r] = mine ? inverse : reciprocal[r];
      w.step[r] = mine ? k : w.step[r];
    }
    if (w.l == 0)
      w.order[k] = p;
#pragma unroll
    for (int j = 1; j < N; j++) {
#pragma unroll
      for (int r = 0; r < R; r++)
        column[r] = w.x[r][j];
      const T u = w.template of_pivot<false> (column, lane, slot);
#pragma unroll
      for (int r = 0; r < R; r++)
        w.x[r][j - 1] = subtract_product (column[r], f[r], u);
    }
#pragma unroll
    for (int r = 0; r < R; r++)
      w.x[r][N - 1] = w.row (r) == p ? from_real<T> (1) : -f[r];
  }

  // The inverse to shared memory; without columns that the page does not have.
  GLA_DEVICE void invert ()
  {
    w.failed = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      w.step[r] = w.row (r) < w.n ? OPEN : -1;
      reciprocal[r] = from_real<T> (0);
    }
#pragma unroll 1
    for (int k = 0; k < w.n; k++)
      eliminate (k);
    __syncwarp ();
#pragma unroll
    for (int j = 0; j < N; j++) {
      const int k = j - (N - w.n), column = k >= 0 ? w.order[k] : 0;
#pragma unroll
      for (int r = 0; r < R; r++)
        if (k >= 0 && w.row (r) < w.n)
          w.tile[column * LD + w.step[r]] = w.x[r][j] * reciprocal[r];
    }
    __syncwarp ();
  }

  // The 1-norm of what is in shared memory; NaN wins.
  GLA_DEVICE real norm () const
  {
    real most = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      real sum = 0;
      for (int i = 0; i < w.n && w.row (r) < w.n; i++)
        sum += magnitude_of (w.tile[w.row (r) * LD + i]);
      most = sum > most || sum != sum ? sum : most;
    }
    return w.largest (most);
  }

  GLA_DEVICE void store (const lu_args<T> &a, int64_t page) const
  {
    const bool good = w.finite && w.failed == 0;
    const T filling = lu_filling<T> (w.finite);
    const real down = times_power (real (1), -w.exponent);
    T *X = a.X + page * a.x_page;
    for (int j = 0; j < w.n; j++)
#pragma unroll
      for (int r = 0; r < R; r++) {
        const int i = w.row (r);
        if (i >= w.n)
          continue;
        T value = w.tile[j * LD + i];
        if (w.definite)
          value = lu_mean (value, w.tile[i * LD + j]);
        value = w.exponent == 0 ? value : scale (down, value);
        X[i + j * a.x_column] = good ? value : filling;
      }
  }
};

// The pages of a warp, one for each group of lanes; of those that are `done` nothing is stored.
// Without X only the condition is computed, and no info.
template <class T, class L>
GLA_DEVICE void lanes_invert (lanes_page<T, L> &w, const lu_args<T> &a, int64_t page, bool done)
{
  lanes_inverse<T, L> inverse = {w, {}};
  bool general = false; // the page turned out not to be definite
  while (true) {
    T top[L::R];
    w.load (a, page, top);
    w.find_kind (top, false, a.transposed || a.rcond != nullptr);
    w.definite = w.definite && !general;
    w.fixed = w.fixed && !general;
    if (a.rcond != nullptr)
      w.find_norm (a);
    w.turn (a);
    inverse.invert ();
    const bool again = w.definite && w.failed != 0;
    if (!__any_sync (0xffffffffu, again))
      break;
    general |= again;
  }
  if (a.rcond != nullptr) {
    const real_t<T> rcond = lu_rcond (w.norm, inverse.norm (), w.finite, w.failed != 0);
    if (!done && w.l == 0)
      a.rcond[page * a.rcond_stride] = rcond;
  }
  if (!a.inverse || done)
    return;
  inverse.store (a, page);
  if (w.l == 0)
    store_info (a, page, !w.finite ? a.n + 1 : -w.failed);
}

template <class T, class L>
__global__ void __launch_bounds__ (32 * L::WARPS) lu_inverse_kernel (lu_args<T> a)
{
  __shared__ T tiles[L::WARPS * L::PAGES * L::PAGE];
  __shared__ int orders[L::WARPS * L::PAGES * L::N];
  lanes_page<T, L> w;
  const int64_t wanted =
      (int64_t)blockIdx.x * (L::WARPS * L::PAGES) + lanes_group (w, a, tiles, orders);
  const bool done = wanted >= a.pages;
  if (!__all_sync (0xffffffffu, done))
    lanes_invert (w, a, done ? a.pages - 1 : wanted, done);
}

// The pages that solve_thread.cuh has left, most often none. A block looks at the info of as many
// pages as it does in `rounds` rounds, side by side, because a block that finds nothing costs more
// than what it reads.
template <class T, class L>
__global__ void __launch_bounds__ (32 * L::WARPS) lu_pending_kernel (lu_args<T> a, int rounds)
{
  __shared__ T tiles[L::WARPS * L::PAGES * L::PAGE];
  __shared__ int orders[L::WARPS * L::PAGES * L::N];
  enum { EACH = L::WARPS * L::PAGES };
  lanes_page<T, L> w;
  const int place = lanes_group (w, a, tiles, orders);
  const int64_t first = (int64_t)blockIdx.x * rounds * EACH;
  const int64_t end = first + rounds * EACH < a.pages ? first + rounds * EACH : a.pages;
  int32_t left = 0;
#pragma unroll 4
  for (int64_t p = first + threadIdx.x; p < end; p += 32 * L::WARPS)
    left |= a.info[p];
  if (!__syncthreads_or (left))
    return;
#pragma unroll 1
  for (int64_t page = first + place; page - place < end; page += EACH) {
    const bool done = page >= end || a.info[page] == 0;
    if (__all_sync (0xffffffffu, done))
      continue;
    lanes_invert (w, a, page < end ? page : end - 1, done);
    __syncwarp ();
  }
}

#endif
