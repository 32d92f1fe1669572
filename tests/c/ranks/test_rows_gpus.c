// test_rows_gpus.c: rows that are spread over ranks, each with a GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The GPUs here are the CPU backend under another name, with memory of the host that is poisoned:
// so results have the bits of the CPU, and what was not copied to them or from them is seen.

#include "frame/cpu_as_gpu.h"
#include "qr/qr_page.h"
#include "rank_pairs.h"
#include "arrays/job.h"
#include "backend.h"

#include <pthread.h>
#include <stdatomic.h>

enum { GPUS = 2, NONE = -1 };

typedef enum { TAKE, FACTOR, MULTIPLY, NOTHING } operation;

static gla_batch_ops product_ops;
static gla_nd_ops nd_ops;
static operation failing; // on the device `failing_device`, with the status `failure`
static int failing_device;
static gla_status failure;
static double on_gpu; // predicted seconds of a factorisation
static _Atomic int64_t live, put_there, got_here;
static _Atomic int used, warnings; // devices that have factored

// What the engines have handed out, under a lock.
enum { MOST_KEPT = 1000 };
static struct {
  const gla_engine *engine;
  void *memory;
} kept[MOST_KEPT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

//------------------------------------------------------------------------------
// the backend
//------------------------------------------------------------------------------

static gla_status status_of (const gla_engine *engine, operation what)
{
  return failing == what && engine->device == failing_device ? failure : GLA_OK;
}

static void watch (gla_engine *engine, const gla_monitor *monitor)
{
  (void)engine, (void)monitor;
}

static gla_status take (gla_engine *engine, size_t bytes, void **memory)
{
  const gla_status status = status_of (engine, TAKE);
  if (status != GLA_OK)
    return status;
  *memory = malloc (bytes);
  memset (*memory, 0x5a, bytes);
  live++;
  pthread_mutex_lock (&lock);
  int k = 0;
  while (kept[k].memory != NULL)
    k++;
  kept[k].engine = engine;
  kept[k].memory = *memory;
  pthread_mutex_unlock (&lock);
  return GLA_OK;
}

// This memory of an engine, or all of it.
static void let_go (const gla_engine *engine, const void *memory)
{
  pthread_mutex_lock (&lock);
  for (int k = 0; k < MOST_KEPT; k++)
    if (kept[k].memory != NULL && kept[k].engine == engine &&
        (memory == NULL || memory == kept[k].memory)) {
      free (kept[k].memory);
      kept[k].memory = NULL;
      live--;
    }
  pthread_mutex_unlock (&lock);
}

static void give (gla_engine *engine, void *memory)
{
  let_go (engine, memory);
}

// A GPU that has failed is closed with what is on it; other engines have nothing left.
static void close_gpu (gla_engine *engine)
{
  if (failure == GLA_ERROR_DEVICE_FAILURE)
    let_go (engine, NULL);
  gla_backend_cpu.close (engine);
}

static void query (gla_engine *engine, gla_memory_info *info)
{
  (void)engine;
  *info = (gla_memory_info){.size = sizeof *info, .live = live};
}

static gla_status put_bytes (gla_engine *engine, void *to, const void *from, size_t bytes)
{
  (void)engine;
  put_there += (int64_t)bytes;
  memcpy (to, from, bytes);
  return GLA_OK;
}

static gla_status get_bytes (gla_engine *engine, void *to, const void *from, size_t bytes)
{
  (void)engine;
  got_here += (int64_t)bytes;
  memcpy (to, from, bytes);
  return GLA_OK;
}

static int serves (const gla_job *job)
{
  (void)job;
  return 1;
}

static double predict (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine, (void)job, (void)pages;
  return on_gpu;
}

static gla_status factor (gla_engine *engine, int slot, const void *chunk)
{
  const gla_status status = status_of (engine, FACTOR);
  atomic_fetch_or (&used, 1 << engine->device);
  return status == GLA_OK ? gla_backend_cpu.batch[GLA_BATCH_QR]->submit (engine, slot, chunk)
                          : status;
}

static gla_status multiply (gla_engine *engine, int slot, const void *chunk)
{
  const gla_status status = status_of (engine, MULTIPLY);
  return status == GLA_OK ? gla_backend_cpu.batch[GLA_BATCH_PAGEMUL]->submit (engine, slot, chunk)
                          : status;
}

static void make_backend (void)
{
  make_gpu (GLA_BATCH_QR, factor, gla_backend_cpu.batch[GLA_BATCH_QR]->finish);
  make_gpus (GPUS);
  open_fails = NONE;
  failing = NOTHING;
  gpu_ops.supports = serves;
  gpu_ops.seconds = predict;
  product_ops = *gla_backend_cpu.batch[GLA_BATCH_PAGEMUL];
  product_ops.supports = serves;
  product_ops.submit = multiply;
  gpu_backend.batch[GLA_BATCH_PAGEMUL] = &product_ops;
  nd_ops = (gla_nd_ops){.watch = watch,
                        .take = take,
                        .give = give,
                        .query = query,
                        .put = put_bytes,
                        .get = get_bytes};
  gpu_backend.nd = &nd_ops;
  gpu_backend.close = close_gpu;
}

//------------------------------------------------------------------------------
// QR
//------------------------------------------------------------------------------

typedef struct {
  qr_page *qr;
  int64_t first[MOST_RANKS + 1];
  gla_array common[MOST_RANKS][2];
  int64_t *jpvt[MOST_RANKS];
  int device[MOST_RANKS];
  int listed; // nonzero: GPUs 1 and 0, in this order
} qr_problem;

static void count_warning (void *user, const char *id, const char *text)
{
  (void)user, (void)id, (void)text;
  warnings++;
}

static void qr_body (member *m)
{
  qr_problem *p = m->all->user;
  const qr_page *page = p->qr;
  const int list[GPUS] = {1, 0};
  const gla_array A = crew_rows (&page->a[QR_A], p->first, m->rank),
                  B = crew_rows (&page->a[QR_B], p->first, m->rank);
  const gla_qr_options o = {.size = sizeof o, .pivot = page->call.pivot};
  gla_array *common = p->common[m->rank];
  common[0] = crew_copy (&page->a[QR_R]);
  common[1] = crew_copy (&page->a[QR_C]);
  p->jpvt[m->rank] = calloc ((size_t)(page->call.n * page->call.pages) + 1, sizeof (int64_t));
  const gla_qr_results r = {.size = sizeof r,
                            .Q = crew_rows (&page->a[QR_Q], p->first, m->rank),
                            .R = common[0],
                            .C = common[1],
                            .jpvt = p->jpvt[m->rank]};
  gla_qr_report report = {.base.size = sizeof report};
  gla_set_warning (m->ctx, count_warning, NULL);
  m->good = gla_device_count (m->ctx) == GPUS; // "auto" does not ask at first
  if (p->listed)
    gla_set_place (m->ctx, GLA_PLACE_LIST, list, GPUS);
  m->status = gla_qr_rows (m->ctx, m->ranks, &A, page->call.c ? &B : NULL, &r, &o, &report);
  p->device[m->rank] = report.base.device;
}

static void fill_rows (const gla_array *a, unsigned long long state)
{
  for (int64_t p = 0; p < a->pages; p++)
    for (int64_t j = 0; j < a->columns; j++)
      for (int64_t i = 0; i < a->rows; i++)
        qr_set (a->type, a->data, i + j * a->column_stride + p * a->page_stride,
                check_random (&state) + I * check_random (&state));
}

static qr_page solved (qr_problem *p, const qr_call *c, gla_place place, int ranks, int split)
{
  qr_page page = qr_page_new (c);
  fill_rows (&page.a[QR_A], 3);
  fill_rows (&page.a[QR_B], 4);
  p->qr = &page;
  crew_place = place;
  used = warnings = 0;
  put_there = got_here = 0;
  crew_split (c->m, ranks, split, p->first);
  crew_run (&all, ranks, qr_body, p);
  crew_place = GLA_PLACE_CPU;
  CHECK (live == 0, "%d arrays are left on GPUs", (int)live);
  return page;
}

static void forget (qr_problem *p, qr_page *page, int ranks)
{
  for (int r = 0; r < ranks; r++) {
    free (p->common[r][0].data);
    free (p->common[r][1].data);
    free (p->jpvt[r]);
  }
  qr_page_free (page);
}

static void check_same (const qr_problem *p, const qr_problem *q, const qr_page *a,
                        const qr_page *b, int ranks, const char *what)
{
  for (int64_t k = 0; k < a->call.pages; k++) {
    CHECK (same_page (&a->a[QR_Q], k, &b->a[QR_Q], k), "%s: other bits of Q", what);
    for (int r = 0; r < ranks; r++)
      for (int x = 0; x < 2; x++)
        CHECK (same_page (&p->common[0][x], k, &q->common[r][x], k), "%s: rank %d: other bits",
               what, r);
  }
}

// The bits of ranks that work on the CPU, which has the arithmetic of these GPUs.
static void test_qr (gla_type type, int pivot)
{
  static qr_problem p, q;
  static const int sizes[][2] = {{200, 7}, {97, 33}, {9, 9}, {5, 12}, {9000, 3}};
  for (int s = 0; s < 5; s++)
    for (int k = 0; k < 6; k++) {
      const int ranks = counts[k], split = (s + k) % SPLITS;
      char what[80];
      snprintf (what, sizeof what, "%c %dx%d, %d ranks, split %d", (char)type, sizes[s][0],
                sizes[s][1], ranks, split);
      const qr_call c = {.type = type,
                         .m = sizes[s][0],
                         .n = sizes[s][1],
                         .pages = 1 + s % 2,
                         .rhs = 2,
                         .gap = s < 4 ? 3 : 0,
                         .q = 1,
                         .r = 1,
                         .c = 1,
                         .pivot = pivot};
      on_gpu = k % 2 ? 1e-9 : 1e9; // triangles on the GPU, or on the CPU
      qr_page on_cpu = solved (&p, &c, GLA_PLACE_CPU, ranks, split);
      crew_expect (&all, GLA_OK, "", what);
      CHECK (used == 0 && put_there == 0, "%s: a GPU was used for \"cpu\"", what);
      qr_page on_gpus = solved (&q, &c, GLA_PLACE_GPU, ranks, split);
      crew_expect (&all, GLA_OK, "", what);
      check_same (&p, &q, &on_cpu, &on_gpus, ranks, what);
      forget (&p, &on_cpu, ranks);
      forget (&q, &on_gpus, ranks);
    }
}

// Ranks take turns on the GPUs, or on those that are listed. The rows go there once, and their part
// of Q comes back once.
static void test_devices (void)
{
  static qr_problem p;
  const qr_call c = {.type = GLA_TYPE_D, .m = 500, .n = 5, .pages = 1, .q = 1, .r = 1};
  on_gpu = 1e9;
  for (int listed = 0; listed < 2; listed++)
    for (int ranks = 1; ranks < 5; ranks++) {
      p.listed = listed;
      qr_page page = solved (&p, &c, GLA_PLACE_GPU, ranks, 0);
      crew_expect (&all, GLA_OK, "", "a GPU for each rank");
      for (int r = 0; r < ranks; r++)
        CHECK (p.device[r] == (r % GPUS + listed) % GPUS, "rank %d of %d works on GPU %d", r, ranks,
               p.device[r]);
      CHECK (used == (ranks == 1 ? 1 << listed : 3), "%d ranks: GPUs %x", ranks, used);
      // but for the 5 rows of the top; and triangles
      const int64_t rows = ranks == 1 ? 500 : 495;
      CHECK (put_there == 8 * (rows * 5 + (ranks == 1 ? 0 : 25 * ranks)),
             "%d ranks: %lld bytes put", ranks, (long long)put_there);
      CHECK (got_here == 8 * (rows * 5 + 25 * ranks), "%d ranks: %lld bytes fetched", ranks,
             (long long)got_here);
      forget (&p, &page, ranks);
    }
  p.listed = 0;
}

// "auto" goes by the prediction, and to the CPU where the GPU has too little memory.
static void test_auto (void)
{
  static qr_problem p;
  const qr_call c = {.type = GLA_TYPE_D, .m = 20000, .n = 100, .pages = 1, .q = 1, .r = 1};
  for (int k = 0; k < 3; k++) {
    on_gpu = k == 0 ? 1e9 : 2e-4;
    failing = k == 2 ? TAKE : NOTHING;
    failing_device = 1;
    failure = GLA_ERROR_OUT_OF_MEMORY;
    qr_page page = solved (&p, &c, GLA_PLACE_AUTO, 2, 0);
    crew_expect (&all, GLA_OK, "", "auto");
    for (int r = 0; r < 2; r++)
      CHECK (p.device[r] == (k == 0 || (k == 2 && r == 1) ? GLA_DEVICE_HOST : r),
             "auto %d: rank %d on %d", k, r, p.device[r]);
    CHECK (warnings == (k == 2), "auto %d: %d warnings", k, warnings);
    forget (&p, &page, 2);
  }
  failing = NOTHING;
}

//------------------------------------------------------------------------------
// pairs
//------------------------------------------------------------------------------

static void test_pairs (gla_type type)
{
  static problem p, q;
  const gsvd_call c = {
      .type = type, .m = 60, .n = 50, .p = 7, .pages = 1, .gap = 2, .u = 1, .v = 1, .x = 1};
  on_gpu = 1e9;
  for (int k = 0; k < 6; k++) {
    gsvd_page g[2] = {gsvd_page_new (&c), gsvd_page_new (&c)};
    for (int gpus = 0; gpus < 2; gpus++) {
      problem *one = gpus ? &q : &p;
      fill_rank (&g[gpus], 0, 7, 7);
      fill_rank (&g[gpus], 1, 7, 7);
      one->gsvd = &g[gpus];
      crew_place = gpus ? GLA_PLACE_GPU : GLA_PLACE_CPU;
      crew_split (c.m, counts[k], k % SPLITS, one->first[0]);
      crew_split (c.n, counts[k], 0, one->first[1]);
      crew_run (&all, counts[k], gsvd_body, one);
      crew_expect (&all, GLA_OK, "", "a pair");
      CHECK (live == 0, "%d arrays are left on GPUs", (int)live);
    }
    crew_place = GLA_PLACE_CPU;
    CHECK (same_page (&g[0].a[GSVD_U], 0, &g[1].a[GSVD_U], 0) &&
               same_page (&g[0].a[GSVD_V], 0, &g[1].a[GSVD_V], 0),
           "%c on %d ranks: other bits of U or V", (char)type, counts[k]);
    for (int r = 0; r < counts[k]; r++)
      for (int x = 0; x < 3; x++)
        CHECK (same_page (&p.common[0][x], 0, &q.common[r][x], 0), "rank %d: other bits", r);
    free_common (&p, counts[k]);
    free_common (&q, counts[k]);
    gsvd_page_free (&g[0]);
    gsvd_page_free (&g[1]);
  }
}

//------------------------------------------------------------------------------
// GPUs that fail
//------------------------------------------------------------------------------

static void test_faults (void)
{
  static qr_problem p;
  static const struct {
    operation what;
    gla_status status;
    const char *says;
  } faults[] = {{TAKE, GLA_ERROR_OUT_OF_MEMORY, "rank 1: device 1 has no room for"},
                {TAKE, GLA_ERROR_DEVICE_FAILURE, "rank 1: device 1 failed"},
                {FACTOR, GLA_ERROR_DEVICE_FAILURE, "rank 1: device 1: "},
                {MULTIPLY, GLA_ERROR_DEVICE_FAILURE, "rank 1: device 1: "},
                {NOTHING, GLA_ERROR_DEVICE_FAILURE, "rank 1: device 1 cannot be opened"}};
  const qr_call c = {.type = GLA_TYPE_D, .m = 20000, .n = 100, .pages = 1, .q = 1, .r = 1};
  for (int k = 0; k < 5; k++)
    for (int ranks = 2; ranks < 6; ranks++)
      for (int automatic = 0; automatic < 2; automatic++) {
        if (automatic && (k == 0 || k == 4 || ranks > 2)) // there the CPU does it
          continue;
        char what[40];
        snprintf (what, sizeof what, "fault %d, auto %d", k, automatic);
        failing = faults[k].what;
        failing_device = 1;
        failure = faults[k].status;
        open_fails = failing == NOTHING ? 1 : NONE;
        on_gpu = automatic ? 2e-4 : 1e9;
        qr_page page = solved (&p, &c, automatic ? GLA_PLACE_AUTO : GLA_PLACE_GPU, ranks, 0);
        crew_expect (&all, faults[k].status, faults[k].says, what);
        for (int r = 1; r < ranks; r++)
          CHECK (strcmp (all.members[r].message, all.members[0].message) == 0,
                 "%s: rank %d has another message", what, r);
        forget (&p, &page, ranks);
      }
  failing = NOTHING;
  failure = GLA_OK;
  open_fails = NONE;
}

// The GPU of rank 1 fails; what is called next tells which one that was.
static void call_again_body (member *m)
{
  qr_problem *p = m->all->user;
  qr_body (m);
  m->good = m->status == GLA_ERROR_DEVICE_FAILURE;
  for (int k = 0; k < 2; k++)
    free (p->common[m->rank][k].data);
  free (p->jpvt[m->rank]);
  qr_body (m);
}

static void test_lost (void)
{
  static qr_problem p;
  const qr_call c = {.type = GLA_TYPE_D, .m = 20000, .n = 100, .pages = 1, .r = 1};
  qr_page page = qr_page_new (&c);
  fill_rows (&page.a[QR_A], 3);
  p.qr = &page;
  crew_split (c.m, 2, 0, p.first);
  crew_place = GLA_PLACE_GPU;
  failing = FACTOR;
  failure = GLA_ERROR_DEVICE_FAILURE;
  for (p.listed = 0; p.listed < 2; p.listed++) {
    failing_device = !p.listed;
    crew_run (&all, 2, call_again_body, &p);
    crew_expect (&all, GLA_ERROR_NO_DEVICE,
                 p.listed ? "rank 1: device 0 failed earlier" : "rank 1: device 1 failed earlier",
                 "a lost GPU");
    CHECK (all.members[0].good && all.members[1].good, "the first call does not fail");
    for (int r = 0; r < 2; r++) {
      free (p.common[r][0].data);
      free (p.common[r][1].data);
      free (p.jpvt[r]);
    }
  }
  qr_page_free (&page);
  crew_place = GLA_PLACE_CPU;
  failing = NOTHING;
  failure = GLA_OK;
  p.listed = 0;
}

int main (void)
{
  make_backend ();
  for (int t = 0; t < 4; t++) {
    test_qr (types[t], 0);
    test_qr (types[t], 1);
    test_pairs (types[t]);
  }
  test_devices ();
  test_auto ();
  test_faults ();
  test_lost ();
  return check_report ("test_rows_gpus");
}
