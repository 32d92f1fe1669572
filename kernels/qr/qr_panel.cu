// qr_panel.cu: Householder QR of a panel that stays in the registers of a cluster
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LAPACK's ?geqr2 and ?larft with one exchange per column: the products of the new vector x with
// all columns of the panel give its norm, what the reflector does to the columns right of it, and
// Y'Y for the triangular factor.

#include "common/cluster.cuh"
#include "common/reflector.cuh"
#include "qr_kernels.cuh"

namespace
{

enum { BLOCKS_MAX = 16, RESCALES = 3 };

// How the threads of a block divide its ROWS rows of 32 columns (besides the first 32 rows, which
// every block has). WARPS warps have adjacent columns; the lanes of a warp form groups of LANES,
// which share the warp's columns; a lane has every LANES-th row of COLUMNS columns. As far as
// registers allow, there are few warps, so that little is computed twice, and few lanes to a
// column, so that sums are short.
template <class T, int ROWS_> struct split {
  static constexpr int ROWS = ROWS_, BYTES = ROWS * (int)sizeof (T);
  static constexpr int LANES = BYTES <= 2048 ? 8 : 16, WARPS = BYTES <= 2048 ? 4 : 8;
  static constexpr int GROUPS = 32 / LANES, COLUMNS = QR_PANEL / WARPS / GROUPS;
  static constexpr int TOP = 32 / LANES, DEPTH = ROWS / LANES; // rows of a lane
  static constexpr int SHARE = LANES / COLUMNS; // lanes that end up with the sum of a column
  static constexpr int SENDS = BLOCKS_MAX / SHARE;
};

template <class T, int ROWS> struct panel_memory {
  static constexpr int PLANES = is_complex_v<T> ? 2 : 1, LD = QR_PANEL + 2;
  static constexpr int PART = QR_PANEL + 8; // so that rows are in different banks
  // x'a of every column, from every block; it and the next two for even and odd steps
  alignas (16) real_t<T> part[2][PLANES][BLOCKS_MAX][PART];
  alignas (16) T x[2][32 + ROWS];
  T row[2][QR_PANEL], tau[QR_PANEL], inverse[QR_PANEL], beta[QR_PANEL];
  alignas (16) double g[PLANES * QR_PANEL * LD], f[PLANES * QR_PANEL * LD];
};

//------------------------------------------------------------------------------
// sums over lanes
//------------------------------------------------------------------------------

// The sums over a group of LANES lanes of N values each, one to every LANES/N lanes, in order.
template <int LANES, int N, class T> GLA_DEVICE T sums_over_lanes (T (&value)[N])
{
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = N / 2, mask = LANES / 2; half > 0; half /= 2, mask /= 2) {
    bool upper = lane & mask;
#pragma unroll
    for (int i = 0; i < half; i++) {
      T keep = upper ? value[i + half] : value[i], give = upper ? value[i] : value[i + half];
      value[i] = keep + shuffle_xor (give, mask);
    }
  }
  T sum = value[0];
#pragma unroll
  for (int mask = LANES / N / 2; mask > 0; mask /= 2)
    sum = sum + shuffle_xor (sum, mask);
  return sum;
}

// Reads what block `from` sent for a column.
template <class T, int PLANES, int PART>
GLA_DEVICE T look (const real_t<T> (&part)[PLANES][BLOCKS_MAX][PART], int from, int column)
{
  if constexpr (is_complex_v<T>)
    return {remote_load (&part[0][from][column]), remote_load (&part[1][from][column])};
  else
    return remote_load (&part[0][from][column]);
}
template <class T, int PLANES, int PART>
GLA_DEVICE void put (real_t<T> (&part)[PLANES][BLOCKS_MAX][PART], int from, int column, T a)
{
  part[0][from][column] = re (a);
  if constexpr (is_complex_v<T>)
    part[1][from][column] = im (a);
}

// The sums of what all blocks sent for two columns, by groups of G lanes, as soon as it is there.
// Slots of blocks that do not exist hold zeros.
template <int G, class T, int PLANES, int PART>
GLA_DEVICE void sums_of_parts (const real_t<T> (&part)[PLANES][BLOCKS_MAX][PART], int one, int two,
                               T *a, T *b)
{
  constexpr int EACH = BLOCKS_MAX / G;
  int lane = threadIdx.x % G;
  T sent[2][EACH];
  bool missing;
  do {
    missing = false;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      sent[0][q] = look<T> (part, lane + q * G, one);
      sent[1][q] = look<T> (part, lane + q * G, two);
    }
#pragma unroll
    for (int q = 0; q < EACH; q++)
      missing = missing || remote_missing (sent[0][q]) || remote_missing (sent[1][q]);
  } while (__any_sync (0xffffffffu, missing));
