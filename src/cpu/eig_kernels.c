// eig_kernels.c: the eigenvalue kernels of all types for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set, see cpu.h; GLA_ISA names the tables.

#include <float.h>
#include <math.h>
#include <string.h>

#include "../blas.h"
#include "../jacobi.h"
#include "carve.h"
#include "cpu.h"

// Pages up to this n are done so soon that none asks whether the work must end.
enum { GLA_UNASKED = 64 };

#define GLA_T s
#define GLA_COMPLEX 0
#define GLA_SINGLE 1
#define GLA_REAL float
#define GLA_TRD ssytrd_
#define GLA_MTR sormtr_
#define GLA_GEMM sgemm_
#define GLA_STEDC sstedc_
#include "eig_template.h"

#define GLA_T d
#define GLA_COMPLEX 0
#define GLA_SINGLE 0
#define GLA_REAL double
#define GLA_TRD dsytrd_
#define GLA_MTR dormtr_
#define GLA_GEMM dgemm_
#define GLA_STEDC dstedc_
#include "eig_template.h"

#define GLA_T c
#define GLA_COMPLEX 1
#define GLA_SINGLE 1
#define GLA_REAL float
#define GLA_TRD chetrd_
#define GLA_MTR cunmtr_
#define GLA_GEMM cgemm_
#define GLA_STEDC sstedc_
#include "eig_template.h"

#define GLA_T z
#define GLA_COMPLEX 1
#define GLA_SINGLE 0
#define GLA_REAL double
#define GLA_TRD zhetrd_
#define GLA_MTR zunmtr_
#define GLA_GEMM zgemm_
#define GLA_STEDC dstedc_
#include "eig_template.h"

#define GLA_TABLE2(isa) gla_cpu_eig_##isa
#define GLA_TABLE(isa) GLA_TABLE2 (isa)
const gla_cpu_eig_kernel GLA_TABLE (GLA_ISA)[4] = {
    {lanes_s, workspace_s, solve_s},
    {lanes_d, workspace_d, solve_d},
    {lanes_c, workspace_c, solve_c},
    {lanes_z, workspace_z, solve_z},
};
