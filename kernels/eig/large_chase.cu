// large_chase.cu: from the band of a large page to a tridiagonal matrix, by many blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The order is that of hb2st.cu: sweep s brings column s to tridiagonal form with a reflector of
// LARGE_BAND rows, and task t of it applies the reflector of rows s+1+LARGE_BAND*t and on to their
// diagonal block from both sides and to the block below from the right, whose first column makes
// the next reflector.

#include "common/cluster.cuh"
#include "hetrd.cuh"
#include "large.cuh"

namespace
{

// A block has two teams of 8 warps, which take the tasks of a sweep in turn; each warp has EACH
// columns of the two blocks of a task, 8 apart. MESSAGE: numbers of a message, and room for them.
enum { B = LARGE_BAND, LD = LARGE_LD, WARPS = 8, TEAM = 32 * WARPS, EACH = B / WARPS };
enum { MESSAGE = LARGE_MESSAGE };

template <class T> struct chase_args {
  int n, first, last; // sweeps
  T *band;
  real_t<T> *e;
  int *progress;     // [2][n]: warps that have done a task, of each team and sweep
  T *messages;       // [2][groups][MESSAGE]
  wide<T> *diamonds; // NULL: reflectors are not kept
  T *taus;
  GLA_DEVICE int reflectors (int s) const { return (n - 1 - s + B - 1) / B; }
  // of task t of sweep s to task t-1 of the next sweep, or to its start
  GLA_DEVICE T *message (int s, int t) const
  {
    return messages + ((int64_t)(s % 2) * diamond_list (n).groups + t) * MESSAGE;
  }
};

// A reflector that one team passes to the other one.
template <class T> struct reflector_of_team {
  T v[B], tau;
};

// What the warps of a team exchange in a task.
template <class T> struct team_memory {
  T below[WARPS][B];    // the block below times v, by warps
  T diagonal[WARPS][B]; // the diagonal block times v, of the entries at and below the diagonal
  T across[B];          // of those above it
  T first[B];           // the first column of the block below
};

// Of a block. Team 1 may start a sweep while team 0 has not taken the last reflector of the one
// before, so that of a start has a place of its own.
template <class T> struct chase_memory {
  team_memory<T> team[2];
  reflector_of_team<T> reflector[2], start; // for these teams; for team 0
};

//------------------------------------------------------------------------------
// between blocks
//------------------------------------------------------------------------------

// A message is the first column of a task, from the diagonal down to the entry that its next
// reflector left, which the next sweep waits for. Each number shows by itself that it has arrived,
// since an empty place holds a NaN that no arithmetic produces (as in common/cluster.cuh); the
// receiver empties the place.
GLA_DEVICE double number_at (const double *from)
{
  double x;
  asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(x) : "l"(from) : "memory");
  return x;
}
GLA_DEVICE float number_at (const float *from)
{
  float x;
  asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(x) : "l"(from) : "memory");
  return x;
}
template <class R> GLA_DEVICE cx<R> number_at (const cx<R> *from)
{
  return {number_at (&from->x), number_at (&from->y)};
}
GLA_DEVICE void put_number (double *to, double x)
{
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(to), "d"(x) : "memory");
}
GLA_DEVICE void put_number (float *to, float x)
{
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(to), "f"(x) : "memory");
}
template <class R> GLA_DEVICE void put_number (cx<R> *to, cx<R> x)
{
  put_number (&to->x, x.x);
  put_number (&to->y, x.y);
}

template <class T> GLA_DEVICE T receive (T *place)
{
  T x = number_at (place);
  while (remote_missing (x))
    x = number_at (place);
  return x;
}
template <class T> GLA_DEVICE void send (T *place, T x)
{
  put_number (place, remote_value (x));
}

// Waits until all warps of a team have done task t of sweep s, and with it all tasks that it
// depends on. Team q has the tasks q, q+2, ...; team 1 also has the start, as task -1.
template <class T> GLA_DEVICE void wait_for_task (const chase_args<T> &c, int s, int t)
{
  int team = t & 1, count = WARPS * ((t + team) / 2 + 1);
  if (threadIdx.x % 32 == 0)
    while (flag_value (c.progress + (int64_t)team * c.n + s) < count)
      ;
  __syncwarp ();
}
template <class T> GLA_DEVICE void task_is_done (const chase_args<T> &c, int s, int team)
{
  __syncwarp ();
  if (threadIdx.x % 32 == 0)
    asm volatile(
        "red.release.gpu.global.add.s32 [%0], 1;" ::"l"(c.progress + (int64_t)team * c.n + s)
        : "memory");
}

