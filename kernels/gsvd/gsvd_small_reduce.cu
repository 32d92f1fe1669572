// gsvd_small_reduce.cu: reduces small pairs to F = A P R^-1, each by one block in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/cluster.cuh"
#include "common/reflector.cuh"
#include "common/reduce.cuh"
#include "gsvd_kernels.cuh"

namespace
{

// Returns the larger one, or NaN if one is NaN.
GLA_DEVICE double larger (double a, double b)
{
  return b > a || b != b ? b : a;
}

// Sums over the neighbouring lanes that share a column; all get the same bits.
template <int SHARES, class N> GLA_DEVICE N over_shares (N x)
{
  return lane_sum<SHARES> (x);
}

// What is in shared memory; the thread has part `part` of column j.
template <class T, int P> struct reduction : small_shape<T, P> {
  typedef small_shape<T, P> shape;
  using shape::SHARES, shape::THREADS, shape::LD, shape::MATRIX;
  T *b, *f, *tau, *inverse;           // inverse[k]: reflector k is its column times this
  double *beta, *rest, *below, *most; // rest and below: two sets of P, for alternate steps
  int *place, *norm_a, *norm_b, *column;
  int p, j, part;

  static size_t bytes ()
  {
    return (2 * MATRIX + 2 * P) * sizeof (T) + (5 * P + 32) * sizeof (double) +
           4 * P * sizeof (int);
  }
  GLA_DEVICE reduction (unsigned char *memory, int p)
      : p (p), j (threadIdx.x / SHARES), part (threadIdx.x % SHARES)
  {
    b = reinterpret_cast<T *> (memory);
    f = b + MATRIX;
    tau = f + MATRIX;
    inverse = tau + P;
    beta = reinterpret_cast<double *> (inverse + P);
    rest = beta + P;
    below = rest + 2 * P;
    most = below + 2 * P;
    place = reinterpret_cast<int *> (most + 32);
    norm_a = place + P;
    norm_b = norm_a + P;
    column = norm_b + P;
  }

  //----------------------------------------------------------------------------
  // reading, and the scaling of gsvd_choose_scaling with by_a
  //----------------------------------------------------------------------------

  template <class S> GLA_DEVICE void load (T *to, const S *from, int64_t ld) const
  {
    for (int w = threadIdx.x; w < P * P; w += THREADS) {
      const int i = w % P, c = w / P;
      to[c * LD + i] = i < p && c < p ? widen (from[c * ld + i]) : from_real<T> (0);
    }
  }

  // Returns the exponent of the norm of column j.
  GLA_DEVICE int exponent_of (const T *matrix) const
  {
    double largest = 0, sum = 0;
    for (int i = part; i < p; i += SHARES)
      largest = larger (largest, absmax (matrix[j * LD + i]));
#pragma unroll
    for (int mask = SHARES / 2; mask > 0; mask /= 2)
      largest = larger (largest, shuffle_xor (largest, mask));
    const bool usual = largest > 0 && largest <= DBL_MAX;
    const int exponent = usual ? max (ilogb (largest), -1000) : 0;
    for (int i = part; i < p; i += SHARES)
      sum += abs2 (times_power (matrix[j * LD + i], -exponent));
    sum = over_shares<SHARES> (sum);
    return !(largest <= DBL_MAX) ? (int)GSVD_BAD
           : largest == 0        ? (int)GSVD_ZERO
                                 : exponent + ilogb (sqrt (sum));
  }

  // Returns info.
  GLA_DEVICE int choose_scaling (int &page_a, int &page_b)
  {
    const int apart = 400; // the exponent of the other matrix may be larger by this
    const int a = exponent_of (f), b_exponent = exponent_of (b);
    if (part == 0) {
      norm_a[j] = a;
      norm_b[j] = b_exponent;
    }
    __syncthreads ();
    int most_a = GSVD_ZERO, most_b = GSVD_ZERO;
    int quotient_most = GSVD_ZERO, quotient_least = GSVD_BAD;
    bool empty = false;
    for (int c = 0; c < p; c++) {
      most_a = max (most_a, norm_a[c]);
      most_b = max (most_b, norm_b[c]);
      empty |= norm_b[c] == GSVD_ZERO;
      if (norm_a[c] != GSVD_ZERO && norm_b[c] != GSVD_ZERO) {
        quotient_most = max (quotient_most, norm_a[c] - norm_b[c]);
        quotient_least = min (quotient_least, norm_a[c] - norm_b[c]);
      }
    }
    empty |= quotient_most - quotient_least > GSVD_RANGE;
    const bool bad = most_a == GSVD_BAD || most_b == GSVD_BAD;
    page_a = most_a == GSVD_ZERO || bad ? 0 : most_a;
    page_b = most_b == GSVD_ZERO || bad ? 0 : most_b;
    const int x = a - page_a, y = b_exponent - page_b;
    int own = a != GSVD_ZERO ? x : y;
    if (a != GSVD_ZERO && b_exponent != GSVD_ZERO)
      own = max (min (own, y + apart), y - apart);
    if (part == 0)
      column[j] = bad || own < -5000 ? 0 : own;
    __syncthreads ();
    return bad ? p + 1 : empty ? (int)GLA_INFO_IRREGULAR : 0;
  }

  GLA_DEVICE void scale_columns (int page_a, int page_b)
  {
    if (j < p)
      for (int i = part; i < p; i += SHARES) {
        f[j * LD + i] = times_power (f[j * LD + i], -page_a - column[j]);
        b[j * LD + i] = times_power (b[j * LD + i], -page_b - column[j]);
      }
    __syncthreads ();
  }

  //----------------------------------------------------------------------------
  // B P = Q R. Columns stay where they are; place[k] is the one of step k
  //----------------------------------------------------------------------------

  // Applies step k to column j if `on`; c is the column of the reflector.
  GLA_DEVICE void reflect (int k, int c, const reflector<T> &h, bool on) const
  {
    T sum = from_real<T> (0);
    const int first = k + 1 + (part - k - 1 + 2 * P) % SHARES, end = on ? p : 0;
    const bool has_k = on && part == k % SHARES;
#pragma unroll 4
    for (int i = first; i < end; i += SHARES)
      sum = cmadd (b[c * LD + i], b[j * LD + i], sum);
    sum = conj (h.inverse) * sum;
    if (has_k)
      sum = sum + b[j * LD + k];
    sum = conj (h.tau) * over_shares<SHARES> (sum);
    if (has_k)
      b[j * LD + k] = b[j * LD + k] - sum;
    sum = from_real<T> (0) - h.inverse * sum;
#pragma unroll 4
    for (int i = first; i < end; i += SHARES)
      b[j * LD + i] = madd (sum, b[c * LD + i], b[j * LD + i]);
  }

  // Stores the squares of column j from row k on, and after it, in one of the two sets; -1 if it is
  // placed.
  GLA_DEVICE void measure (int k, bool placed, int set) const
  {
    double sum = 0, row = 0;
    const int end = placed ? 0 : p;
    for (int i = k + (part - k + 2 * P) % SHARES; i < end; i += SHARES) {
      const double square = abs2 (b[j * LD + i]);
      row = i == k ? square : row;
      sum += i == k ? 0 : square;
    }
    sum = over_shares<SHARES> (sum);
    row = over_shares<SHARES> (row);
    if (part == 0) {
      rest[set * P + j] = placed ? -1 : sum + row;
      below[set * P + j] = sum;
    }
  }

  // Returns the step in which column j was placed.
  GLA_DEVICE int factor () const
  {
    int step = j < p ? -1 : P;
    measure (0, step >= 0, 0);
    for (int k = 0; k < p; k++) {
      __syncthreads ();
      const int c = longest_of<P> (rest + k % 2 * P);
      const reflector<T> h (b[c * LD + k], below[k % 2 * P + c]);
      if (threadIdx.x == 0) {
        place[k] = c;
        beta[k] = h.beta;
        tau[k] = h.tau;
        inverse[k] = h.inverse;
      }
      step = j == c ? k : step;
      reflect (k, c, h, step < 0);
      measure (k + 1, step >= 0, 1 - k % 2);
    }
    __syncthreads ();
    return step;
  }

  // Whether column j, placed in that step, depends on those before it: r_jj is lost in its norm.
  // All threads return the same.
  GLA_DEVICE bool is_dependent (int step) const
  {
    double sum = 0;
    for (int i = part; i < (step < p ? step : 0); i += SHARES)
      sum += abs2 (b[j * LD + i]);
    sum = over_shares<SHARES> (sum);
    const double last = step < p ? fabs (beta[step]) : 1;
    return __syncthreads_or (step < p &&
                             !(last > 4 * p * DBL_EPSILON * sqrt (fma (last, last, sum))));
  }

  //----------------------------------------------------------------------------
  // F = A P R^-1
  //----------------------------------------------------------------------------

  // Thread `row` of share g has the columns at places g, g + SHARES, .. of its row; all shares read
  // the column that is final, so it is divided only after all are done.
  GLA_DEVICE void solve () const
  {
    const int row = threadIdx.x % P, g = threadIdx.x / P;
    for (int k = 0; k < p; k++) {
      const T x = scale (-1 / beta[k], f[place[k] * LD + row]);
#pragma unroll 2
      for (int c = k + 1 + (g - k - 1 + 2 * P) % SHARES; c < p; c += SHARES) {
        T &y = f[place[c] * LD + row];
        y = madd (b[place[c] * LD + k], x, y);
      }
      __syncthreads ();
    }
    for (int c = g; c < p; c += SHARES) {
      T &y = f[place[c] * LD + row];
      y = scale (1 / beta[c], y);
    }
    __syncthreads ();
  }

  // Returns the largest entry, the same in all threads.
  GLA_DEVICE double largest_of (const T *matrix) const
  {
    double x = 0;
    for (int i = part; i < p && j < p; i += SHARES)
      x = larger (x, absmax (matrix[j * LD + i]));
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2)
      x = larger (x, shuffle_xor (x, mask));
    if (threadIdx.x % 32 == 0)
      most[threadIdx.x / 32] = x;
    __syncthreads ();
    for (int w = 0; w < THREADS / 32; w++)
      x = larger (x, most[w]);
    return x;
  }

