// gsvd_rows_page_template.h: a small regular pair from A and B to U, V and X, its rows in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Drmac's tangent algorithm as in gsvd_core_template.h, for up to 64 rows and no more columns than
// rows, without a copy between its stages. Where B has not full rank, or lengths are such that
// their squares would lose digits, it gives up, and the pair goes the way of all others.

//------------------------------------------------------------------------------
// pair to triangle
//------------------------------------------------------------------------------

// A column without exponent `page`, and without `column` as well.
static inline void N (rows_load) (const GLA_REAL *from, int64_t rows, int64_t rv, int page,
                                  int column, N (num) * a, N (num) * f)
{
  const int e = -page - column;
  const N (vec) by = N (all) (N (power_of_two) (-page));
  const N (vec) one = N (all) (N (power_of_two) (e / 2));
  const N (vec) two = N (all) (N (power_of_two) (e - e / 2));
  N (load_column) (f, rows, from, 1);
  for (int64_t i = 0; i < rv; i++) {
    a[i] = N (scale) (by, f[i]);
    f[i] = N (scale) (two, N (scale) (one, f[i]));
  }
}

static void N (rows_load_pair) (const gla_gsvd_chunk *c, int64_t page, const N (gsvd) * w)
{
  const N (rows_work) *r = &w->rows;
  const int64_t p = w->p, zeros = (r->rp * GLA_LANES - p) * (int64_t)sizeof (N (num));
  for (int64_t j = 0; j < p; j++) {
    const int e = N (column_exponents) (w, j);
    N (rows_load)
    (N (column_of) (&c->A, page, j), w->m, r->rm, w->exponent_a, e, r->a + j * r->rm,
     r->f + j * r->rm);
    N (rows_load)
    (N (column_of) (&c->B, page, j), w->n, r->rn, w->exponent_b, e, r->b + j * r->rn,
     r->g + j * r->rn);
  }
  N (num) *const of_a[] = {r->a, r->f, r->uf}, *const of_b[] = {r->b, r->g, r->ug};
  for (int k = 0; k < 3; k++) {
    memset (of_a[k] + p * r->rm, 0, (size_t)(zeros * r->rm));
    memset (of_b[k] + p * r->rn, 0, (size_t)(zeros * r->rn));
  }
}

// order: which column comes where; NULL: as they are.
static void N (rows_begin) (N (rows_qr) * q, int64_t rv, int64_t columns, N (num) * c, N (num) * u,
                            const int *order)
{
  q->rv = rv, q->columns = columns, q->u = u;
  for (int64_t j = 0; j < N (registers) (columns) * GLA_LANES; j++) {
    q->c[j] = c + (order && j < columns ? order[j] : j) * rv;
    q->t[j] = 0;
  }
}

// R' of F into t, its rows where the columns of F were; returns the exponent taken out.
static int N (rows_triangle) (const N (rows_qr) * f, const N (rows_work) * r)
{
  const int64_t p = f->columns, stride = r->rp * GLA_LANES * GLA_PARTS;
  const N (el) corner = N (get) (f->c[0], 0);
  const int e = N (exponent_of) (N (abs_bits) (GLA_SQRT (N (el_abs2) (corner))));
  const GLA_REAL by = N (power_of_two) (-e);
  memset (r->t, 0, (size_t)(r->rp * (r->rp * GLA_LANES + 1)) * sizeof (N (num)));
  for (int64_t i = 0; i < p; i++) {
    const GLA_REAL *from = (const GLA_REAL *)f->c[i];
    GLA_REAL *to = N (real_at) (r->t, f->perm[i]);
    for (int64_t block = 0; block <= i / GLA_LANES; block++, from += GLA_LANES * GLA_PARTS)
      for (int l = 0; l < GLA_LANES; l++, to += stride) { // zeros below the diagonal
        to[0] = by * from[l];
#if GLA_COMPLEX
        to[GLA_LANES] = -by * from[GLA_LANES + l];
#endif
      }
  }
  return e;
}

