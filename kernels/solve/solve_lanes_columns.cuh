// solve_lanes_columns.cuh: systems with the pages of solve_lanes.cuh
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SOLVE_LANES_COLUMNS_CUH
#define GPULINALG_SOLVE_LANES_COLUMNS_CUH

#include "solve_lanes.cuh"
#include "solve_tiles.cuh"

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

  // Columns first .. of B in the rows of the pivots that this lane has, zero beyond the last ones.
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

  // The first column, before the page is factored: rows are where A has them.
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

// The group of a thread: its shared memory and lanes. Returns its number in the block.
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

#endif
