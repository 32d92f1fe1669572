// he2hb_panel.cu: the panel of a step of the reduction to band form
// SPDX-License-Identifier: GPL-3.0-or-later

#include "he2hb_panel.cuh"
#include "hetrd.cuh"

namespace
{

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
GLA_DEVICE void store_factor (const band_page<T> &p, const column_letters<wide<T>> &letters)
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

// R to the band: of column j the entries from the eighth less j on below the diagonal.
template <class T>
GLA_DEVICE void store_triangle (const band_page<T> &p, const numbers<wide<T>, 4> &x)
{
  int i = threadIdx.x % 32 / 4;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    int j = threadIdx.x % 4 * 2 + q;
    if (i <= j && p.top + j < p.n)
      p.band[j * (BAND + 1) + BAND + i - j] = narrow<T> (x.get (q));
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
    for (int k = 0; k < 3; k++)
      scratch[k * s.rows () + (int64_t)a.n * BAND + t] = from_real<E> (0);
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

// Warps of a block at most.
template <int G> constexpr int panel_warps = G == 1 ? 4 : G == 2 ? 16 : MAX_WARPS;

// One block per page. Rows go to the warps 16 at a time, G times; a warp has them as fragments of
// the tensor cores have them, four lanes to a row with two of the eight columns each, from X of the
// step before to V of this one. A column of the QR factorisation takes one barrier: the products of
// what is below its pivot with all eight columns give its norm, what the columns right of it lose,
// and a column of T.
template <class T, int G>
__global__ void __launch_bounds__ (32 * panel_warps<G>, 1)
    he2hb_panel_kernel (eig_args<T> a, int step, bool updated)
{
  typedef wide<T> E;
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ column_letters<E> letters;
  int64_t page = blockIdx.x;
  if (a.info[page] != 0)
    return;
  band_page<T> p (a, page, step, reinterpret_cast<E *> (memory));
  numbers<E, 4> x[G];
  if (updated) {
#pragma unroll
    for (int g = 0; g < G; g++) {
      x[g] = {};
      if (p.row (g) < p.rows)
        x[g] = load_rows<E, 4> (p.V + (p.top + BAND + p.row (g)) * BAND);
    }
  } else if (step > 0) {
    update_panel (p, x);
  } else {
    clear_ends (a, page);
    store_diagonal (p, load_columns<2> (p, -BAND));
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
      store_factor (p, letters);
  }
  if (p.warp == 0)
    store_triangle (p, x[0]);
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
  he2hb_panel_kernel<T, G><<<(unsigned)a.pages, 32 * warps, panel_bytes<T> (warps), a.stream>>> (
      a, step, step > 0 && he2hb_splits (a.n, step));
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t he2hb_panel (const eig_args<T> &a, int step)
{
  int groups = (a.n - (step + 1) * BAND + 15) / 16;
  if (groups <= panel_warps<1>)
    return launch<1> (a, step);
  if (groups <= 2 * panel_warps<2>)
    return launch<2> (a, step);
  if (groups <= 4 * panel_warps<4>)
    return launch<4> (a, step);
  return groups <= 8 * panel_warps<8> ? launch<8> (a, step) : cudaErrorInvalidValue;
}

template cudaError_t he2hb_panel (const eig_args<float> &, int);
template cudaError_t he2hb_panel (const eig_args<double> &, int);
template cudaError_t he2hb_panel (const eig_args<cx<float>> &, int);
template cudaError_t he2hb_panel (const eig_args<cx<double>> &, int);
