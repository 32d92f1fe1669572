// tensor_map.cuh: tiles from global to shared memory by the Tensor Memory Accelerator (TMA)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// From compute capability 9.0 on one thread asks for a box of an array, and TMA, a unit of
// the multiprocessor, computes the addresses, fills with 0 what lies outside of the array, and
// counts the bytes that have arrived on a barrier in shared memory. The array is described to it by
// a structure that only the driver can fill. Used by product_bulk_source.cuh.

#ifndef GPULINALG_TENSOR_MAP_CUH
#define GPULINALG_TENSOR_MAP_CUH

#include <cuda_runtime.h>
#include "scalar.cuh"

// CUtensorMap of cuda.h, which CUDA 11 does not have.
struct alignas (64) tensor_map {
  uint64_t content[16];
};

// Pages of columns of numbers of `size` bytes, 4 or 8. Distances in numbers.
struct tensor_pages {
  const void *data;
  int size;
  int64_t rows, columns, pages, ld, page;
};

// Fills the map for boxes of 128 bytes of rows and so many columns of one page. With `lines` so
// many boxes that follow one another are copied as one, and the rows fill lines of 128 bytes.
// Column c of a box is at byte 128*c in shared memory; its bytes 16*i .. 16*i+15 are stored at
// 16*(i ^ c%8). A box begins at a multiple of 1024. False where the device or the driver cannot do
// it, or where a column of the array begins at no multiple of 16 bytes.
bool tensor_map_fill (tensor_map *map, const tensor_pages &array, int columns, int lines);

// CUDA 11 has not got these instructions.
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12

GLA_DEVICE unsigned shared_address (const void *p)
{
  return (unsigned)__cvta_generic_to_shared (p);
}

// Starts a barrier in shared memory, which `count` arrivals and the expected bytes complete.
GLA_DEVICE void phase_init (unsigned barrier, unsigned count)
{
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
// Makes what phase_init did known to TMA.
GLA_DEVICE void phase_init_done ()
{
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
GLA_DEVICE void phase_expect (unsigned barrier, unsigned bytes)
{
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
GLA_DEVICE void phase_arrive (unsigned barrier)
{
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Makes the reads of this thread from shared memory come before later writes of TMA: these could
// overtake reads that have begun, also those before an arrival.
GLA_DEVICE void phase_reads_done ()
{
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// Waits until the phase of this parity is complete; the one of parity 1 is complete at the
// beginning.
GLA_DEVICE void phase_wait (unsigned barrier, unsigned parity)
{
  asm volatile("{\n\t"
               ".reg .pred done;\n"
               "again%=:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
               "@!done bra again%=;\n\t"
               "}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

// Copies the box that begins at (row, column) of a page, and counts its bytes on the barrier.
GLA_DEVICE void tensor_copy (unsigned to, const tensor_map *map, unsigned barrier, int row,
                             int column, int page)
{
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
               "l"(map), "r"(barrier), "r"(row), "r"(column), "r"(page)
               : "memory");
}

// Does the same with a map that has lines.
GLA_DEVICE void tensor_copy_lines (unsigned to, const tensor_map *map, unsigned barrier, int column,
                                   int line, int page)
{
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
               "l"(map), "r"(barrier), "r"(0), "r"(column), "r"(line), "r"(page)
               : "memory");
}

#endif

#endif
