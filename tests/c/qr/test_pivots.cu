// test_pivots.cu: QR with column pivoting by blocks, beside column by column
// SPDX-License-Identifier: GPL-3.0-or-later
//
// test_pivots [TYPES [MOST]]: matrices up to MOST rows (1100) of several kinds: A P = Q R column by
// column, Q'Q = I, P a permutation, the same bits again, and a diagonal of R that falls, and is
// that of pivoting column by column, but for a small factor.
// test_pivots times [TYPES [MOST [blocks]]]: milliseconds of both for random square matrices, one
// and 20 at once; with the last word those by blocks alone, for one of MOST rows.

#include "device/device_pages.cuh"
#include "common/runtime.cuh"
#include "engine/cublas.cuh"
#include "qr/qr_plan.cuh"

#include <algorithm>

static void must (bool ok, const char *what)
{
  if (ok)
    return;
  printf ("test_pivots: %s: %s\n", what, cudaGetErrorString (cudaGetLastError ()));
  exit (1);
}

static gla_status no_pause (void *)
{
  return GLA_OK;
}

// H is a type of the host; on the GPU the same numbers are of another one.
template <class H> struct on_gpu {
  typedef H type;
};
template <> struct on_gpu<z> {
  typedef cx<double> type;
};

static void random_to (double *x)
{
  *x = uniform ();
}
static void random_to (z *x)
{
  *x = z (uniform (), uniform ());
}

template <class H> static double norm_of (const H *x, int64_t count)
{
  double most = 0, sum = 0;
  for (int64_t i = 0; i < count; i++)
    most = std::max (most, std::abs (x[i]));
  for (int64_t i = 0; i < count && most > 0; i++)
    sum += std::pow (std::abs (x[i]) / most, 2);
  return most * std::sqrt (sum);
}

//------------------------------------------------------------------------------
// a factorisation
//------------------------------------------------------------------------------

