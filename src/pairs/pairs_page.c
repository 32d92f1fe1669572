// pairs_page.c: work on single pages of any type on the host
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_page.h"

#include "arrays.h"
#include "common/phase.h"

#include <math.h>

static int64_t parts_of (const gla_array *a)
{
  return 1 + gla_type_is_complex (a->type);
}

//------------------------------------------------------------------------------
// read
//------------------------------------------------------------------------------

// An element over 2^exponent; imag is 0 in real types.
typedef struct {
  double real, imag;
} element;

static element element_at (const gla_array *A, int64_t page, int64_t i, int64_t j, int exponent)
{
  const int64_t parts = parts_of (A);
  const int64_t at = (page * A->page_stride + j * A->column_stride + i) * parts;
  return (element){ldexp (gla_get_number (A, at), -exponent),
                   parts == 1 ? 0 : ldexp (gla_get_number (A, at + 1), -exponent)};
}

// Returns the largest real or imaginary part in use, Inf if one of them is not finite. Imaginary
// parts on the diagonal are used in full pages only.
static double largest_of (const gla_array *A, int64_t page, gla_triangle triangle)
{
  const int64_t n = A->rows;
  double largest = 0;
  for (int64_t j = 0; j < n; j++) {
    const int64_t first = triangle == GLA_TRIANGLE_LOWER ? j : 0;
    const int64_t last = triangle == GLA_TRIANGLE_UPPER ? j : n - 1;
    for (int64_t i = first; i <= last; i++) {
      element x = element_at (A, page, i, j, 0);
      if (i == j && triangle != GLA_TRIANGLE_FULL)
        x.imag = 0;
      if (!isfinite (x.real) || !isfinite (x.imag))
        return INFINITY;
      largest = fmax (largest, fmax (fabs (x.real), fabs (x.imag)));
    }
  }
  return largest;
}

static void put_element (const gla_array *H, int64_t page, int64_t i, int64_t j, element x)
{
  const int64_t at = ((page * H->columns + j) * H->rows + i) * parts_of (H);
  gla_put_number (H, at, x.real);
  if (parts_of (H) == 2)
    gla_put_number (H, at + 1, x.imag);
}

static element conjugate (element x)
{
  return (element){x.real, -x.imag};
}

int32_t gla_read_hermitian (const gla_array *A, int64_t page, gla_triangle triangle,
                            const gla_array *H, int *exponent, double *skew)
{
  const int64_t n = A->rows;
  const double largest = largest_of (A, page, triangle);
  const int finite = isfinite (largest);
  const int e = finite && largest > 0 ? ilogb (largest) : 0;
  double difference = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      element x = {0, 0}, y = x;
      if (finite) {
        x = element_at (A, page, i, j, e);
        y = conjugate (element_at (A, page, j, i, e));
      }
      if (triangle == GLA_TRIANGLE_LOWER || triangle == GLA_TRIANGLE_UPPER)
        x = y = triangle == GLA_TRIANGLE_LOWER ? x : y;
      else
        difference = fmax (difference, hypot (x.real - y.real, x.imag - y.imag));
      const element mean = {(x.real + y.real) / 2, i == j ? 0 : (x.imag + y.imag) / 2};
      put_element (H, page, i, j, mean);
      put_element (H, page, j, i, conjugate (mean));
    }
  *exponent = e;
  *skew = ldexp (difference, e);
  if (!finite)
    return (int32_t)n + 1;
  return difference > 10 * (double)n * gla_type_eps (A->type) * ldexp (largest, -e)
             ? GLA_INFO_NOT_HERMITIAN
             : 0;
}

//------------------------------------------------------------------------------
// change
//------------------------------------------------------------------------------

void gla_fill_diagonal (const gla_array *H, int64_t page, int64_t r)
{
  const int64_t n = H->rows, parts = parts_of (H), column = n * parts;
  double largest = 0;
  for (int64_t j = 0; j < r; j++) {
    double sum = 0; // of column j, at least |C|_2 for the largest one
    for (int64_t i = 0; i < r * parts; i++)
      sum += fabs (gla_get_number (H, (page * n + j) * column + i));
    largest = fmax (largest, sum);
  }
  const double above = largest > 0 ? ldexp (1, ilogb (largest) + 2) : 1;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < column; i++)
      if (j >= r || i >= r * parts)
        gla_put_number (H, (page * n + j) * column + i, j >= r && i == j * parts ? above : 0);
}

void gla_reverse_columns (const gla_array *T, int64_t page)
{
  const int64_t n = T->columns, column = T->rows * parts_of (T);
  for (int64_t j = 0; j < n / 2; j++) {
    const int64_t a = (page * n + j) * column, b = (page * n + n - 1 - j) * column;
    for (int64_t i = 0; i < column; i++) {
      const double x = gla_get_number (T, a + i);
      gla_put_number (T, a + i, gla_get_number (T, b + i));
      gla_put_number (T, b + i, x);
    }
  }
}

void gla_scale_column (const gla_array *T, int64_t page, int64_t j, double factor)
{
  const int64_t column = T->rows * parts_of (T), first = (page * T->columns + j) * column;
  const int replace = factor == 0 || isnan (factor);
  for (int64_t i = first; i < first + column; i++)
    gla_put_number (T, i, replace ? factor : factor * gla_get_number (T, i));
}

static double modulus_at (const gla_array *X, int64_t page, int64_t i, int64_t j)
{
  const element x = element_at (X, page, i, j, 0);
  return hypot (x.real, x.imag);
}

void gla_column_phase (const gla_array *X, int64_t page, int64_t j)
{
  const int64_t n = X->rows;
  double most = 0;
  int64_t first = 0;
  for (int64_t i = 0; i < n; i++)
    most = fmax (most, modulus_at (X, page, i, j));
  while (first + 1 < n && !(modulus_at (X, page, first, j) >= GLA_PHASE_NEAR * most))
    first++;
  const double size = modulus_at (X, page, first, j);
  if (!(size > 0))
    return;
  const element by = element_at (X, page, first, j, 0);
  const double c = by.real / size, s = by.imag / size;
  for (int64_t i = 0; i < n; i++) {
    const element x = element_at (X, page, i, j, 0);
    const element y = {c * x.real + s * x.imag, i == first ? 0 : c * x.imag - s * x.real};
    put_element (X, page, i, j, y);
  }
}
