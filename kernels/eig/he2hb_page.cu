// he2hb_page.cu: the reduction to a band in shared memory, of pages or of their remaining part
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The method of he2hb.cuh. A step takes the QR factorisation of eight columns, X = A V, W = (X -
// V T'(V'X) / 2) T, and A - V W' - W V'; the products are done by the tensor cores.

#include "page_tiles.cuh"

namespace
{

// The most warps of a block, and the number of blocks for which a multiprocessor must have
// registers, as measured.
enum { WARPS_MOST = 16 };
template <class T> constexpr int blocks_together (int warps)
{
  if (sizeof (T) == 16)
    return warps == 4 ? 3 : warps == 6 ? 2 : 1;
  if (is_complex_v<T>)
    return warps == 4 ? 4 : warps > 8 ? 1 : 2;
  return warps == 4 ? 6 : warps == 6 ? 4 : warps == 8 ? (sizeof (T) == 4 ? 3 : 2) : 1;
}

// Shared memory: V and W, a square for every warp that has rows, T, M, and the page. Of the rest of
// a page, V and W come with the rows of the first tiles.
template <class T> size_t page_bytes (int n, bool rest)
{
  int count = (n + EIG_BANDWIDTH - 1) / EIG_BANDWIDTH;
  return (size_t)count * (count + 1) / 2 * EIG_BAND_SQUARE * sizeof (T) +
         (2 * (count - (rest ? 0 : 1)) + count / 2 + 2) * EIG_BAND_SQUARE * sizeof (wide<T>);
}

//------------------------------------------------------------------------------
// the parts of a step
//------------------------------------------------------------------------------

// A step from the point of view of a warp: it has rows of tiles I and I+1, or I alone, or none.
template <class T> struct page_step : band_team<wide<T>>, band_columns<T> {
  int k, I;
  bool two;
};

// c += Y'X for a row of tiles each of Y and X: real parts of Y' in the upper half of the factor,
// imaginary ones in the lower.
template <class T> GLA_DEVICE void project (const T *y, const T *x, numbers<wide<T>, 4> &c)
{
  numbers<wide<T>, 2> left = load_down (y), right = load_down (x);
  if constexpr (is_complex_v<T>) {
    const double a[4] = {left.re[0], left.re[1], left.im[0], left.im[1]};
    multiply_real (c.re, a, right.re[0], right.re[1]);
    multiply_real (c.im, a, right.im[0], right.im[1]);
  } else {
    const double a[4] = {left.re[0], left.re[1], 0, 0};
    multiply_real (c.re, a, right.re[0], right.re[1]);
  }
}

// Lane 4a + b gets (2b, a) and (2b+1, a) of a square stored by rows.
template <class E> GLA_DEVICE numbers<E, 2> load_across (const E *square)
{
  int at = threadIdx.x % 4 * 2 * EIG_BANDWIDTH + threadIdx.x % 32 / 4;
  numbers<E, 2> x;
  x.set (0, square[at]);
  x.set (1, square[at + EIG_BANDWIDTH]);
  return x;
}

// Stores the warp's part of P'P, P being the panel.
template <class T> GLA_DEVICE void store_products (const page_tiles<T> &s, const page_step<T> &p)
{
  numbers<wide<T>, 4> sum = {};
  project (s.tile (p.I, p.k), s.tile (p.I, p.k), sum);
  if (p.two)
    project (s.tile (p.I + 1, p.k), s.tile (p.I + 1, p.k), sum);
  store_square (p.squares + p.warp * EIG_BAND_SQUARE, sum);
}

// Entry t of the sum of the warps' squares, all of them read at once.
template <int WARPS, class E> GLA_DEVICE E sum_at (const band_team<E> &p, int t)
{
  E sum = p.squares[t];
#pragma unroll
  for (int g = 1; g < WARPS; g++)
    if (g < p.warps)
      sum = sum + p.squares[g * EIG_BAND_SQUARE + t];
  return sum;
}

// The QR factorisation by the first warp. Writes R to the band and the top of V to x. The other
// rows of V follow later from p.P, because other warps still read V of the step before in their
// place.
template <int WARPS, class T>
GLA_DEVICE bool factor_products (const page_tiles<T> &s, const page_step<T> &p, wide<T> *tau,
                                 numbers<wide<T>, 4> &x)
{
  int at = threadIdx.x % 32 / 4 * EIG_BANDWIDTH + threadIdx.x % 4 * 2;
  load_half (s.tile (p.I, p.k), x, 0);
  T top[2], products[2];
#pragma unroll
  for (int q = 0; q < 2; q++) {
    top[q] = narrow<T> (x.get (q));
    products[q] = narrow<T> (sum_at<WARPS> (p, at + q));
  }
  gram_panel<T> g = gram_start (top, products);
  bool sound = p.I + 1 == s.count ? gram_columns<true> (g, tau) : gram_columns<false> (g, tau);
  if (!sound)
    return false;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    x.set (q, widen (g.top[q]));
    p.P[at + q] = widen (g.factor[q]);
  }
  store_triangle (p, x);
  ones_and_zeros (x);
  return true;
}

// The warp's rows of V; the first ones of all are `first`.
template <class T>
GLA_DEVICE void store_reflectors (const page_tiles<T> &s, const page_step<T> &p,
                                  const numbers<wide<T>, 4> &first)
{
  typedef wide<T> E;
  numbers<E, 4> x = {}, v = {};
  load_half (s.tile (p.I, p.k), x, 0);
  if (p.two)
    load_half (s.tile (p.I + 1, p.k), x, 1);
  multiply (v, x, load_across (p.P));
  store_half (s.v (p.I), p.warp == 0 ? first : v, 0);
  if (p.two)
    store_half (s.v (p.I + 1), v, 1);
}

// The same by the method of he2hb.cuh, by all warps: those without rows only take part in the
// barriers.
template <class T, int WARPS>
GLA_DEVICE void factor (const page_tiles<T> &s, const page_step<T> &p, bool active,
                        column_exchange<wide<T>, WARPS> &exchange)
{
  typedef wide<T> E;
  numbers<E, 4> x[1] = {};
  if (active)
    load_half (s.tile (p.I, p.k), x[0], 0);
  if (p.two)
    load_half (s.tile (p.I + 1, p.k), x[0], 1);
#pragma unroll 1
  for (int c = 0; c < EIG_BANDWIDTH; c += 2) {
    eliminate<0> (p, exchange, c, x);
    eliminate<1> (p, exchange, c + 1, x);
  }
  if (p.warp == 0) {
    store_triangle (p, x[0]);
    ones_and_zeros (x[0]);
  }
  if (active)
    store_half (s.v (p.I), x[0], 0);
  if (p.two)
    store_half (s.v (p.I + 1), x[0], 1);
}

// If eigenvectors are wanted, keeps the warp's rows of V in W and the factors in a.tau.
template <class T>
GLA_DEVICE void keep_reflectors (const page_tiles<T> &s, const page_step<T> &p,
                                 const eig_args<T> &a, int64_t page, const wide<T> *tau)
{
  int done = a.n - p.n, lane = threadIdx.x % 32, column = done + p.top + lane % 4 * 2;
  T *W = a.W + (page * a.n + column) * a.n + done + lane / 4;
  if (threadIdx.x < EIG_BANDWIDTH)
    a.tau[page * a.n + done + p.top + threadIdx.x] = narrow<T> (tau[threadIdx.x]);
  for (int I = p.I; I <= p.I + p.two; I++) {
    numbers<wide<T>, 2> v = {};
    load_half (s.v (I), v, 0);
#pragma unroll
    for (int q = 0; q < 2; q++)
      if (I * EIG_BANDWIDTH + lane / 4 < p.n)
        W[q * a.n + I * EIG_BANDWIDTH] = narrow<T> (v.get (q));
  }
}

// T from V'V and tau, by one warp.
template <class T, int WARPS>
GLA_DEVICE void make_factor (const page_tiles<T> &s, const page_step<T> &p,
                             column_exchange<wide<T>, WARPS> &exchange)
{
  numbers<wide<T>, 4> sum = {};
#pragma unroll 2
  for (int I = p.k + 1; I < s.count; I++)
    project (s.v (I), s.v (I), sum);
  store_square (exchange.inner[0], sum);
  __syncwarp ();
  if (threadIdx.x % 32 < EIG_BANDWIDTH)
    store_factor (p, exchange);
}

// X = A V for the warp's rows.
template <class T>
GLA_DEVICE numbers<wide<T>, 4> multiply_page (const page_tiles<T> &s, const page_step<T> &p)
{
  typedef wide<T> E;
  numbers<E, 4> x = {}, y = {}, a = {};
#pragma unroll 1
  for (int J = p.k + 1; J < p.I; J++) { // left of the diagonal
    load_half (s.tile (p.I, J), a, 0);
    if (p.two)
      load_half (s.tile (p.I + 1, J), a, 1);
    multiply (x, a, load_down (s.v (J)));
  }
  load_half (s.tile (p.I, p.I), a, 0);
  if (p.two)
    load_half (s.tile (p.I + 1, p.I), a, 1);
  multiply (y, a, load_down (s.v (p.I)));
  if (p.two) {
    load_transpose (s.tile (p.I + 1, p.I), a, 0);
    load_half (s.tile (p.I + 1, p.I + 1), a, 1);
    multiply (y, a, load_down (s.v (p.I + 1)));
  }
#pragma unroll 1
  for (int J = p.I + 2; J < s.count; J++) {
    load_transpose (s.tile (J, p.I), a, 0);
    load_transpose (s.tile (J, p.I + 1), a, 1);
    multiply (y, a, load_down (s.v (J)));
  }
  numbers<E, 4> sum;
#pragma unroll
  for (int q = 0; q < 4; q++)
    sum.set (q, x.get (q) + y.get (q));
  return sum;
}

// Stores the warp's part of V'X, and X at W's place.
template <class T>
GLA_DEVICE void store_x (const page_tiles<T> &s, const page_step<T> &p,
                         const numbers<wide<T>, 4> &x)
{
  store_half (s.w (p.I), x, 0);
  if (p.two)
    store_half (s.w (p.I + 1), x, 1);
  __syncwarp ();
  numbers<wide<T>, 4> sum = {};
  project (s.v (p.I), s.w (p.I), sum);
  if (p.two)
    project (s.v (p.I + 1), s.w (p.I + 1), sum);
  store_square (p.squares + p.warp * EIG_BAND_SQUARE, sum);
}

// W = (X - V T'(V'X) / 2) T
template <int WARPS, class T>
GLA_DEVICE void store_w (const page_tiles<T> &s, const page_step<T> &p,
                         const numbers<wide<T>, 4> &x)
{
  typedef wide<T> E;
  int a = threadIdx.x % 32 / 4, b = threadIdx.x % 4 * 2;
  numbers<E, 2> t_rows, form;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    t_rows.set (q, conj (p.T_factor[a * EIG_BANDWIDTH + b + q]));
    form.set (q, scale (-0.5, sum_at<WARPS> (p, (b + q) * EIG_BANDWIDTH + a)));
  }
  numbers<E, 4> v = {}, left = {}, right = x, w = {};
  load_half (s.v (p.I), v, 0);
  if (p.two)
    load_half (s.v (p.I + 1), v, 1);
  multiply (left, v, t_rows);
  multiply (right, left, form);
  multiply (w, right, load_across (p.T_factor));
  store_half (s.w (p.I), w, 0);
  if (p.two)
    store_half (s.w (p.I + 1), w, 1);
}

