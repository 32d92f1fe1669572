// pencil_factor.cuh: Cholesky and the inverse of L for pages, or squares of them, in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A block takes a page. The lower triangle stands in tiles of 8 by 8 (warp_tiles.cuh), column of
// tiles by column of tiles becomes L, on the diagonal inv (L): all warps share the tiles below the
// one on the diagonal; then the first warp updates and factors the next tile on the diagonal,
// which is a long chain of operations, while the others share the columns to its right. Each warp
// then finds rows of tiles of M = inv (L) from M*L = I. In double precision for all types.

#ifndef GPULINALG_PENCIL_FACTOR_CUH
#define GPULINALG_PENCIL_FACTOR_CUH

#include "common/cluster.cuh"
#include "pencil_tiles.cuh"

// The square of a page that is factored.
struct factor_square {
  int at, size;
  bool whole; // all of the page
  int slabs;  // warps that invert, each with a row of tiles in shared memory
};

template <class T, int WARPS> struct pencil_cholesky {
  typedef pencil_tiles<T> ops;
  typedef typename ops::tile tile;
  typedef typename ops::W W;
  enum { TOGETHER = 4, TILE = 64 }; // tiles whose loads are under way at once, and their numbers

  int n, across; // order of the square, and tiles of a column
  W *L;          // tiles of the lower triangle, row by row; on the diagonal inverses
  W *Y;          // a row of tiles of each slab
  double *bound; // what pivots must exceed
  int *failed;   // the first that does not, or a large number

  GLA_DEVICE static int lane () { return threadIdx.x % 32; }
  GLA_DEVICE static int warp () { return threadIdx.x / 32; }
  GLA_DEVICE static int place (int i, int j) { return i * (i + 1) / 2 + j; }
  GLA_DEVICE static int row_of (int i) { return 8 * i + ops::g (); }
  GLA_DEVICE static int column_of (int j, int x) { return 8 * j + 2 * ops::t () + x; }

  GLA_DEVICE static tile get (const W *from, int k)
  {
    return {{from[k * TILE + lane ()], from[k * TILE + 32 + lane ()]}};
  }
  GLA_DEVICE static void put (W *to, int k, const tile &v)
  {
    to[k * TILE + lane ()] = v.x[0];
    to[k * TILE + 32 + lane ()] = v.x[1];
  }
  // The transpose of a tile in memory.
  GLA_DEVICE static tile get_turned (const W *from, int k)
  {
    const W *source = from + k * TILE + ops::g () % 2 * 32 + ops::g () / 2 + 8 * ops::t ();
    return {{source[0], source[4]}};
  }

  // The lower triangle, with the identity beyond n.
  GLA_DEVICE void load (const T *S, int64_t ld) const
  {
    const int tiles = place (across, 0);
    int i = 0, j = warp ();
    for (int k = warp (); k < tiles; k += TOGETHER * WARPS) {
      T here[TOGETHER][2];
      int row[TOGETHER], column[TOGETHER];
#pragma unroll
      for (int m = 0; m < TOGETHER; m++) {
        while (j > i) {
          j -= i + 1;
          i++;
        }
        row[m] = i;
        column[m] = j;
        j += WARPS;
#pragma unroll
        for (int x = 0; x < 2; x++) { // beyond n the last entry again
          const int r = min (row_of (row[m]), n - 1), c = min (column_of (column[m], x), n - 1);
          here[m][x] = S[max (r, c) + min (r, c) * ld];
        }
      }
#pragma unroll
      for (int m = 0; m < TOGETHER; m++) {
        tile v;
#pragma unroll
        for (int x = 0; x < 2; x++) {
          const int r = row_of (row[m]), c = column_of (column[m], x);
          const W value = conj_if (ops::promote (here[m][x]), r < c);
          v.x[x] = r < n && c < n ? value : from_real<W> (r == c ? 1 : 0);
        }
        if (k + m * WARPS < tiles)
          put (L, k + m * WARPS, v);
      }
    }
  }

  //----------------------------------------------------------------------------
  // factors
  //----------------------------------------------------------------------------

  GLA_DEVICE static void store (T *to, int64_t ld, int i, int j, const tile &v, int n)
  {
    const int r = row_of (i);
#pragma unroll
    for (int x = 0; x < 2; x++) {
      const int c = column_of (j, x);
      if (r < n && c < n)
        to[r + c * ld] = narrow<T> (v.x[x]);
    }
  }

  // Factors tile k on the diagonal, from which column k-1 is to be subtracted. L's tile goes to
  // `to` where that is not NULL.
  GLA_DEVICE void factor_diagonal (int k, T *to, int64_t ld) const
  {
    tile v = get (L, place (k, k)), own;
    if (k > 0) {
      const tile left = get (L, place (k, k - 1));
      ops::subtract (v, left, left);
    }
    const int here = ops::factor (v, own, bound + 8 * k);
    put (L, place (k, k), v);
    if (to != nullptr)
      store (to, ld, k, k, own, n);
    if (lane () == 0 && here < 8 && *failed > 8 * k + here)
      *failed = 8 * k + here;
  }

  // Column k of L below the diagonal.
  GLA_DEVICE void solve_column (int k) const
  {
    const tile inverse = get (L, place (k, k));
    for (int i = k + 1 + warp (); i < across; i += WARPS)
      put (L, place (i, k), ops::multiply (get (L, place (i, k)), inverse));
  }

  // Tiles first .. across-1 of column j: minus column k times row j.
  GLA_DEVICE void update_column (int first, int j, int k) const
  {
    const tile right = get (L, place (j, k));
    for (int i = first; i < across; i += TOGETHER) {
      tile c[TOGETHER], u[TOGETHER];
#pragma unroll
      for (int m = 0; m < TOGETHER; m++) { // beyond the last tile that one again
        const int row = min (i + m, across - 1);
        c[m] = get (L, place (row, j));
        u[m] = get (L, place (row, k));
      }
#pragma unroll
      for (int m = 0; m < TOGETHER; m++)
        ops::subtract (c[m], u[m], right);
#pragma unroll
      for (int m = 0; m < TOGETHER; m++)
        if (i + m < across)
          put (L, place (i + m, j), c[m]);
    }
  }

  // The columns to the right of k but for the next tile on the diagonal, by all warps but the
  // first. Longer columns go with shorter ones, in rounds of alternating direction.
  GLA_DEVICE void update (int k) const
  {
    const int others = WARPS - 1, me = warp () - 1;
    for (int round = 0;; round++) {
      const int j = k + 1 + round * others + (round % 2 ? others - 1 - me : me);
      if (round * others + k + 1 >= across)
        return;
      if (j < across)
        update_column (j == k + 1 ? j + 1 : j, j, k);
    }
  }

  GLA_DEVICE void factor (T *to, int64_t ld) const
  {
    if (warp () == 0)
      factor_diagonal (0, to, ld);
    for (int k = 0; k + 1 < across; k++) {
      __syncthreads ();
      solve_column (k);
      __syncthreads ();
      if (warp () != 0)
        update (k);
      else
        factor_diagonal (k + 1, to, ld);
    }
    __syncthreads ();
  }

  //----------------------------------------------------------------------------
  // the inverse
  //----------------------------------------------------------------------------

  // Minus y times tiles 0 .. k-1 of row k of L, from y[0] .. y[k-1], which are 0 before where
  // `first` is set.
  GLA_DEVICE void subtract_row (W *y, const tile &yk, int k, bool first) const
  {
    for (int i = 0; i < k; i += TOGETHER) {
      tile v[TOGETHER], l[TOGETHER];
#pragma unroll
      for (int m = 0; m < TOGETHER; m++) {
        const int column = min (i + m, k - 1);
        v[m] = first ? ops::zero () : get (y, column);
        l[m] = get_turned (L, place (k, column));
      }
#pragma unroll
      for (int m = 0; m < TOGETHER; m++)
        ops::subtract (v[m], yk, l[m], true);
#pragma unroll
      for (int m = 0; m < TOGETHER; m++)
        if (i + m < k)
          put (y, i + m, v[m]);
    }
  }

  // Row i of tiles of M, divided by powers of two, with zeros above the diagonal.
  GLA_DEVICE void invert_row (int i, W *y, T *to, int64_t ld, const int *exponent) const
  {
    tile yk = get (L, place (i, i));
    for (int k = i; k >= 0; k--) {
      if (k < i)
        yk = ops::multiply (get (y, k), get_turned (L, place (k, k)), true);
      subtract_row (y, yk, k, k == i);
      tile v = yk;
      for (int x = 0; x < 2 && exponent != nullptr; x++)
        v.x[x] = times_power (v.x[x], -exponent[min (column_of (k, x), n - 1)]);
      store (to, ld, i, k, v, n);
    }
    for (int k = i + 1; k < across; k++)
      store (to, ld, i, k, ops::zero (), n);
  }

  // Rows from the longest to the shortest, in rounds of alternating direction.
  GLA_DEVICE void invert (T *to, int64_t ld, const int *exponent, int slabs) const
  {
    W *y = Y + warp () * across * TILE;
    for (int round = 0; warp () < slabs && round * slabs < across; round++) {
      const int k = round * slabs + (round % 2 ? slabs - 1 - warp () : warp ());
      if (k < across)
        invert_row (across - 1 - k, y, to, ld, exponent);
    }
  }

  // L below its tiles on the diagonal and zeros above them.
  GLA_DEVICE void store_factor (T *to, int64_t ld) const
  {
    for (int i = warp (); i < across; i += WARPS)
      for (int j = 0; j < across; j++)
        if (j != i)
          store (to, ld, i, j, j < i ? get (L, place (i, j)) : ops::zero (), n);
  }
};

