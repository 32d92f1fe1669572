// fake_cuda.h: a stand-in for the CUDA runtime, in which kernels do nothing
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The objects of kernels/ are linked with fake_cuda.c and the files beside it in place of
// libcudart_static.a. Device memory is host memory at addresses that depend on the calls alone;
// every copy must lie within one allocation, and memory that was freed, or is behind an allocation,
// cannot be touched. Kernels are not run. What the host reads back is set by the test, so that it
// takes one way or another.

#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdint.h>
#include <stdio.h>

// What kernels would have computed.
typedef struct {
  int fill;     // every byte of new device memory
  int words;    // so many copies of one int, or three, from the device, from the next on, bring
  int word;     // this
  int any_info; // what kernels that look for an info of a page report
  int ones;     // nonzero: every double that cudaMemcpy brings from the device is 1
} fake_cuda_answers;
extern fake_cuda_answers fake_cuda_answer;
extern int fake_cuda_alike; // nonzero: device 1 is as device 0
extern int fake_cuda_apart; // nonzero: the GPUs of each thread are others

// The n-th call from now on that can fail does, with the error that such a call has; 0: none. Calls
// are allocations, launches, copies, events and streams, and products of cuBLAS.
typedef enum { FAKE_NONE = 0, FAKE_ALLOCATION, FAKE_DEVICE } fake_cuda_failure;
void fake_cuda_fail_at (int64_t n);
// The next cudaFuncSetAttribute fails. It does not count as a call: the library makes it for each
// kernel once.
void fake_cuda_fail_attribute (void);
int64_t fake_cuda_calls (void);                // calls that can fail since then
fake_cuda_failure fake_cuda_has_failed (void); // what kind of call it was

// Every call and its arguments in a line, but for addresses of the host; NULL: no trace.
void fake_cuda_trace (FILE *to);

// Events that are recorded in this stream from now on do not come, until it is NULL.
void fake_cuda_hold (void *stream);

// Allocations, streams, events and handles of cuBLAS that were not given back; launches so far.
int64_t fake_cuda_live (void);
int64_t fake_cuda_launches (void);
// Bytes that were copied from the host to devices so far.
int64_t fake_cuda_uploaded (void);
// Questions about devices and kernels so far: a driver would have been started by the first.
int64_t fake_cuda_questions (void);

// The same as cudaMalloc and cudaFree, for arrays of the caller. They do not fail.
void *fake_cuda_array (size_t bytes);
void fake_cuda_array_free (void *array);

// Device 0 has 132 multiprocessors and clusters, device 1 108 and none.
enum { FAKE_DEVICES = 2 };

#endif
