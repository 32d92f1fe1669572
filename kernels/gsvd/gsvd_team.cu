// gsvd_team.cu: the sweeps of one pair on several GPUs
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_plan.cuh"
#include "common/runtime.cuh"
#include "engine/heap.cuh"
#include "engine/memory.cuh"

#include <cstddef>

namespace
{

// Steps that are launched on a member before the host waits for the previous ones.
enum { STEPS_AHEAD = 32 };

template <class T>
gla_status work_of (void *user, int member, const gla_team_seat *seat, int first, int count)
{
  return static_cast<gsvd_team<T> *> (user)->work (member, seat, first, count);
}
template <class T> gla_status swap_of (void *user, const gla_team_move *moves)
{
  return static_cast<gsvd_team<T> *> (user)->swap (moves);
}
template <class T> gla_status agree_of (void *user, gla_team_finding *found)
{
  return static_cast<gsvd_team<T> *> (user)->agree (found);
}
template <class T> void swept_of (void *user, int sweeps)
{
  const gsvd_host &host = static_cast<gsvd_team<T> *> (user)->host;
  host.swept (host.user, sweeps);
}

} // namespace

//------------------------------------------------------------------------------
// open and close
//------------------------------------------------------------------------------

template <class T>
gsvd_team<T>::gsvd_team (cuda_engine *e, int slot, const gsvd_plan<T> &plan, const gsvd_host &host)
    : e (e), slot (slot), plan (plan), host (host), team (kept_gsvd_job (e).team), share_blocks (0),
      opened (0), share_columns (0), members (), state ()
{
  if (team == nullptr)
    return;
  share_blocks = plan.blocks / (2 * team->count);
  share_columns = (int64_t)share_blocks * plan.width;
  team->failed = e->base.device;
}

template <class T> gla_status gsvd_team<T>::of (int k, cudaError_t error)
{
  if (error != cudaSuccess)
    team->failed = members[k].device;
  return engine_status (error);
}

template <class T> gla_status gsvd_team<T>::enter (int k)
{
  return of (k, cudaSetDevice (members[k].device));
}

// Only counts bytes if the base is NULL.
template <class T> void carve (gsvd_member<T> &m, const gsvd_plan<T> &plan, int pairs, carver &c)
{
  int64_t page = GLA_TEAM_PLACES * (int64_t)pairs * plan.width * plan.ld;
  m.step.F = {c.take<T> (page), plan.ld, page};
  m.step.G = {c.take<T> (page), plan.ld, page};
  m.step.gram = c.take<T> (gsvd_gram_size (plan.splits, plan.both, plan.width, pairs));
  m.step.V = c.take<T> ((int64_t)pairs * 4 * plan.width * plan.width);
  m.step.active = c.take<int> (pairs);
  m.step.state = c.take<gsvd_state> (1);
  m.blocks = c.take<short2> ((int64_t)plan.steps * pairs);
  m.step.inner = c.take<unsigned char> (2 * plan.width * plan.rounds);
}

template <class T> gla_status gsvd_team<T>::take_memory (int k)
{
  gsvd_member<T> &m = members[k];
  carver count = {nullptr, 0};
  carve (m, plan, share_blocks, count);
  cudaError_t error = cudaMalloc (reinterpret_cast<void **> (&m.memory), count.used);
  if (error == cudaErrorMemoryAllocation) { // unused memory of arrays may be missing
    cudaGetLastError ();
    heap_trim (m.device);
    error = cudaMalloc (reinterpret_cast<void **> (&m.memory), count.used);
  }
  if (error != cudaSuccess) {
    m.memory = nullptr;
    return of (k, error);
  }
  m.bytes = count.used;
  memory_count (m.device, MEMORY_WORK, (int64_t)m.bytes);
  carver c = {m.memory, 0};
  carve (m, plan, share_blocks, c);
  return of (k, cudaMemsetAsync (m.step.state, 0, sizeof (gsvd_state), m.stream));
}

