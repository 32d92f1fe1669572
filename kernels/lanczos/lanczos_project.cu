// lanczos_project.cu: projections V'*W of blocks of vectors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lanczos.cuh"

namespace
{

const unsigned ALL = 0xffffffffu;

// How a warp works on blocks of B columns. A lane reads 16 bytes at a time, E columns of a row, so
// LANES neighbouring lanes share a row and every read of the warp is of consecutive bytes. ROWS
// rows of W stay in the registers of each lane. The sums of LIST blocks fit into 32 KB of shared
// memory.
template <class T, int B> struct project_shape {
  static constexpr int words = words_of<T>;
  static constexpr int E = krylov_lane<T, B>::E, LANES = krylov_lane<T, B>::LANES;
  static constexpr int ROWS = krylov_lane<T, B>::ROWS, STRIP = ROWS * 32 / LANES;
  static constexpr int SUMS = E * B * words; // of a lane
  static constexpr int BLOCK = B * B * words;
  static constexpr int LIST = 4096 / (BLOCK * KRYLOV_WARPS);
};

// Sums N numbers over the lanes that have the same number modulo STEP. Each exchange halves what a
// lane holds, as long as that is possible: in the end, LEFT numbers from number (l*N/32) on,
// rounded down to a multiple of LEFT, are in the first places of lane l.
template <int N, int STEP> struct spread {
  static constexpr int LEFT = N * STEP > 32 ? N *STEP / 32 : 1;
};
template <int N, int STEP, class R, int HALF = N / 2, int MASK = 16>
GLA_DEVICE void spread_sum (R (&a)[N])
{
  if constexpr (HALF >= spread<N, STEP>::LEFT && HALF > 0) {
    const bool upper = threadIdx.x & MASK;
#pragma unroll
    for (int i = 0; i < HALF; i++) {
      R keep = upper ? a[i + HALF] : a[i], give = upper ? a[i] : a[i + HALF];
      a[i] = keep + __shfl_xor_sync (ALL, give, MASK);
    }
    spread_sum<N, STEP, R, HALF / 2, MASK / 2> (a);
  } else if constexpr (MASK >= STEP && MASK > 0) {
#pragma unroll
    for (int i = 0; i < spread<N, STEP>::LEFT; i++)
      a[i] += __shfl_xor_sync (ALL, a[i], MASK);
    spread_sum<N, STEP, R, 0, MASK / 2> (a);
  }
}

template <class R> GLA_DEVICE void add_product (R *sum, R v, R w)
{
  sum[0] = madd (v, w, sum[0]);
}
template <class R> GLA_DEVICE void add_product (R *sum, cx<R> v, cx<R> w)
{
  cx<R> s = cmadd (v, w, cx<R>{sum[0], sum[1]});
  sum[0] = s.x;
  sum[1] = s.y;
}

// Adds the products of the columns of V with those of W, over the rows of the strip, to the sums of
// the warp in shared memory.
template <class T, int B>
GLA_DEVICE void add_block (const krylov_row<T, krylov_lane<T, B>::E> (&v)[krylov_lane<T, B>::ROWS],
                           const krylov_row<T, B> (&w)[krylov_lane<T, B>::ROWS], double *sums)
{
  typedef project_shape<T, B> shape;
  typedef spread<shape::SUMS, shape::LANES> spreading;
  const int lane = threadIdx.x % 32;
  real_t<T> a[shape::SUMS] = {};
#pragma unroll
  for (int r = 0; r < shape::ROWS; r++)
#pragma unroll
    for (int q = 0; q < shape::E; q++)
#pragma unroll
      for (int c = 0; c < B; c++)
        add_product (a + (q * B + c) * shape::words, v[r].at[q], w[r].at[c]);
  spread_sum<shape::SUMS, shape::LANES, real_t<T>> (a);
  constexpr int holders = shape::SUMS / spreading::LEFT; // groups of lanes with different numbers
  constexpr int copies = 32 / holders;                   // lanes of a group, of all parts of a row
  if (lane % copies < shape::LANES) {
    double *to = sums + lane % shape::LANES * shape::SUMS + lane / copies * spreading::LEFT;
#pragma unroll
    for (int i = 0; i < spreading::LEFT; i++)
      to[i] += (double)a[i];
  }
}

// Selects the E columns of W that this lane would read.
template <class T, int B>
GLA_DEVICE void own_columns (const krylov_row<T, B> (&w)[krylov_lane<T, B>::ROWS],
                             krylov_row<T, krylov_lane<T, B>::E> (&v)[krylov_lane<T, B>::ROWS])
{
  typedef project_shape<T, B> shape;
  const int part = threadIdx.x % shape::LANES;
#pragma unroll
  for (int r = 0; r < shape::ROWS; r++)
#pragma unroll
    for (int p = 0; p < shape::LANES; p++)
#pragma unroll
      for (int q = 0; q < shape::E; q++)
        if (p == part)
          v[r].at[q] = w[r].at[p * shape::E + q];
}

// Block (x, y, z) projects on blocks V(j0..j1-1), j0 = blockIdx.y*LIST; number `blocks` is W*M
// itself. Of the rows of share blockIdx.z, a warp has strips of STRIP rows, gridDim.x*8 strips
// apart: it keeps its strip of W in registers while it reads the blocks of V, and adds the sums
// over the strip to its own in shared memory. In the end the sums of the 8 warps are added in order
// and stored for reduce_kernel.
template <class T, int B>
__global__ void __launch_bounds__ (32 * KRYLOV_WARPS)
    project_kernel (const T *V, int64_t n, krylov_shares shares, int64_t blocks, const T *W,
                    const double *M, const krylov_flags *flags, double *partial)
{
  typedef project_shape<T, B> shape;
  __shared__ double sums[KRYLOV_WARPS][shape::LIST * shape::BLOCK];
  __shared__ T matrix[B * B];
  if (flags->failed)
    return;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int64_t j0 = blockIdx.y * (int64_t)shape::LIST;
  int list = (int)(blocks + 1 - j0 < shape::LIST ? blocks + 1 - j0 : shape::LIST);
  for (int i = lane; i < list * shape::BLOCK; i += 32)
    sums[warp][i] = 0;
  if (M != nullptr && threadIdx.x < B * B)
    load_scalar (M + threadIdx.x * shape::words, matrix + threadIdx.x);
  __syncthreads ();
  const int64_t first = shares.start[blockIdx.z], end = shares.start[blockIdx.z + 1];
  for (int64_t strip = blockIdx.x * (int64_t)KRYLOV_WARPS + warp;
       first + strip * shape::STRIP < end; strip += gridDim.x * (int64_t)KRYLOV_WARPS) {
    int64_t row = first + strip * shape::STRIP + lane / shape::LANES;
    krylov_row<T, B> w[shape::ROWS];
    krylov_row<T, shape::E> v[shape::ROWS];
    load_whole_rows<T, B> (W, end, row, w);
    if (M != nullptr)
      times_matrix<T, B> (w, matrix);
    for (int j = 0; j < list; j++) {
      if (j0 + j < blocks)
        load_row_parts<T, B> (V + (j0 + j) * n * B, end, row, v);
      else
        own_columns<T, B> (w, v);
      add_block<T, B> (v, w, sums[warp] + j * shape::BLOCK);
    }
  }
  __syncthreads ();
  for (int i = threadIdx.x; i < list * shape::BLOCK; i += blockDim.x) {
    double sum = 0;
    for (int k = 0; k < KRYLOV_WARPS; k++)
      sum += sums[k][i];
    partial[((int64_t)blockIdx.z * gridDim.x + blockIdx.x) * (blocks + 1) * shape::BLOCK +
            j0 * shape::BLOCK + i] = sum;
  }
}

// A thread block has 32 numbers of share blockIdx.y, with `terms` partial sums each: 8 threads have
// every eighth of them, and their sums are added in order.
__global__ void __launch_bounds__ (256)
    reduce_kernel (const double *partial, int64_t numbers, int terms, const krylov_flags *flags,
                   double *C, const krylov_more_sums more)
{
  __shared__ double part[8][32];
  if (flags->failed)
    return;
  int64_t number = blockIdx.x * 32ll + threadIdx.x % 32;
  int share = threadIdx.x / 32;
  partial += (int64_t)blockIdx.y * terms * numbers;
  double sum = 0;
  if (number < numbers)
#pragma unroll 4
    for (int t = share; t < terms; t += 8)
      sum += partial[t * numbers + number];
  part[share][threadIdx.x % 32] = sum;
  __syncthreads ();
  if (share == 0 && number < numbers) {
    for (int k = 1; k < 8; k++)
      sum += part[k][threadIdx.x];
    number += blockIdx.y * numbers;
    C[number] = sum;
    for (int k = 0; k < more.count; k++)
      more.to[k][number] = sum;
  }
}

// A thread has a number.
__global__ void add_kernel (const double *sums, int64_t numbers, const krylov_flags *flags,
                            double *C)
{
  int64_t number = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (flags->failed || number >= numbers)
    return;
  double sum = 0;
  for (int k = 0; k < KRYLOV_SHARES; k++)
    sum += sums[k * numbers + number];
  C[number] = sum;
}

// The factors of the product: V and W*M.
template <class T> struct factors {
  const T *V;
  int64_t blocks;
  const T *W;
  const double *M;
};

template <class T, int B>
cudaError_t launch_shares (const krylov_place<T> &p, const krylov_shares &shares,
                           const factors<T> &f, unsigned grid, double *C,
                           const krylov_more_sums &more)
{
  typedef project_shape<T, B> shape;
  unsigned lists = (unsigned)((f.blocks + 1 + shape::LIST - 1) / shape::LIST);
  int64_t numbers = (f.blocks + 1) * shape::BLOCK;
  const dim3 blocks (grid, lists, (unsigned)shares.count);
  project_kernel<T, B><<<blocks, 32 * KRYLOV_WARPS, 0, p.stream>>> (f.V, p.n, shares, f.blocks, f.W,
                                                                    f.M, p.flags, p.partial);
  reduce_kernel<<<dim3 ((unsigned)((numbers + 31) / 32), (unsigned)shares.count), 256, 0,
                  p.stream>>> (p.partial, numbers, (int)grid, p.flags, C, more);
  return cudaGetLastError ();
}

template <class T, int B>
cudaError_t launch (const krylov_place<T> &p, const factors<T> &f, double *C)
{
  typedef project_shape<T, B> shape;
  int64_t strips = (p.n + shape::STRIP - 1) / shape::STRIP;
  int64_t wanted = (strips + KRYLOV_WARPS - 1) / KRYLOV_WARPS;
  unsigned grid = (unsigned)(wanted < KRYLOV_GRID ? wanted : KRYLOV_GRID);
  return launch_shares<T, B> (p, {1, {0, p.n}}, f, grid, C, {0, {}});
}

} // namespace

