// rank_link.cu: sends rows between the GPUs of ranks by NCCL, if all ranks have it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Messages of the ranks carry the id of NCCL and what each rank knows, as sums in which each number
// has its own place. So all ranks make the same decision: if a rank has no NCCL, or shares a GPU,
// all send through the host.
//
// No wait is without limit. The communicator does not block: its state is polled, and so is the
// event after an exchange. When the time is over the communicator is aborted, which also ends its
// kernels. It is never destroyed in another way, which would wait for other ranks.

#include "rank_link.h"
#include "common/runtime.cuh"
#include "common/system.h"
#include "threads/schedule.h"
#include "nccl.cuh"

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <new>

namespace
{

// Places of a rank in l->slots.
enum { PROBLEM, UUID, FITS = UUID + 3, SLOT = GLA_LINK_SLOT };
static_assert (FITS < (int)SLOT, "src/ranks/ reserves these places");

// Why a rank cannot take part; results of NCCL follow the last of these.
enum problem {
  NONE,
  NO_LIBRARY = NCCL_NO_LIBRARY,
  NO_FUNCTION = NCCL_NO_FUNCTION,
  TOO_OLD = NCCL_TOO_OLD,
  NO_START,
  NO_ANSWER,
  NO_MEMORY,
  RESULT = 16
};

struct link {
  const nccl_library *nccl;
  void *comm;
  cudaEvent_t done;
  int device;
  double uuid[3]; // of the device
};

// An exchange may take longer than the patience by the time of its bytes at this rate.
const double SLOWEST = 1e8;     // bytes a second
const double START_EACH = 0.05; // seconds for each rank that starts, plus twice the patience

// One step of a wait: without sleep for the first millisecond.
void rest (double waited)
{
  if (waited < 1e-3)
    gla_yield ();
  else
    gla_nap (50000);
}

// Returns what NCCL says when it has done its work, or NCCL_IN_PROGRESS when the time is over.
int settled (const link *k, double limit)
{
  const double start = gla_now ();
  int state = NCCL_IN_PROGRESS;
  while (true) {
    const int asked = k->nccl->async_error (k->comm, &state);
    if (asked != NCCL_SUCCESS)
      return asked;
    if (state != NCCL_IN_PROGRESS || gla_now () - start > limit)
      return state;
    rest (gla_now () - start);
  }
}

void close_link (void *made)
{
  link *k = static_cast<link *> (made);
  if (k->comm != nullptr)
    k->nccl->abort (k->comm);
  if (k->done != nullptr)
    cudaEventDestroy (k->done);
  cudaGetLastError ();
  delete k;
}

//------------------------------------------------------------------------------
// begin
//------------------------------------------------------------------------------

const char *text_of (int problem)
{
  const nccl_library *nccl;
  switch (problem) {
  case NO_LIBRARY:
    return "libnccl.so.2 cannot be opened";
  case NO_FUNCTION:
    return "libnccl.so.2 lacks a function";
  case TOO_OLD:
    return "NCCL is older than 2.18";
  case NO_START:
    return "NCCL did not start in time";
  case NO_ANSWER:
    return "by NCCL the GPUs of other ranks did not answer";
  case NO_MEMORY:
    return "too little memory for NCCL";
  default:
    return nccl_open (&nccl) == NCCL_FOUND ? nccl->error_string (problem - RESULT) : "NCCL fails";
  }
}

// Whether a rank has waited for another one.
bool has_waited (int problem)
{
  return problem == NO_START || problem == NO_ANSWER;
}

// Finds the lowest rank with a problem that all ranks know; one that has waited only if there is no
// other.
bool has_problem (gla_rank_link *l, int stride)
{
  int of = -1;
  for (int r = 0; r < l->ranks; r++) {
    const int here = (int)l->slots[r * stride];
    if (here != NONE && (of < 0 || (has_waited ((int)l->slots[of * stride]) && !has_waited (here))))
      of = r;
  }
  if (of >= 0)
    snprintf (l->text, sizeof l->text, "rank %d: %s", of, text_of ((int)l->slots[of * stride]));
  return of >= 0;
}

bool shares_gpu (gla_rank_link *l)
{
  for (int r = 1; r < l->ranks; r++)
    for (int q = 0; q < r; q++)
      if (memcmp (l->slots + r * SLOT + UUID, l->slots + q * SLOT + UUID, 3 * sizeof (double)) ==
          0) {
        snprintf (l->text, sizeof l->text, "ranks %d and %d share a GPU", q, r);
        return true;
      }
  return false;
}

bool all_fit (const gla_rank_link *l)
{
  int fit = 0;
  for (int r = 0; r < l->ranks; r++)
    fit += l->slots[r * SLOT + FITS] != 0;
  return fit == l->ranks;
}

// Returns numbers that a sum carries exactly.
bool find_uuid (int device, double *uuid)
{
  cudaDeviceProp about;
  if (cudaGetDeviceProperties (&about, device) != cudaSuccess)
    return false;
  for (int i = 0; i < 3; i++)
    uuid[i] = 0;
  for (int i = 0; i < 16; i++)
    uuid[i / 6] = 256 * uuid[i / 6] + (double)(unsigned char)about.uuid.bytes[i];
  return true;
}

// Stores what this rank knows at its place.
void describe (gla_rank_link *l, int device)
{
  const nccl_library *nccl;
  const link *k = static_cast<link *> (l->made);
  double *mine = l->slots + l->rank * SLOT;
  memset (l->slots, 0, (size_t)(l->ranks * SLOT) * sizeof (double));
  mine[FITS] = k != nullptr && k->device == device;
  mine[PROBLEM] = l->refused ? l->refused : (int)nccl_open (&nccl);
  if (mine[PROBLEM] != NONE)
    return;
  if (mine[FITS] != 0)
    memcpy (mine + UUID, k->uuid, sizeof k->uuid);
  else if (!find_uuid (device, mine + UUID))
    mine[PROBLEM] = RESULT + 1; // "unhandled cuda error"
}

// Returns a problem.
int start (gla_rank_link *l, int device, const double *uuid, const nccl_id &id)
{
  link *k = new (std::nothrow) link ();
  if (k == nullptr)
    return NO_MEMORY;
  l->made = k;
  l->close = close_link;
  (void)nccl_open (&k->nccl);
  k->device = device;
  memcpy (k->uuid, uuid, sizeof k->uuid);
  if (cudaSetDevice (device) != cudaSuccess ||
      cudaEventCreateWithFlags (&k->done, cudaEventDisableTiming) != cudaSuccess)
    return RESULT + 1;
  nccl_config config;
  const int begun = k->nccl->init_rank (&k->comm, l->ranks, id, l->rank, &config);
  if (begun != NCCL_SUCCESS && begun != NCCL_IN_PROGRESS)
    return RESULT + begun;
  const int state = settled (k, 2 * l->patience + START_EACH * l->ranks);
  return state == NCCL_SUCCESS ? NONE : state == NCCL_IN_PROGRESS ? NO_START : RESULT + state;
}

// Sends the id of rank 0 to all, a byte a number, and after it whether rank 0 has one.
int spread_id (gla_rank_link *l, rank_link_add add, void *user, nccl_id *id)
{
  enum { BYTES = sizeof *id };
  const nccl_library *nccl;
  double numbers[BYTES + 1] = {0};
  (void)nccl_open (&nccl);
  if (l->rank == 0) {
    const int result = nccl->get_unique_id (id);
    numbers[BYTES] = result == NCCL_SUCCESS ? 0 : RESULT + result;
    for (int i = 0; i < BYTES && result == NCCL_SUCCESS; i++)
      numbers[i] = (double)(unsigned char)id->internal[i];
  }
  if (add (user, numbers, BYTES + 1))
    return -1;
  for (int i = 0; i < BYTES; i++)
    id->internal[i] = (char)(unsigned char)numbers[i];
  memset (l->slots, 0, (size_t)l->ranks * sizeof (double));
  l->slots[0] = numbers[BYTES];
  return !has_problem (l, 1);
}

// The slots have the UUID of this rank's GPU.
int make (gla_rank_link *l, int device, rank_link_add add, void *user)
{
  nccl_id id = {};
  double uuid[3];
  memcpy (uuid, l->slots + l->rank * SLOT + UUID, sizeof uuid);
  const int spread = spread_id (l, add, user, &id);
  if (spread != 1)
    return spread;
  const int problem = start (l, device, uuid, id);
  memset (l->slots, 0, (size_t)l->ranks * sizeof (double));
  l->slots[l->rank] = problem;
  if (add (user, l->slots, l->ranks)) {
    rank_link_end (l, "a rank has failed");
    return -1;
  }
  return !has_problem (l, 1);
}

void tell_version (gla_rank_link *l)
{
  const int version = static_cast<link *> (l->made)->nccl->version;
  snprintf (l->text, sizeof l->text, "%d.%d.%d", version / 10000, version / 100 % 100,
            version % 100);
}

} // namespace

