// large_chase.cu: from the band of a large page to a tridiagonal matrix, by many blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The order is that of hb2st.cu: sweep s brings column s to tridiagonal form with a reflector of
// LARGE_BAND rows, and task t of it applies the reflector of rows s+1+LARGE_BAND*t and on to their
// diagonal block from both sides and to the block below from the right, whose first column makes
// the next reflector.

#include "hetrd.cuh"
#include "large.cuh"

namespace
{

// A block has 8 warps; each has EACH columns of the two blocks of a task, 8 apart.
enum { B = LARGE_BAND, LD = LARGE_LD, WARPS = 8, EACH = B / WARPS };

template <class T> struct chase_args {
  int n, first, last; // sweeps
  T *band;
  real_t<T> *e;
  int *progress;
  wide<T> *diamonds; // NULL: reflectors are not kept
  T *taus;
};

// What the warps of a block tell each other in a task.
template <class T> struct chase_memory {
  T below[WARPS][B];    // the block below times v, by warps
  T diagonal[WARPS][B]; // the diagonal block times v, of the entries at and below the diagonal
  T across[B];          // of those above it
  T first[B];           // the first column of the block below
};

// Reflector t of sweep s, by a warp, a row to a lane.
template <class T> GLA_DEVICE void keep (const chase_args<T> &c, int s, int t, T v, T tau)
{
  if (c.diamonds == nullptr)
    return;
  diamond_list list (c.n);
  int lane = threadIdx.x % 32, column = s % B;
  int64_t index = list.index (s / B, t);
  c.diamonds[index * DIAMOND_NUMBERS + diamond_place (column + lane, column)] = widen (v);
  if (lane == 0)
    c.taus[index * B + column] = tau;
}

// The reflector that leaves of the warp's x only the first; x becomes v.
template <class T> GLA_DEVICE householder<T> warp_reflector (T &x)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32;
  T alpha = from_lane (x, 0);
  R square = lane_sum<32> (lane > 0 ? abs2 (x) : R (0)), up = 1;
  if (small_column (alpha, square)) { // the same in all lanes
    up = limits<R>::up;
    alpha = scale (up, alpha);
    square = lane_sum<32> (lane > 0 ? abs2 (scale (up, x)) : R (0));
  }
  householder<T> h = make_householder (alpha, square, up);
  x = lane == 0 ? from_real<T> (1) : x * h.factor;
  return h;
}

// Thread 0 waits until sweep s - 1 has done so many tasks, and with it the block.
template <class T> GLA_DEVICE void wait_for (const chase_args<T> &c, int s, int tasks)
{
  if (threadIdx.x == 0 && s > 0)
    while (flag_value (c.progress + s - 1) < tasks)
      ;
  __syncthreads ();
}

template <class T> GLA_DEVICE void done (const chase_args<T> &c, int s, int tasks)
{
  __syncthreads ();
  if (threadIdx.x == 0)
    raise_flag (c.progress + s, tasks);
}

// The first task: the reflector of column s.
template <class T> GLA_DEVICE householder<T> start (const chase_args<T> &c, int s, T &v)
{
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T *column = c.band + (int64_t)s * LD + 1;
  wait_for (c, s, 2);
  v = shared_load (column + lane);
  __syncthreads (); // before warp 0 stores
  householder<T> h = warp_reflector (v);
  if (warp == 0) {
    shared_store (column + lane, from_real<T> (lane == 0 ? h.beta : real_t<T> (0)));
    keep (c, s, 0, v, h.tau);
    if (lane == 0)
      c.e[s] = h.beta;
  }
  return h;
}

// A task: rows r0 and on, by the reflector (v, tau), which becomes the next one. Lane i of each
// warp has row i of the warp's columns.
template <class T> GLA_DEVICE void chase (T *band, chase_memory<T> &m, T &v, T &tau)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T D[EACH], A[EACH], vj[EACH], sums[EACH];
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    int j = warp + WARPS * k;
    const T *column = band + j * LD;
    D[k] = lane >= j ? shared_load (column + lane - j) : from_real<T> (0);
    A[k] = shared_load (column + B - j + lane);
  }
  T below = from_real<T> (0), diagonal = from_real<T> (0);
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    int j = warp + WARPS * k;
    vj[k] = from_lane (v, j);
    below = madd (A[k], vj[k], below);
    diagonal = madd (D[k], vj[k], diagonal);
    sums[k] = lane > j ? conj (D[k]) * v : from_real<T> (0);
  }
  T sum = lane_sums<EACH> (sums);
  m.below[warp][lane] = below;
  m.diagonal[warp][lane] = diagonal;
  if (lane < EACH)
    m.across[warp + WARPS * lane] = sum;
  if (warp == 0)
    m.first[lane] = A[0];
  __syncthreads ();
  below = from_real<T> (0);
  diagonal = m.across[lane];
