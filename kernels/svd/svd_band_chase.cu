// svd_band_chase.cu: from an upper band matrix to a bidiagonal one (LAPACK's ?gbbrd)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bulge chasing by rows and columns (Lang 1996). Sweep s removes all of row s except the first
// entry right of the diagonal by a reflector of the SVD_BAND columns from there on, which fills the
// block of these columns and rows. A reflector of the rows removes only the first column of that
// fill, and fills the block right of it; a reflector of columns removes the first row of that, and
// so on to the end. The next sweep treats the rest of the fill in the same way. So entries are at
// most SVD_BAND - 1 below the diagonal and 2*SVD_BAND - 1 above it. Called by svd_band.cu.

#include "common/work_limits.cuh"
#include "common/cluster.cuh"
#include "common/runtime.cuh"
#include "common/reflector.cuh"
#include "svd_band.cuh"

namespace
{

enum { B = SVD_BAND, LD = SVD_CHASE_LD, WARPS_MOST = 16, TASKS = 32 / B };

// Of a reflector, v and tau, and of the exchange buffer of a task: aligned to 16 bytes.
template <class T> constexpr int SLOT = B + 16 / (int)sizeof (T);

// What a block has. Columns and rows beyond n are 0 and stay so, so tasks at the end need no
// special case. Of two blocks the first has rows up to `half` and the tasks that begin there.
template <class T, int BLOCKS> struct chase_page {
  T *band[BLOCKS];    // entry (i, j) at i*LD + j-i + B-1
  T *vectors[BLOCKS]; // of every active sweep the last reflector of rows: v, then tau
  T *nothing;         // a reflector of zeros
  T *exchange;        // of this task: a number of each of its lanes
  int n, slots, half;
  GLA_DEVICE int owner (int i) const { return BLOCKS > 1 && i >= half ? BLOCKS - 1 : 0; }
  GLA_DEVICE T *at (int i, int j) const { return band[owner (i)] + i * LD + j - i + B - 1; }
  // for the task of sweep s at column c
  GLA_DEVICE T *reflector (int s, int c) const
  {
    return vectors[owner (c)] + (s & (slots - 1)) * SLOT<T>;
  }
};

// Tasks of sweep s, one for every block of columns.
GLA_DEVICE int tasks_of (int s, int n)
{
  return (n - 1 - s + B - 1) / B;
}

// The reflector that leaves of the task's lanes' x only the first; x becomes v.
template <class T> GLA_DEVICE householder<T> reflector_of_lanes (T &x)
{
  typedef real_t<T> R;
  const int lane = threadIdx.x % 32, i = lane % B;
  T alpha = from_lane (x, lane - i);
  R square = lane_sum<B> (i > 0 ? abs2 (x) : R (0)), up = 1;
  const bool small = small_column (alpha, square);
  if (__any_sync (0xffffffffu, small)) { // of this task or another
    up = small ? limits<R>::up : R (1);
    alpha = scale (up, alpha);
    square = lane_sum<B> (i > 0 ? abs2 (scale (up, x)) : R (0));
  }
  const householder<T> h = make_householder (alpha, square, up);
  x = i == 0 ? from_real<T> (1) : x * h.factor;
  return h;
}

// The same of numbers that each lane has.
template <class T> GLA_DEVICE householder<T> reflector_of_numbers (T (&x)[B])
{
  typedef real_t<T> R;
  const auto square_of = [&] (R up) {
    R square[2] = {0, 0};
#pragma unroll
    for (int j = 1; j < B; j++)
      square[j % 2] += abs2 (scale (up, x[j]));
    return square[0] + square[1];
  };
  R up = 1, square = square_of (up);
  T alpha = x[0];
  if (small_column (alpha, square)) {
    up = limits<R>::up;
    alpha = scale (up, alpha);
    square = square_of (up);
  }
  const householder<T> h = make_householder (alpha, square, up);
  x[0] = from_real<T> (1);
#pragma unroll
  for (int j = 1; j < B; j++)
    x[j] = x[j] * h.factor;
  return h;
}

// Exchange among the lanes of a task: all[j] := x of lane j.
template <class T, int BLOCKS>
GLA_DEVICE void all_lanes (const chase_page<T, BLOCKS> &p, T x, T (&all)[B])
{
  auto others = static_cast<const T *> (__builtin_assume_aligned (p.exchange, 16));
  __syncwarp (); // the last exchange has been read
  p.exchange[threadIdx.x % B] = x;
  __syncwarp ();
#pragma unroll
  for (int j = 0; j < B; j++)
    all[j] = others[j];
}

// What H', H = I - tau u u', adds to rows of a block: the lane's row gets u times taken[j].
template <class T, int BLOCKS>
GLA_DEVICE void from_left (const chase_page<T, BLOCKS> &p, T u, T tau, const T (&row)[B],
                           T (&taken)[B])
{
  T sums[B];
#pragma unroll
  for (int j = 0; j < B; j++)
    sums[j] = cmadd (u, row[j], from_real<T> (0));
  all_lanes (p, -(conj (tau) * group_sums (sums)), taken);
}

// The row times I - tau v v'.
template <class T> GLA_DEVICE void from_right (const T (&v)[B], T tau, T (&row)[B])
{
  T y[2] = {from_real<T> (0), from_real<T> (0)};
#pragma unroll
  for (int j = 0; j < B; j++)
    y[j % 2] = madd (row[j], v[j], y[j % 2]);
  const T factor = -(tau * (y[0] + y[1]));
#pragma unroll
  for (int j = 0; j < B; j++)
    row[j] = cmadd (v[j], factor, row[j]);
}

// Task t of sweep s, by B lanes, a row of each block to a lane. Its columns are c = s+1+B*t and the
// next ones. O are the B rows above row c: the previous task's reflector of rows is applied to
// them; their first row makes a reflector of the columns, which is applied to O and to D, the rows
// from c on; D's first column makes the next reflector of rows, which is applied to the rest of D.
// In task 0 O has row s alone. Work beyond the matrix is done on the zeros behind it and not
// stored: there are no branches.
template <class T, int BLOCKS>
GLA_DEVICE void chase (const chase_page<T, BLOCKS> &p, int s, int t, bool active, real_t<T> *d,
                       real_t<T> *e)
{
  typedef real_t<T> R;
  const int i = threadIdx.x % B, c = active ? s + 1 + B * t : p.n + B, top = t > 0 ? c - B : c - 1;
  T *reflector = p.reflector (s, c + B), o[B], v[B], taken[B]; // for the next task
  const T *old = active && t > 0 ? p.reflector (s, c) : p.nothing;
  T *const above = p.at (top + i, c), *const block = p.at (c + i, c), *const first = p.at (top, c);
#pragma unroll
  for (int j = 0; j < B; j++) {
    o[j] = above[j];
    v[j] = first[j];
  }
  const T u = old[i];
  from_left (p, u, old[B], o, taken);
#pragma unroll
  for (int j = 0; j < B; j++) {
    o[j] = madd (u, taken[j], o[j]);
    v[j] = conj (v[j] + taken[j] * old[0]);
  }
  const householder<T> right = reflector_of_numbers (v);
  from_right (v, right.tau, o);
  if (active && (t > 0 || i == 0)) {
#pragma unroll
    for (int j = 0; j < B; j++)
      above[j] = i > 0 ? o[j] : from_real<T> (j == 0 ? right.beta : R (0));
  }
#pragma unroll
  for (int j = 0; j < B; j++)
    o[j] = block[j];
  from_right (v, right.tau, o);
  T x = o[0];
  const householder<T> left = reflector_of_lanes (x);
  from_left (p, x, left.tau, o, taken);
  if (active) {
    block[0] = from_real<T> (i == 0 ? left.beta : R (0));
#pragma unroll
    for (int j = 1; j < B; j++)
      block[j] = madd (x, taken[j], o[j]);
    reflector[i] = x;
    if (i == 0)
      reflector[B] = left.tau;
    if (i == 0 && t == 0) {
      e[s] = fabs (right.beta);
      d[s + 1] = fabs (left.beta);
    }
  }
}

// Copies rows of the band, with space for the fill, to the memory in which they are reduced.
template <class T> GLA_DEVICE void load_band (const T *from, int n, int first, int rows, T *to)
{
#pragma unroll 4
  for (int q = threadIdx.x; q < rows * LD; q += blockDim.x) {
    const int i = first + q / LD, r = q % LD - (B - 1);
    T value = from_real<T> (0);
    if (r >= 0 && r <= B && i + r < n)
      value = from[i * (B + 1) + r];
    to[q] = value;
  }
}

// The active sweeps of step q, of which the tasks of later ones are at earlier columns: those of
// this block.
template <int BLOCKS> struct block_sweeps {
  int first, count;
  GLA_DEVICE block_sweeps (int n, int q, int active, int half, int rank)
      : first (active), count ((q / 2 < n - 2 ? q / 2 : n - 2) + 1 - active)
  {
    if constexpr (BLOCKS > 1) {
      const int over = B * q + 1 - half, end = first + count; // sweep s begins at B*q+1 - (2*B-1)*s
      const int split = min (max (over >= 0 ? over / (2 * B - 1) + 1 : 0, first), end);
      first = rank == 0 ? split : first;
      count = (rank == 0 ? end : split) - first;
    }
  }
};

enum chase_place { ALONE, PAIR, OUTSIDE };

// Rows of the band that a block has.
__host__ __device__ constexpr int rows_of_block (int n, chase_place place)
{
  return place == ALONE ? n + 2 * B : place == PAIR ? (n + 2 * B + 1) / 2 : 0;
}

// One block per page, its band in shared memory where it fits; else two, a cluster, each with half
// of the rows; without clusters one, and the band is in the place of A. In step q the task q - 2s
// of every active sweep s is done, B lanes to each; they touch different entries. A barrier ends
// the step, and there are about 2n of them.
template <class T, chase_place PLACE>
__global__ void __launch_bounds__ (32 * WARPS_MOST)
    chase_kernel (svd_band_args<T> a, real_t<T> *all_d, real_t<T> *all_e)
{
  constexpr int BLOCKS = PLACE == PAIR ? 2 : 1;
  extern __shared__ __align__ (16) unsigned char memory[];
  const svd_band_layout<T> layout = a.layout ();
  const int n = a.n, lane = threadIdx.x % 32, groups = blockDim.x / B;
  const int64_t page = blockIdx.x / BLOCKS;
  const int rank = (int)(blockIdx.x % BLOCKS);
  if (a.info[page] != 0)
    return;
  real_t<T> *d = all_d + page * n, *e = all_e + page * n;
  chase_page<T, BLOCKS> p;
  p.n = n;
  p.slots = slots_for<B> (n);
  p.half = rows_of_block (n, PAIR);
  T *shared = reinterpret_cast<T *> (memory), *vectors = shared + groups * SLOT<T>;
  p.exchange = shared + threadIdx.x / B * SLOT<T>;
  p.nothing = vectors + p.slots * SLOT<T>;
  T *band = PLACE == OUTSIDE ? a.page (page) + layout.page () : p.nothing + SLOT<T>;
#pragma unroll
  for (int k = 0; k < BLOCKS; k++) {
    p.vectors[k] = in_block (vectors, k, BLOCKS);
    p.band[k] = in_block (band, k, BLOCKS) - (int64_t)k * p.half * LD;
  }
  if (threadIdx.x < SLOT<T>)
    p.nothing[threadIdx.x] = from_real<T> (0);
  load_band (a.page (page) + layout.band (), n, rank * p.half,
             BLOCKS > 1 ? rows_of_block (n, PAIR) : n + 2 * B, band);
  cluster_barrier (BLOCKS);
  if (threadIdx.x == 0 && rank == 0)
    d[0] = fabs (re (*p.at (0, 0)));

  int active = 0; // the first active sweep
  for (int q = 0; q < 2 * n - 3; q++) {
    while (q - 2 * active >= tasks_of (active, n))
      active++;
    const block_sweeps<BLOCKS> sweeps (n, q, active, p.half, rank);
    for (int task = threadIdx.x / 32 * TASKS; task < sweeps.count; task += groups) {
      const int own = task + lane / B, s = sweeps.first + (own < sweeps.count ? own : 0);
      chase (p, s, q - 2 * s, own < sweeps.count, d, e);
    }
    cluster_barrier (BLOCKS);
  }
}

int warps_of (int n, chase_place place)
{
  const int sweeps = place == PAIR ? sweeps_at_once<B> (n) / 2 + 2 : sweeps_at_once<B> (n);
  const int wanted = (sweeps + TASKS - 1) / TASKS;
  return wanted < WARPS_MOST ? wanted : (int)WARPS_MOST;
}

template <class T> size_t chase_bytes (int n, chase_place place)
{
  const int others = (warps_of (n, place) * TASKS + slots_for<B> (n) + 1) * SLOT<T>;
  return (size_t)(others + rows_of_block (n, place) * LD) * sizeof (T);
}

template <class T, chase_place PLACE>
cudaError_t launch (const svd_band_args<T> &a, real_t<T> *d, real_t<T> *e)
{
  const size_t bytes = chase_bytes<T> (a.n, PLACE);
  const cudaError_t status = allow_shared (chase_kernel<T, PLACE>, bytes);
  if (status != cudaSuccess)
    return status;
  cluster_launch way (a.pages, PLACE == PAIR ? 2 : 1, 32 * warps_of (a.n, PLACE), bytes, a.stream);
  return cudaLaunchKernelEx (&way.config, chase_kernel<T, PLACE>, a, d, e);
}

} // namespace

template <class T>
cudaError_t svd_band_chase (const svd_band_args<T> &a, real_t<T> *d, real_t<T> *e, int smem_limit)
{
  const auto fits = [&] (chase_place place) {
    return chase_bytes<T> (a.n, place) <= (size_t)smem_limit;
  };
  if (fits (ALONE))
    return launch<T, ALONE> (a, d, e);
  return clusters_work () && fits (PAIR) ? launch<T, PAIR> (a, d, e) : launch<T, OUTSIDE> (a, d, e);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t svd_band_chase (const svd_band_args<T> &, real_t<T> *, real_t<T> *, int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
