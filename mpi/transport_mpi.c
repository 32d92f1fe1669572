// transport_mpi.c: messages between ranks by MPI; compiled by mpicc to a plugin of its own
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Handles of MPI have other types in each MPI, so this file alone includes mpi.h, and the library
// opens what is made of it at run time (src/ranks/load.c). MPI 3 is needed. Errors of MPI are
// returned. Where a program has started MPI already it is used, and not ended here.

#include "ranks/transport.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A message goes in parts, because MPI counts with int, and so that a rank that waits sees that it
// comes; those between two ranks stay in order.
enum { LEAST_PART = 1 << 20, MOST_PART = 1 << 30, MOST_PARTS = 64, TAG = 5 };
enum { MOST_REQUESTS = 2 * MOST_PARTS }; // a message that is sent and one that is received

static MPI_Comm world = MPI_COMM_NULL;
static int started_here; // we have initialised MPI
static MPI_Request requests[MOST_REQUESTS];
static int pending, open_requests; // places that are in use; those that are not done
static int inside;                 // a call of MPI, from where MPICH may end the process

static int failed (int code, char *why, size_t room)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS)
    return 0;
  if (MPI_Error_string (code, text, &length) != MPI_SUCCESS)
    snprintf (text, sizeof text, "error %d of MPI", code);
  snprintf (why, room, "%s", text);
  return 1;
}

//------------------------------------------------------------------------------
// messages
//------------------------------------------------------------------------------

static int start (int peer, void *data, size_t bytes, int receives, char *why, size_t room)
{
  char *at = data;
  const size_t share = bytes / MOST_PARTS + 1, most = share < LEAST_PART ? LEAST_PART : share;
  if (share > MOST_PART || pending + (int)(bytes / most) >= MOST_REQUESTS) {
    snprintf (why, room, "a message of %zu bytes is too long", bytes);
    return 1;
  }
  inside = 1;
  do {
    const int part = (int)(bytes < most ? bytes : most);
    MPI_Request *request = &requests[pending];
    const int code = receives ? MPI_Irecv (at, part, MPI_BYTE, peer, TAG, world, request)
                              : MPI_Isend (at, part, MPI_BYTE, peer, TAG, world, request);
    if (failed (code, why, room)) {
      inside = 0;
      return 1;
    }
    pending++;
    open_requests++;
    at += part;
    bytes -= (size_t)part;
  } while (bytes > 0);
  inside = 0;
  return 0;
}

static int send (void *self, int peer, const void *data, size_t bytes, char *why, size_t room)
{
  (void)self;
  return start (peer, (void *)data, bytes, 0, why, room); // MPI_Isend writes nothing
}

static int receive (void *self, int peer, void *data, size_t bytes, char *why, size_t room)
{
  (void)self;
  return start (peer, data, bytes, 1, why, room);
}

static int test (void *self, char *why, size_t room)
{
  (void)self;
  int count = 0, places[MOST_REQUESTS];
  MPI_Status statuses[MOST_REQUESTS];
  inside = 1;
  const int code = MPI_Testsome (pending, requests, &count, places, statuses);
  inside = 0;
  if (failed (code, why, room))
    return -1;
  if (count != MPI_UNDEFINED && count < open_requests) {
    open_requests -= count;
    return count > 0 ? 2 : 0;
  }
  pending = open_requests = 0;
  return 1;
}

//------------------------------------------------------------------------------
// join and leave
//------------------------------------------------------------------------------

// Where another rank has ended all, MPICH ends the process within a call of MPI, and no other call
// may follow. An error ends all ranks: mpirun would do so, but MPI_Finalize, which a failed process
// must not call, would wait for the others, and they for it.
static void leave (void *self, int status)
{
  (void)self;
  int over = 0;
  if (inside || world == MPI_COMM_NULL || MPI_Finalized (&over) != MPI_SUCCESS || over)
    return;
  if (status != 0) {
    int rank = -1;
    MPI_Comm_rank (world, &rank);
    fprintf (stderr, "gpulinalg: rank %d ends with status %d, and so do the other ranks\n", rank,
             status);
    fflush (NULL);
    // MPICH's launcher may lose what it has not read when the ranks are ended
    nanosleep (&(struct timespec){.tv_nsec = 100000000}, NULL);
    MPI_Abort (MPI_COMM_WORLD, status); // of another communicator MPICH tells the ranks alone
  }
  MPI_Comm_free (&world);
  if (started_here)
    MPI_Finalize ();
}

static int watch_end (void (*ended) (int status, void *user), void *user)
{
  return on_exit (ended, user);
}

// "Open MPI v4.1.4" of "Open MPI v4.1.4, package: ..."; MPICH writes "MPICH Version:\t4.0.2\n...".
static void describe (char *name, size_t room)
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "MPI";
  int length = 0;
  MPI_Get_library_version (text, &length);
  for (char *c = text; *c != '\0'; c++)
    *c = *c == '\t' ? ' ' : *c;
  text[strcspn (text, ",\n")] = '\0';
  snprintf (name, room, "%s", text);
}

static int join_world (char *why, size_t room)
{
  int began = 0, over = 0, level;
  if (failed (MPI_Finalized (&over), why, room) || failed (MPI_Initialized (&began), why, room))
    return 1;
  if (over) {
    snprintf (why, room, "MPI was finalized in this process, and cannot start again");
    return 1;
  }
  if (!began && failed (MPI_Init_thread (NULL, NULL, MPI_THREAD_FUNNELED, &level), why, room))
    return 1;
  started_here = !began;
  if (failed (MPI_Comm_dup (MPI_COMM_WORLD, &world), why, room))
    return 1;
  return failed (MPI_Comm_set_errhandler (world, MPI_ERRORS_RETURN), why, room);
}

__attribute__ ((visibility ("default"))) int gla_transport_join (int version, gla_transport *t,
                                                                 char *why, size_t room);
int gla_transport_join (int version, gla_transport *t, char *why, size_t room)
{
  MPI_Comm host;
  if (version != GLA_TRANSPORT_VERSION) {
    snprintf (why, room,
              "it has version %d of the interface for plugins, the library has %d; build both "
              "together",
              (int)GLA_TRANSPORT_VERSION, version);
    return 1;
  }
  if (world == MPI_COMM_NULL && join_world (why, room))
    return 1;
  *t = (gla_transport){.size = sizeof *t, .version = GLA_TRANSPORT_VERSION};
  t->send = send;
  t->receive = receive;
  t->test = test;
  t->leave = leave;
  t->at_exit = watch_end;
  describe (t->name, sizeof t->name);
  if (failed (MPI_Comm_rank (world, &t->rank), why, room) ||
      failed (MPI_Comm_size (world, &t->ranks), why, room) ||
      failed (MPI_Comm_split_type (world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), why,
              room))
    return 1;
  const int code = MPI_Comm_rank (host, &t->local_rank);
  return failed (code, why, room) || failed (MPI_Comm_size (host, &t->local_ranks), why, room) ||
         failed (MPI_Comm_free (&host), why, room);
}
