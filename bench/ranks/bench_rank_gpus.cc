// bench_rank_gpus.cc: rows over ranks, each with a GPU: QR, GSVD and eigenvalues
// SPDX-License-Identifier: GPL-3.0-or-later
//
// bench_rank_gpus RANKS PLACE [ROWS [ENTRIES]], or mpirun -n R bench_rank_gpus mpi PLACE ..: so
// many ranks as threads, or those of mpirun (GPULINALG_MPI_PLUGIN names the plugin), on "cpu" or
// "gpu": rank r on GPU r modulo their number. All ranks together have matrices of ROWS (1000000) x
// 64, or pairs of two of ROWS/4 x 64, and a graph of preferential attachment with ENTRIES (24)
// million entries, so more ranks are strong scaling; on the CPU the threads are shared out. Rank 0
// prints a line for each: ranks, place ("nccl": a GPU of each rank, with rows by NCCL), what, rows
// in all, columns or entries, seconds (the least of three calls behind one that is not timed; of
// eigenvalues on the CPU of one), seconds that rank 0 waited for messages and megabytes that it
// sent in the last call, a number of the result to compare with that of other places (the sum of
// |diag (R)|, of alpha, of the eigenvalues), and an error: the largest |Q*R - A| in 1000 rows over
// the largest |R|, the same of U*diag (alpha)*X', the largest residual over the norm. Build it with
// make -C bench gpus.

#include "gpulinalg.h"
#include "common/huge_memory.h"
#include "spmv/sparse_graphs.cuh"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>

enum { COLUMNS = 64, VALUES = 8, CALLS = 3 };

struct setting {
  bool gpu;
  int64_t rows;
  graph g;
};

struct member {
  const setting *s;
  gla_context *ctx;
  gla_ranks *ranks;
  gla_ranks_info info;
};

