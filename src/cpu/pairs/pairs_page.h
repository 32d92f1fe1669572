// pairs_page.h: the steps on one pencil by the BLAS, in blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Serves larger orders, and smaller pages that the lanes leave: those that are not finite, not
// Hermitian, not definite, or far from the middle of the range. Widths of blocks depend on the
// order alone, because the bits of a product may depend on its size.

#ifndef GPULINALG_CPU_PAIRS_PAGE_H
#define GPULINALG_CPU_PAIRS_PAGE_H

#include "common/products.h"
#include "cpu/common/carve.h"
#include "cpu/common/phase.h"

#include "pairs_read.h"

// BLOCK: rows or columns of a triangle that are divided at a time; STRIP: columns that are solved
// for at a time.
enum { BLOCK_SMALL = 32, BLOCK_LARGE = 128, SMALL_MAX = 256, STRIP = 256 };

typedef struct {
  int *e;       // exponents of rows and columns
  real *before; // diagonal of B, scaled
  scalar *l;    // rows of L, scaled
} page_space;

static size_t page_layout (char *base, int64_t n, page_space *w)
{
  size_t at = 0;
  w->e = gla_carve (base, &at, (size_t)n * sizeof *w->e);
  w->before = gla_carve (base, &at, (size_t)n * sizeof *w->before);
  w->l = gla_carve (base, &at, (size_t)(n * n) * sizeof *w->l);
  return at;
}

static int64_t block_of (int64_t n)
{
  return n <= SMALL_MAX ? BLOCK_SMALL : BLOCK_LARGE;
}

// A square or lower triangular matrix.
typedef struct {
  scalar *at;
  int64_t ld;
} square;

static inline real *entry (square a, int64_t i, int64_t j)
{
  return (real *)(a.at + i + j * a.ld);
}

//------------------------------------------------------------------------------
// B = L*L'
//------------------------------------------------------------------------------

// Does Cholesky of the lower triangle. Returns 0, the order of the first leading minor that is not
// definite, or -1 if the work must end.
static int64_t factor_blocks (const gla_cpu_pencil_task *task, square b, int64_t n)
{
  const int64_t width = n <= SMALL_MAX ? n : BLOCK_LARGE;
  for (int64_t j = 0; j < n; j += width) {
    const int64_t here = gla_min (width, n - j), next = j + here;
    const gla_blas_int size = (gla_blas_int)here, ld = (gla_blas_int)b.ld;
    gla_blas_int info = 0;
    gla_blas_in ();
    GLA_BLAS (potrf) ("L", &size, entry (b, j, j), &ld, &info, 1);
    gla_blas_out ();
    if (info != 0)
      return j + info;
    if (gla_cpu_pencil_stopped (task))
      return -1;
    trsm ((triangle_form){"R", "L", "C", "N"}, n - next, here, 1, entry (b, j, j), b.ld,
          entry (b, next, j), b.ld);
    for (int64_t c = next; c < n; c += width) {
      if (gla_cpu_pencil_stopped (task))
        return -1;
      gemm ("N", "C", n - c, gla_min (width, n - c), here, -1, entry (b, c, j), b.ld,
            entry (b, c, j), b.ld, 1, entry (b, c, c), b.ld);
    }
  }
  return 0;
}

// Finds the powers of two that bring the diagonal of B near 1; returns whether any is not 1. An
// entry that is not positive stays: it ends the factorisation.
static int scale_diagonal (const real *b, int64_t ld, int64_t n, int *e)
{
  int all_usual = 1, any = 0;
  for (int64_t i = 0; i < n; i++)
    all_usual &= is_usual (b[(i + i * ld) * GLA_PARTS]);
  for (int64_t i = 0; i < n; i++) {
    const real d = b[(i + i * ld) * GLA_PARTS];
    e[i] = all_usual || !(d > 0) ? 0 : (int)floor (exponent_in (d) / 2.0);
    any |= e[i] != 0;
  }
  return any;
}

