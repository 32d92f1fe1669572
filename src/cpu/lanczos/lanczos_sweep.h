// lanczos_sweep.h: passes over the basis by chunks of rows, and over single vectors of it, of one
// type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_LANCZOS_SWEEP_H
#define GPULINALG_CPU_LANCZOS_SWEEP_H

#include <math.h>

#include "common/products.h"
#include "common/random.h"
#include "common/types.h"
#include "lanczos.h"

//------------------------------------------------------------------------------
// passes over the basis, by chunks of rows, of one type
//------------------------------------------------------------------------------

static real *basis_column (const gla_cpu_krylov *k, int64_t j)
{
  return (real *)k->V + j * k->job.n * GLA_PARTS;
}

static int64_t rows_of_chunk (const gla_cpu_krylov *k, int64_t c)
{
  const int64_t left = k->job.n - c * GLA_KRYLOV_ROWS;
  return left < GLA_KRYLOV_ROWS ? left : GLA_KRYLOV_ROWS;
}

// Adds the results of the chunks, `count` elements each, into k->sums.
static void add_chunks (gla_cpu_krylov *k, int64_t count)
{
  const real *part = k->chunked;
  for (int64_t i = 0; i < count * GLA_PARTS; i++)
    k->sums[i] = 0;
  for (int64_t c = 0; c < k->chunks; c++, part += count * GLA_PARTS)
    for (int64_t i = 0; i < count * GLA_PARTS; i++)
      k->sums[i] += (double)part[i];
  gla_cpu_krylov_add (k, k->sums, count * GLA_PARTS);
}

// Sets Y = alpha*op(V)*X + beta*Y for V of rows x p. For one vector the BLAS reads V twice as fast
// if it is called for a product with a vector.
static void times_block (const char *op, int64_t rows, int64_t p, int width, real alpha,
                         const real *V, int64_t n, const real *X, int64_t ldx, real beta, real *Y,
                         int64_t ldy)
{
  const gla_blas_int im = (gla_blas_int)rows, ip = (gla_blas_int)p, in = (gla_blas_int)n, one = 1;
  const real a[2] = {alpha, 0}, b[2] = {beta, 0};
  const int transposed = op[0] != 'N';
  if (width == 1) {
    gla_blas_in ();
    GLA_BLAS (gemv) (op, &im, &ip, a, V, &in, X, &one, b, Y, &one, 1);
    gla_blas_out ();
  } else
    gemm (op, "N", transposed ? p : rows, width, transposed ? rows : p, alpha, V, n, X, ldx, beta,
          Y, ldy);
}

// Computes result = V'*W for some rows of p columns V and `width` columns W.
static void project_some (const gla_cpu_krylov *k, int64_t rows, int64_t p, const real *V,
                          const real *W, int width, real *result)
{
  const int64_t n = k->job.n;
  if (k->product->project != NULL)
    k->product->project (V, n, rows, p, W, width, result);
  else
    times_block ("C", rows, p, width, 1, V, n, W, n, 0, result, p);
}

// Computes W -= V*k->factor for the same; then W = W*R^-1 for a triangle R unless that is NULL.
static void subtract_some (const gla_cpu_krylov *k, int64_t rows, int64_t p, const real *V,
                           const real *R, real *W, int width)
{
  const int64_t n = k->job.n;
  if (k->product->subtract != NULL) {
    k->product->subtract (V, n, rows, p, k->factor, R, W, width);
    return;
  }
  if (p > 0)
    times_block ("N", rows, p, width, -1, V, n, k->factor, p, 1, W, n);
  if (R != NULL)
    trsm ((triangle_form){"R", "U", "N", "N"}, rows, width, 1, R, width, W, n);
}

// A pass over p columns V and `width` columns W: it does the same for every chunk of rows.
typedef struct {
  gla_cpu_krylov *k;
  int64_t p;
  const real *V, *R; // R: a triangle, or NULL
  real *W;
  int width;
} basis_pass;

// Chunks in one piece of a pass: a piece polls once.
enum { CHUNKS_OF_PIECE = 4 };

