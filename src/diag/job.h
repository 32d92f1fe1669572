// job.h: the work of gla_pagediag on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DIAG_JOB_H
#define GPULINALG_DIAG_JOB_H

#include "row.h"

// One job of diagonals.
typedef struct {
  gla_job head;
  gla_diag what;
  int64_t n;             // elements of the diagonal, which may be none
  int64_t row, column;   // of D, where the diagonal begins, for GLA_DIAG_MAKE
  int64_t rows, columns; // of D, at least 1
} gla_pagediag_job;

// A page of A is its diagonal alone: 1 x n, with the column_stride from one element to the next.
typedef struct {
  union {
    gla_array arrays[2];
    struct {
      gla_array A, D;
    };
  };
} gla_pagediag_chunk;

#endif
