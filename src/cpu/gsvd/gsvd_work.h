// gsvd_work_template.h: the workspace of a pair of any size and rank
// SPDX-License-Identifier: GPL-3.0-or-later

enum { N (strip) = 64 }; // columns of X at a time

// One generalized singular value, mantissa * 2^exponent where it is finite, and which vectors of
// the bases belong to it (-1: none).
typedef enum { N (finite), N (zero_value), N (infinite) } N (entry_kind);

typedef struct {
  N (entry_kind) kind;
  int u, v;
  int nothing; // the ranks leave this place of C and S no value, or half of one
  double mantissa;
  int exponent;
  double c, s, alpha, beta; // C and S of the core, and of the caller's pair
} N (entry);

// A small regular pair, its rows in lanes (gsvd_rows_page_template.h).
typedef struct {
  int fits;
  int64_t rm, rn, rp;        // registers of m, n and p rows
  N (num) * a, *b;           // A and B without exponent_a and exponent_b, and zero columns behind
  N (num) * f, *g, *uf, *ug; // the same equilibrated, then R; the reflectors
  N (num) * t, *w;           // R' of F, which Jacobi turns, and what it does
  N (num) * u, *v;           // U and V
  N (meetings) * m;
} N (rows_work);

// Workspace of a page. F and G are A and B with scaled columns, shortened by QR where they are
// tall.
typedef struct {
  int64_t m, n, p, q;
  int tall_a, tall_b;
  GLA_REAL *tall_f, *tall_g, *tau_tall_f, *tau_tall_g;
  N (pair) pair;
  N (deflated) first, second;
  N (rank_scratch) rank;
  N (core_work) core;
  GLA_REAL *copy;               // of F, and for the scaling of columns of X
  GLA_REAL *u, *v;              // where the caller wants X and not them
  N (entry) * entries, *sorted; // q of them; room for 2 p
  int *source_u, *source_v;
  char *used;
  N (rows_work) rows; // where a regular pair stays in registers
  // of the page that is at work
  GLA_BITS *largest_a, *largest_b; // of the columns
  int exponent_a, exponent_b;      // of the largest entries
  N (chain) chain_f, chain_g;
  int64_t offset_f, offset_g; // what deflation has split off: Inf and 0
  N (core_result) result;
  gla_gsvd_stats stats;
} N (gsvd);

static int N (is_tall) (int64_t rows, int64_t columns)
{
  return rows > columns + columns / 2;
}

static void N (core_layout) (char *base, size_t *at, const gla_cpu_gsvd_plan *plan, int team,
                             int64_t p, N (core_work) * w)
{
  const size_t square = (size_t)(p * p) * sizeof (N (el)), line = (size_t)p * sizeof (N (el));
  const int hz = plan->method == GLA_GSVD_HZ;
  const size_t lanes = plan->width > 0 ? 0 : (size_t)(N (registers) (p) * p) * sizeof (N (num));
  N (member) none;
  w->m = gla_carve (base, at, square);
  w->vectors = gla_carve (base, at, square);
  w->inner = gla_carve (base, at, hz ? 0 : square);
  w->tau_f = gla_carve (base, at, line);
  w->tau_g = gla_carve (base, at, line);
  w->tau_inner = gla_carve (base, at, line);
  w->sigma = gla_carve (base, at, (size_t)p * sizeof (GLA_REAL));
  w->perm_f = gla_carve (base, at, (size_t)p * sizeof (int));
  w->perm_g = gla_carve (base, at, (size_t)p * sizeof (int));
  w->lanes_f = gla_carve (base, at, lanes);
  w->lanes_g = gla_carve (base, at, lanes);
  w->member_bytes = plan->width > 0 ? N (member_layout) (NULL, p, plan->width, hz, &none) : 0;
  w->members = gla_carve (base, at, w->member_bytes * (size_t)team);
  w->notes = gla_carve (base, at,
                        plan->width > 0 ? (size_t)(p / plan->width / 2 + 2) * sizeof *w->notes : 0);
}

static void N (deflated_layout) (char *base, size_t *at, int64_t rows_f, int64_t rows_g, int64_t p,
                                 N (deflated) * w)
{
  w->f = gla_carve (base, at, (size_t)(rows_f * p) * sizeof (N (el)));
  w->g = gla_carve (base, at, (size_t)(rows_g * p) * sizeof (N (el)));
  w->tau_f = gla_carve (base, at, (size_t)p * sizeof (N (el)));
  w->tau_g = gla_carve (base, at, (size_t)p * sizeof (N (el)));
}