// An arena, a stream and cuBLAS for m x n.
template <class H> struct factoring {
  typedef typename on_gpu<H>::type T;
  int64_t m, n, pages;
  cudaStream_t stream;
  cudaEvent_t begun, ended;
  gpu_blas blas = {nullptr};
  char *memory;
  page_matrix<T> A, Q, R, E;
  qr_plan<T> *plan;

  factoring (int64_t m, int64_t n, int pivot, int64_t pages = 1) : m (m), n (n), pages (pages)
  {
    gla_qr_job job = {};
    job.head.type = sizeof (T) == 16 ? GLA_TYPE_Z : GLA_TYPE_D;
    job.m = m, job.n = n, job.pivot = pivot;
    job.q_columns = job.r_rows = std::min (m, n);
    carver count = {nullptr, 0};
    delete take (job, count);
    must (cudaMalloc (&memory, count.used) == cudaSuccess, "memory");
    must (cudaMemset (memory, 0, count.used) == cudaSuccess, "memset");
    carver c = {memory, 0};
    plan = take (job, c);
    must (cudaStreamCreate (&stream) == cudaSuccess && cudaEventCreate (&begun) == cudaSuccess &&
              cudaEventCreate (&ended) == cudaSuccess && gpu_blas_open (&blas) == GLA_OK,
          "stream and cuBLAS");
  }
  ~factoring ()
  {
    gpu_blas_close (&blas);
    cudaStreamDestroy (stream);
    cudaEventDestroy (begun);
    cudaEventDestroy (ended);
    cudaFree (memory);
    delete plan;
  }
  qr_plan<T> *take (const gla_qr_job &job, carver &c)
  {
    qr_plan<T> *p = new qr_plan<T> (job, pages, (m + 15) / 16 * 16, c);
    const int64_t k = p->k;
    p->Y.data = c.take<T> (pages * p->Y.page);
    A = {c.take<T> (pages * m * n), m, m * n};
    E = {c.take<T> (pages * m * n), m, m * n};
    Q = {c.take<T> (pages * m * k), m, m * k};
    R = {c.take<T> (pages * k * n), k, k * n};
    return p;
  }
  qr_streams streams () { return {stream, stream, begun, ended, &blas, &blas}; }

  // Milliseconds; a is on every page.
  float factor (const std::vector<H> &a)
  {
    float ms = 0;
    for (int64_t page = 0; page < pages; page++)
      cudaMemcpy (A.data + page * A.page, a.data (), a.size () * sizeof (T),
                  cudaMemcpyHostToDevice);
    cudaEventRecord (begun, stream);
    must (qr_factor<T> (*plan, as_const (A), streams (), {no_pause, nullptr}) == GLA_OK, "factor");
    cudaEventRecord (ended, stream);
    must (cudaEventSynchronize (ended) == cudaSuccess, "factor");
    cudaEventElapsedTime (&ms, begun, ended);
    must (qr_store_r<T> (*plan, R, plan->k, stream) == cudaSuccess, "R");
    return ms;
  }
  std::vector<H> fetch (page_matrix<T> x, int64_t count)
  {
    std::vector<H> to (count);
    must (cudaStreamSynchronize (stream) == cudaSuccess, "kernels");
    cudaMemcpy (to.data (), x.data, count * sizeof (T), cudaMemcpyDeviceToHost);
    return to;
  }
  std::vector<int64_t> order ()
  {
    std::vector<int64_t> to (n);
    cudaStreamSynchronize (stream);
    cudaMemcpy (to.data (), plan->pivots.jpvt, n * sizeof (int64_t), cudaMemcpyDeviceToHost);
    return to;
  }
  std::vector<double> diagonal ()
  {
    std::vector<H> r = fetch (R, plan->k * n);
    std::vector<double> to (plan->k);
    for (int64_t j = 0; j < plan->k; j++)
      to[j] = std::abs (r[j * plan->k + j]);
    return to;
  }
  // Largest |A P - Q R| of a column over its norm, and largest |Q'Q - I|, in units of eps.
  void errors (const std::vector<H> &a, double *backward, double *orthogonal)
  {
    const int64_t k = plan->k;
    const std::vector<int64_t> jpvt = order ();
    std::vector<H> ap (m * n);
    for (int64_t j = 0; j < n; j++)
      std::copy_n (&a[jpvt[j] * m], m, &ap[j * m]);
    cudaMemcpy (E.data, ap.data (), ap.size () * sizeof (T), cudaMemcpyHostToDevice);
    must (qr_form_q<T> (*plan, Q, k, streams (), {no_pause, nullptr}) == GLA_OK, "Q");
    must (gpu_gemm<T> (&blas, stream, 'N', 'N', m, n, k, -1, as_const (Q), as_const (R), 1, E, 1) ==
              GLA_OK,
          "Q R");
    const std::vector<H> e = fetch (E, m * n);
    *backward = *orthogonal = 0;
    for (int64_t j = 0; j < n; j++) {
      const double norm = norm_of (&ap[j * m], m), off = norm_of (&e[j * m], m);
      const double here = off == 0 ? 0 : off / norm / 2.2e-16;
      *backward = here <= *backward ? *backward : std::isnan (here) ? INFINITY : here;
    }
    must (gpu_gemm<T> (&blas, stream, 'C', 'N', k, k, m, 1, as_const (Q), as_const (Q), 0,
                       {E.data, k, k * k}, 1) == GLA_OK,
          "Q'Q");
    std::vector<H> g = fetch (E, k * k);
    for (int64_t j = 0; j < k; j++)
      for (int64_t i = 0; i < k; i++) {
        const H x = g[j * k + i];
        double here = i != j ? std::abs (x) : std::abs (std::abs (x) - 1);
        here /= 2.2e-16;
        *orthogonal = here <= *orthogonal ? *orthogonal : std::isnan (here) ? INFINITY : here;
      }
  }
};

//------------------------------------------------------------------------------
// matrices
//------------------------------------------------------------------------------

enum kind { RANDOM, RANK, GRADED, WIDE, ROWS, KAHAN, REPEATED, ZEROS, NEAR, ONE, NONE, KINDS };

// A factor for each column, or for each row.
template <class H> static void grade (std::vector<H> &a, int64_t m, int64_t n, kind k)
{
  for (int64_t j = 0; j < n; j++) {
    const double column = k == GRADED ? std::pow (2.0, (double)(j * 37 % n) * -500 / n)
                          : k == WIDE ? std::pow (2.0, (double)(j * 37 % n) * 800 / n - 400)
                                      : 1;
    for (int64_t i = 0; i < m; i++)
      a[j * m + i] *= (k == ROWS ? std::pow (2.0, -0.1 * (double)i) : column);
  }
}

