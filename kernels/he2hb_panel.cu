// he2hb_panel.cu: the panel of a step of the reduction to band form
// SPDX-License-Identifier: GPL-3.0-or-later

#include "he2hb.cuh"
#include "hetrd.cuh"

namespace
{

// Warps of a block at most.
enum { MAX_WARPS = 16, SQUARE = BAND * BAND };

// A page as the panel's block sees it. Rows are counted from the first one below the diagonal
// block; `rows` of them belong to the page.
template <class T> struct band_page {
  typedef wide<T> E;
  int n, step, top, rows, warp, warps;
  T *A, *part, *band;
  E *V, *W, *T_factor; // of this step, of the step before, of both
  const E *V_before;
  E *squares; // shared: per warp, 8 by 8
  E *P, *H;   // shared: V'X, then T; T'V'X T / 2
  int64_t slot;
  GLA_DEVICE band_page (const eig_args<T> &a, int64_t page, int step_, E *shared)
      : n (a.n), step (step_), top (step * BAND), rows (n - top - BAND), warp (threadIdx.x / 32),
        warps (blockDim.x / 32)
  {
    band_scratch<T> s (n);
    T *base = a.panel + page * s.size ();
    E *scratch = reinterpret_cast<E *> (base);
    A = a.W + page * n * n;
    V = scratch + s.v (step);
    V_before = scratch + s.v (step + 1);
    W = scratch + s.w ();
    T_factor = scratch + s.t ();
    part = reinterpret_cast<T *> (scratch + s.part ());
    slot = s.slot ();
    band = a.band + page * n * (BAND + 1) + top * (BAND + 1);
    squares = shared;
    P = squares + warps * SQUARE;
    H = P + SQUARE;
  }
  // This warp's row of group g of 16.
  GLA_DEVICE int row (int g) const { return (g * warps + warp) * 16; }
};

template <class T> constexpr size_t panel_bytes (int warps)
{
  return (warps + 2) * SQUARE * sizeof (wide<T>);
}

//------------------------------------------------------------------------------
// the step before: W, and what it does to this panel
//------------------------------------------------------------------------------

// X of the step before at `row`: the sum of the parts, slot by slot.
template <int N, class T>
GLA_DEVICE numbers<wide<T>, N> load_product (const band_page<T> &p, int row)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32, tiles = (p.rows + BAND + BAND_TILE - 1) / BAND_TILE;
  E sum[N];
#pragma unroll
  for (int q = 0; q < N; q++)
    sum[q] = from_real<E> (0);
  const T *from = p.part + (int64_t)(row + BAND + lane / 4) * BAND + lane % 4 * 2;
#pragma unroll 4
  for (int t = 0; t < tiles; t++)
#pragma unroll
    for (int q = 0; q < N; q++)
      if (row + q / 2 * 8 + lane / 4 < p.rows)
        sum[q] = sum[q] + widened (from[t * p.slot + q / 2 * 8 * BAND + q % 2]);
  numbers<E, N> x;
#pragma unroll
  for (int q = 0; q < N; q++)
    x.set (q, sum[q]);
  return x;
}

// p += V'X for 8 rows: x has numbers 2h and 2h+1 of the lane.
template <class T, int N>
GLA_DEVICE void multiply_rows (const band_page<T> &p, int row, const numbers<wide<T>, N> &x, int h,
                               numbers<wide<T>, 4> &sum)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32;
  const E *v = p.V_before + (int64_t)(p.top + BAND + row + 8 * h + lane % 4) * BAND + lane / 4;
  E upper = v[0], lower = v[4 * BAND];
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

