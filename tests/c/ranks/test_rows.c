// test_rows.c: QR and least squares of matrices whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: tsan

#include "crew.h"
#include "qr/qr_kinds.h"

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const int counts[] = {1, 2, 3, 4, 5, 8};
static crew all;
static gla_context *ctx;

// One problem on all ranks: the whole arrays, and what each rank has of the results that all have.
typedef struct {
  qr_page *qr;
  int64_t first[MOST_RANKS + 1];
  gla_array common[MOST_RANKS][2];
  int64_t *jpvt[MOST_RANKS];
  int32_t info[MOST_RANKS][4];
  gla_least_squares_report report[MOST_RANKS];
} problem;

// What the ranks have in common: bits of rank r and of rank 0.
static void check_common (const problem *p, int which, int ranks, const char *what)
{
  for (int r = 1; r < ranks; r++)
    for (int64_t page = 0; page < p->common[0][which].pages; page++)
      CHECK (same_page (&p->common[0][which], page, &p->common[r][which], page),
             "%s: rank %d has other bits than rank 0", what, r);
}

static void free_common (problem *p, int ranks)
{
  for (int r = 0; r < ranks; r++) {
    for (int k = 0; k < 2; k++)
      free (p->common[r][k].data);
    free (p->jpvt[r]);
    p->jpvt[r] = NULL;
  }
  memset (p->common, 0, sizeof p->common);
}

//------------------------------------------------------------------------------
// QR
//------------------------------------------------------------------------------

static void qr_body (member *m)
{
  problem *p = m->all->user;
  const qr_page *page = p->qr;
  const gla_array A = crew_rows (&page->a[QR_A], p->first, m->rank),
                  B = crew_rows (&page->a[QR_B], p->first, m->rank);
  const gla_qr_options o = {sizeof o, page->call.pivot, page->call.block};
  gla_array *common = p->common[m->rank];
  common[0] = crew_copy (&page->a[QR_R]);
  common[1] = crew_copy (&page->a[QR_C]);
  p->jpvt[m->rank] = calloc ((size_t)(page->call.n * page->call.pages) + 1, sizeof (int64_t));
  const gla_qr_results r = {.size = sizeof r,
                            .Q = crew_rows (&page->a[QR_Q], p->first, m->rank),
                            .R = common[0],
                            .C = common[1],
                            .jpvt = p->jpvt[m->rank]};
  gla_qr_report report = {.base.size = sizeof report};
  m->status = gla_qr_rows (m->ctx, m->ranks, &A, page->call.c ? &B : NULL, &r, &o, &report);
}

static void copy_pages (const gla_array *to, const gla_array *from)
{
  if (to->data != NULL)
    memcpy (to->data, from->data, (size_t)(to->page_stride * to->pages) * gla_type_size (to->type));
}

// Whether R has the signs of LAPACK, where the sign means something.
static void check_signs (const qr_page *p, const char *what)
{
  qr_call c = p->call;
  c.q = c.c = 0;
  c.gap = 0;
  qr_page one = qr_page_new (&c);
  for (int page = 0; page < c.pages; page++)
    for (int j = 0; j < c.n; j++)
      for (int i = 0; i < c.m; i++)
        qr_set (c.type, one.a[QR_A].data, i + (int64_t)c.m * (j + (int64_t)c.n * page),
                qr_at (&p->a[QR_A], i, j, page));
  qr_run (ctx, &one);
  const double eps = gla_type_eps (c.type);
  for (int page = 0; page < c.pages; page++)
    for (int j = 0; j < qr_least (&c); j++) {
      double norm = 0, off = 0;
      for (int i = 0; i <= j; i++) {
        const double complex x = qr_at (&one.a[QR_R], i, j, page);
        norm = fmax (norm, cabs (x));
        off = check_worst (off, cabs (x - qr_at (&p->a[QR_R], i, j, page)));
      }
      CHECK (off <= 300 * sqrt (c.n) * eps * norm, "%s: column %d of R is off by %g eps", what, j,
             off / norm / eps);
    }
  qr_page_free (&one);
}