#pragma unroll
  for (int q = EACH / 2; q > 0; q /= 2)
#pragma unroll
    for (int i = 0; i < q; i++) {
      sent[0][i] = sent[0][i] + sent[0][i + q];
      sent[1][i] = sent[1][i] + sent[1][i + q];
    }
#pragma unroll
  for (int mask = G / 2; mask > 0; mask /= 2) {
    sent[0][0] = sent[0][0] + shuffle_xor (sent[0][0], mask);
    sent[1][0] = sent[1][0] + shuffle_xor (sent[1][0], mask);
  }
  *a = sent[0][0];
  *b = sent[1][0];
}

//------------------------------------------------------------------------------
// a panel
//------------------------------------------------------------------------------

// The triangular factor, by the first block of a cluster.
template <class T, int ROWS>
GLA_DEVICE void write_factor (panel_memory<T, ROWS> &s, T *out, int64_t ld, int count)
{
  constexpr bool C = is_complex_v<T>;
  constexpr int LD = panel_memory<T, ROWS>::LD, PLANE = QR_PANEL * LD;
  mma_matrix<C> G = {s.g, LD, PLANE}, F = {s.f, LD, PLANE};
  for (int q = threadIdx.x; q < QR_PANEL * QR_PANEL; q += blockDim.x) {
    int i = q % QR_PANEL, j = q / QR_PANEL;
    F.put (i, j, mma_entry_of (i == j && j < count ? s.tau[j] : from_real<T> (0)));
    mma_entry<C> product = {};
    multiply_add (product, mma_entry_of (conj (s.inverse[i])), G.get (i, j));
    G.put (i, j, product);
  }
  __syncthreads ();
  join_panel<C> (G, F, QR_PANEL);
  for (int q = threadIdx.x; q < QR_PANEL * QR_PANEL; q += blockDim.x) {
    int i = q % QR_PANEL, j = q / QR_PANEL;
    out[i + j * ld] = F.template number<T> (i, j);
  }
}

