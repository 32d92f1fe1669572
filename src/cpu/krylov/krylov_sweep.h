// krylov_sweep_template.h: passes over the basis, by chunks of rows, for one type
// SPDX-License-Identifier: GPL-3.0-or-later

static GLA_REAL *N (column) (const gla_cpu_krylov *k, int64_t j)
{
  return (GLA_REAL *)k->V + j * k->job.n * GLA_PARTS;
}

static int64_t N (rows_of_chunk) (const gla_cpu_krylov *k, int64_t c)
{
  const int64_t left = k->job.n - c * GLA_KRYLOV_ROWS;
  return left < GLA_KRYLOV_ROWS ? left : GLA_KRYLOV_ROWS;
}

// Adds what the chunks gave, `count` elements each, into k->sums.
static void N (add_chunks) (gla_cpu_krylov *k, int64_t count)
{
  const GLA_REAL *part = k->chunked;
  for (int64_t i = 0; i < count * GLA_PARTS; i++)
    k->sums[i] = 0;
  for (int64_t c = 0; c < k->chunks; c++, part += count * GLA_PARTS)
    for (int64_t i = 0; i < count * GLA_PARTS; i++)
      k->sums[i] += (double)part[i];
}

// Y = alpha*op(V)*X + beta*Y for V of rows x p. For one vector the BLAS reads V twice as fast where
// it is asked for a product with a vector.
static void N (times_block) (const char *op, int64_t rows, int64_t p, int width, GLA_REAL alpha,
                             const GLA_REAL *V, int64_t n, const GLA_REAL *X, int64_t ldx,
                             GLA_REAL beta, GLA_REAL *Y, int64_t ldy)
{
  const gla_blas_int im = (gla_blas_int)rows, ip = (gla_blas_int)p, in = (gla_blas_int)n, one = 1;
  const GLA_REAL a[2] = {alpha, 0}, b[2] = {beta, 0};
  const int transposed = op[0] != 'N';
  if (width == 1)
    GLA_GEMV (op, &im, &ip, a, V, &in, X, &one, b, Y, &one, 1);
  else
    N (gemm)
  (op, "N", transposed ? p : rows, width, transposed ? rows : p, alpha, V, n, X, ldx, beta, Y, ldy);
}

// result = V'*W for some rows of p columns V and `width` columns W
static void N (project_some) (const gla_cpu_krylov *k, int64_t rows, int64_t p, const GLA_REAL *V,
                              const GLA_REAL *W, int width, GLA_REAL *result)
{
  const int64_t n = k->job.n;
  if (k->product->project != NULL)
    k->product->project (V, n, rows, p, W, width, result);
  else
    N (times_block) ("C", rows, p, width, 1, V, n, W, n, 0, result, p);
}

// W -= V*k->factor for the same; then W = W*R^-1 for a triangle R where that is not NULL
static void N (subtract_some) (const gla_cpu_krylov *k, int64_t rows, int64_t p, const GLA_REAL *V,
                               const GLA_REAL *R, GLA_REAL *W, int width)
{
  const int64_t n = k->job.n;
  if (k->product->subtract != NULL) {
    k->product->subtract (V, n, rows, p, k->factor, R, W, width);
    return;
  }
  if (p > 0)
    N (times_block) ("N", rows, p, width, -1, V, n, k->factor, p, 1, W, n);
  if (R != NULL)
    N (trsm) ((N (triangle)){"R", "U", "N", "N"}, rows, width, 1, R, width, W, n);
}

// A pass over p columns V and `width` columns W: the same for every chunk of rows.
typedef struct {
  gla_cpu_krylov *k;
  int64_t p;
  const GLA_REAL *V, *R; // R: a triangle, or NULL
  GLA_REAL *W;
  int width;
} N (pass);

// Chunks in one piece of a pass: a piece asks once whether the work must end.
enum { N (chunks_of_piece) = 4 };

static void N (run_pass) (const N (pass) * pass, int64_t columns, gla_pool_work work)
{
  const int64_t pieces = (pass->k->chunks + N (chunks_of_piece) - 1) / N (chunks_of_piece);
  gla_cpu_krylov_for (pass->k, columns, pieces, work, (void *)pass);
}

// The chunks of a piece, first to the one returned; none where the work must end.
static int64_t N (chunks_until) (const N (pass) * pass, int64_t piece, int slot)
{
  const int64_t first = piece * N (chunks_of_piece), end = first + N (chunks_of_piece);
  if (gla_cpu_crew_stopped (&pass->k->crew, slot))
    return first;
  return end < pass->k->chunks ? end : pass->k->chunks;
}

static void N (project_piece) (void *user, int64_t piece, int slot)
{
  const N (pass) *a = user;
  const int64_t end = N (chunks_until) (a, piece, slot);
  for (int64_t c = piece * N (chunks_of_piece); c < end; c++) {
    const int64_t at = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    GLA_REAL *part = (GLA_REAL *)a->k->chunked + c * a->p * a->width * GLA_PARTS;
    N (project_some)
    (a->k, N (rows_of_chunk) (a->k, c), a->p, a->V + at, a->W + at, a->width, part);
  }
}

