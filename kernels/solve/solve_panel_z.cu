// solve_panel_z.cu: pages of orders up to 256, complex, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_panel_launch.cuh"

template int lu_panel_crowd<cx<double>> (int, bool);
template cudaError_t lu_panels<cx<double>> (const lu_args<cx<double>> &, bool, const lu_space &,
                                            cudaStream_t);
