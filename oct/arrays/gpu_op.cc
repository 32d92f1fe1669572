// gpu_op.cc: the names of operators and functions on single elements
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_op.h"

namespace gla
{

namespace
{

// The operations in the order of their numbers, from 1. operands: 0 if the library does not have
// it.
struct operation {
  gpu_op op;
  int operands;
  const char *name, *shown;
};

constexpr operation operations[] = {
    {gpu_op::plus, 2, "plus", "operator +"},
    {gpu_op::minus, 2, "minus", "operator -"},
    {gpu_op::times, 2, "times", "product"},
    {gpu_op::rdivide, 2, "rdivide", "quotient"},
    {gpu_op::max, 2, "max", "max"},
    {gpu_op::min, 2, "min", "min"},
    {gpu_op::uminus, 1, "uminus", ""},
    {gpu_op::conj, 1, "conj", ""},
    {gpu_op::floor, 1, "floor", ""},
    {gpu_op::ceil, 1, "ceil", ""},
    {gpu_op::round, 1, "round", ""},
    {gpu_op::fix, 1, "fix", ""},
    {gpu_op::sign, 1, "sign", ""},
    {gpu_op::real, 1, "real", ""},
    {gpu_op::imag, 1, "imag", ""},
    {gpu_op::abs, 1, "abs", ""},
    {gpu_op::arg, 1, "arg", ""},
    {gpu_op::eq, 2, "eq", "mx_el_eq"},
    {gpu_op::ne, 2, "ne", "mx_el_ne"},
    {gpu_op::lt, 2, "lt", "mx_el_lt"},
    {gpu_op::le, 2, "le", "mx_el_le"},
    {gpu_op::gt, 2, "gt", "mx_el_gt"},
    {gpu_op::ge, 2, "ge", "mx_el_ge"},
    {gpu_op::and_, 2, "and", "operator &"},
    {gpu_op::or_, 2, "or", "operator |"},
    {gpu_op::not_, 1, "not", ""},
    {gpu_op::isnan, 1, "isnan", ""},
    {gpu_op::isinf, 1, "isinf", ""},
    {gpu_op::isfinite, 1, "isfinite", ""},
    {gpu_op::power, 2, "power", "operator .^"},
    {gpu_op::mod, 2, "mod", "mod"},
    {gpu_op::rem, 2, "rem", "rem"},
    {gpu_op::atan2, 2, "atan2", "atan2"},
    {gpu_op::hypot, 2, "hypot", "hypot"},
    {gpu_op::exp, 1, "exp", ""},
    {gpu_op::expm1, 1, "expm1", ""},
    {gpu_op::log, 1, "log", ""},
    {gpu_op::log2, 1, "log2", ""},
    {gpu_op::log10, 1, "log10", ""},
    {gpu_op::log1p, 1, "log1p", ""},
    {gpu_op::sqrt, 1, "sqrt", ""},
    {gpu_op::sin, 1, "sin", ""},
    {gpu_op::cos, 1, "cos", ""},
    {gpu_op::tan, 1, "tan", ""},
    {gpu_op::sinh, 1, "sinh", ""},
    {gpu_op::cosh, 1, "cosh", ""},
    {gpu_op::tanh, 1, "tanh", ""},
    {gpu_op::asin, 1, "asin", ""},
    {gpu_op::acos, 1, "acos", ""},
    {gpu_op::atan, 1, "atan", ""},
    {gpu_op::asinh, 1, "asinh", ""},
    {gpu_op::acosh, 1, "acosh", ""},
    {gpu_op::atanh, 1, "atanh", ""},
    {gpu_op::cbrt, 1, "cbrt", ""},
    {gpu_op::erf, 1, "erf", ""},
    {gpu_op::erfc, 1, "erfc", ""},
    {gpu_op::merge, 0, "merge", ""},
    {gpu_op::ldivide, 0, "ldivide", ""},
    {gpu_op::mtimes, 0, "mtimes", ""},
    {gpu_op::mldivide, 0, "mldivide", ""},
    {gpu_op::mrdivide, 0, "mrdivide", ""},
    {gpu_op::mpower, 0, "mpower", ""},
    {gpu_op::transpose, 0, "transpose", ""},
    {gpu_op::ctranspose, 0, "ctranspose", ""},
};
constexpr int count = sizeof operations / sizeof *operations;

constexpr bool in_order ()
{
  for (int k = 0; k < count; k++)
    if (static_cast<int> (operations[k].op) != k + 1)
      return false;
  return operations[count - 1].op == gpu_op::ctranspose;
}
static_assert (in_order (), "an operation is found by its number");

const operation &operation_of (gpu_op op)
{
  return operations[static_cast<int> (op) - 1];
}

} // namespace

const char *name_of (gpu_op op)
{
  return operation_of (op).name;
}

const char *shown_name_of (gpu_op op)
{
  return operation_of (op).shown;
}

bool find_op (const std::string &name, int operands, gpu_op *op)
{
  for (const operation &o : operations)
    if (o.operands == operands && name == o.name) {
      *op = o.op;
      return true;
    }
  return false;
}

} // namespace gla
