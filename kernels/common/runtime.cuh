// runtime.cuh: the CUDA runtime for host code: errors, copies, shared memory, devices
// SPDX-License-Identifier: GPL-3.0-or-later
// The host code of all topics calls these functions. They work on the current device of the calling
// thread, unless an argument names one.

#ifndef GPULINALG_RUNTIME_CUH
#define GPULINALG_RUNTIME_CUH

#include <cstddef>
#include <cuda_runtime.h>

#include "gpulinalg.h"

// Out of memory is a status of its own; all other errors are GLA_ERROR_DEVICE_FAILURE. Clears an
// error that is not sticky, so that the next call does not report it again.
inline gla_status engine_status (cudaError_t error)
{
  if (error == cudaSuccess)
    return GLA_OK;
  cudaGetLastError ();
  return error == cudaErrorMemoryAllocation ? GLA_ERROR_OUT_OF_MEMORY : GLA_ERROR_DEVICE_FAILURE;
}
inline gla_status engine_status (gla_status status)
{
  return status;
}

// Returns the status from the calling function where the call, a cudaError_t or a gla_status, is a
// failure. For functions that have nothing to free.
#define GLA_TRY(...)                                                                               \
  do {                                                                                             \
    const gla_status status_of_call = engine_status (__VA_ARGS__);                                 \
    if (status_of_call != GLA_OK)                                                                  \
      return status_of_call;                                                                       \
  } while (0)

//------------------------------------------------------------------------------
// copies in the order of a stream, for the host code of all topics
//------------------------------------------------------------------------------

// A copy from or to memory that is not pinned returns when the host's memory has been read, or
// written. Arrays of the caller go through engine_upload and engine_download instead.

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

// ------------------------------------------------------------------------------
// permission for a kernel to use more than 48 KB of shared memory
// ------------------------------------------------------------------------------

// Above 48 KB of shared memory, static variables included, a kernel needs permission, which is
// state of the kernel on a device, and so of all threads of the process. Only this function changes
// it, and it only raises it: a thread that set it to what its own launch needs could lower it
// between another thread's call and that thread's launch. Works on the device of the calling
// thread.
cudaError_t allow_dynamic_shared (const void *kernel, size_t bytes);

// Kernels that are launched with more dynamic shared memory than this have less than 16 KB of
// static variables.
template <class K> inline cudaError_t allow_shared (K kernel, size_t bytes)
{
  return bytes <= 32 * 1024 ? cudaSuccess
                            : allow_dynamic_shared (reinterpret_cast<const void *> (kernel), bytes);
}

//------------------------------------------------------------------------------
// whether this process has opened a GPU, and questions that wait until it has
//------------------------------------------------------------------------------

// The first question to the driver starts it, which takes 0.1 s or more. So predictions ask nothing
// before a GPU is open, and assume the one that engine_model describes.

bool device_opened ();
void device_note_opened ();

// True if the code that runs on the device is of this capability (800 is 8.0) or a later one. Of
// the code in this build the newest that is not newer than the device runs there, also where the
// driver compiles it from PTX. True for a device that does not answer: it fails later, with a
// message.
bool device_has_code_of (int device, int capability);

// True if every GPU that may get pages of a call can run kernels that copy to shared memory
// asynchronously (code before capability 8.0 is several times slower, or is missing) and whose
// blocks have at least so many bytes of it. True before a GPU is open; asked once from then on.
bool devices_serve (size_t shared_bytes);

//------------------------------------------------------------------------------
// copies between GPUs of one process
//------------------------------------------------------------------------------

// Lets kernels and copies on one GPU access the memory of another, once; where that is impossible,
// copies go through the host. May make `device` the current one.
void peers_connect (int device, int peer);
// True if peers_connect succeeded for these devices, or if both are the same.
bool peers_reach (int device, int peer);

// Copies from memory of one GPU to memory of another, or of the same one, in the order of a stream
// of either.
cudaError_t peers_copy (void *to, int to_device, const void *from, int from_device, size_t bytes,
                        cudaStream_t stream);

#endif
