// gpu_product_repeats.c: the same products again and again on a GPU whose memory is busy
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Kernels that copy tiles ahead of the arithmetic may write into shared memory that some warp still
// reads. Whether they do depends on how long its reads take, so each product is repeated while
// another stream of this process, and other jobs of the suite, keep the memory of the GPU busy.

#include "device/gpu_page_tests.h"
#include "gpu_product.h"

static const size_t HOG_BYTES = (size_t)1 << 28;

// Memory that a stream of its own writes during a product.
typedef struct {
  cudaStream_t stream;
  char *memory;
} memory_hog;

static int hog_open (memory_hog *h)
{
  return cudaStreamCreateWithFlags (&h->stream, cudaStreamNonBlocking) == cudaSuccess &&
         cudaMalloc ((void **)&h->memory, HOG_BYTES) == cudaSuccess;
}

static void hog_write (const memory_hog *h, int times)
{
  for (int k = 0; k < times; k++)
    CHECK (cudaMemsetAsync (h->memory, k, HOG_BYTES, h->stream) == cudaSuccess, "memset");
}

static void hog_close (memory_hog *h)
{
  cudaStreamSynchronize (h->stream);
  cudaStreamDestroy (h->stream);
  cudaFree (h->memory);
}

// Elements of the pages of a and b that differ, and the first of them.
static long long differences (const gla_array *a, const gla_array *b, int64_t (*first)[3])
{
  const size_t size = gla_type_size (a->type);
  long long count = 0;
  for (int64_t p = 0; p < a->pages; p++)
    for (int64_t j = 0; j < a->columns; j++) {
      const size_t at = (size_t)(p * a->page_stride + j * a->column_stride) * size;
      const char *x = (const char *)a->data + at, *y = (const char *)b->data + at;
      if (memcmp (x, y, (size_t)a->rows * size) == 0)
        continue;
      for (int64_t i = 0; i < a->rows; i++)
        if (memcmp (x + (size_t)i * size, y + (size_t)i * size, size) != 0 && count++ == 0) {
          (*first)[0] = i;
          (*first)[1] = j;
          (*first)[2] = p;
        }
    }
  return count;
}

// C begins `shift` elements behind a multiple of 512 bytes: with 1, doubles are stored one by one.
static void check_repeats (const memory_hog *hog, const product *q, int repeats)
{
  operands o = operands_of (q, q->pages);
  gla_array again = make (o.C.type, q->m, q->n, q->pages, q->gap);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&o.A, 0), B = gpu_put (&o.B, 0), C = gpu_put (&o.C, 0);
  const gpu_copy D = gpu_put (&again, q->shift);
  const gla_status status = multiply (&A.array, q->op_a, &B.array, q->op_b, &C.array);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&C), "%s: %s", name_of (q), gla_message (ctx));
    long long different = 0;
    int64_t first[3] = {0, 0, 0};
    int k = 0;
    for (; k < repeats && different == 0; k++) {
      hog_write (hog, 8);
      CHECK (multiply (&A.array, q->op_a, &B.array, q->op_b, &D.array) == GLA_OK && gpu_get (&D),
             "%s: %s", name_of (q), gla_message (ctx));
      different = differences (&o.C, &again, &first);
    }
    CHECK (different == 0,
           "%s, time %d: %lld elements have other bits, the first is (%lld, %lld) of page %lld",
           name_of (q), k, different, (long long)first[0], (long long)first[1],
           (long long)first[2]);
  }
  free (again.data);
  release (&o);
}

int gpu_product_repeats (void)
{
  static const struct {
    char type, op_a, op_b;
    int n, pages, repeats;
  } cases[] = {
      {'d', 'N', 'C', 256, 40, 150}, {'d', 'N', 'N', 256, 40, 40}, {'d', 'C', 'N', 192, 40, 40},
      {'d', 'N', 'N', 128, 100, 40}, {'d', 'N', 'T', 64, 400, 40}, {'d', 'C', 'N', 700, 3, 20},
      {'z', 'N', 'C', 256, 20, 40},  {'z', 'N', 'N', 96, 60, 40},  {'s', 'N', 'C', 256, 40, 40},
      {'s', 'C', 'N', 96, 100, 40},  {'c', 'N', 'C', 256, 20, 40}, {'c', 'N', 'N', 64, 200, 40}};
  ctx = gpu_context ();
  memory_hog hog = {0};
  if (!gpu_open ((size_t)1 << 29) || !hog_open (&hog))
    return 1;
  for (int c = 0; c < COUNT (cases); c++)
    for (int shift = 0; shift < 2; shift++) {
      const gla_type type = (gla_type)cases[c].type;
      const product q = {type,       type,       cases[c].op_a, cases[c].op_b,
                         cases[c].n, cases[c].n, cases[c].n,    cases[c].pages,
                         0,          shift};
      check_repeats (&hog, &q, cases[c].repeats);
    }
  hog_close (&hog);
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_product_repeats");
}