  //----------------------------------------------------------------------------
  // writing; columns in the order of their places
  //----------------------------------------------------------------------------

  GLA_DEVICE void store (T *to, int64_t ld, const T *from, int power) const
  {
    for (int w = threadIdx.x; w < P * P; w += THREADS) {
      const int i = w % P, k = w / P;
      if (i < p && k < p)
        to[k * ld + i] = times_power (from[place[k] * LD + i], -power);
    }
  }
  GLA_DEVICE void store_zeros (T *to, int64_t ld) const
  {
    for (int w = threadIdx.x; w < P * P; w += THREADS)
      if (w % P < p && w / P < p)
        to[w / P * ld + w % P] = from_real<T> (0);
  }
  // Stores R with the reflectors below its diagonal.
  GLA_DEVICE void store_factor (T *to, int64_t ld, T *to_tau, int *perm) const
  {
    for (int w = threadIdx.x; w < P * P; w += THREADS) {
      const int i = w % P, k = w / P;
      if (i >= p || k >= p)
        continue;
      const T x = b[place[k] * LD + i];
      to[k * ld + i] = i < k ? x : i == k ? from_real<T> (beta[k]) : x * inverse[k];
    }
    for (int k = threadIdx.x; k < p; k += THREADS) {
      to_tau[k] = tau[k];
      perm[k] = place[k];
    }
  }
};

