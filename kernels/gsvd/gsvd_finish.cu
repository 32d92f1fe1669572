// gsvd_finish.cu: sorts values, moves factors to their places, and undoes the scaling of a pair
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/reduce.cuh"
#include "gsvd_kernels.cuh"
#include "gsvd_value.cuh"

namespace
{

enum { THREADS = 128 };

// A block of threads has a column of F and of G.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    value_norms_kernel (page_matrix<const T> F, page_matrix<const T> G, int64_t rows_f,
                        int64_t rows_g, int p, gsvd_values v)
{
  __shared__ double work[THREADS / 32];
  int64_t page = blockIdx.x / p, j = blockIdx.x % p;
  bool first = blockIdx.y == 0;
  const T *column = first ? F.data + page * F.page + j * F.ld : G.data + page * G.page + j * G.ld;
  block_norm<THREADS> c (column, first ? rows_f : rows_g, work);
  double norm = c.norm ();
  if (threadIdx.x == 0)
    (first ? v.norm_f : v.norm_g)[blockIdx.x] = first && norm < 0x1p-500 ? 0 : norm;
}

// Returns the value of column j: |f_j| / |g_j|, or |f_j| alone.
GLA_DEVICE double value_of (const gsvd_values &v, int64_t column, bool both)
{
  return both ? v.norm_f[column] / v.norm_g[column] : v.norm_f[column];
}

// Thread j of a page counts the values below that of column j, and stores its cosine and sine. Of
// equal values the later column comes first, as columns are in descending order.
__global__ void __launch_bounds__ (THREADS)
    place_values_kernel (int p, bool both, const int *level, gsvd_values v, gsvd_state *state)
{
  int64_t page = blockIdx.y;
  int j = blockIdx.x * THREADS + threadIdx.x;
  if (j >= p || state[page].info > 0)
    return;
  double value = value_of (v, page * p + j, both);
  int place = 0;
  for (int k = 0; k < p; k++) {
    double other = value_of (v, page * p + k, both);
    place += other < value || (other == value && k > j);
  }
  const gsvd_angle angle (times_power (value, level[page]));
  v.place[page * p + j] = place;
  v.alpha[page * p + place] = angle.cosine;
  v.beta[page * p + place] = angle.sine;
  if (value == 0)
    atomicAdd (&state[page].zeros, 1);
}

// A block of threads has a column.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    place_kernel (page_matrix<T> to, page_matrix<T> scaled, page_matrix<const T> from, int64_t rows,
                  int p, const double *norm, const double *factor, const int *place)
{
  int64_t page = blockIdx.x / p, j = blockIdx.x % p;
  int k = place[page * p + j];
  if (k < 0 || k >= p)
    return; // the page failed
  double length = norm[page * p + j], f = factor[page * p + k];
  int power = length > 0 && length <= DBL_MAX ? ilogb (length) : 0;
  double inverse = length > 0 ? 1 / times_power (length, -power) : 0;
  for (int64_t i = threadIdx.x; i < rows; i += THREADS) {
    T x = scale (inverse, times_power (from.data[page * from.page + j * from.ld + i], -power));
    if (to.data != nullptr)
      to.data[page * to.page + k * to.ld + i] = x;
    if (scaled.data != nullptr)
      scaled.data[page * scaled.page + k * scaled.ld + i] = scale (f, x);
  }
}

// A thread has a page.
__global__ void count_kernel (const gsvd_state *state, bool zeros, int *count, int64_t pages)
{
  int64_t page = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (page < pages && state[page].info == 0 && (zeros ? state[page].zeros : state[page].near) > 0)
    atomicAdd (count, 1);
}

// Thread x of block (., j, page) has an entry of column j.
template <class T> __global__ void flip_kernel (page_matrix<T> to, page_matrix<const T> U, int p)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  int64_t page = blockIdx.z;
  if (i < p)
    to.data[page * to.page + (int64_t)(p - 1 - j) * to.ld + i] =
        U.data[page * U.page + j * U.ld + i];
}

// Thread x of block (., j, page) has an entry of column j.
template <class T>
__global__ void fill_zeros_kernel (page_matrix<T> U, page_matrix<const T> Q, int p,
                                   const gsvd_state *state)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  int64_t page = blockIdx.z;
  if (i < p && j < state[page].zeros)
    U.data[page * U.page + j * U.ld + i] = Q.data[page * Q.page + (int64_t)(p - 1 - j) * Q.ld + i];
}

GLA_DEVICE double not_a_number ()
{
  return nan ("");
}

