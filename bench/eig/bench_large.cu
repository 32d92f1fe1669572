// bench_large.cu: compares gla_batcheig with cuSOLVER's Xsyevd for large matrices on one GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_large [--types dzsc] [--sizes 2048,4096,...] [--values] [--pages p] [--alone]
// [--hard] [--steps]
//
// A table (TSV) goes to stdout. All arrays are on the GPU before and after, both libraries read the
// lower triangle, and the input is random and Hermitian. A time is the median of 3 calls after one
// that loads code and takes memory; from half a second on of 1, and from 5 s on the first one
// counts. The ratios are
//   residual       |A V - V diag (lambda)|_F / (n eps |A|_F)
//   orthogonality  |V' V - I|_F / (n eps sqrt n)
// by products of cuBLAS; without vectors, residual compares the sum of the squares of the
// eigenvalues with the norm of A.
// --values: no eigenvectors. --alone: no peer. --hard: matrices that are hard, no peer and no
// times. --steps: no peer; a column more has the time over n^3 divided by that of the size before.
// The exit status is 1 if a result was wrong.

#include "gpulinalg.h"
#include "common/device_bench.cuh"

#include <chrono>
#include <cmath>
#include <cstring>
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <limits>
#include <string>

namespace
{

struct settings {
  std::string types = "dz";
  std::vector<int64_t> sizes = {2048, 4096, 8192, 16384};
  int64_t pages = 1;
  bool vectors = true, peer = true, hard = false, steps = false;
};

struct handles {
  gla_context *ctx = NULL;
  cublasHandle_t blas = NULL;
  cusolverDnHandle_t solver = NULL;
  bool wrong = false;
  double last = NAN; // time over n^3 of the size before
};

//------------------------------------------------------------------------------
// input
//------------------------------------------------------------------------------

template <class T> __device__ T make (double re, double im);
template <> __device__ float make (double re, double)
{
  return (float)re;
}
template <> __device__ double make (double re, double)
{
  return re;
}
template <> __device__ cuFloatComplex make (double re, double im)
{
  return make_float2 ((float)re, (float)im);
}
template <> __device__ cuDoubleComplex make (double re, double im)
{
  return make_double2 (re, im);
}

enum kind { RANDOM, ZERO, IDENTITY, RANK_1, ONES_BAND, GLUED, GRADED, ARROW, NEAR_IDENTITY, KINDS };
const char *const kind_names[] = {"random", "zero",       "identity",
                                  "rank 1", "band of 33", "glued Wilkinson",
                                  "graded", "arrow",      "I + eps random"};

// Entry (i, j), i >= j, of a matrix of the kind.
__device__ double2 hard_entry (kind what, int64_t n, int64_t i, int64_t j, uint64_t seed)
{
  double x = uniform ((uint64_t)(i * n + j) * 2 + seed),
         y = uniform ((uint64_t)(i * n + j) * 2 + 1 + seed);
  switch (what) {
  case ZERO:
    return make_double2 (0, 0);
  case IDENTITY:
    return make_double2 (i == j, 0);
  case RANK_1: {
    double a = uniform (2 * i + seed), b = uniform (2 * j + seed);
    return make_double2 (a * b, 0);
  }
  case ONES_BAND:
    return make_double2 (i - j <= 33 ? x : 0, i - j <= 33 ? y : 0);
  case GLUED:
    return make_double2 (i == j       ? fabs ((double)(i % 21) - 10)
                         : i == j + 1 ? (i % 21 == 0 ? 1e-14 : 1)
                                      : 0,
                         0);
  case GRADED: {
    double s = exp2 (-40.0 * (double)(i + j) / (2 * n));
    return make_double2 (s * x, s * y);
  }
  case ARROW:
    return make_double2 (j == 0 || i == n - 1 ? x : i == j ? (double)i / n : 0, 0);
  case NEAR_IDENTITY:
    return make_double2 ((i == j) + 1e-15 * x, 1e-15 * y);
  default:
    return make_double2 (x, y);
  }
}

template <class T>
__global__ void fill_matrix (T *A, int64_t n, int64_t pages, kind what, uint64_t seed)
{
  int64_t total = n * n * pages, step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < total; e += step) {
    int64_t page = e / (n * n), i = e % n, j = e / n % n, low = i < j ? i : j, high = i < j ? j : i;
    double2 x = hard_entry (what, n, high, low, seed + 1000003 * page);
    A[e] = make<T> (x.x, i == j ? 0 : i > j ? x.y : -x.y);
  }
}

//------------------------------------------------------------------------------
// checks
//------------------------------------------------------------------------------

template <class T>
__global__ void scale_columns (T *B, const T *V, const typename scalar<T>::real *l, int64_t n)
{
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < n * n; e += step) {
    double2 x = wide (V[e]);
    B[e] = make<T> (x.x * l[e / n], x.y * l[e / n]);
  }
}

