// lanczos_recurrence.cu: the three-term recurrence, with its coefficients on the device
// SPDX-License-Identifier: GPL-3.0-or-later
//
// KRYLOV_GRID thread blocks of 256 threads go through the vectors, each element always with the
// same thread. Each kernel that needs a sum adds the partial sums, in the same order.

#include "lanczos.cuh"

namespace
{

GLA_DEVICE double block_sum (double a)
{
  __shared__ double part[8];
  a = lane_sum<32> (a);
  __syncthreads (); // the part of a sum before this may still be read
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = a;
  __syncthreads ();
  double sum = 0;
  for (int k = 0; k < 8; k++)
    sum += part[k];
  return sum;
}

// Returns the sum of the partial sums, the same bits in every thread block.
GLA_DEVICE double sum_of (const double *partial)
{
  double sum = threadIdx.x < KRYLOV_GRID ? partial[threadIdx.x] : 0;
  for (int i = threadIdx.x + 256; i < KRYLOV_GRID; i += 256)
    sum += partial[i];
  return block_sum (sum);
}

template <class R> GLA_DEVICE double real_product (R a, R b)
{
  return (double)a * (double)b;
}
template <class R> GLA_DEVICE double real_product (cx<R> a, cx<R> b)
{
  return (double)a.x * (double)b.x + (double)a.y * (double)b.y;
}

// Stores beta[at+1] from the partial sums of the vector that followed step `at`; 0 if it is lost in
// rounding errors against the largest |A*v|.
GLA_DEVICE void store_norm (const double *norms, const double *alpha, double *beta, int64_t at,
                            double vanish, krylov_flags *flags)
{
  double norm = sqrt (sum_of (norms));
  if (threadIdx.x != 0)
    return;
  double a = alpha[at], b = beta[at + 1];
  flags->norm = fmax (flags->norm, sqrt (a * a + b * b * (at > 0 || beta[at] != 0) + norm * norm));
  beta[at + 2] = norm > vanish * flags->norm ? norm : 0;
}

// Forms partial sums of u'y, one per thread block; the threads of all blocks stride through the
// rows. The first block also stores the norm of the last step.
template <class T>
__global__ void __launch_bounds__ (256)
    dot_kernel (krylov_recurrence<T> r, int64_t n, double *partial, krylov_flags *flags)
{
  if (blockIdx.x == 0 && r.k > 0)
    store_norm (r.norms, r.alpha, r.beta, r.k - 1, krylov_vanish<T>, flags);
  double sum = 0;
  for (int64_t i = blockIdx.x * 256ll + threadIdx.x; i < n; i += KRYLOV_GRID * 256)
    sum += real_product (r.u[i], r.y[i]);
  sum = block_sum (sum);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sum;
}

// Forms next = (y - alpha u)/beta - (beta/beta_before) u_before, which is A*v - alpha*v -
// beta*v_before; rows are divided as in dot_kernel.
template <class T>
__global__ void __launch_bounds__ (256)
    next_kernel (krylov_recurrence<T> r, int64_t n, const double *partial, bool given)
{
  typedef real_t<T> R;
  double before = r.beta[r.k], now = r.beta[r.k + 1];
  double alpha = given ? r.alpha[r.k] : sum_of (partial) / now / now;
  if (!given && blockIdx.x == 0 && threadIdx.x == 0)
    r.alpha[r.k] = alpha;
  R a = (R)alpha, over = (R)(1 / now), back = before > 0 ? (R)(now / before) : 0;
  double sum = 0;
  for (int64_t i = blockIdx.x * 256ll + threadIdx.x; i < n; i += KRYLOV_GRID * 256) {
    T next = scale (over, r.y[i] - scale (a, r.u[i]));
    if (before > 0)
      next = next - scale (back, r.before[i]);
    r.next[i] = next;
    sum += real_product (next, next);
  }
  sum = block_sum (sum);
  if (threadIdx.x == 0)
    r.norms[blockIdx.x] = sum;
}

// One thread block does this.
template <class T>
__global__ void __launch_bounds__ (256)
    last_norm_kernel (krylov_recurrence<T> r, krylov_flags *flags)
{
  store_norm (r.norms, r.alpha, r.beta, r.k, krylov_vanish<T>, flags);
}

// A thread has a row; it keeps the row's elements of U in registers and loops over the columns of
// X.
template <class T>
__global__ void __launch_bounds__ (256)
    accumulate_kernel (const T *U, int64_t n, int vectors, const double *S, T *X, int64_t count)
{
  typedef real_t<T> R;
  int64_t i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n)
    return;
  T u[8];
#pragma unroll
  for (int k = 0; k < 8; k++)
    u[k] = k < vectors ? U[i + k * n] : from_real<T> (0);
  for (int64_t c = 0; c < count; c++) {
    T sum = X[i + c * n];
#pragma unroll
    for (int k = 0; k < 8; k++)
      if (k < vectors)
        sum = sum + scale ((R)S[k * count + c], u[k]);
    X[i + c * n] = sum;
  }
}

} // namespace

template <class T> cudaError_t krylov_dot (const krylov_place<T> &p, const krylov_recurrence<T> &r)
{
  dot_kernel<T><<<KRYLOV_GRID, 256, 0, p.stream>>> (r, p.n, p.partial, p.flags);
  return cudaGetLastError ();
}

template <class T>
cudaError_t krylov_next (const krylov_place<T> &p, const krylov_recurrence<T> &r, bool given)
{
  next_kernel<T><<<KRYLOV_GRID, 256, 0, p.stream>>> (r, p.n, p.partial, given);
  return cudaGetLastError ();
}

template <class T>
cudaError_t krylov_last_norm (const krylov_place<T> &p, const krylov_recurrence<T> &r)
{
  last_norm_kernel<T><<<1, 256, 0, p.stream>>> (r, p.flags);
  return cudaGetLastError ();
}

template <class T>
cudaError_t krylov_accumulate (const krylov_place<T> &p, const T *U, int vectors, const double *S,
                               T *X, int64_t count)
{
  accumulate_kernel<T>
      <<<(unsigned)((p.n + 255) / 256), 256, 0, p.stream>>> (U, p.n, vectors, S, X, count);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t krylov_dot (const krylov_place<T> &, const krylov_recurrence<T> &);         \
  template cudaError_t krylov_next (const krylov_place<T> &, const krylov_recurrence<T> &, bool);  \
  template cudaError_t krylov_last_norm (const krylov_place<T> &, const krylov_recurrence<T> &);   \
  template cudaError_t krylov_accumulate (const krylov_place<T> &, const T *, int, const double *, \
                                          T *, int64_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