// A - V W' - W V' for tiles from `first` on, in pieces of two rows of tiles by one column of them.
// They are numbered down the columns.
template <class T> struct page_update {
  int first, rest, pairs; // rows of tiles, and pairs of them
  GLA_DEVICE page_update (const page_tiles<T> &s, int first_)
      : first (first_), rest (s.count - first), pairs ((rest + 1) / 2)
  {
  }
  GLA_DEVICE int pieces () const { return pairs * (pairs + 1) - rest % 2; }
};

// Pieces from..to-1, distributed over `workers` warps, of which this is one.
template <class T>
GLA_DEVICE void update_page (const page_tiles<T> &s, const page_update<T> &u, int from, int to,
                             int worker, int workers)
{
  typedef wide<T> E;
  int all = to - from, pairs = u.pairs;
  to = from + all * (worker + 1) / workers;
  from += all * worker / workers;
  int J = 0, r = from; // column, and pair of rows
  while (J < u.rest && r >= pairs - J / 2) {
    r -= pairs - J / 2;
    J++;
  }
  r += J / 2;
  numbers<E, 2> v, w;
  for (int q = from; q < to; q++) {
    if (q == from || r == J / 2) {
      load_half (s.v (u.first + J), v, 0);
      load_half (s.w (u.first + J), w, 0);
    }
    int I = u.first + 2 * r;
    bool upper = 2 * r >= J, lower = 2 * r + 1 < u.rest;
    T *tile = s.tile (I, u.first + J), *below = s.tile (I + 1, u.first + J);
    numbers<E, 4> c = {}, v_rows = {}, w_rows = {};
    if (upper)
      load_half (tile, c, 0);
    if (lower)
      load_half (below, c, 1);
    load_half (s.v (I), v_rows, 0);
    load_half (s.w (I), w_rows, 0);
    if (lower) {
      load_half (s.v (I + 1), v_rows, 1);
      load_half (s.w (I + 1), w_rows, 1);
    }
    subtract_product (c, v_rows, w);
    subtract_product (c, w_rows, v);
    if (upper)
      store_half (tile, c, 0);
    if (lower)
      store_half (below, c, 1);
    if (++r == pairs) {
      J++;
      r = J / 2;
    }
  }
}

