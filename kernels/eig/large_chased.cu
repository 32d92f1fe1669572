// large_chased.cu: the reflectors of the chase applied to the columns of V, diamond by diamond
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Q2 is the product of all reflectors in the order of the sweeps, so V = Q2 V begins with the last
// group of sweeps. Of a group, diamond t has rows LARGE_BAND*(g+t) + 1 and the next
// 2*LARGE_BAND - 1, and diamonds are applied in ascending order. Diamond t of the group before
// follows diamond t of this one, as its rows are LARGE_BAND higher. So a pass over V takes some
// groups together.

#include "large.cuh"
#include "common/async_copy.cuh"
#include "common/mma.cuh"

namespace
{

enum { B = LARGE_BAND, SIDE = DIAMOND_SIDE, COLUMNS = 16 };

// Groups of sweeps of a team, as many as the registers can hold.
template <class T> constexpr int TOGETHER = is_complex_v<T> ? 1 : 3;

// Between columns of a tile in shared memory, in numbers: lanes that read together, along columns
// or across, are in different banks, but for some reals.
template <class E> constexpr int APART = is_complex_v<E> ? 9 : 10;
template <class E> constexpr int TILE = 8 * APART<E>;
template <class E> constexpr int SLOT = (DIAMOND_TILES + DIAMOND_FACTOR_TILES) * TILE<E>;

//------------------------------------------------------------------------------
// fragments of V transposed: 16 columns by 8 rows; lane 4a+b has rows 2b and 2b+1 of columns a and
// a+8, which are columns b and b+4 of a factor of a product (as in he2hb.cuh)
//------------------------------------------------------------------------------

template <class E> struct piece {
  double re[4];
};
template <> struct piece<cx<double>> {
  double re[4], im[4];
};

// c += a b on the tensor cores. Compiled for GPUs before 8.0 it does nothing: it is never called
// there, see LARGE_SHARED, and without tensor cores so many products would take long to compile.
GLA_DEVICE void multiply_real (double (&c)[4], const double (&a)[4], double b0, double b1)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const double left[4] = {a[0], a[2], a[1], a[3]};
  mma_tall (c, left, b0, b1);
#endif
}

// c += a b for the two numbers of b that the lane holds
GLA_DEVICE void multiply (piece<double> &c, const piece<double> &a, double b0, double b1)
{
  multiply_real (c.re, a.re, b0, b1);
}
GLA_DEVICE void multiply (piece<cx<double>> &c, const piece<cx<double>> &a, cx<double> b0,
                          cx<double> b1)
{
  multiply_real (c.re, a.re, b0.x, b1.x);
  multiply_real (c.im, a.re, b0.y, b1.y);
  multiply_real (c.re, a.im, -b0.y, -b1.y);
  multiply_real (c.im, a.im, b0.x, b1.x);
}

GLA_DEVICE double minus (double x)
{
  return -x;
}
GLA_DEVICE cx<double> minus (cx<double> x)
{
  return {-x.x, -x.y};
}

// Rows 2b and 2b+1 of column a of a tile in shared memory, and columns 2b and 2b+1 of row a.
template <class E> GLA_DEVICE void along (const E *tile, E &first, E &second)
{
  const E *at = tile + threadIdx.x % 32 / 4 * APART<E> + threadIdx.x % 4 * 2;
  if constexpr (is_complex_v<E>) {
    first = at[0];
    second = at[1];
  } else {
    double2 x = *reinterpret_cast<const double2 *> (at);
    first = x.x;
    second = x.y;
  }
}
template <class E> GLA_DEVICE void across (const E *tile, E &first, E &second)
{
  const E *at = tile + threadIdx.x % 4 * 2 * APART<E> + threadIdx.x % 32 / 4;
  first = at[0];
  second = at[APART<E>];
}

// The window: 32 rows of 16 columns.
template <class E> struct rows_of {
  piece<E> p[SIDE];
};

// V(rows) -= U T U' V(rows) for the rows of one diamond, upper and lower; U and T are in shared
// memory. Tile (I, J) of U is there for J <= I <= J + SIDE.
template <class E> GLA_DEVICE void apply (const E *diamond, rows_of<E> &upper, rows_of<E> &lower)
{
  piece<E> w[SIDE] = {};
#pragma unroll
  for (int under = 0; under <= SIDE; under++)
#pragma unroll
    for (int J = 0; J < SIDE; J++) {
      int I = J + under;
      E u0, u1;
      along (diamond + (J * (SIDE + 1) + under) * TILE<E>, u0, u1);
      multiply (w[J], I < SIDE ? upper.p[I % SIDE] : lower.p[I % SIDE], conj (u0), conj (u1));
    }
#pragma unroll
  for (int I = 0; I < SIDE; I++) {
    piece<E> sum = {};
#pragma unroll
    for (int J = I; J < SIDE; J++) {
      E t0, t1;
      along (diamond + diamond_factor_tile (I, J) * TILE<E>, t0, t1);
      multiply (sum, w[J], t0, t1);
    }
    w[I] = sum;
  }
#pragma unroll
  for (int J = 0; J < SIDE; J++)
#pragma unroll
    for (int under = 0; under <= SIDE; under++) {
      int I = J + under;
      E u0, u1;
      across (diamond + (J * (SIDE + 1) + under) * TILE<E>, u0, u1);
      multiply (I < SIDE ? upper.p[I % SIDE] : lower.p[I % SIDE], w[J], minus (u0), minus (u1));
    }
}

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

