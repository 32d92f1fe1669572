// test_sparse.cu: sparse products and Krylov bases of the CUDA backend
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calls the functions of backend.h directly, and compares with sums in double on the host.

#include "engine/memory.cuh"
#include "lanczos/sparse_eigs.cuh"
#include "lanczos/job.h"
#include "lanczos/sparse_basis.cuh"

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

template <class H>
void test_product (const shape &s, int vectors, bool pattern, bool narrow, gla_spmv_method method,
                   bool conjugate)
{
  matrix<H> A (s, pattern, narrow, method);
  std::string what = std::string (s.name) + " type " + (char)kind<H>::type + " vectors " +
                     std::to_string (vectors) + " method " + std::to_string (method);
  void *prepared = nullptr;
  check (gpu.spmv->prepare (engine, &A.M, &quiet, &prepared) == GLA_OK, what + ": prepare");
  std::vector<H> x (s.columns * vectors + 1), y (s.rows * vectors + 1), again;
  for (H &e : x)
    e = scalar<H> (z (uniform (), uniform ()));
  gla_spmv_job job = {};
  job.conjugate = conjugate;
  job.x = gla_array_packed (x.data (), kind<H>::type, s.columns, vectors, 1, GLA_DEVICE_HOST);
  job.y = gla_array_packed (y.data (), kind<H>::type, s.rows, vectors, 1, GLA_DEVICE_HOST);
  job.monitor = quiet;
  check (gpu.spmv->product (engine, prepared, &job) == GLA_OK, what + ": product");
  double worst = 0;
  for (int k = 0; k < vectors; k++) {
    std::vector<z> right = A.times (x.data () + k * s.columns, conjugate);
    for (int64_t i = 0; i < s.rows; i++)
      worst = larger (worst, std::abs (z (y[k * s.rows + i]) - right[i]) /
                                 (1 + (double)(s.start[i + 1] - s.start[i])));
  }
  check (worst < 20 * eps<H> (), what + ": error " + std::to_string (worst / eps<H> ()) + " eps");
  again.swap (y);
  y.assign (again.size (), H (7));
  job.y.data = y.data ();
  y.back () = again.back ();
  check (gpu.spmv->product (engine, prepared, &job) == GLA_OK &&
             memcmp (y.data (), again.data (), y.size () * sizeof (H)) == 0,
         what + ": the same bits again");
  gpu.spmv->free (engine, prepared);
}

template <class H> void test_products ()
{
  shape short_rows = random_shape ("short rows", 5000, 3000, [] (int64_t i) { return i % 11; });
  shape skewed =
      random_shape ("skewed", 3001, 40000, [] (int64_t i) { return i % 500 == 7 ? 20000 : i % 4; });
  shape middle = random_shape ("middle", 700, 2000, [] (int64_t i) { return 20 + i % 400; });
  shape hollow = random_shape ("hollow", 9000, 10, [] (int64_t i) { return i % 1000 == 999; });
  shape column = random_shape ("one column", 300, 1, [] (int64_t) { return 1; });
  shape none = random_shape ("no rows", 0, 5, [] (int64_t) { return 0; });
  for (const shape *s : {&short_rows, &skewed, &middle, &hollow, &column, &none})
    for (int vectors : {1, 2, 3, 4, 8, 13})
      test_product<H> (*s, vectors, vectors == 3, vectors % 2 == 1, GLA_SPMV_METHOD_AUTO,
                       vectors > 3);
  for (const shape *s : {&short_rows, &skewed, &none})
    for (gla_spmv_method method :
         {GLA_SPMV_METHOD_SCALAR, GLA_SPMV_METHOD_VECTOR, GLA_SPMV_METHOD_GROUP}) {
      test_product<H> (*s, 1, false, true, method, false);
      test_product<H> (*s, 6, true, false, method, true);
    }
  test_product<H> (skewed, 1, true, true, GLA_SPMV_METHOD_BALANCED, true);
  test_product<H> (middle, 4, true, true, GLA_SPMV_METHOD_BALANCED, false);
}

//------------------------------------------------------------------------------
// bases
//------------------------------------------------------------------------------

template <class H> gla_status apply_on_host (void *user, const void *x, void *y, int64_t columns)
{
  const matrix<H> &A = *static_cast<const matrix<H> *> (user);
  for (int64_t k = 0; k < columns; k++) {
    std::vector<z> column = A.times (static_cast<const H *> (x) + k * A.s.columns, false);
    for (int64_t i = 0; i < A.s.rows; i++)
      static_cast<H *> (y)[k * A.s.rows + i] = scalar<H> (column[i]);
  }
  return GLA_OK;
}

