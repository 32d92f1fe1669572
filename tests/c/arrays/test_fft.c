// test_fft.c: arguments of gla_fft, and what it makes of the answers of a backend
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Linked with its own list of backends: a GPU that transforms nothing, and answers as `answer`
// says.

#include "frame/cpu_as_gpu.h"
#include "frame/check.h"
#include "arrays/job.h"
#include "backend.h"

#include <string.h>

static gla_nd_ops nd_ops;
static gla_status answer;
static int calls, divisions, open_engines;
static double divisor;
static int64_t divided;

static void watch (gla_engine *engine, const gla_monitor *monitor)
{
  (void)engine, (void)monitor;
}

static gla_status fft (gla_engine *engine, const gla_slices *slices, int inverse, void *to)
{
  (void)engine, (void)slices, (void)inverse, (void)to;
  calls++;
  return answer;
}

static gla_status elementwise (gla_engine *engine, gla_nd_op op, const gla_nd *to, const gla_nd *x,
                               const gla_nd *y, int *outside)
{
  (void)engine, (void)outside;
  divisions += op == GLA_ND_DIV && to->data == x->data && to->type == GLA_TYPE_S;
  divisor = y->value[0];
  divided = to->size[0];
  return GLA_OK;
}

static void close_gpu (gla_engine *engine)
{
  open_engines--;
  gla_backend_cpu.close (engine);
}

static gla_status open_counted (int device, gla_engine **engine)
{
  open_engines++;
  return open_gpu (device, engine);
}

static void make_gpu_of_arrays (void)
{
  make_gpu (GLA_BATCH_PAGENORM, gla_backend_cpu.batch[GLA_BATCH_PAGENORM]->submit,
            gla_backend_cpu.batch[GLA_BATCH_PAGENORM]->finish);
  nd_ops.watch = watch;
  nd_ops.fft = fft;
  nd_ops.elementwise = elementwise;
  gpu_backend.open = open_counted;
  gpu_backend.close = close_gpu;
  gpu_backend.nd = &nd_ops;
}

static void refused (gla_context *ctx, const gla_slices *slices, void *to, const char *says)
{
  const int before = calls;
  const gla_status status = gla_fft (ctx, 0, slices, 0, to);
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), says) != NULL &&
             calls == before,
         "%s: status %d, \"%s\"", says, (int)status, gla_message (ctx));
}

static void answers (gla_context *ctx, gla_status status, const char *says, int engines)
{
  float x[2] = {1, 2};
  const gla_slices slices = {x, GLA_TYPE_C, 1, 1, 1};
  answer = status;
  const gla_status got = gla_fft (ctx, 0, &slices, 1, x);
  CHECK (got == status && strstr (gla_message (ctx), says) != NULL && open_engines == engines,
         "%s: status %d, \"%s\", %d engines", says, (int)got, gla_message (ctx), open_engines);
}

int main (void)
{
  float x[12] = {1};
  gla_context *ctx = NULL;
  make_gpu_of_arrays ();
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  refused (ctx, NULL, x, "slices must not be NULL");
  refused (ctx, &(gla_slices){x, GLA_TYPE_C, 1, 2, 3}, NULL, "to must not be NULL");
  refused (ctx, &(gla_slices){NULL, GLA_TYPE_C, 1, 2, 3}, x, "slices->x must not be NULL");
  refused (ctx, &(gla_slices){x, GLA_TYPE_C, -1, 2, 3}, x, "slices are -1x2x3");
  refused (ctx, &(gla_slices){x, 'q', 1, 2, 3}, x, "slices are 1x2x3");
  refused (ctx, &(gla_slices){x, GLA_TYPE_S, 1, 2, 3}, x, "slices have type 's'");
  refused (ctx, &(gla_slices){x, GLA_LOGICAL, 1, 2, 3}, x, "slices have type 'b'");

  const gla_slices none = {NULL, GLA_TYPE_Z, 3, 0, 2}, some = {x, GLA_TYPE_C, 1, 3, 2};
  CHECK (gla_fft (ctx, 0, &none, 0, x) == GLA_OK && calls == 0, "slices without elements");
  CHECK (gla_fft (ctx, 0, &some, 0, x) == GLA_OK && calls == 1 && divisions == 0, "%d calls",
         calls);
  CHECK (gla_fft (ctx, 0, &some, 1, x) == GLA_OK && calls == 2 && divisions == 1 && divisor == 3 &&
             divided == 12,
         "%d divisions by %g", divisions, divisor);

  answers (ctx, GLA_ERROR_NO_LIBRARY, "need cuFFT", 1);
  answers (ctx, GLA_ERROR_BAD_ARGUMENT, "cuFFT has no transforms of 1x1x1", 1);
  answers (ctx, GLA_ERROR_OUT_OF_MEMORY, "has no room", 1);
  answers (ctx, GLA_ERROR_DEVICE_FAILURE, "the arrays on it are lost", 0);
  answer = GLA_OK;
  CHECK (gla_fft (ctx, 0, &some, 0, x) == GLA_ERROR_NO_DEVICE, "a GPU that failed");
  gla_context_destroy (ctx);
  return check_report ("fft");
}
