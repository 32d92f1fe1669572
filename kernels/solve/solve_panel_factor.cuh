// solve_panel_factor.cuh: factors the pages of solve_panel.cuh, and substitutes with the factors
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SOLVE_PANEL_FACTOR_CUH
#define GPULINALG_SOLVE_PANEL_FACTOR_CUH

#include "solve_panel.cuh"

// Rows in shared memory, 16 bytes at a time: two real numbers or a complex one.
template <class W> struct lu_row {
  static constexpr int EACH = is_complex_v<W> ? 1 : 2;

  template <int COUNT, int WIDTH> GLA_DEVICE static void put (W *to, const W (&x)[WIDTH])
  {
    double2 *at = reinterpret_cast<double2 *> (to);
#pragma unroll
    for (int c = 0; c < COUNT; c += EACH)
      if constexpr (is_complex_v<W>)
        at[c] = make_double2 (x[c].x, x[c].y);
      else
        at[c / 2] = make_double2 (x[c], x[c + 1]);
  }
  // Loads columns c .. c+EACH-1.
  GLA_DEVICE static void get (const W *from, int c, W (&v)[EACH])
  {
    const double2 d = reinterpret_cast<const double2 *> (from)[c / EACH];
    if constexpr (is_complex_v<W>)
      v[0] = {d.x, d.y};
    else {
      v[0] = d.x;
      v[1] = d.y;
    }
  }
};

template <class T, int COLUMNS> struct panel_factors {
  typedef panel_page<T, COLUMNS> page;
  typedef typename page::W W;
  typedef typename page::panel panel;
  static constexpr int R = page::R;
  page &w;

  //----------------------------------------------------------------------------
  // rows of known pivots
  //----------------------------------------------------------------------------

  // Returns the factor of pivot row k that is subtracted from row r: an entry of L, or with UP of
  // U.
  template <bool UP> GLA_DEVICE W factor (int r, int k) const
  {
    const int pivot = w.pivot[r];
    const bool wanted = UP ? k < w.n && (unsigned)pivot < (unsigned)k : pivot > k;
    return wanted ? w.F[w.row (r) + (int64_t)k * w.ld] : from_real<W> (0);
  }
  template <bool UP> GLA_DEVICE void factors (W (&l)[R][LU_TOGETHER], int k) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int j = 0; j < LU_TOGETHER; j++)
        l[r][j] = k >= 0 ? factor<UP> (r, UP ? k + LU_TOGETHER - 1 - j : k + j) : from_real<W> (0);
  }

  // Does one step of substitution with pivots k .. k+3, with UP in descending order: a thread for
  // each column solves for their rows in shared memory, and they are subtracted from all rows that
  // depend on them. l becomes the factors of the step after this one.
  template <bool UP, int WIDTH>
  GLA_DEVICE void substitute_step (lu_panel<W, R, WIDTH> &x, W (&l)[R][LU_TOGETHER], int k,
                                   int after)
  {
    typedef lu_row<W> row;
    W (*rows)[COLUMNS] = w.s->rows[k / LU_TOGETHER % 2];
    W next[R][LU_TOGETHER], own[R];
    bool owner[R];
    factors<UP> (next, after);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int j = UP ? k + LU_TOGETHER - 1 - w.pivot[r] : w.pivot[r] - k;
      owner[r] = w.pivot[r] >= 0 && (unsigned)j < LU_TOGETHER;
      if (!owner[r])
        continue;
      own[r] = UP ? w.F[w.row (r) + (int64_t)w.pivot[r] * w.ld] : from_real<W> (1);
      row::template put<WIDTH> (rows[j], x.x[r]);
#pragma unroll
      for (int m = 0; m < LU_TOGETHER; m++)
        w.s->inner[j][m] = m == j ? own[r] : l[r][m];
    }
    __syncthreads ();
    if (w.me () < WIDTH)
      solve_rows<UP> (rows, k);
    __syncthreads ();
#pragma unroll
    for (int j = 0; j < LU_TOGETHER; j++)