template <class H> static std::vector<H> matrix (int64_t m, int64_t n, kind k)
{
  std::vector<H> a (m * n);
  const int64_t rank = k == RANK ? n / 2 + 7 : k == REPEATED ? n / 4 + 1 : n;
  for (H &x : a)
    random_to (&x);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      H &x = a[j * m + i];
      const double r = i == j ? 1 : i < j && k == KAHAN ? -0.1 : 0;
      if (k == KAHAN || k == ONE)
        x = r * (k == KAHAN ? std::pow (0.99, (double)i) : 1);
      else if (k == NONE || (k == ZEROS && j % 3 == 0))
        x = 0;
      else if (j >= rank && k == RANK)
        x = 0.5 * a[(j % rank) * m + i] + a[((j + 5) % rank) * m + i];
      else if (j >= rank)
        x = a[(j % rank) * m + i];
      else if (k == NEAR && j > 0)
        x = 1e-6 * x + a[i];
    }
  grade (a, m, n, k);
  return a;
}

static const char *name_of (kind k)
{
  static const char *const names[] = {"random",   "rank", "graded", "wide", "rows", "kahan",
                                      "repeated", "zero", "near",   "one",  "none"};
  return names[k];
}

//------------------------------------------------------------------------------
// tests
//------------------------------------------------------------------------------

// Columns whose entry on the diagonal is more than rounding.
template <class H> static int64_t known_columns (const std::vector<double> &d, kind k, int64_t n)
{
  if (k == RANK || k == REPEATED)
    return k == RANK ? n / 2 + 7 : n / 4 + 1;
  int64_t count = 0;
  while (count < (int64_t)d.size () && d[count] > (k == GRADED || k == WIDE ? 0 : 1e-12 * d[0]))
    count++;
  return count;
}

template <class H>
static void check_diagonal (const std::vector<double> &d, const std::vector<double> &by_columns,
                            kind k, int64_t n, const std::string &name)
{
  const int64_t known = known_columns<H> (by_columns, k, n);
  double low = 1, high = 1, rise = 1, behind = 0, least = INFINITY;
  for (int64_t j = 0; j < known; j++) {
    low = std::min (low, d[j] / by_columns[j]);
    high = std::max (high, d[j] / by_columns[j]);
    rise = std::max (rise, d[j] / least);
    least = std::min (least, d[j]);
  }
  for (int64_t j = known; j < (int64_t)d.size (); j++)
    behind = std::max (behind, d[j] / std::max (d[0], 1e-300));
  printf ("%s: %lld of %lld, diagonal %.3f to %.3f, rise %.3f, behind %.1e\n", name.c_str (),
          (long long)known, (long long)d.size (), low, high, rise, behind);
  // the last entry of Kahan's matrix is overestimated column by column
  check (k == KAHAN || low >= 0.25, name + ": diagonal too small");
  check (high <= 4 && rise <= 4, name + ": diagonal too large");
  check (behind <= 1e-10, name + ": rank");
}

template <class H> static void test_matrix (int64_t m, int64_t n, kind k)
{
  const std::string name = std::string (name_of (k)) + " " + std::to_string (m) + " x " +
                           std::to_string (n) + (sizeof (H) == 16 ? " z" : " d");
  const std::vector<H> a = matrix<H> (m, n, k);
  factoring<H> columns (m, n, QR_PIVOT_COLUMNS), blocks (m, n, QR_PIVOT_BLOCKS);
  const bool sketched = qr_pivots_blocks (m, n);
  check (sketched == (std::min (m, n) >= 512) && (blocks.plan->sketch.rows > 0) == sketched &&
             columns.plan->sketch.rows == 0,
         name + ": method");
  columns.factor (a);
  blocks.factor (a);
  const std::vector<int64_t> jpvt = blocks.order ();
  std::vector<bool> seen (n, false);
  int64_t found = 0;
  for (int64_t j : jpvt)
    if (j >= 0 && j < n && !seen[j])
      seen[j] = true, found++;
  check (found == n, name + ": not a permutation");
  if (found < n)
    return;
  double backward, orthogonal;
  blocks.errors (a, &backward, &orthogonal);
  check (backward <= 20 * std::sqrt ((double)n) && orthogonal <= 20 * std::sqrt ((double)n),
         name + ": A P - Q R " + std::to_string (backward) + ", Q'Q " +
             std::to_string (orthogonal) + " eps");
  check_diagonal<H> (blocks.diagonal (), columns.diagonal (), k, n, name);
  const int64_t count = blocks.plan->k * n;
  const std::vector<H> r = blocks.fetch (blocks.R, count);
  blocks.factor (a);
  const std::vector<H> again = blocks.fetch (blocks.R, count);
  check (memcmp (r.data (), again.data (), count * sizeof (H)) == 0 && jpvt == blocks.order (),
         name + ": other bits in a second run");
}