template <class T> struct strip_args {
  T *V;
  int64_t ldv;
  int n, columns, top; // rows and columns of V; the last group of the pass
  const wide<T> *diamonds;
};

// The lane's part of rows B*block + 1 and on of the warp's columns; nothing outside of V.
template <class T>
GLA_DEVICE void load_rows (const strip_args<T> &s, int column, int block, rows_of<wide<T>> &to)
{
  int a = threadIdx.x % 32 / 4, row = B * block + 1 + threadIdx.x % 4 * 2;
#pragma unroll
  for (int I = 0; I < SIDE; I++)
#pragma unroll
    for (int q = 0; q < 4; q++) {
      int i = row + 8 * I + q % 2, j = column + a + q / 2 * 8;
      wide<T> x = from_real<wide<T>> (0);
      if (block >= 0 && i < s.n && j < s.columns)
        x = widen (s.V[j * s.ldv + i]);
      to.p[I].re[q] = re (x);
      if constexpr (is_complex_v<T>)
        to.p[I].im[q] = x.y;
    }
}
template <class T>
GLA_DEVICE void store_rows (const strip_args<T> &s, int column, int block,
                            const rows_of<wide<T>> &from)
{
  int a = threadIdx.x % 32 / 4, row = B * block + 1 + threadIdx.x % 4 * 2;
#pragma unroll
  for (int I = 0; I < SIDE; I++)
#pragma unroll
    for (int q = 0; q < 4; q++) {
      int i = row + 8 * I + q % 2, j = column + a + q / 2 * 8;
      wide<T> x;
      if constexpr (is_complex_v<T>)
        x = {from.p[I].re[q], from.p[I].im[q]};
      else
        x = from.p[I].re[q];
      if (block >= 0 && i < s.n && j < s.columns)
        s.V[j * s.ldv + i] = narrow<T> (x);
    }
}

// Begins to copy a diamond to shared memory by the THREADS threads of a team, a column of a tile
// after the other.
template <int THREADS, class E> GLA_DEVICE void stage (const E *diamond, E *to)
{
  constexpr int PIECES = 8 * sizeof (E) / 16; // of 16 bytes, in a column of a tile
  for (int q = threadIdx.x % THREADS; q < DIAMOND_NUMBERS / 8 * PIECES; q += THREADS)
    async_copy (reinterpret_cast<cx<double> *> (to + q / PIECES * APART<E>) + q % PIECES,
                reinterpret_cast<const cx<double> *> (diamond) + q);
}

//------------------------------------------------------------------------------
// teams
//------------------------------------------------------------------------------

// Which diamonds a team takes, in order: for each t those of groups top, top-1, ..., `groups` of
// them, as far as there are any.
struct team_order {
  diamond_list list;
  int top, groups, t, f;
  GLA_DEVICE bool there (int step, int group) const { return step < list.groups - top + group; }
  GLA_DEVICE int steps () const { return list.groups - top + groups - 1; }
  GLA_DEVICE int64_t index () const { return list.index (top - f, t); }
  GLA_DEVICE bool next () // false behind the last one
  {
    do {
      t += f + 1 == groups;
      f = f + 1 == groups ? 0 : f + 1;
    } while (t < steps () && !there (t, f));
    return t < steps ();
  }
};

// A barrier of the threads of a team.
template <int THREADS> GLA_DEVICE void team_barrier (int team)
{
  asm volatile("bar.sync %0, %1;" ::"r"(team + 1), "n"(THREADS) : "memory");
}

// The warp waits until the one of the team before has stored so many blocks of rows.
GLA_DEVICE void wait_for_rows (const volatile int *stored, int blocks)
{
  while (*stored < blocks)
    ;
  __threadfence_block ();
  __syncwarp ();
}
GLA_DEVICE void rows_are_stored (volatile int *stored, int blocks)
{
  __threadfence_block ();
  __syncwarp ();
  if (threadIdx.x % 32 == 0)
    *stored = blocks;
}