#pragma unroll
      for (int c = 0; c < WIDTH; c += row::EACH) {
        W v[row::EACH];
        row::get (rows[j], c, v);
#pragma unroll
        for (int e = 0; e < row::EACH; e++)
#pragma unroll
          for (int r = 0; r < R; r++)
            x.x[r][c + e] = subtract_product (x.x[r][c + e], l[r][j], v[e]);
      }
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (UP && owner[r])
#pragma unroll
        for (int c = 0; c < WIDTH; c++)
          x.x[r][c] = x.x[r][c] * own[r];
#pragma unroll
      for (int j = 0; j < LU_TOGETHER; j++)
        l[r][j] = next[r][j];
    }
  }

  // Solves for column `me` of the rows of 4 pivots; rows beyond n become 0.
  template <bool UP> GLA_DEVICE void solve_rows (W (*rows)[COLUMNS], int k) const
  {
    W y[LU_TOGETHER];
#pragma unroll
    for (int j = 0; j < LU_TOGETHER; j++) {
      y[j] = from_real<W> (0);
      if ((UP ? k + LU_TOGETHER - 1 - j : k + j) < w.n) {
        y[j] = rows[j][w.me ()];
#pragma unroll
        for (int m = 0; m < j; m++)
          y[j] = subtract_product (y[j], w.s->inner[j][m], y[m]);
        if (UP)
          y[j] = y[j] * w.s->inner[j][j];
      }
      rows[j][w.me ()] = y[j];
    }
  }

  // Replaces x by inv (L)*x with pivots begin .. end-1; begin is a multiple of 4, and end is, too,
  // or n.
  template <int WIDTH> GLA_DEVICE void forward (lu_panel<W, R, WIDTH> &x, int begin, int end)
  {
    W l[R][LU_TOGETHER];
    __syncthreads (); // rows of the previous substitution are read
    factors<false> (l, begin);
    for (int k = begin; k < end; k += LU_TOGETHER)
      substitute_step<false> (x, l, k, k + LU_TOGETHER < end ? k + LU_TOGETHER : -1);
  }
  // Replaces x by inv (U)*x.
  template <int WIDTH> GLA_DEVICE void backward (lu_panel<W, R, WIDTH> &x)
  {
    W u[R][LU_TOGETHER];
    const int last = (w.n - 1) / LU_TOGETHER * LU_TOGETHER;
    __syncthreads ();
    factors<true> (u, last);
    for (int k = last; k >= 0; k -= LU_TOGETHER)
      substitute_step<true> (x, u, k, k - LU_TOGETHER);
  }

  //----------------------------------------------------------------------------
  // pivots
  //----------------------------------------------------------------------------

  // Finds pivot k, whose column is x[..][0]; the panel has LIVE columns. Then its columns move by
  // one to the left. Each warp stores its best row, so that one barrier is enough.
  template <int LIVE> GLA_DEVICE void step (panel &x, int k)
  {
    typename lu_panel_shared<W, COLUMNS>::candidate *best = w.s->best[k % 2];
    int row = k, from = 0;
    if (!w.fixed) {
      // the first of the largest, within 2^-12 of the largest
      int key = -1;
#pragma unroll
      for (int r = 0; r < R; r++)
        if (w.pivot[r] == page::OPEN)
          key = max (key, (pivot_bits (x.x[r][0]) & ~255) | (255 - w.row (r)));
      key = warp_max (key);
      if (w.lane () == 0)
        best[w.warp ()].key = key;
      row = key < 0 ? page::NO_ROW : 255 - (key & 255);
      from = w.warp ();
    }
#pragma unroll
    for (int r = 0; r < R; r++)
      if (w.row (r) == row)
        lu_row<W>::template put<LIVE> (best[from].row, x.x[r]);
    __syncthreads ();
    if (!w.fixed) {
      row = 255 - (warp_max (w.lane () < w.warps () ? best[w.lane ()].key : -1) & 255);
      from = (row < (int)blockDim.x ? row : row - (int)blockDim.x) / 32;
    }
    eliminate<LIVE> (x, k, row, best[from].row);
  }

  template <int LIVE> GLA_DEVICE void eliminate (panel &x, int k, int row, const W *from)
  {
    enum { EACH = lu_row<W>::EACH };
    W v[EACH], f[R];
    lu_row<W>::get (from, 0, v);
    W pivot = v[0];
    if (w.definite)
      pivot = from_real<W> (re (pivot));
    bool good;
    const W reciprocal = pivot_reciprocal (pivot, good);
    good = good && (!w.definite || re (pivot) > 0);
    w.failed = w.failed == 0 && !good ? k + 1 : w.failed;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool mine = w.row (r) == row, open = w.pivot[r] == page::OPEN && !mine;
      f[r] = open ? x.x[r][0] * reciprocal : from_real<W> (0);
      if (w.pivot[r] != page::NO_ROW)
        w.F[w.row (r) + (int64_t)k * w.ld] = mine ? reciprocal : open ? f[r] : x.x[r][0];
      if (mine) {
        w.pivot[r] = k;
        w.s->order[k] = row;
      }
    }
