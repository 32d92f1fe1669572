// test_arrays.c: arguments of functions of arrays, and what a backend gets of them and answers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Linked with its own list of backends, in which there is a GPU that computes nothing.

#include "arrays_gpu.h"

//------------------------------------------------------------------------------
// gla_join
//------------------------------------------------------------------------------

static void test_join (void)
{
  gla_nd to[] = {matrix (y, 'd', 2, 3), matrix (y + 6, 'd', 2, 1)};
  gla_nd from[] = {matrix (x, 'd', 2, 3), {.type = 'd', .value = {7}}};
  REFUSED (gla_join (ctx, 0, NULL, from, 2), "to must not be NULL");
  REFUSED (gla_join (ctx, 0, to, NULL, 2), "from must not be NULL");
  ACCEPTED (gla_join (ctx, 0, NULL, NULL, 0), 0, "no arrays");
  ACCEPTED (gla_join (ctx, 0, to, from, 2), 1, "an array and a number");
  CHECK (asked.to == to && asked.x == from && asked.count == 2, "join: %d arrays", asked.count);

  to[1].type = 's';
  REFUSED (gla_join (ctx, 0, to, from, 2), "to[1] has type 's', to[0] 'd'");
  to[1].type = 'q';
  REFUSED (gla_join (ctx, 0, to, from, 2), "to has type 113, it must be one of s d c z b");
  to[1] = matrix (y + 6, 'd', 2, 1);
  to[1].data = NULL;
  REFUSED (gla_join (ctx, 0, to, from, 2), "to[1] has no data");
  to[1].size[1] = 0;
  ACCEPTED (gla_join (ctx, 0, to, from, 2), 1, "nothing to write in the second");
  to[1] = matrix (y + 6, 'd', 2, -1);
  REFUSED (gla_join (ctx, 0, to, from, 2), "to has size -1 in dimension 2");
  to[0].dims = 9;
  REFUSED (gla_join (ctx, 0, to, from, 2), "to has 9 dimensions, at most 8 are allowed");
  to[0] = matrix (y, 'd', 2, 3);
  from[0].size[1] = 2;
  REFUSED (gla_join (ctx, 0, to, from, 1), "from does not have the sizes of the result");
  from[0] = matrix (x, 'd', 2, 3);
  from[0].dims = -1;
  REFUSED (gla_join (ctx, 0, to, from, 1), "from has -1 dimensions, at most 8 are allowed");
}

// Which types become which: complex ones stay complex, and only logical ones become logical.
static void test_join_types (void)
{
  static const char types[] = "sdczb";
  for (const char *a = types; *a; a++)
    for (const char *b = types; *b; b++) {
      const gla_nd from = matrix (x, *a, 2, 1), to = matrix (y, *b, 2, 1);
      const int from_complex = *a == 'c' || *a == 'z', to_complex = *b == 'c' || *b == 'z';
      if ((*b != 'b' || *a == 'b') && (to_complex || !from_complex)) {
        ACCEPTED (gla_join (ctx, 0, &to, &from, 1), 1, "types");
        continue;
      }
      char says[64];
      snprintf (says, sizeof says, "from[0] has type '%c', which does not become '%c'", *a, *b);
      REFUSED (gla_join (ctx, 0, &to, &from, 1), says);
    }
}

//------------------------------------------------------------------------------
// gla_take, gla_put
//------------------------------------------------------------------------------

