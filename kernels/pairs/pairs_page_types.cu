// pairs_page_types.cu: pairs of middle orders, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_page.cuh"
#include "common/type.cuh"

template bool pencil_page_fits<T> (int, int);
template cudaError_t pencil_page_reduce<T> (const pencil_args<T> &);
