// few.cuh: few eigenvalues and eigenvectors of tridiagonal matrices, one by one
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bisection for the eigenvalue, then two steps of inverse iteration with a factorisation that is
// twisted where that shows best how near T - sigma is to a singular matrix (Fernando 1997;
// Parlett, Dhillon 1997). This is what one lane does.

#ifndef GPULINALG_FEW_CUH
#define GPULINALG_FEW_CUH

#include "common/quick_reciprocal.cuh"
#include "eig_kernels.cuh"

// info of a page whose wanted eigenvectors are found, which divide and conquer leaves alone.
enum { EIG_FOUND = INT32_MIN };

// (d, e) -> lambda, rank, and the wanted columns of Z side by side from the first one on, with info
// EIG_FOUND, of every page whose vectors pass the tests. The others are left to divide and conquer,
// and so are those with more than n / EIG_FEW_SHARE eigenvalues in an interval, whose spans it
// counts for all pages.
template <class T> cudaError_t eig_few (const eig_args<T> &a, const eig_interval &interval);
// Called after it: sets info back to 0.
template <class T> cudaError_t eig_few_end (const eig_args<T> &a);

// For an interval: spans, and lists. A warp takes up to FEW_TOGETHER pages whose vectors are to be
// found; list c has those of which it takes c. Another list has all their columns, which are to be
// transformed back. Before the lists are how many each has, the columns' number last.
enum { FEW_TOGETHER = 8, FEW_COUNTS = 16 };
int64_t eig_few_list_numbers (int n, int64_t pages);
template <class T> cudaError_t few_spans (const eig_args<T> &a, const eig_interval &interval);

// Pages of a warp at most, as shared memory has to be for the most.
__host__ __device__ inline int few_most (int n)
{
  return n <= 48 ? (int)FEW_TOGETHER : n <= 96 ? FEW_TOGETHER / 2 : FEW_TOGETHER / 4;
}
GLA_DEVICE int *few_list (int *lists, int64_t pages, int c)
{
  return lists + FEW_COUNTS + (c - 1) * pages;
}

// Whether a page with so many wanted columns has them in the list, for eig_unmtr.
template <class T> GLA_DEVICE bool eig_applies_alone (const eig_args<T> &a, int columns)
{
  return a.lists != nullptr && columns <= a.n / EIG_FEW_SHARE;
}

// A wanted column, and the list of them.
struct few_column {
  int page, j;
};
GLA_DEVICE few_column *few_columns (int *lists, int64_t pages)
{
  return reinterpret_cast<few_column *> (few_list (lists, pages, FEW_TOGETHER + 1));
}

// Steps of bisection from an interval of twice the bound to one of eps times the bound, and those
// of a count between which numbers are scaled: each may make them smaller by eps^2.
template <class R> constexpr int few_steps = sizeof (R) == 8 ? 54 : 25;
template <class R> constexpr int few_apart = sizeof (R) == 8 ? 4 : 2;

// The number next to x in the interval from vl, not included, to vu.
GLA_DEVICE double few_inside (double x, double vl, double vu)
{
  x = x > vl ? x : nextafter (vl, (double)INFINITY);
  return x <= vu ? x : vu;
}
GLA_DEVICE float few_inside (float x, double vl, double vu)
{
  x = (double)x > vl ? x : nextafterf (__double2float_rd (vl), INFINITY);
  return (double)x <= vu ? x : __double2float_rd (vu);
}

// Rows of a count that are done together; the matrix is filled up to them.
enum { FEW_ROWS = 4 };

// The tridiagonal matrix of a lane in shared memory: d(i), and the e between rows i-1 and i, for a
// count its square, at i * apart.
template <class R> struct few_matrix {
  const R *d, *e;
  int n, apart;
};

