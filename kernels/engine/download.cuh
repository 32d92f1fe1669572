// download.cuh: results that are matrices, from a GPU to the host
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DOWNLOAD_CUH
#define GPULINALG_DOWNLOAD_CUH

#include "common/pages.cuh"
#include "engine.cuh"

// engine_download of a matrix, or nothing where it is not wanted: one of the two has no data.
template <class T>
gla_status download_matrix (cuda_engine *e, int slot, const gla_array &to,
                            const page_matrix<T> &from)
{
  return to.data == nullptr || from.data == nullptr ? GLA_OK
                                                    : engine_download (e, slot, &to, from.data);
}

#endif
