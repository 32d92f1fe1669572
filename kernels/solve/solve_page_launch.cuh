// solve_page_launch.cuh: threads and shared memory of solve_page.cuh
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SOLVE_PAGE_LAUNCH_CUH
#define GPULINALG_SOLVE_PAGE_LAUNCH_CUH

#include "common/cluster.cuh"
#include "solve_page_columns.cuh"

// Slabs of 8 columns: as many as there are warps, columns, and space for.
template <class T, int THREADS> int slabs_of (const lu_args<T> &a, size_t most)
{
  const int64_t columns = a.inverse || a.rcond != nullptr ? (a.rhs > a.n ? a.rhs : a.n) : a.rhs;
  int slabs = THREADS / 32;
  while (slabs > 1 && (slabs * 8 >= columns + 8 || page_bytes_of<T, THREADS> (a.n, slabs) > most))
    slabs--;
  return slabs;
}

template <class T, int THREADS>
cudaError_t lu_launch_page (const lu_args<T> &a, const lu_space &space, cudaStream_t stream)
{
  static std::atomic<uint64_t> configured;
  const auto kernel = lu_page_kernel<T, THREADS>;
  const size_t most = block_shared_most ();
  const cudaError_t error = allow_cluster (kernel, most, &configured);
  if (error != cudaSuccess)
    return error;
  const int slabs = slabs_of<T, THREADS> (a, most);
  const int rounds = ((a.n + 7) / 8 + slabs - 1) / slabs;
  const dim3 grid ((unsigned)a.pages, a.norms != nullptr
                                          ? lu_blocks_of_page (a.pages, rounds, space)
                                          : lu_slices (a.n, a.rhs, a.inverse));
  kernel<<<grid, THREADS, page_bytes_of<T, THREADS> (a.n, slabs), stream>>> (a, slabs);
  return cudaGetLastError ();
}

// Up to which order this is faster than solve_panel.cuh, measured on an H200; and whether the page
// and at least one slab fit into shared memory.
template <class T> bool lu_page_serves (int n, bool few)
{
  return n <= (few ? 56 : (int)LU_PAGE_MAX) && page_bytes_of<T, 256> (n, 1) <= block_shared_most ();
}

template <class T>
cudaError_t lu_page (const lu_args<T> &a, const lu_space &space, cudaStream_t stream)
{
  // measured; more threads where shared memory leaves fewer blocks to a multiprocessor
  if (a.n <= 56)
    return lu_launch_page<T, 64> (a, space, stream);
  if (a.n <= (is_complex_v<T> ? 72 : 112))
    return lu_launch_page<T, 128> (a, space, stream);
  return lu_launch_page<T, 256> (a, space, stream);
}

#endif
