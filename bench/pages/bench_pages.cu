// bench_pages.cu: page functions on device arrays, and cuBLAS and cuSOLVER, in one run
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_pages [--quick] [--types dzsc] [--only FUNCTION] [--sizes N,N] [--pages P]
//                    [--deadline SECONDS]
// Prints one line per case, with microseconds per page (median): ours; the peer, gemmStridedBatched
// for pagemtimes, getrfBatched with getrsBatched or getriBatched for general systems and inverses,
// potrfBatched with potrsBatched for definite ones; their ratio; the bytes of operands and results
// over our time, as a fraction of the bandwidth of a copy in the same run; TFLOP/s; and the errors
// of both, on a few pages: of products in units of (k+2)*eps*|A|*|B|, of systems and inverses in
// units of n*eps*|A|*|X|. A time is NaN where the error is above 30 or the call failed. Before
// each check the results are filled with NaN. What the peers overwrite is copied outside their
// time.

#include "gpulinalg.h"
#include "pages_peer.cuh"

#include <cstring>
#include <string>

struct settings {
  bool quick = false;
  std::string types = "dzsc", only;
  std::vector<int64_t> sizes; // empty: all
  int64_t pages = 0;          // 0: see pages_for
  double deadline = 56;       // seconds, after which no case begins
};

// C is m x n; systems have m = k = n of A and n right-hand sides.
struct page_case {
  const char *function, *name;
  int64_t m, k, n;
  char op_a, op_b;
};

// Operands and results of one case in GPU memory; W is a copy of A that the peer may overwrite.
enum : int64_t { MOST_BYTES = (int64_t)2 << 30 };
struct memory {
  char *A, *B, *X, *W;
};

static const double most_error = 30;
static double copy_rate; // bytes per second, read and written
static bool wrong;

//------------------------------------------------------------------------------
// data and times
//------------------------------------------------------------------------------

template <class T> void fill (T *a, int64_t count, uint64_t seed)
{
  fill_kernel<<<(unsigned)((count + 255) / 256), 256>>> (a, count, seed);
}

// Adds to the diagonal of Hermitian pages, so that they are definite.
template <class T> __global__ void shift_kernel (T *a, int64_t n, int64_t pages)
{
  const int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (e < n * pages)
    reinterpret_cast<typename scalar<T>::real *> (a + e / n * n * n + e % n * (n + 1))[0] += 2 * n;
}

// Median seconds of some calls after one that loads code and buffers; fewer where they are long.
// NaN where a call fails.
static double seconds_of (const std::function<void ()> &prepare, const std::function<int ()> &work)
{
  static cudaEvent_t start, stop;
  if (start == NULL) {
    cudaEventCreate (&start);
    cudaEventCreate (&stop);
  }
  std::vector<float> times;
  for (int c = 0, calls = 2; c < calls; c++) {
    prepare ();
    cudaDeviceSynchronize ();
    cudaEventRecord (start);
    const int failed = work ();
    cudaEventRecord (stop);
    float ms = NAN;
    if (failed != 0 || cudaEventSynchronize (stop) != cudaSuccess ||
        cudaEventElapsedTime (&ms, start, stop) != cudaSuccess)
      return NAN;
    if (c > 0)
      times.push_back (ms);
    else
      calls = ms > 20 ? 2 : ms > 5 ? 4 : 8;
  }
  std::sort (times.begin (), times.end ());
  return times[times.size () / 2] * 1e-3;
}

static void measure_copy (const memory &m)
{
  const double seconds = seconds_of (
      [] {}, [&] { return cudaMemcpyAsync (m.X, m.A, MOST_BYTES, cudaMemcpyDeviceToDevice); });
  copy_rate = 2.0 * MOST_BYTES / seconds;
}

//------------------------------------------------------------------------------
// a case
//------------------------------------------------------------------------------