template <class T, int ROWS_> struct columns : split<T, ROWS_> {
  typedef split<T, ROWS_> S;
  using S::COLUMNS, S::DEPTH, S::LANES, S::ROWS, S::SENDS, S::SHARE, S::TOP, S::WARPS;
  typedef panel_memory<T, ROWS> memory;
  memory &s;
  T top[COLUMNS][TOP], a[COLUMNS][DEPTH > 0 ? DEPTH : 1];
  T tau, inverse; // of the last reflector
  real_t<T> beta;
  int lane, warp, rank, blocks;
  int64_t first, rows;     // of this block behind the first 32, of the page or leaf
  unsigned address[SENDS]; // of s.part[0][0][rank][0] in the blocks that this lane writes to

  GLA_DEVICE columns (memory &s, int blocks, int64_t rows)
      : s (s), lane (threadIdx.x % LANES), warp (threadIdx.x / 32), rank (blockIdx.x % blocks),
        blocks (blocks), first (32 + (int64_t)rank * ROWS), rows (rows)
  {
#pragma unroll
    for (int q = 0; q < SENDS; q++)
      address[q] = remote_address (&s.part[0][0][rank][0], lane % SHARE + q * SHARE);
  }

  GLA_DEVICE int top_row (int r) const
  {
    return LANES * r + lane;
  }
  GLA_DEVICE int64_t row (int r) const
  {
    return first + LANES * r + lane;
  }
  GLA_DEVICE int column (int c) const
  {
    return warp * (QR_PANEL / WARPS) + threadIdx.x % 32 / LANES * COLUMNS + c;
  }
  // The column whose sum this lane gets.
  GLA_DEVICE int sum_column () const
  {
    return column (lane / SHARE);
  }

  GLA_DEVICE void load (const T *A, int64_t ld, int count)
  {
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      const T *from = A + column (c) * ld;
#pragma unroll
      for (int r = 0; r < TOP; r++)
        top[c][r] = column (c) < count && top_row (r) < rows ? from[top_row (r)] : from_real<T> (0);
#pragma unroll
      for (int r = 0; r < DEPTH; r++)
        a[c][r] = column (c) < count && row (r) < rows ? from[row (r)] : from_real<T> (0);
    }
  }

  // The lanes that have column j publish its part below row j, and all lanes row j of their
  // columns.
  GLA_DEVICE void publish (int buffer, int j)
  {
    if (lane == j % LANES)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) {
        T value = top[c][0];
#pragma unroll
        for (int r = 1; r < TOP; r++)
          value = top_row (r) == j ? top[c][r] : value;
        s.row[buffer][column (c)] = value;
      }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (column (c) == j) {
#pragma unroll
        for (int r = 0; r < TOP; r++)
          s.x[buffer][top_row (r)] = top_row (r) > j ? top[c][r] : from_real<T> (0);
#pragma unroll
        for (int r = 0; r < DEPTH; r++)
          s.x[buffer][32 + LANES * r + lane] = a[c][r];
      }
  }

  // Empties the slots of this warp's columns; those of blocks that are not there get zeros.
  GLA_DEVICE void empty (int buffer)
  {
#pragma unroll
    for (int q = 0; q < SENDS; q++) {
      int from = lane % SHARE + q * SHARE;
      put<T> (s.part[buffer], from, sum_column (),
              from < blocks ? remote_empty (T ()) : from_real<T> (0));
    }
  }

  // Sends the products of x with the columns to all blocks. The first 32 rows are block 0's.
  GLA_DEVICE void send (int buffer)
  {
    // products that need not wait for each other, where there are many
    constexpr int CHAINS = DEPTH >= 16 ? 4 / COLUMNS : 1;
    T dots[COLUMNS], chain[COLUMNS][CHAINS];
    const T *x = s.x[buffer] + lane;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
#pragma unroll
      for (int q = 0; q < CHAINS; q++)
        chain[c][q] = from_real<T> (0);
#pragma unroll
    for (int r = 0; r < DEPTH; r++) {
      T xr = x[32 + LANES * r];
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        chain[c][r % CHAINS] = cmadd (xr, a[c][r], chain[c][r % CHAINS]);
    }
    if (rank == 0)
#pragma unroll
      for (int r = 0; r < TOP; r++) {
        T xr = x[LANES * r];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
          chain[c][r % CHAINS] = cmadd (xr, top[c][r], chain[c][r % CHAINS]);
      }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      dots[c] = chain[c][0];
#pragma unroll
      for (int q = 1; q < CHAINS; q++)
        dots[c] = dots[c] + chain[c][q];
    }
    T sum = remote_value (sums_over_lanes<LANES> (dots));
    int k = sum_column ();
    if (blocks == 1) {
      if (lane % SHARE == 0)
        put<T> (s.part[buffer], 0, k, sum);
      return;
    }
    constexpr unsigned PLANE = BLOCKS_MAX * memory::PART * sizeof (real_t<T>);
    unsigned offset = buffer * memory::PLANES * PLANE + k * (unsigned)sizeof (real_t<T>);
