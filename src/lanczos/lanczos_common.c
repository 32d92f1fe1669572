// lanczos_common.c: functions of ranks that work on one matrix
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lanczos.h"

#include <math.h>
#include <string.h>

gla_status gla_eigs_agree (gla_eigs_run *run, gla_status own)
{
  const gla_eigs_ranks *r = run->ranks;
  return r != NULL ? r->krylov.ranks.agree (r->krylov.ranks.user, own) : own;
}

double gla_eigs_most (gla_eigs_run *run, double own)
{
  const gla_eigs_ranks *r = run->ranks;
  double most = own;
  if (r == NULL)
    return own;
  for (int k = 0; k < r->ranks; k++)
    r->slots[k] = k == r->rank ? own : 0;
  // the ranks notice a failure when they agree next
  r->krylov.ranks.add (r->krylov.ranks.user, r->slots, r->ranks);
  for (int k = 0; k < r->ranks; k++)
    most = isnan (r->slots[k]) || r->slots[k] > most ? r->slots[k] : most;
  return most;
}

static int computes (const gla_eigs_run *run)
{
  return run->ranks == NULL || run->ranks->rank == 0;
}

// Sends x of rank 0 to all ranks: the others add zeros to it.
static void share (gla_eigs_run *run, double *x, int64_t count)
{
  const gla_eigs_ranks *r = run->ranks;
  if (r == NULL)
    return;
  if (r->rank > 0)
    memset (x, 0, (size_t)count * sizeof *x);
  r->krylov.ranks.add (r->krylov.ranks.user, x, count);
}

gla_status gla_eigs_projected (gla_eigs_run *run, int64_t m, double *A, double *theta)
{
  gla_status status = GLA_OK;
  if (computes (run))
    status = gla_projected_eig (m, run->parts, A, theta);
  share (run, A, m * m * run->parts);
  share (run, theta, m);
  return gla_eigs_agree (run, status);
}

gla_status gla_eigs_tridiagonal (gla_eigs_run *run, int64_t m, const double *d, const double *e,
                                 double *theta)
{
  gla_status status = GLA_OK;
  if (computes (run))
    status = gla_tridiagonal_values (m, d, e, theta);
  share (run, theta, m);
  return gla_eigs_agree (run, status);
}

gla_status gla_eigs_tridiagonal_vector (gla_eigs_run *run, int64_t m, const double *d,
                                        const double *e, double theta, double *s)
{
  gla_status status = GLA_OK;
  if (computes (run))
    status = gla_tridiagonal_vector (m, d, e, theta, s);
  share (run, s, m);
  return gla_eigs_agree (run, status);
}