template <class T> struct runner {
  const page_case &c;
  gla_context *ctx;
  peers &peer;
  T *A, *B, *X, *W;
  bool product, shared, definite, inverse;
  int64_t of_A, of_B, of_X, pages; // elements of a page
  gla_array a, b;
  gla_pagemul_results multiplied = {sizeof multiplied};
  gla_pagesolve_results solved = {sizeof solved};

  runner (const page_case &c_, gla_context *ctx_, peers &peer_, const memory &m, int64_t most)
      : c (c_), ctx (ctx_), peer (peer_), A ((T *)m.A), B ((T *)m.B), X ((T *)m.X), W ((T *)m.W)
  {
    const std::string name = c.name;
    product = strcmp (c.function, "pagemtimes") == 0;
    shared = name == "shared";
    definite = name == "definite";
    inverse = strcmp (c.function, "pageinv") == 0;
    of_A = c.m * c.k;
    of_B = inverse ? 0 : c.k * c.n;
    of_X = c.m * c.n;
    const int64_t largest = std::max (of_A, std::max (of_B, of_X));
    const int64_t page_bytes = largest * sizeof (T);
    pages = most > 0 ? std::min (most, MOST_BYTES / page_bytes) : pages_for (page_bytes);
    const gla_type type = (gla_type)scalar<T>::letter;
    const bool left = c.op_a == 'N', right = c.op_b == 'N';
    a = gla_array_packed (A, type, left ? c.m : c.k, left ? c.k : c.m, pages, 0);
    b = gla_array_packed (B, type, right ? c.k : c.n, right ? c.n : c.k, shared ? 1 : pages, 0);
    multiplied.C = solved.X = gla_array_packed (X, type, c.m, c.n, pages, 0);
  }

  // So many that a call takes a millisecond or more, and what it takes whatever the batch (launch,
  // wait: 0.1 to 0.2 ms) is small beside it. The peers take long for many small systems.
  int64_t pages_for (int64_t page_bytes) const
  {
    const int64_t bytes = product ? MOST_BYTES : c.m <= 32 ? MOST_BYTES / 2 : MOST_BYTES / 8;
    return std::min<int64_t> (product ? 32000000 : 4000000, bytes / page_bytes);
  }

  void fill_operands ()
  {
    if (definite) {
      fill_hermitian<<<1024, 256>>> ((typename scalar<T>::real *)A, scalar<T>::complex, c.m, pages,
                                     7);
      shift_kernel<<<(unsigned)((c.m * pages + 255) / 256), 256>>> (A, c.m, pages);
    } else {
      fill (A, of_A * pages, 11 * c.m + c.k);
    }
    if (of_B > 0)
      fill (B, of_B * b.pages, 13 * c.n + c.k + 1000000007);
  }

  int ours ()
  {
    gla_status status;
    if (product) {
      const gla_pagemul_options options = {sizeof options, c.op_a, c.op_b};
      status = gla_pagemul (ctx, &a, &b, &multiplied, &options, NULL);
    } else {
      status = gla_pagesolve (ctx, &a, inverse ? NULL : &b, &solved, NULL, NULL);
    }
    if (status != GLA_OK)
      fprintf (stderr, "bench_pages: %s %s %c %lld: %s\n", c.function, c.name, scalar<T>::letter,
               (long long)c.m, gla_message (ctx));
    return status;
  }

  // The library works on streams of its own, which do not wait for this one.
  void poison ()
  {
    cudaMemset (X, 0xff, of_X * pages * sizeof (T));
    cudaDeviceSynchronize ();
  }

  // The largest error of some pages of X.
  double error ()
  {
    const double eps = sizeof (typename scalar<T>::real) == 8 ? 0x1p-52 : 0x1p-23;
    double worst = 0;
    for (int64_t p : {(int64_t)0, pages / 2, pages - 1}) {
      if (c.m > 64 && p == pages / 2)
        continue;
      const std::vector<number> x = fetch (X, of_X, p), A_p = fetch (A, of_A, p);
      if (inverse) {
        worst = larger (worst, inverse_error (A_p, x, c.m, eps));
        continue;
      }
      const std::vector<number> B_p = fetch (B, of_B, shared ? 0 : p);
      worst = larger (worst, product ? product_error (turned (A_p, c.op_a, c.m, c.k),
                                                      turned (B_p, c.op_b, c.k, c.n), x, c.m, c.k,
                                                      c.n, eps)
                                     : system_error (A_p, B_p, x, c.m, c.n, eps));
    }
    return worst;
  }

  double time_ours (double &off)
  {
    poison ();
    if (ours () != GLA_OK)
      return NAN;
    off = error ();
    return off <= most_error ? seconds_of ([] {}, [&] { return ours (); }) : NAN;
  }

  double time_peer (double &off)
  {
    double seconds;
    if (product) {
      poison ();
      seconds = seconds_of ([] {},
                            [&] {
                              return gemm_batched (peer, c.op_a, c.op_b, (int)c.m, (int)c.k,
                                                   (int)c.n, A, B, shared, X, (int)pages);
                            });
    } else {
      batched_system<T> s (peer, (int)c.m, (int)c.n, (int)pages, W, X);
      seconds = seconds_of (
          [&] {
            cudaMemcpyAsync (W, A, of_A * pages * sizeof (T), cudaMemcpyDeviceToDevice);
            if (!inverse)
              cudaMemcpyAsync (X, B, of_X * pages * sizeof (T), cudaMemcpyDeviceToDevice);
          },
          [&] { return inverse    ? s.inverse ()
                       : definite ? s.definite ()
                                  : s.general (); });
    }
    cudaGetLastError ();
    if (!std::isnan (seconds))
      off = error ();
    return off <= most_error ? seconds : NAN;
  }

  // Four digits, without an exponent.
  static std::string digits (double x)
  {
    char text[40] = "NaN";
    const int places = x > 0 ? 3 - (int)std::floor (std::log10 (x)) : 0;
    if (!std::isnan (x))
      snprintf (text, sizeof text, "%.*f", std::max (places, 0), x);
    return text;
  }

  double flops () const
  {
    const double m = (double)c.m, k = (double)c.k, n = (double)c.n;
    const double count = product    ? 2 * m * k * n
                         : inverse  ? 2 * m * m * m
                         : definite ? m * m * m / 3 + 2 * m * m * n
                                    : 2 * m * m * m / 3 + 2 * m * m * n;
    return count * pages * (scalar<T>::complex ? 4 : 1);
  }

  void run ()
  {
    double off = NAN, peer_off = NAN;
    fill_operands ();
    const double mine = time_ours (off), theirs = time_peer (peer_off);
    const double bytes = (double)(of_A * pages + of_B * b.pages + of_X * pages) * sizeof (T);
    wrong = wrong || std::isnan (mine);
    printf ("%s\t%c\t%s\t%lld\t%lld\t%lld\t%lld\t%s\t%s\t%s\t%.3f\t%s\t%.2g\t%.2g\n", c.function,
            scalar<T>::letter, c.name, (long long)c.m, (long long)c.k, (long long)c.n,
            (long long)pages, digits (mine / pages * 1e6).c_str (),
            digits (theirs / pages * 1e6).c_str (), digits (theirs / mine).c_str (),
            bytes / mine / copy_rate, digits (flops () / mine * 1e-12).c_str (), off, peer_off);
    fflush (stdout);
  }
};