template <class T> gla_status gsvd_team<T>::open_member (int k)
{
  gsvd_member<T> &m = members[k];
  m.device = team->devices[k];
  opened = k + 1;
  GLA_TRY (enter (k));
  m.step = gsvd_step_of (plan);
  m.step.pairs = m.step.seat.blocks = share_blocks;
  GLA_TRY (of (k, cudaEventCreateWithFlags (&m.sent, cudaEventDisableTiming)));
  if (k == 0) {
    m.stream = e->slots[slot].stream;
    m.paced = e->slots[slot].done; // while it is waited for, memory for the results is touched
    m.step.F = plan.U;
    m.step.G = plan.UC;
    m.blocks = plan.tables.blocks;
    return GLA_OK;
  }
  int lowest = 0, highest = 0;
  GLA_TRY (of (k, cudaEventCreateWithFlags (&m.paced, cudaEventDisableTiming)));
  GLA_TRY (of (k, cudaDeviceGetStreamPriorityRange (&lowest, &highest)));
  GLA_TRY (of (k, cudaStreamCreateWithPriority (&m.stream, cudaStreamNonBlocking, highest)));
  return take_memory (k);
}

template <class T> gla_status gsvd_team<T>::open (bool *alone)
{
  gla_status status = GLA_OK;
  for (int k = 0; k < team->count && status == GLA_OK; k++)
    status = open_member (k);
  *alone = status == GLA_ERROR_OUT_OF_MEMORY;
  if (*alone) {
    close ();
    team->failed = e->base.device;
    return GLA_OK;
  }
  for (int k = 0; k < opened && status == GLA_OK; k++)
    for (int other = 0; other < opened; other++)
      peers_connect (members[k].device, members[other].device);
  const gla_status back = enter (0);
  return status == GLA_OK ? back : status;
}

template <class T> void gsvd_team<T>::close ()
{
  for (int k = 0; k < opened; k++) // all may copy to and from all
    if (members[k].stream != nullptr && enter (k) == GLA_OK)
      cudaStreamSynchronize (members[k].stream);
  for (int k = 0; k < opened; k++) {
    gsvd_member<T> &m = members[k];
    cudaSetDevice (m.device);
    if (m.sent != nullptr)
      cudaEventDestroy (m.sent);
    if (k == 0)
      continue;
    if (m.paced != nullptr)
      cudaEventDestroy (m.paced);
    if (m.stream != nullptr)
      cudaStreamDestroy (m.stream);
    if (m.memory != nullptr)
      cudaFree (m.memory);
    memory_count (m.device, MEMORY_WORK, -(int64_t)m.bytes);
  }
  if (opened > 0) {
    cudaSetDevice (e->base.device);
    cudaGetLastError ();
  }
  opened = 0;
}

//------------------------------------------------------------------------------
// waits
//------------------------------------------------------------------------------

template <class T> gla_status gsvd_team<T>::wait (int k)
{
  const gla_status status = engine_wait (e, members[k].paced);
  if (status == GLA_ERROR_DEVICE_FAILURE)
    team->failed = members[k].device;
  return status;
}

// Waits for what was launched before the last call, while the GPU does what came after it. Asks
// whether to stop, because short waits do not.
template <class T> gla_status gsvd_team<T>::pace (int k)
{
  GLA_TRY (wait (k));
  members[k].launched = 0;
  if (k == 0 && e->monitor.poll (e->monitor.user, 0))
    return GLA_ERROR_STOPPED;
  return of (k, cudaEventRecord (members[k].paced, members[k].stream));
}

//------------------------------------------------------------------------------
// what the driver asks for
//------------------------------------------------------------------------------

