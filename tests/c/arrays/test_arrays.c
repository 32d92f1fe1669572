// test_arrays.c: arguments of gla_join, gla_take and gla_put, and what a backend gets of them
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

int main (void)
{
  make_gpu_of_arrays ();
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  test_join ();
  test_join_types ();
  test_subscripts ();
  test_subscript_ranges ();
  gla_context_destroy (ctx);
  return check_report ("arrays");
}
