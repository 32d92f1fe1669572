// test_states.c: what calls leave behind after each status, for all operations on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: cuda
//
// doc/c-api.md: a bad argument writes no result; inputs never change; the context may be used after
// any status; after GLA_OK every result is written.

#include "frame/check.h"

#include <stdint.h>

enum { N = 4, P = 3, NUMBERS = 512 };
static const double POISON = -7.25e77;

static gla_context *ctx;
static double A[N * N * P], B[N * N * P], out[NUMBERS];
static int32_t info[P];
static int taken; // numbers of `out` that are results

//------------------------------------------------------------------------------
// arrays
//------------------------------------------------------------------------------

static gla_array pages_of (double *data, int64_t rows, int64_t columns)
{
  return gla_array_packed (data, GLA_TYPE_D, rows, columns, P, GLA_DEVICE_HOST);
}

static gla_array result (int64_t rows, int64_t columns)
{
  const gla_array a = pages_of (out + taken, rows, columns);
  taken += (int)(rows * columns * P);
  return a;
}

// Symmetric positive definite pages.
static void fill (double *a, unsigned long long seed)
{
  for (int p = 0; p < P; p++)
    for (int j = 0; j < N; j++)
      for (int i = j; i < N; i++) {
        const double x = i == j ? N + 1 + i : check_random (&seed);
        a[i + j * N + p * N * N] = a[j + i * N + p * N * N] = x;
      }
}

//------------------------------------------------------------------------------
// the operations; `bad` asks for an argument that is refused
//------------------------------------------------------------------------------

static gla_status call_eig (int bad)
{
  const gla_array a = pages_of (A, N, N);
  const gla_eig_options o = {.size = sizeof o, .tol = bad ? 2 : 0};
  const gla_eig_results r = {
      .size = sizeof r, .lambda = result (N, 1), .V = result (N, N), .info = info};
  return gla_batcheig (ctx, &a, &r, &o, NULL);
}

static gla_status call_pairs (int bad)
{
  const gla_array a = pages_of (A, N, N), b = pages_of (B, N, N);
  const gla_eig_pairs_options o = {.size = sizeof o, .itype = bad ? 4 : 1};
  const gla_eig_pairs_results r = {.size = sizeof r,
                                   .lambda = result (N, 1),
                                   .V = result (N, N),
                                   .rcond = result (1, 1),
                                   .info = info};
  return gla_batcheig_pairs (ctx, &a, &b, &r, &o, NULL);
}

static gla_status call_fun (int bad)
{
  const gla_array a = pages_of (A, N, N);
  const gla_pagefun_options o = {.size = sizeof o, .floor = bad ? 2 : 0};
  const gla_pagefun_results r = {.size = sizeof r, .F = result (N, N), .info = info};
  return gla_pagefun (ctx, &a, GLA_FUN_SQRT, &r, &o, NULL);
}

static gla_status call_qr (int bad)
{
  const gla_array a = pages_of (A, N, N), b = pages_of (B, N, N);
  const gla_qr_options o = {.size = sizeof o, .block = bad ? -1 : 0};
  const gla_qr_results r = {
      .size = sizeof r, .Q = result (N, N), .R = result (N, N), .C = result (N, N)};
  return gla_qr (ctx, &a, &b, &r, &o, NULL);
}

static gla_status call_least_squares (int bad)
{
  const gla_array a = pages_of (A, N, N), b = pages_of (B, N, N);
  const gla_qr_options o = {.size = sizeof o, .pivot = bad};
  const gla_least_squares_results r = {.size = sizeof r, .X = result (N, N), .info = info};
  return gla_least_squares (ctx, &a, &b, &r, &o, NULL);
}

static gla_status call_gsvd (int bad)
{
  const gla_array a = pages_of (A, N, N), b = pages_of (B, N, N);
  const gla_gsvd_options o = {.size = sizeof o, .block = bad ? -1 : 0};
  const gla_gsvd_results r = {.size = sizeof r,
                              .alpha = result (N, 1),
                              .beta = result (N, 1),
                              .U = result (N, N),
                              .V = result (N, N),
                              .X = result (N, N),
                              .info = info};
  return gla_gsvd (ctx, &a, &b, &r, &o, NULL);
}

static gla_status call_gevd (int bad)
{
  const gla_array a = pages_of (A, N, N), b = pages_of (B, N, N);
  const gla_gsvd_options o = {.size = sizeof o, .block = bad ? -1 : 0};
  const gla_gevd_results r = {.size = sizeof r,
                              .alpha = result (N, 1),
                              .beta = result (N, 1),
                              .Z = result (N, N),
                              .info = info};
  return gla_gevd (ctx, &a, &b, &r, &o, NULL);
}

static gla_status call_mul (int bad)
{
  const gla_array a = pages_of (A, N, N), b = pages_of (B, N, N);
  const gla_pagemul_options o = {.size = sizeof o, .op_a = bad ? 'X' : 'T'};
  const gla_pagemul_results r = {.size = sizeof r, .C = result (N, N)};
  return gla_pagemul (ctx, &a, &b, &r, &o, NULL);
}

