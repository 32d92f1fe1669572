// status.cuh: errors of CUDA as a gla_status, and the return where a call fails
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_STATUS_CUH
#define GPULINALG_STATUS_CUH

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

#endif
