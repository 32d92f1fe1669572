// gsvd_pairs.h: random and hard pairs, and generalized singular values in quadruple precision
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GSVD_PAIRS_H
#define GSVD_PAIRS_H

#include "gsvd_page.h"

// The sanitizers make everything slow, so they get fewer cases.
#ifdef __SANITIZE_ADDRESS__
enum { STEP = 4 };
#else
enum { STEP = 1 };
#endif
static inline double complex random_entry (unsigned long long *seed)
{
  const double re = check_random (seed), im = check_random (seed);
  return re + im * I;
}

// a = L * M * R with L rows x rank, M rank x common, and the same R common x p for both.
static inline void fill_rank (const gsvd_page *g, int of_b, int rank, int common)
{
  const gla_array *a = &g->a[of_b ? GSVD_B : GSVD_A];
  const int rows = (int)a->rows, p = (int)a->columns;
  unsigned long long seed = 5 + (unsigned)of_b, seed_r = 3;
  double complex *L = calloc ((size_t)(rows * rank + 1), sizeof *L),
                 *M = calloc ((size_t)(rank * common + 1), sizeof *M),
                 *R = calloc ((size_t)(common * p + 1), sizeof *R);
  for (int k = 0; k < rows * rank; k++)
    L[k] = random_entry (&seed);
  for (int k = 0; k < rank * common; k++)
    M[k] = random_entry (&seed);
  for (int k = 0; k < common * p; k++)
    R[k] = random_entry (&seed_r);
  if (!gla_type_is_complex (
          g->call.type)) { // multiply real parts; do not drop imaginary parts later
    for (int k = 0; k < rows * rank; k++)
      L[k] = creal (L[k]);
    for (int k = 0; k < rank * common; k++)
      M[k] = creal (M[k]);
    for (int k = 0; k < common * p; k++)
      R[k] = creal (R[k]);
  }
  for (int page = 0; page < g->call.pages; page++)
    for (int j = 0; j < p; j++) {
      double complex *mr = calloc ((size_t)rank + 1, sizeof *mr);
      for (int k = 0; k < rank; k++)
        for (int l = 0; l < common; l++)
          mr[k] += M[k + l * rank] * R[l + j * common];
      for (int i = 0; i < rows; i++) {
        double complex x = 0;
        for (int k = 0; k < rank; k++)
          x += L[i + k * rows] * mr[k];
        gsvd_set (a, i, j, page, x);
      }
      free (mr);
    }
  free (L);
  free (M);
  free (R);
}

static inline void fill_random (const gsvd_page *g, unsigned long long seed)
{
  for (int x = GSVD_A; x <= GSVD_B; x++)
    for (int page = 0; page < g->call.pages; page++)
      for (int j = 0; j < g->a[x].columns; j++)
        for (int i = 0; i < g->a[x].rows; i++)
          gsvd_set (&g->a[x], i, j, page, random_entry (&seed));
}

static inline gsvd_call call_of (gla_type type, int m, int n, int p, gla_gsvd_method method)
{
  return (gsvd_call){.type = type,
                     .m = m,
                     .n = n,
                     .p = p,
                     .pages = 1,
                     .gap = 3,
                     .u = 2,
                     .v = 2,
                     .x = 1,
                     .options = {.method = method}};
}
//------------------------------------------------------------------------------
// hard pairs
//------------------------------------------------------------------------------

typedef enum {
  RANDOM,
  GRADED_A,
  GRADED_B,
  GRADED_BOTH,
  GRADED_APART, // sigma over 25 decades
  GRADED_WIDELY,
  GRADED_FAR, // values whose squares begin to underflow
  ILL_X,
  PARALLEL,
  SAME,
  HUGE_A,
  TINY_A,
  HUGE_BOTH,
  TINY_BOTH,
  ZERO_COLUMN,
  KINDS
} kind_of_pair;

