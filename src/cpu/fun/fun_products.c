// fun_products.c: V*diag (f)*V' of a chunk of pages on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// F = X*Y', where X = V*sqrt (|f|) and Y = X times the conjugate phases of f. Elements of a product
// are sums in one order, so that an element and its mirror image are conjugate bit by bit if f is
// real, and X*Y' has the same bits as X*X'. So then one triangle is computed. If V is real and f is
// not, the product is symmetric: that is conj (Y)*X.', whose right operand is real.

#include "fun.h"

#include "common/status.h"
#include "threads/pool.h"

#include <stdlib.h>

// Numbers that a thread scales at a time, small pages, and the order from which on one triangle of
// a symmetric product takes less time than both.
enum { PIECE_NUMBERS = 16384, SMALL_PAGES = 512, SYMMETRIC_FROM = 24 };

// Pages up to ALONE_MAX rows are multiplied by one thread each: larger ones may be shared by
// threads, also those above ALONE_FEW_MAX if there are few. PIECE_BYTES: of X and Y that a thread
// takes at a time, which stay in its cache. A thread is woken for PIECE_TERMS. Eigenvectors of
// pages with fewer rows than IN_PLACE_MIN stay in the cache if they have their own memory.
enum {
  ALONE_FEW_MAX = 64,
  ALONE_MAX = 128,
  IN_PLACE_MIN = 32,
  PIECE_BYTES = 65536,
  PIECE_TERMS = 200000
};

//------------------------------------------------------------------------------
// values and eigenvectors times values
//------------------------------------------------------------------------------

// A chunk with eigenvectors and eigenvalues.
typedef struct {
  gla_cpu_fun_work *work;
  const gla_pagefun_chunk *chunk;
  gla_array X; // of pages that threads share: in the place of V, if that may be overwritten
  int wide;    // F is complex and V is not
  int has;     // GLA_FUN_PHASES, GLA_FUN_FAILED, GLA_FUN_COMPLEX
  int turned;  // Y is not X
} fun_group;

static void *page_of (const gla_array *a, int64_t page)
{
  return (char *)a->data + (size_t)(page * a->page_stride) * gla_type_size (a->type);
}

static gla_array pages_of (const gla_array *a, int64_t first, int64_t count)
{
  gla_array part = *a;
  part.data = page_of (a, first);
  part.pages = count;
  return part;
}

gla_status gla_cpu_fun_take (gla_cpu_fun_work *w, gla_type type, gla_array *a)
{
  const int64_t n = w->job.n;
  if (a->data == NULL)
    *a = gla_array_packed (malloc ((size_t)(w->pages * n * n) * gla_type_size (type)), type, n, n,
                           w->pages, GLA_DEVICE_HOST);
  return a->data != NULL ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY;
}

static void find_values (void *user, int64_t from, int64_t end)
{
  fun_group *g = user;
  const gla_cpu_fun_work *w = g->work;
  int has = 0;
  for (int64_t p = from; p < end; p++)
    has |= gla_fun_page (&w->job, g->chunk, p, w->values + p * w->job.n);
  __atomic_fetch_or (&g->has, has, __ATOMIC_RELAXED);
}

static void scale_vectors (void *user, int64_t from, int64_t end)
{
  const fun_group *g = user;
  const gla_cpu_fun_work *w = g->work;
  const gla_array *V = &g->chunk->V;
  const int64_t n = w->job.n;
  for (int64_t p = from; p < end; p++)
    w->kernels.kernel->factors (page_of (V, p), V->column_stride, page_of (&g->X, p),
                                g->turned ? page_of (&w->Y, p) : NULL, g->wide, n,
                                w->values + p * n);
}

// Returns X*Y' as a job. has: properties of the values; count: pages.
static gla_pagemul_job product_of (const fun_group *g, const gla_pagemul_chunk *c, int has,
                                   int64_t columns, const int64_t *count)
{
  static const int64_t one = 1;
  const int64_t n = g->work->job.n;
  return (gla_pagemul_job){.head = {.type = c->C.type},
                           .m = n,
                           .n = n,
                           .k = columns,
                           .a_complex = gla_type_is_complex (c->A.type),
                           .b_complex = gla_type_is_complex (c->B.type),
                           .op_a = 'N',
                           .op_b = 'C',
                           .hermitian = g->wide ? n >= SYMMETRIC_FROM : !(has & GLA_FUN_COMPLEX),
                           .dims = 1,
                           .dim_size = count,
                           .a_step = &one,
                           .b_step = &one};
}

// The monitor of products, whose pages are counted elsewhere.
static int poll_stop (void *user, int64_t pages)
{
  const gla_monitor *m = user;
  (void)pages;
  return m->poll != NULL && m->poll (m->user, 0);
}