// k->sums = V(:, first:end-1)'*W for W of `width` columns
static void N (project) (gla_cpu_krylov *k, int64_t first, int64_t end, const GLA_REAL *W,
                         int width)
{
  const N (pass) pass = {k, end - first, N (column) (k, first), NULL, (GLA_REAL *)W, width};
  N (run_pass) (&pass, pass.p + width, N (project_piece));
  N (add_chunks) (k, pass.p * width);
}

// k->factor = k->sums in this type
static void N (round_sums) (gla_cpu_krylov *k, int64_t count)
{
  GLA_REAL *factor = k->factor;
  for (int64_t i = 0; i < count * GLA_PARTS; i++)
    factor[i] = (GLA_REAL)k->sums[i];
}

static void N (subtract_piece) (void *user, int64_t piece, int slot)
{
  const N (pass) *a = user;
  const int64_t end = N (chunks_until) (a, piece, slot);
  const int width = a->width;
  for (int64_t c = piece * N (chunks_of_piece); c < end; c++) {
    const int64_t at = c * GLA_KRYLOV_ROWS * GLA_PARTS, rows = N (rows_of_chunk) (a->k, c);
    GLA_REAL *part = (GLA_REAL *)a->k->chunked + c * width * width * GLA_PARTS;
    N (subtract_some) (a->k, rows, a->p, a->V + at, NULL, a->W + at, width);
    N (project_some) (a->k, rows, width, a->W + at, a->W + at, width, part);
  }
}

// W -= V(:, first:end-1)*k->factor, then k->sums = W'*W
static void N (subtract) (gla_cpu_krylov *k, int64_t first, int64_t end, GLA_REAL *W, int width)
{
  const N (pass) pass = {k, end - first, N (column) (k, first), NULL, W, width};
  N (run_pass) (&pass, pass.p + width, N (subtract_piece));
  N (add_chunks) (k, width * width);
}

static void N (subtract_and_divide_piece) (void *user, int64_t piece, int slot)
{
  const N (pass) *a = user;
  const int64_t end = N (chunks_until) (a, piece, slot);
  for (int64_t c = piece * N (chunks_of_piece); c < end; c++) {
    const int64_t at = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    N (subtract_some)
    (a->k, N (rows_of_chunk) (a->k, c), a->p, a->V + at, a->R, a->W + at, a->width);
  }
}

// W = (W - V(:, 0:end-1)*h)*R^-1 for h (end x width) in k->factor and the triangle R behind it
static void N (subtract_and_divide) (gla_cpu_krylov *k, int64_t end, GLA_REAL *W, int width)
{
  const GLA_REAL *R = (const GLA_REAL *)k->factor + end * width * GLA_PARTS;
  const N (pass) pass = {k, end, N (column) (k, 0), R, W, width};
  N (run_pass) (&pass, end + width, N (subtract_and_divide_piece));
}

static void N (divide_piece) (void *user, int64_t piece, int slot)
{
  const N (pass) *a = user;
  const int64_t n = a->k->job.n, end = N (chunks_until) (a, piece, slot);
  const int width = a->width;
  for (int64_t c = piece * N (chunks_of_piece); c < end; c++) {
    const int64_t rows = N (rows_of_chunk) (a->k, c);
    GLA_REAL *W = a->W + c * GLA_KRYLOV_ROWS * GLA_PARTS;
    GLA_REAL *part = (GLA_REAL *)a->k->chunked + c * width * width * GLA_PARTS;
    N (trsm) ((N (triangle)){"R", "U", "N", "N"}, rows, width, 1, a->R, width, W, n);
    N (gemm) ("C", "N", width, width, rows, 1, W, n, W, n, 0, part, width);
  }
}

// W = W*R^-1 for upper triangular R in k->factor, then k->sums = W'*W
static void N (divide) (gla_cpu_krylov *k, GLA_REAL *W, int width)
{
  const N (pass) pass = {k, 0, NULL, k->factor, W, width};
  N (run_pass) (&pass, width, N (divide_piece));
  N (add_chunks) (k, width * width);
}

// One Gram-Schmidt sweep: W -= V(:, first:end-1)*h with h = V'*W; h is added to the rows
// first..end-1 of H where that is not NULL; k->sums = W'*W.
static void N (sweep) (gla_cpu_krylov *k, int64_t first, int64_t end, GLA_REAL *W, int width,
                       double *H, int64_t ldh)
{
  const int64_t p = end - first;
  if (p > 0)
    N (project) (k, first, end, W, width);
  for (int64_t c = 0; c < width && H != NULL; c++)
    for (int64_t i = 0; i < p * GLA_PARTS; i++)
      H[(c * ldh + first) * GLA_PARTS + i] += k->sums[c * p * GLA_PARTS + i];
  N (round_sums) (k, p * width);
  N (subtract) (k, first, end, W, width);
}

// Y = A*X for `width` columns of length n
static gla_status N (multiply) (gla_cpu_krylov *k, const GLA_REAL *X, GLA_REAL *Y, int width)
{
  const int64_t n = k->job.n;
  if (k->sparse == NULL)
    return k->job.apply (k->job.user, X, Y, width);
  if (width > 1) {
    gla_cpu_spmv_by_rows (k->product, X, n, n, width, k->rows);
    X = k->rows;
  }
  gla_cpu_spmv_multiply (k->product, k->sparse, k->job.conjugate, X, width, Y, n, &k->crew);
  return GLA_OK;
}
