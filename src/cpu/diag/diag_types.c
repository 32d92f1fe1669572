// diag_types.c: diagonals and traces of the pages of one type on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type, with -DGLA_T=<type>.

#include "common/types.h"

#include "diag.h"

#include <string.h>

static void take (scalar *d, const scalar *a, int64_t step, int64_t n)
{
  for (int64_t q = 0; q < n; q++)
    d[q] = a[q * step];
}

static void make (const gla_pagediag_job *job, scalar *d, int64_t ld, const scalar *a, int64_t step)
{
  for (int64_t j = 0; j < job->columns; j++) {
    const int64_t q = j - job->column;
    memset (d + j * ld, 0, (size_t)job->rows * sizeof *d);
    if (q >= 0 && q < job->n)
      d[j * ld + job->row + q] = a[q * step];
  }
}

// Sums in the order of the diagonal, from 0 on: these are the bits of Octave's sum, and of a GPU.
static scalar sum (const scalar *a, int64_t step, int64_t n)
{
  scalar s = 0;
  for (int64_t q = 0; q < n; q++)
    s += a[q * step];
  return s;
}

void GLA_NAME (gla_cpu_diag) (const gla_pagediag_job *job, const gla_pagediag_chunk *chunk,
                              int64_t first, int64_t count)
{
  const gla_array *A = &chunk->A, *D = &chunk->D;
  const int64_t step = A->column_stride;
  for (int64_t p = first; p < first + count; p++) {
    const scalar *a = job->n > 0 ? (const scalar *)A->data + p * A->page_stride : NULL;
    scalar *d = (scalar *)D->data + p * D->page_stride;
    if (job->what == GLA_DIAG_TAKE)
      take (d, a, step, job->n);
    else if (job->what == GLA_DIAG_MAKE)
      make (job, d, D->column_stride, a, step);
    else
      d[0] = sum (a, step, job->n);
  }
}