static gla_status call_solve (int bad)
{
  const gla_array a = pages_of (A, N, N), b = pages_of (B, N, N);
  const gla_pagesolve_options o = {.size = sizeof o, .op_a = bad ? 'X' : 'T'};
  const gla_pagesolve_results r = {
      .size = sizeof r, .X = result (N, N), .rcond = result (1, 1), .info = info};
  return gla_pagesolve (ctx, &a, &b, &r, &o, NULL);
}

static gla_status call_norm (int bad)
{
  const gla_array a = pages_of (A, N, N), norms = result (1, 1);
  return gla_pagenorm (ctx, &a, bad ? (gla_norm)17 : GLA_NORM_TWO, &norms, NULL);
}

static const struct {
  const char *name;
  gla_status (*call) (int bad);
  int hermitian; // the pages of A must be
} operations[] = {{"gla_batcheig", call_eig, 1},
                  {"gla_batcheig_pairs", call_pairs, 1},
                  {"gla_pagefun", call_fun, 1},
                  {"gla_qr", call_qr, 0},
                  {"gla_least_squares", call_least_squares, 0},
                  {"gla_gsvd", call_gsvd, 0},
                  {"gla_gevd", call_gevd, 0},
                  {"gla_pagemul", call_mul, 0},
                  {"gla_pagesolve", call_solve, 0},
                  {"gla_pagenorm", call_norm, 0}};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

//------------------------------------------------------------------------------
// checks
//------------------------------------------------------------------------------

static double A_before[N * N * P], B_before[N * N * P];

// Calls operation k on fresh results. The inputs must not change.
static gla_status run (int k, int bad)
{
  for (int q = 0; q < NUMBERS; q++)
    out[q] = POISON;
  for (int p = 0; p < P; p++)
    info[p] = 77;
  taken = 0;
  memcpy (A_before, A, sizeof A);
  memcpy (B_before, B, sizeof B);
  const gla_status status = operations[k].call (bad);
  CHECK (memcmp (A, A_before, sizeof A) == 0 && memcmp (B, B_before, sizeof B) == 0,
         "%s: an input has changed", operations[k].name);
  return status;
}

// Numbers of `out` from `from` to end-1 that were not written.
static int unwritten (int from, int end)
{
  int count = 0;
  for (int q = from; q < end; q++)
    count += out[q] == POISON;
  return count;
}

static void test_ok (int k, const char *after)
{
  const char *name = operations[k].name;
  const gla_status status = run (k, 0);
  CHECK (status == GLA_OK, "%s after %s: %s", name, after, gla_message (ctx));
  CHECK (gla_message (ctx)[0] == '\0', "%s after %s: \"%s\"", name, after, gla_message (ctx));
  CHECK (unwritten (0, taken) == 0 && unwritten (taken, NUMBERS) == NUMBERS - taken,
         "%s after %s: %d of %d not written", name, after, unwritten (0, taken), taken);
}

static void test_bad_argument (int k)
{
  const char *name = operations[k].name;
  const gla_status status = run (k, 1);
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && gla_message (ctx)[0] != '\0', "%s: status %d \"%s\"",
         name, (int)status, gla_message (ctx));
  CHECK (unwritten (0, NUMBERS) == NUMBERS && info[0] == 77 && info[P - 1] == 77,
         "%s: a bad argument wrote", name);
}

static void test_not_hermitian (int k)
{
  const double before = A[1 + N * N];
  A[1 + N * N] += 1;
  const gla_status status = run (k, 0);
  CHECK (status == GLA_ERROR_NOT_HERMITIAN && strstr (gla_message (ctx), "page 1") != NULL,
         "%s: status %d \"%s\"", operations[k].name, (int)status, gla_message (ctx));
  A[1 + N * N] = before;
}

static int stop_at_once (void *user)
{
  (void)user;
  return 1;
}

static void test_stopped (int k)
{
  gla_set_stop (ctx, stop_at_once, NULL);
  const gla_status status = run (k, 0);
  gla_set_stop (ctx, NULL, NULL);
  CHECK (status == GLA_ERROR_STOPPED &&
             strcmp (gla_message (ctx), gla_status_text (GLA_ERROR_STOPPED)) == 0,
         "%s: status %d \"%s\"", operations[k].name, (int)status, gla_message (ctx));
}

int main (void)
{
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "place");
  fill (A, 1);
  fill (B, 2);
  for (int k = 0; k < OPERATIONS; k++) {
    test_ok (k, "nothing");
    test_bad_argument (k);
    test_ok (k, "a bad argument");
    if (operations[k].hermitian) {
      test_not_hermitian (k);
      test_ok (k, "a page that is not Hermitian");
    }
    test_stopped (k);
    test_ok (k, "a stop");
  }
  gla_context_destroy (ctx);
  return check_report ("test_states");
}
