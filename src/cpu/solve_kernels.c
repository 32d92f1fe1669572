// solve_kernels.c: the kernels that finish pages, of all types for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set, see solve.h; GLA_ISA names the tables.

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "../blas.h"
#include "carve.h"
#include "solve.h"

static inline int64_t gla_less (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static inline int64_t gla_more (int64_t a, int64_t b)
{
  return a > b ? a : b;
}

#define GLA_T s
#define GLA_COMPLEX 0
#define GLA_SINGLE 1
#define GLA_REAL float
#define GLA_GEMM sgemm_
#define GLA_TRSM strsm_
#define GLA_QRF sgeqrf_
#define GLA_MQR sormqr_
#define GLA_QP3 sgeqp3_
#include "solve_template.h"

#define GLA_T d
#define GLA_COMPLEX 0
#define GLA_SINGLE 0
#define GLA_REAL double
#define GLA_GEMM dgemm_
#define GLA_TRSM dtrsm_
#define GLA_QRF dgeqrf_
#define GLA_MQR dormqr_
#define GLA_QP3 dgeqp3_
#include "solve_template.h"

#define GLA_T c
#define GLA_COMPLEX 1
#define GLA_SINGLE 1
#define GLA_REAL float
#define GLA_GEMM cgemm_
#define GLA_TRSM ctrsm_
#define GLA_QRF cgeqrf_
#define GLA_MQR cunmqr_
#define GLA_QP3 cgeqp3_
#include "solve_template.h"

#define GLA_T z
#define GLA_COMPLEX 1
#define GLA_SINGLE 0
#define GLA_REAL double
#define GLA_GEMM zgemm_
#define GLA_TRSM ztrsm_
#define GLA_QRF zgeqrf_
#define GLA_MQR zunmqr_
#define GLA_QP3 zgeqp3_
#include "solve_template.h"

#define GLA_TABLE2(isa) gla_cpu_solve_##isa
#define GLA_TABLE(isa) GLA_TABLE2 (isa)
const gla_cpu_solve_kernel GLA_TABLE (GLA_ISA)[4] = {
    {workspace_s, pages_s},
    {workspace_d, pages_d},
    {workspace_c, pages_c},
    {workspace_z, pages_z},
};
