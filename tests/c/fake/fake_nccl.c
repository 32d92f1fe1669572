// fake_nccl.c: a stand-in for NCCL between threads or processes of one computer
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A library of its own, because kernels/ opens it by name. Memory of the GPUs is memory of the host
// (fake_cuda.h), and bytes go through sockets. As the communicators of kernels/ do not block, all
// work is done where the caller asks for their state. What fails is said by the environment:
// FAKE_NCCL=WHAT:RANK:N, the N-th group of this rank, from 1:
//
//   id, init:RANK     ncclGetUniqueId, or the start of this rank, returns an error
//   absent:RANK       this rank starts and never comes to the others
//   group, error      ncclGroupEnd returns an error, or the state becomes one
//   hang              the state stays ncclInProgress
//   stall             the group has begun, and the stream never gets behind it
//   die               the process ends by SIGKILL

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SUCCESS = 0, SYSTEM_ERROR = 2, REMOTE_ERROR = 6, IN_PROGRESS = 7 };
enum { MOST_RANKS = 16, MOST_OPERATIONS = 64 };

typedef struct {
  char internal[128];
} id;

typedef struct {
  size_t size;
  unsigned magic, version;
  int blocking, rest[3];
  const char *net_name;
  int split_share;
} config;

typedef struct {
  char *at;
  size_t left;
  int peer, receives;
} operation;

typedef struct {
  int rank, ranks, groups;
  int listener, sockets[MOST_RANKS]; // -1: not connected
  char name[64];                     // of the meeting
  int started, state, absent, hangs, stalls;
  void *stream;
  operation operations[MOST_OPERATIONS];
  int count;
} communicator;

static _Thread_local communicator *grouped; // of the operations since ncclGroupStart
_Atomic int fake_nccl_live;                 // communicators

void fake_cuda_hold (void *stream); // of fake_cuda.c

static int fails (const char *what, int rank, int group)
{
  char word[16] = "";
  int r = -1, n = 0;
  const char *text = getenv ("FAKE_NCCL");
  return text != NULL && sscanf (text, "%15[a-z]:%d:%d", word, &r, &n) >= 1 &&
         strcmp (word, what) == 0 && (r == rank || r < 0) && n == group;
}

//------------------------------------------------------------------------------
// the meeting
//------------------------------------------------------------------------------

int ncclGetVersion (int *version)
{
  *version = 22803;
  return SUCCESS;
}

const char *ncclGetErrorString (int result)
{
  return result == REMOTE_ERROR ? "remote process exited" : "unhandled system error";
}

int ncclGetUniqueId (id *made)
{
  static _Atomic int ids;
  memset (made, 0, sizeof *made);
  snprintf (made->internal, sizeof made->internal, "gla-nccl-%d-%d", (int)getpid (), ++ids);
  return fails ("id", 0, 0) ? SYSTEM_ERROR : SUCCESS;
}

