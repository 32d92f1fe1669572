// spmv_team.c: a product of a sparse matrix whose rows several GPUs share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each GPU has its shares of the rows (sparse_shares.c), those that it has for gla_eigs, too. A
// thread for each GPU copies a part of the vectors there, reads the other parts from the other
// GPUs, multiplies, and copies the rows back; so the links and the GPUs work at the same time, and
// the threads of the host are divided among them. The shares do not depend on the number of GPUs,
// so the bits do not either, from two GPUs on.

#include "common/status.h"
#include "spmv_run.h"
#include "threads/pool.h"
#include "arrays/job.h"
#include "backend.h"
#include "common/system.h"
#include "threads/schedule.h"

#include <pthread.h>
#include <stdatomic.h>

enum { VECTORS = 8 }; // that are on a GPU at a time

typedef struct {
  gla_spmv_call *call;
  int conjugate, threads; // threads: of the host, for each GPU
  gla_krylov_team team;
  int devices[GLA_TEAM_MOST];
  atomic_int stop, at_work;
  atomic_int arrived;     // how often members have come to `meet`
  void *x[GLA_TEAM_MOST]; // on each GPU: all rows of some vectors
} shared_product;

typedef struct {
  shared_product *product;
  int number; // in the team
  int meetings;
  void *y;
  gla_status status;
  pthread_t thread;
} member;

//------------------------------------------------------------------------------
// on one GPU
//------------------------------------------------------------------------------

// The product of this thread. An engine keeps the monitor of its last work, so the monitor's user
// is the context, which lives longer.
static _Thread_local shared_product *at_work;

// Only the caller's thread calls the user back.
static int poll_product (void *ctx, int64_t pages)
{
  return at_work == NULL ? gla_poll_stop (ctx, pages) : atomic_load (&at_work->stop);
}

// Waits until all members have called this, or one of them has failed.
static gla_status meet (member *m)
{
  enum { LOOKS = 2000 };
  shared_product *p = m->product;
  const int all = ++m->meetings * p->team.count;
  atomic_fetch_add (&p->arrived, 1);
  for (int looks = 0; atomic_load (&p->arrived) < all; looks++) {
    if (atomic_load (&p->stop))
      return GLA_ERROR_STOPPED;
    if (looks < LOOKS)
      gla_yield ();
    else
      gla_nap (20000);
  }
  return GLA_OK;
}

// Vectors on a GPU: all rows of x, and its rows of y.
typedef struct {
  gla_array x, y;
} device_vectors;

static char *element_at (const gla_array *a, int64_t row, int64_t column)
{
  return (char *)a->data + (size_t)(column * a->column_stride + row) * gla_type_size (a->type);
}

// Returns the first row of the part of x that a member copies from the host.
static int64_t part_of (const shared_product *p, int number)
{
  return (int64_t)((double)p->call->x->rows * number / p->team.count);
}

// Fills all rows of x: a part from the host, the others from the other GPUs.
static gla_status put_vectors (member *m, const gla_array *to, const gla_array *from)
{
  shared_product *p = m->product;
  gla_engine *engine = p->team.engines[m->number];
  const gla_nd_ops *nd = engine->backend->nd;
  const size_t size = gla_type_size (from->type);
  const int64_t first = part_of (p, m->number), rows = part_of (p, m->number + 1) - first;
  gla_status status = GLA_OK;
  for (int64_t j = 0; j < to->columns && status == GLA_OK; j++)
    status = nd->put (engine, element_at (to, first, j), element_at (from, first, j),
                      (size_t)rows * size);
  if (status == GLA_OK)
    status = nd->wait (engine);
  if (status == GLA_OK)
    status = meet (m);
  for (int k = 0; k < p->team.count && status == GLA_OK; k++) {
    gla_array other = *to;
    other.data = p->x[k];
    for (int64_t j = 0; j < to->columns && k != m->number && status == GLA_OK; j++)
      status = nd->fetch (engine, element_at (to, part_of (p, k), j), p->team.engines[k],
                          element_at (&other, part_of (p, k), j),
                          (size_t)(part_of (p, k + 1) - part_of (p, k)) * size);
  }
  return status;
}

// Copies the rows of y that are here, from row `first` on.
static gla_status get_vectors (gla_engine *engine, const gla_array *to, int64_t first,
                               const gla_array *from)
{
  gla_status status = GLA_OK;
  for (int64_t j = 0; j < from->columns && from->rows > 0 && status == GLA_OK; j++)
    status = engine->backend->nd->get (engine, element_at (to, first, j), element_at (from, 0, j),
                                       (size_t)from->rows * gla_type_size (from->type));
  return status;
}

