// factor_types.c: sparse Hermitian factors in double precision, real and complex
// SPDX-License-Identifier: GPL-3.0-or-later

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../blas.h"
#include "../factor.h"

#define GLA_T d
#define GLA_COMPLEX 0
#define GLA_SINGLE 0
#define GLA_REAL double
#define GLA_E double
#define GLA_CONJ(x) (x)
#define GLA_RE(x) (x)
#define GLA_SIZE(x) fabs (x)
#define GLA_MODULUS(x) fabs (x)
#define GLA_GEMM dgemm_
#define GLA_TRSM dtrsm_
#include "factor_template.h"

#define GLA_T z
#define GLA_COMPLEX 1
#define GLA_SINGLE 0
#define GLA_REAL double
#define GLA_E double complex
#define GLA_CONJ(x) conj (x)
#define GLA_RE(x) creal (x)
#define GLA_SIZE(x) (fabs (creal (x)) + fabs (cimag (x)))
#define GLA_MODULUS(x) cabs (x)
#define GLA_GEMM zgemm_
#define GLA_TRSM ztrsm_
#include "factor_template.h"
