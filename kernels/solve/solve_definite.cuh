// solve_definite.cuh: systems with a definite page of order 33 to 256, by a block of threads
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lower triangle is in shared memory, or in global memory if it does not fit, in tiles of 8 by
// 8 in the layout of solve_tiles.cuh, whose arithmetic is used. A = L*D*L' is found by columns of
// tiles. All warps share the tiles below the one on the diagonal, of which the inverse of L is
// kept. Then the first warp updates and factors the next tile on the diagonal, which is a long
// sequential operation, while the others share the columns to its right. Then each warp solves for
// 8 right-hand sides at a time, as rows y'. All is in double precision, whatever the type.
//
// Pages get the info LU_PENDING if they are not Hermitian with a positive diagonal, not definite
// after all, have a pivot that may be rounding error, or must be scaled; solve_page.cuh and
// solve_panel.cuh do them.

#ifndef GPULINALG_SOLVE_DEFINITE_CUH
#define GPULINALG_SOLVE_DEFINITE_CUH

#include "common/cluster.cuh"
#include "common/mma_tiles.cuh"
#include "solve.cuh"
#include "solve_tiles.cuh"

template <class T, int WARPS> struct page_cholesky : triangle_tiles<T> {
  typedef triangle_tiles<T> base;
  typedef wide<T> W;
  typedef lu_tiles<T, 1> ops;
  typedef typename ops::tile tile;
  using base::across;
  using base::get;
  using base::get_turned;
  using base::L;
  using base::lane;
  using base::n;
  using base::place;
  using base::put;
  using base::TILE;
  using base::TOGETHER;
  using base::warp;
  using base::Y;

  double *d; // reciprocals of D; the first slab of Y holds a column of L*D while factoring

  //----------------------------------------------------------------------------
  // reading the page
  //----------------------------------------------------------------------------

  // Loads tiles k, k+WARPS, ... of the triangle. Returns whether an entry shows that the page is
  // not Hermitian with a positive diagonal; `size` becomes the largest size of this thread.
  template <class E>
  GLA_DEVICE bool load_tiles (const E *A, int64_t ld, bool turned, int &size) const
  {
    bool skew = false;
    const int tiles = place (across, 0);
    int i = 0, j = warp ();
    for (int k = warp (); k < tiles; k += TOGETHER * WARPS) {
      E lower[TOGETHER][2], upper[TOGETHER][2];
      int row[TOGETHER], column[TOGETHER];
#pragma unroll
      for (int m = 0; m < TOGETHER; m++) {
        while (j > i) {
          j -= i + 1;
          i++;
        }
        row[m] = 8 * i + ops::g ();
        column[m] = 8 * j + 2 * ops::t ();
        j += WARPS;
#pragma unroll
        for (int x = 0; x < 2; x++) { // beyond n the last entry again
          const int r = min (row[m], n - 1), c = min (column[m] + x, n - 1);
          lower[m][x] = A[r + c * ld];
          upper[m][x] = A[c + r * ld];
        }
      }
#pragma unroll
      for (int m = 0; m < TOGETHER; m++) {
        tile v;
#pragma unroll
        for (int x = 0; x < 2; x++) {
          const int r = row[m], c = column[m] + x;
          const bool there = r < n && c < n;
          const W here = ops::promote (lower[m][x]);
          size = max (size, size_bits (lower[m][x]));
          skew |= there && !is_same (here, conj (ops::promote (upper[m][x])));
          skew |= there && r == c && !(re (here) > 0);
          v.x[x] = there ? conj_if (here, turned) : from_real<W> (r == c ? 1 : 0);
        }
        if (k + m * WARPS < tiles)
          put (L, k + m * WARPS, v);
      }
    }
    return skew;
  }

  // Returns whether this kernel serves the page, which is then in L.
  template <class E> GLA_DEVICE bool load (const E *A, int64_t ld, bool turned) const
  {
    typedef lu_size<real_t<T>> Z;
    if (!ops::may_be_hermitian (A, ld, n < 32 ? n : 32))
      return false;
    int size = 0;
    const bool skew = load_tiles (A, ld, turned, size);
    const bool refused = __syncthreads_or (skew || size > Z::large);
    return __syncthreads_or (size >= Z::small) && !refused;
  }

  //----------------------------------------------------------------------------
  // factors
  //----------------------------------------------------------------------------

  // Factors tile k on the diagonal after subtracting column k-1. Returns whether its part of D is
  // positive.
  GLA_DEVICE bool factor_diagonal (int k) const
  {
    tile v = get (L, place (k, k));
    double reciprocal[2];
    if (k > 0)
      ops::subtract (v, get (Y, k), get (L, place (k, k - 1)));
    const bool good = ops::factor_tile (v, reciprocal);
    put (L, place (k, k), v);
    if (ops::g () == 0)
      for (int x = 0; x < 2; x++)
        d[8 * k + 2 * ops::t () + x] = reciprocal[x];
    return good;
  }

  // Finds column k of L below the diagonal, and in Y that of L*D.
  GLA_DEVICE void solve_column (int k) const
  {
    const tile inverse = get (L, place (k, k));
    const double *dk = d + 8 * k + 2 * ops::t ();
    for (int i = k + 1 + warp (); i < across; i += WARPS) {
      const tile u = ops::multiply (get (L, place (i, k)), inverse);
      put (Y, i, u);
      put (L, place (i, k), {{scale (dk[0], u.x[0]), scale (dk[1], u.x[1])}});
    }
  }

  // Updates the columns to the right of k except the next tile on the diagonal, by all warps but
  // the first. Rounds alternate in direction, so that a warp has long and short columns.
  GLA_DEVICE void update (int k) const
  {
    const int others = WARPS - 1, me = warp () - 1;
    for (int round = 0;; round++) {
      const int j = k + 1 + round * others + (round % 2 ? others - 1 - me : me);
      if (j >= across)
        return;
      base::template update_column<true> (j == k + 1 ? j + 1 : j, j, k);
    }
  }

  // Whether the page is definite.
  GLA_DEVICE bool factor () const
  {
    bool good = warp () != 0 || factor_diagonal (0);
    for (int k = 0; k + 1 < across; k++) {
      __syncthreads ();
      solve_column (k);
      __syncthreads ();
      if (warp () != 0)
        update (k);
      else
        good = factor_diagonal (k + 1) && good;
    }
    return !__syncthreads_or (!good);
  }

  // Whether a number of D may be mere rounding error.
  template <class E> GLA_DEVICE bool is_rounded (const E *A, int64_t ld) const
  {
    bool rounded = false;
    for (int j = threadIdx.x; j < n; j += 32 * WARPS)
      rounded |= lu_is_rounded_definite<T> (n, d[j], re (ops::promote (A[j + j * ld])));
    return __syncthreads_or (rounded);
  }

  //----------------------------------------------------------------------------
  // 8 right-hand sides, by one warp: y[i] has rows 8*i .. of columns c .., transposed
  //----------------------------------------------------------------------------

  template <class E>
  GLA_DEVICE void load_right_sides (W *y, const E *from, const lu_args<T> &a, int64_t c) const
  {
    const E *column = from + (c + ops::g () < a.rhs ? c + ops::g () : a.rhs - 1) * a.b_column;
    for (int i = 0; i < across; i += TOGETHER) {
      E b[TOGETHER][2];
#pragma unroll
      for (int m = 0; m < TOGETHER; m++)
#pragma unroll
        for (int x = 0; x < 2; x++)
          b[m][x] = column[min (8 * (i + m) + 2 * ops::t () + x, n - 1) * a.b_row];
#pragma unroll
      for (int m = 0; m < TOGETHER; m++) {
        tile v;
        for (int x = 0; x < 2; x++) {
          const bool there = 8 * (i + m) + 2 * ops::t () + x < n && c + ops::g () < a.rhs;
          v.x[x] = there ? ops::promote (b[m][x]) : from_real<W> (0);
        }
        if (i + m < across)
          put (y, i + m, v);
      }
    }
  }

  // Subtracts y[k] times tiles of L from y[first] .. y[last-1]: of column k, or with UP of row k.
  template <bool UP>
  GLA_DEVICE void substitute_from (W *y, int first, int last, int k, const tile &yk) const
  {
    for (int i = first; i < last; i += TOGETHER) {
      tile v[TOGETHER], l[TOGETHER];
#pragma unroll
      for (int m = 0; m < TOGETHER; m++) {
        const int row = min (i + m, last - 1);
        v[m] = get (y, row);
        l[m] = UP ? get_turned (L, place (k, row)) : get (L, place (row, k));
      }
#pragma unroll
      for (int m = 0; m < TOGETHER; m++)
        ops::subtract (v[m], yk, l[m], !UP);
#pragma unroll
      for (int m = 0; m < TOGETHER; m++)
        if (i + m < last)
          put (y, i + m, v[m]);
    }
  }

  // The tiles before y[first] are 0.
  GLA_DEVICE void substitute (W *y, int first) const
  {
    for (int k = first; k < across; k++) {
      const tile yk = ops::multiply (get (y, k), get (L, place (k, k)), true);
      const double *dk = d + 8 * k + 2 * ops::t ();
      put (y, k, {{scale (dk[0], yk.x[0]), scale (dk[1], yk.x[1])}});
      substitute_from<false> (y, k + 1, across, k, yk);
    }
    for (int k = across - 1; k >= 0; k--) {
      const tile yk = ops::multiply (get (y, k), get_turned (L, place (k, k)));
      put (y, k, yk);
      substitute_from<true> (y, 0, k, k, yk);
    }
  }

  GLA_DEVICE void solve (const lu_args<T> &a, int64_t page, int slabs) const
  {
    typedef real_t<T> R;
    W *y = Y + warp () * across * TILE;
    for (int64_t c = warp () * 8; c < a.rhs && warp () < slabs; c += slabs * 8) {
      if (is_complex_v<T> && a.b_real) {
        const page_operand<R> b = {reinterpret_cast<const R *> (a.B.data), a.B.ld, a.B.page,
                                   a.B.index};
        load_right_sides (y, b.at (page), a, c);
      } else
        load_right_sides (y, a.B.at (page), a, c);
      substitute (y, 0);
      T *X = a.X + page * a.x_page + (c + ops::g ()) * a.x_column;
      for (int i = 0; i < across && c + ops::g () < a.rhs; i++) {
        const tile v = get (y, i);
        for (int x = 0; x < 2; x++) {
          const int row = 8 * i + 2 * ops::t () + x;
          if (row < n)
            X[row * a.x_row] = narrow<T> (v.x[x]);
        }
      }
    }
  }

  //----------------------------------------------------------------------------
  // norms
  //----------------------------------------------------------------------------

  // Y is overwritten.
  GLA_DEVICE double largest (double a) const
  {
    return lu_largest (a, reinterpret_cast<double *> (Y), WARPS);
  }

  // Returns the norm of the page; its columns have the sums of its rows, which adjacent threads
  // read.
  template <class E> GLA_DEVICE double norm (const E *A, int64_t ld) const
  {
    double most = 0;
    for (int j = threadIdx.x; j < n; j += 32 * WARPS) {
      double sum = 0;
#pragma unroll 8
      for (int i = 0; i < n; i++)
        sum += magnitude_of (ops::promote (A[j + i * ld]));
      most = sum > most ? sum : most;
    }
    return largest (most);
  }

  // Returns the norm of the share's columns of the inverse; a warp has 8 at a time.
  GLA_DEVICE double inverse_norm (const lu_share &share, int slabs) const
  {
    W *y = Y + warp () * across * TILE;
    double most = 0;
    int c = share.number * slabs + warp ();
    for (; c < across && warp () < slabs; c += share.of * slabs) {
      for (int i = 0; i < across; i++) {
        tile v;
        for (int x = 0; x < 2; x++)
          v.x[x] = from_real<W> (i == c && 2 * ops::t () + x == ops::g () ? 1 : 0);
        put (y, i, v);
      }
      substitute (y, c);
      double sum = 0;
      for (int i = 0; i < across; i++) {
        const tile v = get (y, i);
        for (int x = 0; x < 2; x++)
          sum += 8 * i + 2 * ops::t () + x < n ? magnitude_of (v.x[x]) : 0;
      }
      sum += shuffle_xor (sum, 1);
      sum += shuffle_xor (sum, 2);
      if (8 * c + ops::g () < n)
        most = sum > most || sum != sum ? sum : most;
    }
    return largest (most);
  }

  // Stores what solve.cuh needs of a definite page.
  template <class E>
  GLA_DEVICE void store_norms (const lu_args<T> &a, const page_operand<E> &A, int64_t page,
                               int slabs) const
  {
    const lu_share share = lu_my_share (a);
    if (share.of > 0) {
      const double inverse = inverse_norm (share, slabs);
      if (threadIdx.x == 0)
        a.norms[page].inverse[share.number] = inverse;
    }
    if (blockIdx.y != 0)
      return;
    const double of_page = norm (A.at (page), A.ld);
    if (threadIdx.x == 0)
      lu_store_norm (a, page, of_page);
  }

  // Calls f (A) with a.A, or with its numbers of the real type.
  template <class F> GLA_DEVICE static auto with_page (const lu_args<T> &a, F f)
  {
    typedef real_t<T> R;
    if (is_complex_v<T> && a.a_real) {
      const page_operand<R> A = {reinterpret_cast<const R *> (a.A.data), a.A.ld, a.A.page,
                                 a.A.index};
      return f (A);
    }
    return f (a.A);
  }
};

