// spmv.c: sparse products on the CPU: parts of equal work, threads, vectors side by side
// SPDX-License-Identifier: GPL-3.0-or-later

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/host_memory.h"
#include "cpu/common/sparse_product.h"
#include "cpu/engine.h"

GLA_KERNEL_LIST (spmv);

// Work of a part, in entries; a row counts for ROW_WORK of them. Parts of a transposed product.
// Work that threads share, in entries times vectors: on a machine with other work they wait some
// milliseconds for each other. Indices that a thread makes narrow at a time.
enum {
  PART_WORK = 1 << 16,
  ROW_WORK = 4,
  SCATTER_PARTS = 4,
  SHARED_WORK = 1 << 19,
  NARROW_LENGTH = 1 << 17
};

static int64_t start_of (const gla_csr *c, int64_t i)
{
  return c->index_bytes == 4 ? ((const int32_t *)c->start)[i] : ((const int64_t *)c->start)[i];
}

static int spmv_supports (const gla_spmv_matrix *M)
{
  (void)M;
  return 1;
}

static double spmv_seconds (gla_engine *engine, const gla_spmv_matrix *M, const void *prepared,
                            int64_t columns)
{
  // the order of magnitude on two cores: entries and rows from memory, x by chance from a cache
  const gla_cpu_engine *e = (const gla_cpu_engine *)engine;
  const double threads = e->threads_max < 16 ? e->threads_max : 16;
  const double parts = gla_type_is_complex (M->csr.type) ? 2 : 1;
  const double entry = 8e-9 * (double)M->entries, row = 6e-9 * (double)M->csr.rows;
  (void)prepared;
  return (entry + row) * (1 + 0.4 * parts * ((double)columns - 1)) / threads + 5e-6;
}

//------------------------------------------------------------------------------
// prepare
//------------------------------------------------------------------------------

