// gsvd_load.h: loads a pair: scales it by powers of two, reduces the rows of tall matrices
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_GSVD_GSVD_LOAD_H
#define GPULINALG_CPU_GSVD_GSVD_LOAD_H

#include "common/types.h"
#include "cpu/common/columns.h"
#include "cpu/common/exponent.h"

#include "gsvd.h"
#include "gsvd_core.h"
#include "gsvd_lapack.h"
#include "gsvd_rank.h"
#include "gsvd_work.h"

#include <limits.h>
#include <string.h>

// Finds the largest entries of all columns; returns that of the page.
static bits largest_of_columns (const gla_array *a, int64_t page, bits *of_columns)
{
  bits largest = 0;
  for (int64_t j = 0; j < a->columns; j++) {
    of_columns[j] = largest_of (column_of (a, page, j), a->rows * GLA_PARTS, 0);
    largest = of_columns[j] > largest ? of_columns[j] : largest;
  }
  return largest;
}

// Finds exponents of the largest entries; returns whether all are finite.
static int find_exponents (const gla_gsvd_chunk *c, int64_t page, gsvd *w)
{
  const bits a = largest_of_columns (&c->A, page, w->largest_a);
  const bits b = largest_of_columns (&c->B, page, w->largest_b);
  const int most = 2 * GLA_BIAS;
  w->exponent_a = exponent_of (a);
  w->exponent_b = exponent_of (b);
  return (int)(a >> GLA_FRACTION) <= most && (int)(b >> GLA_FRACTION) <= most;
}

// Whether products of columns keep their digits: between two columns the quotient of the lengths in
// A and in B changes by a power of two whose square is in range.
static int is_in_range (const gsvd *w)
{
  const int limit = GLA_SINGLE ? 60 : 450;
  int least = INT_MAX / 2, most = -INT_MAX / 2;
  for (int64_t j = 0; j < w->p; j++)
    if (w->largest_a[j] != 0 && w->largest_b[j] != 0) {
      const int apart = exponent_of (w->largest_a[j]) - exponent_of (w->largest_b[j]);
      least = apart < least ? apart : least;
      most = apart > most ? apart : most;
    }
  return most - least <= limit;
}

// Finds the exponent that equilibrates column j of both after exponent_a and exponent_b.
static int column_exponents (const gsvd *w, int64_t j)
{
  const bits a = w->largest_a[j], b = w->largest_b[j];
  return shared_exponent (a == 0, exponent_of (a) - w->exponent_a, b == 0,
                          exponent_of (b) - w->exponent_b);
}

// Loads a column times 2^e.
static void load_scaled (const gla_array *a, int64_t page, int64_t j, int e, real *to)
{
  memcpy (to, column_of (a, page, j), (size_t)(a->rows * GLA_PARTS) * sizeof *to);
  scale_column (a->rows, to, e);
}

// Does QR of a tall matrix: Q stays in `tall`, `to` gets the triangle.
static void reduce_rows (int64_t rows, int64_t p, real *tall, real *tau, real *to,
                         factor_chain *chain, const lapack_work *lapack)
{
  qr_plain (rows, p, tall, rows, tau, lapack);
  memset (to, 0, (size_t)(p * p * GLA_PARTS) * sizeof *to);
  for (int64_t j = 0; j < p; j++)
    memcpy (to + j * p * GLA_PARTS, tall + j * rows * GLA_PARTS,
            (size_t)((j + 1) * GLA_PARTS) * sizeof *to);
  chain_push (chain, (factor){tall, tau, rows, 0, rows, p});
}

// Loads a column of both, with exponent_a, exponent_b and the equilibration applied at once.
static void load_column_pair (const gla_gsvd_chunk *c, int64_t page, int64_t j, const gsvd *w,
                              real *f, real *g)
{
  const int e = column_exponents (w, j);
  load_scaled (&c->A, page, j, -w->exponent_a - e, f);
  load_scaled (&c->B, page, j, -w->exponent_b - e, g);
}

static void load_pair (const gla_gsvd_chunk *c, int64_t page, gsvd *w)
{
  matrix_pair *a = &w->pair;
  real *f = w->tall_a ? w->tall_f : a->f, *g = w->tall_b ? w->tall_g : a->g;
  for (int64_t j = 0; j < w->p; j++)
    load_column_pair (c, page, j, w, f + j * w->m * GLA_PARTS, g + j * w->n * GLA_PARTS);
  w->chain_f.count = w->chain_g.count = 0;
  w->offset_f = w->offset_g = 0;
  if (w->tall_a)
    reduce_rows (w->m, w->p, f, w->tau_tall_f, a->f, &w->chain_f, &w->rank.lapack);
  if (w->tall_b)
    reduce_rows (w->n, w->p, g, w->tau_tall_g, a->g, &w->chain_g, &w->rank.lapack);
  a->rows_f = a->ldf = w->tall_a ? w->p : w->m;
  a->rows_g = a->ldg = w->tall_b ? w->p : w->n;
  a->columns = w->p;
}

#endif
