// svd_bisect.cu: singular values of bidiagonal matrices by bisection
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The number of singular values of a bidiagonal B below s is the number of negative pivots of B'*B
// - s^2*I = L*D*L', which are computed without B'*B (Fernando 1998), or, in double precision, as
// svd_sturm.cuh says; each value has the relative accuracy of the entries of B. A thread has a
// value, and a block values of a page. All begin with the same interval and halve it down to an eps
// of the largest one: so the order of the values is right, and a value has the same bits whatever
// others are wanted. The threads share the counts of the first halvings. If values are few, several
// threads have one. Called by svd_chunk.cu.

#include "common/quick_reciprocal.cuh"
#include "svd_sturm.cuh"
#include "svd.cuh"

namespace
{

enum { BISECT_THREADS = 512 };

// Squares of the entries of B, of row i: d^2 and e^2.
struct alignas (8) float_row {
  float d, e;
};

// Halvings of the interval from 0 to 1, and what stands in shared memory of a row of B.
template <class R> struct bisection;
template <> struct bisection<float> {
  typedef float_row row;
  static constexpr int halvings = 25;
  GLA_DEVICE static row row_of (float d, float e) { return {d * d, e * e}; }
};
template <> struct bisection<double> {
  typedef sturm_row row;
  static constexpr int halvings = 54;
  GLA_DEVICE static row row_of (double d, double e) { return sturm_row_of (d, e); }
};
template <class R> using row_of_squares = typename bisection<R>::row;

// Singular values below s.
GLA_DEVICE int values_below (const sturm_row *b, int n, double s)
{
  return sturm_below (b, n, s);
}
GLA_DEVICE int values_below (const float_row *b, int n, float s)
{
  constexpr float least = 1e-30f; // pivot
  const float shift = -s * s;
  float t = shift;
  int below = 0;
#pragma unroll 4
  for (int i = 0; i < n; i++) { // e of the last row is 0
    float pivot = b[i].d + t;
    pivot = fabsf (pivot) < least ? -least : pivot;
    below += pivot < 0;
    t = madd (t * b[i].e, quick_reciprocal (pivot), shift);
  }
  return below;
}

// B by a power of two, so that no value is above 1, to shared memory; returns the exponent. All
// entries are 0 where it is INT_MIN.
template <class T>
GLA_DEVICE int load_squares (const svd_values_args<T> &v, row_of_squares<real_t<T>> *b,
                             double *work)
{
  typedef real_t<T> R;
  const int n = v.a.columns;
  const R *d = v.d + (int64_t)blockIdx.x * n, *e = v.e + (int64_t)blockIdx.x * n;
  double most = 0; // of the sums of rows and columns
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const double right = i < n - 1 ? (double)e[i] : 0, above = i > 0 ? (double)e[i - 1] : 0;
    most = fmax (most, (double)d[i] + fmax (right, above));
  }
  for (int mask = 16; mask > 0; mask /= 2)
    most = fmax (most, shuffle_xor (most, mask));
  if (threadIdx.x % 32 == 0)
    work[threadIdx.x / 32] = most;
  __syncthreads ();
  for (int w = 0; w < (int)blockDim.x / 32; w++)
    most = fmax (most, work[w]);
  const int exponent = most > 0 ? ilogb (most) + 1 : INT_MIN;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const R diagonal = most > 0 ? times_power (d[i], -exponent) : R (0),
            right = most > 0 && i < n - 1 ? times_power (e[i], -exponent) : R (0);
    b[i] = bisection<R>::row_of (diagonal, right);
  }
  if constexpr (sizeof (R) == 8)
    for (int i = n + threadIdx.x; i < sturm_count (n); i += blockDim.x)
      b[i] = sturm_nothing;
  __syncthreads ();
  return exponent;
}

// Where value j is.
template <class R> struct interval {
  R low, high;
  GLA_DEVICE R middle () const { return R (0.5) * (low + high); }
  GLA_DEVICE void halve (int below, int n, int j)
  {
    const R here = middle ();
    if (below > n - 1 - j)
      high = here;
    else
      low = here;
  }
};

