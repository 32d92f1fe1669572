// bench_sparse_gpus.cc: gla_eigs on one GPU and with the rows shared by several
// SPDX-License-Identifier: GPL-3.0-or-later
//
// bench_sparse_gpus [GPUS [ENTRIES [GRAPHS]]]: symmetric matrices of about ENTRIES million entries
// (50), "b" a graph of preferential attachment (Barabasi and Albert, 6 edges for each node) and "g"
// a grid of three dimensions with seven points and values, 8 largest eigenvalues with vectors, on
// the first GPU and on the first 2, 4, .. GPUS (2) of them. Of the grid, whose spectrum is dense
// there, 10 restarts. The columns of the table: GPUs, graph, rows, entries, milliseconds of the
// first call for a new matrix (gla_sparse_create, the test for symmetry and the copies to the GPUs
// included, on GPUs that have been opened) and of a later call, the least of three; products;
// restarts; eigenvalues that converged; the time of a later call on one GPU over this one; the
// largest difference of an eigenvalue from that on one GPU, over the norm; the largest residual
// over the norm; whether the later calls had the same bits. Build it with make -C bench gpus.

#include "gpulinalg.h"
#include "sparse_graphs.cuh"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

enum { VALUES = 8, CALLS = 3 };

struct problem {
  graph g;
  gla_csr csr;
  std::vector<double> values;
  gla_eigs_options options;
};

struct answer {
  double first, later; // seconds
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

// One call; the vectors are new memory, as Octave's.
static void call (gla_context *ctx, gla_sparse *S, const problem &p, answer *a)
{
  double *V = static_cast<double *> (malloc ((size_t)p.g.n * VALUES * sizeof (double)));
  if (V == nullptr)
    fail ("out of memory");
  gla_operator A = {};
  gla_eigs_results r = {};
  A.size = sizeof A;
  A.sparse = S;
  r.size = sizeof r;
  r.values = gla_array_packed (a->values, GLA_TYPE_D, VALUES, 1, 1, GLA_DEVICE_HOST);
  r.vectors = gla_array_packed (V, GLA_TYPE_D, p.g.n, VALUES, 1, GLA_DEVICE_HOST);
  r.residuals = a->residuals;
  a->report.size = sizeof a->report;
  if (gla_eigs (ctx, &A, VALUES, GLA_EIGS_WHICH_LA, &r, &p.options, &a->report) != GLA_OK ||
      a->report.device != 0)
    fail (gla_message (ctx));
  free (V);
}

static answer solve (gla_context *ctx, const problem &p)
{
  answer a = {};
  gla_sparse *S = nullptr;
  a.later = INFINITY;
  a.same = true;
  double begun = now ();
  if (gla_sparse_create (ctx, &p.csr, &S, nullptr) != GLA_OK)
    fail (gla_message (ctx));
  call (ctx, S, p, &a);
  a.first = now () - begun;
  const answer before = a;
  for (int k = 0; k < CALLS; k++) {
    begun = now ();
    call (ctx, S, p, &a);
    a.later = std::fmin (a.later, now () - begun);
    a.same = a.same && memcmp (a.values, before.values, sizeof a.values) == 0;
  }
  gla_sparse_destroy (S);
  return a;
}

static void compare (gla_context *ctx, const problem &p, int gpus)
{
  static const int devices[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const problem small = problem_of ('b', 1e5);
  answer one = {};
  for (int g = 1; g <= gpus; g *= 2) {
    if (gla_set_place (ctx, GLA_PLACE_LIST, devices, g) != GLA_OK)
      fail (gla_message (ctx));
    solve (ctx, small); // opens the GPUs
    const answer a = solve (ctx, p);
    if (g == 1)
      one = a;
    double difference = 0, residual = 0;
    for (int k = 0; k < VALUES; k++) {
      difference = std::fmax (difference, std::fabs (a.values[k] - one.values[k]));
      residual = std::fmax (residual, a.residuals[k]);
    }
    printf ("%d\t%s\t%d\t%zu\t%.4g\t%.4g\t%lld\t%lld\t%lld\t%.2f\t%.1e\t%.1e\t%d\n", g,
            p.g.name.c_str (), p.g.n, p.g.index.size (), 1e3 * a.first, 1e3 * a.later,
            (long long)a.report.products, (long long)a.report.restarts,
            (long long)a.report.converged, one.later / a.later, difference / a.report.norm,
            residual / a.report.norm, a.same);
    fflush (stdout);
  }
}

int main (int argc, char **argv)
{
  const int gpus = argc > 1 ? atoi (argv[1]) : 2;
  const double entries = 1e6 * (argc > 2 ? atof (argv[2]) : 50);
  gla_context *ctx;
  if (gpus < 1 || gpus > 8 || !(entries > 0 && entries < 2e9) ||
      gla_context_create (&ctx) != GLA_OK)
    fail ("GPUS is a number from 1 to 8, ENTRIES below 2000");
  printf ("gpus\tgraph\tn\tentries\tfirst_"
          "ms\tms\tproducts\trestarts\tconverged\tratio\tdifference\tresidual\t"
          "same_bits\n");
  for (const char *kind = argc > 3 ? argv[3] : "bg"; *kind != '\0'; kind++) {
    const double begun = now ();
    const problem p = problem_of (*kind, entries);
    fprintf (stderr, "%s: made in %.3g s\n", p.g.name.c_str (), now () - begun);
    compare (ctx, p, gpus);
  }
  gla_context_destroy (ctx);
  return 0;
}
