// arrays_reduce_types.cu: reductions of slices, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_reduce.cuh"
#include "common/type.cuh"

cudaError_t OF_TYPE (nd_reduce) (gla_reduction op, const nd_reduction &r, bool first,
                                 cudaStream_t stream)
{
  return reduce_type<T> (op, r, first, stream);
}
