// arrays_reduce_z.cu: reductions of slices in complex double
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_reduce.cuh"

cudaError_t nd_reduce_z (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream)
{
  return reduce_type<cx<double>> (op, r, first, stream);
}
