// cufft.cu: Fourier transforms by cuFFT, which is loaded at run time
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cufft.cuh"
#include "heap.cuh"
#include "library.cuh"

#include <cstdlib>

namespace
{

// Numbers of cufft.h, the same in every version.
enum {
  STATUS_SUCCESS = 0x0,
  STATUS_ALLOC_FAILED = 0x2,
  STATUS_INVALID_VALUE = 0x4,
  STATUS_INVALID_SIZE = 0x8,
  STATUS_NOT_IMPLEMENTED = 0xE,
  STATUS_NOT_SUPPORTED = 0x10
};
enum { COMPLEX_SINGLE = 0x29, COMPLEX_DOUBLE = 0x69, FORWARD = -1, INVERSE = 1 };

typedef int (*plan_function) (int, int, long long *, long long *, long long, long long, long long *,
                              long long, long long, int, long long, size_t *);
typedef int (*run_function) (int, void *, void *, int);

struct library {
  int (*create) (int *);
  int (*destroy) (int);
  int (*allocate) (int, int);
  int (*set_stream) (int, cudaStream_t);
  int (*set_work) (int, void *);
  plan_function plan;
  run_function run[2]; // single, double
  bool found;
};

library open_library ()
{
  library l = {};
  void *from = toolkit_library ("cufft", 12, 10);
  l.found = from != nullptr && find (from, "cufftCreate", &l.create) &&
            find (from, "cufftDestroy", &l.destroy) &&
            find (from, "cufftSetAutoAllocation", &l.allocate) &&
            find (from, "cufftSetStream", &l.set_stream) &&
            find (from, "cufftSetWorkArea", &l.set_work) &&
            find (from, "cufftMakePlanMany64", &l.plan) && find (from, "cufftExecC2C", &l.run[0]) &&
            find (from, "cufftExecZ2Z", &l.run[1]);
  return l;
}

const library &cufft ()
{
  static const library opened = open_library ();
  return opened;
}

// A failure of cuFFT loses the arrays on the GPU only if the GPU itself has failed.
gla_status status_of (const cuda_engine *e, int status, gla_status other)
{
  if (status == STATUS_SUCCESS)
    return GLA_OK;
  cudaGetLastError ();
  const cudaError_t error = cudaStreamQuery (e->slots[0].stream);
  if (error != cudaSuccess && error != cudaErrorNotReady)
    return engine_status (error);
  switch (status) {
  case STATUS_ALLOC_FAILED:
    return GLA_ERROR_OUT_OF_MEMORY;
  case STATUS_INVALID_VALUE:
  case STATUS_INVALID_SIZE:
  case STATUS_NOT_IMPLEMENTED:
  case STATUS_NOT_SUPPORTED:
    return GLA_ERROR_BAD_ARGUMENT;
  default:
    return other;
  }
}

struct plan {
  fft_shape shape;
  int handle;
  size_t work;   // bytes
  uint64_t used; // the number of the call; 0: no plan
};

bool is_same (const fft_shape &a, const fft_shape &b)
{
  return a.n == b.n && a.step == b.step && a.distance == b.distance && a.batch == b.batch &&
         a.type == b.type;
}

gla_status make (cuda_engine *e, const fft_shape &s, plan *p)
{
  int status = cufft ().create (&p->handle);
  if (status != STATUS_SUCCESS)
    return status_of (e, status, GLA_ERROR_NO_LIBRARY);
  // with NULL for the sizes of the arrays cuFFT would ignore step and distance
  long long n = s.n, whole = s.n;
  status = cufft ().allocate (p->handle, 0);
  if (status == STATUS_SUCCESS)
    status =
        cufft ().plan (p->handle, 1, &n, &whole, s.step, s.distance, &whole, s.step, s.distance,
                       s.type == GLA_TYPE_C ? COMPLEX_SINGLE : COMPLEX_DOUBLE, s.batch, &p->work);
  if (status == STATUS_SUCCESS)
    status = cufft ().set_stream (p->handle, e->slots[0].stream);
  if (status == STATUS_SUCCESS)
    return GLA_OK;
  cufft ().destroy (p->handle);
  return status_of (e, status, GLA_ERROR_NO_LIBRARY);
}

enum { PLANS = 8 };

} // namespace

struct fft_plans {
  plan plans[PLANS];
  uint64_t calls;
};

// Returns the plan of this shape, which replaces the least recently used one if it is new.
static gla_status plan_of (cuda_engine *e, const fft_shape &shape, plan **found)
{
  if (e->fft == nullptr)
    e->fft = static_cast<fft_plans *> (calloc (1, sizeof *e->fft));
  if (e->fft == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  plan *oldest = e->fft->plans;
  for (plan &p : e->fft->plans) {
    if (p.used > 0 && is_same (p.shape, shape)) {
      p.used = ++e->fft->calls;
      *found = &p;
      return GLA_OK;
    }
    if (p.used < oldest->used)
      oldest = &p;
  }
  if (oldest->used > 0) {
    // cuFFT does not say whether it waits for a plan in use
    GLA_TRY (engine_throttle (e, 0));
    cufft ().destroy (oldest->handle);
  }
  *oldest = {};
  GLA_TRY (make (e, shape, oldest));
  oldest->shape = shape;
  oldest->used = ++e->fft->calls;
  *found = oldest;
  return GLA_OK;
}

gla_status engine_fft (cuda_engine *e, const fft_shape &shape, bool inverse, const void *from,
                       void *to)
{
  if (!cufft ().found)
    return GLA_ERROR_NO_LIBRARY;
  plan *p = nullptr;
  GLA_TRY (plan_of (e, shape, &p));
  void *work = nullptr;
  if (p->work > 0)
    GLA_TRY (heap_take (e, p->work, &work));
  int status = work != nullptr ? cufft ().set_work (p->handle, work) : STATUS_SUCCESS;
  if (status == STATUS_SUCCESS)
    status = cufft ().run[shape.type == GLA_TYPE_Z](p->handle, const_cast<void *> (from), to,
                                                    inverse ? INVERSE : FORWARD);
  heap_give (e, work); // later work in the stream may use the memory
  return status_of (e, status, GLA_ERROR_DEVICE_FAILURE);
}

void engine_drop_fft (cuda_engine *e)
{
  if (e->fft == nullptr)
    return;
  cudaStreamSynchronize (e->slots[0].stream);
  for (const plan &p : e->fft->plans)
    if (p.used > 0)
      cufft ().destroy (p.handle);
  free (e->fft);
  e->fft = nullptr;
}
