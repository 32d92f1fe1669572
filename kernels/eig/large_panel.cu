// large_panel.cu: the QR factorisation of a panel of a large page by many blocks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "hetrd.cuh"
#include "large.cuh"

namespace
{

enum { B = LARGE_BAND };

template <class T> struct panel_args {
  int n, first;    // the first column
  T *W, *factors;  // from row first + B on
  T *left, *right; // the same of V's places in the pending update
  T *band;         // from column `first` on
  T *triangular;   // B*B
  T *partial;      // [2][blocks][B]
  T *pivot;        // [2][B]
  unsigned *counter;
};

// Shared memory of a block of so many rows.
template <class T, int ROWS> struct panel_memory {
  T part[ROWS / 32][B];
  T coefficient[B];
  T triangular[B][B + 1];
  T factor;
  real_t<T> beta, up;
};

// Sums over all rows of the grid: lane c of warp 0 gets that of dot[c]. The blocks' parts are added
// in the same order everywhere.
template <class T, int ROWS>
GLA_DEVICE T grid_sums (const panel_args<T> &p, panel_memory<T, ROWS> &m, T (&dot)[B],
                        int &barriers)
{
  constexpr int WARPS = ROWS / 32;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, blocks = gridDim.x;
  T sum = lane_sums<B> (dot);
  m.part[warp][lane] = sum;
  __syncthreads ();
  T *partial = p.partial + (int64_t)(barriers % 2) * blocks * B;
  if (warp == 0) {
    sum = m.part[0][lane];
    for (int w = 1; w < WARPS; w++)
      sum = sum + m.part[w][lane];
    if (blocks == 1) {
      barriers++;
      return sum;
    }
    shared_store (partial + blockIdx.x * B + lane, sum);
  }
  if (blocks == 1) {
    barriers++;
    return sum;
  }
  grid_barrier (p.counter, ++barriers);
  sum = from_real<T> (0);
#pragma unroll 4
  for (int b = warp; b < blocks; b += WARPS)
    sum = sum + shared_load (partial + b * B + lane);
  m.part[warp][lane] = sum;
  __syncthreads ();
  if (warp == 0) {
    sum = m.part[0][lane];
    for (int w = 1; w < WARPS; w++)
      sum = sum + m.part[w][lane];
  }
  return sum;
}

// Column j of the triangular factor T(0:j-1, j) = -tau T(0:j-1, 0:j-1) V'v, by a warp; lane
// B-j+i has (v'V)(i).
template <class T, int ROWS>
GLA_DEVICE void next_factor (panel_memory<T, ROWS> &m, int j, T tau, T product)
{
  int i = threadIdx.x % 32;
  T sum = from_real<T> (0);
  for (int l = 0; l < j; l++) {
    T g = conj (from_lane (product, B - j + l));
    if (i <= l)
      sum = madd (m.triangular[i][l], g, sum);
  }
  m.triangular[i][j] = i < j ? from_real<T> (0) - tau * sum : i == j ? tau : from_real<T> (0);
  __syncwarp ();
}

// What warp 0 of each block finds from the sums of column j and the pivot row: the reflector, and
// by which multiples of v the other columns change.
template <class T, int ROWS>
GLA_DEVICE void reflect (panel_memory<T, ROWS> &m, int j, T sum, T pivot, real_t<T> up)
{
  int lane = threadIdx.x;
  T alpha = scale (up, from_lane (pivot, 0));
  real_t<T> square = re (from_lane (sum, 0));
  householder<T> h = make_householder (alpha, square, up);
  // the sums of a column that was scaled up are those of the others as well
  T product = scale (1 / up, conj (h.factor) * sum) + pivot;
  m.coefficient[lane] = lane > 0 && lane < B - j ? conj (h.tau) * product : from_real<T> (0);
  if (lane == 0) {
    m.factor = h.factor;
    m.beta = h.beta;
  }
  if (blockIdx.x == 0)
    next_factor (m, j, h.tau, product);
}

// A thread has a row in registers, a block ROWS rows. In each step the current column is x[0], the
// columns to its right follow, and the finished reflectors are at the end of the row. The products
// of the current column with all of them are one sum over the grid, from which every block computes
// the reflector and the update of the other columns, and block 0 a column of the triangular factor.
template <class T, int ROWS>
__global__ void __launch_bounds__ (ROWS, 256 / ROWS) large_panel_kernel (panel_args<T> p)
{
  typedef real_t<T> R;
  __shared__ __align__ (16) unsigned char memory[sizeof (panel_memory<T, ROWS>)];
  panel_memory<T, ROWS> &m = *reinterpret_cast<panel_memory<T, ROWS> *> (memory);
  int row = blockIdx.x * ROWS + threadIdx.x, rows = p.n - p.first - B, barriers = 0;
  bool inside = row < rows;
  T x[B];
#pragma unroll
  for (int c = 0; c < B; c++)
    x[c] = inside ? p.W[(int64_t)c * p.n + row] : from_real<T> (0);
#pragma unroll 1
  for (int j = 0; j < B; j++) {
    T *to = p.pivot + barriers % 2 * B, dot[B];
    if (row == j)
#pragma unroll
      for (int c = 0; c < B; c++)
        shared_store (to + c, x[c]);
    T own = row > j ? x[0] : from_real<T> (0);
#pragma unroll
    for (int c = 0; c < B; c++)
      dot[c] = conj (own) * x[c];
    T sum = grid_sums (p, m, dot, barriers), pivot = from_real<T> (0);
    R up = 1;
    if (threadIdx.x < 32) {
      pivot = shared_load (to + threadIdx.x);
      T alpha = from_lane (pivot, 0);
      if (threadIdx.x == 0)
        m.up = small_column (alpha, re (sum)) ? limits<R>::up : R (1);
    }
    __syncthreads ();
    up = m.up;
    if (up != 1) { // the same everywhere
      own = scale (up, own);
#pragma unroll
      for (int c = 0; c < B; c++)
        dot[c] = conj (own) * (c == 0 ? own : x[c]);
      sum = grid_sums (p, m, dot, barriers);
    }
    if (threadIdx.x < 32)
      reflect (m, j, sum, pivot, up);
    __syncthreads ();
    T v = row < j ? from_real<T> (0) : row == j ? from_real<T> (1) : m.factor * x[0];
    if (inside && row <= j)
      p.band[(int64_t)j * LARGE_LD + B + row - j] = row < j ? x[0] : from_real<T> (m.beta);
#pragma unroll
    for (int c = 1; c < B; c++)
      x[c - 1] = madd (from_real<T> (0) - m.coefficient[c], v, x[c]);
    x[B - 1] = v;
    __syncthreads ();
  }
  if (inside)
#pragma unroll
    for (int c = 0; c < B; c++) {
      p.W[(int64_t)c * p.n + row] = x[c];
      p.factors[(int64_t)c * p.n + row] = x[c];
      p.left[(int64_t)c * p.n + row] = x[c];
      p.right[(int64_t)c * p.n + row] = x[c];
    }
  if (blockIdx.x == 0)
    for (int q = threadIdx.x; q < B * B; q += ROWS)
      p.triangular[q] = m.triangular[q % B][q / B];
}

template <int ROWS, class T> cudaError_t launch (const large_page<T> &a, int panel, int64_t pending)
{
  int first = panel * B, blocks = (a.n - first - B + ROWS - 1) / ROWS;
  int64_t row = first + B, most = (a.n + ROWS - 1) / ROWS;
  panel_args<T> p = {};
  p.n = a.n;
  p.first = first;
  p.W = a.W + (int64_t)first * a.n + row;
  p.factors = a.work.factors + row;
  p.left = a.work.pending[0] + pending * a.n + row;
  p.right = a.work.pending[1] + (pending + B) * a.n + row;
  p.band = a.work.band + (int64_t)first * LARGE_LD;
  p.triangular = a.work.panel_factors + (int64_t)panel * B * B;
  p.partial = a.work.partial;
  p.pivot = a.work.partial + 2 * most * B;
  p.counter = a.work.counters + panel;
  return launch_together (large_panel_kernel<T, ROWS>, blocks, ROWS, 0, a.stream, p);
}

} // namespace

// More rows to a block where there are many blocks, whose sums each of them adds up.
template <class T> cudaError_t large_panel (const large_page<T> &a, int panel, int64_t pending)
{
  return a.n <= 64 * LARGE_PANEL_ROWS ? launch<LARGE_PANEL_ROWS> (a, panel, pending)
                                      : launch<2 * LARGE_PANEL_ROWS> (a, panel, pending);
}

template cudaError_t large_panel (const large_page<float> &, int, int64_t);
template cudaError_t large_panel (const large_page<double> &, int, int64_t);
template cudaError_t large_panel (const large_page<cx<float>> &, int, int64_t);
template cudaError_t large_panel (const large_page<cx<double>> &, int, int64_t);