// Thread j of a page has value j.
template <class S>
__global__ void __launch_bounds__ (THREADS)
    store_values_kernel (page_matrix<S> alpha, page_matrix<S> beta, double *factor, int *exponent,
                         int p, gsvd_values v, gsvd_scaling s, const gsvd_state *state)
{
  int64_t page = blockIdx.y;
  int j = blockIdx.x * THREADS + threadIdx.x;
  if (j >= p)
    return;
  const gsvd_unscaled u (v.alpha[page * p + j], v.beta[page * p + j], s.page[2 * page],
                         s.page[2 * page + 1]);
  factor[page * p + j] = u.factor;
  exponent[page * p + j] = u.exponent;
  if (state[page].info < 0)
    return;
  bool failed = state[page].info > 0;
  if (alpha.data != nullptr)
    alpha.data[page * alpha.page + j] = (S)(failed ? not_a_number () : u.alpha);
  if (beta.data != nullptr)
    beta.data[page * beta.page + j] = (S)(failed ? not_a_number () : u.beta);
}

// A thread has a page. Quotients of neighbours that are equal to rounding must not decrease,
// either; one that does takes the value before it.
template <class S>
__global__ void order_kernel (page_matrix<S> alpha, page_matrix<S> beta, int p,
                              const gsvd_state *state, int64_t pages)
{
  int64_t page = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (page >= pages || state[page].info < 0)
    return;
  S *a = alpha.data + page * alpha.page, *b = beta.data + page * beta.page;
  for (int j = 1; j < p; j++)
    if (a[j] / b[j] < a[j - 1] / b[j - 1]) {
      a[j] = a[j - 1];
      b[j] = b[j - 1];
    }
}

template <class S, class T> GLA_DEVICE S narrow (T x)
{
  if constexpr (is_complex_v<S>)
    return {(real_t<S>)re (x), (real_t<S>)im (x)};
  else
    return (S)re (x);
}

// Thread x of block (., j, page) has an entry of column j.
template <class S, class T>
__global__ void store_x_kernel (page_matrix<S> X, page_matrix<const T> from, int p,
                                const int64_t *jpvt, const double *factor, const int *exponent,
                                gsvd_scaling s, const gsvd_state *state)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  int64_t page = blockIdx.z;
  if (i >= p || state[page].info < 0)
    return;
  int64_t row = jpvt == nullptr ? i : jpvt[page * p + i];
  T x = from.data[page * from.page + j * from.ld + i];
  x = times_power (scale (factor[page * p + j], x),
                   exponent[page * p + j] + s.column[page * p + row]);
  if (state[page].info > 0)
    x = from_real<T> (not_a_number ());
  X.data[page * X.page + j * X.ld + row] = narrow<S> (x);
}

// Thread x of block (., j, page) has an entry of column j.
template <class S, class T>
__global__ void store_kernel (page_matrix<S> to, page_matrix<const T> from, int64_t rows,
                              const gsvd_state *state)
{
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, page = blockIdx.z;
  if (i >= rows || state[page].info < 0)
    return;
  T x = from.data[page * from.page + j * from.ld + i];
  to.data[page * to.page + j * to.ld + i] =
      narrow<S> (state[page].info > 0 ? from_real<T> (not_a_number ()) : x);
}

dim3 grid_of (int64_t rows, int64_t columns, int64_t pages)
{
  return dim3 ((unsigned)((rows + THREADS - 1) / THREADS), (unsigned)columns, (unsigned)pages);
}

} // namespace

template <class T>
cudaError_t gsvd_find_values (const gsvd_values_args<T> &a, const gsvd_values &v, gsvd_state *state,
                              int64_t pages, cudaStream_t stream)
{
  value_norms_kernel<T><<<dim3 ((unsigned)(a.p * pages), 2), THREADS, 0, stream>>> (
      a.F, a.G, a.rows_f, a.rows_g, a.p, v);
  place_values_kernel<<<dim3 ((a.p + THREADS - 1) / THREADS, (unsigned)pages), THREADS, 0,
                        stream>>> (a.p, a.both, a.level, v, state);
  return cudaGetLastError ();
}

cudaError_t gsvd_count (const gsvd_state *state, bool zeros, int *count, int64_t pages,
                        cudaStream_t stream)
{
  cudaError_t error = cudaMemsetAsync (count, 0, sizeof (int), stream);
  if (error != cudaSuccess)
    return error;
  count_kernel<<<(unsigned)((pages + 127) / 128), 128, 0, stream>>> (state, zeros, count, pages);
  return cudaGetLastError ();
}

