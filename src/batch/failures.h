// failures.h: pages that failed: their status words, and another attempt, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FAILURES_H
#define GPULINALG_FAILURES_H

#include "queue.h"

//------------------------------------------------------------------------------
// what the status words of finished chunks say, inside of src/
//------------------------------------------------------------------------------

// What was found so far; changed under the lock of the run.
typedef struct {
  int suspect;           // nonzero: a page may have info != 0
  int64_t bad_page;      // the first that is not Hermitian, or -1
  double bad_difference; // its largest |A - A'|
} gla_failures;

// One status word a page, 0 at first: those of the caller, or our own.
typedef struct {
  int32_t *words;
  int64_t pages;
  int own;
} gla_infos;

// callers: NULL if the caller wants none.
gla_status gla_infos_take (gla_context *ctx, int32_t *callers, int64_t pages, gla_infos *infos);
void gla_infos_free (const gla_infos *infos);
// Counts the pages whose info is not 0, and finds the first, if there may be some.
void gla_count_failed (const gla_failures *f, const int32_t *info, int64_t pages,
                       gla_report *report);

// Whether one of the `count` pages has info != 0; then sets `suspect`. clean: nonzero if the engine
// has said that none has.
int gla_look_for_failures (gla_call *call, gla_failures *f, const int32_t *info, int64_t count,
                           int clean);
// Finds the first page of the chunk that is not Hermitian: records it, unless an earlier one is
// known, and closes the run. info and skew are those of the chunk.
void gla_note_not_hermitian (gla_call *call, gla_failures *f, gla_range range, const int32_t *info,
                             const double *skew);
// Returns GLA_ERROR_NOT_HERMITIAN, with a message that names bad_page.
gla_status gla_fail_not_hermitian (gla_context *ctx, const gla_failures *f);

// Pages that a GPU has returned: they have info < 0.
typedef struct {
  pthread_mutex_t lock; // one thread at a time works on the CPU
  int64_t done;         // pages that the CPU has done
} gla_handed_back;

void gla_handed_back_start (gla_handed_back *h);
void gla_handed_back_end (gla_handed_back *h);
// The CPU does those of the range; info is that of all pages of the call. The arrays are on the
// host, and the operation has no page_bytes.
gla_status gla_do_handed_back (gla_call *call, gla_handed_back *h, gla_range range,
                               const int32_t *info);

//------------------------------------------------------------------------------
// pages that did not converge, tried again by another method, inside of src/
//------------------------------------------------------------------------------

typedef enum { GLA_RETRY_OTHER, GLA_RETRY_AUTO } gla_retry_method;

typedef struct {
  gla_job *head; // the call's job
  int32_t *info; // of all pages
  int64_t most;  // pages with info from 1 to that did not converge
  // Sets the job to the method that was not used, or to the automatic one, with the usual number of
  // iterations.
  void (*use) (gla_call *call, gla_retry_method method);
} gla_retry;

// Tries each such page alone: by the other method in the place of the call, then on the CPU by
// either, to which a page of device memory is copied. A page that fails again keeps its info, and
// is NaN.
void gla_retry_failed (gla_call *call, const gla_retry *retry);

#endif
