// solve_lanes.cuh: a page of order up to 32 in the registers of G neighbouring lanes of a warp
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lane l of a group has rows l, l+G, l+2*G, .. of its page, with all columns. A column that has
// been eliminated goes to shared memory, and the others move by one place in the registers, so that
// loops over steps need not be unrolled. Rows are not exchanged: `order` has the pivot row of each
// step. Right-hand sides are then solved for with row k of the pivots in lane k%G, some columns at
// a time.
//
// A page whose pivots are on the diagonal (triangular, or Hermitian and definite) has the same
// operations without a search. A page that turns out not to be definite is read and factored again,
// while the others of its warp repeat their work. Above order 12 definite pages are solved by
// solve_tiles.cuh instead, complex ones of double precision from 9 to 12 by solve_cyclic.cuh.

#ifndef GPULINALG_SOLVE_LANES_CUH
#define GPULINALG_SOLVE_LANES_CUH

#include "solve.cuh"
#include "solve_pivot.cuh"

// The shape of pages of up to N rows, with G lanes a page, R rows a lane, and S steps with the same
// number of columns.
template <class T, int N_, int G_, int R_, int S_> struct lanes_shape {
  static constexpr int N = N_, G = G_, R = R_, S = S_, PAGES = 32 / G;
  static constexpr int LD = N | 1; // odd, so that rows and columns are read without bank conflicts
  static constexpr int BANKS = 128 / (int)sizeof (T);
  static constexpr int SPACE = (N + 1) * LD;
  // The distance of pages is G modulo the banks.
  static constexpr int PAGE = G >= BANKS ? SPACE : (SPACE - G + BANKS - 1) / BANKS * BANKS + G;
  static constexpr int WARPS = PAGES * PAGE * (int)sizeof (T) <= 11 * 1024 ? 4 : 2;
  static constexpr int COLUMNS = sizeof (T) > 8 ? 2 : 4; // of B at a time
  static constexpr bool TILES = N > 12;                  // definite systems go to solve_tiles.cuh
};

