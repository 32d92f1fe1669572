// job.h: the work of gla_pagesolve on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SOLVE_JOB_H
#define GPULINALG_SOLVE_JOB_H

#include "row.h"

// One job of gla_pagesolve: op_a (A)*X = B, or X*op_a (A) = B, with A of n x n and rhs right-hand
// sides. Pages are counted as in gla_pagemul_job.
typedef struct {
  gla_job head; // type: of X
  int64_t n, rhs;
  int a_complex, b_complex; // A and B have the type of X or its real type
  int inverse;              // B is the identity
  int rcond;                // nonzero: wanted
  char op_a;
  gla_side side;
  int dims;
  const int64_t *dim_size, *a_step, *b_step;
} gla_pagesolve_job;

// X, rcond and info: pages first .. of the result. A and B are whole. A backend that does not
// finish a page, because pivot k is 0, or too large or small for it, sets its info to -k; its X is
// NaN, or Inf with `inverse`, and its rcond is 0. info and *clean as in gla_eig_chunk.
typedef struct {
  union {
    gla_array arrays[2];
    struct {
      gla_array X, rcond;
    };
  };
  gla_array A, B;
  int32_t *info;          // never NULL
  int *clean, clean_word; // clean points to clean_word, or elsewhere
  int64_t first;
} gla_pagesolve_chunk;

#endif
