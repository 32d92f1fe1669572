// group.h: the inside of gla_ranks: messages along the tree, agreement, counters
// SPDX-License-Identifier: GPL-3.0-or-later
//
// On every rank a collective call has three steps: gla_ranks_meet compares what the ranks call;
// work and messages follow; gla_ranks_agree ends it. A rank that fails meanwhile still sends and
// receives what the others expect, with meaningless contents: the head of each message says which
// rank failed first, so that all ranks end with the same error. Included by most files of this
// folder.

#ifndef GPULINALG_RANKS_GROUP_H
#define GPULINALG_RANKS_GROUP_H

#include "context.h"
#include "lanczos/lanczos_link.h"
#include "transport.h"
#include "tree.h"

// The calls of a rank; GLA_CALL_END is the end of its process.
typedef enum {
  GLA_CALL_END = 1,
  GLA_CALL_ANNOUNCE,
  GLA_CALL_QR,
  GLA_CALL_LEAST_SQUARES,
  GLA_CALL_GSVD,
  GLA_CALL_GEVD,
  GLA_CALL_DEAL,
  GLA_CALL_COLLECT,
  GLA_CALL_SPARSE,
  GLA_CALL_SPMV,
  GLA_CALL_EIGS,
  GLA_CALL_ALL_TO_ALL,
  GLA_CALL_GSVD_COLUMNS,
  GLA_CALL_GEVD_COLUMNS
} gla_rank_call;

// What must be the same on all ranks, 0 where it is not used; names are in meet.c.
enum {
  GLA_FACT_TYPE,
  GLA_FACT_COLUMNS,
  GLA_FACT_RIGHT_SIDES, // columns of B
  GLA_FACT_PAGES,
  GLA_FACT_BLOCK,
  GLA_FACT_OPTIONS, // method, blocking and ordering of gla_gsvd_options
  GLA_FACT_OUTPUTS, // a bit for each result that is wanted
  GLA_FACT_COUNT,   // of eigenvalues
  GLA_FACTS
};

// What every rank sends to all others when they meet.
typedef struct {
  int64_t version; // of the library
  int64_t call;    // gla_rank_call
  int64_t status;  // gla_status: this rank cannot take part, the text says why
  int64_t rows[2]; // of A and B
  int64_t size[2]; // columns and pages, in gla_ranks_announce; whether NCCL is asked for
  int64_t flags;   // of gla_ranks_parts
  int64_t facts[GLA_FACTS];
  char text[512 - 8 * (8 + GLA_FACTS)];
} gla_rank_card;

// The head of every later message: the failure of the lowest rank that is known.
typedef struct {
  int64_t status; // gla_status; GLA_OK: none
  int64_t rank;
  char text[240];
} gla_rank_failure;

// Memory of a message that may still be under way.
typedef struct gla_ranks_memory {
  struct gla_ranks_memory *next;
  void *memory;
} gla_ranks_memory;

struct gla_ranks {
  gla_transport transport;
  int64_t version;      // of the library; tests change it
  int crowd;            // ranks for each processor, 1 to 50
  double timeout;       // seconds to wait for a message; 0: for ever
  gla_status broken;    // of every call after a message got lost; GLA_OK
  int others_ended;     // `broken` because another rank has come to its end
  int kept;             // to the end of the process
  char why[512];        // the text of `broken`
  gla_context *ctx;     // of the call that is under way
  gla_rank_call call;   // the same
  gla_rank_card *cards; // of all ranks, from their last meeting
  gla_rank_failure failure;
  gla_ranks_info info;
  char *memory; // of one message, its head first
  size_t room;
  gla_ranks_memory *left; // of callers, until the ranks are freed: see gla_ranks_drop
  gla_rank_link link;     // between GPUs
};

// All ranks exchange cards. The same status and message on all: the failure of the lowest rank that
// has one, or what differs from rank 0. `mine` needs no version, and where its status is not GLA_OK
// no text: that is the message of the context then. Afterwards ranks->cards holds all.
gla_status gla_ranks_meet (gla_context *ctx, gla_ranks *ranks, gla_rank_card *mine);

