// svd_bisect.cu: singular values of bidiagonal matrices by bisection
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How many singular values of a bidiagonal B are below s says the number of negative pivots of
// B'*B - s^2*I = L*D*L', which are found without B'*B (Fernando 1998), each to the relative
// accuracy of the entries of B. A thread has a value, a block a page. All values begin with the
// same interval and halve it, until it is an eps of the largest one: so the order of the values is
// right, and a value has the same bits whatever others are wanted. What the first halvings want to
// know, the threads find out together.

#include "common/quick_reciprocal.cuh"
#include "svd_values.cuh"

namespace
{

enum { BISECT_THREADS = 512 };

// Halvings of the interval from 0 to 1, and the least pivot.
template <class R> struct bisection;
template <> struct bisection<float> {
  static constexpr int halvings = 25;
  static constexpr float least = 1e-30f;
};
template <> struct bisection<double> {
  static constexpr int halvings = 54;
  static constexpr double least = 1e-290;
};

// Squares of the entries of B, of row i: d^2 and e^2.
template <class R> struct alignas (2 * sizeof (R)) squares {
  R d, e;
};

// Singular values below s.
template <class R> GLA_DEVICE int values_below (const squares<R> *b, int n, R s)
{
  constexpr R least = bisection<R>::least;
  const R shift = -s * s;
  R t = shift;
  int below = 0;
#pragma unroll 4
  for (int i = 0; i < n; i++) { // e of the last row is 0
    R pivot = b[i].d + t;
    pivot = fabs (pivot) < least ? -least : pivot;
    below += pivot < 0;
    t = madd (t * b[i].e, quick_reciprocal (pivot), shift);
  }
  return below;
}

// B by a power of two, so that no value is above 1, to shared memory; returns the exponent. All
// entries are 0 where it is INT_MIN.
template <class T>
GLA_DEVICE int load_squares (const svd_values_args<T> &v, squares<real_t<T>> *b, double *work)
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
    b[i] = {diagonal * diagonal, right * right};
  }
  __syncthreads ();
  return exponent;
}

template <class T>
__global__ void __launch_bounds__ (BISECT_THREADS) bisect_kernel (svd_values_args<T> v)
{
  typedef real_t<T> R;
  __shared__ squares<R> b[SVD_VALUES_MOST];
  __shared__ double work[BISECT_THREADS / 32];
  __shared__ int below[BISECT_THREADS];
  const int n = v.a.columns;
  const int64_t page = blockIdx.x;
  R *S = v.a.S + page * v.a.page_s;
  if (v.a.info[page] != 0) {
    for (int j = threadIdx.x; j < v.a.values; j += blockDim.x)
      S[j * v.a.row_s] = R (NAN);
    return;
  }
  const int exponent = load_squares (v, b, work);
  const int points = 1 << (31 - __clz ((int)blockDim.x)); // of which a thread takes one
  if ((int)threadIdx.x < points)
    below[threadIdx.x] = values_below (b, n, (R)threadIdx.x / (R)points);
  __syncthreads ();
  for (int j = threadIdx.x; j < v.a.values; j += blockDim.x) {
    R low = 0, high = 1;
    for (int k = 0; k < bisection<R>::halvings; k++) {
      const R middle = R (0.5) * (low + high);
      const int here =
          points >> k > 1 ? below[(int)(middle * (R)points)] : values_below (b, n, middle);
      if (here > n - 1 - j)
        high = middle;
      else
        low = middle;
    }
    const double s = (double)low + ((double)high - (double)low) / 2;
    S[j * v.a.row_s] = exponent == INT_MIN ? R (0) : (R)times_power (s, exponent + v.scale[page]);
  }
}

} // namespace

template <class T> cudaError_t svd_bisect (const svd_values_args<T> &v)
{
  const int threads = v.a.values < BISECT_THREADS ? (v.a.values + 31) / 32 * 32 : BISECT_THREADS;
  bisect_kernel<<<(unsigned)v.a.pages, threads, 0, v.stream>>> (v);
  return cudaGetLastError ();
}

template cudaError_t svd_bisect (const svd_values_args<float> &);
template cudaError_t svd_bisect (const svd_values_args<double> &);
template cudaError_t svd_bisect (const svd_values_args<cx<float>> &);
template cudaError_t svd_bisect (const svd_values_args<cx<double>> &);
