// hb2st.cu: from a band matrix to a tridiagonal one (LAPACK's ?hetrd_hb2st)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bulge chasing by columns (Murata, Horikoshi 1975; Lang 1993). Sweep s brings column s to
// tridiagonal form with a reflector of EIG_BANDWIDTH rows, which fills the block below the diagonal
// block of these rows. The next reflector, EIG_BANDWIDTH rows further down, removes only the first
// column of that fill, and so on to the end. The next sweep treats the rest of the fill in the same
// way, so entries are never more than 2*EIG_BANDWIDTH - 1 below the diagonal. Called by
// eig_methods.cu.

#include "common/work_limits.cuh"
#include "hetrd.cuh"
#include "eig_kernels.cuh"

namespace
{

// Warps of a block at most; tasks of a warp.
enum { WARPS_MOST = 16, TASKS = 32 / EIG_BANDWIDTH };

// The compile-time properties of a block: type, pages, whether the bands are in shared memory, and
// the rows of a column of the band with its fill. Lanes of a warp use different banks: the strides
// between pages, or else between tasks of a page, are chosen so.
template <class S, int PAGES_, bool SHARED_> struct chase_shape {
  typedef S T;
  // Elements of a reflector, v and tau, and of the exchange buffer of a task. Both are aligned to
  // 16 bytes, so that they are read by vector loads.
  enum { PIECE = 16 / sizeof (T), SLOT = EIG_BANDWIDTH + PIECE };
  enum {
    PAGES = PAGES_,
    LD = PAGES == 1 && SHARED_ && sizeof (T) <= 8 ? 3 * EIG_BANDWIDTH : 2 * EIG_BANDWIDTH
  };
  static constexpr bool SHARED = SHARED_;
  // elements from one page's band to the next one's
  __host__ __device__ static int64_t page_step (int n)
  {
    int64_t used = (int64_t)(n + 2 * EIG_BANDWIDTH) * LD;
    return PAGES == 1 ? used : (used + 31) / 32 * 32 + EIG_BANDWIDTH;
  }
  // and from one page's reflectors to the next one's
  __host__ __device__ static int vectors_step (int slots) { return slots * SLOT + PIECE; }
};

// What a block has for a page. Columns and rows beyond n are 0 and stay so: tasks at the end need
// no care.
template <class S> struct chase_page {
  typedef typename S::T T;
  T *band;     // entry (i, j) at j*LD + i-j
  T *vectors;  // of every active sweep: v, then tau
  T *nothing;  // a reflector of zeros
  T *exchange; // exchange buffer of this task: a number of each of its lanes
  T *kept;     // the page's part of a.chased, or NULL
  int idle;    // where tasks without work read: columns of zeros that no task stores to
  int slots;   // a power of two
  GLA_DEVICE T *reflector (int s) const { return vectors + (s & (slots - 1)) * S::SLOT; }
};

// Tasks of sweep s: one that only makes its first reflector, then one for every block of rows.
GLA_DEVICE int tasks_of (int s, int n)
{
  return 1 + (n - 1 - s + EIG_BANDWIDTH - 1) / EIG_BANDWIDTH;
}

// The reflector that leaves of the EIG_BANDWIDTH lanes' x only the first; x becomes v.
template <class T> GLA_DEVICE householder<T> reflector_of (T &x)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, i = lane % EIG_BANDWIDTH;
  T alpha = from_lane (x, lane - i);
  R square = lane_sum<EIG_BANDWIDTH> (i > 0 ? abs2 (x) : R (0)), up = 1;
  bool small = small_column (alpha, square);
  if (__any_sync (0xffffffffu, small)) { // of this task or another
    up = small ? limits<R>::up : R (1);
    alpha = scale (up, alpha);
    square = lane_sum<EIG_BANDWIDTH> (i > 0 ? abs2 (scale (up, x)) : R (0));
  }
  householder<T> h = make_householder (alpha, square, up);
  x = i == 0 ? from_real<T> (1) : x * h.factor;
  return h;
}

// A row of a block of the band times v; b gets the row. `at` is the lane's entry of the first
// column.
template <int LD, class T>
GLA_DEVICE T times_row (const T *at, const T (&v)[EIG_BANDWIDTH], T (&b)[EIG_BANDWIDTH])
{
  T y[2] = {from_real<T> (0), from_real<T> (0)};
#pragma unroll
  for (int j = 0; j < EIG_BANDWIDTH; j++) {
    b[j] = at[j * (LD - 1)];
    y[j % 2] = madd (b[j], v[j], y[j % 2]);
  }
  return y[0] + y[1];
}

