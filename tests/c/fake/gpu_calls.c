// gpu_calls.c: the host code of kernels/ without a GPU: what it launches, and its failures
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: gpu_calls [TRACE]      TRACE: a file that gets a line for every call of the CUDA runtime
//
// Every operation of the backend runs on the stand-in of fake_cuda.h, in which kernels do nothing:
// at sizes on both sides of the cutoffs between its routes, on two devices, and with answers of the
// device that lead into each branch. Then every call that can fail does, one after the other (of
// long runs a sample). The status must tell, and nothing may be left allocated. Results mean
// nothing. Before all that, predictions are asked for as "auto" does while no GPU is open.

#include "gpu_nd.h"
#include "gpu_shares.h"

//------------------------------------------------------------------------------
// cases
//------------------------------------------------------------------------------

enum { S = GLA_TYPE_S, D = GLA_TYPE_D, C = GLA_TYPE_C, Z = GLA_TYPE_Z };
enum { QR = GLA_EIG_METHOD_QR, JACOBI = GLA_EIG_METHOD_JACOBI };
enum { HZ = GLA_GSVD_METHOD_HZ, TANGENT = GLA_GSVD_METHOD_TANGENT };

static run_case cases[1000];
static int case_count;
// How each of them ends: with this status, and whether without a kernel.
static struct {
  gla_status status;
  int no_launch;
} ending[sizeof cases / sizeof *cases];

static void add (run_case c)
{
  if (case_count == (int)(sizeof cases / sizeof *cases))
    abort ();
  cases[case_count++] = c;
}

static void add_eig (void)
{
  const int sizes[] = {1, 8, 16, 17, 28, 32, 33, 64, 68, 69, 81, 96, 97, 113, 129, 193, 225, 300};
  const int types[] = {S, D, C, Z};
  for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++)
    for (int t = 0; t < 4; t++)
      for (int vectors = 0; vectors < 2; vectors++)
        add ((run_case){"eig", run_eig, {sizes[k], 3, types[t], vectors, QR, k % 3, 0}, 0, {0}});
  for (int t = 0; t < 4; t++) {
    add ((run_case){"eig", run_eig, {12, 4, types[t], 1, JACOBI, 0, 0}, 0, {.any_info = 1}});
    add ((run_case){"eig", run_eig, {16, 4, types[t], 1, QR, 0, 0}, 0, {.any_info = 1}});
    add ((run_case){"eig", run_eig, {24, 4, types[t], 1, JACOBI, 0, 0}, 0, {.any_info = 1}});
    add ((run_case){"eig", run_eig, {200, 3, types[t], 1, JACOBI, 1, 1}, 0, {0}});
    add ((run_case){"eig", run_eig, {200, 3, types[t], 1, JACOBI, 0, 0}, 0, {0, 5, 2, 1, 0}});
    add ((run_case){"eig", run_eig, {100, 3, types[t], t % 2, QR, 0, 0}, 1, {0}});
    add ((run_case){"eig", run_eig, {100, 3, types[t], 1, QR, 2, 1}, 0, {0}});
  }
  // parts of the spectrum: on the host and on the device, by every way
  const int parts[] = {8, 24, 64, 100, 200};
  for (int k = 0; k < 5; k++)
    for (int t = 0; t < 4; t++) {
      const int range = (k + t) % 2 ? GLA_EIG_INDICES : GLA_EIG_INTERVAL;
      const int method = (k + t) % 3 ? QR : JACOBI;
      add ((run_case){
          "eig", run_eig, {parts[k], 3, types[t], k != 2, method, 0, t % 2, range}, 0, {0}});
    }
  // large pages, also two, and a part of the spectrum
  add ((run_case){"eig", run_eig, {2049, 1, S, 1, QR, 0, 1}, 0, {0}});
  add ((run_case){"eig", run_eig, {1600, 1, C, 1, QR, 1, 0}, 0, {0}});
  add ((run_case){"eig", run_eig, {2100, 2, D, 1, QR, 0, 0, GLA_EIG_INDICES}, 1, {0}});
  add ((run_case){"eig", run_eig, {2300, 2, Z, 0, QR, 2, 0}, 0, {0}});
  add ((run_case){"eig", run_eig, {700, 2, Z, 1, QR, 0, 0}, 0, {0}});
  add ((run_case){"eig", run_eig, {1100, 1, C, 1, QR, 0, 0}, 0, {0}});
  add ((run_case){"eig", run_eig, {1750, 1, D, 1, QR, 0, 0}, 0, {0}});
  add ((run_case){"eig", run_eig, {700, 2, D, 0, QR, 0, 0}, 0, {0}});
  add ((run_case){"eig", run_eig, {520, 1, S, 0, QR, 0, 0}, 1, {0}});
}

