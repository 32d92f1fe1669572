// sparse_eigs.cuh: gla_eigs with the rows shared by several GPUs
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The library sees eight GPUs, which take turns on those of this machine: with one GPU all are on
// it. Residuals and orthogonality are in units of eps, against the norm; bits must not depend on
// the number of GPUs, from two on.

#ifndef SPARSE_EIGS_CUH
#define SPARSE_EIGS_CUH

#include "spmv/sparse_shapes.cuh"
#include "backend.h"

static int real_gpus ()
{
  char why[200];
  return gla_backend_cuda.device_count (why, sizeof why);
}
static int count_eight (char *why, size_t size)
{
  return gla_backend_cuda.device_count (why, size) > 0 ? 8 : 0;
}
static gla_status query_one (int device, gla_device_info *info)
{
  return gla_backend_cuda.device_query (device % real_gpus (), info);
}
static gla_status open_one (int device, gla_engine **opened)
{
  return gla_backend_cuda.open (device % real_gpus (), opened);
}

static gla_backend eight_gpus = {};
gla_backend_list gla_backends ()
{
  return {&gla_backend_cpu, &eight_gpus, "eight GPUs"};
}

template <class H> struct eigs_answer {
  std::vector<H> V;
  std::vector<char> values; // as they are
  std::vector<double> theta, residuals;
  gla_eigs_report report;
  gla_status status;
};

template <class H>
eigs_answer<H> solve_eigs (gla_context *ctx, gla_sparse *S, int64_t n, int64_t k,
                           gla_eigs_options options)
{
  const gla_type type = kind<H>::type, real = gla_type_real (type);
  eigs_answer<H> a = {};
  a.V.resize (n * k);
  a.values.resize (k * 8);
  a.residuals.resize (k);
  gla_operator op = {};
  op.size = sizeof op;
  op.sparse = S;
  gla_eigs_results r = {};
  r.size = sizeof r;
  r.values = gla_array_packed (a.values.data (), real, k, 1, 1, GLA_DEVICE_HOST);
  r.vectors = gla_array_packed (a.V.data (), type, n, k, 1, GLA_DEVICE_HOST);
  r.residuals = a.residuals.data ();
  options.size = sizeof options;
  a.report.size = sizeof a.report;
  a.status = gla_eigs (ctx, &op, k, GLA_EIGS_WHICH_LA, &r, &options, &a.report);
  for (int64_t j = 0; j < k; j++)
    a.theta.push_back (real == GLA_TYPE_S ? reinterpret_cast<float *> (a.values.data ())[j]
                                          : reinterpret_cast<double *> (a.values.data ())[j]);
  return a;
}

// The worst of |A*v - theta*v| over the norm and of |V'*V - I|, in eps, in double on the host.
template <class H> double eigs_ratio (const matrix<H> &A, const eigs_answer<H> &a, int64_t k)
{
  const int64_t n = A.s.rows;
  double worst = 0;
  for (int64_t j = 0; j < k; j++) {
    std::vector<z> y = A.times (a.V.data () + j * n, false);
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
      sum += std::norm (y[i] - a.theta[j] * z (a.V[j * n + i]));
    worst = larger (worst, std::sqrt (sum) / a.report.norm);
    for (int64_t c = 0; c <= j; c++) {
      z dot = c == j ? -1 : 0;
      for (int64_t i = 0; i < n; i++)
        dot += std::conj (z (a.V[c * n + i])) * z (a.V[j * n + i]);
      worst = larger (worst, std::abs (dot));
    }
  }
  return worst / eps<H> ();
}

template <class H>
void test_eigs_of (gla_context *ctx, const matrix<H> &A, gla_eigs_options options)
{
  static const int devices[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int64_t n = A.s.rows, k = 6;
  eigs_answer<H> one, two;
  for (int gpus : {1, 2, 3, 8}) {
    gla_sparse *S = nullptr;
    const std::string what = std::string ("eigs of ") + A.s.name + " type " + (char)kind<H>::type +
                             " block " + std::to_string (options.block) + " on " +
                             std::to_string (gpus);
    check (gla_set_place (ctx, GLA_PLACE_LIST, devices, gpus) == GLA_OK, what + ": place");
    check (gla_sparse_create (ctx, &A.M.csr, &S, nullptr) == GLA_OK, what + ": create");
    for (int again = 0; again < 2; again++) {
      eigs_answer<H> a = solve_eigs<H> (ctx, S, n, k, options);
      check (a.status == GLA_OK && a.report.device == 0 && a.report.converged == k,
             what + ": " + gla_message (ctx));
      const double ratio = eigs_ratio (A, a, k);
      check (ratio < 200, what + ": ratio " + std::to_string (ratio));
      if (gpus == 1)
        one = a;
      if (gpus == 2 && again == 0)
        two = a;
      for (int64_t j = 0; j < k; j++)
        check (std::fabs (a.theta[j] - one.theta[j]) < 200 * eps<H> () * a.report.norm,
               what + ": other eigenvalues");
      check (gpus == 1 || (a.values == two.values && a.residuals == two.residuals &&
                           memcmp (a.V.data (), two.V.data (), n * k * sizeof (H)) == 0),
             what + ": other bits");
    }
    gla_sparse_destroy (S);
  }
}

// Node i of a graph in which a few nodes have most of the entries is linked to i/2, i/3, ..
static shape power_law (int64_t n)
{
  std::vector<std::vector<int64_t>> rows (n);
  for (int64_t i = 1; i < n; i++)
    for (int64_t d = 2; d < 6; d++) {
      rows[i].push_back (i * i % 7919 % i / d);
      rows[i * i % 7919 % i / d].push_back (i);
    }
  return square_of ("power law", rows);
}

template <class H> void test_eigs_in (gla_context *ctx)
{
  shape graph = power_law (3001), diagonal = {"diagonal", 1003, 1003, {0}, {}};
  for (int64_t i = 0; i < 1003; i++) {
    diagonal.index.push_back (i);
    diagonal.start.push_back (i + 1);
  }
  matrix<H> A (graph, false, true, GLA_SPMV_METHOD_AUTO);
  matrix<H> B (diagonal, false, false, GLA_SPMV_METHOD_AUTO);
  for (int64_t i = 0; i < 1003; i++) // some of them far from the others
    B.values[i] = H (i % 100 == 7 ? 3 + (double)i / 100 : 1 / (double)(i + 1));
  gla_eigs_options options = {};
  for (int block : {0, 1, 2}) {
    options.block = block;
    test_eigs_of (ctx, A, options);
    test_eigs_of (ctx, B, options);
  }
}

static void test_eigs ()
{
  gla_context *ctx = nullptr;
  eight_gpus = gla_backend_cuda;
  eight_gpus.device_count = count_eight;
  eight_gpus.device_query = query_one;
  eight_gpus.open = open_one;
  check (gla_context_create (&ctx) == GLA_OK, "eigs: context");
  test_eigs_in<float> (ctx);
  test_eigs_in<double> (ctx);
  test_eigs_in<std::complex<float>> (ctx);
  test_eigs_in<z> (ctx);
  gla_context_destroy (ctx);
}

#endif
