// spmv_once_template.h: y = A*x and y = A.'*x for A by columns, for one type of A and one of x
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The includer defines ONCE (name), ONCE_A (value of entry k), ONCE_X, the type of x and y, and
// ONCE_TIMES (a, x). Indices are 4 or 8 bytes.

// Computes all of A*x, in the order of the columns.
static void ONCE (scatter) (const once *t, const void *xs, void *ys, int64_t low, int64_t high)
{
  const gla_csr *c = t->A;
  const ONCE_X *x = xs;
  ONCE_X *y = ys;
  (void)low, (void)high;
  memset (y, 0, (size_t)c->rows * sizeof *y);
  for (int64_t j = 0, k = 0; j < c->columns; j++) {
    const int64_t end = gla_csr_at (c->start, c->index_bytes, j + 1);
    const ONCE_X xj = x[j];
    for (; k < end; k++)
      y[gla_csr_at (c->index, c->index_bytes, k)] += ONCE_TIMES (ONCE_A (t, k), xj);
  }
}

// Computes columns `low` to `high`-1.
static void ONCE (gather) (const once *t, const void *xs, void *ys, int64_t low, int64_t high)
{
  const gla_csr *c = t->A;
  const ONCE_X *x = xs;
  ONCE_X *y = ys;
  int64_t k = gla_csr_at (c->start, c->index_bytes, low);
  for (int64_t j = low; j < high; j++) {
    const int64_t end = gla_csr_at (c->start, c->index_bytes, j + 1);
    ONCE_X sum = 0;
    for (; k < end; k++)
      sum += ONCE_TIMES (ONCE_A (t, k), x[gla_csr_at (c->index, c->index_bytes, k)]);
    y[j] = sum;
  }
}

#undef ONCE
#undef ONCE_A
#undef ONCE_X
#undef ONCE_TIMES
