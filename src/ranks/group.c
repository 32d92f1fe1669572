// group.c: messages between ranks: waits, heads, counters, and the agreement at the end of a call
// SPDX-License-Identifier: GPL-3.0-or-later

#include "group.h"
#include "common/system.h"
#include "threads/pool.h"
#include "threads/schedule.h"
#include "structs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  KEPT = 16 << 20, // bytes between calls
  GRACE = 3,       // seconds
  LINK_PATIENCE = 6
};

//------------------------------------------------------------------------------
// create and destroy
//------------------------------------------------------------------------------

// GPULINALG_MPI_TIMEOUT: seconds that a rank waits for another one.
static double timeout_of_environment (void)
{
  const char *text = getenv ("GPULINALG_MPI_TIMEOUT");
  const double seconds = text != NULL ? strtod (text, NULL) : 0;
  return seconds > 0 ? seconds : 0;
}

// GPULINALG_NCCL: "yes", or the path of the library.
static void start_link (gla_ranks *ranks)
{
  gla_rank_link *link = &ranks->link;
  const char *text = getenv ("GPULINALG_NCCL");
  link->rank = ranks->transport.rank;
  link->ranks = ranks->transport.ranks;
  link->asked = text != NULL && (strcmp (text, "yes") == 0 || strchr (text, '/') != NULL);
  link->patience =
      ranks->timeout > 0 ? fmin (LINK_PATIENCE, ranks->timeout / 2) : (double)LINK_PATIENCE;
  if (link->asked)
    link->slots = calloc ((size_t)link->ranks * GLA_LINK_SLOT, sizeof *link->slots);
}

void gla_ranks_unlink (gla_ranks *ranks, const char *why)
{
  gla_rank_link *link = &ranks->link;
  if (link->made == NULL)
    return;
  link->close (link->made);
  link->made = NULL;
  snprintf (link->text, sizeof link->text, "%s", why);
}

void gla_ranks_drop (gla_ranks *ranks, void *memory)
{
  if (ranks->broken == GLA_OK || memory == NULL) {
    free (memory);
    return;
  }
  gla_ranks_memory *node = malloc (sizeof *node);
  if (node == NULL)
    return; // lost: a message would write to the memory of others
  *node = (gla_ranks_memory){ranks->left, memory};
  ranks->left = node;
}

void gla_ranks_free (gla_ranks *ranks)
{
  while (ranks->left != NULL) {
    gla_ranks_memory *node = ranks->left;
    ranks->left = node->next;
    free (node->memory);
    free (node);
  }
  free (ranks->link.slots);
  free (ranks->cards);
  free (ranks->memory);
  free (ranks);
}

gla_ranks *gla_ranks_new (const gla_transport *transport)
{
  gla_ranks *ranks = calloc (1, sizeof *ranks);
  if (ranks == NULL)
    return NULL;
  ranks->transport = *transport;
  ranks->info = (gla_ranks_info){.rank = transport->rank,
                                 .ranks = transport->ranks,
                                 .local_rank = transport->local_rank,
                                 .local_ranks = transport->local_ranks};
  memcpy (ranks->info.transport, transport->name, sizeof ranks->info.transport);
  ranks->version = GLA_VERSION_NUMBER;
  ranks->timeout = timeout_of_environment ();
  start_link (ranks);
  const int processors = gla_processors ();
  const int crowd = (transport->local_ranks + processors - 1) / processors;
  ranks->crowd = crowd > 50 ? 50 : crowd;
  ranks->cards = calloc ((size_t)transport->ranks, sizeof *ranks->cards);
  if (ranks->cards != NULL && (ranks->link.slots != NULL || !ranks->link.asked) &&
      gla_ranks_reserve (ranks, 0) == GLA_OK)
    return ranks;
  gla_ranks_free (ranks);
  return NULL;
}

void gla_ranks_destroy (gla_ranks *ranks)
{
  if (ranks == NULL || ranks->kept)
    return;
  ranks->transport.leave (ranks->transport.self, ranks->broken != GLA_OK);
  gla_ranks_unlink (ranks, "");
  gla_ranks_free (ranks);
}

gla_status gla_ranks_check (gla_context *ctx, const gla_ranks *ranks)
{
  if (ranks == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "ranks must not be NULL");
  return ranks->broken != GLA_OK ? gla_fail (ctx, ranks->broken, "%s", ranks->why) : GLA_OK;
}

gla_status gla_ranks_begin (gla_context *ctx, const gla_ranks *ranks)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  return gla_ranks_check (ctx, ranks);
}

gla_status gla_ranks_query (gla_context *ctx, const gla_ranks *ranks, gla_ranks_info *info)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (ranks == NULL || info == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL",
                     ranks == NULL ? "ranks" : "info");
  if (!gla_check_report (ctx, "info", info))
    return GLA_ERROR_BAD_ARGUMENT;
  gla_ranks_info all = ranks->info;
  snprintf (all.device_data, sizeof all.device_data, "%s",
            ranks->link.made != NULL ? "nccl" : "host");
  snprintf (all.nccl, sizeof all.nccl, "%s", ranks->link.text);
  gla_give_struct (info, &all, sizeof all);
  return GLA_OK;
}

