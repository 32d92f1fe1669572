// bench_pairs.cu: gla_batcheig_pairs beside a composition of batched calls, on one GPU, in one run
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_pairs [--quick] [--types dz] [--sizes 8,16,...]
// Prints a table (TSV) to stdout and its progress to stderr. All arrays are on the GPU before and
// after, with eigenvectors; the lower triangles are read; every call gets new random input. peer is
// cusolverDn potrfBatched, cublas trsmBatched twice, XsyevBatched, and trsmBatched. eig is
// gla_batcheig with A alone. A time is the median of 21, 5, 3 or 1 calls (the longer, the fewer)
// after one that is not counted. The exit status is 1 if a call of gla_batcheig_pairs failed or has
// a ratio above 30.

#include "check_pairs.cuh"
#include "common/measure.cuh"

#include <cublas_v2.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace
{

// B = (n+1) I plus a random Hermitian matrix.
template <class T> __global__ void shift_diagonal (T *b, int64_t n, int64_t pages)
{
  typedef typename scalar<T>::real R;
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < n * pages;
       k += (int64_t)gridDim.x * blockDim.x)
    reinterpret_cast<R *> (b + k / n * n * n + k % n * (n + 1))[0] += (R)(n + 1);
}

template <class T> struct pairs {
  batch<T> m;
  T *B = NULL, *L = NULL;
  T **a_pointers = NULL, **l_pointers = NULL;

  pairs (int64_t n, int64_t pages) : m (n, pages, true) {}
  ~pairs ()
  {
    cudaFree (B);
    cudaFree (L);
    cudaFree (a_pointers);
    cudaFree (l_pointers);
  }
  bool allocate ()
  {
    const size_t bytes = m.n * m.n * m.pages * sizeof (T);
    std::vector<T *> a (m.pages), l (m.pages);
    if (!m.allocate () || cudaMalloc (&B, bytes) != cudaSuccess ||
        cudaMalloc (&L, bytes) != cudaSuccess ||
        cudaMalloc (&a_pointers, m.pages * sizeof (T *)) != cudaSuccess ||
        cudaMalloc (&l_pointers, m.pages * sizeof (T *)) != cudaSuccess)
      return false;
    for (int64_t p = 0; p < m.pages; p++) {
      a[p] = m.V + p * m.n * m.n;
      l[p] = L + p * m.n * m.n;
    }
    return cudaMemcpy (a_pointers, a.data (), m.pages * sizeof (T *), cudaMemcpyHostToDevice) ==
               cudaSuccess &&
           cudaMemcpy (l_pointers, l.data (), m.pages * sizeof (T *), cudaMemcpyHostToDevice) ==
               cudaSuccess;
  }
  void fill_b (uint64_t seed)
  {
    m.fill (B, seed + 1000000);
    shift_diagonal<T><<<256, 256>>> (B, m.n, m.pages);
  }
};

template <class T> void judge_pairs (pairs<T> &q, outcome &out, double most)
{
  const batch<T> &m = q.m;
  out.error = check_pairs (m.A, q.B, m.V, m.lambda, m.n, m.pages);
  if (!(out.error.residual <= most) || !(out.error.orthogonality <= most)) {
    out.seconds = NAN;
    out.note = "wrong result";
  }
}

//------------------------------------------------------------------------------
// ours
//------------------------------------------------------------------------------

template <class T> outcome ours (bench &b, pairs<T> &q)
{
  const gla_type type = (gla_type)scalar<T>::letter;
  batch<T> &m = q.m;
  const gla_array A = gla_array_packed (m.A, type, m.n, m.n, m.pages, 0);
  const gla_array B = gla_array_packed (q.B, type, m.n, m.n, m.pages, 0);
  gla_eig_pairs_results results = {sizeof results};
  results.lambda = gla_array_packed (m.lambda, gla_type_real (type), m.n, 1, m.pages, 0);
  results.V = gla_array_packed (m.V, type, m.n, m.n, m.pages, 0);
  gla_eig_pairs_options options = {sizeof options};
  options.triangle = GLA_TRIANGLE_LOWER;
  std::vector<int32_t> info (m.pages);
  results.info = info.data ();
  outcome out = measure (
      b,
      [&] {
        m.prepare (m.A, b.seed);
        q.fill_b (b.seed);
      },
      [&] () -> std::string {
        gla_eig_pairs_report report = {{sizeof report}};
        if (gla_batcheig_pairs (b.ctx, &A, &B, &results, &options, &report) != GLA_OK)
          return gla_message (b.ctx);
        if (report.base.pages_failed > 0)
          return std::to_string (report.base.pages_failed) + " pages failed";
        return "";
      });
  if (out.note.empty ())
    judge_pairs (q, out, 30);
  b.wrong |= !out.note.empty ();
  return out;
}

