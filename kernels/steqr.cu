// steqr.cu: eigenvalues and eigenvectors of real tridiagonal matrices, many at once
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Implicit QL and QR with Wilkinson shifts after LAPACK's ?steqr. The scalar recurrence of a sweep
// is a chain of dependent operations, so one lane runs it for its own page while the other lanes of
// the warp run theirs; the rotations of up to K sweeps are kept in shared memory and then applied
// to the eigenvector matrices by all threads of the block, K sweeps in one pass over the columns
// (the wavefront of Van Zee, van de Geijn, Quintana-Orti 2014).

#include "eig_kernels.cuh"

namespace
{

template <class R> struct pair_of {
  R c, s;
};

// Where one page's iteration stands. A page ends with next == n (done) or failed.
struct cursor {
  int next;       // first row that no block has claimed
  int low, high;  // the block, as first and last row; low > high: none
  int backwards;  // 0: QL, works at `low`; 1: QR, works at `high`
  int iterations; // QL/QR iterations so far
  int failed;
};

// The sweeps recorded for one page: sweep t rotates columns (i, i+1) for from[t] <= i < to[t].
template <int K> struct record {
  int count, ascending;
  int from[K], to[K];
};

template <class R> struct tridiagonal {
  R *d, *e; // element i at i*stride
  int stride, n;
  R relative, absolute; // deflation thresholds
  GLA_DEVICE R &D (int i) { return d[i * stride]; }
  GLA_DEVICE R &E (int i) { return e[i * stride]; }
  // Whether e(i) counts as zero: relative to its neighbours, or to the norm of the matrix. An e
  // whose square underflows is far below the absolute threshold.
  GLA_DEVICE bool negligible (int i)
  {
    R here = E (i);
    return absmax (here) <= absolute ||
           here * here <= relative * relative * absmax (D (i) * D (i + 1));
  }
};

// Plane rotation with [c s; -s c] [f; g] = [r; 0]; the scales are those of a matrix of norm near 1.
template <class R> GLA_DEVICE void plane_rotation (R f, R g, R &c, R &s, R &r)
{
  if (g == 0) {
    c = 1;
    s = 0;
    r = f;
    return;
  }
  R square = madd (f, f, g * g), back = 1;
  if (square < limits<R>::small_square) {
    f *= limits<R>::up;
    g *= limits<R>::up;
    square = madd (f, f, g * g);
    back = limits<R>::down;
    if (square < limits<R>::small_square) { // both denormal: their sizes no longer matter
      c = 0;
      s = 1;
      r = g * back;
      return;
    }
  }
  R inverse = rsqrt_of (square);
  c = f * inverse;
  s = g * inverse;
  r = square * inverse * back;
}

// Eigenvalues of [a b; b c], the larger modulus first, and the unit eigenvector (cs, sn) of the
// first: LAPACK's ?laev2.
template <class R> GLA_DEVICE void laev2 (R a, R b, R c, R &rt1, R &rt2, R &cs, R &sn)
{
  R sm = a + c, df = a - c, adf = absmax (df), tb = b + b, ab = absmax (tb);
  R acmx = absmax (a) > absmax (c) ? a : c, acmn = absmax (a) > absmax (c) ? c : a;
  R rt;
  if (adf > ab)
    rt = adf * sqrt_of (1 + (ab / adf) * (ab / adf));
  else if (adf < ab)
    rt = ab * sqrt_of (1 + (adf / ab) * (adf / ab));
  else
    rt = ab * sqrt_of (R (2));
  int sgn1 = sm < 0 ? -1 : 1;
  if (sm != 0) {
    rt1 = R (0.5) * (sm + sgn1 * rt);
    rt2 = (acmx / rt1) * acmn - (b / rt1) * b;
  } else {
    rt1 = R (0.5) * rt;
    rt2 = R (-0.5) * rt;
  }
  int sgn2 = df >= 0 ? 1 : -1;
  R twice = df + sgn2 * rt;
  if (absmax (twice) > ab) {
    R ct = -tb / twice;
    sn = 1 / sqrt_of (1 + ct * ct);
    cs = ct * sn;
  } else if (ab == 0) {
    cs = 1;
    sn = 0;
  } else {
    R tn = -twice / tb;
    cs = 1 / sqrt_of (1 + tn * tn);
    sn = tn * cs;
  }
  if (sgn1 == sgn2) {
    R tn = cs;
    cs = -sn;
    sn = tn;
  }
}

// Finds the next unreduced block of two rows or more; false when the matrix is diagonal.
template <class R> GLA_DEVICE bool next_block (tridiagonal<R> &T, cursor &at)
{
  while (at.next < T.n) {
    int first = at.next, last = first;
    while (last < T.n - 1 && !T.negligible (last))
      last++;
    if (last < T.n - 1)
      T.E (last) = 0;
    at.next = last + 1;
    if (last > first) {
      at.low = first;
      at.high = last;
      at.backwards = absmax (T.D (last)) < absmax (T.D (first));
      return true;
    }
  }
  return false;
}

// What a lane does next: a sweep over `length` rotations from row m to row l; length 0: nothing.
struct sweep {
  int m, l, length;
};

// Shrinks the page's block until a sweep is due, and takes the next block when one is done. Length
// 0 when the page is done (at.next = n+1), or must wait for the recorded sweeps to be applied.
template <class R, int K, bool VECTORS>
GLA_DEVICE sweep next_sweep (tridiagonal<R> &T, cursor &at, const record<K> &rec)
{
  while (true) {
    if (at.low >= at.high && !next_block (T, at)) {
      at.next = T.n + 1;
      return {0, 0, 0};
    }
    if (rec.count == K || (VECTORS && rec.count > 0 && rec.ascending != at.backwards))
      return {0, 0, 0};
    // the part of the block next to its working end that does not split
    int l = at.backwards ? at.high : at.low, m = l;
    if (!at.backwards) {
      while (m < at.high && !T.negligible (m))
        m++;
      if (m < at.high)
        T.E (m) = 0;
    } else {
      while (m > at.low && !T.negligible (m - 1))
        m--;
      if (m > at.low)
        T.E (m - 1) = 0;
    }
    if (m != l)
      return {m, l, m < l ? l - m : m - l};
    if (at.backwards)
      at.high--;
    else
      at.low++;
  }
}

// One implicit sweep of every lane of the warp, QL (m > l, downwards) and QR (m < l, upwards) in
// the same instructions: step k works on rows m+dk and m+d(k+1), d = +1 or -1. The step count is
// that of the longest lane, so that the lanes stay together.
template <class R> GLA_DEVICE void sweep_lanes (tridiagonal<R> &T, sweep s, pair_of<R> *rotation)
{
  int direction = s.m < s.l ? 1 : -1, length = s.length;
  int row = s.m, off = direction > 0 ? s.m : s.m - 1; // e(off) couples rows m and m+d
  R g = 0, p = 0, c = 1, sn = 1, e = 0, upper = 0;
  if (length > 0) {
    int last = direction > 0 ? s.l - 1 : s.l;
    R el = T.E (last), dl = T.D (s.l);
    g = (T.D (s.l - direction) - dl) / (2 * el);
    R r = sqrt_of (madd (g, g, R (1)));
    upper = T.D (row);
    g = upper - dl + el / (g + copy_sign (r, g));
    e = T.E (off);
  }
  int longest = length;
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2)
    longest = max (longest, shuffle_xor (longest, mask));
  for (int k = 0; k < longest; k++) {
    if (k < length) {
      R f = sn * e, b = c * e, r, lower = T.D (row + direction);
      if (k + 1 < length)
        e = T.E (off + direction); // the next one, loaded early
      plane_rotation (g, f, c, sn, r);
      if (k > 0)
        T.E (off - direction) = r;
      g = upper - p;
      r = madd (lower - g, sn, 2 * c * b);
      p = sn * r;
      T.D (row) = g + p;
      g = madd (c, r, -b);
      upper = lower;
      if (rotation)
        rotation[off] = {c, direction > 0 ? sn : -sn};
      row += direction;
      off += direction;
    }
    __syncwarp ();
  }
  if (length > 0) {
    T.D (s.l) = upper - p;
    T.E (off - direction) = g;
  }
}