template <class T, class L> struct lanes_page {
  typedef real_t<T> real;
  static constexpr int N = L::N, G = L::G, R = L::R, LD = L::LD, OPEN = INT_MAX;
  static constexpr unsigned ALL = 0xffffffffu;

  T *tile;    // column k of the factors, with the reciprocal of the pivot, at k*LD; one more column
  int *order; // the row of pivot k
  int l, n;
  unsigned group; // lanes of this page
  T x[R][N], y[R];
  int step[R]; // in which the row was the pivot
  // the same in all lanes of the group
  bool finite, fixed, definite; // fixed: the pivots are on the diagonal
  int failed;                   // the first step, from 1, whose pivot has no reciprocal
  int exponent;                 // the page was divided by 2^exponent
  real norm;

  GLA_DEVICE int row (int r) const { return l + G * r; }
  GLA_DEVICE bool any (bool a) const { return (__ballot_sync (ALL, a) & group) != 0; }

  template <class V> GLA_DEVICE V largest (V a) const
  {
#pragma unroll
    for (int mask = G / 2; mask > 0; mask /= 2) {
      const V b = shuffle_xor (a, mask);
      a = b > a || b != b ? b : a; // NaN wins
    }
    return a;
  }

  GLA_DEVICE static T from (T a, int lane)
  {
    if constexpr (is_complex_v<T>)
      return {__shfl_sync (ALL, a.x, lane, G), __shfl_sync (ALL, a.y, lane, G)};
    else
      return __shfl_sync (ALL, a, lane, G);
  }

  //----------------------------------------------------------------------------
  // reading the page
  //----------------------------------------------------------------------------

  // Reads the page, and into `top` the first row at the places of the first column. Loads do not
  // depend on conditions, so that all are issued at once; beyond n they repeat the last ones.
  template <class E> GLA_DEVICE void read (const E *A, int64_t ld, T (&top)[R])
  {
    E a[R][N], first[R];
#pragma unroll
    for (int j = 0; j < N; j++) {
      const E *column = A + (j < n ? j : n - 1) * ld;
#pragma unroll
      for (int r = 0; r < R; r++)
        a[r][j] = column[row (r) < n ? row (r) : n - 1];
    }
#pragma unroll
    for (int r = 0; r < R; r++)
      first[r] = A[(row (r) < n ? row (r) : n - 1) * ld];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool there = row (r) < n;
      top[r] = there ? promote (first[r]) : from_real<T> (0);
#pragma unroll
      for (int j = 0; j < N; j++)
        x[r][j] = there && j < n ? promote (a[r][j]) : from_real<T> (0);
    }
  }
  GLA_DEVICE static T promote (T a)
  {
    return a;
  }
  template <class E> GLA_DEVICE static T promote (E a)
  {
    return from_real<T> (a);
  }

  GLA_DEVICE void read_page (const lu_args<T> &a, int64_t p, T (&top)[R])
  {
    if constexpr (is_complex_v<T>)
      if (a.a_real) {
        const page_operand<real> A = {reinterpret_cast<const real *> (a.A.data), a.A.ld, a.A.page,
                                      a.A.index};
        read (A.at (p), A.ld, top);
        return;
      }
    read (a.A.at (p), a.A.ld, top);
  }

  // Loads the page, divided by a power of two if all its entries are very small, or one very large.
  GLA_DEVICE void load (const lu_args<T> &a, int64_t p, T (&top)[R])
  {
    read_page (a, p, top);
    scale_page (top);
  }
  GLA_DEVICE void scale_page (T (&top)[R])
  {
    typedef lu_size<real> Z;
    int size = 0;
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int j = 0; j < N; j++)
        size = max (size, size_bits (x[r][j]));
    finite = !any (size >= Z::not_finite);
    const bool large = any (size > Z::large), small = !any (size >= Z::small);
    const bool extreme = large || small;
    exponent = 0;
    if (!__any_sync (ALL, extreme))
      return;
    const int power = (largest (size) >> Z::fraction) - Z::bias;
    exponent = extreme && finite ? max (-Z::most_power, min (power, Z::most_power)) : 0;
    const real down = times_power (real (1), -exponent);
