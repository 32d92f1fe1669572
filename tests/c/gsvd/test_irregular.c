// test_irregular.c: pairs that a GPU does not serve get the CPU's bits, the others keep the GPU's
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The GPU here is the CPU backend under another name, which calls some pages irregular.

#include "frame/cpu_as_gpu.h"
#include "gsvd_pairs.h"
#include "backend.h"
#include "gsvd/job.h"

enum { PAGES = 10 };

static const int32_t *first_info; // of page 0
static unsigned irregular;        // bit k: page k
static gla_gsvd_chunk at_work;

static gla_status submit (gla_engine *engine, int slot, const void *chunk)
{
  at_work = *(const gla_gsvd_chunk *)chunk;
  return gla_backend_cpu.batch[GLA_BATCH_GSVD]->submit (engine, slot, chunk);
}

// What an irregular page holds is not a result.
static void spoil (const gla_array *a, int64_t page)
{
  for (int64_t j = 0; j < a->columns && a->data != NULL; j++)
    for (int64_t i = 0; i < a->rows; i++)
      gsvd_set (a, i, j, page, NAN);
}

static gla_status finish (gla_engine *engine, int slot)
{
  const gla_status status = gla_backend_cpu.batch[GLA_BATCH_GSVD]->finish (engine, slot);
  for (int64_t k = 0; k < at_work.A.pages; k++)
    if (irregular >> (at_work.info + k - first_info) & 1) {
      at_work.info[k] = GLA_INFO_IRREGULAR;
      for (int x = GSVD_ALPHA; x < GSVD_ARRAYS; x++)
        spoil (&at_work.arrays[x], k);
    }
  return status;
}

static gsvd_page solve (const gsvd_call *c, gla_place place)
{
  gla_context *ctx;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_set_place (ctx, place, NULL, 0) == GLA_OK, "place: %s", gla_message (ctx));
  gsvd_page g = gsvd_page_new (c);
  fill_rank (&g, 0, least (c->m, c->p), c->p);
  fill_rank (&g, 1, least (c->n, c->p), c->p);
  first_info = g.info;
  gsvd_run (ctx, &g);
  CHECK (g.status == GLA_OK, "status %d: %s", g.status, gla_message (ctx));
  gla_context_destroy (ctx);
  return g;
}

// The pages of the mask are irregular: alone, side by side, across chunks, all of them.
static void test_pages (gla_type type, unsigned mask)
{
  gsvd_call c = {
      .type = type, .m = 9, .n = 8, .p = 7, .pages = PAGES, .gap = 2, .u = 1, .v = 1, .x = 1};
  irregular = 0;
  gsvd_page cpu = solve (&c, GLA_PLACE_CPU);
  irregular = mask;
  gsvd_page gpu = solve (&c, GLA_PLACE_GPU);
  for (int page = 0; page < PAGES; page++) {
    int same = gpu.info[page] == 0;
    for (int x = GSVD_ALPHA; x < GSVD_ARRAYS; x++)
      same &= same_page (&gpu.a[x], page, &cpu.a[x], page);
    CHECK (same, "%c, pages %x: page %d has info %d or other bits", type, mask, page,
           gpu.info[page]);
  }
  const int all = mask == (1u << PAGES) - 1;
  CHECK (gpu.report.base.device == (all ? GLA_DEVICE_HOST : 0), "%c, pages %x: device %d", type,
         mask, gpu.report.base.device);
  gsvd_page_free (&cpu);
  gsvd_page_free (&gpu);
}

int main (void)
{
  make_gpu (GLA_BATCH_GSVD, submit, finish);
  const unsigned masks[] = {0, 1, 0x226, 0x3f8, 0x200, (1u << PAGES) - 1};
  for (int k = 0; k < 6; k++) {
    test_pages (GLA_TYPE_D, masks[k]);
    test_pages (GLA_TYPE_C, masks[k]);
  }
  return check_report ("test_irregular");
}
