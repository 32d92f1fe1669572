// tests/c/fake_state.h: what the files of the stand-in for the CUDA runtime share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef FAKE_STATE_H
#define FAKE_STATE_H

#include "fake_cuda.h"

#include <cuda_runtime_api.h>

typedef struct {
  FILE *trace;
  int64_t calls, fail_at, live, launches, questions;
  fake_cuda_failure failed;
  cudaError_t last_error;
  int device, attribute_fails;
} fake_cuda_state;
extern fake_cuda_state fake_state;

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
