// lu_page_d.cu: pages of orders 33 to 256, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lu_page_launch.cuh"

template int64_t lu_page_work<double> (int);
template cudaError_t lu_page<double> (const lu_args<double> &, double *, int, cudaStream_t);
