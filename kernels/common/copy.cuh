// copy.cuh: copies in the order of a stream, for the host code of all topics
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A copy from or to memory that is not pinned returns when the host's memory has been read, or
// written. Arrays of the caller go through engine_upload and engine_download instead.

#ifndef GPULINALG_COPY_CUH
#define GPULINALG_COPY_CUH

#include "status.cuh"

inline gla_status copy_to_host (void *to, const void *from, size_t bytes, cudaStream_t stream)
{
  return engine_status (cudaMemcpyAsync (to, from, bytes, cudaMemcpyDeviceToHost, stream));
}
inline gla_status copy_to_device (void *to, const void *from, size_t bytes, cudaStream_t stream)
{
  return engine_status (cudaMemcpyAsync (to, from, bytes, cudaMemcpyHostToDevice, stream));
}
inline gla_status copy_on_device (void *to, const void *from, size_t bytes, cudaStream_t stream)
{
  return engine_status (cudaMemcpyAsync (to, from, bytes, cudaMemcpyDeviceToDevice, stream));
}

#endif
