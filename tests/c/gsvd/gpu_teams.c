// gpu_teams.c: one pair on several GPUs has the bits that it has on one
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Teams of 2, 4 and 8 members of the CUDA backend, which take turns on the GPUs of this machine:
// with one GPU all are on it, each with memory and a stream of its own. Blocks of 16 columns make
// small pairs large enough. Then the same through gla_gsvd, where there are two GPUs.

#include "device/gpu_page_tests.h"
#include "team_pair.h"

#include <cuda_runtime.h>
#include <stdbool.h>
#include <time.h>

static gla_engine *engine;
static int gpus;

static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

//------------------------------------------------------------------------------
// calls of the backend
//------------------------------------------------------------------------------

static int swept_calls;

static int poll_never (void *user, int64_t pages)
{
  (void)user, (void)pages;
  return 0;
}

static int poll_soon (void *user, int64_t pages)
{
  (void)pages;
  return swept_calls >= *(int *)user;
}

static void swept (void *user, int sweeps)
{
  (void)user;
  swept_calls = sweeps;
}

static gla_status solve (pair *q, const team_case *c, int members, gla_monitor monitor)
{
  const gla_batch_ops *ops = gla_backends ().gpu->batch[GLA_BATCH_GSVD];
  gla_gsvd_team team = {.count = members, .failed = -1};
  gla_gsvd_job job = {.m = c->m, .n = c->n, .p = c->p, .x = 1, .swept = swept};
  for (int k = 0; k < members; k++)
    team.devices[k] = k % gpus;
  job.head = (gla_job){.type = q->chunk.A.type, .monitor = monitor};
  job.u_columns = job.v_columns = c->p;
  job.options = (gla_gsvd_options){.size = sizeof job.options,
                                   .method = c->method,
                                   .ordering = c->ordering,
                                   .blocking = c->blocking,
                                   .block = c->block};
  job.team = members > 1 ? &team : NULL;
  const int64_t pages = q->chunk.A.pages;
  q->chunk.info = pages > 1 ? q->infos : &q->info;
  q->chunk.stats = q->stats;
  swept_calls = 0;
  CHECK (ops->seconds (engine, &job.head, 1) < 1e8, "%d members are said not to work", members);
  gla_status status = ops->begin (engine, &job.head, pages);
  if (status == GLA_OK)
    status = ops->submit (engine, 0, &q->chunk);
  if (status == GLA_OK)
    status = ops->finish (engine, 0);
  ops->end (engine);
  return status;
}

static void check_case (const team_case *c, gla_type type)
{
  const gla_monitor monitor = {poll_never, NULL};
  static const char *names[] = {"A", "B", "alpha", "beta", "U", "V", "X"};
  pair one = new_pair (c, type);
  CHECK (solve (&one, c, 1, monitor) == GLA_OK && one.info == 0, "%c p %d: info %d", (char)type,
         (int)c->p, (int)one.info);
  const double limit = 10 * (double)(c->m > c->n ? c->m : c->n) * gla_type_eps (type);
  const double a = residual (&one.chunk.A, &one.chunk.U, &one.chunk.alpha, &one.chunk.X);
  const double b = residual (&one.chunk.B, &one.chunk.V, &one.chunk.beta, &one.chunk.X);
  const double u = loss (&one.chunk.U), v = loss (&one.chunk.V);
  CHECK (a <= limit && b <= limit && u <= limit && v <= limit, "%c p %d: %g %g %g %g", (char)type,
         (int)c->p, a, b, u, v);
  for (int members = 2; members <= c->members; members *= 2) {
    pair q = new_pair (c, type);
    const gla_status status = solve (&q, c, members, monitor);
    CHECK (status == GLA_OK && q.info == 0, "%c p %d, %d members: status %d, info %d", (char)type,
           (int)c->p, members, (int)status, (int)q.info);
    for (int k = 0; k < 7; k++)
      CHECK (memcmp (q.chunk.arrays[k].data, one.chunk.arrays[k].data,
                     bytes_of (&q.chunk.arrays[k])) == 0,
             "%c p %d, method %d, ordering %d: %d members have other bits in %s", (char)type,
             (int)c->p, (int)c->method, (int)c->ordering, members, names[k]);
    CHECK (memcmp (q.stats, one.stats, sizeof q.stats) == 0 && q.stats[0].sweeps == swept_calls,
           "%c p %d, %d members: %d sweeps, not %d, %d reported", (char)type, (int)c->p, members,
           q.stats[0].sweeps, one.stats[0].sweeps, swept_calls);
    release (&q);
  }
  release (&one);
}

