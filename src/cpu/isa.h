// isa.h: the kernels of one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_ISA_H
#define GPULINALG_CPU_ISA_H

#include "cpu/eig/eig.h"
#include "cpu/fun/fun.h"
#include "cpu/geev/geev.h"
#include "cpu/gsvd/gsvd.h"
#include "cpu/solve/solve.h"
#include "cpu/pairs/pairs.h"
#include "cpu/product/product.h"
#include "cpu/qr/qr.h"
#include "cpu/qr/least_squares.h"
#include "cpu/svd/svd.h"
#include "cpu/common/sparse_product.h"

typedef struct {
  const char *name;
  const gla_cpu_eig_kernel *eig[4]; // by gla_cpu_type_index, as the others
  const gla_cpu_qr_kernel *qr[4];
  const gla_cpu_gsvd_kernel *gsvd[4];
  const gla_cpu_least_squares_kernel *least_squares[4];
  const gla_cpu_spmv_kernel *spmv[4];
  const gla_cpu_product_kernel *product[4];
  const gla_cpu_solve_kernel *solve[4];
  const gla_cpu_pairs_kernel *pairs[4];
  const gla_cpu_fun_kernel *fun[4];
  const gla_cpu_svd_kernel *svd[4];
  const gla_cpu_geev_kernel *geev[4];
} gla_cpu_isa;

// The widest set that this processor has, or the one that GPULINALG_ISA names. NULL where it names
// none, or one that cannot run here; `why` then says so.
const gla_cpu_isa *gla_cpu_isa_here (char *why, size_t why_size);

#endif
