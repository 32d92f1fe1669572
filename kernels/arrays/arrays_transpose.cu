// arrays_transpose.cu: copies in another order of the dimensions
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays.cuh"

namespace
{

enum { TILE = 32, ROWS = 8 };

struct alignas (16) sixteen {
  uint64_t a, b;
};

// Flips the sign of the imaginary part, which is the second half of the element.
GLA_DEVICE unsigned char flipped (unsigned char w)
{
  return w;
}
GLA_DEVICE uint32_t flipped (uint32_t w)
{
  return w;
}
GLA_DEVICE uint64_t flipped (uint64_t w)
{
  return w ^ (uint64_t)1 << 63;
}
GLA_DEVICE sixteen flipped (sixteen w)
{
  return {w.a, w.b ^ (uint64_t)1 << 63};
}

// A block has a tile of 32 x 32 elements of the two dimensions in which `to` and `x` are
// contiguous. Its threads read x along its dimension and write `to` along the other; the tile is
// transposed in shared memory.
template <class W> __global__ void __launch_bounds__ (TILE *ROWS) transpose_kernel (nd_transpose a)
{
  __shared__ W tile[TILE][TILE + 1];
  uint32_t rest = blockIdx.x;
  const uint32_t tile_0 = rest % a.tiles[0];
  rest /= a.tiles[0];
  const uint32_t tile_1 = rest % a.tiles[1];
  rest /= a.tiles[1];
  int64_t x = 0, to = 0;
  for (int d = 0; d < a.dims; d++) {
    const uint32_t q = nd_divide (rest, a.size[d]), at = rest - q * a.size[d].d;
    x += at * a.x_step[d];
    to += at * a.to_step[d];
    rest = q;
  }
  const int64_t i = (int64_t)tile_0 * TILE, j = (int64_t)tile_1 * TILE;
  const W *from = static_cast<const W *> (a.x) + x;
  W *result = static_cast<W *> (a.to) + to;
  const int lane = threadIdx.x % TILE, row = threadIdx.x / TILE;
#pragma unroll
  for (int k = row; k < TILE; k += ROWS)
    if (i + k < a.n[0] && j + lane < a.n[1])
      tile[k][lane] = from[(i + k) * a.x_cross + j + lane];
  __syncthreads ();
#pragma unroll
  for (int k = row; k < TILE; k += ROWS)
    if (i + lane < a.n[0] && j + k < a.n[1]) {
      const W w = tile[lane][k];
      result[(j + k) * a.to_cross + i + lane] = a.flip ? flipped (w) : w;
    }
}

template <class W> cudaError_t launch (const nd_transpose &a, unsigned blocks, cudaStream_t stream)
{
  transpose_kernel<W><<<blocks, TILE * ROWS, 0, stream>>> (a);
  return cudaGetLastError ();
}

} // namespace

cudaError_t nd_launch_transpose (nd_transpose a, size_t size, cudaStream_t stream)
{
  int64_t blocks = 1;
  for (int d = 0; d < a.dims; d++)
    blocks *= a.size[d].d;
  for (int k = 0; k < 2; k++) {
    a.tiles[k] = (uint32_t)((a.n[k] + TILE - 1) / TILE);
    blocks *= a.tiles[k];
  }
  if (blocks >= (int64_t)1 << 31)
    return cudaErrorInvalidValue;
  switch (size) {
  case 1:
    return launch<unsigned char> (a, (unsigned)blocks, stream);
  case 4:
    return launch<uint32_t> (a, (unsigned)blocks, stream);
  case 8:
    return launch<uint64_t> (a, (unsigned)blocks, stream);
  default:
    return launch<sixteen> (a, (unsigned)blocks, stream);
  }
}