// Columns of A that are zero, so that U has to be completed.
static void check_zeros (gla_type type, gla_gsvd_method method)
{
  const gla_monitor monitor = {poll_never, NULL};
  const team_case c = {1005, 1005, 1005, 16, 2, method, 0, 0};
  pair q[2];
  for (int k = 0; k < 2; k++) {
    q[k] = new_pair (&c, type);
    memset (q[k].chunk.A.data, 0, bytes_of (&q[k].chunk.A) / 100);
    CHECK (solve (&q[k], &c, k + 1, monitor) == GLA_OK && q[k].info == 0, "info %d", q[k].info);
  }
  const double limit = 10 * (double)c.p * gla_type_eps (type);
  const gla_gsvd_chunk *a = &q[0].chunk;
  const double worst = check_worst (residual (&a->A, &a->U, &a->alpha, &a->X),
                                    residual (&a->B, &a->V, &a->beta, &a->X));
  CHECK (worst <= limit && loss (&a->U) <= limit && loss (&a->V) <= limit,
         "%c with zeros: %g %g %g", (char)type, worst, loss (&a->U), loss (&a->V));
  for (int k = 0; k < 7; k++)
    CHECK (memcmp (q[0].chunk.arrays[k].data, q[1].chunk.arrays[k].data,
                   bytes_of (&q[0].chunk.arrays[k])) == 0,
           "%c with zeros: other bits in array %d", (char)type, k);
  release (&q[0]);
  release (&q[1]);
}

// Two large pairs in one chunk have the bits that each has alone; U of the first is completed.
static void check_pages (gla_type type, gla_gsvd_method method)
{
  const gla_monitor monitor = {poll_never, NULL};
  const team_case c = {1005, 1005, 1005, 16, 1, method, 0, 0};
  pair both = new_pairs (&c, type, PAGES);
  memset (both.chunk.A.data, 0, bytes_of (&both.chunk.A) / 200);
  CHECK (solve (&both, &c, 1, monitor) == GLA_OK && both.infos[0] == 0 && both.infos[1] == 0,
         "two pages: info %d %d", both.infos[0], both.infos[1]);
  for (int page = 0; page < PAGES; page++) {
    pair one = new_pair (&c, type);
    for (int k = 0; k < 2; k++) {
      const size_t bytes = bytes_of (&one.chunk.arrays[k]);
      memcpy (one.chunk.arrays[k].data, (char *)both.chunk.arrays[k].data + (size_t)page * bytes,
              bytes);
    }
    CHECK (solve (&one, &c, 1, monitor) == GLA_OK && one.info == 0, "page %d: info %d", page,
           one.info);
    for (int k = 2; k < 7; k++) {
      const size_t bytes = bytes_of (&one.chunk.arrays[k]);
      CHECK (memcmp (one.chunk.arrays[k].data,
                     (char *)both.chunk.arrays[k].data + (size_t)page * bytes, bytes) == 0,
             "%c: page %d alone has other bits in array %d", (char)type, page, k);
    }
    release (&one);
  }
  release (&both);
}

// A wish to stop ends the call soon; pairs that cannot be solved end without a sweep.
static void check_ends (void)
{
  const team_case c = {1300, 1200, 1200, 16, 2, GLA_GSVD_METHOD_TANGENT, 0, 0};
  pair q = new_pair (&c, GLA_TYPE_D);
  for (int members = 1; members <= 2; members++)
    for (int sweeps = 0; sweeps < 4; sweeps += 2) {
      const double start = now ();
      const gla_status status = solve (&q, &c, members, (gla_monitor){poll_soon, &sweeps});
      CHECK (status == GLA_ERROR_STOPPED && swept_calls == sweeps && now () - start < 10,
             "%d members, stop after %d sweeps: status %d, %d sweeps, %g s", members, sweeps,
             (int)status, swept_calls, now () - start);
    }
  ((double *)q.chunk.A.data)[5] = NAN;
  CHECK (solve (&q, &c, 2, (gla_monitor){poll_never, NULL}) == GLA_OK && q.info == c.p + 1,
         "NaN: info %d", (int)q.info);
  CHECK (isnan (creal (get (&q.chunk.X, 3, 4))), "X is not NaN");
  fill (&q.chunk.A, 1);
  memcpy (q.chunk.B.data, (double *)q.chunk.B.data + c.n, (size_t)c.n * sizeof (double));
  CHECK (solve (&q, &c, 2, (gla_monitor){poll_never, NULL}) == GLA_OK &&
             q.info == GLA_INFO_IRREGULAR,
         "two equal columns of B: info %d", (int)q.info);
  release (&q);
}

