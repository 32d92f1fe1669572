// cusolver_batch.cuh: solves the same batches by cuSOLVER
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef CUSOLVER_BATCH_CUH
#define CUSOLVER_BATCH_CUH

#include "common/measure.cuh"

template <class T> std::string bad_info (batch<T> &m)
{
  std::vector<int> info (m.pages);
  if (cudaMemcpy (info.data (), m.info, m.pages * sizeof (int), cudaMemcpyDeviceToHost) !=
      cudaSuccess)
    return "no info";
  int64_t bad = std::count_if (info.begin (), info.end (), [] (int i) { return i != 0; });
  return bad > 0 ? std::to_string (bad) + " pages failed" : "";
}

// cuSOLVER works in place: V holds the input of a call, A the same input again for the check.
// cuSOLVER's time is kept even if its error is large; the table shows the error.
template <class T> void judge_peer (bench &b, batch<T> &m, outcome &out)
{
  if (out.note.empty ())
    out.note = bad_info (m);
  if (!out.note.empty ()) {
    out.seconds = NAN;
    return;
  }
  m.fill (m.A, b.seed);
  judge (m, out, 1e4);
}

// The workspace is zeroed before each call, outside the time: cuSOLVER has returned wrong
// eigenvectors from a workspace that was not.
template <class T> outcome xsyev_batched (bench &b, batch<T> &m)
{
  const cudaDataType type = scalar<T>::type, real = scalar<T>::real_type;
  const cusolverEigMode_t job = m.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  outcome out;
  cusolverDnParams_t params = NULL;
  size_t on_device = 0, on_host = 0;
  void *workspace = NULL;
  int status = cusolverDnCreateParams (&params);
  if (status == 0)
    status = cusolverDnXsyevBatched_bufferSize (b.cusolver, params, job, CUBLAS_FILL_MODE_LOWER,
                                                m.n, type, m.V, m.n, real, m.lambda, type,
                                                &on_device, &on_host, m.pages);
  if (status != 0)
    out.note = "bufferSize status " + std::to_string (status);
  else if (cudaMalloc (&workspace, on_device + 16) != cudaSuccess)
    out.note = "no memory for " + std::to_string (on_device >> 20) + " MiB of workspace";
  cudaGetLastError ();
  if (out.note.empty ()) {
    std::vector<char> host (on_host + 16);
    out = measure (
        b,
        [&] {
          cudaMemset (workspace, 0, on_device);
          m.prepare (m.V, b.seed);
        },
        [&] () -> std::string {
          int failed = cusolverDnXsyevBatched (b.cusolver, params, job, CUBLAS_FILL_MODE_LOWER, m.n,
                                               type, m.V, m.n, real, m.lambda, type, workspace,
                                               on_device, host.data (), on_host, m.info, m.pages);
          return failed != 0 ? "status " + std::to_string (failed) : "";
        });
    judge_peer (b, m, out);
  }
  cudaFree (workspace);
  cusolverDnDestroyParams (params);
  return out;
}

// syevjBatched has a name per type and no common one.
template <class T> struct syevj;
template <> struct syevj<float> {
  static constexpr auto size = cusolverDnSsyevjBatched_bufferSize;
  static constexpr auto run = cusolverDnSsyevjBatched;
};
template <> struct syevj<double> {
  static constexpr auto size = cusolverDnDsyevjBatched_bufferSize;
  static constexpr auto run = cusolverDnDsyevjBatched;
};
template <> struct syevj<cuFloatComplex> {
  static constexpr auto size = cusolverDnCheevjBatched_bufferSize;
  static constexpr auto run = cusolverDnCheevjBatched;
};
template <> struct syevj<cuDoubleComplex> {
  static constexpr auto size = cusolverDnZheevjBatched_bufferSize;
  static constexpr auto run = cusolverDnZheevjBatched;
};

template <class T> outcome syevj_batched (bench &b, batch<T> &m)
{
  const cusolverEigMode_t job = m.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const int n = (int)m.n, pages = (int)m.pages;
  outcome out;
  syevjInfo_t params = NULL;
  int size = 0;
  T *workspace = NULL;
  int status = cusolverDnCreateSyevjInfo (&params);
  if (status == 0)
    status = syevj<T>::size (b.cusolver, job, CUBLAS_FILL_MODE_LOWER, n, m.V, n, m.lambda, &size,
                             params, pages);
  if (status != 0)
    out.note = "bufferSize status " + std::to_string (status);
  else if (cudaMalloc (&workspace, ((size_t)size + 1) * sizeof (T)) != cudaSuccess)
    out.note = "no memory for the workspace";
  cudaGetLastError ();
  if (out.note.empty ()) {
    out = measure (
        b,
        [&] {
          cudaMemset (workspace, 0, (size_t)size * sizeof (T));
          m.prepare (m.V, b.seed);
        },
        [&] () -> std::string {
          int failed = syevj<T>::run (b.cusolver, job, CUBLAS_FILL_MODE_LOWER, n, m.V, n, m.lambda,
                                      workspace, size, m.info, params, pages);
          return failed != 0 ? "status " + std::to_string (failed) : "";
        });
    judge_peer (b, m, out);
  }
  cudaFree (workspace);
  cusolverDnDestroySyevjInfo (params);
  return out;
}

#endif
