// fun.h: eigenvectors times values of functions, for gla_pagefun
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V*diag (f)*V' is X*Y' with X = V*diag (root) and Y = X*diag (re - im*i), where
// f = root^2 * (re + im*i) and re + im*i has modulus 1.

#ifndef GPULINALG_CPU_FUN_H
#define GPULINALG_CPU_FUN_H

#include "cpu/common/kernel_table.h"
#include "product/job.h"

// A value at an eigenvalue.
typedef struct {
  double root, re, im;
} gla_fun_value;

// The largest n of whole pages.
enum { GLA_CPU_FUN_SMALL = 4 };

// The kernels of one type of V for one instruction set. Y and F have the type of V, or the complex
// one with `wide`. Leading dimensions count elements of their arrays.
typedef struct {
  // X, which may be V, is written packed, as is Y where it is not NULL.
  void (*factors) (const void *V, int64_t ldv, void *X, void *Y, int wide, int64_t n,
                   const gla_fun_value *values);
  // F = V*diag (f)*V' for n up to GLA_CPU_FUN_SMALL; V is packed.
  void (*page) (const void *V, void *F, int64_t ldf, int wide, int64_t n,
                const gla_fun_value *values);
} gla_cpu_fun_kernel;

GLA_KERNEL_DECLARE (fun);

// The kernels of V, and the product of pages of the type of F, by the thread that calls it: bytes
// of its workspace, which is aligned to 64, and pages 0 .. count-1 of a chunk.
typedef struct {
  const gla_cpu_fun_kernel *kernel;
  size_t (*workspace) (const gla_pagemul_job *job);
  void (*pages) (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk, int64_t first,
                 int64_t count, void *work);
} gla_cpu_fun_product;

// Those for this processor; 0 as gla_cpu_isa_here.
int gla_cpu_fun_here (gla_type V, gla_type F, gla_cpu_fun_product *kernels, char *why,
                      size_t why_size);

#endif