// LANES threads have a value. With several, those from the second on count at the middles that the
// next halvings may need: thread l that of node l of a tree, whose root is 1 and whose node t has
// 2*t and 2*t+1 below it. So the bits are those of one thread.
template <int LANES, class R>
GLA_DEVICE interval<R> bisected (const row_of_squares<R> *b, int n, int j, interval<R> of,
                                 int known)
{
  const int lane = threadIdx.x % 32, first = lane / LANES * LANES, node = lane % LANES;
  int k = known;
  while (k < bisection<R>::halvings) {
    if constexpr (LANES == 1) {
      of.halve (values_below (b, n, of.middle ()), n, j);
      k++;
    } else {
      interval<R> mine = of;
      const int depth = 31 - __clz (node > 0 ? node : 1);
      for (int level = depth - 1; level >= 0; level--)
        (node >> level & 1 ? mine.low : mine.high) = mine.middle ();
      const int here = values_below (b, n, mine.middle ());
      for (int at = 1; at < LANES && k < bisection<R>::halvings; k++) {
        const int below = __shfl_sync (0xffffffffu, here, first + at);
        of.halve (below, n, j);
        at = 2 * at + (below <= n - 1 - j);
      }
    }
  }
  return of;
}

// Block (x, y) has values of page x, from those of block y on.
template <class T, int LANES>
__global__ void __launch_bounds__ (BISECT_THREADS) bisect_kernel (svd_values_args<T> v)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ double work[BISECT_THREADS / 32];
  __shared__ int below[BISECT_THREADS];
  row_of_squares<R> *b = reinterpret_cast<row_of_squares<R> *> (memory);
  const int n = v.a.columns, most = (int)blockDim.x / LANES;
  const int64_t page = blockIdx.x;
  R *S = v.a.S + page * v.a.page_s;
  if (v.a.info[page] != 0) {
    for (int j = threadIdx.x; j < v.a.values && blockIdx.y == 0; j += blockDim.x)
      S[j * v.a.row_s] = R (NAN);
    return;
  }
  const int exponent = load_squares (v, b, work);
  const int points = 1 << (31 - __clz ((int)blockDim.x)); // of which a thread takes one
  if ((int)threadIdx.x < points)
    below[threadIdx.x] = values_below (b, n, (R)threadIdx.x / (R)points);
  __syncthreads ();
  for (int first = (int)blockIdx.y * most; first < v.a.values; first += most * (int)gridDim.y) {
    const int at = first + (int)threadIdx.x / LANES, j = at < v.a.values ? at : v.a.values - 1;
    interval<R> of = {0, 1};
    int k = 0;
    for (; k < bisection<R>::halvings && points >> k > 1; k++)
      of.halve (below[(int)(of.middle () * (R)points)], n, j);
    of = bisected<LANES> (b, n, j, of, k);
    const double s = (double)of.low + ((double)of.high - (double)of.low) / 2;
    if (at < v.a.values && threadIdx.x % LANES == 0)
      S[j * v.a.row_s] = exponent == INT_MIN ? R (0) : (R)times_power (s, exponent + v.scale[page]);
  }
}

// Few values leave most of the GPU idle, and each takes as long as all.
enum { FEW_VALUES = 8192, SOME_VALUES = 4 * FEW_VALUES, FEW_THREADS = 128 };

template <int LANES, class T> cudaError_t launch (const svd_values_args<T> &v, int threads)
{
  const size_t bytes = (size_t)sturm_count (v.a.columns) * sizeof (row_of_squares<real_t<T>>);
  const int values = threads / LANES;
  const dim3 grid ((unsigned)v.a.pages, (unsigned)((v.a.values + values - 1) / values));
  bisect_kernel<T, LANES><<<grid, threads, bytes, v.stream>>> (v);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t svd_bisect (const svd_values_args<T> &v)
{
  if (v.a.pages * v.a.values <= FEW_VALUES)
    return launch<8> (v, FEW_THREADS);
  if (v.a.pages * v.a.values <= SOME_VALUES)
    return launch<4> (v, FEW_THREADS);
  return launch<1> (v, v.a.values < BISECT_THREADS ? (v.a.values + 31) / 32 * 32 : BISECT_THREADS);
}

template cudaError_t svd_bisect (const svd_values_args<float> &);
template cudaError_t svd_bisect (const svd_values_args<double> &);
template cudaError_t svd_bisect (const svd_values_args<cx<float>> &);
template cudaError_t svd_bisect (const svd_values_args<cx<double>> &);
