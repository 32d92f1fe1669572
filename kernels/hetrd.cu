// hetrd.cu: Householder tridiagonalisation, one block per page
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The unblocked method of LAPACK's ?hetd2/?sytd2 (lower), arranged for one pass over the matrix
// per column: the rank-2 update of one column and the matrix-vector product of the next one touch
// each entry once. The whole square is kept, so that a thread owns a row and reads it without a
// reduction (Cosnuau 2014 divides the matrix in the same way).

#include "hetrd.cuh"

namespace
{

// Shared memory of one block, in elements of T: v of two columns, w, partial products, then A.
template <class T> struct layout {
  T *v[2], *w, *part, *A;
  GLA_DEVICE layout (unsigned char *base, int n, int threads)
  {
    v[0] = reinterpret_cast<T *> (base);
    v[1] = v[0] + n;
    w = v[1] + n;
    part = w + n;
    A = part + (threads > n ? threads : n);
  }
};

// Elements before A.
size_t vectors_size (int n, int threads)
{
  return (size_t)3 * n + (threads > n ? threads : n);
}

// LAPACK's larfg on column k below the diagonal, by one warp: v = [1; x/(alpha-beta)] to shared
// memory and, below its first entry, over the column; returns tau, and beta through *beta.
template <class T>
GLA_DEVICE T reflector (T *A, int64_t ld, int n, int k, T *v, real_t<T> *beta_out)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32;
  T *x = A + k * ld;
  T alpha = x[k + 1];
  R square = 0;
  for (int i = k + 2 + lane; i < n; i += 32)
    square += abs2 (x[i]);
  square = lane_sum<32> (square);

  // Squares of tiny entries lose digits: the page has norm 1 or more, so a column that is still
  // tiny after scaling up is a zero column.
  R up = 1;
  if (square + abs2 (alpha) < limits<R>::small_square) {
    up = limits<R>::up;
    square = 0;
    for (int i = k + 2 + lane; i < n; i += 32)
      square += abs2 (scale (up, x[i]));
    square = lane_sum<32> (square);
    alpha = scale (up, alpha);
    if (square + abs2 (alpha) < limits<R>::small_square) {
      square = 0;
      alpha = from_real<T> (0);
    }
  }

  R beta = re (alpha);
  T tau = from_real<T> (0), factor = from_real<T> (0);
  if (square > 0 || im (alpha) != 0) {
    beta = -copy_sign (sqrt_of (square + abs2 (alpha)), re (alpha));
    R inverse = 1 / beta;
    tau = scale (inverse, from_real<T> (beta) - alpha);
    T difference = alpha - from_real<T> (beta);
    factor = scale (up / abs2 (difference), conj (difference)); // up / (alpha - beta)
  }
  for (int i = k + 2 + lane; i < n; i += 32)
    v[i] = x[i] = x[i] * factor;
  if (lane == 0)
    v[k + 1] = from_real<T> (1);
  *beta_out = up == 1 ? beta : beta * limits<R>::down;
  return tau;
}

// w = tau*y + alpha*v with y the sum of the partial products and alpha = -tau/2 (tau*y)'v, then the
// rank-2 update of column k+1. One warp; returns the new diagonal entry of column k+1.
template <class T>
GLA_DEVICE real_t<T> finish_column (T *A, int64_t ld, int n, int k, T tau, const T *v, T *w,
                                    const T *part, int padded, int groups)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, m = n - k - 1;
  T dot = from_real<T> (0);
  for (int i = lane; i < m; i += 32) {
    T y = part[i];
    for (int g = 1; g < groups; g++)
      y = y + part[g * padded + i];
    y = tau * y;
    w[k + 1 + i] = y;
    dot = cmadd (y, v[k + 1 + i], dot);
  }
  dot = lane_sum<32> (dot);
  T alpha = scale (R (-0.5), tau * dot);
  T w_first = from_real<T> (0);
  for (int i = lane; i < m; i += 32) {
    T value = madd (alpha, v[k + 1 + i], w[k + 1 + i]);
    w[k + 1 + i] = value;
    if (i == 0)
      w_first = value;
  }
  // v(k+1) is 1: column k+1 loses v*conj(w(k+1)) + w
  w_first = lane_sum<32> (w_first);
  T *x = A + (k + 1) * ld;
  R diagonal = 0;
  for (int i = k + 1 + lane; i < n; i += 32) {
    T value = x[i] - madd (v[i], conj (w_first), w[i]);
    x[i] = value;
    if (i == k + 1)
      diagonal = re (value);
  }
  __syncwarp ();
  return lane_sum<32> (diagonal);
}

