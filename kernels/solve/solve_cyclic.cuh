// solve_cyclic.cuh: systems with one right-hand side and a definite page, columns divided
// cyclically
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lane l of G has columns l, l+G, l+2*G, .. of the lower triangle of its page, of order up to N, in
// registers, and these elements of b' as one more row. In step k of A = L*D*L' all lanes get column
// k by shuffles, and each subtracts its product from its own columns, which also turns b' into inv
// (L)*b. Then x is found from its end, and each element is sent to all lanes, which subtract its
// contribution to their own columns. So a step exchanges one column, without shared memory. Beyond
// n the page is the identity.
//
// Other pages get the info LU_PENDING, and solve_lanes.cuh does them; so do those that are not
// definite after all, have a pivot that may be rounding error, or must be scaled.

#ifndef GPULINALG_SOLVE_CYCLIC_CUH
#define GPULINALG_SOLVE_CYCLIC_CUH

#include "solve.cuh"
#include "solve_pivot.cuh"
#include "solve_tiles.cuh"

enum { LU_CYCLIC_THREADS = 128 };

template <class T, int N, int G> struct lu_cyclic {
  typedef real_t<T> real;
  static constexpr int S = N / G; // columns of a lane
  static constexpr unsigned ALL = 0xffffffffu;
  static_assert (N % G == 0, "each lane has as many columns");

  int l, n;
  unsigned group; // lanes of this page
  T a[S][N];      // row i of column l + G*s in a[s][i], from i = G*s on
  T y[S];         // conj (inv (L)*b) at the end
  real d[S];      // reciprocals of D
  real diagonal[S];

  GLA_DEVICE int column (int s) const { return l + G * s; }
  GLA_DEVICE bool all (bool good) const { return (__ballot_sync (ALL, good) & group) == group; }
  GLA_DEVICE static T from (T value, int lane)
  {
    if constexpr (is_complex_v<T>)
      return {__shfl_sync (ALL, value.x, lane, G), __shfl_sync (ALL, value.y, lane, G)};
    else
      return __shfl_sync (ALL, value, lane, G);
  }
  GLA_DEVICE static T promote (T value) { return value; }
  template <class E> GLA_DEVICE static T promote (E value) { return from_real<T> (value); }

  //----------------------------------------------------------------------------
  // reading
  //----------------------------------------------------------------------------

  // Whether two elements are conjugates of each other: most pages that are not Hermitian fail here.
  GLA_DEVICE static bool may_be_hermitian (const T *A, int64_t ld)
  {
    return is_same (A[1], conj (A[ld])) && re (A[0]) > 0;
  }

  // Loads the page; returns whether it is Hermitian with positive diagonal, and neither very large
  // nor very small. Lanes of a group read neighbours of a row, and then compare with their columns.
  // Beyond n they read the last ones again, so that all loads are issued at once.
  GLA_DEVICE bool load (const T *A, int64_t ld, bool turned)
  {
    typedef lu_size<real> Z;
    bool good = true;
    int size = 0;
#pragma unroll
    for (int s = 0; s < S; s++)
#pragma unroll
      for (int i = G * s; i < N; i++)
        a[s][i] = A[min (column (s), n - 1) + min (i, n - 1) * ld];
#pragma unroll
    for (int s = 0; s < S; s++) {
      const int j = column (s);
      T mirror[N];
      diagonal[s] = 0;
#pragma unroll
      for (int i = G * s; i < N; i++)
        mirror[i] = A[min (i, n - 1) + min (j, n - 1) * ld];
#pragma unroll
      for (int i = G * s; i < N; i++) {
        const T here = conj (a[s][i]), below = mirror[i];
        const bool there = i < n && j < n;
        size = max (size, size_bits (below));
        diagonal[s] = there && i == j ? re (here) : diagonal[s];
        good = good && (!there || (is_same (here, below) && (i != j || re (here) > 0)));
        a[s][i] = there ? conj_if (below, turned) : from_real<T> (i == j ? 1 : 0);
      }
    }
    const bool plain = all (good && size <= Z::large), tiny = all (size < Z::small);
    return plain && !tiny;
  }

  template <class E> GLA_DEVICE void load_right_side (const E *B, int64_t row)
  {
#pragma unroll
    for (int s = 0; s < S; s++) {
      const T b = promote (B[min (column (s), n - 1) * row]);
      y[s] = column (s) < n ? conj (b) : from_real<T> (0);
    }
  }

  //----------------------------------------------------------------------------
  // factors and solution
  //----------------------------------------------------------------------------

  // Selects parts one by one, so that no register is addressed by a variable.
  GLA_DEVICE static real select (bool first, real x, real y)
  {
    return first ? x : y;
  }
  GLA_DEVICE static cx<real> select (bool first, cx<real> x, cx<real> y)
  {
    return {first ? x.x : y.x, first ? x.y : y.y};
  }

  // Returns element `column (s)` of a vector that every lane has.
  GLA_DEVICE T own (const T (&vector)[N], int s) const
  {
    T value = vector[G * s];
#pragma unroll
    for (int q = 1; q < G; q++)
      value = select (l == q, vector[G * s + q], value);
    return value;
  }

  // Returns whether all pivots are good, and none may be mere rounding error.
  GLA_DEVICE bool factor ()
  {
    bool all_good = true;
#pragma unroll
    for (int k = 0; k < N; k++) {
      T c[N];
#pragma unroll
      for (int i = 0; i < N; i++)
        c[i] = i < k ? from_real<T> (0) : from (a[k / G][i], k % G);
      const T yk = from (y[k / G], k % G);
      bool good;
      const real r = pivot_reciprocal (re (c[k]), good);
      all_good = all_good && good && re (c[k]) > 0;
      d[k / G] = l == k % G ? r : d[k / G];
#pragma unroll
      for (int s = (k + 1) / G; s < S; s++) {
        const T g = column (s) > k ? scale (r, conj (own (c, s))) : from_real<T> (0);
#pragma unroll
        for (int i = k + 1 > G * s ? k + 1 : G * s; i < N; i++)
          a[s][i] = subtract_product (a[s][i], c[i], g);
        y[s] = subtract_product (y[s], yk, g);
      }
    }
#pragma unroll
    for (int s = 0; s < S; s++)
      all_good &= column (s) >= n || !lu_is_rounded_definite<real> (n, d[s], diagonal[s]);
    return all (all_good);
  }

  // Replaces y by x.
  GLA_DEVICE void substitute ()
  {
#pragma unroll
    for (int s = 0; s < S; s++)
      y[s] = conj (y[s]);
#pragma unroll
    for (int i = N - 1; i >= 0; i--) {
      const bool mine = l == i % G;
      y[i / G] = select (mine, scale (d[i / G], y[i / G]), y[i / G]);
      const T x = from (y[i / G], i % G);
#pragma unroll
      for (int s = 0; s <= i / G; s++) {
        const T m = column (s) < i ? conj (a[s][i]) : from_real<T> (0);
        y[s] = subtract_product (y[s], m, x);
      }
    }
  }
};

