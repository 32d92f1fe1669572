// qr_kernels.c: the QR kernels of all types for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set, see qr.h; GLA_ISA names the tables.

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "../blas.h"
#include "../krylov_random.h"
#include "carve.h"
#include "qr.h"

// Columns of the block reflectors of the kernels that work on rows in lanes.
enum { GLA_QR_PANEL = 4 };
// Columns of a strip, strips of a page where that is between these; strips of rows of a solve.
enum { STRIP_LEAST = 64, STRIP_MOST = 128, STRIPS = 8, SOLVE_STRIPS = 8 };
// Q = A R^-1: columns from which it pays; random vectors; norm of D R^-1, per column, up to which Q
// is as orthogonal as that of the reflectors (qr_block_solve_template.h). With 8 vectors of
// independent uniform elements the estimate is below a tenth of the norm less than once in 10^6.
enum { SOLVE_COLUMNS = 64, SOLVE_VECTORS = 8, SOLVE_NORM = 8 };

// What is done with every node of a level of the tree: going up, going down, or solving with R.
typedef enum { TALL_UP, TALL_DOWN, TALL_SOLVE } gla_tall_way;

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
#include "qr_template.h"

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
#include "qr_template.h"

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
#include "qr_template.h"

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
#include "qr_template.h"

#define GLA_TABLE2(isa) gla_cpu_qr_##isa
#define GLA_TABLE(isa) GLA_TABLE2 (isa)
const gla_cpu_qr_kernel GLA_TABLE (GLA_ISA)[4] = {
    {lanes_s, workspace_s, solve_s},
    {lanes_d, workspace_d, solve_d},
    {lanes_c, workspace_c, solve_c},
    {lanes_z, workspace_z, solve_z},
};