static void add_qr (void)
{
  const int types[] = {S, D, C, Z};
  for (int t = 0; t < 4; t++) {
    const int T = types[t];
    add ((run_case){"qr", run_qr, {20, 20, 5, T, -1, 0, 0, 0, 0, 0}, 0, {0}});
    add ((run_case){"qr", run_qr, {4, 4, 70, T, 4, t % 2, 0, 0, 0, t / 2}, 0, {0}});
    add ((run_case){"qr", run_qr, {200, 40, 5, T, 40, 3, 0, 0, 0, 0}, 0, {0}});
    add ((run_case){"qr", run_qr, {200, 70, 5, T, 70, 3, 0, 0, 0, 0}, 0, {0}});
    add ((run_case){"qr", run_qr, {200, 70, 5, T, 70, 0, 0, 0, 0, 0}, 0, {0}});
    add ((run_case){"qr", run_qr, {600, 20, 70, T, 20, 0, 0, 0, 0, 0}, 0, {1, 1, 70, 0, 0}});
    add ((run_case){"qr", run_qr, {500, 300, 2, T, 300, 0, 0, 0, 0, 1}, 0, {1, 1, 2, 0, 0}});
    add ((run_case){"qr", run_qr, {500, 300, 2, T, -1, 2, 0, 0, 1, t % 2}, 0, {0}});
    add ((run_case){"qr", run_qr, {90, 130, 2, T, 90, 0, 1, 0, 0, t % 2}, 0, {0}});
    add ((run_case){"qr", run_qr, {300, 290, 1, T, -1, 0, 1, 64, 0, 0}, 0, {0}});
    add ((run_case){"qr", run_qr, {3000, 40, 2, T, -1, 0, 0, 0, 0, 0}, 1, {0}});
    add ((run_case){"qr", run_qr, {40000, 33, 1, T, 33, 1, 0, 0, 0, 0}, 0, {0}});
    add ((run_case){"qr", run_qr, {200, 70, 5, T, 0, 0, 0, 0, 0, 0}, 1, {0}});
  }
  add ((run_case){"qr", run_qr, {3400, 1700, 1, D, 1700, 0, 0, 0, 0, 0}, 0, {0}});
  add ((run_case){"qr", run_qr, {3200, 3100, 1, S, 0, 0, 0, 0, 0, 0}, 0, {0}});
  add ((run_case){"qr", run_qr, {900, 800, 1, C, -1, 0, 0, 200, 1, 0}, 0, {0}});
}

