// solve_page.cuh: a page of order 33 to 112 by a block of threads
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page is in shared memory, column-major, in double precision for all types. Panels of 8
// columns are factored with a row in each thread. Then the rows of all other columns are exchanged,
// and U is solved for in those to the right, with a column in each thread; then warps update tiles
// of 16 by 8 on the tensor cores. Of a definite page only tiles on and below the diagonal are
// updated, and U is D*L'. A warp copies 8 columns at a time of right-hand sides, or of the
// identity, to its own shared memory.

#ifndef GPULINALG_SOLVE_PAGE_CUH
#define GPULINALG_SOLVE_PAGE_CUH

#include "common/reduce.cuh"
#include "solve.cuh"
#include "solve_page_matrix.cuh"
#include "solve_pivot.cuh"

enum { LU_PANEL = 8 };

// What the threads of a block share besides matrices.
template <class W, int THREADS> struct lu_shared {
  struct candidate {
    W row[LU_PANEL];
    int key;
  } best[2][THREADS / 32]; // of each warp, of even and odd steps
  int order[LU_PAGE_MAX];  // the row of A that is row k of the factors
  double sums[THREADS / 32];
};

template <class T, int THREADS> struct page_lu {
  typedef wide<T> W;
  static constexpr bool C = is_complex_v<W>;
  static constexpr int WARPS = THREADS / 32, P = LU_PANEL;

  lu_matrix<W> F; // the page, then its factors, with the reciprocals of the pivots
  lu_shared<W, THREADS> *s;
  int n;
  // the same in all threads
  bool finite, fixed, definite;
  int failed, exponent;
  double norm;

  GLA_DEVICE static int me () { return threadIdx.x; }

  //----------------------------------------------------------------------------
  // reading the page
  //----------------------------------------------------------------------------

  // Copies it, transposed if wanted; zeros beyond n. Returns the largest size of this thread.
  template <class E> GLA_DEVICE int copy (const E *A, int64_t ld, bool transposed, bool conjugate)
  {
    enum { TOGETHER = 8 }; // loads that are issued at once
    const int rows = lu_rows (n);
    int size = 0;
    for (int first = me (); first < rows * rows; first += TOGETHER * THREADS) {
      E e[TOGETHER];
#pragma unroll
      for (int u = 0; u < TOGETHER; u++) {
        const int k = first + u * THREADS, i = k % rows, j = k / rows;
        e[u] = A[(i < n ? i : n - 1) + (j < n ? j : n - 1) * ld];
      }
#pragma unroll
      for (int u = 0; u < TOGETHER; u++) {
        const int k = first + u * THREADS, i = k % rows, j = k / rows;
        W x;
        if constexpr (is_complex_v<E>)
          x = conj_if (widen (e[u]), conjugate);
        else
          x = from_real<W> ((double)e[u]);
        size = max (size, size_bits (e[u]));
        if (k < rows * rows)
          F.put (transposed ? j : i, transposed ? i : j, i < n && j < n ? x : from_real<W> (0));
      }
    }
    return size;
  }

  GLA_DEVICE int read (const lu_args<T> &a, int64_t p)
  {
    if constexpr (is_complex_v<T>)
      if (a.a_real) {
        typedef real_t<T> R;
        const page_operand<R> A = {reinterpret_cast<const R *> (a.A.data), a.A.ld, a.A.page,
                                   a.A.index};
        return copy (A.at (p), A.ld, a.transposed, false);
      }
    return copy (a.A.at (p), a.A.ld, a.transposed, a.conjugate);
  }

  // Divides by a power of two if all entries are very small, or one very large.
  GLA_DEVICE void scale_page (int size)
  {
    typedef lu_size<real_t<T>> Z;
    finite = !__syncthreads_or (size >= Z::not_finite);
    const bool large = __syncthreads_or (size > Z::large);
    const bool usual = __syncthreads_or (size >= Z::small);
    exponent = 0;
    if (!finite || (usual && !large))
      return;
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2)
      size = max (size, shuffle_xor (size, mask));
    if (me () % 32 == 0)
      s->best[0][me () / 32].key = size;
    __syncthreads ();
    for (int w = 0; w < WARPS; w++)
      size = max (size, s->best[0][w].key);
    exponent = max (-Z::most_power, min ((size >> Z::fraction) - Z::bias, Z::most_power));
    const double down = times_power (1.0, -exponent);
    for (int k = me (); k < n * n; k += THREADS)
      F.put (k % n, k / n, scale (down, F.get (k % n, k / n)));
    __syncthreads ();
  }

  // Whether M is triangular, or Hermitian with a positive diagonal. Most pages show in their first
  // row and column that they are not.
  GLA_DEVICE void find_kind ()
  {
    bool below = false, above = false, skew = false;
    for (int i = me (); i < n; i += THREADS)
      look (i, 0, below, above, skew);
    below = __syncthreads_or (below);
    above = __syncthreads_or (above);
    skew = __syncthreads_or (skew);
    if (!below || !above || !skew) {
      for (int j = 1; j < n; j++)
        for (int i = j + me (); i < n; i += THREADS)
          look (i, j, below, above, skew);
      below = __syncthreads_or (below);
      above = __syncthreads_or (above);
      skew = __syncthreads_or (skew);
    }
    definite = finite && below && above && !skew;
    fixed = finite && (!below || !above || definite);
  }
  GLA_DEVICE void look (int i, int j, bool &below, bool &above, bool &skew) const
  {
    const W lower = F.get (i, j), upper = F.get (j, i);
    below |= i > j && !is_zero (lower);
    above |= i > j && !is_zero (upper);
    skew |= !is_same (lower, conj (upper)) || (i == j && !(re (lower) > 0));
  }

  GLA_DEVICE double largest (double a) const
  {
    return lu_largest (a, s->sums, WARPS);
  }

  GLA_DEVICE void find_norm ()
  {
    double most = 0;
    for (int j = me (); j < n; j += THREADS) {
      double sum = 0;
      for (int i = 0; i < n; i++)
        sum += magnitude_of (F.get (i, j));
      most = sum > most ? sum : most;
    }
    norm = largest (most);
  }

  GLA_DEVICE void load (const lu_args<T> &a, int64_t p)
  {
    scale_page (read (a, p));
    find_kind ();
    if (a.rcond != nullptr)
      find_norm ();
    for (int i = me (); i < n; i += THREADS)
      s->order[i] = i;
    failed = 0;
    __syncthreads ();
  }

  //----------------------------------------------------------------------------
  // a panel, with row `me` in this thread
  //----------------------------------------------------------------------------

  // Does step k+t of the panel at k. Returns the pivot row. `open`: this row has no pivot yet.
  template <int t> GLA_DEVICE int step (W (&x)[P], int k, bool &open)
  {
    const int warp = me () / 32, wanted = k + t;
    auto &best = s->best[t % 2];
    int key = -1;
    if (!fixed) {
      // the first of the largest, within 2^-12 of the largest
      key = open ? (pivot_bits (x[t]) & ~255) | (255 - me ()) : -1;
      const int most = warp_max (key);
      if (key == most && open)
        put_candidate (best[warp], x, key);
      if (most < 0 && me () % 32 == 0)
        best[warp].key = -1;
    } else if (me () == wanted)
      put_candidate (best[0], x, 0);
    __syncthreads ();
    int from = 0, row = wanted;
    if (!fixed) {
      key = best[0].key;
#pragma unroll
      for (int w = 1; w < WARPS; w++) {
        const int other = best[w].key;
        from = other > key ? w : from;
        key = max (key, other);
      }
      row = 255 - (key & 255);
    }
    W pivot = best[from].row[t];
    if (definite)
      pivot = from_real<W> (re (pivot));
    bool good;
    const W reciprocal = pivot_reciprocal (pivot, good);
    good = good && (!definite || re (pivot) > 0);
    failed = failed == 0 && !good ? wanted + 1 : failed;
    if (me () == row) {
      open = false;
      x[t] = reciprocal;
    } else if (open) {
      const W f = x[t] * reciprocal;
      x[t] = f;
#pragma unroll
      for (int j = t + 1; j < P; j++)
        x[j] = subtract_product (x[j], f, best[from].row[j]);
    }
    return row;
  }
  template <class CANDIDATE>
  GLA_DEVICE static void put_candidate (CANDIDATE &c, const W (&x)[P], int key)
  {
#pragma unroll
    for (int j = 0; j < P; j++)
      c.row[j] = x[j];
    c.key = key;
  }

  template <int t> GLA_DEVICE void steps (W (&x)[P], int k, bool &open, int (&row)[P])
  {
    if constexpr (t < P) {
      row[t] = k + t;
      if (k + t < n)
        row[t] = step<t> (x, k, open);
      steps<t + 1> (x, k, open, row);
    }
  }

  // Factors columns k .. k+7. Returns in `with` which row is exchanged with row k+t, in sequence.
  GLA_DEVICE void factor_panel (int k, int (&with)[P])
  {
    const int i = me ();
    W x[P];
    bool open = i >= k && i < n;
    int original = 0;
    if (i < n) {
#pragma unroll
      for (int j = 0; j < P; j++)
        x[j] = F.get (i, k + j);
      original = s->order[i];
    }
    steps<0> (x, k, open, with);
    // the row that step t takes may have been moved by previous ones
#pragma unroll
    for (int t = 1; t < P; t++)
#pragma unroll
      for (int u = 0; u < t; u++)
        if (with[t] == k + u)
          with[t] = with[u];
    int place = i;
#pragma unroll
    for (int t = 0; t < P; t++)
      place = place == k + t ? with[t] : place == with[t] ? k + t : place;
    if (i < n && i >= k) {
#pragma unroll
      for (int j = 0; j < P; j++)
        F.put (place, k + j, x[j]);
      s->order[place] = original;
    }
  }

  // Row j of L gives column j of U = D*L', to the right of the panel at k of a definite page.
  GLA_DEVICE void mirror_panel (int k)
  {
    double pivot[P];
#pragma unroll
    for (int t = 0; t < P; t++)
      pivot[t] = 1 / re (F.get (k + t, k + t));
    for (int j = k + P + me (); j < n; j += THREADS)
#pragma unroll
      for (int t = 0; t < P; t++)
        F.put (k + t, j, scale (pivot[t], conj (F.get (j, k + t))));
  }

  // Exchanges rows of all columns but those of the panel, and solves for U to the right of it.
  GLA_DEVICE void exchange_and_solve (int k, const int (&with)[P])
  {
    for (int j = me (); j < n; j += THREADS) {
      if (j >= k && j < k + P)
        continue;
      if (!fixed)
#pragma unroll
        for (int t = 0; t < P; t++)
          if (with[t] != k + t) {
            const W x = F.get (k + t, j);
            F.put (k + t, j, F.get (with[t], j));
            F.put (with[t], j, x);
          }
      if (j < k)
        continue;
      W y[P];
#pragma unroll
      for (int t = 0; t < P; t++) {
        y[t] = F.get (k + t, j);
#pragma unroll
        for (int u = 0; u < t; u++)
          y[t] = subtract_product (y[t], F.get (k + t, k + u), y[u]);
        F.put (k + t, j, y[t]);
      }
    }
  }

  //----------------------------------------------------------------------------
  // tiles
  //----------------------------------------------------------------------------

  // Subtracts columns k .. of F times rows k .., which are b, from rows i .. i+16*PAIRS-1 of
  // columns j .., those before `last`. All loads are issued at once.
  template <int PAIRS>
  GLA_DEVICE void subtract_rows (const lu_matrix<W> &to, int i, int last, int j, int k,
                                 const mma_entry<C> (&b)[2]) const
  {
    const int g = lu_matrix<W>::tile_g (), t = lu_matrix<W>::tile_t ();
    mma_tile<C> c[PAIRS][2];
    mma_entry<C> a[PAIRS][2][2];
#pragma unroll
    for (int m = 0; m < 2 * PAIRS; m++) { // beyond the last tile that one again
      const int row = min (i + 8 * m, last - 8);
      to.get_tile (row, j, c[m / 2][m % 2]);
#pragma unroll
      for (int q = 0; q < 2; q++)
        a[m / 2][q][m % 2] = F.entry (row + g, k + t + 4 * q);
    }
#pragma unroll
    for (int m = 0; m < PAIRS; m++)
#pragma unroll
      for (int q = 0; q < 2; q++)
        mma_subtract (c[m], a[m][q], b[q]);
#pragma unroll
    for (int m = 0; m < 2 * PAIRS; m++)
      if (i + 8 * m < last)
        to.put_tile (i + 8 * m, j, c[m / 2][m % 2]);
  }

  // Subtracts columns k .. of F times rows k .. from rows first .. last-1 of columns j .. of a
  // matrix, some pairs of tiles at a time.
  GLA_DEVICE void subtract_column (const lu_matrix<W> &to, int first, int last, int j, int k) const
  {
    enum { PAIRS = C ? 2 : 4 };
    mma_entry<C> b[2];
    to.get_right (k, j, b);
    int i = first;
    for (; last - i > 8 * PAIRS; i += 16 * PAIRS)
      subtract_rows<PAIRS> (to, i, last, j, k, b);
    if (i < last)
      subtract_rows<PAIRS / 2> (to, i, last, j, k, b);
  }

  GLA_DEVICE void factor ()
  {
    const int rows = lu_rows (n);
    for (int k = 0; k < n; k += P) {
      int with[P];
      factor_panel (k, with);
      __syncthreads ();
      if (definite)
        mirror_panel (k);
      else
        exchange_and_solve (k, with);
      __syncthreads ();
      for (int j = k + P + me () / 32 * 8; j < rows; j += 8 * WARPS)
        subtract_column (F, definite ? j : k + P, rows, j, k);
      __syncthreads ();
    }
  }

  // Makes a pivot that may be mere rounding error the one that failed.
  GLA_DEVICE void find_rounded ()
  {
    if (finite && failed == 0 && (!fixed || definite))
      failed = lu_first_rounded<T> (
          n, [&] (int i, int k) { return F.get (i, k); }, [&] (double a) { return largest (a); });
  }

  //----------------------------------------------------------------------------
  // 8 columns of right-hand sides, by one warp; row k is that of pivot k
  //----------------------------------------------------------------------------

  // Replaces Y by inv (L)*Y from row `first` on.
  GLA_DEVICE void forward (const lu_matrix<W> &Y, int first) const
  {
    for (int k = first / P * P; k < n; k += P) {
      if (me () % 32 < 8) {
        W y[P];
#pragma unroll
        for (int t = 0; t < P; t++) {
          y[t] = Y.get (k + t, me () % 32);
#pragma unroll
          for (int u = 0; u < t; u++)
            y[t] = subtract_product (y[t], F.get (k + t, k + u), y[u]);
          Y.put (k + t, me () % 32, y[t]);
        }
      }
      __syncwarp ();
      subtract_column (Y, k + P, lu_rows (n), 0, k);
      __syncwarp ();
    }
  }

  // Replaces Y by inv (U)*Y.
  GLA_DEVICE void backward (const lu_matrix<W> &Y) const
  {
    for (int k = lu_rows (n) - P; k >= 0; k -= P) {
      if (me () % 32 < 8) {
        W y[P];
#pragma unroll
        for (int t = P - 1; t >= 0; t--) {
          y[t] = Y.get (k + t, me () % 32);
#pragma unroll
          for (int u = P - 1; u > t; u--)
            y[t] = subtract_product (y[t], F.get (k + t, k + u), y[u]);
          y[t] = y[t] * F.get (k + t, k + t);
          Y.put (k + t, me () % 32, y[t]);
        }
      }
      __syncwarp ();
      subtract_column (Y, 0, k, 0, k);
      __syncwarp ();
    }
  }

  // Returns what fills a page without a solution.
  GLA_DEVICE T filling (bool inverse) const
  {
    return lu_filling<T> (inverse && failed && finite);
  }
};

#endif
