// chased_wide.cu: the second stage of complex double pages undone on the tensor cores
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V = Q2 Z as in chased_strip.cu, with the eight reflectors of a group of sweeps at one place as
// I - U T U' (Schreiber, Van Loan 1989): U has 16 rows, of which the last one is 0.

#include "eig_kernels.cuh"
#include "common/async_copy.cuh"
#include "common/mma.cuh"

namespace
{

typedef cx<double> number;

enum { B = EIG_BANDWIDTH, FACTOR_THREADS = 256, FACTOR_ITEMS = FACTOR_THREADS / B };

// Teams of a block where a strip has 16 columns, and where it has 8.
enum { FEW_TEAMS = 12, MANY_TEAMS = 16 };

// Groups of eight sweeps, in the order in which they are applied; group i begins with sweep
// B*(last - i) and has i+1 places.
__host__ __device__ constexpr int last_group (int n)
{
  return (n - 2) / B;
}

// Entry d of the reflector of sweep s at place t; 0 where there is none.
GLA_DEVICE const number *reflector_of (const number *reflectors, int n, int s, int t, bool &there)
{
  there = s + 1 + B * t < n;
  return there ? reflectors + ((int64_t)s * eig_chased_tasks (n) + t) * B : reflectors;
}

//------------------------------------------------------------------------------
// fragments of V transposed
//------------------------------------------------------------------------------

// Eight rows of eight columns; lane 4a+b has rows 2b and 2b+1 of column a, their real parts and
// their imaginary ones: a product of 16 by 8 tiles has all real parts above all imaginary ones. As
// sums of a product the rows are its columns 2b and 2b+1, as a factor columns b and b+4: the order
// of the terms does not matter.
struct piece {
  double x[4];
};
enum { PIECE_COLUMNS = 8 };

// c += a b for the two numbers of b that the lane holds
GLA_DEVICE void multiply (piece &c, const piece &a, number b0, number b1)
{
  const double left[4] = {a.x[0], a.x[2], a.x[1], a.x[3]};
  const double turned[4] = {-a.x[2], a.x[0], -a.x[3], a.x[1]};
  mma_tall (c.x, left, b0.x, b1.x);
  mma_tall (c.x, turned, b0.y, b1.y);
}

// Columns of a strip in shared memory, an odd number of numbers apart by rows.
template <int PIECES> struct chased_strip {
  static constexpr int NC = PIECES * PIECE_COLUMNS, LD = NC + 1;
  number *X;
  GLA_DEVICE number *at (int row, int f) const
  {
    const int lane = threadIdx.x % 32;
    return X + (row + 2 * (lane % 4)) * LD + PIECE_COLUMNS * f + lane / 4;
  }
  GLA_DEVICE void load (int row, piece (&to)[PIECES]) const
  {
#pragma unroll
    for (int f = 0; f < PIECES; f++) {
      const number *from = at (row, f);
      const number first = from[0], second = from[LD];
      to[f].x[0] = first.x;
      to[f].x[1] = second.x;
      to[f].x[2] = first.y;
      to[f].x[3] = second.y;
    }
  }
  GLA_DEVICE void store (int row, const piece (&from)[PIECES]) const
  {
#pragma unroll
    for (int f = 0; f < PIECES; f++) {
      number *to = at (row, f);
      const double (&x)[4] = from[f].x;
      to[0] = {x[0], x[2]};
      to[LD] = {x[1], x[3]};
    }
  }
};

// The reflectors of a group at one place: tau at the place of the one, then the other entries; and
// -T by rows.
struct alignas (16) chased_block {
  number h[B][B], factor[B][B + 1];