static void add_gsvd (void)
{
  const int types[] = {S, D, C, Z};
  for (int t = 0; t < 4; t++) {
    const int T = types[t];
    add ((run_case){"gsvd", run_gsvd, {20, 20, 20, 5, T, 1, 1, TANGENT, 0, 0}, 0, {0}});
    add ((run_case){"gsvd", run_gsvd, {90, 70, 40, 3, T, 2, 1, HZ, 0, 0}, 0, {0, 3, 2, 0, 0}});
    add ((run_case){
        "gsvd", run_gsvd, {90, 40, 40, 3, T, 1, 0, TANGENT, 32, 1}, 0, {0, 99, 1, 0, 0}});
    add ((run_case){"gsvd", run_gsvd, {40, 90, 40, 3, T, 0, 0, TANGENT, 16, 0}, 1, {0}});
    add ((run_case){"gsvd", run_gsvd, {300, 500, 300, 1, T, 2, 1, HZ, 0, 0}, 0, {0, 4, 1, 0, 0}});
    add ((run_case){"gsvd", run_gsvd, {10, 30, 20, 3, T, 1, 1, TANGENT, 0, 0}, 0, {0}});
    ending[case_count - 1].no_launch = 1; // B has not full column rank
  }
  add ((run_case){"gsvd", run_gsvd, {1100, 1030, 1030, 1, D, 1, 1, TANGENT, 0, 0}, 0, {0}});
  add ((run_case){"gsvd", run_gsvd, {1010, 1004, 1000, 1, C, 1, 1, HZ, 16, 0}, 0, {0, 9, 1, 0, 0}});
  add ((run_case){
      "gsvd", run_gsvd, {1005, 1005, 1005, 2, D, 1, 1, TANGENT, 16, 0}, 0, {0, 9, 1, 0, 0}});
  // on both devices, and several times on each
  add ((run_case){"gsvd", run_gsvd, {1000, 1000, 1000, 1, D, 1, 1, TANGENT, 16, 0, 2}, 0, {0}});
  add ((run_case){"gsvd", run_gsvd, {2020, 2020, 2020, 1, S, 0, 0, HZ, 16, 0, 4}, 1, {0}});
}

static void add_nd (void)
{
  const int sizes[][2] = {{1, 1}, {3, 5}, {70, 45}, {700, 300}}, types[] = {S, D, C, Z, 'b'};
  for (int t = 0; t < 5; t++)
    for (int k = 0; k < 4; k++)
      add ((run_case){"nd", run_nd, {sizes[k][0], sizes[k][1], types[t]}, k % 2, {0}});
}

static void add_pagesolve (void)
{
  const int orders[] = {2, 4, 6, 8, 12, 16, 24, 32, 33, 64, 65, 128, 129, 170, 256};
  const int types[] = {S, D, C, Z}, ops[] = {'N', 'T', 'C'}, sides[] = {1, -1, 7};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < (int)(sizeof orders / sizeof *orders); k++) {
      const int factors = t < 2 ? 0 : 1 + (t + k) % 3, r = sides[(t + k) % 3];
      add ((run_case){"pagesolve",
                      run_pagesolve,
                      {orders[k], r, 10, types[t], r < 0 && t > 1 ? 1 : factors, ops[k % 3],
                       r < 0 ? 0 : k % 2, (k + t) % 3, k % 2, (k / 2) % 2},
                      0,
                      {0}});
    }
  add ((run_case){"pagesolve", run_pagesolve, {8, 70000, 2, D, 0, 'N', 0, 1, 1, 0}, 1, {0}});
  add ((run_case){"pagesolve", run_pagesolve, {200, 9000, 2, Z, 3, 'N', 1, 1, 0, 1}, 0, {0}});
}

static void add_pagefun (void)
{
  const int sizes[] = {1, 3, 16, 32, 33, 64, 100, 200};
  const int types[] = {S, D, C, Z};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++) {
      const int wide = t < 2 && k % 2, fun = (t + k) % (GLA_FUN_OCCUPIED + 1);
      const int scale = fun == GLA_FUN_OCCUPIED ? 0 : wide || t > 1 ? k % 3 : k % 2;
      add (
          (run_case){"pagefun",
                     run_pagefun,
                     {sizes[k], 6, types[t], fun, wide, scale, (k + t) % 2 && scale < 2, k / 2 % 2},
                     t == 1,
                     {.any_info = k % 3 == 0}});
    }
}

