// lu_page_z.cu: pages of orders 33 to 256, complex, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lu_page_launch.cuh"

template int64_t lu_page_work<cx<double>> (int);
template cudaError_t lu_page<cx<double>> (const lu_args<cx<double>> &, double *, int, cudaStream_t);
