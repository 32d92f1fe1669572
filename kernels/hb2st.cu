// hb2st.cu: from a band matrix to a tridiagonal one (LAPACK's ?hetrd_hb2st), eigenvalues only
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bulge chasing by columns (Murata, Horikoshi 1975; Lang 1993): sweep s brings column s to
// tridiagonal form with a reflector of BAND rows, which fills the block below the diagonal block of
// these rows; of that fill only the first column is taken away, by the next reflector BAND rows
// further down, and so on to the end. What is left of the fill is where the next sweep finds it and
// does the same, so that entries never lie more than 2*BAND - 1 below the diagonal.

#include "hetrd.cuh"
#include "hetrd_band.cuh"

namespace
{

// Entries of a column of the band with its fill; warps of a block at most; lanes of a task.
enum { LD = 2 * BAND, WARPS_MOST = 16, TASKS = 32 / BAND };

// What a block has for one page. Columns and rows beyond n are 0 and stay so: tasks at the end need
// no care.
template <class T> struct chase_page {
  T *band;    // entry (i, j) at j*LD + i-j
  T *vectors; // of every sweep that is under way: v, then tau
  T *nothing; // a reflector of zeros
  T *told;    // of this task: BAND numbers that its lanes tell each other
  int idle;   // where tasks without work read: columns of zeros that no task stores to
  int slots;  // a power of two
  GLA_DEVICE T *reflector (int s) const { return vectors + (s & (slots - 1)) * (BAND + 1); }
};

// Sweeps that are under way at once, at most: each is two tasks behind the one before it.
__host__ __device__ constexpr int sweeps_at_once (int n)
{
  return n / (2 * BAND) + 2;
}

__host__ __device__ constexpr int slots_for (int n)
{
  int slots = 1;
  while (slots < sweeps_at_once (n))
    slots *= 2;
  return slots;
}

// Tasks of sweep s: one that only makes its first reflector, then one for every block of rows.
GLA_DEVICE int tasks_of (int s, int n)
{
  return 1 + (n - 1 - s + BAND - 1) / BAND;
}

// The reflector that leaves of the BAND lanes' x only the first; x becomes v.
template <class T> GLA_DEVICE householder<T> reflector_of (T &x)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, i = lane % BAND;
  T alpha = from_lane (x, lane - i);
  R square = lane_sum<BAND> (i > 0 ? abs2 (x) : R (0)), up = 1;
  bool small = small_column (alpha, square);
  if (__any_sync (0xffffffffu, small)) { // of this task or another
    up = small ? limits<R>::up : R (1);
    alpha = scale (up, alpha);
    square = lane_sum<BAND> (i > 0 ? abs2 (scale (up, x)) : R (0));
  }
  householder<T> h = make_householder (alpha, square, up);
  x = i == 0 ? from_real<T> (1) : x * h.factor;
  return h;
}

// A row of a block of the band times v; b gets the row. `at` is the lane's entry of the first
// column.
template <class T> GLA_DEVICE T times_row (const T *at, const T (&v)[BAND], T (&b)[BAND])
{
  T y[2] = {from_real<T> (0), from_real<T> (0)};
#pragma unroll
  for (int j = 0; j < BAND; j++) {
    b[j] = at[j * (LD - 1)];
    y[j % 2] = madd (b[j], v[j], y[j % 2]);
  }
  return y[0] + y[1];
}

// The same for the diagonal block of rows r0 and on, of which the lower triangle is there.
template <class T> GLA_DEVICE T times_hermitian (const T *band, int r0, const T (&v)[BAND])
{
  int i = threadIdx.x % BAND;
  T y[2] = {from_real<T> (0), from_real<T> (0)};
#pragma unroll
  for (int j = 0; j < BAND; j++) {
    T d = band[j <= i ? (r0 + j) * LD + i - j : (r0 + i) * LD + j - i];
    y[j % 2] = madd (j <= i ? d : conj (d), v[j], y[j % 2]);
  }
  return y[0] + y[1];
}

// What the lanes of a task tell each other: every lane's x, in all of them.
template <class T> GLA_DEVICE void tell (const chase_page<T> &p, T x, T (&all)[BAND])
{
  __syncwarp (); // what was told before has been read
  p.told[threadIdx.x % BAND] = x;
  __syncwarp ();
#pragma unroll
  for (int j = 0; j < BAND; j++)
    all[j] = p.told[j];
}

