// lanczos_restarted.c: block Lanczos with thick restarts, and the search for what it missed
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Thick restart (Wu, Simon 2000) in blocks. The projected matrix T = V'*A*V is explicit, so a
// restart with any basis of Ritz vectors is exact: of T only the columns of the new blocks have to
// be computed.
//
// Small residuals do not show that nothing was missed: a single vector sees one direction of a
// multiple eigenvalue. So the iteration continues from the converged vectors and a random block
// orthogonal to them. A missed eigenvalue is extreme in that complement and appears first; the
// search ends when the residual of the best candidate shows that it is no wanted eigenvalue.

#include "common/status.h"
#include "lanczos.h"
#include "backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  gla_eigs_run *run;
  int b, parts;
  int64_t m;    // columns of the basis
  int64_t kept; // of which so many are Ritz vectors, a multiple of b
  int64_t pads; // the last of these, which are zero
  int64_t end;  // columns that have been multiplied, a multiple of b
  int64_t used; // end - pads: order of the projected matrix
  int64_t ldt;
  double *T;        // (m+b) x m
  double *S;        // vectors of the projected matrix, used x used
  double *turn;     // what krylov_rotate gets, m x m
  double *theta;    // its eigenvalues, ascending
  double *ritz;     // the kept ones
  double *residual; // of each of theta
  double *found;    // the k values at which a search began
  int all;          // nonzero: all that is wanted has converged once
  int64_t *order;
  double norm;
} cycle;

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

static void cycle_free (cycle *c)
{
  free (c->T);
  free (c->S);
  free (c->turn);
  free (c->theta);
  free (c->ritz);
  free (c->residual);
  free (c->found);
  free (c->order);
}

static int cycle_take (cycle *c, gla_eigs_run *run)
{
  const size_t m = (size_t)run->job.basis, b = (size_t)run->job.block, d = sizeof (double);
  *c = (cycle){.run = run, .b = run->job.block, .parts = run->parts, .m = run->job.basis};
  c->ldt = c->m + c->b;
  c->T = calloc ((m + b) * m * (size_t)c->parts, d);
  c->S = malloc (m * (m + 1) * (size_t)c->parts * d);
  c->turn = malloc (m * m * (size_t)c->parts * d);
  c->theta = malloc (m * d);
  c->ritz = malloc (m * d);
  c->residual = malloc (m * d);
  c->found = malloc (m * d);
  c->order = malloc (m * sizeof *c->order);
  return c->T && c->S && c->turn && c->theta && c->ritz && c->residual && c->found && c->order;
}

//------------------------------------------------------------------------------
// Ritz values
//------------------------------------------------------------------------------

// Column of the basis that row i of the projected matrix belongs to.
static int64_t column_of (const cycle *c, int64_t i)
{
  return i < c->kept - c->pads ? i : i + c->pads;
}

static void fill_projected (const cycle *c)
{
  const int parts = c->parts;
  const int64_t ritz = c->kept - c->pads;
  memset (c->S, 0, (size_t)(c->used * c->used) * (size_t)parts * sizeof *c->S);
  for (int64_t j = 0; j < c->used; j++) {
    double *to = c->S + j * c->used * parts;
    if (j < ritz) {
      to[j * parts] = c->ritz[j];
      continue;
    }
    const double *from = c->T + column_of (c, j) * c->ldt * parts;
    for (int64_t i = 0; i <= j; i++)
      memcpy (to + i * parts, from + column_of (c, i) * parts, (size_t)parts * sizeof *to);
    if (parts == 2)
      to[2 * j + 1] = 0;
  }
}

// Returns |R*s| for the last b rows s of vector i, R the last triangle of T.
static double residual_of (const cycle *c, int64_t i)
{
  const int b = c->b, parts = c->parts;
  const double *s = c->S + (i * c->used + c->used - b) * parts;
  double sum = 0;
  for (int r = 0; r < b; r++) {
    double re = 0, im = 0;
    for (int l = r; l < b; l++) {
      const double *R = c->T + (c->end + r + (c->end - b + l) * c->ldt) * parts;
      if (parts == 1) {
        re += R[0] * s[l];
      } else {
        re += R[0] * s[2 * l] - R[1] * s[2 * l + 1];
        im += R[0] * s[2 * l + 1] + R[1] * s[2 * l];
      }
    }
    sum += re * re + im * im;
  }
  return sqrt (sum);
}

static gla_status solve_projected (cycle *c)
{
  c->used = c->end - c->pads;
  fill_projected (c);
  GLA_TRY (gla_eigs_projected (c->run, c->used, c->S, c->theta));
  for (int64_t i = 0; i < c->used; i++) {
    c->residual[i] = residual_of (c, i);
    c->norm = fmax (c->norm, fabs (c->theta[i]));
  }
  gla_eigs_rank (c->run->which, c->theta, c->used, c->order);
  return GLA_OK;
}