static double now ()
{
  timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need (bool good, const char *what)
{
  if (good)
    return;
  fprintf (stderr, "bench_rank_gpus: %s\n", what);
  exit (1);
}

static double *new_memory (int64_t count)
{
  void *memory = huge_memory ((size_t)count * sizeof (double));
  need (memory != nullptr, "out of memory");
  return static_cast<double *> (memory);
}

static gla_array matrix (int64_t rows, int64_t columns)
{
  double *data = new_memory (rows * columns);
  memset (data, 0x5a, (size_t)(rows * columns) * sizeof (double));
  return gla_array_packed (data, GLA_TYPE_D, rows, columns, 1, GLA_DEVICE_HOST);
}

static double *numbers (const gla_array &a)
{
  return static_cast<double *> (a.data);
}

// The same numbers in a row of the whole matrix, wherever it is.
static void fill (const gla_array &a, uint64_t seed, int64_t first)
{
  for (int64_t j = 0; j < a.columns; j++)
    for (int64_t i = 0; i < a.rows; i++) {
      uint64_t z = ((uint64_t)(first + i) * 1000 + (uint64_t)j + seed) * 0x9e3779b97f4a7c15u;
      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
      z = (z ^ z >> 27) * 0x94d049bb133111ebu;
      numbers (a)[i + j * a.rows] = (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
    }
}

static int64_t first_row (int64_t rows, int rank, int ranks)
{
  return rows / ranks * rank + rows % ranks * rank / ranks;
}

static void meet (member *m)
{
  gla_ranks_parts parts = {};
  parts.size = sizeof parts;
  need (gla_ranks_announce (m->ctx, m->ranks, &parts) == GLA_OK, gla_message (m->ctx));
}

struct timing {
  double seconds, waited, sent;
};

// The least of so many calls behind `warm` that are not timed.
template <class Call> static timing measure (member *m, int warm, int calls, Call call)
{
  timing t = {INFINITY, 0, 0};
  for (int k = 0; k < warm + calls; k++) {
    gla_ranks_info before = {}, after = {};
    before.size = after.size = sizeof after;
    meet (m);
    gla_ranks_query (m->ctx, m->ranks, &before);
    const double begun = now ();
    need (call () == GLA_OK, gla_message (m->ctx));
    const double seconds = now () - begun;
    gla_ranks_query (m->ctx, m->ranks, &after);
    if (k >= warm && seconds < t.seconds)
      t.seconds = seconds;
    t.waited = after.seconds_waited - before.seconds_waited;
    t.sent = (double)(after.bytes_sent - before.bytes_sent) / 1e6;
  }
  return t;
}

// Only eigenvalues need rows of other GPUs.
static const char *place_of (const member *m, const char *what)
{
  gla_ranks_info info = {};
  info.size = sizeof info;
  gla_ranks_query (m->ctx, m->ranks, &info);
  const bool linked = strcmp (what, "eigs") == 0 && strcmp (info.device_data, "nccl") == 0;
  return !m->s->gpu ? "cpu" : linked ? "nccl" : "gpu";
}

static void print (const member *m, const char *what, int64_t rows, int64_t columns,
                   const timing &t, double result, double error)
{
  if (m->info.rank == 0)
    printf ("%d\t%s\t%s\t%lld\t%lld\t%.4f\t%.4f\t%.3f\t%.14g\t%.1e\n", m->info.ranks,
            place_of (m, what), what, (long long)rows, (long long)columns, t.seconds, t.waited,
            t.sent, result, error);
  fflush (stdout);
}

//------------------------------------------------------------------------------
// dense
//------------------------------------------------------------------------------

// The largest |Q*F' - A| in some rows; F' by its elements.
template <class Element>
static double error_of (const gla_array &A, const gla_array &Q, int64_t inner, Element element)
{
  const int64_t sample = A.rows < 1000 ? A.rows : 1000;
  double worst = 0;
  for (int64_t s = 0; s < sample; s++) {
    const int64_t i = A.rows / sample * s;
    for (int64_t j = 0; j < A.columns; j++) {
      double sum = -numbers (A)[i + j * A.rows];
      for (int64_t l = 0; l < inner; l++)
        sum += numbers (Q)[i + l * Q.rows] * element (l, j);
      worst = sum == sum ? std::fmax (worst, std::fabs (sum)) : INFINITY;
    }
  }
  return worst;
}

static void qr (member *m)
{
  const int64_t all = m->s->rows, first = first_row (all, m->info.rank, m->info.ranks),
                rows = first_row (all, m->info.rank + 1, m->info.ranks) - first;
  const gla_array A = matrix (rows, COLUMNS), Q = matrix (rows, COLUMNS),
                  R = matrix (COLUMNS, COLUMNS);
  fill (A, 1, first);
  gla_qr_results r = {};
  r.size = sizeof r;
  r.Q = Q;
  r.R = R;
  const timing t = measure (m, 1, CALLS, [&] () {
    return gla_qr_rows (m->ctx, m->ranks, &A, nullptr, &r, nullptr, nullptr);
  });
  double sum = 0, most = 0;
  for (int64_t j = 0; j < COLUMNS; j++) {
    sum += std::fabs (numbers (R)[j * COLUMNS + j]);
    most = std::fmax (most, std::fabs (numbers (R)[j * COLUMNS + j]));
  }
  const double error = error_of (A, Q, COLUMNS, [&] (int64_t l, int64_t j) {
    return l <= j ? numbers (R)[l + j * COLUMNS] : 0.0;
  });
  print (m, "qr", all, COLUMNS, t, sum, error / most);
  for (const gla_array &a : {A, Q, R})
    free (a.data);
}

static void gsvd (member *m)
{
  const int64_t all = m->s->rows / 4, first = first_row (all, m->info.rank, m->info.ranks),
                rows = first_row (all, m->info.rank + 1, m->info.ranks) - first;
  const gla_array A = matrix (rows, COLUMNS), B = matrix (rows, COLUMNS),
                  U = matrix (rows, COLUMNS), V = matrix (rows, COLUMNS),
                  X = matrix (COLUMNS, COLUMNS), alpha = matrix (COLUMNS, 1),
                  beta = matrix (COLUMNS, 1);
  fill (A, 100, first);
  fill (B, 200, first);
  gla_gsvd_results r = {};
  r.size = sizeof r;
  r.U = U;
  r.V = V;
  r.X = X;
  r.alpha = alpha;
  r.beta = beta;
  const timing t = measure (m, 1, CALLS, [&] () {
    return gla_gsvd_rows (m->ctx, m->ranks, &A, &B, &r, nullptr, nullptr);
  });
  double sum = 0, most = 0;
  for (int64_t j = 0; j < COLUMNS; j++)
    sum += numbers (alpha)[j];
  for (int64_t k = 0; k < COLUMNS * COLUMNS; k++)
    most = std::fmax (most, std::fabs (numbers (X)[k]));
  const double error = error_of (A, U, COLUMNS, [&] (int64_t l, int64_t j) {
    return numbers (alpha)[l] * numbers (X)[j + l * COLUMNS];
  });
  print (m, "gsvd", all, COLUMNS, t, sum, error / most);
  for (const gla_array &a : {A, B, U, V, X, alpha, beta})
    free (a.data);
}

//------------------------------------------------------------------------------
// sparse
//------------------------------------------------------------------------------

static void sparse (member *m)
{
  const graph &g = m->s->g;
  const int64_t from = first_row (g.n, m->info.rank, m->info.ranks),
                to = first_row (g.n, m->info.rank + 1, m->info.ranks);
  std::vector<int> start (g.start.begin () + from, g.start.begin () + to + 1);
  for (int &s : start)
    s -= g.start[from];
  const gla_csr csr = {
      GLA_TYPE_D, to - from, g.n, 4, start.data (), g.index.data () + g.start[from], nullptr};
  gla_sparse_rows *S = nullptr;
  need (gla_sparse_rows_create (m->ctx, m->ranks, &csr, &S, nullptr) == GLA_OK,
        gla_message (m->ctx));
  const gla_array values = matrix (VALUES, 1), V = matrix (to - from, VALUES),
                  x = matrix (to - from, 1), y = matrix (to - from, 1);
  double residuals[VALUES];
  gla_eigs_results r = {};
  r.size = sizeof r;
  r.values = values;
  r.vectors = V;
  r.residuals = residuals;
  gla_eigs_options o = {};
  o.size = sizeof o;
  o.trust = 1;
  gla_eigs_report report = {};
  report.size = sizeof report;
  const bool gpu = m->s->gpu;
  const timing t = measure (m, gpu ? 1 : 0, gpu ? CALLS : 1, [&] () {
    return gla_eigs_rows (m->ctx, S, VALUES, GLA_EIGS_WHICH_LA, &r, &o, &report);
  });
  double sum = 0, worst = 0;
  for (int k = 0; k < VALUES; k++) {
    sum += numbers (values)[k];
    worst = residuals[k] == residuals[k] ? std::fmax (worst, residuals[k]) : INFINITY;
  }
  need ((report.device != GLA_DEVICE_HOST) == gpu, "the eigenvalues come from another place");
  print (m, "eigs", g.n, (int64_t)g.index.size (), t, sum, worst / report.norm);
  fill (x, 300, from);
  const timing p =
      measure (m, 1, CALLS, [&] () { return gla_spmv_rows (m->ctx, S, &x, &y, nullptr); });
  print (m, "spmv", g.n, (int64_t)g.index.size (), p, NAN, NAN);
  gla_sparse_rows_destroy (S);
  for (const gla_array &a : {values, V, x, y})
    free (a.data);
}

//------------------------------------------------------------------------------
// ranks
//------------------------------------------------------------------------------

static void *work (void *user)
{
  member *m = static_cast<member *> (user);
  need (gla_context_create (&m->ctx) == GLA_OK, "no context");
  need (gla_set_place (m->ctx, m->s->gpu ? GLA_PLACE_GPU : GLA_PLACE_CPU, nullptr, 0) == GLA_OK,
        gla_message (m->ctx));
  if (m->ranks == nullptr)
    need (gla_ranks_mpi (m->ctx, &m->ranks) == GLA_OK, gla_message (m->ctx));
  m->info.size = sizeof m->info;
  gla_ranks_query (m->ctx, m->ranks, &m->info);
  qr (m);
  gsvd (m);
  sparse (m);
  gla_ranks_destroy (m->ranks);
  gla_context_destroy (m->ctx);
  return nullptr;
}

static void run_threads (const setting *s, int count)
{
  std::vector<gla_ranks *> ranks (count);
  std::vector<member> members (count);
  std::vector<pthread_t> threads (count);
  gla_context *ctx = nullptr;
  need (gla_context_create (&ctx) == GLA_OK &&
            gla_ranks_threads (ctx, count, ranks.data ()) == GLA_OK,
        "no ranks");
  for (int r = 0; r < count; r++) {
    members[r] = {};
    members[r].s = s;
    members[r].ranks = ranks[r];
    need (pthread_create (&threads[r], nullptr, work, &members[r]) == 0, "no thread");
  }
  for (int r = 0; r < count; r++)
    pthread_join (threads[r], nullptr);
  gla_context_destroy (ctx);
}

int main (int argc, char **argv)
{
  if (argc < 3) {
    fprintf (stderr, "usage: bench_rank_gpus RANKS|mpi cpu|gpu [ROWS [ENTRIES]]\n");
    return 2;
  }
  setting s = {};
  s.gpu = strcmp (argv[2], "gpu") == 0;
  s.rows = argc > 3 ? atoll (argv[3]) : 1000000;
  s.g = barabasi_albert ("attachment", (int)((argc > 4 ? atof (argv[4]) : 24) * 1e6 / 12), 6);
  if (strcmp (argv[1], "mpi") != 0) {
    run_threads (&s, atoi (argv[1]));
    return 0;
  }
  member m = {};
  m.s = &s;
  (void)work (&m);
  return 0;
}