// A block has teams of C warps, and each warp of a team has 16 columns of V, the same in all teams.
// A team takes F groups of sweeps: it goes down the rows once, with the rows of the current
// diamonds in registers, while the next diamonds are copied to shared memory. The next team follows
// with the preceding F groups as soon as rows are stored. As many teams as fit keep a
// multiprocessor busy also where there are few columns.
template <class T, int F, int C, int TEAMS>
__global__ void __launch_bounds__ (32 * C * TEAMS, 1) large_chased_kernel (strip_args<T> s)
{
  typedef wide<T> E;
  constexpr int THREADS = 32 * C;
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ volatile int stored[TEAMS][C];
  int team = threadIdx.x / THREADS, warp = threadIdx.x / 32 % C;
  int column = (blockIdx.x * C + warp) * COLUMNS, top = s.top - team * F, at = 0;
  if (threadIdx.x < TEAMS * C)
    stored[threadIdx.x / C][threadIdx.x % C] = 0;
  __syncthreads ();
  if (top < 0)
    return;
  E *slots = reinterpret_cast<E *> (memory) + 2 * team * SLOT<E>;
  team_order ahead = {diamond_list (s.n), top, top + 1 < F ? top + 1 : F, 0, 0};
  const team_order all = ahead;
  stage<THREADS> (s.diamonds + ahead.index () * DIAMOND_NUMBERS, slots);
  async_commit ();
  rows_of<E> window[F + 1]; // blocks of rows top+t-F+1 .. top+t+1
#pragma unroll
  for (int k = 0; k < F; k++)
    load_rows (s, column, top - F + 1 + k, window[k]);
#pragma unroll 1
  for (int t = 0; t < all.steps (); t++) {
    if (team > 0)
      wait_for_rows (&stored[team - 1][warp], t + 1);
    load_rows (s, column, top + t + 1, window[F]);
#pragma unroll
    for (int f = 0; f < F; f++)
      if (f < all.groups && all.there (t, f)) {
        if (ahead.next ())
          stage<THREADS> (s.diamonds + ahead.index () * DIAMOND_NUMBERS,
                          slots + (1 - at) * SLOT<E>);
        async_commit ();
        async_wait<1> ();
        team_barrier<THREADS> (team);
        apply (slots + at * SLOT<E>, window[F - 1 - f], window[F - f]);
        team_barrier<THREADS> (team); // before the next copy to this slot
        at = 1 - at;
      }
    store_rows (s, column, top + t - F + 1, window[0]);
    rows_are_stored (&stored[team][warp], t + 1);
#pragma unroll
    for (int k = 0; k < F; k++)
      window[k] = window[k + 1];
  }
#pragma unroll
  for (int k = 0; k < F; k++)
    store_rows (s, column, top + all.steps () - F + 1 + k, window[k]);
  rows_are_stored (&stored[team][warp], INT_MAX);
}

template <class T, int C, int TEAMS> cudaError_t launch (const large_page<T> &a, int top)
{
  constexpr int F = TOGETHER<T>;
  size_t bytes = TEAMS * 2 * SLOT<wide<T>> * sizeof (wide<T>);
  auto kernel = large_chased_kernel<T, F, C, TEAMS>;
  cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  strip_args<T> s = {a.V + a.first * a.ldv, a.ldv, a.n, a.wanted, top, a.work.diamonds};
  int blocks = (a.wanted + COLUMNS * C - 1) / (COLUMNS * C);
  kernel<<<(unsigned)blocks, 32 * C * TEAMS, bytes, a.stream>>> (s);
  return cudaGetLastError ();
}

// Warps of a team: as few as leave a block to each multiprocessor.
template <class T> int team_warps (const large_page<T> &a)
{
  int warps = 1;
  while (warps < 8 && a.wanted > COLUMNS * warps * a.multiprocessors)
    warps *= 2;
  return warps;
}

// Teams of so many warps: the block can have eight warps, and shared memory holds diamonds of real
// numbers for four teams, of complex ones for three.
template <class T> constexpr int TEAMS_OF (int warps)
{
  return warps == 8 ? 1 : warps == 4 ? 2 : is_complex_v<T> ? 3 : 4;
}

} // namespace

template <class T> int large_groups_together (const large_page<T> &a)
{
  return TOGETHER<T> * TEAMS_OF<T> (team_warps (a));
}

template <class T> cudaError_t large_chased (const large_page<T> &a, int top)
{
  switch (team_warps (a)) {
  case 1:
    return launch<T, 1, TEAMS_OF<T> (1)> (a, top);
  case 2:
    return launch<T, 2, TEAMS_OF<T> (2)> (a, top);
  case 4:
    return launch<T, 4, TEAMS_OF<T> (4)> (a, top);
  default:
    return launch<T, 8, TEAMS_OF<T> (8)> (a, top);
  }
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int large_groups_together (const large_page<T> &);                                      \
  template cudaError_t large_chased (const large_page<T> &, int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
