// pairs_drop.c: pairs with a semidefinite B, by canonical orthogonalisation
// SPDX-License-Identifier: GPL-3.0-or-later
//
// B = U*M*U'. The eigenvectors whose eigenvalues are large enough, divided by the roots of these,
// are the first r columns of T, and the others are 0; C = T'*A*T is r x r. It is solved as an n x n
// problem: the rest of the diagonal is larger than |C|, so its eigenvalues come last, and its
// eigenvectors do not mix with the others, because the coupling is 0. So pages of all ranks are one
// batch.

#include "arrays.h"
#include "batch/host_page.h"
#include "eig/eig_options.h"
#include "pairs_page.h"
#include "pairs_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Memory of a group; T and its data have one page if B is shared.
typedef struct {
  gla_array T, mu; // eigenvectors and eigenvalues of B
  gla_array H;     // A, then C
  gla_array W;     // A*T, then the eigenvectors of C
  gla_array lambda, X;
  int64_t *rank;      // columns of T
  int *b_exponents;   // T is that of B/2^b_exponents
  int *a_exponents;   // H is A/2^a_exponents
  int32_t *b_info;    // of B
  int32_t *page_info; // of A and B, then of C
} drop_work;

static int take_memory (const gla_pairs_run *p, drop_work *d)
{
  const gla_type type = p->A.type, real = gla_type_real (type);
  const int64_t n = p->n, group = p->group, b = gla_pairs_share_b (p) ? 1 : group;
  const size_t pages = (size_t)group;
  *d = (drop_work){.T = gla_take_pages (type, n, n, b),
                   .mu = gla_take_pages (real, n, 1, b),
                   .H = gla_take_pages (type, n, n, group),
                   .W = gla_take_pages (type, n, n, group),
                   .lambda = gla_take_pages (real, n, 1, group),
                   .rank = calloc (pages, sizeof *d->rank),
                   .b_exponents = calloc (pages, sizeof *d->b_exponents),
                   .a_exponents = calloc (pages, sizeof *d->a_exponents),
                   .b_info = calloc (pages, sizeof *d->b_info),
                   .page_info = calloc (pages, sizeof *d->page_info)};
  if (p->r.V.data != NULL)
    d->X = gla_take_pages (type, n, n, group);
  return d->T.data && d->mu.data && d->H.data && d->W.data && d->lambda.data && d->rank &&
         d->b_exponents && d->a_exponents && d->b_info && d->page_info &&
         (d->X.data || p->r.V.data == NULL);
}

static void free_memory (drop_work *d)
{
  free (d->T.data);
  free (d->mu.data);
  free (d->H.data);
  free (d->W.data);
  free (d->lambda.data);
  free (d->X.data);
  free (d->rank);
  free (d->b_exponents);
  free (d->a_exponents);
  free (d->b_info);
  free (d->page_info);
}

//------------------------------------------------------------------------------
// the basis
//------------------------------------------------------------------------------

static double largest_size (const drop_work *d, int64_t k)
{
  const int64_t n = d->mu.rows;
  return fmax (fabs (gla_get_number (&d->mu, k * n)),
               fabs (gla_get_number (&d->mu, (k + 1) * n - 1)));
}

// Makes page k of T from the eigenvectors of B: the wanted ones come first, by descending
// eigenvalue. Sets the rank, the exponent and info.
static void make_basis (const gla_pairs_run *p, drop_work *d, int64_t k)
{
  const int64_t n = p->n;
  const double rounding = (double)n * gla_type_eps (p->A.type);
  const double drop = p->o.drop > 0 ? p->o.drop : rounding;
  const double largest = gla_get_number (&d->mu, (k + 1) * n - 1);
  const double lowest = -fmax (drop, rounding) * largest_size (d, k);
  int32_t negative = 0;
  int64_t rank = 0;
  for (int64_t j = 0; j < n; j++) {
    const double mu = gla_get_number (&d->mu, k * n + j);
    negative += mu < lowest;
    rank += mu > 0 && mu > drop * largest;
  }
  if (d->b_info[k] == 0 && negative > 0)
    d->b_info[k] = (int32_t)n + 1 + negative;
  d->rank[k] = d->b_info[k] == 0 ? rank : 0;
  d->b_exponents[k] = d->rank[k] > 0 ? ilogb (largest) & ~1 : 0; // its half is whole, too
  gla_reverse_columns (&d->T, k);
  for (int64_t j = 0; j < n; j++) {
    const double mu = ldexp (gla_get_number (&d->mu, k * n + n - 1 - j), -d->b_exponents[k]);
    gla_scale_column (&d->T, k, j, j < d->rank[k] ? 1 / sqrt (mu) : 0);
  }
}