// One problem, twice, for the same bits; `signs`: R is compared with that of one matrix.
static void run_qr (const qr_call *c, kind_of_matrix kind, int ranks, int split, int signs)
{
  static problem p;
  char what[120];
  snprintf (what, sizeof what, "%c %dx%d kind %d, %d ranks, split %d, pivot %d", c->type, c->m,
            c->n, kind, ranks, split, c->pivot);
  qr_page page = qr_page_new (c), again = qr_page_new (c);
  for (int k = 0; k < 2; k++) {
    qr_page *q = k == 0 ? &page : &again;
    fill_array (c, &q->a[QR_A], kind, 1 + (unsigned long long)c->m);
    fill_array (c, &q->a[QR_B], RANDOM, 2);
    q->before = malloc (qr_bytes (&q->a[QR_A]) + 1);
    memcpy (q->before, q->a[QR_A].data, qr_bytes (&q->a[QR_A]));
    p.qr = q;
    crew_split (c->m, ranks, split, p.first);
    crew_run (&all, ranks, qr_body, &p);
    crew_expect (&all, GLA_OK, "", what);
    check_common (&p, 0, ranks, what);
    check_common (&p, 1, ranks, what);
    copy_pages (&q->a[QR_R], &p.common[ranks - 1][0]);
    copy_pages (&q->a[QR_C], &p.common[ranks - 1][1]);
    memcpy (q->jpvt, p.jpvt[ranks - 1], (size_t)(c->n * c->pages) * sizeof *q->jpvt);
    free_common (&p, ranks);
  }
  check_quality (&page, kind);
  if (signs)
    check_signs (&page, what);
  for (int k = 0; k < c->pages; k++)
    for (int x = QR_Q; x <= QR_C; x++)
      CHECK (same_page (&page.a[x], k, &again.a[x], k), "%s: other bits when run again", what);
  qr_page_free (&page);
  qr_page_free (&again);
}

static void test_qr_sizes (gla_type type)
{
  static const int sizes[][2] = {{200, 7}, {97, 33}, {40, 17}, {64, 16},
                                 {9, 9},   {5, 12},  {3, 1},   {130, 1}};
  for (int s = 0; s < 8; s += 1 + SLOW)
    for (int k = 0; k < 6; k++)
      for (int split = 0; split < SPLITS; split += 1 + SLOW) {
        const qr_call c = {.type = type,
                           .m = sizes[s][0],
                           .n = sizes[s][1],
                           .pages = 1 + s % 2,
                           .rhs = 2,
                           .gap = 3,
                           .q = 1,
                           .r = 1,
                           .c = 1};
        run_qr (&c, RANDOM, counts[k], split, 1);
      }
}

static void test_qr_hard (gla_type type)
{
  const qr_call c = {
      .type = type, .m = 60, .n = 12, .pages = 1, .rhs = 1, .gap = 1, .q = 1, .r = 1, .c = 1};
  for (int kind = 0; kind < KINDS; kind += 1 + 4 * SLOW)
    run_qr (&c, (kind_of_matrix)kind, 3, kind % SPLITS, 0);
}

static void test_qr_pivot (gla_type type)
{
  for (int k = 0; k < 6; k += 1 + SLOW) {
    const qr_call c = {
        .type = type, .m = 77, .n = 13, .pages = 2, .rhs = 2, .q = 1, .r = 1, .c = 1, .pivot = 1};
    run_qr (&c, GRADED_COLUMNS, counts[k], k % SPLITS, 0);
    run_qr (&c, SAME_COLUMNS, counts[k], k % SPLITS, 0);
  }
}

// Parts of the results alone, and a number of columns above one block.
static void test_qr_parts (void)
{
  qr_call c = {.type = GLA_TYPE_D, .m = 900, .n = 150, .pages = 1, .q = 1, .r = 1};
  run_qr (&c, RANDOM, 4, 0, 1);
  c.block = 16;
  run_qr (&c, RANDOM, 3, 1, 1);
  const qr_call r_alone = {.type = GLA_TYPE_Z, .m = 50, .n = 6, .pages = 3, .r = 1};
  const qr_call c_alone = {.type = GLA_TYPE_D, .m = 50, .n = 6, .pages = 3, .c = 1, .rhs = 4};
  static problem p;
  for (int k = 0; k < 2; k++) {
    const qr_call *call = k == 0 ? &r_alone : &c_alone;
    qr_page page = qr_page_new (call);
    fill_array (call, &page.a[QR_A], RANDOM, 5);
    fill_array (call, &page.a[QR_B], RANDOM, 6);
    p.qr = &page;
    crew_split (call->m, 3, 0, p.first);
    crew_run (&all, 3, qr_body, &p);
    crew_expect (&all, GLA_OK, "", "one result");
    check_common (&p, k, 3, "one result");
    free_common (&p, 3);
    qr_page_free (&page);
  }
}

//------------------------------------------------------------------------------
// least squares
//------------------------------------------------------------------------------

