// download_whole.cuh: a large array without gaps from a GPU to fresh memory of the host
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DOWNLOAD_WHOLE_CUH
#define GPULINALG_DOWNLOAD_WHOLE_CUH

#include "engine.cuh"

// From so many bytes on it pays to start a thread.
static const size_t WHOLE_LEAST = (size_t)32 << 20;

// As engine_download, through the ring of buffers e->down, which is there. Returns
// GLA_ERROR_OUT_OF_MEMORY, and has done nothing, where no thread can be started.
gla_status download_whole (cuda_engine *e, int slot, const fresh_memory &to, const void *device);

#endif
