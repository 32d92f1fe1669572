// gsvd_sweeps_template.h: sweeps over all pairs of columns, one by one or by blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Jacobi works on one matrix f, whose columns become orthogonal, and applies the same to g, which
// may be missing; Hari-Zimmermann works on both. Blocks: the Gram matrix of two blocks of columns,
// its Cholesky factor, one sweep (or as many as are needed) on the columns of that, which is small
// and stays in a cache, and a product with what these sweeps did. What one pair of blocks gives
// depends on nothing else, so a step's pairs may go to any threads, and blocks to any devices.

typedef struct {
  const gla_cpu_gsvd_task *task;
  int hz;
  int64_t columns;
  GLA_REAL *f, *g; // rows_f x columns and rows_g x columns, packed
  int64_t rows_f, rows_g;
  N (num) * lanes_f, *lanes_g; // room for both, where there are no blocks
  char *members;               // room for each thread
  size_t member_bytes;
  N (sweep_note) * notes; // room for one of each pair of a step
  gla_gsvd_stats *stats;
} N (iteration);

// Cosines up to this are rounding errors of products of so many numbers.
static GLA_REAL N (cosine_tolerance) (int64_t rows)
{
  return GLA_EPS * GLA_SQRT ((GLA_REAL)rows);
}

// Whether the sweep that was noted was the last: the cosines that it left are of the size of those
// it met times how far columns moved, relatively: by the sine, and a short one by the cosine. Among
// equal values rounding errors turn columns by any angle, for ever.
static int N (converged) (const N (sweep_note) * note, int64_t columns, GLA_REAL tol)
{
  const GLA_REAL cosine = GLA_SQRT (note->cosine2), sine = GLA_SQRT (note->sine2);
  return note->exchanges == 0 &&
         (cosine <= 4 * tol || cosine * N (larger) (cosine, sine) * (GLA_REAL)columns <= tol);
}

//------------------------------------------------------------------------------
// one by one
//------------------------------------------------------------------------------

// Columns in lanes: rows in registers are rv, of what gathers rw.
typedef struct {
  N (num) * f, *g, *z; // z NULL: nothing gathers; g only for Hari-Zimmermann
  int64_t rv, rw;
  int columns;
} N (panel);

// Groups at a time: the roots and divisions of one go on while those of the other wait.
enum { N (groups_most) = 2 };

static inline void N (jacobi_groups) (const N (panel) * a, const N (group) * g, int count,
                                      GLA_REAL tol, N (lane_notes) * note)
{
  N (products) f[N (groups_most)];
  N (turns) r[N (groups_most)];
  for (int k = 0; k < count; k++)
    f[k] = N (group_products) (&g[k], a->f, a->rv);
  for (int k = 0; k < count; k++)
    r[k] = N (turns_of) (&f[k], tol, note);
  for (int k = 0; k < count; k++) {
    N (turn_columns) (&g[k], &r[k], a->f, a->rv);
    if (a->z)
      N (turn_columns) (&g[k], &r[k], a->z, a->rw);
  }
}

static inline void N (hz_groups) (const N (panel) * a, const N (group) * g, int count, GLA_REAL tol,
                                  N (lane_notes) * note)
{
  N (products) f[N (groups_most)], b[N (groups_most)];
  N (congruences) z[N (groups_most)];
  for (int k = 0; k < count; k++) {
    f[k] = N (group_products) (&g[k], a->f, a->rv);
    b[k] = N (group_products) (&g[k], a->g, a->rv);
  }
  for (int k = 0; k < count; k++)
    z[k] = N (congruences_from) (&f[k], &b[k], tol, note);
  for (int k = 0; k < count; k++) {
    N (combine_columns) (&g[k], &z[k], a->f, a->rv);
    N (combine_columns) (&g[k], &z[k], a->g, a->rv);
    if (a->z)
      N (combine_columns) (&g[k], &z[k], a->z, a->rw);
  }
}

// The next group of a step's pairs, from pair *k on; those with a player that is no column are
// left out.
static inline N (group)
    N (next_group) (const int32_t *pairs, int pairs_count, int64_t columns, int *k)
{
  N (group) g = {.count = 0};
  for (; *k < pairs_count && g.count < GLA_LANES; ++*k)
    if (pairs[2 * *k + 1] < columns) {
      g.p[g.count] = pairs[2 * *k];
      g.q[g.count++] = pairs[2 * *k + 1];
    }
  return g;
}

