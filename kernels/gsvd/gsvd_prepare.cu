// gsvd_prepare.cu: what precedes the sweeps: scaling by powers of two, order of columns, rank
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/reduce.cuh"
#include "gsvd_kernels.cuh"

namespace
{

enum { THREADS = 128 };

template <class S> GLA_DEVICE double number_of (S a, double)
{
  return (double)a;
}
template <class S> GLA_DEVICE cx<double> number_of (S a, cx<double>)
{
  return {(double)re (a), (double)im (a)};
}

// A block of threads has a column.
template <class S>
__global__ void __launch_bounds__ (THREADS)
    norms_kernel (page_matrix<const S> A, int64_t m, int64_t n, int *norm)
{
  __shared__ double work[THREADS / 32];
  int64_t page = blockIdx.x / n, j = blockIdx.x % n;
  block_norm<THREADS> c (A.data + page * A.page + j * A.ld, m, work);
  if (threadIdx.x == 0)
    norm[blockIdx.x] = !(c.largest <= DBL_MAX) ? (int)GSVD_BAD
                       : c.largest == 0        ? (int)GSVD_ZERO
                                               : c.exponent + ilogb (sqrt (c.square));
}

// A warp has a page.
__global__ void scaling_kernel (gsvd_scaling s, int p, bool by_a, gsvd_state *state, int64_t pages)
{
  const int apart = 400; // the exponent of the other matrix may be larger by this
  int64_t page = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (page >= pages)
    return;
  const int *a = s.norm_a + page * p, *b = s.norm_b + page * p;
  int most_a = GSVD_ZERO, most_b = GSVD_ZERO;
  int quotient_most = GSVD_ZERO, quotient_least = GSVD_BAD;
  bool empty = false;
  for (int j = lane; j < p; j += 32) {
    most_a = max (most_a, a[j]);
    most_b = max (most_b, b[j]);
    empty |= b[j] == GSVD_ZERO;
    if (a[j] != GSVD_ZERO && b[j] != GSVD_ZERO) {
      quotient_most = max (quotient_most, a[j] - b[j]);
      quotient_least = min (quotient_least, a[j] - b[j]);
    }
  }
  most_a = warp_max (most_a);
  most_b = warp_max (most_b);
  empty = __any_sync (0xffffffffu, empty);
  empty |= warp_max (quotient_most) + warp_max (-quotient_least) > GSVD_RANGE;
  bool bad = most_a == GSVD_BAD || most_b == GSVD_BAD;
  int page_a = most_a == GSVD_ZERO || bad ? 0 : most_a;
  int page_b = most_b == GSVD_ZERO || bad ? 0 : most_b;
  for (int j = lane; j < p; j += 32) {
    int x = a[j] - page_a, y = b[j] - page_b; // both <= 0
    int own = by_a && a[j] != GSVD_ZERO ? x : y, other = by_a ? y : x;
    if (a[j] != GSVD_ZERO && b[j] != GSVD_ZERO)
      own = max (min (own, other + apart), other - apart);
    s.column[page * p + j] = bad || own < -5000 ? 0 : own;
  }
  if (lane == 0) {
    s.page[2 * page] = page_a;
    s.page[2 * page + 1] = page_b;
    gsvd_state fresh = {};
    fresh.done = bad || empty;
    fresh.info = bad ? p + 1 : empty ? (int)GLA_INFO_IRREGULAR : 0;
    state[page] = fresh;
  }
}

// Thread x of block (., j, page) has an entry of column j.
template <class S, class T>
__global__ void load_kernel (page_matrix<T> to, int64_t rows, page_matrix<const S> A, int64_t m,
                             int64_t n, gsvd_scaling s, int which, const gsvd_state *state)
{
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, page = blockIdx.z;
  if (i >= rows)
    return;
  T x = from_real<T> (0);
  if (i < m && j < n && !state[page].done)
    x = times_power (number_of (A.data[page * A.page + j * A.ld + i], T ()),
                     -s.page[2 * page + which] - s.column[page * n + j]);
  to.data[page * to.page + j * to.ld + i] = x;
}

// Thread x of block (., j, page) has an entry of column j; so in the next kernel.
template <class T>
__global__ void gather_kernel (page_matrix<T> to, int64_t rows, page_matrix<const T> from, int p,
                               const int64_t *jpvt)
{
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, page = blockIdx.z;
  if (i >= rows)
    return;
  T x = from_real<T> (0);
  if (i < p && j < p)
    x = from.data[page * from.page + (jpvt == nullptr ? j : jpvt[page * p + j]) * from.ld + i];
  to.data[page * to.page + j * to.ld + i] = x;
}

// A thread has an element: x counts rows, y columns, z pages.
template <class T> __global__ void identity_kernel (page_matrix<T> to, int64_t rows, int p)
{
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, page = blockIdx.z;
  if (i < rows)
    to.data[page * to.page + j * to.ld + i] = from_real<T> (i == j && j < p ? 1 : 0);
}

// A block of threads has column j, which depends on those before it if r_jj is lost in its norm.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    rank_kernel (page_matrix<const T> R, int p, gsvd_state *state)
{
  __shared__ double work[THREADS / 32];
  int64_t page = blockIdx.x / p, j = blockIdx.x % p;
  const T *column = R.data + page * R.page + j * R.ld;
  block_norm<THREADS> c (column, j + 1, work);
  if (threadIdx.x != 0 || state[page].info != 0)
    return;
  double last = sqrt (abs2 (times_power (column[j], -c.exponent)));
  if (!(last > 4 * p * DBL_EPSILON * sqrt (c.square))) {
    state[page].info = GLA_INFO_IRREGULAR;
    state[page].done = 1;
  } else if (!(last > sqrt (c.square) / (4 * p)))
    state[page].near = 1;
}

// Thread x of block (., j, page) has an entry of column j of F and G.
template <class T>
__global__ void start_kernel (page_matrix<T> F, page_matrix<T> G, page_matrix<const T> F0,
                              page_matrix<const T> R, int64_t rows, int p, const gsvd_state *state)
{
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, page = blockIdx.z;
  if (i >= rows)
    return;
  bool near = state[page].near;
  T one = from_real<T> (i == j && j < p ? 1 : 0);
  G.data[page * G.page + j * G.ld + i] = near ? one : R.data[page * R.page + j * R.ld + i];
  if (!near)
    F.data[page * F.page + j * F.ld + i] = F0.data[page * F0.page + j * F0.ld + i];
}

// A block of threads has a page, whose largest entry decides.
template <class T>
__global__ void __launch_bounds__ (1024)
    level_kernel (page_matrix<T> F, int64_t rows, int p, int *exponent, gsvd_state *state)
{
  __shared__ double most[32];
  __shared__ int power;
  int64_t page = blockIdx.x;
  if (state[page].done)
    return;
  T *data = F.data + page * F.page;
  double here = 0;
  for (int64_t w = threadIdx.x; w < rows * p; w += blockDim.x) {
    double x = absmax (data[w / rows * F.ld + w % rows]);
    here = x > here || x != x ? x : here;
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    double other = shuffle_xor (here, mask);
    here = other > here || other != other ? other : here;
  }
  if (threadIdx.x % 32 == 0)
    most[threadIdx.x / 32] = here;
  __syncthreads ();
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < blockDim.x / 32; w++)
      here = most[w] > here || most[w] != most[w] ? most[w] : here;
    bool lost = !(here <= DBL_MAX);
    if (lost) {
      state[page].info = GLA_INFO_IRREGULAR;
      state[page].done = 1;
    }
    power = lost || here < 0x1p400 ? 0 : ilogb (here) - 400;
    exponent[page] = power;
  }
  __syncthreads ();
  for (int64_t w = threadIdx.x; w < rows * p && power != 0; w += blockDim.x) {
    T &x = data[w / rows * F.ld + w % rows];
    x = times_power (x, -power);
  }
}

