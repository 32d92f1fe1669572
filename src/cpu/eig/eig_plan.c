// eig_plan.c: how an eigenvalue job is solved on the CPU, and how long it takes
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cpu/engine.h"
#include "eig.h"

// The largest n with one page per lane: by Jacobi, if "auto" takes Jacobi, by QL if divide and
// conquer could do it instead, by QL otherwise, and that for eigenvalues of complex double alone. A
// register takes as long with one page as with all, so these are the sizes where full registers
// gain about as much over one page at a time as one page loses: 2 to 4 times. Compared with divide
// and conquer the gain of full registers vanishes: with AVX2 one page at a time is faster from n =
// 112 on for real matrices, with AVX-512 from 128; for complex ones lanes are faster up to there.
// FEW_COLUMNS: a part of the spectrum is few vectors if it is at most 1/FEW_COLUMNS of all.
enum {
  FEW_COLUMNS = 4,
  LANES_JACOBI_MAX = 96,
  AUTO_JACOBI_MAX = 4,
  LANES_BEFORE_DC_MAX = 128,
  LANES_REAL_BEFORE_DC_MAX = 112,
  LANES_QR_MAX = 192,
  LANES_Z_VALUES_MAX = 256
};

// Returns the largest n in lanes. Divide and conquer, if allowed, is slower for few vectors.
static int64_t lanes_max (const gla_eig_job *job, int dc)
{
  const int complex = gla_type_is_complex (job->head.type);
  const int few = job->range == GLA_EIG_INDICES && job->columns * FEW_COLUMNS <= job->n;
  if (dc && !few)
    return complex ? LANES_BEFORE_DC_MAX : LANES_REAL_BEFORE_DC_MAX;
  return job->head.type == GLA_TYPE_Z && !job->vectors ? LANES_Z_VALUES_MAX : LANES_QR_MAX;
}

gla_cpu_eig_path gla_cpu_eig_path_of (const gla_eig_job *job)
{
  const int64_t n = job->n;
  if (job->method == GLA_EIG_METHOD_JACOBI)
    return n <= LANES_JACOBI_MAX ? GLA_CPU_EIG_LANES_JACOBI : GLA_CPU_EIG_BLOCK_JACOBI;
  if (job->method == GLA_EIG_METHOD_AUTO && n <= AUTO_JACOBI_MAX)
    return GLA_CPU_EIG_LANES_JACOBI;
  // divide and conquer has no tolerance, and without vectors QL is as fast
  const int dc = job->method == GLA_EIG_METHOD_AUTO && job->vectors &&
                 job->tol == gla_type_eps (job->head.type);
  if (n <= lanes_max (job, dc))
    return GLA_CPU_EIG_LANES_QR;
  return dc ? GLA_CPU_EIG_PAGE_DC : GLA_CPU_EIG_PAGE_QR;
}

int gla_cpu_eig_lanes (const gla_cpu_eig_kernel *kernel, gla_cpu_eig_path path)
{
  const int lanes = path == GLA_CPU_EIG_LANES_JACOBI || path == GLA_CPU_EIG_LANES_QR;
  return lanes ? kernel->lanes : 1;
}

//------------------------------------------------------------------------------
// how long an eigenvalue job takes on the CPU
//------------------------------------------------------------------------------

// Seconds of one thread for a page with vectors, 1e-7 + n2 n^2 + n3 n^3 in double precision, and
// the parts of n2 and n3 for eigenvalues alone. Those of QL and of divide and conquer were fitted,
// to within a factor of 1.5, to an Intel Xeon with OpenBLAS 0.3.21, between its times with AVX2 and
// with AVX-512; those of Jacobi to an AMD EPYC with AVX2.
typedef struct {
  double n2, n3_complex, n3_real, values2, values3;
} fit;

