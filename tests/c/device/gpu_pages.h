// gpu_pages.h: copies of pages in the memory of a GPU, with guards around them; counts
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPU_PAGES_H
#define GPU_PAGES_H

#include "gpu_page_tests.h"
#include "frame/page_arrays.h"

#include <cuda_runtime_api.h>

#define COUNT(a) ((int)(sizeof (a) / sizeof *(a)))

static int n_skipped;

// The copies of one case are taken from one block of memory.
enum { GUARD = 512 };
static char *gpu_block;
static size_t gpu_size, gpu_used;

static inline int gpu_open (size_t bytes)
{
  gpu_size = bytes;
  gpu_used = 0;
  return cudaMalloc ((void **)&gpu_block, bytes) == cudaSuccess;
}

static inline void gpu_close (void)
{
  cudaFree (gpu_block);
  gpu_block = NULL;
}

// A copy of `host` on GPU 0.
typedef struct {
  gla_array array;
  const gla_array *host;
  size_t bytes;
} gpu_copy;

static inline size_t bytes_of (const gla_array *a)
{
  return (size_t)(a->page_stride * a->pages + 1) * gla_type_size (a->type);
}

// The copy begins `shift` elements behind an address that is a multiple of 512. Its guards, and its
// gaps as those of `host`, are filled with NaN.
static inline gpu_copy gpu_put (const gla_array *host, int shift)
{
  gpu_copy c = {.array = *host, .host = host, .bytes = bytes_of (host)};
  const size_t room = (c.bytes / GUARD + 3) * GUARD;
  CHECK (gpu_used + room <= gpu_size, "the block on the GPU is too small");
  char *from = gpu_block + gpu_used;
  gpu_used += room;
  c.array.data = from + GUARD + (size_t)shift * gla_type_size (host->type);
  c.array.device = 0;
  cudaMemset (from, 0xff, room);
  CHECK (cudaMemcpy (c.array.data, host->data, c.bytes, cudaMemcpyHostToDevice) == cudaSuccess,
         "copy to the GPU");
  // a small copy may return before it has arrived, and the library's streams do not wait for it
  CHECK (cudaDeviceSynchronize () == cudaSuccess, "copy to the GPU");
  return c;
}

static inline int all_ones (const char *from, size_t bytes)
{
  unsigned char x[GUARD];
  if (cudaMemcpy (x, from, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 0;
  for (size_t k = 0; k < bytes; k++)
    if (x[k] != 0xff)
      return 0;
  return 1;
}

// Copies what the GPU has written to host->data. Whether the guards are what they were.
static inline int gpu_fetch (const gpu_copy *c)
{
  const char *data = c->array.data;
  const cudaError_t status = cudaMemcpy (c->host->data, data, c->bytes, cudaMemcpyDeviceToHost);
  return status == cudaSuccess && all_ones (data - GUARD / 2, GUARD / 2) &&
         all_ones (data + c->bytes, GUARD / 2);
}

// The same for arrays of `make`. Whether nothing else was written.
static inline int gpu_get (const gpu_copy *c)
{
  return gpu_fetch (c) && gaps_are_untouched (c->host);
}

// Whether the copy of an input is what it was.
static inline int gpu_unchanged (const gpu_copy *c)
{
  char *now = malloc (c->bytes);
  const cudaError_t status = cudaMemcpy (now, c->array.data, c->bytes, cudaMemcpyDeviceToHost);
  const int same = status == cudaSuccess && memcmp (now, c->host->data, c->bytes) == 0;
  free (now);
  return same;
}

static inline gla_context *gpu_context (void)
{
  gla_context *context = NULL;
  const gla_status status = gla_context_create (&context);
  CHECK (status == GLA_OK, "no context");
  CHECK (use_first_gpu (context) == GLA_OK, "%s", gla_message (context));
  return context;
}

// Whether the library says that the GPU cannot do a call, which counts as skipped. Only limited
// GPUs may refuse.
static inline int gpu_refuses (gla_context *context, gla_status status)
{
  const int refused =
      status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (context), "on a GPU") != NULL;
  if (!refused)
    return 0;
  CHECK (gpu_is_limited (), "refused: %s", gla_message (context));
  n_skipped++;
  return 1;
}

static inline int gpu_report (const char *name)
{
  printf ("%s: %d passed, %d failed, %d skipped\n", name, n_passed, n_failed, n_skipped);
  return n_failed > 0;
}

#endif
