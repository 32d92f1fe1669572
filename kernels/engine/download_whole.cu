// download_whole.cu: a large array without gaps from a GPU to fresh memory of the host
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fresh memory is cleared by the system when it is first touched, which takes as long as copying
// it. So each thread of the pool touches a huge page while its bytes are on the link, waits for
// them, and copies them into the page while that is in its cache. The calling thread alone speaks
// to the GPU: it starts transfers as buffers become free, sees them arrive, and polls the monitor.
// Another thread hands out the work for it.

#include "download_whole.cuh"
#include "common/host_memory.h"
#include "common/pool.h"
#include "common/work_limits.cuh"

#include <atomic>
#include <csignal>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sched.h>

namespace
{

// Where starting a thread pays, and one of them may look at the GPU alone.
const size_t LEAST_BYTES = (size_t)32 << 20;
enum { LEAST_THREADS = 8 };

// A part is a huge page; a piece is what a buffer of the ring holds.
const size_t PART = (size_t)2 << 20;
enum { PARTS_IN_PIECE = 4 };
static_assert (PART * PARTS_IN_PIECE == RING_BYTES, "a piece fills a buffer");

// Looks at what is awaited before a thread sleeps between two of them, and how long it sleeps.
enum { LOOKS = 4000, NAP_NANOSECONDS = 50000 };

void look_again (int *looks)
{
  if (++*looks < LOOKS) {
    sched_yield ();
    return;
  }
  timespec nap = {0, NAP_NANOSECONDS};
  nanosleep (&nap, nullptr);
}

double seconds_now ()
{
  timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

struct whole {
  cuda_engine *e;
  cudaStream_t stream;
  const char *device;
  char *base, *origin; // origin: where the huge page of the first byte begins
  size_t total;
  int64_t parts, pieces;
  int threads, share;
  std::atomic<int64_t> arrived; // pieces that are in their buffers
  std::atomic<int> left[RING_BUFFERS], stop;

  // Bytes of the array before this part.
  size_t before (int64_t part) const
  {
    const char *at = origin + (size_t)part * PART;
    return at <= base ? 0 : at >= base + total ? total : (size_t)(at - base);
  }
  int parts_of (int64_t piece) const
  {
    const int64_t rest = parts - piece * PARTS_IN_PIECE;
    return (int)(rest < PARTS_IN_PIECE ? rest : (int64_t)PARTS_IN_PIECE);
  }
  ring_buffer *buffer (int64_t piece) const { return &e->down[piece % RING_BUFFERS]; }
};

void one_part (void *user, int64_t part, int)
{
  whole *w = static_cast<whole *> (user);
  const int64_t piece = part / PARTS_IN_PIECE;
  const size_t at = w->before (part), bytes = w->before (part + 1) - at;
  int looks = 0;
  if (w->stop.load ())
    return;
  gla_host_prefault (w->base + at, bytes);
  while (w->arrived.load (std::memory_order_acquire) <= piece) {
    if (w->stop.load ())
      return;
    look_again (&looks);
  }
  memcpy (w->base + at, w->buffer (piece)->host + (at - w->before (piece * PARTS_IN_PIECE)), bytes);
  w->left[piece % RING_BUFFERS].fetch_sub (1, std::memory_order_release);
}

void *hand_out (void *user)
{
  whole *w = static_cast<whole *> (user);
  gla_pool_share (w->share);
  gla_pool_for (w->parts, w->threads, one_part, w); // in this order
  return nullptr;
}

bool serves (size_t bytes)
{
  return bytes >= LEAST_BYTES && gla_host_threads () >= LEAST_THREADS;
}

bool start (whole *w, pthread_t *thread)
{
  sigset_t all, before; // signals are for the caller's thread
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  const bool started = pthread_create (thread, nullptr, hand_out, w) == 0;
  pthread_sigmask (SIG_SETMASK, &before, nullptr);
  return started;
}

cudaError_t start_transfer (whole *w, int64_t piece)
{
  const size_t at = w->before (piece * PARTS_IN_PIECE),
               end = w->before ((piece + 1) * PARTS_IN_PIECE);
  w->left[piece % RING_BUFFERS].store (w->parts_of (piece));
  const cudaError_t error = cudaMemcpyAsync (w->buffer (piece)->host, w->device + at, end - at,
                                             cudaMemcpyDeviceToHost, w->stream);
  return error == cudaSuccess ? cudaEventRecord (w->buffer (piece)->free, w->stream) : error;
}

// Starts transfers and sees them arrive until all is copied.
gla_status drive (whole *w)
{
  int64_t started = 0, copied = 0;
  double asked = seconds_now ();
  int looks = 0;
  while (copied < w->pieces) {
    const int64_t arrived = w->arrived.load ();
    if (copied < arrived && w->left[copied % RING_BUFFERS].load (std::memory_order_acquire) == 0) {
      copied++;
      looks = 0;
    }
    while (started < w->pieces && started < copied + RING_BUFFERS)
      GLA_TRY (start_transfer (w, started++));
    if (arrived < started) {
      const cudaError_t error = cudaEventQuery (w->buffer (arrived)->free);
      if (error == cudaSuccess) {
        w->arrived.store (arrived + 1, std::memory_order_release);
        looks = 0;
        continue;
      }
      if (error != cudaErrorNotReady)
        return engine_status (error);
    }
    const double now = seconds_now ();
    if (now - asked > POLL_SECONDS) {
      asked = now;
      if (w->e->monitor.poll (w->e->monitor.user, 0))
        return GLA_ERROR_STOPPED;
    }
    look_again (&looks);
  }
  return GLA_OK;
}

} // namespace

gla_status download_whole (cuda_engine *e, int slot, char *to, const void *device, size_t bytes)
{
  if (!serves (bytes))
    return GLA_ERROR_OUT_OF_MEMORY;
  GLA_TRY (engine_make_ring (e, e->down));
  whole w = {};
  pthread_t thread;
  w.e = e;
  w.stream = e->slots[slot].stream;
  w.device = static_cast<const char *> (device);
  w.base = to;
  w.origin = to - reinterpret_cast<uintptr_t> (to) % PART;
  w.total = bytes;
  w.parts = (int64_t)(((size_t)(w.base - w.origin) + w.total + PART - 1) / PART);
  w.pieces = (w.parts + PARTS_IN_PIECE - 1) / PARTS_IN_PIECE;
  w.threads = gla_host_threads () - 1; // one looks at the GPU
  w.share = gla_pool_threads ();
  if (!start (&w, &thread))
    return GLA_ERROR_OUT_OF_MEMORY;
  const gla_status status = drive (&w);
  w.stop.store (1); // all is copied, or nothing more is
  pthread_join (thread, nullptr);
  return status;
}
