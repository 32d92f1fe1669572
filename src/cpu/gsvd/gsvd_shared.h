// gsvd_shared.h: sweeps over the blocks of a pair that several ranks share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The ranks share a step's pairs of blocks in the order of the step, so each rank has a part of
// every step, and the two blocks of a pair are sent to the rank that does it, if they are not
// there. The order of the pairs is that of one rank, and the result of a pair depends on nothing
// else: the bits do not depend on the number of ranks. All ranks always know where each block is,
// because that follows from the order alone.

#ifndef GPULINALG_CPU_GSVD_GSVD_SHARED_H
#define GPULINALG_CPU_GSVD_GSVD_SHARED_H

#include "common/scalar.h"
#include "cpu/common/minmax.h"

#include "gsvd.h"
#include "gsvd_sweeps.h"

#include <string.h>

typedef struct {
  const iteration *it;
  const gla_gsvd_ranks *ranks;
  int blocks;
  int32_t *owner, *next; // the rank that has a block, and the one that has it next
  int32_t *mine;         // the pairs of this rank in a step
} shared_sweeps;

//------------------------------------------------------------------------------
// blocks that move
//------------------------------------------------------------------------------

// Copies a block to a message or back; returns its bytes. A missing matrix adds nothing.
static size_t pack_block (const iteration *it, int blocks, int k, char *message, int unpack)
{
  const int64_t first = block_first (it->columns, blocks, k);
  const int64_t count = block_first (it->columns, blocks, k + 1) - first;
  real *from[] = {it->f, it->g};
  const int64_t rows[] = {it->rows_f, it->rows_g};
  size_t bytes = 0;
  for (int x = 0; x < 2 && from[x] != NULL; x++) {
    real *block = from[x] + first * rows[x] * GLA_PARTS;
    const size_t size = (size_t)(rows[x] * count) * sizeof (scalar);
    memcpy (unpack ? (char *)block : message + bytes, unpack ? message + bytes : (char *)block,
            size);
    bytes += size;
  }
  return bytes;
}

static size_t block_bytes (const iteration *it, int blocks, int k)
{
  const int64_t count =
      block_first (it->columns, blocks, k + 1) - block_first (it->columns, blocks, k);
  return (size_t)((it->rows_f + (it->g ? it->rows_g : 0)) * count) * sizeof (scalar);
}

// Returns the first block from k on that moves from one given rank to another.
static int next_moved (const shared_sweeps *s, int k, int from, int to)
{
  while (k < s->blocks && (s->owner[k] != from || s->next[k] != to))
    k++;
  return k;
}

// Sends all blocks to their next ranks, one by one: to each other rank in turn, while others arrive
// from the rank at the same distance on the other side. Nonzero: the work must end.
static int move_blocks (const shared_sweeps *s)
{
  const gla_gsvd_ranks *r = s->ranks;
  for (int k = 1; k < r->ranks; k++) {
    const int to = (r->rank + k) % r->ranks, from = (r->rank + r->ranks - k) % r->ranks;
    int out = next_moved (s, 0, r->rank, to), in = next_moved (s, 0, from, r->rank);
    while (out < s->blocks || in < s->blocks) {
      const size_t out_bytes = out < s->blocks ? pack_block (s->it, s->blocks, out, r->out, 0) : 0;
      const size_t in_bytes = in < s->blocks ? block_bytes (s->it, s->blocks, in) : 0;
      if (r->exchange (r->user, to, out_bytes, from, in_bytes))
        return 1;
      if (in_bytes > 0)
        (void)pack_block (s->it, s->blocks, in, r->in, 1);
      out = next_moved (s, out + 1, r->rank, to);
      in = next_moved (s, in + 1, from, r->rank);
    }
  }
  memcpy (s->owner, s->next, (size_t)s->blocks * sizeof *s->owner);
  return 0;
}

//------------------------------------------------------------------------------
// sweeps
//------------------------------------------------------------------------------