// Adds a 8 by 8 square of the block's warps, in order; leaves it in p.P.
template <class T> GLA_DEVICE void add_squares (const band_page<T> &p, const numbers<wide<T>, 4> &x)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32, at = lane / 4 * BAND + lane % 4 * 2;
#pragma unroll
  for (int q = 0; q < 2; q++)
    if constexpr (is_complex_v<E>)
      p.squares[p.warp * SQUARE + at + q] = {x.re[q] + x.im[2 + q], x.im[q] - x.re[2 + q]};
    else
      p.squares[p.warp * SQUARE + at + q] = x.re[q];
  __syncthreads ();
  for (int t = threadIdx.x; t < SQUARE; t += blockDim.x) {
    E sum = p.squares[t];
    for (int g = 1; g < p.warps; g++)
      sum = sum + p.squares[g * SQUARE + t];
    p.P[t] = sum;
  }
  __syncthreads ();
}

// H = T'P T / 2 and, in P's place, T, of the step before.
template <class T> GLA_DEVICE void make_factors (const band_page<T> &p)
{
  typedef wide<T> E;
  for (int t = threadIdx.x; t < SQUARE; t += blockDim.x) {
    E sum = from_real<E> (0);
    for (int l = 0; l <= t % BAND; l++)
      sum = madd (p.P[t / BAND * BAND + l], p.T_factor[l * BAND + t % BAND], sum);
    p.squares[t] = sum;
  }
  __syncthreads ();
  for (int t = threadIdx.x; t < SQUARE; t += blockDim.x) {
    E sum = from_real<E> (0);
    for (int l = 0; l <= t / BAND; l++)
      sum = cmadd (p.T_factor[l * BAND + t / BAND], p.squares[l * BAND + t % BAND], sum);
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
  int lane = threadIdx.x % 32, at = lane % 4 * 2 * BAND + lane / 4;
  numbers<E, 2> t, h;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    t.set (q, p.P[at + q * BAND]);
    h.set (q, -p.H[at + q * BAND]);
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
      value = widened (p.A[(int64_t)(j + q % 2) * p.n + p.top + BAND + i + q / 2 * 8]);
    x.set (q, value);
  }
  return x;
}

template <class T>
GLA_DEVICE void store_rows (const band_page<T> &p, wide<T> *to, int row,
                            const numbers<wide<T>, 4> &x)
{
  int lane = threadIdx.x % 32, i = row + lane / 4;
  to += (int64_t)(p.top + BAND + i) * BAND + lane % 4 * 2;
#pragma unroll
  for (int q = 0; q < 4; q++)
    if (i + q / 2 * 8 < p.rows)
      to[q / 2 * 8 * BAND + q % 2] = x.get (q);
}

// Brings the panel up to date. W's rows at the diagonal block, which all rows need, every warp
// finds for itself.
template <int G, class T>
GLA_DEVICE void update_panel (const band_page<T> &p, numbers<wide<T>, 4> (&x)[G],
                              numbers<wide<T>, 4> &top)
{
  typedef wide<T> E;
  numbers<E, 4> sum = {}, w_top = upper_half (load_product<2> (p, -BAND));
#pragma unroll
  for (int g = 0; g < G; g++) {
    x[g] = load_product<4> (p, p.row (g));
    if (p.row (g) < p.rows)
      for (int h = 0; h < 2; h++)
        multiply_rows (p, p.row (g), x[g], h, sum);
  }
  if (p.warp == 0)
    multiply_rows (p, -BAND, w_top, 0, sum);
  add_squares (p, sum);
  make_factors (p);

  numbers<E, 2> v_part = load_rows<E, 2> (p.V_before, p.top);
  numbers<E, 4> v_top = upper_half (v_part);
  make_w (p, v_top, w_top);
  numbers<E, 2> w_part = upper_half (w_top);
  subtract_product (top, v_top, w_part);
  subtract_product (top, w_top, v_part);
#pragma unroll
  for (int g = 0; g < G; g++) {
    int row = p.row (g);
    if (row < p.rows) {
      numbers<E, 4> v = load_rows<E, 4> (p.V_before, p.top + BAND + row), w = x[g];
      make_w (p, v, w);
      store_rows (p, p.W, row, w);
      x[g] = load_columns<4> (p, row);
      subtract_product (x[g], v, w_part);
      subtract_product (x[g], w, v_part);
    }
  }
}