static void run_pass (const basis_pass *pass, int64_t columns, gla_pool_work work)
{
  const int64_t pieces = (pass->k->chunks + CHUNKS_OF_PIECE - 1) / CHUNKS_OF_PIECE;
  gla_cpu_krylov_for (pass->k, columns, pieces, work, (void *)pass);
}

// Returns the end of the chunks of a piece, which begin at first; none if the work must end.
static int64_t chunks_until (const basis_pass *pass, int64_t piece, int slot)
{
  const int64_t first = piece * CHUNKS_OF_PIECE, end = first + CHUNKS_OF_PIECE;
  if (gla_cpu_parallel_stopped (&pass->k->region, slot))
    return first;
  return end < pass->k->chunks ? end : pass->k->chunks;
}

static void project_piece (void *user, int64_t piece, int slot)
{
  const basis_pass *a = user;
  const int64_t end = chunks_until (a, piece, slot);
  for (int64_t c = piece * CHUNKS_OF_PIECE; c < end; c++) {
    const int64_t at = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    real *part = (real *)a->k->chunked + c * a->p * a->width * GLA_PARTS;
    project_some (a->k, rows_of_chunk (a->k, c), a->p, a->V + at, a->W + at, a->width, part);
  }
}

// Sets k->sums = V(:, first:end-1)'*W for W of `width` columns.
static void project (gla_cpu_krylov *k, int64_t first, int64_t end, const real *W, int width)
{
  const basis_pass pass = {k, end - first, basis_column (k, first), NULL, (real *)W, width};
  run_pass (&pass, pass.p + width, project_piece);
  add_chunks (k, pass.p * width);
}

// Sets k->factor = k->sums in this type.
static void round_sums (gla_cpu_krylov *k, int64_t count)
{
  real *factor = k->factor;
  for (int64_t i = 0; i < count * GLA_PARTS; i++)
    factor[i] = (real)k->sums[i];
}

static void subtract_piece (void *user, int64_t piece, int slot)
{
  const basis_pass *a = user;
  const int64_t end = chunks_until (a, piece, slot);
  const int width = a->width;
  for (int64_t c = piece * CHUNKS_OF_PIECE; c < end; c++) {
    const int64_t at = c * GLA_KRYLOV_ROWS * GLA_PARTS, rows = rows_of_chunk (a->k, c);
    real *part = (real *)a->k->chunked + c * width * width * GLA_PARTS;
    subtract_some (a->k, rows, a->p, a->V + at, NULL, a->W + at, width);
    project_some (a->k, rows, width, a->W + at, a->W + at, width, part);
  }
}

// Computes W -= V(:, first:end-1)*k->factor, then k->sums = W'*W.
static void subtract (gla_cpu_krylov *k, int64_t first, int64_t end, real *W, int width)
{
  const basis_pass pass = {k, end - first, basis_column (k, first), NULL, W, width};
  run_pass (&pass, pass.p + width, subtract_piece);
  add_chunks (k, width * width);
}

static void subtract_and_divide_piece (void *user, int64_t piece, int slot)
{
  const basis_pass *a = user;
  const int64_t end = chunks_until (a, piece, slot);
  for (int64_t c = piece * CHUNKS_OF_PIECE; c < end; c++) {
    const int64_t at = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    subtract_some (a->k, rows_of_chunk (a->k, c), a->p, a->V + at, a->R, a->W + at, a->width);
  }
}

// Sets W = (W - V(:, 0:end-1)*h)*R^-1 for h (end x width) in k->factor and the triangle R after it.
static void subtract_and_divide (gla_cpu_krylov *k, int64_t end, real *W, int width)
{
  const real *R = (const real *)k->factor + end * width * GLA_PARTS;
  const basis_pass pass = {k, end, basis_column (k, 0), R, W, width};
  run_pass (&pass, end + width, subtract_and_divide_piece);
}

