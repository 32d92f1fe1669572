// gpu_qr.c: QR of many small pages on a GPU: hard matrices, all results, bits
// SPDX-License-Identifier: GPL-3.0-or-later

#include "device/gpu_page_tests.h"
#include "device/gpu_pages.h"
#include "qr_kinds.h"

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static gla_context *ctx;

// The call with copies of all arrays on the GPU; the results come back. `shift`: elements by which
// the copies are not aligned.
static void run_on_gpu (qr_page *p, int shift)
{
  const qr_call *c = &p->call;
  gpu_copy copy[QR_ARRAYS];
  gla_array there[QR_ARRAYS];
  gpu_used = 0;
  for (int x = 0; x < QR_ARRAYS; x++) {
    there[x] = p->a[x];
    if (p->a[x].data != NULL) {
      copy[x] = gpu_put (&p->a[x], shift);
      there[x] = copy[x].array;
    }
  }
  const gla_qr_options o = {sizeof o, c->pivot, c->block};
  const gla_qr_results r = {sizeof r,    there[QR_Q], there[QR_R], there[QR_C],
                            there[QR_W], there[QR_Y], p->jpvt};
  gla_qr_report report = {.base.size = sizeof report};
  free (p->before);
  p->before = malloc (qr_bytes (&p->a[QR_A]) + 1);
  memcpy (p->before, p->a[QR_A].data, qr_bytes (&p->a[QR_A]));
  p->status = gla_qr (ctx, &there[QR_A], c->c ? &there[QR_B] : NULL, &r, &o, &report);
  CHECK (p->status == GLA_OK && report.base.device == 0, "%c %dx%d: device %d, %s", c->type, c->m,
         c->n, report.base.device, gla_message (ctx));
  for (int x = 0; x < QR_ARRAYS; x++)
    if (p->a[x].data != NULL)
      CHECK (gpu_fetch (&copy[x]), "%c %dx%d: written outside of array %d", c->type, c->m, c->n, x);
}

static qr_page solved (const qr_call *c, kind_of_matrix kind, int shift)
{
  qr_page p = qr_page_new (c);
  fill_array (c, &p.a[QR_A], kind, 1 + (unsigned long long)c->m);
  fill_array (c, &p.a[QR_B], RANDOM, 2);
  run_on_gpu (&p, shift);
  return p;
}

//------------------------------------------------------------------------------
// shapes
//------------------------------------------------------------------------------

static void check_shape (gla_type type, int m, int n)
{
  const int turn = m + 3 * n + (int)type;
  qr_call c = {.type = type, .m = m, .n = n, .pages = n <= 16 ? 5 : 2, .rhs = 1 + turn % 3};
  c.gap = turn % 2 ? 3 : 0;
  c.q = c.r = c.c = 1 + (turn % 5 == 0);
  c.wy = turn % 3 == 0;
  c.pivot = turn % 7 == 0;
  const kind_of_matrix kinds[] = {RANDOM, (kind_of_matrix)(turn % KINDS)};
  for (int k = 0; k < 2; k++) {
    qr_page p = solved (&c, kinds[k], turn % 4 == 1);
    check_quality (&p, kinds[k]);
    qr_page_free (&p);
  }
}

static void test_shapes (void)
{
  static const int larger[] = {40, 47, 48, 49, 63, 64, 65};
  for (int t = 0; t < COUNT (types); t++)
    for (int s = 1; s <= 33 + COUNT (larger); s++) {
      const int n = s <= 33 ? s : larger[s - 34];
      const int rows[] = {n, n + 1, 2 * n, 3 * n - 1, 4 * n, (n + 1) / 2, 4 * n + 1};
      for (int k = 0; k < COUNT (rows); k++)
        check_shape (types[t], rows[k], n);
    }
}

