// job.h: the work of gla_pagemul on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_JOB_H
#define GPULINALG_PRODUCT_JOB_H

#include "row.h"

// One job of gla_pagemul: C = op_a (A) * op_b (B) of m x k and k x n. Page p of C is at p, counted
// in `dims` numbers below dim_size[0], dim_size[1], .., the first of them the fastest; a_step and
// b_step are the distances of pages of A and B between neighbours in each.
typedef struct {
  gla_job head; // type: of C
  int64_t m, n, k;
  int a_complex, b_complex; // A and B have the type of C or its real type
  char op_a, op_b;          // 'N', 'T' or 'C'
  int hermitian;            // C is to be exactly Hermitian
  int dims;
  const int64_t *dim_size, *a_step, *b_step;
} gla_pagemul_job;

// C: pages first .. of the product. A and B are whole.
typedef struct {
  gla_array C, A, B;
  int64_t first;
} gla_pagemul_chunk;

#endif
