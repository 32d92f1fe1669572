// qr_small_tile_types.cu: QR of small pages by tiles, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_small_tile.cuh"
#include "common/type.cuh"

template <>
cudaError_t qr_small_by_tiles (const qr_small_args<T> &a, const qr_small_tiling &t,
                               cudaStream_t stream)
{
  constexpr int ROWS = sizeof (T) == 16 ? 6 : 12, MORE = sizeof (T) == 16 ? 8 : 16;
  return qr_small_tile_choose<T, ROWS, 3, MORE, 2, MORE, 4> (a, t, stream);
}
