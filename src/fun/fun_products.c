// fun_products.c: V*diag (f)*V' of a group of pages
// SPDX-License-Identifier: GPL-3.0-or-later
//
// X*Y', where X = V*sqrt (|f|) and Y = X times the conjugate phases of f. Elements of a product are
// sums in one order, so that an element and its mirror image are conjugate bit by bit where f is
// real, and the same for X*Y' and X*X'. So one triangle is computed there. Where V is real and f is
// not, the product is symmetric: that is conj (Y)*X.', whose right operand is real.

#include "arrays.h"
#include "batch/host_page.h"
#include "fun_run.h"
#include "product/product_run.h"
#include "threads/pool.h"

#include <math.h>
#include <stdlib.h>

// Numbers that a thread scales at a time, small pages, and the order from which on one triangle of
// a symmetric product takes less time than both.
enum { PIECE_NUMBERS = 16384, SMALL_PAGES = 512, SYMMETRIC_FROM = 24 };

// Pages up to ALONE_MAX rows are multiplied by one thread each: larger ones may be shared by
// threads, also those above ALONE_FEW_MAX where there are few. PIECE_BYTES: of X and Y that a
// thread takes at a time, which stay in its cache. A thread is woken for PIECE_TERMS. Eigenvectors
// of pages with fewer rows than IN_PLACE_MIN stay in the cache in a place of their own.
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

// A group whose eigenvectors are in V, those of all pages or of this group alone.
typedef struct {
  gla_fun_run *run;
  gla_array V, lambda, F;
  int64_t first;
  int wide;   // F is complex and V is not
  int has;    // GLA_FUN_PHASES, GLA_FUN_FAILED, GLA_FUN_COMPLEX
  int turned; // Y is not X
} fun_group;

static void *page_of (const gla_array *a, int64_t page)
{
  return gla_array_pages (a, page, 1).data;
}

static void find_values (void *user, int64_t from, int64_t end)
{
  fun_group *g = user;
  const gla_fun_run *run = g->run;
  const int64_t n = run->rule.n;
  int has = 0;
  for (int64_t p = from; p < end; p++)
    has |= gla_fun_page (&run->rule, page_of (&g->lambda, p), g->first + p, run->values + p * n,
                         &run->info[g->first + p]);
  __atomic_fetch_or (&g->has, has, __ATOMIC_RELAXED);
}

static void scale_vectors (void *user, int64_t from, int64_t end)
{
  const fun_group *g = user;
  const gla_fun_run *run = g->run;
  const int64_t n = run->rule.n;
  for (int64_t p = from; p < end; p++) {
    void *X = page_of (&g->V, p), *Y = g->turned ? page_of (&run->Y, p) : NULL;
    run->kernels.kernel->factors (X, n, X, Y, g->wide, n, run->values + p * n);
  }
}

// On the CPU, whatever the place of the context.
static gla_status multiply (const fun_group *g, int64_t columns)
{
  gla_context *ctx = g->run->ctx;
  const gla_place place = ctx->place;
  gla_array X = g->V, Y = g->turned ? gla_array_pages (&g->run->Y, 0, g->F.pages) : X;
  const int mirrored = g->wide ? g->run->rule.n >= SYMMETRIC_FROM : !(g->has & GLA_FUN_COMPLEX);
  X.columns = Y.columns = columns;
  const gla_pagemul_options options = {.size = sizeof options, .op_b = 'C'};
  const gla_pagemul_results results = {sizeof results, g->F};
  const gla_callbacks before = gla_silence (ctx);
  ctx->place = GLA_PLACE_CPU;
  const gla_array *left = g->wide ? &Y : &X, *right = g->wide ? &X : &Y;
  const gla_status status = mirrored ? gla_pagemul_mirrored (ctx, left, right, &results, &options)
                                     : gla_pagemul (ctx, left, right, &results, &options, NULL);
  ctx->place = place;
  ctx->callbacks = before;
  return status;
}

