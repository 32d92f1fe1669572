// qr_small.cu: which pages are small, and which kernel does them
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/cluster.cuh"
#include "common/work_limits.cuh"
#include "engine/qr_part.cuh"
#include "qr_small.cuh"

namespace
{

// Tiles of these sizes are compiled; numbers of 16 bytes have the second ones.
const qr_small_tiling TILES[] = {{12, 3, 0, 0}, {16, 2, 0, 0}, {16, 4, 0, 0}};
const qr_small_tiling WIDE_TILES[] = {{6, 3, 0, 0}, {8, 2, 0, 0}, {8, 4, 0, 0}};

// Larger pages are not looked at.
enum { ROWS_MOST = 512, COLUMNS_MOST = 64 };

// A column is within a warp; a block has so many threads with so many registers each.
enum { LANES_MOST = 32, THREADS_MOST = 256 };

int power_of_two_from (int a)
{
  int p = 1;
  while (p < a)
    p *= 2;
  return p;
}

qr_small_tiling with_lanes (qr_small_tiling t, int m, int n)
{
  t.row_lanes = power_of_two_from ((m + t.rows - 1) / t.rows);
  t.column_lanes = power_of_two_from ((n + t.columns - 1) / t.columns);
  return t;
}

int threads (const qr_small_tiling &t)
{
  return t.row_lanes * t.column_lanes;
}

int numbers (const qr_small_tiling &t)
{
  return t.rows * t.columns * threads (t);
}

bool is_wide (const gla_qr_job &job)
{
  return gla_type_size (job.head.type) == 16;
}

// What a block of tiles needs at least, which is little more than its page.
size_t shared_bytes (const gla_qr_job &job, const qr_small_tiling &t)
{
  size_t rows = (size_t)t.rows * t.row_lanes + 2, extra = (size_t)(4 * (job.m + job.n) + 64);
  return (rows * (size_t)job.n + extra) * gla_type_size (job.head.type);
}

} // namespace

bool qr_small_serves (const gla_qr_job &job)
{
  if (job.pivot || job.block != 0 || job.m > ROWS_MOST || job.n > COLUMNS_MOST)
    return false;
  int m = (int)job.m, n = (int)job.n;
  if (qr_small_thread_serves (m, n, is_wide (job)))
    return true;
  qr_small_tiling t = qr_small_tiling_of (m, n, is_wide (job));
  return t.rows > 0 && shared_bytes (job, t) <= block_shared_most ();
}

// Memory, and steps of all reflectors, each on whole tiles.
double qr_small_seconds (const gla_qr_job &job, double page_bytes)
{
  double m = (double)job.m, n = (double)job.n, k = m < n ? m : n;
  double columns = n + (double)job.q_columns + (double)job.rhs + (job.wy ? k : 0);
  double flops = 4 * m * k * columns * (gla_type_is_complex (job.head.type) ? 4 : 1);
  return page_bytes / 2.5e12 + flops / 1.5e13;
}

template <class T> cudaError_t qr_small (const qr_small_args<T> &a, cudaStream_t stream)
{
  constexpr bool wide_type = sizeof (T) == 16;
  return qr_small_thread_serves (a.m, a.n, wide_type)
             ? qr_small_by_thread<T> (a, stream)
             : qr_small_by_tiles<T> (a, qr_small_tiling_of (a.m, a.n, wide_type), stream);
}

// The tiling that wastes least; of two the one with smaller tiles if few threads are enough for it.
qr_small_tiling qr_small_tiling_of (int m, int n, bool wide_type)
{
  qr_small_tiling best = {0, 0, 0, 0};
  for (const qr_small_tiling &tile : wide_type ? WIDE_TILES : TILES) {
    qr_small_tiling t = with_lanes (tile, m, n);
    if (t.row_lanes > LANES_MOST || threads (t) > THREADS_MOST)
      continue;
    if (best.rows == 0 || numbers (t) < numbers (best) ||
        (numbers (t) == numbers (best) && threads (best) > (wide_type ? 64 : 32)))
      best = t;
  }
  return best;
}

//------------------------------------------------------------------------------
// as a part of another operation's work
//------------------------------------------------------------------------------

bool qr_part_serves (gla_type type, int64_t m, int64_t n)
{
  gla_qr_job job = {};
  job.head.type = type;
  job.m = m;
  job.n = job.q_columns = job.r_rows = n;
  return qr_small_serves (job);
}

template <class T>
cudaError_t qr_part (page_matrix<const T> A, page_matrix<T> Q, page_matrix<T> R, int m, int n,
                     int64_t pages, cudaStream_t stream)
{
  qr_small_args<T> a = {};
  a.A = A;
  a.Q = Q;
  a.R = R;
  a.m = m;
  a.n = a.k = a.q_columns = a.r_rows = n;
  a.pages = pages;
  return qr_small<T> (a, stream);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_small (const qr_small_args<T> &, cudaStream_t);                          \
  template cudaError_t qr_part (page_matrix<const T>, page_matrix<T>, page_matrix<T>, int, int,    \
                                int64_t, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
