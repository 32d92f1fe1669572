// krylov_types.c: the Lanczos basis on the CPU for all types
// SPDX-License-Identifier: GPL-3.0-or-later

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../blas.h"
#include "../krylov_random.h"
#include "krylov.h"

#define GLA_T s
#define GLA_COMPLEX 0
#define GLA_SINGLE 1
#define GLA_REAL float
#define GLA_GEMM sgemm_
#define GLA_GEMV sgemv_
#define GLA_TRSM strsm_
#include "krylov_template.h"

#define GLA_T d
#define GLA_COMPLEX 0
#define GLA_SINGLE 0
#define GLA_REAL double
#define GLA_GEMM dgemm_
#define GLA_GEMV dgemv_
#define GLA_TRSM dtrsm_
#include "krylov_template.h"

#define GLA_T c
#define GLA_COMPLEX 1
#define GLA_SINGLE 1
#define GLA_REAL float
#define GLA_GEMM cgemm_
#define GLA_GEMV cgemv_
#define GLA_TRSM ctrsm_
#include "krylov_template.h"

#define GLA_T z
#define GLA_COMPLEX 1
#define GLA_SINGLE 0
#define GLA_REAL double
#define GLA_GEMM zgemm_
#define GLA_GEMV zgemv_
#define GLA_TRSM ztrsm_
#include "krylov_template.h"

const gla_cpu_krylov_functions gla_cpu_krylov_types[4] = {
    {start_s, expand_s, rotate_s, check_s, plain_s, combine_s},
    {start_d, expand_d, rotate_d, check_d, plain_d, combine_d},
    {start_c, expand_c, rotate_c, check_c, plain_c, combine_c},
    {start_z, expand_z, rotate_z, check_z, plain_z, combine_z},
};