// A name that is no file.
static socklen_t address (const communicator *c, int rank, struct sockaddr_un *to)
{
  memset (to, 0, sizeof *to);
  to->sun_family = AF_UNIX;
  const int length = snprintf (to->sun_path + 1, sizeof to->sun_path - 1, "%s-%d", c->name, rank);
  return (socklen_t)(offsetof (struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int ncclCommInitRankConfig (void **made, int ranks, id meeting, int rank, config *how)
{
  struct sockaddr_un own;
  *made = NULL;
  if (how->magic != 0xcafebeef || how->size < sizeof *how || how->blocking != 0 ||
      ranks > MOST_RANKS || fails ("init", rank, 0))
    return SYSTEM_ERROR;
  communicator *c = calloc (1, sizeof *c);
  *c = (communicator){.rank = rank, .ranks = ranks, .listener = -1, .state = IN_PROGRESS};
  snprintf (c->name, sizeof c->name, "%.60s", meeting.internal);
  for (int r = 0; r < ranks; r++)
    c->sockets[r] = -1;
  c->absent = fails ("absent", rank, 0);
  c->listener = socket (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const socklen_t length = address (c, rank, &own);
  if (!c->absent && (bind (c->listener, (struct sockaddr *)&own, length) != 0 ||
                     listen (c->listener, MOST_RANKS) != 0))
    c->state = SYSTEM_ERROR;
  fake_nccl_live++;
  *made = c;
  return IN_PROGRESS;
}

// To lower ranks, which then know who has come.
static void call (communicator *c, int peer)
{
  struct sockaddr_un there;
  const socklen_t length = address (c, peer, &there);
  const int s = socket (AF_UNIX, SOCK_STREAM, 0);
  if (connect (s, (struct sockaddr *)&there, length) == 0 &&
      write (s, &c->rank, sizeof c->rank) == sizeof c->rank)
    c->sockets[peer] = s;
  else
    close (s); // not there yet
}

static void meet (communicator *c)
{
  int open = 0, rank;
  for (int r = 0; r < c->rank && !c->absent; r++)
    if (c->sockets[r] < 0)
      call (c, r);
  for (int s; !c->absent && (s = accept (c->listener, NULL, NULL)) >= 0;)
    if (read (s, &rank, sizeof rank) == sizeof rank)
      c->sockets[rank] = s;
    else
      close (s);
  for (int r = 0; r < c->ranks; r++)
    open += c->sockets[r] >= 0;
  if (open == c->ranks - 1) {
    c->started = 1;
    c->state = SUCCESS;
  }
}

//------------------------------------------------------------------------------
// groups
//------------------------------------------------------------------------------

int ncclGroupStart (void)
{
  grouped = NULL;
  return SUCCESS;
}

static int add (communicator *c, void *at, size_t bytes, int peer, int receives, void *stream)
{
  if (c->count == MOST_OPERATIONS)
    return SYSTEM_ERROR;
  c->operations[c->count++] = (operation){at, bytes, peer, receives};
  c->stream = stream;
  grouped = c;
  return SUCCESS;
}

int ncclSend (const void *from, size_t count, int type, int peer, void *comm, void *stream)
{
  (void)type;
  return add (comm, (void *)from, count, peer, 0, stream); // it is not written to
}

int ncclRecv (void *to, size_t count, int type, int peer, void *comm, void *stream)
{
  (void)type;
  return add (comm, to, count, peer, 1, stream);
}

int ncclGroupEnd (void)
{
  communicator *c = grouped;
  grouped = NULL;
  if (c == NULL)
    return SUCCESS;
  const int group = ++c->groups;
  if (fails ("die", c->rank, group))
    raise (SIGKILL);
  if (fails ("group", c->rank, group))
    return SYSTEM_ERROR;
  c->state = fails ("error", c->rank, group) ? REMOTE_ERROR : IN_PROGRESS;
  c->hangs = fails ("hang", c->rank, group);
  c->stalls = fails ("stall", c->rank, group);
  if (c->stalls) {
    fake_cuda_hold (c->stream);
    c->count = 0;
    c->state = SUCCESS;
  }
  return c->state == SUCCESS ? SUCCESS : IN_PROGRESS;
}

// As much of one as can be moved without waiting. 0, or an error.
static int move (communicator *c, operation *o)
{
  const int s = c->sockets[o->peer];
  while (o->left > 0) {
    const ssize_t moved = o->receives ? recv (s, o->at, o->left, MSG_DONTWAIT)
                                      : send (s, o->at, o->left, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (moved < 0 && (errno == EAGAIN || errno == EINTR))
      return 0;
    if (moved <= 0)
      return REMOTE_ERROR;
    o->at += moved;
    o->left -= (size_t)moved;
  }
  return 0;
}

// Operations with one rank are in order.
static void move_all (communicator *c)
{
  size_t left = 0;
  for (int k = 0; k < c->count; k++) {
    int blocked = 0;
    for (int j = 0; j < k; j++)
      blocked |= c->operations[j].left > 0 && c->operations[j].peer == c->operations[k].peer &&
                 c->operations[j].receives == c->operations[k].receives;
    const int failed = blocked ? 0 : move (c, &c->operations[k]);
    if (failed)
      c->state = failed;
    left += c->operations[k].left;
  }
  if (left == 0 && c->state == IN_PROGRESS) {
    c->count = 0;
    c->state = SUCCESS;
  }
}

int ncclCommGetAsyncError (void *comm, int *state)
{
  communicator *c = comm;
  if (c->state == IN_PROGRESS && !c->started)
    meet (c);
  else if (c->state == IN_PROGRESS && !c->hangs)
    move_all (c);
  *state = c->state;
  return SUCCESS;
}

// Within a computer NCCL does not tell other ranks, so where something fails sockets stay open.
int ncclCommAbort (void *comm)
{
  communicator *c = comm;
  if (c->stalls)
    fake_cuda_hold (NULL);
  for (int r = 0; r < c->ranks; r++)
    if (c->sockets[r] >= 0 && getenv ("FAKE_NCCL") == NULL)
      close (c->sockets[r]);
  close (c->listener);
  free (c);
  fake_nccl_live--;
  return SUCCESS;
}
