// gpu_svd.h: pages of all kinds for singular value decompositions on a GPU, and calls there
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPU_SVD_H
#define GPU_SVD_H

#include "device/gpu_page_tests.h"
#include "svd_page.h"

#include <cuda_runtime_api.h>

#define COUNT(a) ((int)(sizeof (a) / sizeof *(a)))

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static gla_context *on_gpu, *on_cpu;
static int n_skipped;

//------------------------------------------------------------------------------
// pages
//------------------------------------------------------------------------------

static inline void fill_page (const svd_page *p, int page, kind_of_page kind,
                              unsigned long long *seed)
{
  for (int j = 0; j < p->call.n; j++)
    for (int i = 0; i < p->call.m; i++)
      svd_set (p, i, j, page, element (kind, &p->call, i, j, random_of (p->call.type, seed)));
}

//------------------------------------------------------------------------------
// calls with arrays on the GPU
//------------------------------------------------------------------------------

static inline size_t bytes_of (const gla_array *a)
{
  return (size_t)(a->page_stride * a->pages + 1) * gla_type_size (a->type);
}

// The call with copies of all arrays on the GPU, whose contents come back, gaps too.
static inline void run_on_device (svd_page *p)
{
  void *host[SVD_ARRAYS];
  for (int k = 0; k < SVD_ARRAYS; k++) {
    gla_array *a = &p->a[k];
    host[k] = a->data;
    if (a->data == NULL)
      continue;
    CHECK (cudaMalloc (&a->data, bytes_of (a)) == cudaSuccess &&
               cudaMemcpy (a->data, host[k], bytes_of (a), cudaMemcpyHostToDevice) == cudaSuccess,
           "copy to the GPU");
    a->device = 0;
  }
  cudaDeviceSynchronize ();
  const gla_svd_options o = {.size = sizeof o, .method = p->call.method, .values = p->call.values};
  const gla_svd_results r = {sizeof r, p->a[SVD_S], p->a[SVD_U], p->a[SVD_V], p->info};
  p->report.base.size = sizeof p->report;
  p->status = gla_batchsvd (on_gpu, &p->a[SVD_A], &r, &o, &p->report);
  free (p->before);
  p->before = malloc (bytes_of (&p->a[SVD_A]));
  memcpy (p->before, host[SVD_A], bytes_of (&p->a[SVD_A]));
  for (int k = 0; k < SVD_ARRAYS; k++) {
    gla_array *a = &p->a[k];
    if (host[k] == NULL)
      continue;
    CHECK (cudaMemcpy (host[k], a->data, bytes_of (a), cudaMemcpyDeviceToHost) == cudaSuccess,
           "copy from the GPU");
    cudaFree (a->data);
    a->data = host[k];
    a->device = GLA_DEVICE_HOST;
  }
}

static inline int is_refused (const svd_page *p)
{
  const int refused =
      p->status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (on_gpu), "on a GPU") != NULL;
  n_skipped += refused;
  CHECK (!refused || gpu_is_limited (), "%c %dx%d refused: %s", p->call.type, p->call.m, p->call.n,
         gla_message (on_gpu));
  return refused;
}

// Whether page `there` of y has the bits of page `here` of x, values and vectors.
static inline int same_results (const svd_page *x, int here, const svd_page *y, int there)
{
  int same = same_page (&x->a[SVD_S], here, &y->a[SVD_S], there);
  if (x->call.u && y->call.u)
    same &= same_page (&x->a[SVD_U], here, &y->a[SVD_U], there);
  if (x->call.v && y->call.v)
    same &= same_page (&x->a[SVD_V], here, &y->a[SVD_V], there);
  return same;
}

static inline void copy_page (const svd_page *to, int page, const svd_page *from, int source)
{
  const gla_array *A = &from->a[SVD_A];
  for (int j = 0; j < from->call.n; j++)
    for (int i = 0; i < from->call.m; i++)
      svd_set (to, i, j, page, svd_at (A, i, j, source));
}

// A page alone, from the host and from the GPU, has the bits that it has in the batch.
static inline void check_page_alone (const svd_page *all, int page)
{
  svd_call c = all->call;
  c.pages = 1;
  c.gap = 0;
  svd_page p = svd_page_new (&c);
  copy_page (&p, 0, all, page);
  svd_run (on_gpu, &p);
  CHECK (p.status == GLA_OK && same_results (all, page, &p, 0),
         "%c %dx%d page %d: other bits alone and from the host", c.type, c.m, c.n, page);
  run_on_device (&p);
  CHECK (p.status == GLA_OK && same_results (all, page, &p, 0),
         "%c %dx%d page %d: other bits alone", c.type, c.m, c.n, page);
  svd_page_free (&p);
}

static inline int all_nan (const gla_array *a, int page)
{
  for (int64_t j = 0; j < a->columns; j++)
    for (int64_t i = 0; i < a->rows; i++)
      if (!isnan (creal (svd_at (a, i, j, page))))
        return 0;
  return 1;
}

#endif
