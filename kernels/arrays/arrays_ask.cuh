// arrays_ask.cuh: operations on single elements that report whether an element has left the domain
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_ASK_CUH
#define GPULINALG_ARRAYS_ASK_CUH

#include "arrays.cuh"
#include "engine/heap.cuh"

// Up to so many elements threads write the word to pinned memory of the host, at most one for four
// elements. More of them would wait for the link.
const int64_t ND_ASK_DIRECTLY = 65536;

// Uses a word on the GPU, for large arrays.
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
  *outside = e->counter[0] & ND_OUTSIDE;
  heap_give (e, memory);
  return status;
}

// Looks at the word for some 20 us, as long as a small kernel takes that the GPU can begin at once;
// asking the driver takes 1 to 2 us more. False: the kernel has not ended, or does not report it.
inline bool nd_answered (const volatile int *word)
{
  enum { LOOKS = 20000 };
  for (int look = 0; look < LOOKS; look++)
    if (*word & ND_ENDED)
      return true;
  return false;
}

// Calls body (word), which launches a kernel that ends with nd_answer, and waits for it; *outside
// tells whether an element has left the domain.
template <class Body> gla_status nd_ask (cuda_engine *e, int64_t elements, int *outside, Body body)
{
  array_order *o = heap_order (e);
  if (elements > ND_ASK_DIRECTLY || o == nullptr)
    return nd_ask_by_copy (e, outside, body);
  if (o->asking) // a call was abandoned: its kernel may still write the word
    GLA_TRY (engine_throttle (e, 0));
  o->asking = true;
  e->counter[0] = 0;
  GLA_TRY (body (e->counter));
  if (!nd_answered (e->counter))
    GLA_TRY (engine_throttle (e, 0));
  o->asking = false;
  *outside = e->counter[0] & ND_OUTSIDE;
  return GLA_OK;
}

#endif
