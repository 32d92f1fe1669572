// gsvd_quad.h: generalized singular values in quadruple precision, for small pairs
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A complex pair is treated as the real one [re -im; im re], which has every value twice.

#ifndef GSVD_QUAD_H
#define GSVD_QUAD_H

#include "gsvd_page.h"

typedef __float128 quad;

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
  const quad tol = 1e-32Q;
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