static void scale_column (gla_array *a, int64_t j, double by)
{
  const int64_t count = a->rows * (gla_type_is_complex (a->type) ? 2 : 1);
  for (int64_t k = j * count; k < (j + 1) * count; k++)
    if (gla_type_real (a->type) == GLA_TYPE_D)
      ((double *)a->data)[k] *= by;
    else
      ((float *)a->data)[k] *= (float)by;
}

// Columns of B that are pivoted by blocks, of lengths far apart, all of them very long or short,
// one of them zero, or one that is a multiple of another.
static void check_ranks (gla_type type, gla_gsvd_method method)
{
  const gla_monitor monitor = {poll_never, NULL};
  const team_case c = {601, 600, 600, 0, 1, method, 0, 0};
  const bool wide = gla_type_real (type) == GLA_TYPE_D;
  const int most = wide ? 900 : 90, range = wide ? 16 : 90;
  for (int kind = 0; kind < 5; kind++) {
    pair q = new_pair (&c, type);
    gla_array *B = &q.chunk.B;
    for (int64_t j = 0; j < c.p && kind != 3; j++)
      scale_column (B, j,
                    kind == 1   ? ldexp (1, most)
                    : kind == 2 ? ldexp (1, -most)
                                : ldexp (1, (int)(j * 37 % c.p * range / c.p) - range / 2));
    if (kind == 3)
      scale_column (B, 411, 0);
    if (kind == 4) {
      const size_t bytes = (size_t)c.n * gla_type_size (type);
      memcpy ((char *)B->data + 77 * bytes, (char *)B->data + 500 * bytes, bytes);
      scale_column (B, 77, 0x1p30);
    }
    const int32_t expected = kind < 3 ? 0 : GLA_INFO_IRREGULAR;
    CHECK (solve (&q, &c, 1, monitor) == GLA_OK && q.info == expected,
           "%c method %d, B of kind %d: info %d", (char)type, (int)method, kind, (int)q.info);
    const gla_gsvd_chunk *a = &q.chunk;
    if (q.info == 0 && kind == 0) {
      const double limit = 10 * (double)c.m * gla_type_eps (type);
      const double worst = check_worst (residual (&a->A, &a->U, &a->alpha, &a->X),
                                        residual (&a->B, &a->V, &a->beta, &a->X));
      CHECK (worst <= limit && loss (&a->U) <= limit && loss (&a->V) <= limit,
             "%c method %d, graded: %g %g %g", (char)type, (int)method, worst, loss (&a->U),
             loss (&a->V));
    }
    release (&q);
  }
}

// Where another member finds too little memory (its shares take 108 MB) the first one does the pair
// alone: the same bits.
static void check_memory (void)
{
  const gla_monitor monitor = {poll_never, NULL};
  const team_case c = {3000, 3000, 3000, 16, 2, GLA_GSVD_METHOD_TANGENT, 0, 0};
  pair q[2] = {new_pair (&c, GLA_TYPE_D), new_pair (&c, GLA_TYPE_D)};
  const size_t SPARE = (size_t)64 << 20; // for the driver
  void *rest = NULL;
  size_t left, all;
  CHECK (solve (&q[0], &c, 1, monitor) == GLA_OK && q[0].info == 0, "info %d", q[0].info);
  CHECK (cudaMemGetInfo (&left, &all) == cudaSuccess && left > SPARE, "memory");
  left -= SPARE;
  while (left > 0 && cudaMalloc (&rest, left) != cudaSuccess)
    left -= left < (size_t)1 << 20 ? left : (size_t)1 << 20;
  cudaGetLastError ();
  const gla_status status = solve (&q[1], &c, 2, monitor);
  CHECK (status == GLA_OK && q[1].info == 0, "little memory: status %d, info %d", (int)status,
         q[1].info);
  for (int k = 2; k < 7; k++)
    CHECK (memcmp (q[0].chunk.arrays[k].data, q[1].chunk.arrays[k].data,
                   bytes_of (&q[0].chunk.arrays[k])) == 0,
           "little memory: other bits in array %d", k);
  cudaFree (rest);
  release (&q[0]);
  release (&q[1]);
}

