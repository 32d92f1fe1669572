// pairs_page_s.cu: pairs of middle orders, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_page.cuh"

template bool pencil_page_fits<float> (int, int);
template cudaError_t pencil_page_reduce<float> (const pencil_args<float> &);
