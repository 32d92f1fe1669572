// pairs_page_c.cu: pairs of middle orders, complex, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_page.cuh"

template bool pencil_page_fits<cx<float>> (int, int);
template cudaError_t pencil_page_reduce<cx<float>> (const pencil_args<cx<float>> &);