template <class T> __global__ void set_identity (T *B, int64_t n)
{
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < n * n; e += step)
    B[e] = make<T> (e % n == e / n, 0);
}

// Sum of squares in double, a part for each block.
template <class T> __global__ void squares (const T *B, int64_t count, double *sum)
{
  __shared__ double part[256];
  double s = 0;
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < count; e += step) {
    double2 x = wide (B[e]);
    s += x.x * x.x + x.y * x.y;
  }
  part[threadIdx.x] = s;
  __syncthreads ();
  for (int k = 128; k > 0; k /= 2) {
    if ((int)threadIdx.x < k)
      part[threadIdx.x] += part[threadIdx.x + k];
    __syncthreads ();
  }
  if (threadIdx.x == 0)
    sum[blockIdx.x] = part[0];
}

template <class T> double norm_of (const T *B, int64_t count)
{
  enum { BLOCKS = 512 };
  static double *sums = NULL;
  if (sums == NULL)
    must (cudaMallocManaged (&sums, BLOCKS * sizeof (double)), "cudaMallocManaged");
  squares<<<BLOCKS, 256>>> (B, count, sums);
  must (cudaDeviceSynchronize (), "squares");
  double sum = 0;
  for (int k = 0; k < BLOCKS; k++)
    sum += sums[k];
  return sqrt (sum);
}

int gemm (cublasHandle_t h, cublasOperation_t op, int n, double alpha, const float *A,
          const float *B, double beta, float *C)
{
  float a = alpha, b = beta;
  return cublasSgemm (h, op, CUBLAS_OP_N, n, n, n, &a, A, n, B, n, &b, C, n);
}
int gemm (cublasHandle_t h, cublasOperation_t op, int n, double alpha, const double *A,
          const double *B, double beta, double *C)
{
  return cublasDgemm (h, op, CUBLAS_OP_N, n, n, n, &alpha, A, n, B, n, &beta, C, n);
}
int gemm (cublasHandle_t h, cublasOperation_t op, int n, double alpha, const cuFloatComplex *A,
          const cuFloatComplex *B, double beta, cuFloatComplex *C)
{
  cuFloatComplex a = {(float)alpha, 0}, b = {(float)beta, 0};
  return cublasCgemm (h, op, CUBLAS_OP_N, n, n, n, &a, A, n, B, n, &b, C, n);
}
int gemm (cublasHandle_t h, cublasOperation_t op, int n, double alpha, const cuDoubleComplex *A,
          const cuDoubleComplex *B, double beta, cuDoubleComplex *C)
{
  cuDoubleComplex a = {alpha, 0}, b = {beta, 0};
  return cublasZgemm (h, op, CUBLAS_OP_N, n, n, n, &a, A, n, B, n, &b, C, n);
}

template <class T> struct problem {
  typedef typename scalar<T>::real R;
  int64_t n, pages;
  bool vectors;
  T *A = NULL, *V = NULL, *work = NULL;
  R *lambda = NULL;
  bool allocate ()
  {
    bool ok = cudaMalloc (&A, n * n * pages * sizeof (T)) == cudaSuccess &&
              cudaMalloc (&V, n * n * pages * sizeof (T)) == cudaSuccess &&
              cudaMalloc (&lambda, n * pages * sizeof (R)) == cudaSuccess;
    cudaGetLastError ();
    return ok;
  }
  ~problem ()
  {
    cudaFree (A);
    cudaFree (V);
    cudaFree (lambda);
    cudaFree (work);
  }
  void fill (T *to, kind what, uint64_t seed)
  {
    fill_matrix<<<2048, 256>>> (to, n, pages, what, seed);
    must (cudaDeviceSynchronize (), "fill");
  }
  // Ratios of the last page; its input is filled again.
  void check (handles &h, kind what, uint64_t seed, double *residual, double *orthogonality)
  {
    double eps = std::numeric_limits<R>::epsilon ();
    fill (A, what, seed);
    const T *a = A + (pages - 1) * n * n, *v = V + (pages - 1) * n * n;
    std::vector<R> l (n);
    must (cudaMemcpy (l.data (), lambda + (pages - 1) * n, n * sizeof (R), cudaMemcpyDeviceToHost),
          "copy");
    bool sorted = true;
    double sum = 0, norm = norm_of (a, n * n);
    for (int64_t i = 0; i < n; i++) {
      sorted = sorted && l[i] == l[i] && (i == 0 || l[i] >= l[i - 1]);
      sum += (double)l[i] * l[i];
    }
    *orthogonality = 0;
    *residual = fabs (sqrt (sum) - norm) / (n * eps * norm + 1e-300);
    if (!sorted)
      *residual = NAN;
    if (!vectors || !sorted)
      return;
    if (work == NULL && cudaMalloc (&work, n * n * sizeof (T)) != cudaSuccess) {
      cudaGetLastError ();
      return;
    }
    set_identity<<<2048, 256>>> (work, n);
    must (gemm (h.blas, CUBLAS_OP_C, (int)n, 1, v, v, -1, work), "gemm");
    *orthogonality = norm_of (work, n * n) / (n * eps * sqrt ((double)n));
    scale_columns<<<2048, 256>>> (work, v, lambda + (pages - 1) * n, n);
    must (gemm (h.blas, CUBLAS_OP_N, (int)n, 1, a, v, -1, work), "gemm");
    *residual = norm_of (work, n * n) / (n * eps * norm + 1e-300);
  }
};

