// cost_table.c: the times of calls on a machine, as a table
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cost_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Kinds of calls are few. Somebody who makes very many of them need not have all remembered.
enum { MOST_KNOWN = 2000 };

//------------------------------------------------------------------------------
// the table
//------------------------------------------------------------------------------

void gla_costs_forget (gla_costs *costs)
{
  free (costs->known);
  costs->known = NULL;
  costs->n_known = costs->capacity = 0;
  costs->in_file = 0;
}

gla_cost *gla_costs_look_up (const gla_costs *costs, const char *operation, const char *key,
                             const char *place)
{
  for (int k = 0; k < costs->n_known; k++) {
    gla_cost *c = &costs->known[k];
    if (strcmp (c->key, key) == 0 && strcmp (c->operation, operation) == 0 &&
        (place == NULL || strcmp (c->place, place) == 0))
      return c;
  }
  return NULL;
}

gla_cost_point *gla_cost_point_for (gla_cost *cost, int64_t count, int *made)
{
  int at = 0;
  while (at < cost->n_points && cost->points[at].count < count)
    at++;
  *made = 0;
  if (at < cost->n_points && cost->points[at].count == count)
    return &cost->points[at];
  if (cost->n_points == GLA_COST_POINTS)
    return &cost->points[at < GLA_COST_POINTS ? at : GLA_COST_POINTS - 1];
  memmove (&cost->points[at + 1], &cost->points[at],
           (size_t)(cost->n_points - at) * sizeof *cost->points);
  cost->n_points++;
  cost->points[at].count = count;
  *made = 1;
  return &cost->points[at];
}

gla_status gla_costs_add (gla_costs *costs, const gla_cost *cost)
{
  gla_cost *known = gla_costs_look_up (costs, cost->operation, cost->key, cost->place);
  for (int k = 0; known != NULL && k < cost->n_points; k++) {
    int made;
    gla_cost_point *p = gla_cost_point_for (known, cost->points[k].count, &made);
    if (made)
      p->value = cost->points[k].value;
  }
  if (known != NULL)
    return GLA_OK;
  if (costs->n_known == MOST_KNOWN)
    return GLA_ERROR_OUT_OF_MEMORY;
  if (costs->n_known == costs->capacity) {
    int more = costs->capacity + 64;
    known = realloc (costs->known, (size_t)more * sizeof *known);
    if (known == NULL)
      return GLA_ERROR_OUT_OF_MEMORY;
    costs->known = known;
    costs->capacity = more;
  }
  costs->known[costs->n_known++] = *cost;
  return GLA_OK;
}

void gla_costs_free (gla_costs *costs)
{
  if (costs == NULL)
    return;
  gla_costs_forget (costs);
  free (costs);
}

//------------------------------------------------------------------------------
// ratios
//------------------------------------------------------------------------------

static double ratio_at (const gla_cost_point *p)
{
  return 1e-6 * (double)p->value;
}

// How many times 4 leads from one count to the other.
static double distance (int64_t from, int64_t to)
{
  return fabs (log ((double)to / (double)from)) / log (4.0);
}

double gla_cost_ratio (const gla_cost *cost, int64_t count)
{
  const gla_cost_point *p = cost->points, *last = &cost->points[cost->n_points - 1];
  if (count <= p->count || count >= last->count) {
    const gla_cost_point *end = count <= p->count ? p : last;
    return pow (ratio_at (end), 1 / fmax (1, distance (end->count, count)));
  }
  while (p[1].count < count)
    p++;
  const double weight = distance (p[0].count, count) / distance (p[0].count, p[1].count);
  return pow (ratio_at (&p[0]), 1 - weight) * pow (ratio_at (&p[1]), weight);
}

int gla_cost_is_near (const gla_cost *cost, int64_t count)
{
  for (int k = 0; k < cost->n_points; k++)
    if (distance (cost->points[k].count, count) <= 1)
      return 1;
  return 0;
}

double gla_costs_mean_ratio (const gla_costs *costs, const char *operation, const char *place)
{
  double sum = 0;
  int points = 0;
  for (int k = 0; k < costs->n_known; k++) {
    const gla_cost *c = &costs->known[k];
    if (strcmp (c->operation, operation) != 0 || strcmp (c->place, place) != 0)
      continue;
    for (int j = 0; j < c->n_points; j++)
      sum += log (ratio_at (&c->points[j]));
    points += c->n_points;
  }
  return points > 0 ? exp (sum / points) : 1;
}