#pragma unroll
  for (int w = 0; w < WARPS; w++) {
    below = below + m.below[w][lane];
    diagonal = diagonal + m.diagonal[w][lane];
  }
  T y = tau * below, x = m.first[lane] - y; // v begins with 1
  R form = lane_sum<32> (re (conj (v) * diagonal)) * abs2 (tau) / 2;
  T w = scale (form, v) - tau * diagonal; // -w
  householder<T> h = warp_reflector (x);
#pragma unroll
  for (int k = 0; k < EACH; k++)
    sums[k] = conj (x) * A[k];
  sum = lane_sums<EACH> (sums);
  T shift = lane_sum<32> (conj (x) * y), factor = conj (h.tau) * x;
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    int j = warp + WARPS * k;
    T vc = conj (vj[k]), wc = conj (from_lane (w, j)), s = from_lane (sum, k) - shift * vc;
    T *column = band + j * LD;
    T entry = A[k] - y * vc - factor * s;
    if (j == 0)
      entry = from_real<T> (lane == 0 ? h.beta : R (0));
    shared_store (column + B - j + lane, entry);
    entry = madd (wc, v, madd (vc, w, D[k]));
    if (lane >= j)
      shared_store (column + lane - j, lane == j ? from_real<T> (re (entry)) : entry);
  }
  v = x;
  tau = h.tau;
}

// A block follows a sweep from its first task to the last one, two tasks behind the sweep before,
// and then takes the next sweep that no other block has. All blocks are on the GPU at the same
// time. The band is read and written past the first cache; it is in the second one.
template <class T>
__global__ void __launch_bounds__ (32 * WARPS) large_chase_kernel (chase_args<T> c)
{
  __shared__ __align__ (16) unsigned char memory[sizeof (chase_memory<T>)];
  chase_memory<T> &m = *reinterpret_cast<chase_memory<T> *> (memory);
  for (int s = c.first + blockIdx.x; s < c.last; s += gridDim.x) {
    T v;
    T tau = start (c, s, v).tau;
    done (c, s, 1);
    int reflectors = (c.n - 1 - s + B - 1) / B;
    for (int t = 0; t < reflectors; t++) {
      int64_t row = s + 1 + (int64_t)B * t;
      wait_for (c, s, t + 3);
      chase (c.band + row * LD, m, v, tau);
      if (threadIdx.x < 32 && t + 1 < reflectors)
        keep (c, s, t + 1, v, tau);
      done (c, s, t + 1 == reflectors ? INT_MAX : t + 2);
    }
  }
}

template <class T>
__global__ void diagonal_kernel (const T *band, real_t<T> *d, real_t<T> *e, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    d[i] = re (band[(int64_t)i * LD]);
  if (i == n - 1)
    e[i] = 0;
}

} // namespace

template <class T> cudaError_t large_chase (const large_page<T> &a, int first, int last)
{
  int each = 0;
  cudaError_t status =
      cudaOccupancyMaxActiveBlocksPerMultiprocessor (&each, large_chase_kernel<T>, 32 * WARPS, 0);
  if (status != cudaSuccess)
    return status;
  // as many as can be at work: each sweep is two tasks behind the one before
  int together = a.n / (2 * B) + 2, blocks = each * a.multiprocessors;
  blocks = blocks < together ? blocks : together;
  blocks = blocks < last - first ? blocks : last - first;
  chase_args<T> c = {
      a.n, first, last, a.work.band, a.e, a.work.progress, a.work.diamonds, a.work.diamond_taus};
  return launch_together (large_chase_kernel<T>, blocks, 32 * WARPS, 0, a.stream, c);
}

template <class T> cudaError_t large_diagonal (const large_page<T> &a)
{
  diagonal_kernel<T>
      <<<(unsigned)((a.n + 255) / 256), 256, 0, a.stream>>> (a.work.band, a.d, a.e, a.n);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t large_chase (const large_page<T> &, int, int);                              \
  template cudaError_t large_diagonal (const large_page<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