// All 32 lanes of a warp, each for its own page (if active): iterates until every page has recorded
// K sweeps in one direction, or is done or failed. Lanes search for work each at its own pace, then
// sweep together.
template <class R, int K, bool VECTORS>
GLA_DEVICE void iterate (tridiagonal<R> &T, cursor &at, bool active, int limit, record<K> &rec,
                         pair_of<R> *rotations)
{
  while (true) {
    sweep s = {0, 0, 0};
    if (active)
      s = next_sweep<R, K, VECTORS> (T, at, rec);
    if (s.length > 1) {
      if (at.iterations >= limit) {
        at.failed = 1;
        s.length = 0;
      } else {
        at.iterations++;
      }
    }
    active = s.length > 0;
    __syncwarp ();
    if (!__any_sync (0xffffffffu, active))
      return;
    int low = s.m < s.l ? s.m : s.l, high = s.m < s.l ? s.l : s.m;
    pair_of<R> *rotation = VECTORS ? rotations + rec.count * T.n : nullptr;
    if (s.length == 1) {
      R rt1, rt2, c, sn;
      laev2 (T.D (low), T.E (low), T.D (high), rt1, rt2, c, sn);
      T.D (low) = rt1;
      T.D (high) = rt2;
      T.E (low) = 0;
      if (VECTORS)
        rotation[low] = {c, sn};
      if (at.backwards)
        at.high -= 2;
      else
        at.low += 2;
    }
    __syncwarp ();
    sweep rotating = {s.m, s.l, s.length > 1 ? s.length : 0};
    sweep_lanes (T, rotating, rotation);
    if (active) {
      if (VECTORS) {
        rec.from[rec.count] = low;
        rec.to[rec.count] = high;
        rec.ascending = at.backwards;
      }
      rec.count++;
    }
    __syncwarp ();
  }
}