// A block has a page.
template <class S, int P>
__global__ void __launch_bounds__ (small_shape<wide<S>, P>::THREADS)
    reduce_kernel (gsvd_small_reduction<S> a)
{
  typedef wide<S> T;
  extern __shared__ __align__ (16) unsigned char memory[];
  const int64_t page = blockIdx.x;
  const int p = a.p;
  reduction<T, P> r (memory, p);
  gsvd_state state = {};
  r.load (r.f, a.A.data + page * a.A.page, a.A.ld);
  r.load (r.b, a.B.data + page * a.B.page, a.B.ld);
  if (a.scaled)
    state = a.state[page];
  __syncthreads ();
  if (!a.scaled) {
    int page_a, page_b;
    state.info = r.choose_scaling (page_a, page_b);
    state.done = state.info != 0;
    if (threadIdx.x == 0) {
      a.scaling.page[2 * page] = page_a;
      a.scaling.page[2 * page + 1] = page_b;
    }
    if (threadIdx.x < p)
      a.scaling.column[page * p + threadIdx.x] = r.column[threadIdx.x];
    if (!state.done)
      r.scale_columns (page_a, page_b);
  }
  int power = 0;
  T *F = a.F.data + page * a.F.page;
  if (!state.done) {
    const int step = r.factor ();
    state.done = r.is_dependent (step);
  }
  if (!state.done) {
    r.store (a.F0.data + page * a.F0.page, a.F0.ld, r.f, 0);
    r.store_factor (a.R.data + page * a.R.page, a.R.ld, a.tau + page * p, a.perm + page * p);
    r.solve ();
    const double most = r.largest_of (r.f);
    state.done = !(most <= DBL_MAX);
    power = state.done || most < 0x1p400 ? 0 : ilogb (most) - 400;
  }
  if (!state.done)
    r.store (F, a.F.ld, r.f, power);
  else
    r.store_zeros (F, a.F.ld);
  if (threadIdx.x == 0) {
    state.info = state.done && state.info == 0 ? (int)GLA_INFO_IRREGULAR : state.info;
    a.level[page] = power;
    a.state[page] = state;
  }
}

} // namespace

template <class S>
cudaError_t gsvd_small_reduce (const gsvd_small_reduction<S> &a, int64_t pages, cudaStream_t stream)
{
  return with_small_size (a.p, [&] (auto size) {
    constexpr int P = decltype (size)::value;
    typedef reduction<wide<S>, P> work;
    static std::atomic<uint64_t> configured{0};
    cudaError_t error = allow_cluster (reduce_kernel<S, P>, work::bytes (), &configured);
    if (error != cudaSuccess)
      return error;
    reduce_kernel<S, P><<<(unsigned)pages, work::THREADS, work::bytes (), stream>>> (a);
    return cudaGetLastError ();
  });
}

// The other kernels need less.
size_t gsvd_small_shared (bool complex, int p)
{
  return with_small_size (p, [&] (auto size) {
    constexpr int P = decltype (size)::value;
    return complex ? reduction<cx<double>, P>::bytes () : reduction<double, P>::bytes ();
  });
}

template cudaError_t gsvd_small_reduce (const gsvd_small_reduction<float> &, int64_t, cudaStream_t);
template cudaError_t gsvd_small_reduce (const gsvd_small_reduction<double> &, int64_t,
                                        cudaStream_t);
template cudaError_t gsvd_small_reduce (const gsvd_small_reduction<cx<float>> &, int64_t,
                                        cudaStream_t);
template cudaError_t gsvd_small_reduce (const gsvd_small_reduction<cx<double>> &, int64_t,
                                        cudaStream_t);