int rank_link_begin (gla_rank_link *l, int device, rank_link_add add, void *user)
{
  describe (l, device);
  if (add (user, l->slots, (int64_t)l->ranks * SLOT))
    return -1;
  int serves = !has_problem (l, SLOT) && !shares_gpu (l);
  if (serves && !all_fit (l)) {
    rank_link_end (l, "");
    serves = make (l, device, add, user);
    l->refused = serves == 0 ? (int)l->slots[l->rank] : 0;
  }
  l->late = 0;
  if (serves == 1)
    tell_version (l);
  else if (l->made != nullptr) {
    close_link (l->made);
    l->made = nullptr;
  }
  return serves;
}

void rank_link_end (gla_rank_link *l, const char *why)
{
  if (l->made == nullptr)
    return;
  close_link (l->made);
  l->made = nullptr;
  snprintf (l->text, sizeof l->text, "%s", why);
}

//------------------------------------------------------------------------------
// exchange
//------------------------------------------------------------------------------

namespace
{

int64_t rows_of (const int64_t *offsets, int rank)
{
  return offsets[rank + 1] - offsets[rank];
}

// All sends and receives of a group begin together, so their order does not matter.
int enqueue (const link *k, const gla_rank_link *l, const gla_link_rows *rows, void *stream)
{
  const char *out = static_cast<const char *> (rows->out);
  char *in = static_cast<char *> (rows->in);
  const size_t row = (size_t)rows->row;
  int result = k->nccl->group_start ();
  if (result != NCCL_SUCCESS)
    return result;
  for (int r = 0; r < l->ranks && result == NCCL_SUCCESS; r++) {
    const int64_t gives = rows_of (rows->give, r), takes = rows_of (rows->take, r),
                  first = rows->take[r] + (r > l->rank ? rows->gap : 0);
    if (gives > 0)
      result = k->nccl->send (out + (size_t)rows->give[r] * row, (size_t)gives * row, NCCL_BYTES, r,
                              k->comm, stream);
    if (takes > 0 && (result == NCCL_SUCCESS || result == NCCL_IN_PROGRESS))
      result = k->nccl->receive (in + (size_t)first * row, (size_t)takes * row, NCCL_BYTES, r,
                                 k->comm, stream);
    if (result == NCCL_IN_PROGRESS)
      result = NCCL_SUCCESS;
  }
  const int ended = k->nccl->group_end ();
  return result != NCCL_SUCCESS ? result : ended;
}

// Copies the text before the communicator is gone.
gla_status lose (gla_rank_link *l, int result)
{
  char why[sizeof l->text];
  snprintf (why, sizeof why, "NCCL: %s", text_of (RESULT + result));
  rank_link_end (l, why);
  l->refused = RESULT + result;
  return GLA_ERROR_RANK_LOST;
}

gla_status give_up (gla_rank_link *l, double limit)
{
  char why[sizeof l->text];
  snprintf (why, sizeof why, "NCCL: the GPUs of other ranks did not answer for %.3g seconds",
            limit);
  rank_link_end (l, why);
  l->refused = NO_ANSWER;
  l->late = 1;
  return GLA_OK;
}

// Waits for the event after the exchange. NCCL reports failures that leave its kernel waiting.
gla_status wait_done (gla_rank_link *l, const link *k, cudaStream_t stream, double limit)
{
  const double begun = gla_now ();
  double asked = begun;
  cudaError_t error = cudaEventRecord (k->done, stream);
  while (error == cudaSuccess) {
    error = cudaEventQuery (k->done);
    if (error == cudaSuccess)
      return GLA_OK;
    if (error != cudaErrorNotReady)
      break;
    error = cudaSuccess;
    const double time = gla_now ();
    rest (time - begun);
    if (time - asked < 1e-3)
      continue;
    asked = time;
    const int state = settled (k, 0);
    if (state != NCCL_SUCCESS && state != NCCL_IN_PROGRESS)
      return lose (l, state);
    if (time - begun > limit)
      return give_up (l, limit);
  }
  rank_link_end (l, "the GPU has failed");
  return engine_status (error);
}

} // namespace

gla_status rank_link_exchange (gla_rank_link *l, const gla_link_rows *rows, void *stream)
{
  const link *k = static_cast<link *> (l->made);
  const int64_t all = rows->give[l->ranks] + rows->take[l->ranks];
  const double limit = l->patience + (double)(all * rows->row) / SLOWEST;
  if (all == 0)
    return GLA_OK;
  const int result = enqueue (k, l, rows, stream);
  if (result != NCCL_SUCCESS && result != NCCL_IN_PROGRESS)
    return lose (l, result);
  const int state = settled (k, limit);
  if (state == NCCL_IN_PROGRESS)
    return give_up (l, limit);
  if (state != NCCL_SUCCESS)
    return lose (l, state);
  return wait_done (l, k, static_cast<cudaStream_t> (stream), limit);
}
