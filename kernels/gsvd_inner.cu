// gsvd_inner.cu: pairs of Gram matrices brought to diagonal form in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cluster.cuh"
#include "gsvd_kernels.cuh"
#include "gsvd_rotation.cuh"

namespace
{

enum { THREADS = 288, WARPS = THREADS / 32 };

// Hermitian matrices of N columns by their upper triangles, and V, the product of the steps.
template <class T, int N, bool BOTH> struct inner_shared {
  static constexpr int LD = N + 1, PAIRS = N / 2;
  T *A, *B, *V;
  pair_step<T> *steps; // two sets
  double *scale;
  unsigned char *order;
  static constexpr size_t bytes ()
  {
    return (size_t)(BOTH ? 3 : 2) * N * LD * sizeof (T) + 2 * PAIRS * sizeof (pair_step<T>) +
           N * sizeof (double) + (size_t)N * N;
  }
  GLA_DEVICE inner_shared (unsigned char *memory)
  {
    A = reinterpret_cast<T *> (memory);
    V = A + N * LD;
    B = V + N * LD;
    steps = reinterpret_cast<pair_step<T> *> (BOTH ? B + N * LD : B);
    scale = reinterpret_cast<double *> (steps + 2 * PAIRS);
    order = reinterpret_cast<unsigned char *> (scale + N);
  }
};

template <int LD, class T> GLA_DEVICE T entry (const T *M, int r, int c)
{
  return r <= c ? M[c * LD + r] : conj (M[r * LD + c]);
}
template <int LD, class T> GLA_DEVICE void put_entry (T *M, int r, int c, T x)
{
  if (r <= c)
    M[c * LD + r] = x;
  else
    M[r * LD + c] = conj (x);
}

// (x, y) <- (x, y) Z
template <class T> GLA_DEVICE void times_step (const pair_step<T> &z, T &x, T &y)
{
  T old = x;
  x = madd (z.z21, y, z.z11 * old);
  y = madd (z.z22, y, z.z12 * old);
}
// (x; y) <- Z' (x; y)
template <class T> GLA_DEVICE void adjoint_times (const pair_step<T> &z, T &x, T &y)
{
  T old = x;
  x = cmadd (z.z21, y, conj (z.z11) * old);
  y = cmadd (z.z22, y, conj (z.z12) * old);
}

// The 2 x 2 block of rows of step k and columns of step l.
template <int LD, class T>
GLA_DEVICE void transform_block (T *M, const pair_step<T> &k, const pair_step<T> &l)
{
  T pp = entry<LD> (M, k.p, l.p), qp = entry<LD> (M, k.q, l.p);
  T pq = entry<LD> (M, k.p, l.q), qq = entry<LD> (M, k.q, l.q);
  times_step (l, pp, pq);
  times_step (l, qp, qq);
  adjoint_times (k, pp, qp);
  adjoint_times (k, pq, qq);
  put_entry<LD> (M, k.p, l.p, pp);
  put_entry<LD> (M, k.q, l.p, qp);
  put_entry<LD> (M, k.p, l.q, pq);
  put_entry<LD> (M, k.q, l.q, qq);
}

// The sum of the row groups' Gram matrices, upper triangle.
template <int N, int LD, class T> GLA_DEVICE void load_gram (T *M, const T *parts, int splits)
{
  for (int w = threadIdx.x; w < N * N; w += THREADS) {
    int r = w % N, c = w / N;
    if (r > c)
      continue;
    T sum = parts[w];
    for (int s = 1; s < splits; s++)
      sum = sum + parts[(int64_t)s * N * N + w];
    M[c * LD + r] = r == c ? from_real<T> (re (sum)) : sum;
  }
}

// Whether any pair of columns asks to be transformed, or is not to be judged; to all threads.
template <int N, bool BOTH, class T>
GLA_DEVICE bool anything_to_do (const inner_shared<T, N, BOTH> &m, double tol2)
{
  constexpr int LD = N + 1;
  bool open = false;
  for (int w = threadIdx.x; w < N * N; w += THREADS) {
    int r = w % N, c = w / N;
    if (r >= c)
      continue;
    T b = BOTH ? m.B[c * LD + r] : from_real<T> (0);
    pair_finding f =
        look_at_pair<BOTH> (re (m.A[r * LD + r]), re (m.A[c * LD + c]), m.A[c * LD + r], b, tol2);
    open |= f.rotate || f.big;
  }
  return __syncthreads_or (open);
}

// V := I, or with BOTH the diagonal that gives G columns of norm 1, to which A and B are scaled.
template <int N, bool BOTH, class T> GLA_DEVICE void start (const inner_shared<T, N, BOTH> &m)
{
  constexpr int LD = N + 1;
  if (BOTH) {
    for (int j = threadIdx.x; j < N; j += THREADS) {
      double b = re (m.B[j * LD + j]);
      m.scale[j] = b > 0 ? rsqrt (b) : 1;
    }
    __syncthreads ();
  }
  for (int w = threadIdx.x; w < N * N; w += THREADS) {
    int r = w % N, c = w / N;
    double s = BOTH ? m.scale[r] * m.scale[c] : 1;
    m.V[c * LD + r] = from_real<T> (r != c ? 0 : BOTH ? m.scale[c] : 1);
    if (BOTH && r <= c) {
      m.A[c * LD + r] = scale (s, m.A[c * LD + r]);
      m.B[c * LD + r] = scale (s, m.B[c * LD + r]);
    }
  }
  __syncthreads ();
}

// The step of pair k in a round; what it finds is counted. With BOTH columns of G that are zero are
// left alone. A large angle, of columns of nearly the same quotient, brings others out of order.
template <int N, bool BOTH, class T>
GLA_DEVICE bool find_step (const inner_shared<T, N, BOTH> &m, pair_step<T> &z, int round, int k,
                           double tol2, unsigned &rotations, bool &big)
{
  constexpr int LD = N + 1;
  int p = m.order[(round * (N / 2) + k) * 2], q = m.order[(round * (N / 2) + k) * 2 + 1];
  z.p = (short)p;
  z.q = (short)q;
  z.idle = 1;
  z.z11 = z.z22 = from_real<T> (1);
  z.z12 = z.z21 = from_real<T> (0);
  double app = re (m.A[p * LD + p]), aqq = re (m.A[q * LD + q]);
  T apq = m.A[q * LD + p], bpq = from_real<T> (0);
  if constexpr (BOTH) {
    if (!(re (m.B[p * LD + p]) > 0 && re (m.B[q * LD + q]) > 0))
      return false;
    bpq = m.B[q * LD + p];
  }
  pair_finding f = look_at_pair<BOTH> (app, aqq, apq, bpq, tol2);
  big |= f.big;
  bool exchange = false;
  if (f.rotate) {
    solve_pair<BOTH> (z, app, aqq, apq, bpq);
    rotations++;
    big |= f.clear && (abs2 (z.z12) > BIG2 || abs2 (z.z21) > BIG2);
    exchange = z.app < z.aqq;
  } else if (app < aqq && !f.big) {
    z.app = app;
    z.aqq = aqq;
    exchange = true;
  } else
    return false;
  if (exchange)
    swap_columns (z);
  z.idle = 0;
  return true;
}

// Blocks (k, l), k <= l, of all steps: the rows k and PAIRS-1-k of the triangle of blocks together
// have PAIRS+1 of them.
template <int N, bool BOTH, class T>
GLA_DEVICE void transform_grams (const inner_shared<T, N, BOTH> &m, const pair_step<T> *z)
{
  constexpr int LD = N + 1, PAIRS = N / 2;
  for (int w = threadIdx.x; w < PAIRS / 2 * (PAIRS + 1); w += THREADS) {
    int i = w / (PAIRS + 1), j = w % (PAIRS + 1);
    int k = j <= i ? PAIRS - 1 - i : i, l = j <= i ? PAIRS - 1 - j : j - 1;
    const pair_step<T> &rows = z[k], &columns = z[l];
    if (rows.idle && columns.idle)
      continue;
    if (k == l) {
      int p = rows.p, q = rows.q;
      m.A[p * LD + p] = from_real<T> (rows.app);
      m.A[q * LD + q] = from_real<T> (rows.aqq);
      m.A[q * LD + p] = from_real<T> (0);
      if (BOTH)
        m.B[q * LD + p] = from_real<T> (0);
      continue;
    }
    transform_block<LD> (m.A, rows, columns);
    if (BOTH)
      transform_block<LD> (m.B, rows, columns);
  }
}

// V <- V Z by threads first, first+1, ... of the block.
template <int N, bool BOTH, class T>
GLA_DEVICE void transform_v (const inner_shared<T, N, BOTH> &m, const pair_step<T> *z, int first)
{
  constexpr int LD = N + 1;
  for (int w = (int)threadIdx.x - first; w < N * N / 2; w += THREADS - first) {
    const pair_step<T> &step = z[w / N];
    int i = w % N;
    if (w >= 0 && !step.idle)
      times_step (step, m.V[step.p * LD + i], m.V[step.q * LD + i]);
  }
}

// Block (x, y): pair x of page y. In a round the first warp finds the steps of all pairs while the
// others bring V up to the round before; then all transform the Gram matrices. Those stay Hermitian
// positive definite up to rounding only: a pair that has lost that waits for the next Gram matrix.
template <class T, int N, bool BOTH>
__global__ void __launch_bounds__ (THREADS) inner_kernel (gsvd_step<T> s, int splits)
{
  constexpr int LD = N + 1, PAIRS = N / 2;
  extern __shared__ __align__ (16) unsigned char memory[];
  inner_shared<T, N, BOTH> m (memory);
  int64_t page = blockIdx.y, pair = page * s.pairs + blockIdx.x;
  if (s.state[page].done)
    return;
  int64_t part = (int64_t)splits * N * N;
  const T *gram = s.gram + (page * (BOTH ? 2 : 1) * s.pairs + blockIdx.x) * part;
  load_gram<N, LD> (m.A, gram, splits);
  if (BOTH)
    load_gram<N, LD> (m.B, gram + s.pairs * part, splits);
  for (int w = threadIdx.x; w < s.rounds * N; w += THREADS)
    m.order[w] = s.inner[w];
  __syncthreads ();
  start (m);
  double tol2 = s.tol * s.tol;
  bool open = anything_to_do (m, tol2);
  if (threadIdx.x == 0)
    s.active[pair] = open;
  if (!open)
    return;

  unsigned rotations = 0;
  bool big = false, behind = false;
  int now = 0;
  for (int sweep = 0; sweep < s.inner_sweeps; sweep++) {
    bool moved = false;
    for (int round = 0; round < s.rounds; round++) {
      pair_step<T> *z = m.steps + now * PAIRS;
      bool here = false;
      if (threadIdx.x < PAIRS)
        here = find_step (m, z[threadIdx.x], round, threadIdx.x, tol2, rotations, big);
      else if (threadIdx.x >= 32 && behind)
        transform_v (m, m.steps + (1 - now) * PAIRS, 32);
      behind = __syncthreads_or (here);
      if (behind) {
        transform_grams (m, z);
        now = 1 - now;
        moved = true;
      }
      __syncthreads ();
    }
    if (!moved)
      break;
  }
  if (behind)
    transform_v (m, m.steps + (1 - now) * PAIRS, 0);
  __syncthreads ();
  T *out = s.V + pair * N * N;
  for (int w = threadIdx.x; w < N * N; w += THREADS)
    out[w] = m.V[w / N * LD + w % N];
  if (threadIdx.x < 32) {
    unsigned total = __reduce_add_sync (0xffffffffu, rotations);
    bool any = __any_sync (0xffffffffu, big);
    if (threadIdx.x == 0) {
      atomicAdd (&s.state[page].rotations, (unsigned long long)total);
      if (any)
        atomicOr (&s.state[page].big, 1);
    }
  }
}

template <class T, int N, bool BOTH> cudaError_t launch (const gsvd_step<T> &s, cudaStream_t stream)
{
  constexpr size_t bytes = inner_shared<T, N, BOTH>::bytes ();
  static std::atomic<uint64_t> told{0};
  cudaError_t error = allow_cluster (inner_kernel<T, N, BOTH>, bytes, &told);
  if (error != cudaSuccess)
    return error;
  int splits = gsvd_splits (s.rows_f > s.rows_g || !BOTH ? s.rows_f : s.rows_g, s.pairs);
  dim3 grid (s.pairs, (unsigned)s.pages);
  inner_kernel<T, N, BOTH><<<grid, THREADS, bytes, stream>>> (s, splits);
  return cudaGetLastError ();
}

// A thread per page.
__global__ void sweep_done_kernel (gsvd_state *state, unsigned long long *history, int sweeps_max,
                                   int *left, int64_t pages)
{
  int64_t page = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (page >= pages || state[page].done)
    return;
  gsvd_state &s = state[page];
  history[page * sweeps_max + s.sweeps++] = s.rotations;
  if (!s.big)
    s.done = 1;
  else if (s.sweeps >= sweeps_max) {
    s.done = 1;
    s.info = 1;
  } else
    atomicAdd (left, 1);
  s.rotations = 0;
  s.big = 0;
}

} // namespace

template <class T> cudaError_t gsvd_inner (const gsvd_step<T> &s, cudaStream_t stream)
{
  if (s.width == 32)
    return s.both ? launch<T, 64, true> (s, stream) : launch<T, 64, false> (s, stream);
  return s.both ? launch<T, 32, true> (s, stream) : launch<T, 32, false> (s, stream);
}

cudaError_t gsvd_sweep_done (gsvd_state *state, unsigned long long *history, int sweeps_max,
                             int *left, int64_t pages, cudaStream_t stream)
{
  cudaError_t error = cudaMemsetAsync (left, 0, sizeof (int), stream);
  if (error != cudaSuccess)
    return error;
  sweep_done_kernel<<<(unsigned)((pages + 127) / 128), 128, 0, stream>>> (state, history,
                                                                          sweeps_max, left, pages);
  return cudaGetLastError ();
}

template cudaError_t gsvd_inner (const gsvd_step<double> &, cudaStream_t);
template cudaError_t gsvd_inner (const gsvd_step<cx<double>> &, cudaStream_t);