static gla_status multiply_shares (const member *m, const device_vectors *v)
{
  const gla_krylov_team *team = &m->product->team;
  gla_engine *engine = team->engines[m->number];
  const int first = gla_team_share (team, m->number), end = gla_team_share (team, m->number + 1);
  gla_status status = GLA_OK;
  for (int s = first; s < end && status == GLA_OK; s++) {
    if (team->sparse[s] == NULL)
      continue;
    gla_spmv_job job = {.conjugate = m->product->conjugate,
                        .x = v->x,
                        .y = v->y,
                        .device_arrays = 1,
                        .monitor = {poll_product, m->product->call->S->ctx}};
    job.y.data = element_at (&v->y, team->start[s] - team->start[first], 0);
    job.y.rows = team->start[s + 1] - team->start[s];
    status = engine->backend->spmv->product (engine, team->sparse[s], &job);
  }
  return status;
}

// Returns columns `at` .. at+count-1 of an array.
static gla_array some_columns (const gla_array *a, int64_t at, int64_t count)
{
  gla_array part = *a;
  part.data = (char *)a->data + (size_t)(at * a->column_stride) * gla_type_size (a->type);
  part.columns = count;
  return part;
}

// Multiplies all vectors, so many at a time. At the end of a round x may be overwritten: all have
// read it.
static gla_status multiply_all (member *m, device_vectors *v, int64_t most)
{
  const gla_spmv_call *call = m->product->call;
  const gla_krylov_team *team = &m->product->team;
  gla_engine *engine = team->engines[m->number];
  gla_status status = GLA_OK;
  for (int64_t at = 0; at < call->columns && status == GLA_OK; at += most) {
    const int64_t count = call->columns - at < most ? call->columns - at : most;
    const gla_array x = some_columns (call->x, at, count), y = some_columns (call->y, at, count);
    v->x.columns = v->y.columns = count;
    status = put_vectors (m, &v->x, &x);
    if (status == GLA_OK)
      status = multiply_shares (m, v);
    if (status == GLA_OK)
      status = get_vectors (engine, &y, team->start[gla_team_share (team, m->number)], &v->y);
    if (status == GLA_OK)
      status = engine->backend->nd->wait (engine);
    if (status == GLA_OK)
      status = meet (m);
  }
  return status;
}

static gla_status multiply_rows (member *m)
{
  shared_product *p = m->product;
  const gla_spmv_call *call = p->call;
  gla_engine *engine = p->team.engines[m->number];
  const gla_nd_ops *nd = engine->backend->nd;
  const gla_monitor monitor = {poll_product, call->S->ctx};
  const int64_t rows = p->team.start[gla_team_share (&p->team, m->number + 1)] -
                       p->team.start[gla_team_share (&p->team, m->number)],
                most = call->columns < VECTORS ? call->columns : VECTORS;
  const size_t bytes = (size_t)most * gla_type_size (call->x->type);
  nd->watch (engine, &monitor);
  GLA_TRY (nd->take (engine, bytes * (size_t)call->x->rows, &p->x[m->number]));
  GLA_TRY (nd->take (engine, bytes * (size_t)rows + 1, &m->y));
  device_vectors v = {.x = gla_array_packed (p->x[m->number], call->x->type, call->x->rows, most, 1,
                                             engine->device),
                      .y = gla_array_packed (m->y, call->y->type, rows, most, 1, engine->device)};
  return multiply_all (m, &v, most);
}

//------------------------------------------------------------------------------
// on all of them
//------------------------------------------------------------------------------

static void *member_thread (void *user)
{
  member *m = user;
  at_work = m->product;
  gla_pool_share (m->product->threads);
  m->status = multiply_rows (m);
  if (m->status != GLA_OK)
    atomic_store (&m->product->stop, 1);
  atomic_fetch_sub (&m->product->at_work, 1);
  return NULL;
}

// Meanwhile the caller's thread polls the user's stop every 20 ms. Returns whether to stop.
static int watch (shared_product *p)
{
  enum { ASK_EVERY = 400 };
  int stopped = 0;
  for (int looks = 1; atomic_load (&p->at_work) > 0; looks++) {
    if (looks % ASK_EVERY == 0 && gla_stop_wanted (p->call->S->ctx)) {
      stopped = 1;
      atomic_store (&p->stop, 1);
    }
    gla_nap (50000);
  }
  return stopped;
}

// Of several failures, that of a device precedes a lack of memory. Members that were stopped by a
// failure of another one do not count.
static gla_status worst_of (shared_product *p, const member *members, int stopped)
{
  static const gla_status order[] = {GLA_ERROR_DEVICE_FAILURE, GLA_ERROR_OUT_OF_MEMORY};
  for (int w = 0; w < 2; w++)
    for (int k = 0; k < p->team.count; k++)
      if (members[k].status == order[w]) {
        p->team.failed = k;
        return order[w];
      }
  for (int k = 0; k < p->team.count; k++)
    if (members[k].status != GLA_OK && members[k].status != GLA_ERROR_STOPPED)
      return members[k].status;
  return stopped ? GLA_ERROR_STOPPED : GLA_OK;
}

