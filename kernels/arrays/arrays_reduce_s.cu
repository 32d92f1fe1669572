// arrays_reduce_s.cu: reductions of slices in single
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_reduce.cuh"

cudaError_t nd_reduce_s (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream)
{
  return reduce_type<float> (op, r, first, stream);
}
