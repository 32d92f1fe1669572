// gsvd_results_template.h: values in order, vectors from their factors, X
// SPDX-License-Identifier: GPL-3.0-or-later

//------------------------------------------------------------------------------
// values in order
//------------------------------------------------------------------------------

// A finite value
static N (entry) N (entry_of) (double sigma, int exponent, int u, int v)
{
  N (entry) e = {.u = u, .v = v, .kind = N (finite)};
  e.mantissa = frexp (sigma, &e.exponent);
  e.exponent += exponent;
  return e;
}

// C and S, with C/S = sigma * 2^shift
static void N (cosine_sine) (const N (entry) * e, int shift, double *c, double *s)
{
  const int up = e->exponent + shift > 0;
  const double t = up ? ldexp (1 / e->mantissa, -(e->exponent + shift))
                      : ldexp (e->mantissa, e->exponent + shift);
  const double h = sqrt (1 + t * t);
  *c = up ? 1 / h : t / h;
  *s = up ? t / h : 1 / h;
  if (e->kind != N (finite)) {
    *c = e->kind == N (infinite);
    *s = e->kind == N (zero_value);
  }
}

static int N (smaller) (const N (entry) * a, const N (entry) * b)
{
  return a->exponent != b->exponent ? a->exponent < b->exponent : a->mantissa < b->mantissa;
}

// Merge sort of count entries; scratch holds half as many.
static void N (sort_entries) (N (entry) * e, int count, N (entry) * scratch)
{
  if (count < 2)
    return;
  const int half = count / 2;
  N (sort_entries) (e, half, scratch);
  N (sort_entries) (e + half, count - half, scratch);
  memcpy (scratch, e, (size_t)half * sizeof *e);
  for (int to = 0, i = 0, j = half; i < half; to++)
    e[to] = j < count && N (smaller) (&e[j], &scratch[i]) ? e[j++] : scratch[i++];
}

// The q entries. Where [A; B] has rank r < q, q - r of them have no column in X: they get sigma =
// 0, as long as B has rows for them. The places of C and S ask for at least q - m zeros and q - n
// infinities; where the ranks give fewer, finite pairs are written as one of each: columns s*x and
// c*x of X instead of x.
static void N (make_entries) (N (gsvd) * w)
{
  const N (core_result) *r = &w->result;
  const int rank = (int)r->rank, columns = (int)w->pair.columns, q = (int)w->q;
  const int of = (int)w->offset_f, og = (int)w->offset_g;
  const int zeros = og + columns - rank, spare = q - (of + og + columns);
  const int lost = (int)gla_more (0, spare - (int)(w->m + w->n) + (of + rank) + (og + columns));
  const int infs = (int)gla_more (0, (w->q - w->n) - (of + lost));
  const N (entry) zero = {.kind = N (zero_value), .u = -1, .v = -1, .nothing = 1};
  const N (entry) inf = {.kind = N (infinite), .u = -1, .v = -1, .nothing = 1};
  N (entry) *e = w->entries;
  for (int j = 0; j < spare - lost - infs; j++)
    *e++ = zero;
  for (int j = 0; j < zeros; j++) {
    *e = zero;
    e->nothing = 0;
    e++->v = j < og ? j : rank + j;
  }
  N (entry) *sorted = e + lost;
  for (int j = 0; j < rank; j++)
    w->sorted[j] = N (entry_of) ((double)r->sigma[j], r->exponent, of + j, og + j);
  N (sort_entries) (w->sorted, rank, w->sorted + rank);
  memcpy (sorted, w->sorted + lost, (size_t)(rank - lost) * sizeof *e);
  for (int j = 0; j < lost; j++) {
    e[j] = zero;
    e[j].v = w->sorted[j].v;
    e[rank + j] = inf;
    e[rank + j].u = w->sorted[j].u;
  }
  e += rank + lost;
  for (int j = 0; j < of + infs; j++) {
    *e = inf;
    e->nothing = j >= of;
    e++->u = j < of ? j : -1;
  }
}

static void N (put_real) (const gla_array *a, int64_t page, int64_t j, GLA_REAL x)
{
  if (a->data != NULL)
    ((GLA_REAL *)a->data)[page * a->page_stride + j * a->row_stride] = x;
}

// Fills in what C and S are, of the core and of the caller's pair. blank: NaN goes to the caller
// where they mean nothing.
static void N (store_values) (const gla_gsvd_chunk *c, int64_t page, int blank, N (gsvd) * w)
{
  const int shift = w->exponent_a - w->exponent_b;
  for (int64_t j = 0; j < w->q; j++) {
    N (entry) *e = &w->entries[j];
    N (cosine_sine) (e, 0, &e->c, &e->s);
    e->alpha = e->c, e->beta = e->s;
    if (shift != 0)
      N (cosine_sine) (e, shift, &e->alpha, &e->beta);
    const int nothing = blank && e->nothing;
    N (put_real) (&c->alpha, page, j, nothing ? (GLA_REAL)NAN : (GLA_REAL)e->alpha);
    N (put_real) (&c->beta, page, j, nothing ? (GLA_REAL)NAN : (GLA_REAL)e->beta);
  }
}

