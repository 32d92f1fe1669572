// geev_page.h: the general eigenproblem of one page by LAPACK
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_GEEV_GEEV_PAGE_H
#define GPULINALG_CPU_GEEV_GEEV_PAGE_H

#include "common/types.h"
#include "cpu/common/carve.h"
#include "cpu/common/exponent.h"

#include "geev.h"

#include <string.h>

typedef struct {
  int64_t n;
  real *a;            // the page, which LAPACK overwrites
  real *lambda;       // eigenvalues; of a real page all real parts, then all imaginary ones
  real *right, *left; // vectors of a real page as LAPACK stores them
  real *scale, *rwork;
  real *work;
  gla_blas_int lwork;
} page_work;

// Returns what geevx needs for blocks of up to 64 columns, the most of LAPACK's own ilaenv: n
// numbers for reflectors, then gehrd n for each column of a block and 65*64 for its triangle, or
// trevc3 n and twice n for each column.
static size_t page_layout (char *base, const gla_geev_job *job, page_work *w)
{
  const size_t n = (size_t)job->n, square = n * n;
  size_t at = 0;
  w->n = job->n;
  w->lwork = (gla_blas_int)(n * (2 + 2 * 64) + 65 * 64);
  w->a = gla_carve (base, &at, square * sizeof (scalar));
  w->lambda = gla_carve (base, &at, 2 * n * sizeof (real));
  w->right = gla_carve (base, &at, GLA_COMPLEX || !job->right ? 0 : square * sizeof (real));
  w->left = gla_carve (base, &at, GLA_COMPLEX || !job->left ? 0 : square * sizeof (real));
  w->scale = gla_carve (base, &at, n * sizeof (real));
  w->rwork = gla_carve (base, &at, 2 * n * sizeof (real));
  w->work = gla_carve (base, &at, (size_t)w->lwork * sizeof (scalar));
  return at;
}

// Returns the real part of element (0, 0) of a page. lambda, V and W are complex if A is real.
static inline real *page_at (const gla_array *a, int64_t page, int parts)
{
  return (real *)a->data + page * a->page_stride * parts;
}

static inline int page_is_finite (const gla_array *a, int64_t n, int64_t page)
{
  bits largest = 0;
  for (int64_t j = 0; j < n; j++)
    largest = largest_of (page_at (a, page, GLA_PARTS) + j * a->column_stride * GLA_PARTS,
                          n * GLA_PARTS, largest);
  return is_finite_size (largest);
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

static void fill_vectors (const gla_array *to, int64_t n, int64_t page)
{
  for (int64_t j = 0; to->data != NULL && j < n; j++) {
    real *x = page_at (to, page, 2) + 2 * j * to->column_stride;
    for (int64_t i = 0; i < n; i++) {
      x[2 * i] = (real)NAN;
      x[2 * i + 1] = 0;
    }
  }
}

// Stores a page without results.
static void fail_page (const gla_cpu_geev_task *task, int64_t page, int32_t info)
{
  const gla_geev_chunk *c = task->chunk;
  const int64_t n = task->job->n;
  real *lambda = page_at (&c->lambda, page, 2);
  for (int64_t i = 0; i < n; i++) {
    lambda[2 * i * c->lambda.row_stride] = (real)NAN;
    lambda[2 * i * c->lambda.row_stride + 1] = 0;
  }
  fill_vectors (&c->V, n, page);
  fill_vectors (&c->W, n, page);
  c->info[page] = info;
}

static void store_values (const gla_array *to, const page_work *w, int64_t page)
{
  real *lambda = page_at (to, page, 2);
  for (int64_t i = 0; i < w->n; i++) {
    lambda[2 * i * to->row_stride] = w->lambda[i * GLA_PARTS];
    lambda[2 * i * to->row_stride + 1] = w->lambda[GLA_COMPLEX ? 2 * i + 1 : w->n + i];
  }
}

#if !GLA_COMPLEX
// Stores vectors of a real page: a complex pair has the real parts in one column and the imaginary
// ones in the next.
static void store_vectors (const gla_array *to, const page_work *w, const real *x, int64_t page)
{
  const int64_t n = w->n;
  for (int64_t j = 0; to->data != NULL && j < n; j++) {
    const real im = w->lambda[n + j];
    const real *re_part = x + (im < 0 ? j - 1 : j) * n, *im_part = re_part + n;
    real *y = page_at (to, page, 2) + 2 * j * to->column_stride;
    for (int64_t i = 0; i < n; i++) {
      y[2 * i] = re_part[i];
      y[2 * i + 1] = im == 0 ? 0 : im < 0 ? -im_part[i] : im_part[i];
    }
  }
}
#endif

//------------------------------------------------------------------------------
// the page
//------------------------------------------------------------------------------

static gla_blas_int call_lapack (const gla_cpu_geev_task *task, const page_work *w, int64_t page)
{
  const gla_geev_job *job = task->job;
  const gla_blas_int n = (gla_blas_int)w->n;
  const char *balance = job->balance ? "B" : "N", *left = job->left ? "V" : "N",
             *right = job->right ? "V" : "N";
  gla_blas_int ilo, ihi, info;
  real norm, unused[1];
#if GLA_COMPLEX
  const gla_array *V = &task->chunk->V, *W = &task->chunk->W;
  // the stride of a single column is arbitrary
  const gla_blas_int ldv = job->right && n > 1 ? (gla_blas_int)V->column_stride : n,
                     ldw = job->left && n > 1 ? (gla_blas_int)W->column_stride : n;
  real *v = job->right ? page_at (V, page, 2) : unused,
       *u = job->left ? page_at (W, page, 2) : unused;
  gla_blas_in ();
  GLA_BLAS (geevx)
  (balance, left, right, "N", &n, w->a, &n, w->lambda, u, &ldw, v, &ldv, &ilo, &ihi, w->scale,
   &norm, unused, unused, w->work, &w->lwork, w->rwork, &info, 1, 1, 1, 1);
  gla_blas_out ();
#else
  gla_blas_int no_integers[1];
  (void)page;
  gla_blas_in ();
  GLA_BLAS (geevx)
  (balance, left, right, "N", &n, w->a, &n, w->lambda, w->lambda + n, w->left, &n, w->right, &n,
   &ilo, &ihi, w->scale, &norm, unused, unused, w->work, &w->lwork, no_integers, &info, 1, 1, 1, 1);
  gla_blas_out ();
#endif
  return info;
}

static void solve_page (const gla_cpu_geev_task *task, const page_work *w, int64_t page)
{
  const gla_geev_chunk *c = task->chunk;
  const int64_t n = w->n, column = n * GLA_PARTS;
  if (!page_is_finite (&c->A, n, page)) {
    fail_page (task, page, (int32_t)(n + 1));
    return;
  }
  for (int64_t j = 0; j < n; j++)
    memcpy (w->a + j * column,
            page_at (&c->A, page, GLA_PARTS) + j * c->A.column_stride * GLA_PARTS,
            (size_t)column * sizeof (real));
  const gla_blas_int info = call_lapack (task, w, page);
  if (info != 0) {
    fail_page (task, page, (int32_t)(info > 0 ? info : n));
    return;
  }
  c->info[page] = 0;
  store_values (&c->lambda, w, page);
#if !GLA_COMPLEX
  store_vectors (&c->V, w, w->right, page);
  store_vectors (&c->W, w, w->left, page);
#endif
}

#endif