static void add_svd (void)
{
  const int sizes[][2] = {{1, 1},  {4, 3},   {3, 8},     {16, 16}, {32, 20}, {33, 32},
                          {60, 8}, {9, 128}, {1000, 32}, {64, 50}, {125, 64}};
  const int types[] = {S, D, C, Z};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++) {
      const int m = sizes[k][0], n = sizes[k][1], vectors = m > 32 || n > 32 ? k % 2 : k % 3;
      add ((run_case){"svd",
                      run_svd,
                      {m, n, 6, types[t], vectors, vectors == 1 ? 1 : 0, (k + t) % 2},
                      t == 1,
                      {0}});
    }
  // by way of the polar decomposition; above 256 columns by steps: how often the device wants more
  // of them, for how many pages an inverse and for as many a last product
  const int polar[][4] = {{100, 70, 0, 0},   {70, 70, 0, 0},     {257, 257, 0, 0},
                          {300, 300, 3, 2},  {400, 270, 2, 1},   {260, 700, 1, 1},
                          {300, 300, 99, 1}, {1100, 1100, 1, 1}, {1100, 1100, 2, 1}};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < (int)(sizeof polar / sizeof *polar); k++) {
      const int *p = polar[k], pages = p[0] > 1000 ? 2 : 4;
      add ((run_case){"svd",
                      run_svd,
                      {p[0], p[1], pages, types[t], (k + t) % 2, (k + t) % 2, t % 2},
                      0,
                      {.words = p[2], .word = p[3]}});
    }
  // values alone of large pages, each by several blocks: more pages than go at a time, fewer, tall
  const int together[][4] = {
      {1025, 1025, 17, Z}, {1400, 1030, 2, C}, {1540, 1540, 1, D}, {1540, 1541, 1, S}};
  for (int k = 0; k < (int)(sizeof together / sizeof *together); k++) {
    const int *p = together[k];
    add ((run_case){"svd", run_svd, {p[0], p[1], p[2], p[3], 0, k % 2, k % 2}, k == 1, {0}});
  }
  // tall pages that are done again, as the exponents say that the device finds
  const int tall[][2] = {{60, 8}, {8, 60}, {125, 64}, {100, 70}, {70, 300}};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < (int)(sizeof tall / sizeof *tall); k++)
      add ((run_case){"svd",
                      run_svd,
                      {tall[k][0], tall[k][1], 70, types[t], (k + t) % 2, (k + t) % 2, t % 2},
                      0,
                      {.fill = 1, .any_info = 1}});
}

static void add_eigpairs (void)
{
  const int sizes[] = {1, 7, 16, 24, 32, 33, 64, 100, 170, 260, 400};
  const int types[] = {S, D, C, Z};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++)
      add ((run_case){"eigpairs",
                      run_eigpairs,
                      {sizes[k], 6, types[t], 1 + (t + k) % 3, k % 4 != 3, (t + k / 2) % 4, k % 2,
                       k % 3,
                       (k + t) % 4 == 0   ? GLA_EIG_INDICES
                       : (k + t) % 4 == 1 ? GLA_EIG_INTERVAL
                                          : GLA_EIG_ALL,
                       (k + t / 2) % 2},
                      t == 2,
                      {.any_info = k % 3 == 0}});
}

static void add_norm (void)
{
  const int types[] = {S, D, C, Z};
  for (int t = 0; t < 4; t++)
    for (int norm = GLA_NORM_FRO; norm <= GLA_NORM_INF; norm++)
      add ((run_case){"norm", run_norm, {20, 30, 5, types[t], norm, (t + norm) % 2}, 0, {0}});
}

static void add_diag (void)
{
  const int types[] = {S, D, C, Z}, sizes[] = {0, 1, 5, 200};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < 4; k++) {
      const int n = sizes[k], place = (t + k) % 2;
      add ((run_case){
          "diag", run_diag, {n, n + 1, n + 1, 7, types[t], GLA_DIAG_MAKE, place}, 0, {0}});
      add ((run_case){"diag", run_diag, {n, 1, 1, 70, types[t], GLA_DIAG_TRACE, !place}, 0, {0}});
      if (n > 0)
        add ((run_case){"diag", run_diag, {n, n, 1, 70, types[t], GLA_DIAG_TAKE, place}, 0, {0}});
    }
}

static void add_pagemul (void)
{
  const int sizes[][3] = {{4, 4, 4},    {3, 64, 3},      {5, 7, 2},      {16, 16, 16},
                          {30, 20, 9},  {70, 50, 99},    {30, 4, 70000}, {64, 64, 64},
                          {80, 96, 64}, {256, 200, 128}, {40, 20, 2111}, {17, 18, 70001}};
  const int types[] = {S, D, C, Z}, ops[] = {'N', 'T', 'C'};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++) {
      const int *x = sizes[k], factors = t < 2 ? 0 : 1 + (t + k) % 3, pages = k < 6 ? 10 : 2;
      add ((run_case){"pagemul",
                      run_pagemul,
                      {x[0], x[1], x[2], pages, types[t], factors, ops[k % 3], ops[(k + t) % 3],
                       (k + t) % 3, k % 2},
                      t == 3,
                      {0}});
    }
  for (int n = 2; n <= 8; n++)
    add ((run_case){"pagemul",
                    run_pagemul,
                    {n, n, n, 8, n % 2 ? D : Z, n % 2 ? 0 : 3, 'N', 'C', 3, 0},
                    0,
                    {0}});
}

