// he2hb_panel.cuh: the panel of a step of the reduction to band form, before its factorisation
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_HE2HB_PANEL_CUH
#define GPULINALG_HE2HB_PANEL_CUH

#include "he2hb.cuh"

// Warps of a block at most.
enum { HE2HB_WARPS_MOST = 16 };

// A page from the point of view of the panel's block. Rows are counted from the first one below the
// diagonal block; `rows` of them belong to the page.
template <class T> struct band_page : band_team<wide<T>>, band_columns<T> {
  typedef wide<T> E;
  using band_team<E>::warp;
  using band_team<E>::warps;
  using band_columns<T>::n;
  using band_columns<T>::top;
  int step, rows;
  int first; // row of the block
  T *A, *part;
  E *V, *W; // of this step, of the step before
  const E *V_before;
  int64_t slot;
  GLA_DEVICE band_page (const eig_args<T> &a, int64_t page, int step_, E *shared, int first_ = 0)
      : step (step_), rows (a.n - (step + 1) * EIG_BANDWIDTH), first (first_)
  {
    n = a.n;
    top = step * EIG_BANDWIDTH;
    warp = threadIdx.x / 32;
    warps = blockDim.x / 32;
    band_scratch<T> s (n);
    E *work = reinterpret_cast<E *> (a.panel + page * s.size ());
    A = a.W + page * n * n;
    V = work + s.v (step);
    V_before = work + s.v (step + 1);
    W = work + s.w ();
    this->T_factor = work + s.t ();
    part = reinterpret_cast<T *> (work + s.part ());
    slot = s.slot ();
    this->band = a.band + page * n * (EIG_BANDWIDTH + 1) + top * (EIG_BANDWIDTH + 1);
    this->squares = shared;
    this->P = shared + warps * EIG_BAND_SQUARE;
    this->H = this->P + EIG_BAND_SQUARE;
  }
  // This warp's row of group g of 16.
  GLA_DEVICE int row (int g) const { return first + (g * warps + warp) * 16; }
};

template <class T> constexpr size_t panel_bytes (int warps)
{
  return (warps + 2) * EIG_BAND_SQUARE * sizeof (wide<T>);
}

// X of the step before: the sum of the parts, slot by slot, for the warp's rows and, if wanted,
// those of the diagonal block. All rows of a slot are loaded at the same time.
template <int G, class T>
GLA_DEVICE void load_product (const band_page<T> &p, bool with_top, numbers<wide<T>, 4> (&x)[G],
                              numbers<wide<T>, 2> &x_top)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32, tiles = (p.rows + EIG_BANDWIDTH + EIG_BAND_TILE - 1) / EIG_BAND_TILE;
  const T *from = p.part + (EIG_BANDWIDTH + lane / 4) * EIG_BANDWIDTH + lane % 4 * 2;
  E sum[4 * G], top[2] = {};
#pragma unroll
  for (int q = 0; q < 4 * G; q++)
    sum[q] = from_real<E> (0);
  bool inside = with_top && lane / 4 - EIG_BANDWIDTH < p.rows;
#pragma unroll(G > 2 ? 1 : 8 / G)
  for (int t = 0; t < tiles; t++, from += p.slot) {
#pragma unroll
    for (int q = 0; q < 2; q++)
      if (inside)
        top[q] = top[q] + widen (from[q - EIG_BANDWIDTH * EIG_BANDWIDTH]);
#pragma unroll
    for (int q = 0; q < 4 * G; q++) {
      int row = p.row (q / 4) + q % 4 / 2 * 8;
      if (row + lane / 4 < p.rows)
        sum[q] = sum[q] + widen (from[row * EIG_BANDWIDTH + q % 2]);
    }
  }
#pragma unroll
  for (int q = 0; q < 4 * G; q++)
    x[q / 4].set (q % 4, sum[q]);
#pragma unroll
  for (int q = 0; q < 2; q++)
    x_top.set (q, top[q]);
}

