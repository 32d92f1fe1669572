// pairs_page_z.cu: pairs of middle orders, complex, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_page.cuh"

template bool pencil_page_fits<cx<double>> (int, int);
template cudaError_t pencil_page_reduce<cx<double>> (const pencil_args<cx<double>> &);