//------------------------------------------------------------------------------
// all cases
//------------------------------------------------------------------------------

static std::vector<page_case> cases_of (const settings &set, char type)
{
  static const char *const names[] = {"NN", "NT", "NC", "TN", "TT", "TC", "CN", "CT", "CC"};
  std::vector<int64_t> sizes = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
  std::vector<page_case> cases;
  const bool brief = set.quick || type == 's' || type == 'c';
  if (brief)
    sizes = {3, 8, 16, 32, 64, 128};
  if (!set.sizes.empty ())
    sizes = set.sizes;
  for (int64_t n : sizes)
    for (const char *ops : names) {
      const bool all = !brief && (n == 24 || n == 32 || n == 64 || n == 128);
      if (all || strcmp (ops, "NN") == 0 || strcmp (ops, "CN") == 0)
        cases.push_back ({"pagemtimes", ops, n, n, n, ops[0], ops[1]});
    }
  if (set.sizes.empty ()) {
    cases.push_back ({"pagemtimes", "NN", 3, 3, 64, 'N', 'N'});
    cases.push_back ({"pagemtimes", "NN", 49, 60, 49, 'N', 'N'});
    cases.push_back ({"pagemtimes", "shared", 8, 8, 8, 'N', 'N'});
  }
  for (int64_t n : sizes) {
    cases.push_back ({"pagemldivide", "general", n, n, 1, 'N', 'N'});
    cases.push_back ({"pagemldivide", "general", n, n, n, 'N', 'N'});
    cases.push_back ({"pagemldivide", "definite", n, n, 1, 'N', 'N'});
    cases.push_back ({"pageinv", "general", n, n, n, 'N', 'N'});
  }
  return cases;
}

