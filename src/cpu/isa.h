// isa.h: which instruction set the CPU backend uses
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_ISA_H
#define GPULINALG_CPU_ISA_H

#include <stddef.h>

// Returns the widest set of this build that this processor has, or the one that GPULINALG_ISA
// names, by its place in the lists of kernels (common/kernel_table.h); -1 if it names none, or one
// that cannot run here; `why` then says so.
int gla_cpu_isa_here (char *why, size_t why_size);

#endif
