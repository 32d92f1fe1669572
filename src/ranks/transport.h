// transport.h: how messages get from one rank to another
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one border between the library and what moves bytes: threads of one process (threads.c), or
// MPI (../../mpi/transport_mpi.c, a plugin that mpicc compiles and that is opened at run time).
// Everything else, trees, checks, counters and waits, is written once above it, so all transports
// give the same bits and the same number of messages.

#ifndef GPULINALG_TRANSPORT_H
#define GPULINALG_TRANSPORT_H

#include <stddef.h>

// A plugin of another version is refused.
enum { GLA_TRANSPORT_VERSION = 3 };

typedef struct {
  size_t size; // sizeof (gla_transport)
  int version; // GLA_TRANSPORT_VERSION
  int rank, ranks;
  int local_rank, local_ranks; // among those of this computer
  char name[128];              // what moves the bytes: "Open MPI v4.1.4"
  void *self;

  // Starts to send or to receive one message, or one of each before `test`; those from one rank to
  // another arrive in order, and both sides name the same number of bytes. The memory stays as it
  // is until `test` says that all is done. Nonzero: it failed, `why` says how.
  int (*send) (void *self, int peer, const void *data, size_t bytes, char *why, size_t room);
  int (*receive) (void *self, int peer, void *data, size_t bytes, char *why, size_t room);
  // 1: all that was started is done; 2: not yet, but some of it has come or gone since the last
  // test; 0: nothing has; -1: it failed.
  int (*test) (void *self, char *why, size_t room);
  // The rank has ended with this status of its process; other ranks end with it if that is not 0.
  void (*leave) (void *self, int status);
  // Has `ended` called when the process ends, with the status it ends with; nonzero: impossible.
  int (*at_exit) (void (*ended) (int status, void *user), void *user);
} gla_transport;

// The one function of a plugin: joins the ranks of this program and describes them, once for a
// process. Nonzero: it failed, `why` says how.
#define GLA_TRANSPORT_SYMBOL "gla_transport_join"
typedef int (*gla_transport_join_function) (int version, gla_transport *transport, char *why,
                                            size_t room);

#endif
