// bench_svd.cu: compares gla_batchsvd with cuSOLVER on one GPU, in one run
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_svd [--quick] [--no-gesvdj] [K [L]]  only pages whose smaller side is at least K,
// and at most L; without the loop over gesvdj, which takes minutes and has not been the best peer.
//        bench_svd --shapes  pages of k columns with k to 16*k rows, ours alone; the last two
// columns say how many rows a larger page has that takes less than 1/1.05 of the time.
// Prints a table (TSV): microseconds per page, arrays on the GPU, random pages, new before each
// call; the median of whole calls. Peers: gesvdjBatched to 32 by 32; gesvdaStridedBatched and one
// call of gesvdj after the other for larger and tall pages, to 512 columns; one call of Xgesvdp
// after the other from 512 columns on. A result of gla_batchsvd with a residual or orthogonality
// ratio above 30 ends with status 1.

#include "gpulinalg.h"
#include "svd_peers.cuh"

#include <climits>
#include <cstring>
#include <ctime>

static bool wrong, with_gesvdj = true;

//------------------------------------------------------------------------------
// our calls
//------------------------------------------------------------------------------

template <class T> static gla_array on_gpu (T *data, int rows, int columns, int64_t pages)
{
  return gla_array_packed (data, (gla_type)scalar<T>::letter, rows, columns, pages, 0);
}

template <class T> static double ours (gla_context *ctx, svd_batch<T> &b, bool vectors)
{
  const gla_array A = on_gpu (b.A, b.m, b.n, b.pages);
  gla_svd_results r = {sizeof r};
  r.S = on_gpu (b.S, b.k, 1, b.pages);
  if (vectors) {
    r.U = on_gpu (b.U, b.m, b.k, b.pages);
    r.V = on_gpu (b.V, b.n, b.k, b.pages);
  }
  auto call = [&] { must (gla_batchsvd (ctx, &A, &r, NULL, NULL), gla_message (ctx)); };
  return 1e3 / (double)b.pages * measure ([&] { b.prepare (); }, call);
}

// gla_batcheig with vectors, of the same order; NaN for pages that are not square.
template <class T> static double batcheig (gla_context *ctx, svd_batch<T> &b)
{
  if (b.m != b.n)
    return NAN;
  const gla_array A = on_gpu (b.A, b.n, b.n, b.pages);
  gla_eig_results r = {sizeof r};
  r.lambda = on_gpu (b.S, b.n, 1, b.pages);
  r.V = on_gpu (b.V, b.n, b.n, b.pages);
  gla_eig_options o = {sizeof o, GLA_EIG_METHOD_AUTO, GLA_TRIANGLE_LOWER};
  auto call = [&] { must (gla_batcheig (ctx, &A, &r, &o, NULL), gla_message (ctx)); };
  return 1e3 / (double)b.pages * measure ([&] { b.prepare (); }, call);
}

//------------------------------------------------------------------------------
// the table
//------------------------------------------------------------------------------

template <class T>
static void row (gla_context *ctx, cusolverDnHandle_t h, int m, int n, int64_t pages)
{
  svd_batch<T> b (m, n, pages);
  const double vectors = ours (ctx, b, true), error = error_of (b), values = ours (ctx, b, false);
  const bool small = m <= 32 && n <= 32, tall = m > 32 && n <= 512, large = n >= 512;
  const double jacobi = small ? gesvdj_batched (h, b) : NAN,
               approximate = tall ? gesvda (h, b) : NAN;
  const double loop = tall && !large && with_gesvdj ? gesvdj_loop (h, b) : NAN;
  const double eig = batcheig (ctx, b);
  const double polar = large && m == n ? gesvdp_loop (h, b) : NAN;
  const double best = std::fmin (std::fmin (jacobi, approximate), std::fmin (loop, polar));
  wrong |= !(error <= 30);
  printf ("%c\t%d\t%d\t%lld\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%.3g\t%.3g\t%.4g\t%.3g\t%.3g\n",
          scalar<T>::letter, m, n, (long long)pages, vectors, values, jacobi, approximate, loop,
          polar, best / vectors, values / vectors, eig, vectors / eig, error);
  fflush (stdout);
}

//------------------------------------------------------------------------------
// shapes
//------------------------------------------------------------------------------

struct timed {
  int rows;
  double vectors, values;
};

template <class T> static timed time_of (gla_context *ctx, int m, int n)
{
  const double fit = 4e8 / (sizeof (T) * (double)m * n);
  svd_batch<T> b (m, n, (int64_t)std::min (100000., std::max (16., fit)));
  const double vectors = ours (ctx, b, true);
  wrong |= !(error_of (b) <= 30);
  return {m, vectors, ours (ctx, b, false)};
}

// The rows of a larger page that is faster by more than 5 %; 0: none.
static int faster_one (const std::vector<timed> &all, std::size_t j, double timed::*time)
{
  for (std::size_t i = j + 1; i < all.size (); i++)
    if (all[j].*time > 1.05 * all[i].*time)
      return all[i].rows;
  return 0;
}

