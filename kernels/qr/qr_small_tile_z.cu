// qr_small_tile_z.cu: QR of small pages by tiles, complex double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_small_tile.cuh"

template <>
cudaError_t qr_small_by_tiles (const qr_small_args<cx<double>> &a, const qr_small_tiling &t,
                               cudaStream_t stream)
{
  return qr_small_tile_choose<cx<double>, 6, 3, 8, 2, 8, 4> (a, t, stream);
}
