// qr_small_tile_c.cu: QR of small pages by tiles, complex single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_small_tile.cuh"

template <>
cudaError_t qr_small_by_tiles (const qr_small_args<cx<float>> &a, const qr_small_tiling &t,
                               cudaStream_t stream)
{
  return qr_small_tile_choose<cx<float>, 12, 3, 16, 2, 16, 4> (a, t, stream);
}
