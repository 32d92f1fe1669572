// fake_cublas.c: the functions of cuBLAS that kernels/ opens, without products
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A library of its own, because kernels/ looks for it by name; fake_cuda.c keeps its trace.

int fake_cublas_create (void **handle);
int fake_cublas_destroy (void *handle);
int fake_cublas_stream (void *handle, void *stream);
int fake_cublas_gemm (const char *name, const int *sizes, const void *alpha, const void *beta,
                      const void *A, const void *B, const void *C);

// A new handle emulates, as under CUBLAS_EMULATE_DOUBLE_PRECISION with the eager strategy, and its
// products fail until that is undone.
enum { EXECUTION_FAILED = 13 };
static int emulated, eager;

int cublasCreate_v2 (void **handle)
{
  emulated = eager = 1;
  return fake_cublas_create (handle);
}
int cublasSetMathMode (void *handle, int mode)
{
  (void)handle;
  emulated = mode != 0;
  return 0;
}
int cublasSetEmulationStrategy (void *handle, int strategy)
{
  (void)handle;
  eager = strategy != 1;
  return 0;
}
int cublasDestroy_v2 (void *handle)
{
  return fake_cublas_destroy (handle);
}
int cublasSetStream_v2 (void *handle, void *stream)
{
  return fake_cublas_stream (handle, stream);
}

#define GEMM(TYPE)                                                                                 \
  int cublas##TYPE##gemm_v2 (void *handle, int op_a, int op_b, int m, int n, int k,                \
                             const void *alpha, const void *A, int lda, const void *B, int ldb,    \
                             const void *beta, void *C, int ldc)                                   \
  {                                                                                                \
    const int sizes[] = {op_a, op_b, m, n, k, lda, ldb, ldc};                                      \
    (void)handle;                                                                                  \
    return emulated || eager ? EXECUTION_FAILED                                                    \
                             : fake_cublas_gemm (#TYPE, sizes, alpha, beta, A, B, C);              \
  }
GEMM (S)
GEMM (D)
GEMM (C)
GEMM (Z)