// Fills a page with a value that is not finite.
static void fill_page (const gla_array *F, int64_t page, const gla_fun_value *value)
{
  const int64_t parts = 1 + gla_type_is_complex (F->type);
  const double re = isnan (value->root) ? (double)NAN : value->re * (double)INFINITY;
  const double im = value->im == 0 ? 0 : value->im * (double)INFINITY;
  for (int64_t j = 0; j < F->columns; j++)
    for (int64_t i = 0; i < F->rows * parts; i++) {
      const int64_t at = (page * F->page_stride + j * F->column_stride) * parts + i;
      gla_put_number (F, at, parts == 2 && i % 2 == 1 ? im : re);
    }
}

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// The columns that count; the values of all others are 0.
static int64_t most_columns (const gla_fun_run *run, int64_t first, int64_t pages)
{
  const gla_pagefun_options *o = &run->o;
  int64_t most = 1;
  if (run->rule.fun != GLA_FUN_OCCUPIED)
    return run->rule.n;
  for (int64_t p = 0; p < pages; p++) {
    const int64_t k = o->occupied[o->occupied_count > 1 ? first + p : 0];
    most = k > most ? k : most;
  }
  return most;
}

// Pages from .. end-1 of a group of small ones, values and products.
static void do_small (void *user, int64_t from, int64_t end)
{
  const fun_group *g = user;
  const gla_fun_run *run = g->run;
  const int64_t n = run->rule.n;
  for (int64_t p = from; p < end; p++) {
    gla_fun_value values[GLA_CPU_FUN_SMALL];
    if (gla_fun_page (&run->rule, page_of (&g->lambda, p), g->first + p, values,
                      &run->info[g->first + p]) == GLA_FUN_FAILED)
      fill_page (&g->F, p, values);
    else
      run->kernels.kernel->page (page_of (&g->V, p), page_of (&g->F, p), g->F.column_stride,
                                 g->wide, n, values);
  }
}

