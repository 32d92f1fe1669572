// lu_page_s.cu: pages of orders 33 to 256, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lu_page_launch.cuh"

template int64_t lu_page_work<float> (int);
template cudaError_t lu_page<float> (const lu_args<float> &, double *, int, cudaStream_t);