// L of a page, scaled back: row r times 2^exponent[r]. By all threads.
template <class T> GLA_DEVICE void pencil_scale_factor (T *L, int n, const int *exponent)
{
  for (int64_t k = threadIdx.x; k < (int64_t)n * n; k += blockDim.x)
    L[k] = times_power (L[k], exponent[k % n]);
}

// One block per page of B, in a grid-stride loop.
template <class T, int WARPS>
__global__ void __launch_bounds__ (32 * WARPS)
    pencil_factor_kernel (pencil_args<T> a, factor_square q)
{
  typedef wide<T> W;
  extern __shared__ __align__ (16) unsigned char pencil_space[];
  pencil_cholesky<T, WARPS> w;
  w.n = q.size;
  w.across = (q.size + 7) / 8;
  w.L = reinterpret_cast<W *> (pencil_space);
  w.Y = w.L + w.place (w.across, 0) * w.TILE;
  w.bound = reinterpret_cast<double *> (w.Y + q.slabs * w.across * w.TILE);
  w.failed = reinterpret_cast<int *> (w.bound + 8 * w.across);
  const int n = a.n;
  for (int64_t page = blockIdx.x; page < a.b_pages; page += gridDim.x) {
    T *M = a.M + page * n * n, *S = a.L + page * n * n;
    const int64_t corner = q.at + (int64_t)q.at * n;
    const double *before = a.before + page * n + q.at;
    const int *exponent = a.row + page * n;
    bool good = a.info_b[page] == 0;
    if (good) {
      if (threadIdx.x == 0)
        *w.failed = INT_MAX;
      for (int k = threadIdx.x; k < 8 * w.across; k += blockDim.x)
        w.bound[k] = k < q.size ? n * (double)limits<real_t<T>>::eps * before[k] : 0;
      w.load (S + corner, n);
      __syncthreads ();
      w.factor (a.product ? S + corner : nullptr, n);
      good = *w.failed == INT_MAX;
      if (!good && threadIdx.x == 0)
        a.info_b[page] = n + 2 + q.at + *w.failed;
    }
    if (good) {
      const bool scaled = q.whole && a.scaled[page];
      w.invert (M + corner, n, scaled ? exponent : nullptr, q.slabs);
      if (a.product)
        w.store_factor (S + corner, n);
      __syncthreads ();
      if (a.product && scaled)
        pencil_scale_factor (S, n, exponent);
    } else if (q.whole) {
      __syncthreads ();
      pencil_fill_page (M, n);
      pencil_fill_page (S, n);
    }
    __syncthreads ();
  }
}

