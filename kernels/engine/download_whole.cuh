// download_whole.cuh: a large array without gaps from a GPU to fresh memory of the host
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DOWNLOAD_WHOLE_CUH
#define GPULINALG_DOWNLOAD_WHOLE_CUH

#include "engine.cuh"

// Whether enough of the memory has not been touched, and there are threads enough.
bool download_whole_serves (const fresh_memory &to);

// For engine_download: from the device, behind what the slot's stream has been given, through the
// ring `down`, which is there; returns when all is there.
gla_status download_whole (cuda_engine *e, int slot, const fresh_memory &to, const void *device);

#endif