static N (sweep_note)
    N (sweep_panel) (const gla_cpu_gsvd_order *o, const N (panel) * a, int hz, GLA_REAL tol)
{
  N (lane_notes) note = {.cosine2 = N (all) (0), .sine2 = N (all) (0)};
  for (int s = 0; s < o->steps; s++) {
    const int32_t *pairs = o->pairs + (int64_t)s * o->players;
    for (int k = 0; k < o->players / 2;) {
      N (group) g[N (groups_most)];
      int count = 0;
      while (count < N (groups_most) && k < o->players / 2)
        g[count++] = N (next_group) (pairs, o->players / 2, a->columns, &k);
      if (hz)
        N (hz_groups) (a, g, count, tol, &note);
      else
        N (jacobi_groups) (a, g, count, tol, &note);
    }
  }
  return N (note_of) (&note);
}

// Returns nonzero where it did not converge.
static int N (iterate_columns) (const N (iteration) * it)
{
  const int64_t n = it->columns, rf = N (registers) (it->rows_f), rg = N (registers) (it->rows_g);
  const GLA_REAL tol = N (cosine_tolerance) (it->rows_f);
  N (panel) a = {it->lanes_f, NULL, NULL, rf, rg, (int)n};
  for (int64_t j = 0; j < n; j++)
    N (load_column) (it->lanes_f + j * rf, it->rows_f, it->f + j * it->rows_f * GLA_PARTS, 1);
  for (int64_t j = 0; it->g && j < n; j++)
    N (load_column) (it->lanes_g + j * rg, it->rows_g, it->g + j * it->rows_g * GLA_PARTS, 1);
  if (it->hz)
    a.g = it->lanes_g;
  else if (it->g)
    a.z = it->lanes_g;
  int going = 1;
  for (int s = 0; s < GLA_GSVD_SWEEPS && going; s++) {
    const N (sweep_note) note = N (sweep_panel) (it->task->columns, &a, it->hz, tol);
    it->stats->rotations[s] = note.rotations;
    it->stats->sweeps = s + 1;
    gla_cpu_gsvd_swept (it->task, s + 1);
    going = !N (converged) (&note, n, tol) && !gla_cpu_gsvd_stopped (it->task);
  }
  for (int64_t j = 0; j < n; j++)
    N (store_rows) (it->f + j * it->rows_f * GLA_PARTS, it->rows_f, it->lanes_f + j * rf);
  for (int64_t j = 0; it->g && j < n; j++)
    N (store_rows) (it->g + j * it->rows_g * GLA_PARTS, it->rows_g, it->lanes_g + j * rg);
  return going;
}

//------------------------------------------------------------------------------
// one pair of blocks
//------------------------------------------------------------------------------

// What a thread needs for it.
typedef struct {
  GLA_REAL *strip, *copy;    // the columns of both blocks, of f or g; and once more
  GLA_REAL *gram_f, *gram_g; // and their Cholesky factors
  GLA_REAL *z;               // what the sweeps did
  N (num) * lf, *lg, *lz;    // the same in lanes
  GLA_REAL *tau;
  N (lapack) lapack;
} N (member);

static size_t N (member_layout) (char *base, int64_t rows, int width, int hz, N (member) * w)
{
  const int64_t c = 2 * (int64_t)width, rv = N (registers) (c);
  const size_t square = (size_t)(c * c) * sizeof (N (el));
  size_t at = 0;
  memset (w, 0, sizeof *w);
  w->strip = gla_carve (base, &at, (size_t)(rows * c) * sizeof (N (el)));
  w->copy = gla_carve (base, &at, (size_t)(rows * c) * sizeof (N (el)));
  w->gram_f = gla_carve (base, &at, square);
  w->gram_g = gla_carve (base, &at, hz ? square : 0);
  w->z = gla_carve (base, &at, square);
  w->lf = gla_carve (base, &at, (size_t)(rv * c) * sizeof (N (num)));
  w->lg = gla_carve (base, &at, (size_t)(hz ? rv * c : 0) * sizeof (N (num)));
  w->lz = gla_carve (base, &at, (size_t)(rv * c) * sizeof (N (num)));
  w->tau = gla_carve (base, &at, (size_t)c * sizeof (N (el)));
  N (lapack_layout) (base, &at, c, &w->lapack);
  return at;
}

// Columns first[0].. and first[1].. of count[0] and count[1].
typedef struct {
  int64_t first[2];
  int count[2], both;
} N (blocks_pair);

// Block k of width w or one less, so that they are of equal size.
static int64_t N (block_first) (int64_t columns, int blocks, int k)
{
  return columns * k / blocks;
}

static N (blocks_pair) N (blocks_pair_of) (int64_t columns, int blocks, int p, int q)
{
  N (blocks_pair)
  b = {{N (block_first) (columns, blocks, p), N (block_first) (columns, blocks, q)}, {0, 0}, 0};
  b.count[0] = (int)(N (block_first) (columns, blocks, p + 1) - b.first[0]);
  b.count[1] = (int)(N (block_first) (columns, blocks, q + 1) - b.first[1]);
  b.both = b.count[0] + b.count[1];
  return b;
}

