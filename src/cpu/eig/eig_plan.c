// eig_plan.c: how an eigenvalue job is solved on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eig.h"

// The largest n with one page per lane: by Jacobi, where "auto" takes Jacobi, by QL where divide
// and conquer could do it instead, by QL otherwise, and that for eigenvalues of complex double
// alone. A register takes as long with one page as with all, so these are the sizes where full
// registers gain about as much over one page at a time as one page loses: 2 to 4 times. Before
// divide and conquer full registers gain nothing at the end: by AVX2 one page at a time is faster
// from n = 112 on for real matrices, by AVX-512 from 128; for complex ones lanes are faster up to
// there. FEW_COLUMNS: a part of the spectrum is few vectors where it is at most 1/FEW_COLUMNS of
// all.
enum {
  FEW_COLUMNS = 4,
  LANES_JACOBI_MAX = 96,
  AUTO_JACOBI_MAX = 4,
  LANES_BEFORE_DC_MAX = 128,
  LANES_REAL_BEFORE_DC_MAX = 112,
  LANES_QR_MAX = 192,
  LANES_Z_VALUES_MAX = 256
};

// The largest n in lanes. Divide and conquer, where it may be taken, is slower for few vectors.
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
  // divide and conquer knows no tolerance, and without vectors QL is as fast
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
