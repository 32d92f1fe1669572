// large_band.cu: a large page from dense to band form, by products of matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A panel gives Q = I - V T V'. Then A <- Q'AQ = A - V W' - W V' for the rows and columns behind it
// with W = X T - V S/2, X = A V and S = T'(V'X)T. The full square of A is kept up to date, so that
// X and the update are single products.

#include "large.cuh"
#include "common/status.cuh"

namespace
{

enum { B = LARGE_BAND };

// From V'X and T what makes W of [V, X]: [-S/2; T]. One block of B*B threads, an entry each.
template <class T>
__global__ void __launch_bounds__ (B *B) middle_kernel (const T *square, const T *factor, T *middle)
{
  __shared__ __align__ (16) unsigned char memory[2 * B * (B + 1) * sizeof (T)];
  T (*t)[B + 1] = reinterpret_cast<T (*)[B + 1]> (memory), (*s)[B + 1] = t + B;
  int i = threadIdx.x % B, j = threadIdx.x / B;
  t[i][j] = factor[j * B + i];
  s[i][j] = square[j * B + i];
  __syncthreads ();
  T sum = from_real<T> (0);
  for (int k = 0; k <= j; k++)
    sum = madd (s[i][k], t[k][j], sum);
  __syncthreads ();
  s[i][j] = sum;
  __syncthreads ();
  sum = from_real<T> (0);
  for (int k = 0; k <= i; k++)
    sum = cmadd (t[k][i], s[k][j], sum);
  middle[j * 2 * B + i] = scale (real_t<T> (-0.5), sum);
  middle[j * 2 * B + B + i] = t[i][j];
}

// A block takes a column: the entries of the diagonal block from the diagonal down go to the band,
// and all rows above the reflectors become 0.
template <class T> __global__ void split_kernel (T *W, T *band, int n)
{
  int j = blockIdx.x, end = j / B * B + B;
  end = end < n ? end : n;
  T *column = W + (int64_t)j * n;
  for (int i = threadIdx.x; i < end; i += blockDim.x) {
    T value = column[i];
    if (i >= j)
      band[(int64_t)j * LARGE_LD + i - j] = i == j ? from_real<T> (re (value)) : value;
    column[i] = from_real<T> (0);
  }
}

template <class T> gla_status update (const large_page<T> &a, int panel)
{
  int64_t n = a.n, row = (int64_t)(panel + 1) * B, m = n - row;
  const large_work<T> &w = a.work;
  page_matrix<T> A = {a.W + row * n + row, n, 0}, V = {w.factors + row, n, 0}, X = V.at (0, 3 * B),
                 both = V.at (0, 2 * B), W = V.at (0, B);
  page_matrix<T> square = {w.square, B, 0}, middle = {w.middle, 2 * B, 0};
  GLA_TRY (
      gpu_gemm<T> (a.blas, a.stream, 'N', 'N', m, B, m, 1, as_const (A), as_const (V), 0, X, 1));
  GLA_TRY (gpu_gemm<T> (a.blas, a.stream, 'C', 'N', B, B, m, 1, as_const (V), as_const (X), 0,
                        square, 1));
  middle_kernel<T>
      <<<1, B * B, 0, a.stream>>> (w.square, w.panel_factors + (int64_t)panel * B * B, w.middle);
  GLA_TRY (cudaGetLastError ());
  GLA_TRY (gpu_gemm<T> (a.blas, a.stream, 'N', 'N', m, B, 2 * B, 1, as_const (both),
                        as_const (middle), 0, W, 1));
  return gpu_gemm<T> (a.blas, a.stream, 'N', 'C', m, m, 2 * B, -1, as_const (V), as_const (W), 1, A,
                      1);
}

} // namespace

template <class T> gla_status large_band (const large_page<T> &a, int first, int last)
{
  for (int panel = first; panel < last; panel++) {
    GLA_TRY (large_panel (a, panel));
    GLA_TRY (update (a, panel));
  }
  return GLA_OK;
}

template <class T> cudaError_t large_split (const large_page<T> &a)
{
  split_kernel<T><<<(unsigned)a.n, 256, 0, a.stream>>> (a.W, a.work.band, a.n);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status large_band (const large_page<T> &, int, int);                                \
  template cudaError_t large_split (const large_page<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