//------------------------------------------------------------------------------
// within a block
//------------------------------------------------------------------------------

GLA_DEVICE void team_barrier (int team)
{
  asm volatile("bar.sync %0, %1;" ::"r"(1 + team), "n"((int)TEAM) : "memory");
}
// A team passes a reflector to the other one. START instead of a team: the reflector of a start.
enum { START = 2 };
GLA_DEVICE void hand_over (int to)
{
  asm volatile("bar.arrive %0, %1;" ::"r"(3 + to), "n"((int)(2 * TEAM)) : "memory");
}
GLA_DEVICE void take_over (int from)
{
  asm volatile("bar.sync %0, %1;" ::"r"(3 + from), "n"((int)(2 * TEAM)) : "memory");
}

// A warp stores reflector t of sweep s, a row to a lane.
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

// Team 1 does the first task of a sweep: it makes the reflector of its column for team 0. The other
// warps wait for the first one, so that they do not pass on the starts of later sweeps.
template <class T> GLA_DEVICE void start (const chase_args<T> &c, int s, reflector_of_team<T> &to)
{
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % WARPS;
  T *column = c.band + (int64_t)s * LD + 1, v = from_real<T> (0);
  householder<T> h = {};
  if (warp == 0) {
    if (s > 0) {
      wait_for_task (c, s - 1, -1);
      v = receive (c.message (s - 1, 0) + 1 + lane);
      put_number (c.message (s - 1, 0) + 1 + lane, remote_empty (T ()));
      if (lane == 0)
        put_number (c.message (s - 1, 0), remote_empty (T ()));
    } else {
      v = shared_load (column + lane);
    }
    h = warp_reflector (v);
    to.v[lane] = v;
    if (lane == 0)
      to.tau = h.tau;
  }
  team_barrier (1);
  hand_over (START);
  if (warp == 0) {
    shared_store (column + lane, from_real<T> (lane == 0 ? h.beta : real_t<T> (0)));
    keep (c, s, 0, v, h.tau);
    if (lane == 0)
      c.e[s] = h.beta;
  }
  task_is_done (c, s, 1);
}

// Loads the columns of a task except the last one, on which the previous sweep may still be
// working. That column comes in a message, if there is a task to send it; else it is behind the
// matrix. In the other columns the last row is 0, since no sweep has filled it yet. It is not read,
// because the band has old numbers there.
template <class T>
GLA_DEVICE void load_task (const chase_args<T> &c, int s, int t, const T *band, T (&D)[EACH],
                           T (&A)[EACH])
{
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % WARPS;
  if (s > 0)
    wait_for_task (c, s - 1, t);
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    int j = warp + WARPS * k;
    const T *column = band + j * LD;
    D[k] = A[k] = from_real<T> (0);
    if (s > 0 && j == B - 1)
      continue;
    if (lane >= j)
      D[k] = shared_load (column + lane - j);
    if (lane < B - 1 || j == B - 1)
      A[k] = shared_load (column + B - j + lane);
  }
  if (s == 0 || warp != WARPS - 1 || t + 1 >= c.reflectors (s - 1))
    return;
  T *place = c.message (s - 1, t + 1);
  if (lane == B - 1)
    D[EACH - 1] = receive (place);
  A[EACH - 1] = receive (place + 1 + lane);
  put_number (place + 1 + lane, remote_empty (T ()));
  if (lane == B - 1)
    put_number (place, remote_empty (T ()));
}

// Stores the results of a task in the band. The first column goes into a message, and its zeros are
// not stored: a block two sweeps later could store before that. In task 0 its diagonal entry is a
// result.
template <class T>
GLA_DEVICE void store_column (const chase_args<T> &c, int t, int j, T *column, T below, T diagonal)
{
  int lane = threadIdx.x % 32;
  if (j > 0)
    shared_store (column + B - j + lane, below);
  if (lane >= j && (j > 0 || (t == 0 && lane == 0)))
    shared_store (column + lane - j, diagonal);
}