//------------------------------------------------------------------------------
// vectors
//------------------------------------------------------------------------------

// Which vector of the basis each column is: those of entries in their places, the others in order.
static void N (choose_vectors) (N (gsvd) * w, int of_b)
{
  const int64_t rows = of_b ? w->n : w->m, shift = of_b ? 0 : gla_more (0, w->q - w->m);
  int *source = of_b ? w->source_v : w->source_u;
  memset (w->used, 0, (size_t)rows);
  for (int64_t j = 0; j < rows; j++)
    source[j] = -1;
  for (int64_t j = shift; j < w->q && j - shift < rows; j++) {
    const int id = of_b ? w->entries[j].v : w->entries[j].u;
    source[j - shift] = id;
    if (id >= 0)
      w->used[id] = 1;
  }
  for (int64_t j = 0, id = 0; j < rows; j++)
    if (source[j] < 0) {
      while (w->used[id])
        id++;
      source[j] = (int)id++;
    }
}

typedef struct {
  const GLA_REAL *x; // rank columns of rows each
  int64_t rows, rank, offset, columns;
  const N (factor) * inner;
  const int *perm;
  const N (chain) * chain;
} N (basis);

// `count` columns of a basis with `rows` rows. copy: as long as a column.
static void N (make_vectors) (const N (basis) * b, int64_t rows, const int *source, int64_t count,
                              GLA_REAL *to, int64_t ld, GLA_REAL *copy, const N (lapack) * lapack)
{
  const int64_t part = GLA_PARTS;
  for (int64_t j = 0; j < count; j++) {
    GLA_REAL *x = to + j * ld * part;
    const int64_t core = source[j] - b->offset;
    memset (x, 0, (size_t)(rows * part) * sizeof *x);
    if (core >= 0 && core < b->rank)
      memcpy (x + b->offset * part, b->x + core * b->rows * part,
              (size_t)(b->rows * part) * sizeof *x);
    else
      x[source[j] * part] = 1;
  }
  GLA_REAL *at = to + b->offset * part;
  if (b->inner && b->inner->count > 0)
    N (apply_q)
  (0, b->inner->rows, count, b->inner->count, b->inner->a, b->inner->lda, b->inner->tau, at, ld,
   lapack);
  for (int64_t j = 0; b->perm && j < count; j++) {
    N (el) *x = (N (el) *)(at + j * ld * part), *y = (N (el) *)copy;
    memcpy (y, x, (size_t)b->columns * sizeof *x);
    for (int64_t i = 0; i < b->columns; i++)
      x[b->perm[i]] = y[i];
  }
  for (int k = b->chain->count - 1; k >= 0; k--) {
    const N (factor) *f = &b->chain->f[k];
    N (apply_q)
    (0, f->rows, count, f->count, f->a, f->lda, f->tau, to + f->offset * part, ld, lapack);
  }
}

// The economy form first, so that its bits do not depend on what else is wanted.
static void N (make_all_vectors) (const N (basis) * b, int64_t rows, int64_t q, const int *source,
                                  int64_t count, GLA_REAL *to, int64_t ld, GLA_REAL *copy,
                                  const N (lapack) * lapack)
{
  const int64_t economy = gla_less (rows, q);
  N (make_vectors) (b, rows, source, economy, to, ld, copy, lapack);
  N (make_vectors)
  (b, rows, source + economy, count - economy, to + economy * ld * GLA_PARTS, ld, copy, lapack);
}

// Where U or V of a page goes: to the caller, or into the workspace where only X needs it.
static GLA_REAL *N (vectors_at) (const gla_array *a, int64_t page, GLA_REAL *own, int64_t rows,
                                 int64_t *ld)
{
  *ld = a->data != NULL ? a->column_stride : rows;
  return a->data != NULL ? N (column_of) (a, page, 0) : own;
}

static void N (store_vectors) (const gla_cpu_gsvd_task *task, int64_t page, N (gsvd) * w)
{
  const gla_gsvd_job *job = task->job;
  const N (core_result) *r = &w->result;
  int64_t ld;
  if (job->u_columns > 0 || job->x) {
    const N (basis)
        b = {r->u, r->rows_u, r->rank, w->offset_f, w->pair.columns, NULL, NULL, &w->chain_f};
    GLA_REAL *to = N (vectors_at) (&task->chunk->U, page, w->u, w->m, &ld);
    const int64_t count = job->u_columns > 0 ? job->u_columns : gla_less (w->m, w->q);
    N (choose_vectors) (w, 0);
    N (make_all_vectors) (&b, w->m, w->q, w->source_u, count, to, ld, w->copy, &w->rank.lapack);
  }
  if (job->v_columns > 0 || job->x) {
    const N (basis) b = {r->v,      r->rows_v, r->rank,    w->offset_g, w->pair.columns,
                         &r->inner, r->perm,   &w->chain_g};
    GLA_REAL *to = N (vectors_at) (&task->chunk->V, page, w->v, w->n, &ld);
    const int64_t count = job->v_columns > 0 ? job->v_columns : gla_less (w->n, w->q);
    N (choose_vectors) (w, 1);
    N (make_all_vectors) (&b, w->n, w->q, w->source_v, count, to, ld, w->copy, &w->rank.lapack);
  }
}