#pragma unroll
    for (int r = 0; r < R; r++) {
      top[r] = scale (down, top[r]);
#pragma unroll
      for (int j = 0; j < N; j++)
        x[r][j] = scale (down, x[r][j]);
    }
  }

  GLA_DEVICE void put_page ()
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int j = 0; j < N; j++)
        if (row (r) < n && j < n)
          tile[j * LD + row (r)] = x[r][j];
    __syncwarp ();
  }

  // Finds what there is below and above the diagonal, and whether the page is not Hermitian with a
  // positive diagonal. Most pages show that in their first row and column; with `later` nothing
  // else is checked for it. `always`: the page goes to shared memory in any case.
  GLA_DEVICE void find_kind (const T (&top)[R], bool later, bool always)
  {
    bool below = false, above = false, skew = false;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (row (r) < n) {
        below |= row (r) > 0 && !is_zero (x[r][0]);
        above |= row (r) > 0 && !is_zero (top[r]);
        skew |= !is_same (x[r][0], conj (top[r])) || (row (r) == 0 && !(re (top[r]) > 0));
      }
    const bool some_below = any (below), some_above = any (above), some_skew = any (skew);
    const bool triangle = __any_sync (ALL, !some_below || !some_above);
    const bool hermitian = __any_sync (ALL, !some_skew);
    if (triangle || hermitian || always)
      put_page ();
    for (int j = 0; j < n && (triangle || (hermitian && !later)); j++)
#pragma unroll
      for (int r = 0; r < R; r++)
        if (row (r) < n) {
          const T here = tile[j * LD + row (r)], mirror = tile[row (r) * LD + j];
          below |= row (r) > j && !is_zero (here);
          above |= row (r) < j && !is_zero (here);
          skew |= !is_same (here, conj (mirror)) || (row (r) == j && !(re (here) > 0));
        }
    below = any (below);
    above = any (above);
    skew = any (skew);
    definite = below && above && !skew && finite;
    fixed = (!below || !above || definite) && finite;
  }

  // Finds the largest sum of magnitudes of a column of M.
  GLA_DEVICE void find_norm (const lu_args<T> &a)
  {
    norm = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      real sum = 0;
      for (int i = 0; i < n && row (r) < n; i++)
        sum += magnitude_of (a.transposed ? tile[i * LD + row (r)] : tile[row (r) * LD + i]);
      norm = sum > norm ? sum : norm;
    }
    norm = largest (norm);
  }

  // Makes M in the registers, from the page there and in shared memory.
  GLA_DEVICE void turn (const lu_args<T> &a)
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int j = 0; j < N; j++) {
        if (a.transposed && row (r) < n && j < n)
          x[r][j] = tile[row (r) * LD + j];
        x[r][j] = conj_if (x[r][j], a.conjugate);
      }
    __syncwarp ();
  }

  //----------------------------------------------------------------------------
  // factors
  //----------------------------------------------------------------------------

  // Returns the number of the pivot's row, from the lane that has it.
  template <bool FIXED> GLA_DEVICE T of_pivot (const T (&column)[R], int lane, int slot) const
  {
    T a = column[0];
#pragma unroll
    for (int r = 1; r < R; r++)
      if (slot == r)
        a = column[r];
    return from (a, lane);
  }

  // Returns the pivot row of step k: the first of the largest, within 2^-15 of the largest.
  GLA_DEVICE int search (int k) const
  {
    unsigned best = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const unsigned place = 31 - (row (r) & 31);
      const unsigned size = fixed ? 0x80000000u : (unsigned)pivot_bits (x[r][0]) & ~31u;
      const bool may = fixed ? row (r) == k : step[r] == OPEN;
      const unsigned key = may ? size | place : 0;
      best = key > best ? key : best;
    }
    return 31 - (int)(largest (best) & 31);
  }

  // Does step k on W columns. FIXED: all pages of the warp are, and the pivot is row SLOT of its
  // lane.
  template <int W, bool FIXED, int SLOT> GLA_DEVICE void eliminate (int k, bool with_y)
  {
    const int p = FIXED ? k : search (k), lane = p % G, slot = FIXED ? SLOT : p / G;
    T column[R], f[R];
#pragma unroll
    for (int r = 0; r < R; r++)
      column[r] = x[r][0];
    T pivot = of_pivot<FIXED> (column, lane, slot);
    if (definite)
      pivot = from_real<T> (re (pivot));
    bool good;
    const T reciprocal = pivot_reciprocal (pivot, good);
    good = good && (!definite || re (pivot) > 0);
    failed = failed == 0 && !good ? k + 1 : failed;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool mine = row (r) == p, below = FIXED ? row (r) > k : step[r] == OPEN && !mine;
      f[r] = below ? column[r] * reciprocal : from_real<T> (0);
      if (row (r) < n)
        tile[k * LD + row (r)] = below ? f[r] : mine ? reciprocal : column[r];
      step[r] = mine ? k : step[r];
    }
    if (!FIXED && l == 0)
      order[k] = p;
#pragma unroll
    for (int j = 1; j < W; j++) {
#pragma unroll
      for (int r = 0; r < R; r++)
        column[r] = x[r][j];
      const T u = of_pivot<FIXED> (column, lane, slot);
#pragma unroll
      for (int r = 0; r < R; r++)
        x[r][j - 1] = subtract_product (column[r], f[r], u);
    }
    if (!with_y)
      return;
    const T u = of_pivot<FIXED> (y, lane, slot);
