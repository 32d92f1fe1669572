// qr_panel.cu: Householder QR of a panel that stays in the registers of a cluster
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LAPACK's ?geqr2 and ?larft with one exchange per column: the products of the new vector x with
// all columns of the panel give its norm, what the reflector does to the columns right of it, and
// Y'Y for the triangular factor.

#include "cluster.cuh"
#include "larft.cuh"
#include "qr_kernels.cuh"

namespace
{

enum { WARPS = 16, HALF = QR_PANEL / 2, BLOCKS_MAX = 16, RESCALES = 3 };

// Rows per lane, at most.
template <class T> constexpr int deepest = sizeof (T) == 16 ? 8 : 16;

// What the blocks of a cluster tell each other about a column, twice: for odd and even turns.
template <class T> struct exchange {
  T part[BLOCKS_MAX][QR_PANEL]; // x'a of every column, from every block
  T row[QR_PANEL];              // row j of the panel
};

template <class T, int DEPTH> struct panel_memory {
  static constexpr int PLANES = is_complex_v<T> ? 2 : 1, LD = QR_PANEL + 2;
  exchange<T> mail[2];
  T x[2][32 * DEPTH];
  alignas (16) double g[PLANES * QR_PANEL * LD], f[PLANES * QR_PANEL * LD];
  T tau[QR_PANEL];
  int64_t first; // of the block's rows
};

// The reflector of [alpha; x], from alpha and x'x.
template <class T> struct reflector {
  typedef real_t<T> R;
  T tau, inverse, factor; // v = x*inverse; factor = conj(tau)*inverse
  R beta;
  GLA_DEVICE reflector (T alpha, R xx)
  {
    tau = inverse = factor = from_real<T> (0);
    beta = re (alpha);
    if (xx == 0 && im (alpha) == 0)
      return;
    beta = -copy_sign (sqrt_of (xx + abs2 (alpha)), re (alpha));
    R down = 1 / beta;
    if constexpr (is_complex_v<T>) {
      T d = {alpha.x - beta, alpha.y};
      inverse = scale (1 / abs2 (d), conj (d));
      tau = {(beta - alpha.x) * down, -alpha.y * down};
      factor = conj (tau) * inverse;
    } else {
      inverse = 1 / (alpha - beta);
      tau = (beta - alpha) * down;
      factor = -down;
    }
  }
};

// Half of a warp has the sum of `low`, the other half that of `high`.
template <class T> GLA_DEVICE T half_sums (T low, T high)
{
  bool upper = threadIdx.x % 32 >= 16;
  T sum = (upper ? high : low) + shuffle_xor (upper ? low : high, 16);
#pragma unroll
  for (int mask = 8; mask > 0; mask /= 2)
    sum = sum + shuffle_xor (sum, mask);
  return sum;
}
template <class T> GLA_DEVICE T sum_of_16 (T a)
{
#pragma unroll
  for (int mask = 8; mask > 0; mask /= 2)
    a = a + shuffle_xor (a, mask);
  return a;
}

template <class R> GLA_DEVICE R from_lane (R a, int lane)
{
  return __shfl_sync (0xffffffffu, a, lane);
}
template <class R> GLA_DEVICE cx<R> from_lane (cx<R> a, int lane)
{
  return {from_lane (a.x, lane), from_lane (a.y, lane)};
}

// The triangular factor, by the first block of a cluster.
template <class T, int DEPTH>
GLA_DEVICE void write_factor (panel_memory<T, DEPTH> &s, T *out, int64_t ld, int count)
{
  constexpr bool C = is_complex_v<T>;
  constexpr int LD = panel_memory<T, DEPTH>::LD, PLANE = QR_PANEL * LD;
  mma_matrix<C> G = {s.g, LD, PLANE}, F = {s.f, LD, PLANE};
  int warp = threadIdx.x / 32;
  for (int q = threadIdx.x; q < panel_memory<T, DEPTH>::PLANES * PLANE; q += blockDim.x)
    s.f[q] = 0;
  __syncthreads ();
  if (warp < 4)
    small_factor<T> (G, F, 8 * warp, s.tau, count);
  __syncthreads ();
  for (int h = 8; h < QR_PANEL; h *= 2)
    join_factors<C> (G, F, QR_PANEL, h);
  for (int q = threadIdx.x; q < QR_PANEL * QR_PANEL; q += blockDim.x) {
    int i = q % QR_PANEL, j = q / QR_PANEL;
    mma_entry<C> e = F.get (i, j);
    if constexpr (C)
      out[i + j * ld] = {(real_t<T>)e.re, (real_t<T>)e.im};
    else
      out[i + j * ld] = (T)e.re;
  }
}

// The two columns of a warp: each lane has DEPTH rows of them, 32 apart.
template <class T, int DEPTH> struct columns {
  T a[2][DEPTH];
  int warp, lane, rank, blocks;
  int64_t first, rows; // of this block, of the page or leaf

  GLA_DEVICE int64_t row (int r) const { return first + 32 * r + lane; }

  GLA_DEVICE void load (const T *A, int64_t ld, int count)
  {
#pragma unroll
    for (int c = 0; c < 2; c++)
#pragma unroll
      for (int r = 0; r < DEPTH; r++) {
        int k = warp + c * HALF;
        a[c][r] = k < count && row (r) < rows ? A[k * ld + row (r)] : from_real<T> (0);
      }
  }

  // The part of column j below row j.
  GLA_DEVICE void publish (T *x, int j) const
  {
#pragma unroll
    for (int r = 0; r < DEPTH; r++) {
      T value = j < HALF ? a[0][r] : a[1][r];
      x[32 * r + lane] = row (r) > j ? value : from_real<T> (0);
    }
  }

  // Sends the products of x with both columns, and row j of them, to all blocks.
  GLA_DEVICE void send (exchange<T> &mail, const T *x, int j) const
  {
    T dot0 = from_real<T> (0), dot1 = dot0;
#pragma unroll
    for (int r = 0; r < DEPTH; r++) {
      T xr = x[32 * r + lane];
      dot0 = cmadd (xr, a[0][r], dot0);
      dot1 = cmadd (xr, a[1][r], dot1);
    }
    T sum = half_sums (dot0, dot1);
    int to = lane % 16, k = warp + lane / 16 * HALF;
    if (to < blocks)
      *in_block (&mail.part[rank][k], to, blocks) = sum;
    if (rank == 0) {
      T row0 = from_lane (a[0][0], j), row1 = from_lane (a[1][0], j);
      if (to < blocks)
        *in_block (&mail.row[k], to, blocks) = lane < 16 ? row0 : row1;
    }
  }

  // Applies the reflector of column j to this warp's columns right of it; left of it, its products
  // with the reflectors before.
  template <class M>
  GLA_DEVICE void apply (const reflector<T> &h, const exchange<T> &mail, const T *x, int j,
                         const M &G)
  {
    int from = lane % 16, k = warp + lane / 16 * HALF;
    T sum = sum_of_16 (from < blocks ? mail.part[from][k] : from_real<T> (0));
    T dots[2] = {from_lane (sum, 0), from_lane (sum, 16)};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      int column = warp + c * HALF;
      T row_j = mail.row[column];
      if (column > j) {
        T w = madd (conj (h.inverse), dots[c], row_j), f = -(h.factor * w);
#pragma unroll
        for (int r = 0; r < DEPTH; r++)
          a[c][r] = madd (f, x[32 * r + lane], a[c][r]);
        if (rank == 0 && lane == j)
          a[c][0] = a[c][0] - conj (h.tau) * w;
      } else if (column < j && rank == 0 && lane == 0) {
        G.put (column, j, mma_entry_of (madd (conj (dots[c]), h.inverse, conj (row_j))));
      }
    }
  }

