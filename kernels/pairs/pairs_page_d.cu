// pairs_page_d.cu: pairs of middle orders, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_page.cuh"

template bool pencil_page_fits<double> (int, int);
template cudaError_t pencil_page_reduce<double> (const pencil_args<double> &);
