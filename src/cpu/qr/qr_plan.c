// qr_plan.c: how a QR job is done on the CPU, and how long it takes
// SPDX-License-Identifier: GPL-3.0-or-later

#include <math.h>

#include "cpu/engine.h"
#include "qr.h"

// Elements of a page up to which it goes into a lane, and the most columns. Bytes of a page up to
// which its rows go into lanes. Columns up to which a tree of row blocks serves, if there are so
// many times more rows.
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

// If LAPACK and the BLAS do most of the work, small pages have a thread each.
enum { PAGE_IN_THREAD = 128 * 128 };

int gla_cpu_qr_in_threads (const gla_qr_job *job, gla_cpu_qr_path path)
{
  if (path == GLA_CPU_QR_LANES || path == GLA_CPU_QR_ROWS)
    return 1;
  return path == GLA_CPU_QR_BLOCKS && job->m <= PAGE_IN_THREAD / job->n;
}

//------------------------------------------------------------------------------
// how long a QR job takes on the CPU
//------------------------------------------------------------------------------

// Returns the operations of R, Q, Q'*B and W on one page.
static double operations (const gla_qr_job *job)
{
  const double m = (double)job->m, n = (double)job->n, k = m < n ? m : n;
  const double q = (double)job->q_columns, rhs = (double)job->rhs;
  double f = 2 * k * k * ((m < n ? n : m) - k / 3);
  if (q > 0)
    f += 4 * m * q * k - 2 * (m + q) * k * k + 4 * k * k * k / 3;
  f += 4 * m * k * rhs;
  if (job->wy)
    f += 2 * m * k * k;
  return gla_type_is_complex (job->head.type) ? 4 * f : f;
}

// Returns the rate of one thread in double precision, in 1e9 operations a second. It was fitted, to
// within a factor of 1.5 for most sizes, to an AMD EPYC with AVX2 and OpenBLAS 0.3.21.
static double rate (const gla_qr_job *job, gla_cpu_qr_path path)
{
  const double k = (double)(job->m < job->n ? job->m : job->n);
  const int z = gla_type_is_complex (job->head.type);
  if (job->pivot)
    return 4 * k / (k + 30);
  switch (path) {
  case GLA_CPU_QR_LANES:
    return (z ? 17 : 10) * k / (k + 5);
  case GLA_CPU_QR_ROWS:
    return (z ? 22 : 16) * k / (k + 8);
  case GLA_CPU_QR_TALL:
    return (z ? 17 : 13) * k / (k + 8);
  case GLA_CPU_QR_BLOCKS:
    return (z ? 36 : 33) * k / (k + (z ? 100 : 250));
  }
  return 1;
}

// Returns the pages that share a register.
static int64_t group_of (const gla_cpu_engine *e, const gla_qr_job *job)
{
  return gla_cpu_qr_path_of (job) == GLA_CPU_QR_LANES ? gla_cpu_qr_kernel_of (e, job)->lanes : 1;
}

static double page_seconds (const gla_qr_job *job)
{
  const double moved = (double)job->m * (double)(job->n + job->q_columns + job->rhs + 1) *
                       (double)gla_type_size (job->head.type);
  const double page =
      operations (job) / (1e9 * rate (job, gla_cpu_qr_path_of (job))) + moved / 8e9 + 5e-8;
  // reads and writes do not become fewer in single precision
  return gla_type_real (job->head.type) == GLA_TYPE_S ? 0.6 * page : page;
}

double gla_cpu_qr_alone (const gla_cpu_engine *e, const gla_qr_job *job, int64_t pages)
{
  const int64_t group = group_of (e, job);
  return page_seconds (job) * (double)((pages + group - 1) / group * group);
}

double gla_cpu_qr_seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_cpu_engine *e = (const gla_cpu_engine *)engine;
  const gla_qr_job *job = (const gla_qr_job *)head;
  // pages for each thread, or threads for each page: those wait for each other at every panel
  if (!gla_cpu_qr_in_threads (job, gla_cpu_qr_path_of (job)))
    return 2e-5 + page_seconds (job) * (double)pages / sqrt (2.0 * e->threads_max);
  const int64_t group = group_of (e, job), groups = (pages + group - 1) / group;
  const int threads = gla_cpu_threads_for (e, groups, gla_cpu_qr_alone (e, job, pages));
  return 2e-5 + page_seconds (job) * (double)(group * ((groups + threads - 1) / threads));
}