// Applies the recorded sweeps to one row z of the eigenvector matrix (stride: the distance of
// its elements). A window of K+1 neighbouring columns moves along the row; sweep t works t columns
// behind sweep 0, so every column is read and written once.
template <class R, int K, bool ASCENDING>
GLA_DEVICE void replay (const record<K> &rec, const pair_of<R> *rotations, int n, R *z)
{
  int low[K], high[K], from = rec.from[0], to = rec.to[0];
#pragma unroll
  for (int t = 0; t < K; t++) {
    bool used = t < rec.count;
    low[t] = used ? rec.from[t] : 0;
    high[t] = used ? rec.to[t] : 0;
    from = used && low[t] < from ? low[t] : from;
    to = used && high[t] > to ? high[t] : to;
  }
  R x[K + 1];
#pragma unroll
  for (int t = 0; t <= K; t++)
    x[t] = 0;
  x[1] = z[(int64_t)(ASCENDING ? from : to) * n];
  // column of x[t] is lead + t (descending) or lead - t (ascending); the column and the rotations
  // of a step are fetched together, before the chain of products that needs them
  int steps = to - from + K, lead = ASCENDING ? from + 1 : to - 1;
  R next = z[(int64_t)lead * n];
  for (int step = 0; step < steps; step++) {
    int ahead = ASCENDING ? lead + 1 : lead - 1;
    x[0] = next;
    if (ahead >= from && ahead <= to)
      next = z[(int64_t)ahead * n];
    pair_of<R> g[K];
#pragma unroll
    for (int t = 0; t < K; t++) {
      int i = ASCENDING ? lead - 1 - t : lead + t;
      bool used = i >= low[t] && i < high[t];
      g[t] = rotations[t * n + (used ? i : low[t])];
      g[t].c = used ? g[t].c : R (1);
      g[t].s = used ? g[t].s : R (0);
    }
#pragma unroll
    for (int t = 0; t < K; t++) {
      R &left = ASCENDING ? x[t + 1] : x[t], &right = ASCENDING ? x[t] : x[t + 1];
      R old = right;
      right = madd (g[t].c, old, -g[t].s * left);
      left = madd (g[t].s, old, g[t].c * left);
    }
    int done = ASCENDING ? lead - K : lead + K;
    if (done >= from && done <= to)
      z[(int64_t)done * n] = x[K];
#pragma unroll
    for (int t = K; t > 0; t--)
      x[t] = x[t - 1];
    lead = ahead;
  }
}

enum { STATE_INTS = 8 };

