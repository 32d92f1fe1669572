// fun.h: what the files of functions of pages share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V*diag (f)*V' is X*Y' with X = V*diag (root) and Y = X*diag (re - im*i), where
// f = root^2 * (re + im*i) and re + im*i has modulus 1.

#ifndef GPULINALG_CPU_FUN_H
#define GPULINALG_CPU_FUN_H

#include "cpu/common/kernel_table.h"
#include "fun/fun_values.h"
#include "product/job.h"

// The largest n of whole pages.
enum { GLA_CPU_FUN_SMALL = 4 };

// The kernels of one type of V for one instruction set. Y and F have the type of V, or the complex
// one with `wide`. Leading dimensions count elements of their arrays.
typedef struct {
  // X, which may be V, is stored packed, and so is Y if it is not NULL.
  void (*factors) (const void *V, int64_t ldv, void *X, void *Y, int wide, int64_t n,
                   const gla_fun_value *values);
  // F = V*diag (f)*V' for n up to GLA_CPU_FUN_SMALL; V is packed.
  void (*page) (const void *V, void *F, int64_t ldf, int wide, int64_t n,
                const gla_fun_value *values);
} gla_cpu_fun_kernel;

GLA_KERNEL_DECLARE (fun);

// The kernels of V, and the product of pages of the type of F: by the calling thread, with the
// bytes of its workspace, which is aligned to 64, and pages 0 .. count-1 of a chunk; or by all
// threads.
typedef struct {
  const gla_cpu_fun_kernel *kernel;
  size_t (*workspace) (const gla_pagemul_job *job);
  void (*pages) (const gla_pagemul_job *job, const gla_pagemul_chunk *chunk, int64_t first,
                 int64_t count, void *work);
  const gla_batch_ops *row;
} gla_cpu_fun_use;

// A job, and memory for chunks of so many pages.
typedef struct {
  gla_pagefun_job job;
  gla_cpu_fun_use kernels;
  int64_t pages;
  int alone;             // gla_cpu_fun_alone
  gla_array V, Y;        // without data until they are needed
  char *lambda;          // n for each page, of the real type
  gla_fun_value *values; // n for each page
} gla_cpu_fun_work;

// Whether one thread makes the product of a page, which copies V to a workspace first, so that V
// may be at F's place. Else V has its own memory.
int gla_cpu_fun_alone (int64_t n, int64_t pages);
int gla_cpu_fun_in_place (const gla_cpu_fun_work *w);
// Takes n x n for each page, unless the array has data.
gla_status gla_cpu_fun_take (gla_cpu_fun_work *w, gla_type type, gla_array *a);

// Makes F of a chunk from V, lambda and info.
gla_status gla_cpu_fun_products (gla_engine *engine, gla_cpu_fun_work *w,
                                 const gla_pagefun_chunk *chunk);

#endif
