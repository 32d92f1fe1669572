// gsvd_inner.cu: brings pairs of Gram matrices to diagonal form in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/cluster.cuh"
#include "gsvd_kernels.cuh"
#include "pair_tiles.cuh"
#include "common/reduce.cuh"

namespace
{

// One warp finds the steps of a round. FEW or MANY threads carry them out: each has one block of
// the Gram matrix with MANY, or several with FEW, which is used beyond FEW_PAIRS pairs.
enum { FEW = 256, MANY = 544, FEW_PAIRS = 264 };
// The square of a column may become smaller than the errors of its terms by so much. Then the
// column waits for the next Gram matrix: angles found from rounding errors would mix columns of all
// lengths, and the product of the steps would give short columns the errors of long ones. Columns
// of rounding errors alone may shrink in every sweep, so the last sweeps do not test this.
// without.
constexpr double LOST = 4096;
enum { LOST_SWEEPS = 32 };

// A round makes column j own x_j + other x_partner; it then has this diagonal entry.
template <class T> struct column_step {
  T own, other;
  double diagonal;
  int partner;
};

// M is kept twice: A in the upper triangle; B, whose diagonal is one, transposed in the lower one.
// V is the product of the steps. bound_a and bound_b are the squares of the columns without
// cancellation: sums of |z|^2 times those of the columns that each is made of. bound_b 0 means that
// the column takes no part.
template <class T, int N, bool BOTH> struct inner_shared {
  static constexpr int LD = N + 1;
  T *M, *V;
  column_step<T> *steps;
  double *bound_a, *bound_b;
  unsigned char *order;
  static constexpr size_t bytes ()
  {
    return (size_t)3 * N * LD * sizeof (T) + 2 * N * sizeof (column_step<T>) +
           2 * N * sizeof (double) + (size_t)N * N;
  }
  GLA_DEVICE inner_shared (unsigned char *memory)
  {
    M = reinterpret_cast<T *> (memory);
    V = M + 2 * N * LD;
    steps = reinterpret_cast<column_step<T> *> (V + N * LD);
    bound_a = reinterpret_cast<double *> (steps + 2 * N);
    bound_b = bound_a + N;
    order = reinterpret_cast<unsigned char *> (bound_b + N);
  }
  GLA_DEVICE T *copy (int which) const { return M + which * N * LD; }
  GLA_DEVICE column_step<T> *set (int which) const { return steps + which * N; }
};

// What the pairs of a lane have shown so far.
struct sweep_finding {
  unsigned rotations;
  double cosine2, angle2;
  bool unseen;
  GLA_DEVICE void count (double cosine, double angle)
  {
    rotations++;
    cosine2 = cosine > cosine2 ? cosine : cosine2;
    angle2 = angle > angle2 ? angle : angle2;
  }
  // All lanes of a warp call this. Bits of nonnegative doubles are ordered as the doubles are.
  GLA_DEVICE void report (gsvd_state &state) const
  {
    unsigned total = warp_sum (rotations);
    bool any = __any_sync (0xffffffffu, unseen);
    double cosine = cosine2, angle = angle2;
    for (int mask = 16; mask > 0; mask /= 2) {
      cosine = fmax (cosine, shuffle_xor (cosine, mask));
      angle = fmax (angle, shuffle_xor (angle, mask));
    }
    if (threadIdx.x % 32 != 0)
      return;
    atomicAdd (&state.rotations, (unsigned long long)total);
    atomicMax (&state.cosine2, (unsigned long long)__double_as_longlong (cosine));
    atomicMax (&state.angle2, (unsigned long long)__double_as_longlong (angle));
    if (any)
      atomicOr (&state.unseen, 1);
  }
};

template <int LD, class T> GLA_DEVICE T entry_a (const T *M, int r, int c)
{
  return r <= c ? M[c * LD + r] : conj (M[r * LD + c]);
}
template <int LD, class T> GLA_DEVICE void put_a (T *M, int r, int c, T x)
{
  if (r <= c)
    M[c * LD + r] = x;
  else
    M[r * LD + c] = conj (x);
}
template <int LD, class T> GLA_DEVICE T entry_b (const T *M, int r, int c)
{
  if (r == c)
    return from_real<T> (1);
  return r < c ? M[r * LD + c] : conj (M[c * LD + r]);
}
template <int LD, class T> GLA_DEVICE void put_b (T *M, int r, int c, T x)
{
  if (r < c)
    M[r * LD + c] = x;
  else
    M[c * LD + r] = conj (x);
}

// (x, y) <- (x, y) Z
template <class T>
GLA_DEVICE void times_step (const column_step<T> &p, const column_step<T> &q, T &x, T &y)
{
  T old = x;
  x = madd (p.other, y, p.own * old);
  y = madd (q.other, old, q.own * y);
}
// (x; y) <- Z' (x; y)
template <class T>
GLA_DEVICE void adjoint_times (const column_step<T> &p, const column_step<T> &q, T &x, T &y)
{
  T old = x;
  x = cmadd (p.other, y, conj (p.own) * old);
  y = cmadd (q.other, old, conj (q.own) * y);
}

// Loads the sum of the row groups' Gram matrices.
template <int N, int LD, bool LOWER, class T>
GLA_DEVICE void load_gram (T *M, const T *parts, int splits)
{
  for (int w = threadIdx.x; w < N * N; w += (int)blockDim.x) {
    int r = w % N, c = w / N;
    if (r > c)
      continue;
    T sum = parts[w];
#pragma unroll 4
    for (int s = 1; s < splits; s++)
      sum = sum + parts[(int64_t)s * N * N + w];
    M[LOWER ? r * LD + c : c * LD + r] = sum;
  }
}

// Whether column c of the pair exists, rather than fills a block.
template <class T> GLA_DEVICE bool is_filled (const gsvd_step<T> &s, short2 blocks, int c)
{
  int block = c < s.width ? blocks.x : blocks.y, behind = block >= s.seat.blocks;
  return (block - behind * s.seat.blocks) * s.width + c % s.width < s.seat.filled[behind];
}

// Gives columns of G norm 1; V becomes the diagonal matrix that does so.
template <int N, bool BOTH, class T>
GLA_DEVICE void start (const inner_shared<T, N, BOTH> &m, const T *gram, int splits, int64_t to_b,
                       const gsvd_step<T> &step, short2 blocks)
{
  constexpr int LD = N + 1;
  T *A = m.M;
  double *to_one = m.bound_a; // the factor that gives a column of G norm 1
  for (int j = threadIdx.x; j < N; j += (int)blockDim.x) {
    double b = BOTH ? 0 : 1;
    for (int s = 0; BOTH && s < splits; s++)
      b += re (gram[to_b + ((int64_t)s * N + j) * N + j]);
    to_one[j] = b > 0 && is_filled (step, blocks, j) ? rsqrt (b) : 0;
  }
  if (BOTH)
    load_gram<N, LD, true> (A, gram + to_b, splits); // its diagonal is overwritten
  __syncthreads ();
  load_gram<N, LD, false> (A, gram, splits);
  __syncthreads ();
  for (int w = threadIdx.x; w < N * N; w += (int)blockDim.x) {
    int r = w % N, c = w / N;
    if (BOTH && to_one[r] * to_one[c] > 0)
      A[c * LD + r] = scale (to_one[r] * to_one[c], A[c * LD + r]);
    m.V[c * LD + r] = from_real<T> (r != c ? 0 : BOTH && to_one[c] > 0 ? to_one[c] : 1);
  }
  __syncthreads ();
  for (int j = threadIdx.x; j < N; j += (int)blockDim.x) {
    m.bound_b[j] = to_one[j] > 0;
    m.bound_a[j] = re (A[j * LD + j]);
    m.set (1)[j] = {from_real<T> (1), from_real<T> (0), m.bound_a[j], j};
  }
  __syncthreads ();
}

template <int N, bool BOTH, class T>
GLA_DEVICE bool stays_out (const inner_shared<T, N, BOTH> &m, int p, int q)
{
  return !(m.bound_b[p] > 0 && m.bound_b[q] > 0);
}

// Whether any pair of columns must be transformed, or cannot be judged; the same in all threads.
template <int N, bool BOTH, class T>
GLA_DEVICE bool anything_to_do (const inner_shared<T, N, BOTH> &m, double tol2)
{
  constexpr int LD = N + 1;
  const T *M = m.M;
  bool open = false;
  for (int w = threadIdx.x; w < N * N; w += (int)blockDim.x) {
    int r = w % N, c = w / N;
    if (r >= c || stays_out (m, r, c))
      continue;
    pair_finding f = look_at_pair<BOTH> (re (M[r * LD + r]), re (M[c * LD + c]), M[c * LD + r],
                                         BOTH ? M[r * LD + c] : from_real<T> (0), tol2);
    open |= f.rotate || f.unknown;
  }
  return __syncthreads_or (open);
}

// Returns entry (p, q) after the steps of the previous round, which are not carried out yet.
template <int LD, bool IS_B, class T>
GLA_DEVICE T entry_to_be (const T *M, int p, int q, const column_step<T> &P,
                          const column_step<T> &Q)
{
  auto entry = [&] (int r, int c) { return IS_B ? entry_b<LD> (M, r, c) : entry_a<LD> (M, r, c); };
  T upper = madd (entry (p, Q.partner), Q.other, entry (p, q) * Q.own);
  T lower = madd (entry (P.partner, Q.partner), Q.other, entry (P.partner, q) * Q.own);
  return cmadd (P.other, lower, conj (P.own) * upper);
}

// Updates the bounds of column `to` after a step, whose new square in A is `square`, with factors x
// and y. Returns whether it has lost too many digits, and takes no further part.
template <int N, bool BOTH, class T>
GLA_DEVICE bool loses_digits (const inner_shared<T, N, BOTH> &m, int to, double square,
                              const double (&a)[2], const double (&b)[2], T x, T y, double most)
{
  const double x2 = abs2 (x), y2 = abs2 (y);
  const double bound_a = fma (x2, a[0], y2 * a[1]), bound_b = BOTH ? fma (x2, b[0], y2 * b[1]) : 1;
  const bool lost = !(bound_a <= most * square) || bound_b > most;
  m.bound_a[to] = bound_a;
  m.bound_b[to] = lost ? 0 : bound_b;
  return lost;
}

// Finds the step of a pair in a round, from M and the previous steps, and counts it.
template <int N, bool BOTH, class T>
GLA_DEVICE bool find_step (const inner_shared<T, N, BOTH> &m, const T *M,
                           const column_step<T> *before, column_step<T> *after,
                           const unsigned char *players, double tol2, double most_lost,
                           sweep_finding &found)
{
  constexpr int LD = N + 1;
  int p = players[0], q = players[1];
  const column_step<T> P = before[p], Q = before[q];
  double app = P.diagonal, aqq = Q.diagonal;
  pair_step<T> z = {
      from_real<T> (1), from_real<T> (0), from_real<T> (0), from_real<T> (1), app, aqq};
  bool moves = false;
  if (!stays_out (m, p, q)) {
    T apq = entry_to_be<LD, false> (M, p, q, P, Q), bpq = from_real<T> (0);
    if constexpr (BOTH)
      bpq = entry_to_be<LD, true> (M, p, q, P, Q);
    pair_finding f = look_at_pair<BOTH> (app, aqq, apq, bpq, tol2);
    found.unseen |= f.unknown;
    if (f.rotate) {
      solve_pair<BOTH> (z, app, aqq, apq, bpq);
      found.count (f.cosine2, fmax (abs2 (z.z12), abs2 (z.z21)));
    }
    // columns that exchange places may miss each other, so this sweep cannot be the last; nearly
    // equal ones stay, because rounding would exchange them again and again
    bool exchange = z.app < z.aqq * (1 - 0x1p-20) && !f.unknown;
    found.unseen |= exchange;
    if (exchange)
      swap_columns (z);
    moves = f.rotate || exchange;
    if (moves) {
      const double a[2] = {m.bound_a[p], m.bound_a[q]}, b[2] = {m.bound_b[p], m.bound_b[q]};
      found.unseen |= loses_digits (m, p, z.app, a, b, z.z11, z.z21, most_lost);
      found.unseen |= loses_digits (m, q, z.aqq, a, b, z.z12, z.z22, most_lost);
    }
  }
  after[p] = {z.z11, z.z21, z.app, q};
  after[q] = {z.z22, z.z12, z.aqq, p};
  return moves;
}

// Transforms blocks (k, l), k <= l, of pairs of the round: rows k and PAIRS-1-k of the triangle of
// blocks have PAIRS+1 of them together.
template <int N, bool BOTH, class T>
GLA_DEVICE void carry_out (const T *from, T *to, const column_step<T> *steps,
                           const unsigned char *players)
{
  constexpr int LD = N + 1, PAIRS = N / 2;
  for (int w = (int)threadIdx.x - 32; w < PAIRS / 2 * (PAIRS + 1); w += (int)blockDim.x - 32) {
    int i = w / (PAIRS + 1), j = w % (PAIRS + 1);
    int k = j <= i ? PAIRS - 1 - i : i, l = j <= i ? PAIRS - 1 - j : j - 1;
    int p = players[2 * k], q = players[2 * k + 1], s = players[2 * l], t = players[2 * l + 1];
    const column_step<T> P = steps[p], Q = steps[q], S = steps[s], U = steps[t];
    bool rows_idle = re (P.own) == 1 && abs2 (P.other) == 0 && abs2 (Q.other) == 0;
    if (k == l) {
      to[p * LD + p] = from_real<T> (P.diagonal);
      to[q * LD + q] = from_real<T> (Q.diagonal);
      put_a<LD> (to, p, q, rows_idle ? entry_a<LD> (from, p, q) : from_real<T> (0));
      if (BOTH)
        put_b<LD> (to, p, q, rows_idle ? entry_b<LD> (from, p, q) : from_real<T> (0));
      continue;
    }
    auto block = [&] (auto entry, auto put) {
      T ps = entry (p, s), qs = entry (q, s), pt = entry (p, t), qt = entry (q, t);
      times_step (S, U, ps, pt);
      times_step (S, U, qs, qt);
      adjoint_times (P, Q, ps, qs);
      adjoint_times (P, Q, pt, qt);
      put (p, s, ps);
      put (q, s, qs);
      put (p, t, pt);
      put (q, t, qt);
    };
    block ([&] (int r, int c) { return entry_a<LD> (from, r, c); },
           [&] (int r, int c, T x) { put_a<LD> (to, r, c, x); });
    if (BOTH)
      block ([&] (int r, int c) { return entry_b<LD> (from, r, c); },
             [&] (int r, int c, T x) { put_b<LD> (to, r, c, x); });
  }
}

// V <- V Z.
template <int N, class T>
GLA_DEVICE void carry_out_v (T *V, const column_step<T> *steps, const unsigned char *players)
{
  constexpr int LD = N + 1;
  for (int w = (int)threadIdx.x - 32; w < N * N / 2; w += (int)blockDim.x - 32) {
    int k = w / N, i = w % N, p = players[2 * k], q = players[2 * k + 1];
    const column_step<T> &P = steps[p], &Q = steps[q];
    times_step (P, Q, V[p * LD + i], V[q * LD + i]);
  }
}

// Block (x, y) has pair x of page y. In a round the first warp finds the steps of all pairs, one
// per lane, while the other warps carry out those of the previous round, from one copy of the Gram
// matrices to the other. Rounding may make a matrix indefinite: such a pair is left for the next
// Gram matrix.
template <class T, int N, bool BOTH, int WORKERS>
__global__ void __launch_bounds__ (32 + WORKERS) inner_kernel (gsvd_step<T> s)
{
  constexpr int LD = N + 1, PAIRS = N / 2;
  extern __shared__ __align__ (16) unsigned char memory[];
  inner_shared<T, N, BOTH> m (memory);
  int64_t page = blockIdx.y, pair = page * s.pairs + blockIdx.x;
  for (int w = threadIdx.x; w < s.rounds * N; w += (int)blockDim.x)
    m.order[w] = s.inner[w];
  wait_for_previous ();
  let_next_start ();
  if (s.state[page].done)
    return;
  int64_t part = (int64_t)s.splits * N * N;
  start (m, s.gram + (page * (BOTH ? 2 : 1) * s.pairs + blockIdx.x) * part, s.splits,
         s.pairs * part, s, s.blocks[blockIdx.x]);
  double tol2 = s.tol * s.tol, most_lost = s.state[page].sweeps < LOST_SWEEPS ? LOST : DBL_MAX;
  bool open = anything_to_do (m, tol2);
  if (threadIdx.x == 0)
    s.active[pair] = open;
  if (!open)
    return;

  sweep_finding found = {0, 0, 0, false};
  bool moving = false, solver = threadIdx.x < 32;
  int copy = 0, set = 0; // where M is, and where the steps of this round go
  const unsigned char *before = m.order;
  for (int sweep = 0; sweep < s.inner_sweeps; sweep++) {
    bool moved = false;
    for (int round = 0; round < s.rounds; round++) {
      const unsigned char *players = m.order + round * N;
      bool here = false;
      if (threadIdx.x < PAIRS)
        here = find_step (m, m.copy (copy), m.set (1 - set), m.set (set), players + 2 * threadIdx.x,
                          tol2, most_lost, found);
      else if (!solver && moving) {
        carry_out<N, BOTH> (m.copy (copy), m.copy (1 - copy), m.set (1 - set), before);
        carry_out_v<N> (m.V, m.set (1 - set), before);
      }
      copy = moving ? 1 - copy : copy;
      moving = __syncthreads_or (here);
      moved |= moving;
      before = players;
      set = 1 - set;
    }
    if (!moved)
      break;
  }
  if (!solver && moving)
    carry_out_v<N> (m.V, m.set (1 - set), before);
  __syncthreads ();
  T *out = s.V + pair * N * N;
  for (int w = threadIdx.x; w < N * N; w += (int)blockDim.x)
    out[w] = m.V[w / N * LD + w % N];
  if (solver)
    found.report (s.state[page]);
}

template <class T, int N, bool BOTH, int WORKERS>
cudaError_t launch (const gsvd_step<T> &s, cudaStream_t stream)
{
  constexpr size_t bytes = inner_shared<T, N, BOTH>::bytes ();
  auto kernel = inner_kernel<T, N, BOTH, WORKERS>;
  static std::atomic<uint64_t> configured{0};
  cudaError_t error = allow_cluster (kernel, bytes, &configured);
  if (error != cudaSuccess)
    return error;
  cluster_launch way (1, 1, 32 + WORKERS, bytes, stream, true);
  way.config.gridDim = dim3 (s.pairs, (unsigned)s.pages);
  return cudaLaunchKernelEx (&way.config, kernel, s);
}

template <class T, int N, bool BOTH>
cudaError_t choose_threads (const gsvd_step<T> &s, cudaStream_t stream)
{
  return N == 64 || s.pairs * s.pages <= FEW_PAIRS ? launch<T, N, BOTH, MANY> (s, stream)
                                                   : launch<T, N, BOTH, FEW> (s, stream);
}

// A thread has a page.
__global__ void sweep_done_kernel (gsvd_state *state, double tol, int p,
                                   unsigned long long *history, int sweeps_max, int *left,
                                   int64_t pages)
{
  int64_t page = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (page >= pages || state[page].done)
    return;
  gsvd_state &s = state[page];
  double cosine = sqrt (__longlong_as_double ((long long)s.cosine2));
  double angle = sqrt (__longlong_as_double ((long long)s.angle2));
  bool last = cosine <= 16 * tol || cosine * fmax (cosine, angle) * p <= tol;
  history[page * sweeps_max + s.sweeps++] = s.rotations;
  if (last && !s.unseen)
    s.done = 1;
  else if (s.sweeps >= sweeps_max) {
    s.done = 1;
    s.info = 1;
  } else
    atomicAdd (left, 1);
  s.rotations = s.cosine2 = s.angle2 = 0;
  s.unseen = 0;
}

} // namespace

