// job.h: the work of gla_qr and of least squares on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_JOB_H
#define GPULINALG_QR_JOB_H

#include "row.h"

// One QR job: the same for all its chunks. m, n >= 1.
typedef struct {
  gla_job head;
  int64_t m, n;
  int64_t q_columns; // of Q: 0 (not wanted), min (m, n) or m
  int64_t r_rows;    // of R: 0, min (m, n) or m
  int64_t rhs;       // columns of B and C; 0: not wanted
  int64_t c_rows;    // of C: min (m, n) or m
  int wy;            // nonzero: W and Y are wanted
  int pivot;
  int block; // 0: the backend chooses
} gla_qr_job;

// Pages of the job; those not wanted have NULL data. jpvt is on the host, valid after `finish`.
typedef struct {
  union {
    gla_array arrays[7];
    struct {
      gla_array A, B, Q, R, C, W, Y;
    };
  };
  int64_t *jpvt;
} gla_qr_chunk;

// What is done with pages on the host after gla_qr or gla_gsvd has done all of them.
typedef enum {
  GLA_PAGES_SOLVE, // X = R \ X; GLA_INFO_AGAIN where R may not have full rank, or is not finite
  GLA_PAGES_LEAST_NORM, // X of A and B, for pages with GLA_INFO_AGAIN
  GLA_PAGES_BALANCE,    // rows of X times 2^-exponent, to one size
  GLA_PAGES_INVERSE     // X = 2^-exponent .* (X / R'), NaN where info is not 0
} gla_pages_work;

typedef struct gla_pages_job {
  gla_job head;
  gla_pages_work work;
  gla_array A, B, R, X; // on the host, row_stride 1; data is NULL where the work needs none
  int32_t *info;
  int32_t *exponents; // X.rows for each page
} gla_pages_job;

#endif
