// fake_driver.c: the function of the driver that kernels/ opens
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A library of its own, because kernels/ looks for it by name. It checks what it is given as the
// driver does.

#include <stdint.h>
#include <string.h>

int cuTensorMapEncodeTiled (void *map, int type, uint32_t rank, void *data, const uint64_t *sizes,
                            const uint64_t *distances, const uint32_t *box, const uint32_t *steps,
                            int interleave, int swizzle, int promotion, int fill);

int cuTensorMapEncodeTiled (void *map, int type, uint32_t rank, void *data, const uint64_t *sizes,
                            const uint64_t *distances, const uint32_t *box, const uint32_t *steps,
                            int interleave, int swizzle, int promotion, int fill)
{
  enum { FLOAT32 = 7, FLOAT64 = 8, INVALID = 1 };
  int good = (uintptr_t)map % 64 == 0 && (uintptr_t)data % 16 == 0 && (rank == 3 || rank == 4);
  good = good && interleave == 0;
  good = good && (type == FLOAT32 || type == FLOAT64) && swizzle == 3 && promotion == 3;
  good = good && fill == 0 && box[0] * (type == FLOAT32 ? 4 : 8) == 128;
  for (unsigned d = 0; d < rank; d++) {
    good = good && sizes[d] > 0 && sizes[d] <= (uint64_t)1 << 32;
    good = good && box[d] > 0 && box[d] <= 256 && steps[d] == 1;
  }
  for (unsigned d = 0; d < rank - 1; d++)
    good = good && distances[d] % 16 == 0 && distances[d] > 0 && distances[d] < (uint64_t)1 << 40;
  memset (map, good, 128);
  return good ? 0 : INVALID;
}