  // Entry (r, q) of U.
  GLA_DEVICE number entry (int r, int q) const
  {
    const int d = r - q;
    const number x = h[q][d & (B - 1)];
    return d == 0 ? from_real<number> (1) : d > 0 && d < B ? x : from_real<number> (0);
  }
  // Sets to zero what no copy fills.
  GLA_DEVICE void clear ()
  {
    for (int u = threadIdx.x % 32; u < B * B; u += 32)
      factor[u / B][u % B] = from_real<number> (0);
  }
  // One warp starts to copy it.
  GLA_DEVICE void fetch (const number *reflectors, const number *factors, int n, int i, int t)
  {
    const int g = last_group (n) - i;
    factors += ((int64_t)g * eig_chased_tasks (n) + t) * (B * B);
#pragma unroll
    for (int u = threadIdx.x % 32; u < B * B; u += 32) {
      const int q = u / B, e = u % B;
      bool there;
      const number *from = reflector_of (reflectors, n, B * g + q, t, there);
      async_copy (&h[q][e], from + (there ? e : 0), there);
      if (e >= q)
        async_copy (&factor[q][e], factors + u);
    }
  }
  // Subtracts U T U' times the rows of `upper` and `lower` from them.
  template <int PIECES> GLA_DEVICE void apply (piece (&upper)[PIECES], piece (&lower)[PIECES]) const
  {
    const int a = threadIdx.x % 32 / 4, b = threadIdx.x % 4 * 2;
    piece w[PIECES] = {}, v[PIECES] = {};
#pragma unroll
    for (int I = 0; I < 2; I++) {
      const number u0 = conj (entry (B * I + b, a)), u1 = conj (entry (B * I + b + 1, a));
#pragma unroll
      for (int f = 0; f < PIECES; f++)
        multiply (w[f], I == 0 ? upper[f] : lower[f], u0, u1);
    }
    const number t0 = factor[a][b], t1 = factor[a][b + 1];
#pragma unroll
    for (int f = 0; f < PIECES; f++)
      multiply (v[f], w[f], t0, t1);
#pragma unroll
    for (int I = 0; I < 2; I++) {
      const number u0 = entry (B * I + a, b), u1 = entry (B * I + a, b + 1);
#pragma unroll
      for (int f = 0; f < PIECES; f++)
        multiply (I == 0 ? upper[f] : lower[f], v[f], u0, u1);
    }
  }
};

//------------------------------------------------------------------------------
// T
//------------------------------------------------------------------------------

// Returns the number of lane `lane` of eight.
GLA_DEVICE number of_lane (number x, int lane)
{
  return {__shfl_sync (0xffffffffu, x.x, lane, B), __shfl_sync (0xffffffffu, x.y, lane, B)};
}

// Makes -T of the reflectors of every group at every place. Eight lanes have one T, a row each.
// T(i, j) = -tau(j) sum of T(i, l) G(l, j) with G = U'U.
__global__ void __launch_bounds__ (FACTOR_THREADS)
    chased_factor_kernel (eig_args<number> a, number *factors)
{
  __shared__ number h[FACTOR_ITEMS][B][B];
  const int n = a.n, tasks = eig_chased_tasks (n), lane = threadIdx.x % B;
  const int64_t page = blockIdx.x;
  if (eig_columns_of (a, page) <= n / EIG_MANY_SHARE)
    return;
  const int item = blockIdx.y * FACTOR_ITEMS + threadIdx.x / B, g = item / tasks, t = item % tasks;
  if (a.info[page] != 0)
    return;
  number (&own)[B][B] = h[threadIdx.x / B];
  bool there;
  const number *from =
      reflector_of (a.chased + page * eig_chased_numbers (n), n, B * g + lane, t, there);
#pragma unroll
  for (int d = 0; d < B; d++)
    own[lane][d] = there ? from[d] : from_real<number> (0);
  __syncwarp ();
  number row[B];
#pragma unroll
  for (int j = 0; j < B; j++) {
    number product = from_real<number> (0), sum = product;
#pragma unroll
    for (int e = 0; e < B; e++) {
      const int d = e + j - lane;
      const number right = e == 0 ? from_real<number> (1) : own[j][e];
      if (lane < j && d < B)
        product = cmadd (own[lane][d], right, product);
    }
#pragma unroll
    for (int l = 0; l < j; l++) {
      const number other = of_lane (product, l);
      sum = l >= lane ? madd (row[l], other, sum) : sum;
    }
    const number tau = own[j][0];
    row[j] = lane < j ? from_real<number> (0) - tau * sum : lane == j ? tau : from_real<number> (0);
  }
  if (g > last_group (n))
    return;
  number *to = factors + (page * (last_group (n) + 1) * tasks + item) * (B * B) + lane * B;
#pragma unroll
  for (int j = 0; j < B; j++)
    to[j] = from_real<number> (0) - row[j];
}

//------------------------------------------------------------------------------
// strips
//------------------------------------------------------------------------------

// Rows of a strip: those of the last windows are there, as zeros.
__host__ __device__ constexpr int strip_rows (int n)
{
  return n + 2 * B;
}

template <int PIECES> size_t strip_bytes (int n, int teams)
{
  return (size_t)strip_rows (n) * chased_strip<PIECES>::LD * sizeof (number) +
         2 * (size_t)teams * sizeof (chased_block);
}

// The progress of a team in group and place, a number that only grows; and its value after the last
// place.
GLA_DEVICE int stage_of (int i, int places)
{
  return i * 4096 + places;
}
GLA_DEVICE void wait_for (const volatile int *stage, int least)
{
  while (*stage < least)
    ;
  __threadfence_block ();
  __syncwarp ();
}
GLA_DEVICE void reach (volatile int *stage, int value)
{
  __threadfence_block ();
  __syncwarp ();
  if (threadIdx.x % 32 == 0)
    *stage = value;
}

// One block has some columns of a page in shared memory. A team is a warp; it has a group of eight
// sweeps and goes down the band with them, on 16 rows in registers. Group i is that of team i %
// TEAMS, which follows group i-1 as soon as that has stored the rows of a place. Reflectors and
// factors come to shared memory one place ahead. The results go to their columns of V.
template <int PIECES, int TEAMS>
__global__ void __launch_bounds__ (32 * TEAMS, 1)
    chased_wide_kernel (eig_args<number> a, const number *all_factors)
{
  typedef chased_strip<PIECES> strip;
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ volatile int stages[TEAMS];
  const int n = a.n, strips = (a.wanted + strip::NC - 1) / strip::NC, team = threadIdx.x / 32;
  const int last = last_group (n), before = team == 0 ? TEAMS - 1 : team - 1;
  const int64_t page = blockIdx.x / strips;
  const int wanted = eig_columns_of (a, page), j0 = (int)(blockIdx.x % strips) * strip::NC;
  const int columns = min (strip::NC, wanted - j0);
  if (a.info[page] != 0 || columns <= 0 || wanted <= n / EIG_MANY_SHARE)
    return;
  const strip s = {reinterpret_cast<number *> (memory)};
  chased_block *blocks =
      reinterpret_cast<chased_block *> (s.X + (int64_t)strip_rows (n) * strip::LD) + 2 * team;
  const number *reflectors = a.chased + page * eig_chased_numbers (n);
  const number *factors = all_factors + page * (last + 1) * eig_chased_tasks (n) * (B * B);
  const int lane = threadIdx.x % 32;
  for (int c = team; c < strip::NC; c += TEAMS) {
    const double *z = static_cast<const double *> (a.Z) + page * n * n;
    z += c < columns ? eig_source_of (a, page, j0 + c) * n : 0;
    for (int r = lane; r < strip_rows (n); r += 32)
      s.X[r * strip::LD + c] = from_real<number> (c < columns && r < n ? z[r] : double (0));
  }
  if (threadIdx.x < TEAMS)
    stages[threadIdx.x] = -1;
  __syncthreads ();

  piece upper[PIECES], lower[PIECES];
  int at = 0;
  blocks[0].clear ();
  blocks[1].clear ();
  __syncwarp ();
  if (team <= last)
    blocks[0].fetch (reflectors, factors, n, team, 0);
  async_commit ();
  for (int i = team; i <= last; i += TEAMS) {
#pragma unroll 1
    for (int t = 0; t <= i; t++) {
      const int row = B * (last - i + t) + 1;
      __syncwarp (); // the block before has been read
      if (t < i || i + TEAMS <= last)
        blocks[1 - at].fetch (reflectors, factors, n, t < i ? i : i + TEAMS, t < i ? t + 1 : 0);
      async_commit ();
      async_wait<1> ();
      __syncwarp ();
      if (i > 0)
        wait_for (&stages[before], stage_of (i - 1, t + 1));
      if (t == 0)
        s.load (row, upper);
      s.load (row + B, lower);
      blocks[at].apply (upper, lower);
      s.store (row, upper);
      reach (&stages[team], stage_of (i, t == i ? 4095 : t + 1));
#pragma unroll
      for (int f = 0; f < PIECES; f++)
        upper[f] = lower[f];
      at = 1 - at;
    }
  }
  __syncthreads ();
  for (int c = team; c < columns; c += TEAMS) {
    number *V = a.V + page * a.page_v + eig_place_of (a, page, j0 + c) * a.ldv;
    for (int r = lane; r < n; r += 32)
      V[r] = s.X[r * strip::LD + c];
  }
}

template <int PIECES, int TEAMS> cudaError_t launch (const eig_args<number> &a)
{
  const size_t bytes = strip_bytes<PIECES> (a.n, TEAMS);
  auto kernel = chased_wide_kernel<PIECES, TEAMS>;
  const cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  number *factors = a.chased + a.pages * eig_chased_numbers (a.n);
  const int items = (last_group (a.n) + 1) * eig_chased_tasks (a.n);
  const dim3 grid ((unsigned)a.pages, (items + FACTOR_ITEMS - 1) / FACTOR_ITEMS);
  chased_factor_kernel<<<grid, FACTOR_THREADS, 0, a.stream>>> (a, factors);
  const int columns = chased_strip<PIECES>::NC;
  const int64_t strips = a.pages * ((a.wanted + columns - 1) / columns);
  kernel<<<(unsigned)strips, 32 * TEAMS, bytes, a.stream>>> (a, factors);
  return cudaGetLastError ();
}

} // namespace

template <class T> int64_t chased_wide_numbers (int n)
{
  return std::is_same_v<T, number> ? (int64_t)(last_group (n) + 1) * eig_chased_tasks (n) * (B * B)
                                   : 0;
}

template <class T> bool chased_wide_fits (int n, int smem_limit)
{
  return std::is_same_v<T, number> && n >= 2 &&
         strip_bytes<1> (n, MANY_TEAMS) <= (size_t)smem_limit;
}

template <> cudaError_t chased_wide (const eig_args<number> &a)
{
  return strip_bytes<2> (a.n, FEW_TEAMS) <= (size_t)a.smem_limit ? launch<2, FEW_TEAMS> (a)
                                                                 : launch<1, MANY_TEAMS> (a);
}

template <class T> cudaError_t chased_wide (const eig_args<T> &)
{
  return cudaErrorInvalidValue;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int64_t chased_wide_numbers<T> (int);                                                   \
  template bool chased_wide_fits<T> (int, int);                                                    \
  template cudaError_t chased_wide (const eig_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
