// qr_join.cu: the triangular factor of a block from those of its panels
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_kernels.cuh"

namespace
{

enum { N = QR_PANEL, LDS = N + 1, THREADS = 256, EACH = N * N / THREADS };

template <class T>
GLA_DEVICE void load_block (T *to, const T *from, int64_t ld, int rows, int columns)
{
  for (int q = threadIdx.x; q < N * N; q += THREADS) {
    int i = q % N, j = q / N;
    to[i + j * LDS] = i < rows && j < columns ? from[i + j * ld] : from_real<T> (0);
  }
}

// sum += a b; each thread has the entries (i, j), (i, j+8), ...
template <class T> GLA_DEVICE void multiply_add (T (&sum)[EACH], const T *a, const T *b)
{
  int i = threadIdx.x % N, j = threadIdx.x / N;
#pragma unroll 8
  for (int l = 0; l < N; l++)
#pragma unroll
    for (int x = 0; x < EACH; x++)
      sum[x] = madd (a[i + l * LDS], b[l + (j + x * (THREADS / N)) * LDS], sum[x]);
}

// F(i, j) = -(F(i, i) G(i, j) + ... + F(i, j-1) G(j-1, j)) F(j, j), in blocks of 32: a row of
// blocks needs no other row, and is one block of threads' work.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    join_kernel (qr_matrix<T> F, qr_matrix<const T> G, int count)
{
  __shared__ T a[N * LDS], b[N * LDS];
  int panels = (count + N - 1) / N, row = blockIdx.x % panels;
  int64_t page = blockIdx.x / panels;
  T *f = F.data + page * F.page;
  const T *g = G.data + page * G.page;
  int i = threadIdx.x % N, k = threadIdx.x / N;
  for (int j = 0; j < panels; j++) {
    int width = count - j * N < N ? count - j * N : (int)N;
    T sum[EACH], value[EACH];
    for (int x = 0; x < EACH; x++)
      sum[x] = value[x] = from_real<T> (0);
    if (j == row)
      continue;
    for (int l = row; l < j; l++) {
      __syncthreads ();
      load_block (a, f + row * N + l * N * F.ld, F.ld, N, N);
      load_block (b, g + l * N + j * N * G.ld, G.ld, N, width);
      __syncthreads ();
      multiply_add (sum, a, b);
    }
    __syncthreads ();
    for (int x = 0; x < EACH; x++)
      a[i + (k + x * (THREADS / N)) * LDS] = -sum[x];
    load_block (b, f + j * N + j * N * F.ld, F.ld, N, N);
    __syncthreads ();
    multiply_add (value, a, b);
    for (int x = 0; x < EACH; x++)
      f[row * N + i + (j * N + k + x * (THREADS / N)) * F.ld] = value[x];
  }
}

} // namespace

template <class T>
cudaError_t qr_join (qr_matrix<T> F, qr_matrix<T> G, int count, int64_t pages, cudaStream_t stream)
{
  int panels = (count + N - 1) / N;
  qr_matrix<const T> g = {G.data, G.ld, G.page};
  join_kernel<T><<<(unsigned)(panels * pages), THREADS, 0, stream>>> (F, g, count);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_join (qr_matrix<T>, qr_matrix<T>, int, int64_t, cudaStream_t);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