template <class T>
cudaError_t gsvd_place (const gsvd_place_args<T> &a, int64_t pages, cudaStream_t stream)
{
  place_kernel<T><<<(unsigned)(a.p * pages), THREADS, 0, stream>>> (a.to, a.scaled, a.from, a.rows,
                                                                    a.p, a.norm, a.factor, a.place);
  return cudaGetLastError ();
}

template <class T>
cudaError_t gsvd_flip (page_matrix<T> to, page_matrix<const T> U, int p, int64_t pages,
                       cudaStream_t stream)
{
  flip_kernel<T><<<grid_of (p, p, pages), THREADS, 0, stream>>> (to, U, p);
  return cudaGetLastError ();
}

template <class T>
cudaError_t gsvd_fill_zeros (page_matrix<T> U, page_matrix<const T> Q, int p,
                             const gsvd_state *state, int64_t pages, cudaStream_t stream)
{
  fill_zeros_kernel<T><<<grid_of (p, p, pages), THREADS, 0, stream>>> (U, Q, p, state);
  return cudaGetLastError ();
}

template <class S>
cudaError_t gsvd_store_values (const gsvd_store_values_args<S> &a, const gsvd_values &v,
                               const gsvd_scaling &s, const gsvd_state *state, int64_t pages,
                               cudaStream_t stream)
{
  dim3 grid ((a.p + THREADS - 1) / THREADS, (unsigned)pages);
  store_values_kernel<S>
      <<<grid, THREADS, 0, stream>>> (a.alpha, a.beta, a.factor, a.exponent, a.p, v, s, state);
  if (a.alpha.data != nullptr && a.beta.data != nullptr)
    order_kernel<S>
        <<<(unsigned)((pages + 31) / 32), 32, 0, stream>>> (a.alpha, a.beta, a.p, state, pages);
  return cudaGetLastError ();
}

template <class S, class T>
cudaError_t gsvd_store_x (const gsvd_store_x_args<S, T> &a, const gsvd_scaling &s,
                          const gsvd_state *state, int64_t pages, cudaStream_t stream)
{
  store_x_kernel<S, T><<<grid_of (a.p, a.p, pages), THREADS, 0, stream>>> (
      a.X, a.from, a.p, a.jpvt, a.factor, a.exponent, s, state);
  return cudaGetLastError ();
}

template <class S, class T>
cudaError_t gsvd_store (page_matrix<S> to, page_matrix<const T> from, int64_t rows, int64_t columns,
                        const gsvd_state *state, int64_t pages, cudaStream_t stream)
{
  store_kernel<S, T>
      <<<grid_of (rows, columns, pages), THREADS, 0, stream>>> (to, from, rows, state);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(S, T)                                                                      \
  template cudaError_t gsvd_store_x (const gsvd_store_x_args<S, T> &, const gsvd_scaling &,        \
                                     const gsvd_state *, int64_t, cudaStream_t);                   \
  template cudaError_t gsvd_store (page_matrix<S>, page_matrix<const T>, int64_t, int64_t,         \
                                   const gsvd_state *, int64_t, cudaStream_t);
GLA_INSTANTIATE (float, double)
GLA_INSTANTIATE (double, double)
GLA_INSTANTIATE (cx<float>, cx<double>)
GLA_INSTANTIATE (cx<double>, cx<double>)

#define GLA_INSTANTIATE_REAL(S)                                                                    \
  template cudaError_t gsvd_store_values (const gsvd_store_values_args<S> &, const gsvd_values &,  \
                                          const gsvd_scaling &, const gsvd_state *, int64_t,       \
                                          cudaStream_t);
GLA_INSTANTIATE_REAL (float)
GLA_INSTANTIATE_REAL (double)

#define GLA_INSTANTIATE_WIDE(T)                                                                    \
  template cudaError_t gsvd_find_values (const gsvd_values_args<T> &, const gsvd_values &,         \
                                         gsvd_state *, int64_t, cudaStream_t);                     \
  template cudaError_t gsvd_place (const gsvd_place_args<T> &, int64_t, cudaStream_t);             \
  template cudaError_t gsvd_flip (page_matrix<T>, page_matrix<const T>, int, int64_t,              \
                                  cudaStream_t);                                                   \
  template cudaError_t gsvd_fill_zeros (page_matrix<T>, page_matrix<const T>, int,                 \
                                        const gsvd_state *, int64_t, cudaStream_t);
GLA_INSTANTIATE_WIDE (double)
GLA_INSTANTIATE_WIDE (cx<double>)