static void divide_piece (void *user, int64_t piece, int slot)
{
  const basis_pass *a = user;
  const int64_t n = a->k->job.n, end = chunks_until (a, piece, slot);
  const int width = a->width;
  for (int64_t c = piece * CHUNKS_OF_PIECE; c < end; c++) {
    const int64_t rows = rows_of_chunk (a->k, c);
    real *W = a->W + c * GLA_KRYLOV_ROWS * GLA_PARTS;
    real *part = (real *)a->k->chunked + c * width * width * GLA_PARTS;
    trsm ((triangle_form){"R", "U", "N", "N"}, rows, width, 1, a->R, width, W, n);
    gemm ("C", "N", width, width, rows, 1, W, n, W, n, 0, part, width);
  }
}

// Sets W = W*R^-1 for upper triangular R in k->factor, then k->sums = W'*W.
static void divide (gla_cpu_krylov *k, real *W, int width)
{
  const basis_pass pass = {k, 0, NULL, k->factor, W, width};
  run_pass (&pass, width, divide_piece);
  add_chunks (k, width * width);
}

// Does one Gram-Schmidt sweep: W -= V(:, first:end-1)*h with h = V'*W; h is added to the rows
// first..end-1 of H unless that is NULL; k->sums = W'*W.
static void orthogonalise (gla_cpu_krylov *k, int64_t first, int64_t end, real *W, int width,
                           double *H, int64_t ldh)
{
  const int64_t p = end - first;
  if (p > 0)
    project (k, first, end, W, width);
  for (int64_t c = 0; c < width && H != NULL; c++)
    for (int64_t i = 0; i < p * GLA_PARTS; i++)
      H[(c * ldh + first) * GLA_PARTS + i] += k->sums[c * p * GLA_PARTS + i];
  round_sums (k, p * width);
  subtract (k, first, end, W, width);
}