static void ls_body (member *m)
{
  problem *p = m->all->user;
  const qr_page *page = p->qr;
  const gla_array A = crew_rows (&page->a[QR_A], p->first, m->rank),
                  B = crew_rows (&page->a[QR_B], p->first, m->rank);
  gla_array *X = &p->common[m->rank][0];
  gla_least_squares_report *report = &p->report[m->rank];
  *X = gla_array_packed (NULL, A.type, A.columns, B.columns, A.pages, GLA_DEVICE_HOST);
  X->data = calloc ((size_t)(X->page_stride * X->pages) + 1, gla_type_size (A.type));
  const gla_least_squares_results r = {.size = sizeof r, .X = *X, .info = p->info[m->rank]};
  report->base.size = sizeof *report;
  m->status = gla_least_squares_rows (m->ctx, m->ranks, &A, &B, &r, NULL, report);
}

// |A'*(A*x - b)| / (|A| * (|A| |x| + |b|) * m * eps), the largest entry; and |x|
static double normal_residual (const qr_page *p, const gla_array *X, int page, double *size)
{
  const gla_array *A = &p->a[QR_A], *B = &p->a[QR_B];
  double norm = 0, x_norm = 0, b_norm = 0, worst = 0;
  double complex *r = calloc ((size_t)A->rows, sizeof *r);
  for (int64_t i = 0; i < A->rows; i++) {
    r[i] = -qr_at (B, i, 0, page);
    b_norm = fmax (b_norm, cabs (r[i]));
    for (int64_t j = 0; j < A->columns; j++) {
      r[i] += qr_at (A, i, j, page) * qr_at (X, j, 0, page);
      norm = fmax (norm, cabs (qr_at (A, i, j, page)));
      x_norm = check_worst (x_norm, cabs (qr_at (X, j, 0, page)));
    }
  }
  for (int64_t j = 0; j < A->columns; j++) {
    double complex s = 0;
    for (int64_t i = 0; i < A->rows; i++)
      s += conj (qr_at (A, i, j, page)) * r[i];
    worst = check_worst (worst, cabs (s));
  }
  free (r);
  *size = x_norm;
  const double scale = norm * ((double)A->columns * norm * x_norm + b_norm) * (double)A->rows;
  return worst / scale / gla_type_eps (A->type);
}

static void test_least_squares (gla_type type, kind_of_matrix kind, int m, int n, int ranks)
{
  static problem p;
  char what[80];
  snprintf (what, sizeof what, "%c %dx%d kind %d, solve on %d ranks", type, m, n, kind, ranks);
  const qr_call c = {.type = type, .m = m, .n = n, .pages = 2, .rhs = 1};
  qr_page page = qr_page_new (&c);
  fill_array (&c, &page.a[QR_A], kind, 7);
  fill_array (&c, &page.a[QR_B], RANDOM, 8);
  p.qr = &page;
  crew_split (m, ranks, ranks % SPLITS, p.first);
  crew_run (&all, ranks, ls_body, &p);
  crew_expect (&all, GLA_OK, "", what);
  check_common (&p, 0, ranks, what);

  gla_array X = crew_copy (&p.common[0][0]);
  int32_t info[2];
  const gla_least_squares_results r = {.size = sizeof r, .X = X, .info = info};
  CHECK (gla_least_squares (ctx, &page.a[QR_A], &page.a[QR_B], &r, NULL, NULL) == GLA_OK, "%s",
         what);
  for (int k = 0; k < 2; k++) {
    double size, expected;
    const double off = normal_residual (&page, &p.common[0][0], k, &size);
    (void)normal_residual (&page, &X, k, &expected);
    CHECK (off < 30, "%s: the residual is %g from orthogonal", what, off);
    CHECK (fabs (size - expected) <= 1e-3 * expected, "%s: |x| = %g, of one matrix %g", what, size,
           expected);
    for (int rank = 0; rank < ranks; rank++)
      CHECK (p.info[rank][k] == info[k] && p.report[rank].pages_deficient == 2 * (info[0] > 0),
             "%s: rank %d: info %d, expected %d", what, rank, p.info[rank][k], info[k]);
  }
  free (X.data);
  free_common (&p, ranks);
  qr_page_free (&page);
}

