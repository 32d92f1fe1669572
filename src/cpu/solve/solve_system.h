// solve_system.h: one system of equations, as the kernels of this folder see it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transposes, the side, and which page is taken are resolved into addresses and strides before a
// kernel is called, so every kernel solves A*X = B with A of n x n.

#ifndef GPULINALG_CPU_SOLVE_SYSTEM_H
#define GPULINALG_CPU_SOLVE_SYSTEM_H

#include "common/types.h"

// Element (i, j) is at `at + i*row + j*column`; strides count real numbers. In the complex types
// its imaginary part follows and is multiplied by `sign`; if `parts` is 1 there is none and it is
// 0.
typedef struct {
  const real *at;
  int64_t row, column, page; // page: see lu_shape
  int parts;
  real sign;
} lu_input;

typedef struct {
  real *at;
  int64_t row, column, page;
} lu_output;

// What is the same for all systems of a call.
//
// If many pages of B share one A, their columns make one system: columns 0 .. inner-1 are those of
// its first page, and so on. Kernels may do these columns in any order and grouping, but the result
// of one must not depend on it.
//
// If A is real and B complex, the kernels of the real type do twice as many columns: column c is
// the real (c even) or imaginary part of column c/2.
typedef struct {
  int64_t n, columns; // columns of X, of all pages, those of the imaginary parts included
  int64_t inner;      // columns of a page, those of the imaginary parts not included
  int pairs;          // columns come in pairs: real and imaginary part
  int inverse;        // B is the identity, X the inverse: exactly Hermitian where A is definite
  int rcond;          // wanted
} lu_shape;

typedef struct {
  lu_input A, B; // B.at is NULL with `inverse`
  lu_output X;
  real rcond; // set by the kernel where wanted
  int info;   // as in gla_pagesolve_results
  int left;   // nonzero: the kernel has not solved it, and solve_lapack.h has to
} lu_system;

// Element (i, c) of B or X is at `at + lu_column (shape, column, page, c) + i*row`.
static inline int64_t lu_column (const lu_shape *shape, int64_t column, int64_t page, int64_t c)
{
  const int64_t part = shape->pairs ? c % 2 : 0, k = shape->pairs ? c / 2 : c;
  return part + k % shape->inner * column + k / shape->inner * page;
}

#endif
