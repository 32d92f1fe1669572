// bench_part.cu: what some of the eigenvectors of pages take on a GPU, beside all of them
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_part [--types zdcs] [--sizes 64,128,...] [--pages at most] [--deadline seconds for
// all] Prints a table (TSV) to stdout; with 4096 where that is asked for. All arrays are on the
// GPU; every call gets new random Hermitian input. For every type and n one batch is solved in turn
// for all eigenvalues, all eigenvectors, the largest n/10, the largest one and those in an interval
// that holds n/10 in the mean, with room for n, with eigenvectors; a time is the median of 5 or 11
// calls behind one that does not count. The eigenvalues of a part are compared with those of all,
// and its vectors must be orthogonal: the worst ratio, as a multiple of n*eps; above 30 the exit
// status is 1. So it is where an interval has other counts than those of all eigenvalues, but for
// those at its end.

#include "common/check_batch.cuh"
#include "gpulinalg.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <chrono>
#include <string>

namespace
{

enum { VALUES, ALL, TENTH, ONE, INTERVAL, KINDS };

struct settings {
  std::string types = "zdcs";
  std::vector<int64_t> sizes;
  int64_t pages = 60000;
  double deadline = 285;
};

gla_context *ctx;
bool wrong;
double interval_from; // to Inf
std::vector<int64_t> counts;

// Milliseconds of one call of this kind; NaN where it fails.
template <class T> double call (batch<T> &m, int kind, int64_t k)
{
  const gla_type type = (gla_type)scalar<T>::letter;
  const gla_array A = gla_array_packed (m.A, type, m.n, m.n, m.pages, 0);
  gla_eig_results r = {sizeof r};
  r.lambda = gla_array_packed (m.lambda, gla_type_real (type), k, 1, m.pages, 0);
  if (kind != VALUES)
    r.V = gla_array_packed (m.V, type, m.n, k, m.pages, 0);
  gla_eig_options o = {sizeof o, GLA_EIG_METHOD_QR, GLA_TRIANGLE_LOWER};
  if (kind == INTERVAL) {
    o.range = GLA_EIG_INTERVAL;
    o.vl = interval_from;
    o.vu = INFINITY;
    r.count = counts.data ();
  } else if (k < m.n) {
    o.range = GLA_EIG_INDICES;
    o.il = m.n - k + 1;
    o.iu = m.n;
  }
  cudaDeviceSynchronize ();
  const auto start = std::chrono::steady_clock::now ();
  if (gla_batcheig (ctx, &A, &r, &o, NULL) != GLA_OK) {
    fprintf (stderr, "%s\n", gla_message (ctx));
    return NAN;
  }
  cudaDeviceSynchronize ();
  return 1e3 * std::chrono::duration<double> (std::chrono::steady_clock::now () - start).count ();
}

int64_t columns_of (int kind, int64_t n)
{
  return kind == TENTH ? (n + 9) / 10 : kind == ONE ? 1 : n;
}

template <class T> double median (batch<T> &m, int kind)
{
  std::vector<double> ms;
  size_t calls = 6;
  for (size_t c = 0; c < calls; c++) {
    m.prepare (m.A, c);
    const double here = call (m, kind, columns_of (kind, m.n));
    if (std::isnan (here))
      return NAN;
    if (c > 0)
      ms.push_back (here);
    else
      calls = here > 20 ? 6 : 12;
  }
  std::sort (ms.begin (), ms.end ());
  return ms[ms.size () / 2];
}

// Column j of a part against the k columns, of which the page has `count`: |A v - lambda v| / |A|,
// |V'v - e|. A block to a column.
template <class T>
__global__ void part_kernel (const T *A, const T *V, const typename scalar<T>::real *lambda,
                             int64_t n, int64_t ld, const int64_t *count, double *worst)
{
  const int64_t page = blockIdx.x / ld, j = blockIdx.x % ld, k = count != NULL ? count[page] : ld;
  const T *a = A + page * n * n, *v = V + page * n * ld;
  if (j >= k)
    return;
  __shared__ double sums[2];
  if (threadIdx.x < 2)
    sums[threadIdx.x] = 0;
  __syncthreads ();
  double residual = 0, square = 0, most = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    const double2 x = wide (v[i + j * n]);
    const double l = lambda[page * ld + j];
    double re = -l * x.x, im = -l * x.y;
    for (int64_t q = 0; q < n; q++) {
      const double2 y = wide (a[i + q * n]), z = wide (v[q + j * n]);
      re += y.x * z.x - y.y * z.y;
      im += y.x * z.y + y.y * z.x;
      square += y.x * y.x + y.y * y.y;
    }
    residual += re * re + im * im;
  }
  for (int64_t i = threadIdx.x; i < k; i += blockDim.x) {
    double re = i == j ? -1 : 0, im = 0;
    for (int64_t q = 0; q < n; q++) {
      const double2 y = wide (v[q + i * n]), z = wide (v[q + j * n]);
      re += y.x * z.x + y.y * z.y;
      im += y.x * z.y - y.y * z.x;
    }
    most = isnan (re) ? re : fmax (most, hypot (re, im));
  }
  atomicAdd (&sums[0], residual);
  atomicAdd (&sums[1], square);
  __syncthreads ();
  most = isnan (most) ? most : fmax (most, sqrt (sums[0] / sums[1]));
  if (isnan (most) || isnan (sums[0]))
    most = INFINITY;
  atomicMax ((unsigned long long *)worst, (unsigned long long)__double_as_longlong (most));
}

// The largest n/10 of a new batch: the ratio of the part, and its eigenvalues against all of them.
template <class T> double ratio_of_part (batch<T> &m)
{
  typedef typename scalar<T>::real R;
  const int64_t n = m.n, k = columns_of (TENTH, n), looked = std::min<int64_t> (m.pages, 16);
  std::vector<R> part (k * looked), all (n * looked);
  double *worst, found = NAN, off = 0, size = 0;
  m.prepare (m.A, 99);
  if (cudaMalloc (&worst, sizeof *worst) != cudaSuccess || std::isnan (call (m, TENTH, k)))
    return NAN;
  cudaMemset (worst, 0, sizeof *worst);
  part_kernel<<<(unsigned)(looked * k), 128>>> (m.A, m.V, m.lambda, n, k, NULL, worst);
  cudaMemcpy (&found, worst, sizeof found, cudaMemcpyDeviceToHost);
  cudaMemcpy (part.data (), m.lambda, part.size () * sizeof (R), cudaMemcpyDeviceToHost);
  if (std::isnan (call (m, ALL, n)))
    return NAN;
  cudaMemcpy (all.data (), m.lambda, all.size () * sizeof (R), cudaMemcpyDeviceToHost);
  for (int64_t p = 0; p < looked; p++)
    for (int64_t j = 0; j < k; j++) {
      off = std::max (off, (double)std::abs (part[p * k + j] - all[p * n + n - k + j]));
      size = std::max (size, (double)std::abs (all[p * n + n - 1]));
    }
  cudaFree (worst);
  return std::max (found, off / size) / (n * (double)std::numeric_limits<R>::epsilon ());
}

// Where an interval begins that holds n/10 eigenvalues of a page in the mean.
template <class T> double mean_end (batch<T> &m)
{
  typedef typename scalar<T>::real R;
  const int64_t n = m.n, k = columns_of (TENTH, n), looked = std::min<int64_t> (m.pages, 100);
  std::vector<R> all (n * looked);
  double sum = 0;
  m.prepare (m.A, 98);
  if (std::isnan (call (m, VALUES, n)))
    return NAN;
  cudaMemcpy (all.data (), m.lambda, all.size () * sizeof (R), cudaMemcpyDeviceToHost);
  for (int64_t p = 0; p < looked; p++)
    sum += 0.5 * ((double)all[p * n + n - k] + (double)all[p * n + n - k - 1]);
  return sum / (double)looked;
}

// The same ratio of the vectors in the interval; NaN where counts are wrong.
template <class T> double ratio_of_interval (batch<T> &m)
{
  typedef typename scalar<T>::real R;
  const int64_t n = m.n, looked = std::min<int64_t> (m.pages, 16);
  const double eps = (double)n * (double)std::numeric_limits<R>::epsilon ();
  std::vector<R> all (n * looked);
  double *worst, found = NAN;
  int64_t *device;
  m.prepare (m.A, 99);
  if (cudaMalloc (&worst, sizeof *worst + looked * sizeof *device) != cudaSuccess ||
      std::isnan (call (m, INTERVAL, n)))
    return NAN;
  device = (int64_t *)(worst + 1);
  cudaMemset (worst, 0, sizeof *worst);
  cudaMemcpy (device, counts.data (), looked * sizeof *device, cudaMemcpyHostToDevice);
  part_kernel<<<(unsigned)(looked * n), 128>>> (m.A, m.V, m.lambda, n, n, device, worst);
  cudaMemcpy (&found, worst, sizeof found, cudaMemcpyDeviceToHost);
  cudaFree (worst);
  if (std::isnan (call (m, VALUES, n)))
    return NAN;
  cudaMemcpy (all.data (), m.lambda, all.size () * sizeof (R), cudaMemcpyDeviceToHost);
  for (int64_t p = 0; p < looked; p++) {
    const double room = 30 * eps * (double)all[p * n + n - 1];
    int64_t least = 0, most = 0;
    for (int64_t j = 0; j < n; j++) {
      least += (double)all[p * n + j] > interval_from + room;
      most += (double)all[p * n + j] > interval_from - room;
    }
    if (counts[p] < least || counts[p] > most)
      return NAN;
  }
  return found / eps;
}

template <class T> void row (int64_t n, int64_t pages)
{
  batch<T> m (n, pages, true);
  if (!m.allocate ()) {
    printf ("# no memory for %c %lld\n", scalar<T>::letter, (long long)n);
    return;
  }
  counts.assign (pages, 0);
  interval_from = mean_end (m);
  double us[KINDS];
  for (int kind = 0; kind < KINDS; kind++)
    us[kind] = 1e3 * median (m, kind) / (double)pages;
  const double ratio = worse (ratio_of_part (m), ratio_of_interval (m));
  wrong |= !(ratio <= 30);
  printf ("%c\t%lld\t%lld\t%.4g\t%.4g\t%.4g\t%.4g\t%.3f\t%.3f\t%.4g\t%.3f\t%.3g\n",
          scalar<T>::letter, (long long)n, (long long)pages, us[VALUES], us[ALL], us[TENTH],
          us[ONE], us[TENTH] / us[ALL], us[ONE] / us[VALUES], us[INTERVAL],
          us[INTERVAL] / us[TENTH], ratio);
  fflush (stdout);
}

bool parse (int argc, char **argv, settings &set)
{
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string name = argv[k];
    if (name == "--types")
      set.types = argv[k + 1];
    else if (name == "--pages")
      set.pages = atoll (argv[k + 1]);
    else if (name == "--deadline")
      set.deadline = atof (argv[k + 1]);
    else if (name == "--sizes")
      for (char *p = argv[k + 1], *end; *p != '\0'; p = end + (*end == ','))
        set.sizes.push_back (strtoll (p, &end, 10));
    else
      return false;
  }
  return argc % 2 == 1;
}

