// bench_spmv.cu: compares sparse products of the CUDA backend with cuSPARSE, in one run
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_spmv [--types dsz] [--graphs ba-200k,power-law] [--vectors 1,4] [--methods all]
// One line per matrix, form (values, or pattern: all values equal, which cuSPARSE has to read) and
// number of vectors: microseconds (median) of ours and of the fastest of cuSPARSE's algorithms,
// with its preparation done before; the ratio; the bytes that must be moved, the time that these
// take at 4.2 TB/s, and its fraction of our time; and the largest error against a product on the
// host, in units of eps times the sum of magnitudes. --methods all also times the published
// assignments of rows.

#include "engine/engine.cuh"
#include "spmv/spmv.cuh"
#include "sparse_graphs.cuh"
#include "backend.h"
#include "spmv/job.h"

#include <cusparse.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

static void must (int failed, const char *what)
{
  if (failed == 0)
    return;
  fprintf (stderr, "bench_spmv: %s failed with %d\n", what, failed);
  exit (1);
}

struct settings {
  std::string types = "d";
  std::vector<std::string> graphs = {"ba-200k",   "ba-1600k", "ba-3200k", "patents",
                                     "power-law", "grid-3d",  "elements"};
  std::vector<int> vectors = {1, 4};
  bool all_methods = false;
};

//------------------------------------------------------------------------------
// types
//------------------------------------------------------------------------------

template <class T> struct peer;
template <> struct peer<float> {
  typedef float host;
  static constexpr cudaDataType type = CUDA_R_32F;
  static constexpr gla_type letter = GLA_TYPE_S;
};
template <> struct peer<double> {
  typedef double host;
  static constexpr cudaDataType type = CUDA_R_64F;
  static constexpr gla_type letter = GLA_TYPE_D;
};
template <> struct peer<cx<float>> {
  typedef std::complex<float> host;
  static constexpr cudaDataType type = CUDA_C_32F;
  static constexpr gla_type letter = GLA_TYPE_C;
};
template <> struct peer<cx<double>> {
  typedef std::complex<double> host;
  static constexpr cudaDataType type = CUDA_C_64F;
  static constexpr gla_type letter = GLA_TYPE_Z;
};

static int no_poll (void *, int64_t)
{
  return 0;
}
static const gla_monitor quiet = {no_poll, nullptr};

//------------------------------------------------------------------------------
// timing
//------------------------------------------------------------------------------

// Median microseconds of a call, over 7 rounds of 10.
static double measure (const std::function<void ()> &work)
{
  cudaEvent_t begin, end;
  cudaEventCreate (&begin);
  cudaEventCreate (&end);
  std::vector<float> times;
  for (int round = 0; round < 8; round++) {
    cudaEventRecord (begin);
    for (int k = 0; k < 10; k++)
      work ();
    cudaEventRecord (end);
    must (cudaEventSynchronize (end), "work");
    float ms = 0;
    cudaEventElapsedTime (&ms, begin, end);
    if (round > 0)
      times.push_back (ms * 100);
  }
  cudaEventDestroy (begin);
  cudaEventDestroy (end);
  std::sort (times.begin (), times.end ());
  return times[times.size () / 2];
}

template <class U> U *to_device (const std::vector<U> &from)
{
  U *to;
  must (cudaMalloc (&to, from.size () * sizeof (U) + 64), "cudaMalloc");
  must (cudaMemcpy (to, from.data (), from.size () * sizeof (U), cudaMemcpyHostToDevice), "copy");
  return to;
}

//------------------------------------------------------------------------------
// a matrix
//------------------------------------------------------------------------------

template <class H> struct problem {
  const graph &g;
  std::vector<H> values, x;
  H *x_device, *y_device;
};