// Sets Y = A*X for `width` columns of length n.
static gla_status multiply (gla_cpu_krylov *k, const real *X, real *Y, int width)
{
  const gla_krylov_ranks *ranks = k->job.ranks;
  const int64_t n = k->job.n, reach = ranks != NULL ? ranks->reach : n;
  if (k->sparse == NULL)
    return k->job.apply (k->job.user, X, Y, width);
  if (ranks != NULL)
    X = ranks->extend (ranks->user, X, width);
  if (width > 1) {
    gla_cpu_spmv_by_rows (k->product, X, reach, reach, width, k->rows);
    X = k->rows;
  }
  gla_cpu_spmv_multiply (k->product, k->sparse, k->job.conjugate, X, width, Y, n, &k->region);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// single vectors of the basis, of one type
//------------------------------------------------------------------------------

// A pass over the chunks of a few vectors: w, and a*v + b*u.
typedef struct {
  const gla_cpu_krylov *k;
  real *w;
  real a;
  const real *v;
  real b;
  const real *u;
} terms;

// Chunks in one piece of such a pass.
enum { CHUNKS_OF_SUM = 16 };

static int64_t chunks_from (const terms *t, int64_t piece)
{
  const int64_t end = (piece + 1) * CHUNKS_OF_SUM;
  return end < t->k->chunks ? end : t->k->chunks;
}

static void run_terms (const terms *t, int64_t columns, gla_pool_work work)
{
  const int64_t pieces = (t->k->chunks + CHUNKS_OF_SUM - 1) / CHUNKS_OF_SUM;
  gla_cpu_krylov_for ((gla_cpu_krylov *)t->k, columns, pieces, work, (void *)t);
}

// Does the same, and returns the sum of the chunks' results, in their order.
static double sum_terms (const terms *t, int64_t columns, gla_pool_work work)
{
  const real *parts = t->k->chunked;
  double sum = 0;
  run_terms (t, columns, work);
  for (int64_t c = 0; c < t->k->chunks; c++)
    sum += (double)parts[c];
  gla_cpu_krylov_add ((gla_cpu_krylov *)t->k, &sum, 1);
  return sum;
}

typedef struct {
  const gla_cpu_krylov *k;
  int64_t j;
  uint64_t seed;
} filling;

static void fill_piece (void *user, int64_t piece, int slot)
{
  (void)slot;
  const filling *f = user;
  const gla_krylov_ranks *ranks = f->k->job.ranks;
  const int64_t n = f->k->job.n, rows = CHUNKS_OF_SUM * GLA_KRYLOV_ROWS;
  const int64_t end = (piece + 1) * rows < n ? (piece + 1) * rows : n;
  const int64_t at = ranks != NULL ? f->j * ranks->order + ranks->before : f->j * n;
  real *v = basis_column (f->k, f->j);
  for (int64_t i = piece * rows; i < end; i++) {
    v[i * GLA_PARTS] = (real)gla_krylov_random (f->seed, (uint64_t)(at + i));
#if GLA_COMPLEX
    v[2 * i + 1] = (real)gla_krylov_random (f->seed ^ GLA_IMAGINARY_SEED, (uint64_t)(at + i));
#endif
  }
}

static void fill_random (gla_cpu_krylov *k, int64_t j, uint64_t seed)
{
  const int64_t rows = CHUNKS_OF_SUM * GLA_KRYLOV_ROWS;
  filling f = {k, j, seed};
  gla_cpu_krylov_for (k, 1, (k->job.n + rows - 1) / rows, fill_piece, &f);
}

typedef struct {
  gla_cpu_krylov *k;
  real *v;
  double factor;
} scaling;

static void scale_piece (void *user, int64_t piece, int slot)
{
  (void)slot;
  const scaling *s = user;
  const int64_t length = CHUNKS_OF_SUM * GLA_KRYLOV_ROWS * GLA_PARTS;
  const int64_t all = s->k->job.n * GLA_PARTS, first = piece * length;
  const int64_t end = first + length < all ? first + length : all;
  real *v = s->v;
  const double factor = s->factor;
  for (int64_t i = first; i < end; i++)
    v[i] = (real)(v[i] * factor);
}

static void scale_column (gla_cpu_krylov *k, real *v, double factor)
{
  const int64_t rows = CHUNKS_OF_SUM * GLA_KRYLOV_ROWS;
  scaling s = {k, v, factor};
  gla_cpu_krylov_for (k, 1, (k->job.n + rows - 1) / rows, scale_piece, &s);
}

static void dot_piece (void *user, int64_t piece, int slot)
{
  (void)slot;
  const terms *t = user;
  const int64_t end = chunks_from (t, piece);
  const real *v = t->v, *w = t->w;
  for (int64_t c = piece * CHUNKS_OF_SUM; c < end; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    const int64_t last = first + rows_of_chunk (t->k, c) * GLA_PARTS;
    real here[4] = {0};
    int64_t i = first;
    for (; i + 4 <= last; i += 4)
      for (int u = 0; u < 4; u++)
        here[u] += v[i + u] * w[i + u];
    for (; i < last; i++)
      here[0] += v[i] * w[i];
    ((real *)t->k->chunked)[c] = (here[0] + here[1]) + (here[2] + here[3]);
  }
}

// Returns the real part of v'*w, by chunks in their order.
static double dot (gla_cpu_krylov *k, const real *v, const real *w)
{
  const terms t = {k, (real *)w, 0, v, 0, NULL};
  return sum_terms (&t, 2, dot_piece);
}

static void three_terms_piece (void *user, int64_t piece, int slot)
{
  (void)slot;
  const terms *t = user;
  const int64_t end = chunks_from (t, piece);
  const real a = t->a, b = t->b, *v = t->v, *u = t->u;
  real *w = t->w;
  for (int64_t c = piece * CHUNKS_OF_SUM; c < end; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    const int64_t last = first + rows_of_chunk (t->k, c) * GLA_PARTS;
    real here[4] = {0};
    for (int64_t i = first; i < last; i++) {
      w[i] -= a * v[i] + b * u[i];
      here[i % 4] += w[i] * w[i];
    }
    ((real *)t->k->chunked)[c] = (here[0] + here[1]) + (here[2] + here[3]);
  }
}

// Subtracts alpha*v + beta*u from w; returns the norm of w, by chunks in their order.
static double three_terms (const gla_cpu_krylov *k, real *w, double alpha, const real *v,
                           double beta, const real *u)
{
  const terms t = {k, w, (real)alpha, v, (real)beta, u};
  return sqrt (sum_terms (&t, 3, three_terms_piece));
}

#endif
