// tune_routes.cu: measures the table of kernels/eig/eig_routes.h on this machine and prints it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: tune_routes [--types zdcs] [--sizes 512,1024]. For each type and n every possible row is
// timed on the same batch, all arrays on the GPU, with vectors and then without. The times are
// printed as comments above the table. Rows with wrong results do not count. The printed rows can
// replace those in eig_routes.h, if all sizes were measured.

#include "common/measure.cuh"
#include "backend.h"
#include "eig/eig_routes.h"
#include "eig/job.h"

#include <cstdio>

namespace
{

struct size {
  int64_t n, pages;
};

const size sizes[] = {{8, 60000},  {16, 60000}, {20, 40000}, {28, 40000}, {32, 40000},
                      {33, 20000}, {40, 16000}, {48, 16000}, {56, 8000},  {64, 8000},
                      {68, 6000},  {72, 6000},  {80, 6000},  {88, 4000},  {96, 4000},
                      {112, 4000}, {128, 2640}, {192, 1056}, {256, 528},  {384, 264},
                      {512, 132},  {768, 66},   {1024, 32},  {1536, 12},  {2048, 12}};

int never_stop (void *, int64_t)
{
  return 0;
}

gla_array pages_of (gla_array all, int64_t first, int64_t count)
{
  if (all.data != NULL)
    all.data = static_cast<char *> (all.data) +
               first * all.page_stride * (int64_t)gla_type_size (all.type);
  all.pages = count;
  return all;
}

// Computes the pages by the backend's functions as gla_batcheig does: with a chunk in every slot.
gla_status run_pages (gla_engine *gpu, const gla_eig_job &job, const gla_eig_chunk &all)
{
  const gla_batch_ops *eig = gpu->backend->batch[GLA_BATCH_EIG];
  const int slots = gpu->backend->slots;
  const int64_t pages = all.A.pages, each = eig->chunk_pages (gpu, &job.head, pages);
  const int64_t chunks = (pages + each - 1) / each;
  std::vector<gla_eig_chunk> ring (slots, all);
  gla_status status = eig->begin (gpu, &job.head, each);
  for (int64_t k = 0; k < chunks + slots && status == GLA_OK; k++) {
    if (k >= slots)
      status = k - slots < chunks ? eig->finish (gpu, (int)(k % slots)) : GLA_OK;
    if (k >= chunks || status != GLA_OK)
      continue;
    const int64_t first = k * each, count = pages - first < each ? pages - first : each;
    gla_eig_chunk &chunk = ring[k % slots];
    for (int x = 0; x < 3; x++)
      chunk.arrays[x] = pages_of (all.arrays[x], first, count);
    chunk.info = all.info + first;
    chunk.skew = all.skew + first;
    status = eig->submit (gpu, (int)(k % slots), &chunk);
  }
  eig->end (gpu);
  return status;
}

template <class T> std::string call (gla_engine *gpu, batch<T> &m, const gla_eig_route &row)
{
  gla_type type = (gla_type)scalar<T>::letter;
  std::vector<int32_t> info (m.pages);
  std::vector<double> skew (m.pages);
  gla_eig_chunk all = {};
  all.A = gla_array_packed (m.A, type, m.n, m.n, m.pages, 0);
  all.V = gla_array_packed (m.vectors ? m.V : NULL, type, m.n, m.n, m.pages, 0);
  all.lambda = gla_array_packed (m.lambda, gla_type_real (type), m.n, 1, m.pages, 0);
  all.info = info.data ();
  all.skew = skew.data ();
  gla_eig_job job = {};
  job.head.type = type;
  job.head.device_arrays = 1;
  job.head.monitor.poll = never_stop;
  job.n = m.n;
  job.vectors = m.vectors;
  job.method = GLA_EIG_METHOD_QR;
  job.triangle = GLA_TRIANGLE_LOWER;
  job.tol = gla_type_eps (type);
  job.maxit = 30;
  job.route = &row;
  gla_status status = run_pages (gpu, job, all);
  return status == GLA_OK ? "" : gla_status_text (status);
}

// Seconds of one row; NaN if it fails or is wrong.
template <class T> double time_of (bench &b, gla_engine *gpu, batch<T> &m, const gla_eig_route &row)
{
  outcome out = measure (
      b, [&] { m.prepare (m.A, b.seed); }, [&] { return call (gpu, m, row); });
  if (out.note.empty ())
    judge (m, out, 30);
  return out.seconds;
}

const char *const names[] = {"EIG_STAGES", "EIG_WHOLE", "EIG_WARP", "EIG_BAND", "EIG_LARGE"};

template <class T> bool serves (const gla_eig_route &row, int64_t n)
{
  int largest_warp = scalar<T>::letter == 'z' ? 96 : 128;
  if (row.way == EIG_LARGE)
    return n >= 512;
  return n <= (row.way == EIG_WHOLE ? 32 : row.way == EIG_WARP ? largest_warp : 2048);
}

bool same_way (const gla_eig_route &a, const gla_eig_route &b)
{
  return a.way == b.way && a.strip == b.strip;
}

// The fastest of `rows` for each n; equal neighbours are joined.
template <class T>
void tune_rows (bench &b, gla_engine *gpu, bool vectors, const std::vector<gla_eig_route> &rows)
{
  std::vector<gla_eig_route> table;
  for (const size &s : sizes) {
    const std::vector<int64_t> &asked = b.set.sizes;
    if (!asked.empty () && std::find (asked.begin (), asked.end (), s.n) == asked.end ())
      continue;
    batch<T> m (s.n, s.pages, vectors);
    if (!m.allocate ())
      continue;
    gla_eig_route best = rows[0];
    double best_time = NAN;
    printf ("// %c %5lld:", scalar<T>::letter, (long long)s.n);
    for (const gla_eig_route &row : rows) {
      if (!serves<T> (row, s.n))
        continue;
      double seconds = time_of (b, gpu, m, row);
      printf ("  {%s, %d} %.4g", names[row.way], row.strip, seconds / s.pages * 1e6);
      if (!(seconds >= best_time)) {
        best_time = seconds;
        best = row;
      }
    }
    printf (" us\n");
    fflush (stdout);
    best.n_to = (int)s.n;
    if (!table.empty () && same_way (table.back (), best))
      table.back () = best;
    else
      table.push_back (best);
  }
  printf ("%c, %s eigenvectors: ", scalar<T>::letter, vectors ? "with" : "without");
  for (size_t k = 0; k < table.size (); k++)
    printf ("{%d, %s, %d}, ", k + 1 < table.size () ? table[k].n_to : 2048, names[table[k].way],
            table[k].strip);
  printf ("{%d, EIG_LARGE, 0}\n", 32768);
}

template <class T> void tune (bench &b, gla_engine *gpu)
{
  tune_rows<T> (b, gpu, true,
                {{2048, EIG_STAGES, 0},
                 {2048, EIG_WHOLE, 0},
                 {2048, EIG_WARP, 0},
                 {2048, EIG_STAGES, 8},
                 {2048, EIG_STAGES, 16},
                 {2048, EIG_STAGES, 32},
                 {2048, EIG_BAND, 8},
                 {2048, EIG_BAND, 16},
                 {2048, EIG_BAND, 32},
                 {2048, EIG_LARGE, 0}});
  tune_rows<T> (b, gpu, false,
                {{2048, EIG_STAGES, 0},
                 {2048, EIG_WHOLE, 0},
                 {2048, EIG_WARP, 0},
                 {2048, EIG_BAND, 0},
                 {2048, EIG_LARGE, 0}});
}

bool parse (int argc, char **argv, settings &set)
{
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string name = argv[k];
    if (name == "--types")
      set.types = argv[k + 1];
    else if (name == "--sizes")
      for (char *p = argv[k + 1], *end; *p != '\0'; p = end + (*end == ','))
        set.sizes.push_back (strtoll (p, &end, 10));
    else
      return false;
  }
  return argc % 2 == 1;
}

} // namespace

