// lu_page_c.cu: pages of orders 33 to 256, complex, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lu_page_launch.cuh"

template int64_t lu_page_work<cx<float>> (int);
template cudaError_t lu_page<cx<float>> (const lu_args<cx<float>> &, double *, int, cudaStream_t);