// Returns the first pivot with no digit left, from 1; 0: none. `count` pivots are there.
static int64_t first_small_pivot (square l, int64_t n, int64_t count, const real *before)
{
  for (int64_t k = 0; k < count; k++) {
    const real root = *entry (l, k, k), pivot = root * root;
    if (!(pivot > (real)n * GLA_EPS * before[k]))
      return k + 1;
  }
  return 0;
}

// Finds L of page p of B, and info.
static void factor_page (const gla_cpu_pencil_task *task, int64_t p)
{
  const gla_pencil_chunk *c = task->chunk;
  const int64_t n = task->job->n, ld = c->B.column_stride;
  const real *b = page_at (&c->B, p);
  const square l = {(scalar *)page_at (&c->L, p), c->L.column_stride};
  page_space w;
  page_layout (task->work, n, &w);
  const bits largest = largest_read (b, ld, n, task->job->triangle);
  c->skew_b[p] = 0;
  c->info[p] = (int32_t)(n + 1);
  if (!is_finite_size (largest))
    return;
  if (task->job->triangle == GLA_TRIANGLE_FULL)
    c->skew_b[p] = skew_of (b, ld, n, largest);
  if (c->skew_b[p] != 0) {
    c->info[p] = GLA_INFO_NOT_HERMITIAN;
    return;
  }
  const int scaled = scale_diagonal (b, ld, n, w.e);
  const page_scaling s = {scaled ? w.e : NULL, -1, 0};
  read_page (b, ld, n, task->job->triangle, &s, 0, l.at, l.ld);
  for (int64_t k = 0; k < n; k++)
    w.before[k] = *entry (l, k, k);
  const int64_t failed = factor_blocks (task, l, n);
  if (failed < 0)
    return;
  const int64_t small = first_small_pivot (l, n, failed > 0 ? failed - 1 : n, w.before);
  const int64_t minor = small > 0 ? small : failed;
  c->info[p] = (int32_t)(minor > 0 ? n + 1 + minor : 0);
  for (int64_t j = 0; scaled && j < n; j++)
    for (int64_t i = j; i < n; i++)
      l.at[i + j * l.ld] = scalar_shift (l.at[i + j * l.ld], w.e[i]);
}

//------------------------------------------------------------------------------
// C from A and L
//------------------------------------------------------------------------------

// Sets X = inv (L)*X, or inv (L)'*X, for some columns. Returns 0 when the work must end.
static int divide (const gla_cpu_pencil_task *task, const char *op, square l, int64_t n, real *x,
                   int64_t ld, int64_t columns)
{
  const int64_t width = block_of (n) * (n <= SMALL_MAX ? 2 : 1);
  const int forward = op[0] == 'N';
  for (int64_t done = 0; done < n; done += width) {
    const int64_t size = gla_min (width, n - done), i = forward ? done : n - done - size;
    const int64_t to = forward ? i + size : 0, rows = forward ? n - to : i;
    real *b = x + i * GLA_PARTS;
    if (n > SMALL_MAX && gla_cpu_pencil_stopped (task))
      return 0;
    trsm ((triangle_form){"L", "L", op, "N"}, size, columns, 1, entry (l, i, i), l.ld, b, ld);
    gemm (op, "N", rows, columns, size, -1, forward ? entry (l, to, i) : entry (l, i, to), l.ld, b,
          ld, 1, x + to * GLA_PARTS, ld);
  }
  return 1;
}

// Sets C = inv (L)*C*inv (L)', of which only the lower triangle is used.
static void reduce_by_inverse (const gla_cpu_pencil_task *task, square l, square c, int64_t n)
{
  const int64_t width = block_of (n), deep = n > 8192 ? 128 : 512;
  for (int64_t j = 0; j < n; j += STRIP)
    if (!divide (task, "N", l, n, entry (c, 0, j), c.ld, gla_min (STRIP, n - j)))
      return;
  for (int64_t j = 0; j < n; j += width) {
    const int64_t here = gla_min (width, n - j);
    for (int64_t k = 0; k < j; k += deep) {
      if (n > SMALL_MAX && gla_cpu_pencil_stopped (task))
        return;
      gemm ("N", "C", n - j, here, gla_min (deep, j - k), -1, entry (c, j, k), c.ld,
            entry (l, j, k), l.ld, 1, entry (c, j, j), c.ld);
    }
    trsm ((triangle_form){"R", "L", "C", "N"}, n - j, here, 1, entry (l, j, j), l.ld,
          entry (c, j, j), c.ld);
  }
}

