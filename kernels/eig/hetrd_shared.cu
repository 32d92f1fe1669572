// hetrd_shared.cu: Householder tridiagonalisation with the trailing matrix in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The unblocked method of LAPACK's ?hetd2/?sytd2 (lower), arranged for one pass over the matrix
// per column: the rank-2 update of one column and the matrix-vector product of the next one. Lanes
// own rows, of the product too: below the diagonal a lane updates its row, and right of it it reads
// what the owners of the columns wrote, so that no sums go over the lanes.

#include "hetrd.cuh"
#include "warp_page.cuh"

#include <atomic>

namespace
{

// Rows of a lane, and teams and warps of a block at most.
enum { ROWS = 2, MAX_TEAMS = 8, MAX_WARPS = 16 };

// Columns read together.
template <class T> constexpr int group_of = is_complex_v<T> ? 4 : 8;

// What warps exchange besides their rows; entries without a team or warp stay 0.
template <class T> struct alignas (16) block_sums {
  real_t<T> square[MAX_TEAMS], form[MAX_WARPS];
  T alpha;
};

// What the owners of rows publish for the others, by groups: the new v, and v and w of the pending
// update.
template <class T> struct alignas (16) row_group {
  T v[group_of<T>], old_v[group_of<T>], w[group_of<T>];
};

// A page in the view of a lane. The rows come in chunks of 32, the last one full, the first one
// not. Team g of warps owns chunks g and chunks-1-g, which together are about as long for all
// teams; the SPLITS warps of a team have the same rows, and take turns at groups of columns. Behind
// the last row the groups have zeros.
template <class T, int SPLITS> struct block_page {
  typedef real_t<T> R;
  static constexpr int GROUP = group_of<T>;
  int n, split, team;
  int start[ROWS]; // first rows of this warp's chunks; no row is below 0
  row_group<T> *rows;
  block_sums<T> *sums;
  T *part; // of the product, n for each split
  packed_page<T> S;

  GLA_DEVICE block_page (unsigned char *base, int order) : n (order)
  {
    int warp = threadIdx.x / 32, teams = blockDim.x / 32 / SPLITS, groups = (n - 1) / GROUP + 1;
    int chunks = (n + 31) / 32, pad = 32 * chunks - n;
    team = warp % teams;
    split = warp / teams;
    int other = chunks - 1 - team;
    start[0] = 32 * other - pad;
    start[1] = team < other ? 32 * team - pad : -32;
    sums = reinterpret_cast<block_sums<T> *> (base);
    rows = reinterpret_cast<row_group<T> *> (sums + 1);
    part = reinterpret_cast<T *> (rows + groups);
    S.S = part + SPLITS * n;
    // all of this is 0 first
    int words = (int)((unsigned char *)part - base) / (int)sizeof (int);
    for (int i = threadIdx.x; i < words; i += blockDim.x)
      reinterpret_cast<int *> (base)[i] = 0;
  }
  static size_t bytes (int n)
  {
    int groups = (n - 1) / GROUP + 1;
    return sizeof (block_sums<T>) + groups * sizeof (row_group<T>) +
           (SPLITS * n + packed_page<T>::entries (n)) * sizeof (T);
  }
  GLA_DEVICE int row (int c) const { return start[c] + (int)(threadIdx.x % 32); }
};

// Loads all numbers first, then adds them in a tree, because dependent additions take longer.
template <int N, class R> GLA_DEVICE R sum_of (const R (&a)[N])
{
  R sum[N];
#pragma unroll
  for (int i = 0; i < N; i++)
    sum[i] = a[i];
#pragma unroll
  for (int apart = 1; apart < N; apart *= 2)
#pragma unroll
    for (int i = 0; i + apart < N; i += 2 * apart)
      sum[i] += sum[i + apart];
  return sum[0];
}

// The sum over rows, of one warp of each team; every thread of the block gets the same bits.
template <int SPLITS, class T>
GLA_DEVICE real_t<T> sum_over_rows (const block_page<T, SPLITS> &s, real_t<T> square)
{
  square = lane_sum<32> (square);
  if (threadIdx.x % 32 == 0 && s.split == 0)
    s.sums->square[s.team] = square;
  __syncthreads ();
  return sum_of (s.sums->square);
}

// The reflector of column k from x; every thread of the block gets the same bits.
template <int SPLITS, class T>
GLA_DEVICE householder<T> reflector_of (const block_page<T, SPLITS> &s, int k, const T (&x)[ROWS])
{
  typedef real_t<T> R;
  R square = 0, up = 1;
#pragma unroll
  for (int c = 0; c < ROWS; c++) {
    square += s.row (c) > k + 1 ? abs2 (x[c]) : R (0);
    if (s.row (c) == k + 1 && s.split == 0)
      s.sums->alpha = x[c];
  }
  square = sum_over_rows (s, square);
  T alpha = s.sums->alpha;
  if (small_column (alpha, square)) { // for all threads or none
    up = limits<R>::up;
    alpha = scale (up, alpha);
    square = 0;
#pragma unroll
    for (int c = 0; c < ROWS; c++)
      square += s.row (c) > k + 1 ? abs2 (scale (up, x[c])) : R (0);
    __syncthreads (); // all have read the first sum
    square = sum_over_rows (s, square);
  }
  return make_householder (alpha, square, up);
}

// A group of columns of row i up to the diagonal: updated, and multiplied by the new v. In the
// first group there may be columns up to k, where w and both v are 0: they stay as they are.
template <bool DIAGONAL, int SPLITS, class T>
GLA_DEVICE void own_group (const block_page<T, SPLITS> &s, T *own, int i, int j0, T v, T w, T &y)
{
  constexpr int GROUP = group_of<T>;
  row_group<T> other = s.rows[j0 / GROUP];
  T value[GROUP];
#pragma unroll
  for (int q = 0; q < GROUP; q++) {
    value[q] = from_real<T> (0);
    if (!DIAGONAL || i >= j0 + q)
      value[q] = own[j0 + q];
  }
#pragma unroll
  for (int q = 0; q < GROUP; q++) {
    T x = madd (-w, conj (other.old_v[q]), madd (-v, conj (other.w[q]), value[q]));
    if (!DIAGONAL || i >= j0 + q) {
      own[j0 + q] = x;
      y = madd (x, other.v[q], y);
    }
  }
}

// A group of columns of row i right of the diagonal, entries of rows j0..: as their owners left
// them. MASKED: some may be on the diagonal or left of it, or beyond the last column.
template <bool MASKED, int SPLITS, class T>
GLA_DEVICE void other_group (const block_page<T, SPLITS> &s, int i, int j0, T &y)
{
  constexpr int GROUP = group_of<T>;
  const row_group<T> &other = s.rows[j0 / GROUP];
  const T *first = s.S.row (j0) + i;
  T v[GROUP], value[GROUP];
#pragma unroll
  for (int q = 0; q < GROUP; q++) {
    v[q] = other.v[q];
    value[q] = from_real<T> (0);
    if (!MASKED || (i < j0 + q && j0 + q < s.n))
      value[q] = first[q * j0 + q * (q + 1) / 2];
  }
#pragma unroll
  for (int q = 0; q < GROUP; q++)
    y = madd (conj (value[q]), v[q], y);
}

// The first group of this warp that has a column from `column` on.
template <int SPLITS, class T>
GLA_DEVICE int first_group (const block_page<T, SPLITS> &s, int column)
{
  constexpr int GROUP = group_of<T>;
  int group = column / GROUP;
  return GROUP * (group + ((s.split - group) & (SPLITS - 1)));
}

// The product of columns k+1.. with the new v, for the rows of this lane and the columns of this
// warp, in two halves with a barrier between: what is read in the second one was written in the
// first. A chunk has its diagonal in some groups, where each lane stops by itself.
template <int SPLITS, class T>
GLA_DEVICE void update_and_multiply (const block_page<T, SPLITS> &s, int k, const T (&v)[ROWS],
                                     const T (&w)[ROWS], T (&y)[ROWS])
{
  constexpr int GROUP = group_of<T>, step = GROUP * SPLITS;
#pragma unroll
  for (int c = 0; c < ROWS; c++) {
    int start = s.start[c], i = s.row (c) > k ? s.row (c) : -1;
    T *own = s.S.row (i > 0 ? i : 0);
    int j = first_group (s, k + 1);
    if (start > k)
      for (; j + GROUP - 1 <= start; j += step)
        own_group<false> (s, own, i, j, v[c], w[c], y[c]);
    for (; start + 31 > k && j < start + 32; j += step)
      own_group<true> (s, own, i, j, v[c], w[c], y[c]);
  }
  __syncthreads ();
#pragma unroll
  for (int c = 0; c < ROWS; c++) {
    int start = s.start[c], i = s.row (c) > k ? s.row (c) : s.n; // at n, masked
    if (start + 31 <= k)
      continue;
    int j = first_group (s, start > k ? start : k + 1);
    for (; j < start + 32; j += step)
      other_group<true> (s, i, j, y[c]);
    i = i < s.n ? i : 0; // a row that is finished; its product is not used
    for (; j + GROUP <= s.n; j += step)
      other_group<false> (s, i, j, y[c]);
    if (j < s.n)
      other_group<true> (s, i, j, y[c]);
  }
}

// The lower triangle of the page to shared memory, with a real diagonal; `global` is its entry
// (0, 0).
template <int SPLITS, class T>
GLA_DEVICE void load_page (const block_page<T, SPLITS> &s, const T *global, int ld)
{
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
#pragma unroll 4
  for (int j = warp; j < s.n; j += warps)
    for (int i = j / 32 * 32 + lane; i < s.n; i += 32)
      if (i >= j)
        s.S.at (i, j) =
            i == j ? from_real<T> (re (global[(int64_t)j * ld + i])) : global[(int64_t)j * ld + i];
}

// Column k, in x, becomes the new v, with 1 in row k+1; v and w of the pending update and the new v
// are published, and what is below row k+1 of the new v is stored in `column` if `store`.
template <int SPLITS, class T>
GLA_DEVICE void publish (const block_page<T, SPLITS> &s, int k, T factor, const T (&v)[ROWS],
                         const T (&w)[ROWS], T (&x)[ROWS], bool store, T *column)
{
  constexpr int GROUP = group_of<T>;
#pragma unroll
  for (int c = 0; c < ROWS; c++) {
    int i = s.row (c);
    x[c] = i == k + 1 ? from_real<T> (1) : i > k + 1 ? x[c] * factor : from_real<T> (0);
    if (s.split == 0 && i >= 0) {
      row_group<T> &group = s.rows[i / GROUP];
      group.v[i % GROUP] = x[c];
      group.old_v[i % GROUP] = v[c];
      group.w[i % GROUP] = w[c];
    }
    if (s.split == 0 && store && i > k + 1)
      column[i] = x[c];
  }
}

// One block per page, the page in shared memory. A column takes four barriers: its norm, v and w
// for all, the two halves of the product, the product's parts.
template <class T, int SPLITS>
__global__ void __launch_bounds__ (32 * MAX_WARPS, 1)
    hetrd_shared_kernel (eig_args<T> a, int origin)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  int ld = a.n, n = a.n - origin, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int64_t page = blockIdx.x;
  R *d = a.d + page * ld + origin, *e = a.e + page * ld + origin;
  if (a.info[page] != 0) { // a page that cannot be solved; what follows finds zeros
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      d[i] = e[i] = 0;
    return;
  }
  block_page<T, SPLITS> s (memory, n);
  T *global = a.W + (page * ld + origin) * ld + origin;
  T *tau = a.tau + page * ld + origin;
  load_page (s, global, ld);
  __syncthreads ();

