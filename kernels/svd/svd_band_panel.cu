// svd_band_panel.cu: the panels of a step of the reduction to band form
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The warps have 16 rows of a panel at a time, G times, as fragments of the tensor cores, four
// lanes to a row with two of the eight columns each, from the product of the previous pass to the
// reflectors. The panel of rows is processed as its adjoint. One block has a page. Called by
// svd_band.cu.

#include "common/panel_qr.cuh"
#include "svd_band.cuh"

namespace
{

enum { PANEL_WARPS = 16 };

// A page from the point of view of its block: a panel of eight columns whose first row is row
// `first` of A, or of its adjoint.
template <class T> struct panel_page : panel_team<wide<T>> {
  typedef wide<T> E;
  using panel_team<E>::warp;
  using panel_team<E>::warps;
  svd_band_layout<T> s;
  int m, n, step, top;
  int first, rows; // of the panel's rows
  T *A, *band;
  E *factors;
  const T *part;
  GLA_DEVICE panel_page (const svd_band_args<T> &a, int step, int first, int all)
      : s (a.layout ()), m (a.m), n (a.n), step (step), top (step * SVD_BAND), first (first),
        rows (all - first)
  {
    T *base = a.page (blockIdx.x);
    warp = threadIdx.x / 32;
    warps = blockDim.x / 32;
    factors = reinterpret_cast<E *> (base);
    A = base + s.page ();
    part = base + s.part ();
    band = base + s.band ();
  }
  GLA_DEVICE int row (int g) const { return (g * warps + warp) * 16; }
};

// What warps share.
template <class E> struct panel_shared {
  column_exchange<E, PANEL_WARPS> exchange;
  E squares[PANEL_WARPS * PANEL_SQUARE];
};

// The sum of the parts of the product, tile by tile, for the warp's rows.
template <int G, class T>
GLA_DEVICE void load_product (const panel_page<T> &p, int tiles, numbers<wide<T>, 4> (&x)[G])
{
  typedef wide<T> E;
  const int lane = threadIdx.x % 32;
  const T *from = p.part + lane / 4 * SVD_BAND + lane % 4 * 2;
  E sum[4 * G];
#pragma unroll
  for (int q = 0; q < 4 * G; q++)
    sum[q] = from_real<E> (0);
#pragma unroll(G > 2 ? 1 : 8 / G)
  for (int t = 0; t < tiles; t++, from += p.s.slot ()) {
#pragma unroll
    for (int q = 0; q < 4 * G; q++) {
      const int row = p.row (q / 4) + q % 4 / 2 * 8;
      if (row + lane / 4 < p.rows)
        sum[q] = sum[q] + widen (from[row * SVD_BAND + q % 2]);
    }
  }
#pragma unroll
  for (int q = 0; q < 4 * G; q++)
    x[q / 4].set (q % 4, sum[q]);
}

// Lane 4a + b gets (2b, a) and (2b+1, a) of a square that lies by rows.
template <class E> GLA_DEVICE numbers<E, 2> load_across (const E *square)
{
  const int at = threadIdx.x % 4 * 2 * SVD_BAND + threadIdx.x % 32 / 4;
  numbers<E, 2> x;
  x.set (0, square[at]);
  x.set (1, square[at + SVD_BAND]);
  return x;
}

// 16 rows of the panel, from A or its adjoint.
template <bool ADJOINT, class T>
GLA_DEVICE numbers<wide<T>, 4> load_panel (const panel_page<T> &p, int row)
{
  const int lane = threadIdx.x % 32, i = p.first + row + lane / 4, j = p.top + lane % 4 * 2;
  numbers<wide<T>, 4> x;
#pragma unroll
  for (int q = 0; q < 4; q++) {
    const int at = i + q / 2 * 8, across = j + q % 2;
    wide<T> value = from_real<wide<T>> (0);
    if (at < p.first + p.rows && across < (ADJOINT ? p.m : p.n))
      value = ADJOINT ? conj (widen (p.A[at * p.s.ld () + across]))
                      : widen (p.A[across * p.s.ld () + at]);
    x.set (q, value);
  }
  return x;
}

// Stores 16 rows in V, W, Z or U, except rows beyond the last one.
template <class T>
GLA_DEVICE void store_rows (const panel_page<T> &p, wide<T> *to, int row,
                            const numbers<wide<T>, 4> &x)
{
  const int lane = threadIdx.x % 32, i = p.first + row + lane / 4;
  to += (int64_t)i * SVD_BAND + lane % 4 * 2;
#pragma unroll
  for (int q = 0; q < 4; q++)
    if (i + q / 2 * 8 < p.first + p.rows)
      to[q / 2 * 8 * SVD_BAND + q % 2] = x.get (q);
}

// The QR factorisation of the panel: of its columns' reflectors T or S goes to `factor`, and what
// is above them, by the first warp, to f (i, j, value).
template <int G, class T, class F>
GLA_DEVICE void factor_panel (panel_page<T> &p, panel_shared<wide<T>> &shared,
                              numbers<wide<T>, 4> (&x)[G], wide<T> *factor, F f)
{
#pragma unroll 1
  for (int c = 0; c < SVD_BAND; c += 2) {
    eliminate<0> (p, shared.exchange, c, x);
    eliminate<1> (p, shared.exchange, c + 1, x);
  }
  __syncthreads ();
  p.T_factor = factor;
  if (threadIdx.x < SVD_BAND)
    store_factor (p, shared.exchange);
  if (p.warp == 0) {
    const int i = threadIdx.x / 4, j = threadIdx.x % 4 * 2;
#pragma unroll
    for (int q = 0; q < 2; q++)
      if (i <= j + q)
        f (i, j + q, narrow<T> (x[0].get (q)));
    ones_and_zeros (x[0]);
  }
}

// Rows behind the last ones of V, W, Z and U are zero in all steps.
template <class T> GLA_DEVICE void clear_ends (const panel_page<T> &p)
{
  typedef wide<T> E;
  for (int t = threadIdx.x; t < SVD_BAND_TILE * SVD_BAND; t += blockDim.x)
    for (int k = 0; k < 5; k++) {
      const int rows = k == 2 || k == 4 ? p.n : p.m; // W, U
      p.factors[k * p.s.factor () + (int64_t)rows * SVD_BAND + t] = from_real<E> (0);
    }
}

// The warp's rows of the panel, loaded before the product is waited for; if registers are too few,
// one after the other.
template <bool ADJOINT, int G, class T> struct early_panel {
  static constexpr bool EARLY = G * sizeof (wide<T>) <= 32;
  numbers<wide<T>, 4> x[EARLY ? G : 1];
  GLA_DEVICE explicit early_panel (const panel_page<T> &p)
  {
    if constexpr (EARLY) {
#pragma unroll
      for (int g = 0; g < G; g++)
        x[g] = load_panel<ADJOINT> (p, p.row (g));
    }
  }
  GLA_DEVICE numbers<wide<T>, 4> get (const panel_page<T> &p, int g) const
  {
    if constexpr (EARLY)
      return x[g];
    else
      return load_panel<ADJOINT> (p, p.row (g));
  }
};

// Makes Z of the previous step, Z = X S - V (W'U) S, and subtracts V W' and Z U' from the panel.
template <int G, class T>
GLA_DEVICE void update_columns (const panel_page<T> &p, wide<T> *product,
                                numbers<wide<T>, 4> (&x)[G])
{
  typedef wide<T> E;
  const E *s = p.factors + p.s.s (), *wu = p.factors + p.s.wu ();
  const E *V = p.factors + p.s.v (p.step - 1);
  for (int t = threadIdx.x; t < PANEL_SQUARE; t += blockDim.x) {
    E sum = from_real<E> (0);
    for (int l = 0; l <= t % SVD_BAND; l++)
      sum = madd (wu[t / SVD_BAND * SVD_BAND + l], s[l * SVD_BAND + t % SVD_BAND], sum);
    product[t] = -sum;
  }
  const early_panel<false, G, T> panel (p);
  load_product (p, (p.n - p.top + SVD_BAND_WIDE - 1) / SVD_BAND_WIDE, x);
  __syncthreads ();
  const numbers<E, 2> right = load_across (s), below = load_across (product);
  const numbers<E, 2> w = load_rows<E, 2> (p.factors + p.s.w () + p.top * SVD_BAND);
  const numbers<E, 2> u = load_rows<E, 2> (p.factors + p.s.u () + p.top * SVD_BAND);
#pragma unroll
  for (int g = 0; g < G; g++)
    if (p.row (g) < p.rows) {
      const numbers<E, 4> v = load_rows<E, 4> (V + (p.top + p.row (g)) * SVD_BAND);
      numbers<E, 4> z = {};
      multiply (z, x[g], right);
      multiply (z, v, below);
      store_rows (p, p.factors + p.s.z (), p.row (g), z);
      x[g] = panel.get (p, g);
      subtract_product (x[g], v, w);
      subtract_product (x[g], z, u);
    }
}

// A block has a page. Each warp has G pieces of 16 rows of the panel.
template <class T, int G>
__global__ void __launch_bounds__ (32 * PANEL_WARPS, 1)
    columns_kernel (svd_band_args<T> a, int step)
{
  typedef wide<T> E;
  __shared__ panel_shared<E> shared;
  if (a.info[blockIdx.x] != 0)
    return;
  panel_page<T> p (a, step, step * SVD_BAND, a.m);
  numbers<E, 4> x[G];
  if (step == 0) {
    clear_ends (p);
#pragma unroll
    for (int g = 0; g < G; g++)
      x[g] = load_panel<false> (p, p.row (g));
  } else {
    update_columns (p, shared.squares, x);
  }
  factor_panel (p, shared, x, p.factors + p.s.t (), [&] (int i, int j, T value) {
    if (p.top + j < p.n)
      p.band[(p.top + i) * (SVD_BAND + 1) + j - i] = value;
  });
#pragma unroll
  for (int g = 0; g < G; g++)
    store_rows (p, p.factors + p.s.v (step), p.row (g), x[g]);
}

// sum += W'X for 8 rows: x has numbers 2h and 2h+1 of the lane, W its rows from `w` on.
template <class E>
GLA_DEVICE void multiply_rows (const E *w, const numbers<E, 4> &x, int h, numbers<E, 4> &sum)
{
  const int lane = threadIdx.x % 32;
  w += (8 * h + lane % 4) * SVD_BAND + lane / 4;
  const E upper = w[0], lower = w[4 * SVD_BAND];
  double first = x.re[2 * h], second = x.re[2 * h + 1];
  transpose (first, second);
  if constexpr (is_complex_v<E>) {
    // real parts of W in the upper half of the factor, imaginary ones in the lower
    const double left[4] = {upper.x, lower.x, upper.y, lower.y};
    multiply_real (sum.re, left, first, second);
    first = x.im[2 * h];
    second = x.im[2 * h + 1];
    transpose (first, second);
    multiply_real (sum.im, left, first, second);
  } else {
    const double left[4] = {upper, lower, 0, 0};
    multiply_real (sum.re, left, first, second);
  }
}

// Makes W = Y T, and subtracts V W' from the adjoint of the panel's rows.
template <int G, class T>
GLA_DEVICE void update_rows (const panel_page<T> &p, numbers<wide<T>, 4> (&x)[G])
{
  typedef wide<T> E;
  const early_panel<true, G, T> panel (p);
  load_product (p, (p.m - p.top + SVD_BAND_WIDE - 1) / SVD_BAND_WIDE, x);
  const numbers<E, 2> t = load_across (p.factors + p.s.t ());
  const numbers<E, 2> v = load_rows<E, 2> (p.factors + p.s.v (p.step) + p.top * SVD_BAND);
#pragma unroll
  for (int g = 0; g < G; g++)
    if (p.row (g) < p.rows) {
      numbers<E, 4> w = {};
      multiply (w, x[g], t);
      store_rows (p, p.factors + p.s.w (), p.row (g), w);
      x[g] = panel.get (p, g);
      subtract_product (x[g], w, v);
    }
}

// A block has a page. Each warp has G pieces of 16 columns of A, as rows of the panel.
template <class T, int G>
__global__ void __launch_bounds__ (32 * PANEL_WARPS, 1) rows_kernel (svd_band_args<T> a, int step)
{
  typedef wide<T> E;
  __shared__ panel_shared<E> shared;
  if (a.info[blockIdx.x] != 0)
    return;
  panel_page<T> p (a, step, (step + 1) * SVD_BAND, a.n);
  numbers<E, 4> x[G], sum = {};
  update_rows (p, x);
  factor_panel (p, shared, x, p.factors + p.s.s (), [&] (int i, int j, T value) {
    if (i < p.rows)
      p.band[(p.top + j) * (SVD_BAND + 1) + SVD_BAND + i - j] = conj (value);
  });
#pragma unroll
  for (int g = 0; g < G; g++)
    if (p.row (g) < p.rows) {
      store_rows (p, p.factors + p.s.u (), p.row (g), x[g]);
      const E *w = p.factors + p.s.w () + (int64_t)(p.first + p.row (g)) * SVD_BAND;
      for (int h = 0; h < 2; h++)
        multiply_rows (w, x[g], h, sum);
    }
  store_square (shared.squares + p.warp * PANEL_SQUARE, sum);
  __syncthreads ();
  for (int t = threadIdx.x; t < PANEL_SQUARE; t += blockDim.x)
    p.factors[p.s.wu () + t] = sum_of_squares (shared.squares, p.warps, t);
}

// f<G> (warps) for the rows of a panel.
template <class F> cudaError_t for_rows (int rows, F f)
{
  const int groups = (rows + 15) / 16;
  const auto warps = [&] (int g) { return (unsigned)(32 * ((groups + g - 1) / g)); };
  if (groups <= 4)
    return f (std::integral_constant<int, 1> (), warps (1));
  if (groups <= 2 * PANEL_WARPS)
    return f (std::integral_constant<int, 2> (), warps (2));
  return groups <= 4 * PANEL_WARPS ? f (std::integral_constant<int, 4> (), warps (4))
                                   : cudaErrorInvalidValue;
}

} // namespace

template <class T> cudaError_t svd_band_columns (const svd_band_args<T> &a, int step)
{
  return for_rows (a.m - step * SVD_BAND, [&] (auto g, unsigned threads) {
    columns_kernel<T, decltype (g)::value><<<(unsigned)a.pages, threads, 0, a.stream>>> (a, step);
    return cudaGetLastError ();
  });
}

template <class T> cudaError_t svd_band_rows (const svd_band_args<T> &a, int step)
{
  return for_rows (a.n - (step + 1) * SVD_BAND, [&] (auto g, unsigned threads) {
    rows_kernel<T, decltype (g)::value><<<(unsigned)a.pages, threads, 0, a.stream>>> (a, step);
    return cudaGetLastError ();
  });
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t svd_band_columns (const svd_band_args<T> &, int);                           \
  template cudaError_t svd_band_rows (const svd_band_args<T> &, int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
