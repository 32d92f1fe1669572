// test_columns.c: pairs of rank 0 whose results all ranks get by columns
// SPDX-License-Identifier: GPL-3.0-or-later

#include "context.h"
#include "rank_pairs.h"
#include "backend.h"

enum { PAGES_MOST = 3 };

// One pair on rank 0. All ranks write their columns into the same arrays.
typedef struct {
  gsvd_page *gsvd; // X has Z where that is computed
  int pencil;      // gla_gevd_columns
  gla_array values[MOST_RANKS][2];
  int32_t info[MOST_RANKS][PAGES_MOST];
  gla_gsvd_stats stats[MOST_RANKS][PAGES_MOST];
  gla_gevd_report report[MOST_RANKS];
  int fault_rank, fewer; // this rank has room for so many columns less
} columns_problem;

static columns_problem now;

static int64_t edge (int64_t columns, int rank, int ranks)
{
  return (int64_t)((double)columns * rank / ranks);
}

static gla_array block (const gla_array *a, const member *m)
{
  const int ranks = m->all->count;
  const int64_t first = edge (a->columns, m->rank, ranks);
  gla_array part = *a;
  if (a->data == NULL)
    return part;
  part.data = (char *)a->data + (size_t)(first * a->column_stride) * gla_type_size (a->type);
  part.columns = edge (a->columns, m->rank + 1, ranks) - first;
  if (m->rank == now.fault_rank)
    part.columns -= now.fewer;
  return part;
}

static void columns_body (member *m)
{
  const gsvd_page *g = now.gsvd;
  const int r = m->rank;
  gla_array A = g->a[GSVD_A], B = g->a[GSVD_B];
  if (r > 0)
    A.rows = B.rows = 0;
  for (int k = 0; k < 2; k++)
    now.values[r][k] = crew_copy (&g->a[GSVD_ALPHA + k]);
  gla_gsvd_options o = g->call.options;
  o.size = sizeof o;
  now.report[r].base.size = sizeof now.report[r];
  if (now.pencil) {
    const gla_gevd_results z = {.size = sizeof z,
                                .alpha = now.values[r][0],
                                .beta = now.values[r][1],
                                .Z = block (&g->a[GSVD_X], m),
                                .info = now.info[r]};
    m->status = gla_gevd_columns (m->ctx, m->ranks, &A, &B, &z, &o, &now.report[r]);
    return;
  }
  const gla_gsvd_results s = {.size = sizeof s,
                              .alpha = now.values[r][0],
                              .beta = now.values[r][1],
                              .U = block (&g->a[GSVD_U], m),
                              .V = block (&g->a[GSVD_V], m),
                              .X = block (&g->a[GSVD_X], m),
                              .info = now.info[r],
                              .stats = now.stats[r]};
  gla_gsvd_report report = {.base.size = sizeof report};
  m->status = gla_gsvd_columns (m->ctx, m->ranks, &A, &B, &s, &o, &report);
  now.report[r].base = report.base;
}

static gsvd_page new_pair (const gsvd_call *c, int bad)
{
  gsvd_page g = gsvd_page_new (c);
  fill_rank (&g, 0, least (c->m, c->p), c->p);
  fill_rank (&g, 1, least (c->n, c->p), c->p);
  if (bad)
    gsvd_set (&g.a[GSVD_A], 0, 0, c->pages - 1, NAN);
  return g;
}

static void free_values (int ranks)
{
  for (int r = 0; r < ranks; r++)
    for (int k = 0; k < 2; k++)
      free (now.values[r][k].data);
}

//------------------------------------------------------------------------------
// bits
//------------------------------------------------------------------------------

