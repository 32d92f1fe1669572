// status.h: leave a function with the status of what failed
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_STATUS_H
#define GPULINALG_STATUS_H

// kernels/common/runtime.cuh has another one, which also takes errors of CUDA.
#define GLA_TRY(...)                                                                               \
  do {                                                                                             \
    const gla_status status_of_call = (__VA_ARGS__);                                               \
    if (status_of_call != GLA_OK)                                                                  \
      return status_of_call;                                                                       \
  } while (0)

#endif