// Task t of sweep s, by BAND lanes, a row of each block to a lane. The reflector of rows s+1+BAND*t
// and on is applied to their diagonal block D from both sides, D - v w' - w v', and to the block B
// below it from the right; the first column of B makes the next reflector, which is applied to B
// from the left. Task -1 does the last part only, with column s. What is not there to be done is
// done to the zeros behind the matrix, or with a reflector of zeros, and not stored: no branches.
template <class T>
GLA_DEVICE void chase (const chase_page<T> &p, int s, int t, bool active, real_t<T> *e)
{
  typedef real_t<T> R;
  bool whole = active && t >= 0;
  int i = threadIdx.x % BAND, r0 = whole ? s + 1 + BAND * t : p.idle;
  T *reflector = p.reflector (s), v[BAND];
  const T *old = whole ? reflector : p.nothing;
#pragma unroll
  for (int j = 0; j < BAND; j++)
    v[j] = old[j];
  T own = old[i], tau = old[BAND], b[BAND];
  T *block = p.band + (active && t < 0 ? s * LD + 1 : r0 * LD + BAND) + i;
  T y = -(tau * times_row (block, v, b));
#pragma unroll
  for (int j = 0; j < BAND; j++)
    b[j] = cmadd (v[j], y, b[j]);

  y = times_hermitian (p.band, r0, v);
  R form = lane_sum<BAND> (re (conj (own) * y)) * abs2 (tau) / 2;
  T w = scale (form, own) - tau * y, told[BAND], *diagonal = p.band + r0 * LD + i; // -w
  tell (p, w, told);
#pragma unroll
  for (int j = 0; j < BAND; j++) {
    T *entry = diagonal + (j <= i ? j : i) * (LD - 1); // above the diagonal, one of the lane's own
    T d = cmadd (told[j], own, cmadd (v[j], w, *entry));
    if (whole && j <= i)
      *entry = j == i ? from_real<T> (re (d)) : d;
  }

  T x = b[0], sums[BAND];
  householder<T> h = reflector_of (x);
#pragma unroll
  for (int j = 0; j < BAND; j++)
    sums[j] = cmadd (x, b[j], from_real<T> (0));
  tell (p, -(conj (h.tau) * group_sums (sums)), told);
  if (active) {
    reflector[i] = x;
    block[0] = from_real<T> (i == 0 ? h.beta : R (0));
    if (i == 0)
      reflector[BAND] = h.tau;
    if (i == 0 && t < 0)
      e[s] = h.beta;
  }
#pragma unroll
  for (int j = 1; j < BAND; j++) {
    T entry = madd (x, told[j], b[j]);
    if (whole)
      block[j * (LD - 1)] = entry;
  }
}

// One block per page, the band in shared memory where it fits. In step q the task q - 1 - 2s of
// every sweep s that is under way is done, BAND lanes to each; they touch different entries. A
// barrier ends the step, and there are about 2n of them.
template <class T, bool SHARED>
__global__ void __launch_bounds__ (32 * WARPS_MOST) hb2st_kernel (eig_args<T> a, int64_t scratch)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  int n = a.n, lane = threadIdx.x % 32, groups = blockDim.x / BAND;
  int64_t page = blockIdx.x;
  R *d = a.d + page * n, *e = a.e + page * n;
  if (a.info[page] != 0) { // a page that cannot be solved; what follows finds zeros
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      d[i] = e[i] = 0;
    return;
  }
  chase_page<T> p;
  p.idle = n + BAND;
  p.slots = slots_for (n);
  p.vectors = reinterpret_cast<T *> (memory);
  p.nothing = p.vectors + p.slots * (BAND + 1);
  p.told = p.nothing + BAND + 1;
  p.band = SHARED ? p.told + blockDim.x : a.panel + page * scratch;
  p.told += threadIdx.x / BAND * BAND;
  if (threadIdx.x <= BAND)
    p.nothing[threadIdx.x] = from_real<T> (0);
  const T *from = a.band + page * (BAND + 1) * n;
  for (int q = threadIdx.x; q < (n + 2 * BAND) * LD; q += blockDim.x) {
    int j = q / LD, r = q % LD;
    p.band[q] = j < n && r <= BAND ? from[j * (BAND + 1) + r] : from_real<T> (0);
  }
  __syncthreads ();

  int first = 0; // the first sweep that is under way
  for (int q = 0; q < 2 * n - 2; q++) {
    while (q - 2 * first >= tasks_of (first, n))
      first++;
    for (int k = first + threadIdx.x / 32 * TASKS; 2 * k <= q && k < n - 1; k += groups) {
      int s = k + lane / BAND;
      bool active = 2 * s <= q && s < n - 1;
      s = active ? s : k;
      chase (p, s, q - 1 - 2 * s, active, e);
    }
    __syncthreads ();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    d[i] = re (p.band[i * LD]);
    if (i == n - 1)
      e[i] = 0;
  }
}

// Bytes of shared memory but for the band, and of the band.
template <class T> size_t chase_bytes (int n, int warps)
{
  return ((slots_for (n) + 1) * (BAND + 1) + 32 * warps) * sizeof (T);
}
template <class T> size_t band_bytes (int n)
{
  return (size_t)(n + 2 * BAND) * LD * sizeof (T);
}

} // namespace

template <class T> cudaError_t eig_hb2st (const eig_args<T> &a)
{
  int warps = (sweeps_at_once (a.n) + TASKS - 1) / TASKS;
  warps = warps < WARPS_MOST ? warps : WARPS_MOST;
  size_t bytes = chase_bytes<T> (a.n, warps);
  bool shared = bytes + band_bytes<T> (a.n) <= (size_t)a.smem_limit;
  auto kernel = shared ? hb2st_kernel<T, true> : hb2st_kernel<T, false>;
  bytes += shared ? band_bytes<T> (a.n) : 0;
  cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  kernel<<<(unsigned)a.pages, 32 * warps, bytes, a.stream>>> (a, eig_he2hb_scratch<T> (a.n));
  return cudaGetLastError ();
}

template cudaError_t eig_hb2st (const eig_args<float> &);
template cudaError_t eig_hb2st (const eig_args<double> &);
template cudaError_t eig_hb2st (const eig_args<cx<float>> &);
template cudaError_t eig_hb2st (const eig_args<cx<double>> &);
