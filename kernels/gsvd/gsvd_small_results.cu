// gsvd_small_results.cu: finds values, X, U and V of small pairs, each by one block
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/cluster.cuh"
#include "gsvd_kernels.cuh"
#include "gsvd_value.cuh"

namespace
{

// Columns of a result, in ascending order of values.
struct small_column {
  double cosine, sine, factor, alpha, beta;
  int exponent;
};

// Two matrices in shared memory; thread (x, y) of the block has entries (x + ROWS a, y + COLUMNS b)
// of a product, DOWN x ACROSS of them.
template <class T, int P> struct small_results : small_shape<T, P> {
  typedef small_shape<T, P> shape;
  using shape::SHARES, shape::THREADS, shape::LD, shape::MATRIX;
  static constexpr int DOWN = P == 8 ? 1 : P == 16 ? 2 : 4, ROWS = P / DOWN;
  static constexpr int COLUMNS = THREADS / ROWS, ACROSS = P / COLUMNS;
  T *left, *right, *tau;
  small_column *column;
  int *perm;
  int p, x, y;
  T sum[DOWN][ACROSS];

  static size_t bytes ()
  {
    return (2 * MATRIX + P) * sizeof (T) + P * (sizeof (small_column) + sizeof (int));
  }
  GLA_DEVICE small_results (unsigned char *memory, int p)
      : p (p), x (threadIdx.x % ROWS), y (threadIdx.x / ROWS)
  {
    left = reinterpret_cast<T *> (memory);
    right = left + MATRIX;
    tau = right + MATRIX;
    column = reinterpret_cast<small_column *> (tau + P);
    perm = reinterpret_cast<int *> (column + P);
#pragma unroll
    for (int a = 0; a < DOWN; a++)
#pragma unroll
      for (int b = 0; b < ACROSS; b++)
        sum[a][b] = from_real<T> (0);
  }

  // Rows become contiguous: entry (i, j) goes to i*LD + j.
  GLA_DEVICE void load_left (const T *from, int64_t ld) const
  {
    for (int w = threadIdx.x; w < P * P; w += THREADS) {
      const int i = w % P, j = w / P;
      left[i * LD + j] = i < p && j < p ? from[j * ld + i] : from_real<T> (0);
    }
  }
  // Columns in reverse order: entry (i, p-1-j) goes to j*LD + i.
  GLA_DEVICE void load_right (const T *from, int64_t ld) const
  {
    for (int w = threadIdx.x; w < P * P; w += THREADS) {
      const int i = w % P, j = w / P;
      right[j * LD + i] = i < p && j < p ? from[(p - 1 - j) * ld + i] : from_real<T> (0);
    }
  }

  // Adds left' * right * diag (by) to sum; TRIANGLE uses the upper triangle of left alone.
  template <bool TRIANGLE> GLA_DEVICE void multiply (double small_column::*by)
  {
    double times[ACROSS];
#pragma unroll
    for (int b = 0; b < ACROSS; b++)
      times[b] = y + COLUMNS * b < p ? column[y + COLUMNS * b].*by : 0;
#pragma unroll 2
    for (int k = 0; k < p; k++) {
      T l[DOWN];
#pragma unroll
      for (int a = 0; a < DOWN; a++) {
        l[a] = left[k * LD + x + ROWS * a];
        if (TRIANGLE && k > x + ROWS * a)
          l[a] = from_real<T> (0);
      }
#pragma unroll
      for (int b = 0; b < ACROSS; b++) {
        const T r = scale (times[b], right[(y + COLUMNS * b) * LD + k]);
#pragma unroll
        for (int a = 0; a < DOWN; a++)
          sum[a][b] = cmadd (l[a], r, sum[a][b]);
      }
    }
  }

  // Sets right = Q * right, with the reflectors below the diagonal of left. SHARES lanes have a
  // column and need no other lanes.
  GLA_DEVICE void apply_q () const
  {
    const int j = threadIdx.x / SHARES, part = threadIdx.x % SHARES;
    T *own = right + j * LD;
    for (int k = p - 1; k >= 0; k--) {
      const int first = k + 1 + (part - k - 1 + 2 * P) % SHARES;
      const bool has_k = part == k % SHARES;
      T dot = has_k ? own[k] : from_real<T> (0);
#pragma unroll 4
      for (int i = first; i < p; i += SHARES)
        dot = cmadd (left[i * LD + k], own[i], dot);
      dot = from_real<T> (0) - tau[k] * lane_sum<SHARES> (dot);
      if (has_k)
        own[k] = own[k] + dot;
#pragma unroll 4
      for (int i = first; i < p; i += SHARES)
        own[i] = madd (dot, left[i * LD + k], own[i]);
    }
  }

  //----------------------------------------------------------------------------
  // writing
  //----------------------------------------------------------------------------

  template <class S>
  GLA_DEVICE void store_x (page_matrix<S> X, const int *scaling, bool failed) const
  {
#pragma unroll
    for (int b = 0; b < ACROSS; b++)
#pragma unroll
      for (int a = 0; a < DOWN; a++) {
        const int i = x + ROWS * a, j = y + COLUMNS * b;
        if (i >= p || j >= p)
          continue;
        const small_column &c = column[j];
        const int row = failed ? i : perm[i];
        const T out = failed ? from_real<T> (nan (""))
                             : times_power (scale (c.factor, sum[a][b]), c.exponent + scaling[row]);
        X.data[j * X.ld + row] = narrow<S> (out);
      }
  }

  // Stores right in one of the two.
  template <class S>
  GLA_DEVICE void store (page_matrix<S> to, page_matrix<T> to_wide, bool failed) const
  {
    for (int w = threadIdx.x; w < P * P; w += THREADS) {
      const int i = w % P, j = w / P;
      if (i >= p || j >= p)
        continue;
      const T out = failed ? from_real<T> (nan ("")) : right[j * LD + i];
      if (to.data != nullptr)
        to.data[j * to.ld + i] = narrow<S> (out);
      else
        to_wide.data[j * to_wide.ld + i] = out;
    }
  }
};

template <class T> GLA_DEVICE page_matrix<T> on_page (page_matrix<T> a, int64_t page)
{
  return {a.data == nullptr ? nullptr : a.data + page * a.page, a.ld, a.page};
}

// Quotients of neighbours that are equal to rounding must not decrease in the type of the arrays,
// either: one that does takes the value before it. One thread does this.
template <class R> GLA_DEVICE void put_in_order (small_column *c, int p)
{
  for (int j = 1; j < p; j++)
    if ((R)c[j].alpha / (R)c[j].beta < (R)c[j - 1].alpha / (R)c[j - 1].beta) {
      c[j].alpha = c[j - 1].alpha;
      c[j].beta = c[j - 1].beta;
    }
}

template <class S, int P>
GLA_DEVICE void store_values (const gsvd_small_results_args<S> &a,
                              const small_results<wide<S>, P> &r, bool failed)
{
  typedef real_t<S> R;
  const int64_t page = blockIdx.x;
  const int p = a.p, j = threadIdx.x;
  if (j < p && !failed) {
    const double sigma = times_power (a.sigma[page * p + p - 1 - j], a.level[page]);
    const gsvd_angle angle (sigma);
    const gsvd_unscaled u (angle.cosine, angle.sine, a.scaling.page[2 * page],
                           a.scaling.page[2 * page + 1]);
    r.column[j] = {angle.cosine, angle.sine, u.factor, u.alpha, u.beta, u.exponent};
    r.tau[j] = a.tau[page * p + j];
    r.perm[j] = a.perm[page * p + j];
  }
  __syncthreads ();
  if (j == 0 && !failed)
    put_in_order<R> (r.column, p);
  __syncthreads ();
  if (j < p && a.alpha.data != nullptr)
    a.alpha.data[page * a.alpha.page + j] = failed ? R (NAN) : (R)r.column[j].alpha;
  if (j < p && a.beta.data != nullptr)
    a.beta.data[page * a.beta.page + j] = failed ? R (NAN) : (R)r.column[j].beta;
}

// A block has a page and computes X = F0' U C + R' Y S, and V = Q Y.
template <class S, int P>
__global__ void __launch_bounds__ (small_shape<wide<S>, P>::THREADS)
    results_kernel (gsvd_small_results_args<S> a)
{
  typedef wide<S> T;
  extern __shared__ __align__ (16) unsigned char memory[];
  const int64_t page = blockIdx.x;
  int info = a.state[page].info;
  if (info < 0)
    return;
  if (info == 0 && a.info[page] != 0) {
    info = 1;
    if (threadIdx.x == 0) {
      a.state[page].info = info;
      a.state[page].sweeps = GLA_GSVD_MAX_SWEEPS;
    }
  }
  small_results<T, P> r (memory, a.p);
  const bool failed = info != 0;
  const bool x = a.X.data != nullptr, u = a.to_u.data != nullptr || a.wide_u.data != nullptr,
             v = a.to_v.data != nullptr || a.wide_v.data != nullptr;
  store_values<S, P> (a, r, failed);
  if (!failed && (u || x))
    r.load_right (on_page (a.U, page).data, a.U.ld);
  if (!failed && x) {
    r.load_left (on_page (a.F0, page).data, a.F0.ld);
    __syncthreads ();
    r.template multiply<false> (&small_column::cosine);
  }
  __syncthreads ();
  if (u)
    r.store (on_page (a.to_u, page), on_page (a.wide_u, page), failed);
  __syncthreads ();
  if (!failed && (v || x)) {
    r.load_left (on_page (a.R, page).data, a.R.ld);
    r.load_right (on_page (a.Y, page).data, a.Y.ld);
  }
  __syncthreads ();
  if (!failed && x)
    r.template multiply<true> (&small_column::sine);
  if (x)
    r.store_x (on_page (a.X, page), a.scaling.column + page * a.p, failed);
  if (!v)
    return;
  __syncthreads ();
  if (!failed)
    r.apply_q ();
  __syncthreads ();
  r.store (on_page (a.to_v, page), on_page (a.wide_v, page), failed);
}

} // namespace

template <class S>
cudaError_t gsvd_small_results (const gsvd_small_results_args<S> &a, int64_t pages,
                                cudaStream_t stream)
{
  return with_small_size (a.p, [&] (auto size) {
    constexpr int P = decltype (size)::value;
    typedef small_results<wide<S>, P> work;
    static std::atomic<uint64_t> configured{0};
    cudaError_t error = allow_cluster (results_kernel<S, P>, work::bytes (), &configured);
    if (error != cudaSuccess)
      return error;
    results_kernel<S, P><<<(unsigned)pages, work::THREADS, work::bytes (), stream>>> (a);
    return cudaGetLastError ();
  });
}

template cudaError_t gsvd_small_results (const gsvd_small_results_args<float> &, int64_t,
                                         cudaStream_t);
template cudaError_t gsvd_small_results (const gsvd_small_results_args<double> &, int64_t,
                                         cudaStream_t);
template cudaError_t gsvd_small_results (const gsvd_small_results_args<cx<float>> &, int64_t,
                                         cudaStream_t);
template cudaError_t gsvd_small_results (const gsvd_small_results_args<cx<double>> &, int64_t,
                                         cudaStream_t);
