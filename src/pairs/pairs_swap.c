// pairs_swap.c: eigenvalues of a pair from those of the pair with A and B exchanged
// SPDX-License-Identifier: GPL-3.0-or-later
//
// B*x = mu*A*x with definite A, so mu is finite, and lambda = 1/mu. This reverses the order within
// the negative and within the positive ones, and mu = 0 gives lambda = Inf, which is last.

#include "arrays.h"
#include "pairs_run.h"

#include <math.h>
#include <string.h>

static double value_at (const gla_array *lambda, int64_t page, int64_t i)
{
  return gla_get_number (lambda, page * lambda->page_stride + i * lambda->row_stride);
}

static void put_value (const gla_array *lambda, int64_t page, int64_t i, double x)
{
  gla_put_number (lambda, page * lambda->page_stride + i * lambda->row_stride, x);
}

static void exchange (char *a, char *b, size_t bytes)
{
  char some[256];
  for (size_t at = 0; at < bytes; at += sizeof some) {
    const size_t now = bytes - at < sizeof some ? bytes - at : sizeof some;
    memcpy (some, a + at, now);
    memcpy (a + at, b + at, now);
    memcpy (b + at, some, now);
  }
}

// Reverses the order of values and vectors first..last.
static void reverse (const gla_array *lambda, const gla_array *V, int64_t page, int64_t first,
                     int64_t last)
{
  const size_t size = gla_type_size (V->type), bytes = (size_t)V->rows * size;
  for (; first < last; first++, last--) {
    const double x = value_at (lambda, page, first);
    put_value (lambda, page, first, value_at (lambda, page, last));
    put_value (lambda, page, last, x);
    if (V->data == NULL)
      continue;
    char *base = (char *)V->data + (size_t)(page * V->page_stride) * size;
    exchange (base + (size_t)(first * V->column_stride) * size,
              base + (size_t)(last * V->column_stride) * size, bytes);
  }
}

// Returns the number of finite eigenvalues.
static int64_t swap_page (const gla_array *lambda, const gla_array *V, int64_t page, int exponent)
{
  const int64_t n = lambda->rows;
  const double ends[2] = {value_at (lambda, page, 0), value_at (lambda, page, n - 1)};
  if (isnan (ends[0]))
    return 0;
  const double limit =
      (double)n * gla_type_eps (lambda->type) * fmax (fabs (ends[0]), fabs (ends[1]));
  int64_t negative = 0, finite = 0;
  for (int64_t i = 0; i < n; i++) {
    const double mu = value_at (lambda, page, i);
    const int zero = fabs (mu) <= limit;
    negative += mu < 0 && !zero;
    finite += !zero;
    put_value (lambda, page, i, zero ? INFINITY : ldexp (1 / mu, -exponent));
  }
  reverse (lambda, V, page, 0, negative - 1);
  reverse (lambda, V, page, negative, n - 1);
  return finite;
}

void gla_pairs_swap (const gla_array *lambda, const gla_array *V, const int32_t *exponents,
                     int64_t *rank)
{
  for (int64_t k = 0; k < lambda->pages; k++) {
    const int64_t finite = swap_page (lambda, V, k, exponents[k]);
    if (rank != NULL)
      rank[k] = finite;
  }
}
