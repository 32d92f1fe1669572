// shared_moves.h: blocks that move where ranks share the sweeps of a pair
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SHARED_MOVES_H
#define SHARED_MOVES_H

#include "common/orderings.h"
#include "gpulinalg.h"

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
