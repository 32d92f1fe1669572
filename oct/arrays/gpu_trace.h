// gpu_trace.h: what a function does with single elements, found by calling it once
// SPDX-License-Identifier: GPL-3.0-or-later
//
// arrayfun calls the function with values that represent an element of each array. Operators and
// functions of them compute nothing: they add a step to a trace, and return a value that represents
// its result.

#ifndef GPULINALG_GPU_TRACE_H
#define GPULINALG_GPU_TRACE_H

#include "gpu_value.h"

#include <memory>
#include <string>
#include <vector>

namespace gla
{

// Values are counted from 0: inputs, which are arrays or numbers, and results of steps.
struct traced_value {
  octave_value input;  // undefined: the result of a step
  std::string name;    // of the step's function where op is -1
  int op = -1;         // a gla_nd_op, GLA_ND_SELECT, or -1: not one of the library's
  std::vector<int> of; // its operands
  char type = 'd';
  bool may_leave = false; // an element may leave the domain of the step: the GPU must report it
};

class trace
{
public:
  // Adds an array, of which each call of the function has one element.
  octave_value add_array (const std::shared_ptr<trace> &self, const octave_value &array);
  // Returns the value of an element, or of a number from outside of the function.
  int number_of (const octave_value &v);
  int add (const traced_value &v);
  const traced_value &value (int k) const { return m_values[k]; }
  int count () const { return static_cast<int> (m_values.size ()); }

private:
  std::vector<traced_value> m_values;
};

bool is_traced (const octave_value &v);
bool any_traced (const octave_value_list &args);
const std::shared_ptr<trace> &trace_of (const octave_value &v);

// Returns the class of the elements that it represents.
std::string traced_class (const octave_value &v);

// Applies an operator, or a function on single elements, if an operand is traced.
octave_value traced_binary (gpu_op op, const octave_value &x, const octave_value &y);
octave_value traced_unary (gpu_op op, const octave_value &x);
// With elements of this type.
octave_value traced_conversion (const octave_value &x, char type);
octave_value_list traced_function (const std::string &name, const octave_value_list &args);

// Ends with gpulinalg:gather-needed: f does something that cannot be traced.
OCTAVE_NORETURN void not_traced (const std::string &what);

// Registers the type of these values; returns its number.
int register_traced_type (octave::type_info &types);

// arrayfun (f, A, B, ...) with gpuArrays.
octave_value_list gpu_arrayfun (const octave_value_list &args, int outputs);
// Returns how many of these calls one kernel has done alone, for tests.
double arrayfun_passes ();
// Returns how many of them had their steps from an earlier call.
double arrayfun_kept ();

} // namespace gla

#endif
