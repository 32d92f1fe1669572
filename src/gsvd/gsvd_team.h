// gsvd_team.h: the sweeps of one pair on several devices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This part is the same for all devices: which shares of the columns meet where (orderings.h), what
// moves between them, and when the sweeps end. One thread of the host leads all devices, which run
// what it launches asynchronously; it waits at the end of a sweep.

#ifndef GPULINALG_GSVD_TEAM_H
#define GPULINALG_GSVD_TEAM_H

#include "row.h"

#ifdef __cplusplus
extern "C" {
#endif

// A member has two shares of the columns, and room for a third one, which arrives while another
// leaves.
enum { GLA_TEAM_PLACES = 3 };
typedef struct {
  int share[2]; // the lower number first
  int place[2]; // where they lie, 0 .. 2
} gla_team_seat;

// A member sends the share at place `from` to place `to` of `peer`, which sends one back.
typedef struct {
  int from, peer, to;
} gla_team_move;

// What a sweep did, in all members: six integers. cosine2 and angle2 are the bits of nonnegative
// doubles, which are ordered as the doubles are.
typedef struct {
  uint64_t rotations;       // the sum
  uint64_t cosine2, angle2; // squares of the largest cosine that was rotated away, and of the
                            // largest angle
  int unseen;               // nonzero: columns missed each other
} gla_team_finding;

// The functions of a backend; all but `agree` may return before they are done, and all return why
// they fail.
typedef struct {
  // Steps first .. first+count-1 of the sweep on a member.
  gla_status (*work) (void *user, int member, const gla_team_seat *seat, int first, int count);
  // All members send at once, after the work so far; the work after it begins with what arrived.
  gla_status (*swap) (void *user, const gla_team_move *moves);
  // Waits until all members have done the sweep, and says what it did.
  gla_status (*agree) (void *user, gla_team_finding *found);
  // So many sweeps are done.
  void (*swept) (void *user, int sweeps);
} gla_team_ops;

typedef struct {
  int members; // a power of two, at most half of gla_ordering_parts (blocks)
  int blocks;
  gla_gsvd_ordering ordering;
  double tol; // cosines up to it count as zero
  int p;      // columns
} gla_team_task;

typedef struct {
  gla_team_seat seats[GLA_TEAM_MOST];
  int sweeps, converged;
  uint64_t rotations[GLA_GSVD_MAX_SWEEPS]; // in each sweep
} gla_team_state;

// Sets the first places of the shares: member k has shares k and 2*members-1-k at places 0 and 1.
void gla_team_start (gla_team_state *state, int members);
// Sweeps until the columns are orthogonal, GLA_GSVD_MAX_SWEEPS times at most.
gla_status gla_team_sweeps (const gla_team_task *task, const gla_team_ops *ops, void *user,
                            gla_team_state *state);

#ifdef __cplusplus
}
#endif

#endif
