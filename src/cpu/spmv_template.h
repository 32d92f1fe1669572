// spmv_template.h: the sparse products of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "types_begin.h"
#include "spmv_element_template.h"

#define GLA_INDEX int32_t
#define I(name) N (name##_int)
#include "spmv_rows_template.h"
#undef GLA_INDEX
#undef I
#define GLA_INDEX int64_t
#define I(name) N (name##_long)
#include "spmv_rows_template.h"
#undef GLA_INDEX
#undef I

static int N (long_indices) (const gla_cpu_spmv_task *t)
{
  return t->sparse->M.csr.index_bytes == 8;
}

static void N (rows) (const gla_cpu_spmv_task *t, int64_t first, int64_t end)
{
  if (N (long_indices) (t))
    N (rows_long) (t, first, end);
  else
    N (rows_int) (t, first, end);
}

static void N (segment) (const gla_cpu_spmv_task *t, const gla_cpu_segment *s, void *sum)
{
  if (N (long_indices) (t))
    N (segment_long) (t, s, sum);
  else
    N (segment_int) (t, s, sum);
}

static void N (scatter) (const gla_cpu_spmv_task *t, int64_t first, int64_t end)
{
  if (N (long_indices) (t))
    N (scatter_long) (t, first, end);
  else
    N (scatter_int) (t, first, end);
}

#if !GLA_COMPLEX
#include "krylov_rows_template.h"
#endif

#include "types_end.h"
