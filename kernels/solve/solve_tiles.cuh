// solve_tiles.cuh: systems with a definite page of order 13 to 32, by a warp, on the tensor cores
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lower triangle is in the tiles of mma_tiles.cuh, so A = L*D*L' exchanges data only in the
// tiles on the diagonal, whose inverses of L are kept. Right-hand sides are solved for as rows, y',
// 8 at a time. All is in double precision, whatever the type.
//
// Other pages get the info LU_PENDING, and solve_lanes.cuh does them; so do those that are not
// definite after all, have a pivot that may be rounding error, or must be scaled.

#ifndef GPULINALG_SOLVE_TILES_CUH
#define GPULINALG_SOLVE_TILES_CUH

#include "common/mma_tiles.cuh"
#include "solve.cuh"
#include "solve_pivot.cuh"

enum { LU_TILES_THREADS = 128, LU_PENDING = INT_MIN };

template <class T, int B> struct lu_tiles : warp_tiles<T> {
  typedef warp_tiles<T> base;
  typedef typename base::W W;
  typedef typename base::tile tile;
  using base::ALL;
  using base::from;
  using base::g;
  using base::multiply;
  using base::promote;
  using base::subtract;
  using base::t;
  using base::turn;

  int n;
  tile a[B][B];       // L below the diagonal, on it the inverses of L's tiles there
  double d[B][2];     // reciprocals of D in columns 2*t and 2*t+1
  double diagonal[B]; // of the page, in row g if that is one of these columns, else 0

  // Whether the first column is the adjoint of the first row: most pages that are not Hermitian
  // fail here.
  template <class E> GLA_DEVICE static bool may_be_hermitian (const E *A, int64_t ld, int n)
  {
    const int i = threadIdx.x % 32 < n ? threadIdx.x % 32 : 0;
    const W left = promote (A[i]), top = promote (A[i * ld]);
    return __all_sync (ALL, is_same (left, conj (top)) && !(i == 0 && !(re (left) > 0)));
  }

  // Loads the page, and the identity beyond it; returns whether it is Hermitian with positive
  // diagonal, and neither very large nor very small.
  template <class E> GLA_DEVICE bool load (const E *A, int64_t ld, int order, bool turned)
  {
    typedef lu_size<real_t<T>> Z;
    E lower[B][B][2], upper[B][B][2];
    bool skew = false;
    int size = 0;
    n = order;
    // beyond n the last entry again, so that all loads are issued at once
#pragma unroll
    for (int b = 0; b < B; b++)
#pragma unroll
      for (int i = b; i < B; i++)
#pragma unroll
        for (int x = 0; x < 2; x++) {
          const int row = min (8 * i + g (), n - 1), column = min (8 * b + 2 * t () + x, n - 1);
          lower[i][b][x] = A[row + column * ld];
          upper[i][b][x] = A[column + row * ld];
        }
#pragma unroll
    for (int b = 0; b < B; b++) {
      diagonal[b] = 0;
#pragma unroll
      for (int i = b; i < B; i++)
#pragma unroll
        for (int x = 0; x < 2; x++) {
          const int row = 8 * i + g (), column = 8 * b + 2 * t () + x;
          const bool there = row < n && column < n;
          const W here = promote (lower[i][b][x]);
          size = max (size, size_bits (lower[i][b][x]));
          skew |= there && !is_same (here, conj (promote (upper[i][b][x])));
          skew |= there && row == column && !(re (here) > 0);
          diagonal[b] = there && row == column ? re (here) : diagonal[b];
          a[i][b].x[x] = there ? conj_if (here, turned) : from_real<W> (row == column ? 1 : 0);
        }
    }
    return !__any_sync (ALL, skew || size > Z::large) && __any_sync (ALL, size >= Z::small);
  }

  //----------------------------------------------------------------------------
  // factors
  //----------------------------------------------------------------------------

  // Replaces the tile v = L*D*L' on the diagonal by inv (L). Returns whether D is positive.
  GLA_DEVICE static bool factor_tile (tile &v, double (&d)[2])
  {
    bool all_good = true;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      const double pivot = __shfl_sync (ALL, re (v.x[k % 2]), 4 * k + k / 2);
      const W left = from (v.x[k % 2], g () * 4 + k / 2);
      bool good;
      const double reciprocal = pivot_reciprocal (pivot, good);
      all_good = all_good && good && pivot > 0;
      const W f = g () > k ? scale (reciprocal, left) : from_real<W> (0);
      if (t () == k / 2) {
        d[k % 2] = reciprocal;
        if (g () >= k)
          v.x[k % 2] = from_real<W> (g () == k ? 1 : 0);
      }
#pragma unroll
      for (int x = 0; x < 2; x++)
        v.x[x] = subtract_product (v.x[x], f, from (v.x[x], 4 * k + t ()));
    }
#pragma unroll
    for (int x = 0; x < 2; x++)
      if (2 * t () + x > g ())
        v.x[x] = from_real<W> (0);
    return all_good;
  }

  // Returns whether D is positive, and none of it may be mere rounding error.
  GLA_DEVICE bool factor ()
  {
    bool rounded = false;
#pragma unroll
    for (int k = 0; k < B; k++) {
      if (!factor_tile (a[k][k], d[k]))
        return false;
      rounded |= diagonal[k] > 0 &&
                 lu_is_rounded_definite<T> (n, g () % 2 ? d[k][1] : d[k][0], diagonal[k]);
      tile u[B]; // L*D
#pragma unroll
      for (int i = k + 1; i < B; i++) {
        u[i] = multiply (a[i][k], a[k][k]);
        for (int x = 0; x < 2; x++)
          a[i][k].x[x] = scale (d[k][x], u[i].x[x]);
      }
#pragma unroll
      for (int j = k + 1; j < B; j++)
#pragma unroll
        for (int i = j; i < B; i++)
          subtract (a[i][j], u[i], a[j][k]);
    }
    return !__any_sync (ALL, rounded);
  }

  //----------------------------------------------------------------------------
  // right-hand sides
  //----------------------------------------------------------------------------

  template <class E>
  GLA_DEVICE void load_right_sides (tile (&y)[B], const E *from, const lu_args<T> &args,
                                    int64_t c) const
  {
    E b[B][2];
    const E *column = from + (c + g () < args.rhs ? c + g () : args.rhs - 1) * args.b_column;
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int x = 0; x < 2; x++)
        b[i][x] = column[min (8 * i + 2 * t () + x, n - 1) * args.b_row];
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int x = 0; x < 2; x++) {
        const bool there = 8 * i + 2 * t () + x < n && c + g () < args.rhs;
        y[i].x[x] = there ? promote (b[i][x]) : from_real<W> (0);
      }
  }

  GLA_DEVICE void substitute (tile (&y)[B]) const
  {
#pragma unroll
    for (int k = 0; k < B; k++) {
      y[k] = multiply (y[k], a[k][k], true);
#pragma unroll
      for (int i = k + 1; i < B; i++)
        subtract (y[i], y[k], a[i][k], true);
    }
#pragma unroll
    for (int k = B - 1; k >= 0; k--) {
      for (int x = 0; x < 2; x++)
        y[k].x[x] = scale (d[k][x], y[k].x[x]);
#pragma unroll
      for (int i = k + 1; i < B; i++)
        subtract (y[k], y[i], turn (a[i][k]));
      y[k] = multiply (y[k], turn (a[k][k]));
    }
  }

  GLA_DEVICE void solve (const lu_args<T> &args, int64_t page) const
  {
    typedef real_t<T> R;
    for (int64_t c = 0; c < args.rhs; c += 8) {
      tile y[B];
      bool loaded = false;
      if constexpr (is_complex_v<T>)
        if (args.b_real) {
          const page_operand<R> b = {reinterpret_cast<const R *> (args.B.data), args.B.ld,
                                     args.B.page, args.B.index};
          load_right_sides (y, b.at (page), args, c);
          loaded = true;
        }
      if (!loaded)
        load_right_sides (y, args.B.at (page), args, c);
      substitute (y);
#pragma unroll
      for (int i = 0; i < B; i++)
#pragma unroll
        for (int x = 0; x < 2; x++) {
          const int row = 8 * i + 2 * t () + x;
          if (row < n && c + g () < args.rhs)
            args.X[page * args.x_page + row * args.x_row + (c + g ()) * args.x_column] =
                narrow<T> (y[i].x[x]);
        }
    }
  }
};