  T v[ROWS], w[ROWS], wk = from_real<T> (0);
#pragma unroll
  for (int c = 0; c < ROWS; c++)
    v[c] = w[c] = from_real<T> (0);
  for (int k = 0; k < n; k++) {
    // column k with the pending update A - v w' - w v'; v is 1 in row k
    T x[ROWS], y[ROWS];
#pragma unroll
    for (int c = 0; c < ROWS; c++) {
      int i = s.row (c);
      x[c] = y[c] = from_real<T> (0);
      if (i >= k)
        x[c] = madd (-v[c], conj (wk), s.S.at (i, k)) - w[c];
      if (i == k && s.split == 0)
        d[k] = re (x[c]);
    }
    if (k == n - 1)
      break;
    householder<T> h = reflector_of (s, k, x);
    publish (s, k, h.factor, v, w, x, a.vectors, global + (int64_t)k * ld);
    if (threadIdx.x == 0) {
      e[k] = h.beta;
      tau[k] = h.tau;
    }
    __syncthreads ();
    update_and_multiply (s, k, v, w, y); // with the pending v and w
    R form = 0;
#pragma unroll
    for (int c = 0; c < ROWS; c++) {
      v[c] = x[c];
      if (s.row (c) > k) {
        s.part[s.split * n + s.row (c)] = y[c];
        form += re (cmadd (v[c], y[c], from_real<T> (0)));
      }
    }
    form = lane_sum<32> (form);
    if (lane == 0)
      s.sums->form[warp] = form;
    __syncthreads ();

    // w = tau y - |tau|^2/2 (v'y) v; v'y is real
    form = sum_of (s.sums->form) * (R (-0.5) * abs2 (h.tau));
    T product[ROWS], next = from_real<T> (0);
#pragma unroll
    for (int c = 0; c < ROWS; c++)
      product[c] = from_real<T> (0);
#pragma unroll
    for (int q = 0; q < SPLITS; q++) {
      next = next + s.part[q * n + k + 1];
#pragma unroll
      for (int c = 0; c < ROWS; c++)
        if (s.row (c) > k)
          product[c] = product[c] + s.part[q * n + s.row (c)];
    }
#pragma unroll
    for (int c = 0; c < ROWS; c++)
      w[c] = s.row (c) > k ? h.tau * product[c] + scale (form, v[c]) : from_real<T> (0);
    wk = h.tau * next + from_real<T> (form);
  }
}

