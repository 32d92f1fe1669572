// fake_cufft.c: the functions of cuFFT that kernels/ opens, without transforms
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A library of its own, because kernels/ looks for it by name; fake_cuda.c keeps its trace.

#include <stddef.h>

int fake_cufft_create (int *plan);
int fake_cufft_destroy (int plan);
int fake_cufft_plan (int plan, const long long *sizes, size_t *work);
int fake_cufft_run (int plan, const void *from, const void *to, int direction);

static _Thread_local void *work_space;

int cufftCreate (int *plan)
{
  return fake_cufft_create (plan);
}
int cufftDestroy (int plan)
{
  return fake_cufft_destroy (plan);
}
int cufftSetAutoAllocation (int plan, int yes)
{
  (void)plan;
  return yes ? 5 : 0; // the engine has the memory
}
int cufftSetStream (int plan, void *stream)
{
  (void)plan, (void)stream;
  return 0;
}
int cufftSetWorkArea (int plan, void *memory)
{
  (void)plan;
  work_space = memory;
  return 0;
}
int cufftMakePlanMany64 (int plan, int rank, const long long *n, const long long *from_size,
                         long long from_step, long long from_distance, const long long *to_size,
                         long long to_step, long long to_distance, int type, long long batch,
                         size_t *work)
{
  enum { INVALID_VALUE = 4 };
  const long long sizes[] = {n[0], from_step, from_distance, batch, type};
  if (rank != 1 || from_size == NULL || to_size == NULL || from_step != to_step ||
      from_distance != to_distance)
    return INVALID_VALUE;
  return fake_cufft_plan (plan, sizes, work);
}

static int run (int plan, const void *from, const void *to, int direction)
{
  enum { NO_WORKSPACE = 0xD };
  const int known = work_space != NULL;
  work_space = NULL;
  return known ? fake_cufft_run (plan, from, to, direction) : NO_WORKSPACE;
}
int cufftExecC2C (int plan, const void *from, const void *to, int direction)
{
  return run (plan, from, to, direction);
}
int cufftExecZ2Z (int plan, const void *from, const void *to, int direction)
{
  return run (plan, from, to, direction);
}
