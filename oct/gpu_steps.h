// gpu_steps.h: functions of gpuArrays that are made of several operations
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
// A new array of this type and these sizes: the last of the steps.
gpu_value computed (int device, char type, const dim_vector &dims,
                    const std::vector<gla_nd> &inputs, const std::vector<gla_nd_step> &steps);

//------------------------------------------------------------------------------
// what an m-file writes as operators and functions, for gpuArrays and arrays of the host
//------------------------------------------------------------------------------

bool is_on_gpu (const octave_value &v);

// An operator by the name of its function ("plus", "le"), with arrays that expand.
octave_value op (const char *name, const octave_value &x, const octave_value &y);
// A function of each element ("abs", "isnan", "not").
octave_value of_each (const char *name, const octave_value &x);
// A reduction ("sum", "any", "max") along this dimension, from 1.
octave_value along (const char *name, const octave_value &x, int dim);
// conj (permute (x, [2, 1, 3, ..])).
octave_value adjoint_pages (const octave_value &x);
// x with this number where the mask is true, which has the sizes of x.
octave_value replaced (const octave_value &x, const octave_value &mask, double number);
// The columns of a matrix where the mask is true.
octave_value column (const octave_value &x);

// What the host must know; these wait for the GPU.
double largest (const octave_value &x); // NaN where there is none
bool is_any (const octave_value &x);

// Without trailing ones: 1 x 1 x the dimensions from the third on.
dim_vector dims_of_page_numbers (const dim_vector &dims);

} // namespace gla

#endif