// Stores the diagonal blocks in the band, and the entries below them of columns that no panel had.
template <class T, int WARPS>
GLA_DEVICE void store_rest (const page_tiles<T> &s, int steps, T *band, int n)
{
  for (int J = threadIdx.x / 32; J < s.count; J += WARPS) {
    band_columns<T> to = {n, J * EIG_BANDWIDTH, band + J * EIG_BANDWIDTH * (EIG_BANDWIDTH + 1)};
    numbers<wide<T>, 4> x = {}, below = {};
    load_half (s.tile (J, J), x, 0);
    store_diagonal (to, x);
    if (J + 1 < s.count)
      load_half (s.tile (J + 1, J), below, 0);
    if (J >= steps)
      store_triangle (to, below);
  }
}

// Reads the rest of a page, from column `done` on, and V and W of the previous step, which have not
// updated it yet. False if the page cannot be solved.
template <int WARPS, class T>
GLA_DEVICE bool read_rest (const page_tiles<T> &s, const eig_args<T> &a, int64_t page, int done)
{
  typedef wide<T> E;
  if (a.info[page] != 0)
    return false;
  eig_args<T> rest = a;
  rest.n = a.n - done;
  rest.lda = a.n;
  rest.triangle = GLA_TRIANGLE_LOWER;
  copy_page<WARPS> (s, rest, a.W + (page * a.n + done) * a.n + done);
  band_scratch<T> at (a.n);
  const E *work = reinterpret_cast<const E *> (a.panel + page * at.size ());
  int step = done / EIG_BANDWIDTH;
  for (int I = threadIdx.x / 32; I < s.count; I += WARPS) {
    int64_t row = done + I * EIG_BANDWIDTH;
    const E *W = work + (I == 0 ? at.v (step) : at.w ());
    store_half (s.v (I), load_rows<E, 2> (work + at.v (step - 1) + row * EIG_BANDWIDTH), 0);
    store_half (s.w (I), load_rows<E, 2> (W + row * EIG_BANDWIDTH), 0);
  }
  async_wait<0> ();
  __syncthreads ();
  mirror_diagonal<WARPS> (s);
  return true;
}

