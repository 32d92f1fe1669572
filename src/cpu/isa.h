// isa.h: the kernels of one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_ISA_H
#define GPULINALG_CPU_ISA_H

#include "cpu.h"
#include "gsvd.h"
#include "qr.h"
#include "solve.h"
#include "spmv.h"

typedef struct {
  const char *name;
  const gla_cpu_eig_kernel *eig; // in the order s d c z, as the others
  const gla_cpu_qr_kernel *qr;
  const gla_cpu_gsvd_kernel *gsvd;
  const gla_cpu_solve_kernel *solve;
  const gla_cpu_spmv_kernel *spmv;
} gla_cpu_isa;

// The widest set that this processor has, or the one that GPULINALG_ISA names. NULL where it names
// none, or one that cannot run here; `why` then says so.
const gla_cpu_isa *gla_cpu_isa_here (char *why, size_t why_size);

#endif
