// lanczos_plain.c: Lanczos without orthogonalisation, and the test of Cullum and Willoughby
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The recurrence keeps three vectors and loses their orthogonality; its tridiagonal matrix T then
// has copies of converged eigenvalues, and spurious ones. An eigenvalue of T that appears more than
// once is good. A single one is good unless T without its first row and column has it, too: then
// the start vector has no part in its eigenvector (Cullum, Willoughby 1985, volume I, chapter 4),
// and the first component of the eigenvector of T is nearly 0. The last component, times the last
// beta, bounds the error of a single one. A copy that still approaches a converged eigenvalue is
// left out, too: it is much nearer to that one than its own bound.

#include "common/status.h"
#include "lanczos.h"
#include "backend.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  gla_eigs_run *run;
  int64_t m, room;      // length of the recurrence, and for what there is memory
  double *alpha, *beta; // room each; beta[j] follows step j
  double *theta, *hat;  // eigenvalues of T and of T without its first row and column
  double *s;            // an eigenvector of T
  char *state;          // of each of theta
  double *bounds;       // the same: of its error; negative: not known yet
  double norm, tau;     // values nearer than tau count as equal
  int ended;            // the recurrence found an invariant subspace
} recurrence;

enum { SPURIOUS = 0, GOOD, COPY, UNKNOWN };

static void recurrence_free (recurrence *r)
{
  free (r->alpha);
  free (r->beta);
  free (r->theta);
  free (r->hat);
  free (r->s);
  free (r->state);
  free (r->bounds);
}

static int grow_one (double **array, int64_t room)
{
  double *larger = realloc (*array, (size_t)room * sizeof **array);
  if (larger == NULL)
    return 0;
  *array = larger;
  return 1;
}