dim3 grid_of (int64_t rows, int64_t columns, int64_t pages)
{
  return dim3 ((unsigned)((rows + THREADS - 1) / THREADS), (unsigned)columns, (unsigned)pages);
}

} // namespace

template <class S>
cudaError_t gsvd_column_norms (page_matrix<const S> A, int64_t m, int64_t n, int *norm,
                               int64_t pages, cudaStream_t stream)
{
  norms_kernel<S><<<(unsigned)(n * pages), THREADS, 0, stream>>> (A, m, n, norm);
  return cudaGetLastError ();
}

cudaError_t gsvd_choose_scaling (const gsvd_scaling &s, int p, bool by_a, gsvd_state *state,
                                 int64_t pages, cudaStream_t stream)
{
  scaling_kernel<<<(unsigned)((pages + 3) / 4), 128, 0, stream>>> (s, p, by_a, state, pages);
  return cudaGetLastError ();
}

template <class S, class T>
cudaError_t gsvd_load (const gsvd_load_args<S, T> &a, const gsvd_scaling &s,
                       const gsvd_state *state, int64_t pages, cudaStream_t stream)
{
  load_kernel<S, T><<<grid_of (a.rows, a.columns, pages), THREADS, 0, stream>>> (
      a.to, a.rows, a.A, a.m, a.n, s, a.which, state);
  return cudaGetLastError ();
}

