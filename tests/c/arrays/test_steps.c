// test_steps.c: arguments of gla_elementwise_steps, gla_sort and gla_take_triangle
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Linked with its own list of backends: a GPU that computes nothing, and answers as `answer` says.

#include "frame/cpu_as_gpu.h"
#include "frame/check.h"
#include "arrays/job.h"
#include "backend.h"

#include <string.h>

static gla_nd_ops nd_ops;
static gla_status answer;
static int calls;
static int64_t diagonals[2];
static float x[8];

static void watch (gla_engine *engine, const gla_monitor *monitor)
{
  (void)engine, (void)monitor;
}
static gla_status steps (gla_engine *engine, const gla_nd_steps *program, int *outside)
{
  (void)engine, (void)program, (void)outside;
  calls++;
  return answer;
}
static gla_status sort (gla_engine *engine, const gla_slices *slices, int descending, void *to,
                        double *index)
{
  (void)engine, (void)slices, (void)descending, (void)to, (void)index;
  calls++;
  return answer;
}

static gla_status triangle (gla_engine *engine, const gla_nd *to, const gla_nd *from, int64_t first,
                            int64_t last)
{
  (void)engine, (void)to, (void)from;
  diagonals[0] = first;
  diagonals[1] = last;
  calls++;
  return GLA_OK;
}

// y = x0 + x1, and whether x0 > x1, for a column x0 and a number x1.
typedef struct {
  gla_nd inputs[10], outputs[5];
  gla_nd_step steps[3];
  int results[5];
  gla_nd_steps p;
} program;

static gla_nd column (int type)
{
  return (gla_nd){.data = x, .type = type, .dims = 1, .size = {4}, .step = {1}};
}

static void make (program *q)
{
  *q = (program){.inputs = {column (GLA_TYPE_S), {.type = GLA_TYPE_D}},
                 .outputs = {column (GLA_TYPE_S), column (GLA_LOGICAL)},
                 .steps = {{GLA_ND_ADD, GLA_TYPE_S, 0, 1, 0}, {GLA_ND_GT, GLA_LOGICAL, 0, 1, 0}},
                 .results = {2, 3}};
  q->p = (gla_nd_steps){sizeof q->p, q->inputs, 2, q->steps, 2, q->results, q->outputs, 2};
}

static void refused (gla_context *ctx, const program *q, const char *says)
{
  const int before = calls;
  const gla_status status = gla_elementwise_steps (ctx, 0, &q->p, NULL);
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), says) != NULL &&
             calls == before,
         "%s: status %d, \"%s\"", says, (int)status, gla_message (ctx));
}

static void test_counts (gla_context *ctx)
{
  program q;
  const struct {
    int inputs, steps, outputs;
  } bad[] = {{-1, 2, 2}, {GLA_ND_INPUTS + 1, 2, 2}, {2, -1, 2}, {2, GLA_ND_STEPS + 1, 2},
             {2, 2, 0},  {2, 2, GLA_ND_OUTPUTS + 1}};
  for (int k = 0; k < (int)(sizeof bad / sizeof *bad); k++) {
    make (&q);
    q.p.input_count = bad[k].inputs;
    q.p.step_count = bad[k].steps;
    q.p.output_count = bad[k].outputs;
    refused (ctx, &q, "at most 24, 192 and 4 are allowed");
  }
  make (&q);
  q.p.inputs = NULL;
  refused (ctx, &q, "program->inputs must not be NULL");
  make (&q);
  q.p.steps = NULL;
  refused (ctx, &q, "program->steps must not be NULL");
  make (&q);
  q.p.results = NULL;
  refused (ctx, &q, "program->results must not be NULL");
  make (&q);
  q.p.outputs = NULL;
  refused (ctx, &q, "program->outputs must not be NULL");
  make (&q);
  q.p.size = 0;
  refused (ctx, &q, "the size of program is 0");
}

static void test_arrays (gla_context *ctx)
{
  program q;
  make (&q);
  q.inputs[0].size[0] = 3;
  refused (ctx, &q, "an input does not have the sizes");
  make (&q);
  q.outputs[1].size[0] = 5;
  refused (ctx, &q, "outputs have different sizes");
  make (&q);
  q.outputs[1].data = NULL;
  refused (ctx, &q, "output 2 has no data");
  make (&q);
  q.outputs[0].data = NULL;
  q.outputs[0].dims = 9;
  refused (ctx, &q, "an output has 9 dimensions");
  make (&q);
  for (int k = 0; k < 9; k++)
    q.inputs[k] = column (GLA_TYPE_S);
  q.p.input_count = 9;
  refused (ctx, &q, "9 inputs are arrays, at most 8");
}

static void test_steps (gla_context *ctx)
{
  program q;
  make (&q);
  q.steps[0].op = GLA_ND_SELECT + 1;
  refused (ctx, &q, "step 1 has op");
  make (&q);
  q.steps[1].y = 3;
  refused (ctx, &q, "step 2 has an operand that is not before it");
  make (&q);
  q.steps[1].x = -1;
  refused (ctx, &q, "step 2 has an operand that is not before it");
  make (&q);
  q.steps[0] = (gla_nd_step){GLA_ND_SELECT, GLA_TYPE_S, 0, 1, 7};
  refused (ctx, &q, "step 1 has an operand that is not before it");
  make (&q);
  q.steps[0].type = GLA_TYPE_D;
  refused (ctx, &q, "step 1 has type 'd'");
  make (&q);
  q.inputs[1].type = GLA_TYPE_Z;
  q.steps[0] = (gla_nd_step){GLA_ND_ATAN2, GLA_TYPE_S, 0, 1, 0};
  refused (ctx, &q, "step 1 has type 's'");
  make (&q);
  q.results[1] = 4;
  refused (ctx, &q, "results[1] = 4 is not a value");
  make (&q);
  q.outputs[1].type = GLA_TYPE_S;
  refused (ctx, &q, "output 2 has type 's', its value 'b'");
  q.p = (gla_nd_steps){.size = 3};
  refused (ctx, &q, "size of program");
}

