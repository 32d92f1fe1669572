// time_pages.c: seconds of four operations on pages on the CPU, for Linux and for Windows
// SPDX-License-Identifier: GPL-3.0-or-later
//
// "sh tests/windows.sh speed" compiles it for both and calls it. It prints one line for each
// operation, type and order: the seconds of the fastest call, of as many as half a second allows.

#include "common/system.h"
#include "gpulinalg.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPERATIONS = 4 };
static const char *const names[OPERATIONS] = {"batcheig", "batchsvd", "qr_block", "pagemtimes"};

typedef struct {
  int64_t n, pages;
  gla_type type;
  double *A, *B, *C, *D, *values;
} work;

static gla_array pages_of (const work *w, double *data)
{
  return gla_array_packed (data, w->type, w->n, w->n, w->pages, GLA_DEVICE_HOST);
}

static gla_status call (gla_context *ctx, int operation, const work *w)
{
  const gla_type real = gla_type_real (w->type);
  const gla_array A = pages_of (w, w->A), B = pages_of (w, w->B), C = pages_of (w, w->C);
  const gla_array values = gla_array_packed (w->values, real, w->n, 1, w->pages, GLA_DEVICE_HOST);
  if (operation == 0) {
    gla_eig_results to = {.size = sizeof to, .lambda = values, .V = C};
    return gla_batcheig (ctx, &A, &to, NULL, NULL);
  }
  if (operation == 1) {
    gla_svd_results to = {.size = sizeof to, .S = values, .U = C, .V = pages_of (w, w->D)};
    return gla_batchsvd (ctx, &A, &to, NULL, NULL);
  }
  if (operation == 2) {
    gla_qr_results to = {.size = sizeof to, .Q = C, .R = pages_of (w, w->D)};
    return gla_qr (ctx, &A, NULL, &to, NULL, NULL);
  }
  gla_pagemul_results to = {.size = sizeof to, .C = C};
  return gla_pagemul (ctx, &A, &B, &to, NULL, NULL);
}

// Random numbers, the pages Hermitian: the same on each system.
static void fill (work *w)
{
  const int parts = gla_type_is_complex (w->type) ? 2 : 1;
  uint64_t state = 1;
  for (int64_t k = 0; k < w->n * w->n * w->pages * parts; k++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    w->B[k] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
  }
  for (int64_t p = 0; p < w->pages; p++)
    for (int64_t j = 0; j < w->n; j++)
      for (int64_t i = 0; i < w->n; i++)
        for (int part = 0; part < parts; part++) {
          const int64_t page = p * w->n * w->n;
          const double a = w->B[(page + i + j * w->n) * parts + part];
          const double b = w->B[(page + j + i * w->n) * parts + part];
          w->A[(page + i + j * w->n) * parts + part] = part == 0 ? a + b : a - b;
        }
}

int main (void)
{
  static const int64_t orders[] = {4, 8, 16, 32, 64, 128};
  static const gla_type types[] = {GLA_TYPE_D, GLA_TYPE_Z};
  const size_t room = sizeof (double) * 2 * 16 * 31251; // of the complex pages 4 × 4
  work w = {0};
  w.A = malloc (room), w.B = malloc (room), w.C = malloc (room), w.D = malloc (room);
  w.values = malloc (room);
  gla_context *ctx = NULL;
  if (w.values == NULL || w.D == NULL || w.C == NULL || w.B == NULL || w.A == NULL ||
      gla_context_create (&ctx) != GLA_OK || gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) != GLA_OK)
    return 1;
  for (int operation = 0; operation < OPERATIONS; operation++)
    for (int t = 0; t < 2; t++)
      for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        w.n = orders[k];
        w.type = types[t];
        w.pages = 2000000 / (w.n * w.n * w.n) + 1;
        fill (&w);
        double least = 1e9;
        const double begun = gla_now ();
        while (gla_now () - begun < 0.5) {
          const double before = gla_now ();
          if (call (ctx, operation, &w) != GLA_OK) {
            fprintf (stderr, "%s: %s\n", names[operation], gla_message (ctx));
            return 1;
          }
          const double seconds = gla_now () - before;
          least = seconds < least ? seconds : least;
        }
        printf ("%s\t%c\t%d\t%.6g\n", names[operation], t == 0 ? 'd' : 'z', (int)w.n, least);
      }
  return 0;
}
