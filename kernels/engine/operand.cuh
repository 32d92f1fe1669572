// operand.cuh: brings the pages of A and B that a chunk of a page function needs to the GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A chunk has pages first .. of the result, and whole arrays A and B. A gla_pagemul_job describes
// the pages that it needs by steps in several dimensions. If these amount to one step, page p is at
// p times a distance; otherwise the numbers of the pages are copied to the GPU, too.
//
// Pages of an operand on the host that several chunks need are copied once for the job, into their
// own memory: one page for all, or those of an array that expands in some dimension. The first
// chunk copies them; the streams of other slots wait for an event after that.

#ifndef GPULINALG_OPERAND_CUH
#define GPULINALG_OPERAND_CUH

#include "common/pages.cuh"
#include "engine.cuh"

// The steps of one operand. The arrays are those of the job.
struct operand_steps {
  int dims;
  const int64_t *size, *step;
};

// The pages of an operand that a chunk needs: lowest .. lowest+pages-1.
struct operand_pages {
  int64_t lowest, pages;
  int64_t step; // page p of the chunk is lowest + p*step; -1: a list says it
};

// Returns the pages for pages first .. first+count-1 of the result, count >= 1.
operand_pages operand_pages_of (const operand_steps &steps, int64_t first, int64_t count);

// Returns the mean bytes of the operand on the host for each of `pages` pages of the result.
double operand_page_bytes (const gla_array &a, const operand_steps &steps, int64_t pages);

// An operand on the GPU, of its own type.
struct operand_memory {
  void *data;
  int64_t ld, page;
  int64_t *index;
  template <class T> page_operand<T> of () const
  {
    return {static_cast<const T *> (data), ld, page, index};
  }
};

// Takes memory for what the chunk needs of `a`, and none for pages of an array on the device.
operand_memory operand_take (const gla_array &a, const operand_steps &steps, int64_t first,
                             int64_t count, carver &c);
// Copies it there, on the slot's stream. The steps are those of operand_take.
gla_status operand_upload (cuda_engine *e, int slot, const gla_array &a, const operand_steps &steps,
                           int64_t first, int64_t count, const operand_memory &to);

// Returns what operand_take and operand_upload get for `a`: operand 0 or 1 of the job, or the copy
// for all chunks if there is one. The first chunk decides that, before its memory is taken.
gla_array operand_source (const cuda_engine *e, int which, const gla_array &a);
// Decides, before the memory of a chunk is taken, whether there is a copy for all chunks; makes it,
// or lets the slot's stream wait for it. Without memory for it there is none.
gla_status operand_share (cuda_engine *e, int slot, int which, const gla_array &a,
                          const operand_steps &steps);
// Frees the copies if there is too little memory for a chunk, and no other is in progress. True if
// that has freed memory, and the chunk should be tried again.
bool operand_give_way (cuda_engine *e);

// Makes the slot's arena hold what lay_out (carver) takes for a chunk, without the copies for all
// chunks if there is too little memory.
template <class F> gla_status operand_reserve (cuda_engine *e, int slot, F lay_out)
{
  gla_status status;
  do {
    carver count = {nullptr, 0};
    lay_out (count);
    status = engine_reserve (e, slot, count.used);
  } while (status == GLA_ERROR_OUT_OF_MEMORY && operand_give_way (e));
  return status;
}

// `begin` and `end` of a row with operands call these after engine_begin_job and engine_end_job.
void operand_begin_job (cuda_engine *e);
void operand_end_job (gla_engine *engine);

#endif