gla_callbacks gla_ranks_enter (gla_ranks *ranks)
{
  ranks->ctx->rank_here = 1 + ranks->transport.local_rank;
  return gla_silence (ranks->ctx);
}

void gla_ranks_leave (gla_ranks *ranks, gla_callbacks before)
{
  ranks->ctx->callbacks = before;
  ranks->ctx->rank_here = 0;
}

//------------------------------------------------------------------------------
// waits
//------------------------------------------------------------------------------

static int breaks (gla_ranks *ranks, gla_status status, const char *text)
{
  ranks->broken = status;
  snprintf (ranks->why, sizeof ranks->why, "%s", text);
  return 1;
}

// A rank with a processor of its own yields it without sleeping for the first millisecond: a sleep
// takes 55 us at least, and most messages come earlier. Then, or at once where ranks share
// processors, sleeps grow to 0.2 ms, and longer the more ranks there are, so that ranks that wait
// leave the processors to those that work. Each part of a message that arrives starts this again:
// MPI moves bytes only while it is called.
static void nap (const gla_ranks *ranks, int turns, double waited)
{
  const long longest = 200000L * ranks->crowd;
  const int tired = turns * ranks->crowd;
  if (tired < 20 || (ranks->crowd == 1 && waited < 1e-3))
    gla_yield ();
  else
    gla_nap (tired < 100 ? 2000 : tired < 200 ? 20000 : longest);
}

// A stop that comes while a rank waits is sent to the others with its next message. If none can be
// sent for a while, and nothing arrives, it breaks the ranks. Nonzero: that time has passed.
static int stopped (gla_ranks *ranks, int peer, double moved, double *since)
{
  char text[200];
  if (*since == 0) {
    if (ranks->ctx == NULL || !gla_stop_wanted (ranks->ctx))
      return 0;
    *since = gla_now ();
    gla_ranks_note (ranks, gla_fail (ranks->ctx, GLA_ERROR_STOPPED, "stopped"));
  }
  if (gla_now () - fmax (*since, moved) < GRACE)
    return 0;
  snprintf (text, sizeof text, "rank %d was stopped while it waited for rank %d",
            ranks->transport.rank, peer);
  return breaks (ranks, GLA_ERROR_STOPPED, text);
}

// Waits until all started transfers are done.
static int wait_for (gla_ranks *ranks, int peer)
{
  char why[256] = "", text[400];
  const gla_transport *t = &ranks->transport;
  const double start = gla_now ();
  double since = 0, moved = start; // when the last part came or went
  for (int turns = 0, idle = 0;; turns++, idle++) {
    const int done = t->test (t->self, why, sizeof why);
    if (done == 1)
      break;
    if (done == 2) {
      moved = gla_now ();
      idle = 0;
    }
    if (done < 0) {
      snprintf (text, sizeof text, "rank %d has lost rank %d: %s", t->rank, peer, why);
      return breaks (ranks, GLA_ERROR_RANK_LOST, text);
    }
    if (turns % 100 == 99 && stopped (ranks, peer, moved, &since))
      return 1;
    if (ranks->timeout > 0 && gla_now () - moved > ranks->timeout) {
      snprintf (text, sizeof text, "rank %d has waited %g seconds for rank %d", t->rank,
                ranks->timeout, peer);
      return breaks (ranks, GLA_ERROR_RANK_LOST, text);
    }
    nap (ranks, idle, gla_now () - moved);
  }
  ranks->info.seconds_waited += gla_now () - start;
  return 0;
}

// Starts to send or to receive.
static int begin (gla_ranks *ranks, int peer, void *data, size_t bytes, int receives)
{
  char why[256] = "", text[400];
  const gla_transport *t = &ranks->transport;
  if (ranks->broken != GLA_OK)
    return 1;
  const int failed = receives ? t->receive (t->self, peer, data, bytes, why, sizeof why)
                              : t->send (t->self, peer, data, bytes, why, sizeof why);
  if (!failed)
    return 0;
  snprintf (text, sizeof text, "rank %d has lost rank %d: %s", t->rank, peer, why);
  return breaks (ranks, GLA_ERROR_RANK_LOST, text);
}

static void count (gla_ranks *ranks, size_t bytes, int received)
{
  *(received ? &ranks->info.messages_received : &ranks->info.messages_sent) += 1;
  *(received ? &ranks->info.bytes_received : &ranks->info.bytes_sent) += (int64_t)bytes;
}

void gla_ranks_count (gla_ranks *ranks, size_t out_bytes, size_t in_bytes)
{
  if (out_bytes > 0)
    count (ranks, out_bytes, 0);
  if (in_bytes > 0)
    count (ranks, in_bytes, 1);
}