#pragma unroll
    for (int q = 0; q < SENDS; q++)
      if (lane % SHARE + q * SHARE < blocks) {
        remote_store (address[q] + offset, re (sum));
        if constexpr (is_complex_v<T>)
          remote_store (address[q] + offset + PLANE, im (sum));
      }
  }

  // Applies the reflector of column j, with the product of this lane's column, to the columns right
  // of it; the products with the columns left of it give Y'Y. Column j itself stays x.
  template <class M>
  GLA_DEVICE void apply (const reflector<T> &h, T dot, int buffer, int j, const M &G)
  {
    int k = sum_column ();
    T row_j = s.row[buffer][k], w = madd (conj (h.inverse), dot, row_j);
    T f_k = k > j ? -(h.factor * w) : from_real<T> (0), f[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      f[c] = from_lane (f_k, threadIdx.x % 32 / LANES * LANES + c * SHARE);
    const T *x = s.x[buffer] + lane;
#pragma unroll
    for (int r = 0; r < TOP; r++) {
      T xr = top_row (r) == j ? h.pivot : x[LANES * r]; // v(j) = 1 = pivot*inverse
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        top[c][r] = madd (f[c], xr, top[c][r]);
    }
#pragma unroll
    for (int r = 0; r < DEPTH; r++) {
      T xr = x[32 + LANES * r];
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        a[c][r] = madd (f[c], xr, a[c][r]);
    }
    if (rank == 0 && lane % SHARE == 0 && k < j) // times the conjugate of column k's inverse, later
      G.put (k, j, mma_entry_of (madd (conj (dot), h.inverse, conj (row_j))));
  }

  // Scales a column of tiny entries up, from row j on, so that squares keep their digits.
  GLA_DEVICE void rescale (int j)
  {
    const real_t<T> up = limits<real_t<T>>::up;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (column (c) == j) {
#pragma unroll
        for (int r = 0; r < TOP; r++)
          top[c][r] = scale (top_row (r) >= j ? up : 1, top[c][r]);
#pragma unroll
        for (int r = 0; r < DEPTH; r++)
          a[c][r] = scale (up, a[c][r]);
      }
  }

  // Stores a reflector's scalars in shared memory one step later, where that delays nothing.
  GLA_DEVICE void remember (const reflector<T> &h, int rescaled)
  {
    tau = h.tau;
    inverse = h.inverse;
    beta = h.beta;
    for (; rescaled > 0; rescaled--)
      beta *= limits<real_t<T>>::down;
  }
  GLA_DEVICE void note (int j) const
  {
    if (threadIdx.x == 0 && j >= 0) {
      s.tau[j] = tau;
      s.inverse[j] = inverse;
      s.beta[j] = from_real<T> (beta);
    }
  }

  GLA_DEVICE void store (T *A, int64_t ld, int count, int reflectors) const
  {
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      int k = column (c);
      T *to = A + k * ld, inverse = s.inverse[k];
#pragma unroll
      for (int r = 0; r < TOP; r++) {
        T unit = from_real<T> (top_row (r) == k && k < reflectors ? 1 : 0);
        if (rank == 0 && k < count && top_row (r) < rows)
          to[top_row (r)] = top_row (r) > k ? top[c][r] * inverse : unit;
      }
#pragma unroll
      for (int r = 0; r < DEPTH; r++)
        if (k < count && row (r) < rows)
          to[row (r)] = a[c][r] * inverse;
    }
  }

  GLA_DEVICE void store_r (T *R, int64_t ld, int count, int reflectors, int r_rows) const
  {
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
#pragma unroll
      for (int r = 0; r < TOP; r++) {
        int k = column (c), i = top_row (r);
        T value = i < k || k >= reflectors ? top[c][r] : s.beta[k];
        if (k < count && i < r_rows)
          R[k * ld + i] = i <= k && i < rows ? value : from_real<T> (0);
      }
  }
};

