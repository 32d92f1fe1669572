// lanczos_projected.c: the small eigenvalue problems of Lanczos, by LAPACK
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/blas.h"
#include "lanczos.h"
#include "threads/blas_threads.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int fits (int64_t m)
{
  return m <= (sizeof (gla_blas_int) > 4 ? INT64_MAX : INT_MAX) / 16;
}

// LAPACK fails only for NaN and Inf, which checked operators cannot give.
static gla_status status_of (gla_blas_int info)
{
  return info == 0 ? GLA_OK : GLA_ERROR_BAD_ARGUMENT;
}

static gla_status projected_eig (int64_t m, int parts, double *A, double *theta)
{
  const gla_blas_int n = (gla_blas_int)m;
  gla_blas_int info = 0, lwork = -1, lrwork = -1, liwork = -1, isize[1];
  double size[2], rsize[1];
  if (!fits (m))
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_blas_in ();
  if (parts == 1)
    dsyevd_ ("V", "U", &n, A, &n, theta, size, &lwork, isize, &liwork, &info, 1, 1);
  else
    zheevd_ ("V", "U", &n, A, &n, theta, size, &lwork, rsize, &lrwork, isize, &liwork, &info, 1, 1);
  gla_blas_out ();
  lwork = (gla_blas_int)size[0];
  lrwork = parts == 1 ? 1 : (gla_blas_int)rsize[0];
  liwork = isize[0];
  double *work = malloc ((size_t)lwork * (size_t)parts * sizeof *work);
  double *rwork = malloc ((size_t)lrwork * sizeof *rwork);
  gla_blas_int *iwork = malloc ((size_t)liwork * sizeof *iwork);
  const int taken = work != NULL && rwork != NULL && iwork != NULL;
  gla_blas_in ();
  if (taken && parts == 1)
    dsyevd_ ("V", "U", &n, A, &n, theta, work, &lwork, iwork, &liwork, &info, 1, 1);
  else if (taken)
    zheevd_ ("V", "U", &n, A, &n, theta, work, &lwork, rwork, &lrwork, iwork, &liwork, &info, 1, 1);
  gla_blas_out ();
  free (work);
  free (rwork);
  free (iwork);
  return taken ? status_of (info) : GLA_ERROR_OUT_OF_MEMORY;
}

gla_status gla_projected_eig (int64_t m, int parts, double *A, double *theta)
{
  const int held = gla_blas_enter (1);
  if (held == 0)
    return GLA_ERROR_OUT_OF_MEMORY;
  const gla_status status = projected_eig (m, parts, A, theta);
  gla_blas_leave (held);
  return status;
}

gla_status gla_tridiagonal_values (int64_t m, const double *d, const double *e, double *theta)
{
  const gla_blas_int n = (gla_blas_int)m;
  gla_blas_int info = 0;
  if (!fits (m))
    return GLA_ERROR_OUT_OF_MEMORY;
  double *copy = malloc ((size_t)m * sizeof *copy);
  if (copy == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  memcpy (theta, d, (size_t)m * sizeof *theta);
  memcpy (copy, e, (size_t)(m - 1) * sizeof *copy);
  dsterf_ (&n, theta, copy, &info);
  free (copy);
  return status_of (info);
}

gla_status gla_tridiagonal_vector (int64_t m, const double *d, const double *e, double theta,
                                   double *s)
{
  const gla_blas_int n = (gla_blas_int)m, one = 1;
  gla_blas_int info = 0, fail = 0;
  double *work = malloc ((size_t)m * 5 * sizeof *work);
  gla_blas_int *iwork = malloc ((size_t)m * 2 * sizeof *iwork);
  if (work == NULL || iwork == NULL) {
    free (work);
    free (iwork);
    return GLA_ERROR_OUT_OF_MEMORY;
  }
  // one block, whatever the off-diagonal elements are; iwork has room for isplit behind
  gla_blas_int *isplit = iwork + m;
  isplit[0] = n;
  dstein_ (&n, d, e, &one, &theta, &one, isplit, s, &n, work, iwork, &fail, &info);
  free (work);
  free (iwork);
  return info >= 0 ? GLA_OK
                   : GLA_ERROR_BAD_ARGUMENT; // info > 0: the vector is still the best available
}