int teams_for (int n)
{
  return ((n + 31) / 32 + 1) / 2;
}

// Warps of a block at most, as measured: fewer where several pages share a multiprocessor.
template <class T> int warps_for (int n)
{
  if (sizeof (T) == 4)
    return n <= 168 ? 4 : n <= 256 ? 8 : 16;
  if (sizeof (T) == 16)
    return n <= 116 ? 4 : n <= 128 ? 8 : 16;
  return n <= 128 ? 4 : n <= 167 || (!is_complex_v<T> && n > 200) ? 8 : 16;
}

// Warps of a team.
template <class T> int splits_for (int n)
{
  int splits = 1;
  while (splits < 8 && teams_for (n) * splits * 2 <= warps_for<T> (n))
    splits *= 2;
  return splits;
}

template <class T> size_t shared_bytes (int n)
{
  switch (splits_for<T> (n)) {
  case 1:
    return block_page<T, 1>::bytes (n);
  case 2:
    return block_page<T, 2>::bytes (n);
  case 4:
    return block_page<T, 4>::bytes (n);
  default:
    return block_page<T, 8>::bytes (n);
  }
}

template <class T, int SPLITS> cudaError_t launch (const eig_args<T> &a, int origin)
{
  int n = a.n - origin;
  size_t bytes = block_page<T, SPLITS>::bytes (n);
  cudaError_t status = allow_shared (hetrd_shared_kernel<T, SPLITS>, bytes);
  if (status != cudaSuccess)
    return status;
  hetrd_shared_kernel<T, SPLITS>
      <<<(unsigned)a.pages, 32 * teams_for (n) * SPLITS, bytes, a.stream>>> (a, origin);
  return cudaGetLastError ();
}

} // namespace