// 2^-k of the x with exponent k; and the sign of x, 0 or -1.
GLA_DEVICE double few_down (double x)
{
  return __hiloint2double (0x7fe00000 - (__double2hiint (x) & 0x7ff00000), 0);
}
GLA_DEVICE float few_down (float x)
{
  return __int_as_float (0x7f000000 - (__float_as_int (x) & 0x7f800000));
}
GLA_DEVICE int few_sign (double x)
{
  return __double2hiint (x) >> 31;
}
GLA_DEVICE int few_sign (float x)
{
  return __float_as_int (x) >> 31;
}

// How many eigenvalues are at most x, but for rounding: the changes of sign in Sturm's sequence of
// leading minors, which needs no quotients. Their quotients are the pivots of T - x; one that is
// below `least` counts as -least. Rows up to a multiple of FEW_ROWS have no negative pivots.
template <class R> GLA_DEVICE int few_below (const few_matrix<R> &t, R x, R least)
{
  R before = 0, now = 1;
  int count = 0;
  for (int first = 0; first < t.n; first += FEW_ROWS) {
    R d[FEW_ROWS], square[FEW_ROWS];
#pragma unroll
    for (int q = 0; q < FEW_ROWS; q++) {
      d[q] = t.d[(first + q) * t.apart] - x;
      square[q] = t.e[(first + q) * t.apart];
    }
#pragma unroll
    for (int q = 0; q < FEW_ROWS; q++) {
      R next = madd (d[q], now, -(square[q] * before)), limit = least * now;
      next = absmax (next) <= absmax (limit) ? -limit : next;
      count -= few_sign (next) ^ few_sign (now);
      before = now;
      now = next;
      if (q % few_apart<R> == few_apart<R> - 1) {
        R down = few_down (now);
        before *= down;
        now *= down;
      }
    }
  }
  return count;
}

// Eigenvalue `index`, counted from 0, of a matrix between -bound and bound, a power of two: then an
// eigenvalue with few digits is found as it is. The points do not depend on what else is wanted, so
// eigenvalues are in order.
template <class R> GLA_DEVICE R few_value (const few_matrix<R> &t, int index, R bound)
{
  R low = -bound, high = bound, least = limits<R>::eps * limits<R>::eps * bound;
  for (int step = 0; step < few_steps<R>; step++) {
    R middle = R (0.5) * (low + high);
    bool above = few_below (t, middle, least) > index;
    low = above ? low : middle;
    high = above ? middle : high;
  }
  return high;
}

// T - sigma = N D N', where N has ones on the diagonal, entries below it up to row r, and above it
// from there on: 1/D goes to `inverse`, entries 32 apart. x, entries `apart` apart, is overwritten.
// Both factorisations, from the first row and from the last one, run side by side, since each step
// waits for the one before; then the row where they meet is chosen.
template <class R>
GLA_DEVICE int few_twist (const few_matrix<R> &t, R sigma, R bound, R *inverse, R *x, int apart)
{
  const R least = R (0.25) * limits<R>::eps * bound;
  const int n = t.n;
  R above = 0, below = 0, under = 0; // under: the square of e below row i
  for (int k = 0, i = n - 1; k < n; k++, i--) {
    R e = t.e[k * t.apart], square = t.e[i * t.apart];
    R first = (t.d[k * t.apart] - sigma) - e * e * above;
    R last = (t.d[i * t.apart] - sigma) - under * below;
    first = absmax (first) > least ? first : -least;
    last = absmax (last) > least ? last : -least;
    above = quick_reciprocal (first);
    below = quick_reciprocal (last);
    inverse[k * 32] = above;
    x[i * apart] = below;
    under = square * square;
  }
  int r = n - 1;
  R best = 0;
#pragma unroll 4
  for (int i = n - 1; i >= 0; i--) {
    R e = t.e[i * t.apart], middle = t.d[i * t.apart] - sigma;
    R next = i < n - 1 ? t.e[(i + 1) * t.apart] : R (0);
    middle = middle - next * next * (i < n - 1 ? x[(i + 1) * apart] : R (0));
    middle = i > 0 ? middle - e * e * inverse[(i - 1) * 32] : middle;
    bool better = i == n - 1 || absmax (middle) < absmax (best);
    best = better ? middle : best;
    r = better ? i : r;
  }
#pragma unroll 4
  for (int i = 0; i < n; i++)
    if (i > r)
      inverse[i * 32] = x[i * apart];
  best = absmax (best) > least ? best : copy_sign (least, best);
  inverse[r * 32] = quick_reciprocal (best);
  return r;
}

