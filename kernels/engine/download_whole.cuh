// download_whole.cuh: copies a large array without gaps from a GPU to fresh memory of the host
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DOWNLOAD_WHOLE_CUH
#define GPULINALG_DOWNLOAD_WHOLE_CUH

#include "engine.cuh"

// Whether enough of the memory has not been touched, and there are enough threads.
bool download_whole_serves (const fresh_memory &to);

// Serves engine_download: copies from the device, after previous work in the slot's stream, through
// the ring `down`, which exists; returns when all has arrived.
gla_status download_whole (cuda_engine *e, int slot, const fresh_memory &to, const void *device);

#endif