// Sets C = L'*C*L, of which only the lower triangle is used.
static void reduce_by_product (const gla_cpu_pencil_task *task, square l, square c, int64_t n)
{
  const int64_t width = block_of (n), deep = n > 8192 ? 128 : 512;
  for (int64_t j = 0; j < n; j += width) {
    const int64_t here = gla_min (width, n - j), next = j + here;
    trmm ((triangle_form){"R", "L", "N", "N"}, n, here, 1, entry (l, j, j), l.ld, entry (c, 0, j),
          c.ld);
    for (int64_t k = next; k < n; k += deep) {
      if (n > SMALL_MAX && gla_cpu_pencil_stopped (task))
        return;
      gemm ("N", "N", n, here, gla_min (deep, n - k), 1, entry (c, 0, k), c.ld, entry (l, k, j),
            l.ld, 1, entry (c, 0, j), c.ld);
    }
  }
  for (int64_t i = 0; i < n; i += width) {
    const int64_t here = gla_min (width, n - i), next = i + here;
    trmm ((triangle_form){"L", "L", "C", "N"}, here, next, 1, entry (l, i, i), l.ld,
          entry (c, i, 0), c.ld);
    for (int64_t k = next; k < n; k += deep) {
      if (n > SMALL_MAX && gla_cpu_pencil_stopped (task))
        return;
      gemm ("C", "N", here, next, gla_min (deep, n - k), 1, entry (l, k, i), l.ld, entry (c, k, 0),
            c.ld, 1, entry (c, i, 0), c.ld);
    }
  }
}

// Finds the exponents of L's rows, if one of them needs scaling. Returns whether one does.
static int scale_rows (square l, int64_t n, int *e)
{
  int all_usual = 1;
  for (int64_t i = 0; i < n; i++) {
    const real d = *entry (l, i, i);
    all_usual &=
        d >= power_of_two (-(int)PENCIL_USUAL_ROOT) && d <= power_of_two (PENCIL_USUAL_ROOT);
    e[i] = exponent_in (d);
  }
  return !all_usual;
}

// Returns the exponent of the largest element of a scaled page; 0 for a page of zeros.
static int largest_exponent (const real *a, int64_t ld, int64_t n, gla_triangle triangle,
                             const page_scaling *s)
{
  int most = INT32_MIN;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      if ((triangle == GLA_TRIANGLE_LOWER && i < j) || (triangle == GLA_TRIANGLE_UPPER && i > j))
        continue;
      const scalar x = element_at (a, ld, i, j);
      const real im = i == j ? 0 : real_abs (__imag__ x), re = real_abs (__real__ x);
      const real size = re > im ? re : im;
      const int e = size == 0 ? INT32_MIN : exponent_in (size) + shift_of (s, i, j);
      most = e > most ? e : most;
    }
  return most == INT32_MIN ? 0 : most;
}

// Reads page p of A, scaled so that C = L'*A*L or inv (L)*A*inv (L)' stays in the range. Returns
// the L that belongs to it.
static square read_scaled (const gla_cpu_pencil_task *task, int64_t p, bits largest, square l,
                           square to, page_space *w)
{
  const gla_pencil_chunk *c = task->chunk;
  const int64_t n = task->job->n, ld = c->A.column_stride;
  const real *a = page_at (&c->A, p);
  const int rows = scale_rows (l, n, w->e);
  real size;
  memcpy (&size, &largest, sizeof size);
  page_scaling s = {rows ? w->e : NULL, task->job->product ? 1 : -1, 0};
  if (rows || !(size == 0 || is_usual (size)))
    s.all = largest_exponent (a, ld, n, task->job->triangle, &s);
  c->exponents[p] = s.all;
  read_page (a, ld, n, task->job->triangle, &s, 1, to.at, to.ld);
  if (!rows)
    return l;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++)
      w->l[i + j * n] = scalar_shift (l.at[i + j * l.ld], -w->e[i]);
  return (square){w->l, n};
}

