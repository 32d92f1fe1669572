// sparse_basis.cuh: Krylov bases of the CUDA backend, also with rows that several members share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The members take turns on the GPUs of this machine; with one GPU all are on it, each with an
// engine of its own. Bits must not depend on their number, from one on.

#ifndef SPARSE_BASIS_CUH
#define SPARSE_BASIS_CUH

#include "krylov_shares.h"
#include "spmv/sparse_shapes.cuh"
#include "lanczos/job.h"

//------------------------------------------------------------------------------
// a basis, and checks of it
//------------------------------------------------------------------------------

template <class H> struct basis_test {
  const matrix<H> &A;
  int64_t n, m, b;
  gla_krylov_job job;
  std::vector<H> V; // columns 0 .. m+b-1
  std::vector<double> T;
  std::string what;
  int words;

  z product (int64_t i, int64_t j) const
  {
    z sum = 0;
    for (int64_t k = 0; k < n; k++)
      sum += std::conj (z (V[i * n + k])) * z (V[j * n + k]);
    return sum;
  }
  double loss (int64_t columns) const
  {
    double worst = 0;
    for (int64_t j = 0; j < columns; j++)
      for (int64_t i = 0; i <= j; i++)
        worst = larger (worst, std::abs (product (i, j) - (i == j ? 1. : 0.)));
    return worst;
  }
  // |A*V - V*T| by columns, from `first` on
  double residual (int64_t first) const
  {
    double worst = 0;
    for (int64_t j = first; j < m; j++) {
      std::vector<z> r = A.times (V.data () + j * n, job.conjugate);
      double norm = 0;
      for (int64_t i = 0; i < m + b; i++) {
        const double *t = T.data () + (j * (m + b) + i) * words;
        for (int64_t k = 0; k < n; k++)
          r[k] -= z (t[0], words == 2 ? t[1] : 0) * z (V[i * n + k]);
      }
      for (z e : r)
        norm += std::norm (e);
      worst = larger (worst, std::sqrt (norm));
    }
    return worst;
  }
  void expand (int64_t vanishing)
  {
    int64_t replaced = -1;
    T.assign ((m + b) * m * words, 7);
    check (gpu.krylov->begin (engine, &job) == GLA_OK, what + ": begin");
    check (gpu.krylov->start (engine, 0, 0, 5) == GLA_OK, what + ": start");
    check (gpu.krylov->expand (engine, 0, m, T.data (), m + b, &replaced) == GLA_OK,
           what + ": expand");
    check (gpu.krylov->get (engine, 0, m + b, V.data ()) == GLA_OK, what + ": get");
    check (replaced == vanishing, what + ": replaced " + std::to_string (replaced));
    check (loss (m + b) < 200 * eps<H> (), what + ": orthonormal");
    check (residual (0) < 500 * eps<H> (), what + ": A*V = V*T");
  }
  // From the `kept` columns of `rotate` on.
  void expand_again (int64_t kept)
  {
    int64_t replaced;
    check (gpu.krylov->expand (engine, kept, m, T.data (), m + b, &replaced) == GLA_OK,
           what + ": expand again");
    check (gpu.krylov->get (engine, 0, m + b, V.data ()) == GLA_OK, what + ": get");
    check (loss (m + b) < 200 * eps<H> (), what + ": orthonormal again");
    check (residual (kept) < 500 * eps<H> (), what + ": A*V = V*T again");
  }
  // A reflection as S: real, dense and orthogonal.
  void rotate (int64_t keep)
  {
    std::vector<double> S (m * keep * words), h (m);
    double size = 0;
    for (double &e : h) {
      e = uniform ();
      size += e * e;
    }
    for (int64_t j = 0; j < keep; j++)
      for (int64_t i = 0; i < m; i++)
        S[(j * m + i) * words] = (i == j) - 2 * h[i] * h[j] / size;
    std::vector<H> old = V;
    check (gpu.krylov->rotate (engine, m, S.data (), keep) == GLA_OK, what + ": rotate");
    check (gpu.krylov->get (engine, 0, keep + b, V.data ()) == GLA_OK, what + ": get");
    double worst = 0;
    for (int64_t j = 0; j < keep + b; j++)
      for (int64_t k = 0; k < n; k++) {
        z right = j < keep ? 0 : z (old[(m + j - keep) * n + k]);
        for (int64_t i = 0; i < m && j < keep; i++)
          right += z (old[i * n + k]) * S[(j * m + i) * words];
        worst = larger (worst, std::abs (right - z (V[j * n + k])));
      }
    check (worst < 20 * eps<H> (), what + ": rotated basis");
  }
  void residuals (int64_t count)
  {
    std::vector<double> theta (count, 0.5), found (count);
    double orthogonality = 1, worst = 0;
    check (gpu.krylov->check (engine, count, theta.data (), found.data (), &orthogonality) ==
               GLA_OK,
           what + ": check");
    for (int64_t j = 0; j < count; j++) {
      std::vector<z> r = A.times (V.data () + j * n, job.conjugate);
      double norm = 0;
      for (int64_t k = 0; k < n; k++)
        norm += std::norm (r[k] - 0.5 * z (V[j * n + k]));
      worst = larger (worst, std::fabs (std::sqrt (norm) - found[j]));
    }
    check (worst < 500 * eps<H> () && orthogonality < 100 * eps<H> (), what + ": residuals");
  }
};

