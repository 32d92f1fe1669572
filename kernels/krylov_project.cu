// krylov_project.cu: projections V'*W of blocks of vectors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "krylov.cuh"

namespace
{

const unsigned ALL = 0xffffffffu;

constexpr int between (int least, int a, int most)
{
  return a < least ? least : a > most ? most : a;
}

// PART columns of V are multiplied at once, and ROWS rows by each thread, so that the sums of a
// thread are at most 16 numbers. The sums of LIST blocks fit into 32 KB of shared memory.
template <class T, int B> struct project_shape {
  static constexpr int words = words_of<T>;
  static constexpr int PART = between (1, 16 / (B * words), B);
  static constexpr int ROWS = between (1, 16 / (B * words), 8);
  static constexpr int SUMS = PART * B * words;
  static constexpr int BLOCK = B * B * words;
  static constexpr int LIST = 4096 / (BLOCK * KRYLOV_WARPS);
};

// Sums of N numbers over the warp: each step halves what a lane holds. Lane l ends up with number
// l / (32/N).
template <int N, class R> GLA_DEVICE R spread_sum (R (&a)[N])
{
  const int lane = threadIdx.x % 32;
  int mask = 16;
#pragma unroll
  for (int half = N / 2; half > 0; half /= 2, mask /= 2)
#pragma unroll
    for (int i = 0; i < half; i++) {
      R keep = lane & mask ? a[i + half] : a[i], give = lane & mask ? a[i] : a[i + half];
      a[i] = keep + __shfl_xor_sync (ALL, give, mask);
    }
  R sum = a[0];
  for (; mask > 0; mask /= 2)
    sum += __shfl_xor_sync (ALL, sum, mask);
  return sum;
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

// Adds the products of PART columns of V, starting at FIRST, with all of W to the sums of a warp.
template <class T, int B, int FIRST>
GLA_DEVICE void add_part (const krylov_row<T, B> (&v)[project_shape<T, B>::ROWS],
                          const krylov_row<T, B> (&w)[project_shape<T, B>::ROWS], double *sums)
{
  typedef project_shape<T, B> shape;
  const int lane = threadIdx.x % 32;
  real_t<T> a[shape::SUMS] = {};
#pragma unroll
  for (int r = 0; r < shape::ROWS; r++)
#pragma unroll
    for (int q = 0; q < shape::PART; q++)
#pragma unroll
      for (int c = 0; c < B; c++)
        add_product (a + (q * B + c) * shape::words, v[r].at[FIRST + q], w[r].at[c]);
  real_t<T> sum = spread_sum (a);
  constexpr int copies = 32 / shape::SUMS;
  if (lane % copies == 0)
    sums[FIRST * B * shape::words + lane / copies] += (double)sum;
  if constexpr (FIRST + shape::PART < B)
    add_part<T, B, FIRST + shape::PART> (v, w, sums);
}

template <class T, int B>
GLA_DEVICE void load_rows (const T *from, int64_t n, int64_t row,
                           krylov_row<T, B> (&to)[project_shape<T, B>::ROWS])
{
#pragma unroll
  for (int r = 0; r < project_shape<T, B>::ROWS; r++) {
    to[r] = {};
    if (row + 32 * r < n)
      to[r] = reinterpret_cast<const krylov_row<T, B> *> (from)[row + 32 * r];
  }
}

template <class T, int B>
GLA_DEVICE void times_matrix (krylov_row<T, B> (&w)[project_shape<T, B>::ROWS], const T *M)
{
#pragma unroll
  for (int r = 0; r < project_shape<T, B>::ROWS; r++) {
    krylov_row<T, B> old = w[r];
#pragma unroll
    for (int c = 0; c < B; c++) {
      T sum = from_real<T> (0);
#pragma unroll
      for (int q = 0; q < B; q++)
        sum = madd (old.at[q], M[q * B + c], sum);
      w[r].at[c] = sum;
    }
  }
}

// Blocks V(j0..j1-1), j0 = blockIdx.y*LIST; number `blocks` is W*M itself. A warp takes strips of
// 32*ROWS rows, gridDim.x*8 strips apart: it holds its strip of W in registers while the blocks of
// V pass by, and adds the sums over the strip to its own in shared memory. In the end those of the
// 8 warps are added in order and stored for reduce_kernel.
template <class T, int B>
__global__ void __launch_bounds__ (32 * KRYLOV_WARPS)
    project_kernel (const T *V, int64_t n, int64_t blocks, const T *W, const double *M,
                    const krylov_flags *flags, double *partial)
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
  const int64_t strip = 32 * shape::ROWS;
  for (int64_t row = (blockIdx.x * (int64_t)KRYLOV_WARPS + warp) * strip + lane; row - lane < n;
       row += gridDim.x * (int64_t)KRYLOV_WARPS * strip) {
    krylov_row<T, B> w[shape::ROWS], v[shape::ROWS];
    load_rows<T, B> (W, n, row, w);
    if (M != nullptr)
      times_matrix<T, B> (w, matrix);
    for (int j = 0; j < list; j++) {
      double *to = sums[warp] + j * shape::BLOCK;
      if (j0 + j < blocks) {
        load_rows<T, B> (V + (j0 + j) * n * B, n, row, v);
        add_part<T, B, 0> (v, w, to);
      } else
        add_part<T, B, 0> (w, w, to);
    }
  }
  __syncthreads ();
  for (int i = threadIdx.x; i < list * shape::BLOCK; i += blockDim.x) {
    double sum = 0;
    for (int k = 0; k < KRYLOV_WARPS; k++)
      sum += sums[k][i];
    partial[blockIdx.x * (blocks + 1) * shape::BLOCK + j0 * shape::BLOCK + i] = sum;
  }
}

// 32 numbers for each thread block, `terms` partial sums each: 8 threads take every eighth of
// them, and their sums are added in order.
__global__ void __launch_bounds__ (256)
    reduce_kernel (const double *partial, int64_t numbers, int terms, const krylov_flags *flags,
                   double *C)
{
  __shared__ double part[8][32];
  if (flags->failed)
    return;
  int64_t number = blockIdx.x * 32ll + threadIdx.x % 32;
  int share = threadIdx.x / 32;
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
    C[number] = sum;
  }
}

