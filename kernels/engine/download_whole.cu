// download_whole.cu: copies a large array without gaps from a GPU to fresh memory of the host
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The system clears fresh memory when it is first touched, which takes twice as long as copying
// into it. So each thread of the pool touches a huge page while its bytes are on the link, waits
// for them, and copies them into the page while that is in its cache. The threads do nothing else:
// one that waits polls the transfer itself, and one that empties a buffer starts the next transfer
// into it. The calling thread polls the monitor.

#include "download_whole.cuh"
#include "common/host_memory.h"
#include "common/system.h"
#include "threads/pool.h"
#include "common/work_limits.cuh"
#include "threads/schedule.h"

#include <atomic>
#include <cstring>

namespace
{

// A chunk of a large array has nearly 32e6 bytes; smaller arrays are often in memory that the
// process keeps, and are then copied faster in the other way.
const size_t LEAST_BYTES = (size_t)28 << 20;
enum { LEAST_THREADS = 8 };

// A part is a huge page. A piece is half a buffer of the ring, so that a thread waits for less.
const size_t PART = (size_t)2 << 20;
enum { PARTS_IN_PIECE = 2, HALVES = 2 * RING_BUFFERS };
static_assert (2 * PARTS_IN_PIECE * PART == RING_BYTES, "two pieces fill a buffer");

// How often a thread polls before it sleeps between two polls, and how long it sleeps.
enum { LOOKS = 4000, NAP_NANOSECONDS = 50000 };

struct whole {
  cuda_engine *e;
  cudaStream_t stream;
  const char *device;
  fresh_memory to;
  char *origin; // where the huge page of the first byte begins
  int64_t parts, pieces;
  cudaEvent_t there[HALVES];                             // after the transfers
  std::atomic<int64_t> started[HALVES], arrived[HALVES]; // the last such piece
  std::atomic<int> left[HALVES];                         // parts that are not copied
  std::atomic<int> status;                               // a gla_status
  double asked;                                          // of the calling thread