static int has_converged (const cycle *c, int64_t i)
{
  return c->residual[i] <= c->run->o.tol * c->norm;
}

// Returns how many of the k that are wanted most have converged.
static int64_t converged (const cycle *c)
{
  int64_t count = 0;
  for (int64_t i = 0; i < c->run->k; i++)
    count += has_converged (c, c->order[i]);
  return count;
}

//------------------------------------------------------------------------------
// restarts
//------------------------------------------------------------------------------

// Restarts from the first `count` of the order, with zeros up to a whole block.
static gla_status turn (cycle *c, int64_t count)
{
  const int64_t keep = (count + c->b - 1) / c->b * c->b;
  const size_t element = (size_t)c->parts * sizeof (double);
  memset (c->turn, 0, (size_t)(c->end * keep) * element);
  for (int64_t j = 0; j < count; j++) {
    const double *s = c->S + c->order[j] * c->used * c->parts;
    double *to = c->turn + j * c->end * c->parts;
    for (int64_t i = 0; i < c->used; i++)
      memcpy (to + column_of (c, i) * c->parts, s + i * c->parts, element);
    c->ritz[j] = c->theta[c->order[j]];
  }
  c->kept = keep;
  c->pads = keep - count;
  return c->run->engine->backend->krylov->rotate (c->run->engine, c->end, c->turn, keep);
}

// Returns the columns after which the Ritz values are checked: on the CPU products of large
// matrices, and functions, take longer than that; a GPU would have to wait.
static int64_t next_look (const cycle *c)
{
  enum { LARGE = 20000, LARGE_FUNCTION = 1000, PIECE = 8 };
  if (c->run->engine->device != GLA_DEVICE_HOST ||
      c->run->n < (c->run->S == NULL ? LARGE_FUNCTION : LARGE))
    return c->m;
  const int64_t first = c->end > c->run->k ? c->end : c->run->k;
  const int64_t next = (first + PIECE) / c->b * c->b;
  return next < c->m && next > c->end ? next : c->m;
}

// Adds new blocks after the kept vectors, until the basis is full or there are enough.
static gla_status expand (cycle *c, int (*enough) (const cycle *c))
{
  gla_eigs_run *run = c->run;
  gla_status status;
  c->end = c->kept;
  do {
    const int64_t from = c->end;
    int64_t replaced;
    c->end = next_look (c);
    status =
        run->engine->backend->krylov->expand (run->engine, from, c->end, c->T, c->ldt, &replaced);
    run->report.products += c->end - from;
    if (status != GLA_OK)
      return status;
    status = solve_projected (c);
  } while (status == GLA_OK && c->end < c->m && !enough (c));
  return status;
}

static int all_converged (const cycle *c)
{
  return converged (c) == c->run->k;
}

// Returns how many Ritz vectors to keep: those wanted, as many more as have converged, and a third
// of the rest, which makes the next cycle converge sooner; but that cycle needs room. A cycle that
// ended before the basis was full may have fewer than these.
static int64_t how_many (const cycle *c)
{
  const int64_t k = c->run->k, wish = k + converged (c) + (c->m - k) / 3;
  const int64_t most = k + (c->m - k) * 3 / 5, keep = wish < most ? wish : most;
  const int64_t wanted = (keep + c->b - 1) / c->b, last = c->m / c->b - 1;
  const int64_t blocks = wanted < last ? wanted : last, there = c->used / c->b;
  return (blocks < there ? blocks : there) * c->b;
}

static void report_progress (const cycle *c)
{
  gla_report_progress (c->run->ctx, converged (c), c->run->k);
}

// Returns the restarts after which it is given up. Converged values are kept, whatever the search
// takes.
static int64_t most_restarts (const cycle *c)
{
  const int64_t patience = c->run->patience;
  return !c->all && patience > 0 && patience < c->run->o.maxit ? patience : c->run->o.maxit;
}

// Runs cycles until all that is wanted has converged, or the restarts are used up.
static gla_status iterate (cycle *c)
{
  gla_eigs_run *run = c->run;
  gla_status status = GLA_OK;
  while (status == GLA_OK && converged (c) < run->k && run->report.restarts < most_restarts (c)) {
    status = turn (c, how_many (c));
    if (status == GLA_OK)
      status = expand (c, all_converged);
    run->report.restarts++;
    report_progress (c);
  }
  c->all |= status == GLA_OK && all_converged (c);
  return status;
}

//------------------------------------------------------------------------------
// search for what was missed
//------------------------------------------------------------------------------

// Returns the end of the spectrum that place i of the order is from.
static gla_eigs_which which_of (const cycle *c, int64_t i)
{
  const int low_end = c->run->which == GLA_EIGS_WHICH_BE && i % 2 == 1;
  return low_end ? GLA_EIGS_WHICH_SA : c->run->which;
}

