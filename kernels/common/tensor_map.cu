// tensor_map.cu: tensor maps, the descriptions of arrays that TMA needs
// SPDX-License-Identifier: GPL-3.0-or-later
//
// See tensor_map.cuh. Called by product_bulk_launch.cuh.

#include "tensor_map.cuh"
#include "cluster.cuh"
#include "common/system.h"

namespace
{

// Constants of cuda.h, the same in every version from 12.0 on.
enum {
  FLOAT32 = 7,
  FLOAT64 = 8,
  NOT_INTERLEAVED = 0,
  SWIZZLE_128 = 3,
  PROMOTE_256 = 3,
  FILL_ZERO = 0
};

typedef int (*encode_function) (tensor_map *, int, uint32_t, void *, const uint64_t *,
                                const uint64_t *, const uint32_t *, const uint32_t *, int, int, int,
                                int);

// Called only when a GPU is in use, so the driver is loaded.
encode_function find_function ()
{
  void *driver = gla_library_of_cuda ("cuda", 1);
  void *function =
      driver != nullptr ? gla_library_symbol (driver, "cuTensorMapEncodeTiled") : nullptr;
  return reinterpret_cast<encode_function> (function);
}

} // namespace

bool tensor_map_fill (tensor_map *map, const tensor_pages &array, int columns, int lines)
{
#if __CUDACC_VER_MAJOR__ < 12
  return false; // the kernels that use the map are empty then
#endif
  const int64_t most = (int64_t)1 << 39; // strides have 40 bits
  const int64_t ld = array.ld * array.size, page = array.page * array.size;
  if ((uintptr_t)array.data % 16 != 0 || ld % 16 != 0 || page % 16 != 0 || ld <= 0 || page < 0 ||
      ld >= most || page >= most || !clusters_work ())
    return false;
  static const encode_function encode = find_function ();
  if (encode == nullptr)
    return false;
  const uint64_t line = 128 / array.size, rows = (uint64_t)array.rows;
  const uint64_t many = (uint64_t)array.columns, pages = (uint64_t)array.pages;
  const uint64_t next_page = page > 0 ? (uint64_t)page : 16;
  const uint64_t sizes[2][4] = {{rows, many, pages}, {line, many, rows / line, pages}};
  const uint64_t distances[2][3] = {{(uint64_t)ld, next_page}, {(uint64_t)ld, 128, next_page}};
  const uint32_t box[2][4] = {{(uint32_t)line, (uint32_t)columns, 1},
                              {(uint32_t)line, (uint32_t)columns, (uint32_t)lines, 1}};
  const uint32_t steps[4] = {1, 1, 1, 1};
  const int by_lines = lines > 0;
  return encode (map, array.size == 4 ? FLOAT32 : FLOAT64, 3 + by_lines,
                 const_cast<void *> (array.data), sizes[by_lines], distances[by_lines],
                 box[by_lines], steps, NOT_INTERLEAVED, SWIZZLE_128, PROMOTE_256, FILL_ZERO) == 0;
}
