// qr_small_tile_d.cu: QR of small pages by tiles, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_small_tile.cuh"

template <>
cudaError_t qr_small_by_tiles (const qr_small_args<double> &a, const qr_small_tiling &t,
                               cudaStream_t stream)
{
  return t.rows == 12 ? qr_small_tile_lanes<double, 12, 3> (a, t, stream)
                      : qr_small_tile_lanes<double, 16, 4> (a, t, stream);
}