static gla_status make_room (recurrence *r, int64_t room)
{
  if (room <= r->room)
    return GLA_OK;
  char *state = realloc (r->state, (size_t)room);
  if (state == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  r->state = state;
  if (!grow_one (&r->alpha, room) || !grow_one (&r->beta, room) || !grow_one (&r->theta, room) ||
      !grow_one (&r->hat, room) || !grow_one (&r->s, room) || !grow_one (&r->bounds, room))
    return GLA_ERROR_OUT_OF_MEMORY;
  r->room = room;
  return GLA_OK;
}

// Continues the recurrence to m steps.
static gla_status continue_to (recurrence *r, int64_t m)
{
  gla_eigs_run *run = r->run;
  int64_t done = 0;
  GLA_TRY (gla_eigs_agree (run, make_room (r, m)));
  GLA_TRY (run->engine->backend->krylov->plain (run->engine, m - r->m, r->alpha + r->m,
                                                r->beta + r->m, &done));
  run->report.products += done;
  r->m += done;
  r->ended = r->beta[r->m - 1] == 0;
  return GLA_OK;
}

//------------------------------------------------------------------------------
// good and spurious
//------------------------------------------------------------------------------

// Whether an ascending list has a value within tau of x.
static int has_near (const double *list, int64_t count, double x, double tau)
{
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (list[middle] < x - tau)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && list[low] <= x + tau;
}

// Marks the first of each group of equal values GOOD, SPURIOUS or UNKNOWN (single, and not yet
// checked), the others COPY.
static gla_status classify (recurrence *r)
{
  const int64_t m = r->m;
  gla_status status = gla_eigs_tridiagonal (r->run, m, r->alpha, r->beta, r->theta);
  if (status != GLA_OK)
    return status;
  if (m > 1)
    status = gla_eigs_tridiagonal (r->run, m - 1, r->alpha + 1, r->beta + 1, r->hat);
  if (status != GLA_OK)
    return status;
  r->norm = fmax (fabs (r->theta[0]), fabs (r->theta[m - 1]));
  r->tau = 20 * sqrt ((double)m + 1000) * gla_type_eps (r->run->type) * r->norm;
  for (int64_t i = 0; i < m;) {
    int64_t end = i + 1;
    while (end < m && r->theta[end] - r->theta[end - 1] <= r->tau)
      r->state[end++] = COPY;
    const int single = end == i + 1;
    r->state[i] = !single ? GOOD : has_near (r->hat, m - 1, r->theta[i], r->tau) ? UNKNOWN : GOOD;
    i = end;
  }
  return GLA_OK;
}

// Checks a value that T without its first row and column nearly has: it is spurious only if the
// start vector has no part in it.
static gla_status look_closer (recurrence *r, int64_t i)
{
  if (r->state[i] != UNKNOWN)
    return GLA_OK;
  gla_status status =
      gla_eigs_tridiagonal_vector (r->run, r->m, r->alpha, r->beta, r->theta[i], r->s);
  const double eps = gla_type_eps (r->run->type);
  r->state[i] = r->s[0] * r->s[0] < eps * 1e-4 ? SPURIOUS : GOOD;
  return status;
}

static int is_single (const recurrence *r, int64_t i)
{
  return i + 1 >= r->m || r->state[i + 1] != COPY;
}

// Finds bounds[i] if it is not known. Each takes an eigenvector of T.
static gla_status find_bound (recurrence *r, int64_t i)
{
  if (r->bounds[i] >= 0)
    return GLA_OK;
  r->bounds[i] = 0;
  if (!is_single (r, i) || r->ended)
    return GLA_OK;
  gla_status status =
      gla_eigs_tridiagonal_vector (r->run, r->m, r->alpha, r->beta, r->theta[i], r->s);
  r->bounds[i] = r->beta[r->m - 1] * fabs (r->s[r->m - 1]);
  return status;
}

// Marks the good value firsts[at] SPURIOUS if it is a copy that has not yet come within tau of the
// value beside it: that one has the smaller bound, and is nearer than a hundredth of this one's
// bound. A separate value so near to another one cannot yet be distinguished from it. In 126 runs
// factors from 0.001 to 0.1 left no copy and dropped no value that had converged; 1 dropped many
// others.
static gla_status look_beside (recurrence *r, const int64_t *firsts, int64_t count, int64_t at)
{
  const int64_t i = firsts[at];
  for (int64_t beside = at - 1; beside <= at + 1; beside += 2) {
    const int64_t j = beside >= 0 && beside < count ? firsts[beside] : i;
    if (r->state[i] != GOOD || j == i)
      continue;
    gla_status status = find_bound (r, i);
    if (status != GLA_OK)
      return status;
    if (fabs (r->theta[i] - r->theta[j]) > 0.01 * r->bounds[i])
      continue;
    status = look_closer (r, j);
    if (status == GLA_OK && r->state[j] == GOOD)
      status = find_bound (r, j);
    if (status != GLA_OK)
      return status;
    if (r->state[j] == GOOD && r->bounds[j] < r->bounds[i])
      r->state[i] = SPURIOUS;
  }
  return GLA_OK;
}

// Memory of choose_good, of m elements each.
typedef struct {
  int64_t *firsts, *order;
  double *values; // of firsts
} candidates;

// Finds the k good values that are wanted most, as places in theta; *count of them if there are
// fewer.
static gla_status choose_among (recurrence *r, const candidates *c, int64_t *places, int64_t *count)
{
  gla_eigs_run *run = r->run;
  gla_status status = GLA_OK;
  int64_t n_firsts = 0;
  for (int64_t i = 0; i < r->m; i++) {
    r->bounds[i] = -1;
    if (r->state[i] == GOOD || r->state[i] == UNKNOWN) {
      c->values[n_firsts] = r->theta[i];
      c->firsts[n_firsts++] = i;
    }
  }
  *count = 0;
  // those that turn out to be spurious leave the list, which is then ranked again
  while (n_firsts > 0) {
    int64_t spurious = 0;
    gla_eigs_rank (run->which, c->values, n_firsts, c->order);
    *count = n_firsts < run->k ? n_firsts : run->k;
    for (int64_t i = 0; i < *count && status == GLA_OK; i++) {
      places[i] = c->firsts[c->order[i]];
      status = look_closer (r, places[i]);
      if (status == GLA_OK)
        status = look_beside (r, c->firsts, n_firsts, c->order[i]);
      spurious += r->state[places[i]] == SPURIOUS;
    }
    if (spurious == 0 || status != GLA_OK)
      break;
    int64_t left = 0;
    for (int64_t i = 0; i < n_firsts; i++)
      if (r->state[c->firsts[i]] != SPURIOUS) {
        c->values[left] = c->values[i];
        c->firsts[left++] = c->firsts[i];
      }
    n_firsts = *count = left;
  }
  return status;
}

static gla_status choose_good (recurrence *r, int64_t *places, int64_t *count)
{
  const size_t m = (size_t)r->m;
  const candidates c = {malloc (m * sizeof (int64_t)), malloc (m * sizeof (int64_t)),
                        malloc (m * sizeof (double))};
  const int whole = c.firsts != NULL && c.order != NULL && c.values != NULL;
  gla_status status = gla_eigs_agree (r->run, whole ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY);
  *count = 0;
  if (status == GLA_OK)
    status = choose_among (r, &c, places, count);
  free (c.firsts);
  free (c.order);
  free (c.values);
  return status;
}

//------------------------------------------------------------------------------
// growth until the wanted values settle
//------------------------------------------------------------------------------

// Takes over the values; *settled says that all k are there, have converged and are unchanged since
// the recurrence was shorter.
static gla_status look (recurrence *r, int64_t *places, int64_t *count, int *settled)
{
  gla_eigs_run *run = r->run;
  const double tol = run->o.tol;
  gla_status status = classify (r);
  if (status != GLA_OK)
    return status;
  status = choose_good (r, places, count);
  if (status != GLA_OK)
    return status;
  gla_eigs_arrange (run->which, run->A->inverse, r->theta, *count, places);
  *settled = *count == run->k;
  run->report.converged = 0;
  for (int64_t i = 0; i < run->k; i++) {
    const double theta = i < *count ? r->theta[places[i]] : NAN;
    double bound = INFINITY;
    if (i < *count) {
      status = find_bound (r, places[i]);
      bound = r->bounds[places[i]];
    }
    if (status != GLA_OK)
      return status;
    *settled &= fabs (theta - run->theta[i]) <= r->tau;
    run->theta[i] = theta;
    run->residuals[i] = bound;
    run->converged[i] = i < *count && (bound <= tol * r->norm || run->o.steps > 0);
    *settled &= run->converged[i];
    run->report.converged += run->converged[i];
  }
  run->report.norm = r->norm;
  return GLA_OK;
}

static gla_status grow_until_settled (recurrence *r, int64_t *places, int64_t *count)
{
  gla_eigs_run *run = r->run;
  const int64_t room = INT64_MAX / run->o.basis;
  const int64_t most = run->o.steps > 0      ? run->o.steps
                       : run->o.maxit > room ? INT64_MAX
                                             : run->o.maxit * run->o.basis;
  int64_t m = run->o.steps > 0 ? run->o.steps : run->o.basis;
  int settled = 0;
  while (1) {
    GLA_TRY (continue_to (r, m < most ? m : most));
    GLA_TRY (look (r, places, count, &settled));
    gla_report_progress (run->ctx, run->report.converged, run->k);
    GLA_TRY (gla_eigs_agree (run, gla_stop_wanted (run->ctx) ? GLA_ERROR_STOPPED : GLA_OK));
    if (settled || r->ended || r->m >= most)
      return GLA_OK;
    run->report.restarts++;
    m = r->m + (r->m / 4 > 16 ? r->m / 4 : 16);
  }
}

//------------------------------------------------------------------------------
// eigenvectors by a second pass
//------------------------------------------------------------------------------

// Counts eigenvalues of the leading `order` rows and columns of T that are smaller than x (Sturm).
static int64_t smaller_than (const recurrence *r, int64_t order, double x)
{
  int64_t count = 0;
  double q = 1;
  for (int64_t i = 0; i < order; i++) {
    const double e = i > 0 ? r->beta[i - 1] : 0;
    q = r->alpha[i] - x - (q != 0 ? e * e / q : fabs (e) / DBL_EPSILON);
    count += q < 0;
  }
  return count;
}

// Returns the least order of T that has so many eigenvalues within tau of x; m+1 if there is none.
static int64_t order_with (const recurrence *r, double x, int64_t copies)
{
  int64_t low = 1, high = r->m + 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const int64_t here =
        smaller_than (r, middle, x + r->tau) - smaller_than (r, middle, x - r->tau);
    if (here >= copies)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// The eigenvector of T for theta, of that order between the first at which theta has come and the
// first at which it has a copy which makes the error bound smallest (Cullum and Willoughby take
// (3*m1 + m2)/4). `trial` has room for m numbers.
static gla_status ritz_coefficients (const recurrence *r, double theta, double *s, double *trial)
{
  enum { TRIALS = 8 };
  const int64_t first = order_with (r, theta, 1), second = order_with (r, theta, 2);
  const int64_t last = second <= r->m ? second - 1 : r->m, from = first < last ? first : last;
  double best = INFINITY;
  gla_status status = GLA_OK;
  for (int i = 1; i <= TRIALS && status == GLA_OK; i++) {
    const int64_t order = from + (last - from) * i / TRIALS;
    if (i > 1 && order == from + (last - from) * (i - 1) / TRIALS)
      continue;
    status = gla_eigs_tridiagonal_vector (r->run, order, r->alpha, r->beta, theta, trial);
    const double bound = r->beta[order - 1] * fabs (trial[order - 1]);
    if (status != GLA_OK || !(bound < best))
      continue;
    best = bound;
    memset (s, 0, (size_t)r->m * sizeof *s);
    memcpy (s, trial, (size_t)order * sizeof *s);
  }
  return status;
}

// Forms the Ritz vectors by coefficients S, and their residuals.
static gla_status form_vectors (recurrence *r, double *S, int64_t count)
{
  gla_eigs_run *run = r->run;
  gla_engine *engine = run->engine;
  for (int64_t i = 0; i < count; i++)
    GLA_TRY (ritz_coefficients (r, run->theta[i], S + i * r->m, r->s));
  GLA_TRY (engine->backend->krylov->combine (engine, r->m, r->alpha, r->beta, S, count));
  return engine->backend->krylov->check (engine, count, run->theta, run->residuals,
                                         &run->report.orthogonality);
}

static gla_status second_pass (recurrence *r, int64_t count)
{
  gla_eigs_run *run = r->run;
  double *S = malloc ((size_t)(r->m * count) * sizeof *S + 1);
  gla_status status = gla_eigs_agree (run, S != NULL ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY);
  if (status == GLA_OK)
    status = form_vectors (r, S, count);
  run->report.products += r->m + count;
  free (S);
  return status;
}

// Goes from the start vector to `count` values, at these places of the spectrum.
static gla_status find_values (recurrence *r, int64_t *places, int64_t *count)
{
  gla_eigs_run *run = r->run;
  gla_engine *engine = run->engine;
  gla_status status = GLA_OK;
  if (run->o.v0 != NULL)
    status = engine->backend->krylov->put (engine, 0, 1, run->o.v0);
  if (status != GLA_OK)
    return status;
  GLA_TRY (engine->backend->krylov->start (engine, 0, run->o.v0 != NULL, run->o.seed));
  return grow_until_settled (r, places, count);
}

gla_status gla_eigs_plain (gla_eigs_run *run)
{
  recurrence r = {.run = run};
  int64_t count = 0;
  int64_t *places = malloc ((size_t)run->k * sizeof *places);
  gla_status status = gla_eigs_agree (run, places != NULL ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY);
  for (int64_t i = 0; i < run->k; i++)
    run->theta[i] = NAN;
  if (status == GLA_OK)
    status = find_values (&r, places, &count);
  run->report.steps = r.m;
  if (status == GLA_OK && (run->vectors || run->check) && count > 0)
    status = second_pass (&r, count);
  free (places);
  recurrence_free (&r);
  return status;
}
