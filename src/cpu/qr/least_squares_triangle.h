// least_squares_triangle.h: X = R \ X of one page, and whether R certainly has full rank
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rank is judged with the columns of R scaled to one length, S = R*D^-1: so a column that is
// much shorter than the others counts fully. |S^-1| is at most the sum of d.*z, where z solves with
// the comparison matrix of R (Higham 2002, section 8.3) and d has the sums of moduli in the
// columns; that costs as much as a right-hand side. If this bound is too large, |S^-1| is estimated
// by inverse iteration.

#ifndef GPULINALG_CPU_LEAST_SQUARES_TRIANGLE_H
#define GPULINALG_CPU_LEAST_SQUARES_TRIANGLE_H

#include "common/products.h"
#include "common/scalar.h"
#include "cpu/common/carve.h"
#include "cpu/common/columns.h"
#include "cpu/common/minmax.h"

#include "least_squares.h"

#include <math.h>
#include <string.h>

// Columns up to which loops stay scalar, and up to which the bound is tried: beyond that it is
// seldom small enough. Elements of X from which the BLAS solves; iterations.
enum {
  SCALAR_TRIANGLE = 8,
  BOUND_TRIANGLE = GLA_SINGLE ? 24 : 256,
  BLAS_ELEMENTS = 4096,
  inverse_iterations = 3
};

typedef struct {
  real *size, *bound; // n: d, and z
  real *y;            // n elements: the vector that is iterated
} triangle_work;

static size_t triangle_layout (char *base, const gla_pages_job *job, triangle_work *w)
{
  const size_t n = (size_t)job->X.rows;
  size_t at = 0;
  w->size = gla_carve (base, &at, n * sizeof (real));
  w->bound = gla_carve (base, &at, n * sizeof (real));
  w->y = gla_carve (base, &at, n * GLA_PARTS * sizeof (real));
  return at;
}

static inline const real *column_at (const gla_array *a, int64_t page, int64_t j)
{
  return (const real *)a->data + (page * a->page_stride + j * a->column_stride) * GLA_PARTS;
}

// Returns at least |x|, at most sqrt (2) times that.
static inline real modulus_of (const real *x, int64_t i)
{
  return GLA_COMPLEX ? real_abs (x[GLA_PARTS * i]) + real_abs (x[GLA_PARTS * i + GLA_COMPLEX])
                     : real_abs (x[i]);
}

// Sets y = y - t*x.
static inline void subtract (int64_t count, scalar t, const real *x, real *y)
{
#if GLA_COMPLEX
  const real re = __real__ t, im = __imag__ t;
#pragma omp simd
  for (int64_t i = 0; i < count; i++) {
    const real xr = x[2 * i], xi = x[2 * i + 1];
    y[2 * i] -= re * xr - im * xi;
    y[2 * i + 1] -= re * xi + im * xr;
  }
#else
#pragma omp simd
  for (int64_t i = 0; i < count; i++)
    y[i] -= t * x[i];
#endif
}

// Sets x = R \ x for one column; count: the columns of R in use. The diagonal is real.
static inline void back (int64_t count, const real *R, int64_t ldr, real *x)
{
  for (int64_t k = count - 1; k >= 0; k--) {
    const real *c = R + k * ldr * GLA_PARTS;
    const scalar t =
        scalar_make (x[k * GLA_PARTS] / c[k * GLA_PARTS],
                     GLA_COMPLEX ? x[k * GLA_PARTS + GLA_COMPLEX] / c[k * GLA_PARTS] : 0);
    ((scalar *)x)[k] = t;
    subtract (k, t, c, x);
  }
}

