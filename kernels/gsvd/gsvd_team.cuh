// gsvd_team.cuh: the sweeps of one pair on several GPUs
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_TEAM_CUH
#define GPULINALG_GSVD_TEAM_CUH

#include "engine/engine.cuh"
#include "gsvd/gsvd_team.h"
#include "gsvd_plan.cuh"

template <class T> struct gsvd_member {
  int device;
  cudaStream_t stream;
  // sent: behind all copies to other members so far; paced: behind the work that is waited for
  cudaEvent_t sent, paced;
  char *memory; // NULL: in the plan's
  size_t bytes;
  gsvd_step<T> step; // F and G have GLA_TEAM_PLACES places, one behind the other
  const short2 *blocks;
  int launched; // steps since it was waited for
};

// The first member is the GPU of the plan: F and G come from there and go back there. Its places
// are in U and UC, which nothing else needs before the results. The others have memory, a stream
// and events of their own, from `open` to `close`.
template <class T> struct gsvd_team {
  cuda_engine *e;
  int slot;
  const gsvd_plan<T> &plan;
  const gsvd_host &host;
  gla_gsvd_team *team; // NULL: there is none
  int share_blocks, opened;
  int64_t share_columns;
  gsvd_member<T> members[GLA_TEAM_MOST];
  gla_team_state state;

  gsvd_team (cuda_engine *e, int slot, const gsvd_plan<T> &plan, const gsvd_host &host);
  ~gsvd_team () { close (); }
  gsvd_team (const gsvd_team &) = delete;
  gsvd_team &operator= (const gsvd_team &) = delete;

  // Takes what the members need, and lets them reach each other's memory where that is possible.
  // *alone: one of the others has too little memory, so the first GPU is to do the pair.
  gla_status open (bool *alone);
  // In place of gsvd_sweeps: the same bits.
  gla_status sweeps ();
  // Waits for all members and frees what they have.
  void close ();

  // for the driver (gsvd/gsvd_team.h)
  gla_status work (int k, const gla_team_seat *seat, int first, int count);
  gla_status swap (const gla_team_move *moves);
  gla_status agree (gla_team_finding *found);

  gla_status enter (int k);                 // makes its GPU the current one
  gla_status of (int k, cudaError_t error); // a status; notes whose GPU failed
  gla_status wait (int k);                  // until it has come to its `paced`
  gla_status pace (int k);                  // bounds what is launched ahead
  gla_status open_member (int k);
  gla_status take_memory (int k);
  gla_status scatter ();
  gla_status gather ();
  gla_status send_share (int k, page_matrix<T> from, int peer, page_matrix<T> to);
};

#endif
