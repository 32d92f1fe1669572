// product_kernels.c: products of pages of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type of the product and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "common/grid.h"
#include "cpu/common/lanes.h"
#include "cpu/common/lanes_blocks.h"
#include "product.h"
#include "product_page.h"

//------------------------------------------------------------------------------
// the upper triangle of a Hermitian or symmetric page from the lower one
//------------------------------------------------------------------------------

// Squares of elements, as wide as a register, are read column by column, transposed in registers
// and written as whole columns: going element by element would touch a line of the cache for each
// of them, and of large pages lines that compete for the same places.

// Rows and columns of a square.
enum { MIRROR_SIDE = GLA_LANES / GLA_PARTS };

static inline void mirror_element (const product_shape *s, real *c, int64_t i, int64_t j)
{
  const real *from = c + j * s->ldc + i * GLA_PARTS;
  real *to = c + i * s->ldc + j * GLA_PARTS;
  to[0] = from[0];
#if GLA_COMPLEX
  to[1] = s->symmetric ? from[1] : 0 - from[1]; // not -0: as in the product of other arrays
#endif
}

// Mirrors rows i .. i+MIRROR_SIDE-1 of as many columns from j on.
static inline __attribute__ ((always_inline)) void mirror_square (const product_shape *s, real *c,
                                                                  int64_t i, int64_t j)
{
  const real *from = c + j * s->ldc + i * GLA_PARTS;
  real *to = c + i * s->ldc + j * GLA_PARTS;
  vec x[MIRROR_SIDE];
#pragma GCC unroll 16
  for (int k = 0; k < MIRROR_SIDE; k++)
    x[k] = (vec) * (const vec_anywhere *)(from + k * s->ldc);
#pragma GCC unroll 4
  for (int d = 1; d < MIRROR_SIDE; d *= 2)
#pragma GCC unroll 16
    for (int k = 0; k < MIRROR_SIDE; k++)
      if (!(k & d))
        lanes_swap_blocks (&x[k], &x[k + d], d * GLA_PARTS);
#if GLA_COMPLEX
  mask odd;
  for (int l = 0; l < GLA_LANES; l++)
    odd[l] = -(l & 1);
  for (int k = 0; k < MIRROR_SIDE && !s->symmetric; k++)
    x[k] = vec_select (odd, (vec){0} - x[k], x[k]);
#endif
#pragma GCC unroll 16
  for (int k = 0; k < MIRROR_SIDE; k++)
    *(vec_anywhere *)(to + k * s->ldc) = (vec_anywhere)x[k];
}

// The diagonal of a Hermitian page is real.
static void mirror_page (const product_shape *s, real *c)
{
  const int64_t n = s->n;
  for (int64_t i = 0; i < n; i += MIRROR_SIDE) {
    const int64_t end = i + MIRROR_SIDE < n ? i + MIRROR_SIDE : n;
    int64_t from = 0; // columns of the lower triangle that squares have done
    if (end == i + MIRROR_SIDE)
      for (; from < i; from += MIRROR_SIDE)
        mirror_square (s, c, i, from);
    for (int64_t k = i; k < end; k++) {
#if GLA_COMPLEX
      if (!s->symmetric)
        c[k * s->ldc + 2 * k + 1] = 0;
#endif
      for (int64_t j = from; j < k; j++)
        mirror_element (s, c, k, j);
    }
  }
}

//------------------------------------------------------------------------------
// the product of a page whose rows fit into one or two registers
//------------------------------------------------------------------------------

// The product of such a page takes some 10 ns, about as long as planning its strips. So there is no
// plan: what a strip may need, a copy of large A or a buffer for C, is left to product_page.h,
// which gets the few pages at the end of an array that need it. Transposed pages are transposed
// first.

// Larger pages gain more from being fetched ahead.
enum { SMALL_BYTES = 1024 };

static int is_small (const product_shape *s)
{
  const int one = s->rows <= GLA_LANES, two = s->rows <= 2 * GLA_LANES && s->a_bytes <= SMALL_BYTES;
  return (one || two) && s->k <= DEPTH && s->k > 0 && (!s->copy || is_turned (s)) && !s->hermitian;
}

// Whether the memory after A may be read and that after C may be written.
static inline int has_room (const product_shape *s, const product_operands *o)
{
  return s->rows >= GLA_LANES ||
         ((is_turned (s) || o->a_spare >= (s->k - 1) * s->a_column + GLA_LANES) &&
          o->c_spare >= (s->n - 1) * s->ldc + GLA_LANES);
}