static void test_subscripts (void)
{
  const gla_nd a = matrix (x, 'd', 4, 5), number = {.type = 's', .value = {3}};
  const gla_subscripts s[] = {{.first = 3, .step = -1, .count = 3}, {.step = 2, .count = 2}};
  int64_t list[7] = {0};
  REFUSED (gla_take (ctx, 0, NULL, s, y), "x must not be NULL");
  REFUSED (gla_take (ctx, 0, &a, NULL, y), "s must not be NULL");
  REFUSED (gla_take (ctx, 0, &a, s, NULL), "to must not be NULL");
  REFUSED (gla_put (ctx, 0, NULL, s, &number), "x must not be NULL");
  REFUSED (gla_put (ctx, 0, &a, NULL, &number), "s must not be NULL");
  REFUSED (gla_put (ctx, 0, &a, s, NULL), "from must not be NULL");

  // the elements are without gaps
  ACCEPTED (gla_take (ctx, 0, &a, s, y), 1, "3 x 2 elements");
  const gla_nd *e = &asked.elements;
  CHECK (asked.x == x && !asked.store && e->data == y && e->type == 'd' && e->dims == 2 &&
             e->size[0] == 3 && e->size[1] == 2 && e->step[0] == 1 && e->step[1] == 3,
         "take: %lldx%lld with steps %lld, %lld", (long long)e->size[0], (long long)e->size[1],
         (long long)e->step[0], (long long)e->step[1]);
  ACCEPTED (gla_put (ctx, 0, &a, s, &number), 1, "a number");
  CHECK (asked.x == x && asked.store && e->data == NULL && e->value[0] == 3, "put: %g",
         e->value[0]);
  const gla_subscripts with_list[] = {{.list = list, .first = 99, .count = 7}, {.count = 1}};
  ACCEPTED (gla_take (ctx, 0, &a, with_list, y), 1, "a list, which is on the GPU");
  const gla_subscripts none[] = {{.first = 9, .step = 9, .count = 0}, {.count = 1}};
  ACCEPTED (gla_take (ctx, 0, &a, none, NULL), 0, "no subscripts");
  ACCEPTED (gla_put (ctx, 0, &a, none, &number), 0, "no subscripts");

  gla_nd bad = a;
  bad.type = 0;
  REFUSED (gla_take (ctx, 0, &bad, s, y), "x has type 0, it must be one of s d c z b");
  REFUSED (gla_put (ctx, 0, &a, s, &bad), "from has type 0, it must be one of s d c z b");
  bad = matrix (y, 's', 3, 2);
  REFUSED (gla_put (ctx, 0, &a, s, &bad), "from has type 's', it must be 'd'");
  bad = a;
  bad.dims = 9;
  REFUSED (gla_put (ctx, 0, &bad, s, &number), "x has 9 dimensions, at most 8 are allowed");
  bad = a;
  bad.data = NULL;
  REFUSED (gla_take (ctx, 0, &bad, s, y), "x->data must not be NULL");
}

