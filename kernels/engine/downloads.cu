// downloads.cu: copies arrays of several GPUs to the host at the same time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One thread drives all GPUs: it starts a piece of each in turn, and copies the pieces that have
// arrived with all threads of the pool. So the threads of the host, which clear and write the
// memory, serve all links, and each link always has pieces to transfer.

#include "downloads.cuh"

namespace
{

struct download {
  cuda_engine *e;
  const char *device;
  gla_packing packing;
  size_t pieces;

  explicit download (const download_part &part)
      : e (part.e), device (static_cast<const char *> (part.device)),
        packing (gla_packing_of (&part.to)), pieces ((packing.total + RING_BYTES - 1) / RING_BYTES)
  {
  }
  ring_buffer *buffer (size_t piece) const { return &e->down[piece % RING_BUFFERS]; }
  size_t bytes (size_t piece) const
  {
    const size_t left = packing.total - piece * RING_BYTES;
    return left < RING_BYTES ? left : RING_BYTES;
  }

  gla_status start (size_t piece) const
  {
    const cudaStream_t stream = e->slots[0].stream;
    GLA_TRY (cudaMemcpyAsync (buffer (piece)->host, device + piece * RING_BYTES, bytes (piece),
                              cudaMemcpyDeviceToHost, stream));
    return engine_status (cudaEventRecord (buffer (piece)->free, stream));
  }
  gla_status take (size_t piece) const
  {
    GLA_TRY (engine_wait (e, buffer (piece)->free));
    gla_unpack (&packing, piece * RING_BYTES, bytes (piece), buffer (piece)->host);
    return GLA_OK;
  }
  // Step k of a download begins piece k, and copies piece k - (RING_BUFFERS - 1).
  gla_status step (size_t k) const
  {
    const size_t behind = RING_BUFFERS - 1;
    if (k >= pieces + behind || pieces == 0)
      return GLA_OK;
    GLA_TRY (cudaSetDevice (e->base.device));
    if (k < pieces)
      GLA_TRY (start (k));
    return k >= behind ? take (k - behind) : GLA_OK;
  }
};

} // namespace

gla_status downloads_together (const download_part *parts, int count, int *failed)
{
  size_t steps = 0;
  for (int p = 0; p < count; p++) {
    const size_t pieces = download (parts[p]).pieces;
    steps = pieces + RING_BUFFERS - 1 > steps ? pieces + RING_BUFFERS - 1 : steps;
    *failed = p;
    GLA_TRY (cudaSetDevice (parts[p].e->base.device));
    GLA_TRY (engine_make_ring (parts[p].e, parts[p].e->down)); // it may have been freed
  }
  for (size_t k = 0; k < steps; k++)
    for (int p = 0; p < count; p++) {
      *failed = p;
      GLA_TRY (download (parts[p]).step (k));
    }
  return GLA_OK;
}
