// product.h: what the files of the page products share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// product_kernels.c holds the arithmetic and is compiled once per type and instruction set.

#ifndef GPULINALG_CPU_PRODUCT_H
#define GPULINALG_CPU_PRODUCT_H

#include "cpu/common/parallel.h"
#include "cpu/common/kernel_table.h"
#include "product/job.h"

// The kernels of one type of C for one instruction set.
typedef struct {
  size_t (*workspace) (const gla_pagemul_job *job); // bytes of one thread
  // Pages first .. first+count-1 of the chunk. work is aligned to 64.
  void (*pages) (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk, int64_t first,
                 int64_t count, void *work);
  // A large page is shared by its strips of rows: their number, and the product of one of them.
  int64_t (*strips) (const gla_pagemul_job *job);
  void (*strip) (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk, int64_t page,
                 int64_t strip, void *work);
  // For job->hermitian, when all strips of the page are done: the upper triangle from the lower.
  void (*mirror) (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk, int64_t page);
} gla_cpu_product_kernel;

GLA_KERNEL_DECLARE (product);

// Whether pages of B and C side by side belong to one page of A, so that they can be multiplied
// together if there are no gaps between them.
static inline int gla_cpu_product_joins (const gla_pagemul_job *job)
{
  return job->dims > 0 && job->a_step[0] == 0 && job->b_step[0] == 1 && job->op_b == 'N' &&
         !job->hermitian;
}

#endif