//------------------------------------------------------------------------------
// bases with members
//------------------------------------------------------------------------------

// Opened once: that takes longer than a test.
static gla_engine *members_of_all[GLA_TEAM_MOST];

static void open_members ()
{
  char why[200];
  const int gpus = gpu.device_count (why, sizeof why);
  members_of_all[0] = engine;
  for (int k = 1; k < GLA_TEAM_MOST; k++)
    check (gpu.open (k % gpus, &members_of_all[k]) == GLA_OK, "team: open");
}

static void close_members ()
{
  for (int k = 1; k < GLA_TEAM_MOST; k++)
    gpu.close (members_of_all[k]);
}

static gla_krylov_team new_team (int members, const gla_spmv_matrix &M)
{
  gla_krylov_team team = {};
  team.count = members;
  team.failed = -1;
  std::copy (members_of_all, members_of_all + members, team.engines);
  check (share_rows (&team, &M, &quiet) == GLA_OK, "team: prepare");
  return team;
}

template <class H> gla_krylov_job team_job (const matrix<H> &A, int block, int64_t m)
{
  gla_krylov_job job = {};
  job.type = kind<H>::type;
  job.n = A.s.rows;
  job.basis = m;
  job.block = block;
  job.matrix = &A.M;
  job.conjugate = block == 2;
  job.monitor = quiet;
  return job;
}

// Columns that were put there are the same when they come back.
template <class H> void test_transfer (const basis_test<H> &test)
{
  std::vector<H> columns (test.n * 3), back (test.n * 3);
  for (H &e : columns)
    e = scalar<H> (z (uniform (), uniform ()));
  check (gpu.krylov->put (engine, 1, 3, columns.data ()) == GLA_OK &&
             gpu.krylov->get (engine, 1, 3, back.data ()) == GLA_OK && columns == back,
         test.what + ": put and get");
}