// Both factorisations, and t; 0 where this is no pair for it.
static int N (rows_prepare) (const N (gsvd) * w, N (rows_qr) * f, N (rows_qr) * g, int *exponent)
{
  const N (rows_work) *r = &w->rows;
  const GLA_REAL eps = 10 * GLA_EPS * (GLA_REAL)w->n;
  N (rows_begin) (g, r->rn, w->p, r->g, r->ug, NULL);
  if (!N (rows_factor) (g, eps))
    return 0;
  N (rows_begin) (f, r->rm, w->p, r->f, r->uf, g->perm);
  N (rows_divide) (g, r->rm, f->c);
  if (!N (rows_factor) (f, 0))
    return 0;
  const GLA_REAL first2 = N (el_abs2) (N (get) (f->c[0], 0));
  const GLA_REAL last2 = N (el_abs2) (N (get) (f->c[w->p - 1], w->p - 1));
  if (!(last2 >= GLA_ROWS_RATIO * GLA_ROWS_RATIO * first2))
    return 0;
  *exponent = N (rows_triangle) (f, r);
  return 1;
}

//------------------------------------------------------------------------------
// values
//------------------------------------------------------------------------------

// Sweeps on t; 0 where they do not end.
static int N (rows_iterate) (const gla_cpu_gsvd_task *task, int vectors, N (gsvd) * w)
{
  const N (rows_work) *r = &w->rows;
  const GLA_REAL tol = N (cosine_tolerance) (w->p);
  int going = w->p > 1;
  N (list_meetings) (task->columns, r->rp, r->m);
  w->stats = (gla_gsvd_stats){.method = GLA_GSVD_TANGENT};
  if (vectors) {
    memset (r->w, 0, (size_t)(r->rp * (w->p + 1)) * sizeof *r->w);
    for (int64_t j = 0; j < w->p; j++)
      N (set) (r->w + j * r->rp, j, N (make) (1, 0));
  }
  for (int s = 0; s < GLA_GSVD_SWEEPS && going; s++) {
    const N (sweep_note) note =
        N (rows_sweep) (task->columns, r->m, r->t, vectors ? r->w : NULL, r->rp, tol);
    w->stats.rotations[s] = note.rotations;
    w->stats.sweeps = s + 1;
    gla_cpu_gsvd_swept (task, s + 1);
    going = !N (converged) (&note, w->p, tol);
  }
  return !going;
}

// Lengths of the columns of t into sigma; t becomes orthonormal.
static void N (rows_normalise) (const N (rows_work) * r, GLA_REAL *sigma)
{
  for (int64_t block = 0; block < r->rp; block++) {
    N (num) *t = r->t + block * GLA_LANES * r->rp;
    N (vec) square[GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++) {
      square[l] = N (all) (0);
      for (int64_t i = 0; i < r->rp; i++)
        square[l] += N (abs2) (t[l * r->rp + i]);
    }
    const N (vec) length = N (vsqrt) (N (sum_each) (square));
    const N (vec) inverse = N (all) (1) / N (select) (length > 0, length, N (all) (1));
    for (int l = 0; l < GLA_LANES; l++) {
      sigma[block * GLA_LANES + l] = length[l];
      for (int64_t i = 0; i < r->rp; i++)
        t[l * r->rp + i] = N (scale) (N (all) (inverse[l]), t[l * r->rp + i]);
    }
  }
}

// Entries in order, from values that nearly are in the opposite one.
static void N (rows_entries) (N (gsvd) * w, const GLA_REAL *sigma, int exponent)
{
  int order[N (small)];
  for (int i = 0; i < w->p; i++) {
    const int column = (int)w->p - 1 - i;
    int j = i;
    for (; j > 0 && sigma[column] < sigma[order[j - 1]]; j--)
      order[j] = order[j - 1];
    order[j] = column;
  }
  for (int64_t j = 0; j < w->p; j++)
    w->entries[j] = N (entry_of) ((double)sigma[order[j]], exponent, order[j], order[j]);
}

//------------------------------------------------------------------------------
// vectors
//------------------------------------------------------------------------------

// x = Q [from; 0] for the columns of `from` that the entries name, and Q of unit vectors behind
// them. rp: registers of columns of `from`.
static void N (rows_vectors) (const N (rows_qr) * q, const N (entry) * e, const N (num) * from,
                              int64_t rp, int64_t count, N (num) * x)
{
  for (int64_t j = 0; j < count; j++) {
    N (num) *to = x + j * q->rv;
    memset (to, 0, (size_t)q->rv * sizeof *to);
    if (j < q->columns)
      memcpy (to, from + e[j].u * rp, (size_t)rp * sizeof *to);
    else
      N (set) (to, j, N (make) (1, 0));
  }
  N (rows_apply) (q, count, x);
}