// A cluster per panel (or leaf). Every block has the first 32 rows; of the others each block has
// ROWS, in the order of the ranks. All stay in registers, divided as `split` says. For column j the
// lanes that own it store x, the part below the diagonal, to shared memory; each group of lanes
// sends x'a of its columns to all blocks. When these messages have arrived, every warp computes the
// reflector and its own products, in sums of fixed order, and updates its registers. A block is at
// most one step ahead of another, so two sets of slots are enough. If x'x has lost digits to
// underflow, the column is scaled up and the step is repeated.
template <class T, int ROWS>
__global__ void __launch_bounds__ (32 * split<T, ROWS>::WARPS)
    qr_panel_kernel (qr_panel_args<T> p, int blocks)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  auto &s = *reinterpret_cast<panel_memory<T, ROWS> *> (memory);
  constexpr int LD = panel_memory<T, ROWS>::LD;
  mma_matrix<is_complex_v<T>> G = {s.g, LD, QR_PANEL * LD};
  int64_t which = blockIdx.x / blocks, page = which / p.leaves, leaf = which % p.leaves;
  int64_t left = p.rows - leaf * p.leaf_rows;
  T *A = p.A.data + page * p.A.page + leaf * p.leaf_rows;
  T *out_r = p.R.data + page * p.R.page + leaf * QR_PANEL;

  wait_for_previous ();
  columns<T, ROWS> own (s, blocks, left < p.leaf_rows ? left : p.leaf_rows);
  own.load (A, p.A.ld, p.columns);
  int count = own.rows < p.columns ? (int)own.rows : p.columns;
  for (int q = threadIdx.x; q < panel_memory<T, ROWS>::PLANES * QR_PANEL * LD; q += blockDim.x)
    s.g[q] = 0; // columns that are not there have zeros
  own.empty (0);
  own.empty (1);
  own.publish (0, 0);
  if (threadIdx.x < QR_PANEL)
    s.inverse[threadIdx.x] = from_real<T> (0);
  cluster_barrier (blocks);

  for (int j = 0, turn = 0, rescaled = 0; j < count; turn++) {
    int buffer = turn % 2;
    __syncthreads ();
    // All warps have read the other slots. They are emptied before the messages of this step are
    // sent: only blocks that have received these send to the other slots again.
    if (blocks > 1 && turn > 0)
      own.empty (1 - buffer);
    own.send (buffer);
    if (rescaled == 0)
      own.note (j - 1);
    if (blocks == 1)
      __syncthreads ();
    T dot, xx_j;
    if (blocks > 1) {
      sums_of_parts<split<T, ROWS>::SHARE> (s.part[buffer], own.sum_column (), j, &dot, &xx_j);
    } else {
      dot = look<T> (s.part[buffer], 0, own.sum_column ());
      xx_j = look<T> (s.part[buffer], 0, j);
    }
    R xx = re (xx_j);
    T alpha = s.row[buffer][j];
    if (xx + abs2 (alpha) < limits<R>::small_square && rescaled < RESCALES) {
      own.rescale (j);
      own.publish (1 - buffer, j);
      rescaled++;
      continue;
    }
    reflector<T> h (alpha, xx);
    own.apply (h, dot, buffer, j, G);
    own.publish (1 - buffer, ++j);
    own.remember (h, rescaled);
    rescaled = 0;
  }
  let_next_start ();
  own.note (count - 1);
  __syncthreads ();
  own.store (A, p.A.ld, p.columns, count);
  cluster_barrier (blocks); // no block ends while messages to it may arrive
  if (own.rank > 0)
    return;
  own.store_r (out_r, p.R.ld, p.columns, count, p.leaves > 1 ? QR_PANEL : count);
  for (int q = threadIdx.x; q < p.above * p.columns; q += blockDim.x) {
    int i = q % p.above - p.above, j = q / p.above;
    out_r[i + j * p.R.ld] = A[i + j * p.A.ld];
    A[i + j * p.A.ld] = from_real<T> (0);
  }
  write_factor (s, p.F.data + page * p.F.page + leaf * QR_PANEL * QR_PANEL, p.F.ld, count);
}

template <class T, int ROWS>
cudaError_t launch (const qr_panel_args<T> &p, int blocks, cudaStream_t stream)
{
  static std::atomic<uint64_t> configured;
  size_t shared = sizeof (panel_memory<T, ROWS>);
  cudaError_t error = allow_cluster (qr_panel_kernel<T, ROWS>, shared, &configured);
  if (error != cudaSuccess)
    return error;
  cluster_launch way (p.pages * p.leaves, blocks, 32 * split<T, ROWS>::WARPS, shared, stream, true);
  return cudaLaunchKernelEx (&way.config, qr_panel_kernel<T, ROWS>, p, blocks);
}

// Rows of a block, at most, behind the first 32.
template <class T> constexpr int64_t most_rows = sizeof (T) == 16 ? 256 : 512;

} // namespace

template <class T> int64_t qr_leaf_rows ()
{
  return 32 + most_rows<T>;
}

template <class T> int64_t qr_panel_rows_max ()
{
  return 32 + most_rows<T> * (clusters_work () ? BLOCKS_MAX : 1);
}

template <class T> cudaError_t qr_panel (const qr_panel_args<T> &p, cudaStream_t stream)
{
  // a block alone to 96 rows, then as few rows to a block as 16 blocks allow
  int64_t rows = p.leaf_rows - 32;
  int blocks = p.blocks > 0 ? p.blocks : 1, most = clusters_work () ? BLOCKS_MAX : 1;
  while (p.blocks == 0 && blocks < most && rows > 64 && 32 * blocks < rows)
    blocks *= 2;
  int64_t each = (rows + blocks - 1) / blocks;
  if (each <= 0)
    return launch<T, 0> (p, blocks, stream);
  if (each <= 32)
    return launch<T, 32> (p, blocks, stream);
  if (each <= 64)
    return launch<T, 64> (p, blocks, stream);
  if (each <= 128)
    return launch<T, 128> (p, blocks, stream);
  if (each <= 256)
    return launch<T, 256> (p, blocks, stream);
  return launch<T, most_rows<T>> (p, blocks, stream);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int64_t qr_leaf_rows<T> ();                                                             \
  template int64_t qr_panel_rows_max<T> ();                                                        \
  template cudaError_t qr_panel (const qr_panel_args<T> &, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