// A double array in a single step, a logical array with a number in double, a number as a result.
static void test_precisions (gla_context *ctx)
{
  const char *says = "values of both precisions";
  program q;
  make (&q);
  q.inputs[0].type = GLA_TYPE_D;
  q.inputs[1].type = GLA_TYPE_S;
  refused (ctx, &q, says);
  make (&q);
  q.inputs[2] = column (GLA_LOGICAL);
  q.p.input_count = 3;
  q.steps[1] = (gla_nd_step){GLA_ND_EQ, GLA_LOGICAL, 2, 1, 0};
  q.results[0] = 3;
  q.results[1] = 4;
  refused (ctx, &q, says);
  make (&q);
  q.results[1] = 1;
  q.outputs[1].type = GLA_TYPE_D;
  refused (ctx, &q, says);
}

static void test_answers (gla_context *ctx)
{
  program q;
  int outside = 1;
  make (&q);
  answer = GLA_OK;
  calls = 0;
  CHECK (gla_elementwise_steps (ctx, 0, &q.p, &outside) == GLA_OK && calls == 1 && outside == 0,
         "%s", gla_message (ctx));
  q.inputs[0].size[0] = q.outputs[0].size[0] = q.outputs[1].size[0] = 0;
  CHECK (gla_elementwise_steps (ctx, 0, &q.p, NULL) == GLA_OK && calls == 1, "no elements");
  make (&q);
  answer = GLA_ERROR_BAD_ARGUMENT;
  CHECK (gla_elementwise_steps (ctx, 0, &q.p, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             strstr (gla_message (ctx), "more values at the same time") != NULL,
         "%s", gla_message (ctx));
}

static void sort_answers (gla_context *ctx, gla_slices slices, gla_status status, const char *says)
{
  const gla_status got = gla_sort (ctx, 0, &slices, 0, x, NULL);
  CHECK (got == status && strstr (gla_message (ctx), says) != NULL, "%s: status %d, \"%s\"", says,
         (int)got, gla_message (ctx));
}

static void test_sort (gla_context *ctx)
{
  const gla_slices good = {x, GLA_TYPE_S, 1, 4, 2};
  calls = 0;
  sort_answers (ctx, (gla_slices){x, GLA_TYPE_S, 2, 2, 2}, GLA_ERROR_BAD_ARGUMENT,
                "slices have inner = 2");
  sort_answers (ctx, (gla_slices){NULL, GLA_TYPE_S, 1, 2, 2}, GLA_ERROR_BAD_ARGUMENT,
                "slices->x must not be NULL");
  answer = GLA_OK;
  sort_answers (ctx, (gla_slices){NULL, GLA_TYPE_S, 1, 0, 2}, GLA_OK, "");
  CHECK (calls == 0, "%d calls", calls);
  sort_answers (ctx, good, GLA_OK, "");
  CHECK (calls == 1, "%d calls", calls);
  answer = GLA_ERROR_BAD_ARGUMENT;
  sort_answers (ctx, good, answer, "slices of 4 elements are too long");
  answer = GLA_ERROR_OUT_OF_MEMORY;
  sort_answers (ctx, good, answer, "has no room to sort 4x2 elements");
}

// Diagonals that a backend may add to rows and columns, and rows that it can count.
static void test_triangle (gla_context *ctx)
{
  gla_nd a = {.data = x, .type = GLA_TYPE_S, .dims = 2, .size = {2, 3}, .step = {1, 2}};
  const int64_t given[][4] = {{INT64_MIN, 1, -5, 1}, {-1, INT64_MAX, -1, 5}, {6, 7, 5, 5}};
  for (int k = 0; k < (int)(sizeof given / sizeof *given); k++)
    CHECK (gla_take_triangle (ctx, 0, &a, &a, given[k][0], given[k][1]) == GLA_OK &&
               diagonals[0] == given[k][2] && diagonals[1] == given[k][3],
           "case %d: diagonals %lld to %lld", k, (long long)diagonals[0], (long long)diagonals[1]);
  a.size[0] = (int64_t)1 << 31;
  a.size[1] = 1;
  calls = 0;
  CHECK (gla_take_triangle (ctx, 0, &a, &a, 0, 1) == GLA_ERROR_BAD_ARGUMENT && calls == 0 &&
             strstr (gla_message (ctx), "2147483648 rows, it must have at most 2147483647") != NULL,
         "\"%s\"", gla_message (ctx));
}

int main (void)
{
  gla_context *ctx = NULL;
  make_gpu (GLA_BATCH_PAGENORM, gla_backend_cpu.batch[GLA_BATCH_PAGENORM]->submit,
            gla_backend_cpu.batch[GLA_BATCH_PAGENORM]->finish);
  nd_ops.watch = watch;
  nd_ops.steps = steps;
  nd_ops.sort = sort;
  nd_ops.triangle = triangle;
  gpu_backend.nd = &nd_ops;
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  test_counts (ctx);
  test_arrays (ctx);
  test_steps (ctx);
  test_precisions (ctx);
  test_answers (ctx);
  test_sort (ctx);
  test_triangle (ctx);
  gla_context_destroy (ctx);
  return check_report ("steps");
}