int64_t krylov_partial_size (int64_t blocks, int b, bool is_complex)
{
  return KRYLOV_GRID * (blocks + 1) * b * b * (is_complex ? 2 : 1);
}

int64_t krylov_share_partial_size (int shares, int64_t blocks, int b, bool is_complex)
{
  return shares * (int64_t)KRYLOV_SHARE_GRID * (blocks + 1) * b * b * (is_complex ? 2 : 1);
}

template <class T>
cudaError_t krylov_project (const krylov_place<T> &p, const T *V, int64_t blocks, const T *W,
                            const double *M, double *C)
{
  const factors<T> f = {V, blocks, W, M};
  switch (p.b) {
  case 1:
    return launch<T, 1> (p, f, C);
  case 2:
    return launch<T, 2> (p, f, C);
  case 4:
    return launch<T, 4> (p, f, C);
  default:
    return launch<T, 8> (p, f, C);
  }
}

// The grid is the same for all shares, because it determines the order of the sums.
template <class T>
cudaError_t krylov_project_shares (const krylov_place<T> &p, const krylov_shares &shares,
                                   const T *V, int64_t blocks, const T *W, const double *M,
                                   double *sums, const krylov_more_sums &more)
{
  const factors<T> f = {V, blocks, W, M};
  switch (p.b) {
  case 1:
    return launch_shares<T, 1> (p, shares, f, KRYLOV_SHARE_GRID, sums, more);
  case 2:
    return launch_shares<T, 2> (p, shares, f, KRYLOV_SHARE_GRID, sums, more);
  case 4:
    return launch_shares<T, 4> (p, shares, f, KRYLOV_SHARE_GRID, sums, more);
  default:
    return launch_shares<T, 8> (p, shares, f, KRYLOV_SHARE_GRID, sums, more);
  }
}

cudaError_t krylov_add_shares (const double *sums, int64_t numbers, const krylov_flags *flags,
                               double *C, cudaStream_t stream)
{
  add_kernel<<<(unsigned)((numbers + 127) / 128), 128, 0, stream>>> (sums, numbers, flags, C);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t krylov_project (const krylov_place<T> &, const T *, int64_t, const T *,     \
                                       const double *, double *);                                  \
  template cudaError_t krylov_project_shares (const krylov_place<T> &, const krylov_shares &,      \
                                              const T *, int64_t, const T *, const double *,       \
                                              double *, const krylov_more_sums &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