//------------------------------------------------------------------------------
// the QR factorisation
//------------------------------------------------------------------------------

// What warps tell each other of a column: sums over their rows of x'a for the eight columns a, and
// the pivot row. Of two columns, so that one barrier per column is enough.
template <class E> struct column_letters {
  E dots[2][MAX_WARPS][BAND], pivot[2][BAND];
  double square[MAX_WARPS];
  E inner[BAND][BAND], tau[BAND]; // v_j'v_c conjugated, for T
};

// x'a over all rows below the pivot for the lane's two columns a.
template <class T, int G>
GLA_DEVICE void sum_dots (const band_page<T> &p, column_letters<wide<T>> &letters, int c,
                          const wide<T> (&x)[G][2], const numbers<wide<T>, 4> (&a)[G],
                          wide<T> (&dot)[2])
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32, b = lane % 4 * 2, odd = lane / 4 % 2;
  dot[0] = dot[1] = from_real<E> (0);
#pragma unroll
  for (int g = 0; g < G; g++)
#pragma unroll
    for (int q = 0; q < 4; q++)
      dot[q % 2] = cmadd (x[g][q / 2], a[g].get (q), dot[q % 2]);
  // lanes of odd a go on with the odd column
  E keep = odd ? dot[1] : dot[0], give = odd ? dot[0] : dot[1];
  keep = keep + shuffle_xor (give, 4);
  keep = keep + shuffle_xor (keep, 8);
  keep = keep + shuffle_xor (keep, 16);
  if (lane < 8)
    letters.dots[c % 2][p.warp][b + odd] = keep;
  if (p.warp == 0 && lane / 4 == c)
    for (int q = 0; q < 2; q++)
      letters.pivot[c % 2][b + q] = a[0].get (q);
  __syncthreads ();
  E sum = from_real<E> (0);
#pragma unroll
  for (int g = 0; g < MAX_WARPS; g += 4)
    if (g + lane / 8 < p.warps)
      sum = sum + letters.dots[c % 2][g + lane / 8][b + odd];
  sum = sum + shuffle_xor (sum, 8);
  sum = sum + shuffle_xor (sum, 16);
  E other = shuffle_xor (sum, 4);
  dot[0] = odd ? other : sum;
  dot[1] = odd ? sum : other;
}

// The square of a column that is tiny, scaled up.
template <class T, int G>
GLA_DEVICE double scaled_square (const band_page<T> &p, column_letters<wide<T>> &letters,
                                 const wide<T> (&x)[G][2])
{
  double square = 0;
#pragma unroll
  for (int g = 0; g < G; g++)
    for (int h = 0; h < 2; h++)
      square += abs2 (scale (limits<double>::up, x[g][h]));
  square = lane_sum<32> (square) / 4; // four lanes have each row
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    letters.square[p.warp] = square;
  __syncthreads ();
  square = 0;
  for (int g = 0; g < p.warps; g++)
    square += letters.square[g];
  return square;
}

// The reflector of column c, applied to the columns right of it; a has v below the pivot then, and
// beta there. EVEN or odd c are told apart so that numbers keep their registers.
template <int ODD, class T, int G>
GLA_DEVICE void eliminate (const band_page<T> &p, column_letters<wide<T>> &letters, int c,
                           numbers<wide<T>, 4> (&a)[G])
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32, b = lane % 4 * 2;
  bool first = p.warp == 0; // has the pivots, in group 0
  E x[G][2], dot[2];
