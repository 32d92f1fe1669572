// engine.cuh: one GPU with its streams and buffers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Device memory is an arena per slot that grows and is kept between calls, until the context asks
// for less. Host arrays travel through two small rings of pinned buffers, in pieces: while one
// piece is on the link, the threads of the host copy the next. A slot has a stream of its own, so
// that the transfers of one chunk overlap the kernels of another.

#ifndef GPULINALG_ENGINE_CUH
#define GPULINALG_ENGINE_CUH

#include <cuda_runtime.h>
#include "../src/backend.h"
#include "cublas.cuh"
#include "staging.h"

enum { SLOTS = 3, RING = 4 };
static const size_t RING_BYTES = (size_t)8 << 20;

struct ring_buffer {
  char *host;
  cudaEvent_t free; // recorded behind the last transfer that uses the buffer
};

// Where results will be written: bytes [0, done) were populated.
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
  const void *chunk; // of the operation at work
  fresh_memory results;
};

struct cuda_engine {
  gla_engine base; // first, as every engine's
  int smem_limit, multiprocessors;
  size_t memory_total;
  size_t blas_bytes; // work space of one handle of cuBLAS
  engine_slot slots[SLOTS];
  ring_buffer up[RING], down[RING];
  int next_up;
  int *counter;        // pinned: small results that the host waits for
  gla_monitor monitor; // of the job at work
  gla_eig_job job;
  gla_qr_job qr_job;
  gla_gsvd_job gsvd_job;
  int64_t chunk_pages;
  // for work beside that of a slot's stream, one chunk at a time
  cudaStream_t side;
  cudaEvent_t side_start, side_done;
  gpu_blas side_blas;
  struct krylov_state *krylov; // from krylov_begin to krylov_end
};

// cudaSuccess -> GLA_OK, out of memory -> GLA_OUT_OF_MEMORY, all else -> GLA_DEVICE_FAILURE; takes
// back an error that is not sticky.
gla_status engine_status (cudaError_t error);

int engine_device_count (char *why, size_t why_size);
gla_status engine_device_query (int device, gla_device_info *info);
gla_engine *engine_model ();
gla_status engine_open (int device, gla_engine **engine);
void engine_close (gla_engine *engine);
int64_t engine_kept (gla_engine *engine);
void engine_shrink (gla_engine *engine, int64_t most);
// Whether this process has opened a GPU: before, a mere question to the driver may take 0.1 s and
// more.
bool engine_any_opened ();

// The GPU's number becomes current.
cuda_engine *engine_of (gla_engine *engine);
// For predictions: what is known of the GPU. The engine may be the model of one.
const cuda_engine *engine_facts (const gla_engine *engine);
// Waits for all that is in flight, at the end of a job.
void engine_drain (cuda_engine *e);
// Pauses until the slot's work so far is done, asking the monitor.
gla_status engine_throttle (cuda_engine *e, int slot);

// What multiplies on the slot's stream and on the side stream. Each stream has a handle of its own:
// of one that has work on several streams cuBLAS promises no bits, for it may choose by what is
// under way.
gla_status engine_open_blas (cuda_engine *e, int slot);

// Makes the slot's arena hold at least `bytes`; memory of other slots and the past is given back
// first where it is short.
gla_status engine_reserve (cuda_engine *e, int slot, size_t bytes);
void engine_release (cuda_engine *e);

// Waits for an event, asking the monitor every 20 ms whether to stop. Where it is a slot's `done`
// the time is used to populate what engine_expect has told.
gla_status engine_wait (cuda_engine *e, cudaEvent_t event);
// The slot's chunk will write this host array, the largest that it writes, with engine_download.
// Forgotten there and by engine_drain.
void engine_expect (cuda_engine *e, int slot, const gla_array *results);

// Host array -> device, on the slot's stream; returns when the last piece is on its way.
gla_status engine_upload (cuda_engine *e, int slot, void *device, const gla_array *from);
// Device -> host array; returns when it is there.
gla_status engine_download (cuda_engine *e, int slot, const gla_array *to, const void *device);

