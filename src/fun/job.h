// job.h: the work of gla_pagefun on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FUN_JOB_H
#define GPULINALG_FUN_JOB_H

#include "row.h"

// One job of gla_pagefun: the caller's options, with a tol that is not 0. GLA_FUN_VALUES only if it
// is solved.
typedef struct {
  gla_job head; // of the type of A
  int64_t n;
  gla_fun fun;
  int solved;            // the chunks bring V and lambda; only the CPU does this
  gla_eig_method method; // that of the eigenvalues
  gla_triangle triangle;
  int wide;      // F is complex and A is not
  int real_only; // also if F is real
  int raise;     // to floor times the largest magnitude
  double power, floor, tol;
  int scale_complex;
  int scale_each, occupied_each; // nonzero: a number for each page, else one for all
} gla_pagefun_job;

// info as in gla_pagefun_results; a page that is not Hermitian has GLA_INFO_NOT_HERMITIAN, and the
// largest |A - A'| in skew. info and *clean as in gla_eig_chunk. scale (NULL: 1) and occupied begin
// with the numbers of the first page if each page has its own. In a solved job V may be
// overwritten, unless its pages are one (page_stride 0); info is that of the eigenvalues; values:
// with GLA_FUN_VALUES n for each page.
typedef struct {
  union {
    gla_array arrays[2];
    struct {
      gla_array A, F;
    };
  };
  int32_t *info;
  double *skew;
  int *clean, clean_word; // clean points to clean_word, or elsewhere
  const double *scale;
  const int64_t *occupied;
  gla_array V, lambda, values;
} gla_pagefun_chunk;

#endif
