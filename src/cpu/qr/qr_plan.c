// qr_plan.c: how a QR job is done on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr.h"

// Elements of a page up to which it goes into a lane, and the most columns. Bytes of a page up to
// which its rows go into lanes. Columns up to which a tree of row blocks serves, where there are
// so many times more rows.
enum {
  LANES_ELEMENTS = 1024,
  LANES_COLUMNS = 32,
  ROWS_BYTES = 256 * 1024,
  TALL_COLUMNS = 128,
  TALL_RATIO = 128,
  TALL_ROWS = 8192
};

gla_cpu_qr_path gla_cpu_qr_path_of (const gla_qr_job *job)
{
  const int64_t m = job->m, n = job->n, least = m < n ? m : n;
  if (job->pivot || job->block > 0)
    return GLA_CPU_QR_BLOCKS;
  if (m <= LANES_ELEMENTS && n <= LANES_ELEMENTS && m * n <= LANES_ELEMENTS &&
      least <= LANES_COLUMNS)
    return GLA_CPU_QR_LANES;
  if (n <= TALL_COLUMNS && m >= TALL_RATIO * n && m >= TALL_ROWS)
    return GLA_CPU_QR_TALL;
  const int64_t most = ROWS_BYTES / (int64_t)gla_type_size (job->head.type);
  return m <= most / n ? GLA_CPU_QR_ROWS : GLA_CPU_QR_BLOCKS;
}

// Where LAPACK and the BLAS do most of it, small pages have a thread each.
enum { PAGE_IN_THREAD = 128 * 128 };

int gla_cpu_qr_in_threads (const gla_qr_job *job, gla_cpu_qr_path path)
{
  if (path == GLA_CPU_QR_LANES || path == GLA_CPU_QR_ROWS)
    return 1;
  return path == GLA_CPU_QR_BLOCKS && job->m <= PAGE_IN_THREAD / job->n;
}