// Seven chunks and more: one page for all, pages that expand along the first dimension, along the
// second, along both, and an operand with its pages in another order.
static void add_shares (void)
{
  const int steps[][4] = {{0, 0, 1, 5}, {1, 5, 0, 0}, {1, 0, 0, 1},
                          {0, 1, 1, 0}, {0, 0, 0, 0}, {7, 1, 1, 5}};
  const int types[] = {S, D, C, Z};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < 6; k++)
      for (int op = 0; op < 2; op++) {
        const int *x = steps[k], n = t < 2 ? 40 : 9;
        add ((run_case){"shares",
                        run_shares,
                        {op, types[t], n, 5, 7, 2 + 3 * (k % 2), x[0], x[1], x[2], x[3]},
                        t % 2,
                        {0}});
      }
}

static void add_sparse (void)
{
  const int types[] = {S, D, C, Z};
  for (int t = 0; t < 4; t++) {
    const int T = types[t];
    for (int method = GLA_SPMV_METHOD_AUTO; method <= GLA_SPMV_METHOD_BALANCED; method++) {
      add ((run_case){"spmv", run_spmv, {500, 3, 1, T, 4, 0, method, 0, 0}, 0, {0}});
      add ((run_case){"spmv", run_spmv, {700, 30, 11, T, 8, 1, method, 1, method % 2}, 0, {0}});
    }
    for (int b = 1; b <= 8; b *= 2)
      add ((run_case){"krylov", run_krylov, {300, 24, b, T, 0, b > 1}, 0, {.ones = 1}});
    add ((run_case){"krylov", run_krylov, {300, 24, 4, T, 0, 1, 2}, 0, {.ones = 1}});
    add ((run_case){"krylov", run_krylov, {400, 5, 1, T, 1, 1}, 0, {.ones = 1}});
    add ((run_case){"krylov", run_krylov, {400, 5, 1, T, 1, 0}, 0, {.ones = 1}});
  }
  add ((run_case){"spmv", run_spmv, {200000, 12, 1, D, 4, 0, 0, 0, 0}, 0, {0}});
  add ((run_case){"spmv", run_spmv, {400000, 13, 1, D, 4, 1, 0, 0, 0}, 0, {0}});
  add ((run_case){"spmv", run_spmv, {3000, 3, 2, Z, 4, 0, 0, 0, 0}, 1, {0}});
  add ((run_case){"krylov", run_krylov, {300, 24, 4, D, 0, 1, 5}, 1, {.ones = 1}});
  add (
      (run_case){"krylov", run_krylov, {7, 4, 1, D, 0, 1, 8}, 0, {.ones = 1}}); // some have no rows
  // nothing has a norm: every vector vanishes, and at last that is an error
  add ((run_case){"krylov", run_krylov, {300, 8, 2, D, 0, 1}, 0, {0}});
  ending[case_count - 1].status = GLA_ERROR_DEVICE_FAILURE;
}

//------------------------------------------------------------------------------
// runs
//------------------------------------------------------------------------------

// The case from the opening of an engine to its end, and what is left allocated then.
static gla_status run_one (const run_case *c, int64_t *left)
{
  const int64_t before = fake_cuda_live ();
  gla_engine *engine = NULL;
  fake_cuda_answer = (fake_cuda_answers){0};
  gla_status status = gpu->open (c->device, &engine);
  if (status == GLA_OK) {
    fake_cuda_answer = c->answer;
    status = c->run (engine, c->v);
    gpu->close (engine);
  }
  *left = fake_cuda_live () - before;
  return status;
}