template <class T> static void shapes_of (gla_context *ctx, int k)
{
  std::vector<timed> all;
  for (double factor : {1., 1.25, 1.5, 2., 3., 4., 6., 8., 16.}) {
    const int m = (int)std::ceil (factor * k);
    if (all.empty () || m > all.back ().rows)
      all.push_back (time_of<T> (ctx, m, k));
  }
  for (std::size_t j = 0; j < all.size (); j++) {
    const int by_vectors = faster_one (all, j, &timed::vectors),
              by_values = faster_one (all, j, &timed::values);
    printf ("%c\t%d\t%d\t%.4g\t%.4g\t%d\t%d\n", scalar<T>::letter, all[j].rows, k, all[j].vectors,
            all[j].values, by_vectors, by_values);
  }
  fflush (stdout);
}

static void all_shapes (gla_context *ctx)
{
  printf ("type\trows\tcolumns\tvectors\tvalues\tfaster_vectors\tfaster_values\n");
  for (int k : {1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 256}) {
    shapes_of<double> (ctx, k);
    shapes_of<cuDoubleComplex> (ctx, k);
    shapes_of<float> (ctx, k);
    shapes_of<cuFloatComplex> (ctx, k);
  }
}

static void print_machine ()
{
  cudaDeviceProp gpu;
  must (cudaGetDeviceProperties (&gpu, 0), "cudaGetDeviceProperties");
  int cuda = 0, cusolver = 0;
  cudaRuntimeGetVersion (&cuda);
  cusolverGetVersion (&cusolver);
  char date[32];
  time_t now = time (NULL);
  strftime (date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime (&now));
  printf ("# %s; CUDA %d.%d; cuSOLVER %d; gpulinalg %s; %s\n", gpu.name, cuda / 1000,
          cuda % 1000 / 10, cusolver, gla_version (), date);
  printf ("# microseconds per page, everything on the GPU: bench_svd; peer: gesvdjBatched, or the "
          "fastest of gesvdaStridedBatched%s and Xgesvdp\n",
          with_gesvdj ? ", gesvdj" : "");
  printf (
      "type\tm\tn\tpages\tvectors\tvalues\tgesvdj_batched\tgesvda\tgesvdj\tgesvdp\tpeer/vectors\t"
      "values/vectors\tbatcheig\tvectors/batcheig\terror\n");
}

struct shape {
  int m, n;
  int64_t pages;
  bool in_quick;
};

int main (int argc, char **argv)
{
  const shape shapes[] = {{2, 2, 60000, false},   {3, 3, 60000, true},     {4, 4, 60000, false},
                          {6, 6, 60000, false},   {8, 8, 60000, true},     {12, 12, 20000, false},
                          {16, 16, 20000, true},  {20, 20, 20000, false},  {24, 24, 20000, false},
                          {32, 32, 20000, true},  {32, 8, 20000, false},   {60, 8, 20000, true},
                          {125, 32, 8000, false}, {1000, 32, 1000, false}, {48, 48, 4000, false},
                          {64, 64, 2000, true},   {125, 64, 1000, true},   {96, 96, 1000, false},
                          {128, 128, 1000, true}, {192, 192, 500, false},  {256, 256, 256, true},
                          {900, 100, 300, true},  {384, 384, 128, true},   {512, 512, 128, true},
                          {1024, 1024, 16, true}, {2048, 2048, 1, true},   {4096, 4096, 1, false}};
  const char *const program = argv[0];
  const auto option = [&] (const char *name) {
    const bool given = argc > 1 && strcmp (argv[1], name) == 0;
    argc -= given;
    argv += given;
    return given;
  };
  const bool only_shapes = option ("--shapes"), quick = option ("--quick");
  with_gesvdj = !option ("--no-gesvdj");
  const int least = argc > 1 ? atoi (argv[1]) : 1, most = argc > 2 ? atoi (argv[2]) : INT_MAX;
  if (least < 1) {
    fprintf (stderr, "usage: %s [--quick] [--no-gesvdj] [K [L]]\n", program);
    return 2;
  }
  gla_context *ctx;
  cusolverDnHandle_t h;
  const int device = 0;
  must (gla_context_create (&ctx), "gla_context_create");
  must (gla_set_place (ctx, GLA_PLACE_LIST, &device, 1), "gla_set_place");
  if (only_shapes) {
    all_shapes (ctx);
    gla_context_destroy (ctx);
    return wrong;
  }
  must (cusolverDnCreate (&h), "cusolverDnCreate");
  print_machine ();
  for (const shape &s : shapes) {
    const int side = std::min (s.m, s.n);
    if ((quick && !s.in_quick) || side < least || side > most)
      continue;
    row<double> (ctx, h, s.m, s.n, s.pages);
    row<cuDoubleComplex> (ctx, h, s.m, s.n, s.pages);
    if (quick)
      continue;
    row<float> (ctx, h, s.m, s.n, s.pages);
    row<cuFloatComplex> (ctx, h, s.m, s.n, s.pages);
  }
  gla_context_destroy (ctx);
  cusolverDnDestroy (h);
  return wrong;
}
