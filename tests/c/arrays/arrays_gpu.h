// arrays_gpu.h: a GPU for arrays that computes nothing, and checks of calls
// SPDX-License-Identifier: GPL-3.0-or-later
//
// It keeps what it was asked for, and answers as `answer` says.

#ifndef ARRAYS_GPU_H
#define ARRAYS_GPU_H

#include "frame/cpu_as_gpu.h"
#include "frame/check.h"
#include "arrays/job.h"
#include "backend.h"

#include <string.h>

static gla_nd_ops nd_ops;
static gla_status answer;
static int calls, open_engines;
static double x[24], y[24];
static gla_context *ctx;

// Of the last call.
static struct {
  const void *x, *to, *index;
  int op, count, store;
  int64_t n;
  gla_nd elements;
} asked;

static void watch (gla_engine *engine, const gla_monitor *monitor)
{
  (void)engine, (void)monitor;
}

static void query (gla_engine *engine, gla_memory_info *info)
{
  (void)engine;
  calls++;
  *info = (gla_memory_info){sizeof *info, 11, 22, 33};
}

static gla_status join (gla_engine *engine, const gla_nd *to, const gla_nd *from, int count)
{
  (void)engine;
  asked.x = from;
  asked.to = to;
  asked.count = count;
  calls++;
  return answer;
}

static gla_status reduce (gla_engine *engine, gla_reduction op, const gla_slices *slices, void *to,
                          double *index)
{
  (void)engine;
  asked.op = (int)op;
  asked.x = slices->x;
  asked.to = to;
  asked.index = index;
  calls++;
  return answer;
}

static gla_status scan (gla_engine *engine, gla_reduction op, const gla_slices *slices, void *to)
{
  return reduce (engine, op, slices, to, NULL);
}

static gla_status subscript (gla_engine *engine, const gla_nd *of, const gla_subscripts *s,
                             const gla_nd *elements, int store)
{
  (void)engine, (void)s;
  asked.x = of->data;
  asked.elements = *elements;
  asked.store = store;
  calls++;
  return answer;
}

// Three of them are found.
static gla_status find (gla_engine *engine, const void *mask, int64_t n, int64_t *list,
                        int64_t *count)
{
  (void)engine;
  asked.x = mask;
  asked.to = list;
  asked.n = n;
  *count = 3;
  calls++;
  return answer;
}

static gla_status open_counted (int device, gla_engine **engine)
{
  open_engines++;
  return open_gpu (device, engine);
}

static void close_counted (gla_engine *engine)
{
  open_engines--;
  gla_backend_cpu.close (engine);
}

// The status of a call with a bad argument; the backend has not been called since `before`.
static inline void refused (gla_status status, int before, const char *says)
{
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && strcmp (gla_message (ctx), says) == 0 &&
             calls == before,
         "%s: status %d, \"%s\", %d calls", says, (int)status, gla_message (ctx), calls - before);
}
#define REFUSED(call, says)                                                                        \
  do {                                                                                             \
    const int before_it = calls;                                                                   \
    const gla_status status_of_it = (call);                                                        \
    refused (status_of_it, before_it, says);                                                       \
  } while (0)

// A call that is all right, and whether the backend has to do something for it.
static inline void accepted (gla_status status, int more, const char *what)
{
  CHECK (status == GLA_OK && gla_message (ctx)[0] == '\0' && more,
         "%s: status %d, \"%s\", calls %d", what, (int)status, gla_message (ctx), more);
}
#define ACCEPTED(call, works, what)                                                                \
  do {                                                                                             \
    const int before_it = calls;                                                                   \
    const gla_status status_of_it = (call);                                                        \
    accepted (status_of_it, calls == before_it + (works), what);                                   \
  } while (0)

static inline gla_nd matrix (void *data, int type, int64_t rows, int64_t columns)
{
  return (gla_nd){
      .data = data, .type = type, .dims = 2, .size = {rows, columns}, .step = {1, rows}};
}

static inline void make_gpu_of_arrays (void)
{
  make_gpu (GLA_BATCH_PAGENORM, gla_backend_cpu.batch[GLA_BATCH_PAGENORM]->submit,
            gla_backend_cpu.batch[GLA_BATCH_PAGENORM]->finish);
  nd_ops.watch = watch;
  nd_ops.query = query;
  nd_ops.join = join;
  nd_ops.reduce = reduce;
  nd_ops.scan = scan;
  nd_ops.subscript = subscript;
  nd_ops.find = find;
  gpu_backend.open = open_counted;
  gpu_backend.close = close_counted;
  gpu_backend.nd = &nd_ops;
}

#endif
