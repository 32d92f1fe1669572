// gpu_op.h: the operators of gpuArrays, and their functions on single elements
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GPU_OP_H
#define GPULINALG_GPU_OP_H

#include "common/gla_octave.h"

namespace gla
{

// The names are those of Octave's functions. The library's operations have its numbers.
enum class gpu_op {
  plus = GLA_ND_ADD,
  minus = GLA_ND_SUB,
  times = GLA_ND_MUL,
  rdivide = GLA_ND_DIV,
  max = GLA_ND_MAX,
  min = GLA_ND_MIN,
  uminus = GLA_ND_NEG,
  conj = GLA_ND_CONJ,
  floor = GLA_ND_FLOOR,
  ceil = GLA_ND_CEIL,
  round = GLA_ND_ROUND,
  fix = GLA_ND_FIX,
  sign = GLA_ND_SIGN,
  real = GLA_ND_REAL,
  imag = GLA_ND_IMAG,
  abs = GLA_ND_ABS,
  arg = GLA_ND_ARG,
  eq = GLA_ND_EQ,
  ne = GLA_ND_NE,
  lt = GLA_ND_LT,
  le = GLA_ND_LE,
  gt = GLA_ND_GT,
  ge = GLA_ND_GE,
  and_ = GLA_ND_AND,
  or_ = GLA_ND_OR,
  not_ = GLA_ND_NOT,
  isnan = GLA_ND_ISNAN,
  isinf = GLA_ND_ISINF,
  isfinite = GLA_ND_ISFINITE,
  power = GLA_ND_POW,
  mod = GLA_ND_MOD,
  rem = GLA_ND_REM,
  atan2 = GLA_ND_ATAN2,
  hypot = GLA_ND_HYPOT,
  exp = GLA_ND_EXP,
  expm1 = GLA_ND_EXPM1,
  log = GLA_ND_LOG,
  log2 = GLA_ND_LOG2,
  log10 = GLA_ND_LOG10,
  log1p = GLA_ND_LOG1P,
  sqrt = GLA_ND_SQRT,
  sin = GLA_ND_SIN,
  cos = GLA_ND_COS,
  tan = GLA_ND_TAN,
  sinh = GLA_ND_SINH,
  cosh = GLA_ND_COSH,
  tanh = GLA_ND_TANH,
  asin = GLA_ND_ASIN,
  acos = GLA_ND_ACOS,
  atan = GLA_ND_ATAN,
  asinh = GLA_ND_ASINH,
  acosh = GLA_ND_ACOSH,
  atanh = GLA_ND_ATANH,
  cbrt = GLA_ND_CBRT,
  erf = GLA_ND_ERF,
  erfc = GLA_ND_ERFC,
  // what is made of these, and of matrices
  merge = GLA_ND_SELECT,
  ldivide,
  mtimes,
  mldivide,
  mrdivide,
  mpower,
  transpose,
  ctranspose
};

inline gla_nd_op library_op (gpu_op op)
{
  return static_cast<gla_nd_op> (op);
}

// Returns the name of Octave's function, and in messages about sizes the operator.
const char *name_of (gpu_op op);
const char *shown_name_of (gpu_op op);
// Finds one of the library's by the name of its function and the number of operands; false: there
// is none.
bool find_op (const std::string &name, int operands, gpu_op *op);

// Whether the result is logical; whether it is real if operands are complex.
inline bool is_logical (gpu_op op)
{
  return op >= gpu_op::eq && op <= gpu_op::isfinite;
}
inline bool is_always_real (gpu_op op)
{
  return is_logical (op) || (op >= gpu_op::real && op <= gpu_op::arg);
}
// Whether operands must be real.
inline bool needs_real (gpu_op op)
{
  return (op >= gpu_op::mod && op <= gpu_op::hypot) || (op >= gpu_op::cbrt && op <= gpu_op::erfc);
}
// Whether results may be complex if operands are real.
inline bool may_leave (gpu_op op)
{
  return op == gpu_op::power || op == gpu_op::sqrt || (op >= gpu_op::log && op <= gpu_op::log1p) ||
         op == gpu_op::asin || op == gpu_op::acos || op == gpu_op::acosh || op == gpu_op::atanh;
}

} // namespace gla

#endif
