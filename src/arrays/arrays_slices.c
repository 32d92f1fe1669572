// arrays_slices.c: reductions, scans, sorting and Fourier transforms of arrays that stay on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_types.h"
#include "common/status.h"
#include "device_memory.h"
#include "arrays/job.h"
#include "backend.h"

static gla_status check_slices (gla_context *ctx, const gla_slices *slices, const void *to)
{
  if (slices == NULL)
    return gla_nd_missing (ctx, "slices");
  if (!gla_nd_is_type (slices->type) || slices->inner < 0 || slices->n < 0 || slices->outer < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "slices are %lldx%lldx%lld of type %d",
                     (long long)slices->inner, (long long)slices->n, (long long)slices->outer,
                     slices->type);
  if (slices->inner * slices->outer > 0 && to == NULL)
    return gla_nd_missing (ctx, "to");
  if (slices->inner * slices->outer * slices->n > 0 && slices->x == NULL)
    return gla_nd_missing (ctx, "slices->x");
  return GLA_OK;
}

// Opens the GPU and checks the slices.
static gla_status begin (gla_context *ctx, int device, const gla_slices *slices, const void *to,
                         gla_engine **engine)
{
  GLA_TRY (gla_nd_begin (ctx, device, engine));
  return check_slices (ctx, slices, to);
}

gla_status gla_reduce (gla_context *ctx, int device, gla_reduction op, const gla_slices *slices,
                       void *to, double *index)
{
  gla_engine *engine;
  GLA_TRY (begin (ctx, device, slices, to, &engine));
  const int extreme = op == GLA_REDUCE_MAX || op == GLA_REDUCE_MIN;
  if ((int)op < 0 || op > GLA_REDUCE_MIN)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "op = %d is not a gla_reduction", (int)op);
  if (extreme && (slices->n == 0 || slices->type == GLA_LOGICAL))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "there is no extreme of slices of %lld elements of type '%c'",
                     (long long)slices->n, slices->type);
  if (slices->inner * slices->outer == 0)
    return GLA_OK;
  return gla_nd_end (ctx, device,
                     engine->backend->nd->reduce (engine, op, slices, to, extreme ? index : NULL));
}

gla_status gla_scan (gla_context *ctx, int device, gla_reduction op, const gla_slices *slices,
                     void *to)
{
  gla_engine *engine;
  GLA_TRY (begin (ctx, device, slices, to, &engine));
  if (op != GLA_REDUCE_SUM && op != GLA_REDUCE_PROD)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "op = %d, it must be GLA_REDUCE_SUM or GLA_REDUCE_PROD", (int)op);
  if (slices->inner * slices->outer * slices->n == 0)
    return GLA_OK;
  return gla_nd_end (ctx, device, engine->backend->nd->scan (engine, op, slices, to));
}

gla_status gla_sort (gla_context *ctx, int device, const gla_slices *slices, int descending,
                     void *to, double *index)
{
  gla_engine *engine;
  GLA_TRY (begin (ctx, device, slices, to, &engine));
  if (slices->inner != 1)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "slices have inner = %lld, it must be 1",
                     (long long)slices->inner);
  if (slices->outer * slices->n == 0)
    return GLA_OK;
  gla_status status = engine->backend->nd->sort (engine, slices, descending, to, index);
  if (status == GLA_ERROR_BAD_ARGUMENT)
    return gla_fail (ctx, status, "slices of %lld elements are too long to be sorted",
                     (long long)slices->n);
  if (status == GLA_ERROR_OUT_OF_MEMORY)
    return gla_fail (ctx, status, "device %d has no room to sort %lldx%lld elements", device,
                     (long long)slices->n, (long long)slices->outer);
  return gla_nd_end (ctx, device, status);
}

//------------------------------------------------------------------------------
// Fourier transforms
//------------------------------------------------------------------------------

// Returns the elements as real numbers, so that a division by n keeps infinities.
static gla_nd parts_of (const gla_slices *slices, void *data)
{
  return (gla_nd){.data = data,
                  .type = slices->type == GLA_TYPE_C ? GLA_TYPE_S : GLA_TYPE_D,
                  .dims = 1,
                  .size = {2 * slices->inner * slices->n * slices->outer},
                  .step = {1}};
}

static gla_status transform (gla_engine *engine, const gla_slices *slices, int inverse, void *to)
{
  const gla_nd_ops *ops = engine->backend->nd;
  const gla_status status = ops->fft (engine, slices, inverse, to);
  if (status != GLA_OK || !inverse || slices->n == 1)
    return status;
  const gla_nd parts = parts_of (slices, to);
  const gla_nd n = {.type = parts.type, .value = {(double)slices->n}};
  return ops->elementwise (engine, GLA_ND_DIV, &parts, &parts, &n, NULL);
}

gla_status gla_fft (gla_context *ctx, int device, const gla_slices *slices, int inverse, void *to)
{
  gla_engine *engine;
  GLA_TRY (begin (ctx, device, slices, to, &engine));
  if (slices->type != GLA_TYPE_C && slices->type != GLA_TYPE_Z)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "slices have type '%c', those of a transform must be complex", slices->type);
  if (slices->inner * slices->outer * slices->n == 0)
    return GLA_OK;
  gla_status status = transform (engine, slices, inverse, to);
  if (status == GLA_ERROR_NO_LIBRARY)
    return gla_fail (ctx, status,
                     "transforms on device %d need cuFFT of the CUDA Toolkit (libcufft), which is "
                     "missing or does not serve this GPU",
                     device);
  if (status == GLA_ERROR_BAD_ARGUMENT)
    return gla_fail (ctx, status, "cuFFT has no transforms of %lldx%lldx%lld slices",
                     (long long)slices->inner, (long long)slices->n, (long long)slices->outer);
  if (status == GLA_ERROR_OUT_OF_MEMORY)
    return gla_fail (ctx, status, "device %d has no room for transforms of %lldx%lldx%lld slices",
                     device, (long long)slices->inner, (long long)slices->n,
                     (long long)slices->outer);
  return gla_nd_end (ctx, device, status);
}