//------------------------------------------------------------------------------
// the kernel
//------------------------------------------------------------------------------

// One block has a page. The lower triangle of the page is in shared memory, as tiles of 8 by 8,
// until the band is stored. Below the panel a warp has two rows of tiles: those of P'P, of V and of
// X and W. The update is distributed differently: first the panel's columns are updated, then all
// warps but the first one update the others while the first one factors the panel. REST: the steps
// for columns up to `done` have been made, except for the update by the last one.
template <class T, int WARPS, bool REST>
__global__ void __launch_bounds__ (32 * WARPS, blocks_together<T> (WARPS))
    he2hb_page_kernel (eig_args<T> a, int done)
{
  typedef wide<T> E;
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ column_exchange<E, WARPS> exchange;
  __shared__ summary<real_t<T>> found[WARPS];
  __shared__ bool quick;
  int64_t page = blockIdx.x;
  page_tiles<T> s;
  page_step<T> p;
  p.n = a.n - done;
  s.count = (p.n + EIG_BANDWIDTH - 1) / EIG_BANDWIDTH;
  s.V = reinterpret_cast<E *> (memory) + (REST ? EIG_BAND_SQUARE : 0);
  s.W = s.V + (s.count - (REST ? 0 : 1)) * EIG_BAND_SQUARE;
  p.squares = s.W + (s.count - 1) * EIG_BAND_SQUARE;
  p.T_factor = p.squares + s.count / 2 * EIG_BAND_SQUARE;
  p.P = p.T_factor + EIG_BAND_SQUARE;
  s.A = reinterpret_cast<T *> (p.P + EIG_BAND_SQUARE);
  bool read = REST ? read_rest<WARPS> (s, a, page, done) : read_page<WARPS> (s, a, page, found);
  if (!read)
    return;
  T *band = a.band + (page * a.n + done) * (EIG_BANDWIDTH + 1);
  __syncthreads ();

  p.warp = threadIdx.x / 32;
  int steps = band_reflecting_steps (p.n);
  for (p.k = 0; p.k < steps; p.k++) {
    p.top = p.k * EIG_BANDWIDTH;
    p.band = band + p.top * (EIG_BANDWIDTH + 1);
    p.warps = (s.count - p.k) / 2;
    p.I = p.k + 1 + 2 * p.warp;
    p.two = p.I + 1 < s.count;
    bool active = p.warp < p.warps;
    page_update<T> u (s, p.k);
    bool pending = REST || p.k > 0;
    if (pending) {
      update_page (s, u, 0, u.pairs, p.warp, WARPS);
      __syncthreads ();
    }
    if (active)
      store_products (s, p);
    __syncthreads ();
    numbers<E, 4> x = {};
    if (p.warp == 0)
      quick = factor_products<WARPS> (s, p, exchange.tau, x);
    else if (pending)
      update_page (s, u, u.pairs, u.pieces (), p.warp - 1, WARPS - 1);
    __syncthreads ();
    if (!quick)
      factor (s, p, active, exchange);
    else if (active)
      store_reflectors (s, p, x);
    __syncthreads ();
    if (p.warp == WARPS - 1)
      make_factor (s, p, exchange);
    if (active && a.chased != nullptr)
      keep_reflectors (s, p, a, page, exchange.tau);
    if (active) {
      x = multiply_page (s, p);
      store_x (s, p, x);
    }
    __syncthreads ();
    if (active)
      store_w<WARPS> (s, p, x);
    __syncthreads ();
  }
  page_update<T> u (s, steps);
  update_page (s, u, 0, REST || steps > 0 ? u.pieces () : 0, p.warp, WARPS);
  __syncthreads ();
  store_rest<T, WARPS> (s, steps, band, p.n);
}