//------------------------------------------------------------------------------
// calls of the library
//------------------------------------------------------------------------------

static int device_of (gla_context *ctx, pair *q, const int *devices, int count)
{
  gla_gsvd_results r = {.size = sizeof r,
                        .alpha = q->chunk.alpha,
                        .beta = q->chunk.beta,
                        .U = q->chunk.U,
                        .V = q->chunk.V,
                        .X = q->chunk.X};
  gla_gsvd_report report = {.base.size = sizeof report};
  CHECK (gla_set_place (ctx, GLA_PLACE_LIST, devices, count) == GLA_OK, "%s", gla_message (ctx));
  CHECK (gla_gsvd (ctx, &q->chunk.A, &q->chunk.B, &r, NULL, &report) == GLA_OK, "%s",
         gla_message (ctx));
  return report.base.device;
}

static void check_lists (gla_type type)
{
  static const int both[] = {0, 1}, turned[] = {1, 0};
  const team_case c = {2200, 2100, 2100, 0, 0, GLA_GSVD_METHOD_AUTO, 0, 0};
  gla_context *ctx;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  pair one = new_pair (&c, type), two = new_pair (&c, type);
  CHECK (device_of (ctx, &one, both, 1) == 0, "one GPU");
  for (int turn = 0; turn < 2; turn++) {
    CHECK (device_of (ctx, &two, turn ? turned : both, 2) == turn, "two GPUs");
    for (int k = 2; k < 7; k++)
      CHECK (memcmp (two.chunk.arrays[k].data, one.chunk.arrays[k].data,
                     bytes_of (&one.chunk.arrays[k])) == 0,
             "%c: two GPUs have other bits in array %d", (char)type, k);
  }
  release (&one);
  release (&two);
  gla_context_destroy (ctx);
}

int gpu_teams (const char *types)
{
  const gla_gsvd_method HZ = GLA_GSVD_METHOD_HZ, TANGENT = GLA_GSVD_METHOD_TANGENT;
  const gla_gsvd_ordering ME = GLA_GSVD_ORDERING_ME, MM = GLA_GSVD_ORDERING_MM;
  const gla_gsvd_blocking FULL = GLA_GSVD_BLOCKING_FULL;
  // 64 and 72 blocks in 4 parts, 136 in 8, 272 in 16
  const team_case cases[] = {
      {1010, 1010, 1010, 16, 2, TANGENT, ME, 0},  {1200, 1150, 1100, 16, 2, TANGENT, MM, 0},
      {1100, 1100, 1100, 16, 2, HZ, ME, 0},       {1150, 1300, 1100, 16, 2, HZ, MM, FULL},
      {2100, 2100, 2100, 16, 4, TANGENT, ME, 0},  {2050, 2050, 2050, 32, 2, HZ, ME, 0},
      {2050, 2050, 2050, 0, 2, TANGENT, ME, FULL}};
  const team_case large = {4100, 4100, 4100, 16, 8, TANGENT, ME, 0};
  char why[128];
  const gla_backend *gpu = gla_backends ().gpu;
  gpus = gpu != NULL ? gpu->device_count (why, sizeof why) : 0;
  gpus = gpus > GLA_TEAM_MOST ? GLA_TEAM_MOST : gpus;
  if (gpus == 0 || gpu->open (0, &engine) != GLA_OK) {
    printf ("gpu_teams: no GPU\n");
    return 1;
  }
  for (; *types != '\0'; types++) {
    const int count = *types == 'd' || *types == 'z' ? 7 : 3;
    for (int k = 0; k < count; k++)
      check_case (&cases[k], (gla_type)*types);
    check_zeros ((gla_type)*types, *types == 'd' || *types == 'c' ? TANGENT : HZ);
    check_pages ((gla_type)*types, *types == 'd' || *types == 'c' ? HZ : TANGENT);
    check_ranks ((gla_type)*types, HZ);
    check_ranks ((gla_type)*types, TANGENT);
    if (*types == 'd') {
      check_case (&large, GLA_TYPE_D);
      check_ends ();
      if (gpus == 1)
        check_memory ();
    }
    if (gpus > 1)
      check_lists ((gla_type)*types);
  }
  gpu->close (engine);
  return check_report ("gpu_teams");
}
