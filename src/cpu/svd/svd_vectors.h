// svd_vectors.h: scales pages by powers of two, and stores their vectors in the result
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SVD_SVD_VECTORS_H
#define GPULINALG_CPU_SVD_SVD_VECTORS_H

#include <math.h>
#include <string.h>

#include "common/phase.h"
#include "common/scalar.h"
#include "cpu/common/columns.h"
#include "cpu/common/exponent.h"
#include "cpu/common/minmax.h"
#include "cpu/common/rows.h"
#include "svd.h"

//------------------------------------------------------------------------------
// exact scaling of pages by powers of two, and results of pages that fail
//------------------------------------------------------------------------------

// The largest entry of a page becomes 2^GLA_SVD_TOP: squares of numbers from there down to
// 2^-GLA_SVD_TOP are in range.
enum { GLA_SVD_TOP = GLA_SINGLE ? 50 : 470 };

// Entries of a page are multiplied by down[0]*down[1], its values by up[0]*up[1]: two factors,
// because the powers themselves may be out of range.
typedef struct {
  int32_t info; // 0: solve it
  real down[2], up[2];
} svd_scale;

static bits largest_of_svd_page (const gla_array *A, int64_t page)
{
  if (A->column_stride == A->rows)
    return largest_of (column_of (A, page, 0), A->rows * A->columns * GLA_PARTS, 0);
  bits largest = 0;
  for (int64_t j = 0; j < A->columns; j++)
    largest = largest_of (column_of (A, page, j), A->rows * GLA_PARTS, largest);
  return largest;
}

// to: the exponent that the largest entry gets.
static svd_scale svd_scale_of (const gla_array *A, int64_t page, int to)
{
  svd_scale s = {0, {1, 1}, {1, 1}};
  const bits largest = largest_of_svd_page (A, page);
  real x;
  memcpy (&x, &largest, sizeof x);
  if (!(x <= GLA_MAX)) {
    s.info = (int32_t)gla_min (A->rows, A->columns) + 1;
    return s;
  }
  if (x == 0)
    return s;
  int e;
  (void)frexp (x, &e);
  const int shift = to - e + 1, half = shift / 2;
  s.down[0] = power_of_two (half);
  s.down[1] = power_of_two (shift - half);
  s.up[0] = power_of_two (-half);
  s.up[1] = power_of_two (half - shift);
  return s;
}

// S has no columns but may be a diagonal.
static inline void store_value (const gla_svd_chunk *c, int64_t page, int64_t i, real x)
{
  ((real *)c->S.data)[page * c->S.page_stride + i * c->S.row_stride] = x;
}

static void store_failed (const gla_svd_chunk *c, int64_t page, int32_t info)
{
  c->info[page] = info;
  for (int64_t i = 0; i < c->S.rows; i++)
    store_value (c, page, i, (real)NAN);
  fill_nan (&c->U, page);
  fill_nan (&c->V, page);
}

//------------------------------------------------------------------------------
// vectors of one page where the result has them, and their phases
//------------------------------------------------------------------------------

// T (m x k, m >= k) is a page, or its adjoint if the page has more columns than rows. Its long
// vectors have m rows, its short ones k; they are computed in the page of the result.

// A page of U or V; columns 0: it is not wanted.
typedef struct {
  real *x;
  int64_t rows, columns, ld;
} svd_basis;

static svd_basis basis_of (const gla_array *a, int64_t page)
{
  if (a->data == NULL)
    return (svd_basis){0};
  // a single column may have any stride
  const int64_t ld = gla_max (a->columns > 1 ? a->column_stride : a->rows, 1);
  return (svd_basis){column_of (a, page, 0), a->rows, a->columns, ld};
}

// The bases of T.
typedef struct {
  svd_basis of_long, of_short;
  int wide;
} svd_bases;

static svd_bases bases_of (const gla_svd_job *job, const gla_svd_chunk *c, int64_t page)
{
  const int wide = job->m < job->n;
  return (svd_bases){basis_of (wide ? &c->V : &c->U, page), basis_of (wide ? &c->U : &c->V, page),
                     wide};
}

