// cublas.cu: matrix products by cuBLAS, which is loaded at run time
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cublas.cuh"
#include "common/runtime.cuh"
#include "engine.cuh"
#include "library.cuh"

namespace
{

// Numbers of cublas_api.h, the same in every version.
enum { STATUS_SUCCESS = 0, STATUS_ALLOC_FAILED = 3, OP_N = 0, OP_T = 1, OP_C = 2 };
enum { DEFAULT_MATH = 0, STRATEGY_PERFORMANT = 1 };

typedef int (*gemm_function) (void *, int, int, int, int, int, const void *, const void *, int,
                              const void *, int, const void *, void *, int);

struct library {
  int (*create) (void **);
  int (*destroy) (void *);
  int (*set_stream) (void *, cudaStream_t);
  int (*set_math) (void *, int);     // nullptr in versions without it
  int (*set_strategy) (void *, int); // the same, before CUDA 13
  gemm_function gemm[4];             // in the order s d c z
  bool found;
};

library open_library ()
{
  library l = {};
  void *from = toolkit_library ("cublas", 13, 11);
  if (from == nullptr)
    return l;
  const char *gemm[] = {"cublasSgemm_v2", "cublasDgemm_v2", "cublasCgemm_v2", "cublasZgemm_v2"};
  bool all = find (from, "cublasCreate_v2", &l.create) &&
             find (from, "cublasDestroy_v2", &l.destroy) &&
             find (from, "cublasSetStream_v2", &l.set_stream);
  find (from, "cublasSetMathMode", &l.set_math);
  find (from, "cublasSetEmulationStrategy", &l.set_strategy);
  for (int t = 0; t < 4; t++)
    all = all && find (from, gemm[t], &l.gemm[t]);
  l.found = all;
  return l;
}

const library &cublas ()
{
  static const library opened = open_library ();
  return opened;
}

gla_status status_of (int status)
{
  if (status == STATUS_SUCCESS)
    return GLA_OK;
  cudaGetLastError ();
  return status == STATUS_ALLOC_FAILED ? GLA_ERROR_OUT_OF_MEMORY : GLA_ERROR_DEVICE_FAILURE;
}

template <class T> int type_index ()
{
  return (sizeof (real_t<T>) == 8 ? 1 : 0) + (is_complex_v<T> ? 2 : 0);
}

int operation (char op, bool is_complex)
{
  return op == 'N' ? OP_N : is_complex ? OP_C : OP_T;
}

} // namespace

bool gpu_blas_available ()
{
  return cublas ().found;
}

bool gpu_blas_expected ()
{
  return !device_opened () || gpu_blas_available ();
}

void gpu_blas_close (gpu_blas *b)
{
  if (b->handle != nullptr)
    cublas ().destroy (b->handle);
  b->handle = nullptr;
}

gla_status gpu_blas_open (gpu_blas *b)
{
  if (b->handle != nullptr)
    return GLA_OK;
  if (!gpu_blas_available ())
    return GLA_ERROR_DEVICE_FAILURE;
  int status = cublas ().create (&b->handle);
  // A new handle takes these from CUBLAS_EMULATE_DOUBLE_PRECISION and CUBLAS_EMULATION_STRATEGY,
  // which would change the bits of results.
  if (status == STATUS_SUCCESS && cublas ().set_math != nullptr)
    status = cublas ().set_math (b->handle, DEFAULT_MATH);
  if (status == STATUS_SUCCESS && cublas ().set_strategy != nullptr)
    status = cublas ().set_strategy (b->handle, STRATEGY_PERFORMANT);
  if (status != STATUS_SUCCESS)
    gpu_blas_close (b);
  return status_of (status);
}

template <class T>
gla_status gpu_gemm (gpu_blas *b, cudaStream_t stream, char op_a, char op_b, int64_t m, int64_t n,
                     int64_t k, real_t<T> alpha, page_matrix<const T> A, page_matrix<const T> B,
                     real_t<T> beta, page_matrix<T> C, int64_t pages)
{
  if (m == 0 || n == 0 || pages == 0)
    return GLA_OK;
  int t = type_index<T> ();
  real_t<T> scalars[4] = {alpha, 0, beta, 0};
  int left = operation (op_a, is_complex_v<T>), right = operation (op_b, is_complex_v<T>);
  int status = cublas ().set_stream (b->handle, stream);
  for (int64_t p = 0; p < pages && status == STATUS_SUCCESS; p++)
    status = cublas ().gemm[t](b->handle, left, right, (int)m, (int)n, (int)k, scalars,
                               A.data + p * A.page, (int)A.ld, B.data + p * B.page, (int)B.ld,
                               scalars + 2, C.data + p * C.page, (int)C.ld);
  return status_of (status);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status gpu_gemm (gpu_blas *, cudaStream_t, char, char, int64_t, int64_t, int64_t,   \
                                real_t<T>, page_matrix<const T>, page_matrix<const T>, real_t<T>,  \
                                page_matrix<T>, int64_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