static inline __attribute__ ((always_inline)) void
small_kind (const product_shape *s, const product_operands *o, operands_kind kind, real *work)
{
  const column_panel q = {o->b, s->b_row, s->b_column, s->k, s->b_sign};
  const int64_t last = s->rows - GLA_LANES;
  row_panel one = {.a = o->a, .column = s->a_column},
            two = {.a = o->a, .column = s->a_column, .at = {0, last}, .to = {0, last}};
  if (is_turned (s)) {
    const strip_part all = {last <= 0 ? 1 : 2, last <= 0 ? one.to : two.to, 0, s->k};
    turn_strip (s, o, &all, work);
    one.a = two.a = work;
    one.column = two.column = GLA_LANES;
    two.at[1] = DEPTH * GLA_LANES;
  }
  if (last <= 0)
    columns_product (&one, 1, &q, s->n, kind, 0, 0, o->c, s->ldc);
  else
    columns_product (&two, 2, &q, s->n, kind, 0, 0, o->c, s->ldc);
}

static void small_page (const product_shape *s, const product_operands *o, real *work)
{
#if GLA_COMPLEX
  if (s->kind == BOTH_COMPLEX) {
    small_kind (s, o, BOTH_COMPLEX, work);
    return;
  }
#endif
  small_kind (s, o, REAL_B, work);
}

//------------------------------------------------------------------------------
// the pages of a job
//------------------------------------------------------------------------------

static size_t workspace (const gla_pagemul_job *job)
{
  (void)job;
  return WORK_NUMBERS * sizeof (real) + sizeof (lookahead);
}

// Returns the operands of page p of the chunk. Memory after C may be written only up to page `end`
// of the chunk, and memory after A may be read only if its pages have no gaps.
static inline __attribute__ ((always_inline)) product_operands
operands_of (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk, const product_shape *s,
             int64_t p, int64_t end)
{
  const gla_array *A = &chunk->A, *B = &chunk->B, *C = &chunk->C;
  const int64_t pa = s->a_parts, pb = 1 + gla_type_is_complex (B->type);
  int64_t a, b;
  const gla_grid grid = {job->dims, job->dim_size, job->a_step, job->b_step};
  gla_grid_pages (&grid, chunk->first + p, &a, &b);
  product_operands o = {.a = (const real *)A->data + a * A->page_stride * pa,
                        .b = (const real *)B->data + b * B->page_stride * pb,
                        .c = (real *)C->data + p * C->page_stride * GLA_PARTS};
  if (A->column_stride == A->rows && A->page_stride == A->rows * A->columns)
    o.a_spare = (A->pages - a) * A->page_stride * pa;
  if (C->column_stride == C->rows && C->page_stride == C->rows * C->columns)
    o.c_spare = (end - p) * C->page_stride * GLA_PARTS;
  return o;
}

// Decides whether the next page is prefetched while this one is computed, and how rarely. The
// processor itself prefetches pages of a few KB, and if there are fewer terms than lines of the
// cache some would be left out.
static void plan_lookahead (product_shape *s)
{
  const int64_t bytes = s->a_bytes > s->b_bytes ? s->a_bytes : s->b_bytes;
  s->skip = 3;
  while (s->skip > 0 && bytes > 64 * fetches_of (s, s->skip))
    s->skip /= 2;
  const int64_t fetches = fetches_of (s, s->skip);
  s->ahead = s->a_bytes + s->b_bytes <= AHEAD_BYTES && bytes <= 64 * fetches && fetches > 0;
  if (!s->ahead)
    return;
  s->fetch_step[0] = s->a_bytes / fetches;
  s->fetch_step[1] = s->b_bytes / fetches;
  s->fetch_step[2] = s->ldc * s->n * (int64_t)sizeof (real) / fetches;
}

// Prefetches what page p + 1 has and page p, which begins at `now`, has not.
static void look_ahead (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk,
                        const product_shape *s, int64_t p, const product_operands *now,
                        lookahead *f)
{
  const product_operands next = operands_of (job, chunk, s, p + 1, p + 2);
  const int same_b = next.b == now->b || next.b == next.a;
  f->at[0] = (const char *)next.a;
  f->at[1] = (const char *)next.b;
  f->at[2] = (const char *)next.c;
  f->skip = s->skip;
  f->step[0] = next.a == now->a ? 0 : s->fetch_step[0];
  f->step[1] = same_b ? 0 : s->fetch_step[1];
  f->step[2] = s->fetch_step[2];
}

// The processor prefetches only up to the end of an OS page. Touching a line of the next one makes
// it continue there; prefetching beyond an array does nothing.
static inline void look_far (const product_operands *o)
{
  __builtin_prefetch ((const char *)o->a + 4096);
  __builtin_prefetch ((const char *)o->b + 4096);
  __builtin_prefetch ((const char *)o->c + 4096, 1);
}

