// queue.h: the chunks of a call that one engine has in flight, and a whole call, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QUEUE_H
#define GPULINALG_QUEUE_H

#include "auto/choose.h"
#include "run.h"

//------------------------------------------------------------------------------
// the chunks of one call that one engine has in flight, inside of src/
//------------------------------------------------------------------------------

// An operation on pages (batcheig, qr, gsvd) describes its call by a gla_call and itself by a
// gla_operation. All else is common to the operations: dispatch.c takes ranges of pages from the
// run, cuts a chunk for each out of the whole arrays, and passes it to the operation's row in the
// backend's table.

typedef struct gla_call gla_call;

// The properties of an operation.
typedef struct {
  gla_batch_op row;    // in a backend's table
  gla_placing placing; // with gla_batch_supports and gla_batch_seconds
  int arrays;          // a chunk begins with so many gla_array ..
  size_t chunk_bytes;  // .. and has so many bytes
  size_t page_bytes;   // host memory that a chunk needs for each of its pages; mostly 0
  // Fills the members of a chunk after its arrays, for these pages. memory: page_bytes for each
  // page. NULL: there are none.
  void (*slice) (const gla_call *call, gla_range range, void *chunk, void *memory);
  // Checks the results of a chunk, in the thread of its engine. NULL: nothing is done.
  gla_status (*after_finish) (gla_call *call, gla_range range, const void *chunk);
  // If there are fewer pages than GPUs: decides whether some of these work together on each page,
  // one page after the other. Tells the job so, and returns the place in `devices` of the one that
  // leads them, or -1. *failure: why a GPU could not be opened, if one could not. NULL: they never
  // do.
  int (*team) (gla_call *call, const int *devices, int count, gla_status *failure);
  // Does the waiting pages on the CPU, if the CPU has no row for the operation. NULL: it has.
  gla_status (*on_cpu) (gla_call *call);
} gla_operation;

// One call; the first member of the operation's own description.
struct gla_call {
  const gla_operation *operation;
  const gla_job *job;
  const gla_array *arrays; // whole, in the order of a chunk
  gla_run run;
  int device;          // the first GPU that worked, or GLA_DEVICE_HOST
  int64_t chunk_pages; // of the largest chunk
  const int *failed;   // with a team: the device that failed where its engine says that one did
};

// One engine with its ring of chunks, one for each slot.
typedef struct {
  gla_engine *engine; // NULL: it failed
  gla_call *call;
  int64_t chunk_pages;
  char *memory;                    // chunks, and behind them page_bytes for each of their pages
  int head, count;                 // the oldest slot, and slots in flight
  int alone;                       // memory is there for one chunk in flight, not for more
  gla_range ranges[GLA_MAX_SLOTS]; // in flight
  gla_status failure;              // why the engine was given up
} gla_queue;

// For gla_placing.
int gla_batch_supports (const gla_backend *backend, const void *call);
double gla_batch_seconds (gla_engine *engine, const void *call, int64_t pages);

// Cuts a chunk with these pages out of the whole arrays. memory: page_bytes for each page.
void gla_cut_chunk (const gla_call *call, gla_range range, void *chunk, void *memory);

// The operation's row of an engine.
const gla_batch_ops *gla_queue_row (const gla_queue *q);
// Takes memory for chunks of at most so many pages, or of fewer if memory is short.
gla_status gla_queue_begin (gla_queue *q, int64_t pages);
// Starts a chunk in a free slot. If that fails its pages return to the run.
gla_status gla_queue_submit (gla_queue *q, gla_range range);
// Waits for the oldest chunk. If that fails its pages return to the run.
gla_status gla_queue_finish (gla_queue *q);
void gla_queue_end (gla_queue *q);

// Fills the free slots and waits for the oldest chunk, repeatedly, until no page is left that could
// still come to this queue. A failing engine is given up: its reason is in q->failure.
void gla_queue_work (gla_queue *q);

//------------------------------------------------------------------------------
// a whole call of an operation on pages, inside of src/
//------------------------------------------------------------------------------

// Prepares the part of a call that the driver needs, before the operation fills its own.
void gla_call_start (gla_call *call, const gla_operation *operation, const gla_job *job,
                     gla_context *ctx, int64_t pages);

// Does the whole call where the context wants it or, for "auto", where it is predicted to be
// faster. What GPUs cannot do the CPU does, with one warning. The arrays are on the host or on the
// GPU that arrays[0] names. GLA_OK also if the run was closed.
gla_status gla_call_run (gla_call *call);

// Returns the first part of the report of any such call, without failed pages.
gla_report gla_call_report (const gla_call *call);

#endif
