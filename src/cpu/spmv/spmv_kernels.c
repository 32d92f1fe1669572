// spmv_kernels.c: sparse products and passes over bases, of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "common/types.h"

#include "cpu/common/sparse_product.h"
#include "spmv_rows.h"

#if !GLA_COMPLEX
#include "spmv_recurrence.h"
#else
#define project_rows NULL
#define subtract_rows NULL
#endif

static int wide_indices (const gla_cpu_spmv_task *t)
{
  return t->sparse->M.csr.index_bytes == 8;
}

static void rows (const gla_cpu_spmv_task *t, int64_t first, int64_t end)
{
  if (wide_indices (t))
    multiply_rows (t, first, end, 1);
  else
    multiply_rows (t, first, end, 0);
}

static void segment (const gla_cpu_spmv_task *t, const gla_cpu_segment *s, void *sum)
{
  if (wide_indices (t))
    sum_segment (t, s, sum, 1);
  else
    sum_segment (t, s, sum, 0);
}

static void scatter (const gla_cpu_spmv_task *t, int64_t first, int64_t end)
{
  if (wide_indices (t))
    scatter_rows (t, first, end, 1);
  else
    scatter_rows (t, first, end, 0);
}

const gla_cpu_spmv_kernel GLA_KERNEL_TABLE (spmv) = {
    rows, segment, join_segments, scatter, to_rows, add_vectors, project_rows, subtract_rows};