template <class H>
void test_basis (matrix<H> &A, int block, int64_t m, bool host, int64_t vanishing)
{
  void *prepared = nullptr;
  check (gpu.spmv->prepare (engine, &A.M, &quiet, &prepared) == GLA_OK, "prepare");
  gla_krylov_job job = {};
  job.type = kind<H>::type;
  job.n = A.s.rows;
  job.basis = m;
  job.block = block;
  job.matrix = host ? nullptr : &A.M;
  job.sparse = host ? nullptr : prepared;
  job.conjugate = !host && block == 2;
  job.apply = apply_on_host<H>;
  job.user = &A;
  job.monitor = quiet;
  std::string what = std::string (A.s.name) + " type " + (char)job.type + " block " +
                     std::to_string (block) + (host ? " host" : "");
  check (gpu.krylov->supports (&job), what + ": supported");
  basis_test<H> test = {A,     job.n, m,
                        block, job,   std::vector<H> (job.n * (m + block)),
                        {},    what,  is_complex<H> () ? 2 : 1};
  test.expand (vanishing);
  test.rotate (m / 2 / block * block);
  test.expand_again (m / 2 / block * block);
  test.residuals (m / 2 / block * block);
  gpu.krylov->end (engine);
  gpu.spmv->free (engine, prepared);
}

// The recurrence against the same on the host, and its vectors from the second pass. The matrix has
// no isolated eigenvalue, because rounding errors grow as soon as one has converged.
template <class H> void test_plain (matrix<H> &A)
{
  const int64_t n = A.s.rows, steps = 30, count = 3;
  void *prepared = nullptr;
  check (gpu.spmv->prepare (engine, &A.M, &quiet, &prepared) == GLA_OK, "prepare");
  gla_krylov_job job = {};
  job.type = kind<H>::type;
  job.n = n;
  job.basis = count;
  job.block = 1;
  job.plain = 1;
  job.matrix = &A.M;
  job.sparse = prepared;
  job.monitor = quiet;
  std::string what = std::string ("plain type ") + (char)job.type;
  std::vector<H> start (n), X (n * count);
  std::vector<double> alpha (steps), beta (steps), S (steps * count);
  int64_t first = 0, second = 0;
  check (gpu.krylov->begin (engine, &job) == GLA_OK &&
             gpu.krylov->start (engine, 0, 0, 3) == GLA_OK,
         what + ": start");
  gpu.krylov->get (engine, 0, 1, start.data ());
  check (gpu.krylov->plain (engine, 13, alpha.data (), beta.data (), &first) == GLA_OK &&
             gpu.krylov->plain (engine, steps - 13, alpha.data () + 13, beta.data () + 13,
                                &second) == GLA_OK &&
             first + second == steps,
         what + ": steps");
  std::vector<std::vector<z>> v = {std::vector<z> (start.begin (), start.end ())};
  double worst = 0;
  for (int64_t k = 0; k < 8; k++) {
    std::vector<H> x (n);
    for (int64_t i = 0; i < n; i++)
      x[i] = scalar<H> (v[k][i]);
    std::vector<z> w = A.times (x.data (), false);
    z a = 0;
    double norm = 0;
    for (int64_t i = 0; i < n; i++)
      a += std::conj (v[k][i]) * w[i];
    for (int64_t i = 0; i < n; i++) {
      w[i] -= a.real () * v[k][i] + (k > 0 ? beta[k - 1] * v[k - 1][i] : 0);
      norm += std::norm (w[i]);
    }
    norm = std::sqrt (norm);
    worst = larger (worst, std::fabs (a.real () - alpha[k]));
    worst = larger (worst, std::fabs (norm - beta[k]));
    for (z &e : w)
      e /= norm;
    v.push_back (w);
  }
  check (worst < 2000 * eps<H> (), what + ": coefficients");
  S[0] = 1;
  S[steps + 7] = -2;
  S[2 * steps + 3] = 3;
  S[2 * steps + 8] = 4;
  check (gpu.krylov->combine (engine, steps, alpha.data (), beta.data (), S.data (), count) ==
             GLA_OK,
         what + ": combine");
  gpu.krylov->get (engine, 0, count, X.data ());
  worst = 0;
  for (int64_t i = 0; i < n; i++) {
    worst = larger (worst, std::abs (z (X[i]) - v[0][i]));
    worst = larger (worst, std::abs (z (X[n + i]) + v[7][i]));
    worst = larger (worst, std::abs (z (X[2 * n + i]) - 0.6 * v[3][i] - 0.8 * v[8][i]));
  }
  check (worst < 2000 * eps<H> (), what + ": vectors");
  gpu.krylov->end (engine);
  gpu.spmv->free (engine, prepared);
}

