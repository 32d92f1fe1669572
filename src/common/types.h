// types.h: the scalar type that a source file is compiled for
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Generic code is compiled once per type, with -DGLA_T=s, d, c or z (LAPACK's letters), and is
// written with the names below.

#ifndef GPULINALG_TYPES_H
#define GPULINALG_TYPES_H

#include "common/blas.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#define GLA_JOIN2(a, b) a##b
#define GLA_JOIN(a, b) GLA_JOIN2 (a, b)

// What the letter says, for the preprocessor.
#define GLA_COMPLEX_s 0
#define GLA_COMPLEX_d 0
#define GLA_COMPLEX_c 1
#define GLA_COMPLEX_z 1
#define GLA_SINGLE_s 1
#define GLA_SINGLE_d 0
#define GLA_SINGLE_c 1
#define GLA_SINGLE_z 0
#define GLA_COMPLEX GLA_JOIN (GLA_COMPLEX_, GLA_T)
#define GLA_SINGLE GLA_JOIN (GLA_SINGLE_, GLA_T)

#define GLA_PARTS (1 + GLA_COMPLEX) // real numbers in one scalar

// Makes name_z if GLA_T is z: for the names that other objects see.
#define GLA_NAME(name) GLA_JOIN (name##_, GLA_T)

//------------------------------------------------------------------------------
// numbers
//------------------------------------------------------------------------------

#if GLA_SINGLE
typedef float real;
typedef int32_t bits; // an integer as wide as a real number
#define GLA_EPS FLT_EPSILON
#define GLA_TINY FLT_MIN
#define GLA_MAX FLT_MAX
#define GLA_FRACTION 23 // bits of the fraction
#define GLA_BIAS 127    // offset of the exponent
#else
typedef double real;
typedef int64_t bits;
#define GLA_EPS DBL_EPSILON
#define GLA_TINY DBL_MIN
#define GLA_MAX DBL_MAX
#define GLA_FRACTION 52
#define GLA_BIAS 1023
#endif

#if !GLA_COMPLEX
typedef real scalar;
#elif GLA_SINGLE
typedef float _Complex scalar;
#else
typedef double _Complex scalar;
#endif

static inline real real_sqrt (real x)
{
  return GLA_SINGLE ? sqrtf ((float)x) : (real)sqrt (x);
}

static inline real real_abs (real x)
{
  return GLA_SINGLE ? fabsf ((float)x) : (real)fabs (x);
}

//------------------------------------------------------------------------------
// BLAS and LAPACK
//------------------------------------------------------------------------------

// The routine of this type: GLA_BLAS (gemm) is zgemm_ if GLA_T is z.
#define GLA_BLAS(name) GLA_JOIN (GLA_T, name##_)

// Routines whose names differ by more than the letter.
#if GLA_COMPLEX
#define GLA_HER2K GLA_BLAS (her2k)
#define GLA_UNMQR GLA_BLAS (unmqr)
#define GLA_UNMBR GLA_BLAS (unmbr)
#else
#define GLA_HER2K GLA_BLAS (syr2k)
#define GLA_UNMQR GLA_BLAS (ormqr)
#define GLA_UNMBR GLA_BLAS (ormbr)
#endif

// Routines of the real type.
#if GLA_SINGLE
#define GLA_LAED2 slaed2_
#define GLA_LAED4 slaed4_
#define GLA_LAMRG slamrg_
#define GLA_REAL_GEMM sgemm_
#define GLA_BDSDC sbdsdc_
#define GLA_BDSQR sbdsqr_
#else
#define GLA_LAED2 dlaed2_
#define GLA_LAED4 dlaed4_
#define GLA_LAMRG dlamrg_
#define GLA_REAL_GEMM dgemm_
#define GLA_BDSDC dbdsdc_
#define GLA_BDSQR dbdsqr_
#endif

#endif
