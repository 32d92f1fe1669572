// solve_lanes_columns.cuh: right-hand sides and inverses of the pages of solve_lanes.cuh
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SOLVE_LANES_COLUMNS_CUH
#define GPULINALG_SOLVE_LANES_COLUMNS_CUH

#include "solve_lanes.cuh"
#include "solve_tiles.cuh"

//------------------------------------------------------------------------------
// systems with the pages of solve_lanes.cuh
//------------------------------------------------------------------------------

// One page, and whether its results are stored: a group without a page repeats another.
template <class T, class L> struct lanes_call {
  typedef real_t<T> real;
  static constexpr int N = L::N, G = L::G, R = L::R, LD = L::LD;
  const lu_args<T> &a;
  lanes_page<T, L> &w;
  int64_t page, end; // columns of B up to `end` are solved for
  bool stores;
  const T *at[R]; // the factors of this lane's rows, in the order of the pivots
  int source[R];  // rows of B for them
  real down;      // 2^-exponent

  // Loads columns first .. of B in the rows of this lane's pivots, zero beyond the last ones.
  template <int C, class E>
  GLA_DEVICE void load_from (const E *B, int64_t first, T (&z)[R][C]) const
  {
    E b[R][C];
#pragma unroll
    for (int c = 0; c < C; c++) {
      const E *column = B + (first + c < end ? first + c : end - 1) * a.b_column;
#pragma unroll
      for (int r = 0; r < R; r++)
        b[r][c] = column[source[r] * a.b_row];
    }
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < C; c++) {
        const T e = lanes_page<T, L>::promote (b[r][c]);
        const bool there = w.row (r) < w.n && first + c < end;
        z[r][c] = !there ? from_real<T> (0) : w.exponent == 0 ? e : scale (down, e);
      }
  }
  template <int C> GLA_DEVICE void load_right_sides (int64_t first, T (&z)[R][C]) const
  {
    if constexpr (is_complex_v<T>)
      if (a.b_real) {
        const page_operand<real> B = {reinterpret_cast<const real *> (a.B.data), a.B.ld, a.B.page,
                                      a.B.index};
        load_from (B.at (page), first, z);
        return;
      }
    load_from (a.B.at (page), first, z);
  }

  GLA_DEVICE void put (int64_t i, int64_t c, T value) const
  {
    const bool good = w.finite && w.failed == 0;
    a.X[page * a.x_page + i * a.x_row + c * a.x_column] = good ? value : lu_filling<T> (false);
  }

  // Loads the first column before the page is factored: rows are where A has them.
  GLA_DEVICE void load_first ()
  {
#pragma unroll
    for (int r = 0; r < R; r++)
      source[r] = w.row (r) < w.n ? w.row (r) : 0;
    down = times_power (real (1), -w.exponent);
    T z[R][1];
    load_right_sides (0, z);
#pragma unroll
    for (int r = 0; r < R; r++)
      w.y[r] = z[r][0];
  }

  GLA_DEVICE void take_order ()
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      at[r] = w.factors (r);
      source[r] = w.row (r) < w.n ? w.order[w.row (r)] : 0;
    }
    down = times_power (real (1), -w.exponent);
  }

  GLA_DEVICE void solve_first ()
  {
    T z[R][1];
    T *space = w.tile + N * LD;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (w.row (r) < w.n)
        space[w.row (r)] = w.y[r];
    __syncwarp ();
#pragma unroll
    for (int r = 0; r < R; r++)
      z[r][0] = w.row (r) < w.n ? space[source[r]] : from_real<T> (0);
    w.backward (z, at);
#pragma unroll
    for (int r = 0; r < R; r++)
      if (stores && w.row (r) < w.n)
        put (w.row (r), 0, z[r][0]);
  }

  template <int C> GLA_DEVICE void solve_some (int64_t first)
  {
    T z[R][C];
    load_right_sides (first, z);
    w.forward (z, at);
    w.backward (z, at);
#pragma unroll
    for (int c = 0; c < C; c++)
#pragma unroll
      for (int r = 0; r < R; r++)
        if (stores && w.row (r) < w.n && first + c < end)
          put (w.row (r), first + c, z[r][c]);
  }

  GLA_DEVICE void solve_all ()
  {
    constexpr int C = L::COLUMNS;
    int64_t c = blockIdx.y * a.slice;
    for (; end - c > 1; c += C)
      solve_some<C> (c);
    if (c < end)
      solve_some<1> (c);
  }
};