static void solve_alone (gsvd_page *g, int pencil)
{
  gla_context *ctx;
  CHECK (gla_context_create (&ctx) == GLA_OK &&
             gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK,
         "a context");
  const gla_gevd_results z = {.size = sizeof z,
                              .alpha = g->a[GSVD_ALPHA],
                              .beta = g->a[GSVD_BETA],
                              .Z = g->a[GSVD_X],
                              .info = g->info};
  gla_gsvd_options o = g->call.options;
  o.size = sizeof o;
  if (pencil)
    CHECK (gla_gevd (ctx, &g->a[GSVD_A], &g->a[GSVD_B], &z, &o, NULL) == GLA_OK, "alone");
  else
    gsvd_run (ctx, g);
  gla_context_destroy (ctx);
}

static void check_same (const gsvd_page *alone, int ranks, const char *what)
{
  const int pages = alone->call.pages;
  static const int dealt[] = {GSVD_U, GSVD_V, GSVD_X};
  for (int page = 0; page < pages; page++) {
    for (int k = 0; k < 3; k++)
      CHECK (alone->a[dealt[k]].data == NULL ||
                 same_page (&now.gsvd->a[dealt[k]], page, &alone->a[dealt[k]], page),
             "%s: page %d of array %d", what, page, dealt[k]);
    for (int r = 0; r < ranks; r++) {
      for (int k = 0; k < 2; k++)
        CHECK (same_page (&now.values[r][k], page, &alone->a[GSVD_ALPHA + k], page),
               "%s: rank %d: values", what, r);
      CHECK (now.info[r][page] == alone->info[page], "%s: rank %d: info %d", what, r,
             now.info[r][page]);
      CHECK (now.pencil || now.stats[r][page].sweeps == alone->stats[page].sweeps,
             "%s: rank %d: sweeps", what, r);
    }
  }
  for (int r = 0; r < ranks; r++)
    CHECK (now.report[r].base.pages_failed == now.report[0].base.pages_failed &&
               now.report[r].pages_singular == now.report[0].pages_singular,
           "%s: rank %d: report", what, r);
  CHECK (gsvd_untouched (now.gsvd), "%s: gaps", what);
}

// doc/scaling.md has these formulas. `width`: of blocks of equal size in sweeps, or 0 where ranks
// do not share these.
static void check_traffic (int width, int ranks, const char *what)
{
  const gsvd_call *c = &now.gsvd->call;
  const int64_t edges = ranks - 1, element = (int64_t)gla_type_size (c->type),
                real = (int64_t)gla_type_size (gla_type_real (c->type));
  int64_t sent = 0, received = 0, bytes = 0, below = 0, dealt = 0, matrices = 0;
  for (int r = 0; r < ranks; r++) {
    const gla_ranks_info *info = &all.members[r].info;
    below += r == 0 ? 0 : least (r & -r, ranks - r);
    sent += info->messages_sent;
    received += info->messages_received;
    bytes += info->bytes_sent;
  }
  for (int k = GSVD_U; k <= GSVD_X; k++)
    if (now.gsvd->a[k].data != NULL) { // what is not in the first columns, those of rank 0
      const gla_array *a = &now.gsvd->a[k];
      dealt += a->rows * (a->columns - edge (a->columns, 1, ranks)) * a->pages * element;
      matrices++;
    }
  // the meeting, whether all have room, values, columns, the end
  int64_t messages = edges * (2 + 2 + 1 + matrices + 2), heads = messages - 2 * edges;
  int64_t common = 2 * now.gsvd->q * c->pages * real + 4 * c->pages +
                   (now.pencil ? 0 : c->pages * (int64_t)sizeof (gla_gsvd_stats)) +
                   (int64_t)sizeof (gla_gevd_report);
  int64_t expected = 512 * (below + ranks * edges) + edges * common + dealt + 2 * edges * 16;
  if (width > 0) {
    const int sweeps = now.stats[0][0].sweeps;
    const int64_t moves = count_moves (c->options.ordering, c->p / width, ranks, sweeps);
    messages += edges * (4 + 2 * sweeps) + moves;
    heads += edges * (4 + 2 * sweeps);
    expected += 2 * 24 * edges + 8 * edges * (2 * 2 + 2LL * sweeps * (4 * ranks + 1)) +
                moves * 2 * c->p * width * element;
  }
  expected += 256 * heads;
  CHECK (sent == messages && received == sent, "%s: %lld messages, expected %lld", what,
         (long long)sent, (long long)messages);
  CHECK (bytes == expected, "%s: %lld bytes, expected %lld", what, (long long)bytes,
         (long long)expected);
}

