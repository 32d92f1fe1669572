// test_rows_shared.c: pairs whose sweeps all ranks share
// SPDX-License-Identifier: GPL-3.0-or-later

#include "context.h"
#include "rank_pairs.h"
#include "backend.h"

// All rows on rank 0.
static void put_on_root (int64_t rows, int ranks, int64_t *first)
{
  first[0] = 0;
  for (int r = 1; r <= ranks; r++)
    first[r] = rows;
}

static gsvd_call shared_call (gla_type type, int m, int n, int p, const gla_gsvd_options *o)
{
  return (gsvd_call){.type = type,
                     .m = m,
                     .n = n,
                     .p = p,
                     .pages = 1,
                     .gap = 2,
                     .u = 1,
                     .v = 1,
                     .x = 1,
                     .options = *o};
}

//------------------------------------------------------------------------------
// messages
//------------------------------------------------------------------------------

// doc/scaling.md has these formulas. The blocks are of equal size.
static void check_traffic (const problem *p, int ranks, const char *what)
{
  const gsvd_call *c = &p->gsvd->call;
  const int width = c->options.block, sweeps = p->stats[0].sweeps;
  const int64_t moves = count_moves (c->options.ordering, c->p / width, ranks, sweeps);
  const int64_t block = 2LL * c->p * width * (int64_t)gla_type_size (c->type);
  int64_t sent = 0, received = 0, bytes = 0, below = 0;
  for (int r = 0; r < ranks; r++) {
    const gla_ranks_info *info = &all.members[r].info;
    below += r == 0 ? 0 : least (r & -r, ranks - r);
    sent += info->messages_sent;
    received += info->messages_received;
    bytes += info->bytes_sent;
  }
  // the meeting, orders to sweep and to go, sums for memory and for each sweep, results, the end
  const int64_t edges = ranks - 1, messages = edges * (2 + 2 + 2 + 2 * sweeps + 1 + 2);
  const int64_t real = (int64_t)gla_type_size (gla_type_real (c->type)),
                results = c->p * c->p * (int64_t)gla_type_size (c->type) + 2 * c->p * real + 4 +
                          (int64_t)(sizeof (gla_gsvd_stats) + sizeof (gla_gevd_report));
  const int64_t heads = 256 * edges * (2 + 2 + 2 * sweeps + 1 + 2),
                sums = 8 * edges * (2 * 2 + 2LL * sweeps * (4 * ranks + 1));
  const int64_t expected = 512 * (below + ranks * edges) + heads + 2 * 24 * edges + sums +
                           edges * results + moves * block;
  CHECK (sent == messages + moves && received == sent,
         "%s: %lld messages, expected %lld and %lld blocks", what, (long long)sent,
         (long long)messages, (long long)moves);
  CHECK (bytes == expected, "%s: %lld bytes, expected %lld", what, (long long)bytes,
         (long long)expected);
}

//------------------------------------------------------------------------------
// bits
//------------------------------------------------------------------------------

static void solve_alone (gsvd_page *g)
{
  gla_context *ctx;
  CHECK (gla_context_create (&ctx) == GLA_OK &&
             gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK,
         "a context");
  gsvd_run (ctx, g);
  gla_context_destroy (ctx);
}

static void check_same (const problem *p, const gsvd_page *alone, int ranks, const char *what)
{
  static const int common[] = {GSVD_ALPHA, GSVD_BETA, GSVD_X};
  for (int k = 0; k < 3; k++) {
    check_common (p, k, ranks, what);
    CHECK (same_page (&p->common[0][k], 0, &alone->a[common[k]], 0), "%s: array %d", what,
           common[k]);
  }
  CHECK (same_page (&p->gsvd->a[GSVD_U], 0, &alone->a[GSVD_U], 0), "%s: U", what);
  CHECK (same_page (&p->gsvd->a[GSVD_V], 0, &alone->a[GSVD_V], 0), "%s: V", what);
  for (int r = 0; r < ranks; r++)
    CHECK (p->info[r][0] == alone->info[0] && p->stats[r].sweeps == alone->stats[0].sweeps,
           "%s: rank %d: info %d, %d sweeps", what, r, p->info[r][0], p->stats[r].sweeps);
}

// One pair on rank 0: on any number of ranks the bits that gla_gsvd gives.
static void run_whole (const gsvd_call *c, int full, int equal)
{
  static problem p;
  gsvd_page alone = gsvd_page_new (c);
  fill_rank (&alone, 0, full ? c->p : c->p - 3, c->p);
  fill_rank (&alone, 1, full ? c->p : c->p - 2, c->p);
  solve_alone (&alone);
  gsvd_check (&alone, "alone");
  for (int k = 0; k < 6; k += 1 + SLOW) {
    char what[120];
    snprintf (what, sizeof what, "%c, method %d, ordering %d, block %d, %d ranks", c->type,
              (int)c->options.method, (int)c->options.ordering, c->options.block, counts[k]);
    gsvd_page g = gsvd_page_new (c);
    fill_rank (&g, 0, full ? c->p : c->p - 3, c->p);
    fill_rank (&g, 1, full ? c->p : c->p - 2, c->p);
    p.gsvd = &g;
    put_on_root (c->m, counts[k], p.first[0]);
    put_on_root (c->n, counts[k], p.first[1]);
    crew_run (&all, counts[k], gsvd_body, &p);
    crew_expect (&all, GLA_OK, "", what);
    check_same (&p, &alone, counts[k], what);
    if (equal && counts[k] > 1)
      check_traffic (&p, counts[k], what);
    free_common (&p, counts[k]);
    gsvd_page_free (&g);
  }
  gsvd_page_free (&alone);
}

