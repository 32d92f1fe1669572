// gpu_steps.h: functions of gpuArrays that consist of several operations
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GPU_STEPS_H
#define GPULINALG_GPU_STEPS_H

#include "gpu_device.h"

namespace gla
{

//------------------------------------------------------------------------------
// several steps in one kernel
//------------------------------------------------------------------------------

gla_nd number_of (double value);
gla_nd spread_operand (const gpu_operand &x, const dim_vector &dims);
// Returns a new array of this type and these sizes: the last of the steps.
gpu_value computed (int device, char type, const dim_vector &dims,
                    const std::vector<gla_nd> &inputs, const std::vector<gla_nd_step> &steps);

//------------------------------------------------------------------------------
// what an m-file writes as operators and functions, for gpuArrays and arrays of the host
//------------------------------------------------------------------------------

bool is_on_gpu (const octave_value &v);

// Applies an operator, with arrays that expand.
octave_value op (gpu_op which, const octave_value &x, const octave_value &y);
// Applies a function to each element.
octave_value of_each (gpu_op which, const octave_value &x);
// Does a reduction ("sum", "any", "max") along this dimension, from 1.
octave_value along (const char *name, const octave_value &x, int dim);
// Returns conj (permute (x, [2, 1, 3, ..])).
octave_value adjoint_pages (const octave_value &x);
// Returns x with this number where the mask, which has the sizes of x, is true.
octave_value replaced (const octave_value &x, const octave_value &mask, double number);
octave_value column (const octave_value &x);

// What the host needs; these wait for the GPU.
double largest (const octave_value &x); // NaN where there is none
bool is_any (const octave_value &x);

// Without trailing ones: 1 x 1 x the dimensions from the third on.
dim_vector dims_of_page_numbers (const dim_vector &dims);

//------------------------------------------------------------------------------
// functions on pages that are made of several others
//------------------------------------------------------------------------------

// Does pagenorm (X); device and progress are values of options, or undefined.
octave_value two_norms (const octave_value &X, const octave_value &device,
                        const octave_value &progress);
// Returns [x, info] of qr_block (A, B, "solve"); args: options of qr_block. A must have full column
// rank on each page. info, on the host, is n + 1 if A or B holds NaN or Inf, and 0 elsewhere.
octave_value_list least_squares (const char *who, const octave_value &A, const octave_value &B,
                                 const octave_value_list &args);

// Returns the text of an error with this name at its beginning, instead of another one.
std::string with_name (const char *who, const std::string &text);
// Calls body (); the name at the beginning of an error becomes `who`.
template <typename Body> octave_value_list in_name_of (const char *who, Body body)
{
  try {
    return body ();
  } catch (octave::execution_exception &e) {
    e.set_message (with_name (who, e.message ()));
    throw;
  }
}
} // namespace gla

#endif
