// gsvd_lapack_template.h: the factorisations of LAPACK on plain arrays
// SPDX-License-Identifier: GPL-3.0-or-later

// What LAPACK wants beside its matrices. Where the task is known, it is asked between pieces that
// take some 10 ms each, and when the work must end they return early; the caller asks, too.
typedef struct {
  const gla_cpu_gsvd_task *task; // NULL: small matrices, or a thread that nobody asks
  GLA_REAL *work;
  gla_blas_int lwork;
  N (pivots) pivots; // where there is pivoting
  N (num) * lanes;   // for small matrices
} N (lapack);

// For matrices of so many columns. Blocks have up to 64, as LAPACK's own ilaenv has them at most.
static void N (lapack_layout) (char *base, size_t *at, int64_t columns, N (lapack) * w)
{
  w->lwork = (gla_blas_int)(columns * 64 + 64 * 80);
  w->work = gla_carve (base, at, (size_t)w->lwork * sizeof (N (el)));
  w->lanes = gla_carve (base, at,
                        (size_t)(N (registers) (N (small)) * (N (small) + 1)) * sizeof (N (num)));
}

static int N (must_end) (const N (lapack) * w)
{
  return w->task != NULL && gla_cpu_gsvd_stopped (w->task);
}

// Rows, columns or reflectors, `flops` each, that make a piece: a multiple of 16.
static int64_t N (piece) (double flops)
{
  const double count = 1.5e8 / 16 / flops;
  return 16 * (count < 1 ? 1 : count > 1e6 ? 1000000 : (int64_t)count);
}

// A P = Q R in place; column j of A P is column perm[j] of A.
static void N (qr_pivot) (int64_t m, int64_t n, GLA_REAL *a, int64_t lda, GLA_REAL *tau, int *perm,
                          const N (lapack) * w)
{
  if (m > 0 && N (is_small) (m, n)) {
    N (small_qr_pivot) (m, n, a, lda, tau, perm, w->lanes);
    return;
  }
  for (int64_t j = 0; j < n; j++)
    perm[j] = (int)j;
  if (m == 0)
    return;
  N (pivots) p = w->pivots;
  p.tau = tau;
  N (pivot_factor) (w->task->crew, w->task->thread, m, n, a, lda, &p);
  for (int64_t j = 0; j < n; j++)
    perm[j] = (int)p.jpvt[j] - 1;
}

// C = Q C, or Q' C where adjoint, with the k reflectors in a; C is m x n. One call of LAPACK.
static void N (apply_piece) (int adjoint, int64_t m, int64_t n, int64_t k, const GLA_REAL *a,
                             int64_t lda, const GLA_REAL *tau, GLA_REAL *c, int64_t ldc,
                             const N (lapack) * w)
{
  const gla_blas_int im = (gla_blas_int)m, in = (gla_blas_int)n, ik = (gla_blas_int)k;
  const gla_blas_int ia = (gla_blas_int)lda, ic = (gla_blas_int)ldc;
  const char *op = !adjoint ? "N" : GLA_COMPLEX ? "C" : "T";
  gla_blas_int info;
  GLA_MQR ("L", op, &im, &in, &ik, a, &ia, tau, c, &ic, w->work, &w->lwork, &info, 1, 1);
}

// Reflectors at a time, where matrices are large.
enum { N (together) = 256 };

// The same by pieces: groups of reflectors, on some columns of C each.
static void N (apply_q) (int adjoint, int64_t m, int64_t n, int64_t k, const GLA_REAL *a,
                         int64_t lda, const GLA_REAL *tau, GLA_REAL *c, int64_t ldc,
                         const N (lapack) * w)
{
  if (m == 0 || n == 0 || k == 0)
    return;
  if (N (is_small) (m, n)) {
    N (small_apply_q) (adjoint, m, n, k, a, lda, tau, c, ldc, w->lanes);
    return;
  }
  const int64_t groups = (k - 1) / N (together) + 1, part = GLA_PARTS;
  const int64_t columns = N (piece) (4. * (double)(m * gla_less (k, N (together)) * part * part));
  for (int64_t g = 0; g < groups; g++) {
    const int64_t first = (adjoint ? g : groups - 1 - g) * N (together);
    const int64_t count = gla_less (N (together), k - first);
    for (int64_t j = 0; j < n && !N (must_end) (w); j += columns)
      N (apply_piece)
    (adjoint, m - first, gla_less (columns, n - j), count, a + (first + first * lda) * part, lda,
     tau + first * part, c + (first + j * ldc) * part, ldc, w);
  }
}

// A = Q R in place, in panels.
static void N (qr_plain) (int64_t m, int64_t n, GLA_REAL *a, int64_t lda, GLA_REAL *tau,
                          const N (lapack) * w)
{
  const int64_t k = gla_less (m, n), part = GLA_PARTS;
  const double flops = 4. * (double)(m * n * part * part);
  const int64_t width = gla_less (N (piece) (flops), N (together));
  const gla_blas_int il = (gla_blas_int)lda;
  gla_blas_int info;
  for (int64_t j = 0; j < k && !N (must_end) (w); j += width) {
    // the last panel has what is right of it in one call
    const int64_t end = k - j <= width ? n : j + width;
    const gla_blas_int rows = (gla_blas_int)(m - j), columns = (gla_blas_int)(end - j);
    GLA_REAL *panel = a + (j + j * lda) * part, *right = a + (j + end * lda) * part;
    GLA_QRF (&rows, &columns, panel, &il, tau + j * part, w->work, &w->lwork, &info);
    N (apply_q) (1, m - j, n - end, end - j, panel, lda, tau + j * part, right, lda, w);
  }
}

// X = X R^-1, for the n x n upper triangle of r, some rows of X (m x n) at a time.
static void N (divide) (int64_t m, int64_t n, const GLA_REAL *r, int64_t ldr, GLA_REAL *x,
                        int64_t ldx, const N (lapack) * w)
{
  const int64_t rows = N (piece) ((double)(n * n * GLA_PARTS * GLA_PARTS));
  for (int64_t i = 0; i < m && !N (must_end) (w); i += rows)
    N (trsm)
  ((N (triangle)){"R", "U", "N", "N"}, gla_less (rows, m - i), n, 1, r, ldr, x + i * GLA_PARTS,
   ldx);
}

// The upper Cholesky factor in place; nonzero where there is none.
static int N (cholesky) (int64_t n, GLA_REAL *a, int64_t lda)
{
  const gla_blas_int in = (gla_blas_int)n, il = (gla_blas_int)lda;
  gla_blas_int info;
  GLA_POTRF ("U", &in, a, &il, &info, 1);
  return info != 0;
}
