// gpu_nd.h: arrays that stay on a GPU, one run of their functions on the stand-in
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPU_ND_H
#define GPU_ND_H

#include "gpu_runs.h"
#include "arrays/job.h"

typedef struct {
  const gla_nd_ops *ops;
  gla_engine *engine;
  void *taken[8];
  int count;
} nd_run;

static gla_status nd_take (nd_run *r, size_t bytes, void **memory)
{
  const gla_status status = r->ops->take (r->engine, bytes, memory);
  if (status == GLA_OK)
    r->taken[r->count++] = *memory;
  return status;
}

static gla_nd nd_matrix (void *data, int type, int64_t rows, int64_t columns)
{
  return (gla_nd){
      .data = data, .type = type, .dims = 2, .size = {rows, columns}, .step = {1, rows}};
}

// y = |x| + sqrt (x), where one value is needed twice, and whether x > y.
static gla_status nd_program (nd_run *r, const gla_nd *x, const gla_nd *y, void *mask)
{
  const int type = x->type, real = type == GLA_TYPE_C   ? GLA_TYPE_S
                                   : type == GLA_TYPE_Z ? GLA_TYPE_D
                                                        : type;
  gla_nd positive = *x, outputs[2] = {*y, *y};
  positive.data = mask;
  positive.type = GLA_LOGICAL;
  outputs[1] = positive;
  const gla_nd inputs[] = {*x, {.type = GLA_TYPE_D, .value = {0, 0}}};
  const gla_nd_step steps[] = {{GLA_ND_ABS, real, 0, 0, 0},
                               {GLA_ND_SQRT, type, 0, 0, 0},
                               {GLA_ND_ADD, type, 2, 3, 0},
                               {GLA_ND_GT, GLA_LOGICAL, 0, 1, 0}};
  const int results[] = {4, 5};
  const gla_nd_steps program = {sizeof program, inputs, 2, steps, 4, results, outputs, 2};
  int outside = 0;
  return r->ops->steps (r->engine, &program, &outside);
}

// Transforms of slices side by side, at steps, and of many small pages.
static gla_status nd_transforms (nd_run *r, int type, int64_t rows, int64_t columns, void *x)
{
  const gla_slices slices[] = {
      {x, type, 1, rows, columns}, {x, type, rows, columns, 1}, {x, type, 7, rows / 7, columns}};
  gla_status status = GLA_OK;
  for (int k = 0; k < 3 && status == GLA_OK; k++)
    if (slices[k].inner * slices[k].n * slices[k].outer == rows * columns)
      status = r->ops->fft (r->engine, &slices[k], k % 2, x);
  return status;
}

// y = x column by column, which is more parts than a kernel takes where there are many; all of
// x as one part; and the upper triangle of x.
static gla_status nd_joins (nd_run *r, const gla_nd *x, const gla_nd *y)
{
  enum { MOST = 100 };
  gla_nd to[MOST], from[MOST];
  const int64_t count = x->size[1] < MOST ? x->size[1] : MOST,
                size = gla_type_size (x->type) + (x->type == 'b');
  for (int64_t k = 0; k < count; k++) {
    to[k] = *y;
    to[k].data = (char *)y->data + k * y->step[1] * size;
    to[k].size[1] = 1;
    from[k] = to[k];
    from[k].data = k % 3 == 0 ? NULL : (char *)x->data + k * x->step[1] * size;
  }
  gla_status status = r->ops->join (r->engine, to, from, (int)count);
  if (status == GLA_OK)
    status = r->ops->join (r->engine, y, x, 1);
  return status == GLA_OK ? r->ops->triangle (r->engine, y, x, -1, INT64_MAX / 4) : status;
}

// The first element is written again and again: 2^32 times, a count that 32 bits take for 0; and in
// three dimensions whose first two have too many for one kernel.
static gla_status nd_many (nd_run *r, const gla_nd *x)
{
  const gla_subscripts once[] = {{.count = (int64_t)1 << 32}},
                       in_parts[] = {{.count = 1 << 20}, {.count = 1 << 12}, {.count = 3}};
  gla_nd first = *x, number = *x;
  number.data = NULL;
  first.dims = number.dims = 1;
  gla_status status = r->ops->subscript (r->engine, &first, once, &number, 1);
  first.dims = number.dims = 3;
  first.size[2] = number.size[2] = 1;
  first.step[2] = number.step[2] = 0;
  const int64_t before = fake_cuda_launches ();
  if (status == GLA_OK)
    status = r->ops->subscript (r->engine, &first, in_parts, &number, 1);
  const int64_t launches = fake_cuda_launches () - before; // of 2^30 elements each
  CHECK (status != GLA_OK || launches == 12, "%lld kernels, not 12", (long long)launches);
  return status;
}

