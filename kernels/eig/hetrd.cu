// hetrd.cu: Householder tridiagonalisation: panels while a page is too large for shared memory
// SPDX-License-Identifier: GPL-3.0-or-later

#include "hetrd.cuh"

namespace
{

// Panels before the rest fits in shared memory.
template <class T> int panels_of (int n, int smem_limit)
{
  int rest = n - hetrd_shared_limit<T> (smem_limit);
  return rest <= 0 ? 0 : (rest + HETRD_PANEL - 1) / HETRD_PANEL;
}

// The counters of teams of blocks begin with 0: a thread to a page.
template <class T> __global__ void clear_counters_kernel (eig_args<T> a)
{
  if (threadIdx.x < a.pages)
    *hetrd_counter (a, threadIdx.x) = 0;
}

template <class T> cudaError_t clear_counters (const eig_args<T> &a)
{
  clear_counters_kernel<<<1, HETRD_TEAM_PAGES, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

} // namespace

template <class T> int eig_hetrd_steps (int n, int smem_limit)
{
  return panels_of<T> (n, smem_limit) + 1;
}

template <class T> int64_t eig_hetrd_panel (int n, int smem_limit)
{
  return panels_of<T> (n, smem_limit) == 0 ? 0 : hetrd_scratch<T> (n).size ();
}

// A step is a panel and its update of the trailing matrix; the last step is the rest of the matrix.
template <class T> cudaError_t eig_hetrd (const eig_args<T> &a, int first, int last)
{
  int panels = panels_of<T> (a.n, a.smem_limit);
  cudaError_t status = cudaSuccess;
  if (first == 0 && panels > 0 && a.pages <= HETRD_TEAM_PAGES)
    status = clear_counters (a);
  for (int p = first; p < last && status == cudaSuccess; p++) {
    int column = p * HETRD_PANEL;
    if (p == panels)
      return hetrd_shared (a, column);
    status = hetrd_panel (a, column, column + HETRD_PANEL);
    if (status == cudaSuccess)
      status = hetrd_update (a, column, column + HETRD_PANEL);
  }
  return status;
}

template int eig_hetrd_steps<float> (int, int);
template int eig_hetrd_steps<double> (int, int);
template int eig_hetrd_steps<cx<float>> (int, int);
template int eig_hetrd_steps<cx<double>> (int, int);
template int64_t eig_hetrd_panel<float> (int, int);
template int64_t eig_hetrd_panel<double> (int, int);
template int64_t eig_hetrd_panel<cx<float>> (int, int);
template int64_t eig_hetrd_panel<cx<double>> (int, int);
template cudaError_t eig_hetrd (const eig_args<float> &, int, int);
template cudaError_t eig_hetrd (const eig_args<double> &, int, int);
template cudaError_t eig_hetrd (const eig_args<cx<float>> &, int, int);
template cudaError_t eig_hetrd (const eig_args<cx<double>> &, int, int);
