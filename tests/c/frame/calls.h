// calls.h: calls whose results are arrays by themselves, for C and C++
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef CALLS_H
#define CALLS_H

#include "gpulinalg.h"

// V may be NULL.
static inline gla_status call_batcheig (gla_context *ctx, const gla_array *A,
                                        const gla_array *lambda, const gla_array *V, int32_t *info,
                                        const gla_eig_options *options, gla_eig_report *report)
{
  const gla_array none = gla_array_packed (NULL, GLA_TYPE_D, 0, 0, 0, GLA_DEVICE_HOST);
  const gla_eig_results results = {
      .size = sizeof results, .lambda = *lambda, .V = V != NULL ? *V : none, .info = info};
  return gla_batcheig (ctx, A, &results, options, report);
}

static inline gla_status call_least_squares (gla_context *ctx, const gla_array *A,
                                             const gla_array *B, const gla_array *X, int32_t *info,
                                             const gla_qr_options *options,
                                             gla_least_squares_report *report)
{
  const gla_least_squares_results results = {sizeof results, *X, info};
  return gla_least_squares (ctx, A, B, &results, options, report);
}

static inline gla_eig_options eig_options (gla_eig_method method, gla_triangle triangle)
{
  const gla_eig_options options = {.size = sizeof options, .method = method, .triangle = triangle};
  return options;
}

#endif