// FEW_ROWS rows of what few_solve works on, from row `first` on in steps of `step`; row 0 replaces
// rows outside the matrix. e is that of row i + beside.
template <class R> struct few_rows {
  R x[FEW_ROWS], e[FEW_ROWS], inverse[FEW_ROWS];
  GLA_DEVICE few_rows (const few_matrix<R> &t, const R *from, const R *of, int apart, int first,
                       int step, int beside)
  {
#pragma unroll
    for (int q = 0; q < FEW_ROWS; q++) {
      const int row = first + q * step, i = row >= 0 && row < t.n ? row : 0;
      x[q] = from[i * apart];
      inverse[q] = of[i * 32];
      e[q] = t.e[(i + beside < t.n ? i + beside : 0) * t.apart];
    }
  }
};

// x = (T - sigma)^-1 x: to row r from both ends, then from there to both ends. All lanes are at the
// same rows, whatever their r, so that they read different banks; and both ways go on side by side,
// since each row waits for the one before.
template <class R>
GLA_DEVICE void few_solve (const few_matrix<R> &t, int r, const R *inverse, R *x, int apart)
{
  const int n = t.n;
  R above = 0, below = 0; // N^-1 x row by row
  for (int k = 0; k < n; k += FEW_ROWS) {
    const few_rows<R> down (t, x, inverse, apart, k, 1, 1),
        up (t, x, inverse, apart, n - 1 - k, -1, 0);
#pragma unroll
    for (int q = 0; q < FEW_ROWS; q++) {
      const int i = k + q, j = n - 1 - k - q;
      const R y = down.x[q] - above, z = up.x[q] - below;
      if (i < r)
        x[i * apart] = y;
      if (j > r)
        x[j * apart] = z;
      above = i < r ? down.e[q] * down.inverse[q] * y : above;
      below = j > r ? up.e[q] * up.inverse[q] * z : below;
    }
  }
  const R middle = ((x[r * apart] - above) - below) * inverse[r * 32];
  x[r * apart] = middle;
  above = below = middle;
  for (int k = 0; k < n; k += FEW_ROWS) {
    const few_rows<R> up (t, x, inverse, apart, n - 1 - k, -1, 1),
        down (t, x, inverse, apart, k, 1, 0);
#pragma unroll
    for (int q = 0; q < FEW_ROWS; q++) {
      const int i = n - 1 - k - q, j = k + q;
      const R y = up.inverse[q] * madd (-up.e[q], above, up.x[q]);
      const R z = down.inverse[q] * madd (-down.e[q], below, down.x[q]);
      above = i < r && i >= 0 ? y : above;
      below = j > r && j < n ? z : below;
      if (i < r && i >= 0)
        x[i * apart] = y;
      if (j > r && j < n)
        x[j * apart] = z;
    }
  }
}

// Entry i of what inverse iteration for eigenvalue `index` starts from, between -1 and 1: always
// the same, and another one for each eigenvalue, so that equal ones get different vectors.
template <class R> GLA_DEVICE R few_start (int i, int index)
{
  uint32_t h = (uint32_t)(i + 1) * 0x9e3779b1u ^ (uint32_t)(index + 1) * 0x85ebca77u;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  h ^= h >> 15;
  return (R)(int32_t)h * R (0x1p-31);
}