// Rows of A (0) or B (1) on the ranks before this one, and in all, from the last meeting.
void gla_ranks_sum (const gla_ranks *ranks, int which, int64_t *before, int64_t *total);

// Memory for messages of so many bytes behind the head, before the ranks meet.
gla_status gla_ranks_reserve (gla_ranks *ranks, size_t bytes);
// The bytes behind the head, of the next message to send or the last one that was received.
char *gla_ranks_bytes (gla_ranks *ranks);
// A message with its head. Nonzero: the ranks are broken, and nothing more can be sent.
int gla_ranks_send (gla_ranks *ranks, int peer, size_t bytes);
int gla_ranks_receive (gla_ranks *ranks, int peer, size_t bytes);
// From rank 0 to all: what gla_ranks_bytes holds there.
int gla_ranks_spread (gla_ranks *ranks, size_t bytes);

// Sends to one rank and receives from another at once; a side without bytes is left out. There are
// no heads. If the ranks break meanwhile, MPI may still write to `in` and read `out` later: neither
// may be on the stack, and gla_ranks_drop frees them.
int gla_ranks_exchange (gla_ranks *ranks, int to, const void *out, size_t out_bytes, int from,
                        void *in, size_t in_bytes);

// Frees memory that gla_ranks_exchange was given. Broken ranks keep it until they are freed
// themselves.
void gla_ranks_drop (gla_ranks *ranks, void *memory);

// Reserves memory for gla_ranks_add, before the ranks meet.
gla_status gla_ranks_reserve_sums (gla_ranks *ranks);
// x[0..count-1] become their sums over all ranks, added along the tree: the same bits on all ranks.
// Polls the stop callback. Nonzero, on all ranks at the same sum: one of them has failed or was
// stopped; the sums mean nothing, but are the same still. Nonzero at once where the ranks are
// broken.
int gla_ranks_add (gla_ranks *ranks, double *x, int64_t count);

// Ends the link between GPUs, if there is one.
void gla_ranks_unlink (gla_ranks *ranks, const char *why);
// Counts messages of gla_ranks_exchange that another link has carried.
void gla_ranks_count (gla_ranks *ranks, size_t out_bytes, size_t in_bytes);

// Notes that this rank has failed with the message of the context, unless a lower one has.
void gla_ranks_note (gla_ranks *ranks, gla_status status);
// True if the results still have a meaning: no rank is known to have failed.
static inline int gla_ranks_well (const gla_ranks *ranks)
{
  return ranks->failure.status == GLA_OK && ranks->broken == GLA_OK;
}
// The end of a call: the same status and message on all ranks.
gla_status gla_ranks_agree (gla_ranks *ranks);

// Begins the work of a call, on the GPU of this rank if it uses one; no callback is called in it.
// Returns what gla_ranks_leave restores.
gla_callbacks gla_ranks_enter (gla_ranks *ranks);
void gla_ranks_leave (gla_ranks *ranks, gla_callbacks before);

// A group of one rank, for transports; NULL: no memory.
gla_ranks *gla_ranks_new (const gla_transport *transport);
void gla_ranks_free (gla_ranks *ranks);
// Whether this can be a group, and is not broken; the message says what is wrong.
gla_status gla_ranks_check (gla_context *ctx, const gla_ranks *ranks);
// The beginning of a call: the same, where there is a context, whose message is cleared.
gla_status gla_ranks_begin (gla_context *ctx, const gla_ranks *ranks);

// Reports to the other ranks that this process ends with success.
gla_status gla_ranks_finish (gla_context *ctx, gla_ranks *ranks);

// Moves bytes without a head, in group.c; nonzero as above.
int gla_ranks_move (gla_ranks *ranks, int peer, void *data, size_t bytes, int receives);

#endif
