// fake_libraries.c: what the stand-ins for cuBLAS and cuFFT call
// SPDX-License-Identifier: GPL-3.0-or-later

#include "fake_cuda.h"
#include "fake_state.h"

//------------------------------------------------------------------------------
// what the stand-in for cuBLAS calls (fake_cublas.c)
//------------------------------------------------------------------------------

int fake_cublas_create (void **handle)
{
  enum { ALLOC_FAILED = 3 };
  FAKE_TRACE ("cublas\n");
  if (fake_fails (FAKE_ALLOCATION))
    return ALLOC_FAILED;
  *handle = fake_handle ();
  return 0;
}
int fake_cublas_destroy (void *handle)
{
  FAKE_TRACE ("end of cublas %p\n", handle);
  fake_state.live--;
  return 0;
}
int fake_cublas_stream (void *handle, void *stream)
{
  FAKE_TRACE ("cublas %p, stream %p\n", handle, stream);
  return 0;
}
int fake_cublas_gemm (const char *name, const int *sizes, const void *alpha, const void *beta,
                      const void *A, const void *B, const void *C)
{
  enum { EXECUTION_FAILED = 13 };
  size_t scalar = (size_t)(name[0] == 'S' ? 4 : name[0] == 'Z' ? 16 : 8);
  FAKE_TRACE ("%sgemm %d %d, %d %d %d, %d %d %d, %llx %llx, %p %p %p\n", name, sizes[0], sizes[1],
              sizes[2], sizes[3], sizes[4], sizes[5], sizes[6], sizes[7], fake_hash (alpha, scalar),
              fake_hash (beta, scalar), A, B, C);
  return fake_fails (FAKE_DEVICE) ? EXECUTION_FAILED : 0;
}

//------------------------------------------------------------------------------
// what the stand-in for cuFFT calls (fake_cufft.c)
//------------------------------------------------------------------------------

int fake_cufft_create (int *plan)
{
  enum { ALLOC_FAILED = 2 };
  static _Atomic int plans;
  FAKE_TRACE ("cufft\n");
  if (fake_fails (FAKE_ALLOCATION))
    return ALLOC_FAILED;
  fake_state.live++;
  *plan = ++plans;
  return 0;
}
int fake_cufft_destroy (int plan)
{
  (void)plan;
  FAKE_TRACE ("end of a plan of cufft\n");
  fake_state.live--;
  return 0;
}
int fake_cufft_plan (int plan, const long long *sizes, size_t *work)
{
  enum { ALLOC_FAILED = 2 };
  (void)plan;
  FAKE_TRACE ("plan of cufft %lld %lld %lld %lld %lld\n", sizes[0], sizes[1], sizes[2], sizes[3],
              sizes[4]);
  *work = (size_t)(16 * sizes[0] * sizes[3]);
  return fake_fails (FAKE_ALLOCATION) ? ALLOC_FAILED : 0;
}
int fake_cufft_run (int plan, const void *from, const void *to, int direction)
{
  enum { EXEC_FAILED = 6 };
  (void)plan;
  FAKE_TRACE ("fft %d %p %p\n", direction, from, to);
  return fake_fails (FAKE_DEVICE) ? EXEC_FAILED : 0;
}