static void N (rows_layout) (char *base, size_t *at, const gla_gsvd_job *job,
                             const gla_cpu_gsvd_plan *plan, N (rows_work) * w)
{
  const int64_t m = job->m, n = job->n, p = job->p, el = sizeof (N (num));
  w->fits = plan->method == GLA_GSVD_TANGENT && plan->width == 0 && N (is_small) (m, n) &&
            p <= gla_less (m, n);
  if (!w->fits)
    return;
  w->rm = N (registers) (m), w->rn = N (registers) (n), w->rp = N (registers) (p);
  const int64_t all = w->rp * GLA_LANES; // with columns of zeros behind the last
  w->a = gla_carve (base, at, (size_t)(w->rm * all * el));
  w->b = gla_carve (base, at, (size_t)(w->rn * all * el));
  w->f = gla_carve (base, at, (size_t)(w->rm * all * el));
  w->g = gla_carve (base, at, (size_t)(w->rn * all * el));
  w->uf = gla_carve (base, at, (size_t)(w->rm * all * el));
  w->ug = gla_carve (base, at, (size_t)(w->rn * all * el));
  w->t = gla_carve (base, at, (size_t)(w->rp * (all + 1) * el)); // a player more than columns
  w->w = gla_carve (base, at, (size_t)(w->rp * (all + 1) * el));
  const int64_t steps = gla_ordering_steps (job->options.ordering, (int32_t)(p + p % 2));
  w->m = gla_carve (base, at, (size_t)(steps * w->rp) * sizeof *w->m);
  w->u = gla_carve (base, at, (size_t)(w->rm * gla_more (p, job->u_columns) * el));
  w->v = gla_carve (base, at, (size_t)(w->rn * gla_more (p, job->v_columns) * el));
}

static size_t N (gsvd_layout) (char *base, const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan,
                               int team, N (gsvd) * w)
{
  const int64_t m = job->m, n = job->n, p = job->p, q = gla_less (m + n, p), el = sizeof (N (el));
  size_t at = 0;
  memset (w, 0, sizeof *w);
  w->m = m, w->n = n, w->p = p, w->q = q;
  w->tall_a = N (is_tall) (m, p), w->tall_b = N (is_tall) (n, p);
  const int64_t rf = w->tall_a ? p : m, rg = w->tall_b ? p : n, most = gla_more (m, n);
  const int64_t columns = gla_more (p, gla_more (job->u_columns, job->v_columns));
  w->tall_f = gla_carve (base, &at, (size_t)(w->tall_a ? m * p * el : 0));
  w->tall_g = gla_carve (base, &at, (size_t)(w->tall_b ? n * p * el : 0));
  w->tau_tall_f = gla_carve (base, &at, (size_t)(p * el));
  w->tau_tall_g = gla_carve (base, &at, (size_t)(p * el));
  w->pair.f = gla_carve (base, &at, (size_t)(rf * p * el));
  w->pair.g = gla_carve (base, &at, (size_t)(rg * p * el));
  w->pair.threshold_f = gla_carve (base, &at, (size_t)p * sizeof (GLA_REAL));
  w->pair.threshold_g = gla_carve (base, &at, (size_t)p * sizeof (GLA_REAL));
  N (deflated_layout) (base, &at, rf, rg, p, &w->first);
  if (plan->method == GLA_GSVD_HZ)
    N (deflated_layout) (base, &at, p, rf, p, &w->second);
  w->rank.row = gla_carve (base, &at, (size_t)(p * el));
  w->rank.threshold = gla_carve (base, &at, (size_t)p * sizeof (GLA_REAL));
  w->rank.perm = gla_carve (base, &at, (size_t)p * sizeof (int));
  w->rank.perm_rest = gla_carve (base, &at, (size_t)p * sizeof (int));
  N (lapack_layout) (base, &at, columns, &w->rank.lapack);
  N (pivot_layout) (base, &at, gla_more (rf, gla_more (rg, p)), p, &w->rank.lapack.pivots);
  N (core_layout) (base, &at, plan, team, p, &w->core);
  w->core.lapack = w->rank.lapack;
  w->copy = gla_carve (base, &at, (size_t)(gla_more (rf * p, most * gla_less (q, N (strip))) * el));
  w->u = gla_carve (base, &at, (size_t)(job->x && !job->u_columns ? m * gla_less (m, q) * el : 0));
  w->v = gla_carve (base, &at, (size_t)(job->x && !job->v_columns ? n * gla_less (n, q) * el : 0));
  w->entries = gla_carve (base, &at, (size_t)q * sizeof *w->entries);
  w->source_u = gla_carve (base, &at, (size_t)m * sizeof (int));
  w->source_v = gla_carve (base, &at, (size_t)n * sizeof (int));
  w->sorted = gla_carve (base, &at, (size_t)(2 * p) * sizeof *w->sorted);
  w->used = gla_carve (base, &at, (size_t)most);
  w->largest_a = gla_carve (base, &at, (size_t)p * sizeof *w->largest_a);
  w->largest_b = gla_carve (base, &at, (size_t)p * sizeof *w->largest_b);
  N (rows_layout) (base, &at, job, plan, &w->rows);
  return at;
}