static void describe (const run_case *c, char *to, size_t size)
{
  int at = snprintf (to, size, "%s", c->name);
  for (int k = 0; k < 10; k++)
    at += snprintf (to + at, size - (size_t)at, " %d", c->v[k]);
  snprintf (to + at, size - (size_t)at, ", device %d", c->device);
}

// Where memory is short an engine may find other ways; a call that failed for another reason must
// not be overlooked.
static void check_failure (const char *name, int64_t n, gla_status status, int64_t left)
{
  fake_cuda_failure kind = fake_cuda_has_failed ();
  CHECK (left == 0, "%s, failure %lld: %lld left", name, (long long)n, (long long)left);
  if (kind == FAKE_ALLOCATION)
    CHECK (status == GLA_ERROR_OUT_OF_MEMORY || status == GLA_OK, "%s, failure %lld: status %d",
           name, (long long)n, (int)status);
  else
    CHECK (kind == FAKE_DEVICE && status == GLA_ERROR_DEVICE_FAILURE, "%s, failure %lld: status %d",
           name, (long long)n, (int)status);
}

// The first time a kernel is used the library sets its attributes, and again where that failed.
static void check_attributes (const run_case *c, const char *name)
{
  int64_t left = 0;
  fake_cuda_fail_attribute ();
  gla_status status = run_one (c, &left);
  if (fake_cuda_has_failed () != FAKE_NONE)
    check_failure (name, 0, status, left);
}

// Without a failure, as it is expected to end.
static void check_run (const run_case *c, const char *name)
{
  int64_t left = 0, launched = fake_cuda_launches ();
  fake_cuda_fail_at (0);
  gla_status status = run_one (c, &left);
  CHECK (status == ending[c - cases].status && left == 0, "%s: status %d, %lld left", name,
         (int)status, (long long)left);
  launched = fake_cuda_launches () - launched;
  CHECK (launched > 1 || ending[c - cases].no_launch, "%s: %lld launches", name,
         (long long)launched);
}

// A question to the driver starts it, which takes 0.1 s: predictions of "auto" ask none before a
// GPU is open.
static void check_before_opening (const run_case *c)
{
  char name[200];
  const int64_t before = fake_cuda_questions ();
  if (c->run == run_krylov) // has no prediction
    return;
  describe (c, name, sizeof name);
  predict_only = 1;
  (void)c->run (gpu->model (), c->v);
  predict_only = 0;
  CHECK (fake_cuda_questions () == before, "%s: %lld questions to the driver before a GPU is open",
         name, (long long)(fake_cuda_questions () - before));
}

static void run_case_with_failures (const run_case *c, FILE *trace)
{
  enum { SAMPLES = 8 };
  char name[200];
  describe (c, name, sizeof name);
  check_attributes (c, name);
  if (trace != NULL)
    fprintf (trace, "CASE %s\n", name);
  fake_cuda_trace (trace);
  predictions = trace;
  check_run (c, name);
  fake_cuda_trace (NULL);
  predictions = NULL;
  check_run (c, name);
  const int64_t calls = fake_cuda_calls (), step = 1 + calls / SAMPLES;
  const gla_status expected = ending[c - cases].status;
  int64_t left = 0;
  for (int64_t n = 1 + (c - cases) % step; n <= calls && expected == GLA_OK; n += step) {
    fake_cuda_fail_at (n);
    gla_status status = run_one (c, &left);
    check_failure (name, n, status, left);
  }
}

int main (int argc, char **argv)
{
  FILE *trace = argc > 1 ? fopen (argv[1], "w") : NULL;
  add_eig ();
  add_qr ();
  add_gsvd ();
  add_norm ();
  add_diag ();
  add_pagefun ();
  add_svd ();
  add_eigpairs ();
  add_pagemul ();
  add_pagesolve ();
  add_nd ();
  add_sparse ();
  add_shares ();
  for (int k = 0; k < case_count; k++)
    check_before_opening (&cases[k]);
  for (int k = 0; k < case_count; k++)
    run_case_with_failures (&cases[k], trace);
  if (trace != NULL)
    fclose (trace);
  return check_report ("gpu_calls");
}