template <class T> cudaError_t gsvd_inner (const gsvd_step<T> &s, cudaStream_t stream)
{
  if (s.width == 32)
    return s.both ? choose_threads<T, 64, true> (s, stream)
                  : choose_threads<T, 64, false> (s, stream);
  return s.both ? choose_threads<T, 32, true> (s, stream)
                : choose_threads<T, 32, false> (s, stream);
}

// The kernel here needs more than the other kernels of a step.
size_t gsvd_shared (bool complex, int width)
{
  if (complex)
    return width == 32 ? inner_shared<cx<double>, 64, true>::bytes ()
                       : inner_shared<cx<double>, 32, true>::bytes ();
  return width == 32 ? inner_shared<double, 64, true>::bytes ()
                     : inner_shared<double, 32, true>::bytes ();
}

cudaError_t gsvd_sweep_done (gsvd_state *state, double tol, int p, unsigned long long *history,
                             int sweeps_max, int *left, int64_t pages, cudaStream_t stream)
{
  cudaError_t error = cudaMemsetAsync (left, 0, sizeof (int), stream);
  if (error != cudaSuccess)
    return error;
  sweep_done_kernel<<<(unsigned)((pages + 127) / 128), 128, 0, stream>>> (state, tol, p, history,
                                                                          sweeps_max, left, pages);
  return cudaGetLastError ();
}

template cudaError_t gsvd_inner (const gsvd_step<double> &, cudaStream_t);
template cudaError_t gsvd_inner (const gsvd_step<cx<double>> &, cudaStream_t);
