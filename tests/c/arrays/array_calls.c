// array_calls.c: functions of arrays that stay on a GPU, on a stand-in for CUDA: launches, memory,
// copies, stops, and failures
// SPDX-License-Identifier: GPL-3.0-or-later
//
// As gpu_calls.c, but by the interface of the library. Kernels do nothing; copies copy, and how
// many launches there are, what is taken and what is given back is that of a GPU.

#include "fake/fake_cuda.h"
#include "frame/check.h"

static gla_context *ctx;

enum { ROWS = 70, COLUMNS = 300, N = ROWS * COLUMNS, LARGE = 1 << 20 };
static char *x, *y, *mask, *list; // of N elements of 16, 16, 1 and 8 bytes, but x and y of LARGE

static void *taken (size_t bytes)
{
  void *memory = NULL;
  CHECK (gla_memory_take (ctx, 0, bytes, &memory) == GLA_OK && memory != NULL, "%zu bytes: %s",
         bytes, gla_message (ctx));
  return memory;
}

static gla_memory_info query (int device)
{
  gla_memory_info info = {.size = sizeof info, .live = -1};
  CHECK (gla_memory_query (ctx, device, &info) == GLA_OK, "%s", gla_message (ctx));
  return info;
}

static void open_context (void)
{
  ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  x = taken ((size_t)LARGE * 16);
  y = taken ((size_t)LARGE * 16);
  mask = taken (N);
  list = taken ((size_t)N * 8);
}

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

static gla_nd matrix (void *data, int type, int64_t rows, int64_t columns)
{
  return (gla_nd){
      .data = data, .type = type, .dims = 2, .size = {rows, columns}, .step = {1, rows}};
}

// `count` columns of ROWS elements, numbers among them.
static gla_status join_columns (int type, int count)
{
  enum { MOST = 100 };
  gla_nd to[MOST], from[MOST];
  const size_t bytes = (size_t)ROWS * 16;
  for (int k = 0; k < count; k++) {
    to[k] = matrix (y + (size_t)k * bytes, type, ROWS, 1);
    from[k] = k % 3 == 1 ? (gla_nd){.type = type, .value = {k}}
                         : matrix (x + (size_t)k * bytes, type, ROWS, 1);
  }
  return gla_join (ctx, 0, to, from, count);
}

// One that is too large to share a launch, one without elements, and a small one. The large one is
// a column that is written twice, or with expanded = 0 all of x, which is no work for a kernel.
static gla_status join_mixed (int type, int count, int expanded)
{
  const gla_nd to[] = {matrix (y, type, LARGE / 2, 2), matrix (y, type, 0, 4),
                       matrix (y, type, ROWS, 1)};
  gla_nd from[] = {matrix (x, type, LARGE / 2, 2), matrix (x, type, 0, 4),
                   matrix (x, type, ROWS, 1)};
  if (expanded)
    from[0].step[1] = 0;
  return gla_join (ctx, 0, to, from, count);
}

static gla_status join_large (int type, int count)
{
  return join_mixed (type, count, 1);
}

static gla_status join_whole (int type, int count)
{
  return join_mixed (type, count, 0);
}

static gla_status reduce_slices (int type, int n)
{
  const gla_slices slices = {x, type, 1, n, 2};
  return gla_reduce (ctx, 0, GLA_REDUCE_SUM, &slices, y, NULL);
}

static gla_status extremes (int type, int n)
{
  const gla_slices slices = {x, type, 3, n, 2};
  return type == GLA_LOGICAL ? GLA_OK
                             : gla_reduce (ctx, 0, GLA_REDUCE_MAX, &slices, y, (double *)list);
}

static gla_status scan_slices (int type, int n)
{
  const gla_slices slices = {x, type, n % 2 ? 1 : 3, n, 2};
  return gla_scan (ctx, 0, GLA_REDUCE_PROD, &slices, y);
}

static gla_status take_elements (int type, int by_list)
{
  const gla_nd a = matrix (x, type, ROWS, COLUMNS);
  const gla_subscripts s[] = {{.list = by_list ? (int64_t *)list : NULL, .step = 1, .count = ROWS},
                              {.first = COLUMNS - 1, .step = -1, .count = COLUMNS}};
  return gla_take (ctx, 0, &a, s, y);
}

static gla_status put_elements (int type, int number)
{
  const gla_nd a = matrix (x, type, ROWS, COLUMNS),
               from = number ? (gla_nd){.type = type, .value = {1}} : matrix (y, type, 5, 7);
  const gla_subscripts s[] = {{.step = 2, .count = 5}, {.first = 9, .step = -1, .count = 7}};
  return gla_put (ctx, 0, &a, s, &from);
}

static gla_status find_bytes (int type, int listed)
{
  int64_t count = -1;
  (void)type;
  const gla_status status = gla_find (ctx, 0, mask, N, listed ? (int64_t *)list : NULL, &count);
  CHECK (status != GLA_OK || count == 0, "%lld bytes are found", (long long)count);
  return status;
}

typedef struct {
  const char *name;
  gla_status (*call) (int type, int v);
  int v, launches, logical_launches;
} one_call;

