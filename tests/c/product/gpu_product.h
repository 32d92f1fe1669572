// gpu_product.h: a call of gla_pagemul with arrays on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPU_PRODUCT_H
#define GPU_PRODUCT_H

#include "device/gpu_pages.h"

static const gla_type pairs[][2] = {{'s', 's'}, {'d', 'd'}, {'c', 'c'}, {'z', 'z'},
                                    {'s', 'c'}, {'c', 's'}, {'d', 'z'}, {'z', 'd'}};
static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const char ops[] = "NTC";
enum { GAP = 3 };

static gla_context *ctx;

typedef struct {
  gla_type type_a, type_b;
  char op_a, op_b;
  int64_t m, n, k, pages;
  int gap, shift;
} product;

typedef struct {
  gla_array A, B, C;
} operands;

static inline operands operands_of (const product *q, int64_t pages_b)
{
  const int trans_a = q->op_a != 'N', trans_b = q->op_b != 'N';
  const gla_type type = gla_type_is_complex (q->type_a) ? q->type_a : q->type_b;
  operands o = {
      .A = make (q->type_a, trans_a ? q->k : q->m, trans_a ? q->m : q->k, q->pages, q->gap),
      .B = make (q->type_b, trans_b ? q->n : q->k, trans_b ? q->k : q->n, pages_b, q->gap),
      .C = make (type, q->m, q->n, q->pages, q->gap)};
  fill (&o.A, (unsigned long long)(q->m + 300 * q->k));
  fill (&o.B, (unsigned long long)(q->n + 300 * q->k + 7));
  return o;
}

static inline void release (operands *o)
{
  free (o->A.data);
  free (o->B.data);
  free (o->C.data);
}

static inline gla_status multiply (const gla_array *A, char op_a, const gla_array *B, char op_b,
                                   const gla_array *C)
{
  const gla_pagemul_options options = {.size = sizeof options, .op_a = op_a, .op_b = op_b};
  const gla_pagemul_results results = {sizeof results, *C};
  gla_pagemul_report report = {.base.size = sizeof report};
  const gla_status status = gla_pagemul (ctx, A, B, &results, &options, &report);
  if (status == GLA_OK && C->pages > 0 && C->rows > 0 && C->columns > 0)
    CHECK (report.base.device == 0, "a product of type %c was not made on the GPU", (char)C->type);
  return status;
}

static inline const char *name_of (const product *q)
{
  static char name[120];
  snprintf (name, sizeof name, "%c%c %c%c %lldx%lldx%lld gap %d shift %d", (char)q->type_a,
            (char)q->type_b, q->op_a, q->op_b, (long long)q->m, (long long)q->n, (long long)q->k,
            q->gap, q->shift);
  return name;
}

#endif