// Called when no member reads the memory of another one any more.
static void give_back (shared_product *p, const member *members, int count)
{
  for (int k = 0; k < count; k++) {
    gla_engine *engine = p->team.engines[k];
    if (members[k].y != NULL)
      engine->backend->nd->give (engine, members[k].y);
    if (p->x[k] != NULL)
      engine->backend->nd->give (engine, p->x[k]);
    p->x[k] = NULL;
  }
}

static gla_status multiply_together (shared_product *p)
{
  member members[GLA_TEAM_MOST];
  int started = 0;
  atomic_store (&p->stop, 0);
  atomic_store (&p->arrived, 0);
  atomic_store (&p->at_work, p->team.count);
  p->threads = gla_pool_threads () / p->team.count;
  p->threads = p->threads > 1 ? p->threads : 1;
  for (; started < p->team.count; started++) {
    members[started] = (member){.product = p, .number = started};
    if (gla_thread_start (&members[started].thread, 0, member_thread, &members[started]) != 0)
      break;
  }
  for (int k = started; k < p->team.count; k++) {
    members[k].status = GLA_ERROR_OUT_OF_MEMORY;
    atomic_store (&p->stop, 1);
    atomic_fetch_sub (&p->at_work, 1);
  }
  const int stopped = watch (p);
  for (int k = 0; k < started; k++)
    pthread_join (members[k].thread, NULL);
  give_back (p, members, started);
  return worst_of (p, members, stopped);
}

static gla_status run_together (shared_product *p, int members)
{
  gla_spmv_call *call = p->call;
  gla_sparse_use use;
  p->team.count = members;
  p->team.failed = 0;
  GLA_TRY (gla_sparse_find_use (call->S, call->op, 0, &use));
  p->conjugate = use.conjugate;
  GLA_TRY (gla_sparse_share (call->S, use.face, &p->team, p->devices));
  return multiply_together (p);
}

//------------------------------------------------------------------------------
// how many
//------------------------------------------------------------------------------

// Predicts the seconds of so many GPUs: each reads all of x, and does its part of the rest.
static double seconds_of (const shared_product *p, const gla_face *face, int members)
{
  gla_engine *leader = p->team.engines[0];
  gla_krylov_team team = p->team;
  gla_spmv_matrix part = face->M;
  team.count = members;
  if (members == 1)
    return leader->backend->spmv->seconds (
        leader, &part, gla_sparse_prepared (p->call->S, face, leader), p->call->columns);
  part.entries /= members;
  part.csr.rows /= members;
  const void *there = gla_sparse_is_shared (p->call->S, face, &team) ? leader : NULL;
  return leader->backend->spmv->seconds (leader, &part, there, p->call->columns) +
         1e-4 * (double)members;
}

// Returns the number that is predicted to be the fastest, if that saves a tenth of the time of one;
// all if the caller lists them.
static int members_of (const shared_product *p, const gla_face *face)
{
  double best = 0.9 * seconds_of (p, face, 1);
  int members = 1;
  if (p->call->S->ctx->place == GLA_PLACE_LIST)
    return p->team.count;
  for (int k = p->team.count; k > 1; k--) {
    const double seconds = seconds_of (p, face, k);
    if (seconds < best) {
      best = seconds;
      members = k;
    }
  }
  return members;
}

static gla_status run (shared_product *p, int members)
{
  p->team.failed = 0;
  return members > 1 ? run_together (p, members) : gla_spmv_on_engine (p->call, p->team.engines[0]);
}

// If one GPU of several has too little memory the first does the product alone; if that one has too
// little, all do it together.
gla_status gla_spmv_on_gpus (void *user, const int *devices, int count, gla_outcome *outcome)
{
  gla_spmv_call *call = user;
  gla_context *ctx = call->S->ctx;
  shared_product p = {.call = call};
  gla_sparse_use use;
  const int here = call->x->device == GLA_DEVICE_HOST; // a gpuArray stays where it is
  gla_status status =
      gla_sparse_open_team (ctx, devices, here ? count : 1, &p.team, p.devices, &outcome->failure);
  if (status != GLA_OK)
    return status;
  const int opened = p.team.count;
  if (opened == 0)
    return gla_place_note (ctx, outcome->failure, devices[0], outcome);
  status = gla_sparse_find_use (call->S, call->op, 0, &use);
  if (status != GLA_OK)
    return gla_place_note (ctx, status, devices[0], outcome);
  const int can_share = opened > 1 && p.team.engines[0]->backend->nd != NULL;
  const int members = can_share ? members_of (&p, use.face) : 1;
  status = run (&p, members);
  if (status == GLA_ERROR_OUT_OF_MEMORY && can_share) {
    gla_sparse_leave_gpus (call->S);
    p.team.count = opened;
    status = run (&p, members > 1 ? 1 : opened);
  }
  return gla_place_note (ctx, status, p.devices[p.team.failed], outcome);
}