// Sets x = R \ x of one column, and returns the bound of |S^-1|, which is NaN if R holds NaN or
// Inf. It does not use the vector unit, which delays short columns.
static inline real back_and_bound_small (int64_t n, const real *R, int64_t ldr, real *x, real *z,
                                         real *size)
{
  real total = 0;
  for (int64_t k = 0; k < n; k++)
    z[k] = 1;
  for (int64_t k = n - 1; k >= 0; k--) {
    const real *c = R + k * ldr * GLA_PARTS, inverse = 1 / c[k * GLA_PARTS];
    const real u = z[k] * real_abs (inverse);
    const scalar t = scalar_scale (inverse, ((scalar *)x)[k]);
    real sum = real_abs (c[k * GLA_PARTS]);
    ((scalar *)x)[k] = t;
    for (int64_t i = 0; i < k; i++) {
      const real length = modulus_of (c, i);
      sum += length;
      z[i] += u * length;
      ((scalar *)x)[i] -= scalar_mul (t, ((const scalar *)c)[i]);
    }
    size[k] = sum;
    total += sum * u;
  }
  return total;
}

// Does the same in the vector unit.
static real back_and_bound (int64_t n, const real *R, int64_t ldr, real *x, real *z, real *size)
{
  real total = 0;
  for (int64_t k = 0; k < n; k++)
    z[k] = 1;
  for (int64_t k = n - 1; k >= 0; k--) {
    const real *c = R + k * ldr * GLA_PARTS, inverse = 1 / c[k * GLA_PARTS];
    const real u = z[k] * real_abs (inverse);
    const scalar t = scalar_scale (inverse, ((scalar *)x)[k]);
    real sum = 0;
    ((scalar *)x)[k] = t;
#if GLA_COMPLEX
    subtract (k, t, c, x);
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < k; i++) {
      const real length = modulus_of (c, i);
      sum += length;
      z[i] += u * length;
    }
#else
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < k; i++) {
      const real length = real_abs (c[i]);
      sum += length;
      z[i] += u * length;
      x[i] -= t * c[i];
    }
#endif
    size[k] = sum + real_abs (c[k * GLA_PARTS]);
    total += size[k] * u;
  }
  return total;
}

// Finds sums of moduli in the columns.
static void find_sums (int64_t n, const real *R, int64_t ldr, real *size)
{
  for (int64_t j = 0; j < n; j++) {
    const real *c = R + j * ldr * GLA_PARTS;
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < (j + 1) * GLA_PARTS; i++)
      sum += real_abs (c[i]);
    size[j] = sum;
  }
}

// Sets x = R' \ x.
static void forward_adjoint (int64_t n, const real *R, int64_t ldr, real *x)
{
  for (int64_t k = 0; k < n; k++) {
    const real *c = R + k * ldr * GLA_PARTS;
    real re = x[k * GLA_PARTS], im = GLA_COMPLEX ? x[k * GLA_PARTS + GLA_COMPLEX] : 0;
#if GLA_COMPLEX
#pragma omp simd reduction(+ : re, im)
    for (int64_t i = 0; i < k; i++) {
      re -= c[2 * i] * x[2 * i] + c[2 * i + 1] * x[2 * i + 1];
      im -= c[2 * i] * x[2 * i + 1] - c[2 * i + 1] * x[2 * i];
    }
#else
#pragma omp simd reduction(+ : re)
    for (int64_t i = 0; i < k; i++)
      re -= c[i] * x[i];
#endif
    ((scalar *)x)[k] = scalar_make (re / c[k * GLA_PARTS], im / c[k * GLA_PARTS]);
  }
}

static double length_of (int64_t count, const real *x)
{
  double sum = 0;
  for (int64_t i = 0; i < count * GLA_PARTS; i++)
    sum += (double)x[i] * (double)x[i];
  return sqrt (sum);
}

// Replaces the sums of moduli in size by the lengths of the columns.
static void find_lengths (int64_t n, const real *R, int64_t ldr, real *size)
{
  for (int64_t j = 0; j < n; j++) {
    const real *c = R + j * ldr * GLA_PARTS, most = size[j];
    real sum = 0;
    for (int64_t i = 0; i < (j + 1) * GLA_PARTS; i++)
      sum += (c[i] / most) * (c[i] / most);
    size[j] = most * real_sqrt (sum);
  }
}

static void times_lengths (int64_t n, const real *size, double factor, real *x)
{
  for (int64_t i = 0; i < n; i++)
    ((scalar *)x)[i] = scalar_scale ((real)(size[i] * factor), ((scalar *)x)[i]);
}