// Bytes of shared memory.
template <class T> size_t pencil_factor_bytes (int n, int slabs)
{
  const size_t across = (size_t)(n + 7) / 8;
  return (across * (across + 1) / 2 + (size_t)slabs * across) * 64 * sizeof (wide<T>) +
         8 * across * sizeof (double) + 16;
}

template <class T> bool pencil_factor_fits (int n, int smem_limit)
{
  return pencil_factor_bytes<T> (n, 1) <= (size_t)smem_limit;
}

template <class T, int WARPS>
cudaError_t launch_factor (const pencil_args<T> &a, factor_square q)
{
  static std::atomic<uint64_t> configured;
  const auto kernel = pencil_factor_kernel<T, WARPS>;
  const cudaError_t error = allow_cluster (kernel, a.smem_limit, &configured);
  if (error != cudaSuccess)
    return error;
  q.slabs = WARPS;
  while (q.slabs > 1 && pencil_factor_bytes<T> (q.size, q.slabs) > (size_t)a.smem_limit)
    q.slabs--;
  kernel<<<(unsigned)a.b_pages, 32 * WARPS, pencil_factor_bytes<T> (q.size, q.slabs), a.stream>>> (
      a, q);
  return cudaGetLastError ();
}

template <class T> cudaError_t pencil_factor (const pencil_args<T> &a, int at, int size, bool whole)
{
  const factor_square q = {at, size, whole, 1};
  return size <= 64 ? launch_factor<T, 4> (a, q) : launch_factor<T, 8> (a, q);
}

#endif
