// ordered.cuh: jobs on pages whose arrays stay on the GPU, in the order of these arrays
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All work on arrays that stay on a GPU is in the order of one stream, the first slot's. A job on
// pages whose arrays are on the GPU of a context that has such arrays keeps this order: its work
// comes after what that stream was given before (engine_begin_job), and before what it is given
// later (engine_end_job). Then only results for the host are waited for. A job that fails or is
// stopped is waited for as others are.

#ifndef GPULINALG_ORDERED_CUH
#define GPULINALG_ORDERED_CUH

#include "engine.cuh"

// So many jobs may be unfinished at a time: Ctrl-C does not end what the GPU has been given.
enum { ORDERED_JOBS = 4 };

// Part of the heap of arrays.
struct array_order {
  bool on;                                // the current job keeps to it
  unsigned used;                          // slots that have worked for the job, as bits
  cudaEvent_t begun, ended[ORDERED_JOBS]; // of the job, and of the jobs before it
  unsigned next;
  bool asking; // for elements that leave the domain (arrays/arrays_ask.cuh)
};
cudaError_t order_open (array_order *o);
void order_close (array_order *o);

// Gives the slot this chunk: after engine_reserve, before its stream gets work.
gla_status engine_take_slot (cuda_engine *e, int slot, const void *chunk);
// Waits for the slot's chunk unless the job keeps the order of arrays: at the end of chunks that
// bring nothing to the host.
gla_status engine_wait_unordered (cuda_engine *e, int slot);

#endif