#pragma unroll
    for (int r = 0; r < R; r++)
      y[r] = subtract_product (y[r], f[r], u);
  }

  // Does steps from K on; W columns are left.
  template <int W, int K, bool FIXED> GLA_DEVICE void factor_from (bool with_y)
  {
    if constexpr (W > 0) {
      if constexpr (L::S == 1)
        eliminate<W, FIXED, K / G> (K, with_y);
      else
#pragma unroll 1
        for (int k = K; k < K + L::S && k < n; k++)
          eliminate<W, FIXED, K / G> (k, with_y);
      if (n > K + L::S)
        factor_from<W - L::S, K + L::S, FIXED> (with_y);
    }
  }

  GLA_DEVICE void factor (bool with_y)
  {
    failed = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      step[r] = row (r) < n ? OPEN : -1;
      if (row (r) < n)
        order[row (r)] = row (r);
    }
    __syncwarp ();
    if (!L::TILES && __all_sync (ALL, fixed))
      factor_from<N, 0, !L::TILES> (with_y);
    else
      factor_from<N, 0, false> (with_y);
    __syncwarp ();
  }

  // Makes a pivot that may be mere rounding error the one that failed.
  GLA_DEVICE void find_rounded ()
  {
    int bits[R], most = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      bits[r] = row (r) < n ? size_bits (factors (r)[row (r) * LD]) : INT_MAX;
      most = max (most, row (r) < n ? bits[r] : 0);
    }
    most = largest (most);
    bool small = false;
#pragma unroll
    for (int r = 0; r < R; r++)
      small |= most - lu_plain_range<real, real> (n) > bits[r];
    const bool triangular = fixed && !definite, look = finite && failed == 0 && !triangular;
    small = any (small && look);
    if (!__any_sync (ALL, small))
      return;
    int first = OPEN;
#pragma unroll
    for (int r = R - 1; r >= 0; r--)
      if (small && row (r) < n &&
          lu_is_rounded<real> (n, row (r), [&] (int i, int k) { return tile[k * LD + order[i]]; }))
        first = row (r) + 1;
    first = -largest (-first);
    failed = first < OPEN ? first : failed;
  }

  //----------------------------------------------------------------------------
  // columns of right-hand sides; row k of the pivots is row k/G of lane k%G
  //----------------------------------------------------------------------------

  // Returns the factors of row r in the order of the pivots.
  GLA_DEVICE const T *factors (int r) const
  {
    return tile + (row (r) < n ? order[row (r)] : 0);
  }

  // Replaces y by inv (L)*y.
  template <int C> GLA_DEVICE void forward (T (&z)[R][C], const T *const (&at)[R]) const
  {
#pragma unroll
    for (int q = 0; q < R; q++) {
      const int end = min (n - q * G, G);
#pragma unroll 2
      for (int k = 0; k < end; k++) {
        T m[R], u[C];
#pragma unroll
        for (int r = q; r < R; r++)
          m[r] = r > q || l > k ? at[r][(q * G + k) * LD] : from_real<T> (0);
#pragma unroll
        for (int c = 0; c < C; c++)
          u[c] = from (z[q][c], k);
#pragma unroll
        for (int r = q; r < R; r++)
#pragma unroll
          for (int c = 0; c < C; c++)
            z[r][c] = subtract_product (z[r][c], m[r], u[c]);
      }
    }
  }

  // Replaces y by inv (U)*y.
  template <int C> GLA_DEVICE void backward (T (&z)[R][C], const T *const (&at)[R]) const
  {
    T reciprocal[R];
#pragma unroll
    for (int r = 0; r < R; r++)
      reciprocal[r] = row (r) < n ? at[r][row (r) * LD] : from_real<T> (0);
#pragma unroll
    for (int q = R - 1; q >= 0; q--) {
#pragma unroll 2
      for (int k = min (n - q * G, G) - 1; k >= 0; k--) {
        T m[R], u[C];
#pragma unroll
        for (int r = 0; r <= q; r++)
          m[r] = r < q || l < k ? at[r][(q * G + k) * LD] : from_real<T> (0);
#pragma unroll
        for (int c = 0; c < C; c++)
          u[c] = from (z[q][c] * reciprocal[q], k);
#pragma unroll
        for (int r = 0; r <= q; r++)
#pragma unroll
          for (int c = 0; c < C; c++) {
            z[r][c] = subtract_product (z[r][c], m[r], u[c]);
            if (r == q && l == k)
              z[r][c] = u[c];
          }
      }
    }
  }
};

#endif
