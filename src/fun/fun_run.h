// fun_run.h: a call of gla_pagefun, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FUN_RUN_H
#define GPULINALG_FUN_RUN_H

#include "batch/queue.h"
#include "batch/failures.h"
#include "batch/groups.h"
#include "fun_values.h"
#include "fun/job.h"

typedef struct {
  gla_call call; // must stay first; with GLA_FUN_VALUES only its fields for the report count
  gla_pagefun_job job;
  gla_pagefun_chunk all; // the whole arrays
  gla_failures failures;
  gla_context *ctx;
  gla_array A, F;
  gla_fun_rule rule;
  gla_pagefun_options o;
  int32_t *info;
  gla_pagefun_report report;
  gla_groups groups;
  gla_cpu_fun_product kernels;

  int64_t count;         // pages of a group
  gla_array V, Y;        // of a group; V of all pages with GLA_FUN_VALUES, or no data: V is in F
  gla_array lambda;      // as V
  gla_fun_value *values; // n for each page of a group
} gla_fun_run;

// Eigenvalues and eigenvectors of pages first .. first+count-1, to the first pages of lambda and to
// *V, where the context has its place.
gla_status gla_fun_eigenvalues (gla_fun_run *run, int64_t first, int64_t count, gla_array *V);
// Memory for the eigenvectors and the eigenvalues of so many pages, and for products of a group.
gla_status gla_fun_take_memory (gla_fun_run *run, int64_t vectors, int64_t values);
// Whether the product of a page is made by one thread, which takes V to a workspace first, and
// whether V then lies in the place of F. Else V has memory of its own, and may be overwritten.
int gla_fun_alone (const gla_fun_run *run);
int gla_fun_in_place (const gla_fun_run *run);
// Pages of a group.
int64_t gla_fun_group (const gla_fun_run *run);

// The operation on pages, for all functions but GLA_FUN_VALUES, and the call.
gla_status gla_fun_call (gla_fun_run *run);

// Pages first .. first+count-1 of the result, at most run->count, from their eigenvectors and
// eigenvalues.
gla_status gla_fun_products (gla_fun_run *run, int64_t first, int64_t count, const gla_array *V,
                             const gla_array *lambda);

#endif
