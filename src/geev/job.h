// job.h: the work of gla_pageeig on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GEEV_JOB_H
#define GPULINALG_GEEV_JOB_H

#include "row.h"

// One job of gla_pageeig: A*V = V*diag (lambda), W'*A = diag (lambda)*W' of each page. n >= 1.
typedef struct {
  gla_job head;
  int64_t n;
  int right, left; // nonzero: V, W are wanted
  int balance;
} gla_geev_job;

// Pages of the job; V and W have NULL data if they are not wanted. info is that of
// gla_pageeig_results, set for every page; pages with nonzero info are NaN.
typedef struct {
  union {
    gla_array arrays[4];
    struct {
      gla_array A, lambda, V, W;
    };
  };
  int32_t *info;
} gla_geev_chunk;

#endif
