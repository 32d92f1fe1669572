// he2hb.cu: the reduction of a dense matrix to a band matrix, step by step (LAPACK's ?hetrd_he2hb)
// SPDX-License-Identifier: GPL-3.0-or-later

#include "he2hb.cuh"

template <class T> int64_t eig_he2hb_scratch (int n, int smem_limit)
{
  return he2hb_page_from<T> (n, smem_limit) == 0 ? 0 : band_scratch<T> (n).size ();
}

// The last step is what fits in shared memory.
template <class T> int eig_he2hb_steps (int n, int smem_limit)
{
  return he2hb_page_from<T> (n, smem_limit) + 1;
}

template <class T> cudaError_t eig_he2hb (const eig_args<T> &a, int first, int last)
{
  int page = he2hb_page_from<T> (a.n, a.smem_limit);
  cudaError_t status = cudaSuccess;
  for (int step = first; step < last && status == cudaSuccess; step++) {
    if (step > 0 && (step == page || he2hb_splits (a.n, step)))
      status = he2hb_update (a, step);
    if (status == cudaSuccess)
      status = step == page ? he2hb_page (a, step) : he2hb_panel (a, step);
    if (status == cudaSuccess && step < page)
      status = he2hb_tiles (a, step);
  }
  return status;
}

template int64_t eig_he2hb_scratch<float> (int, int);
template int64_t eig_he2hb_scratch<double> (int, int);
template int64_t eig_he2hb_scratch<cx<float>> (int, int);
template int64_t eig_he2hb_scratch<cx<double>> (int, int);
template int eig_he2hb_steps<float> (int, int);
template int eig_he2hb_steps<double> (int, int);
template int eig_he2hb_steps<cx<float>> (int, int);
template int eig_he2hb_steps<cx<double>> (int, int);
template cudaError_t eig_he2hb (const eig_args<float> &, int, int);
template cudaError_t eig_he2hb (const eig_args<double> &, int, int);
template cudaError_t eig_he2hb (const eig_args<cx<float>> &, int, int);
template cudaError_t eig_he2hb (const eig_args<cx<double>> &, int, int);