void all_rows (const settings &set, std::chrono::steady_clock::time_point born)
{
  const int64_t sizes[][2] = {{8, 60000},  {16, 60000}, {24, 50000}, {32, 40000}, {48, 16000},
                              {64, 8000},  {80, 6000},  {96, 4000},  {112, 3000}, {128, 2640},
                              {192, 1056}, {256, 528},  {384, 264},  {512, 132},  {768, 66},
                              {1024, 32},  {2048, 4},   {4096, 1}};
  for (const auto &s : sizes)
    for (char type : set.types) {
      const bool asked = std::find (set.sizes.begin (), set.sizes.end (), s[0]) != set.sizes.end ();
      if (!asked && (!set.sizes.empty () || s[0] > 2048))
        continue;
      const auto now = std::chrono::steady_clock::now ();
      if (std::chrono::duration<double> (now - born).count () > set.deadline) {
        printf ("# the deadline of %g s cut the table short\n", set.deadline);
        return;
      }
      const int64_t pages = std::min (s[1], set.pages);
      type == 's'   ? row<float> (s[0], pages)
      : type == 'd' ? row<double> (s[0], pages)
      : type == 'c' ? row<cuFloatComplex> (s[0], pages)
                    : row<cuDoubleComplex> (s[0], pages);
    }
}

} // namespace

int main (int argc, char **argv)
{
  const auto born = std::chrono::steady_clock::now ();
  settings set;
  if (!parse (argc, argv, set)) {
    fprintf (stderr, "usage: %s [--types zdcs] [--sizes 64,128] [--pages P] [--deadline seconds]\n",
             argv[0]);
    return 2;
  }
  if (gla_context_create (&ctx) != GLA_OK || gla_device_count (ctx) == 0) {
    fprintf (stderr, "no GPU: %s\n", ctx != NULL ? gla_backend_note (ctx) : "no memory");
    return 2;
  }
  gla_set_place (ctx, GLA_PLACE_GPU, NULL, 0);
  cudaDeviceProp gpu;
  cudaGetDeviceProperties (&gpu, 0);
  printf ("# %s; gpulinalg %s; microseconds a page, everything on the GPU\n", gpu.name,
          gla_version ());
  printf ("type\tn\tpages\tvalues\tvectors\tn/10\t1\tn/10:vectors\t1:values\tinterval\tinterval:n/"
          "10\tratio\n");
  all_rows (set, born);
  gla_context_destroy (ctx);
  return wrong ? 1 : 0;
}
