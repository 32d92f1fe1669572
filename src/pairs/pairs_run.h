// pairs_run.h: a call of gla_batcheig_pairs, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAIRS_RUN_H
#define GPULINALG_PAIRS_RUN_H

#include "batch/groups.h"

typedef struct {
  gla_context *ctx;
  gla_array A, B; // with GLA_PAIRS_SWAP the other's
  gla_eig_pairs_results r;
  gla_eig_pairs_options o;
  int64_t n, pages, group;
  int64_t columns; // of V, and rows of lambda
  int32_t *info;   // of all pages
  int64_t *count;  // of all pages; NULL if all eigenvalues are wanted and none are dropped
  gla_array L, C;  // of a group; L of one page if B is shared
  // Of a group, if a part of the spectrum is wanted: all eigenvalues and eigenvectors.
  gla_array lambda, V;
  int32_t *eig_info;   // of a group
  int32_t shared_info; // of one B for all pages
  int32_t *exponents;
  double *skew_a, *skew_b;
  gla_groups groups;
  gla_eig_pairs_report report;
} gla_pairs_run;

// Returns the options that gla_batcheig has, too.
gla_eig_options gla_common_options (const gla_eig_pairs_options *o);

// Pages of a group, and the memory for one.
int64_t gla_pairs_group (const gla_pairs_run *p);
gla_status gla_pairs_take_memory (gla_pairs_run *p);
void gla_pairs_free_memory (gla_pairs_run *p);

// Whether one B serves several pages. Then it is factored once, before the groups.
int gla_pairs_share_b (const gla_pairs_run *p);
gla_status gla_pairs_factor_once (gla_pairs_run *p);

// Returns `count` pages of an array that may have one page for all.
gla_array gla_pairs_pages (const gla_array *a, int64_t first, int64_t count);

// Ends the call: a page of p->A or p->B, as `name` says, is not Hermitian.
gla_status gla_pairs_not_hermitian (gla_pairs_run *p, char name, int64_t page, double difference);

// Adds to the report of a call that of a group, and the info of a page.
void gla_pairs_note_report (gla_pairs_run *p, const gla_eig_report *eig);
void gla_pairs_note_info (gla_pairs_run *p, int64_t page, int32_t info);

// (pairs_drop.c) Does all pages, except the condition numbers, with GLA_PAIRS_DROP.
gla_status gla_pairs_drop (gla_pairs_run *p);

// (pairs_swap.c) Replaces ascending mu*2^exponents[k] of some pages by ascending 1/mu, and reorders
// V, which may have no data. rank, or NULL: of these pages.
void gla_pairs_swap (const gla_array *lambda, const gla_array *V, const int32_t *exponents,
                     int64_t *rank);

// Finds all results of a group of pages except the condition numbers.
gla_status gla_pairs_do_group (gla_pairs_run *p, int64_t first, int64_t count);

#endif
