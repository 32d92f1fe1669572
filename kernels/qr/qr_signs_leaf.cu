// qr_signs_leaf.cu: blocks on the diagonal of A - S R: the signs S, and the blocks' inverses
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_cholesky.cuh"

namespace
{

enum { N = QR_TILE, SIDE = QR_TILE_SIDE, OWN = QR_TILE_OWN, THREADS = QR_TILE_THREADS };

// Rows of M and of R, and columns of M, for B steps; two of each in turn.
template <class T, int B> struct shown_lines {
  T row[2][B][N], upper[2][B][N], column[2][B][N];
};

// The pivot block of B steps and what R has there. Each step chooses a sign and makes the block's
// row; in the end the block is the inverse.
template <class T, int B> struct pivot_block {
  typedef real_t<T> real;
  T d[B][B], u[B][B];
  real s[B];

  // Step r: the sign of the row. False where LAPACK would find zeros below the diagonal and keep
  // the sign of the column, which a sum cannot distinguish from small numbers.
  GLA_DEVICE bool step (int r)
  {
    const real most = 1 - 1024 * limits<real>::eps;
    real diagonal = re (u[r][r]);
    bool good = abs2 (d[r][r]) <= most * diagonal * diagonal;
    s[r] = re (d[r][r]) < 0 ? (real)1 : (real)-1;
    T pivot = d[r][r] - from_real<T> (s[r] * diagonal);
    T inverse = scale (qr_reciprocal (abs2 (pivot)), conj (pivot));
#pragma unroll
    for (int c = 0; c < B; c++)
      d[r][c] = c == r ? inverse : inverse * (c > r ? d[r][c] - scale (s[r], u[r][c]) : d[r][c]);
#pragma unroll
    for (int t = 0; t < B; t++) {
      if (t == r)
        continue;
      T factor = scale ((real)-1, d[t][r]);
      for (int c = 0; c < B; c++)
        d[t][c] = madd (factor, d[r][c], c == r ? T{} : d[t][c]);
    }
    return good;
  }
};

// Publishes the B rows and columns from step `step` of part p on: the threads that hold them write
// them to `shown`.
template <class T, int B>
GLA_DEVICE void show_lines (const T (&a)[OWN][OWN], const T (&b)[OWN][OWN], int p, int step,
                            shown_lines<T, B> &shown)
{
  qr_tile_place at;
  int buffer = step / B % 2;
  if (at.x / B == step / B)
#pragma unroll
    for (int q = 0; q < OWN; q++) {
      shown.row[buffer][at.x % B][at.column (q)] = a[p][q];
      shown.upper[buffer][at.x % B][at.column (q)] = b[p][q];
    }
  if (at.y / B == step / B)
#pragma unroll
    for (int i = 0; i < OWN; i++)
      shown.column[buffer][at.y % B][at.row (i)] = a[i][p];
}

// Gauss-Jordan inversion, in place, of M - S R, whose pivots give S, with B rows and columns at a
// time. With the inverse of their block every thread computes the part of the rows that it needs,
// and subtracts the columns times these from its own entries. The next lines are published at the
// end, so that B steps take one barrier. Without INVERSE the entries above and left of the pivots
// are not changed.
template <bool INVERSE, class T, int B>
GLA_DEVICE bool eliminate (T (&a)[OWN][OWN], const T (&b)[OWN][OWN], int count, int *sign,
                           shown_lines<T, B> &shown)
{
  typedef real_t<T> real;
  qr_tile_place at;
  bool good = true;
  show_lines (a, b, 0, 0, shown);
#pragma unroll
  for (int above = 0; above < OWN; above++)
    for (int step = 0; step < SIDE; step += B) {
      int k = above * SIDE + step, buffer = step / B % 2;
      __syncthreads ();
      pivot_block<T, B> pivots;
#pragma unroll
      for (int r = 0; r < B; r++)
        for (int c = 0; c < B; c++) {
          pivots.d[r][c] = shown.row[buffer][r][k + c];
          pivots.u[r][c] = shown.upper[buffer][r][k + c];
        }
#pragma unroll
      for (int r = 0; r < B; r++) {
        good &= pivots.step (r) || k + r >= count;
        if (threadIdx.x == 0 && k + r < count)
          sign[k + r] = (int)pivots.s[r];
      }
      // rows: the inverse of the block times M - S R, or the inverse itself in its own columns,
      // which only q = above has
      T row[B][OWN];
#pragma unroll
      for (int q = INVERSE ? 0 : above; q < OWN; q++) {
        int j = at.column (q);
        T from[B];
        for (int r = 0; r < B; r++) {
          from[r] = shown.row[buffer][r][j];
          if (q > above || (q == above && at.y >= step + B))
            from[r] = from[r] - scale (pivots.s[r], shown.upper[buffer][r][j]);
        }
        for (int r = 0; r < B; r++) {
          T sum = T{};
          for (int t = 0; t < B; t++)
            sum = madd (pivots.d[r][t], from[t], sum);
          for (int t = 0; t < B && q == above; t++)
            sum = at.y == step + t ? pivots.d[r][t] : sum;
          row[r][q] = sum;
        }
      }
#pragma unroll
      for (int p = INVERSE ? 0 : above; p < OWN; p++) {
        T factor[B];
        for (int r = 0; r < B; r++)
          factor[r] = scale ((real)-1, shown.column[buffer][r][at.row (p)]);
        for (int q = INVERSE ? 0 : above; q < OWN; q++) {
          T other = a[p][q];
          if (q == above && at.y / B == step / B)
            other = T{};
          for (int r = 0; r < B; r++)
            other = madd (factor[r], row[r][q], other);
          for (int r = 0; r < B && p == above; r++)
            other = at.x == step + r ? row[r][q] : other;
          a[p][q] = other;
        }
      }
      if (step < SIDE - B)
        show_lines (a, b, above, step + B, shown);
      else if (above < OWN - 1)
        show_lines (a, b, above < OWN - 1 ? above + 1 : above, 0, shown);
    }
  __syncthreads ();
  return good;
}

// M and R, with R = I outside.
template <class T>
GLA_DEVICE void load (T (&a)[OWN][OWN], T (&b)[OWN][OWN], int count, const T *m, int64_t ldm,
                      const T *r, int64_t ldr)
{
  qr_tile_place at;
#pragma unroll
  for (int p = 0; p < OWN; p++)
#pragma unroll
    for (int q = 0; q < OWN; q++) {
      int i = at.row (p), j = at.column (q);
      bool inside = i < count && j < count;
      a[p][q] = inside ? m[i + j * ldm] : T{};
      b[p][q] = inside ? r[i + j * ldr] : from_real<T> (i == j ? 1 : 0);
    }
}

template <class T> GLA_DEVICE void store (const T (&a)[OWN][OWN], int count, T *m, int64_t ldm)
{
  qr_tile_place at;
#pragma unroll
  for (int p = 0; p < OWN; p++)
#pragma unroll
    for (int q = 0; q < OWN; q++)
      if (at.row (p) < count && at.column (q) < count)
        m[at.row (p) + at.column (q) * ldm] = a[p][q];
}

// One block of threads per page.
template <class T>
__global__ void __launch_bounds__ (THREADS, 1)
    leaf_kernel (qr_cholesky<T> c, int64_t J, int count, bool inverse)
{
  __shared__ shown_lines<T, qr_tile_steps<T>> shown;
  int64_t page = blockIdx.x;
  T *m = c.M.data + page * c.M.page + J + J * c.M.ld;
  const T *r = c.R.data + page * c.R.page + J + J * c.R.ld;
  int *sign = c.sign + page * c.n + J;
  T a[OWN][OWN], b[OWN][OWN];
  load (a, b, count, m, c.M.ld, r, c.R.ld);
  bool good = inverse ? eliminate<true> (a, b, count, sign, shown)
                      : eliminate<false> (a, b, count, sign, shown);
  if (inverse)
    store (a, count, m, c.M.ld);
  if (!good && threadIdx.x == 0)
    c.failed[page] = 1;
}

} // namespace

template <class T>
cudaError_t qr_signs_leaf (const qr_cholesky<T> &c, int64_t J, int count, bool inverse,
                           cudaStream_t stream)
{
  leaf_kernel<T><<<(unsigned)c.pages, THREADS, 0, stream>>> (c, J, count, inverse);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_signs_leaf (const qr_cholesky<T> &, int64_t, int, bool, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
