// svd_plan.c: how an SVD job is done on the CPU, and how long it takes
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cpu/engine.h"
#include "svd.h"

// The smaller side up to which pages are done in lanes, without and with vectors, their elements,
// and those of long pages.
enum { LANES_MOST = 32, LANES_MOST_VECTORS = 64, LANES_ELEMENTS = 4096, LONG_ELEMENTS = 1 << 19 };

gla_cpu_svd_path gla_cpu_svd_path_of (const gla_svd_job *job)
{
  const int64_t k = job->m < job->n ? job->m : job->n, m = job->m + job->n - k;
  const int vectors = job->u_columns > 0 || job->v_columns > 0;
  const int64_t most =
      vectors && job->method != GLA_SVD_METHOD_QR ? LANES_MOST_VECTORS : LANES_MOST;
  if (k <= most && m <= LONG_ELEMENTS / k)
    return m <= LANES_ELEMENTS / k ? GLA_CPU_SVD_LANES : GLA_CPU_SVD_LONG;
  return job->method == GLA_SVD_METHOD_JACOBI || k <= LANES_MOST ? GLA_CPU_SVD_JACOBI
                                                                 : GLA_CPU_SVD_PAGE;
}

int gla_cpu_svd_is_tall (const gla_svd_job *job)
{
  const int64_t k = job->m < job->n ? job->m : job->n, m = job->m + job->n - k;
  if (k < 3)
    return 0;
  const int64_t block = GLA_TALL_BLOCK_BYTES / (k * (int64_t)gla_type_size (job->head.type));
  return m >= 3 * (GLA_TALL_SAMPLE * k + (block > 64 ? block : 64));
}

// Limits pages to those that lose least if they are tried in vain: the fewer columns, or if tiles
// of four columns are not full, the more rows.
int gla_cpu_svd_is_cholesky (const gla_svd_job *job)
{
  const int64_t k = job->n, times = k % 4 != 0 ? 10 : k < 28 ? 6 : 4;
  return k >= 8 && job->m >= times * k && job->u_columns <= k &&
         gla_cpu_svd_path_of (job) == GLA_CPU_SVD_LANES && !gla_cpu_svd_is_tall (job);
}

static int64_t lanes_of (const gla_cpu_engine *e, const gla_svd_job *job)
{
  const gla_cpu_svd_path path = gla_cpu_svd_path_of (job);
  return path == GLA_CPU_SVD_LANES || path == GLA_CPU_SVD_LONG
             ? gla_cpu_svd_kernel_of (e, job)->lanes
             : 1;
}

// Seconds of one thread for a page with vectors, 1e-7 + k2 k^2 + k3 k^3 + m m k^2 in double
// precision; the factor of complex numbers, and the part of values alone. They were fitted, to
// within a factor of 1.5 for k from 3 to 256, to an Intel Xeon with OpenBLAS 0.3.21, between its
// times with AVX2 and with AVX-512; JACOBI to an AMD EPYC with AVX2. Single numbers take half.
typedef struct {
  double k2, k3, m, complex, values;
} fit;

static const fit fits[] = {
    [GLA_CPU_SVD_LANES] = {1.6e-8, 0.7e-10, 3.5e-10, 1.9, 0.6},
    [GLA_CPU_SVD_LONG] = {1.6e-8, 0.7e-10, 2.2e-10, 2.7, 0.47},
    [GLA_CPU_SVD_PAGE] = {7e-8, -1.4e-10, 3e-10, 1.8, 0.28},
    [GLA_CPU_SVD_JACOBI] = {1.4e-8, 3e-9, 4e-10, 1.8, 0.65},
};

// For pages of LANES and LONG by T'*T, on an AMD EPYC with AVX-512, to within a factor of 2.
static const fit tall_fit = {1.8e-8, 0, 1.1e-10, 2.1, 0.45};

// For pages of LANES by Cholesky factors, as tall_fit.
static const fit cholesky_fit = {1.6e-8, 0.7e-10, 1.9e-10, 2.0, 0.5};

static double page_seconds (const gla_svd_job *job)
{
  const gla_cpu_svd_path path = gla_cpu_svd_path_of (job);
  const int lanes = path == GLA_CPU_SVD_LANES || path == GLA_CPU_SVD_LONG;
  const fit *f = lanes && gla_cpu_svd_is_tall (job) ? &tall_fit
                 : gla_cpu_svd_is_cholesky (job)    ? &cholesky_fit
                                                    : &fits[path];
  const double k = (double)(job->m < job->n ? job->m : job->n), m = (double)(job->m + job->n) - k;
  double seconds = 1e-7 + f->k2 * k * k + f->k3 * k * k * k + f->m * m * k * k; // m is at least k
  if (gla_type_is_complex (job->head.type))
    seconds *= f->complex;
  if (gla_type_real (job->head.type) == GLA_TYPE_S)
    seconds *= 0.5;
  return job->u_columns > 0 || job->v_columns > 0 ? seconds : f->values * seconds;
}

double gla_cpu_svd_alone (const gla_cpu_engine *e, const gla_svd_job *job, int64_t pages)
{
  const int64_t lanes = lanes_of (e, job);
  return (double)((pages + lanes - 1) / lanes * lanes) * page_seconds (job);
}

// Returns an even number of registers if there are enough pages for all threads, because QL is
// faster on two. With Cholesky factors pages that are left make room for the next ones, so there
// are some more pairs.
int gla_cpu_svd_group (const gla_cpu_engine *e, const gla_svd_job *job, int64_t pages)
{
  const int lanes = (int)lanes_of (e, job);
  if (lanes == 1)
    return 1;
  const int group = gla_cpu_group_of (page_seconds (job), lanes);
  int unit = (gla_cpu_svd_is_cholesky (job) ? 16 : 2) * lanes;
  while (unit > 2 * lanes && pages < 4 * (int64_t)unit * e->threads_max)
    unit /= 2;
  return pages >= 4 * (int64_t)unit * e->threads_max ? (group + unit - 1) / unit * unit : group;
}

double gla_cpu_svd_seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_cpu_engine *e = (const gla_cpu_engine *)engine;
  const gla_svd_job *job = (const gla_svd_job *)head;
  const int64_t group = gla_cpu_svd_group (e, job, pages), groups = (pages + group - 1) / group;
  const int threads = gla_cpu_threads_for (e, groups, gla_cpu_svd_alone (e, job, pages));
  const int64_t lanes = lanes_of (e, job), units = (pages + lanes - 1) / lanes;
  return 2e-5 + page_seconds (job) * (double)(lanes * ((units + threads - 1) / threads));
}