#pragma unroll
  for (int g = 0; g < G; g++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      x[g][h] = from_lane (a[g].get (2 * h + ODD), lane / 4 * 4 + c / 2);
      if (g == 0 && h == 0 && first && lane / 4 <= c)
        x[g][h] = from_real<E> (0);
    }
  sum_dots (p, letters, c, x, a, dot);
  double square = from_lane (re (dot[ODD]), c / 2), up = 1;
  E alpha = letters.pivot[c % 2][c];
  if (small_column (alpha, square)) {
    up = limits<double>::up;
    alpha = scale (up, alpha);
    square = scaled_square (p, letters, x);
  }
  householder<E> h = make_householder (alpha, square, up);
  E inner[2], factor[2]; // v'a; what times v is taken from a
#pragma unroll
  for (int q = 0; q < 2; q++) {
    inner[q] = cmadd (h.factor, dot[q], letters.pivot[c % 2][b + q]);
    factor[q] = b + q > c ? conj (h.tau) * inner[q] : from_real<E> (0);
    if (first && lane < 4 && b + q < c)
      letters.inner[b + q][c] = conj (inner[q]);
  }
  if (threadIdx.x == 0)
    letters.tau[c] = h.tau;
#pragma unroll
  for (int g = 0; g < G; g++)
#pragma unroll
    for (int q = 0; q < 4; q++) {
      bool triangle = g == 0 && q < 2 && first && lane / 4 <= c;
      E v = x[g][q / 2] * h.factor;
      if (triangle && lane / 4 == c)
        v = from_real<E> (1);
      E value = a[g].get (q) - v * factor[q % 2];
      if (q % 2 == ODD && b + ODD == c)
        value = !triangle ? v : lane / 4 == c ? from_real<E> (h.beta) : value;
      a[g].set (q, value);
    }
}

// T(0:c-1, c) = -tau(c) T(0:c-1, 0:c-1) V'v(c): a lane has a row of T.
template <class T>
GLA_DEVICE void store_triangle (const band_page<T> &p, const column_letters<wide<T>> &letters)
{
  typedef wide<T> E;
  int i = threadIdx.x;
  E row[BAND];
#pragma unroll
  for (int c = 0; c < BAND; c++) {
    E sum = from_real<E> (0);
#pragma unroll
    for (int j = 0; j < c; j++)
      sum = madd (row[j], letters.inner[j][c], sum);
    row[c] = i > c ? from_real<E> (0) : i == c ? letters.tau[c] : -(letters.tau[c] * sum);
    p.T_factor[i * BAND + c] = row[c];
  }
}

//------------------------------------------------------------------------------
// what is left
//------------------------------------------------------------------------------

// The diagonal block and R to the band: of each column nine entries from the diagonal down.
template <class T>
GLA_DEVICE void store_band (const band_page<T> &p, const numbers<wide<T>, 4> &top,
                            const numbers<wide<T>, 4> &below)
{
  typedef wide<T> E;
  int i = threadIdx.x % 32 / 4;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    int j = threadIdx.x % 4 * 2 + q;
    T *column = p.band + j * (BAND + 1);
    if (p.top + j < p.n) {
      E value = i == j ? from_real<E> (re (top.get (q))) : top.get (q);
      if (i >= j)
        column[i - j] = narrowed<T> (value);
      if (i <= j)
        column[BAND + i - j] = narrowed<T> (below.get (q));
    }
  }
}

// V with its ones and zeros.
template <class T, int G>
GLA_DEVICE void store_reflectors (const band_page<T> &p, numbers<wide<T>, 4> (&a)[G])
{
  typedef wide<T> E;
  int i = threadIdx.x % 32 / 4;
#pragma unroll
  for (int g = 0; g < G; g++) {
    if (g == 0 && p.warp == 0)
#pragma unroll
      for (int q = 0; q < 2; q++) {
        int j = threadIdx.x % 4 * 2 + q;
        a[0].set (q, i > j ? a[0].get (q) : from_real<E> (i == j ? 1.0 : 0.0));
      }
    store_rows (p, p.V, p.row (g), a[g]);
  }
}

