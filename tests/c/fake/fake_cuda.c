// fake_cuda.c: a stand-in for the CUDA runtime: failures, streams, events and devices
// SPDX-License-Identifier: GPL-3.0-or-later

#include "fake_cuda.h"
#include "fake_state.h"

#include <stdlib.h>
#include <string.h>

fake_cuda_answers fake_cuda_answer;
int fake_cuda_alike, fake_cuda_apart;
fake_cuda_state fake_state;
_Thread_local fake_thread_state fake_thread;

void fake_bug (const char *what, const void *address, size_t bytes)
{
  fprintf (stderr, "fake_cuda: %s: %p, %zu bytes\n", what, address, bytes);
  abort ();
}

void fake_cuda_trace (FILE *to)
{
  fake_state.trace = to;
}
void fake_cuda_fail_at (int64_t n)
{
  fake_state.calls = 0;
  fake_state.fail_at = n;
  fake_state.failed = FAKE_NONE;
  fake_thread.last_error = cudaSuccess;
  fake_state.attribute_fails = 0;
}
void fake_cuda_fail_attribute (void)
{
  fake_cuda_fail_at (0);
  fake_state.attribute_fails = 1;
}
int64_t fake_cuda_calls (void)
{
  return fake_state.calls;
}
fake_cuda_failure fake_cuda_has_failed (void)
{
  return fake_state.failed;
}
int64_t fake_cuda_live (void)
{
  return fake_state.live;
}
int64_t fake_cuda_launches (void)
{
  return fake_state.launches;
}
int64_t fake_cuda_uploaded (void)
{
  return fake_state.uploaded;
}
int64_t fake_cuda_questions (void)
{
  return fake_state.questions;
}

int fake_fails (fake_cuda_failure kind)
{
  if (++fake_state.calls != fake_state.fail_at)
    return 0;
  fake_state.failed = kind;
  fake_thread.last_error =
      kind == FAKE_ALLOCATION ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure;
  FAKE_TRACE ("fails\n");
  return 1;
}

static cudaError_t result (fake_cuda_failure kind)
{
  return fake_fails (kind) ? fake_thread.last_error : cudaSuccess;
}

cudaError_t cudaGetLastError (void)
{
  cudaError_t error = fake_thread.last_error;
  fake_thread.last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError (void)
{
  return fake_thread.last_error;
}
const char *cudaGetErrorString (cudaError_t error)
{
  return error == cudaSuccess ? "no error" : "an error of the stand-in";
}

//------------------------------------------------------------------------------
// streams and events
//------------------------------------------------------------------------------

static _Atomic int64_t handles;

void *fake_handle (void)
{
  fake_state.live++;
  return (void *)(uintptr_t)++handles;
}

cudaError_t cudaStreamCreateWithPriority (cudaStream_t *stream, unsigned flags, int priority)
{
  FAKE_TRACE ("stream %u %d\n", flags, priority);
  if (fake_fails (FAKE_DEVICE))
    return fake_thread.last_error;
  *stream = fake_handle ();
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy (cudaStream_t stream)
{
  FAKE_TRACE ("end of stream %p\n", (void *)stream);
  fake_state.live--;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags (cudaEvent_t *event, unsigned flags)
{
  FAKE_TRACE ("event %u\n", flags);
  if (fake_fails (FAKE_DEVICE))
    return fake_thread.last_error;
  *event = fake_handle ();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy (cudaEvent_t event)
{
  FAKE_TRACE ("end of event %p\n", (void *)event);
  fake_state.live--;
  return cudaSuccess;
}
// Events that are recorded in this stream do not come.
static _Atomic uintptr_t held_stream, held_event;
void fake_cuda_hold (void *stream)
{
  held_stream = (uintptr_t)stream;
  held_event = 0;
}
cudaError_t cudaEventRecord (cudaEvent_t event, cudaStream_t stream)
{
  if (stream != NULL && (uintptr_t)stream == held_stream)
    held_event = (uintptr_t)event;
  FAKE_TRACE ("record %p, stream %p\n", (void *)event, (void *)stream);
  return result (FAKE_DEVICE);
}
cudaError_t cudaEventQuery (cudaEvent_t event)
{
  FAKE_TRACE ("query %p\n", (void *)event);
  if ((uintptr_t)event == held_event)
    return cudaErrorNotReady;
  return result (FAKE_DEVICE);
}
cudaError_t cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
  FAKE_TRACE ("stream %p waits for %p, %u\n", (void *)stream, (void *)event, flags);
  return result (FAKE_DEVICE);
}
cudaError_t cudaStreamSynchronize (cudaStream_t stream)
{
  FAKE_TRACE ("synchronize %p\n", (void *)stream);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery (cudaStream_t stream)
{
  (void)stream;
  return cudaSuccess;
}

//------------------------------------------------------------------------------
// devices
//------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount (int *count)
{
  fake_state.questions++;
  *count = FAKE_DEVICES;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion (int *version)
{
  *version = 0;
  return cudaSuccess;
}
cudaError_t cudaGetDevice (int *current)
{
  fake_state.questions++;
  *current = fake_thread.device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice (int wanted)
{
  fake_state.questions++;
  fake_thread.device = wanted;
  return wanted < FAKE_DEVICES ? cudaSuccess : cudaErrorInvalidDevice;
}
static int first (int of)
{
  return of == 0 || fake_cuda_alike;
}
cudaError_t cudaGetDeviceProperties (struct cudaDeviceProp *p, int of)
{
  fake_state.questions++;
  memset (p, 0, sizeof *p);
  strcpy (p->name, "stand-in");
  p->major = first (of) ? 9 : 8;
  p->uuid.bytes[0] = (char)(1 + of);
  if (fake_cuda_apart)
    memcpy (p->uuid.bytes + 1, &(void *){&fake_thread}, sizeof (void *));
  p->multiProcessorCount = first (of) ? 132 : 108;
  p->sharedMemPerBlockOptin = (size_t)(first (of) ? 227 : 163) << 10;
  p->totalGlobalMem = (size_t)1 << 33;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute (int *value, enum cudaDeviceAttr attribute, int of)
{
  fake_state.questions++;
  *value = attribute == cudaDevAttrClusterLaunch                  ? first (of)
           : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? (first (of) ? 227 : 163) << 10
           : attribute == cudaDevAttrMultiProcessorCount          ? (first (of) ? 132 : 108)
           : attribute == cudaDevAttrComputeCapabilityMajor       ? first (of) ? 9 : 8
                                                                  : 0;
  return cudaSuccess;
}
// Only device 0 reaches the memory of the other one, once.
cudaError_t cudaDeviceCanAccessPeer (int *can, int of, int peer)
{
  fake_state.questions++;
  *can = of == 0 && peer == 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess (int peer, unsigned flags)
{
  static _Atomic int enabled;
  FAKE_TRACE ("device %d reaches %d, %u\n", fake_thread.device, peer, flags);
  fake_thread.last_error = enabled++ ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess;
  return fake_thread.last_error;
}
cudaError_t cudaDeviceGetStreamPriorityRange (int *lowest, int *highest)
{
  *lowest = 0;
  *highest = -5;
  return cudaSuccess;
}
