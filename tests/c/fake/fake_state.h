// fake_state.h: what the files of the stand-in for the CUDA runtime share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef FAKE_STATE_H
#define FAKE_STATE_H

#include "fake_cuda.h"

#include <cuda_runtime_api.h>

// Of all threads: the library drives several devices from one thread each.
typedef struct {
  FILE *trace;
  _Atomic int64_t calls, live, launches, uploaded, questions;
  int64_t fail_at;
  fake_cuda_failure failed;
  int attribute_fails;
} fake_cuda_state;
extern fake_cuda_state fake_state;
// Of one thread, as in CUDA.
typedef struct {
  int device;
  cudaError_t last_error;
} fake_thread_state;
extern _Thread_local fake_thread_state fake_thread;

#define FAKE_TRACE(...)                                                                            \
  do {                                                                                             \
    if (fake_state.trace != NULL)                                                                  \
      fprintf (fake_state.trace, __VA_ARGS__);                                                     \
  } while (0)

// What must never happen, whatever the library does.
void fake_bug (const char *what, const void *address, size_t bytes);
// Whether this call is the one to fail.
int fake_fails (fake_cuda_failure kind);
// Numbers in the place of pointers, the same in every run.
void *fake_handle (void);
unsigned long long fake_hash (const void *from, size_t bytes);

#endif
