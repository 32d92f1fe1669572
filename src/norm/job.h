// job.h: the work of gla_pagenorm on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_NORM_JOB_H
#define GPULINALG_NORM_JOB_H

#include "row.h"

// One job of norms. m, n >= 1.
typedef struct {
  gla_job head;
  int64_t m, n;
  gla_norm norm;
} gla_pagenorm_job;

typedef struct {
  union {
    gla_array arrays[2];
    struct {
      gla_array A, norms;
    };
  };
} gla_pagenorm_chunk;

#endif