// Factor of column j of A, and of B.
static inline double column_factor (kind_of_pair kind, int of_b, int j, const gsvd_call *c)
{
  const int single = gla_type_real (c->type) == GLA_TYPE_S;
  const double t = c->p > 1 ? (double)j / (c->p - 1) : 0;
  switch (kind) {
  case GRADED_A:
    return of_b ? 1 : pow (10, (single ? 6 : 12) * t);
  case GRADED_B:
    return of_b ? pow (10, (single ? -6 : -12) * t) : 1;
  case GRADED_BOTH:
    return pow (10, (single ? 12 : 24) * (t - 0.5));
  case GRADED_APART:
    return pow (10, (of_b ? -1 : 1) * (single ? 5 : 12.5) * (t - 0.5));
  case GRADED_WIDELY:
    return pow (10, (single ? 50 : 580) * (t - 0.5));
  case GRADED_FAR:
    return of_b ? 1 : pow (10, (single ? -8.8 : -119) * t);
  case HUGE_A:
    return of_b ? 1 : single ? 1e18 : 1e150;
  case TINY_A:
    return of_b ? 1 : single ? 1e-18 : 1e-150;
  case HUGE_BOTH:
    return single ? 1e18 : 1e150;
  case TINY_BOTH:
    return single ? 1e-18 : 1e-150;
  default:
    return 1;
  }
}

// All columns are nearly parallel to the first.
static inline void bend (const gla_array *a, double apart)
{
  for (int j = 1; j < a->columns; j++)
    for (int i = 0; i < a->rows; i++)
      gsvd_set (a, i, j, 0, gsvd_get (a, i, 0, 0) + apart * gsvd_get (a, i, j, 0));
}

static inline void fill_hard (const gsvd_page *g, kind_of_pair kind)
{
  const gsvd_call *c = &g->call;
  const int single = gla_type_real (c->type) == GLA_TYPE_S;
  fill_random (g, 11 + (unsigned)c->p);
  if (kind == ILL_X || kind == PARALLEL)
    bend (&g->a[GSVD_B], kind == ILL_X ? (single ? 1e-3 : 1e-8) : (single ? 1e-2 : 1e-4));
  if (kind == ILL_X)
    bend (&g->a[GSVD_A], single ? 1e-3 : 1e-8);
  for (int x = GSVD_A; x <= GSVD_B; x++)
    for (int j = 0; j < c->p; j++)
      for (int i = 0; i < g->a[x].rows; i++) {
        const double complex e = kind == SAME && i < g->a[0].rows ? gsvd_get (&g->a[0], i, j, 0)
                                                                  : gsvd_get (&g->a[x], i, j, 0);
        const int zero = kind == ZERO_COLUMN && x == GSVD_A && j == c->p / 2;
        gsvd_set (&g->a[x], i, j, 0, zero ? 0 : e * column_factor (kind, x == GSVD_B, j, c));
      }
}

//------------------------------------------------------------------------------
// values in quadruple precision, for small pairs
//------------------------------------------------------------------------------

// A complex pair is treated as the real one [re -im; im re], which has every value twice.

typedef _Float128 quad;

typedef struct {
  int rows, columns;
  quad *x;
} quad_matrix;

static inline quad quad_root (quad x)
{
  int e;
  if (x == 0)
    return 0;
  // scale by a power of four, because the range of double is smaller
  quad scale = 1, y = x;
  while (y > 0x1p1000Q)
    y /= 0x1p1000Q, scale *= 0x1p500Q;
  while (y < 0x1p-1000Q)
    y *= 0x1p1000Q, scale /= 0x1p500Q;
  quad r = sqrt ((double)y);
  for (e = 0; e < 3; e++)
    r = (r + y / r) / 2;
  return r * scale;
}

static inline quad quad_dot (const quad_matrix *a, int i, int j)
{
  quad s = 0;
  for (int k = 0; k < a->rows; k++)
    s += a->x[k + i * a->rows] * a->x[k + j * a->rows];
  return s;
}

static inline quad_matrix quad_of (const gla_array *a, int page)
{
  const int z = gla_type_is_complex (a->type), m = (int)a->rows, n = (int)a->columns;
  quad_matrix r = {m << z, n << z, NULL};
  r.x = malloc (sizeof (quad) * (size_t)(r.rows * r.columns + 1));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      const double complex x = gsvd_get (a, i, j, page);
      r.x[i + j * r.rows] = creal (x);
      if (z) {
        r.x[i + m + j * r.rows] = cimag (x);
        r.x[i + (j + n) * r.rows] = -(quad)cimag (x);
        r.x[i + m + (j + n) * r.rows] = creal (x);
      }
    }
  return r;
}