template <class T> outcome ours_eig (bench &b, pairs<T> &q)
{
  const gla_type type = (gla_type)scalar<T>::letter;
  batch<T> &m = q.m;
  const gla_array A = gla_array_packed (m.A, type, m.n, m.n, m.pages, 0);
  gla_eig_results results = {sizeof results};
  results.lambda = gla_array_packed (m.lambda, gla_type_real (type), m.n, 1, m.pages, 0);
  results.V = gla_array_packed (m.V, type, m.n, m.n, m.pages, 0);
  gla_eig_options options = {sizeof options, GLA_EIG_METHOD_AUTO, GLA_TRIANGLE_LOWER};
  return measure (
      b, [&] { m.prepare (m.A, b.seed); },
      [&] () -> std::string {
        return gla_batcheig (b.ctx, &A, &results, &options, NULL) == GLA_OK ? ""
                                                                            : gla_message (b.ctx);
      });
}

//------------------------------------------------------------------------------
// the peer
//------------------------------------------------------------------------------

template <class T> struct batched;
template <> struct batched<double> {
  static constexpr auto potrf = cusolverDnDpotrfBatched;
  static constexpr auto trsm = cublasDtrsmBatched;
};
template <> struct batched<cuDoubleComplex> {
  static constexpr auto potrf = cusolverDnZpotrfBatched;
  static constexpr auto trsm = cublasZtrsmBatched;
};
template <> struct batched<float> {
  static constexpr auto potrf = cusolverDnSpotrfBatched;
  static constexpr auto trsm = cublasStrsmBatched;
};
template <> struct batched<cuFloatComplex> {
  static constexpr auto potrf = cusolverDnCpotrfBatched;
  static constexpr auto trsm = cublasCtrsmBatched;
};

template <class T> T one ();
template <> float one<float> ()
{
  return 1;
}
template <> double one<double> ()
{
  return 1;
}
template <> cuFloatComplex one<cuFloatComplex> ()
{
  return make_cuFloatComplex (1, 0);
}
template <> cuDoubleComplex one<cuDoubleComplex> ()
{
  return make_cuDoubleComplex (1, 0);
}

template <class T> outcome peer (bench &b, cublasHandle_t cublas, pairs<T> &q)
{
  batch<T> &m = q.m;
  const cudaDataType type = scalar<T>::type, real = scalar<T>::real_type;
  const int n = (int)m.n, pages = (int)m.pages;
  const T unit = one<T> ();
  outcome out;
  cusolverDnParams_t params = NULL;
  size_t on_device = 0, on_host = 0;
  void *workspace = NULL;
  int status = cusolverDnCreateParams (&params);
  if (status == 0)
    status = cusolverDnXsyevBatched_bufferSize (b.cusolver, params, CUSOLVER_EIG_MODE_VECTOR,
                                                CUBLAS_FILL_MODE_LOWER, n, type, m.V, n, real,
                                                m.lambda, type, &on_device, &on_host, pages);
  if (status != 0)
    out.note = "bufferSize status " + std::to_string (status);
  else if (cudaMalloc (&workspace, on_device + 16) != cudaSuccess)
    out.note = "no memory for " + std::to_string (on_device >> 20) + " MiB of workspace";
  cudaGetLastError ();
  std::vector<char> host (on_host + 16);
  auto divide = [&] (cublasSideMode_t side, cublasOperation_t op) {
    return (int)batched<T>::trsm (cublas, side, CUBLAS_FILL_MODE_LOWER, op, CUBLAS_DIAG_NON_UNIT, n,
                                  n, &unit, q.l_pointers, n, q.a_pointers, n, pages);
  };
  if (out.note.empty ())
    out = measure (
        b,
        [&] {
          cudaMemset (workspace, 0, on_device);
          m.prepare (m.V, b.seed);
          m.fill (m.A, b.seed);
          q.fill_b (b.seed);
          cudaMemcpy (q.L, q.B, m.n * m.n * m.pages * sizeof (T), cudaMemcpyDeviceToDevice);
        },
        [&] () -> std::string {
          int failed = batched<T>::potrf (b.cusolver, CUBLAS_FILL_MODE_LOWER, n, q.l_pointers, n,
                                          m.info, pages);
          failed |= divide (CUBLAS_SIDE_LEFT, CUBLAS_OP_N);
          failed |= divide (CUBLAS_SIDE_RIGHT, CUBLAS_OP_C);
          failed |= cusolverDnXsyevBatched (
              b.cusolver, params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, type, m.V, n,
              real, m.lambda, type, workspace, on_device, host.data (), on_host, m.info, pages);
          failed |= divide (CUBLAS_SIDE_LEFT, CUBLAS_OP_C);
          return failed != 0 ? "status " + std::to_string (failed) : "";
        });
  if (out.note.empty ())
    judge_pairs (q, out, 1e4);
  cudaFree (workspace);
  cusolverDnDestroyParams (params);
  return out;
}

//------------------------------------------------------------------------------
// the table
//------------------------------------------------------------------------------

