// batch.c: the loop over the pages of a chunk, the same for all operations on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batch.h"

#include "common/blas.h"
#include "common/limits.h"
#include "cpu/engine.h"
#include "threads/blas_threads.h"

#include <limits.h>

int gla_cpu_type_index (gla_type type)
{
  return type == GLA_TYPE_S ? 0 : type == GLA_TYPE_D ? 1 : type == GLA_TYPE_C ? 2 : 3;
}

int gla_cpu_threads_for (const gla_cpu_engine *e, int64_t pieces, double seconds)
{
  const double worth = 1 + seconds / GLA_THREAD_SECONDS;
  int64_t threads = worth < e->threads_max ? (int64_t)worth : e->threads_max;
  threads = threads < pieces ? threads : pieces;
  return threads > 1 ? (int)threads : 1;
}

int gla_cpu_group_of (double seconds, int lanes)
{
  const double registers = 2e-5 / (seconds * lanes);
  return lanes * (registers < 1 ? 1 : registers < 1e4 ? (int)registers : 10000);
}

int64_t gla_cpu_largest_order (void)
{
  return sizeof (gla_blas_int) > 4 ? INT_MAX / 8 : 46000;
}

gla_status gla_cpu_batch_deal (gla_cpu_engine *e, int64_t pages, double seconds, size_t work_bytes)
{
  gla_cpu_batch *b = &e->batch;
  b->threads = gla_cpu_threads_for (e, (pages + b->group - 1) / b->group, seconds);
  b->team = 1;
  b->work_bytes = (work_bytes + 63) / 64 * 64;
  return gla_cpu_engine_take (e, (size_t)b->threads * b->work_bytes);
}

// The order in which threads take groups. The system clears a huge page of fresh memory when a
// thread first writes to it; a second thread that arrives meanwhile clears another one in vain. So
// threads should not write to the same 2 MB of the results at the same time, as they would if each
// took the next group. The groups are cut into as many ranges as there are threads; threads take
// pieces of some consecutive groups from each range in turn.
typedef struct {
  int64_t pieces, ranges;
  int64_t length; // groups of a piece; the last piece may have fewer
} group_order;

// Groups of small pages take 20 us, so a piece takes 0.6 ms. Larger pages are pieces by themselves.
enum { LONG_PIECE = 32, PIECES_A_THREAD = 16 };

static group_order order_of (int64_t groups, int group, int threads)
{
  const int64_t even = groups / (PIECES_A_THREAD * (int64_t)threads);
  const int64_t length = group == 1 || even < 1 ? 1 : even < LONG_PIECE ? even : LONG_PIECE;
  return (group_order){
      .pieces = (groups + length - 1) / length, .ranges = threads, .length = length};
}

// Returns the place of the i-th piece to be taken among the pieces in the order of their pages. The
// first ranges have one piece more if the pieces do not divide evenly.
static int64_t place_of_piece (const group_order *o, int64_t i)
{
  const int64_t range = i % o->ranges, longer = o->pieces % o->ranges;
  return range * (o->pieces / o->ranges) + (range < longer ? range : longer) + i / o->ranges;
}

typedef struct {
  const gla_cpu_engine *e;
  const void *chunk;
  int64_t pages;
  int team;
  group_order order;
  gla_cpu_parallel region;
} loop;

static void solve_group (void *user, int64_t group, int thread)
{
  loop *l = user;
  const gla_cpu_batch *b = &l->e->batch;
  const int64_t first = group * b->group;
  const int count = (int)(l->pages - first < b->group ? l->pages - first : b->group);
  const gla_cpu_worker worker = {.engine = l->e,
                                 .job = b->job,
                                 .chunk = l->chunk,
                                 .region = &l->region,
                                 .thread = thread,
                                 .team = l->team,
                                 .work = l->e->work + (size_t)thread * b->work_bytes};
  if (gla_cpu_parallel_stopped (&l->region, thread))
    return;
  b->solve (&worker, first, count);
  atomic_fetch_add (&l->region.done, count);
}

static void solve_piece (void *user, int64_t piece, int thread)
{
  loop *l = user;
  const int64_t length = l->order.length, first = place_of_piece (&l->order, piece) * length;
  for (int64_t g = first; g < first + length && g * l->e->batch.group < l->pages; g++)
    solve_group (l, g, thread);
}

gla_status gla_cpu_batch_run (gla_cpu_engine *e, const void *chunk, int64_t pages)
{
  const gla_cpu_batch *b = &e->batch;
  const int most = b->threads * b->team, held = b->blas ? gla_blas_enter (most) : most;
  const int64_t groups = (pages + b->group - 1) / b->group;
  if (held == 0)
    return GLA_ERROR_OUT_OF_MEMORY;
  loop l = {.e = e, .chunk = chunk, .pages = pages, .team = b->team < held ? b->team : held};
  l.order = order_of (groups, b->group, held);
  gla_cpu_parallel_start (&l.region, &((const gla_job *)b->job)->monitor);
  if (l.team == 1)
    gla_cpu_parallel_for (&l.region, l.order.pieces, held, solve_piece, &l);
  // A piece of the pool's work may not start work in the pool, so pages that threads share are no
  // pieces.
  for (int64_t g = 0; l.team > 1 && g < groups; g++)
    solve_group (&l, g, 0);
  if (b->blas)
    gla_blas_leave (held);
  return gla_cpu_parallel_end (&l.region);
}

int64_t gla_cpu_batch_pages (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine, (void)job;
  return pages;
}

gla_status gla_cpu_batch_submit (gla_engine *engine, int slot, const void *chunk)
{
  (void)slot;
  return gla_cpu_batch_run ((gla_cpu_engine *)engine, chunk, ((const gla_array *)chunk)->pages);
}

gla_status gla_cpu_batch_finish (gla_engine *engine, int slot)
{
  (void)engine, (void)slot;
  return GLA_OK;
}

void gla_cpu_batch_end (gla_engine *engine)
{
  (void)engine;
}
