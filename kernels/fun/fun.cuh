// fun.cuh: functions of Hermitian pages on a GPU: arguments of the kernels
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V*diag (f)*V' from eigenvectors V and eigenvalues of each page, as X*Y' with X = V*sqrt (|f|) and
// Y = X times the conjugate phases of f.

#ifndef GPULINALG_FUN_CUH
#define GPULINALG_FUN_CUH

#include <cuda_runtime.h>
#include "backend.h"
#include "common/scalar.cuh"

// The value root^2 * (re + im*i) of a function, with |re + im*i| = 1.
struct fun_value {
  double root, re, im;
};

// What is done with eigenvalues that are 0 to within rounding.
enum fun_rounding { FUN_KEEP = 0, FUN_NEGATIVE_TO_ZERO, FUN_SMALL_TO_ZERO };

// How values are computed. scale and occupied are on the device; scale may be NULL, which means 1.
struct fun_rule {
  gla_fun fun;
  fun_rounding rounding;
  int n;
  double power, floor, tol;
  bool raise, real_only, is_single;
  bool scale_complex, scale_each, occupied_each;
  const double *scale;
  const int64_t *occupied;
};

// To this order one kernel does all (fun_small); above, kernels for values and factors, and the
// page products.
enum { FUN_SMALL = 32 };

// T is the type of V, E that of F. V and lambda are packed; X overwrites V above FUN_SMALL. info is
// that of batcheig, and becomes that of the function.
template <class T, class E> struct fun_args {
  fun_rule rule;
  T *V;
  const real_t<T> *lambda;
  int32_t *info;
  E *F;
  int64_t ldf, page_f;
  int64_t pages;
  // above FUN_SMALL
  fun_value *values; // n for each page
  int *state;        // of each page, FUN_FAILED and FUN_NOT_REAL
  E *Y;              // packed; NULL: Y is X
  cudaStream_t stream;
};

enum {
  FUN_FAILED = 1,  // the page is filled with its first value
  FUN_NOT_REAL = 2 // a value is not real
};

// The whole result, n <= FUN_SMALL.
template <class T, class E> cudaError_t fun_small (const fun_args<T, E> &a);

// Above FUN_SMALL: values, state and info; then X and Y; and after the product, pages that failed
// are filled, and the upper triangle of pages with real values is made the lower one's mirror
// image.
template <class T, class E> cudaError_t fun_values (const fun_args<T, E> &a);
template <class T, class E> cudaError_t fun_factors (const fun_args<T, E> &a);
template <class T, class E> cudaError_t fun_repair (const fun_args<T, E> &a);

#endif
