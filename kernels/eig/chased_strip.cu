// chased_strip.cu: the reflectors of the second stage applied to many eigenvectors of the band
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V = Q2 Z as in chased.cu, for strips of columns that stay in shared memory from the last sweep to
// the first one.

#include "common/async_copy.cuh"
#include "eig_kernels.cuh"

namespace
{

enum { B = EIG_BANDWIDTH, GROUP = 8, WINDOW = B + GROUP - 1 };

// Columns of a strip, and lanes of a team NC: those of 128 bytes a row, or half of them where these
// do not fit.
template <class T> constexpr int COLUMNS = 128 / (int)sizeof (T);

// The reflectors of GROUP sweeps at one place: tau at the place of the one, then the other entries.
// The padding puts the teams of a warp in different banks.
template <class T> struct alignas (16) chased_batch {
  T h[GROUP][B];
  unsigned char apart[16];
};

// Rows of a strip, with the rows of zeros that the last windows reach.
__host__ __device__ constexpr int strip_rows (int n)
{
  return n + WINDOW;
}

template <class T> size_t strip_bytes (int n, int columns, int threads)
{
  return (size_t)strip_rows (n) * columns * sizeof (T) +
         2 * (size_t)(threads / columns) * sizeof (chased_batch<T>);
}

// Row i of the window of a column is x[i]; rows FIRST and on become H times them.
template <int FIRST, class T> GLA_DEVICE void apply (const T (&h)[B], T (&x)[WINDOW])
{
  T v[B];
#pragma unroll
  for (int i = 0; i < B; i++)
    v[i] = h[i];
  T dot[2] = {x[FIRST], from_real<T> (0)};
#pragma unroll
  for (int i = 1; i < B; i++)
    dot[i % 2] = cmadd (v[i], x[FIRST + i], dot[i % 2]);
  T factor = -(v[0] * (dot[0] + dot[1]));
  x[FIRST] = x[FIRST] + factor;
#pragma unroll
  for (int i = 1; i < B; i++)
    x[FIRST + i] = madd (factor, v[i], x[FIRST + i]);
}

// Sweeps GROUP*g and the next ones, whose reflectors t = 0, 1, .. a team applies one after the
// other; g < 0: none.
struct chased_group {
  int g, places; // reflectors of the first of these sweeps, which has the most
  __device__ chased_group (int n, int g) : g (g), places (g < 0 ? 0 : (n - 2 - GROUP * g) / B + 1)
  {
  }
};

// Starts to copy reflector t of the sweeps of a group; zeros where there is none.
template <int NC, class T>
GLA_DEVICE void fetch (chased_batch<T> &to, const T *from, int n, chased_group group, int t)
{
  constexpr int UNIT = 16 / (int)sizeof (T), UNITS = GROUP * B / UNIT;
  int lane = threadIdx.x % NC, tasks = eig_chased_tasks (n);
#pragma unroll
  for (int u = lane; u < UNITS; u += NC) {
    int q = u * UNIT / B, i = u * UNIT % B, s = GROUP * group.g + q;
    bool there = t >= 0 && t < group.places && s + 1 + B * t < n;
    async_copy<16> (&to.h[q][i], there ? from + ((int64_t)s * tasks + t) * B + i : from,
                    there ? 16 : 0);
  }
}

// Applies reflectors t of the sweeps of a group, the last sweep first, to the rows of column c in
// the window; the first B rows are final then.
template <int NC, class T>
GLA_DEVICE void advance (const chased_batch<T> &batch, T *X, chased_group group, int t,
                         T (&x)[WINDOW])
{
  T *at = X + (int64_t)(GROUP * group.g + B * t + 1) * NC + threadIdx.x % NC;
#pragma unroll
  for (int i = 0; i < WINDOW; i++)
    if (t == 0 || i >= WINDOW - B)
      x[i] = at[i * NC];
  apply<7> (batch.h[7], x);
  apply<6> (batch.h[6], x);
  apply<5> (batch.h[5], x);
  apply<4> (batch.h[4], x);
  apply<3> (batch.h[3], x);
  apply<2> (batch.h[2], x);
  apply<1> (batch.h[1], x);
  apply<0> (batch.h[0], x);
#pragma unroll
  for (int i = 0; i < B; i++)
    at[i * NC] = x[i];
#pragma unroll
  for (int i = 0; i < WINDOW - B; i++)
    x[i] = x[i + B];
}

// One block has NC columns of a page in shared memory. A team of as many lanes, a column to a
// lane, has GROUP neighbouring sweeps and goes down the band with their reflectors, GROUP by a
// place, on a window of rows in registers; the next team follows with the GROUP sweeps before them,
// one place behind, with a barrier for each place. When all have come to the end they take the
// sweeps before. The reflectors come to shared memory one place ahead. The results go to their
// columns of V.
template <class T, int NC, int THREADS>
__global__ void __launch_bounds__ (THREADS) chased_strip_kernel (eig_args<T> a, int most)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  T *X = reinterpret_cast<T *> (memory);
  int n = a.n, strips = (a.wanted + NC - 1) / NC, teams = THREADS / NC;
  int team = threadIdx.x / NC, lane = threadIdx.x % NC;
  int64_t page = blockIdx.x / strips;
  int column = (int)(blockIdx.x % strips) * NC + lane;
  const int columns = eig_columns_of (a, page);
  bool inside = column < columns;
  if (a.info[page] != 0 || column - lane >= columns || columns > most)
    return;
  chased_batch<T> *batch =
      reinterpret_cast<chased_batch<T> *> (X + (int64_t)strip_rows (n) * NC) + 2 * team;
  const T *reflectors = a.chased + page * n * eig_chased_tasks (n) * B;
  const real_t<T> *z = static_cast<const real_t<T> *> (a.Z) + page * n * n;
  z += inside ? eig_source_of (a, page, column) * n : 0;
  for (int i = team; i < strip_rows (n); i += teams)
    X[i * NC + lane] = from_real<T> (inside && i < n ? z[i] : real_t<T> (0));

