// bench_sparse_gpus.cc: gla_eigs and gla_spmv on one GPU and with the rows shared by several
// SPDX-License-Identifier: GPL-3.0-or-later
//
// bench_sparse_gpus [GPUS [ENTRIES [GRAPHS]]]: symmetric matrices of about ENTRIES million entries
// (50), "b" a graph of preferential attachment (Barabasi and Albert, 6 edges for each node) and "g"
// a grid of three dimensions with seven points and values, 8 largest eigenvalues with vectors, on
// the first GPU and on the first 2, 4, .. GPUS (2) of them. Of the grid, whose spectrum is dense
// there, 10 restarts. The columns of the table: GPUs, graph, rows, entries, milliseconds of the
// first call for a new matrix (gla_sparse_create, the test for symmetry and the copies to the GPUs
// included, on GPUs that have been opened), of a later call, the least of three, and of a later
// call for the eigenvalues alone; products; restarts; eigenvalues that converged; the time of a
// later call on one GPU over this one; the largest difference of an eigenvalue from that on one
// GPU, over the norm; the largest residual over the norm, and the same from products of the
// vectors on the CPU, NaN where none has converged; milliseconds of products with one vector
// and with four on the host, the least of ten; the largest error of these beside products on the
// CPU, over the largest number; whether all calls, and all products, had the same bits. Vectors
// come to new memory, for which huge pages are asked, as Octave's functions do; giving it back is
// not timed. Build it with make -C bench gpus.

#include "gpulinalg.h"
#include "common/huge_memory.h"
#include "sparse_graphs.cuh"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

enum { VALUES = 8, CALLS = 3, VECTORS = 4, PRODUCTS = 10 };

struct problem {
  graph g;
  gla_csr csr;
  std::vector<double> values;
  gla_eigs_options options;
};

struct answer {
  double first, later, alone; // seconds; alone: without vectors
  double product[2], error;   // with one vector and with VECTORS
  double checked;             // residual of the vectors, by the CPU
  double values[VALUES], residuals[VALUES];
  gla_eigs_report report;
  bool same;
};

