// solve_panel_c.cu: pages of orders up to 256, complex, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_panel_launch.cuh"

template int lu_panel_crowd<cx<float>> (int, bool);
template cudaError_t lu_panels<cx<float>> (const lu_args<cx<float>> &, bool, const lu_space &,
                                           cudaStream_t);