// Returns whether the page was solved.
template <class T, int B, class E>
GLA_DEVICE bool solve_definite (const lu_args<T> &a, const E *A, int64_t page)
{
  lu_tiles<T, B> w;
  const bool turned = a.transposed != a.conjugate; // the transpose is the conjugate
  if (!w.may_be_hermitian (A, a.A.ld, a.n) || !w.load (A, a.A.ld, a.n, turned) || !w.factor ())
    return false;
  w.solve (a, page);
  return true;
}

// A warp has a page, in tiles of 8 x 8 in its registers.
template <class T, int B>
__global__ void __launch_bounds__ (LU_TILES_THREADS) lu_tiles_kernel (lu_args<T> a)
{
  const int64_t page = (int64_t)blockIdx.x * (LU_TILES_THREADS / 32) + threadIdx.x / 32;
  if (page >= a.pages)
    return;
  bool solved;
  if (is_complex_v<T> && a.a_real) {
    typedef real_t<T> R;
    const page_operand<R> A = {reinterpret_cast<const R *> (a.A.data), a.A.ld, a.A.page, a.A.index};
    solved = solve_definite<T, B> (a, A.at (page), page);
  } else
    solved = solve_definite<T, B> (a, a.A.at (page), page);
  if (threadIdx.x % 32 == 0)
    a.info[page] = solved ? 0 : LU_PENDING;
}

#endif