// x / |x|
template <class R> GLA_DEVICE void few_normalise (R *x, int n, int apart)
{
  R sum[2] = {};
#pragma unroll 4
  for (int i = 0; i < n; i++)
    sum[i % 2] = madd (x[i * apart], x[i * apart], sum[i % 2]);
  R factor = rsqrt_of (sum[0] + sum[1]);
#pragma unroll 4
  for (int i = 0; i < n; i++)
    x[i * apart] *= factor;
}

// The largest entry of T x - sigma x; NaN where one is NaN.
template <class R>
GLA_DEVICE R few_residual (const few_matrix<R> &t, R sigma, const R *x, int apart)
{
  R before = 0, now = x[0], worst = 0;
#pragma unroll 4
  for (int i = 0; i < t.n; i++) {
    R next = i < t.n - 1 ? x[(i + 1) * apart] : R (0);
    R r = (t.d[i * t.apart] - sigma) * now + t.e[i * t.apart] * before;
    r = absmax (i < t.n - 1 ? madd (t.e[(i + 1) * t.apart], next, r) : r);
    worst = r > worst || r != r ? r : worst;
    before = now;
    now = next;
  }
  return worst;
}

//------------------------------------------------------------------------------
// where a warp has the tridiagonal matrices of some pages, a lane to an eigenvalue
//------------------------------------------------------------------------------

// A warp has some whole pages, k lanes for each. Their matrices are in shared memory, row by row,
// so that lanes of different pages read different banks.
struct few_layout {
  int n, k, pages, apart, rows;
  __host__ __device__ few_layout (int n, int k, int pages)
      : n (n), k (k), pages (pages), apart (pages | 1),
        rows ((n + FEW_ROWS - 1) / FEW_ROWS * FEW_ROWS)
  {
  }
  // of d, e or the squares of e
  __host__ __device__ int matrix () const { return rows * apart; }
};

// The pages of a warp: from `first` on, in the order of the chunk or in that of a list, up to `end`
// of it.
struct few_task {
  int pages, k;
  const int *list;
  int64_t first, end;
  // page g of them; the last one again behind the end
  GLA_DEVICE int64_t page (int g) const
  {
    const int64_t at = first + g < end ? first + g : end - 1;
    return list != nullptr ? list[at] : at;
  }
};

// The matrices of the warp's pages. Rows behind the end are 0.
template <class T>
GLA_DEVICE void few_load (const eig_args<T> &a, const few_layout &s, const few_task &task,
                          real_t<T> *d, real_t<T> *e)
{
  typedef real_t<T> R;
#pragma unroll 4
  for (int at = threadIdx.x; at < s.pages * s.rows; at += 32) {
    int g = at / s.rows, i = at - g * s.rows;
    int64_t page = task.page (g);
    d[i * s.apart + g] = i < s.n ? a.d[page * s.n + i] : R (0);
    e[i * s.apart + g] = i > 0 && i < s.n ? a.e[page * s.n + i - 1] : R (0);
  }
  __syncwarp ();
}

// A power of two above all eigenvalues; 1 of a matrix of zeros.
template <class R> GLA_DEVICE R few_bound (const few_matrix<R> &t)
{
  R bound = 0;
#pragma unroll 4
  for (int i = 0; i < t.n; i++) {
    R sum = absmax (t.d[i * t.apart]) + absmax (t.e[i * t.apart]);
    sum += i < t.n - 1 ? absmax (t.e[(i + 1) * t.apart]) : R (0);
    bound = bound > sum ? bound : sum;
  }
  return bound > limits<R>::tiny ? 2 / few_down (bound) : R (1);
}

// For counts, by one lane of each page: squares of e, and behind the end a diagonal beyond all
// eigenvalues, so that the rows there change no count.
template <class R> GLA_DEVICE void few_square (const few_layout &s, R *d, R *e, R bound)
{
  for (int i = 0; i < s.rows; i++) {
    R beside = e[i * s.apart];
    e[i * s.apart] = beside * beside;
    if (i >= s.n)
      d[i * s.apart] = 4 * bound;
  }
}

#endif