// Finds the eigenvectors of pages first .. of B.
static gla_status take_basis (gla_pairs_run *p, drop_work *d, int64_t first, int64_t count)
{
  const gla_array B = gla_pairs_pages (&p->B, first, count);
  const gla_eig_results r = {.size = sizeof r,
                             .lambda = gla_array_pages (&d->mu, 0, count),
                             .V = gla_array_pages (&d->T, 0, count),
                             .info = d->b_info};
  gla_eig_options options = gla_common_options (&p->o);
  options.range = GLA_EIG_ALL;
  options.phase = GLA_EIG_PHASE_NONE;
  gla_eig_report report = {.base.size = sizeof report};
  const gla_callbacks before = gla_silence (p->ctx);
  const gla_status status = gla_batcheig (p->ctx, &B, &r, &options, &report);
  p->ctx->callbacks = before;
  if (status == GLA_ERROR_NOT_HERMITIAN)
    return gla_pairs_not_hermitian (p, 'B', first + report.bad_page, report.bad_difference);
  for (int64_t k = 0; k < count && status == GLA_OK; k++)
    make_basis (p, d, k);
  return status;
}

//------------------------------------------------------------------------------
// the problem in this basis
//------------------------------------------------------------------------------

// Sets C = op (A)*B on the CPU, whatever the context's place.
static gla_status multiply (gla_context *ctx, const gla_array *A, char op, const gla_array *B,
                            const gla_array *C)
{
  const gla_place place = ctx->place;
  const gla_pagemul_options options = {.size = sizeof options, .op_a = op};
  const gla_pagemul_results results = {sizeof results, *C};
  const gla_callbacks before = gla_silence (ctx);
  ctx->place = GLA_PLACE_CPU;
  const gla_status status = gla_pagemul (ctx, A, B, &results, &options, NULL);
  ctx->place = place;
  ctx->callbacks = before;
  return status;
}

static int64_t basis_of (const drop_work *d, int64_t k)
{
  return d->T.pages == 1 ? 0 : k;
}

static int64_t rank_of (const drop_work *d, int64_t k)
{
  return d->page_info[k] == 0 ? d->rank[basis_of (d, k)] : 0;
}

// Reads pages first .. of A into H.
static gla_status read_pages (gla_pairs_run *p, drop_work *d, int64_t first, int64_t count)
{
  const gla_array A = gla_pairs_pages (&p->A, first, count);
  for (int64_t k = 0; k < count; k++) {
    double skew = 0;
    if (gla_poll_stop (p->ctx, 0))
      return GLA_ERROR_STOPPED;
    const int32_t info =
        gla_read_hermitian (&A, k, p->o.triangle, &d->H, &d->a_exponents[k], &skew);
    if (info == GLA_INFO_NOT_HERMITIAN)
      return gla_pairs_not_hermitian (p, 'A', first + k, skew);
    const int32_t b_info = d->b_info[basis_of (d, k)];
    d->page_info[k] = b_info != 0 ? b_info : info;
  }
  return GLA_OK;
}

// Sets H = T'*H*T, and its rest for the dropped vectors.
static gla_status project (gla_pairs_run *p, drop_work *d, int64_t count)
{
  const gla_array H = gla_array_pages (&d->H, 0, count), W = gla_array_pages (&d->W, 0, count);
  const gla_array T = gla_array_pages (&d->T, 0, d->T.pages == 1 ? 1 : count);
  gla_status status = multiply (p->ctx, &H, 'N', &T, &W);
  if (status == GLA_OK)
    status = multiply (p->ctx, &T, 'C', &W, &H);
  for (int64_t k = 0; k < count && status == GLA_OK; k++)
    gla_fill_diagonal (&d->H, k, rank_of (d, k));
  return status;
}

