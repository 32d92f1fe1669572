// device_arrays.c: the C library on arrays that are in the memory of a GPU: nothing is transferred
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   cc device_arrays.c $(pkg-config --cflags --libs gpulinalg) -I/usr/local/cuda/include
//     -L/usr/local/cuda/lib64 -lcudart
//
// The arrays may come from cudaMalloc or from any other allocator of the CUDA runtime. Work that
// writes A in a stream of the caller must have ended (cudaStreamSynchronize) before the call, and
// the results are complete when the call returns.

#include "gpulinalg.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

enum { N = 8, PAGES = 1000 };
static double A[PAGES][N][N], lambda[PAGES][N];

// Eigenvalues of the pages on GPU 0; the results come back for printing only.
static gla_status solve (gla_context *ctx, double *device_A, double *device_lambda)
{
  const gla_array a = gla_array_packed (device_A, GLA_TYPE_D, N, N, PAGES, 0);
  gla_eig_results results = {.size = sizeof results};
  results.lambda = gla_array_packed (device_lambda, GLA_TYPE_D, N, 1, PAGES, 0);
  if (cudaMemcpy (device_A, A, sizeof A, cudaMemcpyHostToDevice) != cudaSuccess)
    return GLA_ERROR_DEVICE_FAILURE;
  const gla_status status = gla_batcheig (ctx, &a, &results, NULL, NULL);
  if (status == GLA_OK &&
      cudaMemcpy (lambda, device_lambda, sizeof lambda, cudaMemcpyDeviceToHost) != cudaSuccess)
    return GLA_ERROR_DEVICE_FAILURE;
  return status;
}

int main (void)
{
  for (int p = 0; p < PAGES; p++)
    for (int i = 0; i < N; i++)
      A[p][i][i] = p + N - i; // eigenvalues p+1 to p+N
  double *device_A = NULL, *device_lambda = NULL;
  gla_context *ctx = NULL;
  gla_status status = gla_context_create (&ctx);
  if (status == GLA_OK && (cudaMalloc ((void **)&device_A, sizeof A) != cudaSuccess ||
                           cudaMalloc ((void **)&device_lambda, sizeof lambda) != cudaSuccess))
    status = GLA_ERROR_NO_DEVICE;
  if (status == GLA_OK)
    status = solve (ctx, device_A, device_lambda);
  if (status == GLA_OK)
    printf ("page 7: %.10f to %.10f\n", lambda[7][0], lambda[7][N - 1]);
  else
    fprintf (stderr, "%s: %s\n", gla_status_text (status), gla_message (ctx));
  cudaFree (device_A);
  cudaFree (device_lambda);
  gla_context_destroy (ctx);
  return status != GLA_OK;
}
