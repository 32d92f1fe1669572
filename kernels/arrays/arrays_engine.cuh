// arrays_engine.cuh: rows of the table that are in files of their own
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_ENGINE_CUH
#define GPULINALG_ARRAYS_ENGINE_CUH

#include "engine/engine.cuh"

gla_status nd_elementwise (gla_engine *engine, gla_nd_op op, const gla_nd *to, const gla_nd *x,
                           const gla_nd *y, int *outside);
gla_status nd_run_steps (gla_engine *engine, const gla_nd_steps *steps, int *outside);
gla_status nd_join (gla_engine *engine, const gla_nd *to, const gla_nd *from, int count);
gla_status nd_triangle (gla_engine *engine, const gla_nd *to, const gla_nd *x, int64_t first,
                        int64_t last);
gla_status nd_sort (gla_engine *engine, const gla_slices *x, int descending, void *to,
                    double *index);
gla_status nd_fft (gla_engine *engine, const gla_slices *x, int inverse, void *to);

#endif