template <class T>
gla_status gsvd_team<T>::work (int k, const gla_team_seat *seat, int first, int count)
{
  gsvd_member<T> &m = members[k];
  gsvd_step<T> s = m.step;
  for (int i = 0; i < 2; i++) {
    int64_t left = plan.p - seat->share[i] * share_columns;
    s.seat.first[i] = (int)(seat->place[i] * share_columns);
    s.seat.filled[i] = (int)(left < 0 ? 0 : left < share_columns ? left : share_columns);
  }
  GLA_TRY (enter (k));
  for (int step = first; step < first + count; step++) {
    s.blocks = m.blocks + (int64_t)step * s.pairs;
    GLA_TRY (of (k, gsvd_gram (s, m.stream)));
    GLA_TRY (of (k, gsvd_inner (s, m.stream)));
    GLA_TRY (of (k, gsvd_update (s, m.stream)));
  }
  m.launched += count;
  return m.launched >= STEPS_AHEAD ? pace (k) : GLA_OK;
}

// Sends one share on the stream of member k, whose GPU is the current one.
template <class T>
gla_status gsvd_team<T>::send_share (int k, page_matrix<T> from, int peer, page_matrix<T> to)
{
  const gsvd_member<T> &a = members[k], &b = members[peer];
  size_t bytes = (size_t)(share_columns * plan.ld) * sizeof (T);
  return of (k, peers_copy (to.data, b.device, from.data, a.device, bytes, a.stream));
}

// A share's new place is free once its owner has sent the previous one; the next step begins once
// the peer has sent. Each member sends on its own stream, so both directions overlap.
template <class T> gla_status gsvd_team<T>::swap (const gla_team_move *moves)
{
  for (int k = 0; k < team->count; k++) {
    const gla_team_move &m = moves[k];
    const gsvd_step<T> &here = members[k].step, &there = members[m.peer].step;
    int64_t from = m.from * share_columns, to = m.to * share_columns;
    GLA_TRY (enter (k));
    GLA_TRY (of (k, cudaStreamWaitEvent (members[k].stream, members[m.peer].sent, 0)));
    GLA_TRY (send_share (k, here.F.at (0, from), m.peer, there.F.at (0, to)));
    GLA_TRY (send_share (k, here.G.at (0, from), m.peer, there.G.at (0, to)));
  }
  for (int k = 0; k < team->count; k++) {
    GLA_TRY (enter (k));
    GLA_TRY (of (k, cudaEventRecord (members[k].sent, members[k].stream)));
  }
  for (int k = 0; k < team->count; k++) {
    GLA_TRY (enter (k));
    GLA_TRY (of (k, cudaStreamWaitEvent (members[k].stream, members[moves[k].peer].sent, 0)));
  }
  return GLA_OK;
}

template <class T> gla_status gsvd_team<T>::agree (gla_team_finding *found)
{
  *found = {0, 0, 0, 0};
  for (int k = 0; k < team->count; k++) {
    GLA_TRY (enter (k));
    GLA_TRY (of (k, cudaEventRecord (members[k].paced, members[k].stream)));
  }
  for (int k = 0; k < team->count; k++) {
    const gsvd_member<T> &m = members[k];
    gsvd_state own;
    GLA_TRY (enter (k));
    GLA_TRY (wait (k));
    GLA_TRY (
        of (k, cudaMemcpyAsync (&own, m.step.state, sizeof own, cudaMemcpyDeviceToHost, m.stream)));
    found->rotations += own.rotations;
    found->cosine2 = own.cosine2 > found->cosine2 ? own.cosine2 : found->cosine2;
    found->angle2 = own.angle2 > found->angle2 ? own.angle2 : found->angle2;
    found->unseen |= own.unseen;
    own.rotations = own.cosine2 = own.angle2 = 0;
    own.unseen = 0;
    own.sweeps++;
    GLA_TRY (
        of (k, cudaMemcpyAsync (m.step.state, &own, sizeof own, cudaMemcpyHostToDevice, m.stream)));
  }
  return GLA_OK;
}