template <class T, int B>
cudaError_t launch (const krylov_place<T> &p, const T *V, int64_t blocks, const T *W,
                    const double *M, double *C)
{
  typedef project_shape<T, B> shape;
  int64_t strips = (p.n + 32 * shape::ROWS - 1) / (32 * shape::ROWS);
  int64_t wanted = (strips + KRYLOV_WARPS - 1) / KRYLOV_WARPS;
  unsigned grid = (unsigned)(wanted < KRYLOV_GRID ? wanted : KRYLOV_GRID);
  unsigned lists = (unsigned)((blocks + 1 + shape::LIST - 1) / shape::LIST);
  int64_t numbers = (blocks + 1) * shape::BLOCK;
  project_kernel<T, B><<<dim3 (grid, lists), 32 * KRYLOV_WARPS, 0, p.stream>>> (
      V, p.n, blocks, W, M, p.flags, p.partial);
  reduce_kernel<<<(unsigned)((numbers + 31) / 32), 256, 0, p.stream>>> (p.partial, numbers,
                                                                        (int)grid, p.flags, C);
  return cudaGetLastError ();
}

} // namespace

int64_t krylov_partial_size (int64_t blocks, int b, bool is_complex)
{
  return KRYLOV_GRID * (blocks + 1) * b * b * (is_complex ? 2 : 1);
}

template <class T>
cudaError_t krylov_project (const krylov_place<T> &p, const T *V, int64_t blocks, const T *W,
                            const double *M, double *C)
{
  switch (p.b) {
  case 1:
    return launch<T, 1> (p, V, blocks, W, M, C);
  case 2:
    return launch<T, 2> (p, V, blocks, W, M, C);
  case 4:
    return launch<T, 4> (p, V, blocks, W, M, C);
  default:
    return launch<T, 8> (p, V, blocks, W, M, C);
  }
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t krylov_project (const krylov_place<T> &, const T *, int64_t, const T *,     \
                                       const double *, double *);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