//------------------------------------------------------------------------------
// X
//------------------------------------------------------------------------------

// The columns first.. of U or V times C or S, zeros where an entry has none of them.
static void N (weigh) (const N (gsvd) * w, int of_b, int64_t first, int64_t count,
                       const GLA_REAL *vectors, int64_t ld)
{
  const int64_t rows = of_b ? w->n : w->m, shift = of_b ? 0 : gla_more (0, w->q - w->m);
  for (int64_t j = 0; j < count; j++) {
    const N (entry) *e = &w->entries[first + j];
    GLA_REAL *to = w->copy + j * rows * GLA_PARTS;
    memset (to, 0, (size_t)(rows * GLA_PARTS) * sizeof *to);
    if ((of_b ? e->v : e->u) < 0)
      continue;
    const GLA_REAL *from = vectors + (first + j - shift) * ld * GLA_PARTS;
    const GLA_REAL weight = (GLA_REAL)(of_b ? e->s : e->c);
    for (int64_t i = 0; i < rows * GLA_PARTS; i++)
      to[i] = weight * from[i];
  }
}

// A and B were scaled on their own; h * 2^*exponent makes C and S those of the caller's pair.
static GLA_REAL N (weight_of_x) (const N (gsvd) * w, const N (entry) * e, int *exponent)
{
  const int by_b = e->beta >= e->alpha;
  const double mantissa = frexp (by_b ? e->beta : e->alpha, exponent);
  *exponent = (by_b ? w->exponent_b : w->exponent_a) - *exponent;
  return (GLA_REAL)((by_b ? e->s : e->c) / mantissa);
}

static void N (scale_x) (const N (gsvd) * w, const N (entry) * e, GLA_REAL *x)
{
  int exponent;
  const GLA_REAL h = N (weight_of_x) (w, e, &exponent);
  for (int64_t i = 0; i < w->p * GLA_PARTS; i++)
    x[i] *= h;
  N (scale_column) (w->p, x, exponent);
}

// X = A'*U*C + B'*V*S: small residuals whatever the condition of the pair.
static void N (store_x) (const gla_cpu_gsvd_task *task, int64_t page, N (gsvd) * w)
{
  const gla_gsvd_chunk *c = task->chunk;
  const int64_t p = w->p, ldx = c->X.column_stride;
  GLA_REAL *a = w->tall_a ? w->tall_f : w->pair.f, *b = w->tall_b ? w->tall_g : w->pair.g;
  int64_t ldu, ldv;
  const GLA_REAL *u = N (vectors_at) (&c->U, page, w->u, w->m, &ldu);
  const GLA_REAL *v = N (vectors_at) (&c->V, page, w->v, w->n, &ldv);
  for (int64_t j = 0; j < p; j++) {
    N (load_scaled) (&c->A, page, j, -w->exponent_a, a + j * w->m * GLA_PARTS);
    N (load_scaled) (&c->B, page, j, -w->exponent_b, b + j * w->n * GLA_PARTS);
  }
  for (int64_t first = 0; first < w->q; first += N (strip)) {
    const int64_t count = gla_less (N (strip), w->q - first);
    GLA_REAL *x = N (column_of) (&c->X, page, first);
    N (weigh) (w, 0, first, count, u, ldu);
    N (gemm) ("C", "N", p, count, w->m, 1, a, w->m, w->copy, w->m, 0, x, ldx);
    N (weigh) (w, 1, first, count, v, ldv);
    N (gemm) ("C", "N", p, count, w->n, 1, b, w->n, w->copy, w->n, 1, x, ldx);
    for (int64_t j = 0; j < count; j++)
      N (scale_x) (w, &w->entries[first + j], x + j * ldx * GLA_PARTS);
    if (gla_cpu_gsvd_stopped (task))
      return;
  }
}

//------------------------------------------------------------------------------
// a page
//------------------------------------------------------------------------------

static void N (store) (const gla_cpu_gsvd_task *task, int64_t page, N (gsvd) * w)
{
  N (make_entries) (w);
  N (store_values) (task->chunk, page, task->job->options.blank, w);
  N (store_vectors) (task, page, w);
  if (task->job->x)
    N (store_x) (task, page, w);
}

static void N (fill_nan) (const gla_array *a, int64_t page)
{
  for (int64_t j = 0; a->data != NULL && j < a->columns; j++)
    for (int64_t i = 0; i < a->rows * GLA_PARTS; i++)
      N (column_of) (a, page, j)[i] = (GLA_REAL)NAN;
}

static void N (store_nan) (const gla_gsvd_chunk *c, int64_t page)
{
  for (int64_t j = 0; j < c->alpha.rows; j++)
    N (put_real) (&c->alpha, page, j, (GLA_REAL)NAN);
  for (int64_t j = 0; j < c->beta.rows; j++)
    N (put_real) (&c->beta, page, j, (GLA_REAL)NAN);
  N (fill_nan) (&c->U, page);
  N (fill_nan) (&c->V, page);
  N (fill_nan) (&c->X, page);
}
