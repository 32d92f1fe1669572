// krylov_small.cu: triangles, and columns of blocks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "../src/krylov_random.h"
#include "krylov.cuh"

namespace
{

// Sums over n are formed in double where T is single, but of products of T.
template <class T> constexpr double least_pivot = 1e4 * limits<real_t<T>>::eps;

template <class S> GLA_DEVICE S number (const double *from);
template <> GLA_DEVICE double number<double> (const double *from)
{
  return from[0];
}
template <> GLA_DEVICE cx<double> number<cx<double>> (const double *from)
{
  return {from[0], from[1]};
}
GLA_DEVICE void put (double *to, double a)
{
  to[0] = a;
}
GLA_DEVICE void put (double *to, cx<double> a)
{
  to[0] = a.x;
  to[1] = a.y;
}

// Column k of R and of its inverse, by columns 0 .. k-1. Returns whether its pivot is sound.
template <class S>
GLA_DEVICE bool triangle_column (const double *G, int b, int k, double least, double lost, S *R,
                                 S *inverse)
{
  const int words = words_of<S>;
  double whole = G[(k * b + k) * words], left = whole;
  for (int i = 0; i < k; i++) {
    S sum = number<S> (G + (i * b + k) * words);
    for (int q = 0; q < i; q++)
      sum = sum - conj (R[q * b + i]) * R[q * b + k];
    R[i * b + k] = scale (1 / re (R[i * b + i]), sum);
    left -= abs2 (R[i * b + k]);
  }
  if (!(left > least * whole) || !(sqrt (left) > lost))
    return false;
  R[k * b + k] = from_real<S> (sqrt (left));
  inverse[k * b + k] = from_real<S> (1 / sqrt (left));
  for (int i = k - 1; i >= 0; i--) {
    S sum = from_real<S> (0);
    for (int q = i; q < k; q++)
      sum = sum - inverse[i * b + q] * R[q * b + k];
    inverse[i * b + k] = scale (1 / sqrt (left), sum);
  }
  return true;
}

// One thread: b is at most 8.
template <class T, class S>
__global__ void triangle_kernel (const double *G, const double *products, int b, double *R,
                                 double *inverse, int step, krylov_flags *flags)
{
  const int words = words_of<S>;
  if (flags->failed)
    return;
  if (products != nullptr)
    for (int k = 0; k < b; k++)
      flags->norm = fmax (flags->norm, sqrt (products[(k * b + k) * words]));
  S r[64], inv[64];
  for (int i = 0; i < b * b; i++)
    r[i] = inv[i] = from_real<S> (0);
  for (int k = 0; k < b; k++) {
    double lost = products == nullptr ? 0 : krylov_vanish<T> * flags->norm;
    if (!triangle_column (G, b, k, least_pivot<T>, lost, r, inv)) {
      flags->failed = step + 1;
      return;
    }
  }
  for (int i = 0; i < b * b; i++) {
    put (R + i * words, r[i]);
    put (inverse + i * words, inv[i]);
  }
}

// A thread for each row, in the three kernels that follow.
template <class T>
__global__ void place_kernel (const T *from, T *block, int64_t n, int b, int first, int count)
{
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < count; k++)
      block[i * b + first + k] = from[i + k * n];
}

template <class T>
__global__ void fetch_kernel (const T *block, T *to, int64_t n, int b, int first, int count)
{
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < count; k++)
      to[i + k * n] = block[i * b + first + k];
}

template <class R> GLA_DEVICE void set_random (R *to, uint64_t seed, uint64_t at)
{
  *to = (R)gla_krylov_random (seed, at);
}
template <class R> GLA_DEVICE void set_random (cx<R> *to, uint64_t seed, uint64_t at)
{
  *to = {(R)gla_krylov_random (seed, at), (R)gla_krylov_random (seed ^ GLA_IMAGINARY_SEED, at)};
}

template <class T>
__global__ void random_kernel (T *block, int64_t n, int b, int k, uint64_t seed, int64_t column)
{
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    set_random (block + i * b + k, seed, (uint64_t)(column * n + i));
}

unsigned grid_of (int64_t n)
{
  return (unsigned)((n + 255) / 256);
}

} // namespace

template <class T>
cudaError_t krylov_triangle (const krylov_place<T> &p, const double *G, const double *products,
                             double *R, double *inverse, int step)
{
  if (is_complex_v<T>)
    triangle_kernel<T, cx<double>>
        <<<1, 1, 0, p.stream>>> (G, products, p.b, R, inverse, step, p.flags);
  else
    triangle_kernel<T, double><<<1, 1, 0, p.stream>>> (G, products, p.b, R, inverse, step, p.flags);
  return cudaGetLastError ();
}

template <class T>
cudaError_t krylov_place_columns (const krylov_place<T> &p, const T *from, T *block, int first,
                                  int count)
{
  place_kernel<T><<<grid_of (p.n), 256, 0, p.stream>>> (from, block, p.n, p.b, first, count);
  return cudaGetLastError ();
}

template <class T>
cudaError_t krylov_fetch_columns (const krylov_place<T> &p, const T *block, T *to, int first,
                                  int count)
{
  fetch_kernel<T><<<grid_of (p.n), 256, 0, p.stream>>> (block, to, p.n, p.b, first, count);
  return cudaGetLastError ();
}

template <class T>
cudaError_t krylov_random_column (const krylov_place<T> &p, T *block, int k, uint64_t seed,
                                  int64_t column)
{
  random_kernel<T><<<grid_of (p.n), 256, 0, p.stream>>> (block, p.n, p.b, k, seed, column);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t krylov_triangle (const krylov_place<T> &, const double *, const double *,   \
                                        double *, double *, int);                                  \
  template cudaError_t krylov_place_columns (const krylov_place<T> &, const T *, T *, int, int);   \
  template cudaError_t krylov_fetch_columns (const krylov_place<T> &, const T *, T *, int, int);   \
  template cudaError_t krylov_random_column (const krylov_place<T> &, T *, int, uint64_t, int64_t);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