// Whether whole pages of A and B are prefetched before they are multiplied: those too large for
// prefetching the next page, in batches that no cache holds.
static int fetches_pages (const product_shape *s, int64_t pages)
{
  const int64_t bytes = s->a_bytes + s->b_bytes;
  return !s->ahead && bytes <= WHOLE_BYTES && bytes * pages >= STREAM_BYTES;
}

// Prefetches a page in the order of memory, which is faster than by a strip of rows with its gaps.
static void fetch_page (const void *page, int64_t bytes)
{
  for (int64_t at = 0; at < bytes; at += 64)
    __builtin_prefetch ((const char *)page + at, 0, 2);
}

// If one page of A is multiplied by adjacent pages of B, these are columns of one product: tiles
// are full even if a page has one column, and work for each page is done once. Returns the most
// pages: B and C stay in the first-level cache, and a tile has its columns.
static int64_t joined_pages (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk,
                             const product_shape *s)
{
  const gla_array *B = &chunk->B, *C = &chunk->C;
  if (!gla_cpu_product_joins (job) || B->page_stride != B->column_stride * B->columns ||
      C->page_stride != C->column_stride * C->columns)
    return 1;
  const int64_t bytes = s->b_bytes + s->ldc * s->n * (int64_t)sizeof (real);
  const int64_t fit = JOINED_BYTES / (bytes + 1), full = (TILE_COLUMNS + s->n - 1) / s->n;
  return fit > full ? fit : full;
}

// Returns how many of `most` pages from page p on are joined: none beyond the pages of one page of
// A.
static int64_t joined_from (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk, int64_t p,
                            int64_t most, int64_t end)
{
  const int64_t size = job->dim_size[0], left = size - (chunk->first + p) % size;
  const int64_t pages = left < end - p ? left : end - p;
  return pages < most ? pages : most;
}

static void pages (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk, int64_t first,
                   int64_t count, void *work)
{
  product_shape s = shape_of (job, &chunk->A, &chunk->B, &chunk->C);
  const int64_t strips = strips_of (&s), end = first + count, columns = s.n;
  const int64_t most = joined_pages (job, chunk, &s);
  const int small = is_small (&s), far = s.a_bytes >= FAR_BYTES && s.a_bytes < 4 * FAR_BYTES;
  if (!small && most == 1)
    plan_lookahead (&s);
  *lookahead_of (work) = (lookahead){.at = {chunk->A.data, chunk->B.data, chunk->C.data}};
  const int whole = !small && most == 1 && fetches_pages (&s, chunk->C.pages);
  product_operands last = {0};
  for (int64_t p = first, joined = 1; p < end; p += joined) {
    const product_operands o = operands_of (job, chunk, &s, p, end);
    if (most > 1) {
      joined = joined_from (job, chunk, p, most, end);
      s.n = joined * columns;
    }
    if (whole && o.a != last.a)
      fetch_page (o.a, s.a_bytes);
    if (whole && o.b != last.b && o.b != o.a)
      fetch_page (o.b, s.b_bytes);
    last = o;
    if (far)
      look_far (&o);
    if (s.ahead && p + 1 < end)
      look_ahead (job, chunk, &s, p, &o, lookahead_of (work));
    if (small && has_room (&s, &o)) {
      small_page (&s, &o, work);
      continue;
    }
    for (int64_t i = 0; i < strips; i++)
      strip_product (&s, &o, i, work);
    if (s.hermitian)
      mirror_page (&s, o.c);
  }
}

static int64_t strips (const gla_pagemul_job *job)
{
  const product_shape s = {.kind = job->a_complex && job->b_complex ? BOTH_COMPLEX : REAL_B,
                           .rows = job->m * GLA_PARTS};
  return strips_of (&s);
}

static void strip (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk, int64_t page,
                   int64_t strip, void *work)
{
  product_shape s = shape_of (job, &chunk->A, &chunk->B, &chunk->C);
  const product_operands o = operands_of (job, chunk, &s, page, page + 1);
  s.shared = 1;
  strip_product (&s, &o, strip, work);
}

static void mirror (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk, int64_t page)
{
  const product_shape s = shape_of (job, &chunk->A, &chunk->B, &chunk->C);
  mirror_page (&s, operands_of (job, chunk, &s, page, page + 1).c);
}

const gla_cpu_product_kernel GLA_KERNEL_TABLE (product) = {workspace, pages, strips, strip, mirror};