// Finds C of page p, and info.
static void reduce_page (const gla_cpu_pencil_task *task, int64_t p)
{
  const gla_pencil_chunk *c = task->chunk;
  const int64_t n = task->job->n, ld = c->A.column_stride;
  const real *a = page_at (&c->A, p);
  const square l = {(scalar *)page_at (&c->L, p), c->L.column_stride};
  const square to = {(scalar *)page_at (&c->C, p), c->C.column_stride};
  page_space w;
  page_layout (task->work, n, &w);
  c->exponents[p] = 0;
  c->skew_a[p] = 0;
  const bits largest = largest_read (a, ld, n, task->job->triangle);
  if (c->info[p] == 0 && !is_finite_size (largest))
    c->info[p] = (int32_t)(n + 1);
  else if (c->info[p] == 0 && task->job->triangle == GLA_TRIANGLE_FULL)
    c->skew_a[p] = skew_of (a, ld, n, largest);
  if (c->skew_a[p] != 0)
    c->info[p] = GLA_INFO_NOT_HERMITIAN;
  if (c->info[p] != 0) {
    fill_page (to.at, to.ld, n, (real)NAN);
    return;
  }
  const square scaled = read_scaled (task, p, largest, l, to, &w);
  if (task->job->product)
    reduce_by_product (task, scaled, to, n);
  else
    reduce_by_inverse (task, scaled, to, n);
}

//------------------------------------------------------------------------------
// X from the eigenvectors of C
//------------------------------------------------------------------------------

// Sets X = L*X for some columns. Returns 0 when the work must end.
static int multiply (const gla_cpu_pencil_task *task, square l, int64_t n, real *x, int64_t ld,
                     int64_t columns)
{
  const int64_t width = block_of (n);
  for (int64_t done = 0; done < n; done += width) {
    const int64_t size = gla_min (width, n - done), i = n - done - size;
    real *b = x + i * GLA_PARTS;
    if (n > SMALL_MAX && gla_cpu_pencil_stopped (task))
      return 0;
    trmm ((triangle_form){"L", "L", "N", "N"}, size, columns, 1, entry (l, i, i), l.ld, b, ld);
    gemm ("N", "N", size, columns, i, 1, entry (l, i, 0), l.ld, x, ld, 1, b, ld);
  }
  return 1;
}

static void back_page (const gla_cpu_pencil_task *task, int64_t p)
{
  const gla_pencil_chunk *c = task->chunk;
  const int64_t n = task->job->n, ld = c->X.column_stride;
  const square l = {(scalar *)page_at (&c->L, p), c->L.column_stride};
  int go = c->info[p] == 0;
  for (int64_t j = 0; go && j < n; j += STRIP) {
    real *x = page_at (&c->X, p) + j * ld * GLA_PARTS;
    const int64_t columns = gla_min (STRIP, n - j);
    go = task->job->times ? multiply (task, l, n, x, ld, columns)
                          : divide (task, "C", l, n, x, ld, columns);
    for (int64_t k = 0; go && task->job->phase && k < columns; k++)
      page_phase (n, x + k * ld * GLA_PARTS, 0);
  }
}

static void solve_page (const gla_cpu_pencil_task *task, int64_t p)
{
  if (task->job->factor)
    factor_page (task, p);
  if (task->job->reduce && !gla_cpu_pencil_stopped (task))
    reduce_page (task, p);
  if (task->job->back)
    back_page (task, p);
}

#endif