// Loads T of a page, scaled, packed.
static void load_tall (const gla_array *A, int64_t page, const svd_scale *s, real *to)
{
  const int64_t m = A->rows, n = A->columns;
  scalar *t = (scalar *)to;
  const real down0 = s->down[0], down1 = s->down[1];
  for (int64_t j = 0; j < n; j++) {
    const real *from = column_of (A, page, j);
    for (int64_t i = 0; i < m; i++) {
      scalar x =
          scalar_make (from[i * GLA_PARTS], GLA_COMPLEX ? from[i * GLA_PARTS + GLA_COMPLEX] : 0);
      x = scalar_scale (down1, scalar_scale (down0, x));
      if (m >= n)
        t[i + j * m] = x;
      else
        t[j + i * n] = scalar_conj (x);
    }
  }
}

static inline scalar *basis_column (const svd_basis *b, int64_t j)
{
  return (scalar *)(b->x + j * b->ld * GLA_PARTS);
}

// Sets columns of the basis to those of the identity but for the first k, which are zero.
static void clear_basis (const svd_basis *b, int64_t k)
{
  for (int64_t j = 0; j < b->columns; j++) {
    scalar *x = basis_column (b, j);
    memset (x, 0, (size_t)b->rows * sizeof *x);
    if (j >= k)
      x[j] = scalar_make (1, 0);
  }
}

// Returns the largest |x|^2.
static real largest_square (int64_t rows, const scalar *x)
{
  real most = 0;
  vec lanes = vec_broadcast (0);
  int64_t i = 0;
  for (; i + GLA_LANES <= rows; i += GLA_LANES) {
    const vec square = num_abs2 (load_register ((const real *)(x + i)));
    lanes = vec_select (square > lanes, square, lanes);
  }
  for (int l = 0; l < GLA_LANES; l++)
    most = lanes[l] > most ? lanes[l] : most;
  for (; i < rows; i++)
    most = scalar_abs2 (x[i]) > most ? scalar_abs2 (x[i]) : most;
  return most;
}

// Gives x, of length 1 or 0, the phase of common/phase.h. Returns the factor of x.
static scalar fix_column (int64_t rows, scalar *x)
{
  const real most = largest_square (rows, x);
  int64_t at = 0;
  if (!(most > 0))
    return scalar_make (1, 0);
  while (scalar_abs2 (x[at]) < (real)(GLA_PHASE_NEAR * GLA_PHASE_NEAR) * most)
    at++;
#if GLA_COMPLEX
  const real modulus = real_sqrt (scalar_abs2 (x[at]));
  const scalar f = scalar_scale (1 / modulus, scalar_conj (x[at]));
#else
  const scalar f = x[at] < 0 ? -1 : 1;
#endif
  for (int64_t i = 0; i < rows; i++)
    x[i] = scalar_mul (f, x[i]);
#if GLA_COMPLEX
  x[at] = scalar_make (modulus, 0);
#endif
  return f;
}

static void times_scalar (int64_t rows, scalar f, scalar *x)
{
  for (int64_t i = 0; i < rows; i++)
    x[i] = scalar_mul (f, x[i]);
}

// Sets phases by the first `values` columns of V, if it is wanted.
static void fix_phases (const svd_bases *b, int64_t values)
{
  const svd_basis *V = b->wide ? &b->of_long : &b->of_short;
  const svd_basis *U = b->wide ? &b->of_short : &b->of_long;
  for (int64_t j = 0; j < values && V->columns > 0; j++) {
    const scalar f = fix_column (V->rows, basis_column (V, j));
    if (U->columns > 0)
      times_scalar (U->rows, f, basis_column (U, j));
  }
}

// + 0, because implicit QR gives -0 for some zeros.
static void store_page_values (const gla_svd_job *job, const gla_svd_chunk *c, int64_t page,
                               const svd_scale *s, const real *sigma)
{
  for (int64_t j = 0; j < job->values; j++)
    store_value (c, page, j, sigma[j] * s->up[0] * s->up[1] + 0);
}

#endif