// All threads take part.
static gla_status multiply (gla_engine *engine, const fun_group *g, int64_t columns)
{
  gla_cpu_fun_work *w = g->work;
  const gla_array *Y = g->turned ? &w->Y : &g->X;
  gla_pagemul_chunk c = {.C = g->chunk->F, .A = g->wide ? *Y : g->X, .B = g->wide ? g->X : *Y};
  c.A.columns = c.B.columns = columns;
  c.A.pages = c.B.pages = c.C.pages;
  gla_pagemul_job job = product_of (g, &c, g->has, columns, &c.C.pages);
  job.head.monitor = (gla_monitor){poll_stop, &w->job.head.monitor};
  GLA_TRY (w->kernels.row->begin (engine, &job.head, c.C.pages));
  return w->kernels.row->submit (engine, 0, &c);
}

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// Returns the number of columns in use; the values of all others are 0.
static int64_t most_columns (const fun_group *g)
{
  const gla_pagefun_job *job = &g->work->job;
  int64_t most = 1;
  if (job->fun != GLA_FUN_OCCUPIED)
    return job->n;
  for (int64_t p = 0; p < (job->occupied_each ? g->chunk->F.pages : 1); p++)
    most = g->chunk->occupied[p] > most ? g->chunk->occupied[p] : most;
  return most;
}

// Does pages from .. end-1 of small ones, values and products.
static void do_small (void *user, int64_t from, int64_t end)
{
  const fun_group *g = user;
  const gla_pagefun_job *job = &g->work->job;
  const gla_array *F = &g->chunk->F;
  for (int64_t p = from; p < end; p++) {
    gla_fun_value values[GLA_CPU_FUN_SMALL];
    if (gla_fun_page (job, g->chunk, p, values) == GLA_FUN_FAILED)
      gla_fun_fill_page (F, p, values);
    else
      g->work->kernels.kernel->page (page_of (&g->chunk->V, p), page_of (F, p), F->column_stride,
                                     g->wide, job->n, values);
  }
}

static gla_status do_large (gla_engine *engine, fun_group *g)
{
  gla_cpu_fun_work *w = g->work;
  const gla_array *F = &g->chunk->F, *V = &g->chunk->V;
  const int64_t n = w->job.n, count = F->pages;
  gla_status status = GLA_OK;
  gla_pool_ranges (count, PIECE_NUMBERS / (8 * n) + 1, find_values, g);
  g->turned = (g->has & GLA_FUN_PHASES) != 0 || g->wide;
  g->X = *V;
  if (V->page_stride == 0) { // other pages still need it
    status = gla_cpu_fun_take (w, V->type, &w->V);
    g->X = w->V;
  }
  if (status == GLA_OK && g->turned)
    status = gla_cpu_fun_take (w, F->type, &w->Y);
  if (status != GLA_OK)
    return status;
  gla_pool_ranges (count, PIECE_NUMBERS / (n * n) + 1, scale_vectors, g);
  status = multiply (engine, g, most_columns (g));
  for (int64_t p = 0; (g->has & GLA_FUN_FAILED) != 0 && status == GLA_OK && p < count; p++)
    if (g->chunk->info[p] != 0)
      gla_fun_fill_page (F, p, &w->values[p * n]);
  return status;
}

//------------------------------------------------------------------------------
// products by one thread each
//------------------------------------------------------------------------------

int gla_cpu_fun_alone (int64_t n, int64_t pages)
{
  return n > GLA_CPU_FUN_SMALL && n <= ALONE_MAX &&
         (n <= ALONE_FEW_MAX || pages >= 2 * gla_pool_threads ());
}

int gla_cpu_fun_in_place (const gla_cpu_fun_work *w)
{
  return w->alone && w->job.n >= IN_PLACE_MIN;
}

// A chunk in pieces of some pages. A thread computes values, X and Y of a piece in its workspace,
// and writes the products over V.
typedef struct {
  const fun_group *g;
  int64_t columns;           // in use
  int64_t length;            // pages of a piece
  int64_t pieces, ranges;    // they are taken from each range in turn
  size_t values, x, y, work; // where these begin in a workspace
  size_t bytes;              // of a workspace
  char *memory;
} fun_pieces;

// Forms X*Y' of the pages of a piece; has: properties of their values.
static void multiply_piece (const fun_pieces *t, const gla_array *F, int has, char *memory)
{
  const fun_group *g = t->g;
  const int64_t n = g->work->job.n;
  gla_array X = gla_array_packed (memory + t->x, g->chunk->V.type, n, n, F->pages, GLA_DEVICE_HOST);
  gla_array Y = gla_array_packed (memory + t->y, F->type, n, n, F->pages, GLA_DEVICE_HOST);
  X.columns = Y.columns = t->columns;
  const int turned = (has & GLA_FUN_PHASES) != 0 || g->wide;
  gla_pagemul_chunk chunk = {.C = *F, .A = g->wide ? Y : X, .B = turned && !g->wide ? Y : X};
  gla_pagemul_job job = product_of (g, &chunk, has, t->columns, &F->pages);
  g->work->kernels.pages (&job, &chunk, 0, F->pages, memory + t->work);
}

