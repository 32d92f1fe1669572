// link_rows.h: rows that go from GPU to GPU of ranks come to their places
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef LINK_ROWS_H
#define LINK_ROWS_H

#include "crew.h"
#include "lanczos/rank_link.h"
#include "fake/fake_cuda.h"
#include "ranks/group.h"

enum { MOST = 4 };
enum { ROW = 24, ROWS = 3000 };

static int add_over_ranks (void *user, double *x, int64_t count)
{
  return gla_ranks_add (user, x, count);
}

// Rank q gives 7 (q+1) + 1000 r rows to rank r, some none; byte k of them is a mix of all that.
static int64_t rows_between (int from, int to)
{
  return from == to || (from + to) % 3 == 2 ? 0 : 7 * (from + 1) + 1000 * to;
}

static unsigned char byte_of (int from, int to, int64_t k, int turn)
{
  return (unsigned char)(31 * from + 17 * to + 7 * k + k / 251 + turn);
}

static void fill (const gla_rank_link *l, const int64_t *give, unsigned char *out, int turn)
{
  for (int r = 0; r < l->ranks; r++)
    for (int64_t k = 0; k < (give[r + 1] - give[r]) * ROW; k++)
      out[give[r] * ROW + k] = byte_of (l->rank, r, k, turn);
}

// Rows of this rank, between those of others, stay as they are.
static int are_right (const gla_rank_link *l, const int64_t *take, const unsigned char *in,
                      int turn)
{
  int right = 1;
  for (int r = 0; r < l->ranks; r++) {
    const unsigned char *at = in + (take[r] + (r > l->rank ? ROWS : 0)) * ROW;
    for (int64_t k = 0; k < (take[r + 1] - take[r]) * ROW; k++)
      right &= at[k] == byte_of (r, l->rank, k, turn);
  }
  for (int64_t k = 0; k < ROWS * ROW; k++)
    right &= in[take[l->rank] * ROW + k] == 0x77;
  return right;
}

static void rows_body (member *m)
{
  gla_rank_link *l = &m->ranks->link;
  gla_ranks_parts parts = {.size = sizeof parts};
  int64_t give[MOST + 1] = {0}, take[MOST + 1] = {0};
  for (int r = 0; r < l->ranks; r++) {
    give[r + 1] = give[r] + rows_between (m->rank, r);
    take[r + 1] = take[r] + rows_between (r, m->rank);
  }
  m->good = gla_ranks_announce (m->ctx, m->ranks, &parts) == GLA_OK &&
            gla_ranks_reserve_sums (m->ranks) == GLA_OK;
  unsigned char *out = fake_cuda_array ((size_t)(give[l->ranks] * ROW) + 1),
                *in = fake_cuda_array ((size_t)((take[l->ranks] + ROWS) * ROW));
  m->good &= rank_link_begin (l, m->rank % FAKE_DEVICES, add_over_ranks, m->ranks) == 1;
  m->good &= strcmp (l->text, "2.28.3") == 0;
  for (int turn = 0; turn < 3 && m->good; turn++) {
    const gla_link_rows rows = {give, take, out, in, ROWS, ROW};
    memset (in, 0x77, (size_t)((take[l->ranks] + ROWS) * ROW));
    fill (l, give, out, turn);
    m->good &= rank_link_exchange (l, &rows, NULL) == GLA_OK && !l->late;
    m->good &= are_right (l, take, in, turn);
  }
  m->good &= rank_link_begin (l, m->rank % FAKE_DEVICES, add_over_ranks, m->ranks) == 1;
  m->status = gla_ranks_agree (m->ranks); // nobody leaves while others are at work
  fake_cuda_array_free (out);
  fake_cuda_array_free (in);
}

static inline void check_rows (crew *all)
{
  for (int ranks = 2; ranks <= MOST; ranks++) {
    const int64_t before = fake_cuda_live ();
    crew_run (all, ranks, rows_body, NULL);
    for (int r = 0; r < ranks; r++)
      CHECK (all->members[r].good && all->members[r].status == GLA_OK, "rows of rank %d of %d: %s",
             r, ranks, all->members[r].message);
    CHECK (fake_cuda_live () == before, "rows: %lld left", (long long)(fake_cuda_live () - before));
  }
}

#endif