// Finds where the blocks of a step's pairs go; one without an opponent stays. Returns how many
// pairs belong to this rank.
static int deal_pairs (const shared_sweeps *s, const int32_t *pairs, int count)
{
  int64_t all = 0, turn = 0;
  int mine = 0;
  for (int k = 0; k < count; k++)
    all += pairs[2 * k + 1] < s->blocks;
  for (int k = 0; k < count; k++) {
    const int p = pairs[2 * k], q = pairs[2 * k + 1];
    if (q >= s->blocks)
      continue;
    const int32_t rank = (int32_t)(turn++ * s->ranks->ranks / all);
    s->next[p] = s->next[q] = rank;
    if (rank == s->ranks->rank) {
      s->mine[2 * mine] = p;
      s->mine[2 * mine++ + 1] = q;
    }
  }
  return mine;
}

static int sweep_shared (const shared_sweeps *s, sweep_record *all)
{
  const iteration *it = s->it;
  const gla_column_order *o = it->task->blocks;
  for (int k = 0; k < o->steps; k++) {
    const int mine = deal_pairs (s, o->pairs + (int64_t)k * o->players, o->players / 2);
    if (move_blocks (s))
      return 1;
    blocks_step step = {it, s->mine, s->blocks, it->records};
    gla_cpu_parallel_for (it->task->region, mine, it->task->team, blocks_piece, &step);
    for (int j = 0; j < mine; j++)
      record_join (all, it->records[j]);
  }
  return 0;
}

// Joins what all ranks have found: the numbers of a rank are added to zeros of the others.
static int join_ranks (const shared_sweeps *s, sweep_record *all)
{
  const gla_gsvd_ranks *r = s->ranks;
  const int count = GLA_GSVD_FOUND;
  double *mine = r->found + count * r->rank;
  memset (r->found, 0, (size_t)(count * r->ranks) * sizeof *mine);
  mine[0] = (double)all->rotations;
  mine[1] = (double)all->exchanges;
  mine[2] = all->cosine2;
  mine[3] = all->sine2;
  if (r->add (r->user, r->found, count * r->ranks, gla_cpu_gsvd_stopped (s->it->task)))
    return 1;
  *all = (sweep_record){0, 0, 0, 0};
  for (int k = 0; k < r->ranks; k++) {
    const double *x = r->found + count * k;
    record_join (all, (sweep_record){(int64_t)x[0], (int64_t)x[1], (real)x[2], (real)x[3]});
  }
  return 0;
}

// Rank 0 has all of f and g, before and after. Nonzero if it did not converge, or the work must
// end.
static int iterate_shared (const iteration *it)
{
  const gla_gsvd_ranks *r = it->task->job->ranks;
  const int most = count_blocks (it), room = most + most % 2;
  const shared_sweeps s = {.it = it,
                           .ranks = r,
                           .blocks = most,
                           .owner = it->owners,
                           .next = it->owners + room,
                           .mine = it->owners + 2 * room};
  const real tol = cosine_tolerance (it->rows_f);
  double lost = 0; // memory, on any rank
  if (r->rank == 0 && r->begin (r->user, it->columns, it->rows_f, it->g ? it->rows_g : 0))
    return 1;
  if (r->add (r->user, &lost, 1, 0))
    return 1;
  memset (s.owner, 0, 2 * (size_t)room * sizeof *s.owner);
  int going = 1;
  for (int k = 0; k < GLA_GSVD_MAX_SWEEPS && going; k++) {
    sweep_record record = {0, 0, 0, 0};
    if (sweep_shared (&s, &record) || join_ranks (&s, &record))
      return 1;
    it->stats->rotations[k] = record.rotations;
    it->stats->sweeps = k + 1;
    gla_cpu_gsvd_swept (it->task, k + 1);
    going = !converged (&record, it->columns, tol);
  }
  memset (s.next, 0, (size_t)room * sizeof *s.next);
  return move_blocks (&s) || going;
}

// Nonzero if it did not converge.
static int iterate (const iteration *it)
{
  if (it->columns < 2)
    return 0;
  if (it->task->plan->width == 0)
    return iterate_columns (it);
  return it->task->job->ranks != NULL ? iterate_shared (it) : iterate_blocks (it);
}

#endif