// The same for the diagonal block of rows r0 and on, of which the lower triangle is there: row i of
// d up to the diagonal, and of its columns what is below it.
template <int LD, class T>
GLA_DEVICE T times_hermitian (const T *band, int r0, const T (&v)[EIG_BANDWIDTH],
                              T (&d)[EIG_BANDWIDTH])
{
  int i = threadIdx.x % EIG_BANDWIDTH;
  T y[2] = {from_real<T> (0), from_real<T> (0)};
#pragma unroll
  for (int j = 0; j < EIG_BANDWIDTH; j++) {
    d[j] = band[j <= i ? (r0 + j) * LD + i - j : (r0 + i) * LD + j - i];
    y[j % 2] = madd (j <= i ? d[j] : conj (d[j]), v[j], y[j % 2]);
  }
  return y[0] + y[1];
}

// Exchange among the lanes of a task: all[j] := x of lane j.
template <class S>
GLA_DEVICE void all_lanes (const chase_page<S> &p, typename S::T x,
                           typename S::T (&all)[EIG_BANDWIDTH])
{
  auto others = static_cast<const typename S::T *> (__builtin_assume_aligned (p.exchange, 16));
  __syncwarp (); // the last exchange has been read
  p.exchange[threadIdx.x % EIG_BANDWIDTH] = x;
  __syncwarp ();
#pragma unroll
  for (int j = 0; j < EIG_BANDWIDTH; j++)
    all[j] = others[j];
}

// Stores reflector t of sweep s, whose entries the lanes have, for the eigenvectors.
template <class S>
GLA_DEVICE void keep_reflector (const chase_page<S> &p, int n, int s, int t, typename S::T v,
                                typename S::T tau)
{
  int i = threadIdx.x % EIG_BANDWIDTH;
  if (s + 1 + EIG_BANDWIDTH * t < n)
    p.kept[((int64_t)s * eig_chased_tasks (n) + t) * EIG_BANDWIDTH + i] = i == 0 ? tau : v;
}

// Task t of sweep s, by EIG_BANDWIDTH lanes, a row of each block to a lane. The reflector of rows
// s+1+EIG_BANDWIDTH*t and on is applied to their diagonal block D from both sides, D - v w' - w v',
// and to the block B below it from the right; the first column of B makes the next reflector, which
// is applied to B from the left. Task -1 does the last part only, with column s. What is not there
// to be done is done to the zeros behind the matrix, or with a reflector of zeros, and not stored:
// no branches.
template <class S>
GLA_DEVICE void chase (const chase_page<S> &p, int s, int t, bool active, real_t<typename S::T> *e)
{
  typedef typename S::T T;
  typedef real_t<T> R;
  constexpr int LD = S::LD;
  bool whole = active && t >= 0;
  int i = threadIdx.x % EIG_BANDWIDTH, r0 = whole ? s + 1 + EIG_BANDWIDTH * t : p.idle;
  T *reflector = p.reflector (s), v[EIG_BANDWIDTH];
  auto old = static_cast<const T *> (__builtin_assume_aligned (whole ? reflector : p.nothing, 16));
#pragma unroll
  for (int j = 0; j < EIG_BANDWIDTH; j++)
    v[j] = old[j];
  T own = old[i], tau = old[EIG_BANDWIDTH], b[EIG_BANDWIDTH];
  T *block = p.band + (active && t < 0 ? s * LD + 1 : r0 * LD + EIG_BANDWIDTH) + i;
  T y = -(tau * times_row<LD> (block, v, b));
#pragma unroll
  for (int j = 0; j < EIG_BANDWIDTH; j++)
    b[j] = cmadd (v[j], y, b[j]);

  T d[EIG_BANDWIDTH];
  y = times_hermitian<LD> (p.band, r0, v, d);
  R form = lane_sum<EIG_BANDWIDTH> (re (conj (own) * y)) * abs2 (tau) / 2;
  T w = scale (form, own) - tau * y, others[EIG_BANDWIDTH], *diagonal = p.band + r0 * LD + i; // -w
  all_lanes (p, w, others);
#pragma unroll
  for (int j = 0; j < EIG_BANDWIDTH; j++) {
    T entry = cmadd (others[j], own, cmadd (v[j], w, d[j]));
    if (whole && j <= i)
      diagonal[j * (LD - 1)] = j == i ? from_real<T> (re (entry)) : entry;
  }

  T x = b[0], sums[EIG_BANDWIDTH];
  householder<T> h = reflector_of (x);
#pragma unroll
  for (int j = 0; j < EIG_BANDWIDTH; j++)
    sums[j] = cmadd (x, b[j], from_real<T> (0));
  all_lanes (p, -(conj (h.tau) * group_sums (sums)), others);
  if (active) {
    reflector[i] = x;
    block[0] = from_real<T> (i == 0 ? h.beta : R (0));
    if (i == 0)
      reflector[EIG_BANDWIDTH] = h.tau;
    if (i == 0 && t < 0)
      e[s] = h.beta;
    if (p.kept != nullptr)
      keep_reflector (p, p.idle - EIG_BANDWIDTH, s, t + 1, x, h.tau);
  }
#pragma unroll
  for (int j = 1; j < EIG_BANDWIDTH; j++) {
    T entry = madd (x, others[j], b[j]);
    if (whole)
      block[j * (LD - 1)] = entry;
  }
}

