// job.h: arrays that stay on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_JOB_H
#define GPULINALG_ARRAYS_JOB_H

#include "row.h"

// The functions of the same names in gpulinalg.h, whose arguments were checked. They enqueue;
// `put`, `get`, `wait`, `find` and what has a host result poll the monitor that `watch` has set.
typedef struct gla_nd_ops {
  void (*watch) (gla_engine *engine, const gla_monitor *monitor);
  gla_status (*take) (gla_engine *engine, size_t bytes, void **memory);
  void (*give) (gla_engine *engine, void *memory);
  void (*query) (gla_engine *engine, gla_memory_info *info);
  gla_status (*put) (gla_engine *engine, void *to, const void *from, size_t bytes);
  gla_status (*get) (gla_engine *engine, void *to, const void *from, size_t bytes);
  gla_status (*wait) (gla_engine *engine);
  gla_status (*elementwise) (gla_engine *engine, gla_nd_op op, const gla_nd *to, const gla_nd *x,
                             const gla_nd *y, int *outside);
  gla_status (*steps) (gla_engine *engine, const gla_nd_steps *program, int *outside);
  gla_status (*join) (gla_engine *engine, const gla_nd *to, const gla_nd *from, int count);
  gla_status (*triangle) (gla_engine *engine, const gla_nd *to, const gla_nd *x, int64_t first,
                          int64_t last);
  gla_status (*reduce) (gla_engine *engine, gla_reduction op, const gla_slices *slices, void *to,
                        double *index);
  gla_status (*scan) (gla_engine *engine, gla_reduction op, const gla_slices *slices, void *to);
  // Copies x(s) to `elements`, or with `store` the other way round.
  gla_status (*subscript) (gla_engine *engine, const gla_nd *x, const gla_subscripts *s,
                           const gla_nd *elements, int store);
  gla_status (*find) (gla_engine *engine, const void *mask, int64_t n, int64_t *list,
                      int64_t *count);
  // Returns GLA_ERROR_BAD_ARGUMENT if slices are too long.
  gla_status (*sort) (gla_engine *engine, const gla_slices *slices, int descending, void *to,
                      double *index);
  // Does not divide by n. Returns GLA_ERROR_BAD_ARGUMENT if there is no such transform.
  gla_status (*fft) (gla_engine *engine, const gla_slices *slices, int inverse, void *to);
  // Copies bytes of another engine of the backend, which has finished its work on them, to this
  // one.
  gla_status (*fetch) (gla_engine *engine, void *to, gla_engine *other, const void *from,
                       size_t bytes);
} gla_nd_ops;

#endif
