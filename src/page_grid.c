// page_grid.c: operations on the pages of two arrays: which pages meet, and checks of both
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "page_grid.h"

gla_page_grid gla_plain_grid (const gla_array *A, const gla_array *B, int64_t pages,
                              int64_t numbers[3])
{
  numbers[0] = pages;
  numbers[1] = A->pages == 1 ? 0 : 1;
  numbers[2] = B != NULL && B->pages == 1 ? 0 : 1;
  return (gla_page_grid){
      .dims = 1, .dim_size = numbers, .a_step = numbers + 1, .b_step = numbers + (B ? 2 : 1)};
}

static gla_status check_last (gla_context *ctx, const char *name, const gla_array *a, int64_t last)
{
  if (last < a->pages)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has %lld pages, page %lld is needed", name,
                   (long long)a->pages, (long long)last);
}

gla_status gla_check_grid (gla_context *ctx, const gla_array *A, const gla_array *B,
                           const char *name, const gla_array *result, const gla_page_grid *grid)
{
  const gla_page_grid *g = grid;
  int64_t pages = 1, last_a = 0, last_b = 0;
  if (g->dims < 0 || (g->dims > 0 && (!g->dim_size || !g->a_step || (B && !g->b_step))))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "dims = %d without sizes and steps", g->dims);
  for (int d = 0; d < g->dims; d++) {
    if (g->dim_size[d] < 0 || g->a_step[d] < 0 || (B && g->b_step[d] < 0))
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                       "dimension %d of the pages has a negative number", d);
    pages *= g->dim_size[d];
    last_a += (g->dim_size[d] - 1) * g->a_step[d];
    last_b += B ? (g->dim_size[d] - 1) * g->b_step[d] : 0;
  }
  if (pages != result->pages)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has %lld pages, it must have %lld", name,
                     (long long)result->pages, (long long)pages);
  if (pages == 0)
    return GLA_OK;
  const gla_status status = check_last (ctx, "A", A, last_a);
  return status == GLA_OK && B ? check_last (ctx, "B", B, last_b) : status;
}

gla_status gla_check_operand (gla_context *ctx, const char *name, const gla_array *a,
                              const char *result_name, const gla_array *result)
{
  GLA_TRY (gla_check_input (ctx, name, a));
  if (gla_type_real (a->type) != gla_type_real (result->type))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has type '%c', and %s has type '%c'", name,
                     (char)a->type, result_name, (char)result->type);
  GLA_TRY (gla_check_place (ctx, name, a, result_name, result));
  const gla_named_array arrays[] = {{name, a}, {result_name, result}};
  return gla_check_apart (ctx, arrays, 1, 2);
}

gla_status gla_check_op (gla_context *ctx, const char *name, char op)
{
  if (op == 'N' || op == 'T' || op == 'C')
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "op of %s is %d, it must be 'N', 'T' or 'C'", name,
                   op);
}
