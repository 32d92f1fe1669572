// types_begin.h: opens one inclusion of the templates for the type GLA_T
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The includer defines GLA_T as one of s d c z, GLA_COMPLEX as 0 or 1, GLA_REAL as float or double,
// GLA_SINGLE as 1 for float, and the letters of the BLAS below. In the templates N(f) is the name f
// with the type at its end, so each type has its own set of static functions.

#define GLA_PASTE2(a, b) a##_##b
#define GLA_PASTE(a, b) GLA_PASTE2 (a, b)
#define N(name) GLA_PASTE (name, GLA_T)

// Bytes of a SIMD register of the instruction set that this file is compiled for.
#ifndef GLA_VECTOR_BYTES
#if defined __AVX512F__
#define GLA_VECTOR_BYTES 64
#elif defined __AVX2__
#define GLA_VECTOR_BYTES 32
#else
#define GLA_VECTOR_BYTES 16
#endif
#endif

// Lanes: how many numbers stand side by side in a register.
#if GLA_SINGLE
#define GLA_LANES (GLA_VECTOR_BYTES / 4)
#define GLA_BITS int32_t
#define GLA_EPS FLT_EPSILON
#define GLA_TINY FLT_MIN
#define GLA_MAX FLT_MAX
#define GLA_FRACTION 23 // bits of the fraction, and the offset of the exponent
#define GLA_BIAS 127
#define GLA_SQRT sqrtf
#define GLA_ABS fabsf
#else
#define GLA_LANES (GLA_VECTOR_BYTES / 8)
#define GLA_BITS int64_t
#define GLA_EPS DBL_EPSILON
#define GLA_TINY DBL_MIN
#define GLA_MAX DBL_MAX
#define GLA_FRACTION 52
#define GLA_BIAS 1023
#define GLA_SQRT sqrt
#define GLA_ABS fabs
#endif

// Real numbers in one element.
#define GLA_PARTS (1 + GLA_COMPLEX)