//------------------------------------------------------------------------------
// both libraries
//------------------------------------------------------------------------------

// Median milliseconds of 3 calls, or of one where it takes half a second, after the first one.
double time_of (const std::function<void ()> &prepare, const std::function<void ()> &work)
{
  std::vector<double> times;
  int calls = 4;
  for (int c = 0; c < calls; c++) {
    prepare ();
    must (cudaDeviceSynchronize (), "prepare");
    auto start = std::chrono::steady_clock::now ();
    work ();
    must (cudaDeviceSynchronize (), "work");
    double ms =
        std::chrono::duration<double> (std::chrono::steady_clock::now () - start).count () * 1e3;
    if (c > 0 || ms > 5000)
      times.push_back (ms);
    if (c == 0)
      calls = ms > 5000 ? 1 : ms > 500 ? 2 : 4;
  }
  std::sort (times.begin (), times.end ());
  return times[times.size () / 2];
}

template <class T> std::string ours (handles &h, problem<T> &m)
{
  gla_type type = (gla_type)scalar<T>::letter;
  gla_array A = gla_array_packed (m.A, type, m.n, m.n, m.pages, 0);
  gla_eig_results results = {sizeof results};
  results.lambda = gla_array_packed (m.lambda, gla_type_real (type), m.n, 1, m.pages, 0);
  if (m.vectors)
    results.V = gla_array_packed (m.V, type, m.n, m.n, m.pages, 0);
  gla_eig_options options = {sizeof options, GLA_EIG_METHOD_AUTO, GLA_TRIANGLE_LOWER};
  std::vector<int32_t> info (m.pages);
  results.info = info.data ();
  gla_eig_report report = {{sizeof report}};
  gla_status status = gla_batcheig (h.ctx, &A, &results, &options, &report);
  if (status != GLA_OK)
    return gla_message (h.ctx);
  if (report.base.device != 0)
    return "did not run on the GPU";
  return report.base.pages_failed > 0 ? "failed" : "";
}

// Page by page, in place in V.
template <class T> double peer (handles &h, problem<T> &m, std::string &note)
{
  const cudaDataType type = scalar<T>::type, real = scalar<T>::real_type;
  const cusolverEigMode_t job = m.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  cusolverDnParams_t params = NULL;
  size_t on_device = 0, on_host = 0;
  void *workspace = NULL;
  int *info = NULL;
  cusolverDnCreateParams (&params);
  int status =
      cusolverDnXsyevd_bufferSize (h.solver, params, job, CUBLAS_FILL_MODE_LOWER, m.n, type, m.V,
                                   m.n, real, m.lambda, type, &on_device, &on_host);
  double ms = NAN;
  if (status != 0)
    note = "bufferSize status " + std::to_string (status);
  else if (cudaMalloc (&workspace, on_device + 16) != cudaSuccess ||
           cudaMalloc (&info, 16) != cudaSuccess)
    note = "no memory for " + std::to_string (on_device >> 20) + " MiB";
  cudaGetLastError ();
  if (note.empty ()) {
    std::vector<char> host (on_host + 16);
    ms = time_of ([&] { m.fill (m.V, RANDOM, 1); },
                  [&] {
                    for (int64_t p = 0; p < m.pages && status == 0; p++)
                      status = cusolverDnXsyevd (h.solver, params, job, CUBLAS_FILL_MODE_LOWER, m.n,
                                                 type, m.V + p * m.n * m.n, m.n, real,
                                                 m.lambda + p * m.n, type, workspace, on_device,
                                                 host.data (), on_host, info);
                  });
    if (status != 0) {
      note = "status " + std::to_string (status);
      ms = NAN;
    }
  }
  cudaFree (workspace);
  cudaFree (info);
  cusolverDnDestroyParams (params);
  return ms / m.pages;
}

