// pairs_cholesky.cuh: Cholesky of a page and the inverse of L, by a block, in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lower triangle is stored in tiles of 8 by 8 (mma_tiles.cuh). It becomes L column of tiles by
// column of tiles, with inv (L) on the diagonal: all warps share the tiles below the one on the
// diagonal; then the first warp updates and factors the next tile on the diagonal, which is a long
// sequential operation, while the others share the columns to its right. Each warp then finds rows
// of tiles of M = inv (L) from M*L = I. All is in double precision, whatever the type.

#ifndef GPULINALG_PAIRS_CHOLESKY_CUH
#define GPULINALG_PAIRS_CHOLESKY_CUH

#include "common/cluster.cuh"
#include "common/mma_tiles.cuh"
#include "pairs_tiles.cuh"

template <class T, int WARPS> struct pencil_cholesky : triangle_tiles<T> {
  typedef triangle_tiles<T> base;
  typedef pencil_tiles<T> ops;
  typedef typename ops::tile tile;
  typedef typename ops::W W;
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

  double *bound; // what pivots must exceed
  int *failed;   // the first that does not, or a large number

  GLA_DEVICE static int row_of (int i) { return 8 * i + ops::g (); }
  GLA_DEVICE static int column_of (int j, int x) { return 8 * j + 2 * ops::t () + x; }

  // Loads the lower triangle, with the identity beyond n.
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

  // Factors tile k on the diagonal after subtracting column k-1. L's tile goes to `to` if that is
  // not NULL.
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

  // Finds column k of L below the diagonal.
  GLA_DEVICE void solve_column (int k) const
  {
    const tile inverse = get (L, place (k, k));
    for (int i = k + 1 + warp (); i < across; i += WARPS)
      put (L, place (i, k), ops::multiply (get (L, place (i, k)), inverse));
  }

  // Updates the columns to the right of k except the next tile on the diagonal, by all warps but
  // the first. Rounds alternate in direction, so that a warp has long and short columns.
  GLA_DEVICE void update (int k) const
  {
    const int others = WARPS - 1, me = warp () - 1;
    for (int round = 0;; round++) {
      const int j = k + 1 + round * others + (round % 2 ? others - 1 - me : me);
      if (round * others + k + 1 >= across)
        return;
      if (j < across)
        base::template update_column<false> (j == k + 1 ? j + 1 : j, j, k);
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

  // Subtracts y times tiles 0 .. k-1 of row k of L from y[0] .. y[k-1], which are 0 before if
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

  // Finds row i of tiles of M, divided by powers of two, with zeros above the diagonal.
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

  // Goes from the longest to the shortest row, in rounds of alternating direction.
  GLA_DEVICE void invert (T *to, int64_t ld, const int *exponent, int slabs) const
  {
    W *y = Y + warp () * across * TILE;
    for (int round = 0; warp () < slabs && round * slabs < across; round++) {
      const int k = round * slabs + (round % 2 ? slabs - 1 - warp () : warp ());
      if (k < across)
        invert_row (across - 1 - k, y, to, ld, exponent);
    }
  }

  // Stores L below its tiles on the diagonal, and zeros above them.
  GLA_DEVICE void store_factor (T *to, int64_t ld) const
  {
    for (int i = warp (); i < across; i += WARPS)
      for (int j = 0; j < across; j++)
        if (j != i)
          store (to, ld, i, j, j < i ? get (L, place (i, j)) : ops::zero (), n);
  }
};

#endif