static void test_bits (gla_type type)
{
  // m, n, p, block
  static const int sizes[][4] = {
      {24, 24, 24, 3}, {24, 24, 24, 2}, {25, 22, 21, 2}, {30, 33, 25, 4}};
  for (int s = 0; s < 4; s++)
    for (int way = 0; way < 4; way++) {
      const gla_gsvd_options o = {.method = way < 2 ? GLA_GSVD_METHOD_TANGENT : GLA_GSVD_METHOD_HZ,
                                  .ordering = way % 2 ? GLA_GSVD_ORDERING_MM : GLA_GSVD_ORDERING_ME,
                                  .blocking =
                                      s == 1 ? GLA_GSVD_BLOCKING_FULL : GLA_GSVD_BLOCKING_ORIENTED,
                                  .block = sizes[s][3]};
      const gsvd_call c = shared_call (type, sizes[s][0], sizes[s][1], sizes[s][2], &o);
      run_whole (&c, 1, s < 2);
      if (s > 1 && !SLOW)
        run_whole (&c, 0, 0);
    }
}

// The default blocks, of more columns than are paired one by one.
static void test_wide (void)
{
  const gla_gsvd_options o = {.block = 0};
  const gsvd_call c = shared_call (GLA_TYPE_D, 200, 205, 198, &o);
  run_whole (&c, 1, 0);
}

//------------------------------------------------------------------------------
// rows on all ranks
//------------------------------------------------------------------------------

static void test_rows (gla_type type)
{
  static problem p;
  static const int sizes[][3] = {{150, 90, 20}, {37, 60, 20}, {9, 70, 20}};
  for (int s = 0; s < 3; s++)
    for (int k = 1; k < 6; k++) {
      const gla_gsvd_options o = {.block = 3};
      const gsvd_call c = shared_call (type, sizes[s][0], sizes[s][1], sizes[s][2], &o);
      gsvd_page g = gsvd_page_new (&c);
      fill_rank (&g, 0, least (c.m, c.p), c.p);
      fill_rank (&g, 1, c.p, c.p);
      p.gsvd = &g;
      crew_split (c.m, counts[k], k % SPLITS, p.first[0]);
      crew_split (c.n, counts[k], (k + s) % SPLITS, p.first[1]);
      crew_run (&all, counts[k], gsvd_body, &p);
      crew_expect (&all, GLA_OK, "", "rows");
      for (int x = 0; x < 3; x++) {
        check_common (&p, x, counts[k], "rows");
        copy_pages (&g.a[GSVD_ALPHA + x + 2 * (x == 2)], &p.common[0][x]);
      }
      g.info[0] = p.info[0][0];
      g.status = GLA_OK;
      gsvd_check (&g, "rows");
      free_common (&p, counts[k]);
      gsvd_page_free (&g);
    }
}

//------------------------------------------------------------------------------
// faults
//------------------------------------------------------------------------------

static int fault_rank;

static int stop_later (void *user)
{
  return ++*(int *)user > 4;
}

static void stop_body (member *m)
{
  int polls = 0;
  if (m->rank == fault_rank)
    gla_set_stop (m->ctx, stop_later, &polls);
  gsvd_body (m);
  gla_set_stop (m->ctx, NULL, NULL);
  if (m->status == GLA_OK)
    return;
  char message[512];
  const gla_status status = m->status;
  snprintf (message, sizeof message, "%s", gla_message (m->ctx));
  gla_ranks_parts parts = {.size = sizeof parts};
  m->good = gla_ranks_announce (m->ctx, m->ranks, &parts) == GLA_OK;
  m->status = gla_fail (m->ctx, status, "%s", message);
}

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
  if (m->rank == fault_rank)
    m->ctx->cpu_backend = &poor;
  gsvd_body (m);
  m->ctx->cpu_backend = right;
}

static void leave_body (member *m)
{
  if (m->rank != fault_rank)
    gsvd_body (m);
}

// A pair of rank 0 on four ranks.
static void run_fault (void (*body) (member *), int who)
{
  static problem p;
  const gla_gsvd_options o = {.block = 2};
  const gsvd_call c = shared_call (GLA_TYPE_D, 24, 24, 24, &o);
  gsvd_page g = gsvd_page_new (&c);
  fill_rank (&g, 0, c.p, c.p);
  fill_rank (&g, 1, c.p, c.p);
  p.gsvd = &g;
  fault_rank = who;
  put_on_root (c.m, 4, p.first[0]);
  put_on_root (c.n, 4, p.first[1]);
  crew_run (&all, 4, body, &p);
  free_common (&p, 4);
  gsvd_page_free (&g);
}

static void test_faults (void)
{
  char text[80];
  for (int who = 0; who < 4; who++) {
    run_fault (stop_body, who);
    snprintf (text, sizeof text, "rank %d", who);
    for (int r = 0; r < 4; r++) {
      const member *m = &all.members[r];
      CHECK (m->status == (r == who ? GLA_ERROR_STOPPED : GLA_ERROR_RANK_LOST) && m->good &&
                 strstr (m->message, text) != NULL,
             "stop of %d: rank %d: status %d \"%s\"", who, r, (int)m->status, m->message);
    }
    run_fault (memory_body, who);
    crew_expect (&all, GLA_ERROR_OUT_OF_MEMORY, text, "memory");
    run_fault (leave_body, who);
    for (int r = 0; r < 4; r++)
      CHECK (r == who || all.members[r].status == GLA_ERROR_RANK_LOST, "rank %d left: rank %d: %d",
             who, r, (int)all.members[r].status);
  }
}

int main (void)
{
  for (int t = 0; t < 4; t++) {
    test_bits (types[t]);
    test_rows (types[t]);
  }
  if (!SLOW)
    test_wide ();
  test_faults ();
  return check_report ("test_rows_shared");
}