int gla_ranks_move (gla_ranks *ranks, int peer, void *data, size_t bytes, int receives)
{
  if (begin (ranks, peer, data, bytes, receives) || wait_for (ranks, peer))
    return 1;
  count (ranks, bytes, receives);
  return 0;
}

int gla_ranks_exchange (gla_ranks *ranks, int to, const void *out, size_t out_bytes, int from,
                        void *in, size_t in_bytes)
{
  // the transport does not write to what it sends
  if (out_bytes > 0 && begin (ranks, to, (void *)(uintptr_t)out, out_bytes, 0))
    return 1;
  if (in_bytes > 0 && begin (ranks, from, in, in_bytes, 1))
    return 1;
  if (wait_for (ranks, in_bytes > 0 ? from : to))
    return 1;
  gla_ranks_count (ranks, out_bytes, in_bytes);
  return 0;
}

//------------------------------------------------------------------------------
// messages with a head
//------------------------------------------------------------------------------

gla_status gla_ranks_reserve (gla_ranks *ranks, size_t bytes)
{
  const size_t all = sizeof (gla_rank_failure) + bytes;
  if (all <= ranks->room)
    return GLA_OK;
  char *memory = all > bytes ? malloc (all) : NULL;
  if (memory == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  memset (memory, 0, sizeof (gla_rank_failure));
  free (ranks->memory);
  ranks->memory = memory;
  ranks->room = all;
  return GLA_OK;
}

char *gla_ranks_bytes (gla_ranks *ranks)
{
  return ranks->memory + sizeof (gla_rank_failure);
}

int gla_ranks_send (gla_ranks *ranks, int peer, size_t bytes)
{
  memcpy (ranks->memory, &ranks->failure, sizeof ranks->failure);
  return gla_ranks_move (ranks, peer, ranks->memory, sizeof ranks->failure + bytes, 0);
}

int gla_ranks_receive (gla_ranks *ranks, int peer, size_t bytes)
{
  gla_rank_failure other;
  if (gla_ranks_move (ranks, peer, ranks->memory, sizeof other + bytes, 1))
    return 1;
  memcpy (&other, ranks->memory, sizeof other);
  if (other.status != GLA_OK &&
      (ranks->failure.status == GLA_OK || other.rank < ranks->failure.rank))
    ranks->failure = other;
  return 0;
}

int gla_ranks_spread (gla_ranks *ranks, size_t bytes)
{
  const int rank = ranks->transport.rank, count = ranks->transport.ranks;
  if (rank > 0 && gla_ranks_receive (ranks, gla_tree_parent (rank), bytes))
    return 1;
  for (int level = gla_tree_levels (rank, count) - 1; level >= 0; level--)
    if (gla_ranks_send (ranks, gla_tree_child (rank, count, level), bytes))
      return 1;
  return 0;
}

//------------------------------------------------------------------------------
// agreement
//------------------------------------------------------------------------------

void gla_ranks_note (gla_ranks *ranks, gla_status status)
{
  const int rank = ranks->transport.rank;
  if (status == GLA_OK || (ranks->failure.status != GLA_OK && ranks->failure.rank <= rank))
    return;
  ranks->failure = (gla_rank_failure){.status = status, .rank = rank};
  snprintf (ranks->failure.text, sizeof ranks->failure.text, "%s", gla_message (ranks->ctx));
  if (ranks->failure.text[0] == '\0')
    snprintf (ranks->failure.text, sizeof ranks->failure.text, "%s", gla_status_text (status));
}

// Frees the memory of a long message, unless the message may still be under way.
static void give_back (gla_ranks *ranks)
{
  char *smaller = realloc (ranks->memory, KEPT);
  if (smaller == NULL)
    return;
  ranks->memory = smaller;
  ranks->room = KEPT;
}

gla_status gla_ranks_agree (gla_ranks *ranks)
{
  const int rank = ranks->transport.rank, count = ranks->transport.ranks;
  int lost = 0;
  for (int level = 0; level < gla_tree_levels (rank, count) && !lost; level++)
    lost = gla_ranks_receive (ranks, gla_tree_child (rank, count, level), 0);
  if (!lost && rank > 0)
    lost = gla_ranks_send (ranks, gla_tree_parent (rank), 0);
  if (!lost)
    gla_ranks_spread (ranks, 0);
  if (ranks->broken == GLA_OK && ranks->room > KEPT)
    give_back (ranks);

  gla_context *ctx = ranks->ctx;
  const gla_rank_failure *f = &ranks->failure;
  if (ranks->broken != GLA_OK)
    return gla_fail (ctx, ranks->broken, "%s", ranks->why);
  if (f->status == GLA_OK)
    return GLA_OK;
  const gla_status status = (gla_status)f->status;
  if (status == GLA_ERROR_STOPPED && f->rank != rank)
    return gla_fail (ctx, GLA_ERROR_RANK_LOST, "rank %d was stopped", (int)f->rank);
  return gla_fail (ctx, status, "rank %d: %s", (int)f->rank, f->text);
}