  // Column j becomes [beta; v].
  GLA_DEVICE void finish (const reflector<T> &h, int j, int rescaled)
  {
    real_t<T> beta = h.beta;
    for (int q = 0; q < rescaled; q++)
      beta *= limits<real_t<T>>::down;
#pragma unroll
    for (int c = 0; c < 2; c++)
#pragma unroll
      for (int r = 0; r < DEPTH; r++)
        if (warp + c * HALF == j) {
          if (row (r) > j)
            a[c][r] = a[c][r] * h.inverse;
          else if (row (r) == j)
            a[c][r] = from_real<T> (beta);
        }
  }

  // Brings a column of tiny entries, from row j on, back to where squares can be trusted.
  GLA_DEVICE void rescale (int j)
  {
#pragma unroll
    for (int c = 0; c < 2; c++)
#pragma unroll
      for (int r = 0; r < DEPTH; r++)
        if (warp + c * HALF == j && row (r) >= j)
          a[c][r] = scale (limits<real_t<T>>::up, a[c][r]);
  }

  GLA_DEVICE void store (T *A, int64_t ld, int count, int reflectors) const
  {
#pragma unroll
    for (int c = 0; c < 2; c++)
#pragma unroll
      for (int r = 0; r < DEPTH; r++) {
        int k = warp + c * HALF;
        T unit = from_real<T> (row (r) == k && k < reflectors ? 1 : 0);
        if (k < count && row (r) < rows)
          A[k * ld + row (r)] = row (r) > k ? a[c][r] : unit;
      }
  }

  GLA_DEVICE void store_r (T *R, int64_t ld, int count, int r_rows) const
  {
#pragma unroll
    for (int c = 0; c < 2; c++) {
      int k = warp + c * HALF;
      if (k < count && lane < r_rows)
        R[k * ld + lane] = lane <= k && lane < rows ? a[c][0] : from_real<T> (0);
    }
  }
};