//------------------------------------------------------------------------------
// all sweeps
//------------------------------------------------------------------------------

// Copies the shares and the tables from the first member to the others.
template <class T> gla_status gsvd_team<T>::scatter ()
{
  cudaStream_t stream = members[0].stream;
  for (int k = 0; k < team->count; k++) {
    const gsvd_member<T> &m = members[k];
    for (int i = 0; i < 2; i++) {
      int64_t from = state.seats[k].share[i] * share_columns;
      int64_t to = state.seats[k].place[i] * share_columns;
      GLA_TRY (send_share (0, plan.F.at (0, from), k, m.step.F.at (0, to)));
      GLA_TRY (send_share (0, plan.G.at (0, from), k, m.step.G.at (0, to)));
    }
    if (k == 0)
      continue;
    size_t bytes = (size_t)plan.steps * share_blocks * sizeof (short2);
    GLA_TRY (of (k, cudaMemcpyPeerAsync (const_cast<short2 *> (m.blocks), m.device,
                                         plan.tables.blocks, members[0].device, bytes, stream)));
    bytes = (size_t)2 * plan.width * plan.rounds;
    GLA_TRY (of (k, cudaMemcpyPeerAsync (const_cast<unsigned char *> (m.step.inner), m.device,
                                         plan.tables.columns, members[0].device, bytes, stream)));
  }
  GLA_TRY (of (0, cudaEventRecord (members[0].sent, stream)));
  for (int k = 1; k < team->count; k++) {
    GLA_TRY (enter (k));
    GLA_TRY (of (k, cudaStreamWaitEvent (members[k].stream, members[0].sent, 0)));
  }
  return GLA_OK;
}

// Copies all shares to F and G of the plan; the stream of the first member continues when they are
// there.
template <class T> gla_status gsvd_team<T>::gather ()
{
  for (int k = 0; k < team->count; k++) {
    const gsvd_member<T> &m = members[k];
    GLA_TRY (enter (k));
    for (int i = 0; i < 2; i++) {
      int64_t from = state.seats[k].place[i] * share_columns;
      int64_t to = state.seats[k].share[i] * share_columns;
      GLA_TRY (send_share (k, m.step.F.at (0, from), 0, plan.F.at (0, to)));
      GLA_TRY (send_share (k, m.step.G.at (0, from), 0, plan.G.at (0, to)));
    }
    GLA_TRY (of (k, cudaEventRecord (m.sent, m.stream)));
  }
  GLA_TRY (enter (0));
  for (int k = 1; k < team->count; k++)
    GLA_TRY (of (0, cudaStreamWaitEvent (members[0].stream, members[k].sent, 0)));
  return GLA_OK;
}

template <class T> gla_status gsvd_team<T>::sweeps ()
{
  static const gla_team_ops ops = {work_of<T>, swap_of<T>, agree_of<T>, swept_of<T>};
  const gla_team_task task = {team->count, plan.blocks, plan.ordering, members[0].step.tol, plan.p};
  cudaStream_t stream = members[0].stream;
  gsvd_state own;
  GLA_TRY (host.wait (host.user));
  GLA_TRY (copy_to_host (&own, plan.state, sizeof own, stream));
  if (own.done) // the pair is not to be solved
    return GLA_OK;
  gla_team_start (&state, team->count);
  GLA_TRY (scatter ());
  GLA_TRY (gla_team_sweeps (&task, &ops, this, &state));
  GLA_TRY (gather ());
  own.done = 1;
  own.info = state.converged ? 0 : 1;
  own.sweeps = state.sweeps;
  GLA_TRY (copy_to_device (plan.state, &own, sizeof own, stream));
  static_assert (sizeof state.rotations[0] == sizeof plan.history[0], "the history of a page");
  return copy_to_device (plan.history, state.rotations, sizeof state.rotations, stream);
}

template struct gsvd_team<double>;
template struct gsvd_team<cx<double>>;
