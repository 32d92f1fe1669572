// sparse_shares.c: the rows of a sparse matrix shared by several GPUs
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse.h"
#include "threads/pool.h"
#include "backend.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// Data of the GPUs of the last such call for an orientation.
struct gla_sparse_shares {
  gla_krylov_team team;
  int devices[GLA_TEAM_MOST];
  void *starts[GLA_TEAM_SHARES]; // of the rows of each share, which must stay
};

//------------------------------------------------------------------------------
// shares
//------------------------------------------------------------------------------

// The work of a row besides its entries, in entries. A step of eigs_lanczos takes 27 times as long
// for a row of its basis as for an entry, but the GPUs wait for each other between the product and
// the passes over the basis. So the largest part of either decides, and if the first rows have most
// of the entries a larger weight is better: with equal work one GPU would wait in the product and
// the other one in all passes.
enum { ROW_WORK = 64 };

static double work_before (const gla_csr *c, int64_t row)
{
  return (double)gla_csr_at (c->start, c->index_bytes, row) + (double)ROW_WORK * (double)row;
}

// Returns the first row with so much work before it.
static int64_t row_of_work (const gla_csr *c, double work)
{
  int64_t low = 0, high = c->rows;
  while (low < high) {
    const int64_t row = low + (high - low) / 2;
    if (work_before (c, row) >= work)
      high = row;
    else
      low = row + 1;
  }
  return high;
}

// Makes shares of equal work, up to a row. If rows are few, some have none.
static void cut (const gla_csr *c, gla_krylov_team *team)
{
  const double all = work_before (c, c->rows);
  for (int s = 0; s < GLA_TEAM_SHARES; s++)
    team->start[s] = row_of_work (c, all * s / GLA_TEAM_SHARES);
  team->start[GLA_TEAM_SHARES] = c->rows;
}

// Returns rows first .. first+rows-1 of M; `start` has room for their starts. They have entries in
// columns *from .. *to-1.
static gla_spmv_matrix rows_of (const gla_spmv_matrix *M, int64_t first, int64_t rows, void *start,
                                int64_t *from, int64_t *to)
{
  const int bytes = M->csr.index_bytes;
  const int64_t origin = gla_csr_at (M->csr.start, bytes, first);
  gla_spmv_matrix part = *M;
  int64_t before = 0;
  part.longest = 0;
  *from = M->csr.columns;
  *to = 0;
  for (int64_t i = 0; i <= rows; i++) {
    const int64_t at = gla_csr_at (M->csr.start, bytes, first + i) - origin;
    if (bytes == 4)
      ((int32_t *)start)[i] = (int32_t)at;
    else
      ((int64_t *)start)[i] = at;
    part.longest = at - before > part.longest ? at - before : part.longest;
    if (at > before) { // columns ascend in each row
      const int64_t low = gla_csr_at (M->csr.index, bytes, origin + before);
      const int64_t high = gla_csr_at (M->csr.index, bytes, origin + at - 1) + 1;
      *from = low < *from ? low : *from;
      *to = high > *to ? high : *to;
    }
    before = at;
  }
  part.entries = before;
  part.csr.rows = rows;
  part.several = 1; // blocks
  part.csr.start = start;
  if (M->csr.index != NULL)
    part.csr.index = (const char *)M->csr.index + origin * bytes;
  if (M->csr.values != NULL)
    part.csr.values = (const char *)M->csr.values + origin * (int64_t)gla_type_size (M->csr.type);
  return part;
}

//------------------------------------------------------------------------------
// open
//------------------------------------------------------------------------------

static int is_lost (gla_status status)
{
  return status == GLA_ERROR_OUT_OF_MEMORY || status == GLA_ERROR_DEVICE_FAILURE;
}

gla_status gla_sparse_open_team (gla_context *ctx, const int *devices, int count,
                                 gla_krylov_team *team, int *opened, gla_status *failure)
{
  for (int k = 0; k < count && team->count < GLA_TEAM_MOST; k++) {
    const gla_status status = gla_context_gpu (ctx, devices[k], &team->engines[team->count]);
    if (status != GLA_OK && !is_lost (status))
      return status;
    if (status == GLA_OK)
      opened[team->count++] = devices[k];
    else
      *failure = status;
  }
  return GLA_OK;
}

//------------------------------------------------------------------------------
// prepare
//------------------------------------------------------------------------------

typedef struct {
  gla_context *ctx;
  const gla_spmv_matrix *M;
  gla_krylov_team *team;
  void **starts;
  pthread_t caller;
  atomic_int stop;
  gla_status status[GLA_TEAM_MOST];
} preparation;

static void watch (void *user)
{
  preparation *p = user;
  if (gla_stop_wanted (p->ctx))
    atomic_store (&p->stop, 1);
}

// The preparation of this thread. An engine keeps the monitor of its last work, so the monitor's
// user is the context, which lives longer.
static _Thread_local preparation *at_work;