// Sums of segments of 256 elements, and of these; a scan has those, their scan and its own launch.
static const one_call calls[] = {
    {"join", join_columns, 1, 1, 1},
    {"join", join_columns, 32, 1, 1},
    {"join", join_columns, 33, 2, 2},
    {"join", join_columns, 100, 4, 4},
    {"join, large", join_large, 1, 1, 1},
    {"join, large and empty", join_large, 2, 1, 1},
    {"join, of all", join_large, 3, 2, 2},
    {"join, a copy", join_whole, 1, 0, 0},
    {"join, a copy and more", join_whole, 3, 1, 1},
    {"reduce", reduce_slices, 0, 1, 1},
    {"reduce", reduce_slices, 256, 1, 1},
    {"reduce", reduce_slices, 257, 2, 2},
    {"reduce", reduce_slices, 65536, 2, 2},
    {"reduce", reduce_slices, 65537, 3, 3},
    {"extremes", extremes, 256, 1, 0},
    {"extremes", extremes, 70000, 3, 0},
    {"scan", scan_slices, 256, 1, 1},
    {"scan", scan_slices, 257, 3, 3},
    {"scan", scan_slices, 65536, 3, 3},
    {"scan", scan_slices, 65537, 5, 5},
    {"take", take_elements, 0, 1, 1},
    {"take by a list", take_elements, 1, 1, 1},
    {"put", put_elements, 0, 1, 1},
    {"put a number", put_elements, 1, 1, 1},
    {"find, counted", find_bytes, 0, 2, 2},
    {"find", find_bytes, 1, 3, 3},
};
enum { CALLS = sizeof calls / sizeof *calls };

//------------------------------------------------------------------------------
// launches and failures
//------------------------------------------------------------------------------

// Each call, with the number of its launches; all memory that it takes is given back.
static void test_launches (int type)
{
  const int64_t live = query (0).live;
  for (int k = 0; k < CALLS; k++) {
    const int wanted = type == GLA_LOGICAL ? calls[k].logical_launches : calls[k].launches;
    const int64_t before = fake_cuda_launches ();
    const gla_status status = calls[k].call (type, calls[k].v);
    const int64_t launches = fake_cuda_launches () - before;
    CHECK (status == GLA_OK && launches == wanted, "%s %d, type %c: status %d, %lld launches",
           calls[k].name, calls[k].v, type, (int)status, (long long)launches);
    CHECK (query (0).live == live, "%s %d, type %c: %lld bytes are left", calls[k].name, calls[k].v,
           type, (long long)(query (0).live - live));
  }
}

// The n-th call of CUDA fails: whether there was one.
static int test_failure (const one_call *c, int type, int64_t n)
{
  const int64_t allocated = fake_cuda_live ();
  open_context ();
  const int64_t live = query (0).live;
  fake_cuda_fail_at (n);
  const gla_status status = c->call (type, c->v);
  const fake_cuda_failure kind = fake_cuda_has_failed ();
  if (kind == FAKE_DEVICE) {
    CHECK (status == GLA_ERROR_DEVICE_FAILURE &&
               strcmp (gla_message (ctx), "device 0 failed; the arrays on it are lost") == 0,
           "%s %d, type %c, failure %lld: status %d, \"%s\"", c->name, c->v, type, (long long)n,
           (int)status, gla_message (ctx));
    CHECK (gla_wait (ctx, 0) == GLA_ERROR_NO_DEVICE, "%s %d: used again", c->name, c->v);
  } else {
    CHECK (status == GLA_OK || (kind == FAKE_ALLOCATION && status == GLA_ERROR_OUT_OF_MEMORY),
           "%s %d, type %c, failure %lld: status %d", c->name, c->v, type, (long long)n,
           (int)status);
    CHECK (query (0).live == live, "%s %d, type %c, failure %lld: %lld bytes are left", c->name,
           c->v, type, (long long)n, (long long)(query (0).live - live));
  }
  gla_context_destroy (ctx);
  CHECK (fake_cuda_live () == allocated, "%s %d, type %c, failure %lld: %lld left", c->name, c->v,
         type, (long long)n, (long long)(fake_cuda_live () - allocated));
  fake_cuda_fail_at (0);
  return kind != FAKE_NONE;
}

static void test_failures (int type)
{
  for (int k = 0; k < CALLS; k++) {
    int64_t failures = 0;
    while (test_failure (&calls[k], type, failures + 1))
      failures++;
    const int wanted = type == GLA_LOGICAL ? calls[k].logical_launches : calls[k].launches;
    CHECK (failures >= wanted, "%s %d, type %c: %lld calls that can fail", calls[k].name,
           calls[k].v, type, (long long)failures);
  }
}

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