// Estimates |S^-1| in the 2-norm by inverse iteration with S'*S, S^-1 = D*R^-1; the start is the
// same in every run. The estimate is at most the norm, and near it after one step if the norm is
// large.
static double inverse_norm (int64_t n, const real *R, int64_t ldr, double most,
                            const triangle_work *w)
{
  double norm = 0, length;
  find_lengths (n, R, ldr, w->size);
  for (int64_t i = 0; i < n; i++)
    ((scalar *)w->y)[i] = scalar_make ((real)1 + (real)(i * 37 % 101) / 64, (real)(i % 7) / 8);
  for (int step = 0; step < inverse_iterations; step++) {
    length = length_of (n, w->y);
    times_lengths (n, w->size, 1 / length, w->y);
    forward_adjoint (n, R, ldr, w->y);
    norm = length_of (n, w->y); // of S'^-1 times a vector of length 1
    for (int64_t i = 0; i < n; i++)
      ((scalar *)w->y)[i] = scalar_scale ((real)(1 / norm), ((scalar *)w->y)[i]);
    back (n, R, ldr, w->y);
    times_lengths (n, w->size, 1, w->y);
    length = length_of (n, w->y);
    norm = length > norm ? length : norm;
    if (!(length < INFINITY))
      return INFINITY;
    if (norm * 1000 < most)
      return norm;
  }
  return norm;
}

// Whether the columns are independent, if `bound` is above that of |S^-1|, most.
static int is_regular (int64_t n, const real *R, int64_t ldr, double most, const triangle_work *w)
{
  for (int64_t j = 0; j < n; j++) // NaN, Inf, and zeros on the diagonal
    if (!(w->size[j] <= GLA_MAX) || R[(j + j * ldr) * GLA_PARTS] == 0)
      return 0;
  return inverse_norm (n, R, ldr, most, w) <= most;
}

// Whether all numbers are finite: then their products with zero sum to zero.
static inline int is_finite (int64_t count, const real *x)
{
  real sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < count; i++)
    sum += 0 * x[i];
  return sum == 0;
}

// Sets X = R \ C in the first column, if there is one; returns whether the columns of R are
// independent.
static int solve_first (int64_t n, int64_t r, const real *R, int64_t ldr, double most, real *X,
                        const triangle_work *w)
{
  real *x = r > 0 ? X : w->y;
  if (r == 0)
    memset (x, 0, (size_t)(n * GLA_PARTS) * sizeof *x);
  if (n <= BOUND_TRIANGLE) {
    const real bound = n <= SCALAR_TRIANGLE ? back_and_bound_small (n, R, ldr, x, w->bound, w->size)
                                            : back_and_bound (n, R, ldr, x, w->bound, w->size);
    if ((double)bound <= most)
      return 1;
  } else {
    back (n, R, ldr, x);
    find_sums (n, R, ldr, w->size);
  }
  return is_regular (n, R, ldr, most, w);
}

// X is C on entry. Pages that are not regular, or not finite, are left to least_norm_page.
static void solve_pages (const gla_pages_job *job, int64_t first, int64_t end, char *work)
{
  const int64_t n = job->X.rows, r = job->X.columns, ldr = job->R.column_stride;
  const double most = 1 / ((double)gla_max (job->A.rows, n) * (double)GLA_EPS);
  triangle_work w;
  triangle_layout (work, job, &w);
  for (int64_t page = first; page < end; page++) {
    const real *R = column_at (&job->R, page, 0);
    real *X = column_of (&job->X, page, 0);
    int fine = solve_first (n, r, R, ldr, most, X, &w);
    if (fine && r > 1 && n * r >= BLAS_ELEMENTS)
      trsm ((triangle_form){"L", "U", "N", "N"}, n, r - 1, 1, R, ldr, column_of (&job->X, page, 1),
            job->X.column_stride);
    else
      for (int64_t j = 1; fine && j < r; j++)
        back (n, R, ldr, column_of (&job->X, page, j));
    for (int64_t j = 0; fine && j < r; j++)
      fine = is_finite (n * GLA_PARTS, column_of (&job->X, page, j));
    job->info[page] = fine ? 0 : GLA_INFO_AGAIN;
  }
}

#endif