// The fastest of cuSPARSE's algorithms for this number of vectors.
template <class T, class H> double time_cusparse (const problem<H> &p, int b)
{
  static cusparseHandle_t handle = nullptr;
  if (handle == nullptr)
    must (cusparseCreate (&handle), "cusparseCreate");
  const cudaDataType type = peer<T>::type;
  int *start = to_device (p.g.start), *index = to_device (p.g.index), n = p.g.n;
  H *values = to_device (p.values), one = 1, zero = 0;
  cusparseSpMatDescr_t A;
  must (cusparseCreateCsr (&A, n, n, p.g.index.size (), start, index, values, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
        "cusparseCreateCsr");
  const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  double best = INFINITY;
  for (int algorithm = 0; algorithm < 2; algorithm++) {
    size_t bytes = 0;
    void *buffer = nullptr;
    if (b == 1) {
      cusparseSpMVAlg_t alg = algorithm ? CUSPARSE_SPMV_CSR_ALG2 : CUSPARSE_SPMV_CSR_ALG1;
      cusparseDnVecDescr_t X, Y;
      must (cusparseCreateDnVec (&X, n, p.x_device, type), "vector");
      must (cusparseCreateDnVec (&Y, n, p.y_device, type), "vector");
      must (cusparseSpMV_bufferSize (handle, op, &one, A, X, &zero, Y, type, alg, &bytes), "size");
      must (cudaMalloc (&buffer, bytes + 16), "cudaMalloc");
      must (cusparseSpMV_preprocess (handle, op, &one, A, X, &zero, Y, type, alg, buffer), "plan");
      best = std::min (best, measure ([&] {
                         must (cusparseSpMV (handle, op, &one, A, X, &zero, Y, type, alg, buffer),
                               "cusparseSpMV");
                       }));
      cusparseDestroyDnVec (X);
      cusparseDestroyDnVec (Y);
    } else {
      cusparseSpMMAlg_t alg = algorithm ? CUSPARSE_SPMM_CSR_ALG3 : CUSPARSE_SPMM_CSR_ALG2;
      cusparseDnMatDescr_t X, Y;
      must (cusparseCreateDnMat (&X, n, b, b, p.x_device, type, CUSPARSE_ORDER_ROW), "matrix");
      must (cusparseCreateDnMat (&Y, n, b, b, p.y_device, type, CUSPARSE_ORDER_ROW), "matrix");
      must (cusparseSpMM_bufferSize (handle, op, op, &one, A, X, &zero, Y, type, alg, &bytes),
            "size");
      must (cudaMalloc (&buffer, bytes + 16), "cudaMalloc");
      must (cusparseSpMM_preprocess (handle, op, op, &one, A, X, &zero, Y, type, alg, buffer),
            "plan");
      best =
          std::min (best, measure ([&] {
                      must (cusparseSpMM (handle, op, op, &one, A, X, &zero, Y, type, alg, buffer),
                            "cusparseSpMM");
                    }));
      cusparseDestroyDnMat (X);
      cusparseDestroyDnMat (Y);
    }
    cudaFree (buffer);
  }
  cusparseDestroySpMat (A);
  for (void *memory : {(void *)start, (void *)index, (void *)values})
    cudaFree (memory);
  return best;
}

// Largest error of y in units of eps times the sum of the magnitudes of a row's products.
template <class T, class H> double error_of (const problem<H> &p, int b)
{
  std::vector<H> y ((size_t)p.g.n * b);
  must (cudaMemcpy (y.data (), p.y_device, y.size () * sizeof (H), cudaMemcpyDeviceToHost), "copy");
  double worst = 0, eps = sizeof (real_t<T>) == 8 ? 0x1p-52 : 0x1p-23;
  for (int i = 0; i < p.g.n; i++)
    for (int k = 0; k < b; k += 3) {
      std::complex<double> sum = 0;
      double size = 0;
      for (int e = p.g.start[i]; e < p.g.start[i + 1]; e++) {
        std::complex<double> term = std::complex<double> (p.values[e]) *
                                    std::complex<double> (p.x[(size_t)p.g.index[e] * b + k]);
        sum += term;
        size += std::abs (term);
      }
      double error = std::abs (std::complex<double> (y[(size_t)i * b + k]) - sum);
      if (!(error <= worst * eps * size))
        worst = size > 0 ? error / (eps * size) : error > 0 ? INFINITY : worst;
    }
  return worst;
}

template <class T, class H>
void run_method (gla_engine *engine, problem<H> &p, bool pattern, int b, gla_spmv_method method,
                 const char *name, double theirs)
{
  gla_spmv_matrix M = {};
  M.csr = {peer<T>::letter,   p.g.n,           p.g.n, 4, p.g.start.data (),
           p.g.index.data (), p.values.data ()};
  M.entries = (int64_t)p.g.index.size ();
  M.pattern = pattern;
  M.value[0] = 1;
  M.method = method;
  void *prepared;
  must (engine->backend->spmv->prepare (engine, &M, &quiet, &prepared), "spmv_prepare");
  must (cudaMemset (p.y_device, 0xff, (size_t)p.g.n * b * sizeof (H)), "cudaMemset");
  double ours = measure ([&] {
    must (spmv_multiply<T> (*spmv_matrix_of (prepared), false, reinterpret_cast<T *> (p.x_device),
                            reinterpret_cast<T *> (p.y_device), b, 0),
          "spmv_multiply");
  });
  double error = error_of<T> (p, b);
  engine->backend->spmv->free (engine, prepared);
  double bytes = (double)M.entries * (4 + (pattern ? 0 : sizeof (T))) +
                 (double)p.g.n * (4 + 2.0 * b * sizeof (T));
  printf ("%c\t%s\t%d\t%lld\t%s\t%s\t%d\t%.1f\t%.1f\t%.2f\t%.1f\t%.1f\t%.2f\t%.2g\n",
          peer<T>::letter, p.g.name.c_str (), p.g.n, (long long)M.entries,
          pattern ? "pattern" : "values", name, b, ours, theirs, theirs / ours, bytes * 1e-6,
          bytes / 4.2e6, bytes / 4.2e6 / ours, error);
  fflush (stdout);
}

template <class T> void run (gla_engine *engine, const settings &set, const graph &g)
{
  typedef typename peer<T>::host H;
  generator random;
  int most = *std::max_element (set.vectors.begin (), set.vectors.end ());
  problem<H> p = {g, std::vector<H> (g.index.size ()), std::vector<H> ((size_t)g.n * most), nullptr,
                  nullptr};
  for (size_t i = 0; i < p.x.size (); i++)
    p.x[i] = (H)(real_t<T>)(2 * random.uniform () - 1);
  p.x_device = to_device (p.x);
  must (cudaMalloc (&p.y_device, p.x.size () * sizeof (H)), "cudaMalloc");
  const char *names[] = {"auto", "scalar", "vector", "group", "balanced"};
  for (int b : set.vectors) {
    for (size_t i = 0; i < p.values.size (); i++)
      p.values[i] = (H)(real_t<T>)(0.5 + random.uniform ());
    double theirs = time_cusparse<T> (p, b);
    for (int pattern = 0; pattern < 2; pattern++) {
      if (pattern)
        std::fill (p.values.begin (), p.values.end (), (H)1);
      for (int method = set.all_methods ? GLA_SPMV_METHOD_SCALAR : GLA_SPMV_METHOD_BALANCED;
           method <= GLA_SPMV_METHOD_BALANCED; method++)
        run_method<T> (engine, p, pattern, b, (gla_spmv_method)method, names[method], theirs);
    }
  }
  cudaFree (p.x_device);
  cudaFree (p.y_device);
}

//------------------------------------------------------------------------------
// command line
//------------------------------------------------------------------------------

static std::vector<std::string> list_of (const char *text)
{
  std::vector<std::string> list;
  std::string word;
  for (; *text != '\0'; text++)
    if (*text == ',') {
      list.push_back (word);
      word.clear ();
    } else
      word += *text;
  list.push_back (word);
  return list;
}

int main (int argc, char **argv)
{
  settings set;
  for (int k = 1; k < argc; k += 2) {
    std::string name = argv[k], value = k + 1 < argc ? argv[k + 1] : "";
    if (name == "--types" && !value.empty ())
      set.types = value;
    else if (name == "--graphs" && !value.empty ())
      set.graphs = list_of (value.c_str ());
    else if (name == "--vectors" && !value.empty ()) {
      set.vectors.clear ();
      for (const std::string &b : list_of (value.c_str ()))
        set.vectors.push_back (atoi (b.c_str ()));
    } else if (name == "--methods" && value == "all")
      set.all_methods = true;
    else {
      fprintf (stderr, "bench_spmv: unknown option %s %s\n", name.c_str (), value.c_str ());
      return 2;
    }
  }
  gla_engine *engine;
  must (gla_backend_cuda.open (0, &engine), "open");
  printf ("type\tgraph\tn\tentries\tform\tmethod\tvectors\tours_us\tcusparse_us\tratio\tMB\t"
          "limit_us\tof_limit\terror_eps\n");
  for (const std::string &name : set.graphs) {
    graph g = graph_named (name);
    if (g.start.empty ()) {
      fprintf (stderr, "bench_spmv: no graph is called %s\n", name.c_str ());
      return 2;
    }
    for (char type : set.types)
      if (type == 's')
        run<float> (engine, set, g);
      else if (type == 'd')
        run<double> (engine, set, g);
      else if (type == 'c')
        run<cx<float>> (engine, set, g);
      else if (type == 'z')
        run<cx<double>> (engine, set, g);
  }
  gla_backend_cuda.close (engine);
  return 0;
}