static double now ()
{
  timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail (const char *what)
{
  fprintf (stderr, "bench_sparse_gpus: %s\n", what);
  exit (1);
}

static problem problem_of (char kind, double entries)
{
  problem p = {};
  p.options.size = sizeof p.options;
  if (kind == 'b') {
    p.g = barabasi_albert ("attachment", (int)(entries / 12), 6);
  } else {
    p.g = grid ("grid", (int)std::cbrt (entries / 7), 0, 1);
    p.options.maxit = 10;
    p.options.trust = 1;
    p.values.resize (p.g.index.size ());
    for (int i = 0; i < p.g.n; i++)
      for (int k = p.g.start[i]; k < p.g.start[i + 1]; k++)
        p.values[k] = p.g.index[k] == i ? 6 + 1e-3 * (i % 101) : -1;
  }
  p.csr.type = GLA_TYPE_D;
  p.csr.rows = p.csr.columns = p.g.n;
  p.csr.index_bytes = 4;
  p.csr.start = p.g.start.data ();
  p.csr.index = p.g.index.data ();
  p.csr.values = p.values.empty () ? nullptr : p.values.data ();
  return p;
}

static double *new_memory (size_t count)
{
  void *memory = huge_memory (count * sizeof (double));
  if (memory == nullptr)
    fail ("out of memory");
  return static_cast<double *> (memory);
}

// The same matrix on the CPU, with vectors and products.
struct reference {
  gla_context *ctx;
  gla_sparse *S;
  std::vector<double> x, right;
};

static void multiply (gla_context *ctx, gla_sparse *S, const problem &p, int vectors,
                      const double *x, double *y)
{
  const gla_array X = gla_array_packed (const_cast<double *> (x), GLA_TYPE_D, p.g.n, vectors, 1,
                                        GLA_DEVICE_HOST),
                  Y = gla_array_packed (y, GLA_TYPE_D, p.g.n, vectors, 1, GLA_DEVICE_HOST);
  if (gla_spmv (ctx, S, 'N', &X, &Y, nullptr) != GLA_OK)
    fail (gla_message (ctx));
}

// The largest |A*v - lambda*v| of the vectors; NaN where one is NaN.
static double check (const reference &r, const problem &p, const double *V, const double *values)
{
  double worst = 0;
  std::vector<double> y (p.g.n);
  for (int k = 0; k < VALUES; k++) {
    const double *v = V + (size_t)k * p.g.n;
    double sum = 0;
    multiply (r.ctx, r.S, p, 1, v, y.data ());
    for (int i = 0; i < p.g.n; i++)
      sum += (y[i] - values[k] * v[i]) * (y[i] - values[k] * v[i]);
    worst = sum == sum ? std::fmax (worst, std::sqrt (sum)) : NAN;
    if (!(sum == sum))
      return NAN;
  }
  return worst;
}

// One call, with vectors or without; returns its seconds. With a reference the vectors are checked.
static double call (gla_context *ctx, gla_sparse *S, const problem &p, bool vectors, answer *a,
                    const reference *r)
{
  double *V = vectors ? new_memory ((size_t)p.g.n * VALUES) : nullptr;
  gla_operator A = {};
  gla_eigs_results results = {};
  A.size = sizeof A;
  A.sparse = S;
  results.size = sizeof results;
  results.values = gla_array_packed (a->values, GLA_TYPE_D, VALUES, 1, 1, GLA_DEVICE_HOST);
  results.vectors = gla_array_packed (V, GLA_TYPE_D, p.g.n, VALUES, 1, GLA_DEVICE_HOST);
  results.residuals = a->residuals;
  a->report.size = sizeof a->report;
  const double begun = now ();
  if (gla_eigs (ctx, &A, VALUES, GLA_EIGS_WHICH_LA, &results, &p.options, &a->report) != GLA_OK ||
      a->report.device != 0)
    fail (gla_message (ctx));
  const double seconds = now () - begun;
  if (r != nullptr)
    a->checked = check (*r, p, V, a->values);
  free (V);
  return seconds;
}

// Products on the GPUs that the context has, beside those of the CPU in `right`.
static void measure_products (gla_context *ctx, gla_sparse *S, const problem &p, const reference &r,
                              answer *a)
{
  const size_t count = (size_t)p.g.n * VECTORS;
  std::vector<double> y (count), before (count);
  double largest = 0;
  for (int k = 0; k < 2; k++) {
    const int vectors = k == 0 ? 1 : VECTORS;
    a->product[k] = INFINITY;
    multiply (ctx, S, p, vectors, r.x.data (), before.data ());
    for (int call = 0; call < PRODUCTS; call++) {
      const double begun = now ();
      multiply (ctx, S, p, vectors, r.x.data (), y.data ());
      a->product[k] = std::fmin (a->product[k], now () - begun);
      const size_t bytes = (size_t)p.g.n * vectors * sizeof (double);
      a->same = a->same && memcmp (y.data (), before.data (), bytes) == 0;
    }
  }
  for (size_t i = 0; i < count; i++) {
    largest = std::fmax (largest, std::fabs (r.right[i]));
    a->error = std::fmax (a->error, std::fabs (y[i] - r.right[i]));
  }
  a->error /= largest;
}

static answer solve (gla_context *ctx, const problem &p, const reference &r)
{
  answer a = {};
  gla_sparse *S = nullptr;
  a.later = a.alone = INFINITY;
  a.same = true;
  const double begun = now ();
  if (gla_sparse_create (ctx, &p.csr, &S, nullptr) != GLA_OK)
    fail (gla_message (ctx));
  call (ctx, S, p, true, &a, nullptr);
  a.first = now () - begun;
  const answer before = a;
  for (int k = 0; k < CALLS; k++) {
    a.later = std::fmin (a.later, call (ctx, S, p, true, &a, nullptr));
    a.alone = std::fmin (a.alone, call (ctx, S, p, false, &a, nullptr));
    a.same = a.same && memcmp (a.values, before.values, sizeof a.values) == 0;
  }
  call (ctx, S, p, true, &a, &r);
  measure_products (ctx, S, p, r, &a);
  gla_sparse_destroy (S);
  return a;
}

static reference reference_of (const problem &p)
{
  reference r = {};
  r.x.resize ((size_t)p.g.n * VECTORS);
  r.right.resize (r.x.size ());
  for (size_t i = 0; i < r.x.size (); i++)
    r.x[i] = 0.5 + (double)(i * 2654435761u % 1000) / 1000;
  if (gla_context_create (&r.ctx) != GLA_OK ||
      gla_set_place (r.ctx, GLA_PLACE_CPU, nullptr, 0) != GLA_OK ||
      gla_sparse_create (r.ctx, &p.csr, &r.S, nullptr) != GLA_OK)
    fail ("no reference");
  multiply (r.ctx, r.S, p, VECTORS, r.x.data (), r.right.data ());
  return r;
}

static void release (reference *r)
{
  gla_sparse_destroy (r->S);
  gla_context_destroy (r->ctx);
}

static void compare (gla_context *ctx, const problem &p, int gpus)
{
  static const int devices[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const problem small = problem_of ('b', 1e5);
  reference r = reference_of (p), small_r = reference_of (small);
  answer one = {};
  for (int g = 1; g <= gpus; g *= 2) {
    if (gla_set_place (ctx, GLA_PLACE_LIST, devices, g) != GLA_OK)
      fail (gla_message (ctx));
    solve (ctx, small, small_r); // opens the GPUs
    const answer a = solve (ctx, p, r);
    if (g == 1)
      one = a;
    double difference = 0, residual = 0;
    for (int k = 0; k < VALUES; k++) {
      difference = std::fmax (difference, std::fabs (a.values[k] - one.values[k]));
      residual = std::fmax (residual, a.residuals[k]);
    }
    printf ("%d\t%s\t%d\t%zu\t%.4g\t%.4g\t%.4g\t%lld\t%lld\t%lld\t%.2f\t%.1e\t%.1e\t%.1e\t%.3g\t"
            "%.3g\t%.1e\t%d\n",
            g, p.g.name.c_str (), p.g.n, p.g.index.size (), 1e3 * a.first, 1e3 * a.later,
            1e3 * a.alone, (long long)a.report.products, (long long)a.report.restarts,
            (long long)a.report.converged, one.later / a.later, difference / a.report.norm,
            residual / a.report.norm, a.checked / a.report.norm, 1e3 * a.product[0],
            1e3 * a.product[1], a.error, a.same);
    fflush (stdout);
  }
  release (&r);
  release (&small_r);
}

int main (int argc, char **argv)
{
  const int gpus = argc > 1 ? atoi (argv[1]) : 2;
  const double entries = 1e6 * (argc > 2 ? atof (argv[2]) : 50);
  gla_context *ctx;
  if (gpus < 1 || gpus > 8 || !(entries > 0 && entries < 2e9) ||
      gla_context_create (&ctx) != GLA_OK)
    fail ("GPUS is a number from 1 to 8, ENTRIES below 2000");
  printf ("gpus\tgraph\tn\tentries\tfirst_ms\tms\tvalues_ms\tproducts\trestarts\tconverged\tratio\t"
          "difference\tresidual\tchecked\tproduct_ms\tproduct4_ms\terror\tsame_bits\n");
  for (const char *kind = argc > 3 ? argv[3] : "bg"; *kind != '\0'; kind++) {
    const double begun = now ();
    const problem p = problem_of (*kind, entries);
    fprintf (stderr, "%s: made in %.3g s\n", p.g.name.c_str (), now () - begun);
    compare (ctx, p, gpus);
  }
  gla_context_destroy (ctx);
  return 0;
}