// A pair on any number of ranks has the bits that it has alone.
static void run_pair (const gsvd_call *c, int pencil, int width)
{
  gsvd_page alone = new_pair (c, c->pages > 1);
  now.pencil = pencil;
  now.fault_rank = -1;
  solve_alone (&alone, pencil);
  if (!pencil && c->pages == 1) // of several pages one has NaN
    gsvd_check (&alone, "alone");
  for (int k = 0; k < 6; k += 1 + SLOW) {
    char what[120];
    snprintf (what, sizeof what, "%c %dx%dx%d, block %d, pencil %d, %d ranks", c->type, c->m, c->n,
              c->p, c->options.block, pencil, counts[k]);
    gsvd_page g = new_pair (c, c->pages > 1);
    now.gsvd = &g;
    crew_run (&all, counts[k], columns_body, NULL);
    crew_expect (&all, GLA_OK, "", what);
    check_same (&alone, counts[k], what);
    if (width >= 0 && counts[k] > 1)
      check_traffic (width, counts[k], what);
    free_values (counts[k]);
    gsvd_page_free (&g);
  }
  gsvd_page_free (&alone);
}

static void test_bits (gla_type type)
{
  // m, n, p, pages, block; of blocks that sweeps share, or 0, or -1 where they differ in size
  static const int sizes[][6] = {{24, 24, 24, 1, 3, 3},  {25, 22, 21, 1, 2, -1},
                                 {70, 24, 20, 1, 2, -1}, {9, 7, 8, 3, 0, 0},
                                 {2, 3, 8, 1, 0, 0},     {3, 9, 4, 1, 0, 0}};
  for (int s = 0; s < 6; s++)
    for (int pencil = 0; pencil < 2; pencil++) {
      const int *z = sizes[s];
      gsvd_call c = {.type = type,
                     .m = z[0],
                     .n = z[1],
                     .p = z[2],
                     .pages = z[3],
                     .gap = 2,
                     .x = 1,
                     .options = {.block = z[4]}};
      c.u = c.v = !pencil;
      run_pair (&c, pencil, pencil && z[5] > 0 ? -1 : z[5]); // stats has the sweeps
    }
}

// Values alone, and X alone.
static void test_outputs (void)
{
  for (int x = 0; x < 2; x++) {
    const gsvd_call c = {.type = GLA_TYPE_D, .m = 10, .n = 9, .p = 7, .pages = 1, .x = x};
    run_pair (&c, 0, 0);
  }
}

//------------------------------------------------------------------------------
// faults
//------------------------------------------------------------------------------

static gla_status open_without_memory (int device, gla_engine **engine)
{
  (void)device, (void)engine;
  return GLA_ERROR_OUT_OF_MEMORY;
}

static void memory_body (member *m)
{
  const gla_backend *right = m->ctx->cpu_backend;
  gla_backend poor = *right;
  poor.open = open_without_memory;
  if (m->rank == now.fault_rank)
    m->ctx->cpu_backend = &poor;
  columns_body (m);
  m->ctx->cpu_backend = right;
}

static int stop_soon (void *user)
{
  return ++*(int *)user > 2;
}

static void stop_body (member *m)
{
  int polls = 0;
  if (m->rank == now.fault_rank)
    gla_set_stop (m->ctx, stop_soon, &polls);
  columns_body (m);
  gla_set_stop (m->ctx, NULL, NULL);
}

