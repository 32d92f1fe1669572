// solve_inverse_template.h: rows of a page to one size, and Z = 2^e .* (Q / R')
// SPDX-License-Identifier: GPL-3.0-or-later

// Columns up to which a page is solved here and not by the BLAS.
enum { N (small_inverse) = 48 };

// Rows of X times 2^-e, so that their largest entries are about 1; 0 in all e where a row is zero
// or not finite.
static void N (balance_page) (const gla_pages_job *job, int64_t page, char *work)
{
  const int64_t n = job->X.rows, columns = job->X.columns;
  int32_t *e = job->exponents + page * n;
  GLA_BITS *largest = (GLA_BITS *)(void *)work;
  memset (largest, 0, (size_t)n * sizeof *largest);
  for (int64_t j = 0; j < columns; j++) {
    const GLA_REAL *x = N (column_at) (&job->X, page, j);
    for (int64_t i = 0; i < n; i++)
      largest[i] = N (largest_of) (x + i * GLA_PARTS, GLA_PARTS, largest[i]);
  }
  int all = 1;
  for (int64_t i = 0; i < n; i++) {
    e[i] = N (exponent_of) (largest[i]);
    all &= largest[i] != 0 && (int)(largest[i] >> GLA_FRACTION) <= 2 * GLA_BIAS;
  }
  if (!all)
    memset (e, 0, (size_t)n * sizeof *e);
  for (int64_t j = 0; all && j < columns; j++) {
    N (el) *x = (N (el) *)N (column_of) (&job->X, page, j);
    for (int64_t i = 0; i < n; i++)
      x[i] = N (el_scale) (N (power_of_two) (-e[i]), x[i]);
  }
}

// X = X / R', column by column from the last one on.
static void N (divide_adjoint) (int64_t rows, int64_t n, const GLA_REAL *R, int64_t ldr,
                                GLA_REAL *X, int64_t ldx)
{
  for (int64_t k = n - 1; k >= 0; k--) {
    const GLA_REAL *c = R + k * ldr * GLA_PARTS, d = c[k * GLA_PARTS];
    GLA_REAL *x = X + k * ldx * GLA_PARTS;
    for (int64_t i = 0; i < rows * GLA_PARTS; i++)
      x[i] /= d;
    for (int64_t j = 0; j < k; j++)
      N (subtract) (rows, N (el_conj) (((const N (el) *)c)[j]), x, X + j * ldx * GLA_PARTS);
  }
}

// X is Q on entry; NaN where info says that there is no inverse.
static void N (inverse_page) (const gla_pages_job *job, int64_t page)
{
  const int64_t rows = job->X.rows, n = job->X.columns, ldx = job->X.column_stride;
  const int32_t *e = job->exponents + page * rows;
  const GLA_REAL *R = N (column_at) (&job->R, page, 0);
  GLA_REAL *X = N (column_of) (&job->X, page, 0);
  if (job->info[page] == 0 && n <= N (small_inverse))
    N (divide_adjoint) (rows, n, R, job->R.column_stride, X, ldx);
  else if (job->info[page] == 0)
    N (trsm) ((N (triangle)){"R", "U", "C", "N"}, rows, n, 1, R, job->R.column_stride, X, ldx);
  for (int64_t j = 0; j < n; j++) {
    N (el) *x = (N (el) *)(X + j * ldx * GLA_PARTS);
    for (int64_t i = 0; i < rows; i++)
      x[i] = job->info[page] != 0 ? N (make) ((GLA_REAL)NAN, GLA_COMPLEX ? (GLA_REAL)NAN : 0)
                                  : N (el_scale) (N (power_of_two) (-e[i]), x[i]);
  }
}