// The matrices of a block. Its pages have the same tasks at the same time, and one that is not
// there or cannot be solved has none.
template <class S> struct chase_block {
  typedef typename S::T T;
  int n;
  int64_t first;      // page
  T *bands, *vectors; // of all pages
  unsigned solved;    // bit k: page k is there and can be
  GLA_DEVICE bool solves (int k) const { return solved >> k & 1; }
};

// Brings the bands to where they are worked on.
template <class S>
GLA_DEVICE void load_bands (const eig_args<typename S::T> &a, const chase_block<S> &c)
{
  typedef typename S::T T;
  for (int k = 0; k < S::PAGES; k++) {
    const T *from = a.band + (c.first + k) * (EIG_BANDWIDTH + 1) * c.n;
    T *to = c.bands + k * S::page_step (c.n);
#pragma unroll 4
    for (int q = threadIdx.x; q < (c.n + 2 * EIG_BANDWIDTH) * S::LD; q += blockDim.x) {
      int j = q / S::LD, r = q % S::LD;
      T value = from_real<T> (0);
      if (c.solves (k) && j < c.n && r <= EIG_BANDWIDTH)
        value = from[j * (EIG_BANDWIDTH + 1) + r];
      to[q] = value;
    }
  }
}

template <class S>
GLA_DEVICE void store_diagonals (const eig_args<typename S::T> &a, const chase_block<S> &c)
{
  for (int k = 0; k < S::PAGES; k++) {
    int64_t page = c.first + k;
    for (int i = threadIdx.x; i < c.n && page < a.pages; i += blockDim.x) {
      a.d[page * c.n + i] = re (c.bands[k * S::page_step (c.n) + i * S::LD]);
      if (i == c.n - 1 || !c.solves (k))
        a.e[page * c.n + i] = 0;
    }
  }
}

