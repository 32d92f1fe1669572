// eig_plan.c: how an eigenvalue job is solved on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eig.h"

// The largest n with one page per lane: by Jacobi, where "auto" takes Jacobi, by QL where divide
// and conquer could do it instead, by QL otherwise, and that for eigenvalues of complex double
// alone. A register takes as long with one page as with all, so these are the sizes where full
// registers gain about as much over one page at a time as one page loses: 2 to 4 times. Before
// divide and conquer full registers gain nothing at the end: by AVX2 one page at a time is faster
// from n = 112 on for real matrices, by AVX-512 from 128; for complex ones lanes are faster up to
// there.
enum {
  LANES_JACOBI_MAX = 96,
  AUTO_JACOBI_MAX = 4,
  LANES_BEFORE_DC_MAX = 128,
  LANES_REAL_BEFORE_DC_MAX = 112,
  LANES_QR_MAX = 192,
  LANES_Z_VALUES_MAX = 256
};

gla_cpu_eig_path gla_cpu_eig_path_of (const gla_eig_job *job)
{
  const int64_t n = job->n;
  if (job->method == GLA_EIG_METHOD_JACOBI)
    return n <= LANES_JACOBI_MAX ? GLA_CPU_EIG_LANES_JACOBI : GLA_CPU_EIG_BLOCK_JACOBI;
  if (job->method == GLA_EIG_METHOD_AUTO && n <= AUTO_JACOBI_MAX)
    return GLA_CPU_EIG_LANES_JACOBI;
  // divide and conquer knows no tolerance, and without vectors QL is as fast
  const int dc = job->method == GLA_EIG_METHOD_AUTO && job->vectors &&
                 job->tol == gla_type_eps (job->head.type);
  const int all = !gla_type_is_complex (job->head.type) && job->range == GLA_EIG_ALL;
  const int most = dc && all                                       ? LANES_REAL_BEFORE_DC_MAX
                   : dc                                            ? LANES_BEFORE_DC_MAX
                   : job->head.type == GLA_TYPE_Z && !job->vectors ? LANES_Z_VALUES_MAX
                                                                   : LANES_QR_MAX;
  if (n <= most)
    return GLA_CPU_EIG_LANES_QR;
  return dc ? GLA_CPU_EIG_PAGE_DC : GLA_CPU_EIG_PAGE_QR;
}

int gla_cpu_eig_lanes (const gla_cpu_eig_kernel *kernel, gla_cpu_eig_path path)
{
  const int lanes = path == GLA_CPU_EIG_LANES_JACOBI || path == GLA_CPU_EIG_LANES_QR;
  return lanes ? kernel->lanes : 1;
}