// Whether the k best values are still those that were found, or others that are wanted as much: of
// equal magnitudes either sign may be the last. A new value moves all after it by one place. If
// eigenvalues are close to each other each move is small, so their sum, which is how far the new
// value is ahead of the last one, has to be small; rounding errors add up to less than the root
// allows.
static int unchanged (const cycle *c)
{
  const int64_t k = c->run->k;
  const double unit = c->run->o.tol * c->norm;
  double gained = 0;
  for (int64_t i = 0; i < k; i++) {
    const double ahead = gla_eigs_ahead (which_of (c, i), c->theta[c->order[i]], c->found[i]);
    if (!(fabs (ahead) <= 100 * unit))
      return 0;
    gained += fmax (0, ahead);
  }
  return gained <= unit * (1 + 0.125 * sqrt ((double)k));
}

// Whether candidate `next` of the order is behind the value that was found last at its end, by so
// much more than its residual that the eigenvalue it approximates is, too; or has converged.
static int settled (const cycle *c, int64_t next, int64_t last)
{
  if (next >= c->used)
    return 1;
  const int64_t i = c->order[next], f = c->order[last];
  const double ahead = gla_eigs_ahead (which_of (c, next), c->theta[f], c->theta[i]);
  return has_converged (c, i) || c->residual[i] <= 0.01 * ahead;
}

static int complete (const cycle *c)
{
  const int64_t k = c->run->k;
  // another copy of a value that is wanted mixes with those that were found until it has converged
  if (converged (c) < k)
    return 0;
  if (c->run->which != GLA_EIGS_WHICH_BE)
    return settled (c, k, k - 1);
  // the next at this end and at the other one
  return (k < 2 || settled (c, k, k - 2)) && settled (c, k + 1, k - 1);
}

static int search_is_over (const cycle *c)
{
  return !unchanged (c) || complete (c);
}

// Makes a random block, because the residuals have vanished.
static gla_status search (cycle *c)
{
  gla_eigs_run *run = c->run;
  for (int64_t i = 0; i < run->k; i++)
    c->found[i] = c->theta[c->order[i]];
  gla_status status = turn (c, run->k);
  if (status != GLA_OK)
    return status;
  status =
      run->engine->backend->krylov->start (run->engine, c->kept, 0, run->o.seed + ++run->draws);
  while (status == GLA_OK) {
    status = expand (c, search_is_over);
    run->report.restarts++;
    if (status != GLA_OK || !unchanged (c) || run->report.restarts >= run->o.maxit)
      return status;
    if (complete (c)) {
      run->report.complete = 1;
      return GLA_OK;
    }
    status = turn (c, how_many (c));
  }
  return status;
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

static gla_status finish (cycle *c)
{
  gla_eigs_run *run = c->run;
  gla_engine *engine = run->engine;
  gla_eigs_arrange (run->which, run->A->inverse, c->theta, run->k, c->order);
  for (int64_t i = 0; i < run->k; i++) {
    run->theta[i] = c->theta[c->order[i]];
    run->residuals[i] = c->residual[c->order[i]];
    run->converged[i] = (char)has_converged (c, c->order[i]);
    run->report.converged += run->converged[i];
  }
  run->report.norm = c->norm;
  if (!run->vectors && !run->check)
    return GLA_OK;
  run->report.products += run->k;
  GLA_TRY (turn (c, run->k));
  return engine->backend->krylov->check (engine, run->k, run->theta, run->residuals,
                                         &run->report.orthogonality);
}

// The first basis.
static gla_status start (cycle *c)
{
  gla_eigs_run *run = c->run;
  gla_engine *engine = run->engine;
  gla_status status = GLA_OK;
  if (run->o.v0 != NULL)
    status = engine->backend->krylov->put (engine, 0, 1, run->o.v0);
  if (status != GLA_OK)
    return status;
  GLA_TRY (engine->backend->krylov->start (engine, 0, run->o.v0 != NULL, run->o.seed));
  return expand (c, all_converged);
}

// Runs cycles, and searches for what they missed, until a search finds nothing more.
static gla_status iterate_and_search (cycle *c)
{
  gla_eigs_run *run = c->run;
  do {
    GLA_TRY (iterate (c));
    if (run->o.trust || run->report.complete || run->report.restarts >= run->o.maxit ||
        converged (c) < run->k)
      return GLA_OK;
    GLA_TRY (search (c));
  } while (!run->report.complete);
  return GLA_OK;
}

static gla_status solve (cycle *c)
{
  GLA_TRY (start (c));
  GLA_TRY (iterate_and_search (c));
  return finish (c);
}

gla_status gla_eigs_restarted (gla_eigs_run *run)
{
  cycle c;
  gla_status status = gla_eigs_agree (run, cycle_take (&c, run) ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY);
  if (status == GLA_OK)
    status = solve (&c);
  cycle_free (&c);
  return status;
}
