// lanczos_team.c: chooses the GPUs of a call of gla_eigs: one, or several that share the rows
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "lanczos.h"

// The vectors of a team are on the host, and it has no three-term recurrence.
static int can_share (const gla_eigs_call *call)
{
  const gla_krylov_job *job = &call->run->job;
  const gla_array *vectors = &call->results->vectors;
  return job->matrix != NULL && !job->plain &&
         (vectors->data == NULL || vectors->device == GLA_DEVICE_HOST);
}

// Returns the number of them that is predicted to be the fastest, if that saves a tenth of the time
// of one; all if the caller lists them.
static int members_of (gla_eigs_call *call, gla_krylov_team *team)
{
  gla_krylov_job *job = &call->run->job;
  gla_engine *leader = team->engines[0];
  const int most = team->count;
  double best = 0.9 * gla_eigs_seconds (leader, call, 1);
  int members = 1;
  if (call->run->ctx->place == GLA_PLACE_LIST)
    return most;
  job->team = team;
  for (int k = most; k > 1; k--) {
    team->count = k;
    const double seconds = gla_eigs_seconds (leader, call, 1);
    if (seconds < best) {
      best = seconds;
      members = k;
    }
  }
  job->team = NULL;
  team->count = most;
  return members;
}

static gla_status run_together (gla_eigs_call *call, gla_krylov_team *team, int members,
                                int *device)
{
  gla_krylov_job *job = &call->run->job;
  team->count = members;
  team->failed = 0;
  job->team = members > 1 ? team : NULL;
  const gla_status status = gla_eigs_run_on (call, team->engines[0]);
  job->team = NULL;
  *device = call->run->devices[team->failed];
  return status;
}

// If one GPU of a team has too little memory the first does the call alone; if that one has too
// little, all do it together.
gla_status gla_eigs_on_gpus (void *user, const int *devices, int count, gla_outcome *outcome)
{
  gla_eigs_call *call = user;
  gla_context *ctx = call->run->ctx;
  gla_krylov_team team = {.count = 0};
  int device = devices[0];
  GLA_TRY (gla_sparse_open_team (ctx, devices, can_share (call) ? count : 1, &team,
                                 call->run->devices, &outcome->failure));
  const int opened = team.count;
  if (opened == 0)
    return gla_place_note (ctx, outcome->failure, device, outcome);
  const int members = opened > 1 ? members_of (call, &team) : 1;
  gla_status status = run_together (call, &team, members, &device);
  if (status == GLA_ERROR_OUT_OF_MEMORY && opened > 1) {
    gla_sparse_leave_gpus (call->run->scaled != NULL ? call->run->scaled : call->run->S);
    status = run_together (call, &team, members > 1 ? 1 : opened, &device);
  }
  return gla_place_note (ctx, status, device, outcome);
}
