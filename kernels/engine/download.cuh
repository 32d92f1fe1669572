// download.cuh: copies results of a chunk from a GPU to the host, and ends the chunk
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DOWNLOAD_CUH
#define GPULINALG_DOWNLOAD_CUH

#include <cstring>
#include "common/pages.cuh"
#include "engine.cuh"

// Does engine_download of a matrix, or nothing if it is not wanted: one of the two has no data.
template <class T>
gla_status download_matrix (cuda_engine *e, int slot, const gla_array &to,
                            const page_matrix<T> &from)
{
  return to.data == nullptr || from.data == nullptr ? GLA_OK
                                                    : engine_download (e, slot, &to, from.data);
}

// Does engine_download of `count` numbers of 4 or 8 bytes, as types s and d have.
template <class T>
gla_status download_words (cuda_engine *e, int slot, T *to, const T *from, int64_t count)
{
  static_assert (sizeof (T) == 4 || sizeof (T) == 8, "as a type of arrays");
  const gla_type type = sizeof (T) == 4 ? GLA_TYPE_S : GLA_TYPE_D;
  const gla_array words = gla_array_packed (to, type, 1, 1, count, GLA_DEVICE_HOST);
  return engine_download (e, slot, &words, from);
}

//------------------------------------------------------------------------------
// chunks with a status word for each page
//------------------------------------------------------------------------------

// Stores in *chunk->clean what the kernels have left in the slot's counter, and downloads info of
// all pages if one has any.
template <class C>
gla_status download_info (cuda_engine *e, int slot, const C *chunk, const int32_t *info,
                          int64_t pages)
{
  *chunk->clean = e->counter[slot] == 0;
  return *chunk->clean ? GLA_OK : download_words (e, slot, chunk->info, info, pages);
}

// Does the same, with skew of the pages if that is not NULL.
template <class C>
gla_status download_info (cuda_engine *e, int slot, const C *chunk, const int32_t *info,
                          const double *skew, int64_t pages)
{
  if (e->counter[slot] != 0 && skew != nullptr)
    GLA_TRY (download_words (e, slot, chunk->skew, skew, pages));
  return download_info (e, slot, chunk, info, pages);
}

// Does engine_end_chunk for these chunks. If one has failed it may be done again, and info is
// restored.
template <class C>
gla_status end_chunk (cuda_engine *e, int slot, gla_status status, const C *chunk, int64_t pages)
{
  if (status != GLA_OK)
    memset (chunk->info, 0, (size_t)pages * sizeof *chunk->info);
  return engine_end_chunk (e, slot, status, pages);
}

#endif