static gla_status do_large (fun_group *g)
{
  gla_fun_run *run = g->run;
  const int64_t n = run->rule.n, first = g->first, count = g->F.pages;
  gla_pool_ranges (count, PIECE_NUMBERS / (8 * n) + 1, find_values, g);
  g->turned = (g->has & GLA_FUN_PHASES) != 0 || g->wide;
  if (g->turned && run->Y.data == NULL)
    run->Y = gla_take_pages (g->F.type, n, n, run->count);
  if (g->turned && run->Y.data == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_pool_ranges (count, PIECE_NUMBERS / (n * n) + 1, scale_vectors, g);
  const gla_status status = multiply (g, most_columns (run, first, count));
  for (int64_t p = 0; (g->has & GLA_FUN_FAILED) != 0 && status == GLA_OK && p < count; p++)
    if (run->info[first + p] != 0)
      fill_page (&g->F, p, &run->values[p * n]);
  return status;
}

//------------------------------------------------------------------------------
// products by one thread each
//------------------------------------------------------------------------------

int gla_fun_alone (const gla_fun_run *run)
{
  const int64_t n = run->rule.n;
  return n > GLA_CPU_FUN_SMALL && n <= ALONE_MAX &&
         (n <= ALONE_FEW_MAX || run->F.pages >= 2 * gla_pool_threads ());
}

int gla_fun_in_place (const gla_fun_run *run)
{
  return run->rule.n >= IN_PLACE_MIN && gla_fun_alone (run);
}

// A group in pieces of some pages. A thread takes values, X and Y of a piece to its workspace, and
// writes the products over V.
typedef struct {
  const fun_group *g;
  gla_pagemul_job job;
  int64_t length;            // pages of a piece
  int64_t pieces, ranges;    // they are taken from each range in turn
  size_t values, x, y, work; // where these begin in a workspace
  size_t bytes;              // of a workspace
  char *memory;
} fun_pieces;

// X*Y' of the pages of a piece; has: what is among their values.
static void multiply_piece (const fun_pieces *t, const gla_array *F, int has, char *memory)
{
  static const int64_t one = 1;
  const fun_group *g = t->g;
  const int64_t n = g->run->rule.n;
  gla_array X = gla_array_packed (memory + t->x, g->V.type, n, n, F->pages, GLA_DEVICE_HOST);
  gla_array Y = gla_array_packed (memory + t->y, F->type, n, n, F->pages, GLA_DEVICE_HOST);
  X.columns = Y.columns = t->job.k;
  const int turned = (has & GLA_FUN_PHASES) != 0 || g->wide;
  gla_pagemul_job job = t->job;
  gla_pagemul_chunk chunk = {.C = *F, .A = g->wide ? Y : X, .B = turned && !g->wide ? Y : X};
  job.a_complex = gla_type_is_complex (chunk.A.type);
  job.b_complex = gla_type_is_complex (chunk.B.type);
  job.hermitian = g->wide ? n >= SYMMETRIC_FROM : !(has & GLA_FUN_COMPLEX);
  job.dims = 1;
  job.dim_size = &F->pages;
  job.a_step = job.b_step = &one;
  g->run->kernels.pages (&job, &chunk, 0, F->pages, memory + t->work);
}

// The place of so many bytes in a workspace.
static size_t place (size_t *at, size_t bytes)
{
  const size_t here = *at;
  *at += (bytes + 63) / 64 * 64;
  return here;
}

// The i-th piece to be taken. Pieces are dealt in the ranges per thread of cpu/batch.c, so that a
// thread mostly finds the eigenvectors in its cache.
static int64_t piece_of (const fun_pieces *t, int64_t i)
{
  const int64_t range = i % t->ranges, longer = t->pieces % t->ranges;
  return range * (t->pieces / t->ranges) + (range < longer ? range : longer) + i / t->ranges;
}

static void do_piece (void *user, int64_t i, int slot)
{
  const fun_pieces *t = user;
  const int64_t piece = piece_of (t, i);
  const fun_group *g = t->g;
  const gla_fun_run *run = g->run;
  const int64_t n = run->rule.n, from = piece * t->length;
  const int64_t count = g->F.pages - from < t->length ? g->F.pages - from : t->length;
  const gla_array F = gla_array_pages (&g->F, from, count);
  char *memory = t->memory + (size_t)slot * t->bytes;
  gla_fun_value *values = (gla_fun_value *)(memory + t->values);
  int32_t *info = run->info + g->first + from;
  int has = 0;
  for (int64_t p = 0; p < count; p++)
    has |= gla_fun_page (&run->rule, page_of (&g->lambda, from + p), g->first + from + p,
                         values + p * n, &info[p]);
  const size_t x = (size_t)(n * n) * gla_type_size (g->V.type);
  const size_t y = (size_t)(n * n) * gla_type_size (g->F.type);
  const int turned = (has & GLA_FUN_PHASES) != 0 || g->wide;
  for (int64_t p = 0; p < count; p++)
    run->kernels.kernel->factors (
        page_of (&g->V, from + p), g->V.column_stride, memory + t->x + (size_t)p * x,
        turned ? memory + t->y + (size_t)p * y : NULL, g->wide, n, values + p * n);
  multiply_piece (t, &F, has, memory);
  for (int64_t p = 0; (has & GLA_FUN_FAILED) != 0 && p < count; p++)
    if (info[p] != 0)
      fill_page (&F, p, &values[p * n]);
}

static gla_status do_pieces (fun_group *g)
{
  const gla_fun_run *run = g->run;
  const int64_t n = run->rule.n, pages = g->F.pages, most = gla_pool_threads ();
  const size_t x = (size_t)(n * n) * gla_type_size (g->V.type);
  const size_t y = (size_t)(n * n) * gla_type_size (g->F.type);
  fun_pieces t = {.g = g,
                  .job = {.head = {.type = g->F.type},
                          .m = n,
                          .n = n,
                          .k = most_columns (run, g->first, pages),
                          .op_a = 'N',
                          .op_b = 'C'}};
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
  t.work = place (&at, run->kernels.workspace (&t.job));
  t.bytes = at;
  void *block = malloc ((size_t)threads * t.bytes + 64);
  if (block == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  t.memory = (char *)(((uintptr_t)block + 63) / 64 * 64);
  gla_pool_for (t.pieces, (int)threads, do_piece, &t);
  free (block);
  return GLA_OK;
}

gla_status gla_fun_products (gla_fun_run *run, int64_t first, int64_t count, const gla_array *V,
                             const gla_array *lambda)
{
  fun_group g = {.run = run,
                 .V = *V,
                 .lambda = *lambda,
                 .F = gla_array_pages (&run->F, first, count),
                 .first = first};
  g.wide = g.F.type != V->type;
  if (gla_fun_alone (run))
    return do_pieces (&g);
  if (run->rule.n > GLA_CPU_FUN_SMALL)
    return do_large (&g);
  gla_pool_ranges (count, SMALL_PAGES, do_small, &g);
  return GLA_OK;
}
