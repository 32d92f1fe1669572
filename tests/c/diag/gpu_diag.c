// gpu_diag.c: diagonals and traces of pages on a GPU, exactly: strides, offsets, pages alone
// SPDX-License-Identifier: GPL-3.0-or-later

#include "device/gpu_page_tests.h"
#include "device/gpu_pages.h"
#include "expected.h"

enum { GAP = 3 };
static gla_context *ctx;

static void check_one (const gla_array *A, gla_diag what, int64_t k, int64_t gap)
{
  char name[80];
  snprintf (name, sizeof name, "%c %lldx%lldx%lld kind %d k %lld gap %d", (char)A->type,
            (long long)A->rows, (long long)A->columns, (long long)A->pages, (int)what, (long long)k,
            (int)gap);
  gla_array D = diag_room (A, what, k, gap);
  gpu_used = 0;
  const gpu_copy a = gpu_put (A, gap > 0), d = gpu_put (&D, 0);
  gla_pagediag_report report = {.base.size = sizeof report};
  const gla_status status = gla_pagediag (ctx, &a.array, what, k, &d.array, &report);
  CHECK (status == GLA_OK && gpu_get (&d) && gpu_unchanged (&a), "%s: %s", name, gla_message (ctx));
  CHECK (D.rows == 0 || report.base.device == 0, "%s: not on the GPU", name);
  const int wrong = diag_wrong (A, what, k, &D);
  CHECK (wrong == 0, "%s: %d wrong", name, wrong);
  free (D.data);
}

static void check_shape (gla_type type, int64_t m, int64_t n, int64_t pages, int64_t gap)
{
  gla_array A = make (type, m, n, pages, gap);
  const int64_t ks[] = {0, 1, -2, n - 1, 1 - m, n};
  diag_fill (&A, (unsigned long long)(m * 100 + n));
  for (int k = 0; k < COUNT (ks); k++)
    for (int kind = 0; kind < COUNT (diag_kinds); kind++)
      if (diag_kinds[kind] != GLA_DIAG_MAKE || m == 1 || n == 1)
        check_one (&A, diag_kinds[kind], ks[k], k % 2 ? GAP : 0);
  free (A.data);
}

int gpu_diags (void)
{
  static const int64_t sizes[] = {1, 2, 3, 4, 7, 8, 11, 16, 33, 127, 130};
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 29))
    return 1;
  for (int t = 0; t < COUNT (diag_types); t++)
    for (int k = 0; k < COUNT (sizes); k++) {
      const int64_t n = sizes[k], other = sizes[(5 * k + 3) % COUNT (sizes)];
      check_shape (diag_types[t], n, n, 300, k % 2 ? GAP : 0);
      check_shape (diag_types[t], n, other, 65, k % 2 ? 0 : GAP);
      check_shape (diag_types[t], n, 1, 40, GAP);
      check_shape (diag_types[t], 1, n, 40, GAP);
    }
  // more pages than a grid has blocks, and a page of more elements
  check_shape (GLA_TYPE_S, 3, 3, 600000, 0);
  check_shape (GLA_TYPE_S, 4000, 1, 2, 0);
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_diags");
}
