// pagefun_products.c: V*diag (f)*V' of a group of pages
// SPDX-License-Identifier: GPL-3.0-or-later
//
// X*Y', where X = V*sqrt (|f|) and Y = X times the conjugate phases of f. Elements of a product are
// sums in one order, so that an element and its mirror image are conjugate bit by bit where f is
// real, and the same for X*Y' and X*X'. So one triangle is computed there. Where V is real and f is
// not, the product is symmetric: that is conj (Y)*X.', whose right operand is real.

#include "arrays.h"
#include "batch/finish_pages.h"
#include "common/pool.h"
#include "pagefun_run.h"
#include "pagemul_run.h"

#include <math.h>

// Numbers that a thread scales at a time, small pages, and the order from which on one triangle of
// a symmetric product takes less time than both.
enum { PIECE_NUMBERS = 16384, SMALL_PAGES = 512, SYMMETRIC_FROM = 24 };

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

static void find_values (void *user, int64_t from, int64_t end)
{
  fun_group *g = user;
  const gla_fun_run *run = g->run;
  const int64_t n = run->rule.n;
  int has = 0;
  const size_t page = (size_t)n * gla_type_size (g->lambda.type);
  for (int64_t p = from; p < end; p++)
    has |= gla_fun_page (&run->rule, (const char *)g->lambda.data + (size_t)p * page, g->first + p,
                         run->values + p * n, &run->info[g->first + p]);
  __atomic_fetch_or (&g->has, has, __ATOMIC_RELAXED);
}

static void scale_vectors (void *user, int64_t from, int64_t end)
{
  const fun_group *g = user;
  const gla_fun_run *run = g->run;
  const int64_t n = run->rule.n;
  const gla_type type = g->V.type;
  const size_t page = (size_t)(n * n) * gla_type_size (type);
  const size_t page_y = (size_t)(n * n) * gla_type_size (g->F.type);
  for (int64_t p = from; p < end; p++)
    run->kernel->factors ((char *)g->V.data + (size_t)p * page,
                          g->turned ? (char *)run->Y.data + (size_t)p * page_y : NULL, g->wide, n,
                          run->values + p * n);
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
  const size_t vectors = (size_t)(n * n) * gla_type_size (g->V.type);
  const size_t numbers = (size_t)n * gla_type_size (g->lambda.type);
  const size_t result = (size_t)g->F.page_stride * gla_type_size (g->F.type);
  for (int64_t p = from; p < end; p++) {
    gla_fun_value values[GLA_CPU_FUN_SMALL];
    if (gla_fun_page (&run->rule, (const char *)g->lambda.data + (size_t)p * numbers, g->first + p,
                      values, &run->info[g->first + p]) == GLA_FUN_FAILED)
      fill_page (&g->F, p, values);
    else
      run->kernel->page ((const char *)g->V.data + (size_t)p * vectors,
                         (char *)g->F.data + (size_t)p * result, g->F.column_stride, g->wide, n,
                         values);
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

gla_status gla_fun_products (gla_fun_run *run, int64_t first, int64_t count, const gla_array *V,
                             const gla_array *lambda)
{
  fun_group g = {.run = run,
                 .V = *V,
                 .lambda = *lambda,
                 .F = gla_array_pages (&run->F, first, count),
                 .first = first};
  g.wide = g.F.type != V->type;
  if (run->rule.n > GLA_CPU_FUN_SMALL)
    return do_large (&g);
  gla_pool_ranges (count, SMALL_PAGES, do_small, &g);
  return GLA_OK;
}
