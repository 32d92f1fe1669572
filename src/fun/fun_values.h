// fun_values.h: values of functions at eigenvalues, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FUN_VALUES_H
#define GPULINALG_FUN_VALUES_H

#include "cpu/fun/fun.h"

// How values are computed: the options, resolved.
typedef struct {
  gla_fun fun;
  int64_t n;
  int is_single; // the precision of A
  int real_only;
  const gla_pagefun_options *o; // tol is not 0
  gla_array given;              // values of the caller, all pages; no data: there are none
} gla_fun_rule;

// The eigenvalues of a page times its scale, after tol and floor, to that page of x, n x 1 x P.
// lambda: n ascending numbers of the real type.
void gla_fun_arguments (const gla_fun_rule *rule, const void *lambda, int64_t page,
                        const gla_array *x);

// What the pages of a group have among them.
enum {
  GLA_FUN_PHASES = 1, // a value that is neither positive nor 0
  GLA_FUN_FAILED = 2, // a page that failed
  GLA_FUN_COMPLEX = 4 // a value that is not real
};

// The n values of page `page` of all, and what is in it. Where *info, of batcheig, is not 0, or
// becomes so because a value is not finite or not real, the page is to be filled with
// values[0].root * values[0].re (and im), and the other values are 0.
int gla_fun_page (const gla_fun_rule *rule, const void *lambda, int64_t page, gla_fun_value *values,
                  int32_t *info);

#endif