static void test_memory (void)
{
  const int64_t allocated = fake_cuda_live ();
  ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  gla_memory_info info = query (0);
  CHECK (info.live == 0 && info.peak == 0 && info.kept == 0, "at first: %lld, %lld, %lld",
         (long long)info.live, (long long)info.peak, (long long)info.kept);
  void *a = taken (0), *b = taken (513), *c = taken ((size_t)40 << 20);
  CHECK ((uintptr_t)a % 512 == 0 && (uintptr_t)b % 512 == 0 && (uintptr_t)c % 512 == 0 && a != b,
         "%p, %p, %p", a, b, c);
  info = query (0);
  const int64_t all = 512 + 1024 + ((int64_t)40 << 20);
  CHECK (info.live == all && info.peak == all && query (1).live == 0, "live %lld, peak %lld",
         (long long)info.live, (long long)info.peak);
  gla_memory_give (ctx, 0, c);
  info = query (0);
  CHECK (info.live == 512 + 1024 && info.peak == all && info.kept >= (int64_t)40 << 20,
         "given back: live %lld, peak %lld, kept %lld", (long long)info.live, (long long)info.peak,
         (long long)info.kept);
  const int64_t before = fake_cuda_live ();
  CHECK (taken ((size_t)40 << 20) == c && fake_cuda_live () == before, "what is kept is not used");
  gla_memory_give (ctx, 0, c);
  CHECK (gla_release (ctx, 0) == GLA_OK && query (0).kept < (int64_t)40 << 20 &&
             query (0).live == 512 + 1024 && fake_cuda_live () < before,
         "released: kept %lld", (long long)query (0).kept);

  // at most a quarter of the 8 GB of the GPU is kept
  void *d = taken ((size_t)3 << 30);
  gla_memory_give (ctx, 0, d);
  CHECK (query (0).kept <= (int64_t)2 << 30, "kept %lld", (long long)query (0).kept);
  void *none = &none;
  CHECK (gla_memory_take (ctx, 0, SIZE_MAX / 2, &none) == GLA_ERROR_OUT_OF_MEMORY && none == NULL &&
             strstr (gla_message (ctx), "device 0 has no room for ") != NULL &&
             strstr (gla_message (ctx), " MB more; arrays there have 0.0 MB") != NULL,
         "\"%s\"", gla_message (ctx));
  gla_context_destroy (ctx);
  CHECK (fake_cuda_live () == allocated, "%lld left", (long long)(fake_cuda_live () - allocated));
}

// What was brought there comes back, whatever its size; and no more than that goes.
static void test_copies (void)
{
  static const size_t sizes[] = {0, 1, 3, 4, 5, 511, 4096, 1000003, (size_t)LARGE * 16 - 1};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const size_t bytes = sizes[k];
    unsigned char *from = malloc (bytes + 1), *to = malloc (bytes + 1);
    for (size_t i = 0; i < bytes; i++)
      from[i] = (unsigned char)(i * 2654435761u >> 13);
    to[bytes] = 77;
    const int64_t before = fake_cuda_uploaded ();
    CHECK (gla_memory_put (ctx, 0, x, from, bytes) == GLA_OK &&
               gla_memory_get (ctx, 0, to, x, bytes) == GLA_OK && memcmp (from, to, bytes) == 0 &&
               to[bytes] == 77,
           "%zu bytes: %s", bytes, gla_message (ctx));
    CHECK (fake_cuda_uploaded () - before == (int64_t)bytes, "%zu bytes: %lld went", bytes,
           (long long)(fake_cuda_uploaded () - before));
    free (from);
    free (to);
  }
}

// The count of gla_find is what its kernels leave behind those of the blocks, in memory that is
// new.
static void test_count (void)
{
  int64_t count = 0;
  ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  fake_cuda_answer.fill = 1;
  char *bytes = taken (N);
  CHECK (gla_find (ctx, 0, bytes, N, NULL, &count) == GLA_OK && count == 0x0101010101010101,
         "%llx are found", (unsigned long long)count);
  fake_cuda_answer.fill = 0;
  gla_context_destroy (ctx);
}

//------------------------------------------------------------------------------
// stops
//------------------------------------------------------------------------------

static int asked;

static int stop (void *user)
{
  (void)user;
  return ++asked >= 3;
}

// A stream whose events do not come keeps gla_find waiting until it is stopped. Which one that is,
// the test finds out: those that are not waited for hold up nothing.
static void test_stop (void)
{
  enum { STREAMS = 100000 };
  int64_t count = 0;
  gla_status status = GLA_OK;
  gla_set_stop (ctx, stop, NULL);
  for (uintptr_t s = 1; s < STREAMS && status == GLA_OK; s++) {
    asked = 0;
    fake_cuda_hold ((void *)s);
    status = gla_find (ctx, 0, mask, N, NULL, &count);
  }
  CHECK (status == GLA_ERROR_STOPPED && asked == 3, "status %d, asked %d times", (int)status,
         asked);
  fake_cuda_hold (NULL);
  gla_set_stop (ctx, NULL, NULL);
  CHECK (gla_wait (ctx, 0) == GLA_OK && find_bytes ('b', 1) == GLA_OK, "after a stop: %s",
         gla_message (ctx));
}

int main (void)
{
  static const char types[] = "sdczb";
  test_memory ();
  test_count ();
  open_context ();
  test_stop ();
  test_copies ();
  for (const char *type = types; *type; type++)
    test_launches (*type);
  gla_context_destroy (ctx);
  for (const char *type = types; *type; type++)
    test_failures (*type);
  return check_report ("array_calls");
}
