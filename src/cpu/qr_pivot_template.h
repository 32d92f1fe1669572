// qr_pivot_template.h: column pivoting of large pages
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LAPACK's ?geqp3 (Quintana-Orti, Sun, Bischof 1998, with the norms of Drmac, Bujanovic 2008): a
// loop over its ?laqps, and ?laqp2 at the end, written out so that the monitor is asked between the
// steps.

// Of column pivoting, for the columns that are left: their numbers, norms now and when last
// computed; what the steps of LAPACK's ?laqps need.
typedef struct {
  gla_blas_int *jpvt;
  GLA_REAL *norm, *reference, *tau, *auxv, *f;
  int64_t steps; // at a time
} N (pivots);

// Seconds of a pass over what is left of the matrix from row and column j on.
static double N (pivot_pass) (int64_t m, int64_t n, int64_t j)
{
  return (double)(m - j) * (double)(n - j) * sizeof (N (el)) / 8e9;
}

// Steps of ?laqps at a time: as many as take about 40 ms.
static int64_t N (pivot_steps_of) (int64_t m, int64_t n)
{
  const int64_t steps = (int64_t)(40e-3 / N (pivot_pass) (m, n, 0));
  return gla_less (gla_less (m, n), gla_more (PIVOTS_LEAST, gla_less (PIVOTS_MOST, steps)));
}

static void N (pivot_layout) (char *base, size_t *at, int64_t m, int64_t n, N (pivots) * p)
{
  const int64_t k = gla_less (m, n), el = sizeof (N (el));
  p->steps = N (pivot_steps_of) (m, n);
  p->jpvt = gla_carve (base, at, (size_t)n * sizeof *p->jpvt);
  p->norm = gla_carve (base, at, (size_t)n * sizeof *p->norm);
  p->reference = gla_carve (base, at, (size_t)n * sizeof *p->reference);
  p->tau = gla_carve (base, at, (size_t)(k * el));
  p->auxv = gla_carve (base, at, (size_t)(gla_more (n, p->steps) * el));
  p->f = gla_carve (base, at, (size_t)(n * p->steps * el));
}

// v (m x n): V below the diagonal, R above; tau. Returns 0 when the work must end.
static int N (pivot_factor) (const gla_cpu_qr_task *task, int64_t m, int64_t n, GLA_REAL *v,
                             const N (pivots) * p)
{
  const gla_blas_int im = (gla_blas_int)m, one = 1;
  const int64_t k = gla_less (m, n);
  for (int64_t j = 0; j < n; j++) {
    p->jpvt[j] = (gla_blas_int)(j + 1);
    p->norm[j] = p->reference[j] = GLA_NRM2 (&im, v + j * m * GLA_PARTS, &one);
  }
  for (int64_t j = 0; j < k;) {
    const gla_blas_int left = (gla_blas_int)(n - j), above = (gla_blas_int)j;
    GLA_REAL *a = v + j * m * GLA_PARTS, *tau = p->tau + j * GLA_PARTS;
    if (gla_cpu_qr_stopped (task, 0))
      return 0;
    if (k - j <= PIVOTS_PLAIN && (double)(k - j) * N (pivot_pass) (m, n, j) < 20e-3) {
      GLA_QP2 (&im, &left, &above, a, &im, p->jpvt + j, tau, p->norm + j, p->reference + j,
               p->auxv);
      return 1;
    }
    const gla_blas_int steps = (gla_blas_int)gla_less (p->steps, k - j);
    gla_blas_int done = 0;
    GLA_QPS (&im, &left, &above, &steps, &done, a, &im, p->jpvt + j, tau, p->norm + j,
             p->reference + j, p->auxv, p->f, &left);
    j += done;
  }
  return 1;
}
