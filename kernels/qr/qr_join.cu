// qr_join.cu: the triangular factor of a block from those of its panels
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_kernels.cuh"
#include "common/small_matrix.cuh"

namespace
{

// F(i, j) = -(F(i, i) G(i, j) + ... + F(i, j-1) G(j-1, j)) F(j, j), in blocks of 32: a row of
// blocks needs no other row, and is one block of threads' work.
template <class T>
__global__ void __launch_bounds__ (SMALL_THREADS)
    join_kernel (page_matrix<T> F, page_matrix<const T> G, int count)
{
  __shared__ small_matrix<T> a, b;
  int panels = (count + SMALL - 1) / SMALL, row = blockIdx.x % panels;
  int64_t page = blockIdx.x / panels;
  T *f = F.data + page * F.page + row * SMALL;
  const T *g = G.data + page * G.page;
  for (int j = 0; j < panels; j++) {
    if (j == row)
      continue;
    small_tiles<T> sum;
    for (int l = row; l < j; l++) {
      __syncthreads ();
      small_load (a, f + l * SMALL * F.ld, F.ld, SMALL, SMALL);
      small_load (b, g + l * SMALL + j * SMALL * G.ld, G.ld, SMALL, count - j * SMALL);
      __syncthreads ();
      sum.template multiply_add<false> (a, b);
    }
    __syncthreads ();
    sum.put (a);
    small_load (b, F.data + page * F.page + j * SMALL * (F.ld + 1), F.ld, SMALL, SMALL);
    small_multiply<false> (a, a, b);
    for (int q = threadIdx.x; q < SMALL * SMALL; q += SMALL_THREADS)
      f[q % SMALL + (j * SMALL + q / SMALL) * F.ld] = -a.get (q % SMALL, q / SMALL);
  }
}

} // namespace

template <class T>
cudaError_t qr_join (page_matrix<T> F, page_matrix<T> G, int count, int64_t pages,
                     cudaStream_t stream)
{
  int panels = (count + SMALL - 1) / SMALL;
  page_matrix<const T> g = {G.data, G.ld, G.page};
  join_kernel<T><<<(unsigned)(panels * pages), SMALL_THREADS, 0, stream>>> (F, g, count);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_join (page_matrix<T>, page_matrix<T>, int, int64_t, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
