// spmv_kernels.c: sparse products, and passes over bases, of all types for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set, see cpu.h; GLA_ISA names the tables.

#include <string.h>

#include "spmv.h"

#define GLA_T s
#define GLA_COMPLEX 0
#define GLA_SINGLE 1
#define GLA_REAL float
#include "spmv_template.h"

#define GLA_T d
#define GLA_COMPLEX 0
#define GLA_SINGLE 0
#define GLA_REAL double
#include "spmv_template.h"

#define GLA_T c
#define GLA_COMPLEX 1
#define GLA_SINGLE 1
#define GLA_REAL float
#include "spmv_template.h"

#define GLA_T z
#define GLA_COMPLEX 1
#define GLA_SINGLE 0
#define GLA_REAL double
#include "spmv_template.h"

#define GLA_TABLE2(isa) gla_cpu_spmv_##isa
#define GLA_TABLE(isa) GLA_TABLE2 (isa)
const gla_cpu_spmv_kernel GLA_TABLE (GLA_ISA)[4] = {
    {rows_s, segment_s, join_segments_s, scatter_s, to_rows_s, add_vectors_s, project_rows_s,
     subtract_rows_s},
    {rows_d, segment_d, join_segments_d, scatter_d, to_rows_d, add_vectors_d, project_rows_d,
     subtract_rows_d},
    {rows_c, segment_c, join_segments_c, scatter_c, to_rows_c, add_vectors_c, NULL, NULL},
    {rows_z, segment_z, join_segments_z, scatter_z, to_rows_z, add_vectors_z, NULL, NULL},
};
