// solve_panel_d.cu: pages of orders up to 256, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_panel_launch.cuh"

template int lu_panel_crowd<double> (int, bool);
template cudaError_t lu_panels<double> (const lu_args<double> &, bool, const lu_space &,
                                        cudaStream_t);