template <class T> void cell (bench &b, cublasHandle_t cublas, int64_t n, int64_t pages)
{
  fprintf (stderr, "%6.1f s  %c n = %lld\n", since (b.born), scalar<T>::letter, (long long)n);
  pairs<T> q (n, pages);
  outcome mine, eig, other;
  if (!q.allocate ())
    mine.note = "no memory for the batch";
  else {
    mine = ours (b, q);
    eig = ours_eig (b, q);
    other = peer (b, cublas, q);
  }
  const double scale = 1e6 / (double)pages;
  const double us = mine.seconds * scale, us_eig = eig.seconds * scale,
               us_peer = other.seconds * scale;
  printf ("pairs\t%c\t%lld\t%lld\t%.4g\t%.4g\t%.4g\t%.3g\t%.3g\t%.3g\t%.3g\t%.3g\t%.3g\t%s\n",
          scalar<T>::letter, (long long)n, (long long)pages, us, us_eig, us_peer, us_peer / us,
          us / us_eig, mine.error.residual, mine.error.orthogonality, other.error.residual,
          other.error.orthogonality, (mine.note + eig.note + other.note).c_str ());
  fflush (stdout);
  const cudaError_t failed = cudaDeviceSynchronize ();
  if (failed != cudaSuccess) {
    printf ("# ended: %s\n", cudaGetErrorString (failed));
    exit (2);
  }
}

struct size {
  int64_t n, pages;
};

void all_cells (bench &b, cublasHandle_t cublas)
{
  const size all[] = {{4, 60000},  {8, 60000},  {12, 60000}, {16, 60000}, {24, 40000}, {32, 40000},
                      {33, 20000}, {48, 16000}, {64, 8000},  {96, 4000},  {128, 2640}, {192, 1056},
                      {256, 528},  {384, 264},  {512, 132},  {768, 66},   {1024, 32}};
  for (const size &s : all)
    for (char type : b.set.types) {
      const std::vector<int64_t> &sizes = b.set.sizes;
      if (!sizes.empty () && std::find (sizes.begin (), sizes.end (), s.n) == sizes.end ())
        continue;
      if (type == 'd')
        cell<double> (b, cublas, s.n, s.pages);
      else if (type == 'z')
        cell<cuDoubleComplex> (b, cublas, s.n, s.pages);
      else if (type == 's')
        cell<float> (b, cublas, s.n, s.pages);
      else
        cell<cuFloatComplex> (b, cublas, s.n, s.pages);
    }
}

bool parse (int argc, char **argv, settings &set)
{
  set.types = "dz";
  for (int k = 1; k < argc; k++) {
    const std::string name = argv[k];
    if (name == "--quick") {
      set.sizes = {8, 32, 64, 128, 256};
      continue;
    }
    if (++k >= argc)
      return false;
    if (name == "--types")
      set.types = argv[k];
    else if (name == "--sizes")
      for (char *p = argv[k], *end; *p != '\0'; p = end + (*end == ',')) {
        set.sizes.push_back (strtoll (p, &end, 10));
        if (end == p)
          return false;
      }
    else
      return false;
  }
  return true;
}

void print_machine ()
{
  cudaDeviceProp gpu;
  cudaGetDeviceProperties (&gpu, 0);
  int cuda = 0, cusolver = 0;
  cudaRuntimeGetVersion (&cuda);
  cusolverGetVersion (&cusolver);
  char date[32];
  const time_t now = time (NULL);
  strftime (date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime (&now));
  printf ("# %s; %d multiprocessors; CUDA %d.%d; cuSOLVER %d; gpulinalg %s; %s\n", gpu.name,
          gpu.multiProcessorCount, cuda / 1000, cuda % 1000 / 10, cusolver, gla_version (), date);
  printf ("# microseconds per page, everything on the GPU, with eigenvectors; peer: potrfBatched, "
          "trsmBatched (twice), XsyevBatched, trsmBatched; eig: gla_batcheig (A)\n");
  printf ("set\ttype\tn\tpages\tpairs\teig\tpeer\tpeer/pairs\tpairs/eig\tresidual\torthogonality\t"
          "peer_residual\tpeer_orthogonality\tnote\n");
}

} // namespace

int main (int argc, char **argv)
{
  bench b;
  cublasHandle_t cublas = NULL;
  b.born = std::chrono::steady_clock::now ();
  if (!parse (argc, argv, b.set)) {
    fprintf (stderr, "usage: %s [--quick] [--types dz] [--sizes 8,16]\n", argv[0]);
    return 2;
  }
  if (gla_context_create (&b.ctx) != GLA_OK || gla_device_count (b.ctx) == 0) {
    fprintf (stderr, "no GPU: %s\n", b.ctx != NULL ? gla_backend_note (b.ctx) : "no memory");
    return 2;
  }
  if (cudaEventCreate (&b.start) != cudaSuccess || cudaEventCreate (&b.stop) != cudaSuccess ||
      cusolverDnCreate (&b.cusolver) != CUSOLVER_STATUS_SUCCESS ||
      cublasCreate (&cublas) != CUBLAS_STATUS_SUCCESS) {
    fprintf (stderr, "cuSOLVER or cuBLAS does not start\n");
    return 2;
  }
  print_machine ();
  all_cells (b, cublas);
  printf ("# %.0f s in all\n", since (b.born));
  gla_context_destroy (b.ctx);
  cusolverDnDestroy (b.cusolver);
  cublasDestroy (cublas);
  return b.wrong ? 1 : 0;
}