// Many pages at once have the bits of one.
template <class H> static void test_pages ()
{
  const int64_t n = 530, pages = 18;
  const std::vector<H> a = matrix<H> (n, n, RANDOM);
  factoring<H> one (n, n, QR_PIVOT_BLOCKS), all (n, n, QR_PIVOT_BLOCKS, pages);
  one.factor (a);
  all.factor (a);
  const std::vector<H> r = one.fetch (one.R, n * n), rs = all.fetch (all.R, n * n * pages);
  for (int64_t page = 0; page < pages; page++)
    check (memcmp (&rs[page * n * n], r.data (), n * n * sizeof (H)) == 0,
           "page " + std::to_string (page) + " has other bits");
}

// NaN and Inf: it ends, with a permutation.
template <class H> static void test_lost (double bad)
{
  const int64_t n = 600;
  std::vector<H> a = matrix<H> (n, n, RANDOM);
  a[37 * n + 5] = bad;
  factoring<H> blocks (n, n, QR_PIVOT_BLOCKS);
  blocks.factor (a);
  std::vector<int64_t> jpvt = blocks.order ();
  std::sort (jpvt.begin (), jpvt.end ());
  bool right = true;
  for (int64_t j = 0; j < n; j++)
    right &= jpvt[j] == j;
  check (right, "not a permutation with " + std::to_string (bad));
}

template <class H> static void test_type (int64_t most)
{
  const int64_t from = 512; // of qr_pivots_blocks
  for (int64_t n : {from - 1, from, from + 1, from + 31, (int64_t)640, (int64_t)700, (int64_t)1100})
    if (n <= most)
      test_matrix<H> (n, n, RANDOM);
  for (int k = RANK; k < KINDS; k++)
    test_matrix<H> (std::min<int64_t> (most, 650), std::min<int64_t> (most, 650), (kind)k);
  test_matrix<H> (900, 555, RANDOM);
  test_matrix<H> (520, 700, RANK);
  test_pages<H> ();
  test_lost<H> (NAN);
  test_lost<H> (INFINITY);
}

template <class H> static void print_times (int64_t n, int64_t pages, bool blocks)
{
  const std::vector<H> a = matrix<H> (n, n, RANDOM);
  float ms[2] = {INFINITY, INFINITY};
  for (int pivot = blocks ? QR_PIVOT_BLOCKS : QR_PIVOT_COLUMNS; pivot <= QR_PIVOT_BLOCKS; pivot++) {
    factoring<H> f (n, n, pivot, pages);
    for (int call = 0; call < (blocks ? 1 : 3); call++)
      ms[pivot - 1] = std::min (ms[pivot - 1], f.factor (a));
  }
  printf ("%c %lld, %lld pages: column by column %.3f ms, blocks %.3f ms\n",
          sizeof (H) == 16 ? 'z' : 'd', (long long)n, (long long)pages, ms[0], ms[1]);
  fflush (stdout);
}

template <class H> static void print_all_times (int64_t most, bool blocks)
{
  for (int64_t n = blocks ? most : 512; n <= most; n *= 2)
    print_times<H> (n, 1, blocks);
  for (int64_t n = 512; n <= 2048 && n <= most && !blocks; n *= 2)
    print_times<H> (n, 20, blocks);
}

int main (int argc, char **argv)
{
  const bool time = argc > 1 && strcmp (argv[1], "times") == 0;
  argv += time, argc -= time;
  const std::string types = argc > 1 ? argv[1] : "dz";
  const bool blocks = argc > 3;
  const int64_t most = argc > 2 ? atoll (argv[2]) : time ? 8192 : 1100;
  must (cudaFree (nullptr) == cudaSuccess, "no GPU");
  device_note_opened ();
  for (char type : types)
    if (time)
      type == 'z' ? print_all_times<z> (most, blocks) : print_all_times<double> (most, blocks);
    else
      type == 'z' ? test_type<z> (most) : test_type<double> (most);
  if (!time)
    printf ("test_pivots: %d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}