// Rows after the last are zero in V and W, whatever the step.
template <class T> GLA_DEVICE void clear_ends (const eig_args<T> &a, int64_t page)
{
  typedef wide<T> E;
  band_scratch<T> s (a.n);
  E *scratch = reinterpret_cast<E *> (a.panel + page * s.size ());
  for (int t = threadIdx.x; t < BAND_TILE * BAND; t += blockDim.x)
    for (int64_t at : {s.v (0), s.v (1), s.w ()})
      scratch[at + (int64_t)a.n * BAND + t] = from_real<E> (0);
}

// The last step may leave one row below the panel: its entry on the diagonal is a column of the
// band by itself.
template <class T> GLA_DEVICE void store_last (const band_page<T> &p)
{
  typedef wide<T> E;
  int64_t last = p.n - 1;
  double value = re (p.A[last * p.n + last]);
  if (p.step > 0)
    for (int c = 0; c < BAND; c++)
      value -= 2 * re (conj (p.V_before[last * BAND + c]) * p.W[last * BAND + c]);
  for (int r = 0; r <= BAND; r++)
    p.band[BAND * (BAND + 1) + r] = from_real<T> (r == 0 ? (real_t<T>)value : 0);
}

// One block per page. Rows go to the warps 16 at a time, G times; a warp has them as fragments of
// the tensor cores have them, four lanes to a row with two of the eight columns each, from X of the
// step before to V of this one. A column of the QR factorisation takes one barrier: the products of
// what is below its pivot with all eight columns give its norm, what the columns right of it lose,
// and a column of T.
template <class T, int G>
__global__ void __launch_bounds__ (G == 1   ? 128
                                   : G == 2 ? 256
                                            : 32 * MAX_WARPS)
    he2hb_panel_kernel (eig_args<T> a, int step)
{
  typedef wide<T> E;
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ column_letters<E> letters;
  int64_t page = blockIdx.x;
  if (a.info[page] != 0)
    return;
  band_page<T> p (a, page, step, reinterpret_cast<E *> (memory));
  numbers<E, 4> x[G], top = upper_half (load_columns<2> (p, -BAND));
  if (step > 0)
    update_panel (p, x, top);
  else {
    clear_ends (a, page);
#pragma unroll
    for (int g = 0; g < G; g++)
      x[g] = load_columns<4> (p, p.row (g));
  }
  bool reflect = step < band_reflecting_steps (p.n);
  if (reflect) {
#pragma unroll 1
    for (int c = 0; c < BAND; c += 2) {
      eliminate<0> (p, letters, c, x);
      eliminate<1> (p, letters, c + 1, x);
    }
    __syncthreads ();
    if (threadIdx.x < BAND)
      store_triangle (p, letters);
  }
  if (p.warp == 0)
    store_band (p, top, x[0]);
  if (reflect)
    store_reflectors (p, x);
  __syncthreads ();
  if (!reflect && p.rows == 1 && threadIdx.x == 0)
    store_last (p);
}

template <int G, class T> cudaError_t launch (const eig_args<T> &a, int step)
{
  int rows = a.n - (step + 1) * BAND, groups = rows > 0 ? (rows + 15) / 16 : 1;
  int warps = (groups + G - 1) / G;
  he2hb_panel_kernel<T, G>
      <<<(unsigned)a.pages, 32 * warps, panel_bytes<T> (warps), a.stream>>> (a, step);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t he2hb_panel (const eig_args<T> &a, int step)
{
  int rows = a.n - (step + 1) * BAND;
  if (rows <= 64)
    return launch<1> (a, step);
  if (rows <= 256)
    return launch<2> (a, step);
  if (rows <= 1024)
    return launch<4> (a, step);
  return rows <= 2048 ? launch<8> (a, step) : cudaErrorInvalidValue;
}

template cudaError_t he2hb_panel (const eig_args<float> &, int);
template cudaError_t he2hb_panel (const eig_args<double> &, int);
template cudaError_t he2hb_panel (const eig_args<cx<float>> &, int);
template cudaError_t he2hb_panel (const eig_args<cx<double>> &, int);