// Each chunk asks several times, and the answer for a device never changes: the last answer is
// kept, with the argument in its upper half.
template <class T> int hetrd_shared_limit (int smem_limit)
{
  static std::atomic<int64_t> last (0);
  const int64_t known = last.load (std::memory_order_relaxed);
  if (known >> 32 == smem_limit && smem_limit > 0)
    return (int)(known & 0x7fffffff);
  int n = 32 * ROWS * MAX_TEAMS;
  while (n > 2 && shared_bytes<T> (n) > (size_t)smem_limit)
    n--;
  last.store ((int64_t)smem_limit << 32 | n, std::memory_order_relaxed);
  return n;
}

template <class T> cudaError_t hetrd_shared (const eig_args<T> &a, int origin)
{
  switch (splits_for<T> (a.n - origin)) {
  case 1:
    return launch<T, 1> (a, origin);
  case 2:
    return launch<T, 2> (a, origin);
  case 4:
    return launch<T, 4> (a, origin);
  default:
    return launch<T, 8> (a, origin);
  }
}

template int hetrd_shared_limit<float> (int);
template int hetrd_shared_limit<double> (int);
template int hetrd_shared_limit<cx<float>> (int);
template int hetrd_shared_limit<cx<double>> (int);
template cudaError_t hetrd_shared (const eig_args<float> &, int);
template cudaError_t hetrd_shared (const eig_args<double> &, int);
template cudaError_t hetrd_shared (const eig_args<cx<float>> &, int);
template cudaError_t hetrd_shared (const eig_args<cx<double>> &, int);