template <class H> void test_team (const matrix<H> &A, int block, int64_t m, int64_t vanishing)
{
  std::vector<H> V;
  std::vector<double> T;
  for (int members : {1, 2, 3, 4, 8}) {
    gla_krylov_team team = new_team (members, A.M);
    gla_krylov_job job = team_job (A, block, m);
    job.team = &team;
    std::string what = std::string (A.s.name) + " type " + (char)job.type + " block " +
                       std::to_string (block) + " members " + std::to_string (members);
    basis_test<H> test = {A,     job.n, m,
                          block, job,   std::vector<H> (job.n * (m + block)),
                          {},    what,  is_complex<H> () ? 2 : 1};
    check (gpu.krylov->supports (&job) && gpu.krylov->seconds (engine, &job, 10) > 0,
           what + ": supported");
    state = 4711; // the same rotation for all
    test.expand (vanishing);
    test.rotate (m / 2 / block * block);
    test.expand_again (m / 2 / block * block);
    test.residuals (m / 2 / block * block);
    check (members == 1 || (memcmp (V.data (), test.V.data (), V.size () * sizeof (H)) == 0 &&
                            memcmp (T.data (), test.T.data (), T.size () * 8) == 0),
           what + ": other bits");
    V = test.V;
    T = test.T;
    test_transfer (test);
    gpu.krylov->end (engine);
    free_rows (&team);
  }
}

// A few rows, of which some members have none, and one row that is most of the matrix.
static shape star (int64_t n)
{
  shape s = {"star", n, n, {0}, {}};
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < n; j++)
      if ((i == 0) != (j == 0))
        s.index.push_back (j);
    s.start.push_back ((int64_t)s.index.size ());
  }
  return s;
}

// Symmetric, three entries in a row.
static shape band (int64_t n)
{
  shape s = {"band", n, n, {0}, {}};
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++)
      s.index.push_back (j);
    s.start.push_back ((int64_t)s.index.size ());
  }
  return s;
}

// A call that the host has to wait for long enough to ask ends where the caller wants it to, and
// the engines can be used afterwards.
static void test_team_stop ()
{
  const int64_t m = 64;
  shape line = band (5000000);
  matrix<double> A (line, false, true, GLA_SPMV_METHOD_AUTO);
  gla_krylov_team team = new_team (2, A.M);
  gla_krylov_job job = team_job (A, 4, m);
  std::vector<double> T ((m + 4) * m);
  for (const gla_monitor &monitor : {gla_monitor{give_up, nullptr}, quiet}) {
    int64_t replaced;
    job.monitor = monitor;
    job.team = &team;
    gla_status status = gpu.krylov->begin (engine, &job);
    if (status == GLA_OK)
      status = gpu.krylov->start (engine, 0, 0, 5);
    if (status == GLA_OK)
      status = gpu.krylov->expand (engine, 0, m, T.data (), m + 4, &replaced);
    check (status == (monitor.poll == give_up ? GLA_ERROR_STOPPED : GLA_OK),
           "team: stop, status " + std::to_string (status));
    gpu.krylov->end (engine);
  }
  free_rows (&team);
}

template <class H> void test_teams ()
{
  shape ring = wheel (1501, true), smooth = wheel (2999, false), few = wheel (9, false);
  shape hub = star (70);
  shape diagonal = {"identity", 300, 300, {0}, {}};
  for (int64_t i = 0; i < 300; i++) {
    diagonal.index.push_back (i);
    diagonal.start.push_back (i + 1);
  }
  for (bool narrow : {true, false}) {
    matrix<H> A (ring, false, narrow, GLA_SPMV_METHOD_AUTO);
    for (int block : {1, 2, 4, 8})
      test_team (A, block, 32, 0);
  }
  matrix<H> pattern (smooth, !is_complex<H> (), true, GLA_SPMV_METHOD_GROUP);
  test_team (pattern, 4, 16, 0);
  matrix<H> I (diagonal, false, false, GLA_SPMV_METHOD_AUTO);
  std::fill (I.values.begin (), I.values.end (), H (1));
  for (int block : {1, 4})
    test_team (I, block, 16, 16);
  matrix<H> B (few, false, true, GLA_SPMV_METHOD_AUTO), C (hub, false, true, GLA_SPMV_METHOD_AUTO);
  test_team (B, 1, 4, 0);
  test_team (C, 2, 8, 6); // a matrix of rank 2
}

#endif