// One block per page; the page stands in shared memory (SHARED) or in global memory. Threads form
// `groups` groups of `padded` threads; thread i of group g owns row k+1+i of the trailing matrix
// and its columns g, g+groups, ...: neighbouring threads touch neighbouring entries. Warp 0 does
// what is serial between two passes (reflector, w, next column) without block barriers.
template <class T, bool SHARED>
__global__ void __launch_bounds__ (1024) hetrd_kernel (eig_args<T> a, int first, int last)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ T shared_tau;
  int n = a.n;
  int64_t page = blockIdx.x;
  if (a.info[page] != 0) { // a page that cannot be solved; what follows finds zeros
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      a.d[page * n + i] = a.e[page * n + i] = 0;
    return;
  }
  layout<T> s (memory, n, blockDim.x);
  T *global = a.W + page * n * n;
  T *A = SHARED ? s.A : global;
  R *d = a.d + page * n, *e = a.e + page * n;
  T *tau = a.tau + page * n;
  if (SHARED) {
    for (int q = threadIdx.x; q < n * n; q += blockDim.x)
      A[q] = global[q];
    __syncthreads ();
  }
  if (first == 0 && threadIdx.x == 0)
    d[0] = re (A[0]);

  bool pending = false; // whether v[(k+1)%2], w hold an update that the matrix still lacks
  for (int k = first; k <= last; k++) {
    const T *v_old = s.v[(k + 1) % 2];
    T *v = s.v[k % 2];
    bool product = k < last;
    if (product && threadIdx.x < 32) {
      R beta;
      T t = reflector (A, n, n, k, v, &beta);
      if (threadIdx.x == 0) {
        e[k] = beta;
        tau[k] = t;
        shared_tau = t;
      }
    }
    __syncthreads ();

    // one pass over rows and columns k+1..n-1: the pending update, and A*v
    int m = n - k - 1;
    int padded = (m + 31) / 32 * 32;
    padded = padded < (int)blockDim.x ? padded : blockDim.x;
    int groups = padded > 0 ? blockDim.x / padded : 0;
    groups = groups < m ? groups : m;
    int group = padded > 0 ? threadIdx.x / padded : 0;
    if (group < groups && (pending || product))
      for (int i = k + 1 + threadIdx.x % padded; i < n; i += padded) {
        T vi = from_real<T> (0), wi = from_real<T> (0), sum = from_real<T> (0);
        if (pending) {
          vi = v_old[i];
          wi = s.w[i];
        }
#pragma unroll 4
        for (int j = k + 1 + group; j < n; j += groups) {
          T value = A[(int64_t)j * n + i];
          if (pending) {
            value = value - madd (vi, conj (s.w[j]), wi * conj (v_old[j]));
            A[(int64_t)j * n + i] = value;
          }
          if (product)
            sum = madd (value, v[j], sum);
        }
        if (product)
          s.part[group * padded + i - k - 1] = sum;
      }
    __syncthreads ();
    if (product && threadIdx.x < 32) {
      R diagonal = finish_column (A, n, n, k, shared_tau, v, s.w, s.part, padded, groups);
      if (threadIdx.x == 0)
        d[k + 1] = diagonal;
    }
    pending = true;
  }
  __syncthreads ();
  if (SHARED && a.vectors)
    for (int q = threadIdx.x; q < n * n; q += blockDim.x)
      global[q] = A[q];
}

template <class T> int threads_for (int n)
{
  return n <= 12 ? 32 : n <= 24 ? 64 : n <= 40 ? 128 : n <= 64 ? 256 : n <= 96 ? 512 : 1024;
}

} // namespace

template <class T> cudaError_t eig_hetrd (const eig_args<T> &a, int first, int last)
{
  int origin = a.n - hetrd_shared_limit<T> (a.smem_limit);
  if (a.n >= 33 && origin <= first)
    return first == 0 || first == origin ? hetrd_shared (a, first) : cudaSuccess;
  if (a.n >= 33 && last > origin)
    last = origin;
  int threads = threads_for<T> (a.n);
  size_t vectors = vectors_size (a.n, threads) * sizeof (T);
  size_t whole = vectors + (size_t)a.n * a.n * sizeof (T);
  unsigned blocks = (unsigned)a.pages;
  bool shared = first == 0 && last == a.n - 1 && whole <= (size_t)a.smem_limit;
  auto kernel = shared ? hetrd_kernel<T, true> : hetrd_kernel<T, false>;
  size_t bytes = shared ? whole : vectors;
  cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  kernel<<<blocks, threads, bytes, a.stream>>> (a, first, last);
  status = cudaGetLastError ();
  return a.n >= 33 && last == origin && status == cudaSuccess ? hetrd_shared (a, origin) : status;
}

template cudaError_t eig_hetrd (const eig_args<float> &, int, int);
template cudaError_t eig_hetrd (const eig_args<double> &, int, int);
template cudaError_t eig_hetrd (const eig_args<cx<float>> &, int, int);
template cudaError_t eig_hetrd (const eig_args<cx<double>> &, int, int);
