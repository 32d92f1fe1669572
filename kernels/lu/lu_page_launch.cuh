// lu_page_launch.cuh: threads, shared memory and work space of lu_page.cuh
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_LU_PAGE_LAUNCH_CUH
#define GPULINALG_LU_PAGE_LAUNCH_CUH

#include "common/cluster.cuh"
#include "lu_page_columns.cuh"

// Slabs of 8 columns: as many as there are warps, columns, and space for.
template <class T, int THREADS> int slabs_of (const lu_args<T> &a, bool inside, size_t most)
{
  const int64_t columns = a.inverse || a.rcond != nullptr ? (a.rhs > a.n ? a.rhs : a.n) : a.rhs;
  int slabs = THREADS / 32;
  while (slabs > 1 &&
         (slabs * 8 >= columns + 8 || page_bytes_of<T, THREADS> (a.n, inside, slabs) > most))
    slabs--;
  return slabs;
}

template <class T, int THREADS, bool INSIDE>
cudaError_t lu_launch_page (lu_args<T> a, double *work, int blocks, cudaStream_t stream)
{
  static std::atomic<uint64_t> configured;
  const auto kernel = lu_page_kernel<T, THREADS, INSIDE>;
  const size_t most = block_shared_most ();
  const cudaError_t error = allow_cluster (kernel, most, &configured);
  if (error != cudaSuccess)
    return error;
  const int slabs = slabs_of<T, THREADS> (a, INSIDE, most);
  unsigned slices = lu_slices (a.n, a.rhs, a.inverse);
  if (!INSIDE && slices > (unsigned)blocks) { // each block has work space of its own
    a.slice = (a.rhs + blocks - 1) / blocks;
    slices = (unsigned)((a.rhs + a.slice - 1) / a.slice);
  }
  const int64_t pages = INSIDE ? a.pages : blocks / slices;
  const dim3 grid ((unsigned)(a.pages < pages ? a.pages : pages), slices);
  const size_t bytes = page_bytes_of<T, THREADS> (a.n, INSIDE, slabs);
  kernel<<<grid, THREADS, bytes, stream>>> (a, work, slabs);
  return cudaGetLastError ();
}

// Whether the matrix and at least one slab fit into shared memory.
template <class T> bool lu_page_inside (int n)
{
  return page_bytes_of<T, 256> (n, true, 1) <= block_shared_most ();
}

template <class T> int64_t lu_page_work (int n)
{
  return lu_page_inside<T> (n) ? 0 : lu_doubles<wide<T>> (n, lu_rows (n));
}

template <class T>
cudaError_t lu_page (const lu_args<T> &all, double *work, int blocks, cudaStream_t stream)
{
  lu_args<T> a = all;
  // blocks that share a page would not know whether it has been solved
  a.pending = !a.inverse && a.rcond == nullptr && lu_slices (a.n, a.rhs, false) == 1;
  const cudaError_t error = a.pending ? lu_definite (a, work, blocks, stream) : cudaSuccess;
  if (error != cudaSuccess)
    return error;
  if (!lu_page_inside<T> (a.n))
    return lu_launch_page<T, 256, false> (a, work, blocks, stream);
  // measured; more threads where shared memory leaves fewer blocks to a multiprocessor
  if (a.n <= 56)
    return lu_launch_page<T, 64, true> (a, nullptr, 0, stream);
  if (a.n <= (is_complex_v<T> ? 72 : 112))
    return lu_launch_page<T, 128, true> (a, nullptr, 0, stream);
  return lu_launch_page<T, 256, true> (a, nullptr, 0, stream);
}

#endif
