// bench_batcheig.cu: compares gla_batcheig with cuSOLVER on one GPU, in one run
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_batcheig [--quick] [--types zdcs] [--sizes 8,16,...] [--sets grid,small,values]
//                       [--limit seconds per call] [--deadline seconds for all]
// Prints a table (TSV) to stdout and its progress to stderr. All arrays are on the GPU before and
// after; both libraries read the lower triangle; every call gets new random Hermitian input. A time
// is the median of 21, 5, 3 or 1 calls (the longer, the fewer) between events, after a warm-up
// call. A result of gla_batcheig with a residual or orthogonality ratio that is NaN or above 30 has
// no time. The exit status is 1 if a call of gla_batcheig failed or was wrong; "over the limit" is
// neither.

#include "cusolver_batch.cuh"

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace
{

//------------------------------------------------------------------------------
// ours
//------------------------------------------------------------------------------

int over_limit (void *user)
{
  bench *b = (bench *)user;
  return since (b->call_start) > b->call_limit;
}

template <class T> outcome ours (bench &b, batch<T> &m, gla_eig_method method)
{
  gla_type type = (gla_type)scalar<T>::letter;
  gla_array A = gla_array_packed (m.A, type, m.n, m.n, m.pages, 0);
  gla_eig_results results = {sizeof results};
  results.lambda = gla_array_packed (m.lambda, gla_type_real (type), m.n, 1, m.pages, 0);
  if (m.vectors)
    results.V = gla_array_packed (m.V, type, m.n, m.n, m.pages, 0);
  gla_eig_options options = {sizeof options, method, GLA_TRIANGLE_LOWER};
  std::vector<int32_t> info (m.pages);
  results.info = info.data ();
  outcome out = measure (
      b, [&] { m.prepare (m.A, b.seed); },
      [&] () -> std::string {
        gla_eig_report report = {{sizeof report}};
        gla_status status = gla_batcheig (b.ctx, &A, &results, &options, &report);
        if (status == GLA_ERROR_STOPPED)
          return "over the limit";
        if (status != GLA_OK)
          return gla_message (b.ctx);
        if (report.base.device != 0)
          return "did not run on the GPU";
        if (report.base.pages_failed > 0)
          return std::to_string (report.base.pages_failed) + " pages failed";
        return "";
      });
  if (out.note.empty ())
    judge (m, out, 30);
  if (!out.note.empty () && out.note != "over the limit")
    b.wrong = true;
  return out;
}

// The time of Jacobi grows fast with n: once it is over the limit, larger n are not tried.
template <class T> outcome ours_jacobi (bench &b, batch<T> &m)
{
  int64_t &slow = b.jacobi_too_slow[(int)scalar<T>::letter];
  outcome out;
  if (slow > 0 && m.n >= slow) {
    out.note = "over the limit at n = " + std::to_string (slow);
    return out;
  }
  out = ours (b, m, GLA_EIG_METHOD_JACOBI);
  if (out.note == "over the limit")
    slow = m.n;
  return out;
}

//------------------------------------------------------------------------------
// the roofline
//------------------------------------------------------------------------------

double attribute (cudaDeviceAttr which)
{
  int value = 0;
  cudaDeviceGetAttribute (&value, which, 0);
  return value;
}

// The least microseconds per page that the chip allows: the flops of a reduction to tridiagonal
// form, divide and conquer without deflation and the back-transform, 14/3 n^3 (real) or 44/3 n^3
// (complex; 4/3 and 16/3 without vectors), at the peak of the vector units, or the bytes in and out
// at the peak of the memory, whichever takes longer.
double roofline (bool complex, bool wide, int64_t n, bool vectors)
{
  double cube = (double)n * n * n, square = (double)n * n;
  double flops =
      cube * (vectors ? (complex ? 44.0 / 3 : 14.0 / 3) : (complex ? 16.0 / 3 : 4.0 / 3));
  double bytes = square * (wide ? 8 : 4) * (complex ? 2 : 1) * (vectors ? 2 : 1);
  double clock = attribute (cudaDevAttrClockRate) * 1e3;
  double peak = attribute (cudaDevAttrMultiProcessorCount) * clock * (wide ? 64 : 128) * 2;
  double memory = attribute (cudaDevAttrMemoryClockRate) * 1e3 * 2 *
                  attribute (cudaDevAttrGlobalMemoryBusWidth) / 8;
  return 1e6 * std::max (flops / peak, bytes / memory);
}

//------------------------------------------------------------------------------
// one line of the table
//------------------------------------------------------------------------------

void header ()
{
  printf (
      "set\ttype\tn\tpages\tvectors\tqr\tjacobi\tauto\txsyev\tsyevj\tpeer\tpeer/qr\tpeer/jacobi\t"
      "peer/auto\tresidual\torthogonality\tpeer_residual\tpeer_orthogonality\troofline/"
      "auto\tnote\n");
}

// The smaller time; NaN means no time.
double faster (double a, double b)
{
  return std::isnan (a) || b < a ? b : a;
}

// The worse error of those that were checked.
double worse_known (double a, double b)
{
  return std::isnan (a) ? b : std::isnan (b) ? a : std::max (a, b);
}

template <class T> void cell (bench &b, const char *set, int64_t n, int64_t pages, bool vectors)
{
  if (since (b.born) > b.set.deadline) {
    b.cut_short = true;
    return;
  }
  fprintf (stderr, "%6.1f s  %s %c n = %lld\n", since (b.born), set, scalar<T>::letter,
           (long long)n);
  batch<T> m (n, pages, vectors);
  outcome o[5]; // of "jacobi" only with eigenvectors
  const char *names[5] = {"qr", "jacobi", "auto", "xsyev", "syevj"};
  if (!m.allocate ()) {
    o[0].note = "no memory for the batch";
  } else {
    o[0] = ours (b, m, GLA_EIG_METHOD_QR);
    if (vectors)
      o[1] = ours_jacobi (b, m);
    o[2] = ours (b, m, GLA_EIG_METHOD_AUTO);
    o[3] = xsyev_batched (b, m);
    if (n <= 32)
      o[4] = syevj_batched (b, m);
  }

  double us[5], peer;
  std::string notes;
  for (int k = 0; k < 5; k++) {
    us[k] = o[k].seconds / pages * 1e6;
    if (!o[k].note.empty ())
      notes += (notes.empty () ? "" : "; ") + std::string (names[k]) + ": " + o[k].note;
  }
  peer = faster (us[3], us[4]);
  ratios mine = o[0].error, other = o[3].error;
  for (int k = 1; k < 3; k++)
    mine = {worse_known (mine.residual, o[k].error.residual),
            worse_known (mine.orthogonality, o[k].error.orthogonality)};
  other = {worse_known (other.residual, o[4].error.residual),
           worse_known (other.orthogonality, o[4].error.orthogonality)};
  printf ("%s\t%c\t%lld\t%lld\t%d\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%.3g\t%.3g\t%.3g\t%.3g\t"
          "%.3g\t%.3g\t%.3g\t%.3g\t%s\n",
          set, scalar<T>::letter, (long long)n, (long long)pages, vectors, us[0], us[1], us[2],
          us[3], us[4], peer, peer / us[0], peer / us[1], peer / us[2], mine.residual,
          mine.orthogonality, other.residual, other.orthogonality,
          roofline (scalar<T>::complex, sizeof (typename scalar<T>::real) == 8, n, vectors) / us[2],
          notes.c_str ());
  fflush (stdout);
  cudaError_t failed = cudaDeviceSynchronize ();
  if (failed != cudaSuccess) {
    printf ("# ended: %s\n", cudaGetErrorString (failed));
    exit (2);
  }
}

void cell_of_type (bench &b, const char *set, char type, int64_t n, int64_t pages, bool vectors)
{
  const std::vector<int64_t> &sizes = b.set.sizes;
  if (b.set.types.find (type) == std::string::npos || b.set.sets.find (set) == std::string::npos ||
      (!sizes.empty () && std::find (sizes.begin (), sizes.end (), n) == sizes.end ()))
    return;
  if (type == 's')
    cell<float> (b, set, n, pages, vectors);
  else if (type == 'd')
    cell<double> (b, set, n, pages, vectors);
  else if (type == 'c')
    cell<cuFloatComplex> (b, set, n, pages, vectors);
  else
    cell<cuDoubleComplex> (b, set, n, pages, vectors);
}

//------------------------------------------------------------------------------
// all cells
//------------------------------------------------------------------------------

struct size {
  int64_t n, pages;
};

void all_cells (bench &b)
{
  const size small[] = {{4, 1000}, {8, 1000},  {16, 1000}, {32, 1000},
                        {64, 180}, {128, 180}, {256, 180}, {512, 180}};
  const size values[] = {{8, 60000},  {16, 60000}, {32, 40000}, {33, 20000},
                         {40, 16000}, {48, 16000}, {64, 8000},  {80, 6000},
                         {96, 4000},  {128, 2640}, {192, 1056}, {256, 528},
                         {384, 264},  {512, 132},  {768, 66},   {1024, 32}};
  const size grid[] = {{2, 60000},  {3, 60000},  {4, 60000},  {6, 60000},  {8, 60000},  {12, 60000},
                       {16, 60000}, {20, 40000}, {24, 40000}, {32, 40000}, {33, 20000}, {40, 16000},
                       {48, 16000}, {64, 8000},  {80, 6000},  {96, 4000},  {100, 4000}, {128, 2640},
                       {160, 1320}, {176, 1320}, {192, 1056}, {256, 528},  {320, 264},  {352, 264},
                       {384, 264},  {448, 200},  {512, 132},  {640, 66},   {768, 66},   {1024, 32}};
  for (const size &s : small)
    for (char type : {'z', 'd'})
      cell_of_type (b, "small", type, s.n, s.pages, true);
  for (const size &s : values)
    for (char type : {'z', 'd', 'c', 's'})
      cell_of_type (b, "values", type, s.n, s.pages, false);
  for (const size &s : grid)
    for (char type : {'z', 'd', 'c', 's'})
      cell_of_type (b, "grid", type, s.n, s.pages, true);
}

void print_machine ()
{
  cudaDeviceProp gpu;
  cudaGetDeviceProperties (&gpu, 0);
  int cuda = 0, cusolver = 0;
  cudaRuntimeGetVersion (&cuda);
  cusolverGetVersion (&cusolver);
  char date[32], driver[256] = "unknown\n";
  time_t now = time (NULL);
  strftime (date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime (&now));
  FILE *f = fopen ("/proc/driver/nvidia/version", "r");
  if (f != NULL) {
    if (fgets (driver, sizeof driver, f) == NULL)
      driver[0] = '\n';
    fclose (f);
  }
  printf ("# %s; %d multiprocessors; CUDA %d.%d; cuSOLVER %d; gpulinalg %s; %s\n", gpu.name,
          gpu.multiProcessorCount, cuda / 1000, cuda % 1000 / 10, cusolver, gla_version (), date);
  printf ("# driver: %s", driver);
  printf ("# microseconds per page, everything on the GPU; peer: the faster of cuSOLVER's "
          "XsyevBatched and syevjBatched\n");
}

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

bool parse (int argc, char **argv, settings &set)
{
  for (int k = 1; k < argc; k++) {
    std::string name = argv[k];
    if (name == "--quick") {
      set.quick = true;
      continue;
    }
    if (++k >= argc)
      return false;
    if (name == "--types")
      set.types = argv[k];
    else if (name == "--sets")
      set.sets = argv[k];
    else if (name == "--limit")
      set.limit = atof (argv[k]);
    else if (name == "--deadline")
      set.deadline = atof (argv[k]);
    else if (name == "--sizes")
      for (char *p = argv[k], *end; *p != '\0'; p = end + (*end == ',')) {
        set.sizes.push_back (strtoll (p, &end, 10));
        if (end == p)
          return false;
      }
    else
      return false;
  }
  if (set.quick && set.sizes.empty ())
    set.sizes = {4, 8, 16, 32, 64, 128, 256, 512};
  return set.limit > 0 && set.deadline > 0;
}

} // namespace