  // Returns the bytes of the array before this part.
  size_t before (int64_t k) const
  {
    const char *at = origin + (size_t)k * PART;
    return at <= to.base ? 0 : at >= to.base + to.total ? to.total : (size_t)(at - to.base);
  }
  int parts_of (int64_t piece) const
  {
    const int64_t rest = parts - piece * PARTS_IN_PIECE;
    return (int)(rest < PARTS_IN_PIECE ? rest : (int64_t)PARTS_IN_PIECE);
  }
  char *half (int64_t piece) const
  {
    const int k = (int)(piece % HALVES);
    return e->down[k / 2].host + k % 2 * (RING_BYTES / 2);
  }
  void fail (gla_status why)
  {
    int none = GLA_OK;
    status.compare_exchange_strong (none, why);
  }
};

void start_transfer (whole *w, int64_t piece)
{
  const int k = (int)(piece % HALVES);
  const size_t at = w->before (piece * PARTS_IN_PIECE),
               end = w->before ((piece + 1) * PARTS_IN_PIECE);
  w->left[k].store (w->parts_of (piece), std::memory_order_relaxed);
  cudaError_t error = cudaMemcpyAsync (w->half (piece), w->device + at, end - at,
                                       cudaMemcpyDeviceToHost, w->stream);
  if (error == cudaSuccess)
    error = cudaEventRecord (w->there[k], w->stream);
  if (error != cudaSuccess)
    w->fail (engine_status (error));
  w->started[k].store (piece, std::memory_order_release);
}

void poll (void *user)
{
  whole *w = static_cast<whole *> (user);
  const double now = gla_now ();
  if (now - w->asked < POLL_SECONDS)
    return;
  w->asked = now;
  if (w->e->monitor.poll (w->e->monitor.user, 0))
    w->fail (GLA_ERROR_STOPPED);
}

// Whether the piece has arrived. Its half of a buffer is not reused until all of it is copied.
bool has_arrived (whole *w, int64_t piece)
{
  const int k = (int)(piece % HALVES);
  if (w->arrived[k].load (std::memory_order_acquire) == piece)
    return true;
  if (w->started[k].load (std::memory_order_acquire) != piece)
    return false;
  const cudaError_t error = cudaEventQuery (w->there[k]);
  if (error == cudaSuccess)
    w->arrived[k].store (piece, std::memory_order_release);
  else if (error != cudaErrorNotReady)
    w->fail (engine_status (error));
  return error == cudaSuccess;
}

bool wait_for (whole *w, int64_t piece, bool calling)
{
  for (int looks = 0; !has_arrived (w, piece); looks++) {
    if (calling)
      poll (w);
    if (w->status.load () != GLA_OK)
      return false;
    if (looks < LOOKS)
      gla_yield ();
    else
      gla_nap (NAP_NANOSECONDS);
  }
  return true;
}

void copy_part (void *user, int64_t part, int slot)
{
  whole *w = static_cast<whole *> (user);
  const int64_t piece = part / PARTS_IN_PIECE;
  const size_t at = w->before (part), end = w->before (part + 1);
  if (w->status.load () != GLA_OK)
    return;
  cudaSetDevice (w->e->base.device);
  if (end > w->to.done)
    gla_host_prefault (w->to.base + at, end - at);
  if (!wait_for (w, piece, slot == 0))
    return;
  memcpy (w->to.base + at, w->half (piece) + (at - w->before (piece * PARTS_IN_PIECE)), end - at);
  if (w->left[piece % HALVES].fetch_sub (1, std::memory_order_acq_rel) == 1 &&
      piece + HALVES < w->pieces)
    start_transfer (w, piece + HALVES);
  if (slot == 0)
    poll (w);
}

cudaError_t open_events (whole *w)
{
  cudaError_t error = cudaSuccess;
  for (int k = 0; k < HALVES && error == cudaSuccess; k++) {
    w->started[k].store (-1);
    w->arrived[k].store (-1);
    error = cudaEventCreateWithFlags (&w->there[k], cudaEventDisableTiming);
  }
  // a download that was stopped may still write into a buffer
  for (int k = 0; k < RING_BUFFERS && error == cudaSuccess; k++)
    error = cudaStreamWaitEvent (w->stream, w->e->down[k].free, 0);
  return error;
}

void close_events (whole *w)
{
  for (int k = 0; k < RING_BUFFERS; k++)
    cudaEventRecord (w->e->down[k].free, w->stream);
  for (int k = 0; k < HALVES; k++)
    if (w->there[k] != nullptr)
      cudaEventDestroy (w->there[k]);
}

} // namespace

bool download_whole_serves (const fresh_memory &to)
{
  return to.base != nullptr && to.total - to.done >= LEAST_BYTES &&
         gla_host_threads () >= LEAST_THREADS;
}

gla_status download_whole (cuda_engine *e, int slot, const fresh_memory &to, const void *device)
{
  whole w = {};
  w.e = e;
  w.stream = e->slots[slot].stream;
  w.device = static_cast<const char *> (device);
  w.to = to;
  w.origin = to.base - reinterpret_cast<uintptr_t> (to.base) % PART;
  w.parts = (int64_t)(((size_t)(to.base - w.origin) + to.total + PART - 1) / PART);
  w.pieces = (w.parts + PARTS_IN_PIECE - 1) / PARTS_IN_PIECE;
  w.asked = gla_now ();
  const cudaError_t error = open_events (&w);
  if (error != cudaSuccess)
    w.fail (engine_status (error));
  for (int64_t piece = 0; error == cudaSuccess && piece < HALVES && piece < w.pieces; piece++)
    start_transfer (&w, piece);
  gla_pool_watched (w.parts, gla_host_threads (), copy_part, &w, poll, &w);
  close_events (&w);
  return static_cast<gla_status> (w.status.load ());
}