// A block owns `group` pages. Lane g of warp 0 runs the recurrence of page g with d and e in shared
// memory, element i of page g at i*group + g; then the threads of the block take (page, row)
// pairs, neighbouring threads neighbouring rows, and replay. The two alternate until all pages
// of the block are done or `rounds` rounds are over; then the state goes to memory.
template <class R, int K, bool VECTORS>
__global__ void __launch_bounds__ (256, 3)
    steqr_kernel (eig_args<R> a, int group, int rows, int start, int rounds)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  pair_of<R> *rotations = reinterpret_cast<pair_of<R> *> (memory);
  int n = a.n;
  R *d = reinterpret_cast<R *> (rotations + (VECTORS ? (int64_t)group * K * n : 0));
  R *e = d + group * n;
  record<K> *recs = reinterpret_cast<record<K> *> (e + group * n);
  int64_t first = (int64_t)blockIdx.x * group;
  int here = a.pages - first < group ? (int)(a.pages - first) : group;
  R *Z = static_cast<R *> (a.Z) + first * n * n;

  for (int q = threadIdx.x; q < here * n; q += blockDim.x) {
    int g = q / n, i = q % n;
    d[i * group + g] = a.d[first * n + q];
    e[i * group + g] = i < n - 1 ? a.e[first * n + q] : R (0);
  }
  if (VECTORS && start)
    for (int64_t q = threadIdx.x; q < (int64_t)here * n * n; q += blockDim.x) {
      int64_t r = q % ((int64_t)n * n);
      Z[q] = r % (n + 1) == 0 ? R (1) : R (0);
    }
  __syncthreads ();

  int g = threadIdx.x;
  bool mine = g < here;
  cursor at = {0, 0, -1, 0, 0, 0};
  tridiagonal<R> T = {d + g, e + g, group, n, a.tol, 0};
  if (mine) {
    int *state = a.state + (first + g) * STATE_INTS;
    if (!start)
      at = {state[0], state[1], state[2], state[3], state[4], state[5]};
    if (a.info[first + g] != 0)
      at.next = n + 1;
    // the norm of the page bounds that of the matrix
    T.absolute = R (0.5) * a.tol * a.norm[first + g] * rsqrt_of (R (n));
  }

  bool busy = true;
  for (int round = 0; busy && (rounds == 0 || round < rounds); round++) {
    bool active = mine && at.next <= n && !at.failed;
    if (mine)
      recs[g].count = 0;
    if (threadIdx.x < 32)
      iterate<R, K, VECTORS> (T, at, active, a.maxit * n, recs[mine ? g : 0],
                              rotations + (int64_t)(mine ? g : 0) * K * n);
    active = mine && at.next <= n && !at.failed;
    busy = __syncthreads_or (active);
    if (VECTORS) {
      for (int q = threadIdx.x; q < here * rows; q += blockDim.x) {
        int page = q / rows, row = q % rows;
        const record<K> &rec = recs[page];
        if (row >= n || rec.count == 0)
          continue;
        const pair_of<R> *rotation = rotations + (int64_t)page * K * n;
        R *z = Z + (int64_t)page * n * n + row;
        if (rec.ascending)
          replay<R, K, true> (rec, rotation, n, z);
        else
          replay<R, K, false> (rec, rotation, n, z);
      }
      __syncthreads ();
    }
  }

  __syncthreads ();
  for (int q = threadIdx.x; q < here * n; q += blockDim.x) {
    int page = q / n, i = q % n;
    a.d[first * n + q] = d[i * group + page];
    if (i < n - 1)
      a.e[first * n + q] = e[i * group + page];
  }
  if (mine) {
    int *state = a.state + (first + g) * STATE_INTS;
    state[0] = at.next;
    state[1] = at.low;
    state[2] = at.high;
    state[3] = at.backwards;
    state[4] = at.iterations;
    state[5] = at.failed;
    if (at.failed && a.info[first + g] == 0) {
      int left = 0;
      for (int i = 0; i < n - 1; i++)
        left += e[i * group + g] != 0;
      a.info[first + g] = left > 0 ? left : 1;
    }
    if (at.next <= n && !at.failed)
      atomicAdd (a.count, 1);
  }
}

template <class R, int K, bool VECTORS>
cudaError_t launch (const eig_args<R> &a, int start, int rounds)
{
  // as many pages in a block as keep it under `budget` of shared memory, at most one per lane, and
  // no more than spreads the pages over the GPU
  int n = a.n;
  size_t per_page = ((VECTORS ? K : 0) * 2 + 2) * sizeof (R) * n + sizeof (record<K>);
  size_t budget = 72 * 1024;
  if (budget > (size_t)a.smem_limit)
    budget = a.smem_limit;
  int64_t group = (int64_t)(budget / per_page);
  int64_t spread = (a.pages + 2 * a.multiprocessors - 1) / (2 * a.multiprocessors);
  group = group > 32 ? 32 : group;
  group = group > spread ? spread : group;
  group = group < 1 ? 1 : group;
  int rows = n <= 4 ? 4 : n <= 8 ? 8 : n <= 16 ? 16 : (n + 31) / 32 * 32;
  int64_t threads = VECTORS ? group * rows : 32;
  threads = threads > 256 ? 256 : threads < 32 ? 32 : (threads + 31) / 32 * 32;
  size_t bytes = (size_t)group * per_page;
  auto kernel = steqr_kernel<R, K, VECTORS>;
  cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  int64_t blocks = (a.pages + group - 1) / group;
  kernel<<<(unsigned)blocks, (unsigned)threads, bytes, a.stream>>> (a, (int)group, rows, start,
                                                                    rounds);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t eig_steqr (const eig_args<T> &a, int start, int rounds)
{
  typedef real_t<T> R;
  eig_args<R> r = real_part_of<R> (a);
  cudaError_t status = cudaMemsetAsync (a.count, 0, sizeof *a.count, a.stream);
  if (status != cudaSuccess)
    return status;
  if (!a.vectors)
    return launch<R, 8, false> (r, start, rounds);
  return a.n <= 16 || (size_t)a.n * 18 * sizeof (R) + 256 > (size_t)a.smem_limit
             ? launch<R, 4, true> (r, start, rounds)
             : launch<R, 8, true> (r, start, rounds);
}

template cudaError_t eig_steqr (const eig_args<float> &, int, int);
template cudaError_t eig_steqr (const eig_args<double> &, int, int);
template cudaError_t eig_steqr (const eig_args<cx<float>> &, int, int);
template cudaError_t eig_steqr (const eig_args<cx<double>> &, int, int);