// NaN on one rank alone is known to all.
static void test_not_finite (void)
{
  static problem p;
  const qr_call c = {.type = GLA_TYPE_D, .m = 30, .n = 4, .pages = 2, .rhs = 1};
  qr_page page = qr_page_new (&c);
  fill_array (&c, &page.a[QR_A], RANDOM, 7);
  fill_array (&c, &page.a[QR_B], RANDOM, 8);
  qr_set (c.type, page.a[QR_A].data, 30 * 4 + 29, NAN); // page 1, the last row
  p.qr = &page;
  crew_split (c.m, 4, 0, p.first);
  crew_run (&all, 4, ls_body, &p);
  crew_expect (&all, GLA_OK, "", "NaN");
  for (int r = 0; r < 4; r++) {
    CHECK (p.info[r][0] == 0 && p.info[r][1] == 5, "rank %d: info %d %d", r, p.info[r][0],
           p.info[r][1]);
    CHECK (p.report[r].base.pages_failed == 1 && p.report[r].base.first_failed == 1, "report");
    CHECK (isnan (creal (qr_at (&p.common[r][0], 0, 0, 1))), "x must be NaN");
  }
  free_common (&p, 4);
  qr_page_free (&page);
}

//------------------------------------------------------------------------------
// on GPUs
//------------------------------------------------------------------------------

// Takes what is free on GPU 0, but for less than 64 MB.
static int hog (gla_context *other, void **pieces, int most)
{
  int count = 0;
  for (size_t bytes = (size_t)4 << 30; bytes >= (size_t)32 << 20; bytes /= 2)
    while (count < most && gla_memory_take (other, 0, bytes, &pieces[count]) == GLA_OK)
      count++;
  return count;
}

// Rank 0 has not the memory: the same error on all ranks, and the next call is right again.
static void test_full_gpu (void)
{
  enum { PIECES = 200 };
  static problem p;
  static void *pieces[PIECES];
  gla_context *other;
  const qr_call c = {.type = GLA_TYPE_D, .m = 600000, .n = 40, .pages = 1, .q = 1, .r = 1};
  for (int full = 1; full >= 0; full--) {
    qr_page page = qr_page_new (&c);
    memset (page.a[QR_A].data, 0, qr_bytes (&page.a[QR_A]));
    CHECK (gla_context_create (&other) == GLA_OK, "a context");
    const int count = full ? hog (other, pieces, PIECES) : 0;
    p.qr = &page;
    crew_split (c.m, 2, 0, p.first);
    crew_run (&all, 2, qr_body, &p);
    if (full)
      crew_expect (&all, GLA_ERROR_OUT_OF_MEMORY, "device 0", "a full GPU");
    else
      crew_expect (&all, GLA_OK, "", "a GPU with memory");
    CHECK (!full || count > 0, "nothing was free on GPU 0");
    gla_context_destroy (other);
    free_common (&p, 2);
    qr_page_free (&page);
  }
}

static void test_on_gpus (void)
{
  static const int sizes[][2] = {{200, 7}, {97, 33}, {6000, 40}, {9, 9}, {5, 12}};
  for (int t = 0; t < 4; t++) {
    for (int s = 0; s < 5; s++)
      for (int k = 0; k < 3; k++) {
        const qr_call c = {.type = types[t],
                           .m = sizes[s][0],
                           .n = sizes[s][1],
                           .pages = 1 + s % 2,
                           .rhs = 2,
                           .gap = 3,
                           .q = 1,
                           .r = 1,
                           .c = 1,
                           .pivot = (s + t) % 5 == 4};
        run_qr (&c, s == 1 ? SAME_COLUMNS : RANDOM, counts[k], (s + k) % SPLITS,
                s != 1 && !c.pivot);
      }
    test_least_squares (types[t], RANDOM, 830, 11, 2);
    test_least_squares (types[t], SAME_COLUMNS, 83, 11, 3);
  }
  test_full_gpu ();
}

int main (int argc, char **argv)
{
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  if (crew_on_gpus (argc, argv)) {
    test_on_gpus ();
    gla_context_destroy (ctx);
    return check_report ("test_rows on GPUs");
  }
  for (int t = 0; t < 4; t++) {
    test_qr_sizes (types[t]);
    test_qr_hard (types[t]);
    test_qr_pivot (types[t]);
    for (int k = 0; k < 6; k++) {
      test_least_squares (types[t], RANDOM, 83, 11, counts[k]);
      test_least_squares (types[t], SAME_COLUMNS, 83, 11, counts[k]);
      test_least_squares (types[t], RANDOM, 9, 14, counts[k]);
    }
  }
  test_qr_parts ();
  test_not_finite ();
  gla_context_destroy (ctx);
  return check_report ("test_rows");
}
