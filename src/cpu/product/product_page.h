// product_page.h: the product of one page, strip by strip
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A strip is a few registers of rows of C, with all columns. If the rows are no multiple of a
// register, the last register begins earlier and ends with the last row: its first rows are
// computed twice, with the same bits. A page with fewer rows than a register has lanes is read and
// written beyond its columns if what follows is its own or is computed later. The last such pages
// go through a buffer, as does the end of a page whose strips are shared by threads.

#ifndef GPULINALG_CPU_PRODUCT_PAGE_H
#define GPULINALG_CPU_PRODUCT_PAGE_H

#include "cpu/common/lanes_blocks.h"

#include "product_tile.h"

// DEPTH: terms of a sum after which C is written and read again, so that a strip of A and as many
// rows of B stay in the cache. COPY_ROWS: from so many rows on A is copied even if it could be read
// in place, because columns that are far apart compete for the same lines of the cache.
// AHEAD_BYTES: pages of A and B of together at most so many bytes are prefetched; larger ones leave
// no room in the first-level cache, so prefetching gains nothing. FAR_BYTES: from such a page of A
// on, of an array in OS pages of 4 KiB, the next OS page is touched. WHOLE_BYTES: pages of A and B
// of at most so many bytes, too large for AHEAD_BYTES, are prefetched whole, in batches of
// STREAM_BYTES or more. JOINED_BYTES: of pages of B and C that are multiplied together.
enum {
  DEPTH = 512,
  COPY_ROWS = 96,
  AHEAD_BYTES = 20000,
  FAR_BYTES = 2048,
  WHOLE_BYTES = 500000,
  STREAM_BYTES = 4000000,
  JOINED_BYTES = 24000
};

// What is the same for all pages. Strides are counted in real numbers.
typedef struct {
  operands_kind kind;
  int64_t rows, n, k;      // rows of C in real numbers, columns of C, terms of a sum
  int64_t a_row, a_column; // strides of op (A)
  int64_t b_row, b_column; // of op (B)
  int64_t ldc;
  int64_t a_bytes, b_bytes; // of a page of A and of B
  int a_parts;              // real numbers of an element of A
  int a_plain;              // A is not transposed
  int copy;                 // A is transposed, doubled or large: strips are copied to the workspace
  int shared;               // strips are computed by several threads: none writes rows of another
  real a_sign, b_sign;      // of the imaginary parts
  int hermitian;            // one triangle is computed and mirrored
  int symmetric;            // C is not Hermitian then but symmetric: one operand is real
  int ahead;                // the next page is fetched while this one is computed
  int64_t skip, fetch_step[3]; // of its lookahead
} product_shape;

typedef struct {
  const real *a, *b;
  real *c;
  int64_t a_spare, c_spare; // real numbers from here on that may be read, and written
} product_operands;

// The workspace of a thread: a strip of A, a tile, and what is fetched ahead.
enum {
  STRIP_NUMBERS = DEPTH * TILE_ROWS * GLA_LANES,
  WORK_NUMBERS = STRIP_NUMBERS + TILE_COLUMNS * GLA_LANES
};

static inline lookahead *lookahead_of (real *work)
{
  return (lookahead *)(work + WORK_NUMBERS);
}

static product_shape shape_of (const gla_pagemul_job *job, const gla_array *A, const gla_array *B,
                               const gla_array *C)
{
  const int a_complex = gla_type_is_complex (A->type), b_complex = gla_type_is_complex (B->type);
  const int64_t pa = 1 + a_complex, pb = 1 + b_complex, pc = 1 + (a_complex || b_complex);
  product_shape s = {.kind = !b_complex  ? REAL_B
                             : a_complex ? BOTH_COMPLEX
                                         : REAL_A,
                     .rows = job->m * pc,
                     .n = job->n,
                     .k = job->k,
                     .ldc = C->column_stride * pc,
                     .a_bytes = A->column_stride * A->columns * pa * (int64_t)sizeof (real),
                     .b_bytes = B->column_stride * B->columns * pb * (int64_t)sizeof (real),
                     .a_parts = (int)pa,
                     .a_plain = job->op_a == 'N',
                     .a_sign = job->op_a == 'C' ? -1 : 1,
                     .b_sign = job->op_b == 'C' ? -1 : 1,
                     .hermitian = job->hermitian,
                     .symmetric = a_complex != b_complex};
  s.a_row = (job->op_a == 'N' ? 1 : A->column_stride) * pa;
  s.a_column = (job->op_a == 'N' ? A->column_stride : 1) * pa;
  s.b_row = (job->op_b == 'N' ? 1 : B->column_stride) * pb;
  s.b_column = (job->op_b == 'N' ? B->column_stride : 1) * pb;
  const int turned = job->op_a != 'N' && (job->m > 1 || a_complex);
  if (!turned) // a single column of A is a row in place
    s.a_plain = 1;
  s.copy = turned || s.kind == REAL_A || s.rows >= COPY_ROWS;
  return s;
}