template <class T, int WARPS> cudaError_t launch (const eig_args<T> &a, int done)
{
  size_t bytes = page_bytes<T> (a.n - done, done > 0);
  auto kernel = done > 0 ? he2hb_page_kernel<T, WARPS, true> : he2hb_page_kernel<T, WARPS, false>;
  cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  kernel<<<(unsigned)a.pages, 32 * WARPS, bytes, a.stream>>> (a, done);
  return cudaGetLastError ();
}

// Warps of a block: enough for the first step, which has a warp for every pair of rows of tiles
// below the panel.
int warps_for (int n)
{
  int pairs = (n + EIG_BANDWIDTH - 1) / EIG_BANDWIDTH / 2;
  return pairs <= 4 ? 4 : pairs <= 6 ? 6 : pairs <= 8 ? 8 : pairs <= 12 ? 12 : 16;
}

} // namespace

template <class T> int he2hb_page_from (int n, int smem_limit)
{
  size_t besides = sizeof (column_exchange<wide<T>, WARPS_MOST>) + 1024; // variables of the kernel
  for (int step = 0;; step++) {
    int rest = n - step * EIG_BANDWIDTH;
    if ((rest + EIG_BANDWIDTH - 1) / EIG_BANDWIDTH / 2 <= WARPS_MOST &&
        page_bytes<T> (rest, step > 0) + besides <= (size_t)smem_limit)
      return step;
  }
}

template <class T> cudaError_t he2hb_page (const eig_args<T> &a, int step)
{
  int done = step * EIG_BANDWIDTH;
  switch (warps_for (a.n - done)) {
  case 4:
    return launch<T, 4> (a, done);
  case 6:
    return launch<T, 6> (a, done);
  case 8:
    return launch<T, 8> (a, done);
  case 12:
    return launch<T, 12> (a, done);
  default: // complex ones do not fit
    if constexpr (!is_complex_v<T>)
      return launch<T, WARPS_MOST> (a, done);
    return cudaErrorInvalidValue;
  }
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int he2hb_page_from<T> (int, int);                                                      \
  template cudaError_t he2hb_page (const eig_args<T> &, int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
