// large_back.cu: the reflectors of the first stage applied to V, by wide products of matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LARGE_WIDE reflectors, those of some panels, are I - V T V' together. T is made from the factors
// of the panels and from V'V: adjacent factors are joined as [T1 -T1 G12 T2; 0 T2]. Called by
// large_page.cu.

#include "large.cuh"
#include "common/runtime.cuh"

namespace
{

enum { B = LARGE_BAND, WIDE = LARGE_WIDE, HALF = WIDE / 2, THREADS = 256 };

// Columns of W that have reflectors, and of these the ones of a block.
template <class T> int reflectors (const large_page<T> &a, int block)
{
  int all = large_panels (a.n) * B, left = all - block * WIDE;
  return left < WIDE ? left : WIDE;
}

// T(b:b+h-1, b+h:b+2h-1) = -T1 G12 T2 at the place of G12, for all pairs of adjacent factors of h
// rows.
template <class T> GLA_DEVICE void join_neighbours (T *F, int h, T *products)
{
  for (int b = 0; b < WIDE; b += 2 * h) {
    T *to = F + (int64_t)(b + h) * WIDE + b;
    const T *first = F + (int64_t)b * WIDE + b, *second = to + h;
    for (int q = threadIdx.x; q < h * h; q += THREADS) {
      int i = q % h, j = q / h;
      T sum = from_real<T> (0);
#pragma unroll 4
      for (int l = 0; l <= j; l++)
        sum = madd (to[l * WIDE + i], second[j * WIDE + l], sum);
      products[q] = sum;
    }
    __syncthreads ();
    for (int q = threadIdx.x; q < h * h; q += THREADS) {
      int i = q % h, j = q / h;
      T sum = from_real<T> (0);
#pragma unroll 4
      for (int l = i; l < h; l++)
        sum = madd (first[l * WIDE + i], products[j * h + l], sum);
      to[j * WIDE + i] = from_real<T> (0) - sum;
    }
    __syncthreads ();
  }
}

// A block of threads makes the factor of one block of reflectors from V'V, in its place: first the
// panels' own on the diagonal, 0 below and behind the last reflector.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    wide_factor_kernel (T *factors, const T *panel_factors, int reflectors)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  T *F = factors + (int64_t)blockIdx.x * WIDE * WIDE;
  int count = reflectors - blockIdx.x * WIDE;
  for (int q = threadIdx.x; q < WIDE * WIDE; q += THREADS) {
    int i = q % WIDE, j = q / WIDE;
    int64_t panel = (int64_t)blockIdx.x * (WIDE / B) + j / B;
    if (j >= count || i / B > j / B)
      F[q] = from_real<T> (0);
    else if (i / B == j / B)
      F[q] = panel_factors[panel * B * B + j % B * B + i % B];
  }
  __syncthreads ();
  join_neighbours (F, B, reinterpret_cast<T *> (memory));
  join_neighbours (F, HALF, reinterpret_cast<T *> (memory));
}

// V of a block of reflectors.
template <class T> page_matrix<const T> reflectors_of (const large_page<T> &a, int block)
{
  int64_t n = a.n, column = (int64_t)block * WIDE;
  return {a.W + column * n + column + B, n, 0};
}

} // namespace

template <class T> gla_status large_wide_factors (const large_page<T> &a)
{
  int blocks = large_wide_blocks (a.n);
  for (int block = 0; block < blocks; block++) {
    int count = reflectors (a, block);
    int64_t rows = a.n - (int64_t)block * WIDE - B;
    page_matrix<const T> V = reflectors_of (a, block);
    page_matrix<T> G = {a.work.wide_factors + (int64_t)block * WIDE * WIDE, WIDE, 0};
    GLA_TRY (gpu_gemm<T> (a.blas, a.stream, 'C', 'N', count, count, rows, 1, V, V, 0, G, 1));
  }
  size_t bytes = (size_t)HALF * HALF * sizeof (T);
  GLA_TRY (allow_shared (wide_factor_kernel<T>, bytes));
  wide_factor_kernel<T><<<(unsigned)blocks, THREADS, bytes, a.stream>>> (
      a.work.wide_factors, a.work.panel_factors, large_panels (a.n) * B);
  return engine_status (cudaGetLastError ());
}

// V -= V1 (T (V1' V)) for the rows below the block's first panel, and the wanted columns.
template <class T> gla_status large_back (const large_page<T> &a, int block)
{
  int64_t n = a.wanted, row = (int64_t)block * WIDE + B, rows = a.n - row;
  int count = reflectors (a, block);
  page_matrix<const T> V1 = reflectors_of (a, block);
  page_matrix<T> factor = {a.work.wide_factors + (int64_t)block * WIDE * WIDE, WIDE, 0};
  page_matrix<T> first = {a.work.product[0], WIDE, 0}, second = {a.work.product[1], WIDE, 0};
  page_matrix<T> V = {a.V + a.first * a.ldv + row, a.ldv, 0};
  GLA_TRY (
      gpu_gemm<T> (a.blas, a.stream, 'C', 'N', count, n, rows, 1, V1, as_const (V), 0, first, 1));
  GLA_TRY (gpu_gemm<T> (a.blas, a.stream, 'N', 'N', count, n, count, 1, as_const (factor),
                        as_const (first), 0, second, 1));
  return gpu_gemm<T> (a.blas, a.stream, 'N', 'N', rows, n, count, -1, V1, as_const (second), 1, V,
                      1);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status large_wide_factors (const large_page<T> &);                                  \
  template gla_status large_back (const large_page<T> &, int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
