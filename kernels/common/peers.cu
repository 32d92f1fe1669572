// peers.cu: copies between GPUs of one process
// SPDX-License-Identifier: GPL-3.0-or-later

#include "peers.cuh"

#include <atomic>
#include <cstdint>

enum { DEVICES = 64 };

static std::atomic<uint64_t> settled[DEVICES];

bool peers_reach (int device, int peer)
{
  const uint64_t bit = (uint64_t)1 << peer % DEVICES;
  return device == peer || (settled[device % DEVICES] & bit) != 0;
}

void peers_connect (int device, int peer)
{
  const uint64_t bit = (uint64_t)1 << peer % DEVICES;
  int possible = 0;
  if (peers_reach (device, peer))
    return;
  cudaError_t status = cudaDeviceCanAccessPeer (&possible, device, peer);
  if (status == cudaSuccess && possible) {
    status = cudaSetDevice (device);
    status = status == cudaSuccess ? cudaDeviceEnablePeerAccess (peer, 0) : status;
  }
  if (status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled)
    settled[device % DEVICES] |= bit;
  cudaGetLastError (); // others may have enabled it
}

cudaError_t peers_copy (void *to, int to_device, const void *from, int from_device, size_t bytes,
                        cudaStream_t stream)
{
  if (to_device == from_device)
    return cudaMemcpyAsync (to, from, bytes, cudaMemcpyDeviceToDevice, stream);
  return cudaMemcpyPeerAsync (to, to_device, from, from_device, bytes, stream);
}