#pragma unroll
    for (int c = 0; c < LIVE; c += EACH) {
      if (c > 0)
        lu_row<W>::get (from, c, v);
#pragma unroll
      for (int e = 0; e < EACH; e++)
        if (c + e > 0)
#pragma unroll
          for (int r = 0; r < R; r++)
            x.x[r][c + e - 1] = subtract_product (x.x[r][c + e], f[r], v[e]);
    }
  }

  // Finds the pivots of the panel at `first`, of which the first COLUMNS-LIVE are done. The number
  // of columns is known to the compiler, and decreases after 8 pivots.
  template <int LIVE> GLA_DEVICE void steps (panel &x, int first)
  {
    if constexpr (LIVE > 0) {
      const int begin = first + COLUMNS - LIVE, end = min (begin + 8, w.n);
      for (int k = begin; k < end; k++)
        step<LIVE> (x, k);
      steps<LIVE - 8> (x, first);
    }
  }

  GLA_DEVICE void factor_page (bool with_norm)
  {
    w.failed = 0;
    w.norm = 0;
#pragma unroll
    for (int r = 0; r < R; r++)
      w.pivot[r] = w.row (r) < w.n ? page::OPEN : page::NO_ROW;
    for (int first = 0; first < w.n; first += COLUMNS) {
      panel x;
      w.load (x, first);
      if (with_norm)
        w.norm = w.column_sums (x, w.norm);
      if (first > 0)
        forward (x, 0, first);
      steps<COLUMNS> (x, first);
    }
    if (with_norm)
      w.norm = w.largest (w.norm);
    __syncthreads (); // order is known, and rows of the last step are read
  }

  // Makes a pivot that may be mere rounding error the one that failed.
  GLA_DEVICE void find_rounded ()
  {
    if (w.finite && w.failed == 0 && (!w.fixed || w.definite))
      w.failed = lu_first_rounded<T> (
          w.n, [&] (int i, int k) { return w.F[w.s->order[i] + (int64_t)k * w.ld]; },
          [&] (double a) { return w.largest (a); });
  }

  // Leaves the rows of a page with NaN or Inf where they are.
  GLA_DEVICE void give_up ()
  {
    w.failed = 0;
    w.norm = 0;
#pragma unroll
    for (int r = 0; r < R; r++)
      w.pivot[r] = w.row (r) < w.n ? w.row (r) : page::NO_ROW;
    for (int i = w.me (); i < w.n; i += blockDim.x)
      w.s->order[i] = i;
    __syncthreads ();
  }

  // Finds the factors, or why there are none. A page that is not definite after all is done again.
  GLA_DEVICE void find (bool with_norm)
  {
    w.find_scale ();
    w.find_kind ();
    if (!w.finite)
      return give_up ();
    factor_page (with_norm);
    if (w.definite && w.failed != 0) {
      w.definite = w.fixed = false;
      factor_page (with_norm);
    }
  }
};

#endif
