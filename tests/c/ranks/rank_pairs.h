// rank_pairs.h: pairs of matrices on ranks, and what all of these get
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef RANK_PAIRS_H
#define RANK_PAIRS_H

#include "common/orderings.h"
#include "crew.h"
#include "gpulinalg.h"
#include "gsvd/gsvd_pairs.h"

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const int counts[] = {1, 2, 3, 4, 5, 8};
static crew all;

// One pair on all ranks: the whole arrays, and what each rank has of the results that all have.
typedef struct {
  gsvd_page *gsvd;
  int64_t first[2][MOST_RANKS + 1]; // rows of A and of B
  gla_array common[MOST_RANKS][3];
  int32_t info[MOST_RANKS][1];
  gla_gsvd_stats stats[MOST_RANKS];
} problem;

// What the ranks have in common: bits of rank r and of rank 0.
static inline void check_common (const problem *p, int which, int ranks, const char *what)
{
  for (int r = 1; r < ranks; r++)
    for (int64_t page = 0; page < p->common[0][which].pages; page++)
      CHECK (same_page (&p->common[0][which], page, &p->common[r][which], page),
             "%s: rank %d has other bits than rank 0", what, r);
}

static inline void free_common (problem *p, int ranks)
{
  for (int r = 0; r < ranks; r++)
    for (int k = 0; k < 3; k++)
      free (p->common[r][k].data);
  memset (p->common, 0, sizeof p->common);
}

static inline void copy_pages (const gla_array *to, const gla_array *from)
{
  if (to->data != NULL)
    memcpy (to->data, from->data, (size_t)(to->page_stride * to->pages) * gla_type_size (to->type));
}

// Room for the results that all ranks have: alpha, beta and X or Z.
static inline const gla_array *take_common (member *m)
{
  problem *p = m->all->user;
  gla_array *common = p->common[m->rank];
  common[0] = crew_copy (&p->gsvd->a[GSVD_ALPHA]);
  common[1] = crew_copy (&p->gsvd->a[GSVD_BETA]);
  common[2] = crew_copy (&p->gsvd->a[GSVD_X]);
  return common;
}

static inline void gsvd_body (member *m)
{
  problem *p = m->all->user;
  const gsvd_page *g = p->gsvd;
  const gla_array A = crew_rows (&g->a[GSVD_A], p->first[0], m->rank),
                  B = crew_rows (&g->a[GSVD_B], p->first[1], m->rank);
  const gla_array *common = take_common (m);
  const gla_gsvd_results r = {.size = sizeof r,
                              .alpha = common[0],
                              .beta = common[1],
                              .X = common[2],
                              .U = crew_rows (&g->a[GSVD_U], p->first[0], m->rank),
                              .V = crew_rows (&g->a[GSVD_V], p->first[1], m->rank),
                              .info = p->info[m->rank],
                              .stats = &p->stats[m->rank]};
  gla_gsvd_options o = g->call.options;
  o.size = sizeof o;
  m->status = gla_gsvd_rows (m->ctx, m->ranks, &A, &B, &r, &o, NULL);
}

//------------------------------------------------------------------------------
// blocks that move where ranks share the sweeps of a pair
//------------------------------------------------------------------------------

enum { MOST_BLOCKS = 64 };

// How many blocks move, counted pair by pair in the order that one rank has: the k-th of c pairs
// of a step belongs to rank k * ranks / c.
static inline int count_moves (gla_gsvd_ordering ordering, int blocks, int ranks, int sweeps)
{
  static int32_t pairs[MOST_BLOCKS * MOST_BLOCKS];
  const int players = blocks + blocks % 2, steps = gla_ordering_steps (ordering, players);
  int owner[MOST_BLOCKS] = {0}, moves = 0;
  gla_ordering_fill (ordering, players, pairs);
  for (int s = 0; s < sweeps * steps; s++) {
    const int32_t *step = pairs + s % steps * players;
    for (int k = 0, turn = 0; k < players / 2; k++)
      for (int side = 0; side < 2 && step[2 * k + 1] < blocks; side++) {
        const int block = step[2 * k + side], rank = turn / 2 * ranks / (blocks / 2);
        turn++;
        moves += owner[block] != rank;
        owner[block] = rank;
      }
  }
  for (int b = 0; b < blocks; b++)
    moves += owner[b] != 0;
  return moves;
}

#endif
