// threads.c: ranks that are threads of one process
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A transport of its own, for tests and for programs in C. Each rank has a queue; who sends copies
// the message and puts it there, so sending never waits. A rank that leaves wakes those that wait
// for it.

#include "group.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct letter {
  struct letter *next;
  int from;
  size_t bytes;
  char data[];
} letter;

typedef struct {
  pthread_mutex_t lock;
  letter *first, **end; // in the order of their arrival
} mailbox;

typedef struct {
  atomic_int users;
  int ranks;
  atomic_int *gone; // ranks that have left
  mailbox boxes[];
} house;

// What one rank knows; at most one message is being received at a time.
typedef struct {
  house *house;
  int rank;
  int from; // -1: none is awaited
  void *data;
  size_t bytes;
} resident;

//------------------------------------------------------------------------------
// messages
//------------------------------------------------------------------------------

static int send (void *self, int peer, const void *data, size_t bytes, char *why, size_t room)
{
  resident *me = self;
  mailbox *box = &me->house->boxes[peer];
  letter *l = malloc (sizeof *l + bytes);
  if (l == NULL) {
    snprintf (why, room, "there is no memory for a message of %zu bytes", bytes);
    return 1;
  }
  l->next = NULL;
  l->from = me->rank;
  l->bytes = bytes;
  memcpy (l->data, data, bytes);
  pthread_mutex_lock (&box->lock);
  *box->end = l;
  box->end = &l->next;
  pthread_mutex_unlock (&box->lock);
  return 0;
}

static int receive (void *self, int peer, void *data, size_t bytes, char *why, size_t room)
{
  resident *me = self;
  (void)why;
  (void)room;
  me->from = peer;
  me->data = data;
  me->bytes = bytes;
  return 0;
}

// Takes the first letter of this sender out of the box; NULL: there is none.
static letter *take (mailbox *box, int from)
{
  pthread_mutex_lock (&box->lock);
  letter **at = &box->first;
  while (*at != NULL && (*at)->from != from)
    at = &(*at)->next;
  letter *l = *at;
  if (l != NULL) {
    *at = l->next;
    if (l->next == NULL)
      box->end = at;
  }
  pthread_mutex_unlock (&box->lock);
  return l;
}

static int test (void *self, char *why, size_t room)
{
  resident *me = self;
  if (me->from < 0)
    return 1;
  // A rank may send, then leave: whether it has gone is read first.
  const int gone = atomic_load (&me->house->gone[me->from]);
  letter *l = take (&me->house->boxes[me->rank], me->from);
  if (l == NULL) {
    snprintf (why, room, "it has left");
    return gone ? -1 : 0;
  }
  const int fits = l->bytes == me->bytes;
  if (fits)
    memcpy (me->data, l->data, l->bytes);
  else
    snprintf (why, room, "a message has %zu bytes, expected were %zu", l->bytes, me->bytes);
  me->from = -1;
  free (l);
  return fits ? 1 : -1;
}

//------------------------------------------------------------------------------
// create and destroy a group of ranks
//------------------------------------------------------------------------------

static void free_house (house *h)
{
  for (int r = 0; r < h->ranks; r++) {
    while (h->boxes[r].first != NULL) {
      letter *l = h->boxes[r].first;
      h->boxes[r].first = l->next;
      free (l);
    }
    pthread_mutex_destroy (&h->boxes[r].lock);
  }
  free (h->gone);
  free (h);
}

static void leave (void *self, int status)
{
  resident *me = self;
  (void)status;
  atomic_store (&me->house->gone[me->rank], 1);
  if (atomic_fetch_sub (&me->house->users, 1) == 1)
    free_house (me->house);
  free (me);
}

static int at_exit (void (*ended) (int status, void *user), void *user)
{
  (void)ended;
  (void)user;
  return 1; // threads are not processes
}

static house *build (int count)
{
  house *h = calloc (1, sizeof *h + (size_t)count * sizeof *h->boxes);
  if (h == NULL)
    return NULL;
  h->gone = calloc ((size_t)count, sizeof *h->gone);
  if (h->gone == NULL) {
    free (h);
    return NULL;
  }
  h->ranks = count;
  atomic_store (&h->users, count);
  for (int r = 0; r < count; r++) {
    pthread_mutex_init (&h->boxes[r].lock, NULL);
    h->boxes[r].end = &h->boxes[r].first;
  }
  return h;
}

static gla_ranks *move_in (house *h, int rank)
{
  resident *me = calloc (1, sizeof *me);
  if (me == NULL)
    return NULL;
  *me = (resident){.house = h, .rank = rank, .from = -1};
  gla_transport t = {.size = sizeof t,
                     .version = GLA_TRANSPORT_VERSION,
                     .rank = rank,
                     .ranks = h->ranks,
                     .local_rank = rank,
                     .local_ranks = h->ranks,
                     .name = "threads",
                     .self = me,
                     .send = send,
                     .receive = receive,
                     .test = test,
                     .leave = leave,
                     .at_exit = at_exit};
  gla_ranks *ranks = gla_ranks_new (&t);
  if (ranks == NULL)
    free (me);
  return ranks;
}

gla_status gla_ranks_threads (gla_context *ctx, int count, gla_ranks **ranks)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (ranks == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "ranks must not be NULL");
  if (count < 1 || count > GLA_MAX_RANKS)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "count = %d must be 1 to %d", count,
                     GLA_MAX_RANKS);
  for (int r = 0; r < count; r++)
    ranks[r] = NULL;
  house *h = build (count);
  int made = 0;
  while (h != NULL && made < count && (ranks[made] = move_in (h, made)) != NULL)
    made++;
  if (made == count)
    return GLA_OK;
  for (int r = made; h != NULL && r < count; r++)
    atomic_fetch_sub (&h->users, 1); // those that never were
  for (int r = 0; r < made; r++) {
    gla_ranks_destroy (ranks[r]);
    ranks[r] = NULL;
  }
  if (h != NULL && made == 0)
    free_house (h);
  return gla_end_call (ctx, GLA_ERROR_OUT_OF_MEMORY);
}