// p += V'X for 8 rows: x has numbers 2h and 2h+1 of the lane.
template <class T, int N>
GLA_DEVICE void multiply_rows (const band_page<T> &p, int row, const numbers<wide<T>, N> &x, int h,
                               numbers<wide<T>, 4> &sum)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32;
  const E *v = p.V_before +
               (int64_t)(p.top + EIG_BANDWIDTH + row + 8 * h + lane % 4) * EIG_BANDWIDTH + lane / 4;
  E upper = v[0], lower = v[4 * EIG_BANDWIDTH];
  double first = x.re[2 * h], second = x.re[2 * h + 1];
  transpose (first, second);
  if constexpr (is_complex_v<E>) {
    // real parts of V in the upper half of the factor, imaginary ones in the lower
    const double a[4] = {upper.x, lower.x, upper.y, lower.y};
    multiply_real (sum.re, a, first, second);
    first = x.im[2 * h];
    second = x.im[2 * h + 1];
    transpose (first, second);
    multiply_real (sum.im, a, first, second);
  } else {
    const double a[4] = {upper, lower, 0, 0};
    multiply_real (sum.re, a, first, second);
  }
}

// Adds the squares of the block's warps, in order.
template <class T>
GLA_DEVICE void add_squares (const band_page<T> &p, const numbers<wide<T>, 4> &x, wide<T> *to)
{
  store_square (p.squares + p.warp * EIG_BAND_SQUARE, x);
  __syncthreads ();
  for (int t = threadIdx.x; t < EIG_BAND_SQUARE; t += blockDim.x) {
    to[t] = sum_of_squares (p.squares, p.warps, t);
  }
  __syncthreads ();
}

// Makes H = T'P T / 2 of the previous step and, at P's place, its T.
template <class T> GLA_DEVICE void make_factors (const band_page<T> &p)
{
  typedef wide<T> E;
  for (int t = threadIdx.x; t < EIG_BAND_SQUARE; t += blockDim.x) {
    E sum = from_real<E> (0);
    for (int l = 0; l <= t % EIG_BANDWIDTH; l++)
      sum = madd (p.P[t / EIG_BANDWIDTH * EIG_BANDWIDTH + l],
                  p.T_factor[l * EIG_BANDWIDTH + t % EIG_BANDWIDTH], sum);
    p.squares[t] = sum;
  }
  __syncthreads ();
  for (int t = threadIdx.x; t < EIG_BAND_SQUARE; t += blockDim.x) {
    E sum = from_real<E> (0);
    for (int l = 0; l <= t / EIG_BANDWIDTH; l++)
      sum = cmadd (p.T_factor[l * EIG_BANDWIDTH + t / EIG_BANDWIDTH],
                   p.squares[l * EIG_BANDWIDTH + t % EIG_BANDWIDTH], sum);
    p.H[t] = scale (0.5, sum);
    p.P[t] = p.T_factor[t];
  }
  __syncthreads ();
}

// X becomes W = X T - V H.
template <class T>
GLA_DEVICE void make_w (const band_page<T> &p, const numbers<wide<T>, 4> &v, numbers<wide<T>, 4> &x)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32, at = lane % 4 * 2 * EIG_BANDWIDTH + lane / 4;
  numbers<E, 2> t, h;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    t.set (q, p.P[at + q * EIG_BANDWIDTH]);
    h.set (q, -p.H[at + q * EIG_BANDWIDTH]);
  }
  numbers<E, 4> w = {};
  multiply (w, x, t);
  multiply (w, v, h);
  x = w;
}

template <class E> GLA_DEVICE numbers<E, 4> upper_half (const numbers<E, 2> &x)
{
  numbers<E, 4> y = {};
#pragma unroll
  for (int q = 0; q < 2; q++)
    y.set (q, x.get (q));
  return y;
}
template <class E> GLA_DEVICE numbers<E, 2> upper_half (const numbers<E, 4> &x)
{
  numbers<E, 2> y;
#pragma unroll
  for (int q = 0; q < 2; q++)
    y.set (q, x.get (q));
  return y;
}