// Returns the place of so many bytes in a workspace.
static size_t place (size_t *at, size_t bytes)
{
  const size_t here = *at;
  *at += (bytes + 63) / 64 * 64;
  return here;
}

// Returns the i-th piece to be taken. Threads take pieces from ranges as in cpu/batch.c, so that a
// thread mostly finds the eigenvectors in its cache.
static int64_t piece_of (const fun_pieces *t, int64_t i)
{
  const int64_t range = i % t->ranges, longer = t->pieces % t->ranges;
  return range * (t->pieces / t->ranges) + (range < longer ? range : longer) + i / t->ranges;
}

static void do_piece (void *user, int64_t i, int slot)
{
  const fun_pieces *t = user;
  const fun_group *g = t->g;
  const gla_pagefun_chunk *c = g->chunk;
  const int64_t n = g->work->job.n, from = piece_of (t, i) * t->length;
  const int64_t count = c->F.pages - from < t->length ? c->F.pages - from : t->length;
  const gla_array F = pages_of (&c->F, from, count);
  char *memory = t->memory + (size_t)slot * t->bytes;
  gla_fun_value *values = (gla_fun_value *)(memory + t->values);
  int has = 0;
  for (int64_t p = 0; p < count; p++)
    has |= gla_fun_page (&g->work->job, c, from + p, values + p * n);
  const size_t x = (size_t)(n * n) * gla_type_size (c->V.type);
  const size_t y = (size_t)(n * n) * gla_type_size (F.type);
  const int turned = (has & GLA_FUN_PHASES) != 0 || g->wide;
  for (int64_t p = 0; p < count; p++)
    g->work->kernels.kernel->factors (
        page_of (&c->V, from + p), c->V.column_stride, memory + t->x + (size_t)p * x,
        turned ? memory + t->y + (size_t)p * y : NULL, g->wide, n, values + p * n);
  multiply_piece (t, &F, has, memory);
  for (int64_t p = 0; (has & GLA_FUN_FAILED) != 0 && p < count; p++)
    if (c->info[from + p] != 0)
      gla_fun_fill_page (&F, p, &values[p * n]);
}

static gla_status do_pieces (const fun_group *g)
{
  const gla_pagefun_chunk *c = g->chunk;
  const gla_array *Y = g->wide ? &c->F : &c->V;
  const int64_t n = g->work->job.n, pages = c->F.pages, most = gla_pool_threads ();
  const size_t x = (size_t)(n * n) * gla_type_size (c->V.type);
  const size_t y = (size_t)(n * n) * gla_type_size (c->F.type);
  const gla_pagemul_chunk product = {.C = c->F, .A = *Y, .B = c->V};
  fun_pieces t = {.g = g, .columns = most_columns (g)};
  const gla_pagemul_job job = product_of (g, &product, GLA_FUN_COMPLEX, t.columns, &pages);
  const int64_t fit = PIECE_BYTES / (int64_t)(x + y), even = pages / (4 * most);
  const int64_t worth = 1 + pages * n * n * n / PIECE_TERMS, threads = worth < most ? worth : most;
  t.length = fit < even ? fit : even;
  t.length = t.length < 1 ? 1 : t.length;
  t.pieces = (pages + t.length - 1) / t.length;
  t.ranges = threads < t.pieces ? threads : t.pieces;
  const size_t count = (size_t)t.length;
  size_t at = 0;
  t.values = place (&at, count * (size_t)n * sizeof (gla_fun_value));
  t.x = place (&at, count * x);
  t.y = place (&at, count * y);
  t.work = place (&at, g->work->kernels.workspace (&job));
  t.bytes = at;
  void *block = malloc ((size_t)threads * t.bytes + 64);
  if (block == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  t.memory = (char *)(((uintptr_t)block + 63) / 64 * 64);
  gla_pool_for (t.pieces, (int)threads, do_piece, &t);
  free (block);
  return GLA_OK;
}

gla_status gla_cpu_fun_products (gla_engine *engine, gla_cpu_fun_work *w,
                                 const gla_pagefun_chunk *chunk)
{
  fun_group g = {.work = w, .chunk = chunk, .wide = chunk->F.type != chunk->V.type};
  if (w->alone)
    return do_pieces (&g);
  if (w->job.n > GLA_CPU_FUN_SMALL)
    return do_large (engine, &g);
  gla_pool_ranges (chunk->F.pages, SMALL_PAGES, do_small, &g);
  return GLA_OK;
}
