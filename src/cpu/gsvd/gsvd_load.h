// gsvd_load_template.h: a pair is read: scaled by powers of two, and shortened
// SPDX-License-Identifier: GPL-3.0-or-later

static inline GLA_REAL *N (column_of) (const gla_array *a, int64_t page, int64_t column)
{
  return (GLA_REAL *)a->data + (page * a->page_stride + column * a->column_stride) * GLA_PARTS;
}

// The largest entries of all columns; returns that of the page.
static GLA_BITS N (largest_of_columns) (const gla_array *a, int64_t page, GLA_BITS *of_columns)
{
  GLA_BITS largest = 0;
  for (int64_t j = 0; j < a->columns; j++) {
    of_columns[j] = N (largest_of) (N (column_of) (a, page, j), a->rows * GLA_PARTS, 0);
    largest = of_columns[j] > largest ? of_columns[j] : largest;
  }
  return largest;
}

// Exponents of the largest entries; whether all are finite.
static int N (look_at) (const gla_gsvd_chunk *c, int64_t page, N (gsvd) * w)
{
  const GLA_BITS a = N (largest_of_columns) (&c->A, page, w->largest_a);
  const GLA_BITS b = N (largest_of_columns) (&c->B, page, w->largest_b);
  const int most = 2 * GLA_BIAS;
  w->exponent_a = N (exponent_of) (a);
  w->exponent_b = N (exponent_of) (b);
  return (int)(a >> GLA_FRACTION) <= most && (int)(b >> GLA_FRACTION) <= most;
}

// What equilibrates column j of both once exponent_a and exponent_b are taken out.
static int N (column_exponents) (const N (gsvd) * w, int64_t j)
{
  const GLA_BITS a = w->largest_a[j], b = w->largest_b[j];
  return N (shared_exponent) (a == 0, N (exponent_of) (a) - w->exponent_a, b == 0,
                              N (exponent_of) (b) - w->exponent_b);
}

// A column times 2^e
static void N (load_scaled) (const gla_array *a, int64_t page, int64_t j, int e, GLA_REAL *to)
{
  memcpy (to, N (column_of) (a, page, j), (size_t)(a->rows * GLA_PARTS) * sizeof *to);
  N (scale_column) (a->rows, to, e);
}

// Q of tall ones stays in tall, the triangle goes on.
static void N (shorten) (int64_t rows, int64_t p, GLA_REAL *tall, GLA_REAL *tau, GLA_REAL *to,
                         N (chain) * chain, const N (lapack) * lapack)
{
  N (qr_plain) (rows, p, tall, rows, tau, lapack);
  memset (to, 0, (size_t)(p * p * GLA_PARTS) * sizeof *to);
  for (int64_t j = 0; j < p; j++)
    memcpy (to + j * p * GLA_PARTS, tall + j * rows * GLA_PARTS,
            (size_t)((j + 1) * GLA_PARTS) * sizeof *to);
  N (chain_push) (chain, (N (factor)){tall, tau, rows, 0, rows, p});
}

// A column of both, with exponent_a and exponent_b and what equilibrates it taken out at once.
static void N (load_column_pair) (const gla_gsvd_chunk *c, int64_t page, int64_t j,
                                  const N (gsvd) * w, GLA_REAL *f, GLA_REAL *g)
{
  const int e = N (column_exponents) (w, j);
  N (load_scaled) (&c->A, page, j, -w->exponent_a - e, f);
  N (load_scaled) (&c->B, page, j, -w->exponent_b - e, g);
}

static void N (load_pair) (const gla_gsvd_chunk *c, int64_t page, N (gsvd) * w)
{
  N (pair) *a = &w->pair;
  GLA_REAL *f = w->tall_a ? w->tall_f : a->f, *g = w->tall_b ? w->tall_g : a->g;
  for (int64_t j = 0; j < w->p; j++)
    N (load_column_pair) (c, page, j, w, f + j * w->m * GLA_PARTS, g + j * w->n * GLA_PARTS);
  w->chain_f.count = w->chain_g.count = 0;
  w->offset_f = w->offset_g = 0;
  if (w->tall_a)
    N (shorten) (w->m, w->p, f, w->tau_tall_f, a->f, &w->chain_f, &w->rank.lapack);
  if (w->tall_b)
    N (shorten) (w->n, w->p, g, w->tau_tall_g, a->g, &w->chain_g, &w->rank.lapack);
  a->rows_f = a->ldf = w->tall_a ? w->p : w->m;
  a->rows_g = a->ldg = w->tall_b ? w->p : w->n;
  a->columns = w->p;
}