int main (int argc, char **argv)
{
  bench b;
  b.born = std::chrono::steady_clock::now ();
  if (!parse (argc, argv, b.set)) {
    fprintf (stderr,
             "usage: %s [--quick] [--types zdcs] [--sizes 8,16] [--sets grid,small,values] "
             "[--limit seconds] [--deadline seconds]\n",
             argv[0]);
    return 2;
  }
  if (gla_context_create (&b.ctx) != GLA_OK || gla_device_count (b.ctx) == 0) {
    fprintf (stderr, "no GPU: %s\n", b.ctx != NULL ? gla_backend_note (b.ctx) : "no memory");
    return 2;
  }
  gla_set_stop (b.ctx, over_limit, &b);
  if (cudaEventCreate (&b.start) != cudaSuccess || cudaEventCreate (&b.stop) != cudaSuccess ||
      cusolverDnCreate (&b.cusolver) != CUSOLVER_STATUS_SUCCESS) {
    fprintf (stderr, "cuSOLVER does not start\n");
    return 2;
  }
  print_machine ();
  header ();
  all_cells (b);
  if (b.cut_short)
    printf ("# the deadline of %g s cut the table short\n", b.set.deadline);
  printf ("# %.0f s in all\n", since (b.born));
  gla_context_destroy (b.ctx);
  cusolverDnDestroy (b.cusolver);
  return b.wrong ? 1 : 0;
}