// Rows that are not on rank 0.
static void rows_body (member *m)
{
  const gsvd_page *g = now.gsvd;
  gla_gsvd_results r = {.size = sizeof r};
  gla_array A = g->a[GSVD_A], B = g->a[GSVD_B];
  if (m->rank != 2)
    A.rows = B.rows = 0;
  m->status = gla_gsvd_columns (m->ctx, m->ranks, &A, &B, &r, NULL, NULL);
}

static void other_body (member *m)
{
  const gsvd_page *g = now.gsvd;
  gla_gsvd_results r = {.size = sizeof r};
  const gla_array *A = &g->a[GSVD_A], *B = &g->a[GSVD_B];
  m->status = m->rank == 1 ? gla_gsvd_rows (m->ctx, m->ranks, A, B, &r, NULL, NULL)
                           : gla_gsvd_columns (m->ctx, m->ranks, A, B, &r, NULL, NULL);
}

static void run_fault (void (*body) (member *), int who, int fewer)
{
  const gsvd_call c = {.type = GLA_TYPE_D,
                       .m = 24,
                       .n = 24,
                       .p = 24,
                       .pages = 1,
                       .u = 1,
                       .x = 1,
                       .options = {.block = 2}};
  gsvd_page g = new_pair (&c, 0);
  now.gsvd = &g;
  now.pencil = 0;
  now.fault_rank = who;
  now.fewer = fewer;
  crew_run (&all, 4, body, NULL);
  free_values (body == rows_body || body == other_body ? 0 : 4);
  now.fewer = 0;
  gsvd_page_free (&g);
}

static void test_faults (void)
{
  char text[80];
  for (int who = 0; who < 4; who++) {
    snprintf (text, sizeof text, "rank %d: U is", who);
    run_fault (columns_body, who, 1);
    crew_expect (&all, GLA_ERROR_BAD_ARGUMENT, text, "too few columns");
    snprintf (text, sizeof text, "rank %d", who);
    run_fault (memory_body, who, 0);
    crew_expect (&all, GLA_ERROR_OUT_OF_MEMORY, text, "memory");
    run_fault (stop_body, who, 0);
    for (int r = 0; r < 4; r++)
      CHECK (all.members[r].status == (r == who ? GLA_ERROR_STOPPED : GLA_ERROR_RANK_LOST),
             "stop of %d: rank %d: status %d", who, r, (int)all.members[r].status);
  }
  run_fault (rows_body, 0, 0);
  crew_expect (&all, GLA_ERROR_RANKS_DIFFER, "rank 2: A has 24 rows and B has 24", "rows");
  run_fault (other_body, 0, 0);
  crew_expect (&all, GLA_ERROR_RANKS_DIFFER, "rank 1 has come to a generalized SVD", "other call");
}

static void test_null (void)
{
  gla_context *ctx;
  gla_ranks *one = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK && gla_ranks_threads (ctx, 1, &one) == GLA_OK, "one");
  CHECK (gla_gsvd_columns (NULL, one, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             gla_gevd_columns (NULL, one, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "no context");
  CHECK (gla_gsvd_columns (ctx, NULL, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             gla_gevd_columns (ctx, NULL, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "no ranks");
  CHECK (gla_gsvd_columns (ctx, one, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             gla_gevd_columns (ctx, one, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "no pair");
  const gla_gsvd_results unset = {.size = 0};
  const gla_gevd_results unset_z = {.size = 0};
  CHECK (gla_gsvd_columns (ctx, one, NULL, NULL, &unset, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             strstr (gla_message (ctx), "size") != NULL,
         "results without a size: %s", gla_message (ctx));
  CHECK (gla_gevd_columns (ctx, one, NULL, NULL, &unset_z, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             strstr (gla_message (ctx), "size") != NULL,
         "results without a size: %s", gla_message (ctx));
  gla_ranks_destroy (one);
  gla_context_destroy (ctx);
}

int main (void)
{
  for (int t = 0; t < 4; t++)
    test_bits (types[t]);
  test_outputs ();
  test_faults ();
  test_null ();
  return check_report ("test_columns");
}