static settings read_arguments (int argc, char **argv)
{
  settings set;
  for (int k = 1; k < argc; k++) {
    const std::string name = argv[k];
    const char *value = k + 1 < argc ? argv[k + 1] : NULL;
    k += name != "--quick";
    if (name == "--quick")
      set.quick = true;
    else if (name == "--types" && value)
      set.types = value;
    else if (name == "--only" && value)
      set.only = value;
    else if (name == "--pages" && value)
      set.pages = std::max (1, atoi (value));
    else if (name == "--deadline" && value)
      set.deadline = atof (value);
    else if (name == "--sizes" && value)
      for (const char *at = value; at; at = strchr (at, ',') ? strchr (at, ',') + 1 : NULL)
        set.sizes.push_back (std::max (1, atoi (at)));
    else {
      fprintf (stderr, "bench_pages: unknown option %s\n", name.c_str ());
      exit (2);
    }
  }
  return set;
}

static double now ()
{
  timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main (int argc, char **argv)
{
  const settings set = read_arguments (argc, argv);
  const double born = now ();
  gla_context *ctx;
  int device = 0, left_out = 0;
  must (gla_context_create (&ctx), "gla_context_create");
  must (gla_set_place (ctx, GLA_PLACE_LIST, &device, 1), "gla_set_place");
  gla_device_info gpu = {sizeof gpu};
  must (gla_device_query (ctx, 0, &gpu), "gla_device_query");
  peers peer;
  memory m;
  for (char **p : {&m.A, &m.B, &m.X, &m.W})
    must (cudaMalloc (p, MOST_BYTES), "cudaMalloc");
  measure_copy (m);
  printf ("# %s; gpulinalg %s; copy %.3g TB/s\n", gpu.name, gla_version (), copy_rate * 1e-12);
  printf (
      "# microseconds per page, everything on the GPU: bench_pages; peers: cuBLAS, for definite "
      "systems cuSOLVER\n");
  printf ("function\ttype\tcase\tm\tk\tn\tpages\tours_us\tpeer_us\tratio\tof_copy\ttflops\terror\t"
          "peer_error\n");
  for (char type : set.types)
    for (const page_case &c : cases_of (set, type)) {
      if (!set.only.empty () && set.only != c.function)
        continue;
      if (now () - born > set.deadline)
        left_out++;
      else if (type == 's')
        runner<float> (c, ctx, peer, m, set.pages).run ();
      else if (type == 'd')
        runner<double> (c, ctx, peer, m, set.pages).run ();
      else if (type == 'c')
        runner<cuFloatComplex> (c, ctx, peer, m, set.pages).run ();
      else if (type == 'z')
        runner<cuDoubleComplex> (c, ctx, peer, m, set.pages).run ();
    }
  if (left_out > 0)
    printf ("# %d cases left out after %g s\n", left_out, set.deadline);
  fprintf (stderr, "bench_pages: %.1f s\n", now () - born);
  gla_context_destroy (ctx);
  return wrong || left_out > 0;
}