template <class T> void cell (handles &h, const settings &set, int64_t n)
{
  problem<T> m = {n, set.pages, set.vectors};
  if (!m.allocate ()) {
    printf ("%c\t%lld\t%d\tno memory\n", scalar<T>::letter, (long long)n, set.vectors);
    return;
  }
  std::string note, note_peer;
  double residual = NAN, orthogonality = NAN, ms = NAN, ms_peer = NAN, r = NAN, o = NAN;
  ms = time_of ([&] { m.fill (m.A, RANDOM, 1); },
                [&] {
                  std::string failed = ours (h, m);
                  note = note.empty () ? failed : note;
                }) /
       set.pages;
  if (note.empty ())
    m.check (h, RANDOM, 1, &residual, &orthogonality);
  gla_release (h.ctx, 0);
  if (set.peer) {
    ms_peer = peer (h, m, note_peer);
    if (note_peer.empty ())
      m.check (h, RANDOM, 1, &r, &o);
  }
  bool right = residual <= 3 && orthogonality <= 3;
  h.wrong |= !right;
  printf ("%c\t%lld\t%lld\t%d\t%.4g\t", scalar<T>::letter, (long long)n, (long long)set.pages,
          set.vectors, ms);
  if (set.steps)
    printf ("%.3g\t%.3g\t%.3g\t", ms / pow ((double)n, 3) / h.last, residual, orthogonality);
  else
    printf ("%.4g\t%.3g\t%.3g\t%.3g\t%.3g\t%.3g\t", ms_peer, ms_peer / ms, residual, orthogonality,
            r, o);
  printf ("%s%s %s\n", right ? "" : "WRONG ", note.c_str (), note_peer.c_str ());
  fflush (stdout);
  h.last = ms / pow ((double)n, 3);
}

template <class T> void hard_cell (handles &h, const settings &set, int64_t n)
{
  problem<T> m = {n, set.pages, set.vectors};
  if (!m.allocate ())
    return;
  for (int k = 0; k < KINDS; k++) {
    cudaMemset (m.V, 0xff, n * n * set.pages * sizeof (T));
    m.fill (m.A, (kind)k, 7);
    std::string note = ours (h, m);
    double residual = NAN, orthogonality = NAN;
    if (note.empty ())
      m.check (h, (kind)k, 7, &residual, &orthogonality);
    bool right = residual <= 3 && orthogonality <= 3;
    h.wrong |= !right;
    printf ("hard\t%c\t%lld\t%s\t%.3g\t%.3g\t%s%s\n", scalar<T>::letter, (long long)n,
            kind_names[k], residual, orthogonality, right ? "" : "WRONG ", note.c_str ());
    fflush (stdout);
  }
}

template <class T> void one (handles &h, const settings &set, int64_t n)
{
  if (set.hard)
    hard_cell<T> (h, set, n);
  else
    cell<T> (h, set, n);
}

settings read (int argc, char **argv)
{
  settings set;
  for (int k = 1; k < argc; k++) {
    std::string option = argv[k];
    if (option == "--values")
      set.vectors = false;
    else if (option == "--alone")
      set.peer = false;
    else if (option == "--hard")
      set.hard = true;
    else if (option == "--steps") {
      set.steps = true;
      set.peer = false;
    } else if (option == "--types")
      set.types = argv[++k];
    else if (option == "--pages")
      set.pages = atoll (argv[++k]);
    else if (option == "--sizes") {
      set.sizes.clear ();
      for (char *at = strtok (argv[++k], ","); at != NULL; at = strtok (NULL, ","))
        set.sizes.push_back (atoll (at));
    } else {
      fprintf (stderr, "unknown option %s\n", argv[k]);
      exit (2);
    }
  }
  return set;
}

} // namespace

int main (int argc, char **argv)
{
  settings set = read (argc, argv);
  handles h;
  cudaFree (NULL);
  must (gla_context_create (&h.ctx), "gla_context_create");
  must (gla_set_place (h.ctx, GLA_PLACE_GPU, NULL, 0), "gla_set_place");
  must (cublasCreate (&h.blas), "cublasCreate");
  must (cusolverDnCreate (&h.solver), "cusolverDnCreate");
  cudaDeviceProp gpu;
  must (cudaGetDeviceProperties (&gpu, 0), "cudaGetDeviceProperties");
  printf ("# %s; gpulinalg %s; milliseconds per page, arrays on the GPU: bench_large\n", gpu.name,
          gla_version ());
  printf (set.steps ? "type\tn\tpages\tvectors\tms\tstep\tresidual\torthogonality\tnote\n"
                    : "type\tn\tpages\tvectors\tms\tms_peer\tpeer/ms\tresidual\torthogonality\t"
                      "peer_residual\tpeer_orthogonality\tnote\n");
  for (char type : set.types) {
    h.last = NAN;
    for (int64_t n : set.sizes)
      type == 's'   ? one<float> (h, set, n)
      : type == 'd' ? one<double> (h, set, n)
      : type == 'c' ? one<cuFloatComplex> (h, set, n)
                    : one<cuDoubleComplex> (h, set, n);
  }
  return h.wrong;
}