static void N (rows_store) (const gla_array *a, int64_t page, int64_t rv, const N (num) * x)
{
  for (int64_t j = 0; a->data != NULL && j < a->columns; j++)
    N (store_rows) (N (column_of) (a, page, j), a->rows, x + j * rv);
}

// A column of X = A'*U*C + B'*V*S times h, from u = U*C and v = V*S.
static inline __attribute__ ((always_inline)) void
N (rows_x_column) (const N (rows_work) * r, int64_t rm, int64_t rn, const N (num) * u,
                   const N (num) * v, GLA_REAL h, int e, N (num) * x)
{
  const N (vec) one = N (all) (h * N (power_of_two) (e / 2));
  const N (vec) two = N (all) (N (power_of_two) (e - e / 2));
  for (int64_t block = 0; block < r->rp; block++) {
    const N (num) *a = r->a + block * GLA_LANES * rm, *b = r->b + block * GLA_LANES * rn;
    N (num) sum[GLA_LANES];
#pragma GCC unroll 16
    for (int l = 0; l < GLA_LANES; l++) {
      sum[l] = N (zero) ();
      for (int64_t i = 0; i < rm; i++)
        sum[l] = N (fmac) (sum[l], a[l * rm + i], u[i]);
      for (int64_t i = 0; i < rn; i++)
        sum[l] = N (fmac) (sum[l], b[l * rn + i], v[i]);
    }
    x[block] = N (scale) (two, N (scale) (one, N (sum_each_num) (sum)));
  }
}

static void N (rows_x) (const gla_array *X, int64_t page, const N (gsvd) * w)
{
  const N (rows_work) *r = &w->rows;
  N (num) u[N (small) / GLA_LANES], v[N (small) / GLA_LANES], x[N (small) / GLA_LANES];
  for (int64_t j = 0; j < w->p; j++) {
    const GLA_REAL c = (GLA_REAL)w->entries[j].c, s = (GLA_REAL)w->entries[j].s;
    int e;
    for (int64_t i = 0; i < r->rm; i++)
      u[i] = N (scale) (N (all) (c), r->u[j * r->rm + i]);
    for (int64_t i = 0; i < r->rn; i++)
      v[i] = N (scale) (N (all) (s), r->v[j * r->rn + i]);
    const GLA_REAL h = N (weight_of_x) (w, &w->entries[j], &e);
    if (r->rm == 4 && r->rn == 4)
      N (rows_x_column) (r, 4, 4, u, v, h, e, x);
    else
      N (rows_x_column) (r, r->rm, r->rn, u, v, h, e, x);
    N (store_rows) (N (column_of) (X, page, j), w->p, x);
  }
}

//------------------------------------------------------------------------------
// a page
//------------------------------------------------------------------------------

// Stores the results; 0 where the pair is not regular enough and nothing was stored.
static int N (solve_rows) (const gla_cpu_gsvd_task *task, int64_t page, N (gsvd) * w)
{
  const gla_gsvd_job *job = task->job;
  const gla_gsvd_chunk *c = task->chunk;
  const N (rows_work) *r = &w->rows;
  const int wants_u = job->u_columns > 0 || job->x, wants_v = job->v_columns > 0 || job->x;
  N (rows_qr) f, g;
  GLA_REAL sigma[N (small)];
  int exponent;
  N (rows_load_pair) (c, page, w);
  if (!N (rows_prepare) (w, &f, &g, &exponent) || !N (rows_iterate) (task, wants_u, w))
    return 0;
  N (rows_normalise) (r, sigma);
  N (rows_entries) (w, sigma, exponent);
  N (store_values) (c, page, job->options.blank, w);
  if (wants_u)
    N (rows_vectors) (&f, w->entries, r->w, r->rp, gla_more (w->p, job->u_columns), r->u);
  if (wants_v)
    N (rows_vectors) (&g, w->entries, r->t, r->rp, gla_more (w->p, job->v_columns), r->v);
  N (rows_store) (&c->U, page, r->rm, r->u);
  N (rows_store) (&c->V, page, r->rn, r->v);
  if (job->x)
    N (rows_x) (&c->X, page, w);
  c->info[page] = 0;
  if (c->stats)
    c->stats[page] = w->stats;
  return 1;
}