// Returns whether the page was solved. All lanes of a warp call this, with pages that may be the
// same.
template <class T, int N, int G>
GLA_DEVICE bool solve_cyclic (const lu_args<T> &a, const T *A, int64_t page, bool stores)
{
  lu_cyclic<T, N, G> w;
  w.l = threadIdx.x % G;
  w.n = a.n;
  w.group = ((1u << G) - 1) << threadIdx.x % 32 / G * G;
  const bool turned = a.transposed != a.conjugate; // the transpose is the conjugate
  if (!__any_sync (w.ALL, w.may_be_hermitian (A, a.A.ld)))
    return false;
  bool solved = w.load (A, a.A.ld, turned);
  bool loaded = false;
  if constexpr (is_complex_v<T>)
    if (a.b_real) {
      typedef real_t<T> R;
      const page_operand<R> b = {reinterpret_cast<const R *> (a.B.data), a.B.ld, a.B.page,
                                 a.B.index};
      w.load_right_side (b.at (page), a.b_row);
      loaded = true;
    }
  if (!loaded)
    w.load_right_side (a.B.at (page), a.b_row);
  solved = w.factor () && solved;
  w.substitute ();
#pragma unroll
  for (int s = 0; s < w.S; s++)
    if (stores && solved && w.column (s) < w.n)
      a.X[page * a.x_page + w.column (s) * a.x_row] = w.y[s];
  return solved;
}

// G lanes have a page; lane l has its columns l, l + G, and so on.
template <class T, int N, int G>
__global__ void __launch_bounds__ (LU_CYCLIC_THREADS) lu_cyclic_kernel (lu_args<T> a)
{
  const int64_t mine = (int64_t)blockIdx.x * (LU_CYCLIC_THREADS / G) + threadIdx.x / G;
  const bool stores = mine < a.pages;
  const int64_t page = stores ? mine : a.pages - 1;
  const bool solved = solve_cyclic<T, N, G> (a, a.A.at (page), page, stores);
  if (stores && threadIdx.x % G == 0)
    a.info[page] = solved ? 0 : LU_PENDING;
}

// Serves the systems for which it is the fastest (doc/notebook/solve.md).
template <class T> bool lu_cyclic_serves (const lu_args<T> &a)
{
  return sizeof (T) == 16 && a.n > 8 && a.n <= 12 && !a.inverse && !a.a_real && a.rhs == 1;
}

template <class T, int N, int G>
cudaError_t lu_launch_cyclic (const lu_args<T> &a, cudaStream_t stream)
{
  const int64_t each = LU_CYCLIC_THREADS / G;
  lu_cyclic_kernel<T, N, G>
      <<<(unsigned)((a.pages + each - 1) / each), LU_CYCLIC_THREADS, 0, stream>>> (a);
  return cudaGetLastError ();
}

#endif
