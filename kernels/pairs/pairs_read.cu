// pairs_read.cu: pages of A and B as they count: checked, scaled, both triangles or one
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_read.cuh"

namespace
{

enum { BLOCKS_WANTED = 1024, GRID_MOST = 65535 };

// Blocks (x, y): y for pages, and so many x for each that there are enough in all.
template <class T>
cudaError_t launch (const pencil_args<T> &a, int64_t pages, void (*kernel) (pencil_args<T>))
{
  const int64_t across = (a.n + READ_TILE - 1) / READ_TILE, tiles = across * (across + 1) / 2;
  const int64_t some = (BLOCKS_WANTED + pages - 1) / pages;
  const dim3 blocks ((unsigned)(some < tiles ? some : tiles),
                     (unsigned)(pages < GRID_MOST ? pages : GRID_MOST));
  kernel<<<blocks, READ_THREADS, READ_TILE *(READ_TILE + 1) * sizeof (T), a.stream>>> (a);
  return cudaGetLastError ();
}

cudaError_t clear (pencil_page_facts *facts, int64_t pages, cudaStream_t stream)
{
  return cudaMemsetAsync (facts, 0, pages * sizeof *facts, stream);
}

} // namespace

template <class T> cudaError_t pencil_read_b (const pencil_args<T> &a)
{
  cudaError_t error = clear (a.facts_b, a.b_pages, a.stream);
  if (error == cudaSuccess)
    error = launch (a, a.b_pages, pencil_look_at_b_kernel<T>);
  return error == cudaSuccess ? launch (a, a.b_pages, pencil_write_b_kernel<T>) : error;
}

template <class T> cudaError_t pencil_read_a (const pencil_args<T> &a)
{
  cudaError_t error = clear (a.facts_a, a.pages, a.stream);
  if (error == cudaSuccess)
    error = launch (a, a.pages, pencil_look_at_a_kernel<T>);
  return error == cudaSuccess ? launch (a, a.pages, pencil_write_a_kernel<T>) : error;
}

template <class T> cudaError_t pencil_unscale (const pencil_args<T> &a)
{
  const unsigned blocks = (unsigned)(a.b_pages < 1 << 30 ? a.b_pages : 1 << 30);
  pencil_unscale_kernel<T><<<blocks, READ_THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t pencil_read_b (const pencil_args<T> &);                                     \
  template cudaError_t pencil_read_a (const pencil_args<T> &);                                     \
  template cudaError_t pencil_unscale (const pencil_args<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
