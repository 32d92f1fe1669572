// kernel_table.h: names of the kernels of all types and instruction sets
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A family of kernels is one source, <family>_kernels.c. ../Makefile compiles it once per type and
// instruction set of config.mk, with -DGLA_T=s, d, c or z and -DGLA_ISA=base, avx2 or avx512.
// Each object has one table of functions, gla_cpu_eig_z_avx2 for example. The row of the family
// lists them with GLA_KERNEL_LIST, and takes those of the engine's instruction set:
// gla_cpu_eig_kernels[e->isa][gla_cpu_type_index (type)].

#ifndef GPULINALG_CPU_KERNEL_TABLE_H
#define GPULINALG_CPU_KERNEL_TABLE_H

#define GLA_KERNEL_JOIN2(family, type, isa) gla_cpu_##family##_##type##_##isa
#define GLA_KERNEL_JOIN(family, type, isa) GLA_KERNEL_JOIN2 (family, type, isa)

// The table of the object that is being compiled.
#define GLA_KERNEL_TABLE(family) GLA_KERNEL_JOIN (family, GLA_T, GLA_ISA)

// Lists the tables of one instruction set, in the order of gla_cpu_type_index.
#define GLA_KERNEL_ROW(family, isa)                                                                \
  {&gla_cpu_##family##_s_##isa, &gla_cpu_##family##_d_##isa, &gla_cpu_##family##_c_##isa,          \
   &gla_cpu_##family##_z_##isa},

// Lists those of the instruction sets of this build, from the narrowest to the widest, as isa.c
// does.
#ifdef GLA_ISA_base
#define GLA_KERNEL_BASE(family) GLA_KERNEL_ROW (family, base)
#else
#define GLA_KERNEL_BASE(family)
#endif
#ifdef GLA_ISA_avx2
#define GLA_KERNEL_AVX2(family) GLA_KERNEL_ROW (family, avx2)
#else
#define GLA_KERNEL_AVX2(family)
#endif
#ifdef GLA_ISA_avx512
#define GLA_KERNEL_AVX512(family) GLA_KERNEL_ROW (family, avx512)
#else
#define GLA_KERNEL_AVX512(family)
#endif
#define GLA_KERNEL_LIST(family)                                                                    \
  const gla_cpu_##family##_kernel *const gla_cpu_##family##_kernels[][4] = {                       \
      GLA_KERNEL_BASE (family) GLA_KERNEL_AVX2 (family) GLA_KERNEL_AVX512 (family)}

#define GLA_KERNEL_DECLARE_ISA(family, isa)                                                        \
  extern const gla_cpu_##family##_kernel gla_cpu_##family##_s_##isa, gla_cpu_##family##_d_##isa,   \
      gla_cpu_##family##_c_##isa, gla_cpu_##family##_z_##isa

// Declares all tables of a family; they have the type gla_cpu_<family>_kernel.
#define GLA_KERNEL_DECLARE(family)                                                                 \
  GLA_KERNEL_DECLARE_ISA (family, base);                                                           \
  GLA_KERNEL_DECLARE_ISA (family, avx2);                                                           \
  GLA_KERNEL_DECLARE_ISA (family, avx512);                                                         \
  extern const gla_cpu_##family##_kernel *const gla_cpu_##family##_kernels[][4]

#endif