// Sets the group of a thread: its shared memory and lanes. Returns its number in the block.
template <class T, class L>
GLA_DEVICE int lanes_group (lanes_page<T, L> &w, const lu_args<T> &a, T *tiles, int *orders)
{
  const int place = threadIdx.x / L::G;
  w.tile = tiles + place * L::PAGE;
  w.order = orders + place * L::N;
  w.l = threadIdx.x % L::G;
  w.n = a.n;
  w.group = (L::G == 32 ? 0xffffffffu : (1u << L::G % 32) - 1) << threadIdx.x % 32 / L::G * L::G;
  return place;
}

// L::G lanes have a page, a warp L::PAGES of them; blockIdx.y counts slices of the right-hand
// sides.
template <class T, class L>
__global__ void __launch_bounds__ (32 * L::WARPS) lu_lanes_kernel (lu_args<T> a)
{
  __shared__ T tiles[L::WARPS * L::PAGES * L::PAGE];
  __shared__ int orders[L::WARPS * L::PAGES * L::N];
  lanes_page<T, L> w;
  const int64_t page =
      (int64_t)blockIdx.x * (L::WARPS * L::PAGES) + lanes_group (w, a, tiles, orders);
  const int64_t end = blockIdx.y + 1 < gridDim.y ? (blockIdx.y + 1) * a.slice : a.rhs;
  lanes_call<T, L> call = {a, w, page < a.pages ? page : a.pages - 1, end, page < a.pages};
  if (a.pending || (L::TILES && gridDim.y == 1)) { // another kernel has solved some pages
    call.stores = call.stores && a.info[call.page] != 0;
    if (!__any_sync (0xffffffffu, call.stores))
      return;
  }
  const bool with_y = a.rhs == 1;
  bool general = false; // the page turned out not to be definite
  while (true) {
    T top[L::R];
    w.load (a, call.page, top);
    w.find_kind (top, L::TILES, a.transposed);
    w.fixed = w.fixed && !(w.definite && (general || L::TILES));
    w.definite = w.definite && !general && !L::TILES;
    w.turn (a);
    if (with_y)
      call.load_first ();
    w.factor (with_y);
    const bool again = w.definite && w.failed != 0;
    if (L::TILES || !__any_sync (0xffffffffu, again))
      break;
    general |= again;
  }
  w.find_rounded ();
  call.take_order ();
  if (with_y)
    call.solve_first ();
  else
    call.solve_all ();
  if (call.stores && w.l == 0 && blockIdx.y == 0)
    store_info (a, call.page, !w.finite ? a.n + 1 : -w.failed);
}

//------------------------------------------------------------------------------
// inverses of pages of order up to 32, in the lanes of solve_lanes.cuh
//------------------------------------------------------------------------------

// Does Gauss-Jordan elimination in place. In a step the column of the pivot leaves the registers at
// one end and the new column of the inverse enters at the other; rows are divided by their pivots
// at the end. The inverse of a definite page is the mean of the result and its adjoint: mirroring
// one triangle would not do, since they differ by the condition number times rounding errors.

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

  // Copies the inverse to shared memory, without columns that the page does not have.
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

  // Returns the 1-norm of what is in shared memory, or NaN if an entry is.
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

// Inverts the pages of a warp, one for each group of lanes; of those that are `done` nothing is
// stored. Without X only the condition is computed, and no info.
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

// L::G lanes have a page, a warp L::PAGES of them.
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

// Does the pages that solve_thread.cuh has left, most often none. A block reads the info of as many
// pages as it does in `rounds` rounds, together, because a block that finds nothing costs more than
// what it reads.
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