static void N (gather_blocks) (const N (blocks_pair) * b, const GLA_REAL *x, int64_t rows,
                               GLA_REAL *to)
{
  const size_t column = (size_t)(rows * GLA_PARTS) * sizeof *x;
  memcpy (to, x + b->first[0] * rows * GLA_PARTS, (size_t)b->count[0] * column);
  memcpy (to + b->count[0] * rows * GLA_PARTS, x + b->first[1] * rows * GLA_PARTS,
          (size_t)b->count[1] * column);
}

// The largest cosine between two columns, from their Gram matrix.
static GLA_REAL N (largest_cosine) (int c, const N (el) * gram)
{
  GLA_REAL inverse[256], largest = 0;
  for (int j = 0; j < c; j++) {
    const GLA_REAL x = __real__ gram[j + j * c];
    inverse[j] = x > 0 ? 1 / GLA_SQRT (x) : 0;
  }
  for (int j = 0; j < c; j++)
    for (int i = 0; i < j; i++) {
      const N (el) x = N (el_scale) (inverse[i], N (el_scale) (inverse[j], gram[i + j * c]));
      const GLA_REAL x2 = N (el_abs2) (x);
      largest = x2 > largest ? x2 : largest;
    }
  return GLA_SQRT (largest);
}

// Gram matrix of the strip; its lower triangle is not filled.
static void N (gram_of) (const N (blocks_pair) * b, int64_t rows, const GLA_REAL *x, GLA_REAL *gram)
{
  const int64_t p = b->count[0], q = b->count[1], c = b->both;
  const GLA_REAL *y = x + p * rows * GLA_PARTS;
  GLA_REAL *right = gram + p * c * GLA_PARTS;
  N (gemm) ("C", "N", p, p, rows, 1, x, rows, x, rows, 0, gram, c);
  N (gemm) ("C", "N", p, q, rows, 1, x, rows, y, rows, 0, right, c);
  N (gemm) ("C", "N", q, q, rows, 1, y, rows, y, rows, 0, right + p * GLA_PARTS, c);
}

// An upper triangle R with R'R = X'X into lanes, from the Gram matrix; from X itself where columns
// are so close to each other that the Gram matrix has lost them.
static void N (factor_blocks) (int c, int64_t rows, const GLA_REAL *strip, GLA_REAL *gram,
                               N (num) * lanes, const N (member) * w)
{
  const int64_t rv = N (registers) (c), part = GLA_PARTS;
  GLA_REAL before[256];
  GLA_REAL *from = gram;
  int64_t ld = c;
  for (int j = 0; j < c; j++)
    before[j] = gram[(j + j * c) * part];
  int lost = N (cholesky) (c, gram, c);
  for (int j = 0; j < c && !lost; j++) {
    const GLA_REAL d = gram[(j + j * c) * part];
    lost = !(d * d > GLA_SQRT (GLA_EPS) * before[j]);
  }
  if (lost) {
    memcpy (w->copy, strip, (size_t)(rows * c * part) * sizeof *strip);
    N (qr_plain) (rows, c, w->copy, rows, w->tau, &w->lapack);
    from = w->copy;
    ld = rows;
  }
  memset (lanes, 0, (size_t)(rv * c) * sizeof *lanes);
  for (int j = 0; j < c; j++)
    N (load_column) (lanes + j * rv, gla_less (j + 1, rows), from + j * ld * part, 1);
}

// x = x Z on the columns of both blocks; strip holds them.
static void N (multiply_blocks) (const N (blocks_pair) * b, GLA_REAL *x, int64_t rows,
                                 const GLA_REAL *strip, const GLA_REAL *z)
{
  const int64_t c = b->both;
  N (gemm)
  ("N", "N", rows, b->count[0], c, 1, strip, rows, z, c, 0, x + b->first[0] * rows * GLA_PARTS,
   rows);
  N (gemm)
  ("N", "N", rows, b->count[1], c, 1, strip, rows, z + b->count[0] * c * GLA_PARTS, c, 0,
   x + b->first[1] * rows * GLA_PARTS, rows);
}

// Sweeps on the triangles; Z into w->z.
static N (sweep_note) N (inner_sweeps) (const N (iteration) * it, int c, const N (member) * w)
{
  const int64_t rv = N (registers) (c);
  const int most = it->task->job->options.blocking == GLA_FULL_BLOCK ? 30 : 1;
  const N (panel) a = {w->lf, w->lg, w->lz, rv, rv, c};
  N (sweep_note) all = {0, 0, 0, 0};
  memset (w->lz, 0, (size_t)(rv * c) * sizeof *w->lz);
  for (int j = 0; j < c; j++)
    N (set) (w->lz + j * rv, j, N (make) (1, 0));
  for (int s = 0; s < most; s++) {
    const N (sweep_note) note =
        N (sweep_panel) (it->task->columns, &a, it->hz, N (cosine_tolerance) (c));
    N (note_join) (&all, note);
    if (note.rotations == 0 && note.exchanges == 0)
      break;
  }
  for (int j = 0; j < c; j++)
    N (store_rows) (w->z + j * c * GLA_PARTS, c, w->lz + j * rv);
  return all;
}

