// gpu_page_tests.h: tests with pages on a GPU, run by test_device
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPU_PAGE_TESTS_H
#define GPU_PAGE_TESTS_H

#include "gpulinalg.h"

#ifdef __cplusplus
extern "C" {
#endif

// Each prints a line of counts and returns whether one has failed.
int gpu_products (void);
int gpu_product_bits (void);
int gpu_product_repeats (void);
int gpu_solves (const char *types);
int gpu_solve_bits (const char *types);
int gpu_norms (void);
int gpu_diags (void);
int gpu_phases (void);
int gpu_parts (const char *types);
int gpu_intervals (const char *types);
int gpu_funs (void);
int gpu_svds (const char *types);
int gpu_large_svds (const char *types);
int gpu_pairs (const char *types);
int gpu_pair_intervals (const char *types);
int gpu_qr (void);
int gpu_teams (const char *types);
int gpu_stops (void);

// Whether the GPU, or the code that runs on it, is of a compute capability before 8.0 (in
// test_device.cu): there some kernels lack shared memory or asynchronous copies.
int gpu_is_limited (void);

#ifdef __cplusplus
}
#endif

// The tests keep their arrays on the first GPU, the current one of their thread. Calls that share
// pages between several GPUs leave another one current.
static inline gla_status use_first_gpu (gla_context *context)
{
  const int first = 0;
  return gla_set_place (context, GLA_PLACE_LIST, &first, 1);
}

#endif
