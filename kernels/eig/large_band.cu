// large_band.cu: a large page from dense to band form, by products of matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A panel gives Q = I - V T V'. Then A <- Q'AQ = A - V W' - W V' for the rows and columns behind it
// with W = X T - V S/2, X = A V and S = T'(V'X)T. That is A - P Q' with P = [V W] and Q = [W V].
// The updates of large_delay (n) panels are done together, for the full square of A, so that they
// are one product of as many columns that reads and writes A once. Until then the columns of a
// panel get theirs when it begins, and X gets its part from P and Q.

#include "large.cuh"
#include "common/runtime.cuh"

namespace
{

enum { B = LARGE_BAND };

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

// Columns of the pending update before this panel.
template <class T> int64_t pending_before (const large_page<T> &a, int panel)
{
  return (int64_t)(panel % large_delay (a.n)) * 2 * B;
}

// C -= P Q' for the rows of C from `row` on and its columns from `column` on, `columns` of them.
template <class T>
gla_status subtract_pending (const large_page<T> &a, int64_t row, int64_t columns, int64_t pending)
{
  int64_t n = a.n;
  page_matrix<T> A = {a.W + row * n + row, n, 0}, P = {a.work.pending[0] + row, n, 0},
                 Q = {a.work.pending[1] + row, n, 0};
  return gpu_gemm<T> (a.blas, a.stream, 'N', 'C', n - row, columns, pending, -1, as_const (P),
                      as_const (Q), 1, A, 1);
}

// X = A V for A with the pending update.
template <class T>
gla_status product (const large_page<T> &a, int64_t row, int64_t pending, page_matrix<T> V,
                    page_matrix<T> X)
{
  int64_t n = a.n, m = n - row;
  page_matrix<T> A = {a.W + row * n + row, n, 0}, P = {a.work.pending[0] + row, n, 0},
                 Q = {a.work.pending[1] + row, n, 0}, inner = {a.work.inner, pending, 0};
  GLA_TRY (
      gpu_gemm<T> (a.blas, a.stream, 'N', 'N', m, B, m, 1, as_const (A), as_const (V), 0, X, 1));
  if (pending == 0)
    return GLA_OK;
  GLA_TRY (gpu_gemm<T> (a.blas, a.stream, 'C', 'N', pending, B, m, 1, as_const (Q), as_const (V), 0,
                        inner, 1));
  return gpu_gemm<T> (a.blas, a.stream, 'N', 'N', m, B, pending, -1, as_const (P), as_const (inner),
                      1, X, 1);
}

} // namespace

template <class T> gla_status large_band (const large_page<T> &a, int panel)
{
  int64_t n = a.n, row = (int64_t)(panel + 1) * B, pending = pending_before (a, panel);
  page_matrix<T> V = {a.work.factors + row, n, 0}, X = V.at (0, B);
  if (pending > 0)
    GLA_TRY (subtract_pending (a, row - B, B, pending));
  GLA_TRY (large_panel (a, panel, pending));
  GLA_TRY (product (a, row, pending, V, X));
  GLA_TRY (large_second (a, panel, pending));
  pending += 2 * B;
  if (pending < 2 * B * large_delay (a.n) && panel + 1 < large_panels (a.n))
    return GLA_OK;
  return subtract_pending (a, row, n - row, pending);
}

template <class T> cudaError_t large_split (const large_page<T> &a)
{
  split_kernel<T><<<(unsigned)a.n, 256, 0, a.stream>>> (a.W, a.work.band, a.n);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status large_band (const large_page<T> &, int);                                     \
  template cudaError_t large_split (const large_page<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
