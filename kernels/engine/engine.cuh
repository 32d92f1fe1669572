// engine.cuh: one GPU with its streams and buffers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Device memory is an arena per slot that grows and is kept between calls, until the context frees
// it. Host arrays are copied through two small rings of pinned buffers, piece by piece: while one
// piece is transferred, the threads of the host copy the next. A slot has its own stream, so that
// the transfers of one chunk overlap the kernels of another.

#ifndef GPULINALG_ENGINE_CUH
#define GPULINALG_ENGINE_CUH

#include <cuda_runtime.h>
#include "common/runtime.cuh"
#include "cublas.cuh"
#include "row.h"
#include "rows.h"
#include "staging.h"

enum { RING_BUFFERS = 4, ENGINE_JOB_BYTES = 384 };
static const size_t RING_BYTES = (size_t)8 << 20;

struct ring_buffer {
  char *host;
  cudaEvent_t free; // recorded after the last transfer that uses the buffer
};

// Where results will be written; bytes [0, done) have been prefaulted.
struct fresh_memory {
  char *base;
  size_t total, done;
};

struct engine_slot {
  cudaStream_t stream;
  cudaEvent_t done;
  char *memory; // device arena
  size_t size;
  gpu_blas blas;     // for this stream alone: see engine_open_blas
  const void *chunk; // of the current operation
  fresh_memory results;
};

// A copy of operand 0 or 1 of a page function that all chunks of a job read: see operand.cuh.
enum operand_state { OPERAND_UNDECIDED = 0, OPERAND_APART, OPERAND_SHARED };
struct operand_copy {
  operand_state state;
  void *data;
  cudaEvent_t ready; // after its upload
};

struct cuda_engine {
  gla_engine base; // first, as every engine's
  int smem_limit, multiprocessors;
  size_t memory_total;
  size_t blas_bytes; // work space of one handle of cuBLAS
  engine_slot slots[ENGINE_SLOTS];
  ring_buffer up[RING_BUFFERS], down[RING_BUFFERS];
  int next_up;
  int *counter;        // pinned: small results that the host waits for
  gla_monitor monitor; // of the current job
  // The current job of each row, as the row keeps it: other rows' jobs are parts of some.
  alignas (16) char jobs[GLA_BATCH_OPS][ENGINE_JOB_BYTES];
  int64_t chunk_pages;
  unsigned used; // slots that have had a chunk of the job, as bits
  operand_copy copies[2];
  // for work that overlaps with a slot's stream, one chunk at a time
  cudaStream_t side;
  cudaEvent_t side_start, side_done;
  gpu_blas side_blas;
  struct krylov_state *krylov; // from krylov_begin to krylov_end
  struct array_heap *heap;     // memory of arrays that stay here; NULL until there is one
  struct fft_plans *fft;       // of cuFFT; NULL until there is one
};

// The current job of a row.
template <class job> job &kept_job (const cuda_engine *e, gla_batch_op row)
{
  static_assert (sizeof (job) <= ENGINE_JOB_BYTES);
  return *(job *)(void *)e->jobs[row];
}

// Makes the GPU the current device of the calling thread.
cuda_engine *engine_of (gla_engine *engine);
// For predictions: the properties of the GPU. The engine may be that of engine_model.
const cuda_engine *engine_facts (const gla_engine *engine);
// Waits for all submitted work, at the end of a job.
void engine_drain (cuda_engine *e);

// Starts a job with chunks of at most so many pages, for all operations on pages: no slot has a
// chunk.
void engine_begin_job (cuda_engine *e, const gla_job *job, int64_t pages);
// Ends a chunk whose work ended with `status`: its slot is free, and `pages` finished pages are
// reported to the monitor, which may stop the job.
gla_status engine_end_chunk (cuda_engine *e, int slot, gla_status status, int64_t pages);
// `end` of a row.
void engine_end_job (gla_engine *engine);

// Waits until the slot's work so far is done, and polls the monitor meanwhile.
gla_status engine_throttle (cuda_engine *e, int slot);

// Opens the handles of cuBLAS for the slot's stream and for the side stream. Each stream has its
// own: with one handle on several streams cuBLAS may choose a kernel by what else is running, and
// then results are not reproducible.
gla_status engine_open_blas (cuda_engine *e, int slot);

// Makes the slot's arena hold at least `bytes`; if memory is short, the arenas of idle slots are
// freed first.
gla_status engine_reserve (cuda_engine *e, int slot, size_t bytes);
void engine_release (cuda_engine *e);
// Returns how many pages of so many bytes a slot's arena may hold: the share MEMORY_SHARE of what
// is free, or already an arena, divided by the slots. Asks the driver, which takes longer than a
// small page.
double engine_pages_in_memory (cuda_engine *e, double bytes_of_page);
// Returns so many pages, or those that the arena may hold. Asks nothing if the first slot's holds
// them.
double engine_fit_in_memory (cuda_engine *e, double pages, double bytes_of_page);

// Waits for an event and polls the monitor every POLL_SECONDS. While it waits for a slot's `done`
// it prefaults the array that engine_announce_results has named.
gla_status engine_wait (cuda_engine *e, cudaEvent_t event);
// Announces the largest host array that the slot's chunk will write with engine_download, so that
// it can be prefaulted. Valid until that download or engine_drain.
void engine_announce_results (cuda_engine *e, int slot, const gla_array *results);

// Allocates the pinned buffers and events that the ring lacks.
cudaError_t engine_make_ring (cuda_engine *e, ring_buffer *ring);
// Copies a host array to the device, on the slot's stream; returns when the last transfer has been
// launched.
gla_status engine_upload (cuda_engine *e, int slot, void *device, const gla_array *from);
// Copies from the device to a host array; returns when all has arrived.
gla_status engine_download (cuda_engine *e, int slot, const gla_array *to, const void *device);

#endif
