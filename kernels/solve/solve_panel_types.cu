// solve_panel_types.cu: pages of orders up to 256, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_panel_launch.cuh"
#include "common/type.cuh"

template int lu_panel_crowd<T> (int, bool);
template cudaError_t lu_panels<T> (const lu_args<T> &, bool, const lu_space &, cudaStream_t);
