// arrays_steps.c: several operations on single elements in one pass
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_checks.h"
#include "common/status.h"
#include "structs.h"
#include "arrays/job.h"
#include "backend.h"

#include <string.h>

static gla_status check_counts (gla_context *ctx, const gla_nd_steps *p)
{
  if (p->input_count < 0 || p->input_count > GLA_ND_INPUTS || p->step_count < 0 ||
      p->step_count > GLA_ND_STEPS || p->output_count < 1 || p->output_count > GLA_ND_OUTPUTS)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "program has %d inputs, %d steps and %d outputs, at most %d, %d and %d are "
                     "allowed, and at least one output",
                     p->input_count, p->step_count, p->output_count, GLA_ND_INPUTS, GLA_ND_STEPS,
                     GLA_ND_OUTPUTS);
  if (p->input_count > 0 && p->inputs == NULL)
    return gla_nd_missing (ctx, "program->inputs");
  if (p->step_count > 0 && p->steps == NULL)
    return gla_nd_missing (ctx, "program->steps");
  if (p->results == NULL)
    return gla_nd_missing (ctx, "program->results");
  return p->outputs == NULL ? gla_nd_missing (ctx, "program->outputs") : GLA_OK;
}

static int same_sizes (const gla_nd *a, const gla_nd *b)
{
  int same = a->dims == b->dims;
  for (int d = 0; same && d < a->dims; d++)
    same = a->size[d] == b->size[d];
  return same;
}

static gla_status check_arrays (gla_context *ctx, const gla_nd_steps *p)
{
  gla_status status = GLA_OK;
  for (int k = 0; k < p->output_count && status == GLA_OK; k++) {
    status = gla_nd_check_array (ctx, "an output", p->outputs + k);
    if (status == GLA_OK && p->outputs[k].data == NULL && !gla_nd_is_empty (p->outputs + k))
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "output %d has no data", k + 1);
    if (status == GLA_OK && !same_sizes (p->outputs + k, p->outputs))
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "outputs have different sizes");
  }
  int arrays = 0;
  for (int k = 0; k < p->input_count && status == GLA_OK; k++) {
    status = gla_nd_check_sizes (ctx, "an input", p->inputs + k, p->outputs);
    arrays += p->inputs[k].data != NULL;
  }
  if (status == GLA_OK && arrays > GLA_ND_ARRAYS)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%d inputs are arrays, at most %d are allowed",
                     arrays, GLA_ND_ARRAYS);
  return status;
}

static int type_of_value (const gla_nd_steps *p, int value)
{
  return value < p->input_count ? p->inputs[value].type : p->steps[value - p->input_count].type;
}

static gla_status check_step (gla_context *ctx, const gla_nd_steps *p, int k)
{
  const gla_nd_step *s = p->steps + k;
  const int two = gla_nd_takes_two (s->op), before = p->input_count + k;
  if (s->op < 0 || s->op > GLA_ND_SELECT)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "step %d has op %d", k + 1, s->op);
  if (s->x < 0 || s->x >= before || (two && (s->y < 0 || s->y >= before)) ||
      (s->op == GLA_ND_SELECT && (s->z < 0 || s->z >= before)))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "step %d has an operand that is not before it",
                     k + 1);
  const int x = type_of_value (p, s->x), y = two ? type_of_value (p, s->y) : x;
  const int type =
      s->op == GLA_ND_COPY && gla_nd_is_type (s->type) ? s->type : gla_nd_type_of (s->op, x, y);
  if (type == 0 || type != s->type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "step %d has type '%c', which does not belong to its operation and operands",
                     k + 1, s->type);
  return GLA_OK;
}

// The precisions of values and operations.
typedef struct {
  int single, is_double;
} precisions;

static void add_type (precisions *all, int type)
{
  all->single |= gla_nd_is_single (type);
  all->is_double |= type != GLA_LOGICAL && !gla_nd_is_single (type);
}

// A step has the precision of its operands: a single number makes it single.
static int type_of_operation (const gla_nd_steps *p, const gla_nd_step *s)
{
  const int x = type_of_value (p, s->x), y = gla_nd_takes_two (s->op) ? type_of_value (p, s->y) : x;
  return gla_nd_is_single (x) || gla_nd_is_single (y) ? GLA_TYPE_S : x == GLA_LOGICAL ? y : x;
}

// Checks that arrays, steps and results have one precision.
static gla_status check_types (gla_context *ctx, const gla_nd_steps *p)
{
  precisions all = {0, 0};
  for (int k = 0; k < p->input_count; k++)
    if (p->inputs[k].data != NULL)
      add_type (&all, p->inputs[k].type);
  for (int k = 0; k < p->step_count; k++)
    add_type (&all, type_of_operation (p, p->steps + k));
  for (int k = 0; k < p->output_count; k++)
    add_type (&all, p->outputs[k].type);
  if (all.single && all.is_double)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "program has values of both precisions");
  return GLA_OK;
}

static gla_status check_program (gla_context *ctx, const gla_nd_steps *p)
{
  gla_status status = check_counts (ctx, p);
  if (status == GLA_OK)
    status = check_arrays (ctx, p);
  for (int k = 0; k < p->step_count && status == GLA_OK; k++)
    status = check_step (ctx, p, k);
  if (status == GLA_OK)
    status = check_types (ctx, p);
  for (int k = 0; k < p->output_count && status == GLA_OK; k++) {
    const int value = p->results[k];
    if (value < 0 || value >= p->input_count + p->step_count)
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "results[%d] = %d is not a value", k, value);
    if (type_of_value (p, value) != p->outputs[k].type)
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "output %d has type '%c', its value '%c'",
                       k + 1, p->outputs[k].type, type_of_value (p, value));
  }
  return status;
}

gla_status gla_elementwise_steps (gla_context *ctx, int device, const gla_nd_steps *program,
                                  int *outside)
{
  gla_engine *engine;
  gla_nd_steps p;
  GLA_TRY (gla_nd_begin (ctx, device, &engine));
  if (!gla_take_struct (ctx, "program", program, &p, sizeof p))
    return GLA_ERROR_BAD_ARGUMENT;
  GLA_TRY (check_program (ctx, &p));
  if (outside != NULL)
    *outside = 0;
  if (gla_nd_is_empty (p.outputs))
    return GLA_OK;
  gla_status status = engine->backend->nd->steps (engine, &p, outside);
  if (status == GLA_ERROR_BAD_ARGUMENT)
    return gla_fail (ctx, status, "program needs more values at the same time than there is room");
  return gla_nd_end (ctx, device, status);
}