// The panel's columns at 16 rows, or 8 of the diagonal block.
template <int N, class T>
GLA_DEVICE numbers<wide<T>, N> load_columns (const band_page<T> &p, int row)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32, i = row + lane / 4, j = p.top + lane % 4 * 2;
  numbers<E, N> x;
#pragma unroll
  for (int q = 0; q < N; q++) {
    E value = from_real<E> (0);
    if (i + q / 2 * 8 < p.rows && j + q % 2 < p.n)
      value = widen (p.A[(int64_t)(j + q % 2) * p.n + p.top + EIG_BANDWIDTH + i + q / 2 * 8]);
    x.set (q, value);
  }
  return x;
}

template <class T>
GLA_DEVICE void store_rows (const band_page<T> &p, wide<T> *to, int row,
                            const numbers<wide<T>, 4> &x)
{
  int lane = threadIdx.x % 32, i = row + lane / 4;
  to += (int64_t)(p.top + EIG_BANDWIDTH + i) * EIG_BANDWIDTH + lane % 4 * 2;
#pragma unroll
  for (int q = 0; q < 4; q++)
    if (i + q / 2 * 8 < p.rows)
      to[q / 2 * 8 * EIG_BANDWIDTH + q % 2] = x.get (q);
}

// Adds V'X of this block's rows; x is the warp's X.
template <int G, class T>
GLA_DEVICE numbers<wide<T>, 4> project (const band_page<T> &p, const numbers<wide<T>, 4> (&x)[G],
                                        const numbers<wide<T>, 2> &x_top)
{
  numbers<wide<T>, 4> sum = {};
#pragma unroll
  for (int g = 0; g < G; g++)
    if (p.row (g) < p.rows)
      for (int h = 0; h < 2; h++)
        multiply_rows (p, p.row (g), x[g], h, sum);
  if (p.warp == 0 && p.first == 0)
    multiply_rows (p, -EIG_BANDWIDTH, x_top, 0, sum);
  return sum;
}

// Makes W from X, and with it updates the panel's columns, at X's place. Every warp computes W's
// rows at the diagonal block, which all rows need.
template <int G, class T>
GLA_DEVICE void update_columns (const band_page<T> &p, numbers<wide<T>, 4> (&x)[G],
                                const numbers<wide<T>, 2> &x_top)
{
  typedef wide<T> E;
  numbers<E, 2> v_part = load_rows<E, 2> (p.V_before + p.top * EIG_BANDWIDTH);
  numbers<E, 4> v_top = upper_half (v_part), w_top = upper_half (x_top);
  numbers<E, 4> top = upper_half (load_columns<2> (p, -EIG_BANDWIDTH));
  make_w (p, v_top, w_top);
  numbers<E, 2> w_part = upper_half (w_top);
  subtract_product (top, v_top, w_part);
  subtract_product (top, w_top, v_part);
  if (p.warp == 0 && p.first == 0) {
    store_diagonal (p, top);
    store_sum (p.V + p.top * EIG_BANDWIDTH,
               w_part); // no other part is there; he2hb_page.cu reads it
  }
#pragma unroll
  for (int g = 0; g < G; g++) {
    int row = p.row (g);
    if (row < p.rows) {
      numbers<E, 4> v = load_rows<E, 4> (p.V_before +
                                         (p.top + EIG_BANDWIDTH + row) * EIG_BANDWIDTH),
                    w = x[g];
      make_w (p, v, w);
      store_rows (p, p.W, row, w);
      x[g] = load_columns<4> (p, row);
      subtract_product (x[g], v, w_part);
      subtract_product (x[g], w, v_part);
    }
  }
}

// Does all of this in one block.
template <int G, class T>
GLA_DEVICE void update_panel (const band_page<T> &p, numbers<wide<T>, 4> (&x)[G])
{
  typedef wide<T> E;
  numbers<E, 2> x_top;
  load_product (p, true, x, x_top);
  numbers<E, 4> sum = project (p, x, x_top);
  add_squares (p, sum, p.P);
  make_factors (p);
  update_columns (p, x, x_top);
}

#endif
