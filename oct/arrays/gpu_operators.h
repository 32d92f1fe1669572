// gpu_operators.h: what the files of the class gpuArray share in addition to gpu_value.h
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GPU_OPERATORS_H
#define GPULINALG_GPU_OPERATORS_H

#include "gpu_value.h"

namespace gla
{

// Returns the value of a variable that is known to be a gpuArray.
const gpu_value &gpu_value_of (const octave_base_value &v);
void set_gpu_value (octave_base_value &v, const gpu_value &x);

// Lets "gpuArray" be the last argument of zeros, ones and so on.
void install_gpu_makers (octave::interpreter &interp);
// Does so, and lets built-in functions of Octave take gpuArrays without a file in inst/@gpuArray,
// once, until PKG_DEL restores Octave's.
void replace_functions (octave::interpreter &interp);

// For the table in gpu_functions.cc.
octave_value_list repeat (const char *name, const octave_value_list &args, int outputs);
octave_value_list mean (const char *name, const octave_value_list &args, int outputs);
octave_value_list triangle (const char *name, const octave_value_list &args, int outputs);
octave_value_list merge (const char *name, const octave_value_list &args, int outputs);
octave_value_list differences (const char *name, const octave_value_list &args, int outputs);
octave_value_list running (const char *name, const octave_value_list &args, int outputs);
octave_value_list kronecker (const char *name, const octave_value_list &args, int outputs);
octave_value_list spaced (const char *name, const octave_value_list &args, int outputs);
octave_value_list sinc (const char *name, const octave_value_list &args, int outputs);
octave_value_list toeplitz (const char *name, const octave_value_list &args, int outputs);
octave_value_list block_diagonal (const char *name, const octave_value_list &args, int outputs);
octave_value_list bsxfun (const char *name, const octave_value_list &args, int outputs);
octave_value_list median (const char *name, const octave_value_list &args, int outputs);
octave_value_list variance (const char *name, const octave_value_list &args, int outputs);
octave_value_list circshift (const char *name, const octave_value_list &args, int outputs);
octave_value_list cross (const char *name, const octave_value_list &args, int outputs);
octave_value_list inverse (const char *name, const octave_value_list &args, int outputs);
octave_value_list two_norms_of (const char *name, const octave_value_list &args, int outputs);
octave_value_list least_squares_of (const char *name, const octave_value_list &args, int outputs);

// Finds the function of each element that Octave calls through this; false: a gpuArray does not
// have it.
bool find_mapper (octave_base_value::unary_mapper_t f, gpu_op *op);

// Registers the operators of the types with these numbers: of gpuArrays, and of their elements in
// arrayfun.
void register_gpu_operators (octave::type_info &types, int gpu, int traced);

} // namespace gla

#endif