// A block has a page, in a grid-stride loop over the pages, or several blocks do if the condition
// is wanted: NORMS (solve.cuh), which takes registers that the solution alone does not need.
// INSIDE: the tiles are in shared memory; else `work` has space for those of each block. `slabs` of
// the warps solve for right-hand sides; each of them has a column of tiles in shared memory.
template <class T, int WARPS, bool INSIDE, bool NORMS>
__global__ void __launch_bounds__ (32 * WARPS)
    lu_definite_kernel (lu_args<T> a, double *work, int64_t work_of_block, int slabs)
{
  typedef wide<T> W;
  extern __shared__ __align__ (16) unsigned char space[];
  page_cholesky<T, WARPS> w;
  w.n = a.n;
  w.across = (a.n + 7) / 8;
  w.Y = reinterpret_cast<W *> (space);
  w.L = INSIDE ? w.Y + slabs * w.across * w.TILE
               : reinterpret_cast<W *> (work + ((NORMS ? blockIdx.y * gridDim.x : 0) + blockIdx.x) *
                                                   work_of_block);
  w.d = reinterpret_cast<double *> (
      w.Y + (slabs * w.across + (INSIDE ? w.place (w.across, 0) : 0)) * w.TILE);
  const bool turned = a.transposed != a.conjugate; // the transpose is the conjugate
  for (int64_t page = blockIdx.x; page < a.pages; page += gridDim.x) {
    const bool mine = w.with_page (a, [&] (const auto &A) {
      const auto *page_of_A = A.at (page);
      return w.load (page_of_A, A.ld, turned) && w.factor () && !w.is_rounded (page_of_A, A.ld);
    });
    if (mine && (!NORMS || blockIdx.y == 0))
      w.solve (a, page, slabs);
    if constexpr (NORMS)
      if (mine)
        w.with_page (a, [&] (const auto &A) { w.store_norms (a, A, page, slabs); });
    if (threadIdx.x == 0 && (!NORMS || blockIdx.y == 0)) {
      a.info[page] = mine ? 0 : LU_PENDING;
      if constexpr (NORMS) {
        a.norms[page].pending = !mine;
        if (!mine)
          a.norms[page].shares = 0;
      }
    }
    __syncthreads ();
  }
}

