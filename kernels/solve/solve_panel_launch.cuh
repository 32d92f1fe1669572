// solve_panel_launch.cuh: threads and work space of solve_panel.cuh
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SOLVE_PANEL_LAUNCH_CUH
#define GPULINALG_SOLVE_PANEL_LAUNCH_CUH

#include "solve_panel_columns.cuh"

// Whether panels have 16 columns or 32. Measured on an H200: narrow ones need fewer registers, so
// more blocks are on a multiprocessor, and read the factors twice as often.
template <class T> bool lu_panels_narrow (int n, bool few)
{
  if (is_complex_v<T>)
    return few || (n > 144 && n <= 176);
  return n <= 224 && (few || n > 144);
}

template <class T, int COLUMNS> int lu_crowd_of (int n)
{
  int blocks = 0;
  const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor (
      &blocks, lu_panel_kernel<T, COLUMNS>, lu_panel_threads<T, COLUMNS> (n), 0);
  return error == cudaSuccess && blocks > 0 ? blocks : 1;
}
template <class T> int lu_panel_crowd (int n, bool few)
{
  return lu_panels_narrow<T> (n, few) ? lu_crowd_of<T, 16> (n) : lu_crowd_of<T, 32> (n);
}

template <class T>
cudaError_t lu_panels (const lu_args<T> &all, bool few, const lu_space &space, cudaStream_t stream)
{
  lu_args<T> a = all;
  unsigned slices = lu_slices (a.n, a.rhs, a.inverse);
  const bool narrow = lu_panels_narrow<T> (a.n, few);
  if (a.norms != nullptr)
    slices = lu_blocks_of_page (a.pages, narrow ? (a.n + 15) / 16 : (a.n + 31) / 32, space);
  else if (slices > (unsigned)space.blocks) { // each block has work space of its own
    a.slice = (a.rhs + space.blocks - 1) / space.blocks;
    slices = (unsigned)((a.rhs + a.slice - 1) / a.slice);
  }
  const int64_t pages = space.blocks / slices;
  const dim3 grid ((unsigned)(a.pages < pages ? a.pages : pages), slices);
  if (narrow)
    lu_panel_kernel<T, 16>
        <<<grid, lu_panel_threads<T, 16> (a.n), 0, stream>>> (a, space.data, space.each);
  else
    lu_panel_kernel<T, 32>
        <<<grid, lu_panel_threads<T, 32> (a.n), 0, stream>>> (a, space.data, space.each);
  return cudaGetLastError ();
}

#endif