static const fit fits[] = {
    [GLA_CPU_EIG_LANES_JACOBI] = {0, 5e-9, 3.1e-9, 0.67, 0.67},
    [GLA_CPU_EIG_LANES_QR] = {1e-8, 5.8e-10, 3.1e-10, 0.5, 0.27},
    [GLA_CPU_EIG_PAGE_QR] = {1e-8, 1.6e-9, 8e-10, 2.8, 0.05},
    [GLA_CPU_EIG_PAGE_DC] = {2.2e-8, 3.25e-10, 1.05e-10, 1, 1},
    [GLA_CPU_EIG_BLOCK_JACOBI] = {7e-7, 2.1e-8, 9.5e-9, 1, 1},
};

static double page_seconds (const gla_eig_job *job, gla_cpu_eig_path path)
{
  const fit *f = &fits[path];
  const double n = (double)job->n;
  const double n3 = gla_type_is_complex (job->head.type) ? f->n3_complex : f->n3_real;
  const double part2 = job->vectors ? 1 : f->values2, part3 = job->vectors ? 1 : f->values3;
  const double seconds = 1e-7 + part2 * f->n2 * n * n + part3 * n3 * n * n * n;
  return gla_type_real (job->head.type) == GLA_TYPE_S ? 0.5 * seconds : seconds;
}

// Pages are counted in whole registers: one page takes as long as all the lanes.
double gla_cpu_eig_alone (const gla_cpu_engine *e, const gla_eig_job *job, int64_t pages)
{
  const gla_cpu_eig_path path = gla_cpu_eig_path_of (job);
  const gla_cpu_eig_kernel *kernel = gla_cpu_eig_kernel_of (e, job);
  const int64_t group = gla_cpu_eig_lanes (kernel, path), groups = (pages + group - 1) / group;
  return (double)(groups * group) * page_seconds (job, path);
}

// Rows of a page for each thread that it keeps busy, estimated and not measured: half of the
// reduction is limited by memory, and its products with vectors are short. Columns of a page that a
// thread takes at a time.
enum { ROWS_PER_THREAD = 256, COLUMNS_PER_STRIP = 128 };

static int useful_threads (const gla_cpu_engine *e, const gla_eig_job *job)
{
  const int64_t most = job->n / ROWS_PER_THREAD;
  return most < 1 ? 1 : most < e->threads_max ? (int)most : e->threads_max;
}

int gla_cpu_eig_team (const gla_cpu_engine *e, const gla_eig_job *job, int64_t pages)
{
  const gla_cpu_eig_path path = gla_cpu_eig_path_of (job);
  const int64_t strips = (job->n + COLUMNS_PER_STRIP - 1) / COLUMNS_PER_STRIP;
  if (path != GLA_CPU_EIG_PAGE_QR && path != GLA_CPU_EIG_PAGE_DC)
    return 1;
  // a team is assumed to be half as fast as its threads with a page each
  if (pages >= e->threads_max || (pages > 1 && 2 * pages > useful_threads (e, job)))
    return 1;
  return strips < e->threads_max ? (int)strips : e->threads_max;
}

double gla_cpu_eig_seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_cpu_engine *e = (const gla_cpu_engine *)engine;
  const gla_eig_job *job = (const gla_eig_job *)head;
  const gla_cpu_eig_path path = gla_cpu_eig_path_of (job);
  const gla_cpu_eig_kernel *kernel = gla_cpu_eig_kernel_of (e, job);
  const int64_t group = gla_cpu_eig_lanes (kernel, path), groups = (pages + group - 1) / group;
  const double alone = gla_cpu_eig_alone (e, job, pages);
  if (gla_cpu_eig_team (e, job, pages) > 1)
    return 2e-5 + alone * 2 / (1 + useful_threads (e, job));
  const int threads = gla_cpu_threads_for (e, groups, alone);
  const int64_t rounds = (groups + threads - 1) / threads;
  return 2e-5 + (double)(rounds * group) * page_seconds (job, path);
}