// V registers of rows of A from to[v] on, `depth` of its columns from `from` on.
typedef struct {
  int V;
  const int64_t *to;
  int64_t from, depth;
} strip_part;

// Stores rows packed, with zeros after the last row.
static void copy_strip (const product_shape *s, const real *a, const strip_part *t, real *strip)
{
  const int V = t->V;
  const int64_t *to = t->to, from = t->from, depth = t->depth;
  const int64_t width = (int64_t)V * GLA_LANES;
  if (s->a_plain && s->kind != REAL_A && to[V - 1] + GLA_LANES <= s->rows) {
    for (int64_t l = 0; l < depth; l++)
      for (int v = 0; v < V; v++)
        *(vec *)(strip + l * width + v * GLA_LANES) =
            (vec) * (const vec_anywhere *)(a + (from + l) * s->a_column + to[v]);
    return;
  }
  for (int v = 0; v < V; v++)
    for (int i = 0; i < GLA_LANES; i++) {
      real *out = strip + (int64_t)v * GLA_LANES + i;
      const int64_t r = to[v] + i, row = r / GLA_PARTS, part = s->a_parts > 1 ? r % 2 : 0;
      const real sign = part ? s->a_sign : 1;
      const real *in = a + row * s->a_row + from * s->a_column + part;
      for (int64_t l = 0; l < depth; l++)
        out[l * width] = r < s->rows ? sign * in[l * s->a_column] : 0;
    }
}

// Whether turn_strip makes the strips: A is transposed and has the parts of C.
static inline int is_turned (const product_shape *s)
{
  return !s->a_plain && s->a_parts == GLA_PARTS;
}

#if GLA_COMPLEX
// A complex number, copied as one.
typedef real pair
    __attribute__ ((vector_size (2 * sizeof (real)), aligned (sizeof (real)), may_alias));

// Copies a strip of a transposed page, column by column of A, whose numbers are contiguous.
// Register v of column l is at (v*DEPTH + l)*GLA_LANES. Lanes after the last row repeat it.
static void turn_strip (const product_shape *s, const product_operands *o, const strip_part *t,
                        real *strip)
{
  const pair signs = {1, s->a_sign};
  const int64_t last = s->rows / 2 - 1;
  for (int v = 0; v < t->V; v++)
    for (int i = 0; i < GLA_LANES / 2; i++) {
      const int64_t row = t->to[v] / 2 + i;
      const pair *in = (const pair *)(o->a + (row < last ? row : last) * s->a_row) + t->from;
      real *out = strip + (int64_t)v * DEPTH * GLA_LANES + 2 * i;
      for (int64_t l = 0; l < t->depth; l++)
        *(pair *)(out + l * GLA_LANES) = in[l] * signs;
    }
}
#else
// Copies a strip of a transposed page: columns of A, a lane each, are read by whole registers and
// transposed. Register v of column l is at (v*DEPTH + l)*GLA_LANES. The memory after a column is
// read, too, if it belongs to the array.
static void turn_strip (const product_shape *s, const product_operands *o, const strip_part *t,
                        real *strip)
{
  const int64_t from = t->from, depth = t->depth;
  for (int v = 0; v < t->V; v++) {
    vec *out = (vec *)strip + v * DEPTH;
    const int64_t to = t->to[v];
    lanes_sources columns;
    const int64_t last = s->rows - 1;
    for (int i = 0; i < GLA_LANES; i++)
      columns.at[i] = o->a + (to + i < last ? to + i : last) * s->a_row + from;
    const int64_t spare = o->a_spare - (columns.at[GLA_LANES - 1] - o->a);
    const int64_t readable = spare > s->k - from ? spare : s->k - from;
    int64_t l = 0;
    for (; l < depth && l + GLA_LANES <= readable; l += GLA_LANES)
      lanes_load_block (out, &columns, l);
    for (; l < depth; l++)
      out[l] = lanes_gather_real (&columns, l);
  }
}
#endif

