// arrays_reduce_c.cu: reductions of slices in complex single
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_reduce.cuh"

cudaError_t nd_reduce_c (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream)
{
  return reduce_type<cx<float>> (op, r, first, stream);
}