// Only the caller's thread calls the user back.
static int poll_preparation (void *ctx, int64_t pages)
{
  preparation *p = at_work;
  if (p == NULL)
    return gla_poll_stop (ctx, pages);
  if (pthread_equal (pthread_self (), p->caller))
    watch (p);
  return atomic_load (&p->stop);
}

static gla_status prepare_share (preparation *p, gla_engine *engine, int share)
{
  gla_krylov_team *team = p->team;
  const int64_t first = team->start[share], rows = team->start[share + 1] - first;
  const gla_monitor monitor = {poll_preparation, p->ctx};
  team->sparse[share] = NULL;
  team->from[share] = team->to[share] = 0;
  if (rows == 0)
    return GLA_OK;
  void *start = malloc (((size_t)rows + 1) * (size_t)p->M->csr.index_bytes);
  p->starts[share] = start;
  if (start == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  const gla_spmv_matrix part =
      rows_of (p->M, first, rows, start, &team->from[share], &team->to[share]);
  const gla_status status =
      engine->backend->spmv->prepare (engine, &part, &monitor, &team->sparse[share]);
  if (status != GLA_OK)
    team->sparse[share] = NULL;
  return status;
}

// Prepares all shares of a member, in a thread of the pool.
static void prepare_member (void *user, int64_t member, int slot)
{
  (void)slot;
  preparation *p = user;
  const gla_krylov_team *team = p->team;
  gla_status status = GLA_OK;
  at_work = p;
  for (int s = gla_team_share (team, (int)member); s < gla_team_share (team, (int)member + 1); s++)
    if (status == GLA_OK)
      status = prepare_share (p, team->engines[member], s);
  at_work = NULL;
  p->status[member] = status;
}

// Returns a stop before a failure of a device, and that before a lack of memory.
static gla_status worst_of (preparation *p)
{
  static const gla_status order[] = {GLA_ERROR_STOPPED, GLA_ERROR_DEVICE_FAILURE,
                                     GLA_ERROR_OUT_OF_MEMORY};
  for (int w = 0; w < 3; w++)
    for (int k = 0; k < p->team->count; k++)
      if (p->status[k] == order[w]) {
        p->team->failed = k;
        return order[w];
      }
  return GLA_OK;
}

// Whether the GPUs are the same, and none was closed since.
static int are_there (const gla_sparse *S, const gla_sparse_shares *kept,
                      const gla_krylov_team *team)
{
  int same = kept != NULL && kept->team.count == team->count;
  for (int k = 0; same && k < team->count; k++)
    same = kept->team.engines[k] == team->engines[k] &&
           S->ctx->gpus[kept->devices[k]] == team->engines[k];
  return same;
}

int gla_sparse_is_shared (const gla_sparse *S, const gla_face *face, const gla_krylov_team *team)
{
  return are_there (S, face->shares, team);
}

void gla_sparse_unshare (gla_sparse *S, gla_face *face)
{
  gla_sparse_shares *kept = face->shares;
  for (int k = 0; kept != NULL && k < kept->team.count; k++)
    for (int s = gla_team_share (&kept->team, k); s < gla_team_share (&kept->team, k + 1); s++)
      gla_sparse_free (S->ctx, kept->devices[k], kept->team.engines[k], kept->team.sparse[s]);
  for (int s = 0; kept != NULL && s < GLA_TEAM_SHARES; s++)
    free (kept->starts[s]);
  free (kept);
  face->shares = NULL;
}

int gla_sparse_has_shares (const gla_sparse *S, int device)
{
  int found = 0;
  for (int f = 0; f < 2; f++) {
    const gla_sparse_shares *kept = S->faces[f].shares;
    for (int k = 0; kept != NULL && k < kept->team.count; k++)
      found |= kept->devices[k] == device && S->ctx->gpus[device] == kept->team.engines[k];
  }
  return found;
}

gla_status gla_sparse_share (gla_sparse *S, gla_face *face, gla_krylov_team *team,
                             const int *devices)
{
  if (!are_there (S, face->shares, team)) {
    gla_sparse_unshare (S, face);
    face->shares = calloc (1, sizeof *face->shares);
    if (face->shares == NULL)
      return GLA_ERROR_OUT_OF_MEMORY;
    gla_sparse_shares *kept = face->shares;
    kept->team = *team;
    for (int k = 0; k < team->count; k++)
      kept->devices[k] = devices[k];
    cut (&face->M.csr, &kept->team);
    preparation p = {.ctx = S->ctx,
                     .M = &face->M,
                     .team = &kept->team,
                     .starts = kept->starts,
                     .caller = pthread_self ()};
    gla_pool_watched (team->count, team->count, prepare_member, &p, watch, &p);
    const gla_status status = worst_of (&p);
    team->failed = kept->team.failed;
    if (status != GLA_OK) {
      gla_sparse_unshare (S, face);
      return status;
    }
  }
  *team = face->shares->team;
  return GLA_OK;
}