template <class T>
cudaError_t gsvd_gather (page_matrix<T> to, int64_t rows, int64_t columns,
                         page_matrix<const T> from, int p, const int64_t *jpvt, int64_t pages,
                         cudaStream_t stream)
{
  gather_kernel<T>
      <<<grid_of (rows, columns, pages), THREADS, 0, stream>>> (to, rows, from, p, jpvt);
  return cudaGetLastError ();
}

template <class T>
cudaError_t gsvd_identity (page_matrix<T> to, int64_t rows, int64_t columns, int p, int64_t pages,
                           cudaStream_t stream)
{
  identity_kernel<T><<<grid_of (rows, columns, pages), THREADS, 0, stream>>> (to, rows, p);
  return cudaGetLastError ();
}

template <class T>
cudaError_t gsvd_check_rank (page_matrix<const T> R, int p, gsvd_state *state, int64_t pages,
                             cudaStream_t stream)
{
  rank_kernel<T><<<(unsigned)(p * pages), THREADS, 0, stream>>> (R, p, state);
  return cudaGetLastError ();
}

template <class T>
cudaError_t gsvd_choose_start (const gsvd_start_args<T> &a, const gsvd_state *state, int64_t pages,
                               cudaStream_t stream)
{
  start_kernel<T><<<grid_of (a.rows, a.columns, pages), THREADS, 0, stream>>> (a.F, a.G, a.F0, a.R,
                                                                               a.rows, a.p, state);
  return cudaGetLastError ();
}

template <class T>
cudaError_t gsvd_level (page_matrix<T> F, int64_t rows, int p, int *exponent, gsvd_state *state,
                        int64_t pages, cudaStream_t stream)
{
  level_kernel<T><<<(unsigned)pages, 1024, 0, stream>>> (F, rows, p, exponent, state);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(S, T)                                                                      \
  template cudaError_t gsvd_column_norms (page_matrix<const S>, int64_t, int64_t, int *, int64_t,  \
                                          cudaStream_t);                                           \
  template cudaError_t gsvd_load (const gsvd_load_args<S, T> &, const gsvd_scaling &,              \
                                  const gsvd_state *, int64_t, cudaStream_t);
GLA_INSTANTIATE (float, double)
GLA_INSTANTIATE (double, double)
GLA_INSTANTIATE (cx<float>, cx<double>)
GLA_INSTANTIATE (cx<double>, cx<double>)

#define GLA_INSTANTIATE_WIDE(T)                                                                    \
  template cudaError_t gsvd_gather (page_matrix<T>, int64_t, int64_t, page_matrix<const T>, int,   \
                                    const int64_t *, int64_t, cudaStream_t);                       \
  template cudaError_t gsvd_identity (page_matrix<T>, int64_t, int64_t, int, int64_t,              \
                                      cudaStream_t);                                               \
  template cudaError_t gsvd_check_rank (page_matrix<const T>, int, gsvd_state *, int64_t,          \
                                        cudaStream_t);                                             \
  template cudaError_t gsvd_choose_start (const gsvd_start_args<T> &, const gsvd_state *, int64_t, \
                                          cudaStream_t);                                           \
  template cudaError_t gsvd_level (page_matrix<T>, int64_t, int, int *, gsvd_state *, int64_t,     \
                                   cudaStream_t);
GLA_INSTANTIATE_WIDE (double)
GLA_INSTANTIATE_WIDE (cx<double>)