// Some pages per block, their bands in shared memory where they fit. In step q the task q - 1 - 2s
// of every active sweep s is done, EIG_BANDWIDTH lanes to each; they touch different
// entries. A barrier ends the step, and there are about 2n of them. Small pages have few tasks at a
// time, and fill warps together.
template <class S>
__global__ void __launch_bounds__ (32 * WARPS_MOST)
    hb2st_kernel (eig_args<typename S::T> a, int64_t scratch)
{
  typedef typename S::T T;
  extern __shared__ __align__ (16) unsigned char memory[];
  int n = a.n, lane = threadIdx.x % 32, groups = blockDim.x / EIG_BANDWIDTH;
  chase_block<S> c;
  c.n = n;
  c.first = (int64_t)blockIdx.x * S::PAGES;
  c.solved = 0;
  for (int k = 0; k < S::PAGES; k++)
    c.solved |= (unsigned)(c.first + k < a.pages && a.info[c.first + k] == 0) << k;
  chase_page<S> p;
  p.idle = n + EIG_BANDWIDTH;
  p.kept = nullptr;
  p.slots = slots_for<EIG_BANDWIDTH> (n);
  p.exchange = reinterpret_cast<T *> (memory) + threadIdx.x / EIG_BANDWIDTH * S::SLOT;
  c.vectors = reinterpret_cast<T *> (memory) + groups * S::SLOT;
  p.nothing = c.vectors + S::PAGES * S::vectors_step (p.slots);
  c.bands = S::SHARED ? p.nothing + S::SLOT : a.panel + c.first * scratch;
  if (threadIdx.x <= EIG_BANDWIDTH)
    p.nothing[threadIdx.x] = from_real<T> (0);
  load_bands (a, c);
  __syncthreads ();

  int first = 0; // the first active sweep
  for (int q = 0; q < 2 * n - 2; q++) {
    while (q - 2 * first >= tasks_of (first, n))
      first++;
    int sweeps = (q / 2 < n - 2 ? q / 2 : n - 2) + 1 - first, tasks = sweeps * S::PAGES;
    for (int task = threadIdx.x / 32 * TASKS; task < tasks; task += groups) {
      int own = task + lane / EIG_BANDWIDTH, k = own % S::PAGES, s = first + own / S::PAGES;
      bool active = own < tasks && c.solves (k);
      s = own < tasks ? s : first;
      p.band = c.bands + k * S::page_step (n);
      p.vectors = c.vectors + k * S::vectors_step (p.slots);
      if (a.chased != nullptr)
        p.kept = a.chased + (c.first + k) * n * eig_chased_tasks (n) * EIG_BANDWIDTH;
      chase (p, s, q - 1 - 2 * s, active, a.e + (c.first + k) * n);
    }
    __syncthreads ();
  }
  store_diagonals (a, c);
}

// Bytes of shared memory but for the bands, and of these.
template <class S> size_t chase_bytes (int n, int warps)
{
  int elements =
      warps * TASKS * S::SLOT + S::PAGES * S::vectors_step (slots_for<EIG_BANDWIDTH> (n)) + S::SLOT;
  return elements * sizeof (typename S::T);
}
template <class S> size_t band_bytes (int n)
{
  return S::PAGES * S::page_step (n) * sizeof (typename S::T);
}

// Warps for the most tasks that there are at once: half as many for small pages, where that is only
// at the beginning.
template <class S> int warps_for (int n)
{
  int warps = (S::PAGES * sweeps_at_once<EIG_BANDWIDTH> (n) + TASKS - 1) / TASKS;
  warps = S::PAGES > 1 && sizeof (typename S::T) < 16 ? (warps + 1) / 2 : warps;
  return warps < WARPS_MOST ? warps : WARPS_MOST;
}

template <class S> size_t bytes_of (int n)
{
  return chase_bytes<S> (n, warps_for<S> (n)) + (S::SHARED ? band_bytes<S> (n) : 0);
}

template <class S> cudaError_t launch (const eig_args<typename S::T> &a)
{
  size_t bytes = bytes_of<S> (a.n);
  cudaError_t status = allow_shared (hb2st_kernel<S>, bytes);
  if (status != cudaSuccess)
    return status;
  int64_t blocks = (a.pages + S::PAGES - 1) / S::PAGES, scratch = 0;
  if (!S::SHARED)
    scratch = eig_he2hb_scratch<typename S::T> (a.n, a.smem_limit);
  hb2st_kernel<S><<<(unsigned)blocks, 32 * warps_for<S> (a.n), bytes, a.stream>>> (a, scratch);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t eig_hb2st (const eig_args<T> &a)
{
  // as measured: together while three blocks find room on a multiprocessor, and four are there for
  // each
  typedef chase_shape<T, 4, true> four;
  typedef chase_shape<T, 2, true> two;
  typedef chase_shape<T, 1, true> alone;
  int64_t pages = a.pages / (4 * a.multiprocessors);
  size_t room = (size_t)a.smem_limit / 3;
  if (sizeof (T) < 16 && pages >= 4 && bytes_of<four> (a.n) <= room)
    return launch<four> (a);
  if (pages >= 2 && bytes_of<two> (a.n) <= room)
    return launch<two> (a);
  if (bytes_of<alone> (a.n) <= (size_t)a.smem_limit)
    return launch<alone> (a);
  return launch<chase_shape<T, 1, false>> (a);
}

template cudaError_t eig_hb2st (const eig_args<float> &);
template cudaError_t eig_hb2st (const eig_args<double> &);
template cudaError_t eig_hb2st (const eig_args<cx<float>> &);
template cudaError_t eig_hb2st (const eig_args<cx<double>> &);