static void test_subscript_ranges (void)
{
  const gla_nd a = matrix (x, 'd', 4, 5), number = {.type = 'd'};
  static const struct {
    gla_subscripts s[2];
    const char *says;
  } bad[] = {
      {{{.first = 4, .count = 1}, {.count = 1}},
       "subscripts 4 to 4 of dimension 1 are not within 0 to 3"},
      {{{.first = -1, .step = 1, .count = 2}, {.count = 1}},
       "subscripts -1 to 0 of dimension 1 are not within 0 to 3"},
      {{{.step = 1, .count = 5}, {.count = 1}},
       "subscripts 0 to 4 of dimension 1 are not within 0 to 3"},
      {{{.count = 1}, {.first = 1, .step = -1, .count = 3}},
       "subscripts 1 to -1 of dimension 2 are not within 0 to 4"},
      {{{.count = 1}, {.first = 0, .step = 3, .count = 3}},
       "subscripts 0 to 6 of dimension 2 are not within 0 to 4"},
      {{{.count = 1}, {.step = 1, .count = -2}},
       "subscripts 0 to -3 of dimension 2 are not within 0 to 4"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    REFUSED (gla_take (ctx, 0, &a, bad[k].s, y), bad[k].says);
    REFUSED (gla_put (ctx, 0, &a, bad[k].s, &number), bad[k].says);
  }
  const gla_subscripts ends[] = {{.first = 3, .step = -3, .count = 2},
                                 {.first = 4, .step = 0, .count = 9}};
  ACCEPTED (gla_take (ctx, 0, &a, ends, y), 1, "the first and the last, some of them again");
}

//------------------------------------------------------------------------------
// gla_reduce, gla_scan
//------------------------------------------------------------------------------

static void test_slices (void)
{
  const gla_slices good = {x, 'd', 2, 3, 4}, none = {NULL, 'd', 2, 0, 4},
                   empty = {NULL, 'd', 0, 3, 4};
  gla_slices bad = good;
  REFUSED (gla_reduce (ctx, 0, GLA_REDUCE_SUM, NULL, y, NULL), "slices must not be NULL");
  REFUSED (gla_scan (ctx, 0, GLA_REDUCE_SUM, NULL, y), "slices must not be NULL");
  REFUSED (gla_reduce (ctx, 0, GLA_REDUCE_SUM, &good, NULL, NULL), "to must not be NULL");
  REFUSED (gla_scan (ctx, 0, GLA_REDUCE_SUM, &good, NULL), "to must not be NULL");
  bad.x = NULL;
  REFUSED (gla_reduce (ctx, 0, GLA_REDUCE_SUM, &bad, y, NULL), "slices->x must not be NULL");
  REFUSED (gla_scan (ctx, 0, GLA_REDUCE_SUM, &bad, y), "slices->x must not be NULL");
  bad = good;
  bad.type = 'q';
  REFUSED (gla_reduce (ctx, 0, GLA_REDUCE_SUM, &bad, y, NULL), "slices are 2x3x4 of type 113");
  bad = good;
  bad.outer = -4;
  REFUSED (gla_scan (ctx, 0, GLA_REDUCE_SUM, &bad, y), "slices are 2x3x-4 of type 100");
  REFUSED (gla_reduce (ctx, 0, (gla_reduction)7, &good, y, NULL), "op = 7 is not a gla_reduction");
  REFUSED (gla_reduce (ctx, 0, (gla_reduction)-1, &good, y, NULL),
           "op = -1 is not a gla_reduction");
  for (int op = 0; op <= GLA_REDUCE_MIN; op++) {
    const int extreme = op >= GLA_REDUCE_MAX;
    ACCEPTED (gla_reduce (ctx, 0, (gla_reduction)op, &good, y, y + 8), 1, "a reduction");
    CHECK (asked.op == op && asked.x == x && asked.to == y &&
               asked.index == (extreme ? y + 8 : NULL),
           "reduction %d, op %d", op, asked.op);
    ACCEPTED (gla_reduce (ctx, 0, (gla_reduction)op, &empty, NULL, NULL), 0, "no slices");
    if (!extreme) {
      ACCEPTED (gla_reduce (ctx, 0, (gla_reduction)op, &none, y, NULL), 1, "slices of nothing");
      continue;
    }
    REFUSED (gla_reduce (ctx, 0, (gla_reduction)op, &none, y, NULL),
             "there is no extreme of slices of 0 elements of type 'd'");
    const gla_slices logical = {x, GLA_LOGICAL, 2, 3, 4};
    REFUSED (gla_reduce (ctx, 0, (gla_reduction)op, &logical, y, NULL),
             "there is no extreme of slices of 3 elements of type 'b'");
  }
  for (int op = GLA_REDUCE_SUM; op <= GLA_REDUCE_PROD; op++) {
    ACCEPTED (gla_scan (ctx, 0, (gla_reduction)op, &good, y), 1, "a scan");
    CHECK (asked.op == op && asked.x == x && asked.to == y, "scan %d, op %d", op, asked.op);
    ACCEPTED (gla_scan (ctx, 0, (gla_reduction)op, &none, y), 0, "a scan of nothing");
  }
  REFUSED (gla_scan (ctx, 0, GLA_REDUCE_SUMSQ, &good, y),
           "op = 2, it must be GLA_REDUCE_SUM or GLA_REDUCE_PROD");
  REFUSED (gla_scan (ctx, 0, (gla_reduction)-1, &good, y),
           "op = -1, it must be GLA_REDUCE_SUM or GLA_REDUCE_PROD");
}

//------------------------------------------------------------------------------
// gla_find, gla_memory_query, answers
//------------------------------------------------------------------------------

static void test_find (void)
{
  int64_t list[8], count = -1;
  REFUSED (gla_find (ctx, 0, x, 8, list, NULL), "count must not be NULL");
  REFUSED (gla_find (ctx, 0, NULL, 8, list, &count), "mask must not be NULL");
  ACCEPTED (gla_find (ctx, 0, NULL, 0, list, &count), 0, "no bytes");
  CHECK (count == 0, "no bytes: %lld found", (long long)count);
  ACCEPTED (gla_find (ctx, 0, x, 8, list, &count), 1, "8 bytes");
  CHECK (count == 3 && asked.x == x && asked.to == list && asked.n == 8, "8 bytes: %lld found",
         (long long)count);
  ACCEPTED (gla_find (ctx, 0, x, 8, NULL, &count), 1, "they are counted only");
  CHECK (count == 3 && asked.to == NULL, "counted only: %lld found", (long long)count);
}

static void test_query (void)
{
  gla_memory_info info = {.size = sizeof info};
  REFUSED (gla_memory_query (ctx, 0, NULL), "info must not be NULL");
  ACCEPTED (gla_memory_query (ctx, 0, &info), 1, "query");
  CHECK (info.size == sizeof info && info.live == 11 && info.peak == 22 && info.kept == 33,
         "live %lld, peak %lld, kept %lld", (long long)info.live, (long long)info.peak,
         (long long)info.kept);
  info = (gla_memory_info){.size = offsetof (gla_memory_info, peak), .peak = -1};
  ACCEPTED (gla_memory_query (ctx, 0, &info), 1, "query of an older caller");
  CHECK (info.live == 11 && info.peak == -1, "what an older caller does not know was written");
  info.size = 3;
  REFUSED (gla_memory_query (ctx, 0, &info),
           "the size of info is 3, it must be set to that of its type");
}

// One call of each function.
enum { FUNCTIONS = 6 };
static gla_status call_one (int which, int device)
{
  const gla_nd a = matrix (x, 'd', 4, 5), b = matrix (y, 'd', 1, 1), to = matrix (y, 'd', 4, 5);
  const gla_slices slices = {x, 'd', 2, 3, 4};
  const gla_subscripts s[] = {{.count = 1}, {.count = 1}};
  int64_t count;
  switch (which) {
  case 0:
    return gla_join (ctx, device, &to, &a, 1);
  case 1:
    return gla_take (ctx, device, &a, s, y);
  case 2:
    return gla_put (ctx, device, &a, s, &b);
  case 3:
    return gla_reduce (ctx, device, GLA_REDUCE_ANY, &slices, y, NULL);
  case 4:
    return gla_scan (ctx, device, GLA_REDUCE_PROD, &slices, y);
  default:
    return gla_find (ctx, device, x, 8, NULL, &count);
  }
}

// A stop and a lack of memory leave the GPU as it is; a failure ends its use by this context.
static void test_answers (void)
{
  gla_memory_info info = {.size = sizeof info};
  for (int k = 0; k < FUNCTIONS; k++) {
    ctx = NULL;
    CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
    static const gla_status kept[] = {GLA_ERROR_STOPPED, GLA_ERROR_OUT_OF_MEMORY, GLA_OK};
    for (int a = 0; a < 3; a++) {
      answer = kept[a];
      const gla_status status = call_one (k, 0);
      CHECK (status == answer && (gla_message (ctx)[0] != '\0') == (answer != GLA_OK) &&
                 open_engines == 1,
             "function %d: status %d, not %d, \"%s\"", k, (int)status, (int)answer,
             gla_message (ctx));
    }
    answer = GLA_ERROR_DEVICE_FAILURE;
    const gla_status status = call_one (k, 0);
    CHECK (status == answer &&
               strcmp (gla_message (ctx), "device 0 failed; the arrays on it are lost") == 0 &&
               open_engines == 0,
           "function %d: status %d, \"%s\", %d engines", k, (int)status, gla_message (ctx),
           open_engines);
    answer = GLA_OK;
    const int before = calls;
    for (int l = 0; l < FUNCTIONS; l++)
      CHECK (call_one (l, 0) == GLA_ERROR_NO_DEVICE && gla_message (ctx)[0] != '\0',
             "function %d on a GPU that failed: \"%s\"", l, gla_message (ctx));
    CHECK (gla_memory_query (ctx, 0, &info) == GLA_ERROR_NO_DEVICE && calls == before,
           "query of a GPU that failed");
    gla_context_destroy (ctx);
  }
}

static void test_devices (void)
{
  static const int devices[] = {1, 7, -1, INT32_MIN};
  const int before = calls;
  for (int d = 0; d < 4; d++)
    for (int k = 0; k < FUNCTIONS; k++)
      CHECK (call_one (k, devices[d]) == GLA_ERROR_NO_DEVICE && gla_message (ctx)[0] != '\0',
             "function %d on device %d: \"%s\"", k, devices[d], gla_message (ctx));
  CHECK (calls == before, "%d calls", calls - before);
}

//------------------------------------------------------------------------------
// no context
//------------------------------------------------------------------------------

static void bad (gla_status status, const char *name)
{
  CHECK (status == GLA_ERROR_BAD_ARGUMENT, "%s: status %d", name, (int)status);
}

static void test_no_context (void)
{
  int64_t count = 0;
  const gla_nd a = matrix (x, 'd', 1, 1);
  const gla_slices s = {x, GLA_TYPE_D, 1, 1, 1};
  const gla_subscripts i[] = {{.count = 1}, {.count = 1}};
  bad (gla_elementwise (NULL, 0, GLA_ND_COPY, &a, &a, NULL, NULL), "gla_elementwise");
  const int result = 0;
  const gla_nd_steps steps = {.size = sizeof steps,
                              .inputs = &a,
                              .input_count = 1,
                              .results = &result,
                              .outputs = &a,
                              .output_count = 1};
  bad (gla_elementwise_steps (NULL, 0, &steps, NULL), "gla_elementwise_steps");
  bad (gla_join (NULL, 0, &a, &a, 1), "gla_join");
  bad (gla_take_triangle (NULL, 0, &a, &a, 0, 1), "gla_take_triangle");
  bad (gla_reduce (NULL, 0, GLA_REDUCE_SUM, &s, x, NULL), "gla_reduce");
  bad (gla_sort (NULL, 0, &s, 0, x, NULL), "gla_sort");
  bad (gla_scan (NULL, 0, GLA_REDUCE_SUM, &s, x), "gla_scan");
  bad (gla_fft (NULL, 0, &s, 0, x), "gla_fft");
  bad (gla_take (NULL, 0, &a, i, x), "gla_take");
  bad (gla_put (NULL, 0, &a, i, &a), "gla_put");
  bad (gla_find (NULL, 0, x, 1, NULL, &count), "gla_find");
}

int main (void)
{
  make_gpu_of_arrays ();
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  test_no_context ();
  test_join ();
  test_join_types ();
  test_subscripts ();
  test_subscript_ranges ();
  test_slices ();
  test_find ();
  test_query ();
  test_devices ();
  gla_context_destroy (ctx);
  test_answers ();
  return check_report ("arrays");
}
