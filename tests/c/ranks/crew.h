// crew.h: a crew of ranks that are threads, each with its own context
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef CREW_H
#define CREW_H

#include "frame/check.h"

#include <pthread.h>

// The sanitizers make everything slow, so they get fewer cases.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SLOW = 1 };
#else
enum { SLOW = 0 };
#endif

enum { MOST_RANKS = 512 };

// Where the ranks work.
static gla_place crew_place = GLA_PLACE_CPU;

// With the argument "gpu": each on a GPU of this machine, with fewer cases.
static inline int crew_on_gpus (int argc, char **argv)
{
  if (argc < 2 || strcmp (argv[1], "gpu") != 0)
    return 0;
  crew_place = GLA_PLACE_GPU;
  return 1;
}

typedef struct crew crew;
typedef struct {
  crew *all;
  int rank;
  gla_context *ctx;
  gla_ranks *ranks;
  gla_status status; // of the body
  int good;          // what else the body has found; the counters of check.h belong to one thread
  char message[512]; // of the context, when the body has ended
  gla_ranks_info info;
} member;

struct crew {
  int count;
  void (*body) (member *m); // a test's calls on one rank
  void *user;               // the test's
  member members[MOST_RANKS];
};

static void *crew_thread (void *user)
{
  member *m = user;
  m->all->body (m);
  snprintf (m->message, sizeof m->message, "%s", gla_message (m->ctx));
  m->info.size = sizeof m->info;
  gla_ranks_query (m->ctx, m->ranks, &m->info);
  gla_ranks_destroy (m->ranks);
  gla_context_destroy (m->ctx);
  return NULL;
}

// Runs the body on so many ranks and waits until all have left.
static inline void crew_run (crew *c, int count, void (*body) (member *), void *user)
{
  static gla_ranks *ranks[MOST_RANKS];
  static pthread_t threads[MOST_RANKS];
  pthread_attr_t attributes;
  gla_context *ctx;
  c->count = count;
  c->body = body;
  c->user = user;
  CHECK (gla_context_create (&ctx) == GLA_OK, "a context");
  CHECK (gla_ranks_threads (ctx, count, ranks) == GLA_OK, "%d ranks: %s", count, gla_message (ctx));
  gla_context_destroy (ctx);
  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, 1 << 20);
  for (int r = 0; r < count; r++) {
    member *m = &c->members[r];
    *m = (member){.all = c, .rank = r, .ranks = ranks[r]};
    if (gla_context_create (&m->ctx) != GLA_OK ||
        gla_set_place (m->ctx, crew_place, NULL, 0) != GLA_OK ||
        pthread_create (&threads[r], &attributes, crew_thread, m) != 0)
      abort (); // the others would wait for it
  }
  for (int r = 0; r < count; r++)
    pthread_join (threads[r], NULL);
  pthread_attr_destroy (&attributes);
}

// Whether every rank has this status, and a message with this text.
static inline void crew_expect (const crew *c, gla_status status, const char *text,
                                const char *what)
{
  for (int r = 0; r < c->count; r++) {
    const member *m = &c->members[r];
    CHECK (m->status == status && strstr (m->message, text) != NULL,
           "%s: rank %d of %d: status %d \"%s\"", what, r, c->count, (int)m->status, m->message);
  }
}

// Rows first[r] .. first[r+1]-1 belong to rank r. kind 0: even; 1: more and more; 2: none on rank 0
// and on every third rank; 3: few on rank 0, all others on the last one.
static inline void crew_split (int64_t rows, int count, int kind, int64_t *first)
{
  first[0] = 0;
  for (int r = 0; r < count; r++) {
    const int64_t even = rows * (r + 1) / count,
                  more = rows * (r + 1) * (r + 2) / ((int64_t)count * (count + 1)),
                  some = r % 3 == 0 ? first[r] : even, few = rows < 3 ? rows : 3;
    const int64_t ends[] = {even, more, some, few};
    first[r + 1] = r == count - 1 ? rows : ends[kind];
  }
}

enum { SPLITS = 4 };

// Rows of an array that belong to a rank.
static inline gla_array crew_rows (const gla_array *a, const int64_t *first, int rank)
{
  gla_array part = *a;
  if (a->data == NULL)
    return part;
  part.data = (char *)a->data + (size_t)first[rank] * gla_type_size (a->type);
  part.rows = first[rank + 1] - first[rank];
  return part;
}

// A copy of the shape with memory of its own, for results that all ranks have.
static inline gla_array crew_copy (const gla_array *a)
{
  gla_array own = *a;
  const size_t bytes = (size_t)(a->page_stride * a->pages + 1) * gla_type_size (a->type);
  if (a->data != NULL) {
    own.data = malloc (bytes);
    memset (own.data, 0x5a, bytes);
  }
  return own;
}

#endif