template <class H> void test_bases ()
{
  shape ring = wheel (1500, true), smooth = wheel (1500, false);
  shape diagonal = {"identity", 300, 300, {0}, {}};
  for (int64_t i = 0; i < 300; i++) {
    diagonal.index.push_back (i);
    diagonal.start.push_back (i + 1);
  }
  matrix<H> A (ring, false, true, GLA_SPMV_METHOD_AUTO),
      B (smooth, false, true, GLA_SPMV_METHOD_AUTO);
  matrix<H> I (diagonal, false, false, GLA_SPMV_METHOD_AUTO);
  std::fill (I.values.begin (), I.values.end (), H (1));
  for (int block : {1, 2, 4, 8}) {
    test_basis (A, block, 32, false, 0);
    test_basis (I, block, 16, false, 16);
  }
  test_basis (A, 4, 16, true, 0);
  test_plain (B);
}

// A call ends when the stop callback returns nonzero, and the engine can be used afterwards.
static void test_stop ()
{
  shape ring = wheel (200000, true);
  matrix<double> A (ring, false, true, GLA_SPMV_METHOD_AUTO);
  void *prepared = nullptr;
  check (gpu.spmv->prepare (engine, &A.M, &quiet, &prepared) == GLA_OK, "stop: prepare");
  std::vector<double> x (A.s.rows * 24, 1), y (A.s.rows * 24);
  gla_spmv_job job = {};
  job.x = gla_array_packed (x.data (), GLA_TYPE_D, A.s.rows, 24, 1, GLA_DEVICE_HOST);
  job.y = gla_array_packed (y.data (), GLA_TYPE_D, A.s.rows, 24, 1, GLA_DEVICE_HOST);
  job.monitor = {give_up, nullptr};
  check (gpu.spmv->product (engine, prepared, &job) == GLA_ERROR_STOPPED,
         "stop: GLA_ERROR_STOPPED");
  job.monitor = quiet;
  check (gpu.spmv->product (engine, prepared, &job) == GLA_OK, "stop: the next product");
  gpu.spmv->free (engine, prepared);
}

// A matrix is freed also where the engine that prepared it is closed, as after a failure.
static void test_closed ()
{
  shape ring = wheel (5000, true);
  matrix<double> A (ring, false, true, GLA_SPMV_METHOD_AUTO);
  const int64_t before = memory_held (0, MEMORY_COPIES);
  gla_engine *other = nullptr;
  void *prepared = nullptr;
  check (gpu.open (0, &other) == GLA_OK, "closed: open");
  check (gpu.spmv->prepare (other, &A.M, &quiet, &prepared) == GLA_OK &&
             memory_held (0, MEMORY_COPIES) > before,
         "closed: prepare");
  gpu.close (other);
  gpu.spmv->free (nullptr, prepared);
  check (memory_held (0, MEMORY_COPIES) == before, "closed: memory is left");
}

int main ()
{
  char why[200];
  if (gpu.device_count (why, sizeof why) == 0) {
    printf ("no GPU: %s\ntest_sparse: 0 passed, 0 failed, 1 skipped\n", why);
    return 0;
  }
  if (gpu.open (0, &engine) != GLA_OK) {
    printf ("FAILED test_sparse: no engine\n");
    return 1;
  }
  test_products<float> ();
  test_products<double> ();
  test_products<std::complex<float>> ();
  test_products<z> ();
  shape hubs = hub_shape ();
  for (bool pattern : {false, true}) {
    test_hubs<float> (hubs, pattern);
    test_hubs<double> (hubs, pattern);
    test_hubs<std::complex<float>> (hubs, pattern);
    test_hubs<z> (hubs, pattern);
  }
  test_without_hubs ();
  test_bases<float> ();
  test_bases<double> ();
  test_bases<std::complex<float>> ();
  test_bases<z> ();
  test_stop ();
  test_closed ();
  open_members ();
  test_teams<float> ();
  test_teams<double> ();
  test_teams<std::complex<float>> ();
  test_teams<z> ();
  test_team_stop ();
  close_members ();
  test_eigs ();
  gpu.close (engine);
  printf ("test_sparse: %d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