// Does a strip of fewer rows than a register has lanes, through a buffer of one tile.
static void product_low_rows (int64_t rows, const row_panel *p, column_panel q, int64_t n,
                              operands_kind kind, int more, real *c, int64_t ldc, real *buffer)
{
  for (int64_t j = 0; j < n; j += TILE_COLUMNS) {
    const int64_t columns = n - j < TILE_COLUMNS ? n - j : TILE_COLUMNS;
    for (int64_t x = 0; x < columns && more; x++)
      for (int64_t i = 0; i < rows; i++)
        buffer[x * GLA_LANES + i] = c[(j + x) * ldc + i];
    product_rows (p, 1, &q, columns, kind, more, buffer, GLA_LANES);
    for (int64_t x = 0; x < columns; x++)
      for (int64_t i = 0; i < rows; i++)
        c[(j + x) * ldc + i] = buffer[x * GLA_LANES + i];
    q.b += columns * q.column;
  }
}

// Finds where the tiles read the strip: in place, or in `work`, to which it is copied.
static void place_strip (const product_shape *s, const product_operands *o, const strip_part *t,
                         int copy, real *work, row_panel *p)
{
  const int V = t->V;
  int64_t step = GLA_LANES;
  p->a = copy ? work : o->a + t->from * s->a_column;
  p->column = copy ? (int64_t)V * GLA_LANES : s->a_column;
  if (copy && is_turned (s)) {
    turn_strip (s, o, t, work);
    p->column = GLA_LANES;
    step = DEPTH * GLA_LANES;
  } else if (copy)
    copy_strip (s, o->a, t, work);
  for (int v = 0; v < V; v++)
    p->at[v] = copy ? v * step : t->to[v];
}

// Does the strip of V registers from row `first` on; for a Hermitian product only the columns up to
// its last row.
static void product_strip (const product_shape *s, const product_operands *o, int64_t first, int V,
                           real *work)
{
  const int64_t rows = s->rows - first, last = s->rows - GLA_LANES;
  const int low = rows < GLA_LANES && (first == 0 || s->shared);
  row_panel p;
  p.ahead = s->ahead && V > 1 ? lookahead_of (work) : NULL;
  int64_t from[TILE_ROWS];
  for (int v = 0; v < V; v++) {
    const int64_t row = first + (int64_t)v * GLA_LANES;
    from[v] = row <= last || low ? row : last;
    p.to[v] = from[v];
  }
  const int64_t end = (from[V - 1] + GLA_LANES + GLA_PARTS - 1) / GLA_PARTS;
  const int64_t n = s->hermitian && end < s->n ? end : s->n;
  const int copy =
      s->copy || (low && (first > 0 || o->a_spare < (s->k - 1) * s->a_column + GLA_LANES));
  // values written beyond a column must not be read again
  const int buffered =
      low && (first > 0 || s->k > DEPTH || o->c_spare < (n - 1) * s->ldc + GLA_LANES);
  if (buffered)
    p.to[0] = 0;
  int64_t l = 0;
  do {
    const int64_t depth = s->k - l < DEPTH ? s->k - l : DEPTH;
    const column_panel q = {o->b + l * s->b_row, s->b_row, s->b_column, depth, s->b_sign};
    const strip_part part = {V, from, l, depth};
    place_strip (s, o, &part, copy, work, &p);
    if (buffered)
      product_low_rows (rows, &p, q, n, s->kind, l > 0, o->c + first, s->ldc, work + STRIP_NUMBERS);
    else
      product_rows (&p, V, &q, n, s->kind, l > 0, o->c, s->ldc);
    l += DEPTH;
  } while (l < s->k);
}

// Strips have three registers, or two if the sums of three would not stay in registers. If one
// register would remain after threes, the last two strips have two each.
static int64_t strips_of (const product_shape *s)
{
  const int height = s->kind == BOTH_COMPLEX ? COMPLEX_ROWS : TILE_ROWS;
  const int64_t registers = (s->rows + GLA_LANES - 1) / GLA_LANES;
  return (registers + height - 1) / height;
}

// Returns how often all tiles of a page prefetch.
static int64_t fetches_of (const product_shape *s, int64_t skip)
{
  const int width = s->kind == BOTH_COMPLEX ? COMPLEX_COLUMNS : TILE_COLUMNS;
  return strips_of (s) * ((s->n + width - 1) / width) * ((s->k + skip) / (skip + 1));
}

static void strip_product (const product_shape *s, const product_operands *o, int64_t strip,
                           real *work)
{
  const int height = s->kind == BOTH_COMPLEX ? COMPLEX_ROWS : TILE_ROWS;
  const int64_t all = (s->rows + GLA_LANES - 1) / GLA_LANES;
  int64_t begin = strip * height, registers = all - begin < height ? all - begin : height;
  if (height == 3 && all % 3 == 1 && all > 1) {
    if (begin + 4 == all)
      registers = 2;
    if (begin + 1 == all) {
      begin--;
      registers = 2;
    }
  }
  const int64_t first = begin * GLA_LANES;
  product_strip (s, o, first, (int)registers, work);
}

#endif