// A cluster per panel (or leaf). Its blocks have 32*DEPTH rows each, in the order of their ranks,
// and keep them in registers: a warp has columns w and w+16, a lane every 32nd row. For column j
// the warp that has it shows x, the part below the diagonal; each warp sends x'a of its columns to
// all blocks (row j as well, from block 0), and after one barrier of the cluster every warp knows
// the reflector and its own products, in sums of fixed order, and updates its registers. Where x'x
// has lost digits to underflow the column is scaled up and the turn is taken again.
template <class T, int DEPTH>
__global__ void __launch_bounds__ (32 * WARPS) qr_panel_kernel (qr_panel_args<T> p, int blocks)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  auto &s = *reinterpret_cast<panel_memory<T, DEPTH> *> (memory);
  constexpr int LD = panel_memory<T, DEPTH>::LD;
  mma_matrix<is_complex_v<T>> G = {s.g, LD, QR_PANEL * LD};
  int64_t which = blockIdx.x / blocks, page = which / p.leaves, leaf = which % p.leaves;
  T *A = p.A.data + page * p.A.page + leaf * p.leaf_rows;
  T *out_r = p.R.data + page * p.R.page + leaf * QR_PANEL;

  columns<T, DEPTH> own;
  own.warp = threadIdx.x / 32;
  own.lane = threadIdx.x % 32;
  own.blocks = blocks;
  own.rank = blockIdx.x % blocks;
  own.first = (int64_t)own.rank * 32 * DEPTH;
  own.rows = p.rows - leaf * p.leaf_rows < p.leaf_rows ? p.rows - leaf * p.leaf_rows : p.leaf_rows;
  own.load (A, p.A.ld, p.columns);
  int count = own.rows < p.columns ? (int)own.rows : p.columns;
  cluster_barrier (blocks); // all blocks have started: their shared memory may be written

  for (int j = 0, turn = 0, rescaled = 0; j < count; turn++) {
    exchange<T> &mail = s.mail[turn % 2];
    T *x = s.x[turn % 2];
    if (own.warp == j % HALF)
      own.publish (x, j);
    __syncthreads ();
    own.send (mail, x, j);
    cluster_barrier (blocks);
    int from = own.lane % 16;
    R xx = re (sum_of_16 (from < blocks ? mail.part[from][j] : from_real<T> (0)));
    T alpha = mail.row[j];
    if (xx + abs2 (alpha) < limits<R>::small_square && rescaled < RESCALES) {
      own.rescale (j);
      rescaled++;
      continue;
    }
    reflector<T> h (alpha, xx);
    own.apply (h, mail, x, j, G);
    own.finish (h, j, rescaled);
    if (threadIdx.x == 0)
      s.tau[j] = h.tau;
    j++;
    rescaled = 0;
  }

  own.store (A, p.A.ld, p.columns, count);
  if (own.rank > 0)
    return;
  own.store_r (out_r, p.R.ld, p.columns, p.leaves > 1 ? QR_PANEL : count);
  for (int q = threadIdx.x; q < p.above * p.columns; q += blockDim.x) {
    int i = q % p.above - p.above, j = q / p.above;
    out_r[i + j * p.R.ld] = A[i + j * p.A.ld];
    A[i + j * p.A.ld] = from_real<T> (0);
  }
  __syncthreads ();
  write_factor (s, p.F.data + page * p.F.page + leaf * QR_PANEL * QR_PANEL, p.F.ld, count);
}

template <class T, int DEPTH>
cudaError_t launch (const qr_panel_args<T> &p, int blocks, cudaStream_t stream)
{
  size_t shared = sizeof (panel_memory<T, DEPTH>);
  cudaError_t error = allow_cluster (qr_panel_kernel<T, DEPTH>, blocks, shared);
  if (error != cudaSuccess)
    return error;
  cluster_launch way (p.pages * p.leaves, blocks, 32 * WARPS, shared, stream);
  return cudaLaunchKernelEx (&way.config, qr_panel_kernel<T, DEPTH>, p, blocks);
}

} // namespace

template <class T> int64_t qr_leaf_rows ()
{
  return 32 * deepest<T>;
}

template <class T> int64_t qr_panel_rows_max ()
{
  return qr_leaf_rows<T> () * BLOCKS_MAX;
}

template <class T> cudaError_t qr_panel (const qr_panel_args<T> &p, cudaStream_t stream)
{
  // a block alone to 64 rows, then as few rows to a block as 16 blocks allow
  int64_t tiles = (p.leaf_rows + 31) / 32;
  int blocks = p.leaves > 1 || tiles <= 2 ? 1 : 2;
  while (blocks < BLOCKS_MAX && p.leaves == 1 && tiles > 2 && blocks < tiles)
    blocks *= 2;
  int64_t depth = (tiles + blocks - 1) / blocks;
  if (depth <= 1)
    return launch<T, 1> (p, blocks, stream);
  if (depth <= 2)
    return launch<T, 2> (p, blocks, stream);
  if (depth <= 4)
    return launch<T, 4> (p, blocks, stream);
  if (depth <= 8)
    return launch<T, 8> (p, blocks, stream);
  return launch<T, deepest<T>> (p, blocks, stream);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int64_t qr_leaf_rows<T> ();                                                             \
  template int64_t qr_panel_rows_max<T> ();                                                        \
  template cudaError_t qr_panel (const qr_panel_args<T> &, cudaStream_t);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
