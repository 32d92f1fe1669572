// fun.h: eigenvectors times values of functions, for gla_pagefun
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V*diag (f)*V' is X*Y' with X = V*diag (root) and Y = X*diag (re - im*i), where
// f = root^2 * (re + im*i) and re + im*i has modulus 1.

#ifndef GPULINALG_CPU_FUN_H
#define GPULINALG_CPU_FUN_H

#include "backend.h"
#include "cpu/common/kernel_table.h"

// A value at an eigenvalue.
typedef struct {
  double root, re, im;
} gla_fun_value;

// The largest n of whole pages.
enum { GLA_CPU_FUN_SMALL = 4 };

// The kernels of one type of V for one instruction set. Y and F have the type of V, or the complex
// one with `wide`.
typedef struct {
  // The packed page V becomes X; Y is written where it is not NULL.
  void (*factors) (void *V, void *Y, int wide, int64_t n, const gla_fun_value *values);
  // F = V*diag (f)*V' for n up to GLA_CPU_FUN_SMALL, with leading dimension ldf; V is packed.
  void (*page) (const void *V, void *F, int64_t ldf, int wide, int64_t n,
                const gla_fun_value *values);
} gla_cpu_fun_kernel;

GLA_KERNEL_DECLARE (fun);

// The kernels for this processor, or NULL as gla_cpu_isa_here.
const gla_cpu_fun_kernel *gla_cpu_fun_here (gla_type type, char *why, size_t why_size);

#endif