static N (sweep_note)
    N (work_on_blocks) (const N (iteration) * it, const N (blocks_pair) * b, const N (member) * w)
{
  const N (sweep_note) nothing = {0, 0, 0, 0};
  const int c = b->both;
  GLA_REAL cosine = 0;
  if (it->hz) {
    N (gather_blocks) (b, it->g, it->rows_g, w->strip);
    N (gram_of) (b, it->rows_g, w->strip, w->gram_g);
    cosine = N (largest_cosine) (c, (const N (el) *)w->gram_g);
    N (factor_blocks) (c, it->rows_g, w->strip, w->gram_g, w->lg, w);
  }
  N (gather_blocks) (b, it->f, it->rows_f, w->strip);
  N (gram_of) (b, it->rows_f, w->strip, w->gram_f);
  cosine = N (larger) (cosine, N (largest_cosine) (c, (const N (el) *)w->gram_f));
  if (cosine <= N (cosine_tolerance) (it->rows_f))
    return nothing;
  N (factor_blocks) (c, it->rows_f, w->strip, w->gram_f, w->lf, w);
  const N (sweep_note) note = N (inner_sweeps) (it, c, w);
  N (multiply_blocks) (b, it->f, it->rows_f, w->strip, w->z);
  if (it->g) {
    N (gather_blocks) (b, it->g, it->rows_g, w->strip);
    N (multiply_blocks) (b, it->g, it->rows_g, w->strip, w->z);
  }
  return note;
}

//------------------------------------------------------------------------------
// sweeps over blocks
//------------------------------------------------------------------------------

// A step of a sweep: pairs that have no block in common.
typedef struct {
  const N (iteration) * it;
  const int32_t *pairs;
  int blocks;
  N (sweep_note) * notes; // of each pair
} N (blocks_step);

static void N (blocks_piece) (void *user, int64_t k, int member)
{
  const N (blocks_step) *s = user;
  const N (iteration) *it = s->it;
  const int p = s->pairs[2 * k], q = s->pairs[2 * k + 1];
  s->notes[k] = (N (sweep_note)){0, 0, 0, 0};
  if (q >= s->blocks || gla_cpu_crew_stopped (it->task->crew, it->task->thread + member))
    return;
  N (member) w;
  N (member_layout)
  (it->members + (size_t)member * it->member_bytes, gla_more (it->rows_f, it->rows_g),
   it->task->plan->width, it->hz, &w);
  const N (blocks_pair) b = N (blocks_pair_of) (it->columns, s->blocks, p, q);
  s->notes[k] = N (work_on_blocks) (it, &b, &w);
}

static N (sweep_note) N (sweep_blocks) (const N (iteration) * it, int blocks)
{
  const gla_cpu_gsvd_order *o = it->task->blocks;
  N (sweep_note) all = {0, 0, 0, 0};
  for (int s = 0; s < o->steps && !gla_cpu_gsvd_stopped (it->task); s++) {
    N (blocks_step) step = {it, o->pairs + (int64_t)s * o->players, blocks, it->notes};
    gla_cpu_crew_for (it->task->crew, o->players / 2, it->task->team, N (blocks_piece), &step);
    for (int k = 0; k < o->players / 2; k++)
      N (note_join) (&all, it->notes[k]);
  }
  return all;
}

static int N (iterate_blocks) (const N (iteration) * it)
{
  const int width = it->task->plan->width;
  const int blocks = (int)gla_more (2, (it->columns + width - 1) / width);
  const GLA_REAL tol = N (cosine_tolerance) (it->rows_f);
  int going = 1;
  for (int s = 0; s < GLA_GSVD_SWEEPS && going; s++) {
    const N (sweep_note) note = N (sweep_blocks) (it, blocks);
    it->stats->rotations[s] = note.rotations;
    it->stats->sweeps = s + 1;
    gla_cpu_gsvd_swept (it->task, s + 1);
    going = !N (converged) (&note, it->columns, tol) && !gla_cpu_gsvd_stopped (it->task);
  }
  return going;
}

// Nonzero where it did not converge.
static int N (iterate) (const N (iteration) * it)
{
  if (it->columns < 2)
    return 0;
  return it->task->plan->width > 0 ? N (iterate_blocks) (it) : N (iterate_columns) (it);
}