// Two columns of 2^31 elements, each more than a kernel counts, and a row that is added to them.
static gla_status nd_tall (nd_run *r, const gla_nd *x, void *mask)
{
  gla_nd tall = *x, row = *x;
  tall.size[0] = row.size[0] = tall.step[1] = (int64_t)1 << 31;
  tall.size[1] = row.size[1] = 2;
  tall.step[0] = row.step[1] = 1;
  row.step[0] = 0;
  const gla_status status = r->ops->elementwise (r->engine, GLA_ND_ADD, &tall, &tall, &row, NULL);
  return status == GLA_OK ? nd_program (r, &row, &tall, mask) : status;
}

// x of rows x columns is put there, worked on by each function, and brought back.
static gla_status nd_steps (nd_run *r, int type, int64_t rows, int64_t columns, void *host)
{
  const size_t size = type == GLA_LOGICAL ? 1 : gla_type_size ((gla_type)type);
  const size_t bytes = (size_t)(rows * columns) * size;
  void *x = NULL, *y = NULL, *wide = NULL, *list = NULL;
  gla_status status = nd_take (r, bytes, &x);
  if (status == GLA_OK)
    status = nd_take (r, bytes, &y);
  if (status == GLA_OK)
    status = nd_take (r, (size_t)(rows * columns) * 16, &wide);
  if (status == GLA_OK)
    status = nd_take (r, (size_t)(rows * columns) * sizeof (int64_t), &list);
  if (status == GLA_OK)
    status = r->ops->put (r->engine, x, host, bytes);
  const gla_nd a = nd_matrix (x, type, rows, columns), b = nd_matrix (y, type, rows, columns);
  gla_nd turned = nd_matrix (x, type, columns, rows), row = a;
  turned.step[0] = rows;
  turned.step[1] = 1;
  row.step[0] = 0;
  const gla_nd t = nd_matrix (y, type, columns, rows);
  int outside = 0;
  if (status == GLA_OK)
    status = r->ops->elementwise (r->engine, GLA_ND_COPY, &t, &turned, NULL, NULL);
  if (status == GLA_OK && type != GLA_LOGICAL)
    status = r->ops->elementwise (r->engine, GLA_ND_ADD, &b, &a, &row, NULL);
  if (status == GLA_OK && type != GLA_LOGICAL)
    status = r->ops->elementwise (r->engine, GLA_ND_SQRT, &b, &a, NULL, &outside);
  if (status == GLA_OK && type != GLA_LOGICAL)
    status = nd_program (r, &a, &b, wide);
  if (status == GLA_OK)
    status = nd_joins (r, &a, &b);
  const gla_slices along = {x, type, 1, rows, columns}, across = {x, type, rows, columns, 1};
  if (status == GLA_OK)
    status = r->ops->reduce (r->engine, GLA_REDUCE_SUM, &along, wide, NULL);
  if (status == GLA_OK && type != GLA_LOGICAL)
    status = r->ops->reduce (r->engine, GLA_REDUCE_MAX, &across, wide, list);
  if (status == GLA_OK)
    status = r->ops->scan (r->engine, GLA_REDUCE_SUM, &along, wide);
  if (status == GLA_OK && (type == GLA_TYPE_C || type == GLA_TYPE_Z))
    status = nd_transforms (r, type, rows, columns, y);
  if (status == GLA_OK)
    status = r->ops->sort (r->engine, &along, type == GLA_TYPE_S, wide, list);
  const gla_subscripts s[] = {{.list = list, .count = rows}, {.step = 1, .count = columns}};
  if (status == GLA_OK)
    status = r->ops->subscript (r->engine, &a, s, &b, 0);
  if (status == GLA_OK)
    status = r->ops->subscript (r->engine, &a, s, &b, 1);
  if (status == GLA_OK)
    status = nd_many (r, &a);
  if (status == GLA_OK && type != GLA_LOGICAL)
    status = nd_tall (r, &a, wide);
  int64_t found = 0;
  if (status == GLA_OK)
    status = r->ops->fetch (r->engine, y, r->engine, x, bytes);
  if (status == GLA_OK)
    status = r->ops->find (r->engine, x, rows * columns, list, &found);
  if (status == GLA_OK)
    status = r->ops->wait (r->engine);
  return status == GLA_OK ? r->ops->get (r->engine, host, y, bytes) : status;
}

// rows, columns, type. All memory is given back, and what is kept for more of it, too.
static gla_status run_nd (gla_engine *engine, const int *v)
{
  if (predict_only)
    return GLA_OK;
  nd_run r = {.ops = gpu->nd, .engine = engine};
  void *host = calloc ((size_t)v[0] * (size_t)v[1], 16);
  r.ops->watch (engine, &monitor);
  const gla_status status = nd_steps (&r, v[2], v[0], v[1], host);
  for (int k = 0; k < r.count; k++)
    r.ops->give (engine, r.taken[k]);
  gla_memory_info held;
  r.ops->query (engine, &held);
  CHECK (held.live == 0, "%lld bytes of arrays are left", (long long)held.live);
  CHECK (r.count == 0 || held.peak > 0, "no peak");
  free (host);
  return status;
}

#endif
