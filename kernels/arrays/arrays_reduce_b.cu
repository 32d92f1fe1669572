// arrays_reduce_b.cu: reductions of logical slices
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_reduce.cuh"

// Sums and products are double. Extremes are not here: such arrays are converted before.
cudaError_t nd_reduce_b (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream)
{
  typedef unsigned char byte;
  switch (op) {
  case GLA_REDUCE_PROD:
    return first ? reduce_launch<joined_product<double>, read_byte, byte, double> (r, stream)
                 : reduce_launch<joined_product<double>, read_plain, double, double> (r, stream);
  case GLA_REDUCE_ANY:
    return reduce_bytes<joined_any, read_byte, byte> (r, first, stream);
  case GLA_REDUCE_ALL:
    return reduce_bytes<joined_all, read_byte, byte> (r, first, stream);
  default:
    return first ? reduce_launch<joined_sum<double>, read_byte, byte, double> (r, stream)
                 : reduce_launch<joined_sum<double>, read_plain, double, double> (r, stream);
  }
}