static gla_status eigenvalues (gla_pairs_run *p, drop_work *d, int64_t first, int64_t count)
{
  const gla_array H = gla_array_pages (&d->H, 0, count);
  int32_t *info = p->info + first;
  gla_eig_results r = {
      .size = sizeof r, .lambda = gla_array_pages (&d->lambda, 0, count), .info = info};
  if (d->X.data != NULL)
    r.V = gla_array_pages (&d->W, 0, count);
  gla_eig_options options = gla_common_options (&p->o);
  options.triangle = GLA_TRIANGLE_LOWER;
  options.range = GLA_EIG_ALL;
  options.phase = GLA_EIG_PHASE_NONE;
  gla_eig_report eig = {.base.size = sizeof eig};
  gla_group_enter (p->ctx, &p->groups, first);
  const gla_status status = gla_batcheig (p->ctx, &H, &r, &options, &eig);
  gla_group_leave (p->ctx, &p->groups);
  gla_pairs_note_report (p, &eig);
  for (int64_t k = 0; k < count && status == GLA_OK; k++) {
    d->page_info[k] = d->page_info[k] != 0 ? d->page_info[k] : info[k];
    gla_pairs_note_info (p, first + k, d->page_info[k]);
  }
  return status;
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// Takes the wanted ones of r eigenvalues and eigenvectors of page k, with NaN after them. Returns
// how many.
static int64_t take_wanted (const gla_pairs_run *p, drop_work *d, int64_t first, int64_t k,
                            int64_t r)
{
  gla_eig_options o = gla_common_options (&p->o);
  const gla_array lambda = gla_array_pages (&p->r.lambda, first, 1);
  const gla_array V = gla_array_pages (&p->r.V, first, 1);
  const gla_array all_lambda = gla_array_pages (&d->lambda, k, 1);
  const gla_array all_V = gla_array_pages (&d->X, k, 1);
  const int all = o.range == GLA_EIG_ALL;
  if (all) {
    o.range = GLA_EIG_INDICES;
    o.il = 1;
  }
  if (p->o.largest)
    o.il = r > p->columns ? r - p->columns + 1 : 1;
  const int64_t count = gla_take_part (&o, &all_lambda, &all_V, &lambda, &V, 0);
  if (o.range == GLA_EIG_INTERVAL)
    return count;
  const int64_t there = r - (o.il - 1) > 0 ? r - (o.il - 1) : 0;
  return all || there < p->columns ? there : p->columns;
}

static void put_results (const gla_pairs_run *p, drop_work *d, int64_t first, int64_t k)
{
  const int64_t n = p->n, r = rank_of (d, k);
  const int b = d->b_exponents[basis_of (d, k)];
  for (int64_t j = 0; j < n; j++) {
    const double x = gla_get_number (&d->lambda, k * n + j);
    gla_put_number (&d->lambda, k * n + j, j < r ? ldexp (x, d->a_exponents[k] - b) : (double)NAN);
    if (d->X.data == NULL)
      continue;
    gla_scale_column (&d->X, k, j, j < r ? ldexp (1, -b / 2) : (double)NAN);
    if (j < r && p->o.phase == GLA_EIG_PHASE_MAX)
      gla_column_phase (&d->X, k, j);
  }
  p->count[first + k] = take_wanted (p, d, first + k, k, r);
  if (p->r.rank != NULL)
    p->r.rank[first + k] = r;
}

static gla_status do_group (gla_pairs_run *p, drop_work *d, int64_t first, int64_t count)
{
  gla_status status = GLA_OK;
  if (!gla_pairs_share_b (p))
    status = take_basis (p, d, first, count);
  if (status == GLA_OK)
    status = read_pages (p, d, first, count);
  if (status == GLA_OK)
    status = project (p, d, count);
  if (status == GLA_OK)
    status = eigenvalues (p, d, first, count);
  if (status == GLA_OK && d->X.data != NULL) {
    const gla_array W = gla_array_pages (&d->W, 0, count), X = gla_array_pages (&d->X, 0, count);
    const gla_array T = gla_array_pages (&d->T, 0, d->T.pages == 1 ? 1 : count);
    status = multiply (p->ctx, &T, 'N', &W, &X);
  }
  for (int64_t k = 0; k < count && status == GLA_OK; k++)
    put_results (p, d, first, k);
  return status;
}

gla_status gla_pairs_drop (gla_pairs_run *p)
{
  drop_work d;
  gla_status status = take_memory (p, &d) ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY;
  if (status == GLA_OK && gla_pairs_share_b (p))
    status = take_basis (p, &d, 0, 1);
  for (int64_t first = 0; first < p->pages && status == GLA_OK; first += p->group) {
    const int64_t rest = p->pages - first;
    status = do_group (p, &d, first, rest < p->group ? rest : p->group);
  }
  free_memory (&d);
  return status;
}
