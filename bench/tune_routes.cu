// tune_routes.cu: measures the table of kernels/eig_routes.h on this machine and prints it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: tune_routes [--types zdcs]. For each type and n every row that could serve is tried on the
// same batch, all arrays on the GPU, with vectors and then without; the times stand in comments
// above the table.
// Rows with wrong results do not count. What it prints can replace the rows in eig_routes.h.

#include "measure.cuh"
#include "../kernels/eig_routes.h"

#include <cstdio>

namespace
{

struct size {
  int64_t n, pages;
};

const size sizes[] = {{8, 60000},  {16, 60000}, {20, 40000}, {28, 40000}, {32, 40000}, {33, 20000},
                      {40, 16000}, {48, 16000}, {56, 8000},  {64, 8000},  {68, 6000},  {72, 6000},
                      {80, 6000},  {88, 4000},  {96, 4000},  {112, 4000}, {128, 2640}, {192, 1056},
                      {256, 528},  {384, 264},  {512, 132},  {768, 66},   {1024, 32}};

template <class T> std::string call (bench &b, batch<T> &m)
{
  gla_type type = (gla_type)scalar<T>::letter;
  gla_array A = gla_array_packed (m.A, type, m.n, m.n, m.pages, 0);
  gla_array V = gla_array_packed (m.V, type, m.n, m.n, m.pages, 0);
  gla_array lambda = gla_array_packed (m.lambda, gla_type_real (type), m.n, 1, m.pages, 0);
  gla_eig_options options = {GLA_METHOD_QR, GLA_LOWER, 0, 0};
  gla_status status =
      gla_batcheig (b.ctx, &A, &lambda, m.vectors ? &V : NULL, NULL, &options, NULL);
  return status == GLA_OK ? "" : gla_message (b.ctx);
}

// Seconds of one row, NaN where it fails or is wrong.
template <class T> double time_of (bench &b, batch<T> &m, gla_eig_route row)
{
  gla_eig_route_override = row;
  outcome out = measure (
      b, [&] { m.prepare (m.A, b.seed); }, [&] { return call (b, m); });
  if (out.note.empty ())
    judge (m, out, 30);
  gla_eig_route_override.n_to = 0;
  return out.seconds;
}

const char *const names[] = {"EIG_STAGES", "EIG_WHOLE", "EIG_WARP", "EIG_BAND"};

template <class T> bool serves (const gla_eig_route &row, int64_t n)
{
  int largest_warp = scalar<T>::letter == 'z' ? 96 : 128;
  return n <= (row.way == EIG_WHOLE ? 32 : row.way == EIG_WARP ? largest_warp : 2048);
}

bool same_way (const gla_eig_route &a, const gla_eig_route &b)
{
  return a.way == b.way && a.strip == b.strip;
}

// The fastest of `rows` for each n, neighbours that are the same joined.
template <class T> void tune_rows (bench &b, bool vectors, const std::vector<gla_eig_route> &rows)
{
  std::vector<gla_eig_route> table;
  for (const size &s : sizes) {
    batch<T> m (s.n, s.pages, vectors);
    if (!m.allocate ())
      continue;
    gla_eig_route best = rows[0];
    double best_time = NAN;
    printf ("// %c %5lld:", scalar<T>::letter, (long long)s.n);
    for (const gla_eig_route &row : rows) {
      if (!serves<T> (row, s.n))
        continue;
      double seconds = time_of (b, m, row);
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
  printf ("\n");
}

template <class T> void tune (bench &b)
{
  tune_rows<T> (b, true,
                {{2048, EIG_STAGES, 0},
                 {2048, EIG_WHOLE, 0},
                 {2048, EIG_WARP, 0},
                 {2048, EIG_STAGES, 8},
                 {2048, EIG_STAGES, 16},
                 {2048, EIG_STAGES, 32}});
  tune_rows<T> (
      b, false,
      {{2048, EIG_STAGES, 0}, {2048, EIG_WHOLE, 0}, {2048, EIG_WARP, 0}, {2048, EIG_BAND, 0}});
}

} // namespace

int main (int argc, char **argv)
{
  bench b;
  std::string types = argc == 3 && std::string (argv[1]) == "--types" ? argv[2] : "zdcs";
  b.born = std::chrono::steady_clock::now ();
  if (gla_context_create (&b.ctx) != GLA_OK || gla_device_count (b.ctx) == 0) {
    fprintf (stderr, "no GPU: %s\n", b.ctx != NULL ? gla_backend_note (b.ctx) : "no memory");
    return 2;
  }
  if (cudaEventCreate (&b.start) != cudaSuccess || cudaEventCreate (&b.stop) != cudaSuccess)
    return 2;
  for (char type : types)
    if (type == 'z')
      tune<cuDoubleComplex> (b);
    else if (type == 'd')
      tune<double> (b);
    else if (type == 'c')
      tune<cuFloatComplex> (b);
    else
      tune<float> (b);
  printf ("// %.0f s in all\n", since (b.born));
  gla_context_destroy (b.ctx);
  return 0;
}