// A task of sweep s: applies the reflector from the other team to the rows from s+1+B*t on, and
// passes the next reflector, if there is one, to that team. Lane i of each warp has row i of the
// warp's columns.
template <class T>
GLA_DEVICE void chase (const chase_args<T> &c, int s, int t, chase_memory<T> &all)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % WARPS, team = t & 1;
  team_memory<T> &m = all.team[team];
  reflector_of_team<T> &from = t == 0 ? all.start : all.reflector[team],
                       &to = all.reflector[1 - team];
  bool more = t + 1 < c.reflectors (s);
  T *band = c.band + (s + 1 + (int64_t)B * t) * LD;
  T D[EACH], A[EACH], vj[EACH], sums[EACH];
  load_task (c, s, t, band, D, A);
  take_over (t == 0 ? START : team);
  T v = from.v[lane], tau = from.tau;
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
  team_barrier (team);
  below = from_real<T> (0);
  diagonal = m.across[lane];
#pragma unroll
  for (int w = 0; w < WARPS; w++) {
    below = below + m.below[w][lane];
    diagonal = diagonal + m.diagonal[w][lane];
  }
  T y = tau * below, x = m.first[lane] - y; // v begins with 1
  householder<T> h = warp_reflector (x);
  if (more) {
    if (warp == 0) {
      to.v[lane] = x;
      if (lane == 0)
        to.tau = h.tau;
    }
    hand_over (1 - team);
  }
  R form = lane_sum<32> (re (conj (v) * diagonal)) * abs2 (tau) / 2;
  T w = scale (form, v) - tau * diagonal; // -w
  if (warp == 0 && s + 1 < c.n - 1) {
    T own = madd (conj (from_lane (w, 0)), v, madd (conj (vj[0]), w, D[0]));
    T *place = c.message (s, t);
    send (place + lane, lane == 0 ? from_real<T> (re (own)) : own);
    if (lane == 0)
      send (place + B, from_real<T> (h.beta));
  }
#pragma unroll
  for (int k = 0; k < EACH; k++)
    sums[k] = conj (x) * A[k];
  sum = lane_sums<EACH> (sums);
  T shift = lane_sum<32> (conj (x) * y), factor = conj (h.tau) * x;
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    int j = warp + WARPS * k;
    T vc = conj (vj[k]), wc = conj (from_lane (w, j)), g = from_lane (sum, k) - shift * vc;
    T entry = j == 0 ? from_real<T> (0) : A[k] - y * vc - factor * g;
    T corner = madd (wc, v, madd (vc, w, D[k]));
    store_column (c, t, j, band + j * LD, entry, lane == j ? from_real<T> (re (corner)) : corner);
  }
  if (warp == 1 && more)
    keep (c, s, t + 1, x, h.tau);
  task_is_done (c, s, team);
}

// A block follows a sweep from its first task to the last one, close behind the sweep before, and
// then takes the next sweep that no other block has. All blocks are on the GPU at the same time.
// One team computes while the other one stores what it has done and loads what comes next. The band
// is read and written past the first cache; it is in the second one.
template <class T>
__global__ void __launch_bounds__ (2 * TEAM, sizeof (T) <= 8 ? 2 : 1)
    large_chase_kernel (chase_args<T> c)
{
  __shared__ __align__ (16) unsigned char memory[sizeof (chase_memory<T>)];
  chase_memory<T> &m = *reinterpret_cast<chase_memory<T> *> (memory);
  int team = threadIdx.x / TEAM;
  for (int s = c.first + blockIdx.x; s < c.last; s += gridDim.x) {
    if (team == 1)
      start (c, s, m.start);
    for (int t = team; t < c.reflectors (s); t += 2)
      chase (c, s, t, m);
  }
}

// A thread copies one entry of the diagonal.
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
      cudaOccupancyMaxActiveBlocksPerMultiprocessor (&each, large_chase_kernel<T>, 2 * TEAM, 0);
  if (status != cudaSuccess)
    return status;
  // as many as can be at work: each sweep is more than a task behind the one before
  int together = a.n / B + 2, blocks = each * a.multiprocessors;
  blocks = blocks < together ? blocks : together;
  blocks = blocks < last - first ? blocks : last - first;
  chase_args<T> c = {};
  c.n = a.n;
  c.first = first;
  c.last = last;
  c.band = a.work.band;
  c.e = a.e;
  c.progress = a.work.progress;
  c.messages = a.work.messages;
  c.diamonds = a.work.diamonds;
  c.taus = a.work.diamond_taus;
  return launch_together (large_chase_kernel<T>, blocks, 2 * TEAM, 0, a.stream, c);
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
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