// Columns x, y of a become c x - s y, s x + c y.
static inline void quad_rotate (quad_matrix *a, int p, int q, quad c, quad s)
{
  for (int k = 0; k < a->rows; k++) {
    quad *x = &a->x[k + p * a->rows], *y = &a->x[k + q * a->rows];
    const quad u = *x, w = *y;
    *x = c * u - s * w;
    *y = s * u + c * w;
  }
}

// One-sided Jacobi; writes ascending singular values to sigma.
static inline void quad_svd (quad_matrix *a, quad *sigma)
{
  const quad tol = 1e-32;
  for (int sweep = 0, turned = 1; sweep < 60 && turned; sweep++) {
    turned = 0;
    for (int p = 0; p < a->columns; p++)
      for (int q = p + 1; q < a->columns; q++) {
        const quad x = quad_dot (a, p, p), y = quad_dot (a, q, q), xy = quad_dot (a, p, q);
        const quad size = xy < 0 ? -xy : xy;
        if (size <= tol * quad_root (x) * quad_root (y))
          continue;
        const quad zeta = (y - x) / (2 * xy), sign = zeta < 0 ? -1 : 1;
        const quad t = sign / (sign * zeta + quad_root (1 + zeta * zeta));
        const quad c = 1 / quad_root (1 + t * t);
        quad_rotate (a, p, q, c, c * t);
        turned = 1;
      }
  }
  for (int j = 0; j < a->columns; j++) {
    const quad s = quad_root (quad_dot (a, j, j));
    int i = j;
    for (; i > 0 && sigma[i - 1] > s; i--)
      sigma[i] = sigma[i - 1];
    sigma[i] = s;
  }
}

// F = F R^-1 where G = Q R, by modified Gram-Schmidt on G with the largest column first.
static inline void quad_divide (quad_matrix *f, quad_matrix *g)
{
  for (int k = 0; k < g->columns; k++) {
    int best = k;
    for (int j = k + 1; j < g->columns; j++)
      if (quad_dot (g, j, j) > quad_dot (g, best, best))
        best = j;
    quad_rotate (g, k, best, best == k, best != k);
    quad_rotate (f, k, best, best == k, best != k);
    const quad norm = quad_root (quad_dot (g, k, k));
    for (int i = 0; i < g->rows; i++)
      g->x[i + k * g->rows] /= norm;
    for (int i = 0; i < f->rows; i++)
      f->x[i + k * f->rows] /= norm;
    for (int j = k + 1; j < g->columns; j++) {
      const quad r = quad_dot (g, k, j);
      for (int i = 0; i < g->rows; i++)
        g->x[i + j * g->rows] -= r * g->x[i + k * g->rows];
      for (int i = 0; i < f->rows; i++)
        f->x[i + j * f->rows] -= r * f->x[i + k * f->rows];
    }
  }
}

// Scales columns to unit norm, and the columns of `other` (may be NULL) by the same factors.
static inline void quad_scale (quad_matrix *a, quad_matrix *other)
{
  for (int j = 0; j < a->columns; j++) {
    const quad norm = quad_root (quad_dot (a, j, j));
    for (int i = 0; i < a->rows && norm > 0; i++)
      a->x[i + j * a->rows] /= norm;
    for (int i = 0; other && i < other->rows && norm > 0; i++)
      other->x[i + j * other->rows] /= norm;
  }
}

// Generalized singular values of a page, ascending, each once; B has full column rank. Returns the
// larger condition of A and B with columns of unit norm, which bounds the relative errors.
static inline double quad_gsvd (const gsvd_page *g, int page, quad *sigma)
{
  quad_matrix f = quad_of (&g->a[GSVD_A], page), h = quad_of (&g->a[GSVD_B], page);
  double condition = 1;
  for (int k = 0; k < 2; k++) {
    quad_matrix a = quad_of (&g->a[k ? GSVD_B : GSVD_A], page);
    quad_scale (&a, NULL);
    quad_svd (&a, sigma);
    if (sigma[0] > 1e-29Q * sigma[a.columns - 1]) // false if A has a zero column
      condition = fmax (condition, (double)(sigma[a.columns - 1] / sigma[0]));
    free (a.x);
  }
  quad_scale (&f, &h);
  quad_divide (&f, &h);
  quad_svd (&f, sigma);
  for (int j = 0; gla_type_is_complex (g->call.type) && j < g->call.p; j++)
    sigma[j] = sigma[2 * j];
  free (f.x);
  free (h.x);
  return condition;
}

#endif