  T x[WINDOW] = {};
  for (int last = (n - 2) / GROUP; last >= 0; last -= teams) {
    chased_group own (n, last - team), longest (n, last - teams < -1 ? 0 : last - teams + 1);
    int steps = longest.places + last - longest.g;
    fetch<NC> (batch[0], reflectors, n, own, -team);
    async_commit ();
    for (int step = 0; step < steps; step++) {
      int t = step - team;
      __syncwarp (); // the batch of the step before has been read
      fetch<NC> (batch[(step + 1) % 2], reflectors, n, own, t + 1);
      async_commit ();
      async_wait<1> ();
      __syncthreads ();
      if (t >= 0 && t < own.places)
        advance<NC> (batch[step % 2], X, own, t, x);
    }
    async_wait<0> (); // no copy is under way to where the next round begins
    __syncthreads ();
  }
  if (!inside)
    return;
  T *V = a.V + page * a.page_v + eig_place_of (a, page, column) * a.ldv;
  for (int i = team; i < n; i += teams)
    V[i] = X[i * NC + lane];
}

template <class T, int NC, int THREADS> cudaError_t launch (const eig_args<T> &a, int most)
{
  const size_t bytes = strip_bytes<T> (a.n, NC, THREADS);
  auto kernel = chased_strip_kernel<T, NC, THREADS>;
  const cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  const int64_t strips = a.pages * ((a.wanted + NC - 1) / NC);
  kernel<<<(unsigned)strips, THREADS, bytes, a.stream>>> (a, most);
  return cudaGetLastError ();
}

} // namespace

template <class T> bool eig_chased_strip_fits (int n, int smem_limit)
{
  return n >= 2 && strip_bytes<T> (n, COLUMNS<T> / 2, 128) <= (size_t)smem_limit;
}

// 256 threads if two such blocks fit a multiprocessor, else one block with as many threads as fit.
// With an interval, pages with many wanted columns go to chased_wide.
template <class T> cudaError_t eig_chased_strip (const eig_args<T> &a)
{
  constexpr int NC = COLUMNS<T>;
  constexpr int MOST = sizeof (T) < 16 ? 512 : 256; // registers of complex double
  const size_t limit = a.smem_limit;
  const bool shared = a.spans != nullptr && chased_wide_fits<T> (a.n, a.smem_limit);
  const int most = shared ? a.n / EIG_MANY_SHARE : a.n;
  const bool two = 2 * strip_bytes<T> (a.n, NC, 256) <= limit;
  if (!two && strip_bytes<T> (a.n, NC, MOST) <= limit)
    return launch<T, NC, MOST> (a, most);
  if (strip_bytes<T> (a.n, NC, 256) <= limit)
    return launch<T, NC, 256> (a, most);
  if (strip_bytes<T> (a.n, NC, 128) <= limit)
    return launch<T, NC, 128> (a, most);
  return strip_bytes<T> (a.n, NC / 2, MOST) <= limit ? launch<T, NC / 2, MOST> (a, most)
                                                     : launch<T, NC / 2, 128> (a, most);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template bool eig_chased_strip_fits<T> (int, int);                                               \
  template cudaError_t eig_chased_strip (const eig_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
