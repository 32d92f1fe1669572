// nd_ask.cuh: operations of single elements that tell whether an element has left the domain
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ND_ASK_CUH
#define GPULINALG_ND_ASK_CUH

#include "engine/engine.cuh"
#include "engine/heap.cuh"

// Elements up to which threads write the word to pinned memory of the host, at most one for four
// elements. More of them would wait for the link.
const int64_t ND_ASK_DIRECTLY = 65536;

// A word on the GPU, for large arrays.
template <class Body> gla_status nd_ask_by_copy (cuda_engine *e, int *outside, Body body)
{
  cudaStream_t stream = e->slots[0].stream;
  void *memory = nullptr;
  GLA_TRY (heap_take (e, sizeof (int), &memory));
  int *word = static_cast<int *> (memory);
  gla_status status = engine_status (cudaMemsetAsync (word, 0, sizeof *word, stream));
  if (status == GLA_OK)
    status = body (word);
  if (status == GLA_OK)
    status = engine_status (
        cudaMemcpyAsync (e->counter, word, sizeof *word, cudaMemcpyDeviceToHost, stream));
  if (status == GLA_OK)
    status = engine_throttle (e, 0);
  *outside = e->counter[0];
  heap_give (e, memory);
  return status;
}

// body (word) launches kernels that set the word to 1 where an element leaves the domain. Waits for
// them; *outside becomes the word.
template <class Body> gla_status nd_ask (cuda_engine *e, int64_t elements, int *outside, Body body)
{
  if (elements > ND_ASK_DIRECTLY)
    return nd_ask_by_copy (e, outside, body);
  e->counter[0] = 0;
  gla_status status = body (e->counter);
  if (status == GLA_OK)
    status = engine_throttle (e, 0);
  *outside = e->counter[0];
  return status;
}

#endif
