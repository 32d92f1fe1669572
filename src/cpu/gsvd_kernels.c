// gsvd_kernels.c: the kernels of the generalized SVD of all types for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set, see gsvd.h; GLA_ISA names the tables.

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "../blas.h"
#include "../orderings.h"
#include "carve.h"
#include "gsvd.h"

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
#define GLA_TRMM strmm_
#define GLA_TRSM strsm_
#define GLA_QPS slaqps_
#define GLA_QP2 slaqp2_
#define GLA_NRM2 snrm2_
#define GLA_QRF sgeqrf_
#define GLA_MQR sormqr_
#define GLA_POTRF spotrf_
#define GLA_LARFG slarfg_
#include "gsvd_template.h"

#define GLA_T d
#define GLA_COMPLEX 0
#define GLA_SINGLE 0
#define GLA_REAL double
#define GLA_GEMM dgemm_
#define GLA_TRMM dtrmm_
#define GLA_TRSM dtrsm_
#define GLA_QPS dlaqps_
#define GLA_QP2 dlaqp2_
#define GLA_NRM2 dnrm2_
#define GLA_QRF dgeqrf_
#define GLA_MQR dormqr_
#define GLA_POTRF dpotrf_
#define GLA_LARFG dlarfg_
#include "gsvd_template.h"

#define GLA_T c
#define GLA_COMPLEX 1
#define GLA_SINGLE 1
#define GLA_REAL float
#define GLA_GEMM cgemm_
#define GLA_TRMM ctrmm_
#define GLA_TRSM ctrsm_
#define GLA_QPS claqps_
#define GLA_QP2 claqp2_
#define GLA_NRM2 scnrm2_
#define GLA_QRF cgeqrf_
#define GLA_MQR cunmqr_
#define GLA_POTRF cpotrf_
#define GLA_LARFG clarfg_
#include "gsvd_template.h"

#define GLA_T z
#define GLA_COMPLEX 1
#define GLA_SINGLE 0
#define GLA_REAL double
#define GLA_GEMM zgemm_
#define GLA_TRMM ztrmm_
#define GLA_TRSM ztrsm_
#define GLA_QPS zlaqps_
#define GLA_QP2 zlaqp2_
#define GLA_NRM2 dznrm2_
#define GLA_QRF zgeqrf_
#define GLA_MQR zunmqr_
#define GLA_POTRF zpotrf_
#define GLA_LARFG zlarfg_
#include "gsvd_template.h"

#define GLA_TABLE2(isa) gla_cpu_gsvd_##isa
#define GLA_TABLE(isa) GLA_TABLE2 (isa)
const gla_cpu_gsvd_kernel GLA_TABLE (GLA_ISA)[4] = {
    {lanes_s, workspace_s, solve_s},
    {lanes_d, workspace_d, solve_d},
    {lanes_c, workspace_c, solve_c},
    {lanes_z, workspace_z, solve_z},
};