// Returns bytes of shared memory.
template <class T> size_t lu_definite_bytes (int n, bool inside, int slabs)
{
  const size_t across = (size_t)(n + 7) / 8, tiles = inside ? across * (across + 1) / 2 : 0;
  return (tiles + (size_t)slabs * across) * 64 * sizeof (wide<T>) + 8 * across * sizeof (double);
}

template <class T, int WARPS, bool INSIDE, bool NORMS>
cudaError_t lu_launch_definite_kernel (const lu_args<T> &a, const lu_space &space,
                                       cudaStream_t stream)
{
  static std::atomic<uint64_t> configured;
  const auto kernel = lu_definite_kernel<T, WARPS, INSIDE, NORMS>;
  const size_t most = block_shared_most ();
  const cudaError_t error = allow_cluster (kernel, most, &configured);
  if (error != cudaSuccess)
    return error;
  // factor () needs one of them, also without a right-hand side
  const int64_t columns = NORMS && a.rhs < a.n ? a.n : a.rhs;
  int slabs = columns <= 8 ? 1 : columns < 8 * WARPS ? (int)(columns + 7) / 8 : WARPS;
  while (slabs > 1 && lu_definite_bytes<T> (a.n, INSIDE, slabs) > most)
    slabs--;
  // two blocks on a multiprocessor would need more than the second-level cache
  const int rounds = ((a.n + 7) / 8 + slabs - 1) / slabs;
  const unsigned blocks = NORMS ? lu_blocks_of_page (a.pages, rounds, space) : 1;
  const int64_t most_pages =
      INSIDE ? a.pages : min (space.blocks, space.multiprocessors) / (int)blocks;
  const dim3 grid ((unsigned)(a.pages < most_pages ? a.pages : most_pages), blocks);
  kernel<<<grid, 32 * WARPS, lu_definite_bytes<T> (a.n, INSIDE, slabs), stream>>> (
      a, space.data, space.each, slabs);
  return cudaGetLastError ();
}

template <class T, int WARPS, bool INSIDE>
cudaError_t lu_launch_definite (const lu_args<T> &a, const lu_space &space, cudaStream_t stream)
{
  return a.norms != nullptr ? lu_launch_definite_kernel<T, WARPS, INSIDE, true> (a, space, stream)
                            : lu_launch_definite_kernel<T, WARPS, INSIDE, false> (a, space, stream);
}

template <class T>
cudaError_t lu_definite (const lu_args<T> &a, const lu_space &space, cudaStream_t stream)
{
  if (lu_definite_bytes<T> (a.n, true, 1) > block_shared_most ())
    return lu_launch_definite<T, 16, false> (a, space, stream);
  if (a.n <= 64)
    return lu_launch_definite<T, 4, true> (a, space, stream);
  return lu_launch_definite<T, 8, true> (a, space, stream);
}

#endif