int main (int argc, char **argv)
{
  bench b;
  if (!parse (argc, argv, b.set)) {
    fprintf (stderr, "usage: %s [--types zdcs] [--sizes 512,1024]\n", argv[0]);
    return 2;
  }
  b.born = std::chrono::steady_clock::now ();
  if (gla_context_create (&b.ctx) != GLA_OK || gla_device_count (b.ctx) == 0) {
    fprintf (stderr, "no GPU: %s\n", b.ctx != NULL ? gla_backend_note (b.ctx) : "no memory");
    return 2;
  }
  if (cudaEventCreate (&b.start) != cudaSuccess || cudaEventCreate (&b.stop) != cudaSuccess)
    return 2;
  gla_engine *gpu = NULL;
  if (gla_backend_cuda.open (0, &gpu) != GLA_OK)
    return 2;
  for (char type : b.set.types)
    if (type == 'z')
      tune<cuDoubleComplex> (b, gpu);
    else if (type == 'd')
      tune<double> (b, gpu);
    else if (type == 'c')
      tune<cuFloatComplex> (b, gpu);
    else
      tune<float> (b, gpu);
  printf ("// %.0f s in all\n", since (b.born));
  gla_backend_cuda.close (gpu);
  gla_context_destroy (b.ctx);
  return 0;
}