//------------------------------------------------------------------------------
// the operations, as backend.h describes them
//------------------------------------------------------------------------------

int cuda_eig_supports (const gla_eig_job *job);
double cuda_eig_seconds (gla_engine *engine, const gla_eig_job *job, int64_t pages);
int64_t cuda_eig_chunk_pages (gla_engine *engine, const gla_eig_job *job, int64_t pages);
gla_status cuda_eig_begin (gla_engine *engine, const gla_eig_job *job, int64_t pages);
gla_status cuda_eig_submit (gla_engine *engine, int slot, const gla_eig_chunk *chunk);
gla_status cuda_eig_finish (gla_engine *engine, int slot);
void cuda_eig_end (gla_engine *engine);

int cuda_qr_supports (const gla_qr_job *job);
double cuda_qr_seconds (gla_engine *engine, const gla_qr_job *job, int64_t pages);
int64_t cuda_qr_chunk_pages (gla_engine *engine, const gla_qr_job *job, int64_t pages);
gla_status cuda_qr_begin (gla_engine *engine, const gla_qr_job *job, int64_t pages);
gla_status cuda_qr_submit (gla_engine *engine, int slot, const gla_qr_chunk *chunk);
gla_status cuda_qr_finish (gla_engine *engine, int slot);
void cuda_qr_end (gla_engine *engine);

int cuda_gsvd_supports (const gla_gsvd_job *job);
double cuda_gsvd_seconds (gla_engine *engine, const gla_gsvd_job *job, int64_t pages);
int64_t cuda_gsvd_chunk_pages (gla_engine *engine, const gla_gsvd_job *job, int64_t pages);
gla_status cuda_gsvd_begin (gla_engine *engine, const gla_gsvd_job *job, int64_t pages);
gla_status cuda_gsvd_submit (gla_engine *engine, int slot, const gla_gsvd_chunk *chunk);
gla_status cuda_gsvd_finish (gla_engine *engine, int slot);
void cuda_gsvd_end (gla_engine *engine);
int cuda_spmv_supports (const gla_spmv_matrix *M);
double cuda_spmv_seconds (gla_engine *engine, const gla_spmv_matrix *M, const void *prepared,
                          int64_t columns);
gla_status cuda_spmv_prepare (gla_engine *engine, const gla_spmv_matrix *M,
                              const gla_monitor *monitor, void **prepared);
gla_status cuda_spmv_product (gla_engine *engine, void *prepared, const gla_spmv_job *job);
void cuda_spmv_free (gla_engine *engine, void *prepared);

int cuda_krylov_supports (const gla_krylov_job *job);
double cuda_krylov_seconds (gla_engine *engine, const gla_krylov_job *job, int64_t products);
gla_status cuda_krylov_begin (gla_engine *engine, const gla_krylov_job *job);
gla_status cuda_krylov_put (gla_engine *engine, int64_t first, int64_t count, const void *from);
gla_status cuda_krylov_get (gla_engine *engine, int64_t first, int64_t count, void *to);
gla_status cuda_krylov_start (gla_engine *engine, int64_t at, int64_t given, uint64_t seed);
gla_status cuda_krylov_expand (gla_engine *engine, int64_t from, int64_t to, double *T, int64_t ldt,
                               int64_t *replaced);
gla_status cuda_krylov_rotate (gla_engine *engine, int64_t count, const double *S, int64_t keep);
gla_status cuda_krylov_check (gla_engine *engine, int64_t count, const double *theta,
                              double *residuals, double *orthogonality);
gla_status cuda_krylov_plain (gla_engine *engine, int64_t steps, double *alpha, double *beta,
                              int64_t *done);
gla_status cuda_krylov_combine (gla_engine *engine, int64_t steps, const double *alpha,
                                const double *beta, const double *S, int64_t count);
void cuda_krylov_end (gla_engine *engine);

#endif
