// strides.c: the C library on parts of larger arrays: nothing is copied by the caller
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   cc strides.c $(pkg-config --cflags --libs gpulinalg)
//
// Each page is the leading 3 x 3 block of a 5 x 5 matrix. Its eigenvalues are written along the
// diagonal of a 3 x 3 matrix that is zero elsewhere, so that A*V = V*D with V and D.

#include "gpulinalg.h"

#include <stdio.h>

enum { N = 3, LD = 5, PAGES = 100 };

int main (void)
{
  static double A[PAGES][LD][LD], V[PAGES][N][N], D[PAGES][N][N];
  for (int p = 0; p < PAGES; p++)
    for (int j = 0; j < LD; j++)
      for (int i = 0; i < LD; i++)
        A[p][j][i] = i == j ? p + i : i - j == 1 || j - i == 1;

  gla_array a = gla_array_packed (A, GLA_TYPE_D, N, N, PAGES, GLA_DEVICE_HOST);
  a.column_stride = LD;    // from a column to the next, in elements
  a.page_stride = LD * LD; // from a page to the next
  gla_eig_results results = {.size = sizeof results};
  results.V = gla_array_packed (V, GLA_TYPE_D, N, N, PAGES, GLA_DEVICE_HOST);
  results.lambda = gla_array_packed (D, GLA_TYPE_D, N, 1, PAGES, GLA_DEVICE_HOST);
  results.lambda.row_stride = N + 1; // from a diagonal element to the next
  results.lambda.page_stride = N * N;

  gla_context *ctx;
  gla_status status = gla_context_create (&ctx);
  if (status == GLA_OK)
    status = gla_batcheig (ctx, &a, &results, NULL, NULL);
  if (status != GLA_OK) {
    fprintf (stderr, "%s: %s\n", gla_status_text (status), gla_message (ctx));
  } else {
    double worst = 0;
    for (int p = 0; p < PAGES; p++)
      for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
          double r = 0;
          for (int k = 0; k < N; k++)
            r += A[p][k][i] * V[p][j][k] - V[p][k][i] * D[p][j][k];
          worst = r > worst ? r : -r > worst ? -r : worst;
        }
    printf ("A*V = V*D to %s\n", worst < 1e-12 ? "rounding" : "more than rounding");
  }
  gla_context_destroy (ctx);
  return status != GLA_OK;
}
