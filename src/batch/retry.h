// retry.h: pages that did not converge, tried again by another method, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_RETRY_H
#define GPULINALG_RETRY_H

#include "queue.h"

typedef enum { GLA_RETRY_OTHER, GLA_RETRY_AUTO } gla_retry_method;

typedef struct {
  gla_job *head; // the call's job
  int32_t *info; // of all pages
  int64_t most;  // pages with info from 1 to that did not converge
  // Sets the job to the method that was not used, or to the automatic one, with the usual number of
  // iterations.
  void (*use) (gla_call *call, gla_retry_method method);
} gla_retry;

// Each such page alone: by the other method where the call was, then on the CPU by either, to which
// a page of device memory is copied. A page that fails again keeps its info, and is NaN.
void gla_retry_failed (gla_call *call, const gla_retry *retry);

#endif
