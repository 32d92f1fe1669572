// engine_memory.cu: memory of a GPU that the caller holds, and copies of it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All work is in the stream of the first slot, so it runs in the order of the calls.

#include "engine_memory.cuh"
#include "common/runtime.cuh"
#include "engine.cuh"
#include "heap.cuh"

namespace
{

cudaStream_t stream_of (const cuda_engine *e)
{
  return e->slots[0].stream;
}

// These four functions need no current device; the heap sets it if it needs one.
cuda_engine *plain_engine (gla_engine *engine)
{
  return reinterpret_cast<cuda_engine *> (engine);
}

// Describes bytes as the matrices that the copies of the engine expect: numbers of 4 bytes, or of 1
// for the last bytes if their number is no multiple of 4.
gla_array bytes_of (const void *data, size_t bytes)
{
  return gla_array_packed (const_cast<void *> (data), GLA_TYPE_S, (int64_t)(bytes / 4), 1, 1,
                           GLA_DEVICE_HOST);
}

// Copies the bytes after the last whole word, three at most.
cudaError_t copy_rest (cuda_engine *e, void *to, const void *from, size_t bytes,
                       cudaMemcpyKind kind)
{
  const size_t whole = bytes / 4 * 4;
  if (whole == bytes)
    return cudaSuccess;
  const cudaError_t error =
      cudaMemcpyAsync (static_cast<char *> (to) + whole, static_cast<const char *> (from) + whole,
                       bytes - whole, kind, stream_of (e));
  return error == cudaSuccess ? cudaStreamSynchronize (stream_of (e)) : error;
}

// Prefaults the host's memory while the GPU has other work; an idle GPU reports that at once.
gla_status await_work (cuda_engine *e, const gla_array &to)
{
  enum { LOOKS = 20 };
  engine_slot *s = &e->slots[0];
  if ((size_t)to.rows * 4 < RING_BYTES)
    return GLA_OK;
  GLA_TRY (cudaEventRecord (s->done, s->stream));
  for (int look = 0; look < LOOKS; look++) {
    const cudaError_t error = cudaEventQuery (s->done);
    if (error != cudaErrorNotReady)
      return engine_status (error);
  }
  engine_announce_results (e, 0, &to);
  const gla_status status = engine_wait (e, s->done);
  if (status != GLA_OK)
    s->results = {};
  return status;
}

} // namespace

void engine_watch (gla_engine *engine, const gla_monitor *monitor)
{
  plain_engine (engine)->monitor = *monitor;
}

gla_status engine_take (gla_engine *engine, size_t bytes, void **memory)
{
  return engine_status (heap_take (plain_engine (engine), bytes, memory));
}

void engine_give (gla_engine *engine, void *memory)
{
  heap_give (plain_engine (engine), memory);
}

void engine_memory (gla_engine *engine, gla_memory_info *info)
{
  *info = heap_query (plain_engine (engine));
}

gla_status engine_put (gla_engine *engine, void *to, const void *from, size_t bytes)
{
  cuda_engine *e = engine_of (engine);
  const gla_array words = bytes_of (from, bytes);
  GLA_TRY (engine_upload (e, 0, to, &words));
  return engine_status (copy_rest (e, to, from, bytes, cudaMemcpyHostToDevice));
}

gla_status engine_get (gla_engine *engine, void *to, const void *from, size_t bytes)
{
  cuda_engine *e = engine_of (engine);
  const gla_array words = bytes_of (to, bytes);
  GLA_TRY (await_work (e, words));
  GLA_TRY (engine_download (e, 0, &words, from));
  return engine_status (copy_rest (e, to, from, bytes, cudaMemcpyDeviceToHost));
}

gla_status engine_fetch (gla_engine *engine, void *to, gla_engine *other, const void *from,
                         size_t bytes)
{
  peers_connect (engine->device, other->device);
  const cuda_engine *e = engine_of (engine);
  return engine_status (peers_copy (to, engine->device, from, other->device, bytes, stream_of (e)));
}

gla_status engine_finish (gla_engine *engine)
{
  return engine_throttle (engine_of (engine), 0);
}

extern "C" const gla_nd_ops cuda_memory_ops = {
    .watch = engine_watch,
    .take = engine_take,
    .give = engine_give,
    .query = engine_memory,
    .put = engine_put,
    .get = engine_get,
    .wait = engine_finish,
    .fetch = engine_fetch,
};
