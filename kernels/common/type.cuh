// type.cuh: the type that a file *_types.cu is compiled for, T
// SPDX-License-Identifier: GPL-3.0-or-later
//
// src/Makefile compiles such a file four times, with -DGLA_T=s, d, c and z, because one template
// for all types takes long to compile. The *_types.cu files include it last: other headers have
// parameters with the name T.

#ifndef GPULINALG_TYPE_CUH
#define GPULINALG_TYPE_CUH

#include "scalar.cuh"

#define TYPE_JOIN2(name, letter) name##_##letter
#define TYPE_JOIN(name, letter) TYPE_JOIN2 (name, letter)

// OF_TYPE (nd_reduce) is nd_reduce_d where T is double.
#define OF_TYPE(name) TYPE_JOIN (name, GLA_T)

typedef float number_s;
typedef double number_d;
typedef cx<float> number_c;
typedef cx<double> number_z;
typedef OF_TYPE (number) T;

#endif
