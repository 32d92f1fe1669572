// solve_panel_s.cu: pages of orders up to 256, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_panel_launch.cuh"

template int lu_panel_crowd<float> (int, bool);
template cudaError_t lu_panels<float> (const lu_args<float> &, bool, const lu_space &,
                                       cudaStream_t);