// Returns the first row that begins at or after so much work.
static int64_t row_at (const gla_csr *c, int64_t work)
{
  int64_t low = 0, high = c->rows;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (start_of (c, middle) + ROW_WORK * middle < work)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Lists the segments of long rows; with NULL it only counts.
static int64_t list_segments (const gla_spmv_matrix *M, gla_cpu_segment *segments)
{
  int64_t count = 0;
  for (int64_t i = 0; M->longest > GLA_SPMV_LONG && i < M->csr.rows; i++) {
    int64_t first = start_of (&M->csr, i), end = start_of (&M->csr, i + 1);
    if (end - first <= GLA_SPMV_LONG)
      continue;
    for (; first < end; first += GLA_SPMV_SEGMENT, count++)
      if (segments != NULL) {
        int64_t last = end - first < GLA_SPMV_SEGMENT ? end : first + GLA_SPMV_SEGMENT;
        segments[count] = (gla_cpu_segment){i, first, last};
      }
  }
  return count;
}

static void spmv_free (gla_engine *engine, void *prepared)
{
  (void)engine;
  gla_cpu_sparse *s = prepared;
  if (s == NULL)
    return;
  free (s->parts);
  free (s->segments);
  free (s->narrow);
  free (s->sums);
  free (s->rows);
  free (s);
}

static gla_status spmv_prepare (gla_engine *engine, const gla_spmv_matrix *M,
                                const gla_monitor *monitor, void **prepared)
{
  (void)engine, (void)monitor;
  gla_cpu_sparse *s = calloc (1, sizeof *s);
  *prepared = NULL;
  if (s == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  const int64_t work = M->entries + ROW_WORK * M->csr.rows;
  s->M = *M;
  s->n_parts = (work + PART_WORK - 1) / PART_WORK;
  s->n_segments = list_segments (M, NULL);
  s->parts = malloc (((size_t)s->n_parts + 1) * sizeof *s->parts);
  s->segments = malloc ((size_t)s->n_segments * sizeof *s->segments + 1);
  s->sums = malloc ((size_t)s->n_segments * GLA_SPMV_WIDTH * gla_type_size (M->csr.type) + 1);
  if (s->parts == NULL || s->segments == NULL || s->sums == NULL) {
    spmv_free (engine, s);
    return GLA_ERROR_OUT_OF_MEMORY;
  }
  for (int64_t p = 0; p < s->n_parts; p++)
    s->parts[p] = row_at (&M->csr, p * PART_WORK);
  s->parts[s->n_parts] = M->csr.rows;
  list_segments (M, s->segments);
  *prepared = s;
  return GLA_OK;
}

typedef struct {
  const int64_t *from;
  int32_t *to;
} narrowing;

static void narrow_some (void *user, int64_t first, int64_t end)
{
  const narrowing *n = user;
  for (int64_t i = first; i < end; i++)
    n->to[i] = (int32_t)n->from[i];
}

// This saves half of the bytes of a pattern's product, and a third of one with values.
void gla_cpu_spmv_narrow (gla_cpu_sparse *s)
{
  gla_csr *c = &s->M.csr;
  const int64_t starts = c->rows + 1, entries = s->M.entries;
  if (c->index_bytes == 4 || entries < SHARED_WORK || entries > INT_MAX || c->rows > INT_MAX ||
      c->columns > INT_MAX)
    return;
  const size_t bytes = (size_t)(starts + entries) * sizeof (int32_t);
  int32_t *start = malloc (bytes);
  if (start == NULL)
    return;
  gla_host_prefer_huge_pages (start, bytes);
  int32_t *index = start + starts;
  narrowing starting = {c->start, start}, indexing = {c->index, index};
  gla_pool_ranges (starts, NARROW_LENGTH, narrow_some, &starting);
  gla_pool_ranges (entries, NARROW_LENGTH, narrow_some, &indexing);
  s->narrow = start;
  c->start = start;
  c->index = index;
  c->index_bytes = 4;
}

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// Returns the widest group of vectors that the kernels have, at most b.
static int width_of (int b)
{
  return b >= 8 ? 8 : b >= 4 ? 4 : b >= 2 ? 2 : 1;
}

static int threads_for (const gla_cpu_sparse *s, int vectors)
{
  const int shared = (s->M.entries + ROW_WORK * s->M.csr.rows) * vectors >= SHARED_WORK;
  return shared ? gla_pool_threads () : 1;
}

static void join_long_rows (const gla_cpu_spmv_kernel *kernel, const gla_cpu_spmv_task *t,
                            size_t sum_bytes)
{
  const gla_cpu_sparse *s = t->sparse;
  for (int64_t k = 0; k < s->n_segments;) {
    int64_t count = 1;
    while (k + count < s->n_segments && s->segments[k + count].row == s->segments[k].row)
      count++;
    kernel->join (t, &s->segments[k], count, (char *)s->sums + (size_t)k * sum_bytes);
    k += count;
  }
}

// What the pieces of a product share.
typedef struct {
  const gla_cpu_spmv_kernel *kernel;
  const gla_cpu_spmv_task *t;
  gla_cpu_parallel *region;
  size_t bytes; // of a segment's sum, or of a vector
  int parts;
} product;

static void multiply_piece (void *user, int64_t u, int slot)
{
  const product *a = user;
  const gla_cpu_sparse *s = a->t->sparse;
  const int64_t p = u - s->n_segments;
  if (gla_cpu_parallel_stopped (a->region, slot))
    return;
  if (p < 0)
    a->kernel->segment (a->t, &s->segments[u], (char *)s->sums + (size_t)u * a->bytes);
  else
    a->kernel->rows (a->t, s->parts[p], s->parts[p + 1]);
}

static void multiply_group (const gla_cpu_spmv_kernel *kernel, const gla_cpu_spmv_task *t,
                            gla_cpu_parallel *region)
{
  const gla_cpu_sparse *s = t->sparse;
  product a = {kernel, t, region, GLA_SPMV_WIDTH * gla_type_size (s->M.csr.type), 0};
  gla_cpu_parallel_for (region, s->n_segments + s->n_parts, threads_for (s, t->width),
                        multiply_piece, &a);
  join_long_rows (kernel, t, a.bytes);
}

void gla_cpu_spmv_multiply (const gla_cpu_spmv_kernel *kernel, const gla_cpu_sparse *sparse,
                            int conjugate, const void *x, int b, void *y, int64_t ldy,
                            gla_cpu_parallel *region)
{
  const size_t size = gla_type_size (sparse->M.csr.type);
  gla_cpu_spmv_task t = {sparse, x, b, y, ldy, 1, conjugate};
  for (int c = 0; c < b; c += t.width) {
    t.x = (const char *)x + (size_t)c * size;
    t.y = (char *)y + (size_t)(c * ldy) * size;
    t.width = width_of (b - c);
    multiply_group (kernel, &t, region);
  }
}

typedef struct {
  const gla_cpu_spmv_kernel *kernel;
  const void *x;
  int64_t ld;
  int b;
  void *to;
} turning;

static void turn_some (void *user, int64_t first, int64_t end)
{
  const turning *t = user;
  t->kernel->by_rows (t->x, t->ld, first, end, t->b, t->to);
}

void gla_cpu_spmv_by_rows (const gla_cpu_spmv_kernel *kernel, const void *x, int64_t ld, int64_t n,
                           int b, void *to)
{
  turning t = {kernel, x, ld, b, to};
  gla_pool_ranges (n, n * b >= SHARED_WORK ? 1 << 13 : n + 1, turn_some, &t);
}

static gla_status take_rows (gla_cpu_sparse *s, size_t bytes)
{
  if (bytes <= s->rows_bytes)
    return GLA_OK;
  free (s->rows);
  s->rows_bytes = 0;
  s->rows = malloc (bytes);
  if (s->rows == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_host_prefer_huge_pages (s->rows, bytes);
  s->rows_bytes = bytes;
  return GLA_OK;
}

enum { TRANSPOSED_ROWS = 1 << 14 };

static void scatter_piece (void *user, int64_t p, int slot)
{
  const product *a = user;
  const gla_cpu_sparse *s = a->t->sparse;
  gla_cpu_spmv_task own = *a->t;
  const int64_t end = s->parts[s->n_parts * (p + 1) / a->parts];
  own.y = (char *)s->rows + (size_t)p * a->bytes;
  memset (own.y, 0, a->bytes);
  for (int64_t i = s->parts[s->n_parts * p / a->parts]; i < end; i += TRANSPOSED_ROWS)
    if (!gla_cpu_parallel_stopped (a->region, slot))
      a->kernel->scatter (&own, i, i + TRANSPOSED_ROWS < end ? i + TRANSPOSED_ROWS : end);
}

static void add_some (void *user, int64_t first, int64_t end)
{
  const product *a = user;
  const gla_cpu_sparse *s = a->t->sparse;
  a->kernel->add_vectors (s->rows, s->M.csr.columns, a->parts, first, end, a->t->y);
}

// Multiplies one vector by the transpose: each part of the rows has its own result, and these are
// added in their order, so that the bits depend on the matrix alone.
static void multiply_one_transposed (const gla_cpu_spmv_kernel *kernel, const gla_cpu_spmv_task *t,
                                     int parts, gla_cpu_parallel *region)
{
  const gla_cpu_sparse *s = t->sparse;
  const int64_t n = s->M.csr.columns;
  product a = {kernel, t, region, (size_t)n * gla_type_size (s->M.csr.type), parts};
  const int threads = threads_for (s, 1);
  gla_cpu_parallel_for (region, parts, threads, scatter_piece, &a);
  gla_pool_ranges (n, threads > 1 ? TRANSPOSED_ROWS : n + 1, add_some, &a);
}

static gla_status multiply_transposed (const gla_cpu_spmv_kernel *kernel, gla_cpu_sparse *s,
                                       const gla_spmv_job *job, gla_cpu_parallel *region)
{
  const size_t size = gla_type_size (s->M.csr.type);
  const int parts = s->n_parts < SCATTER_PARTS ? 1 : SCATTER_PARTS;
  if (take_rows (s, (size_t)(s->M.csr.columns * parts) * size + 1) != GLA_OK)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t c = 0; c < job->x.columns && !gla_cpu_parallel_stopped (region, 0); c++) {
    const gla_cpu_spmv_task t = {
        .sparse = s,
        .x = (char *)job->x.data + (size_t)(c * job->x.column_stride) * size,
        .ldx = 1,
        .y = (char *)job->y.data + (size_t)(c * job->y.column_stride) * size,
        .width = 1,
        .conjugate = job->conjugate};
    multiply_one_transposed (kernel, &t, parts, region);
  }
  return GLA_OK;
}

static gla_status spmv_product (gla_engine *engine, void *prepared, const gla_spmv_job *job)
{
  gla_cpu_sparse *s = prepared;
  const gla_cpu_spmv_kernel *kernel =
      gla_cpu_spmv_kernels[((gla_cpu_engine *)engine)->isa][gla_cpu_type_index (s->M.csr.type)];
  const size_t size = gla_type_size (s->M.csr.type);
  const int64_t n = job->x.rows, columns = job->x.columns;
  const int64_t most = columns < GLA_SPMV_WIDTH ? columns : GLA_SPMV_WIDTH;
  gla_cpu_parallel region;
  if (s->used) // a matrix that comes back has a plan, and will again
    gla_cpu_spmv_narrow (s);
  s->used = 1;
  gla_cpu_parallel_start (&region, &job->monitor);
  if (job->transposed) {
    const gla_status taken = multiply_transposed (kernel, s, job, &region);
    const gla_status asked = gla_cpu_parallel_end (&region);
    return taken == GLA_OK ? asked : taken;
  }
  if (columns > 1 && take_rows (s, (size_t)(n * most) * size + 1) != GLA_OK)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t c = 0; c < columns && !gla_cpu_parallel_stopped (&region, 0);) {
    const int b = (int)(columns - c < most ? columns - c : most);
    const char *x = (const char *)job->x.data + (size_t)(c * job->x.column_stride) * size;
    char *y = (char *)job->y.data + (size_t)(c * job->y.column_stride) * size;
    if (b > 1) {
      gla_cpu_spmv_by_rows (kernel, x, job->x.column_stride, n, b, s->rows);
      x = s->rows;
    }
    gla_cpu_spmv_multiply (kernel, s, job->conjugate, x, b, y, job->y.column_stride, &region);
    c += b;
  }
  return gla_cpu_parallel_end (&region);
}

const gla_spmv_ops gla_cpu_spmv_ops = {
    .supports = spmv_supports,
    .seconds = spmv_seconds,
    .transposes = 1,
    .prepare = spmv_prepare,
    .product = spmv_product,
    .free = spmv_free,
};
