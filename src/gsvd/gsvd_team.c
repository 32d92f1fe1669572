// gsvd_team.c: the sweeps of one pair on several devices
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/orderings.h"
#include "common/status.h"
#include "gsvd_team.h"

#include <math.h>
#include <string.h>

// A member gets so many steps before the next one does, so that none waits long for its first.
enum { SLICE = 4 };

static void sit (gla_team_seat *seat, int share, int place, int other, int other_place)
{
  const int swapped = other < share;
  seat->share[swapped] = share;
  seat->place[swapped] = place;
  seat->share[!swapped] = other;
  seat->place[!swapped] = other_place;
}

void gla_team_start (gla_team_state *state, int members)
{
  memset (state, 0, sizeof *state);
  for (int k = 0; k < members; k++)
    sit (&state->seats[k], k, 0, 2 * members - 1 - k, 1);
}

static int place_of (const gla_team_seat *seat, int share)
{
  return seat->place[seat->share[1] == share];
}

static int has (const gla_team_seat *seat, int share)
{
  return seat->share[0] == share || seat->share[1] == share;
}

// Returns the third place.
static int free_place (const gla_team_seat *seat)
{
  return 3 - seat->place[0] - seat->place[1];
}

// From phase H to phase H XOR e, the members {c, c^H} and {c^e, c^e^H} exchange c^H and c^e^H.
static gla_status change_phase (const gla_team_task *t, const gla_team_ops *ops, void *user,
                                gla_team_state *state, int e)
{
  gla_team_move moves[GLA_TEAM_MOST];
  int moved[GLA_TEAM_MOST] = {0};
  for (int k = 0; k < t->members; k++) {
    gla_team_seat *a = &state->seats[k];
    const int keep = a->share[0], out = a->share[1], in = out ^ e;
    if (moved[k]) // with an earlier member
      continue;
    int peer = k + 1;
    while (moved[peer] || !has (&state->seats[peer], in))
      peer++;
    gla_team_seat *b = &state->seats[peer];
    const int here = free_place (a), there = free_place (b);
    moves[k] = (gla_team_move){place_of (a, out), peer, there};
    moves[peer] = (gla_team_move){place_of (b, in), k, here};
    sit (b, keep ^ e, place_of (b, keep ^ e), out, there);
    sit (a, keep, place_of (a, keep), in, here);
    moved[peer] = 1;
  }
  return ops->swap (user, moves);
}

static gla_status run_phase (const gla_team_task *t, const gla_team_ops *ops, void *user,
                             const gla_team_state *state, int phase)
{
  int32_t first;
  const int count = gla_ordering_phase (t->ordering, t->blocks, t->members, phase, &first);
  for (int done = 0; done < count; done += SLICE)
    for (int k = 0; k < t->members; k++) {
      const int steps = count - done < SLICE ? count - done : SLICE;
      GLA_TRY (ops->work (user, k, &state->seats[k], first + done, steps));
    }
  return GLA_OK;
}

static double root_of_bits (uint64_t bits)
{
  double square;
  memcpy (&square, &bits, sizeof square);
  return sqrt (square);
}

// The rule of gsvd_sweep_done (kernels/gsvd/gsvd_inner.cu).
static int was_last (const gla_team_task *t, const gla_team_finding *found)
{
  const double cosine = root_of_bits (found->cosine2), angle = root_of_bits (found->angle2);
  const int small = cosine <= 16 * t->tol || cosine * fmax (cosine, angle) * t->p <= t->tol;
  return small && !found->unseen;
}

gla_status gla_team_sweeps (const gla_team_task *t, const gla_team_ops *ops, void *user,
                            gla_team_state *state)
{
  const int last_phase = 2 * t->members - 1;
  gla_status status = GLA_OK;
  for (int sweep = 0; sweep < GLA_GSVD_MAX_SWEEPS && !state->converged; sweep++) {
    if (sweep > 0 && t->members > 1)
      status = change_phase (t, ops, user, state, 1 ^ last_phase);
    for (int phase = last_phase; phase > 0 && status == GLA_OK; phase--) {
      status = run_phase (t, ops, user, state, phase);
      if (status == GLA_OK && phase > 1)
        status = change_phase (t, ops, user, state, phase ^ (phase - 1));
    }
    gla_team_finding found = {0};
    if (status == GLA_OK)
      status = ops->agree (user, &found);
    if (status != GLA_OK)
      return status;
    state->rotations[sweep] = found.rotations;
    state->sweeps = sweep + 1;
    state->converged = was_last (t, &found);
    ops->swept (user, sweep + 1);
  }
  return GLA_OK;
}
