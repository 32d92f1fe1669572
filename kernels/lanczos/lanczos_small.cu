// lanczos_small.cu: triangles, and columns of blocks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/random.h"
#include "lanczos.cuh"

namespace
{

// Where T is single, sums over n are formed in double, but of products in single.
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

// Computes column k of R, which overwrites G, and of its inverse, by columns 0 .. k-1. Returns
// whether its pivot is sound.
template <int B, class S>
GLA_DEVICE bool triangle_column (int k, double least, double lost, S (&R)[B * B],
                                 S (&inverse)[B * B])
{
  double whole = re (R[k * B + k]), left = whole;
#pragma unroll
  for (int i = 0; i < B; i++)
    if (i < k) {
      S sum = R[i * B + k];
#pragma unroll
      for (int q = 0; q < i; q++)
        sum = sum - conj (R[q * B + i]) * R[q * B + k];
      R[i * B + k] = scale (re (inverse[i * B + i]), sum);
      left -= abs2 (R[i * B + k]);
    }
  if (!(left > least * whole) || !(sqrt (left) > lost))
    return false;
  double over = 1 / sqrt (left);
  R[k * B + k] = from_real<S> (sqrt (left));
#pragma unroll
  for (int i = 0; i < B; i++) {
    S sum = from_real<S> (0);
#pragma unroll
    for (int q = i; q < B; q++)
      if (q < k)
        sum = sum - inverse[i * B + q] * R[q * B + k];
    inverse[i * B + k] = i == k ? from_real<S> (over) : scale (over, sum);
  }
  return true;
}

// One thread does this, with both matrices in its registers if B is small: launching takes most of
// the time.
template <class T, class S, int B>
__global__ void triangle_kernel (const double *G, const double *products, double *R,
                                 double *inverse, int step, krylov_flags *flags)
{
  const int words = words_of<S>;
  if (flags->failed)
    return;
  S r[B * B], inv[B * B];
#pragma unroll
  for (int i = 0; i < B * B; i++) {
    r[i] = number<S> (G + i * words);
    inv[i] = from_real<S> (0);
  }
  double lost = 0;
  if (products != nullptr) {
    double norm = flags->norm;
#pragma unroll
    for (int k = 0; k < B; k++)
      norm = fmax (norm, sqrt (products[(k * B + k) * words]));
    flags->norm = norm;
    lost = krylov_vanish<T> * norm;
  }
  bool sound = true;
#pragma unroll
  for (int k = 0; k < B; k++)
    sound = sound && triangle_column<B> (k, least_pivot<T>, lost, r, inv);
  if (!sound)
    flags->failed = step + 1;
#pragma unroll
  for (int i = 0; i < B * B; i++) {
    put (R + i * words, i / B <= i % B ? r[i] : from_real<S> (0));
    put (inverse + i * words, inv[i]);
  }
}

template <class T, class S>
void launch_triangle (const krylov_place<T> &p, const double *G, const double *products, double *R,
                      double *inverse, int step)
{
  switch (p.b) {
  case 1:
    triangle_kernel<T, S, 1><<<1, 1, 0, p.stream>>> (G, products, R, inverse, step, p.flags);
    break;
  case 2:
    triangle_kernel<T, S, 2><<<1, 1, 0, p.stream>>> (G, products, R, inverse, step, p.flags);
    break;
  case 4:
    triangle_kernel<T, S, 4><<<1, 1, 0, p.stream>>> (G, products, R, inverse, step, p.flags);
    break;
  default:
    triangle_kernel<T, S, 8><<<1, 1, 0, p.stream>>> (G, products, R, inverse, step, p.flags);
  }
}

// A thread has a row; so in the two kernels below.
template <class T>
__global__ void place_kernel (const T *from, T *block, int64_t n, int b, int first, int count)
{
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < count; k++)
      block[i * b + first + k] = from[i + k * n];
}

// A thread has a row.
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

// A thread has a row.
template <class T>
__global__ void random_kernel (T *block, int64_t n, int b, int k, uint64_t seed, int64_t first)
{
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    set_random (block + i * b + k, seed, (uint64_t)(first + i));
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
    launch_triangle<T, cx<double>> (p, G, products, R, inverse, step);
  else
    launch_triangle<T, double> (p, G, products, R, inverse, step);
  return cudaGetLastError ();
}

template <class T>
cudaError_t krylov_place_columns (const krylov_place<T> &p, const T *from, T *block, int first,
                                  int count)
{
  if (p.n > 0)
    place_kernel<T><<<grid_of (p.n), 256, 0, p.stream>>> (from, block, p.n, p.b, first, count);
  return cudaGetLastError ();
}

template <class T>
cudaError_t krylov_fetch_columns (const krylov_place<T> &p, const T *block, T *to, int first,
                                  int count)
{
  if (p.n > 0)
    fetch_kernel<T><<<grid_of (p.n), 256, 0, p.stream>>> (block, to, p.n, p.b, first, count);
  return cudaGetLastError ();
}

template <class T>
cudaError_t krylov_random_column (const krylov_place<T> &p, T *block, int k, uint64_t seed,
                                  int64_t column)
{
  if (p.n > 0)
    random_kernel<T><<<grid_of (p.n), 256, 0, p.stream>>> (block, p.n, p.b, k, seed,
                                                           column * p.order + p.before);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t krylov_triangle (const krylov_place<T> &, const double *, const double *,   \
                                        double *, double *, int);                                  \
  template cudaError_t krylov_place_columns (const krylov_place<T> &, const T *, T *, int, int);   \
  template cudaError_t krylov_fetch_columns (const krylov_place<T> &, const T *, T *, int, int);   \
  template cudaError_t krylov_random_column (const krylov_place<T> &, T *, int, uint64_t, int64_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
