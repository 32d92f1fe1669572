// fun_values.h: values of functions at eigenvalues, for src/fun and src/cpu/fun
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FUN_VALUES_H
#define GPULINALG_FUN_VALUES_H

#include "fun/job.h"

// A value at an eigenvalue, root^2 * (re + im*i), where re + im*i has modulus 1.
typedef struct {
  double root, re, im;
} gla_fun_value;

// Writes the eigenvalues of a page of the chunk times its scale, after tol and floor, to that page
// of x, n x 1 x P.
void gla_fun_arguments (const gla_pagefun_job *job, const gla_pagefun_chunk *c, int64_t page,
                        const gla_array *x);

// Properties of the pages of a group.
enum {
  GLA_FUN_PHASES = 1, // a value that is neither positive nor 0
  GLA_FUN_FAILED = 2, // a page that failed
  GLA_FUN_COMPLEX = 4 // a value that is not real
};

// Finds the n values of a page of the chunk, and returns its properties. If its info, of the
// eigenvalues, is not 0, or becomes so because a value is not finite or not real, the page is to be
// filled with the first value, and the other values are 0.
int gla_fun_page (const gla_pagefun_job *job, const gla_pagefun_chunk *c, int64_t page,
                  gla_fun_value *values);
// Fills a page of F with a value that is not finite.
void gla_fun_fill_page (const gla_array *F, int64_t page, const gla_fun_value *value);

#endif
