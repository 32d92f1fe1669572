// pencil_read.cu: pages of A and B as they count: checked, scaled, both triangles or one
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pencil_read.cuh"

namespace
{

template <class T>
cudaError_t launch (const pencil_args<T> &a, int64_t pages, void (*kernel) (pencil_args<T>))
{
  const unsigned blocks = (unsigned)(pages < 1 << 30 ? pages : 1 << 30);
  kernel<<<blocks, READ_THREADS, pencil_read_bytes<T>, a.stream>>> (a);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t pencil_read_b (const pencil_args<T> &a)
{
  return launch (a, a.b_pages, pencil_read_b_kernel<T>);
}

template <class T> cudaError_t pencil_read_a (const pencil_args<T> &a)
{
  return launch (a, a.pages, pencil_read_a_kernel<T>);
}

template <class T> cudaError_t pencil_unscale (const pencil_args<T> &a)
{
  return launch (a, a.b_pages, pencil_unscale_kernel<T>);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t pencil_read_b (const pencil_args<T> &);                                     \
  template cudaError_t pencil_read_a (const pencil_args<T> &);                                     \
  template cudaError_t pencil_unscale (const pencil_args<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
