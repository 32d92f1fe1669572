// arrays_reduce_d.cu: reductions of slices in double
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_reduce.cuh"

cudaError_t nd_reduce_d (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream)
{
  return reduce_type<double> (op, r, first, stream);
}
