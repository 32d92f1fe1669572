// qr_small_tile_z.cu: QR of small pages by tiles, complex double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_small_tile.cuh"

template <>
cudaError_t qr_small_by_tiles (const qr_small_args<cx<double>> &a, const qr_small_tiling &t,
                               cudaStream_t stream)
{
  return t.rows == 6 ? qr_small_tile_lanes<cx<double>, 6, 3> (a, t, stream)
                     : qr_small_tile_lanes<cx<double>, 8, 4> (a, t, stream);
}
