// download_whole.cuh: a large array without gaps from a GPU to fresh memory of the host
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DOWNLOAD_WHOLE_CUH
#define GPULINALG_DOWNLOAD_WHOLE_CUH

#include "engine.cuh"

// Bytes from the device, behind what the slot's stream has been given; returns when they are there.
// GLA_ERROR_OUT_OF_MEMORY: nothing was done, because there are few bytes, few processors or no
// thread; then engine_download does it.
gla_status download_whole (cuda_engine *e, int slot, char *to, const void *device, size_t bytes);

#endif
