// prepare.cu: checks a page, scales it by a power of two and completes it to a full matrix
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eig_kernels.cuh"
#include "../src/backend.h"

namespace
{

// Sums and maxima that one thread gathers; joined over the block in a fixed order.
template <class R> struct summary {
  R largest;   // largest |re| or |im|
  double skew; // half the largest |A - A'|
  R square;    // sum of squares of the scaled entries
  int bad;     // a NaN or an Inf was seen
};

template <class R> GLA_DEVICE void join (summary<R> &a, R largest, double skew, R square, int bad)
{
  a.largest = a.largest > largest ? a.largest : largest;
  a.skew = a.skew > skew ? a.skew : skew;
  a.square += square;
  a.bad |= bad;
}

template <class R> GLA_DEVICE summary<R> block_join (summary<R> a, summary<R> *shared)
{
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2)
    join (a, shuffle_xor (a.largest, mask), shuffle_xor (a.skew, mask),
          shuffle_xor (a.square, mask), shuffle_xor (a.bad, mask));
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    shared[threadIdx.x / 32] = a;
  __syncthreads ();
  a = shared[0];
  for (unsigned w = 1; w < blockDim.x / 32; w++)
    join (a, shared[w].largest, shared[w].skew, shared[w].square, shared[w].bad);
  return a;
}

// The value of element (i, j), i >= j, that the triangle defines; 0.5*(a + b') after scaling by
// 2^k.
template <class T> GLA_DEVICE T element (const T *A, int64_t lda, int triangle, int i, int j, int k)
{
  T lower = A[j * lda + i], value;
  if (triangle == GLA_LOWER)
    value = times_power (lower, k);
  else if (triangle == GLA_UPPER)
    value = times_power (conj (A[i * lda + j]), k);
  else
    value =
        scale (real_t<T> (0.5), times_power (lower, k) + times_power (conj (A[i * lda + j]), k));
  return i == j ? from_real<T> (re (value)) : value;
}

// One block per page. The threads run over the pairs (i, j), i >= j, of the page, i fastest, so
// that the lower triangle is read along columns; the thread that owns a pair reads both mirror
// images and writes both, so that W may be A itself.
template <class T> __global__ void prepare_kernel (eig_args<T> a)
{
  typedef real_t<T> R;
  __shared__ summary<R> shared[32];
  int64_t page = blockIdx.x;
  const T *A = a.A + page * a.page_a;
  T *W = a.W + page * a.n * a.n;
  int n = a.n;

  // look at every entry that counts
  summary<R> s = {0, 0, 0, 0};
  for (int64_t q = threadIdx.x; q < (int64_t)n * n; q += blockDim.x) {
    int i = (int)(q % n), j = (int)(q / n);
    if (i < j)
      continue;
    R here = 0;
    double skew = 0;
    int bad = 0;
    if (a.triangle != GLA_UPPER) {
      T lower = A[j * a.lda + i];
      here = i == j && a.triangle == GLA_LOWER ? absmax (re (lower)) : absmax (lower);
    }
    if (a.triangle != GLA_LOWER) {
      T upper = A[i * a.lda + j];
      R there = i == j && a.triangle == GLA_UPPER ? absmax (re (upper)) : absmax (upper);
      bad = !(there <= limits<R>::big);
      here = here > there || here != here ? here : there;
      if (a.triangle == GLA_FULL) {
        T half = scale (R (0.5), A[j * a.lda + i]) - scale (R (0.5), conj (upper));
        skew = hypot ((double)re (half), (double)im (half));
      }
    }
    bad |= !(here <= limits<R>::big);
    join (s, here, skew, R (0), bad);
  }
  s = block_join (s, shared);
  bool skewed = !s.bad && 2 * s.skew > 10.0 * n * limits<R>::eps * s.largest;
  int k = s.bad || s.largest == 0 ? 0 : -ilogb (s.largest);

  // write the full matrix; a page that cannot be solved becomes zero
  R square = 0;
  for (int64_t q = threadIdx.x; q < (int64_t)n * n; q += blockDim.x) {
    int i = (int)(q % n), j = (int)(q / n);
    if (i < j)
      continue;
    T value = s.bad ? from_real<T> (0) : element (A, a.lda, a.triangle, i, j, k);
    square += (i == j ? 1 : 2) * abs2 (value);
    W[(int64_t)j * n + i] = value;
    W[(int64_t)i * n + j] = conj (value);
  }
  s.square = square;
  s = block_join (s, shared);
  if (threadIdx.x == 0) {
    a.exponent[page] = -k;
    a.norm[page] = sqrt_of (s.square);
    a.info[page] = s.bad ? n + 1 : skewed ? GLA_INFO_SKEW : 0;
    a.skew[page] = 2 * s.skew;
  }
}

} // namespace

template <class T> cudaError_t eig_prepare (const eig_args<T> &a)
{
  int threads = a.n <= 16 ? 32 : a.n <= 64 ? 128 : 512;
  prepare_kernel<T><<<(unsigned)a.pages, threads, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template cudaError_t eig_prepare (const eig_args<float> &);
template cudaError_t eig_prepare (const eig_args<double> &);
template cudaError_t eig_prepare (const eig_args<cx<float>> &);
template cudaError_t eig_prepare (const eig_args<cx<double>> &);
