// gpu_solve.h: a call of gla_pagesolve with arrays on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPU_SOLVE_H
#define GPU_SOLVE_H

#include "device/gpu_pages.h"
#include "solve_kinds.h"

// Calls with copies of the arrays on the GPU; X, rcond and info come back. Whether the GPU can do
// it.
static inline int solved_on_gpu (problem *q, int inverse, int shift, gla_pagesolve_report *report,
                                 const char *what)
{
  gpu_used = 0;
  const gpu_copy A = gpu_put (&q->A, shift), B = gpu_put (&q->B, 3 * shift);
  const gpu_copy X = gpu_put (&q->X, shift), rcond = gpu_put (&q->rcond, shift);
  const gla_pagesolve_options options = {.size = sizeof options, .op_a = q->op, .side = q->side};
  const gla_array none = {0};
  const gla_pagesolve_results results = {sizeof results, X.array, q->no_rcond ? none : rcond.array,
                                         q->info};
  gla_pagesolve_report own = {.base.size = sizeof own};
  const gla_status status =
      gla_pagesolve (ctx, &A.array, inverse ? NULL : &B.array, &results, &options, &own);
  if (gpu_refuses (ctx, status))
    return 0;
  CHECK (status == GLA_OK && own.base.device == 0, "%s: device %d, %s", what, own.base.device,
         gla_message (ctx));
  CHECK (gpu_get (&X) && (q->no_rcond || gpu_get (&rcond)), "%s: written outside of X or rcond",
         what);
  CHECK (gpu_unchanged (&A) && gpu_unchanged (&B), "%s: A or B changed", what);
  if (report)
    *report = own;
  return 1;
}

static inline int same_bytes (const gla_array *a, const gla_array *b)
{
  return memcmp (a->data, b->data, bytes_of (a)) == 0;
}

// The problem with new arrays for results on the host.
static inline problem on_host (const problem *q)
{
  problem other = *q;
  other.X = make (q->X.type, q->X.rows, q->X.columns, q->X.pages, GAP);
  if (!q->no_rcond)
    other.rcond = make (q->rcond.type, 1, 1, q->X.pages, GAP);
  return other;
}

// Arrays on the host give the bits of arrays on the GPU.
static inline void compare_host (problem *q, int inverse, const char *what)
{
  problem other = on_host (q);
  CHECK (solve (&other, inverse) == GLA_OK, "%s from the host: %s", what, gla_message (ctx));
  CHECK (same_bytes (&q->X, &other.X) && same_bytes (&q->rcond, &other.rcond) &&
             memcmp (q->info, other.info, (size_t)q->X.pages * sizeof *q->info) == 0,
         "%s: other bits from the host", what);
  free (other.X.data);
  if (!q->no_rcond)
    free (other.rcond.data);
}

// Whether page q of b has the bits of page p of a.
static inline int same_page (const gla_array *a, int64_t p, const gla_array *b, int64_t q)
{
  const size_t size = gla_type_size (a->type);
  for (int64_t j = 0; j < a->columns; j++)
    if (memcmp ((char *)a->data + (size_t)(p * a->page_stride + j * a->column_stride) * size,
                (char *)b->data + (size_t)(q * b->page_stride + j * b->column_stride) * size,
                (size_t)a->rows * size) != 0)
      return 0;
  return 1;
}

// The type that is mixed with `type`.
static inline gla_type other_type (gla_type type)
{
  if (type == GLA_TYPE_S)
    return GLA_TYPE_C;
  return type == GLA_TYPE_D ? GLA_TYPE_Z : gla_type_real (type);
}

#endif