static void test_kinds (void)
{
  static const int shapes[][2] = {{2, 2},   {4, 4},   {7, 5},   {8, 8},
                                  {16, 12}, {32, 16}, {33, 33}, {64, 64}};
  for (int t = 0; t < COUNT (types); t++)
    for (int s = 0; s < COUNT (shapes); s++)
      for (int kind = 0; kind < KINDS; kind++) {
        const qr_call c = {.type = types[t],
                           .m = shapes[s][0],
                           .n = shapes[s][1],
                           .pages = 3,
                           .rhs = 2,
                           .q = 1,
                           .r = 1,
                           .c = 1};
        qr_page p = solved (&c, (kind_of_matrix)kind, 0);
        check_quality (&p, kind);
        qr_page_free (&p);
      }
}

//------------------------------------------------------------------------------
// bits
//------------------------------------------------------------------------------

// Pages `first` and following of a call, as a call of their own.
static qr_page pages_of (const qr_page *all, int first, int count)
{
  qr_call c = all->call;
  c.pages = count;
  qr_page p = qr_page_new (&c);
  for (int x = QR_A; x <= QR_B; x++) {
    const size_t page = (size_t)all->a[x].page_stride * gla_type_size (c.type);
    memcpy (p.a[x].data, (char *)all->a[x].data + (size_t)first * page, (size_t)count * page);
  }
  return p;
}

static void compare_bits (const qr_page *all, const qr_page *some, int first, const char *what)
{
  int same = 1;
  for (int p = 0; p < some->call.pages; p++)
    for (int x = QR_Q; x <= QR_C; x++)
      if (some->a[x].data != NULL)
        same &= same_page (&all->a[x], first + p, &some->a[x], p);
  CHECK (same, "%c %dx%d: other bits %s", all->call.type, all->call.m, all->call.n, what);
}

// One page, seven pages, other addresses, few of the results, and arrays on the host.
static void check_bits (gla_type type, int m, int n)
{
  enum { BATCH = 500 };
  static const int first[] = {0, 1, 250, 493};
  const qr_call c = {.type = type,
                     .m = m,
                     .n = n,
                     .pages = BATCH,
                     .rhs = 2,
                     .gap = m % 2 ? 3 : 0,
                     .q = 1,
                     .r = 1,
                     .c = 1};
  qr_page all = qr_page_new (&c);
  fill_array (&c, &all.a[QR_A], RANDOM, 5);
  fill_array (&c, &all.a[QR_B], RANDOM, 6);
  qr_set (type, all.a[QR_A].data, 251 * all.a[QR_A].page_stride, NAN);
  run_on_gpu (&all, 0);
  for (int k = 0; k < 2 * COUNT (first); k++) {
    qr_page some = pages_of (&all, first[k / 2], k % 2 ? 7 : 1);
    run_on_gpu (&some, k % 3 == 0);
    compare_bits (&all, &some, first[k / 2], "in a smaller batch");
    qr_page_free (&some);
  }
  qr_page few = pages_of (&all, 3, 40);
  free (few.a[QR_Q].data);
  few.a[QR_Q] = (gla_array){.data = NULL};
  run_on_gpu (&few, 0);
  compare_bits (&all, &few, 3, "without Q");
  qr_page_free (&few);
  qr_page host = pages_of (&all, 3, 40);
  qr_run (ctx, &host);
  CHECK (host.status == GLA_OK, "%s", gla_message (ctx));
  compare_bits (&all, &host, 3, "from the host");
  qr_page_free (&host);
  CHECK (isnan (creal (qr_at (&all.a[QR_R], 0, 0, 251))), "%c %dx%d: NaN was lost", type, m, n);
  qr_page_free (&all);
}

static void test_bits (void)
{
  static const int orders[] = {1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 32, 33, 48, 64};
  for (int t = 0; t < COUNT (types); t++)
    for (int k = 0; k < COUNT (orders); k++)
      for (int f = 1; f <= 4; f += 3)
        check_bits (types[t], f * orders[k], orders[k]);
}

int gpu_qr (void)
{
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 30))
    return 1;
  test_shapes ();
  test_kinds ();
  test_bits ();
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_qr");
}
